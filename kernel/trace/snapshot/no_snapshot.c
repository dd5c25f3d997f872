// SPDX-License-Identifier: GPL-2.0-only
/* What callers of the snapshot interface get from a kernel without snapshots: one warning. */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>

#include "snapshot.h"

static void no_snapshot(void)
{
	WARN_ONCE(1, "Snapshot feature not enabled, but internal snapshot used");
}

void tracing_snapshot(void)
{
	no_snapshot();
}
EXPORT_SYMBOL_GPL(tracing_snapshot);

void tracing_snapshot_cond(struct trace_array *tr, void *cond_data)
{
	no_snapshot();
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond);

int tracing_alloc_snapshot(void)
{
	no_snapshot();
	return -ENODEV;
}
EXPORT_SYMBOL_GPL(tracing_alloc_snapshot);

void tracing_snapshot_alloc(void)
{
	no_snapshot();
}
EXPORT_SYMBOL_GPL(tracing_snapshot_alloc);

void *tracing_cond_snapshot_data(struct trace_array *tr)
{
	return NULL;
}
EXPORT_SYMBOL_GPL(tracing_cond_snapshot_data);

int tracing_snapshot_cond_enable(struct trace_array *tr, void *cond_data,
				 bool (*update)(struct trace_array *tr, void *cond_data))
{
	return -ENODEV;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_enable);

int tracing_snapshot_cond_disable(struct trace_array *tr)
{
	return -ENODEV;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_disable);
