/* SPDX-License-Identifier: GPL-2.0-only */
/* What the graph core offers to other rooms, beyond <linux/ftrace.h> and hooks.h. */
#ifndef _KERNEL_TRACE_FUNCTION_GRAPH_H
#define _KERNEL_TRACE_FUNCTION_GRAPH_H

#include <linux/ftrace.h>
#include <linux/sched.h>
#include <linux/types.h>

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

/*
 * x86_64, whose asm/ftrace.h is the base's: its entry code has pt_regs.sp right in front of the
 * call, and return_to_handler() puts where it goes on into place of what is found there.
 */
#if defined(CONFIG_X86_64) && defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#define ARCH_FTRACE_GRAPH_REGS		1
#define arch_ftrace_return_slot(fregs)	((unsigned long *)arch_ftrace_regs(fregs)->regs.sp)
#define arch_ftrace_unwind_key(fregs)	arch_ftrace_return_slot(fregs)
#endif

#define FGRAPH_USERS	15
/* ftrace_ret_stack::users has one more bit: the call has hooks, see hooks.h. */
#define FGRAPH_HOOKS	FGRAPH_USERS

/**
 * struct graph_stack - shadow stack of a task
 * @data:	lowest word in use of the data at the end
 * @handler:	return_to_handler(), and
 * @kretprobe:	where kretprobes have calls return to, 0 if there are none. Both are the same in all
 *		tasks, but here they are loaded with @data; an address is made by two instructions
 * @entering:	ops of the site whose entry runs, for architectures that cannot pass it on
 * @fregs:	likewise the registers of that entry
 * @end:	behind the last word
 * @smaller:	the one that the task had before, or NULL
 * @var:	a word for each user, fgraph_get_task_var()
 * @frames:	hooked calls; task_struct::curr_ret_stack of them
 */
struct graph_stack {
	unsigned long		*data;
	unsigned long		handler;
	unsigned long		kretprobe;
#ifndef ARCH_FTRACE_GRAPH_REGS
	struct ftrace_ops	*entering;
	struct ftrace_regs	*fregs;
#endif
	unsigned long		*end;
	struct graph_stack	*smaller;
	unsigned long		var[FGRAPH_USERS];
	struct ftrace_ret_stack	frames[];
};

/**
 * struct graph_call - what an entryfunc is told, and some more for those in here
 * @ent:	its argument
 * @preempt:	__tracing_preempt() of the function
 * @time:	when it was entered, trace_clock_local()
 * @fregs:	its registers
 */
struct graph_call {
	struct ftrace_graph_ent	ent;
	unsigned long		preempt;
	u64			time;
	struct ftrace_regs	*fregs;
};

static __always_inline struct graph_call *graph_call_of(struct ftrace_graph_ent *ent)
{
	return container_of(ent, struct graph_call, ent);
}

/**
 * struct graph_recorder - a tracer that does the core's part as well, in one piece with its own
 * @entryfunc: of its users, runs where @call does not
 * @retfunc: of its users, runs where @leave does not
 * @call: ops::func for their sites, as long as nobody else of the graph is there. It takes a frame
 *	as graph_call() does, see frames.h, and leaves to that what is not plain. NULL: graph_call()
 * @leave: return of a call that one of its users alone wants. Guarded by trace_guard_enter_plain(),
 *	which it ends; @preempt is __tracing_preempt() of before that. It gives up the frame and
 *	says where to go on.
 *
 * So nothing is handed over in memory, and next to nothing is kept on the stack.
 */
struct graph_recorder {
	trace_func_graph_ent_t	entryfunc;
	ftrace_func_t		call;
	trace_func_graph_ret_t	retfunc;
	unsigned long		(*leave)(struct ftrace_regs *fregs, struct ftrace_ret_stack *frame,
					 struct fgraph_ops *gops, unsigned long preempt,
					 struct graph_stack *stack);
};

/* Boot, before there is a user. */
void graph_set_recorder(const struct graph_recorder *recorder);

/* ops::func of sites with users of the graph. Any context. */
void graph_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		struct ftrace_regs *fregs);

/* fgraph_get_task_var(), inline; from the callbacks of @gops */
static __always_inline unsigned long *graph_task_var(const struct fgraph_ops *gops)
{
	return &((struct graph_stack *)current->ret_stack)->var[gops->idx];
}

/* Where the youngest call of the current task returns to; from the callbacks, 0 if not known. */
unsigned long graph_return_address(void);

struct kretprobe_instance;

/* Where the call returns to of which a kretprobe is told, from its handler; 0 if not known. */
unsigned long graph_kretprobe_return(const struct kretprobe_instance *ri);

/* The call that finds @ret may be the last act of one that is hooked. */
static __always_inline bool graph_is_handler(unsigned long ret)
{
	return unlikely(ret == (unsigned long)return_to_handler);
}

/* Is @ret no true return? That, or a kretprobe is on the function as well. */
static __always_inline bool graph_is_replaced(const struct graph_stack *stack, unsigned long ret)
{
	return (ret == stack->handler) | (ret == stack->kretprobe);
}

/* Where the youngest call of the current task returns to, which finds @ret. */
static __always_inline unsigned long graph_true_return(const struct graph_stack *stack,
						       unsigned long ret)
{
	return unlikely(graph_is_replaced(stack, ret)) ? graph_return_address() : ret;
}

/*
 * Does a call's time count while its task sleeps (option sleep-time; yes at first)? Task context,
 * sleeps. 0 or -ENOMEM, only for no.
 */
int graph_set_sleep_time(bool counts);
/* true: a function's time has that of those it calls in it (option graph-time, profiler) */
extern bool fgraph_graph_time;

#endif /* CONFIG_FUNCTION_GRAPH_TRACER */

#endif /* _KERNEL_TRACE_FUNCTION_GRAPH_H */
