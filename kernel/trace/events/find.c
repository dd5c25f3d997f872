// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding an event, or its file in an instance; and keeping it, and its module, from going.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/trace_events.h>

#include "internal.h"

/* Entries of the system "ftrace" are only there to show their format. */
bool event_can_be_enabled(const struct trace_event_call *call)
{
	return call->class->reg && !(call->flags & TRACE_EVENT_FL_IGNORE_ENABLE);
}

/* Most differ in the first letter, and there are more than a thousand: no call for each. */
static __always_inline bool same_name(const char *a, const char *b)
{
	for (; *a == *b; a++, b++)
		if (!*a)
			return true;
	return false;
}

/**
 * trace_event_find_call - find an event
 * @system: its system
 * @name: its name
 *
 * Context: task, event_mutex.
 * Return: the event or NULL.
 */
struct trace_event_call *trace_event_find_call(const char *system, const char *name)
{
	struct trace_event_call *call;

	list_for_each_entry(call, &ftrace_events, list)
		if (same_name(trace_event_name(call), name) &&
		    same_name(call->class->system, system))
			return call;
	return NULL;
}

/**
 * find_event_file - find an event in an instance
 * @tr: the instance
 * @system: the event's system
 * @event: the event's name; only one that can be switched on is found
 *
 * Context: task, event_mutex.
 * Return: the event file or NULL.
 */
struct trace_event_file *find_event_file(struct trace_array *tr, const char *system,
					 const char *event)
{
	struct trace_event_file *file;

	for_each_event_file(file, tr) {
		if (event_can_be_enabled(file->event_call) &&
		    event_is_named(file->event_call, system, event))
			return file;
	}
	return NULL;
}

/**
 * event_file_next - go through the events of an instance
 * @tr: the instance
 * @file: one of its event files, NULL for the first
 *
 * Context: task, event_mutex.
 * Return: the next event file or NULL.
 */
struct trace_event_file *event_file_next(struct trace_array *tr, struct trace_event_file *file)
{
	struct list_head *files = &events_of(tr)->files;
	struct list_head *next = file ? file->list.next : files->next;

	return next == files ? NULL : list_entry(next, struct trace_event_file, list);
}

/*
 * A module can be kept once its init has succeeded. Before that it goes when init fails, whoever
 * has a reference on it.
 */
static bool may_be_kept(const struct trace_event_call *call)
{
#ifdef CONFIG_MODULES
	const struct module *mod = call->flags & TRACE_EVENT_FL_DYNAMIC ? NULL : call->module;

	return !mod || READ_ONCE(mod->state) == MODULE_STATE_LIVE;
#else
	return true;
#endif
}

/**
 * event_try_get - keep an event from going, and its module
 * @call: the event, found under event_mutex
 *
 * Context: task, event_mutex.
 * Return: true, and trace_event_put_ref() has to follow; false for an event whose module is just
 * coming or going.
 */
bool event_try_get(struct trace_event_call *call)
{
	lockdep_assert_held(&event_mutex);
	return may_be_kept(call) && trace_event_try_get_ref(call);
}

/**
 * trace_get_event_file - find an event file and keep it
 * @instance: name of the instance, NULL: the top one
 * @system: the event's system
 * @event: the event's name
 *
 * Neither the instance nor the event's module can go before trace_put_event_file().
 *
 * Context: task; takes event_mutex and trace_types_lock.
 * Return: the file or an ERR_PTR(): -ENOENT no such instance, -EINVAL no such event, -EBUSY
 * when the event is coming or going, -ENOMEM, -EINTR when the caller was killed.
 */
struct trace_event_file *trace_get_event_file(const char *instance, const char *system,
					      const char *event)
{
	struct trace_array *tr = &global_trace;
	struct trace_event_file *file;
	int ret;

	if (instance)
		tr = trace_array_find_get(instance);
	else if (trace_array_get(tr))
		tr = NULL;
	if (!tr)
		return ERR_PTR(-ENOENT);

	scoped_guard(mutex, &event_mutex) {
		ret = event_files_get_ready(tr) ?: trace_array_use(tr);
		file = ret ? ERR_PTR(ret) : find_event_file(tr, system, event);
		if (!file)
			file = ERR_PTR(-EINVAL);
		else if (IS_ERR(file))
			break;
		else if (!event_try_get(file->event_call))
			file = ERR_PTR(-EBUSY);
	}
	if (IS_ERR(file))
		trace_array_put(tr);
	return file;
}
EXPORT_SYMBOL_GPL(trace_get_event_file);

/**
 * trace_put_event_file - give back what trace_get_event_file() found
 * @file: the event file
 *
 * Context: task; takes event_mutex and trace_types_lock.
 */
void trace_put_event_file(struct trace_event_file *file)
{
	struct trace_array *tr = file->tr;

	scoped_guard(mutex, &event_mutex)
		trace_event_put_ref(file->event_call);
	trace_array_put(tr);
}
EXPORT_SYMBOL_GPL(trace_put_event_file);
