/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Passes 1 to 5 over a header of trace events, see <trace/define_trace.h>.
 * What a pass makes of a class and of its fields is in the file under stages/
 * that it includes; <trace/trace_custom_events.h> uses the same files, with
 * the prefix custom_ in place of none.
 */
#include <linux/trace_events.h>

#ifndef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR TRACE_SYSTEM
#endif

#include "stages/init.h"
#include "stages/fields.h"

/* pass 1: struct trace_event_raw_NAME and the function that prints one */
#include "stages/record.h"

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print)	\
	__TE_RECORD(, call, PARAMS(tstruct))				\
	__TE_PRINTER(, call, call, PARAMS(print))

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, call, proto, args)			\
	static struct trace_event_call event_##call

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, call, proto, args, print)		\
	DEFINE_EVENT(template, call, PARAMS(proto), PARAMS(args));	\
	__TE_PRINTER(, template, call, PARAMS(print))

/* these refer to event_NAME */
#undef TRACE_EVENT_FLAGS
#define TRACE_EVENT_FLAGS(event, flag)		__TRACE_EVENT_FLAGS(event, flag)
#undef TRACE_EVENT_PERF_PERM
#define TRACE_EVENT_PERF_PERM(event, expr...)	__TRACE_EVENT_PERF_PERM(event, expr)

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#undef TRACE_EVENT_FLAGS
#define TRACE_EVENT_FLAGS(event, flag)
#undef TRACE_EVENT_PERF_PERM
#define TRACE_EVENT_PERF_PERM(event, expr...)
#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(x)
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(x)

/* pass 2: what the core and user space are told: fields, print format, class, event */
#include "stages/describe.h"

#ifdef CONFIG_PERF_EVENTS
#define __TE_PERF_DECLARE(call, proto)	\
	static notrace void perf_trace_##call(void *__data, proto);
#define __TE_PERF_INIT(call)		.perf_probe = perf_trace_##call,
#define __TE_PERF_CHECK(template, call)	\
	check_trace_callback_type_##call(perf_trace_##template);
#else
#define __TE_PERF_DECLARE(call, proto)
#define __TE_PERF_INIT(call)
#define __TE_PERF_CHECK(template, call)
#endif

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print)	\
	__TE_PERF_DECLARE(call, PARAMS(proto))				\
	__TE_CLASS(, call, PARAMS(proto), PARAMS(tstruct), PARAMS(print), \
		   __TE_PERF_INIT(call))

/*
 * The function is never called. It makes a probe whose arguments are not the tracepoint's an
 * error here and not a crash later.
 */
#define __TE_EVENT(template, call, funcs, fmt)				\
static inline void ftrace_test_probe_##call(void)			\
{									\
	check_trace_callback_type_##call(trace_event_raw_event_##template); \
	__TE_PERF_CHECK(template, call)					\
}									\
__TE_CALL(, template, call, funcs, fmt, .tp = &__tracepoint_##call,	\
	  TRACE_EVENT_FL_TRACEPOINT)

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, call, proto, args)			\
	__TE_EVENT(template, call, template, template)

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, call, proto, args, print)		\
	static char print_fmt_##call[] = print;				\
	__TE_EVENT(template, call, call, call)

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#undef __TE_EVENT
#undef __TE_PERF_DECLARE
#undef __TE_PERF_INIT
#undef __TE_PERF_CHECK

/* the rest is about classes alone */
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, call, proto, args)
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, call, proto, args, print)

/* pass 3: struct trace_event_data_offsets_NAME, where the fields of no fixed size lie */
#include "stages/offsets_struct.h"

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print)	\
	__TE_OFFSETS(, call, PARAMS(tstruct))

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

/* pass 4: trace_event_get_offsets_NAME(), which fills it in */
#include "stages/offsets.h"

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print)	\
	__TE_GET_OFFSETS(, call, PARAMS(proto), PARAMS(tstruct))

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

/* pass 5: the probes, trace_event_raw_event_NAME() and perf_trace_NAME() */
#include "stages/probe.h"
#include <trace/perf.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print)	\
	__TE_PROBE(, call, PARAMS(proto), PARAMS(args), PARAMS(tstruct), \
		   PARAMS(assign))					\
	__TE_PERF_PROBE(call, PARAMS(proto), PARAMS(args), PARAMS(tstruct), \
			PARAMS(assign))

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#undef TRACE_SYSTEM_VAR
