// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: what counts as a section in which interrupts or preemption are off. */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>

#include "../../tests/suite.h"
#include "internal.h"

#define NAME	"kunit-latency"

/* An instance that runs @tracer; the case is skipped if there is no such tracer. */
static struct trace_array *measuring(struct kunit *test, const char *tracer)
{
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	test->priv = tr;
	ret = tracing_set_tracer(tr, tracer);
	if (ret == -EINVAL)
		kunit_skip(test, "there is no tracer %s", tracer);
	KUNIT_ASSERT_EQ(test, ret, 0);
	return tr;
}

static void latency_exit(struct kunit *test)
{
	struct trace_array *tr = test->priv;

	if (!tr)
		return;
	KUNIT_EXPECT_EQ(test, tracing_set_tracer(tr, "nop"), 0);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

struct seen {
	bool	before;
	bool	during;
	bool	after;
};

static bool section_is_on(const struct trace_array *tr)
{
	return raw_cpu_read(latency_of(tr)->cpu->on);
}

/* What entry code does around an interrupt that adds @count to preempt_count(). */
static void interrupt(const struct trace_array *tr, unsigned int count, struct seen *seen)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	seen->before = section_is_on(tr);
	__preempt_count_add(count);
	trace_hardirqs_off_finish();
	seen->during = section_is_on(tr);
	trace_hardirqs_on_prepare();
	__preempt_count_sub(count);
	seen->after = section_is_on(tr);
	raw_local_irq_restore(flags);
}

/*
 * An NMI, or a trap that is told of as one, is left with the flag put back first, and then
 * preempt_count(), of which nobody is told.
 */
static void test_nmi_ends(struct kunit *test)
{
	static const char *const tracers[] = { "irqsoff", "preemptirqsoff" };
	struct seen seen;

	for (int i = 0; i < ARRAY_SIZE(tracers); i++) {
		struct trace_array *tr = measuring(test, tracers[i]);

		interrupt(tr, NMI_OFFSET + HARDIRQ_OFFSET, &seen);
		KUNIT_EXPECT_FALSE_MSG(test, seen.before, "%s", tracers[i]);
		KUNIT_EXPECT_TRUE_MSG(test, seen.during, "%s", tracers[i]);
		KUNIT_EXPECT_FALSE_MSG(test, seen.after, "%s", tracers[i]);
		latency_exit(test);
		test->priv = NULL;
	}
}

/* Where preemption was off before it goes on being so. */
static void test_nmi_in_section(struct kunit *test)
{
	struct trace_array *tr = measuring(test, "preemptirqsoff");
	struct seen seen;

	preempt_disable();
	interrupt(tr, NMI_OFFSET + HARDIRQ_OFFSET, &seen);
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, seen.before);
	KUNIT_EXPECT_TRUE(test, seen.after);
}

static struct kunit_case latency_cases[] = {
	KUNIT_CASE(test_nmi_ends),
	KUNIT_CASE(test_nmi_in_section),
	{}
};

TRACE_KUNIT_SUITE("trace_latency", latency_cases, .exit = latency_exit);
