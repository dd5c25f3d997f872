// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of reading: what a reader gets is complete in itself, whatever
 * happens to the buffer before or after.
 */
#include <linux/slab.h>

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

static struct kunit_case rbt_read_cases[] = {
	KUNIT_CASE(rbt_copies),
	KUNIT_CASE(rbt_next),
	KUNIT_CASE(rbt_page_order),
	{}
};

TRACE_KUNIT_SUITE("ring_buffer_read", rbt_read_cases);
