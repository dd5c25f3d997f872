// SPDX-License-Identifier: GPL-2.0-only
/* Waking those who poll, from any context. */
#include <linux/poll.h>

#include "poll_queue.h"

/* For TRACE_POLL_QUEUE_INIT(). */
void trace_poll_queue_run(struct irq_work *work)
{
	struct trace_poll_queue *q = container_of(work, struct trace_poll_queue, work.work);

	wake_up_all(&q->waiters);
}

/**
 * trace_poll_queue_wait - for a poll operation, before it looks
 * @q: the queue
 * @filp: the file
 * @wait: from the poll operation
 *
 * Context: task.
 */
void trace_poll_queue_wait(struct trace_poll_queue *q, struct file *filp,
			   struct poll_table_struct *wait)
{
	poll_wait(filp, &q->waiters, wait);
	atomic_set(&q->armed, 1);
	/* pairs with trace_poll_queue_wake(): who waits is seen there, or what was done is here */
	smp_mb();
}

/**
 * trace_poll_queue_wake - tell those who poll
 * @q: the queue
 *
 * What they are to see was done before the call.
 *
 * Context: any, NMI included.
 */
void trace_poll_queue_wake(struct trace_poll_queue *q)
{
	smp_mb();	/* pairs with trace_poll_queue_wait() */
	if (atomic_read(&q->armed) && atomic_xchg(&q->armed, 0))
		trace_irq_work_queue(&q->work);
}
