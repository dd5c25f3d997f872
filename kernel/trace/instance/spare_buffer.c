// SPDX-License-Identifier: GPL-2.0-only
/*
 * The spare buffer of an instance: a second one that the first can be swapped with at any
 * moment, for snapshots. When there is one and what is done with it the room snapshot/ decides.
 * Here is what both buffers have in common: whoever changes size, sub-buffers or clock of the one
 * changes the other, and nobody swaps them meanwhile.
 *
 * A reader of the spare holds a reference, so that it can be taken away while he
 * reads. There is nothing left in it for him then.
 */
#include <linux/cleanup.h>
#include <linux/lockdep.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "../grace.h"
#include "../poll_queue.h"
#include "../ring_buffer/alike.h"
#include "internal.h"

/**
 * struct spare_buffer - a spare
 * @buf:	what readers see; nobody records here, so it has no data of CPUs
 * @refs:	the instance's, and of each reader one
 */
struct spare_buffer {
	struct array_buffer	buf;
	refcount_t		refs;
};

/* Who waits for a spare, or polls one; woken when one comes or goes, or gets a snapshot. */
static struct trace_poll_queue spare_queue = TRACE_POLL_QUEUE_INIT(spare_queue);

/**
 * trace_spare_wait - wait until there is a spare
 * @tr: instance
 * @closed: or until this is true, see trace_spare_wake()
 *
 * Context: Task. Return: 0; -ERESTARTSYS after a signal; 1 if @closed.
 */
int trace_spare_wait(struct trace_array *tr, const bool *closed)
{
	int ret = wait_event_interruptible(spare_queue.waiters, rcu_access_pointer(tr->spare) ||
					   READ_ONCE(*closed));

	if (ret)
		return ret;
	return READ_ONCE(*closed) ? 1 : 0;
}

/**
 * trace_spare_wake - who waits for spares is to look again
 *
 * Context: Any but NMI.
 */
void trace_spare_wake(void)
{
	wake_up_all(&spare_queue.waiters);
}

/**
 * trace_spare_swapped - what is in a spare is another thing now
 *
 * Who began to poll when there was no spare is on no other queue than ours.
 *
 * Context: Any, NMI included.
 */
void trace_spare_swapped(void)
{
	trace_poll_queue_wake(&spare_queue);
}

/**
 * trace_spare_poll - for poll operations: when spares come and go, or get a snapshot
 * @filp: the file
 * @wait: from the poll operation
 *
 * Context: Task.
 */
void trace_spare_poll(struct file *filp, struct poll_table_struct *wait)
{
	trace_poll_queue_wait(&spare_queue, filp, wait);
}

/**
 * trace_spare_locked - the spare, for who has it locked
 * @tr: instance
 *
 * Context: tr->spare_lock held. Return: the spare or NULL.
 */
struct array_buffer *trace_spare_locked(struct trace_array *tr)
{
	return rcu_dereference_protected(tr->spare, lockdep_is_held(&tr->spare_lock));
}

/**
 * trace_spare_get - reference the spare, to read it
 * @tr: instance
 *
 * Context: Any. Return: the spare, to be given back by trace_spare_put(); NULL if there is none.
 */
struct array_buffer *trace_spare_get(struct trace_array *tr)
{
	struct array_buffer *buf;

	guard(rcu)();
	buf = rcu_dereference(tr->spare);
	if (!buf || !refcount_inc_not_zero(&container_of(buf, struct spare_buffer, buf)->refs))
		return NULL;
	return buf;
}

static void spare_free(struct spare_buffer *spare)
{
	if (spare->buf.buffer)
		ring_buffer_free(spare->buf.buffer);
	kfree(spare);
}

/**
 * trace_spare_put - undo one trace_spare_get()
 * @buf: the spare, or NULL
 *
 * Context: Task, may sleep.
 */
void trace_spare_put(struct array_buffer *buf)
{
	struct spare_buffer *spare = container_of(buf, struct spare_buffer, buf);

	if (buf && refcount_dec_and_test(&spare->refs))
		spare_free(spare);
}

/**
 * trace_spare_make - have a spare that can be swapped now
 * @tr: instance
 *
 * Context: Task, may sleep; tr->spare_lock held.
 * Return: 0; -ENOMEM, -EINTR (killed) and there is none, or the one there is cannot be swapped;
 * -EBUSY: so it is, since its sub-buffers would have to be changed while it is read.
 */
int trace_spare_make(struct trace_array *tr)
{
	struct array_buffer *now = trace_spare_locked(tr);
	struct spare_buffer *spare;
	int err = -ENOMEM;

	if (now)
		return ring_buffer_make_alike(now->buffer, tr->array_buffer.buffer);

	spare = kzalloc(sizeof(*spare), GFP_KERNEL);
	if (!spare)
		return -ENOMEM;
	refcount_set(&spare->refs, 1);
	spare->buf.tr = tr;
	spare->buf.buffer = ring_buffer_alloc(1, RB_FL_OVERWRITE);
	if (spare->buf.buffer) {
		ring_buffer_set_clock(spare->buf.buffer, trace_clocks[tr->clock_id].func);
		err = ring_buffer_make_alike(spare->buf.buffer, tr->array_buffer.buffer);
	}
	if (err) {
		spare_free(spare);
		return err;
	}
	rcu_assign_pointer(tr->spare, &spare->buf);
	trace_spare_wake();
	return 0;
}

/**
 * trace_spare_hide - nobody finds the spare any more
 * @tr: instance
 *
 * Also waits for those who found it and have preemption off.
 *
 * Context: Task, may sleep; tr->spare_lock held.
 * Return: the spare, for trace_spare_show() or trace_spare_drop(); NULL if there is none.
 */
struct array_buffer *trace_spare_hide(struct trace_array *tr)
{
	struct array_buffer *buf = trace_spare_locked(tr);

	if (buf) {
		RCU_INIT_POINTER(tr->spare, NULL);
		trace_synchronize_rcu();
	}
	return buf;
}

/**
 * trace_spare_show - undo trace_spare_hide()
 * @tr: instance
 * @buf: the spare, or NULL
 *
 * Context: tr->spare_lock held.
 */
void trace_spare_show(struct trace_array *tr, struct array_buffer *buf)
{
	lockdep_assert_held(&tr->spare_lock);
	rcu_assign_pointer(tr->spare, buf);
	/* who looked in between waits for it */
	if (buf)
		trace_spare_wake();
}

/**
 * trace_spare_drop - the end of a hidden spare
 * @buf: the spare, or NULL
 *
 * Who still reads it finds it empty: no events of a module that goes later, and next
 * to no memory, are kept by a file that somebody forgot to close.
 *
 * Context: Task, may sleep.
 */
void trace_spare_drop(struct array_buffer *buf)
{
	struct spare_buffer *spare = container_of(buf, struct spare_buffer, buf);
	int cpu;

	if (!buf)
		return;
	if (refcount_read(&spare->refs) > 1) {
		ring_buffer_reset(buf->buffer);
		ring_buffer_resize(buf->buffer, 1, RING_BUFFER_ALL_CPUS);
		for_each_possible_cpu(cpu)
			ring_buffer_wake_waiters(buf->buffer, cpu);
		trace_spare_wake();
	}
	trace_spare_put(buf);
}

/**
 * trace_buffers_lock - both buffers of an instance are going to change
 * @tr: instance
 *
 * They are not swapped until trace_buffers_unlock().
 *
 * Context: Task, may sleep. event_mutex and trace_types_lock may be held.
 * Return: the spare, or NULL if there is none.
 */
struct array_buffer *trace_buffers_lock(struct trace_array *tr)
{
	struct array_buffer *spare;

	mutex_lock(&tr->spare_lock);
	spare = trace_spare_locked(tr);
	if (spare) {
		WRITE_ONCE(tr->spare_changing, true);
		/* who swaps has preemption off, and looks before */
		trace_synchronize_rcu();
	}
	return spare;
}

/**
 * trace_buffers_unlock - undo trace_buffers_lock()
 * @tr: instance
 *
 * Context: as trace_buffers_lock().
 */
void trace_buffers_unlock(struct trace_array *tr)
{
	WRITE_ONCE(tr->spare_changing, false);
	mutex_unlock(&tr->spare_lock);
}

/**
 * trace_spare_empty - empty the spare, if there is one
 * @tr: instance
 * @cpu: of this CPU, or RING_BUFFER_ALL_CPUS
 *
 * Context: Task, may sleep. event_mutex and trace_types_lock may be held.
 */
void trace_spare_empty(struct trace_array *tr, int cpu)
{
	trace_spare_reset(trace_buffers_lock(tr), cpu);
	trace_buffers_unlock(tr);
}

/* The same for who has trace_buffers_lock(), which gave @spare. */
void trace_spare_reset(struct array_buffer *spare, int cpu)
{
	if (spare && cpu == RING_BUFFER_ALL_CPUS)
		ring_buffer_reset(spare->buffer);
	else if (spare)
		ring_buffer_reset_cpu(spare->buffer, cpu);
}
