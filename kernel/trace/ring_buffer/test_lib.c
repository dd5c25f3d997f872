// SPDX-License-Identifier: GPL-2.0-only
/* What the suites of the ring buffer share, see test.h. */
#include <linux/sched.h>
#include <linux/string.h>

#include "test.h"

u64 rbt_now;
bool rbt_puts_back;

u64 notrace rbt_clock(void)
{
	return READ_ONCE(rbt_now);
}

static void rbt_free(void *buffer)
{
	ring_buffer_free(buffer);
	rbt_puts_back = false;
}

/* A buffer of so many sub-buffers, and the test stays on one CPU. */
struct trace_buffer *rbt_make(struct kunit *test, int nr, unsigned int flags, int *cpu)
{
	struct trace_buffer *buffer = ring_buffer_alloc(nr * RBT_SUBBUF, flags);

	KUNIT_ASSERT_NOT_NULL(test, buffer);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, rbt_free, buffer));

	*cpu = raw_smp_processor_id();
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(*cpu)));
	return buffer;
}

static void fill(struct rbt_record *record, u64 ts, u32 length, u32 number)
{
	record->ts = ts;
	record->length = length;
	record->number = number;
	memset(record->fill, (u8)number, length - sizeof(*record));
}

void rbt_fill(struct trace_buffer *buffer, struct ring_buffer_event *event,
	      u32 length, u32 number)
{
	fill(ring_buffer_event_data(event), ring_buffer_event_time_stamp(buffer, event), length,
	     number);
}

void rbt_fill_slot(const struct ring_buffer_slot *slot, u32 length, u32 number)
{
	fill(slot->data, ring_buffer_slot_time(slot), length, number);
}

bool rbt_write(struct trace_buffer *buffer, u32 length, u32 number)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, length);

	if (!event)
		return false;
	rbt_fill(buffer, event, length, number);
	ring_buffer_unlock_commit(buffer);
	return true;
}

bool rbt_good(struct ring_buffer_event *event, u64 ts)
{
	struct rbt_record *record = ring_buffer_event_data(event);
	u32 left;

	if (ring_buffer_event_length(event) < record->length || record->ts != ts)
		return false;
	left = record->length - sizeof(*record);
	return !left || !memchr_inv(record->fill, (u8)record->number, left);
}

/* Law (b): from sub-buffer to sub-buffer. */
static bool rbt_not_back(u64 last, u64 ts)
{
	return ts >= last || rbt_puts_back;
}

/* Consume the next record and check it. Its number, or -1 if there is none. */
int rbt_read(struct kunit *test, struct trace_buffer *buffer, int cpu, u64 *ts,
	     unsigned long *lost)
{
	struct ring_buffer_event *event;
	u64 last = *ts;

	event = ring_buffer_consume(buffer, cpu, ts, lost);
	if (!event)
		return -1;
	KUNIT_EXPECT_TRUE_MSG(test, rbt_not_back(last, *ts), "%llu after %llu", *ts, last);
	KUNIT_EXPECT_TRUE(test, rbt_good(event, *ts));
	return ((struct rbt_record *)ring_buffer_event_data(event))->number;
}

/* Law (a), at rest. */
void rbt_balance(struct kunit *test, struct trace_buffer *buffer, int cpu,
		 unsigned long written)
{
	KUNIT_EXPECT_EQ(test, written,
			ring_buffer_read_events_cpu(buffer, cpu) +
			ring_buffer_entries_cpu(buffer, cpu) +
			ring_buffer_overrun_cpu(buffer, cpu));
}

static bool rbt_never(void *data)
{
	return false;
}

int rbt_waiter(void *data)
{
	struct rbt_waiter *waiter = data;

	waiter->ret = ring_buffer_wait(waiter->buffer, waiter->cpu, waiter->full, rbt_never, NULL);
	complete(&waiter->done);
	return 0;
}

/*
 * The next record with data of a page. @off, 0 at first, says where it ends, and @ts, the page's
 * time at first, its time. ERR_PTR() if it ends behind the page; NULL: there is none. What fills
 * the rest of a sub-buffer may go on behind the end.
 */
struct ring_buffer_event *rbt_next_record(struct rb_page *page, unsigned int *off, u64 *ts)
{
	unsigned int end = page->commit & RB_COMMIT_MASK;

	while (*off < end) {
		struct ring_buffer_event *event = (void *)&page->data[*off];

		*ts = rb_record_time(event, *ts);
		*off += rb_record_size(event);
		if (rb_record_is_data(event))
			return *off > end ? ERR_PTR(-EINVAL) : event;
	}
	return NULL;
}

/* Records in a page, -1 if it is not well formed. */
int rbt_parse(struct rb_page *page, u64 *last)
{
	struct ring_buffer_event *event;
	u64 ts = page->time_stamp;
	unsigned int off = 0;
	int nr = 0;

	while ((event = rbt_next_record(page, &off, &ts))) {
		if (IS_ERR(event) || !rbt_good(event, ts) ||
		    (nr ? ts < *last : !rbt_not_back(*last, ts)))
			return -1;
		*last = ts;
		nr++;
	}
	return nr;
}
