// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: an event's probe runs for as long as somebody wants it, and records when it is on; with
 * the names that its instance wants.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../tests/instance.h"
#include "../tests/suite.h"
#include "internal.h"
#include "test.h"

static int enable_init(struct kunit *test)
{
	counted_event_init();
	return 0;
}

static void expect(struct kunit *test, int running, bool on, bool soft)
{
	bool enabled = file.flags & EVENT_FILE_FL_ENABLED;
	bool soft_disabled = file.flags & EVENT_FILE_FL_SOFT_DISABLED;

	KUNIT_EXPECT_EQ(test, registered, running);
	KUNIT_EXPECT_EQ(test, enabled, !!running);
	KUNIT_EXPECT_EQ(test, enabled && !soft_disabled, on);
	KUNIT_EXPECT_EQ(test, !!(file.flags & EVENT_FILE_FL_SOFT_MODE), soft);
}

static int change(int enable, int soft)
{
	guard(mutex)(&event_mutex);
	return trace_event_enable_disable(&file, enable, soft);
}

static void changes(struct kunit *test)
{
	static const struct {
		const char	*name;
		bool		enable;
		bool		soft;
		int		running;
		bool		is_on;
		bool		is_soft;
	} steps[] = {
		{ "on", 1, 0, 1, true, false },
		{ "on twice", 1, 0, 1, true, false },
		{ "off", 0, 0, 0, false, false },
		{ "off twice", 0, 0, 0, false, false },
		{ "soft", 1, 1, 1, false, true },
		{ "two soft", 1, 1, 1, false, true },
		{ "one soft", 0, 1, 1, false, true },
		{ "none", 0, 1, 0, false, false },
		{ "soft", 1, 1, 1, false, true },
		{ "on within soft", 1, 0, 1, true, true },
		{ "off within soft", 0, 0, 1, false, true },
		{ "none", 0, 1, 0, false, false },
		{ "on", 1, 0, 1, true, false },
		{ "soft within on", 1, 1, 1, true, true },
		{ "no soft within on", 0, 1, 1, true, false },
		{ "off", 0, 0, 0, false, false },
	};

	for (int i = 0; i < ARRAY_SIZE(steps); i++) {
		KUNIT_EXPECT_EQ_MSG(test, change(steps[i].enable, steps[i].soft), 0, "%d: %s", i,
				    steps[i].name);
		expect(test, steps[i].running, steps[i].is_on, steps[i].is_soft);
	}
	KUNIT_EXPECT_TRUE(test, file.flags & EVENT_FILE_FL_WAS_ENABLED);
}

static void refused(struct kunit *test)
{
	reg_error = -EBUSY;
	KUNIT_EXPECT_EQ(test, change(1, 0), -EBUSY);
	expect(test, 0, false, false);
	KUNIT_EXPECT_EQ(test, change(1, 1), -EBUSY);
	expect(test, 0, false, false);
	KUNIT_EXPECT_EQ(test, atomic_read(&file.sm_ref), 0);
}

/* Somebody waits until each task has slept or the like: this one has not. */
static void await_this_task(void)
{
#ifdef CONFIG_TASKS_RCU
	WRITE_ONCE(current->rcu_tasks_holdout, true);
#endif
}

static bool task_is_awaited(void)
{
#ifdef CONFIG_TASKS_RCU
	return READ_ONCE(current->rcu_tasks_holdout);
#else
	return false;
#endif
}

#define FILES	5

/* A command that names many: when memory runs out at one of them, all are as they were. */
static void all_or_none(struct kunit *test)
{
	struct trace_event_file *files = kunit_kcalloc(test, FILES, sizeof(*files), GFP_KERNEL);
	struct trace_array *tr = kunit_kzalloc(test, sizeof(*tr), GFP_KERNEL);
	struct event_instance *ei = kunit_kzalloc(test, sizeof(*ei), GFP_KERNEL);
	struct event_query query = { .system = "kunit" };
	int i, left;

	KUNIT_ASSERT_NOT_NULL(test, files);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_NOT_NULL(test, ei);
	INIT_LIST_HEAD(&ei->files);
	tr->room[ROOM_EVENTS] = ei;
	ei->complete = true;
	tr->ring_buffer_expanded = true;
	for (i = 0; i < FILES; i++) {
		files[i].event_call = &call;
		files[i].tr = tr;
		list_add_tail(&files[i].list, &ei->files);
	}

	guard(mutex)(&event_mutex);
	/* One is on already, another one only soft. */
	KUNIT_EXPECT_EQ(test, trace_event_enable_disable(&files[1], 1, 0), 0);
	KUNIT_EXPECT_EQ(test, trace_event_enable_disable(&files[2], 1, 1), 0);
	for (left = 0; left < FILES - 2; left++) {
		reg_left = left;
		KUNIT_EXPECT_EQ(test, event_query_apply(tr, &query, true), -ENOMEM);
		KUNIT_EXPECT_EQ(test, registered, 2);
		for (i = 0; i < FILES; i++) {
			unsigned long on = files[i].flags & (EVENT_FILE_FL_ENABLED |
							     EVENT_FILE_FL_SOFT_DISABLED);

			KUNIT_EXPECT_EQ(test, on, i == 1 ? EVENT_FILE_FL_ENABLED : i == 2 ?
					EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_SOFT_DISABLED : 0);
		}
	}
	reg_left = INT_MAX;
	/* Many take long, and do not keep anybody waiting for all that time. */
	await_this_task();
	KUNIT_EXPECT_EQ(test, event_query_apply(tr, &query, true), 0);
	KUNIT_EXPECT_EQ(test, registered, FILES);
	KUNIT_EXPECT_FALSE(test, task_is_awaited());
	await_this_task();
	KUNIT_EXPECT_EQ(test, event_query_apply(tr, &query, false), 0);
	KUNIT_EXPECT_EQ(test, registered, 1);
	KUNIT_EXPECT_FALSE(test, task_is_awaited());
	KUNIT_EXPECT_EQ(test, trace_event_enable_disable(&files[2], 0, 1), 0);
	KUNIT_EXPECT_EQ(test, registered, 0);
	query.system = "kunit_no_such_system";
	KUNIT_EXPECT_EQ(test, event_query_apply(tr, &query, true), -EINVAL);
}

static bool is_recorded(const struct trace_event_file *file)
{
	return (file->flags & (EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_SOFT_DISABLED)) ==
	       EVENT_FILE_FL_ENABLED;
}

/* The same for several words: when memory runs out at a later one, the first have done nothing. */
static void words_all_or_none(struct kunit *test)
{
	static const char * const names[] = { "a", "b", "c" };
	struct trace_event_call *calls = kunit_kcalloc(test, 3, sizeof(*calls), GFP_KERNEL);
	struct trace_event_file *files = kunit_kcalloc(test, 3, sizeof(*files), GFP_KERNEL);
	struct trace_array *tr = kunit_kzalloc(test, sizeof(*tr), GFP_KERNEL);
	struct event_instance *ei = kunit_kzalloc(test, sizeof(*ei), GFP_KERNEL);
	/* "!kunit:c kunit:a x:mod:kunit_absent kunit:b !kunit:a kunit:a" */
	const struct event_query words[] = {
		{ .system = "kunit", .event = "c" },
		{ .system = "kunit", .event = "a", .on = true },
		{ .either = "x", .module = "kunit_absent", .on = true },
		{ .system = "kunit", .event = "b", .on = true },
		{ .system = "kunit", .event = "a" },
		{ .system = "kunit", .event = "a", .on = true },
	}, forget[] = {
		{ .either = "x", .module = "kunit_absent" },
		{ .system = "kunit", .event = "c", .on = true },
	}, nosuch[] = {
		{ .system = "kunit", .event = "a" },
		{ .system = "kunit", .event = "nosuch", .on = true },
	};
	const struct event_query *bad;

	KUNIT_ASSERT_NOT_NULL(test, calls);
	KUNIT_ASSERT_NOT_NULL(test, files);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_NOT_NULL(test, ei);
	INIT_LIST_HEAD(&ei->files);
	INIT_LIST_HEAD(&ei->waiting);
	tr->room[ROOM_EVENTS] = ei;
	ei->complete = true;
	tr->ring_buffer_expanded = true;
	for (int i = 0; i < 3; i++) {
		calls[i].class = &class;
		calls[i].name = (char *)names[i];
		files[i].event_call = &calls[i];
		files[i].tr = tr;
		list_add_tail(&files[i].list, &ei->files);
	}

	guard(mutex)(&event_mutex);
	KUNIT_EXPECT_EQ(test, trace_event_enable_disable(&files[2], 1, 0), 0);
	for (int left = 0; left < 2; left++) {
		reg_left = left;
		KUNIT_EXPECT_EQ(test, event_queries_apply(tr, words, ARRAY_SIZE(words), &bad),
				-ENOMEM);
		KUNIT_EXPECT_PTR_EQ(test, bad, left ? &words[3] : &words[5]);
		KUNIT_EXPECT_FALSE(test, is_recorded(&files[0]));
		KUNIT_EXPECT_FALSE(test, is_recorded(&files[1]));
		KUNIT_EXPECT_TRUE(test, is_recorded(&files[2]));
		KUNIT_EXPECT_EQ(test, registered, 1);
		KUNIT_EXPECT_TRUE(test, list_empty(&ei->waiting));
	}
	reg_left = INT_MAX;
	KUNIT_EXPECT_EQ(test, event_queries_apply(tr, words, ARRAY_SIZE(words), &bad), 0);
	KUNIT_EXPECT_TRUE(test, is_recorded(&files[0]));
	KUNIT_EXPECT_TRUE(test, is_recorded(&files[1]));
	KUNIT_EXPECT_FALSE(test, is_recorded(&files[2]));
	KUNIT_EXPECT_TRUE(test, list_is_singular(&ei->waiting));

	KUNIT_EXPECT_EQ(test, event_queries_apply(tr, nosuch, ARRAY_SIZE(nosuch), &bad), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, bad, &nosuch[1]);
	KUNIT_EXPECT_TRUE(test, is_recorded(&files[0]));

	/* what waits is forgotten with the others, or not */
	reg_left = 0;
	KUNIT_EXPECT_EQ(test, event_queries_apply(tr, forget, ARRAY_SIZE(forget), &bad), -ENOMEM);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&ei->waiting));
	reg_left = INT_MAX;
	KUNIT_EXPECT_EQ(test, event_queries_apply(tr, forget, ARRAY_SIZE(forget), &bad), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&ei->waiting));
	KUNIT_EXPECT_TRUE(test, is_recorded(&files[2]));

	for (int i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, trace_event_enable_disable(&files[i], 0, 0), 0);
	KUNIT_EXPECT_EQ(test, registered, 0);
	event_waiting_free(tr);
}

/* An instance with an event on, for which names are recorded with @options. */
static struct trace_event_file *recording(struct kunit *test, const char *name,
					  unsigned long options)
{
	struct trace_array *tr = trace_array_get_by_name(name, "sched");
	struct trace_event_file *on;
	unsigned int bit;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	scoped_guard(mutex, &event_mutex) {
		guard(mutex)(&trace_types_lock);
		for_each_set_bit(bit, &options, TRACE_ITER_LAST_BIT)
			KUNIT_EXPECT_EQ(test, set_tracer_flag(tr, BIT(bit), true), 0);
	}
	/* its files come when somebody wants them */
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_kthread_stop", true),
			0);
	scoped_guard(mutex, &event_mutex)
		on = find_event_file(tr, "sched", "sched_kthread_stop");
	KUNIT_ASSERT_NOT_NULL(test, on);
	return on;
}

/* What an instance does not want to know any more of tasks others still do. */
static void names_of_others(struct kunit *test)
{
	static const struct {
		unsigned long	option;
		unsigned long	recorded;
	} kinds[] = {
		{ TRACE_ITER_RECORD_TGID, EVENT_FILE_FL_RECORDED_TGID },
		{ TRACE_ITER_RECORD_CMD, EVENT_FILE_FL_RECORDED_CMD },
	};
	unsigned long options = TRACE_ITER_RECORD_TGID | TRACE_ITER_RECORD_CMD;
	struct trace_event_file *a = recording(test, "kunit-enable", options);
	struct trace_event_file *b = recording(test, "kunit-enable-other", options);

	for (int i = 0; i < ARRAY_SIZE(kinds); i++) {
		guard(mutex)(&event_mutex);
		guard(mutex)(&trace_types_lock);
		KUNIT_EXPECT_TRUE(test, a->flags & kinds[i].recorded);
		KUNIT_EXPECT_EQ(test, set_tracer_flag(a->tr, kinds[i].option, false), 0);
		KUNIT_EXPECT_FALSE(test, a->flags & kinds[i].recorded);
		KUNIT_EXPECT_TRUE_MSG(test, b->flags & kinds[i].recorded, "%d", i);

		/* and they do not begin */
		KUNIT_EXPECT_EQ(test, set_tracer_flag(b->tr, kinds[i].option, false), 0);
		KUNIT_EXPECT_EQ(test, set_tracer_flag(a->tr, kinds[i].option, true), 0);
		KUNIT_EXPECT_TRUE(test, a->flags & kinds[i].recorded);
		KUNIT_EXPECT_FALSE_MSG(test, b->flags & kinds[i].recorded, "%d", i);
	}
	test_instance_end(test, a->tr);
	test_instance_end(test, b->tr);
}

#ifdef CONFIG_MODULES
/* A reference on a module whose init has not succeeded yet does not keep it. */
static void modules_that_come(struct kunit *test)
{
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);
	struct trace_event_call *mine = kunit_kzalloc(test, sizeof(*mine), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mod);
	KUNIT_ASSERT_NOT_NULL(test, mine);
	strscpy(mod->name, "kunit-coming");
#ifdef CONFIG_MODULE_UNLOAD
	atomic_set(&mod->refcnt, 1);
#endif
	mine->module = mod;
	guard(mutex)(&event_mutex);
	mod->state = MODULE_STATE_COMING;
	KUNIT_EXPECT_FALSE(test, event_try_get(mine));
	mod->state = MODULE_STATE_GOING;
	KUNIT_EXPECT_FALSE(test, event_try_get(mine));
	mod->state = MODULE_STATE_LIVE;
	if (!event_try_get(mine))
		KUNIT_FAIL(test, "one that is there");
	else
		trace_event_put_ref(mine);
#ifdef CONFIG_MODULE_UNLOAD
	KUNIT_EXPECT_EQ(test, atomic_read(&mod->refcnt), 1);
#endif
	mine->module = NULL;
	KUNIT_EXPECT_TRUE(test, event_try_get(mine));
}
#endif

static struct kunit_case cases[] = {
	KUNIT_CASE(changes),
	KUNIT_CASE(refused),
	KUNIT_CASE(all_or_none),
	KUNIT_CASE(words_all_or_none),
	KUNIT_CASE(names_of_others),
#ifdef CONFIG_MODULES
	KUNIT_CASE(modules_that_come),
#endif
	{}
};

TRACE_KUNIT_SUITE("trace_event_enable", cases, .init = enable_init);
