// SPDX-License-Identifier: GPL-2.0-only
/* Text that grows while a file is opened, see text.h. */
#include <linux/cleanup.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "instance.h"
#include "text.h"

#define TEXT_FIRST_SIZE	4096

static bool text_room(struct ftrace_text *text, size_t len)
{
	size_t size = text->size ?: TEXT_FIRST_SIZE;
	char *buf;

	if (text->error)
		return false;
	if (text->len + len < text->size)
		return true;
	while (size <= text->len + len)
		size *= 2;
	buf = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!buf) {
		text->error = -ENOMEM;
		return false;
	}
	if (text->len)
		memcpy(buf, text->buf, text->len);
	kvfree(text->buf);
	text->buf = buf;
	text->size = size;
	return true;
}

void ftrace_text_put(struct ftrace_text *text, const char *s, size_t len)
{
	if (!text_room(text, len))
		return;
	memcpy(text->buf + text->len, s, len);
	text->len += len;
}

void ftrace_text_printf(struct ftrace_text *text, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (len <= 0 || !text_room(text, len + 1))
		return;
	va_start(args, fmt);
	vsnprintf(text->buf + text->len, len + 1, fmt, args);
	va_end(args);
	text->len += len;
}

static void ftrace_text_free(struct ftrace_text *text)
{
	if (text) {
		kvfree(text->buf);
		kfree(text);
	}
}

/* As it is at open(). */
static int text_open(struct file *file, void (*fill)(struct ftrace_text *text, void *data),
		     void *data)
{
	struct ftrace_text *text = kzalloc(sizeof(*text), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!text)
		return -ENOMEM;
	fill(text, data);
	ret = text->error;
	if (ret)
		ftrace_text_free(text);
	else
		file->private_data = text;
	return ret;
}

int ftrace_text_open(struct file *file, void (*fill)(struct ftrace_text *text, void *data),
		     void *data)
{
	struct ftrace_text *text;
	int ret = text_open(file, fill, data);

	if (ret)
		return ret;
	text = file->private_data;
	mutex_init(&text->lock);
	text->data = data;
	text->fill = fill;
	return 0;
}

/* The same of a file of an instance, which need not stay: all that is shown is there now. */
int ftrace_text_open_tr(struct trace_array *tr, struct file *file,
			void (*fill)(struct ftrace_text *text, void *data), void *data)
{
	int ret = tracing_check_open_get_tr(tr);

	if (ret)
		return ret;
	ret = text_open(file, fill, data);
	trace_array_put(tr);
	return ret;
}

/* @text->lock. Without memory it stays what it was. */
static int text_again(struct ftrace_text *text)
{
	struct ftrace_text again = { };

	text->fill(&again, text->data);
	if (again.error) {
		kvfree(again.buf);
		return again.error;
	}
	kvfree(text->buf);
	text->buf = again.buf;
	text->len = again.len;
	text->size = again.size;
	return 0;
}

/* Who begins again, as programs do that keep the file open, sees what there is then. */
static ssize_t text_read_anew(struct ftrace_text *text, char __user *ubuf, size_t count,
			      loff_t *ppos)
{
	int ret;

	guard(mutex)(&text->lock);
	if (!*ppos && text->was_read) {
		ret = text_again(text);
		if (ret)
			return ret;
	}
	text->was_read = true;
	return simple_read_from_buffer(ubuf, count, ppos, text->buf, text->len);
}

ssize_t ftrace_text_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct ftrace_text *text = file->private_data;

	if (text->fill)
		return text_read_anew(text, ubuf, count, ppos);
	return simple_read_from_buffer(ubuf, count, ppos, text->buf, text->len);
}

int ftrace_text_release(struct inode *inode, struct file *file)
{
	ftrace_text_free(file->private_data);
	return 0;
}
