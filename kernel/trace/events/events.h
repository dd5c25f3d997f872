/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events: the registry, their fields and format files, switching them
 * on for an instance, pid lists. What an instance knows of an event is its event file,
 * struct trace_event_file. event_mutex guards all of it.
 */
#ifndef _KERNEL_TRACE_EVENTS_H
#define _KERNEL_TRACE_EVENTS_H

#include <linux/trace_events.h>

#include "../instance/instance.h"

extern const struct instance_feature events_feature;	/* events/, set_event, available_events */
extern const struct instance_feature event_pid_feature;	/* set_event_pid, set_event_notrace_pid, event-fork */

/* boot: registry from _ftrace_events, trace_event= on the command line */
int trace_events_init(void);

extern struct list_head ftrace_events;	/* struct trace_event_call.list; event_mutex or trace_event_sem */

/* A field of an event, as declared by TP_STRUCT__entry. */
struct ftrace_event_field {
	struct list_head	link;
	const char		*name;
	const char		*type;
	int			filter_type;
	int			offset;
	int			size;
	unsigned int		is_signed:1;
	unsigned int		needs_test:1;
	int			len;
};

/* A directory of events/ : one for each system that has an event in the instance. */
struct event_subsystem {
	struct list_head	list;
	const char		*name;
	int			ref_count;
};

struct trace_subsystem_dir {
	struct list_head	list;
	struct event_subsystem	*subsystem;
	struct trace_array	*tr;
	struct eventfs_inode	*ei;
	int			ref_count;
	int			nr_events;
};

/* lookup; event_mutex held */
struct trace_event_call *trace_event_find_call(const char *system, const char *name);
struct trace_event_file *find_event_file(struct trace_array *tr, const char *system,
					 const char *event);
struct ftrace_event_field *trace_find_event_field(struct trace_event_call *call, char *name);
bool trace_event_file_get(struct trace_event_file *file);
void event_file_get(struct trace_event_file *file);
void event_file_put(struct trace_event_file *file);

/* enable.c; event_mutex held. @soft_disable keeps the event's probe registered with SOFT_MODE. */
int trace_event_enable_disable(struct trace_event_file *file, int enable, int soft_disable);
int ftrace_event_enable_disable(struct trace_event_file *file, int enable);
void trace_event_enable_cmd_record(bool enable);
void trace_event_enable_tgid_record(bool enable);
void trace_event_follow_fork(struct trace_array *tr, bool enable);

/* pid_list.c: which pids a list holds. Lookup in any context under RCU. */
struct trace_pid_list *trace_pid_list_alloc(void);
void trace_pid_list_free(struct trace_pid_list *pid_list);
bool trace_pid_list_is_set(struct trace_pid_list *pid_list, unsigned int pid);
int trace_pid_list_set(struct trace_pid_list *pid_list, unsigned int pid);
int trace_pid_list_clear(struct trace_pid_list *pid_list, unsigned int pid);
int trace_pid_list_next(struct trace_pid_list *pid_list, unsigned int pid, unsigned int *next);

/* replaces the texts of enums and sizeofs in print_fmt, maps.c */
void trace_event_update_all(struct trace_eval_map **map, int len);

#define for_each_event_file(file, tr)	list_for_each_entry(file, &(tr)->events, list)

#endif /* _KERNEL_TRACE_EVENTS_H */
