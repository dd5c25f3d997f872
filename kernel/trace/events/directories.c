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
 */
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

static int event_open(struct inode *inode, struct file *filp)
{
	return event_file_open(inode);
}

static int event_release(struct inode *inode, struct file *filp)
{
	return event_file_close(inode);
}

static int read_switch(const char __user *ubuf, size_t count, bool *on)
{
	unsigned long value;
	int ret = kstrtoul_from_user(ubuf, count, 10, &value);

	if (ret)
		return ret;
	if (value > 1)
		return -EINVAL;
	*on = value;
	return 0;
}

static ssize_t event_enable_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_event_file *file = file_inode(filp)->i_private;
	unsigned long flags;
	char text[4];
	int len;

	scoped_guard(mutex, &event_mutex)
		flags = file->flags;
	if (flags & EVENT_FILE_FL_FREED)
		return -ENODEV;

	/* the star tells of soft users, whether the event is recorded or not */
	len = scnprintf(text, sizeof(text), "%d%s\n",
			(flags & EVENT_FILE_FL_ENABLED) && !(flags & EVENT_FILE_FL_SOFT_DISABLED),
			flags & (EVENT_FILE_FL_SOFT_MODE | EVENT_FILE_FL_SOFT_DISABLED) ? "*" : "");
	return simple_read_from_buffer(ubuf, count, ppos, text, len);
}

static ssize_t event_enable_write(struct file *filp, const char __user *ubuf, size_t count,
				  loff_t *ppos)
{
	struct trace_event_file *file = file_inode(filp)->i_private;
	bool on;
	int ret;

	ret = read_switch(ubuf, count, &on);
	if (ret)
		return ret;

	ret = event_make_room(file->tr, on);
	if (ret)
		return ret;

	scoped_guard(mutex, &event_mutex) {
		if (file->flags & EVENT_FILE_FL_FREED)
			return -ENODEV;
		ret = ftrace_event_enable_disable(file, on);
	}
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static ssize_t event_id_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_event_file *file = file_inode(filp)->i_private;
	char text[16];
	int len;

	scoped_guard(mutex, &event_mutex) {
		if (file->flags & EVENT_FILE_FL_FREED)
			return -ENODEV;
		len = scnprintf(text, sizeof(text), "%d\n", file->event_call->event.type);
	}
	return simple_read_from_buffer(ubuf, count, ppos, text, len);
}

static const struct file_operations event_enable_fops = {
	.open		= event_open,
	.read		= event_enable_read,
	.write		= event_enable_write,
	.llseek		= default_llseek,
	.release	= event_release,
};

static const struct file_operations event_id_fops = {
	.open		= event_open,
	.read		= event_id_read,
	.llseek		= default_llseek,
	.release	= event_release,
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
	char text[2] = { '?', '\n' };

	scoped_guard(mutex, &event_mutex)
		text[0] = many_state(tr, dir);
	return simple_read_from_buffer(ubuf, count, ppos, text, sizeof(text));
}

static ssize_t many_write(struct trace_array *tr, const struct trace_subsystem_dir *dir,
			  const char __user *ubuf, size_t count, loff_t *ppos)
{
	struct event_query query = { .system = dir ? dir->name : NULL };
	bool on;
	int ret;

	ret = read_switch(ubuf, count, &on);
	if (ret)
		return ret;

	ret = event_make_room(tr, on);
	if (ret)
		return ret;

	scoped_guard(mutex, &event_mutex)
		ret = event_query_apply(tr, &query, on);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static void system_put(struct trace_subsystem_dir *dir)
{
	if (refcount_dec_and_test(&dir->ref)) {
		kfree_const(dir->name);
		kfree(dir);
	}
}

static int system_open(struct inode *inode, struct file *filp)
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

static int system_release(struct inode *inode, struct file *filp)
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

static ssize_t system_enable_write(struct file *filp, const char __user *ubuf, size_t count,
				   loff_t *ppos)
{
	struct trace_subsystem_dir *dir = file_inode(filp)->i_private;

	return many_write(dir->tr, dir, ubuf, count, ppos);
}

static ssize_t top_enable_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	return many_read(filp->private_data, NULL, ubuf, count, ppos);
}

static ssize_t top_enable_write(struct file *filp, const char __user *ubuf, size_t count,
				loff_t *ppos)
{
	return many_write(filp->private_data, NULL, ubuf, count, ppos);
}

static const struct file_operations system_enable_fops = {
	.open		= system_open,
	.read		= system_enable_read,
	.write		= system_enable_write,
	.llseek		= default_llseek,
	.release	= system_release,
};

static const struct file_operations top_enable_fops = {
	.open		= tracing_open_generic_tr,
	.read		= top_enable_read,
	.write		= top_enable_write,
	.llseek		= default_llseek,
	.release	= tracing_release_generic_tr,
};

/* --- the directories. eventfs calls back with its own lock held: no lock of ours in there. */

struct events_file {
	const char			*name;
	umode_t				mode;
	const struct file_operations	*fops;
};

static int fill_in(const struct events_file *files, int nr, const char *name, umode_t *mode,
		   const struct file_operations **fops)
{
	for (int i = 0; i < nr; i++) {
		if (!strcmp(files[i].name, name)) {
			*mode = files[i].mode;
			*fops = files[i].fops;
			return 1;
		}
	}
	return 0;
}

/*
 * The number is for who opens an event with perf, which needs a class that
 * can be registered with. The base shows that of "print", too.
 */
static bool event_has_id_file(struct trace_event_call *call)
{
	return call->event.type == TRACE_PRINT ||
	       (call->event.type && call->class->reg);
}

static int event_callback(const char *name, umode_t *mode, void **data,
			  const struct file_operations **fops)
{
	static const struct events_file files[] = {
		{ "enable",	TRACE_MODE_WRITE,	&event_enable_fops },
		{ "format",	TRACE_MODE_READ,	&event_format_fops },
		{ "id",		TRACE_MODE_READ,	&event_id_fops },
	};
	struct trace_event_file *file = *data;
	struct trace_event_call *call = file->event_call;

	if (!strcmp(name, "enable") && !event_can_be_enabled(call))
		return 0;
	if (!strcmp(name, "id") && !event_has_id_file(call))
		return 0;
	return fill_in(files, ARRAY_SIZE(files), name, mode, fops);
}

static int system_callback(const char *name, umode_t *mode, void **data,
			   const struct file_operations **fops)
{
	static const struct events_file files[] = {
		{ "enable",	TRACE_MODE_WRITE,	&system_enable_fops },
	};

	return fill_in(files, ARRAY_SIZE(files), name, mode, fops);
}

static int top_callback(const char *name, umode_t *mode, void **data,
			const struct file_operations **fops)
{
	static const struct events_file files[] = {
		{ "enable",		TRACE_MODE_WRITE,	&top_enable_fops },
		{ "header_page",	TRACE_MODE_READ,	&event_header_page_fops },
		{ "header_event",	TRACE_MODE_READ,	&event_header_event_fops },
	};

	return fill_in(files, ARRAY_SIZE(files), name, mode, fops);
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

static const struct eventfs_entry event_entries[] = {
	{ .name = "enable",	.callback = event_callback,	.release = event_dir_gone },
	{ .name = "format",	.callback = event_callback },
	{ .name = "id",		.callback = event_callback },
};

static const struct eventfs_entry system_entries[] = {
	{ .name = "enable",	.callback = system_callback,	.release = system_dir_gone },
};

static const struct eventfs_entry top_entries[] = {
	{ .name = "enable",		.callback = top_callback },
	{ .name = "header_page",	.callback = top_callback },
	{ .name = "header_event",	.callback = top_callback },
};

static struct trace_subsystem_dir *system_find(struct trace_array *tr, const char *name)
{
	struct trace_subsystem_dir *dir;

	list_for_each_entry(dir, &tr->systems, list)
		if (!strcmp(dir->name, name))
			return dir;
	return NULL;
}

static struct trace_subsystem_dir *system_create(struct trace_array *tr, const char *name)
{
	/* nothing of the system "ftrace" can be switched */
	int nr = strcmp(name, "ftrace") ? ARRAY_SIZE(system_entries) : 0;
	struct trace_subsystem_dir *dir;

	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return NULL;
	dir->tr = tr;
	refcount_set(&dir->ref, nr ? 2 : 1);
	dir->name = kstrdup_const(name, GFP_KERNEL);	/* a module's name goes with it */
	if (!dir->name)
		goto fail;
	dir->ei = eventfs_create_dir(dir->name, tr->event_dir, system_entries, nr, dir);
	if (IS_ERR(dir->ei))
		goto fail;
	list_add_tail(&dir->list, &tr->systems);
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

	if (!tr->event_dir || file->ei)
		return 0;

	dir = system_find(tr, system) ?: system_create(tr, system);
	if (!dir) {
		pr_warn("Could not create tracefs directory of system %s\n", system);
		return -ENOMEM;
	}
	dir->nr_events++;
	file->system = dir;

	event_file_get(file);
	ei = eventfs_create_dir(trace_event_name(call), dir->ei, event_entries,
				ARRAY_SIZE(event_entries), file);
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

	ei = eventfs_create_events_dir("events", dir, top_entries, ARRAY_SIZE(top_entries), tr);
	if (IS_ERR_OR_NULL(ei)) {
		pr_warn("Could not create tracefs 'events' directory\n");
		return;
	}
	tr->event_dir = ei;

	for_each_event_file(file, tr)
		event_dir_create(file);
}

/**
 * event_files_remove - remove events/ of an instance
 * @tr: the instance; its event files have left already
 *
 * Context: task, event_mutex and trace_types_lock.
 */
void event_files_remove(struct trace_array *tr)
{
	if (tr->event_dir)
		eventfs_remove_events_dir(tr->event_dir);
	tr->event_dir = NULL;
}
