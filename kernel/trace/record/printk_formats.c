// SPDX-License-Identifier: GPL-2.0-only
/*
 * Formats and strings that entries point to.
 *
 * The kernel's own stay where they are. Those of a module would be gone with
 * it while entries that name them are still in the buffer, so each is copied
 * when the module comes, the module is made to use the copy, and copies stay
 * for good; a module that comes again finds its old ones.
 * printk_formats tells tools that read entries in binary what is where.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "internal.h"

struct kept_format {
	struct hlist_node	node;
	struct list_head	list;
	char			text[];
};

#ifdef CONFIG_MODULES

static DEFINE_HASHTABLE(kept_by_text, 6);
static LIST_HEAD(kept);
static DEFINE_MUTEX(kept_mutex);

/* The copy of @text that stays, or NULL. kept_mutex held. */
static const char *keep_format(const char *text)
{
	size_t len = strlen(text);
	u32 hash = jhash(text, len, 0);
	struct kept_format *k;

	hash_for_each_possible(kept_by_text, k, node, hash)
		if (!strcmp(k->text, text))
			return k->text;
	k = kmalloc(struct_size(k, text, len + 1), GFP_KERNEL);
	if (!k)
		return NULL;
	memcpy(k->text, text, len + 1);
	hash_add(kept_by_text, &k->node, hash);
	list_add_tail(&k->list, &kept);
	return k->text;
}

/* A module comes: its format pointers lead to copies, or nowhere if there is no memory. */
static int printk_module_notify(struct notifier_block *nb, unsigned long val, void *data)
{
	struct module *mod = data;
	const char **fmt = mod->trace_bprintk_fmt_start;

	if (val != MODULE_STATE_COMING || !mod->num_trace_bprintk_fmt)
		return NOTIFY_OK;
	mutex_lock(&kept_mutex);
	for (unsigned int i = 0; i < mod->num_trace_bprintk_fmt; i++) {
		if (fmt[i])
			fmt[i] = keep_format(fmt[i]);
	}
	mutex_unlock(&kept_mutex);
	trace_printk_init_buffers();
	return NOTIFY_OK;
}

static struct notifier_block printk_module_nb = {
	.notifier_call = printk_module_notify,
};

static int __init printk_formats_init(void)
{
	return register_module_notifier(&printk_module_nb);
}
fs_initcall(printk_formats_init);

static void kept_lock(void)
{
	mutex_lock(&kept_mutex);
}

static void kept_unlock(void)
{
	mutex_unlock(&kept_mutex);
}

/* The @nr-th copy. */
static const char **kept_nth(loff_t nr, const char **place)
{
	struct list_head *at = seq_list_start(&kept, nr);

	if (!at)
		return NULL;
	*place = list_entry(at, struct kept_format, list)->text;
	return place;
}

#else

static void kept_lock(void) { }
static void kept_unlock(void) { }

static const char **kept_nth(loff_t nr, const char **place)
{
	return NULL;
}

#endif /* CONFIG_MODULES */

static int __init printk_formats_boot(void)
{
	/* buffers are there since early boot, see trace_record_early_init(); the names come now */
	trace_printk_start_comm();
	return 0;
}
core_initcall(printk_formats_boot);

static size_t nr_formats(void)
{
	return __stop___trace_bprintk_fmt - __start___trace_bprintk_fmt;
}

static size_t nr_strings(void)
{
	return __stop___tracepoint_str - __start___tracepoint_str;
}

/**
 * trace_record_early_init - get ready for what is recorded beside events
 *
 * Context: boot, once memory can be had.
 */
void __init trace_record_early_init(void)
{
	trace_printk_stacks_init();
	trace_write_init();
	trace_dump_stack_init();
	/* has the kernel itself formats? */
	if (nr_formats())
		trace_printk_init_buffers();
}

/**
 * trace_is_tracepoint_string - is a string one of TRACEPOINT_STRING()?
 * @str:	string
 *
 * Context: any. Return: yes or no.
 */
bool trace_is_tracepoint_string(const char *str)
{
	for (size_t i = 0; i < nr_strings(); i++) {
		if (str == __start___tracepoint_str[i])
			return true;
	}
	return false;
}

/* Formats of the kernel, then of modules, then strings of tracepoints. */
static const char **format_nth(struct seq_file *m, loff_t pos)
{
	static const char *kept_place;
	loff_t nr = pos;
	const char **at;

	if (nr < nr_formats())
		return &__start___trace_bprintk_fmt[nr];
	nr -= nr_formats();
	if (nr < nr_strings())
		return &__start___tracepoint_str[nr];
	nr -= nr_strings();
	at = kept_nth(nr, &kept_place);
	return at;
}

static void *formats_start(struct seq_file *m, loff_t *pos)
{
	kept_lock();
	return format_nth(m, *pos);
}

static void *formats_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return format_nth(m, *pos);
}

static void formats_stop(struct seq_file *m, void *v)
{
	kept_unlock();
}

static int formats_show(struct seq_file *m, void *v)
{
	const char **fmt = v;

	if (!*fmt)
		return SEQ_SKIP;
	seq_printf(m, "0x%lx : \"", (unsigned long)*fmt);
	for (const char *c = *fmt; *c; c++) {
		switch (*c) {
		case '\n':
			seq_puts(m, "\\n");
			break;
		case '\t':
			seq_puts(m, "\\t");
			break;
		case '\\':
		case '"':
			seq_putc(m, '\\');
			fallthrough;
		default:
			seq_putc(m, *c);
		}
	}
	seq_puts(m, "\"\n");
	return 0;
}

TRACE_SEQ_LIST(formats);

static int formats_open(struct inode *inode, struct file *file)
{
	return tracing_open_generic(inode, file) ?: seq_open(file, &formats_seq_ops);
}

const struct file_operations trace_printk_formats_fops = {
	TRACE_SEQ_OPS(formats_open, seq_release),
};
