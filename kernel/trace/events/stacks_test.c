// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: with the option stacktrace, a record's stack begins with who made it.
 *
 * What lies between is left out, however many frames of it a compiler makes. And a record says in
 * which context it was made, whichever way it went.
 */
#include <kunit/test.h>
#include <linux/binfmts.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/trace.h>

#include <trace/events/sched.h>

#include "../filter/filter.h"
#include "../record/entries.h"
#include "../record/write.h"
#include "../tasks/tasks.h"
#include "../tests/instance.h"
#include "../tests/suite.h"
#include "../trigger/test.h"
#include "filter.h"
#include "internal.h"

/* Each makes one record, and calls what makes it: no jump at its end. */
#define MAKER(name, call)					\
static noinline void make_##name(struct trace_array *tr)	\
{								\
	call;							\
	barrier();						\
}

#define STEP	"/thirty-two-characters-of-a-path"
static struct linux_binprm long_exec = { .filename = STEP STEP STEP };

/* Who leaves, with a pid that nobody has. */
static struct task_struct *switched;
#define NOBODY	(PID_MAX_LIMIT - 2)

MAKER(event, trace_sched_kthread_stop(current))
MAKER(long_event, trace_sched_process_exec(current, 0, &long_exec))
MAKER(bputs, __trace_bputs(_THIS_IP_, "constant\n"))
MAKER(puts, __trace_puts(_THIS_IP_, "text\n", 5))
MAKER(array_puts, __trace_array_puts(tr, _THIS_IP_, "text\n", 5))
MAKER(bprintk, __trace_bprintk(_THIS_IP_, "%d\n", 1))
MAKER(printk, __trace_printk(_THIS_IP_, "%d\n", 1))
MAKER(array_printk, trace_array_printk(tr, _THIS_IP_, "%d\n", 1))
MAKER(dump, trace_dump_stack(0))

/* Preemption is off; should there be a list of pids, @switched is in it and runs. */
static noinline void make_switch(struct trace_array *tr)
{
	raw_cpu_ptr(tr->array_buffer.data)->ignore_pid = false;
	trace_sched_switch(false, switched, current, TASK_RUNNING);
	barrier();
}

/* As blktrace does. */
static noinline void make_entry(struct trace_array *tr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	unsigned int ctx = tracing_gen_ctx();
	struct ring_buffer_event *event;

	event = trace_buffer_lock_reserve(buffer, TRACE_BLK, sizeof(struct trace_entry), ctx);
	if (event)
		trace_buffer_unlock_commit(tr, buffer, event, ctx);
	barrier();
}

/* The first frame of the one stack that this task has recorded; 0 if there is not one. */
static unsigned long taken_first_frame(struct trace_array *tr)
{
	struct ring_buffer_event *event;
	unsigned long first = 0;
	unsigned int nr = 0;
	u64 ts;
	int cpu;

	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(tr->array_buffer.buffer, cpu, &ts, NULL))) {
			struct stack_entry *entry = ring_buffer_event_data(event);

			if (entry->ent.type != TRACE_STACK || entry->ent.pid != current->pid ||
			    !entry->size)
				continue;
			first = entry->caller[0];
			nr++;
		}
	}
	return nr == 1 ? first : 0;
}

static void expect_begin(struct kunit *test, struct trace_array *tr, const char *what,
			 void (*make)(struct trace_array *tr))
{
	struct trace_text text, place, iterator;
	unsigned long first;

	trace_text_of(&text, (unsigned long)make);
	/* There is another probe if one could not be taken away whole, for want of memory. */
	trace_text_of(&iterator, (unsigned long)__traceiter_sched_switch);
	/* The place of an event is a function of its own where compilers make it long. */
	trace_text_of(&place, make == make_long_event ? (unsigned long)trace_sched_process_exec :
			      make == make_switch ? (unsigned long)trace_sched_switch :
						    (unsigned long)trace_sched_kthread_stop);
	OPTIMIZER_HIDE_VAR(make);	/* no copy of it is called */
	/* no switch of this task comes between */
	scoped_guard(preempt) {
		taken_first_frame(tr);
		make(tr);
		first = taken_first_frame(tr);
	}
	KUNIT_EXPECT_NE_MSG(test, first, 0, "%s: not one stack", what);
	KUNIT_EXPECT_TRUE_MSG(test, first - text.start < text.size ||
			      first - place.start < place.size ||
			      (make == make_switch && first - iterator.start < iterator.size),
			      "%s: %pS", what, (void *)first);
}

static int set_option(struct trace_array *tr, const char *name)
{
	char word[32];

	strscpy(word, name, sizeof(word));
	return trace_set_options(tr, word);
}

static struct trace_array *instance_with_stacks(struct kunit *test)
{
	struct trace_array *tr;

	if (!IS_ENABLED(CONFIG_STACKTRACE) || !IS_ENABLED(CONFIG_KALLSYMS))
		kunit_skip(test, "stacks and names of functions are needed");
	if (!IS_ENABLED(CONFIG_ARCH_STACKWALK))
		kunit_skip(test, "each stack begins in the architecture's save_stack_trace()");
	tr = trace_array_get_by_name("kunit-stacks", "sched");
	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, set_option(tr, "stacktrace"), 0);
	return tr;
}

/* event_mutex held; what the event file `filter` does */
static int set_filter(struct trace_event_file *file, const char *text)
{
	struct event_filter *filter;
	int ret = event_filter_create(NULL, file->event_call, text, &filter);

	if (ret)
		return ret;
	rcu_assign_pointer(file->filter, filter);
	set_bit(EVENT_FILE_FL_FILTERED_BIT, &file->flags);
	return 0;
}

/* event_mutex held */
static void clear_filter(struct trace_event_file *file)
{
	struct event_filter *filter = rcu_dereference_protected(file->filter, true);

	if (filter == &event_filter_none)
		return;
	clear_bit(EVENT_FILE_FL_FILTERED_BIT, &file->flags);
	rcu_assign_pointer(file->filter, &event_filter_none);
	tracepoint_synchronize_unregister();
	event_filter_free(filter);
}

/* The event, which is on, with a filter, a trigger, and both. */
static void with_filter_and_trigger(struct kunit *test, struct trace_array *tr)
{
	struct trace_event_file *file;

	guard(mutex)(&event_mutex);
	file = find_event_file(tr, "sched", "sched_kthread_stop");
	if (!file) {
		KUNIT_FAIL(test, "there is no such event");
		return;
	}
	KUNIT_EXPECT_EQ(test, set_filter(file, "pid > 0"), 0);
	expect_begin(test, tr, "an event that a filter accepts", make_event);
	KUNIT_EXPECT_EQ(test, set_trigger(file, "traceon if pid > 0"), 0);
	expect_begin(test, tr, "the same with a trigger", make_event);
	clear_filter(file);
	expect_begin(test, tr, "an event with a trigger", make_event);
	KUNIT_EXPECT_EQ(test, set_trigger(file, "!traceon"), 0);
}

static void of_events(struct kunit *test)
{
	struct trace_array *tr = instance_with_stacks(test);

	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_kthread_stop", true),
			0);
	expect_begin(test, tr, "an event", make_event);
	with_filter_and_trigger(test, tr);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_kthread_stop", false),
			0);
	test_instance_end(test, tr);
}

/* Longer than TRACE_EVENT_SCRATCH. */
static void with_long_event(struct kunit *test, struct trace_array *tr, struct trace_array *other)
{
	const char *name = "sched_process_exec";

	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", name, true), 0);
	expect_begin(test, tr, "a long event", make_long_event);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(other, "sched", name, true), 0);
	expect_begin(test, tr, "a long event in two instances", make_long_event);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(other, "sched", name, false), 0);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", name, false), 0);
}

/* All ways once more, while the event is on elsewhere as well. */
static void of_shared_events(struct kunit *test)
{
	struct trace_array *tr = instance_with_stacks(test), *other;

	other = trace_array_get_by_name("kunit-stacks-other", "sched");
	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_kthread_stop", true),
			0);
	KUNIT_EXPECT_EQ(test,
			trace_array_set_clr_event(other, "sched", "sched_kthread_stop", true), 0);
	expect_begin(test, tr, "an event in two instances", make_event);
	with_long_event(test, tr, other);
	with_filter_and_trigger(test, tr);
	test_instance_end(test, other);
	expect_begin(test, tr, "in one again", make_event);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_kthread_stop", false),
			0);
	test_instance_end(test, tr);
}

/* What tracing does at a switch calls the probe of the event in one way or another. */
static void of_switches(struct kunit *test)
{
	struct trace_array *tr = instance_with_stacks(test);
	struct trace_pid_list *list = trace_pid_list_alloc();

	switched = kunit_kzalloc(test, sizeof(*switched), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_ASSERT_NOT_NULL(test, switched);
	switched->pid = NOBODY;
	strscpy(switched->comm, "nobody");
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_switch", true), 0);
	expect_begin(test, tr, "a switch of who has no name yet", make_switch);
	expect_begin(test, tr, "a switch of who has one", make_switch);
	KUNIT_EXPECT_EQ(test, set_option(tr, "record-tgid"), 0);
	expect_begin(test, tr, "a switch with processes", make_switch);
	KUNIT_EXPECT_EQ(test, set_option(tr, "norecord-tgid"), 0);
	scoped_guard(mutex, &event_mutex) {
		KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, NOBODY), 0);
		KUNIT_EXPECT_EQ(test, event_pids_replace(tr, PIDS_TRACED, list), 0);
		expect_begin(test, tr, "a switch from who is followed", make_switch);
		KUNIT_EXPECT_EQ(test, event_pids_replace(tr, PIDS_TRACED, NULL), 0);
	}
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_switch", false), 0);
	test_instance_end(test, tr);
}

static void of_messages(struct kunit *test)
{
	static const struct {
		const char	*what;
		void		(*make)(struct trace_array *tr);
	} messages[] = {
		{ "trace_puts(), a constant", make_bputs },
		{ "trace_puts()", make_puts },
		{ "trace_array_puts()", make_array_puts },
		{ "trace_printk(), a constant format", make_bprintk },
		{ "trace_printk()", make_printk },
		{ "trace_array_printk()", make_array_printk },
		{ "an entry", make_entry },
		{ "trace_dump_stack()", make_dump },
	};
	struct trace_array *tr = instance_with_stacks(test);

	KUNIT_EXPECT_EQ(test, trace_array_init_printk(tr), 0);
	KUNIT_EXPECT_EQ(test, set_option(tr, "trace_printk_dest"), 0);
	for (int i = 0; i < ARRAY_SIZE(messages); i++)
		expect_begin(test, tr, messages[i].what, messages[i].make);
	test_instance_end(test, tr);
}

/* From here to there it is in one; what tracing_gen_ctx() says of it. */
static unsigned int make_within(unsigned int preempts, bool bh, bool irqs)
{
	unsigned long flags = 0;
	unsigned int ctx, i;

	for (i = 0; i < preempts; i++)
		preempt_disable();
	if (bh)
		local_bh_disable();
	if (irqs)
		local_irq_save(flags);
	ctx = tracing_gen_ctx();
	trace_sched_kthread_stop(current);
	if (irqs)
		local_irq_restore(flags);
	if (bh)
		local_bh_enable();
	while (i--)
		preempt_enable();
	return ctx;
}

static void expect_contexts(struct kunit *test, struct trace_event_file *file)
{
	static const struct {
		unsigned int	preempts;
		bool		bh, irqs;
	} contexts[] = {
		{}, { 1 }, { 14 }, { 15 }, { 20 }, { .irqs = true }, { .bh = true },
		{ 3, true, true },
	};
	/* these come when they like */
	const u8 mask = (u8)~(TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_PREEMPT_RESCHED);
	struct ring_buffer_event *event;
	struct trace_entry *entry;
	unsigned int ctx, nr;
	int i, cpu;
	u64 ts;

	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		ctx = make_within(contexts[i].preempts, contexts[i].bh, contexts[i].irqs);
		nr = 0;
		for_each_online_cpu(cpu) {
			while ((event = ring_buffer_consume(file->tr->array_buffer.buffer, cpu,
							    &ts, NULL))) {
				entry = ring_buffer_event_data(event);
				if (entry->pid != current->pid)
					continue;
				nr++;
				KUNIT_EXPECT_EQ_MSG(test, entry->flags & mask,
						    ctx >> TRACE_CTX_FLAGS_SHIFT & mask,
						    "context %d", i);
				KUNIT_EXPECT_EQ_MSG(test, entry->preempt_count,
						    (u8)(ctx >> TRACE_CTX_DEPTH_SHIFT),
						    "context %d", i);
			}
		}
		KUNIT_EXPECT_EQ_MSG(test, nr, 1, "context %d", i);
	}
}

static void contexts_of_events(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit-contexts", "sched");
	struct trace_event_file *file;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_kthread_stop", true),
			0);
	scoped_guard(mutex, &event_mutex) {
		file = find_event_file(tr, "sched", "sched_kthread_stop");
		if (!file) {
			KUNIT_FAIL(test, "there is no such event");
			break;
		}
		expect_contexts(test, file);
		KUNIT_EXPECT_EQ(test, set_filter(file, "pid > 0"), 0);
		expect_contexts(test, file);
		clear_filter(file);
	}
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_kthread_stop", false),
			0);
	test_instance_end(test, tr);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(of_events),
	KUNIT_CASE(of_shared_events),
	KUNIT_CASE(of_switches),
	KUNIT_CASE(of_messages),
	KUNIT_CASE(contexts_of_events),
	{}
};

TRACE_KUNIT_SUITE("trace_stacks", cases);
