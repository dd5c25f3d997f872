/* SPDX-License-Identifier: GPL-2.0-only */
/* KUnit: a function to be traced. Those of this directory cannot be. */
#ifndef _KERNEL_TRACE_FUNCTION_TEST_TARGET_H
#define _KERNEL_TRACE_FUNCTION_TEST_TARGET_H

#include <kunit/test.h>
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/lcm.h>

/* Seldom called by others, and not by what runs beside the tests. It calls gcd(). */
#define TARGET		((unsigned long)lcm)
#define LCM_4_6		12UL
#define REDIRECTED	4711UL

static inline unsigned long call_target(void)
{
	static unsigned long four = 4, ret;

	/* The compiler knows lcm() as a function without effects: let it not save a call. */
	WRITE_ONCE(ret, lcm(READ_ONCE(four), 6));
	barrier();	/* for what the callbacks count */
	return ret;
}

/* ops.private: an int */
static inline void notrace count_target(unsigned long ip, unsigned long parent_ip,
					struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	(*(int *)op->private)++;
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
static inline unsigned long notrace instead_of_target(unsigned long a, unsigned long b)
{
	return REDIRECTED;
}

/* For ops with FTRACE_OPS_FL_IPMODIFY. */
static inline void notrace redirect_target(unsigned long ip, unsigned long parent_ip,
					   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)instead_of_target);
}
#endif

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
/* direct_tramp_test.c: a direct call that counts, where there is the assembly for it */
extern unsigned int direct_test_calls;
#if defined(CONFIG_ARM64) || defined(CONFIG_RISCV) || defined(CONFIG_X86_64)
#define DIRECT_TEST_COUNTS	1
void direct_test_tramp(void);
#else
#define DIRECT_TEST_COUNTS	0
#define direct_test_tramp	ftrace_stub_direct_tramp
#endif

/* A call of the target comes by direct_test_tramp(), or does not. */
static inline void expect_direct(struct kunit *test, bool direct)
{
	unsigned int before = READ_ONCE(direct_test_calls);

	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	KUNIT_EXPECT_EQ(test, READ_ONCE(direct_test_calls) - before,
			direct ? DIRECT_TEST_COUNTS : 0);
}
#endif

#endif /* _KERNEL_TRACE_FUNCTION_TEST_TARGET_H */
