// SPDX-License-Identifier: GPL-2.0-only
/*
 * irq_works that are asked for on a CPU that is on its way off, or up.
 *
 * Functions are traced, and probed, to the last that a CPU runs before it is off. What is asked for
 * behind the last look that it takes at its list of irq_works (smpcfd_dying_cpu()) would wait there
 * until the CPU is back: nobody is woken, and irq_work_sync() spins for as long. A CPU that comes
 * up is traced before it can be interrupted: what it sends itself may be lost (an APIC that is not
 * enabled yet takes nothing), and it sends nothing more as long as something is in its list.
 *
 * So a CPU that is not online leaves what it asks for to who runs when it is dead, or to itself
 * when it is up.
 */
#include <linux/cleanup.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "irq_work.h"

static LLIST_HEAD(left_list);

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
	guard(preempt_notrace)();
	if (likely(cpu_online(smp_processor_id())))
		irq_work_queue(&w->work);
	else if (!xchg(&w->is_left, 1))
		llist_add(&w->left, &left_list);
}

static void run_what_is_left(void)
{
	struct trace_irq_work *w, *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&left_lock, flags);
	llist_for_each_entry_safe(w, next, llist_del_all(&left_list), left) {
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

/* On @cpu when it can be interrupted; on another one when it has run its last instruction. */
static int cpu_is_up_or_dead(unsigned int cpu)
{
	run_what_is_left();
	return 0;
}

static int __init trace_irq_work_hotplug(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "trace/irq_work:up",
					    cpu_is_up_or_dead, NULL);

	if (ret >= 0)
		ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "trace/irq_work:dead", NULL,
						cpu_is_up_or_dead);
	return ret < 0 ? ret : 0;
}
early_initcall(trace_irq_work_hotplug);
