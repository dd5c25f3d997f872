// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: an event meets the old filter or the new one, never none. It fires on all CPUs while its
 * filter, or that of its system, is written again and again, and texts between that are
 * refused: of filters that all reject it no record comes, of those that all accept it each one.
 * And filters of a system go without memory.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/trace.h>

#include <trace/events/sched.h>

#include "../events/events.h"
#include "../tests/instance.h"
#include "../tests/suite.h"
#include "../tests/writer.h"
#include "internal.h"

#define NAME	"kunit-exchange"
#define ROUNDS	20	/* at least, however slow they are */

struct firing {
	struct test_writer	writes;
	bool			running;
	unsigned long		fired;
};

static void fire(struct test_writer *writes)
{
	for (int i = 0; i < 100; i++)
		trace_sched_kthread_stop(current);
	container_of(writes, struct firing, writes)->fired += 100;
}

static void fire_begin(struct kunit *test, struct firing *firing)
{
	struct task_struct *task;
	int cpu;

	for_each_online_cpu(cpu) {
		firing[cpu].writes.task = fire;
		init_completion(&firing[cpu].writes.done);
		task = kthread_create(test_writer_thread, &firing[cpu].writes, "kfiring/%d", cpu);
		KUNIT_EXPECT_FALSE(test, IS_ERR(task));
		if (IS_ERR(task))
			continue;
		kthread_bind(task, cpu);
		firing[cpu].running = true;
		wake_up_process(task);
	}
}

/* How many times in all */
static unsigned long fire_end(struct firing *firing)
{
	unsigned long fired = 0;
	int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		WRITE_ONCE(firing[cpu].writes.stop, true);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (!firing[cpu].running)
			continue;
		wait_for_completion(&firing[cpu].writes.done);
		fired += firing[cpu].fired;
	}
	return fired;
}

static int filter_set(struct trace_event_file *file, bool system, const char *text)
{
	guard(mutex)(&event_mutex);
	return system ? system_filter_set(file->system, text) : event_filter_set(file, text);
}

/* Two filters in turn, that both reject the event, or both accept it. */
static void exchange(struct kunit *test, bool system, const char *const texts[2], bool accept)
{
	static const char *const refused[] = { "pid ==", "nosuch == 1" };
	struct trace_array *tr = trace_array_get_by_name(NAME, "sched");
	unsigned long end, fired, recorded;
	struct trace_event_file *file;
	struct firing *firing;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	firing = kunit_kcalloc(test, nr_cpu_ids, sizeof(*firing), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, firing);
	/* its file comes when somebody wants it */
	KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_kthread_stop", false),
			0);
	scoped_guard(mutex, &event_mutex)
		file = find_event_file(tr, "sched", "sched_kthread_stop");
	KUNIT_ASSERT_NOT_NULL(test, file);
	KUNIT_ASSERT_EQ(test, filter_set(file, system, texts[1]), 0);
	KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_kthread_stop", true),
			0);

	fire_begin(test, firing);
	end = jiffies + HZ / 4;
	for (i = 0; i < ROUNDS || time_before(jiffies, end); i++) {
		KUNIT_EXPECT_EQ(test, filter_set(file, system, texts[i % 2]), 0);
		KUNIT_EXPECT_EQ(test, filter_set(file, system, refused[i / 2 % 2]), -EINVAL);
	}
	fired = fire_end(firing);

	recorded = ring_buffer_entries(tr->array_buffer.buffer) +
		   ring_buffer_overruns(tr->array_buffer.buffer);
	kunit_info(test, "%s: fired %lu times, %d filters", system ? "system" : "event", fired, i);
	KUNIT_EXPECT_GT(test, fired, 0);
	KUNIT_EXPECT_EQ(test, recorded, accept ? fired : 0);
	test_instance_end(test, tr);
}

static void none_comes(struct kunit *test)
{
	static const char *const texts[] = { "pid == 1", "pid == 2" };

	exchange(test, false, texts, false);
	exchange(test, true, texts, false);
}

/* Only of these threads: others may be stopped meanwhile. */
static void each_comes(struct kunit *test)
{
	static const char *const texts[] = {
		"comm ~ \"kfiring/*\"", "pid > 2 && comm ~ \"kf*ing*\"",
	};

	exchange(test, false, texts, true);
	exchange(test, true, texts, true);
}

static struct change *no_changes(unsigned int nr)
{
	return NULL;
}

static bool has_filter(struct trace_event_file *file)
{
	return rcu_access_pointer(file->filter) != &event_filter_none;
}

/* One event takes the filter, one shows that it cannot, and both show nothing any more. */
static void goes_without_memory(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name(NAME, "sched");
	static const char *const names[] = { "sched_kthread_stop", "sched_switch" };
	struct trace_event_file *file[ARRAY_SIZE(names)];

	KUNIT_ASSERT_NOT_NULL(test, tr);
	for (int i = 0; i < ARRAY_SIZE(names); i++) {
		KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "sched", names[i], false), 0);
		scoped_guard(mutex, &event_mutex)
			file[i] = find_event_file(tr, "sched", names[i]);
		KUNIT_ASSERT_NOT_NULL(test, file[i]);
	}
	KUNIT_EXPECT_EQ(test, filter_set(file[0], true, "pid == 1"), 0);
	KUNIT_EXPECT_EQ(test, filter_set(file[0], false, "pid =="), -EINVAL);
	KUNIT_EXPECT_TRUE(test, has_filter(file[0]) && has_filter(file[1]));

	kunit_activate_static_stub(test, changes_alloc, no_changes);
	KUNIT_EXPECT_EQ(test, filter_set(file[0], true, "pid == 2"), -ENOMEM);
	KUNIT_EXPECT_TRUE(test, has_filter(file[0]) && has_filter(file[1]));
	KUNIT_EXPECT_TRUE(test, file[0]->flags & EVENT_FILE_FL_FILTERED);
	KUNIT_EXPECT_EQ(test, filter_set(file[0], true, "0"), 0);
	kunit_deactivate_static_stub(test, changes_alloc);
	KUNIT_EXPECT_FALSE(test, has_filter(file[0]) || has_filter(file[1]));
	KUNIT_EXPECT_FALSE(test, file[0]->flags & EVENT_FILE_FL_FILTERED);
	test_instance_end(test, tr);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_SLOW(none_comes),
	KUNIT_CASE_SLOW(each_comes),
	KUNIT_CASE(goes_without_memory),
	{}
};

TRACE_KUNIT_SUITE("trace_filter_exchange", cases);
