// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: the local clock as it is when the machine has been up for long. What is written to
 * /sys/module/aged_clock/parameters/ns is added to it, until the kernel works the clock's numbers
 * out anew, hours later. Only who reads it in place has it so: tracing, and nobody else.
 */
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "../local_clock.h"

static unsigned long long age;

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
#else
static bool add_to_clock(u64 ns)
{
	return false;
}
#endif

/* One at a time: the lock of parameters is held. */
static int set_age(const char *val, const struct kernel_param *kp)
{
	unsigned long long ns;
	int ret = kstrtoull(val, 0, &ns);

	if (ret)
		return ret;
	if (!add_to_clock(ns))
		return -ENODEV;
	age = ns;
	/* Who reads the copy before has preemption off; the next age is written to it. */
	synchronize_rcu();
	return 0;
}

static const struct kernel_param_ops age_ops = {
	.set	= set_age,
	.get	= param_get_ullong,
};

module_param_cb(ns, &age_ops, &age, 0600);
