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

#include "sites.h"

static DEFINE_HASHTABLE(op_sets, 8);

/* Sets to be freed; ftrace_lock */
static LIST_HEAD(reap_list);
static void sets_free_work(struct work_struct *work);
static DECLARE_WORK(reap_work, sets_free_work);

/* What was asked for last: a pass over all sites asks for the same again and again. ftrace_lock */
static struct ftrace_op_set *last_set;

/*
 * Stands in a set for an ops that was unregistered when there was no memory for a set
 * without it. Never registered, so the next pass that finds memory makes that set.
 */
static void notrace call_gone(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
struct fgraph_ops *ftrace_graph_nobody;
#endif

/* set at boot; NULL for nobody */
static const struct ftrace_joint *ftrace_joint;

void __init ftrace_joint_register(const struct ftrace_joint *joint)
{
	ftrace_joint = joint;
}

struct ftrace_ops ftrace_gone_ops = {
	.func	= call_gone,
	.flags	= FTRACE_OPS_FL_STUB,
};

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

/*
 * Does @op take it for granted that there are full registers? Between the moment that a site gets
 * such an ops, as one of several, and the moment that its text is patched the set is reached by
 * entry code that saves none: where there are two kinds of it, on x86. Kprobes are like that.
 */
static __always_inline bool op_needs_regs(const struct ftrace_ops *op)
{
	const unsigned long kinds = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED;

	return IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) &&
	       (op->flags & kinds) == FTRACE_OPS_FL_SAVE_REGS;
}

/* Who is not simply called. */
static __always_inline bool op_is_special(const struct ftrace_ops *op)
{
	return op_wants_guard(op) || op_needs_regs(op);
}

static __always_inline void op_call_special(unsigned long ip, unsigned long parent_ip,
					    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	/* It is not on the site yet. */
	if (op_needs_regs(op) && !ftrace_get_regs(fregs))
		return;
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) || op_wants_guard(op))
		op_call_guarded(ip, parent_ip, op, fregs);
	else
		op->func(ip, parent_ip, op, fregs);
}

/* What a trampoline for @ops alone is to call. Any context. */
ftrace_func_t ftrace_ops_get_func(struct ftrace_ops *ops)
{
	return op_wants_guard(ops) ? op_call_guarded : ops->func;
}

static __always_inline void set_call(struct ftrace_op_set *set, unsigned long ip,
				     unsigned long parent_ip, struct ftrace_regs *fregs)
{
	unsigned long i, nr = set->nr_call;

	for (i = 0; i < nr; i++) {
		/* pairs with ftrace_set_retire(): the ops or its stand-in */
		struct ftrace_ops *op = READ_ONCE(set->call[i]);

		if (unlikely(op_is_special(op)))
			op_call_special(ip, parent_ip, op, fregs);
		else
			op->func(ip, parent_ip, op, fregs);
	}
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (set->nr_graph)
		ftrace_graph_nobody->ops.func(ip, parent_ip, &set->caller, fregs);
#endif
}

/* The same where nobody is special, and the graph is not there twice. */
static void notrace set_caller_plain(unsigned long ip, unsigned long parent_ip,
				     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct ftrace_op_set *set = ftrace_op_to_set(op);
	struct ftrace_ops **at = set->call, **end = at + set->nr_call;

	do {
		op = READ_ONCE(*at++);	/* as above */
		op->func(ip, parent_ip, op, fregs);
	} while (at < end);
}

/* The same with two of them, which is what there is most. */
static void notrace set_caller_two(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct ftrace_ops **call = ftrace_op_to_set(op)->call;
	struct ftrace_ops *first = READ_ONCE(call[0]), *second = READ_ONCE(call[1]);

	first->func(ip, parent_ip, first, fregs);
	second->func(ip, parent_ip, second, fregs);
}

/* ops::func of ftrace_op_set::caller */
static void notrace set_caller(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	set_call(ftrace_op_to_set(op), ip, parent_ip, fregs);
}

/* Run @set at a site. Any context, preemption on or off. */
void notrace ftrace_set_call(struct ftrace_op_set *set, unsigned long ip, unsigned long parent_ip,
			     struct ftrace_regs *fregs)
{
	if (set->caller.func == set_caller)
		set_call(set, ip, parent_ip, fregs);
	else
		set->caller.func(ip, parent_ip, &set->caller, fregs);
}

/* What the records of @set need. */
static unsigned long set_rec_flags(const struct ftrace_op_set *set)
{
	bool alone = set->nr == 1;
	unsigned long flags = 0;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		const struct ftrace_ops *op = set->ops[i];

		if (op->flags & FTRACE_OPS_FL_SAVE_REGS)
			flags |= FTRACE_FL_REGS;
		if (op->flags & FTRACE_OPS_FL_IPMODIFY)
			flags |= FTRACE_FL_IPMODIFY;
		if (op->flags & FTRACE_OPS_FL_DIRECT) {
			flags |= FTRACE_FL_DIRECT;
			/* Only entry code that saves all can go on to a direct call. */
			if (!alone && IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS))
				flags |= FTRACE_FL_REGS;
		}
	}
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
	flags |= FTRACE_FL_CALL_OPS;
#else
	if (ftrace_set_trampoline(set))
		flags |= FTRACE_FL_TRAMP;
#endif
	return flags;
}

/* Has @set several ops that are called, and can they be called at once? */
static bool set_is_joint(const struct ftrace_op_set *set)
{
	if (!ftrace_joint || set->nr_call < 2 || set->nr_call < set->nr)
		return false;
	for (unsigned int i = 0; i < set->nr_call; i++)
		if (op_is_special(set->call[i]) || !ftrace_joint->owns(set->call[i]))
			return false;
	return true;
}

static bool set_is_plain(const struct ftrace_op_set *set)
{
	for (unsigned int i = 0; i < set->nr_call; i++)
		if (op_is_special(set->call[i]))
			return false;
	return set->nr_call && !set->nr_graph;
}

/* Which of the ops are called, which run at once for the graph, by what, and what records get. */
static void set_classify(struct ftrace_op_set *set)
{
	bool alone = set->nr == 1;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		struct ftrace_ops *op = set->ops[i];

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
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	/* A user of the graph that has the site to itself is called like any ops, as the last. */
	if (set->nr_graph == 1) {
		set->call[set->nr_call++] = &set->graph[0]->ops;
		set->nr_graph = 0;
	}
#endif

	set->rec_flags = set_rec_flags(set);
	set->caller.flags = FTRACE_OPS_FL_SET;
	if (set_is_joint(set))
		set->caller.func = ftrace_joint->func;
	else if (!set_is_plain(set))
		set->caller.func = set_caller;
	else
		set->caller.func = set->nr_call == 2 ? set_caller_two : set_caller_plain;
	set->target = &set->caller;
	if (alone && !op_wants_guard(set->ops[0]) && !(set->ops[0]->flags & FTRACE_OPS_FL_STUB))
		set->target = set->ops[0];
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	else if (set->nr_graph == set->nr)
		set->caller.func = ftrace_graph_nobody->ops.func;
#endif
}

/* Sites that have call-ops need none. */
static void set_get_trampoline(struct ftrace_op_set *set)
{
	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS))
		return;
	ftrace_set_make_trampoline(set);
	set->rec_flags = set_rec_flags(set);
}

static u32 set_key(struct ftrace_ops **ops, unsigned int nr)
{
	return jhash2((u32 *)ops, nr * sizeof(*ops) / sizeof(u32), nr);
}

static struct ftrace_op_set *set_alloc(unsigned int nr, gfp_t gfp)
{
	struct ftrace_op_set *set;
	void *arrays;

	set = kzalloc(sizeof(*set), gfp);
	arrays = kcalloc(nr, 3 * sizeof(void *), gfp);
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

/* An empty set with room for @nr ops. KUnit has it fail. */
struct ftrace_op_set *ftrace_set_alloc(unsigned int nr)
{
	KUNIT_STATIC_STUB_REDIRECT(ftrace_set_alloc, nr);

	return set_alloc(nr, GFP_KERNEL);
}

/* Is @set that of the @nr ops, in the order of the list? No set is the set of none. */
bool ftrace_set_is(const struct ftrace_op_set *set, struct ftrace_ops **ops, unsigned int nr)
{
	if (!set)
		return !nr;
	return set->nr == nr && !memcmp(set->ops, ops, nr * sizeof(*ops));
}

/**
 * ftrace_set_of - the set of some ops, made if it is not there
 * @ops:	in the order of ftrace_ops_list
 * @nr:		at least one
 * @must:	wait for memory as long as it takes
 *
 * Context: task, ftrace_lock; sleeps.
 * Return: the set, which stays until the next ftrace_sets_reap() if nobody takes it; NULL without
 * memory.
 */
struct ftrace_op_set *ftrace_set_of(struct ftrace_ops **ops, unsigned int nr, bool must)
{
	struct ftrace_op_set *set;
	u32 key;

	/* mostly that of the site before; to work out the key of many ops takes longer */
	if (last_set && ftrace_set_is(last_set, ops, nr))
		return last_set;
	key = set_key(ops, nr);
	hash_for_each_possible(op_sets, set, node, key) {
		if (set->key == key && ftrace_set_is(set, ops, nr))
			goto found;
	}

	set = ftrace_set_alloc(nr);
	if (!set && must)
		set = set_alloc(nr, GFP_KERNEL | __GFP_NOFAIL);
	if (!set)
		return NULL;
	set->key = key;
	memcpy(set->ops, ops, nr * sizeof(*ops));
	INIT_LIST_HEAD(&set->reap);
	set_classify(set);
	if (nr > 1 && !ftrace_set_trampolines_full())
		set_get_trampoline(set);
	/*
	 * It is complete, and so are its ops, before it is found: in a record or in the literal of
	 * a site that is on already, from where a call has it without a barrier.
	 */
	smp_wmb();
	hash_add(op_sets, &set->node, key);
found:
	last_set = set;
	return set;
}

/**
 * ftrace_set_retire - an ops is unregistered, and there is no memory for a set without it
 * @set: of several ops
 * @op:  one of them; no site may want it any more
 *
 * It is replaced where it stands, for all sites of @set. Calls that are on their way may still
 * run it, as after any change of sets: it is freed after ftrace_ops_sync().
 *
 * Context: ftrace_lock.
 */
void ftrace_set_retire(struct ftrace_op_set *set, struct ftrace_ops *op)
{
	unsigned int i;

	if (op == &ftrace_gone_ops)
		return;
	for (i = 0; i < set->nr; i++) {
		if (set->ops[i] == op)
			set->ops[i] = &ftrace_gone_ops;
	}
	/* pairs with the READ_ONCE() of those who call */
	for (i = 0; i < set->nr_call; i++) {
		if (set->call[i] == op)
			WRITE_ONCE(set->call[i], &ftrace_gone_ops);
	}
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	for (i = 0; i < set->nr_graph; i++) {
		if (&set->graph[i]->ops == op)
			WRITE_ONCE(set->graph[i], ftrace_graph_nobody);
	}
#endif
	set->nr_gone++;
	/* Nobody asks for a set with the stand-in: it is found no more, but for being freed. */
	set->rec_flags = set_rec_flags(set);
}

/**
 * ftrace_set_grown - a set turns out to have many sites
 * @set: it
 *
 * It gets entry code, if there was no room for that when it was made.
 *
 * Context: task, ftrace_lock; sleeps.
 * Return: whether records that have @set already need other flags now.
 */
bool ftrace_set_grown(struct ftrace_op_set *set)
{
	if (set->nr < 2 || set->nr_gone || set->caller.trampoline)
		return false;
	set_get_trampoline(set);
	return set->caller.trampoline;
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

/* Nobody is in them any more. */
static void sets_drop_trampolines(struct list_head *sets)
{
	struct ftrace_op_set *set;
	bool any = false;

	scoped_guard(mutex, &ftrace_lock) {
		list_for_each_entry(set, sets, reap) {
			any |= set->caller.trampoline;
			ftrace_set_hide_trampoline(set);
		}
	}
	if (!any)
		return;
	synchronize_rcu_tasks_rude();
	guard(mutex)(&ftrace_lock);
	list_for_each_entry(set, sets, reap)
		ftrace_ops_drop_trampoline(&set->caller);
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
	ftrace_ops_sync();
	sets_drop_trampolines(&list);
	list_for_each_entry_safe(set, next, &list, reap) {
		kfree(set->ops);
		kfree(set);
	}
}

/*
 * The text is up to date: have the sets freed that no record uses. When it cannot be brought up to
 * date, sites call what records do not know of: then none is ever freed again.
 */
void ftrace_sets_reap(void)
{
	struct ftrace_op_set *set;
	struct hlist_node *next;
	unsigned int bucket;
	bool any = false;

	last_set = NULL;
	if (ftrace_text_stuck)
		return;
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
