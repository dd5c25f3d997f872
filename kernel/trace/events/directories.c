// SPDX-License-Identifier: GPL-2.0-only
/*
 * events/ of an instance, its directories and the files in them that switch
 * events and tell their numbers.
 *
 * The directories are eventfs: inodes come and go, what stays is the data
 * pointer that a directory was made with. So the directory of an event holds a
 * reference on its event file and the directory of a system one on its struct
 * trace_subsystem_dir, until eventfs says that the last inode has gone. An open
 * file holds the instance as well. Who comes after the removal finds the
 * event file FREED, or the system without events, and gets -ENODEV.
 *
 * What is in events/ of an instance other than the top one is made when somebody
 * first goes in: see events_permission().
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

#include "../record/entries.h"
#include "directories.h"
#include "internal.h"

/* --- events/SYSTEM/EVENT/ */

int event_file_open(struct inode *inode)
{
	struct trace_event_file *file = inode->i_private;
	int ret;

	guard(mutex)(&event_mutex);
	if (file->flags & EVENT_FILE_FL_FREED)
		return -ENODEV;
	ret = tracing_check_open_get_tr(file->tr);
	if (ret)
		return ret;
	event_file_get(file);
	return 0;
}

int event_file_close(struct inode *inode)
{
	struct trace_event_file *file = inode->i_private;

	trace_array_put(file->tr);
	event_file_put(file);
	return 0;
}

int event_generic_open(struct inode *inode, struct file *filp)
{
	return event_file_open(inode);
}

int event_generic_release(struct inode *inode, struct file *filp)
{
	return event_file_close(inode);
}

/* One that is shown at once; @data is the seq_file's private. */
int event_single_open(struct inode *inode, struct file *filp,
		      int (*show)(struct seq_file *m, void *v), void *data)
{
	int ret = event_file_open(inode);

	if (ret)
		return ret;
	ret = tracing_single_open(filp, show, data);
	if (ret)
		event_file_close(inode);
	return ret;
}

int event_single_release(struct inode *inode, struct file *filp)
{
	single_release(inode, filp);
	return event_file_close(inode);
}

static ssize_t event_enable_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_event_file *file = file_inode(filp)->i_private;
	unsigned long flags;

	scoped_guard(mutex, &event_mutex)
		flags = file->flags;
	if (flags & EVENT_FILE_FL_FREED)
		return -ENODEV;

	/* the star tells of soft users, whether the event is recorded or not */
	return tracing_read_printf(ubuf, count, ppos, "%d%s\n",
		(flags & EVENT_FILE_FL_ENABLED) && !(flags & EVENT_FILE_FL_SOFT_DISABLED),
		flags & (EVENT_FILE_FL_SOFT_MODE | EVENT_FILE_FL_SOFT_DISABLED) ? "*" : "");
}

static int event_enable_set(struct file *filp, unsigned long on)
{
	struct trace_event_file *file = file_inode(filp)->i_private;
	int ret = on > 1 ? -EINVAL : event_make_room(file->tr, on);

	if (ret)
		return ret;

	guard(mutex)(&event_mutex);
	return file->flags & EVENT_FILE_FL_FREED ? -ENODEV : ftrace_event_enable_disable(file, on);
}

static ssize_t event_id_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_event_file *file = file_inode(filp)->i_private;
	int id;

	scoped_guard(mutex, &event_mutex) {
		if (file->flags & EVENT_FILE_FL_FREED)
			return -ENODEV;
		id = file->event_call->event.type;
	}
	return tracing_read_printf(ubuf, count, ppos, "%d\n", id);
}

TRACE_NUMBER_FOPS(event_enable, event_generic_open, event_generic_release,
		  ((struct trace_event_file *)file_inode(filp)->i_private)->tr);

static const struct file_operations event_id_fops = {
	TRACE_READ_OPS(event_generic_open, event_id_read, event_generic_release),
};

/* --- events/SYSTEM/ and events/: the same switch for many events */

/* Of the events of @dir, or of all when it is NULL; event_mutex held. */
static char many_state(struct trace_array *tr, const struct trace_subsystem_dir *dir)
{
	struct trace_event_file *file;
	bool any_on = false, any_off = false;

	for_each_event_file(file, tr) {
		if ((dir && file->system != dir) || !event_can_be_enabled(file->event_call))
			continue;
		if (file->flags & EVENT_FILE_FL_ENABLED)
			any_on = true;
		else
			any_off = true;
	}

	if (any_on)
		return any_off ? 'X' : '1';
	return any_off ? '0' : '?';
}

static ssize_t many_read(struct trace_array *tr, const struct trace_subsystem_dir *dir,
			 char __user *ubuf, size_t count, loff_t *ppos)
{
	char state = '?';

	scoped_guard(mutex, &event_mutex) {
		if (dir && !dir->nr_events)
			return -ENODEV;
		state = many_state(tr, dir);
	}
	return tracing_read_printf(ubuf, count, ppos, "%c\n", state);
}

static int many_set(struct trace_array *tr, const struct trace_subsystem_dir *dir,
		    unsigned long on)
{
	struct event_query query = { .dir = dir };
	int ret = on > 1 ? -EINVAL : event_make_room(tr, on);

	if (ret)
		return ret;

	guard(mutex)(&event_mutex);
	return dir && !dir->nr_events ? -ENODEV : event_query_apply(tr, &query, on);
}

static void system_put(struct trace_subsystem_dir *dir)
{
	if (refcount_dec_and_test(&dir->ref)) {
		kfree_const(dir->name);
		kfree(dir->filter_refused);
		kfree(dir);
	}
}

int event_system_open(struct inode *inode, struct file *filp)
{
	struct trace_subsystem_dir *dir = inode->i_private;
	int ret;

	guard(mutex)(&event_mutex);
	if (!dir->nr_events)
		return -ENODEV;
	ret = tracing_check_open_get_tr(dir->tr);
	if (ret)
		return ret;
	refcount_inc(&dir->ref);
	return 0;
}

int event_system_release(struct inode *inode, struct file *filp)
{
	struct trace_subsystem_dir *dir = inode->i_private;

	trace_array_put(dir->tr);
	system_put(dir);
	return 0;
}

static ssize_t system_enable_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_subsystem_dir *dir = file_inode(filp)->i_private;

	return many_read(dir->tr, dir, ubuf, count, ppos);
}

static int system_enable_set(struct file *filp, unsigned long on)
{
	struct trace_subsystem_dir *dir = file_inode(filp)->i_private;

	return many_set(dir->tr, dir, on);
}

static ssize_t top_enable_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	return many_read(filp->private_data, NULL, ubuf, count, ppos);
}

static int top_enable_set(struct file *filp, unsigned long on)
{
	return many_set(filp->private_data, NULL, on);
}

TRACE_NUMBER_FOPS(system_enable, event_system_open, event_system_release,
		  ((struct trace_subsystem_dir *)file_inode(filp)->i_private)->tr);

TRACE_NUMBER_FOPS_TR(top_enable);

/* --- the directories. eventfs calls back with its own lock held: no lock of ours in there. */

#define DIR_FILES_MAX	16

/* What stands in a directory: complete before the first one is made. */
static struct {
	const struct event_dir_file	*files[DIR_FILES_MAX];
	struct eventfs_entry		entries[DIR_FILES_MAX];
	int				nr;
} dirs[NR_EVENT_DIRS] __ro_after_init;

/* Who lists a directory has the name from the table. */
static int find_index(enum event_dir where, const char *name)
{
	int i;

	for (i = 0; i < dirs[where].nr; i++)
		if (dirs[where].entries[i].name == name)
			return i;
	for (i = 0; i < dirs[where].nr; i++)
		if (!strcmp(dirs[where].entries[i].name, name))
			return i;
	return -1;
}

static const struct event_dir_file *find_file(enum event_dir where, const char *name,
					      umode_t *mode, const struct file_operations **fops)
{
	int i = find_index(where, name);
	const struct event_dir_file *file;

	if (i < 0)
		return NULL;
	file = dirs[where].files[i];
	*mode = file->mode;
	*fops = file->fops;
	return file;
}

static int event_callback(const char *name, umode_t *mode, void **data,
			  const struct file_operations **fops)
{
	const struct event_dir_file *found = find_file(EVENT_DIR_EVENT, name, mode, fops);
	struct trace_event_file *file = *data;

	return found && (!found->wanted || found->wanted(file->event_call));
}

static int system_callback(const char *name, umode_t *mode, void **data,
			   const struct file_operations **fops)
{
	return !!find_file(EVENT_DIR_SYSTEM, name, mode, fops);
}

static int top_callback(const char *name, umode_t *mode, void **data,
			const struct file_operations **fops)
{
	return !!find_file(EVENT_DIR_TOP, name, mode, fops);
}

/* The directory of an event has gone from all inodes. */
static void event_dir_gone(const char *name, void *data)
{
	event_file_put(data);
}

static void system_dir_gone(const char *name, void *data)
{
	system_put(data);
}

/**
 * event_dir_add_files - let files stand in each of the directories of events
 * @where: which directories
 * @files: the files, in the order they are listed; the table stays
 * @nr: how many
 *
 * The data of such a file is the instance, its system (struct trace_subsystem_dir) or the
 * event's struct trace_event_file; event_file_open() references the last.
 *
 * Context: boot, before fs_initcall. eventfs calls fops and wanted with its own lock held.
 * Return: 0; -EBUSY when there are directories already, -ENOSPC when there is no place.
 */
int __init event_dir_add_files(enum event_dir where, const struct event_dir_file *files, int nr)
{
	static const eventfs_callback callbacks[] __initconst = {
		[EVENT_DIR_TOP]		= top_callback,
		[EVENT_DIR_SYSTEM]	= system_callback,
		[EVENT_DIR_EVENT]	= event_callback,
	};
	static const eventfs_release releases[] __initconst = {
		[EVENT_DIR_TOP]		= NULL,
		[EVENT_DIR_SYSTEM]	= system_dir_gone,
		[EVENT_DIR_EVENT]	= event_dir_gone,
	};

	if (events_of(&global_trace)->dir)
		return -EBUSY;
	if (nr > DIR_FILES_MAX - dirs[where].nr)
		return -ENOSPC;
	for (int i = 0; i < nr; i++) {
		int at = dirs[where].nr++;

		dirs[where].files[at] = &files[i];
		dirs[where].entries[at] = (struct eventfs_entry) {
			.name		= files[i].name,
			.callback	= callbacks[where],
			/* once a directory */
			.release	= at ? NULL : releases[where],
		};
	}
	return 0;
}

/*
 * The number is for who opens an event with perf, which needs a class that
 * can be registered with. The base shows that of "print", too.
 */
static bool event_has_id_file(const struct trace_event_call *call)
{
	return call->event.type == TRACE_PRINT ||
	       (call->event.type && call->class->reg);
}

/* This room's own: what is switched, what is recorded, and the number. */
int __init event_dirs_init(void)
{
	static const struct event_dir_file event_enable[] = {
		{ "enable", TRACE_MODE_WRITE, &event_enable_fops, event_can_be_enabled },
	}, event_id[] = {
		{ "id", TRACE_MODE_READ, &event_id_fops, event_has_id_file },
	}, system_enable[] = {
		{ "enable", TRACE_MODE_WRITE, &system_enable_fops },
	}, top_enable[] = {
		{ "enable", TRACE_MODE_WRITE, &top_enable_fops },
	};

	return event_dir_add_files(EVENT_DIR_TOP, top_enable, 1) ?:
	       event_dir_add_files(EVENT_DIR_SYSTEM, system_enable, 1) ?:
	       event_dir_add_files(EVENT_DIR_EVENT, event_enable, 1) ?:
	       event_format_init() ?:
	       event_dir_add_files(EVENT_DIR_EVENT, event_id, 1);
}

static struct trace_subsystem_dir *system_find(struct trace_array *tr, const char *name)
{
	struct trace_subsystem_dir *dir;

	/* events come system by system: it is the last one that came, if it is there */
	list_for_each_entry_reverse(dir, &events_of(tr)->systems, list)
		if (!strcmp(dir->name, name))
			return dir;
	return NULL;
}

static struct trace_subsystem_dir *system_create(struct trace_array *tr, const char *name)
{
	/* nothing of the system "ftrace" can be switched */
	int nr = strcmp(name, "ftrace") ? dirs[EVENT_DIR_SYSTEM].nr : 0;
	struct trace_subsystem_dir *dir;

	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return NULL;
	dir->tr = tr;
	refcount_set(&dir->ref, nr ? 2 : 1);
	dir->name = kstrdup_const(name, GFP_KERNEL);	/* a module's name goes with it */
	if (!dir->name)
		goto fail;
	dir->ei = eventfs_create_dir(dir->name, events_of(tr)->dir,
				     dirs[EVENT_DIR_SYSTEM].entries, nr, dir);
	if (IS_ERR(dir->ei))
		goto fail;
	list_add_tail(&dir->list, &events_of(tr)->systems);
	return dir;
fail:
	kfree_const(dir->name);
	kfree(dir);
	return NULL;
}

/**
 * event_dir_create - make the directory of an event
 * @file: the event in an instance
 *
 * Context: task, event_mutex.
 * Return: 0, also before the instance has its events/, or an error; the event works without its
 * directory then.
 */
int event_dir_create(struct trace_event_file *file)
{
	struct trace_event_call *call = file->event_call;
	const char *system = call->class->system;
	struct trace_array *tr = file->tr;
	struct trace_subsystem_dir *dir;
	struct eventfs_inode *ei;

	if (!events_of(tr)->dir || file->ei)
		return 0;

	dir = system_find(tr, system) ?: system_create(tr, system);
	if (!dir) {
		pr_warn("Could not create tracefs directory of system %s\n", system);
		return -ENOMEM;
	}
	dir->nr_events++;
	file->system = dir;

	event_file_get(file);
	ei = eventfs_create_dir(trace_event_name(call), dir->ei, dirs[EVENT_DIR_EVENT].entries,
				dirs[EVENT_DIR_EVENT].nr, file);
	if (IS_ERR(ei)) {
		event_file_put(file);
		pr_warn("Could not create tracefs '%s' directory\n", trace_event_name(call));
		return PTR_ERR(ei);
	}
	file->ei = ei;
	return 0;
}

/**
 * event_dir_remove - remove the directory of an event, and of its system after the last one
 * @file: the event in an instance
 *
 * Context: task, event_mutex. Open files stay; their operations say -ENODEV.
 */
void event_dir_remove(struct trace_event_file *file)
{
	struct trace_subsystem_dir *dir = file->system;

	if (file->ei)
		eventfs_remove_dir(file->ei);
	file->ei = NULL;
	file->system = NULL;
	if (!dir || --dir->nr_events)
		return;

	list_del(&dir->list);
	eventfs_remove_dir(dir->ei);
	system_put(dir);
}

/*
 * Whoever looks a name up in a directory or opens it to list it is asked for permission before,
 * with no lock held. Those of an events/ that is not filled yet are asked here.
 * There is no other moment: eventfs tells nobody of a lookup, and has locks when it does one.
 */
static const struct inode_operations *plain_events_ops;
static struct inode_operations unfilled_events_ops;

static int events_permission(struct mnt_idmap *idmap, struct inode *inode, int mask)
{
	int ret = generic_permission(idmap, inode, mask);
	struct trace_array *tr;

	if (ret || !(mask & (MAY_EXEC | MAY_READ)))
		return ret;
	if (mask & MAY_NOT_BLOCK)
		return -ECHILD;

	/* Who walks may hold what somebody with event_mutex waits for; he can be killed. */
	if (mutex_lock_killable(&event_mutex))
		return -EINTR;
	/* it may be gone, and is only compared then; the directory is as good as gone, and empty */
	tr = inode->i_private;
	if (!trace_array_get(tr)) {
		ret = event_files_get_ready(tr);
		trace_array_put(tr);
	}
	/* Who makes something is asked once more, with the lock of the inode: not here. */
	if (!ret)
		WRITE_ONCE(inode->i_op, plain_events_ops);
	mutex_unlock(&event_mutex);
	return ret;
}

/*
 * event_mutex held. Who was asked already sees it empty, this once: eventfs has a permission() of
 * its own, or VFS would note of an inode, once and for all, that it has none.
 */
static void events_fill_later(struct trace_array *tr, struct dentry *dir)
{
	struct qstr name = QSTR_INIT("events", strlen("events"));
	struct dentry *dentry = d_hash_and_lookup(dir, &name);
	struct inode *inode;

	if (WARN_ON_ONCE(IS_ERR_OR_NULL(dentry)))
		return;

	inode = d_inode(dentry);
	if (!plain_events_ops) {
		unfilled_events_ops = *inode->i_op;
		unfilled_events_ops.permission = events_permission;
		plain_events_ops = inode->i_op;
	}
	inode->i_private = tr;
	/* pairs with the dependency of who goes by the operations: they are filled in */
	smp_store_release(&inode->i_op, &unfilled_events_ops);
	dput(dentry);
}

/**
 * event_files_create - make set_event and events/ of an instance
 * @tr: the instance
 * @dir: its directory
 *
 * Context: task, event_mutex and trace_types_lock.
 */
void event_files_create(struct trace_array *tr, struct dentry *dir)
{
	struct trace_event_file *file;
	struct eventfs_inode *ei;

	trace_create_file("set_event", TRACE_MODE_WRITE, dir, tr, &set_event_fops);

	ei = eventfs_create_events_dir("events", dir, dirs[EVENT_DIR_TOP].entries,
				       dirs[EVENT_DIR_TOP].nr, tr);
	if (IS_ERR_OR_NULL(ei)) {
		pr_warn("Could not create tracefs 'events' directory\n");
		return;
	}
	events_of(tr)->dir = ei;

	/* made at boot, and used? */
	for_each_event_file(file, tr)
		event_dir_create(file);
	if (!events_of(tr)->complete)
		events_fill_later(tr, dir);
}

/**
 * event_files_remove - remove events/ of an instance
 * @tr: the instance; its event files have left already
 *
 * Context: task, event_mutex and trace_types_lock.
 */
void event_files_remove(struct trace_array *tr)
{
	if (events_of(tr)->dir)
		eventfs_remove_events_dir(events_of(tr)->dir);
	events_of(tr)->dir = NULL;
}
