// SPDX-License-Identifier: GPL-2.0-only
/*
 * enable_event and disable_event: another event's recording goes on or off when this one is hit.
 *
 * As long as the action is set the other event is in soft mode: its probe runs, and a bit
 * says whether it records. So the action is one atomic operation, in any context. It
 * holds the other event, with its module, and counts as a soft user of it.
 */
#include <linux/init.h>
#include <linux/seq_buf.h>
#include <linux/string.h>

#include "../events/events.h"
#include "actions.h"

static bool records(const struct trace_action_use *use)
{
	const struct trace_event_file *file = use->data;

	return !(READ_ONCE(file->flags) & EVENT_FILE_FL_SOFT_DISABLED);
}

static bool records_not(const struct trace_action_use *use)
{
	return !records(use);
}

static void do_enable(struct trace_action_use *use, const struct trace_action_call *call)
{
	struct trace_event_file *file = use->data;

	clear_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags);
}

static void do_disable(struct trace_action_use *use, const struct trace_action_call *call)
{
	struct trace_event_file *file = use->data;

	set_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags);
}

/**
 * trace_action_parse_event - trace_action.parse() of an action on another event
 * @use: its data will be the event
 * @file: not looked at
 * @text: the words
 *
 * Context: task, event_mutex.
 * Return: 0 or an error with @text saying where.
 */
int trace_action_parse_event(struct trace_action_use *use, struct trace_event_file *file,
			     struct trace_action_text *text)
{
	char *system = text->at ? strsep(&text->at, ":") : NULL;
	char *event = text->at ? strsep(&text->at, ":") : NULL;
	int ret;

	if (!event) {
		text->bad = system;
		text->error = ACTION_ERR_NO_EVENT_NAME;
		return -EINVAL;
	}
	/* a function's command may be the first that asks for an event in its instance */
	ret = event_files_get_ready(use->tr);
	if (ret)
		return ret;
	use->data = find_event_file(use->tr, system, event);
	if (!use->data) {
		text->bad = system;
		text->error = ACTION_ERR_NO_EVENT;
		return -EINVAL;
	}
	return 0;
}

/**
 * trace_action_start_event - hold the other event, and have its probe run
 * @use: parsed
 *
 * Context: task, event_mutex.
 * Return: 0 or an error; then nothing has changed.
 */
int trace_action_start_event(struct trace_action_use *use)
{
	struct trace_event_file *file = use->data;
	int ret;

	if (!event_try_get(file->event_call))
		return -EBUSY;
	ret = trace_event_enable_disable(file, 1, 1);
	if (ret)
		trace_event_put_ref(file->event_call);
	else
		event_file_get(file);
	return ret;
}

/**
 * trace_action_stop_event - undo trace_action_start_event()
 * @use: nobody runs it any more
 *
 * Context: task, event_mutex.
 */
void trace_action_stop_event(struct trace_action_use *use)
{
	struct trace_event_file *file = use->data;

	trace_event_enable_disable(file, 0, 1);
	trace_event_put_ref(file->event_call);
	event_file_put(file);
}

/**
 * trace_action_same_event - are both about one event?
 * @use: an action on another event
 * @other: one too
 *
 * Context: task, event_mutex.
 * Return: true if so.
 */
bool trace_action_same_event(const struct trace_action_use *use,
			     const struct trace_action_use *other)
{
	return use->data == other->data;
}

/**
 * trace_action_show_event - the words of the other event
 * @use: an action on another event
 * @s: gets them, with a colon in front of each
 *
 * Context: task, event_mutex.
 */
void trace_action_show_event(const struct trace_action_use *use, struct seq_buf *s)
{
	const struct trace_event_file *file = use->data;

	seq_buf_printf(s, ":%s:%s", file->event_call->class->system,
		       trace_event_name(file->event_call));
}

#define OTHER_EVENT_ACTION(action_name, is_idle, do_it)					\
	{										\
		.name	= action_name,							\
		.flags	= TRACE_ACTION_EVENT | TRACE_ACTION_FUNCTION | TRACE_ACTION_LATCHES,	\
		.type	= ETT_EVENT_ENABLE,						\
		.idle	= is_idle,							\
		.run	= do_it,							\
		TRACE_ACTION_ON_EVENT,								\
	}

static struct trace_action actions[] = {
	OTHER_EVENT_ACTION("enable_event", records, do_enable),
	OTHER_EVENT_ACTION("disable_event", records_not, do_disable),
};

void __init event_actions_register(void)
{
	trace_actions_register(actions, ARRAY_SIZE(actions));
}
