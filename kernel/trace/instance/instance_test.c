// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: references and names of instances, words of trace_options, sizes, clocks, errors. */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/preempt.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "../ring_buffer/internal.h"
#include "../tests/instance.h"
#include "../tests/suite.h"
#include "error_log.h"
#include "features_test.h"
#include "internal.h"
#include "instance.h"
#include "tracer.h"
#include "words.h"

#define NAME	"kunit-instance"

static void test_lifetime(struct kunit *test)
{
	struct trace_array *tr, *again;

	tr = trace_array_get_by_name(NAME, NULL);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, tr->ref, 2);
	KUNIT_EXPECT_STREQ(test, tr->name, NAME);
	KUNIT_EXPECT_FALSE(test, trace_array_is_top(tr));

	again = trace_array_get_by_name(NAME, NULL);
	KUNIT_EXPECT_PTR_EQ(test, again, tr);
	KUNIT_EXPECT_EQ(test, instance_mkdir(NAME), -EEXIST);
	trace_array_put(again);

	/* still ours */
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), -EBUSY);
	KUNIT_EXPECT_EQ(test, instance_rmdir(NAME), -EBUSY);
	KUNIT_EXPECT_EQ(test, trace_array_get(tr), 0);
	trace_array_put(tr);
	trace_array_put(tr);

	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	/* a stale pointer is told from an instance without being followed */
	KUNIT_EXPECT_EQ(test, trace_array_get(tr), -ENODEV);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), -ENODEV);
	KUNIT_EXPECT_EQ(test, instance_rmdir(NAME), -ENODEV);
	KUNIT_EXPECT_NULL(test, trace_array_find_get(NAME));
}

static void test_names(struct kunit *test)
{
	static const char * const bad[] = { "", ".", "..", "a/b", "/" };
	char *name = kunit_kzalloc(test, NAME_MAX + 2, GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, name);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_NULL(test, trace_array_get_by_name(bad[i], NULL));
	KUNIT_EXPECT_NULL(test, trace_array_get_by_name(NULL, NULL));
	memset(name, 'x', NAME_MAX + 1);
	KUNIT_EXPECT_NULL(test, trace_array_get_by_name(name, NULL));
}

static void test_top(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, trace_array_destroy(&global_trace), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_array_get(&global_trace), 0);
	trace_array_put(&global_trace);
}

static void test_option_words(struct kunit *test)
{
	bool on;

	KUNIT_EXPECT_EQ(test, trace_parse_option("overwrite", &on), TRACE_ITER_OVERWRITE_BIT);
	KUNIT_EXPECT_TRUE(test, on);
	KUNIT_EXPECT_EQ(test, trace_parse_option("nooverwrite", &on), TRACE_ITER_OVERWRITE_BIT);
	KUNIT_EXPECT_FALSE(test, on);
	KUNIT_EXPECT_LT(test, trace_parse_option("", &on), 0);
	KUNIT_EXPECT_LT(test, trace_parse_option("no", &on), 0);
	KUNIT_EXPECT_LT(test, trace_parse_option("nonooverwrite", &on), 0);
	KUNIT_EXPECT_LT(test, trace_parse_option("overwrit", &on), 0);
	KUNIT_EXPECT_LT(test, trace_parse_option("overwrite ", &on), 0);
}

static void test_options(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);
	unsigned long top = global_trace.trace_flags;
	char word[32];

	KUNIT_ASSERT_NOT_NULL(test, tr);

	strscpy(word, " nooverwrite\n", sizeof(word));
	KUNIT_EXPECT_EQ(test, trace_set_options(tr, word), 0);
	KUNIT_EXPECT_FALSE(test, tr->trace_flags & TRACE_ITER_OVERWRITE);
	strscpy(word, "hexx", sizeof(word));
	KUNIT_EXPECT_EQ(test, trace_set_options(tr, word), -EINVAL);
	/* it is there */
	strscpy(word, "test_nop_refuse", sizeof(word));
	KUNIT_EXPECT_EQ(test, trace_set_options(tr, word), -ENOTSUPP);
	strscpy(word, "test_nop_accept", sizeof(word));
	KUNIT_EXPECT_EQ(test, trace_set_options(tr, word), 0);
	strscpy(word, "notest_nop_accept", sizeof(word));
	KUNIT_EXPECT_EQ(test, trace_set_options(tr, word), 0);
	KUNIT_EXPECT_EQ(test, global_trace.trace_flags, top);

	test_instance_end(test, tr);
}

static void test_sizes(struct kunit *test)
{
	unsigned long bytes = 7;

	KUNIT_EXPECT_EQ(test, trace_parse_size_kb(0, &bytes), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_parse_size_kb(ULONG_MAX, &bytes), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_parse_size_kb((ULONG_MAX >> 10) + 1, &bytes), -EINVAL);
	KUNIT_EXPECT_EQ(test, bytes, 7);
	KUNIT_EXPECT_EQ(test, trace_parse_size_kb(4, &bytes), 0);
	KUNIT_EXPECT_EQ(test, bytes, 4096);

	KUNIT_EXPECT_EQ(test, trace_subbuf_kb_to_order(0), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_subbuf_kb_to_order(1), 0);
	KUNIT_EXPECT_EQ(test, trace_subbuf_kb_to_order(PAGE_SIZE >> 10), 0);
	KUNIT_EXPECT_EQ(test, trace_subbuf_kb_to_order((PAGE_SIZE >> 10) + 1), 1);
	KUNIT_EXPECT_EQ(test, trace_subbuf_kb_to_order((PAGE_SIZE >> 10) << 7), 7);
	KUNIT_EXPECT_EQ(test, trace_subbuf_kb_to_order(((PAGE_SIZE >> 10) << 7) + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_subbuf_kb_to_order(ULONG_MAX), -EINVAL);
}

static void test_clocks(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_STREQ(test, trace_clocks[0].name, "local");
	KUNIT_EXPECT_EQ(test, tracing_set_clock(tr, "mono"), 0);
	KUNIT_EXPECT_STREQ(test, trace_clocks[tr->clock_id].name, "mono");
	KUNIT_EXPECT_EQ(test, tracing_set_clock(tr, "mon"), -EINVAL);
	KUNIT_EXPECT_EQ(test, tracing_set_clock(tr, ""), -EINVAL);
	KUNIT_EXPECT_STREQ(test, trace_clocks[tr->clock_id].name, "mono");
	KUNIT_EXPECT_EQ(test, tracing_set_clock(tr, "counter"), 0);
	KUNIT_EXPECT_FALSE(test, trace_clock_in_ns(tr));

	test_instance_end(test, tr);
}

static void test_switches(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_TRUE(test, tracer_tracing_is_on(tr));
	tracer_tracing_off(tr);
	KUNIT_EXPECT_FALSE(test, tracer_tracing_is_on(tr));

	/* stopping nests and does not touch tracing_on */
	tracer_tracing_on(tr);
	tracing_stop_tr(tr);
	tracing_stop_tr(tr);
	KUNIT_EXPECT_TRUE(test, tracer_tracing_is_on(tr));
	tracing_start_tr(tr);
	KUNIT_EXPECT_FALSE(test, ring_buffer_record_is_on(tr->array_buffer.buffer));
	tracing_start_tr(tr);
	KUNIT_EXPECT_TRUE(test, ring_buffer_record_is_on(tr->array_buffer.buffer));

	test_instance_end(test, tr);
}

static void test_tracers(struct kunit *test)
{
	static struct tracer unnamed;

	KUNIT_EXPECT_EQ(test, register_tracer(&unnamed), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_tracer(&nop_trace), -EEXIST);
	KUNIT_EXPECT_EQ(test, tracing_set_tracer(&global_trace, "no such tracer"), -EINVAL);
}

static struct trace_array *refuses;
static struct trace_array *last_told;
static unsigned long told_thresh;

static int picky_thresh(struct trace_array *tr)
{
	if (tr == refuses)
		return -EBUSY;
	last_told = tr;
	told_thresh = tracing_thresh;
	return 0;
}

static int picky_flag(struct trace_array *tr, u32 mask, int set)
{
	return mask == TRACE_ITER_OVERWRITE ? -EINVAL : mask == TRACE_ITER_HEX ? -ENOMEM : 0;
}

static struct tracer picky = {
	.name		= "picky",
	.flag_changed	= picky_flag,
	.update_thresh	= picky_thresh,
};

/* Why a tracer refuses an option is told apart: lack of memory, and that it is not possible. */
static void test_option_refused(struct kunit *test)
{
	static const struct {
		const char	*word;
		int		err;
	} words[] = { { "nooverwrite", -ENOTSUPP }, { "hex", -ENOMEM }, { "bin", 0 } };
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);
	unsigned long flags;
	char word[32];

	KUNIT_ASSERT_NOT_NULL(test, tr);
	flags = tr->trace_flags;
	KUNIT_EXPECT_EQ(test, flags & (TRACE_ITER_OVERWRITE | TRACE_ITER_HEX | TRACE_ITER_BIN),
			TRACE_ITER_OVERWRITE);
	scoped_guard(mutex, &trace_types_lock)
		tr->current_trace = &picky;
	for (int i = 0; i < ARRAY_SIZE(words); i++) {
		strscpy(word, words[i].word, sizeof(word));
		KUNIT_EXPECT_EQ(test, trace_set_options(tr, word), words[i].err);
	}
	KUNIT_EXPECT_EQ(test, tr->trace_flags, flags | TRACE_ITER_BIN);
	scoped_guard(mutex, &trace_types_lock)
		tr->current_trace = &nop_trace;
	test_instance_end(test, tr);
}

static void test_thresh_refused(struct kunit *test)
{
	struct trace_array *first, *second;
	unsigned long old;

	/* the newest instance is asked first */
	second = trace_array_get_by_name(NAME, NULL);
	first = trace_array_get_by_name(NAME "-2", NULL);
	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_ASSERT_NOT_NULL(test, second);

	mutex_lock(&trace_types_lock);
	old = tracing_thresh;
	first->current_trace = &picky;
	second->current_trace = &picky;

	refuses = NULL;
	KUNIT_EXPECT_EQ(test, tracing_set_thresh(old + 1000), 0);
	KUNIT_EXPECT_EQ(test, tracing_thresh, old + 1000);
	KUNIT_EXPECT_PTR_EQ(test, last_told, second);

	refuses = second;
	KUNIT_EXPECT_EQ(test, tracing_set_thresh(old + 2000), -EBUSY);
	KUNIT_EXPECT_EQ(test, tracing_thresh, old + 1000);
	KUNIT_EXPECT_PTR_EQ(test, last_told, first);
	KUNIT_EXPECT_EQ(test, told_thresh, old + 1000);

	refuses = first;
	told_thresh = 0;
	KUNIT_EXPECT_EQ(test, tracing_set_thresh(old + 2000), -EBUSY);
	KUNIT_EXPECT_EQ(test, tracing_thresh, old + 1000);
	KUNIT_EXPECT_EQ(test, told_thresh, 0);

	refuses = NULL;
	KUNIT_EXPECT_EQ(test, tracing_set_thresh(old), 0);
	first->current_trace = &nop_trace;
	second->current_trace = &nop_trace;
	mutex_unlock(&trace_types_lock);

	trace_array_put(first);
	trace_array_put(second);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(first), 0);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(second), 0);
}

static struct rb_page *no_page(int cpu, unsigned int order, gfp_t flags)
{
	return NULL;
}

/* Without memory for the full buffer a tracer does not start, but one can be stopped. */
static void test_no_room(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);
	unsigned long small;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_EQ(test, ring_buffer_resize(tr->array_buffer.buffer, 1,
						 RING_BUFFER_ALL_CPUS), 0);
	small = ring_buffer_size(tr->array_buffer.buffer, 0);
	tr->ring_buffer_expanded = false;

	kunit_activate_static_stub(test, rb_page_alloc, no_page);
	KUNIT_EXPECT_EQ(test, tracing_update_buffers(tr), -ENOMEM);
	if (IS_ENABLED(CONFIG_FUNCTION_TRACER))
		KUNIT_EXPECT_EQ(test, tracing_set_tracer(tr, "function"), -ENOMEM);
	KUNIT_EXPECT_EQ(test, tracing_set_tracer(tr, "nop"), 0);
	KUNIT_EXPECT_FALSE(test, tr->ring_buffer_expanded);
	KUNIT_EXPECT_EQ(test, ring_buffer_size(tr->array_buffer.buffer, 0), small);
	kunit_deactivate_static_stub(test, rb_page_alloc);

	KUNIT_EXPECT_EQ(test, tracing_update_buffers(tr), 0);
	KUNIT_EXPECT_GE(test, ring_buffer_size(tr->array_buffer.buffer, 0), trace_buf_size);

	test_instance_end(test, tr);
}

/* Made by user space it is small; whoever asks for it in the kernel gets it ready to write. */
static void test_first_use(struct kunit *test)
{
	struct trace_array *tr;

	KUNIT_ASSERT_EQ(test, instance_mkdir(NAME), 0);
	kunit_activate_static_stub(test, rb_page_alloc, no_page);
	KUNIT_EXPECT_NULL(test, trace_array_get_by_name(NAME, NULL));
	tr = trace_array_find_get(NAME);
	kunit_deactivate_static_stub(test, rb_page_alloc);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_FALSE(test, tr->ring_buffer_expanded);
	KUNIT_EXPECT_LT(test, ring_buffer_size(tr->array_buffer.buffer, 0), trace_buf_size);

	KUNIT_EXPECT_PTR_EQ(test, trace_array_get_by_name(NAME, NULL), tr);
	KUNIT_EXPECT_TRUE(test, tr->ring_buffer_expanded);
	KUNIT_EXPECT_GE(test, ring_buffer_size(tr->array_buffer.buffer, 0), trace_buf_size);
	trace_array_put(tr);
	test_instance_end(test, tr);
}

#ifdef CONFIG_STACKTRACE
static int dump_stacks(void *unused)
{
	while (!kthread_should_stop()) {
		trace_dump_stack(0);
		cond_resched();
	}
	return 0;
}

/* trace_dump_stack() writes to whatever instance is the target, which may go at any time. */
static void test_dump_stack(struct kunit *test)
{
	unsigned long end = jiffies + HZ, top, entries = 0;
	struct task_struct *thread;
	struct trace_array *tr;
	char word[32];

	top = ring_buffer_entries(global_trace.array_buffer.buffer);
	tr = trace_array_get_by_name(NAME, NULL);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	strscpy(word, "trace_printk_dest", sizeof(word));
	KUNIT_EXPECT_EQ(test, trace_set_options(tr, word), 0);
	trace_dump_stack(0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 1);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(global_trace.array_buffer.buffer), top);
	test_instance_end(test, tr);

	thread = kthread_run(dump_stacks, NULL, "kunit-dump-stack");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	do {
		tr = trace_array_get_by_name(NAME, NULL);
		if (!tr)
			break;
		strscpy(word, "trace_printk_dest", sizeof(word));
		KUNIT_EXPECT_EQ(test, trace_set_options(tr, word), 0);
		schedule_timeout_uninterruptible(1);
		entries += ring_buffer_entries(tr->array_buffer.buffer);
		test_instance_end(test, tr);
	} while (time_before(jiffies, end));
	kthread_stop(thread);
	KUNIT_EXPECT_NOT_NULL(test, tr);
	KUNIT_EXPECT_GT(test, entries, 0);
}

#ifdef CONFIG_DYNAMIC_FTRACE
/* What preempt_count() was when a task last had its stack walked. */
static struct {
	struct task_struct	*task;
	int			count;
} walked;

static void notrace note_walk(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	if (READ_ONCE(walked.task) == current && !in_interrupt())
		walked.count = preempt_count();
}

static struct ftrace_ops walked_ops = {
	.func	= note_walk,
	.flags	= FTRACE_OPS_FL_RECURSION,
};

/*
 * The target stays because preemption is off from the look at it on. That the walk has it off, too,
 * is not enough: it begins later. What goes in between is too seldom for the threads above.
 */
static void test_dump_stack_stays(struct kunit *test)
{
	char word[] = "trace_printk_dest";
	unsigned long frames[4];
	struct trace_array *tr;
	int once;

	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		kunit_skip(test, "nobody counts whether preemption is off");
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&walked_ops, (unsigned long)stack_trace_save, 0,
						   1), 0);
	tr = trace_array_get_by_name(NAME, NULL);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, trace_set_options(tr, word), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&walked_ops), 0);

	walked.count = 0;
	WRITE_ONCE(walked.task, current);
	/* as record_kernel_stack() does it, and nobody around it */
	preempt_disable_notrace();
	stack_trace_save(frames, ARRAY_SIZE(frames), 0);
	preempt_enable_notrace();
	once = READ_ONCE(walked.count);
	trace_dump_stack(0);
	WRITE_ONCE(walked.task, NULL);

	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&walked_ops), 0);
	ftrace_free_filter(&walked_ops);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 1);
	test_instance_end(test, tr);
	KUNIT_EXPECT_GT(test, once, 0);
	KUNIT_EXPECT_GT(test, walked.count, once);
}
#endif
#endif

/* A room that hears of everything, and refuses what it is told to. */
static struct {
	struct trace_array	*tr;
	int			init, exit, flags, resize, resized, err, clock, cpumask, reset;
	int			maps;
	bool			busy, full;
} heard;

static int hear_init(struct trace_array *tr)
{
	heard.tr = tr;
	heard.init++;
	return tr->array_buffer.buffer ? 0 : -EINVAL;
}

static void hear_exit(struct trace_array *tr)
{
	heard.exit += tr == heard.tr;
}

static int hear_flag(struct trace_array *tr, unsigned long mask, bool enable)
{
	heard.flags += tr == heard.tr;
	return 0;
}

static bool hear_busy(struct trace_array *tr)
{
	return tr == heard.tr && heard.busy;
}

static int hear_resize(struct trace_array *tr, unsigned long bytes, int cpu)
{
	heard.resize += tr == heard.tr;
	return tr == heard.tr && heard.full ? -EBUSY : 0;
}

static void hear_resized(struct trace_array *tr, int cpu, int err)
{
	heard.resized += tr == heard.tr;
	heard.err = err;
}

static void hear_clock(struct trace_array *tr)
{
	heard.clock += tr == heard.tr;
}

static void hear_cpumask(struct trace_array *tr)
{
	heard.cpumask += tr == heard.tr;
}

static void hear_reset(struct trace_array *tr)
{
	heard.reset += tr == heard.tr;
}

static int hear_map(struct trace_array *tr)
{
	heard.maps += tr == heard.tr;
	return 0;
}

static void hear_unmap(struct trace_array *tr)
{
	heard.maps -= tr == heard.tr;
}

static const struct instance_feature hears = {
	.name			= "kunit hears",
	.init			= hear_init,
	.exit			= hear_exit,
	.flag_changed		= hear_flag,
	.busy			= hear_busy,
	.buffer_resize		= hear_resize,
	.buffer_resized		= hear_resized,
	.buffer_map		= hear_map,
	.buffer_unmap		= hear_unmap,
	.clock_changed		= hear_clock,
	.cpumask_changed	= hear_cpumask,
	.reset			= hear_reset,
};

/* The same, and it never agrees. */
static int refuse_resize(struct trace_array *tr, unsigned long bytes, int cpu)
{
	return tr == heard.tr && bytes == 12345678 ? -EPERM : 0;
}

/* Nor here, for the second time. */
static int refuse_map(struct trace_array *tr)
{
	return tr == heard.tr && heard.maps == 2 ? -EPERM : 0;
}

static const struct instance_feature refuses_sizes = {
	.name		= "kunit refuses",
	.buffer_resize	= refuse_resize,
	.buffer_map	= refuse_map,
};

static void test_features_hear(struct kunit *test)
{
	const struct instance_feature *const *old = instance_features;
	struct trace_array *tr;
	unsigned long size;
	char word[32];

	memset(&heard, 0, sizeof(heard));
	use_features(features_and(test, &hears, &refuses_sizes));
	tr = trace_array_get_by_name(NAME, NULL);
	if (!tr)
		goto out;
	KUNIT_EXPECT_EQ(test, heard.init, 1);
	KUNIT_EXPECT_PTR_EQ(test, heard.tr, tr);
	heard.resize = 0;
	heard.resized = 0;

	strscpy(word, "noprint-parent", sizeof(word));
	KUNIT_EXPECT_EQ(test, trace_set_options(tr, word), 0);
	KUNIT_EXPECT_EQ(test, heard.flags, 1);
	KUNIT_EXPECT_EQ(test, tracing_set_clock(tr, "counter"), 0);
	KUNIT_EXPECT_EQ(test, heard.clock, 1);
	KUNIT_EXPECT_EQ(test, heard.reset, 1);

	KUNIT_EXPECT_EQ(test, trace_array_map(tr), 0);
	KUNIT_EXPECT_EQ(test, heard.maps, 1);
	KUNIT_EXPECT_EQ(test, trace_array_map(tr), -EPERM);
	KUNIT_EXPECT_EQ(test, heard.maps, 1);
	trace_array_unmap(tr);
	KUNIT_EXPECT_EQ(test, heard.maps, 0);

	mutex_lock(&trace_types_lock);
	tracing_set_cpumask(tr, cpumask_of(0));
	tracing_set_cpumask(tr, cpu_possible_mask);
	KUNIT_EXPECT_EQ(test, heard.cpumask, 2);

	KUNIT_EXPECT_GE(test, tracing_resize(tr, 200000, RING_BUFFER_ALL_CPUS), 0);
	KUNIT_EXPECT_EQ(test, heard.resize, 1);
	KUNIT_EXPECT_EQ(test, heard.resized, 1);
	KUNIT_EXPECT_EQ(test, heard.err, 0);
	size = ring_buffer_size(tr->array_buffer.buffer, 0);
	heard.full = true;
	KUNIT_EXPECT_EQ(test, tracing_resize(tr, 400000, RING_BUFFER_ALL_CPUS), -EBUSY);
	/* who refused knows */
	KUNIT_EXPECT_EQ(test, heard.resized, 1);
	heard.full = false;
	KUNIT_EXPECT_EQ(test, tracing_resize(tr, 12345678, RING_BUFFER_ALL_CPUS), -EPERM);
	KUNIT_EXPECT_EQ(test, heard.resized, 2);
	KUNIT_EXPECT_EQ(test, heard.err, -EPERM);
	KUNIT_EXPECT_EQ(test, ring_buffer_size(tr->array_buffer.buffer, 0), size);
	mutex_unlock(&trace_types_lock);

	trace_array_put(tr);
	heard.busy = true;
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), -EBUSY);
	heard.busy = false;
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	KUNIT_EXPECT_EQ(test, heard.exit, 1);
out:
	use_features(old);
	KUNIT_EXPECT_NOT_NULL(test, tr);
}

/* What is missing is behind the end of a line; nothing there is looked at. */
static void test_missing_words(struct kunit *test)
{
	static const char *errs[] = { "missing" };
	static const char behind[] = "\n \t a ";
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);
	char *line = kunit_kzalloc(test, ERROR_COMMAND_MAX + 64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_NOT_NULL(test, line);
	for (size_t len = ERROR_COMMAND_MAX - 40; len < ERROR_COMMAND_MAX + 40; len += 20) {
		for (size_t far = 1; far < sizeof(behind); far++) {
			memset(line, 'x', len);
			line[len] = '\0';
			memcpy(line + len + 1, behind, sizeof(behind));
			trace_text_error(tr, "kunit", line, errs, 0, len + far);
			KUNIT_EXPECT_MEMEQ(test, line + len + 1, behind, sizeof(behind));
		}
	}
	test_instance_end(test, tr);
}

static struct kunit_case instance_cases[] = {
	KUNIT_CASE(test_lifetime),
	KUNIT_CASE(test_names),
	KUNIT_CASE(test_top),
	KUNIT_CASE(test_option_words),
	KUNIT_CASE(test_options),
	KUNIT_CASE(test_sizes),
	KUNIT_CASE(test_clocks),
	KUNIT_CASE(test_switches),
	KUNIT_CASE(test_tracers),
	KUNIT_CASE(test_option_refused),
	KUNIT_CASE(test_thresh_refused),
	KUNIT_CASE(test_no_room),
	KUNIT_CASE(test_features_hear),
	KUNIT_CASE(test_first_use),
	KUNIT_CASE(test_missing_words),
#ifdef CONFIG_STACKTRACE
	KUNIT_CASE(test_dump_stack),
#ifdef CONFIG_DYNAMIC_FTRACE
	KUNIT_CASE(test_dump_stack_stays),
#endif
#endif
	{ }
};

TRACE_KUNIT_SUITE("trace_instance", instance_cases);
