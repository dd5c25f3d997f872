// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sysctl ftrace_enabled: without it only PERMANENT ops are called.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/sysctl.h>

#include "sites.h"

int ftrace_enabled __read_mostly = 1;
int ftrace_enabled_now = 1;

static bool has_permanent_ops(void)
{
	struct ftrace_ops *op;

	do_for_each_ftrace_op(op, ftrace_ops_list) {
		if ((op->flags & FTRACE_OPS_FL_PERMANENT) && (op->flags & FTRACE_OPS_FL_ENABLED))
			return true;
	} while_for_each_ftrace_op(op);
	return false;
}

/* set at boot; NULL for nobody */
static void (*ftrace_sites_switch)(bool on);

void __init ftrace_sites_switch_register(void (*fn)(bool on))
{
	ftrace_sites_switch = fn;
}

/* The value of kernel.ftrace_enabled. ftrace_lock; 0 or why it stays what it was. */
int ftrace_enabled_set(int value)
{
	int ret;

	if (ftrace_disabled)
		return -ENODEV;
	if (!value && ftrace_enabled_now && has_permanent_ops())
		return -EBUSY;
	ftrace_enabled = value;
	if (ftrace_enabled_now == !!value)
		return 0;
	ftrace_enabled_now = !!value;
	if (!ftrace_enabled_now) {
		ftrace_sites_reduce();
		return 0;
	}
	ret = ftrace_sites_update();
	if (ret) {
		ftrace_enabled_now = 0;
		ftrace_enabled = 0;
	}
	ftrace_sites_settle(ret);
	return ret;
}

static int enabled_sysctl(const struct ctl_table *table, int write, void *buffer,
			  size_t *lenp, loff_t *ppos)
{
	static DEFINE_MUTEX(sysctl_mutex);	/* who is told twice is told the last one last */
	struct ctl_table parsed = *table;
	int value, ret;

	if (ftrace_disabled)
		return -ENODEV;
	guard(mutex)(&sysctl_mutex);
	value = ftrace_enabled;
	parsed.data = &value;
	ret = proc_dointvec(&parsed, write, buffer, lenp, ppos);
	if (ret || !write)
		return ret;
	if (!value && ftrace_sites_switch)
		ftrace_sites_switch(false);
	scoped_guard(mutex, &ftrace_lock)
		ret = ftrace_enabled_set(value);
	if (ftrace_enabled_now && ftrace_sites_switch)
		ftrace_sites_switch(true);
	return ret;
}

static struct ctl_table ftrace_sysctls[] = {
	{
		.procname	= "ftrace_enabled",
		.data		= &ftrace_enabled,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= enabled_sysctl,
	},
};

static int __init ftrace_sysctl_init(void)
{
	register_sysctl_init("kernel", ftrace_sysctls);
	return 0;
}
late_initcall(ftrace_sysctl_init);
