/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of synthetic events. */
#ifndef _KERNEL_TRACE_DYNEVENT_SYNTH_INTERNAL_H
#define _KERNEL_TRACE_DYNEVENT_SYNTH_INTERNAL_H

#include "synth.h"
#include "synth_errors.h"

/* An instance that the event is on in. */
struct synth_target {
	struct list_head	list;
	struct trace_event_file	*file;
	struct rcu_head		rcu;
};

/**
 * struct synth_text - a line that defines a synthetic event
 * @whole:	as it was written
 * @name:	in @whole, where the event's name begins
 * @name_len:	bytes of it
 */
struct synth_text {
	const char	*whole;
	const char	*name;
	size_t		name_len;
};

/* synth_parse.c; task, no lock */
int synth_refuse(const char *whole, const char *at, enum synth_error error, int ret);
struct synth_event *synth_parse(const struct synth_text *text);
void synth_event_free(struct synth_event *event);

/* synth_event.c; takes event_mutex */
int synth_event_command(const char *text);

/* synth_print.c */
extern struct trace_event_functions synth_event_funcs;
char *synth_print_fmt(const struct synth_event *event);

#endif /* _KERNEL_TRACE_DYNEVENT_SYNTH_INTERNAL_H */
