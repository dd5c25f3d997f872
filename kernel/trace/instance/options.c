// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options: flags of an instance and flags of a tracer, by name.
 *
 * Both kinds look the same to the user: a word in trace_options, "no" in front
 * when it is off, and a file below options/ with 0 or 1 in it. Flags of an
 * instance are its own; a tracer's are one set for all instances that run it.
 *
 * Locks: event_mutex, then trace_types_lock; an option may switch events.
 *
 * Files: trace_options, options/.
 */
#include <linux/cleanup.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "internal.h"
#include "instance.h"
#include "tracer.h"

const char *const trace_options[] = {
#define TRACE_FLAG_NAME(name, text)	[TRACE_ITER_##name##_BIT] = text,
	TRACE_FLAGS(TRACE_FLAG_NAME)
#undef TRACE_FLAG_NAME
	[TRACE_ITER_LAST_BIT] = NULL
};

/* One file below options/. */
struct option_file {
	struct trace_array	*tr;
	struct tracer		*tracer;	/* NULL for a flag of the instance */
	unsigned long		mask;
};

/* The files of one tracer, or those of the instance's own flags. */
struct option_set {
	struct list_head	list;		/* trace_array.tracer_options */
	struct tracer		*tracer;
	unsigned int		nr;
	struct option_file	files[] __counted_by(nr);
};

/*
 * Asks every room, in order, whether it can do with the new value. When one
 * refuses, those asked before it are told of the old value again.
 */
static int tell_flag(struct trace_array *tr, unsigned long mask, bool enable)
{
	int i, err = 0;

	for (i = 0; instance_features[i]; i++) {
		if (!instance_features[i]->flag_changed)
			continue;
		err = instance_features[i]->flag_changed(tr, mask, enable);
		if (err)
			break;
	}
	if (!err)
		return 0;

	while (i--) {
		if (instance_features[i]->flag_changed)
			instance_features[i]->flag_changed(tr, mask, !enable);
	}
	return err;
}

/**
 * set_tracer_flag - change an option of an instance
 * @tr: instance
 * @mask: the option, one TRACE_ITER_* bit
 * @enable: its new value
 *
 * Task context, may sleep, event_mutex and trace_types_lock held. A tracer that starts or stops has
 * only the latter, which does for TRACE_TRACER_FLAGS: no event is switched with them.
 *
 * Return: 0, also when it has that value already; or the error of the room or
 * tracer that refused, most often -EINVAL, and nothing has changed.
 */
int set_tracer_flag(struct trace_array *tr, unsigned long mask, bool enable)
{
	int err;

	if (!(mask & TRACE_TRACER_FLAGS))
		lockdep_assert_held(&event_mutex);
	lockdep_assert_held(&trace_types_lock);

	if (!!(tr->trace_flags & mask) == enable)
		return 0;

	err = tell_flag(tr, mask, enable);
	if (err)
		return err;

	/* Writers test the flags without a lock. */
	WRITE_ONCE(tr->trace_flags, enable ? tr->trace_flags | mask : tr->trace_flags & ~mask);
	return 0;
}

/* A tracer that keeps no record of who asks is asked every time; so are all. */
static int set_tracer_option(struct trace_array *tr, struct tracer *tracer, u32 bit, bool enable)
{
	struct tracer_flags *flags = tracer->flags;
	int err = 0;

	if (tracer->set_flag)
		err = tracer->set_flag(tr, flags->val, bit, enable);
	if (err)
		return err;

	flags->val = enable ? flags->val | bit : flags->val & ~bit;
	return 0;
}

static const struct tracer_opt *find_tracer_option(const struct tracer *tracer, const char *name)
{
	const struct tracer_opt *opt = tracer->flags ? tracer->flags->opts : NULL;

	for (; opt && opt->name; opt++) {
		if (!strcmp(opt->name, name))
			return opt;
	}
	return NULL;
}

/*
 * Bit of the instance's flag @name; what is left of the word in front of that is
 * "no" or nothing, which comes back in @enable.
 */
int trace_parse_option(const char *name, bool *enable)
{
	int bit;

	*enable = !str_has_prefix(name, "no");
	if (!*enable)
		name += strlen("no");

	bit = match_string(trace_options, TRACE_ITER_LAST_BIT, name);
	return bit;
}

/* What the owner of an option says, in the words of values.c: its -EINVAL is a refusal. */
static int owners_answer(int err)
{
	return err == -EINVAL ? -ENOTSUPP : err;
}

/* @option is one word. event_mutex and trace_types_lock held. Return: as trace_set_options() */
int trace_set_one_option(struct trace_array *tr, char *option)
{
	const struct tracer_opt *opt;
	char *name = strim(option);
	bool enable;
	int bit;

	bit = trace_parse_option(name, &enable);
	if (bit >= 0)
		return owners_answer(set_tracer_flag(tr, BIT(bit), enable));

	opt = find_tracer_option(tr->current_trace, enable ? name : name + strlen("no"));
	if (!opt)
		return -EINVAL;
	return owners_answer(set_tracer_option(tr, tr->current_trace, opt->bit, enable));
}

/**
 * trace_set_options - change an option by its name
 * @tr: instance
 * @option: a word of trace_options, of the instance or of its current tracer; changed
 *
 * Task context, may sleep, takes event_mutex and trace_types_lock.
 *
 * Return: 0, -EINVAL for a word that is none, or what the option's owner said: -ENOTSUPP
 * for its -EINVAL.
 */
int trace_set_options(struct trace_array *tr, char *option)
{
	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	return trace_set_one_option(tr, option);
}

/* trace_options */

static void show_option(struct seq_file *m, const char *name, bool on)
{
	seq_printf(m, "%s%s\n", on ? "" : "no", name);
}

static int options_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;
	const struct tracer_opt *opt;
	struct tracer_flags *flags;
	int bit;

	guard(mutex)(&trace_types_lock);
	for (bit = 0; bit < TRACE_ITER_LAST_BIT; bit++)
		show_option(m, trace_options[bit], tr->trace_flags & BIT(bit));

	flags = tr->current_trace->flags;
	for (opt = flags ? flags->opts : NULL; opt && opt->name; opt++)
		show_option(m, opt->name, flags->val & opt->bit);
	return 0;
}

static ssize_t options_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return tracing_write_name(filp, file_inode(filp)->i_private, ubuf, cnt, ppos,
				  trace_set_options);
}

TRACE_SHOW_FOPS(options, options_write);

/* options/NAME */

/* Is @file one of @tr's? It is only compared: it may be freed memory. */
static bool owns_option_file(struct trace_array *tr, struct option_file *file)
{
	struct option_set *set;

	list_for_each_entry(set, &tr->tracer_options, list) {
		if (file >= set->files && file < set->files + set->nr)
			return true;
	}
	return false;
}

static int option_open(struct inode *inode, struct file *filp)
{
	struct option_file *file = inode->i_private;
	struct trace_array *tr;
	int err;

	err = tracing_check_open_get_tr(NULL);
	if (err)
		return err;

	guard(mutex)(&trace_types_lock);
	for_each_trace_array(tr) {
		if (owns_option_file(tr, file)) {
			tr->ref++;
			filp->private_data = file;
			return 0;
		}
	}
	return -ENODEV;
}

static int option_release(struct inode *inode, struct file *filp)
{
	struct option_file *file = filp->private_data;

	trace_array_put(file->tr);
	return 0;
}

static ssize_t option_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct option_file *file = filp->private_data;
	unsigned long flags;

	flags = file->tracer ? file->tracer->flags->val : file->tr->trace_flags;
	return tracing_read_printf(ubuf, cnt, ppos, "%d\n", !!(flags & file->mask));
}

static int option_set(struct file *filp, unsigned long on)
{
	struct option_file *file = filp->private_data;

	if (on > 1)
		return -EINVAL;

	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	if (!file->tracer)
		return owners_answer(set_tracer_flag(file->tr, file->mask, on));
	if (!!(file->tracer->flags->val & file->mask) == on)
		return 0;
	return owners_answer(set_tracer_option(file->tr, file->tracer, file->mask, on));
}

TRACE_NUMBER_FOPS(option, option_open, option_release,
		  ((struct option_file *)filp->private_data)->tr);

static struct option_set *add_option_set(struct trace_array *tr, struct tracer *tracer,
					 unsigned int nr)
{
	struct option_set *set = kzalloc(struct_size(set, files, nr), GFP_KERNEL);

	/* The options still work by their names in trace_options. */
	if (!set)
		return NULL;
	set->nr = nr;
	set->tracer = tracer;
	list_add_tail(&set->list, &tr->tracer_options);
	return set;
}

static void make_option_file(struct option_set *set, unsigned int idx, struct trace_array *tr,
			     const char *name, unsigned long mask)
{
	struct option_file *file = &set->files[idx];

	file->tr = tr;
	file->tracer = set->tracer;
	file->mask = mask;
	trace_create_file(name, TRACE_MODE_WRITE, tr->options, file, &option_fops);
}

/**
 * trace_options_add_tracer - make the option files of a tracer in an instance
 * @tr: instance that has files
 * @tracer: tracer that may run there
 *
 * Tracers that share their flags have one set of files. Task context,
 * trace_types_lock held.
 */
void trace_options_add_tracer(struct trace_array *tr, struct tracer *tracer)
{
	struct tracer_flags *flags = tracer->flags;
	struct option_set *set;
	unsigned int i, nr = 0;

	if (!tr->options || !flags || !flags->opts)
		return;
	list_for_each_entry(set, &tr->tracer_options, list) {
		if (set->tracer && set->tracer->flags == flags)
			return;
	}

	while (flags->opts[nr].name)
		nr++;
	set = nr ? add_option_set(tr, tracer, nr) : NULL;
	for (i = 0; set && i < nr; i++)
		make_option_file(set, i, tr, flags->opts[i].name, flags->opts[i].bit);
}

static void options_files(struct trace_array *tr, struct dentry *dir)
{
	struct option_set *set;
	int bit;

	trace_create_file("trace_options", TRACE_MODE_WRITE, dir, tr, &options_fops);

	tr->options = tracefs_create_dir("options", dir);
	if (!tr->options) {
		pr_warn("tracing: could not create the directory options\n");
		return;
	}

	set = add_option_set(tr, NULL, TRACE_ITER_LAST_BIT);
	for (bit = 0; set && bit < TRACE_ITER_LAST_BIT; bit++) {
		if (trace_array_is_top(tr) || !(BIT(bit) & TRACE_TOP_FLAGS))
			make_option_file(set, bit, tr, trace_options[bit], BIT(bit));
	}
	tracers_for_each_allowed(tr, trace_options_add_tracer);
}

static void options_exit(struct trace_array *tr)
{
	struct option_set *set, *next;

	list_for_each_entry_safe(set, next, &tr->tracer_options, list) {
		list_del(&set->list);
		kfree(set);
	}
}

static int options_flag_changed(struct trace_array *tr, unsigned long mask, bool enable)
{
	if (mask == TRACE_ITER_OVERWRITE)
		ring_buffer_change_overwrite(tr->array_buffer.buffer, enable);
	return 0;
}

const struct instance_feature instance_options_feature = {
	.name		= "options",
	.exit		= options_exit,
	.files		= options_files,
	.flag_changed	= options_flag_changed,
};
