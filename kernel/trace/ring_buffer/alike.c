// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two buffers that can be swapped: with rings of the same CPUs, and of the same shape.
 */
#include <linux/cpumask.h>

#include "alike.h"
#include "internal.h"

/* What @cpu has in the one it has in the other. */
static int rb_cpu_alike(struct trace_buffer *buffer, struct trace_buffer *model, int cpu)
{
	unsigned long size = ring_buffer_size(model, cpu);
	int ret;

	if (!size)
		return 0;
	if (size != ring_buffer_size(buffer, cpu)) {
		/* It is offline and wrote to the other before it went. */
		ret = rb_cpu_prepare(buffer, cpu);
		ret = ret ?: ring_buffer_resize(buffer, size, cpu);
		if (ret)
			return ret;
	}
	/* Or they would differ when both get sub-buffers of another size. */
	rb_cpu_of(buffer, cpu)->ring->asked = rb_cpu_of(model, cpu)->ring->asked;
	return 0;
}

/**
 * ring_buffer_make_alike - make a buffer fit for a swap with another one
 * @buffer: the buffer
 * @model: the other one
 *
 * Gives @buffer the order of @model, rings for the CPUs that have one there, and their sizes.
 * If the order changes, what @buffer had is lost. The clock is the caller's business, and so is
 * whoever changes the shape of either at the same time. Where a CPU comes up for the
 * first time just now, call it again.
 *
 * Context: task, may sleep.
 * Return: 0; -ENOMEM, -EINTR (killed) or -EBUSY (another order and there are iterators, or
 * @buffer is mapped), and @buffer is half changed.
 */
int ring_buffer_make_alike(struct trace_buffer *buffer, struct trace_buffer *model)
{
	int cpu, order = ring_buffer_subbuf_order_get(model), ret = 0;

	if (order != ring_buffer_subbuf_order_get(buffer))
		ret = ring_buffer_subbuf_order_set(buffer, order);
	for_each_possible_cpu(cpu)
		ret = ret ?: rb_cpu_alike(buffer, model, cpu);
	return ret;
}
