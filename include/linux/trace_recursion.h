/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps a tracing callback from being entered again by what it calls itself.
 *
 * Every task has one word, task_struct::trace_recursion. A group of callbacks
 * owns five bits of it: one for each context that can interrupt the others
 * (NMI, hard interrupt, softirq, task) and a spare one. Only the running task
 * touches its word, so no atomics are needed: whatever interrupts leaves the
 * word as it found it.
 *
 * Why the spare bit: an interrupt that is traced before preempt_count says that
 * it is an interrupt looks like the context it interrupted. One such entry is let
 * through; a second one is taken for recursion.
 */
#ifndef _LINUX_TRACE_RECURSION_H
#define _LINUX_TRACE_RECURSION_H

#include <linux/interrupt.h>
#include <linux/sched.h>

#ifdef CONFIG_TRACING

/* Order inside a group; see trace_get_context_bit(). */
enum {
	TRACE_CTX_NMI,
	TRACE_CTX_IRQ,
	TRACE_CTX_SOFTIRQ,
	TRACE_CTX_NORMAL,
	TRACE_CTX_TRANSITION,
	TRACE_CONTEXT_SLOTS,
};

#define TRACE_CONTEXT_BITS	4

enum {
	/* callbacks of function tracing */
	TRACE_FTRACE_BIT,
	/* the core, around callbacks that cannot look after themselves */
	TRACE_INTERNAL_BIT		= TRACE_FTRACE_BIT + TRACE_CONTEXT_SLOTS,
	/* callbacks of function trace events */
	TRACE_INTERNAL_EVENT_BIT	= TRACE_INTERNAL_BIT + TRACE_CONTEXT_SLOTS,

	/* single bits */
	TRACE_BRANCH_BIT		= TRACE_INTERNAL_EVENT_BIT + TRACE_CONTEXT_SLOTS,
	TRACE_IRQ_BIT,
	TRACE_RECORD_RECURSION_BIT,
};

#define TRACE_FTRACE_START	TRACE_FTRACE_BIT
#define TRACE_LIST_START	TRACE_INTERNAL_BIT
#define TRACE_EVENT_START	TRACE_INTERNAL_EVENT_BIT
#define TRACE_CONTEXT_MASK	((1 << (TRACE_LIST_START + TRACE_CONTEXT_BITS)) - 1)

#define trace_recursion_test(bit)	(current->trace_recursion & BIT(bit))
#define trace_recursion_set(bit)	(current->trace_recursion |= BIT(bit))
#define trace_recursion_clear(bit)	(current->trace_recursion &= ~BIT(bit))

static __always_inline int trace_get_context_bit(void)
{
	/* Mostly it is a task: one test for all that it might be instead. */
	if (likely(!(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))))
		return TRACE_CTX_NORMAL;
	return TRACE_CTX_NORMAL - interrupt_context_level();
}

#ifdef CONFIG_FTRACE_RECORD_RECURSION
void ftrace_record_recursion(unsigned long ip, unsigned long parent_ip);
#else
static __always_inline void ftrace_record_recursion(unsigned long ip, unsigned long parent_ip) { }
#endif

/* The recorder may itself be traced: its own bit keeps it from being asked twice. */
#define do_ftrace_record_recursion(ip, pip)				\
do {									\
	if (IS_ENABLED(CONFIG_FTRACE_RECORD_RECURSION) &&		\
	    !trace_recursion_test(TRACE_RECORD_RECURSION_BIT)) {	\
		trace_recursion_set(TRACE_RECORD_RECURSION_BIT);	\
		ftrace_record_recursion(ip, pip);			\
		trace_recursion_clear(TRACE_RECORD_RECURSION_BIT);	\
	}								\
} while (0)

static __always_inline bool trace_rcu_is_off(unsigned long ip)
{
#ifdef CONFIG_FTRACE_VALIDATE_RCU_IS_WATCHING
	if (rcu_is_watching())
		return false;
	if (!trace_recursion_test(TRACE_RECORD_RECURSION_BIT)) {
		trace_recursion_set(TRACE_RECORD_RECURSION_BIT);
		WARN_ONCE(1, "traced while RCU is not watching: %pS\n", (void *)ip);
		trace_recursion_clear(TRACE_RECORD_RECURSION_BIT);
	}
	return true;
#else
	return false;
#endif
}

/* Take a bit of the group that begins at @start; -1 for recursion, else preemption is off. */
static __always_inline int trace_test_and_set_recursion(unsigned long ip, unsigned long pip,
							int start)
{
	unsigned long taken = READ_ONCE(current->trace_recursion);
	int bit = start + trace_get_context_bit();

	if (trace_rcu_is_off(ip))
		return -1;

	if (unlikely(taken & BIT(bit))) {
		bit = start + TRACE_CTX_TRANSITION;
		if (taken & BIT(bit)) {
			do_ftrace_record_recursion(ip, pip);
			return -1;
		}
	}
	current->trace_recursion = taken | BIT(bit);
	barrier();	/* the bit is set before anything that could be traced runs */
	preempt_disable_notrace();
	return bit;
}

static __always_inline void trace_clear_recursion(int bit)
{
	preempt_enable_notrace();
	barrier();	/* and stays set until nothing more is to run */
	trace_recursion_clear(bit);
}

/**
 * ftrace_test_recursion_trylock() - enter a function tracing callback
 * @ip: traced function, for the record of recursions
 * @parent_ip: its caller
 *
 * Any context. On success preemption is off until ftrace_test_recursion_unlock().
 *
 * Return: what to hand to ftrace_test_recursion_unlock(), or -1 if this context runs such a
 * callback already: return at once then.
 */
static __always_inline int ftrace_test_recursion_trylock(unsigned long ip,
							 unsigned long parent_ip)
{
	return trace_test_and_set_recursion(ip, parent_ip, TRACE_FTRACE_START);
}

/**
 * ftrace_test_recursion_unlock() - leave a function tracing callback
 * @bit: from ftrace_test_recursion_trylock()
 */
static __always_inline void ftrace_test_recursion_unlock(int bit)
{
	trace_clear_recursion(bit);
}

#endif /* CONFIG_TRACING */

#endif /* _LINUX_TRACE_RECURSION_H */
