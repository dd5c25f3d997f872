// SPDX-License-Identifier: GPL-2.0-only
/*
 * RING_BUFFER_VALIDATE_TIME_DELTAS: at each commit of an outermost writer all of its sub-buffer is
 * walked as a reader would. What the records add to the time at which it began has to be the time
 * in its tail word, from which the next writer counts.
 */
#include <linux/printk.h>
#include <linux/ring_buffer.h>

#include <kunit/static_stub.h>

#include "internal.h"
#include "validate.h"

/* One report is enough, and what makes it may record. */
static bool rb_times_reported;

/* The next record behind *@off, or NULL: none of that size can be there. */
static const struct ring_buffer_event *rb_check_record(const struct rb_sub *sub, unsigned int *off,
						       unsigned int end)
{
	const struct ring_buffer_event *event = (const void *)&sub->data[*off];
	unsigned int size = end - *off < RB_HEAD_SIZE ? 0 : rb_record_size(event);

	if (size < RB_EXTEND_SIZE || size > end - *off)
		return NULL;
	*off += size;
	return event;
}

/* The time behind the last record before @end; false if they do not end there. */
static bool rb_sum_up(const struct rb_sub *sub, unsigned int end, u64 *ts)
{
	const struct ring_buffer_event *event;
	unsigned int off = 0;

	while (off < end) {
		event = rb_check_record(sub, &off, end);
		if (!event)
			return false;
		*ts = rb_record_time(event, *ts);
	}
	return true;
}

static void rb_print_records(const struct rb_sub *sub, unsigned int end, u64 ts)
{
	const struct ring_buffer_event *event;
	unsigned int off = 0, at;

	while (off < end) {
		at = off;
		event = rb_check_record(sub, &off, end);
		if (!event) {
			pr_warn("  %5u: no record\n", at);
			return;
		}
		ts = rb_record_time(event, ts);
		pr_warn("  %5u: type_len %u, %u bytes, delta %u: %llu\n", at, event->type_len,
			off - at, event->time_delta, ts);
	}
}

/* Not inline, and for tests to take the place of. */
noinline void rb_times_bad(const struct rb_ring *ring, const struct rb_sub *sub, u64 tail,
			   u64 begin, u64 sum)
{
	u64 from = sub == ring->commit ? sub->page->time_stamp : begin;
	unsigned int end = rb_tail_bytes(tail);

	KUNIT_STATIC_STUB_REDIRECT(rb_times_bad, ring, sub, tail, begin, sum);
	if (xchg(&rb_times_reported, true))
		return;
	/* Whoever commits may hold a lock that the console wants. */
	printk_deferred_enter();
	WARN(1, "ring buffer of CPU %d: the times of sub-buffer %llu do not add up\n", ring->cpu,
	     sub->seq);
	pr_warn("%u bytes from %llu (base: %llu) to %llu, by its tail %llu%s%s:\n", end, from,
		begin, sum, rb_tail_time(tail), tail & RB_CLOSED ? " closed" : "",
		tail & RB_BIG ? " big" : "");
	rb_print_records(sub, end, from);
	printk_deferred_exit();
}

/**
 * rb_validate - do the times in a sub-buffer add up?
 * @ring: the ring
 * @sub: of its sub-buffers one that the caller has written to
 * @tail: of @sub, behind its record or later
 *
 * Complains once if they do not. What lies before @tail must not change: the caller is the
 * outermost writer and has not cleared rb_ring::busy, so that all others who wrote there have left.
 *
 * Context: that of a commit.
 */
void rb_validate(const struct rb_ring *ring, const struct rb_sub *sub, u64 tail)
{
	u64 begin = READ_ONCE(sub->base) + rb_parity_bias(tail);
	/* Readers count from there, as soon as they may come here; and time may have begun anew. */
	u64 ts = sub == ring->commit ? READ_ONCE(sub->page->time_stamp) : begin;
	bool good = rb_sum_up(sub, rb_tail_bytes(tail), &ts);
	s64 last = ts - begin, step = rb_tail_step(tail);

	/*
	 * The next sub-buffer counts from there, which is not before the last record here, or well
	 * before it; a unit of what is coarse and one of what time begins with come in between.
	 */
	if (tail & RB_BIG)
		good &= step >= last || step <= last - RB_PUT_BACK + (2LL << RB_BIG_SHIFT);
	else
		good &= step == last;
	if (unlikely(!good))
		rb_times_bad(ring, sub, tail, begin, ts);
}
