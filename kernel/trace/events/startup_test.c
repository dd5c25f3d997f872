// SPDX-License-Identifier: GPL-2.0-only
/*
 * EVENT_TRACE_STARTUP_TEST: late in the boot each event of the kernel is switched on, something is
 * done, and it is switched off; then each system, then all events at once. In an instance of the
 * test's own, which is empty of records when they are off.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "../instance/instance.h"
#include "internal.h"

struct tested {
	const char	*system;
	const char	*name;
};

static int __init load_thread(void *unused)
{
	/* of nothing: taking them has events */
	static DEFINE_SPINLOCK(lock);
	static DEFINE_MUTEX(mutex);
	void *memory;

	spin_lock(&lock);
	spin_unlock(&lock);
	spin_lock_irq(&lock);
	spin_unlock_irq(&lock);
	mutex_lock(&mutex);
	memory = kmalloc(1234, GFP_KERNEL);
	kfree(memory);
	mutex_unlock(&mutex);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void __init load_work(struct work_struct *work)
{
}

/* Wake-ups, switches, work, memory, locks: what has events. */
static void __init make_load(void)
{
	struct task_struct *task = kthread_run(load_thread, NULL, "test-events");
	struct work_struct work;

	INIT_WORK_ONSTACK(&work, load_work);
	schedule_work(&work);
	flush_work(&work);
	destroy_work_on_stack(&work);
	if (!IS_ERR(task))
		kthread_stop(task);
}

static unsigned long __init recorded(struct trace_array *tr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;

	return ring_buffer_entries(buffer) + ring_buffer_overruns(buffer);
}

/* NULL for all. Return: what is wrong, or NULL. */
static const char *__init test_one(struct trace_array *tr, const char *system, const char *name)
{
	unsigned long at_rest;

	if (trace_array_set_clr_event(tr, system, name, true))
		return "cannot be switched on";
	make_load();
	if (trace_array_set_clr_event(tr, system, name, false))
		return "cannot be switched off";
	at_rest = recorded(tr);
	make_load();
	if (recorded(tr) == at_rest)
		return NULL;
	/* Who was in a probe when it was taken away may have been slow; there is nobody now. */
	tracepoint_synchronize_unregister();
	at_rest = recorded(tr);
	make_load();
	return recorded(tr) == at_rest ? NULL : "records when it is off";
}

static bool __init is_tested(const struct trace_event_call *call)
{
	if (call->flags & TRACE_EVENT_FL_IGNORE_ENABLE || !call->class || !call->class->reg)
		return false;
	return IS_ENABLED(CONFIG_EVENT_TRACE_TEST_SYSCALLS) ||
	       strcmp(call->class->system, "syscalls");
}

/* Events of the kernel itself do not go, nor do their names. */
static struct tested *__init list_tested(unsigned int *nr)
{
	struct trace_event_call *call;
	struct tested *list;
	unsigned int n = 0;

	guard(mutex)(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list)
		n++;
	list = kvcalloc(n, sizeof(*list), GFP_KERNEL);
	n = 0;
	if (list) {
		list_for_each_entry(call, &ftrace_events, list) {
			if (is_tested(call))
				list[n++] = (struct tested) { call->class->system,
							      trace_event_name(call) };
		}
	}
	*nr = n;
	return list;
}

static void __init say(const char *what, unsigned int nr, unsigned int bad)
{
	if (bad)
		WARN(1, "Testing %s: FAILED: %u of %u\n", what, bad, nr);
	else
		pr_info("Testing %s: PASSED (%u)\n", what, nr);
}

static void __init test_events(struct trace_array *tr, const struct tested *list, unsigned int nr)
{
	unsigned int bad = 0, systems = 0, bad_systems = 0;
	const char *system = NULL, *why;

	for (unsigned int i = 0; i < nr; i++) {
		why = test_one(tr, list[i].system, list[i].name);
		if (!why)
			continue;
		pr_warn("event %s:%s %s\n", list[i].system, list[i].name, why);
		bad++;
	}
	say("events one by one", nr, bad);

	/* those of a system stand together, or it is tested again */
	for (unsigned int i = 0; i < nr; i++) {
		if (system && !strcmp(system, list[i].system))
			continue;
		system = list[i].system;
		systems++;
		why = test_one(tr, system, NULL);
		if (!why)
			continue;
		pr_warn("events of %s: %s\n", system, why);
		bad_systems++;
	}
	say("systems of events", systems, bad_systems);

	tracing_reset_online_cpus(&tr->array_buffer);
	why = test_one(tr, NULL, NULL);
	if (!why && !recorded(tr))
		why = "record nothing";
	if (why)
		pr_warn("all events: %s\n", why);
	say("all events", nr, !!why);
}

static int __init event_startup_test(void)
{
	struct trace_array *tr;
	struct tested *list;
	unsigned int nr;

	list = list_tested(&nr);
	if (!list)
		return -ENOMEM;
	tr = trace_array_get_by_name("event-selftest", NULL);
	if (!tr) {
		kvfree(list);
		return -ENOMEM;
	}
	test_events(tr, list, nr);
	kvfree(list);
	trace_array_put(tr);
	return trace_array_destroy(tr);
}
late_initcall(event_startup_test);
