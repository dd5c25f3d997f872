/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What users choose tasks with, set_event_pid and its like: two lists of pids of an instance, their
 * files, and children that follow their parents onto them. Whoever has such files
 * says in a struct trace_pid_user what becomes of a list.
 */
#ifndef _KERNEL_TRACE_TASKS_PID_FILTER_H
#define _KERNEL_TRACE_TASKS_PID_FILTER_H

#include <linux/fs.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>

#include "switch.h"

enum pid_list_kind {
	PIDS_TRACED,		/* only these */
	PIDS_NOT_TRACED,	/* all but these */
	PID_LISTS
};

/**
 * struct trace_pid_filter - the lists of an instance
 * @lists:	NULL for none; changed under event_mutex, read with preemption off
 */
struct trace_pid_filter {
	struct trace_pid_list __rcu	*lists[PID_LISTS];
};

/**
 * struct trace_pid_user - whose lists they are
 * @locs:	of the files, for error_log: "event: set_event_pid"
 * @none:	what a file shows when it has no list, NULL: nothing
 * @flag:	TRACE_ITER_* of the option with which children follow
 * @filter:	of an instance
 * @ready:	somebody writes numbers; may refuse. Task, without a lock; NULL: nothing to do
 * @replace:	put a list, which the instance owns then, in the place of the one that is there, and
 *		free that. 0, or an error and all is as it was; NULL never fails. event_mutex
 * @grown:	a list has more pids. event_mutex
 */
struct trace_pid_user {
	const char		*locs[PID_LISTS];
	const char		*none;
	unsigned int		flag;
	struct trace_pid_filter	*(*filter)(struct trace_array *tr);
	int			(*ready)(struct trace_array *tr);
	int			(*replace)(struct trace_array *tr, enum pid_list_kind kind,
					   struct trace_pid_list *list);
	void			(*grown)(struct trace_array *tr);
};

void trace_pids_see_all(void (*see)(void *data, int cpu, struct task_struct *task), void *data);

/* Do the lists leave @task out? Any context, preemption off. */
static inline bool trace_pid_filter_ignores(const struct trace_pid_filter *filter,
					    const struct task_struct *task)
{
	return trace_task_left_out(rcu_dereference_sched(filter->lists[PIDS_TRACED]),
				   rcu_dereference_sched(filter->lists[PIDS_NOT_TRACED]), task);
}

struct trace_pid_list *trace_pid_filter_list(const struct trace_pid_filter *filter,
					     enum pid_list_kind kind);

int trace_pid_flag_changed(struct trace_array *tr, const struct trace_pid_user *user,
			   unsigned long mask, bool enable);
void trace_pid_exit(struct trace_array *tr, const struct trace_pid_user *user);

/* for the next */
int trace_pid_open(struct inode *inode, struct file *filp, const struct trace_pid_user *user,
		   enum pid_list_kind kind);
ssize_t trace_pid_write(struct file *filp, const char __user *ubuf, size_t count, loff_t *ppos);
int trace_pid_release(struct inode *inode, struct file *filp);

/* The file of a list; its i_private is the instance. Makes NAME_fops. */
#define TRACE_PID_FOPS(name, user, kind)							\
static int name##_open(struct inode *inode, struct file *filp)					\
{												\
	return trace_pid_open(inode, filp, &(user), kind);					\
}												\
												\
static const struct file_operations name##_fops = {						\
	TRACE_SEQ_OPS(name##_open, trace_pid_release),						\
	.write		= trace_pid_write,							\
}

/*
 * The feature of a struct trace_pid_user: both files, called @file and @no_file, the option, and
 * what is left when an instance goes.
 */
#define TRACE_PID_FEATURE(feature, feature_name, user, file, no_file)				\
TRACE_PID_FOPS(traced, user, PIDS_TRACED);							\
TRACE_PID_FOPS(not_traced, user, PIDS_NOT_TRACED);						\
												\
static void pid_files(struct trace_array *tr, struct dentry *dir)				\
{												\
	trace_create_file(file, TRACE_MODE_WRITE, dir, tr, &traced_fops);			\
	trace_create_file(no_file, TRACE_MODE_WRITE, dir, tr, &not_traced_fops);		\
}												\
												\
static int pid_flag_changed(struct trace_array *tr, unsigned long mask, bool enable)		\
{												\
	return trace_pid_flag_changed(tr, &(user), mask, enable);				\
}												\
												\
static void pid_exit(struct trace_array *tr)							\
{												\
	trace_pid_exit(tr, &(user));								\
}												\
												\
const struct instance_feature feature = {							\
	.name		= feature_name,								\
	.exit		= pid_exit,								\
	.files		= pid_files,								\
	.flag_changed	= pid_flag_changed,							\
}

#endif /* _KERNEL_TRACE_TASKS_PID_FILTER_H */
