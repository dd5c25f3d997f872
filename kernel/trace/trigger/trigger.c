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
#include <linux/err.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "../events/events.h"
#include "../events/filter.h"
#include "../filter/filter.h"
#include "../record/entries.h"
#include "trigger.h"

static bool trigger_passes(const struct event_trigger_hook *hook, void *rec)
{
	return filter_match_preds(event_trigger_of(hook)->filter, rec);
}

static void trigger_run(struct event_trigger_hook *hook, void *rec, u64 time)
{
	struct trace_action_call call = { };

	trace_action_run(&event_trigger_of(hook)->use, &call);
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
	struct event_trigger_hook *hook;
	bool cond = false;

	list_for_each_entry(hook, &file->triggers, list)
		cond |= hook->wants_record;
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
		if (!trigger->leaving && trace_action_same(&trigger->use, use))
			return trigger;
	return NULL;
}

static int hook_link(struct trace_event_file *file, struct event_trigger_hook *hook, bool last)
{
	int ret = hook->wants_record ? event_long_scratch_init() : 0;

	ret = ret ?: probe_wanted(file, true);
	if (ret)
		return ret;
	event_file_get(file);
	if (last)
		list_add_tail_rcu(&hook->list, &file->triggers);
	else
		list_add_rcu(&hook->list, &file->triggers);
	cond_update(file);
	set_bit(EVENT_FILE_FL_TRIGGER_MODE_BIT, &file->flags);
	atomic_inc(&file->tm_ref);
	if (file->event_call->event.type == TRACE_PRINT)
		trace_marker_triggers(file->tr, file);
	return 0;
}

static void hook_unlink(struct trace_event_file *file, struct event_trigger_hook *hook)
{
	if (atomic_dec_and_test(&file->tm_ref)) {
		clear_bit(EVENT_FILE_FL_TRIGGER_MODE_BIT, &file->flags);
		if (file->event_call->event.type == TRACE_PRINT)
			trace_marker_triggers(file->tr, NULL);
	}
	list_del_rcu(&hook->list);
	cond_update(file);
}

/**
 * event_hook_add - hang something on an event that no user sees
 * @file: the event in an instance
 * @hook: complete but for @list and @internal
 *
 * Context: task, event_mutex.
 * Return: 0, or an error; then nothing has changed.
 */
int event_hook_add(struct trace_event_file *file, struct event_trigger_hook *hook)
{
	lockdep_assert_held(&event_mutex);
	hook->internal = true;
	return hook_link(file, hook, false);
}

/**
 * event_hook_remove - take away what event_hook_add() has hung on an event
 * @file: the event in the instance
 * @hook: which; nobody runs it any more afterwards
 *
 * Context: task, event_mutex; waits for RCU.
 */
void event_hook_remove(struct trace_event_file *file, struct event_trigger_hook *hook)
{
	lockdep_assert_held(&event_mutex);
	hook_unlink(file, hook);
	tracepoint_synchronize_unregister();
	probe_wanted(file, false);
	event_file_put(file);
}

/**
 * event_trigger_alloc - make a trigger that is not on its event yet
 * @file: the event in an instance
 * @condition: text of the filter; NULL or "": none
 *
 * The caller sets @use, then it is for event_trigger_add() or event_trigger_free().
 *
 * Context: task, event_mutex.
 * Return: the trigger; -ENOMEM, or what the filter says.
 */
struct event_trigger *event_trigger_alloc(struct trace_event_file *file, const char *condition)
{
	size_t len = condition ? strlen(condition) : 0;
	struct event_trigger *trigger;
	int ret;

	trigger = kzalloc(struct_size(trigger, condition, len + 1), GFP_KERNEL);
	if (!trigger)
		return ERR_PTR(-ENOMEM);
	trigger->file = file;
	if (!len)
		return trigger;
	memcpy(trigger->condition, condition, len);
	ret = event_filter_create(file->tr, file->event_call, condition, &trigger->filter);
	if (!ret)
		return trigger;
	kfree(trigger);
	return ERR_PTR(ret);
}

/**
 * event_trigger_free - free a trigger that is not on its event
 * @trigger: of event_trigger_alloc(); what its action holds is the caller's
 *
 * Context: task.
 */
void event_trigger_free(struct event_trigger *trigger)
{
	event_filter_free(trigger->filter);
	kfree(trigger);
}

/* how many were set since boot; event_mutex */
static u64 born;

/**
 * event_trigger_add - set a trigger
 * @trigger: of event_trigger_alloc(), with its use, and hook.run if that is not what the action
 *	says; it is the event's from here on
 *
 * Context: task, event_mutex.
 * Return: 0, or an error; then @trigger is still the caller's and nothing has changed.
 */
int event_trigger_add(struct event_trigger *trigger)
{
	const struct trace_action *action = trigger->use.action;
	struct event_trigger_hook *hook = &trigger->hook;
	int ret;

	lockdep_assert_held(&event_mutex);
	hook->after = action->flags & TRACE_ACTION_AFTER ? action->type : ETT_NONE;
	hook->wants_record = trigger->filter ||
			     (action->flags & (TRACE_ACTION_RECORD | TRACE_ACTION_AFTER));
	/* of a command with a language of its own it is known what it looks at */
	hook->reads = action->hit ? action->reads(&trigger->use) : EVENT_HOOK_HEADER;
	if (trigger->filter && trigger->filter->reads_header)
		hook->reads |= EVENT_HOOK_HEADER;
	hook->passes = trigger->filter ? trigger_passes : NULL;
	if (!hook->run)
		hook->run = action->hit ?: trigger_run;

	ret = trace_action_start(&trigger->use);
	if (ret)
		return ret;
	/* hists are shown in the order in which they were set, behind the others */
	ret = hook_link(trigger->file, hook, action->command);
	if (ret)
		trace_action_stop(&trigger->use);
	else
		trigger->born = ++born;
	return ret;
}

/* The time by which event_triggers_busy() and its kin tell old triggers from new ones. */
u64 event_triggers_now(void)
{
	lockdep_assert_held(&event_mutex);
	return born;
}

static void trigger_unlink(struct event_trigger *trigger)
{
	trigger->off = true;
	hook_unlink(trigger->file, &trigger->hook);
}

/* Nobody runs it any more. */
static void trigger_free(struct event_trigger *trigger)
{
	struct trace_event_file *file = trigger->file;

	trace_action_stop(&trigger->use);
	if (trigger->use.action->release)
		trigger->use.action->release(&trigger->use);
	probe_wanted(file, false);
	event_trigger_free(trigger);
	event_file_put(file);
}

/**
 * event_trigger_remove - take a trigger away
 * @trigger: the trigger, which is freed
 *
 * An action that stops may call it for a trigger that goes together with its own: then whoever
 * takes them away frees it.
 *
 * Context: task, event_mutex. Waits until nobody runs it.
 */
void event_trigger_remove(struct event_trigger *trigger)
{
	lockdep_assert_held(&event_mutex);
	if (trigger->off)
		return;
	trigger_unlink(trigger);
	tracepoint_synchronize_unregister();
	trigger_free(trigger);
}

static bool trigger_busy(const struct event_trigger *trigger, bool here)
{
	const struct trace_action *action = trigger->use.action;

	return action->busy && action->busy(&trigger->use, here);
}

/**
 * event_triggers_busy - is a trigger of the event needed elsewhere?
 * @file: the event in an instance
 * @till: of those that there were at this event_triggers_now()
 *
 * Context: task, event_mutex.
 * Return: true if one is.
 */
bool event_triggers_busy(struct trace_event_file *file, u64 till)
{
	struct event_trigger *trigger;
	bool stays = false;

	/* those that stay may need those that go */
	for_each_event_trigger(trigger, file)
		stays |= trigger->born > till;
	for_each_event_trigger(trigger, file)
		if (trigger->born <= till && trigger_busy(trigger, stays))
			return true;
	return false;
}

/* All of these, or those that are leaving. */
static void triggers_remove(struct trace_event_file *file, u64 till, bool leaving)
{
	struct event_trigger *trigger, *next, *gone = NULL;

	lockdep_assert_held(&event_mutex);
	list_for_each_entry_safe(trigger, next, &file->triggers, hook.list) {
		if (trigger->hook.internal || trigger->born > till ||
		    (leaving && !trigger->leaving))
			continue;
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

/**
 * event_triggers_remove - take all triggers of an event away
 * @file: the event in an instance
 *
 * Context: task, event_mutex. Waits until nobody runs one.
 */
void event_triggers_remove(struct trace_event_file *file)
{
	triggers_remove(file, U64_MAX, false);
}

/**
 * event_triggers_remove_till - take old triggers of an event away
 * @file: the event in an instance
 * @till: those that there were at this event_triggers_now()
 *
 * Context: as event_triggers_remove()
 */
void event_triggers_remove_till(struct trace_event_file *file, u64 till)
{
	triggers_remove(file, till, false);
}

/* If one of them is needed, be it by another of them, all of the kind stay. */
static bool kind_busy(struct trace_event_file *file, const struct trace_action *action)
{
	struct event_trigger *trigger;

	for_each_event_trigger(trigger, file)
		if (trigger->use.action == action && trigger_busy(trigger, true))
			return true;
	return false;
}

/**
 * event_triggers_set_aside - a command is about to be done that was written with >, not with >>
 * @file: the event in an instance
 * @till: the event_triggers_now() of when the file was opened
 *
 * The triggers that > replaces are hidden from the command, and are hit all the same.
 * event_triggers_settle() has to follow: it removes them if the command was taken, else they are
 * there as ever.
 *
 * Context: task, event_mutex.
 */
void event_triggers_set_aside(struct trace_event_file *file, u64 till)
{
	struct event_trigger *trigger;

	lockdep_assert_held(&event_mutex);
	for_each_event_trigger(trigger, file) {
		const struct trace_action *action = trigger->use.action;

		trigger->leaving = (action->flags & TRACE_ACTION_REPLACED) &&
				   trigger->born <= till && !kind_busy(file, action);
	}
	for_each_event_trigger(trigger, file)
		if (trigger->leaving && trigger->use.action->hide)
			trigger->use.action->hide(&trigger->use, true);
}

/**
 * event_triggers_settle - the command that event_triggers_set_aside() was for is over
 * @file: the event in the instance
 * @done: it was taken
 *
 * Context: task, event_mutex. Waits until nobody runs those that go.
 */
void event_triggers_settle(struct trace_event_file *file, bool done)
{
	struct event_trigger *trigger;

	lockdep_assert_held(&event_mutex);
	if (done) {
		triggers_remove(file, U64_MAX, true);
		return;
	}
	/* the last that was hidden comes back first, each to where it was */
	list_for_each_entry_reverse(trigger, &file->triggers, hook.list) {
		if (trigger->hook.internal || !trigger->leaving)
			continue;
		trigger->leaving = false;
		if (trigger->use.action->hide)
			trigger->use.action->hide(&trigger->use, false);
	}
}
