// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: a trace event that perf has open, through the kernel's own counters. */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <trace/events/sched.h>

#include "../tests/counter.h"
#include "../tests/suite.h"
#include "internal.h"

struct seen {
	int	type;
	int	records;
	int	strange;	/* not what was asked for */
};

static void overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct seen *seen = event->overflow_handler_context;
	struct trace_entry *entry = data->raw ? data->raw->frag.data : NULL;

	if (!entry || entry->type != seen->type || entry->pid != current->pid)
		seen->strange++;
	seen->records++;
}

static struct trace_event_call *switch_call(void)
{
	guard(mutex)(&event_mutex);
	return trace_event_find_call("sched", "sched_switch");
}

static struct perf_event *open_counter(int type, struct seen *seen)
{
	struct perf_event_attr attr = {
		.config = type,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
	};

	return test_counter(&attr, overflow, seen);
}

static void sleep_a_little(void)
{
	for (int i = 0; i < 5; i++)
		schedule_timeout_uninterruptible(1);
}

static void records(struct kunit *test)
{
	struct trace_event_call *call = switch_call();
	int users = call->perf_refcount;
	struct seen seen = { .type = call->event.type };
	struct perf_event *one, *two;
	struct seen seen_too = seen;
	int after;

	one = open_counter(seen.type, &seen);
	KUNIT_ASSERT_FALSE(test, IS_ERR(one));
	two = open_counter(seen.type, &seen_too);
	KUNIT_ASSERT_FALSE(test, IS_ERR(two));
	KUNIT_EXPECT_EQ(test, call->perf_refcount, users + 2);
	sleep_a_little();
	perf_event_release_kernel(two);
	KUNIT_EXPECT_GE(test, seen.records, 5);
	KUNIT_EXPECT_GE(test, seen_too.records, 5);
	KUNIT_EXPECT_EQ(test, seen.strange + seen_too.strange, 0);

	after = seen_too.records;
	sleep_a_little();
	KUNIT_EXPECT_GE(test, seen.records, 10);
	KUNIT_EXPECT_EQ(test, seen_too.records, after);
	perf_event_release_kernel(one);
	KUNIT_EXPECT_EQ(test, call->perf_refcount, users);
}

static void no_such_event(struct kunit *test)
{
	struct seen seen = {};
	struct perf_event *event = open_counter(TRACE_EVENT_TYPE_MAX, &seen);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -EINVAL);

	/* print: it has a format and a number, but nothing to register */
	event = open_counter(trace_event_find_call("ftrace", "print")->event.type, &seen);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -EINVAL);
}

static struct perf_event *open_switch(struct kunit *test, struct seen *seen)
{
	struct perf_event *event;

	*seen = (struct seen) { .type = switch_call()->event.type };
	event = open_counter(seen->type, seen);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event;
}

/* What a probe leaves of the last word of its record is nothing of the record before. */
static void padding(struct kunit *test)
{
	struct seen seen;
	struct perf_event *event = open_switch(test, &seen);

	preempt_disable();
	for (int size = 12; size <= 60; size += 8) {
		bool clean = false;
		void *record;
		int rctx;

		record = perf_trace_buf_alloc(size, NULL, &rctx);
		if (record) {
			memset(record, 0xff, size);
			perf_swevent_put_recursion_context(rctx);
			record = perf_trace_buf_alloc(size, NULL, &rctx);
		}
		if (record) {
			clean = !memchr_inv(record + size - sizeof(u64), 0, sizeof(u64));
			perf_swevent_put_recursion_context(rctx);
		}
		KUNIT_EXPECT_TRUE_MSG(test, clean, "%d bytes", size);
	}
	preempt_enable();
	perf_event_release_kernel(event);
}

/* How large a sample is: a whole number of words, with the u32 that says so. */
static void sizes(struct kunit *test)
{
	struct trace_event_call *call = switch_call();
	struct seen seen;
	struct perf_event *event = open_switch(test, &seen);

	preempt_disable();
	for (int size = 9; size <= 64; size++) {
		struct perf_trace_buffer pbuffer;
		char *record = perf_trace_buffer_begin(&pbuffer, call, size);
		bool clean = false;

		if (record) {
			int padding = pbuffer.size - size;

			clean = padding >= 0 && padding < sizeof(u64) &&
				(pbuffer.size + sizeof(u32)) % sizeof(u64) == 0 &&
				!memchr_inv(record + size, 0, padding) &&
				pbuffer.head == this_cpu_ptr(call->perf_events);
			memset(record, 0xff, pbuffer.size);
			perf_swevent_put_recursion_context(pbuffer.rctx);
		}
		KUNIT_EXPECT_TRUE_MSG(test, clean, "%d bytes", size);
	}
	preempt_enable();
	perf_event_release_kernel(event);
}

/* Custom events are made without what perf needs. */
static void custom_events_are_not_perfs(struct kunit *test)
{
	struct trace_event_class class = { .system = "kunit" };
	struct trace_event_call call = { .class = &class, .flags = TRACE_EVENT_FL_TRACEPOINT };

	KUNIT_EXPECT_EQ(test, trace_event_reg(&call, TRACE_REG_PERF_REGISTER, NULL), -ENODEV);
}

/* What @task does on @cpu, or anywhere if that is -1: for counting, not for samples. */
static struct perf_event *open_count(const char *name, int cpu, struct task_struct *task)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };

	scoped_guard(mutex, &event_mutex)
		attr.config = trace_event_find_call("sched", name)->event.type;
	return perf_event_create_kernel_counter(&attr, cpu, task, NULL, NULL);
}

static u64 close_count(struct perf_event *event)
{
	u64 enabled, running, count = perf_event_read_value(event, &enabled, &running);

	perf_event_release_kernel(event);
	return count;
}

/* __perf_count(): as much as the event says, beside what the scheduler itself has it say. */
static void counts_what_it_says(struct kunit *test)
{
	static const u64 long_time = 1ULL << 40;
	struct perf_event *event = open_count("sched_stat_runtime", -1, current);
	u64 count;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	for (int i = 1; i <= 3; i++)
		trace_sched_stat_runtime(current, i * long_time);
	count = close_count(event);
	KUNIT_EXPECT_GE(test, count, 6 * long_time);
	KUNIT_EXPECT_LT(test, count, 7 * long_time);
}

static int end_at_once(void *unused)
{
	return 0;
}

/*
 * __perf_task(): who is woken counts it, and does not run. perf looks for the counters of such a
 * task by the CPU; the scheduler has interrupts off.
 */
static void counts_for_whom_it_is_about(struct kunit *test)
{
	struct task_struct *task = kthread_create(end_at_once, NULL, "kunit-perf");
	struct perf_event *event;
	unsigned long flags;
	u64 count = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	migrate_disable();
	event = open_count("sched_waking", smp_processor_id(), task);
	if (!IS_ERR(event)) {
		local_irq_save(flags);
		for (int i = 0; i < 3; i++)
			trace_sched_waking(task);
		trace_sched_waking(current);
		local_irq_restore(flags);
		count = close_count(event);
	}
	migrate_enable();
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), 0);
	KUNIT_EXPECT_EQ(test, count, 3);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(custom_events_are_not_perfs),
	KUNIT_CASE(records),
	KUNIT_CASE(padding),
	KUNIT_CASE(sizes),
	KUNIT_CASE(no_such_event),
	KUNIT_CASE(counts_what_it_says),
	KUNIT_CASE(counts_for_whom_it_is_about),
	{}
};

TRACE_KUNIT_SUITE("trace_event_perf", cases);
