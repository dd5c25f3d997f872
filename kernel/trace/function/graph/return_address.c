// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where calls truly return to: for unwinders, which find return_to_handler(), and for callbacks.
 */
#include <asm/sections.h>

#include "graph.h"
#include "internal.h"

unsigned long graph_return_address(void)
{
	const unsigned long handler =
		(unsigned long)dereference_kernel_function_descriptor(return_to_handler);
	struct graph_stack *stack = task_stack(current);
	int n = current->curr_ret_stack;

	/* Called as the last act of a function that is hooked itself: to where that one returns. */
	while (n-- > 0) {
		if (stack->frames[n].ret != handler)
			return stack->frames[n].ret;
	}
	return 0;
}

/* The hooked call @skip below the youngest of @task, or NULL. */
struct ftrace_ret_stack *ftrace_graph_get_ret_stack(struct task_struct *task, int skip)
{
	struct graph_stack *stack = task_stack(task);
	int n = READ_ONCE(task->curr_ret_stack) - 1 - skip;

	return stack && skip >= 0 && n >= 0 ? &stack->frames[n] : NULL;
}

/*
 * Is @found where the call returns that was entered with @key? On riscv the place is not known at
 * the entry: a function with a variable number of arguments saves those that came in registers
 * above it, up to eight words with what aligns them. What it calls has its own place below these,
 * in the frame, so that no other call is meant.
 */
static bool key_fits(const unsigned long *key, const unsigned long *found)
{
	if (IS_ENABLED(CONFIG_RISCV))
		return (unsigned long)key - (unsigned long)found <= 8 * sizeof(long);
	return key == found;
}

/**
 * ftrace_graph_ret_addr - what return address did return_to_handler() replace?
 * @task: whose stack is unwound: the current task, or one that does not run
 * @idx:  state of the unwinder, 0 at first: the frame that was found last, counted from 1. Not from
 *	  the youngest on, which may be another each time: what unwinds may be hooked itself
 * @ret:  the address that was found
 * @retp: where it was found, as the architecture told function_graph_enter()
 *
 * Context: any.
 * Return: the true address; @ret if it is not ours or not known.
 */
unsigned long ftrace_graph_ret_addr(struct task_struct *task, int *idx, unsigned long ret,
				    unsigned long *retp)
{
	const unsigned long handler =
		(unsigned long)dereference_kernel_function_descriptor(return_to_handler);
	struct graph_stack *stack;
	int i;

	if (ret != handler)
		return ret;
	stack = task_stack(task);
	if (!stack)
		return ret;

	/* Functions that were called as the last act of others share a return address. */
	for (i = (*idx ?: READ_ONCE(task->curr_ret_stack) + 1) - 2; i >= 0; i--) {
		if (!key_fits(stack->frames[i].retp, retp))
			continue;
		if (stack->frames[i].ret == handler)
			continue;
		*idx = i + 1;
		return stack->frames[i].ret;
	}
	return ret;
}
