// SPDX-License-Identifier: GPL-2.0-only
/*
 * dynamic_events, with all events that were made at run time, and the files of their kinds.
 *
 * A write is lines. Each takes effect by itself, and the first one that is refused ends the write.
 * What is behind a # is a comment. Opening a file to overwrite it takes all of its events away,
 * if none of them is in use; else it is refused.
 */
#include <linux/fs.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../instance/error_log.h"
#include "internal.h"

#define LINE_MAX_BYTES	4096	/* with what ends it */
#define QUOTED_MAX	32	/* of a line that is too long */

enum {
	FILE_ERR_TOO_LONG,
	FILE_ERR_BUSY,
};

static const char *file_errors[] = {
	[FILE_ERR_TOO_LONG]	= "The line is too long",
	[FILE_ERR_BUSY]		= "One of the events is in use, so none is removed",
};

/* A refusal of what is written to the file of @kind. */
static int refuse(const struct dyn_event_kind *kind, const char *line, int error, int ret)
{
	tracing_log_err(NULL, kind ? kind->file : "dynamic_events", line, file_errors, error, 0);
	return ret;
}

static void *dyn_events_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&event_mutex);
	return seq_list_start(&dyn_events, *pos);
}

static void *dyn_events_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &dyn_events, pos);
}

static void dyn_events_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&event_mutex);
}

static int dyn_events_show(struct seq_file *m, void *v)
{
	struct dyn_event *ev = list_entry(v, struct dyn_event, list);
	const struct dyn_event_kind *kind = m->private;

	if (kind && ev->kind != kind)
		return 0;
	if (kind && kind->show_own)
		return kind->show_own(m, ev);
	return ev->kind->show(m, ev);
}

TRACE_SEQ_LIST(dyn_events);

static int dyn_events_open(struct inode *inode, struct file *filp)
{
	int ret = tracing_check_open_get_tr(NULL);

	if (!ret && (filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC))
		ret = dyn_events_release_all(inode->i_private);
	if (ret == -EBUSY)
		refuse(inode->i_private, "", FILE_ERR_BUSY, ret);
	return ret ?: tracing_seq_open(filp, &dyn_events_seq_ops, inode->i_private);
}

static int run_line(const struct dyn_event_kind *kind, char *line)
{
	char *comment = strchr(line, '#');

	if (comment)
		*comment = '\0';
	line = strim(line);
	if (!*line)
		return 0;
	if (!kind)
		return dyn_event_command(line);
	return kind->command ? kind->command(line) : dyn_event_command_of(kind, line);
}

static int too_long(const struct dyn_event_kind *kind, char *line)
{
	line[QUOTED_MAX] = '\0';
	return refuse(kind, line, FILE_ERR_TOO_LONG, -EINVAL);
}

/*
 * The lines of the @len bytes at @buf, of which there are @more to come. Says in @taken how many
 * bytes they are.
 */
static int run_lines(const struct dyn_event_kind *kind, char *buf, size_t len, bool more,
		     size_t *taken)
{
	char *at = buf, *line;
	int ret = 0;

	*taken = 0;
	while (!ret && at) {
		line = strsep(&at, "\n");
		if (!at && more)
			return *taken ? 0 : too_long(kind, line);
		ret = run_line(kind, line);
		*taken = at ? at - buf : len;
	}
	return ret;
}

static ssize_t dyn_events_write(struct file *filp, const char __user *ubuf, size_t count,
				loff_t *ppos)
{
	const struct dyn_event_kind *kind = file_inode(filp)->i_private;
	size_t done = 0, n, taken;
	int ret = 0;
	char *buf;

	buf = kmalloc(LINE_MAX_BYTES, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	while (!ret && done < count) {
		n = min_t(size_t, count - done, LINE_MAX_BYTES - 1);
		if (copy_from_user(buf, ubuf + done, n)) {
			ret = -EFAULT;
			break;
		}
		buf[n] = '\0';
		if (strlen(buf) < n)	/* not a text */
			n = strlen(buf) + 1;
		ret = run_lines(kind, buf, n, done + n < count && buf[n - 1], &taken);
		done += taken;
		if (signal_pending(current) && !ret)
			break;
		cond_resched();
	}
	kfree(buf);
	if (ret)
		return ret;
	*ppos += done;
	return done;
}

/* --- how often those of a kind happened */

static int profile_show(struct seq_file *m, void *v)
{
	struct dyn_event *ev = list_entry(v, struct dyn_event, list);
	const struct dyn_event_kind *kind = m->private;

	return ev->kind == kind ? kind->show_profile(m, ev) : 0;
}

TRACE_SEQ_LIST_OF(profile, dyn_events);

static int profile_open(struct inode *inode, struct file *filp)
{
	int ret = tracing_check_open_get_tr(NULL);

	return ret ?: tracing_seq_open(filp, &profile_seq_ops, inode->i_private);
}

static const struct file_operations profile_fops = {
	TRACE_SEQ_OPS(profile_open, seq_release),
};

/* --- the files */

static const struct file_operations dyn_events_fops = {
	TRACE_SEQ_OPS(dyn_events_open, seq_release),
	.write		= dyn_events_write,
};

static void top_files(struct trace_array *tr, struct dentry *dir)
{
	struct dyn_event_kind *kind;

	trace_create_file("dynamic_events", TRACE_MODE_WRITE, dir, NULL, &dyn_events_fops);
	list_for_each_entry(kind, &dyn_event_kinds, list) {
		if (kind->file)
			trace_create_file(kind->file, TRACE_MODE_WRITE, dir, kind,
					  &dyn_events_fops);
		if (kind->profile_file)
			trace_create_file(kind->profile_file, TRACE_MODE_READ, dir, kind,
					  &profile_fops);
	}
}

const struct instance_feature dynevent_feature = {
	.name		= "dynamic events",
	.top_files	= top_files,
};
