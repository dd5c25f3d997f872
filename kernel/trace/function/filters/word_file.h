/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that choose functions: a reader gets the text of the moment it opened the file, a
 * writer's words are collected until it is closed.
 */
#ifndef _KERNEL_TRACE_FUNCTION_WORD_FILE_H
#define _KERNEL_TRACE_FUNCTION_WORD_FILE_H

#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/module.h>

#include "../../instance/text.h"
#include "../../instance/words.h"

struct ftrace_hash;
struct trace_array;
struct trace_function;

/* for error_log */
enum function_word_error {
	FUNCTION_ERR_NO_MATCH,
	FUNCTION_ERR_TOO_LONG,
	FUNCTION_ERR_COMMAND,
	FUNCTION_ERR_NOT_SET,
	FUNCTION_ERR_MODULE,
	FUNCTION_ERR_MEMORY,
	FUNCTION_ERR_STUCK,
};

/**
 * struct function_file - an open one
 * @text:	what a reader gets; first, for ftrace_text_read()
 * @list:	for its owner
 * @fn:		of the instance
 * @exclude:	the file of the functions that are not wanted
 * @words:	what is written
 * @word:	of @words
 * @commit:	what was written takes effect; 0, or an error that the last close(2) tells.
 *		ftrace_lock held
 * @free:	what its owner has of it, and function_file_free()
 * @closed:	what was written took effect, or did not
 */
struct function_file {
	struct ftrace_text	text;
	struct list_head	list;
	struct trace_function	*fn;
	bool			exclude;
	struct trace_word_stream words;
	char			word[KSYM_NAME_LEN + MODULE_NAME_LEN + 64];
	int			(*commit)(struct function_file *f);
	void			(*free)(struct function_file *f);
	bool			closed;
};

static_assert(!offsetof(struct function_file, text));

void *function_file_open(struct trace_array *tr, size_t size, const char *loc, bool exclude);
void function_file_free(struct function_file *f);
ssize_t function_file_write(struct file *file, const char __user *ubuf, size_t count,
			    loff_t *ppos);
int function_file_flush(struct file *file, fl_owner_t id);
int function_file_release(struct inode *inode, struct file *file);
void function_file_list(struct ftrace_text *text, const struct ftrace_hash *hash, bool modules);
void function_file_no_list(struct ftrace_text *text, bool exclude);

#define FUNCTION_FILE_OPS(open_file)						\
	TRACE_READ_OPS(open_file, ftrace_text_read, function_file_release),	\
	.write		= function_file_write,					\
	.flush		= function_file_flush

#endif /* _KERNEL_TRACE_FUNCTION_WORD_FILE_H */
