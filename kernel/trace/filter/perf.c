// SPDX-License-Identifier: GPL-2.0-only
/*
 * PERF_EVENT_IOC_SET_FILTER. The filter is perf's: it asks filter_match_preds() for each of its
 * events that a record is for.
 */
#include <linux/perf_event.h>
#include <linux/trace_events.h>

#include "../events/events.h"
#include "../events/perf.h"
#include "internal.h"

/**
 * ftrace_profile_set_filter - PERF_EVENT_IOC_SET_FILTER
 * @event: perf's event
 * @event_id: number of the trace event
 * @filter_str: the filter
 *
 * perf's core reads the filter without a lock, so it is set once.
 *
 * Context: task, takes event_mutex.
 * Return: 0; -EEXIST when it has a filter, -EINVAL for a text that is refused, -ENOMEM, and others
 * of the function event.
 */
int ftrace_profile_set_filter(struct perf_event *event, int event_id, char *filter_str)
{
	const struct event_function_class *function;
	struct trace_event_call *call = event->tp_event;
	struct event_filter *filter;
	int ret;

	guard(mutex)(&event_mutex);
	if (!call)
		return -EINVAL;
	function = event_function_class(call);
	if (function)
		return function->set_filter(event, filter_str);
	if (event->filter)
		return -EEXIST;

	ret = event_filter_create(NULL, call, filter_str, &filter);
	if (ret)
		return ret;
	/* pairs with the dependent read in perf_tp_filter_match() */
	smp_store_release(&event->filter, filter);
	return 0;
}

/**
 * ftrace_profile_free_filter - free the filter of perf's event
 * @event: perf's event, which no record comes to any more
 *
 * Context: softirq or task: perf frees its events behind a grace period.
 */
void ftrace_profile_free_filter(struct perf_event *event)
{
	event_filter_free(event->filter);
	event->filter = NULL;
}
