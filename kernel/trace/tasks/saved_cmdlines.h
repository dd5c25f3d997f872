/* SPDX-License-Identifier: GPL-2.0-only */
/* Between saved_cmdlines.c, which keeps the names of tasks, and switch.c, which sees the tasks. */
#ifndef _KERNEL_TRACE_TASKS_SAVED_CMDLINES_H
#define _KERNEL_TRACE_TASKS_SAVED_CMDLINES_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/stddef.h>

#define CMDLINE_PID_BITS	15
#define CMDLINE_PIDS		BIT(CMDLINE_PID_BITS)
#define CMDLINE_PID_MASK	(CMDLINE_PIDS - 1)

/* A slot is named by 16 bits, and one of them means none. */
#define CMDLINE_SLOTS_MAX	(U16_MAX - 1)

struct cmdline_slot {
	seqcount_t	seq;
	int		pid;		/* 0: empty */
	/* compared by words; with lockdep a seqcount_t has another size */
	char		comm[TASK_COMM_LEN] __aligned(8);
};

/**
 * struct cmdline_table - all names
 * @by_pid:	slot by the low bits of the pid, 0 for none
 * @none:	in the place of the first slot, which is nobody's
 * @none.nr:	slots, without the first
 * @none.next:	the slot that is used next; store_lock
 * @slot:	slots
 */
struct cmdline_table {
	u16			by_pid[CMDLINE_PIDS];
	union {
		struct {
			seqcount_t	seq;
			int		pid;
			unsigned int	nr;
			unsigned int	next;
		} none;
		DECLARE_FLEX_ARRAY(struct cmdline_slot, slot);
	};
};

extern struct cmdline_table __rcu *cmdlines;

/*
 * Is the name of @task in @t, as it is now? The common case at a switch. No sequence count is
 * looked at: when the slot is given to another task in this moment it may as well have been
 * given away a moment later, and for a name that changes the task is switched out once more.
 * Idle tasks have a name of their own. Context: preemption off.
 */
static __always_inline bool cmdline_known(const struct cmdline_table *t,
					  const struct task_struct *task)
{
	const struct cmdline_slot *slot = t->slot;
	const u64 *is, *was;
	unsigned int at;

	if (!task->pid)
		return true;
	/* a slot that is given away at this moment counts as given away, or not */
	at = data_race(t->by_pid[task->pid & CMDLINE_PID_MASK]);
	/* computed in two steps, once and not at each use */
	OPTIMIZER_HIDE_VAR(slot);
	slot += at;
	OPTIMIZER_HIDE_VAR(slot);
	/* both are aligned so; one test of all, as in the end nothing differs */
	BUILD_BUG_ON(TASK_COMM_LEN != 16 || offsetof(struct cmdline_slot, comm) % 8 ||
		     offsetof(struct task_struct, comm) % 8);
	is = (const u64 *)task->comm;
	was = (const u64 *)slot->comm;
	return !((is[0] ^ was[0]) | (is[1] ^ was[1]) |
		 (u32)(slot->pid ^ task->pid));
}

#endif /* _KERNEL_TRACE_TASKS_SAVED_CMDLINES_H */
