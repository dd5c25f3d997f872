// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recording on and off, clocks, and what else a writer is told.
 *
 * A writer looks at one word of its CPU, rb_cpu::stop. All that is decided for
 * the whole buffer is therefore added to the words of all CPUs. Sums do not
 * depend on the order of what is added, so two who switch at the same time do
 * no harm; in the meantime the word may be wrong, but a word that is not 0
 * only ever makes a writer look closer, and 0 is never reached early: each
 * reason comes with its own weight.
 *
 * To know that no writer is left who did not see it: synchronize_rcu().
 */
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/trace_clock.h>

#include "internal.h"

static void rb_stop_add(struct trace_buffer *buffer, int value)
{
	int cpu;

	for_each_possible_cpu(cpu)
		atomic_add(value, &rb_cpu_of(buffer, cpu)->stop);
}

/**
 * ring_buffer_record_disable - stop recording
 * @buffer: the buffer
 *
 * Counts: it takes as many ring_buffer_record_enable()s to go on.
 *
 * Context: any, NMI included. Writers that have begun may still commit; call
 * synchronize_rcu() to wait for them.
 */
void ring_buffer_record_disable(struct trace_buffer *buffer)
{
	atomic_inc(&buffer->record);
	rb_stop_add(buffer, 1);
}
EXPORT_SYMBOL_GPL(ring_buffer_record_disable);

/**
 * ring_buffer_record_enable - undo one ring_buffer_record_disable()
 * @buffer: the buffer
 *
 * Context: any, NMI included.
 */
void ring_buffer_record_enable(struct trace_buffer *buffer)
{
	rb_stop_add(buffer, -1);
	atomic_dec(&buffer->record);
}
EXPORT_SYMBOL_GPL(ring_buffer_record_enable);

/**
 * ring_buffer_record_off - switch recording off
 * @buffer: the buffer
 *
 * A switch, not a count, and independent of ring_buffer_record_disable().
 *
 * Context: any, NMI included; see ring_buffer_record_disable().
 */
void ring_buffer_record_off(struct trace_buffer *buffer)
{
	/* Only the value matters: it says who adds. */
	if (!(atomic_fetch_or_relaxed(RB_RECORD_OFF, &buffer->record) & RB_RECORD_OFF))
		rb_stop_add(buffer, RB_STOP_OFF);
}
EXPORT_SYMBOL_GPL(ring_buffer_record_off);

/**
 * ring_buffer_record_on - switch recording on
 * @buffer: the buffer
 *
 * Context: any, NMI included.
 */
void ring_buffer_record_on(struct trace_buffer *buffer)
{
	if (atomic_fetch_andnot_relaxed(RB_RECORD_OFF, &buffer->record) & RB_RECORD_OFF)
		rb_stop_add(buffer, -(int)RB_STOP_OFF);
}
EXPORT_SYMBOL_GPL(ring_buffer_record_on);

/**
 * ring_buffer_record_is_on - is anything recorded?
 * @buffer: the buffer
 *
 * Context: any.
 * Return: true if recording is neither off nor disabled for the buffer.
 */
bool ring_buffer_record_is_on(struct trace_buffer *buffer)
{
	return !atomic_read(&buffer->record);
}

/**
 * ring_buffer_record_is_set_on - how is the switch set?
 * @buffer: the buffer
 *
 * Context: any.
 * Return: true unless ring_buffer_record_off() was called last.
 */
bool ring_buffer_record_is_set_on(struct trace_buffer *buffer)
{
	return !(atomic_read(&buffer->record) & RB_RECORD_OFF);
}

/**
 * ring_buffer_record_disable_cpu - stop recording on a CPU
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: any, NMI included; see ring_buffer_record_disable().
 */
void ring_buffer_record_disable_cpu(struct trace_buffer *buffer, int cpu)
{
	/* Also if it has no ring yet: it may get one before this is undone. */
	if (cpu >= 0 && cpu < nr_cpu_ids && cpu_possible(cpu))
		atomic_inc(&rb_cpu_of(buffer, cpu)->stop);
}
EXPORT_SYMBOL_GPL(ring_buffer_record_disable_cpu);

/**
 * ring_buffer_record_enable_cpu - undo one ring_buffer_record_disable_cpu()
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: any, NMI included.
 */
void ring_buffer_record_enable_cpu(struct trace_buffer *buffer, int cpu)
{
	if (cpu >= 0 && cpu < nr_cpu_ids && cpu_possible(cpu))
		atomic_dec(&rb_cpu_of(buffer, cpu)->stop);
}
EXPORT_SYMBOL_GPL(ring_buffer_record_enable_cpu);

/**
 * ring_buffer_change_overwrite - what to do when the buffer is full
 * @buffer: the buffer
 * @val: true: overwrite the oldest records; false: drop the new ones
 *
 * Context: any.
 */
void ring_buffer_change_overwrite(struct trace_buffer *buffer, int val)
{
	WRITE_ONCE(buffer->overwrite, !!val);
}
EXPORT_SYMBOL_GPL(ring_buffer_change_overwrite);

/**
 * ring_buffer_max_event_size - the longest record there can be
 * @buffer: the buffer
 *
 * Context: any.
 * Return: bytes of data.
 */
unsigned long ring_buffer_max_event_size(struct trace_buffer *buffer)
{
	unsigned long size = READ_ONCE(buffer->subbuf_size);

	size -= RB_HEAD_SIZE + sizeof(u32);
	if (ring_buffer_time_stamp_abs(buffer))
		size -= RB_EXTEND_SIZE;
	return size;
}
EXPORT_SYMBOL_GPL(ring_buffer_max_event_size);

/**
 * ring_buffer_time_stamp - what time is it for a buffer?
 * @buffer: the buffer
 *
 * Context: any, NMI included.
 * Return: time of the buffer's clock.
 */
u64 ring_buffer_time_stamp(struct trace_buffer *buffer)
{
	u64 ts;

	preempt_disable_notrace();
	ts = rb_clock(raw_cpu_ptr(buffer->cpu));
	preempt_enable_notrace();

	return ts;
}
EXPORT_SYMBOL_GPL(ring_buffer_time_stamp);

/**
 * ring_buffer_normalize_time_stamp - from a time in a record to clock time
 * @buffer: the buffer
 * @cpu: the CPU the time is from
 * @ts: the time
 *
 * Records hold the time of the clock as it was read, so there is nothing to
 * convert.
 *
 * Context: any.
 */
void ring_buffer_normalize_time_stamp(struct trace_buffer *buffer, int cpu, u64 *ts)
{
}
EXPORT_SYMBOL_GPL(ring_buffer_normalize_time_stamp);

/**
 * ring_buffer_set_clock - choose the clock
 * @buffer: the buffer
 * @clock: function to read it; may be called in any context, NMI included
 *
 * What is recorded already has other times; the caller will want to reset.
 *
 * Context: any.
 */
void ring_buffer_set_clock(struct trace_buffer *buffer, u64 (*clock)(void))
{
	u64 (*old)(void);
	int cpu;

	/* The local one is read in place. */
	if (clock == trace_clock_local)
		clock = NULL;

	/* A writer who misses the change reads the local clock once more. */
	old = xchg(&buffer->clock, clock);
	if (!old && clock)
		rb_stop_add(buffer, RB_STOP_CLOCK);
	for_each_possible_cpu(cpu)
		WRITE_ONCE(rb_cpu_of(buffer, cpu)->clock, clock);
	if (old && !clock)
		rb_stop_add(buffer, -(int)RB_STOP_CLOCK);
}

/**
 * ring_buffer_set_time_stamp_abs - give every record its absolute time
 * @buffer: the buffer
 * @abs: true: absolute times; false: deltas
 *
 * Context: any.
 */
void ring_buffer_set_time_stamp_abs(struct trace_buffer *buffer, bool abs)
{
	if (xchg(&buffer->abs, (int)abs) != abs)
		rb_stop_add(buffer, abs ? RB_STOP_ABS : -(int)RB_STOP_ABS);
}

/**
 * ring_buffer_time_stamp_abs - are times absolute?
 * @buffer: the buffer
 *
 * Context: any.
 * Return: what was set last.
 */
bool ring_buffer_time_stamp_abs(struct trace_buffer *buffer)
{
	return READ_ONCE(buffer->abs);
}
