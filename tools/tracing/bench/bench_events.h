/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two events whose price is measured.  They go through <trace/define_trace.h>
 * of the kernel that the module is built against, so each kernel is measured
 * with its own macros.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM trace_bench

#if !defined(_TRACE_BENCH_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_BENCH_EVENTS_H

#include <linux/tracepoint.h>

TRACE_EVENT(bench_pair,
	TP_PROTO(int a, unsigned long b),
	TP_ARGS(a, b),
	TP_STRUCT__entry(
		__field(int, a)
		__field(unsigned long, b)
	),
	TP_fast_assign(
		__entry->a = a;
		__entry->b = b;
	),
	TP_printk("a=%d b=%lu", __entry->a, __entry->b)
);

TRACE_EVENT(bench_name,
	TP_PROTO(int a, const char *name),
	TP_ARGS(a, name),
	TP_STRUCT__entry(
		__field(int, a)
		__string(name, name)
	),
	TP_fast_assign(
		__entry->a = a;
		__assign_str(name);
	),
	TP_printk("a=%d name=%s", __entry->a, __get_str(name))
);

#endif /* _TRACE_BENCH_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE bench_events
#include <trace/define_trace.h>
