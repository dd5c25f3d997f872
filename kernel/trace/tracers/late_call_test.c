// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: a call that has found a tracer's callback, and comes to it when another tracer runs. The
 * ops of the top instance is always there, so nobody waits for such a call.
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "../function/filters/instances.h"
#include "../instance/tracer.h"
#include "../tests/suite.h"

/* At least a struct ftrace_regs of any architecture. */
#define REGS_SIZE	SZ_1K

static void choose(struct kunit *test, const char *tracer, const char *option)
{
	char word[32];

	KUNIT_ASSERT_EQ_MSG(test, tracing_set_tracer(&global_trace, tracer), 0, "%s", tracer);
	if (!option)
		return;
	strscpy(word, option);
	KUNIT_ASSERT_EQ_MSG(test, trace_set_options(&global_trace, word), 0, "%s", option);
}

static void call_late(struct kunit *test, const char *first, const char *option,
		      const char *then)
{
	struct ftrace_ops *ops = &trace_function_of(&global_trace)->ops;
	struct ftrace_regs *regs = kunit_kzalloc(test, REGS_SIZE, GFP_KERNEL);
	ftrace_func_t late;

	KUNIT_ASSERT_NOT_NULL(test, regs);
	choose(test, first, option);
	late = READ_ONCE(ops->func);
	choose(test, then, NULL);
	late((unsigned long)call_late, _THIS_IP_, ops, regs);
}

static void test_function(struct kunit *test)
{
	static const char *const options[] = {
		NULL,
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
		"func-args",
#endif
		"func-no-repeats",
#ifdef CONFIG_STACKTRACE
		"func_stack_trace",
#endif
	};

	for (int i = 0; i < ARRAY_SIZE(options); i++)
		call_late(test, "function", options[i], "wakeup");
}

static void test_latency(struct kunit *test)
{
	call_late(test, "wakeup", NULL, "function");
	call_late(test, "wakeup", NULL, "nop");
}

/*
 * A function is enough. With all of them a stack for each makes a kernel with lockdep crawl under
 * emulation.
 */
static int late_call_init(struct kunit *test)
{
	char one[] = "vfs_read";

	if (!IS_ENABLED(CONFIG_SCHED_TRACER))
		kunit_skip(test, "there is no tracer wakeup");
	return ftrace_set_filter(&trace_function_of(&global_trace)->ops, one, strlen(one), 1);
}

static void late_call_exit(struct kunit *test)
{
	char off[][24] = { "nofunc-args", "nofunc-no-repeats", "nofunc_stack_trace" };

	if (!tracing_set_tracer(&global_trace, "function"))
		for (int i = 0; i < ARRAY_SIZE(off); i++)
			trace_set_options(&global_trace, off[i]);
	KUNIT_EXPECT_EQ(test, tracing_set_tracer(&global_trace, "nop"), 0);
	ftrace_set_filter(&trace_function_of(&global_trace)->ops, NULL, 0, 1);
}

static struct kunit_case late_call_cases[] = {
	KUNIT_CASE(test_function),
	KUNIT_CASE(test_latency),
	{}
};

TRACE_KUNIT_SUITE("trace_late_call", late_call_cases, .init = late_call_init,
		  .exit = late_call_exit);
