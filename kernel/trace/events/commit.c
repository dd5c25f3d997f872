// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recording an event: what becomes of its record when it is filled in. The plain case, a filter
 * that is asked, and a record for several files are straight ways; see reserve.c.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/trace_events.h>

#include "../output/output.h"
#include "../record/triggers.h"
#include "../record/write.h"
#include "../tasks/switch.h"
#include "filter.h"
#include "slot.h"

/*
 * event_triggers_run() for a record that need not have a @header: that costs a fifth of what a hit
 * of a histogram does, and is only for who looks at it. So is the time, which is that of the slot,
 * if it has one, @timed.
 */
static __always_inline enum event_trigger_type
run_triggers(struct trace_event_buffer *fbuffer, struct trace_event_file *file, bool header,
	     bool timed)
{
	u8 missing = (header ? 0 : EVENT_HOOK_HEADER) | EVENT_HOOK_TIME;
	enum event_trigger_type after = ETT_NONE;
	struct event_trigger_hook *hook;
	u64 time = 0;

	list_for_each_entry_rcu(hook, &file->triggers, list) {
		if (hook->reads & missing) {
			if (hook->reads & missing & EVENT_HOOK_HEADER)
				fill_header(file, fbuffer->entry, tracing_gen_ctx_dec());
			if ((hook->reads & EVENT_HOOK_TIME) && timed)
				time = ring_buffer_time_of(fbuffer->slot.sub, fbuffer->slot.tail);
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

/* See event_stacks_init(). A function with arguments that may be constant is not to be cloned. */
static struct trace_text commit_texts[EVENT_COMMIT_TEXTS] __ro_after_init;
static struct trace_text switch_texts[TRACE_SWITCH_FUNCTIONS] __ro_after_init;

/* A recorded stack begins with who called the probe; for sched_switch, tasks/switch.c was. */
const struct trace_stack_top event_stack_top = {
	.texts		= commit_texts,
	.nr		= EVENT_COMMIT_TEXTS,
	.skip		= 1,
	.between	= switch_texts,
	.nr_between	= TRACE_SWITCH_FUNCTIONS,
};

/* Copies, commits, and records the stacks. */
static __always_inline void publish_special(struct trace_event_buffer *fbuffer)
{
	struct trace_array *tr = fbuffer->trace_file->tr;

	/* After the commit the record may be overwritten at any time. */
	if (static_branch_unlikely(&tracepoint_printk_key))
		output_printk(fbuffer);
	if (static_branch_unlikely(&trace_event_exports_enabled))
		ftrace_exports(fbuffer->slot.event, TRACE_EXPORT_EVENT);

	fbuffer->slot.ring = fbuffer->ring;
	ring_buffer_slot_commit(&fbuffer->slot);

	if (trace_wants_stacks(tr)) {
		trace_record_stacks(tr, tr->array_buffer.buffer, fbuffer->trace_ctx,
				    &event_stack_top, fbuffer->regs);
		barrier();	/* no jump: the stack has to have one of commit_texts in it */
	}
}

/* The triggers that write records of their own. */
static __always_inline void run_after(struct trace_event_file *file, enum event_trigger_type tt)
{
	event_triggers_post_call(file, tt);
	barrier();	/* as in publish_special(), for the stack that a trigger takes */
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
static __always_inline void commit_special(struct trace_event_buffer *fbuffer)
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
		struct event_scratch *scratch = scratch_of(from);

		/* A trigger that switches recording off because of the record leaves it there. */
		if (!drop && event_slot_special(fbuffer, scratch->length)) {
			copy_rest(fbuffer, from, scratch->length, header);
			header = true;
		} else {
			drop = true;
		}
		if (flags & EVENT_FILE_FL_TRIGGER_COND)
			tt = run_triggers(fbuffer, file, header, !drop);
		barrier();	/* nobody reads it any more */
		WRITE_ONCE(scratch->length, 0);
	}

	if (!drop)
		publish_special(fbuffer);
	if (tt)
		run_after(file, tt);
}

/*
 * The filter took what is in @fbuffer, and there was no slot the short way, which has got as far as
 * to @ring. Or @ring is NULL: then the filter is asked here, which may have tests that are not of
 * words.
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
	if (!(ring ? event_slot_rest(fbuffer, len, ring) : event_slot_special(fbuffer, len)))
		return;
	fbuffer->regs = NULL;
	copy_rest(fbuffer, fbuffer->scratch, len, header);
	publish_special(fbuffer);
}

/* The triggers of an event that is off, or has got no slot. */
static __always_inline void triggers_alone(struct trace_event_buffer *fbuffer)
{
	struct trace_event_file *file = fbuffer->trace_file;
	enum event_trigger_type tt;

	fbuffer->entry = fbuffer->scratch;
	tt = run_triggers(fbuffer, file, false, false);
	if (unlikely(tt))
		run_after(file, tt);
}

/*
 * Those of one that is on. As in commit_special() the record has its slot before they run: one that
 * switches recording off because of it leaves it there.
 */
static __always_inline void triggers_in_slot(struct trace_event_buffer *fbuffer)
{
	struct trace_event_file *file = fbuffer->trace_file;
	struct ring_buffer_slot slot __uninitialized;
	enum event_trigger_type tt;

	fbuffer->entry = fbuffer->slot.data;
	tt = run_triggers(fbuffer, file, true, true);
	slot.ring = fbuffer->ring;
	slot.sub = fbuffer->slot.sub;
	slot.tail = fbuffer->slot.tail;
	if (unlikely(!ring_buffer_slot_commit_short(&slot)))
		ring_buffer_slot_finish(slot.ring, slot.sub, slot.tail);
	if (unlikely(tt))
		run_after(file, tt);
}

/* A record that triggers want to see, and nobody else. */
static __always_inline void commit_triggers(struct trace_event_buffer *fbuffer)
{
	if (fbuffer->ring)
		triggers_in_slot(fbuffer);
	else
		triggers_alone(fbuffer);
}

/* The same in two functions: without a slot there is less to keep. */
static noinline void commit_triggers_off(struct trace_event_buffer *fbuffer)
{
	triggers_alone(fbuffer);
}

static noinline void commit_triggers_in_slot(struct trace_event_buffer *fbuffer)
{
	triggers_in_slot(fbuffer);
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
		keep = event_slot_rest(fbuffer, len, ring);
	} else {
		if (trace_trigger_soft_disabled(file))
			return;
		flags = READ_ONCE(file->flags);
		keep = wanted(fbuffer, flags, &header) && event_slot_special(fbuffer, len);
	}
	if (keep)
		copy_rest(fbuffer, from, len, true);
	if (flags & EVENT_FILE_FL_TRIGGER_COND)
		tt = run_triggers(fbuffer, file, true, keep);
	if (keep)
		publish_special(fbuffer);
	if (tt)
		run_after(file, tt);
}

/* The file last in whose slot the record for all of them is. */
static __always_inline void commit_to_home(struct trace_event_buffer *fbuffer)
{
	if (!trace_trigger_soft_disabled(fbuffer->trace_file)) {
		commit_special(fbuffer);
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
	bool is_long = len > TRACE_EVENT_SCRATCH;
	void *from = is_long ? fbuffer->entry : fbuffer->scratch;
	struct ring_buffer_slot slot;

	fbuffer->regs = NULL;
	if (sub) {
		ring_buffer_slot_finish(ring, sub, tail);
		ring = NULL;
		at++;
	}
	if (is_long)
		tracing_generic_entry_update(from, fbuffer->shared->type, tracing_gen_ctx_dec());
	if (is_long && fbuffer->ring) {
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
	} else if (is_long) {
		barrier();	/* nobody reads it any more */
		WRITE_ONCE(scratch_of(from)->length, 0);
	}
}

/*
 * With SPLIT_FOR_FRAMES header and files of a shared record are two functions. With
 * SPLIT_FOR_REGISTERS what is needed for each file is read again rather than kept.
 */
#if SPLIT_FOR_FRAMES
#define __commit_head	__always_inline
#else
#define __commit_head	noinline
#endif

/* With SPLIT_FOR_REGISTERS: in memory where nothing else is, the slot of a record on the stack. */
static __always_inline struct ring_buffer_same *same_of(struct trace_event_buffer *fbuffer)
{
	static_assert(sizeof(struct ring_buffer_same) <= sizeof(fbuffer->slot));
	return (struct ring_buffer_same *)&fbuffer->slot;
}

/*
 * The record in @scratch, for each of the files that plainly want it, with one time and one
 * context. A file in whose buffer something was recorded since the clock was read, by what has
 * interrupted us, gets a later time, by commit_shared(). So does all that is not plain.
 *
 * Return: NULL, or the first file that is left for commit_shared(), with @slot as that wants it.
 */
static __always_inline struct trace_event_file *const *
commit_shared_plain(struct trace_event_buffer *fbuffer, unsigned long preempt,
		    struct ring_buffer_slot *slot)
{
	struct trace_event_file *const *at = fbuffer->shared->file, *file;
	unsigned long flags, len = fbuffer->len;
	struct ring_buffer_same in_registers __uninitialized, *same = &in_registers;
	struct rb_sub *none = NULL;
	u64 now;

	if (SPLIT_FOR_REGISTERS)
		same = same_of(fbuffer);
	slot->ring = NULL;
	trace_assume(len <= TRACE_EVENT_SCRATCH && same);
	if (event_is_copied())
		goto rest;
	if (!SPLIT_FOR_REGISTERS) {
		if (!trace_local_clock_short(&now))
			goto rest;
		ring_buffer_same_begin(same, now, len);
	}
	copy_record_begin(fbuffer->scratch, len);

	file = READ_ONCE(*at);	/* a list is never empty */
	do {
		if (SPLIT_FOR_REGISTERS) {
			barrier();
			preempt = slot_preempt();
		}
		if (file_has_flags(file, EVENT_FILE_FL_SPECIAL, &flags)) {
			slot->ring = NULL;
			if (flags != EVENT_FILE_FL_PID_FILTER)
				goto rest;
			if (*(TRACE_CPU_OFFSET_KEPT ?
			      trace_cpu_ptr_at(file->ignored, same->cpu) :
			      trace_cpu_ptr(file->ignored)))
				continue;
		}
		if (unlikely(!ring_buffer_slot_same(file->cpus,
						    ring_buffer_context(slot_context(preempt)),
						    same, slot)))
			goto rest;
		if (SPLIT_FOR_REGISTERS)
			len = fbuffer->len;
		trace_assume(len <= TRACE_EVENT_SCRATCH);
		if (IS_ENABLED(CONFIG_HAVE_64BIT_ALIGNED_ACCESS))
			copy_record_words(slot->data, fbuffer->scratch,
					  ring_buffer_same_end(same, slot));
		else
			copy_record(slot->data, fbuffer->scratch, len);
		if (unlikely(!ring_buffer_slot_commit_short(slot)))
			return at;
	} while ((file = READ_ONCE(*++at)));
	return NULL;
rest:
	/* made here: a register for it in the loop would be one too many, and make a stack frame */
	OPTIMIZER_HIDE_VAR(none);
	slot->sub = none;
	slot->tail = 0;
	return at;
}

/* What is rare in trace_event_buffer_commit(). @sub is set if the record is committed. */
static noinline __noclone void commit_rest(struct trace_event_buffer *fbuffer,
					   struct rb_ring *ring, struct rb_sub *sub, u64 tail)
{
	if (sub)
		ring_buffer_slot_finish(ring, sub, tail);
	else if (fbuffer->filter)
		commit_filtered_slow(fbuffer, ring);
	else if (!SPLIT_FOR_FRAMES && !fbuffer->entry)
		commit_triggers(fbuffer);	/* else trace_event_buffer_commit() did */
	else
		commit_special(fbuffer);
}

VISIBLE_IF_KUNIT noinline __noclone void
event_commit_shared_rest(struct trace_event_buffer *fbuffer, struct rb_ring *ring,
			 struct rb_sub *sub, u64 tail, struct trace_event_file *const *at)
{
	commit_shared(fbuffer, ring, sub, tail, at);
}

/* The record is in @scratch, with its header. */
static __always_inline void commit_to_files(struct trace_event_buffer *fbuffer,
					    unsigned long preempt)
{
	struct ring_buffer_slot slot __uninitialized;
	struct trace_event_file *const *at;

	at = commit_shared_plain(fbuffer, preempt, &slot);
	if (likely(!at))
		return;
	event_commit_shared_rest(fbuffer, slot.ring, slot.sub, slot.tail, at);
	trace_call_is_rare();
}

/* With SPLIT_FOR_FRAMES. */
static noinline void commit_shared_files(struct trace_event_buffer *fbuffer)
{
	commit_to_files(fbuffer, slot_preempt());
}

/* With SPLIT_FOR_REGISTERS, where reading the clock may take a call. */
static noinline void commit_shared_clock_apart(struct trace_event_buffer *fbuffer)
{
	ring_buffer_same_begin(same_of(fbuffer), trace_local_clock(), fbuffer->len);
	commit_shared_files(fbuffer);
}

/* It is long, and somewhere else. */
static noinline void commit_shared_long(struct trace_event_buffer *fbuffer)
{
	event_commit_shared_rest(fbuffer, NULL, NULL, 0, fbuffer->shared->file);
}

/* The end of commit_shared_apart() where the context is not plain. */
static noinline void commit_shared_head_apart(struct trace_event_buffer *fbuffer)
{
	tracing_generic_entry_update((struct trace_entry *)fbuffer->scratch, fbuffer->shared->type,
				     tracing_gen_ctx_dec());
	if (SPLIT_FOR_REGISTERS)
		commit_shared_clock_apart(fbuffer);
	else
		commit_shared_files(fbuffer);
}

/* The record is for several files. Who comes here jumps, and what this does are jumps. */
static __commit_head void commit_shared_apart(struct trace_event_buffer *fbuffer)
{
	struct trace_entry *entry = (struct trace_entry *)fbuffer->scratch;
	unsigned long preempt = slot_preempt(), irqflags;
	unsigned int type = fbuffer->shared->type, ctx;
	struct task_struct *self = current;
	u64 now;

	if (unlikely(fbuffer->len > TRACE_EVENT_SCRATCH)) {
		commit_shared_long(fbuffer);
		return;
	}
	if (!SPLIT_FOR_FRAMES) {
		local_save_flags(irqflags);
		ctx = __tracing_ctx_of(self, probe_preempt(preempt),
				       __tracing_irq_flag(irqflags));
		__tracing_entry_update(entry, type, ctx, self);
		commit_to_files(fbuffer, preempt);
		return;
	}
	preempt = probe_preempt(preempt);
	if (unlikely(!context_is_plain(self, preempt))) {
		commit_shared_head_apart(fbuffer);
		return;
	}
	fill_plain_header(type, entry, self, preempt);
	if (SPLIT_FOR_REGISTERS) {
		if (unlikely(!trace_local_clock_in_place(&now))) {
			commit_shared_clock_apart(fbuffer);
			return;
		}
		ring_buffer_same_begin(same_of(fbuffer), now, fbuffer->len);
	}
	commit_shared_files(fbuffer);
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

	trace_assume(len <= TRACE_EVENT_SCRATCH);
	slot.ring = NULL;
	slot.sub = NULL;
	slot.tail = 0;
	if (event_is_copied())
		goto rest;
	if (unlikely(!slot_take(file, len, true, fbuffer->scratch, slot_preempt(), &slot))) {
		slot.sub = NULL;
		slot.tail = 0;
		goto rest;
	}
	self = current;
	preempt = probe_preempt(SPLIT_FOR_REGISTERS ? 0 : slot_preempt());
	if (unlikely(!context_is_plain(self, preempt))) {
		commit_head_apart(file, slot.ring, slot.sub, slot.tail, slot.event);
		return;
	}
	fill_plain_header(file->type, slot.data, self, preempt);
	if (likely(ring_buffer_slot_commit_short(&slot)))
		return;
rest:
	commit_rest(fbuffer, slot.ring, slot.sub, slot.tail);
	trace_call_is_rare();
}

/*
 * By what @fbuffer has of the record, see slot.h:
 *
 * @slot.ring	it is committed here
 * @filter	the program is run here; what it takes gets its slot here as well, or, with
 *		SPLIT_FOR_FRAMES, in commit_accepted_apart()
 * @shared	commit_shared_apart()
 * not @entry	with SPLIT_FOR_FRAMES commit_triggers_in_slot() and commit_triggers_off()
 *
 * All else, and what is rare in these cases, is for commit_rest(). The order of the branches, and
 * what is a jump, is such that GCC makes no stack frame.
 */

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
			if (SPLIT_FOR_FRAMES && !fbuffer->entry) {
				/* jumps, as in commit_shared_apart() */
				if (fbuffer->ring)
					commit_triggers_in_slot(fbuffer);
				else
					commit_triggers_off(fbuffer);
				return;
			}
			goto rest;
		}
		verdict = filter_run_words(filter, fbuffer);
		if (verdict == FILTER_REJECT)
			return;
		if (unlikely(verdict == FILTER_GENERAL))
			goto rest;
		/* It stays. */
		if (SPLIT_FOR_FRAMES) {
			commit_accepted_apart(fbuffer);
			return;
		}
		len = fbuffer->len;
		trace_assume(len <= TRACE_EVENT_SCRATCH);
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
	trace_call_is_rare();
}
EXPORT_SYMBOL_GPL(trace_event_buffer_commit);

/**
 * event_stacks_init - find out where stacks are to begin
 *
 * Who records a stack, or runs a trigger, was called from one of these functions, and that perhaps
 * from another: what is a jump, and leaves no frame, is up to the compiler.
 *
 * Context: boot, before the first event.
 */
void __init event_stacks_init(void)
{
	void *const functions[EVENT_COMMIT_TEXTS] = {
		trace_event_buffer_commit, commit_rest,
		event_commit_shared_rest, commit_shared_long,
		SPLIT_FOR_FRAMES ? commit_shared_files : commit_shared_apart,
		SPLIT_FOR_FRAMES ? commit_shared_head_apart : NULL,
		SPLIT_FOR_REGISTERS ? commit_shared_clock_apart : NULL,
		SPLIT_FOR_FRAMES ? commit_accepted_apart : NULL,
		SPLIT_FOR_FRAMES ? commit_triggers_in_slot : NULL,
		SPLIT_FOR_FRAMES ? commit_triggers_off : NULL,
	};
	void *switches[TRACE_SWITCH_FUNCTIONS];

	for (int i = 0; i < EVENT_COMMIT_TEXTS; i++)
		if (functions[i])
			trace_text_of(&commit_texts[i], (unsigned long)functions[i]);

	trace_switch_functions(switches);
	for (int i = 0; i < TRACE_SWITCH_FUNCTIONS; i++)
		trace_text_of(&switch_texts[i], (unsigned long)switches[i]);
}
