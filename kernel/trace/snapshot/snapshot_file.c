// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of snapshots: snapshot, per_cpu/cpuN/snapshot, per_cpu/cpuN/snapshot_raw.
 *
 * Written to `snapshot`, 1 takes one, and has a spare buffer first if there is none; 0 gives it
 * back; any other number empties it. Read, it is `trace` of the spare.
 */
#include <linux/cleanup.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "../instance/tracer.h"
#include "../output/output.h"
#include "internal.h"

/* What can be written, in the words of old. */
static const char commands_all[] =
	"# echo 0 > snapshot : Clears and frees snapshot buffer\n"
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer.\n"
	"# echo 2 > snapshot : Clears snapshot buffer (but does not allocate or free)\n";

static const char commands_cpu[] =
	"# echo 0 > snapshot : Invalid for per_cpu snapshot file.\n"
#ifdef CONFIG_TRACER_SNAPSHOT_PER_CPU_SWAP
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer for this cpu.\n"
#else
	"# echo 1 > snapshot : Not supported with this kernel.\n"
	"#                     Must use main snapshot file to allocate.\n"
#endif
	"# echo 2 > snapshot : Clears this cpu's snapshot buffer (but does not allocate)\n";

/* There is nothing to show: say what could be done. */
static void print_empty(struct seq_file *m, struct trace_iterator *iter)
{
	if (rcu_access_pointer(iter->tr->spare))
		seq_puts(m, "#\n# * Snapshot is allocated *\n#\n");
	else
		seq_puts(m, "#\n# * Snapshot is freed *\n#\n");
	seq_puts(m, "# Snapshot commands:\n");
	seq_puts(m, iter->cpu_file == RING_BUFFER_ALL_CPUS ? commands_all : commands_cpu);
	seq_puts(m, "#                      (Doesn't have to be '2' works with any number that\n"
		    "#                       is not a '0' or '1')\n");
}

static int snapshot_open(struct inode *inode, struct file *file)
{
	return trace_file_open_spare(inode, file, print_empty);
}

/*
 * Somebody else decides when, and what was found is to be there for who comes to look. Asked with
 * spare_lock held, with which he takes it over.
 */
static bool others_decide(struct trace_array *tr)
{
	return READ_ONCE(snapshot_of(tr)->update);
}

/* 1 was written. trace_types_lock held */
static int write_take(struct trace_array *tr, int cpu)
{
	int ret;

	if (cpu != RING_BUFFER_ALL_CPUS && !IS_ENABLED(CONFIG_TRACER_SNAPSHOT_PER_CPU_SWAP))
		return -EINVAL;

	guard(mutex)(&tr->spare_lock);
	if (others_decide(tr) || snapshot_of(tr)->mapped)
		return -EBUSY;
	ret = snapshot_want(tr);
	return ret ?: snapshot_take_now(tr, cpu);
}

/* 0 was written. */
static int write_free(struct trace_array *tr, int cpu)
{
	if (cpu != RING_BUFFER_ALL_CPUS)
		return -EINVAL;
	guard(mutex)(&tr->spare_lock);
	if (others_decide(tr))
		return -EBUSY;
	snapshot_unwant(tr);
	return 0;
}

/* Another number was. */
static int write_empty(struct trace_array *tr, int cpu)
{
	struct array_buffer *spare = trace_buffers_lock(tr);
	bool busy = others_decide(tr);

	if (!busy)
		trace_spare_reset(spare, cpu);
	trace_buffers_unlock(tr);
	return busy ? -EBUSY : 0;
}

/* A number was written; KUnit writes some, too. */
int snapshot_file_set(struct file *file, unsigned long value)
{
	struct trace_array *tr = file_inode(file)->i_private;
	int cpu = tracing_get_cpu(file_inode(file));
	int ret;

	/* what is recorded from now on is to have its place; who gives memory back needs none */
	ret = tracing_update_buffers(tr);
	if (ret && value == 1)
		return ret;

	guard(mutex)(&trace_types_lock);
	/* it is a tracer's now, see snapshot_claim() */
	if (tr->current_trace->print_max)
		return -EBUSY;
	switch (value) {
	case 0:
		return write_free(tr, cpu);
	case 1:
		return write_take(tr, cpu);
	default:
		return write_empty(tr, cpu);
	}
}

static ssize_t snapshot_write(struct file *file, const char __user *ubuf, size_t count,
			      loff_t *ppos)
{
	return tracing_write_number(file, file_inode(file)->i_private, ubuf, count, ppos,
				    snapshot_file_set);
}

static const struct file_operations snapshot_fops = {
	TRACE_FILE_OPS(snapshot_open, snapshot_write),
};

void snapshot_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("snapshot", TRACE_MODE_WRITE, dir, tr, &snapshot_fops);
}

void snapshot_cpu_files(struct trace_array *tr, struct dentry *dir, int cpu)
{
	trace_create_cpu_file("snapshot", TRACE_MODE_WRITE, dir, tr, cpu, &snapshot_fops);
	trace_create_cpu_file("snapshot_raw", TRACE_MODE_READ, dir, tr, cpu, &trace_spare_raw_fops);
}
