// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: return hooks, and what lib/test_fprobe.c does not ask of fprobes. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "../../tests/suite.h"
#include "../graph/graph.h"
#include "../graph/hooks.h"
#include "../sites/sites.h"
#include "../sites/test_target.h"
#include "fprobe_test.h"

#define NR_HOOKS	40	/* more than the graph has users */

struct test_hook {
	struct graph_hook	hook;
	unsigned long		missed;
	int			entered, left, dropped;
	unsigned long		retval, args[2], ip;
	bool			data_ok, refuse, calls_target;
	int			*turn, my_turn;
};

static bool notrace on_entry(struct graph_hook *hook, unsigned long ip, unsigned long ret_ip,
			     struct ftrace_regs *fregs, void *data)
{
	struct test_hook *t = container_of(hook, struct test_hook, hook);

	t->entered++;
	t->ip = ip;
	t->args[0] = ftrace_regs_get_argument(fregs, 0);
	t->args[1] = ftrace_regs_get_argument(fregs, 1);
	if (data)
		memset(data, 0x40 + t->my_turn, hook->data_size);
	if (t->calls_target)
		call_target();
	return !t->refuse;
}

static void notrace on_return(struct graph_hook *hook, unsigned long ip, unsigned long ret_ip,
			      struct ftrace_regs *fregs, void *data)
{
	struct test_hook *t = container_of(hook, struct test_hook, hook);

	t->left++;
	t->retval = ftrace_regs_get_return_value(fregs);
	t->data_ok = hook->data_size ?
		     data && !memchr_inv(data, 0x40 + t->my_turn, hook->data_size) : !data;
	if (t->turn)
		t->my_turn = (*t->turn)++;
	if (ftrace_regs_get_instruction_pointer(fregs) != ret_ip || ip != t->ip)
		t->data_ok = false;
}

static void on_drop(struct graph_hook *hook)
{
	container_of(hook, struct test_hook, hook)->dropped++;
}

static struct test_hook *make_hooks(struct kunit *test, int nr)
{
	struct test_hook *t = kunit_kcalloc(test, nr, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	for (int i = 0; i < nr; i++) {
		t[i].hook.ret = on_return;
		t[i].hook.entry = on_entry;
		t[i].hook.dropped = on_drop;
		t[i].hook.missed = &t[i].missed;
		t[i].my_turn = i;
		KUNIT_ASSERT_EQ(test, 0,
				ftrace_set_filter_ip(&t[i].hook.gops.ops, TARGET, 0, 1));
	}
	return t;
}

static void end_hooks(struct test_hook *t, int nr)
{
	for (int i = 0; i < nr; i++)
		graph_hook_take_off(&t[i].hook);
	ftrace_ops_sync();
	for (int i = 0; i < nr; i++) {
		graph_hook_release(&t[i].hook);
		ftrace_free_filter(&t[i].hook.gops.ops);
	}
}

static void one_hook_sees_entry_and_return(struct kunit *test)
{
	struct test_hook *t = make_hooks(test, 1);

	t->hook.data_size = 24;
	KUNIT_EXPECT_FALSE(test, graph_hook_is_registered(&t->hook));
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t->hook));
	KUNIT_EXPECT_TRUE(test, graph_hook_is_registered(&t->hook));
	KUNIT_EXPECT_EQ(test, -EBUSY, graph_hook_register(&t->hook));
	KUNIT_EXPECT_EQ(test, LCM_4_6, call_target());
	KUNIT_EXPECT_EQ(test, 1, t->entered);
	KUNIT_EXPECT_EQ(test, 1, t->left);
	KUNIT_EXPECT_EQ(test, 4UL, t->args[0]);
	KUNIT_EXPECT_EQ(test, 6UL, t->args[1]);
	KUNIT_EXPECT_EQ(test, LCM_4_6, t->retval);
	KUNIT_EXPECT_EQ(test, ftrace_location(TARGET), t->ip);
	KUNIT_EXPECT_TRUE(test, t->data_ok);

	t->refuse = true;
	call_target();
	KUNIT_EXPECT_EQ(test, 2, t->entered);
	KUNIT_EXPECT_EQ(test, 1, t->left);
	end_hooks(t, 1);
	call_target();
	KUNIT_EXPECT_EQ(test, 2, t->entered);
	KUNIT_EXPECT_EQ(test, 0UL, t->missed);
	KUNIT_EXPECT_EQ(test, 0, current->curr_ret_stack);
}

static void a_return_alone(struct kunit *test)
{
	struct test_hook *t = make_hooks(test, 1);

	t->hook.entry = NULL;
	t->ip = ftrace_location(TARGET);
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t->hook));
	KUNIT_EXPECT_EQ(test, LCM_4_6, call_target());
	KUNIT_EXPECT_EQ(test, 1, t->left);
	KUNIT_EXPECT_EQ(test, LCM_4_6, t->retval);
	KUNIT_EXPECT_TRUE(test, t->data_ok);
	end_hooks(t, 1);
}

/* They share a frame; data of each is its own, and the last to enter is the first to leave. */
static void many_hooks_on_a_function(struct kunit *test)
{
	struct test_hook *t = make_hooks(test, NR_HOOKS);
	int turn = 0;

	for (int i = 0; i < NR_HOOKS; i++) {
		t[i].hook.data_size = i % 5 * 8;
		t[i].refuse = i % 7 == 3;
		KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t[i].hook));
	}
	KUNIT_EXPECT_EQ(test, LCM_4_6, call_target());
	for (int i = 0; i < NR_HOOKS; i++) {
		KUNIT_EXPECT_EQ(test, 1, t[i].entered);
		KUNIT_EXPECT_EQ(test, !t[i].refuse, t[i].left);
		if (!t[i].refuse)
			KUNIT_EXPECT_TRUE(test, t[i].data_ok);
		t[i].turn = &turn;
		t[i].data_ok = false;
	}
	call_target();
	KUNIT_EXPECT_EQ(test, turn, NR_HOOKS - NR_HOOKS / 7 - (NR_HOOKS % 7 > 3));
	end_hooks(t, NR_HOOKS);
	for (int i = 0; i < NR_HOOKS; i++)
		KUNIT_EXPECT_EQ(test, 0UL, t[i].missed);
	KUNIT_EXPECT_EQ(test, 0, current->curr_ret_stack);
}

/*
 * What a handler calls is told once more, as it might be an interrupt's before preempt_count() says
 * so; what its handler calls then is not, and is counted.
 */
static void calls_from_callbacks_are_missed(struct kunit *test)
{
	struct test_hook *t = make_hooks(test, 2);

	t[0].calls_target = true;
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t[0].hook));
	call_target();
	KUNIT_EXPECT_EQ(test, 2, t[0].entered);
	KUNIT_EXPECT_EQ(test, 2, t[0].left);
	KUNIT_EXPECT_EQ(test, 1UL, t[0].missed);

	t[1].hook.entry = NULL;
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t[1].hook));
	call_target();
	KUNIT_EXPECT_EQ(test, 4, t[0].left);
	KUNIT_EXPECT_EQ(test, 2UL, t[0].missed);
	KUNIT_EXPECT_EQ(test, 2, t[1].left);
	KUNIT_EXPECT_EQ(test, 1UL, t[1].missed);
	end_hooks(t, 2);
}

static void full_stacks_are_missed(struct kunit *test)
{
	struct test_hook *t = make_hooks(test, 5);

	/* Three times the most that there may be fits into a page of 4 KiB. */
	for (int i = 0; i < 5; i++) {
		t[i].hook.data_size = GRAPH_HOOK_DATA_MAX;
		KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t[i].hook));
	}
	KUNIT_EXPECT_EQ(test, LCM_4_6, call_target());
	for (int i = 0; i < 5; i++) {
		KUNIT_EXPECT_EQ(test, 1UL, t[i].entered + t[i].missed);
		KUNIT_EXPECT_EQ(test, t[i].entered, t[i].left);
		if (t[i].left)
			KUNIT_EXPECT_TRUE(test, t[i].data_ok);
	}
	if (PAGE_SIZE == 4096)
		KUNIT_EXPECT_EQ(test, 3, t[0].left + t[1].left + t[2].left + t[3].left + t[4].left);
	end_hooks(t, 5);
}

/* So many calls of a task are seen with pages of 4 KiB and no data, where preemption is off, */
#define NR_OPEN		82
#define NR_NESTED	100
/* and so many at least where it may: more than a stack of one page has room for. */
#define NR_DEEP		200

static int nested_left;

static void notrace count_nested(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
				 struct pt_regs *regs, void *data)
{
	nested_left++;
}

/* What is deeper returns as ever, and is counted. */
static void expect_nested(struct kunit *test, bool preemptible, const int *left,
			  const unsigned long *missed)
{
	int nr = preemptible ? NR_DEEP : NR_NESTED;
	unsigned long got;

	if (preemptible) {
		got = fprobe_test_nested(nr);
	} else {
		guard(preempt)();
		got = fprobe_test_nested(nr);
	}
	KUNIT_EXPECT_EQ(test, nr, got);
	KUNIT_EXPECT_EQ(test, nr, *left + *missed);
	if (preemptible)
		KUNIT_EXPECT_EQ(test, 0UL, *missed);
	else if (PAGE_SIZE == 4096)
		KUNIT_EXPECT_EQ(test, NR_OPEN, *left);
	KUNIT_EXPECT_EQ(test, 0, current->curr_ret_stack);
}

static void nested_hook(struct kunit *test, bool preemptible, bool enters, unsigned int data_size)
{
	unsigned long addr = (unsigned long)fprobe_test_nested;
	struct test_hook *t = make_hooks(test, 1);

	if (!enters)
		t->hook.entry = NULL;
	t->hook.data_size = data_size;
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&t->hook.gops.ops, addr, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t->hook));
	expect_nested(test, preemptible, &t->left, &t->missed);
	/* the outermost were seen */
	KUNIT_EXPECT_EQ(test, preemptible ? NR_DEEP : NR_NESTED, t->retval);
	if (enters) {
		KUNIT_EXPECT_EQ(test, t->left, t->entered);
		KUNIT_EXPECT_TRUE(test, t->data_ok);
	}
	/* and there is room again */
	KUNIT_EXPECT_EQ(test, 1, fprobe_test_nested(1));
	KUNIT_EXPECT_EQ(test, 1, t->retval);
	end_hooks(t, 1);
}

static void nested_fprobe(struct kunit *test, bool preemptible)
{
	unsigned long addr = (unsigned long)fprobe_test_nested;
	struct fprobe fp = { .exit_handler = count_nested };

	nested_left = 0;
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(&fp, &addr, 1));
	expect_nested(test, preemptible, &nested_left, &fp.nmissed);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&fp));
}

/* By hooks with and without an entry, by fprobes: on the stack that a task begins with. */
static void deeper_calls_are_missed(struct kunit *test)
{
	nested_hook(test, false, false, 0);
	nested_hook(test, false, true, 0);
	nested_fprobe(test, false);
}

static void deep_calls_without_entry(struct kunit *test)
{
	nested_hook(test, true, false, 0);
	if (PAGE_SIZE == 4096)
		KUNIT_EXPECT_NOT_NULL(test, ((struct graph_stack *)current->ret_stack)->smaller);
}

static void deep_calls_with_entry(struct kunit *test)
{
	nested_hook(test, true, true, 0);
}

static void deep_calls_with_data(struct kunit *test)
{
	nested_hook(test, true, true, 96);
}

static void deep_calls_of_fprobes(struct kunit *test)
{
	nested_fprobe(test, true);
}

/* What a user of the graph keeps with the task and with each call goes to the larger stack, too. */
struct deep_user {
	struct fgraph_ops	gops;
	unsigned long		deepest, wrong;
	int			left;
};

static int notrace deep_entry(struct ftrace_graph_ent *ent, struct fgraph_ops *gops)
{
	struct deep_user *u = container_of(gops, struct deep_user, gops);
	unsigned long *depth = fgraph_get_task_var(gops);
	unsigned long *data = fgraph_reserve_data(gops->idx, sizeof(*data));

	if (!data)
		return 0;
	*data = ++*depth;
	u->deepest = max(u->deepest, *depth);
	return 1;
}

static void notrace deep_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	struct deep_user *u = container_of(gops, struct deep_user, gops);
	unsigned long *depth = fgraph_get_task_var(gops);
	unsigned long *data = fgraph_retrieve_data(gops->idx, NULL);

	u->left++;
	u->wrong += !data || *data != (*depth)--;
}

static void deep_calls_of_all_users(struct kunit *test)
{
	unsigned long addr = (unsigned long)fprobe_test_nested;
	struct deep_user *u = kunit_kzalloc(test, sizeof(*u), GFP_KERNEL);
	struct test_hook *t = make_hooks(test, 1);

	KUNIT_ASSERT_NOT_NULL(test, u);
	u->gops.entryfunc = deep_entry;
	u->gops.retfunc = deep_return;
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&u->gops.ops, addr, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_graph(&u->gops));
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&t->hook.gops.ops, addr, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t->hook));
	expect_nested(test, true, &t->left, &t->missed);
	KUNIT_EXPECT_EQ(test, NR_DEEP, u->left);
	KUNIT_EXPECT_EQ(test, NR_DEEP, u->deepest);
	KUNIT_EXPECT_EQ(test, 0UL, u->wrong);
	end_hooks(t, 1);
	unregister_ftrace_graph(&u->gops);
	ftrace_free_filter(&u->gops.ops);
}

static int call_deep(void *done)
{
	fprobe_test_nested(NR_DEEP);
	complete(done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* More tasks than large stacks lie ready: who comes a moment later has one. */
static void deep_calls_of_many_tasks(struct kunit *test)
{
	unsigned long addr = (unsigned long)fprobe_test_nested;
	struct test_hook *t = make_hooks(test, 1);
	int tasks = 0, turns = 0;

	t->hook.entry = NULL;
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&t->hook.gops.ops, addr, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t->hook));
	for (; tasks < 40 && turns < 1000; turns++) {
		DECLARE_COMPLETION_ONSTACK(done);
		unsigned long missed = t->missed;
		struct task_struct *task = kthread_run(call_deep, &done, "fprobe-deep");

		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		wait_for_completion(&done);
		KUNIT_EXPECT_EQ(test, 0, kthread_stop(task));
		tasks += t->missed == missed;
	}
	KUNIT_EXPECT_EQ(test, 40, tasks);
	KUNIT_EXPECT_EQ(test, turns * NR_DEEP, t->left + t->missed);
	end_hooks(t, 1);
}

static int notrace want_return(struct ftrace_graph_ent *ent, struct fgraph_ops *gops)
{
	return 1;
}

static u64 took;
static int noted, slow;

static void notrace note_time(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	took = trace->rettime - trace->calltime;
	noted++;
}

static struct fgraph_ops *graph_user(struct kunit *test)
{
	struct fgraph_ops *gops = kunit_kzalloc(test, sizeof(*gops), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, gops);
	gops->entryfunc = want_return;
	gops->retfunc = note_time;
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&gops->ops, TARGET, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_graph(gops));
	noted = 0;
	return gops;
}

static void end_graph_user(struct fgraph_ops *gops)
{
	unregister_ftrace_graph(gops);
	ftrace_free_filter(&gops->ops);
}

static void hooks_and_the_graph(struct kunit *test)
{
	struct test_hook *t = make_hooks(test, 1);
	struct fgraph_ops *gops = graph_user(test);

	t->hook.data_size = 8;
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t->hook));
	KUNIT_EXPECT_EQ(test, LCM_4_6, call_target());
	KUNIT_EXPECT_EQ(test, 1, noted);
	KUNIT_EXPECT_EQ(test, 1, t->left);
	KUNIT_EXPECT_TRUE(test, t->data_ok);
	end_hooks(t, 1);
	end_graph_user(gops);
}

static void notrace be_slow(struct graph_hook *hook, unsigned long ip, unsigned long ret_ip,
			    struct ftrace_regs *fregs, void *data)
{
	slow++;
	mdelay(20);
}

/* What a hook does at the return is no time of the function's. */
static void hooks_take_no_time(struct kunit *test)
{
	struct test_hook *t = make_hooks(test, 1);
	struct fgraph_ops *gops = graph_user(test);
	u64 least = U64_MAX;

	t->hook.ret = be_slow;
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t->hook));
	slow = 0;
	/* an interrupt may come into it */
	for (int i = 0; i < 10; i++) {
		call_target();
		least = min(least, took);
	}
	KUNIT_EXPECT_EQ(test, 10, noted);
	KUNIT_EXPECT_EQ(test, 10, slow);
	KUNIT_EXPECT_LT(test, least, 20 * NSEC_PER_MSEC);
	end_hooks(t, 1);
	end_graph_user(gops);
}

static void bad_hooks(struct kunit *test)
{
	struct test_hook *t = make_hooks(test, 1);

	t->hook.data_size = GRAPH_HOOK_DATA_MAX + 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, graph_hook_register(&t->hook));
	t->hook.data_size = 0;
	t->hook.ret = NULL;
	KUNIT_EXPECT_EQ(test, -EINVAL, graph_hook_register(&t->hook));
	ftrace_free_filter(&t->hook.gops.ops);
}

/* --- fprobes */

static int seen;
static unsigned long seen_ip, seen_arg, seen_sp;

static int notrace count_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct pt_regs *regs, void *data)
{
	seen++;
	seen_ip = entry_ip;
	seen_arg = regs_get_kernel_argument(regs, 1);
	seen_sp = kernel_stack_pointer(regs);
	return 0;
}

static void notrace count_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct pt_regs *regs, void *data)
{
	if (regs_return_value(regs) == LCM_4_6 && instruction_pointer(regs) == ret_ip &&
	    !user_mode(regs))
		seen += 100;
	/* As it was at the entry; on x86 the return address has been taken off it. */
	if (kernel_stack_pointer(regs) - seen_sp > sizeof(long))
		seen = -10000;
}

static void fprobe_by_address(struct kunit *test)
{
	struct fprobe fp = { .entry_handler = count_entry, .exit_handler = count_exit };
	unsigned long addr = TARGET;

	seen = 0;
	KUNIT_EXPECT_FALSE(test, fprobe_is_registered(&fp));
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(&fp, &addr, 1));
	KUNIT_EXPECT_TRUE(test, fprobe_is_registered(&fp));
	KUNIT_EXPECT_EQ(test, -EBUSY, register_fprobe_ips(&fp, &addr, 1));
	call_target();
	KUNIT_EXPECT_EQ(test, 101, seen);
	KUNIT_EXPECT_EQ(test, 6UL, seen_arg);
	/* BPF looks for what it gave; on x86 it does its own subtraction. */
	KUNIT_EXPECT_EQ(test, IS_ENABLED(CONFIG_X86) ? ftrace_location(addr) : addr, seen_ip);

	disable_fprobe(&fp);
	call_target();
	KUNIT_EXPECT_EQ(test, 101, seen);
	enable_fprobe(&fp);
	call_target();
	KUNIT_EXPECT_EQ(test, 202, seen);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&fp));
	KUNIT_EXPECT_EQ(test, -EINVAL, unregister_fprobe(&fp));
	call_target();
	KUNIT_EXPECT_EQ(test, 202, seen);

	addr = ftrace_location(addr);
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(&fp, &addr, 1));
	call_target();
	KUNIT_EXPECT_EQ(test, addr, seen_ip);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&fp));
}

static void fprobe_errors(struct kunit *test)
{
	struct fprobe fp = { .entry_handler = count_entry };
	const char *names[3] = { "lcm", "no_such_function_as_this" };
	unsigned long addr = TARGET + 1;

	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe(&fp, NULL, NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe(&fp, "no_such_function_*", NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(&fp, &addr, 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(&fp, &addr, 0));
	KUNIT_EXPECT_EQ(test, -ESRCH, register_fprobe_syms(&fp, names, 2));
	KUNIT_EXPECT_FALSE(test, fprobe_is_registered(&fp));
	fp.nr_maxactive = -1;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe(&fp, "lcm", NULL));
	fp.nr_maxactive = 0;
	names[1] = "gcd";
	names[2] = "lcm";
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_syms(&fp, names, 3));
	seen = 0;
	call_target();	/* lcm() calls gcd() */
	KUNIT_EXPECT_EQ(test, 2, seen);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&fp));
	fp.entry_handler = NULL;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe(&fp, "lcm", NULL));
}

/* The handler has the function return at once. */
static int notrace skip_function(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
				 struct pt_regs *regs, void *data)
{
#ifndef CONFIG_X86	/* there it is the text that returns, see override_function_with_return() */
	instruction_pointer_set(regs, ret_ip);
#endif
	regs_set_return_value(regs, REDIRECTED);
	return 0;
}

static void notrace count_redirected(struct fprobe *fp, unsigned long entry_ip,
				     unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	seen += regs_return_value(regs) == REDIRECTED;
}

static void fprobe_may_return_at_once(struct kunit *test)
{
	struct fprobe fp = { .entry_handler = skip_function };
	struct fprobe other = { .exit_handler = count_redirected };
	unsigned long addr = TARGET;
	int depth;

	if (IS_ENABLED(CONFIG_X86))
		kunit_skip(test, "a handler on x86 has the registers themselves");
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(&fp, &addr, 1));
	KUNIT_EXPECT_EQ(test, REDIRECTED, call_target());

	/* another one is told of the return, which it asks for when that is decided already */
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(&other, &addr, 1));
	depth = current->curr_ret_stack;
	seen = 0;
	KUNIT_EXPECT_EQ(test, REDIRECTED, call_target());
	KUNIT_EXPECT_EQ(test, 1, seen);
	KUNIT_EXPECT_EQ(test, depth, current->curr_ret_stack);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&other));

	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&fp));
	fp.exit_handler = count_redirected;
	seen = 0;
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(&fp, &addr, 1));
	KUNIT_EXPECT_EQ(test, REDIRECTED, call_target());
	KUNIT_EXPECT_EQ(test, 1, seen);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&fp));
	KUNIT_EXPECT_EQ(test, LCM_4_6, call_target());
}

/* x86 has the code for that in kernels with CONFIG_FUNCTION_ERROR_INJECTION only. */
#if !defined(CONFIG_X86) || defined(CONFIG_FUNCTION_ERROR_INJECTION)
static void notrace return_at_once(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	ftrace_regs_set_return_value(fregs, REDIRECTED);
	ftrace_override_function_with_return(fregs);
}

/* Who wants to know of the return may have been told of the entry before the callback or after. */
static void returns_at_once_are_seen(struct kunit *test, bool callback_first)
{
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	struct fprobe fp = { .exit_handler = count_redirected };
	unsigned long addr = TARGET;
	int depth = current->curr_ret_stack;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	ops->func = return_at_once;
	ops->flags = FTRACE_OPS_FL_IPMODIFY;
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(ops, TARGET, 0, 0));
	if (callback_first)
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(ops));
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(&fp, &addr, 1));
	if (!callback_first)
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(ops));
	seen = 0;
	KUNIT_EXPECT_EQ(test, REDIRECTED, call_target());
	KUNIT_EXPECT_EQ(test, 1, seen);
	KUNIT_EXPECT_EQ(test, depth, current->curr_ret_stack);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(ops));
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&fp));
	KUNIT_EXPECT_EQ(test, LCM_4_6, call_target());
	ftrace_free_filter(ops);
}

static void callbacks_may_return_at_once(struct kunit *test)
{
	returns_at_once_are_seen(test, true);
	returns_at_once_are_seen(test, false);
}
#else
static void callbacks_may_return_at_once(struct kunit *test)
{
	kunit_skip(test, "x86 without CONFIG_FUNCTION_ERROR_INJECTION");
}
#endif

/* --- calls that are open */

static void notrace sleeper_returned(struct graph_hook *hook, unsigned long ip,
				     unsigned long ret_ip, struct ftrace_regs *fregs, void *data)
{
	struct test_hook *t = container_of(hook, struct test_hook, hook);

	WRITE_ONCE(t->left, t->left + 1);
}

/* A task that is in a probed function, and stays there until it is woken. */
static int sleeper(void *unused)
{
	schedule_timeout_interruptible(MAX_SCHEDULE_TIMEOUT);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static struct task_struct *start_sleeper(struct kunit *test)
{
	struct task_struct *task = kthread_run(sleeper, NULL, "fprobe-sleeper");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	while (!(READ_ONCE(task->__state) & TASK_INTERRUPTIBLE) || !READ_ONCE(task->curr_ret_stack))
		schedule_timeout_uninterruptible(1);
	return task;
}

/* Nobody is told of a return who was not there at the entry, and numbers are used again. */
static void open_calls_outlive_hooks(struct kunit *test)
{
	struct test_hook *t = make_hooks(test, 2);
	unsigned long addr = (unsigned long)schedule_timeout_interruptible;
	struct task_struct *task;

	for (int i = 0; i < 2; i++) {
		t[i].hook.entry = NULL;
		t[i].hook.ret = sleeper_returned;
		KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&t[i].hook.gops.ops, addr, 0, 1));
	}
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t[0].hook));
	task = start_sleeper(test);
	KUNIT_EXPECT_EQ(test, 0, graph_hook_unregister(&t[0].hook));
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&t[1].hook.gops.ops, TARGET, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t[1].hook));	/* the same number */
	t[0].left = 0;
	wake_up_process(task);
	KUNIT_EXPECT_EQ(test, 0, kthread_stop(task));
	KUNIT_EXPECT_EQ(test, 0, READ_ONCE(t[0].left));
	KUNIT_EXPECT_EQ(test, 0, READ_ONCE(t[1].left));
	call_target();
	KUNIT_EXPECT_EQ(test, 1, READ_ONCE(t[1].left));
	end_hooks(t + 1, 1);
	ftrace_free_filter(&t[0].hook.gops.ops);
}

static bool notrace sleeper_entered(struct graph_hook *hook, unsigned long ip,
				    unsigned long ret_ip, struct ftrace_regs *fregs, void *data)
{
	return !strcmp(current->comm, "fprobe-sleeper");
}

static void end_sleeper(struct kunit *test, struct task_struct *task)
{
	wake_up_process(task);
	KUNIT_EXPECT_EQ(test, 0, kthread_stop(task));
}

/* Who has left is told of the calls that are open, whether or not he has come back by then. */
static void open_calls_know_who_left(struct kunit *test)
{
	struct test_hook *t = make_hooks(test, 1);
	struct task_struct *task;

	t->hook.entry = sleeper_entered;
	t->hook.ret = sleeper_returned;
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&t->hook.gops.ops,
						      (unsigned long)schedule_timeout_interruptible,
						      0, 1));
	for (int back = 0; back < 2; back++) {
		KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t->hook));
		task = start_sleeper(test);
		KUNIT_EXPECT_EQ(test, 0, graph_hook_leave(&t->hook));
		KUNIT_EXPECT_FALSE(test, graph_hook_is_registered(&t->hook));
		t->left = 0;
		if (back)
			KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t->hook));
		end_sleeper(test, task);
		if (back)
			KUNIT_EXPECT_GE(test, READ_ONCE(t->left), 1);
		else
			KUNIT_EXPECT_EQ(test, READ_ONCE(t->left), 1);
	}

	/* until it is taken off */
	task = start_sleeper(test);
	KUNIT_EXPECT_EQ(test, 0, graph_hook_leave(&t->hook));
	KUNIT_EXPECT_EQ(test, 0, graph_hook_take_off(&t->hook));
	t->left = 0;
	end_sleeper(test, task);
	KUNIT_EXPECT_EQ(test, 0, READ_ONCE(t->left));
	ftrace_ops_sync();
	graph_hook_release(&t->hook);
	ftrace_free_filter(&t->hook.gops.ops);
}

struct stackless {
	int	*left;		/* returns that were seen */
	int	calls;
};

/* As one that was forked when there was no memory, or too early: it calls until it has a stack. */
static int calls_without_stack(void *data)
{
	struct stackless *s = data;
	unsigned long *stack;

	scoped_guard(preempt) {
		stack = current->curr_ret_stack ? NULL : current->ret_stack;
		if (stack)
			WRITE_ONCE(current->ret_stack, NULL);
	}
	kfree(stack);
	while (s->calls < 1000 && !READ_ONCE(*s->left)) {
		s->calls++;
		call_target();
		schedule_timeout_uninterruptible(1);
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* The first call is missed, and one soon after is not. */
static void expect_stack(struct kunit *test, int *left)
{
	struct stackless *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->left = left;
	task = kthread_run(calls_without_stack, s, "fprobe-stackless");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	for (int i = 0; i < 1000 && !READ_ONCE(*left); i++)
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, 0, kthread_stop(task));
	KUNIT_EXPECT_EQ(test, 1, *left);
	KUNIT_EXPECT_GE(test, s->calls, 2);
}

static void a_stack_comes_when_it_is_missed(struct kunit *test)
{
	struct fgraph_ops *gops;

	for (int enters = 0; enters < 2; enters++) {
		struct test_hook *t = make_hooks(test, 1);

		if (!enters)
			t->hook.entry = NULL;
		KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t->hook));
		expect_stack(test, &t->left);
		KUNIT_EXPECT_GE(test, t->missed, 1UL);
		end_hooks(t, 1);
	}

	/* where there is no hook, too */
	gops = graph_user(test);
	expect_stack(test, &noted);
	end_graph_user(gops);
}

/* Many tasks sleep in a function: all their returns are seen. */
#define NR_SLEEPERS	4000

static atomic_t many_entered, many_left;

static bool notrace many_entry(struct graph_hook *hook, unsigned long ip, unsigned long ret_ip,
			       struct ftrace_regs *fregs, void *data)
{
	if (!strstarts(current->comm, "fprobe-many"))
		return false;
	*(unsigned long *)data = (unsigned long)current;
	atomic_inc(&many_entered);
	return true;
}

static void notrace many_return(struct graph_hook *hook, unsigned long ip, unsigned long ret_ip,
				struct ftrace_regs *fregs, void *data)
{
	if (*(unsigned long *)data == (unsigned long)current)
		atomic_inc(&many_left);
}

static int sleeps_once(void *unused)
{
	schedule_timeout_idle(MAX_SCHEDULE_TIMEOUT);
	set_current_state(TASK_INTERRUPTIBLE);
	if (!kthread_should_stop())
		schedule();
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void many_tasks_sleep_in_a_function(struct kunit *test)
{
	struct task_struct **tasks = kunit_kcalloc(test, NR_SLEEPERS, sizeof(*tasks), GFP_KERNEL);
	struct test_hook *t = make_hooks(test, 1);
	int i, n;

	KUNIT_ASSERT_NOT_NULL(test, tasks);
	t->hook.entry = many_entry;
	t->hook.ret = many_return;
	t->hook.data_size = sizeof(long);
	atomic_set(&many_entered, 0);
	atomic_set(&many_left, 0);
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&t->hook.gops.ops,
						      (unsigned long)schedule_timeout_idle, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t->hook));
	for (n = 0; n < NR_SLEEPERS; n++) {
		tasks[n] = kthread_run(sleeps_once, NULL, "fprobe-many");
		if (IS_ERR(tasks[n]))
			break;	/* there may not be so many threads */
	}
	KUNIT_EXPECT_GE(test, n, 500);
	for (i = 0; i < 6000 && atomic_read(&many_entered) < n; i++)
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, n, atomic_read(&many_entered));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&many_left));
	for (i = 0; i < n; i++)
		kthread_stop(tasks[i]);
	KUNIT_EXPECT_EQ(test, n, atomic_read(&many_left));
	KUNIT_EXPECT_EQ(test, 0UL, t->missed);
	end_hooks(t, 1);
}

static int exits_in_function(void *unused)
{
	kthread_complete_and_exit(NULL, 0);
}

static void tasks_that_end_in_a_function(struct kunit *test)
{
	struct test_hook *t = make_hooks(test, 1);
	unsigned long addr = (unsigned long)kthread_complete_and_exit;
	struct task_struct *task;

	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&t->hook.gops.ops, addr, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, graph_hook_register(&t->hook));
	task = kthread_run(exits_in_function, NULL, "fprobe-exits");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	for (int i = 0; i < 500 && !READ_ONCE(t->dropped); i++)
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_GE(test, READ_ONCE(t->entered), 1);
	KUNIT_EXPECT_GE(test, READ_ONCE(t->dropped), 1);
	KUNIT_EXPECT_EQ(test, READ_ONCE(t->left), 0);
	end_hooks(t, 1);
}

static int never_enter(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	return 0;
}

static void never_leave(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			struct pt_regs *regs, void *data)
{
}

/* As when text cannot be written any more: what may be called stays, and knows of no fprobe. */
static void stuck_fprobes(struct kunit *test)
{
	for (int exits = 0; exits < 2; exits++) {
		struct fprobe *fp = kzalloc(sizeof(*fp), GFP_KERNEL);
		unsigned long ip = TARGET;
		struct graph_hook *hook;
		struct ftrace_ops *ops;
		ftrace_func_t func;

		KUNIT_ASSERT_NOT_NULL(test, fp);
		fp->entry_handler = never_enter;
		fp->exit_handler = exits ? never_leave : NULL;
		KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(fp, &ip, 1));
		mutex_lock(&ftrace_lock);
		ops = rcu_dereference_protected(ftrace_ops_list, true);
		mutex_unlock(&ftrace_lock);
		func = ops->func;

		WRITE_ONCE(ftrace_text_stuck, true);
		KUNIT_EXPECT_EQ(test, -ENODEV, unregister_fprobe(fp));
		WRITE_ONCE(ftrace_text_stuck, false);
		kfree(fp);
		KUNIT_EXPECT_PTR_NE(test, (void *)ops->func, (void *)func);
		if (exits) {
			hook = container_of(ops, struct graph_hook, gops.ops);
			/* who has seen an entry calls one */
			KUNIT_ASSERT_NOT_NULL(test, hook->entry);
			KUNIT_EXPECT_FALSE(test, hook->entry(hook, ip, 0, NULL, NULL));
			KUNIT_EXPECT_NULL(test, hook->missed);
		}
		/* what holds the ops is kept, for ever */
		ftrace_ops_drop_trampoline(ops);
	}
}

static struct kunit_case fprobe_cases[] = {
	KUNIT_CASE(one_hook_sees_entry_and_return),
	KUNIT_CASE(a_return_alone),
	KUNIT_CASE(many_hooks_on_a_function),
	KUNIT_CASE(calls_from_callbacks_are_missed),
	KUNIT_CASE(full_stacks_are_missed),
	KUNIT_CASE(deeper_calls_are_missed),
	KUNIT_CASE(deep_calls_without_entry),
	KUNIT_CASE(deep_calls_with_entry),
	KUNIT_CASE(deep_calls_with_data),
	KUNIT_CASE(deep_calls_of_fprobes),
	KUNIT_CASE(deep_calls_of_all_users),
	KUNIT_CASE(deep_calls_of_many_tasks),
	KUNIT_CASE(hooks_and_the_graph),
	KUNIT_CASE(hooks_take_no_time),
	KUNIT_CASE(bad_hooks),
	KUNIT_CASE(fprobe_by_address),
	KUNIT_CASE(fprobe_errors),
	KUNIT_CASE(fprobe_may_return_at_once),
	KUNIT_CASE(callbacks_may_return_at_once),
	KUNIT_CASE(open_calls_outlive_hooks),
	KUNIT_CASE(open_calls_know_who_left),
	KUNIT_CASE(a_stack_comes_when_it_is_missed),
	KUNIT_CASE_SLOW(many_tasks_sleep_in_a_function),
	KUNIT_CASE(tasks_that_end_in_a_function),
	KUNIT_CASE(stuck_fprobes),
	{}
};

TRACE_KUNIT_SUITE("fprobe_hooks", fprobe_cases);
