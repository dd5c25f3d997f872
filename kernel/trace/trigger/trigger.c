// SPDX-License-Identifier: GPL-2.0-only
/*
 * The triggers of an event: setting and removing them. ../record/triggers.c runs them.
 *
 * EVENT_FILE_FL_TRIGGER_MODE tells the event's probe that there is one, so an event without
 * triggers pays nothing. As long as there is a trigger the event is in soft mode: its
 * probe runs, whether the event is recorded or not. While one of them wants the record
 * (TRIGGER_COND) each hit is filled in, outside of the buffer, also while recording is off.
 *
 *	who writes the file (event_mutex)	the event's probe (preemption off)
 *
 *	the action gets what it needs
 *	into the list, COND, MODE		the flags, then the list
 *	MODE, COND, out of the list
 *	wait for the probes
 *	the action gives back, free
 */
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "../events/events.h"
#include "../filter/filter.h"
#include "../record/entries.h"
#include "trigger.h"

static bool trigger_passes(const struct event_trigger_hook *hook, void *rec)
{
	return filter_match_preds(event_trigger_of(hook)->filter, rec);
}

static noinline void trigger_run(struct event_trigger_hook *hook, struct trace_buffer *buffer,
				 void *rec, struct ring_buffer_event *event)
{
	struct trace_action_call call = { .rec = rec, .event = event, .buffer = buffer };

	trace_action_run(&event_trigger_of(hook)->use, &call);
	barrier();	/* no jump: actions count frames */
}

/* The kernel's own entries have no probe; who writes them looks for triggers. */
static int probe_wanted(struct trace_event_file *file, bool wanted)
{
	if (!event_can_be_enabled(file->event_call))
		return 0;
	return trace_event_enable_disable(file, wanted, 1);
}

static void cond_update(struct trace_event_file *file)
{
	struct event_trigger *trigger;
	bool cond = false;

	for_each_event_trigger(trigger, file)
		cond |= trigger->hook.wants_record;
	assign_bit(EVENT_FILE_FL_TRIGGER_COND_BIT, &file->flags, cond);
}

/**
 * event_trigger_find - the trigger of an event that @use would be one too many beside
 * @file: the event in an instance
 * @use: an action, parsed
 *
 * Context: task, event_mutex.
 * Return: the trigger or NULL.
 */
struct event_trigger *event_trigger_find(struct trace_event_file *file,
					 const struct trace_action_use *use)
{
	struct event_trigger *trigger;

	lockdep_assert_held(&event_mutex);
	for_each_event_trigger(trigger, file)
		if (trace_action_same(&trigger->use, use))
			return trigger;
	return NULL;
}

/**
 * event_trigger_add - set a trigger
 * @trigger: with file, filter, use and condition; it is the event's from here on
 *
 * Context: task, event_mutex.
 * Return: 0, or an error; then @trigger is still the caller's and nothing has changed.
 */
int event_trigger_add(struct event_trigger *trigger)
{
	const struct trace_action *action = trigger->use.action;
	struct event_trigger_hook *hook = &trigger->hook;
	struct trace_event_file *file = trigger->file;
	int ret;

	lockdep_assert_held(&event_mutex);
	hook->after = action->flags & TRACE_ACTION_AFTER ? action->type : ETT_NONE;
	hook->wants_record = trigger->filter ||
			     (action->flags & (TRACE_ACTION_RECORD | TRACE_ACTION_AFTER));
	hook->passes = trigger->filter ? trigger_passes : NULL;
	hook->run = trigger_run;

	ret = trace_action_start(&trigger->use);
	if (ret)
		return ret;
	ret = probe_wanted(file, true);
	if (ret) {
		trace_action_stop(&trigger->use);
		return ret;
	}

	event_file_get(file);
	list_add_rcu(&hook->list, &file->triggers);
	cond_update(file);
	set_bit(EVENT_FILE_FL_TRIGGER_MODE_BIT, &file->flags);
	if (atomic_inc_return(&file->tm_ref) == 1)
		event_pids_triggers(file, true);
	if (file->event_call->event.type == TRACE_PRINT)
		trace_marker_triggers(file->tr, file);
	return 0;
}

static void trigger_unlink(struct event_trigger *trigger)
{
	struct trace_event_file *file = trigger->file;

	if (atomic_dec_and_test(&file->tm_ref)) {
		clear_bit(EVENT_FILE_FL_TRIGGER_MODE_BIT, &file->flags);
		event_pids_triggers(file, false);
		if (file->event_call->event.type == TRACE_PRINT)
			trace_marker_triggers(file->tr, NULL);
	}
	list_del_rcu(&trigger->hook.list);
	cond_update(file);
}

/* Nobody runs it any more. */
static void trigger_free(struct event_trigger *trigger)
{
	struct trace_event_file *file = trigger->file;

	trace_action_stop(&trigger->use);
	probe_wanted(file, false);
	event_filter_free(trigger->filter);
	kfree(trigger);
	event_file_put(file);
}

/**
 * event_trigger_remove - take a trigger away
 * @trigger: the trigger, which is freed
 *
 * Context: task, event_mutex. Waits until nobody runs it.
 */
void event_trigger_remove(struct event_trigger *trigger)
{
	lockdep_assert_held(&event_mutex);
	trigger_unlink(trigger);
	tracepoint_synchronize_unregister();
	trigger_free(trigger);
}

/**
 * event_triggers_remove - take all triggers of an event away
 * @file: the event in an instance
 *
 * Context: task, event_mutex. Waits until nobody runs one.
 */
void event_triggers_remove(struct trace_event_file *file)
{
	struct event_trigger *trigger, *next, *gone = NULL;

	lockdep_assert_held(&event_mutex);
	list_for_each_entry_safe(trigger, next, &file->triggers, hook.list) {
		trigger_unlink(trigger);
		trigger->gone = gone;
		gone = trigger;
	}
	if (!gone)
		return;
	tracepoint_synchronize_unregister();
	while (gone) {
		trigger = gone;
		gone = trigger->gone;
		trigger_free(trigger);
	}
}
