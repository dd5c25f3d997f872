// SPDX-License-Identifier: GPL-2.0-only
/*
 * events/SYSTEM/EVENT/trigger, and the lists of all triggers and filters of an instance.
 *
 * A write is one command. What is overwritten with nothing, `echo > trigger` or `: > trigger`,
 * has no trigger afterwards. A command that is written with `>` takes the place of the event's
 * hists, enable_hist and disable_hist, and is added to the other triggers as with `>>`: both is
 * what users of the file have relied on from the beginning. What is refused replaces nothing.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "../events/directories.h"
#include "../events/events.h"
#include "../filter/filter.h"
#include "../record/entries.h"
#include "actions.h"
#include "trigger.h"

/* seq_file.private of an open trigger file */
struct trigger_open {
	struct trace_event_file	*file;
	bool			clear;	/* opened to be overwritten, nothing written yet */
	u64			till;	/* what others set since then stays */
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
	struct trigger_open *open = kzalloc(sizeof(*open), GFP_KERNEL);
	int ret;

	if (!open)
		return -ENOMEM;
	open->file = inode->i_private;
	open->clear = (filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC);
	scoped_guard(mutex, &event_mutex)
		open->till = event_triggers_now();
	ret = event_single_open(inode, filp, trigger_show, open);
	if (ret)
		kfree(open);
	return ret;
}

static int trigger_clear(struct trigger_open *open)
{
	lockdep_assert_held(&event_mutex);
	open->clear = false;
	if (open->file->flags & EVENT_FILE_FL_FREED)
		return 0;
	if (event_triggers_busy(open->file, open->till)) {
		char none[] = "";

		trace_text_error(open->file->tr, "event trigger", none, trace_action_errors,
				 ACTION_ERR_NEEDED, 0);
		return -EBUSY;
	}
	event_triggers_remove_till(open->file, open->till);
	return 0;
}

/* event_mutex */
static int trigger_write_command(struct trigger_open *open, struct trace_words *words)
{
	int ret;

	if (open->file->flags & EVENT_FILE_FL_FREED)
		return trace_words_error(words, words->copy, ACTION_ERR_BUSY, -ENODEV);
	if (!open->clear)
		return event_trigger_command(open->file, words);
	if (!*words->text)
		return trigger_clear(open);
	open->clear = false;
	event_triggers_set_aside(open->file, open->till);
	ret = event_trigger_command(open->file, words);
	event_triggers_settle(open->file, !ret);
	return ret;
}

static ssize_t trigger_write(struct file *filp, const char __user *ubuf, size_t count,
			     loff_t *ppos)
{
	struct trigger_open *open = tracing_seq_private(filp);
	struct trace_words words = event_trigger_words(open->file->tr);
	int ret;

	if (!count)
		return 0;
	ret = trace_words_command(&words, ubuf, count, ACTION_ERR_TOO_LONG);
	if (ret) {
		guard(mutex)(&event_mutex);
		open->clear = false;	/* what is refused changes nothing */
		return ret;
	}
	ret = event_make_room(open->file->tr, *words.text != '!');
	if (!ret) {
		guard(mutex)(&event_mutex);
		ret = trigger_write_command(open, &words);
	}
	trace_words_free(&words);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static int trigger_release(struct inode *inode, struct file *filp)
{
	struct trigger_open *open = tracing_seq_private(filp);

	scoped_guard(mutex, &event_mutex)
		if (open->clear)
			trigger_clear(open);
	kfree(open);
	return event_single_release(inode, filp);
}

static const struct file_operations trigger_fops = {
	TRACE_SEQ_OPS(trigger_open, trigger_release),
	.write		= trigger_write,
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
 * event_triggers_init - the actions of this room, and the file
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
}

/* --- show_event_triggers, show_event_filters: SYSTEM:EVENT, blanks up to column 32, what it has */

static void show_name(struct seq_file *m, struct trace_event_file *file)
{
	const char *system = file->event_call->class->system;
	const char *name = trace_event_name(file->event_call);
	int width = 32 - (int)(strlen(system) + strlen(name) + 1);

	seq_printf(m, "%s:%s%*s", system, name, max(width, 1), "");
}

static int all_triggers_show(struct seq_file *m, void *v)
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

static int all_filters_show(struct seq_file *m, void *v)
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

TRACE_SHOW_FOPS(all_triggers, NULL);

TRACE_SHOW_FOPS(all_filters, NULL);

static void trigger_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("show_event_triggers", TRACE_MODE_READ, dir, tr, &all_triggers_fops);
	trace_create_file("show_event_filters", TRACE_MODE_READ, dir, tr, &all_filters_fops);
}

const struct instance_feature event_trigger_feature = {
	.name	= "triggers",
	.files	= trigger_files,
};
