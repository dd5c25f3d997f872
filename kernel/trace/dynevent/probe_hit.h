/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hit whose program is nothing but moves, which is most of them: inline, into the slot, with
 * nothing written down of where the values come from.
 */
#ifndef _KERNEL_TRACE_DYNEVENT_PROBE_HIT_H
#define _KERNEL_TRACE_DYNEVENT_PROBE_HIT_H

#include <linux/align.h>
#include <linux/ftrace.h>
#include <linux/rculist.h>
#include <linux/trace_events.h>
#include <linux/unaligned.h>

#include "../events/events.h"
#include "probe.h"
#include "probe_prog.h"

/* NULL: the program has more than moves. */
static __always_inline const struct probe_move *probe_moves(const struct probe *p)
{
	return p->prog->moves;
}

/*
 * A record begins at a multiple of 8 where that matters, and what is in it nearly always lies so as
 * well: where words are put together of bytes elsewhere, it is worth to look.
 */
static __always_inline bool probe_is_aligned(const void *at)
{
	return IS_ENABLED(CONFIG_HAVE_64BIT_ALIGNED_ACCESS) &&
	       likely(IS_ALIGNED((unsigned long)at, sizeof(u64)));
}

static __always_inline unsigned long probe_number(const void *at, unsigned int size, bool sign)
{
	if (size == sizeof(u64) && probe_is_aligned(at))
		return *(const u64 *)at;
	switch (size) {
	case 1:
		return sign ? *(s8 *)at : *(u8 *)at;
	case 2:
		return sign ? get_unaligned((s16 *)at) : get_unaligned((u16 *)at);
	case 4:
		/* of an s32 and a u32 without the cast it would be a u32 */
		return sign ? (long)get_unaligned((s32 *)at) : get_unaligned((u32 *)at);
	default:
		return get_unaligned((u64 *)at);
	}
}

static __always_inline void probe_put(void *to, unsigned long value, unsigned int size)
{
	if (likely(size == 8)) {
		if (probe_is_aligned(to))
			*(u64 *)to = value;
		else
			put_unaligned(value, (u64 *)to);
	} else if (size == 4) {
		put_unaligned(value, (u32 *)to);
	} else if (size == 2) {
		put_unaligned(value, (u16 *)to);
	} else {
		*(u8 *)to = value;
	}
}

/* @record is constant NULL or @fregs is not looked at. */
static __always_inline unsigned long probe_move_value(const struct probe_move *move,
						      struct ftrace_regs *fregs,
						      const unsigned long *entry,
						      const void *record)
{
	if (record)
		return likely(move->op == PROBE_NUMBER) ?
		       probe_number(record + move->imm, move->from, move->sign) : move->imm;
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#ifdef CONFIG_X86_64
	if (likely(move->op == PROBE_REG))
		return *(unsigned long *)((void *)&arch_ftrace_regs(fregs)->regs + move->imm);
#endif
	if (likely(move->op == PROBE_ARG))
		return ftrace_regs_get_argument(fregs, move->imm);
	if (likely(move->op == PROBE_RETVAL))
		return ftrace_regs_get_return_value(fregs);
#endif
	if (move->op == PROBE_KEPT)
		return entry ? entry[move->imm] : 0;
	return move->imm;
}

/* Of a function's entry, or of its return: what is there of it. */
static __always_inline struct pt_regs *probe_regs(struct pt_regs *regs, const unsigned long *head,
						  unsigned int nr_heads, struct ftrace_regs *fregs)
{
#ifdef CONFIG_FPROBE_EVENTS
	if (nr_heads == 2)
		return ftrace_return_regs(fregs, regs);
	ftrace_partial_regs(fregs, regs);
	instruction_pointer_set(regs, *head);
	return regs;
#else
	return NULL;
#endif
}

/* What is behind the header. @nr_heads is constant but in probe_record_moves_rest(). */
static __always_inline void
probe_fill_moves(void *to, const struct probe_prog *prog, const unsigned long *head,
		 unsigned int nr_heads, struct ftrace_regs *fregs, const unsigned long *entry,
		 const void *record)
{
	const struct probe_move *move = prog->moves, *end = prog->moves_end;

	for (unsigned int i = 0; i < nr_heads; i++)
		probe_put(to + sizeof(struct trace_entry) + i * sizeof(u64), head[i], sizeof(u64));
	for (; move != end; move++) {
		unsigned long value;

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
		/* of a return mostly */
		if (nr_heads == 2 && likely(move->op == PROBE_RETVAL))
			value = ftrace_regs_get_return_value(fregs);
		else
#endif
			value = probe_move_value(move, fregs, entry, record);
		probe_put(to + move->dst, value, move->size);
	}
}

/* probe_record.c: the record is not plain, perhaps a stack goes with it */
void probe_record_moves_rest(const struct probe *p, struct trace_event_buffer *fbuffer, void *to,
			     const unsigned long *head, struct ftrace_regs *fregs,
			     const unsigned long *entry, const void *record);

/**
 * probe_record_moves - record a hit in one instance
 * @p: the probe, whose probe_moves() are not NULL
 * @file: the event in the instance
 * @head: the words in front of the arguments
 * @nr_heads: so many; constant
 * @fregs: the function's registers, or NULL
 * @entry: what was kept of its entry, or NULL
 * @record: that of the event that it is attached to, or NULL
 *
 * Context: any, preemption off.
 */
static __always_inline void
probe_record_moves(const struct probe *p, struct trace_event_file *file, const unsigned long *head,
		   unsigned int nr_heads, struct ftrace_regs *fregs, const unsigned long *entry,
		   const void *record)
{
	struct trace_event_buffer fbuffer __uninitialized;
	const struct probe_prog *prog = p->prog;
	void *to;

	to = trace_event_buffer_begin(file, &fbuffer, prog->size);
	if (!to)
		return;
	if (unlikely(!trace_event_buffer_is_plain(&fbuffer))) {
		probe_record_moves_rest(p, &fbuffer, to, head, fregs, entry, record);
		return;
	}
	probe_fill_moves(to, prog, head, nr_heads, fregs, entry, record);
	trace_event_buffer_commit(&fbuffer);
}

/* The same in all instances that want it. */
static __always_inline void
probe_record_moves_all(const struct probe *p, const unsigned long *head, unsigned int nr_heads,
		       struct ftrace_regs *fregs, const unsigned long *entry)
{
	const struct probe_file *pf;

	list_for_each_entry_rcu(pf, &p->event->files, list, true)
		probe_record_moves(p, pf->file, head, nr_heads, fregs, entry, NULL);
}

#endif /* _KERNEL_TRACE_DYNEVENT_PROBE_HIT_H */
