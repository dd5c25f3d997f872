// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_pipe and per_cpu/cpuN/trace_pipe: entries as text, each taken out of
 * the buffer as it is read; a reader waits for the next one.
 *
 * A CPU's entries can go to one such reader only: pipe_cpumask of the instance
 * says which CPUs have one, and who comes second gets -EBUSY. The text of
 * entries that were consumed and did not fit the read stays in the iterator's
 * sequence for the next read.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "reader.h"

/* What a waiting reader compares with, see trace_pipe_wake(). */
struct pipe_wait {
	struct trace_iterator	*iter;
	int			index;
};

static bool pipe_wait_over(void *data)
{
	struct pipe_wait *wait = data;

	/* pairs with the release in trace_pipe_wake(): @closed is seen as well */
	return atomic_read_acquire(&wait->iter->wait_index) != wait->index ||
	       READ_ONCE(wait->iter->closed);
}

/* Send all who wait with @iter back to user space. */
void trace_pipe_wake(struct trace_iterator *iter)
{
	/* pairs with the acquire in pipe_wait_over() */
	atomic_fetch_inc_release(&iter->wait_index);
	ring_buffer_wake_waiters(iter->array_buffer->buffer, iter->cpu_file);
}

/* Something waits for data: poll and its kin, also of trace_pipe_raw. */
__poll_t trace_pipe_poll(struct trace_iterator *iter, struct file *filp, poll_table *wait)
{
	struct trace_array *tr = iter->tr;

	/* with the option `block` a read is never worth a try too few */
	if (tr->trace_flags & TRACE_ITER_BLOCK)
		return EPOLLIN | EPOLLRDNORM;
	return ring_buffer_poll_wait(iter->array_buffer->buffer, iter->cpu_file, filp, wait,
				     tr->buffer_percent);
}

/*
 * Wait until the buffer is filled to @full percent, 0 for any entry.
 * Return: 0 to look, 1 when the reader was told to go, or an error.
 */
int trace_pipe_wait(struct trace_iterator *iter, struct file *filp, int full)
{
	struct pipe_wait wait = {
		.iter	= iter,
		.index	= atomic_read(&iter->wait_index),
	};
	int ret;

	if (READ_ONCE(iter->closed))
		return 1;
	ret = ring_buffer_wait(iter->array_buffer->buffer, iter->cpu_file, full, pipe_wait_over,
			       &wait);
	if (ret)
		return ret;
	return pipe_wait_over(&wait) ? 1 : 0;
}

/* Take the CPUs of a reader. trace_types_lock held. */
static int pipe_claim(struct trace_array *tr, int cpu)
{
	if (cpu == RING_BUFFER_ALL_CPUS) {
		if (!cpumask_empty(tr->pipe_cpumask))
			return -EBUSY;
		cpumask_setall(tr->pipe_cpumask);
	} else if (cpumask_test_and_set_cpu(cpu, tr->pipe_cpumask)) {
		return -EBUSY;
	}
	return 0;
}

static void pipe_unclaim(struct trace_array *tr, int cpu)
{
	if (cpu == RING_BUFFER_ALL_CPUS)
		cpumask_clear(tr->pipe_cpumask);
	else
		cpumask_clear_cpu(cpu, tr->pipe_cpumask);
}

static int pipe_open(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	struct trace_iterator *iter;
	int ret, cpu = tracing_get_cpu(inode);

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	iter = trace_iter_alloc(tr, cpu);
	if (!iter) {
		trace_array_put(tr);
		return -ENOMEM;
	}

	mutex_lock(&trace_types_lock);
	ret = pipe_claim(tr, cpu);
	if (!ret) {
		tr->trace_ref++;
		iter->trace = tr->current_trace;
		if (tr->trace_flags & TRACE_ITER_LATENCY_FMT)
			iter->iter_flags |= TRACE_FILE_LAT_FMT;
		/* a stream has no place where a CPU's entries begin */
		cpumask_setall(iter->started);
		if (iter->trace->pipe_open)
			iter->trace->pipe_open(iter);
	}
	mutex_unlock(&trace_types_lock);
	if (ret) {
		trace_iter_free(iter);
		trace_array_put(tr);
		return ret;
	}
	filp->private_data = iter;
	return nonseekable_open(inode, filp);
}

static int pipe_release(struct inode *inode, struct file *filp)
{
	struct trace_iterator *iter = filp->private_data;
	struct trace_array *tr = inode->i_private;

	mutex_lock(&trace_types_lock);
	tr->trace_ref--;
	if (iter->trace->pipe_close)
		iter->trace->pipe_close(iter);
	pipe_unclaim(tr, iter->cpu_file);
	mutex_unlock(&trace_types_lock);
	trace_iter_free(iter);
	trace_array_put(tr);
	return 0;
}

/* Print the current entry behind what is there. Return: false when it has to wait. */
static bool pipe_print_entry(struct trace_iterator *iter)
{
	struct trace_seq *s = &iter->seq;
	size_t mark = s->seq.len;
	enum print_line_t ret;

	ret = print_trace_line(iter);
	if (ret == TRACE_TYPE_PARTIAL_LINE) {
		s->full = 0;
		s->seq.len = mark;
		if (mark)
			return false;
		/* it will never fit; it must not stop the stream */
		trace_seq_puts(s, "[LINE TOO BIG]\n");
	}
	if (ret != TRACE_TYPE_NO_CONSUME)
		trace_iter_consume(iter);
	return true;
}

/* Fill the empty sequence of @iter with entries, up to about @want bytes. */
static void pipe_fill(struct trace_iterator *iter, size_t want)
{
	trace_seq_init(&iter->seq);
	trace_event_read_lock();
	trace_access_lock(iter->cpu_file);
	/* raw readers and resets may have been here since the last time */
	trace_iter_forget(iter);
	iter->ent = NULL;
	while (trace_seq_used(&iter->seq) < want && trace_find_next_entry_inc(iter)) {
		if (!pipe_print_entry(iter))
			break;
	}
	trace_access_unlock(iter->cpu_file);
	trace_event_read_unlock();
}

/* Move text to user space. Return: bytes, 0 when there is none left, or -EFAULT. */
static ssize_t pipe_copy(struct trace_iterator *iter, struct iov_iter *to)
{
	struct trace_seq *s = &iter->seq;
	size_t left = trace_seq_used(s) - s->readpos;
	size_t copied;

	if (!left)
		return 0;
	copied = copy_to_iter(s->seq.buffer + s->readpos, left, to);
	s->readpos += copied;
	return copied ?: -EFAULT;
}

/*
 * Wait for entries. A reader that has got some and finds recording switched off is at the
 * end of the file; one that has got nothing yet waits for recording to be on.
 * Return: 0 to read, 1 at the end, or an error.
 */
static int pipe_wait_entries(struct trace_iterator *iter, struct file *filp)
{
	int ret;

	while (trace_empty(iter)) {
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (iter->pos && !tracer_tracing_is_on(iter->tr))
			return 1;
		/* other reads of this file may go on with what is in the sequence */
		mutex_unlock(&iter->mutex);
		ret = trace_pipe_wait(iter, filp, 0);
		if (mutex_lock_interruptible(&iter->mutex)) {
			/* the caller unlocks */
			mutex_lock(&iter->mutex);
			return -EINTR;
		}
		if (ret)
			return ret;
		if (signal_pending(current))
			return -EINTR;
	}
	return 0;
}

static ssize_t pipe_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *filp = iocb->ki_filp;
	struct trace_iterator *iter = filp->private_data;
	ssize_t ret, copied;

	if (!iov_iter_count(to))
		return 0;
	if (mutex_lock_interruptible(&iter->mutex))
		return -EINTR;

	copied = pipe_copy(iter, to);
	while (!copied) {
		ret = pipe_wait_entries(iter, filp);
		if (ret) {
			copied = min(ret, 0);
			break;
		}
		/* somebody else who reads this file may have filled it meanwhile */
		if (trace_seq_used(&iter->seq) == iter->seq.readpos)
			pipe_fill(iter, min(iov_iter_count(to), TRACE_SEQ_BUFFER_SIZE - 1));
		iter->pos += iter->seq.seq.len;
		copied = pipe_copy(iter, to);
		cond_resched();
	}
	mutex_unlock(&iter->mutex);
	return copied;
}

static __poll_t pipe_poll(struct file *filp, poll_table *wait)
{
	struct trace_iterator *iter = filp->private_data;

	if (trace_seq_used(&iter->seq) > iter->seq.readpos)
		return EPOLLIN | EPOLLRDNORM;
	return trace_pipe_poll(iter, filp, wait);
}

static const struct file_operations trace_pipe_fops = {
	.open		= pipe_open,
	.read_iter	= pipe_read_iter,
	.splice_read	= copy_splice_read,
	.poll		= pipe_poll,
	.release	= pipe_release,
};

static int pipe_init(struct trace_array *tr)
{
	return zalloc_cpumask_var(&tr->pipe_cpumask, GFP_KERNEL) ? 0 : -ENOMEM;
}

static void pipe_exit(struct trace_array *tr)
{
	free_cpumask_var(tr->pipe_cpumask);
}

static void pipe_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("trace_pipe", TRACE_MODE_READ, dir, tr, &trace_pipe_fops);
}

static void pipe_cpu_files(struct trace_array *tr, struct dentry *dir, int cpu)
{
	trace_create_cpu_file("trace_pipe", TRACE_MODE_READ, dir, tr, cpu, &trace_pipe_fops);
	trace_create_cpu_file("trace_pipe_raw", TRACE_MODE_READ, dir, tr, cpu,
			      &trace_pipe_raw_fops);
	trace_create_cpu_file("stats", TRACE_MODE_READ, dir, tr, cpu, &trace_stats_fops);
}

const struct instance_feature trace_pipe_feature = {
	.name		= "trace_pipe",
	.init		= pipe_init,
	.exit		= pipe_exit,
	.files		= pipe_files,
	.cpu_files	= pipe_cpu_files,
};
