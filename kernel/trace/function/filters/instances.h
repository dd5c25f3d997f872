/* SPDX-License-Identifier: GPL-2.0-only */
/* What an instance has of function tracing. */
#ifndef _KERNEL_TRACE_FUNCTION_INSTANCES_H
#define _KERNEL_TRACE_FUNCTION_INSTANCES_H

#include <linux/ftrace.h>
#include <linux/list.h>

#include "../../instance/instance.h"
#include "../../tasks/pid_filter.h"
#include "set_graph_function.h"

#ifndef CONFIG_FUNCTION_TRACER
static inline void function_early_init(void) { }
#else

struct function_profile;
struct ftrace_text;

/**
 * struct trace_function - function tracing of an instance
 * @ops:	 the function tracer's; its hashes are set_ftrace_filter and
 *		 set_ftrace_notrace, which the graph tracer obeys too
 * @tr:		 the instance
 * @list:	 in ftrace_instances; ftrace_lock
 * @wait_filter: words for modules that are not there; ftrace_lock
 * @wait_notrace: the same for set_ftrace_notrace
 * @probes:	 function commands, struct ftrace_probe; ftrace_lock
 * @has_pids:	 one of the lists in @pids is there
 * @pids:	 set_ftrace_pid and set_ftrace_notrace_pid
 * @traced_pid:	 per CPU: the task that is to be traced there, FUNCTION_PID_NONE for none
 * @cpus:	 the CPUs of its buffer, for who records
 * @limits:	 of the graph tracer, see set_graph_function.h
 * @graph:	 the graph tracer's
 * @latency:	 what a latency tracer has of calls, if @ops is its
 * @tracer_data: the function tracer's, per CPU
 * @profile:	 the profiler's, NULL if it was never on; profile_mutex
 */
struct trace_function {
	struct ftrace_ops		ops;
	struct trace_array		*tr;
	struct rb_cpu __percpu		*cpus;		/* of its buffer */
	struct list_head		list;
	struct list_head		wait_filter;
	struct list_head		wait_notrace;
	struct list_head		probes;
	bool				has_pids;
	struct graph_limits		limits;
	struct trace_pid_filter		pids;
	int __percpu			*traced_pid;
	void				*graph;
	void				*latency;
	void __percpu			*tracer_data;
	struct function_profile		*profile;
};

static inline struct trace_function *trace_function_of(const struct trace_array *tr)
{
	return tr->room[ROOM_FUNCTION];
}

extern struct trace_function ftrace_global;
extern struct list_head ftrace_instances;

extern const struct instance_feature function_feature;	/* filters, lists, commands */
extern const struct instance_feature function_pid_feature;

void function_early_init(void);

#define FUNCTION_PID_NONE	(-1)

/*
 * May the task on this CPU be traced? Between the look at the lists, when a CPU is about to
 * switch, and the switch itself it runs as the one before. Preemption off, any context.
 */
static __always_inline bool function_pid_ok(const struct trace_function *fn)
{
	return likely(!fn->has_pids) || raw_cpu_read(*fn->traced_pid) == current->pid;
}

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

#endif /* CONFIG_FUNCTION_TRACER */

#endif /* _KERNEL_TRACE_FUNCTION_INSTANCES_H */
