/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A lock that its own CPU may ask for again: taking it, waiting for it and what is done with it are
 * traced, contention_end when it is had at last, and a trigger on that may want it. An NMI may
 * want it anywhere. Neither may wait for what it has interrupted, so a byte of each CPU, @here,
 * says that this CPU has such a lock, or waits for it. Locks may have the byte in common.
 */
#ifndef _KERNEL_TRACE_LOCK_ONCE_H
#define _KERNEL_TRACE_LOCK_ONCE_H

#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/kgdb.h>
#include <linux/panic.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

/**
 * trace_cannot_wait - may who has a lock that we want be unable to give it back?
 *
 * In an NMI he may be what it interrupted. In a debugger, and where this CPU panics, the other CPUs
 * stand, and an NMI may have stopped them anywhere. Not by panic_on_this_cpu(), which is a function
 * that may be traced.
 *
 * Context: any.
 */
static __always_inline bool trace_cannot_wait(void)
{
	return in_nmi() || in_dbg_master() ||
	       unlikely(atomic_read(&panic_cpu) == raw_smp_processor_id());
}

/**
 * trace_unlock_once - undo trace_lock_once(), or trace_trylock_once()
 * @lock: the lock
 * @here: is this CPU at it?
 * @flags: interrupts as they were
 *
 * Context: as there.
 */
static inline void trace_unlock_once(raw_spinlock_t *lock, bool __percpu *here,
				     unsigned long flags)
{
	__acquire(lock);
	raw_spin_unlock(lock);
	barrier();
	__this_cpu_write(*here, false);
	local_irq_restore(flags);
}

/**
 * trace_lock_once - take a lock where nobody can have been interrupted at it
 * @lock: the lock
 * @here: is this CPU at it?
 * @flags: set to interrupts as they were
 *
 * Context: any but NMI, and not inside of itself.
 */
static inline void trace_lock_once(raw_spinlock_t *lock, bool __percpu *here,
				   unsigned long *flags)
{
	local_irq_save(*flags);
	__this_cpu_write(*here, true);
	barrier();
	raw_spin_lock(lock);
	/* For sparse, which would have each of its callers say that it takes a lock. */
	__release(lock);
}

/**
 * trace_trylock_once - take a lock, but do not wait for this CPU
 * @lock: the lock
 * @here: is this CPU at it?
 * @flags: set to interrupts as they were
 *
 * Context: any.
 * Return: false, and nothing is to be undone, if this CPU is at it, or if it is taken and
 * trace_cannot_wait().
 */
static inline bool trace_trylock_once(raw_spinlock_t *lock, bool __percpu *here,
				      unsigned long *flags)
{
	local_irq_save(*flags);
	if (__this_cpu_read(*here))
		goto refused;
	if (trace_cannot_wait()) {
		if (!raw_spin_trylock(lock))
			goto refused;
		__this_cpu_write(*here, true);
	} else {
		__this_cpu_write(*here, true);
		barrier();
		raw_spin_lock(lock);
	}
	/* for sparse, as above */
	__release(lock);
	return true;
refused:
	local_irq_restore(*flags);
	return false;
}

#endif /* _KERNEL_TRACE_LOCK_ONCE_H */
