// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of RING_BUFFER_VALIDATE_TIME_DELTAS: times that are falsified behind the buffer's
 * back are found when the next record is committed, and nothing else is.
 */
#include <kunit/static_stub.h>

#include "../tests/suite.h"
#include "test.h"
#include "validate.h"

static unsigned int rbt_bad;

static void rbt_count_bad(const struct rb_ring *ring, const struct rb_sub *sub, u64 tail,
			  u64 begin, u64 sum)
{
	rbt_bad++;
}

/* A buffer with a record at 1000, whose reports are counted. */
static struct trace_buffer *rbt_watched(struct kunit *test, int *cpu)
{
	struct trace_buffer *buffer = rbt_make(test, 4, RB_FL_OVERWRITE, cpu);

	WRITE_ONCE(rbt_now, 1000);
	ring_buffer_set_clock(buffer, rbt_clock);
	rbt_bad = 0;
	kunit_activate_static_stub(test, rb_times_bad, rbt_count_bad);
	KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 40, 0));
	KUNIT_ASSERT_EQ(test, 0, rbt_bad);
	return buffer;
}

static struct ring_buffer_event *rbt_reserve(struct kunit *test, struct trace_buffer *buffer)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, 40);

	KUNIT_ASSERT_NOT_NULL(test, event);
	rbt_fill(buffer, event, 40, 1);
	return event;
}

static void rbt_commit_bad(struct kunit *test, struct trace_buffer *buffer, unsigned int bad)
{
	ring_buffer_unlock_commit(buffer);
	KUNIT_EXPECT_EQ(test, bad, rbt_bad);
}

/* One more record, after which so many were found to be bad. */
static void rbt_write_bad(struct kunit *test, struct trace_buffer *buffer, u32 number,
			  unsigned int bad)
{
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 40, number));
	KUNIT_EXPECT_EQ(test, bad, rbt_bad);
}

static void rbt_validate_delta(struct kunit *test)
{
	struct ring_buffer_event *event;
	int cpu;
	struct trace_buffer *buffer = rbt_watched(test, &cpu);

	WRITE_ONCE(rbt_now, 1100);
	event = rbt_reserve(test, buffer);
	KUNIT_EXPECT_EQ(test, 100, (u32)event->time_delta);
	event->time_delta++;
	rbt_commit_bad(test, buffer, 1);

	/* nor does it get right by what follows, of which nothing is wrong */
	rbt_write_bad(test, buffer, 2, 2);
	event->time_delta--;
	rbt_write_bad(test, buffer, 3, 2);
}

/* The long way out sees it, too. */
static void rbt_validate_extend(struct kunit *test)
{
	struct ring_buffer_event *event;
	int cpu;
	struct trace_buffer *buffer = rbt_watched(test, &cpu);

	WRITE_ONCE(rbt_now, 1000 + BIT_ULL(30));
	event = rbt_reserve(test, buffer);
	KUNIT_ASSERT_EQ(test, RINGBUF_TYPE_TIME_EXTEND, (u32)event->type_len);
	event->array[0]--;
	rbt_commit_bad(test, buffer, 1);
	event->array[0]++;

	event = rbt_reserve(test, buffer);
	event->time_delta = 1;
	ring_buffer_nest_start(buffer);
	KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 40, 2));
	ring_buffer_nest_end(buffer);
	/* whoever nests does not look: others are not finished */
	KUNIT_EXPECT_EQ(test, 1, rbt_bad);
	ring_buffer_unlock_commit(buffer);
	KUNIT_EXPECT_GT(test, rbt_bad, 1);
}

static void rbt_validate_length(struct kunit *test)
{
	struct ring_buffer_event *event, was;
	int cpu;
	struct trace_buffer *buffer = rbt_watched(test, &cpu);
	u32 word;

	event = rbt_reserve(test, buffer);
	was = *event;
	/* behind the end */
	event->type_len = RINGBUF_TYPE_DATA_TYPE_LEN_MAX;
	rbt_commit_bad(test, buffer, 1);
	*event = was;

	/* of no length: this has to end as well */
	event = rbt_reserve(test, buffer);
	was = *event;
	word = event->array[0];
	event->type_len = 0;
	event->array[0] = 0;
	rbt_commit_bad(test, buffer, 2);
	*event = was;
	event->array[0] = word;
	rbt_write_bad(test, buffer, 3, 2);
}

/* Readers count from what stands in the page. */
static void rbt_validate_page(struct kunit *test)
{
	int cpu;
	struct trace_buffer *buffer = rbt_watched(test, &cpu);
	struct rb_page *page;

	page = rb_ring_of(buffer, cpu)->commit->page;
	page->time_stamp += 5;
	rbt_write_bad(test, buffer, 1, 1);
	page->time_stamp -= 5;
	rbt_write_bad(test, buffer, 2, 1);
}

/* Discards with and without somebody behind, sub-buffers that end, clocks that jump. */
static void rbt_validate_good(struct kunit *test)
{
	static const u64 gaps[] = { 0, 1, BIT_ULL(20), BIT_ULL(27), BIT_ULL(43), -50ULL, 3,
				      BIT_ULL(32), -BIT_ULL(31) };
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;
	int cpu, i;

	buffer = rbt_watched(test, &cpu);
	for (i = 0; i < 20 * ARRAY_SIZE(gaps); i++) {
		WRITE_ONCE(rbt_now, rbt_now + gaps[i % ARRAY_SIZE(gaps)]);
		ring_buffer_set_time_stamp_abs(buffer, i / ARRAY_SIZE(gaps) % 3 == 2);
		event = rbt_reserve(test, buffer);
		if (i % 3 == 0) {
			ring_buffer_nest_start(buffer);
			KUNIT_EXPECT_TRUE(test, rbt_write(buffer, 100 + i * 8, i));
			ring_buffer_nest_end(buffer);
		}
		if (i % 2)
			ring_buffer_discard_commit(buffer, event);
		else
			ring_buffer_unlock_commit(buffer);
	}
	KUNIT_EXPECT_GT(test, ring_buffer_overrun_cpu(buffer, cpu), 0);
	KUNIT_EXPECT_EQ(test, 0, rbt_bad);
}

static struct kunit_case rbt_validate_cases[] = {
	KUNIT_CASE(rbt_validate_delta),
	KUNIT_CASE(rbt_validate_extend),
	KUNIT_CASE(rbt_validate_length),
	KUNIT_CASE(rbt_validate_page),
	KUNIT_CASE(rbt_validate_good),
	{}
};

TRACE_KUNIT_SUITE("ring_buffer_validate", rbt_validate_cases);
