// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the instance recording?
 *
 * Three switches, and an entry is recorded only when all of them say so:
 * `tracing_on` is the user's and the kernel's (tracing_off() at the place of a
 * bug); stopping nests and is for whoever must not have the buffer change under it;
 * `tracing_cpumask` is per CPU. Each is a switch of the ring buffer, so that
 * writers test one word.
 *
 * File: tracing_on; tracing_cpumask is in the file of that name.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

#include "internal.h"
#include "instance.h"
#include "tracer.h"

/**
 * tracer_tracing_on - let an instance record
 * @tr: instance
 *
 * Any context.
 */
void tracer_tracing_on(struct trace_array *tr)
{
	/* Early in boot there is no buffer; setup_init() looks at the flag. */
	WRITE_ONCE(tr->buffer_disabled, false);
	if (tr->array_buffer.buffer)
		ring_buffer_record_on(tr->array_buffer.buffer);
}

/**
 * tracer_tracing_off - keep an instance from recording
 * @tr: instance
 *
 * Entries that are being written at this moment still get in. Who waits for a full buffer looks
 * again, as he would wait for ever. Any context.
 */
void tracer_tracing_off(struct trace_array *tr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;

	WRITE_ONCE(tr->buffer_disabled, true);
	if (!buffer || !ring_buffer_record_is_set_on(buffer))
		return;
	ring_buffer_record_off(buffer);
	ring_buffer_wake_waiters(buffer, RING_BUFFER_ALL_CPUS);
}

/**
 * tracer_tracing_is_on - what tracing_on shows
 * @tr: instance
 *
 * Any context. Return: true when neither user nor kernel switched it off.
 */
bool tracer_tracing_is_on(struct trace_array *tr)
{
	if (tr->array_buffer.buffer)
		return ring_buffer_record_is_set_on(tr->array_buffer.buffer);
	return !READ_ONCE(tr->buffer_disabled);
}

/**
 * tracing_on - let the top instance record. Any context.
 */
void tracing_on(void)
{
	tracer_tracing_on(&global_trace);
}
EXPORT_SYMBOL_GPL(tracing_on);

/**
 * tracing_off - freeze what the top instance has recorded. Any context.
 *
 * For the place in the code where something is seen to be wrong, so that what
 * led there is not overwritten.
 */
void tracing_off(void)
{
	tracer_tracing_off(&global_trace);
}
EXPORT_SYMBOL_GPL(tracing_off);

/**
 * tracing_is_on - does the top instance record? Any context.
 *
 * Return: 1 or 0.
 */
int tracing_is_on(void)
{
	return tracer_tracing_is_on(&global_trace);
}
EXPORT_SYMBOL_GPL(tracing_is_on);

/* Guards every instance's stop_count; taken with interrupts off. */
static DEFINE_RAW_SPINLOCK(stop_lock);

/**
 * tracing_stop_tr - keep an instance from recording until tracing_start_tr()
 * @tr: instance
 *
 * Nests, and does not show in tracing_on. Any context but NMI.
 */
void tracing_stop_tr(struct trace_array *tr)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&stop_lock, flags);
	if (!tr->stop_count++ && tr->array_buffer.buffer)
		ring_buffer_record_disable(tr->array_buffer.buffer);
	raw_spin_unlock_irqrestore(&stop_lock, flags);
}

/**
 * tracing_start_tr - undo one tracing_stop_tr()
 * @tr: instance
 *
 * Any context but NMI.
 */
void tracing_start_tr(struct trace_array *tr)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&stop_lock, flags);
	if (!WARN_ON_ONCE(!tr->stop_count) && !--tr->stop_count && tr->array_buffer.buffer)
		ring_buffer_record_enable(tr->array_buffer.buffer);
	raw_spin_unlock_irqrestore(&stop_lock, flags);
}

/* The same for the top instance, for suspend and its like. */
void tracing_stop(void)
{
	tracing_stop_tr(&global_trace);
}

void tracing_start(void)
{
	tracing_start_tr(&global_trace);
}

/* The ring buffer waits for records that are half written. */
static void empty_buffer(struct array_buffer *buf, void (*reset)(struct trace_buffer *buffer))
{
	const struct instance_feature *const *feature;

	lockdep_assert_held(&trace_types_lock);
	if (!buf->buffer)
		return;

	for (feature = instance_features; *feature; feature++) {
		if ((*feature)->reset)
			(*feature)->reset(buf->tr);
	}

	/*
	 * Writers go on until the reset and after it. What they record after this and
	 * before the reset goes with the rest; all that stays is younger.
	 */
	buf->time_start = ring_buffer_time_stamp(buf->buffer);

	reset(buf->buffer);
}

/**
 * tracing_reset_cpu - empty the buffer of one CPU
 * @buf: buffer of an instance
 * @cpu: CPU
 *
 * Task context, may sleep.
 */
void tracing_reset_cpu(struct array_buffer *buf, int cpu)
{
	if (buf->buffer)
		ring_buffer_reset_cpu(buf->buffer, cpu);
}

/**
 * tracing_reset_online_cpus - empty a buffer, and what rooms keep beside it
 * @buf: buffer of an instance
 *
 * What CPUs recorded that are offline stays, but `trace` does not show it any more. Task
 * context, may sleep, trace_types_lock held.
 */
void tracing_reset_online_cpus(struct array_buffer *buf)
{
	empty_buffer(buf, ring_buffer_reset_online_cpus);
}

/**
 * tracing_reset_all_cpus - empty a buffer, also of what offline CPUs recorded
 * @buf: buffer of an instance
 *
 * For when the records are no use any more: their times are of another clock, or what
 * prints them goes. Task context, may sleep, trace_types_lock held.
 */
static void tracing_reset_all_cpus(struct array_buffer *buf)
{
	empty_buffer(buf, ring_buffer_reset);
}

void tracing_reset_both_locked(struct trace_array *tr)
{
	struct array_buffer *spare = trace_spare_locked(tr);

	tracing_reset_all_cpus(&tr->array_buffer);
	if (spare) {
		spare->time_start = 0;
		ring_buffer_reset(spare->buffer);
	}
}

/**
 * tracing_reset_both - what an instance recorded is of no use any more, wherever it is
 * @tr: instance
 *
 * As tracing_reset_all_cpus(), and the snapshot as well. Task context, may sleep,
 * trace_types_lock held.
 */
void tracing_reset_both(struct trace_array *tr)
{
	trace_buffers_lock(tr);
	tracing_reset_both_locked(tr);
	trace_buffers_unlock(tr);
}

/* tracing_on */

static ssize_t tracing_on_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return tracing_read_printf(ubuf, cnt, ppos, "%d\n",
				   tracer_tracing_is_on(filp->private_data));
}

/* Any number but 0 means on; unlike other switches this one always took them. */
static int tracing_on_set(struct file *filp, unsigned long on)
{
	struct trace_array *tr = filp->private_data;
	struct tracer *tracer;

	if (!tr->array_buffer.buffer)
		return -ENODEV;

	guard(mutex)(&trace_types_lock);
	tracer = tr->current_trace;
	if (!!on == tracer_tracing_is_on(tr))
		return 0;
	if (on) {
		tracer_tracing_on(tr);
		if (tracer->start)
			tracer->start(tr);
	} else {
		tracer_tracing_off(tr);
		if (tracer->stop)
			tracer->stop(tr);
	}
	return 0;
}

TRACE_NUMBER_FOPS_TR(tracing_on);

void tracing_on_file(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("tracing_on", TRACE_MODE_WRITE, dir, tr, &tracing_on_fops);
}
