// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing: reserve, commit, discard.
 *
 * A ring is only written to by its own CPU, with preemption off. So a writer
 * can be interrupted by other writers (softirq, irq, NMI, or a recursion), and
 * these have all left again when it goes on. Nothing here waits, and the only
 * other party is one reader at a time, on any CPU.
 *
 * Taking a slot of bytes. The tail word of the current sub-buffer holds the
 * offset of its end and the time of its last record. A writer reads that word,
 * then the clock, and replaces the word by compare-exchange. Whoever nested in
 * between has changed the word, and the writer starts over with a later time.
 * (The short way, fast.h, reads the clock first, and looks whether it is behind.)
 * Hence the order of records is the order of their times, and each delta is
 * exact. The word cannot come back to an old value behind the back of a writer
 * that was interrupted: within one use of a sub-buffer a record that stays
 * makes the offset grow, one that was discarded leaves the word as if it had
 * never been there, and a use does not end and begin again under an unfinished
 * writer (see "The limit").
 *
 * Changing the sub-buffer, from number t in @c to t + 1. Every step is one
 * compare-exchange, or a store that gives the same value no matter who does it
 * how often; so a writer that nests between two steps just does what is left,
 * and the interrupted one finds that its own steps have no effect any more:
 *
 *  1. claim	slot of t + 1: {t + 1 - nr, ...} -> {t + 1}. This is the only
 *		step that competes with the reader, who does {h} -> {h, taken}.
 *		The numbers make every transition of a slot unique. If the old
 *		sub-buffer was not taken, its records are overwritten now: who
 *		wins the exchange counts them.
 *  2. close	c->tail: open -> closed. If this fails another record has gone
 *		into @c (or it is closed already) and we look again. After it @c
 *		has its final size.
 *  3. prepare	seq, start, base of the claimed @n. All of them follow from the
 *		closed tail of @c and from the counts of @n, which stand still
 *		until @n is current. That is verified *after* they are read.
 *		Time in @n counts from the last record in @c, or, when long ago,
 *		from a coarse time that the closed word holds ("big").
 *  4. open	n->tail: closed, parity p -> empty, parity 1 - p. Parity keeps
 *		a late exchange from hitting the new use.
 *  5. advance	ring->cur: c -> n.
 *
 * Where records are rare a sub-buffer's time is over long before it is full. Then it goes on, with
 * time that begins anew, and no other one is claimed:
 *
 *  1. close	c->tail: open -> closed, with the mark RB_ANEW.
 *  2. prepare	a time extend behind the last record, and base, of what whoever closed it had
 *		left in ring->anew before.
 *  3. open	c->tail: closed, parity p -> behind the extend, time 0, parity 1 - p.
 *
 * Only the outermost writer begins that, and only where the sub-buffer is ring->commit: there
 * readers have the time at which it began, which rb_publish() takes from its base. So those
 * who nest do no more than what is left of the steps, with the same values.
 *
 * The limit. ring->commit is the sub-buffer in which the outermost writer
 * found the ring when it entered: where the oldest unfinished writer stands,
 * or before. Numbers from commit_seq on are never claimed again, so nothing
 * that an unfinished writer can have a pointer to is reused. A writer that
 * would have to is dropped and counted (commit_overrun).
 *
 * Publishing. Only the outermost writer tells the reader how far it may read,
 * by rb_page::commit and then, when the sub-buffer changed, commit_seq. It
 * does so while ring->busy is set, that is, alone. Then it clears busy
 * and looks whether somebody nested before that and so left its record to us:
 * the tail word shows it. A writer that comes after busy was cleared is an
 * outermost one itself and publishes what it finds. One that came the short way,
 * into the sub-buffer that is being published, knows where its record ends; it
 * publishes up to there and looks at the tail only once, afterwards.
 *
 * Swap. A swap exchanges the pointers rb_cpu::ring that two buffers have for a
 * CPU, and may do so between any two steps of a writer. A writer looks its ring
 * up once and then carries it until it leaves. So all of the above is about a
 * ring and those who are in it, no matter for which buffer they came: who
 * nests inside of us and comes by the new pointer is outermost there, and who
 * comes by the old one, of the other buffer, nests in our ring as before.
 *
 * Ordering between CPUs, writer on the left:
 *
 *  W1 store data; release page->commit	   R1 acquire page->commit; load data
 *  W2 release page->commit (final), first,  R2 acquire commit_seq; the rest
 *     time_stamp; release commit_seq
 *  W3 cmpxchg slot {claim}; store to the    R3 load data; smp_rmb(); load slot:
 *     page                                     unchanged (iterator only)
 *  W4 cmpxchg slot {claim} of a free one;   R4 last load from the reader's sub-
 *     store to its page                        buffer; cmpxchg slot {taken}
 *
 * W5/R5 and W6/R6, of a swap, are in swap.c; W7/R7, of a wait, in wait.c. "By the
 * address" at an R5 says: ordered by the address dependency on rb_cpu::ring.
 *
 * W2 matters when the reader finds everything read in its sub-buffer: it loads
 * commit_seq first and the page's commit after it, so if commit_seq is past
 * the sub-buffer the commit it sees is final. The same shows that no writer is
 * in there any more, and that the sub-buffer may be handed in for the next.
 *
 * Between a CPU and what interrupts it, program order is all there is to care
 * for: barrier() and {READ,WRITE}_ONCE(). A local exchange is no barrier, and none of those
 * here has to be: what is counted or prepared before it may be stored after it, and the
 * other way round. The models with MUTANT=3, 5 and 6 turn these orders round, and nothing
 * fails.
 */
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/trace_recursion.h>
#include <linux/unaligned.h>

#include "../preempt.h"
#include "fast.h"

/*
 * A closer uses the coarse time when the last record is this far back. It has
 * to be more than one unit, or the coarse time could be before that record.
 */
#define RB_BIG_MIN	(2LL << RB_BIG_SHIFT)

/* A clock or a storm of interrupts that makes us retry this often is broken. */
#define RB_RETRY_MAX	1000

/*
 * The short way finds what it needs of a structure in the first line of it; and what a reader
 * writes to a ring is in others.
 */
#define RB_LINE		64

static_assert(offsetofend(struct rb_cpu, seen) <= RB_LINE / 2);
static_assert(offsetofend(struct rb_cpu, nest) <= RB_LINE);
static_assert(__alignof__(struct rb_cpu) >= SMP_CACHE_BYTES);
static_assert(!IS_ENABLED(CONFIG_SMP) || !(offsetof(struct rb_cpu, full) % SMP_CACHE_BYTES));
static_assert(offsetof(struct rb_cpu, full) >= offsetofend(struct rb_cpu, nest));
static_assert(offsetof(struct rb_cpu, iters) > offsetof(struct rb_cpu, full) &&
	      offsetof(struct rb_cpu, wait) > offsetof(struct rb_cpu, full));
static_assert(offsetofend(struct rb_ring, frozen) <= RB_LINE);
static_assert(!IS_ENABLED(CONFIG_SMP) || !(offsetof(struct rb_ring, lock) % SMP_CACHE_BYTES));
static_assert(offsetof(struct rb_ring, lock) >= offsetofend(struct rb_ring, anew));
static_assert(offsetofend(struct rb_sub, count) <= RB_LINE);

/* Bytes that a record with @length bytes of data needs. */
static unsigned int rb_size_of(unsigned long length)
{
	unsigned int size = length ? length : 1;

	size += RB_HEAD_SIZE;
	if (RB_LONG_HEAD_ONLY || length > RB_SMALL_MAX)
		size += sizeof(u32);
	return ALIGN(size, RB_ALIGN);
}

/* Write the head of a data record of @size bytes. */
static inline void rb_set_data_head(struct ring_buffer_event *event,
				    unsigned int size, u32 delta)
{
	size -= RB_HEAD_SIZE;
	if (RB_LONG_HEAD_ONLY || unlikely(size > RB_SMALL_MAX)) {
		event->array[0] = size;
		rb_set_head(event, 0, delta);
	} else {
		rb_set_head(event, size / 4, delta);
	}
}

static void rb_set_extend(struct ring_buffer_event *event, unsigned int type, u64 value)
{
	rb_set_head(event, type, value & GENMASK(RB_DELTA_BITS - 1, 0));
	event->array[0] = value >> RB_DELTA_BITS;
}

/**
 * rb_sub_init - make a sub-buffer that was never used ready to be opened
 * @sub: the sub-buffer
 * @page: its memory
 * @index: its place in the table
 *
 * Context: any.
 */
void rb_sub_init(struct rb_sub *sub, struct rb_page *page, u32 index)
{
	rb_sub_set_page(sub, page);
	sub->index = index;
	sub->tail = RB_CLOSED;
}

/*
 * Step 1. False: the record has to be dropped, and that is counted. True: the
 * slot is ours, or @sub is not current any more by now.
 */
static bool rb_claim(struct rb_ring *ring, struct rb_sub *sub, bool overwrite)
{
	u64 next = sub->seq + 1, bytes = 0;
	struct rb_table *table;
	u32 entries = 0;
	u64 *slot, old;

	if (unlikely(READ_ONCE(ring->frozen))) {
		atomic_long_inc(&ring->dropped);
		return false;
	}

	table = ring->table;
	slot = &table->slot[next % table->nr];
	old = READ_ONCE(*slot);
	do {
		struct rb_sub *victim;

		if (!rb_slot_is(old, next - table->nr))
			return true;

		if ((s64)(next - table->nr - ring->commit_seq) >= 0) {
			atomic_long_inc(&ring->commit_overrun);
			return false;
		}

		if (!(old & RB_SLOT_TAKEN)) {
			if (!overwrite) {
				atomic_long_inc(&ring->dropped);
				return false;
			}
			/* It lies before the limit: nobody writes there. */
			victim = table->sub[old & RB_SLOT_INDEX];
			entries = rb_sub_entries(victim);
			bytes = rb_tail_bytes(READ_ONCE(victim->tail));
		}
		/* W3, W4: a full barrier before the first store to the page. */
	} while (!try_cmpxchg(slot, &old, rb_slot(next, old & RB_SLOT_INDEX, 0)));

	if (!(old & RB_SLOT_TAKEN)) {
		atomic_long_add(entries, &ring->overrun);
		atomic_long_add(bytes, &ring->lost_bytes);
	}
	return true;
}

/* Steps 3 to 5, for whoever finds that @sub is closed. */
static void rb_advance(struct rb_ring *ring, struct rb_sub *sub)
{
	struct rb_table *table = ring->table;
	u64 tail = READ_ONCE(sub->tail);
	u64 next = sub->seq + 1;
	struct rb_sub *new;
	u64 slot, old, open, base;
	u32 start;

	slot = READ_ONCE(table->slot[next % table->nr]);
	if (!rb_slot_is(slot, next))
		return;

	new = table->sub[slot & RB_SLOT_INDEX];
	old = READ_ONCE(new->tail);
	start = rb_sub_count(new);
	barrier();
	/* What was read is from the last use of @new only if this holds. */
	if (READ_ONCE(ring->cur) != sub)
		return;

	/* Whom we interrupted may have opened it, but not made it current. */
	open = (old & RB_CLOSED ? ~old : old) & RB_PARITY;
	base = sub->base + rb_parity_bias(tail);
	base += rb_tail_step(tail);

	WRITE_ONCE(new->seq, next);
	WRITE_ONCE(new->start, start);
	WRITE_ONCE(new->base, base - rb_parity_bias(open));
	try_cmpxchg_local(&new->tail, &old, open);

	/* These in any order, and all of them before it is current. */
	barrier();
	try_cmpxchg_local(&ring->cur, &sub, new);
}

/* Steps 2 and 3 of time that begins anew, for whoever finds that @sub was closed for it. */
static void rb_reopen(struct rb_ring *ring, struct rb_sub *sub, u64 tail)
{
	struct ring_buffer_event *extend = (void *)&sub->page->data[rb_tail_bytes(tail)];
	u64 open = ~tail & RB_PARITY;

	rb_set_extend(extend, RINGBUF_TYPE_TIME_EXTEND, ring->anew.delta);
	WRITE_ONCE(sub->base, ring->anew.base - rb_parity_bias(open));
	/* Both of them before anybody counts from there. */
	barrier();
	try_cmpxchg_local(&sub->tail, &tail, open | (rb_tail_bytes(tail) + RB_EXTEND_SIZE));
}

/*
 * A record of @size bytes at @time (since @sub began) would fit behind @tail, but for its time. For
 * the outermost writer. True: the caller looks again; false: it takes another sub-buffer.
 */
static bool rb_time_anew(struct rb_ring *ring, struct rb_sub *sub, u64 tail, u64 time,
			 unsigned int size)
{
	u64 closed = tail | RB_ANEW;

	if (time < RB_TIME_LIMIT || time >> (RB_STAMP_BITS - 1) || ring->commit != sub ||
	    rb_tail_bytes(tail) + RB_EXTEND_SIZE + size > ring->limit)
		return false;

	ring->anew.delta = time - rb_tail_time(tail);
	ring->anew.base = rb_time_of(sub, tail) + ring->anew.delta;
	/* Before there is somebody who has to go on with that. */
	barrier();
	if (try_cmpxchg_local(&sub->tail, &tail, closed))
		rb_reopen(ring, sub, closed);
	return true;
}

/*
 * A record at @time (since @sub began) does not fit behind @tail, or is from before it. On return
 * the caller looks again; false as rb_claim().
 */
static bool rb_change_sub(struct rb_ring *ring, struct rb_sub *sub, u64 tail,
			  u64 time, bool overwrite)
{
	s64 step = time - rb_tail_time(tail);
	u64 closed = tail | RB_CLOSED;

	if (!rb_claim(ring, sub, overwrite))
		return false;

	if (step < 0 || step >= RB_BIG_MIN) {
		/* Of more than 36 years as many as the field has room for; the next one goes on. */
		s64 units = clamp((s64)time >> RB_BIG_SHIFT, -(s64)RB_TIME_LIMIT,
				  (s64)RB_TIME_LIMIT - 1);

		closed = RB_CLOSED | RB_BIG | (tail & (RB_PARITY | RB_OFF_MASK));
		closed |= (units & RB_TIME_MASK) << RB_TIME_SHIFT;
	}

	if (try_cmpxchg_local(&sub->tail, &tail, closed))
		rb_advance(ring, sub);
	return true;
}

/*
 * The outermost writer is done, but the sub-buffer has changed, or somebody
 * came in between. ring->busy is set or was cleared.
 */
static noinline void rb_publish(struct rb_ring *ring)
{
	struct rb_table *table = ring->table;
	struct rb_sub *sub, *cur;
	u64 tail, slot;

	do {
		WRITE_ONCE(ring->busy, rb_busy());
		barrier();

		for (;;) {
			sub = ring->commit;
			cur = READ_ONCE(ring->cur);
			/* If it is not the current one, its tail is final. */
			barrier();
			tail = READ_ONCE(sub->tail);
			rb_validate(ring, sub, tail);
			/* W1, or for a sub-buffer that is done, W2 */
			smp_store_release(&sub->page->commit, rb_tail_bytes(tail));
			if (sub == cur)
				break;

			ring->done_entries += rb_sub_entries(sub);
			ring->done_bytes += rb_tail_bytes(tail);

			slot = READ_ONCE(table->slot[(sub->seq + 1) % table->nr]);
			sub = table->sub[slot & RB_SLOT_INDEX];
			sub->first = ring->done_entries;
			sub->page->commit = 0;
			sub->page->time_stamp = sub->base +
				rb_parity_bias(READ_ONCE(sub->tail));
			WRITE_ONCE(ring->commit, sub);
			/* W2 */
			smp_store_release(&ring->commit_seq, sub->seq);
		}

		barrier();
		WRITE_ONCE(ring->busy, 0);
		barrier();
	} while (READ_ONCE(sub->tail) != tail || READ_ONCE(ring->cur) != cur);
}

static void rb_wake_waiters(struct rb_ring *ring)
{
	/* As in rb_leave_short(). */
	struct rb_cpu *p = READ_ONCE(ring->home);

	if (unlikely(atomic_read(&p->wake)))
		rb_wake(p, ring);
}

/**
 * ring_buffer_slot_finish - what is left when ring_buffer_slot_commit_short() says false
 * @ring: the slot's
 * @sub: the slot's
 * @tail: the slot's
 *
 * The writer has left. So @sub may be anything's by now, but then somebody has published it.
 *
 * Context: that of the commit.
 */
noinline void ring_buffer_slot_finish(struct rb_ring *ring, struct rb_sub *sub, u64 tail)
{
	if (READ_ONCE(sub->tail) != tail)
		rb_publish(ring);
	rb_wake_waiters(ring);
}

/* End of a writer, with a record that is discarded or without one. */
static void rb_leave(struct rb_ring *ring)
{
	unsigned int nested = ring->nested;

	barrier();
	if (nested) {
		WRITE_ONCE(ring->nested, nested - 1);
	} else {
		rb_publish(ring);
		rb_wake_waiters(ring);
	}
}

/**
 * ring_buffer_slot_leave - where ring_buffer_slot_try() failed: there is nothing to record any more
 * @ring: what that left in the slot, not NULL
 *
 * Context: as of ring_buffer_slot_rest(), which is not to be called then.
 */
void ring_buffer_slot_leave(struct rb_ring *ring)
{
	rb_leave(ring);
}

/**
 * ring_buffer_slot_commit - finish a record
 * @slot: of ring_buffer_slot_reserve() or ring_buffer_slot_rest()
 *
 * Readers can see the record from now on, or, if this writer nests inside of
 * another one, when that one commits.
 *
 * Context: that of the reserve.
 */
void ring_buffer_slot_commit(const struct ring_buffer_slot *slot)
{
	/* Nobody nests in who commits: if anybody nests, it is this one. */
	if (slot->ring->nested || slot->ring->commit != slot->sub)
		rb_leave(slot->ring);
	else if (unlikely(!rb_leave_short(slot)))
		ring_buffer_slot_finish(slot->ring, slot->sub, slot->tail);
}

/*
 * Entered, and the short way did not do: the time needs an extend, the
 * sub-buffer is full, or we were interrupted. With @abs the record has an
 * absolute time; who asks has seen that there is room for it.
 */
static noinline bool
rb_reserve_long(struct rb_cpu *p, unsigned int size, bool abs, unsigned int depth,
		struct ring_buffer_slot *slot)
{
	bool overwrite = READ_ONCE(p->buffer->overwrite);
	u64 tail, base, now, time, last, delta, next;
	struct rb_ring *ring = slot->ring;
	struct ring_buffer_event *event;
	unsigned int extend, try;
	struct rb_sub *sub;

	for (try = 0; try < RB_RETRY_MAX; try++) {
		sub = READ_ONCE(ring->cur);
		tail = READ_ONCE(sub->tail);
		barrier();
		if (tail & RB_CLOSED) {
			if ((tail & (RB_ANEW | RB_BIG)) == RB_ANEW)
				rb_reopen(ring, sub, tail);
			else
				rb_advance(ring, sub);
			continue;
		}

		now = rb_clock(p);
		base = READ_ONCE(sub->base) + rb_parity_bias(tail);
		last = rb_tail_time(tail);

		/*
		 * Nothing was ever written: let time begin here. Not in later
		 * sub-buffers, their base is rb_advance()'s alone.
		 */
		if (!base && !(tail & ~RB_PARITY) && now >= RB_TIME_LIMIT &&
		    sub->seq == ring->origin) {
			base -= rb_parity_bias(tail);
			if (try_cmpxchg_local(&sub->base, &base, now - rb_parity_bias(tail)))
				WRITE_ONCE(sub->page->time_stamp, now);
			continue;
		}

		time = now - base;
		/*
		 * A clock that goes backwards stands still instead; but one that was put back goes
		 * on from there, in a sub-buffer of its own, which cannot begin before time does.
		 */
		if (unlikely((s64)(time - last) <= -RB_PUT_BACK)) {
			time = max(now, BIT_ULL(RB_BIG_SHIFT)) - base;
			if (!rb_change_sub(ring, sub, tail, time, overwrite))
				return false;
			continue;
		}
		if ((s64)(time - last) < 0)
			time = last;
		delta = time - last;
		extend = abs || delta >> RB_DELTA_BITS ? RB_EXTEND_SIZE : 0;

		if (time >= RB_TIME_LIMIT ||
		    rb_tail_bytes(tail) + size + extend > ring->limit) {
			if ((depth || !rb_time_anew(ring, sub, tail, time, size + extend)) &&
			    !rb_change_sub(ring, sub, tail, time, overwrite))
				return false;
			continue;
		}

		next = tail + (delta << RB_TIME_SHIFT) + size + extend;
		if (try_cmpxchg_local(&sub->tail, &tail, next))
			goto got_it;
	}
	WARN_ON_ONCE(1);
	atomic_long_inc(&ring->dropped);
	return false;

got_it:
	sub->count[depth]++;
	ring->level[depth].delta = delta;
	slot->sub = sub;
	slot->tail = next;
	event = (void *)&sub->page->data[rb_tail_bytes(tail)];
	slot->event = event;
	if (extend) {
		rb_set_extend(event, abs ? RINGBUF_TYPE_TIME_STAMP : RINGBUF_TYPE_TIME_EXTEND,
			      abs ? base + time : delta);
		rb_set_data_head((void *)&event->array[1], size, 0);
	} else {
		rb_set_data_head(event, size, delta);
	}
	slot->data = ring_buffer_reserved_data(event);
	return true;
}

/* Which context a preempt_count() is of: 0 task, 1 softirq, 2 hardirq, 3 NMI. */
static unsigned int rb_context_nr(int count)
{
	if (count & NMI_MASK)
		return 3;
	if (count & HARDIRQ_MASK)
		return 2;
	return count & SOFTIRQ_OFFSET ? 1 : 0;
}

/*
 * May another writer enter above those at ring->level[]? One in each context,
 * and one more for an event inside of an event and for the stretch of an
 * interrupt's entry in which preempt_count() does not show it yet; and as many
 * again for each event that was announced by ring_buffer_nest_start().
 */
static bool rb_may_nest(struct rb_cpu *p, struct rb_ring *ring, unsigned int depth)
{
	unsigned int context = rb_context_nr(preempt_count());
	int same;

	if (depth >= RB_DEPTH_MAX)
		return false;
	same = rb_context_nr(READ_ONCE(ring->busy)) == context;
	while (--depth)
		same += rb_context_nr(ring->level[depth].context) == context;

	return same <= 1 + 2 * p->nest;
}

static bool rb_too_long(struct trace_buffer *buffer, unsigned int size, bool abs)
{
	return size + (abs ? RB_EXTEND_SIZE : 0) > READ_ONCE(buffer->subbuf_size);
}

/*
 * Where the short way gave up before it entered the ring: writing is stopped, another writer is
 * under way, the record is empty or long, or its time is not one that the short way reads.
 */
static bool rb_reserve_special(struct rb_cpu *p, unsigned long length,
			       struct ring_buffer_slot *slot)
{
	unsigned int stop = atomic_read(&p->stop);
	struct rb_ring *ring;
	unsigned int depth;

	if (stop & ~RB_STOP_NOT)
		return false;

	/* W5/R5, by the address */
	ring = READ_ONCE(p->ring);
	depth = rb_depth(ring);
	if (depth && !rb_may_nest(p, ring, depth)) {
		/* Who asked, and for whom: where we are tells nothing. */
		if (IS_ENABLED(CONFIG_RING_BUFFER_RECORD_RECURSION))
			do_ftrace_record_recursion(CALLER_ADDR0, CALLER_ADDR1);
		return false;
	}
	if (length > READ_ONCE(p->buffer->subbuf_size) ||
	    rb_too_long(p->buffer, rb_size_of(length), stop & RB_STOP_ABS))
		return false;

	if (depth)
		WRITE_ONCE(ring->nested, depth);
	else
		WRITE_ONCE(ring->busy, rb_busy());
	barrier();
	/* Not before: what interrupts us there is at the same level. */
	WRITE_ONCE(ring->level[depth].context, preempt_count());
	slot->ring = ring;
	if (rb_reserve_long(p, rb_size_of(length), stop & RB_STOP_ABS, depth, slot))
		return true;
	rb_leave(ring);
	return false;
}

/**
 * rb_reserve_rest - reserve when the short way does not do
 * @p: this CPU of a buffer
 * @length: bytes of data
 * @slot: in it, the ring in which the caller is the outermost writer already
 *	and has set rb_ring::busy, or NULL
 *
 * Context: any, preemption off.
 * Return: true, or false; then there is nothing to commit.
 */
noinline bool rb_reserve_rest(struct rb_cpu *p, unsigned long length,
			      struct ring_buffer_slot *slot)
{
	if (!slot->ring)
		return rb_reserve_special(p, length, slot);

	if (rb_reserve_long(p, rb_size_of(length), atomic_read(&p->stop) & RB_STOP_ABS, 0, slot))
		return true;
	rb_leave(slot->ring);
	return false;
}

/**
 * ring_buffer_slot_reserve - take a place for a record
 * @buffer: the buffer; the record goes to the ring of this CPU
 * @length: bytes of data, not 0
 * @slot: filled in
 *
 * The data is not initialised.
 *
 * Context: any, NMI included, with preemption or interrupts off until ring_buffer_slot_commit() or
 * ring_buffer_slot_discard(), one of which has to follow soon. Takes no lock.
 * Return: true, or false for the reasons for which ring_buffer_lock_reserve() returns NULL.
 */
bool ring_buffer_slot_reserve(struct trace_buffer *buffer, unsigned long length,
			      struct ring_buffer_slot *slot)
{
	struct rb_cpu *p = trace_cpu_ptr(buffer->cpu);

	return likely(rb_reserve(p, length, true, rb_busy(), NULL, NULL, slot)) ||
	       rb_reserve_rest(p, length, slot);
}

/*
 * Who calls ring_buffer_lock_reserve() does not carry a slot, so the CPU does: the ring
 * of the innermost record. What it was before stands at the level of the
 * record, as does the rest of the slot.
 */
static void rb_push_held(struct rb_cpu *p, const struct ring_buffer_slot *slot)
{
	struct rb_level *level = &slot->ring->level[slot->ring->nested];

	level->sub = slot->sub;
	level->tail = slot->tail;
	level->outer = p->held;
	/* In any order: who nests puts back what it finds. */
	WRITE_ONCE(p->held, slot->ring);
}

static void rb_pop_held(struct rb_cpu *p, struct ring_buffer_slot *slot)
{
	struct rb_ring *ring = p->held;
	struct rb_level *level = &ring->level[ring->nested];

	slot->ring = ring;
	slot->sub = level->sub;
	slot->tail = level->tail;
	level->sub = NULL;
	WRITE_ONCE(p->held, level->outer);
	barrier();
}

/**
 * ring_buffer_lock_reserve - take a place for a record
 * @buffer: the buffer; the record goes to the ring of this CPU
 * @length: bytes of data
 *
 * On success preemption is off until ring_buffer_unlock_commit() or
 * ring_buffer_discard_commit(), one of which has to follow soon and on the
 * same CPU. The data is not initialised. Its address is had from
 * ring_buffer_event_data().
 *
 * Context: any, NMI included. Takes no lock.
 * Return: the record, or NULL: recording is off, @length is more than
 * ring_buffer_max_event_size(), the caller recurses too deep, the buffer is
 * full and does not overwrite, or it is full of unfinished records.
 */
struct ring_buffer_event *
ring_buffer_lock_reserve(struct trace_buffer *buffer, unsigned long length)
{
	struct ring_buffer_slot slot __uninitialized;
	struct rb_cpu *p;

	preempt_disable_notrace();
	p = trace_cpu_ptr(buffer->cpu);
	if (unlikely(!rb_reserve(p, length, false, rb_busy_of(preempt_count()), NULL, NULL,
				 &slot) &&
		     !rb_reserve_rest(p, length, &slot))) {
		preempt_enable_notrace();
		return NULL;
	}
	rb_push_held(p, &slot);
	return slot.event;
}
EXPORT_SYMBOL_GPL(ring_buffer_lock_reserve);

/**
 * ring_buffer_unlock_commit - finish a record
 * @buffer: the buffer of the last ring_buffer_lock_reserve()
 *
 * Readers can see the record from now on, or, if this writer nests inside of
 * another one, when that one commits.
 *
 * Context: that of the ring_buffer_lock_reserve() it belongs to.
 * Return: 0.
 */
int ring_buffer_unlock_commit(struct trace_buffer *buffer)
{
	struct ring_buffer_slot slot __uninitialized;

	rb_pop_held(trace_cpu_ptr(buffer->cpu), &slot);
	ring_buffer_slot_commit(&slot);
	preempt_enable_notrace();

	return 0;
}
EXPORT_SYMBOL_GPL(ring_buffer_unlock_commit);

/* Less than that is rare enough to leave it to rb_write_rest(). */
#define RB_COPY_MIN	sizeof(u64)

/* Copies RB_COPY_MIN bytes or more, as many as the short way takes, without a call. */
static __always_inline void rb_copy(void *to, const void *from, unsigned long length)
{
	unsigned long at = 0, last = length - sizeof(u64);

	if (IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS)) {
		/* Words, of which the last one may overlap the one before. */
		u64 word = get_unaligned((const u64 *)(from + last));

		put_unaligned(get_unaligned((const u64 *)from), (u64 *)to);
		for (at = sizeof(u64); unlikely(at < last); at += sizeof(u64))
			put_unaligned(get_unaligned((const u64 *)(from + at)), (u64 *)(to + at));
		put_unaligned(word, (u64 *)(to + last));
		return;
	}
	if (!(((unsigned long)from | (unsigned long)to) % sizeof(u64))) {
		for (; at + sizeof(u64) <= length; at += sizeof(u64))
			*(u64 *)(to + at) = *(const u64 *)(from + at);
	}
	for (; at < length; at++)
		((u8 *)to)[at] = ((const u8 *)from)[at];
}

/*
 * Whatever is rare in ring_buffer_write(). @sub is NULL if it has no record yet; @ring is NULL if
 * it has none, or if all that is left is to give the CPU up.
 */
static noinline int rb_write_rest(struct rb_cpu *p, unsigned long length, const void *data,
				  struct rb_ring *ring, struct rb_sub *sub, u64 tail)
{
	struct ring_buffer_slot slot = { .ring = ring };
	int ret = 0;

	if (sub && !ring) {
		trace_preempt_schedule();
		return 0;
	}
	if (sub) {
		ring_buffer_slot_finish(ring, sub, tail);
	} else if (rb_reserve_rest(p, length, &slot)) {
		memcpy(slot.data, data, length);
		ring_buffer_slot_commit(&slot);
	} else {
		ret = -EBUSY;
	}
	preempt_enable_notrace();
	return ret;
}

/**
 * ring_buffer_write - reserve, copy and commit
 * @buffer: the buffer; the record goes to the ring of this CPU
 * @length: bytes of data
 * @data: the data
 *
 * Context: any, NMI included. Takes no lock.
 * Return: 0, or -EBUSY if nothing was written, for one of the reasons of
 * ring_buffer_lock_reserve().
 */
int ring_buffer_write(struct trace_buffer *buffer, unsigned long length, void *data)
{
	struct ring_buffer_slot slot __uninitialized;
	struct task_struct *self = current;
	unsigned int count = preempt_count(), context;
	struct rb_cpu *p;

	slot.ring = NULL;
	slot.sub = NULL;
	slot.tail = 0;
	context = ring_buffer_context(trace_preempt_disable(self, count));
	p = trace_cpu_ptr(buffer->cpu);
	if (unlikely(length - RB_COPY_MIN > RB_SHORT_MAX - RB_COPY_MIN))
		goto rest;
	if (unlikely(!rb_reserve(p, length, true, context, NULL, NULL, &slot)))
		goto rest;
	trace_forget(length);
	rb_copy(slot.data, data, length);
	if (unlikely(!rb_leave_short(&slot)))
		goto rest;
	if (trace_preempt_enable(self)) {
		slot.ring = NULL;
		goto rest;
	}
	return 0;

	/* One call, in one place: so there is no stack frame before it. */
rest:
	return rb_write_rest(p, length, data, slot.ring, slot.sub, slot.tail);
}
EXPORT_SYMBOL_GPL(ring_buffer_write);

/*
 * Something was written behind @event, or the sub-buffer was closed: readers
 * have to skip it. Its time stays, later deltas count from there.
 */
static void rb_pad(struct ring_buffer_event *event, unsigned int size)
{
	u32 delta = event->time_delta;

	if (size == RB_EXTEND_SIZE) {
		event->array[0] = 0;
		rb_set_head(event, RINGBUF_TYPE_TIME_EXTEND, delta);
		return;
	}

	/*
	 * A padding's delta must not be 0, that would mean "nothing follows".
	 * Take back in array[1] what that adds, rb_record_time() uses it.
	 */
	event->array[0] = size - RB_HEAD_SIZE;
	event->array[1] = !delta;
	rb_set_head(event, RINGBUF_TYPE_PADDING, delta ?: 1);
}

/**
 * ring_buffer_slot_discard - give a reserved record up
 * @slot: of ring_buffer_slot_reserve() or ring_buffer_slot_rest()
 *
 * Takes the place of ring_buffer_slot_commit(). If nothing was written behind
 * the record it is gone as if it had never been there, else readers skip it.
 *
 * Context: that of the reserve.
 */
void ring_buffer_slot_discard(const struct ring_buffer_slot *slot)
{
	struct ring_buffer_event *event = slot->event, *data = event;
	unsigned int depth = slot->ring->nested;
	unsigned int size, extend = 0;
	u64 tail = slot->tail, delta;

	if (event->type_len >= RINGBUF_TYPE_TIME_EXTEND) {
		extend = RB_EXTEND_SIZE;
		data = (void *)&event->array[1];
		delta = slot->ring->level[depth].delta;
	} else {
		delta = event->time_delta;
	}
	size = rb_record_size(data);

	slot->sub->count[depth]--;
	if (!try_cmpxchg_local(&slot->sub->tail, &tail,
			       tail - (delta << RB_TIME_SHIFT) - size - extend))
		rb_pad(data, size);

	rb_leave(slot->ring);
}

/**
 * ring_buffer_discard_commit - give a reserved record up
 * @buffer: the buffer
 * @event: what the last ring_buffer_lock_reserve() of this context returned
 *
 * Takes the place of ring_buffer_unlock_commit(), see
 * ring_buffer_slot_discard().
 *
 * Context: that of the ring_buffer_lock_reserve() it belongs to.
 */
void ring_buffer_discard_commit(struct trace_buffer *buffer,
				struct ring_buffer_event *event)
{
	struct ring_buffer_slot slot = { .event = event };

	rb_pop_held(trace_cpu_ptr(buffer->cpu), &slot);
	ring_buffer_slot_discard(&slot);
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(ring_buffer_discard_commit);

/**
 * ring_buffer_nest_start - expect an event inside of an event
 * @buffer: the buffer
 *
 * A caller that knows that it will write while it holds a reserved record, and
 * that this is no runaway recursion, calls this first.
 *
 * Context: any. Preemption is off until ring_buffer_nest_end().
 */
void ring_buffer_nest_start(struct trace_buffer *buffer)
{
	preempt_disable_notrace();
	trace_cpu_ptr(buffer->cpu)->nest++;
}

/**
 * ring_buffer_nest_end - end of ring_buffer_nest_start()
 * @buffer: the buffer
 *
 * Context: as ring_buffer_nest_start().
 */
void ring_buffer_nest_end(struct trace_buffer *buffer)
{
	trace_cpu_ptr(buffer->cpu)->nest--;
	preempt_enable_notrace();
}

/**
 * ring_buffer_slot_time - time of a record that is not committed yet
 * @slot: of ring_buffer_slot_reserve() or ring_buffer_slot_rest()
 *
 * Context: between reserve and commit.
 * Return: the time that readers will be given for the record.
 */
u64 ring_buffer_slot_time(const struct ring_buffer_slot *slot)
{
	return rb_time_of(slot->sub, slot->tail);
}

/* Time of @event if it is a record that somebody in @ring holds. */
static bool rb_held_time(struct rb_ring *ring, struct ring_buffer_event *event, u64 *ts)
{
	unsigned int depth = ring ? rb_depth(ring) : 0;

	while (depth--) {
		struct rb_level *level = &ring->level[depth];
		struct rb_sub *sub = READ_ONCE(level->sub);
		unsigned long off;

		if (!sub)
			continue;
		off = (u8 *)event - sub->page->data;
		if (off < ring->limit) {
			*ts = rb_time_of(sub, level->tail);
			return true;
		}
	}
	return false;
}

/**
 * ring_buffer_event_time_stamp - time of a record that is not committed yet
 * @buffer: the buffer
 * @event: what ring_buffer_lock_reserve() returned
 *
 * Context: between reserve and commit, with preemption off as it is there; or,
 * for records with an absolute time, any. For who has a slot there is ring_buffer_slot_time().
 * Return: the time that readers will be given for @event.
 */
u64 ring_buffer_event_time_stamp(struct trace_buffer *buffer,
				 struct ring_buffer_event *event)
{
	struct rb_cpu *p = trace_cpu_ptr(buffer->cpu);
	u64 ts;

	/* If a swap came between, the record is not where one is written now. */
	if (rb_held_time(READ_ONCE(p->held), event, &ts) ||
	    rb_held_time(READ_ONCE(p->ring), event, &ts))
		return ts;

	ts = ring_buffer_time_stamp(buffer);
	return event->type_len == RINGBUF_TYPE_TIME_STAMP ? rb_record_time(event, ts) : ts;
}
