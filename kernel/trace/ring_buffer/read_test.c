// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of reading: what a reader gets is complete in itself, whatever
 * happens to the buffer before or after.
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/cleanup.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kgdb.h>
#include <linux/kthread.h>
#include <linux/panic.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/trace_clock.h>

#include "../tests/suite.h"
#include "read.h"
#include "test.h"

static void rbt_copies(struct kunit *test)
{
	size_t room = RBT_SUBBUF;
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;
	unsigned long lost = 0, sum = 0;
	int cpu, i, number, next = 0, ret;
	u64 ts, seen;

	buffer = rbt_make(test, 3, RB_FL_OVERWRITE, &cpu);
	event = kunit_kzalloc(test, room, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, event);

	KUNIT_EXPECT_FALSE(test, ring_buffer_peek_time(buffer, cpu, &ts, NULL));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_consume_copy(buffer, cpu, event, room, &ts, NULL));
	KUNIT_EXPECT_FALSE(test, ring_buffer_peek_time(buffer, nr_cpu_ids, &ts, NULL));
	KUNIT_EXPECT_EQ(test, 0,
			ring_buffer_consume_copy(buffer, nr_cpu_ids, event, room, &ts, NULL));

	for (i = 0; i < 400; i++)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, sizeof(struct rbt_record) + i, i));

	/* No room: it stays, and so does what is known to be lost before it. */
	KUNIT_EXPECT_EQ(test, -EMSGSIZE,
			ring_buffer_consume_copy(buffer, cpu, event, 0, NULL, NULL));
	KUNIT_EXPECT_EQ(test, -EMSGSIZE,
			ring_buffer_consume_copy(buffer, cpu, event, 16, NULL, NULL));

	while (ring_buffer_peek_time(buffer, cpu, &seen, &lost)) {
		sum += lost;
		/* What was looked at is not overwritten any more. */
		for (i = 0; !next && i < 100; i++)
			KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 100, 400 + i));
		memset(event, 0xff, room);
		ret = ring_buffer_consume_copy(buffer, cpu, event, room, &ts, &lost);
		KUNIT_ASSERT_GT(test, ret, 0);
		KUNIT_EXPECT_EQ(test, ts, seen);
		/* The rest of the ring may go, the copy is what it was. */
		if (next == 0)
			KUNIT_EXPECT_GT(test, lost, 0);
		number = ((struct rbt_record *)ring_buffer_event_data(event))->number;
		if (number == 450)
			ring_buffer_reset_cpu(buffer, cpu);
		KUNIT_EXPECT_TRUE(test, rbt_good(event, ts));
		KUNIT_EXPECT_EQ(test, ret, ring_buffer_event_length(event));
		KUNIT_EXPECT_EQ(test, number, next + lost);
		next = number + 1;
	}
	KUNIT_EXPECT_EQ(test, 451, next);
	KUNIT_EXPECT_GT(test, sum, 0);
}

/* What is said of the next record is true of it, on the border of sub-buffers as well. */
static void rbt_next(struct kunit *test)
{
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;
	unsigned long lost, sum = 0;
	bool more = true, same = true;
	u64 ts, next = 0, ignored;
	int cpu, i, nr = 0;

	buffer = rbt_make(test, 3, RB_FL_OVERWRITE, &cpu);
	event = kunit_kzalloc(test, RBT_SUBBUF, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, event);
	for (i = 0; i < 400; i++)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, sizeof(struct rbt_record) + i, i));

	KUNIT_EXPECT_EQ(test, -EMSGSIZE,
			ring_buffer_consume_next(buffer, cpu, event, 16, &ts, &lost, &ignored,
						 &same));
	KUNIT_EXPECT_TRUE(test, same);
	while (more) {
		KUNIT_ASSERT_GT(test, ring_buffer_consume_next(buffer, cpu, event, RBT_SUBBUF, &ts,
							       &lost, &ignored, &more), 0);
		KUNIT_EXPECT_TRUE(test, rbt_good(event, ts));
		if (nr++)
			KUNIT_EXPECT_EQ(test, ts, next);
		next = ignored;
		sum += lost;
	}
	KUNIT_EXPECT_EQ(test, 400, nr + sum);
	KUNIT_EXPECT_GT(test, nr, 3);
	KUNIT_EXPECT_FALSE(test, ring_buffer_peek_time(buffer, cpu, &ts, NULL));
	KUNIT_EXPECT_EQ(test, 0,
			ring_buffer_consume_next(buffer, cpu, event, RBT_SUBBUF, &ts, &lost,
						 &ignored, &more));
}

/*
 * The buffer says one size, the ring still has the other: so it is in the
 * middle of a change, which goes from ring to ring.
 */
static void rbt_page_order(struct kunit *test)
{
	struct buffer_data_read_page *small, *large;
	struct trace_buffer *buffer;
	struct rb_page *page;
	u64 ts = 0;
	int cpu, i;

	buffer = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_alloc_read_page(buffer, cpu, &small));
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_subbuf_order_set(buffer, 1));
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_alloc_read_page(buffer, cpu, &large));
	for (i = 0; i < 100; i++)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 1000, i));

	buffer->order = 0;
	KUNIT_EXPECT_EQ(test, -ESTALE, ring_buffer_read_page(buffer, small, PAGE_SIZE, cpu, 0));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_read_page(buffer, large, 2 * PAGE_SIZE, cpu, 0));
	buffer->order = 1;
	page = ring_buffer_read_page_data(large);
	KUNIT_EXPECT_GT(test, rbt_parse(page, &ts), 3);

	ring_buffer_free_read_page(buffer, cpu, small);
	ring_buffer_free_read_page(buffer, cpu, large);
}

/* The memory of number @seq, while it is in the ring and nobody writes. */
static struct rb_page *rbt_page_of(struct rb_ring *ring, u64 seq)
{
	struct rb_table *table = ring->table;

	return table->sub[table->slot[seq % table->nr] & RB_SLOT_INDEX]->page;
}

/* A sub-buffer that is full and has not been looked at is handed over as it is, not copied. */
static void rbt_page_exchanged(struct kunit *test)
{
	struct buffer_data_read_page *page;
	struct trace_buffer *buffer;
	struct rb_page *mine, *full;
	struct rb_ring *ring;
	int cpu, i = 0, k;
	u64 ts = 0;

	buffer = rbt_make(test, 8, 0, &cpu);
	ring = rb_ring_of(buffer, cpu);
	while (ring->commit_seq - ring->next < 4)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 100, i++));
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_alloc_read_page(buffer, cpu, &page));
	mine = ring_buffer_read_page_data(page);
	for (k = 0; k < 2; k++) {
		full = rbt_page_of(ring, ring->next);
		KUNIT_EXPECT_PTR_NE(test, full, mine);
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_read_page(buffer, page, PAGE_SIZE, cpu, k));
		KUNIT_EXPECT_PTR_EQ(test, ring_buffer_read_page_data(page), (void *)full);
		/* and what was handed in has its place */
		KUNIT_EXPECT_PTR_EQ(test, ring->reader->page, mine);
		KUNIT_EXPECT_GT(test, rbt_parse(full, &ts), 0);
		mine = full;
	}

	/* What was read in part is copied, */
	KUNIT_EXPECT_GT(test, rbt_read(test, buffer, cpu, &ts, NULL), 0);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_read_page(buffer, page, PAGE_SIZE, cpu, 0));
	KUNIT_EXPECT_PTR_EQ(test, ring_buffer_read_page_data(page), (void *)mine);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_read_page(buffer, page, PAGE_SIZE, cpu, 0));
	KUNIT_EXPECT_PTR_NE(test, ring_buffer_read_page_data(page), (void *)mine);
	/* and what is written to as well. */
	mine = ring_buffer_read_page_data(page);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_read_page(buffer, page, PAGE_SIZE, cpu, 0));
	KUNIT_EXPECT_PTR_EQ(test, ring_buffer_read_page_data(page), (void *)mine);
	KUNIT_EXPECT_EQ(test, -EAGAIN, ring_buffer_read_page(buffer, page, PAGE_SIZE, cpu, 0));
	ring_buffer_free_read_page(buffer, cpu, page);
}

static struct {
	struct rb_cpu		*p;
	struct completion	locked;
	struct completion	done;
	bool			read;
} rbt_stopped;

/* Stands with the lock of a ring, as a CPU does that somebody has stopped; for 4 s at most. */
static int rbt_stand(void *unused)
{
	struct rb_hold hold;

	rb_reader_lock(rbt_stopped.p, &hold);
	complete(&rbt_stopped.locked);
	for (int ms = 0; ms < 4000 && !READ_ONCE(rbt_stopped.read); ms++)
		mdelay(1);
	rb_reader_unlock(&hold);
	complete(&rbt_stopped.done);
	return 0;
}

static unsigned long rbt_oldest(struct trace_buffer *buffer, int cpu)
{
	return ring_buffer_oldest_event_ts(buffer, cpu);
}

static unsigned long rbt_dirty(struct trace_buffer *buffer, int cpu)
{
	return ring_buffer_nr_dirty_pages(buffer, cpu);
}

/* What a ring is asked for that looks behind pointers, or at what belongs together. */
static unsigned long (* const rbt_numbers[])(struct trace_buffer *buffer, int cpu) = {
	ring_buffer_entries_cpu,
	ring_buffer_overrun_cpu,
	ring_buffer_commit_overrun_cpu,
	ring_buffer_dropped_events_cpu,
	ring_buffer_read_events_cpu,
	ring_buffer_bytes_cpu,
	ring_buffer_size,
	rbt_dirty,
	rbt_oldest,
};

/*
 * Who stops all other CPUs, and says so in @who, -1 else, does not wait for a lock. That it has
 * switched recording off tells that it asked for the lock: without it a change of the buffer may
 * free what it looks at.
 */
static void rbt_read_alone(struct kunit *test, atomic_t *who)
{
	int cpu, other = cpumask_last(cpu_online_mask);
	struct trace_buffer *buffer;
	struct task_struct *task;
	unsigned long on = 0;
	u64 began, took;
	int i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "it needs a second CPU");
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
	buffer = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 100, 0));
	rbt_stopped.p = rb_cpu_of(buffer, cpu);
	rbt_stopped.read = false;
	init_completion(&rbt_stopped.locked);
	init_completion(&rbt_stopped.done);
	task = kthread_run_on_cpu(rbt_stand, NULL, other, "rbt_stand/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&rbt_stopped.locked);
	scoped_guard(irqsave) {
		atomic_set(who, raw_smp_processor_id());
		began = trace_clock_local();
		for (i = 0; i < ARRAY_SIZE(rbt_numbers); i++) {
			ring_buffer_record_on(buffer);
			rbt_numbers[i](buffer, cpu);
			if (ring_buffer_record_is_set_on(buffer))
				on |= BIT(i);
		}
		took = trace_clock_local() - began;
		atomic_set(who, -1);
	}
	WRITE_ONCE(rbt_stopped.read, true);
	wait_for_completion(&rbt_stopped.done);
	KUNIT_EXPECT_LT(test, took, 3 * NSEC_PER_SEC);
	for (i = 0; i < ARRAY_SIZE(rbt_numbers); i++)
		KUNIT_EXPECT_FALSE_MSG(test, on & BIT(i), "%ps takes no lock", rbt_numbers[i]);
	/* nor is anything recorded any more */
	KUNIT_EXPECT_FALSE(test, rbt_write(buffer, 100, 1));
}

#ifdef CONFIG_KGDB
static void rbt_read_in_debugger(struct kunit *test)
{
	rbt_read_alone(test, &kgdb_active);
}
#endif

static void rbt_read_in_panic(struct kunit *test)
{
	BUILD_BUG_ON(PANIC_CPU_INVALID != -1);
	rbt_read_alone(test, &panic_cpu);
}

#ifdef CONFIG_DYNAMIC_FTRACE
/* Reads a ring from the functions of its own lock, as a dump does that hangs on one of them. */
static struct {
	struct task_struct	*task;
	struct trace_buffer	*buffer;
	struct rb_ring		*ring;
	int			cpu;
	int			locked;
	int			wrong;
} rbt_inside;

static void notrace rbt_read_inside(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	u64 ts;

	if (READ_ONCE(rbt_inside.task) != current || in_interrupt())
		return;
#ifdef CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS
	/* Inside of others' locks lockdep sees an order that nobody has. */
	if (fregs && (void *)ftrace_regs_get_argument(fregs, 0) != &rbt_inside.ring->lock)
		return;
#endif
	rbt_inside.locked += raw_spin_is_locked(&rbt_inside.ring->lock);
	if (!ring_buffer_peek_time(rbt_inside.buffer, rbt_inside.cpu, &ts, NULL))
		rbt_inside.wrong++;
}

static struct ftrace_ops rbt_inside_ops = {
	.func	= rbt_read_inside,
	.flags	= FTRACE_OPS_FL_RECURSION,
};

/* Without the marks of who holds it this stands still, with interrupts off. */
static void rbt_lock_traced(struct kunit *test)
{
	char functions[] = "_raw_spin_*lock*";
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;
	int cpu, i, nr = 0;
	u64 ts;

	buffer = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	event = kunit_kzalloc(test, RBT_SUBBUF, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, event);
	for (i = 0; i < 100; i++)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 100, i));
	memset(&rbt_inside, 0, sizeof(rbt_inside));
	rbt_inside.buffer = buffer;
	rbt_inside.cpu = cpu;
	rbt_inside.ring = rb_ring_of(buffer, cpu);

	if (!IS_ENABLED(CONFIG_SMP) || IS_ENABLED(CONFIG_INLINE_SPIN_LOCK))
		kunit_skip(test, "locks are no functions here");
	KUNIT_ASSERT_EQ(test, 0,
			ftrace_set_filter(&rbt_inside_ops, functions, strlen(functions), 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&rbt_inside_ops));
	WRITE_ONCE(rbt_inside.task, current);
	for (i = 0; i < 50; i++)
		nr += ring_buffer_consume_copy(buffer, cpu, event, RBT_SUBBUF, &ts, NULL) > 0;
	/* its own sections are another kind */
	i = ring_buffer_resize(buffer, 8 * RBT_SUBBUF, cpu);
	WRITE_ONCE(rbt_inside.task, NULL);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&rbt_inside_ops));
	ftrace_free_filter(&rbt_inside_ops);

	KUNIT_EXPECT_EQ(test, 0, i);
	KUNIT_EXPECT_EQ(test, 50, nr);
	KUNIT_EXPECT_EQ(test, 0, rbt_inside.wrong);
	/* all is as if nobody had looked */
	for (nr = 0; ring_buffer_consume_copy(buffer, cpu, event, RBT_SUBBUF, &ts, NULL) > 0; nr++)
		KUNIT_EXPECT_TRUE(test, rbt_good(event, ts));
	KUNIT_EXPECT_EQ(test, 50, nr);
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 100, 100));
	/* else this lock's end is no function */
	if (IS_ENABLED(CONFIG_UNINLINE_SPIN_UNLOCK))
		KUNIT_EXPECT_GT(test, rbt_inside.locked, 50);
}
#endif

static struct kunit_case rbt_read_cases[] = {
	KUNIT_CASE(rbt_copies),
	KUNIT_CASE(rbt_next),
	KUNIT_CASE(rbt_page_order),
	KUNIT_CASE(rbt_page_exchanged),
#ifdef CONFIG_KGDB
	KUNIT_CASE(rbt_read_in_debugger),
#endif
	KUNIT_CASE(rbt_read_in_panic),
#ifdef CONFIG_DYNAMIC_FTRACE
	KUNIT_CASE(rbt_lock_traced),
#endif
	{}
};

TRACE_KUNIT_SUITE("ring_buffer_read", rbt_read_cases);
