// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: sets of addresses, patterns, and ops on a function of this file. */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/trace_recursion.h>

#include "../../tests/suite.h"
#include "../sites/sites.h"
#include "filters.h"
#include "function_profile.h"
#include "internal.h"

static void hash_holds_what_was_added(struct kunit *test)
{
	struct ftrace_hash *hash = ftrace_hash_alloc(0), *copy;
	unsigned long ip, n = 0;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, hash);
	for (ip = 0x1000; ip < 0x1000 + 4 * 5000; ip += 4)
		KUNIT_ASSERT_EQ(test, ftrace_hash_add(hash, ip), 0);
	KUNIT_EXPECT_EQ(test, ftrace_hash_add(hash, 0x1000), 0);
	KUNIT_EXPECT_EQ(test, hash->count, 5000);
	for (ip = 0x1000; ip < 0x1000 + 4 * 5000; ip += 8)
		KUNIT_EXPECT_TRUE(test, ftrace_hash_del(hash, ip));
	KUNIT_EXPECT_FALSE(test, ftrace_hash_del(hash, 0x1000));
	KUNIT_EXPECT_FALSE(test, ftrace_hash_has(hash, 0x1000));
	KUNIT_EXPECT_TRUE(test, ftrace_hash_has(hash, 0x1004));

	copy = ftrace_hash_dup(hash);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	for_each_ftrace_hash_ip(ip, copy, i)
		n += ftrace_hash_has(hash, ip);
	KUNIT_EXPECT_EQ(test, n, 2500);
	KUNIT_EXPECT_EQ(test, ftrace_hash_del_range(copy, 0, 0x1000 + 100), 12);
	KUNIT_EXPECT_EQ(test, copy->count, 2488);
	ftrace_hash_free(copy);

	/* Adding and deleting for ever must not fill it with deleted slots. */
	for (i = 0; i < 100000; i++) {
		KUNIT_ASSERT_EQ(test, ftrace_hash_add(hash, 0x100000 + 4 * i), 0);
		ftrace_hash_del(hash, 0x100000 + 4 * i);
	}
	KUNIT_EXPECT_LE(test, hash->bits, 14);
	ftrace_hash_free(hash);
}

static unsigned long *no_slots(unsigned int bits)
{
	return NULL;
}

static void hash_has_the_room_that_was_reserved(struct kunit *test)
{
	struct ftrace_hash *hash = ftrace_hash_alloc(0);
	unsigned long ip;

	KUNIT_ASSERT_NOT_NULL(test, hash);
	/* also among the slots of what was deleted */
	for (unsigned long first = 0x1000; first < 0x10000; first += 0x1000) {
		KUNIT_ASSERT_EQ(test, ftrace_hash_reserve(hash, 1000), 0);
		kunit_activate_static_stub(test, ftrace_hash_slots, no_slots);
		for (ip = first; ip < first + 4 * 1000; ip += 4)
			KUNIT_EXPECT_EQ(test, ftrace_hash_add(hash, ip), 0);
		KUNIT_EXPECT_EQ(test, hash->count, 1000);
		KUNIT_EXPECT_EQ(test, ftrace_hash_reserve(hash, 100000), -ENOMEM);
		KUNIT_EXPECT_EQ(test, hash->count, 1000);
		kunit_deactivate_static_stub(test, ftrace_hash_slots);
		KUNIT_EXPECT_EQ(test, ftrace_hash_del_range(hash, 0, ULONG_MAX), 1000);
	}
	KUNIT_EXPECT_EQ(test, ftrace_hash_reserve(hash, 1 << 24), -E2BIG);
	ftrace_hash_free(hash);
}

static void patterns_mean_what_they_say(struct kunit *test)
{
	static const struct {
		const char	*pattern, *yes, *no;
	} cases[] = {
		{ "schedule",	"schedule",	"schedule_timeout" },
		{ "sched*",	"schedule",	"preempt_schedule" },
		{ "*lock",	"spin_lock",	"lockdep" },
		{ "*lock*",	"clockevent",	"schedule" },
		{ "*",		"anything",	NULL },
		{ "a*z",	"abcz",		"abc" },
		{ "?chedule",	"schedule",	"chedule" },
		{ "vfs_[rw]*",	"vfs_read",	"vfs_open" },
	};
	struct ftrace_pattern pattern;
	char text[32];
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		strscpy(text, cases[i].pattern, sizeof(text));
		ftrace_pattern_parse(text, &pattern);
		KUNIT_EXPECT_FALSE(test, pattern.not);
		KUNIT_EXPECT_TRUE_MSG(test, ftrace_pattern_match(&pattern, cases[i].yes,
								 strlen(cases[i].yes)),
				      "%s", cases[i].pattern);
		if (cases[i].no)
			KUNIT_EXPECT_FALSE_MSG(test, ftrace_pattern_match(&pattern, cases[i].no,
									  strlen(cases[i].no)),
					       "%s", cases[i].pattern);
	}
	strscpy(text, "!sched*", sizeof(text));
	ftrace_pattern_parse(text, &pattern);
	KUNIT_EXPECT_TRUE(test, pattern.not);
	KUNIT_EXPECT_EQ(test, pattern.glob.type, TRACE_GLOB_FRONT);
	strscpy(text, "17", sizeof(text));
	ftrace_pattern_parse(text, &pattern);
	KUNIT_EXPECT_TRUE(test, pattern.by_index);
	KUNIT_EXPECT_EQ(test, pattern.index, 17);
}

/* Functions of this directory cannot be traced: one from elsewhere. */
#define TRACED		((unsigned long)kstrdup)

struct counter {
	struct ftrace_ops	ops;
	struct task_struct	*task;
	int			calls;
};

static void notrace count_call(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct counter *counter = container_of(op, struct counter, ops);

	if (current == counter->task)
		counter->calls++;
}

static void call_it(void)
{
	kfree(kstrdup("x", GFP_KERNEL));
}

/* A call finds the set of several ops without looking the site up, and unwinders know the way. */
static void site_knows_its_set(struct kunit *test, struct dyn_ftrace *rec)
{
	struct ftrace_ops *caller = &rec->set->caller;

	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS)) {
		KUNIT_EXPECT_PTR_EQ(test, ftrace_find_unique_ops(rec), caller);
		return;
	}
	if (!IS_ENABLED(CONFIG_X86_64))
		return;
	preempt_disable();
	KUNIT_EXPECT_PTR_EQ(test, ftrace_ops_trampoline(rec->target + 4), caller);
	preempt_enable();
}

static void each_ops_is_called_once(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 4, sizeof(*c), GFP_KERNEL);
	struct dyn_ftrace *rec;
	int i, k;

	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_ASSERT_NE(test, ftrace_location(TRACED), 0);
	for (i = 0; i < 4; i++) {
		c[i].ops.func = count_call;
		c[i].ops.flags = i == 3 ? FTRACE_OPS_FL_RECURSION : 0;
		c[i].task = current;
		KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&c[i].ops, TRACED, 0, 1), 0);
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[i].ops), 0);
		KUNIT_EXPECT_EQ(test, register_ftrace_function(&c[i].ops), -EBUSY);
		call_it();
	}
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, c[i].calls, 4 - i);

	rec = ftrace_lookup_rec(ftrace_location(TRACED), ftrace_location(TRACED));
	KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec), 4);
	site_knows_its_set(test, rec);

	/* one after the other goes, from the middle first */
	for (k = 0; k < 4; k++) {
		i = (k + 1) % 4;
		KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c[i].ops), 0);
		KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c[i].ops), -EBUSY);
		c[i].calls = 0;
		call_it();
		KUNIT_EXPECT_EQ(test, c[i].calls, 0);
		ftrace_free_filter(&c[i].ops);
	}
	KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec), 0);
	KUNIT_EXPECT_NULL(test, rec->set);
}

#ifdef CONFIG_X86_64
static bool trampolines_full(void)
{
	return true;
}

static unsigned int sites_of(const struct ftrace_op_set *set, bool with_entry_code)
{
	struct ftrace_table *table;
	struct dyn_ftrace *rec;
	unsigned int n = 0;

	for_each_ftrace_table(table) {
		for_each_table_rec(rec, table)
			n += rec->set == set && (!with_entry_code || rec->target ==
						 set->caller.trampoline);
	}
	return n;
}

/* Whoever came before, a set of many sites has entry code of its own, for all of them. */
static void many_sites_need_no_lookup(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	struct dyn_ftrace *rec;
	char many[] = "*alloc*";
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_ASSERT_NE(test, ftrace_location(TRACED), 0);
	rec = ftrace_lookup_rec(ftrace_location(TRACED), ftrace_location(TRACED));

	kunit_activate_static_stub(test, ftrace_set_trampolines_full, trampolines_full);
	for (int i = 0; i < 2; i++) {
		c[i].ops.func = count_call;
		c[i].task = current;
		KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&c[i].ops, TRACED, 0, 1), 0);
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[i].ops), 0);
	}
	scoped_guard(mutex, &ftrace_lock) {
		KUNIT_EXPECT_EQ(test, rec->set->caller.trampoline, 0);
		KUNIT_EXPECT_EQ(test, sites_of(rec->set, false), 1);
	}
	for (int i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, ftrace_set_filter(&c[i].ops, many, strlen(many), 0), 0);
	scoped_guard(mutex, &ftrace_lock) {
		n = sites_of(rec->set, false);
		KUNIT_EXPECT_GT(test, n, 256);
		KUNIT_EXPECT_NE(test, rec->set->caller.trampoline, 0);
		KUNIT_EXPECT_EQ(test, sites_of(rec->set, true), n);
	}
	c[0].calls = 0;
	c[1].calls = 0;
	call_it();
	/* what allocates is among them */
	KUNIT_EXPECT_GT(test, c[0].calls, 0);
	KUNIT_EXPECT_EQ(test, c[1].calls, c[0].calls);
	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c[i].ops), 0);
		ftrace_free_filter(&c[i].ops);
	}
}
#endif

/* KUnit's stubs are the test's own: others that trace meanwhile get their memory. */
static struct ftrace_op_set *no_memory(unsigned int nr)
{
	return NULL;
}

static void nothing_changes_without_memory(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	struct ftrace_op_set *before;
	struct dyn_ftrace *rec;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	for (i = 0; i < 2; i++) {
		c[i].ops.func = count_call;
		c[i].task = current;
		KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&c[i].ops, TRACED, 0, 1), 0);
	}
	rec = ftrace_lookup_rec(ftrace_location(TRACED), ftrace_location(TRACED));

	/* The first ops of a function, and one that joins another */
	for (i = 0; i < 2; i++) {
		before = rec->set;
		kunit_activate_static_stub(test, ftrace_set_alloc, no_memory);
		KUNIT_EXPECT_EQ(test, register_ftrace_function(&c[i].ops), -ENOMEM);
		kunit_deactivate_static_stub(test, ftrace_set_alloc);
		KUNIT_EXPECT_PTR_EQ(test, rec->set, before);
		c[0].calls = 0;
		call_it();
		KUNIT_EXPECT_EQ(test, c[0].calls, i);
		KUNIT_EXPECT_EQ(test, c[1].calls, 0);
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[i].ops), 0);
	}

	/* A filter that cannot be had leaves the old one. */
	kunit_activate_static_stub(test, ftrace_set_alloc, no_memory);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(&c[1].ops, "*printk*", 8, 1), -ENOMEM);
	kunit_deactivate_static_stub(test, ftrace_set_alloc);
	c[0].calls = 0;
	c[1].calls = 0;
	call_it();
	KUNIT_EXPECT_EQ(test, c[0].calls, 1);
	KUNIT_EXPECT_EQ(test, c[1].calls, 1);
	KUNIT_EXPECT_TRUE(test, ftrace_hash_has(ftrace_ops_filter(&c[1].ops), rec->ip));

	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c[i].ops), 0);
		ftrace_free_filter(&c[i].ops);
	}
	KUNIT_EXPECT_NULL(test, rec->set);
}

#if defined(CONFIG_X86) && defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
/*
 * A site has a set at once, and its text follows: who takes full registers for granted is not
 * called by entry code that has none.
 */
static void registers_are_waited_for(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	struct ftrace_regs *fregs = kunit_kzalloc(test, ftrace_regs_size(), GFP_KERNEL);
	struct ftrace_ops *ops[2];
	struct ftrace_op_set *set;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_ASSERT_NOT_NULL(test, fregs);
	for (i = 0; i < 2; i++) {
		c[i].ops.func = count_call;
		c[i].task = current;
		ops[i] = &c[i].ops;
	}
	c[1].ops.flags = FTRACE_OPS_FL_SAVE_REGS;

	mutex_lock(&ftrace_lock);
	set = ftrace_set_of(ops, 2, false);
	if (set) {
		ftrace_set_call(set, TRACED, TRACED, fregs);
		set->caller.func(TRACED, TRACED, &set->caller, fregs);
		KUNIT_EXPECT_EQ(test, c[0].calls, 2);
		KUNIT_EXPECT_EQ(test, c[1].calls, 0);

		/* as ftrace_regs_caller() leaves it */
		arch_ftrace_regs(fregs)->regs.cs = __KERNEL_CS;
		ftrace_set_call(set, TRACED, TRACED, fregs);
		KUNIT_EXPECT_EQ(test, c[0].calls, 3);
		KUNIT_EXPECT_EQ(test, c[1].calls, 1);
	}
	ftrace_sets_reap();
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_NOT_NULL(test, set);
}
#endif

static void filters_that_cannot_be_are_refused(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->ops.func = count_call;
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&c->ops, (unsigned long)c, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&c->ops, TRACED, 1, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(&c->ops, "no_such_function", 16, 0), -EINVAL);
	KUNIT_EXPECT_NULL(test, ftrace_ops_filter(&c->ops));
	/* nobody may redirect all functions */
	c->ops.flags |= FTRACE_OPS_FL_IPMODIFY;
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c->ops), -EINVAL);
	ftrace_free_filter(&c->ops);
}

/* "!name" cannot be said of an ops that sees all functions: it goes on to see them, as the file. */
static void what_is_taken_from_all_leaves_all(struct kunit *test)
{
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	unsigned long ip = ftrace_location(TRACED);
	char one[] = "kstrdup", no_one[] = "!kstrdup";

	KUNIT_ASSERT_NOT_NULL(test, ops);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(ops, no_one, strlen(no_one), 0), 0);
	KUNIT_EXPECT_TRUE(test, ftrace_ops_match(ops, ip));
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(ops, one, strlen(one), 0), 0);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(ops, no_one, strlen(no_one), 1), 0);
	KUNIT_EXPECT_TRUE(test, ftrace_ops_match(ops, ip));

	/* but the last of those that were chosen leaves none */
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(ops, one, strlen(one), 1), 0);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(ops, no_one, strlen(no_one), 0), 0);
	KUNIT_EXPECT_FALSE(test, ftrace_ops_match(ops, ip));

	KUNIT_EXPECT_EQ(test, ftrace_set_notrace(ops, no_one, strlen(no_one), 1), 0);
	KUNIT_EXPECT_TRUE(test, ftrace_hash_empty(ftrace_ops_notrace(ops)));
	ftrace_free_filter(ops);
}

/* Who obeys the filters of the top instance follows them; who has filters already keeps those. */
static void top_filters_are_obeyed(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	struct ftrace_ops *top = &ftrace_global.shared.ops;
	char one[] = "kstrdup", no_one[] = "!kstrdup";
	struct ftrace_hash *old = NULL;

	KUNIT_ASSERT_NOT_NULL(test, c);
	for (int i = 0; i < 2; i++) {
		c[i].ops.func = count_call;
		c[i].task = current;
	}
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&c[1].ops, TRACED, 0, 1), 0);
	scoped_guard(mutex, &ftrace_lock) {
		if (ftrace_ops_filter(top))
			old = ftrace_hash_dup(ftrace_ops_filter(top));
	}

	ftrace_set_global_filter(one, strlen(one), 1);
	for (int i = 0; i < 2; i++) {
		ftrace_ops_set_global_filter(&c[i].ops);
		KUNIT_EXPECT_EQ(test, register_ftrace_function(&c[i].ops), 0);
	}
	KUNIT_EXPECT_PTR_EQ(test, c[0].ops.func_hash, &top->local_hash);
	KUNIT_EXPECT_PTR_EQ(test, c[1].ops.func_hash, &c[1].ops.local_hash);
	call_it();
	ftrace_set_global_filter(no_one, strlen(no_one), 0);
	call_it();
	KUNIT_EXPECT_EQ(test, c[0].calls, 1);
	KUNIT_EXPECT_EQ(test, c[1].calls, 2);
	ftrace_set_global_filter(one, strlen(one), 0);
	call_it();
	KUNIT_EXPECT_EQ(test, c[0].calls, 2);

	for (int i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c[i].ops), 0);
	ftrace_free_filter(&c[1].ops);
	scoped_guard(mutex, &ftrace_lock)
		KUNIT_EXPECT_EQ(test, ftrace_hash_install(top, old, false), 0);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
struct graph_counter {
	struct fgraph_ops	gops;
	struct task_struct	*task;
	int			entries, returns, unseen;
	bool			data_ok;
};

static int notrace graph_in(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	struct graph_counter *counter = container_of(gops, struct graph_counter, gops);
	unsigned long *data;

	if (current != counter->task)
		return 0;
	counter->entries++;
	data = fgraph_reserve_data(gops->idx, 2 * sizeof(*data));
	if (data) {
		data[0] = trace->func;
		data[1] = (unsigned long)gops;
	}
	return 1;
}

static void notrace graph_out(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	struct graph_counter *counter = container_of(gops, struct graph_counter, gops);
	unsigned long *data;
	int size;

	counter->returns++;
	data = fgraph_retrieve_data(gops->idx, &size);
	counter->data_ok = data && size == 2 * sizeof(*data) && data[0] == trace->func &&
			   data[1] == (unsigned long)gops;
}

static void graph_users_share_a_call(struct kunit *test)
{
	struct graph_counter *c = kunit_kcalloc(test, 3, sizeof(*c), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	for (i = 0; i < 3; i++) {
		c[i].gops.entryfunc = graph_in;
		c[i].gops.retfunc = graph_out;
		c[i].task = current;
		KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&c[i].gops.ops, TRACED, 0, 1), 0);
		KUNIT_ASSERT_EQ(test, register_ftrace_graph(&c[i].gops), 0);
		call_it();
	}
		/* with each that came after it, and with each that went before it */
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, c[i].entries, 3);
		KUNIT_EXPECT_EQ(test, c[i].returns, 3);
		KUNIT_EXPECT_TRUE(test, c[i].data_ok);
		unregister_ftrace_graph(&c[i].gops);
		call_it();
		KUNIT_EXPECT_EQ(test, c[i].entries, c[i].returns);
		ftrace_free_filter(&c[i].gops.ops);
	}
}
#endif

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
static void notrace graph_out_unseen(struct fgraph_ops *gops)
{
	struct graph_counter *counter = container_of(gops, struct graph_counter, gops);
	unsigned long *data = fgraph_retrieve_data(gops->idx, NULL);

	counter->unseen++;
	counter->data_ok = data && data[1] == (unsigned long)gops;
}

/* From here on it is as if the task were in a callback, and in another one within that. */
static int in_callbacks(struct notifier_block *nb, unsigned long action, void *data)
{
	current->trace_recursion |= BIT(TRACE_FTRACE_START + TRACE_CTX_NORMAL) |
				    BIT(TRACE_FTRACE_START + TRACE_CTX_TRANSITION);
	return NOTIFY_DONE;
}

/* Users hear of each call that they want the return of, though it may be recorded no more. */
static void graph_returns_in_callbacks(struct kunit *test)
{
	struct graph_counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct notifier_block nb = { .notifier_call = in_callbacks };
	struct blocking_notifier_head chain;
	unsigned long where = (unsigned long)blocking_notifier_call_chain, before;

	KUNIT_ASSERT_NOT_NULL(test, c);
	BLOCKING_INIT_NOTIFIER_HEAD(&chain);
	KUNIT_ASSERT_EQ(test, blocking_notifier_chain_register(&chain, &nb), 0);
	c->gops.entryfunc = graph_in;
	c->gops.retfunc = graph_out;
	c->gops.unseen = graph_out_unseen;
	c->task = current;
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&c->gops.ops, where, 0, 1), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_graph(&c->gops), 0);
	before = current->trace_recursion;
	/* a function that calls one that it is given, and that no interrupt calls */
	blocking_notifier_call_chain(&chain, 0, NULL);
	current->trace_recursion = before;
	unregister_ftrace_graph(&c->gops);
	ftrace_free_filter(&c->gops.ops);
	KUNIT_EXPECT_EQ(test, c->entries, 1);
	KUNIT_EXPECT_EQ(test, c->returns, 0);
	KUNIT_EXPECT_EQ(test, c->unseen, 1);
	KUNIT_EXPECT_TRUE(test, c->data_ok);
}

struct unwinder {
	struct notifier_block		nb;
	struct blocking_notifier_head	*next;
	int				*idx;
	unsigned long			found, ret;
};

/* Looks for the call that it is in, but for calls that have come and gone. */
static int unwind_here(struct notifier_block *nb, unsigned long action, void *data)
{
	struct unwinder *u = container_of(nb, struct unwinder, nb);
	struct ftrace_ret_stack *frame;

	if (u->next)
		blocking_notifier_call_chain(u->next, 0, NULL);
	frame = ftrace_graph_get_ret_stack(current, 0);
	if (!frame)
		return NOTIFY_DONE;
	u->ret = frame->ret;
	u->found = ftrace_graph_ret_addr(current, u->idx, (unsigned long)
					 dereference_kernel_function_descriptor(return_to_handler),
					 frame->retp);
	return NOTIFY_DONE;
}

/* What unwinds is hooked itself: there are fewer calls above when it asks for the next one. */
static void graph_is_unwound_from_below(struct kunit *test)
{
	struct graph_counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	unsigned long where = (unsigned long)blocking_notifier_call_chain;
	struct blocking_notifier_head chain, next;
	int idx = 0;
	struct unwinder u[2] = {
		{ .nb.notifier_call = unwind_here, .idx = &idx, .next = &next },
		{ .nb.notifier_call = unwind_here, .idx = &idx },
	};

	KUNIT_ASSERT_NOT_NULL(test, c);
	BLOCKING_INIT_NOTIFIER_HEAD(&chain);
	BLOCKING_INIT_NOTIFIER_HEAD(&next);
	KUNIT_ASSERT_EQ(test, blocking_notifier_chain_register(&chain, &u[0].nb), 0);
	KUNIT_ASSERT_EQ(test, blocking_notifier_chain_register(&next, &u[1].nb), 0);
	c->gops.entryfunc = graph_in;
	c->gops.retfunc = graph_out;
	c->task = current;
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&c->gops.ops, where, 0, 1), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_graph(&c->gops), 0);
	blocking_notifier_call_chain(&chain, 0, NULL);
	unregister_ftrace_graph(&c->gops);
	ftrace_free_filter(&c->gops.ops);
	KUNIT_EXPECT_EQ(test, c->entries, 2);
	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_NE(test, u[i].ret, 0);
		KUNIT_EXPECT_EQ(test, u[i].found, u[i].ret);
	}
}
#endif

#ifdef CONFIG_FUNCTION_PROFILER
/* The profiler's s^2, of calls shorter than its unit and of those whose square is beyond a word. */
static void times_of_calls_vary(struct kunit *test)
{
	static const struct {
		u64	ns[2];
		u64	variance, tolerance;	/* us^2 / 1000, of a thousand calls of each */
	} cases[] = {
		{ { 300, 900 },				90,			0 },
		{ { 1900, 3900 },			1000,			0 },
		{ { 2000, 2000 },			0,			0 },
		{ { 5000000000, 7000000000 },		1000500250125062,	1000000 },
		{ { 0, 100000000000 },			2501250625312656328,	100000000000 },
	};

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile_times times = {};
		u64 got;

		for (int n = 0; n < 2000; n++)
			profile_times_add(&times, cases[i].ns[n % 2]);
		KUNIT_EXPECT_EQ(test, times.sum, 1000 * (cases[i].ns[0] + cases[i].ns[1]));
		got = profile_times_variance(&times, 2000);
		KUNIT_EXPECT_LE_MSG(test, abs_diff(got, cases[i].variance), cases[i].tolerance,
				    "case %d: %llu", i, got);
	}
}
#endif

static struct kunit_case function_cases[] = {
	KUNIT_CASE(hash_holds_what_was_added),
	KUNIT_CASE(hash_has_the_room_that_was_reserved),
	KUNIT_CASE(patterns_mean_what_they_say),
	KUNIT_CASE(each_ops_is_called_once),
#ifdef CONFIG_X86_64
	KUNIT_CASE(many_sites_need_no_lookup),
#endif
	KUNIT_CASE(nothing_changes_without_memory),
#if defined(CONFIG_X86) && defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
	KUNIT_CASE(registers_are_waited_for),
#endif
	KUNIT_CASE(filters_that_cannot_be_are_refused),
	KUNIT_CASE(what_is_taken_from_all_leaves_all),
	KUNIT_CASE(top_filters_are_obeyed),
#ifdef CONFIG_FUNCTION_PROFILER
	KUNIT_CASE(times_of_calls_vary),
#endif
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	KUNIT_CASE(graph_users_share_a_call),
	KUNIT_CASE(graph_returns_in_callbacks),
	KUNIT_CASE(graph_is_unwound_from_below),
#endif
	{ }
};

TRACE_KUNIT_SUITE("function_tracing", function_cases);
