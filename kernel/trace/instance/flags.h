/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of an instance: bit, name and order of trace_options.
 *
 * The list is the order in which trace_options prints. An option that a
 * configuration does not build is left out here, so that nobody can set it.
 */
#ifndef _KERNEL_TRACE_FLAGS_H
#define _KERNEL_TRACE_FLAGS_H

#include <linux/bits.h>

#ifdef CONFIG_FUNCTION_TRACER
#define TRACE_FLAGS_FUNCTION(C)			\
	C(FUNCTION,		"function-trace") \
	C(FUNC_FORK,		"function-fork")
#else
#define TRACE_FLAGS_FUNCTION(C)
#endif

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
#define TRACE_FLAGS_GRAPH(C)	C(DISPLAY_GRAPH, "display-graph")
#else
#define TRACE_FLAGS_GRAPH(C)
#endif

#ifdef CONFIG_STACKTRACE
#define TRACE_FLAGS_STACK(C)	C(STACKTRACE, "stacktrace")
#else
#define TRACE_FLAGS_STACK(C)
#endif

#ifdef CONFIG_BRANCH_TRACER
#define TRACE_FLAGS_BRANCH(C)	C(BRANCH, "branch")
#else
#define TRACE_FLAGS_BRANCH(C)
#endif

#define TRACE_FLAGS(C)				\
	C(PRINT_PARENT,		"print-parent")	\
	C(SYM_OFFSET,		"sym-offset")	\
	C(SYM_ADDR,		"sym-addr")	\
	C(VERBOSE,		"verbose")	\
	C(RAW,			"raw")		\
	C(HEX,			"hex")		\
	C(BIN,			"bin")		\
	C(BLOCK,		"block")	\
	C(FIELDS,		"fields")	\
	C(PRINTK,		"trace_printk")	\
	C(ANNOTATE,		"annotate")	\
	C(USERSTACKTRACE,	"userstacktrace") \
	C(SYM_USEROBJ,		"sym-userobj")	\
	C(PRINTK_MSGONLY,	"printk-msg-only") \
	C(CONTEXT_INFO,		"context-info")	\
	C(LATENCY_FMT,		"latency-format") \
	C(RECORD_CMD,		"record-cmd")	\
	C(RECORD_TGID,		"record-tgid")	\
	C(OVERWRITE,		"overwrite")	\
	C(STOP_ON_FREE,		"disable_on_free") \
	C(IRQ_INFO,		"irq-info")	\
	C(MARKERS,		"markers")	\
	C(EVENT_FORK,		"event-fork")	\
	C(TRACE_PRINTK,		"trace_printk_dest") \
	C(PAUSE_ON_TRACE,	"pause-on-trace") \
	C(HASH_PTR,		"hash-ptr")	\
	TRACE_FLAGS_FUNCTION(C)			\
	TRACE_FLAGS_GRAPH(C)			\
	TRACE_FLAGS_STACK(C)			\
	TRACE_FLAGS_BRANCH(C)

enum trace_iterator_bits {
#define TRACE_FLAG_BIT(name, text)	TRACE_ITER_##name##_BIT,
	TRACE_FLAGS(TRACE_FLAG_BIT)
#undef TRACE_FLAG_BIT
	TRACE_ITER_LAST_BIT
};

enum trace_iterator_flags {
#define TRACE_FLAG_MASK(name, text)	TRACE_ITER_##name = BIT(TRACE_ITER_##name##_BIT),
	TRACE_FLAGS(TRACE_FLAG_MASK)
#undef TRACE_FLAG_MASK
};

#ifndef CONFIG_STACKTRACE
#define TRACE_ITER_STACKTRACE	0
#endif
#ifndef CONFIG_BRANCH_TRACER
#define TRACE_ITER_BRANCH	0
#endif
#ifndef CONFIG_FUNCTION_TRACER
#define TRACE_ITER_FUNCTION	0
#define TRACE_ITER_FUNC_FORK	0
#endif

/* how addresses are printed */
#define TRACE_ITER_SYM_MASK	\
	(TRACE_ITER_PRINT_PARENT | TRACE_ITER_SYM_OFFSET | TRACE_ITER_SYM_ADDR)

/* set when an instance is made */
#define TRACE_DEFAULT_FLAGS						\
	(TRACE_ITER_PRINT_PARENT | TRACE_ITER_PRINTK | TRACE_ITER_ANNOTATE | \
	 TRACE_ITER_CONTEXT_INFO | TRACE_ITER_RECORD_CMD | TRACE_ITER_OVERWRITE | \
	 TRACE_ITER_IRQ_INFO | TRACE_ITER_MARKERS | TRACE_ITER_HASH_PTR | \
	 TRACE_ITER_TRACE_PRINTK | TRACE_ITER_FUNCTION)

/* options of the top instance only: they are about what all instances share */
#define TRACE_TOP_FLAGS							\
	(TRACE_ITER_PRINTK | TRACE_ITER_PRINTK_MSGONLY | TRACE_ITER_RECORD_CMD)

/* options that a tracer may have in force while it runs */
#define TRACE_TRACER_FLAGS						\
	(TRACE_ITER_OVERWRITE | TRACE_ITER_LATENCY_FMT | TRACE_ITER_PAUSE_ON_TRACE)

/* options that a new instance does not start with */
#define TRACE_NEW_INSTANCE_CLEARED					\
	(TRACE_ITER_EVENT_FORK | TRACE_ITER_TRACE_PRINTK | TRACE_ITER_FUNC_FORK | \
	 TRACE_ITER_BRANCH)

#endif /* _KERNEL_TRACE_FLAGS_H */
