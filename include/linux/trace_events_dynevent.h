/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events made at run time: their reference counts, and the kernel's own calls
 * to make synthetic and kprobe events. Included through <linux/trace_events.h>.
 * Task context, may sleep, unless noted.
 */
#ifndef _LINUX_TRACE_EVENTS_DYNEVENT_H
#define _LINUX_TRACE_EVENTS_DYNEVENT_H

#include <linux/module.h>
#include <linux/seq_buf.h>

struct synth_event;
struct synth_trace_event;

#ifdef CONFIG_DYNAMIC_EVENTS
bool trace_event_dyn_try_get_ref(struct trace_event_call *call);
void trace_event_dyn_put_ref(struct trace_event_call *call);
#else
/* No event has TRACE_EVENT_FL_DYNAMIC, so nobody comes here. */
static inline bool trace_event_dyn_try_get_ref(struct trace_event_call *call) { return false; }
static inline void trace_event_dyn_put_ref(struct trace_event_call *call) { }
#endif

/* Keep the event from going away, be it with its module or by a user's command. */
static inline bool trace_event_try_get_ref(struct trace_event_call *call)
{
	return call->flags & TRACE_EVENT_FL_DYNAMIC ?
	       trace_event_dyn_try_get_ref(call) : try_module_get(call->module);
}

static inline void trace_event_put_ref(struct trace_event_call *call)
{
	if (!(call->flags & TRACE_EVENT_FL_DYNAMIC))
		module_put(call->module);
	else
		trace_event_dyn_put_ref(call);
}

/* ---- commands that define an event, built up step by step ---- */

#define MAX_DYNEVENT_CMD_LEN	2048

enum dynevent_type {
	DYNEVENT_TYPE_SYNTH = 1,
	DYNEVENT_TYPE_KPROBE,
	DYNEVENT_TYPE_NONE,
};

struct dynevent_cmd;
typedef int (*dynevent_create_fn_t)(struct dynevent_cmd *cmd);

struct dynevent_cmd {
	struct seq_buf		seq;		/* the text so far */
	const char		*event_name;
	unsigned int		n_fields;
	enum dynevent_type	type;
	dynevent_create_fn_t	run_command;
	void			*private_data;
};

int dynevent_create(struct dynevent_cmd *cmd);

/* ---- synthetic events ---- */

struct synth_field_desc {
	const char *type, *name;
};

/* Between synth_event_trace_start() and _end(); preemption is off. */
struct synth_event_trace_state {
	struct trace_event_buffer	fbuffer;
	struct synth_trace_event	*entry;
	struct trace_buffer		*buffer;
	struct synth_event		*event;
	unsigned int			cur_field;
	unsigned int			n_u64;
	bool				disabled;
	bool				add_next;
	bool				add_name;
};

int synth_event_create(const char *name, struct synth_field_desc *fields,
		       unsigned int n_fields, struct module *mod);
int synth_event_delete(const char *name);

void synth_event_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen);
int __synth_event_gen_cmd_start(struct dynevent_cmd *cmd, const char *name,
				struct module *mod, ...);
int synth_event_gen_cmd_array_start(struct dynevent_cmd *cmd, const char *name,
				    struct module *mod, struct synth_field_desc *fields,
				    unsigned int n_fields);
int synth_event_add_field(struct dynevent_cmd *cmd, const char *type, const char *name);
int synth_event_add_field_str(struct dynevent_cmd *cmd, const char *type_name);
int synth_event_add_fields(struct dynevent_cmd *cmd, struct synth_field_desc *fields,
			   unsigned int n_fields);

/* the variable arguments are pairs of type and name, all const char * */
#define synth_event_gen_cmd_start(cmd, name, mod, ...)	\
	__synth_event_gen_cmd_start(cmd, name, mod, ## __VA_ARGS__, NULL)
#define synth_event_gen_cmd_end(cmd)	dynevent_create(cmd)

int synth_event_trace(struct trace_event_file *file, unsigned int n_vals, ...);
int synth_event_trace_array(struct trace_event_file *file, u64 *vals, unsigned int n_vals);
int synth_event_trace_start(struct trace_event_file *file,
			    struct synth_event_trace_state *trace_state);
int synth_event_add_next_val(u64 val, struct synth_event_trace_state *trace_state);
int synth_event_add_val(const char *field_name, u64 val,
			struct synth_event_trace_state *trace_state);
int synth_event_trace_end(struct synth_event_trace_state *trace_state);

/* ---- kprobe events ---- */

void kprobe_event_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen);
int kprobe_event_delete(const char *name);
int __kprobe_event_gen_cmd_start(struct dynevent_cmd *cmd, bool kretprobe, const char *name,
				 const char *loc, ...);
int __kprobe_event_add_fields(struct dynevent_cmd *cmd, ...);

#define kprobe_event_gen_cmd_start(cmd, name, loc, ...)	\
	__kprobe_event_gen_cmd_start(cmd, false, name, loc, ## __VA_ARGS__, NULL)
#define kretprobe_event_gen_cmd_start(cmd, name, loc, ...)	\
	__kprobe_event_gen_cmd_start(cmd, true, name, loc, ## __VA_ARGS__, NULL)
#define kprobe_event_add_fields(cmd, ...)	\
	__kprobe_event_add_fields(cmd, ## __VA_ARGS__, NULL)
#define kprobe_event_add_field(cmd, field)	__kprobe_event_add_fields(cmd, field, NULL)
#define kprobe_event_gen_cmd_end(cmd)		dynevent_create(cmd)
#define kretprobe_event_gen_cmd_end(cmd)	dynevent_create(cmd)

#endif /* _LINUX_TRACE_EVENTS_DYNEVENT_H */
