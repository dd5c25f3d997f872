// SPDX-License-Identifier: GPL-2.0-only
/*
 * tp_printk: events go to the console as well, for a boot that hangs before
 * anybody can read a trace. Only who said so on the command line can have it.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sysctl.h>
#include <linux/trace_events.h>

#include "../lock_once.h"
#include "../record/record.h"
#include "internal.h"

/* /proc/sys/kernel/tracepoint_printk */
int tracepoint_printk;

DEFINE_STATIC_KEY_FALSE(tracepoint_printk_key);

static bool stop_on_boot __initdata;
static struct trace_iterator *console_iter;
DEFINE_RAW_SPINLOCK(trace_console_lock);

/* This CPU prints, or waits until it may. */
static DEFINE_PER_CPU(bool, console_here);

/**
 * trace_console_take - become the one who prints
 * @flags: set to interrupts as they were, for trace_console_give()
 *
 * An NMI may have come upon the holder of the lock; so who trace_cannot_wait() does not.
 *
 * Context: any. Return: false for an event from within printk() or the lock here, and for who
 * cannot wait when somebody prints.
 */
bool trace_console_take(unsigned long *flags)
{
	return trace_trylock_once(&trace_console_lock, &console_here, flags);
}

/**
 * trace_console_give - end of trace_console_take()
 * @flags: from there
 *
 * Context: as there.
 */
void trace_console_give(unsigned long flags)
{
	trace_unlock_once(&trace_console_lock, &console_here, flags);
}

/**
 * output_printk - print an event to the console
 * @fbuffer:	event, its entry is complete
 *
 * Context: any. What the console itself does while it prints an event is not printed, nor
 * is, while another one is being printed, an event of who trace_cannot_wait().
 */
void output_printk(struct trace_event_buffer *fbuffer)
{
	struct trace_event *event = &fbuffer->trace_file->event_call->event;
	struct trace_iterator *iter = console_iter;
	unsigned long flags;

	if (!iter || !event->funcs || !event->funcs->trace)
		return;
	if (!trace_console_take(&flags))
		return;
	trace_seq_init(&iter->seq);
	iter->ent = fbuffer->entry;
	iter->ent_size = ring_buffer_event_length(fbuffer->slot.event);
	event->funcs->trace(iter, 0, event);
	/* also where it did not fit: behind it stands what was printed before */
	iter->seq.buffer[trace_seq_used(&iter->seq)] = 0;
	printk(KERN_DEFAULT "%s", iter->seq.buffer);
	trace_console_give(flags);
}

/* At boot, or one at a time. */
static void tp_printk_set(bool on)
{
	if (static_key_enabled(&tracepoint_printk_key) == on)
		return;
	if (on) {
		static_branch_enable(&tracepoint_printk_key);
		static_branch_inc(&trace_event_copied);
	} else {
		static_branch_disable(&tracepoint_printk_key);
		static_branch_dec(&trace_event_copied);
	}
}

/**
 * tracepoint_printk_sysctl - kernel.tracepoint_printk
 * @table:	sysctl
 * @write:	is it a write?
 * @buffer:	text
 * @lenp:	its length
 * @ppos:	position
 *
 * Context: task.
 * Return: as proc_dointvec(). Without tp_printk on the command line the value stays 0.
 */
int tracepoint_printk_sysctl(const struct ctl_table *table, int write, void *buffer, size_t *lenp,
			     loff_t *ppos)
{
	static DEFINE_MUTEX(lock);
	int ret;

	mutex_lock(&lock);
	ret = proc_dointvec(table, write, buffer, lenp, ppos);
	if (!console_iter)
		tracepoint_printk = 0;
	if (write && !ret)
		tp_printk_set(tracepoint_printk);
	mutex_unlock(&lock);
	return ret;
}

/* The top instance comes first, and at boot. */
static int tp_printk_init(struct trace_array *tr)
{
	struct trace_iterator *iter;

	if (!trace_array_is_top(tr) || !tracepoint_printk)
		return 0;
	iter = trace_iter_alloc(tr, RING_BUFFER_ALL_CPUS);
	if (!iter) {
		tracepoint_printk = 0;
		return 0;
	}
	iter->iter_flags |= TRACE_FILE_ATOMIC;
	console_iter = iter;
	tp_printk_set(true);
	return 0;
}

const struct instance_feature tp_printk_feature = {
	.name	= "tp_printk",
	.init	= tp_printk_init,
};

static int __init set_tp_printk(char *str)
{
	/* "tp_printk_stop_on_boot" begins alike */
	if (*str == '_')
		return 0;
	tracepoint_printk = strcmp(str, "=0") && strcmp(str, "=off");
	return 1;
}
__setup("tp_printk", set_tp_printk);

static int __init set_stop_on_boot(char *str)
{
	stop_on_boot = true;
	return 1;
}
__setup("tp_printk_stop_on_boot", set_stop_on_boot);

static int __init tp_printk_stop(void)
{
	if (stop_on_boot && tracepoint_printk) {
		tracepoint_printk = 0;
		tp_printk_set(false);
	}
	return 0;
}
late_initcall_sync(tp_printk_stop);
