/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TRACE_RING_BUFFER_ALIKE_H
#define _TRACE_RING_BUFFER_ALIKE_H

struct trace_buffer;

/* alike.c */
int ring_buffer_make_alike(struct trace_buffer *buffer, struct trace_buffer *model);

#endif /* _TRACE_RING_BUFFER_ALIKE_H */
