// SPDX-License-Identifier: GPL-2.0-only
/*
 * For which instances names of tasks, and processes of threads, are recorded. The probe of
 * switch.c asks their buffers whether anything was written.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/trace_events.h>

#include "../instance/instance.h"
#include "../ring_buffer/fast.h"
#include "recorders.h"
#include "switch.h"
#include "tasks.h"

struct recorders switch_recorders;
int trace_cmdline_users, trace_tgid_users;

/* The only instance that names are recorded for, or NULL. */
struct rb_cpu __percpu *switch_only_recorder(void)
{
	struct rb_cpu __percpu *only = NULL;

	if (switch_recorders.others)
		return NULL;
	for (int i = 0; i < RECORDERS; i++) {
		if (!switch_recorders.at[i].cpus)
			continue;
		if (only)
			return NULL;
		only = switch_recorders.at[i].cpus;
	}
	return only;
}

/*
 * The place of @tr; of a NULL @tr, a free one. Return: NULL if there is none; users of a @tr
 * without a place are counted in switch_recorders.others.
 */
static struct recorder *recorder_find(struct trace_array *tr)
{
	for (int i = 0; i < RECORDERS; i++) {
		struct recorder *r = &switch_recorders.at[i];

		if (tr ? r->cpus && r->tr == tr : !r->cpus)
			return r;
	}
	return NULL;
}

static void recorder_add(struct trace_array *tr)
{
	struct recorder *r = recorder_find(tr);

	if (r) {
		r->users++;
		return;
	}
	r = recorder_find(NULL);
	if (!r) {
		WRITE_ONCE(switch_recorders.others, switch_recorders.others + 1);
		return;
	}
	r->tr = tr;
	r->users = 1;
	WRITE_ONCE(r->cpus, ring_buffer_cpus(tr->array_buffer.buffer));
}

static void recorder_remove(struct trace_array *tr)
{
	struct recorder *r = recorder_find(tr);

	if (!r)
		WRITE_ONCE(switch_recorders.others, switch_recorders.others - 1);
	else if (!--r->users)
		WRITE_ONCE(r->cpus, NULL);
}

/* May nobody look at what is recorded in @tr when one of its users goes? */
static bool recorder_is_last(struct trace_array *tr)
{
	const struct recorder *r = recorder_find(tr);

	/* while there are others everybody's names are remembered when he leaves */
	return (r ? r->users : switch_recorders.others) == 1;
}

static int *users_of(int what)
{
	return what == TRACE_RECORD_TGID ? &trace_tgid_users : &trace_cmdline_users;
}

static void record_start(struct trace_array *tr, int what)
{
	guard(mutex)(&trace_switch_mutex);
	if (switch_probe_on())
		pr_warn("tracing: names of tasks can not be recorded\n");
	recorder_add(tr);
	WRITE_ONCE(*users_of(what), *users_of(what) + 1);
	switch_plan_update();
}

/* Who runs now, when names are not recorded any more once it leaves. */
static void remember_current(void *unused)
{
	tracing_record_taskinfo(current, trace_switch_recorded());
}

static void remember_current_if_recorded(void *unused)
{
	if (switch_recorded_here())
		tracing_record_taskinfo(current, trace_switch_recorded());
}

/*
 * Probes of the events are off by now, but one may still be under way: in who runs now, or in who
 * has left since, and was remembered when he did. So those who run now are all that is missing.
 */
static void record_stop(struct trace_array *tr, int what)
{
	guard(mutex)(&trace_switch_mutex);
	if (WARN_ON(!*users_of(what)))
		return;
	if (*users_of(what) == 1 || recorder_is_last(tr))
		on_each_cpu(remember_current, NULL, 1);
	WRITE_ONCE(*users_of(what), *users_of(what) - 1);
	recorder_remove(tr);
	switch_plan_update();
}

/**
 * tracing_start_cmdline_record - names of tasks are wanted for an instance's records
 * @tr: the instance
 *
 * Before the first of these records. Calls nest. Context: task.
 */
void tracing_start_cmdline_record(struct trace_array *tr)
{
	record_start(tr, TRACE_RECORD_CMDLINE);
}

/**
 * tracing_stop_cmdline_record - undo one tracing_start_cmdline_record()
 * @tr: the instance
 *
 * Once nobody begins to record any more; who has begun may go on. Context: task.
 */
void tracing_stop_cmdline_record(struct trace_array *tr)
{
	record_stop(tr, TRACE_RECORD_CMDLINE);
}

/**
 * tracing_start_tgid_record - processes of threads are wanted for an instance's records
 * @tr: the instance
 *
 * Calls nest; trace_alloc_tgid_map() comes before the first. Context: task.
 */
void tracing_start_tgid_record(struct trace_array *tr)
{
	record_start(tr, TRACE_RECORD_TGID);
}

/**
 * tracing_stop_tgid_record - undo one tracing_start_tgid_record()
 * @tr: the instance
 */
void tracing_stop_tgid_record(struct trace_array *tr)
{
	record_stop(tr, TRACE_RECORD_TGID);
}

/* switch_recorded_here() as seen from elsewhere: a CPU that has nothing to tell is left alone. */
static bool recorded_on(int cpu, void *unused)
{
	bool written = READ_ONCE(switch_recorders.others);

	for (int i = 0; i < RECORDERS && !written; i++) {
		struct rb_cpu __percpu *cpus = READ_ONCE(switch_recorders.at[i].cpus);

		written = cpus && ring_buffer_written_on(cpus, cpu);
	}
	return written;
}

void trace_switch_record_running(void)
{
	if (trace_switch_recorded())
		on_each_cpu_cond(recorded_on, remember_current_if_recorded, NULL, 1);
}
