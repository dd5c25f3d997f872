// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracing_max_latency: the longest time that a tracer has seen, in microseconds. Writing it has
 * the tracer look for what takes longer than that; with tracing_thresh it is the last one above.
 *
 * Whoever watches the file, inotify(7), is told when a tracer sets it. That is done by a work, as
 * tracers find the longest time where nothing may sleep, or take a lock.
 */
#include <linux/cleanup.h>
#include <linux/dcache.h>
#include <linux/fsnotify.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "../irq_work.h"
#include "../lock_once.h"
#include "internal.h"
#include "instance.h"

/**
 * struct trace_max_latency - what an instance has beside the number
 * @lock:	guards @worst; not taken in NMI
 * @worst:	the case
 * @file:	tracing_max_latency
 * @irq_work:	starts @work, from any context
 * @work:	tells who watches @file
 * @told:	when it did so last, in jiffies
 */
struct trace_max_latency {
	raw_spinlock_t		lock;
	struct trace_worst	worst;
	struct dentry		*file;
	struct trace_irq_work	irq_work;
	struct delayed_work	work;
	unsigned long		told;
};

/*
 * Telling is an interrupt and a work, in which interrupts and preemption are off now and then:
 * where that is more than tracing_thresh it is to be told of as well, and nothing else would ever
 * run.
 */
#define TOLD_EVERY	(HZ / 20)	/* jiffies */

/**
 * trace_worst_set - the worst case is another one
 * @tr: instance
 * @worst: all about it
 *
 * Who cannot wait may not come to it, and then the head of `trace` tells of the former one.
 *
 * Context: any.
 */
void trace_worst_set(struct trace_array *tr, const struct trace_worst *worst)
{
	struct trace_max_latency *m = tr->max_case;
	unsigned long flags;

	WRITE_ONCE(tr->max_latency, worst->latency);
	if (trace_cannot_wait()) {
		if (!raw_spin_trylock(&m->lock))
			return;
		m->worst = *worst;
		raw_spin_unlock(&m->lock);
		return;
	}
	raw_spin_lock_irqsave(&m->lock, flags);
	m->worst = *worst;
	raw_spin_unlock_irqrestore(&m->lock, flags);
}

/**
 * trace_worst_get - what is known of the worst case
 * @tr: instance
 * @worst: is filled in
 *
 * Context: any but NMI.
 */
void trace_worst_get(struct trace_array *tr, struct trace_worst *worst)
{
	struct trace_max_latency *m = tr->max_case;
	unsigned long flags;

	raw_spin_lock_irqsave(&m->lock, flags);
	*worst = m->worst;
	raw_spin_unlock_irqrestore(&m->lock, flags);
}

/**
 * trace_worst_clear - there is none yet
 * @tr: instance
 *
 * Context: any but NMI.
 */
void trace_worst_clear(struct trace_array *tr)
{
	trace_worst_set(tr, &(struct trace_worst) { .uid = GLOBAL_ROOT_UID });
}

static void max_latency_irq_work(struct irq_work *irq_work)
{
	struct trace_max_latency *m = container_of(irq_work, struct trace_max_latency,
						   irq_work.work);
	unsigned long since = jiffies - READ_ONCE(m->told);

	/* not on the CPU that is measured */
	queue_delayed_work(system_unbound_wq, &m->work,
			   since < TOLD_EVERY ? TOLD_EVERY - since : 0);
}

static void max_latency_work(struct work_struct *work)
{
	struct trace_max_latency *m = container_of(to_delayed_work(work),
						   struct trace_max_latency, work);

	WRITE_ONCE(m->told, jiffies);
	if (m->file)
		fsnotify_inode(d_inode(m->file), FS_MODIFY);
}

/**
 * latency_fsnotify - tell who watches tracing_max_latency that a tracer has set it
 * @tr: instance
 *
 * At once, or, where that was done just now, after the 50 ms in which it is done once. Whoever is
 * told reads what was set before that.
 *
 * Context: any.
 */
void latency_fsnotify(struct trace_array *tr)
{
	struct trace_max_latency *m = tr->max_case;

	/* one that waits comes after what was set */
	if (!delayed_work_pending(&m->work))
		trace_irq_work_queue(&m->irq_work);
}

static ssize_t max_latency_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = filp->private_data;

	return tracing_read_printf(ubuf, cnt, ppos, "%lu\n",
				   READ_ONCE(tr->max_latency) / NSEC_PER_USEC);
}

static int max_latency_set(struct file *filp, unsigned long us)
{
	struct trace_array *tr = filp->private_data;

	if (us > LONG_MAX / NSEC_PER_USEC)
		return -EINVAL;
	WRITE_ONCE(tr->max_latency, us * NSEC_PER_USEC);
	return 0;
}

TRACE_NUMBER_FOPS_TR(max_latency);

static void max_latency_files(struct trace_array *tr, struct dentry *dir)
{
	tr->max_case->file = trace_create_file("tracing_max_latency", TRACE_MODE_WRITE, dir, tr,
					       &max_latency_fops);
}

static int max_latency_init(struct trace_array *tr)
{
	struct trace_max_latency *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return -ENOMEM;
	raw_spin_lock_init(&m->lock);
	trace_irq_work_init(&m->irq_work, max_latency_irq_work);
	INIT_DELAYED_WORK(&m->work, max_latency_work);
	m->told = jiffies - TOLD_EVERY;
	tr->max_case = m;
	return 0;
}

static void max_latency_exit(struct trace_array *tr)
{
	struct trace_max_latency *m = tr->max_case;

	/* the tracer has stopped */
	trace_irq_work_sync(&m->irq_work);
	cancel_delayed_work_sync(&m->work);
	tr->max_case = NULL;
	kfree(m);
}

const struct instance_feature instance_max_latency_feature = {
	.name	= "max latency",
	.init	= max_latency_init,
	.exit	= max_latency_exit,
	.files	= max_latency_files,
};
