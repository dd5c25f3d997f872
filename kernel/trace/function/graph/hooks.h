/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Return hooks: callbacks at the return of functions, and at their entry, for as many users as
 * there are. fprobes and return probes are made of them.
 *
 * They share shadow stacks and frames with the users of the graph, of whom there are few, and who
 * have a bit each in a frame. A hook has a word in the data of the frame instead, and behind it
 * what its entry wants its return to know.
 */
#ifndef _KERNEL_TRACE_FUNCTION_HOOKS_H
#define _KERNEL_TRACE_FUNCTION_HOOKS_H

#include <linux/ftrace.h>
#include <linux/types.h>

#define GRAPH_HOOK_DATA_MAX	1024	/* bytes */

/**
 * struct graph_hook - callbacks at the return, and maybe at the entry, of functions
 * @gops:	choose functions with ftrace_set_filter*(&hook->gops.ops, ...); else the core's
 * @entry:	at the entry, or NULL. False: the return is not wanted
 * @ret:	at the return
 * @dropped:	a call that @entry wanted will not return: its task is gone. Or NULL
 * @missed:	counts calls that found no room or no stack, and those that came from within a
 *		callback: neither @entry nor @ret is told of them, or @ret is not. Or NULL
 * @data_size:	bytes that @entry leaves to @ret, up to GRAPH_HOOK_DATA_MAX
 * @words:	of the shadow stack's data, for a call
 * @tag:	the first of them, 0 while it has no number
 *
 * The callbacks run in any context, with preemption off, guarded against recursion; they
 * are notrace. @ip is the call site, see ftrace_location(), @ret_ip where the function returns
 * to, @data room for @data_size bytes or NULL, aligned to words and not cleared. What there is in
 * fregs: at the entry the arguments, stack and frame pointer; at the return the return value, frame
 * pointer, stack pointer and instruction pointer of the caller.
 */
struct graph_hook {
	struct fgraph_ops	gops;
	bool			(*entry)(struct graph_hook *hook, unsigned long ip,
					 unsigned long ret_ip, struct ftrace_regs *fregs,
					 void *data);
	void			(*ret)(struct graph_hook *hook, unsigned long ip,
				       unsigned long ret_ip, struct ftrace_regs *fregs,
				       void *data);
	void			(*dropped)(struct graph_hook *hook);
	unsigned long		*missed;
	unsigned int		data_size;

	/* the core's */
	unsigned int		words;
	unsigned long		tag;
};

int graph_hook_register(struct graph_hook *hook);
int graph_hook_unregister(struct graph_hook *hook);
int graph_hook_leave(struct graph_hook *hook);
int graph_hook_take_off(struct graph_hook *hook);
void graph_hook_release(struct graph_hook *hook);

static inline bool graph_hook_is_registered(const struct graph_hook *hook)
{
	return hook->gops.ops.flags & FTRACE_OPS_FL_ENABLED;
}

#endif /* _KERNEL_TRACE_FUNCTION_HOOKS_H */
