// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: taking something away succeeds when there is no memory: events, lists of pids,
 * event-fork, triggers, counters of perf, instances. And who is followed when a task wakes
 * itself, and that of several events those stay that are not to go.
 *
 * A tracepoint that two instances have a probe on needs a smaller array when one lets go.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>

#include "../../tracepoint.h"
#include "../tasks/switch.h"
#include "../ring_buffer/internal.h"
#include "../tasks/tasks.h"
#include "../tests/counter.h"
#include "../tests/instance.h"
#include "../tests/suite.h"
#include "../trigger/test.h"
#include "internal.h"

static struct tracepoint_func *no_probes(unsigned int nr)
{
	return NULL;
}

static struct rb_page *no_page(int cpu, unsigned int order, gfp_t flags)
{
	return NULL;
}

static void *nothing(size_t size)
{
	return NULL;
}

static struct event_files *no_files(unsigned int nr)
{
	return NULL;
}

static void memory_runs_out(struct kunit *test)
{
	kunit_activate_static_stub(test, event_files_alloc, no_files);
	kunit_activate_static_stub(test, trace_switch_alloc, nothing);
	kunit_activate_static_stub(test, tracepoint_alloc_probes, no_probes);
	kunit_activate_static_stub(test, rb_page_alloc, no_page);
}

static void memory_is_back(struct kunit *test)
{
	kunit_deactivate_static_stub(test, event_files_alloc);
	kunit_deactivate_static_stub(test, tracepoint_alloc_probes);
	kunit_deactivate_static_stub(test, rb_page_alloc);
	kunit_deactivate_static_stub(test, trace_switch_alloc);
}

/* How many probes of a tracepoint have this data? Those that were removed have the stub. */
static int probes_with(struct tracepoint *tp, const void *data)
{
	struct tracepoint_func *p;
	int nr = 0;

	guard(preempt)();
	for (p = rcu_dereference_sched(tp->funcs); p && p->func; p++)
		nr += p->func != tp->probestub && p->data == data;
	return nr;
}

static int set_option(struct trace_array *tr, const char *name)
{
	char word[32];

	strscpy(word, name, sizeof(word));
	return trace_set_options(tr, word);
}

static int set_pids(struct trace_array *tr, enum pid_list_kind kind, unsigned int pid)
{
	struct trace_pid_list *list = pid ? trace_pid_list_alloc() : NULL;
	int ret;

	if (pid && (!list || trace_pid_list_set(list, pid)))
		return -ENOMEM;
	guard(mutex)(&event_mutex);
	ret = event_pids_replace(tr, kind, list);
	if (ret)
		trace_pid_list_free(list);
	return ret;
}

/* An instance with all that there is to be taken away. */
static struct trace_array *busy_instance(struct kunit *test, const char *name)
{
	struct trace_array *tr = trace_array_get_by_name(name, "sched,syscalls");

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", NULL, true), 0);
	KUNIT_EXPECT_EQ(test, set_option(tr, "event-fork"), 0);
	KUNIT_EXPECT_EQ(test, set_pids(tr, PIDS_TRACED, current->pid), 0);
	KUNIT_EXPECT_EQ(test, set_pids(tr, PIDS_NOT_TRACED, 1), 0);
	KUNIT_EXPECT_EQ(test, probes_with(&__tracepoint_sched_process_free, &events_of(tr)->pids),
			1);
	KUNIT_EXPECT_EQ(test, probes_with(&__tracepoint_sched_wakeup, tr), 2);
	KUNIT_EXPECT_TRUE(test, trace_switch_asks(tr));
#ifdef CONFIG_FTRACE_SYSCALLS
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "syscalls", "sys_enter_openat", true),
			0);
#endif
	return tr;
}

static void remove_instance(struct kunit *test, struct trace_array *tr)
{
	/* only to tell the probes apart */
	const void *pids = &events_of(tr)->pids;

	test_instance_end(test, tr);
	KUNIT_EXPECT_FALSE(test, trace_switch_asks(tr));
	KUNIT_EXPECT_EQ(test, probes_with(&__tracepoint_sched_wakeup, tr), 0);
	KUNIT_EXPECT_EQ(test, probes_with(&__tracepoint_sched_process_free, pids), 0);
}

static void one_by_one(struct kunit *test)
{
	struct trace_array *other = busy_instance(test, "kunit-away-other");
	struct trace_array *tr = busy_instance(test, "kunit-away");
	struct trace_event_file *file;
	bool on = false;

	memory_runs_out(test);
	KUNIT_EXPECT_EQ(test, set_option(tr, "noevent-fork"), 0);
	KUNIT_EXPECT_FALSE(test, tr->trace_flags & TRACE_ITER_EVENT_FORK);
	KUNIT_EXPECT_EQ(test, probes_with(&__tracepoint_sched_process_fork, &events_of(tr)->pids),
			0);

	KUNIT_EXPECT_EQ(test, set_pids(tr, PIDS_TRACED, 0), 0);
	KUNIT_EXPECT_EQ(test, probes_with(&__tracepoint_sched_wakeup, tr), 2);
	KUNIT_EXPECT_EQ(test, set_pids(tr, PIDS_NOT_TRACED, 0), 0);
	KUNIT_EXPECT_EQ(test, probes_with(&__tracepoint_sched_wakeup, tr), 0);
	/* for the event */
	KUNIT_EXPECT_TRUE(test, trace_switch_asks(tr));

	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, NULL, NULL, false), 0);
	scoped_guard(mutex, &event_mutex) {
		for_each_event_file(file, tr) {
			on |= file->flags & EVENT_FILE_FL_ENABLED;
			if (file->event_call->flags & TRACE_EVENT_FL_TRACEPOINT)
				on |= probes_with(file->event_call->tp, file);
		}
	}
	KUNIT_EXPECT_FALSE(test, on);
	KUNIT_EXPECT_FALSE(test, trace_switch_asks(tr));

	/* The other has what it had. */
	KUNIT_EXPECT_TRUE(test, trace_switch_asks(other));
	KUNIT_EXPECT_EQ(test, probes_with(&__tracepoint_sched_wakeup, other), 2);
	KUNIT_EXPECT_EQ(test,
			probes_with(&__tracepoint_sched_process_fork, &events_of(other)->pids), 1);

	/* Something new needs memory, and leaves nothing behind. */
	KUNIT_EXPECT_EQ(test, set_option(tr, "event-fork"), -ENOMEM);
	KUNIT_EXPECT_EQ(test, set_pids(tr, PIDS_TRACED, 1), -ENOMEM);
	KUNIT_EXPECT_FALSE(test, trace_switch_asks(tr));
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_switch", true),
			-ENOMEM);
	KUNIT_EXPECT_FALSE(test, trace_switch_asks(tr));
	memory_is_back(test);

	KUNIT_EXPECT_EQ(test, set_option(tr, "event-fork"), 0);
	KUNIT_EXPECT_EQ(test, set_pids(tr, PIDS_TRACED, 1), 0);
	remove_instance(test, tr);
	remove_instance(test, other);
}

static void whole_instance(struct kunit *test)
{
	struct trace_array *other = busy_instance(test, "kunit-away-other");
	struct trace_array *tr = busy_instance(test, "kunit-away");

	memory_runs_out(test);
	remove_instance(test, tr);
	KUNIT_EXPECT_TRUE(test, trace_switch_asks(other));
	KUNIT_EXPECT_EQ(test, probes_with(&__tracepoint_sched_wakeup, other), 2);
	memory_is_back(test);

	/* Room for the stubs of those that went is made when the next one comes. */
	tr = busy_instance(test, "kunit-away");
	remove_instance(test, tr);
	remove_instance(test, other);
}

/* What triggers make of an event, beside how often it is held. */
#define BY_TRIGGERS	(EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_SOFT_MODE |		\
			 EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_TRIGGER_MODE |	\
			 EVENT_FILE_FL_TRIGGER_COND)

/* An event that is off in @tr; @ref: how often it is held */
static struct trace_event_file *event_off(struct kunit *test, struct trace_array *tr,
					  const char *name, unsigned int *ref)
{
	struct trace_event_file *file;

	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", name, false), 0);
	scoped_guard(mutex, &event_mutex)
		file = find_event_file(tr, "sched", name);
	KUNIT_ASSERT_NOT_NULL(test, file);
	KUNIT_EXPECT_EQ(test, file->flags & BY_TRIGGERS, 0);
	*ref = refcount_read(&file->ref);
	return file;
}

static void expect_no_triggers(struct kunit *test, struct trace_event_file *file, unsigned int ref)
{
	KUNIT_EXPECT_EQ(test, file->flags & BY_TRIGGERS, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&file->sm_ref), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&file->tm_ref), 0);
	KUNIT_EXPECT_EQ(test, (unsigned int)refcount_read(&file->ref), ref);
	KUNIT_EXPECT_TRUE(test, list_empty(&file->triggers));
	KUNIT_EXPECT_EQ(test, probes_with(file->event_call->tp, file), 0);
}

/* None of them is hit; the event that is switched is so by two of them, of two events. */
static void triggers(struct kunit *test)
{
	static const unsigned long soft = EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_SOFT_MODE |
					  EVENT_FILE_FL_SOFT_DISABLED;
	static const char on[] = "enable_event:sched:sched_process_wait if pid < 0";
	static const char off[] = "disable_event:sched:sched_process_wait:7 if ret == 77";
	struct trace_array *other = busy_instance(test, "kunit-away-other");
	struct trace_array *tr = busy_instance(test, "kunit-away");
	struct trace_event_file *a, *b, *switched, *others;
	unsigned int a_ref, b_ref, ref;

	a = event_off(test, tr, "sched_kthread_stop", &a_ref);
	b = event_off(test, tr, "sched_kthread_stop_ret", &b_ref);
	switched = event_off(test, tr, "sched_process_wait", &ref);

	scoped_guard(mutex, &event_mutex) {
		KUNIT_EXPECT_EQ(test, set_trigger(a, "traceoff if pid < 0"), 0);
#ifdef CONFIG_TRACER_SNAPSHOT
		KUNIT_EXPECT_EQ(test, set_trigger(a, "snapshot if pid < 0"), 0);
		KUNIT_EXPECT_TRUE(test, !!rcu_access_pointer(tr->spare));
#endif
		KUNIT_EXPECT_EQ(test, set_trigger(a, on), 0);
		KUNIT_EXPECT_EQ(test, set_trigger(b, off), 0);
		KUNIT_EXPECT_EQ(test, switched->flags & BY_TRIGGERS, soft);
		KUNIT_EXPECT_EQ(test, atomic_read(&switched->sm_ref), 2);

		memory_runs_out(test);
		event_triggers_remove(a);
		expect_no_triggers(test, a, a_ref);
#ifdef CONFIG_TRACER_SNAPSHOT
		KUNIT_EXPECT_FALSE(test, !!rcu_access_pointer(tr->spare));
#endif
		/* the other one still has it */
		KUNIT_EXPECT_EQ(test, switched->flags & BY_TRIGGERS, soft);
		KUNIT_EXPECT_EQ(test, atomic_read(&switched->sm_ref), 1);
		KUNIT_EXPECT_EQ(test, (unsigned int)refcount_read(&switched->ref), ref + 1);
		event_triggers_remove(b);
		expect_no_triggers(test, b, b_ref);
		expect_no_triggers(test, switched, ref);

		/* and so has the other instance, where its user switched it on */
		others = find_event_file(other, "sched", "sched_process_wait");
		KUNIT_EXPECT_TRUE(test, others && (others->flags & EVENT_FILE_FL_ENABLED));
		memory_is_back(test);
	}
	remove_instance(test, tr);
	remove_instance(test, other);
}

#define FOLLOWED	4000000		/* nobody's pid */

static struct task_struct *self_waker;	/* the test's task, while it wakes itself */

/* In place of an interrupt between what works out the answer and the event that asks for it. */
static void wake_another(void *data, struct task_struct *task)
{
	if (current == self_waker && task == self_waker)
		trace_sched_waking(data);
}

static void wakeup_of_oneself(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit-self-waker", "sched");
	struct task_struct *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_NOT_NULL(test, other);
	other->pid = FOLLOWED;
	KUNIT_EXPECT_EQ(test, set_pids(tr, PIDS_TRACED, FOLLOWED), 0);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_waking", true), 0);
	KUNIT_EXPECT_EQ(test, register_trace_prio_sched_waking(wake_another, other, INT_MAX - 1),
			0);
	self_waker = current;
	trace_sched_waking(current);
	self_waker = NULL;
	unregister_trace_sched_waking(wake_another, other);
	tracepoint_synchronize_unregister();
	/* that of the other */
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 1);
	remove_instance(test, tr);
}

/* The buffer of an instance that was never used is small; who switches off needs no other. */
static void events_off_without_room(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit-away", "sched");

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, ring_buffer_resize(tr->array_buffer.buffer, 1,
						 RING_BUFFER_ALL_CPUS), 0);
	tr->ring_buffer_expanded = false;

	memory_runs_out(test);
	KUNIT_EXPECT_EQ(test, event_make_room(tr, true), -ENOMEM);
	KUNIT_EXPECT_EQ(test, event_make_room(tr, false), 0);
	KUNIT_EXPECT_FALSE(test, tr->ring_buffer_expanded);
	memory_is_back(test);

	KUNIT_EXPECT_EQ(test, event_make_room(tr, true), 0);
	KUNIT_EXPECT_TRUE(test, tr->ring_buffer_expanded);
	remove_instance(test, tr);
}

#ifdef CONFIG_PERF_EVENTS
static void counter_of_perf(struct kunit *test)
{
	struct trace_array *tr = busy_instance(test, "kunit-away");
	struct perf_event_attr attr = { .sample_period = 1 };
	struct trace_event_call *call;
	struct perf_event *event;
	int users;

	scoped_guard(mutex, &event_mutex)
		call = trace_event_find_call("sched", "sched_switch");
	users = call->perf_refcount;
	attr.config = call->event.type;
	event = test_counter(&attr, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, probes_with(call->tp, call), 1);

	memory_runs_out(test);
	perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, call->perf_refcount, users);
	KUNIT_EXPECT_EQ(test, probes_with(call->tp, call), users ? 1 : 0);
	memory_is_back(test);

	remove_instance(test, tr);
}
#endif

static int events_on;

static int count_on(struct trace_event_call *call, enum trace_reg type, void *data)
{
	if (type == TRACE_REG_REGISTER)
		events_on++;
	else if (type == TRACE_REG_UNREGISTER)
		events_on--;
	return 0;
}

#define GOES	"kunit_goes"

/* Of three events those go that are to, wherever the one is that stays; and what is on goes off. */
static void others_stay(struct kunit *test)
{
	static struct trace_event_functions printers;
	static struct trace_event_class class = {
		.system	= GOES,
		.reg	= count_on,
		.fields	= LIST_HEAD_INIT(class.fields),
	};
	static struct trace_event_call calls[] = {
		{ .name = "a" }, { .name = "b" }, { .name = "c" },
	};
	struct trace_array *tr = trace_array_get_by_name("kunit-goes", GOES);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	for (int stays = 0; stays < ARRAY_SIZE(calls); stays++) {
		guard(mutex)(&event_mutex);
		KUNIT_EXPECT_EQ(test, event_files_get_ready(tr), 0);
		for (int i = 0; i < ARRAY_SIZE(calls); i++) {
			struct trace_event_file *file;

			calls[i].class = &class;
			calls[i].event.funcs = &printers;
			calls[i].flags = TRACE_EVENT_FL_DYNAMIC;
			KUNIT_EXPECT_EQ(test, event_call_add(&calls[i]), 0);
			file = find_event_file(tr, GOES, calls[i].name);
			KUNIT_EXPECT_EQ(test, file ? ftrace_event_enable_disable(file, 1) : 1, 0);
			if (i != stays)
				event_call_goes(&calls[i]);
		}
		KUNIT_EXPECT_EQ(test, events_on, 3);
		event_calls_remove();
		KUNIT_EXPECT_EQ(test, events_on, 1);
		for (int i = 0; i < ARRAY_SIZE(calls); i++) {
			bool there = find_event_file(tr, GOES, calls[i].name);

			KUNIT_EXPECT_EQ(test, there, i == stays);
			there = trace_event_find_call(GOES, calls[i].name);
			KUNIT_EXPECT_EQ(test, there, i == stays);
		}
		event_call_goes(&calls[stays]);
		event_calls_remove();
		KUNIT_EXPECT_EQ(test, events_on, 0);
		KUNIT_EXPECT_NULL(test, trace_event_find_call(GOES, calls[stays].name));
	}
	test_instance_end(test, tr);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(one_by_one),
	KUNIT_CASE(whole_instance),
	KUNIT_CASE(triggers),
	KUNIT_CASE(wakeup_of_oneself),
	KUNIT_CASE(events_off_without_room),
	KUNIT_CASE(others_stay),
#ifdef CONFIG_PERF_EVENTS
	KUNIT_CASE(counter_of_perf),
#endif
	{}
};

TRACE_KUNIT_SUITE("trace_taking_away", cases);
