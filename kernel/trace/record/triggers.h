/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What hangs on an event of an instance, seen from where records are written. The rooms above put
 * hooks on trace_event_file.triggers; event_triggers_call() and event_triggers_post_call()
 * (<linux/trace_events.h>) run them.
 */
#ifndef _KERNEL_TRACE_RECORD_TRIGGERS_H
#define _KERNEL_TRACE_RECORD_TRIGGERS_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/trace_events.h>

/**
 * struct event_trigger_hook - something that is to run when an event is hit
 * @list:	in trace_event_file.triggers; changed under event_mutex with rculist functions,
 *		walked with preemption off
 * @internal:	of the kernel's own; the rest are struct event_trigger, and a user's
 * @wants_record: it is called with the record or not at all
 * @reads:	EVENT_HOOK_*
 * @after:	ETT_NONE: it runs at once; else one bit, and it runs when the record is
 *		committed, without the record. An event has one hook of a bit
 * @passes:	is it meant by this record? NULL: by all. Any context, preemption off
 * @run:	do it. @rec is NULL before there is one and after the commit. @time is that of the
 *		record in the buffer, if it has a place there and the hook reads it; else it may be
 *		0. Any context, preemption off
 */
struct event_trigger_hook {
	struct list_head	list;
	bool			internal;
	bool			wants_record;
	u8			reads;
	enum event_trigger_type	after;
	bool	(*passes)(const struct event_trigger_hook *hook, void *rec);
	void	(*run)(struct event_trigger_hook *hook, void *rec, u64 time);
};

/*
 * @passes or @run looks at the common fields of the record, beside the pid of the current task;
 * else they may not be filled in.
 */
#define EVENT_HOOK_HEADER	BIT(0)
/* @run asks for the time. */
#define EVENT_HOOK_TIME		BIT(1)

/* event_triggers_call() with the time that the record has in the buffer, 0: it is not there */
enum event_trigger_type event_triggers_run(struct trace_event_file *file, void *rec, u64 time);

/*
 * trace_marker.c: the event file ftrace:print of @tr has triggers, or for NULL, has none any more.
 * Task, event_mutex.
 */
void trace_marker_triggers(struct trace_array *tr, struct trace_event_file *file);

#endif /* _KERNEL_TRACE_RECORD_TRIGGERS_H */
