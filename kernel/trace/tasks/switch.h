/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tracing wants to know of a context switch, see switch.c: names of tasks for the trace,
 * whether an instance's lists of pids leave a task out, and the event sched_switch itself.
 * Task context, may sleep, unless it says otherwise.
 */
#ifndef _KERNEL_TRACE_TASKS_SWITCH_H
#define _KERNEL_TRACE_TASKS_SWITCH_H

#include <linux/types.h>

struct task_struct;
struct trace_array;
struct trace_pid_list;

/* what a probe of sched_switch looks like */
typedef void (*switch_probe_t)(void *data, bool preempt, struct task_struct *prev,
			       struct task_struct *next, unsigned int prev_state);

/*
 * Call @probe with @data at each switch whose two tasks are not both left out by the lists of
 * @tr. 0 or -ENOMEM. To stop never fails; then tracepoint_synchronize_unregister() waits until
 * nobody is in the probe.
 */
int trace_switch_add(struct trace_array *tr, switch_probe_t probe, void *data);
void trace_switch_remove(struct trace_array *tr, switch_probe_t probe, void *data);

/*
 * Instead of calling @probe for each of @nr targets that were added with it, it may be called once,
 * with @data, where no instance has lists of pids and there are no other targets. This is said
 * behind the last trace_switch_add() and, with @nr less by one or 0, in front of a
 * trace_switch_remove(). Somebody may still be at what @data was.
 */
void trace_switch_join(switch_probe_t probe, void *data, unsigned int nr);

/*
 * The lists of @tr are these two now, NULL for none. 0 or -ENOMEM; without any it never fails.
 * From the first one on trace_array_cpu::ignore_pid says for the task that runs whether it is
 * left out; what it says at that moment is up to the caller. After a grace period the former
 * lists are not used any more.
 */
int trace_switch_pids(struct trace_array *tr, struct trace_pid_list *traced,
		      struct trace_pid_list *not_traced);

/* Any context, preemption off: does an instance with these lists leave @task out? */
bool trace_task_left_out(const struct trace_pid_list *traced,
			 const struct trace_pid_list *not_traced, const struct task_struct *task);

/* saved_cmdlines.c has another table; after a grace period the former is not used any more. */
void trace_switch_update(void);

/* TRACE_RECORD_CMDLINE, TRACE_RECORD_TGID: what is wanted of tasks now. Any context. */
int trace_switch_recorded(void);

/* Remember the tasks that run now and have recorded something since they were switched in. */
void trace_switch_record_running(void);

/*
 * The functions that may lie between the tracepoint and a probe that was added here, for who
 * records stacks. Any context.
 */
#define TRACE_SWITCH_FUNCTIONS	4
void trace_switch_functions(void *functions[TRACE_SWITCH_FUNCTIONS]);

#if IS_ENABLED(CONFIG_KUNIT)
void *trace_switch_alloc(size_t size);
bool trace_switch_asks(struct trace_array *tr);
const void *trace_switch_data(void);
#endif

#endif /* _KERNEL_TRACE_TASKS_SWITCH_H */
