// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_ftrace_pid and set_ftrace_notrace_pid, and the option function-fork, with
 * which children follow their parents onto the lists.
 *
 * The lists are asked when a CPU switches tasks; a traced call only compares its task with
 * its CPU's answer, trace_function.traced_pid, and only if there are lists.
 */
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include <trace/events/sched.h>

#include "../../instance/words.h"
#include "../../tasks/tasks.h"
#include "../sites/sites.h"
#include "instances.h"
#include "../../instance/text.h"

enum {
	PID_ERR_NO_PID,
	PID_ERR_TOO_LONG,
};

static const char *pid_errs[] = {
	[PID_ERR_NO_PID]	= "Not a pid",
	[PID_ERR_TOO_LONG]	= "Number is too long",
};

/* A file is an instance's list of one kind. */
struct pid_file {
	struct trace_function	*fn;
	bool			exclude;
	struct ftrace_text	text;
};

static struct trace_pid_list __rcu **list_of(struct trace_function *fn, bool exclude)
{
	return exclude ? &fn->no_pids : &fn->pids;
}

static struct trace_pid_list *locked_list(struct trace_function *fn, bool exclude)
{
	return rcu_dereference_protected(*list_of(fn, exclude), lockdep_is_held(&event_mutex));
}

static void task_seen(struct trace_function *fn, struct task_struct *task)
{
	struct trace_pid_list *pids = rcu_dereference_sched(fn->pids);
	struct trace_pid_list *no_pids = rcu_dereference_sched(fn->no_pids);
	bool ignore;

	ignore = (pids && !trace_pid_list_is_set(pids, task->pid)) ||
		 (no_pids && trace_pid_list_is_set(no_pids, task->pid));
	this_cpu_write(*fn->traced_pid, ignore ? FUNCTION_PID_NONE : task->pid);
}

static void pids_on_switch(void *data, bool preempt, struct task_struct *prev,
			   struct task_struct *next, unsigned int prev_state)
{
	task_seen(data, next);
}

static void pids_on_this_cpu(void *data)
{
	task_seen(data, current);
}

static void pids_on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct trace_function *fn = data;
	int i;

	for (i = 0; i < 2; i++) {
		struct trace_pid_list *list = rcu_dereference_sched(*list_of(fn, i));

		/* without memory for the list the child goes its own way */
		if (list && trace_pid_list_is_set(list, parent->pid))
			trace_pid_list_set(list, child->pid);
	}
}

static void pids_on_free(void *data, struct task_struct *task)
{
	struct trace_function *fn = data;
	int i;

	for (i = 0; i < 2; i++) {
		struct trace_pid_list *list = rcu_dereference_sched(*list_of(fn, i));

		if (list)
			trace_pid_list_clear(list, task->pid);
	}
}

/* Put @list, which may be NULL, in place; event_mutex. An error leaves all as it was. */
static int pids_replace(struct trace_function *fn, bool exclude, struct trace_pid_list *list)
{
	struct trace_pid_list *old = locked_list(fn, exclude);
	bool had = fn->has_pids;
	int ret;

	if (!had && list) {
		ret = register_trace_prio_sched_switch(pids_on_switch, fn, INT_MAX);
		if (ret)
			return ret;
	}
	rcu_assign_pointer(*list_of(fn, exclude), list);
	if (!locked_list(fn, 0) && !locked_list(fn, 1)) {
		WRITE_ONCE(fn->has_pids, false);
		if (had)
			unregister_trace_sched_switch(pids_on_switch, fn);
	} else {
		on_each_cpu(pids_on_this_cpu, fn, 1);
		WRITE_ONCE(fn->has_pids, true);
	}
	if (old) {
		tracepoint_synchronize_unregister();
		trace_pid_list_free(old);
	}
	return 0;
}

static int pids_set_fork(struct trace_function *fn, bool enable)
{
	int ret;

	if (!enable) {
		unregister_trace_sched_process_fork(pids_on_fork, fn);
		unregister_trace_sched_process_free(pids_on_free, fn);
		return 0;
	}
	ret = register_trace_sched_process_fork(pids_on_fork, fn);
	if (ret)
		return ret;
	ret = register_trace_sched_process_free(pids_on_free, fn);
	if (ret)
		unregister_trace_sched_process_fork(pids_on_fork, fn);
	return ret;
}

static int pids_flag_changed(struct trace_array *tr, unsigned long mask, bool enable)
{
	return mask & TRACE_ITER_FUNC_FORK ? pids_set_fork(trace_function_of(tr), enable) : 0;
}

static void pids_text(struct trace_function *fn, bool exclude, struct ftrace_text *text)
{
	struct trace_pid_list *list;
	unsigned int pid, next = 0;

	mutex_lock(&event_mutex);
	list = locked_list(fn, exclude);
	if (!list)
		ftrace_text_printf(text, "no pid\n");
	while (list && !trace_pid_list_next(list, next, &pid)) {
		ftrace_text_printf(text, "%u\n", pid);
		next = pid + 1;
	}
	mutex_unlock(&event_mutex);
}

static int pids_open(struct inode *inode, struct file *file, bool exclude)
{
	struct trace_array *tr = inode->i_private;
	struct pid_file *pf;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	pf = kzalloc(sizeof(*pf), GFP_KERNEL);
	if (!pf) {
		trace_array_put(tr);
		return -ENOMEM;
	}
	pf->fn = trace_function_of(tr);
	pf->exclude = exclude;
	if (file->f_mode & FMODE_READ)
		pids_text(pf->fn, exclude, &pf->text);
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&event_mutex);
		pids_replace(pf->fn, exclude, NULL);
		mutex_unlock(&event_mutex);
	}
	file->private_data = pf;
	return 0;
}

static int pids_open_trace(struct inode *inode, struct file *file)
{
	return pids_open(inode, file, false);
}

static int pids_open_notrace(struct inode *inode, struct file *file)
{
	return pids_open(inode, file, true);
}

static ssize_t pids_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct pid_file *pf = file->private_data;

	return simple_read_from_buffer(ubuf, count, ppos, pf->text.buf, pf->text.len);
}

/* All numbers of @words into a copy of the list; the copy replaces it when all are fine. */
static int pids_add(struct pid_file *pf, struct trace_words *words)
{
	struct trace_pid_list *old = locked_list(pf->fn, pf->exclude);
	struct trace_pid_list *list = trace_pid_list_alloc();
	unsigned int pid, next = 0;
	bool any = false;
	char *word;
	int ret = 0;

	if (!list)
		return -ENOMEM;
	while (!ret && old && !trace_pid_list_next(old, next, &pid)) {
		ret = trace_pid_list_set(list, pid);
		next = pid + 1;
	}
	while (!ret && (word = trace_words_next(words))) {
		if (kstrtouint(word, 0, &pid)) {
			ret = trace_words_error(words, word, PID_ERR_NO_PID, -EINVAL);
		} else {
			ret = trace_pid_list_set(list, pid);
			any = true;
		}
	}
	if (!ret && any)
		ret = pids_replace(pf->fn, pf->exclude, list);
	if (ret || !any)
		trace_pid_list_free(list);
	return ret;
}

static ssize_t pids_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	struct pid_file *pf = file->private_data;
	struct trace_words words = {
		.tr	= pf->fn->tr,
		.loc	= pf->exclude ? "ftrace: set_ftrace_notrace_pid" : "ftrace: set_ftrace_pid",
		.errs	= pid_errs,
	};
	int ret;

	if (!count)
		return 0;
	/* The rest comes with the next write: not half a number of it now. */
	ret = trace_words_read(&words, ubuf, count);
	if (ret)
		return ret;
	if (!words.len) {
		ret = trace_words_error(&words, words.copy, PID_ERR_TOO_LONG, -EINVAL);
	} else {
		mutex_lock(&event_mutex);
		ret = pids_add(pf, &words);
		mutex_unlock(&event_mutex);
	}
	if (!ret) {
		ret = words.len;
		*ppos += words.len;
	}
	trace_words_free(&words);
	return ret;
}

static int pids_release(struct inode *inode, struct file *file)
{
	struct pid_file *pf = file->private_data;
	struct trace_array *tr = pf->fn->tr;

	kvfree(pf->text.buf);
	kfree(pf);
	trace_array_put(tr);
	return 0;
}

static const struct file_operations pids_fops = {
	.open		= pids_open_trace,
	.read		= pids_read,
	.write		= pids_write,
	.llseek		= default_llseek,
	.release	= pids_release,
};

static const struct file_operations no_pids_fops = {
	.open		= pids_open_notrace,
	.read		= pids_read,
	.write		= pids_write,
	.llseek		= default_llseek,
	.release	= pids_release,
};

static void pids_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("set_ftrace_pid", TRACE_MODE_WRITE, dir, tr, &pids_fops);
	trace_create_file("set_ftrace_notrace_pid", TRACE_MODE_WRITE, dir, tr, &no_pids_fops);
}

static void pids_exit(struct trace_array *tr)
{
	if (tr->trace_flags & TRACE_ITER_FUNC_FORK) {
		pids_set_fork(trace_function_of(tr), false);
		tr->trace_flags &= ~TRACE_ITER_FUNC_FORK;
		tracepoint_synchronize_unregister();
	}
	pids_replace(trace_function_of(tr), false, NULL);
	pids_replace(trace_function_of(tr), true, NULL);
}

const struct instance_feature function_pid_feature = {
	.name		= "function pids",
	.exit		= pids_exit,
	.files		= pids_files,
	.flag_changed	= pids_flag_changed,
};
