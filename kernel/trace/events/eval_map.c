// SPDX-License-Identifier: GPL-2.0-only
/*
 * eval_map: the names that maps.c puts values in the place of, with those values.
 *
 * The maps themselves are init data; what is shown are copies, of the kernel and of each module
 * that has some. The strings are not: they stay as long as the code that they come from.
 */
#include <linux/cleanup.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "../instance/text.h"
#include "internal.h"

/**
 * struct kept_maps - those of the kernel or of a module
 * @list:	in kept
 * @mod:	NULL for the kernel
 * @nr:		of @maps
 * @maps:	as the linker gathered them
 */
struct kept_maps {
	struct list_head	list;
	const struct module	*mod;
	unsigned int		nr;
	struct trace_eval_map	maps[] __counted_by(nr);
};

/* In the order in which they came; event_mutex */
static LIST_HEAD(kept);

/**
 * event_maps_keep - show maps in eval_map
 * @mod: whose they are, NULL for the kernel's
 * @maps: pointers to them
 * @nr: how many
 *
 * Without memory they are used all the same, and not shown.
 */
void event_maps_keep(const struct module *mod, struct trace_eval_map **maps, unsigned int nr)
{
	struct kept_maps *k;

	if (!nr)
		return;
	k = kmalloc(struct_size(k, maps, nr), GFP_KERNEL);
	if (!k) {
		pr_warn("tracing: no memory for eval_map\n");
		return;
	}
	k->mod = mod;
	k->nr = nr;
	for (unsigned int i = 0; i < nr; i++)
		k->maps[i] = *maps[i];
	list_add_tail(&k->list, &kept);
}

/**
 * event_maps_forget - the maps of a module go with it
 * @mod: the module
 */
void event_maps_forget(const struct module *mod)
{
	struct kept_maps *k;

	list_for_each_entry(k, &kept, list) {
		if (k->mod == mod) {
			list_del(&k->list);
			kfree(k);
			return;
		}
	}
}

static void eval_map_fill(struct ftrace_text *text, void *data)
{
	struct kept_maps *k;

	guard(mutex)(&event_mutex);
	list_for_each_entry(k, &kept, list) {
		for (unsigned int i = 0; i < k->nr; i++)
			ftrace_text_printf(text, "%s %ld (%s)\n", k->maps[i].eval_string,
					   k->maps[i].eval_value, k->maps[i].system);
	}
}

static int eval_map_open(struct inode *inode, struct file *file)
{
	return tracing_check_open_get_tr(NULL) ?: ftrace_text_open(file, eval_map_fill, NULL);
}

static const struct file_operations eval_map_fops = {
	TRACE_READ_OPS(eval_map_open, ftrace_text_read, ftrace_text_release),
};

/**
 * event_maps_file - make eval_map
 * @tr: the top instance
 * @dir: its directory
 */
void event_maps_file(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("eval_map", TRACE_MODE_READ, dir, tr, &eval_map_fops);
}
