// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: what is printed of a call's arguments. Nobody calls the functions: what counts is what the
 * kernel's types say of them, and registers are made up.
 */
#include <kunit/test.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/seq_buf.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include "../tests/suite.h"
#include "arguments.h"

enum args_test_level { ARGS_TEST_LOW, ARGS_TEST_MIDDLE, ARGS_TEST_HIGH };
enum args_test_way { ARGS_TEST_BACK = -1, ARGS_TEST_FORTH = 1 };

struct args_test_pair {
	unsigned long	first, second;
};

struct args_test_large {
	unsigned long	words[3];
};

/* Marked, so that they are there as they are written. */
static __used noinline void args_test_numbers(unsigned char narrow, char letter, signed char tiny,
					      enum args_test_level level, enum args_test_way way,
					      int number)
{
	barrier();
}

static __used noinline void args_test_pointers(const char *text, void (*call)(void),
					       const struct args_test_pair *pair)
{
	barrier();
}

static __used noinline void args_test_pairs(int before, struct args_test_pair pair, int behind)
{
	barrier();
}

static __used noinline void args_test_larger(int before, struct args_test_large large, int behind)
{
	barrier();
}

/* When the pair comes one register is left. */
#ifdef CONFIG_X86
static __used noinline void args_test_split(long a, long b, long c, long d, long e,
					    struct args_test_pair pair, int behind)
#else
static __used noinline void args_test_split(long a, long b, long c, long d, long e, long f, long g,
					    struct args_test_pair pair, int behind)
#endif
{
	barrier();
}

static __used noinline void args_test_any(int nr, ...)
{
	barrier();
}

static __used noinline void args_test_many(unsigned long a, unsigned long b, unsigned long c,
					   unsigned long d, unsigned long e, unsigned long f,
					   unsigned long g, unsigned long h, unsigned long i)
{
	barrier();
}

static const char *printed(struct kunit *test, const unsigned long *args, void *func)
{
	struct trace_seq *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	trace_seq_init(s);
	print_function_args(s, args, (unsigned long)func);
	return seq_buf_str(&s->seq);
}

static void needs_types(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_DEBUG_INFO_BTF))
		kunit_skip(test, "without BTF nobody knows what a function takes");
}

/* Whatever is in the rest of a register. */
#define REST(bits, value)	(GENMASK(BITS_PER_LONG - 1, bits) | (value))

static void test_numbers(struct kunit *test)
{
	const unsigned long args[FTRACE_REGS_MAX_ARGS] = {
		REST(8, 0x81), REST(8, 'A'), 0x85, ARGS_TEST_HIGH, U32_MAX, U32_MAX - 99,
	};

	needs_types(test);
	KUNIT_EXPECT_STREQ(test, printed(test, args, args_test_numbers),
			   "(narrow=0x81, letter=0x41, tiny=-123, level=2, way=-1, number=-100)");
}

static void test_pointers(struct kunit *test)
{
	const unsigned long args[FTRACE_REGS_MAX_ARGS] = { 0, 0x1234, ~0xfUL };
	char want[64];

	needs_types(test);
	snprintf(want, sizeof(want), "(text=0x0, call=0x1234, pair=0x%lx)", ~0xfUL);
	KUNIT_EXPECT_STREQ(test, printed(test, args, args_test_pointers), want);
}

static void test_pair(struct kunit *test)
{
	const unsigned long args[FTRACE_REGS_MAX_ARGS] = { 1, 0x22, 0x33, 4 };

	needs_types(test);
	KUNIT_EXPECT_STREQ(test, printed(test, args, args_test_pairs),
			   "(before=1, pair=(STRUCT)[0x22:0x33], behind=4)");
}

/* On x86_64 on the stack, elsewhere in memory that a register points to. */
static void test_larger(struct kunit *test)
{
	const unsigned long args[FTRACE_REGS_MAX_ARGS] = { 1, 2, 3 };

	needs_types(test);
	KUNIT_EXPECT_STREQ(test, printed(test, args, args_test_larger), IS_ENABLED(CONFIG_X86) ?
			   "(before=1, large=(STRUCT)[...], behind=2)" :
			   "(before=1, large=(STRUCT)*0x2, behind=3)");
}

/* Only riscv64 has a half of it in the register; x86_64 gives that to the next one. */
static void test_split(struct kunit *test)
{
	unsigned long args[FTRACE_REGS_MAX_ARGS];
	const char *want;

	for (int i = 0; i < FTRACE_REGS_MAX_ARGS; i++)
		args[i] = i + 1;
	if (IS_ENABLED(CONFIG_X86))
		want = "(a=1, b=2, c=3, d=4, e=5, pair=(STRUCT)[...], behind=6)";
	else if (IS_ENABLED(CONFIG_ARM64))
		want = "(a=1, b=2, c=3, d=4, e=5, f=6, g=7, pair=(STRUCT)[...], ...)";
	else
		want = "(a=1, b=2, c=3, d=4, e=5, f=6, g=7, pair=(STRUCT)[0x8:...], ...)";
	needs_types(test);
	KUNIT_EXPECT_STREQ(test, printed(test, args, args_test_split), want);
}

static void test_others(struct kunit *test)
{
	const unsigned long args[FTRACE_REGS_MAX_ARGS] = { 1, 2, 3 };

	needs_types(test);
	KUNIT_EXPECT_STREQ(test, printed(test, args, args_test_any), "(nr=1, ...)");
}

/* As many as there are registers, each with its number. */
static const char *numbered(struct kunit *test, unsigned long *args, bool names)
{
	char *text = kunit_kzalloc(test, 256, GFP_KERNEL);
	int len = 0;

	KUNIT_ASSERT_NOT_NULL(test, text);
	for (int i = 0; i < FTRACE_REGS_MAX_ARGS; i++) {
		args[i] = 0x10 + i;
		len += scnprintf(text + len, 256 - len, "%c", i ? ' ' : '(');
		if (names)
			len += scnprintf(text + len, 256 - len, "%c=", 'a' + i);
		len += scnprintf(text + len, 256 - len, "0x%lx%s", args[i],
				 i < FTRACE_REGS_MAX_ARGS - 1 ? "," : names ? ", ...)" : ")");
	}
	return text;
}

static void test_many(struct kunit *test)
{
	unsigned long args[FTRACE_REGS_MAX_ARGS];
	const char *want = numbered(test, args, true);

	needs_types(test);
	KUNIT_EXPECT_STREQ(test, printed(test, args, args_test_many), want);
}

/* Of what is no function nothing is known, and with interrupts off nothing is looked up. */
static void test_registers(struct kunit *test)
{
	unsigned long args[FTRACE_REGS_MAX_ARGS];
	const char *want = numbered(test, args, false);
	struct trace_seq *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_EXPECT_STREQ(test, printed(test, args, NULL), want);
	KUNIT_ASSERT_NOT_NULL(test, s);
	trace_seq_init(s);
	local_irq_disable();
	print_function_args(s, args, (unsigned long)args_test_many);
	local_irq_enable();
	KUNIT_EXPECT_STREQ(test, seq_buf_str(&s->seq), want);
}

static struct kunit_case arguments_cases[] = {
	KUNIT_CASE(test_numbers),
	KUNIT_CASE(test_pointers),
	KUNIT_CASE(test_pair),
	KUNIT_CASE(test_larger),
	KUNIT_CASE(test_split),
	KUNIT_CASE(test_others),
	KUNIT_CASE(test_many),
	KUNIT_CASE(test_registers),
	{}
};

TRACE_KUNIT_SUITE("trace_arguments", arguments_cases);
