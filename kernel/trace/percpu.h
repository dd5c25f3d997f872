/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * raw_cpu_ptr() for those who have preemption off for as long as they run.
 *
 * On arm64 that takes the stack for an input, so that the compiler asks anew after each
 * preempt_enable(). A function that refers to its stack has a frame; here we know that
 * there is nothing to ask anew.
 *
 * Nested per-CPU memory: several places keep a piece of memory for each level that may interrupt
 * another on a CPU, and one word, or one a piece, that says what is taken. To take a piece: read
 * the word, WRITE_ONCE() the new value, barrier(). To give it back: barrier(), WRITE_ONCE() the old
 * one. Preemption is off in between. That needs no atomics: what interrupts between read and write
 * has given back all that it took before the interrupted one goes on, so what was read still holds.
 */
#ifndef _KERNEL_TRACE_PERCPU_H
#define _KERNEL_TRACE_PERCPU_H

#include <linux/percpu.h>

#ifdef CONFIG_ARM64
#include <asm/alternative.h>
#include <asm/cpucaps.h>

static __always_inline unsigned long trace_cpu_offset(void)
{
	unsigned long offset;

	/* volatile: not before preemption is off */
	asm volatile(ALTERNATIVE("mrs %0, tpidr_el1", "mrs %0, tpidr_el2",
				 ARM64_HAS_VIRT_HOST_EXTN) : "=r" (offset));
	return offset;
}

#define trace_cpu_ptr(ptr)	SHIFT_PERCPU_PTR(ptr, trace_cpu_offset())
#else
#define trace_cpu_ptr(ptr)	raw_cpu_ptr(ptr)
#endif

/*
 * trace_cpu_ptr() for one pointer after the other, with a trace_cpu_offset() from before: where
 * that is more than one instruction or an operand.
 */
#define TRACE_CPU_OFFSET_KEPT	(!IS_ENABLED(CONFIG_ARM64) && !IS_ENABLED(CONFIG_X86_64))

#ifdef CONFIG_SMP
#ifndef CONFIG_ARM64
static __always_inline unsigned long trace_cpu_offset(void)
{
	return __my_cpu_offset;
}
#endif
#define trace_cpu_ptr_at(ptr, offset)	SHIFT_PERCPU_PTR(ptr, offset)
#else
#define trace_cpu_offset()		0UL
#define trace_cpu_ptr_at(ptr, offset)	((void)(offset), raw_cpu_ptr(ptr))
#endif

#endif /* _KERNEL_TRACE_PERCPU_H */
