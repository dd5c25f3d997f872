// SPDX-License-Identifier: GPL-2.0-only
/* What all actions have in common: their list, their count, running one. */
#include <linux/ctype.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/seq_buf.h>
#include <linux/string.h>

#include "action.h"

static LIST_HEAD(actions);	/* complete before there is a user */

const char *trace_action_errors[ACTION_ERRS] = {
	[ACTION_ERR_NONE]		= "",
	[ACTION_ERR_UNKNOWN]		= "Unknown command",
	[ACTION_ERR_EMPTY]		= "No command",
	[ACTION_ERR_PARAM]		= "Command takes no such parameter",
	[ACTION_ERR_COUNT]		= "Not a count",
	[ACTION_ERR_NO_EVENT_NAME]	= "Names no event, which is SYSTEM:EVENT",
	[ACTION_ERR_NO_EVENT]		= "Event not found",
	[ACTION_ERR_NO_FILTER]		= "No filter behind 'if'",
	[ACTION_ERR_TRAILING]		= "Neither a parameter nor 'if'",
	[ACTION_ERR_EXISTS]		= "There is a trigger of this kind already",
	[ACTION_ERR_BUSY]		= "Event is going away",
	[ACTION_ERR_TOO_LONG]		= "Command is too long",
	[ACTION_ERR_REFUSED]		= "Command could not be started",
	[ACTION_ERR_NEEDED]		= "Triggers of other events need one of these",
};

/**
 * trace_actions_register - add kinds of actions
 * @new: what they do
 * @nr: how many they are
 *
 * Context: boot, before there is a user of the actions.
 */
void __init trace_actions_register(struct trace_action *new, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		list_add_tail(&new[i].list, &actions);
}

/**
 * trace_action_next - go through the actions
 * @action: the last one, NULL: begin
 * @flags: which of TRACE_ACTION_* it has to have
 *
 * Context: any.
 * Return: the next one in the order of registration, NULL behind the last.
 */
const struct trace_action *trace_action_next(const struct trace_action *action, unsigned int flags)
{
	const struct list_head *at = action ? &action->list : &actions;

	for (at = at->next; at != &actions; at = at->next) {
		action = list_entry(at, struct trace_action, list);
		if ((action->flags & flags) == flags)
			return action;
	}
	return NULL;
}

/**
 * trace_action_find - find an action by its name
 * @name: the name
 * @flags: which of TRACE_ACTION_* it has to have
 *
 * Context: any.
 * Return: the action or NULL.
 */
const struct trace_action *trace_action_find(const char *name, unsigned int flags)
{
	const struct trace_action *action = NULL;

	while ((action = trace_action_next(action, flags)))
		if (!strcmp(action->name, name))
			break;
	return action;
}

/**
 * trace_action_set_count - set how often an action may run
 * @use: with its action, which may know better
 * @count: how often; TRACE_ACTION_UNLIMITED, or any other negative number: without limit
 *
 * Context: any, while nobody runs it.
 */
void trace_action_set_count(struct trace_action_use *use, long count)
{
	if (use->action->flags & TRACE_ACTION_ONCE)
		count = 1;
	else if (use->action->flags & TRACE_ACTION_ALWAYS)
		count = TRACE_ACTION_UNLIMITED;
	atomic_long_set(&use->left, count);
}

/**
 * trace_action_has_limit - has an action a count, which may be used up?
 * @use: parsed
 *
 * Context: any.
 * Return: true if it has.
 */
bool trace_action_has_limit(const struct trace_action_use *use)
{
	return atomic_long_read(&use->left) != TRACE_ACTION_UNLIMITED;
}

/* The count ends at the next colon; what stands behind that was never looked at. */
static int parse_count(struct trace_action_use *use, struct trace_action_text *text)
{
	unsigned long count;
	char *word;
	int ret;

	trace_action_set_count(use, TRACE_ACTION_UNLIMITED);
	if (!text->at)
		return 0;
	word = strsep(&text->at, ":");
	ret = kstrtoul(word, 0, &count);
	if (ret) {
		text->bad = word;
		text->error = ACTION_ERR_COUNT;
		return ret;
	}
	/* counts that no number of hits reaches are no limit */
	trace_action_set_count(use, count);
	return 0;
}

/**
 * trace_action_parse_own - parse what the action itself takes, and no count
 * @use: with its action and instance; gets data
 * @file: as for trace_action_parse()
 * @text: the words
 *
 * For an action that is taken away: how much is left of its count does not matter.
 *
 * Context: task, event_mutex.
 * Return: 0, or an error with @text saying where it is.
 */
int trace_action_parse_own(struct trace_action_use *use, struct trace_event_file *file,
			   struct trace_action_text *text)
{
	return use->action->parse ? use->action->parse(use, file, text) : 0;
}

/**
 * trace_action_parse - parse what stands behind the name of an action
 * @use: with its action and instance; gets data and count
 * @file: the event it is to be a trigger of, NULL: it is to be a function's command
 * @text: the words: what the action takes, then a count
 *
 * Nothing but @use and @text is changed.
 *
 * Context: task, event_mutex.
 * Return: 0, or an error with @text saying where it is.
 */
int trace_action_parse(struct trace_action_use *use, struct trace_event_file *file,
		       struct trace_action_text *text)
{
	return trace_action_parse_own(use, file, text) ?: parse_count(use, text);
}

/**
 * trace_action_start - get what an action needs when it runs
 * @use: parsed
 *
 * Context: task, event_mutex.
 * Return: 0 or an error; then nothing has changed.
 */
int trace_action_start(struct trace_action_use *use)
{
	return use->action->start ? use->action->start(use) : 0;
}

/**
 * trace_action_stop - undo trace_action_start()
 * @use: nobody runs it any more: the caller took it out and waited
 *
 * Context: task, event_mutex.
 */
void trace_action_stop(struct trace_action_use *use)
{
	if (use->action->stop)
		use->action->stop(use);
}

/**
 * trace_action_same - would one of the two be one too many?
 * @use: an action
 * @other: another one
 *
 * On and off are the same in this: one of them undoes the other.
 *
 * Context: task, event_mutex.
 * Return: true if so.
 */
bool trace_action_same(const struct trace_action_use *use, const struct trace_action_use *other)
{
	return use->action->type == other->action->type &&
	       (!use->action->same || use->action->same(use, other));
}

/**
 * trace_action_show - an action as its file shows it
 * @use: the action
 * @s: gets the name, its words and the count, without an end of line
 *
 * Context: task, event_mutex.
 */
void trace_action_show(const struct trace_action_use *use, struct seq_buf *s)
{
	long left = atomic_long_read(&use->left);

	seq_buf_puts(s, use->action->name);
	if (use->action->show)
		use->action->show(use, s);
	if (left == TRACE_ACTION_UNLIMITED)
		seq_buf_puts(s, ":unlimited");
	else
		seq_buf_printf(s, ":count=%ld", left);
}

/*
 * An action that makes itself idle, on several CPUs at the same time: all that read the
 * same count may run it, which is the same as once, and one of them takes the count down. Who
 * reads the new count sees the action idle: the count is read before idle() looks (acquire),
 * and taken down after the call (cmpxchg).
 */
static __always_inline void run_latching(struct trace_action_use *use,
					 const struct trace_action_call *call)
{
	long left = atomic_long_read_acquire(&use->left);

	if (!left || use->action->idle(use))
		return;
	use->action->run(use, call);
	if (left > 0)
		atomic_long_cmpxchg(&use->left, left, left - 1);
}

/**
 * trace_action_run - run an action, if its count allows it
 * @use: the action
 * @call: what there is to know about the hit
 *
 * Context: any, preemption off.
 */
void notrace trace_action_run(struct trace_action_use *use, const struct trace_action_call *call)
{
	const struct trace_action *action = use->action;

	if (action->flags & TRACE_ACTION_LATCHES) {
		run_latching(use, call);
		return;
	}
	if (action->idle && action->idle(use))
		return;
	if (atomic_long_read(&use->left) >= 0 && atomic_long_dec_if_positive(&use->left) < 0)
		return;
	action->run(use, call);
}
