// SPDX-License-Identifier: GPL-2.0-only
/*
 * Iterators: read without taking out, while writers and readers go on.
 *
 * An iterator stands at an offset in a sub-buffer with a certain number. It
 * copies a record and then looks whether the sub-buffer still has that number:
 * if so, the copy is good. If not, it goes on with the oldest there is.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

/**
 * struct ring_buffer_iter - an iterator over one CPU
 * @p: the CPU that is read
 * @generation: of the ring, and of its reset, whose numbers these are
 * @seq: number of the sub-buffer
 * @off: of the next record
 * @ts: time at @off
 * @event_ts: time of @event
 * @size: size of @event
 * @begun: @ts is valid
 * @fetched: @event holds the record at @off
 * @started: a record was seen since the last rewind
 * @missed: records were overwritten before they could be seen
 * @room: size of the memory at @event
 * @event: copy of a record
 */
struct ring_buffer_iter {
	struct rb_cpu		*p;
	u64			generation;
	u64			seq;
	unsigned int		off;
	u64			ts;
	u64			event_ts;
	unsigned int		size;
	bool			begun;
	bool			fetched;
	bool			started;
	bool			missed;
	unsigned int		room;
	struct ring_buffer_event *event;
};

static void rb_iter_go(struct ring_buffer_iter *iter, u64 seq)
{
	iter->seq = seq;
	iter->off = 0;
	iter->begun = false;
	iter->fetched = false;
}

/* Begin with the oldest record that is not read. */
static void rb_iter_rewind(struct ring_buffer_iter *iter, struct rb_ring *ring)
{
	iter->generation = ring->generation;
	iter->started = false;
	if (!ring->live) {
		rb_iter_go(iter, ring->next);
		return;
	}
	rb_iter_go(iter, ring->reader_seq);
	iter->off = ring->read;
	iter->ts = ring->read_ts;
	iter->begun = true;
}

/* Copy the record at iter->off, if it can be one. */
static bool rb_iter_copy(struct ring_buffer_iter *iter, struct rb_page *page,
			 unsigned int commit)
{
	struct ring_buffer_event *event = (void *)&page->data[iter->off];
	unsigned int size;

	/* The record may be overwritten under our hands: trust no length. */
	if (commit - iter->off < RB_EXTEND_SIZE)
		return false;
	memcpy(iter->event, event, RB_EXTEND_SIZE);
	size = rb_record_size(iter->event);
	if (size > commit - iter->off || size < RB_EXTEND_SIZE)
		return false;
	memcpy((u8 *)iter->event + RB_EXTEND_SIZE, (u8 *)event + RB_EXTEND_SIZE,
	       size - RB_EXTEND_SIZE);
	iter->size = size;
	return true;
}

/* Get the next data record into iter->event. The caller holds the lock. */
static bool rb_iter_fetch(struct ring_buffer_iter *iter, struct rb_ring *ring)
{
	u64 slot, commit_seq, *at = NULL;
	struct rb_table *table = ring->table;
	unsigned int commit;
	struct rb_page *page;
	struct rb_sub *sub;
	bool good;

	/* A reset, or a swap */
	if (iter->generation != ring->generation)
		rb_iter_rewind(iter, ring);
	if (iter->fetched)
		return true;
	/* The size of the sub-buffers was changed while we were allocated. */
	if (ring->limit > iter->room)
		return false;

	for (;;) {
		/* What a reader took out is not there any more. */
		if ((s64)(iter->seq - (ring->live ? ring->reader_seq : ring->next)) < 0 ||
		    (ring->live && iter->seq == ring->reader_seq && iter->off < ring->read))
			rb_iter_rewind(iter, ring);

		/* W2/R2 */
		commit_seq = smp_load_acquire(&ring->commit_seq);
		if ((s64)(iter->seq - commit_seq) > 0)
			return false;

		if (ring->live && iter->seq == ring->reader_seq) {
			at = NULL;
			page = ring->reader->page;
		} else {
			at = &table->slot[iter->seq % table->nr];
			slot = READ_ONCE(*at);
			/* Overwritten, or given up? */
			if (!rb_slot_is(slot, iter->seq) || slot & RB_SLOT_TAKEN) {
				iter->missed |= iter->started;
				rb_iter_go(iter, rb_seq_skip(iter->seq, commit_seq, table->nr));
				continue;
			}
			sub = table->sub[slot & RB_SLOT_INDEX];
			/* as in rb_take() */
			if (unlikely(!sub))
				return false;
			page = sub->page;
		}

		commit = rb_page_commit(page);
		if (!iter->begun)
			iter->ts = page->time_stamp;
		good = iter->off < commit && rb_iter_copy(iter, page, commit);

		/* W3/R3: all loads from the page, then is it still the same? */
		smp_rmb();
		if (at && READ_ONCE(*at) != slot)
			continue;
		iter->started |= good;

		if (!good) {
			/*
			 * Where it ends, or where nothing is yet: the time that is to
			 * stand there follows with the first record.
			 */
			if (iter->seq == commit_seq)
				return false;
			rb_iter_go(iter, iter->seq + 1);
			continue;
		}

		iter->begun = true;
		iter->event_ts = rb_record_time(iter->event, iter->ts);
		if (rb_record_is_data(iter->event)) {
			iter->fetched = true;
			return true;
		}
		iter->ts = iter->event_ts;
		iter->off += iter->size;
	}
}

static bool rb_iter_lock_fetch(struct ring_buffer_iter *iter)
{
	struct rb_hold hold;
	bool ret;

	ret = rb_iter_fetch(iter, rb_reader_lock(iter->p, &hold));
	rb_reader_unlock(&hold);

	return ret;
}

/**
 * ring_buffer_read_start - begin to read a CPU without taking anything out
 * @buffer: the buffer
 * @cpu: the CPU
 * @flags: how to allocate
 *
 * Recording goes on. While an iterator is open the size of the sub-buffers
 * cannot be changed.
 *
 * Context: task; may sleep if @flags say so.
 * Return: an iterator that stands before the oldest record; NULL if @cpu has
 * no ring or there is no memory.
 */
struct ring_buffer_iter *
ring_buffer_read_start(struct trace_buffer *buffer, int cpu, gfp_t flags)
{
	struct rb_cpu *p = rb_cpu_at(buffer, cpu);
	struct ring_buffer_iter *iter;

	if (!p)
		return NULL;

	iter = kzalloc(sizeof(*iter), flags);
	if (!iter)
		return NULL;

	iter->p = p;
	/* Once counted, the size stays; if it was just changing, @room tells. */
	atomic_inc(&iter->p->iters);
	iter->room = READ_ONCE(buffer->subbuf_size);
	iter->event = kmalloc(iter->room, flags);
	if (!iter->event) {
		atomic_dec(&iter->p->iters);
		kfree(iter);
		return NULL;
	}
	ring_buffer_iter_reset(iter);

	return iter;
}
EXPORT_SYMBOL_GPL(ring_buffer_read_start);

/**
 * ring_buffer_read_finish - end of ring_buffer_read_start()
 * @iter: the iterator
 *
 * Context: task.
 */
void ring_buffer_read_finish(struct ring_buffer_iter *iter)
{
	atomic_dec(&iter->p->iters);
	kfree(iter->event);
	kfree(iter);
}
EXPORT_SYMBOL_GPL(ring_buffer_read_finish);

/**
 * ring_buffer_iter_reset - go back to the oldest record
 * @iter: the iterator
 *
 * Context: any.
 */
void ring_buffer_iter_reset(struct ring_buffer_iter *iter)
{
	struct rb_hold hold;

	rb_iter_rewind(iter, rb_reader_lock(iter->p, &hold));
	rb_reader_unlock(&hold);
}
EXPORT_SYMBOL_GPL(ring_buffer_iter_reset);

/**
 * ring_buffer_iter_peek - look at the record an iterator stands before
 * @iter: the iterator
 * @ts: where to put its time, or NULL
 *
 * Context: any.
 * Return: a copy of the record that is valid until the iterator moves, NULL at
 * the end.
 */
struct ring_buffer_event *
ring_buffer_iter_peek(struct ring_buffer_iter *iter, u64 *ts)
{
	if (!rb_iter_lock_fetch(iter))
		return NULL;
	if (ts)
		*ts = iter->event_ts;
	return iter->event;
}
EXPORT_SYMBOL_GPL(ring_buffer_iter_peek);

/**
 * ring_buffer_iter_advance - go behind the record an iterator stands before
 * @iter: the iterator
 *
 * Context: any.
 */
void ring_buffer_iter_advance(struct ring_buffer_iter *iter)
{
	if (!iter->fetched && !rb_iter_lock_fetch(iter))
		return;
	iter->ts = iter->event_ts;
	iter->off += iter->size;
	iter->fetched = false;
}
EXPORT_SYMBOL_GPL(ring_buffer_iter_advance);

/**
 * ring_buffer_iter_empty - is an iterator at the end?
 * @iter: the iterator
 *
 * Context: any.
 * Return: 1 if there is no further record now, else 0.
 */
int ring_buffer_iter_empty(struct ring_buffer_iter *iter)
{
	return !rb_iter_lock_fetch(iter);
}
EXPORT_SYMBOL_GPL(ring_buffer_iter_empty);

/**
 * ring_buffer_iter_dropped - were records overwritten in front of an iterator?
 * @iter: the iterator
 *
 * Context: any.
 * Return: true if so since the last call.
 */
bool ring_buffer_iter_dropped(struct ring_buffer_iter *iter)
{
	bool missed = iter->missed;

	iter->missed = false;
	return missed;
}
EXPORT_SYMBOL_GPL(ring_buffer_iter_dropped);
