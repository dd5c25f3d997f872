// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ops: who is called where.
 *
 * Registered ops are in ftrace_ops_list. Whatever changes - an ops comes or goes,
 * a filter is written, ftrace_enabled flips - ends in a pass over the records. Of those that the
 * change concerns it compares the ops that a site has with those it should have: states, not
 * differences. All others have what they should, but for two that any pass looks at: where an ops
 * that has gone is stood in for, and, if a module came when memory was short, all (pass.lacks).
 *
 * What adds calls may fail: all sets are there before the first record is changed, so there is
 * nothing to take back when memory is short. What only takes calls away cannot fail, whatever
 * memory there is and after a site was found broken: who asks for it frees what was called.
 */
#include <linux/kernel.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sysctl.h>

#include <asm/sections.h>

#include "../../output/output.h"
#include "sites.h"
#include "guard.h"

/* Records, hashes, registered ops, the text of call sites: see sites.h. */
DEFINE_MUTEX(ftrace_lock);
bool ftrace_disabled;
bool ftrace_text_stuck;

int ftrace_enabled __read_mostly = 1;
static int enabled_now = 1;	/* what the sites obey; ftrace_lock */

/*
 * The active ops, and those that a site should have, both in the order of the list. There is room
 * for all that are registered: made when one comes, so that none is needed when one goes.
 * ftrace_lock
 */
static struct {
	struct ftrace_ops	**active, **wanted;
	unsigned int		nr_active, nr_registered, room;
	bool			grown;	/* a set got entry code when some records had it already */
	bool			lacks;	/* some records have not all that they should */
} pass;

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

static bool hashes_match(const struct ftrace_hash *filter, const struct ftrace_hash *exclude,
			 unsigned long ip)
{
	if (filter && !ftrace_hash_has(filter, ip))
		return false;
	return !exclude || !ftrace_hash_has(exclude, ip);
}

/* Would @ops, if it runs, see @ip? */
bool ftrace_ops_match(const struct ftrace_ops *ops, unsigned long ip)
{
	return hashes_match(ftrace_ops_filter(ops), ftrace_ops_notrace(ops), ip);
}

static bool ops_active(const struct ftrace_ops *ops)
{
	return (ops->flags & FTRACE_OPS_FL_ENABLED) &&
	       (enabled_now || (ops->flags & FTRACE_OPS_FL_PERMANENT));
}

static int pass_make_room(unsigned int nr)
{
	unsigned int room = max(2 * pass.room, 8U);
	struct ftrace_ops **ops;

	if (nr <= pass.room)
		return 0;
	room = max(room, nr);
	ops = kvmalloc_array(room, 2 * sizeof(*ops), GFP_KERNEL);
	if (!ops)
		return -ENOMEM;
	kvfree(pass.active);
	pass.active = ops;
	pass.wanted = ops + room;
	pass.room = room;
	return 0;
}

/*
 * In the order of the list, in which they are called: who was registered last is the first, and
 * two that stay never change places, so that sets can be found by their ops.
 */
static void pass_begin(void)
{
	struct ftrace_ops *op;

	pass.nr_active = 0;
	do_for_each_ftrace_op(op, ftrace_ops_list) {
		if (ops_active(op))
			pass.active[pass.nr_active++] = op;
	} while_for_each_ftrace_op(op);
}

/* How many ops @rec should have; they are in pass.wanted. */
static unsigned int rec_wants(const struct dyn_ftrace *rec)
{
	unsigned int i, n = 0;

	if (ftrace_disabled && !rec->target)
		return 0;
	for (i = 0; i < pass.nr_active; i++) {
		if (ftrace_ops_match(pass.active[i], rec->ip))
			pass.wanted[n++] = pass.active[i];
	}
	return n;
}

/* A set of that many sites has entry code of its own, however many others do. */
#define MANY_SITES	256

static void rec_assign(struct dyn_ftrace *rec, struct ftrace_op_set *set)
{
	unsigned long flags = rec->flags & ~(FTRACE_REF_MAX | FTRACE_FL_REGS | FTRACE_FL_TRAMP |
					     FTRACE_FL_IPMODIFY | FTRACE_FL_DIRECT |
					     FTRACE_FL_CALL_OPS);

	ftrace_set_get(set, 1);
	ftrace_set_put(rec->set, 1);
	if (set && set->users == MANY_SITES && ftrace_set_grown(set))
		pass.grown = true;
	WRITE_ONCE(rec->set, set);
	if (set)
		flags |= set->rec_flags | (set->nr - set->nr_gone);
	rec->flags = flags | FTRACE_REC_STALE;
}

/* Makes the set that @rec should have, and assigns it if @assign. */
static int rec_refresh(struct dyn_ftrace *rec, bool assign)
{
	unsigned int n = rec_wants(rec);
	struct ftrace_op_set *set = NULL;

	if (ftrace_set_is(rec->set, pass.wanted, n))
		return 0;
	if (n) {
		set = ftrace_set_of(pass.wanted, n, false);
		if (!set)
			return -ENOMEM;
	}
	if (assign)
		rec_assign(rec, set);
	return 0;
}

/* Makes the set that @rec should have; only this can fail for lack of memory. */
static int rec_prepare(struct dyn_ftrace *rec)
{
	return rec_refresh(rec, false);
}

/* Lets @rec have that set. */
static int rec_update(struct dyn_ftrace *rec)
{
	return rec_refresh(rec, true);
}

/* Takes from @rec what it should not have, without memory if need be; what it lacks may wait. */
static void rec_reduce(struct dyn_ftrace *rec)
{
	bool keeps = false, must = false;
	struct ftrace_op_set *set = rec->set;
	unsigned int i;

	if (!rec_update(rec) || !set)
		return;
	for (i = 0; i < set->nr; i++) {
		struct ftrace_ops *op = set->ops[i];

		if (!ops_active(op))
			continue;
		if (ftrace_ops_match(op, rec->ip))
			keeps = true;
		else
			must = true;
	}
	if (!keeps) {
		rec_assign(rec, NULL);
	} else if (must) {
		/* Other sites of the set may want that ops. Only here memory has to be found. */
		rec_assign(rec, ftrace_set_of(pass.wanted, rec_wants(rec), true));
	} else {
		for (i = 0; i < set->nr; i++) {
			if (!ops_active(set->ops[i]))
				ftrace_set_retire(set, set->ops[i]);
		}
		rec_assign(rec, set);	/* its flags */
	}
}

/*
 * There may be tens of thousands of records, of each of which a thousand ops are asked: others want
 * the CPU, where nobody takes it away.
 */
static void let_others_run(const struct ftrace_table *table, const struct dyn_ftrace *rec)
{
	if (!((rec - table->recs) % 256))
		cond_resched();
}

/* An ops with few functions comes without its filter being asked for every other site. */
#define FEW_FUNCTIONS	64

static bool set_has(const struct ftrace_op_set *set, const struct ftrace_ops *op)
{
	for (unsigned int i = 0; i < set->nr; i++) {
		if (set->ops[i] == op)
			return true;
	}
	return false;
}

/* Is one in @set that has the filter of @op, which may be shared? */
static bool set_has_filter_of(const struct ftrace_op_set *set, const struct ftrace_ops *op)
{
	for (unsigned int i = 0; i < set->nr; i++) {
		if (set->ops[i]->func_hash == op->func_hash)
			return true;
	}
	return false;
}

/*
 * What has changed, for all records but those that it concerns have what they should: to ask
 * each active ops for each of them is what costs most when there are many.
 */
struct change {
	enum {
		ANYTHING,
		OPS_COMES,
		OPS_GOES,		/* whatever its filter says by now */
		FILTER_CHANGED,		/* from @filter and @exclude */
		FILTER_REDUCED,
	} what;
	const struct ftrace_ops *ops;
	const struct ftrace_hash *filter, *exclude;
};

/*
 * Any change concerns a set in which ftrace_gone_ops stands in for an ops that was unregistered: it
 * is to be replaced once there is memory.
 */
static bool rec_concerned(const struct dyn_ftrace *rec, const struct change *change)
{
	const struct ftrace_op_set *set = rec->set;

	if (set && set->nr_gone)
		return true;
	switch (change->what) {
	case ANYTHING:
		return true;
	case OPS_COMES:
		return ftrace_ops_match(change->ops, rec->ip);
	case OPS_GOES:
		return set && set_has(set, change->ops);
	case FILTER_CHANGED:
		return hashes_match(change->filter, change->exclude, rec->ip) !=
		       ftrace_ops_match(change->ops, rec->ip);
	case FILTER_REDUCED:
		return set && set_has_filter_of(set, change->ops) &&
		       !ftrace_ops_match(change->ops, rec->ip);
	}
	return true;
}

static int call_for_recs(const struct change *change, int (*fn)(struct dyn_ftrace *rec))
{
	struct ftrace_table *table;
	struct dyn_ftrace *rec;
	int ret;

	for_each_ftrace_table(table) {
		for_each_table_rec(rec, table) {
			let_others_run(table, rec);
			if (!ftrace_rec_usable(rec) || !rec_concerned(rec, change))
				continue;
			ret = fn(rec);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static const struct change anything = { .what = ANYTHING };
static const struct change nothing_new = { .what = OPS_GOES };

/* call_for_recs(), where an ops comes with few functions those alone are looked at. */
static int call_for_recs_of(const struct change *change, int (*fn)(struct dyn_ftrace *rec))
{
	const struct ftrace_hash *filter;
	struct dyn_ftrace *rec;
	unsigned long ip;
	unsigned int i;
	int ret;

	filter = change->what == OPS_COMES ? ftrace_ops_filter(change->ops) : NULL;
	if (!filter || filter->count > FEW_FUNCTIONS)
		return call_for_recs(change, fn);
	for_each_ftrace_hash_ip(ip, filter, i) {
		rec = ftrace_lookup_rec(ip, ip);
		if (!rec || !ftrace_rec_usable(rec))
			continue;
		ret = fn(rec);
		if (ret)
			return ret;
	}
	return call_for_recs(&nothing_new, fn);
}

static int rec_follow(struct dyn_ftrace *rec)
{
	if (rec->set && (rec->set->rec_flags & ~rec->flags))
		rec_assign(rec, rec->set);
	return 0;
}

/* Sets have grown: the records that had them before know of the entry code, too. */
static void recs_follow_sets(void)
{
	if (!pass.grown)
		return;
	pass.grown = false;
	call_for_recs(&anything, rec_follow);
}

static int rec_reduce_one(struct dyn_ftrace *rec)
{
	rec_reduce(rec);
	return 0;
}

/**
 * ftrace_table_attach - the sites of a module have become usable
 * @table: its
 *
 * Context: task, ftrace_lock.
 * Return: 0; -ENOMEM leaves the rest of the sites without ops.
 */
int ftrace_table_attach(struct ftrace_table *table)
{
	struct dyn_ftrace *rec;
	int ret = 0;

	pass_begin();
	for_each_table_rec(rec, table) {
		ret = rec_update(rec);
		if (ret)
			break;
	}
	if (ret)
		pass.lacks = true;
	return ret;
}

/*
 * Brings the sets of those records up to date that a change concerns. The text follows with
 * sites_patch(). -ENOMEM: no record was changed.
 */
static int sites_refresh(const struct change *change)
{
	int ret;

	if (pass.lacks)
		change = &anything;
	pass_begin();
	/* First all sets are made; then they are there. */
	ret = call_for_recs_of(change, rec_prepare);
	if (!ret)
		ret = call_for_recs_of(change, rec_update);
	if (!ret)
		pass.lacks = false;
	recs_follow_sets();
	return ret;
}

/*
 * Brings the text of all sites up to date. False if a site was found broken; some of the others may
 * not be up to date then, and ftrace_sites_reduce() has to follow when the cause is taken back.
 */
static bool sites_patch(void)
{
	unsigned int broken = ftrace_broken_sites;

	ftrace_run_update(FTRACE_UPDATE_CALLS);
	return ftrace_broken_sites == broken;
}

static int sites_update(const struct change *change)
{
	int ret = sites_refresh(change);

	return !ret && !sites_patch() ? -ENODEV : ret;
}

/**
 * ftrace_sites_update - bring all records, then the text, up to date
 *
 * Context: task, ftrace_lock.
 * Return: 0; -ENOMEM: nothing was changed; -ENODEV: a site was found broken. After an error the
 * caller takes its change back, then ftrace_sites_settle() follows, as it does on success.
 */
int ftrace_sites_update(void)
{
	return sites_update(&anything);
}

/**
 * ftrace_sites_filter_changed - ftrace_sites_update() where the filter of an ops has changed
 * @ops: the ops, or one that shares its filter
 * @filter: what it was before, still there
 * @exclude: and what it excluded
 *
 * Context: task, ftrace_lock.
 * Return: as ftrace_sites_update().
 */
int ftrace_sites_filter_changed(const struct ftrace_ops *ops, const struct ftrace_hash *filter,
				const struct ftrace_hash *exclude)
{
	const struct change change = {
		.what = FILTER_CHANGED, .ops = ops, .filter = filter, .exclude = exclude,
	};

	return sites_update(&change);
}

/* More broken sites than that are no accident. */
#define BROKEN_MAX	16

static void sites_reduce(const struct change *change)
{
	unsigned int round;

	for (round = 0; round < BROKEN_MAX; round++) {
		pass_begin();
		call_for_recs(round ? &anything : change, rec_reduce_one);
		recs_follow_sets();
		if (sites_patch())
			break;
	}
	if (round == BROKEN_MAX)
		ftrace_text_stuck = true;
	ftrace_sets_reap();
}

/**
 * ftrace_sites_reduce - something is taken away: ops, functions of a filter
 *
 * Records and text follow, whatever memory there is, and also after patching has failed: sites that
 * are not what they should be are left out. Text that cannot be written at all may go on calling
 * what was there: ftrace_text_stuck.
 *
 * Context: task, ftrace_lock.
 */
void ftrace_sites_reduce(void)
{
	sites_reduce(&anything);
}

/**
 * ftrace_sites_filter_reduced - ftrace_sites_reduce() where a filter has less functions than before
 * @ops: whose it is, perhaps with others
 *
 * Context: task, ftrace_lock.
 */
void ftrace_sites_filter_reduced(const struct ftrace_ops *ops)
{
	const struct change change = { .what = FILTER_REDUCED, .ops = ops };

	sites_reduce(&change);
}

/**
 * ftrace_sites_repatch - the text of records that were marked is out of date, not their ops
 *
 * It does not fail either, as ftrace_sites_reduce().
 *
 * Context: task, ftrace_lock.
 */
void ftrace_sites_repatch(void)
{
	if (sites_patch())
		ftrace_sets_reap();
	else
		ftrace_sites_reduce();
}

/**
 * ftrace_sites_settle - what follows ftrace_sites_update(), or that change taken back
 * @ret: what ftrace_sites_update() said
 *
 * Sites that have lost an ops by the time that one was found broken do not get it back.
 *
 * Context: task, ftrace_lock.
 */
void ftrace_sites_settle(int ret)
{
	if (ret == -ENODEV)
		ftrace_sites_reduce();
	else
		ftrace_sets_reap();
}

/**
 * ftrace_table_detach - the text of a module goes: from now on its sites call nobody
 * @table: its, still in the list
 *
 * Records without a set are not enough. The text may run on for a while, and nobody knows any more
 * what it calls, who frees a set, an ops or what that is for. Only sites that are on cost anything.
 * One that is found broken is left alone, as ever.
 *
 * Context: task, ftrace_lock. ftrace_sets_reap() has to follow.
 */
void ftrace_table_detach(struct ftrace_table *table)
{
	struct dyn_ftrace *rec;
	unsigned int round;
	bool on = false;

	for_each_table_rec(rec, table) {
		on |= rec->target && ftrace_rec_usable(rec);
		if (rec->set)
			rec_assign(rec, NULL);
	}
	/* Not ftrace_sites_reduce(): that would give them back what the registered ops want. */
	for (round = 0; on && round < BROKEN_MAX; round++)
		on = !sites_patch();
	if (on)
		ftrace_text_stuck = true;
}

static void ops_list_add(struct ftrace_ops *ops)
{
	rcu_assign_pointer(ops->next, rcu_dereference_protected(ftrace_ops_list, true));
	rcu_assign_pointer(ftrace_ops_list, ops);
	pass.nr_registered++;
}

static void ops_list_del(struct ftrace_ops *ops)
{
	struct ftrace_ops __rcu **p = &ftrace_ops_list;
	struct ftrace_ops *op;

	while ((op = rcu_dereference_protected(*p, true)) != &ftrace_list_end) {
		if (op == ops) {
			rcu_assign_pointer(*p, rcu_dereference_protected(ops->next, true));
			pass.nr_registered--;
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
	if (!enabled_now && (ops->flags & FTRACE_OPS_FL_PERMANENT))
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
 * others may run it is patched between the two calls of the architecture, which lock it.
 */
static int entry_code_set_up(void)
{
	static bool done;
	int ret;

	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) || done)
		return 0;
	ftrace_arch_code_modify_prepare();
	ret = ftrace_update_ftrace_func(ftrace_ops_list_func);
	ftrace_arch_code_modify_post_process();
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
		arch_ftrace_update_trampoline(ops);
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
	const struct change comes = { .what = OPS_COMES, .ops = ops };
	int ret;

	ret = ops_check(ops);
	if (ret)
		return ret;
	ftrace_ops_init(ops);
	ret = ftrace_check_exclusive(ops, ftrace_ops_filter(ops));
	if (!ret)
		ret = pass_make_room(pass.nr_registered + 1);
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
	ret = sites_refresh(&comes);
	if (ret) {
		ops->flags &= ~FTRACE_OPS_FL_ENABLED;
		ops_list_del(ops);
		ftrace_sets_reap();
		ops_release(ops);
		return ret;
	}
	if (!sites_patch()) {
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
	const struct change goes = { .what = OPS_GOES, .ops = ops };

	if (!(ops->flags & FTRACE_OPS_FL_ENABLED))
		return -EBUSY;
	ops->flags &= ~FTRACE_OPS_FL_ENABLED;
	sites_reduce(&goes);
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

static bool has_permanent_ops(void)
{
	struct ftrace_ops *op;

	do_for_each_ftrace_op(op, ftrace_ops_list) {
		if ((op->flags & FTRACE_OPS_FL_PERMANENT) && (op->flags & FTRACE_OPS_FL_ENABLED))
			return true;
	} while_for_each_ftrace_op(op);
	return false;
}

/* set at boot; NULL for nobody */
static void (*ftrace_sites_switch)(bool on);

void __init ftrace_sites_switch_register(void (*fn)(bool on))
{
	ftrace_sites_switch = fn;
}

/* ftrace_lock */
static int enabled_set(int value)
{
	int ret;

	if (ftrace_disabled)
		return -ENODEV;
	if (!value && enabled_now && has_permanent_ops())
		return -EBUSY;
	ftrace_enabled = value;
	if (enabled_now == !!value)
		return 0;
	enabled_now = !!value;
	if (!enabled_now) {
		ftrace_sites_reduce();
		return 0;
	}
	ret = ftrace_sites_update();
	if (ret) {
		enabled_now = 0;
		ftrace_enabled = 0;
	}
	ftrace_sites_settle(ret);
	return ret;
}

static int enabled_sysctl(const struct ctl_table *table, int write, void *buffer,
			  size_t *lenp, loff_t *ppos)
{
	static DEFINE_MUTEX(sysctl_mutex);	/* who is told twice is told the last one last */
	struct ctl_table parsed = *table;
	int value, ret;

	if (ftrace_disabled)
		return -ENODEV;
	guard(mutex)(&sysctl_mutex);
	value = ftrace_enabled;
	parsed.data = &value;
	ret = proc_dointvec(&parsed, write, buffer, lenp, ppos);
	if (ret || !write)
		return ret;
	if (!value && ftrace_sites_switch)
		ftrace_sites_switch(false);
	scoped_guard(mutex, &ftrace_lock)
		ret = enabled_set(value);
	if (enabled_now && ftrace_sites_switch)
		ftrace_sites_switch(true);
	return ret;
}

static struct ctl_table ftrace_sysctls[] = {
	{
		.procname	= "ftrace_enabled",
		.data		= &ftrace_enabled,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= enabled_sysctl,
	},
};

static int __init ftrace_sysctl_init(void)
{
	register_sysctl_init("kernel", ftrace_sysctls);
	return 0;
}
late_initcall(ftrace_sysctl_init);
