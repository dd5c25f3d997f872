/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of the function tracers; their layout is ABI (events/ftrace/). */
#ifndef _KERNEL_TRACE_FUNCTION_ENTRIES_H
#define _KERNEL_TRACE_FUNCTION_ENTRIES_H

#include <linux/ftrace.h>
#include <linux/trace_events.h>

/*
 * Arguments that come in registers, of which so many are recorded. An entry has all of them or
 * none; its length tells.
 */
#ifdef CONFIG_X86
#define FTRACE_REGS_MAX_ARGS		6
#else
#define FTRACE_REGS_MAX_ARGS		8
#endif
#define FTRACE_ARGS_SIZE		(FTRACE_REGS_MAX_ARGS * sizeof(unsigned long))

/* TRACE_FN */
struct ftrace_entry {
	struct trace_entry		ent;
	unsigned long			ip;
	unsigned long			parent_ip;
	unsigned long			args[];
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

/* The same with arguments, where events/ftrace/funcgraph_entry/format has them */
struct ftrace_graph_args_entry {
	struct ftrace_graph_ent_entry	entry;
	unsigned long			args[];
};

/* TRACE_GRAPH_RETADDR_ENT */
struct ftrace_graph_retaddr_entry {
	struct ftrace_graph_ent_entry	entry;
	unsigned long			retaddr;
	unsigned long			args[];
};

/* TRACE_GRAPH_RET */
struct ftrace_graph_ret_entry {
	struct trace_entry		ent;
	struct ftrace_graph_ret		ret;
} __packed;

#ifdef CONFIG_FUNCTION_TRACER
/* At the entry of a function. */
static __always_inline void ftrace_regs_copy_args(unsigned long *args, struct ftrace_regs *fregs)
{
	for (int i = 0; i < FTRACE_REGS_MAX_ARGS; i++)
		args[i] = ftrace_regs_get_argument(fregs, i);
}
#endif

#endif /* _KERNEL_TRACE_FUNCTION_ENTRIES_H */
