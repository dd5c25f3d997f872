/* SPDX-License-Identifier: GPL-2.0-only */
/* What instances have to know of sizes beyond <linux/ring_buffer.h>. */
#ifndef _TRACE_RING_BUFFER_SIZE_H
#define _TRACE_RING_BUFFER_SIZE_H

#include <linux/types.h>

struct trace_buffer;

bool ring_buffer_is_held(struct trace_buffer *buffer);
unsigned long ring_buffer_size_for(struct trace_buffer *buffer, unsigned long size);

#endif /* _TRACE_RING_BUFFER_SIZE_H */
