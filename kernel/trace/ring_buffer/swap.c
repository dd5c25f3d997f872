// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exchange the rings of two buffers, for snapshots and for tracers that keep
 * the worst case.
 *
 * What is exchanged is rb_cpu::ring, a pointer for each CPU. Everything that
 * writers and readers know about a ring stands in the ring; what belongs to
 * the buffer - is it recording, by what clock, who waits, who iterates - stands
 * in rb_cpu and stays. So a swap needs to stop nobody:
 *
 * Writers look the ring up once and carry it from reserve to commit, see "Swap"
 * in write.c. A writer that is under way finishes in the ring it is in.
 *
 * Readers look it up with interrupts off, lock it and look again. A reader that
 * is under way has read before the swap; that is all there is to it, as what it
 * changes is the ring, too. Iterators see by rb_ring::generation that they are
 * somewhere else now and begin anew.
 *
 * Who waits for one of the buffers is woken and looks again.
 *
 * Who changes the shape of a buffer, or wants its rings to stay for other
 * reasons, forbids swaps meanwhile: rb_swap_forbid(). After that no swap is
 * under way, and after a synchronize_rcu() no writer is left either who found
 * a ring elsewhere and is still in it.
 *
 *  W5 what made a ring what it is	   R5 load rb_cpu::ring; load from
 *     (rb_ring_start()); release	      the ring, by that address
 *     rb_cpu::ring
 *  W6 store rb_cpu::ring; smp_mb();	   R6 set a bit in rb_cpu::wake, a full
 *     load rb_cpu::wake		      barrier; load rb_cpu::ring
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>

#include "../lock_once.h"
#include "internal.h"

/* Swaps against each other, and against who must not see one. */
static DEFINE_RAW_SPINLOCK(rb_swap_lock);

/* This CPU has the lock, or waits for it. */
static DEFINE_PER_CPU(bool, rb_swap_here);

/**
 * rb_swap_enter - keep swaps out
 * @flags: interrupts as they were, for rb_swap_leave()
 *
 * For some instructions. A swap that is asked for on this CPU meanwhile gives -EBUSY.
 *
 * Context: any but NMI, and not inside of itself.
 */
void rb_swap_enter(unsigned long *flags)
{
	trace_lock_once(&rb_swap_lock, &rb_swap_here, flags);
}

/**
 * rb_swap_leave - undo rb_swap_enter()
 * @flags: from there
 *
 * Context: as there.
 */
void rb_swap_leave(unsigned long *flags)
{
	trace_unlock_once(&rb_swap_lock, &rb_swap_here, *flags);
}

/**
 * rb_swap_forbid - the rings of a buffer are to stay where they are
 * @buffer: the buffer
 *
 * A swap gives -EBUSY until rb_swap_allow(). Counts.
 *
 * Context: any but NMI.
 */
void rb_swap_forbid(struct trace_buffer *buffer)
{
	unsigned long flags;

	rb_swap_enter(&flags);
	buffer->swaps_forbidden++;
	rb_swap_leave(&flags);
}

/**
 * rb_swap_allow - undo one rb_swap_forbid()
 * @buffer: the buffer
 *
 * What was done to the rings before this is known to who finds them after a
 * swap: the lock hands it to the swap, and the swap on by W5.
 *
 * Context: any but NMI.
 */
void rb_swap_allow(struct trace_buffer *buffer)
{
	unsigned long flags;

	rb_swap_enter(&flags);
	buffer->swaps_forbidden--;
	rb_swap_leave(&flags);
}

#ifdef CONFIG_RING_BUFFER_ALLOW_SWAP
/* Can they be exchanged? */
static int rb_swap_check(struct rb_cpu *in_a, struct rb_cpu *in_b)
{
	struct rb_ring *a = in_a->ring, *b = in_b->ring;

	if (a->nr != b->nr || a->limit != b->limit)
		return -EINVAL;
	return 0;
}

/*
 * Whoever comes between the two stores finds the same ring in both buffers,
 * which does no harm: it is a ring of this CPU, with a lock for its readers.
 */
static void rb_swap_rings(struct rb_cpu *in_a, struct rb_cpu *in_b)
{
	struct rb_ring *a = in_a->ring, *b = in_b->ring;

	WRITE_ONCE(a->home, in_b);
	WRITE_ONCE(b->home, in_a);
	/* W5 */
	smp_store_release(&in_a->ring, b);
	smp_store_release(&in_b->ring, a);	/* W5 */
}

/* All of these CPUs or none. The caller has rb_swap_lock. */
static int rb_swap_locked(struct trace_buffer *buffer_a, struct trace_buffer *buffer_b,
			  const struct cpumask *cpus)
{
	struct rb_cpu *a, *b;
	int cpu, ret;

	if (buffer_a->swaps_forbidden || buffer_b->swaps_forbidden)
		return -EBUSY;

	for_each_cpu(cpu, cpus) {
		a = rb_cpu_at(buffer_a, cpu);
		b = rb_cpu_at(buffer_b, cpu);
		ret = a && b ? rb_swap_check(a, b) : 0;
		if (ret)
			return ret;
	}
	for_each_cpu(cpu, cpus) {
		a = rb_cpu_at(buffer_a, cpu);
		b = rb_cpu_at(buffer_b, cpu);
		if (a && b)
			rb_swap_rings(a, b);
	}
	/* W6/R6 */
	smp_mb();
	for_each_cpu(cpu, cpus) {
		rb_wake_changed(rb_cpu_of(buffer_a, cpu));
		rb_wake_changed(rb_cpu_of(buffer_b, cpu));
	}
	return 0;
}

static int rb_swap(struct trace_buffer *buffer_a, struct trace_buffer *buffer_b,
		   const struct cpumask *cpus)
{
	unsigned long flags;
	int ret;

	if (!trace_trylock_once(&rb_swap_lock, &rb_swap_here, &flags))
		return -EBUSY;
	ret = rb_swap_locked(buffer_a, buffer_b, cpus);
	rb_swap_leave(&flags);
	return ret;
}

/**
 * ring_buffer_swap - exchange what two buffers recorded
 * @buffer_a: one buffer
 * @buffer_b: the other buffer
 *
 * Recording need not stop, nor be on, and every record is in one of the two
 * buffers afterwards. The CPUs are exchanged one after the other: what they
 * write meanwhile is in the one or the other. A record that is being written
 * goes where its ring goes; who has to know that what @buffer_b has now is
 * complete calls synchronize_rcu().
 *
 * A CPU for which only one of them has a ring (the other was made while it was
 * offline) keeps what it has.
 *
 * Both must have the same clock: a record's time goes with its ring, and one that
 * continues the other clock's times would be put before or long after its neighbours.
 *
 * Context: any, NMI included.
 * Return: 0; -EINVAL if rings have different sizes; -EBUSY if the size of one
 * of the buffers is being changed or it is being reset, if this comes in the middle
 * of another swap on this CPU, or if there is a swap already and we cannot wait
 * (trace_cannot_wait()). Nothing is exchanged then.
 */
int ring_buffer_swap(struct trace_buffer *buffer_a, struct trace_buffer *buffer_b)
{
	return rb_swap(buffer_a, buffer_b, cpu_possible_mask);
}
EXPORT_SYMBOL_GPL(ring_buffer_swap);

/**
 * ring_buffer_swap_cpu - exchange what two buffers recorded on a CPU
 * @buffer_a: one buffer
 * @buffer_b: the other buffer
 * @cpu: the CPU, any; it need not be the one we are on, nor be online
 *
 * See ring_buffer_swap().
 *
 * Context: any, NMI included.
 * Return: 0; -EINVAL if the rings have different sizes or do not exist; -EBUSY
 * as ring_buffer_swap().
 */
int ring_buffer_swap_cpu(struct trace_buffer *buffer_a,
			 struct trace_buffer *buffer_b, int cpu)
{
	if (!rb_cpu_at(buffer_a, cpu) || !rb_cpu_at(buffer_b, cpu))
		return -EINVAL;
	return rb_swap(buffer_a, buffer_b, cpumask_of(cpu));
}
EXPORT_SYMBOL_GPL(ring_buffer_swap_cpu);
#endif
