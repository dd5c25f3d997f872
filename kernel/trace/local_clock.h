/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_LOCAL_CLOCK_H
#define _KERNEL_TRACE_LOCAL_CLOCK_H

#include <linux/sched/clock.h>
#include <linux/sched_clock.h>

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#include <asm/timer.h>
#define TRACE_CLOCK_MAY_BE_TSC

/* A guest may have been given another one, by its hypervisor. */
u64 __cold trace_local_clock_called(void);
#endif

/*
 * trace_local_clock() if it takes no call; where it always takes one, with that. False: it would
 * take one now. Any context, preemption off.
 */
static __always_inline bool trace_local_clock_short(u64 *now)
{
#ifdef SCHED_CLOCK_IN_PLACE
	return sched_clock_in_place(now);
#elif defined(TRACE_CLOCK_MAY_BE_TSC)
	if (unlikely(!sched_clock_tsc(now)))
		*now = trace_local_clock_called();
	return true;
#else
	*now = sched_clock_noinstr();
	return true;
#endif
}

/* trace_clock_local() for who has preemption off. Any context. */
static __always_inline u64 trace_local_clock(void)
{
	u64 now;

	if (unlikely(!trace_local_clock_short(&now)))
		now = sched_clock_noinstr();
	return now;
}

#endif /* _KERNEL_TRACE_LOCAL_CLOCK_H */
