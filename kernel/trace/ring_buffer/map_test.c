// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of rings that are mapped: what a reader finds in his memory is what was written,
 * and stays where he knows it.
 */
#include <kunit/static_stub.h>
#include <linux/cleanup.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../tests/suite.h"
#include "map.h"
#include "size.h"
#include "test.h"

/* The page at offset @n of the mapping, as a fault finds it; NULL if there is none. */
static void *mapped_page(struct trace_buffer *buffer, int cpu, unsigned long n)
{
	struct vm_area_struct vma = { .vm_private_data = rb_ring_of(buffer, cpu)->map };
	struct vm_fault vmf = { .vma = &vma, .pgoff = n };

	if (ring_buffer_map_fault(&vmf))
		return NULL;
	/* the ring has it as long as it is mapped */
	put_page(vmf.page);
	return page_address(vmf.page);
}

static struct trace_buffer_meta *mapped_meta(struct trace_buffer *buffer, int cpu)
{
	return mapped_page(buffer, cpu, 0);
}

/* The sub-buffer that the first page says is the reader's. */
static struct rb_page *mapped_reader(struct trace_buffer *buffer, int cpu)
{
	struct trace_buffer_meta *meta = mapped_meta(buffer, cpu);
	unsigned long at = (unsigned long)meta->reader.id * meta->subbuf_size;

	return mapped_page(buffer, cpu, (meta->meta_page_size + at) >> PAGE_SHIFT);
}

static struct rb_page *ring_reader(struct trace_buffer *buffer, int cpu)
{
	return rb_ring_of(buffer, cpu)->reader->page;
}

static void unmap(void *p)
{
	struct rb_cpu *of = p;

	ring_buffer_unmap(of->buffer, of->ring->cpu);
}

/* A buffer whose ring is mapped until the test ends. */
static struct trace_buffer *make_mapped(struct kunit *test, int nr, unsigned int flags, int *cpu)
{
	struct trace_buffer *buffer = rbt_make(test, nr, flags, cpu);

	KUNIT_ASSERT_EQ(test, 0, rb_map_use(buffer, *cpu));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, unmap, rb_cpu_of(buffer, *cpu)));
	return buffer;
}

static void write_numbers(struct kunit *test, struct trace_buffer *buffer, u32 first, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 100, first + i));
}

/* What is behind @from in @page: their numbers go on from @next. Return: bytes. */
static unsigned int check_page(struct kunit *test, struct rb_page *page, unsigned int from,
			       u64 *ts, u32 *next)
{
	struct ring_buffer_event *event;
	struct rbt_record *record;

	if (!from)
		*ts = page->time_stamp;
	while ((event = rbt_next_record(page, &from, ts))) {
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
		KUNIT_ASSERT_TRUE(test, rbt_good(event, *ts));
		record = ring_buffer_event_data(event);
		KUNIT_ASSERT_EQ(test, record->number, *next);
		(*next)++;
	}
	return from;
}

/* As the documentation has it, and as a fresh buffer is: 0 is the reader's, 1 comes next. */
static void rbt_map_reads(struct kunit *test)
{
	struct trace_buffer_meta *meta;
	struct trace_buffer *buffer;
	u32 written = 0, next = 0, before;
	unsigned int at = 0;
	int cpu, i, round;
	u32 id = 0;
	u64 ts = 0;

	buffer = make_mapped(test, 6, 0, &cpu);
	meta = mapped_meta(buffer, cpu);
	KUNIT_EXPECT_EQ(test, meta->meta_page_size, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, meta->meta_struct_len, sizeof(*meta));
	KUNIT_EXPECT_EQ(test, meta->subbuf_size, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, meta->nr_subbufs, 7);
	KUNIT_EXPECT_EQ(test, meta->entries, 0);
	KUNIT_EXPECT_EQ(test, meta->reader.id, 0);
	KUNIT_EXPECT_NOT_NULL(test, mapped_page(buffer, cpu, 7));
	KUNIT_EXPECT_NULL(test, mapped_page(buffer, cpu, 8));

	KUNIT_EXPECT_EQ(test, 0, ring_buffer_map_get_reader(buffer, cpu));
	KUNIT_EXPECT_EQ(test, meta->reader.id, 0);

	for (round = 0; round < 200; round++) {
		/* sometimes nothing, sometimes more than a sub-buffer */
		for (i = 0; i < round % 23; i++)
			KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 100 + i, written++));
		while (next < written) {
			KUNIT_ASSERT_EQ(test, 0, ring_buffer_map_get_reader(buffer, cpu));
			if (meta->reader.id != id) {
				KUNIT_EXPECT_EQ(test, meta->reader.id, (id + 1) % 7);
				id = meta->reader.id;
				at = 0;
			}
			before = next;
			at = check_page(test, mapped_reader(buffer, cpu), at, &ts, &next);
			KUNIT_ASSERT_GT(test, next, before);
			KUNIT_EXPECT_EQ(test, meta->reader.read, at);
			KUNIT_EXPECT_EQ(test, meta->read, next);
			KUNIT_EXPECT_EQ(test, meta->entries, written);
			KUNIT_EXPECT_EQ(test, meta->reader.lost_events, 0);
		}
		KUNIT_ASSERT_EQ(test, 0, ring_buffer_map_get_reader(buffer, cpu));
		KUNIT_EXPECT_EQ(test, meta->reader.id, id);
	}
	KUNIT_EXPECT_EQ(test, meta->overrun, 0);
	rbt_balance(test, buffer, cpu, written);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_entries_cpu(buffer, cpu));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_bytes_cpu(buffer, cpu));
}

/* What was overwritten before a sub-buffer is said, in the first page and in itself. */
static void rbt_map_lost(struct kunit *test)
{
	struct trace_buffer_meta *meta;
	struct trace_buffer *buffer;
	unsigned long stored;
	unsigned int commit;
	struct rb_page *page;
	u32 next, last;
	u64 ts = 0;
	int cpu;

	buffer = make_mapped(test, 3, RB_FL_OVERWRITE, &cpu);
	meta = mapped_meta(buffer, cpu);
	write_numbers(test, buffer, 0, 500);

	KUNIT_ASSERT_EQ(test, 0, ring_buffer_map_get_reader(buffer, cpu));
	KUNIT_EXPECT_GT(test, meta->reader.lost_events, 300);
	KUNIT_EXPECT_EQ(test, meta->reader.lost_events, meta->overrun);
	page = mapped_reader(buffer, cpu);
	KUNIT_EXPECT_TRUE(test, page->commit & RB_MISSED_EVENTS);
	KUNIT_EXPECT_TRUE(test, page->commit & RB_MISSED_STORED);
	commit = page->commit & RB_COMMIT_MASK;
	memcpy(&stored, &page->data[commit], sizeof(stored));
	KUNIT_EXPECT_EQ(test, stored, meta->overrun);
	next = stored;
	check_page(test, page, 0, &ts, &next);

	/* Once is enough, and another reader is not told either. */
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_map_get_reader(buffer, cpu));
	KUNIT_EXPECT_EQ(test, meta->reader.lost_events, 0);
	KUNIT_EXPECT_FALSE(test, mapped_reader(buffer, cpu)->commit & RB_MISSED_EVENTS);
	last = next;
	check_page(test, mapped_reader(buffer, cpu), 0, &ts, &next);
	KUNIT_EXPECT_GT(test, next, last);
	KUNIT_EXPECT_EQ(test, rbt_read(test, buffer, cpu, &ts, &stored), (int)next);
	KUNIT_EXPECT_EQ(test, stored, 0);
	/* what it has marked is used again as if nothing had been */
	write_numbers(test, buffer, 0, 500);
	while (rbt_read(test, buffer, cpu, &ts, NULL) >= 0)
		continue;
	rbt_balance(test, buffer, cpu, 1000);
}

/* As long as somebody has it mapped a ring does not change its shape, or its place. */
static void rbt_map_stays(struct kunit *test)
{
	unsigned long size, other_size = 9 * RBT_SUBBUF;
	struct trace_buffer *buffer, *other;
	int cpu, second;

	buffer = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	other = rbt_make(test, 4, RB_FL_OVERWRITE, &cpu);
	size = ring_buffer_size(buffer, cpu);
	KUNIT_EXPECT_EQ(test, -ENODEV, ring_buffer_map_get_reader(buffer, cpu));
	KUNIT_EXPECT_EQ(test, -EINVAL, ring_buffer_map_get_reader(buffer, nr_cpu_ids));
	KUNIT_EXPECT_EQ(test, -EINVAL, rb_map_use(buffer, nr_cpu_ids));
	KUNIT_EXPECT_EQ(test, -EINVAL, ring_buffer_unmap(buffer, nr_cpu_ids));
	KUNIT_EXPECT_EQ(test, -ENODEV, ring_buffer_unmap(buffer, cpu));
	KUNIT_ASSERT_FALSE(test, ring_buffer_is_held(buffer));

	KUNIT_ASSERT_EQ(test, 0, rb_map_use(buffer, cpu));
	ring_buffer_map_dup(buffer, cpu);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_unmap(buffer, cpu));

	KUNIT_EXPECT_TRUE(test, ring_buffer_is_held(buffer));
	KUNIT_EXPECT_EQ(test, -EBUSY, ring_buffer_resize(buffer, other_size, cpu));
	KUNIT_EXPECT_EQ(test, -EBUSY,
			ring_buffer_resize(buffer, other_size, RING_BUFFER_ALL_CPUS));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(buffer, size, cpu));
	KUNIT_EXPECT_EQ(test, -EBUSY, ring_buffer_subbuf_order_set(buffer, 1));
	KUNIT_EXPECT_EQ(test, size, ring_buffer_size(buffer, cpu));
	if (IS_ENABLED(CONFIG_RING_BUFFER_ALLOW_SWAP)) {
		KUNIT_EXPECT_EQ(test, -EBUSY, ring_buffer_swap(buffer, other));
		KUNIT_EXPECT_EQ(test, -EBUSY, ring_buffer_swap_cpu(other, buffer, cpu));
	}
	/* Others may. */
	for_each_cpu(second, buffer->cpumask) {
		if (second == cpu)
			continue;
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(buffer, other_size, second));
		KUNIT_EXPECT_EQ(test, other_size, ring_buffer_size(buffer, second));
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(buffer, size, second));
	}

	KUNIT_EXPECT_EQ(test, 0, ring_buffer_unmap(buffer, cpu));
	KUNIT_EXPECT_EQ(test, -ENODEV, ring_buffer_unmap(buffer, cpu));
	KUNIT_EXPECT_FALSE(test, ring_buffer_is_held(buffer));
	if (IS_ENABLED(CONFIG_RING_BUFFER_ALLOW_SWAP))
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_swap(buffer, other));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(buffer, other_size, cpu));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_subbuf_order_set(buffer, 1));
}

/* Sub-buffers of any order, and of a ring that was larger once, have numbers without gaps. */
static void rbt_map_numbers(struct kunit *test)
{
	struct trace_buffer_meta *meta;
	struct trace_buffer *buffer;
	u32 next = 0, written = 0, before = 0;
	struct rb_page *page;
	unsigned long i, nr;
	u64 ts = 0;
	int cpu;

	buffer = rbt_make(test, 20, 0, &cpu);
	write_numbers(test, buffer, 0, 300);
	for (i = 0; i < 250; i++)
		KUNIT_ASSERT_EQ(test, rbt_read(test, buffer, cpu, &ts, NULL), (int)i);
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(buffer, 5 * RBT_SUBBUF, cpu));

	KUNIT_ASSERT_EQ(test, 0, rb_map_use(buffer, cpu));
	meta = mapped_meta(buffer, cpu);
	KUNIT_EXPECT_EQ(test, meta->nr_subbufs, 6);
	for (i = 1; i <= 6; i++)
		KUNIT_EXPECT_NOT_NULL(test, mapped_page(buffer, cpu, i));
	KUNIT_EXPECT_NULL(test, mapped_page(buffer, cpu, 7));
	KUNIT_ASSERT_PTR_EQ(test, mapped_reader(buffer, cpu), ring_reader(buffer, cpu));
	/* what the last reader had not read yet is there first */
	page = mapped_reader(buffer, cpu);
	next = 250;
	i = meta->reader.read;
	KUNIT_EXPECT_GT(test, i, 0);
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_map_get_reader(buffer, cpu));
	KUNIT_EXPECT_PTR_EQ(test, page, mapped_reader(buffer, cpu));
	check_page(test, page, i, &ts, &next);
	KUNIT_EXPECT_GT(test, next, 250);
	KUNIT_EXPECT_EQ(test, meta->read, next);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_unmap(buffer, cpu));

	KUNIT_ASSERT_EQ(test, 0, ring_buffer_subbuf_order_set(buffer, 2));
	KUNIT_ASSERT_EQ(test, 0, rb_map_use(buffer, cpu));
	meta = mapped_meta(buffer, cpu);
	KUNIT_EXPECT_EQ(test, meta->meta_page_size, 4 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, meta->subbuf_size, 4 * PAGE_SIZE);
	KUNIT_EXPECT_NULL(test, memchr_inv(meta + 1, 0, meta->meta_page_size - sizeof(*meta)));
	nr = 4 * (meta->nr_subbufs + 1);
	KUNIT_EXPECT_NOT_NULL(test, mapped_page(buffer, cpu, nr - 1));
	KUNIT_EXPECT_NULL(test, mapped_page(buffer, cpu, nr));
	KUNIT_EXPECT_PTR_EQ(test, mapped_page(buffer, cpu, 5),
			    mapped_page(buffer, cpu, 4) + PAGE_SIZE);
	next = 0;
	while (written < 60) {
		KUNIT_ASSERT_TRUE(test, rbt_write(buffer, 3000, written++));
		if (written % 8)
			continue;
		while (ring_buffer_entries_cpu(buffer, cpu)) {
			i = meta->reader.read;
			page = mapped_reader(buffer, cpu);
			KUNIT_ASSERT_EQ(test, 0, ring_buffer_map_get_reader(buffer, cpu));
			check_page(test, mapped_reader(buffer, cpu),
				   page == mapped_reader(buffer, cpu) ? i : 0, &ts, &next);
			KUNIT_ASSERT_GT(test, next, before);
			before = next;
		}
	}
	KUNIT_EXPECT_EQ(test, next, 56);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_unmap(buffer, cpu));
}

/* Who reads whole sub-buffers gets copies: those that are mapped stay where they are. */
static void rbt_map_copies(struct kunit *test)
{
	struct rb_page *before[9], *mine, *now;
	struct buffer_data_read_page *page;
	struct trace_buffer *buffer;
	int cpu, i, k, full, nr = 0;
	u64 ts = 0;

	buffer = make_mapped(test, 8, 0, &cpu);
	for (i = 0; i < 9; i++)
		before[i] = mapped_page(buffer, cpu, i + 1);
	write_numbers(test, buffer, 0, 200);
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_alloc_read_page(buffer, cpu, &page));
	mine = ring_buffer_read_page_data(page);
	for (full = 1; full >= 0; full--) {
		while (!ring_buffer_read_page(buffer, page, PAGE_SIZE, cpu, full)) {
			now = ring_buffer_read_page_data(page);
			KUNIT_EXPECT_PTR_EQ(test, now, mine);
			k = rbt_parse(now, &ts);
			KUNIT_ASSERT_GT(test, k, 0);
			nr += k;
		}
		if (full)
			KUNIT_EXPECT_LT(test, nr, 200);
		KUNIT_EXPECT_GT(test, nr, 150);
	}
	KUNIT_EXPECT_EQ(test, nr, 200);
	for (i = 0; i < 9; i++)
		KUNIT_EXPECT_PTR_EQ(test, (void *)before[i], mapped_page(buffer, cpu, i + 1));
	ring_buffer_free_read_page(buffer, cpu, page);
	rbt_balance(test, buffer, cpu, 200);
}

/* A reset is told, and the reader goes on from there. */
static void rbt_map_emptied(struct kunit *test)
{
	struct trace_buffer_meta *meta;
	struct trace_buffer *buffer;
	u32 next = 7000;
	u64 ts = 0;
	int cpu;

	buffer = make_mapped(test, 3, RB_FL_OVERWRITE, &cpu);
	meta = mapped_meta(buffer, cpu);
	write_numbers(test, buffer, 0, 500);
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_map_get_reader(buffer, cpu));
	KUNIT_EXPECT_GT(test, meta->entries, 0);
	KUNIT_EXPECT_GT(test, meta->reader.lost_events, 0);

	ring_buffer_reset_cpu(buffer, cpu);
	KUNIT_EXPECT_EQ(test, meta->entries, 0);
	KUNIT_EXPECT_EQ(test, meta->overrun, 0);
	KUNIT_EXPECT_EQ(test, meta->read, 0);
	KUNIT_EXPECT_EQ(test, meta->reader.read, 0);
	KUNIT_EXPECT_EQ(test, meta->reader.lost_events, 0);
	KUNIT_EXPECT_PTR_EQ(test, mapped_reader(buffer, cpu), ring_reader(buffer, cpu));

	write_numbers(test, buffer, 7000, 10);
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_map_get_reader(buffer, cpu));
	check_page(test, mapped_reader(buffer, cpu), 0, &ts, &next);
	KUNIT_EXPECT_EQ(test, next, 7010);
	KUNIT_EXPECT_EQ(test, meta->entries, 10);
	KUNIT_EXPECT_EQ(test, meta->read, 10);
}

static struct rb_page *no_page(int cpu, unsigned int order, gfp_t flags)
{
	return NULL;
}

static void rbt_map_no_memory(struct kunit *test)
{
	struct trace_buffer *buffer;
	int cpu;

	buffer = rbt_make(test, 3, RB_FL_OVERWRITE, &cpu);
	kunit_activate_static_stub(test, rb_page_alloc, no_page);
	KUNIT_EXPECT_EQ(test, -ENOMEM, rb_map_use(buffer, cpu));
	kunit_deactivate_static_stub(test, rb_page_alloc);
	KUNIT_EXPECT_FALSE(test, ring_buffer_is_held(buffer));
	KUNIT_EXPECT_EQ(test, 0, buffer->swaps_forbidden);
	KUNIT_EXPECT_EQ(test, -ENODEV, ring_buffer_map_get_reader(buffer, cpu));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(buffer, 5 * RBT_SUBBUF, cpu));
}

#define LOAD_RECORDS	100000

struct load {
	struct trace_buffer	*buffer;
	struct completion	written;
};

static int load_writer(void *data)
{
	struct load *load = data;

	for (u32 i = 0; i < LOAD_RECORDS; i++) {
		rbt_write(load->buffer, 24 + i % 90, i);
		if (i % 256 == 0)
			cond_resched();
	}
	complete(&load->written);
	return 0;
}

/*
 * Another CPU writes as fast as it can. What the reader sees is in order, and what he does not see
 * was overwritten: as the commit in his memory says it, which grows while he looks.
 */
static void rbt_map_load(struct kunit *test)
{
	unsigned long seen = 0, lost = 0, rounds = 0;
	struct trace_buffer_meta *meta;
	struct ring_buffer_event *event;
	struct task_struct *writer;
	struct trace_buffer *buffer;
	u32 number, next = 0, id;
	unsigned int at = 0;
	struct load load;
	bool last = false;
	int cpu, other;
	u64 ts = 0;

	buffer = rbt_make(test, 8, RB_FL_OVERWRITE, &cpu);
	other = cpumask_any_but(cpu_online_mask, cpu);
	if (other >= nr_cpu_ids)
		kunit_skip(test, "wants two CPUs");
	KUNIT_ASSERT_EQ(test, 0, rb_map_use(buffer, other));
	meta = mapped_meta(buffer, other);
	id = meta->reader.id;
	load.buffer = buffer;
	init_completion(&load.written);
	writer = kthread_create(load_writer, &load, "rbt_map_load");
	KUNIT_ASSERT_FALSE(test, IS_ERR(writer));
	kthread_bind(writer, other);
	wake_up_process(writer);

	for (;;) {
		/* nothing comes after the look that follows */
		last = completion_done(&load.written);
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_map_get_reader(buffer, other));
		if (meta->reader.id != id) {
			id = meta->reader.id;
			at = 0;
			lost += meta->reader.lost_events;
			ts = mapped_reader(buffer, other)->time_stamp;
		}
		while (at < rb_page_commit(mapped_reader(buffer, other)) &&
		       (event = rbt_next_record(mapped_reader(buffer, other), &at, &ts))) {
			if (IS_ERR(event) || !rbt_good(event, ts)) {
				KUNIT_FAIL(test, "garbage at %u of %u", at, id);
				break;
			}
			number = ((struct rbt_record *)ring_buffer_event_data(event))->number;
			if (number < next) {
				KUNIT_FAIL(test, "%u after %u", number, next);
				break;
			}
			next = number + 1;
			seen++;
		}
		if (last && ring_buffer_empty_cpu(buffer, other) && meta->read == seen)
			break;
		if (last && rounds++ > 1000) {
			KUNIT_FAIL(test, "seen %lu, read %llu", seen, meta->read);
			break;
		}
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, seen + lost, LOAD_RECORDS);
	KUNIT_EXPECT_EQ(test, lost, ring_buffer_overrun_cpu(buffer, other));
	KUNIT_EXPECT_GT(test, seen, 0);
	rbt_balance(test, buffer, other, LOAD_RECORDS);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_unmap(buffer, other));
}

static struct kunit_case test_cases[] = {
	KUNIT_CASE(rbt_map_reads),
	KUNIT_CASE(rbt_map_lost),
	KUNIT_CASE(rbt_map_stays),
	KUNIT_CASE(rbt_map_numbers),
	KUNIT_CASE(rbt_map_copies),
	KUNIT_CASE(rbt_map_emptied),
	KUNIT_CASE(rbt_map_no_memory),
	KUNIT_CASE(rbt_map_load),
	{ }
};

TRACE_KUNIT_SUITE("ring_buffer_map", test_cases);
