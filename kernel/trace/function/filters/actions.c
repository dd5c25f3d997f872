// SPDX-License-Identifier: GPL-2.0-only
/* Function commands that need only the instance: traceon, traceoff, stacktrace, dump, cpudump. */
#include <linux/init.h>
#include <linux/kernel.h>

#include "../../record/write.h"
#include "../../output/output.h"
#include "instances.h"

static bool is_on(struct trace_array *tr, void *data)
{
	return tracer_tracing_is_on(tr);
}

static bool is_off(struct trace_array *tr, void *data)
{
	return !tracer_tracing_is_on(tr);
}

static void do_traceon(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
		       void *data)
{
	tracer_tracing_on(tr);
}

static void do_traceoff(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
			void *data)
{
	tracer_tracing_off(tr);
}

static void do_stacktrace(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
			  void *data)
{
	trace_function_stack(tr, tracing_gen_ctx(), ip);
}

static void do_dump(struct trace_array *tr, unsigned long ip, unsigned long parent_ip, void *data)
{
	ftrace_dump(DUMP_ALL);
}

static void do_cpudump(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
		       void *data)
{
	ftrace_dump(DUMP_ORIG);
}

static struct ftrace_probe_type actions[] = {
	{ .name = "traceon",	.call = do_traceon,	.idle = is_on,	.latches = true },
	{ .name = "traceoff",	.call = do_traceoff,	.idle = is_off,	.latches = true },
	{ .name = "stacktrace",	.call = do_stacktrace,	.idle = is_off },
	{ .name = "dump",	.call = do_dump },
	{ .name = "cpudump",	.call = do_cpudump },
};

static int __init actions_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(actions); i++)
		ftrace_register_command(&actions[i]);
	return 0;
}
core_initcall(actions_init);
