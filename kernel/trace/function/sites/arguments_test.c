// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: a traced function gets the arguments that it was called with. Unlike the others of this
 * directory, this file's functions can be traced.
 */
#include <kunit/test.h>
#include <linux/ftrace.h>

#include "../../tests/suite.h"

#define NR_ARGUMENTS	14

static unsigned long arguments[NR_ARGUMENTS];

/*
 * More than the ABI passes in registers. A static function whose address nobody takes may get
 * some of them in others all the same: with clang on riscv in t2 to t6.
 */
static noinline unsigned int
arguments_test_target(unsigned long a, unsigned long b, unsigned long c, unsigned long d,
		      unsigned long e, unsigned long f, unsigned long g, unsigned long h,
		      unsigned long i, unsigned long j, unsigned long k, unsigned long l,
		      unsigned long m, unsigned long n)
{
	const unsigned long got[NR_ARGUMENTS] = { a, b, c, d, e, f, g, h, i, j, k, l, m, n };
	unsigned int nr, same = 0;

	for (nr = 0; nr < NR_ARGUMENTS; nr++)
		same += got[nr] == READ_ONCE(arguments[nr]);
	return same;
}

/* How many arguments arrived. */
static unsigned int call_with_arguments(void)
{
	unsigned long a[NR_ARGUMENTS];
	unsigned int nr;

	for (nr = 0; nr < NR_ARGUMENTS; nr++) {
		WRITE_ONCE(arguments[nr], 0x1234567 * (nr + 1));
		a[nr] = READ_ONCE(arguments[nr]);
	}
	return arguments_test_target(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
				     a[10], a[11], a[12], a[13]);
}

/* Registers that a callback may use as it likes. */
static __always_inline void use_registers(void)
{
#ifdef CONFIG_RISCV
	asm volatile("li t2, 2; li t3, 3; li t4, 4; li t5, 5; li t6, 6"
		     : : : "t2", "t3", "t4", "t5", "t6");
#endif
#ifdef CONFIG_ARM64
	asm volatile("mov x9, 9; mov x10, 10; mov x11, 11; mov x12, 12\n"
		     "mov x13, 13; mov x14, 14; mov x15, 15"
		     : : : "x9", "x10", "x11", "x12", "x13", "x14", "x15");
#endif
}

static void notrace count_call(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	(*(int *)op->private)++;
	use_registers();
}

static int trace_target(struct ftrace_ops *ops)
{
	/* By name: see arguments_test_target(). */
	unsigned char name[] = "arguments_test_target*";

	return ftrace_set_filter(ops, name, strlen(name), 1);
}

static void arguments_arrive(struct kunit *test)
{
	static struct ftrace_ops ops = { .func = count_call };
	int calls = 0;

	ops.private = &calls;
	KUNIT_EXPECT_EQ(test, call_with_arguments(), NR_ARGUMENTS);
	KUNIT_ASSERT_EQ(test, trace_target(&ops), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&ops), 0);
	KUNIT_EXPECT_EQ(test, call_with_arguments(), NR_ARGUMENTS);
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
	KUNIT_EXPECT_EQ(test, calls, 1);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
static int entries, returns;

static int notrace graph_in(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	entries++;
	use_registers();
	return 1;
}

static void notrace graph_out(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	returns++;
	use_registers();
}

static void arguments_arrive_with_graph(struct kunit *test)
{
	static struct fgraph_ops gops = { .entryfunc = graph_in, .retfunc = graph_out };

	entries = 0;
	returns = 0;
	KUNIT_ASSERT_EQ(test, trace_target(&gops.ops), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_graph(&gops), 0);
	KUNIT_EXPECT_EQ(test, call_with_arguments(), NR_ARGUMENTS);
	unregister_ftrace_graph(&gops);
	ftrace_free_filter(&gops.ops);
	KUNIT_EXPECT_EQ(test, entries, 1);
	KUNIT_EXPECT_EQ(test, returns, 1);
}
#endif

static struct kunit_case arguments_cases[] = {
	KUNIT_CASE(arguments_arrive),
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	KUNIT_CASE(arguments_arrive_with_graph),
#endif
	{ }
};

TRACE_KUNIT_SUITE("function_arguments", arguments_cases);
