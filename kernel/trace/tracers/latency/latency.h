/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Latency tracers, seen from preemptirq.c: it says when interrupts or preemption go off and on.
 * While no such tracer runs that is a no-op.
 */
#ifndef _KERNEL_TRACE_TRACERS_LATENCY_H
#define _KERNEL_TRACE_TRACERS_LATENCY_H

#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <linux/types.h>

#include "../../percpu.h"

/* A hook runs on this CPU. */
DECLARE_PER_CPU(bool, latency_in_hook);

/*
 * What happens from here to latency_hook_leave() is no section: around each of the following.
 *
 * Comes before CALLER_ADDR1 is asked for: riscv walks the stack for it, and turns preemption off
 * and on for addresses of modules. With interrupts off that would be the section that begins.
 *
 * Any context where RCU watches, interrupts or preemption off. False if we are in a hook.
 */
static __always_inline bool latency_hook_enter(void)
{
	bool *in_hook = trace_cpu_ptr(&latency_in_hook);

	if (READ_ONCE(*in_hook))
		return false;
	WRITE_ONCE(*in_hook, true);
	barrier();
	return true;
}

/* Where that said true. */
static __always_inline void latency_hook_leave(void)
{
	barrier();
	WRITE_ONCE(*trace_cpu_ptr(&latency_in_hook), false);
}

/*
 * @ip is who changes it, @parent_ip who calls that. Interrupts are off in the first two, preemption
 * in all. Any context, but RCU has to watch.
 */
void tracer_hardirqs_on(unsigned long ip, unsigned long parent_ip);
void tracer_hardirqs_off(unsigned long ip, unsigned long parent_ip);
void tracer_preempt_on(unsigned long ip, unsigned long parent_ip);
void tracer_preempt_off(unsigned long ip, unsigned long parent_ip);

DECLARE_STATIC_KEY_FALSE(latency_irqs_key);
DECLARE_STATIC_KEY_FALSE(latency_preempt_key);

#ifdef CONFIG_IRQSOFF_TRACER
#define latency_irqs_wanted()		static_branch_unlikely(&latency_irqs_key)
#else
#define latency_irqs_wanted()		false
#endif

#ifdef CONFIG_PREEMPT_TRACER
#define latency_preempt_wanted()	static_branch_unlikely(&latency_preempt_key)
#else
#define latency_preempt_wanted()	false
#endif

#endif /* _KERNEL_TRACE_TRACERS_LATENCY_H */
