// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: names and processes behind pids, of more tasks than there is room for, all made up. */
#include <kunit/test.h>
#include <linux/cleanup.h>
#include <linux/irqflags.h>
#include <linux/pid.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/trace.h>
#include <linux/trace_events.h>

#include <trace/events/sched.h>

#include "../instance/instance.h"
#include "../tests/instance.h"
#include "../tests/suite.h"
#include "saved_cmdlines.h"
#include "tasks.h"

#define TASKS	16000	/* less than half of the places for pids, see numbers_wrap() */
#define FIRST	(PID_MAX_LIMIT / 2)	/* nobody has such a pid before pid_max is raised */

static struct task_struct *task;	/* each of them in turn */

static int names_init(struct kunit *test)
{
	task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
	return task ? 0 : -ENOMEM;
}

static struct task_struct *task_of(int pid)
{
	task->pid = pid;
	task->tgid = pid;
	memset(task->comm, 0, sizeof(task->comm));
	snprintf(task->comm, sizeof(task->comm), "k-%d", pid);
	return task;
}

static bool is_named(int pid)
{
	char comm[TASK_COMM_LEN];

	trace_find_cmdline(pid, comm);
	return !strcmp(comm, task_of(pid)->comm);
}

static unsigned int slots(void)
{
	guard(preempt)();
	return rcu_dereference_sched(cmdlines)->none.nr;
}

/* Each of the last ones that there are slots for is known, and no other. */
static void the_last_are_known(struct kunit *test)
{
	int nr = slots(), known = 0;

	KUNIT_ASSERT_LT(test, nr, TASKS);
	for (int i = 0; i < TASKS; i++)
		tracing_record_cmdline(task_of(FIRST + i));
	for (int i = 0; i < TASKS; i++)
		known += is_named(FIRST + i);
	KUNIT_EXPECT_EQ(test, known, nr);
	for (int i = TASKS - nr; i < TASKS; i++)
		KUNIT_EXPECT_TRUE(test, is_named(FIRST + i));
	/* one that is seen again has its slot, and takes nobody's */
	tracing_record_cmdline(task_of(FIRST + TASKS - nr));
	KUNIT_EXPECT_TRUE(test, is_named(FIRST + TASKS - nr + 1));
}

/* Of two whose pids lead to the same place the later one is there, and never under the other's. */
static void numbers_wrap(struct kunit *test)
{
	const int low = FIRST + 77, high = low + CMDLINE_PIDS;

	tracing_record_cmdline(task_of(low));
	KUNIT_EXPECT_TRUE(test, is_named(low));
	KUNIT_EXPECT_FALSE(test, is_named(high));
	tracing_record_cmdline(task_of(high));
	KUNIT_EXPECT_FALSE(test, is_named(low));
	KUNIT_EXPECT_TRUE(test, is_named(high));
	tracing_record_cmdline(task_of(low));
	KUNIT_EXPECT_TRUE(test, is_named(low));
	KUNIT_EXPECT_FALSE(test, is_named(high));
	/* They have a slot in common, which others need some time. */
	for (int i = 0; i < TASKS; i++)
		tracing_record_cmdline(task_of(FIRST + CMDLINE_PIDS / 2 + i));
	KUNIT_EXPECT_FALSE(test, is_named(low));
	KUNIT_EXPECT_FALSE(test, is_named(high));
	tracing_record_cmdline(task_of(high));
	KUNIT_EXPECT_TRUE(test, is_named(high));
}

/* Who has recorded something is known, whoever comes and goes and does not. */
static void who_records_is_known(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit-names", NULL);
	u64 data = 0;
	int ret = -EBUSY;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_EQ(test, trace_array_use(tr), 0);
	tracing_start_cmdline_record(tr);
	/* On one CPU, and nobody else is switched to between the record and the switch. */
	scoped_guard(irqsave) {
		/* what this task, or an interrupt, may have recorded is not theirs */
		trace_sched_switch(false, current, current, TASK_RUNNING);
		trace_sched_switch(false, task_of(FIRST), current, TASK_RUNNING);
		ret = ring_buffer_write(tr->array_buffer.buffer, sizeof(data), &data);
		trace_sched_switch(false, task_of(FIRST + 1), current, TASK_RUNNING);
	}
	KUNIT_EXPECT_EQ(test, ret, 0);
	for (int i = 2; i < TASKS; i++) {
		guard(irqsave)();
		trace_sched_switch(false, task_of(FIRST + i), current, TASK_RUNNING);
	}
	KUNIT_EXPECT_TRUE(test, is_named(FIRST + 1));
	KUNIT_EXPECT_FALSE(test, is_named(FIRST));
	for (int i = 2; i < TASKS; i++)
		KUNIT_EXPECT_FALSE(test, is_named(FIRST + i));
	tracing_stop_cmdline_record(tr);
	/* and also when nobody is recorded any more */
	KUNIT_EXPECT_TRUE(test, is_named(FIRST + 1));
	test_instance_end(test, tr);
}

/* Processes have a place for each thread: nobody takes another's, and who exits keeps his. */
static void processes_stay(struct kunit *test)
{
	int tasks = min(TASKS, READ_ONCE(pid_max) / 2);
	int first = READ_ONCE(pid_max) - tasks, thread = first + 1;

	KUNIT_ASSERT_EQ(test, trace_alloc_tgid_map(), 0);
	task_of(thread)->tgid = first;
	tracing_record_tgid(task);
	for (int i = 2; i < tasks; i++)
		tracing_record_tgid(task_of(first + i));
	/* nobody has the number now, there is no task to ask */
	KUNIT_EXPECT_EQ(test, trace_find_tgid(thread), first);
	KUNIT_EXPECT_EQ(test, trace_find_tgid(first + tasks - 1), first + tasks - 1);
	/* another one with the number */
	tracing_record_tgid(task_of(thread));
	KUNIT_EXPECT_EQ(test, trace_find_tgid(thread), thread);
	/* those for which there was no room when the table was made */
	if (READ_ONCE(pid_max) < PID_MAX_LIMIT - 1) {
		tracing_record_tgid(task_of(PID_MAX_LIMIT - 1));
		KUNIT_EXPECT_EQ(test, trace_find_tgid(PID_MAX_LIMIT - 1), 0);
	}

	for (int i = 1; i < tasks; i++) {
		task_of(first + i)->tgid = 0;
		tracing_record_tgid(task);
	}
}

/* Who runs has the number of somebody who had another process: it is his that is told. */
static void who_runs_is_asked(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit-names", NULL);
	int found = 0;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_EQ(test, trace_array_use(tr), 0);
	KUNIT_ASSERT_EQ(test, trace_alloc_tgid_map(), 0);
	tracing_start_tgid_record(tr);
	scoped_guard(preempt) {
		task_of(current->pid)->tgid = current->tgid + 1;
		tracing_record_tgid(task);
		found = trace_find_tgid(current->pid);
		tracing_record_tgid(current);
	}
	tracing_stop_tgid_record(tr);
	KUNIT_EXPECT_EQ(test, found, current->tgid);
	test_instance_end(test, tr);
}

static struct kunit_case names_cases[] = {
	KUNIT_CASE(the_last_are_known),
	KUNIT_CASE(numbers_wrap),
	KUNIT_CASE(who_records_is_known),
	KUNIT_CASE(processes_stay),
	KUNIT_CASE(who_runs_is_asked),
	{ }
};

TRACE_KUNIT_SUITE("trace_names", names_cases, .init = names_init);
