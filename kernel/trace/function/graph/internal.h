/* SPDX-License-Identifier: GPL-2.0-only */
/* Shadow stacks, for the files of the graph core only. */
#ifndef _KERNEL_TRACE_FUNCTION_GRAPH_INTERNAL_H
#define _KERNEL_TRACE_FUNCTION_GRAPH_INTERNAL_H

#include <linux/ftrace.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sizes.h>

#include "frames.h"

/*
 * A task begins with a page. What recurses deeper gets what is more than its kernel stack has room
 * for: a call that is no last act takes 24 bytes of that on x86_64, 32 on arm64 and riscv64.
 */
#define STACK_BYTES		PAGE_SIZE
#define STACK_BYTES_LARGE	max(SZ_32K, STACK_BYTES)

/*
 * Word in front of the data of a call: whose it is, and how many words follow. That of a hook has
 * its number above that, see hooks.c.
 */
#define DATA_TAG(idx, words)	((unsigned long)(words) << 8 | (idx))
#define DATA_IDX(tag)		((int)((tag) & 0xff))
#define DATA_WORDS(tag)		((unsigned int)((tag) >> 8 & 0xff))
#define DATA_OF_HOOK		0xff

/* The tag of the datum behind that of @tag. */
static inline unsigned long *data_next(unsigned long *tag)
{
	return tag + DATA_WORDS(*tag) + 1;
}

/* graph.c */
extern struct mutex graph_mutex;
extern unsigned int graph_nr_users;	/* graph_mutex */

/* All tasks get a stack, also those that come. Task context, sleeps; 0 or -ENOMEM. */
int graph_prepare(void);

/* stacks.c */

/* A stack for every task that has none. Once: if that was not done. graph_mutex; 0 or -ENOMEM. */
int graph_stacks_for_all(void);
int graph_stacks_once(void);

/* fgraph_get_task_var() of the user with @idx: 0 in all tasks. graph_mutex */
void graph_task_vars_clear(int idx);

/* The current task has no stack: it gets one soon. notrace, any context */
void graph_stack_missed(void);

/*
 * The current task's @stack is nearly full. @guarded: trace_guard_enter() was called. notrace, any
 * context. Return: its stack, which is a larger one if that could be.
 */
struct graph_stack *graph_stack_grow(struct graph_stack *stack, bool guarded);

/* return_address.c: where kretprobes have calls return to, or 0 */
unsigned long graph_kretprobe_trampoline(void);

/* counted_time.c: the first user comes, 0 or -ENOMEM; the last one has gone. graph_mutex */
int graph_time_begin(void);
void graph_time_end(void);

/* hooks.c; all notrace, any context */
void graph_hooks_return(struct graph_stack *stack, const struct ftrace_ret_stack *frame,
			struct ftrace_regs *fregs);
unsigned long graph_hooks_finish(struct ftrace_regs *fregs, struct ftrace_ret_stack *frame,
				 unsigned long word);
void graph_hooks_unseen(struct graph_stack *stack, const struct ftrace_ret_stack *frame);
void graph_hooks_missed(struct ftrace_ops *op);
/* @stack is not used any more: calls that are open on it never return. */
void graph_hooks_dropped(struct graph_stack *stack);

#endif /* _KERNEL_TRACE_FUNCTION_GRAPH_INTERNAL_H */
