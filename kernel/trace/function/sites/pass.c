// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pass over the records: which site calls what.
 *
 * Whatever changes - an ops comes or goes, a filter is written, ftrace_enabled flips - ends in
 * one. Of those records that the change concerns it compares the ops that a site has with those it
 * should have: states, not differences. All others have what they should, but for two that any
 * pass looks at: where an ops that has gone is stood in for, and, if a module came when memory was
 * short, all (pass.lacks).
 *
 * What adds calls may fail: all sets are there before the first record is changed, so there is
 * nothing to take back when memory is short. What only takes calls away cannot fail, whatever
 * memory there is and after a site was found broken: who asks for it frees what was called.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "sites.h"

/*
 * The active ops, and those that a site should have, both in the order of the list. There is room
 * for all that are registered: made when one comes, so that none is needed when one goes.
 * ftrace_lock
 */
static struct {
	struct ftrace_ops	**active, **wanted;
	unsigned int		nr_active, room;
	bool			grown;	/* a set got entry code when some records had it already */
	bool			lacks;	/* some records have not all that they should */
} pass;

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
	       (ftrace_enabled_now || (ops->flags & FTRACE_OPS_FL_PERMANENT));
}

/* Room for so many ops; 0 or -ENOMEM. */
int ftrace_pass_make_room(unsigned int nr)
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
 * ftrace_sites_patch(). -ENOMEM: no record was changed.
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
bool ftrace_sites_patch(void)
{
	unsigned int broken = ftrace_broken_sites;

	ftrace_run_update(FTRACE_UPDATE_CALLS);
	return ftrace_broken_sites == broken;
}

/**
 * ftrace_sites_ops_comes - the records follow where an ops was registered
 * @ops: it, in the list, and there is room for it: ftrace_pass_make_room()
 *
 * ftrace_sites_patch() is next.
 *
 * Context: task, ftrace_lock.
 * Return: 0; -ENOMEM: no record was changed.
 */
int ftrace_sites_ops_comes(const struct ftrace_ops *ops)
{
	const struct change change = { .what = OPS_COMES, .ops = ops };

	return sites_refresh(&change);
}

static int sites_update(const struct change *change)
{
	int ret = sites_refresh(change);

	return !ret && !ftrace_sites_patch() ? -ENODEV : ret;
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
		if (ftrace_sites_patch())
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
 * ftrace_sites_ops_goes - ftrace_sites_reduce() where an ops is not ENABLED any more
 * @ops: it, still in the list
 *
 * Context: task, ftrace_lock.
 */
void ftrace_sites_ops_goes(const struct ftrace_ops *ops)
{
	const struct change change = { .what = OPS_GOES, .ops = ops };

	sites_reduce(&change);
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
	if (ftrace_sites_patch())
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
		on = !ftrace_sites_patch();
	if (on)
		ftrace_text_stuck = true;
}
