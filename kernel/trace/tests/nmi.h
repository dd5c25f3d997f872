/* SPDX-License-Identifier: GPL-2.0-only */
/* NMIs for KUnit tests on x86: one at a time for each CPU, told from those of others. */
#ifndef _KERNEL_TRACE_TESTS_NMI_H
#define _KERNEL_TRACE_TESTS_NMI_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <asm/apic.h>
#include <asm/nmi.h>

/* One, unless the last that @pending is about is still on its way. */
static inline void test_nmi_send(atomic_t *pending, int cpu)
{
	if (!atomic_xchg(pending, 1))
		__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
}

/* In the handler: is it the one that @pending is about? */
static inline bool test_nmi_came(atomic_t *pending)
{
	return atomic_xchg(pending, 0);
}

#endif /* _KERNEL_TRACE_TESTS_NMI_H */
