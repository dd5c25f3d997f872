// SPDX-License-Identifier: GPL-2.0-only
/*
 * A set of pids that any context may ask, and that grows where nobody may sleep.
 *
 * Two levels: a fixed table of leaves, each leaf a bitmap of PID_LEAF_BITS
 * pids. A leaf is made when its first pid comes and stays until the list goes,
 * so a reader that found one may use it as long as it may use the list, and
 * bits change with one atomic operation. That is what the probes on fork, exit
 * and sched_switch need; they run with interrupts off and must not wait for
 * each other.
 *
 * The probe on fork may need a leaf, and with PREEMPT_RT nobody gets memory, or gives it back,
 * who has preemption off. So some leaves lie ready, and an irq_work, which is a thread's there,
 * replaces them.
 */
#include <linux/bitmap.h>
#include <linux/cleanup.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/threads.h>

#include "pid_list.h"
#include "tasks.h"

/* In the place of leaves that are not made yet, so that who looks need not ask; never written. */
static unsigned long no_pids[BITS_TO_LONGS(PID_LEAF_BITS)];

/* NULL when there is none yet. */
static unsigned long *pid_leaf(struct trace_pid_list *list, unsigned int pid)
{
	/*
	 * Pairs with the cmpxchg() in pid_leaf_add(), which is ordered: the bitmap is seen
	 * zeroed, by address dependency.
	 */
	unsigned long *leaf = READ_ONCE(list->leaf[pid / PID_LEAF_BITS]);

	return leaf == no_pids ? NULL : leaf;
}

static unsigned long *leaf_alloc(gfp_t gfp)
{
	return kzalloc(PID_LEAF_BITS / BITS_PER_BYTE, gfp);
}

static unsigned long *spare_get(struct trace_pid_list *list)
{
	unsigned long *spare;

	scoped_guard(raw_spinlock_irqsave, &list->lock) {
		spare = list->spare;
		if (spare) {
			list->spare = (unsigned long *)*spare;
			*spare = 0;
			list->nr_spare--;
		}
	}
	irq_work_queue(&list->refill);
	return spare;
}

/* @spare has no pids. */
static void spare_put(struct trace_pid_list *list, unsigned long *spare)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&list->lock, flags);
	*spare = (unsigned long)list->spare;
	list->spare = spare;
	list->nr_spare++;
	raw_spin_unlock_irqrestore(&list->lock, flags);
}

/* False: there is no memory for so many. */
static bool spares_fill(struct trace_pid_list *list, gfp_t gfp)
{
	unsigned long *spare;

	while (READ_ONCE(list->nr_spare) < PID_SPARES) {
		spare = leaf_alloc(gfp);
		if (!spare)
			return false;
		spare_put(list, spare);
	}
	return true;
}

static void refill_work(struct irq_work *work)
{
	spares_fill(container_of(work, struct trace_pid_list, refill), GFP_NOWAIT | __GFP_NOWARN);
}

/* Have a leaf for @pid; @fresh is one without pids. False: there is one, and @fresh is left. */
static bool pid_leaf_add(struct trace_pid_list *list, unsigned int pid, unsigned long *fresh)
{
	return cmpxchg(&list->leaf[pid / PID_LEAF_BITS], no_pids, fresh) == no_pids;
}

/**
 * trace_pid_list_alloc - make an empty list
 *
 * Context: task, may sleep.
 * Return: the list or NULL when there is no memory.
 */
struct trace_pid_list *trace_pid_list_alloc(void)
{
	struct trace_pid_list *list = kzalloc(sizeof(*list), GFP_KERNEL);

	if (!list)
		return NULL;
	for (unsigned int i = 0; i < PID_LEAVES; i++)
		list->leaf[i] = no_pids;
	raw_spin_lock_init(&list->lock);
	init_irq_work(&list->refill, refill_work);
	if (spares_fill(list, GFP_KERNEL))
		return list;
	trace_pid_list_free(list);
	return NULL;
}

/**
 * trace_pid_list_free - free a list
 * @pid_list: the list, which nobody can reach any more, or NULL
 *
 * Context: task, may sleep.
 */
void trace_pid_list_free(struct trace_pid_list *pid_list)
{
	unsigned long *spare, *next;

	if (!pid_list)
		return;

	irq_work_sync(&pid_list->refill);
	for (spare = pid_list->spare; spare; spare = next) {
		next = (unsigned long *)*spare;
		kfree(spare);
	}
	for (unsigned int i = 0; i < PID_LEAVES; i++)
		if (pid_list->leaf[i] != no_pids)
			kfree(pid_list->leaf[i]);
	kfree(pid_list);
}

/**
 * trace_pid_list_is_set - ask for a pid
 * @pid_list: the list
 * @pid: any number; one that can not be a pid is in no list
 *
 * Context: any; the caller keeps the list alive.
 */
bool trace_pid_list_is_set(struct trace_pid_list *pid_list, unsigned int pid)
{
	return pid < PID_MAX_LIMIT && trace_pid_list_has(pid_list, pid);
}

static __always_inline int pid_set(struct trace_pid_list *pid_list, unsigned int pid, bool atomic)
{
	unsigned long *fresh;

	if (pid >= PID_MAX_LIMIT)
		return -EINVAL;

	if (!pid_leaf(pid_list, pid)) {
		fresh = atomic ? spare_get(pid_list) : leaf_alloc(GFP_KERNEL);
		if (!fresh)
			return -ENOMEM;
		if (!pid_leaf_add(pid_list, pid, fresh)) {
			/* somebody was faster */
			if (atomic)
				spare_put(pid_list, fresh);
			else
				kfree(fresh);
		}
	}
	set_bit(pid % PID_LEAF_BITS, pid_leaf(pid_list, pid));
	return 0;
}

/**
 * trace_pid_list_set - add a pid
 * @pid_list: the list
 * @pid: the pid; one that is in the list already stays there
 *
 * Context: task, may sleep.
 * Return: 0, -EINVAL for what can not be a pid, -ENOMEM.
 */
int trace_pid_list_set(struct trace_pid_list *pid_list, unsigned int pid)
{
	return pid_set(pid_list, pid, false);
}

/**
 * trace_pid_list_set_atomic - add a pid where no memory can be had
 * @pid_list: the list
 * @pid: the pid; one that is in the list already stays there
 *
 * Context: any but NMI.
 * Return: 0, -EINVAL for what can not be a pid, -ENOMEM.
 */
int trace_pid_list_set_atomic(struct trace_pid_list *pid_list, unsigned int pid)
{
	return pid_set(pid_list, pid, true);
}

/**
 * trace_pid_list_clear - take a pid out
 * @pid_list: the list
 * @pid: the pid; one that is not in the list is no error
 *
 * Context: any.
 * Return: 0, -EINVAL for what can not be a pid.
 */
int trace_pid_list_clear(struct trace_pid_list *pid_list, unsigned int pid)
{
	unsigned long *leaf;

	if (pid >= PID_MAX_LIMIT)
		return -EINVAL;

	leaf = pid_leaf(pid_list, pid);
	if (leaf)
		clear_bit(pid % PID_LEAF_BITS, leaf);
	return 0;
}

/**
 * trace_pid_list_next - the next pid of the list
 * @pid_list: the list
 * @pid: where to begin; this pid counts
 * @next: where the answer goes
 *
 * Context: any. Pids that come and go meanwhile may be seen or not.
 * Return: 0, or -1 when there is none from @pid on.
 */
int trace_pid_list_next(struct trace_pid_list *pid_list, unsigned int pid, unsigned int *next)
{
	while (pid < PID_MAX_LIMIT) {
		unsigned long *leaf = pid_leaf(pid_list, pid);
		unsigned int base = round_down(pid, PID_LEAF_BITS);
		unsigned int bit = PID_LEAF_BITS;

		if (leaf)
			bit = find_next_bit(leaf, PID_LEAF_BITS, pid - base);
		if (bit < PID_LEAF_BITS) {
			*next = base + bit;
			return 0;
		}
		pid = base + PID_LEAF_BITS;
	}
	return -1;
}
