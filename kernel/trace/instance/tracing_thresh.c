// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracing_thresh: latency tracers record what takes longer, in microseconds; 0 lets them
 * look for the longest. One for all, so only the top instance has the file.
 */
#include <linux/cleanup.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/time64.h>
#include <linux/uaccess.h>

#include "internal.h"
#include "instance.h"
#include "tracer.h"

/* ns */
unsigned long tracing_thresh __read_mostly;

static ssize_t thresh_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return tracing_read_printf(ubuf, cnt, ppos, "%lu\n",
				   READ_ONCE(tracing_thresh) / NSEC_PER_USEC);
}

static int tell_tracer(struct trace_array *tr)
{
	return tr->current_trace->update_thresh ? tr->current_trace->update_thresh(tr) : 0;
}

/**
 * tracing_set_thresh - let latency tracers record what takes longer
 * @ns: nanoseconds, 0 for the longest
 *
 * Task context, trace_types_lock held.
 *
 * Return: 0, or why a tracer can not do with it, and then all have the old one.
 */
int tracing_set_thresh(unsigned long ns)
{
	unsigned long old = tracing_thresh;
	struct trace_array *tr;
	int err;

	lockdep_assert_held(&trace_types_lock);

	WRITE_ONCE(tracing_thresh, ns);
	for_each_trace_array(tr) {
		err = tell_tracer(tr);
		if (err)
			break;
	}
	if (list_entry_is_head(tr, &ftrace_trace_arrays, list))
		return 0;

	/* Who refused has kept what it had; those asked before it go back. */
	WRITE_ONCE(tracing_thresh, old);
	list_for_each_entry_continue_reverse(tr, &ftrace_trace_arrays, list)
		WARN_ON_ONCE(tell_tracer(tr));
	return err;
}

static int thresh_set(struct file *filp, unsigned long us)
{
	if (us > LONG_MAX / NSEC_PER_USEC)
		return -EINVAL;

	guard(mutex)(&trace_types_lock);
	return tracing_set_thresh(us * NSEC_PER_USEC);
}

TRACE_NUMBER_FOPS_TR(thresh);

void thresh_file(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("tracing_thresh", TRACE_MODE_WRITE, dir, tr, &thresh_fops);
}

static int __init tracing_thresh_setup(char *str)
{
	unsigned long us;

	if (kstrtoul(str, 0, &us) || us > LONG_MAX / NSEC_PER_USEC)
		return 0;
	tracing_thresh = us * NSEC_PER_USEC;
	return 1;
}
__setup("tracing_thresh=", tracing_thresh_setup);
