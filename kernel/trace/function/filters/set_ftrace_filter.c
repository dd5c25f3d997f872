// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_ftrace_filter and set_ftrace_notrace.
 *
 * A reader gets the text of the moment it opened the file. A writer's words are collected
 * as what is to be added and what is to be taken away, and change the filter
 * when the file is closed: together, on top of what others may have written
 * meanwhile. A file that was opened to be overwritten starts from nothing, unless
 * all that was written is refused: then the old filter stays. The last close(2) has the answer
 * where there is no memory for it.
 * Words with a command, FUNC:COMMAND, take effect at once and are not part of the filter.
 * The file of a struct ftrace_chosen is one of these too, without commands.
 */
#include <kunit/static_stub.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../../modules.h"
#include "../sites/sites.h"
#include "filters.h"
#include "internal.h"
#include "word_file.h"

static const char *const locs[] = { "ftrace: set_ftrace_filter", "ftrace: set_ftrace_notrace" };

/* Open for writing: they, too, forget text that goes. ftrace_lock */
static LIST_HEAD(writers);

struct filter_file {
	struct function_file	file;		/* first, for function_file_write() */
	struct ftrace_chosen	*chosen;	/* whose file it is; NULL: the instance's */
	bool			overwrite;
	bool			changed;	/* some word was part of the filter */
	bool			commands;
	bool			forgot;		/* some word's function has gone meanwhile */
	struct ftrace_hash	*add;
	struct ftrace_hash	*del;
	struct list_head	wait;		/* words for modules that are not there */
	struct list_head	unwait;		/* of those that wait already: not any more */
	struct ftrace_lines	*lines;		/* what numbers mean, from the first one on */
};

static_assert(!offsetof(struct filter_file, file));

static struct filter_file *filter_file_of(struct function_file *f)
{
	return container_of(f, struct filter_file, file);
}

static struct list_head *waiting_of(struct filter_file *ff)
{
	if (ff->chosen)
		return &ff->chosen->wait;
	return ff->file.exclude ? &ff->file.fn->wait_notrace : &ff->file.fn->wait_filter;
}

static struct ftrace_ops *ops_of(struct filter_file *ff)
{
	return ff->chosen ? &ff->chosen->ops : &ff->file.fn->shared.ops;
}

static struct ftrace_hash *hash_of(struct filter_file *ff)
{
	struct ftrace_ops *ops = ops_of(ff);

	return ff->file.exclude ? ftrace_ops_notrace(ops) : ftrace_ops_filter(ops);
}

static void filter_text(struct filter_file *ff)
{
	struct ftrace_text *text = &ff->file.text;
	struct ftrace_hash *hash;

	mutex_lock(&ftrace_lock);
	hash = hash_of(ff);
	if (!hash && list_empty(waiting_of(ff)))
		function_file_no_list(text, ff->file.exclude);
	else if (!ftrace_hash_empty(hash))
		function_file_list(text, hash, true);
	ftrace_mods_show(waiting_of(ff), text);
	if (!ff->file.exclude && !ff->chosen)
		ftrace_commands_show(ff->file.fn, text);
	mutex_unlock(&ftrace_lock);
}

static void forget_lines(struct filter_file *ff)
{
	kvfree(ff->lines);
	ff->lines = NULL;
}

/* Text in [@start, @end) is gone: words that meant it mean nothing any more. ftrace_lock */
void ftrace_filter_files_forget(unsigned long start, unsigned long end)
{
	struct filter_file *ff;

	list_for_each_entry(ff, &writers, file.list) {
		ff->forgot |= ftrace_hash_del_range(ff->add, start, end);
		ftrace_hash_del_range(ff->del, start, end);
		forget_lines(ff);
	}
}

/* @mod is there: words of files that are not closed yet mean its functions. ftrace_lock */
void ftrace_filter_files_module(struct module *mod)
{
	struct filter_file *ff;

	list_for_each_entry(ff, &writers, file.list) {
		ftrace_mods_apply(&ff->wait, mod, ff->add);
		ftrace_mods_apply(&ff->unwait, mod, ff->del);
		forget_lines(ff);
	}
}

static void filter_free(struct function_file *f)
{
	struct filter_file *ff = filter_file_of(f);

	ftrace_hash_free(ff->add);
	ftrace_hash_free(ff->del);
	ftrace_mods_free(&ff->wait);
	ftrace_mods_free(&ff->unwait);
	forget_lines(ff);
	function_file_free(f);
}

/* Of one that is added when the file is closed, or taken away; there is room for it. ftrace_lock */
static void function_moves(struct filter_file *ff, bool not, unsigned long ip)
{
	ftrace_hash_del(not ? ff->add : ff->del, ip);
	ftrace_hash_add(not ? ff->del : ff->add, ip);
}

/*
 * The functions that a word means are added, or taken away: all of them or, for lack of memory,
 * none, as other words of the file may be in force when it is closed. ftrace_lock
 *
 * Return: how many it means, or an error.
 */
static int word_functions(struct filter_file *ff, const struct ftrace_pattern *pattern,
			  const char *module)
{
	struct ftrace_hash *into = pattern->not ? ff->del : ff->add;
	struct ftrace_hash *match = ftrace_match_all(pattern, module);
	unsigned long ip;
	unsigned int i;
	int ret;

	if (IS_ERR(match))
		return PTR_ERR(match);
	ret = ftrace_hash_reserve(into, match->count) ?: match->count;
	if (ret > 0) {
		for_each_ftrace_hash_ip(ip, match, i)
			function_moves(ff, pattern->not, ip);
	}
	ftrace_hash_free(match);
	return ret;
}

/* The same for a number, without a look at all the names for each. */
static int word_line(struct filter_file *ff, const struct ftrace_pattern *pattern)
{
	unsigned long ip;
	int ret;

	ff->lines = ff->lines ?: ftrace_lines_read();
	if (!ff->lines)
		return -ENOMEM;
	ip = ftrace_line(ff->lines, pattern->index);
	if (!ip)
		return 0;
	ret = ftrace_hash_reserve(pattern->not ? ff->del : ff->add, 1);
	if (ret)
		return ret;
	function_moves(ff, pattern->not, ip);
	return 1;
}

/* KUnit has it find one that is not there. */
bool ftrace_module_is_here(const char *module)
{
	KUNIT_STATIC_STUB_REDIRECT(ftrace_module_is_here, module);
	return trace_module_is_here(module);
}

/*
 * It may be found already, and its functions are still to come: who brings them, in
 * ftrace_module_enable(), waits for ftrace_lock.
 */
static bool functions_will_come(const char *module)
{
#ifdef CONFIG_MODULES
	struct ftrace_table *table;

	for_each_ftrace_table(table) {
		if (!table->mod || strcmp(table->mod->name, module))
			continue;
		return table->nr && !ftrace_rec_usable(table->recs) &&
		       READ_ONCE(table->mod->state) != MODULE_STATE_LIVE;
	}
#endif
	return false;
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
	if (ftrace_pattern_is_name(pattern) && !pattern->glob.len)
		pattern->glob.type = TRACE_GLOB_FRONT;	/* :mod:MODULE, all its functions */
	ret = word_functions(ff, pattern, module);
	if (ret > 0) {
		ret = 0;
		goto out;
	}
	if (ret < 0)
		goto out;
	if (pattern->not) {
		bool waits = ftrace_mods_has(waiting_of(ff), copy + 1, module);

		/* what may fail goes first */
		if (waits)
			ret = ftrace_mods_add(&ff->unwait, copy + 1, module);
		if (!ret && ftrace_mods_del(&ff->wait, copy + 1, module) && !waits)
			ret = -EINVAL;
	} else if (ftrace_module_is_here(module) && !functions_will_come(module)) {
		ret = -EINVAL;
	} else {
		ret = ftrace_mods_add(&ff->wait, *copy ? copy : "*", module);
	}
out:
	kfree(copy);
	return ret;
}

static int word_command(struct filter_file *ff, char *func, char *command, char *rest,
			struct trace_word_error *why)
{
	int ret;

	why->error = FUNCTION_ERR_COMMAND;
	if (ff->file.exclude || ff->chosen)
		return -EINVAL;
	ret = ftrace_command_run(ff->file.fn, func, command, rest, &why->at);
	if (!ret)
		ff->commands = true;
	if (ret == -ENODEV && !ftrace_disabled)
		why->error = FUNCTION_ERR_NOT_SET;
	return ret;
}

/* What is part of the filter: FUNC, or with @module FUNC:mod:MODULE. ftrace_lock */
static int word_filter(struct filter_file *ff, char *func, const char *module,
		       struct trace_word_error *why)
{
	struct ftrace_pattern pattern;
	int ret;

	if (ftrace_disabled)
		return -ENODEV;
	if (!module) {
		why->error = FUNCTION_ERR_NO_MATCH;
		ftrace_pattern_parse(func, &pattern);
		if (ftrace_pattern_is_name(&pattern) && !pattern.glob.len)
			return -EINVAL;
		ret = pattern.by_index ? word_line(ff, &pattern) :
					 word_functions(ff, &pattern, NULL);
		if (ret > 0)
			ff->changed = true;
		return ret > 0 ? 0 : ret ?: -EINVAL;
	}

	why->error = FUNCTION_ERR_MODULE;
	ret = word_module(ff, func, module, &pattern);
	if (!ret)
		ff->changed = true;
	return ret;
}

static int word_apply(struct filter_file *ff, char *word, struct trace_word_error *why)
{
	char *rest = word, *func = strsep(&rest, ":"), *command, *module = NULL;
	int ret;

	if (rest) {
		command = strsep(&rest, ":");
		if (strcmp(command, "mod"))
			return word_command(ff, func, command, rest, why);
		/* without a module it is refused, and no function */
		module = rest ?: "";
		why->at = rest ?: command;
	}
	mutex_lock(&ftrace_lock);
	ret = word_filter(ff, func, module, why);
	mutex_unlock(&ftrace_lock);
	return ret;
}

static int word_end(struct trace_word_stream *words, char *word, struct trace_word_error *why)
{
	why->error = FUNCTION_ERR_NO_MATCH;
	return word_apply(container_of(words, struct filter_file, file.words), word, why);
}

/* All or nothing of what was written takes effect. ftrace_lock */
static int filter_commit(struct function_file *f)
{
	struct filter_file *ff = filter_file_of(f);
	struct ftrace_hash *hash = NULL, *old = hash_of(ff);
	bool waits;
	unsigned long ip;
	unsigned int i;
	int ret = 0;

	if (ftrace_disabled)
		return -ENODEV;
	if (!ff->changed) {
		/* Nothing was written, or commands, or only nonsense: that changes nothing. */
		if (!ff->overwrite || (ff->file.words.refused && !ff->commands))
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

	/*
	 * To take functions away from all of them, which is also what a file that was opened to be
	 * overwritten begins with, cannot be said in a filter. But where all that was asked for has
	 * gone none is chosen.
	 */
	waits = !list_empty(&ff->wait) ||
		(!ff->overwrite && !ftrace_mods_within(waiting_of(ff), &ff->unwait));
	if (!hash->count && !waits &&
	    (ff->file.exclude || (!ff->forgot && (ff->overwrite || !old)))) {
		ftrace_hash_free(hash);
		hash = NULL;
	}
install:
	ret = ftrace_hash_install(ops_of(ff), hash, ff->file.exclude);
	if (ret)
		return ret;
	if (ff->overwrite)
		ftrace_mods_free(waiting_of(ff));
	ftrace_mods_subtract(waiting_of(ff), &ff->unwait);
	ftrace_mods_merge(waiting_of(ff), &ff->wait);
	return 0;
}

static int filter_open(struct file *file, struct trace_array *tr, struct ftrace_chosen *chosen,
		       bool exclude)
{
	struct filter_file *ff = function_file_open(tr, sizeof(*ff),
						    chosen ? chosen->loc : locs[exclude], exclude);
	int ret = 0;

	if (IS_ERR(ff))
		return PTR_ERR(ff);
	ff->chosen = chosen;
	INIT_LIST_HEAD(&ff->wait);
	INIT_LIST_HEAD(&ff->unwait);
	ff->file.words.end = word_end;
	ff->file.commit = filter_commit;
	ff->file.free = filter_free;
	if (file->f_mode & FMODE_READ) {
		filter_text(ff);
		ret = ff->file.text.error;
	}
	if (file->f_mode & FMODE_WRITE) {
		ff->overwrite = file->f_flags & O_TRUNC;
		ff->add = ftrace_hash_alloc(0);
		ff->del = ftrace_hash_alloc(0);
		if (!ff->add || !ff->del)
			ret = -ENOMEM;
	}
	if (ret) {
		filter_free(&ff->file);
		return ret;
	}
	file->private_data = ff;
	if (file->f_mode & FMODE_WRITE) {
		mutex_lock(&ftrace_lock);
		list_add(&ff->file.list, &writers);
		mutex_unlock(&ftrace_lock);
	}
	return 0;
}

static int filter_on_open(struct inode *inode, struct file *file)
{
	return filter_open(file, inode->i_private, NULL, false);
}

static int notrace_on_open(struct inode *inode, struct file *file)
{
	return filter_open(file, inode->i_private, NULL, true);
}

static int chosen_on_open(struct inode *inode, struct file *file)
{
	return filter_open(file, ftrace_global.shared.tr, inode->i_private, false);
}

/* KUnit opens it, too. */
const struct file_operations ftrace_filter_fops = {
	FUNCTION_FILE_OPS(filter_on_open),
};

static const struct file_operations notrace_fops = {
	FUNCTION_FILE_OPS(notrace_on_open),
};

static const struct file_operations chosen_fops = {
	FUNCTION_FILE_OPS(chosen_on_open),
};

/**
 * ftrace_chosen_file - make the file that chooses the functions of an ops
 * @chosen: the ops
 * @dir: of the top instance
 *
 * Context: task.
 */
void ftrace_chosen_file(struct ftrace_chosen *chosen, struct dentry *dir)
{
	trace_create_file(chosen->name, TRACE_MODE_WRITE, dir, chosen, &chosen_fops);
}

void function_filter_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("set_ftrace_filter", TRACE_MODE_WRITE, dir, tr, &ftrace_filter_fops);
	trace_create_file("set_ftrace_notrace", TRACE_MODE_WRITE, dir, tr, &notrace_fops);
}
