// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: the arguments of trace_printk() are those that vbin_printf() gives; ftrace_vprintk(). */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "../instance/instance.h"
#include "../tests/instance.h"
#include "../tests/suite.h"
#include "entries.h"
#include "internal.h"

#define ROOM	32

/* No __printf(): that would have the arguments of %hd be what they never are. */
static void same(struct kunit *test, int nr, const char *fmt, ...)
{
	u32 ours[ROOM], theirs[ROOM];
	va_list args;
	int a, b;

	memset(ours, 0x5a, sizeof(ours));
	memset(theirs, 0x5a, sizeof(theirs));
	va_start(args, fmt);
	a = trace_printk_args(ours, nr, fmt, args);
	va_end(args);
	va_start(args, fmt);
	b = vbin_printf(theirs, nr, fmt, args);
	va_end(args);

	KUNIT_EXPECT_EQ_MSG(test, a, b, "%s", fmt);
	KUNIT_EXPECT_MEMEQ_MSG(test, ours, theirs, sizeof(ours), "%s", fmt);
}

static void numbers(struct kunit *test)
{
	same(test, ROOM, "");
	same(test, ROOM, "nothing\n");
	same(test, ROOM, "100%%\n");
	same(test, ROOM, "%d", -1);
	same(test, ROOM, "x %d %lu\n", 7, 5UL);
	same(test, ROOM, "%5d|%-5u|%05x|%+i|% d|%#X|%o|%.3d|%8.4x", 1, 2, 3, 4, 5, 6, 7, 8, 9);
	same(test, ROOM, "%ld %li %lu %lx %lX %lo", -1L, 2L, 3UL, 4UL, ~0UL, 6UL);
	same(test, ROOM, "%lld %llu %llx %zu %zd", -1LL, 2ULL, ~0ULL, (size_t)4, (ssize_t)-5);
	same(test, ROOM, "%d%ld%d%ld", 1, 2L, 3, 4L);
	same(test, ROOM, "%d %% %d", 1, 2);
}

static void others(struct kunit *test)
{
	same(test, ROOM, "%s %d", "text", 1);
	same(test, ROOM, "%d %s", 1, "text");
	same(test, ROOM, "%c%d", 'c', 1);
	same(test, ROOM, "%hd %hhd %d", 1, 2, 3);
	same(test, ROOM, "%*d %.*d", 5, 1, 3, 2);
	same(test, ROOM, "%p %d", test, 1);
	same(test, ROOM, "%pS", same);
	same(test, ROOM, "%td %d", (ptrdiff_t)1, 2);
}

static void room(struct kunit *test)
{
	same(test, 3, "%d %ld", 1, 2L);
	same(test, 3, "%d %d %d %d", 1, 2, 3, 4);
	same(test, 2, "%d %ld", 1, 2L);
	same(test, 0, "%d", 1);
}

/*
 * What ftrace_vprintk() becomes of a constant format, and of another. Not by the macro: it would
 * leave a format in the kernel, which has room made for messages in each boot.
 */
static __printf(3, 4) int message(int (*record)(unsigned long ip, const char *fmt, va_list args),
				  unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = record(ip, fmt, args);
	va_end(args);
	return ret;
}

static int set_option(struct trace_array *tr, const char *name)
{
	char word[32];

	strscpy(word, name, sizeof(word));
	return trace_set_options(tr, word);
}

/* The next entry of this task; NULL if there is none. */
static void *take(struct trace_array *tr)
{
	struct ring_buffer_event *event;
	int cpu;

	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(tr->array_buffer.buffer, cpu, NULL, NULL))) {
			struct trace_entry *entry = ring_buffer_event_data(event);

			if (entry->pid == current->pid)
				return entry;
		}
	}
	return NULL;
}

static void with_va_list(struct kunit *test)
{
	static const char fmt[] = "%d %s\n";
	struct trace_array *tr = trace_array_get_by_name("kunit-vprintk", "");
	const char *none = NULL;
	struct bprint_entry *bprint;
	struct print_entry *print;
	char text[32];

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, trace_array_init_printk(tr), 0);
	KUNIT_EXPECT_EQ(test, set_option(tr, "trace_printk_dest"), 0);

	/* words of the arguments: the number, and the text with its end */
	KUNIT_EXPECT_EQ(test, message(__ftrace_vbprintk, 0x1234, fmt, 7, "abc"), 2);
	bprint = take(tr);
	if (bprint && bprint->ent.type == TRACE_BPRINT) {
		KUNIT_EXPECT_EQ(test, bprint->ip, 0x1234);
		KUNIT_EXPECT_PTR_EQ(test, bprint->fmt, (const char *)fmt);
		bstr_printf(text, sizeof(text), bprint->fmt, bprint->buf);
		KUNIT_EXPECT_STREQ(test, text, "7 abc\n");
	} else {
		KUNIT_FAIL(test, "no binary message");
	}

	KUNIT_EXPECT_EQ(test, message(__ftrace_vprintk, 0x4321, fmt, 8, "defg"),
			strlen("8 defg\n"));
	print = take(tr);
	if (print && print->ent.type == TRACE_PRINT) {
		KUNIT_EXPECT_EQ(test, print->ip, 0x4321);
		KUNIT_EXPECT_STREQ(test, print->buf, "8 defg\n");
	} else {
		KUNIT_FAIL(test, "no message");
	}

	/* a module's format that could not be kept; and messages that nobody wants */
	KUNIT_EXPECT_EQ(test, message(__ftrace_vbprintk, 0, none, 7, "abc"), 0);
	KUNIT_EXPECT_EQ(test, set_option(tr, "notrace_printk"), 0);
	KUNIT_EXPECT_EQ(test, message(__ftrace_vbprintk, 0, fmt, 7, "abc"), 0);
	KUNIT_EXPECT_EQ(test, message(__ftrace_vprintk, 0, fmt, 7, "abc"), 0);
	KUNIT_EXPECT_NULL(test, take(tr));
	test_instance_end(test, tr);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(numbers),
	KUNIT_CASE(others),
	KUNIT_CASE(room),
	KUNIT_CASE(with_va_list),
	{}
};

TRACE_KUNIT_SUITE("trace_printk_args", cases);
