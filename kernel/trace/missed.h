/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_MISSED_H
#define _KERNEL_TRACE_MISSED_H

#include <linux/atomic.h>
#include <linux/compiler.h>

/* One more in a counter that any CPU and any context counts up. */
static __always_inline void trace_count_missed(unsigned long *missed)
{
	unsigned long old = READ_ONCE(*missed);

	while (!try_cmpxchg(missed, &old, old + 1))
		;
}

#endif /* _KERNEL_TRACE_MISSED_H */
