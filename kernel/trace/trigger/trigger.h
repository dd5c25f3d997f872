/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers: actions that hang on an event of an instance. The file `trigger` of the event sets
 * them; the event's probe runs them, see ../record/triggers.h.
 */
#ifndef _KERNEL_TRACE_TRIGGER_H
#define _KERNEL_TRACE_TRIGGER_H

#include <linux/trace_events.h>

#include "../instance/instance.h"
#include "../record/triggers.h"
#include "action.h"

struct event_filter;
struct seq_file;

extern const struct instance_feature event_trigger_feature;	/* show_event_triggers, _filters */

/* boot: actions, files, trace_trigger= on the command line */
void event_triggers_init(void);

/**
 * struct event_trigger - a trigger of an event in an instance
 * @hook:	in trace_event_file.triggers, the newest first
 * @file:	whose it is
 * @filter:	a record that does not pass does not run it; NULL: all do
 * @use:	the action
 * @gone:	the next one of those that are going together
 * @condition:	the text of @filter, as it was written; "" without one
 */
struct event_trigger {
	struct event_trigger_hook	hook;
	struct trace_event_file		*file;
	struct event_filter		*filter;
	struct trace_action_use		use;
	struct event_trigger		*gone;
	char				condition[];
};

/* trigger.c; event_mutex held. Removing waits for those that run, needs no memory, cannot fail */
int event_trigger_add(struct event_trigger *trigger);
struct event_trigger *event_trigger_find(struct trace_event_file *file,
					 const struct trace_action_use *use);
void event_trigger_remove(struct event_trigger *trigger);
void event_triggers_remove(struct trace_event_file *file);

/* command.c: what a user wrote, in memory that is changed; event_mutex held */
int event_trigger_command(struct trace_event_file *file, char *text);
void event_trigger_show(struct seq_file *m, const struct event_trigger *trigger);

#define event_trigger_of(h)	container_of(h, struct event_trigger, hook)

#define for_each_event_trigger(trigger, file)	\
	list_for_each_entry(trigger, &(file)->triggers, hook.list)

#endif /* _KERNEL_TRACE_TRIGGER_H */
