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

#define MANY_EVENT(n)						\
	DEFINE_EVENT(many_template, many_##n,			\
		     TP_PROTO(int a, const char *name), TP_ARGS(a, name))

MANY_EVENT(00);
MANY_EVENT(01);
MANY_EVENT(02);
MANY_EVENT(03);
MANY_EVENT(04);
MANY_EVENT(05);
MANY_EVENT(06);
MANY_EVENT(07);
MANY_EVENT(08);
MANY_EVENT(09);
MANY_EVENT(10);
MANY_EVENT(11);
MANY_EVENT(12);
MANY_EVENT(13);
MANY_EVENT(14);
MANY_EVENT(15);
MANY_EVENT(16);
MANY_EVENT(17);
MANY_EVENT(18);
MANY_EVENT(19);
MANY_EVENT(20);
MANY_EVENT(21);
MANY_EVENT(22);
MANY_EVENT(23);
MANY_EVENT(24);
MANY_EVENT(25);
MANY_EVENT(26);
MANY_EVENT(27);
MANY_EVENT(28);
MANY_EVENT(29);
MANY_EVENT(30);
MANY_EVENT(31);
MANY_EVENT(32);
MANY_EVENT(33);
MANY_EVENT(34);
MANY_EVENT(35);
MANY_EVENT(36);
MANY_EVENT(37);
MANY_EVENT(38);
MANY_EVENT(39);
MANY_EVENT(40);
MANY_EVENT(41);
MANY_EVENT(42);
MANY_EVENT(43);
MANY_EVENT(44);
MANY_EVENT(45);
MANY_EVENT(46);
MANY_EVENT(47);
MANY_EVENT(48);
MANY_EVENT(49);

#undef MANY_EVENT

#endif /* _TRACE_MANY_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE many_events
#include <trace/define_trace.h>
