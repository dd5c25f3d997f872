// SPDX-License-Identifier: GPL-2.0-only
/*
 * per_cpu/cpuN/trace_pipe_raw: sub-buffers as they are, for tools that parse
 * them. read() copies from a spare page that the reader swaps against a
 * sub-buffer; splice() hands such pages on, and each of them goes back to the
 * ring buffer's stock when the last who has it lets go.
 *
 * Taking a page out is complete under the lock of its ring. The page to swap for it is
 * allocated before, and no lock is held here over it: nobody who resizes or
 * empties a buffer waits for a reader of it, or the other way round. So the size of
 * sub-buffers may change at any moment; what counts is the size of each page.
 *
 * mmap() has the sub-buffers in the memory of the reader, who asks for one after the other by an
 * ioctl, see ring_buffer/map.c.
 *
 * per_cpu/cpuN/snapshot_raw is the same of the spare buffer. That may come and go; a read looks
 * for the one that there is when it begins, and one that waits comes back when it goes. It is not
 * mapped: it would keep its place.
 */
#include <linux/cleanup.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/refcount.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/pipe_fs_i.h>
#include <linux/uaccess.h>

#include "../ring_buffer/map.h"
#include "internal.h"

/**
 * struct raw_reader - one open file
 * @iter:	whom to wait with; its mutex guards the rest
 * @spare:	page that read() copies from, or NULL before the first read
 * @size:	bytes in it
 * @read:	how many of them were copied
 * @users:	who is at it, of a spare buffer
 * @pinned:	the spare buffer is not to become another one
 */
struct raw_reader {
	struct trace_iterator		*iter;
	struct buffer_data_read_page	*spare;
	unsigned int			size;
	unsigned int			read;
	unsigned int			users;
	bool				pinned;
};

/*
 * A page on its way through pipes. It keeps its instance: output_instance.raw_pages counts it,
 * which can be done without a lock since the open file that it comes from keeps it as well.
 */
struct raw_page {
	struct trace_array		*tr;
	struct buffer_data_read_page	*page;
	int				cpu;
	refcount_t			refs;
};

/*
 * Begin to read @raw's buffer: the one that is the spare now. Return: 0, 1 when the reader was told
 * to go, or an error.
 */
static int raw_enter(struct raw_reader *raw, struct file *filp)
{
	struct trace_iterator *iter = raw->iter;
	bool bound;
	int ret;

	if (!iter->snapshot)
		return 0;
	do {
		if (mutex_lock_interruptible(&iter->mutex))
			return -ERESTARTSYS;
		if (!raw->users && !raw->pinned)
			trace_iter_bind_spare(iter);
		bound = to_reader(iter)->spare;
		raw->users += bound;
		mutex_unlock(&iter->mutex);
		if (bound)
			return 0;
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = trace_spare_wait(iter->tr, &iter->closed);
	} while (!ret);
	return ret;
}

static void raw_leave(struct raw_reader *raw)
{
	if (!raw->iter->snapshot)
		return;
	mutex_lock(&raw->iter->mutex);
	raw->users--;
	mutex_unlock(&raw->iter->mutex);
}

static int raw_open_buffer(struct inode *inode, struct file *filp, bool snapshot)
{
	struct trace_array *tr = inode->i_private;
	struct raw_reader *raw;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	raw = kzalloc(sizeof(*raw), GFP_KERNEL);
	if (raw)
		raw->iter = trace_iter_alloc_raw(tr, tracing_get_cpu(inode));
	if (!raw || !raw->iter) {
		kfree(raw);
		trace_array_put(tr);
		return -ENOMEM;
	}
	raw->iter->snapshot = snapshot;
	scoped_guard(mutex, &trace_types_lock) {
		/* who maps it keeps the size that it has; without memory that is what there is */
		if (!snapshot)
			__trace_array_use(tr);
		/* what is in the spare is the tracer's, and changes */
		if (!snapshot || !tr->current_trace->print_max)
			tr->trace_ref++;
		else
			ret = -EBUSY;
	}
	if (ret) {
		trace_iter_free(raw->iter);
		kfree(raw);
		trace_array_put(tr);
		return ret;
	}
	filp->private_data = raw;
	return nonseekable_open(inode, filp);
}

static int raw_open(struct inode *inode, struct file *filp)
{
	return raw_open_buffer(inode, filp, false);
}

static int raw_open_spare(struct inode *inode, struct file *filp)
{
	return raw_open_buffer(inode, filp, true);
}

/*
 * Who waits is to come back. A reader of the spare may find another one meanwhile, and let go of
 * the one that he has; nobody waits with the mutex held.
 */
static void raw_wake(struct trace_iterator *iter)
{
	if (iter->snapshot)
		mutex_lock(&iter->mutex);
	trace_pipe_wake(iter);
	if (iter->snapshot)
		mutex_unlock(&iter->mutex);
}

/* A descriptor was closed: whoever still waits in another thread is to come back. */
static int raw_flush(struct file *filp, fl_owner_t id)
{
	struct raw_reader *raw = filp->private_data;

	WRITE_ONCE(raw->iter->closed, true);
	if (raw->iter->snapshot)
		trace_spare_wake();
	raw_wake(raw->iter);
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

/* Something was read: there may be an end again, see trace_pipe_ended(). */
static void raw_got(struct trace_iterator *iter, size_t bytes)
{
	iter->pos += bytes;
	to_reader(iter)->at_end = false;
}

/* There is nothing to read. Is this the end of the file? */
static bool raw_at_end(struct trace_iterator *iter)
{
	if (trace_spare_gone(iter))
		return true;
	if (!trace_pipe_ended(iter) || !trace_empty(iter))
		return false;
	to_reader(iter)->at_end = true;
	return true;
}

/*
 * Take what the buffer has into the spare page. Return: 0, -EAGAIN when it is
 * empty, -EINVAL when @len has no room for the next entry, -ESTALE when the size of
 * sub-buffers is just being changed.
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
	ret = ring_buffer_read_page(buffer, raw->spare, len, iter->cpu_file, 0);
	if (ret < 0)
		return ret;
	raw->size = ring_buffer_read_page_size(raw->spare);
	raw->read = ret;
	return 0;
}

/*
 * The size of sub-buffers is changed from CPU to CPU. Let him who does it go on, also where
 * we are more urgent than he is.
 */
static void raw_nap(void)
{
	schedule_timeout_interruptible(1);
}

static ssize_t raw_read_buffer(struct raw_reader *raw, struct file *filp, char __user *ubuf,
			       size_t count, loff_t *ppos)
{
	struct trace_iterator *iter = raw->iter;
	size_t len, left;
	ssize_t ret;

	if (mutex_lock_interruptible(&iter->mutex))
		return -ERESTARTSYS;
	while (raw->read >= raw->size) {
		ret = raw_refill(raw, count);
		if (!ret)
			break;
		/* the size is being changed: there will be nothing in the buffer */
		if (ret == -ESTALE) {
			ret = -ERESTARTSYS;
			if (signal_pending(current))
				goto out;
			raw_nap();
			continue;
		}
		if (ret == -EAGAIN && trace_spare_gone(iter))
			ret = 0;
		if (ret != -EAGAIN || (filp->f_flags & O_NONBLOCK))
			goto out;
		if (raw_at_end(iter)) {
			ret = 0;
			goto out;
		}
		/* somebody else may have been faster, again and again */
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			goto out;
		}
		mutex_unlock(&iter->mutex);
		ret = trace_pipe_wait(iter, filp, 0);
		if (ret)
			return min(ret, 0);
		if (mutex_lock_interruptible(&iter->mutex))
			return -ERESTARTSYS;
	}
	len = min_t(size_t, raw->size - raw->read, count);
	left = copy_to_user(ubuf, ring_buffer_read_page_data(raw->spare) + raw->read, len);
	ret = left == len ? -EFAULT : len - left;
	if (ret > 0) {
		raw->read += ret;
		raw_got(iter, ret);
		*ppos += ret;
	}
out:
	mutex_unlock(&iter->mutex);
	return ret;
}

static ssize_t raw_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct raw_reader *raw = filp->private_data;
	ssize_t ret;

	if (!count)
		return 0;
	ret = raw_enter(raw, filp);
	if (ret)
		return min(ret, 0);
	ret = raw_read_buffer(raw, filp, ubuf, count, ppos);
	raw_leave(raw);
	return ret;
}

static void raw_page_put(struct raw_page *rp)
{
	if (!refcount_dec_and_test(&rp->refs))
		return;
	ring_buffer_free_read_page(rp->tr->array_buffer.buffer, rp->cpu, rp->page);
	/* pairs with the acquire in pipe_busy(); the instance may go from here on */
	atomic_dec_return_release(&output_of(rp->tr)->raw_pages);
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

/*
 * A full sub-buffer, or with @full 0 one that holds something, of at most @len bytes.
 * Return: the page, NULL when there is none, or an ERR_PTR().
 */
static struct raw_page *raw_page_get(struct trace_iterator *iter, size_t len, int full)
{
	struct trace_buffer *buffer = iter->array_buffer->buffer;
	struct raw_page *rp = kzalloc(sizeof(*rp), GFP_KERNEL);
	size_t size;
	int ret;

	if (!rp)
		return ERR_PTR(-ENOMEM);
	ret = ring_buffer_alloc_read_page(buffer, iter->cpu_file, &rp->page);
	if (ret)
		goto free;
	size = ring_buffer_read_page_size(rp->page);
	ret = size <= len ? ring_buffer_read_page(buffer, rp->page, size, iter->cpu_file, full) :
			    -EINVAL;
	if (ret < 0)
		goto free_page;
	rp->tr = iter->tr;
	rp->cpu = iter->cpu_file;
	atomic_inc(&output_of(rp->tr)->raw_pages);
	refcount_set(&rp->refs, 1);
	return rp;

free_page:
	ring_buffer_free_read_page(buffer, iter->cpu_file, rp->page);
	/* another size of sub-buffers means that they are empty, too: the caller looks again */
	if (ret == -ESTALE)
		raw_nap();
	if (ret == -EAGAIN || ret == -ESTALE)
		ret = 0;
free:
	kfree(rp);
	return ERR_PTR(ret);
}

/*
 * Fill @spd with sub-buffers, with @full only with those that the writer has left.
 * Return: bytes; 0 when there are none; or an error when it got none.
 */
static ssize_t raw_splice_fill(struct trace_iterator *iter, struct splice_pipe_desc *spd,
			       size_t len, int full)
{
	struct trace_buffer *buffer = iter->array_buffer->buffer;
	struct partial_page *part;
	struct raw_page *rp;
	size_t got = 0;

	while (spd->nr_pages < spd->nr_pages_max &&
	       (!got || len - got >= ring_buffer_subbuf_size_get(buffer)) &&
	       !ring_buffer_empty_cpu(buffer, iter->cpu_file)) {
		rp = raw_page_get(iter, len - got, full);
		if (IS_ERR_OR_NULL(rp))
			return got ?: PTR_ERR_OR_ZERO(rp);
		part = &spd->partial[spd->nr_pages];
		part->offset = 0;
		part->len = ring_buffer_read_page_size(rp->page);
		part->private = (unsigned long)rp;
		spd->pages[spd->nr_pages++] = virt_to_page(ring_buffer_read_page_data(rp->page));
		got += part->len;
	}
	return got;
}

/*
 * Have sub-buffers, wait for them unless @nonblock.
 * Return: bytes, 0 at the end or when the reader was told to go, or an error.
 */
static ssize_t raw_splice_wait(struct trace_iterator *iter, struct file *filp,
			       struct splice_pipe_desc *spd, size_t len, bool nonblock)
{
	bool woken = false;
	ssize_t ret;

	for (;;) {
		ret = raw_splice_fill(iter, spd, len, 1);
		if (ret || trace_spare_gone(iter))
			return ret;
		if (nonblock) {
			/* poll says that there is something when no more will come */
			if (trace_pipe_ended(iter))
				ret = raw_splice_fill(iter, spd, len, 0);
			return ret ?: -EAGAIN;
		}
		/* woken for less than a sub-buffer, or no more will come: then that */
		if (woken || trace_pipe_ended(iter)) {
			ret = raw_splice_fill(iter, spd, len, 0);
			if (ret || raw_at_end(iter))
				return ret;
		}
		/* somebody else may have been faster, again and again */
		if (signal_pending(current))
			return -ERESTARTSYS;
		ret = trace_pipe_wait(iter, filp, trace_pipe_percent(iter));
		if (ret)
			return ret < 0 ? ret : raw_splice_fill(iter, spd, len, 0);
		woken = true;
	}
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
	ssize_t ret;

	/* sub-buffers go as a whole, and read() has not left one half read */
	if (*ppos & (PAGE_SIZE - 1) || READ_ONCE(raw->read) < READ_ONCE(raw->size))
		return -EINVAL;
	ret = raw_enter(raw, filp);
	if (ret)
		return min(ret, 0);
	if (len < ring_buffer_subbuf_size_get(iter->array_buffer->buffer)) {
		ret = -EINVAL;
		goto out;
	}
	if (splice_grow_spd(pipe, &spd)) {
		ret = -ENOMEM;
		goto out;
	}

	ret = raw_splice_wait(iter, filp, &spd, len,
			      (filp->f_flags & O_NONBLOCK) || (flags & SPLICE_F_NONBLOCK));
	if (ret > 0) {
		raw_got(iter, ret);
		ret = splice_to_pipe(pipe, &spd);
	}
	splice_shrink_spd(&spd);
out:
	raw_leave(raw);
	return ret;
}

static __poll_t raw_poll(struct file *filp, poll_table *wait)
{
	struct raw_reader *raw = filp->private_data;

	return trace_pipe_poll(raw->iter, filp, wait);
}

/*
 * Who polls is on the queues of a buffer for as long as the file is open. So it stays the one
 * of this file, and when it is not the spare any more the file is at its end.
 */
static __poll_t raw_poll_spare(struct file *filp, poll_table *wait)
{
	struct raw_reader *raw = filp->private_data;
	struct trace_iterator *iter = raw->iter;
	bool pinned;

	trace_spare_poll(filp, wait);
	scoped_guard(mutex, &iter->mutex) {
		if (!raw->users && !raw->pinned)
			trace_iter_bind_spare(iter);
		raw->pinned = to_reader(iter)->spare;
		pinned = raw->pinned;
	}
	if (!pinned)
		return 0;
	return trace_spare_gone(iter) ? EPOLLIN | EPOLLRDNORM : trace_pipe_poll(iter, filp, wait);
}

static void raw_vm_open(struct vm_area_struct *vma)
{
	struct raw_reader *raw = vma->vm_file->private_data;

	/* it is mapped already: nobody refuses */
	trace_array_map(raw->iter->tr);
	ring_buffer_map_dup(raw->iter->array_buffer->buffer, raw->iter->cpu_file);
}

static void raw_vm_close(struct vm_area_struct *vma)
{
	struct raw_reader *raw = vma->vm_file->private_data;

	ring_buffer_unmap(raw->iter->array_buffer->buffer, raw->iter->cpu_file);
	trace_array_unmap(raw->iter->tr);
}

static const struct vm_operations_struct raw_vm_ops = {
	.open	= raw_vm_open,
	.close	= raw_vm_close,
	.fault	= ring_buffer_map_fault,
};

static int raw_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct raw_reader *raw = filp->private_data;
	struct trace_iterator *iter = raw->iter;
	int ret;

	ret = trace_array_map(iter->tr);
	if (ret)
		return ret;
	ret = ring_buffer_map(iter->array_buffer->buffer, iter->cpu_file, vma);
	if (ret)
		trace_array_unmap(iter->tr);
	else
		vma->vm_ops = &raw_vm_ops;
	return ret;
}

/* The next sub-buffer for who has mapped them; waits for it as read() and splice() do. */
static int raw_next(struct raw_reader *raw, struct file *filp)
{
	struct trace_iterator *iter = raw->iter;
	int ret;

	if (!(filp->f_flags & O_NONBLOCK) && !trace_pipe_ended(iter)) {
		ret = trace_pipe_wait(iter, filp, trace_pipe_percent(iter));
		if (ret < 0)
			return ret;
	}
	return ring_buffer_map_get_reader(iter->array_buffer->buffer, iter->cpu_file);
}

/* Any tool that shares the descriptor may wake the one that waits: ioctl(fd, 0). */
static long raw_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct raw_reader *raw = filp->private_data;

	switch (cmd) {
	case 0:
		raw_wake(raw->iter);
		return 0;
	case TRACE_MMAP_IOCTL_GET_READER:
		return raw->iter->snapshot ? -ENOIOCTLCMD : raw_next(raw, filp);
	default:
		return -ENOIOCTLCMD;
	}
}

#define RAW_OPS(open_file, poll_file)		\
	.open		= open_file,		\
	.read		= raw_read,		\
	.splice_read	= raw_splice_read,	\
	.poll		= poll_file,		\
	.unlocked_ioctl	= raw_ioctl,		\
	.compat_ioctl	= compat_ptr_ioctl,	\
	.flush		= raw_flush,		\
	.release	= raw_release

const struct file_operations trace_pipe_raw_fops = {
	RAW_OPS(raw_open, raw_poll),
	.mmap		= raw_mmap,
};

const struct file_operations trace_spare_raw_fops = { RAW_OPS(raw_open_spare, raw_poll_spare) };
