/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_FUNCTION_GRAPH_FILTER_H
#define _KERNEL_TRACE_FUNCTION_GRAPH_FILTER_H

struct dentry;
struct trace_array;

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
void graph_filter_files(struct trace_array *tr, struct dentry *dir);
void ftrace_boot_graph_filters(void);
void graph_filters_forget(unsigned long start, unsigned long end);
#else
static inline void graph_filter_files(struct trace_array *tr, struct dentry *dir) { }
static inline void ftrace_boot_graph_filters(void) { }
static inline void graph_filters_forget(unsigned long start, unsigned long end) { }
#endif

#endif /* _KERNEL_TRACE_FUNCTION_GRAPH_FILTER_H */
