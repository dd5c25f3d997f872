/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that are made at run time, from a line of text or by the kernel itself: the registry of
 * them, and the files dynamic_events and those of the kinds.
 *
 * A kind (synthetic events, probes of several sorts) knows its language and what makes its events
 * happen. It makes a struct trace_event_call with a class of its own, and one
 * struct dyn_event for each line that defines a part of it.
 */
#ifndef _KERNEL_TRACE_DYNEVENT_H
#define _KERNEL_TRACE_DYNEVENT_H

#include <linux/list.h>
#include <linux/trace_events.h>

#include "../instance/instance.h"

struct dyn_event;
struct seq_file;

extern const struct instance_feature dynevent_feature;	/* dynamic_events, files of the kinds */

/**
 * struct dyn_event_kind - a kind of events
 * @list:	of all kinds, in the order in which they are asked; made at boot
 * @file:	the kind's own file at the top level, NULL for none
 * @command:	a line of that file; NULL: what dyn_event_command_of() does. Task, no lock
 * @create:	a line of dynamic_events; -ECANCELED: it is not of this @kind. Task, no lock
 * @show:	print the line, for dynamic_events. event_mutex
 * @show_own:	print it for @file; NULL: as @show
 * @match:	is it meant by @system (NULL: any), @event (NULL: all of the system), and the words
 *		behind them in the line that removes it? event_mutex
 * @is_busy:	is there a reason of the kind's own to keep it? May be NULL. event_mutex
 * @stop:	it is out of the list, and its call is not registered any more if no other has that:
 *		let nobody come to it. Neither waits nor fails. May be NULL. event_mutex
 * @settle:	some were stopped: wait for who is in one of them. May be NULL. event_mutex
 * @free:	free it. Those that share a call are freed in the order of the list. event_mutex
 * @profile_file: of how often its events happened, at the top level; NULL for none
 * @show_profile: print a line of that. event_mutex
 */
struct dyn_event_kind {
	struct list_head	list;
	const char		*file;
	int	(*command)(const char *text);
	int	(*create)(const struct dyn_event_kind *kind, const char *text);
	int	(*show)(struct seq_file *m, struct dyn_event *ev);
	int	(*show_own)(struct seq_file *m, struct dyn_event *ev);
	bool	(*match)(const struct dyn_event *ev, const char *system, const char *event,
			 int argc, const char **argv);
	bool	(*is_busy)(const struct dyn_event *ev);
	void	(*stop)(struct dyn_event *ev);
	void	(*settle)(void);
	void	(*free)(struct dyn_event *ev);
	const char		*profile_file;
	int	(*show_profile)(struct seq_file *m, struct dyn_event *ev);
};

/**
 * struct dyn_event - what one line has defined
 * @list:	in dyn_events, the oldest first; event_mutex
 * @kind:	who made it
 * @call:	the event; those that were appended to an event share it
 * @chosen:	among those that are about to go; event_mutex
 */
struct dyn_event {
	struct list_head		list;
	const struct dyn_event_kind	*kind;
	struct trace_event_call		*call;
	bool				chosen;
};

extern struct list_head dyn_events;

#define for_each_dyn_event(ev)	list_for_each_entry(ev, &dyn_events, list)

/* boot, before fs_initcall */
void dyn_event_kind_register(struct dyn_event_kind *kind);

/* dynevent.c; event_mutex held, takes trace_types_lock */
int dyn_event_add(struct dyn_event *ev, const struct dyn_event_kind *kind,
		  struct trace_event_call *call);
int dyn_event_remove(struct dyn_event *ev);

/* release.c; takes event_mutex */
int dyn_events_release(const char *text, const struct dyn_event_kind *kind);
int dyn_event_delete(char *name, const struct dyn_event_kind *kind);
int dyn_event_unknown(const char *file, const char *text);
int dyn_events_release_all(const struct dyn_event_kind *kind);

/* release.c, for the file: event_mutex held. Go, or -EBUSY and all stay */
int dyn_events_remove_chosen(void);

/* gen_cmd.c: lines that the kernel itself makes up, struct dynevent_cmd */
void dynevent_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen, enum dynevent_type type,
		       dynevent_create_fn_t run);
__printf(2, 3) int dynevent_cmd_add(struct dynevent_cmd *cmd, const char *fmt, ...);

/* a line of dynamic_events; takes event_mutex */
int dyn_event_command(const char *text);
/* a line of the file of @kind; the same */
int dyn_event_command_of(const struct dyn_event_kind *kind, const char *text);

#endif /* _KERNEL_TRACE_DYNEVENT_H */
