// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands that only functions have: dump, cpudump. The first runs once: a function that what is
 * printed leads to would be hit, and print, for ever. The second each time, as on the base.
 *
 * Where interrupts are off the function may have been called with any lock of the scheduler, of a
 * console or of printk() itself: the lines are only left in the kernel's log then, and consoles
 * print them soon after.
 */
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/printk.h>

#include "../../output/output.h"
#include "../../trigger/action.h"

static void dump(enum ftrace_dump_mode mode)
{
	bool later = irqs_disabled();

	if (later)
		printk_deferred_enter();
	ftrace_dump(mode);
	if (later)
		printk_deferred_exit();
}

static void do_dump(struct trace_action_use *use, const struct trace_action_call *call)
{
	dump(DUMP_ALL);
}

static void do_cpudump(struct trace_action_use *use, const struct trace_action_call *call)
{
	dump(DUMP_ORIG);
}

static struct trace_action actions[] = {
	{
		.name	= "dump",
		.flags	= TRACE_ACTION_FUNCTION | TRACE_ACTION_ONCE,
		.run	= do_dump,
	}, {
		.name	= "cpudump",
		.flags	= TRACE_ACTION_FUNCTION | TRACE_ACTION_ALWAYS,
		.run	= do_cpudump,
	},
};

static int __init actions_init(void)
{
	trace_actions_register(actions, ARRAY_SIZE(actions));
	return 0;
}
core_initcall(actions_init);
