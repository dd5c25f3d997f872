// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks for trace events, from cheap and per CPU to ordered over all CPUs.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/preempt.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/trace_clock.h>

#include "local_clock.h"

static atomic64_t counter_clock;

/**
 * trace_clock_counter - count the calls of this function
 *
 * No time at all, but a strict order over all CPUs.
 *
 * Context: Any, NMI included.
 * Return: a number that no call before has returned.
 */
u64 notrace trace_clock_counter(void)
{
	return atomic64_inc_return(&counter_clock);
}

/**
 * trace_clock_local - read the clock of this CPU
 *
 * The cheapest clock. Ordered within a CPU; two CPUs may differ and may drift
 * when the architecture's scheduler clock does.
 *
 * Context: Any, NMI included.
 * Return: nanoseconds since some point during boot.
 */
u64 notrace trace_clock_local(void)
{
	u64 now;

	/* The scheduler clock is only coherent while it stays on one CPU. */
	preempt_disable_notrace();
	now = trace_local_clock();
	preempt_enable_notrace();

	return now;
}
EXPORT_SYMBOL_GPL(trace_clock_local);

#ifdef TRACE_CLOCK_MAY_BE_TSC
/* It saves what registers it uses, see local_clock.h. */
asmlinkage noinline notrace __visible u64 trace_local_clock_called(void)
{
	return sched_clock_noinstr();
}
#endif

/**
 * trace_clock_jiffies - read the time since boot in user clock ticks
 *
 * Context: Any, NMI included.
 * Return: time since boot in units of 1 / USER_HZ seconds.
 */
u64 notrace trace_clock_jiffies(void)
{
	return jiffies_64_to_clock_t(jiffies_64 - INITIAL_JIFFIES);
}
EXPORT_SYMBOL_GPL(trace_clock_jiffies);

/* The latest time that trace_clock_global() gave to anybody. */
static atomic64_t global_latest ____cacheline_aligned_in_smp;

/**
 * trace_clock_global - read a clock that all CPUs see going forward
 *
 * A CPU whose own clock lies behind what another one has already seen is
 * given that later time, so that order of reading is order of time. CPUs pay
 * with one shared cache line for it.
 *
 * Context: Any, NMI included: the loop ends as soon as somebody, this CPU or
 * another one, has put a time into the shared word that is not before ours.
 * Return: nanoseconds since some point during boot.
 */
u64 notrace trace_clock_global(void)
{
	s64 latest, now;

	preempt_disable_notrace();
	now = sched_clock_cpu(raw_smp_processor_id());
	latest = atomic64_read(&global_latest);
	while (now - latest > 0) {
		if (atomic64_try_cmpxchg(&global_latest, &latest, now))
			break;
	}
	if (now - latest < 0)
		now = latest;
	preempt_enable_notrace();

	return now;
}
EXPORT_SYMBOL_GPL(trace_clock_global);

/**
 * trace_clock - read a clock that is nearly the same on all CPUs
 *
 * What jitters between CPUs is bounded by a tick. Within a CPU it does not go
 * backwards.
 *
 * Context: Any, NMI included.
 * Return: nanoseconds since some point during boot.
 */
u64 notrace trace_clock(void)
{
	return local_clock();
}
EXPORT_SYMBOL_GPL(trace_clock);
