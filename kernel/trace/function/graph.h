/* SPDX-License-Identifier: GPL-2.0-only */
/* What the graph core tells its users in this directory. */
#ifndef _KERNEL_TRACE_FUNCTION_GRAPH_H
#define _KERNEL_TRACE_FUNCTION_GRAPH_H

#include <linux/types.h>

struct ftrace_text;

/* true: a call's time counts while its task sleeps (option sleep-time) */
extern bool fgraph_sleep_time;
/* true: a function's time has that of those it calls in it (option graph-time, profiler) */
extern bool fgraph_graph_time;

/* graph_filter.c: set_graph_function, set_graph_notrace, max_graph_depth; any context */
extern unsigned int fgraph_max_depth;		/* 0: no limit */
bool fgraph_has_filter(void);
bool fgraph_filter_match(unsigned long ip);
bool fgraph_notrace_match(unsigned long ip);

#endif /* _KERNEL_TRACE_FUNCTION_GRAPH_H */
