// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instances that run osnoise or timerlat: all of them are told of everything that is measured,
 * which is done once, from when the first of them chooses the tracer until the last one chooses
 * another, or has tracing_on set to 0.
 */
#include <linux/cleanup.h>
#include <linux/panic.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "../../grace.h"
#include "../../instance/instance.h"
#include "../../record/write.h"
#include "../../tasks/tasks.h"
#include "account.h"
#include "crew.h"
#include "entries.h"
#include "internal.h"
#include "longest.h"

/**
 * struct noise_recorder - an instance that runs one of the tracers
 * @tr: instance
 * @chosen: in the list of all
 * @list: in the list of those that are told; what they record of it tracing_on decides
 * @on: it is in there
 */
struct noise_recorder {
	struct trace_array	*tr;
	struct list_head	chosen;
	struct list_head	list;
	bool			on;
};

/* trace_types_lock; recorders are read with preemption off */
static LIST_HEAD(chosen);
static LIST_HEAD(recorders);
static const struct noise_kind *kind;	/* what they run; NULL: there are none */
static bool working;

static bool tainted;

#define for_each_recorder(r)	\
	list_for_each_entry_rcu(r, &recorders, list, rcu_read_lock_any_held())

/* --- what happens; any context */

/**
 * noise_recording - does anybody see what is measured?
 *
 * Context: any. Return: true if an instance has tracing_on set.
 */
bool noise_recording(void)
{
	struct noise_recorder *r;

	guard(preempt_notrace)();
	for_each_recorder(r) {
		if (tracer_tracing_is_on(r->tr))
			return true;
	}
	return false;
}

/* Does any instance run @what, recording or not? Any context. */
bool noise_is_chosen(const struct noise_kind *what)
{
	return READ_ONCE(kind) == what;
}

bool noise_is_tainted(void)
{
	return READ_ONCE(tainted);
}

/* A line in all of them, from @ip. */
static void tell(unsigned long ip, const char *text)
{
	struct noise_recorder *r;

	for_each_recorder(r)
		__trace_array_puts(r->tr, ip, text, strlen(text));
}

/**
 * noise_taint - what was measured may be wrong
 * @why: told in the trace
 *
 * Context: any.
 */
void noise_taint(const char *why)
{
	guard(preempt_notrace)();
	tell(_THIS_IP_, why);
	WRITE_ONCE(tainted, true);
}

/* All of them record no more. Preemption is off. */
static void stop_all(void)
{
	struct noise_recorder *r;

	for_each_recorder(r)
		tracer_tracing_off(r->tr);
}

/**
 * osnoise_stop_tracing - what a user waited for has happened: record no more
 *
 * The name is seen in the trace. Context: any.
 */
void osnoise_stop_tracing(void)
{
	char text[48];

	guard(preempt_notrace)();
	/* it has stopped, or has not begun yet */
	if (!noise_recording())
		return;
	snprintf(text, sizeof(text), "stop tracing hit on cpu %d\n", smp_processor_id());
	tell(_THIS_IP_, text);
	if (noise_option(NOISE_OPT_PANIC))
		panic("tracer hit stop condition on CPU %d\n", smp_processor_id());
	stop_all();
}

/**
 * osnoise_stop_exception - what is measured is wrong from now on: record no more
 * @why: told in the trace
 *
 * The name is seen in the trace. Context: any.
 */
void osnoise_stop_exception(const char *why)
{
	char text[96];

	guard(preempt_notrace)();
	if (!noise_recording())
		return;
	snprintf(text, sizeof(text), "stop tracing hit on cpu %d due to exception: %s\n",
		 smp_processor_id(), why);
	tell(_THIS_IP_, text);
	if (noise_option(NOISE_OPT_PANIC))
		panic("tracer hit on cpu %d due to exception: %s\n", smp_processor_id(), why);
	stop_all();
}

/* Room for an entry about @ns in @r; NULL if there is none, or if it does not record. */
static __always_inline void *reserve(struct noise_recorder *r, int type, size_t size,
				     unsigned int trace_ctx, u64 ns,
				     struct ring_buffer_slot *slot)
{
	if (!tracer_tracing_is_on(r->tr))
		return NULL;
	noise_longest(r->tr, ns);
	return trace_slot_reserve(r->tr->array_buffer.buffer, type, size, trace_ctx, slot);
}

/**
 * noise_record_run - record what a run of osnoise has seen
 * @run: all but its head is filled in
 *
 * Context: task.
 */
void noise_record_run(const struct osnoise_entry *run)
{
	struct ring_buffer_slot slot __uninitialized;
	unsigned int trace_ctx = tracing_gen_ctx();
	struct osnoise_entry *entry;
	struct noise_recorder *r;

	guard(preempt_notrace)();
	for_each_recorder(r) {
		entry = reserve(r, TRACE_OSNOISE, sizeof(*entry), trace_ctx,
				run->max_sample * NSEC_PER_USEC, &slot);
		if (!entry)
			continue;
		noise_entry_fill(entry, run, sizeof(*entry));
		ring_buffer_slot_commit(&slot);
	}
}

/**
 * noise_record_latency - record how late timerlat is somewhere
 * @seqnum: which timer
 * @context: enum timerlat_context
 * @ns: how late
 *
 * Context: any.
 */
void noise_record_latency(unsigned int seqnum, int context, u64 ns)
{
	struct ring_buffer_slot slot __uninitialized;
	unsigned int trace_ctx = tracing_gen_ctx();
	struct timerlat_entry *entry;
	struct noise_recorder *r;

	guard(preempt_notrace)();
	for_each_recorder(r) {
		entry = reserve(r, TRACE_TIMERLAT, sizeof(*entry), trace_ctx, ns, &slot);
		if (!entry)
			continue;
		entry->seqnum = seqnum;
		entry->context = context;
		entry->timer_latency = ns;
		ring_buffer_slot_commit(&slot);
	}
}

/**
 * noise_record_stack - record a stack that was taken before
 * @frames: the stack
 * @nr: how many frames it has
 *
 * Context: any.
 */
void noise_record_stack(const unsigned long *frames, unsigned int nr)
{
	struct ring_buffer_slot slot __uninitialized;
	unsigned int trace_ctx = tracing_gen_ctx();
	struct stack_entry *entry;
	struct noise_recorder *r;

	guard(preempt_notrace)();
	for_each_recorder(r) {
		entry = trace_slot_reserve(r->tr->array_buffer.buffer, TRACE_STACK,
					   struct_size(entry, caller, nr), trace_ctx, &slot);
		if (!entry)
			continue;
		entry->size = nr;
		memcpy(entry->caller, frames, flex_array_size(entry, caller, nr));
		ring_buffer_slot_commit(&slot);
	}
}

/* --- on and off; trace_types_lock held */

/* 0 or an error, and nothing runs. */
static int crew_begins(void)
{
	if (kind->begins)
		kind->begins();
	return noise_crew_start(noise_option(NOISE_OPT_WORKLOAD) ? kind->crew : kind->watchers,
				&noise_cpus);
}

static void crew_ends(const struct noise_kind *of)
{
	noise_crew_stop(of->crew);
	noise_crew_stop(of->watchers);
	if (of->ended)
		of->ended();
}

static int work_begin(void)
{
	int ret = noise_account_start();

	if (ret)
		return ret;
	WRITE_ONCE(tainted, false);
	ret = crew_begins();
	if (ret)
		noise_account_stop();
	else
		working = true;
	return ret;
}

static void work_end(void)
{
	if (!working)
		return;
	working = false;
	crew_ends(kind);
	noise_account_stop();
}

static struct noise_recorder *recorder_of(const struct trace_array *tr)
{
	struct noise_recorder *r;

	list_for_each_entry(r, &chosen, chosen) {
		if (r->tr == tr)
			return r;
	}
	return NULL;
}

static void recorder_off(struct noise_recorder *r)
{
	if (!r->on)
		return;
	r->on = false;
	list_del_rcu(&r->list);
	if (list_empty(&recorders))
		work_end();
	/* nobody writes to it any more */
	trace_synchronize_rcu();
}

static int recorder_on(struct noise_recorder *r)
{
	int ret;

	if (r->on)
		return 0;
	list_add_rcu(&r->list, &recorders);
	r->on = true;
	ret = working ? 0 : work_begin();
	if (ret)
		recorder_off(r);
	return ret;
}

/**
 * noise_tracer_init - an instance chooses osnoise or timerlat
 * @tr: instance
 * @what: which of the two
 *
 * The threads are there from now on, whether anything is recorded or not: rtla gives them their
 * priority and their cgroup, and lets it record then.
 *
 * Context: task, trace_types_lock.
 * Return: 0; -EBUSY if the other one runs; or why it cannot be started.
 */
int noise_tracer_init(struct trace_array *tr, const struct noise_kind *what)
{
	struct noise_recorder *r;
	int ret;

	if (kind && kind != what)
		return -EBUSY;
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	r->tr = tr;
	WRITE_ONCE(tr->max_latency, 0);
	list_add(&r->chosen, &chosen);
	WRITE_ONCE(kind, what);
	tracing_start_cmdline_record(tr);
	ret = recorder_on(r);
	if (ret)
		noise_tracer_reset(tr);
	return ret;
}

/* It chooses another tracer. */
void noise_tracer_reset(struct trace_array *tr)
{
	struct noise_recorder *r = recorder_of(tr);

	if (!r)
		return;
	recorder_off(r);
	tracing_stop_cmdline_record(tr);
	list_del(&r->chosen);
	kfree(r);
	if (list_empty(&chosen)) {
		const struct noise_kind *last = kind;

		/* before those that are here already are sent away: nobody comes any more */
		WRITE_ONCE(kind, NULL);
		/* user space may wait without anything being recorded */
		crew_ends(last);
	}
}

/* tracer.start: tracing_on of the instance was set to 1. */
void noise_tracer_start(struct trace_array *tr)
{
	struct noise_recorder *r = recorder_of(tr);

	if (!r)
		return;
	/* without a workload, if this fails; the file has no way to say so */
	if (recorder_on(r))
		pr_warn("tracing: osnoise and timerlat cannot run\n");
	else	/* a thread of before has nothing to do for as long as a period */
		noise_crew_wake(kind->crew);
}

/* tracer.stop: tracing_on of the instance was set to 0. */
void noise_tracer_stop(struct trace_array *tr)
{
	struct noise_recorder *r = recorder_of(tr);

	if (r)
		recorder_off(r);
}

/**
 * noise_workload_restart - there are to be threads, or not any more
 *
 * Context: task, trace_types_lock.
 * Return: 0, or an error, and nothing is measured until it is called again without
 * NOISE_OPT_WORKLOAD, which does not fail.
 */
int noise_workload_restart(void)
{
	/* threads of user space may be there already */
	if (kind)
		crew_ends(kind);
	return working ? crew_begins() : 0;
}

/**
 * noise_workload_move - other CPUs are to be measured
 * @cpus: which
 *
 * Context: task, trace_types_lock.
 * Return: 0, or an error, and the same ones are.
 */
int noise_workload_move(const struct cpumask *cpus)
{
	if (!working)
		return 0;
	return noise_crew_move(kind->crew, cpus) ?: noise_crew_move(kind->watchers, cpus);
}
