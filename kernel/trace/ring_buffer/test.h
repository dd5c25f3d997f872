/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the KUnit suites of the ring buffer share: buffers, a clock of their
 * own, records that can be checked without knowing who wrote them.
 */
#ifndef _TRACE_RING_BUFFER_TEST_H
#define _TRACE_RING_BUFFER_TEST_H

#include <linux/completion.h>
#include <kunit/test.h>

#include "internal.h"

#define RBT_SUBBUF	(PAGE_SIZE - RB_PAGE_HEADER)

struct rbt_record {
	u64	ts;
	u32	length;
	u32	number;
	u8	fill[];
};

/* Time of rbt_clock(). */
extern u64 rbt_now;
u64 rbt_clock(void);

/* The test puts it back, and looks itself at the times that come then; until its buffer goes. */
extern bool rbt_puts_back;

/* A buffer of so many sub-buffers, and the test stays on one CPU. */
struct trace_buffer *rbt_make(struct kunit *test, int nr, unsigned int flags, int *cpu);

void rbt_fill(struct trace_buffer *buffer, struct ring_buffer_event *event, u32 length,
	      u32 number);
/* The same for who has a slot. */
void rbt_fill_slot(const struct ring_buffer_slot *slot, u32 length, u32 number);
bool rbt_write(struct trace_buffer *buffer, u32 length, u32 number);

/* Is that what rbt_fill() wrote, at that time? */
bool rbt_good(struct ring_buffer_event *event, u64 ts);

/* Consume the next record and check it. Its number, or -1 if there is none. */
int rbt_read(struct kunit *test, struct trace_buffer *buffer, int cpu, u64 *ts,
	     unsigned long *lost);

/* Law (a), at rest. */
void rbt_balance(struct kunit *test, struct trace_buffer *buffer, int cpu,
		 unsigned long written);

/* Who waits; data of the thread rbt_waiter(). */
struct rbt_waiter {
	struct trace_buffer	*buffer;
	int			cpu;
	int			full;
	int			ret;
	struct completion	done;
};

int rbt_waiter(void *data);

/* Records in a page, -1 if it is not well formed. */
struct ring_buffer_event *rbt_next_record(struct rb_page *page, unsigned int *off, u64 *ts);
int rbt_parse(struct rb_page *page, u64 *last);

#endif /* _TRACE_RING_BUFFER_TEST_H */
