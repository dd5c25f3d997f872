// SPDX-License-Identifier: GPL-2.0-only
/*
 * What counts as time of a function: that in which its task sleeps or not, and that of what it
 * calls. The options sleep-time and graph-time.
 */
#include <linux/ftrace.h>
#include <linux/mm_types.h>
#include <linux/trace_clock.h>

#include <trace/events/sched.h>

#include "graph.h"
#include "internal.h"

/* time in which tasks sleep counts; sleep_on_switch() runs otherwise. graph_mutex */
static bool sleep_counts = true;
static u64 sleep_since;		/* when that began, trace_clock_local() */
bool fgraph_graph_time = true;

/*
 * Time that a task is off its CPU does not count for the functions it is in: their beginnings
 * move, but not beyond now. Who was off already when this began to be looked at, is so since then.
 *
 * A task may have left without this: before it was looked at, or on a CPU that goes down. Then it
 * has entered functions since it was last seen, and those begin now.
 */
static void sleep_on_switch(void *data, bool preempt, struct task_struct *prev,
			    struct task_struct *next, unsigned int prev_state)
{
	struct graph_stack *stack = task_stack(next);
	u64 now = trace_clock_local();
	u64 from = max(next->ftrace_timestamp, READ_ONCE(sleep_since));
	int i;

	prev->ftrace_timestamp = now;
	next->ftrace_timestamp = now;
	/* the clocks of two CPUs may differ a little */
	if (!stack || now <= from)
		return;
	for (i = 0; i < next->curr_ret_stack; i++) {
		u64 *calltime = &stack->frames[i].calltime;

		*calltime += now - clamp(*calltime, from, now);
	}
}

static int sleep_watch(void)
{
	WRITE_ONCE(sleep_since, trace_clock_local());
	return register_trace_sched_switch(sleep_on_switch, NULL);
}

int graph_time_begin(void)
{
	return sleep_counts ? 0 : sleep_watch();
}

void graph_time_end(void)
{
	if (!sleep_counts)
		unregister_trace_sched_switch(sleep_on_switch, NULL);
}

int graph_set_sleep_time(bool counts)
{
	int ret = 0;

	guard(mutex)(&graph_mutex);
	if (counts == sleep_counts)
		return 0;
	if (graph_nr_users && counts)
		unregister_trace_sched_switch(sleep_on_switch, NULL);
	else if (graph_nr_users)
		ret = sleep_watch();
	if (!ret)
		sleep_counts = counts;
	return ret;
}
