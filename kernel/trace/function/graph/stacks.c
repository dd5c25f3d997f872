// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who has a shadow stack: tasks, once the graph has had a user, and the idle tasks of CPUs that
 * come and go. One that got none is given it when its first call is missed.
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

static void stack_clear(struct graph_stack *stack)
{
	memset(stack, 0, sizeof(*stack));
	stack->data = (unsigned long *)stack + STACK_WORDS;
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

int graph_stacks_for_all(void)
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
static unsigned long stacks_again = INITIAL_JIFFIES;	/* not before that: memory may be short */

static void stacks_serve(struct work_struct *work)
{
	guard(mutex)(&graph_mutex);
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

void graph_task_vars_clear(int idx)
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
