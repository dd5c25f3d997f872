// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets of ops. A call site has one, and sites that have the same ops share it.
 *
 * So when the function tracer runs in two instances on 22,000 functions there is one set of
 * two ops, 22,000 records that point at it and, with call-ops, 22,000 literals
 * that hold its address. A call runs exactly the ops of its site, without a filter being
 * looked at, and a set may cost what it likes to make.
 *
 * A set that no record uses any more may still be run by a task that was
 * preempted on its way into it. It is freed after both kinds of grace period that cover
 * such tasks: RCU tasks for those that were preempted, the rude one for CPUs
 * that are idle or where RCU does not watch.
 */
#include <kunit/static_stub.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "function.h"

static DEFINE_HASHTABLE(op_sets, 8);

/* Sets to be freed; ftrace_lock */
static LIST_HEAD(reap_list);
static void sets_free_work(struct work_struct *work);
static DECLARE_WORK(reap_work, sets_free_work);

/*
 * The last change from one set to another. A pass over all sites asks for the
 * same change again and again. ftrace_lock
 */
static struct {
	struct ftrace_op_set	*from, *to;
	struct ftrace_ops	*op;
	bool			add;
} last_change;

bool ftrace_set_has(const struct ftrace_op_set *set, const struct ftrace_ops *op)
{
	unsigned int i;

	if (!set)
		return false;
	for (i = 0; i < set->nr; i++) {
		if (set->ops[i] == op)
			return true;
	}
	return false;
}

/* Ops that cannot look after themselves: against recursion, and where RCU does not watch. */
static void notrace op_call_guarded(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	bool unwatched = (op->flags & FTRACE_OPS_FL_RCU) && !rcu_is_watching();
	int bit = unwatched ? -1 : trace_test_and_set_recursion(ip, parent_ip, TRACE_LIST_START);

	if (bit >= 0) {
		op->func(ip, parent_ip, op, fregs);
		trace_clear_recursion(bit);
	}
}

static __always_inline bool op_wants_guard(const struct ftrace_ops *op)
{
	return op->flags & (FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU);
}

/* What a trampoline for @ops alone is to call. Any context. */
ftrace_func_t ftrace_ops_get_func(struct ftrace_ops *ops)
{
	return op_wants_guard(ops) ? op_call_guarded : ops->func;
}

/* Run @set at a site. Any context, preemption on or off. */
void notrace ftrace_set_call(struct ftrace_op_set *set, unsigned long ip, unsigned long parent_ip,
			     struct ftrace_regs *fregs)
{
	unsigned int i;

	for (i = 0; i < set->nr_call; i++) {
		struct ftrace_ops *op = set->call[i];

		if (unlikely(op_wants_guard(op)))
			op_call_guarded(ip, parent_ip, op, fregs);
		else
			op->func(ip, parent_ip, op, fregs);
	}
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (set->nr_graph)
		set->graph[0]->ops.func(ip, parent_ip, &set->caller, fregs);
#endif
}

/* ops::func of ftrace_op_set::caller */
static void notrace set_caller(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	ftrace_set_call(ftrace_op_to_set(op), ip, parent_ip, fregs);
}

static void set_sort_out(struct ftrace_op_set *set)
{
	bool alone = set->nr == 1;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		struct ftrace_ops *op = set->ops[i];

		if (op->flags & FTRACE_OPS_FL_SAVE_REGS)
			set->rec_flags |= FTRACE_FL_REGS;
		if (op->flags & FTRACE_OPS_FL_IPMODIFY)
			set->rec_flags |= FTRACE_FL_IPMODIFY;
		if (op->flags & FTRACE_OPS_FL_DIRECT) {
			set->rec_flags |= FTRACE_FL_DIRECT;
			/* Only entry code that saves all can go on to a direct call. */
			if (!alone && IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS))
				set->rec_flags |= FTRACE_FL_REGS;
		}
		if (op->flags & FTRACE_OPS_FL_STUB)
			continue;
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
		if (op->flags & FTRACE_OPS_FL_GRAPH) {
			set->graph[set->nr_graph++] = container_of(op, struct fgraph_ops, ops);
			continue;
		}
#endif
		set->call[set->nr_call++] = op;
	}

	set->caller.flags = FTRACE_OPS_FL_SET;
	set->caller.func = set_caller;
	set->target = &set->caller;
	if (alone && !op_wants_guard(set->ops[0]) && !(set->ops[0]->flags & FTRACE_OPS_FL_STUB))
		set->target = set->ops[0];
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	else if (set->nr_graph == set->nr)
		set->caller.func = set->graph[0]->ops.func;
#endif
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
	set->rec_flags |= FTRACE_FL_CALL_OPS;
#else
	if (alone && set->ops[0]->trampoline)
		set->rec_flags |= FTRACE_FL_TRAMP;
#endif
}

static u32 set_key(struct ftrace_ops **ops, unsigned int nr)
{
	return jhash2((u32 *)ops, nr * sizeof(*ops) / sizeof(u32), nr);
}

/* An empty set with room for @nr ops. KUnit has it fail. */
struct ftrace_op_set *ftrace_set_alloc(unsigned int nr)
{
	struct ftrace_op_set *set;
	void *arrays;

	KUNIT_STATIC_STUB_REDIRECT(ftrace_set_alloc, nr);

	set = kzalloc(sizeof(*set), GFP_KERNEL);
	arrays = kcalloc(nr, 3 * sizeof(void *), GFP_KERNEL);
	if (!set || !arrays) {
		kfree(set);
		kfree(arrays);
		return NULL;
	}
	set->ops = arrays;
	set->call = arrays + nr * sizeof(void *);
	set->graph = arrays + nr * 2 * sizeof(void *);
	set->nr = nr;
	return set;
}

/* The set of the @nr sorted @ops, made if it is not there; NULL without memory. */
static struct ftrace_op_set *set_find_or_make(struct ftrace_ops **ops, unsigned int nr)
{
	u32 key = set_key(ops, nr);
	struct ftrace_op_set *set;

	hash_for_each_possible(op_sets, set, node, key) {
		if (set->key == key && set->nr == nr && !memcmp(set->ops, ops, nr * sizeof(*ops)))
			return set;
	}

	set = ftrace_set_alloc(nr);
	if (!set)
		return NULL;
	set->key = key;
	memcpy(set->ops, ops, nr * sizeof(*ops));
	INIT_LIST_HEAD(&set->reap);
	set_sort_out(set);
	hash_add(op_sets, &set->node, key);
	return set;
}

static struct ftrace_op_set *set_change(struct ftrace_op_set *set, struct ftrace_ops *op, bool add)
{
	unsigned int i, n = 0, nr = set ? set->nr : 0;
	struct ftrace_op_set *to;
	struct ftrace_ops **ops;

	if (last_change.to && last_change.from == set && last_change.op == op &&
	    last_change.add == add)
		return last_change.to;

	ops = kmalloc_array(nr + 1, sizeof(*ops), GFP_KERNEL);
	if (!ops)
		return NULL;
	for (i = 0; i < nr && set->ops[i] < op; i++)
		ops[n++] = set->ops[i];
	if (add)
		ops[n++] = op;
	for (; i < nr; i++) {
		if (set->ops[i] != op)
			ops[n++] = set->ops[i];
	}
	to = set_find_or_make(ops, n);
	kfree(ops);

	last_change.from = set;
	last_change.op = op;
	last_change.add = add;
	last_change.to = to;
	return to;
}

/* @set and @op, which is not in it. NULL without memory. */
struct ftrace_op_set *ftrace_set_with(struct ftrace_op_set *set, struct ftrace_ops *op)
{
	return set_change(set, op, true);
}

/* @set but for @op, which is in it; for the last one ERR_PTR(-ENOENT). NULL without memory. */
struct ftrace_op_set *ftrace_set_without(struct ftrace_op_set *set, struct ftrace_ops *op)
{
	if (set->nr == 1)
		return ERR_PTR(-ENOENT);
	return set_change(set, op, false);
}

void ftrace_set_get(struct ftrace_op_set *set, unsigned int n)
{
	if (set)
		set->users += n;
}

void ftrace_set_put(struct ftrace_op_set *set, unsigned int n)
{
	if (set)
		set->users -= n;
}

static void sets_free_work(struct work_struct *work)
{
	struct ftrace_op_set *set, *next;
	LIST_HEAD(list);

	mutex_lock(&ftrace_lock);
	list_splice_init(&reap_list, &list);
	mutex_unlock(&ftrace_lock);

	if (list_empty(&list))
		return;
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
	list_for_each_entry_safe(set, next, &list, reap) {
		kfree(set->ops);
		kfree(set);
	}
}

/*
 * The text is up to date: have the sets freed that no record uses. Not before: a pass that
 * fails goes back to them, and must not need memory for that.
 */
void ftrace_sets_reap(void)
{
	struct ftrace_op_set *set;
	struct hlist_node *next;
	unsigned int bucket;
	bool any = false;

	last_change.to = NULL;
	hash_for_each_safe(op_sets, bucket, next, set, node) {
		if (set->users)
			continue;
		hash_del(&set->node);
		list_add_tail(&set->reap, &reap_list);
		any = true;
	}
	if (any && system_wq)
		schedule_work(&reap_work);
}
