// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: the words of set_event. */
#include <kunit/test.h>
#include <linux/string.h>

#include "../instance/words.h"
#include "../tests/suite.h"
#include "internal.h"

static bool word_matches(const char *word, const char *system, const char *name)
{
	struct event_query query;
	char copy[64];

	strscpy(copy, word);
	event_query_parse(copy, &query);
	return event_query_matches(&query, system, name);
}

static void words(struct kunit *test)
{
	static const struct {
		const char	*word;
		bool		is_switch;	/* sched:sched_switch */
		bool		is_wakeup;	/* sched:sched_wakeup */
		bool		is_irq;		/* irq:irq_handler_entry */
	} t[] = {
		{ "sched_switch",	1, 0, 0 },
		{ "sched",		1, 1, 0 },
		{ "sched:",		1, 1, 0 },
		{ "sched:*",		1, 1, 0 },
		{ "sched:sched_switch",	1, 0, 0 },
		{ ":sched_switch",	1, 0, 0 },
		{ "*:sched_switch",	1, 0, 0 },
		{ "irq:sched_switch",	0, 0, 0 },
		{ "sched:irq",		0, 0, 0 },
		{ "*:*",		1, 1, 1 },
		{ "*:",			1, 1, 1 },
		{ ":",			1, 1, 1 },
		{ "*",			1, 1, 1 },
		{ "!sched",		1, 1, 0 },
		{ "sched:sched_w*",	0, 1, 0 },
		{ "*_handler_*",	0, 0, 1 },
		{ "sched:sched_switc",	0, 0, 0 },
		{ "sched:sched_switch2", 0, 0, 0 },
		{ "sche",		0, 0, 0 },
		{ "",			0, 0, 0 },
		{ "!",			0, 0, 0 },
	};

	for (int i = 0; i < ARRAY_SIZE(t); i++) {
		KUNIT_EXPECT_EQ_MSG(test, word_matches(t[i].word, "sched", "sched_switch"),
				    t[i].is_switch, "\"%s\"", t[i].word);
		KUNIT_EXPECT_EQ_MSG(test, word_matches(t[i].word, "sched", "sched_wakeup"),
				    t[i].is_wakeup, "\"%s\"", t[i].word);
		KUNIT_EXPECT_EQ_MSG(test, word_matches(t[i].word, "irq", "irq_handler_entry"),
				    t[i].is_irq, "\"%s\"", t[i].word);
	}
}

static void negation(struct kunit *test)
{
	struct event_query query;
	char off[] = "!sched:sched_switch";
	char on[] = "sched:";

	event_query_parse(off, &query);
	KUNIT_EXPECT_FALSE(test, query.on);
	KUNIT_EXPECT_STREQ(test, query.system, "sched");
	KUNIT_EXPECT_STREQ(test, query.event, "sched_switch");

	event_query_parse(on, &query);
	KUNIT_EXPECT_TRUE(test, query.on);
	KUNIT_EXPECT_NULL(test, query.event);
	KUNIT_EXPECT_NULL(test, query.either);
}

static void modules(struct kunit *test)
{
	struct event_query query;
	char dashes[] = "my-system:my-event:mod:trace-events-sample";
	char all[] = "!:mod:a-b_c";

	event_query_parse(dashes, &query);
	KUNIT_EXPECT_STREQ(test, query.system, "my-system");
	KUNIT_EXPECT_STREQ(test, query.event, "my-event");
	KUNIT_EXPECT_STREQ(test, query.module, "trace_events_sample");

	event_query_parse(all, &query);
	KUNIT_EXPECT_FALSE(test, query.on);
	KUNIT_EXPECT_NULL(test, query.either);
	KUNIT_EXPECT_STREQ(test, query.module, "a_b_c");
}

static void splitting(struct kunit *test)
{
	char text[] = "  a:b\t!c\n\n d ";
	char *at = text;

	KUNIT_EXPECT_STREQ(test, trace_word_cut(&at), "a:b");
	KUNIT_EXPECT_STREQ(test, trace_word_cut(&at), "!c");
	KUNIT_EXPECT_STREQ(test, trace_word_cut(&at), "d");
	KUNIT_EXPECT_NULL(test, trace_word_cut(&at));
	KUNIT_EXPECT_NULL(test, trace_word_cut(&at));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(words),
	KUNIT_CASE(negation),
	KUNIT_CASE(modules),
	KUNIT_CASE(splitting),
	{}
};

TRACE_KUNIT_SUITE("trace_set_event", cases);
