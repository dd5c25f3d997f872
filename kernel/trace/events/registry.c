// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registry: which events there are; how they come and go, in all instances.
 *
 * Events come from the section _ftrace_events of the kernel and of modules, see
 * boot.c and modules.c, and one by one through trace_add_event_call(). The list
 * is guarded by event_mutex, and also by trace_event_sem, so that printing finds
 * an event without event_mutex.
 */
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "../output/output.h"
#include "internal.h"

LIST_HEAD(ftrace_events);

static int call_register(struct trace_event_call *call, struct module *mod)
{
	const char *name = trace_event_name(call);
	int ret = 0;

	lockdep_assert_held(&event_mutex);
	if (WARN_ON(!name))
		return -EINVAL;

	if (call->class->raw_init)
		ret = call->class->raw_init(call);
	if (ret < 0) {
		/* a system call that the architecture does not have */
		if (ret != -ENOENT)
			pr_warn("Could not initialize trace events/%s\n", name);
		return ret;
	}

	down_write(&trace_event_sem);
	ret = event_fields_define(call);
	if (ret) {
		if (call->event.funcs)
			__unregister_trace_event(&call->event);
	} else {
		list_add_tail(&call->list, &ftrace_events);
	}
	up_write(&trace_event_sem);
	if (ret) {
		pr_warn("Could not create the fields of trace event %s\n", name);
		return ret;
	}

	if (call->flags & TRACE_EVENT_FL_DYNAMIC)
		atomic_set(&call->refcnt, 0);
	else
		call->module = mod;
	return 0;
}

int event_call_enroll(struct trace_event_call *call, struct module *mod)
{
	struct trace_array *tr;
	int ret;

	ret = call_register(call, mod);
	if (ret)
		return ret;

	for_each_trace_array(tr)
		if (events_of(tr)->complete && event_file_add(tr, call))
			pr_warn("No memory for trace event %s in an instance\n",
				trace_event_name(call));
	return 0;
}

#define CALL_GOES	BIT(30)	/* in trace_event_call.flags; event_mutex */

/* What calls_remove() takes: one event, those with CALL_GOES, or all events of a module. */
struct call_choice {
	const struct trace_event_call	*call;
	const struct module		*mod;
	bool				goes;
	unsigned int			nr;	/* how many these are; calls_remove() */
};

static bool chosen(const struct call_choice *choice, const struct trace_event_call *call)
{
	if (choice->goes)
		return call->flags & CALL_GOES;
	if (choice->call)
		return call == choice->call;
	return !(call->flags & TRACE_EVENT_FL_DYNAMIC) && call->module == choice->mod;
}

/*
 * Do @fn with the files of @tr whose events go. These are mostly the youngest of more than a
 * thousand: so they are looked for from the end, and only till all are found. True if @fn says it
 * of one.
 */
static bool chosen_files(struct trace_array *tr, const struct call_choice *choice,
			 bool (*fn)(struct trace_event_file *file))
{
	struct trace_event_file *file, *next;
	unsigned int left = choice->nr;
	bool any = false;

	list_for_each_entry_safe_reverse(file, next, &events_of(tr)->files, list) {
		if (!left)
			break;
		if (!chosen(choice, file->event_call))
			continue;
		left--;
		any |= fn(file);
	}
	return any;
}

static bool file_loses_users(struct trace_event_file *file)
{
	event_file_users_leave(file);
	return false;
}

static bool file_was_recorded(struct trace_event_file *file)
{
	return event_file_was_recorded(file);
}

/* Return: file_was_recorded(). */
static bool file_disable(struct trace_event_file *file)
{
	bool recorded = file_was_recorded(file);

	ftrace_event_enable_disable(file, 0);
	return recorded;
}

static bool file_leaves(struct trace_event_file *file)
{
	event_file_leave(file);
	return false;
}

/* @choice: without nr */
static void calls_remove(struct call_choice *choice)
{
	struct trace_event_call *call, *next;
	struct trace_array *tr;
	bool probed = false;
	unsigned int left;

	lockdep_assert_held(&event_mutex);
	lockdep_assert_held(&trace_types_lock);

	list_for_each_entry(call, &ftrace_events, list)
		choice->nr += chosen(choice, call);
	for_each_trace_array(tr) {
		chosen_files(tr, choice, file_loses_users);
		probed |= chosen_files(tr, choice, file_disable);
	}

	/* no probe holds one of the files after this */
	if (probed)
		tracepoint_synchronize_unregister();

	for_each_trace_array(tr) {
		if (chosen_files(tr, choice, file_was_recorded))
			tracing_reset_both(tr);
		chosen_files(tr, choice, file_leaves);
	}

	down_write(&trace_event_sem);
	left = choice->nr;
	list_for_each_entry_reverse(call, &ftrace_events, list) {
		if (!left)
			break;
		if (!chosen(choice, call))
			continue;
		left--;
		if (call->event.funcs)
			__unregister_trace_event(&call->event);
	}
	up_write(&trace_event_sem);

	/* nobody prints one of them after this */
	trace_event_wait_readers();

	down_write(&trace_event_sem);
	left = choice->nr;
	list_for_each_entry_safe_reverse(call, next, &ftrace_events, list) {
		if (!left)
			break;
		if (!chosen(choice, call))
			continue;
		left--;
		list_del(&call->list);
		event_fields_destroy(call);
		if (choice->goes) {
			call->flags &= ~CALL_GOES;
			call->event.type = 0;	/* when it comes again it gets a new one */
		}
	}
	up_write(&trace_event_sem);
}

void event_calls_remove_of(const struct module *mod)
{
	struct call_choice choice = { .mod = mod };

	calls_remove(&choice);
}

static bool call_held(const struct trace_event_call *call)
{
#ifdef CONFIG_PERF_EVENTS
	if (call->perf_refcount)
		return true;
#endif
	return (call->flags & TRACE_EVENT_FL_DYNAMIC) && atomic_read(&call->refcnt);
}

static bool calls_busy(const struct call_choice *choice)
{
	const struct trace_event_call *call;
	struct trace_event_file *file;
	struct trace_array *tr;

	list_for_each_entry(call, &ftrace_events, list)
		if (chosen(choice, call) && call_held(call))
			return true;
	for_each_trace_array(tr)
		for_each_event_file(file, tr)
			if ((file->flags & EVENT_FILE_FL_ENABLED) &&
			    chosen(choice, file->event_call))
				return true;
	return false;
}

/**
 * trace_add_event_call - add an event at run time
 * @call: the event, with its class
 *
 * Context: task; takes event_mutex and trace_types_lock.
 * Return: 0 or why it was refused.
 */
int trace_add_event_call(struct trace_event_call *call)
{
	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	return event_call_enroll(call, NULL);
}
EXPORT_SYMBOL_GPL(trace_add_event_call);

/**
 * trace_remove_event_call - remove an event that trace_add_event_call() added
 * @call: the event
 *
 * Buffers that hold records of it are emptied.
 *
 * Context: task; takes event_mutex and trace_types_lock, waits for RCU.
 * Return: 0, -EBUSY while somebody has it on.
 */
int trace_remove_event_call(struct trace_event_call *call)
{
	struct call_choice choice = { .call = call };

	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	if (calls_busy(&choice))
		return -EBUSY;
	calls_remove(&choice);
	return 0;
}
EXPORT_SYMBOL_GPL(trace_remove_event_call);

static int take_number(struct trace_event_call *call)
{
	return register_trace_event(&call->event) ? 0 : -ENODEV;
}

/**
 * event_call_add - an event comes at run time
 * @call: the event, with a class of its own and a name that nobody has to keep; without raw_init
 *	  it just gets a number
 *
 * It is in every instance that has event files, or in none.
 *
 * Context: task, event_mutex; takes trace_types_lock.
 * Return: 0; -EEXIST: there is an event of this name; -ENOMEM; -ENODEV: no number is left; or what
 * its class says. Nothing has changed then.
 */
int event_call_add(struct trace_event_call *call)
{
	struct call_choice choice = { .call = call };
	struct trace_array *tr;
	int ret;

	lockdep_assert_held(&event_mutex);
	guard(mutex)(&trace_types_lock);
	if (trace_event_find_call(call->class->system, trace_event_name(call)))
		return -EEXIST;
	if (!call->class->raw_init)
		call->class->raw_init = take_number;
	ret = call_register(call, NULL);
	if (ret)
		return ret;
	for_each_trace_array(tr) {
		if (!events_of(tr)->complete)
			continue;
		ret = event_file_add(tr, call);
		if (ret) {
			calls_remove(&choice);
			return ret;
		}
	}
	return 0;
}

/**
 * event_call_goes - an event is to go that event_call_add() added
 * @call: the event; if event_calls_busy() says that none is, event_calls_remove() follows
 *
 * Context: task, event_mutex.
 */
void event_call_goes(struct trace_event_call *call)
{
	lockdep_assert_held(&event_mutex);
	call->flags |= CALL_GOES;
}

/**
 * event_call_stays - an event is not to go, whatever event_call_goes() was told
 * @call: the event
 *
 * Context: task, event_mutex.
 */
void event_call_stays(struct trace_event_call *call)
{
	lockdep_assert_held(&event_mutex);
	call->flags &= ~CALL_GOES;
}

/**
 * event_calls_busy - is one of those that are to go on anywhere, or held?
 *
 * Triggers and perf have it on as well. Held is what somebody took a reference on with
 * event_try_get(). The events of all instances are gone through once, however many are
 * to go.
 *
 * Context: task, event_mutex; takes trace_types_lock.
 * Return: true if one is.
 */
bool event_calls_busy(void)
{
	struct call_choice choice = { .goes = true };

	lockdep_assert_held(&event_mutex);
	guard(mutex)(&trace_types_lock);
	return calls_busy(&choice);
}

/**
 * event_calls_remove - those go that event_call_goes() was told of, after one wait for all of them
 *
 * Nobody looks at one of them, or at its class, on return. Buffers that hold records of them are
 * emptied.
 *
 * Context: task, event_mutex; takes trace_types_lock, waits for readers and RCU.
 */
void event_calls_remove(void)
{
	struct call_choice choice = { .goes = true };

	lockdep_assert_held(&event_mutex);
	guard(mutex)(&trace_types_lock);
	calls_remove(&choice);
}
