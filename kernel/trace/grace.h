/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_GRACE_H
#define _KERNEL_TRACE_GRACE_H

#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/srcu.h>

/*
 * For those who wrote to a file and wait: a grace period that is asked for at once takes no ticks,
 * but interrupts the CPUs that are busy. Where CPUs are isolated, whoever did that minds more.
 */
static inline bool trace_grace_hurries(void)
{
	return !housekeeping_enabled(HK_TYPE_DOMAIN) && !housekeeping_enabled(HK_TYPE_TICK);
}

/* Context: task, may sleep. */
static inline void trace_synchronize_rcu(void)
{
	if (trace_grace_hurries())
		synchronize_rcu_expedited();
	else
		synchronize_rcu();
}

/* Context: task, may sleep. */
static inline void trace_synchronize_srcu(struct srcu_struct *ssp)
{
	if (trace_grace_hurries())
		synchronize_srcu_expedited(ssp);
	else
		synchronize_srcu(ssp);
}

#endif /* _KERNEL_TRACE_GRACE_H */
