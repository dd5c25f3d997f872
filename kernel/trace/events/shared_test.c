// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: an event that is on in several instances is recorded once in each that wants it, whatever
 * else that asks for, and while others come and go.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <trace/events/printk.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "../../tracepoint.h"
#include "../local_clock.h"
#include "../ring_buffer/fast.h"
#include "../tasks/switch.h"
#include "../tasks/tasks.h"
#include "../tests/filter.h"
#include "../tests/suite.h"
#include "../tests/writer.h"
#include "../trigger/test.h"
#include "filter.h"
#include "internal.h"

#define NR		3	/* instances */
#define RECORD_MAX	100	/* bytes of one that takes the short way, while there is room */

static const char *const names[NR] = { "kunit-shared-a", "kunit-shared-b", "kunit-shared-c" };
static struct trace_array *trs[NR];

static int shared_init(struct kunit *test)
{
	for (int i = 0; i < NR; i++) {
		trs[i] = trace_array_get_by_name(names[i], "sched,printk,task");
		KUNIT_ASSERT_NOT_NULL(test, trs[i]);
	}
	return 0;
}

static void shared_exit(struct kunit *test)
{
	for (int i = 0; i < NR; i++) {
		if (!trs[i])
			continue;
		trace_array_put(trs[i]);
		KUNIT_EXPECT_EQ(test, trace_array_destroy(trs[i]), 0);
		trs[i] = NULL;
	}
}

static void set_event(struct kunit *test, int i, const char *system, const char *event, bool on)
{
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(trs[i], system, event, on), 0);
}

static void set_stop(struct kunit *test, int i, bool on)
{
	set_event(test, i, "sched", "sched_kthread_stop", on);
}

/* event_mutex held */
static struct trace_event_file *file_of(struct kunit *test, int i, const char *system,
					const char *event)
{
	struct trace_event_file *file = find_event_file(trs[i], system, event);

	KUNIT_ASSERT_NOT_NULL(test, file);
	return file;
}

/* The next one of this task in instance @i; out */
static struct ring_buffer_event *take(int i)
{
	struct trace_buffer *buffer = trs[i]->array_buffer.buffer;
	struct ring_buffer_event *event;
	int cpu;
	u64 ts;

	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(buffer, cpu, &ts, NULL))) {
			const struct trace_entry *entry = ring_buffer_event_data(event);

			if (entry->pid == current->pid)
				return event;
		}
	}
	return NULL;
}

/* How many there are of instance @i, of @len bytes and just like @rec if that is not NULL; out */
static int taken(int i, const void *rec, unsigned int len)
{
	struct ring_buffer_event *event;
	int nr;

	for (nr = 0; (event = take(i)); nr++) {
		const struct trace_entry *entry = ring_buffer_event_data(event);

		if (rec && (ring_buffer_event_length(event) < len || memcmp(entry + 1, rec, len)))
			return -1;
	}
	return nr;
}

static void expect_taken(struct kunit *test, const char *what, int a, int b, int c)
{
	struct {
		char	comm[TASK_COMM_LEN];
		pid_t	pid;
	} rec = { .pid = current->pid };
	const int want[NR] = { a, b, c };

	memcpy(rec.comm, current->comm, TASK_COMM_LEN);
	for (int i = 0; i < NR; i++)
		KUNIT_EXPECT_EQ_MSG(test, taken(i, &rec, sizeof(rec)), want[i], "%s: %s", what,
				    names[i]);
}

static void fire(struct kunit *test, const char *what, int a, int b, int c)
{
	trace_sched_kthread_stop(current);
	expect_taken(test, what, a, b, c);
}

/* The same after the event was switched in instance @i. */
static void set_and_fire(struct kunit *test, int i, bool on, const char *what, int a, int b, int c)
{
	set_stop(test, i, on);
	fire(test, what, a, b, c);
}

/* What hangs on the tracepoint for the event: how many probes of it. */
static int nr_probes(void)
{
	struct tracepoint *tp = &__tracepoint_sched_kthread_stop;
	struct tracepoint_func *p;
	int nr = 0;

	guard(preempt)();
	p = rcu_dereference_sched(tp->funcs);
	if (p == TRACEPOINT_NOBODY)
		return 0;
	for (; p->func; p++)
		nr += p->func != tp->probestub && p->func != tp->iterator;
	return nr;
}

static void come_and_go(struct kunit *test)
{
	int probes = nr_probes();

	fire(test, "off", 0, 0, 0);
	set_and_fire(test, 0, true, "one", 1, 0, 0);
	set_and_fire(test, 1, true, "two", 1, 1, 0);
	set_and_fire(test, 2, true, "three", 1, 1, 1);
	KUNIT_EXPECT_EQ(test, nr_probes(), probes ?: 1);
	set_and_fire(test, 1, false, "without the second", 1, 0, 1);
	set_and_fire(test, 0, false, "the third", 0, 0, 1);
	set_stop(test, 0, true);
	set_and_fire(test, 2, false, "the first", 1, 0, 0);
	set_and_fire(test, 0, false, "off again", 0, 0, 0);
	KUNIT_EXPECT_EQ(test, nr_probes(), probes);
}

static struct event_files *no_files(unsigned int nr)
{
	return NULL;
}

/* A file has a probe of its own then; and one that goes leaves a gap. */
static void no_memory(struct kunit *test)
{
	int probes = nr_probes();

	set_stop(test, 0, true);
	kunit_activate_static_stub(test, event_files_alloc, no_files);
	set_and_fire(test, 1, true, "two probes", 1, 1, 0);
	kunit_deactivate_static_stub(test, event_files_alloc);
	set_and_fire(test, 2, true, "two probes for three", 1, 1, 1);
	kunit_activate_static_stub(test, event_files_alloc, no_files);
	set_and_fire(test, 1, false, "without the one that is alone", 1, 0, 1);
	kunit_deactivate_static_stub(test, event_files_alloc);
	set_and_fire(test, 1, true, "three in a list", 1, 1, 1);
	kunit_activate_static_stub(test, event_files_alloc, no_files);
	set_and_fire(test, 2, false, "a gap", 1, 1, 0);
	set_and_fire(test, 2, true, "a gap, and alone", 1, 1, 1);
	kunit_deactivate_static_stub(test, event_files_alloc);
	set_stop(test, 2, false);
	set_and_fire(test, 2, true, "no gap any more", 1, 1, 1);
	kunit_activate_static_stub(test, event_files_alloc, no_files);
	set_and_fire(test, 0, false, "another gap", 0, 1, 1);
	set_and_fire(test, 1, false, "one is left", 0, 0, 1);
	set_and_fire(test, 2, false, "none", 0, 0, 0);
	kunit_deactivate_static_stub(test, event_files_alloc);
	KUNIT_EXPECT_EQ(test, nr_probes(), probes);
}

/* Half the way to the slot for a record, as ring_buffer_slot_try() leaves it when it fails. */
static struct rb_ring *half_way(struct trace_array *tr)
{
	struct rb_cpu __percpu *cpus = ring_buffer_cpus(tr->array_buffer.buffer);
	struct ring_buffer_slot slot = { };

	while (ring_buffer_slot_try(cpus, RECORD_MAX, ring_buffer_context(preempt_count()), NULL,
				    &slot)) {
		memset(slot.data, 0, RECORD_MAX);
		if (!ring_buffer_slot_commit_short(&slot))
			ring_buffer_slot_finish(slot.ring, slot.sub, slot.tail);
	}
	return slot.ring;
}

/* A file is taken out, and leaves a gap, while a record for it is half the way to its slot. */
static void gone_half_way(struct kunit *test)
{
	struct trace_event_buffer fbuffer = { .len = sizeof(struct trace_entry) };
	struct trace_event_file *last, **place;
	struct rb_ring *ring;

	for (int i = 0; i < NR; i++)
		set_stop(test, i, true);
	guard(mutex)(&event_mutex);
	last = file_of(test, 0, "sched", "sched_kthread_stop");
	fbuffer.shared = last->event_call->data;
	fbuffer.entry = fbuffer.scratch;
	for (place = fbuffer.shared->file; place[1]; place++)
		;
	last = *place;

	preempt_disable();
	ring = half_way(last->tr);
	WRITE_ONCE(*place, &event_file_gone);
	if (ring)
		event_commit_shared_rest(&fbuffer, ring, NULL, 0, place);
	WRITE_ONCE(*place, last);
	preempt_enable();

	KUNIT_EXPECT_NOT_NULL(test, ring);
	if (!ring)
		return;
	for (int i = 0; i < NR; i++)
		taken(i, NULL, 0);
	/* and the ring is nobody's */
	fire(test, "nobody on the way", 1, 1, 1);
	KUNIT_EXPECT_EQ(test, READ_ONCE(ring->busy), 0);
	KUNIT_EXPECT_EQ(test, READ_ONCE(ring->nested), 0);
}

/* What the files want changes between the beginning of a record and its commit. */
static void changed_half_way(struct kunit *test)
{
	struct trace_event_buffer fbuffer;
	struct event_files *files;
	struct {
		struct trace_entry	ent;
		char			comm[TASK_COMM_LEN];
		pid_t			pid;
	} *rec;

	for (int i = 0; i < NR; i++)
		set_stop(test, i, true);
	guard(mutex)(&event_mutex);
	files = file_of(test, 0, "sched", "sched_kthread_stop")->event_call->data;
	for (int n = 0; n <= NR; n++) {
		bool off[NR] = { };

		/* the first @n of the list do not want it any more */
		preempt_disable();
		rec = trace_event_buffer_begin((void *)files, &fbuffer, sizeof(*rec));
		if (rec) {
			memcpy(rec->comm, current->comm, TASK_COMM_LEN);
			rec->pid = current->pid;
			for (int i = 0; i < n; i++)
				set_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &files->file[i]->flags);
			trace_event_buffer_commit(&fbuffer);
			for (int i = 0; i < n; i++)
				clear_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &files->file[i]->flags);
		}
		preempt_enable();
		KUNIT_EXPECT_NOT_NULL(test, rec);
		for (int i = 0; i < NR; i++)
			for (int at = 0; at < n; at++)
				off[i] |= files->file[at]->tr == trs[i];
		expect_taken(test, "half the way", !off[0], !off[1], !off[2]);
		fire(test, "as before", 1, 1, 1);
	}
}

static int set_pids(int i, unsigned int pid)
{
	struct trace_pid_list *list = pid ? trace_pid_list_alloc() : NULL;
	int ret;

	if (pid && (!list || trace_pid_list_set(list, pid)))
		return -ENOMEM;
	ret = event_pids_replace(trs[i], PIDS_TRACED, list);
	if (ret)
		trace_pid_list_free(list);
	return ret;
}

#define NOBODY	4000000		/* nobody's pid */

static void each_has_its_own(struct kunit *test)
{
	struct trace_event_file *files[NR];

	for (int i = 0; i < NR; i++)
		set_stop(test, i, true);

	guard(mutex)(&event_mutex);
	for (int i = 0; i < NR; i++)
		files[i] = file_of(test, i, "sched", "sched_kthread_stop");

	test_filter_set(test, files[1], "pid < 0");
	fire(test, "a filter rejects", 1, 0, 1);
	test_filter_set(test, files[2], "pid > 0");
	fire(test, "another one accepts", 1, 0, 1);
	test_filter_set(test, files[1], "common_pid > 0 && comm ~ \"*\"");
	fire(test, "of the header and a string", 1, 1, 1);
	test_filter_set(test, files[0], "common_pid == 0 || comm == \"no such name\"");
	fire(test, "the same rejects", 0, 1, 1);
	for (int i = 0; i < NR; i++)
		test_filter_set(test, files[i], NULL);

	KUNIT_EXPECT_EQ(test, set_pids(0, NOBODY), 0);
	fire(test, "pids", 0, 1, 1);
	KUNIT_EXPECT_EQ(test, set_pids(2, current->pid), 0);
	fire(test, "pids in two", 0, 1, 1);
	KUNIT_EXPECT_EQ(test, set_pids(0, 0), 0);
	fire(test, "pids in the third", 1, 1, 1);

	/* on only for somebody who may want it */
	KUNIT_EXPECT_EQ(test, trace_event_enable_disable(files[1], 1, 1), 0);
	KUNIT_EXPECT_EQ(test, trace_event_enable_disable(files[1], 0, 0), 0);
	fire(test, "soft mode", 1, 0, 1);
	KUNIT_EXPECT_EQ(test, trace_event_enable_disable(files[1], 1, 0), 0);
	fire(test, "on in soft mode", 1, 1, 1);

	KUNIT_EXPECT_EQ(test, set_trigger(files[2], "traceoff:1 if pid < 0"), 0);
	fire(test, "a trigger that is not meant", 1, 1, 1);
	KUNIT_EXPECT_EQ(test, set_trigger(files[0], "traceoff if pid > 0"), 0);
	fire(test, "the record that it is for is the last", 1, 1, 1);
	fire(test, "off", 0, 1, 1);
	KUNIT_EXPECT_EQ(test, set_trigger(files[0], "!traceoff"), 0);
	KUNIT_EXPECT_EQ(test, set_trigger(files[2], "!traceoff"), 0);
	tracer_tracing_on(trs[0]);
	KUNIT_EXPECT_EQ(test, trace_event_enable_disable(files[1], 0, 0), 0);
	KUNIT_EXPECT_EQ(test, set_trigger(files[1], "traceoff"), 0);
	fire(test, "a trigger that needs no record", 1, 0, 1);
	KUNIT_EXPECT_FALSE(test, tracer_tracing_is_on(trs[1]));
	KUNIT_EXPECT_EQ(test, set_trigger(files[1], "!traceoff"), 0);
	tracer_tracing_on(trs[1]);
	KUNIT_EXPECT_EQ(test, trace_event_enable_disable(files[1], 0, 1), 0);

	tracer_tracing_off(trs[2]);
	fire(test, "recording is off", 1, 0, 0);
	tracer_tracing_on(trs[2]);
	KUNIT_EXPECT_EQ(test, set_pids(2, 0), 0);
}

#define FULL	100000	/* records for which there is no room */

/* What has no place in a full buffer is one record that was dropped, and triggers see it. */
static void full_for_triggers(struct kunit *test)
{
	struct trace_buffer *buffer = trs[0]->array_buffer.buffer;
	unsigned long first, last;
	struct trace_event_file *file;
	int cpu;

	set_stop(test, 0, true);
	guard(mutex)(&event_mutex);
	file = file_of(test, 0, "sched", "sched_kthread_stop");
	KUNIT_ASSERT_EQ(test, set_trigger(file, "traceoff:1 if pid < 0"), 0);
	ring_buffer_change_overwrite(buffer, false);

	cpu = get_cpu();
	for (int n = 0; n < FULL && !ring_buffer_dropped_events_cpu(buffer, cpu); n++)
		trace_sched_kthread_stop(current);
	first = ring_buffer_dropped_events_cpu(buffer, cpu);
	for (int n = 0; n < NR; n++)
		trace_sched_kthread_stop(current);
	last = ring_buffer_dropped_events_cpu(buffer, cpu);
	put_cpu();
	KUNIT_EXPECT_EQ(test, first, 1);
	KUNIT_EXPECT_EQ(test, last - first, NR);

	KUNIT_EXPECT_EQ(test, set_trigger(file, "!traceoff"), 0);
	KUNIT_EXPECT_EQ(test, set_trigger(file, "traceoff:1 if pid > 0"), 0);
	trace_sched_kthread_stop(current);
	KUNIT_EXPECT_FALSE(test, tracer_tracing_is_on(trs[0]));
	KUNIT_EXPECT_EQ(test, set_trigger(file, "!traceoff"), 0);
}

#define TEXT_MAX	3000

/* On the stack, in a scratch, in the slot of one of them. */
static void of_any_length(struct kunit *test)
{
	static const unsigned int lengths[] = { 1, 4, 7, 40, 70, 200, 900, 1100, TEXT_MAX };
	char *text = kunit_kzalloc(test, TEXT_MAX + 5, GFP_KERNEL);
	struct trace_event_file *files[NR];

	KUNIT_ASSERT_NOT_NULL(test, text);
	for (int i = 0; i < NR; i++)
		set_event(test, i, "printk", "console", true);
	guard(mutex)(&event_mutex);
	for (int i = 0; i < NR; i++)
		files[i] = file_of(test, i, "printk", "console");

	for (int how = 0; how < 4; how++) {
		if (how == 1)
			test_filter_set(test, files[0], "msg ~ \"y*\"");
		if (how == 2)
			test_filter_set(test, files[2], "msg ~ \"x*\"");
		if (how == 3)
			KUNIT_EXPECT_EQ(test, set_pids(1, NOBODY), 0);
		for (int n = 0; n < ARRAY_SIZE(lengths); n++) {
			unsigned int len = lengths[n];

			/* as it lies behind the header: where it is, and the text */
			*(u32 *)text = (len + 1) << 16 | (sizeof(struct trace_entry) + 4);
			memset(text + 4, 'x', len);
			text[4 + len] = '\0';
			trace_console(text + 4, len);
			KUNIT_EXPECT_EQ_MSG(test, taken(0, text, 4 + len), how < 1, "%u, %d", len,
					    how);
			KUNIT_EXPECT_EQ_MSG(test, taken(1, text, 4 + len), how < 3, "%u, %d", len,
					    how);
			KUNIT_EXPECT_EQ_MSG(test, taken(2, text, 4 + len), 1, "%u, %d", len, how);
		}
	}
	KUNIT_EXPECT_EQ(test, set_pids(1, 0), 0);
	for (int i = 0; i < NR; i++)
		test_filter_set(test, files[i], NULL);
}

/* A record of the event, as its format says. */
struct switch_record {
	struct trace_entry	entry;
	char			prev_comm[TASK_COMM_LEN];
	pid_t			prev_pid;
	int			prev_prio;
	long			prev_state;
	char			next_comm[TASK_COMM_LEN];
	pid_t			next_pid;
	int			next_prio;
};

/* A switch to oneself, which nobody else makes; @joint: all instances are called for at once. */
static void fire_switch(struct kunit *test, const char *what, bool joint, int a, int b, int c)
{
	const int want[NR] = { a, b, c };
	struct ring_buffer_event *event;
	unsigned long flags;
	int cpu;
	u64 ts;

	KUNIT_EXPECT_EQ_MSG(test, joint, trace_switch_data() ==
			    file_of(test, 0, "sched", "sched_switch")->event_call->data,
			    "%s", what);
	local_irq_save(flags);
	trace_sched_switch(false, current, current, TASK_RUNNING);
	local_irq_restore(flags);
	for (int i = 0; i < NR; i++) {
		struct trace_buffer *buffer = trs[i]->array_buffer.buffer;
		int nr = 0;

		for_each_online_cpu(cpu) {
			while ((event = ring_buffer_consume(buffer, cpu, &ts, NULL))) {
				const struct switch_record *rec = ring_buffer_event_data(event);

				nr += rec->prev_pid == current->pid &&
				      rec->next_pid == current->pid;
			}
		}
		KUNIT_EXPECT_EQ_MSG(test, nr, want[i], "%s: %s", what, names[i]);
	}
}

/* event_mutex held */
static int set_switch(struct kunit *test, int i, bool on)
{
	return ftrace_event_enable_disable(file_of(test, i, "sched", "sched_switch"), on);
}

/* sched_switch, whose probe is called by another one, goes the same way. */
static void switches(struct kunit *test)
{
	/* their files come when somebody wants them */
	for (int i = 0; i < NR; i++)
		set_event(test, i, "sched", "sched_switch", false);

	guard(mutex)(&event_mutex);
	KUNIT_EXPECT_EQ(test, set_switch(test, 0, true), 0);
	fire_switch(test, "one", true, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, set_switch(test, 1, true), 0);
	fire_switch(test, "two", true, 1, 1, 0);
	KUNIT_EXPECT_EQ(test, set_switch(test, 2, true), 0);
	fire_switch(test, "three", true, 1, 1, 1);

	KUNIT_EXPECT_EQ(test, set_pids(1, NOBODY), 0);
	fire_switch(test, "pids", false, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, set_pids(1, 0), 0);
	fire_switch(test, "no pids any more", true, 1, 1, 1);

	kunit_activate_static_stub(test, event_files_alloc, no_files);
	KUNIT_EXPECT_EQ(test, set_switch(test, 1, false), 0);
	fire_switch(test, "a gap", false, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, set_switch(test, 1, true), -ENOMEM);
	fire_switch(test, "not on for want of memory", false, 1, 0, 1);
	kunit_deactivate_static_stub(test, event_files_alloc);
	KUNIT_EXPECT_EQ(test, set_switch(test, 1, true), 0);
	fire_switch(test, "no gap any more", true, 1, 1, 1);

	KUNIT_EXPECT_EQ(test, set_switch(test, 0, false), 0);
	fire_switch(test, "without the first", true, 0, 1, 1);
	KUNIT_EXPECT_EQ(test, set_switch(test, 2, false), 0);
	fire_switch(test, "the second alone", true, 0, 1, 0);
	KUNIT_EXPECT_EQ(test, set_switch(test, 1, false), 0);
}

#define MANY	3000	/* records, of more than ten sub-buffers */

/* None is lost where a sub-buffer ends, or where time leaps. */
static void of_many(struct kunit *test)
{
	for (int i = 0; i < NR; i++)
		set_stop(test, i, true);
	for (int n = 0; n < MANY; n++) {
		trace_sched_kthread_stop(current);
		if (n % (MANY / 4) == 0)
			msleep(200);	/* more than a delta says */
	}
	expect_taken(test, "many", MANY, MANY, MANY);
}

#ifdef TRACE_CLOCK_MAY_BE_TSC
/* On this CPU, with interrupts off. */
static void clock_apart(bool apart)
{
	static const struct tsc_epoch *was;

	if (apart)
		was = this_cpu_read(tsc_epochs.now);
	this_cpu_write(tsc_epochs.now, apart ? NULL : was);
}
#elif defined(SCHED_CLOCK_IN_PLACE)
/* Everywhere, with interrupts off for a moment: an update comes once in hours. */
static void clock_apart(bool apart)
{
	static const struct sched_clock_epoch *was;

	if (apart)
		was = READ_ONCE(sched_clock_epoch);
	WRITE_ONCE(sched_clock_epoch, apart ? NULL : was);
}
#endif

#if defined(TRACE_CLOCK_MAY_BE_TSC) || defined(SCHED_CLOCK_IN_PLACE)
/*
 * As in a guest whose clock is its hypervisor's, or with a counter that has an erratum: it is
 * called, with the registers in use.
 */
static void clock_is_called(struct kunit *test)
{
	for (int i = 0; i < NR; i++) {
		set_stop(test, i, true);
		local_irq_disable();
		clock_apart(true);
		trace_sched_kthread_stop(current);
		trace_sched_kthread_stop(current);
		clock_apart(false);
		local_irq_enable();
		expect_taken(test, "the clock is called", 2, i > 0 ? 2 : 0, i > 1 ? 2 : 0);
	}
}
#endif

/* A thread that fires all the time; it says when it has ceased. */
struct firer {
	struct test_writer	writes;
	unsigned long		fired;
};

static void fire_many(struct test_writer *writes)
{
	for (int i = 0; i < 64; i++)
		trace_sched_kthread_stop(current);
	container_of(writes, struct firer, writes)->fired += 64;
}

#define LOAD_MS	400

/* Who stays gets each, and once. */
static void while_it_fires(struct kunit *test)
{
	struct trace_buffer *buffer = trs[0]->array_buffer.buffer;
	unsigned long start = jiffies, had, rounds = 0;
	struct task_struct *task;
	struct firer *firer = kunit_kzalloc(test, sizeof(*firer), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, firer);
	firer->writes.task = fire_many;
	init_completion(&firer->writes.done);
	set_stop(test, 0, true);
	had = ring_buffer_entries(buffer) + ring_buffer_overruns(buffer);
	task = kthread_run(test_writer_thread, &firer->writes, "kunit-shared");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	do {
		unsigned int i = 1 + rounds % 2;

		set_stop(test, i, true);
		if (rounds % 3 == 1) {
			guard(mutex)(&event_mutex);
			test_filter_set(test, file_of(test, i, "sched", "sched_kthread_stop"),
					rounds % 2 ? "pid < 0" : NULL);
		}
		set_stop(test, 3 - i, rounds % 5 < 2);
		set_stop(test, i, false);
	} while (++rounds < 8 || time_before(jiffies, start + msecs_to_jiffies(LOAD_MS)));
	WRITE_ONCE(firer->writes.stop, true);
	wait_for_completion(&firer->writes.done);
	KUNIT_EXPECT_GT(test, firer->fired, 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer) + ring_buffer_overruns(buffer) - had,
			firer->fired);
	set_stop(test, 0, false);
}

/* What whoever was here before leaves on the stack. */
static noinline void leave_on_stack(void)
{
	u8 bytes[1024];

	memset(bytes, 0x5a, sizeof(bytes));
	/* they are looked at, so they are written */
	barrier_data(bytes);
}

/* The record of task_rename. */
struct renamed {
	struct trace_entry	ent;
	pid_t			pid;
	char			oldcomm[TASK_COMM_LEN];
	char			newcomm[TASK_COMM_LEN];
	short			oom_score_adj;
};

/* A name of one letter in an array of sixteen, and a hole at the end of the record. */
static void expect_no_stack(struct kunit *test, int i)
{
	struct ring_buffer_event *event;
	int nr;

	for (nr = 0; (event = take(i)); nr++) {
		const struct renamed *rec = ring_buffer_event_data(event);
		const void *hole = &rec->oom_score_adj + 1;

		KUNIT_EXPECT_STREQ(test, rec->newcomm, "x");
		KUNIT_EXPECT_NULL(test, memchr_inv(rec->newcomm + 1, 0, sizeof(rec->newcomm) - 1));
		KUNIT_EXPECT_NULL(test, memchr_inv(hole, 0, (void *)(rec + 1) - hole));
	}
	KUNIT_EXPECT_EQ_MSG(test, nr, 1, "%s", names[i]);
}

/* A record that is built on the stack has nothing of it where its event writes nothing. */
static void nothing_of_the_stack(struct kunit *test)
{
	for (int i = 0; i < 2; i++)
		set_event(test, i, "task", "task_rename", true);
	leave_on_stack();
	trace_task_rename(current, "x");
	expect_no_stack(test, 0);
	expect_no_stack(test, 1);

	set_event(test, 1, "task", "task_rename", false);
	scoped_guard(mutex, &event_mutex)
		test_filter_set(test, file_of(test, 0, "task", "task_rename"), "pid > 0");
	leave_on_stack();
	trace_task_rename(current, "x");
	expect_no_stack(test, 0);
	scoped_guard(mutex, &event_mutex)
		test_filter_set(test, file_of(test, 0, "task", "task_rename"), NULL);
	set_event(test, 0, "task", "task_rename", false);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(come_and_go),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(gone_half_way),
	KUNIT_CASE(changed_half_way),
	KUNIT_CASE(each_has_its_own),
	KUNIT_CASE(full_for_triggers),
	KUNIT_CASE(of_any_length),
	KUNIT_CASE(nothing_of_the_stack),
	KUNIT_CASE(switches),
	KUNIT_CASE(of_many),
#if defined(TRACE_CLOCK_MAY_BE_TSC) || defined(SCHED_CLOCK_IN_PLACE)
	KUNIT_CASE(clock_is_called),
#endif
	KUNIT_CASE(while_it_fires),
	{}
};

TRACE_KUNIT_SUITE("trace_shared_events", cases, .init = shared_init, .exit = shared_exit);
