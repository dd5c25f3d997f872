/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Crews: a thread on each CPU of a mask, while it is online. Who starts, stops or changes one
 * may hold trace_types_lock, and must not hold the lock of CPU hotplug.
 */
#ifndef _KERNEL_TRACE_NOISE_CREW_H
#define _KERNEL_TRACE_NOISE_CREW_H

#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct task_struct;

/* Anything longer counts as for ever: in ns, and added to the current time, this still fits. */
#define NOISE_MOST_US	(KTIME_MAX / NSEC_PER_USEC / 2ULL)

/**
 * struct noise_crew - what is to run on the CPUs
 * @name: of the threads, with %u for the CPU
 * @work: what a thread runs, with the CPU as its data, until kthread_should_stop(); NULL: there are
 *	no threads, somebody else does the work
 * @join: a CPU is about to work, with this thread, which does not run yet; may be NULL
 * @leave: a CPU has worked; its thread does not run any more. May be NULL
 * @on: it works
 * @list: of crews that do
 * @wanted: CPUs that are to work when they are online
 * @here: CPUs that do
 * @thread: of those that do; NULL if there is no @work
 *
 * @join and @leave are called with crews_mutex held, which also guards the rest.
 */
struct noise_crew {
	const char		*name;
	int			(*work)(void *cpu);
	void			(*join)(int cpu, struct task_struct *thread);
	void			(*leave)(int cpu);

	bool			on;
	struct list_head	list;
	struct cpumask		wanted;
	struct cpumask		here;
	struct task_struct * __percpu *thread;
};

extern struct mutex crews_mutex;

int noise_crew_start(struct noise_crew *crew, const struct cpumask *cpus);
void noise_crew_stop(struct noise_crew *crew);
int noise_crew_move(struct noise_crew *crew, const struct cpumask *cpus);
void noise_crew_wake(const struct noise_crew *crew);
void noise_crew_settle(void);
bool noise_crew_unwanted(void);
void noise_crew_sleep(u64 us, bool (*wanted)(void));
void noise_crew_rest(void);

#endif /* _KERNEL_TRACE_NOISE_CREW_H */
