/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM benchmark

#if !defined(_KERNEL_TRACE_TESTS_BENCHMARK_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define _KERNEL_TRACE_TESTS_BENCHMARK_EVENT_H

#include <linux/tracepoint.h>

#define BENCHMARK_EVENT_STRLEN	128

int benchmark_event_on(void);
void benchmark_event_off(void);

TRACE_EVENT_FN(benchmark_event,

	TP_PROTO(const char *str, u64 delta),

	TP_ARGS(str, delta),

	TP_STRUCT__entry(
		__array(char,	str,	BENCHMARK_EVENT_STRLEN)
		__field(u64,	delta)
	),

	TP_fast_assign(
		memcpy(__entry->str, str, BENCHMARK_EVENT_STRLEN);
		__entry->delta = delta;
	),

	TP_printk("%s delta=%llu", __entry->str, __entry->delta),

	benchmark_event_on, benchmark_event_off
);

#endif /* _KERNEL_TRACE_TESTS_BENCHMARK_EVENT_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE benchmark_event
#include <trace/define_trace.h>
