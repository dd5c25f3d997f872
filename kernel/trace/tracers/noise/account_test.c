// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: no time is counted twice, and none is lost, when sources interrupt each other. */
#include <kunit/test.h>
#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/irqflags.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/trace.h>
#include <linux/trace_clock.h>

#include <trace/events/irq.h>

#include "../../tests/suite.h"
#include "account.h"

#define US	NSEC_PER_USEC

static void spin(unsigned int us)
{
	u64 end = trace_clock_local() + us * US;

	while (trace_clock_local() < end)
		cpu_relax();
}

/* What each source took in a case, and how much time passed. */
struct taken {
	u64		source[NOISE_SOURCES];
	unsigned long	count[NOISE_SOURCES];
	u64		passed;
};

/* Runs @what with interrupts off, and sampling on, for another thread than this one. */
static struct taken measure(void (*what)(struct noise_cpu *c))
{
	struct noise_cpu *c;
	struct taken t;
	u64 began;

	guard(irq)();
	c = this_cpu_ptr(&noise_cpu);
	for (int i = 0; i < NOISE_SOURCES; i++) {
		t.source[i] = c->source[i].taken;
		t.count[i] = c->source[i].count;
	}
	began = trace_clock_local();
	noise_sampling_start(c, -1, false);
	what(c);
	noise_sampling_stop(c);
	t.passed = trace_clock_local() - began;
	for (int i = 0; i < NOISE_SOURCES; i++) {
		t.source[i] = c->source[i].taken - t.source[i];
		t.count[i] = c->source[i].count - t.count[i];
	}
	return t;
}

static void irq_with_nmis(struct noise_cpu *c)
{
	osnoise_trace_irq_entry(1);
	spin(100);
	for (int i = 0; i < 2; i++) {
		trace_osnoise_callback(true);
		spin(300);
		trace_osnoise_callback(false);
	}
	spin(100);
	osnoise_trace_irq_exit(1, "kunit");
}

/* @what is an interrupt of 200 us, and @nmis of 300 us each that came into it. */
static void expect_nested(struct kunit *test, void (*what)(struct noise_cpu *c), int nmis)
{
	struct taken t = measure(what);

	KUNIT_EXPECT_EQ(test, t.count[NOISE_IRQ], 1);
	KUNIT_EXPECT_EQ(test, t.count[NOISE_NMI], nmis);
	KUNIT_EXPECT_GE(test, t.source[NOISE_IRQ], 200 * US);
	KUNIT_EXPECT_GE(test, t.source[NOISE_NMI], nmis * 300 * US);
	KUNIT_EXPECT_LE(test, t.source[NOISE_IRQ] + t.source[NOISE_NMI], t.passed);
}

static void nested(struct kunit *test)
{
	expect_nested(test, irq_with_nmis, 2);
}

static void nmi_with_handler(struct noise_cpu *c)
{
	osnoise_trace_irq_entry(1);
	spin(100);
	trace_osnoise_callback(true);
	__preempt_count_add(NMI_OFFSET);
	osnoise_trace_irq_entry(2);
	spin(300);
	osnoise_trace_irq_exit(2, "kunit");
	__preempt_count_sub(NMI_OFFSET);
	trace_osnoise_callback(false);
	spin(100);
	osnoise_trace_irq_exit(1, "kunit");
}

/* The NMI of a counter on arm64 has a handler of which is told as of an interrupt's. */
static void handler_in_nmi(struct kunit *test)
{
	expect_nested(test, nmi_with_handler, 1);
}

static void nmi_in_nmi(struct noise_cpu *c)
{
	trace_osnoise_callback(true);
	spin(100);
	trace_osnoise_callback(true);
	spin(300);
	trace_osnoise_callback(false);
	spin(100);
	trace_osnoise_callback(false);
}

static void nested_nmis(struct kunit *test)
{
	struct taken t = measure(nmi_in_nmi);

	KUNIT_EXPECT_EQ(test, t.count[NOISE_NMI], 1);
	KUNIT_EXPECT_GE(test, t.source[NOISE_NMI], 500 * US);
}

static void ends_only(struct noise_cpu *c)
{
	spin(100);
	osnoise_trace_irq_exit(1, "kunit");
}

/* It began before anybody looked: how long it was is not known. */
static void begun_before(struct kunit *test)
{
	struct taken t = measure(ends_only);

	KUNIT_EXPECT_EQ(test, t.source[NOISE_IRQ], 0);
	KUNIT_EXPECT_EQ(test, t.count[NOISE_IRQ], 0);
}

/* Sums of what the sources inside of a thread have taken. */
static u64 taken_inside(const struct noise_cpu *c)
{
	u64 all = 0;

	for (int i = NOISE_SOFTIRQ; i < NOISE_SOURCES; i++)
		all += c->source[i].taken;
	return all;
}

static u64 thread_began, thread_inner, irq_before;

static void thread_counts_from_irq(struct noise_cpu *c)
{
	u64 all;

	osnoise_trace_irq_entry(1);
	spin(200);
	irq_before = trace_clock_local() - c->source[NOISE_IRQ].began;
	all = taken_inside(c);
	noise_thread_from_here(c);
	thread_began = c->source[NOISE_THREAD].began;
	thread_inner = c->source[NOISE_THREAD].inner - all;
	osnoise_trace_irq_exit(1, "kunit");
	c->source[NOISE_THREAD].began = 0;
}

/* Of an interrupt that is half over, the first half is not the thread's from then on. */
static void thread_from_irq(struct kunit *test)
{
	struct taken t = measure(thread_counts_from_irq);

	KUNIT_EXPECT_NE(test, thread_began, 0);
	KUNIT_EXPECT_GE(test, thread_inner, irq_before);
	KUNIT_EXPECT_LE(test, thread_inner, t.source[NOISE_IRQ]);
}

static u64 thread_own, thread_passed;

static void all_levels(struct noise_cpu *c)
{
	const struct noise_account *thread = &c->source[NOISE_THREAD];

	noise_thread_from_here(c);
	for (int i = 0; i < 3; i++) {
		spin(50);
		trace_softirq_entry(TIMER_SOFTIRQ);
		spin(50);
		osnoise_trace_irq_entry(1);
		spin(50);
		trace_osnoise_callback(true);
		spin(100);
		trace_osnoise_callback(false);
		spin(50);
		osnoise_trace_irq_exit(1, "kunit");
		spin(50);
		trace_softirq_exit(TIMER_SOFTIRQ);
		spin(50);
	}
	thread_passed = trace_clock_local() - thread->began;
	thread_own = thread_passed - (taken_inside(c) - thread->inner);
	c->source[NOISE_THREAD].began = 0;
}

/* What a deeper level took is taken off once, also of a thread that all of them interrupt. */
static void no_level_loses(struct kunit *test)
{
	struct taken t;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "softirqs are no level of their own");
	KUNIT_ASSERT_EQ(test, noise_account_start(), 0);
	t = measure(all_levels);
	noise_account_stop();
	for (int i = NOISE_SOFTIRQ; i < NOISE_SOURCES; i++) {
		KUNIT_EXPECT_EQ(test, t.count[i], 3);
		KUNIT_EXPECT_GE(test, t.source[i], 300 * US);
	}
	KUNIT_EXPECT_GE(test, thread_own, 300 * US);
	KUNIT_EXPECT_LE(test, thread_own + 900 * US, thread_passed);
}

static void hit_once(struct noise_cpu *c)
{
	unsigned long before, after;

	noise_clock(c, &before);
	osnoise_trace_irq_entry(1);
	osnoise_trace_irq_exit(1, "kunit");
	noise_clock(c, &after);
	/* seen below as a count that is wrong */
	if (after != before + 1)
		c->source[NOISE_NMI].count++;
}

static void clock_sees_hits(struct kunit *test)
{
	struct taken t = measure(hit_once);

	KUNIT_EXPECT_EQ(test, t.count[NOISE_IRQ], 1);
	KUNIT_EXPECT_EQ(test, t.count[NOISE_NMI], 0);
}

static struct kunit_case account_cases[] = {
	KUNIT_CASE(nested),
	KUNIT_CASE(handler_in_nmi),
	KUNIT_CASE(nested_nmis),
	KUNIT_CASE(begun_before),
	KUNIT_CASE(thread_from_irq),
	KUNIT_CASE(no_level_loses),
	KUNIT_CASE(clock_sees_hits),
	{ }
};

TRACE_KUNIT_SUITE("trace_noise", account_cases);
