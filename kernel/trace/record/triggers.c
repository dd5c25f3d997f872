// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running what hangs on an event.
 *
 * Hooks that can do without the record run before there is one. With one that cannot
 * (EVENT_FILE_FL_TRIGGER_COND) all of the event's hooks run when the record is complete. Those
 * that are to see it committed are asked for then, by their bits, and run behind the
 * commit, or behind the end of a record that was given up.
 */
#include <linux/export.h>
#include <linux/rculist.h>

#include "triggers.h"

/**
 * event_triggers_run - run what hangs on an event
 * @file: the event in an instance
 * @rec: the record, NULL before there is one
 * @time: that of the record in the buffer; 0 if it has no place there
 *
 * Context: any, preemption off.
 * Return: bits of enum event_trigger_type for event_triggers_post_call().
 */
enum event_trigger_type event_triggers_run(struct trace_event_file *file, void *rec, u64 time)
{
	enum event_trigger_type after = ETT_NONE;
	struct event_trigger_hook *hook;

	list_for_each_entry_rcu(hook, &file->triggers, list) {
		/* one that came after the caller had looked at the flags */
		if (!rec && hook->wants_record)
			continue;
		if (hook->passes && !hook->passes(hook, rec))
			continue;
		if (hook->after)
			after |= hook->after;
		else
			hook->run(hook, rec, time);
	}
	return after;
}

/**
 * event_triggers_call - run what hangs on an event
 * @file: the event in an instance
 * @buffer: not looked at
 * @rec: the record, NULL before there is one
 * @event: not looked at
 *
 * Context: any, preemption off.
 * Return: as event_triggers_run().
 */
enum event_trigger_type event_triggers_call(struct trace_event_file *file,
					    struct trace_buffer *buffer, void *rec,
					    struct ring_buffer_event *event)
{
	return event_triggers_run(file, rec, 0);
}
EXPORT_SYMBOL_GPL(event_triggers_call);

/**
 * event_triggers_post_call - run the triggers that write records of their own
 * @file: the event in an instance
 * @tt: what event_triggers_run() returned
 *
 * Context: any, preemption off since event_triggers_run(), after the commit.
 */
void event_triggers_post_call(struct trace_event_file *file, enum event_trigger_type tt)
{
	struct event_trigger_hook *hook;

	list_for_each_entry_rcu(hook, &file->triggers, list)
		if (hook->after & tt)
			hook->run(hook, NULL, 0);
}
EXPORT_SYMBOL_GPL(event_triggers_post_call);
