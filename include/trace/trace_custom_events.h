/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The passes of <trace/trace_events.h> for TRACE_CUSTOM_EVENT(): another record
 * for a tracepoint that exists, shown in the system "custom". The tracepoint is
 * not known when this is compiled; the module that has the event looks for it among all, by
 * trace_custom_event_NAME_update(). No perf, no BPF.
 */
#include <linux/trace_events.h>

#undef TRACE_SYSTEM
#define TRACE_SYSTEM custom

#ifndef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR TRACE_SYSTEM
#endif

#include "stages/init.h"
#include "stages/fields.h"

#undef TRACE_CUSTOM_EVENT
#define TRACE_CUSTOM_EVENT(name, proto, args, tstruct, assign, print)	\
	DECLARE_CUSTOM_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),	\
				   PARAMS(tstruct), PARAMS(assign), PARAMS(print)); \
	DEFINE_CUSTOM_EVENT(name, name, PARAMS(proto), PARAMS(args));

/* pass 1 */
#include "stages/record.h"

#undef DECLARE_CUSTOM_EVENT_CLASS
#define DECLARE_CUSTOM_EVENT_CLASS(call, proto, args, tstruct, assign, print) \
	__TE_RECORD(custom_, call, PARAMS(tstruct))			\
	__TE_PRINTER(custom_, call, call, PARAMS(print))

#undef DEFINE_CUSTOM_EVENT
#define DEFINE_CUSTOM_EVENT(template, call, proto, args)

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(x)
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(x)

/* pass 2 */
#include "stages/describe.h"

#undef DECLARE_CUSTOM_EVENT_CLASS
#define DECLARE_CUSTOM_EVENT_CLASS(call, proto, args, tstruct, assign, print) \
	__TE_CLASS(custom_, call, PARAMS(proto), PARAMS(tstruct), PARAMS(print), )

/* The update says whether @tp was the one. It is here that the arguments are checked. */
#undef DEFINE_CUSTOM_EVENT
#define DEFINE_CUSTOM_EVENT(template, call, proto, args)		\
__TE_CALL(custom_, template, call, template, template, .name = #call,	\
	  TRACE_EVENT_FL_CUSTOM);					\
static inline void ftrace_test_custom_probe_##call(void)		\
{									\
	check_trace_callback_type_##call(trace_custom_event_raw_event_##template); \
}									\
static inline int trace_custom_event_##call##_update(struct tracepoint *tp) \
{									\
	if (!tp->name || strcmp(tp->name, #call))			\
		return 0;						\
	custom_event_##call.tp = tp;					\
	/* what is known of its print format stays */			\
	custom_event_##call.flags &= ~TRACE_EVENT_FL_CUSTOM;		\
	custom_event_##call.flags |= TRACE_EVENT_FL_TRACEPOINT;		\
	return 1;							\
}

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#undef DEFINE_CUSTOM_EVENT
#define DEFINE_CUSTOM_EVENT(template, call, proto, args)

/* pass 3 */
#include "stages/offsets_struct.h"

#undef DECLARE_CUSTOM_EVENT_CLASS
#define DECLARE_CUSTOM_EVENT_CLASS(call, proto, args, tstruct, assign, print) \
	__TE_OFFSETS(custom_, call, PARAMS(tstruct))

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

/* pass 4 */
#include "stages/offsets.h"

#undef DECLARE_CUSTOM_EVENT_CLASS
#define DECLARE_CUSTOM_EVENT_CLASS(call, proto, args, tstruct, assign, print) \
	__TE_GET_OFFSETS(custom_, call, PARAMS(proto), PARAMS(tstruct))

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

/* pass 5 */
#include "stages/probe.h"

#undef DECLARE_CUSTOM_EVENT_CLASS
#define DECLARE_CUSTOM_EVENT_CLASS(call, proto, args, tstruct, assign, print) \
	__TE_PROBE(custom_, call, PARAMS(proto), PARAMS(args),		\
		   PARAMS(tstruct), PARAMS(assign))

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
