// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_graph_function, set_graph_notrace, max_graph_depth: from which functions on
 * the graph tracer records what they call, where it does not, and how deep.
 *
 * Each instance has its own. Unlike set_ftrace_filter these are asked while functions
 * are traced, so the hashes are read under RCU (with preemption off) and replaced as a whole.
 */
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <asm/setup.h>

#include "../../instance/error_log.h"
#include "../sites/sites.h"
#include "filters.h"
#include "../graph/graph.h"
#include "set_graph_function.h"
#include "instances.h"
#include "../../instance/text.h"
#include "../../instance/words.h"

enum {
	GRAPH_ERR_NO_MATCH,
	GRAPH_ERR_TOO_LONG,
};

static const char *graph_errs[] = {
	[GRAPH_ERR_NO_MATCH]	= "No function matches",
	[GRAPH_ERR_TOO_LONG]	= "Name is too long",
};

static struct ftrace_hash *hash_locked(const struct graph_limits *limits, bool exclude)
{
	return rcu_dereference_protected(limits->hashes[exclude], lockdep_is_held(&ftrace_lock));
}

bool graph_limit_has(const struct graph_limits *limits, bool exclude, unsigned long ip)
{
	struct ftrace_hash *hash = rcu_dereference_raw_check(limits->hashes[exclude]);

	return hash && ftrace_hash_has(hash, ip);
}

void graph_limit_set_all(unsigned int limit, bool on)
{
	struct trace_function *fn;

	mutex_lock(&ftrace_lock);
	list_for_each_entry(fn, &ftrace_instances, list)
		graph_limit_set(&fn->limits, limit, on);
	mutex_unlock(&ftrace_lock);
}

static void max_depth_set(struct graph_limits *limits, unsigned int depth)
{
	WRITE_ONCE(limits->max_depth, depth);
	graph_limit_set(limits, FGRAPH_LIMIT_DEPTH, depth);
}

/* Put @hash in place; NULL or an empty one for no filter. ftrace_lock */
static void hash_replace(struct graph_limits *limits, bool exclude, struct ftrace_hash *hash)
{
	unsigned int bit = exclude ? FGRAPH_LIMIT_NOTRACE : FGRAPH_LIMIT_FUNCTION;
	struct ftrace_hash *old = hash_locked(limits, exclude);

	if (hash && !hash->count) {
		ftrace_hash_free(hash);
		hash = NULL;
	}
	/* The bit is only there while the hash is: no call finds that nothing was asked for. */
	if (!hash)
		graph_limit_set(limits, bit, false);
	rcu_assign_pointer(limits->hashes[exclude], hash);
	if (hash)
		graph_limit_set(limits, bit, true);
	if (old) {
		/* also where RCU does not watch */
		synchronize_rcu_tasks_rude();
		ftrace_hash_free(old);
	}
}

/* The instance goes, its tracer has stopped. ftrace_lock */
void graph_filters_free(struct trace_function *fn)
{
	hash_replace(&fn->limits, false, NULL);
	hash_replace(&fn->limits, true, NULL);
}

/* Open for writing: they, too, forget text that goes. ftrace_lock */
static LIST_HEAD(writers);

struct graph_file {
	struct list_head	list;		/* in writers */
	struct trace_function	*fn;
	bool			exclude;
	struct ftrace_hash	*hash;		/* what the filter is to be */
	bool			changed;
	struct mutex		lock;		/* writers that share the file */
	struct trace_word_stream words;
	char			word[KSYM_NAME_LEN];
	struct ftrace_text	text;
};

/* Text in [@start, @end) is gone. Readers see a slot before or after. ftrace_lock */
void graph_filters_forget(struct trace_function *fn, unsigned long start, unsigned long end)
{
	for (int i = 0; i < 2; i++) {
		struct ftrace_hash *hash = hash_locked(&fn->limits, i);

		if (hash)
			ftrace_hash_del_range(hash, start, end);
	}
}

/* The same in what was written to files that are not closed yet. ftrace_lock */
void graph_filter_files_forget(unsigned long start, unsigned long end)
{
	struct graph_file *gf;

	list_for_each_entry(gf, &writers, list)
		ftrace_hash_del_range(gf->hash, start, end);
}

struct graph_lines {
	struct ftrace_text	*text;
	struct ftrace_hash	*hash;
};

static int graph_line(struct dyn_ftrace *rec, const char *name, unsigned int len,
		      struct module *mod, void *data)
{
	struct graph_lines *lines = data;

	if (ftrace_hash_has(lines->hash, rec->ip))
		ftrace_text_printf(lines->text, "%s\n", name);
	return lines->text->error;
}

static int word_apply(struct ftrace_hash *hash, char *word)
{
	struct ftrace_pattern pattern;
	int ret;

	ftrace_pattern_parse(word, &pattern);
	mutex_lock(&ftrace_lock);
	ret = ftrace_match_hash(&pattern, hash);
	mutex_unlock(&ftrace_lock);
	return ret > 0 ? 0 : ret ?: -EINVAL;
}

static const char *file_loc(const struct graph_file *gf)
{
	return gf->exclude ? "ftrace: set_graph_notrace" : "ftrace: set_graph_function";
}

static int word_end(struct trace_word_stream *words, char *word)
{
	struct graph_file *gf = container_of(words, struct graph_file, words);
	char copy[64];
	int ret;

	strscpy(copy, word, sizeof(copy));
	ret = word_apply(gf->hash, word);
	if (!ret)
		gf->changed = true;
	else if (ret == -EINVAL)
		tracing_log_err(gf->fn->tr, file_loc(gf), copy, graph_errs, GRAPH_ERR_NO_MATCH, 0);
	return ret;
}

static void word_too_long(struct trace_word_stream *words, const char *word)
{
	struct graph_file *gf = container_of(words, struct graph_file, words);

	tracing_log_err(gf->fn->tr, file_loc(gf), word, graph_errs, GRAPH_ERR_TOO_LONG, 0);
}

static int graph_open(struct inode *inode, struct file *file, bool exclude)
{
	struct trace_array *tr = inode->i_private;
	struct graph_lines lines;
	struct graph_file *gf;
	int ret;

	if (ftrace_disabled)
		return -ENODEV;
	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	gf = kzalloc(sizeof(*gf), GFP_KERNEL);
	if (!gf) {
		trace_array_put(tr);
		return -ENOMEM;
	}
	gf->fn = trace_function_of(tr);
	gf->exclude = exclude;
	gf->words = (struct trace_word_stream) {
		.word		= gf->word,
		.size		= sizeof(gf->word),
		.end		= word_end,
		.too_long	= word_too_long,
	};
	mutex_init(&gf->lock);

	mutex_lock(&ftrace_lock);
	lines.hash = hash_locked(&gf->fn->limits, exclude);
	lines.text = &gf->text;
	if (file->f_mode & FMODE_READ) {
		if (!lines.hash)
			ftrace_text_printf(lines.text, "#### %s ####\n", exclude ?
					   "no functions disabled" : "all functions enabled");
		else
			ftrace_for_each_name(graph_line, &lines);
	}
	if (file->f_mode & FMODE_WRITE) {
		gf->changed = file->f_flags & O_TRUNC;
		gf->hash = ftrace_hash_dup(gf->changed ? NULL : lines.hash);
		if (!gf->hash)
			ret = -ENOMEM;
	}
	ret = ret ?: gf->text.error;
	if (!ret && gf->hash)
		list_add(&gf->list, &writers);
	mutex_unlock(&ftrace_lock);
	if (ret) {
		ftrace_hash_free(gf->hash);
		kvfree(gf->text.buf);
		kfree(gf);
		trace_array_put(tr);
		return ret;
	}
	file->private_data = gf;
	return 0;
}

static int graph_function_open(struct inode *inode, struct file *file)
{
	return graph_open(inode, file, false);
}

static int graph_notrace_open(struct inode *inode, struct file *file)
{
	return graph_open(inode, file, true);
}

static ssize_t graph_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct graph_file *gf = file->private_data;

	return simple_read_from_buffer(ubuf, count, ppos, gf->text.buf, gf->text.len);
}

static ssize_t graph_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	struct graph_file *gf = file->private_data;
	ssize_t ret;

	mutex_lock(&gf->lock);
	ret = trace_stream_write(&gf->words, ubuf, count);
	/* A write that is refused leaves the filter that is in force. */
	if (ret < 0)
		gf->changed = false;
	mutex_unlock(&gf->lock);
	if (ret > 0)
		*ppos += ret;
	return ret;
}

static int graph_release(struct inode *inode, struct file *file)
{
	struct graph_file *gf = file->private_data;

	if (file->f_mode & FMODE_WRITE) {
		trace_stream_end(&gf->words);
		mutex_lock(&ftrace_lock);
		list_del(&gf->list);
		if (gf->changed) {
			hash_replace(&gf->fn->limits, gf->exclude, gf->hash);
			gf->hash = NULL;
		}
		mutex_unlock(&ftrace_lock);
	}
	trace_array_put(gf->fn->tr);
	ftrace_hash_free(gf->hash);
	kvfree(gf->text.buf);
	kfree(gf);
	return 0;
}

static const struct file_operations graph_function_fops = {
	.open		= graph_function_open,
	.read		= graph_read,
	.write		= graph_write,
	.llseek		= default_llseek,
	.release	= graph_release,
};

static const struct file_operations graph_notrace_fops = {
	.open		= graph_notrace_open,
	.read		= graph_read,
	.write		= graph_write,
	.llseek		= default_llseek,
	.release	= graph_release,
};

static ssize_t depth_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;
	char text[16];
	int len = scnprintf(text, sizeof(text), "%u\n",
			    READ_ONCE(trace_function_of(tr)->limits.max_depth));

	return simple_read_from_buffer(ubuf, count, ppos, text, len);
}

static ssize_t depth_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;
	unsigned int depth;
	int ret = kstrtouint_from_user(ubuf, count, 10, &depth);

	if (ret)
		return ret;
	max_depth_set(&trace_function_of(tr)->limits, depth);
	*ppos += count;
	return count;
}

static const struct file_operations depth_fops = {
	.open		= tracing_open_generic_tr,
	.read		= depth_read,
	.write		= depth_write,
	.llseek		= default_llseek,
	.release	= tracing_release_generic_tr,
};

void graph_filter_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("set_graph_function", TRACE_MODE_WRITE, dir, tr, &graph_function_fops);
	trace_create_file("set_graph_notrace", TRACE_MODE_WRITE, dir, tr, &graph_notrace_fops);
	trace_create_file("max_graph_depth", TRACE_MODE_WRITE, dir, tr, &depth_fops);
}

/* --- command line */

static char boot_words[2][COMMAND_LINE_SIZE] __initdata;

static int __init set_boot_graph_filter(char *str)
{
	strscpy(boot_words[0], str, sizeof(boot_words[0]));
	return 1;
}
__setup("ftrace_graph_filter=", set_boot_graph_filter);

static int __init set_boot_graph_notrace(char *str)
{
	strscpy(boot_words[1], str, sizeof(boot_words[1]));
	return 1;
}
__setup("ftrace_graph_notrace=", set_boot_graph_notrace);

static int __init set_boot_max_depth(char *str)
{
	unsigned int depth;

	if (kstrtouint(str, 0, &depth))
		return 0;
	max_depth_set(&ftrace_global.limits, depth);
	return 1;
}
__setup("ftrace_graph_max_depth=", set_boot_max_depth);

void __init ftrace_boot_graph_filters(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		struct ftrace_hash *hash = NULL;
		char *list, *word;

		for (list = boot_words[i]; (word = strsep(&list, ","));) {
			if (!*word)
				continue;
			hash = hash ?: ftrace_hash_alloc(0);
			if (!hash)
				break;
			if (word_apply(hash, word))
				pr_warn("ftrace: no function matches %s\n", word);
		}
		if (hash) {
			mutex_lock(&ftrace_lock);
			hash_replace(&ftrace_global.limits, i, hash);
			mutex_unlock(&ftrace_lock);
		}
	}
}
