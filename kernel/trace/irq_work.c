// SPDX-License-Identifier: GPL-2.0-only
/*
 * irq_works that are asked for on a CPU that is dying.
 *
 * Functions are traced, and probed, to the last that a CPU runs before it is off. What is asked for
 * behind the last look that it takes at its list of irq_works (smpcfd_dying_cpu()) would wait there
 * until the CPU is back: nobody is woken, and irq_work_sync() spins for as long. So a CPU that is
 * not online any more leaves it to who runs when it is dead.
 *
 * A CPU that comes up is not online either, for a while. It runs what it queues as soon as it
 * has interrupts.
 */
#include <linux/cleanup.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "irq_work.h"

static LLIST_HEAD(left_by_dying);

/* Who takes works out of the list queues them under it: behind it none is under way. */
static DEFINE_RAW_SPINLOCK(left_lock);

/**
 * trace_irq_work_queue - have an irq_work run
 * @w: the work
 *
 * Context: any, NMI included.
 */
void trace_irq_work_queue(struct trace_irq_work *w)
{
	unsigned int cpu;

	guard(preempt_notrace)();
	cpu = smp_processor_id();
	if (likely(cpu_online(cpu)) || !cpu_dying(cpu))
		irq_work_queue(&w->work);
	else if (!xchg(&w->is_left, 1))
		llist_add(&w->left, &left_by_dying);
}

static void run_what_is_left(void)
{
	struct trace_irq_work *w, *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&left_lock, flags);
	llist_for_each_entry_safe(w, next, llist_del_all(&left_by_dying), left) {
		/* a full barrier: who asks before it is served by what is queued here */
		xchg(&w->is_left, 0);
		irq_work_queue(&w->work);
	}
	raw_spin_unlock_irqrestore(&left_lock, flags);
}

/**
 * trace_irq_work_sync - wait until an irq_work does not run any more
 * @w: the work, which nobody asks for any more
 *
 * Context: task, may sleep.
 */
void trace_irq_work_sync(struct trace_irq_work *w)
{
	run_what_is_left();
	irq_work_sync(&w->work);
}

#ifdef CONFIG_HOTPLUG_CPU
/* On another CPU, when @cpu has run its last instruction. */
static int cpu_is_dead(unsigned int cpu)
{
	run_what_is_left();
	return 0;
}

static int __init trace_irq_work_hotplug(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "trace/irq_work:dead", NULL,
					    cpu_is_dead);

	return ret < 0 ? ret : 0;
}
early_initcall(trace_irq_work_hotplug);
#endif
