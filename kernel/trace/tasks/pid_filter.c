// SPDX-License-Identifier: GPL-2.0-only
/* Files that choose tasks by their pids; see pid_filter.h. */
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>

#include "../instance/words.h"
#include "pid_filter.h"
#include "tasks.h"

/* Of a write, all of which is taken or nothing; larger ones in pieces of so many bytes. */
#define PIDS_MAX	SZ_1M

enum {
	PID_ERR_NO_PID,
	PID_ERR_TOO_LONG,
};

static const char *pid_errors[] = {
	[PID_ERR_NO_PID]	= "Not a pid",
	[PID_ERR_TOO_LONG]	= "Number is too long",
};

/**
 * trace_pid_filter_list - a list as its writers see it
 * @filter: of the instance
 * @kind: which list
 *
 * Context: task, event_mutex. Return: the list or NULL.
 */
struct trace_pid_list *trace_pid_filter_list(const struct trace_pid_filter *filter,
					     enum pid_list_kind kind)
{
	return rcu_dereference_protected(filter->lists[kind], lockdep_is_held(&event_mutex));
}

struct seeing {
	void	(*see)(void *data, int cpu, struct task_struct *task);
	void	*data;
};

static void see_current(void *data)
{
	const struct seeing *seeing = data;

	seeing->see(seeing->data, smp_processor_id(), current);
}

/**
 * trace_pids_see_all - lists have changed: ask them about the task that each CPU runs
 * @see: called for each possible CPU, with preemption off
 * @data: for @see
 *
 * On the CPU itself, where whoever runs there is not switched to any more; for one that is off,
 * here: the idle task will be the first.
 *
 * Context: task, event_mutex; takes the lock of CPU hotplug.
 */
void trace_pids_see_all(void (*see)(void *data, int cpu, struct task_struct *task), void *data)
{
	struct seeing seeing = { see, data };
	int cpu;

	guard(cpus_read_lock)();
	on_each_cpu(see_current, &seeing, 1);
	guard(preempt)();
	for_each_cpu_andnot(cpu, cpu_possible_mask, cpu_online_mask)
		see(data, cpu, &init_task);
}

/* --- children follow their parents */

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct trace_pid_filter *filter = data;

	for (int kind = 0; kind < PID_LISTS; kind++) {
		struct trace_pid_list *list = rcu_dereference_sched(filter->lists[kind]);

		/* without memory for the list the child goes its own way */
		if (list && trace_pid_list_is_set(list, parent->pid))
			trace_pid_list_set_atomic(list, child->pid);
	}
}

static void on_free(void *data, struct task_struct *task)
{
	struct trace_pid_filter *filter = data;

	for (int kind = 0; kind < PID_LISTS; kind++) {
		struct trace_pid_list *list = rcu_dereference_sched(filter->lists[kind]);

		/* the number may be somebody else's tomorrow */
		if (list)
			trace_pid_list_clear(list, task->pid);
	}
}

static int follow_fork(struct trace_pid_filter *filter, bool enable)
{
	int ret;

	if (!enable) {
		unregister_trace_sched_process_fork(on_fork, filter);
		unregister_trace_sched_process_free(on_free, filter);
		return 0;
	}

	/* The events of fork and exit themselves still see the lists as they were. */
	ret = register_trace_prio_sched_process_fork(on_fork, filter, INT_MIN);
	if (ret)
		return ret;
	ret = register_trace_prio_sched_process_free(on_free, filter, INT_MAX);
	if (ret)
		unregister_trace_sched_process_fork(on_fork, filter);
	return ret;
}

/**
 * trace_pid_flag_changed - instance_feature::flag_changed of who has such lists
 * @tr: the instance
 * @user: whose lists
 * @mask: the options that change
 * @enable: on or off
 *
 * Context: task. Return: 0, -ENOMEM.
 */
int trace_pid_flag_changed(struct trace_array *tr, const struct trace_pid_user *user,
			   unsigned long mask, bool enable)
{
	return mask & user->flag ? follow_fork(user->filter(tr), enable) : 0;
}

static void clear_list(struct trace_array *tr, const struct trace_pid_user *user,
		       enum pid_list_kind kind)
{
	if (trace_pid_filter_list(user->filter(tr), kind))
		user->replace(tr, kind, NULL);
}

/**
 * trace_pid_exit - instance_feature::exit of who has such lists
 * @tr: the instance
 * @user: whose lists
 *
 * Context: task, event_mutex.
 */
void trace_pid_exit(struct trace_array *tr, const struct trace_pid_user *user)
{
	if (tr->trace_flags & user->flag) {
		follow_fork(user->filter(tr), false);
		tr->trace_flags &= ~user->flag;
		tracepoint_synchronize_unregister();
	}
	for (int kind = 0; kind < PID_LISTS; kind++)
		clear_list(tr, user, kind);
}

/* --- the files */

/* seq_file.private */
struct pid_file {
	struct trace_array		*tr;
	const struct trace_pid_user	*user;
	enum pid_list_kind		kind;
};

static struct trace_pid_list *list_of(const struct pid_file *pf)
{
	return trace_pid_filter_list(pf->user->filter(pf->tr), pf->kind);
}

/* writing: numbers, all of them or none */
struct pid_write {
	struct trace_words	words;
	unsigned int		*pids;
	unsigned int		nr;
};

static int parse_pids(struct pid_write *w)
{
	char *word;

	while ((word = trace_words_next(&w->words))) {
		unsigned long pid;

		if (strlen(word) >= PAGE_SIZE)
			return trace_words_error(&w->words, word, PID_ERR_TOO_LONG, -EINVAL);
		if (kstrtoul(word, 0, &pid) || pid >= PID_MAX_LIMIT)
			return trace_words_error(&w->words, word, PID_ERR_NO_PID, -EINVAL);
		w->pids[w->nr++] = pid;
	}
	return 0;
}

/* All numbers of @w into @list, or an error and @list as it was. */
static int add_pids(struct trace_pid_list *list, const struct pid_write *w)
{
	unsigned int nr_new = 0;
	int ret = 0;

	for (unsigned int i = 0; i < w->nr && !ret; i++) {
		unsigned int pid = w->pids[i];

		if (trace_pid_list_is_set(list, pid))
			continue;
		ret = trace_pid_list_set(list, pid);
		if (!ret)
			w->pids[nr_new++] = pid;
	}

	while (ret && nr_new)
		trace_pid_list_clear(list, w->pids[--nr_new]);
	return ret;
}

static int apply_pids(const struct pid_file *pf, const struct pid_write *w)
{
	struct trace_pid_list *list = list_of(pf);
	int ret;

	if (!w->nr)
		return 0;

	/* Running probes take a bit more in their stride. */
	if (list) {
		ret = add_pids(list, w);
		if (!ret)
			pf->user->grown(pf->tr);
		return ret;
	}

	list = trace_pid_list_alloc();
	if (!list)
		return -ENOMEM;
	ret = add_pids(list, w);
	if (!ret)
		ret = pf->user->replace(pf->tr, pf->kind, list);
	if (ret)
		trace_pid_list_free(list);
	return ret;
}

ssize_t trace_pid_write(struct file *filp, const char __user *ubuf, size_t count, loff_t *ppos)
{
	const struct pid_file *pf = tracing_seq_private(filp);
	struct pid_write w = {
		.words = { .tr = pf->tr, .loc = pf->user->locs[pf->kind], .errs = pid_errors },
	};
	struct trace_words *words = &w.words;
	int ret;

	if (!count)
		return 0;

	ret = pf->user->ready ? pf->user->ready(pf->tr) : 0;
	if (ret < 0)
		return ret;
	ret = trace_words_read(words, ubuf, count, PIDS_MAX);
	if (ret)
		return ret;
	w.pids = kvcalloc(words->len / 2 + 1, sizeof(*w.pids), GFP_KERNEL);
	if (!w.pids) {
		ret = -ENOMEM;
		goto out;
	}

	scoped_guard(mutex, &event_mutex) {
		ret = trace_words_whole(words, PID_ERR_TOO_LONG);
		ret = ret ?: parse_pids(&w) ?: apply_pids(pf, &w);
	}
	if (!ret) {
		ret = words->len;
		*ppos += words->len;
	}
out:
	kvfree(w.pids);
	trace_words_free(words);
	return ret;
}

/* reading: a line a pid; the position in the file is the pid */
static void *pid_from(const struct pid_file *pf, loff_t *pos)
{
	struct trace_pid_list *list = list_of(pf);
	unsigned int pid;

	if (!list && pf->user->none && !*pos)
		return SEQ_START_TOKEN;
	if (!list || *pos >= PID_MAX_LIMIT || trace_pid_list_next(list, *pos, &pid))
		return NULL;
	*pos = pid;
	/* there is a pid 0, and SEQ_START_TOKEN is 1 */
	return (void *)(unsigned long)(pid + 2);
}

static void *pid_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&event_mutex);
	return pid_from(m->private, pos);
}

static void *pid_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return pid_from(m->private, pos);
}

static void pid_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&event_mutex);
}

static int pid_show(struct seq_file *m, void *v)
{
	const struct pid_file *pf = m->private;

	if (v == SEQ_START_TOKEN)
		seq_printf(m, "%s\n", pf->user->none);
	else
		seq_printf(m, "%lu\n", (unsigned long)v - 2);
	return 0;
}

TRACE_SEQ_LIST(pid);

/**
 * trace_pid_open - open the file of a list
 * @inode: its i_private is the instance
 * @filp: opened; what is opened to be overwritten loses its list
 * @user: whose list
 * @kind: which one
 *
 * Context: task. Return: 0, as tracing_check_open_get_tr(), -ENOMEM.
 */
int trace_pid_open(struct inode *inode, struct file *filp, const struct trace_pid_user *user,
		   enum pid_list_kind kind)
{
	struct trace_array *tr = inode->i_private;
	int ret = tracing_check_open_get_tr(tr);
	struct pid_file *pf;

	if (ret)
		return ret;
	pf = __seq_open_private(filp, &pid_seq_ops, sizeof(*pf));
	if (!pf) {
		trace_array_put(tr);
		return -ENOMEM;
	}
	*pf = (struct pid_file){ .tr = tr, .user = user, .kind = kind };
	if ((filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC)) {
		guard(mutex)(&event_mutex);
		clear_list(tr, user, kind);
	}
	return 0;
}

int trace_pid_release(struct inode *inode, struct file *filp)
{
	trace_array_put(inode->i_private);
	return seq_release_private(inode, filp);
}
