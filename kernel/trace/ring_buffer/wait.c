// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting for something to read.
 *
 * Who waits sets a bit in rb_cpu::wake and then looks whether there is
 * anything; who commits publishes the record and then looks at the bit. A full
 * barrier on both sides would make sure that one of them sees the other. The
 * writer, who comes along millions of times, has none: his load of the bit may
 * be done before his store is visible. It is the waiter who pays: he looks
 * again after a tick (a nap, or a timer for poll), and only then goes to sleep
 * for good. By then what the writer stored is visible, and all later writers
 * see the bit.
 */
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include "internal.h"

static void rb_wait_work(struct irq_work *work)
{
	struct rb_wait *wait = container_of(work, struct rb_wait, work);

	WRITE_ONCE(wait->wakeups, wait->wakeups + 1);
	wake_up_all(&wait->queue);
}

/**
 * rb_wait_init - make a queue
 * @wait: the queue
 */
void rb_wait_init(struct rb_wait *wait)
{
	init_waitqueue_head(&wait->queue);
	init_irq_work(&wait->work, rb_wait_work);
}

/**
 * rb_wait_destroy - end of rb_wait_init()
 * @wait: the queue
 *
 * Context: Task, may sleep.
 */
void rb_wait_destroy(struct rb_wait *wait)
{
	irq_work_sync(&wait->work);
}

/* Are so many percent of the sub-buffers full? */
static bool rb_filled(struct rb_ring *ring, int full)
{
	/* The one that is written to never counts as full. */
	return (rb_ring_dirty(ring) + 1) * 100 >= (u64)full * READ_ONCE(ring->nr);
}

/**
 * rb_wake - a record was committed and somebody waits
 * @p: the CPU
 * @ring: its ring
 *
 * Context: Any, NMI included; the CPU's own.
 */
void rb_wake(struct rb_cpu *p, struct rb_ring *ring)
{
	struct trace_buffer *buffer = ring->buffer;
	int bits = atomic_read(&p->wake);

	if (bits & RB_WAKE_FULL && rb_filled(ring, READ_ONCE(p->full))) {
		/* Whoever still waits says so again, and for how much. */
		WRITE_ONCE(p->full, 0);
		atomic_andnot(RB_WAKE_FULL, &p->wake);
		irq_work_queue(&p->wait.work);
	}
	if (bits & RB_WAKE_CPU) {
		atomic_andnot(RB_WAKE_CPU, &p->wake);
		irq_work_queue(&p->wait.work);
	}
	if (bits & RB_WAKE_BUFFER) {
		atomic_andnot(RB_WAKE_BUFFER, &p->wake);
		irq_work_queue(&buffer->wait.work);
	}
}

/* Ask the writers to wake us. The caller looks for records after this. */
static void rb_announce(struct trace_buffer *buffer, int cpu, int full)
{
	struct rb_cpu *p;
	int seen;

	if (cpu == RING_BUFFER_ALL_CPUS) {
		for_each_cpu(cpu, buffer->cpumask)
			atomic_or(RB_WAKE_BUFFER, &rb_cpu_of(buffer, cpu)->wake);
	} else {
		p = rb_cpu_of(buffer, cpu);
		if (full) {
			seen = READ_ONCE(p->full);
			while ((!seen || seen > full) && !try_cmpxchg(&p->full, &seen, full))
				;
		}
		atomic_or(full ? RB_WAKE_FULL : RB_WAKE_CPU, &p->wake);
	}
	/* As strong as it gets on this side. */
	smp_mb();
}

/* Is there what somebody waits for? */
static bool rb_ready(struct trace_buffer *buffer, int cpu, int full)
{
	struct rb_ring *ring;
	struct rb_hold hold;
	bool ready;

	if (cpu == RING_BUFFER_ALL_CPUS)
		return !ring_buffer_empty(buffer);

	ring = rb_reader_lock(rb_cpu_of(buffer, cpu), &hold);
	ready = !rb_ring_empty(ring);
	if (ready && full) {
		bool busy = ring->live && ring->reader_seq == READ_ONCE(ring->commit_seq);

		ready = !busy && rb_filled(ring, full);
	}
	rb_reader_unlock(&hold);

	return ready;
}

struct rb_once {
	struct rb_wait	*wait;
	unsigned int	wakeups;
};

static bool rb_woken_once(void *data)
{
	struct rb_once *once = data;

	return READ_ONCE(once->wait->wakeups) != once->wakeups;
}

/**
 * ring_buffer_wait - wait until there is something to read
 * @buffer: the buffer
 * @cpu: the CPU, or RING_BUFFER_ALL_CPUS for any of them
 * @full: how many percent of the sub-buffers of @cpu have to be full; 0 to
 *	wait for any record. Counts for 0 if @cpu is RING_BUFFER_ALL_CPUS.
 * @cond: says that the wait is over for other reasons; NULL to be woken no
 *	more than once
 * @data: for @cond
 *
 * Context: Task, may sleep.
 * Return: 0, -ENODEV if @cpu has no ring, -ERESTARTSYS after a signal.
 */
int ring_buffer_wait(struct trace_buffer *buffer, int cpu, int full,
		     ring_buffer_cond_fn cond, void *data)
{
	struct rb_wait *wait = &buffer->wait;
	bool napped = false;
	struct rb_once once;
	DEFINE_WAIT(entry);
	int ret = 0;

	if (cpu == RING_BUFFER_ALL_CPUS) {
		full = 0;
	} else {
		if (!rb_ring_of(buffer, cpu))
			return -ENODEV;
		wait = &rb_cpu_of(buffer, cpu)->wait;
	}
	if (!cond) {
		once.wait = wait;
		once.wakeups = READ_ONCE(wait->wakeups);
		cond = rb_woken_once;
		data = &once;
	}

	for (;;) {
		prepare_to_wait(&wait->queue, &entry, TASK_INTERRUPTIBLE);
		rb_announce(buffer, cpu, full);
		if (rb_ready(buffer, cpu, full) || cond(data))
			break;
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}
		if (napped) {
			schedule();
		} else {
			schedule_timeout(1);
			napped = true;
		}
	}
	finish_wait(&wait->queue, &entry);

	return ret;
}

/**
 * rb_recheck - a tick after somebody began to poll
 * @timer: trace_buffer::recheck
 *
 * Context: softirq.
 */
void rb_recheck(struct timer_list *timer)
{
	struct trace_buffer *buffer = from_timer(buffer, timer, recheck);
	int cpu;

	for_each_cpu(cpu, buffer->cpumask) {
		struct rb_cpu *p = rb_cpu_of(buffer, cpu);
		int bits = atomic_read(&p->wake);

		if (!bits || !rb_ready(buffer, cpu, 0))
			continue;
		if (bits & RB_WAKE_BUFFER)
			wake_up_all(&buffer->wait.queue);
		if (bits & RB_WAKE_CPU ||
		    (bits & RB_WAKE_FULL && rb_ready(buffer, cpu, READ_ONCE(p->full))))
			wake_up_all(&p->wait.queue);
	}
}

/**
 * ring_buffer_poll_wait - for the poll operation of a file
 * @buffer: the buffer
 * @cpu: the CPU, or RING_BUFFER_ALL_CPUS
 * @filp: the file
 * @poll_table: from the poll operation
 * @full: as for ring_buffer_wait()
 *
 * Context: Task.
 * Return: EPOLLIN | EPOLLRDNORM if ring_buffer_wait() would not wait, EPOLLERR
 * if @cpu has no ring, else 0.
 */
__poll_t ring_buffer_poll_wait(struct trace_buffer *buffer, int cpu,
			       struct file *filp, poll_table *poll_table, int full)
{
	struct rb_wait *wait = &buffer->wait;

	if (cpu == RING_BUFFER_ALL_CPUS) {
		full = 0;
	} else {
		if (!rb_ring_of(buffer, cpu))
			return EPOLLERR;
		wait = &rb_cpu_of(buffer, cpu)->wait;
	}

	poll_wait(filp, &wait->queue, poll_table);
	rb_announce(buffer, cpu, full);
	if (rb_ready(buffer, cpu, full))
		return EPOLLIN | EPOLLRDNORM;

	if (!poll_does_not_wait(poll_table))
		mod_timer(&buffer->recheck, jiffies + 1);
	return 0;
}

/**
 * ring_buffer_wake_waiters - make those who wait look at their condition
 * @buffer: the buffer
 * @cpu: the CPU they wait for, or RING_BUFFER_ALL_CPUS for all of them
 *
 * Context: Any.
 */
void ring_buffer_wake_waiters(struct trace_buffer *buffer, int cpu)
{
	if (!buffer)
		return;

	if (cpu != RING_BUFFER_ALL_CPUS) {
		if (rb_ring_of(buffer, cpu))
			irq_work_queue(&rb_cpu_of(buffer, cpu)->wait.work);
		return;
	}

	for_each_cpu(cpu, buffer->cpumask)
		irq_work_queue(&rb_cpu_of(buffer, cpu)->wait.work);
	irq_work_queue(&buffer->wait.work);
}
