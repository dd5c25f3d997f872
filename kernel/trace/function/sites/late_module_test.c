// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that is run when it goes, and when nobody knows its call sites any more: rmmod waits for
 * what its exit has left to do, and up to then a write to its parameter "call" calls
 * late_module_called(). A write to "end" lets it go; it does so by itself after a minute.
 */
#include <linux/async.h>
#include <linux/delay.h>
#include <linux/module.h>

static bool end;
module_param(end, bool, 0200);

static noinline void late_module_called(void)
{
	barrier();	/* a call of what is empty is a call */
}

static noinline int late_module_call(const char *val, const struct kernel_param *kp)
{
	late_module_called();
	barrier();	/* it comes back: nothing is left out */
	return 0;
}

static const struct kernel_param_ops call_ops = {
	.set = late_module_call,
};

module_param_cb(call, &call_ops, NULL, 0200);

static void late_module_wait(void *data, async_cookie_t cookie)
{
	for (int i = 0; i < 1200 && !READ_ONCE(end); i++)
		msleep(50);
}

static int __init late_module_init(void)
{
	return 0;
}

static void __exit late_module_exit(void)
{
	async_schedule(late_module_wait, NULL);
}

module_init(late_module_init);
module_exit(late_module_exit);

MODULE_DESCRIPTION("A module for tests of function tracing, run when its call sites are forgotten");
MODULE_LICENSE("GPL");
