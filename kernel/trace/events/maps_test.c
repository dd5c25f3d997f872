// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: values in the place of enum names and sizeofs. */
#include <kunit/test.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uuid.h>

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
/* What TRACE_DEFINE_SIZEOF() and TRACE_DEFINE_ENUM() make, but not where the boot looks for it. */
#define TRACE_SYSTEM		t
#define TRACE_SYSTEM_VAR	t
#include <trace/stages/init.h>
#undef __TE_EVAL_MAP
#define __TE_EVAL_MAP(id, text, value)					\
	static struct trace_eval_map map_##id = {			\
		.system = TRACE_SYSTEM_STRING, .eval_string = text, .eval_value = value }

enum { KUNIT_STATE = -3 };

TRACE_DEFINE_SIZEOF(uuid_t);
TRACE_DEFINE_ENUM(KUNIT_STATE);

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

static void definitions(struct kunit *test)
{
	struct trace_eval_map *defined[] = { &map_sizeof_uuid_t, &map_enum_KUNIT_STATE };
	char fmt[] = "\"%d\", REC->len / sizeof(uuid_t) + KUNIT_STATE";

	for (int i = 0; i < ARRAY_SIZE(defined); i++)
		KUNIT_EXPECT_STREQ(test, defined[i]->system, "t");
	KUNIT_EXPECT_EQ(test, eval_map_replace(fmt, defined, ARRAY_SIZE(defined)), 2);
	KUNIT_EXPECT_STREQ(test, fmt, "\"%d\", REC->len / 16 + -3");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(replacement),
	KUNIT_CASE(no_room),
	KUNIT_CASE(definitions),
	{}
};

TRACE_KUNIT_SUITE("trace_eval_maps", cases);
