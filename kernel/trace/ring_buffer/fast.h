/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The straight way through reserve and commit, as inline code: for the usual
 * record, written by an outermost writer, into a sub-buffer that has room.
 * The algorithm and its barriers are explained at the top of write.c.
 *
 * Besides write.c only the paths whose every instruction counts include this:
 * trace events, trace_puts() and the function tracers. Their callers have
 * preemption off already, so they use ring_buffer_reserve_here() and
 * ring_buffer_commit_here() instead of the functions that switch it.
 */
#ifndef _TRACE_RING_BUFFER_FAST_H
#define _TRACE_RING_BUFFER_FAST_H

#include <linux/preempt.h>

#include "internal.h"

/* Longer records have the long head, and their length is checked with care. */
#define RB_SHORT_MAX	((unsigned long)RB_SMALL_MAX)

/* write.c */
void rb_publish(struct rb_ring *ring);
struct ring_buffer_event *rb_reserve_slow(struct trace_buffer *buffer, struct rb_cpu *p,
					  unsigned long length, struct rb_ring **held);

/* Bytes that a record with 1 to RB_SHORT_MAX bytes of data needs. */
static __always_inline unsigned int rb_size_of_short(unsigned int length)
{
	return ALIGN(length + RB_HEAD_SIZE * (1 + RB_LONG_HEAD_ONLY), RB_ALIGN);
}

static __always_inline void rb_set_head(struct ring_buffer_event *event,
					unsigned int type_len, u32 delta)
{
	/* The two bit fields in one store. */
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		*(u32 *)event = type_len << RB_DELTA_BITS | delta;
	else
		*(u32 *)event = delta << 5 | type_len;
}

/**
 * struct rb_hints - what a writer knows already
 * @context:	preempt_count() of the moment
 * @clock:	NULL, or the local clock of a moment ago: a record that was written since then
 *		has a later time, as one that nests has
 */
struct rb_hints {
	unsigned int	context;
	const u64	*clock;
};

/*
 * The short way in. @data is set to where the record's data goes, @held to the ring that
 * it is in. Who says that the record has data, @some, must be right. With @hints, which is
 * NULL or a constant address, NULL is returned where the short way does not do, and @held is
 * the ring if the writer counts as one in it, or NULL; without, the other way is gone here.
 *
 * The CPU's ring is looked up once: a swap may exchange it at any time, from any CPU, and
 * then the writer stays where he is until he leaves. See "Swap" in write.c.
 */
static __always_inline struct ring_buffer_event *
rb_reserve(struct trace_buffer *buffer, struct rb_cpu *p, unsigned long length,
	   bool some, const struct rb_hints *hints, struct rb_ring **held, void **data)
{
	u64 tail, clock, time, delta, off;
	struct rb_ring *ring, *entered = NULL;
	struct ring_buffer_event *event;
	unsigned int words;
	struct rb_sub *sub;

	if (unlikely(atomic_read(&p->stop)))
		goto slow;
	/* W5/R5, by the address */
	ring = READ_ONCE(p->ring);
	if (unlikely(READ_ONCE(ring->depth) || length - !some > RB_SHORT_MAX - !some))
		goto slow;

	/*
	 * The clock comes first, so that little has to be kept over the call.
	 * A record that nests before the tail is read has a later time, the
	 * delta is negative then, and we go the long way.
	 */
	clock = hints && hints->clock ? *hints->clock : trace_local_clock();
	words = rb_size_of_short(length) / 4;
	WRITE_ONCE(ring->depth, 1);
	barrier();
	/* Not before: what interrupts us there is at level 0, too. */
	WRITE_ONCE(ring->level[0].context, hints ? hints->context : preempt_count());
	entered = ring;

	sub = READ_ONCE(ring->cur);
	tail = READ_ONCE(sub->tail);
	time = clock - READ_ONCE(sub->base);
	delta = time - (tail >> RB_TIME_SHIFT);
	off = tail & RB_OFF_MASK;
	/*
	 * A closed tail, or a clock that went back, makes a huge delta. The
	 * top bit of the time field has to stay clear.
	 */
	if (unlikely(delta >> RB_DELTA_BITS || time & RB_TIME_LIMIT))
		goto slow;
	if (unlikely(off + words > ring->limit))
		goto slow;
	if (unlikely(!try_cmpxchg_local(&sub->tail, &tail,
					tail + (delta << RB_TIME_SHIFT) + words)))
		goto slow;

	sub->count[0]++;
	ring->level[0].sub = sub;
	ring->level[0].ts = clock;
	event = (void *)&sub->page->data[off * 4];
	if (RB_LONG_HEAD_ONLY) {
		event->array[0] = words * 4 - RB_HEAD_SIZE;
		rb_set_head(event, 0, delta);
		*data = &event->array[1];
	} else {
		rb_set_head(event, words - 1, delta);
		*data = &event->array[0];
	}
	*held = ring;
	/* Spares the caller's test of it. */
	if (!event)
		__builtin_unreachable();
	return event;

slow:
	if (hints) {
		event = NULL;
	} else {
		/* The address of @entered here and only here: it stays in a register. */
		struct rb_ring *rest = entered;

		event = rb_reserve_slow(buffer, p, length, &rest);
		entered = rest;
		if (event)
			*data = ring_buffer_reserved_data(event);
	}
	*held = entered;
	return event;
}

/* End of the outermost writer. */
static __always_inline void rb_leave_outermost(struct rb_ring *ring)
{
	struct rb_sub *sub;
	struct rb_cpu *p;
	u64 tail;

	barrier();
	sub = ring->commit;
	tail = READ_ONCE(sub->tail);
	if (likely((s64)tail >= 0)) {
		/* W1 */
		smp_store_release(&sub->page->commit, rb_tail_bytes(tail));
		WRITE_ONCE(ring->depth, 0);
		barrier();
		if (unlikely(READ_ONCE(sub->tail) != tail))
			rb_publish(ring);
	} else {
		rb_publish(ring);
	}

	/*
	 * Who waits for what is in this ring, in whose buffer it may be by now. See wait.c
	 * for why no barrier is needed between.
	 */
	p = READ_ONCE(ring->home);
	if (unlikely(atomic_read(&p->wake)))
		rb_wake(p, ring);
}

/* End of a writer, with or without a record. */
static __always_inline void rb_leave(struct rb_ring *ring)
{
	unsigned int depth = ring->depth;

	barrier();
	if (unlikely(depth != 1))
		WRITE_ONCE(ring->depth, depth - 1);
	else
		rb_leave_outermost(ring);
}

/**
 * ring_buffer_reserve_here - ring_buffer_lock_reserve() for who has preemption off
 * @buffer: the buffer
 * @length: bytes of data, not 0
 * @held: set to the ring the record is in, for ring_buffer_commit_here(); it means nothing
 *	to the caller, who keeps it
 * @data: set to where they go
 *
 * Context: Any, preemption off until ring_buffer_commit_here().
 * Return: the record or NULL.
 */
static __always_inline struct ring_buffer_event *
ring_buffer_reserve_here(struct trace_buffer *buffer, unsigned long length,
			 struct rb_ring **held, void **data)
{
	return rb_reserve(buffer, raw_cpu_ptr(buffer->cpu), length, true, NULL, held, data);
}

/**
 * ring_buffer_commit_here - ring_buffer_unlock_commit() for who has preemption off
 * @held: from ring_buffer_reserve_here() or ring_buffer_reserve_rest()
 *
 * Context: that of the ring_buffer_reserve_here() it belongs to.
 */
static __always_inline void ring_buffer_commit_here(struct rb_ring *held)
{
	rb_leave(held);
}

/* write.c: the counterparts of ring_buffer_discard_commit() and ..._event_time_stamp() */
void ring_buffer_discard_here(struct rb_ring *held, struct ring_buffer_event *event);
u64 ring_buffer_time_stamp_here(struct trace_buffer *buffer, struct rb_ring *held,
				struct ring_buffer_event *event);

/**
 * ring_buffer_try_reserve - the short way alone, for who has a function for all the rest
 * @buffer: the buffer
 * @length: bytes of data, not 0
 * @context: preempt_count()
 * @clock: NULL or the local clock of a moment ago
 * @held: for ring_buffer_commit_short(), or for ring_buffer_reserve_rest()
 * @data: set to where they go
 *
 * Context: Any, preemption off until ring_buffer_commit_short().
 * Return: the record; NULL if ring_buffer_reserve_rest() is to be asked.
 */
static __always_inline struct ring_buffer_event *
ring_buffer_try_reserve(struct trace_buffer *buffer, unsigned long length,
			unsigned int context, const u64 *clock, struct rb_ring **held,
			void **data)
{
	const struct rb_hints hints = { .context = context, .clock = clock };

	return rb_reserve(buffer, raw_cpu_ptr(buffer->cpu), length, true, &hints, held, data);
}

/* Commits what ring_buffer_try_reserve() gave. */
static __always_inline void ring_buffer_commit_short(struct rb_ring *held)
{
	rb_leave_outermost(held);
}

/*
 * Where ring_buffer_try_reserve() failed: the other way. @held is what that left there, or
 * points to NULL if it was not asked. Commit with ring_buffer_commit_here().
 */
static inline struct ring_buffer_event *
ring_buffer_reserve_rest(struct trace_buffer *buffer, unsigned long length,
			 struct rb_ring **held)
{
	return rb_reserve_slow(buffer, raw_cpu_ptr(buffer->cpu), length, held);
}

/* For ring_buffer_written_here(); valid for as long as @buffer is. */
static inline struct rb_cpu __percpu *ring_buffer_cpus(struct trace_buffer *buffer)
{
	return buffer->cpu;
}

/**
 * ring_buffer_written_here - has anything been written on this CPU since this was asked last?
 * @cpus: of the buffer, from ring_buffer_cpus()
 *
 * For one who asks at each context switch. What was discarded, or is being written by somebody
 * whom the caller has interrupted, counts as written; what an NMI writes meanwhile counts
 * now or next time.
 *
 * The tail moves with each record. When two sub-buffers happen to have the same one, it is
 * told by where they are. Both are looked at as a writer does it: a running CPU has a ring, and
 * a sub-buffer that was current is freed a grace period later, see
 * ring_buffer_subbuf_order_set().
 *
 * Context: preemption off, not NMI.
 */
static __always_inline bool ring_buffer_written_here(struct rb_cpu __percpu *cpus)
{
	struct rb_cpu *p = raw_cpu_ptr(cpus);
	/* W5/R5, by the address; one plain load with that of @seen, which is beside it */
	struct rb_ring *ring = data_race(p->ring);
	u64 seen = p->seen;
	struct rb_sub *sub = READ_ONCE(ring->cur);
	u64 now = READ_ONCE(sub->tail) ^ (unsigned long)sub;

	if (likely(now == seen))
		return false;
	p->seen = now;
	return true;
}

#endif /* _TRACE_RING_BUFFER_FAST_H */
