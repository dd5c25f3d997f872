// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: perf's function event, through the kernel's own counters. */
#include <kunit/test.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../../events/perf.h"
#include "../../record/entries.h"
#include "../../record/function_entries.h"
#include "../../tests/counter.h"
#include "../../tests/suite.h"
#include "../sites/sites.h"
#include "../sites/test_target.h"

struct seen {
	unsigned long	ip;	/* of the function that is counted */
	int		hits;
	int		others;
	int		strange;
};

static void overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct seen *seen = event->overflow_handler_context;
	struct ftrace_entry *entry = data->raw ? data->raw->frag.data : NULL;

	if (!entry || entry->ent.type != TRACE_FN || entry->ent.pid != current->pid ||
	    instruction_pointer(regs) != entry->ip)
		seen->strange++;
	else if (entry->ip == seen->ip)
		seen->hits++;
	else
		seen->others++;
}

static struct perf_event *open_function(struct seen *seen, u64 sample_type)
{
	struct perf_event_attr attr = {
		.config = TRACE_FN,
		.sample_period = 1,
		.sample_type = sample_type,
		.disabled = 1,
	};

	return test_counter(&attr, overflow, seen);
}

static int filter(struct perf_event *event, const char *text)
{
	char copy[80];

	strscpy(copy, text, sizeof(copy));
	return ftrace_profile_set_filter(event, TRACE_FN, copy);
}

/* Calls the target: then there were samples of it @hits times, and of others @others times. */
static void call_and_count(struct kunit *test, const struct seen *seen, int hits, int others)
{
	call_target();
	KUNIT_EXPECT_EQ(test, seen->hits, hits);
	KUNIT_EXPECT_EQ(test, seen->others, others);
}

static void function_event(struct kunit *test)
{
	static const char * const bad[] = {
		"", "ip", "ip ==", "ip == no_such_function", "ip > lcm", "ip == !lcm",
		"ip == lcm ||", "ip == lcm && ip != kfree", "ip == \"lcm", "parent_ip == 1",
		"ip == ,", "ip == \",\"", "ip == ' , '", "ip == ''", "ip == lcm || ip != ,",
		"(ip == lcm", "ip == lcm)", "ip == lcm) || (ip == gcd", ")ip == lcm(", "()", "(",
		"ip == (lcm)", "ip == lcm ( || ip == gcd)",
	};
	struct seen seen = { .ip = ftrace_location(TARGET) };
	struct dyn_ftrace *rec = ftrace_lookup_rec(seen.ip, seen.ip);
	struct perf_event *event;

	KUNIT_ASSERT_NOT_NULL(test, rec);
	/* All functions: more samples than perf takes in a tick, so this event goes no further. */
	event = open_function(&seen, PERF_SAMPLE_RAW);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	perf_event_enable(event);
	call_target();
	perf_event_release_kernel(event);
	KUNIT_EXPECT_GT(test, seen.others, 2);

	event = open_function(&seen, PERF_SAMPLE_RAW);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, filter(event, "ip == lcm"), 0);
	perf_event_enable(event);
	seen.hits = 1;
	seen.others = 0;
	call_and_count(test, &seen, 2, 0);

	/* What is wrong changes nothing. */
	for (int i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, filter(event, bad[i]), -EINVAL, "%s", bad[i]);
	call_and_count(test, &seen, 3, 0);

	KUNIT_EXPECT_EQ(test, filter(event, "ip == \"lcm, gcd\""), 0);
	call_and_count(test, &seen, 4, 1);
	KUNIT_EXPECT_EQ(test, filter(event, "( (ip == lcm) ||ip == \"gcd\" ) "), 0);
	call_and_count(test, &seen, 5, 2);
	KUNIT_EXPECT_EQ(test, filter(event, "ip == lc? gc[d] || ip != lcm"), 0);
	call_and_count(test, &seen, 5, 3);

	KUNIT_EXPECT_EQ(test, seen.strange, 0);
	perf_event_release_kernel(event);
	call_target();
	KUNIT_EXPECT_EQ(test, seen.hits, 5);
	KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec), 0);
}

static void no_part_of_user_space(struct kunit *test)
{
	struct seen seen = { };
	struct perf_event *event;

	event = open_function(&seen, PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -EINVAL);
}

static struct kunit_case perf_cases[] = {
	KUNIT_CASE(function_event),
	KUNIT_CASE(no_part_of_user_space),
	{ }
};

TRACE_KUNIT_SUITE("function_perf", perf_cases);
