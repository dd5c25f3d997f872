// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exchange the rings of a CPU between two buffers, for snapshots.
 */
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/smp.h>

#include "internal.h"

/**
 * ring_buffer_swap_cpu - exchange what two buffers recorded on a CPU
 * @buffer_a: one buffer
 * @buffer_b: the other buffer
 * @cpu: the CPU: the one we are on, or one that is offline
 *
 * Recording need not stop. An NMI that writes in between writes to one of the
 * two rings, and has finished when we go on.
 *
 * Context: Any but NMI.
 * Return: 0; -EINVAL if the rings have different sizes, do not exist, or are
 * another running CPU's; -EAGAIN if recording is off in one of them; -EBUSY if
 * we interrupted a writer or a buffer changes its size.
 */
int ring_buffer_swap_cpu(struct trace_buffer *buffer_a,
			 struct trace_buffer *buffer_b, int cpu)
{
	struct rb_ring *a = rb_ring_of(buffer_a, cpu);
	struct rb_ring *b = rb_ring_of(buffer_b, cpu);
	struct rb_cpu *in_a, *in_b;
	unsigned long flags;
	int ret = -EINVAL;

	if (!a || !b)
		return -EINVAL;
	in_a = rb_cpu_of(buffer_a, cpu);
	in_b = rb_cpu_of(buffer_b, cpu);

	local_irq_save(flags);
	if (cpu != smp_processor_id() && cpu_online(cpu))
		goto out;
	if (a->nr != b->nr || a->limit != b->limit)
		goto out;

	ret = -EAGAIN;
	if ((atomic_read(&in_a->stop) | atomic_read(&in_b->stop)) & ~RB_STOP_NOT)
		goto out;

	ret = -EBUSY;
	if (atomic_read(&buffer_a->resizing) || atomic_read(&buffer_b->resizing))
		goto out;
	if (READ_ONCE(a->depth) || READ_ONCE(b->depth))
		goto out;

	a->buffer = buffer_b;
	b->buffer = buffer_a;
	WRITE_ONCE(in_a->ring, b);
	WRITE_ONCE(in_b->ring, a);
	ret = 0;
out:
	local_irq_restore(flags);
	return ret;
}
EXPORT_SYMBOL_GPL(ring_buffer_swap_cpu);
