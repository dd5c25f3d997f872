/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TRACE_RING_BUFFER_VALIDATE_H
#define _TRACE_RING_BUFFER_VALIDATE_H

#include <linux/types.h>

struct rb_ring;
struct rb_sub;

#ifdef CONFIG_RING_BUFFER_VALIDATE_TIME_DELTAS
void rb_validate(const struct rb_ring *ring, const struct rb_sub *sub, u64 tail);
void rb_times_bad(const struct rb_ring *ring, const struct rb_sub *sub, u64 tail, u64 begin,
		  u64 sum);
#else
static inline void rb_validate(const struct rb_ring *ring, const struct rb_sub *sub, u64 tail) { }
#endif

#endif /* _TRACE_RING_BUFFER_VALIDATE_H */
