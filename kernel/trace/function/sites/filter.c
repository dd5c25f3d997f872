// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions that an ops has chosen: its two hashes, and choosing by address.
 *
 * A filter is replaced as a whole. The sites follow in one pass, so at no moment
 * does an ops see a function that neither the old nor the new filter names.
 */
#include <linux/module.h>

#include "sites.h"

static struct ftrace_hash *installed(const struct ftrace_ops *ops, bool exclude)
{
	return exclude ? ftrace_ops_notrace(ops) : ftrace_ops_filter(ops);
}

static void hashes_exchange(struct ftrace_ops *ops, struct ftrace_hash *filter,
			    struct ftrace_hash *exclude)
{
	rcu_assign_pointer(ops->func_hash->filter_hash, filter);
	rcu_assign_pointer(ops->func_hash->notrace_hash, exclude);
}

/* Those that are empty are one: who empties a filter need not free it, see livepatch/patch.c. */
static struct ftrace_hash *normal_form(struct ftrace_hash *hash)
{
	if (!hash || hash->count || hash == &ftrace_hash_none)
		return hash;
	ftrace_hash_free(hash);
	return &ftrace_hash_none;
}

static bool is_running(const struct ftrace_ops *ops)
{
	struct ftrace_ops *op;

	do_for_each_ftrace_op(op, ftrace_ops_list) {
		if (op != &ftrace_list_end && op->func_hash == ops->func_hash)
			return true;
	} while_for_each_ftrace_op(op);
	return false;
}

static int check_all_exclusive(const struct ftrace_ops *ops, struct ftrace_hash *filter)
{
	struct ftrace_ops *op;
	int ret;

	do_for_each_ftrace_op(op, ftrace_ops_list) {
		if (op == &ftrace_list_end || op->func_hash != ops->func_hash)
			continue;
		ret = ftrace_check_exclusive(op, filter);
		if (ret)
			return ret;
	} while_for_each_ftrace_op(op);
	return 0;
}

/**
 * ftrace_hashes_install - change the filters of an ops, and of all that share them, in one pass
 * @ops:     ops
 * @filter:  NULL for all functions; what is in force to leave it
 * @exclude: NULL to exclude none; what is in force to leave it
 *
 * Takes the hashes over, also on error.
 *
 * Context: task, ftrace_lock.
 * Return: 0; -ENOMEM, -EBUSY, -EINVAL, -ENODEV: the old filters stay in force.
 */
int ftrace_hashes_install(struct ftrace_ops *ops, struct ftrace_hash *filter,
			  struct ftrace_hash *exclude)
{
	struct ftrace_hash *old_filter = ftrace_ops_filter(ops);
	struct ftrace_hash *old_exclude = ftrace_ops_notrace(ops);
	bool running = is_running(ops);
	int ret = 0;

	if (filter != old_filter)
		filter = normal_form(filter);
	if (exclude != old_exclude)
		exclude = normal_form(exclude);
	if (running && ftrace_disabled)
		ret = -ENODEV;
	else if (filter != old_filter)
		ret = check_all_exclusive(ops, filter);
	if (ret)
		goto refused;

	hashes_exchange(ops, filter, exclude);
	if (running) {
		ret = ftrace_sites_filter_changed(ops, old_filter, old_exclude);
		if (ret)
			hashes_exchange(ops, old_filter, old_exclude);
		ftrace_sites_settle(ret);
	}
	if (ret)
		goto refused;
	if (old_filter != filter)
		ftrace_hash_free(old_filter);
	if (old_exclude != exclude)
		ftrace_hash_free(old_exclude);
	return 0;

refused:
	if (filter != old_filter)
		ftrace_hash_free(filter);
	if (exclude != old_exclude)
		ftrace_hash_free(exclude);
	return ret;
}

/* ftrace_hashes_install() of one: @hash is what @ops excludes, or its filter. */
int ftrace_hash_install(struct ftrace_ops *ops, struct ftrace_hash *hash, bool exclude)
{
	return ftrace_hashes_install(ops, exclude ? ftrace_ops_filter(ops) : hash,
				     exclude ? hash : ftrace_ops_notrace(ops));
}

/**
 * ftrace_filter_reduced - functions were deleted in the filter that is in force
 * @ops: ops
 *
 * The sites of @ops, and of all that share the filter, follow. It cannot fail.
 *
 * Context: task, ftrace_lock.
 */
void ftrace_filter_reduced(struct ftrace_ops *ops)
{
	hashes_exchange(ops, normal_form(ftrace_ops_filter(ops)), ftrace_ops_notrace(ops));
	if (is_running(ops))
		ftrace_sites_filter_reduced(ops);
}

/* What the filter of @ops is to be built on, a copy; NULL without memory. ftrace_lock */
struct ftrace_hash *ftrace_hash_to_change(struct ftrace_ops *ops, bool exclude, bool reset)
{
	ftrace_ops_init(ops);
	return ftrace_hash_dup(reset ? NULL : installed(ops, exclude));
}

/* Take all of @ips out of the filter, where it stands: that needs no memory. ftrace_lock */
static int remove_ips(struct ftrace_ops *ops, const unsigned long *ips, unsigned int cnt)
{
	struct ftrace_hash *hash;
	unsigned int i;

	ftrace_ops_init(ops);
	hash = ftrace_ops_filter(ops);
	for (i = 0; i < cnt; i++) {
		unsigned long ip = ftrace_location(ips[i]);

		if (!ip)
			return -EINVAL;
		if (!hash || !ftrace_hash_has(hash, ip))
			return -ENOENT;
	}
	for (i = 0; i < cnt; i++)
		ftrace_hash_del(hash, ftrace_location(ips[i]));
	if (cnt)
		ftrace_filter_reduced(ops);
	return 0;
}

static int add_ips(struct ftrace_ops *ops, const unsigned long *ips, unsigned int cnt, bool reset)
{
	struct ftrace_hash *hash;
	unsigned int i;
	int ret = 0;

	if (ftrace_disabled)
		return -ENODEV;
	hash = ftrace_hash_to_change(ops, false, reset);
	if (!hash)
		return -ENOMEM;
	for (i = 0; !ret && i < cnt; i++) {
		unsigned long ip = ftrace_location(ips[i]);

		ret = ip ? ftrace_hash_add(hash, ip) : -EINVAL;
	}
	if (!ret)
		return ftrace_hash_install(ops, hash, false);
	ftrace_hash_free(hash);
	return ret;
}

/**
 * ftrace_set_filter_ips - choose functions by address
 * @ops:    ops, registered or not
 * @ips:    addresses of functions or of their call sites
 * @cnt:    how many
 * @remove: take them out instead
 * @reset:  forget what was chosen before; not with @remove
 *
 * Taking out needs no memory and works after function tracing has failed.
 *
 * Context: task, sleeps; takes ftrace_lock.
 * Return: 0; -EINVAL if one cannot be traced, -ENOENT if one to be removed is not chosen,
 * -ENOMEM, -EBUSY, -ENODEV: nothing is changed.
 */
int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int cnt,
			  int remove, int reset)
{
	int ret;

	mutex_lock(&ftrace_lock);
	if (!remove)
		ret = add_ips(ops, ips, cnt, reset);
	else
		ret = reset ? -ENOENT : remove_ips(ops, ips, cnt);
	mutex_unlock(&ftrace_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ips);

/**
 * ftrace_set_filter_ip - choose one function by address
 * @ops:    ops, registered or not
 * @ip:     address of the function or of its call site
 * @remove: take it out instead
 * @reset:  forget what was chosen before
 *
 * Context: task, sleeps; takes ftrace_lock.
 * Return: as ftrace_set_filter_ips().
 */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset)
{
	return ftrace_set_filter_ips(ops, &ip, 1, remove, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ip);

/**
 * ftrace_free_filter - forget what an ops that is not registered has chosen
 * @ops: ops
 *
 * Context: task; takes ftrace_lock.
 */
void ftrace_free_filter(struct ftrace_ops *ops)
{
	ftrace_ops_init(ops);
	if (WARN_ON(ops->flags & FTRACE_OPS_FL_ENABLED))
		return;
	mutex_lock(&ftrace_lock);
	ftrace_hashes_install(ops, NULL, NULL);
	mutex_unlock(&ftrace_lock);
}
EXPORT_SYMBOL_GPL(ftrace_free_filter);
