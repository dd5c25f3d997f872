// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: the set of pids. */
#include <kunit/test.h>
#include <linux/threads.h>

#include "tasks.h"

static struct trace_pid_list *list_of(struct kunit *test)
{
	struct trace_pid_list *list = trace_pid_list_alloc();

	KUNIT_ASSERT_NOT_NULL(test, list);
	return list;
}

static void empty_list(struct kunit *test)
{
	struct trace_pid_list *list = list_of(test);
	unsigned int pid;

	KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, 0));
	KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, PID_MAX_LIMIT - 1));
	KUNIT_EXPECT_EQ(test, trace_pid_list_clear(list, 77), 0);
	KUNIT_EXPECT_EQ(test, trace_pid_list_first(list, &pid), -1);
	trace_pid_list_free(list);
	trace_pid_list_free(NULL);
}

static void edges(struct kunit *test)
{
	static const unsigned int pids[] = { 0, 1, 63, 64, 4095, 4096, 4097, PID_MAX_LIMIT - 1 };
	struct trace_pid_list *list = list_of(test);
	unsigned int pid, next = 0;

	for (int i = 0; i < ARRAY_SIZE(pids); i++) {
		KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, pids[i]), 0);
		KUNIT_EXPECT_TRUE(test, trace_pid_list_is_set(list, pids[i]));
	}
	KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, 2));
	KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, PID_MAX_LIMIT - 2));

	/* all of them, in order, and no other */
	for (int i = 0; i < ARRAY_SIZE(pids); i++) {
		KUNIT_ASSERT_EQ(test, trace_pid_list_next(list, next, &pid), 0);
		KUNIT_EXPECT_EQ(test, pid, pids[i]);
		next = pid + 1;
	}
	KUNIT_EXPECT_EQ(test, trace_pid_list_next(list, next, &pid), -1);

	for (int i = 0; i < ARRAY_SIZE(pids); i++) {
		KUNIT_EXPECT_EQ(test, trace_pid_list_clear(list, pids[i]), 0);
		KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, pids[i]));
	}
	KUNIT_EXPECT_EQ(test, trace_pid_list_first(list, &pid), -1);
	trace_pid_list_free(list);
}

static void no_pid(struct kunit *test)
{
	struct trace_pid_list *list = list_of(test);

	KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, PID_MAX_LIMIT), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_pid_list_clear(list, -1), -EINVAL);
	KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, -1));
	trace_pid_list_free(list);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(empty_list),
	KUNIT_CASE(edges),
	KUNIT_CASE(no_pid),
	{}
};

static struct kunit_suite suite = {
	.name = "trace_pid_list",
	.test_cases = cases,
};

kunit_test_suite(suite);
