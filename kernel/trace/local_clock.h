/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_LOCAL_CLOCK_H
#define _KERNEL_TRACE_LOCAL_CLOCK_H

#include <linux/linkage.h>
#include <linux/sched/clock.h>
#include <linux/sched_clock.h>

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#include <asm/asm.h>
#include <asm/timer.h>
#define TRACE_CLOCK_MAY_BE_TSC

/* For trace_local_clock_apart(), which see. */
asmlinkage u64 __cold __no_caller_saved_registers trace_local_clock_called(void);

/*
 * sched_clock_noinstr() where the TSC is not the clock: a guest may have been given another one by
 * its hypervisor. The call changes no register but that of the result, and GCC believes that only
 * of an asm(): it would save what is in the others, and at the beginning of the function, whether
 * this is called or not.
 */
static __always_inline u64 trace_local_clock_apart(void)
{
#if __has_attribute(__no_caller_saved_registers__)
	u64 now;

	asm volatile("call trace_local_clock_called"
		     : "=a" (now), ASM_CALL_CONSTRAINT : : "memory", "cc");
	return now;
#else
	return trace_local_clock_called();
#endif
}
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
		*now = trace_local_clock_apart();
	return true;
#else
	*now = sched_clock_noinstr();
	return true;
#endif
}

/* The same, but where it takes a call that is not made, either. */
static __always_inline bool trace_local_clock_in_place(u64 *now)
{
#ifdef TRACE_CLOCK_MAY_BE_TSC
	return sched_clock_tsc(now);
#else
	return trace_local_clock_short(now);
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
