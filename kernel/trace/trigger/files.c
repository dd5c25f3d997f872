// SPDX-License-Identifier: GPL-2.0-only
/*
 * events/SYSTEM/EVENT/trigger, and the lists of all triggers and filters of an instance.
 *
 * A write is one command. What is overwritten with nothing, `echo > trigger` or `: > trigger`,
 * has no trigger afterwards; a command that is written with `>` is added as with `>>`, which is
 * what users of the file have relied on from the beginning.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

#include "../events/directories.h"
#include "../events/events.h"
#include "../filter/filter.h"
#include "../instance/words.h"
#include "../record/entries.h"
#include "actions.h"
#include "trigger.h"

/* Written once into a buffer of its own size; the longest command, with its end of line. */
#define COMMAND_MAX	((size_t)PAGE_SIZE - 1)

/* seq_file.private of an open trigger file */
struct trigger_open {
	struct trace_event_file	*file;
	bool			clear;	/* opened to be overwritten, nothing written yet */
};

static void show_available(struct seq_file *m)
{
	const struct trace_action *action = NULL;

	seq_puts(m, "# Available triggers:\n#");
	while ((action = trace_action_next(action, TRACE_ACTION_EVENT)))
		seq_printf(m, " %s", action->name);
	seq_putc(m, '\n');
}

static int trigger_show(struct seq_file *m, void *v)
{
	struct trigger_open *open = m->private;
	struct event_trigger *trigger;

	guard(mutex)(&event_mutex);
	if (open->file->flags & EVENT_FILE_FL_FREED)
		return -ENODEV;
	if (list_empty(&open->file->triggers))
		show_available(m);
	for_each_event_trigger(trigger, open->file)
		event_trigger_show(m, trigger);
	return 0;
}

static int trigger_open(struct inode *inode, struct file *filp)
{
	struct trigger_open *open;
	int ret = event_file_open(inode);

	if (ret)
		return ret;
	open = kzalloc(sizeof(*open), GFP_KERNEL);
	if (!open) {
		ret = -ENOMEM;
		goto fail;
	}
	open->file = inode->i_private;
	open->clear = (filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC);
	ret = single_open(filp, trigger_show, open);
	if (!ret)
		return 0;
	kfree(open);
fail:
	event_file_close(inode);
	return ret;
}

static void trigger_clear(struct trigger_open *open)
{
	lockdep_assert_held(&event_mutex);
	open->clear = false;
	if (!(open->file->flags & EVENT_FILE_FL_FREED))
		event_triggers_remove(open->file);
}

/* event_mutex */
static int trigger_write_command(struct trigger_open *open, char *text)
{
	if (open->file->flags & EVENT_FILE_FL_FREED)
		return -ENODEV;
	text = strim(text);
	if (!*text && open->clear) {
		trigger_clear(open);
		return 0;
	}
	open->clear = false;
	return event_trigger_command(open->file, text);
}

static ssize_t trigger_write(struct file *filp, const char __user *ubuf, size_t count,
			     loff_t *ppos)
{
	struct trigger_open *open = ((struct seq_file *)filp->private_data)->private;
	char *text;
	int ret;

	if (!count)
		return 0;
	/* the beginning is enough to say what is refused */
	text = memdup_user_nul(ubuf, min(count, COMMAND_MAX));
	if (IS_ERR(text))
		return PTR_ERR(text);

	ret = count > COMMAND_MAX ? 0 : event_make_room(open->file->tr, *skip_spaces(text) != '!');
	if (!ret) {
		guard(mutex)(&event_mutex);
		if (count > COMMAND_MAX) {
			open->clear = false;
			trace_text_error(open->file->tr, "event trigger", text, trace_action_errors,
					 ACTION_ERR_TOO_LONG, 0);
			ret = -EINVAL;
		} else {
			ret = trigger_write_command(open, text);
		}
	}
	kfree(text);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static int trigger_release(struct inode *inode, struct file *filp)
{
	struct trigger_open *open = ((struct seq_file *)filp->private_data)->private;

	scoped_guard(mutex, &event_mutex)
		if (open->clear)
			trigger_clear(open);
	kfree(open);
	single_release(inode, filp);
	return event_file_close(inode);
}

static const struct file_operations trigger_fops = {
	.open		= trigger_open,
	.read		= seq_read,
	.write		= trigger_write,
	.llseek		= seq_lseek,
	.release	= trigger_release,
};

/* Of the kernel's own entries markers are looked at when they are written. */
static bool has_triggers(const struct trace_event_call *call)
{
	return event_can_be_enabled(call) || call->event.type == TRACE_PRINT;
}

static const struct event_dir_file trigger_file[] = {
	{ "trigger", TRACE_MODE_WRITE, &trigger_fops, has_triggers },
};

static struct event_file_user trigger_user = { .leave = event_triggers_remove };

/**
 * event_triggers_init - the actions, the file, and the triggers that trace_trigger= asks for
 *
 * Context: boot, when the events are there and tracefs is not.
 */
void __init event_triggers_init(void)
{
	instance_actions_register();
	event_actions_register();
	event_file_user_register(&trigger_user);
	if (event_dir_add_files(EVENT_DIR_EVENT, trigger_file, ARRAY_SIZE(trigger_file)))
		pr_err("tracing: no place for the file of triggers\n");
	event_triggers_boot();
}

/* --- show_event_triggers, show_event_filters: SYSTEM:EVENT, blanks up to column 32, what it has */

static void show_name(struct seq_file *m, struct trace_event_file *file)
{
	const char *system = file->event_call->class->system;
	const char *name = trace_event_name(file->event_call);
	int width = 32 - (int)(strlen(system) + strlen(name) + 1);

	seq_printf(m, "%s:%s%*s", system, name, max(width, 1), "");
}

static int show_triggers(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;
	struct event_trigger *trigger;
	struct trace_event_file *file;

	guard(mutex)(&event_mutex);
	for (file = event_file_next(tr, NULL); file; file = event_file_next(tr, file)) {
		for_each_event_trigger(trigger, file) {
			show_name(m, file);
			event_trigger_show(m, trigger);
		}
	}
	return 0;
}

static int show_filters(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;
	struct trace_event_file *file;

	guard(mutex)(&event_mutex);
	for (file = event_file_next(tr, NULL); file; file = event_file_next(tr, file)) {
		struct event_filter *filter;

		filter = rcu_dereference_protected(file->filter, lockdep_is_held(&event_mutex));
		if (!filter || !(file->flags & EVENT_FILE_FL_FILTERED))
			continue;
		show_name(m, file);
		seq_printf(m, "%s\n", event_filter_text(filter));
	}
	return 0;
}

static int open_show(struct inode *inode, struct file *filp, int (*show)(struct seq_file *, void *))
{
	struct trace_array *tr = inode->i_private;
	int ret = tracing_check_open_get_tr(tr);

	if (ret)
		return ret;
	ret = single_open(filp, show, tr);
	if (ret)
		trace_array_put(tr);
	return ret;
}

static int show_triggers_open(struct inode *inode, struct file *filp)
{
	return open_show(inode, filp, show_triggers);
}

static int show_filters_open(struct inode *inode, struct file *filp)
{
	return open_show(inode, filp, show_filters);
}

static const struct file_operations show_triggers_fops = {
	.open		= show_triggers_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= tracing_single_release_tr,
};

static const struct file_operations show_filters_fops = {
	.open		= show_filters_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= tracing_single_release_tr,
};

static void trigger_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("show_event_triggers", TRACE_MODE_READ, dir, tr, &show_triggers_fops);
	trace_create_file("show_event_filters", TRACE_MODE_READ, dir, tr, &show_filters_fops);
}

const struct instance_feature event_trigger_feature = {
	.name	= "triggers",
	.files	= trigger_files,
};
