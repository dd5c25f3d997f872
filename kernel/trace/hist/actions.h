/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the files of actions: HANDLER(x).ACTION(params) in a hist trigger. actions.c has the
 * language and the handlers; what an action does is a struct hist_action_kind.
 */
#ifndef _KERNEL_TRACE_HIST_ACTIONS_H
#define _KERNEL_TRACE_HIST_ACTIONS_H

#include <linux/list.h>

#include "internal.h"

#define HIST_PARAMS_MAX	64

enum hist_handler {
	HIST_ON_MATCH,		/* each hit */
	HIST_ON_MAX,		/* a variable is larger than it ever was in this entry */
	HIST_ON_CHANGE,		/* it is not what it was in this entry */
};

/**
 * struct hist_action_kind - what an action does
 * @create:	look up what the parameters mean; NULL: nothing. Task, event_mutex. An error has a
 *		line in error_log, and @destroy is called
 * @start:	get what @run needs; may fail. NULL: nothing. Task, event_mutex
 * @stop:	give it back; nobody runs it any more
 * @clear:	the entries are emptied, and so goes what is kept beside them; nobody runs it. NULL:
 *		nothing is. Task, event_mutex
 * @destroy:	free what @create has made
 * @run:	do it; @value is the tracked variable's. Any context, preemption off
 * @print:	behind the tracked value of an entry
 * @print_end:	behind all entries
 * @debug:	behind the handlers in hist_debug
 */
struct hist_action_kind {
	int	(*create)(struct hist_parse *p, struct hist_action *a);
	int	(*start)(struct hist_action *a);
	void	(*stop)(struct hist_action *a);
	void	(*clear)(struct hist_action *a);
	void	(*destroy)(struct hist_action *a);
	void	(*run)(struct hist_action *a, struct hist_hit *hit, u64 value);
	void	(*print)(struct seq_file *m, const struct hist_action *a,
			 const struct hist_entry *entry);
	void	(*print_end)(struct seq_file *m, const struct hist_action *a);
	void	(*debug)(struct seq_file *m, const struct hist_action *a);
};

/**
 * struct hist_action - an action of a hist
 * @list:	in hist.actions
 * @hist:	whose it is
 * @handler:	when it runs
 * @kind:	what it does
 * @copy:	its text; what follows points into it
 * @system:	onmatch: the other event's system
 * @event:	and its name
 * @tracked_name: onmax, onchange: the variable, with its $
 * @name:	as the user called the action
 * @synth_name:	of the synthetic event; NULL: none
 * @params:	as they were written
 * @nr_params:	of them
 * @tracked:	the variable
 * @slot:	where the value is that it is compared with
 * @started:	start() was called
 * @data:	of the kind
 */
struct hist_action {
	struct list_head		list;
	struct hist			*hist;
	enum hist_handler		handler;
	const struct hist_action_kind	*kind;
	char				*copy;
	char				*system;
	char				*event;
	char				*tracked_name;
	char				*name;
	char				*synth_name;
	char				*params[HIST_PARAMS_MAX];
	unsigned int			nr_params;
	struct hist_field		*tracked;
	u16				slot;
	bool				started;
	void				*data;
};

extern const struct hist_action_kind hist_action_trace;		/* action_trace.c */
extern const struct hist_action_kind hist_action_save;		/* action_save.c */
extern const struct hist_action_kind hist_action_snapshot;	/* action_snapshot.c */

/* debug.c */
#ifdef CONFIG_HIST_TRIGGERS_DEBUG
void hist_debug_ref(struct seq_file *m, const char *what, const struct hist_ref *ref,
		    unsigned int nr);
void hist_debug_type(struct seq_file *m, const char *type, unsigned int size, bool is_signed);
#else
static inline void hist_debug_ref(struct seq_file *m, const char *what,
				  const struct hist_ref *ref, unsigned int nr) { }
static inline void hist_debug_type(struct seq_file *m, const char *type, unsigned int size,
				   bool is_signed) { }
#endif

/* For the caret: the beginning of the command, where the base has it for these errors. */
static inline const char *hist_at_begin(const struct hist_parse *p)
{
	return p->command;
}

/* Is @value one that an onmax() or onchange() looks for, where @old was there before? */
static inline bool hist_action_wants(const struct hist_action *a, u64 old, u64 value)
{
	return a->handler == HIST_ON_MAX ? value > old : value != old;
}

/* field_variables.c: what an argument means; -EINVAL with a line in error_log */
struct hist_field *hist_arg_parse(struct hist_parse *p, struct hist_action *a, char *text,
				  struct list_head *helpers);
void hist_helpers_remove(struct list_head *helpers);

/* An event of an instance, also one that cannot be switched; event_mutex */
struct trace_event_file *hist_event_file(struct trace_array *tr, const char *system,
					 const char *event);

#endif /* _KERNEL_TRACE_HIST_ACTIONS_H */
