/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own counters of trace events, for KUnit tests of what perf has open. */
#ifndef _KERNEL_TRACE_TESTS_COUNTER_H
#define _KERNEL_TRACE_TESTS_COUNTER_H

#include <linux/perf_event.h>
#include <linux/sched.h>

#ifdef CONFIG_PERF_EVENTS
/**
 * test_counter - count a trace event of this task
 * @attr:	with the event's number in @attr->config, and what else is wanted
 * @overflow:	called for a sample; may be NULL
 * @data:	for @overflow
 *
 * Return: as perf_event_create_kernel_counter().
 */
static inline struct perf_event *test_counter(struct perf_event_attr *attr,
					      perf_overflow_handler_t overflow, void *data)
{
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->size = sizeof(*attr);
	return perf_event_create_kernel_counter(attr, -1, current, overflow, data);
}
#endif

#endif /* _KERNEL_TRACE_TESTS_COUNTER_H */
