// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands that only functions have: dump, cpudump. The first runs once: a function that what is
 * printed leads to would be hit, and print, for ever. The second does as it does on the base.
 */
#include <linux/init.h>
#include <linux/kernel.h>

#include "../../output/output.h"
#include "../../trigger/action.h"

static void do_dump(struct trace_action_use *use, const struct trace_action_call *call)
{
	ftrace_dump(DUMP_ALL);
}

static void do_cpudump(struct trace_action_use *use, const struct trace_action_call *call)
{
	ftrace_dump(DUMP_ORIG);
}

static struct trace_action actions[] = {
	{ .name = "dump", .flags = TRACE_ACTION_FUNCTION | TRACE_ACTION_ONCE, .run = do_dump },
	{ .name = "cpudump", .flags = TRACE_ACTION_FUNCTION, .run = do_cpudump },
};

static int __init actions_init(void)
{
	trace_actions_register(actions, ARRAY_SIZE(actions));
	return 0;
}
core_initcall(actions_init);
