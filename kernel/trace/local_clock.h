/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_LOCAL_CLOCK_H
#define _KERNEL_TRACE_LOCAL_CLOCK_H

#include <linux/sched/clock.h>
#include <linux/sched_clock.h>

/* trace_clock_local() for who has preemption off. Any context. */
static __always_inline u64 trace_local_clock(void)
{
#ifdef CONFIG_GENERIC_SCHED_CLOCK
	return sched_clock_inline();
#else
	return sched_clock_noinstr();
#endif
}

#endif /* _KERNEL_TRACE_LOCAL_CLOCK_H */
