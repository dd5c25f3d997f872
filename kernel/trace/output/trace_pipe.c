// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_pipe and per_cpu/cpuN/trace_pipe: entries as text, each taken out of
 * the buffer as it is read; a reader waits for the next one.
 *
 * A CPU's entries can go to one such reader only: pipe_cpumask of the instance
 * says which CPUs have one, and who comes second gets -EBUSY. Each entry is
 * printed once, when it is taken out; lines that did not fit the read stay for
 * the next one.
 *
 * A read holds nothing that somebody else may have to wait for but the mutex of the open
 * file; iterator.c says why it needs no more.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "../printf.h"
#include "internal.h"

/*
 * Bytes of text that are enough for a read; no line has more. A line is begun when there is
 * less, so twice as much holds every line that was taken out: none waits behind the text, where
 * it would be lost to a reader who has read all that he was given and closes the file.
 */
#define PIPE_TEXT_SIZE	TRACE_SEQ_BUFFER_SIZE

/**
 * struct pipe_reader - one open file
 * @iter:	what is read; its mutex guards the rest
 * @len:	bytes in @text
 * @read:	how many of them user space has
 * @head:	the tracer has something to say before the first entry
 * @text:	lines
 */
struct pipe_reader {
	struct trace_iterator	*iter;
	unsigned int		len;
	unsigned int		read;
	bool			head;
	char			text[2 * PIPE_TEXT_SIZE] __aligned(8);	/* as a reader's is */
};

/* What a waiting reader compares with, see trace_pipe_wake(). */
struct pipe_wait {
	struct trace_iterator	*iter;
	int			index;
};

/* The reader was told to go back to user space. */
static bool pipe_told(const struct pipe_wait *wait)
{
	/* pairs with the release in trace_pipe_wake(): @closed is seen as well */
	return atomic_read_acquire(&wait->iter->wait_index) != wait->index ||
	       READ_ONCE(wait->iter->closed);
}

/*
 * Recording is switched off and nothing more will come: a reader takes what there is,
 * however little, and if there is nothing, one that has got something before is at the end of
 * the file. He is told so once if @iter.at_end is kept.
 */
bool trace_pipe_ended(struct trace_iterator *iter)
{
	if (tracer_tracing_is_on(iter->tr))
		return false;
	return !trace_empty(iter) || (iter->pos && !to_reader(iter)->at_end);
}

static bool pipe_wait_over(void *data)
{
	struct pipe_wait *wait = data;

	return pipe_told(wait) || trace_pipe_ended(wait->iter) || trace_spare_gone(wait->iter);
}

/* Send all who wait with @iter back to user space. */
void trace_pipe_wake(struct trace_iterator *iter)
{
	/* pairs with the acquire in pipe_told() */
	atomic_fetch_inc_release(&iter->wait_index);
	ring_buffer_wake_waiters(iter->array_buffer->buffer, iter->cpu_file);
}

/* Something waits for data: poll and its kin, also of trace_pipe_raw. */
__poll_t trace_pipe_poll(struct trace_iterator *iter, struct file *filp, poll_table *wait)
{
	struct trace_array *tr = iter->tr;
	__poll_t ready;

	/* First of all, as who polls again and again is put on the queue at the first time only. */
	ready = ring_buffer_poll_wait(iter->array_buffer->buffer, iter->cpu_file, filp, wait,
				      trace_pipe_percent(iter));
	/* with the option `block` a read is never worth a try too few */
	if (tr->trace_flags & TRACE_ITER_BLOCK)
		return EPOLLIN | EPOLLRDNORM;
	/* no more is to be waited for than what there is */
	if (!ready && !tracer_tracing_is_on(tr) && !trace_empty(iter))
		ready = EPOLLIN | EPOLLRDNORM;
	return ready;
}

/*
 * Wait until the buffer is filled to @full percent, 0 for any entry, or recording is
 * switched off.
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
	return pipe_told(&wait) ? 1 : 0;
}

/* Take the CPUs of a reader. trace_types_lock held. */
static int pipe_claim(struct trace_array *tr, int cpu)
{
	if (cpu == RING_BUFFER_ALL_CPUS) {
		if (!cpumask_empty(output_of(tr)->pipe_cpumask))
			return -EBUSY;
		cpumask_setall(output_of(tr)->pipe_cpumask);
	} else if (cpumask_test_and_set_cpu(cpu, output_of(tr)->pipe_cpumask)) {
		return -EBUSY;
	}
	return 0;
}

static void pipe_unclaim(struct trace_array *tr, int cpu)
{
	if (cpu == RING_BUFFER_ALL_CPUS)
		cpumask_clear(output_of(tr)->pipe_cpumask);
	else
		cpumask_clear_cpu(cpu, output_of(tr)->pipe_cpumask);
}

static int pipe_open(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	struct trace_iterator *iter;
	struct pipe_reader *pipe;
	int ret, cpu;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	cpu = tracing_get_cpu(inode);
	pipe = kvzalloc(sizeof(*pipe), GFP_KERNEL);
	if (pipe)
		pipe->iter = trace_iter_alloc(tr, cpu);
	if (!pipe || !pipe->iter) {
		kvfree(pipe);
		trace_array_put(tr);
		return -ENOMEM;
	}
	iter = pipe->iter;

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
		pipe->head = iter->trace->pipe_head;
	}
	mutex_unlock(&trace_types_lock);
	if (ret) {
		trace_iter_free(iter);
		kvfree(pipe);
		trace_array_put(tr);
		return ret;
	}
	filp->private_data = pipe;
	return nonseekable_open(inode, filp);
}

static int pipe_release(struct inode *inode, struct file *filp)
{
	struct pipe_reader *pipe = filp->private_data;
	struct trace_iterator *iter = pipe->iter;
	struct trace_array *tr = inode->i_private;

	mutex_lock(&trace_types_lock);
	tr->trace_ref--;
	if (iter->trace->pipe_close)
		iter->trace->pipe_close(iter);
	pipe_unclaim(tr, iter->cpu_file);
	mutex_unlock(&trace_types_lock);
	trace_iter_free(iter);
	kvfree(pipe);
	trace_array_put(tr);
	return 0;
}

/* Copy the line in the sequence behind the text, of which there is less than PIPE_TEXT_SIZE. */
static void pipe_add_line(struct pipe_reader *pipe)
{
	const struct seq_buf *line = &pipe->iter->seq.seq;

	trace_copy_line(pipe->text + pipe->len, line->buffer, line->len);
	pipe->len += line->len;
}

/* Have lines where none are left, about @want bytes, at most PIPE_TEXT_SIZE. */
static void pipe_fill(struct pipe_reader *pipe, size_t want)
{
	struct trace_iterator *iter = pipe->iter;
	int section = trace_event_read_lock();

	pipe->len = 0;
	pipe->read = 0;
	while (pipe->head && pipe->len < want) {
		trace_seq_init(&iter->seq);
		pipe->head = iter->trace->pipe_head(iter);
		if (pipe->head)
			pipe_add_line(pipe);
	}
	/* others may have been here since the last time */
	trace_iter_forget(iter);
	while (pipe->len < want) {
		if (!trace_find_next_entry_inc(iter))
			break;
		trace_print_whole_line(iter);
		pipe_add_line(pipe);
	}
	trace_event_read_unlock(section);
}

/* Is there text that was taken out, and user space does not have? */
static bool pipe_has_text(const struct pipe_reader *pipe)
{
	return READ_ONCE(pipe->len) > READ_ONCE(pipe->read);
}

/* Move text to user space. Return: bytes, 0 when there is none left, or -EFAULT. */
static ssize_t pipe_copy(struct pipe_reader *pipe, struct iov_iter *to)
{
	size_t left = pipe->len - pipe->read;
	size_t copied;

	if (!left)
		return 0;
	copied = copy_to_iter(pipe->text + pipe->read, left, to);
	pipe->read += copied;
	return copied ?: -EFAULT;
}

/*
 * Wait for entries. A reader that has got some and finds recording switched off is at the
 * end of the file; one that has got nothing yet waits for recording to be on.
 * Return: 0 to read, 1 at the end, or an error.
 */
static int pipe_wait_entries(struct pipe_reader *pipe, struct file *filp)
{
	struct trace_iterator *iter = pipe->iter;
	int ret;

	while (!pipe_has_text(pipe) && !pipe->head && trace_empty(iter)) {
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (trace_pipe_ended(iter))
			return !trace_empty(iter) ? 0 : 1;
		/* somebody else may have been faster, again and again */
		if (signal_pending(current))
			return -ERESTARTSYS;
		/* other reads of this file may go on with the text that there is */
		mutex_unlock(&iter->mutex);
		ret = trace_pipe_wait(iter, filp, 0);
		if (mutex_lock_interruptible(&iter->mutex)) {
			/* the caller unlocks */
			mutex_lock(&iter->mutex);
			return -ERESTARTSYS;
		}
		if (ret)
			return ret;
	}
	return 0;
}

static ssize_t pipe_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *filp = iocb->ki_filp;
	struct pipe_reader *pipe = filp->private_data;
	struct trace_iterator *iter = pipe->iter;
	ssize_t ret, copied;

	if (!iov_iter_count(to))
		return 0;
	/*
	 * io_uring would not give a short read back, but have it filled up by records to come. So
	 * it has to ask where a read may wait, and takes what there is then.
	 */
	if ((iocb->ki_flags & IOCB_NOWAIT) && !(filp->f_flags & O_NONBLOCK))
		return -EAGAIN;
	if (mutex_lock_interruptible(&iter->mutex))
		return -ERESTARTSYS;

	copied = pipe_copy(pipe, to);
	while (!copied) {
		ret = pipe_wait_entries(pipe, filp);
		if (ret) {
			copied = min(ret, 0);
			break;
		}
		/* somebody else who reads this file may have got some meanwhile */
		if (pipe->len == pipe->read) {
			pipe_fill(pipe, min_t(size_t, iov_iter_count(to), PIPE_TEXT_SIZE));
			iter->pos += pipe->len;
		}
		copied = pipe_copy(pipe, to);
		cond_resched();
	}
	mutex_unlock(&iter->mutex);
	return copied;
}

static __poll_t pipe_poll(struct file *filp, poll_table *wait)
{
	struct pipe_reader *pipe = filp->private_data;
	__poll_t ready = trace_pipe_poll(pipe->iter, filp, wait);

	if (pipe_has_text(pipe) || READ_ONCE(pipe->head))
		ready |= EPOLLIN | EPOLLRDNORM;
	return ready;
}

const struct file_operations trace_pipe_fops = {
	.open		= pipe_open,
	.read_iter	= pipe_read_iter,
	.splice_read	= copy_splice_read,
	.poll		= pipe_poll,
	.release	= pipe_release,
};

static int pipe_init(struct trace_array *tr)
{
	struct output_instance *oi = kzalloc(sizeof(*oi), GFP_KERNEL);

	if (!oi)
		return -ENOMEM;
	if (!zalloc_cpumask_var(&oi->pipe_cpumask, GFP_KERNEL)) {
		kfree(oi);
		return -ENOMEM;
	}
	tr->room[ROOM_OUTPUT] = oi;
	return 0;
}

static void pipe_exit(struct trace_array *tr)
{
	struct output_instance *oi = output_of(tr);

	free_cpumask_var(oi->pipe_cpumask);
	kfree(oi);
	tr->room[ROOM_OUTPUT] = NULL;
}

/* Pages in pipes hold no reference on the instance. */
static bool pipe_busy(struct trace_array *tr)
{
	/* pairs with the release in raw_page_put() */
	return atomic_read_acquire(&output_of(tr)->raw_pages);
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
	.busy		= pipe_busy,
	.files		= pipe_files,
	.cpu_files	= pipe_cpu_files,
};
