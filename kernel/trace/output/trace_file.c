// SPDX-License-Identifier: GPL-2.0-only
/*
 * `trace` and per_cpu/cpuN/trace: what is in the buffer, as text, read as
 * often as one likes. Truncating the file empties the buffer.
 *
 * Position 0 is the head of the table, position n the n-th entry. Between two
 * reads the iterator stays on the entry that did not fit any more, so going on
 * costs nothing; going to any other position begins at the oldest entry.
 */
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../tasks/switch.h"
#include "internal.h"

/* The next entry, or NULL; iter->pos is the position of what it stands on. */
static void *trace_seq_step(struct trace_iterator *iter)
{
	iter->pos++;
	return trace_find_next_entry_inc(iter);
}

static void *trace_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct trace_iterator *iter = m->private;

	v = trace_seq_step(iter);
	*pos = iter->pos;
	return v;
}

/* The tracer was changed since the file was opened: tell both. They stay for good. */
static void follow_tracer(struct trace_iterator *iter, struct tracer *now)
{
	if (iter->trace->close)
		iter->trace->close(iter);
	iter->trace = now;
	if (now->open)
		now->open(iter);
}

static void *trace_start(struct seq_file *m, loff_t *pos)
{
	struct trace_iterator *iter = m->private;
	struct tracer *now = READ_ONCE(iter->tr->current_trace);
	struct trace_reader *r = to_reader(iter);

	if (unlikely(now != iter->trace))
		follow_tracer(iter, now);
	/* what is in there is a tracer's, and `trace` shows it */
	r->section = -1;
	if (r->print_empty && now->print_max)
		return ERR_PTR(-EBUSY);
	r->section = trace_event_read_lock();

	if (*pos == 0 || *pos < iter->pos) {
		trace_iter_rewind(iter);
		if (*pos == 0)
			return iter;
	}
	/* not shown, or it did not fit */
	if (*pos == iter->pos && iter->ent)
		return iter;
	if (*pos == iter->pos) {
		/* The end is said once: who comes again wants what came since. */
		r->at_end = !r->at_end;
		if (r->at_end)
			return NULL;
		trace_iter_extend(iter);
		return trace_find_next_entry_inc(iter);
	}
	while (iter->pos < *pos) {
		if (!trace_seq_step(iter)) {
			iter->pos = *pos;
			return NULL;
		}
	}
	return iter;
}

static void trace_stop(struct seq_file *m, void *v)
{
	struct trace_iterator *iter = m->private;

	if (to_reader(iter)->section >= 0)
		trace_event_read_unlock(to_reader(iter)->section);
}

static int trace_show(struct seq_file *m, void *v)
{
	struct trace_iterator *iter = m->private;

	if (!iter->ent) {
		seq_printf(m, "# tracer: %s\n#\n%s", iter->trace->name, trace_functions_warning());
		if (to_reader(iter)->print_empty && trace_empty(iter))
			to_reader(iter)->print_empty(m, iter);
		else if (iter->trace->print_header)
			iter->trace->print_header(m);
		else
			trace_default_header(m);
		return 0;
	}
	/* what was printed at the last try is good: only the file had no room */
	if (!iter->leftover)
		trace_print_whole_line(iter);
	iter->leftover = trace_print_seq(m, &iter->seq);
	return 0;
}

TRACE_SEQ_LIST(trace);

/* An iterator for a file, with @print_empty of a snapshot; or an ERR_PTR(). */
static struct trace_iterator *
trace_file_iterator(struct inode *inode,
		    void (*print_empty)(struct seq_file *m, struct trace_iterator *iter))
{
	struct trace_array *tr = inode->i_private;
	struct trace_iterator *iter;
	int ret;

	iter = trace_iter_alloc(tr, tracing_get_cpu(inode));
	if (!iter)
		return ERR_PTR(-ENOMEM);

	to_reader(iter)->print_empty = print_empty;

	mutex_lock(&trace_types_lock);
	iter->trace = tr->current_trace;
	iter->snapshot = print_empty || iter->trace->print_max;
	/* the option has always been one of `trace` alone */
	if (!print_empty && (tr->trace_flags & TRACE_ITER_LATENCY_FMT))
		iter->iter_flags |= TRACE_FILE_LAT_FMT;
	/* a snapshot does not change under the reader, unless a tracer finds something worse */
	to_reader(iter)->paused = tr->trace_flags & TRACE_ITER_PAUSE_ON_TRACE && !print_empty;
	mutex_unlock(&trace_types_lock);
	if (to_reader(iter)->paused)
		tracing_stop_tr(tr);

	ret = trace_iter_read_start(iter);
	if (ret) {
		if (to_reader(iter)->paused)
			tracing_start_tr(tr);
		trace_iter_free(iter);
		return ERR_PTR(ret);
	}
	if (ring_buffer_overruns(iter->array_buffer->buffer))
		iter->iter_flags |= TRACE_FILE_ANNOTATE;
	trace_iter_rewind(iter);
	mutex_lock(&trace_types_lock);
	if (iter->trace->open)
		iter->trace->open(iter);
	mutex_unlock(&trace_types_lock);
	return iter;
}

static void trace_file_iterator_free(struct trace_iterator *iter)
{
	mutex_lock(&trace_types_lock);
	if (iter->trace->close)
		iter->trace->close(iter);
	mutex_unlock(&trace_types_lock);
	if (to_reader(iter)->paused)
		tracing_start_tr(iter->tr);
	trace_iter_free(iter);
}

/* Ready to be read. The caller has a reference to the instance. */
static int trace_file_open_read(struct inode *inode, struct file *file,
				void (*print_empty)(struct seq_file *m,
						    struct trace_iterator *iter))
{
	struct trace_iterator *iter;
	int ret;

	/* the names that tasks have now, even if they do not leave their CPUs */
	trace_switch_record_running();
	iter = trace_file_iterator(inode, print_empty);
	if (IS_ERR(iter))
		return PTR_ERR(iter);
	ret = tracing_seq_open(file, &trace_seq_ops, iter);
	if (ret)
		trace_file_iterator_free(iter);
	return ret;
}

static int trace_file_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;
	int ret, cpu;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;

	cpu = tracing_get_cpu(inode);
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		guard(mutex)(&trace_types_lock);
		if (tr->current_trace->print_max)
			trace_spare_empty(tr, cpu);
		else if (cpu == RING_BUFFER_ALL_CPUS)
			tracing_reset_online_cpus(&tr->array_buffer);
		else
			tracing_reset_cpu(&tr->array_buffer, cpu);
	}
	if (file->f_mode & FMODE_READ)
		ret = trace_file_open_read(inode, file, NULL);
	if (ret)
		trace_array_put(tr);
	return ret;
}

/**
 * trace_file_open_spare - open a file that shows the spare buffer as `trace` shows the buffer
 * @inode:	of the file
 * @file:	the file
 * @print_empty: prints the head where there is nothing in it, or no spare
 *
 * A reader who is at the beginning looks for the spare that there is then. With
 * trace_file_release(), seq_read() and tracing_lseek().
 *
 * Context: task. Return: 0 or an error.
 */
int trace_file_open_spare(struct inode *inode, struct file *file,
			  void (*print_empty)(struct seq_file *m, struct trace_iterator *iter))
{
	struct trace_array *tr = inode->i_private;
	int ret = tracing_check_open_get_tr(tr);

	if (ret)
		return ret;
	if (file->f_mode & FMODE_READ)
		ret = trace_file_open_read(inode, file, print_empty);
	if (ret)
		trace_array_put(tr);
	return ret;
}

int trace_file_release(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;

	if (file->f_mode & FMODE_READ) {
		trace_file_iterator_free(tracing_seq_private(file));
		seq_release(inode, file);
	}
	trace_array_put(tr);
	return 0;
}

static const struct file_operations trace_file_fops = {
	TRACE_FILE_OPS(trace_file_open, tracing_write_opened),
};

static void trace_file_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("trace", TRACE_MODE_WRITE, dir, tr, &trace_file_fops);
}

static void trace_file_cpu_files(struct trace_array *tr, struct dentry *dir, int cpu)
{
	trace_create_cpu_file("trace", TRACE_MODE_WRITE, dir, tr, cpu, &trace_file_fops);
}

const struct instance_feature trace_file_feature = {
	.name		= "trace",
	.files		= trace_file_files,
	.cpu_files	= trace_file_cpu_files,
};
