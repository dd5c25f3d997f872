// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directories of instances, and what their files have in common.
 *
 * Rooms make their files through the callbacks of struct instance_feature. The
 * top instance gets its at fs_initcall, together with the instances that were
 * made before; later ones get theirs when they are made.
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/fs_context.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "internal.h"
#include "instance.h"

static struct dentry *instances_dir;

/**
 * trace_create_file - make a file in tracefs
 * @name: of the file
 * @mode: permissions
 * @parent: directory, NULL for the root
 * @data: what inode->i_private becomes
 * @fops: operations
 *
 * Task context, may sleep. Return: the file, or NULL after a warning.
 */
struct dentry *trace_create_file(const char *name, umode_t mode, struct dentry *parent,
				 void *data, const struct file_operations *fops)
{
	struct dentry *file = tracefs_create_file(name, mode, parent, data, fops);

	if (!file)
		pr_warn("tracing: tracefs has no file '%s'\n", name);
	return file;
}

/**
 * trace_create_cpu_file - make a file in tracefs that stands for one CPU
 * @name: of the file
 * @mode: permissions
 * @parent: directory
 * @data: what inode->i_private becomes
 * @cpu: what tracing_get_cpu() will say
 * @fops: operations
 *
 * Task context, may sleep. Return: the file, or NULL after a warning.
 */
struct dentry *trace_create_cpu_file(const char *name, umode_t mode, struct dentry *parent,
				     void *data, int cpu, const struct file_operations *fops)
{
	struct dentry *file = trace_create_file(name, mode, parent, data, fops);

	/* A plain file has no character device; 0 must stay "no CPU". */
	if (file)
		d_inode(file)->i_cdev = (void *)(cpu + 1L);
	return file;
}

/**
 * trace_stat_dir - trace_stat/ of an instance, for statistics of all kinds
 * @tr: the instance
 * @dir: its directory, as its features get it
 *
 * Task context, may sleep. Return: the directory, made by who asks first; NULL if it is not.
 */
struct dentry *trace_stat_dir(struct trace_array *tr, struct dentry *dir)
{
	if (!tr->stat_dir)
		tr->stat_dir = tracefs_create_dir("trace_stat", dir);
	return tr->stat_dir;
}

/**
 * tracing_get_cpu - which CPU a file stands for
 * @inode: of the file
 *
 * The file of an instance that is just being made can be found before this is known; who has got a
 * reference to the instance comes after that.
 *
 * Return: the CPU, or RING_BUFFER_ALL_CPUS.
 */
int tracing_get_cpu(struct inode *inode)
{
	return inode->i_cdev ? (long)inode->i_cdev - 1 : RING_BUFFER_ALL_CPUS;
}

/* A file without a reference on an instance: i_private is the reader's business. */
int tracing_open_generic(struct inode *inode, struct file *filp)
{
	int err = tracing_check_open_get_tr(NULL);

	if (!err)
		filp->private_data = inode->i_private;
	return err;
}

/* A file whose i_private is its instance, which stays as long as it is open. */
int tracing_open_generic_tr(struct inode *inode, struct file *filp)
{
	int err = tracing_check_open_get_tr(inode->i_private);

	if (!err)
		filp->private_data = inode->i_private;
	return err;
}

int tracing_release_generic_tr(struct inode *inode, struct file *filp)
{
	trace_array_put(inode->i_private);
	return 0;
}

/**
 * tracing_single_open - single_open() of a file that may be written as well, also by pwrite(2)
 * @file: opened
 * @show: gets @data as the seq_file's private
 * @data: for @show
 *
 * Context: task. Return: 0; -ENOMEM.
 */
int tracing_single_open(struct file *file, int (*show)(struct seq_file *m, void *v), void *data)
{
	int err = single_open(file, show, data);

	if (!err)
		file->f_mode |= FMODE_PWRITE;
	return err;
}

/**
 * tracing_single_open_tr - open such a file as one that is shown at once
 * @inode: the file's
 * @file: opened
 * @show: gets @data as the seq_file's private
 * @data: most often the instance
 *
 * Context: task, takes trace_types_lock. Release with tracing_single_release_tr().
 * Return: 0; -EPERM, -ENODEV, see tracing_check_open_get_tr(); -ENOMEM.
 */
int tracing_single_open_tr(struct inode *inode, struct file *file,
			   int (*show)(struct seq_file *m, void *v), void *data)
{
	int err = tracing_check_open_get_tr(inode->i_private);

	if (err)
		return err;
	err = tracing_single_open(file, show, data);
	if (err)
		trace_array_put(inode->i_private);
	return err;
}

int tracing_single_release_tr(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return single_release(inode, file);
}

/**
 * tracing_seq_open - seq_open() of a list that is about something
 * @file: to be opened
 * @ops: of the list
 * @data: the seq_file's private
 *
 * Context: task. Return: 0 or -ENOMEM.
 */
int tracing_seq_open(struct file *file, const struct seq_operations *ops, void *data)
{
	int err = seq_open(file, ops);

	if (!err)
		((struct seq_file *)file->private_data)->private = data;
	return err;
}

/**
 * tracing_seq_open_tr - open such a file as one that shows a list
 * @inode: the file's
 * @file: opened; the seq_file's private is the instance
 * @ops: of the list
 *
 * Context: task, takes trace_types_lock. Release with tracing_seq_release_tr().
 * Return: as tracing_single_open_tr().
 */
int tracing_seq_open_tr(struct inode *inode, struct file *file, const struct seq_operations *ops)
{
	struct trace_array *tr = inode->i_private;
	int err = tracing_check_open_get_tr(tr);

	if (err)
		return err;
	err = tracing_seq_open(file, ops, tr);
	if (err)
		trace_array_put(tr);
	return err;
}

int tracing_seq_release_tr(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return seq_release(inode, file);
}

/**
 * tracing_lseek - file_operations.llseek of a file that is a seq_file only for who reads it
 * @file: opened
 * @offset: where to
 * @whence: from where
 *
 * Context: task. Return: the position.
 */
loff_t tracing_lseek(struct file *file, loff_t offset, int whence)
{
	if (file->f_mode & FMODE_READ)
		return seq_lseek(file, offset, whence);
	file->f_pos = 0;
	return 0;
}

/* file_operations.write of a file that is emptied by who opens it to write: that was all. */
ssize_t tracing_write_opened(struct file *file, const char __user *ubuf, size_t count,
			     loff_t *ppos)
{
	return count;
}

/* Tools from before tracefs look in debugfs. */
static struct vfsmount *mount_in_debugfs(struct dentry *at, void *unused)
{
	struct vfsmount *mnt = ERR_PTR(-ENODEV);
	struct file_system_type *type;
	struct fs_context *fc;

	type = get_fs_type("tracefs");
	if (!type)
		return mnt;
	fc = fs_context_for_submount(type, at);
	put_filesystem(type);
	if (IS_ERR(fc))
		return ERR_CAST(fc);

	mnt = ERR_PTR(vfs_parse_fs_string(fc, "source", "tracefs", strlen("tracefs")));
	if (!mnt)
		mnt = fc_mount(fc);
	put_fs_context(fc);

	/* The caller wants one more, or it may expire before it is attached. */
	return IS_ERR(mnt) ? mnt : mntget(mnt);
}

/**
 * tracing_init_dentry - may files be made in tracefs?
 *
 * Files of no instance go into the root: give tracefs a NULL parent. The first caller also puts
 * tracing/ into debugfs. From fs_initcall on; initcalls only, so without a lock.
 *
 * Return: 0; -EPERM when the kernel is locked down; -ENODEV without tracefs.
 */
static int __init tracing_init_dentry(void)
{
	static bool in_debugfs;

	if (security_locked_down(LOCKDOWN_TRACEFS)) {
		pr_warn_once("tracing: no files, the kernel is locked down\n");
		return -EPERM;
	}
	if (WARN_ON_ONCE(!tracefs_initialized()))
		return -ENODEV;

	if (!in_debugfs && debugfs_initialized()) {
		in_debugfs = true;
		debugfs_create_automount("tracing", NULL, mount_in_debugfs, NULL);
	}
	return 0;
}

static void make_cpu_files(struct trace_array *tr, struct dentry *dir)
{
	const struct instance_feature *const *feature;
	struct dentry *per_cpu = tracefs_create_dir("per_cpu", dir), *cpu_dir;
	char name[16];
	int cpu;

	if (!per_cpu) {
		pr_warn("tracing: could not create the directory per_cpu\n");
		return;
	}

	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		cpu_dir = tracefs_create_dir(name, per_cpu);
		if (!cpu_dir) {
			pr_warn("tracing: could not create the directory per_cpu/%s\n", name);
			continue;
		}
		for (feature = instance_features; *feature; feature++) {
			if ((*feature)->cpu_files)
				(*feature)->cpu_files(tr, cpu_dir, cpu);
		}
	}
}

static void make_files(struct trace_array *tr)
{
	const struct instance_feature *const *feature;

	for (feature = instance_features; *feature; feature++) {
		if ((*feature)->files)
			(*feature)->files(tr, tr->dir);
		if ((*feature)->top_files && trace_array_is_top(tr))
			(*feature)->top_files(tr, tr->dir);
	}
	make_cpu_files(tr, tr->dir);
	tr->has_files = true;
}

/**
 * instance_create_dir - make the directory of an instance and all below it
 * @tr: instance
 *
 * Before tracefs is there this does nothing; it is made up for then.
 * event_mutex and trace_types_lock held.
 *
 * Return: 0 or -ENOMEM: the name is free, as instances go, and it fails for nothing else.
 */
int instance_create_dir(struct trace_array *tr)
{
	if (!instances_dir)
		return 0;

	tr->dir = tracefs_create_dir(tr->name, instances_dir);
	if (!tr->dir)
		return -ENOMEM;
	make_files(tr);
	return 0;
}

static int __init tracefs_files_init(void)
{
	struct trace_array *tr;
	int err;

	if (tracing_disabled)
		return 0;
	err = tracing_init_dentry();
	if (err)
		return err == -EPERM ? 0 : err;

	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);

	make_files(&global_trace);
	instances_dir = tracefs_create_instance_dir("instances", NULL, instance_mkdir,
						    instance_rmdir);
	if (WARN_ON(!instances_dir))
		return -ENOMEM;

	for_each_trace_array(tr) {
		if (!trace_array_is_top(tr) && instance_create_dir(tr))
			pr_warn("tracing: no directory for instance '%s'\n", tr->name);
	}
	return 0;
}
fs_initcall(tracefs_files_init);
