/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the ring buffer share. Nobody outside includes this, but for
 * the inline paths in fast.h.
 *
 *	struct trace_buffer	what a user of the ring buffer holds
 *	  struct rb_cpu		one a CPU, as long as the buffer lives: may this
 *				CPU write, who waits, and which ring
 *	    struct rb_ring	the sub-buffers of a CPU; absent until the CPU
 *				came up for the first time
 *	      struct rb_sub	one sub-buffer, with the page(s) it owns
 *
 * The algorithm is explained at the top of write.c.
 */
#ifndef _TRACE_RING_BUFFER_INTERNAL_H
#define _TRACE_RING_BUFFER_INTERNAL_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pagevec.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ring_buffer.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../irq_work.h"
#include "../local_clock.h"

/* ---- Format: seen by user space ---------------------------------------- */

/* What stands in the memory of a sub-buffer. */
struct rb_page {
	u64		time_stamp;	/* the first delta counts from here */
	unsigned long	commit;		/* bytes of data that may be read */
	u8		data[] __aligned(8);
};

#define RB_PAGE_HEADER		offsetof(struct rb_page, data)

/* Flags in rb_page::commit of a page that was handed out. */
#define RB_MISSED_EVENTS	BIT(31)	/* events were lost before this page */
#define RB_MISSED_STORED	BIT(30)	/* how many is stored behind the data */
#define RB_COMMIT_MASK		(RB_MISSED_STORED - 1)

#define RB_HEAD_SIZE		4U	/* type_len and time_delta */
#define RB_EXTEND_SIZE		8U	/* TIME_EXTEND and TIME_STAMP */
#define RB_SMALL_MAX		(RINGBUF_TYPE_DATA_TYPE_LEN_MAX * 4)
#define RB_DELTA_BITS		27
#define RB_DELTA_MAX		(BIT_ULL(RB_DELTA_BITS) - 1)
#define RB_STAMP_BITS		59

/*
 * Where a CPU cannot access 8 bytes at an address that is a multiple of only
 * 4, all data begins at a multiple of 8: every record has the long head then.
 */
#ifdef CONFIG_HAVE_64BIT_ALIGNED_ACCESS
#define RB_LONG_HEAD_ONLY	1
#define RB_ALIGN		8U
#else
#define RB_LONG_HEAD_ONLY	0
#define RB_ALIGN		4U
#endif

/* ---- The tail word of a sub-buffer -------------------------------------- */

/*
 *   63     62   61     60                              20 19            0
 *   closed big  parity time since the sub-buffer began    offset
 *
 * While the sub-buffer is open the time is in nanoseconds (of the clock used)
 * and stays below RB_TIME_LIMIT, so that its top bit is clear. In a closed
 * word with "big" it is in units of 2^RB_BIG_SHIFT, and negative when the clock
 * was put back: the next sub-buffer begins there. With RB_ANEW, the time's top bit and
 * no "big", it is the same sub-buffer that will go on. "parity" tells two uses of
 * the same sub-buffer apart, or two times in it. rb_sub::base has it subtracted, which makes
 *
 *	clock - base == tail >> RB_TIME_SHIFT
 *
 * the time of the last record without any masking.
 */
#define RB_OFF_MASK		(BIT_ULL(20) - 1)
#define RB_TIME_SHIFT		20
#define RB_TIME_BITS		41
#define RB_TIME_MASK		(BIT_ULL(RB_TIME_BITS) - 1)
#define RB_TIME_LIMIT		BIT_ULL(RB_TIME_BITS - 1)
#define RB_PARITY		BIT_ULL(61)
#define RB_BIG			BIT_ULL(62)
#define RB_CLOSED		BIT_ULL(63)
#define RB_BIG_SHIFT		20
#define RB_ANEW			(RB_CLOSED | RB_TIME_LIMIT << RB_TIME_SHIFT)

/*
 * No two CPUs' clocks are so far apart, about a second of ns: somebody has set the date, or the
 * counter began anew when the machine woke up. To wait until it is where it was may take days.
 */
#define RB_PUT_BACK		((s64)BIT_ULL(30))

/*
 * With its header; so there is always an offset behind the last byte. On x86_64 also behind a
 * record that has no room, see rb_reserve(); more than this nobody can ask for there.
 */
#define RB_SUBBUF_MAX		(IS_ENABLED(CONFIG_X86_64) ? BIT(19) : BIT(20))

/* The whole register: riscv64 takes two instructions to make one of half of it. */
static __always_inline unsigned long rb_tail_bytes(u64 tail)
{
	return tail & RB_OFF_MASK;
}

static inline u64 rb_tail_time(u64 tail)
{
	return (tail >> RB_TIME_SHIFT) & RB_TIME_MASK;
}

/* What there is from the beginning of a sub-buffer to that of the next one. */
static inline s64 rb_tail_step(u64 tail)
{
	return tail & RB_BIG ? sign_extend64(rb_tail_time(tail), RB_TIME_BITS - 1) << RB_BIG_SHIFT :
			       rb_tail_time(tail);
}

/* What rb_sub::base lacks to be the time at which the sub-buffer began. */
static inline u64 rb_parity_bias(u64 tail)
{
	return (tail & RB_PARITY) >> RB_TIME_SHIFT;
}

/* ---- Slots -------------------------------------------------------------- */

/*
 * Sub-buffers are numbered as they are opened, and number n belongs to slot
 * n modulo the number of slots. A slot is one word:
 *
 *   63                    25 24     23            0
 *   number of the sub-buffer  taken  index of rb_sub
 *
 * "taken" says that what had this number is not in the ring any more: the
 * reader has it, it was given up, or there never was anything. The rb_sub that
 * is named then is free. The reader does not come to such a number again:
 * rb_ring::next is past it.
 */
#define RB_SLOT_INDEX_BITS	24
#define RB_SLOT_INDEX		(BIT_ULL(RB_SLOT_INDEX_BITS) - 1)
#define RB_SLOT_TAKEN		BIT_ULL(24)
#define RB_SLOT_SEQ_SHIFT	25

static inline u64 rb_slot(u64 seq, u32 index, u64 taken)
{
	return (seq << RB_SLOT_SEQ_SHIFT) | taken | index;
}

static inline bool rb_slot_is(u64 slot, u64 seq)
{
	return !((slot ^ (seq << RB_SLOT_SEQ_SHIFT)) >> RB_SLOT_SEQ_SHIFT);
}

/* The later of two numbers of sub-buffers. */
static inline u64 rb_seq_later(u64 a, u64 b)
{
	return (s64)(a - b) > 0 ? a : b;
}

/* Where to go on when number @seq was overwritten: of @nr slots nothing older is left. */
static inline u64 rb_seq_skip(u64 seq, u64 commit_seq, u32 nr)
{
	return rb_seq_later(seq + 1, commit_seq - nr + 1);
}

/* ---- Structures --------------------------------------------------------- */

/*
 * How deep writers can nest on a CPU: four contexts, one recursion in each
 * (rb_may_nest() decides).
 */
#define RB_DEPTH_MAX		8

/**
 * struct rb_sub - a sub-buffer
 * @tail: the tail word, see above; written by this CPU only, by cmpxchg
 * @base: time at which it began, less the parity bit of @tail
 * @commit: of @page, and
 * @data: its data: a writer needs no more than the first line of this
 * @count: records reserved at each depth of nesting, ever. What nests returns
 *	before the writer below goes on, hence no atomics.
 * @start: sum of @count when this use began
 * @index: place in rb_table::sub
 * @page: the memory; the reader swaps it, but only while nobody writes here
 * @seq: its number
 * @first: how many records were written to the ring before the first one here
 * @id: its number for who has the ring mapped, see map.c
 */
struct rb_sub {
	u64		tail;
	u64		base;
	unsigned long	*commit;
	u8		*data;
	u32		count[RB_DEPTH_MAX];

	u32		start;
	u32		index;
	struct rb_page	*page;
	u64		seq;
	u64		first;
	u32		id;
};

/**
 * struct rb_table - the slots of a ring and the sub-buffers they can name
 * @nr: number of slots; one more sub-buffer is the reader's
 * @nr_sub: places in @sub
 * @spare: another one with as much room or more, see resize.c; NULL for a spare
 * @sub: @nr + 1 sub-buffers; they keep their places when others go, hence gaps
 * @slot: @nr slots
 */
struct rb_table {
	u32		nr;
	u32		nr_sub;
	struct rb_table	*spare;
	struct rb_sub	**sub;
	u64		slot[];
};

/*
 * A change of the size takes at most this many steps of each kind at a time with interrupts off
 * (but see RB_TRIES_MAX): claims to follow, sub-buffers that readers took, sub-buffers to give up.
 * Each costs a few cache misses.
 */
#define RB_BATCH	64U

/**
 * struct rb_plan - what is to become of a ring, see resize.c
 * @ring: the ring, NULL if it stays as it is
 * @table: new table
 * @took_spare: @table is the spare of the table in use: there was no memory for a new one
 * @extra: new sub-buffers, if there will be more
 * @nr_extra: how many
 * @old: the table that @table has replaced; NULL until then
 * @top: last claimed number that @table reflects so far
 * @next: next number of the reader that @table reflects so far
 * @try: how often it was tried
 * @asked: it was left to @work
 * @list: of those that are to be done
 * @work: tries it on the CPU of the ring
 */
struct rb_plan {
	struct rb_ring	*ring;
	struct rb_table	*table;
	bool		took_spare;
	struct rb_sub	**extra;
	u32		nr_extra;
	struct rb_table	*old;
	u64		top;
	u64		next;
	int		try;
	bool		asked;
	struct list_head	list;
	struct work_struct	work;
};

/**
 * struct rb_level - a writer that has entered and not left yet
 * @sub: where the record is that ring_buffer_lock_reserve() gave, or NULL
 * @tail: behind that record; these two are what its slot would carry
 * @delta: what the record added to the time of the tail, if it has a time extend
 * @outer: what rb_cpu::held is to be again when it leaves
 * @context: preempt_count() on entry; of the outermost, see rb_ring::busy
 */
struct rb_level {
	struct rb_sub	*sub;
	u64		tail;
	u64		delta;
	struct rb_ring	*outer;
	int		context;
};

/**
 * struct rb_ring - the ring of a CPU
 *
 * The writers' part, which only this CPU writes to:
 * @cur: sub-buffer that is written to
 * @commit: sub-buffer up to which everything is published
 * @busy: 0, or there is a writer between entry and commit: preempt_count() of the
 *	outermost one, or that and 1, see rb_busy()
 * @nested: number of writers inside of that one
 * @limit: size of a sub-buffer's data in bytes
 * @frozen: sub-buffers must not be changed; whoever would has to drop
 * @home: where it is: rb_cpu::ring of that is this one (a swap changes it)
 * @level: the writers, [0] is the outermost
 * @table: slots
 * @nr: number of slots, for those who hold no lock
 * @origin: number of the first sub-buffer since a reset
 * @commit_seq: number of @commit; the reader looks up to here
 * @done_entries: records in published sub-buffers before @commit, ever
 * @done_bytes: and their bytes
 * @overrun: records overwritten
 * @lost_bytes: and their bytes
 * @commit_overrun: records dropped because the ring was all unfinished
 * @dropped: records dropped because the ring was full
 * @anew: where time begins anew in @cur, which is closed for that: the new base without parity,
 *	and how long that is after the last record
 *
 * The reader's part, under @lock:
 * @lock: held while the ring is read or changed in shape
 * @reader: the sub-buffer outside of the ring
 * @live: @reader holds records (to be) read, it is not just a spare
 * @reader_seq: number of @reader if it is @live
 * @next: number of the sub-buffer to take next
 * @read: bytes of @reader that are read
 * @read_ts: time at @read
 * @expect: rb_sub::first that @next has if nothing is lost
 * @lost: records lost before @read and not reported yet
 * @nread: records read
 * @read_bytes: and their bytes
 * @generation: changes when what an iterator knows becomes void; no two rings
 *	ever have the same one
 * @cpu: the CPU
 * @map: where it is mapped, or NULL; set and cleared under trace_buffer::mutex as well
 * @map_lost: records lost before @reader, for who has it mapped
 * @plan: for a change of its size; trace_buffer::mutex of where it is
 * @asked: its size in bytes before sub-buffers of another size made it larger, which it has
 *	again when they allow; 0: it is as it was asked for. The same mutex.
 */
struct rb_ring {
	struct rb_sub		*cur;
	struct rb_sub		*commit;
	u32			busy;
	u32			limit;
	struct rb_cpu		*home;
	u32			nested;
	bool			frozen;
	struct rb_level		level[RB_DEPTH_MAX];

	struct rb_table		*table;
	u32			nr;
	u64			origin;
	u64			commit_seq;
	u64			done_entries;
	u64			done_bytes;
	atomic_long_t		overrun;
	atomic_long_t		lost_bytes;
	atomic_long_t		commit_overrun;
	atomic_long_t		dropped;
	struct {
		u64		base;
		u64		delta;
	}			anew;

	raw_spinlock_t		lock ____cacheline_aligned_in_smp;
	struct rb_sub		*reader;
	bool			live;
	u64			reader_seq;
	u64			next;
	u32			read;
	u64			read_ts;
	u64			expect;
	u64			lost;
	u64			nread;
	u64			read_bytes;
	u64			generation;
	int			cpu;
	struct rb_map		*map;
	u64			map_lost;
	struct rb_plan		plan;
	unsigned long		asked;
};

/**
 * struct rb_wait - readers that wait
 * @queue: they wait here
 * @work: wakes them
 * @wakeups: counts how often @work did so
 * @releases: counts ring_buffer_wake_waiters()
 */
struct rb_wait {
	wait_queue_head_t	queue;
	struct trace_irq_work	work;
	unsigned int		wakeups;
	atomic_t		releases;
};

/*
 * Reasons in rb_cpu::stop; below them is a count of ring_buffer_record_disable()s. They are added
 * and subtracted, not set: when CPUs switch one to and fro at the same time, the sum may have it
 * more than once for a moment, and the bits between them have room for that. See recording.c for
 * why such a sum does no harm.
 */
#define RB_STOP_OFF		BIT(20)	/* ring_buffer_record_off() */
#define RB_STOP_ABSENT		BIT(24)	/* there is no ring */
#define RB_STOP_ABS		BIT(27)	/* no stop: absolute time stamps */
#define RB_STOP_CLOCK		BIT(29)	/* no stop: not the local clock */
#define RB_STOP_NOT		(RB_STOP_ABS | RB_STOP_CLOCK)

/* Bits in rb_cpu::wake: somebody waits for ... */
#define RB_WAKE_CPU		BIT(0)	/* anything in this ring */
#define RB_WAKE_FULL		BIT(1)	/* the watermark of this ring */
#define RB_WAKE_BUFFER		BIT(2)	/* anything in any ring */

/**
 * struct rb_cpu - a CPU of a buffer
 *
 * Each write reads the first line. Of what is in it readers only write @wake, when they wait:
 * @stop: sum of all the reasons why a write cannot take the short way. Only
 *	ever added to and subtracted from, so that reasons may come and go in
 *	any order.
 * @wake: RB_WAKE_* bits, to be looked at after a commit
 * @ring: where to write to; only ever changes by a swap. Look it up once: who
 *	found a ring here and has interrupts or preemption off may go on in it.
 * @held: ring of the innermost record that ring_buffer_lock_reserve() gave and
 *	that is not committed yet
 * @clock: NULL for trace_clock_local()
 * @nest: ring_buffer_nest_start()s that have not ended, see rb_may_nest()
 * @seen: what ring_buffer_written_here() saw last; only this CPU writes it. Beside @ring, so
 *	that one instruction can load both
 * @buffer: the buffer
 *
 * The readers':
 * @full: lowest watermark somebody waits for, in percent
 * @iters: iterators that are open
 * @mapped: mappings of the ring; trace_buffer::mutex, read anywhere
 * @wait: readers that wait for this CPU
 */
struct rb_cpu {
	atomic_t		stop;
	atomic_t		wake;
	struct rb_ring		*ring;
	u64			seen;
	u64			(*clock)(void);
	struct rb_ring		*held;
	struct trace_buffer	*buffer;
	int			nest;

	int			full ____cacheline_aligned_in_smp;
	atomic_t		iters;
	unsigned int		mapped;
	struct rb_wait		wait;
} ____cacheline_aligned;

/* Reasons in trace_buffer::record. */
#define RB_RECORD_OFF		BIT(20)

/**
 * struct trace_buffer - a ring buffer
 * @cpu: what belongs to a CPU
 * @overwrite: the oldest sub-buffer makes place when all are full
 * @clock: source of the time stamps, NULL for trace_clock_local()
 * @order: of the pages of a sub-buffer
 * @subbuf_size: data bytes in a sub-buffer
 * @record: count of ring_buffer_record_disable()s plus RB_RECORD_OFF
 * @abs: every record is to have an absolute time
 * @swaps_forbidden: how many rb_swap_forbid()s are not undone; rb_swap_lock
 * @cpumask: CPUs that have a ring
 * @mutex: serialises changes of the shape: resize, order, reset, hotplug
 * @node: for the CPU hotplug callback
 * @wait: readers that wait for all CPUs
 * @recheck: closes the window between poll and commit, see wait.c
 * @recheck_gp: the grace period after which it is closed
 * @recheck_lock: serialises the two
 * @key: lock class of the rings
 */
struct trace_buffer {
	struct rb_cpu __percpu	*cpu;
	bool			overwrite;
	u64			(*clock)(void);
	unsigned int		order;
	unsigned int		subbuf_size;
	atomic_t		record;
	int			abs;
	int			swaps_forbidden;
	cpumask_var_t		cpumask;
	struct mutex		mutex;		/* of the shape, see above */
	struct hlist_node	node;
	struct rb_wait		wait;
	struct timer_list	recheck;
	unsigned long		recheck_gp;
	spinlock_t		recheck_lock;	/* of the timer, see above */
	struct lock_class_key	*key;
};

/* ---- Helpers ------------------------------------------------------------ */

/*
 * A preempt_count() for rb_ring::busy, which must not be 0: it is not, if preemption is off and
 * that is counted.
 */
static __always_inline unsigned int rb_busy_of(unsigned int count)
{
	return count | (IS_ENABLED(CONFIG_PREEMPT_COUNT) ? 0 : 1);
}

/*
 * The same where interrupts may be off instead, which it does not say. Its lowest bits say nothing
 * of the context.
 */
static __always_inline unsigned int rb_busy(void)
{
	return preempt_count() | 1;
}

/* Number of writers between entry and commit. */
static inline unsigned int rb_depth(const struct rb_ring *ring)
{
	return READ_ONCE(ring->busy) ? READ_ONCE(ring->nested) + 1 : 0;
}

static __always_inline u64 rb_clock(struct rb_cpu *p)
{
	u64 (*clock)(void);

	clock = READ_ONCE(p->clock);
	return likely(!clock) ? trace_local_clock() : clock();
}

/* The sub-buffer gets other memory; nobody writes to it now. */
static inline void rb_sub_set_page(struct rb_sub *sub, struct rb_page *page)
{
	sub->page = page;
	sub->commit = &page->commit;
	sub->data = page->data;
}

/* The time of the last record before @tail. */
static inline u64 rb_time_of(const struct rb_sub *sub, u64 tail)
{
	return sub->base + rb_parity_bias(tail) + rb_tail_time(tail);
}

static inline u32 rb_sub_count(const struct rb_sub *sub)
{
	u32 sum = 0;
	int i;

	for (i = 0; i < RB_DEPTH_MAX; i++)
		sum += READ_ONCE(sub->count[i]);
	return sum;
}

/* Records in a sub-buffer. Exact once all its writers have left. */
static inline u32 rb_sub_entries(const struct rb_sub *sub)
{
	return rb_sub_count(sub) - READ_ONCE(sub->start);
}

/* Pairs with the releases in rb_leave_short() and rb_publish(). */
static inline unsigned int rb_page_commit(struct rb_page *page)
{
	/* R1 */
	return smp_load_acquire(&page->commit) & RB_COMMIT_MASK;
}

/* Size of a record with a short or long head, or of a time stamp. */
static inline unsigned int rb_record_size(const struct ring_buffer_event *event)
{
	switch (event->type_len) {
	case RINGBUF_TYPE_TIME_EXTEND:
	case RINGBUF_TYPE_TIME_STAMP:
		return RB_EXTEND_SIZE;
	case RINGBUF_TYPE_PADDING:
	case 0:
		return RB_HEAD_SIZE + event->array[0];
	default:
		return RB_HEAD_SIZE + event->type_len * 4;
	}
}

static inline bool rb_record_is_data(const struct ring_buffer_event *event)
{
	return event->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX;
}

static inline u64 rb_extend_value(const struct ring_buffer_event *event)
{
	return ((u64)event->array[0] << RB_DELTA_BITS) + event->time_delta;
}

/* Time behind @event, when it is @ts before it. */
static inline u64 rb_record_time(const struct ring_buffer_event *event, u64 ts)
{
	u64 stamp;

	switch (event->type_len) {
	case RINGBUF_TYPE_TIME_EXTEND:
		return ts + rb_extend_value(event);
	case RINGBUF_TYPE_TIME_STAMP:
		/* The top bits do not change while a sub-buffer is filled. */
		stamp = rb_extend_value(event) | (ts & GENMASK_ULL(63, RB_STAMP_BITS));
		if (stamp + BIT_ULL(RB_STAMP_BITS - 1) < ts)
			stamp += BIT_ULL(RB_STAMP_BITS);
		return stamp;
	case RINGBUF_TYPE_PADDING:
		/* array[1] is what rb_pad() had to add to the true delta. */
		return ts + event->time_delta - event->array[1];
	default:
		return ts + event->time_delta;
	}
}

static inline struct rb_cpu *rb_cpu_of(struct trace_buffer *buffer, int cpu)
{
	return per_cpu_ptr(buffer->cpu, cpu);
}

/*
 * A CPU that has a ring, NULL if it does not exist or never came up. Once it
 * has one it always has one, though a swap may make it another.
 */
static inline struct rb_cpu *rb_cpu_at(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *p;

	if (cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return NULL;
	p = rb_cpu_of(buffer, cpu);
	return READ_ONCE(p->ring) ? p : NULL;
}

/*
 * The ring of a CPU, or NULL. Unless the caller keeps swaps out, or has
 * interrupts off, it may belong to another buffer or be gone by now.
 */
static inline struct rb_ring *rb_ring_of(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *p = rb_cpu_at(buffer, cpu);

	return p ? READ_ONCE(p->ring) : NULL;
}

/* Sub-buffers that are complete and not read yet. Racy, good for a watermark. */
static inline u64 rb_ring_dirty(struct rb_ring *ring)
{
	u64 commit = READ_ONCE(ring->commit_seq);
	s64 dirty = commit - READ_ONCE(ring->next);

	return clamp_t(s64, dirty, 0, READ_ONCE(ring->nr) - 1);
}

/**
 * struct rb_hold - a reader's hold on a ring: from rb_reader_lock() to rb_reader_unlock()
 * @lock: of the ring; NULL for who could not have it, see rb_reader_lock()
 * @flags: interrupts as they were
 * @outer: what this CPU held before
 */
struct rb_hold {
	raw_spinlock_t	*lock;		/* see above */
	unsigned long	flags;
	struct rb_hold	*outer;
};

/* write.c */
void rb_sub_init(struct rb_sub *sub, struct rb_page *page, u32 index);

/* read.c */
struct rb_ring *rb_reader_lock(struct rb_cpu *p, struct rb_hold *hold);
void rb_reader_unlock(struct rb_hold *hold);
void rb_ring_lock(struct rb_ring *ring, struct rb_hold *hold);
struct rb_sub *rb_reader_sub(struct rb_ring *ring);
bool rb_ring_empty(struct rb_ring *ring);

/* read_page.c */
unsigned int rb_pass_records(struct rb_ring *ring, struct rb_page *page, unsigned int commit,
			     size_t len);
void rb_mark_lost(struct rb_page *page, unsigned int *commit, unsigned int room,
		  unsigned long lost);

/* stat.c: records that were written, ever */
u64 rb_written(struct rb_ring *ring);

/* map.c */
void rb_map_tell(struct rb_ring *ring);

/* alloc.c */
struct rb_page *rb_page_alloc(int cpu, unsigned int order, gfp_t flags);
void rb_page_free(struct rb_page *page, unsigned int order);

/* What grows with a buffer: its user hears that there is no memory, nobody is killed for it. */
#define RB_GFP_LARGE	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)
struct rb_table *rb_table_alloc(int cpu, u32 nr, u32 nr_sub);
struct rb_table *rb_table_take_spare(struct rb_table *table, u32 nr);
void rb_table_free(struct rb_table *table);
struct rb_table *rb_table_fill(int cpu, u32 nr, unsigned int order);
void rb_table_empty(struct rb_table *table, unsigned int order);
int rb_subs_alloc(struct rb_sub **sub, u32 nr, int cpu, unsigned int order);
/*
 * Sub-buffers are allocated and freed this many at a time, with one call of each allocator. It is
 * a multiple of PAGEVEC_SIZE, as put_pages_list() frees so many pages at a time, and a rest of them
 * costs as much.
 */
#define RB_BULK		(2U * PAGEVEC_SIZE)
void rb_subs_free_bulk(struct rb_sub **sub, u32 nr, unsigned int order);
void rb_subs_free(struct rb_sub **sub, u32 nr, unsigned int order);
void rb_ring_start(struct rb_ring *ring, struct rb_table *table);
int rb_cpu_prepare(struct trace_buffer *buffer, int cpu);
int rb_nr_subs(unsigned long size, unsigned int subbuf_size, u32 *nr);

/* wait.c */
void rb_wait_init(struct rb_wait *wait);
void rb_wait_destroy(struct rb_wait *wait);
void rb_recheck(struct timer_list *timer);
void rb_wake(struct rb_cpu *p, struct rb_ring *ring);
void rb_wake_changed(struct rb_cpu *p);

/* reset.c; trace_buffer::mutex */
void rb_stop_cpus(struct trace_buffer *buffer, const struct cpumask *cpus);
void rb_start_cpus(struct trace_buffer *buffer, const struct cpumask *cpus);

/* swap.c */
void rb_swap_enter(unsigned long *flags);
void rb_swap_leave(unsigned long *flags);
void rb_swap_forbid(struct trace_buffer *buffer);
void rb_swap_allow(struct trace_buffer *buffer);

#if IS_ENABLED(CONFIG_KUNIT)
/* stat.c */
bool rb_first_time(struct rb_page *page, unsigned int off, u64 ts, u64 *first);

/* map.c: what ring_buffer_map() does but for the mapping */
int rb_map_use(struct trace_buffer *buffer, int cpu);

/* resize.c: the steps of a change of the size */
int rb_plan_make(struct rb_plan *plan, struct rb_ring *ring, u32 nr, unsigned int order);
void rb_plan_prepare(struct rb_plan *plan);
bool rb_plan_apply(struct rb_plan *plan);
void rb_plan_free_all(struct rb_plan *plan, unsigned int order);
#endif

#endif /* _TRACE_RING_BUFFER_INTERNAL_H */
