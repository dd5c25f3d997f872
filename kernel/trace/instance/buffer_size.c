// SPDX-License-Identifier: GPL-2.0-only
/*
 * How large an instance's buffer is, and how full it must be to wake a reader.
 *
 * The top instance starts with the least that a ring buffer can have and gets
 * its full size when something first wants to record; most kernels never
 * trace. A size that was set by hand for all CPUs ends that state. One that was set for
 * one CPU stays, and says nothing of the others: they get the full size when their
 * time has come. Other instances begin as small, since many are made before they are used, or
 * for a few events that never happen; but nobody sees that: their files tell of the
 * full size, which they get before the first record (trace_array_use()), or when
 * anything of their size is changed.
 *
 * Files: buffer_size_kb (also per CPU), buffer_total_size_kb,
 * buffer_subbuf_size_kb, buffer_percent.
 */
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "../ring_buffer/size.h"
#include "instance.h"
#include "internal.h"

#define KB_SHIFT	10

/* largest order of a sub-buffer, in pages: 512 KiB with pages of 4 KiB */
#define MAX_SUBBUF_ORDER	7

/* Bytes a CPU; 1408 KiB, as it ever was, unless trace_buf_size= says otherwise. */
unsigned long trace_buf_size = 1408 * SZ_1K;

/*
 * CPUs of the top instance that got a size of their own while it was small; trace_types_lock.
 */
static struct cpumask sized_cpus;

/* Bytes a size in KiB stands for, in @bytes; -EINVAL when there is no such size. */
int trace_parse_size_kb(unsigned long kb, unsigned long *bytes)
{
	if (!kb || kb > (ULONG_MAX >> KB_SHIFT))
		return -EINVAL;
	*bytes = kb << KB_SHIFT;
	return 0;
}

/* Order of the smallest sub-buffer that has @kb KiB, or -EINVAL. */
int trace_subbuf_kb_to_order(unsigned long kb)
{
	unsigned long bytes;

	if (trace_parse_size_kb(kb, &bytes))
		return -EINVAL;
	if (bytes > PAGE_SIZE << MAX_SUBBUF_ORDER)
		return -EINVAL;
	return get_order(bytes);
}

/* Ask the rooms; @told is how many of the features agreed. */
static int announce(struct trace_array *tr, unsigned long bytes, int cpu, int *told)
{
	int i, ret;

	for (i = 0; instance_features[i]; i++) {
		if (!instance_features[i]->buffer_resize)
			continue;
		ret = instance_features[i]->buffer_resize(tr, bytes, cpu);
		if (ret) {
			*told = i;
			return ret;
		}
	}
	*told = i;
	return 0;
}

/**
 * trace_array_map - a ring of an instance is going to be mapped
 * @tr: instance
 *
 * Counts. A room that has to swap its buffers can refuse it, and is refused itself from here on.
 *
 * Context: Task, may sleep; for who has mmap_lock. Takes the instance's spare_lock.
 * Return: 0 or -EBUSY; 0 if it is mapped already.
 */
int trace_array_map(struct trace_array *tr)
{
	int i, ret;

	for (i = 0; instance_features[i]; i++) {
		if (!instance_features[i]->buffer_map)
			continue;
		ret = instance_features[i]->buffer_map(tr);
		if (ret)
			goto undo;
	}
	return 0;

undo:
	while (i--) {
		if (instance_features[i]->buffer_unmap)
			instance_features[i]->buffer_unmap(tr);
	}
	return ret;
}

/**
 * trace_array_unmap - undo one trace_array_map()
 * @tr: instance
 *
 * Context: as trace_array_map(). Cannot fail.
 */
void trace_array_unmap(struct trace_array *tr)
{
	for (int i = 0; instance_features[i]; i++) {
		if (instance_features[i]->buffer_unmap)
			instance_features[i]->buffer_unmap(tr);
	}
}

/*
 * Writers and readers go on; the ring buffer stops each for the moment of the change. The spare
 * comes first: if there is no memory the buffer has lost nothing.
 */
static int resize_both(struct trace_array *tr, unsigned long bytes, int cpu)
{
	struct array_buffer *spare = trace_buffers_lock(tr);
	int ret = spare ? ring_buffer_resize(spare->buffer, bytes, cpu) : 0;

	if (!ret)
		ret = ring_buffer_resize(tr->array_buffer.buffer, bytes, cpu);
	/* If one could and the other could not, or a CPU came up. A snapshot tries it again. */
	if (spare)
		trace_spare_make(tr);
	trace_buffers_unlock(tr);
	return ret;
}

/* @cpu may be RING_BUFFER_ALL_CPUS. An error leaves all as it was. */
int tracing_resize(struct trace_array *tr, unsigned long bytes, int cpu)
{
	int ret, told;

	lockdep_assert_held(&trace_types_lock);
	if (!tr->array_buffer.buffer)
		return -ENODEV;

	ret = announce(tr, bytes, cpu, &told);
	if (!ret)
		ret = resize_both(tr, bytes, cpu);
	while (told--) {
		if (instance_features[told]->buffer_resized)
			instance_features[told]->buffer_resized(tr, cpu, ret < 0 ? ret : 0);
	}
	return ret;
}

/* Is it small, and says so? */
static bool shown_small(const struct trace_array *tr)
{
	return !tr->ring_buffer_expanded && trace_array_is_top(tr);
}

/* As somebody wants it. An error leaves all as it was. */
static int set_buffer_size(struct trace_array *tr, unsigned long bytes, int cpu)
{
	int ret = 0;

	/* the others of an instance have their full size, as far as anybody knows */
	if (cpu != RING_BUFFER_ALL_CPUS)
		ret = __trace_array_use(tr);
	if (!ret)
		ret = tracing_resize(tr, bytes, cpu);
	if (ret < 0)
		return ret;
	if (cpu == RING_BUFFER_ALL_CPUS)
		WRITE_ONCE(tr->ring_buffer_expanded, true);
	else if (shown_small(tr) && ring_buffer_size(tr->array_buffer.buffer, cpu))
		cpumask_set_cpu(cpu, &sized_cpus);
	return 0;
}

/* What is mapped stays as it is until it is not; the next who wants to record tries again. */
static int unless_mapped(struct trace_array *tr, int err)
{
	return err == -EBUSY && ring_buffer_is_held(tr->array_buffer.buffer) ? 0 : err;
}

int __tracing_update_buffers(struct trace_array *tr)
{
	int cpu, ret;

	if (tr->ring_buffer_expanded)
		return 0;
	if (!trace_array_is_top(tr) || cpumask_empty(&sized_cpus))
		return unless_mapped(tr, set_buffer_size(tr, trace_buf_size, RING_BUFFER_ALL_CPUS));

	for_each_possible_cpu(cpu) {
		if (cpumask_test_cpu(cpu, &sized_cpus))
			continue;
		/* those that have grown do no harm, and the next try goes on from there */
		ret = tracing_resize(tr, trace_buf_size, cpu);
		if (ret < 0)
			return unless_mapped(tr, ret);
	}
	WRITE_ONCE(tr->ring_buffer_expanded, true);
	return 0;
}

/**
 * tracing_update_buffers - somebody is about to record: have the full buffer
 * @tr: instance
 *
 * Cheap when the buffer has its full size already. Task context, may sleep,
 * takes trace_types_lock.
 *
 * Return: 0, or -ENOMEM or -EINTR (killed) and the buffer, or that of some CPUs, stays small.
 */
int tracing_update_buffers(struct trace_array *tr)
{
	/* It never becomes small again. */
	if (READ_ONCE(tr->ring_buffer_expanded))
		return 0;
	guard(mutex)(&trace_types_lock);
	return __tracing_update_buffers(tr);
}

int __trace_array_use(struct trace_array *tr)
{
	return trace_array_is_top(tr) ? 0 : __tracing_update_buffers(tr);
}

/**
 * trace_array_use - somebody is about to record to an instance other than the top one
 * @tr: instance; nothing happens if it is the top one, whose size shows that it is small
 *
 * Context and return value as for tracing_update_buffers().
 */
int trace_array_use(struct trace_array *tr)
{
	return trace_array_is_top(tr) ? 0 : tracing_update_buffers(tr);
}

void tracing_free_buffer(struct trace_array *tr)
{
	guard(mutex)(&trace_types_lock);
	set_buffer_size(tr, 0, RING_BUFFER_ALL_CPUS);
}

/**
 * trace_set_ring_buffer_expanded - do without the small size at boot
 * @tr: instance, NULL for the top one
 *
 * For boot parameters, before early_trace_init().
 */
void trace_set_ring_buffer_expanded(struct trace_array *tr)
{
	(tr ?: &global_trace)->ring_buffer_expanded = true;
}

/* Bytes of a CPU's buffer, as the files show them. */
static unsigned long cpu_size(struct trace_array *tr, int cpu)
{
	unsigned long size = ring_buffer_size(tr->array_buffer.buffer, cpu);

	if (!size || tr->ring_buffer_expanded || shown_small(tr))
		return size;
	return ring_buffer_size_for(tr->array_buffer.buffer, trace_buf_size);
}

/*
 * Bytes that each CPU's buffer has, in @bytes. False when they differ. CPUs that
 * never came up have no buffer and do not count.
 */
static bool common_size(struct trace_array *tr, unsigned long *bytes)
{
	unsigned long size;
	int cpu;

	*bytes = 0;
	for_each_possible_cpu(cpu) {
		size = cpu_size(tr, cpu);
		if (!size)
			continue;
		if (*bytes && size != *bytes)
			return false;
		*bytes = size;
	}
	return true;
}

static unsigned long total_size_kb(struct trace_array *tr)
{
	unsigned long kb = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		kb += cpu_size(tr, cpu) >> KB_SHIFT;
	return kb;
}

/* What total_size_kb() will be once the instance is used. */
static unsigned long expanded_size_kb(struct trace_array *tr)
{
	unsigned long kb = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (cpumask_test_cpu(cpu, &sized_cpus))
			kb += ring_buffer_size(tr->array_buffer.buffer, cpu) >> KB_SHIFT;
		else
			kb += trace_buf_size >> KB_SHIFT;
	}
	return kb;
}

/* One number, with what it will grow to when the instance is first used. */
static ssize_t read_size(char __user *ubuf, size_t cnt, loff_t *ppos, unsigned long kb,
			 unsigned long expanded_kb)
{
	if (expanded_kb)
		return tracing_read_printf(ubuf, cnt, ppos, "%lu (expanded: %lu)\n", kb,
					   expanded_kb);
	return tracing_read_printf(ubuf, cnt, ppos, "%lu\n", kb);
}

/* buffer_size_kb */

static ssize_t buffer_size_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	int cpu = tracing_get_cpu(file_inode(filp));
	struct trace_array *tr = filp->private_data;
	unsigned long size, expanded_kb = 0;

	scoped_guard(mutex, &trace_types_lock) {
		if (cpu != RING_BUFFER_ALL_CPUS)
			size = cpu_size(tr, cpu);
		else if (!common_size(tr, &size))
			return tracing_read_printf(ubuf, cnt, ppos, "X\n");
		else if (shown_small(tr))
			expanded_kb = trace_buf_size >> KB_SHIFT;
	}
	return read_size(ubuf, cnt, ppos, size >> KB_SHIFT, expanded_kb);
}

static int buffer_size_set(struct file *filp, unsigned long kb)
{
	unsigned long bytes;
	int err = trace_parse_size_kb(kb, &bytes);

	if (err)
		return err;
	guard(mutex)(&trace_types_lock);
	return set_buffer_size(filp->private_data, bytes, tracing_get_cpu(file_inode(filp)));
}

TRACE_NUMBER_FOPS_TR(buffer_size);

/* buffer_total_size_kb */

static ssize_t total_size_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = filp->private_data;
	unsigned long kb, expanded_kb = 0;

	scoped_guard(mutex, &trace_types_lock) {
		kb = total_size_kb(tr);
		if (shown_small(tr))
			expanded_kb = expanded_size_kb(tr);
	}
	return read_size(ubuf, cnt, ppos, kb, expanded_kb);
}

static const struct file_operations total_size_fops = {
	TRACE_READ_OPS_TR(total_size_read),
};

/* buffer_subbuf_size_kb */

static ssize_t subbuf_size_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = filp->private_data;
	unsigned long bytes;

	bytes = PAGE_SIZE << ring_buffer_subbuf_order_get(tr->array_buffer.buffer);
	return read_size(ubuf, cnt, ppos, bytes >> KB_SHIFT, 0);
}

/*
 * trace_types_lock held. An error leaves all as it was; but without memory for the buffer the
 * snapshot may be lost, which comes first.
 */
static int set_subbuf_order(struct trace_array *tr, int order)
{
	struct array_buffer *spare = trace_buffers_lock(tr);
	int err = 0;

	if (ring_buffer_is_held(tr->array_buffer.buffer))
		err = -EBUSY;
	else if (spare)
		err = ring_buffer_subbuf_order_set(spare->buffer, order);
	if (!err)
		err = ring_buffer_subbuf_order_set(tr->array_buffer.buffer, order);
	/* as in resize_both() */
	if (spare)
		trace_spare_make(tr);
	trace_buffers_unlock(tr);
	return err;
}

static int subbuf_size_set(struct file *filp, unsigned long kb)
{
	struct trace_array *tr = filp->private_data;
	int order = trace_subbuf_kb_to_order(kb), err;

	if (order < 0)
		return order;

	guard(mutex)(&trace_types_lock);
	if (order == ring_buffer_subbuf_order_get(tr->array_buffer.buffer))
		return 0;
	err = __trace_array_use(tr);
	if (err)
		return err;
	tracing_stop_tr(tr);
	err = set_subbuf_order(tr, order);
	tracing_start_tr(tr);
	return err;
}

TRACE_NUMBER_FOPS_TR(subbuf_size);

/* buffer_percent: 0 wakes a reader for any entry, 100 when the buffer is full */

static ssize_t percent_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = filp->private_data;

	return tracing_read_printf(ubuf, cnt, ppos, "%d\n", tr->buffer_percent);
}

static int percent_set(struct file *filp, unsigned long percent)
{
	struct trace_array *tr = filp->private_data;

	if (percent > 100)
		return -EINVAL;
	WRITE_ONCE(tr->buffer_percent, percent);
	return 0;
}

TRACE_NUMBER_FOPS_TR(percent);

void size_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("buffer_size_kb", TRACE_MODE_WRITE, dir, tr, &buffer_size_fops);
	trace_create_file("buffer_total_size_kb", TRACE_MODE_READ, dir, tr, &total_size_fops);
	trace_create_file("buffer_subbuf_size_kb", TRACE_MODE_WRITE, dir, tr, &subbuf_size_fops);
	trace_create_file("buffer_percent", TRACE_MODE_WRITE, dir, tr, &percent_fops);
}

void size_cpu_files(struct trace_array *tr, struct dentry *dir, int cpu)
{
	trace_create_cpu_file("buffer_size_kb", TRACE_MODE_WRITE, dir, tr, cpu, &buffer_size_fops);
}

static int __init trace_buf_size_setup(char *str)
{
	char *end;
	unsigned long long size = memparse(str, &end);

	if (end == str || size > LONG_MAX)
		return 0;
	/* less than a page is no use */
	trace_buf_size = max_t(unsigned long, size, SZ_4K);
	return 1;
}
__setup("trace_buf_size=", trace_buf_size_setup);
