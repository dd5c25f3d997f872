/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The straight way through reserve and commit, as inline code: for the usual
 * record, written by an outermost writer, into a sub-buffer that has room.
 * The algorithm and its barriers are explained at the top of write.c.
 *
 * Besides write.c this is for the paths whose every instruction counts: trace
 * events, trace_puts(), the function tracers and the probe on context switches; and
 * for those who hand them ring_buffer_cpus(). The writers try the short way, and
 * leave all that it cannot do to a function that is not inline and that they do not
 * come back from to do more:
 *
 *	if (unlikely(!ring_buffer_slot_try(cpus, length, context, NULL, &slot)))
 *		return record_slow(..., slot.ring);
 *	... fill slot.data ...
 *	if (unlikely(!ring_buffer_slot_commit_short(&slot)))
 *		ring_buffer_slot_finish(slot.ring, slot.sub, slot.tail);
 *
 * So nothing has to be kept over a call, and there is no stack frame. The slot is
 * in registers then; its address must not be given to anything out of line. So
 * the rooms of these paths (events/, record/, tracers/) carry ->ring, ->sub and ->tail
 * themselves, from here to here, and look into none of them. Others use
 * ring_buffer_slot_reserve() and ring_buffer_slot_commit(), and no such member.
 */
#ifndef _TRACE_RING_BUFFER_FAST_H
#define _TRACE_RING_BUFFER_FAST_H

#include <linux/preempt.h>

#include "../operands.h"
#include "../percpu.h"
#include "internal.h"
#include "validate.h"

/* Longer records have the long head, and their length is checked with care. */
#define RB_SHORT_MAX	((unsigned long)RB_SMALL_MAX)

/* write.c */
bool rb_reserve_rest(struct rb_cpu *p, unsigned long length, struct ring_buffer_slot *slot);
void ring_buffer_slot_leave(struct rb_ring *ring);
void ring_buffer_slot_finish(struct rb_ring *ring, struct rb_sub *sub, u64 tail);

/* Bytes that a record with 1 to RB_SHORT_MAX bytes of data needs. */
static __always_inline unsigned long rb_size_of_data(unsigned long length)
{
	return ALIGN(length + RB_HEAD_SIZE * (1 + RB_LONG_HEAD_ONLY), (unsigned long)RB_ALIGN);
}

/* What its head says of its length, by that; the way back; and by its data at once. */
static __always_inline unsigned long rb_head_of_size(unsigned long size)
{
	return RB_LONG_HEAD_ONLY ? size - RB_HEAD_SIZE : size / RB_ALIGN - 1;
}

static __always_inline unsigned long rb_size_of_head(unsigned long length_in_head)
{
	return length_in_head * (RB_LONG_HEAD_ONLY ? 1 : RB_ALIGN) + RB_HEAD_SIZE;
}

static __always_inline unsigned long rb_head_of_data(unsigned long length)
{
	return RB_LONG_HEAD_ONLY ? rb_head_of_size(rb_size_of_data(length)) :
				   DIV_ROUND_UP(length, RB_ALIGN);
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

/* sparse knows no __builtin_assume_aligned(). */
static __always_inline void *rb_assume_aligned(void *data)
{
#ifndef __CHECKER__
	data = __builtin_assume_aligned(data, RB_ALIGN);
#endif
	return data;
}

/**
 * struct ring_buffer_same - of a record that goes to several buffers: what is the same in each
 * @now: the local clock of a moment ago; a record that was written since then has a later time
 * @length: what its head says of its length
 * @cpu: trace_cpu_offset(), with TRACE_CPU_OFFSET_KEPT
 */
struct ring_buffer_same {
	u64		now;
	unsigned long	length;
	unsigned long	cpu;
};

/*
 * Too long for the head of a record? A closed tail, or a clock that went back, makes a huge delta.
 * The top bit of the time field has to stay clear as well: it is looked at here, or, where a bit is
 * cheaper to test in a word that is there anyway, afterwards by rb_time_is_over(). The unlikely()s
 * have to be here, or GCC for arm64 makes other code.
 */
static __always_inline bool rb_delta_is_long(u64 delta, u64 time)
{
	if (TRACE_FEW_REGISTERS)
		return unlikely(delta > RB_DELTA_MAX);
	if (TRACE_TESTS_BITS)
		return unlikely(delta >> RB_DELTA_BITS);
	return unlikely(delta >> RB_DELTA_BITS || time & RB_TIME_LIMIT);
}

/* Is the top bit of the time field set in a tail? */
static __always_inline bool rb_time_is_over(u64 tail)
{
	return trace_has_bit(tail, RB_TIME_SHIFT + RB_TIME_BITS - 1);
}

/*
 * The short way in. Who says that @length is not 0, @nonzero, must be right. @context is
 * preempt_count() and not 0, see rb_ring::busy; @clock is NULL, or a constant address of what the
 * local clock was a moment ago: a record that was written since then has a later time, as one that
 * nests has. @same is NULL or a constant address, too; then @length is not looked at.
 *
 * False where the short way does not do. Then the slot's ring is where the writer counts
 * as one already, or NULL: rb_reserve_rest() goes on from there.
 *
 * The CPU's ring is looked up once: a swap may exchange it at any time, from any CPU, and
 * then the writer stays where it is until it leaves. See "Swap" in write.c.
 */
static __always_inline bool
rb_reserve(struct rb_cpu *p, unsigned long length, bool nonzero, unsigned int context,
	   const u64 *clock, const struct ring_buffer_same *same, struct ring_buffer_slot *slot)
{
	u64 tail, now, time, delta, next, off;
	struct ring_buffer_event *event;
	struct rb_ring *ring;
	unsigned long size;
	struct rb_sub *sub;

	slot->ring = NULL;
	/*
	 * One comparison for 1 to RB_SHORT_MAX: a length of 0 wraps around. With @nonzero only the
	 * upper end is asked.
	 */
	if (!same && unlikely(length - !nonzero > RB_SHORT_MAX - !nonzero))
		return false;
	if (unlikely(trace_is_set(p->stop.counter)))
		return false;
	/* W5/R5, by the address */
	ring = READ_ONCE(p->ring);
	if (unlikely(trace_is_set(ring->busy)))
		return false;

	/*
	 * The clock comes first, so that little has to be kept over the call, where it is
	 * one. A record that nests before the tail is read has a later time, the
	 * delta is negative then, and we go the long way.
	 */
	if (clock)
		now = *clock;
	else if (unlikely(!trace_local_clock_short(&now)))
		return false;
	/* Of these two one is worked out now, and the other one from it. */
	if (same)
		length = same->length;
	else if (TRACE_FEW_REGISTERS)
		length = rb_head_of_data(length);
	else
		size = rb_size_of_data(length);
	WRITE_ONCE(ring->busy, context);
	barrier();
	slot->ring = ring;

	/*
	 * If the sub-buffer up to which all is published is open, it is the current one; and as
	 * only the outermost writer moves on from it, it is still the one to publish when
	 * we leave.
	 */
	sub = READ_ONCE(ring->commit);
	tail = READ_ONCE(sub->tail);
	time = now - trace_peek(sub->base);
	delta = time - (tail >> RB_TIME_SHIFT);
	if (rb_delta_is_long(delta, time))
		return false;
	if (same || TRACE_FEW_REGISTERS)
		size = rb_size_of_head(length);
	/* Where there are few registers that is seen by where the record ends. */
	off = tail & RB_OFF_MASK;
	if (!TRACE_FEW_REGISTERS && unlikely(off + size > ring->limit))
		return false;
	next = tail + (delta << RB_TIME_SHIFT) + size;
	if (TRACE_TESTS_BITS && unlikely(rb_time_is_over(next)))
		return false;
	if (TRACE_FEW_REGISTERS && unlikely((u32)rb_tail_bytes(next) > ring->limit))
		return false;
	if (unlikely(!try_cmpxchg_local(&sub->tail, &tail, next)))
		return false;

	trace_forget(tail);
	trace_forget(length);
	if (!same && !TRACE_FEW_REGISTERS)
		length = rb_head_of_size(size);
	off = tail & RB_OFF_MASK;
	sub->count[0]++;
	slot->sub = sub;
	slot->tail = next;
	event = (void *)(sub->data + off);
	if (RB_LONG_HEAD_ONLY) {
		event->array[0] = same ? same->length : length;	/* it was not kept */
		rb_set_head(event, 0, delta);
		/* whose fields are stored whole, though some records are packed */
		slot->data = rb_assume_aligned(&event->array[1]);
	} else {
		rb_set_head(event, same ? same->length : length, delta);
		slot->data = &event->array[0];
	}
	slot->event = event;
	return true;
}

/*
 * The short way out, for who came in by it. False: there is something left to do, see
 * ring_buffer_slot_finish(); the record is committed in any case.
 */
static __always_inline bool rb_leave_short(const struct ring_buffer_slot *slot)
{
	struct rb_ring *ring = slot->ring;
	struct rb_sub *sub = slot->sub;

	rb_validate(ring, sub, slot->tail);
	/*
	 * W1. As far as our record reaches; what was written behind it since then shows in the
	 * tail below.
	 */
	smp_store_release(sub->commit, rb_tail_bytes(slot->tail));
	WRITE_ONCE(ring->busy, 0);
	barrier();
	if (unlikely(trace_peek(sub->tail) != slot->tail))
		return false;

	/*
	 * Who waits for what is in this ring, in whose buffer it may be by now. See wait.c
	 * for why no barrier is needed between.
	 */
	return likely(!trace_is_set(READ_ONCE(ring->home)->wake.counter));
}

/* For ring_buffer_slot_try(), where preemption is off; @count is preempt_count(). */
static __always_inline unsigned int ring_buffer_context(unsigned int count)
{
	return rb_busy_of(count);
}

/**
 * ring_buffer_slot_try - the short way alone, for who has a function for all the rest
 * @cpus: of the buffer, from ring_buffer_cpus()
 * @length: bytes of data, not 0
 * @context: preempt_count(), or anything that is not 0 and has the same bits of interrupts
 * @clock: NULL or the local clock of a moment ago
 * @slot: filled in; if this fails, its ->ring is to be handed on
 *
 * Context: any, preemption off until ring_buffer_slot_commit_short().
 * Return: true; or false, and ring_buffer_slot_rest() is to be called with ->ring. If nothing is
 * to be recorded after all, it is ring_buffer_slot_leave() instead, unless ->ring is NULL.
 */
static __always_inline bool
ring_buffer_slot_try(struct rb_cpu __percpu *cpus, unsigned long length, unsigned int context,
		     const u64 *clock, struct ring_buffer_slot *slot)
{
	return rb_reserve(trace_cpu_ptr(cpus), length, true, context, clock, NULL, slot);
}

/**
 * ring_buffer_same_begin - a record of 1 to RB_SHORT_MAX bytes goes to several buffers
 * @same: filled in
 * @now: the local clock
 * @length: bytes of data
 *
 * Context: any, preemption off until the last of the slots is committed.
 */
static __always_inline void ring_buffer_same_begin(struct ring_buffer_same *same, u64 now,
						   unsigned long length)
{
	same->now = now;
	same->length = rb_head_of_data(length);
	if (TRACE_CPU_OFFSET_KEPT)
		same->cpu = trace_cpu_offset();
}

/* ring_buffer_slot_try() for one of several buffers, with what ring_buffer_same_begin() gave. */
static __always_inline bool
ring_buffer_slot_same(struct rb_cpu __percpu *cpus, unsigned int context,
		      const struct ring_buffer_same *same, struct ring_buffer_slot *slot)
{
	struct rb_cpu *p = TRACE_CPU_OFFSET_KEPT ? trace_cpu_ptr_at(cpus, same->cpu) :
						   trace_cpu_ptr(cpus);

	return rb_reserve(p, 0, true, context, &same->now, same, slot);
}

/* Where the room for the record ends, in one of the buffers: it may be a few bytes more. */
static __always_inline void *ring_buffer_same_end(const struct ring_buffer_same *same,
						  const struct ring_buffer_slot *slot)
{
	return (void *)slot->event + rb_size_of_head(same->length);
}

/**
 * ring_buffer_slot_rest - where ring_buffer_slot_try() failed: the other way
 * @cpus: of the buffer
 * @length: bytes of data
 * @slot: in it ->ring is what that left there, or NULL if it was not asked
 *
 * Context: any, preemption off until ring_buffer_slot_commit() or ring_buffer_slot_discard().
 * Return: true, or false if nothing can be recorded now; then there is nothing to commit.
 */
static inline bool ring_buffer_slot_rest(struct rb_cpu __percpu *cpus, unsigned long length,
					 struct ring_buffer_slot *slot)
{
	return rb_reserve_rest(trace_cpu_ptr(cpus), length, slot);
}

/* Commits what ring_buffer_slot_try() gave. False: ring_buffer_slot_finish() has to follow. */
static __always_inline bool ring_buffer_slot_commit_short(const struct ring_buffer_slot *slot)
{
	return rb_leave_short(slot);
}

/* ring_buffer_slot_time() of the slot with these. */
static inline u64 ring_buffer_time_of(const struct rb_sub *sub, u64 tail)
{
	return rb_time_of(sub, tail);
}

/* What belongs to the CPUs of a buffer; valid for as long as @buffer is. */
static inline struct rb_cpu __percpu *ring_buffer_cpus(struct trace_buffer *buffer)
{
	return buffer->cpu;
}

/*
 * Another one after each record: the tail moves, and when two sub-buffers happen to have the same
 * one, they are told by where they are.
 */
static __always_inline u64 rb_written_mark(const struct rb_ring *ring)
{
	const struct rb_sub *sub = READ_ONCE(ring->cur);

	return READ_ONCE(sub->tail) ^ (unsigned long)sub;
}

/**
 * ring_buffer_written_here - has anything been written on this CPU since this was asked last?
 * @cpus: of the buffer, from ring_buffer_cpus()
 *
 * For one who asks at each context switch. What was discarded, or is being written by somebody
 * whom the caller has interrupted, counts as written; what an NMI writes meanwhile counts
 * now or next time.
 *
 * Ring and sub-buffer are looked at as a writer does it: a running CPU has a ring, and its
 * sub-buffers go by what runs on that CPU, see rb_plan_apply(), or a grace period after they were
 * exchanged.
 *
 * Context: preemption off, not NMI.
 * Return: true if so, or if the CPU has another ring or sub-buffer since.
 */
static __always_inline bool ring_buffer_written_here(struct rb_cpu __percpu *cpus)
{
	struct rb_cpu *p = trace_cpu_ptr(cpus);
	/* W5/R5, by the address; one plain load with that of @seen, which is beside it */
	struct rb_ring *ring = data_race(p->ring);
	u64 seen = p->seen;
	u64 now = rb_written_mark(ring);

	if (likely(now == seen))
		return false;
	p->seen = now;
	return true;
}

/**
 * ring_buffer_written_on - would ring_buffer_written_here() say so on another CPU?
 * @cpus: of the buffer, from ring_buffer_cpus()
 * @cpu: the CPU, which is online and goes on meanwhile
 *
 * For one who does not want to interrupt it in vain; it forgets nothing. The sub-buffer may be
 * given up meanwhile, and be used again: the answer is old then, but see rb_sub_cache_make().
 *
 * Context: preemption off.
 */
static inline bool ring_buffer_written_on(struct rb_cpu __percpu *cpus, int cpu)
{
	const struct rb_cpu *p = per_cpu_ptr(cpus, cpu);

	/* A switch there may write it, which has remembered the task then. */
	return data_race(p->seen) != rb_written_mark(READ_ONCE(p->ring));
}

#endif /* _TRACE_RING_BUFFER_FAST_H */
