// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of changes of the size: what is kept, what is counted, and what a
 * reader is told, after any series of them.
 */
#include <kunit/static_stub.h>
#include <linux/cleanup.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "../tests/suite.h"
#include "test.h"

/* Each index is named once, and what is free will not be read. */
static void rbt_table_good(struct kunit *test, struct rb_ring *ring)
{
	struct rb_table *table = ring->table;
	u32 i, nr = 0, index;
	unsigned long *seen;

	seen = bitmap_zalloc(table->nr_sub, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	for (i = 0; i < table->nr_sub; i++) {
		if (!table->sub[i])
			continue;
		KUNIT_EXPECT_EQ(test, i, table->sub[i]->index);
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr, table->nr + 1);
	__set_bit(ring->reader->index, seen);
	for (i = 0; i < table->nr; i++) {
		u64 n = ring->cur->seq - i, slot = table->slot[(n + table->nr) % table->nr];

		/* One may be claimed already. */
		if (!rb_slot_is(slot, n))
			KUNIT_EXPECT_TRUE(test, i == table->nr - 1 &&
					  rb_slot_is(slot, ring->cur->seq + 1));
		else if (slot & RB_SLOT_TAKEN)
			KUNIT_EXPECT_LT(test, (s64)(n - ring->next), 0);
		else
			KUNIT_EXPECT_GE(test, (s64)(n - ring->next), 0);
		index = slot & RB_SLOT_INDEX;
		KUNIT_ASSERT_LT(test, index, table->nr_sub);
		KUNIT_EXPECT_NOT_NULL(test, table->sub[index]);
		KUNIT_EXPECT_FALSE(test, __test_and_set_bit(index, seen));
	}
	bitmap_free(seen);
}

static void rbt_resize_random(struct kunit *test)
{
	unsigned long lost, written = 0, before;
	int cpu, i, j, number, size, next = 0;
	struct trace_buffer *buffer;
	struct rnd_state random;
	u64 ts = 0;

	buffer = rbt_make(test, 5, RB_FL_OVERWRITE, &cpu);
	prandom_seed_state(&random, 1);
	for (i = 0; i < 400; i++) {
		switch (prandom_u32_state(&random) % 4) {
		case 0:
			for (j = prandom_u32_state(&random) % 20; j; j--)
				KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 1000, written++));
			break;
		case 1:
			/* right round and more, or nearly */
			j = ring_buffer_size(buffer, cpu) / 1000 + prandom_u32_state(&random) % 9;
			for (; j > 4; j--)
				KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 1000, written++));
			break;
		case 2:
			for (j = prandom_u32_state(&random) % 40; j; j--) {
				number = rbt_read(test, buffer, cpu, &ts, &lost);
				if (number < 0)
					break;
				/* Every gap is reported where it is. */
				KUNIT_EXPECT_EQ(test, number, next + lost);
				next = number + 1;
			}
			break;
		case 3:
			size = 2 + prandom_u32_state(&random) % (i % 3 ? 12 : 150);
			before = ring_buffer_entries_cpu(buffer, cpu);
			j = ring_buffer_size(buffer, cpu) / RBT_SUBBUF;
			KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(buffer, size * RBT_SUBBUF,
								    RING_BUFFER_ALL_CPUS));
			KUNIT_EXPECT_EQ(test, size * RBT_SUBBUF, ring_buffer_size(buffer, cpu));
			if (size >= j)
				KUNIT_EXPECT_EQ(test, before,
						ring_buffer_entries_cpu(buffer, cpu));
			break;
		}
		rbt_table_good(test, rb_ring_of(buffer, cpu));
		rbt_balance(test, buffer, cpu, written);
		if (i % 100 == 99) {
			ring_buffer_reset(buffer);
			rbt_table_good(test, rb_ring_of(buffer, cpu));
			written = 0;
			next = 0;
		}
	}
	while ((number = rbt_read(test, buffer, cpu, &ts, &lost)) >= 0) {
		KUNIT_EXPECT_EQ(test, number, next + lost);
		next = number + 1;
	}
	rbt_balance(test, buffer, cpu, written);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_bytes_cpu(buffer, cpu));
}

/* What was overwritten is not full: poll and splice with buffer_percent ask for this. */
static void rbt_resize_dirty(struct kunit *test)
{
	struct trace_buffer *buffer;
	int cpu, i;
	u64 ts = 0;

	buffer = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 1000, i));
	KUNIT_EXPECT_EQ(test, 3, ring_buffer_nr_dirty_pages(buffer, cpu));
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(buffer, 100 * RBT_SUBBUF, cpu));
	KUNIT_EXPECT_EQ(test, 3, ring_buffer_nr_dirty_pages(buffer, cpu));
	KUNIT_EXPECT_GT(test, rbt_read(test, buffer, cpu, &ts, NULL), 0);
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(buffer, 2 * RBT_SUBBUF, cpu));
	KUNIT_EXPECT_LE(test, ring_buffer_nr_dirty_pages(buffer, cpu), 1);
}

/* What a buffer was once does not stay with it. */
static void rbt_resize_forgets(struct kunit *test)
{
	struct trace_buffer *buffer;
	int cpu;

	buffer = rbt_make(test, 8, RB_FL_OVERWRITE, &cpu);
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(buffer, 1000 * RBT_SUBBUF, cpu));
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(buffer, 8 * RBT_SUBBUF, cpu));
	ring_buffer_reset_cpu(buffer, cpu);
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(buffer, 7 * RBT_SUBBUF, cpu));
	KUNIT_EXPECT_LT(test, rb_ring_of(buffer, cpu)->table->nr_sub, 16);
	rbt_table_good(test, rb_ring_of(buffer, cpu));
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(buffer, 20 * RBT_SUBBUF, cpu));
	rbt_table_good(test, rb_ring_of(buffer, cpu));
}

/* An iterator goes on behind what was given up, and says so. */
static void rbt_resize_iterator(struct kunit *test)
{
	int cpu, i, number, last = -1, gaps = 0;
	struct ring_buffer_event *event;
	struct ring_buffer_iter *iter;
	struct trace_buffer *buffer;
	u64 ts;

	buffer = rbt_make(test, 200, RB_FL_OVERWRITE, &cpu);
	for (i = 0; i < 780; i++)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 1000, i));
	iter = ring_buffer_read_start(buffer, cpu, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	for (i = 0; i < 40; i++) {
		event = ring_buffer_iter_peek(iter, &ts);
		KUNIT_ASSERT_NOT_NULL(test, event);
		ring_buffer_iter_advance(iter);
	}
	KUNIT_EXPECT_FALSE(test, ring_buffer_iter_dropped(iter));
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(buffer, 20 * RBT_SUBBUF, cpu));
	for (i = 0; (event = ring_buffer_iter_peek(iter, &ts)); i++) {
		KUNIT_EXPECT_TRUE(test, rbt_good(event, ts));
		number = ((struct rbt_record *)ring_buffer_event_data(event))->number;
		gaps += last >= 0 && number != last + 1;
		last = number;
		ring_buffer_iter_advance(iter);
		if (i == 20)
			KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(buffer, 90 * RBT_SUBBUF, cpu));
	}
	KUNIT_EXPECT_EQ(test, 0, gaps);
	KUNIT_EXPECT_EQ(test, 779, last);
	KUNIT_EXPECT_GT(test, i, 50);
	ring_buffer_read_finish(iter);
}

static struct rb_table *rbt_no_table(int cpu, u32 nr, u32 nr_sub)
{
	return NULL;
}

/* Making a buffer smaller needs no memory, again and again; what stays is the newest. */
static void rbt_shrink_without_memory(struct kunit *test)
{
	static const int sizes[] = { 30, 29, 7, 3, 2 };
	struct trace_buffer *buffer;
	unsigned long lost, written = 0;
	int cpu, i, number, last = -1;
	u64 ts = 0;

	buffer = rbt_make(test, 40, RB_FL_OVERWRITE, &cpu);
	for (i = 0; i < 400; i++)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 1000, written++));
	kunit_activate_static_stub(test, rb_table_alloc, rbt_no_table);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(buffer, sizes[i] * RBT_SUBBUF,
							    i % 2 ? cpu : RING_BUFFER_ALL_CPUS));
		KUNIT_EXPECT_EQ(test, ring_buffer_size(buffer, cpu), sizes[i] * RBT_SUBBUF);
		rbt_table_good(test, rb_ring_of(buffer, cpu));
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 1000, written++));
	}
	/* to grow does */
	KUNIT_EXPECT_EQ(test, -ENOMEM, ring_buffer_resize(buffer, 5 * RBT_SUBBUF, cpu));
	KUNIT_EXPECT_EQ(test, ring_buffer_size(buffer, cpu), 2 * RBT_SUBBUF);
	kunit_deactivate_static_stub(test, rb_table_alloc);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(buffer, 5 * RBT_SUBBUF, cpu));
	rbt_table_good(test, rb_ring_of(buffer, cpu));
	kunit_activate_static_stub(test, rb_table_alloc, rbt_no_table);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(buffer, 4 * RBT_SUBBUF, cpu));
	kunit_deactivate_static_stub(test, rb_table_alloc);
	rbt_table_good(test, rb_ring_of(buffer, cpu));

	while ((number = rbt_read(test, buffer, cpu, &ts, &lost)) >= 0) {
		KUNIT_EXPECT_EQ(test, number, last + 1 + lost);
		last = number;
	}
	KUNIT_EXPECT_EQ(test, last, written - 1);
	rbt_balance(test, buffer, cpu, written);
	ring_buffer_reset(buffer);
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 1000, 0));
}

static bool rbt_apply(struct rb_plan *plan)
{
	guard(preempt)();
	return rb_plan_apply(plan);
}

/*
 * A large ring gets smaller. The step with interrupts off does no more than RB_BATCH slots: where a
 * writer has taken more of them since, it does nothing, and is tried again.
 */
static void rbt_resize_in_batches(struct kunit *test)
{
	const int nr = 2000, left = nr / 2;
	struct trace_buffer *buffer;
	unsigned long written = 0, before;
	struct rb_table *old;
	struct rb_plan *plan;
	struct rb_ring *ring;
	int cpu, i;

	buffer = rbt_make(test, nr, RB_FL_OVERWRITE, &cpu);
	ring = rb_ring_of(buffer, cpu);
	old = ring->table;
	plan = &ring->plan;
	*plan = (struct rb_plan){ };
	/* one each in a sub-buffer */
	for (i = 0; i < nr + 10; i++)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, RBT_SUBBUF * 3 / 4, written++));
	before = atomic_long_read(&ring->overrun);
	KUNIT_ASSERT_EQ(test, rb_plan_make(plan, ring, left, 0), 0);
	rb_plan_prepare(plan);
	/* all of it, before interrupts go off for the last step */
	KUNIT_EXPECT_GE(test, atomic_long_read(&ring->overrun) - before, nr - left - 4);

	for (i = 0; i < RB_BATCH + 1; i++)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, RBT_SUBBUF * 3 / 4, written++));
	before = atomic_long_read(&ring->overrun);
	KUNIT_EXPECT_FALSE(test, rbt_apply(plan));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&ring->overrun), before);
	KUNIT_EXPECT_PTR_EQ(test, ring->table, old);

	plan->try++;
	rb_plan_prepare(plan);
	for (i = 0; i < RB_BATCH - 2; i++)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, RBT_SUBBUF * 3 / 4, written++));
	before = atomic_long_read(&ring->overrun);
	KUNIT_EXPECT_TRUE(test, rbt_apply(plan));
	KUNIT_EXPECT_LE(test, atomic_long_read(&ring->overrun) - before, RB_BATCH);
	KUNIT_EXPECT_PTR_EQ(test, ring->table, plan->table);
	rb_plan_free_all(plan, 0);
	*plan = (struct rb_plan){ };

	KUNIT_EXPECT_EQ(test, ring_buffer_size(buffer, cpu), left * RBT_SUBBUF);
	rbt_table_good(test, ring);
	rbt_balance(test, buffer, cpu, written);
}

/* Holds its CPU until the ring of another one has its new size, or for some seconds. */
struct rbt_holder {
	struct rb_ring		*other;
	u32			nr;
	bool			seen;
	struct completion	begun;
	struct completion	done;
};

static int rbt_hold(void *data)
{
	struct rbt_holder *h = data;

	guard(preempt)();
	complete(&h->begun);
	for (int ms = 0; ms < 4000 && !h->seen; ms++) {
		mdelay(1);
		h->seen = READ_ONCE(h->other->nr) == h->nr;
	}
	complete(&h->done);
	return 0;
}

/* A CPU that is busy keeps no other one waiting. */
static void rbt_resize_beside_busy(struct kunit *test)
{
	struct rbt_holder h = { .nr = 4 };
	struct trace_buffer *buffer;
	struct task_struct *task;
	int cpu;

	if (num_online_cpus() < 2)
		kunit_skip(test, "it needs a second CPU");
	/* the others come first where it is one after the other */
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_last(cpu_online_mask)));
	buffer = rbt_make(test, 8, RB_FL_OVERWRITE, &cpu);
	h.other = rb_ring_of(buffer, cpu);
	init_completion(&h.begun);
	init_completion(&h.done);
	task = kthread_run_on_cpu(rbt_hold, &h, cpumask_first(cpu_online_mask), "rbt_hold/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&h.begun);
	KUNIT_EXPECT_EQ(test, ring_buffer_resize(buffer, h.nr * RBT_SUBBUF, RING_BUFFER_ALL_CPUS),
			0);
	wait_for_completion(&h.done);
	KUNIT_EXPECT_TRUE(test, h.seen);
	rbt_table_good(test, rb_ring_of(buffer, cpu));
}

/*
 * Who looks from another CPU whether there was a writer, see ring_buffer_written_on(), may still
 * look at a sub-buffer that is freed: it is as it was. Else the allocator would have links in it,
 * and KASAN a report.
 */
static void rbt_gone_sub_stays(struct kunit *test)
{
	struct rb_sub *sub, *gone, was;
	bool same;

	KUNIT_ASSERT_EQ(test, rb_subs_alloc(&sub, 1, raw_smp_processor_id(), 0), 0);
	memset(sub->count, 0x5a, sizeof(sub->count));
	sub->tail = 1;
	was = *sub;
	gone = sub;
	scoped_guard(preempt) {
		rb_subs_free_bulk(&gone, 1, 0);
		same = !memcmp(sub, &was, sizeof(was));
	}
	KUNIT_EXPECT_TRUE(test, same);
}

static struct kunit_case rbt_resize_cases[] = {
	KUNIT_CASE(rbt_shrink_without_memory),
	KUNIT_CASE(rbt_resize_in_batches),
	KUNIT_CASE(rbt_resize_beside_busy),
	KUNIT_CASE(rbt_resize_random),
	KUNIT_CASE(rbt_resize_dirty),
	KUNIT_CASE(rbt_resize_iterator),
	KUNIT_CASE(rbt_resize_forgets),
	KUNIT_CASE(rbt_gone_sub_stays),
	{}
};

TRACE_KUNIT_SUITE("ring_buffer_resize", rbt_resize_cases);
