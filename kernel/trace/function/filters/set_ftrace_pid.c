// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_ftrace_pid and set_ftrace_notrace_pid, and the option function-fork, with
 * which children follow their parents onto the lists.
 *
 * The lists are asked when a CPU switches tasks; a traced call only compares its task with
 * its CPU's answer, function_ops.traced_pid, and only if there are lists.
 */
#include <linux/trace_events.h>

#include <trace/events/sched.h>

#include "../../tasks/tasks.h"
#include "instances.h"
#include "internal.h"

static int traced_pid_of(struct trace_function *fn, struct task_struct *task)
{
	return trace_pid_filter_ignores(&fn->pids, task) ? FUNCTION_PID_NONE : task->pid;
}

static void pids_on_switch(void *data, bool preempt, struct task_struct *prev,
			   struct task_struct *next, unsigned int prev_state)
{
	struct trace_function *fn = data;

	this_cpu_write(*fn->shared.traced_pid, traced_pid_of(fn, next));
}

static void task_seen(void *data, int cpu, struct task_struct *task)
{
	struct trace_function *fn = data;

	WRITE_ONCE(*per_cpu_ptr(fn->shared.traced_pid, cpu), traced_pid_of(fn, task));
}

static void pids_grown(struct trace_array *tr)
{
	trace_pids_see_all(task_seen, trace_function_of(tr));
}

/* Put @list, which may be NULL, in place; event_mutex. An error leaves all as it was. */
static int pids_replace(struct trace_array *tr, enum pid_list_kind kind,
			struct trace_pid_list *list)
{
	struct trace_function *fn = trace_function_of(tr);
	struct trace_pid_list *old = trace_pid_filter_list(&fn->pids, kind);
	bool had = fn->shared.has_pids;
	int ret;

	if (!had && list) {
		ret = register_trace_prio_sched_switch(pids_on_switch, fn, INT_MAX);
		if (ret)
			return ret;
	}
	rcu_assign_pointer(fn->pids.lists[kind], list);
	if (!trace_pid_filter_list(&fn->pids, PIDS_TRACED) &&
	    !trace_pid_filter_list(&fn->pids, PIDS_NOT_TRACED)) {
		WRITE_ONCE(fn->shared.has_pids, false);
		if (had)
			unregister_trace_sched_switch(pids_on_switch, fn);
	} else {
		pids_grown(tr);
		WRITE_ONCE(fn->shared.has_pids, true);
	}
	if (old) {
		tracepoint_synchronize_unregister();
		trace_pid_list_free(old);
	}
	return 0;
}

static struct trace_pid_filter *pids_of(struct trace_array *tr)
{
	return &trace_function_of(tr)->pids;
}

static const struct trace_pid_user function_pids = {
	.locs		= {
		[PIDS_TRACED]		= "ftrace: set_ftrace_pid",
		[PIDS_NOT_TRACED]	= "ftrace: set_ftrace_notrace_pid",
	},
	.none		= "no pid",
	.flag		= TRACE_ITER_FUNC_FORK,
	.filter		= pids_of,
	.replace	= pids_replace,
	.grown		= pids_grown,
};

TRACE_PID_FEATURE(function_pid_feature, "function pids", function_pids, "set_ftrace_pid",
		  "set_ftrace_notrace_pid");
