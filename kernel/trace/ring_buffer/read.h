/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading, for who takes one record after the other out of a CPU. */
#ifndef _TRACE_RING_BUFFER_READ_H
#define _TRACE_RING_BUFFER_READ_H

#include <linux/ring_buffer.h>

int ring_buffer_consume_next(struct trace_buffer *buffer, int cpu, struct ring_buffer_event *to,
			     size_t room, u64 *ts, unsigned long *lost_events, u64 *next,
			     bool *more);

#endif /* _TRACE_RING_BUFFER_READ_H */
