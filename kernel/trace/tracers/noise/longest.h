/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_NOISE_LONGEST_H
#define _KERNEL_TRACE_NOISE_LONGEST_H

#include <linux/atomic.h>

#include "../../instance/instance.h"

/* From one time to the other. A clock that was set back says nothing. */
static inline u64 noise_passed(u64 from, u64 to)
{
	return to > from ? to - from : 0;
}

/*
 * @ns were seen by @tr: the most is in tracing_max_latency. Several CPUs may do so at once. Any
 * context.
 */
static inline void noise_longest(struct trace_array *tr, u64 ns)
{
	unsigned long most = READ_ONCE(tr->max_latency);

	do {
		if (ns <= most)
			return;
	} while (!try_cmpxchg(&tr->max_latency, &most, ns));
	latency_fsnotify(tr);
}

#endif /* _KERNEL_TRACE_NOISE_LONGEST_H */
