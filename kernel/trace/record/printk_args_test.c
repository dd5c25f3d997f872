// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: the arguments of trace_printk() are those that vbin_printf() gives. */
#include <kunit/test.h>
#include <linux/string.h>

#include "../tests/suite.h"
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

static struct kunit_case cases[] = {
	KUNIT_CASE(numbers),
	KUNIT_CASE(others),
	KUNIT_CASE(room),
	{}
};

TRACE_KUNIT_SUITE("trace_printk_args", cases);
