/* SPDX-License-Identifier: GPL-2.0-only */
/* Load on a CPU, for the suites of the ring buffer: writers, and a thread that reads. */
#ifndef _TRACE_RING_BUFFER_LOAD_TEST_H
#define _TRACE_RING_BUFFER_LOAD_TEST_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>

#include "../tests/writer.h"

/**
 * struct rbt_threads - who runs
 * @writes:	a task and an interrupt of the CPU; their functions are set
 * @writer:	that task
 * @reader:	reads until @writes.stop, and completes @read_done; on any CPU
 * @read_done:	see there
 */
struct rbt_threads {
	struct test_writer	writes;
	struct task_struct	*writer;
	struct task_struct	*reader;
	struct completion	read_done;
};

static void rbt_threads_make(struct kunit *test, struct rbt_threads *t, int cpu,
			     int (*read)(void *load), void *load)
{
	init_completion(&t->writes.done);
	init_completion(&t->read_done);
	t->writer = kthread_create(test_writer_thread, &t->writes, "rbt_writer/%d", cpu);
	t->reader = kthread_create(read, load, "rbt_reader/%d", cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(t->writer) || IS_ERR(t->reader));
	kthread_bind(t->writer, cpu);
}

static void rbt_threads_wake(struct rbt_threads *t)
{
	wake_up_process(t->writer);
	wake_up_process(t->reader);
}

static void rbt_threads_stop(struct rbt_threads *t)
{
	WRITE_ONCE(t->writes.stop, true);
}

static void rbt_threads_wait(struct rbt_threads *t)
{
	wait_for_completion(&t->writes.done);
	wait_for_completion(&t->read_done);
}

static void *rbt_loads_alloc(struct kunit *test, size_t size)
{
	void *loads = kunit_kcalloc(test, nr_cpu_ids, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, loads);
	return loads;
}

/*
 * Load on all CPUs: @loads is an array by CPU of what has such threads. The test has to run where
 * it likes meanwhile, the CPUs are busy.
 */
#define rbt_loads_start(loads)						\
do {									\
	int _cpu;							\
									\
	for_each_online_cpu(_cpu)					\
		rbt_threads_wake(&(loads)[_cpu].threads);		\
	set_cpus_allowed_ptr(current, cpu_possible_mask);		\
} while (0)

#define rbt_loads_stop(loads)						\
do {									\
	__auto_type _loads = (loads);					\
	int _cpu;							\
									\
	for_each_online_cpu(_cpu)					\
		rbt_threads_stop(&_loads[_cpu].threads);		\
	for_each_online_cpu(_cpu)					\
		rbt_threads_wait(&_loads[_cpu].threads);		\
} while (0)

#endif /* _TRACE_RING_BUFFER_LOAD_TEST_H */
