// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring is emptied: no writer is in it meanwhile.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/mutex.h>

#include "../grace.h"
#include "internal.h"

/*
 * Stop the writers of these CPUs, and wait for those that are at it: also for
 * those who found a ring of ours in another buffer, before a swap. There is no
 * swap any more when we begin to wait.
 *
 * Expedited, here and below: somebody wrote to a file and waits for this, and
 * recording is off meanwhile.
 */
void rb_stop_cpus(struct trace_buffer *buffer, const struct cpumask *cpus)
{
	int cpu;

	for_each_cpu(cpu, cpus)
		atomic_inc(&rb_cpu_of(buffer, cpu)->stop);
	rb_swap_forbid(buffer);
	trace_synchronize_rcu();
}

/*
 * A writer loads rb_cpu::stop and then fields of the ring, and nothing in
 * between keeps its CPU from doing the second load first. So we wait instead: a
 * writer that sees the stop gone has begun after all that comes before that.
 */
void rb_start_cpus(struct trace_buffer *buffer, const struct cpumask *cpus)
{
	int cpu;

	trace_synchronize_rcu();
	rb_swap_allow(buffer);
	for_each_cpu(cpu, cpus)
		atomic_dec(&rb_cpu_of(buffer, cpu)->stop);
}

static void rb_reset_cpus(struct trace_buffer *buffer, const struct cpumask *cpus)
{
	struct rb_ring *ring;
	struct rb_hold hold;
	int cpu;

	mutex_lock(&buffer->mutex);
	rb_stop_cpus(buffer, cpus);
	for_each_cpu(cpu, cpus) {
		ring = rb_ring_of(buffer, cpu);
		if (!ring)
			continue;
		rb_ring_lock(ring, &hold);
		rb_ring_start(ring, ring->table);
		ring->map_lost = 0;
		rb_map_tell(ring);
		rb_reader_unlock(&hold);
	}
	rb_start_cpus(buffer, cpus);
	mutex_unlock(&buffer->mutex);
}

/**
 * ring_buffer_reset_cpu - forget what was recorded on a CPU
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: task, may sleep.
 */
void ring_buffer_reset_cpu(struct trace_buffer *buffer, int cpu)
{
	if (rb_ring_of(buffer, cpu))
		rb_reset_cpus(buffer, cpumask_of(cpu));
}
EXPORT_SYMBOL_GPL(ring_buffer_reset_cpu);

/**
 * ring_buffer_reset_online_cpus - forget what was recorded on CPUs that are up
 * @buffer: the buffer
 *
 * Context: task, may sleep.
 */
void ring_buffer_reset_online_cpus(struct trace_buffer *buffer)
{
	cpumask_var_t cpus;
	int cpu;

	if (zalloc_cpumask_var(&cpus, GFP_KERNEL)) {
		cpumask_copy(cpus, cpu_online_mask);
		rb_reset_cpus(buffer, cpus);
		free_cpumask_var(cpus);
		return;
	}
	for_each_online_cpu(cpu)
		ring_buffer_reset_cpu(buffer, cpu);
}

/**
 * ring_buffer_reset - forget all that was recorded
 * @buffer: the buffer
 *
 * Context: task, may sleep.
 */
void ring_buffer_reset(struct trace_buffer *buffer)
{
	rb_reset_cpus(buffer, cpu_possible_mask);
}
EXPORT_SYMBOL_GPL(ring_buffer_reset);
