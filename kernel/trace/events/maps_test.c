// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: values in the place of enum names and sizeofs. */
#include <kunit/test.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "../tests/suite.h"
#include "internal.h"

static struct trace_eval_map map_one = { .system = "t", .eval_string = "STATE_ONE",
					 .eval_value = 1 };
static struct trace_eval_map map_neg = { .system = "t", .eval_string = "STATE_NEG",
					 .eval_value = -22 };
static struct trace_eval_map map_size = { .system = "t", .eval_string = "sizeof(struct pt)",
					  .eval_value = 336 };
static struct trace_eval_map map_long = { .system = "t", .eval_string = "X",
					  .eval_value = 123456 };
static struct trace_eval_map *maps[] = { &map_one, &map_neg, &map_size };

static void replacement(struct kunit *test)
{
	static const struct {
		const char	*before;
		const char	*after;
		int		replaced;
	} t[] = {
		{ "\"%d\", STATE_ONE", "\"%d\", 1", 1 },
		{ "\"%d\", STATE_ONE|STATE_NEG", "\"%d\", 1|-22", 2 },
		{ "\"%d\", sizeof(struct pt)/2", "\"%d\", 336/2", 1 },
		{ "\"%d\", sizeof(struct other)", "\"%d\", sizeof(struct other)", 0 },
		/* literals, with quotes in them */
		{ "\"STATE_ONE %d\", 0", "\"STATE_ONE %d\", 0", 0 },
		{ "\"a\\\"STATE_ONE\", STATE_ONE", "\"a\\\"STATE_ONE\", 1", 1 },
		/* members, longer names, numbers */
		{ "\"%d\", REC->STATE_ONE", "\"%d\", REC->STATE_ONE", 0 },
		{ "\"%d\", REC.STATE_ONE", "\"%d\", REC.STATE_ONE", 0 },
		{ "\"%d\", STATE_ONE2 + A_STATE_ONE", "\"%d\", STATE_ONE2 + A_STATE_ONE", 0 },
		{ "\"%d\", 0xSTATE_ONE", "\"%d\", 0xSTATE_ONE", 0 },
		{ "\"%s\", __print_symbolic(REC->a, { STATE_ONE, \"STATE_ONE\" })",
		  "\"%s\", __print_symbolic(REC->a, { 1, \"STATE_ONE\" })", 1 },
		{ "", "", 0 },
	};

	for (int i = 0; i < ARRAY_SIZE(t); i++) {
		char fmt[128];

		strscpy(fmt, t[i].before);
		KUNIT_EXPECT_EQ(test, eval_map_replace(fmt, maps, ARRAY_SIZE(maps)),
				t[i].replaced);
		KUNIT_EXPECT_STREQ(test, fmt, t[i].after);
	}
}

static void no_room(struct kunit *test)
{
	struct trace_eval_map *one[] = { &map_long };
	char fmt[] = "\"%d\", XX";

	/* not its name; one that is would warn and stay */
	KUNIT_EXPECT_EQ(test, eval_map_replace(fmt, one, 1), 0);
	KUNIT_EXPECT_STREQ(test, fmt, "\"%d\", XX");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(replacement),
	KUNIT_CASE(no_room),
	{}
};

TRACE_KUNIT_SUITE("trace_eval_maps", cases);
