// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: trampolines of BPF programs, the foremost user of direct calls. Programs of a few
 * instructions that count are hung on a function the way the bpf() system call does it,
 * but without BTF: what they would take from there is written down here.
 */
#include <kunit/test.h>
#include <linux/bpf.h>
#include <linux/err.h>
#include <linux/filter.h>
#include <linux/ftrace.h>
#include <linux/rcupdate.h>

#include "../../tests/suite.h"
#include "sites.h"
#include "test_target.h"

#define CHANGED		4712UL
#define TEST_KEY	0x7fff0000f7ace000ULL	/* no object and type of BTF have it */

struct attached {
	struct bpf_tramp_link	link;
	struct bpf_prog		*prog;
	u64			calls;
};

static struct bpf_trampoline *get_trampoline(void)
{
	struct bpf_attach_target_info target = {
		.fmodel = { .ret_size = 8, .nr_args = 2, .arg_size = { 8, 8 } },
		.tgt_addr = TARGET,
		.tgt_name = "lcm",
	};

	return bpf_trampoline_get(TEST_KEY, &target);
}

/* A program that counts its runs and returns @ret. */
static struct bpf_prog *make_prog(enum bpf_attach_type type, u64 *counter, s32 ret)
{
	const struct bpf_insn insns[] = {
		BPF_LD_IMM64(BPF_REG_1, (unsigned long)counter),
		BPF_LDX_MEM(BPF_DW, BPF_REG_2, BPF_REG_1, 0),
		BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, 1),
		BPF_STX_MEM(BPF_DW, BPF_REG_1, BPF_REG_2, 0),
		BPF_MOV64_IMM(BPF_REG_0, ret),
		BPF_EXIT_INSN(),
	};
	struct bpf_prog *prog = bpf_prog_alloc(bpf_prog_size(ARRAY_SIZE(insns)), 0);
	int err;

	if (!prog)
		return NULL;
	prog->type = BPF_PROG_TYPE_TRACING;
	prog->expected_attach_type = type;
	prog->jit_requested = 1;
	prog->len = ARRAY_SIZE(insns);
	memcpy(prog->insnsi, insns, sizeof(insns));
	prog = bpf_prog_select_runtime(prog, &err);
	if (!err && prog->jited)
		return prog;
	bpf_prog_free(prog);
	return NULL;
}

static int attach(struct bpf_trampoline *tr, struct attached *a, enum bpf_attach_type type, s32 ret)
{
	static const struct bpf_link_ops no_ops;

	a->prog = make_prog(type, &a->calls, ret);
	if (!a->prog)
		return -ENOMEM;
	bpf_link_init(&a->link.link, BPF_LINK_TYPE_TRACING, &no_ops, a->prog);
	return bpf_trampoline_link_prog(&a->link, tr, NULL);
}

static void free_progs(struct attached *a, int n)
{
	/* Others that were in the function may still be in a program. */
	synchronize_rcu_tasks();
	synchronize_rcu();
	for (int i = 0; i < n; i++) {
		if (a[i].prog)
			bpf_prog_free(a[i].prog);
	}
}

/* It is not called any more by the function, which returns @value. */
static void detach(struct kunit *test, struct bpf_trampoline *tr, struct attached *a,
		   unsigned long value)
{
	u64 calls = a->calls;

	KUNIT_EXPECT_EQ(test, bpf_trampoline_unlink_prog(&a->link, tr, NULL), 0);
	KUNIT_EXPECT_EQ(test, call_target(), value);
	KUNIT_EXPECT_EQ(test, a->calls, calls);
}

static void programs_see_calls(struct kunit *test)
{
	struct attached *a = kunit_kcalloc(test, 3, sizeof(*a), GFP_KERNEL);
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	struct bpf_trampoline *tr = get_trampoline();
	int traced = 0;

	KUNIT_ASSERT_NOT_NULL(test, a);
	KUNIT_ASSERT_NOT_NULL(test, ops);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	ops->func = count_target;
	ops->private = &traced;
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(ops, TARGET, 0, 1), 0);

	KUNIT_ASSERT_EQ(test, attach(tr, &a[0], BPF_TRACE_FENTRY, 0), 0);
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	KUNIT_EXPECT_EQ(test, a[0].calls, 1);

	/* The trampoline is made anew for each program that comes or goes, and sites follow. */
	KUNIT_EXPECT_EQ(test, attach(tr, &a[1], BPF_TRACE_FEXIT, 0), 0);
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	KUNIT_EXPECT_EQ(test, a[0].calls, 2);
	KUNIT_EXPECT_EQ(test, a[1].calls, 1);

	/* A tracer beside them: the site goes through the common entry code. */
	KUNIT_EXPECT_EQ(test, register_ftrace_function(ops), 0);
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	KUNIT_EXPECT_EQ(test, a[0].calls, 3);
	KUNIT_EXPECT_EQ(test, a[1].calls, 2);
	KUNIT_EXPECT_EQ(test, traced, 1);

	/* One that returns in the function's place. */
	KUNIT_EXPECT_EQ(test, attach(tr, &a[2], BPF_MODIFY_RETURN, CHANGED), 0);
	KUNIT_EXPECT_EQ(test, call_target(), CHANGED);
	KUNIT_EXPECT_EQ(test, a[2].calls, 1);
	KUNIT_EXPECT_EQ(test, traced, 2);
	detach(test, tr, &a[2], LCM_4_6);

	KUNIT_EXPECT_EQ(test, bpf_trampoline_unlink_prog(&a[0].link, tr, NULL), 0);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(ops), 0);
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	KUNIT_EXPECT_EQ(test, a[0].calls, 5);
	KUNIT_EXPECT_EQ(test, a[1].calls, 5);
	detach(test, tr, &a[1], LCM_4_6);
	KUNIT_EXPECT_EQ(test, traced, 3);
	KUNIT_EXPECT_EQ(test, ftrace_find_rec_direct(ftrace_location(TARGET)), 0);

	bpf_trampoline_put(tr);
	free_progs(a, 3);
	ftrace_free_filter(ops);
}

/* What live patching does to a function that has a program. */
#ifdef CONFIG_HAVE_LIVEPATCH
static void programs_see_redirected_calls(struct kunit *test)
{
	struct attached *a = kunit_kcalloc(test, 2, sizeof(*a), GFP_KERNEL);
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	struct bpf_trampoline *tr = get_trampoline();

	KUNIT_ASSERT_NOT_NULL(test, a);
	KUNIT_ASSERT_NOT_NULL(test, ops);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	ops->func = redirect_target;
	ops->flags = FTRACE_OPS_FL_IPMODIFY;
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(ops, TARGET, 0, 1), 0);

	/* The program first: its trampoline calls the function, and has to learn another way. */
	KUNIT_ASSERT_EQ(test, attach(tr, &a[0], BPF_TRACE_FEXIT, 0), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(ops), 0);
	KUNIT_EXPECT_EQ(test, call_target(), REDIRECTED);
	KUNIT_EXPECT_EQ(test, a[0].calls, 1);
	detach(test, tr, &a[0], REDIRECTED);

	/* The program second. */
	KUNIT_ASSERT_EQ(test, attach(tr, &a[1], BPF_TRACE_FEXIT, 0), 0);
	KUNIT_EXPECT_EQ(test, call_target(), REDIRECTED);
	KUNIT_EXPECT_EQ(test, a[1].calls, 1);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(ops), 0);
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	KUNIT_EXPECT_EQ(test, a[1].calls, 2);
	detach(test, tr, &a[1], LCM_4_6);

	bpf_trampoline_put(tr);
	free_progs(a, 2);
	ftrace_free_filter(ops);
}
#endif

static struct kunit_case bpf_cases[] = {
	KUNIT_CASE(programs_see_calls),
#ifdef CONFIG_HAVE_LIVEPATCH
	KUNIT_CASE(programs_see_redirected_calls),
#endif
	{ }
};

TRACE_KUNIT_SUITE("function_bpf", bpf_cases);
