// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: what the stack tracer says of frames whose size is known, of tasks and of interrupts. */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/sched/task_stack.h>

#include "../tests/suite.h"
#include "stack_frames.h"
#include "stack_test.h"

#define SEEN_MAX	64

/* Of the last call of stack_test_inner(). */
static struct {
	struct stack_frame_at	frames[SEEN_MAX];
	unsigned int		nr;
	unsigned long		top;
	bool			in_irq;
} seen;

static void notrace note_frames(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
				struct ftrace_regs *fregs)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	seen.top = stack_top_of(ftrace_regs_get_stack_pointer(fregs));
	seen.nr = stack_frames(seen.frames, SEEN_MAX, ip, parent_ip, fregs, seen.top);
	seen.in_irq = in_hardirq();
	raw_local_irq_restore(flags);
}

static struct ftrace_ops note_ops = { .func = note_frames };

/* Is it an address in the function? Its end is where the next symbol is; 512 are enough. */
static bool within(unsigned long ip, const void *func)
{
	return ip - (unsigned long)func < 512;
}

static void expect_frames(struct kunit *test)
{
	unsigned long outer;
	unsigned int i;

	KUNIT_ASSERT_GE(test, seen.nr, 3);
	KUNIT_ASSERT_LE(test, seen.nr, SEEN_MAX);
	KUNIT_EXPECT_TRUE(test, within(seen.frames[0].ip, stack_test_inner));
	KUNIT_EXPECT_TRUE(test, within(seen.frames[1].ip, stack_test_outer));
	/* nothing of its own yet, but where it returns to on x86_64 */
	KUNIT_EXPECT_EQ(test, seen.frames[1].at - seen.frames[0].at,
			IS_ENABLED(CONFIG_X86) ? sizeof(long) : 0);
	outer = seen.frames[2].at - seen.frames[1].at;
	KUNIT_EXPECT_GE(test, outer, STACK_TEST_ROOM);
	KUNIT_EXPECT_LE(test, outer, STACK_TEST_ROOM + 256);
	for (i = 1; i < seen.nr; i++) {
		KUNIT_EXPECT_GE(test, seen.frames[i].at, seen.frames[i - 1].at);
		KUNIT_EXPECT_TRUE(test, __kernel_text_address(seen.frames[i].ip));
	}
	KUNIT_EXPECT_LT(test, seen.frames[seen.nr - 1].at, seen.top);
}

static void frames_of_a_task(struct kunit *test)
{
	memset(&seen, 0, sizeof(seen));
	stack_test_outer(1);
	KUNIT_EXPECT_EQ(test, seen.top,
			(unsigned long)task_stack_page(current) + THREAD_SIZE);
	KUNIT_EXPECT_FALSE(test, seen.in_irq);
	expect_frames(test);
}

static void call_outer(struct irq_work *work)
{
	stack_test_outer(1);
}

static void frames_of_an_interrupt(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(call_outer);

	memset(&seen, 0, sizeof(seen));
	KUNIT_ASSERT_TRUE(test, irq_work_queue(&work));
	irq_work_sync(&work);
	KUNIT_ASSERT_TRUE(test, seen.in_irq);
	expect_frames(test);
	if (IS_ENABLED(CONFIG_ARM64) || IS_ENABLED(CONFIG_X86) || IS_ENABLED(CONFIG_IRQ_STACKS))
		KUNIT_EXPECT_NE(test, seen.top,
				(unsigned long)task_stack_page(current) + THREAD_SIZE);
	KUNIT_EXPECT_LT(test, seen.top - seen.frames[0].at, THREAD_SIZE);
}

/* Who wants to know of returns has its own address where the true one was. */
static int graph_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	return 1;
}

static void graph_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
}

static struct fgraph_ops graph_ops = {
	.entryfunc	= graph_entry,
	.retfunc	= graph_return,
};

static noinline void call_a_function(void)
{
	stack_test_outer(1);
	barrier();	/* it is not the last act */
}

static noinline void call_with_any_arguments(void)
{
	stack_test_any(2, 1, 2);
	barrier();
}

/* The frames of what @calls calls are the same when each of these calls has a graph's. */
static void expect_same_graphed(struct kunit *test, void (*calls)(void))
{
	struct stack_frame_at plain[SEEN_MAX];
	unsigned int nr, i;

	memset(&seen, 0, sizeof(seen));
	calls();
	memcpy(plain, seen.frames, sizeof(plain));
	nr = seen.nr;
	memset(&seen, 0, sizeof(seen));

	KUNIT_ASSERT_EQ(test, ftrace_set_filter(&graph_ops.ops, "stack_test_*", 12, 1), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_graph(&graph_ops), 0);
	calls();
	unregister_ftrace_graph(&graph_ops);
	ftrace_free_filter(&graph_ops.ops);

	KUNIT_ASSERT_EQ(test, seen.nr, nr);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, seen.frames[i].at, plain[i].at);
		/* it is another place of this function that calls */
		if (i != 3)
			KUNIT_EXPECT_EQ(test, seen.frames[i].ip, plain[i].ip);
	}
}

static void frames_that_are_graphed(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER))
		kunit_skip(test, "no graph");
	expect_same_graphed(test, call_a_function);
	expect_frames(test);
}

/* Above where it returns to, such a function may have put arguments. */
static void frames_with_any_arguments(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER))
		kunit_skip(test, "no graph");
	expect_same_graphed(test, call_with_any_arguments);
	KUNIT_ASSERT_GE(test, seen.nr, 3);
	KUNIT_EXPECT_TRUE(test, within(seen.frames[0].ip, stack_test_inner));
	KUNIT_EXPECT_TRUE(test, within(seen.frames[1].ip, stack_test_any));
	KUNIT_EXPECT_TRUE(test, within(seen.frames[2].ip, call_with_any_arguments));
}

static int stack_test_init(struct kunit *test)
{
	int ret;

	if (IS_ENABLED(CONFIG_UNWINDER_GUESS))
		kunit_skip(test, "the unwinder guesses");
	ret = ftrace_set_filter(&note_ops, "stack_test_inner", 16, 1);
	return ret ?: register_ftrace_function(&note_ops);
}

static void stack_test_exit(struct kunit *test)
{
	unregister_ftrace_function(&note_ops);
	ftrace_free_filter(&note_ops);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(frames_of_a_task),
	KUNIT_CASE(frames_of_an_interrupt),
	KUNIT_CASE(frames_that_are_graphed),
	KUNIT_CASE(frames_with_any_arguments),
	{}
};

TRACE_KUNIT_SUITE("trace_stack_frames", cases, .init = stack_test_init, .exit = stack_test_exit);
