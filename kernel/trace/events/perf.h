/* SPDX-License-Identifier: GPL-2.0-only */
/* What perf.c asks of the function event, whose code is in function/filters/perf.c. */
#ifndef _KERNEL_TRACE_EVENTS_PERF_H
#define _KERNEL_TRACE_EVENTS_PERF_H

#include <linux/trace_events.h>

#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_FUNCTION_TRACER)
int perf_function_reg(struct trace_event_call *call, enum trace_reg type, void *data);
int perf_function_may_open(struct trace_event_call *call, struct perf_event *event);
int perf_function_set_filter(struct perf_event *event, const char *filter);

static inline bool event_is_function(const struct trace_event_call *call)
{
	return call->class->reg == perf_function_reg;
}

static inline void event_function_perf_init(struct trace_event_call *call)
{
	call->class->reg = perf_function_reg;
	call->perf_perm = perf_function_may_open;
}
#else
static inline int perf_function_set_filter(struct perf_event *event, const char *filter)
{
	return -EINVAL;
}

static inline bool event_is_function(const struct trace_event_call *call)
{
	return false;
}

static inline void event_function_perf_init(struct trace_event_call *call) { }
#endif

#endif /* _KERNEL_TRACE_EVENTS_PERF_H */
