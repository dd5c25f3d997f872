// SPDX-License-Identifier: GPL-2.0-only
/*
 * TRACEPOINT_BENCHMARK: the event benchmark:benchmark_event, which happens again and again while it
 * is on. Each record says how long the one before took, and what all of them took so far; it has
 * the same length whatever it says.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace_clock.h>

#define CREATE_TRACE_POINTS
#include "benchmark_event.h"

static struct task_struct *benchmark_thread;
static bool benchmark_allowed;

/* All times are in nanoseconds; the first one, of caches that are cold, is in no sum. */
struct benchmark {
	char	words[BENCHMARK_EVENT_STRLEN];
	u64	nr;
	u64	first;
	u64	last;
	u64	min;
	u64	max;
	u64	sum;
	u64	squares;
};

/* What the record that was just made took. */
static u64 hit(const struct benchmark *b)
{
	u64 begin, delta;

	/* An interrupt is not what the event costs. */
	local_irq_disable();
	begin = trace_clock_local();
	trace_benchmark_event(b->words, b->last);
	delta = trace_clock_local() - begin;
	local_irq_enable();
	return delta;
}

static void count(struct benchmark *b, u64 delta)
{
	u64 avg, square = 0, std = 0;

	b->last = delta;
	if (!b->first) {
		b->first = delta ?: 1;
		scnprintf(b->words, sizeof(b->words), "first=%llu [COLD CACHED]", delta);
		return;
	}
	b->min = min(b->min, delta);
	b->max = max(b->max, delta);
	/* A machine that stood still says nothing of the event; its square would be too large. */
	delta = min_t(u64, delta, NSEC_PER_SEC);
	if (check_add_overflow(b->squares, delta * delta, &b->squares)) {
		b->squares = delta * delta;
		b->sum = 0;
		b->nr = 0;
	}
	b->sum += delta;
	b->nr++;
	avg = div64_u64(b->sum, b->nr);
	if (b->nr > 1) {
		square = b->squares - mul_u64_u64_div_u64(b->sum, b->sum, b->nr);
		square = div64_u64(square, b->nr - 1);
		std = int_sqrt64(square);
	}
	scnprintf(b->words, sizeof(b->words),
		  "last=%llu first=%llu max=%llu min=%llu avg=%llu std=%llu std^2=%llu",
		  b->last, b->first, b->max, b->min, avg, std, square);
}

static int benchmark_run(void *data)
{
	struct benchmark b = { .words = "START", .min = U64_MAX };

	/* Whoever switches the event on has not done so yet, but will. */
	while (!trace_benchmark_event_enabled() && !kthread_should_stop())
		msleep(20);
	while (!kthread_should_stop()) {
		count(&b, hit(&b));
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

int benchmark_event_on(void)
{
	if (!benchmark_allowed) {
		pr_warn("benchmark:benchmark_event cannot be on when the kernel starts\n");
		return -EBUSY;
	}
	benchmark_thread = kthread_run(benchmark_run, NULL, "event_benchmark");
	if (IS_ERR(benchmark_thread)) {
		pr_warn("benchmark:benchmark_event has no thread\n");
		return PTR_ERR(benchmark_thread);
	}
	return 0;
}

void benchmark_event_off(void)
{
	kthread_stop(benchmark_thread);
}

/* Threads can be made from then on. */
static int __init benchmark_allow(void)
{
	benchmark_allowed = true;
	return 0;
}
early_initcall(benchmark_allow);
