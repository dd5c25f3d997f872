// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where calls truly return to: for unwinders, which find return_to_handler(), and for callbacks.
 */
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/rethook.h>

#include <asm/sections.h>

#include "graph.h"
#include "internal.h"

/*
 * Kretprobes have a list in each task, newest first. It is walked here rather than with
 * kretprobe_find_ret_addr(): that wants what a frame is known by, which on riscv is not what the
 * graph knows it by. Nor is there need of it, see true_return().
 */
#if defined(CONFIG_KRETPROBE_ON_RETHOOK)
unsigned long graph_kretprobe_trampoline(void)
{
	return (unsigned long)dereference_kernel_function_descriptor(arch_rethook_trampoline);
}

static const struct llist_node *newest_kretprobe(void)
{
	return current->rethooks.first;
}

static unsigned long replaced_by(const struct llist_node *link)
{
	return container_of(link, struct rethook_node, llist)->ret_addr;
}

static const struct llist_node *link_of(const struct kretprobe_instance *ri)
{
	return &ri->node.llist;
}
#elif defined(CONFIG_KRETPROBES)
unsigned long graph_kretprobe_trampoline(void)
{
	return (unsigned long)kretprobe_trampoline_addr();
}

static const struct llist_node *newest_kretprobe(void)
{
	return current->kretprobe_instances.first;
}

static unsigned long replaced_by(const struct llist_node *link)
{
	return (unsigned long)container_of(link, struct kretprobe_instance, llist)->ret_addr;
}

static const struct llist_node *link_of(const struct kretprobe_instance *ri)
{
	return &ri->llist;
}
#else
unsigned long graph_kretprobe_trampoline(void)
{
	return 0;
}

static const struct llist_node *newest_kretprobe(void)
{
	return NULL;
}

static unsigned long replaced_by(const struct llist_node *link)
{
	return 0;
}
#endif

/*
 * From @ret on, which a call found. A function that is called as the last act of another
 * returns to where that one does: then what it found is that one's hook, or its kretprobe. Either
 * may also be on the same call as the other. What came later than the call has returned, so the
 * newest of both are meant: the frame below @n, and the kretprobe at @link.
 */
static unsigned long true_return(unsigned long ret, int n, const struct llist_node *link)
{
	const struct graph_stack *stack = task_stack(current);

	for (;;) {
		if (graph_is_handler(ret)) {
			if (!n)
				return 0;
			ret = stack->frames[--n].ret;
		} else if (ret == graph_kretprobe_trampoline()) {
			if (!link)
				return 0;
			ret = replaced_by(link);
			link = link->next;
		} else {
			return ret;
		}
	}
}

unsigned long graph_return_address(void)
{
	return true_return((unsigned long)return_to_handler, current->curr_ret_stack,
			   newest_kretprobe());
}

#ifdef CONFIG_KRETPROBES
unsigned long graph_kretprobe_return(const struct kretprobe_instance *ri)
{
	const struct llist_node *link = link_of(ri);

	return true_return(replaced_by(link), current->curr_ret_stack, link->next);
}
#endif

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
