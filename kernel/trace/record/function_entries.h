/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of the function tracers; their layout is ABI (events/ftrace/). */
#ifndef _KERNEL_TRACE_FUNCTION_ENTRIES_H
#define _KERNEL_TRACE_FUNCTION_ENTRIES_H

#include <linux/ftrace.h>
#include <linux/trace_events.h>

/* TRACE_FN */
struct ftrace_entry {
	struct trace_entry		ent;
	unsigned long			ip;
	unsigned long			parent_ip;
};

/* TRACE_FUNC_REPEATS */
struct func_repeats_entry {
	struct trace_entry		ent;
	unsigned long			ip;
	unsigned long			parent_ip;
	u16				count;
	u16				top_delta_ts;	/* ns since the last repeat, high bits */
	u32				bottom_delta_ts;
};

/* TRACE_GRAPH_ENT */
struct ftrace_graph_ent_entry {
	struct trace_entry		ent;
	struct ftrace_graph_ent		graph_ent;
} __packed;

/* The same with the option funcgraph-retaddr: a longer record, whose end old readers skip. */
struct ftrace_graph_retaddr_entry {
	struct ftrace_graph_ent_entry	entry;
	unsigned long			retaddr;
} __packed;

/* TRACE_GRAPH_RET */
struct ftrace_graph_ret_entry {
	struct trace_entry		ent;
	struct ftrace_graph_ret		ret;
} __packed;

#endif /* _KERNEL_TRACE_FUNCTION_ENTRIES_H */
