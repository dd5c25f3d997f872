/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf's events that rooms above make: ftrace:function, of which the format is here and what makes
 * it happen above, and probes that are in no registry.
 */
#ifndef _KERNEL_TRACE_EVENTS_PERF_H
#define _KERNEL_TRACE_EVENTS_PERF_H

#include <linux/align.h>
#include <linux/percpu.h>
#include <linux/trace_events.h>

/* Bytes for a record of @size: perf puts a u32 in front, and the two make a multiple of 8. */
#define PERF_RECORD_SIZE(size)	(ALIGN((size) + sizeof(u32), sizeof(u64)) - sizeof(u32))

/**
 * struct event_function_class - who makes the function event
 * @reg:	its trace_event_class.reg
 * @may_open:	its trace_event_call.perf_perm
 * @set_filter:	PERF_EVENT_IOC_SET_FILTER; event_mutex held
 */
struct event_function_class {
	int	(*reg)(struct trace_event_call *call, enum trace_reg type, void *data);
	int	(*may_open)(struct trace_event_call *call, struct perf_event *event);
	int	(*set_filter)(struct perf_event *event, const char *filter);
};

/* perf.c; for an event that the caller keeps, of the registry or not. event_mutex */
int perf_trace_open_call(struct trace_event_call *call, struct perf_event *p_event);
int perf_trace_open_inherited(struct perf_event *event);
void perf_trace_close_inherited(struct perf_event *event);
void perf_trace_close_call(struct perf_event *event);

#ifdef CONFIG_PERF_EVENTS
/**
 * perf_trace_list - perf's events on this CPU
 * @call: an event that may have been hit by others before perf came
 *
 * Context: any, preemption off.
 * Return: their list, which may be empty; NULL: it is seen that perf is a user, and not yet what
 * perf_register() made before.
 */
static __always_inline struct hlist_head *perf_trace_list(const struct trace_event_call *call)
{
	struct hlist_head __percpu *lists = READ_ONCE(call->perf_events);

	return likely(lists) ? this_cpu_ptr(lists) : NULL;
}
#endif

/* ftrace_entries.c; boot, before trace_events_init() */
void event_function_class_register(const struct event_function_class *class);

/* What makes @call, NULL if it is not the function event. */
const struct event_function_class *event_function_class(const struct trace_event_call *call);

#endif /* _KERNEL_TRACE_EVENTS_PERF_H */
