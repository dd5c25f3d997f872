/* SPDX-License-Identifier: GPL-2.0-only */
/* Fifty events: what loading and unloading a module with so many takes. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM trace_bench_many

#if !defined(_TRACE_MANY_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_MANY_EVENTS_H

#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(many_template,
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

#define MANY_EVENT(n)					\
DEFINE_EVENT(many_template, many_##n,			\
	TP_PROTO(int a, const char *name),		\
	TP_ARGS(a, name));

#define MANY_EVENTS(d)								\
	MANY_EVENT(d##0) MANY_EVENT(d##1) MANY_EVENT(d##2) MANY_EVENT(d##3)	\
	MANY_EVENT(d##4) MANY_EVENT(d##5) MANY_EVENT(d##6) MANY_EVENT(d##7)	\
	MANY_EVENT(d##8) MANY_EVENT(d##9)

MANY_EVENTS(0)
MANY_EVENTS(1)
MANY_EVENTS(2)
MANY_EVENTS(3)
MANY_EVENTS(4)

#undef MANY_EVENTS
#undef MANY_EVENT

#endif /* _TRACE_MANY_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE many_events
#include <trace/define_trace.h>
