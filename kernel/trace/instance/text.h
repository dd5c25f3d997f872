/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that show a list: its text is made when the file is opened, and, where @fill is set, when
 * it is read from its beginning again. What a reader gets is the state of one moment, however
 * slowly and in whatever pieces it reads.
 */
#ifndef _KERNEL_TRACE_TEXT_H
#define _KERNEL_TRACE_TEXT_H

#include <linux/mutex.h>
#include <linux/types.h>

struct file;
struct inode;
struct trace_array;

struct ftrace_text {
	char	*buf;
	size_t	len;
	size_t	size;
	int	error;		/* the first -ENOMEM */
	/* to be made anew where it is read from its beginning again; NULL: it is not */
	void	(*fill)(struct ftrace_text *text, void *data);
	void	*data;
	struct mutex	lock;	/* of those who read such a file, by more than one task */
	bool	was_read;
};

/* Task context. Errors are kept in @text. */
void ftrace_text_printf(struct ftrace_text *text, const char *fmt, ...) __printf(2, 3);
void ftrace_text_put(struct ftrace_text *text, const char *s, size_t len);

/*
 * For a file whose private_data is a struct ftrace_text, or, read(), begins with one. @data is for
 * as long as the file is open, but for that of an instance: that is shown as it was at open().
 */
int ftrace_text_open(struct file *file, void (*fill)(struct ftrace_text *text, void *data),
		     void *data);
int ftrace_text_open_tr(struct trace_array *tr, struct file *file,
			void (*fill)(struct ftrace_text *text, void *data), void *data);
ssize_t ftrace_text_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos);
int ftrace_text_release(struct inode *inode, struct file *file);

#endif /* _KERNEL_TRACE_TEXT_H */
