/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Snapshots: an instance can have a second, spare buffer. Taking a snapshot exchanges what
 * the two have recorded; recording goes on in what was the spare, and `snapshot` shows what
 * had been recorded up to then.
 *
 * The spare takes as much memory as the buffer does, so it is there only while it is of use:
 * while somebody holds it (snapshot_get(): a trigger, a function command, a user of
 * tracing_snapshot_cond_enable()), or since a user asked for it, until he writes 0 to
 * `snapshot`, or while a snapshot that was taken lies in it.
 */
#ifndef _KERNEL_TRACE_SNAPSHOT_H
#define _KERNEL_TRACE_SNAPSHOT_H

#include <linux/types.h>

#include "../instance/instance.h"

#ifdef CONFIG_TRACER_SNAPSHOT

extern const struct instance_feature snapshot_feature;

/**
 * snapshot_get - have a spare buffer, until snapshot_put()
 * @tr: instance
 *
 * Counts. For whoever may have to take a snapshot where nothing can be allocated.
 *
 * Context: Task, may sleep. Takes only the instance's spare_lock: event_mutex and
 * trace_types_lock may be held.
 * Return: 0, -ENOMEM, -EINTR (killed), or -EBUSY: the spare is read, and its sub-buffers would have
 * to be changed; or the buffer is mapped.
 */
int snapshot_get(struct trace_array *tr);

/**
 * snapshot_put - undo one snapshot_get()
 * @tr: instance
 *
 * The spare goes with who held it last, unless a snapshot was taken: that stays to be read until
 * a user frees it.
 *
 * Context: as snapshot_get(). Cannot fail.
 */
void snapshot_put(struct trace_array *tr);

/**
 * snapshot_take - exchange what the two buffers of an instance have
 * @tr: instance
 *
 * Stops nobody and waits for nobody. When the ring buffer cannot do it now, because its
 * size is being changed or it is being emptied, or in an NMI that came into another swap, then
 * it is done as soon as it can be.
 *
 * Without a spare buffer it says so in @tr and switches recording off.
 *
 * Context: Any, NMI included.
 */
void snapshot_take(struct trace_array *tr);

/**
 * snapshot_may_claim - would snapshot_claim() be refused because of who has the spare?
 * @tr: instance
 *
 * Context: as snapshot_get().
 * Return: 0 or -EBUSY; another one may come between this and the claim.
 */
int snapshot_may_claim(struct trace_array *tr);

/**
 * snapshot_claim - have the spare buffer for a tracer alone
 * @tr: instance
 *
 * It is empty then. Snapshots cannot be taken until snapshot_unclaim().
 *
 * Context: as snapshot_get().
 * Return: 0, -ENOMEM, -EINTR (killed), or -EBUSY: snapshots have a condition, the spare is
 * claimed already, or the buffer is mapped.
 */
int snapshot_claim(struct trace_array *tr);

/**
 * snapshot_unclaim - undo snapshot_claim()
 * @tr: instance
 *
 * What the tracer left in it is gone. Nobody may be in snapshot_keep().
 *
 * Context: as snapshot_get(). Cannot fail.
 */
void snapshot_unclaim(struct trace_array *tr);

/**
 * snapshot_keep - have what was recorded as the worst case
 * @tr: instance whose spare the caller has claimed
 * @cpu: of this CPU alone, or RING_BUFFER_ALL_CPUS
 * @since: what is older does not belong to it; by the clock of the buffer
 * @at: the CPU that it is about
 *
 * Context: Any, preemption off. Callers see to it that there is one at a time.
 * Return: 0 or an error, and then the spare has what it had: -ENODEV, there is none; -EBUSY, the
 * shape of the buffers is being changed, or this interrupted another snapshot; -EINVAL, the
 * buffers are not alike.
 */
int snapshot_keep(struct trace_array *tr, int cpu, u64 since, int at);
#endif /* CONFIG_TRACER_SNAPSHOT */

/* For the kernel at large; see there. Without CONFIG_TRACER_SNAPSHOT they warn, once. */
int tracing_alloc_snapshot(void);
void tracing_snapshot_cond(struct trace_array *tr, void *cond_data);
void *tracing_cond_snapshot_data(struct trace_array *tr);
int tracing_snapshot_cond_enable(struct trace_array *tr, void *cond_data,
				 bool (*update)(struct trace_array *tr, void *cond_data));
int tracing_snapshot_cond_disable(struct trace_array *tr);

#endif /* _KERNEL_TRACE_SNAPSHOT_H */
