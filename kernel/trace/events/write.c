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

#include "../output/output.h"
#include "../record/record.h"
#include "../record/write.h"
#include "../ring_buffer/fast.h"
#include "internal.h"

/* an event's record may not stay in the buffer for one of these */
#define EVENT_FILE_FL_CONDITIONS						\
	(EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_PID_FILTER | \
	 EVENT_FILE_FL_TRIGGER_COND)

/**
 * trace_event_ignore_this_pid - does the instance's pid list leave this task out?
 * @trace_file: the event in the instance
 *
 * Context: any, preemption off. The answer was worked out when the task was
 * switched to, see pid.c.
 */
bool trace_event_ignore_this_pid(struct trace_event_file *trace_file)
{
	return this_cpu_read(trace_file->tr->array_buffer.data->ignore_pid);
}
EXPORT_SYMBOL_GPL(trace_event_ignore_this_pid);

/**
 * event_triggers_call - run what hangs on an event
 * @file: the event in an instance
 * @buffer: buffer of @event, or NULL
 * @rec: the record, NULL before there is one
 * @event: the slot of @rec, or NULL
 *
 * A file whose list of triggers is empty asks for nothing after its commit.
 * Nothing puts a trigger on that list yet.
 *
 * Context: any, preemption off.
 * Return: bits of enum event_trigger_type for event_triggers_post_call().
 */
enum event_trigger_type event_triggers_call(struct trace_event_file *file,
					    struct trace_buffer *buffer, void *rec,
					    struct ring_buffer_event *event)
{
	WARN_ON_ONCE(!list_empty(&file->triggers));
	return ETT_NONE;
}
EXPORT_SYMBOL_GPL(event_triggers_call);

/**
 * event_triggers_post_call - run the triggers that write records of their own
 * @file: the event in an instance
 * @tt: what event_triggers_call() returned
 *
 * Context: any, preemption off, after the commit.
 */
void event_triggers_post_call(struct trace_event_file *file, enum event_trigger_type tt)
{
	WARN_ON_ONCE(tt != ETT_NONE);
}
EXPORT_SYMBOL_GPL(event_triggers_post_call);

/**
 * filter_match_preds - does a record pass a filter?
 * @filter: the filter, NULL: everything passes
 * @rec: the record
 *
 * Nothing in this kernel makes a filter yet.
 *
 * Context: any, preemption off.
 */
int filter_match_preds(struct event_filter *filter, void *rec)
{
	return !WARN_ON_ONCE(filter);
}
EXPORT_SYMBOL_GPL(filter_match_preds);

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
 * Return: the record with its header filled in, or NULL when there is no room or
 * recording is off.
 */
void *trace_event_buffer_reserve(struct trace_event_buffer *fbuffer,
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
EXPORT_SYMBOL_GPL(trace_event_buffer_reserve);

/* What may take a finished record back has to be asked; true when it did. */
static bool event_discarded(struct trace_event_buffer *fbuffer, enum event_trigger_type *tt)
{
	struct trace_event_file *file = fbuffer->trace_file;
	unsigned long flags = READ_ONCE(file->flags);
	bool drop = flags & EVENT_FILE_FL_SOFT_DISABLED;

	if (flags & EVENT_FILE_FL_TRIGGER_COND)
		*tt = event_triggers_call(file, fbuffer->buffer, fbuffer->entry, fbuffer->event);

	if (!drop && (flags & EVENT_FILE_FL_FILTERED))
		drop = !filter_match_preds(rcu_dereference_sched(file->filter), fbuffer->entry);
	if (!drop && (flags & EVENT_FILE_FL_PID_FILTER))
		drop = trace_event_ignore_this_pid(file);

	if (drop)
		ring_buffer_discard_here(fbuffer->ring, fbuffer->event);
	return drop;
}

static __always_inline void event_publish(struct trace_event_buffer *fbuffer)
{
	struct trace_array *tr = fbuffer->trace_file->tr;

	/* After the commit the record may be overwritten at any time. */
	if (static_branch_unlikely(&tracepoint_printk_key))
		output_printk(fbuffer);
	if (static_branch_unlikely(&trace_event_exports_enabled))
		ftrace_exports(fbuffer->event, TRACE_EXPORT_EVENT);

	ring_buffer_commit_here(fbuffer->ring);

	/* The caller and the event's probe say nothing; a lone probe is called directly. */
	if (trace_wants_stacks(tr))
		trace_record_stacks(tr, fbuffer->buffer, fbuffer->trace_ctx, 2, fbuffer->regs);
}

static noinline void event_commit_conditional(struct trace_event_buffer *fbuffer)
{
	enum event_trigger_type tt = ETT_NONE;

	if (!event_discarded(fbuffer, &tt))
		event_publish(fbuffer);
	if (tt)
		event_triggers_post_call(fbuffer->trace_file, tt);
}

/**
 * trace_event_buffer_commit - publish an event's record
 * @fbuffer: from trace_event_buffer_reserve()
 *
 * Context: any, preemption off since before the reserve.
 */
void trace_event_buffer_commit(struct trace_event_buffer *fbuffer)
{
	if (unlikely(fbuffer->trace_file->flags & EVENT_FILE_FL_CONDITIONS))
		event_commit_conditional(fbuffer);
	else
		event_publish(fbuffer);
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
