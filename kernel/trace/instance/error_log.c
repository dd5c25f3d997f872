// SPDX-License-Identifier: GPL-2.0-only
/*
 * error_log: why the last commands of an instance were refused. Each entry
 * quotes the command and points at the place.
 */
#include <linux/list.h>
#include <linux/overflow.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "error_log.h"
#include "instance.h"

#define ERRORS_KEPT	8

/* A line may tell that there was no memory: nobody is killed for it, and its loss is no news. */
#define ERROR_GFP	(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)

#define LOCATION_MAX	119	/* of the message's "location"; a longer one is cut */
#define CARET_BEHIND	2

struct error_entry {
	struct list_head	list;
	const char		*text;		/* of the command's table, never freed */
	u64			ns;
	u16			pos;
	char			where[LOCATION_MAX];
	char			*command;
};

/* All instances' lists: errors are rare. */
static DEFINE_MUTEX(error_mutex);

/**
 * tracing_log_err - keep an error for error_log
 * @tr:		instance, NULL for the top one
 * @loc:	what refused the command
 * @cmd:	command, cut when it is long
 * @errs:	texts of the errors that @loc knows; they stay for ever
 * @type:	index in @errs
 * @pos:	offset in @cmd that is wrong
 *
 * The oldest entry makes room. When memory is short the error is not kept; the
 * command fails all the same.
 *
 * Context: task.
 */
void tracing_log_err(struct trace_array *tr, const char *loc, const char *cmd, const char **errs,
		     u8 type, u16 pos)
{
	struct error_entry *err;
	char *command = kstrndup(cmd, ERROR_COMMAND_MAX, ERROR_GFP);

	if (!command)
		return;
	tr = tr ?: &global_trace;
	guard(mutex)(&error_mutex);
	if (tr->n_err_log_entries >= ERRORS_KEPT) {
		err = list_first_entry(&tr->err_log, struct error_entry, list);
		list_del(&err->list);
		kfree(err->command);
	} else {
		err = kmalloc(sizeof(*err), ERROR_GFP);
		if (!err) {
			kfree(command);
			return;
		}
		tr->n_err_log_entries++;
	}
	err->text = errs[type];
	err->ns = local_clock();
	strscpy(err->where, loc, sizeof(err->where));
	err->command = command;
	/* that of a filter may stand behind the end */
	err->pos = min_t(size_t, pos, strlen(command) + CARET_BEHIND);
	list_add_tail(&err->list, &tr->err_log);
}

static void error_free(struct error_entry *err)
{
	kfree(err->command);
	kfree(err);
}

static void error_log_clear(struct trace_array *tr)
{
	struct error_entry *err, *next;

	mutex_lock(&error_mutex);
	list_for_each_entry_safe(err, next, &tr->err_log, list)
		error_free(err);
	INIT_LIST_HEAD(&tr->err_log);
	tr->n_err_log_entries = 0;
	mutex_unlock(&error_mutex);
}

static void *error_log_start(struct seq_file *m, loff_t *pos)
{
	struct trace_array *tr = m->private;

	mutex_lock(&error_mutex);
	return seq_list_start(&tr->err_log, *pos);
}

static void *error_log_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct trace_array *tr = m->private;

	return seq_list_next(v, &tr->err_log, pos);
}

static void error_log_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&error_mutex);
}

/* A caret below column @pos of the command; a tab above it needs one here. */
static void show_caret(struct seq_file *m, const char *command, unsigned int pos)
{
	static const char indent[] = "           ";

	seq_puts(m, indent);
	for (; pos; pos--) {
		seq_putc(m, *command == '\t' ? '\t' : ' ');
		command += !!*command;
	}
	seq_puts(m, "^\n");
}

static int error_log_show(struct seq_file *m, void *v)
{
	struct error_entry *err = list_entry(v, struct error_entry, list);
	u32 ns;
	u64 sec = div_u64_rem(err->ns, NSEC_PER_SEC, &ns);

	seq_printf(m, "[%5llu.%06u] %s: error: %s\n", sec, ns / (u32)NSEC_PER_USEC, err->where,
		   err->text);
	seq_printf(m, "  Command: %s\n", err->command);
	show_caret(m, err->command, err->pos);
	return 0;
}

TRACE_SEQ_LIST(error_log);

static int error_log_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;
	int ret = tracing_check_open_get_tr(tr);

	if (ret)
		return ret;
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC))
		error_log_clear(tr);
	if (!(file->f_mode & FMODE_READ))
		return 0;
	ret = tracing_seq_open(file, &error_log_seq_ops, tr);
	if (ret)
		trace_array_put(tr);
	return ret;
}

static int error_log_release(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return file->f_mode & FMODE_READ ? seq_release(inode, file) : 0;
}

static const struct file_operations error_log_fops = {
	.open		= error_log_open,
	.read		= seq_read,
	.write		= tracing_write_opened,
	.llseek		= tracing_lseek,
	.release	= error_log_release,
};

static int error_log_init(struct trace_array *tr)
{
	INIT_LIST_HEAD(&tr->err_log);
	tr->n_err_log_entries = 0;
	return 0;
}

static void error_log_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("error_log", TRACE_MODE_WRITE, dir, tr, &error_log_fops);
}

const struct instance_feature error_log_feature = {
	.name	= "error_log",
	.init	= error_log_init,
	.exit	= error_log_clear,
	.files	= error_log_files,
};
