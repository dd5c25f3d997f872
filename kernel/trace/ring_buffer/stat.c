// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers about a buffer. While it is written to they are a little behind, or
 * do not quite fit together; at rest they are exact. (Why not from an NMI: it
 * may have interrupted a reader, see rb_reader_lock().)
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/string.h>

#include "internal.h"
#include "size.h"

/* Records that were written, ever. */
u64 rb_written(struct rb_ring *ring)
{
	return READ_ONCE(ring->done_entries) + rb_sub_entries(READ_ONCE(ring->commit));
}

static unsigned long rb_ring_entries(struct rb_ring *ring)
{
	s64 left = rb_written(ring) - atomic_long_read(&ring->overrun) -
		   READ_ONCE(ring->nread);

	/* Overwritten or read while we looked? */
	return max(left, 0);
}

static unsigned long rb_ring_bytes(struct rb_ring *ring)
{
	s64 left;

	left = READ_ONCE(ring->done_bytes);
	left += rb_tail_bytes(READ_ONCE(READ_ONCE(ring->commit)->tail));
	left -= atomic_long_read(&ring->lost_bytes) + READ_ONCE(ring->read_bytes);
	return max(left, 0);
}

static unsigned long rb_ring_overrun(struct rb_ring *ring)
{
	return atomic_long_read(&ring->overrun);
}

static unsigned long rb_ring_commit_overrun(struct rb_ring *ring)
{
	return atomic_long_read(&ring->commit_overrun);
}

static unsigned long rb_ring_dropped(struct rb_ring *ring)
{
	return atomic_long_read(&ring->dropped);
}

static unsigned long rb_ring_nread(struct rb_ring *ring)
{
	return READ_ONCE(ring->nread);
}

static unsigned long rb_ring_size(struct rb_ring *ring)
{
	return (unsigned long)READ_ONCE(ring->nr) * READ_ONCE(ring->limit);
}

static unsigned long rb_ring_nr_dirty(struct rb_ring *ring)
{
	return rb_ring_dirty(ring);
}

/*
 * A number of a ring. With its lock, as a reader: a sub-buffer whose counts are
 * looked at is not freed meanwhile.
 */
static unsigned long rb_number(struct trace_buffer *buffer, int cpu,
			       unsigned long (*get)(struct rb_ring *ring))
{
	struct rb_cpu *p = rb_cpu_at(buffer, cpu);
	unsigned long number;
	struct rb_hold hold;

	if (!p)
		return 0;

	number = get(rb_reader_lock(p, &hold));
	rb_reader_unlock(&hold);
	return number;
}

/**
 * ring_buffer_entries_cpu - records of a CPU that can be read
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: any but NMI.
 * Return: their number, 0 if the CPU has no ring.
 */
unsigned long ring_buffer_entries_cpu(struct trace_buffer *buffer, int cpu)
{
	return rb_number(buffer, cpu, rb_ring_entries);
}
EXPORT_SYMBOL_GPL(ring_buffer_entries_cpu);

/**
 * ring_buffer_entries - records of all CPUs that can be read
 * @buffer: the buffer
 *
 * Context: any but NMI.
 * Return: their number.
 */
unsigned long ring_buffer_entries(struct trace_buffer *buffer)
{
	unsigned long sum = 0;
	int cpu;

	for_each_cpu(cpu, buffer->cpumask)
		sum += ring_buffer_entries_cpu(buffer, cpu);
	return sum;
}
EXPORT_SYMBOL_GPL(ring_buffer_entries);

/**
 * ring_buffer_overrun_cpu - records of a CPU that were overwritten
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: any but NMI.
 * Return: their number, 0 if the CPU has no ring.
 */
unsigned long ring_buffer_overrun_cpu(struct trace_buffer *buffer, int cpu)
{
	return rb_number(buffer, cpu, rb_ring_overrun);
}
EXPORT_SYMBOL_GPL(ring_buffer_overrun_cpu);

/**
 * ring_buffer_overruns - records of all CPUs that were overwritten
 * @buffer: the buffer
 *
 * Context: any but NMI.
 * Return: their number.
 */
unsigned long ring_buffer_overruns(struct trace_buffer *buffer)
{
	unsigned long sum = 0;
	int cpu;

	for_each_cpu(cpu, buffer->cpumask)
		sum += ring_buffer_overrun_cpu(buffer, cpu);
	return sum;
}
EXPORT_SYMBOL_GPL(ring_buffer_overruns);

/**
 * ring_buffer_commit_overrun_cpu - records dropped for unfinished ones
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * So many writers nested inside of one that the ring was full with what they
 * wrote before it was done.
 *
 * Context: any but NMI.
 * Return: their number, 0 if the CPU has no ring.
 */
unsigned long ring_buffer_commit_overrun_cpu(struct trace_buffer *buffer, int cpu)
{
	return rb_number(buffer, cpu, rb_ring_commit_overrun);
}
EXPORT_SYMBOL_GPL(ring_buffer_commit_overrun_cpu);

/**
 * ring_buffer_dropped_events_cpu - records dropped because a ring was full
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: any but NMI.
 * Return: their number, 0 if the CPU has no ring.
 */
unsigned long ring_buffer_dropped_events_cpu(struct trace_buffer *buffer, int cpu)
{
	return rb_number(buffer, cpu, rb_ring_dropped);
}
EXPORT_SYMBOL_GPL(ring_buffer_dropped_events_cpu);

/**
 * ring_buffer_read_events_cpu - records of a CPU that were taken out
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: any but NMI.
 * Return: their number, 0 if the CPU has no ring.
 */
unsigned long ring_buffer_read_events_cpu(struct trace_buffer *buffer, int cpu)
{
	return rb_number(buffer, cpu, rb_ring_nread);
}
EXPORT_SYMBOL_GPL(ring_buffer_read_events_cpu);

/**
 * ring_buffer_bytes_cpu - bytes of a CPU that can be read
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: any but NMI.
 * Return: bytes, heads included; 0 if the CPU has no ring.
 */
unsigned long ring_buffer_bytes_cpu(struct trace_buffer *buffer, int cpu)
{
	return rb_number(buffer, cpu, rb_ring_bytes);
}
EXPORT_SYMBOL_GPL(ring_buffer_bytes_cpu);

/**
 * ring_buffer_size - size of the ring of a CPU
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: any but NMI.
 * Return: bytes of data it can hold, 0 if the CPU has no ring.
 */
unsigned long ring_buffer_size(struct trace_buffer *buffer, int cpu)
{
	return rb_number(buffer, cpu, rb_ring_size);
}
EXPORT_SYMBOL_GPL(ring_buffer_size);

/**
 * ring_buffer_size_for - what ring_buffer_size() says after a resize
 * @buffer: the buffer
 * @size: bytes for ring_buffer_resize()
 *
 * Context: any.
 * Return: bytes of data, 0 if there can be no such ring.
 */
unsigned long ring_buffer_size_for(struct trace_buffer *buffer, unsigned long size)
{
	unsigned int subbuf_size = READ_ONCE(buffer->subbuf_size);
	u32 nr;

	return rb_nr_subs(size, subbuf_size, &nr) ? 0 : (unsigned long)nr * subbuf_size;
}

/**
 * ring_buffer_nr_dirty_pages - sub-buffers of a CPU that are full and not read
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: any but NMI.
 * Return: their number, 0 if the CPU has no ring.
 */
size_t ring_buffer_nr_dirty_pages(struct trace_buffer *buffer, int cpu)
{
	return rb_number(buffer, cpu, rb_ring_nr_dirty);
}

/**
 * rb_first_time - time of the first data record in a page
 * @page: the page; it may be overwritten while we look
 * @off: where to begin
 * @ts: time there
 * @first: where to put the time
 *
 * Context: any.
 * Return: true if there is one; what @first is then is right if @page was not
 * overwritten.
 */
VISIBLE_IF_KUNIT bool rb_first_time(struct rb_page *page, unsigned int off, u64 ts, u64 *first)
{
	unsigned int size, commit = rb_page_commit(page);
	union {
		struct ring_buffer_event event;
		u32 word[3];
	} head = { };

	/* Trust no length, see rb_iter_copy(). */
	while (off < commit && commit - off >= RB_EXTEND_SIZE) {
		memcpy(&head, &page->data[off], min(sizeof(head), commit - off));
		ts = rb_record_time(&head.event, ts);
		if (rb_record_is_data(&head.event)) {
			*first = ts;
			return true;
		}
		size = rb_record_size(&head.event);
		if (size < RB_EXTEND_SIZE || size > commit - off)
			break;
		off += size;
	}
	return false;
}

/**
 * ring_buffer_oldest_event_ts - time of the oldest record of a CPU
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: any but NMI.
 * Return: its time; 0 if there is none or the CPU has no ring.
 */
u64 ring_buffer_oldest_event_ts(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *p = rb_cpu_at(buffer, cpu);
	u64 seq, slot, *at, ts = 0;
	struct rb_table *table;
	struct rb_page *page;
	struct rb_ring *ring;
	struct rb_hold hold;
	bool found;

	if (!p)
		return 0;

	ring = rb_reader_lock(p, &hold);
	if (ring->live &&
	    rb_first_time(ring->reader->page, ring->read, ring->read_ts, &ts))
		goto unlock;

	table = ring->table;
	/* W2/R2 */
	for (seq = ring->next; (s64)(smp_load_acquire(&ring->commit_seq) - seq) >= 0; seq++) {
		at = &table->slot[seq % table->nr];
		slot = READ_ONCE(*at);
		if (!rb_slot_is(slot, seq)) {
			/* the loop adds one */
			seq = rb_seq_skip(seq, READ_ONCE(ring->commit_seq), table->nr) - 1;
			continue;
		}
		page = table->sub[slot & RB_SLOT_INDEX]->page;
		found = rb_first_time(page, 0, page->time_stamp, &ts);
		/* W3/R3: was it still that sub-buffer? */
		smp_rmb();
		if (found && READ_ONCE(*at) == slot)
			goto unlock;
	}
	ts = 0;
unlock:
	rb_reader_unlock(&hold);
	return ts;
}
EXPORT_SYMBOL_GPL(ring_buffer_oldest_event_ts);
