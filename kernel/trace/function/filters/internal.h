/* SPDX-License-Identifier: GPL-2.0-only */
/* What an instance has of function tracing, between the files of this room. */
#ifndef _KERNEL_TRACE_FUNCTION_FILTERS_INTERNAL_H
#define _KERNEL_TRACE_FUNCTION_FILTERS_INTERNAL_H

#include <linux/ftrace.h>
#include <linux/list.h>

#include "../../instance/instance.h"
#include "../../tasks/pid_filter.h"
#include "function_ops.h"

struct dentry;
struct ftrace_text;
struct function_profile;
struct module;

/**
 * struct trace_function - function tracing of an instance
 * @shared:	what tracers look at: trace_array.room[ROOM_FUNCTION] points to it
 * @list:	in ftrace_instances; ftrace_lock
 * @wait_filter: words for modules that are not there; ftrace_lock
 * @wait_notrace: the same for set_ftrace_notrace
 * @probes:	function commands, struct ftrace_probe; ftrace_lock
 * @pids:	set_ftrace_pid and set_ftrace_notrace_pid
 * @profile:	the profiler's, NULL if it was never on; profile_mutex
 */
struct trace_function {
	struct function_ops		shared;
	struct list_head		list;
	struct list_head		wait_filter;
	struct list_head		wait_notrace;
	struct list_head		probes;
	struct trace_pid_filter		pids;
	struct function_profile		*profile;
};

static inline struct trace_function *trace_function_of(const struct trace_array *tr)
{
	return container_of(function_ops_of(tr), struct trace_function, shared);
}

extern struct trace_function ftrace_global;
extern struct list_head ftrace_instances;

/* set_ftrace_filter.c */
void function_filter_files(struct trace_array *tr, struct dentry *dir);
void ftrace_filter_files_forget(unsigned long start, unsigned long end);
void ftrace_filter_files_module(struct module *mod);
bool ftrace_module_is_here(const char *module);
extern const struct file_operations ftrace_filter_fops;

/* commands.c; ftrace_lock but where it is said */

/* takes event_mutex and ftrace_lock */
int ftrace_command_run(struct trace_function *fn, char *func, char *name, char *param,
		       const char **at);
void ftrace_commands_show(struct trace_function *fn, struct ftrace_text *text);
void ftrace_commands_free(struct trace_function *fn);
void ftrace_commands_stop(void);	/* event_mutex, without ftrace_lock */
void ftrace_commands_forget(struct trace_function *fn, unsigned long start, unsigned long end);

/* set_graph_function.c */
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
void graph_filter_files(struct trace_array *tr, struct dentry *dir);
void ftrace_boot_graph_filters(void);
void graph_filters_forget(struct trace_function *fn, unsigned long start, unsigned long end);
void graph_filter_files_forget(unsigned long start, unsigned long end);
void graph_filters_free(struct trace_function *fn);
#else
static inline void graph_filter_files(struct trace_array *tr, struct dentry *dir) { }
static inline void ftrace_boot_graph_filters(void) { }
static inline void graph_filters_forget(struct trace_function *fn, unsigned long start,
					unsigned long end) { }
static inline void graph_filter_files_forget(unsigned long start, unsigned long end) { }
static inline void graph_filters_free(struct trace_function *fn) { }
#endif

#endif /* _KERNEL_TRACE_FUNCTION_FILTERS_INTERNAL_H */
