// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the ring buffer: its laws, one by one and under load.
 *
 *  (a) entries written = read + still there + overwritten, and what was not
 *      written is counted by cause.
 *  (b) Times never go backwards within a CPU, but where its clock was put back.
 *  (c) A reader never sees an uncommitted byte.
 *  (d) Whoever disables recording and synchronises sees no later write.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <kunit/test.h>
#include <linux/cache.h>
#include <linux/cleanup.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/trace_clock.h>

#include "../tests/suite.h"
#include "load_test.h"
#include "size.h"
#include "test.h"

static void rbt_lengths(struct kunit *test)
{
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;
	unsigned long length, max;
	u64 ts = 0;
	int cpu;
	u8 *data;

	buffer = rbt_make(test, 4, 0, &cpu);
	max = ring_buffer_max_event_size(buffer);
	KUNIT_EXPECT_EQ(test, max, RBT_SUBBUF - 8);
	data = kunit_kzalloc(test, max + 1, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, data);

	for (length = 0; length <= max; length += length < 300 ? 1 : 97) {
		memset(data, length, length);
		KUNIT_ASSERT_EQ(test, 0, ring_buffer_write(buffer, length, data));
		event = ring_buffer_consume(buffer, cpu, &ts, NULL);
		KUNIT_ASSERT_NOT_NULL(test, event);
		KUNIT_EXPECT_GE(test, ring_buffer_event_length(event), length);
		/* nothing is kept as one byte; where data is aligned to 8 that becomes 8 */
		KUNIT_EXPECT_LT(test, ring_buffer_event_length(event), max(length, 1UL) + 8);
		KUNIT_EXPECT_EQ(test, 0, memcmp(ring_buffer_event_data(event), data, length));
	}
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_write(buffer, max, data));
	KUNIT_EXPECT_EQ(test, -EBUSY, ring_buffer_write(buffer, max + 1, data));
	KUNIT_EXPECT_NULL(test, ring_buffer_lock_reserve(buffer, ULONG_MAX));
	KUNIT_EXPECT_NULL(test, ring_buffer_lock_reserve(buffer, UINT_MAX - 3));
}

/* What a writer touches of a sub-buffer is one line, and no other CPU's. */
static void rbt_lines(struct kunit *test)
{
	const size_t line = min_t(size_t, cache_line_size(), 64);
	struct trace_buffer *buffer;
	struct rb_table *table;
	u32 i, seen = 0;
	int cpu;

	static_assert(offsetofend(struct rb_sub, count[0]) <= 64);
	buffer = rbt_make(test, 16, 0, &cpu);
	table = per_cpu_ptr(buffer->cpu, cpu)->ring->table;
	for (i = 0; i < table->nr_sub; i++) {
		if (!table->sub[i])
			continue;
		seen++;
		KUNIT_EXPECT_TRUE_MSG(test, IS_ALIGNED((unsigned long)table->sub[i], line),
				      "sub-buffer %u", i);
	}
	KUNIT_EXPECT_GE(test, seen, 16U);
}

static void rbt_times(struct kunit *test)
{
	static const u64 steps[] = {
		0, 1, 0, BIT(26), BIT(27) - 1, BIT(27), BIT(27) + 1, BIT_ULL(32),
		BIT_ULL(41), BIT_ULL(42) - 1, BIT_ULL(42), BIT_ULL(43), 5, BIT_ULL(50), 0,
	};
	struct trace_buffer *buffer;
	unsigned long written = 0;
	int cpu, i, abs;
	u64 ts = 0;

	buffer = rbt_make(test, 64, 0, &cpu);
	ring_buffer_set_clock(buffer, rbt_clock);
	WRITE_ONCE(rbt_now, 0);
	for (abs = 0; abs < 2; abs++) {
		ring_buffer_set_time_stamp_abs(buffer, abs);
		for (i = 0; i < ARRAY_SIZE(steps); i++) {
			WRITE_ONCE(rbt_now, rbt_now + steps[i]);
			KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 40, i));
			KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 3000, i));
			written += 2;
			KUNIT_ASSERT_EQ(test, i, rbt_read(test, buffer, cpu, &ts, NULL));
			KUNIT_EXPECT_EQ(test, ts, rbt_now);
			KUNIT_ASSERT_EQ(test, i, rbt_read(test, buffer, cpu, &ts, NULL));
			KUNIT_EXPECT_EQ(test, ts, rbt_now);
		}
	}
	/* A clock that goes backwards: time stands still, (b). */
	WRITE_ONCE(rbt_now, rbt_now - 1000);
	KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 40, 1));
	KUNIT_EXPECT_EQ(test, 1, rbt_read(test, buffer, cpu, &ts, NULL));
	KUNIT_EXPECT_EQ(test, ts, rbt_now + 1000);
	rbt_balance(test, buffer, cpu, written + 1);
}

/* The first record, and the second that was made within it: in order, and nothing else. */
static void expect_nested(struct kunit *test, struct trace_buffer *buffer, int cpu)
{
	u64 ts = 0;

	for (int i = 1; i <= 2; i++)
		KUNIT_EXPECT_EQ(test, i, rbt_read(test, buffer, cpu, &ts, NULL));
	KUNIT_EXPECT_EQ(test, -1, rbt_read(test, buffer, cpu, &ts, NULL));
	rbt_balance(test, buffer, cpu, 2);
}

static void rbt_nesting(struct kunit *test)
{
	struct ring_buffer_event *outer, *inner;
	struct trace_buffer *buffer;
	int cpu;

	buffer = rbt_make(test, 4, 0, &cpu);
	outer = ring_buffer_lock_reserve(buffer, 64);
	KUNIT_ASSERT_NOT_NULL(test, outer);
	inner = ring_buffer_lock_reserve(buffer, 64);
	if (inner) {
		rbt_fill(buffer, inner, 64, 2);
		ring_buffer_unlock_commit(buffer);
	}
	/* (c): what is finished behind something unfinished is not seen. */
	KUNIT_EXPECT_TRUE(test, ring_buffer_empty_cpu(buffer, cpu));
	KUNIT_EXPECT_NULL(test, ring_buffer_peek(buffer, cpu, NULL, NULL));
	rbt_fill(buffer, outer, 64, 1);
	ring_buffer_unlock_commit(buffer);
	KUNIT_EXPECT_NOT_NULL(test, inner);

	expect_nested(test, buffer, cpu);
}

/* With interrupts off and preemption on an NMI still nests: it is not the outermost one. */
static void rbt_nesting_irqs_off(struct kunit *test)
{
	struct ring_buffer_slot outer, inner;
	struct trace_buffer *buffer;
	bool nested = false, seen = true;
	int cpu;

	buffer = rbt_make(test, 4, 0, &cpu);
	KUNIT_ASSERT_EQ(test, 0, preempt_count());
	scoped_guard(irqsave) {
		if (!ring_buffer_slot_reserve(buffer, 64, &outer))
			break;
		nested = ring_buffer_slot_reserve(buffer, 64, &inner);
		if (nested) {
			rbt_fill_slot(&inner, 64, 2);
			ring_buffer_slot_commit(&inner);
		}
		seen = !ring_buffer_empty_cpu(buffer, cpu);
		rbt_fill_slot(&outer, 64, 1);
		ring_buffer_slot_commit(&outer);
	}
	KUNIT_EXPECT_TRUE(test, nested);
	KUNIT_EXPECT_FALSE(test, seen);
	expect_nested(test, buffer, cpu);
}

/* A debugger's NMI looks into a buffer that somebody reads; then all goes on. */
static void rbt_read_in_nmi(struct kunit *test)
{
	struct ring_buffer_iter *iter;
	struct trace_buffer *buffer;
	int cpu;

	if (!IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "where there is one CPU a lock that is held looks free");
	buffer = rbt_make(test, 4, 0, &cpu);
	iter = ring_buffer_read_start(buffer, cpu, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	scoped_guard(raw_spinlock_irqsave, &rb_cpu_of(buffer, cpu)->ring->lock) {
		preempt_count_add(NMI_OFFSET + HARDIRQ_OFFSET);
		ring_buffer_iter_reset(iter);
		preempt_count_sub(NMI_OFFSET + HARDIRQ_OFFSET);
	}
	ring_buffer_read_finish(iter);
	KUNIT_EXPECT_FALSE(test, ring_buffer_record_is_set_on(buffer));
	KUNIT_EXPECT_FALSE(test, rbt_write(buffer, 40, 1));
	ring_buffer_record_on(buffer);
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 40, 1));
}

static void rbt_recursion(struct kunit *test)
{
	struct ring_buffer_event *event[5] = { };
	struct trace_buffer *buffer;
	int cpu, i, nr = 0;

	buffer = rbt_make(test, 4, 0, &cpu);
	for (i = 0; i < 4; i++) {
		if (i == 3)
			ring_buffer_nest_start(buffer);
		event[i] = ring_buffer_lock_reserve(buffer, 64);
	}
	for (i = 3; i >= 0; i--) {
		if (event[i]) {
			rbt_fill(buffer, event[i], 64, i);
			ring_buffer_unlock_commit(buffer);
			nr++;
		}
		if (i == 3)
			ring_buffer_nest_end(buffer);
	}
	/* One in itself is fine, a third only when announced. */
	KUNIT_EXPECT_NOT_NULL(test, event[0]);
	KUNIT_EXPECT_NOT_NULL(test, event[1]);
	KUNIT_EXPECT_NULL(test, event[2]);
	KUNIT_EXPECT_NOT_NULL(test, event[3]);
	rbt_balance(test, buffer, cpu, nr);
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 64, 1));
}

static void rbt_discard(struct kunit *test)
{
	struct ring_buffer_event *outer, *inner;
	struct trace_buffer *buffer;
	unsigned long bytes;
	u32 length;
	u64 ts = 0;
	int cpu;

	buffer = rbt_make(test, 16, 0, &cpu);
	ring_buffer_set_clock(buffer, rbt_clock);
	WRITE_ONCE(rbt_now, 1000);
	KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 64, 1));
	bytes = ring_buffer_bytes_cpu(buffer, cpu);

	/* The last one vanishes, with its time extend. */
	for (length = 1; length < 2000; length = length * 2 + 1) {
		WRITE_ONCE(rbt_now, rbt_now + BIT_ULL(28));
		outer = ring_buffer_lock_reserve(buffer, length);
		KUNIT_ASSERT_NOT_NULL(test, outer);
		ring_buffer_discard_commit(buffer, outer);
		KUNIT_EXPECT_EQ(test, bytes, ring_buffer_bytes_cpu(buffer, cpu));
	}
	rbt_balance(test, buffer, cpu, 1);

	/* One that has another one behind it is skipped, whatever its delta. */
	for (length = 1; length < 2000; length = length * 2 + 1) {
		WRITE_ONCE(rbt_now, rbt_now + (length & 2 ? 0 : BIT_ULL(length & 31)));
		outer = ring_buffer_lock_reserve(buffer, length);
		KUNIT_ASSERT_NOT_NULL(test, outer);
		inner = ring_buffer_lock_reserve(buffer, 64);
		if (inner) {
			rbt_fill(buffer, inner, 64, length & 127);
			ring_buffer_unlock_commit(buffer);
		}
		ring_buffer_discard_commit(buffer, outer);
		KUNIT_ASSERT_NOT_NULL(test, inner);
	}
	KUNIT_EXPECT_EQ(test, 1, rbt_read(test, buffer, cpu, &ts, NULL));
	for (length = 1; length < 2000; length = length * 2 + 1)
		KUNIT_EXPECT_EQ(test, length & 127, rbt_read(test, buffer, cpu, &ts, NULL));
	KUNIT_EXPECT_EQ(test, ts, rbt_now);
	KUNIT_EXPECT_EQ(test, -1, rbt_read(test, buffer, cpu, &ts, NULL));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_bytes_cpu(buffer, cpu));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_entries_cpu(buffer, cpu));
}

static void rbt_overwrite(struct kunit *test)
{
	unsigned long lost = 0, sum = 0, read = 0;
	struct trace_buffer *buffer;
	int cpu, i, number;
	u64 ts = 0;

	buffer = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 100, i));
	KUNIT_EXPECT_GT(test, ring_buffer_overrun_cpu(buffer, cpu), 0);
	rbt_balance(test, buffer, cpu, 1000);

	/* (a): every gap in the numbers is reported, right where it is. */
	for (i = 0; (number = rbt_read(test, buffer, cpu, &ts, &lost)) >= 0; i = number + 1) {
		KUNIT_EXPECT_EQ(test, number, i + lost);
		sum += lost;
		read++;
		if (number % 40 == 0 && number < 990) {
			for (i = 0; i < 10; i++)
				rbt_write(buffer, 100, 1000 + read * 10 + i);
			break;
		}
	}
	KUNIT_EXPECT_GT(test, sum, 0);
	rbt_balance(test, buffer, cpu, number >= 0 ? 1010 : 1000);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_dropped_events_cpu(buffer, cpu));
}

static void rbt_full(struct kunit *test)
{
	struct trace_buffer *buffer;
	unsigned long good = 0;
	u64 ts = 0;
	int cpu, i;

	buffer = rbt_make(test, 4, 0, &cpu);
	for (i = 0; i < 1000; i++)
		good += rbt_write(buffer, 100, i);
	KUNIT_EXPECT_EQ(test, 1000 - good, ring_buffer_dropped_events_cpu(buffer, cpu));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_overrun_cpu(buffer, cpu));
	rbt_balance(test, buffer, cpu, good);
	for (i = 0; i < good; i++)
		KUNIT_EXPECT_EQ(test, i, rbt_read(test, buffer, cpu, &ts, NULL));
	KUNIT_EXPECT_EQ(test, -1, rbt_read(test, buffer, cpu, &ts, NULL));
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 100, 1));
}

static void rbt_unfinished(struct kunit *test)
{
	struct ring_buffer_event *outer;
	struct trace_buffer *buffer;
	unsigned long good = 1;
	u64 ts = 0;
	int cpu, i;

	buffer = rbt_make(test, 3, RB_FL_OVERWRITE, &cpu);
	outer = ring_buffer_lock_reserve(buffer, 64);
	KUNIT_ASSERT_NOT_NULL(test, outer);
	for (i = 1; i < 500; i++)
		good += rbt_write(buffer, 100, i);
	rbt_fill(buffer, outer, 64, 0);
	ring_buffer_unlock_commit(buffer);

	/* Nobody passed the unfinished one, and all of it is accounted for. */
	KUNIT_EXPECT_GT(test, ring_buffer_commit_overrun_cpu(buffer, cpu), 0);
	KUNIT_EXPECT_EQ(test, 500 - good, ring_buffer_commit_overrun_cpu(buffer, cpu));
	rbt_balance(test, buffer, cpu, good);
	for (i = 0; i < good; i++)
		KUNIT_EXPECT_EQ(test, i, rbt_read(test, buffer, cpu, &ts, NULL));
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 100, 1));
}

static void rbt_pages(struct kunit *test)
{
	struct buffer_data_read_page *page;
	struct trace_buffer *buffer;
	unsigned long stored, read = 0;
	struct rb_page *data;
	int cpu, i, nr;
	u64 ts = 0;

	buffer = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_alloc_read_page(buffer, cpu, &page));
	KUNIT_EXPECT_EQ(test, PAGE_SIZE, ring_buffer_read_page_size(page));
	KUNIT_EXPECT_LT(test, ring_buffer_read_page(buffer, page, PAGE_SIZE, cpu, 0), 0);

	/* A part of what is being written, but not if it has to be full. */
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 100, 0));
	KUNIT_EXPECT_LT(test, ring_buffer_read_page(buffer, page, PAGE_SIZE, cpu, 1), 0);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_read_page(buffer, page, PAGE_SIZE, cpu, 0));
	KUNIT_EXPECT_EQ(test, 1, rbt_parse(ring_buffer_read_page_data(page), &ts));

	for (i = 1; i < 1000; i++)
		KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 100, i));
	KUNIT_EXPECT_LT(test, ring_buffer_read_page(buffer, page, 32, cpu, 0), 0);
	/* Pieces of some 500 bytes, the rest of the sub-buffer, whole ones. */
	for (i = 0; ; i++) {
		if (ring_buffer_read_page(buffer, page, i < 3 ? 500 : PAGE_SIZE, cpu, 0) < 0)
			break;
		data = ring_buffer_read_page_data(page);
		nr = rbt_parse(data, &ts);
		KUNIT_ASSERT_GT(test, nr, 0);
		read += nr;
		if (data->commit & RB_MISSED_STORED) {
			memcpy(&stored, &data->data[data->commit & RB_COMMIT_MASK], 8);
			KUNIT_EXPECT_EQ(test, stored, ring_buffer_overrun_cpu(buffer, cpu));
			KUNIT_EXPECT_TRUE(test, data->commit & RB_MISSED_EVENTS);
		}
	}
	KUNIT_EXPECT_EQ(test, 999, read + ring_buffer_overrun_cpu(buffer, cpu));
	rbt_balance(test, buffer, cpu, 1000);
	ring_buffer_free_read_page(buffer, cpu, page);
}

static void rbt_iterators(struct kunit *test)
{
	struct ring_buffer_event *event;
	struct ring_buffer_iter *iter;
	struct trace_buffer *buffer;
	u64 ts, last = 0;
	int cpu, i, nr;

	buffer = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	for (i = 0; i < 100; i++)
		rbt_write(buffer, 64, i);

	iter = ring_buffer_read_start(buffer, cpu, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	for (nr = 0; (event = ring_buffer_iter_peek(iter, &ts)); nr++) {
		KUNIT_EXPECT_TRUE(test, rbt_good(event, ts));
		ring_buffer_iter_advance(iter);
	}
	KUNIT_EXPECT_EQ(test, 100, nr);
	KUNIT_EXPECT_TRUE(test, ring_buffer_iter_empty(iter));
	KUNIT_EXPECT_FALSE(test, ring_buffer_iter_dropped(iter));
	KUNIT_EXPECT_EQ(test, 100, ring_buffer_entries_cpu(buffer, cpu));

	/* The writer overtakes. */
	ring_buffer_iter_reset(iter);
	for (nr = 0; nr < 1000 && (event = ring_buffer_iter_peek(iter, &ts)); nr++) {
		KUNIT_EXPECT_TRUE(test, rbt_good(event, ts));
		KUNIT_EXPECT_GE(test, ts, last);
		last = ts;
		ring_buffer_iter_advance(iter);
		for (i = 0; i < 5; i++)
			rbt_write(buffer, 64, nr + i);
	}
	KUNIT_EXPECT_TRUE(test, ring_buffer_iter_dropped(iter));
	KUNIT_EXPECT_FALSE(test, ring_buffer_iter_dropped(iter));
	KUNIT_EXPECT_TRUE(test, ring_buffer_is_held(buffer));
	KUNIT_EXPECT_EQ(test, -EBUSY, ring_buffer_subbuf_order_set(buffer, 1));
	ring_buffer_read_finish(iter);
	KUNIT_EXPECT_FALSE(test, ring_buffer_is_held(buffer));
}

static void rbt_resize(struct kunit *test)
{
	static const int sizes[] = { 8, 20, 3, 2, 1, 50, 7, 6, 33 };
	unsigned long written = 0, before;
	struct trace_buffer *buffer;
	int cpu, i, j;
	u64 ts = 0;

	buffer = rbt_make(test, 5, RB_FL_OVERWRITE, &cpu);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (j = 0; j < 30 * i * i; j++)
			written += rbt_write(buffer, 100, j);
		for (j = 0; j < 5; j++)
			rbt_read(test, buffer, cpu, &ts, NULL);
		before = ring_buffer_entries_cpu(buffer, cpu);
		j = ring_buffer_size(buffer, cpu) / RBT_SUBBUF;
		KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(buffer, sizes[i] * RBT_SUBBUF,
							    i & 1 ? cpu : RING_BUFFER_ALL_CPUS));
		KUNIT_EXPECT_EQ(test, max(2, sizes[i]) * RBT_SUBBUF,
				ring_buffer_size(buffer, cpu));
		if (sizes[i] >= j)
			KUNIT_EXPECT_EQ(test, before, ring_buffer_entries_cpu(buffer, cpu));
		rbt_balance(test, buffer, cpu, written);
	}

	/* Too much to have: nothing changes. */
	before = ring_buffer_entries_cpu(buffer, cpu);
	KUNIT_EXPECT_EQ(test, -ENOMEM, ring_buffer_resize(buffer, ULONG_MAX, cpu));
	KUNIT_EXPECT_EQ(test, -ENOMEM, ring_buffer_resize(buffer, BIT(46), RING_BUFFER_ALL_CPUS));
	KUNIT_EXPECT_EQ(test, 33 * RBT_SUBBUF, ring_buffer_size(buffer, cpu));
	KUNIT_EXPECT_EQ(test, before, ring_buffer_entries_cpu(buffer, cpu));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(buffer, 4096, nr_cpu_ids));

	while (rbt_read(test, buffer, cpu, &ts, NULL) >= 0)
		;
	rbt_balance(test, buffer, cpu, written);

	KUNIT_EXPECT_EQ(test, -EINVAL, ring_buffer_subbuf_order_set(buffer, -1));
	KUNIT_EXPECT_EQ(test, -EINVAL, ring_buffer_subbuf_order_set(buffer, 30));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(buffer, 2));
	KUNIT_EXPECT_EQ(test, 2, ring_buffer_subbuf_order_get(buffer));
	KUNIT_EXPECT_EQ(test, 4 * PAGE_SIZE, ring_buffer_subbuf_size_get(buffer));
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 4 * PAGE_SIZE - 24, 7));
	KUNIT_EXPECT_EQ(test, 7, rbt_read(test, buffer, cpu, &ts, NULL));

	/* What was rounded up for large ones is given back, unless another size was asked for. */
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(buffer, 5));
	KUNIT_EXPECT_GT(test, ring_buffer_size(buffer, cpu), 33 * RBT_SUBBUF);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(buffer, 1));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(buffer, 0));
	KUNIT_EXPECT_EQ(test, 33 * RBT_SUBBUF, ring_buffer_size(buffer, cpu));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(buffer, 5));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(buffer, 7 * RBT_SUBBUF, RING_BUFFER_ALL_CPUS));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(buffer, 0));
	KUNIT_EXPECT_EQ(test, DIV_ROUND_UP(2 * ((PAGE_SIZE << 5) - RB_PAGE_HEADER), RBT_SUBBUF) *
			      RBT_SUBBUF, ring_buffer_size(buffer, cpu));
}

/* Memory runs out after so many sub-buffers. */
static int rbt_pages_left;

static struct rb_page *rbt_page_alloc(int cpu, unsigned int order, gfp_t flags)
{
	struct kunit *test = kunit_get_current_test();
	struct rb_page *page;

	if (!rbt_pages_left)
		return NULL;
	rbt_pages_left--;

	kunit_deactivate_static_stub(test, rb_page_alloc);
	page = rb_page_alloc(cpu, order, flags);
	kunit_activate_static_stub(test, rb_page_alloc, rbt_page_alloc);
	return page;
}

/* Wherever a change of size runs out of memory, all CPUs are what they were. */
static void rbt_no_memory(struct kunit *test)
{
	unsigned long written = 0, entries;
	struct trace_buffer *buffer;
	int cpu, i, left;
	u64 ts = 0;

	buffer = rbt_make(test, 5, RB_FL_OVERWRITE, &cpu);
	for (i = 0; i < 200; i++)
		written += rbt_write(buffer, 100, i);
	entries = ring_buffer_entries_cpu(buffer, cpu);

	for (left = 0; left < 4 * num_online_cpus(); left++) {
		rbt_pages_left = left;
		kunit_activate_static_stub(test, rb_page_alloc, rbt_page_alloc);
		KUNIT_EXPECT_EQ(test, -ENOMEM,
				ring_buffer_resize(buffer, 9 * RBT_SUBBUF, RING_BUFFER_ALL_CPUS));
		rbt_pages_left = left;
		KUNIT_EXPECT_EQ(test, -ENOMEM, ring_buffer_subbuf_order_set(buffer, 1));
		/* six pages a CPU; what the console says of the last of them is no splat */
		rbt_pages_left = min_t(int, left, 6 * num_online_cpus() - 1);
		KUNIT_EXPECT_NULL(test, ring_buffer_alloc(5 * RBT_SUBBUF, 0));
		kunit_deactivate_static_stub(test, rb_page_alloc);

		for_each_online_cpu(i)
			KUNIT_EXPECT_EQ(test, 5 * RBT_SUBBUF, ring_buffer_size(buffer, i));
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_get(buffer));
		KUNIT_EXPECT_EQ(test, entries, ring_buffer_entries_cpu(buffer, cpu));
		rbt_balance(test, buffer, cpu, written);
	}

	/* All that was recorded can be read, and more can be recorded. */
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 100, i));
	written++;
	while (rbt_read(test, buffer, cpu, &ts, NULL) >= 0)
		;
	rbt_balance(test, buffer, cpu, written);
}

static void rbt_switches(struct kunit *test)
{
	struct trace_buffer *buffer;
	int cpu;

	buffer = rbt_make(test, 4, 0, &cpu);
	ring_buffer_record_disable(buffer);
	ring_buffer_record_disable(buffer);
	KUNIT_EXPECT_FALSE(test, ring_buffer_record_is_on(buffer));
	KUNIT_EXPECT_TRUE(test, ring_buffer_record_is_set_on(buffer));
	ring_buffer_record_enable(buffer);
	KUNIT_EXPECT_FALSE(test, rbt_write(buffer, 64, 1));
	ring_buffer_record_off(buffer);
	ring_buffer_record_off(buffer);
	ring_buffer_record_enable(buffer);
	KUNIT_EXPECT_FALSE(test, ring_buffer_record_is_set_on(buffer));
	KUNIT_EXPECT_FALSE(test, rbt_write(buffer, 64, 1));
	ring_buffer_record_on(buffer);
	KUNIT_EXPECT_TRUE(test, ring_buffer_record_is_on(buffer));
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 64, 1));
	ring_buffer_record_disable_cpu(buffer, cpu);
	KUNIT_EXPECT_FALSE(test, rbt_write(buffer, 64, 1));
	ring_buffer_record_enable_cpu(buffer, cpu);
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 64, 1));

	rbt_balance(test, buffer, cpu, 2);
	ring_buffer_reset(buffer);
	rbt_balance(test, buffer, cpu, 0);
	KUNIT_EXPECT_TRUE(test, ring_buffer_empty(buffer));
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 64, 1));
	ring_buffer_reset_cpu(buffer, cpu);
	KUNIT_EXPECT_TRUE(test, ring_buffer_empty(buffer));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_oldest_event_ts(buffer, cpu));
}

/*
 * A CPU that has no ring, as one that was never up: what is asked for it counts
 * all the same, it may get one before that is undone.
 */
static void rbt_no_ring(struct kunit *test)
{
	struct trace_buffer *buffer;
	struct rb_ring *ring;
	int cpu, other, out;
	struct rb_cpu *p;

	buffer = rbt_make(test, 4, 0, &cpu);
	/* one that is up, so that it has a ring to be without */
	other = cpumask_any_but(cpu_online_mask, cpu);
	if (other >= nr_cpu_ids)
		kunit_skip(test, "only one CPU");
	p = rb_cpu_of(buffer, other);
	KUNIT_ASSERT_NOT_NULL(test, p->ring);

	/* Stopped while there is none, and then while there is one. */
	for (out = 0; out < 2; out++) {
		ring = p->ring;
		p->ring = NULL;
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_entries_cpu(buffer, other));
		if (!out)
			ring_buffer_record_disable_cpu(buffer, other);
		else
			ring_buffer_record_enable_cpu(buffer, other);
		p->ring = ring;
		KUNIT_EXPECT_EQ(test, 1 - out, atomic_read(&p->stop));
	}
	ring_buffer_record_disable_cpu(buffer, nr_cpu_ids);
	ring_buffer_record_disable_cpu(buffer, -1);
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 64, 1));
}

/* ---- Load --------------------------------------------------------------- */

struct rbt_load {
	struct trace_buffer	*buffer;
	struct rbt_threads	threads;
	int			cpu;
	/* By context: task, irq */
	u32			random[2];
	unsigned long		tried[2];
	unsigned long		written[2];
	unsigned long		discarded[2];
	unsigned long		read;
	unsigned long		lost;
	unsigned long		bad;
	u64			last;
};

static u32 rbt_random(struct rbt_load *load, int context)
{
	u32 *state = &load->random[context];

	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void rbt_load_write(struct rbt_load *load, int context)
{
	u32 random = rbt_random(load, context);
	u32 length = sizeof(struct rbt_record) + random % (random & 0x700 ? 60 : 3000);
	struct ring_buffer_event *event;

	load->tried[context]++;
	event = ring_buffer_lock_reserve(load->buffer, length);
	if (!event)
		return;
	/* (c): anything half done would be seen. */
	memset(ring_buffer_event_data(event), 0xa5, length);
	rbt_fill(load->buffer, event, length, random);
	if (random % 7 == 0) {
		ring_buffer_discard_commit(load->buffer, event);
		load->discarded[context]++;
	} else {
		ring_buffer_unlock_commit(load->buffer);
		load->written[context]++;
	}
}

static u64 rbt_load_irq(struct test_writer *writes)
{
	struct rbt_load *load = container_of(writes, struct rbt_load, threads.writes);
	int i;

	for (i = rbt_random(load, 1) % 4; i >= 0; i--)
		rbt_load_write(load, 1);
	return 20000 + rbt_random(load, 1) % 60000;
}

static void rbt_load_task(struct test_writer *writes)
{
	for (int i = 0; i < 100; i++)
		rbt_load_write(container_of(writes, struct rbt_load, threads.writes), 0);
}

static void rbt_load_check(struct rbt_load *load, struct ring_buffer_event *event, u64 ts)
{
	if (ts < load->last || !rbt_good(event, ts))
		load->bad++;
	load->last = ts;
}

static void rbt_load_consume(struct rbt_load *load, int nr)
{
	struct ring_buffer_event *event;
	unsigned long lost;
	u64 ts;

	while (nr-- && (event = ring_buffer_consume(load->buffer, load->cpu, &ts, &lost))) {
		rbt_load_check(load, event, ts);
		load->read++;
		load->lost += lost;
	}
}

static void rbt_load_page(struct rbt_load *load)
{
	struct buffer_data_read_page *page;
	struct rb_page *data;
	unsigned long lost;
	int nr;

	if (ring_buffer_alloc_read_page(load->buffer, load->cpu, &page))
		return;
	if (ring_buffer_read_page(load->buffer, page, PAGE_SIZE, load->cpu,
				  rbt_random(load, 0) & 1) >= 0) {
		data = ring_buffer_read_page_data(page);
		nr = rbt_parse(data, &load->last);
		if (nr < 0)
			load->bad++;
		else
			load->read += nr;
		if (data->commit & RB_MISSED_STORED) {
			memcpy(&lost, &data->data[data->commit & RB_COMMIT_MASK], sizeof(lost));
			load->lost += lost;
		}
	}
	ring_buffer_free_read_page(load->buffer, load->cpu, page);
}

static void rbt_load_iterate(struct rbt_load *load)
{
	struct ring_buffer_event *event;
	struct ring_buffer_iter *iter;
	u64 ts, last = 0;
	int nr = 0;

	iter = ring_buffer_read_start(load->buffer, load->cpu, GFP_KERNEL);
	if (!iter)
		return;
	while (nr++ < 1000 && (event = ring_buffer_iter_peek(iter, &ts))) {
		if (ts < last || !rbt_good(event, ts))
			load->bad++;
		last = ts;
		ring_buffer_iter_advance(iter);
	}
	ring_buffer_read_finish(iter);
}

static int rbt_load_reader(void *data)
{
	struct rbt_load *load = data;
	int turn = 0;

	while (!READ_ONCE(load->threads.writes.stop)) {
		switch (turn++ % 8) {
		case 0:
			rbt_load_iterate(load);
			break;
		case 1:
			usleep_range(200, 2000);
			break;
		case 2:
		case 3:
		case 4:
			rbt_load_page(load);
			break;
		default:
			rbt_load_consume(load, 100);
			break;
		}
		cond_resched();
	}
	complete(&load->threads.read_done);
	return 0;
}

/* Records that were ever written to any ring. */
static unsigned long rbt_all_written(struct trace_buffer *buffer)
{
	unsigned long sum = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		struct rb_ring *ring = rb_ring_of(buffer, cpu);

		sum += READ_ONCE(ring->done_entries) + rb_sub_entries(READ_ONCE(ring->commit));
	}
	return sum;
}

/* A writer in a task, one in an interrupt, and a reader for each CPU. */
static struct rbt_load *rbt_load_start(struct kunit *test, struct trace_buffer *buffer)
{
	struct rbt_load *loads = rbt_loads_alloc(test, sizeof(*loads)), *load;
	int cpu;

	for_each_online_cpu(cpu) {
		load = &loads[cpu];
		load->buffer = buffer;
		load->cpu = cpu;
		load->random[0] = cpu + 1;
		load->random[1] = cpu + 77;
		load->threads.writes.task = rbt_load_task;
		load->threads.writes.irq = rbt_load_irq;
		rbt_threads_make(test, &load->threads, cpu, rbt_load_reader, load);
	}
	rbt_loads_start(loads);

	return loads;
}

static void rbt_load_stop(struct rbt_load *loads)
{
	int cpu;

	rbt_loads_stop(loads);
	/* What is left. */
	for_each_online_cpu(cpu)
		rbt_load_consume(&loads[cpu], INT_MAX);
}

/* Laws (a) to (c), after the load. */
static void rbt_load_laws(struct kunit *test, struct rbt_load *load, bool always_on)
{
	struct trace_buffer *buffer = load->buffer;
	unsigned long written = load->written[0] + load->written[1];
	unsigned long tried = load->tried[0] + load->tried[1];
	unsigned long overwritten, dropped, unfinished;
	int cpu = load->cpu;

	overwritten = ring_buffer_overrun_cpu(buffer, cpu);
	dropped = ring_buffer_dropped_events_cpu(buffer, cpu);
	unfinished = ring_buffer_commit_overrun_cpu(buffer, cpu);

	KUNIT_EXPECT_GT(test, load->written[0], 0);
	KUNIT_EXPECT_GT(test, load->written[1], 0);
	KUNIT_EXPECT_EQ(test, 0, load->bad);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_entries_cpu(buffer, cpu));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_bytes_cpu(buffer, cpu));
	KUNIT_EXPECT_EQ(test, load->read, ring_buffer_read_events_cpu(buffer, cpu));
	KUNIT_EXPECT_EQ(test, written, load->read + overwritten);
	KUNIT_EXPECT_LE(test, load->lost, overwritten);
	if (always_on)
		KUNIT_EXPECT_EQ(test, tried, written + dropped + unfinished +
				load->discarded[0] + load->discarded[1]);
	kunit_info(test, "cpu %d: %lu tried, %lu written (%lu in irq), %lu read, %lu overwritten, %lu dropped, %lu for unfinished",
		   cpu, tried, written, load->written[1], load->read, overwritten,
		   dropped, unfinished);
}

static void rbt_load(struct kunit *test, unsigned int flags, bool resize)
{
	struct trace_buffer *buffer;
	struct rbt_load *loads;
	unsigned long end;
	int cpu, i;

	buffer = rbt_make(test, 8, flags, &cpu);
	loads = rbt_load_start(test, buffer);
	end = jiffies + 2 * HZ;
	for (i = 0; time_before(jiffies, end); i++) {
		msleep(20);
		if (resize)
			KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(buffer,
								    (2 + i * 7 % 20) * RBT_SUBBUF,
								    RING_BUFFER_ALL_CPUS));
	}
	rbt_load_stop(loads);
	for_each_online_cpu(cpu)
		rbt_load_laws(test, &loads[cpu], true);
}

/* Law (d): disable, synchronise, and nothing moves any more. */
static void rbt_load_disable(struct kunit *test)
{
	struct trace_buffer *buffer;
	unsigned long before, after;
	struct rbt_load *loads;
	int cpu, i;

	buffer = rbt_make(test, 8, RB_FL_OVERWRITE, &cpu);
	loads = rbt_load_start(test, buffer);
	for (i = 0; i < 20; i++) {
		msleep(20);
		switch (i % 3) {
		case 0:
			ring_buffer_record_disable(buffer);
			break;
		case 1:
			ring_buffer_record_off(buffer);
			break;
		case 2:
			for_each_online_cpu(cpu)
				ring_buffer_record_disable_cpu(buffer, cpu);
			break;
		}
		synchronize_rcu();
		before = rbt_all_written(buffer);
		msleep(20);
		after = rbt_all_written(buffer);
		KUNIT_EXPECT_EQ(test, before, after);
		switch (i % 3) {
		case 0:
			ring_buffer_record_enable(buffer);
			break;
		case 1:
			ring_buffer_record_on(buffer);
			break;
		case 2:
			for_each_online_cpu(cpu)
				ring_buffer_record_enable_cpu(buffer, cpu);
			break;
		}
	}
	rbt_load_stop(loads);
	for_each_online_cpu(cpu)
		rbt_load_laws(test, &loads[cpu], false);
}

static void rbt_load_overwrite(struct kunit *test)
{
	rbt_load(test, RB_FL_OVERWRITE, false);
}

static void rbt_load_full(struct kunit *test)
{
	rbt_load(test, 0, false);
}

static void rbt_load_resize(struct kunit *test)
{
	rbt_load(test, RB_FL_OVERWRITE, true);
}

static struct kunit_case rbt_cases[] = {
	KUNIT_CASE(rbt_lengths),
	KUNIT_CASE(rbt_lines),
	KUNIT_CASE(rbt_times),
	KUNIT_CASE(rbt_nesting),
	KUNIT_CASE(rbt_nesting_irqs_off),
	KUNIT_CASE(rbt_read_in_nmi),
	KUNIT_CASE(rbt_recursion),
	KUNIT_CASE(rbt_discard),
	KUNIT_CASE(rbt_overwrite),
	KUNIT_CASE(rbt_full),
	KUNIT_CASE(rbt_unfinished),
	KUNIT_CASE(rbt_pages),
	KUNIT_CASE(rbt_iterators),
	KUNIT_CASE(rbt_resize),
	KUNIT_CASE(rbt_no_memory),
	KUNIT_CASE(rbt_switches),
	KUNIT_CASE(rbt_no_ring),
	KUNIT_CASE_SLOW(rbt_load_overwrite),
	KUNIT_CASE_SLOW(rbt_load_full),
	KUNIT_CASE_SLOW(rbt_load_resize),
	KUNIT_CASE_SLOW(rbt_load_disable),
	{}
};

TRACE_KUNIT_SUITE("ring_buffer", rbt_cases);
