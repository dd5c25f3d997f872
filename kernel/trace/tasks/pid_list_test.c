// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: the set of pids. */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/threads.h>

#include "../tests/suite.h"
#include "pid_list.h"
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
	KUNIT_EXPECT_EQ(test, trace_pid_list_next(list, 0, &pid), -1);
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
	KUNIT_EXPECT_EQ(test, trace_pid_list_next(list, 0, &pid), -1);
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

/* As a fork does it: leaves that lie ready, and are replaced. */
static void without_memory(struct kunit *test)
{
	struct trace_pid_list *list = list_of(test);
	unsigned int pid = 0, taken, n = 0;
	unsigned long flags;
	int ret;

	for (int round = 0; round < 3; round++) {
		/* interrupts are off: no work comes between */
		local_irq_save(flags);
		for (taken = 0; taken <= PID_SPARES; taken++) {
			ret = trace_pid_list_set_atomic(list, pid);
			if (ret)
				break;
			pid += PID_LEAF_BITS;
		}
		local_irq_restore(flags);
		KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
		KUNIT_EXPECT_EQ(test, taken, PID_SPARES);
		irq_work_sync(&list->refill);
	}
	KUNIT_EXPECT_EQ(test, trace_pid_list_set_atomic(list, PID_MAX_LIMIT), -EINVAL);
	/* what has a leaf needs none */
	KUNIT_EXPECT_EQ(test, trace_pid_list_set_atomic(list, 7), 0);

	for (unsigned int at = 0; !trace_pid_list_next(list, at, &at); at++)
		n++;
	KUNIT_EXPECT_EQ(test, n, 3 * PID_SPARES + 1);
	trace_pid_list_free(list);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(empty_list),
	KUNIT_CASE(edges),
	KUNIT_CASE(no_pid),
	KUNIT_CASE(without_memory),
	{}
};

TRACE_KUNIT_SUITE("trace_pid_list", cases);
