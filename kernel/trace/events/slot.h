/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What reserve.c and commit.c have in common: the straight way to a slot and its header, as inline
 * code, and where a record may be in between.
 */
#ifndef _KERNEL_TRACE_EVENTS_SLOT_H
#define _KERNEL_TRACE_EVENTS_SLOT_H

#include <linux/jump_label.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/trace_events.h>

#include "../operands.h"
#include "../percpu.h"
#include "../record/record.h"
#include "../ring_buffer/fast.h"
#include "copy.h"
#include "internal.h"

/* What takes a record off the straight path. */
#define EVENT_FILE_FL_SPECIAL	\
	(EVENT_FILE_FL_DETOUR | EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_TRIGGER_COND | \
	 EVENT_FILE_FL_STACKS)	/* and so EVENT_FILE_FL_SHARED */
#define EVENT_FILE_FL_CONDITIONS	(EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_TRIGGER_COND)

/*
 * Where a record is built that may not be wanted: no clock is read and no slot taken for
 * what a filter rejects. Nearly always that is in the struct trace_event_buffer. Longer
 * records, and those of files with a filter and triggers, are built in one of these; there is one
 * for each level that may interrupt another on a CPU, see "Nested per-CPU memory" in percpu.h.
 * @length is 0 while it is free.
 */
#define SCRATCH_LEVELS	4
#define SCRATCH_MAX	1016

struct event_scratch {
	unsigned long	length;
	u64		data[SCRATCH_MAX / sizeof(u64)];
};

/*
 * What a struct trace_event_buffer says of a record, by what is there:
 *
 * @slot.ring	it is in its slot, wanted, and nobody wants more of it: the plain case
 * @filter	it is in @scratch, @len bytes of it, and all that is asked is this filter
 * @shared	it is for the files that are in @shared, @len bytes of it: in @scratch if that has
 *		room; else at @entry, with @ring in the slot of @trace_file, or an event_scratch
 * not @entry	it is @len bytes, the event has triggers that want it, and nothing else: with @ring
 *		in its slot, else in @scratch: the event is off, or there is no slot to be had
 * @ring	it is in its slot, but not plain: this is what belongs into @slot
 * none		it is in an event_scratch, at @entry
 *
 * The rest, but for the plain case, is what commit_special() wants to know; in the second case
 * only @trace_file.
 */

/* Plainly not: nothing is recorded to @file now, and no trigger of it wants to know. */
static __always_inline bool is_unwanted(const struct trace_event_file *file, unsigned long flags)
{
	if ((flags & EVENT_FILE_FL_PID_FILTER) && *trace_cpu_ptr(file->ignored))
		return true;
	return (flags & (EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_TRIGGER_MODE)) ==
	       EVENT_FILE_FL_SOFT_DISABLED;
}

static inline void fill_header(const struct trace_event_file *file, struct trace_entry *entry,
			       unsigned int trace_ctx)
{
	tracing_generic_entry_update(entry, file->type, trace_ctx);
}

/* reserve.c: a slot for a record that is not plain, and its header */
bool event_slot_special(struct trace_event_buffer *fbuffer, unsigned long len);
bool event_slot_rest(struct trace_event_buffer *fbuffer, unsigned long len, struct rb_ring *ring);

/*
 * x86_64 has few registers that a function may use without saving them, and GCC saves at the
 * beginning those that are needed on any path. So there a path that needs many is a function of its
 * own, to which the others jump: a record, for what a filter rejects; the rare, for a record.
 */
#define SPLIT_FOR_REGISTERS	TRACE_FEW_REGISTERS

/*
 * On riscv64 GCC makes a stack frame at the beginning of a function for its rare paths as well. So
 * there, too, functions jump to others, each of which does one thing.
 */
#define SPLIT_FOR_FRAMES	(SPLIT_FOR_REGISTERS || IS_ENABLED(CONFIG_RISCV))

#ifdef CONFIG_RISCV
/* A plain load: what GCC loads with care it extends, as the load has done. */
static __always_inline int slot_preempt_count(void)
{
	return data_race(current_thread_info()->preempt_count);	/* only this CPU's */
}
#endif

/* __tracing_preempt() in the probe of an event, where preemption is off. */
static __always_inline unsigned long slot_preempt(void)
{
#ifdef CONFIG_RISCV
	return slot_preempt_count();
#else
	return __tracing_preempt();
#endif
}

/* What ring_buffer_context() wants; @preempt is slot_preempt(). */
static __always_inline unsigned int slot_context(unsigned long preempt)
{
#ifdef CONFIG_RISCV
	return slot_preempt_count();	/* the same, but not extended */
#else
	/* As it is in memory. */
	return IS_ENABLED(CONFIG_X86) ? preempt ^ __TRACING_RESCHED : preempt;
#endif
}

/* @copies: the record is at @from by now, but for its header. @preempt: slot_preempt() */
static __always_inline bool slot_take(struct trace_event_file *file, unsigned long len,
				      bool copies, const void *from, unsigned long preempt,
				      struct ring_buffer_slot *slot)
{
	if (unlikely(!ring_buffer_slot_try(file->cpus, len,
					   ring_buffer_context(slot_context(preempt)), NULL, slot)))
		return false;
	if (copies)
		copy_fields(slot->data, from, len);
	return true;
}

/* What __tracing_ctx_of() wants for tracing_gen_ctx_dec(); @preempt is slot_preempt(). */
static __always_inline unsigned long probe_preempt(unsigned long preempt)
{
	if (SPLIT_FOR_REGISTERS)		/* asked again rather than kept */
		return (u32)(slot_preempt() - IS_ENABLED(CONFIG_PREEMPTION));
	return preempt - IS_ENABLED(CONFIG_PREEMPTION);
}

static __always_inline bool slot_plain(struct trace_event_file *file, unsigned long len,
				       bool copies, const void *from,
				       struct ring_buffer_slot *slot)
{
	unsigned long preempt = slot_preempt(), irqflags;
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

/* Somebody wants a copy of each record. */
static __always_inline bool event_is_copied(void)
{
	return static_branch_unlikely(&trace_event_copied);
}

/* The scratch that a record is in which is not in the struct trace_event_buffer. */
static inline struct event_scratch *scratch_of(void *rec)
{
	return container_of((u64 *)rec, struct event_scratch, data[0]);
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

/* Of what local_save_flags() gives, where one bit says that interrupts are on. */
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#define IRQS_ON_BIT	((unsigned long)X86_EFLAGS_IF)
#elif defined(CONFIG_RISCV)
#define IRQS_ON_BIT	SR_IE	/* of the mode that the kernel runs in */
#endif

/* __tracing_irq_flag() at its place in a context word: one bit is moved, where it is one. */
static __always_inline unsigned int irqs_off_bit(unsigned long irqflags)
{
#ifdef IRQS_ON_BIT
	return (~irqflags & IRQS_ON_BIT) *
	       ((TRACE_FLAG_IRQS_OFF << TRACE_CTX_FLAGS_SHIFT) / IRQS_ON_BIT);
#else
	return __tracing_irq_flag(irqflags) << TRACE_CTX_FLAGS_SHIFT;
#endif
}

/* fill_header() with tracing_gen_ctx_dec() where it is; @preempt is from probe_preempt(). */
static __always_inline void fill_plain_header(unsigned int type, struct trace_entry *entry,
					      struct task_struct *self, unsigned long preempt)
{
	unsigned long irqflags;

	local_save_flags(irqflags);
	__tracing_entry_update(entry, type,
			       irqs_off_bit(irqflags) | preempt << TRACE_CTX_DEPTH_SHIFT, self);
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

/* Is any flag of @mask set? Then @flags says which ones. */
static __always_inline bool file_has_flags(struct trace_event_file *file, unsigned long mask,
					   unsigned long *flags)
{
	if (SPLIT_FOR_REGISTERS) {
		if (likely(!(trace_peek(file->flags) & mask)))
			return false;
		/* They may be gone by now: with none the caller goes the rare way. */
		*flags = READ_ONCE(file->flags) & mask;
		trace_forget(*flags);
		return true;
	}
	*flags = READ_ONCE(file->flags) & mask;
	return unlikely(*flags);
}

#endif /* _KERNEL_TRACE_EVENTS_SLOT_H */
