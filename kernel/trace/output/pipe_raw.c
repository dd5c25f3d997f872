// SPDX-License-Identifier: GPL-2.0-only
/*
 * per_cpu/cpuN/trace_pipe_raw: sub-buffers as they are, for tools that parse
 * them. read() copies from a spare page that the reader swaps against a
 * sub-buffer; splice() hands such pages on, and each of them goes back to the
 * ring buffer's stock when the last who has it lets go.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/refcount.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/pipe_fs_i.h>
#include <linux/uaccess.h>

#include "reader.h"

/**
 * struct raw_reader - one open file
 * @iter:	whom to wait with; its mutex guards the rest
 * @spare:	page that read() copies from, or NULL before the first read
 * @size:	bytes in it
 * @read:	how many of them were copied
 */
struct raw_reader {
	struct trace_iterator		*iter;
	struct buffer_data_read_page	*spare;
	unsigned int			size;
	unsigned int			read;
};

/* A page on its way through pipes. */
struct raw_page {
	struct trace_array		*tr;
	struct buffer_data_read_page	*page;
	int				cpu;
	refcount_t			refs;
};

static int raw_open(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	struct raw_reader *raw;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	raw = kzalloc(sizeof(*raw), GFP_KERNEL);
	if (raw)
		raw->iter = trace_iter_alloc(tr, tracing_get_cpu(inode));
	if (!raw || !raw->iter) {
		kfree(raw);
		trace_array_put(tr);
		return -ENOMEM;
	}
	mutex_lock(&trace_types_lock);
	tr->trace_ref++;
	mutex_unlock(&trace_types_lock);
	filp->private_data = raw;
	return nonseekable_open(inode, filp);
}

/* A descriptor was closed: whoever still waits in another thread is to come back. */
static int raw_flush(struct file *filp, fl_owner_t id)
{
	struct raw_reader *raw = filp->private_data;

	WRITE_ONCE(raw->iter->closed, true);
	trace_pipe_wake(raw->iter);
	return 0;
}

static int raw_release(struct inode *inode, struct file *filp)
{
	struct raw_reader *raw = filp->private_data;
	struct trace_iterator *iter = raw->iter;
	struct trace_array *tr = iter->tr;

	if (raw->spare)
		ring_buffer_free_read_page(tr->array_buffer.buffer, iter->cpu_file, raw->spare);
	trace_iter_free(iter);
	kfree(raw);
	mutex_lock(&trace_types_lock);
	tr->trace_ref--;
	mutex_unlock(&trace_types_lock);
	trace_array_put(tr);
	return 0;
}

/*
 * Take what the buffer has into the spare page. Return: 0, -EAGAIN when it is
 * empty, -EINVAL when @len has no room for the next entry.
 */
static int raw_refill(struct raw_reader *raw, size_t len)
{
	struct trace_iterator *iter = raw->iter;
	struct trace_buffer *buffer = iter->array_buffer->buffer;
	int ret;

	/* the size of sub-buffers may have been changed */
	if (raw->spare && ring_buffer_read_page_size(raw->spare) !=
			  ring_buffer_subbuf_size_get(buffer)) {
		ring_buffer_free_read_page(buffer, iter->cpu_file, raw->spare);
		raw->spare = NULL;
	}
	if (!raw->spare) {
		ret = ring_buffer_alloc_read_page(buffer, iter->cpu_file, &raw->spare);
		if (ret) {
			raw->spare = NULL;
			return ret == -EAGAIN ? -ENOMEM : ret;
		}
	}
	raw->size = 0;
	raw->read = 0;
	trace_access_lock(iter->cpu_file);
	ret = ring_buffer_read_page(buffer, raw->spare, len, iter->cpu_file, 0);
	trace_access_unlock(iter->cpu_file);
	if (ret < 0)
		return ret;
	raw->size = ring_buffer_read_page_size(raw->spare);
	raw->read = ret;
	return 0;
}

static ssize_t raw_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct raw_reader *raw = filp->private_data;
	struct trace_iterator *iter = raw->iter;
	size_t len, left;
	ssize_t ret;

	if (!count)
		return 0;
	if (mutex_lock_interruptible(&iter->mutex))
		return -EINTR;
	while (raw->read >= raw->size) {
		ret = raw_refill(raw, count);
		if (!ret)
			break;
		if (ret != -EAGAIN || (filp->f_flags & O_NONBLOCK))
			goto out;
		mutex_unlock(&iter->mutex);
		ret = trace_pipe_wait(iter, filp, 0);
		if (ret)
			return min(ret, 0);
		if (mutex_lock_interruptible(&iter->mutex))
			return -EINTR;
	}
	len = min_t(size_t, raw->size - raw->read, count);
	left = copy_to_user(ubuf, ring_buffer_read_page_data(raw->spare) + raw->read, len);
	ret = left == len ? -EFAULT : len - left;
	if (ret > 0) {
		raw->read += ret;
		*ppos += ret;
	}
out:
	mutex_unlock(&iter->mutex);
	return ret;
}

static void raw_page_put(struct raw_page *rp)
{
	if (!refcount_dec_and_test(&rp->refs))
		return;
	ring_buffer_free_read_page(rp->tr->array_buffer.buffer, rp->cpu, rp->page);
	trace_array_put(rp->tr);
	kfree(rp);
}

static void raw_buf_release(struct pipe_inode_info *pipe, struct pipe_buffer *buf)
{
	raw_page_put((struct raw_page *)buf->private);
	buf->private = 0;
}

static bool raw_buf_get(struct pipe_inode_info *pipe, struct pipe_buffer *buf)
{
	struct raw_page *rp = (struct raw_page *)buf->private;

	if (refcount_read(&rp->refs) > INT_MAX / 2)
		return false;
	refcount_inc(&rp->refs);
	return true;
}

static const struct pipe_buf_operations raw_buf_ops = {
	.release	= raw_buf_release,
	.get		= raw_buf_get,
};

static void raw_spd_release(struct splice_pipe_desc *spd, unsigned int i)
{
	raw_page_put((struct raw_page *)spd->partial[i].private);
	spd->partial[i].private = 0;
}

/* One full sub-buffer, or one that holds something when @full is 0; NULL for none. */
static struct raw_page *raw_page_get(struct trace_iterator *iter, size_t len, int full)
{
	struct trace_buffer *buffer = iter->array_buffer->buffer;
	struct raw_page *rp = kzalloc(sizeof(*rp), GFP_KERNEL);
	int ret;

	if (!rp)
		return ERR_PTR(-ENOMEM);
	ret = ring_buffer_alloc_read_page(buffer, iter->cpu_file, &rp->page);
	if (ret) {
		kfree(rp);
		return ERR_PTR(-ENOMEM);
	}
	ret = ring_buffer_read_page(buffer, rp->page, len, iter->cpu_file, full);
	if (ret < 0 || trace_array_get(iter->tr) < 0) {
		ring_buffer_free_read_page(buffer, iter->cpu_file, rp->page);
		kfree(rp);
		return NULL;
	}
	rp->tr = iter->tr;
	rp->cpu = iter->cpu_file;
	refcount_set(&rp->refs, 1);
	return rp;
}

/*
 * Fill @spd with sub-buffers, with @full only with those that the writer has left.
 * Return: 0, or an error when it got none.
 */
static int raw_splice_fill(struct trace_iterator *iter, struct splice_pipe_desc *spd, size_t len,
			   size_t size, int full)
{
	struct trace_buffer *buffer = iter->array_buffer->buffer;
	struct raw_page *rp;

	trace_access_lock(iter->cpu_file);
	while (spd->nr_pages < spd->nr_pages_max && len >= size &&
	       ring_buffer_entries_cpu(buffer, iter->cpu_file)) {
		rp = raw_page_get(iter, size, full);
		if (IS_ERR_OR_NULL(rp)) {
			trace_access_unlock(iter->cpu_file);
			return spd->nr_pages ? 0 : PTR_ERR_OR_ZERO(rp);
		}
		spd->pages[spd->nr_pages] = virt_to_page(ring_buffer_read_page_data(rp->page));
		spd->partial[spd->nr_pages].offset = 0;
		spd->partial[spd->nr_pages].len = size;
		spd->partial[spd->nr_pages].private = (unsigned long)rp;
		spd->nr_pages++;
		len -= size;
	}
	trace_access_unlock(iter->cpu_file);
	return 0;
}

static ssize_t raw_splice_read(struct file *filp, loff_t *ppos, struct pipe_inode_info *pipe,
			       size_t len, unsigned int flags)
{
	struct raw_reader *raw = filp->private_data;
	struct trace_iterator *iter = raw->iter;
	struct page *pages[PIPE_DEF_BUFFERS];
	struct partial_page partial[PIPE_DEF_BUFFERS];
	struct splice_pipe_desc spd = {
		.pages		= pages,
		.partial	= partial,
		.nr_pages_max	= PIPE_DEF_BUFFERS,
		.ops		= &raw_buf_ops,
		.spd_release	= raw_spd_release,
	};
	size_t size = ring_buffer_subbuf_size_get(iter->array_buffer->buffer);
	ssize_t ret;

	/* sub-buffers go as a whole */
	if (*ppos & (size - 1))
		return -EINVAL;
	if (len < size)
		return -EINVAL;
	len &= ~(size - 1);
	if (splice_grow_spd(pipe, &spd))
		return -ENOMEM;

	ret = raw_splice_fill(iter, &spd, len, size, 1);
	if (!ret && !spd.nr_pages) {
		ret = -EAGAIN;
		if ((filp->f_flags & O_NONBLOCK) || (flags & SPLICE_F_NONBLOCK))
			goto out;
		ret = trace_pipe_wait(iter, filp, iter->tr->buffer_percent);
		if (ret < 0)
			goto out;
		/* told to go, or woken for less than a sub-buffer: then that */
		if (!ret)
			ret = raw_splice_fill(iter, &spd, len, size, 1);
		if (ret >= 0 && !spd.nr_pages)
			ret = raw_splice_fill(iter, &spd, len, size, 0);
	}
	if (spd.nr_pages)
		ret = splice_to_pipe(pipe, &spd);
out:
	splice_shrink_spd(&spd);
	return ret;
}

static __poll_t raw_poll(struct file *filp, poll_table *wait)
{
	struct raw_reader *raw = filp->private_data;

	return trace_pipe_poll(raw->iter, filp, wait);
}

/* Any tool that shares the descriptor may wake the one that waits: ioctl(fd, 0). */
static long raw_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct raw_reader *raw = filp->private_data;

	if (cmd)
		return -ENOIOCTLCMD;
	trace_pipe_wake(raw->iter);
	return 0;
}

const struct file_operations trace_pipe_raw_fops = {
	.open		= raw_open,
	.read		= raw_read,
	.splice_read	= raw_splice_read,
	.poll		= raw_poll,
	.unlocked_ioctl	= raw_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.flush		= raw_flush,
	.release	= raw_release,
};
