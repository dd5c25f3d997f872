// SPDX-License-Identifier: GPL-2.0-only
/* Choosing functions for an ops by name, from kernel code: ftrace_set_filter() and its like. */
#include <linux/ftrace.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../sites/sites.h"
#include "filters.h"
#include "internal.h"

static int set_by_name(struct ftrace_ops *ops, const char *buf, int len, bool reset, bool exclude)
{
	struct ftrace_pattern pattern;
	struct ftrace_hash *hash;
	char *text = NULL;
	int ret;

	if (ftrace_disabled)
		return -ENODEV;
	if (buf) {
		text = kmemdup_nul(buf, len, GFP_KERNEL);
		if (!text)
			return -ENOMEM;
		ftrace_pattern_parse(strim(text), &pattern);
	}

	mutex_lock(&ftrace_lock);
	if (!text) {
		ftrace_ops_init(ops);
		ret = reset ? ftrace_hash_install(ops, NULL, exclude) : 0;
		goto out;
	}
	if (pattern.not && !exclude && !reset && ftrace_ops_filter(ops)) {
		ret = ftrace_match_hash(&pattern, ftrace_ops_filter(ops));
		/* Also when the walk ended early: sites follow what was deleted by then. */
		if (ret)
			ftrace_filter_reduced(ops);
		ret = ret > 0 ? 0 : ret ?: -EINVAL;
		goto out;
	}
	hash = ftrace_hash_to_change(ops, exclude, reset);
	if (!hash) {
		ret = -ENOMEM;
		goto out;
	}
	ret = ftrace_match_hash(&pattern, hash);
	if (ret <= 0) {
		ftrace_hash_free(hash);
		ret = ret ?: -EINVAL;
		goto out;
	}
	/* As in filter_commit(): to take functions away from all cannot be said in a filter. */
	if (pattern.not && !hash->count && (exclude || reset || !ftrace_ops_filter(ops))) {
		ftrace_hash_free(hash);
		hash = NULL;
	}
	ret = ftrace_hash_install(ops, hash, exclude);
out:
	mutex_unlock(&ftrace_lock);
	kfree(text);
	return ret;
}

/**
 * ftrace_set_filter - choose functions by name
 * @ops:   ops, registered or not
 * @buf:   a name or a glob, ! in front removes; NULL with @reset for all functions
 * @len:   length of @buf
 * @reset: forget what was chosen before
 *
 * Context: task, sleeps; takes ftrace_lock.
 * Return: 0; -EINVAL if nothing matches, -ENOMEM, -EBUSY, -ENODEV: nothing is changed.
 */
int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	return set_by_name(ops, buf, len, reset, false);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter);

/**
 * ftrace_set_notrace - exclude functions by name
 * @ops:   ops, registered or not
 * @buf:   as in ftrace_set_filter(); NULL with @reset to exclude none
 * @len:   length of @buf
 * @reset: forget what was excluded before
 *
 * Context: task, sleeps; takes ftrace_lock.
 * Return: as ftrace_set_filter().
 */
int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	return set_by_name(ops, buf, len, reset, true);
}
EXPORT_SYMBOL_GPL(ftrace_set_notrace);

/* The filters of the top instance, set_ftrace_filter and set_ftrace_notrace. */
void ftrace_set_global_filter(unsigned char *buf, int len, int reset)
{
	set_by_name(&ftrace_global.shared.ops, buf, len, reset, false);
}
EXPORT_SYMBOL_GPL(ftrace_set_global_filter);

void ftrace_set_global_notrace(unsigned char *buf, int len, int reset)
{
	set_by_name(&ftrace_global.shared.ops, buf, len, reset, true);
}
EXPORT_SYMBOL_GPL(ftrace_set_global_notrace);

/**
 * ftrace_ops_set_global_filter - obey the filters of the top instance
 * @ops: ops that is not registered yet
 *
 * Context: task.
 */
void ftrace_ops_set_global_filter(struct ftrace_ops *ops)
{
	if (ops->flags & FTRACE_OPS_FL_INITIALIZED)
		return;
	ops->func_hash = &ftrace_global.shared.ops.local_hash;
	ftrace_ops_init(ops);
}
EXPORT_SYMBOL_GPL(ftrace_ops_set_global_filter);
