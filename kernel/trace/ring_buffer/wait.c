// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting for something to read.
 *
 * A waiter sets a bit in rb_cpu::wake and then looks whether there is
 * anything; a writer publishes its record and then looks at the bit. A full
 * barrier on both sides would make sure that one of them sees the other. The
 * writer, which comes along millions of times, has none: its load of the bit may
 * be done before its store is visible. The waiter pays instead: it lets a
 * grace period pass after it has set the bit. A writer has preemption off from
 * reserve to commit. One that may not have seen the bit was under way before the
 * grace period, so it has left when that is over, and what it stored is visible
 * by then; all others see the bit.
 *
 *  W7 store-release page->commit;	   R7 set the bit, a full barrier;
 *     load rb_cpu::wake (preemption	      a grace period; load-acquire
 *     off around both)			      page->commit
 *
 * To wait for the grace period costs nothing but that the waiter naps instead
 * of sleeping: it wakes up each tick to see whether that is over, and looks for
 * records each time.
 *
 * All this starts anew whenever the bit was cleared: by a writer that is about
 * to wake the waiters. The wake-up is counted before it is done, so a waiter
 * either sees the count, or is on the queue in time and is woken.
 *
 * A writer finds the waiters by way of the ring (rb_ring::home): those of the
 * buffer that the ring is in. If a swap moves it at this moment the swap wakes
 * those of both buffers, and then they begin anew as above.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "internal.h"

static void rb_wait_work(struct irq_work *work)
{
	struct rb_wait *wait = container_of(work, struct rb_wait, work.work);

	WRITE_ONCE(wait->wakeups, wait->wakeups + 1);
	wake_up_all(&wait->queue);
}

/**
 * rb_wait_init - make a queue
 * @wait: the queue
 *
 * Context: any.
 */
void rb_wait_init(struct rb_wait *wait)
{
	init_waitqueue_head(&wait->queue);
	trace_irq_work_init(&wait->work, rb_wait_work);
}

/**
 * rb_wait_destroy - end of rb_wait_init()
 * @wait: the queue
 *
 * Context: task, may sleep.
 */
void rb_wait_destroy(struct rb_wait *wait)
{
	trace_irq_work_sync(&wait->work);
}

/* Are so many percent of the sub-buffers full? */
static bool rb_filled(struct rb_ring *ring, int full)
{
	/* The one that is written to never counts as full. */
	return (rb_ring_dirty(ring) + 1) * 100 >= (u64)full * READ_ONCE(ring->nr);
}

/**
 * rb_wake - a record was committed and somebody waits
 * @p: the CPU of the buffer that the ring is in
 * @ring: its ring
 *
 * Context: any, NMI included; the CPU's own, preemption off.
 */
void rb_wake(struct rb_cpu *p, struct rb_ring *ring)
{
	int bits = atomic_read(&p->wake);

	if (bits & RB_WAKE_FULL && rb_filled(ring, READ_ONCE(p->full))) {
		/* Whoever still waits says so again, and for how much. */
		WRITE_ONCE(p->full, 0);
		atomic_andnot(RB_WAKE_FULL, &p->wake);
		trace_irq_work_queue(&p->wait.work);
	}
	if (bits & RB_WAKE_CPU) {
		atomic_andnot(RB_WAKE_CPU, &p->wake);
		trace_irq_work_queue(&p->wait.work);
	}
	if (bits & RB_WAKE_BUFFER) {
		atomic_andnot(RB_WAKE_BUFFER, &p->wake);
		trace_irq_work_queue(&p->buffer->wait.work);
	}
}

/**
 * rb_wake_changed - what there is to read on a CPU has changed, not by a record
 * @p: the CPU of a buffer
 *
 * Context: any, NMI included. A full barrier since the change.
 */
void rb_wake_changed(struct rb_cpu *p)
{
	int bits = atomic_read(&p->wake);

	if (bits & (RB_WAKE_FULL | RB_WAKE_CPU))
		trace_irq_work_queue(&p->wait.work);
	if (bits & RB_WAKE_BUFFER)
		trace_irq_work_queue(&p->buffer->wait.work);
}

/*
 * Ask the writers to wake us; the caller looks for records after this. True if
 * that was not asked of them before: a writer that commits just now may miss it,
 * so the caller has to let another grace period pass.
 */
static bool rb_announce(struct trace_buffer *buffer, int cpu, int full)
{
	int lowest, bit = full ? RB_WAKE_FULL : RB_WAKE_CPU;
	bool newly_set = false;
	struct rb_cpu *p;

	if (cpu == RING_BUFFER_ALL_CPUS) {
		/* Also one that comes up, and writes, when we sleep already. */
		for_each_possible_cpu(cpu) {
			p = rb_cpu_of(buffer, cpu);
			newly_set |= !(atomic_fetch_or(RB_WAKE_BUFFER, &p->wake) &
				       RB_WAKE_BUFFER);
		}
	} else {
		p = rb_cpu_of(buffer, cpu);
		if (full) {
			lowest = READ_ONCE(p->full);
			while (!newly_set && (!lowest || lowest > full))
				newly_set = try_cmpxchg_relaxed(&p->full, &lowest, full);
		}
		newly_set |= !(atomic_fetch_or(bit, &p->wake) & bit);
	}
	/* R7 and R6 are the atomic_fetch_or()s: a full barrier before the look. */
	return newly_set;
}

/* Is there what somebody waits for? */
static bool rb_ready(struct trace_buffer *buffer, int cpu, int full)
{
	struct rb_ring *ring;
	struct rb_hold hold;
	bool ready;

	if (cpu == RING_BUFFER_ALL_CPUS)
		return !ring_buffer_empty(buffer);
	if (!rb_cpu_at(buffer, cpu))
		return false;

	ring = rb_reader_lock(rb_cpu_of(buffer, cpu), &hold);
	ready = !rb_ring_empty(ring);
	if (ready && full) {
		bool busy = ring->live && ring->reader_seq == READ_ONCE(ring->commit_seq);

		ready = !busy && rb_filled(ring, full);
	}
	rb_reader_unlock(&hold);

	return ready;
}

/* For a caller without a condition: one wake-up ends the wait, whatever it was for. */
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
 * It also ends when ring_buffer_wake_waiters() is called for these waiters;
 * what the caller looks at before it waits has to be in @cond as well, or it
 * misses the call that comes right after its look.
 *
 * Context: task, may sleep.
 * Return: 0, -ENODEV if @cpu has no ring, -ERESTARTSYS after a signal.
 */
int ring_buffer_wait(struct trace_buffer *buffer, int cpu, int full,
		     ring_buffer_cond_fn cond, void *data)
{
	struct rb_wait *wait = &buffer->wait;
	unsigned int wakeups, seen_wakeups = 0;
	struct rb_once once;
	DEFINE_WAIT(entry);
	bool gp_started = false;
	unsigned long gp_cookie;
	int ret = 0, releases;

	if (cpu == RING_BUFFER_ALL_CPUS) {
		full = 0;
	} else {
		if (!rb_cpu_at(buffer, cpu))
			return -ENODEV;
		wait = &rb_cpu_of(buffer, cpu)->wait;
	}
	if (!cond) {
		once.wait = wait;
		once.wakeups = READ_ONCE(wait->wakeups);
		cond = rb_woken_once;
		data = &once;
	}
	releases = atomic_read(&wait->releases);

	for (;;) {
		prepare_to_wait(&wait->queue, &entry, TASK_INTERRUPTIBLE);
		wakeups = READ_ONCE(wait->wakeups);
		if (rb_announce(buffer, cpu, full) || wakeups != seen_wakeups)
			gp_started = false;
		seen_wakeups = wakeups;
		if (rb_ready(buffer, cpu, full) || cond(data) ||
		    atomic_read(&wait->releases) != releases)
			break;
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}
		/* Nap until no writer is left that may have missed the bit, then sleep. */
		if (!gp_started) {
			gp_cookie = start_poll_synchronize_rcu();
			gp_started = true;
		} else if (poll_state_synchronize_rcu(gp_cookie)) {
			/* R7. What was there before it we have to see now. */
			if (rb_ready(buffer, cpu, full))
				break;
			schedule();
			continue;
		}
		schedule_timeout(1);
	}
	finish_wait(&wait->queue, &entry);

	return ret;
}

/**
 * rb_recheck - each tick until a grace period has passed since somebody polled
 * @timer: trace_buffer::recheck
 *
 * Context: softirq.
 */
void rb_recheck(struct timer_list *timer)
{
	struct trace_buffer *buffer = from_timer(buffer, timer, recheck);
	int cpu;

	scoped_guard(spinlock, &buffer->recheck_lock) {
		/* R7: after this we look for the last time. */
		if (!poll_state_synchronize_rcu(buffer->recheck_gp))
			mod_timer(&buffer->recheck, jiffies + 1);
	}

	for_each_possible_cpu(cpu) {
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
 * Who polls sleeps, if at all, after they have asked all their files, and epoll
 * asks again without saying so (poll_does_not_wait()): it is always a timer that
 * looks again for them.
 *
 * Context: task.
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
		if (!rb_cpu_at(buffer, cpu))
			return EPOLLERR;
		wait = &rb_cpu_of(buffer, cpu)->wait;
	}

	poll_wait(filp, &wait->queue, poll_table);
	rb_announce(buffer, cpu, full);
	if (rb_ready(buffer, cpu, full))
		return EPOLLIN | EPOLLRDNORM;

	/* A grace period is started with interrupts on. */
	scoped_guard(spinlock_bh, &buffer->recheck_lock) {
		buffer->recheck_gp = start_poll_synchronize_rcu();
		/* never later than it is due: who polls all the time must not put it off */
		timer_reduce(&buffer->recheck, jiffies + 1);
	}
	return 0;
}

static void rb_release(struct rb_wait *wait)
{
	/* Ordered before the wake-up by irq_work_queue(), which begins with a full barrier. */
	atomic_inc(&wait->releases);
	/* Before there are tasks nobody waits, and there may be no interrupt for the work yet. */
	if (system_state >= SYSTEM_SCHEDULING)
		trace_irq_work_queue(&wait->work);
}

/**
 * ring_buffer_wake_waiters - release those who wait
 * @buffer: the buffer
 * @cpu: the CPU they wait for, or RING_BUFFER_ALL_CPUS for all of them
 *
 * ring_buffer_wait() returns 0 for all who are in it; who polls asks again.
 *
 * Context: any.
 */
void ring_buffer_wake_waiters(struct trace_buffer *buffer, int cpu)
{
	if (!buffer)
		return;

	if (cpu != RING_BUFFER_ALL_CPUS) {
		if (rb_cpu_at(buffer, cpu))
			rb_release(&rb_cpu_of(buffer, cpu)->wait);
		return;
	}

	for_each_possible_cpu(cpu)
		rb_release(&rb_cpu_of(buffer, cpu)->wait);
	rb_release(&buffer->wait);
}
