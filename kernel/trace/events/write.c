// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recording an event: what runs between a tracepoint and the ring buffer.
 *
 * Everything that can be known when an event is switched on is in its file's
 * flags and in the instance by then. So an event that is plainly enabled costs
 * a test of the flags, the context word, a slot, and the commit; all else
 * (soft mode, triggers, filters, pids, the console, exports, stacks) stands
 * behind a flag or a static key and out of line.
 */
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/trace_events.h>
#include <linux/unaligned.h>

#include "../output/output.h"
#include "../record/record.h"
#include "../record/write.h"
#include "../ring_buffer/fast.h"
#include "filter.h"
#include "internal.h"

/*
 * Whether a record is wanted is known only when it is filled in. The rest was decided before, see
 * __trace_trigger_soft_disabled(). Looked at once, when the record begins, which is
 * noted in the buffer's ring.
 */
#define EVENT_FILE_FL_CONDITIONS	(EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_TRIGGER_COND)
#define RING_CONDITIONAL		1UL

/*
 * Where a record is built that may not be wanted: no clock is read and no slot taken for
 * what a filter rejects. There is one for each level that may interrupt another on a CPU; @length
 * is 0 while it is free. What nests gives it back before the interrupted one goes on.
 */
#define SCRATCH_LEVELS	4
#define SCRATCH_MAX	1016

struct event_scratch {
	unsigned long	length;
	u64		data[SCRATCH_MAX / sizeof(u64)];
};

static DEFINE_PER_CPU(struct event_scratch, event_scratch[SCRATCH_LEVELS]);

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

	/* All is decided when the record is there, event_discarded(). */
	if (flags & EVENT_FILE_FL_TRIGGER_COND)
		return false;

	if (flags & EVENT_FILE_FL_TRIGGER_MODE)
		event_triggers_call(file, NULL, NULL, NULL);

	return (flags & EVENT_FILE_FL_SOFT_DISABLED) ||
	       ((flags & EVENT_FILE_FL_PID_FILTER) && trace_event_ignore_this_pid(file));
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

static __always_inline void *reserve_slot(struct trace_event_buffer *fbuffer,
					  struct trace_event_file *trace_file, unsigned long len)
{
	struct trace_buffer *buffer = trace_file->tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct trace_entry *entry;
	struct rb_ring *ring;
	unsigned int ctx;
	void *data;

	event = ring_buffer_reserve_here(buffer, len, &ring, &data);
	if (unlikely(!event))
		return NULL;

	entry = data;
	ctx = tracing_gen_ctx_dec();
	tracing_generic_entry_update(entry, trace_file->event_call->event.type, ctx);

	fbuffer->buffer = buffer;
	fbuffer->ring = ring;
	fbuffer->event = event;
	fbuffer->trace_file = trace_file;
	fbuffer->entry = entry;
	fbuffer->trace_ctx = ctx;
	fbuffer->regs = NULL;
	return entry;
}

static __always_inline void *scratch_begin(struct event_scratch *scratch,
					   struct trace_event_buffer *fbuffer,
					   struct trace_event_file *trace_file, unsigned long len)
{
	WRITE_ONCE(scratch->length, len);
	barrier();	/* what interrupts us sees it taken */
	fbuffer->ring = (void *)RING_CONDITIONAL;
	fbuffer->trace_file = trace_file;
	fbuffer->entry = scratch->data;
	fbuffer->regs = NULL;
	return scratch->data;
}

/* Where the first scratch does not do: the next one that is free, or the slot. */
static noinline void *reserve_deeper(struct trace_event_buffer *fbuffer,
				     struct trace_event_file *trace_file, unsigned long len)
{
	struct event_scratch *scratch = this_cpu_ptr(event_scratch);
	void *entry;

	for (int i = 1; i < SCRATCH_LEVELS && len <= SCRATCH_MAX; i++) {
		if (!(++scratch)->length)
			return scratch_begin(scratch, fbuffer, trace_file, len);
	}
	entry = reserve_slot(fbuffer, trace_file, len);
	if (entry)
		fbuffer->ring = (void *)((unsigned long)fbuffer->ring | RING_CONDITIONAL);
	return entry;
}

static noinline void *reserve_conditional(struct trace_event_buffer *fbuffer,
					  struct trace_event_file *trace_file, unsigned long len)
{
	struct event_scratch *scratch = this_cpu_ptr(event_scratch);

	if (unlikely(scratch->length || len > SCRATCH_MAX))
		return reserve_deeper(fbuffer, trace_file, len);
	return scratch_begin(scratch, fbuffer, trace_file, len);
}

/**
 * trace_event_buffer_reserve - begin an event's record
 * @fbuffer: on the probe's stack; keeps what trace_event_buffer_commit() needs
 * @trace_file: the event in an instance
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
	if (unlikely(READ_ONCE(trace_file->flags) & EVENT_FILE_FL_CONDITIONS))
		return reserve_conditional(fbuffer, trace_file, len);
	return reserve_slot(fbuffer, trace_file, len);
}
EXPORT_SYMBOL_GPL(trace_event_buffer_reserve);

/* @skip: how many callers of this say nothing in a stack: the event's probe, and those before it */
static __always_inline void event_publish(struct trace_event_buffer *fbuffer,
					  struct rb_ring *ring, int skip)
{
	struct trace_array *tr = fbuffer->trace_file->tr;

	/* After the commit the record may be overwritten at any time. */
	if (static_branch_unlikely(&tracepoint_printk_key))
		output_printk(fbuffer);
	if (static_branch_unlikely(&trace_event_exports_enabled))
		ftrace_exports(fbuffer->event, TRACE_EXPORT_EVENT);

	ring_buffer_commit_here(ring);

	/* A lone probe is called directly. */
	if (trace_wants_stacks(tr))
		trace_record_stacks(tr, fbuffer->buffer, fbuffer->trace_ctx, skip, fbuffer->regs);
}

/* Runs the triggers that need a record; is it to be kept? */
static bool wanted(struct trace_event_buffer *fbuffer, unsigned long flags,
		   enum event_trigger_type *tt)
{
	struct trace_event_file *file = fbuffer->trace_file;

	if (flags & EVENT_FILE_FL_TRIGGER_COND) {
		*tt = event_triggers_call(file, file->tr->array_buffer.buffer, fbuffer->entry,
					  fbuffer->event);
		/* put off until now, see __trace_trigger_soft_disabled() */
		if ((flags & EVENT_FILE_FL_SOFT_DISABLED) ||
		    ((flags & EVENT_FILE_FL_PID_FILTER) && trace_event_ignore_this_pid(file)))
			return false;
	}
	return !(flags & EVENT_FILE_FL_FILTERED) ||
	       filter_match_preds(rcu_dereference_sched(file->filter), fbuffer->entry);
}

static void fill_header(struct trace_event_buffer *fbuffer)
{
	tracing_generic_entry_update(fbuffer->entry, fbuffer->trace_file->event_call->event.type,
				     tracing_gen_ctx_dec());
}

/* From the scratch into a slot; both begin at a multiple of 4, and have room up to one. */
static __always_inline bool scratch_to_slot(struct trace_event_buffer *fbuffer,
					    struct event_scratch *scratch)
{
	unsigned long len = scratch->length, at = sizeof(struct trace_entry);
	struct pt_regs *regs = fbuffer->regs;
	void *to = reserve_slot(fbuffer, fbuffer->trace_file, len);

	if (!to)
		return false;
	fbuffer->regs = regs;
	for (; at + 8 <= len; at += 8)
		put_unaligned(*(u64 *)((void *)scratch->data + at), (u64 *)(to + at));
	for (; at < len; at += 4)
		*(u32 *)(to + at) = *(u32 *)((void *)scratch->data + at);
	return true;
}

/* The record, and what fired because of it, is not read any more. */
static __always_inline void scratch_free(struct event_scratch *scratch)
{
	barrier();
	WRITE_ONCE(scratch->length, 0);
}

static struct event_scratch *scratch_of(struct trace_event_buffer *fbuffer)
{
	return container_of((u64 *)fbuffer->entry, struct event_scratch, data[0]);
}

/* A file with triggers that want the record, or a record that is in its slot. */
static noinline void commit_conditional_slow(struct trace_event_buffer *fbuffer)
{
	struct rb_ring *ring = (void *)((unsigned long)fbuffer->ring & ~RING_CONDITIONAL);
	struct trace_event_file *file = fbuffer->trace_file;
	unsigned long flags = READ_ONCE(file->flags);
	enum event_trigger_type tt = ETT_NONE;
	bool drop;

	fbuffer->ring = ring;
	if (!ring) {
		fbuffer->event = NULL;
		fill_header(fbuffer);
	}
	drop = !wanted(fbuffer, flags, &tt);
	if (!ring) {
		struct event_scratch *scratch = scratch_of(fbuffer);

		if (!drop)
			drop = !scratch_to_slot(fbuffer, scratch);
		scratch_free(scratch);
	} else if (drop) {
		ring_buffer_discard_here(ring, fbuffer->event);
	}

	if (!drop)
		event_publish(fbuffer, fbuffer->ring, 3);
	if (tt)
		event_triggers_post_call(file, tt);
	barrier();	/* no jump: a trigger counts the frames of the stack that it records */
}

/* The filter took what is in the scratch. */
static noinline void commit_accepted(struct trace_event_buffer *fbuffer)
{
	struct event_scratch *scratch = scratch_of(fbuffer);
	bool there = scratch_to_slot(fbuffer, scratch);

	scratch_free(scratch);
	if (there)
		event_publish(fbuffer, fbuffer->ring, 3);
}

/* Nearly always there is just a filter, of simple tests, and the record is in the scratch. */
static __always_inline void commit_conditional(struct trace_event_buffer *fbuffer)
{
	struct trace_event_file *file = fbuffer->trace_file;
	struct event_filter *filter = rcu_dereference_sched(file->filter);

	if (unlikely((unsigned long)fbuffer->ring != RING_CONDITIONAL ||
		     (READ_ONCE(file->flags) & EVENT_FILE_FL_TRIGGER_COND) ||
		     !filter || !filter->words))
		commit_conditional_slow(fbuffer);
	else if (filter_run_words(filter, fbuffer->entry))
		commit_accepted(fbuffer);
	else
		scratch_free(scratch_of(fbuffer));
	barrier();	/* no jump: the callers are counted */
}

/**
 * trace_event_buffer_commit - publish an event's record
 * @fbuffer: from trace_event_buffer_reserve()
 *
 * Context: any, preemption off since before the reserve.
 */
void trace_event_buffer_commit(struct trace_event_buffer *fbuffer)
{
	struct rb_ring *ring = fbuffer->ring;

	if (unlikely((unsigned long)ring & RING_CONDITIONAL))
		commit_conditional(fbuffer);
	else
		event_publish(fbuffer, ring, 2);
}
EXPORT_SYMBOL_GPL(trace_event_buffer_commit);

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
