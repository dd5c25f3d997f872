// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of times: clocks that begin hours, months and years after zero (a
 * machine that is up, clocks of the day, counters of cycles), that stop, jump
 * and step back. Every reader is to give the time at which a record was written.
 */
#include <linux/kallsyms.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../tests/aged_clock.h"
#include "../tests/suite.h"
#include "fast.h"
#include "test.h"

#define RBT_HOUR	(3600ULL * NSEC_PER_SEC)

static const u64 rbt_starts[] = {
	0, 1, BIT_ULL(27) - 1, BIT_ULL(27), RBT_HOUR, BIT_ULL(42) - 1, BIT_ULL(42),
	BIT_ULL(42) + 1, BIT_ULL(43) - 1, 2 * RBT_HOUR, 24 * RBT_HOUR, 90 * 24 * RBT_HOUR,
	/* 18 years, where an absolute stamp has no bits any more, and the time of day */
	BIT_ULL(59) - 5 * RBT_HOUR, BIT_ULL(59) - 1, BIT_ULL(59), BIT_ULL(60) - 7,
	1700000000ULL * NSEC_PER_SEC, BIT_ULL(62) + 3,
};

static const u64 rbt_gaps[] = {
	0, 1, 0, BIT_ULL(20) - 1, BIT_ULL(21), BIT_ULL(27) - 1, BIT_ULL(27), BIT_ULL(27) + 1, 3,
	BIT_ULL(41), BIT_ULL(42) - 1, 0, BIT_ULL(42), BIT_ULL(42) + 1, BIT_ULL(43), 5, BIT_ULL(50),
	BIT_ULL(58), 1, BIT_ULL(59) - 1, 0, 7,
};

#define RBT_NR	(2 * ARRAY_SIZE(rbt_gaps))

/* Write with these gaps; every other record is too long for two in a sub-buffer. */
static void rbt_time_write(struct kunit *test, struct trace_buffer *buffer, u64 *times)
{
	int i;

	for (i = 0; i < RBT_NR; i++) {
		if (i % 2 == 0)
			WRITE_ONCE(rbt_now, rbt_now + rbt_gaps[i / 2]);
		times[i] = rbt_now;
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, i & 1 ? 2500 : 40, i));
	}
}

/* @iter comes to @nr records, with these times. */
static void rbt_time_iter(struct kunit *test, struct ring_buffer_iter *iter, u64 start,
			  const u64 *times, int nr)
{
	struct ring_buffer_event *event;
	u64 ts;
	int i;

	for (i = 0; i < nr; i++) {
		event = ring_buffer_iter_peek(iter, &ts);
		if (!event)
			break;
		KUNIT_EXPECT_EQ_MSG(test, times[i], ts, "iterator, start %llu, nr %d", start, i);
		KUNIT_EXPECT_TRUE(test, rbt_good(event, ts));
		ring_buffer_iter_advance(iter);
	}
	KUNIT_EXPECT_EQ(test, nr, i);
}

/* Page by page there are @nr records, and each has its time in itself. */
static void rbt_time_pages(struct kunit *test, struct trace_buffer *buffer, int cpu,
			   const u64 *times, int nr)
{
	struct buffer_data_read_page *page;
	int some, sum = 0;
	u64 ts = 0;

	KUNIT_ASSERT_EQ(test, 0, ring_buffer_alloc_read_page(buffer, cpu, &page));
	while (ring_buffer_read_page(buffer, page, PAGE_SIZE, cpu, 0) >= 0) {
		some = rbt_parse(ring_buffer_read_page_data(page), &ts);
		KUNIT_EXPECT_GT(test, some, 0);
		if (some <= 0)
			break;
		sum += some;
		KUNIT_EXPECT_EQ(test, times[sum - 1], ts);
	}
	KUNIT_EXPECT_EQ(test, nr, sum);
	ring_buffer_free_read_page(buffer, cpu, page);
}

static void rbt_time_start(struct kunit *test, struct trace_buffer *buffer, int cpu, u64 start)
{
	struct ring_buffer_event *event;
	struct ring_buffer_iter *iter;
	u64 *times, ts;
	int i;

	times = kunit_kcalloc(test, RBT_NR, sizeof(*times), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, times);

	/* An iterator that was there before the first record. */
	ring_buffer_reset(buffer);
	WRITE_ONCE(rbt_now, start);
	iter = ring_buffer_read_start(buffer, cpu, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	KUNIT_EXPECT_NULL(test, ring_buffer_iter_peek(iter, &ts));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_oldest_event_ts(buffer, cpu));
	rbt_time_write(test, buffer, times);
	KUNIT_EXPECT_EQ(test, start, ring_buffer_oldest_event_ts(buffer, cpu));
	rbt_time_iter(test, iter, start, times, RBT_NR);
	KUNIT_EXPECT_NULL(test, ring_buffer_iter_peek(iter, &ts));
	/* and one that waits at the end for what follows much later */
	WRITE_ONCE(rbt_now, rbt_now + BIT_ULL(45));
	KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 40, 1));
	KUNIT_EXPECT_NOT_NULL(test, ring_buffer_iter_peek(iter, &ts));
	KUNIT_EXPECT_EQ(test, rbt_now, ts);
	ring_buffer_read_finish(iter);

	for (i = 0; i < RBT_NR; i++) {
		KUNIT_EXPECT_TRUE(test, ring_buffer_peek_time(buffer, cpu, &ts, NULL));
		KUNIT_EXPECT_EQ(test, times[i], ts);
		KUNIT_EXPECT_NOT_NULL(test, ring_buffer_consume(buffer, cpu, &ts, NULL));
		KUNIT_EXPECT_EQ_MSG(test, times[i], ts, "consume, start %llu, record %d", start, i);
	}

	/* Pages: the first one begins in the middle of what is written to. */
	ring_buffer_reset(buffer);
	WRITE_ONCE(rbt_now, start);
	KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 40, 0));
	KUNIT_EXPECT_NOT_NULL(test, ring_buffer_consume(buffer, cpu, &ts, NULL));
	KUNIT_EXPECT_EQ(test, start, ts);
	rbt_time_write(test, buffer, times);
	rbt_time_pages(test, buffer, cpu, times, RBT_NR);

	/* A first record that is given up leaves nothing that is wrong later. */
	ring_buffer_reset(buffer);
	WRITE_ONCE(rbt_now, start);
	event = ring_buffer_lock_reserve(buffer, 64);
	KUNIT_ASSERT_NOT_NULL(test, event);
	ring_buffer_discard_commit(buffer, event);
	WRITE_ONCE(rbt_now, start + BIT_ULL(30));
	KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 40, 3));
	ts = 0;
	KUNIT_EXPECT_EQ(test, 3, rbt_read(test, buffer, cpu, &ts, NULL));
	KUNIT_EXPECT_EQ(test, rbt_now, ts);

	kunit_kfree(test, times);
}

static void rbt_time_starts(struct kunit *test)
{
	struct trace_buffer *buffer;
	int cpu, i;

	buffer = rbt_make(test, 64, 0, &cpu);
	ring_buffer_set_clock(buffer, rbt_clock);
	for (i = 0; i < ARRAY_SIZE(rbt_starts); i++)
		rbt_time_start(test, buffer, cpu, rbt_starts[i]);
}

static void rbt_time_starts_abs(struct kunit *test)
{
	struct trace_buffer *buffer;
	int cpu, i;

	buffer = rbt_make(test, 64, 0, &cpu);
	ring_buffer_set_clock(buffer, rbt_clock);
	ring_buffer_set_time_stamp_abs(buffer, true);
	for (i = 0; i < ARRAY_SIZE(rbt_starts); i++)
		rbt_time_start(test, buffer, cpu, rbt_starts[i]);
}

/*
 * A clock of the day that was not set, and is: more than what a closed tail word can tell. What
 * was there before, and what follows, stays what it is.
 */
static void rbt_time_leap(struct kunit *test, bool abs)
{
	static const u64 leaps[] = {
		BIT_ULL(60), BIT_ULL(61) - BIT_ULL(20), BIT_ULL(61) - 1, BIT_ULL(61),
		BIT_ULL(61) + BIT_ULL(40) + 5, BIT_ULL(62) - 1, BIT_ULL(62) + BIT_ULL(61) + 3,
		S64_MAX - BIT_ULL(11),
	};
	struct trace_buffer *buffer;
	unsigned long lost;
	int cpu, i, k;
	u64 ts;

	buffer = rbt_make(test, 16, RB_FL_OVERWRITE, &cpu);
	ring_buffer_set_clock(buffer, rbt_clock);
	ring_buffer_set_time_stamp_abs(buffer, abs);
	for (i = 0; i < ARRAY_SIZE(leaps); i++) {
		ring_buffer_reset(buffer);
		/* so little that time begins at 0 */
		WRITE_ONCE(rbt_now, 1000);
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 40, 0));
		WRITE_ONCE(rbt_now, 1000 + leaps[i]);
		for (k = 1; k < 4; k++)
			KUNIT_EXPECT_TRUE_MSG(test, rbt_write(buffer, 40, k), "%llu", leaps[i]);
		KUNIT_EXPECT_EQ(test, 4, ring_buffer_entries_cpu(buffer, cpu));
		ts = 0;
		for (k = 0; k < 4; k++) {
			KUNIT_EXPECT_EQ(test, k, rbt_read(test, buffer, cpu, &ts, &lost));
			KUNIT_EXPECT_EQ(test, k ? 1000 + leaps[i] : 1000, ts);
			KUNIT_EXPECT_EQ(test, 0, lost);
		}
	}
}

/* Rare records, as of a flight recorder: there is room for them, however long it takes. */
static void rbt_time_rare(struct kunit *test, unsigned long flags, bool abs, u64 gap, int per_sub)
{
	struct trace_buffer *buffer;
	u64 *times, start = RBT_HOUR, ts = 0;
	unsigned long lost;
	int cpu, i, nr = 2 * per_sub;

	times = kunit_kcalloc(test, nr, sizeof(*times), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, times);
	buffer = rbt_make(test, 2, flags, &cpu);
	ring_buffer_set_clock(buffer, rbt_clock);
	ring_buffer_set_time_stamp_abs(buffer, abs);
	WRITE_ONCE(rbt_now, start);
	for (i = 0; i < nr; i++) {
		times[i] = rbt_now;
		KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 40, i));
		/* every other one comes soon */
		WRITE_ONCE(rbt_now, rbt_now + (i & 1 ? gap : 3));
	}
	KUNIT_EXPECT_EQ(test, nr, ring_buffer_entries_cpu(buffer, cpu));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_overrun_cpu(buffer, cpu));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_dropped_events_cpu(buffer, cpu));
	KUNIT_EXPECT_EQ(test, start, ring_buffer_oldest_event_ts(buffer, cpu));
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, i, rbt_read(test, buffer, cpu, &ts, &lost));
		KUNIT_EXPECT_EQ(test, times[i], ts);
		KUNIT_EXPECT_EQ(test, 0, lost);
	}
}

static void rbt_time_rare_ones(struct kunit *test)
{
	static const u64 gaps[] = { BIT_ULL(40) - 3, BIT_ULL(40), BIT_ULL(41) + 5, BIT_ULL(54) };

	/* 44 bytes of data take 48, and every other one an extend, or two */
	for (int i = 0; i < ARRAY_SIZE(gaps); i++) {
		rbt_time_rare(test, 0, false, gaps[i], 60);
		rbt_time_rare(test, RB_FL_OVERWRITE, false, gaps[i], 60);
		rbt_time_rare(test, 0, true, gaps[i], 55);
	}
}

static void rbt_time_leaps(struct kunit *test)
{
	rbt_time_leap(test, false);
}

static void rbt_time_leaps_abs(struct kunit *test)
{
	rbt_time_leap(test, true);
}

/*
 * The time of a record at @now behind one at @last, which got @ts. A clock that steps back stands
 * still until it is where it was; one that was put back goes on from there, if not from before
 * what a sub-buffer can begin with.
 */
static u64 rbt_time_behind(u64 last, u64 now, u64 ts)
{
	if (now >= last)
		return now;
	if (last - now < BIT_ULL(30))
		return last;
	return now >= BIT_ULL(20) ? now : clamp(ts, now, BIT_ULL(20));
}

/* Of the six records of rbt_time_back(), the @nr-th. */
static void rbt_time_back_is(struct kunit *test, int nr, u64 start, u64 back, u64 ts)
{
	u64 want = !nr ? start : nr == 5 ? start + 5 : rbt_time_behind(start, start - back, ts);

	KUNIT_EXPECT_EQ_MSG(test, want, ts, "start %llu, back %llu, nr %d", start, back, nr);
}

static void rbt_time_back(struct kunit *test, bool abs)
{
	static const u64 back[] = { 1, 1000, BIT_ULL(27), BIT_ULL(30), BIT_ULL(42), BIT_ULL(50) };
	struct ring_buffer_event *event;
	struct ring_buffer_iter *iter;
	struct trace_buffer *buffer;
	u64 ts, start;
	int cpu, i, j, k;

	buffer = rbt_make(test, 64, 0, &cpu);
	ring_buffer_set_clock(buffer, rbt_clock);
	ring_buffer_set_time_stamp_abs(buffer, abs);
	rbt_puts_back = true;
	for (i = 0; i < ARRAY_SIZE(rbt_starts); i++) {
		for (j = 0; j < ARRAY_SIZE(back); j++) {
			start = rbt_starts[i] + BIT_ULL(10);
			if (start < back[j])
				continue;
			ring_buffer_reset(buffer);
			WRITE_ONCE(rbt_now, start);
			KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 40, 0));
			WRITE_ONCE(rbt_now, start - back[j]);
			/* also in sub-buffers that follow */
			for (k = 1; k < 5; k++)
				KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 2500, k));
			WRITE_ONCE(rbt_now, start + 5);
			KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 40, 5));

			iter = ring_buffer_read_start(buffer, cpu, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, iter);
			for (k = 0; k < 6; k++) {
				event = ring_buffer_iter_peek(iter, &ts);
				KUNIT_EXPECT_NOT_NULL(test, event);
				if (!event)
					break;
				rbt_time_back_is(test, k, start, back[j], ts);
				ring_buffer_iter_advance(iter);
			}
			ring_buffer_read_finish(iter);
			ts = 0;
			for (k = 0; k < 6; k++) {
				KUNIT_EXPECT_EQ(test, k, rbt_read(test, buffer, cpu, &ts, NULL));
				rbt_time_back_is(test, k, start, back[j], ts);
			}
		}
	}
}

static void rbt_time_steps_back(struct kunit *test)
{
	rbt_time_back(test, false);
}

static void rbt_time_steps_back_abs(struct kunit *test)
{
	rbt_time_back(test, true);
}

/* To shortly before the end of what the time in a tail word can be. */
#define RBT_NEAR_LIMIT	S64_MIN

/* From the record before. */
static const s64 rbt_short_gaps[] = {
	0, 1, RB_DELTA_MAX, RBT_NEAR_LIMIT, 10, 9, 1, 0, RB_DELTA_MAX, -1, 0, RB_DELTA_MAX + 1, 3,
	BIT_ULL(32), 1, -(s64)BIT_ULL(31), 1,
	-1000, BIT_ULL(20), BIT_ULL(40), 0, 5, -(s64)BIT_ULL(27), 7, BIT_ULL(41), 1, BIT_ULL(42), 2,
	-(s64)BIT_ULL(42), BIT_ULL(50), 0, -(s64)BIT_ULL(50), 4, BIT_ULL(58), RB_DELTA_MAX,
};

#define RBT_NR_SHORT	(2 * ARRAY_SIZE(rbt_short_gaps))

/**
 * struct rbt_short - a record that is written as events are
 * @length: of it
 * @want: it should take the short way
 * @took: and did
 * @done: it is in the buffer
 * @ts: at that time
 */
struct rbt_short {
	u32	length;
	bool	want;
	bool	took;
	bool	done;
	u64	ts;
};

/* Now for the clock, @gap after @last or before. It is never less than 0. */
static u64 rbt_short_now(struct rb_ring *ring, u64 last, s64 gap)
{
	struct rb_sub *sub = ring->cur;
	u64 begin = sub->base + rb_parity_bias(sub->tail);

	if (gap == RBT_NEAR_LIMIT)
		return max(last, begin + RB_TIME_LIMIT - 20);
	return gap < 0 && last < -gap ? 0 : last + gap;
}

static void rbt_short_write(struct trace_buffer *buffer, struct rb_ring *ring,
			    struct rbt_short *rec, u32 number)
{
	struct rb_cpu __percpu *cpus = ring_buffer_cpus(buffer);
	struct ring_buffer_slot slot = { };
	struct rb_sub *sub;
	s64 delta;
	u64 time;

	preempt_disable();
	/* Nobody else writes there. */
	sub = ring->cur;
	delta = rbt_now - rb_time_of(sub, sub->tail);
	time = rbt_now - sub->base - rb_parity_bias(sub->tail);
	rec->want = rec->length <= RB_SHORT_MAX && delta >= 0 && delta <= RB_DELTA_MAX &&
		    time < RB_TIME_LIMIT &&
		    rb_tail_bytes(sub->tail) + rb_size_of_data(rec->length) <= ring->limit;
	rec->took = ring_buffer_slot_try(cpus, rec->length, rb_busy(), &rbt_now, &slot);
	rec->done = rec->took || ring_buffer_slot_rest(cpus, rec->length, &slot);
	if (rec->done) {
		rbt_fill_slot(&slot, rec->length, number);
		rec->ts = ring_buffer_slot_time(&slot);
		if (!rec->took)
			ring_buffer_slot_commit(&slot);
		else if (!ring_buffer_slot_commit_short(&slot))
			ring_buffer_slot_finish(slot.ring, slot.sub, slot.tail);
	}
	preempt_enable();
}

/* Fills @times; returns how many took the short way. */
static int rbt_short_fill(struct kunit *test, struct trace_buffer *buffer, int cpu, u64 start,
			  u64 *times)
{
	struct rb_ring *ring = rb_ring_of(buffer, cpu);
	u64 last = start;
	int i, took = 0;
	s64 gap;

	ring_buffer_reset(buffer);
	for (i = 0; i < RBT_NR_SHORT; i++) {
		struct rbt_short rec = { .length = i % 8 == 7 ? 2500 : i % 2 ? 100 : 40 };

		gap = rbt_short_gaps[i % ARRAY_SIZE(rbt_short_gaps)];
		WRITE_ONCE(rbt_now, rbt_short_now(ring, last, gap));
		rbt_short_write(buffer, ring, &rec, i);
		last = rbt_time_behind(last, rbt_now, rec.ts);
		times[i] = last;
		KUNIT_ASSERT_TRUE(test, rec.done);
		KUNIT_EXPECT_EQ_MSG(test, rec.want, rec.took, "start %llu, nr %d", start, i);
		KUNIT_EXPECT_EQ_MSG(test, last, rec.ts, "start %llu, nr %d", start, i);
		took += rec.took;
	}
	return took;
}

static void rbt_short_start(struct kunit *test, struct trace_buffer *buffer, int cpu, u64 start,
			    u64 *times)
{
	struct ring_buffer_iter *iter;
	u64 ts = 0;
	int i;

	/* nearly all that can: not the first one, and not what is long or comes late */
	KUNIT_EXPECT_GT(test, rbt_short_fill(test, buffer, cpu, start, times), RBT_NR_SHORT / 4);
	KUNIT_EXPECT_EQ(test, times[0], ring_buffer_oldest_event_ts(buffer, cpu));
	iter = ring_buffer_read_start(buffer, cpu, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	rbt_time_iter(test, iter, start, times, RBT_NR_SHORT);
	ring_buffer_read_finish(iter);
	ts = 0;
	for (i = 0; i < RBT_NR_SHORT; i++) {
		KUNIT_EXPECT_EQ(test, i, rbt_read(test, buffer, cpu, &ts, NULL));
		KUNIT_EXPECT_EQ_MSG(test, times[i], ts, "consume, start %llu, nr %d", start, i);
	}
	KUNIT_EXPECT_EQ(test, -1, rbt_read(test, buffer, cpu, &ts, NULL));

	rbt_short_fill(test, buffer, cpu, start, times);
	rbt_time_pages(test, buffer, cpu, times, RBT_NR_SHORT);
}

/*
 * All of the above is written the long way, as records are with any clock but the local one. That
 * one begins with the boot; so here the short way is handed a clock, which the long way has as well
 * where that one fails.
 */
static void rbt_time_short(struct kunit *test)
{
	struct trace_buffer *buffer;
	u64 *times;
	int cpu, i;

	times = kunit_kcalloc(test, RBT_NR_SHORT, sizeof(*times), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, times);
	buffer = rbt_make(test, 64, 0, &cpu);
	/* ring_buffer_set_clock() would close the short way */
	WRITE_ONCE(rb_cpu_of(buffer, cpu)->clock, rbt_clock);
	rbt_puts_back = true;
	for (i = 0; i < ARRAY_SIZE(rbt_starts); i++)
		rbt_short_start(test, buffer, cpu, rbt_starts[i], times);
}

/* What rb_first_time() finds in a page that is being overwritten: no length is to be trusted. */
static void rbt_time_garbage(struct kunit *test)
{
	static const u32 heads[] = {
		RINGBUF_TYPE_PADDING, RINGBUF_TYPE_PADDING | 0x20, RINGBUF_TYPE_TIME_EXTEND,
	};
	static const u32 lengths[] = { 0xfffffffc, 0, 1, 4, 0xffffffff, 0x7fffffff, 4000 };
	struct rb_page *page;
	int i, j, commit;
	u64 first;
	u32 *word;

	page = (void *)get_zeroed_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		for (j = 0; j < ARRAY_SIZE(lengths); j++) {
			for (commit = 8; commit <= 24; commit += 4) {
				memset(page->data, 0, 64);
				word = (void *)page->data;
				word[0] = heads[i];
				word[1] = lengths[j];
				word[2] = heads[0];
				word[3] = 0xfffffffc;
				page->commit = commit;
				/* It is enough to come back. */
				rb_first_time(page, 0, 1, &first);
				rb_first_time(page, 8, 1, &first);
			}
		}
	}
	/* and what is in order is found, behind an extend */
	memset(page->data, 0, 64);
	word = (void *)page->data;
	word[0] = RINGBUF_TYPE_TIME_EXTEND | 7 << 5;
	word[1] = 1;
	word[2] = 2 | 5 << 5;
	page->commit = 20;
	KUNIT_EXPECT_TRUE(test, rb_first_time(page, 0, 100, &first));
	KUNIT_EXPECT_EQ(test, 100 + 7 + BIT_ULL(27) + 5, first);
	page->commit = 8;
	KUNIT_EXPECT_FALSE(test, rb_first_time(page, 0, 100, &first));
	free_page((unsigned long)page);
}

/* Who asks for the time of what is in no ring, or not being written, gets the time that it is. */
static void rbt_time_of_no_record(struct kunit *test)
{
	struct ring_buffer_event *done, *event, none = { .type_len = 1 };
	struct ring_buffer_slot slot;
	struct trace_buffer *buffer;
	struct rb_ring *ring;
	bool got;
	int cpu;

	buffer = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	ring_buffer_set_clock(buffer, rbt_clock);
	ring_buffer_reset(buffer);
	ring = rb_ring_of(buffer, cpu);

	WRITE_ONCE(rbt_now, 1000);
	preempt_disable();
	done = ring_buffer_lock_reserve(buffer, 64);
	if (done) {
		KUNIT_EXPECT_EQ(test, 1000, ring_buffer_event_time_stamp(buffer, done));
		KUNIT_EXPECT_PTR_NE(test, ring->level[0].sub, NULL);
		WRITE_ONCE(rbt_now, 1500);
		KUNIT_EXPECT_EQ(test, 1500, ring_buffer_event_time_stamp(buffer, &none));
		rbt_fill(buffer, done, 64, 1);
		ring_buffer_unlock_commit(buffer);
	}
	/* Nobody holds it any more, though the next one is at the same level. */
	KUNIT_EXPECT_PTR_EQ(test, ring->level[0].sub, NULL);
	WRITE_ONCE(rbt_now, 2000);
	got = ring_buffer_slot_reserve(buffer, 64, &slot);
	if (got) {
		WRITE_ONCE(rbt_now, 3000);
		KUNIT_EXPECT_EQ(test, 3000, ring_buffer_event_time_stamp(buffer, done));
		KUNIT_EXPECT_EQ(test, 2000, ring_buffer_slot_time(&slot));
		ring_buffer_slot_discard(&slot);
	}
	event = ring_buffer_lock_reserve(buffer, 64);
	if (event)
		ring_buffer_discard_commit(buffer, event);
	KUNIT_EXPECT_PTR_EQ(test, ring->level[0].sub, NULL);
	preempt_enable();
	KUNIT_EXPECT_NOT_NULL(test, done);
	KUNIT_EXPECT_NOT_NULL(test, event);
	KUNIT_EXPECT_TRUE(test, got);
}

/* Where the local clock is read in place it is the one that is called, but for what a test adds. */
static void rbt_time_in_place(struct kunit *test)
{
	u64 before, here, after;
	int i;

	for (i = 0; i < 1000; i++) {
		local_irq_disable();
		before = sched_clock_noinstr();
		here = trace_local_clock() - aged_clock_ns();
		after = sched_clock_noinstr();
		local_irq_enable();
		if (before > here || here > after)
			break;
	}
	KUNIT_EXPECT_EQ_MSG(test, i, 1000, "%llu between %llu and %llu", here, before, after);
}

#ifdef SCHED_CLOCK_IN_PLACE
/* It is read in place wherever the kernel was entered; not with an erratum, as it is "_stable". */
static void rbt_time_epoch(struct kunit *test)
{
	u64 (*read)(void), before, here, after;
	char name[KSYM_SYMBOL_LEN];
	unsigned int seq;

	read = sched_clock_read_begin(&seq)->read_sched_clock;
	snprintf(name, sizeof(name), "%ps", read);
	KUNIT_EXPECT_EQ_MSG(test, !READ_ONCE(sched_clock_epoch), !!strstr(name, "_stable"), "%s",
			    name);
	for (int i = 0; i < 1000; i++) {
		scoped_guard(irq) {
			before = read();
			here = sched_clock_counter();
			after = read();
		}
		KUNIT_ASSERT_LE(test, before, here);
		KUNIT_ASSERT_LE(test, here, after);
	}
}
#endif

#ifdef TRACE_CLOCK_MAY_BE_TSC
/*
 * What it reckons with gives the same for any count, on each CPU, as long as there is any, but for
 * what a test adds.
 */
static void rbt_time_of_tsc(struct kunit *test)
{
	static const u64 counts[] = {
		0, 1, 12345, BIT_ULL(32) - 1, BIT_ULL(32), BIT_ULL(53) + 7, BIT_ULL(63), U64_MAX,
	};
	const struct tsc_epoch *epoch;
	u64 want, got;
	int cpu, i;

	for_each_online_cpu(cpu) {
		KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
		for (i = 0; i < ARRAY_SIZE(counts); i++) {
			preempt_disable();
			epoch = this_cpu_read(tsc_epochs.now);
			KUNIT_EXPECT_EQ(test, !!epoch, using_native_sched_clock());
			want = native_sched_clock_from_tsc(counts[i]);
			got = epoch ? epoch->offset - aged_clock_ns() +
				      mul_u64_u64_shr(counts[i], epoch->mult, 32) : want;
			preempt_enable();
			KUNIT_EXPECT_EQ(test, got, want);
		}
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* Who calls the clock as recording does finds all his registers as they were. */
static void rbt_time_apart(struct kunit *test)
{
	unsigned long lost = 0;
	u64 before, now, after;
	int i;

	for (i = 0; i < 1000 && !lost; i++) {
		local_irq_disable();
		before = sched_clock_noinstr();
		now = trace_local_clock_apart();
		asm volatile("mov $1, %%ecx; mov $2, %%edx; mov $3, %%esi; mov $4, %%edi\n\t"
			     "mov $5, %%r8d; mov $6, %%r9d; mov $7, %%r10d; mov $8, %%r11d\n\t"
			     "call trace_local_clock_called\n\t"
			     "xor $1, %%rcx; xor $2, %%rdx; xor $3, %%rsi; xor $4, %%rdi\n\t"
			     "xor $5, %%r8; xor $6, %%r9; xor $7, %%r10; xor $8, %%r11\n\t"
			     "or %%rdx, %%rcx; or %%rsi, %%rcx; or %%rdi, %%rcx; or %%r8, %%rcx\n\t"
			     "or %%r9, %%rcx; or %%r10, %%rcx; or %%r11, %%rcx"
			     : "=c" (lost), "=a" (after), ASM_CALL_CONSTRAINT
			     : : "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
		local_irq_enable();
		if (before > now || now > after)
			break;
	}
	if (__has_attribute(__no_caller_saved_registers__))
		KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_EQ_MSG(test, i, 1000, "%llu, %llu, %llu", before, now, after);
}
#endif

static struct kunit_case rbt_time_cases[] = {
	KUNIT_CASE(rbt_time_starts),
	KUNIT_CASE(rbt_time_starts_abs),
	KUNIT_CASE(rbt_time_rare_ones),
	KUNIT_CASE(rbt_time_leaps),
	KUNIT_CASE(rbt_time_leaps_abs),
	KUNIT_CASE(rbt_time_steps_back),
	KUNIT_CASE(rbt_time_steps_back_abs),
	KUNIT_CASE(rbt_time_short),
	KUNIT_CASE(rbt_time_garbage),
	KUNIT_CASE(rbt_time_of_no_record),
	KUNIT_CASE(rbt_time_in_place),
#ifdef SCHED_CLOCK_IN_PLACE
	KUNIT_CASE(rbt_time_epoch),
#endif
#ifdef TRACE_CLOCK_MAY_BE_TSC
	KUNIT_CASE(rbt_time_of_tsc),
	KUNIT_CASE(rbt_time_apart),
#endif
	{}
};

TRACE_KUNIT_SUITE("ring_buffer_time", rbt_time_cases);
