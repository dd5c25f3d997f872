// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock that an instance's entries are stamped with, and whether the stamps are deltas.
 *
 * Files: trace_clock, timestamp_mode.
 */
#include <linux/cleanup.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/trace_clock.h>
#include <linux/uaccess.h>

#include "internal.h"
#include "instance.h"

/* The order is that of the file; an index is what struct trace_array keeps. */
const struct trace_clock_desc trace_clocks[] = {
	{ trace_clock_local,		"local",	true },
	{ trace_clock_global,		"global",	true },
	{ trace_clock_counter,		"counter",	false },
	{ trace_clock_jiffies,		"uptime",	false },
	{ trace_clock,			"perf",		true },
	{ ktime_get_mono_fast_ns,	"mono",		true },
	{ ktime_get_raw_fast_ns,	"mono_raw",	true },
	{ ktime_get_boot_fast_ns,	"boot",		true },
	{ ktime_get_tai_fast_ns,	"tai",		true },
	ARCH_TRACE_CLOCKS
};

/* Index of the clock called @name or -EINVAL. */
int trace_clock_find(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(trace_clocks); i++) {
		if (!strcmp(trace_clocks[i].name, name))
			return i;
	}
	return -EINVAL;
}

/**
 * tracing_set_clock - stamp entries with another clock
 * @tr: instance
 * @name: of the clock
 *
 * Times of two clocks can not be put in order, so the buffer is emptied. Task
 * context, may sleep, takes trace_types_lock.
 *
 * Return: 0 or -EINVAL for a clock that there is not.
 */
int tracing_set_clock(struct trace_array *tr, const char *name)
{
	const struct instance_feature *const *feature;
	int id = trace_clock_find(name);
	struct array_buffer *spare;

	if (id < 0)
		return id;

	guard(mutex)(&trace_types_lock);
	spare = trace_buffers_lock(tr);
	tr->clock_id = id;
	ring_buffer_set_clock(tr->array_buffer.buffer, trace_clocks[id].func);
	if (spare)
		ring_buffer_set_clock(spare->buffer, trace_clocks[id].func);
	/* A CPU that is offline goes on with the new clock when it comes back. */
	tracing_reset_both_locked(tr);
	trace_buffers_unlock(tr);
	for (feature = instance_features; *feature; feature++) {
		if ((*feature)->clock_changed)
			(*feature)->clock_changed(tr);
	}
	return 0;
}

static int clock_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;
	int i, now;

	now = READ_ONCE(tr->clock_id);
	for (i = 0; i < ARRAY_SIZE(trace_clocks); i++)
		seq_printf(m, i == now ? "%s[%s]" : "%s%s", i ? " " : "", trace_clocks[i].name);
	seq_putc(m, '\n');
	return 0;
}

static int timestamp_mode_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;

	guard(mutex)(&trace_types_lock);
	seq_puts(m, ring_buffer_time_stamp_abs(tr->array_buffer.buffer) ?
		 "delta [absolute]\n" : "[delta] absolute\n");
	return 0;
}

static int clock_set(struct trace_array *tr, char *name)
{
	return tracing_set_clock(tr, name);
}

static ssize_t clock_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return tracing_write_name(filp, file_inode(filp)->i_private, ubuf, cnt, ppos, clock_set);
}

TRACE_SHOW_FOPS(clock, clock_write);

TRACE_SHOW_FOPS(timestamp_mode, NULL);

void clock_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("trace_clock", TRACE_MODE_WRITE, dir, tr, &clock_fops);
	trace_create_file("timestamp_mode", TRACE_MODE_READ, dir, tr, &timestamp_mode_fops);
}

#ifdef CONFIG_HAVE_UNSTABLE_SCHED_CLOCK

#define CLOCK_LOCAL	0

/*
 * Where sched_clock() drifts between CPUs, "local" would sort a trace wrongly.
 * By now it is known whether it does.
 */
static int __init clock_check_stable(void)
{
	if (tracing_disabled || sched_clock_stable() || global_trace.clock_id != CLOCK_LOCAL ||
	    boot_clock_given)
		return 0;

	pr_warn("tracing: sched_clock is unstable, stamping with the clock \"global\";\n"
		"         to have the fast one, boot with trace_clock=local\n");
	return tracing_set_clock(&global_trace, "global");
}
late_initcall_sync(clock_check_stable);

#endif /* CONFIG_HAVE_UNSTABLE_SCHED_CLOCK */
