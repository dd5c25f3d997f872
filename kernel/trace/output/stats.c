// SPDX-License-Identifier: GPL-2.0-only
/* per_cpu/cpuN/stats: what the ring buffer counts for a CPU. */
#include <linux/seq_file.h>

#include "../printf.h"
#include "internal.h"

static void show_time(struct seq_file *m, struct trace_array *tr, const char *name, u64 ts)
{
	u32 us;

	if (!trace_clock_in_ns(tr)) {
		seq_printf(m, "%s: %llu\n", name, ts);
		return;
	}
	ts = div_u64_rem(trace_ns_to_us(ts), USEC_PER_SEC, &us);
	seq_printf(m, "%s: %5llu.%06u\n", name, ts, us);
}

static int stats_show(struct seq_file *m, void *v)
{
	struct inode *inode = m->private;
	struct trace_array *tr = inode->i_private;
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	int cpu = tracing_get_cpu(inode);

	seq_printf(m, "entries: %lu\n", ring_buffer_entries_cpu(buffer, cpu));
	seq_printf(m, "overrun: %lu\n", ring_buffer_overrun_cpu(buffer, cpu));
	seq_printf(m, "commit overrun: %lu\n", ring_buffer_commit_overrun_cpu(buffer, cpu));
	seq_printf(m, "bytes: %lu\n", ring_buffer_bytes_cpu(buffer, cpu));
	show_time(m, tr, "oldest event ts", ring_buffer_oldest_event_ts(buffer, cpu));
	show_time(m, tr, "now ts", ring_buffer_time_stamp(buffer));
	seq_printf(m, "dropped events: %lu\n", ring_buffer_dropped_events_cpu(buffer, cpu));
	seq_printf(m, "read events: %lu\n", ring_buffer_read_events_cpu(buffer, cpu));
	return 0;
}

static int stats_open(struct inode *inode, struct file *file)
{
	return tracing_single_open_tr(inode, file, stats_show, inode);
}

const struct file_operations trace_stats_fops = {
	TRACE_SEQ_OPS(stats_open, tracing_single_release_tr),
};
