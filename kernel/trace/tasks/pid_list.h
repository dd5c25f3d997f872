/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a set of pids, for those who ask at each context switch. See pid_list.c. */
#ifndef _KERNEL_TRACE_TASKS_PID_LIST_H
#define _KERNEL_TRACE_TASKS_PID_LIST_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/math.h>
#include <linux/spinlock_types.h>
#include <linux/threads.h>

#define PID_LEAF_BITS	4096U
#define PID_LEAVES	DIV_ROUND_UP(PID_MAX_LIMIT, PID_LEAF_BITS)

/* Leaves that lie ready: a fork takes one where no memory can be had. */
#define PID_SPARES	6U

/**
 * struct trace_pid_list - a set of pids
 * @leaf:	a bitmap each
 * @lock:	of the spares; taken with interrupts off
 * @spare:	the first of them, whose first word leads to the next
 * @nr_spare:	how many
 * @refill:	sees to it that there are PID_SPARES
 */
struct trace_pid_list {
	unsigned long	*leaf[PID_LEAVES];
	raw_spinlock_t	lock;		/* see above */
	unsigned long	*spare;
	unsigned int	nr_spare;
	struct irq_work	refill;
};

/* trace_pid_list_is_set() for the pid of a task. */
static __always_inline bool trace_pid_list_has(const struct trace_pid_list *list,
					       unsigned int pid)
{
	/* pairs with the cmpxchg() in pid_leaf_add(), by address dependency */
	const unsigned long *leaf = READ_ONCE(list->leaf[pid / PID_LEAF_BITS]);

	return READ_ONCE(leaf[BIT_WORD(pid % PID_LEAF_BITS)]) >> (pid % BITS_PER_LONG) & 1;
}

#endif /* _KERNEL_TRACE_TASKS_PID_LIST_H */
