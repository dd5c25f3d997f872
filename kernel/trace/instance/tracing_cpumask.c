// SPDX-License-Identifier: GPL-2.0-only
/* On which CPUs does the instance record? */
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "internal.h"
#include "instance.h"

static int cpumask_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;

	guard(mutex)(&trace_types_lock);
	seq_printf(m, "%*pb\n", cpumask_pr_args(tr->tracing_cpumask));
	return 0;
}

static int cpumask_open(struct inode *inode, struct file *filp)
{
	return tracing_single_open_tr(inode, filp, cpumask_show, inode->i_private);
}

/* Switches recording on the CPUs where @new differs. trace_types_lock held. */
void tracing_set_cpumask(struct trace_array *tr, const struct cpumask *new)
{
	const struct instance_feature *const *feature;
	struct array_buffer *buf = &tr->array_buffer;
	int cpu;

	for_each_possible_cpu(cpu) {
		bool was = cpumask_test_cpu(cpu, tr->tracing_cpumask);
		bool is = cpumask_test_cpu(cpu, new);

		if (was && !is) {
			atomic_inc(&per_cpu_ptr(buf->data, cpu)->disabled);
			ring_buffer_record_disable_cpu(buf->buffer, cpu);
		} else if (is && !was) {
			atomic_dec(&per_cpu_ptr(buf->data, cpu)->disabled);
			ring_buffer_record_enable_cpu(buf->buffer, cpu);
		}
	}
	cpumask_copy(tr->tracing_cpumask, new);
	for (feature = instance_features; *feature; feature++) {
		if ((*feature)->cpumask_changed)
			(*feature)->cpumask_changed(tr);
	}
}

static ssize_t cpumask_write(struct file *filp, const char __user *ubuf, size_t cnt,
			     loff_t *ppos)
{
	struct trace_array *tr = file_inode(filp)->i_private;
	cpumask_var_t mask;
	int err;

	/* cpumask_parse_user() makes a copy of all of it */
	if (!cnt || cnt > PAGE_SIZE)
		return -EINVAL;
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;

	err = cpumask_parse_user(ubuf, cnt, mask);
	if (!err) {
		guard(mutex)(&trace_types_lock);
		tracing_set_cpumask(tr, mask);
	}
	free_cpumask_var(mask);
	if (err)
		return err;

	*ppos += cnt;
	return cnt;
}

static const struct file_operations tracing_cpumask_fops = {
	.open		= cpumask_open,
	.read		= seq_read,
	.write		= cpumask_write,
	.release	= tracing_single_release_tr,
	.llseek		= seq_lseek,
};

void tracing_cpumask_file(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("tracing_cpumask", TRACE_MODE_WRITE, dir, tr, &tracing_cpumask_fops);
}
