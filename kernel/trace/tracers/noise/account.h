/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who has a CPU: for how long NMIs, interrupts, softirqs and other threads than the one that
 * measures had it, each without what interrupted it in its turn.
 */
#ifndef _KERNEL_TRACE_NOISE_ACCOUNT_H
#define _KERNEL_TRACE_NOISE_ACCOUNT_H

#include <linux/percpu.h>
#include <linux/types.h>

/* Innermost last: each may be interrupted by those behind it, and by nobody else. */
enum noise_source {
	NOISE_THREAD,
	NOISE_SOFTIRQ,
	NOISE_IRQ,
	NOISE_NMI,
	NOISE_SOURCES
};

/**
 * struct noise_account - one source on one CPU; written by nobody but itself
 * @began: when the one that runs now did, ns; 0: none does, or it is not known when
 * @inner: how much inner sources had taken by then, ns
 * @taken: all of them so far, ns, without what inner ones took meanwhile
 * @count: how many came
 */
struct noise_account {
	u64		began;
	u64		inner;
	u64		taken;
	unsigned long	count;
};

/**
 * struct noise_cpu - what is known of a CPU
 * @sampling: look at what happens there
 * @threads: report threads as well
 * @pid: of the thread that measures, which is no noise; 0: the idle task is none
 * @nmis: how many have begun and not ended
 * @source: accounts
 */
struct noise_cpu {
	bool			sampling;
	bool			threads;
	unsigned int		nmis;
	pid_t			pid;
	struct noise_account	source[NOISE_SOURCES];
};

DECLARE_PER_CPU(struct noise_cpu, noise_cpu);

/* task, trace_types_lock */
int noise_account_start(void);
void noise_account_stop(void);

/* on the CPU, or while nothing is sampled there */
void noise_sampling_start(struct noise_cpu *c, pid_t pid, bool threads);
void noise_sampling_stop(struct noise_cpu *c);

/* on the CPU */
u64 noise_clock(const struct noise_cpu *c, unsigned long *hits);
void noise_thread_from_here(struct noise_cpu *c);

#endif /* _KERNEL_TRACE_NOISE_ACCOUNT_H */
