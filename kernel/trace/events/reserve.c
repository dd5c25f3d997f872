// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recording an event: from a tracepoint to a place for its record.
 *
 * Everything that can be known when an event is switched on is in its file's
 * flags by then. So an event that is plainly enabled costs
 * a test of the flags, the context word, a slot, and the commit (commit.c); all else
 * (soft mode, triggers, filters, pids, the console, exports, stacks) stands
 * behind a flag or a static key and out of line. The two functions in between
 * call nothing that they come back from, so that they need no stack frame.
 */
#include <linux/export.h>
#include <linux/trace_events.h>

#include "../record/triggers.h"
#include "slot.h"

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

/**
 * trace_event_ignore_this_pid - does the instance's pid list leave this task out?
 * @trace_file: the event in the instance
 *
 * Context: any, preemption off. The answer was worked out when the task was
 * switched to, see set_event_pid.c.
 * Return: true if it does.
 */
bool trace_event_ignore_this_pid(struct trace_event_file *trace_file)
{
	return raw_cpu_read(*trace_file->ignored);
}
EXPORT_SYMBOL_GPL(trace_event_ignore_this_pid);

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

static void slot_begin(struct trace_event_buffer *fbuffer)
{
	fbuffer->trace_ctx = tracing_gen_ctx_dec();
	fill_header(fbuffer->trace_file, fbuffer->slot.data, fbuffer->trace_ctx);
	fbuffer->entry = fbuffer->slot.data;
	fbuffer->ring = fbuffer->slot.ring;
	fbuffer->slot.ring = NULL;
}

/* A slot for a record that is not plain, and its header. */
bool event_slot_special(struct trace_event_buffer *fbuffer, unsigned long len)
{
	struct trace_array *tr = fbuffer->trace_file->tr;

	if (!ring_buffer_slot_reserve(tr->array_buffer.buffer, len, &fbuffer->slot))
		return false;
	slot_begin(fbuffer);
	return true;
}

/* As that, but the record is not plain only for the way in which its slot was had. */
bool event_slot_rest(struct trace_event_buffer *fbuffer, unsigned long len, struct rb_ring *ring)
{
	struct trace_event_file *file = fbuffer->trace_file;

	fbuffer->slot.ring = ring;
	if (!ring_buffer_slot_rest(file->cpus, len, &fbuffer->slot))
		return false;
	slot_begin(fbuffer);
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

/* A scratch that has room; the long ones are for triggers. NULL: none is free. */
static void *any_scratch_take(struct trace_event_buffer *fbuffer, unsigned long len, bool triggers)
{
	if (likely(len <= SCRATCH_MAX))
		return scratch_take(fbuffer, len, this_cpu_ptr(event_scratch), SCRATCH_LEVELS,
				    sizeof(struct event_scratch));
	return triggers && len <= LONG_SCRATCH_MAX ? long_scratch_take(fbuffer, len) : NULL;
}

/* A file with triggers, stacks, or a long record that may not be wanted; or all is copied. */
static void *reserve_special(struct trace_event_buffer *fbuffer, unsigned long len,
			     unsigned long flags)
{
	void *rec;

	if (!(flags & EVENT_FILE_FL_CONDITIONS))
		return event_slot_special(fbuffer, len) ? fbuffer->entry : NULL;

	rec = any_scratch_take(fbuffer, len, flags & EVENT_FILE_FL_TRIGGER_COND);
	if (likely(rec))
		return rec;
	/* in its slot; what is not wanted is discarded */
	return event_slot_special(fbuffer, len) ? fbuffer->entry : NULL;
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
	void *rec;

	fbuffer->shared = files;
	fbuffer->len = len;
	for (at = files->file; (file = READ_ONCE(*at)); at++)
		triggers |= READ_ONCE(file->flags) & EVENT_FILE_FL_TRIGGER_COND;
	rec = any_scratch_take(fbuffer, len, triggers);
	if (likely(rec))
		return rec;
	for (at = files->file; (file = READ_ONCE(*at)); at++) {
		fbuffer->trace_file = file;
		if (!is_unwanted(file, READ_ONCE(file->flags)) && event_slot_special(fbuffer, len))
			return fbuffer->entry;
	}
	return NULL;
}

/* An event with triggers that want the record, without pids, filters and stacks. */
static __always_inline bool has_triggers_only(unsigned long flags)
{
	return (flags & ~(EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_TRIGGER_MODE)) ==
	       EVENT_FILE_FL_TRIGGER_COND;
}

static noinline void *reserve_for_triggers(struct trace_event_file *file,
					   struct trace_event_buffer *fbuffer, unsigned long len);

/* A short record of an event that is on, for its triggers? */
static bool is_for_triggers(const struct trace_event_file *file, unsigned long len)
{
	unsigned long flags = READ_ONCE(file->flags);

	return has_triggers_only(flags & EVENT_FILE_FL_SPECIAL) && len <= TRACE_EVENT_SCRATCH &&
	       !(flags & EVENT_FILE_FL_SOFT_DISABLED);
}

/* What commit_special() wants to know of any record. */
static void special_begin(struct trace_event_buffer *fbuffer, struct trace_event_file *file)
{
	fbuffer->filter = NULL;
	fbuffer->shared = NULL;
	fbuffer->trace_file = file;
	fbuffer->regs = NULL;
}

/*
 * What is rare in trace_event_buffer_reserve() and trace_event_buffer_begin(). @ring is where the
 * short way has got to, or NULL; then, with @asks, nobody knows whether a record is wanted.
 */
static noinline void *reserve_rest(struct trace_event_file *file,
				   struct trace_event_buffer *fbuffer, unsigned long len,
				   struct rb_ring *ring, bool asks)
{
	special_begin(fbuffer, file);
	if (READ_ONCE(file->flags) & EVENT_FILE_FL_SHARED)
		return reserve_shared(fbuffer, (struct event_files *)file, len);
	if (ring)
		return event_slot_rest(fbuffer, len, ring) ? fbuffer->entry : NULL;
	if (asks && trace_trigger_soft_disabled(file))
		return NULL;
	return reserve_special(fbuffer, len, READ_ONCE(file->flags));
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

/* The header, last of all of a record that has its slot. Return: @data. */
static __always_inline void *plain_head(struct trace_event_file *file, void *data)
{
	struct task_struct *self = current;
	unsigned long preempt = probe_preempt(0);

	if (unlikely(!context_is_plain(self, preempt)))
		return head_apart(file, data);
	fill_plain_header(file->type, data, self, preempt);
	return data;
}

/* A record that is wanted. @asks: the caller is trace_event_buffer_begin(), so @len is short. */
static __always_inline void *reserve_plain(struct trace_event_buffer *fbuffer,
					   struct trace_event_file *file, unsigned long len,
					   bool asks)
{
	struct ring_buffer_slot slot __uninitialized;

	trace_assume(!asks || len <= TRACE_EVENT_SCRATCH);
	fbuffer->len = len;	/* plain_rest() has it from there, so it is in no register */
	slot.ring = NULL;
	if (event_is_copied())
		goto rest;
	if (unlikely(!slot_take(file, len, false, NULL, slot_preempt(), &slot)))
		goto rest;
	keep_slot(fbuffer, slot.ring, slot.sub, slot.tail, slot.data);
	return plain_head(file, slot.data);

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

/*
 * To which of two functions it goes from reserve_event(): two jumps there, with the same arguments,
 * have GCC move these out of the way for every event. With SPLIT_FOR_FRAMES that is the cheaper
 * one.
 */
static noinline void *reserve_other(struct trace_event_file *file,
				    struct trace_event_buffer *fbuffer, unsigned long len,
				    struct rb_ring *ring, bool asks)
{
	if (!ring && is_for_triggers(file, len))
		return reserve_for_triggers(file, fbuffer, len);
	return reserve_rest(file, fbuffer, len, ring, asks);
}

/* A short record that only triggers want: without a slot they see it all the same. */
static __always_inline void *for_triggers_alone(struct trace_event_file *file,
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

/*
 * The end of reserve_for_triggers() without a slot the short way. The buffer is asked once: it
 * counts what it drops.
 */
static noinline void *triggers_rest(struct trace_event_file *file,
				    struct trace_event_buffer *fbuffer, struct rb_ring *ring)
{
	unsigned long len = fbuffer->len;

	special_begin(fbuffer, file);
	if (ring ? event_slot_rest(fbuffer, len, ring) : event_slot_special(fbuffer, len))
		return fbuffer->entry;
	return for_triggers_alone(file, fbuffer, len);
}

/* The record of an event that is on, with triggers that want to see it. */
static noinline void *reserve_for_triggers(struct trace_event_file *file,
					   struct trace_event_buffer *fbuffer, unsigned long len)
{
	struct ring_buffer_slot slot __uninitialized;
	void *rec;

	trace_assume(len <= TRACE_EVENT_SCRATCH);
	fbuffer->len = len;	/* as in reserve_plain() */
	slot.ring = NULL;
	if (event_is_copied())
		goto rest;
	if (unlikely(!(SPLIT_FOR_REGISTERS ?
		       slot_take(file, len, false, NULL, slot_preempt(), &slot) :
		       slot_plain(file, len, false, NULL, &slot))))
		goto rest;
	fbuffer->trace_file = file;
	fbuffer->ring = slot.ring;
	keep_slot(fbuffer, NULL, slot.sub, slot.tail, slot.data);
	fbuffer->filter = NULL;
	fbuffer->slot.data = slot.data;
	fbuffer->shared = NULL;
	fbuffer->entry = NULL;
	return SPLIT_FOR_REGISTERS ? plain_head(file, slot.data) : slot.data;

rest:
	rec = triggers_rest(file, fbuffer, slot.ring);
	trace_call_is_rare();
	return rec;
}

/*
 * A record that is copied from the stack is copied as a whole, also what its event does not fill
 * in: holes, and what is behind the end of a string. What was on the stack before is for nobody to
 * see. Who @asks has it cleared where the compiler sees what is filled in: __TE_CLEAR(). As stores
 * one by one, for GCC makes a call of a loop or memset(), and a stack frame of that for the plain
 * case, too.
 */
static __always_inline void *cleared_scratch(struct trace_event_buffer *fbuffer, bool asks)
{
	u64 *at = fbuffer->scratch;

	if (asks)
		return at;
	BUILD_BUG_ON(sizeof(fbuffer->scratch) != 12 * sizeof(*at));
	at[0] = 0;
	at[1] = 0;
	at[2] = 0;
	at[3] = 0;
	at[4] = 0;
	at[5] = 0;
	at[6] = 0;
	at[7] = 0;
	at[8] = 0;
	at[9] = 0;
	at[10] = 0;
	at[11] = 0;
	return at;
}

/* @mask: of the flags that the caller wants looked at */
static __always_inline void *reserve_event(struct trace_event_buffer *fbuffer,
					   struct trace_event_file *file, unsigned long len,
					   unsigned long mask, bool asks)
{
	struct ring_buffer_slot slot __uninitialized;
	unsigned long flags;
	void *rec;

	trace_assume(!asks || len <= TRACE_EVENT_SCRATCH);	/* spares two looks at it */
	slot.ring = NULL;
	if (file_has_flags(file, mask, &flags)) {
		if (flags == EVENT_FILE_FL_FILTERED) {
			/* It stays as long as preemption is off, whatever becomes of the file's. */
			struct event_filter *filter = rcu_dereference_sched(file->filter);

			if (!asks && unlikely(len > sizeof(fbuffer->scratch)))
				goto rest;
			fbuffer->filter = filter;
			fbuffer->slot.ring = NULL;
			fbuffer->trace_file = file;
			fbuffer->len = len;
			return cleared_scratch(fbuffer, asks);
		}
		if (flags == EVENT_FILE_FL_SHARED && len <= sizeof(fbuffer->scratch)) {
			fbuffer->filter = NULL;
			fbuffer->slot.ring = NULL;
			fbuffer->len = len;
			fbuffer->shared = (struct event_files *)file;
			return cleared_scratch(fbuffer, asks);
		}
		if (has_triggers_only(flags) && len <= sizeof(fbuffer->scratch)) {
			/* @mask need not have this */
			if (READ_ONCE(file->flags) & EVENT_FILE_FL_SOFT_DISABLED)
				return for_triggers_alone(file, fbuffer, len);
			if (SPLIT_FOR_FRAMES)
				return reserve_for_triggers(file, fbuffer, len);
			goto rest;	/* reserve_other() */
		}
		if (!asks || flags != EVENT_FILE_FL_PID_FILTER)
			goto rest;
		if (*trace_cpu_ptr(file->ignored))
			return NULL;
	}
	if (SPLIT_FOR_REGISTERS)
		return asks ? begin_plain_apart(file, fbuffer, len) :
			      reserve_plain_apart(fbuffer, file, len);
	if (event_is_copied())
		goto rest;
	if (unlikely(!slot_plain(file, len, false, NULL, &slot)))
		goto rest;
	return keep_slot(fbuffer, slot.ring, slot.sub, slot.tail, slot.data);

	/* One call, in one place: so there is no stack frame before it. */
rest:
	rec = SPLIT_FOR_FRAMES ? reserve_rest(file, fbuffer, len, slot.ring, asks) :
				 reserve_other(file, fbuffer, len, slot.ring, asks);
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
	if (!SPLIT_FOR_REGISTERS)
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
 * what the first of them says to work out @len, and whose records are not long. The record is not
 * cleared: the caller fills in or clears all of it, and of its last half word. The file is the
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
