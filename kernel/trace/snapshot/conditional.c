// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots under a condition: who asks for one gives data, and a function that somebody set for
 * the instance decides by it. There is one such function an instance.
 */
#include <linux/cleanup.h>
#include <linux/export.h>

#include "internal.h"

/**
 * tracing_snapshot_cond - keep what was recorded, if the instance's condition says so
 * @tr: instance
 * @cond_data: for the function that tracing_snapshot_cond_enable() was given
 *
 * That function is called with the lock held that tracing_cond_snapshot_data() takes.
 * It is not asked, and there is no snapshot, if this comes in the middle of another snapshot of
 * the same CPU, or in the middle of any of @tr for who trace_cannot_wait().
 *
 * Context: Any.
 */
void tracing_snapshot_cond(struct trace_array *tr, void *cond_data)
{
	tracing_snapshot_instance_cond(tr, cond_data);
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond);

/**
 * tracing_cond_snapshot_data - what tracing_snapshot_cond_enable() was given
 * @tr: instance
 *
 * Context: Any but NMI, and not from the function that decides.
 * Return: its cond_data, NULL if there is no condition.
 */
void *tracing_cond_snapshot_data(struct trace_array *tr)
{
	struct trace_snapshot *s = snapshot_of(tr);
	unsigned long flags;
	void *cond_data;

	snapshot_lock(s, &flags);
	cond_data = s->cond_data;
	snapshot_unlock(s, &flags);
	return cond_data;
}
EXPORT_SYMBOL_GPL(tracing_cond_snapshot_data);

/**
 * tracing_snapshot_cond_enable - set the condition of an instance
 * @tr: instance
 * @cond_data: kept for who sets it
 * @update: is given the cond_data of tracing_snapshot_cond(), or NULL where any other snapshot of
 *	@tr is asked for, and returns whether it is to be taken. Interrupts are off and a lock
 *	is held, so it runs once at a time
 *
 * The instance has a spare buffer from now on. Users cannot take snapshots of it by hand.
 *
 * Context: Task, may sleep.
 * Return: 0; -EBUSY if there is a condition, or a latency tracer runs; -ENOMEM, -EINTR (killed).
 */
int tracing_snapshot_cond_enable(struct trace_array *tr, void *cond_data,
				 bool (*update)(struct trace_array *tr, void *cond_data))
{
	struct trace_snapshot *s = snapshot_of(tr);
	unsigned long flags;
	int ret;

	guard(mutex)(&tr->spare_lock);
	ret = snapshot_hold_alone(tr);
	if (ret)
		return ret;
	snapshot_lock(s, &flags);
	s->update = update;
	s->cond_data = cond_data;
	snapshot_unlock(s, &flags);
	return 0;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_enable);

/**
 * tracing_snapshot_cond_disable - undo tracing_snapshot_cond_enable()
 * @tr: instance
 *
 * Context: Task, may sleep.
 * Return: 0, or -EINVAL if there is no condition.
 */
int tracing_snapshot_cond_disable(struct trace_array *tr)
{
	struct trace_snapshot *s = snapshot_of(tr);
	unsigned long flags;
	bool was;

	snapshot_lock(s, &flags);
	was = s->update;
	s->update = NULL;
	s->cond_data = NULL;
	snapshot_unlock(s, &flags);
	if (!was)
		return -EINVAL;
	snapshot_put(tr);
	return 0;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_disable);
