/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers: actions that hang on an event of an instance. The file `trigger` of the event sets
 * them; the event's probe runs them, see ../record/triggers.h.
 */
#ifndef _KERNEL_TRACE_TRIGGER_H
#define _KERNEL_TRACE_TRIGGER_H

#include <linux/trace_events.h>

#include "../instance/instance.h"
#include "../instance/words.h"
#include "../record/triggers.h"
#include "action.h"

struct event_filter;
struct seq_file;

extern const struct instance_feature event_trigger_feature;	/* show_event_triggers, _filters */

void event_triggers_init(void);		/* boot: actions of this room, and the files */
void event_triggers_boot(void);		/* boot, when all actions are there: trace_trigger= */

/**
 * struct event_trigger - a trigger of an event in an instance
 * @hook:	in trace_event_file.triggers, the newest first
 * @file:	whose it is
 * @filter:	a record that does not pass does not run it; NULL: all do
 * @use:	the action
 * @gone:	the next one that the same triggers_remove() frees
 * @leaving:	it goes when the command that is under way succeeds, which does not see it;
 *		event_mutex
 * @born:	the how many-th of all it is; event_mutex
 * @off:	it was taken off the event, and is freed after a grace period; event_mutex
 * @condition:	the text of @filter, as it was written; "" without one
 */
struct event_trigger {
	struct event_trigger_hook	hook;
	struct trace_event_file		*file;
	struct event_filter		*filter;
	struct trace_action_use		use;
	struct event_trigger		*gone;
	u64				born;
	bool				leaving;
	bool				off;
	char				condition[];
};

/* trigger.c; event_mutex held. Removing waits for those that run, needs no memory, cannot fail */
struct event_trigger *event_trigger_alloc(struct trace_event_file *file, const char *condition);
void event_trigger_free(struct event_trigger *trigger);
int event_trigger_add(struct event_trigger *trigger);
struct event_trigger *event_trigger_find(struct trace_event_file *file,
					 const struct trace_action_use *use);
void event_trigger_remove(struct event_trigger *trigger);
void event_triggers_remove(struct trace_event_file *file);
/* those that there were at some time, U64_MAX for all */
u64 event_triggers_now(void);
void event_triggers_remove_till(struct trace_event_file *file, u64 till);
bool event_triggers_busy(struct trace_event_file *file, u64 till);
void event_triggers_set_aside(struct trace_event_file *file, u64 till);
void event_triggers_settle(struct trace_event_file *file, bool done);

/* for rooms above: what hangs on an event and no user has set it; event_mutex held */
int event_hook_add(struct trace_event_file *file, struct event_trigger_hook *hook);
void event_hook_remove(struct trace_event_file *file, struct event_trigger_hook *hook);

/* command.c: what a user wrote; event_mutex held */
#define event_trigger_words(instance)						\
	((struct trace_words) {							\
		.tr = (instance), .loc = "event trigger", .errs = trace_action_errors, \
	})
int event_trigger_command(struct trace_event_file *file, struct trace_words *words);
void event_trigger_show(struct seq_file *m, const struct event_trigger *trigger);

#define event_trigger_of(h)	container_of(h, struct event_trigger, hook)

/* Those that users have set. The `else` makes all of it one statement, as a loop is. */
#define for_each_event_trigger(trigger, file)				\
	list_for_each_entry(trigger, &(file)->triggers, hook.list)	\
		if ((trigger)->hook.internal) {} else

#endif /* _KERNEL_TRACE_TRIGGER_H */
