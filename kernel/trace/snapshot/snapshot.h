/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots are not built: these say so, once. */
#ifndef _KERNEL_TRACE_SNAPSHOT_H
#define _KERNEL_TRACE_SNAPSHOT_H

#include <linux/types.h>

struct trace_array;

int tracing_alloc_snapshot(void);
void tracing_snapshot_cond(struct trace_array *tr, void *cond_data);
void *tracing_cond_snapshot_data(struct trace_array *tr);
int tracing_snapshot_cond_enable(struct trace_array *tr, void *cond_data,
				 bool (*update)(struct trace_array *tr, void *cond_data));
int tracing_snapshot_cond_disable(struct trace_array *tr);

#endif /* _KERNEL_TRACE_SNAPSHOT_H */
