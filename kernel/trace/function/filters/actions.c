// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands that only functions have: dump, cpudump. Once: a function that what is printed leads to
 * would be hit, and print, for ever.
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

#define DUMP_FLAGS	(TRACE_ACTION_FUNCTION | TRACE_ACTION_ONCE)

static struct trace_action actions[] = {
	{ .name = "dump",	.flags = DUMP_FLAGS,	.run = do_dump },
	{ .name = "cpudump",	.flags = DUMP_FLAGS,	.run = do_cpudump },
};

static int __init actions_init(void)
{
	trace_actions_register(actions, ARRAY_SIZE(actions));
	return 0;
}
core_initcall(actions_init);
