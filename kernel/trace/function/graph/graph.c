// SPDX-License-Identifier: GPL-2.0-only
/*
 * The graph core: callbacks at the entry and at the return of functions.
 *
 * When a user wants to see a call return, the address it returns to is replaced by
 * return_to_handler() and kept on the task's shadow stack. A task has one, of a page:
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
#include <linux/cpu.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include <trace/events/sched.h>

#include <asm/sections.h>

#include "../../irq_work.h"
#include "../../local_clock.h"
#include "../sites/sites.h"
#include "../sites/guard.h"
#include "graph.h"
#include "internal.h"

#define DATA_MAX_WORDS		64

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

static DEFINE_MUTEX(graph_mutex);
static unsigned int nr_users;
static int last_idx = -1;
static bool stacks_wanted;	/* new tasks get a stack; graph_mutex, never reset */
static bool stacks_given;	/* and all that there were have got one; graph_mutex */
static DEFINE_PER_CPU(struct graph_stack *, idle_stack);

/* time in which tasks sleep counts; sleep_on_switch() runs otherwise. graph_mutex */
static bool sleep_counts = true;
static u64 sleep_since;		/* when that began, trace_clock_local() */
bool fgraph_graph_time = true;

static void stack_clear(struct graph_stack *stack)
{
	memset(stack, 0, sizeof(*stack));
	stack->data = (unsigned long *)stack + STACK_WORDS;
}

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
		atomic_inc(&self->trace_overrun);
		graph_hooks_missed(op);
		return false;
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
	/* function_graph_enter() takes it away: the architecture kept it from that. */
	if (unlikely(stack->entering))
		graph_hooks_missed(op);
	stack->fregs = fregs_before;
	stack->entering = before;
}
#endif

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

/* --- for the callbacks */

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

/**
 * fgraph_reserve_data - room for data that the return will see
 * @idx:	fgraph_ops.idx
 * @size_bytes: how much
 *
 * Context: from entryfunc of the user with @idx.
 * Return: the room, aligned to words, or NULL.
 */
void *fgraph_reserve_data(int idx, int size_bytes)
{
	unsigned int words = DIV_ROUND_UP(size_bytes, sizeof(unsigned long));
	struct graph_stack *stack = task_stack(current);
	struct ftrace_ret_stack *frame = &stack->frames[current->curr_ret_stack - 1];

	if (size_bytes <= 0 || words > DATA_MAX_WORDS ||
	    (void *)(frame + 1) > (void *)(stack->data - words - 1))
		return NULL;
	frame->data += words + 1;
	stack->data -= words + 1;
	barrier();	/* claimed before it is written */
	*stack->data = DATA_TAG(idx, words);
	return stack->data + 1;
}

/**
 * fgraph_retrieve_data - what fgraph_reserve_data() gave
 * @idx:	fgraph_ops.idx
 * @size_bytes: set to the size, in whole words
 *
 * Context: from retfunc of the user with @idx.
 * Return: the data of this call, NULL if there is none.
 */
void *fgraph_retrieve_data(int idx, int *size_bytes)
{
	struct graph_stack *stack = task_stack(current);
	unsigned int left = stack->frames[current->curr_ret_stack - 1].data;
	unsigned long *tag = stack->data;

	while (left) {
		unsigned int words = DATA_WORDS(*tag);

		if (DATA_IDX(*tag) == idx) {
			if (size_bytes)
				*size_bytes = words * sizeof(unsigned long);
			return tag + 1;
		}
		tag += words + 1;
		left -= words + 1;
	}
	return NULL;
}

/* A word of the current task for @gops; from its callbacks. It begins as 0. */
unsigned long *fgraph_get_task_var(struct fgraph_ops *gops)
{
	return &task_stack(current)->var[gops->idx];
}

int ftrace_graph_entry_stub(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	return 0;
}

/* --- for unwinders */

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

/* --- tasks */

/* @t may be running, and may have the graph paused: that is its own to end. */
static void stack_give(struct task_struct *t, struct graph_stack *stack)
{
	t->curr_ret_stack = 0;
	t->curr_ret_depth = -1;
	t->ftrace_timestamp = 0;
	atomic_set(&t->trace_overrun, 0);
	/* the task may be running, and may use it from here on */
	smp_store_release(&t->ret_stack, (unsigned long *)stack);
}

static struct graph_stack *stack_alloc(void)
{
	struct graph_stack *stack = kmalloc(STACK_BYTES, GFP_KERNEL);

	if (stack)
		stack_clear(stack);
	return stack;
}

/* Fork: the child starts with no hooked calls; its stack comes now if there are users. */
void ftrace_graph_init_task(struct task_struct *t)
{
	t->ret_stack = NULL;
	t->curr_ret_stack = 0;
	t->curr_ret_depth = -1;
	atomic_set(&t->tracing_graph_pause, 0);	/* not its parent's */
	if (READ_ONCE(stacks_wanted)) {
		struct graph_stack *stack = stack_alloc();

		/* Without it the task is not traced, until graph_stack_missed(). */
		if (stack)
			stack_give(t, stack);
	}
}

void ftrace_graph_exit_task(struct task_struct *t)
{
	struct graph_stack *stack = task_stack(t);

	t->ret_stack = NULL;
	barrier();	/* freeing it may be traced, and sees that it is gone */
	if (stack && t->curr_ret_stack)
		graph_hooks_dropped(stack);
	kfree(stack);
}

/* The idle task of a CPU, which is never freed, gets a stack. It may run. */
static void idle_stack_give(struct task_struct *t, int cpu)
{
	struct graph_stack *stack = per_cpu(idle_stack, cpu);

	if (t->ret_stack)
		return;
	if (!stack) {
		stack = stack_alloc();
		per_cpu(idle_stack, cpu) = stack;
	}
	if (stack)
		stack_give(t, stack);
}

/* Before it runs, when the CPU is made known. */
void ftrace_graph_init_idle_task(struct task_struct *t, int cpu)
{
	t->curr_ret_stack = 0;
	t->curr_ret_depth = -1;
	if (READ_ONCE(stacks_wanted))
		idle_stack_give(t, cpu);
}

/*
 * A CPU goes. On its last metres its idle task gets no frames: who waits for it may see it as gone,
 * and have it come again, before it has run the last instruction of the function that said so.
 */
static int graph_cpu_goes(unsigned int cpu)
{
	atomic_set(&idle_task(cpu)->tracing_graph_pause, 1);
	return 0;
}

/* It stays, or has come. */
static int graph_cpu_is_up(unsigned int cpu)
{
	atomic_set(&idle_task(cpu)->tracing_graph_pause, 0);
	return 0;
}

/*
 * A CPU comes, maybe not for the first time. Its idle task begins anew: what it was in when
 * the CPU went never returned.
 */
static int graph_cpu_prepare(unsigned int cpu)
{
	struct task_struct *idle = idle_task(cpu);
	struct graph_stack *stack = task_stack(idle);

	atomic_set(&idle->tracing_graph_pause, 0);
	idle->curr_ret_stack = 0;
	if (stack) {
		graph_hooks_dropped(stack);
		stack_clear(stack);
	}
	if (READ_ONCE(stacks_wanted))
		idle_stack_give(idle, cpu);
	return 0;
}

#define STACK_BATCH	32

/* A stack for every task that has none. graph_mutex */
static int stacks_for_all(void)
{
	struct graph_stack *spare[STACK_BATCH];
	struct task_struct *g, *t;
	int i, n = 0, ret = 0, cpu;
	bool more;

	WRITE_ONCE(stacks_wanted, true);
	cpus_read_lock();
	for_each_online_cpu(cpu)
		idle_stack_give(idle_task(cpu), cpu);
	cpus_read_unlock();

	for (;;) {
		more = false;
		read_lock(&tasklist_lock);
		for_each_process_thread(g, t) {
			if (t->ret_stack)
				continue;
			if (!n) {
				more = true;
				break;
			}
			stack_give(t, spare[--n]);
		}
		read_unlock(&tasklist_lock);
		if (!more)
			break;
		while (n < STACK_BATCH) {
			spare[n] = stack_alloc();
			if (!spare[n]) {
				ret = -ENOMEM;
				goto out;
			}
			n++;
		}
	}
	stacks_given = true;
out:
	for (i = 0; i < n; i++)
		kfree(spare[i]);
	return ret;
}

int graph_prepare(void)
{
	guard(mutex)(&graph_mutex);
	ftrace_graph_nobody = &nobody;
	/* Once is enough: who has none after that asks for it, see below. */
	return stacks_given ? 0 : stacks_for_all();
}

/*
 * A task may have no stack though all were given one: there was no memory when it was forked, or it
 * was being forked just then, too early to know of that, and in no list yet. The first call that is
 * missed asks for it. Who asks orders nothing by this: he comes again.
 */
static int stacks_asked;		/* somebody has, and was not served yet */
static unsigned long stacks_again = INITIAL_JIFFIES;	/* not before that: memory may be short */

static void stacks_serve(struct work_struct *work)
{
	guard(mutex)(&graph_mutex);
	stacks_for_all();
	WRITE_ONCE(stacks_again, jiffies + HZ / 10);
	WRITE_ONCE(stacks_asked, 0);
}

static DECLARE_WORK(stacks_work, stacks_serve);

static void stacks_ask(struct irq_work *work)
{
	schedule_work(&stacks_work);
}

static struct trace_irq_work stacks_irq_work = TRACE_IRQ_WORK_INIT(stacks_ask);

void notrace graph_stack_missed(void)
{
	/* an interrupt is only raised where RCU watches, as that is traced */
	if (READ_ONCE(stacks_asked) || time_before(jiffies, READ_ONCE(stacks_again)) ||
	    !rcu_is_watching())
		return;
	/* What is called here may be hooked, and comes back without a stack: once only. */
	if (xchg(&stacks_asked, 1))
		return;
	trace_irq_work_queue(&stacks_irq_work);
}

static void var_clear(int idx)
{
	struct graph_stack *stack;
	struct task_struct *g, *t;
	int cpu;

	read_lock(&tasklist_lock);
	for_each_process_thread(g, t) {
		stack = task_stack(t);
		if (stack)
			stack->var[idx] = 0;
	}
	read_unlock(&tasklist_lock);
	for_each_possible_cpu(cpu) {
		stack = per_cpu(idle_stack, cpu);
		if (stack)
			stack->var[idx] = 0;
	}
}

/*
 * Time that a task is off its CPU does not count for the functions it is in: their beginnings
 * move, but not beyond now. Who was off already when this began to be looked at, is so since then.
 *
 * A task may have left without this: before it was looked at, or on a CPU that goes down. Then it
 * has entered functions since it was last seen, and those begin now.
 */
static void sleep_on_switch(void *data, bool preempt, struct task_struct *prev,
			    struct task_struct *next, unsigned int prev_state)
{
	struct graph_stack *stack = task_stack(next);
	u64 now = trace_clock_local();
	u64 from = max(next->ftrace_timestamp, READ_ONCE(sleep_since));
	int i;

	prev->ftrace_timestamp = now;
	next->ftrace_timestamp = now;
	/* the clocks of two CPUs may differ a little */
	if (!stack || now <= from)
		return;
	for (i = 0; i < next->curr_ret_stack; i++) {
		u64 *calltime = &stack->frames[i].calltime;

		*calltime += now - clamp(*calltime, from, now);
	}
}

/* graph_mutex; there are users */
static int sleep_watch(void)
{
	WRITE_ONCE(sleep_since, trace_clock_local());
	return register_trace_sched_switch(sleep_on_switch, NULL);
}

int graph_set_sleep_time(bool counts)
{
	int ret = 0;

	guard(mutex)(&graph_mutex);
	if (counts == sleep_counts)
		return 0;
	if (nr_users && counts)
		unregister_trace_sched_switch(sleep_on_switch, NULL);
	else if (nr_users)
		ret = sleep_watch();
	if (!ret)
		sleep_counts = counts;
	return ret;
}

/* --- users */

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
	if (!--nr_users && !sleep_counts)
		unregister_trace_sched_switch(sleep_on_switch, NULL);
	/*
	 * retfunc runs with preemption off, maybe where RCU does not watch. Also that of one that
	 * could not be registered, for calls that were entered for who had its number before.
	 */
	if (!is_kernel_core_data((unsigned long)gops))
		synchronize_rcu_tasks_rude();
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
	ret = idx < 0 ? -ENOSPC : stacks_for_all();
	if (ret)
		goto out;
	if (!nr_users && !sleep_counts) {
		ret = sleep_watch();
		if (ret)
			goto out;
	}

	var_clear(idx);
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
	nr_users++;
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

/* The way into and out of hibernation replaces stacks. */
static int graph_pm(struct notifier_block *nb, unsigned long state, void *unused)
{
	if (state == PM_HIBERNATION_PREPARE)
		pause_graph_tracing();
	else if (state == PM_POST_HIBERNATION)
		unpause_graph_tracing();
	return NOTIFY_DONE;
}

static struct notifier_block graph_pm_nb = {
	.notifier_call = graph_pm,
};

static int __init graph_init(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "trace/graph:prepare",
					graph_cpu_prepare, NULL);
	if (ret >= 0)
		ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "trace/graph:online",
						graph_cpu_is_up, graph_cpu_goes);
	if (ret < 0)
		pr_warn("ftrace: CPUs that come later are not in the graph (%d)\n", ret);
	return register_pm_notifier(&graph_pm_nb);
}
core_initcall(graph_init);
