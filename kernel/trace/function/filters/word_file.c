// SPDX-License-Identifier: GPL-2.0-only
/* Files that choose functions by words; see word_file.h. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../../instance/error_log.h"
#include "../sites/sites.h"
#include "internal.h"
#include "word_file.h"

static const char *word_errors[] = {
	[FUNCTION_ERR_NO_MATCH]	= "No function matches",
	[FUNCTION_ERR_TOO_LONG]	= "Name is too long",
	[FUNCTION_ERR_COMMAND]	= "Command is not known or not possible here",
	[FUNCTION_ERR_NOT_SET]	= "Command is not set",
	[FUNCTION_ERR_MODULE]	= "Module has no such function",
	[FUNCTION_ERR_MEMORY]	= "No memory for the new filter, the old one stays",
	[FUNCTION_ERR_STUCK]	= "Call sites cannot be patched, the old filter stays",
};

/**
 * function_file_open - open such a file
 * @tr: its instance
 * @size: of the structure that begins with a struct function_file
 * @loc: what error_log says of where
 * @exclude: it is the file of what is not wanted
 *
 * Of its words end() is not set, and they may have all of the room in @word; @commit and @free are
 * not set either. One that is written to is in a list of its owner's.
 *
 * Context: task. To be freed with function_file_free().
 * Return: the structure; ERR_PTR() of -ENODEV, -EPERM, -ENOMEM.
 */
void *function_file_open(struct trace_array *tr, size_t size, const char *loc, bool exclude)
{
	struct function_file *f;
	int ret;

	if (ftrace_disabled)
		return ERR_PTR(-ENODEV);
	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ERR_PTR(ret);
	f = kzalloc(size, GFP_KERNEL);
	if (!f) {
		trace_array_put(tr);
		return ERR_PTR(-ENOMEM);
	}
	INIT_LIST_HEAD(&f->list);
	f->fn = trace_function_of(tr);
	f->exclude = exclude;
	f->words = (struct trace_word_stream) {
		.word		= f->word,
		.size		= sizeof(f->word),
		.tr		= tr,
		.loc		= loc,
		.errs		= word_errors,
		.too_long	= FUNCTION_ERR_TOO_LONG,
	};
	mutex_init(&f->words.lock);
	return f;
}

/**
 * function_file_free - forget an open file, and give its reference on the instance back
 * @f: from function_file_open()
 *
 * Context: task, takes trace_types_lock.
 */
void function_file_free(struct function_file *f)
{
	trace_array_put(f->fn->shared.tr);
	kvfree(f->text.buf);
	kfree(f);
}

/* file_operations.write: the words go to their end(). */
ssize_t function_file_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	struct function_file *f = file->private_data;
	ssize_t ret = trace_stream_write(&f->words, ubuf, count);

	if (ret > 0)
		*ppos += ret;
	return ret;
}

/* What was written takes effect, once. */
static int words_end(struct file *file)
{
	struct function_file *f = file->private_data;
	struct trace_word_stream *words = &f->words;
	int last, ret;

	if (!(file->f_mode & FMODE_WRITE) || f->closed)
		return 0;
	f->closed = true;
	/* No white space behind the last word: what is wrong with it could not be said before. */
	last = trace_stream_end(words);
	mutex_lock(&ftrace_lock);
	ret = f->commit(f);
	list_del(&f->list);
	mutex_unlock(&ftrace_lock);
	if (ret)
		tracing_log_err(words->tr, words->loc, "", words->errs,
				ret == -ENOMEM ? FUNCTION_ERR_MEMORY : FUNCTION_ERR_STUCK, 0);
	return last ?: ret;
}

/*
 * Each close(2) comes here, also those of a shell that has the file at two numbers, or of a child.
 * Only while nobody else has it the words are complete: nobody can get at it any more, who
 * closes has taken it out of his table. If two close at once neither may be alone; then release
 * is the end of it, whose answer nobody hears.
 */
int function_file_flush(struct file *file, fl_owner_t id)
{
	return file_count(file) == 1 ? words_end(file) : 0;
}

int function_file_release(struct inode *inode, struct file *file)
{
	struct function_file *f = file->private_data;

	words_end(file);
	f->free(f);
	return 0;
}

struct lines {
	struct ftrace_text		*text;
	const struct ftrace_hash	*hash;
	bool				modules;
};

static bool hash_wants(const struct dyn_ftrace *rec, void *data)
{
	const struct lines *lines = data;

	return ftrace_hash_has(lines->hash, rec->ip);
}

static int hash_line(struct dyn_ftrace *rec, const char *name, unsigned int len,
		     struct module *mod, void *data)
{
	struct lines *lines = data;

	if (mod && lines->modules)
		ftrace_text_printf(lines->text, "%s [%s]\n", name, module_name(mod));
	else
		ftrace_text_printf(lines->text, "%s\n", name);
	return lines->text->error;
}

/**
 * function_file_list - a line a function
 * @text: gets them
 * @hash: the functions
 * @modules: say which module they are of
 *
 * Context: task, ftrace_lock.
 */
void function_file_list(struct ftrace_text *text, const struct ftrace_hash *hash, bool modules)
{
	struct lines lines = { .text = text, .hash = hash, .modules = modules };

	ftrace_for_each_name(hash_wants, hash_line, &lines);
}

/**
 * function_file_no_list - the line of a file that nobody wrote to
 * @text: gets it
 * @exclude: the file is of those that are not wanted
 *
 * Context: any.
 */
void function_file_no_list(struct ftrace_text *text, bool exclude)
{
	ftrace_text_printf(text, "#### %s ####\n", exclude ?
			   "no functions disabled" : "all functions enabled");
}
