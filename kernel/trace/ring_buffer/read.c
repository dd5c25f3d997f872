// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading: the reader's sub-buffer, peek and consume.
 *
 * The reader owns one sub-buffer that is outside of the ring. When all of it has
 * been read it is exchanged for the oldest one in the ring. That is taken away
 * even from a writer that is just writing to it: the writer finishes there, and
 * finds the fresh one when it comes around.
 */
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/string.h>

#include "../lock_once.h"
#include "internal.h"
#include "read.h"

/*
 * The rings that this CPU has locked, the last one first. A lock's own functions are traced, and
 * what hangs on one of them may read: a dump at the entry of _raw_spin_unlock(), where the lock is
 * held still.
 */
static DEFINE_PER_CPU(struct rb_hold *, rb_holds);

static bool rb_holds_here(const raw_spinlock_t *lock)
{
	const struct rb_hold *hold;

	for (hold = __this_cpu_read(rb_holds); hold; hold = hold->outer) {
		if (hold->lock == lock)
			return true;
	}
	return false;
}

/*
 * Below, __acquire() and __release() only balance what sparse counts where a lock is taken
 * conditionally, and RB_READER is no variable, but what sparse calls the lock of some ring.
 */

/* How often to try for a lock that may be our own: another CPU does not keep it for long. */
#define RB_LOCK_TRIES	100

/*
 * This CPU has @lock, or is in the function that takes or releases it; then another CPU may have it
 * at the moment. So it may where we cannot wait, and if it does not stand it gives it back.
 */
static bool rb_lock_again(raw_spinlock_t *lock)
{
	for (int i = 0; i < RB_LOCK_TRIES; i++) {
		if (raw_spin_trylock(lock)) {
			__release(lock);
			return true;
		}
		cpu_relax();
	}
	return false;
}

/* False if we cannot wait and did not get the lock, or in the midst of the lock's own functions. */
static bool rb_lock(raw_spinlock_t *lock)
{
	if (unlikely(trace_cannot_wait() || rb_holds_here(lock)))
		return rb_lock_again(lock);
	raw_spin_lock(lock);
	__release(lock);
	return true;
}

static void rb_hold_begin(struct rb_hold *hold, raw_spinlock_t *lock)
{
	hold->lock = lock;
	hold->outer = __this_cpu_read(rb_holds);
	__this_cpu_write(rb_holds, hold);
}

static void rb_hold_end(struct rb_hold *hold)
{
	if (likely(hold->lock)) {
		__acquire(hold->lock);
		raw_spin_unlock(hold->lock);
	}
	__this_cpu_write(rb_holds, hold->outer);
}

/**
 * rb_reader_lock - become the one reader of the ring that a CPU has now
 * @p: the CPU; it has a ring
 * @hold: for rb_reader_unlock()
 *
 * What is read until rb_reader_unlock() is what this CPU of the buffer had at
 * some moment in between: a swap may take the ring away meanwhile, but not
 * from under us. The ring cannot be freed either, interrupts are off from
 * before we know it and ring_buffer_free() waits for that.
 *
 * A dump from an NMI cannot wait for the lock's owner, who may be what it
 * interrupted, nor can a debugger or a CPU that panics, for whom all other CPUs stand. It reads
 * anyway, and so that nothing worse can happen than a wrong record in that dump, nothing is
 * recorded any more from then on, until somebody switches it on again: a debugger goes on.
 *
 * Nor can one from a function that is called with the lock held: those are the
 * lock's own, when the owner is done with what it took the lock for. So that one reads.
 *
 * Context: any.
 * Return: the ring.
 */
struct rb_ring *rb_reader_lock(struct rb_cpu *p, struct rb_hold *hold)
	__acquires(RB_READER)
{
	struct rb_ring *ring;

	/*
	 * Without a word to who traces preemption, who would else be told of each look, and of its
	 * caller's caller. irqsoff has the section.
	 */
	preempt_disable_notrace();
	local_irq_save(hold->flags);
	for (;;) {
		/* W5/R5, by the address */
		ring = READ_ONCE(p->ring);
		if (unlikely(!rb_lock(&ring->lock))) {
			if (trace_cannot_wait())
				ring_buffer_record_off(p->buffer);
			rb_hold_begin(hold, NULL);
			break;
		}
		rb_hold_begin(hold, &ring->lock);
		if (likely(READ_ONCE(p->ring) == ring))
			break;
		rb_hold_end(hold);
	}
	__acquire(&ring->lock);
	return ring;
}

/**
 * rb_reader_unlock - end of rb_reader_lock() or rb_ring_lock()
 * @hold: what it filled in
 *
 * Context: as rb_reader_lock().
 */
void rb_reader_unlock(struct rb_hold *hold)
	__releases(RB_READER)
{
	rb_hold_end(hold);
	__release(hold->lock);
	local_irq_restore(hold->flags);
	preempt_enable_notrace();
}

/**
 * rb_ring_lock - keep readers out of a ring
 * @ring: the ring; it stays where it is
 * @hold: for rb_reader_unlock()
 *
 * Context: any but NMI and a debugger, and not inside of itself.
 */
void rb_ring_lock(struct rb_ring *ring, struct rb_hold *hold)
	__acquires(RB_READER)
{
	preempt_disable_notrace();
	local_irq_save(hold->flags);
	raw_spin_lock(&ring->lock);
	rb_hold_begin(hold, &ring->lock);
}

/* Hand the reader's sub-buffer in for the oldest one that has anything. */
static bool rb_take(struct rb_ring *ring)
{
	struct rb_table *table = ring->table;
	struct rb_sub *spare = ring->reader, *sub;
	u64 next = ring->next, expect = ring->expect;

	/* The spare is the writer's as soon as it is handed in. */
	if (ring->live)
		expect = spare->first + rb_sub_entries(spare);

	for (;;) {
		/* W2/R2 */
		u64 commit = smp_load_acquire(&ring->commit_seq);
		u64 *slot = &table->slot[next % table->nr];
		u64 old = READ_ONCE(*slot);

		if ((s64)(next - commit) > 0)
			return false;

		if (!rb_slot_is(old, next)) {
			/* Overwritten. */
			next = rb_seq_skip(next, commit, table->nr);
			continue;
		}

		sub = table->sub[old & RB_SLOT_INDEX];
		/* Without the lock, and who has it stands in a reset. */
		if (unlikely(!sub))
			return false;
		/* Leave the writer alone until there is something. */
		if (next == commit && !rb_page_commit(sub->page))
			return false;

		/* W4/R4: we are done with the spare's page before this. */
		if (try_cmpxchg(slot, &old, rb_slot(next, spare->index, RB_SLOT_TAKEN)))
			break;
	}

	ring->expect = expect;
	ring->lost += sub->first - ring->expect;

	ring->reader = sub;
	ring->reader_seq = next;
	ring->live = true;
	ring->read = 0;
	ring->read_ts = sub->page->time_stamp;
	WRITE_ONCE(ring->next, next + 1);
	return true;
}

/**
 * rb_reader_sub - find what to read next
 * @ring: the ring
 *
 * Context: the caller is the reader (rb_reader_lock()).
 * Return: the reader's sub-buffer, which has data at rb_ring::read; NULL if
 * there is nothing to read.
 */
struct rb_sub *rb_reader_sub(struct rb_ring *ring)
{
	do {
		if (ring->live) {
			/* W2/R2: commit_seq first, then what it makes final. */
			u64 commit = smp_load_acquire(&ring->commit_seq);

			if (ring->read < rb_page_commit(ring->reader->page))
				return ring->reader;
			if (commit == ring->reader_seq)
				return NULL;
		}
	} while (rb_take(ring));

	return NULL;
}

/**
 * rb_ring_empty - is there anything to read?
 * @ring: the ring
 *
 * Context: the caller is the reader (rb_reader_lock()).
 * Return: true if there is not.
 */
bool rb_ring_empty(struct rb_ring *ring)
{
	/* W2/R2 */
	u64 commit = smp_load_acquire(&ring->commit_seq);

	if (ring->live && ring->read < rb_page_commit(ring->reader->page))
		return false;
	if ((s64)(ring->next - commit) > 0)
		return true;
	if (ring->next != commit)
		return false;

	/* The writer may have moved on and reused it: not empty then, either. */
	return !rb_page_commit(READ_ONCE(ring->commit)->page);
}

/* Go behind @event, which is at the reader's position. */
static void rb_step(struct rb_ring *ring, const struct ring_buffer_event *event, u64 ts)
{
	unsigned int size = rb_record_size(event);

	ring->read += size;
	ring->read_bytes += size;
	ring->read_ts = ts;
}

/* Go behind a data record, which @ring's reader takes out. */
static __always_inline void rb_consume(struct rb_ring *ring, const struct ring_buffer_event *event,
				       u64 ts)
{
	rb_step(ring, event, ts);
	ring->nread++;
	ring->lost = 0;
}

/* The next data record, and its time; what precedes it is read. */
static struct ring_buffer_event *rb_next_record(struct rb_ring *ring, u64 *ts)
{
	struct ring_buffer_event *event;
	struct rb_sub *sub;

	while ((sub = rb_reader_sub(ring))) {
		event = (void *)&sub->page->data[ring->read];
		*ts = rb_record_time(event, ring->read_ts);
		if (rb_record_is_data(event))
			return event;

		rb_step(ring, event, *ts);
	}
	return NULL;
}

static struct ring_buffer_event *
rb_read_record(struct trace_buffer *buffer, int cpu, u64 *ts,
	       unsigned long *lost_events, bool consume)
{
	struct rb_cpu *p = rb_cpu_at(buffer, cpu);
	struct ring_buffer_event *event;
	struct rb_ring *ring;
	struct rb_hold hold;
	u64 time;

	if (!p)
		return NULL;

	ring = rb_reader_lock(p, &hold);
	event = rb_next_record(ring, &time);
	if (event) {
		if (ts)
			*ts = time;
		if (lost_events)
			*lost_events = ring->lost;
		if (consume)
			rb_consume(ring, event, time);
	}
	rb_reader_unlock(&hold);

	return event;
}

/**
 * ring_buffer_peek - look at the oldest record of a CPU
 * @buffer: the buffer
 * @cpu: the CPU
 * @ts: where to put its time, or NULL
 * @lost_events: where to put how many records were overwritten between the one
 *	read last and this one, or NULL
 *
 * Context: any. What is returned stays valid until the next read from @cpu, or
 * until a reset, a swap, or a change of the size of the sub-buffers; the caller
 * has to see to it that there is none. ring_buffer_consume_copy() has no such
 * conditions.
 * Return: the record, or NULL if there is none.
 */
struct ring_buffer_event *
ring_buffer_peek(struct trace_buffer *buffer, int cpu, u64 *ts,
		 unsigned long *lost_events)
{
	return rb_read_record(buffer, cpu, ts, lost_events, false);
}
EXPORT_SYMBOL_GPL(ring_buffer_peek);

/**
 * ring_buffer_consume - take the oldest record of a CPU out
 * @buffer: the buffer
 * @cpu: the CPU
 * @ts: where to put its time, or NULL
 * @lost_events: where to put how many records were overwritten between the one
 *	read last and this one, or NULL
 *
 * Context: as ring_buffer_peek().
 * Return: the record, or NULL if there is none.
 */
struct ring_buffer_event *
ring_buffer_consume(struct trace_buffer *buffer, int cpu, u64 *ts,
		    unsigned long *lost_events)
{
	return rb_read_record(buffer, cpu, ts, lost_events, true);
}
EXPORT_SYMBOL_GPL(ring_buffer_consume);

/**
 * ring_buffer_peek_time - time of the oldest record of a CPU
 * @buffer: the buffer
 * @cpu: the CPU
 * @ts: where to put its time, or NULL
 * @lost_events: where to put how many records were overwritten between the one
 *	read last and this one, or NULL
 *
 * For who merges CPUs: unlike what ring_buffer_peek() returns, this stays true
 * whatever happens to the buffer. The record is kept for the reader, writers do
 * not overwrite it any more; so it is the one that ring_buffer_consume_copy()
 * gives next, unless another reader takes it, or a reset or a swap comes between.
 *
 * Context: any; takes the ring's reader lock.
 * Return: true if there is a record.
 */
bool ring_buffer_peek_time(struct trace_buffer *buffer, int cpu, u64 *ts,
			   unsigned long *lost_events)
{
	return !!rb_read_record(buffer, cpu, ts, lost_events, false);
}
EXPORT_SYMBOL_GPL(ring_buffer_peek_time);

/* Copy the record at the reader's position. Return bytes, 0 if it is none. */
static unsigned int rb_copy_record(struct rb_ring *ring, struct ring_buffer_event *to,
				   size_t room)
{
	const struct ring_buffer_event *from = (void *)&ring->reader->page->data[ring->read];
	unsigned int size, left = ring->limit - ring->read;

	/* Without the lock, in an NMI, this can be anything: trust no length. */
	if (room < RB_EXTEND_SIZE || left < RB_EXTEND_SIZE)
		return 0;
	memcpy(to, from, RB_EXTEND_SIZE);
	size = rb_record_size(to);
	if (size < RB_EXTEND_SIZE || size > room || size > left)
		return 0;
	memcpy((u8 *)to + RB_EXTEND_SIZE, (const u8 *)from + RB_EXTEND_SIZE,
	       size - RB_EXTEND_SIZE);
	return size;
}

/*
 * Copy the oldest record, and take it out if @consume; if @more, say whether another one follows,
 * and when that was, at @next. Return: as ring_buffer_consume_copy().
 */
static __always_inline int rb_read_copy(struct trace_buffer *buffer, int cpu,
					struct ring_buffer_event *to, size_t room, u64 *ts,
					unsigned long *lost_events, bool consume, u64 *next,
					bool *more)
{
	struct rb_cpu *p = rb_cpu_at(buffer, cpu);
	struct ring_buffer_event *event;
	struct rb_ring *ring;
	struct rb_hold hold;
	int ret = 0;
	u64 time;

	if (!p)
		return 0;

	ring = rb_reader_lock(p, &hold);
	event = rb_next_record(ring, &time);
	if (!event)
		goto unlock;
	ret = -EMSGSIZE;
	if (!rb_copy_record(ring, to, room))
		goto unlock;
	ret = ring_buffer_event_length(to);
	if (ts)
		*ts = time;
	if (lost_events)
		*lost_events = ring->lost;
	if (consume) {
		rb_consume(ring, to, time);
		if (more)
			*more = !!rb_next_record(ring, next);
	}
unlock:
	rb_reader_unlock(&hold);

	return ret;
}

/**
 * ring_buffer_peek_copy - copy the oldest record of a CPU and leave it there
 * @buffer: the buffer
 * @cpu: the CPU
 * @to: where to copy the record to, head first
 * @room: bytes there
 * @ts: where to put its time, or NULL
 *
 * Context: any; takes the ring's reader lock.
 * Return: as ring_buffer_consume_copy(), which gives this record next, unless another
 * reader takes it, or a reset or a swap comes between.
 */
int ring_buffer_peek_copy(struct trace_buffer *buffer, int cpu, struct ring_buffer_event *to,
			  size_t room, u64 *ts)
{
	return rb_read_copy(buffer, cpu, to, room, ts, NULL, false, NULL, NULL);
}
EXPORT_SYMBOL_GPL(ring_buffer_peek_copy);

/**
 * ring_buffer_consume_copy - take the oldest record of a CPU out, as a copy
 * @buffer: the buffer
 * @cpu: the CPU
 * @to: where to copy the record to, head first
 * @room: bytes there; ring_buffer_subbuf_size_get() are enough for any record
 * @ts: where to put its time, or NULL
 * @lost_events: where to put how many records were overwritten between the one
 *	read last and this one, or NULL
 *
 * All is done when this returns: nobody has to be kept from reading, resizing,
 * resetting or swapping the buffer before, during or after it. The copy is a
 * record for ring_buffer_event_data() and ring_buffer_event_length().
 *
 * Context: any; takes the ring's reader lock.
 * Return: bytes of data, 0 if there is no record, -EMSGSIZE if it has more than
 * @room; it stays then.
 */
int ring_buffer_consume_copy(struct trace_buffer *buffer, int cpu,
			     struct ring_buffer_event *to, size_t room, u64 *ts,
			     unsigned long *lost_events)
{
	return rb_read_copy(buffer, cpu, to, room, ts, lost_events, true, NULL, NULL);
}
EXPORT_SYMBOL_GPL(ring_buffer_consume_copy);

/**
 * ring_buffer_consume_next - take the oldest record out, as a copy, and look at the next one
 * @buffer: the buffer
 * @cpu: the CPU
 * @to: where to copy the record to, head first
 * @room: bytes there
 * @ts: where to put its time
 * @lost_events: where to put how many records were overwritten before it
 * @next: where to put the time of the record that follows, if there is one
 * @more: is there one? Only set when a record was taken out
 *
 * The ring is locked once for both.
 *
 * Context: any; takes the ring's reader lock.
 * Return: as ring_buffer_consume_copy().
 */
int ring_buffer_consume_next(struct trace_buffer *buffer, int cpu, struct ring_buffer_event *to,
			     size_t room, u64 *ts, unsigned long *lost_events, u64 *next,
			     bool *more)
{
	return rb_read_copy(buffer, cpu, to, room, ts, lost_events, true, next, more);
}

/**
 * ring_buffer_empty_cpu - is there nothing to read from a CPU?
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: any.
 * Return: true if there is nothing, also for a CPU that never was up.
 */
bool ring_buffer_empty_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *p = rb_cpu_at(buffer, cpu);
	struct rb_hold hold;
	bool empty;

	if (!p)
		return true;

	empty = rb_ring_empty(rb_reader_lock(p, &hold));
	rb_reader_unlock(&hold);

	return empty;
}
EXPORT_SYMBOL_GPL(ring_buffer_empty_cpu);

/**
 * ring_buffer_empty - is there nothing to read from any CPU?
 * @buffer: the buffer
 *
 * Context: any.
 * Return: true if there is nothing.
 */
bool ring_buffer_empty(struct trace_buffer *buffer)
{
	int cpu;

	for_each_cpu(cpu, buffer->cpumask) {
		if (!ring_buffer_empty_cpu(buffer, cpu))
			return false;
	}
	return true;
}
EXPORT_SYMBOL_GPL(ring_buffer_empty);

/**
 * ring_buffer_event_length - bytes of data in a record
 * @event: the record
 *
 * Context: any.
 * Return: the length with which it was reserved, rounded up; for what is not
 * data, the length of the record.
 */
unsigned int ring_buffer_event_length(struct ring_buffer_event *event)
{
	unsigned int size;

	if (event->type_len >= RINGBUF_TYPE_TIME_EXTEND)
		event = (void *)&event->array[1];

	size = rb_record_size(event);
	if (!rb_record_is_data(event))
		return size;
	return size - RB_HEAD_SIZE - (event->type_len ? 0 : sizeof(event->array[0]));
}
EXPORT_SYMBOL_GPL(ring_buffer_event_length);

/**
 * ring_buffer_event_data - data of a record
 * @event: the record
 *
 * Context: any.
 * Return: where the data begins.
 */
void *ring_buffer_event_data(struct ring_buffer_event *event)
{
	return ring_buffer_reserved_data(event);
}
EXPORT_SYMBOL_GPL(ring_buffer_event_data);
