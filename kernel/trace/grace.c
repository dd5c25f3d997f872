// SPDX-License-Identifier: GPL-2.0-only
/*
 * For those who wrote to a file and wait: a grace period that is asked for at once takes no ticks,
 * but interrupts the CPUs that are busy. Where CPUs are isolated, whoever did that minds more.
 */
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>

#include "grace.h"

/**
 * trace_synchronize_rcu - wait for an RCU grace period, without ado for isolated CPUs
 *
 * One of SRCU interrupts nobody, and may always be expedited. Context: task, may sleep.
 */
void trace_synchronize_rcu(void)
{
	if (housekeeping_enabled(HK_TYPE_DOMAIN) || housekeeping_enabled(HK_TYPE_TICK))
		synchronize_rcu();
	else
		synchronize_rcu_expedited();
}
