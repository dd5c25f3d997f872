// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_event_pid and set_event_notrace_pid: which tasks an instance records
 * events of, and the option event-fork, with which children follow.
 *
 * The lists are asked when a CPU switches tasks, not when an event comes: the
 * answer waits in the instance's per CPU ignore_pid (tasks/switch.c), and event files carry
 * EVENT_FILE_FL_PID_FILTER for as long as a list is there. Two kinds of events are
 * about somebody else than the running task, and are recorded when either of the two is
 * followed; so is what they lead to, as synthetic events. The probe of sched_switch is called by
 * switch.c, if it is to be. Before the probes of the wakeups another one runs, while they are on,
 * and works out the answer for them, and one after them puts it back.
 */
#include <kunit/visibility.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/trace_events.h>

#include <trace/events/sched.h>

#include "../tasks/switch.h"
#include "../tasks/tasks.h"
#include "internal.h"

/* Under event_mutex. */
static struct trace_pid_list *pid_list_locked(struct trace_array *tr, enum pid_list_kind kind)
{
	return trace_pid_filter_list(&events_of(tr)->pids, kind);
}

static bool has_pid_lists(struct trace_array *tr)
{
	return pid_list_locked(tr, PIDS_TRACED) || pid_list_locked(tr, PIDS_NOT_TRACED);
}

/* --- in the probes: any context, preemption off */

static bool task_ignored(struct trace_array *tr, struct task_struct *task)
{
	return trace_pid_filter_ignores(&events_of(tr)->pids, task);
}

static void before_wakeup(void *data, struct task_struct *task)
{
	struct trace_array *tr = data;
	struct trace_array_cpu *cpu = raw_cpu_ptr(tr->array_buffer.data);

	cpu->wakes_followed = cpu->ignore_pid && !task_ignored(tr, task);
	if (cpu->wakes_followed)
		cpu->ignore_pid = false;
}

/*
 * Interrupts are off, but for who wakes itself, of whom both answers are the same, unless a list
 * has changed, see look_at(): nothing is to be put back, and an interrupt that wakes somebody in
 * between has put its own back.
 */
static void after_wakeup(void *data, struct task_struct *task)
{
	struct trace_array *tr = data;
	struct trace_array_cpu *cpu = raw_cpu_ptr(tr->array_buffer.data);

	if (cpu->wakes_followed)
		cpu->ignore_pid = true;
	cpu->wakes_followed = false;
}

/* --- the wakeups: probes around that of the event, while both the event and a list are there */

#define PRIO_BEFORE	INT_MAX
#define PRIO_AFTER	(INT_MIN + 1)	/* INT_MIN is of those that went, see tracepoint.c */

static struct tracepoint *const wakeups[] = {
	&__tracepoint_sched_wakeup,
	&__tracepoint_sched_wakeup_new,
	&__tracepoint_sched_waking,
};

/* NULL for an event without one. */
static struct tracepoint *tracepoint_of(const struct trace_event_call *call)
{
	return call->flags & TRACE_EVENT_FL_TRACEPOINT ? call->tp : NULL;
}

/* Does the event hang on sched_switch? */
bool event_is_of_switch(const struct trace_event_call *call)
{
	return tracepoint_of(call) == &__tracepoint_sched_switch;
}

static bool is_wakeup(const struct tracepoint *tp)
{
	for (int i = 0; i < ARRAY_SIZE(wakeups); i++)
		if (wakeups[i] == tp)
			return true;
	return false;
}

static bool wakeup_is_on(struct trace_array *tr, const struct tracepoint *tp)
{
	struct trace_event_file *file;

	for_each_event_file(file, tr)
		if (file->flags & EVENT_FILE_FL_ENABLED && tracepoint_of(file->event_call) == tp)
			return true;
	return false;
}

/* A probe that is not registered is no error. */
static void wakeup_forget(struct trace_array *tr, struct tracepoint *tp)
{
	tracepoint_probe_unregister(tp, before_wakeup, tr);
	tracepoint_probe_unregister(tp, after_wakeup, tr);
}

static int wakeup_watch(struct trace_array *tr, struct tracepoint *tp)
{
	int ret;

	/* the table above knows no types */
	check_trace_callback_type_sched_wakeup(before_wakeup);
	check_trace_callback_type_sched_wakeup(after_wakeup);
	/*
	 * Both or none are there already. The one that puts back is there whenever the other one
	 * is: it comes first, and leaves last.
	 */
	ret = tracepoint_probe_register_prio_may_exist(tp, after_wakeup, tr, PRIO_AFTER);
	if (ret)
		return ret == -EEXIST ? 0 : ret;
	ret = tracepoint_probe_register_prio_may_exist(tp, before_wakeup, tr, PRIO_BEFORE);
	if (ret)
		wakeup_forget(tr, tp);
	return ret;
}

static void wakeups_forget(struct trace_array *tr)
{
	for (int i = 0; i < ARRAY_SIZE(wakeups); i++)
		wakeup_forget(tr, wakeups[i]);
}

static int wakeups_watch(struct trace_array *tr)
{
	int ret = 0;

	for (int i = 0; i < ARRAY_SIZE(wakeups) && !ret; i++)
		if (wakeup_is_on(tr, wakeups[i]))
			ret = wakeup_watch(tr, wakeups[i]);
	if (ret)
		wakeups_forget(tr);
	return ret;
}

/* --- what the files know */

static void file_set_pids(struct trace_event_file *file, bool filter)
{
	if (filter && !event_is_of_switch(file->event_call))
		set_bit(EVENT_FILE_FL_PID_FILTER_BIT, &file->flags);
	else
		clear_bit(EVENT_FILE_FL_PID_FILTER_BIT, &file->flags);
}

int event_pids_start(struct trace_event_file *file)
{
	struct trace_array_cpu __percpu *cpu = file->tr->array_buffer.data;
	struct tracepoint *tp = tracepoint_of(file->event_call);
	bool filter = has_pid_lists(file->tr);

	/* The probe finds it as it finds the file, whenever it sees the flag. */
	file->ignored = &cpu->ignore_pid;
	file_set_pids(file, filter);
	return filter && is_wakeup(tp) ? wakeup_watch(file->tr, tp) : 0;
}

void event_pids_stop(struct trace_event_file *file)
{
	struct tracepoint *tp = tracepoint_of(file->event_call);

	if (is_wakeup(tp) && has_pid_lists(file->tr) && !wakeup_is_on(file->tr, tp))
		wakeup_forget(file->tr, tp);
}

static void set_all_files(struct trace_array *tr, bool filter)
{
	struct trace_event_file *file;

	for_each_event_file(file, tr)
		file_set_pids(file, filter);
}

static void look_at(void *data, int cpu, struct task_struct *task)
{
	struct trace_array *tr = data;
	struct trace_array_cpu *tc = per_cpu_ptr(tr->array_buffer.data, cpu);

	tc->ignore_pid = task_ignored(tr, task);
	/* between the probes of who wakes itself: what was before is not to be put back */
	tc->wakes_followed = false;
}

static void look_at_all(struct trace_array *tr)
{
	trace_pids_see_all(look_at, tr);
}

/**
 * event_pids_replace - put a list of pids in the place of another
 * @tr: the instance
 * @kind: which one
 * @list: belongs to the instance from now on; NULL for none, which never fails
 *
 * Context: task, event_mutex; waits for RCU.
 * Return: 0; or an error, and all is as it was.
 */
VISIBLE_IF_KUNIT int event_pids_replace(struct trace_array *tr, enum pid_list_kind kind,
					struct trace_pid_list *list)
{
	struct trace_pid_list *old = pid_list_locked(tr, kind);
	struct trace_pid_list *traced, *not_traced;
	bool had = has_pid_lists(tr);
	int ret = 0;

	if (!had && list)
		ret = wakeups_watch(tr);
	if (ret)
		return ret;

	rcu_assign_pointer(events_of(tr)->pids.lists[kind], list);
	traced = pid_list_locked(tr, PIDS_TRACED);
	not_traced = pid_list_locked(tr, PIDS_NOT_TRACED);
	if (!traced && !not_traced) {
		set_all_files(tr, false);
		wakeups_forget(tr);
	}
	/* for the first switch that asks */
	look_at_all(tr);
	ret = trace_switch_pids(tr, traced, not_traced);
	if (ret) {
		/* there was none */
		rcu_assign_pointer(events_of(tr)->pids.lists[kind], NULL);
		wakeups_forget(tr);
		/* the probe that follows forks may have seen it */
		tracepoint_synchronize_unregister();
		return ret;
	}

	/* probes that still use the old list */
	if (had)
		tracepoint_synchronize_unregister();
	trace_pid_list_free(old);

	/* who was switched to before that looked at the new one */
	look_at_all(tr);
	if (traced || not_traced)
		set_all_files(tr, true);
	return 0;
}

/* --- the files, and the option event-fork */

static struct trace_pid_filter *pids_of(struct trace_array *tr)
{
	return &events_of(tr)->pids;
}

static const struct trace_pid_user event_pids = {
	.locs		= {
		[PIDS_TRACED]		= "event: set_event_pid",
		[PIDS_NOT_TRACED]	= "event: set_event_notrace_pid",
	},
	.flag		= TRACE_ITER_EVENT_FORK,
	.filter		= pids_of,
	.ready		= tracing_update_buffers,
	.replace	= event_pids_replace,
	.grown		= look_at_all,
};

TRACE_PID_FEATURE(event_pid_feature, "event pids", event_pids, "set_event_pid",
		  "set_event_notrace_pid");
