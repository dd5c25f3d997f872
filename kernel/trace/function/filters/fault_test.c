// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call site that is broken on purpose: /sys/module/function_tracing/parameters/break_site takes
 * the name of a function, and turns the nops at its entry into a call that its
 * record knows nothing of. With a ! in front it is the other way round: a call into nops.
 * Whoever patches it next finds text that should not be there.
 *
 * And a warning that is about nothing, by a write to "warn" beside it.
 */
#include <linux/bug.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#ifdef CONFIG_X86
#include <asm/nops.h>
#include <asm/text-patching.h>
#endif

#include "../sites/sites.h"
#include "filters.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "function_tracing."

#ifdef CONFIG_X86
/* Its ftrace_make_nop() is for text that does not run yet. */
static int make_nop(struct dyn_ftrace *rec)
{
	text_poke_queue((void *)rec->ip, x86_nops[MCOUNT_INSN_SIZE], MCOUNT_INSN_SIZE, NULL);
	return 0;
}
#else
static int make_nop(struct dyn_ftrace *rec)
{
	return ftrace_make_nop(NULL, rec, rec->target);
}
#endif

static int break_rec(unsigned long ip, void *off)
{
	struct dyn_ftrace *rec = ftrace_lookup_rec(ip, ip);

	if (off)
		return rec->target ? make_nop(rec) : -EBUSY;
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
	if (!ftrace_pattern_is_name(&pattern)) {
		ret = -EINVAL;
	} else {
		ftrace_text_begin();
		ret = ftrace_match_records(&pattern, NULL, break_rec,
					   pattern.not ? &pattern : NULL);
		ftrace_text_end();
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

static int warn_set(const char *val, const struct kernel_param *kp)
{
	WARN(1, "a test wants it: %s", val);
	return 0;
}

static const struct kernel_param_ops warn_ops = {
	.set = warn_set,
};

module_param_cb(warn, &warn_ops, NULL, 0200);
