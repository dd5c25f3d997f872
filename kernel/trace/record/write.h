/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing an entry with the common header into an instance's buffer, for
 * what is not a trace event: markers, stacks, what of trace_printk() and of tracers
 * need not be quick. Any context. Events have their own path (events/reserve.c, commit.c).
 * trace_buffer_lock_reserve() and what goes with it are for those who carry no slot, as blktrace.
 */
#ifndef _KERNEL_TRACE_WRITE_H
#define _KERNEL_TRACE_WRITE_H

#include <linux/cpumask.h>
#include <linux/ring_buffer.h>
#include <linux/smp.h>
#include <linux/trace_events.h>

#include "../instance/instance.h"

struct pt_regs;
struct trace_array;

struct ring_buffer_event *
trace_buffer_lock_reserve(struct trace_buffer *buffer, int type,
			  unsigned long len, unsigned int trace_ctx);
void trace_buffer_unlock_commit_regs(struct trace_array *tr, struct trace_buffer *buffer,
				     struct ring_buffer_event *event, unsigned int trace_ctx,
				     struct pt_regs *regs);
void *trace_slot_reserve(struct trace_buffer *buffer, int type, unsigned long len,
			 unsigned int trace_ctx, struct ring_buffer_slot *slot);

static inline void trace_buffer_unlock_commit(struct trace_array *tr, struct trace_buffer *buffer,
					      struct ring_buffer_event *event,
					      unsigned int trace_ctx)
{
	trace_buffer_unlock_commit_regs(tr, buffer, event, trace_ctx, NULL);
}

/*
 * Stacks (stack.c). trace_record_stacks() does what the options `stacktrace`
 * and `userstacktrace` of @tr ask for after an event was committed; callers
 * test the two flags first with trace_wants_stacks(). @top says where the kernel's stack begins
 * when @regs is NULL.
 */
struct trace_stack_top;
void trace_record_stacks(struct trace_array *tr, struct trace_buffer *buffer,
			 unsigned int trace_ctx, const struct trace_stack_top *top,
			 struct pt_regs *regs);
void trace_function_stack(struct trace_array *tr, unsigned int trace_ctx, unsigned long ip);

/**
 * struct trace_text - where a function lies
 * @start: its first byte
 * @size: bytes, 0 when it is not known
 */
struct trace_text {
	unsigned long	start;
	unsigned long	size;
};

/**
 * struct trace_stack_top - where a stack of something of tracing's own is to begin
 * @texts: functions: below the first frames that are in these, one behind the other. Which of them
 *	   are there is up to the compiler, but one has to be
 * @nr: of @texts
 * @skip: so many frames further below
 * @between: functions: and below those in a row that are in these, if there are any
 * @nr_between: of @between
 */
struct trace_stack_top {
	const struct trace_text	*texts;
	unsigned int		nr;
	unsigned int		skip;
	const struct trace_text	*between;
	unsigned int		nr_between;
};

unsigned int trace_frames_above(const unsigned long *frames, unsigned int nr,
				const struct trace_stack_top *top);
void trace_text_of(struct trace_text *text, unsigned long function);
void trace_marker_text(struct trace_text *text);
void trace_stack_below(struct trace_array *tr, unsigned int trace_ctx,
		       const struct trace_text *texts, unsigned int nr);

#ifdef CONFIG_STACKTRACE
/*
 * For the last argument of stack_trace_save(): how many frames it has before its caller. riscv
 * has one, that of stack_trace_save() itself. Known since early_initcall.
 */
extern unsigned int trace_walk_extra;

/*
 * May this CPU's stack be walked? Whether an address is text of a module is looked up under RCU,
 * which has done with a CPU that goes when this still calls some functions. Preemption is off.
 */
static inline bool trace_may_walk(void)
{
	return cpu_online(raw_smp_processor_id());
}
#endif

static inline bool trace_wants_stacks(const struct trace_array *tr)
{
	return unlikely(tr->trace_flags & (TRACE_ITER_STACKTRACE | TRACE_ITER_USERSTACKTRACE));
}

#endif /* _KERNEL_TRACE_WRITE_H */
