// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_ftrace_filter and set_ftrace_notrace.
 *
 * A reader gets the text of the moment it opened the file. A writer's words are collected
 * as what is to be added and what is to be taken away, and change the filter
 * when the file is closed: together, on top of what others may have written
 * meanwhile. A file that was opened to be overwritten starts from nothing, unless
 * all that was written is refused: then the old filter stays.
 * Words with a command, FUNC:COMMAND, take effect at once and are not part of the filter.
 */
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../../instance/error_log.h"
#include "../sites/sites.h"
#include "filters.h"
#include "instances.h"
#include "../../instance/text.h"
#include "../../instance/words.h"

#define WORD_MAX	(KSYM_NAME_LEN + MODULE_NAME_LEN + 64)

enum {
	FILTER_ERR_NO_MATCH,
	FILTER_ERR_TOO_LONG,
	FILTER_ERR_COMMAND,
	FILTER_ERR_MODULE,
};

static const char *filter_errs[] = {
	[FILTER_ERR_NO_MATCH]	= "No function matches",
	[FILTER_ERR_TOO_LONG]	= "Name is too long",
	[FILTER_ERR_COMMAND]	= "Command is not known or not possible here",
	[FILTER_ERR_MODULE]	= "Module has no such function",
};

/* Open for writing: they, too, forget text that goes. ftrace_lock */
static LIST_HEAD(writers);

struct filter_file {
	struct list_head	list;		/* in writers */
	struct trace_function	*fn;
	struct mutex		lock;		/* writers that share the file */
	bool			exclude;
	bool			overwrite;
	bool			changed;	/* some word was part of the filter */
	bool			refused;	/* some word was not taken */
	bool			commands;
	struct ftrace_hash	*add;
	struct ftrace_hash	*del;
	struct list_head	wait;		/* words for modules that are not there */
	struct list_head	unwait;		/* of those that wait already: not any more */
	struct trace_word_stream words;
	char			word[WORD_MAX];
	struct ftrace_text	*text;
};

static struct list_head *waiting_of(struct filter_file *ff)
{
	return ff->exclude ? &ff->fn->wait_notrace : &ff->fn->wait_filter;
}

static struct ftrace_hash *hash_of(struct filter_file *ff)
{
	return ff->exclude ? ftrace_ops_notrace(&ff->fn->ops) : ftrace_ops_filter(&ff->fn->ops);
}

struct hash_lines {
	struct ftrace_text	*text;
	struct ftrace_hash	*hash;
};

static int hash_line(struct dyn_ftrace *rec, const char *name, unsigned int len,
		     struct module *mod, void *data)
{
	struct hash_lines *lines = data;

	if (!ftrace_hash_has(lines->hash, rec->ip))
		return 0;
	if (mod)
		ftrace_text_printf(lines->text, "%s [%s]\n", name, mod->name);
	else
		ftrace_text_printf(lines->text, "%s\n", name);
	return lines->text->error;
}

static void filter_text(struct filter_file *ff, struct ftrace_text *text)
{
	struct hash_lines lines = { .text = text };

	mutex_lock(&ftrace_lock);
	lines.hash = hash_of(ff);
	if (!lines.hash && list_empty(waiting_of(ff)))
		ftrace_text_printf(text, "#### %s ####\n", ff->exclude ?
				   "no functions disabled" : "all functions enabled");
	else if (!ftrace_hash_empty(lines.hash))
		ftrace_for_each_name(hash_line, &lines);
	ftrace_mods_show(waiting_of(ff), text);
	if (!ff->exclude)
		ftrace_commands_show(ff->fn, text);
	mutex_unlock(&ftrace_lock);
}

/* Text in [@start, @end) is gone: words that meant it mean nothing any more. ftrace_lock */
void ftrace_filter_files_forget(unsigned long start, unsigned long end)
{
	struct filter_file *ff;

	list_for_each_entry(ff, &writers, list) {
		ftrace_hash_del_range(ff->add, start, end);
		ftrace_hash_del_range(ff->del, start, end);
	}
}

static void filter_free(struct filter_file *ff)
{
	ftrace_hash_free(ff->add);
	ftrace_hash_free(ff->del);
	ftrace_mods_free(&ff->wait);
	ftrace_mods_free(&ff->unwait);
	ftrace_text_free(ff->text);
	kfree(ff);
}

static int word_add(unsigned long ip, void *data)
{
	struct filter_file *ff = data;

	ftrace_hash_del(ff->del, ip);
	return ftrace_hash_add(ff->add, ip);
}

static int word_del(unsigned long ip, void *data)
{
	struct filter_file *ff = data;

	ftrace_hash_del(ff->add, ip);
	return ftrace_hash_add(ff->del, ip);
}

static bool module_is_here(const char *module)
{
	bool here;

	preempt_disable();
	here = find_module(module);
	preempt_enable();
	return here;
}

/* FUNC:mod:MODULE; ftrace_lock */
static int word_module(struct filter_file *ff, char *func, const char *module,
		       struct ftrace_pattern *pattern)
{
	char *copy;
	int ret;

	if (!module || !*module)
		return -EINVAL;
	if (strlen(module) >= MODULE_NAME_LEN)
		return -EINVAL;
	/* parsing cuts stars off */
	copy = kstrdup(func, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	ftrace_pattern_parse(func, pattern);
	if (!pattern->len && pattern->type == FTRACE_MATCH_FULL)
		pattern->type = FTRACE_MATCH_FRONT;	/* :mod:MODULE, all its functions */
	ret = ftrace_match_records(pattern, module, pattern->not ? word_del : word_add, ff);
	if (ret > 0) {
		ret = 0;
		goto out;
	}
	if (ret < 0)
		goto out;
	if (pattern->not) {
		ret = ftrace_mods_del(&ff->wait, copy + 1, module);
		if (ftrace_mods_has(waiting_of(ff), copy + 1, module))
			ret = ftrace_mods_add(&ff->unwait, copy + 1, module);
		if (ret == -ENOENT)
			ret = -EINVAL;
	} else if (module_is_here(module)) {
		ret = -EINVAL;
	} else {
		ret = ftrace_mods_add(&ff->wait, *copy ? copy : "*", module);
	}
out:
	kfree(copy);
	return ret;
}

static int word_command(struct filter_file *ff, char *func, char *command, char *rest, int *err)
{
	int ret;

	*err = FILTER_ERR_COMMAND;
	if (ff->exclude)
		return -EINVAL;
	ret = ftrace_command_run(ff->fn, func, command, rest);
	if (!ret)
		ff->commands = true;
	return ret;
}

/* What is part of the filter: FUNC, or with @module FUNC:mod:MODULE. ftrace_lock */
static int word_filter(struct filter_file *ff, char *func, const char *module, int *err)
{
	struct ftrace_pattern pattern;
	int ret;

	if (ftrace_disabled)
		return -ENODEV;
	if (!module) {
		*err = FILTER_ERR_NO_MATCH;
		ftrace_pattern_parse(func, &pattern);
		if (!pattern.len && pattern.type == FTRACE_MATCH_FULL)
			return -EINVAL;
		ret = ftrace_match_records(&pattern, NULL,
					   pattern.not ? word_del : word_add, ff);
		if (ret > 0)
			ff->changed = true;
		return ret > 0 ? 0 : ret ?: -EINVAL;
	}

	*err = FILTER_ERR_MODULE;
	ret = word_module(ff, func, module, &pattern);
	if (!ret)
		ff->changed = true;
	return ret;
}

static int word_apply(struct filter_file *ff, char *word, int *err)
{
	char *rest = word, *func = strsep(&rest, ":"), *command, *module = NULL;
	int ret;

	if (rest) {
		command = strsep(&rest, ":");
		if (strcmp(command, "mod"))
			return word_command(ff, func, command, rest, err);
		/* without a module it is refused, and no function */
		module = rest ?: "";
	}
	mutex_lock(&ftrace_lock);
	ret = word_filter(ff, func, module, err);
	mutex_unlock(&ftrace_lock);
	return ret;
}

static const char *file_loc(const struct filter_file *ff)
{
	return ff->exclude ? "ftrace: set_ftrace_notrace" : "ftrace: set_ftrace_filter";
}

static int word_end(struct trace_word_stream *words, char *word)
{
	struct filter_file *ff = container_of(words, struct filter_file, words);
	int ret, err = FILTER_ERR_NO_MATCH;
	char *copy;

	copy = kstrdup(word, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;

	ret = word_apply(ff, word, &err);
	if (ret) {
		ff->refused = true;
		if (ret == -EINVAL)
			tracing_log_err(ff->fn->tr, file_loc(ff), copy, filter_errs, err, 0);
	}
	kfree(copy);
	return ret;
}

static void word_too_long(struct trace_word_stream *words, const char *word)
{
	struct filter_file *ff = container_of(words, struct filter_file, words);

	tracing_log_err(ff->fn->tr, file_loc(ff), word, filter_errs, FILTER_ERR_TOO_LONG, 0);
	ff->refused = true;
}

static int filter_open(struct inode *inode, struct file *file, bool exclude)
{
	struct trace_array *tr = inode->i_private;
	struct filter_file *ff;
	int ret;

	if (ftrace_disabled)
		return -ENODEV;
	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;

	ff = kzalloc(sizeof(*ff), GFP_KERNEL);
	if (!ff) {
		ret = -ENOMEM;
		goto out;
	}
	mutex_init(&ff->lock);
	INIT_LIST_HEAD(&ff->list);
	INIT_LIST_HEAD(&ff->wait);
	INIT_LIST_HEAD(&ff->unwait);
	ff->fn = trace_function_of(tr);
	ff->exclude = exclude;
	ff->words = (struct trace_word_stream) {
		.word		= ff->word,
		.size		= sizeof(ff->word),
		.end		= word_end,
		.too_long	= word_too_long,
	};
	if (file->f_mode & FMODE_READ) {
		ff->text = kzalloc(sizeof(*ff->text), GFP_KERNEL);
		if (ff->text)
			filter_text(ff, ff->text);
		ret = ff->text ? ff->text->error : -ENOMEM;
	}
	if (file->f_mode & FMODE_WRITE) {
		ff->overwrite = file->f_flags & O_TRUNC;
		ff->add = ftrace_hash_alloc(0);
		ff->del = ftrace_hash_alloc(0);
		if (!ff->add || !ff->del)
			ret = -ENOMEM;
		/* A command records stacks from any context, and is given with ftrace_lock held. */
		if (!ret && !exclude)
			ret = trace_array_use(tr);
	}
	if (ret) {
		filter_free(ff);
		goto out;
	}
	file->private_data = ff;
	if (file->f_mode & FMODE_WRITE) {
		mutex_lock(&ftrace_lock);
		list_add(&ff->list, &writers);
		mutex_unlock(&ftrace_lock);
	}
out:
	if (ret)
		trace_array_put(tr);
	return ret;
}

static int filter_on_open(struct inode *inode, struct file *file)
{
	return filter_open(inode, file, false);
}

static int notrace_on_open(struct inode *inode, struct file *file)
{
	return filter_open(inode, file, true);
}

static ssize_t filter_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct filter_file *ff = file->private_data;

	return simple_read_from_buffer(ubuf, count, ppos, ff->text->buf, ff->text->len);
}

static ssize_t filter_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	struct filter_file *ff = file->private_data;
	ssize_t ret;

	mutex_lock(&ff->lock);
	ret = trace_stream_write(&ff->words, ubuf, count);
	mutex_unlock(&ff->lock);
	if (ret > 0)
		*ppos += ret;
	return ret;
}

/* All or nothing of what was written takes effect. ftrace_lock */
static int filter_commit(struct filter_file *ff)
{
	struct ftrace_hash *hash = NULL, *old = hash_of(ff);
	bool waits;
	unsigned long ip;
	unsigned int i;
	int ret = 0;

	if (ftrace_disabled)
		return -ENODEV;
	if (!ff->changed) {
		/* Nothing was written, or commands, or only nonsense: that changes nothing. */
		if (!ff->overwrite || (ff->refused && !ff->commands))
			return 0;
		goto install;
	}

	hash = ftrace_hash_dup(ff->overwrite ? NULL : old);
	if (!hash)
		return -ENOMEM;
	for_each_ftrace_hash_ip(ip, ff->del, i)
		ftrace_hash_del(hash, ip);
	for_each_ftrace_hash_ip(ip, ff->add, i)
		ret = ret ?: ftrace_hash_add(hash, ip);
	if (ret) {
		ftrace_hash_free(hash);
		return ret;
	}

	/* To take functions away from all of them cannot be said in a filter. */
	waits = !list_empty(&ff->wait) ||
		(!ff->overwrite && !ftrace_mods_within(waiting_of(ff), &ff->unwait));
	if (!hash->count && !waits && (ff->exclude || !old)) {
		ftrace_hash_free(hash);
		hash = NULL;
	}
install:
	ret = ftrace_hash_install(&ff->fn->ops, hash, ff->exclude);
	if (ret)
		return ret;
	if (ff->overwrite)
		ftrace_mods_free(waiting_of(ff));
	ftrace_mods_subtract(waiting_of(ff), &ff->unwait);
	ftrace_mods_merge(waiting_of(ff), &ff->wait);
	return 0;
}

static int filter_release(struct inode *inode, struct file *file)
{
	struct filter_file *ff = file->private_data;
	struct trace_array *tr = ff->fn->tr;
	int ret = 0;

	if (file->f_mode & FMODE_WRITE) {
		trace_stream_end(&ff->words);
		mutex_lock(&ftrace_lock);
		ret = filter_commit(ff);
		list_del(&ff->list);
		mutex_unlock(&ftrace_lock);
	}
	if (ret)
		pr_warn("ftrace: the filter could not be changed (%d)\n", ret);
	filter_free(ff);
	trace_array_put(tr);
	return 0;
}

/* KUnit opens it, too. */
const struct file_operations ftrace_filter_fops = {
	.open		= filter_on_open,
	.read		= filter_read,
	.write		= filter_write,
	.llseek		= default_llseek,
	.release	= filter_release,
};

static const struct file_operations notrace_fops = {
	.open		= notrace_on_open,
	.read		= filter_read,
	.write		= filter_write,
	.llseek		= default_llseek,
	.release	= filter_release,
};

void function_filter_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("set_ftrace_filter", TRACE_MODE_WRITE, dir, tr, &ftrace_filter_fops);
	trace_create_file("set_ftrace_notrace", TRACE_MODE_WRITE, dir, tr, &notrace_fops);
}
