// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: the local clock as it is when the machine has been up for long. What is written to
 * /sys/module/aged_clock/parameters/ns, or behind aged_clock.ns= on the command line, is added to
 * it, until the kernel works the clock's numbers out anew, hours later. Only who reads it in place
 * has it so: tracing, and nobody else.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "../local_clock.h"
#include "aged_clock.h"

static unsigned long long age, age_at_boot;

/* What the local clock that is read in place is ahead of sched_clock(). */
u64 aged_clock_ns(void)
{
	return age;
}

#ifdef SCHED_CLOCK_IN_PLACE
static bool add_to_clock(u64 ns)
{
	static struct sched_clock_epoch copies[2];
	const struct sched_clock_epoch *now = READ_ONCE(sched_clock_epoch);
	bool second = now == &copies[0], ours = second || now == &copies[1];

	if (!now)
		return false;
	copies[second] = *now;
	copies[second].ns += ns - (ours ? age : 0);
	/* As publish_epoch() does it. */
	smp_store_release(&sched_clock_epoch, &copies[second]);
	return true;
}
#elif defined(TRACE_CLOCK_MAY_BE_TSC)
static DEFINE_PER_CPU(struct tsc_epoch [2], aged_epochs);

static bool add_to_clock(u64 ns)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct tsc_epoch *copies = *per_cpu_ptr(&aged_epochs, cpu);
		const struct tsc_epoch *now = READ_ONCE(per_cpu(tsc_epochs.now, cpu));
		bool second = now == &copies[0], ours = second || now == &copies[1];

		if (!now)
			return false;
		copies[second] = *now;
		copies[second].offset += ns - (ours ? age : 0);
		/* As tsc_update_epoch() does it. */
		smp_store_release(&per_cpu(tsc_epochs.now, cpu), &copies[second]);
	}
	return true;
}

/*
 * In the first seconds of most boots the TSC is measured once more, and its numbers come anew, of
 * one CPU after the other.
 */
static void __init wait_for_clock(void)
{
	int last = cpumask_last(cpu_possible_mask), i;
	const struct tsc_epoch *first = READ_ONCE(per_cpu(tsc_epochs.now, last));

	for (i = 0; i < 50 && READ_ONCE(per_cpu(tsc_epochs.now, last)) == first; i++)
		msleep(100);
}
#else
static bool add_to_clock(u64 ns)
{
	return false;
}
#endif

#ifndef TRACE_CLOCK_MAY_BE_TSC
static void __init wait_for_clock(void)
{
}
#endif

static int make_it(u64 ns)
{
	if (!add_to_clock(ns))
		return -ENODEV;
	age = ns;
	/* Who reads the copy before has preemption off; the next age is written to it. */
	synchronize_rcu();
	return 0;
}

/* One at a time: the lock of parameters is held. */
static int set_age(const char *val, const struct kernel_param *kp)
{
	unsigned long long ns;
	int ret = kstrtoull(val, 0, &ns);

	if (ret)
		return ret;
	if (system_state == SYSTEM_BOOTING) {
		/* There is no clock yet. */
		age_at_boot = ns;
		return 0;
	}
	return make_it(ns);
}

static const struct kernel_param_ops age_ops = {
	.set	= set_age,
	.get	= param_get_ullong,
};

module_param_cb(ns, &age_ops, &age, 0600);

/* Before any suite of KUnit runs: those come behind all initcalls. */
static int __init aged_at_boot(void)
{
	if (!age_at_boot)
		return 0;
	wait_for_clock();
	return make_it(age_at_boot);
}
late_initcall(aged_at_boot);
