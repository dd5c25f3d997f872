// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call site that is broken on purpose: /sys/module/function_tracing/parameters/break_site takes
 * the name of a function, and turns the nops at its entry into a call that its
 * record knows nothing of. Whoever patches it next finds text that should not be there.
 */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "function.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "function_tracing."

static int break_rec(unsigned long ip, void *unused)
{
	struct dyn_ftrace *rec = ftrace_lookup_rec(ip, ip);

	if (rec->target)
		return -EBUSY;
	return ftrace_make_call(rec, FTRACE_ADDR);
}

static int break_site_set(const char *val, const struct kernel_param *kp)
{
	char *name = kstrdup(val, GFP_KERNEL);
	struct ftrace_pattern pattern;
	int ret;

	if (!name)
		return -ENOMEM;
	ftrace_pattern_parse(strim(name), &pattern);
	mutex_lock(&ftrace_lock);
	if (pattern.type != FTRACE_MATCH_FULL || pattern.not) {
		ret = -EINVAL;
	} else {
		ftrace_arch_code_modify_prepare();
		ret = ftrace_match_records(&pattern, NULL, break_rec, NULL);
		ftrace_arch_code_modify_post_process();
	}
	mutex_unlock(&ftrace_lock);
	kfree(name);
	if (ret > 0)
		return 0;
	return ret ?: -ENOENT;
}

static const struct kernel_param_ops break_site_ops = {
	.set = break_site_set,
};

module_param_cb(break_site, &break_site_ops, NULL, 0200);
