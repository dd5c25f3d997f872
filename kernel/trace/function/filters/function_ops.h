/* SPDX-License-Identifier: GPL-2.0-only */
/* What tracers have of the functions, pids and limits that are set for an instance. */
#ifndef _KERNEL_TRACE_FUNCTION_OPS_H
#define _KERNEL_TRACE_FUNCTION_OPS_H

#ifdef CONFIG_FUNCTION_TRACER
#include <linux/ftrace.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "../../instance/instance.h"
#include "set_graph_function.h"

struct rb_cpu;

/**
 * struct function_ops - the ops of an instance, with what a callback asks at each call
 * @ops:	the function tracer registers it, and writes what is for the user of an ops to
 *		write; trace_types_lock. Its hashes are set_ftrace_filter and set_ftrace_notrace,
 *		written by this room under ftrace_lock. Other tracers' ops obey them by having
 *		&ops.local_hash for their func_hash.
 * @tr:		the instance; set when that is made, and so is @cpus
 * @cpus:	the CPUs of its buffer, for who records
 * @traced_pid:	per CPU: the task that is to be traced there, FUNCTION_PID_NONE for none.
 *		Written by set_ftrace_pid.c: on that CPU at each switch while there are lists, and
 *		by who changes them
 * @has_pids:	there is a list of pids; written by set_ftrace_pid.c under event_mutex
 * @limits:	of the graph tracers, see there
 *
 * In memory that stays while a tracer runs in @tr, and in the top instance always. What else this
 * room keeps of an instance no other room sees.
 */
struct function_ops {
	struct ftrace_ops		ops;
	struct trace_array		*tr;
	struct rb_cpu __percpu		*cpus;
	int __percpu			*traced_pid;
	bool				has_pids;
	struct graph_limits		limits;
};

static inline struct function_ops *function_ops_of(const struct trace_array *tr)
{
	return tr->room[ROOM_FUNCTION];
}

#define FUNCTION_PID_NONE	(-1)

/*
 * May the task on this CPU be traced? Between the look at the lists, when a CPU is about to
 * switch, and the switch itself it runs as the one before. Preemption off, any context.
 */
static __always_inline bool function_pid_ok(const struct function_ops *fn)
{
	return likely(!fn->has_pids) || raw_cpu_read(*fn->traced_pid) == current->pid;
}

#endif /* CONFIG_FUNCTION_TRACER */

#endif /* _KERNEL_TRACE_FUNCTION_OPS_H */
