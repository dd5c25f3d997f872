// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recording an event: what runs between a tracepoint and the ring buffer.
 *
 * Everything that can be known when an event is switched on is in its file's
 * flags by then. So an event that is plainly enabled costs
 * a test of the flags, the context word, a slot, and the commit; all else
 * (soft mode, triggers, filters, pids, the console, exports, stacks) stands
 * behind a flag or a static key and out of line. The two functions in between
 * call nothing that they come back from, so that they need no stack frame.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/trace_events.h>

#include "../operands.h"
#include "../output/output.h"
#include "../percpu.h"
#include "../record/record.h"
#include "../record/triggers.h"
#include "../record/write.h"
#include "../ring_buffer/fast.h"
#include "copy.h"
#include "filter.h"
#include "internal.h"

/* What takes a record off the straight path. */
#define EVENT_FILE_FL_SPECIAL	\
	(EVENT_FILE_FL_DETOUR | EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_TRIGGER_COND | \
	 EVENT_FILE_FL_STACKS)	/* and so EVENT_FILE_FL_SHARED */
#define EVENT_FILE_FL_CONDITIONS	(EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_TRIGGER_COND)

/*
 * Where a record is built that may not be wanted: no clock is read and no slot taken for
 * what a filter rejects. Nearly always that is in the struct trace_event_buffer. Longer
 * records, and those of files with triggers, are built in one of these; there is one for each
 * level that may interrupt another on a CPU. @length is 0 while it is free. What nests gives
 * it back before the interrupted one goes on.
 */
#define SCRATCH_LEVELS	4
#define SCRATCH_MAX	1016

struct event_scratch {
	unsigned long	length;
	u64		data[SCRATCH_MAX / sizeof(u64)];
};

static DEFINE_PER_CPU(struct event_scratch, event_scratch[SCRATCH_LEVELS]);

/*
 * The same for records that are longer still, of files with triggers that want them: those are to
 * see what has no place in the buffer as well, because it is full or recording is off.
 */
#define LONG_LEVELS	2
#define LONG_SCRATCH_MAX	4072

struct event_long_scratch {
	struct event_scratch	scratch;
	u64			more[(LONG_SCRATCH_MAX - SCRATCH_MAX) / sizeof(u64)];
};

static struct event_long_scratch __percpu *event_long_scratch;

/**
 * event_long_scratch_init - memory for long records, before there is a trigger that wants them
 *
 * Context: task, event_mutex. It stays.
 * Return: 0 or -ENOMEM.
 */
int event_long_scratch_init(void)
{
	struct event_long_scratch __percpu *scratch;

	if (event_long_scratch)
		return 0;
	scratch = __alloc_percpu(LONG_LEVELS * sizeof(*scratch), __alignof__(*scratch));
	if (!scratch)
		return -ENOMEM;
	/* all is free for who sees the pointer: address dependency */
	smp_store_release(&event_long_scratch, scratch);
	return 0;
}

/*
 * What a struct trace_event_buffer says of a record, by what is there:
 *
 * @slot.ring	it is in its slot, wanted, and nobody wants more of it: the plain case
 * @filter	it is in @scratch, @len bytes of it, and all that is asked is this filter
 * @shared	it is at @entry, @len bytes of it, for the files that are in @shared: with @ring in
 *		the slot of @trace_file, which is the first of them if it is not long; else in
 *		@scratch or an event_scratch
 * not @entry	it is @len bytes, the event has triggers that want it, and nothing else: with @ring
 *		in its slot, else in @scratch
 * @ring	it is in its slot, but not plain: this is what belongs into @slot
 * none		it is in an event_scratch, at @entry
 *
 * The rest, but for the plain case, is what commit_special() wants to know; in the second case
 * only @trace_file.
 */

/**
 * trace_event_ignore_this_pid - does the instance's pid list leave this task out?
 * @trace_file: the event in the instance
 *
 * Context: any, preemption off. The answer was worked out when the task was
 * switched to, see set_event_pid.c.
 */
bool trace_event_ignore_this_pid(struct trace_event_file *trace_file)
{
	return raw_cpu_read(*trace_file->ignored);
}
EXPORT_SYMBOL_GPL(trace_event_ignore_this_pid);

/* Plainly not: nothing is recorded to @file now, and no trigger of it wants to know. */
static __always_inline bool is_unwanted(const struct trace_event_file *file, unsigned long flags)
{
	if ((flags & EVENT_FILE_FL_PID_FILTER) && *trace_cpu_ptr(file->ignored))
		return true;
	return (flags & (EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_TRIGGER_MODE)) ==
	       EVENT_FILE_FL_SOFT_DISABLED;
}

static bool nobody_wants(const struct event_files *files)
{
	struct trace_event_file *const *at, *file;

	for (at = files->file; (file = READ_ONCE(*at)); at++)
		if (!is_unwanted(file, READ_ONCE(file->flags)))
			return false;
	return true;
}

/**
 * __trace_trigger_soft_disabled - the slow half of trace_trigger_soft_disabled()
 * @file: the event in an instance, with a flag that needs a closer look
 *
 * Context: any, preemption off.
 * Return: true when nothing is to be recorded.
 */
bool __trace_trigger_soft_disabled(struct trace_event_file *file)
{
	unsigned long flags = READ_ONCE(file->flags);

	/* Each is asked when the record is there, commit_to_file(). */
	if (flags & EVENT_FILE_FL_SHARED)
		return nobody_wants((struct event_files *)file);
	/* Who is not followed does not set off triggers, either. */
	if ((flags & EVENT_FILE_FL_PID_FILTER) && trace_event_ignore_this_pid(file))
		return true;
	/* All is decided when the record is there, wanted(). */
	if (flags & EVENT_FILE_FL_TRIGGER_COND)
		return false;

	if (flags & EVENT_FILE_FL_TRIGGER_MODE)
		event_triggers_call(file, NULL, NULL, NULL);

	return flags & EVENT_FILE_FL_SOFT_DISABLED;
}
EXPORT_SYMBOL_GPL(__trace_trigger_soft_disabled);

/**
 * trace_event_buffer_lock_reserve - take a slot for an event's record
 * @current_buffer: where the buffer goes that the slot is in
 * @trace_file: the event in an instance
 * @type: number of the event, for the header
 * @len: bytes of the record, with its header
 * @trace_ctx: as tracing_gen_ctx() gives it
 *
 * Commit with ring_buffer_unlock_commit().
 *
 * Context: any.
 * Return: the slot with the header filled in, or NULL when there is no room or
 * recording is off.
 */
struct ring_buffer_event *
trace_event_buffer_lock_reserve(struct trace_buffer **current_buffer,
				struct trace_event_file *trace_file,
				int type, unsigned long len, unsigned int trace_ctx)
{
	struct trace_buffer *buffer = trace_file->tr->array_buffer.buffer;
	struct ring_buffer_event *event;

	*current_buffer = buffer;
	event = ring_buffer_lock_reserve(buffer, len);
	if (event)
		tracing_generic_entry_update(ring_buffer_reserved_data(event), type, trace_ctx);
	return event;
}
EXPORT_SYMBOL_GPL(trace_event_buffer_lock_reserve);

static void fill_header(const struct trace_event_file *file, struct trace_entry *entry,
			unsigned int trace_ctx)
{
	tracing_generic_entry_update(entry, file->type, trace_ctx);
}

static void slot_begin(struct trace_event_buffer *fbuffer)
{
	fbuffer->trace_ctx = tracing_gen_ctx_dec();
	fill_header(fbuffer->trace_file, fbuffer->slot.data, fbuffer->trace_ctx);
	fbuffer->entry = fbuffer->slot.data;
	fbuffer->ring = fbuffer->slot.ring;
	fbuffer->slot.ring = NULL;
}

/* A slot for a record that is not plain, and its header. */
static bool slot_special(struct trace_event_buffer *fbuffer, unsigned long len)
{
	struct trace_array *tr = fbuffer->trace_file->tr;

	if (!ring_buffer_slot_reserve(tr->array_buffer.buffer, len, &fbuffer->slot))
		return false;
	slot_begin(fbuffer);
	return true;
}

/* A record that is not plain only for the way in which its slot was had; as slot_special(). */
static bool slot_rest(struct trace_event_buffer *fbuffer, unsigned long len, struct rb_ring *ring)
{
	struct trace_event_file *file = fbuffer->trace_file;

	fbuffer->slot.ring = ring;
	if (!ring_buffer_slot_rest(file->cpus, len, &fbuffer->slot))
		return false;
	slot_begin(fbuffer);
	return true;
}

/*
 * x86_64 has few registers that a function may use without saving them, and GCC saves those that it
 * needs anywhere at the beginning. So there what needs many is in a function of its own, to which
 * the others jump: a record, for whom a filter rejects; the rare, for a record.
 */
#define WAYS_APART	TRACE_FEW_REGISTERS

/* @copies: the record is at @from by now, but for its header. @preempt: __tracing_preempt() */
static __always_inline bool slot_take(struct trace_event_file *file, unsigned long len,
				      bool copies, const void *from, unsigned long preempt,
				      struct ring_buffer_slot *slot)
{
	unsigned int context = preempt;

	if (IS_ENABLED(CONFIG_X86_64))
		context = preempt ^ __TRACING_RESCHED;	/* as it is in memory */
	if (unlikely(!ring_buffer_slot_try(file->cpus, len, ring_buffer_context(context), NULL,
					   slot)))
		return false;
	if (copies)
		copy_fields(slot->data, from, len);
	return true;
}

/* What __tracing_ctx_of() wants for tracing_gen_ctx_dec(); @preempt is __tracing_preempt(). */
static __always_inline unsigned long probe_preempt(unsigned long preempt)
{
	if (WAYS_APART)		/* asked again rather than kept */
		return (u32)(__tracing_preempt() - IS_ENABLED(CONFIG_PREEMPTION));
	return preempt - IS_ENABLED(CONFIG_PREEMPTION);
}

static __always_inline bool slot_plain(struct trace_event_file *file, unsigned long len,
				       bool copies, const void *from,
				       struct ring_buffer_slot *slot)
{
	unsigned long preempt = __tracing_preempt(), irqflags;
	struct task_struct *self = current;
	unsigned int ctx;

	if (unlikely(!slot_take(file, len, copies, from, preempt, slot)))
		return false;
	/* tracing_gen_ctx_dec() with what is there already */
	local_save_flags(irqflags);
	ctx = __tracing_ctx_of(self, probe_preempt(preempt), __tracing_irq_flag(irqflags));
	__tracing_entry_update(slot->data, file->type, ctx, self);
	return true;
}

/* The first of @levels, @bytes each, that is free. */
static __always_inline void *scratch_take(struct trace_event_buffer *fbuffer, unsigned long len,
					  struct event_scratch *scratch, unsigned int levels,
					  unsigned long bytes)
{
	for (; levels; levels--, scratch = (void *)scratch + bytes) {
		if (scratch->length)
			continue;
		WRITE_ONCE(scratch->length, len);
		barrier();	/* what interrupts us sees it taken */
		fbuffer->slot.ring = NULL;
		fbuffer->ring = NULL;
		fbuffer->entry = scratch->data;
		return scratch->data;
	}
	return NULL;
}

static noinline void *long_scratch_take(struct trace_event_buffer *fbuffer, unsigned long len)
{
	struct event_long_scratch __percpu *scratch = READ_ONCE(event_long_scratch);

	if (!scratch)
		return NULL;
	return scratch_take(fbuffer, len, &this_cpu_ptr(scratch)->scratch, LONG_LEVELS,
			    sizeof(*scratch));
}

/* A file with triggers, stacks, or a long record that may not be wanted; or all is copied. */
static void *reserve_special(struct trace_event_buffer *fbuffer, unsigned long len,
			     unsigned long flags)
{
	void *rec = NULL;

	if (!(flags & EVENT_FILE_FL_CONDITIONS))
		return slot_special(fbuffer, len) ? fbuffer->entry : NULL;

	if (likely(len <= SCRATCH_MAX))
		rec = scratch_take(fbuffer, len, this_cpu_ptr(event_scratch), SCRATCH_LEVELS,
				   sizeof(struct event_scratch));
	else if (len <= LONG_SCRATCH_MAX && (flags & EVENT_FILE_FL_TRIGGER_COND))
		rec = long_scratch_take(fbuffer, len);
	if (likely(rec))
		return rec;
	/* in its slot; what is not wanted is discarded */
	return slot_special(fbuffer, len) ? fbuffer->entry : NULL;
}

/*
 * A record for several files that is too long for the stack. Without a scratch it is in the slot of
 * one of them, and copied from there.
 */
static void *reserve_shared(struct trace_event_buffer *fbuffer, struct event_files *files,
			    unsigned long len)
{
	struct trace_event_file *const *at, *file;
	bool triggers = false;
	void *rec = NULL;

	fbuffer->shared = files;
	fbuffer->len = len;
	for (at = files->file; (file = READ_ONCE(*at)); at++)
		triggers |= READ_ONCE(file->flags) & EVENT_FILE_FL_TRIGGER_COND;
	if (likely(len <= SCRATCH_MAX))
		rec = scratch_take(fbuffer, len, this_cpu_ptr(event_scratch), SCRATCH_LEVELS,
				   sizeof(struct event_scratch));
	else if (len <= LONG_SCRATCH_MAX && triggers)
		rec = long_scratch_take(fbuffer, len);
	if (likely(rec))
		return rec;
	for (at = files->file; (file = READ_ONCE(*at)); at++) {
		fbuffer->trace_file = file;
		if (!is_unwanted(file, READ_ONCE(file->flags)) && slot_special(fbuffer, len))
			return fbuffer->entry;
	}
	return NULL;
}

/*
 * What is rare in trace_event_buffer_reserve() and trace_event_buffer_begin(). @ring is where the
 * short way has got to, or NULL; then, with @asks, nobody knows whether a record is wanted.
 */
static noinline void *reserve_rest(struct trace_event_file *file,
				   struct trace_event_buffer *fbuffer, unsigned long len,
				   struct rb_ring *ring, bool asks)
{
	fbuffer->filter = NULL;
	fbuffer->shared = NULL;
	fbuffer->trace_file = file;
	fbuffer->regs = NULL;
	if (READ_ONCE(file->flags) & EVENT_FILE_FL_SHARED)
		return reserve_shared(fbuffer, (struct event_files *)file, len);
	if (ring)
		return slot_rest(fbuffer, len, ring) ? fbuffer->entry : NULL;
	if (asks && trace_trigger_soft_disabled(file))
		return NULL;
	return reserve_special(fbuffer, len, READ_ONCE(file->flags));
}

/* Somebody wants a copy of each record. */
static __always_inline bool event_is_copied(void)
{
	return static_branch_unlikely(&trace_event_copied);
}

/* An event with triggers that want the record, without pids, filters and stacks. */
static __always_inline bool has_triggers_only(unsigned long flags)
{
	return (flags & ~(EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_TRIGGER_MODE)) ==
	       EVENT_FILE_FL_TRIGGER_COND;
}

/* Is there nothing to say of the context but how deep it is, and whether interrupts are off? */
static __always_inline bool context_is_plain(struct task_struct *self, unsigned long preempt)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || preempt > 0xf ||
	    trace_peek(task_thread_info(self)->flags) & _TIF_NEED_RESCHED)
		return false;
#ifdef CONFIG_SMP
	if (self->migration_disabled)
		return false;
#endif
	return true;
}

/* fill_header() with tracing_gen_ctx_dec() where it is; @preempt is from probe_preempt(). */
static __always_inline void fill_plain_header(const struct trace_event_file *file,
					      struct trace_entry *entry, struct task_struct *self,
					      unsigned long preempt)
{
	unsigned long irqflags;

	local_save_flags(irqflags);
	__tracing_entry_update(entry, file->type,
			       __tracing_irq_flag(irqflags) << TRACE_CTX_FLAGS_SHIFT |
			       preempt << TRACE_CTX_DEPTH_SHIFT, self);
}

/* The plain case: what the commit wants to know. Return: the record. */
static __always_inline void *keep_slot(struct trace_event_buffer *fbuffer, struct rb_ring *ring,
				       struct rb_sub *sub, u64 tail, void *data)
{
	fbuffer->slot.ring = ring;
	fbuffer->slot.sub = sub;
	fbuffer->slot.tail = tail;
	return data;
}

/* The ends of reserve_plain() where it is not: in a context that is not plain; without a slot. */
static noinline void *head_apart(struct trace_event_file *file, void *data)
{
	fill_header(file, data, tracing_gen_ctx_dec());
	return data;
}

static noinline void *plain_rest(struct trace_event_file *file,
				 struct trace_event_buffer *fbuffer, struct rb_ring *ring)
{
	return reserve_rest(file, fbuffer, fbuffer->len, ring, false);
}

/* A record that is wanted. @asks: as below */
static __always_inline void *reserve_plain(struct trace_event_buffer *fbuffer,
					   struct trace_event_file *file, unsigned long len,
					   bool asks)
{
	struct ring_buffer_slot slot __uninitialized;
	struct task_struct *self;
	unsigned long preempt;

	if (asks && len > TRACE_EVENT_SCRATCH)
		__builtin_unreachable();
	fbuffer->len = len;	/* plain_rest() has it from there, so it is in no register */
	slot.ring = NULL;
	if (event_is_copied())
		goto rest;
	if (unlikely(!slot_take(file, len, false, NULL, __tracing_preempt(), &slot)))
		goto rest;
	keep_slot(fbuffer, slot.ring, slot.sub, slot.tail, slot.data);
	self = current;
	preempt = probe_preempt(0);
	if (unlikely(!context_is_plain(self, preempt)))
		return head_apart(file, slot.data);
	fill_plain_header(file, slot.data, self, preempt);
	return slot.data;

	/* One call, in one place: so there is no stack frame before it. */
rest:
	return plain_rest(file, fbuffer, slot.ring);
}

static noinline void *reserve_plain_apart(struct trace_event_buffer *fbuffer,
					  struct trace_event_file *file, unsigned long len)
{
	return reserve_plain(fbuffer, file, len, false);
}

/* Arguments as who jumps here got them. */
static noinline void *begin_plain_apart(struct trace_event_file *file,
					struct trace_event_buffer *fbuffer, unsigned long len)
{
	return reserve_plain(fbuffer, file, len, true);
}

/* Is any flag of @mask set? Then which ones. */
static __always_inline bool file_flags(struct trace_event_file *file, unsigned long mask,
				       unsigned long *flags)
{
	if (WAYS_APART) {
		if (likely(!(trace_peek(file->flags) & mask)))
			return false;
		/* If they have gone, that is special, too. */
		*flags = READ_ONCE(file->flags) & mask;
		trace_forget(*flags);
		return true;
	}
	*flags = READ_ONCE(file->flags) & mask;
	return unlikely(*flags);
}

/*
 * A slot for a record of up to TRACE_EVENT_SCRATCH bytes that somebody is to see before it is
 * committed. False: not the short way, @slot->ring is how far that got.
 */
static __always_inline bool slot_kept(struct trace_event_buffer *fbuffer,
				      struct trace_event_file *file, unsigned long len,
				      struct ring_buffer_slot *slot)
{
	if (len > TRACE_EVENT_SCRATCH)
		__builtin_unreachable();
	slot->ring = NULL;
	if (event_is_copied())
		return false;
	if (!WAYS_APART) {
		if (unlikely(!slot_plain(file, len, false, NULL, slot)))
			return false;
	} else if (unlikely(!slot_take(file, len, false, NULL, __tracing_preempt(), slot))) {
		return false;
	}
	fbuffer->trace_file = file;
	fbuffer->ring = slot->ring;
	keep_slot(fbuffer, NULL, slot->sub, slot->tail, slot->data);
	return true;
}

/* What is last after slot_kept(), the header. Return: @data. */
static __always_inline void *head_of_kept(struct trace_event_file *file, void *data)
{
	struct task_struct *self = current;
	unsigned long preempt;

	if (!WAYS_APART)
		return data;	/* it has one */
	preempt = probe_preempt(0);
	if (unlikely(!context_is_plain(self, preempt)))
		return head_apart(file, data);
	fill_plain_header(file, data, self, preempt);
	return data;
}

/* The end of reserve_shared_short() where the first file has no slot the short way. */
static noinline void *shared_rest(struct trace_event_buffer *fbuffer, struct rb_ring *ring)
{
	struct trace_event_file *first = READ_ONCE(fbuffer->shared->file[0]);

	fbuffer->trace_file = first;
	/* as in commit_to_file() */
	if (ring && unlikely(first == &event_file_gone))
		ring_buffer_slot_leave(ring);
	else if (ring && slot_rest(fbuffer, fbuffer->len, ring))
		return fbuffer->entry;
	fbuffer->ring = NULL;
	fbuffer->entry = fbuffer->scratch;
	return fbuffer->scratch;
}

/*
 * A record for several files, which is not long: in the slot of the first of them, if that wants it
 * plainly, and copied from there to the others.
 */
static noinline void *reserve_shared_short(struct trace_event_file *stands_for,
					   struct trace_event_buffer *fbuffer, unsigned long len)
{
	struct event_files *files = (struct event_files *)stands_for;
	struct trace_event_file *first = READ_ONCE(files->file[0]);
	struct ring_buffer_slot slot __uninitialized;
	unsigned long flags;
	void *rec;

	fbuffer->filter = NULL;
	fbuffer->len = len;
	fbuffer->shared = files;
	fbuffer->slot.ring = NULL;
	slot.ring = NULL;
	if (unlikely(file_flags(first, EVENT_FILE_FL_SPECIAL, &flags)) ||
	    unlikely(!slot_kept(fbuffer, first, len, &slot))) {
		rec = shared_rest(fbuffer, slot.ring);
		trace_call_is_rare();
		return rec;
	}
	fbuffer->slot.event = slot.event;	/* for who discards it */
	fbuffer->entry = slot.data;
	return head_of_kept(first, slot.data);
}

/* A record that only triggers look at, or that is to be had another slot. */
static __always_inline void *scratch_for_triggers(struct trace_event_file *file,
						  struct trace_event_buffer *fbuffer,
						  unsigned long len)
{
	fbuffer->filter = NULL;
	fbuffer->slot.ring = NULL;
	fbuffer->trace_file = file;
	fbuffer->len = len;
	fbuffer->shared = NULL;
	fbuffer->entry = NULL;
	fbuffer->ring = NULL;
	return fbuffer->scratch;
}

/* The end of reserve_for_triggers() without a slot the short way: they see it all the same. */
static noinline void *triggers_rest(struct trace_event_file *file,
				    struct trace_event_buffer *fbuffer, unsigned long len,
				    struct rb_ring *ring)
{
	void *rec = ring ? reserve_rest(file, fbuffer, len, ring, false) : NULL;

	return rec ?: scratch_for_triggers(file, fbuffer, len);
}

/* The record of an event that is on, with triggers that want to see it. */
static noinline void *reserve_for_triggers(struct trace_event_file *file,
					   struct trace_event_buffer *fbuffer, unsigned long len)
{
	struct ring_buffer_slot slot __uninitialized;
	void *rec;

	if (unlikely(!slot_kept(fbuffer, file, len, &slot))) {
		rec = triggers_rest(file, fbuffer, len, slot.ring);
		trace_call_is_rare();
		return rec;
	}
	fbuffer->filter = NULL;
	fbuffer->slot.data = slot.data;
	fbuffer->shared = NULL;
	fbuffer->entry = NULL;
	return head_of_kept(file, slot.data);
}

/* @mask: of the flags that the caller wants looked at */
static __always_inline void *reserve_event(struct trace_event_buffer *fbuffer,
					   struct trace_event_file *file, unsigned long len,
					   unsigned long mask, bool asks)
{
	struct ring_buffer_slot slot __uninitialized;
	unsigned long flags;
	void *rec;

	if (asks && len > TRACE_EVENT_SCRATCH)
		__builtin_unreachable();	/* spares two looks at it */
	slot.ring = NULL;
	if (file_flags(file, mask, &flags)) {
		if (flags == EVENT_FILE_FL_FILTERED) {
			/* It stays as long as preemption is off, whatever becomes of the file's. */
			struct event_filter *filter = rcu_dereference_sched(file->filter);

			if (!asks && unlikely(len > sizeof(fbuffer->scratch)))
				goto rest;
			fbuffer->filter = filter;
			fbuffer->slot.ring = NULL;
			fbuffer->trace_file = file;
			fbuffer->len = len;
			return fbuffer->scratch;
		}
		if (flags == EVENT_FILE_FL_SHARED && len <= sizeof(fbuffer->scratch))
			return reserve_shared_short(file, fbuffer, len);
		if (has_triggers_only(flags) && len <= sizeof(fbuffer->scratch)) {
			if (!(flags & EVENT_FILE_FL_SOFT_DISABLED))
				return reserve_for_triggers(file, fbuffer, len);
			return scratch_for_triggers(file, fbuffer, len);
		}
		if (!asks || flags != EVENT_FILE_FL_PID_FILTER)
			goto rest;
		if (*trace_cpu_ptr(file->ignored))
			return NULL;
	}
	if (WAYS_APART)
		return asks ? begin_plain_apart(file, fbuffer, len) :
			      reserve_plain_apart(fbuffer, file, len);
	if (event_is_copied())
		goto rest;
	if (unlikely(!slot_plain(file, len, false, NULL, &slot)))
		goto rest;
	return keep_slot(fbuffer, slot.ring, slot.sub, slot.tail, slot.data);

	/* One call, in one place: so there is no stack frame before it. */
rest:
	rec = reserve_rest(file, fbuffer, len, slot.ring, asks);
	trace_call_is_rare();
	return rec;
}

#define RESERVE_SPECIAL	\
	(EVENT_FILE_FL_CONDITIONS | EVENT_FILE_FL_STACKS | EVENT_FILE_FL_SHARED)

static noinline void *reserve_apart(struct trace_event_buffer *fbuffer,
				    struct trace_event_file *file, unsigned long len)
{
	return reserve_event(fbuffer, file, len, RESERVE_SPECIAL, false);
}

/**
 * trace_event_buffer_reserve - begin an event's record
 * @fbuffer: on the probe's stack; keeps what trace_event_buffer_commit() needs
 * @trace_file: the event in an instance, or the struct event_files that the probe has instead
 * @len: bytes of the record, with its header
 *
 * Context: any, preemption off from before the call (tracepoints and probes see
 * to that) until trace_event_buffer_commit().
 * Whether the file wants a record now its caller knows from
 * trace_trigger_soft_disabled().
 *
 * Return: the record, whose header is not for the caller, or NULL when there is no room or
 * recording is off.
 */
void *trace_event_buffer_reserve(struct trace_event_buffer *fbuffer,
				 struct trace_event_file *trace_file, unsigned long len)
{
	if (!WAYS_APART)
		return reserve_event(fbuffer, trace_file, len, RESERVE_SPECIAL, false);
	/* The arguments stay where they are. */
	if (likely(!(trace_peek(trace_file->flags) & RESERVE_SPECIAL)))
		return reserve_plain_apart(fbuffer, trace_file, len);
	return reserve_apart(fbuffer, trace_file, len);
}
EXPORT_SYMBOL_GPL(trace_event_buffer_reserve);

/**
 * trace_event_buffer_begin - begin an event's record, if one is wanted
 * @trace_file: the event in an instance, or the struct event_files that the probe has instead
 * @fbuffer: on the probe's stack; keeps what trace_event_buffer_commit() needs
 * @len: bytes of the record, with its header, up to TRACE_EVENT_SCRATCH
 *
 * trace_trigger_soft_disabled() and trace_event_buffer_reserve() for who need not know
 * what the first of them says to work out @len, and whose records are not long. The file is the
 * first argument as it is the first of a probe.
 *
 * Context: as trace_event_buffer_reserve().
 * Return: as trace_event_buffer_reserve(); NULL as well when no record is wanted.
 */
void *trace_event_buffer_begin(struct trace_event_file *trace_file,
			       struct trace_event_buffer *fbuffer, unsigned long len)
{
	return reserve_event(fbuffer, trace_file, len, EVENT_FILE_FL_SPECIAL, true);
}
EXPORT_SYMBOL_GPL(trace_event_buffer_begin);

/*
 * event_triggers_run() for a record in the scratch. Its header costs a fifth of what a hit of a
 * histogram does: only for who looks at it, and so is its time, which is that of the slot with
 * @sub and @tail; @sub is NULL if it has none.
 */
static __always_inline enum event_trigger_type
run_triggers(struct trace_event_buffer *fbuffer, struct trace_event_file *file, bool header,
	     const struct rb_sub *sub, u64 tail)
{
	u8 missing = (header ? 0 : EVENT_HOOK_HEADER) | EVENT_HOOK_TIME;
	enum event_trigger_type after = ETT_NONE;
	struct event_trigger_hook *hook;
	u64 time = 0;

	list_for_each_entry_rcu(hook, &file->triggers, list) {
		if (hook->reads & missing) {
			if (hook->reads & missing & EVENT_HOOK_HEADER)
				fill_header(file, fbuffer->entry, tracing_gen_ctx_dec());
			if ((hook->reads & EVENT_HOOK_TIME) && sub)
				time = ring_buffer_time_of(sub, tail);
			missing &= ~hook->reads;
		}
		if (hook->passes && !hook->passes(hook, fbuffer->entry))
			continue;
		if (hook->after)
			after |= hook->after;
		else
			hook->run(hook, fbuffer->entry, time);
	}
	return after;
}

/* Is the record to be kept? @header: it has one already, or gets it */
static __always_inline bool wanted(struct trace_event_buffer *fbuffer, unsigned long flags,
				   bool *header)
{
	struct trace_event_file *file = fbuffer->trace_file;
	struct event_filter *filter;

	/* put off until now, see __trace_trigger_soft_disabled() */
	if (flags & EVENT_FILE_FL_SOFT_DISABLED)
		return false;
	if (!(flags & EVENT_FILE_FL_FILTERED))
		return true;
	filter = rcu_dereference_sched(file->filter);
	if (!*header && filter && filter->reads_header) {
		fill_header(file, fbuffer->entry, tracing_gen_ctx_dec());
		*header = true;
	}
	return filter_match_preds(filter, fbuffer->entry);
}

/*
 * trace_event_buffer_commit() jumps to who does the rest, which so has its frame; but there is no
 * jump out of a function whose frame KASAN watches.
 */
#define COMMIT_JUMPS	(!IS_ENABLED(CONFIG_KASAN_STACK))

/* As a record for several files gets there. */
#define SHARED_FRAMES	(COMMIT_JUMPS ? 3 : 4)

/* Copies, commits, and records the stacks; @frames: callers of this that say nothing in one. */
static __always_inline void publish_special(struct trace_event_buffer *fbuffer, int frames)
{
	struct trace_array *tr = fbuffer->trace_file->tr;

	/* After the commit the record may be overwritten at any time. */
	if (static_branch_unlikely(&tracepoint_printk_key))
		output_printk(fbuffer);
	if (static_branch_unlikely(&trace_event_exports_enabled))
		ftrace_exports(fbuffer->slot.event, TRACE_EXPORT_EVENT);

	fbuffer->slot.ring = fbuffer->ring;
	ring_buffer_slot_commit(&fbuffer->slot);

	if (trace_wants_stacks(tr))
		trace_record_stacks(tr, tr->array_buffer.buffer, fbuffer->trace_ctx, frames,
				    fbuffer->regs);
}

/*
 * To a slot that has its header. If there is one at @from, a filter has seen that, and it is what
 * is recorded: something may want the CPU back since.
 */
static void copy_rest(struct trace_event_buffer *fbuffer, const void *from, unsigned long len,
		      bool header)
{
	const unsigned long at = header ? 0 : sizeof(struct trace_entry);

	memcpy(fbuffer->entry + at, from + at, len - at);
}

/* All but the plain case, and that of a filter alone. */
static __always_inline void commit_special(struct trace_event_buffer *fbuffer, int frames)
{
	struct trace_event_file *file = fbuffer->trace_file;
	unsigned long flags = READ_ONCE(file->flags);
	enum event_trigger_type tt = ETT_NONE;
	bool header = fbuffer->ring, drop;

	drop = !wanted(fbuffer, flags, &header);
	if (fbuffer->ring) {
		if (flags & EVENT_FILE_FL_TRIGGER_COND)
			tt = event_triggers_run(file, fbuffer->entry,
						ring_buffer_slot_time(&fbuffer->slot));
		if (drop) {
			fbuffer->slot.ring = fbuffer->ring;
			ring_buffer_slot_discard(&fbuffer->slot);
		}
	} else {
		void *from = fbuffer->entry;
		struct event_scratch *scratch = container_of((u64 *)from, struct event_scratch,
							     data[0]);
		/* A trigger that switches recording off because of the record leaves it there. */
		if (!drop && slot_special(fbuffer, scratch->length)) {
			copy_rest(fbuffer, from, scratch->length, header);
			header = true;
		} else {
			drop = true;
		}
		if (flags & EVENT_FILE_FL_TRIGGER_COND)
			tt = run_triggers(fbuffer, file, header, drop ? NULL : fbuffer->slot.sub,
					  fbuffer->slot.tail);
		barrier();	/* nobody reads it any more */
		WRITE_ONCE(scratch->length, 0);
	}

	if (!drop)
		publish_special(fbuffer, frames);
	if (tt)
		event_triggers_post_call(file, tt);
}

/*
 * The filter took what is in @fbuffer, and a slot is not to be had the short way, which has got as
 * far as to @ring; or that is NULL, and the filter may be one that is not of words alone.
 */
static __always_inline void commit_filtered_slow(struct trace_event_buffer *fbuffer,
						 struct rb_ring *ring)
{
	bool header = !ring && fbuffer->filter->reads_header;
	unsigned long len = fbuffer->len;

	if (!ring) {
		if (header)
			fill_header(fbuffer->trace_file, (void *)fbuffer->scratch,
				    tracing_gen_ctx_dec());
		if (!filter_match_preds(fbuffer->filter, fbuffer->scratch))
			return;
	}
	if (!(ring ? slot_rest(fbuffer, len, ring) : slot_special(fbuffer, len)))
		return;
	fbuffer->regs = NULL;
	copy_rest(fbuffer, fbuffer->scratch, len, header);
	publish_special(fbuffer, 3);
}

/*
 * The triggers where the short way to a slot does not do, which has got as far as to @ring, or
 * NULL. Is there a slot, it is to be published.
 */
static noinline enum event_trigger_type
triggers_special(struct trace_event_buffer *fbuffer, struct trace_event_file *file,
		 struct rb_ring *ring)
{
	unsigned long len = fbuffer->len;
	u64 time = 0;

	if (ring ? slot_rest(fbuffer, len, ring) : slot_special(fbuffer, len)) {
		copy_rest(fbuffer, fbuffer->scratch, len, false);
		time = ring_buffer_slot_time(&fbuffer->slot);
	} else {
		fbuffer->entry = fbuffer->scratch;
		fill_header(file, fbuffer->entry, tracing_gen_ctx_dec());
	}
	return event_triggers_run(file, fbuffer->entry, time);
}

/* The triggers of an event that is off. */
static __always_inline void triggers_alone(struct trace_event_buffer *fbuffer)
{
	struct trace_event_file *file = fbuffer->trace_file;
	enum event_trigger_type tt;

	fbuffer->ring = NULL;
	fbuffer->regs = NULL;
	fbuffer->entry = fbuffer->scratch;
	tt = run_triggers(fbuffer, file, false, NULL, 0);
	if (unlikely(tt))
		event_triggers_post_call(file, tt);
}

/*
 * Those of one that is on. As in commit_special() the record has its slot before they run: one that
 * switches recording off because of it leaves it there.
 */
static __always_inline void triggers_and_record(struct trace_event_buffer *fbuffer)
{
	struct trace_event_file *file = fbuffer->trace_file;
	struct ring_buffer_slot slot __uninitialized;
	enum event_trigger_type tt;

	fbuffer->ring = NULL;
	fbuffer->regs = NULL;
	slot.ring = NULL;
	if (!event_is_copied() &&
	    likely(slot_plain(file, fbuffer->len, true, fbuffer->scratch, &slot))) {
		fbuffer->entry = fbuffer->scratch;
		tt = run_triggers(fbuffer, file, false, slot.sub, slot.tail);
		if (!ring_buffer_slot_commit_short(&slot))
			ring_buffer_slot_finish(slot.ring, slot.sub, slot.tail);
	} else {
		tt = triggers_special(fbuffer, file, slot.ring);
		if (fbuffer->ring)
			publish_special(fbuffer, 3);
	}
	if (unlikely(tt))
		event_triggers_post_call(file, tt);
}

/* Those of one that is on, whose record is in its slot. */
static __always_inline void triggers_in_slot(struct trace_event_buffer *fbuffer)
{
	struct trace_event_file *file = fbuffer->trace_file;
	struct ring_buffer_slot slot __uninitialized;
	enum event_trigger_type tt;

	fbuffer->regs = NULL;
	fbuffer->entry = fbuffer->slot.data;
	tt = run_triggers(fbuffer, file, true, fbuffer->slot.sub, fbuffer->slot.tail);
	slot.ring = fbuffer->ring;
	slot.sub = fbuffer->slot.sub;
	slot.tail = fbuffer->slot.tail;
	if (unlikely(!ring_buffer_slot_commit_short(&slot)))
		ring_buffer_slot_finish(slot.ring, slot.sub, slot.tail);
	if (unlikely(tt))
		event_triggers_post_call(file, tt);
}

static bool is_off(const struct trace_event_buffer *fbuffer)
{
	return READ_ONCE(fbuffer->trace_file->flags) & EVENT_FILE_FL_SOFT_DISABLED;
}

/* A record that triggers want to see, and nobody else. */
static __always_inline void commit_triggers(struct trace_event_buffer *fbuffer)
{
	if (fbuffer->ring)
		triggers_in_slot(fbuffer);
	else if (is_off(fbuffer))
		triggers_alone(fbuffer);
	else
		triggers_and_record(fbuffer);
}

/* The same in several functions: of an event that is off there is less to keep. */
static noinline void commit_triggers_off(struct trace_event_buffer *fbuffer)
{
	triggers_alone(fbuffer);
	barrier();	/* as in commit_rest() */
}

static noinline void commit_triggers_on(struct trace_event_buffer *fbuffer)
{
	triggers_and_record(fbuffer);
	barrier();	/* as in commit_rest() */
}

static noinline void commit_triggers_in_slot(struct trace_event_buffer *fbuffer)
{
	triggers_in_slot(fbuffer);
	barrier();	/* as in commit_rest() */
}

/* Who comes here jumps: as to commit_shared_in_slot(). */
static noinline void commit_triggers_apart(struct trace_event_buffer *fbuffer)
{
	if (fbuffer->ring)
		commit_triggers_in_slot(fbuffer);
	else if (is_off(fbuffer))
		commit_triggers_off(fbuffer);
	else
		commit_triggers_on(fbuffer);
	barrier();	/* no jump: the callers are counted */
}

/*
 * To one of several files, what is at @from with its header. @ring is where the short way has got
 * to, which found that there is nothing to ask, or NULL.
 */
static __always_inline void commit_to_file(struct trace_event_buffer *fbuffer,
					   struct trace_event_file *file, void *from,
					   unsigned long len, struct rb_ring *ring)
{
	enum event_trigger_type tt = ETT_NONE;
	unsigned long flags = 0;
	bool keep, header = true;

	fbuffer->trace_file = file;
	fbuffer->entry = from;
	fbuffer->ring = NULL;
	if (ring) {
		/* It was taken out, without memory, since it was asked for a slot. */
		if (unlikely(file == &event_file_gone)) {
			ring_buffer_slot_leave(ring);
			return;
		}
		keep = slot_rest(fbuffer, len, ring);
	} else {
		if (trace_trigger_soft_disabled(file))
			return;
		flags = READ_ONCE(file->flags);
		keep = wanted(fbuffer, flags, &header) && slot_special(fbuffer, len);
	}
	if (keep)
		copy_rest(fbuffer, from, len, true);
	if (flags & EVENT_FILE_FL_TRIGGER_COND)
		tt = run_triggers(fbuffer, file, true, keep ? fbuffer->slot.sub : NULL,
				  fbuffer->slot.tail);
	if (keep)
		publish_special(fbuffer, SHARED_FRAMES);
	if (tt)
		event_triggers_post_call(file, tt);
}

/* The file last in whose slot the record for all of them is. */
static __always_inline void commit_to_home(struct trace_event_buffer *fbuffer)
{
	if (!trace_trigger_soft_disabled(fbuffer->trace_file)) {
		commit_special(fbuffer, SHARED_FRAMES);
	} else {
		fbuffer->slot.ring = fbuffer->ring;
		ring_buffer_slot_discard(&fbuffer->slot);
	}
}

/*
 * All of commit_shared_plain() that it has not done: from @at on. @sub is set if the record for the
 * file there is committed.
 */
static __always_inline void commit_shared(struct trace_event_buffer *fbuffer, struct rb_ring *ring,
					  struct rb_sub *sub, u64 tail,
					  struct trace_event_file *const *at)
{
	struct trace_event_file *home = NULL, *file;
	unsigned long len = fbuffer->len;
	struct ring_buffer_slot slot;
	void *from = fbuffer->entry;

	fbuffer->regs = NULL;
	if (sub) {
		ring_buffer_slot_finish(ring, sub, tail);
		ring = NULL;
		at++;
	}
	if (len > TRACE_EVENT_SCRATCH)
		tracing_generic_entry_update(from, fbuffer->shared->type, tracing_gen_ctx_dec());
	if (fbuffer->ring) {
		home = fbuffer->trace_file;
		slot = fbuffer->slot;
		slot.ring = fbuffer->ring;
	}
	for (; (file = READ_ONCE(*at)); at++, ring = NULL)
		if (file != home)
			commit_to_file(fbuffer, file, from, len, ring);
	if (home) {
		fbuffer->trace_file = home;
		fbuffer->entry = from;
		fbuffer->slot = slot;
		fbuffer->ring = slot.ring;
		commit_to_home(fbuffer);
	} else if (len > TRACE_EVENT_SCRATCH) {
		barrier();	/* nobody reads it any more */
		WRITE_ONCE(container_of((u64 *)from, struct event_scratch, data[0])->length, 0);
	}
}

/*
 * A record that is not long, for each of the files that plainly want it, with one time and one
 * context. A file in whose buffer something was recorded since the clock was read, by what has
 * interrupted us, gets a later time, by commit_shared(). So does all that is not plain.
 *
 * It is in the slot of the first file, with @in_slot, or in @scratch, and its time is in @now. Of
 * what is in the slot it is in @scratch; that, and all else that is read for a file, is read where
 * it is needed: there is mostly one more, and x86_64 has registers for that.
 *
 * Return: NULL, or the first file that is left for commit_shared(), with @slot as that wants it.
 */
static __always_inline struct trace_event_file *const *
commit_shared_plain(struct trace_event_buffer *fbuffer, struct trace_event_file *const *at,
		    const u64 *now, bool in_slot, struct ring_buffer_slot *slot)
{
	unsigned long flags, len = fbuffer->len;
	struct trace_event_file *file;
	struct rb_sub *none = NULL;

	for (; (file = READ_ONCE(*at)); at++) {
		if (in_slot) {
			barrier();
			len = fbuffer->len;
			now = fbuffer->scratch;
			if (!now)
				__builtin_unreachable();
		}
		if (len > TRACE_EVENT_SCRATCH)
			__builtin_unreachable();
		if (file_flags(file, EVENT_FILE_FL_SPECIAL, &flags)) {
			slot->ring = NULL;
			if (flags != EVENT_FILE_FL_PID_FILTER)
				goto rest;
			if (*trace_cpu_ptr(file->ignored))
				continue;
		}
		if (unlikely(!ring_buffer_slot_try(file->cpus, len,
						   ring_buffer_context(__tracing_preempt()),
						   now, slot)))
			goto rest;
		if (in_slot)
			len = fbuffer->len;
		if (len > TRACE_EVENT_SCRATCH)
			__builtin_unreachable();
		copy_record(slot->data, in_slot ? fbuffer->entry : fbuffer->scratch, len, in_slot);
		if (unlikely(!ring_buffer_slot_commit_short(slot)))
			return at;
	}
	return NULL;
rest:
	/* made here: a register for it in the loop would be one too many, and make a stack frame */
	OPTIMIZER_HIDE_VAR(none);
	slot->sub = none;
	slot->tail = 0;
	return at;
}

/* What is rare in trace_event_buffer_commit(). @sub is set if the record is committed. */
static noinline void commit_rest(struct trace_event_buffer *fbuffer, struct rb_ring *ring,
				 struct rb_sub *sub, u64 tail)
{
	if (sub)
		ring_buffer_slot_finish(ring, sub, tail);
	else if (fbuffer->filter)
		commit_filtered_slow(fbuffer, ring);
	else if (!WAYS_APART && !fbuffer->entry)
		commit_triggers(fbuffer);	/* else commit_triggers_apart() has been there */
	else
		commit_special(fbuffer, 3);
	barrier();	/* no jump: a trigger counts the frames of the stack that it records */
}

VISIBLE_IF_KUNIT noinline void
event_commit_shared_rest(struct trace_event_buffer *fbuffer, struct rb_ring *ring,
			 struct rb_sub *sub, u64 tail, struct trace_event_file *const *at)
{
	commit_shared(fbuffer, ring, sub, tail, at);
	barrier();	/* as in commit_rest() */
}

/* It is in the slot of the first file, which is the last that is published. */
static noinline void commit_shared_in_slot(struct trace_event_buffer *fbuffer)
{
	struct ring_buffer_slot slot __uninitialized;
	struct trace_event_file *const *at;

	/* Nothing else is in @scratch. */
	fbuffer->scratch[0] = ring_buffer_time_of(fbuffer->slot.sub, fbuffer->slot.tail);
	at = commit_shared_plain(fbuffer, &fbuffer->shared->file[1], NULL, true, &slot);
	if (unlikely(at)) {
		event_commit_shared_rest(fbuffer, slot.ring, slot.sub, slot.tail, at);
		barrier();	/* no jump: the callers are counted */
		return;
	}
	slot.ring = fbuffer->ring;
	slot.sub = fbuffer->slot.sub;
	slot.tail = fbuffer->slot.tail;
	if (unlikely(!ring_buffer_slot_commit_short(&slot)))
		ring_buffer_slot_finish(slot.ring, slot.sub, slot.tail);
}

/* It is in @scratch. */
static noinline void commit_shared_scratch(struct trace_event_buffer *fbuffer)
{
	struct trace_event_file *const *at = fbuffer->shared->file;
	struct ring_buffer_slot slot __uninitialized;
	struct task_struct *self = current;
	unsigned long irqflags;
	unsigned int ctx;
	u64 now;

	local_save_flags(irqflags);
	ctx = __tracing_ctx_of(self, probe_preempt(__tracing_preempt()),
			       __tracing_irq_flag(irqflags));
	__tracing_entry_update((struct trace_entry *)fbuffer->scratch, fbuffer->shared->type, ctx,
			       self);
	slot.ring = NULL;
	slot.sub = NULL;
	slot.tail = 0;
	if (!event_is_copied() && trace_local_clock_short(&now))
		at = commit_shared_plain(fbuffer, at, &now, false, &slot);
	if (unlikely(at))
		event_commit_shared_rest(fbuffer, slot.ring, slot.sub, slot.tail, at);
	barrier();	/* no jump: the callers are counted */
}

/* It is long. */
static noinline void commit_shared_long(struct trace_event_buffer *fbuffer)
{
	event_commit_shared_rest(fbuffer, NULL, NULL, 0, fbuffer->shared->file);
	barrier();	/* no jump: the callers are counted */
}

/* The record is for several files. Who comes here jumps. */
static __always_inline void commit_shared_apart(struct trace_event_buffer *fbuffer)
{
	if (unlikely(fbuffer->len > TRACE_EVENT_SCRATCH))
		commit_shared_long(fbuffer);
	else if (likely(fbuffer->ring))
		commit_shared_in_slot(fbuffer);
	else
		commit_shared_scratch(fbuffer);
}

/* The end of commit_accepted_apart() where the context is not plain. */
static noinline void commit_head_apart(struct trace_event_file *file, struct rb_ring *ring,
				       struct rb_sub *sub, u64 tail,
				       struct ring_buffer_event *event)
{
	struct ring_buffer_slot slot __uninitialized;

	fill_header(file, ring_buffer_event_data(event), tracing_gen_ctx_dec());
	slot.ring = ring;
	slot.sub = sub;
	slot.tail = tail;
	if (!ring_buffer_slot_commit_short(&slot))
		ring_buffer_slot_finish(ring, sub, tail);
}

static noinline void commit_accepted_apart(struct trace_event_buffer *fbuffer)
{
	struct trace_event_file *file = fbuffer->trace_file;
	struct ring_buffer_slot slot __uninitialized;
	unsigned long preempt, len = fbuffer->len;
	struct task_struct *self;

	if (len > TRACE_EVENT_SCRATCH)
		__builtin_unreachable();
	slot.ring = NULL;
	slot.sub = NULL;
	slot.tail = 0;
	if (event_is_copied())
		goto rest;
	if (unlikely(!slot_take(file, len, true, fbuffer->scratch, __tracing_preempt(), &slot))) {
		slot.sub = NULL;
		slot.tail = 0;
		goto rest;
	}
	self = current;
	preempt = probe_preempt(0);
	if (unlikely(!context_is_plain(self, preempt))) {
		commit_head_apart(file, slot.ring, slot.sub, slot.tail, slot.event);
		return;
	}
	fill_plain_header(file, slot.data, self, preempt);
	if (likely(ring_buffer_slot_commit_short(&slot)))
		return;
rest:
	commit_rest(fbuffer, slot.ring, slot.sub, slot.tail);
	barrier();	/* no jump: the callers are counted */
}

/**
 * trace_event_buffer_commit - publish an event's record
 * @fbuffer: from trace_event_buffer_reserve() or trace_event_buffer_begin()
 *
 * Context: any, preemption off since before the reserve.
 */
void trace_event_buffer_commit(struct trace_event_buffer *fbuffer)
{
	struct ring_buffer_slot slot __uninitialized;
	struct event_filter *filter;
	unsigned long len;
	s32 verdict;

	/* In one load, though the plain case has nothing in @filter. */
	filter = fbuffer->filter;
	slot.ring = fbuffer->slot.ring;
	if (likely(slot.ring)) {
		slot.sub = fbuffer->slot.sub;
		slot.tail = fbuffer->slot.tail;
	} else {
		slot.sub = NULL;
		slot.tail = 0;
		if (unlikely(!filter)) {
			if (fbuffer->shared) {
				struct trace_event_buffer *same = fbuffer;

				/* or the plain case would copy what is in the argument's place */
				OPTIMIZER_HIDE_VAR(same);
				commit_shared_apart(same);
				return;
			}
			if (WAYS_APART && !fbuffer->entry) {
				commit_triggers_apart(fbuffer);
				return;
			}
			goto rest;
		}
		verdict = filter_run_words(filter, fbuffer);
		if (verdict == FILTER_REJECT)
			return;
		if (unlikely(verdict == FILTER_ODD))
			goto rest;
		/* It stays. */
		if (WAYS_APART) {
			commit_accepted_apart(fbuffer);
			return;
		}
		len = fbuffer->len;
		if (len > TRACE_EVENT_SCRATCH)
			__builtin_unreachable();
		if (event_is_copied())
			goto rest;
		if (unlikely(!slot_plain(fbuffer->trace_file, len, true, fbuffer->scratch,
					 &slot)))
			goto rest;
	}
	if (likely(ring_buffer_slot_commit_short(&slot)))
		return;

	/* One call, in one place: so there is no stack frame before it. */
rest:
	commit_rest(fbuffer, slot.ring, slot.sub, slot.tail);
	barrier();	/* no jump: the callers are counted */
}
EXPORT_SYMBOL_GPL(trace_event_buffer_commit);

/**
 * trace_event_commit_texts - what commits the records of events
 * @texts: EVENT_COMMIT_TEXTS of them, filled in
 *
 * A trigger is called from one of them: what lies above it in a stack is tracing's own. The others
 * are those that trace_event_buffer_commit() jumps to; what is not jumped to is empty.
 *
 * Context: any.
 */
void trace_event_commit_texts(struct trace_text *texts)
{
	memset(texts, 0, EVENT_COMMIT_TEXTS * sizeof(*texts));
	trace_text_of(&texts[0], (unsigned long)trace_event_buffer_commit);
	if (!COMMIT_JUMPS)
		return;
	trace_text_of(&texts[1], (unsigned long)commit_shared_in_slot);
	trace_text_of(&texts[2], (unsigned long)commit_shared_scratch);
	trace_text_of(&texts[3], (unsigned long)commit_shared_long);
	if (WAYS_APART)
		trace_text_of(&texts[4], (unsigned long)commit_triggers_apart);
}

/**
 * __trace_event_vstr_len - how long the text of a __vstring() will be
 * @fmt: format
 * @va: its arguments, which are left for the next one to use
 *
 * Context: any.
 * Return: bytes, with the terminating one, at most TRACE_EVENT_STR_MAX.
 */
int __trace_event_vstr_len(const char *fmt, va_list *va)
{
	va_list ap;
	int len;

	va_copy(ap, *va);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	return min(len + 1, TRACE_EVENT_STR_MAX);
}
EXPORT_SYMBOL_GPL(__trace_event_vstr_len);
