// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: actions keep their counts, triggers come and go with what they hold, and run when they
 * are to: before there is a record, with it, after its commit.
 */
#include <kunit/test.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "../events/test.h"
#include "../tests/suite.h"
#include "actions.h"
#include "trigger.h"

static int ran, started, refused;
static bool is_idle;

static void do_count(struct trace_action_use *use, const struct trace_action_call *call)
{
	ran++;
}

static void do_latch(struct trace_action_use *use, const struct trace_action_call *call)
{
	ran++;
	is_idle = true;
}

static bool idle(const struct trace_action_use *use)
{
	return is_idle;
}

static int start(struct trace_action_use *use)
{
	if (refused)
		return refused;
	started++;
	return 0;
}

static void stop(struct trace_action_use *use)
{
	started--;
}

static bool same_data(const struct trace_action_use *use, const struct trace_action_use *other)
{
	return use->data == other->data;
}

static struct trace_action counting = {
	.name = "counting", .type = ETT_TRACE_ONOFF, .run = do_count, .idle = idle,
	.start = start, .stop = stop, .same = same_data,
};

static struct trace_action latching = {
	.name = "latching", .type = ETT_SNAPSHOT, .run = do_latch, .idle = idle,
	.flags = TRACE_ACTION_LATCHES,
};

static struct trace_action after = {
	.name = "after", .type = ETT_STACKTRACE, .run = do_count, .flags = TRACE_ACTION_AFTER,
};

static struct trace_action wants_record = {
	.name = "record", .type = ETT_EVENT_HIST, .run = do_count, .flags = TRACE_ACTION_RECORD,
};

static struct trace_event_file other;

static int trigger_init(struct kunit *test)
{
	ran = 0;
	started = 0;
	refused = 0;
	is_idle = false;
	counted_event_init();
	other = file;
	INIT_LIST_HEAD(&other.triggers);
	return 0;
}

static int run(struct trace_action_use *use, int times)
{
	struct trace_action_call hit = { };

	ran = 0;
	guard(preempt)();
	while (times--)
		trace_action_run(use, &hit);
	return ran;
}

static void counts(struct kunit *test)
{
	struct trace_action_use use = { .action = &counting };

	atomic_long_set(&use.left, -1);
	KUNIT_EXPECT_EQ(test, run(&use, 5), 5);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&use.left), -1);
	atomic_long_set(&use.left, 3);
	KUNIT_EXPECT_EQ(test, run(&use, 2), 2);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&use.left), 1);
	KUNIT_EXPECT_EQ(test, run(&use, 5), 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&use.left), 0);

	/* what has nothing to do does not count */
	atomic_long_set(&use.left, 3);
	is_idle = true;
	KUNIT_EXPECT_EQ(test, run(&use, 5), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&use.left), 3);

	use.action = &latching;
	KUNIT_EXPECT_EQ(test, run(&use, 5), 0);
	is_idle = false;
	KUNIT_EXPECT_EQ(test, run(&use, 5), 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&use.left), 2);
	is_idle = false;
	atomic_long_set(&use.left, 0);
	KUNIT_EXPECT_EQ(test, run(&use, 5), 0);
}

struct words {
	const char	*words;
	int		ret;
	long		left;
	const char	*shown;
	int		error;
	int		bad;	/* offset, -1: at the beginning */
};

static const struct words all_words[] = {
	{ NULL,				0,		-1,	"traceoff:unlimited" },
	{ "0",				0,		0,	"traceoff:count=0" },
	{ "3",				0,		3,	"traceoff:count=3" },
	{ "0x10",			0,		16,	"traceoff:count=16" },
	{ "010",			0,		8,	"traceoff:count=8" },
	{ "18446744073709551615",	0,		-1,	"traceoff:unlimited" },
	{ "9223372036854775808", 0, LONG_MIN,	"traceoff:count=-9223372036854775808" },
	{ "18446744073709551616",	-ERANGE,	0,	NULL, ACTION_ERR_COUNT, 0 },
	{ "",				-EINVAL,	0,	NULL, ACTION_ERR_COUNT, 0 },
	{ "-1",				-EINVAL,	0,	NULL, ACTION_ERR_COUNT, 0 },
	{ "3x",				-EINVAL,	0,	NULL, ACTION_ERR_COUNT, 0 },
	{ "x",				-EINVAL,	0,	NULL, ACTION_ERR_COUNT, 0 },
};

static const struct words event_words[] = {
	{ "sched:sched_switch",		0, -1,	"enable_event:sched:sched_switch:unlimited" },
	{ "sched:sched_switch:7",	0, 7,	"enable_event:sched:sched_switch:count=7" },
	{ NULL,				-EINVAL, 0,	NULL, ACTION_ERR_NO_EVENT_NAME, -1 },
	{ "",				-EINVAL, 0,	NULL, ACTION_ERR_NO_EVENT_NAME, 0 },
	{ "sched",			-EINVAL, 0,	NULL, ACTION_ERR_NO_EVENT_NAME, 0 },
	{ "sched:",			-EINVAL, 0,	NULL, ACTION_ERR_NO_EVENT, 0 },
	{ ":sched_switch",		-EINVAL, 0,	NULL, ACTION_ERR_NO_EVENT, 0 },
	{ "sched:nosuch",		-EINVAL, 0,	NULL, ACTION_ERR_NO_EVENT, 0 },
	{ "sched:*",			-EINVAL, 0,	NULL, ACTION_ERR_NO_EVENT, 0 },
	{ "ftrace:print",		-EINVAL, 0,	NULL, ACTION_ERR_NO_EVENT, 0 },
	{ "sched:sched_switch:",	-EINVAL, 0,	NULL, ACTION_ERR_COUNT, 19 },
	{ "sched:sched_switch:x",	-EINVAL, 0,	NULL, ACTION_ERR_COUNT, 19 },
};

static void parse_all(struct kunit *test, const char *name, const struct words *words, int nr)
{
	const struct trace_action *action = trace_action_find(name, TRACE_ACTION_EVENT);

	KUNIT_ASSERT_NOT_NULL(test, action);
	for (; nr--; words++) {
		struct trace_action_use use = { .action = action, .tr = &global_trace };
		struct trace_action_text text = { };
		char shown[128], copy[64];
		struct seq_buf s;
		int ret;

		if (words->words) {
			strscpy(copy, words->words);
			text.at = copy;
		}
		scoped_guard(mutex, &event_mutex)
			ret = trace_action_parse(&use, NULL, &text);
		KUNIT_EXPECT_EQ_MSG(test, ret, words->ret, "%s", words->words);
		if (ret) {
			KUNIT_EXPECT_EQ_MSG(test, text.error, words->error, "%s", words->words);
			KUNIT_EXPECT_EQ_MSG(test, text.bad ? (int)(text.bad - copy) : -1,
					    words->bad, "%s", words->words);
			continue;
		}
		KUNIT_EXPECT_EQ(test, atomic_long_read(&use.left), words->left);
		seq_buf_init(&s, shown, sizeof(shown));
		scoped_guard(mutex, &event_mutex)
			trace_action_show(&use, &s);
		KUNIT_EXPECT_STREQ(test, seq_buf_str(&s), words->shown);
	}
}

static void parsing(struct kunit *test)
{
	parse_all(test, "traceoff", all_words, ARRAY_SIZE(all_words));
	parse_all(test, "enable_event", event_words, ARRAY_SIZE(event_words));
	KUNIT_EXPECT_NULL(test, trace_action_find("dump", TRACE_ACTION_EVENT));
	KUNIT_EXPECT_NULL(test, trace_action_find("", TRACE_ACTION_EVENT));
	KUNIT_EXPECT_NULL(test, trace_action_find("traceof", TRACE_ACTION_EVENT));
}

static struct event_trigger *new_trigger(struct kunit *test, struct trace_action *action,
					 void *data)
{
	struct event_trigger *trigger = kzalloc(struct_size(trigger, condition, 1), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, trigger);
	trigger->file = &file;
	trigger->use.action = action;
	trigger->use.tr = &global_trace;
	trigger->use.data = data;
	atomic_long_set(&trigger->use.left, -1);
	return trigger;
}

/* As the event's probe does it; a record where the flags ask for one. */
static int hit(void)
{
	int record;

	ran = 0;
	guard(preempt)();
	if (file.flags & EVENT_FILE_FL_TRIGGER_COND)
		event_triggers_post_call(&file, event_triggers_call(&file, NULL, &record, NULL));
	else if (file.flags & EVENT_FILE_FL_TRIGGER_MODE)
		event_triggers_call(&file, NULL, NULL, NULL);
	return ran;
}

static void expect_flags(struct kunit *test, bool mode, bool cond)
{
	KUNIT_EXPECT_EQ(test, !!(file.flags & EVENT_FILE_FL_TRIGGER_MODE), mode);
	KUNIT_EXPECT_EQ(test, !!(file.flags & EVENT_FILE_FL_TRIGGER_COND), cond);
	KUNIT_EXPECT_EQ(test, !!(file.flags & EVENT_FILE_FL_SOFT_MODE), mode);
	KUNIT_EXPECT_EQ(test, registered, mode ? 1 : 0);
}

static void come_and_go(struct kunit *test)
{
	struct event_trigger *a = new_trigger(test, &counting, NULL);
	struct event_trigger *b = new_trigger(test, &after, NULL);
	struct event_trigger *c = new_trigger(test, &wants_record, NULL);

	guard(mutex)(&event_mutex);
	expect_flags(test, false, false);
	KUNIT_EXPECT_EQ(test, hit(), 0);

	KUNIT_EXPECT_EQ(test, event_trigger_add(a), 0);
	expect_flags(test, true, false);
	KUNIT_EXPECT_EQ(test, started, 1);
	KUNIT_EXPECT_EQ(test, hit(), 1);

	KUNIT_EXPECT_EQ(test, event_trigger_add(b), 0);
	expect_flags(test, true, true);
	KUNIT_EXPECT_EQ(test, hit(), 2);

	KUNIT_EXPECT_EQ(test, event_trigger_add(c), 0);
	KUNIT_EXPECT_EQ(test, hit(), 3);

	/* the newest comes first */
	KUNIT_EXPECT_PTR_EQ(test, list_first_entry(&file.triggers, struct event_trigger, hook.list),
			    c);

	/* one that came between two looks at the flags runs without a record only if it can */
	ran = 0;
	scoped_guard(preempt)
		KUNIT_EXPECT_EQ(test, (int)event_triggers_call(&file, NULL, NULL, NULL),
				(int)ETT_NONE);
	KUNIT_EXPECT_EQ(test, ran, 1);

	event_trigger_remove(b);
	expect_flags(test, true, true);
	event_trigger_remove(c);
	expect_flags(test, true, false);
	KUNIT_EXPECT_EQ(test, hit(), 1);
	event_trigger_remove(a);
	expect_flags(test, false, false);
	KUNIT_EXPECT_EQ(test, started, 0);
	KUNIT_EXPECT_EQ(test, hit(), 0);
	KUNIT_EXPECT_EQ(test, (int)refcount_read(&file.ref), 1);
}

static void all_go(struct kunit *test)
{
	guard(mutex)(&event_mutex);
	for (long i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, event_trigger_add(new_trigger(test, &counting, (void *)i)),
				0);
	KUNIT_EXPECT_EQ(test, event_trigger_add(new_trigger(test, &after, NULL)), 0);
	KUNIT_EXPECT_EQ(test, hit(), 6);
	event_triggers_remove(&file);
	expect_flags(test, false, false);
	KUNIT_EXPECT_EQ(test, started, 0);
	KUNIT_EXPECT_EQ(test, (int)refcount_read(&file.ref), 1);
	event_triggers_remove(&file);
}

static void not_added(struct kunit *test)
{
	struct event_trigger *a = new_trigger(test, &counting, NULL);

	guard(mutex)(&event_mutex);
	refused = -EBUSY;
	KUNIT_EXPECT_EQ(test, event_trigger_add(a), -EBUSY);
	expect_flags(test, false, false);
	refused = 0;
	reg_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, event_trigger_add(a), -ENOMEM);
	KUNIT_EXPECT_EQ(test, started, 0);
	expect_flags(test, false, false);
	KUNIT_EXPECT_TRUE(test, list_empty(&file.triggers));
	kfree(a);
}

static void one_too_many(struct kunit *test)
{
	struct event_trigger *a = new_trigger(test, &counting, &file);
	struct trace_action_use use = a->use;

	guard(mutex)(&event_mutex);
	KUNIT_EXPECT_NULL(test, event_trigger_find(&file, &use));
	KUNIT_EXPECT_EQ(test, event_trigger_add(a), 0);
	KUNIT_EXPECT_PTR_EQ(test, event_trigger_find(&file, &use), a);
	use.data = &other;
	KUNIT_EXPECT_NULL(test, event_trigger_find(&file, &use));
	use.action = &after;
	KUNIT_EXPECT_NULL(test, event_trigger_find(&file, &use));
	event_triggers_remove(&file);
}

/* As much as there is room for; what is full stays so, and nobody complains. */
static void shown(struct kunit *test)
{
	struct event_trigger *a = new_trigger(test, &counting, NULL);
	static const char line[] = "counting:unlimited\n";
	const size_t len = strlen(line);
	char text[64];
	struct seq_file m = { .buf = text, .size = sizeof(text) };

	guard(mutex)(&event_mutex);
	event_trigger_show(&m, a);
	event_trigger_show(&m, a);
	KUNIT_EXPECT_EQ(test, m.count, 2 * len);
	KUNIT_EXPECT_MEMEQ(test, text, line, len);
	KUNIT_EXPECT_MEMEQ(test, text + len, line, len);
	m.size = m.count + len - 1;
	event_trigger_show(&m, a);
	KUNIT_EXPECT_TRUE(test, seq_has_overflowed(&m));
	event_trigger_show(&m, a);
	KUNIT_EXPECT_TRUE(test, seq_has_overflowed(&m));
	kfree(a);
}

static struct trace_action_use switching(const char *name)
{
	struct trace_action_use use = {
		.action = trace_action_find(name, TRACE_ACTION_EVENT),
		.tr = &global_trace,
		.data = &other,
	};

	atomic_long_set(&use.left, -1);
	return use;
}

static void expect_other(struct kunit *test, bool running, bool on, bool soft)
{
	unsigned long flags = other.flags;

	KUNIT_EXPECT_EQ(test, !!(flags & EVENT_FILE_FL_ENABLED), running);
	KUNIT_EXPECT_EQ(test, !!(flags & EVENT_FILE_FL_SOFT_MODE), soft);
	flags &= EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_SOFT_DISABLED;
	KUNIT_EXPECT_EQ(test, flags == EVENT_FILE_FL_ENABLED, on);
}

/* Who switches an event keeps it in soft mode; what is switched is not undone by others. */
static void events_switched(struct kunit *test)
{
	struct trace_action_use on = switching("enable_event"), off = switching("disable_event");

	guard(mutex)(&event_mutex);
	KUNIT_ASSERT_EQ(test, trace_action_start(&on), 0);
	expect_other(test, true, false, true);
	run(&on, 1);
	expect_other(test, true, true, true);
	KUNIT_ASSERT_EQ(test, trace_action_start(&off), 0);
	expect_other(test, true, true, true);
	run(&off, 1);
	expect_other(test, true, false, true);
	run(&on, 1);

	/* the user's switch is the same one */
	KUNIT_EXPECT_EQ(test, ftrace_event_enable_disable(&other, 0), 0);
	expect_other(test, true, false, true);
	run(&on, 1);
	trace_action_stop(&off);
	expect_other(test, true, true, true);
	trace_action_stop(&on);
	expect_other(test, true, true, false);
	KUNIT_EXPECT_EQ(test, ftrace_event_enable_disable(&other, 0), 0);
	expect_other(test, false, false, false);
	KUNIT_EXPECT_EQ(test, (int)refcount_read(&other.ref), 1);

	/* switched off by the trigger, it is off afterwards */
	KUNIT_EXPECT_EQ(test, ftrace_event_enable_disable(&other, 1), 0);
	KUNIT_ASSERT_EQ(test, trace_action_start(&off), 0);
	expect_other(test, true, true, true);
	run(&off, 1);
	trace_action_stop(&off);
	expect_other(test, false, false, false);
	KUNIT_EXPECT_EQ(test, registered, 0);

	reg_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, trace_action_start(&on), -ENOMEM);
	expect_other(test, false, false, false);
	KUNIT_EXPECT_EQ(test, (int)refcount_read(&other.ref), 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(counts),
	KUNIT_CASE(parsing),
	KUNIT_CASE(come_and_go),
	KUNIT_CASE(all_go),
	KUNIT_CASE(not_added),
	KUNIT_CASE(one_too_many),
	KUNIT_CASE(shown),
	KUNIT_CASE(events_switched),
	{}
};

TRACE_KUNIT_SUITE("trace_triggers", cases, .init = trigger_init);
