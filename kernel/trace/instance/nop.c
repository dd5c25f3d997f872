// SPDX-License-Identifier: GPL-2.0-only
/*
 * nop: what runs when no tracer does. Its two options let user space try what
 * an accepted and a refused option look like.
 */
#include <linux/printk.h>

#include "instance.h"
#include "tracer.h"

enum {
	NOP_OPT_ACCEPT	= BIT(0),
	NOP_OPT_REFUSE	= BIT(1),
};

static struct tracer_opt nop_opts[] = {
	{ TRACER_OPT(test_nop_accept, NOP_OPT_ACCEPT) },
	{ TRACER_OPT(test_nop_refuse, NOP_OPT_REFUSE) },
	{ }
};

static struct tracer_flags nop_flags = {
	.opts = nop_opts,
};

static int nop_init(struct trace_array *tr)
{
	return 0;
}

static int nop_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, int set)
{
	bool refused = bit == NOP_OPT_REFUSE;

	pr_debug("nop tracer: option %#x to %d is %s\n", bit, set,
		 refused ? "refused" : "taken");
	return refused ? -EINVAL : 0;
}

struct tracer nop_trace = {
	.name		 = "nop",
	.init		 = nop_init,
	.set_flag	 = nop_set_flag,
	.flags		 = &nop_flags,
	.allow_instances = true,
};
