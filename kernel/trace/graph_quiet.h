/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tracing calls for itself is no part of what a task does, and not in the graph of it. Who
 * hooks returns sees it all the same: so this is another count than that of pause_graph_tracing(),
 * in the upper half of the same word, which function graph takes for one.
 */
#ifndef _KERNEL_TRACE_GRAPH_QUIET_H
#define _KERNEL_TRACE_GRAPH_QUIET_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/sched.h>

#define GRAPH_QUIET	BIT(16)

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/* Nest, for the task that runs. Any context. */
static __always_inline void graph_quiet_begin(void)
{
	atomic_add(GRAPH_QUIET, &current->tracing_graph_pause);
}

static __always_inline void graph_quiet_end(void)
{
	atomic_sub(GRAPH_QUIET, &current->tracing_graph_pause);
}
#else
static inline void graph_quiet_begin(void) { }
static inline void graph_quiet_end(void) { }
#endif

#endif /* _KERNEL_TRACE_GRAPH_QUIET_H */
