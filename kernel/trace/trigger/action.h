/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Actions: what a user can have done when an event or a function is hit. A trigger of an
 * event and a command of a function (FUNC:COMMAND in set_ftrace_filter) are two hooks for
 * the same actions; an action does not know which of them it hangs on.
 *
 * struct trace_action is the kind, struct trace_action_use one that a user has set.
 */
#ifndef _KERNEL_TRACE_TRIGGER_ACTION_H
#define _KERNEL_TRACE_TRIGGER_ACTION_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/trace_events.h>

struct event_trigger_hook;
struct seq_buf;
struct seq_file;
struct trace_action;

#define TRACE_ACTION_UNLIMITED	(-1L)	/* trace_action_use.left */

/**
 * struct trace_action_use - an action that a user has set
 * @action:	its kind
 * @tr:		the instance it acts on
 * @data:	of the kind, from trace_action.parse()
 * @left:	how often it may still run; negative: without limit
 */
struct trace_action_use {
	const struct trace_action	*action;
	struct trace_array		*tr;
	void				*data;
	atomic_long_t			left;
};

/**
 * struct trace_action_call - what an action is told when it runs
 * @ip:		the function's call site; 0: an event was hit
 * @parent_ip:	who called the function
 */
struct trace_action_call {
	unsigned long			ip;
	unsigned long			parent_ip;
};

/**
 * struct trace_action_text - the words of an action while they are parsed
 * @at:		what is not taken yet, NULL or "" for nothing; in memory that may be changed
 * @bad:	where the error is; NULL: at the beginning
 * @error:	ACTION_ERR_*
 */
struct trace_action_text {
	char	*at;
	char	*bad;
	int	error;
};

enum trace_action_error {
	ACTION_ERR_NONE,
	ACTION_ERR_UNKNOWN,
	ACTION_ERR_EMPTY,
	ACTION_ERR_PARAM,
	ACTION_ERR_COUNT,
	ACTION_ERR_NO_EVENT_NAME,
	ACTION_ERR_NO_EVENT,
	ACTION_ERR_NO_FILTER,
	ACTION_ERR_TRAILING,
	ACTION_ERR_EXISTS,
	ACTION_ERR_BUSY,
	ACTION_ERR_TOO_LONG,
	ACTION_ERR_REFUSED,
	ACTION_ERR_NEEDED,
	ACTION_ERRS
};

extern const char *trace_action_errors[ACTION_ERRS];

#define TRACE_ACTION_EVENT	BIT(0)	/* can be an event's trigger */
#define TRACE_ACTION_FUNCTION	BIT(1)	/* can be a function's command */
#define TRACE_ACTION_RECORD	BIT(2)	/* an event: wants to see the record, filter or not */
#define TRACE_ACTION_AFTER	BIT(3)	/* an event: runs when its record is committed */
#define TRACE_ACTION_LATCHES	BIT(4)	/* running makes it idle */
#define TRACE_ACTION_REPLACED	BIT(5)	/* an event: a command written with > takes its place */
#define TRACE_ACTION_ONCE	BIT(6)	/* runs once, whatever the count says */
#define TRACE_ACTION_ALWAYS	BIT(7)	/* runs each time, whatever the count says */

/**
 * struct trace_action - a kind of action
 * @list:	of all actions; made at boot, never removed from
 * @name:	as users write it
 * @flags:	TRACE_ACTION_*
 * @type:	an event may have only one trigger of a type with the same() data; with
 *		TRACE_ACTION_AFTER the bit that asks for it after the commit
 * @idle:	true when there is nothing to do, so that it does not count; may be NULL.
 *		Any context, preemption off
 * @run:	do it. Any context, preemption off. An action that LATCHES may run on several
 *		CPUs at the same time for one count
 * @parse:	take the action's own words off @text, without the count, and set use->data; changes
 *		nothing else. @file is the event that a trigger is for, NULL for a function's
 *		command. Task, event_mutex. 0, or an error with @text saying where; may be NULL
 * @start:	get what @run needs. Task, event_mutex; may be NULL
 * @stop:	give it back; nobody runs it any more. Cannot fail. Task, event_mutex; may be NULL
 * @same:	do two of this type do the same? NULL: yes. event_mutex
 * @show:	the words that @parse took, each with a colon in front; may be NULL
 *
 * A command with a language of its own, without a count, has these; else they are NULL:
 *
 * @command:	an event: do all that is written behind the name, filter included. @text is cut up.
 *		Task, event_mutex. 0, or an error of which error_log knows
 * @hit:	instead of @run, see struct event_trigger_hook
 * @reads:	what of the record @hit looks at, EVENT_HOOK_*. event_mutex
 * @busy:	a trigger of another event, or with @here of any, needs this one: a user may not
 *		remove it. event_mutex; may be NULL
 * @release:	an event: the trigger was there, and nobody runs it any more: free @use->data. It is
 *		not called for one that could not be set. Cannot fail. event_mutex; may be NULL
 * @hide:	until the event_mutex goes commands do as if it were gone, though it is hit; or,
 *		without @hidden, they see it again where it was. With TRACE_ACTION_REPLACED;
 *		event_mutex
 * @print:	the line of the trigger, with its end
 */
struct trace_action {
	struct list_head		list;
	const char			*name;
	unsigned int			flags;
	enum event_trigger_type		type;

	bool	(*idle)(const struct trace_action_use *use);
	void	(*run)(struct trace_action_use *use, const struct trace_action_call *call);
	int	(*parse)(struct trace_action_use *use, struct trace_event_file *file,
			 struct trace_action_text *text);
	int	(*start)(struct trace_action_use *use);
	void	(*stop)(struct trace_action_use *use);
	bool	(*same)(const struct trace_action_use *use, const struct trace_action_use *other);
	void	(*show)(const struct trace_action_use *use, struct seq_buf *s);

	int	(*command)(struct trace_event_file *file, char *text, bool remove);
	void	(*hit)(struct event_trigger_hook *hook, void *rec, u64 time);
	u8	(*reads)(const struct trace_action_use *use);
	bool	(*busy)(const struct trace_action_use *use, bool here);
	void	(*release)(struct trace_action_use *use);
	void	(*hide)(struct trace_action_use *use, bool hidden);
	void	(*print)(struct seq_file *m, const struct trace_action_use *use);
};

/* boot, in the order in which users see them; @flags of all of the actions that are asked for */
void trace_actions_register(struct trace_action *new, unsigned int nr);
const struct trace_action *trace_action_find(const char *name, unsigned int flags);
const struct trace_action *trace_action_next(const struct trace_action *action,
					     unsigned int flags);

int trace_action_parse_own(struct trace_action_use *use, struct trace_event_file *file,
			   struct trace_action_text *text);
int trace_action_parse(struct trace_action_use *use, struct trace_event_file *file,
		       struct trace_action_text *text);
int trace_action_start(struct trace_action_use *use);
void trace_action_stop(struct trace_action_use *use);
void trace_action_set_count(struct trace_action_use *use, long count);
bool trace_action_has_limit(const struct trace_action_use *use);
bool trace_action_same(const struct trace_action_use *use, const struct trace_action_use *other);
void trace_action_show(const struct trace_action_use *use, struct seq_buf *s);

void trace_action_run(struct trace_action_use *use, const struct trace_action_call *call);

/* event_actions.c: for actions on another event, SYSTEM:EVENT, which is use->data */
int trace_action_parse_event(struct trace_action_use *use, struct trace_event_file *file,
			     struct trace_action_text *text);
int trace_action_start_event(struct trace_action_use *use);
void trace_action_stop_event(struct trace_action_use *use);
bool trace_action_same_event(const struct trace_action_use *use,
			     const struct trace_action_use *other);
void trace_action_show_event(const struct trace_action_use *use, struct seq_buf *s);

/* What those have of it in their struct trace_action. */
#define TRACE_ACTION_ON_EVENT			\
	.parse	= trace_action_parse_event,	\
	.start	= trace_action_start_event,	\
	.stop	= trace_action_stop_event,	\
	.same	= trace_action_same_event,	\
	.show	= trace_action_show_event

#endif /* _KERNEL_TRACE_TRIGGER_ACTION_H */
