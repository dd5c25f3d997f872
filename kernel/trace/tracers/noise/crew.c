// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads on CPUs that come and go.
 *
 * What hotplug calls here takes crews_mutex inside of its own lock; so does everybody else. A
 * thread of a crew is bound to its CPU, but may be moved between cgroups, with cpusets and
 * without: it has migration switched off instead of the flag that cgroups refuse.
 */
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "crew.h"

/*
 * How long a thread sleeps without a look at noise_crew_unwanted(). Who moves it to another CPU
 * does not wake it up, and waits, with all cgroups locked if it is for a cpuset.
 */
#define CREW_LOOK	NSEC_PER_SEC

/* What crews there are, and who works; inside of the lock of CPU hotplug. */
DEFINE_MUTEX(crews_mutex);
static LIST_HEAD(crews);	/* that are on */

/* A CPU that is online begins to work. CPU hotplug's lock and crews_mutex held. */
static int crew_join(struct noise_crew *crew, int cpu)
{
	struct task_struct *thread = NULL;

	if (crew->work) {
		thread = kthread_create_on_cpu(crew->work, (void *)(long)cpu, cpu, crew->name);
		if (IS_ERR(thread))
			return PTR_ERR(thread);
		*per_cpu_ptr(crew->thread, cpu) = get_task_struct(thread);
	}
	if (crew->join)
		crew->join(cpu, thread);
	cpumask_set_cpu(cpu, &crew->here);
	if (thread)
		wake_up_process(thread);
	return 0;
}

/* Same locks. */
static void crew_leave(struct noise_crew *crew, int cpu)
{
	if (!cpumask_test_and_clear_cpu(cpu, &crew->here))
		return;
	if (crew->work)
		kthread_stop_put(*per_cpu_ptr(crew->thread, cpu));
	if (crew->leave)
		crew->leave(cpu);
}

/* Who is not in @cpus leaves; same locks. */
static void crew_keep(struct noise_crew *crew, const struct cpumask *cpus)
{
	int cpu;

	for_each_cpu_andnot(cpu, &crew->here, cpus)
		crew_leave(crew, cpu);
}

/* Those of @cpus that are online work as well; same locks. An error, and none of them does. */
static int crew_gather(struct noise_crew *crew, const struct cpumask *cpus)
{
	int cpu, ret = 0;

	for_each_cpu_and(cpu, cpus, cpu_online_mask) {
		if (!cpumask_test_cpu(cpu, &crew->here))
			ret = crew_join(crew, cpu);
		if (ret)
			break;
	}
	if (ret)
		crew_keep(crew, &crew->wanted);
	return ret;
}

static void crew_dismiss(struct noise_crew *crew)
{
	cpumask_clear(&crew->wanted);
	crew_keep(crew, &crew->wanted);
	list_del(&crew->list);
	crew->on = false;
}

/**
 * noise_crew_start - let a crew work
 * @crew: that is not on
 * @cpus: on which CPUs, now and when they come
 *
 * Context: task. Return: 0, or an error and nobody works.
 */
int noise_crew_start(struct noise_crew *crew, const struct cpumask *cpus)
{
	int ret;

	guard(cpus_read_lock)();
	guard(mutex)(&crews_mutex);
	ret = crew_gather(crew, cpus);
	if (ret)
		return ret;
	cpumask_copy(&crew->wanted, cpus);
	list_add(&crew->list, &crews);
	crew->on = true;
	return 0;
}

/**
 * noise_crew_stop - have all threads of a crew gone
 * @crew: that may be on
 *
 * Context: task.
 */
void noise_crew_stop(struct noise_crew *crew)
{
	guard(cpus_read_lock)();
	guard(mutex)(&crews_mutex);
	if (crew->on)
		crew_dismiss(crew);
}

/**
 * noise_crew_move - let a crew work on other CPUs
 * @crew: that may be on
 * @cpus: on which; threads on those that stay go on
 *
 * Context: task. Return: 0, or an error, and all is as it was.
 */
int noise_crew_move(struct noise_crew *crew, const struct cpumask *cpus)
{
	int ret;

	guard(cpus_read_lock)();
	guard(mutex)(&crews_mutex);
	if (!crew->on)
		return 0;
	ret = crew_gather(crew, cpus);
	if (ret)
		return ret;
	cpumask_copy(&crew->wanted, cpus);
	crew_keep(crew, cpus);
	return 0;
}

/**
 * noise_crew_wake - have all threads of a crew look whether there is something to do
 * @crew: that may be on
 *
 * Context: task.
 */
void noise_crew_wake(const struct noise_crew *crew)
{
	int cpu;

	guard(cpus_read_lock)();
	guard(mutex)(&crews_mutex);
	if (!crew->on || !crew->work)
		return;
	for_each_cpu(cpu, &crew->here)
		wake_up_process(*per_cpu_ptr(crew->thread, cpu));
}

/**
 * noise_crew_settle - a thread of a crew begins to work
 *
 * Context: the thread. noise_crew_rest() ends it.
 */
void noise_crew_settle(void)
{
	migrate_disable();
	current->flags &= ~PF_NO_SETAFFINITY;
}

/**
 * noise_crew_unwanted - is the thread to stop working here?
 *
 * Context: a thread of a crew. Return: true if its crew has it stop, or somebody waits for it to
 * go to another CPU, which it will not do before noise_crew_rest().
 */
bool noise_crew_unwanted(void)
{
#ifdef CONFIG_SMP
	if (unlikely(READ_ONCE(current->migration_pending)))
		return true;
#endif
	return kthread_should_stop();
}

/* Up to @end or the next look. Return: is it not @end yet? The state of the thread is set. */
static bool sleep_some(ktime_t end)
{
	ktime_t look = ktime_add_ns(ktime_get(), CREW_LOOK);

	if (ktime_before(look, end)) {
		schedule_hrtimeout(&look, HRTIMER_MODE_ABS);
		return true;
	}
	return schedule_hrtimeout(&end, HRTIMER_MODE_ABS);
}

/**
 * noise_crew_sleep - a thread of a crew has nothing to do for some time
 * @us: how long
 * @wanted: is there something to do before? May be NULL: there is not. Who makes it true wakes the
 *	thread up
 *
 * Context: the thread, or another that kthread_stop() ends. It returns as soon as the thread is
 * stopped, and soon after somebody wants it on another CPU.
 */
void noise_crew_sleep(u64 us, bool (*wanted)(void))
{
	ktime_t end = ktime_add_us(ktime_get(), min(us, NOISE_MOST_US));

	do {
		set_current_state(TASK_INTERRUPTIBLE);
		if (noise_crew_unwanted() || (wanted && wanted()))
			break;
	} while (sleep_some(end));
	__set_current_state(TASK_RUNNING);
}

/**
 * noise_crew_rest - a thread of a crew has worked
 *
 * Waits until the crew lets it go. Context: the thread.
 */
void noise_crew_rest(void)
{
	migrate_enable();
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

static int crews_cpu_online(unsigned int cpu)
{
	struct noise_crew *crew;

	guard(mutex)(&crews_mutex);
	list_for_each_entry(crew, &crews, list) {
		if (!cpumask_test_cpu(cpu, &crew->wanted) || cpumask_test_cpu(cpu, &crew->here))
			continue;
		if (crew_join(crew, cpu))
			pr_warn("tracing: no thread for the tracer on CPU %u\n", cpu);
	}
	/* a tracer keeps no CPU away */
	return 0;
}

static int crews_cpu_offline(unsigned int cpu)
{
	struct noise_crew *crew;

	guard(mutex)(&crews_mutex);
	list_for_each_entry(crew, &crews, list)
		crew_leave(crew, cpu);
	return 0;
}

static int __init crews_init(void)
{
	int ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "trace/noise:online", crews_cpu_online,
				    crews_cpu_offline);

	if (ret < 0)
		pr_warn("tracing: hwlat, osnoise and timerlat are not told of CPUs that come\n");
	return 0;
}
late_initcall(crews_init);
