/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ftrace_test_recursion_trylock() for our own callbacks, with the same bits. It
 * puts the whole word back instead of taking a bit out, and keeps
 * preempt_count(), which whoever writes a record asks for anyway.
 */
#ifndef _KERNEL_TRACE_FUNCTION_GUARD_H
#define _KERNEL_TRACE_FUNCTION_GUARD_H

#include <linux/preempt.h>
#include <linux/trace_events.h>
#include <linux/trace_recursion.h>

#include "../../operands.h"
#include "../../preempt.h"

#define TRACE_GUARD_TASK	BIT(TRACE_FTRACE_START + TRACE_CTX_NORMAL)

/**
 * struct trace_guard - a callback that runs
 * @before:	the task's recursion word without it
 * @pc:		preempt_count() of the traced function
 */
struct trace_guard {
	unsigned long	before;
	unsigned int	pc;
};

/* ops.c: the bit to take when the task's is not to be had, 0 for recursion */
unsigned long trace_guard_other(unsigned long ip, unsigned long parent_ip);

/*
 * Not the plain case, a task that is in no callback yet? All bits of softirqs are in the
 * mask: one that is only disabled takes the long way, and is found not to run there.
 */
static __always_inline bool trace_guard_is_special(unsigned int pc, unsigned long word)
{
	return pc & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_MASK) || word & TRACE_GUARD_TASK;
}

/*
 * For the plain case alone: a callback whose other cases are in a function of their own needs no
 * register that it would have to save. @word is what @self's recursion word was before, @pc its
 * preempt_count().
 */
static __always_inline unsigned int trace_guard_enter_plain(struct task_struct *self,
							    unsigned long word, unsigned int pc)
{
	if (TRACE_FEW_REGISTERS)
		self->trace_recursion |= TRACE_GUARD_TASK;
	else
		self->trace_recursion = word | TRACE_GUARD_TASK;
	barrier();	/* as in trace_guard_enter() */
	return trace_preempt_disable(self, pc);
}

static __always_inline void trace_guard_clear_plain(void)
{
	barrier();	/* as in trace_guard_leave() */
	current->trace_recursion &= ~TRACE_GUARD_TASK;
}

/* What is left to do when somebody wants the CPU. */
static __always_inline void trace_guard_yield_plain(void)
{
	trace_preempt_schedule();
	trace_guard_clear_plain();
}

/* True: trace_guard_yield_plain() has to follow. */
static __always_inline bool trace_guard_leave_plain(struct task_struct *self, unsigned long word)
{
	if (trace_preempt_enable(self))
		return true;
	barrier();	/* as in trace_guard_leave() */
	if (TRACE_FEW_REGISTERS)
		self->trace_recursion &= ~TRACE_GUARD_TASK;
	else
		self->trace_recursion = word;
	return false;
}

/* All of it, for who has not kept the word. */
static __always_inline void trace_guard_end_plain(void)
{
	if (trace_preempt_enable(current))
		trace_preempt_schedule();
	trace_guard_clear_plain();
}

/* Any context. If true, preemption is off until trace_guard_leave(). */
static __always_inline bool trace_guard_enter(struct trace_guard *guard, unsigned long ip,
					      unsigned long parent_ip)
{
	unsigned long word, bit;

	if (trace_rcu_is_off(ip))
		return false;
	guard->before = READ_ONCE(current->trace_recursion);
	guard->pc = preempt_count();
	word = guard->before | TRACE_GUARD_TASK;
	if (unlikely(trace_guard_is_special(guard->pc, guard->before))) {
		bit = trace_guard_other(ip, parent_ip);
		if (!bit)
			return false;
		word = guard->before | bit;
	}
	current->trace_recursion = word;
	barrier();	/* the bit is set before anything that could be traced runs */
	preempt_disable_notrace();
	return true;
}

static __always_inline void trace_guard_leave(const struct trace_guard *guard)
{
	preempt_enable_notrace();
	barrier();	/* and stays set until nothing more is to run */
	/* Whatever interrupted us has left the word as it found it. */
	current->trace_recursion = guard->before;
}

/* tracing_gen_ctx() of the traced function */
static __always_inline unsigned int trace_guard_ctx(const struct trace_guard *guard)
{
	unsigned long irqflags;

	local_save_flags(irqflags);
	return __tracing_ctx(guard->pc, __tracing_irq_flag(irqflags));
}

#endif /* _KERNEL_TRACE_FUNCTION_GUARD_H */
