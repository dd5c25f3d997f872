// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registry of events that are made at run time.
 *
 * Several dyn_events may stand for one event: probes that were appended to it. The first one
 * registers the event, in every instance, and the last one that goes takes it away. All of it is
 * guarded by event_mutex: who looks for an event by name and then makes it, or takes it away, holds
 * that all the while.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "dynevent.h"
#include "internal.h"

LIST_HEAD(dyn_events);
LIST_HEAD(dyn_event_kinds);

/**
 * dyn_event_kind_register - add a kind of events
 * @kind: stays for ever
 *
 * Context: boot, before fs_initcall makes the files.
 */
void __init dyn_event_kind_register(struct dyn_event_kind *kind)
{
	guard(mutex)(&event_mutex);
	list_add_tail(&kind->list, &dyn_event_kinds);
}

/**
 * dyn_event_add - what a line defines is complete
 * @ev: has no list yet
 * @kind: its kind
 * @call: its event; it gets registered, unless another dyn_event has it already
 *
 * Context: task, event_mutex; takes trace_types_lock.
 * Return: 0, -EEXIST when there is an event of that name, -ENOMEM, -ENODEV when no number of an
 * event is left. After an error nothing has changed, and @ev and @call are the caller's.
 */
int dyn_event_add(struct dyn_event *ev, const struct dyn_event_kind *kind,
		  struct trace_event_call *call)
{
	int ret = 0;

	lockdep_assert_held(&event_mutex);
	/* else it is there, for another dyn_event */
	if (!(call->flags & TRACE_EVENT_FL_DYNAMIC)) {
		call->flags |= TRACE_EVENT_FL_DYNAMIC;
		ret = event_call_add(call);
	}
	if (ret) {
		call->flags &= ~TRACE_EVENT_FL_DYNAMIC;
		return ret;
	}
	ev->kind = kind;
	ev->call = call;
	ev->chosen = false;
	list_add_tail(&ev->list, &dyn_events);
	return 0;
}

/*
 * Nobody uses those in @gone, of which the list does not know any more; event_call_goes() was told
 * of the events of which nothing remains. One wait for all.
 */
void dyn_events_take_away(struct list_head *gone)
{
	struct dyn_event_kind *kind;
	struct dyn_event *ev, *next;

	event_calls_remove();
	list_for_each_entry(ev, gone, list)
		if (ev->kind->stop)
			ev->kind->stop(ev);
	list_for_each_entry(kind, &dyn_event_kinds, list)
		if (kind->settle)
			kind->settle();
	list_for_each_entry_safe(ev, next, gone, list)
		ev->kind->free(ev);
}

/**
 * dyn_event_remove - take away what one line has defined
 * @ev: freed by its kind, if all goes well
 *
 * Context: task, event_mutex; takes trace_types_lock, may wait for RCU.
 * Return: 0, or -EBUSY while the event is in use.
 */
int dyn_event_remove(struct dyn_event *ev)
{
	ev->chosen = true;
	return dyn_events_remove_chosen();
}

/**
 * dyn_event_command - a line of dynamic_events
 * @text: the line
 *
 * Context: task, takes event_mutex.
 * Return: 0 or why it was refused.
 */
int dyn_event_command(const char *text)
{
	struct dyn_event_kind *kind;
	int ret;

	if (*text == '-' || *text == '!')
		return dyn_events_release(text, NULL);
	/* complete since the boot */
	list_for_each_entry(kind, &dyn_event_kinds, list) {
		ret = kind->create(kind, text);
		if (ret != -ECANCELED)
			return ret;
	}
	return dyn_event_unknown("dynamic_events", text);
}

/**
 * dyn_event_command_of - a line of the file of a kind, of which some remove and all others create
 * @kind: the kind
 * @text: the line
 *
 * Context: task, takes event_mutex.
 * Return: 0 or why it was refused.
 */
int dyn_event_command_of(const struct dyn_event_kind *kind, const char *text)
{
	int ret;

	if (*text == '-')
		return dyn_events_release(text, kind);
	ret = kind->create(kind, text);
	return ret == -ECANCELED ? dyn_event_unknown(kind->file, text) : ret;
}
