// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files `filter` of an event and of a system.
 *
 * A filter is made before anything changes, and takes the place of the one before it in one
 * store: an event meets the old or the new one. One that is refused leaves the one in
 * force there; the file shows what was refused until something else is written. A system's
 * filter goes to those of its events that can take it and is taken away from the others, for all
 * in one go. Taking away wants no memory.
 *
 * event_mutex guards it all. The old filters are freed when no probe can run them any more.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/fs.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "../events/events.h"
#include "../events/directories.h"
#include "../grace.h"
#include "../instance/words.h"
#include "internal.h"

#define SYSTEM_FILTER_TEXT							\
	"### global filter ###\n"						\
	"# Use this to set filters for multiple events.\n"			\
	"# Only events with the given fields will be affected.\n"		\
	"# If no events are modified, an error message will be displayed here"

/* --- the filter of an event in an instance */

static struct event_filter *filter_of(struct trace_event_file *file)
{
	struct event_filter *filter;

	filter = rcu_dereference_protected(file->filter, lockdep_is_held(&event_mutex));
	return filter == &event_filter_none ? NULL : filter;
}

/* Puts @filter in force; what it returns may still run. */
static struct event_filter *filter_exchange(struct trace_event_file *file,
					    struct event_filter *filter)
{
	struct event_filter *old = filter_of(file);

	rcu_assign_pointer(file->filter, filter ?: &event_filter_none);
	if (filter && filter->nr)
		set_bit(EVENT_FILE_FL_FILTERED_BIT, &file->flags);
	else
		clear_bit(EVENT_FILE_FL_FILTERED_BIT, &file->flags);
	return old;
}

/*
 * Until nobody runs a filter any more that was in force: what tracepoint_synchronize_unregister()
 * waits for, but at once. Whoever writes a filter waits for this, and longer than for all
 * that is done here for a thousand events if it is left to the next ticks.
 */
static void filters_wait(void)
{
	trace_synchronize_rcu();
	synchronize_srcu_expedited(&tracepoint_srcu);
}

static void filter_replace(struct trace_event_file *file, struct event_filter *filter)
{
	struct event_filter *old = filter_exchange(file, filter);

	if (!old)
		return;
	filters_wait();
	event_filter_free(old);
}

static bool is_clear(const char *text)
{
	return !strcmp(skip_spaces(text), "0");
}

/* The filter in force stays; where there is none, one without tests holds the text. */
static void show_refused(struct trace_event_file *file, const struct filter_parse *p)
{
	struct event_filter *filter = filter_of(file);

	if (!filter) {
		filter = filter_alloc(0);
		if (!filter)
			return;
		rcu_assign_pointer(file->filter, filter);
	}
	kfree(filter->refused);
	filter->refused = filter_refused_text(p->text, p->error, p->error_pos);
}

/**
 * event_filter_set - put a filter in force for an event
 * @file: the event in an instance
 * @text: what a user writes, without white space at its end; "0": none
 *
 * Context: task, event_mutex. Waits until nobody runs the one that was.
 * Return: 0; -EINVAL, which the file and error_log tell of, or -ENOMEM: the old one stays.
 */
int event_filter_set(struct trace_event_file *file, const char *text)
{
	struct filter_parse p = { .call = file->event_call, .text = text };
	struct event_filter *filter = NULL;
	int ret;

	if (!is_clear(text)) {
		ret = filter_compile(&p, &filter);
		if (ret == -EINVAL) {
			show_refused(file, &p);
			filter_log_error(file->tr, text, p.error, p.error_pos);
		}
		if (ret)
			return ret;
	}
	filter_replace(file, filter);
	return 0;
}

/* --- of a system */

struct change {
	struct trace_event_file	*file;
	struct event_filter	*filter;	/* to be put in force, then the one that was */
};

/* Only what is recorded as an event has one; entries of the system "ftrace" do not. */
static bool event_has_filter(const struct trace_event_call *call)
{
	return !(call->flags & TRACE_EVENT_FL_IGNORE_ENABLE);
}

static bool takes_filter(const struct trace_event_file *file,
			 const struct trace_subsystem_dir *dir)
{
	return file->system == dir && event_has_filter(file->event_call);
}

VISIBLE_IF_KUNIT struct change *changes_alloc(unsigned int nr)
{
	KUNIT_STATIC_STUB_REDIRECT(changes_alloc, nr);

	return kvcalloc(nr, sizeof(struct change), GFP_KERNEL);
}

static void changes_free(struct change *changes, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		event_filter_free(changes[i].filter);
	kvfree(changes);
}

/* What an event shows that cannot take the filter of its system */
static struct event_filter *not_for_this(const char *text)
{
	struct event_filter *filter = filter_alloc(0);

	if (filter)
		filter->refused = filter_refused_text(text, FILTER_ERR_BAD_SUBSYS_FILTER, 0);
	if (!filter || !filter->refused) {
		event_filter_free(filter);
		return NULL;
	}
	return filter;
}

/* Makes the filters of all @nr events; @able: of those that can take it */
static int changes_make(struct change *changes, unsigned int nr, const char *text,
			unsigned int *able)
{
	for (unsigned int i = 0; i < nr; i++) {
		struct filter_parse p = {
			.call = changes[i].file->event_call,
			.text = text,
		};
		int ret = filter_compile(&p, &changes[i].filter);

		if (ret && ret != -EINVAL)
			return ret;
		if (ret) {
			changes[i].filter = not_for_this(text);
			if (!changes[i].filter)
				return -ENOMEM;
		} else {
			(*able)++;
		}
	}
	return 0;
}

/* Takes the filters of a system away. What they tell of a text that was refused goes at once. */
static void system_filter_clear(struct trace_subsystem_dir *dir)
{
	struct event_filter *filter, *gone = NULL;
	struct trace_event_file *file;

	for (file = event_file_next(dir->tr, NULL); file; file = event_file_next(dir->tr, file)) {
		filter = takes_filter(file, dir) ? filter_exchange(file, NULL) : NULL;
		if (!filter)
			continue;
		kfree(filter->refused);
		filter->gone = gone;
		gone = filter;
	}
	kfree(dir->filter_refused);
	dir->filter_refused = NULL;
	filters_wait();
	while ((filter = gone)) {
		gone = filter->gone;
		filter->refused = NULL;
		event_filter_free(filter);
	}
}

/**
 * system_filter_set - event_filter_set() for those events of a system that can take it
 * @dir: the system in an instance
 * @text: as there
 *
 * The others have none any more.
 *
 * Context: as event_filter_set().
 * Return: as event_filter_set(); -EINVAL: none can take it. 0 of "0", without memory too.
 */
int system_filter_set(struct trace_subsystem_dir *dir, const char *text)
{
	unsigned int nr = 0, able = 0, i = 0;
	struct trace_array *tr = dir->tr;
	struct trace_event_file *file;
	struct change *changes;
	char *refused = NULL;
	int ret;

	if (is_clear(text)) {
		system_filter_clear(dir);
		return 0;
	}
	for (file = event_file_next(tr, NULL); file; file = event_file_next(tr, file))
		nr += takes_filter(file, dir);
	changes = changes_alloc(nr);
	if (!changes && nr)
		return -ENOMEM;
	for (file = event_file_next(tr, NULL); file; file = event_file_next(tr, file))
		if (takes_filter(file, dir))
			changes[i++].file = file;

	ret = changes_make(changes, nr, text, &able);
	if (ret)
		goto out;
	if (able < nr)
		filter_log_error(tr, text, FILTER_ERR_BAD_SUBSYS_FILTER, 0);
	if (!able) {
		refused = filter_refused_text(text, FILTER_ERR_BAD_SUBSYS_FILTER, 0);
		ret = -EINVAL;
	}
	kfree(dir->filter_refused);
	dir->filter_refused = refused;
	if (ret)
		goto out;

	for (i = 0; i < nr; i++)
		changes[i].filter = filter_exchange(changes[i].file, changes[i].filter);
	filters_wait();
out:
	changes_free(changes, nr);
	return ret;
}

/* --- reading and writing */

#define SHORT_TEXT	16	/* bytes; what takes a filter away is one */

/* The same as copy_text() of a text that is shorter than that, and without memory. */
static int copy_short_text(char text[SHORT_TEXT], const char __user *ubuf, size_t count)
{
	if (copy_from_user(text, ubuf, count))
		return -EFAULT;
	text[count] = 0;
	strim(text);
	return 0;
}

/* The text that a user writes, without white space at its end. */
static char *copy_text(struct trace_array *tr, const char __user *ubuf, size_t count)
{
	bool too_long;
	char *text = trace_command_read(ubuf, count, &too_long);

	if (IS_ERR(text) || !too_long)
		return text;
	filter_log_error(tr, text, FILTER_ERR_TOO_LONG, 0);
	kfree(text);
	return ERR_PTR(-EINVAL);
}

static ssize_t read_text(char *text, char __user *ubuf, size_t count, loff_t *ppos)
{
	ssize_t ret;

	if (!text)
		return -ENOMEM;
	ret = simple_read_from_buffer(ubuf, count, ppos, text, strlen(text));
	kfree(text);
	return ret;
}

static ssize_t event_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_event_file *file = file_inode(filp)->i_private;
	struct event_filter *filter;
	char *text;

	scoped_guard(mutex, &event_mutex) {
		if (file->flags & EVENT_FILE_FL_FREED)
			return -ENODEV;
		filter = filter_of(file);
		text = kasprintf(GFP_KERNEL, "%s\n", filter && filter->refused ?
				 filter->refused : event_filter_text(filter));
	}
	return read_text(text, ubuf, count, ppos);
}

static ssize_t write_text(struct file *filp, struct trace_array *tr, const char __user *ubuf,
			  size_t count, loff_t *ppos, int (*set)(void *whose, const char *text))
{
	char short_text[SHORT_TEXT], *text = NULL;
	int ret = 0;

	if (!count)
		return 0;
	if (count < SHORT_TEXT)
		ret = copy_short_text(short_text, ubuf, count);
	else
		text = copy_text(tr, ubuf, count);
	if (ret || IS_ERR(text))
		return ret ?: PTR_ERR(text);
	scoped_guard(mutex, &event_mutex)
		ret = set(file_inode(filp)->i_private, text ?: short_text);
	kfree(text);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

/* There is nothing any more to be filtered. */
static int event_gone(struct trace_array *tr, const char *text)
{
	filter_log_error(tr, text, FILTER_ERR_GONE, 0);
	return -ENODEV;
}

static int event_set(void *whose, const char *text)
{
	struct trace_event_file *file = whose;

	return file->flags & EVENT_FILE_FL_FREED ? event_gone(file->tr, text) :
						   event_filter_set(file, text);
}

static ssize_t event_write(struct file *filp, const char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_event_file *file = file_inode(filp)->i_private;

	return write_text(filp, file->tr, ubuf, count, ppos, event_set);
}

static const struct file_operations event_filter_fops = {
	TRACE_READ_OPS(event_generic_open, event_read, event_generic_release),
	.write		= event_write,
};

static ssize_t system_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_subsystem_dir *dir = file_inode(filp)->i_private;
	char *text;

	scoped_guard(mutex, &event_mutex) {
		if (!dir->nr_events)
			return -ENODEV;
		text = kasprintf(GFP_KERNEL, "%s\n", dir->filter_refused ?: SYSTEM_FILTER_TEXT);
	}
	return read_text(text, ubuf, count, ppos);
}

static int system_set(void *whose, const char *text)
{
	struct trace_subsystem_dir *dir = whose;

	return dir->nr_events ? system_filter_set(dir, text) : event_gone(dir->tr, text);
}

static ssize_t system_write(struct file *filp, const char __user *ubuf, size_t count,
			    loff_t *ppos)
{
	struct trace_subsystem_dir *dir = file_inode(filp)->i_private;

	return write_text(filp, dir->tr, ubuf, count, ppos, system_set);
}

static const struct file_operations system_filter_fops = {
	TRACE_READ_OPS(event_system_open, system_read, event_system_release),
	.write		= system_write,
};

void __init event_filters_init(void)
{
	static const struct event_dir_file event_file[] = {
		{ "filter", TRACE_MODE_WRITE, &event_filter_fops, event_has_filter },
	}, system_file[] = {
		{ "filter", TRACE_MODE_WRITE, &system_filter_fops },
	};

	if (event_dir_add_files(EVENT_DIR_EVENT, event_file, 1) ||
	    event_dir_add_files(EVENT_DIR_SYSTEM, system_file, 1))
		pr_warn("tracing: no filter files\n");
}
