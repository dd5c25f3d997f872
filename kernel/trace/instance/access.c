// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may have its hands in the buffers: readers that consume, one for each CPU or
 * one for all of them, or somebody who takes memory or records away.
 *
 * A reader looks at a record where it lies in the sub-buffer that it took out of the ring.
 * That sub-buffer goes when the buffer is resized, gets sub-buffers of another
 * size or is emptied; so each of these counts as a reader of all CPUs.
 *
 * One lock for all instances. It nests in trace_types_lock and in
 * trace_event_sem, and nothing of tracing nests in it.
 */
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rwsem.h>

#include "instance.h"

/* Held for writing by who needs all CPUs; for reading with one of the mutexes. */
static DECLARE_RWSEM(whole_buffer);
static DEFINE_PER_CPU(struct mutex, cpu_buffer);

/**
 * trace_access_lock - keep others away from the records of a CPU
 * @cpu: CPU or RING_BUFFER_ALL_CPUS
 *
 * Task context, may sleep; for one CPU not before initcalls.
 */
void trace_access_lock(int cpu)
{
	if (cpu == RING_BUFFER_ALL_CPUS) {
		down_write(&whole_buffer);
		return;
	}
	down_read(&whole_buffer);
	mutex_lock(&per_cpu(cpu_buffer, cpu));
}

/**
 * trace_access_unlock - undo trace_access_lock()
 * @cpu: as there
 */
void trace_access_unlock(int cpu)
{
	if (cpu == RING_BUFFER_ALL_CPUS) {
		up_write(&whole_buffer);
		return;
	}
	mutex_unlock(&per_cpu(cpu_buffer, cpu));
	up_read(&whole_buffer);
}

static int __init trace_access_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		mutex_init(&per_cpu(cpu_buffer, cpu));
	return 0;
}
early_initcall(trace_access_init);
