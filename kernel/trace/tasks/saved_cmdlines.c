// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is behind a pid: an entry only has the number, so the names of tasks are kept
 * as they are seen at a context switch (saved_cmdlines), and the process
 * of each thread if somebody asks for it (saved_tgids). Which tasks, switch.c decides.
 *
 * Names live in a ring of slots that is refilled in a circle; an array by pid
 * (its low 15 bits) leads to the slot. Looking, which is done for every
 * line that is printed and for every switch, takes no lock: each slot has a
 * sequence count and tells which pid it belongs to. Storing takes a raw lock that nobody
 * waits long for, see table_store().
 */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/vmalloc.h>

#include "../grace.h"
#include "saved_cmdlines.h"
#include "switch.h"
#include "tasks.h"

/* Enough for ten thousand tasks that come and go and record something each. */
#define SLOTS_DEFAULT	11000

struct cmdline_table __rcu *cmdlines;
static arch_spinlock_t store_lock = __ARCH_SPIN_LOCK_UNLOCKED;
/* How often the lock is tried: those who hold it have some ten instructions to go. */
#define STORE_TRIES	100

/* process by thread, index is the pid; NULL until record-tgid is set the first time */
static int *tgids;
static unsigned int nr_tgids;

static DEFINE_MUTEX(table_mutex);	/* who replaces the tables, or shows the names */

/* At least @nr slots: as many as fit into its pages. */
static struct cmdline_table *table_alloc(unsigned int nr)
{
	struct cmdline_table *t;
	size_t size = PAGE_ALIGN(struct_size(t, slot, nr + 1));

	t = vzalloc(size);
	if (!t)
		return NULL;
	nr = (size - offsetof(struct cmdline_table, slot)) / sizeof(t->slot[0]) - 1;
	t->none.nr = min(nr, CMDLINE_SLOTS_MAX);
	t->none.next = 1;
	for (unsigned int i = 0; i <= t->none.nr; i++)
		seqcount_init(&t->slot[i].seq);
	return t;
}

/* Copy the name of @pid. Return: was it there? Preemption off or RCU held. */
static bool table_find(struct cmdline_table *t, int pid, char comm[TASK_COMM_LEN])
{
	struct cmdline_slot *slot = &t->slot[READ_ONCE(t->by_pid[pid & CMDLINE_PID_MASK])];
	unsigned int seq;
	int owner;

	/* no waiting: this may be an NMI on top of the one who writes the slot */
	seq = raw_read_seqcount(&slot->seq);
	owner = READ_ONCE(slot->pid);
	memcpy(comm, slot->comm, TASK_COMM_LEN);
	if ((seq & 1) || read_seqcount_retry(&slot->seq, seq))
		return false;
	return owner == pid;
}

/*
 * Remember the name of @task. A lock that another CPU has is free in a moment, but for one that an
 * NMI finds taken by what it interrupted: it gives up, and so does who waits for a CPU that
 * is in an NMI for long. Interrupts are off, so that nobody else waits for himself.
 */
static void table_store(struct cmdline_table *t, struct task_struct *task)
{
	u16 *by_pid = &t->by_pid[task->pid & CMDLINE_PID_MASK];
	struct cmdline_slot *slot;
	unsigned int at, tries;
	unsigned long flags;

	raw_local_irq_save(flags);
	for (tries = STORE_TRIES; !arch_spin_trylock(&store_lock);) {
		if (!--tries)
			goto out;
		cpu_relax();
	}
	at = *by_pid;
	if (!at) {
		at = t->none.next;
		t->none.next = at < t->none.nr ? at + 1 : 1;
		slot = &t->slot[at];
		/* the one who had the slot is forgotten, unless another took its number's place */
		if (slot->pid && t->by_pid[slot->pid & CMDLINE_PID_MASK] == at)
			WRITE_ONCE(t->by_pid[slot->pid & CMDLINE_PID_MASK], 0);
		WRITE_ONCE(*by_pid, at);
	}
	slot = &t->slot[at];
	raw_write_seqcount_begin(&slot->seq);
	WRITE_ONCE(slot->pid, task->pid);
	memcpy(slot->comm, task->comm, TASK_COMM_LEN);
	slot->comm[TASK_COMM_LEN - 1] = 0;
	raw_write_seqcount_end(&slot->seq);
	arch_spin_unlock(&store_lock);
out:
	raw_local_irq_restore(flags);
}

/**
 * tracing_record_cmdline - remember a task's name
 * @task:	task
 *
 * Context: any.
 */
void tracing_record_cmdline(struct task_struct *task)
{
	struct cmdline_table *t;

	preempt_disable_notrace();
	t = rcu_dereference_sched(cmdlines);
	/* the idle tasks have a name of their own */
	if (t && !cmdline_known(t, task))
		table_store(t, task);
	preempt_enable_notrace();
}

/**
 * tracing_record_tgid - remember a task's process
 * @task:	task
 *
 * Context: any.
 */
void tracing_record_tgid(struct task_struct *task)
{
	/* pairs with the release in trace_alloc_tgid_map() */
	int *map = smp_load_acquire(&tgids);

	if (!task->pid || !map || task->pid >= nr_tgids)
		return;
	if (map[task->pid] != task->tgid)
		WRITE_ONCE(map[task->pid], task->tgid);
}

/**
 * tracing_record_taskinfo - remember what is asked for of a task
 * @task:	task
 * @flags:	TRACE_RECORD_CMDLINE, TRACE_RECORD_TGID
 *
 * Context: any.
 */
void tracing_record_taskinfo(struct task_struct *task, int flags)
{
	if (flags & TRACE_RECORD_CMDLINE)
		tracing_record_cmdline(task);
	if (flags & TRACE_RECORD_TGID)
		tracing_record_tgid(task);
}

/*
 * Who has recorded something and has not left the CPU since is in no table yet, or another one with
 * his number is. It is his for as long as he runs. A task of that number to whom the caller has RCU
 * to hold on, or NULL.
 */
static struct task_struct *find_running(int what, int pid)
{
	struct task_struct *task;

	/* a dump may come from anywhere */
	if (!(trace_switch_recorded() & what) || !rcu_is_watching())
		return NULL;
	task = find_task_by_pid_ns(pid, &init_pid_ns);
	return task && task_curr(task) ? task : NULL;
}

static bool comm_of_running(int pid, char comm[TASK_COMM_LEN])
{
	struct task_struct *task;

	guard(rcu)();
	task = find_running(TRACE_RECORD_CMDLINE, pid);
	if (task)
		strscpy_pad(comm, task->comm, TASK_COMM_LEN);
	return task;
}

static int tgid_of_running(int pid)
{
	struct task_struct *task;

	guard(rcu)();
	task = find_running(TRACE_RECORD_TGID, pid);
	return task ? task->tgid : 0;
}

/**
 * trace_find_cmdline - name of a task as it was seen last
 * @pid:	its pid
 * @comm:	the name, or something in angle brackets that says why there is none
 *
 * Context: any.
 */
void trace_find_cmdline(int pid, char comm[TASK_COMM_LEN])
{
	struct cmdline_table *t;
	bool found;

	if (!pid) {
		strscpy(comm, "<idle>", TASK_COMM_LEN);
		return;
	}
	if (WARN_ON_ONCE(pid < 0)) {
		strscpy(comm, "<XXX>", TASK_COMM_LEN);
		return;
	}
	preempt_disable_notrace();
	t = rcu_dereference_sched(cmdlines);
	/* the table again: he may leave between the two */
	found = t && (table_find(t, pid, comm) || comm_of_running(pid, comm) ||
		      table_find(t, pid, comm));
	preempt_enable_notrace();
	if (!found)
		strscpy(comm, "<...>", TASK_COMM_LEN);
}

/**
 * trace_find_tgid - process of a thread
 * @pid:	the thread
 *
 * Context: any. Return: its pid, or 0 when it is not known.
 */
int trace_find_tgid(int pid)
{
	/* pairs with the release in trace_alloc_tgid_map() */
	int *map = smp_load_acquire(&tgids);

	if (!map || pid <= 0 || pid >= nr_tgids)
		return 0;
	/* In the table is who had the number before, until who runs has left the CPU. */
	return tgid_of_running(pid) ?: READ_ONCE(map[pid]);
}

/**
 * trace_alloc_tgid_map - make room for the processes of all threads
 *
 * Room that was made stays: what was recorded is to be seen after recording went off.
 *
 * Context: task. Return: 0 or -ENOMEM.
 */
int trace_alloc_tgid_map(void)
{
	int *map, ret = 0;

	mutex_lock(&table_mutex);
	if (!tgids) {
		nr_tgids = READ_ONCE(pid_max) + 1;
		map = kvcalloc(nr_tgids, sizeof(*map), GFP_KERNEL);
		if (map)
			/* pairs with the acquires of those who look */
			smp_store_release(&tgids, map);
		else
			ret = -ENOMEM;
	}
	mutex_unlock(&table_mutex);
	return ret;
}

/* `saved_cmdlines`: position n is slot n + 1; what is empty prints nothing. */
static void *cmdlines_start(struct seq_file *m, loff_t *pos)
{
	struct cmdline_table *t;

	mutex_lock(&table_mutex);
	t = rcu_dereference_protected(cmdlines, lockdep_is_held(&table_mutex));
	return *pos < t->none.nr ? &t->slot[*pos + 1] : NULL;
}

static void *cmdlines_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct cmdline_table *t = rcu_dereference_protected(cmdlines,
							    lockdep_is_held(&table_mutex));

	++*pos;
	return *pos < t->none.nr ? &t->slot[*pos + 1] : NULL;
}

static void cmdlines_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&table_mutex);
}

static int cmdlines_show(struct seq_file *m, void *v)
{
	struct cmdline_slot *slot = v;
	char comm[TASK_COMM_LEN];
	int pid = READ_ONCE(slot->pid);

	if (!pid)
		return SEQ_SKIP;
	trace_find_cmdline(pid, comm);
	seq_printf(m, "%d %s\n", pid, comm);
	return 0;
}

TRACE_SEQ_LIST(cmdlines);

static int names_open(struct inode *inode, struct file *filp, const struct seq_operations *ops)
{
	int ret = tracing_open_generic(inode, filp);

	if (ret)
		return ret;
	trace_switch_record_running();
	return seq_open(filp, ops);
}

static int cmdlines_open(struct inode *inode, struct file *filp)
{
	return names_open(inode, filp, &cmdlines_seq_ops);
}

static const struct file_operations cmdlines_fops = {
	TRACE_SEQ_OPS(cmdlines_open, seq_release),
};

static ssize_t cmdlines_size_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	unsigned int nr;

	rcu_read_lock_sched();
	nr = rcu_dereference_sched(cmdlines)->none.nr;
	rcu_read_unlock_sched();
	return tracing_read_printf(ubuf, cnt, ppos, "%u\n", nr);
}

/* A table of another size begins empty. */
static int cmdlines_resize(unsigned int nr)
{
	struct cmdline_table *old, *new = table_alloc(nr);

	if (!new)
		return -ENOMEM;
	mutex_lock(&table_mutex);
	old = rcu_replace_pointer(cmdlines, new, lockdep_is_held(&table_mutex));
	mutex_unlock(&table_mutex);
	trace_switch_update();
	/* who stores or looks has preemption off */
	trace_synchronize_rcu();
	vfree(old);
	return 0;
}

static int cmdlines_size_set(struct file *filp, unsigned long nr)
{
	/* there are so many places for pids to lead to one */
	if (!nr || nr > PID_MAX_DEFAULT)
		return -EINVAL;
	return cmdlines_resize(nr);
}

TRACE_NUMBER_FOPS(cmdlines_size, tracing_open_generic, NULL, NULL);

/* `saved_tgids`: the position is the pid. */
static void *tgids_at(loff_t *pos)
{
	/* pairs with the release in trace_alloc_tgid_map() */
	int *map = smp_load_acquire(&tgids);

	if (!map)
		return NULL;
	while (*pos < nr_tgids && !READ_ONCE(map[*pos]))
		++*pos;
	return *pos < nr_tgids ? &map[*pos] : NULL;
}

static void *tgids_start(struct seq_file *m, loff_t *pos)
{
	return tgids_at(pos);
}

static void *tgids_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return tgids_at(pos);
}

static void tgids_stop(struct seq_file *m, void *v)
{
}

static int tgids_show(struct seq_file *m, void *v)
{
	int *tgid = v;

	seq_printf(m, "%d %d\n", (int)(tgid - tgids), READ_ONCE(*tgid));
	return 0;
}

TRACE_SEQ_LIST(tgids);

static int tgids_open(struct inode *inode, struct file *filp)
{
	return names_open(inode, filp, &tgids_seq_ops);
}

static const struct file_operations tgids_fops = {
	TRACE_SEQ_OPS(tgids_open, seq_release),
};

static void cmdline_top_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("saved_cmdlines", TRACE_MODE_READ, dir, NULL, &cmdlines_fops);
	trace_create_file("saved_cmdlines_size", TRACE_MODE_WRITE, dir, NULL, &cmdlines_size_fops);
	trace_create_file("saved_tgids", TRACE_MODE_READ, dir, NULL, &tgids_fops);
}

const struct instance_feature trace_cmdline_feature = {
	.name		= "saved_cmdlines",
	.top_files	= cmdline_top_files,
};

int __init trace_cmdline_init(void)
{
	struct cmdline_table *t = table_alloc(SLOTS_DEFAULT);

	if (!t)
		return -ENOMEM;
	rcu_assign_pointer(cmdlines, t);
	trace_switch_update();
	return 0;
}
