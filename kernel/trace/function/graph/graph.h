/* SPDX-License-Identifier: GPL-2.0-only */
/* What the graph core tells its users in this directory, and the graph tracer. */
#ifndef _KERNEL_TRACE_FUNCTION_GRAPH_H
#define _KERNEL_TRACE_FUNCTION_GRAPH_H

#include <linux/ftrace.h>
#include <linux/sched.h>
#include <linux/types.h>

#define FGRAPH_USERS	16

/**
 * struct graph_stack - shadow stack of a task
 * @data:	lowest word in use of the data at the end of the page
 * @entering:	ops of the site whose entry runs, for architectures that cannot pass it on
 * @var:	a word for each user, fgraph_get_task_var()
 * @frames:	hooked calls; task_struct::curr_ret_stack of them
 */
struct graph_stack {
	unsigned long		*data;
	struct ftrace_ops	*entering;
	unsigned long		var[FGRAPH_USERS];
	struct ftrace_ret_stack	frames[];
};

/**
 * struct graph_call - what an entryfunc is told, and some more for those in here
 * @ent:	its argument
 * @pc:		preempt_count() of the function
 * @time:	when it was entered, trace_clock_local()
 */
struct graph_call {
	struct ftrace_graph_ent	ent;
	unsigned int		pc;
	u64			time;
};

static __always_inline struct graph_call *graph_call_of(struct ftrace_graph_ent *ent)
{
	return container_of(ent, struct graph_call, ent);
}

/* fgraph_get_task_var(), inline; from the callbacks of @gops */
static __always_inline unsigned long *graph_task_var(const struct fgraph_ops *gops)
{
	return &((struct graph_stack *)current->ret_stack)->var[gops->idx];
}

/* Where the youngest call of the current task returns to; from the callbacks, 0 if not known. */
unsigned long graph_return_address(void);

/*
 * Does a call's time count while its task sleeps (option sleep-time; yes at first)? Task context,
 * sleeps. 0 or -ENOMEM, only for no.
 */
int graph_set_sleep_time(bool counts);
/* true: a function's time has that of those it calls in it (option graph-time, profiler) */
extern bool fgraph_graph_time;

#endif /* _KERNEL_TRACE_FUNCTION_GRAPH_H */
