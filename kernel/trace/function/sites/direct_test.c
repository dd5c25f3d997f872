// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: who redirects a function, who calls directly, and how the two get on. */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/sched/task_stack.h>

#include "../../tests/suite.h"
#include "sites.h"
#include "test_target.h"

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS

static void prepare(struct kunit *test, struct ftrace_ops *ops, ftrace_func_t func)
{
	ops->func = func;
	ops->flags = func == redirect_target ? FTRACE_OPS_FL_IPMODIFY : 0;
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(ops, TARGET, 0, 1), 0);
}

static void one_redirects(struct kunit *test)
{
	struct ftrace_ops *ops = kunit_kcalloc(test, 3, sizeof(*ops), GFP_KERNEL);
	int calls = 0;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	prepare(test, &ops[0], redirect_target);
	prepare(test, &ops[1], redirect_target);
	prepare(test, &ops[2], count_target);
	ops[2].private = &calls;

	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&ops[0]), 0);
	KUNIT_EXPECT_EQ(test, call_target(), REDIRECTED);

	/* A second one is refused, also when it comes with its filter later. */
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&ops[1]), -EBUSY);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&ops[1], (unsigned long)kstrdup, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&ops[1]), 0);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&ops[1], TARGET, 0, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&ops[1]), 0);

	/* One that only looks is welcome. */
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&ops[2]), 0);
	KUNIT_EXPECT_EQ(test, call_target(), REDIRECTED);
	KUNIT_EXPECT_EQ(test, calls, 1);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&ops[0]), 0);
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	KUNIT_EXPECT_EQ(test, calls, 2);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&ops[2]), 0);

	for (int i = 0; i < 3; i++)
		ftrace_free_filter(&ops[i]);
}

/* What a callback can learn of a call, and change about it. */
struct looker {
	struct ftrace_ops	ops;
	struct task_struct	*task;
	unsigned long		ip, parent_ip;
	unsigned long		pc, args[2];
	bool			sp_is_here;
};

static void notrace look(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			 struct ftrace_regs *fregs)
{
	struct looker *l = container_of(op, struct looker, ops);
	unsigned long sp = ftrace_regs_get_stack_pointer(fregs);

	if (current != l->task)
		return;
	l->ip = ip;
	l->parent_ip = parent_ip;
	l->pc = ftrace_regs_get_instruction_pointer(fregs);
	l->args[0] = ftrace_regs_get_argument(fregs, 0);
	l->args[1] = ftrace_regs_get_argument(fregs, 1);
	l->sp_is_here = sp >= (unsigned long)&sp && object_is_on_stack((void *)sp);
}

static void callbacks_see_registers(struct kunit *test)
{
	struct looker *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, l);
	l->task = current;
	prepare(test, &l->ops, look);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&l->ops), 0);
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	KUNIT_EXPECT_EQ(test, l->ip, ftrace_location(TARGET));
	KUNIT_EXPECT_EQ(test, l->args[0], 4);
	KUNIT_EXPECT_EQ(test, l->args[1], 6);
	KUNIT_EXPECT_TRUE(test, l->sp_is_here);
	/* behind the call site, in the function; and in the one that called it */
	KUNIT_EXPECT_GE(test, l->pc, l->ip);
	KUNIT_EXPECT_LE(test, l->pc, l->ip + 2 * MCOUNT_INSN_SIZE);
	KUNIT_EXPECT_NE(test, l->parent_ip, 0);
	KUNIT_EXPECT_TRUE(test, kernel_text_address(l->parent_ip));
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&l->ops), 0);

	ftrace_free_filter(&l->ops);
}

/* x86 has the code for that in kernels with CONFIG_FUNCTION_ERROR_INJECTION only. */
#if !defined(CONFIG_X86) || defined(CONFIG_FUNCTION_ERROR_INJECTION)
#define CALLS_CAN_RETURN_AT_ONCE

static void notrace return_at_once(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	ftrace_regs_set_return_value(fregs, REDIRECTED);
	ftrace_override_function_with_return(fregs);
}

static void callbacks_have_calls_return(struct kunit *test)
{
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ops);
	prepare(test, ops, return_at_once);
	ops->flags |= FTRACE_OPS_FL_IPMODIFY;
	KUNIT_ASSERT_EQ(test, register_ftrace_function(ops), 0);
	KUNIT_EXPECT_EQ(test, call_target(), REDIRECTED);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(ops), 0);
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	ftrace_free_filter(ops);
}
#endif

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

struct direct_user {
	struct ftrace_ops	ops;
	int			answer;		/* to who wants to share */
	int			self, on, off;	/* how often it was asked */
};

static int agree(struct ftrace_ops *op, enum ftrace_ops_cmd cmd)
{
	struct direct_user *user = container_of(op, struct direct_user, ops);

	switch (cmd) {
	case FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF:
		user->self++;
		return user->answer;
	case FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER:
		user->on++;
		return user->answer;
	case FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER:
		user->off++;
		return 0;
	}
	return -EINVAL;
}

static void one_calls_directly(struct kunit *test)
{
	const unsigned long other = (unsigned long)ftrace_stub_direct_tramp;
	const unsigned long addr = (unsigned long)direct_test_tramp;
	struct direct_user *user = kunit_kcalloc(test, 2, sizeof(*user), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, user);
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(&user[0].ops, addr), -EINVAL);
	for (int i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&user[i].ops, TARGET, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(&user[0].ops, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(&user[0].ops, addr, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, modify_ftrace_direct(&user[0].ops, addr), -EINVAL);

	KUNIT_EXPECT_EQ(test, register_ftrace_direct(&user[0].ops, addr), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(&user[0].ops, addr), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(&user[1].ops, addr), -EBUSY);
	KUNIT_EXPECT_EQ(test, ftrace_find_rec_direct(ftrace_location(TARGET)), addr);
	expect_direct(test, true);
	KUNIT_EXPECT_EQ(test, modify_ftrace_direct(&user[0].ops, other), 0);
	KUNIT_EXPECT_EQ(test, ftrace_find_rec_direct(ftrace_location(TARGET)), other);
	expect_direct(test, false);
	KUNIT_EXPECT_EQ(test, modify_ftrace_direct(&user[0].ops, addr), 0);
	expect_direct(test, true);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(&user[0].ops, addr, true), 0);
	KUNIT_EXPECT_EQ(test, ftrace_find_rec_direct(ftrace_location(TARGET)), 0);
	expect_direct(test, false);
	ftrace_free_filter(&user[1].ops);
}

static void switch_ftrace(struct kunit *test, int value)
{
	guard(mutex)(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, ftrace_enabled_set(value), 0);
}

static void direct_call_and_redirection(struct kunit *test)
{
	const unsigned long addr = (unsigned long)ftrace_stub_direct_tramp;
	struct direct_user *user = kunit_kzalloc(test, sizeof(*user), GFP_KERNEL);
	struct ftrace_ops *ops = kunit_kcalloc(test, 2, sizeof(*ops), GFP_KERNEL);
	struct ftrace_ops *second = ops + 1;

	KUNIT_ASSERT_NOT_NULL(test, user);
	KUNIT_ASSERT_NOT_NULL(test, ops);
	prepare(test, ops, redirect_target);
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&user->ops, TARGET, 0, 1), 0);

	/* An owner who cannot be asked, or says no, keeps its function for itself. */
	KUNIT_ASSERT_EQ(test, register_ftrace_direct(&user->ops, addr), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(ops), -EBUSY);
	/* While ftrace is off it is on no site, but it will be. */
	switch_ftrace(test, 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(ops), -EBUSY);
	switch_ftrace(test, 1);
	user->ops.ops_func = agree;
	user->answer = -EAGAIN;
	KUNIT_EXPECT_EQ(test, register_ftrace_function(ops), -EAGAIN);
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	KUNIT_EXPECT_EQ(test, user->off, 0);

	/* One that agrees is told when it is over. */
	user->answer = 0;
	user->on = 0;
	KUNIT_EXPECT_EQ(test, register_ftrace_function(ops), 0);
	KUNIT_EXPECT_EQ(test, user->on, 1);
	KUNIT_EXPECT_EQ(test, call_target(), REDIRECTED);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(ops), 0);
	KUNIT_EXPECT_EQ(test, user->off, 1);
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(&user->ops, addr, false), 0);

	/* A second one that is refused is no end of the first. */
	KUNIT_ASSERT_EQ(test, register_ftrace_direct(&user->ops, addr), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(ops), 0);
	prepare(test, second, redirect_target);
	user->off = 0;
	KUNIT_EXPECT_EQ(test, register_ftrace_function(second), -EBUSY);
	KUNIT_EXPECT_EQ(test, user->off, 0);
	KUNIT_EXPECT_EQ(test, call_target(), REDIRECTED);
	/* With one that says no on its way it is not told either, */
	user->answer = -EAGAIN;
	KUNIT_EXPECT_EQ(test, register_ftrace_function(second), -EAGAIN);
	KUNIT_EXPECT_EQ(test, user->off, 0);
	user->answer = 0;
	/* but when the first goes. */
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(ops), 0);
	KUNIT_EXPECT_EQ(test, user->off, 1);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(&user->ops, addr, false), 0);
	ftrace_free_filter(second);
	user->self = 0;

	/* The other way round. */
	KUNIT_EXPECT_EQ(test, register_ftrace_function(ops), 0);
	user->answer = -EAGAIN;
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(&user->ops, addr), -EAGAIN);
	user->answer = 0;
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(&user->ops, addr), 0);
	KUNIT_EXPECT_EQ(test, user->self, 2);
	KUNIT_EXPECT_EQ(test, call_target(), REDIRECTED);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(&user->ops, addr, true), 0);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(ops), 0);
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	ftrace_free_filter(ops);
}
#endif /* CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS */

static struct kunit_case direct_cases[] = {
	KUNIT_CASE(one_redirects),
	KUNIT_CASE(callbacks_see_registers),
#ifdef CALLS_CAN_RETURN_AT_ONCE
	KUNIT_CASE(callbacks_have_calls_return),
#endif
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	KUNIT_CASE(one_calls_directly),
	KUNIT_CASE(direct_call_and_redirection),
#endif
	{ }
};

TRACE_KUNIT_SUITE("function_direct", direct_cases);

#endif
