// SPDX-License-Identifier: GPL-2.0-only
/*
 * osnoise/per_cpu/cpuN/timerlat_fd: a thread of user space in the place of timerlat's own.
 *
 * Without OSNOISE_WORKLOAD it may open the file of the one CPU that it may run on. A read
 * waits for the timer and records how late the thread is; the next read records
 * when it came back. When the tracer ends, or the CPU goes, or is taken out of osnoise/cpus, it is
 * killed: it would wait for ever.
 *
 * In user space nothing keeps it on its CPU. When it leaves, what it measures is wrong from there
 * on, also if it is back before it reads again: recording stops at once.
 */
#include <linux/cleanup.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include <trace/events/sched.h>

#include "../../instance/instance.h"
#include "account.h"
#include "crew.h"
#include "entries.h"
#include "internal.h"
#include "timerlat.h"

/**
 * struct timerlat_user - a file that is open
 * @t: the timer and who waits for it
 * @cpu: the CPU
 * @begun: the first read was; crews_mutex
 * @returning: the last read was to its end, and the thread is in user space since
 * @migrated: it has left the CPU
 */
struct timerlat_user {
	struct timerlat_cpu	t;
	int			cpu;
	bool			begun;
	bool			returning;
	bool			migrated;
};

/* Whose turn it is on a CPU: a file may be open for long after its thread was sent away. */
static DEFINE_PER_CPU(struct timerlat_user *, timerlat_user);	/* crews_mutex, or RCU to read */

/* --- threads that leave their CPU */

static DEFINE_MUTEX(watch_mutex);	/* outside of CPU hotplug's lock, as what takes probes is */
static unsigned int nr_watched;		/* files that are open; watch_mutex */

/* Any context. */
static void user_has_left(struct timerlat_user *user)
{
	WRITE_ONCE(user->migrated, true);
	noise_taint("timerlat user-thread migrated\n");
	osnoise_stop_exception("timerlat user-thread migrated");
}

static void probe_migrate(void *data, struct task_struct *p, int dest_cpu)
{
	int cpu = task_cpu(p);
	struct timerlat_user *user = READ_ONCE(per_cpu(timerlat_user, cpu));

	/* If the CPU goes, its thread goes with it. */
	if (user && user->t.thread == p && dest_cpu != cpu && cpu_active(cpu))
		user_has_left(user);
}

static int watch_begin(void)
{
	int ret = 0;

	guard(mutex)(&watch_mutex);
	if (!nr_watched)
		ret = register_trace_sched_migrate_task(probe_migrate, NULL);
	if (!ret)
		nr_watched++;
	return ret;
}

static void watch_end(void)
{
	guard(mutex)(&watch_mutex);
	if (!--nr_watched)
		unregister_trace_sched_migrate_task(probe_migrate, NULL);
}

/* --- who comes and goes */

/* crews_mutex. What is accounted of the CPU is for who comes next from here on. */
static void user_end(struct timerlat_user *user)
{
	if (per_cpu(timerlat_user, user->cpu) != user)
		return;
	WRITE_ONCE(per_cpu(timerlat_user, user->cpu), NULL);
	if (user->begun)
		noise_sampling_stop(user->t.noise);
}

static void user_leave(int cpu)
{
	struct timerlat_user *user = per_cpu(timerlat_user, cpu);

	if (!user)
		return;
	user_end(user);
	send_sig(SIGKILL, user->t.thread, 1);
}

struct noise_crew timerlat_user_crew = {
	.leave	= user_leave,
};

/* Kill all user threads, also those that came while nothing was recorded. Context: task. */
void timerlat_users_end(void)
{
	int cpu;

	guard(mutex)(&crews_mutex);
	for_each_possible_cpu(cpu)
		user_leave(cpu);
}

/**
 * timerlat_users_keep - osnoise/cpus has changed
 *
 * Who came while nothing was recorded is in no crew that would send him away.
 *
 * Context: task, trace_types_lock.
 */
void timerlat_users_keep(void)
{
	int cpu;

	guard(mutex)(&crews_mutex);
	for_each_cpu_andnot(cpu, cpu_possible_mask, &noise_cpus)
		user_leave(cpu);
}

/*
 * Also while tracing_on is 0, which may end any time. Who changes the CPUs takes crews_mutex
 * afterwards, in timerlat_users_keep().
 */
static bool user_may_come(int cpu)
{
	if (cpumask_test_cpu(cpu, &timerlat_user_crew.here))
		return true;
	return !timerlat_user_crew.on && noise_is_chosen(&timerlat_kind) &&
	       !noise_option(NOISE_OPT_WORKLOAD) && cpumask_test_cpu(cpu, &noise_cpus);
}

static int timerlat_fd_open(struct inode *inode, struct file *filp)
{
	int cpu = tracing_get_cpu(inode), ret = tracing_check_open_get_tr(NULL);
	struct timerlat_user *user;

	if (ret)
		return ret;
	user = kzalloc(sizeof(*user), GFP_KERNEL);
	if (!user)
		return -ENOMEM;
	user->cpu = cpu;
	user->t.thread = current;

	ret = watch_begin();
	if (ret) {
		kfree(user);
		return ret;
	}
	scoped_guard(mutex, &crews_mutex) {
		if (!user_may_come(cpu))
			ret = -EINVAL;
		else if (current->nr_cpus_allowed > 1 || !cpumask_test_cpu(cpu, current->cpus_ptr))
			ret = -EPERM;
		else if (per_cpu(timerlat_user, cpu))
			ret = -EBUSY;
		else	/* pairs with READ_ONCE() in probe_migrate(): @user is filled in */
			smp_store_release(per_cpu_ptr(&timerlat_user, cpu), user);
	}
	if (ret) {
		watch_end();
		kfree(user);
		return ret;
	}
	get_task_struct(current);
	filp->private_data = user;
	return 0;
}

static int timerlat_fd_release(struct inode *inode, struct file *filp)
{
	struct timerlat_user *user = filp->private_data;

	scoped_guard(mutex, &crews_mutex)
		user_end(user);
	if (user->begun)
		hrtimer_cancel(&user->t.timer);
	watch_end();
	put_task_struct(user->t.thread);
	/* probe_migrate() may have just found it */
	kfree_rcu_mightsleep(user);
	return 0;
}

static bool user_unwanted(void)
{
	return signal_pending(current);
}

/* Return: false if it was sent away before. */
static bool user_begin(struct timerlat_user *user)
{
	guard(mutex)(&crews_mutex);
	if (per_cpu(timerlat_user, user->cpu) != user)
		return false;
	timerlat_begin(&user->t, per_cpu_ptr(&noise_cpu, user->cpu));
	user->begun = true;
	return true;
}

/* On the CPU, where the thread stays until it is back in user space. */
static int user_turn(struct timerlat_user *user)
{
	struct timerlat_cpu *t = &user->t;

	if (!user->begun) {
		if (!user_begin(user))
			return -EINTR;
	} else if (user->returning) {
		timerlat_late(t, TIMERLAT_USER_RET);
	}
	user->returning = timerlat_wait(t, user_unwanted);
	if (!user->returning)
		return -ERESTARTSYS;
	timerlat_late(t, TIMERLAT_THREAD);
	return 0;
}

static ssize_t timerlat_fd_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct timerlat_user *user = filp->private_data;
	int ret = -EINVAL;

	/* of all that have the file, by fork(), the one that opened it */
	if (current != user->t.thread)
		return -EPERM;
	migrate_disable();
	/* it may have been moved while it opened the file, before anybody looked */
	if (smp_processor_id() != user->cpu && !READ_ONCE(user->migrated))
		user_has_left(user);
	if (!READ_ONCE(user->migrated))
		ret = user_turn(user);
	migrate_enable();
	return ret;
}

static const struct file_operations timerlat_fd_fops = {
	.open		= timerlat_fd_open,
	.read		= timerlat_fd_read,
	.release	= timerlat_fd_release,
	.llseek		= generic_file_llseek,
};

/**
 * timerlat_fd_file - make the file of a CPU
 * @cpu: CPU
 * @dir: where
 *
 * Context: task.
 */
void timerlat_fd_file(int cpu, struct dentry *dir)
{
	trace_create_cpu_file("timerlat_fd", TRACE_MODE_READ, dir, NULL, cpu, &timerlat_fd_fops);
}
