// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who has a shadow stack: tasks, once the graph has had a user, and the idle tasks of CPUs that
 * come and go. One that got none is given it when its first call is missed.
 *
 * A task begins with a small stack. One whose calls are too deep for it takes a large one, out of
 * some that lie ready, as nothing can be allocated where functions are entered:
 *
 * - Only the task itself does so, at the entry of a function that may be preempted. There nobody is
 *   below it who is about to change the small stack: interrupts come and go while that is being
 *   copied with interrupts off, and what is interrupted, is a callback, or was preempted in one,
 *   has preemption off.
 * - NMIs may come meanwhile, and leave everything as they found it. They use the small stack until
 *   the large one is seen, which has all frames and data by then.
 * - Others may look at the stack of a task, with no lock: so the small one stays, as it was, until
 *   the task is gone. Who writes to that of a task that may be running takes large_lock.
 */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include "../../irq_work.h"
#include "graph.h"
#include "internal.h"

static bool stacks_wanted;	/* new tasks get a stack; graph_mutex, never reset */
static bool stacks_given;	/* and all that there were have got one; graph_mutex */
static DEFINE_PER_CPU(struct graph_stack *, idle_stack);

/* Large stacks that lie ready. Interrupts are off. It is taken where functions are entered. */
static arch_spinlock_t large_lock = __ARCH_SPIN_LOCK_UNLOCKED;
static struct graph_stack *large_stacks;	/* by @smaller; large_lock */
static unsigned int nr_large;			/* large_lock */

static void stack_clear(struct graph_stack *stack, size_t size)
{
	memset(stack, 0, sizeof(*stack));
	stack->end = (void *)stack + size;
	stack->data = stack->end;
	stack->handler = (unsigned long)return_to_handler;
	stack->kretprobe = graph_kretprobe_trampoline();
}

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

static struct graph_stack *stack_alloc_sized(size_t size, gfp_t flags)
{
	struct graph_stack *stack = kmalloc(size, GFP_KERNEL | flags);

	if (stack)
		stack_clear(stack, size);
	return stack;
}

static struct graph_stack *stack_alloc(void)
{
	return stack_alloc_sized(STACK_BYTES, 0);
}

static void stack_free(struct graph_stack *stack)
{
	while (stack) {
		struct graph_stack *smaller = stack->smaller;

		kfree(stack);
		stack = smaller;
	}
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
	stack_free(stack);
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
		stack_clear(stack, STACK_BYTES);	/* an idle task keeps that */
	}
	if (READ_ONCE(stacks_wanted))
		idle_stack_give(idle, cpu);
	return 0;
}

static unsigned long large_lock_irqsave(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	arch_spin_lock(&large_lock);
	return flags;
}

static void large_unlock_irqrestore(unsigned long flags)
{
	arch_spin_unlock(&large_lock);
	raw_local_irq_restore(flags);
}

/* One for each CPU, within reason. Whoever has none then misses calls, and asks for more. */
static unsigned int large_wanted(void)
{
	const size_t more = STACK_BYTES_LARGE - STACK_BYTES;	/* 0: a page is that large */

	return more ? clamp(num_possible_cpus(), 2U, 16U) : 0;
}

/* Have as many large stacks as are wanted, or as there is memory for. */
static void large_stacks_fill(void)
{
	struct graph_stack *stack;
	unsigned long flags;

	while (READ_ONCE(nr_large) < large_wanted()) {
		stack = stack_alloc_sized(STACK_BYTES_LARGE, __GFP_NORETRY | __GFP_NOWARN);
		if (!stack)
			return;
		flags = large_lock_irqsave();
		stack->smaller = large_stacks;
		large_stacks = stack;
		nr_large++;
		large_unlock_irqrestore(flags);
	}
}

#define STACK_BATCH	32

int graph_stacks_for_all(void)
{
	struct graph_stack *spare[STACK_BATCH];
	struct task_struct *g, *t;
	int i, n = 0, ret = 0, cpu;
	bool more;

	WRITE_ONCE(stacks_wanted, true);
	large_stacks_fill();
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
		stack_free(spare[i]);
	return ret;
}

int graph_stacks_once(void)
{
	/* Once is enough: who has none after that asks for it, see below. */
	return stacks_given ? 0 : graph_stacks_for_all();
}

/*
 * A task may have no stack though all were given one: there was no memory when it was forked, or it
 * was being forked just then, too early to know of that, and in no list yet. The first call that is
 * missed asks for it. Who asks orders nothing by this: he comes again.
 */
static int stacks_asked;		/* somebody has, and was not served yet */
static int large_asked;			/* likewise for large ones that lie ready */
static unsigned long stacks_again = INITIAL_JIFFIES;	/* not before that: memory may be short */

static void stacks_serve(struct work_struct *work)
{
	guard(mutex)(&graph_mutex);
	WRITE_ONCE(large_asked, 0);	/* who takes one from here on asks again */
	large_stacks_fill();
	if (!READ_ONCE(stacks_asked))
		return;
	graph_stacks_for_all();
	WRITE_ONCE(stacks_again, jiffies + HZ / 10);
	WRITE_ONCE(stacks_asked, 0);
}

static DECLARE_WORK(stacks_work, stacks_serve);

static void stacks_ask(struct irq_work *work)
{
	schedule_work(&stacks_work);
}

static struct trace_irq_work stacks_irq_work = TRACE_IRQ_WORK_INIT(stacks_ask);

/* An interrupt is only raised where RCU watches, as that is traced. */
static __always_inline void stacks_ask_for(int *asked)
{
	/* What is called here may be hooked, and find no stack again, or a full one: once only. */
	if (!READ_ONCE(*asked) && rcu_is_watching() && !xchg(asked, 1))
		trace_irq_work_queue(&stacks_irq_work);
}

void notrace graph_stack_missed(void)
{
	if (!time_before(jiffies, READ_ONCE(stacks_again)))
		stacks_ask_for(&stacks_asked);
}

/* All that is on @stack to @large, which is empty, and where the task goes on. large_lock */
static __always_inline void stack_move(struct task_struct *self, struct graph_stack *stack,
				       struct graph_stack *large)
{
	const struct ftrace_ret_stack *frames_end = &stack->frames[self->curr_ret_stack];
	size_t data = (void *)stack->end - (void *)stack->data;
	unsigned long *end = large->end;

	memcpy(large, stack, (void *)frames_end - (void *)stack);
	large->end = end;
	large->data = (void *)end - data;
	memcpy(large->data, stack->data, data);
	large->smaller = stack;
	/* who looks at a task's stack sees all of it */
	smp_store_release(&self->ret_stack, (unsigned long *)large);
}

struct graph_stack *notrace graph_stack_grow(struct graph_stack *stack, bool guarded)
{
	struct task_struct *self = current;
	struct graph_stack *large;
	unsigned long flags;

	raw_local_save_flags(flags);
	if (preempt_count() != (guarded ? PREEMPT_DISABLE_OFFSET : 0) ||
	    raw_irqs_disabled_flags(flags) || stack->smaller || !large_wanted() ||
	    is_idle_task(self))
		return stack;
	flags = large_lock_irqsave();
	large = large_stacks;
	if (large) {
		large_stacks = large->smaller;
		nr_large--;
		stack_move(self, stack, large);
	}
	large_unlock_irqrestore(flags);

	stacks_ask_for(&large_asked);
	return task_stack(self);
}

/* A task's stack may become a large one meanwhile, with what is in its variables. */
static void task_var_clear(struct task_struct *t, int idx)
{
	unsigned long flags = large_lock_irqsave();
	struct graph_stack *stack = task_stack(t);

	if (stack)
		stack->var[idx] = 0;
	large_unlock_irqrestore(flags);
}

void graph_task_vars_clear(int idx)
{
	struct graph_stack *stack;
	struct task_struct *g, *t;
	int cpu;

	read_lock(&tasklist_lock);
	for_each_process_thread(g, t)
		task_var_clear(t, idx);
	read_unlock(&tasklist_lock);
	for_each_possible_cpu(cpu) {
		stack = per_cpu(idle_stack, cpu);
		if (stack)
			stack->var[idx] = 0;
	}
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

static int __init graph_stacks_init(void)
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
core_initcall(graph_stacks_init);
