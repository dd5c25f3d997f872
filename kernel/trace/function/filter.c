// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choosing functions for an ops, from kernel code: by name or by address.
 *
 * A filter is replaced as a whole. The sites follow in one pass, so at no moment
 * does an ops see a function that neither the old nor the new filter names.
 */
#include <linux/module.h>

#include "function.h"
#include "instances.h"

static struct ftrace_hash *installed(const struct ftrace_ops *ops, bool exclude)
{
	return exclude ? ftrace_ops_notrace(ops) : ftrace_ops_filter(ops);
}

static void exchange(struct ftrace_ops *ops, struct ftrace_hash *hash, bool exclude)
{
	if (exclude)
		rcu_assign_pointer(ops->func_hash->notrace_hash, hash);
	else
		rcu_assign_pointer(ops->func_hash->filter_hash, hash);
}

/*
 * Make @hash (NULL: all functions, or none notraced) the filter of @ops and of all ops that
 * share it. Takes @hash over, also on error. ftrace_lock.
 *
 * Return: 0; -ENOMEM, -EBUSY, -EINVAL: the old filter stays in force.
 */
int ftrace_hash_install(struct ftrace_ops *ops, struct ftrace_hash *hash, bool exclude)
{
	struct ftrace_hash *old = installed(ops, exclude);
	bool running = false;
	struct ftrace_ops *op;
	int ret;

	do_for_each_ftrace_op(op, ftrace_ops_list) {
		if (op == &ftrace_list_end || op->func_hash != ops->func_hash)
			continue;
		running = true;
		ret = exclude ? 0 : ftrace_check_exclusive(op, hash);
		if (ret) {
			ftrace_hash_free(hash);
			return ret;
		}
	} while_for_each_ftrace_op(op);

	exchange(ops, hash, exclude);
	if (running) {
		ret = ftrace_sites_refresh();
		if (ret) {
			exchange(ops, old, exclude);
			ftrace_sites_refresh();
			ftrace_sets_reap();
			ftrace_hash_free(hash);
			return ret;
		}
		ftrace_run_update(FTRACE_UPDATE_CALLS);
		ftrace_sets_reap();
	}
	ftrace_hash_free(old);
	return ftrace_disabled ? -ENODEV : 0;
}

/* What the filter of @ops is to be built on. */
static struct ftrace_hash *hash_to_change(struct ftrace_ops *ops, bool exclude, bool reset)
{
	ftrace_ops_init(ops);
	return ftrace_hash_dup(reset ? NULL : installed(ops, exclude));
}

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
	hash = hash_to_change(ops, exclude, reset);
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
	ret = ftrace_hash_install(ops, hash, exclude);
out:
	mutex_unlock(&ftrace_lock);
	kfree(text);
	return ret;
}

/**
 * ftrace_set_filter() - choose functions by name
 * @ops:   ops, registered or not
 * @buf:   a name or a glob, ! in front removes; NULL with @reset for all functions
 * @len:   length of @buf
 * @reset: forget what was chosen before
 *
 * Task context, sleeps.
 *
 * Return: 0; -EINVAL if nothing matches, -ENOMEM, -EBUSY, -ENODEV: nothing is changed.
 */
int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	return set_by_name(ops, buf, len, reset, false);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter);

/**
 * ftrace_set_notrace() - exclude functions by name
 * @ops:   ops, registered or not
 * @buf:   as in ftrace_set_filter(); NULL with @reset to exclude none
 * @len:   length of @buf
 * @reset: forget what was excluded before
 *
 * Task context, sleeps. Return: as ftrace_set_filter().
 */
int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	return set_by_name(ops, buf, len, reset, true);
}
EXPORT_SYMBOL_GPL(ftrace_set_notrace);

/* The filters of the top instance, set_ftrace_filter and set_ftrace_notrace. */
void ftrace_set_global_filter(unsigned char *buf, int len, int reset)
{
	set_by_name(&ftrace_global.ops, buf, len, reset, false);
}
EXPORT_SYMBOL_GPL(ftrace_set_global_filter);

void ftrace_set_global_notrace(unsigned char *buf, int len, int reset)
{
	set_by_name(&ftrace_global.ops, buf, len, reset, true);
}
EXPORT_SYMBOL_GPL(ftrace_set_global_notrace);

/**
 * ftrace_set_filter_ips() - choose functions by address
 * @ops:    ops, registered or not
 * @ips:    addresses of functions or of their call sites
 * @cnt:    how many
 * @remove: take them out instead
 * @reset:  forget what was chosen before
 *
 * Task context, sleeps.
 *
 * Return: 0; -EINVAL if one cannot be traced, -ENOENT if one to be removed is not chosen,
 * -ENOMEM, -EBUSY, -ENODEV: nothing is changed.
 */
int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int cnt,
			  int remove, int reset)
{
	struct ftrace_hash *hash;
	unsigned int i;
	int ret = 0;

	if (ftrace_disabled)
		return -ENODEV;
	mutex_lock(&ftrace_lock);
	hash = hash_to_change(ops, false, reset);
	if (!hash)
		ret = -ENOMEM;
	for (i = 0; !ret && i < cnt; i++) {
		unsigned long ip = ftrace_location(ips[i]);

		if (!ip)
			ret = -EINVAL;
		else if (remove)
			ret = ftrace_hash_del(hash, ip) ? 0 : -ENOENT;
		else
			ret = ftrace_hash_add(hash, ip);
	}
	if (ret)
		ftrace_hash_free(hash);
	else
		ret = ftrace_hash_install(ops, hash, false);
	mutex_unlock(&ftrace_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ips);

/**
 * ftrace_set_filter_ip() - choose one function by address
 * @ops:    ops, registered or not
 * @ip:     address of the function or of its call site
 * @remove: take it out instead
 * @reset:  forget what was chosen before
 *
 * Return: as ftrace_set_filter_ips().
 */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset)
{
	return ftrace_set_filter_ips(ops, &ip, 1, remove, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ip);

/**
 * ftrace_free_filter() - forget what an ops that is not registered has chosen
 * @ops: ops
 */
void ftrace_free_filter(struct ftrace_ops *ops)
{
	ftrace_ops_init(ops);
	if (WARN_ON(ops->flags & FTRACE_OPS_FL_ENABLED))
		return;
	mutex_lock(&ftrace_lock);
	ftrace_hash_install(ops, NULL, false);
	ftrace_hash_install(ops, NULL, true);
	mutex_unlock(&ftrace_lock);
}
EXPORT_SYMBOL_GPL(ftrace_free_filter);

/**
 * ftrace_ops_set_global_filter() - obey the filters of the top instance
 * @ops: ops that is not registered yet
 */
void ftrace_ops_set_global_filter(struct ftrace_ops *ops)
{
	if (ops->flags & FTRACE_OPS_FL_INITIALIZED)
		return;
	ops->func_hash = &ftrace_global.ops.local_hash;
	ftrace_ops_init(ops);
}
EXPORT_SYMBOL_GPL(ftrace_ops_set_global_filter);
