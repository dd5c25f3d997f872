// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is behind a pid: an entry only has the number, so the names of tasks are kept
 * as they are seen at a context switch (saved_cmdlines), and the process
 * of each thread if somebody asks for it (saved_tgids).
 *
 * Names live in a ring of slots that is refilled in a circle; an array by pid
 * (its low 15 bits) leads to the slot. Looking, which is done for every
 * line that is printed and for every switch, takes no lock: each slot has a
 * sequence count and tells which pid it belongs to. Storing takes a raw lock that nobody
 * waits for: who finds it taken leaves the name for the next switch.
 */
#include <linux/log2.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/vmalloc.h>

#include <trace/events/sched.h>

#include "tasks.h"

#define SLOTS_DEFAULT	128
#define PID_BITS	15
#define PID_MASK	(BIT(PID_BITS) - 1)
#define NO_SLOT		UINT_MAX

struct cmdline_slot {
	seqcount_t	seq;
	int		pid;		/* 0: empty */
	char		comm[TASK_COMM_LEN];
};

/**
 * struct cmdline_table - all names
 * @nr:		slots
 * @next:	the slot that is used next; store_lock
 * @by_pid:	slot by the low bits of the pid, or NO_SLOT
 * @slot:	slots
 */
struct cmdline_table {
	unsigned int		nr;
	unsigned int		next;
	unsigned int		by_pid[BIT(PID_BITS)];
	struct cmdline_slot	slot[];
};

static struct cmdline_table __rcu *cmdlines;
static arch_spinlock_t store_lock = __ARCH_SPIN_LOCK_UNLOCKED;

/* process by thread, index is the pid; NULL until record-tgid is set the first time */
static int *tgids;
static unsigned int nr_tgids;

static DEFINE_MUTEX(record_mutex);	/* the counters, and who replaces the tables */
static int cmdline_users, tgid_users;

/* At least @nr slots: as many as fit into the memory that has to be taken anyway. */
static struct cmdline_table *table_alloc(unsigned int nr)
{
	struct cmdline_table *t;
	size_t size = roundup_pow_of_two(struct_size(t, slot, nr));

	t = vzalloc(size);
	if (!t)
		return NULL;
	nr = (size - offsetof(struct cmdline_table, slot)) / sizeof(t->slot[0]);
	t->nr = nr;
	memset(t->by_pid, 0xff, sizeof(t->by_pid));
	for (unsigned int i = 0; i < nr; i++)
		seqcount_init(&t->slot[i].seq);
	return t;
}

/* Copy the name of @pid. Return: was it there? Preemption off or RCU held. */
static bool table_find(struct cmdline_table *t, int pid, char comm[TASK_COMM_LEN])
{
	unsigned int at = READ_ONCE(t->by_pid[pid & PID_MASK]), seq;
	struct cmdline_slot *slot;
	int owner;

	if (at == NO_SLOT)
		return false;
	slot = &t->slot[at];
	/* no waiting: this may be an NMI on top of the one who writes the slot */
	seq = raw_read_seqcount(&slot->seq);
	owner = READ_ONCE(slot->pid);
	memcpy(comm, slot->comm, TASK_COMM_LEN);
	if ((seq & 1) || read_seqcount_retry(&slot->seq, seq))
		return false;
	return owner == pid;
}

/* Remember the name of @task. Return: false when it has to be tried again. */
static bool table_store(struct cmdline_table *t, struct task_struct *task)
{
	unsigned int at;
	struct cmdline_slot *slot;
	int pid = task->pid;

	if (!arch_spin_trylock(&store_lock))
		return false;
	at = t->by_pid[pid & PID_MASK];
	if (at == NO_SLOT) {
		at = t->next;
		t->next = at + 1 < t->nr ? at + 1 : 0;
		slot = &t->slot[at];
		/* the one who had the slot is forgotten, unless another took its number's place */
		if (slot->pid && t->by_pid[slot->pid & PID_MASK] == at)
			WRITE_ONCE(t->by_pid[slot->pid & PID_MASK], NO_SLOT);
		WRITE_ONCE(t->by_pid[pid & PID_MASK], at);
	}
	slot = &t->slot[at];
	raw_write_seqcount_begin(&slot->seq);
	WRITE_ONCE(slot->pid, pid);
	memcpy(slot->comm, task->comm, TASK_COMM_LEN);
	slot->comm[TASK_COMM_LEN - 1] = 0;
	raw_write_seqcount_end(&slot->seq);
	arch_spin_unlock(&store_lock);
	return true;
}

/* Is the name of @task known as it is now? The common case at a switch. */
static bool table_has(struct cmdline_table *t, struct task_struct *task)
{
	unsigned int at = READ_ONCE(t->by_pid[task->pid & PID_MASK]);
	struct cmdline_slot *slot;

	if (at == NO_SLOT)
		return false;
	slot = &t->slot[at];
	/* a name that changes meanwhile is found different now or at the next switch */
	return READ_ONCE(slot->pid) == task->pid &&
	       !memcmp(slot->comm, task->comm, TASK_COMM_LEN);
}

static bool save_cmdline(struct task_struct *task)
{
	struct cmdline_table *t;
	bool saved = true;

	/* the idle tasks have a name of their own */
	if (!task->pid)
		return true;
	preempt_disable_notrace();
	t = rcu_dereference_sched(cmdlines);
	if (t && !table_has(t, task))
		saved = table_store(t, task);
	preempt_enable_notrace();
	return saved;
}

static bool save_tgid(struct task_struct *task)
{
	/* pairs with the release in trace_alloc_tgid_map() */
	int *map = smp_load_acquire(&tgids);

	if (!task->pid)
		return true;
	if (!map || task->pid >= nr_tgids)
		return false;
	if (map[task->pid] != task->tgid)
		WRITE_ONCE(map[task->pid], task->tgid);
	return true;
}

/**
 * tracing_record_cmdline - remember a task's name
 * @task:	task
 *
 * Context: any.
 */
void tracing_record_cmdline(struct task_struct *task)
{
	save_cmdline(task);
}

/**
 * tracing_record_tgid - remember a task's process
 * @task:	task
 *
 * Context: any.
 */
void tracing_record_tgid(struct task_struct *task)
{
	save_tgid(task);
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
		save_cmdline(task);
	if (flags & TRACE_RECORD_TGID)
		save_tgid(task);
}

/**
 * tracing_record_taskinfo_sched_switch - the same for both sides of a switch
 * @prev:	task that leaves
 * @next:	task that comes
 * @flags:	TRACE_RECORD_CMDLINE, TRACE_RECORD_TGID
 *
 * Context: any.
 */
void tracing_record_taskinfo_sched_switch(struct task_struct *prev, struct task_struct *next,
					  int flags)
{
	tracing_record_taskinfo(prev, flags);
	tracing_record_taskinfo(next, flags);
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
	found = t && table_find(t, pid, comm);
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

	return map && pid > 0 && pid < nr_tgids ? READ_ONCE(map[pid]) : 0;
}

/* Probes of the scheduler, while somebody records with names or processes. */
static int probe_flags(void)
{
	return (READ_ONCE(cmdline_users) ? TRACE_RECORD_CMDLINE : 0) |
	       (READ_ONCE(tgid_users) ? TRACE_RECORD_TGID : 0);
}

static void probe_switch(void *ignore, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	tracing_record_taskinfo_sched_switch(prev, next, probe_flags());
}

static void probe_wakeup(void *ignore, struct task_struct *wakee)
{
	tracing_record_taskinfo_sched_switch(current, wakee, probe_flags());
}

/* All three or none. */
static int probes_register(void)
{
	int ret = register_trace_sched_wakeup(probe_wakeup, NULL);

	if (ret)
		return ret;
	ret = register_trace_sched_wakeup_new(probe_wakeup, NULL);
	if (ret)
		goto wakeup;
	ret = register_trace_sched_switch(probe_switch, NULL);
	if (!ret)
		return 0;
	unregister_trace_sched_wakeup_new(probe_wakeup, NULL);
wakeup:
	unregister_trace_sched_wakeup(probe_wakeup, NULL);
	return ret;
}

static void probes_unregister(void)
{
	unregister_trace_sched_switch(probe_switch, NULL);
	unregister_trace_sched_wakeup_new(probe_wakeup, NULL);
	unregister_trace_sched_wakeup(probe_wakeup, NULL);
}

static void record_start(int *users)
{
	mutex_lock(&record_mutex);
	if (!cmdline_users && !tgid_users && probes_register())
		pr_warn("tracing: names of tasks can not be recorded\n");
	WRITE_ONCE(*users, *users + 1);
	mutex_unlock(&record_mutex);
}

static void record_stop(int *users)
{
	mutex_lock(&record_mutex);
	if (!WARN_ON(!*users)) {
		WRITE_ONCE(*users, *users - 1);
		if (!cmdline_users && !tgid_users)
			probes_unregister();
	}
	mutex_unlock(&record_mutex);
}

/**
 * tracing_start_cmdline_record - record names of tasks from now on
 *
 * Calls nest. Context: task.
 */
void tracing_start_cmdline_record(void)
{
	record_start(&cmdline_users);
}

/** tracing_stop_cmdline_record - undo one tracing_start_cmdline_record() */
void tracing_stop_cmdline_record(void)
{
	record_stop(&cmdline_users);
}

/**
 * tracing_start_tgid_record - record processes of threads from now on
 *
 * Calls nest; trace_alloc_tgid_map() comes before the first. Context: task.
 */
void tracing_start_tgid_record(void)
{
	record_start(&tgid_users);
}

/** tracing_stop_tgid_record - undo one tracing_start_tgid_record() */
void tracing_stop_tgid_record(void)
{
	record_stop(&tgid_users);
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

	mutex_lock(&record_mutex);
	if (!tgids) {
		nr_tgids = READ_ONCE(pid_max) + 1;
		map = kvcalloc(nr_tgids, sizeof(*map), GFP_KERNEL);
		if (map)
			/* pairs with the acquires of those who look */
			smp_store_release(&tgids, map);
		else
			ret = -ENOMEM;
	}
	mutex_unlock(&record_mutex);
	return ret;
}

/* `saved_cmdlines`: position n is slot n - 1; what is empty prints nothing. */
static void *cmdlines_start(struct seq_file *m, loff_t *pos)
{
	struct cmdline_table *t;

	mutex_lock(&record_mutex);
	t = rcu_dereference_protected(cmdlines, lockdep_is_held(&record_mutex));
	return *pos < t->nr ? &t->slot[*pos] : NULL;
}

static void *cmdlines_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct cmdline_table *t = rcu_dereference_protected(cmdlines,
							    lockdep_is_held(&record_mutex));

	++*pos;
	return *pos < t->nr ? &t->slot[*pos] : NULL;
}

static void cmdlines_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&record_mutex);
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

static const struct seq_operations cmdlines_seq_ops = {
	.start	= cmdlines_start,
	.next	= cmdlines_next,
	.stop	= cmdlines_stop,
	.show	= cmdlines_show,
};

static int cmdlines_open(struct inode *inode, struct file *filp)
{
	return tracing_open_generic(inode, filp) ?: seq_open(filp, &cmdlines_seq_ops);
}

static const struct file_operations cmdlines_fops = {
	.open		= cmdlines_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release,
};

static ssize_t cmdlines_size_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	char buf[16];
	int len;

	rcu_read_lock_sched();
	len = scnprintf(buf, sizeof(buf), "%u\n", rcu_dereference_sched(cmdlines)->nr);
	rcu_read_unlock_sched();
	return simple_read_from_buffer(ubuf, cnt, ppos, buf, len);
}

/* A table of another size begins empty. */
static int cmdlines_resize(unsigned int nr)
{
	struct cmdline_table *old, *new = table_alloc(nr);

	if (!new)
		return -ENOMEM;
	mutex_lock(&record_mutex);
	old = rcu_replace_pointer(cmdlines, new, lockdep_is_held(&record_mutex));
	mutex_unlock(&record_mutex);
	/* who stores or looks has preemption off */
	synchronize_rcu();
	vfree(old);
	return 0;
}

static ssize_t cmdlines_size_write(struct file *filp, const char __user *ubuf, size_t cnt,
				   loff_t *ppos)
{
	unsigned long nr;
	int ret = kstrtoul_from_user(ubuf, cnt, 10, &nr);

	if (ret)
		return ret;
	/* there are so many places for pids to lead to one */
	if (!nr || nr > PID_MAX_DEFAULT)
		return -EINVAL;
	ret = cmdlines_resize(nr);
	if (ret)
		return ret;
	*ppos += cnt;
	return cnt;
}

static const struct file_operations cmdlines_size_fops = {
	.open	= tracing_open_generic,
	.read	= cmdlines_size_read,
	.write	= cmdlines_size_write,
	.llseek	= generic_file_llseek,
};

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

static const struct seq_operations tgids_seq_ops = {
	.start	= tgids_start,
	.next	= tgids_next,
	.stop	= tgids_stop,
	.show	= tgids_show,
};

static int tgids_open(struct inode *inode, struct file *filp)
{
	return tracing_open_generic(inode, filp) ?: seq_open(filp, &tgids_seq_ops);
}

static const struct file_operations tgids_fops = {
	.open		= tgids_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release,
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
	return 0;
}
