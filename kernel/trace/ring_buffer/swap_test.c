// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the swap: at every point of a write at which it can come, from
 * every CPU, against readers, iterators, waiters, and changes of the size. Every
 * record is in exactly one of the two buffers, and both go on recording.
 */
#include <linux/array_size.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../tests/suite.h"
#include "alike.h"
#include "fast.h"
#include "load_test.h"
#include "test.h"

/* Both buffers record and publish what they record at once: no writer is left over. */
static void rbt_not_mute(struct kunit *test, struct trace_buffer *a, struct trace_buffer *b,
			 int cpu)
{
	unsigned long before;
	int i;

	for (i = 0; i < 2; i++) {
		before = ring_buffer_entries_cpu(a, cpu) + ring_buffer_overrun_cpu(a, cpu);
		KUNIT_EXPECT_TRUE(test, rbt_write(a, 64, 1));
		KUNIT_EXPECT_EQ(test, before + 1, ring_buffer_entries_cpu(a, cpu) +
				ring_buffer_overrun_cpu(a, cpu));
		KUNIT_EXPECT_EQ(test, 0, rb_depth(rb_ring_of(a, cpu)));
		KUNIT_EXPECT_PTR_EQ(test, rb_cpu_of(a, cpu), rb_ring_of(a, cpu)->home);
		KUNIT_EXPECT_NULL(test, rb_cpu_of(a, cpu)->held);
		swap(a, b);
	}
}

static void rbt_swap(struct kunit *test)
{
	struct trace_buffer *a, *b, *small;
	int cpu, i, one, all;
	unsigned long flags;
	u64 ts = 0;

	a = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	b = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	small = rbt_make(test, 3, RB_FL_OVERWRITE, &cpu);

	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test, rbt_write(a, 64, i));
	for (; i < 13; i++)
		KUNIT_EXPECT_TRUE(test, rbt_write(b, 64, i));

	/* What must not be exchanged, and neither is then. */
	KUNIT_EXPECT_EQ(test, -EINVAL, ring_buffer_swap_cpu(a, small, cpu));
	KUNIT_EXPECT_EQ(test, -EINVAL, ring_buffer_swap(a, small));
	KUNIT_EXPECT_EQ(test, -EINVAL, ring_buffer_swap_cpu(a, b, nr_cpu_ids));
	rb_swap_forbid(b);
	KUNIT_EXPECT_EQ(test, -EBUSY, ring_buffer_swap_cpu(a, b, cpu));
	KUNIT_EXPECT_EQ(test, -EBUSY, ring_buffer_swap(b, a));
	rb_swap_allow(b);
	/* in the middle of rb_swap_forbid(): a trigger on what the lock tells, as contention_end */
	rb_swap_enter(&flags);
	one = ring_buffer_swap_cpu(a, b, cpu);
	all = ring_buffer_swap(a, b);
	rb_swap_leave(&flags);
	KUNIT_EXPECT_EQ(test, -EBUSY, one);
	KUNIT_EXPECT_EQ(test, -EBUSY, all);
	KUNIT_EXPECT_EQ(test, 10, ring_buffer_entries_cpu(a, cpu));
	KUNIT_EXPECT_EQ(test, 3, ring_buffer_entries_cpu(b, cpu));

	/* Each has what the other had, and goes on. */
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_swap_cpu(a, b, cpu));
	KUNIT_EXPECT_EQ(test, 3, ring_buffer_entries_cpu(a, cpu));
	KUNIT_EXPECT_EQ(test, 10, ring_buffer_entries_cpu(b, cpu));
	KUNIT_EXPECT_TRUE(test, rbt_write(a, 64, 13));
	KUNIT_EXPECT_TRUE(test, rbt_write(b, 64, 14));
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, i, rbt_read(test, b, cpu, &ts, NULL));
	KUNIT_EXPECT_EQ(test, 14, rbt_read(test, b, cpu, &ts, NULL));
	KUNIT_EXPECT_EQ(test, -1, rbt_read(test, b, cpu, &ts, NULL));

	/* All CPUs, and back; one that is stopped stays stopped, with what it now has. */
	ring_buffer_record_disable(b);
	ring_buffer_record_disable_cpu(a, cpu);
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_swap(a, b));
	KUNIT_EXPECT_EQ(test, 4, ring_buffer_entries_cpu(b, cpu));
	KUNIT_EXPECT_FALSE(test, rbt_write(a, 64, 1));
	KUNIT_EXPECT_FALSE(test, rbt_write(b, 64, 1));
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_swap(a, b));
	ring_buffer_record_enable_cpu(a, cpu);
	ring_buffer_record_enable(b);
	ts = 0;
	for (i = 10; i < 14; i++)
		KUNIT_EXPECT_EQ(test, i, rbt_read(test, a, cpu, &ts, NULL));
	rbt_balance(test, a, cpu, 4);
	rbt_balance(test, b, cpu, 11);
	rbt_not_mute(test, a, b, cpu);

	/* Other sizes can be had afterwards. */
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(a, 6 * RBT_SUBBUF, RING_BUFFER_ALL_CPUS));
	KUNIT_EXPECT_EQ(test, -EINVAL, ring_buffer_swap_cpu(a, b, cpu));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(b, 6 * RBT_SUBBUF, RING_BUFFER_ALL_CPUS));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(a, 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, ring_buffer_swap(a, b));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(a, 0));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(b, 0));
	rbt_not_mute(test, a, b, cpu);
	/* One that was made alike while the other's size was rounded up remains so. */
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(a, 4));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_make_alike(b, a));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(a, 1));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(b, 1));
	KUNIT_EXPECT_EQ(test, ring_buffer_size(a, cpu), ring_buffer_size(b, cpu));
	rbt_not_mute(test, a, b, cpu);
}

/* Begin a record: whose slot the CPU has, or the caller in @slot. Preemption is off. */
static struct ring_buffer_event *rbt_reserve(struct trace_buffer *buffer,
					     struct ring_buffer_slot *slot)
{
	if (!slot)
		return ring_buffer_lock_reserve(buffer, 64);
	return ring_buffer_slot_reserve(buffer, 64, slot) ? slot->event : NULL;
}

/* A writer has a record, in one of the three ways, and a swap comes. */
static void rbt_swap_unfinished(struct kunit *test)
{
	struct ring_buffer_event *event, *inner;
	struct ring_buffer_slot slot;
	struct trace_buffer *a, *b;
	int cpu, way;
	u64 ts;

	a = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	b = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	ring_buffer_set_clock(a, rbt_clock);
	ring_buffer_set_clock(b, rbt_clock);

	for (way = 0; way < 6; way++) {
		ring_buffer_reset(a);
		ring_buffer_reset(b);
		WRITE_ONCE(rbt_now, 1000);
		preempt_disable();
		event = rbt_reserve(a, way < 3 ? NULL : &slot);
		if (!event)
			goto failed;
		if (way % 3)
			KUNIT_EXPECT_EQ(test, 0, ring_buffer_swap(a, b));
		if (way % 3 == 2)
			KUNIT_EXPECT_EQ(test, 0, ring_buffer_swap_cpu(b, a, cpu));
		if (way % 3 == 2)
			KUNIT_EXPECT_EQ(test, 0, ring_buffer_swap_cpu(b, a, cpu));

		/* Who nests is outermost in the ring that is there now. */
		WRITE_ONCE(rbt_now, 2000);
		inner = ring_buffer_lock_reserve(a, 64);
		if (inner) {
			KUNIT_EXPECT_EQ(test, 2000, ring_buffer_event_time_stamp(a, inner));
			rbt_fill(a, inner, 64, 2);
			ring_buffer_unlock_commit(a);
		}
		KUNIT_EXPECT_EQ(test, way % 3 ? 1 : 0, !ring_buffer_empty_cpu(a, cpu));
		/* In the old one he is not. */
		KUNIT_EXPECT_TRUE(test, rbt_write(b, 64, 3));
		if (way % 3)
			KUNIT_EXPECT_TRUE(test, ring_buffer_empty_cpu(b, cpu));

		if (way < 3) {
			KUNIT_EXPECT_EQ(test, 1000, ring_buffer_event_time_stamp(a, event));
			rbt_fill(a, event, 64, 1);
			ring_buffer_unlock_commit(a);
		} else {
			KUNIT_EXPECT_EQ(test, 1000, ring_buffer_slot_time(&slot));
			rbt_fill(a, event, 64, 1);
			((struct rbt_record *)slot.data)->ts = 1000;
			ring_buffer_slot_commit(&slot);
		}
		preempt_enable();
		KUNIT_EXPECT_NOT_NULL(test, inner);

		ts = 0;
		if (way % 3) {
			KUNIT_EXPECT_EQ(test, 2, rbt_read(test, a, cpu, &ts, NULL));
			ts = 0;
			KUNIT_EXPECT_EQ(test, 1, rbt_read(test, b, cpu, &ts, NULL));
			KUNIT_EXPECT_EQ(test, 3, rbt_read(test, b, cpu, &ts, NULL));
		} else {
			KUNIT_EXPECT_EQ(test, 1, rbt_read(test, a, cpu, &ts, NULL));
			KUNIT_EXPECT_EQ(test, 2, rbt_read(test, a, cpu, &ts, NULL));
		}
		rbt_not_mute(test, a, b, cpu);

		/* The same, and the record is given up. */
		ring_buffer_reset(a);
		ring_buffer_reset(b);
		preempt_disable();
		event = rbt_reserve(a, way < 3 ? NULL : &slot);
		if (!event)
			goto failed;
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_swap(a, b));
		if (way < 3)
			ring_buffer_discard_commit(a, event);
		else
			ring_buffer_slot_discard(&slot);
		preempt_enable();
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_entries_cpu(a, cpu));
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_entries_cpu(b, cpu));
		rbt_not_mute(test, a, b, cpu);
	}
	return;
failed:
	preempt_enable();
	KUNIT_FAIL(test, "no record in way %d", way);
}

/*
 * A clock that swaps: so the swap comes after the writer has entered and before
 * he has his record.
 */
static struct trace_buffer *rbt_swap_pair[2];
static unsigned int rbt_swaps;

static u64 notrace rbt_swap_clock(void)
{
	if (rbt_swaps) {
		rbt_swaps--;
		ring_buffer_swap(rbt_swap_pair[0], rbt_swap_pair[1]);
	}
	return ++rbt_now;
}

static void rbt_swap_entered(struct kunit *test)
{
	unsigned long written[2] = { };
	struct ring_buffer_slot slot;
	struct trace_buffer *a, *b;
	int cpu, i;

	a = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	b = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	rbt_swap_pair[0] = a;
	rbt_swap_pair[1] = b;
	WRITE_ONCE(rbt_now, 0);
	ring_buffer_set_clock(a, rbt_swap_clock);
	ring_buffer_set_clock(b, rbt_swap_clock);

	for (i = 0; i < 3000; i++) {
		rbt_swaps = i % 3;
		switch (i / 1000) {
		case 0:
			KUNIT_EXPECT_TRUE(test, rbt_write(a, 24 + i % 1000, i));
			break;
		case 1:
			preempt_disable();
			if (ring_buffer_slot_reserve(a, 24 + i % 900, &slot))
				ring_buffer_slot_commit(&slot);
			preempt_enable();
			break;
		case 2:
			preempt_disable();
			slot.ring = NULL;
			if (ring_buffer_slot_rest(ring_buffer_cpus(a), 24 + i % 900, &slot))
				ring_buffer_slot_commit(&slot);
			preempt_enable();
			break;
		}
		rbt_swaps = 0;
		if (i % 100 == 99)
			rbt_not_mute(test, a, b, cpu);
	}
	for (i = 0; i < 2; i++)
		written[i] = ring_buffer_entries_cpu(rbt_swap_pair[i], cpu) +
			     ring_buffer_overrun_cpu(rbt_swap_pair[i], cpu);
	/* and two that rbt_not_mute() wrote each time */
	KUNIT_EXPECT_EQ(test, 3000 + 60, written[0] + written[1]);
	KUNIT_EXPECT_GT(test, written[0], 1000);
	KUNIT_EXPECT_GT(test, written[1], 1000);
}

/* An iterator finds itself somewhere else, and begins there. */
static void rbt_swap_iterator(struct kunit *test)
{
	struct ring_buffer_event *event;
	struct ring_buffer_iter *iter;
	struct trace_buffer *a, *b;
	struct rbt_record *record;
	int cpu, i, turn;
	u64 ts;

	a = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	b = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	for (i = 0; i < 50; i++) {
		KUNIT_EXPECT_TRUE(test, rbt_write(a, 64, i));
		KUNIT_EXPECT_TRUE(test, rbt_write(b, 64, 100 + i));
	}
	iter = ring_buffer_read_start(a, cpu, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	for (turn = 0; turn < 4; turn++) {
		for (i = 0; i < 10 + turn * 7; i++) {
			event = ring_buffer_iter_peek(iter, &ts);
			KUNIT_ASSERT_NOT_NULL(test, event);
			KUNIT_EXPECT_TRUE(test, rbt_good(event, ts));
			record = ring_buffer_event_data(event);
			KUNIT_EXPECT_EQ(test, i + 100 * (turn & 1), record->number);
			ring_buffer_iter_advance(iter);
		}
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_swap(a, b));
	}
	ring_buffer_read_finish(iter);
}

/* What there is to read can also come by a swap. */
static void rbt_swap_wakes(struct kunit *test)
{
	struct rbt_waiter *waiter;
	struct trace_buffer *a, *b;
	int cpu, i, turn;

	a = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	b = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	for (turn = 0; turn < 6; turn++) {
		waiter = kunit_kzalloc(test, sizeof(*waiter), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, waiter);
		ring_buffer_reset(a);
		ring_buffer_reset(b);
		for (i = 0; i < 200; i++)
			rbt_write(turn & 1 ? a : b, 64, i);
		waiter->buffer = turn & 1 ? b : a;
		waiter->cpu = turn < 2 ? RING_BUFFER_ALL_CPUS : cpu;
		waiter->full = turn < 4 ? 0 : 50;
		init_completion(&waiter->done);
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(rbt_waiter, waiter, "rbt_wait")));
		/* Long enough for it to sleep for good. */
		msleep(200);
		KUNIT_EXPECT_FALSE(test, completion_done(&waiter->done));
		KUNIT_EXPECT_EQ(test, 0, turn < 3 ? ring_buffer_swap(a, b) :
				ring_buffer_swap_cpu(a, b, cpu));
		if (!wait_for_completion_timeout(&waiter->done, 5 * HZ)) {
			KUNIT_FAIL(test, "turn %d sleeps", turn);
			ring_buffer_wake_waiters(waiter->buffer, RING_BUFFER_ALL_CPUS);
			wait_for_completion(&waiter->done);
		}
	}
}

#define RBT_WAKE	(RB_WAKE_CPU | RB_WAKE_BUFFER)

/* Who waits for @buffer, or for this CPU of it, was woken once, or not at all. Begins anew. */
static void rbt_expect_woken(struct kunit *test, const char *by, struct trace_buffer *buffer,
			     int cpu, bool woken)
{
	struct rb_cpu *p = rb_cpu_of(buffer, cpu);

	trace_irq_work_sync(&buffer->wait.work);
	trace_irq_work_sync(&p->wait.work);
	KUNIT_EXPECT_EQ_MSG(test, woken, buffer->wait.wakeups, "%s", by);
	KUNIT_EXPECT_EQ_MSG(test, woken, p->wait.wakeups, "%s", by);
	KUNIT_EXPECT_EQ_MSG(test, woken ? 0 : RBT_WAKE, atomic_read(&p->wake), "%s", by);
	buffer->wait.wakeups = 0;
	p->wait.wakeups = 0;
	atomic_set(&p->wake, 0);
}

/*
 * Whom a commit wakes beside whom the swap wakes: the bits are set when that is over, as if there
 * was somebody, but without a thread, which would wake up by itself, too.
 */
static void rbt_swap_wakes_whom(struct kunit *test)
{
	static const char * const commits[] = { "unlock_commit", "slot_commit" };
	struct ring_buffer_event *event;
	struct ring_buffer_slot slot;
	struct trace_buffer *a, *b;
	struct rb_cpu *in_a, *in_b;
	struct rb_ring *ring;
	int cpu, ret, way;

	a = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	b = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	in_a = rb_cpu_of(a, cpu);
	in_b = rb_cpu_of(b, cpu);

	/* A record that began in a is in b at its end: those of b, in either way to commit. */
	for (way = 0; way < ARRAY_SIZE(commits); way++) {
		preempt_disable();
		event = rbt_reserve(a, way ? &slot : NULL);
		ret = ring_buffer_swap(a, b);
		atomic_set(&in_a->wake, RBT_WAKE);
		atomic_set(&in_b->wake, RBT_WAKE);
		if (event && way)
			ring_buffer_slot_commit(&slot);
		else if (event)
			ring_buffer_unlock_commit(a);
		preempt_enable();
		KUNIT_ASSERT_NOT_NULL(test, event);
		KUNIT_EXPECT_EQ(test, 0, ret);
		rbt_expect_woken(test, commits[way], a, cpu, false);
		rbt_expect_woken(test, commits[way], b, cpu, true);
	}

	/*
	 * The commit found its ring in a, and that somebody waits there; only then the swap comes.
	 * The bit that asked for it is cleared, so it has to be the work of that buffer.
	 */
	preempt_disable();
	ring = in_a->ring;
	ret = ring_buffer_swap(a, b);
	atomic_set(&in_a->wake, RBT_WAKE);
	atomic_set(&in_b->wake, RBT_WAKE);
	rb_wake(in_a, ring);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, 0, ret);
	rbt_expect_woken(test, "rb_wake", a, cpu, true);
	rbt_expect_woken(test, "rb_wake", b, cpu, false);
}

/* ---- Load --------------------------------------------------------------- */

/* Of a CPU: who writes there, by context (task, irq), and who reads. */
struct rbt_swap_load {
	struct trace_buffer	*buffer[2];
	struct rbt_threads	threads;
	int			cpu;
	bool			swaps;		/* the timer swaps, too */
	u32			next[2];
	unsigned long		written[2];
	u64			sum[2];
	unsigned long		read[2];
	u64			read_sum[2];
	unsigned long		bad;
	unsigned long		pages;		/* taken out */
	struct ring_buffer_event *copy;
	struct buffer_data_read_page *page;
};

static void rbt_swap_load_write(struct rbt_swap_load *load, int context)
{
	u32 number = load->next[context]++ * 2 + context;
	u32 length = sizeof(struct rbt_record) + number % 61;
	struct trace_buffer *buffer = load->buffer[number % 5 == 0];
	struct ring_buffer_slot slot;
	bool there;

	switch (number % 3) {
	case 0:
		if (!rbt_write(buffer, length, number))
			return;
		break;
	default:
		preempt_disable_notrace();
		if (number % 3 == 1)
			there = ring_buffer_slot_reserve(buffer, length, &slot);
		else
			there = ring_buffer_slot_try(ring_buffer_cpus(buffer), length, rb_busy(),
						     NULL, &slot) ||
				ring_buffer_slot_rest(ring_buffer_cpus(buffer), length, &slot);
		if (there) {
			rbt_fill_slot(&slot, length, number);
			if (number % 7 == 0)
				ring_buffer_slot_discard(&slot);
			else
				ring_buffer_slot_commit(&slot);
		}
		preempt_enable_notrace();
		if (!there || number % 7 == 0)
			return;
	}
	load->written[context]++;
	load->sum[context] += number;
}

static u64 rbt_swap_load_irq(struct test_writer *writes)
{
	struct rbt_swap_load *load = container_of(writes, struct rbt_swap_load, threads.writes);
	int i;

	for (i = load->next[1] % 4; i >= 0; i--)
		rbt_swap_load_write(load, 1);
	if (load->swaps)
		ring_buffer_swap_cpu(load->buffer[0], load->buffer[1],
				     load->next[1] % 3 ? load->cpu : cpumask_any(cpu_online_mask));
	return 15000 + load->next[1] % 50 * 1000;
}

static void rbt_swap_load_task(struct test_writer *writes)
{
	struct rbt_swap_load *load = container_of(writes, struct rbt_swap_load, threads.writes);

	for (int i = 0; i < 100; i++)
		rbt_swap_load_write(load, 0);
}

static void rbt_swap_load_count(struct rbt_swap_load *load, struct ring_buffer_event *event, u64 ts)
{
	struct rbt_record *record = ring_buffer_event_data(event);

	load->bad += !rbt_good(event, ts);
	load->read[record->number & 1]++;
	load->read_sum[record->number & 1] += record->number;
}

static void rbt_swap_load_read(struct rbt_swap_load *load, struct trace_buffer *buffer, int nr)
{
	u64 ts;

	while (nr-- && ring_buffer_consume_copy(buffer, load->cpu, load->copy, RBT_SUBBUF, &ts,
						NULL) > 0)
		rbt_swap_load_count(load, load->copy, ts);
}

/* The same for whole sub-buffers, or what there is of one. */
static void rbt_swap_load_pages(struct rbt_swap_load *load, struct trace_buffer *buffer, int nr)
{
	while (nr-- && !ring_buffer_read_page(buffer, load->page, PAGE_SIZE, load->cpu, 0)) {
		struct rb_page *page = ring_buffer_read_page_data(load->page);
		struct ring_buffer_event *event;
		u64 ts = page->time_stamp;
		unsigned int off = 0;

		load->pages++;
		while ((event = rbt_next_record(page, &off, &ts))) {
			if (IS_ERR(event))
				load->bad++;
			else
				rbt_swap_load_count(load, event, ts);
		}
	}
}

static void rbt_swap_load_free_page(void *data)
{
	struct rbt_swap_load *load = data;

	ring_buffer_free_read_page(NULL, load->cpu, load->page);
}

static int rbt_swap_load_reader(void *data)
{
	struct rbt_swap_load *load = data;
	struct ring_buffer_event *event;
	struct ring_buffer_iter *iter;
	int i, turn = 0;
	u64 ts;

	while (!READ_ONCE(load->threads.writes.stop)) {
		/* record by record, and by pages, from each of the two */
		if (turn & 2)
			rbt_swap_load_pages(load, load->buffer[turn & 1], 10);
		else
			rbt_swap_load_read(load, load->buffer[turn & 1], 300);
		if (turn++ % 16 == 0) {
			iter = ring_buffer_read_start(load->buffer[turn / 16 % 2], load->cpu,
						      GFP_KERNEL);
			for (i = 0; iter && i < 200; i++) {
				event = ring_buffer_iter_peek(iter, &ts);
				if (!event)
					break;
				load->bad += !rbt_good(event, ts);
				ring_buffer_iter_advance(iter);
			}
			if (iter)
				ring_buffer_read_finish(iter);
		}
		cond_resched();
	}
	complete(&load->threads.read_done);
	return 0;
}

static struct rbt_swap_load *rbt_swap_load_start(struct kunit *test, struct trace_buffer *a,
						 struct trace_buffer *b, bool swaps)
{
	struct rbt_swap_load *loads = rbt_loads_alloc(test, sizeof(*loads)), *load;
	int cpu;

	for_each_online_cpu(cpu) {
		load = &loads[cpu];
		load->buffer[0] = a;
		load->buffer[1] = b;
		load->cpu = cpu;
		load->swaps = swaps;
		load->copy = kunit_kzalloc(test, RBT_SUBBUF, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, load->copy);
		KUNIT_ASSERT_EQ(test, 0, ring_buffer_alloc_read_page(a, cpu, &load->page));
		KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, rbt_swap_load_free_page,
								   load));
		load->threads.writes.task = rbt_swap_load_task;
		load->threads.writes.irq = rbt_swap_load_irq;
		rbt_threads_make(test, &load->threads, cpu, rbt_swap_load_reader, load);
	}
	rbt_loads_start(loads);
	return loads;
}

/* No record was lost, none came twice, and no writer is left over. */
static void rbt_swap_load_laws(struct kunit *test, struct rbt_swap_load *loads)
{
	unsigned long pages = 0;
	int cpu, i;

	for_each_online_cpu(cpu) {
		struct rbt_swap_load *load = &loads[cpu];

		for (i = 0; i < 2; i++)
			rbt_swap_load_read(load, load->buffer[i], INT_MAX);
		KUNIT_EXPECT_EQ(test, 0, load->bad);
		pages += load->pages;
		for (i = 0; i < 2; i++) {
			KUNIT_EXPECT_GT(test, load->written[i], 0);
			KUNIT_EXPECT_EQ(test, load->written[i], load->read[i]);
			KUNIT_EXPECT_EQ(test, load->sum[i], load->read_sum[i]);
			KUNIT_EXPECT_EQ(test, 0, ring_buffer_overrun_cpu(load->buffer[i], cpu));
			KUNIT_EXPECT_EQ(test, 0, ring_buffer_entries_cpu(load->buffer[i], cpu));
			KUNIT_EXPECT_EQ(test, 0, rb_depth(rb_ring_of(load->buffer[i], cpu)));
		}
		KUNIT_EXPECT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
		rbt_not_mute(test, load->buffer[0], load->buffer[1], cpu);
		kunit_info(test, "cpu %d: %lu written in task, %lu in irq, all read", cpu,
			   load->written[0], load->written[1]);
	}
	KUNIT_EXPECT_GT(test, pages, 0);
	kunit_info(test, "%lu times a sub-buffer, or a part of one, was taken out", pages);
}

/* From other CPUs and from interrupts on the CPU; with @resize both change their size. */
static void rbt_swap_load(struct kunit *test, bool resize)
{
	unsigned long end, good = 0, busy = 0, other = 0;
	struct rbt_swap_load *loads;
	struct trace_buffer *a, *b;
	int cpu, i, ret;

	a = rbt_make(test, 16, 0, &cpu);
	b = rbt_make(test, 16, 0, &cpu);
	loads = rbt_swap_load_start(test, a, b, true);
	end = jiffies + 3 * HZ;
	for (i = 0; time_before(jiffies, end); i++) {
		ret = i % 3 ? ring_buffer_swap(a, b) :
		      ring_buffer_swap_cpu(a, b, cpumask_any(cpu_online_mask));
		good += !ret;
		busy += ret == -EBUSY;
		other += ret && ret != -EBUSY;
		if (resize && i % 50 == 0) {
			/* more and more: what does not fit would be overwritten */
			ret = min(16 + i / 50, 200) * RBT_SUBBUF;
			KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(a, ret, RING_BUFFER_ALL_CPUS));
			KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(b, ret, RING_BUFFER_ALL_CPUS));
		}
		if (i % 10 == 0)
			usleep_range(50, 500);
	}
	rbt_loads_stop(loads);
	KUNIT_EXPECT_GT(test, good, 0);
	KUNIT_EXPECT_EQ(test, 0, other);
	rbt_swap_load_laws(test, loads);
	kunit_info(test, "%lu swaps, %lu refused", good, busy);
}

static void rbt_swap_load_only(struct kunit *test)
{
	rbt_swap_load(test, false);
}

static void rbt_swap_load_resize(struct kunit *test)
{
	rbt_swap_load(test, true);
}

/*
 * The other buffer dies right after it was given the rings that are written to;
 * and a reset finds writers in a ring that came by a swap.
 */
static void rbt_swap_load_free(struct kunit *test)
{
	struct rbt_swap_load *loads;
	struct trace_buffer *a, *b, *c;
	unsigned long end, latest;
	int cpu, i;

	a = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	b = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	loads = rbt_swap_load_start(test, a, b, false);
	end = jiffies + 2 * HZ;
	/* where everything is slow few turns come into that */
	latest = jiffies + 30 * HZ;
	for (i = 0; time_before(jiffies, end) || (i <= 5 && time_before(jiffies, latest)); i++) {
		c = ring_buffer_alloc(4 * RBT_SUBBUF, RB_FL_OVERWRITE);
		KUNIT_EXPECT_NOT_NULL(test, c);
		if (!c)
			break;
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_swap(a, c));
		if (i & 1)
			ring_buffer_reset(c);
		ring_buffer_free(c);
	}
	rbt_loads_stop(loads);
	for_each_online_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, 0, loads[cpu].bad);
		KUNIT_EXPECT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
		rbt_not_mute(test, a, b, cpu);
	}
	KUNIT_EXPECT_GT(test, i, 5);
}

static struct kunit_case rbt_swap_cases[] = {
	KUNIT_CASE(rbt_swap),
	KUNIT_CASE(rbt_swap_unfinished),
	KUNIT_CASE(rbt_swap_entered),
	KUNIT_CASE(rbt_swap_iterator),
	KUNIT_CASE_SLOW(rbt_swap_wakes),
	KUNIT_CASE(rbt_swap_wakes_whom),
	KUNIT_CASE_SLOW(rbt_swap_load_only),
	KUNIT_CASE_SLOW(rbt_swap_load_resize),
	KUNIT_CASE_SLOW(rbt_swap_load_free),
	{}
};

TRACE_KUNIT_SUITE("ring_buffer_swap", rbt_swap_cases);
