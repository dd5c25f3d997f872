// SPDX-License-Identifier: GPL-2.0-only
/*
 * The graph core: callbacks at the entry and at the return of functions.
 *
 * When a user wants to see a call return, the address it returns to is replaced by
 * return_to_handler() and kept on the task's shadow stack. A task has one, at first of a page:
 *
 *	head | frames, one a hooked call, growing up --> ... <-- data, growing down
 *
 * The task itself pushes and pops, and so do interrupts on top of it, which leave
 * everything as they found it. So plain stores do, in the right order: a frame is
 * claimed by moving the index, and only then filled in, so that an interrupt in between
 * lands above it.
 *
 * A site knows which users want it (the ops of its set), so a call asks
 * nobody in vain. A frame remembers in a bit mask who is to be told of the return.
 */
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include <asm/sections.h>

#include "../../local_clock.h"
#include "../sites/sites.h"
#include "../sites/guard.h"
#include "graph.h"
#include "internal.h"

DEFINE_STATIC_KEY_FALSE(kill_ftrace_graph);

/* In place of a user that has gone, or has no retfunc. */
static void notrace return_to_nobody(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
}

/* Also in a set in the place of one that has gone, see ftrace_set_retire(). */
static struct fgraph_ops nobody = {
	.ops.func	= graph_call,
	.entryfunc	= ftrace_graph_entry_stub,
	.retfunc	= return_to_nobody,
};

/* graph_mutex; read with preemption off. What is in the place of FGRAPH_HOOKS stays. */
static struct fgraph_ops *graph_users[FGRAPH_USERS + 1] = {
	[0 ... FGRAPH_USERS] = &nobody,
};

static struct graph_recorder graph_recorder __ro_after_init;

DEFINE_MUTEX(graph_mutex);	/* users, and what comes with the first of them */
unsigned int graph_nr_users;
static int last_idx = -1;

/* --- calls */

/* A call of a task that has no stack. Not inline: it is rare. */
static noinline notrace void enter_without_stack(struct ftrace_ops *op)
{
	graph_hooks_missed(op);
	graph_stack_missed();
}

/* @quiet: what tracing calls itself, which is for hooks alone */
static __always_inline bool enter_user(struct fgraph_ops *gops, struct graph_call *call, bool quiet)
{
	return likely(!quiet || gops->idx == FGRAPH_HOOKS) && gops->entryfunc(&call->ent, gops);
}

static __always_inline unsigned int enter_users(unsigned long func, int depth,
						unsigned long preempt, u64 time,
						struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct graph_call call = {
		.ent.func	= func,
		.ent.depth	= depth,
		.preempt	= preempt,
		.time		= time,
		.fregs		= fregs,
	};
	/* the caller has seen that nothing is paused */
	bool quiet = atomic_read(&current->tracing_graph_pause);
	struct fgraph_ops **gops, *one;
	unsigned int users = 0;
	int n;

	if (likely(!(op->flags & FTRACE_OPS_FL_SET))) {
		one = container_of(op, struct fgraph_ops, ops);
		if (!enter_user(one, &call, quiet))
			return 0;
		users = BIT(one->idx);
		if (!users)
			__builtin_unreachable();	/* spares the caller's test of it */
		return users;
	}
	gops = ftrace_op_to_set(op)->graph;
	for (n = ftrace_op_to_set(op)->nr_graph; n; n--, gops++) {
		one = READ_ONCE(*gops);	/* or nobody, see ftrace_set_retire() */
		if (enter_user(one, &call, quiet))
			users |= BIT(one->idx);
	}
	return users;
}

/*
 * The call site @func, whose ops is @op, is entered and returns to @ret. By @retp unwinders will
 * ask for the frame, see ftrace_graph_ret_addr(). Any context, preemption off, guarded
 * against recursion; @preempt is what __tracing_preempt() was before that.
 *
 * True if somebody wants it to return to return_to_handler().
 */
static __always_inline bool graph_enter(unsigned long ret, unsigned long func,
					unsigned long *retp, struct ftrace_ops *op,
					struct ftrace_regs *fregs, unsigned long preempt)
{
	struct task_struct *self = current;
	struct graph_stack *stack = task_stack(self);
	struct ftrace_ret_stack *frame;
	int n = self->curr_ret_stack;
	unsigned int users;

	if (unlikely(!stack)) {
		enter_without_stack(op);
		return false;
	}
	frame = frame_of(stack, n);
	if (unlikely(!frame_has_room(frame, stack))) {
		stack = graph_stack_grow(stack, true);
		frame = frame_of(stack, n);
		if (!frame_fits(frame, stack->data, 0)) {
			atomic_inc(&self->trace_overrun);
			graph_hooks_missed(op);
			return false;
		}
	}

	frame_take(self, frame, n, ret, func, retp, 0);
	/* Once for all users: the records of the entry and of the return will agree. */
	frame->calltime = trace_local_clock();

	users = enter_users(func, n, preempt, frame->calltime, op, fregs);
	if (!users) {
		frame_pop(self, stack, frame, n);
		return false;
	}
	frame->users = users;
	return true;
}

#ifdef ARCH_FTRACE_GRAPH_REGS
/* ops::func of the graph: have the function return to return_to_handler(). */
void notrace graph_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			struct ftrace_regs *fregs)
{
	unsigned long preempt = __tracing_preempt();
	struct trace_guard guard;

	if (unlikely(graph_is_off()) || !trace_guard_enter(&guard, ip, parent_ip)) {
		graph_hooks_missed(op);
		return;
	}
	if (graph_enter(*arch_ftrace_return_slot(fregs), ip, arch_ftrace_unwind_key(fregs), op,
			fregs, preempt))
		*arch_ftrace_return_slot(fregs) = (unsigned long)return_to_handler;
	trace_guard_leave(&guard);
}

/* x86's prepare_ftrace_return() is there, and called by nobody. */
int function_graph_enter(unsigned long ret, unsigned long func,
			 unsigned long frame_pointer, unsigned long *retp)
{
	return -EBUSY;
}
#else
/* ops::func of the graph: remember for whom, while the architecture finds the return address. */
void notrace graph_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			struct ftrace_regs *fregs)
{
	struct graph_stack *stack = task_stack(current);
	struct ftrace_regs *fregs_before;
	struct ftrace_ops *before;

	if (!stack) {
		enter_without_stack(op);
		return;
	}
	before = stack->entering;
	fregs_before = stack->fregs;
	stack->fregs = fregs;
	stack->entering = op;
	barrier();
	ftrace_graph_func(ip, parent_ip, op, fregs);
	barrier();
	stack = task_stack(current);	/* it may be a larger one */
	/* function_graph_enter() takes it away: the architecture kept it from that. */
	if (unlikely(stack->entering))
		graph_hooks_missed(op);
	stack->fregs = fregs_before;
	stack->entering = before;
}

/**
 * function_graph_enter - a function that the graph traces is entered
 * @ret:  where it returns to
 * @func: the function's call site
 * @frame_pointer: unused
 * @retp: by what unwinders will ask for the frame, see ftrace_graph_ret_addr()
 *
 * From entry code that does not know the ops of the site: graph_call() put it by.
 *
 * Context: any, preemption off, guarded against recursion.
 * Return: 0 if it is to return to return_to_handler(), -EBUSY if nobody wants to know.
 */
int function_graph_enter(unsigned long ret, unsigned long func,
			 unsigned long frame_pointer, unsigned long *retp)
{
	struct graph_stack *stack = task_stack(current);
	struct ftrace_ops *op;

	if (!stack || !stack->entering || graph_is_off())
		return -EBUSY;
	op = stack->entering;
	stack->entering = NULL;
	return graph_enter(ret, func, retp, op, stack->fregs,
			   __tracing_preempt() - IS_ENABLED(CONFIG_PREEMPT_COUNT)) ? 0 : -EBUSY;
}
#endif

/* What the users @users, not 0, are told of the return of @frame. Guarded against recursion. */
static __always_inline void return_users(struct task_struct *self,
					 const struct ftrace_ret_stack *frame, unsigned int users,
					 u64 rettime, const struct ftrace_regs *fregs)
{
	struct ftrace_graph_ret trace = {
		.func		= frame->func,
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
		.retval		= ftrace_regs_get_return_value(fregs),
#endif
		.depth		= self->curr_ret_stack - 1,
		.overrun	= atomic_read(&self->trace_overrun),
		.calltime	= frame->calltime,
		.rettime	= rettime,
	};
	struct fgraph_ops *gops;

	do {
		gops = READ_ONCE(graph_users[__ffs(users)]);
		gops->retfunc(&trace, gops);
		users &= users - 1;
	} while (unlikely(users));
}

/* The same for whatever users there are. What hooks take is no time of the function's. */
static __always_inline void return_all(struct task_struct *self, struct graph_stack *stack,
				       const struct ftrace_ret_stack *frame, unsigned int users,
				       struct ftrace_regs *fregs)
{
	unsigned int others = users & ~BIT(FGRAPH_HOOKS);
	u64 rettime = others ? trace_local_clock() : 0;

	if (users & BIT(FGRAPH_HOOKS))
		graph_hooks_return(stack, frame, fregs);
	if (others)
		return_users(self, frame, others, rettime, fregs);
}

/* Whatever users there are; trace_guard_enter_plain() was called. */
static noinline notrace unsigned long return_plain(struct ftrace_regs *fregs,
						   struct ftrace_ret_stack *frame,
						   unsigned int users)
{
	struct task_struct *self = current;

	return_all(self, task_stack(self), frame, users, fregs);
	trace_guard_end_plain();
	return frame_return(self, task_stack(self), frame);
}

/*
 * The call of the youngest frame returns where no callback may run: say, it ended an interrupt that
 * came into one.
 */
static noinline notrace void return_unseen(struct graph_stack *stack,
					   const struct ftrace_ret_stack *frame,
					   unsigned int users)
{
	struct fgraph_ops *gops;

	if (users & BIT(FGRAPH_HOOKS)) {
		graph_hooks_unseen(stack, frame);
		users &= ~BIT(FGRAPH_HOOKS);
	}
	preempt_disable_notrace();
	for (; users; users &= users - 1) {
		gops = READ_ONCE(graph_users[__ffs(users)]);
		if (gops->unseen)
			gops->unseen(gops);
	}
	preempt_enable_notrace();
}

/* An interrupt's, or one from within a callback. */
static noinline notrace unsigned long return_special(struct ftrace_regs *fregs,
						     struct ftrace_ret_stack *frame)
{
	struct task_struct *self = current;
	struct graph_stack *stack = task_stack(self);
	unsigned int users = frame->users;
	struct trace_guard guard;

	if (trace_guard_enter(&guard, frame->func, frame->ret)) {
		return_all(self, stack, frame, users, fregs);
		trace_guard_leave(&guard);
	} else {
		return_unseen(stack, frame, users);
	}
	return frame_return(self, stack, frame);
}

/* There is no address to go to. Nothing that sleeps comes before it is said. */
static noinline notrace void return_from_nowhere(struct task_struct *self)
{
	panic("ftrace: %s/%d returns from a function that was not entered", self->comm, self->pid);
}

/**
 * ftrace_return_to_handler - a hooked function has returned
 * @fregs: its return value
 *
 * Context: any, from return_to_handler().
 * Return: where to go on.
 */
unsigned long ftrace_return_to_handler(struct ftrace_regs *fregs)
{
	unsigned long preempt = __tracing_preempt();
	struct task_struct *self = current;
	struct graph_stack *stack = task_stack(self);
	unsigned long word = READ_ONCE(self->trace_recursion);
	int n = self->curr_ret_stack - 1;
	struct ftrace_ret_stack *frame;
	struct fgraph_ops *gops;
	unsigned int users;

	if (unlikely(n < 0))	/* so it is without a stack */
		return_from_nowhere(self);
	frame = frame_of(stack, n);

	/*
	 * What the callbacks call may be traced: it must not return in here and call
	 * them again. The frame stays until they are done, unwinders need it.
	 */
	if (unlikely(trace_rcu_is_off(frame->func) ||
		     trace_guard_is_special(preempt, word)))
		return return_special(fregs, frame);
	trace_guard_enter_plain(self, word, preempt);
	users = frame->users;
	if (users == BIT(FGRAPH_HOOKS))
		return graph_hooks_finish(fregs, frame, word);
	if (unlikely(users & (users - 1)))
		return return_plain(fregs, frame, users);
	gops = READ_ONCE(graph_users[__ffs(users)]);
	if (unlikely(gops->retfunc != graph_recorder.retfunc))
		return return_plain(fregs, frame, users);
	return graph_recorder.leave(fregs, frame, gops, preempt, stack);
}

/* --- users */

int ftrace_graph_entry_stub(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	return 0;
}

void __init graph_set_recorder(const struct graph_recorder *recorder)
{
	graph_recorder = *recorder;
}

/* @gops is on no site any more, but calls that were entered for it may be open. graph_mutex */
static void user_forget(struct fgraph_ops *gops)
{
	WRITE_ONCE(graph_users[gops->idx], &nobody);
	/* In a set of several it is called past its ops, see enter_users(). */
	if (ftrace_ops_keep(&gops->ops))
		WRITE_ONCE(gops->entryfunc, ftrace_graph_entry_stub);
	if (!--graph_nr_users)
		graph_time_end();
	/*
	 * retfunc runs with preemption off, maybe where RCU does not watch. Also that of one that
	 * could not be registered, for calls that were entered for who had its number before.
	 */
	if (!is_kernel_core_data((unsigned long)gops))
		synchronize_rcu_tasks_rude();
}

int graph_prepare(void)
{
	guard(mutex)(&graph_mutex);
	ftrace_graph_nobody = &nobody;
	return graph_stacks_once();
}

/**
 * register_ftrace_graph - see functions being entered and left
 * @gops: see struct fgraph_ops
 *
 * Context: task, sleeps; takes graph_mutex.
 * Return: 0, -ENOSPC for too many users, -EINVAL without entryfunc, else as
 * register_ftrace_function().
 */
int register_ftrace_graph(struct fgraph_ops *gops)
{
	int i, idx = -1, ret;

	if (!gops->entryfunc)
		return -EINVAL;
	mutex_lock(&graph_mutex);
	ftrace_graph_nobody = &nobody;
	/* Calls of a user that has gone may still return: its number is taken again last. */
	for (i = 1; i <= FGRAPH_USERS && idx < 0; i++) {
		if (graph_users[(last_idx + i) % FGRAPH_USERS] == &nobody)
			idx = (last_idx + i) % FGRAPH_USERS;
	}
	ret = idx < 0 ? -ENOSPC : graph_stacks_for_all();
	if (ret)
		goto out;
	if (!graph_nr_users) {
		ret = graph_time_begin();
		if (ret)
			goto out;
	}

	graph_task_vars_clear(idx);
	last_idx = idx;
	gops->idx = idx;
	if (!gops->retfunc)
		gops->retfunc = return_to_nobody;
	gops->ops.func = graph_call;
	if (graph_recorder.call && graph_recorder.entryfunc == gops->entryfunc)
		gops->ops.func = graph_recorder.call;
	gops->ops.private = gops;
	gops->ops.flags |= FTRACE_OPS_FL_GRAPH;
	/* who returns from a call of the one before depends on the address: he sees all of it */
	smp_store_release(&graph_users[idx], gops);
	graph_nr_users++;
	ret = register_ftrace_function(&gops->ops);
	if (ret)
		user_forget(gops);
out:
	mutex_unlock(&graph_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(register_ftrace_graph);

/**
 * unregister_ftrace_graph - the opposite
 * @gops: registered user
 *
 * Functions that were entered before return without telling it.
 *
 * Context: task, sleeps; takes graph_mutex.
 */
void unregister_ftrace_graph(struct fgraph_ops *gops)
{
	mutex_lock(&graph_mutex);
	if (WARN_ON_ONCE(gops->idx < 0 || gops->idx >= FGRAPH_USERS ||
			 graph_users[gops->idx] != gops))
		goto out;
	unregister_ftrace_function(&gops->ops);
	user_forget(gops);
out:
	mutex_unlock(&graph_mutex);
}
EXPORT_SYMBOL_GPL(unregister_ftrace_graph);

/* For an architecture that finds a broken call. It patches text: not for who must not sleep. */
void ftrace_graph_stop(void)
{
	static_branch_enable(&kill_ftrace_graph);
}
