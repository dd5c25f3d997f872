/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What <trace/define_trace.h> is to TRACE_EVENT(), this is to
 * TRACE_CUSTOM_EVENT(): the last line of a header of custom events includes it,
 * and in the .c file that defines CREATE_CUSTOM_TRACE_EVENTS it makes the
 * events. They attach to tracepoints that are there already, so none are made.
 */
#ifdef CREATE_CUSTOM_TRACE_EVENTS

#undef CREATE_CUSTOM_TRACE_EVENTS

#include <linux/stringify.h>

#undef TRACE_INCLUDE
#undef __TRACE_INCLUDE
#define TRACE_INCLUDE(file)	__TRACE_INCLUDE(file)

#ifdef TRACE_INCLUDE_PATH
#define __TRACE_INCLUDE(file)	__stringify(TRACE_INCLUDE_PATH/file.h)
#else
#define __TRACE_INCLUDE(file)	<trace/events/file.h>
#endif

#ifndef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE	TRACE_SYSTEM
#define __TRACE_INCLUDE_FILE_IS_OURS
#endif

#define TRACE_CUSTOM_MULTI_READ

#ifdef TRACEPOINTS_ENABLED
#include <trace/trace_custom_events.h>
#endif

#undef TRACE_CUSTOM_EVENT
#undef DECLARE_CUSTOM_EVENT_CLASS
#undef DEFINE_CUSTOM_EVENT
#undef TRACE_CUSTOM_MULTI_READ

#ifdef __TRACE_INCLUDE_FILE_IS_OURS
#undef __TRACE_INCLUDE_FILE_IS_OURS
#undef TRACE_INCLUDE_FILE
#endif

#define CREATE_CUSTOM_TRACE_EVENTS

#endif /* CREATE_CUSTOM_TRACE_EVENTS */
