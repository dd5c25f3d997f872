/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_POLL_QUEUE_H
#define _KERNEL_TRACE_POLL_QUEUE_H

#include <linux/atomic.h>
#include <linux/wait.h>

#include "irq_work.h"

struct file;
struct poll_table_struct;

/**
 * struct trace_poll_queue - who polls a file, and is told of what happens in any context
 * @waiters:	they; whoever can may wake them all by itself
 * @armed:	one of them has polled since they were woken last. So they are woken once for each
 *		poll: an event that waking them leads to, as that of an IPI, may be polled for
 * @work:	wakes them
 */
struct trace_poll_queue {
	wait_queue_head_t	waiters;
	atomic_t		armed;
	struct trace_irq_work	work;
};

#define TRACE_POLL_QUEUE_INIT(name)						\
	{									\
		.waiters	= __WAIT_QUEUE_HEAD_INITIALIZER(name.waiters),	\
		.work		= TRACE_IRQ_WORK_INIT(trace_poll_queue_run),	\
	}

void trace_poll_queue_run(struct irq_work *work);
void trace_poll_queue_wait(struct trace_poll_queue *q, struct file *filp,
			   struct poll_table_struct *wait);
void trace_poll_queue_wake(struct trace_poll_queue *q);

#endif /* _KERNEL_TRACE_POLL_QUEUE_H */
