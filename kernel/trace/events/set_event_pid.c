// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_event_pid and set_event_notrace_pid: which tasks an instance records
 * events of, and the option event-fork, with which children follow.
 *
 * The lists are asked when a CPU switches tasks, not when an event comes: the
 * answer waits in the instance's per CPU ignore_pid (tasks/switch.c), and event files carry
 * EVENT_FILE_FL_PID_FILTER for as long as a list is there. Two kinds of events are
 * about somebody else than the running task, and are recorded when either of the two is
 * followed. The probe of sched_switch is called by switch.c, if it is to be. Before the
 * probes of the wakeups another one runs, while they are on, and works out the answer
 * for them.
 */
#include <kunit/visibility.h>
#include <linux/cpu.h>
#include <linux/fs.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

#include <trace/events/sched.h>

#include "../instance/words.h"
#include "../tasks/switch.h"
#include "../tasks/tasks.h"
#include "internal.h"

enum {
	PID_ERR_NO_PID,
	PID_ERR_TOO_LONG,
	PID_ERRS
};

static const char *pid_errors[PID_ERRS] = {
	[PID_ERR_NO_PID]	= "Not a pid",
	[PID_ERR_TOO_LONG]	= "Number is too long",
};

static struct trace_pid_list __rcu **pid_list_of(struct trace_array *tr, enum pid_list_kind kind)
{
	return kind == PIDS_TRACED ? &events_of(tr)->pids : &events_of(tr)->no_pids;
}

/* The list as its writers see it: it changes under event_mutex only. */
static struct trace_pid_list *pid_list_locked(struct trace_array *tr, enum pid_list_kind kind)
{
	return rcu_dereference_protected(*pid_list_of(tr, kind), lockdep_is_held(&event_mutex));
}

static bool has_pid_lists(struct trace_array *tr)
{
	return pid_list_locked(tr, PIDS_TRACED) || pid_list_locked(tr, PIDS_NOT_TRACED);
}

/* --- in the probes: any context, preemption off */

static bool task_ignored(struct trace_array *tr, struct task_struct *task)
{
	struct event_instance *events = events_of(tr);

	return trace_task_left_out(rcu_dereference_sched(events->pids),
				   rcu_dereference_sched(events->no_pids), task);
}

/* Interrupts are off: nobody wakes another one before the event has looked. */
static void before_wakeup(void *data, struct task_struct *task)
{
	struct trace_array *tr = data;
	struct trace_array_cpu *cpu = raw_cpu_ptr(tr->array_buffer.data);

	cpu->ignore_wakeup = cpu->ignore_pid && task_ignored(tr, task);
}

static void follow_child(struct trace_pid_list *list, struct task_struct *parent,
			 struct task_struct *child)
{
	/* without memory for the list the child goes its own way */
	if (list && trace_pid_list_is_set(list, parent->pid))
		trace_pid_list_set(list, child->pid);
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct trace_array *tr = data;

	follow_child(rcu_dereference_sched(events_of(tr)->pids), parent, child);
	follow_child(rcu_dereference_sched(events_of(tr)->no_pids), parent, child);
}

static void on_free(void *data, struct task_struct *task)
{
	struct trace_array *tr = data;
	struct trace_pid_list *list;

	/* the number may be somebody else's tomorrow */
	list = rcu_dereference_sched(events_of(tr)->pids);
	if (list)
		trace_pid_list_clear(list, task->pid);
	list = rcu_dereference_sched(events_of(tr)->no_pids);
	if (list)
		trace_pid_list_clear(list, task->pid);
}

/* --- the wakeups: a probe before that of the event, while both the event and a list are there */

#define PRIO_BEFORE	INT_MAX

static struct tracepoint *const wakeups[] = {
	&__tracepoint_sched_wakeup,
	&__tracepoint_sched_wakeup_new,
	&__tracepoint_sched_waking,
};

/* NULL for an event without one. */
static struct tracepoint *tracepoint_of(const struct trace_event_call *call)
{
	return call->flags & TRACE_EVENT_FL_TRACEPOINT ? call->tp : NULL;
}

/* Does the event hang on sched_switch? */
bool event_is_of_switch(const struct trace_event_call *call)
{
	return tracepoint_of(call) == &__tracepoint_sched_switch;
}

static bool is_wakeup(const struct tracepoint *tp)
{
	for (int i = 0; i < ARRAY_SIZE(wakeups); i++)
		if (wakeups[i] == tp)
			return true;
	return false;
}

static bool wakeup_is_on(struct trace_array *tr, const struct tracepoint *tp)
{
	struct trace_event_file *file;

	for_each_event_file(file, tr)
		if (file->flags & EVENT_FILE_FL_ENABLED && tracepoint_of(file->event_call) == tp)
			return true;
	return false;
}

static int wakeup_watch(struct trace_array *tr, struct tracepoint *tp)
{
	int ret;

	/* the table above knows no types */
	check_trace_callback_type_sched_wakeup(before_wakeup);
	ret = tracepoint_probe_register_prio_may_exist(tp, before_wakeup, tr, PRIO_BEFORE);
	return ret == -EEXIST ? 0 : ret;
}

static void wakeups_forget(struct trace_array *tr)
{
	/* those that are not there are none */
	for (int i = 0; i < ARRAY_SIZE(wakeups); i++)
		tracepoint_probe_unregister(wakeups[i], before_wakeup, tr);
}

static int wakeups_watch(struct trace_array *tr)
{
	int ret = 0;

	for (int i = 0; i < ARRAY_SIZE(wakeups) && !ret; i++)
		if (wakeup_is_on(tr, wakeups[i]))
			ret = wakeup_watch(tr, wakeups[i]);
	if (ret)
		wakeups_forget(tr);
	return ret;
}

/* --- what the files know */

static void file_set_pids(struct trace_event_file *file, bool filter)
{
	if (filter)
		set_bit(EVENT_FILE_FL_PID_FILTER_BIT, &file->flags);
	else
		clear_bit(EVENT_FILE_FL_PID_FILTER_BIT, &file->flags);
}

int event_pids_start(struct trace_event_file *file)
{
	struct trace_array_cpu __percpu *cpu = file->tr->array_buffer.data;
	struct tracepoint *tp = tracepoint_of(file->event_call);
	bool filter = has_pid_lists(file->tr);

	/* The probe finds it as it finds the file, whenever it sees the flag. */
	if (event_is_of_switch(file->event_call))
		file->ignored = &cpu->ignore_switch;
	else
		file->ignored = is_wakeup(tp) ? &cpu->ignore_wakeup : &cpu->ignore_pid;
	file_set_pids(file, filter);
	return filter && is_wakeup(tp) ? wakeup_watch(file->tr, tp) : 0;
}

void event_pids_stop(struct trace_event_file *file)
{
	struct tracepoint *tp = tracepoint_of(file->event_call);

	if (is_wakeup(tp) && !wakeup_is_on(file->tr, tp))
		tracepoint_probe_unregister(tp, before_wakeup, file->tr);
}

/* Triggers are not a matter of pids: they see all switches. */
void event_pids_triggers(struct trace_event_file *file, bool some)
{
	if (event_is_of_switch(file->event_call))
		trace_switch_all(file->tr, some);
}

static void set_all_files(struct trace_array *tr, bool filter)
{
	struct trace_event_file *file;

	for_each_event_file(file, tr)
		file_set_pids(file, filter);
}

/* On each CPU: whoever runs there now is not switched to any more. */
static void look_at_current(void *data)
{
	struct trace_array *tr = data;

	raw_cpu_ptr(tr->array_buffer.data)->ignore_pid = task_ignored(tr, current);
}

/* And on those that are down: the idle task will be the first. */
static void look_at_all(struct trace_array *tr)
{
	int cpu;

	guard(cpus_read_lock)();
	on_each_cpu(look_at_current, tr, 1);
	guard(preempt)();
	for_each_cpu_andnot(cpu, cpu_possible_mask, cpu_online_mask)
		per_cpu_ptr(tr->array_buffer.data, cpu)->ignore_pid =
			task_ignored(tr, &init_task);
}

/**
 * event_pids_replace - put a list of pids in the place of another
 * @tr: the instance
 * @kind: which one
 * @list: belongs to the instance from now on; NULL for none, which never fails
 *
 * Context: task, event_mutex; waits for RCU.
 * Return: 0; or an error, and all is as it was.
 */
VISIBLE_IF_KUNIT int event_pids_replace(struct trace_array *tr, enum pid_list_kind kind,
					struct trace_pid_list *list)
{
	struct trace_pid_list *old = pid_list_locked(tr, kind);
	struct trace_pid_list *traced, *not_traced;
	bool had = has_pid_lists(tr);
	int ret = 0;

	if (!had && list)
		ret = wakeups_watch(tr);
	if (ret)
		return ret;

	rcu_assign_pointer(*pid_list_of(tr, kind), list);
	traced = pid_list_locked(tr, PIDS_TRACED);
	not_traced = pid_list_locked(tr, PIDS_NOT_TRACED);
	if (!traced && !not_traced) {
		set_all_files(tr, false);
		wakeups_forget(tr);
	}
	/* for the first switch that asks */
	look_at_all(tr);
	ret = trace_switch_pids(tr, traced, not_traced);
	if (ret) {
		/* there was none */
		rcu_assign_pointer(*pid_list_of(tr, kind), NULL);
		wakeups_forget(tr);
		/* the probe that follows forks may have seen it */
		tracepoint_synchronize_unregister();
		return ret;
	}

	/* probes that still use the old list */
	if (had)
		tracepoint_synchronize_unregister();
	trace_pid_list_free(old);

	/* who was switched to before that looked at the new one */
	look_at_all(tr);
	if (traced || not_traced)
		set_all_files(tr, true);
	return 0;
}

static void clear_list(struct trace_array *tr, enum pid_list_kind kind)
{
	if (pid_list_locked(tr, kind))
		event_pids_replace(tr, kind, NULL);
}

/* --- the option event-fork */

static int follow_fork(struct trace_array *tr, bool enable)
{
	int ret;

	if (!enable) {
		unregister_trace_sched_process_fork(on_fork, tr);
		unregister_trace_sched_process_free(on_free, tr);
		return 0;
	}

	/* The events of fork and exit themselves still see the lists as they were. */
	ret = register_trace_prio_sched_process_fork(on_fork, tr, INT_MIN);
	if (ret)
		return ret;
	ret = register_trace_prio_sched_process_free(on_free, tr, INT_MAX);
	if (ret)
		unregister_trace_sched_process_fork(on_fork, tr);
	return ret;
}

static int pid_flag_changed(struct trace_array *tr, unsigned long mask, bool enable)
{
	if (!(mask & TRACE_ITER_EVENT_FORK))
		return 0;
	return follow_fork(tr, enable);
}

/* --- writing: numbers, all of them or none */

struct pid_write {
	struct trace_words	words;
	struct trace_array	*tr;
	unsigned int		*pids;
	unsigned int		nr;
};

static int pid_write_error(const struct pid_write *w, const char *at, int error)
{
	return trace_words_error(&w->words, at, error, -EINVAL);
}

static int parse_pids(struct pid_write *w)
{
	char *word;

	while ((word = trace_words_next(&w->words))) {
		unsigned long pid;

		if (kstrtoul(word, 10, &pid) || pid >= PID_MAX_LIMIT)
			return pid_write_error(w, word, PID_ERR_NO_PID);
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

static int apply_pids(const struct pid_write *w, enum pid_list_kind kind)
{
	struct trace_pid_list *list = pid_list_locked(w->tr, kind);
	int ret;

	if (!w->nr)
		return 0;

	/* Running probes take a bit more in their stride. */
	if (list) {
		ret = add_pids(list, w);
		if (!ret)
			look_at_all(w->tr);
		return ret;
	}

	list = trace_pid_list_alloc();
	if (!list)
		return -ENOMEM;
	ret = add_pids(list, w);
	if (!ret)
		ret = event_pids_replace(w->tr, kind, list);
	if (ret)
		trace_pid_list_free(list);
	return ret;
}

static ssize_t pid_write(struct file *filp, const char __user *ubuf, size_t count, loff_t *ppos,
			 enum pid_list_kind kind)
{
	static const char *const locs[] = {
		[PIDS_TRACED]		= "event: set_event_pid",
		[PIDS_NOT_TRACED]	= "event: set_event_notrace_pid",
	};
	struct seq_file *m = filp->private_data;
	struct pid_write w = {
		.words	= { .tr = m->private, .loc = locs[kind], .errs = pid_errors },
		.tr	= m->private,
	};
	struct trace_words *words = &w.words;
	int ret;

	if (!count)
		return 0;

	ret = tracing_update_buffers(w.tr);
	if (ret < 0)
		return ret;

	ret = trace_words_read(words, ubuf, count);
	if (ret)
		return ret;
	w.pids = kcalloc(words->len / 2 + 1, sizeof(*w.pids), GFP_KERNEL);
	if (!w.pids) {
		ret = -ENOMEM;
		goto out;
	}

	scoped_guard(mutex, &event_mutex) {
		if (!words->len)
			ret = pid_write_error(&w, words->copy, PID_ERR_TOO_LONG);
		else if (memchr(words->text, '\0', words->len))
			ret = pid_write_error(&w, words->copy + strlen(words->text),
					      PID_ERR_NO_PID);
		else
			ret = parse_pids(&w);
		if (!ret)
			ret = apply_pids(&w, kind);
	}
	if (!ret) {
		ret = words->len;
		*ppos += words->len;
	}
out:
	kfree(w.pids);
	trace_words_free(words);
	return ret;
}

/* --- reading: a line a pid; the position in the file is the pid */

static void *pid_from(struct trace_pid_list *list, loff_t *pos)
{
	unsigned int pid;

	if (!list || *pos >= PID_MAX_LIMIT || trace_pid_list_next(list, *pos, &pid))
		return NULL;
	*pos = pid;
	return (void *)(unsigned long)(pid + 1);	/* there is a pid 0 */
}

static void *traced_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&event_mutex);
	return pid_from(pid_list_locked(m->private, PIDS_TRACED), pos);
}

static void *traced_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return pid_from(pid_list_locked(m->private, PIDS_TRACED), pos);
}

static void *not_traced_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&event_mutex);
	return pid_from(pid_list_locked(m->private, PIDS_NOT_TRACED), pos);
}

static void *not_traced_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return pid_from(pid_list_locked(m->private, PIDS_NOT_TRACED), pos);
}

static void pid_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&event_mutex);
}

static int pid_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%lu\n", (unsigned long)v - 1);
	return 0;
}

static const struct seq_operations traced_seq_ops = {
	.start	= traced_start,
	.next	= traced_next,
	.stop	= pid_stop,
	.show	= pid_show,
};

static const struct seq_operations not_traced_seq_ops = {
	.start	= not_traced_start,
	.next	= not_traced_next,
	.stop	= pid_stop,
	.show	= pid_show,
};

static int pid_open(struct inode *inode, struct file *filp, enum pid_list_kind kind)
{
	struct trace_array *tr = inode->i_private;
	int ret;

	ret = tracing_seq_open_tr(inode, filp, kind == PIDS_TRACED ? &traced_seq_ops :
								     &not_traced_seq_ops);
	if (!ret && (filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC)) {
		guard(mutex)(&event_mutex);
		clear_list(tr, kind);
	}
	return ret;
}

static int traced_open(struct inode *inode, struct file *filp)
{
	return pid_open(inode, filp, PIDS_TRACED);
}

static int not_traced_open(struct inode *inode, struct file *filp)
{
	return pid_open(inode, filp, PIDS_NOT_TRACED);
}

static ssize_t traced_write(struct file *filp, const char __user *ubuf, size_t count, loff_t *ppos)
{
	return pid_write(filp, ubuf, count, ppos, PIDS_TRACED);
}

static ssize_t not_traced_write(struct file *filp, const char __user *ubuf, size_t count,
				loff_t *ppos)
{
	return pid_write(filp, ubuf, count, ppos, PIDS_NOT_TRACED);
}

static const struct file_operations traced_fops = {
	.open		= traced_open,
	.read		= seq_read,
	.write		= traced_write,
	.llseek		= seq_lseek,
	.release	= tracing_seq_release_tr,
};

static const struct file_operations not_traced_fops = {
	.open		= not_traced_open,
	.read		= seq_read,
	.write		= not_traced_write,
	.llseek		= seq_lseek,
	.release	= tracing_seq_release_tr,
};

/* --- instances */

static void pid_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("set_event_pid", TRACE_MODE_WRITE, dir, tr, &traced_fops);
	trace_create_file("set_event_notrace_pid", TRACE_MODE_WRITE, dir, tr, &not_traced_fops);
}

static void pid_exit(struct trace_array *tr)
{
	if (tr->trace_flags & TRACE_ITER_EVENT_FORK) {
		follow_fork(tr, false);
		tr->trace_flags &= ~TRACE_ITER_EVENT_FORK;
		tracepoint_synchronize_unregister();
	}
	clear_list(tr, PIDS_TRACED);
	clear_list(tr, PIDS_NOT_TRACED);
}

const struct instance_feature event_pid_feature = {
	.name		= "event pids",
	.exit		= pid_exit,
	.files		= pid_files,
	.flag_changed	= pid_flag_changed,
};
