/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of graph tracers: set_graph_function, set_graph_notrace, max_graph_depth and others. */
#ifndef _KERNEL_TRACE_SET_GRAPH_FUNCTION_H
#define _KERNEL_TRACE_SET_GRAPH_FUNCTION_H

#include <linux/bitops.h>
#include <linux/types.h>

struct ftrace_hash;

/*
 * Which of an instance's limits are in force, so that one look tells the graph tracer that there
 * is none: bits, changed atomically after the limit itself was set.
 */
enum {
	/* set by set_graph_function.c, under ftrace_lock */
	FGRAPH_LIMIT_FUNCTION,	/* set_graph_function */
	FGRAPH_LIMIT_NOTRACE,	/* set_graph_notrace */
	FGRAPH_LIMIT_DEPTH,	/* max_graph_depth */
	/* set by the function_graph tracer, under trace_types_lock */
	FGRAPH_LIMIT_IRQS,	/* no calls in interrupts */
	FGRAPH_LIMIT_THRESH,	/* tracing_thresh: only slow calls */
	FGRAPH_LIMIT_MORE,	/* not a limit: entries have return addresses, or arguments */
};

/**
 * struct graph_limits - what an instance's graph tracer does not record
 * @bits:	FGRAPH_LIMIT_*, each tells of something that has to be looked at
 * @max_depth:	max_graph_depth, 0 for no limit
 * @hashes:	set_graph_function and set_graph_notrace, NULL for none; changed under ftrace_lock,
 *		read with preemption off
 */
struct graph_limits {
	unsigned long			bits;
	unsigned int			max_depth;
	struct ftrace_hash __rcu	*hashes[2];
};

static inline void graph_limit_set(struct graph_limits *limits, unsigned int limit, bool on)
{
	if (on)
		set_bit(limit, &limits->bits);
	else
		clear_bit(limit, &limits->bits);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/* What is set for all instances; sleeps. */
void graph_limit_set_all(unsigned int limit, bool on);

/* Any context, preemption off. */
bool graph_limit_has(const struct graph_limits *limits, bool exclude, unsigned long ip);
#endif

#endif /* _KERNEL_TRACE_SET_GRAPH_FUNCTION_H */
