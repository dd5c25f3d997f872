/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a set of pids, for those who ask at each context switch. See pid_list.c. */
#ifndef _KERNEL_TRACE_TASKS_PID_LIST_H
#define _KERNEL_TRACE_TASKS_PID_LIST_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/math.h>
#include <linux/threads.h>

#define PID_LEAF_BITS	4096U
#define PID_LEAVES	DIV_ROUND_UP(PID_MAX_LIMIT, PID_LEAF_BITS)

struct trace_pid_list {
	unsigned long *leaf[PID_LEAVES];
};

/* trace_pid_list_is_set() for the pid of a task. */
static __always_inline bool trace_pid_list_has(const struct trace_pid_list *list,
					       unsigned int pid)
{
	/* pairs with the cmpxchg() in pid_leaf_make(), by address dependency */
	const unsigned long *leaf = READ_ONCE(list->leaf[pid / PID_LEAF_BITS]);

	return READ_ONCE(leaf[BIT_WORD(pid % PID_LEAF_BITS)]) >> (pid % BITS_PER_LONG) & 1;
}

#endif /* _KERNEL_TRACE_TASKS_PID_LIST_H */
