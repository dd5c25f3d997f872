// SPDX-License-Identifier: GPL-2.0-only
/*
 * Direct calls, and functions that are redirected.
 *
 * A direct call sends a site into code of the user's without any of ours between. If
 * other ops want the site too, the direct call becomes one of the set: its callback tells the
 * entry code where to go when the others have run.
 *
 * One direct call a function, one ops that redirects (IPMODIFY). The two may be together only
 * if the direct call's owner agrees, see enum ftrace_ops_cmd. It is asked without ftrace_lock, as
 * it may want to change its direct call; direct_mutex keeps answers and sites together.
 */
#include <linux/module.h>

#include "sites.h"

static DEFINE_MUTEX(direct_mutex);

/*
 * All of the following look at the ops that are registered, not at the sets of sites: which are
 * empty while ftrace_enabled is 0.
 */
static bool is_exclusive(const struct ftrace_ops *op)
{
	return (op->flags & FTRACE_OPS_FL_ENABLED) &&
	       (op->flags & (FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT));
}

/* Is @op on one of the functions of @filter? */
static bool ops_overlap(const struct ftrace_ops *op, const struct ftrace_hash *filter)
{
	const struct ftrace_hash *few = ftrace_ops_filter(op);
	unsigned long ip;
	unsigned int i;

	if (!few || few->bits > filter->bits)
		few = filter;
	for_each_ftrace_hash_ip(ip, few, i) {
		if (ftrace_hash_has(filter, ip) && ftrace_ops_match(op, ip))
			return true;
	}
	return false;
}

/*
 * May @ops go on the functions of @filter? ftrace_lock.
 *
 * Return: 0, -EINVAL, -EBUSY, or what the owner of @ops answered.
 */
int ftrace_check_exclusive(struct ftrace_ops *ops, struct ftrace_hash *filter)
{
	bool redirected = false;
	struct ftrace_ops *op;

	if (!(ops->flags & (FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT)))
		return 0;
	if (!filter)
		return -EINVAL;

	do_for_each_ftrace_op(op, ftrace_ops_list) {
		if (op == ops || !is_exclusive(op) || !ops_overlap(op, filter))
			continue;
		if (ops->flags & op->flags & (FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT))
			return -EBUSY;
		/* If it is @ops that redirects, the direct call was asked before. */
		if (op->flags & FTRACE_OPS_FL_IPMODIFY)
			redirected = true;
	} while_for_each_ftrace_op(op);

	/* a direct call that joins a redirected function */
	if (!redirected)
		return 0;
	return ops->ops_func ? ops->ops_func(ops, FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF) :
			       -EBUSY;
}

static bool redirects_only(const struct ftrace_ops *ops)
{
	return (ops->flags & FTRACE_OPS_FL_IPMODIFY) && !(ops->flags & FTRACE_OPS_FL_DIRECT);
}

/* The ops with @flag on @ip that is not @but, if there is one. ftrace_lock */
static struct ftrace_ops *exclusive_ops_at(unsigned long ip, unsigned long flag,
					   const struct ftrace_ops *but)
{
	struct ftrace_ops *op;

	do_for_each_ftrace_op(op, ftrace_ops_list) {
		if (op != but && is_exclusive(op) && (op->flags & flag) && ftrace_ops_match(op, ip))
			return op;
	} while_for_each_ftrace_op(op);
	return NULL;
}

/*
 * The direct call on @ip that is to be told @cmd about @ops, if there is one. That a redirection
 * has gone is no news while there is another: it was the reason that @ops was refused.
 */
static struct ftrace_ops *peer_at(unsigned long ip, const struct ftrace_ops *ops,
				  enum ftrace_ops_cmd cmd)
{
	struct ftrace_ops *op;

	mutex_lock(&ftrace_lock);
	op = exclusive_ops_at(ip, FTRACE_OPS_FL_DIRECT, NULL);
	if (op && cmd == FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER &&
	    exclusive_ops_at(ip, FTRACE_OPS_FL_IPMODIFY, ops))
		op = NULL;
	mutex_unlock(&ftrace_lock);
	return op;
}

/* Tell the direct calls on the functions of @ops, the first @n of them. */
static int tell_peers(struct ftrace_ops *ops, enum ftrace_ops_cmd cmd, unsigned int n,
		      unsigned int *told)
{
	struct ftrace_hash *filter = ftrace_ops_filter(ops);
	struct ftrace_ops *op;
	unsigned int i, k = 0;
	unsigned long ip;
	int ret;

	if (!filter)
		return 0;
	for_each_ftrace_hash_ip(ip, filter, i) {
		if (k == n)
			break;
		op = peer_at(ip, ops, cmd);
		if (op) {
			ret = op->ops_func ? op->ops_func(op, cmd) : -EBUSY;
			if (ret && told) {
				*told = k;
				return ret;
			}
		}
		k++;
	}
	return 0;
}

/*
 * Before an ops is registered that redirects: ask the direct calls on its
 * functions. On success direct_mutex is held for it, until ftrace_share_end().
 */
int ftrace_share_prepare(struct ftrace_ops *ops)
{
	unsigned int told = 0;
	int ret;

	if (!redirects_only(ops))
		return 0;
	ftrace_ops_init(ops);
	mutex_lock(&direct_mutex);
	ret = tell_peers(ops, FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER, UINT_MAX, &told);
	if (!ret)
		return 0;
	tell_peers(ops, FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER, told, NULL);
	mutex_unlock(&direct_mutex);
	return ret;
}

/* It did not come to it. */
void ftrace_share_done(struct ftrace_ops *ops)
{
	if (redirects_only(ops))
		tell_peers(ops, FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER, UINT_MAX, NULL);
}

void ftrace_share_end(struct ftrace_ops *ops)
{
	if (redirects_only(ops))
		mutex_unlock(&direct_mutex);
}

/* @ops was unregistered. */
void ftrace_share_gone(struct ftrace_ops *ops)
{
	if (!redirects_only(ops))
		return;
	mutex_lock(&direct_mutex);
	ftrace_share_done(ops);
	mutex_unlock(&direct_mutex);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

static void notrace direct_caller(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	unsigned long addr = READ_ONCE(op->direct_call);

	if (addr)
		arch_ftrace_set_direct_caller(fregs, addr);
}

/**
 * ftrace_find_rec_direct - where does the direct call of a function go?
 * @ip: its call site
 *
 * Context: task, takes ftrace_lock.
 * Return: the address, 0 if it has none.
 */
unsigned long ftrace_find_rec_direct(unsigned long ip)
{
	struct ftrace_ops *op;
	unsigned long addr;

	mutex_lock(&ftrace_lock);
	op = exclusive_ops_at(ip, FTRACE_OPS_FL_DIRECT, NULL);
	addr = op ? op->direct_call : 0;
	mutex_unlock(&ftrace_lock);
	return addr;
}

/* @ops is off. If it was on, calls may be on their way through it. ftrace_lock */
static void direct_forget(struct ftrace_ops *ops, bool was_on)
{
	/* Text that cannot be written calls it for ever. */
	if (ftrace_text_stuck)
		return;
	if (was_on && !(ops->flags & FTRACE_OPS_FL_DYNAMIC))
		ftrace_ops_sync();	/* otherwise it was waited for already */
	ops->func = NULL;
	WRITE_ONCE(ops->direct_call, 0);
	ops->flags &= ~FTRACE_OPS_FL_DIRECT;
}

/**
 * register_ftrace_direct - have functions call straight into other code
 * @ops:  ops with a filter; the core sets its func
 * @addr: the code, in the architecture's convention for direct calls
 *
 * Context: task, sleeps; takes direct_mutex and ftrace_lock.
 * Return: 0; -EINVAL for an ops without filter or one that is in use; -EBUSY if
 * one of the functions has a direct call; else as register_ftrace_function().
 */
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int ret;

	if (ops->func || ops->trampoline || !addr ||
	    !(ops->flags & FTRACE_OPS_FL_INITIALIZED) || (ops->flags & FTRACE_OPS_FL_ENABLED))
		return -EINVAL;

	mutex_lock(&direct_mutex);
	mutex_lock(&ftrace_lock);
	if (ftrace_hash_empty(ftrace_ops_filter(ops))) {
		ret = -EINVAL;
	} else {
		ops->func = direct_caller;
		ops->flags |= FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_SAVE_ARGS;
		WRITE_ONCE(ops->direct_call, addr);
		ret = ftrace_startup(ops);
		if (ret)
			direct_forget(ops, ret == -ENODEV);
	}
	mutex_unlock(&ftrace_lock);
	mutex_unlock(&direct_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(register_ftrace_direct);

/**
 * unregister_ftrace_direct - the opposite
 * @ops:	  of register_ftrace_direct()
 * @addr:	  address it goes to
 * @free_filters: forget the filter as well
 *
 * Whether a task still runs in the code at @addr is for its owner to know. As with
 * unregister_ftrace_function() it takes no memory.
 *
 * Context: task, sleeps; takes direct_mutex and ftrace_lock.
 * Return: 0, -EINVAL if @ops is no direct call in force, -ENODEV as unregister_ftrace_function().
 */
int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr, bool free_filters)
{
	int ret;

	if (ops->func != direct_caller || !(ops->flags & FTRACE_OPS_FL_ENABLED))
		return -EINVAL;

	mutex_lock(&direct_mutex);
	mutex_lock(&ftrace_lock);
	ret = ftrace_shutdown(ops);
	direct_forget(ops, true);
	mutex_unlock(&ftrace_lock);
	if (free_filters)
		ftrace_free_filter(ops);
	mutex_unlock(&direct_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_direct);

static int direct_modify(struct ftrace_ops *ops, unsigned long addr)
{
	struct dyn_ftrace *rec;
	unsigned long ip, old;
	unsigned int i;
	int ret = 0;

	lockdep_assert_held_once(&direct_mutex);
	if (ops->func != direct_caller || !(ops->flags & FTRACE_OPS_FL_ENABLED) || !addr)
		return -EINVAL;

	mutex_lock(&ftrace_lock);
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) && ftrace_text_stuck) {
		ret = -ENODEV;
		goto out;
	}
	/* This is all for sites that go through the ops, also when text cannot be written. */
	old = ops->direct_call;
	WRITE_ONCE(ops->direct_call, addr);
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS)) {
		for_each_ftrace_hash_ip(ip, ftrace_ops_filter(ops), i) {
			rec = ftrace_lookup_rec(ip, ip);
			if (rec)
				rec->flags |= FTRACE_REC_STALE;
		}
		/* To take a program away is to change the address as well: as sure as that. */
		ftrace_sites_repatch();
		if (ftrace_text_stuck) {
			/* The sites call the old one: its owner keeps it, and frees the new one. */
			WRITE_ONCE(ops->direct_call, old);
			ret = -ENODEV;
		}
	}
out:
	mutex_unlock(&ftrace_lock);
	return ret;
}

/**
 * modify_ftrace_direct - send direct calls elsewhere
 * @ops:  of register_ftrace_direct()
 * @addr: new address
 *
 * Every call goes to the old or the new address. It takes no memory.
 *
 * Context: task, sleeps; takes direct_mutex and ftrace_lock.
 * Return: 0, -EINVAL if @ops is no direct call in force, -ENODEV as unregister_ftrace_function().
 */
int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int ret;

	mutex_lock(&direct_mutex);
	ret = direct_modify(ops, addr);
	mutex_unlock(&direct_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct);

/* The same from ftrace_ops::ops_func, which is called with direct_mutex held. */
int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr)
{
	return direct_modify(ops, addr);
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct_nolock);

#endif /* CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS */
