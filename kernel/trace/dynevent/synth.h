/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Synthetic events: events of the system "synthetic" with fields that a user has chosen. They
 * happen when somebody says so: an action of a histogram, or the kernel's own callers
 * (<linux/trace_events_dynevent.h>).
 */
#ifndef _KERNEL_TRACE_DYNEVENT_SYNTH_H
#define _KERNEL_TRACE_DYNEVENT_SYNTH_H

#include <linux/list.h>
#include <linux/trace_events.h>

#include "dynevent.h"

#define SYNTH_SYSTEM		"synthetic"
#define SYNTH_FIELDS_MAX	64

/* Bytes that a string takes at most, with what ends it; and a static one always. */
#define SYNTH_STRING_MAX	256

/* Words of a stack at most, with the count that it begins with. */
#define SYNTH_STACK_MAX		32

enum synth_store {
	SYNTH_NUMBER,
	SYNTH_STRING,		/* in the record, SYNTH_STRING_MAX bytes */
	SYNTH_DYN_STRING,	/* behind the fields, as long as it is */
	SYNTH_STACK,		/* so is this */
};

/**
 * struct synth_field - a field of a synthetic event
 * @type:	as `format` has it: "u64", "char[16]", "__data_loc char[]"
 * @name:	its name
 * @fmt:	how a number is printed
 * @mask:	of a number, the bits that it has
 * @offset:	in the record, bytes
 * @size:	of the type, bytes; 8 for what is behind the fields. What a number takes is 8
 * @store:	where the value is
 * @is_signed:	of a number
 */
struct synth_field {
	char			*type;
	char			*name;
	const char		*fmt;
	u64			mask;
	unsigned int		offset;
	unsigned int		size;
	enum synth_store	store;
	bool			is_signed;
};

/**
 * struct synth_event - a synthetic event
 * @dyn:	in the registry of dynamic events
 * @call:	the event
 * @class:	of this event alone
 * @name:	its name
 * @targets:	struct synth_target: where it is on; changed under event_mutex, walked with
 *		preemption off
 * @perf:	perf has it on
 * @plain:	its fields are all numbers
 * @bytes:	of a record, without what is behind the fields
 * @max_bytes:	with it, at most
 * @n_fields:	how many
 * @fields:	in order
 */
struct synth_event {
	struct dyn_event		dyn;
	struct trace_event_call		call;
	struct trace_event_class	class;
	char				*name;
	struct list_head		targets;
	bool				perf;
	bool				plain;
	unsigned int			bytes;
	unsigned int			max_bytes;
	unsigned int			n_fields;
	struct synth_field		fields[] __counted_by(n_fields);
};

/*
 * event_mutex held. Who keeps the event takes trace_event_try_get_ref(&event->call): as long as he
 * has that it is not removed.
 */
struct synth_event *synth_event_find(const char *name);

/* NULL when @call is no synthetic event; any context */
struct synth_event *synth_event_of(struct trace_event_call *call);

/* Is there anybody to tell? Any context, preemption off. */
static inline bool synth_event_is_on(const struct synth_event *event)
{
	return !list_empty(&event->targets) || READ_ONCE(event->perf);
}

/*
 * synth_write.c: the event happens, wherever it is on. A value for each field: a number, a string's
 * address, or that of a stack: its number of entries, those, and 0. False: too many happen within
 * each other, and this one is lost. Any context, preemption off.
 */
bool synth_event_fire(struct synth_event *event, const u64 *vals);

#endif /* _KERNEL_TRACE_DYNEVENT_SYNTH_H */
