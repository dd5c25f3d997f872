/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of shadow stacks, as inline code: for the graph core, and for a tracer whose entry of a
 * function is one piece with the core's, see struct graph_recorder.
 */
#ifndef _KERNEL_TRACE_FUNCTION_GRAPH_FRAMES_H
#define _KERNEL_TRACE_FUNCTION_GRAPH_FRAMES_H

#include <linux/ftrace.h>
#include <linux/sched.h>

#include "../../graph_quiet.h"
#include "graph.h"
#include "hooks.h"

/* With less than that left, a shadow stack is to become larger: the most that a hook needs. */
#define GRAPH_SPARE	(GRAPH_HOOK_DATA_MAX + sizeof(long))

/* Pairs with stack_give(): it is seen cleared, by address dependency. */
static __always_inline struct graph_stack *task_stack(const struct task_struct *t)
{
	return (struct graph_stack *)READ_ONCE(t->ret_stack);
}

/* The youngest frame is given up, and the data that was reserved for it. */
static __always_inline void frame_pop(struct task_struct *self, struct graph_stack *stack,
				      const struct ftrace_ret_stack *frame, int n)
{
	if (unlikely(frame->data))
		stack->data += frame->data;
	barrier();	/* nothing of the frame is used once it is given up */
	self->curr_ret_stack = n;
}

/* The call of the youngest frame is over. Return: where to go on. */
static __always_inline unsigned long frame_return(struct task_struct *self,
						  struct graph_stack *stack,
						  const struct ftrace_ret_stack *frame)
{
	unsigned long ret = frame->ret;

	frame_pop(self, stack, frame, self->curr_ret_stack - 1);
	return ret;
}

/* Has the graph been given up, or paused for the task, or is what it does none of its own? */
static __always_inline bool graph_is_off_for(const struct task_struct *self)
{
	return ftrace_graph_is_dead() || atomic_read(&self->tracing_graph_pause);
}

/* Has it been given up or paused? Then nobody may hook a return. */
static __always_inline bool graph_is_off(void)
{
	return ftrace_graph_is_dead() ||
	       atomic_read(&current->tracing_graph_pause) & (GRAPH_QUIET - 1);
}

static __always_inline struct ftrace_ret_stack *frame_of(struct graph_stack *stack, int n)
{
	struct ftrace_ret_stack *frame = &stack->frames[n];

	OPTIMIZER_HIDE_VAR(frame);	/* computed once, not at each use */
	return frame;
}

/* Is there room for @frame, with @spare bytes between it and @data, which is to be the lowest? */
static __always_inline bool frame_fits(const struct ftrace_ret_stack *frame,
				       const unsigned long *data, size_t spare)
{
	return (void *)(frame + 1) + spare <= (void *)data;
}

/* Does it leave room for what a hook may keep with it? */
static __always_inline bool frame_has_room(const struct ftrace_ret_stack *frame,
					   const struct graph_stack *stack)
{
	return frame_fits(frame, stack->data, GRAPH_SPARE);
}

/* @users: bits of those who are to be told of the return */
static __always_inline void frame_take(struct task_struct *self, struct ftrace_ret_stack *frame,
				       int n, unsigned long ret, unsigned long func,
				       unsigned long *retp, unsigned int users)
{
	self->curr_ret_stack = n + 1;
	barrier();	/* interrupts stay above the frame from here on */
	frame->retp = retp;
	frame->ret = ret;
	frame->func = func;
	frame->users = users;
	frame->data = 0;
}

#endif /* _KERNEL_TRACE_FUNCTION_GRAPH_FRAMES_H */
