/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last line of every header of trace events includes this. In the one .c
 * file that defines CREATE_TRACE_POINTS it reads that header again and again,
 * each time with another meaning of TRACE_EVENT(), and so makes
 *
 *	pass 0		here			the tracepoints
 *	pass 1 to 5	<trace/trace_events.h>	records, printers, formats, probes
 *	pass 6		<trace/bpf_probe.h>	what raw tracepoints of BPF call
 *
 * The header says before where it is to be found:
 *	TRACE_SYSTEM		the system, a directory of events/
 *	TRACE_INCLUDE_FILE	its name without ".h", when that is not the system
 *	TRACE_INCLUDE_PATH	its directory, when that is not trace/events: a
 *				path relative to this file's, or a full one
 */
#ifdef CREATE_TRACE_POINTS

/* the headers below include headers of events that are not to be created here */
#undef CREATE_TRACE_POINTS

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

/* lets the header's own guard through */
#define TRACE_HEADER_MULTI_READ

/*
 * What all passes share: each form is a class, an event or both. A pass sets
 * DECLARE_EVENT_CLASS(), DEFINE_EVENT() and DEFINE_EVENT_PRINT() and gets the others by
 * this. Functions around the probes and conditions matter to tracepoints alone.
 */
#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print)); \
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args));

#undef TRACE_EVENT_FN
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg) \
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print)); \
	DEFINE_EVENT_FN(name, name, PARAMS(proto), PARAMS(args), reg, unreg);

#undef TRACE_EVENT_CONDITION
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))

#undef TRACE_EVENT_FN_COND
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, \
			    reg, unreg)					\
	TRACE_EVENT_FN(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct), \
		       PARAMS(assign), PARAMS(print), reg, unreg)

#undef DEFINE_EVENT_CONDITION
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)	\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef TRACE_EVENT_NOP
#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print)
#undef DEFINE_EVENT_NOP
#define DEFINE_EVENT_NOP(template, name, proto, args)

/* pass 0 */
#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
	DEFINE_TRACE(name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)		\
	DEFINE_TRACE(name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)	\
	DEFINE_TRACE_FN(name, reg, unreg, PARAMS(proto), PARAMS(args))

#undef DECLARE_TRACE
#define DECLARE_TRACE(name, proto, args)				\
	DEFINE_TRACE(name, PARAMS(proto), PARAMS(args))

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

/* a tracepoint without a record is of no more interest, but to BPF */
#undef DECLARE_TRACE
#define DECLARE_TRACE(name, proto, args)

#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)	\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#ifdef TRACEPOINTS_ENABLED
#include <trace/trace_events.h>
#include <trace/bpf_probe.h>
#endif

/* <linux/tracepoint.h> gives the next header its own meaning of these */
#undef TRACE_EVENT
#undef TRACE_EVENT_FN
#undef TRACE_EVENT_CONDITION
#undef TRACE_EVENT_FN_COND
#undef TRACE_EVENT_NOP
#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
#undef DEFINE_EVENT_FN
#undef DEFINE_EVENT_PRINT
#undef DEFINE_EVENT_CONDITION
#undef DEFINE_EVENT_NOP
#undef DECLARE_TRACE
#undef TRACE_HEADER_MULTI_READ

#ifdef __TRACE_INCLUDE_FILE_IS_OURS
#undef __TRACE_INCLUDE_FILE_IS_OURS
#undef TRACE_INCLUDE_FILE
#endif

#define CREATE_TRACE_POINTS

#endif /* CREATE_TRACE_POINTS */
