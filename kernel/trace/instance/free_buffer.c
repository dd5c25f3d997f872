// SPDX-License-Identifier: GPL-2.0-only
/*
 * free_buffer: a process that keeps it open frees the buffer when it dies, however
 * that comes about. What it writes does not matter.
 */
#include <linux/fs.h>

#include "internal.h"
#include "instance.h"

static ssize_t free_buffer_write(struct file *filp, const char __user *ubuf, size_t cnt,
				 loff_t *ppos)
{
	*ppos += cnt;
	return cnt;
}

static int free_buffer_release(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;

	if (tr->trace_flags & TRACE_ITER_STOP_ON_FREE)
		tracer_tracing_off(tr);
	tracing_free_buffer(tr);
	trace_array_put(tr);
	return 0;
}

static const struct file_operations free_buffer_fops = {
	.open		= tracing_open_generic_tr,
	.write		= free_buffer_write,
	.release	= free_buffer_release,
};

void free_buffer_file(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("free_buffer", 0200, dir, tr, &free_buffer_fops);
}
