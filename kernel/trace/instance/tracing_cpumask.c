// SPDX-License-Identifier: GPL-2.0-only
/* On which CPUs does the instance record? */
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/seq_file.h>

#include "internal.h"
#include "instance.h"

static int cpumask_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;

	guard(mutex)(&trace_types_lock);
	seq_printf(m, "%*pb\n", cpumask_pr_args(tr->tracing_cpumask));
	return 0;
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

static int cpumask_set(struct trace_array *tr, const struct cpumask *new)
{
	guard(mutex)(&trace_types_lock);
	tracing_set_cpumask(tr, new);
	return 0;
}

static ssize_t cpumask_write(struct file *filp, const char __user *ubuf, size_t cnt,
			     loff_t *ppos)
{
	return tracing_write_cpus(filp, file_inode(filp)->i_private, ubuf, cnt, ppos,
				  cpumask_parse_user, cpumask_set);
}

TRACE_SHOW_FOPS(cpumask, cpumask_write);

void tracing_cpumask_file(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("tracing_cpumask", TRACE_MODE_WRITE, dir, tr, &cpumask_fops);
}
