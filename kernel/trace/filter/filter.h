/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event filters: a text becomes a program that says of a record whether it
 * stays. Written in task context under event_mutex, run in any context.
 */
#ifndef _KERNEL_TRACE_FILTER_H
#define _KERNEL_TRACE_FILTER_H

#include <linux/trace_events.h>

struct event_filter;	/* events/filter.h */
struct trace_array;

/**
 * event_filter_create - make a filter for an event's records
 * @tr: whose error_log gets the line when the text is refused; NULL: none does
 * @call: the event; nothing of it is kept
 * @text: the text; white space at its end does not count
 * @filter: where the filter goes, untouched unless 0 is returned
 *
 * Context: task, event_mutex held. May sleep.
 * Return: 0, -EINVAL for a text that is refused, -ENOMEM.
 */
int event_filter_create(struct trace_array *tr, struct trace_event_call *call,
			const char *text, struct event_filter **filter);

/**
 * event_filter_text - the text a filter was made from
 * @filter: the filter, NULL: "none"
 *
 * Context: task, event_mutex.
 * Return: the text, which is freed with the filter.
 */
const char *event_filter_text(const struct event_filter *filter);

void event_filter_free(struct event_filter *filter);	/* events/filter.c */

void event_filters_init(void);	/* boot, before tracefs is up */

#endif /* _KERNEL_TRACE_FILTER_H */
