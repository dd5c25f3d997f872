// SPDX-License-Identifier: GPL-2.0-only
/*
 * events/SYSTEM/EVENT/hist and hist_debug, and what this room has of an instance.
 *
 * hist can be polled: readable when there are hits that this open file has not read, of priority
 * when there are some since it was opened, polled or read last. Nobody who does not poll pays for
 * that: hits look at a static key.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "../events/directories.h"
#include "../events/events.h"
#include "../poll_queue.h"
#include "internal.h"

DEFINE_STATIC_KEY_FALSE(hist_polled);
static struct trace_poll_queue hist_waiters = TRACE_POLL_QUEUE_INIT(hist_waiters);

/* seq_file.private of an open file */
struct hist_open {
	struct trace_event_file	*file;
	bool			polls;
	u64			read;	/* hits that the last read was of */
	u64			seen;	/* hits that there were when it was last asked */
};

/* A text has to fit into memory as a whole, and no allocation is longer than INT_MAX. */
#define TEXT_MAX	SZ_1G

static bool is_hist(const struct event_trigger *trigger)
{
	return trigger->use.action->type == ETT_EVENT_HIST;
}

static u64 file_hits(struct trace_event_file *file)
{
	struct event_trigger *trigger;
	u64 hits = 0;

	for_each_event_trigger(trigger, file) {
		if (is_hist(trigger))
			hits += hist_hits(trigger->use.data);
	}
	return hits;
}

/* event_mutex */
static int show_hists(struct seq_file *m, struct trace_event_file *file,
		      int (*show)(struct seq_file *m, struct hist *hist))
{
	struct event_trigger *trigger;
	bool first = true;
	int ret;

	if (file->flags & EVENT_FILE_FL_FREED)
		return -ENODEV;
	for_each_event_trigger(trigger, file) {
		if (!is_hist(trigger))
			continue;
		if (!first)
			seq_puts(m, "\n\n");
		first = false;
		ret = show(m, trigger->use.data);
		if (ret)
			return ret;
	}
	return 0;
}

static int hist_file_show(struct seq_file *m, void *v)
{
	struct hist_open *open = m->private;
	int ret;

	guard(mutex)(&event_mutex);
	open->read = file_hits(open->file);
	open->seen = open->read;
	ret = show_hists(m, open->file, hist_print);
	if (ret)
		return ret;
	return seq_has_overflowed(m) && m->size >= TEXT_MAX ? -EFBIG : 0;
}

/* The text is made at once, and made again if it does not fit: better it does. */
static size_t file_size(struct trace_event_file *file)
{
	struct event_trigger *trigger;
	size_t size = PAGE_SIZE;

	guard(mutex)(&event_mutex);
	for_each_event_trigger(trigger, file) {
		if (is_hist(trigger))
			size += hist_print_size(trigger->use.data);
	}
	return min_t(size_t, size, TEXT_MAX);
}

static int file_open(struct inode *inode, struct file *filp,
		     int (*show)(struct seq_file *m, void *v))
{
	struct hist_open *open;
	int ret = event_file_open(inode);

	if (ret)
		return ret;
	open = kzalloc(sizeof(*open), GFP_KERNEL);
	if (!open) {
		event_file_close(inode);
		return -ENOMEM;
	}
	open->file = inode->i_private;
	scoped_guard(mutex, &event_mutex)
		open->seen = file_hits(open->file);
	ret = single_open_size(filp, show, open, file_size(open->file));
	if (ret) {
		kfree(open);
		event_file_close(inode);
	}
	return ret;
}

static int hist_file_open(struct inode *inode, struct file *filp)
{
	return file_open(inode, filp, hist_file_show);
}

static int hist_file_release(struct inode *inode, struct file *filp)
{
	struct hist_open *open = tracing_seq_private(filp);

	if (open->polls)
		static_branch_dec(&hist_polled);
	kfree(open);
	single_release(inode, filp);
	return event_file_close(inode);
}

/* --- poll */

/**
 * hist_poll_wake - tell those who poll
 *
 * What they are to see was done before the call.
 *
 * Context: any, preemption off or event_mutex.
 */
void hist_poll_wake(void)
{
	trace_poll_queue_wake(&hist_waiters);
}

/* Who polls its hist has to be told that the event goes; the mutex is held until it has gone. */
static void file_leaves(struct trace_event_file *file)
{
	hist_poll_wake();
}

static struct event_file_user file_user = { .leave = file_leaves };

static __poll_t hist_file_poll(struct file *filp, struct poll_table_struct *wait)
{
	struct hist_open *open = tracing_seq_private(filp);
	__poll_t ret = 0;
	u64 hits;

	guard(mutex)(&event_mutex);
	if (open->file->flags & EVENT_FILE_FL_FREED)
		return EPOLLERR;
	if (!open->polls) {
		open->polls = true;
		static_branch_inc(&hist_polled);
		/* hits that have found it off are counted when this returns */
		tracepoint_synchronize_unregister();
	}
	trace_poll_queue_wait(&hist_waiters, filp, wait);
	hits = file_hits(open->file);
	if (open->read != hits)
		ret |= EPOLLIN | EPOLLRDNORM;
	if (open->seen != hits)
		ret |= EPOLLPRI;
	open->seen = hits;
	return ret;
}

static const struct file_operations hist_fops = {
	TRACE_SEQ_OPS(hist_file_open, hist_file_release),
	.poll		= hist_file_poll,
};

/* --- hist_debug */

#ifdef CONFIG_HIST_TRIGGERS_DEBUG
static int debug_one(struct seq_file *m, struct hist *hist)
{
	hist_debug(m, hist);
	return 0;
}

static int debug_show(struct seq_file *m, void *v)
{
	struct hist_open *open = m->private;

	guard(mutex)(&event_mutex);
	return show_hists(m, open->file, debug_one);
}

static int debug_open(struct inode *inode, struct file *filp)
{
	return file_open(inode, filp, debug_show);
}

static const struct file_operations debug_fops = {
	TRACE_SEQ_OPS(debug_open, hist_file_release),
};
#endif

static const struct event_dir_file files[] = {
	{ "hist", TRACE_MODE_READ, &hist_fops },
#ifdef CONFIG_HIST_TRIGGERS_DEBUG
	{ "hist_debug", TRACE_MODE_READ, &debug_fops },
#endif
};

/* --- the room of an instance; events and their triggers have gone when it ends */

static int instance_init(struct trace_array *tr)
{
	struct hist_instance *hists = kzalloc(sizeof(*hists), GFP_KERNEL);

	if (!hists)
		return -ENOMEM;
	INIT_LIST_HEAD(&hists->hists);
	INIT_LIST_HEAD(&hists->leaving);
	tr->room[ROOM_HIST] = hists;
	return 0;
}

static void instance_exit(struct trace_array *tr)
{
	kfree(tr->room[ROOM_HIST]);
	tr->room[ROOM_HIST] = NULL;
}

const struct instance_feature hist_feature = {
	.name	= "hist",
	.init	= instance_init,
	.exit	= instance_exit,
};

/**
 * hist_init - the trigger commands and the files
 *
 * Context: boot, between event_triggers_init() and event_triggers_boot().
 */
void __init hist_init(void)
{
	hist_triggers_register();
	event_file_user_register(&file_user);
	if (event_dir_add_files(EVENT_DIR_EVENT, files, ARRAY_SIZE(files)))
		pr_err("tracing: no place for the files of histograms\n");
}
