/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of the graph tracer: set_graph_function, set_graph_notrace, max_graph_depth and others. */
#ifndef _KERNEL_TRACE_SET_GRAPH_FUNCTION_H
#define _KERNEL_TRACE_SET_GRAPH_FUNCTION_H

#include <linux/bitops.h>
#include <linux/types.h>

struct dentry;
struct ftrace_hash;
struct trace_array;
struct trace_function;

/*
 * Which of an instance's limits are in force, so that one look tells the graph tracer that there
 * is none: bits, changed atomically after the limit itself was set.
 */
enum {
	FGRAPH_LIMIT_FUNCTION,	/* set_graph_function */
	FGRAPH_LIMIT_NOTRACE,	/* set_graph_notrace */
	FGRAPH_LIMIT_DEPTH,	/* max_graph_depth */
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

void graph_filter_files(struct trace_array *tr, struct dentry *dir);
void ftrace_boot_graph_filters(void);
void graph_filters_forget(struct trace_function *fn, unsigned long start, unsigned long end);
void graph_filter_files_forget(unsigned long start, unsigned long end);
void graph_filters_free(struct trace_function *fn);
#else
static inline void graph_filter_files(struct trace_array *tr, struct dentry *dir) { }
static inline void ftrace_boot_graph_filters(void) { }
static inline void graph_filters_forget(struct trace_function *fn, unsigned long start,
					unsigned long end) { }
static inline void graph_filter_files_forget(unsigned long start, unsigned long end) { }
static inline void graph_filters_free(struct trace_function *fn) { }
#endif

#endif /* _KERNEL_TRACE_SET_GRAPH_FUNCTION_H */
