// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which tracers there are, and which one an instance runs.
 *
 * Files: current_tracer, available_tracers.
 */
#include <linux/cleanup.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "internal.h"
#include "instance.h"
#include "tracer.h"

#define MAX_TRACER_NAME	100

/* Linked by their next, newest first; trace_types_lock. */
static struct tracer *tracers;

/* The top instance runs all tracers, others those that can do without what is global. */
static bool tracer_allowed(const struct tracer *tracer, const struct trace_array *tr)
{
	return trace_array_is_top(tr) || tracer->allow_instances;
}

void tracers_for_each_allowed(struct trace_array *tr,
			      void (*fn)(struct trace_array *tr, struct tracer *tracer))
{
	struct tracer *t;

	for (t = tracers; t; t = t->next) {
		if (tracer_allowed(t, tr))
			fn(tr, t);
	}
}

static struct tracer *find_tracer(const char *name)
{
	struct tracer *t = tracers;

	while (t && strcmp(t->name, name))
		t = t->next;
	return t;
}

/**
 * register_tracer - offer a tracer
 * @type: tracer, which stays for good: its name and its callbacks are filled in
 *
 * Task context, may sleep, takes trace_types_lock; from initcalls and, for the
 * first ones, from early boot.
 *
 * Return: 0; -EINVAL without a usable name; -EEXIST when the name is taken;
 * -EPERM when the kernel is locked down.
 */
int register_tracer(struct tracer *type)
{
	struct trace_array *tr;

	if (!type->name || !*type->name || strlen(type->name) >= MAX_TRACER_NAME) {
		pr_err("tracing: a tracer needs a name of 1 to %d characters\n",
		       MAX_TRACER_NAME - 1);
		return -EINVAL;
	}
	if (security_locked_down(LOCKDOWN_TRACEFS)) {
		pr_warn("tracing: no tracer %s, the kernel is locked down\n", type->name);
		return -EPERM;
	}

	scoped_guard(mutex, &trace_types_lock) {
		if (find_tracer(type->name)) {
			pr_err("tracing: there is a tracer %s already\n", type->name);
			return -EEXIST;
		}
		type->next = tracers;
		tracers = type;

		for_each_trace_array(tr) {
			if (tr->has_files && tracer_allowed(type, tr))
				trace_options_add_tracer(tr, type);
		}
	}

	boot_tracer_registered(type);
	return 0;
}

/* Stops what runs; nop is never stopped. trace_types_lock held. */
void tracing_set_nop(struct trace_array *tr)
{
	struct tracer *old = tr->current_trace;

	lockdep_assert_held(&trace_types_lock);
	if (old == &nop_trace)
		return;

	if (old->reset)
		old->reset(tr);
	tr->current_trace = &nop_trace;
}

/* trace_types_lock held */
int __tracing_set_tracer(struct trace_array *tr, const char *name)
{
	struct tracer *new = find_tracer(name);
	int err;

	lockdep_assert_held(&trace_types_lock);
	if (!new || !tracer_allowed(new, tr))
		return -EINVAL;
	if (system_state < SYSTEM_RUNNING && new->noboot) {
		pr_warn("tracing: tracer '%s' can not be started at boot\n", name);
		return -EINVAL;
	}

	/* Who only stops a tracer is not told that there is no memory for the buffer. */
	err = new == &nop_trace && !trace_array_is_top(tr) ? 0 : __tracing_update_buffers(tr);
	if (err && new != &nop_trace)
		return err;
	if (new == tr->current_trace)
		return 0;
	/* A reader of trace_pipe has the old one's callbacks at hand. */
	if (tr->trace_ref)
		return -EBUSY;

	err = new->may_start ? new->may_start(tr) : 0;
	if (err)
		return err;

	tracing_set_nop(tr);
	/* What one tracer recorded is not for another to print; also not for nop, as ever. */
	if (new->init)
		tracing_reset_online_cpus(&tr->array_buffer);
	if (new == &nop_trace)
		return 0;

	if (new->init) {
		err = new->init(tr);
		if (err)
			return err;
	}
	tr->current_trace = new;
	return 0;
}

/**
 * tracing_set_tracer - run a tracer on an instance
 * @tr: instance
 * @name: of the tracer
 *
 * The one that runs is stopped first. Task context, may sleep, takes
 * trace_types_lock.
 *
 * Return: 0; -EINVAL for a tracer that there is not or that can not run here;
 * -EBUSY while trace_pipe is read, or what its may_start() says; or the error of its
 * init(), and then nop runs.
 */
int tracing_set_tracer(struct trace_array *tr, const char *name)
{
	guard(mutex)(&trace_types_lock);
	return __tracing_set_tracer(tr, name);
}

/* current_tracer */

static ssize_t current_tracer_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = filp->private_data;
	const char *name;

	/* of a tracer, which stays */
	scoped_guard(mutex, &trace_types_lock)
		name = tr->current_trace->name;
	return tracing_read_printf(ubuf, cnt, ppos, "%s\n", name);
}

static int current_tracer_set(struct trace_array *tr, char *name)
{
	return tracing_set_tracer(tr, name);
}

static ssize_t current_tracer_write(struct file *filp, const char __user *ubuf, size_t cnt,
				    loff_t *ppos)
{
	return tracing_write_name(filp, filp->private_data, ubuf, cnt, ppos, current_tracer_set);
}

static const struct file_operations current_tracer_fops = {
	TRACE_READ_OPS_TR(current_tracer_read),
	.write		= current_tracer_write,
};

/* available_tracers */

static int available_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;
	const char *gap = "";
	struct tracer *t;

	guard(mutex)(&trace_types_lock);
	for (t = tracers; t; t = t->next) {
		if (!tracer_allowed(t, tr))
			continue;
		seq_printf(m, "%s%s", gap, t->name);
		gap = " ";
	}
	seq_putc(m, '\n');
	return 0;
}

TRACE_SHOW_FOPS(available, NULL);

static void tracer_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("current_tracer", TRACE_MODE_WRITE, dir, tr, &current_tracer_fops);
	trace_create_file("available_tracers", TRACE_MODE_READ, dir, tr, &available_fops);
}

/* An option may be what the running tracer can not do without. */
static int tracer_flag_changed(struct trace_array *tr, unsigned long mask, bool enable)
{
	struct tracer *t = tr->current_trace;

	return t->flag_changed ? t->flag_changed(tr, mask, enable) : 0;
}

const struct instance_feature instance_tracer_feature = {
	.name		= "tracer",
	.files		= tracer_files,
	.flag_changed	= tracer_flag_changed,
};
