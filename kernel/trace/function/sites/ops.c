// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ops: they are registered and unregistered here, and are in ftrace_ops_list then. What their
 * sites call follows with a pass over the records, see pass.c.
 */
#include <linux/kernel.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

#include <asm/sections.h>

#include "../../output/output.h"
#include "sites.h"
#include "guard.h"

/* Records, hashes, registered ops, the text of call sites: see sites.h. */
DEFINE_MUTEX(ftrace_lock);
bool ftrace_disabled;
bool ftrace_text_stuck;

static unsigned int nr_registered;	/* ops in ftrace_ops_list; ftrace_lock */

static void notrace no_call(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
}

unsigned long notrace trace_guard_other(unsigned long ip, unsigned long parent_ip)
{
	unsigned long taken = READ_ONCE(current->trace_recursion);
	unsigned long bit = BIT(TRACE_FTRACE_START + trace_get_context_bit());

	if (taken & bit) {
		bit = BIT(TRACE_FTRACE_START + TRACE_CTX_TRANSITION);
		if (taken & bit) {
			do_ftrace_record_recursion(ip, parent_ip);
			return 0;
		}
	}
	return bit;
}

struct ftrace_ops ftrace_list_end __read_mostly = {
	.func	= no_call,
	.flags	= FTRACE_OPS_FL_STUB,
};

struct ftrace_ops __rcu *ftrace_ops_list __read_mostly =
	(struct ftrace_ops __force __rcu *)&ftrace_list_end;

const struct ftrace_ops ftrace_nop_ops = {
	.func	= no_call,
	.flags	= FTRACE_OPS_FL_STUB,
};

/*
 * For entry code that does not know the ops of its site. RCU tasks covers a task
 * that is preempted here, but the record may be in a module's table.
 */
void notrace arch_ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
				       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct ftrace_op_set *set;
	struct dyn_ftrace *rec;

	/* entry code has written it, which the compiler does not know */
	kmsan_unpoison_memory(fregs, ftrace_regs_size());
	preempt_disable_notrace();
	rec = ftrace_lookup_rec(ip, ip);
	set = rec ? READ_ONCE(rec->set) : NULL;
	if (set)
		ftrace_set_call(set, ip, parent_ip, fregs);
	preempt_enable_notrace();
}

const struct ftrace_ops ftrace_list_ops = {
	.func	= arch_ftrace_ops_list_func,
	.flags	= FTRACE_OPS_FL_STUB,
};

struct ftrace_ops *function_trace_op __read_mostly = &ftrace_list_end;
ftrace_func_t ftrace_trace_function __read_mostly = arch_ftrace_ops_list_func;

/* For the literal of @rec: never NULL. ftrace_lock. */
struct ftrace_ops *ftrace_find_unique_ops(struct dyn_ftrace *rec)
{
	return rec->set ? rec->set->target : (struct ftrace_ops *)&ftrace_nop_ops;
}

void ftrace_ops_init(struct ftrace_ops *ops)
{
	if (ops->flags & FTRACE_OPS_FL_INITIALIZED)
		return;
	mutex_init(&ops->local_hash.regex_lock);
	if (!ops->func_hash)
		ops->func_hash = &ops->local_hash;
	ops->flags |= FTRACE_OPS_FL_INITIALIZED;
}

static void ops_list_add(struct ftrace_ops *ops)
{
	rcu_assign_pointer(ops->next, rcu_dereference_protected(ftrace_ops_list, true));
	rcu_assign_pointer(ftrace_ops_list, ops);
	nr_registered++;
}

static void ops_list_del(struct ftrace_ops *ops)
{
	struct ftrace_ops __rcu **p = &ftrace_ops_list;
	struct ftrace_ops *op;

	while ((op = rcu_dereference_protected(*p, true)) != &ftrace_list_end) {
		if (op == ops) {
			rcu_assign_pointer(*p, rcu_dereference_protected(ops->next, true));
			nr_registered--;
			return;
		}
		p = &op->next;
	}
}

static int ops_check(struct ftrace_ops *ops)
{
	if (ftrace_disabled)
		return -ENODEV;
	if (!ops->func || (ops->flags & FTRACE_OPS_FL_DELETED))
		return -EINVAL;
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		return -EBUSY;
	if (!ftrace_enabled_now && (ops->flags & FTRACE_OPS_FL_PERMANENT))
		return -EBUSY;
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)) {
		if (ops->flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED)
			return 0;
		if (ops->flags & FTRACE_OPS_FL_SAVE_REGS)
			return -EINVAL;
	} else if (ops->flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED) {
		ops->flags |= FTRACE_OPS_FL_SAVE_REGS;
	}
	return 0;
}

/* Nobody is on the way to an ops or a trampoline any more that no site calls. Sleeps. */
void ftrace_ops_sync(void)
{
	/* Before the scheduler runs there is nobody to wait for. */
	if (system_state <= SYSTEM_BOOTING)
		return;
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
}

/* @ops was taken off: its owner may free it when this returns. */
static void ops_release(struct ftrace_ops *ops)
{
	if (ops->flags & FTRACE_OPS_FL_DYNAMIC) {
		ftrace_ops_sync();
		ftrace_ops_drop_trampoline(ops);
	}
}

/*
 * From the first ops on the common entry code looks the ops of its site up. Like all text that
 * others may run it is patched between these two, which lock it.
 */
static int entry_code_set_up(void)
{
	static bool done;
	int ret;

	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) || done)
		return 0;
	ftrace_text_begin();
	ret = ftrace_update_ftrace_func(ftrace_ops_list_func);
	ftrace_text_end();
	done = !ret;
	return ret;
}

/**
 * ftrace_ops_change - have calls run another function from now on
 * @ops:	registered or not; not the ops of a direct call
 * @func:	what it is to run
 *
 * No call is lost on the way, and nothing can fail. A call that has begun still runs the old one.
 *
 * Context: task; takes ftrace_lock.
 */
void ftrace_ops_change(struct ftrace_ops *ops, ftrace_func_t func)
{
	guard(mutex)(&ftrace_lock);
	if (ops->func == func)
		return;
	/* Who looks the ops up loads it from there at each call, a trampoline calls it. */
	WRITE_ONCE(ops->func, func);
	if (ops->trampoline)
		ftrace_ops_update_trampoline(ops);
}

/**
 * ftrace_ops_keep - must the memory of an ops stay that is unregistered?
 * @ops:	it, and not the ops of a direct call
 *
 * If so, what still calls it does nothing by now: all else may go that its callback looked at.
 *
 * Context: task, sleeps; takes ftrace_lock.
 * Return: whether text cannot be written any more, which may go on calling @ops.
 */
bool ftrace_ops_keep(struct ftrace_ops *ops)
{
	if (!READ_ONCE(ftrace_text_stuck))
		return false;
	ftrace_ops_change(ops, no_call);
	ftrace_ops_sync();
	return true;
}

/* Put @ops on its sites; on error it is on none, and nobody knows of it any more. ftrace_lock */
int ftrace_startup(struct ftrace_ops *ops)
{
	int ret;

	ret = ops_check(ops);
	if (ret)
		return ret;
	ftrace_ops_init(ops);
	ret = ftrace_check_exclusive(ops, ftrace_ops_filter(ops));
	if (!ret)
		ret = ftrace_pass_make_room(nr_registered + 1);
	if (!ret)
		ret = entry_code_set_up();
	if (ret)
		return ret;

	ops->flags &= ~FTRACE_OPS_FL_DYNAMIC;
	if (!is_kernel_core_data((unsigned long)ops))
		ops->flags |= FTRACE_OPS_FL_DYNAMIC;
	if (!(ops->flags & (FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_STUB)))
		ftrace_ops_update_trampoline(ops);

	ops->flags |= FTRACE_OPS_FL_ENABLED;
	ops_list_add(ops);
	ret = ftrace_sites_ops_comes(ops);
	if (ret) {
		ops->flags &= ~FTRACE_OPS_FL_ENABLED;
		ops_list_del(ops);
		ftrace_sets_reap();
		ops_release(ops);
		return ret;
	}
	if (!ftrace_sites_patch()) {
		ftrace_shutdown(ops);
		return -ENODEV;
	}
	ftrace_sets_reap();
	return 0;
}

/**
 * ftrace_shutdown_nosync - take an ops off its sites
 * @ops: whoever frees it calls ftrace_ops_sync() first
 *
 * Context: task, ftrace_lock.
 * Return: 0; -EBUSY if it is not registered; -ENODEV if it is off but text that cannot be written
 * may still call it.
 */
int ftrace_shutdown_nosync(struct ftrace_ops *ops)
{
	if (!(ops->flags & FTRACE_OPS_FL_ENABLED))
		return -EBUSY;
	ops->flags &= ~FTRACE_OPS_FL_ENABLED;
	ftrace_sites_ops_goes(ops);
	ops_list_del(ops);
	return ftrace_text_stuck ? -ENODEV : 0;
}

/**
 * ftrace_take_off - unregister an ops without waiting
 * @ops: registered; not one that redirects, nor a direct call
 *
 * For many at once: they are all taken off, then ftrace_ops_sync() waits for whoever is on the way
 * to one of them, and ftrace_ops_drop_trampoline() gives back what the architecture made for each.
 *
 * Context: task; takes ftrace_lock.
 * Return: as ftrace_shutdown_nosync().
 */
int ftrace_take_off(struct ftrace_ops *ops)
{
	guard(mutex)(&ftrace_lock);
	return ftrace_shutdown_nosync(ops);
}

int ftrace_shutdown(struct ftrace_ops *ops)
{
	int ret = ftrace_shutdown_nosync(ops);

	if (ret != -EBUSY)
		ops_release(ops);
	return ret;
}

/**
 * register_ftrace_function - have an ops called
 * @ops: see struct ftrace_ops
 *
 * On return the functions that its filter chooses call it.
 *
 * Context: task, sleeps; takes ftrace_lock, and direct_mutex if @ops redirects.
 * Return: 0; -EBUSY if it is registered, if it is PERMANENT while ftrace_enabled is 0, or if
 * another ops redirects one of its functions as it wants to; -EINVAL for registers that the
 * architecture does not save, or for IPMODIFY on all functions; -ENOMEM; -ENODEV when
 * function tracing has failed, now or before. After an error @ops may be freed.
 */
int register_ftrace_function(struct ftrace_ops *ops)
{
	int ret;

	ret = ftrace_share_prepare(ops);
	if (ret < 0)
		return ret;
	mutex_lock(&ftrace_lock);
	ret = ftrace_startup(ops);
	mutex_unlock(&ftrace_lock);
	if (ret)
		ftrace_share_done(ops);
	ftrace_share_end(ops);
	return ret;
}
EXPORT_SYMBOL_GPL(register_ftrace_function);

/**
 * unregister_ftrace_function - the opposite
 * @ops: registered ops
 *
 * If @ops lies in memory that may be freed, nobody runs in it when this returns. It needs no
 * memory, and works after function tracing has failed, too.
 *
 * Context: task, sleeps; takes ftrace_lock, and direct_mutex if @ops redirects.
 * Return: 0, -EBUSY if it is not registered; -ENODEV if text cannot be written any more, which
 * may go on calling @ops.
 */
int unregister_ftrace_function(struct ftrace_ops *ops)
{
	int ret;

	mutex_lock(&ftrace_lock);
	ret = ftrace_shutdown(ops);
	mutex_unlock(&ftrace_lock);
	if (!ret)
		ftrace_share_gone(ops);
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_function);

/* No site is switched on any more, for ever. May run where nothing can sleep. */
void ftrace_kill(void)
{
	ftrace_disabled = true;
	trace_functions_died();
	ftrace_enabled = 0;
	kprobe_ftrace_kill();
}

/* Text in [@start, @end) is gone: no filter may know its addresses. ftrace_lock */
void ftrace_forget_range(unsigned long start, unsigned long end)
{
	struct ftrace_ops *op;

	do_for_each_ftrace_op(op, ftrace_ops_list) {
		struct ftrace_hash *hash;

		if (op == &ftrace_list_end)
			break;
		hash = ftrace_ops_filter(op);
		if (hash)
			ftrace_hash_del_range(hash, start, end);
		hash = ftrace_ops_notrace(op);
		if (hash)
			ftrace_hash_del_range(hash, start, end);
	} while_for_each_ftrace_op(op);
	if (ftrace_sites_user)
		ftrace_sites_user->forget(start, end);
}
