// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of waiting: who waits is woken by what he waits for, and by
 * nothing else, also if the writer did not see that he waits.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/timer.h>

#include "../tests/suite.h"
#include "test.h"

static void rbt_wait_one(struct kunit *test, struct trace_buffer *buffer, int cpu, int full,
			 int first, int then)
{
	struct rbt_waiter *waiter = kunit_kzalloc(test, sizeof(*waiter), GFP_KERNEL);
	int i;

	waiter->buffer = buffer;
	waiter->cpu = cpu;
	waiter->full = full;
	init_completion(&waiter->done);
	ring_buffer_reset(buffer);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(rbt_waiter, waiter, "rbt_waiter")));
	msleep(50);
	for (i = 0; i < first; i++)
		rbt_write(buffer, 100, i);
	msleep(50);
	KUNIT_EXPECT_FALSE(test, completion_done(&waiter->done));
	for (i = 0; i < then; i++)
		rbt_write(buffer, 100, i);
	KUNIT_ASSERT_GT(test, wait_for_completion_timeout(&waiter->done, 5 * HZ), 0);
	KUNIT_EXPECT_EQ(test, 0, waiter->ret);
}

static void rbt_waiting(struct kunit *test)
{
	struct trace_buffer *buffer;
	int cpu;

	buffer = rbt_make(test, 10, RB_FL_OVERWRITE, &cpu);
	rbt_wait_one(test, buffer, cpu, 0, 0, 1);
	rbt_wait_one(test, buffer, RING_BUFFER_ALL_CPUS, 0, 0, 1);
	/* Some 39 records in a sub-buffer, ten sub-buffers. */
	rbt_wait_one(test, buffer, cpu, 50, 100, 200);
	rbt_wait_one(test, buffer, cpu, 100, 300, 200);
	KUNIT_EXPECT_EQ(test, -ENODEV, ring_buffer_wait(buffer, nr_cpu_ids, 0, NULL, NULL));
}

/* Start one that waits for ever, and let him sleep. */
static struct rbt_waiter *rbt_wait_start(struct kunit *test, struct trace_buffer *buffer, int cpu,
					 int full)
{
	struct rbt_waiter *waiter = kunit_kzalloc(test, sizeof(*waiter), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, waiter);
	waiter->buffer = buffer;
	waiter->cpu = cpu;
	waiter->full = full;
	waiter->ret = -1;
	init_completion(&waiter->done);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(rbt_waiter, waiter, "rbt_waiter")));
	msleep(200);
	KUNIT_EXPECT_FALSE(test, completion_done(&waiter->done));
	return waiter;
}

static void rbt_wait_end(struct kunit *test, struct trace_buffer *buffer, int cpu,
			 struct rbt_waiter *waiter)
{
	/* The second look comes after a grace period, which a busy host makes long. */
	if (!wait_for_completion_timeout(&waiter->done, 30 * HZ)) {
		KUNIT_FAIL(test, "sleeps");
		/* He must not outlive the buffer. */
		while (!completion_done(&waiter->done)) {
			rbt_write(buffer, 64, 1);
			ring_buffer_wake_waiters(buffer, RING_BUFFER_ALL_CPUS);
			msleep(20);
		}
	}
	KUNIT_EXPECT_EQ(test, 0, waiter->ret);
}

/* ring_buffer_wake_waiters() sends them all away, with or without a record. */
static void rbt_wait_release(struct kunit *test)
{
	struct trace_buffer *buffer;
	struct rbt_waiter *waiter;
	int cpu, i;

	buffer = rbt_make(test, 10, RB_FL_OVERWRITE, &cpu);
	for (i = 0; i < 4; i++) {
		waiter = rbt_wait_start(test, buffer, i & 1 ? cpu : RING_BUFFER_ALL_CPUS,
					i == 3 ? 50 : 0);
		ring_buffer_wake_waiters(buffer, i == 1 ? cpu : RING_BUFFER_ALL_CPUS);
		rbt_wait_end(test, buffer, cpu, waiter);
		KUNIT_EXPECT_TRUE(test, ring_buffer_empty(buffer));
	}
}

/*
 * The writer loads the flag before his record is visible: so he does not wake
 * who announced himself in between. Here the flag is taken away by hand; in the
 * first sleep and in one after he was woken for nothing.
 */
static void rbt_wait_missed(struct kunit *test)
{
	struct trace_buffer *buffer;
	struct rbt_waiter *waiter;
	int cpu, i, turn;
	struct rb_cpu *p;

	buffer = rbt_make(test, 10, RB_FL_OVERWRITE, &cpu);
	p = rb_cpu_of(buffer, cpu);
	for (turn = 0; turn < 4; turn++) {
		ring_buffer_reset(buffer);
		waiter = rbt_wait_start(test, buffer, turn & 1 ? cpu : RING_BUFFER_ALL_CPUS, 0);
		for (i = 0; i < 1 + turn / 2; i++) {
			atomic_set(&p->wake, 0);
			trace_irq_work_queue(turn & 1 ? &p->wait.work : &buffer->wait.work);
			while (!atomic_read(&p->wake))
				cond_resched();
		}
		preempt_disable();
		atomic_set(&p->wake, 0);
		rbt_write(buffer, 64, 1);
		preempt_enable();
		rbt_wait_end(test, buffer, cpu, waiter);
	}
}

/* As epoll does: only the first of many looks puts them on the queue. */
static __poll_t rbt_poll(struct trace_buffer *buffer, int cpu, struct file *file,
			 struct poll_wqueues *table)
{
	__poll_t ready = ring_buffer_poll_wait(buffer, cpu, file, &table->pt, 0);

	table->pt._qproc = NULL;
	return ready;
}

/* @all: for any of the CPUs */
static void rbt_wait_poll_of(struct kunit *test, bool all, struct file *file,
			     struct poll_wqueues *table)
{
	struct trace_buffer *buffer;
	struct rb_cpu *p;
	int cpu, i, bits;
	__poll_t ready;
	bool written;

	buffer = rbt_make(test, 10, RB_FL_OVERWRITE, &cpu);
	p = rb_cpu_of(buffer, cpu);
	if (all)
		cpu = RING_BUFFER_ALL_CPUS;
	poll_initwait(table);
	KUNIT_EXPECT_FALSE(test, rbt_poll(buffer, cpu, file, table));
	/* The timer of this look ends with the grace period: it is none for the next. */
	synchronize_rcu();
	for (i = 0; i < 500 && timer_pending(&buffer->recheck); i++)
		msleep(20);
	KUNIT_EXPECT_LT(test, i, 500);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(table->triggered));

	/*
	 * The writer loaded the flag before it is set, so it is away when he commits, and he was
	 * under way already, so no grace period ends before that. A lock of RCU stands for his
	 * preemption off, as the look may sleep for its own locks with PREEMPT_RT.
	 */
	rcu_read_lock();
	ready = rbt_poll(buffer, cpu, file, table);
	preempt_disable();
	bits = atomic_xchg(&p->wake, 0);
	written = rbt_write(buffer, 64, 1);
	atomic_or(bits, &p->wake);
	preempt_enable();
	rcu_read_unlock();
	KUNIT_EXPECT_FALSE(test, ready);
	KUNIT_EXPECT_TRUE(test, written);
	for (i = 0; i < 500 && !READ_ONCE(table->triggered); i++)
		msleep(20);
	KUNIT_EXPECT_TRUE_MSG(test, READ_ONCE(table->triggered), "%d", cpu);
	KUNIT_EXPECT_EQ(test, (__force int)(EPOLLIN | EPOLLRDNORM),
			(__force int)rbt_poll(buffer, cpu, file, table));
	poll_freewait(table);
}

/* Who polls is looked after as well, at each of his looks. */
static void rbt_wait_poll(struct kunit *test)
{
	struct poll_wqueues *table = kunit_kzalloc(test, sizeof(*table), GFP_KERNEL);
	struct file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, table);
	KUNIT_ASSERT_NOT_NULL(test, file);
	/* who polls takes references */
	atomic_long_set(&file->f_count, 1);
	rbt_wait_poll_of(test, false, file, table);
	rbt_wait_poll_of(test, true, file, table);
}

/* A CPU that has no ring yet is asked to wake, too: it may come up while we sleep. */
static void rbt_wait_no_ring(struct kunit *test)
{
	struct trace_buffer *buffer;
	struct rbt_waiter *waiter;
	struct rb_ring *ring;
	struct rb_cpu *p;
	int cpu, other;

	buffer = rbt_make(test, 4, 0, &cpu);
	other = cpumask_any_but(cpu_online_mask, cpu);
	if (other >= nr_cpu_ids)
		kunit_skip(test, "only one CPU");
	p = rb_cpu_of(buffer, other);

	ring = p->ring;
	p->ring = NULL;
	cpumask_clear_cpu(other, buffer->cpumask);
	waiter = rbt_wait_start(test, buffer, RING_BUFFER_ALL_CPUS, 0);
	p->ring = ring;
	cpumask_set_cpu(other, buffer->cpumask);
	KUNIT_EXPECT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(other)));
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 64, 1));
	rbt_wait_end(test, buffer, other, waiter);
}

static struct kunit_case rbt_wait_cases[] = {
	KUNIT_CASE(rbt_waiting),
	KUNIT_CASE(rbt_wait_release),
	KUNIT_CASE(rbt_wait_missed),
	KUNIT_CASE(rbt_wait_poll),
	KUNIT_CASE(rbt_wait_no_ring),
	{}
};

TRACE_KUNIT_SUITE("ring_buffer_wait", rbt_wait_cases);
