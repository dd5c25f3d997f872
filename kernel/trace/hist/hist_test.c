// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: the language of hist triggers: what expressions come to, what is refused and leaves
 * nothing behind, who holds whose variables, what is read of a hist that is hit. The hists are set
 * on events of the kernel, in the top instance, and gone when a test ends.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../dynevent/synth_internal.h"
#include "../events/events.h"
#include "../tests/suite.h"
#include "internal.h"

static struct trace_event_file *file, *other;

static int hist_init_test(struct kunit *test)
{
	guard(mutex)(&event_mutex);
	if (event_files_get_ready(&global_trace))
		return -ENOMEM;
	file = find_event_file(&global_trace, "sched", "sched_process_fork");
	other = find_event_file(&global_trace, "sched", "sched_process_exit");
	return file && other ? 0 : -ENODEV;
}

static unsigned int nr_hists(void)
{
	return list_count_nodes(&hists_of(&global_trace)->hists);
}

/* event_mutex */
static int write(struct trace_event_file *to, const char *command, bool remove)
{
	char *copy = kstrdup(command, GFP_KERNEL);
	int ret = copy ? hist_command(to, copy, remove) : -ENOMEM;

	kfree(copy);
	return ret;
}

/* A record with all fields 0 but @name. */
static void *record_with(struct kunit *test, const char *name, u64 value)
{
	struct ftrace_event_field *field;
	void *rec = kunit_kzalloc(test, 256, GFP_KERNEL);
	char copy[32];

	KUNIT_ASSERT_NOT_NULL(test, rec);
	strscpy(copy, name);
	field = trace_find_event_field(file->event_call, copy);
	KUNIT_ASSERT_NOT_NULL(test, field);
	memcpy(rec + field->offset, &value, field->size);
	return rec;
}

static void expressions(struct kunit *test)
{
	static const struct {
		const char	*text;
		u64		value;	/* with parent_pid 10 */
	} tests[] = {
		{ "123", 123 },
		{ "16-8-4-2", 2 },
		{ "64/8/4/2", 1 },
		{ "16-8+4+2", 14 },
		{ "4*3/2*2", 12 },
		{ "4+3*2-2", 8 },
		{ "(4+3)*2", 14 },
		{ "2*(4+3)-1", 13 },
		{ "((5))", 5 },
		{ "-(5)", -5ULL },
		{ "parent_pid", 10 },
		{ "parent_pid+1", 11 },
		{ "parent_pid*parent_pid-parent_pid", 90 },
		{ "100/parent_pid", 10 },
		{ "parent_pid-11", -1ULL },
		{ "-(parent_pid)", -10ULL },
		{ "-(parent_pid-3)", -7ULL },
		{ "2*-(parent_pid)", -20ULL },
		{ "parent_pid/(parent_pid-10)", -1ULL },
		{ "0x10+parent_pid", 26 },
		{ " parent_pid + 1 ", 11 },
		{ "sched.sched_process_fork.parent_pid", 10 },
		{ "common_type", 0 },
	};
	void *rec = record_with(test, "parent_pid", 10);

	guard(mutex)(&event_mutex);
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++) {
		struct hist *hist = kunit_kzalloc(test, sizeof(*hist), GFP_KERNEL);
		struct hist_parse p = { .file = file, .tr = &global_trace, .hist = hist };
		struct hist_hit hit = { .hist = hist, .rec = rec };
		char *text = kunit_kstrdup(test, tests[i].text, GFP_KERNEL);
		struct hist_field *field;
		u64 value = tests[i].value;

		KUNIT_ASSERT_NOT_NULL(test, hist);
		hist->tr = &global_trace;
		field = hist_field_parse(&p, text, HIST_AS_VAR, "x");
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(field), "%s", tests[i].text);
		if (!strcmp(tests[i].text, "common_type"))
			value = file->event_call->event.type;
		KUNIT_EXPECT_EQ_MSG(test, hist_value(field, &hit), value, "%s", tests[i].text);
		KUNIT_EXPECT_LE(test, field->nr_steps, HIST_STEPS_MAX);
		hist_field_free(field);
	}
}

/* What is shown of an expression means the same when it is written. */
static void expression_names(struct kunit *test)
{
	static const struct {
		const char	*text;
		const char	*name;
	} tests[] = {
		{ "child_pid - (parent_pid - 1)", "child_pid-(parent_pid-1)" },
		{ "(child_pid-parent_pid)-1", "child_pid-parent_pid-1" },
		{ "(child_pid+1)*2", "(child_pid+1)*2" },
		{ "(child_pid*2)+1", "child_pid*2+1" },
		{ "1+(child_pid*2)", "1+child_pid*2" },
		{ "child_pid/(parent_pid/2)", "child_pid/(parent_pid/2)" },
		{ "(1+child_pid)*(2+parent_pid)", "(1+child_pid)*(2+parent_pid)" },
		{ "2*-(child_pid+1)", "2*-(child_pid+1)" },
	};
	unsigned int before;

	guard(mutex)(&event_mutex);
	before = nr_hists();
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++) {
		char command[80];
		struct hist *hist;

		snprintf(command, sizeof(command), "keys=parent_pid:vals=%s", tests[i].text);
		KUNIT_ASSERT_EQ_MSG(test, write(file, command, false), 0, "%s", command);
		hist = list_last_entry(&hists_of(&global_trace)->hists, struct hist, list);
		KUNIT_EXPECT_STREQ(test, hist->values[1]->name, tests[i].name);
		snprintf(command, sizeof(command), "keys=parent_pid:vals=%s", tests[i].name);
		KUNIT_EXPECT_EQ_MSG(test, write(file, command, true), 0, "%s", command);
		KUNIT_EXPECT_EQ_MSG(test, nr_hists(), before, "%s", command);
	}
	/* so these are not the same */
	KUNIT_EXPECT_EQ(test, write(file, "keys=parent_pid:vals=child_pid-(parent_pid-1)", false),
			0);
	KUNIT_EXPECT_EQ(test, write(file, "keys=parent_pid:vals=child_pid-parent_pid-1", false),
			0);
	event_triggers_remove(file);
}

static void signs(struct kunit *test)
{
	void *rec = record_with(test, "parent_pid", -3ULL);
	struct hist *hist = kunit_kzalloc(test, sizeof(*hist), GFP_KERNEL);
	struct hist_parse p = { .file = file, .tr = &global_trace, .hist = hist };
	struct hist_hit hit = { .hist = hist, .rec = rec };
	char text[] = "parent_pid";
	struct hist_field *field;

	KUNIT_ASSERT_NOT_NULL(test, hist);
	guard(mutex)(&event_mutex);
	field = hist_field_parse(&p, text, HIST_AS_KEY, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(field));
	KUNIT_EXPECT_EQ(test, hist_value(field, &hit), -3ULL);
	hist_field_free(field);
}

static void refused(struct kunit *test)
{
	static const struct {
		const char	*text;
		int		ret;
	} tests[] = {
		{ "", -EINVAL },
		{ "keys", -EINVAL },
		{ "keys=", -EINVAL },
		{ "vals=parent_pid", -EINVAL },
		{ "keys=nope", -EINVAL },
		{ "keys=parent_pid,", -EINVAL },
		{ "keys=$x", -EINVAL },
		{ "keys=parent_pid:x=$y", -EINVAL },
		{ "keys=parent_pid:x=1:x=2", -EINVAL },
		{ "keys=parent_pid:x=1/0", -EDOM },
		{ "keys=parent_pid:vals=1+parent_pid/0", -EDOM },
		{ "keys=parent_pid:x=1+", -EINVAL },
		{ "keys=parent_pid:x=(1", -EINVAL },
		{ "keys=parent_pid:x=1+2+3+4+5", -EINVAL },
		{ "keys=parent_pid:x=parent_comm*2", -EINVAL },
		{ "keys=parent_pid:vals=parent_comm", -EINVAL },
		{ "keys=parent_pid:vals=parent_comm.log2", -EINVAL },
		{ "keys=parent_pid:vals=child_pid.log2", -EINVAL },
		{ "keys=parent_pid:x=child_pid.log2", -EINVAL },
		{ "keys=parent_pid:x=child_pid.quantiles+1", -EINVAL },
		{ "keys=parent_pid:size=0", -EINVAL },
		{ "keys=parent_pid:size=9223372036854775808", -EINVAL },
		{ "keys=parent_pid:sort=nope", -EINVAL },
		{ "keys=parent_pid:nohitcount", -ENOENT },
		{ "keys=parent_pid:clear", -ENOENT },
		{ "keys=parent_pid:onmax", -EINVAL },
		{ "keys=parent_pid:kunit_t=common_timestamp:clock=nope", -EINVAL },
		{ "keys=parent_pid if nope == 1", -EINVAL },
		{ "keys=parent_pid if", -EINVAL },
		{ "keys=1,2,3,4,5,6,7,8,9", -EINVAL },
		{ "keys=parent_pid:vals=1,2,3,4,5,6,7,8", -EINVAL },
	};
	unsigned int before;

	guard(mutex)(&event_mutex);
	before = nr_hists();
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++) {
		KUNIT_EXPECT_EQ_MSG(test, write(file, tests[i].text, false), tests[i].ret, "%s",
				    tests[i].text);
		KUNIT_EXPECT_EQ_MSG(test, nr_hists(), before, "%s", tests[i].text);
	}
}

static void come_and_go(struct kunit *test)
{
	static const char *const commands[] = {
		"keys=parent_pid",
		"keys=parent_pid,child_pid,parent_comm,common_cpu,1,2,3,4:vals=child_pid",
		"keys=common_stacktrace",
		"keys=parent_comm:vals=hitcount.percent,child_pid.hex:sort=child_pid.descending",
		"keys=parent_pid.buckets=8:size=128:pause",
		"keys=parent_pid.log2+1:x=child_pid.log2*2,y=child_pid.buckets=8-1",
		"keys=parent_pid:vals=child_pid.quantiles:sort=child_pid.p99.descending",
		"name=kunit:keys=parent_pid:ts=common_timestamp.usecs,c=parent_comm,s=stacktrace",
		"keys=parent_pid if parent_pid > 1",
	};
	unsigned int before, users = atomic_read(&file->tm_ref);

	guard(mutex)(&event_mutex);
	before = nr_hists();
	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++) {
		KUNIT_EXPECT_EQ_MSG(test, write(file, commands[i], false), 0, "%s", commands[i]);
		/* with another name of the command's it would be another one */
		KUNIT_EXPECT_LT_MSG(test, write(file, commands[i], false), i == 4 ? 1 : 0, "%s",
				    commands[i]);
		KUNIT_EXPECT_EQ(test, nr_hists(), before + i + 1);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++)
		KUNIT_EXPECT_EQ_MSG(test, write(file, commands[i], true), 0, "%s", commands[i]);
	KUNIT_EXPECT_EQ(test, nr_hists(), before);
	KUNIT_EXPECT_EQ(test, (unsigned int)atomic_read(&file->tm_ref), users);
	/* what is not there is no error */
	KUNIT_EXPECT_EQ(test, write(file, commands[0], true), 0);
}

static void variables(struct kunit *test)
{
	unsigned int before;
	u64 till;

	guard(mutex)(&event_mutex);
	KUNIT_EXPECT_EQ(test, write(file, "keys=parent_pid:kunit_x=child_pid", false), 0);
	KUNIT_EXPECT_EQ(test, write(other, "keys=pid:kunit_y=$kunit_x+1:kunit_z=$kunit_x",
				    false), 0);
	/* held, as long as it is read */
	KUNIT_EXPECT_EQ(test, write(file, "keys=parent_pid:kunit_x=child_pid", true), -EBUSY);
	KUNIT_EXPECT_TRUE(test, event_triggers_busy(file, U64_MAX));
	KUNIT_EXPECT_FALSE(test, event_triggers_busy(other, U64_MAX));
	/* the name is taken on this event, and not unique with one on another */
	KUNIT_EXPECT_EQ(test, write(file, "keys=child_pid:kunit_x=1", false), -EINVAL);
	KUNIT_EXPECT_EQ(test, write(other, "keys=prio:kunit_x=1", false), 0);
	KUNIT_EXPECT_EQ(test, write(other, "keys=prio:kunit_w=$kunit_x", false), -EINVAL);
	KUNIT_EXPECT_EQ(test, write(other, "keys=pid:kunit_w=sched.sched_process_fork.$kunit_x",
				    false), 0);
	/* the event may go nevertheless: references lead nowhere, and can be removed as ever */
	event_triggers_remove(file);
	KUNIT_EXPECT_FALSE(test, event_triggers_busy(file, U64_MAX));
	before = nr_hists();
	KUNIT_EXPECT_EQ(test, write(other, "keys=pid:kunit_y=$kunit_x+1:kunit_z=$kunit_x",
				    true), 0);
	KUNIT_EXPECT_EQ(test, nr_hists(), before - 1);
	KUNIT_EXPECT_EQ(test, write(other, "keys=prio:kunit_x=1", true), 0);
	KUNIT_EXPECT_EQ(test, write(other, "keys=pid:kunit_w=sched.sched_process_fork.$kunit_x",
				    true), 0);
	KUNIT_EXPECT_EQ(test, nr_hists(), before - 3);
	/* not those that were never there */
	KUNIT_EXPECT_EQ(test, write(other, "keys=pid:kunit_w=$kunit_x", true), -EINVAL);
	event_triggers_remove(other);
	KUNIT_EXPECT_EQ(test, write(file, "keys=parent_pid:kunit_x=child_pid", false), 0);
	KUNIT_EXPECT_EQ(test, write(file, "keys=parent_pid:kunit_x=child_pid", true), 0);

	/* who reads it on the same event goes with it, or stays */
	KUNIT_EXPECT_EQ(test, write(file, "keys=parent_pid:kunit_x=child_pid", false), 0);
	till = event_triggers_now();
	KUNIT_EXPECT_FALSE(test, event_triggers_busy(file, till));
	KUNIT_EXPECT_EQ(test, write(file, "keys=child_pid:kunit_w=$kunit_x", false), 0);
	KUNIT_EXPECT_TRUE(test, event_triggers_busy(file, till));
	KUNIT_EXPECT_FALSE(test, event_triggers_busy(file, U64_MAX));
	event_triggers_remove(file);
}

/* A name without an event is that of the event which is matched, if it has one. */
static void matched(struct kunit *test)
{
	static const char on_exit[] =
		"keys=child_pid:kw=$kunit_x:onmatch(sched.sched_process_exit).kunit_m($kw)";
	static const struct {
		const char	*more;
		int		ret;
	} tests[] = {
		{ "", 0 },
		/* the same event once more; another one, which has one as well */
		{ ":onmatch(sched.sched_process_exit).kunit_m($kw)", 0 },
		{ ":onmatch(sched.sched_process_fork).kunit_m($kw)", -EINVAL },
	};
	char command[192];
	struct hist *hist;

	KUNIT_ASSERT_EQ(test, synth_event_command("kunit_m int x"), 0);
	scoped_guard(mutex, &event_mutex) {
		KUNIT_EXPECT_EQ(test, write(file, "keys=parent_pid:kunit_x=child_pid", false), 0);
		KUNIT_EXPECT_EQ(test, write(other, "keys=pid:kunit_x=prio", false), 0);
		KUNIT_EXPECT_EQ(test, write(file, "keys=child_pid:kunit_w=$kunit_x", false),
				-EINVAL);
		for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++) {
			snprintf(command, sizeof(command), "%s%s", on_exit, tests[i].more);
			KUNIT_EXPECT_EQ_MSG(test, write(file, command, false), tests[i].ret, "%s",
					    command);
			if (tests[i].ret)
				continue;
			hist = list_last_entry(&hists_of(&global_trace)->hists, struct hist, list);
			KUNIT_EXPECT_PTR_EQ(test, hist->refs[0].hist->file, other);
			KUNIT_EXPECT_EQ_MSG(test, write(file, command, true), 0, "%s", command);
		}
		event_triggers_remove(file);
		event_triggers_remove(other);
	}
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_m"), 0);
}

/* Hists of one name= have their variables together. */
static void shared_variable(struct kunit *test)
{
	static const char both[] = "name=kunit:keys=common_pid:kunit_x=common_timestamp";
	unsigned int before;

	guard(mutex)(&event_mutex);
	before = nr_hists();
	KUNIT_EXPECT_EQ(test, write(file, both, false), 0);
	KUNIT_EXPECT_EQ(test, write(other, both, false), 0);
	KUNIT_EXPECT_EQ(test, write(other, "keys=common_pid:kunit_w=$kunit_x", false), 0);
	KUNIT_EXPECT_EQ(test, nr_hists(), before + 3);
	/* it is held, by the first one */
	KUNIT_EXPECT_EQ(test, write(file, both, true), -EBUSY);
	KUNIT_EXPECT_EQ(test, write(other, "keys=common_pid:kunit_w=$kunit_x", true), 0);
	KUNIT_EXPECT_EQ(test, write(other, both, true), 0);
	KUNIT_EXPECT_EQ(test, write(file, both, true), 0);
	KUNIT_EXPECT_EQ(test, nr_hists(), before);
}

/* Pauses the last hist, lets it go on, empties it; none is made. */
static void change(struct kunit *test, struct trace_event_file *to, const char *text)
{
	static const char *const changes[] = { "pause", "cont", "clear" };
	struct hist *hist = list_last_entry(&hists_of(&global_trace)->hists, struct hist, list);
	unsigned int before = nr_hists();
	char command[192];

	for (unsigned int i = 0; i < ARRAY_SIZE(changes); i++) {
		snprintf(command, sizeof(command), "%s:%s", text, changes[i]);
		KUNIT_EXPECT_EQ_MSG(test, write(to, command, false), 0, "%s", command);
		KUNIT_EXPECT_EQ_MSG(test, test_bit(HIST_PAUSED_BIT, &hist->state), !i, "%s",
				    command);
		KUNIT_EXPECT_EQ_MSG(test, nr_hists(), before, "%s", command);
	}
}

/* One with variables, or actions, is changed as any other is. */
static void changes(struct kunit *test)
{
	static const char *const commands[] = {
		"keys=child_pid:kunit_x=parent_pid",
		"keys=child_pid:kunit_y=child_pid:onmax($kunit_y).save(parent_pid)",
		"keys=child_pid:onmatch(sched.sched_process_exit).kunit_c(prio)",
		"name=kunit:keys=child_pid:kunit_z=common_timestamp",
	};

	KUNIT_ASSERT_EQ(test, synth_event_command("kunit_c int a"), 0);
	scoped_guard(mutex, &event_mutex) {
		KUNIT_EXPECT_EQ(test, write(other, "keys=pid", false), 0);
		for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++) {
			KUNIT_EXPECT_EQ_MSG(test, write(file, commands[i], false), 0, "%s",
					    commands[i]);
			change(test, file, commands[i]);
		}
		/* a new one that is paused from the beginning may have no such variable */
		KUNIT_EXPECT_EQ(test, write(file, "keys=child_comm:kunit_x=child_pid:pause", false),
				-EINVAL);
		KUNIT_EXPECT_EQ(test, write(file, "keys=child_comm:kunit_v=child_pid:clear", false),
				-ENOENT);
		event_triggers_remove(file);
		event_triggers_remove(other);
	}
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_c"), 0);
}

/* By the words that set it a hist is found, whatever variables they would mean by now. */
static void same_words(struct kunit *test)
{
	static const char x[] = "keys=parent_pid:kunit_x=child_pid";
	static const char *const readers[] = {
		"keys=pid:kunit_b=$kunit_x",
		"keys=prio:kunit_c=$kunit_x:kunit_d=sched.sched_process_fork.$kunit_x",
	};
	/* of two events, and the unit is not the same */
	static const char *const units[] = {
		"keys=child_pid:kunit_l=common_timestamp-$kunit_t:onmatch(sched.sched_process_fork).kunit_u($kunit_l)",
		"keys=child_pid:kunit_m=common_timestamp.usecs-$kunit_t:onmatch(sched.sched_process_exit).kunit_u($kunit_m)",
	};
	struct hist *last = NULL;
	unsigned int before;
	char pause[96];

	KUNIT_ASSERT_EQ(test, synth_event_command("kunit_u u64 t"), 0);
	mutex_lock(&event_mutex);
	before = nr_hists();
	KUNIT_EXPECT_EQ(test, write(file, x, false), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(readers); i++) {
		KUNIT_EXPECT_EQ_MSG(test, write(other, readers[i], false), 0, "%s", readers[i]);
		last = list_last_entry(&hists_of(&global_trace)->hists, struct hist, list);
	}
	/* no number, and there are two of them now */
	KUNIT_EXPECT_EQ(test, write(other, "keys=comm:kunit_x=comm", false), 0);
	KUNIT_EXPECT_EQ(test, write(other, "keys=prio:kunit_e=$kunit_x", true), -EINVAL);
	KUNIT_EXPECT_EQ(test, write(file, x, true), -EBUSY);
	snprintf(pause, sizeof(pause), "%s:pause", readers[1]);
	KUNIT_EXPECT_EQ(test, write(other, pause, false), 0);
	KUNIT_EXPECT_TRUE(test, test_bit(HIST_PAUSED_BIT, &last->state));
	for (unsigned int i = 0; i < ARRAY_SIZE(readers); i++) {
		/* with > it goes with the others on the event, or stays with them */
		event_triggers_set_aside(other, U64_MAX);
		KUNIT_EXPECT_EQ_MSG(test, write(other, readers[i], true), 0, "%s", readers[i]);
		event_triggers_settle(other, false);
		KUNIT_EXPECT_EQ(test, nr_hists(), before + 4 - i);
		KUNIT_EXPECT_EQ_MSG(test, write(other, readers[i], true), 0, "%s", readers[i]);
		KUNIT_EXPECT_EQ(test, nr_hists(), before + 3 - i);
	}
	KUNIT_EXPECT_EQ(test, write(file, x, true), 0);
	KUNIT_EXPECT_EQ(test, write(other, "keys=comm:kunit_x=comm", true), 0);
	KUNIT_EXPECT_EQ(test, nr_hists(), before);

	/* the variable has gone, and was read with its event and without */
	KUNIT_EXPECT_EQ(test, write(file, x, false), 0);
	KUNIT_EXPECT_EQ(test, write(other, readers[1], false), 0);
	event_triggers_remove(file);
	KUNIT_EXPECT_EQ(test, write(other, readers[1], true), 0);
	KUNIT_EXPECT_EQ(test, nr_hists(), before);

	for (unsigned int first = 0; first < 2; first++) {
		KUNIT_EXPECT_EQ(test, write(file, "keys=parent_pid:kunit_t=common_timestamp",
					    false), 0);
		KUNIT_EXPECT_EQ(test, write(other, "keys=pid:kunit_t=common_timestamp.usecs",
					    false), 0);
		KUNIT_EXPECT_EQ(test, write(file, units[0], false), 0);
		KUNIT_EXPECT_EQ(test, write(file, units[1], false), 0);
		KUNIT_EXPECT_EQ(test, write(file, units[first], true), 0);
		KUNIT_EXPECT_EQ(test, write(file, units[!first], true), 0);
		KUNIT_EXPECT_EQ(test, nr_hists(), before + 2);
		event_triggers_remove(file);
		event_triggers_remove(other);
	}
	mutex_unlock(&event_mutex);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_u"), 0);
}

/* A hist may be taken away with the hist on the same event that was made for its argument. */
static void helper_on_own_event(struct kunit *test)
{
	static const char reads[] =
		"keys=parent_pid:onmatch(sched.sched_process_fork).kunit_h(hitcount)";
	unsigned int before, users = atomic_read(&file->tm_ref);

	KUNIT_ASSERT_EQ(test, synth_event_command("kunit_h u64 n"), 0);
	scoped_guard(mutex, &event_mutex) {
		before = nr_hists();
		KUNIT_EXPECT_EQ(test, write(file, "keys=parent_pid", false), 0);
		KUNIT_EXPECT_EQ(test, write(file, reads, false), 0);
		KUNIT_EXPECT_EQ(test, nr_hists(), before + 3);
		event_triggers_remove(file);
		KUNIT_EXPECT_EQ(test, nr_hists(), before);
		KUNIT_EXPECT_EQ(test, (unsigned int)atomic_read(&file->tm_ref), users);
	}
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_h"), 0);
}

/* The header of a record is filled in for who looks at it; the task's pid is known anyway. */
static void headers(struct kunit *test)
{
	static const struct {
		const char	*text;
		bool		needs;
	} tests[] = {
		{ "keys=parent_pid", false },
		{ "keys=common_pid.execname", false },
		{ "keys=parent_pid:vals=common_type", false },
		{ "keys=common_flags", true },
		{ "keys=parent_pid:vals=common_pid,common_preempt_count", true },
	};
	struct hist *hist;

	guard(mutex)(&event_mutex);
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++) {
		KUNIT_ASSERT_EQ_MSG(test, write(file, tests[i].text, false), 0, "%s",
				    tests[i].text);
		hist = list_last_entry(&hists_of(&global_trace)->hists, struct hist, list);
		KUNIT_EXPECT_EQ_MSG(test, hist->needs_header, tests[i].needs, "%s",
				    tests[i].text);
		KUNIT_EXPECT_EQ_MSG(test, write(file, tests[i].text, true), 0, "%s",
				    tests[i].text);
	}
}

/* A time is one in microseconds however many variables it went through. */
static void units(struct kunit *test)
{
	guard(mutex)(&event_mutex);
	KUNIT_EXPECT_EQ(test, write(file, "keys=parent_pid:kunit_t=common_timestamp.usecs",
				    false), 0);
	KUNIT_EXPECT_EQ(test, write(other, "keys=pid:kunit_a=$kunit_t", false), 0);
	KUNIT_EXPECT_EQ(test, write(file, "keys=child_pid:kunit_l=common_timestamp.usecs-$kunit_a",
				    false), 0);
	KUNIT_EXPECT_EQ(test, write(file, "keys=child_comm:kunit_n=common_timestamp-$kunit_a",
				    false), -EINVAL);
	KUNIT_EXPECT_EQ(test, write(other, "keys=prio:kunit_d=$kunit_a-$kunit_t", false), 0);
	KUNIT_EXPECT_EQ(test, write(file, "keys=child_comm:kunit_s=common_timestamp.usecs+$kunit_d",
				    false), 0);
	event_triggers_remove(file);
	event_triggers_remove(other);
}

/* What onmax() compares is a variable, and nothing that looks like one's name. */
static void tracks_variables(struct kunit *test)
{
	static const char *const expressions[] = {
		"keys=parent_pid:kunit_a=1,kunit_a+2=3:onmax($kunit_a+2).save(child_pid)",
		"keys=parent_pid:kunit_a=1,kunit_a*2=2:onchange($kunit_a*2).save(child_pid)",
	};
	static const char odd[] = "keys=parent_pid:kunit_a.x=1:onmax($kunit_a.x).save(child_pid)";
	unsigned int before;

	guard(mutex)(&event_mutex);
	before = nr_hists();
	for (unsigned int i = 0; i < ARRAY_SIZE(expressions); i++) {
		KUNIT_EXPECT_EQ_MSG(test, write(file, expressions[i], false), -EINVAL, "%s",
				    expressions[i]);
		KUNIT_EXPECT_EQ(test, nr_hists(), before);
	}
	KUNIT_EXPECT_EQ(test, write(file, odd, false), 0);
	KUNIT_EXPECT_EQ(test, write(file, odd, true), 0);
	KUNIT_EXPECT_EQ(test, nr_hists(), before);
}

/* A user's hist may be read in the place of one made for an argument, and does not go as that. */
static void helper_of_a_user(struct kunit *test)
{
	static const char whole[] =
		"keys=child_pid:onmatch(sched.sched_process_exit).kunit_one(prio)";
	static const char one_too_few[] =
		"keys=child_pid:onmatch(sched.sched_process_exit).kunit_two(prio)";
	static const char users[] = "keys=pid:synthetic_prio=prio";
	unsigned int before;

	KUNIT_ASSERT_EQ(test, synth_event_command("kunit_one int a"), 0);
	KUNIT_ASSERT_EQ(test, synth_event_command("kunit_two int a; int b"), 0);
	scoped_guard(mutex, &event_mutex) {
		before = nr_hists();
		KUNIT_EXPECT_EQ(test, write(other, users, false), 0);
		KUNIT_EXPECT_EQ(test, write(file, "keys=child_pid", false), 0);
		/* written with >, and refused when the argument has been found */
		event_triggers_set_aside(file, U64_MAX);
		KUNIT_EXPECT_EQ(test, write(file, one_too_few, false), -EINVAL);
		KUNIT_EXPECT_EQ(test, nr_hists(), before + 1);
		if (nr_hists() == before + 1)
			event_triggers_settle(file, false);
		KUNIT_EXPECT_EQ(test, nr_hists(), before + 2);
		/* taken, and removed again */
		KUNIT_EXPECT_EQ(test, write(file, whole, false), 0);
		KUNIT_EXPECT_EQ(test, write(other, users, true), -EBUSY);
		KUNIT_EXPECT_EQ(test, write(file, whole, true), 0);
		KUNIT_EXPECT_EQ(test, nr_hists(), before + 2);
		event_triggers_remove(file);
		event_triggers_remove(other);
		KUNIT_EXPECT_EQ(test, nr_hists(), before);
	}
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_one"), 0);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_two"), 0);
}

static int refusing_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	return -ENOMEM;
}

/* The event's probe cannot be hung in, for lack of memory: all is as it was. */
static void event_refuses(struct kunit *test)
{
	static const char *const commands[] = {
		"keys=parent_pid",
		"keys=parent_pid,child_comm:vals=child_pid.quantiles if parent_pid > 1",
		"name=kunit:keys=parent_pid:kunit_v=child_pid:onmax($kunit_v).save(child_comm)",
		"keys=parent_pid:kunit_t=common_timestamp:clock=mono",
	};
	struct trace_event_class *class = file->event_call->class;
	int (*reg)(struct trace_event_call *call, enum trace_reg type, void *data) = class->reg;
	unsigned int before, users, clock = READ_ONCE(global_trace.clock_id);

	guard(mutex)(&event_mutex);
	before = nr_hists();
	users = atomic_read(&file->tm_ref);
	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++) {
		class->reg = refusing_reg;
		KUNIT_EXPECT_EQ_MSG(test, write(file, commands[i], false), -ENOMEM, "%s",
				    commands[i]);
		class->reg = reg;
		KUNIT_EXPECT_EQ(test, nr_hists(), before);
		KUNIT_EXPECT_EQ(test, (unsigned int)atomic_read(&file->tm_ref), users);
		KUNIT_EXPECT_EQ(test, READ_ONCE(global_trace.clock_id), clock);
	}
}

/* A hist that was made for an argument leaves the clock to whom it is for, who may be refused. */
static void helpers_clock(struct kunit *test)
{
	static const char at_exit[] =
		"keys=child_pid:clock=mono:onmatch(sched.sched_process_exit).kunit_k(%s,%s)";
	static const char time[] = "sched.sched_process_exit.common_timestamp";
	const char *clock = trace_clocks[READ_ONCE(global_trace.clock_id)].name;
	unsigned int before;
	char command[192];

	KUNIT_ASSERT_EQ(test, synth_event_command("kunit_k u64 t; int a"), 0);
	scoped_guard(mutex, &event_mutex) {
		KUNIT_EXPECT_EQ(test, tracing_set_clock(&global_trace, "counter"), 0);
		KUNIT_EXPECT_EQ(test, write(other, "keys=pid", false), 0);
		before = nr_hists();
		snprintf(command, sizeof(command), at_exit, time, "nosuch");
		KUNIT_EXPECT_EQ(test, write(file, command, false), -EINVAL);
		KUNIT_EXPECT_EQ(test, nr_hists(), before);
		KUNIT_EXPECT_STREQ(test, trace_clocks[READ_ONCE(global_trace.clock_id)].name,
				   "counter");
		/* once it is set, its clock is that of the times that it reads */
		snprintf(command, sizeof(command), at_exit, time, "prio");
		KUNIT_EXPECT_EQ(test, write(file, command, false), 0);
		KUNIT_EXPECT_EQ(test, nr_hists(), before + 3);
		KUNIT_EXPECT_STREQ(test, trace_clocks[READ_ONCE(global_trace.clock_id)].name,
				   "mono");
		KUNIT_EXPECT_EQ(test, write(file, command, true), 0);
		KUNIT_EXPECT_EQ(test, nr_hists(), before);
		event_triggers_remove(other);
		KUNIT_EXPECT_EQ(test, tracing_set_clock(&global_trace, clock), 0);
	}
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_k"), 0);
}

static void conditions(struct kunit *test)
{
	char none[] = "keys=a:b", blanks[] = "keys=a   if   b==1  ", iff[] = "keys=a iff if b";
	char empty[] = "keys=a if", field[] = "keys=if if if==2";

	KUNIT_EXPECT_NULL(test, hist_split_condition(none));
	KUNIT_EXPECT_STREQ(test, hist_split_condition(blanks), "  b==1");
	KUNIT_EXPECT_STREQ(test, hist_split_condition(iff), "b");
	KUNIT_EXPECT_STREQ(test, hist_split_condition(empty), "");
	KUNIT_EXPECT_STREQ(test, hist_split_condition(field), "if==2");
}

static void hit_at(struct hist *hist, void *rec, u64 time)
{
	guard(preempt)();
	hist_hit(&hist->trigger->hook, rec, time);
}

static void hit(struct hist *hist, void *rec)
{
	hit_at(hist, rec, 0);
}

/* Whichever way hits of a hist go, they find out that they are not wanted. */
static void ways(struct kunit *test)
{
	static const struct {
		const char	*text;
		unsigned long	state;
	} tests[] = {
		{ "keys=parent_pid", HIST_COUNTS },
		{ "keys=parent_pid.log2", HIST_ADDS },
		{ "keys=common_pid", HIST_ADDS },
		{ "keys=parent_pid:vals=child_pid:kunit_v=child_pid,kunit_t=common_timestamp",
		  HIST_ADDS },
		{ "keys=parent_pid,child_pid", HIST_WHOLE },
		{ "keys=parent_pid:kunit_s=parent_comm", HIST_WHOLE },
		{ "keys=parent_pid:vals=child_pid.quantiles", HIST_WHOLE },
		{ "keys=parent_pid:kunit_v=child_pid:onmax($kunit_v).save(child_pid)", HIST_WHOLE },
	};
	void *rec = record_with(test, "parent_pid", 10);

	guard(mutex)(&event_mutex);
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++) {
		const char *text = tests[i].text;
		char command[128];
		struct hist *hist;

		/* hits of others do not pass */
		snprintf(command, sizeof(command), "%s if parent_pid == -7", text);
		KUNIT_ASSERT_EQ_MSG(test, write(file, command, false), 0, "%s", text);
		hist = list_last_entry(&hists_of(&global_trace)->hists, struct hist, list);
		KUNIT_EXPECT_EQ_MSG(test, hist->state, tests[i].state, "%s", text);
		hit(hist, rec);
		KUNIT_EXPECT_EQ_MSG(test, hist_hits(hist), 1, "%s", text);
		set_bit(HIST_EMPTIED_BIT, &hist->state);
		hit(hist, rec);
		set_bit(HIST_PAUSED_BIT, &hist->state);
		hit(hist, rec);
		clear_bit(HIST_EMPTIED_BIT, &hist->state);
		hit(hist, rec);
		KUNIT_EXPECT_EQ_MSG(test, hist_hits(hist), 1, "%s", text);
		clear_bit(HIST_PAUSED_BIT, &hist->state);
		hit(hist, rec);
		KUNIT_EXPECT_EQ_MSG(test, hist_hits(hist), 2, "%s", text);
		/* emptied, it is as paused as it was */
		set_bit(HIST_PAUSED_BIT, &hist->state);
		snprintf(command, sizeof(command), "%s:clear if parent_pid == -7", text);
		KUNIT_EXPECT_EQ_MSG(test, write(file, command, false), 0, "%s", text);
		KUNIT_EXPECT_EQ_MSG(test, hist->state, tests[i].state | BIT(HIST_PAUSED_BIT), "%s",
				    text);
		KUNIT_EXPECT_EQ_MSG(test, hist_hits(hist), 0, "%s", text);
		snprintf(command, sizeof(command), "%s if parent_pid == -7", text);
		KUNIT_EXPECT_EQ_MSG(test, write(file, command, true), 0, "%s", text);
	}
}

/* Of a stack that was saved its frames are shown, not where they are kept. */
static void saved_stack(struct kunit *test)
{
	static const char command[] =
		"keys=1:kv=child_pid:onchange($kv).save(stacktrace,child_pid) if parent_pid==-7";
	void *rec = record_with(test, "child_pid", 10);
	struct seq_file m = { .size = SZ_16K, .buf = kunit_kzalloc(test, SZ_16K, GFP_KERNEL) };
	struct hist *hist;

	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	guard(mutex)(&event_mutex);
	KUNIT_ASSERT_EQ(test, write(file, command, false), 0);
	hist = list_last_entry(&hists_of(&global_trace)->hists, struct hist, list);
	hit(hist, rec);
	KUNIT_EXPECT_EQ(test, hist_print(&m, hist), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(m.buf, "  stacktrace:\n         "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(m.buf, "+0x"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(m.buf, "\n  child_pid:         10\n"));
	KUNIT_EXPECT_EQ(test, write(file, command, true), 0);
}

/* Who shares a name has fields of the same names and types. */
static void names(struct kunit *test)
{
	static const struct {
		const char	*fields;
		int		ret;
	} tests[] = {
		{ "kunit_n2 u64 x; u32 y", 0 },
		{ "kunit_n2 s64 x; u32 y", -EINVAL },
		{ "kunit_n2 u32 x; u32 y", -EINVAL },
		{ "kunit_n2 unsigned long x; u32 y", -EINVAL },
		{ "kunit_n2 u64 x; u16 y", -EINVAL },
		{ "kunit_n2 char[] x; u32 y", -EINVAL },
	};
	static const char command[] = "name=kunit:keys=x:vals=y";
	struct trace_event_file *first, *second;

	KUNIT_ASSERT_EQ(test, synth_event_command("kunit_n1 u64 x; u32 y"), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++) {
		KUNIT_ASSERT_EQ(test, synth_event_command(tests[i].fields), 0);
		scoped_guard(mutex, &event_mutex) {
			first = find_event_file(&global_trace, "synthetic", "kunit_n1");
			second = find_event_file(&global_trace, "synthetic", "kunit_n2");
			KUNIT_EXPECT_EQ(test, write(first, command, false), 0);
			KUNIT_EXPECT_EQ_MSG(test, write(second, command, false), tests[i].ret,
					    "%s", tests[i].fields);
			/* whoever goes first */
			event_triggers_remove(i ? second : first);
			event_triggers_remove(i ? first : second);
		}
		KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_n2"), 0);
	}
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_n1"), 0);
}

/* A hit has one time, wherever it is asked for. */
static void one_time(struct kunit *test)
{
	static const char command[] =
		"keys=1:vals=$kt:kt=common_timestamp,ku=common_timestamp if parent_pid==-7";
	void *rec = record_with(test, "parent_pid", 10);
	struct hist_entry *entry;
	struct hist *hist;
	u64 sum = 0;

	guard(mutex)(&event_mutex);
	KUNIT_ASSERT_EQ(test, write(file, command, false), 0);
	hist = list_last_entry(&hists_of(&global_trace)->hists, struct hist, list);
	for (int i = 0; i < 100; i++) {
		hit(hist, rec);
		/* keys come in the order of their numbers */
		entry = hist_map_at(hist->map, 0);
		KUNIT_EXPECT_EQ(test, hist_var_get(hist, entry, 0), hist_var_get(hist, entry, 1));
		sum += hist_var_get(hist, entry, 0);
		KUNIT_EXPECT_EQ(test, hist_map_sum(hist->map, entry, 1), sum);
	}
	KUNIT_EXPECT_GT(test, sum, 0);
	/* that of the record, if it has one */
	hit_at(hist, rec, 5000);
	KUNIT_EXPECT_EQ(test, hist_var_get(hist, entry, 0), 5000);
	KUNIT_EXPECT_EQ(test, hist_var_get(hist, entry, 1), 5000);
	KUNIT_EXPECT_EQ(test, write(file, command, true), 0);
}

struct hitter {
	struct hist	*hist;
	void		*rec;
	u32		*key;	/* in @rec */
};

static int keep_hitting(void *data)
{
	struct hitter *hitter = data;

	while (!kthread_should_stop()) {
		*hitter->key = (*hitter->key + 1) % 64;
		hit(hitter->hist, hitter->rec);
		cond_resched();
	}
	return 0;
}

/* The counts in a text are in order, and their sum is what the text says. */
static bool text_is_right(const char *at)
{
	static const char count[] = " } hitcount:";
	u64 n, last = U64_MAX, sum = 0;
	const char *next;

	while ((next = strstr(at, count))) {
		at = next + strlen(count);
		if (sscanf(at, " %llu", &n) != 1 || n > last)
			return false;
		last = n;
		sum += n;
	}
	at = strstr(at, "Hits:");
	return at && sscanf(at, "Hits: %llu", &n) == 1 && n == sum;
}

/* What is read while it is hit is sorted, and its parts add up. */
static void read_while_hit(struct kunit *test)
{
	static const char command[] =
		"keys=parent_pid:sort=hitcount.descending if parent_pid == -7";
	struct hitter hitter = { .rec = record_with(test, "parent_pid", 0) };
	char *buf = kunit_kzalloc(test, SZ_16K, GFP_KERNEL), name[] = "parent_pid";
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	hitter.key = hitter.rec + trace_find_event_field(file->event_call, name)->offset;
	guard(mutex)(&event_mutex);
	KUNIT_ASSERT_EQ(test, write(file, command, false), 0);
	hitter.hist = list_last_entry(&hists_of(&global_trace)->hists, struct hist, list);
	task = kthread_run(keep_hitting, &hitter, "kunit-hitter");
	for (int i = 0; !IS_ERR(task) && i < 50; i++) {
		struct seq_file m = { .size = SZ_16K, .buf = buf };

		usleep_range(100, 200);
		KUNIT_EXPECT_EQ(test, hist_print(&m, hitter.hist), 0);
		buf[min_t(size_t, m.count, SZ_16K - 1)] = '\0';
		KUNIT_EXPECT_TRUE(test, text_is_right(buf));
	}
	if (!IS_ERR(task))
		kthread_stop(task);
	KUNIT_EXPECT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_GT(test, hist_hits(hitter.hist), 0);
	KUNIT_EXPECT_EQ(test, write(file, command, true), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ways),
	KUNIT_CASE(expressions),
	KUNIT_CASE(expression_names),
	KUNIT_CASE(signs),
	KUNIT_CASE(refused),
	KUNIT_CASE(come_and_go),
	KUNIT_CASE(variables),
	KUNIT_CASE(matched),
	KUNIT_CASE(shared_variable),
	KUNIT_CASE(same_words),
	KUNIT_CASE(changes),
	KUNIT_CASE(headers),
	KUNIT_CASE(units),
	KUNIT_CASE(tracks_variables),
	KUNIT_CASE(event_refuses),
	KUNIT_CASE(helper_of_a_user),
	KUNIT_CASE(helper_on_own_event),
	KUNIT_CASE(helpers_clock),
	KUNIT_CASE(conditions),
	KUNIT_CASE(saved_stack),
	KUNIT_CASE(names),
	KUNIT_CASE(one_time),
	KUNIT_CASE(read_while_hit),
	{}
};

TRACE_KUNIT_SUITE("hist_triggers", cases, .init = hist_init_test);
