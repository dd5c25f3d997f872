// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: a call that has found a tracer's callback, and comes to it when another tracer runs. The
 * ops of the top instance is always there, so nobody waits for such a call. And what is handed to
 * who asked for copies of records.
 */
#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/trace_events.h>

#include <trace/events/sched.h>

#include "../function/filters/function_ops.h"
#include "../function/sites/sites.h"
#include "../instance/tracer.h"
#include "../record/entries.h"
#include "../record/function_entries.h"
#include "../record/record.h"
#include "../tests/instance.h"
#include "../tests/suite.h"
#include "latency/internal.h"

/* At least a struct ftrace_regs of any architecture. */
#define REGS_SIZE	SZ_1K

static void choose(struct kunit *test, const char *tracer, const char *option)
{
	char word[32];

	KUNIT_ASSERT_EQ_MSG(test, tracing_set_tracer(&global_trace, tracer), 0, "%s", tracer);
	if (!option)
		return;
	strscpy(word, option);
	KUNIT_ASSERT_EQ_MSG(test, trace_set_options(&global_trace, word), 0, "%s", option);
}

/* That of the tracer which runs: function, or a latency tracer. */
static struct ftrace_ops *ops_of_tracer(void)
{
	struct latency_trace *lt = latency_of(&global_trace);

	return lt ? &lt->ops : &function_ops_of(&global_trace)->ops;
}

/* Entries that a call makes on this CPU, where nobody else has a say meanwhile. */
static unsigned long entries_of_call(struct kunit *test, ftrace_func_t func,
				     struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	struct trace_buffer *buffer = global_trace.array_buffer.buffer;
	unsigned long before, made, flags, recursion;

	local_irq_save(flags);
	recursion = current->trace_recursion;
	before = ring_buffer_entries_cpu(buffer, smp_processor_id());
	func((unsigned long)entries_of_call, _THIS_IP_, ops, regs);
	made = ring_buffer_entries_cpu(buffer, smp_processor_id()) - before;
	recursion ^= current->trace_recursion;
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, recursion, 0UL);
	return made;
}

/* Return: how many entries the late call made */
static unsigned long call_late(struct kunit *test, const char *first, const char *option,
			       const char *then)
{
	struct ftrace_regs *regs = kunit_kzalloc(test, REGS_SIZE, GFP_KERNEL);
	struct ftrace_ops *ops;
	ftrace_func_t late;

	KUNIT_ASSERT_NOT_NULL(test, regs);
	choose(test, first, option);
	ops = ops_of_tracer();
	late = READ_ONCE(ops->func);
	choose(test, then, NULL);
	/* a worst case of another CPU would exchange the ring of this one */
	WRITE_ONCE(global_trace.max_latency, ULONG_MAX);
	return entries_of_call(test, late, ops, regs);
}

/* It is recorded as it would have been a moment before. */
static void test_function(struct kunit *test)
{
	/* one more each time */
	static const struct {
		const char	*option;
		unsigned long	entries;
	} calls[] = {
		{ NULL,			1 },
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
		{ "func-args",		1 },
#endif
		{ "func-no-repeats",	1 },
#ifdef CONFIG_STACKTRACE
		{ "func_stack_trace",	2 },
#endif
	};
	bool on = tracer_tracing_is_on(&global_trace);

	tracer_tracing_on(&global_trace);
	for (int i = 0; i < ARRAY_SIZE(calls); i++)
		KUNIT_EXPECT_EQ_MSG(test, calls[i].entries,
				    call_late(test, "function", calls[i].option, "wakeup"),
				    "%s", calls[i].option ?: "no option");
	if (!on)
		tracer_tracing_off(&global_trace);
}

/* Of a latency tracer none is recorded: nothing is being measured any more. */
static void test_latency(struct kunit *test)
{
	struct ftrace_ops *ops = &function_ops_of(&global_trace)->ops;
	bool on = tracer_tracing_is_on(&global_trace);

	tracer_tracing_on(&global_trace);
	KUNIT_EXPECT_EQ(test, call_late(test, "wakeup", NULL, "function"), 0);
	/* as one is of the tracer that runs by now */
	KUNIT_EXPECT_EQ(test, entries_of_call(test, READ_ONCE(ops->func), ops, NULL), 1);
	KUNIT_EXPECT_EQ(test, call_late(test, "wakeup", NULL, "nop"), 0);
	if (!on)
		tracer_tracing_off(&global_trace);
}

#define FAULTED		"<faulted>"

/* Of what this task records. */
static struct {
	struct task_struct	*task;
	unsigned int		nr;
	unsigned int		wrong;	/* that are not this task's, of @type, with its text */
	unsigned int		type;
} exports;

static void exports_of(int type)
{
	exports.task = current;
	exports.nr = 0;
	exports.wrong = 0;
	exports.type = type;
}

static notrace bool export_good(const struct trace_entry *ent, unsigned int size)
{
	const struct print_entry *print = (const void *)ent;

	if (size < sizeof(*ent) || ent->type != exports.type || ent->pid != current->pid)
		return false;
	if (ent->type == TRACE_FN)
		return size >= offsetof(struct ftrace_entry, args);
	/* a marker ends its line, and has a zero behind it */
	return ent->type != TRACE_PRINT ||
	       (size >= offsetof(struct print_entry, buf) + sizeof(FAULTED "\n") &&
		!memcmp(print->buf, FAULTED "\n", sizeof(FAULTED "\n")));
}

static notrace void count_exported(struct trace_export *export, const void *entry,
				   unsigned int size)
{
	if (!in_task() || current != exports.task)
		return;
	exports.nr++;
	exports.wrong += !export_good(entry, size);
}

static struct trace_export counting_export = {
	.write	= count_exported,
};

static unsigned int markers_exported(struct kunit *test, struct trace_array *tr)
{
	struct file filp = { .private_data = tr };
	loff_t pos = 0;

	exports_of(TRACE_PRINT);
	/* the kernel's own messages are no markers */
	__trace_array_puts(tr, _THIS_IP_, "text", 4);
	/* a text that is not there is one that says so */
	trace_marker_fops.write(&filp, NULL, 4, &pos);
	KUNIT_EXPECT_EQ(test, exports.wrong, 0);
	return exports.nr;
}

static unsigned int events_exported(struct kunit *test, int type)
{
	exports_of(type);
	trace_sched_kthread_stop(current);
	KUNIT_EXPECT_EQ(test, exports.wrong, 0);
	return exports.nr;
}

/* Who asks for kinds of records gets a copy of each of them, and of no others, until he goes. */
static void test_exports(struct kunit *test)
{
	static const struct {
		int		flags;
		unsigned int	markers, events;
	} kinds[] = {
		{ TRACE_EXPORT_MARKER,				1, 0 },
		{ TRACE_EXPORT_EVENT,				0, 1 },
		{ TRACE_EXPORT_MARKER | TRACE_EXPORT_EVENT,	1, 1 },
		{ TRACE_EXPORT_FUNCTION,			0, 0 },
	};
	struct trace_array *tr = trace_array_get_by_name("kunit-exports", "sched");
	struct trace_event_file *file;
	int type;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	file = trace_get_event_file("kunit-exports", "sched", "sched_kthread_stop");
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	type = file->event_call->event.type;
	trace_put_event_file(file);
	KUNIT_EXPECT_EQ(test, 0, trace_array_set_clr_event(tr, "sched", "sched_kthread_stop",
							   true));
	for (int i = 0; i < ARRAY_SIZE(kinds); i++) {
		counting_export.flags = kinds[i].flags;
		KUNIT_EXPECT_EQ(test, register_ftrace_export(&counting_export), 0);
		KUNIT_EXPECT_EQ_MSG(test, markers_exported(test, tr), kinds[i].markers, "%d", i);
		KUNIT_EXPECT_EQ_MSG(test, events_exported(test, type), kinds[i].events, "%d", i);
		KUNIT_EXPECT_EQ(test, unregister_ftrace_export(&counting_export), 0);
		KUNIT_EXPECT_EQ_MSG(test, markers_exported(test, tr), 0, "%d", i);
		KUNIT_EXPECT_EQ_MSG(test, events_exported(test, type), 0, "%d", i);
	}
	KUNIT_EXPECT_EQ(test, 0, trace_array_set_clr_event(tr, "sched", "sched_kthread_stop",
							   false));
	KUNIT_EXPECT_EQ(test, events_exported(test, type), 0);
	test_instance_end(test, tr);
}

#ifdef CONFIG_IRQSOFF_TRACER
/* Who asks for calls gets those of latency tracers as well: where a section begins, and ends. */
static void test_latency_exports(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit-exports", NULL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, tracing_set_tracer(tr, "irqsoff"), 0);
	counting_export.flags = TRACE_EXPORT_FUNCTION;
	exports_of(TRACE_FN);
	KUNIT_EXPECT_EQ(test, register_ftrace_export(&counting_export), 0);
	local_irq_disable();
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, unregister_ftrace_export(&counting_export), 0);
	KUNIT_EXPECT_GE(test, exports.nr, 2U);
	KUNIT_EXPECT_EQ(test, exports.wrong, 0);
	KUNIT_EXPECT_EQ(test, tracing_set_tracer(tr, "nop"), 0);
	test_instance_end(test, tr);
}
#endif

#ifdef CONFIG_STACKTRACE
static bool exported;

/* From inside of the recording of a call. */
static notrace void pids_are_set(struct trace_export *export, const void *entry, unsigned int size)
{
	WRITE_ONCE(function_ops_of(&global_trace)->has_pids, true);
	WRITE_ONCE(exported, true);
}

static struct trace_export pids_export = {
	.write	= pids_are_set,
	.flags	= TRACE_EXPORT_FUNCTION,
};

/* What keeps calls with stacks out on this CPU, where the test stays. */
static atomic_t *disabled_here(struct kunit *test, int *cpu)
{
	*cpu = raw_smp_processor_id();
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(*cpu)), 0);
	KUNIT_ASSERT_FALSE(test, function_ops_of(&global_trace)->has_pids);
	return &per_cpu_ptr(global_trace.array_buffer.data, *cpu)->disabled;
}

/*
 * While a call with its stack is being recorded somebody sets pids, and this task is none of them.
 * The CPU's next calls are kept out until it is done, and then not any more.
 */
static void test_pids_come(struct kunit *test)
{
	static const char *const options[] = {
		"func_stack_trace",
		"func-no-repeats",
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
		"func-args",
#endif
	};
	struct function_ops *fn = function_ops_of(&global_trace);
	struct ftrace_regs *regs = kunit_kzalloc(test, REGS_SIZE, GFP_KERNEL);
	bool on = tracer_tracing_is_on(&global_trace);
	atomic_t *disabled;
	ftrace_func_t call;
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, regs);
	disabled = disabled_here(test, &cpu);
	tracer_tracing_on(&global_trace);
	for (int i = 0; i < ARRAY_SIZE(options); i++) {
		/* one more each time */
		choose(test, "function", options[i]);
		WRITE_ONCE(exported, false);
		KUNIT_ASSERT_EQ(test, register_ftrace_export(&pids_export), 0);
		call = READ_ONCE(fn->ops.func);
		call((unsigned long)test_pids_come, _THIS_IP_ + i, &fn->ops, regs);
		/* this waits for all who run it */
		KUNIT_EXPECT_EQ(test, unregister_ftrace_export(&pids_export), 0);
		WRITE_ONCE(fn->has_pids, false);
		KUNIT_EXPECT_TRUE_MSG(test, READ_ONCE(exported), "%s", options[i]);
		KUNIT_EXPECT_EQ_MSG(test, atomic_read(disabled), 0, "%s", options[i]);
	}
	if (!on)
		tracer_tracing_off(&global_trace);
}

#define ENOUGH_FLIPS	1000

static unsigned int nr_flips;

static int flip_pids(void *unused)
{
	bool *has_pids = &function_ops_of(&global_trace)->has_pids;

	while (!kthread_should_stop()) {
		WRITE_ONCE(*has_pids, !*has_pids);
		WRITE_ONCE(nr_flips, nr_flips + 1);
		cond_resched();
	}
	return 0;
}

/* Pids come and go at any point of a call that is kept out: it leaves the count as it was. */
static void test_pids_flip(struct kunit *test)
{
	struct function_ops *fn = function_ops_of(&global_trace);
	struct ftrace_regs *regs = kunit_kzalloc(test, REGS_SIZE, GFP_KERNEL);
	struct task_struct *flips;
	atomic_t *disabled;
	ftrace_func_t call;
	unsigned long end, latest;
	int cpu, other;

	if (IS_ENABLED(CONFIG_KCSAN))
		kunit_skip(test, "who is called looks at it without a mark");
	KUNIT_ASSERT_NOT_NULL(test, regs);
	disabled = disabled_here(test, &cpu);
	other = cpumask_any_but(cpu_online_mask, cpu);
	if (other >= nr_cpu_ids)
		kunit_skip(test, "this needs two CPUs");
	choose(test, "function", "func_stack_trace");
	nr_flips = 0;
	flips = kthread_run_on_cpu(flip_pids, NULL, other, "kunit-pids/%u");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, flips);
	atomic_inc(disabled);
	end = jiffies + HZ / 4;
	/* the other CPU may come late to it */
	latest = jiffies + 10 * HZ;
	while (time_before(jiffies, end) ||
	       (READ_ONCE(nr_flips) < ENOUGH_FLIPS && time_before(jiffies, latest))) {
		for (int i = 0; i < 1000; i++) {
			call = READ_ONCE(fn->ops.func);
			call((unsigned long)test_pids_flip, _THIS_IP_, &fn->ops, regs);
		}
		cond_resched();
	}
	atomic_dec(disabled);
	kthread_stop(flips);
	WRITE_ONCE(fn->has_pids, false);
	KUNIT_EXPECT_GE(test, nr_flips, ENOUGH_FLIPS);
	KUNIT_EXPECT_EQ(test, atomic_read(disabled), 0);
}
#endif

/* As when text cannot be written any more: who is still called looks at nothing that goes. */
static void test_stuck(struct kunit *test)
{
	char one[] = "vfs_read", option[] = "func-no-repeats";
	struct trace_array *tr = trace_array_get_by_name("kunit-stuck", NULL);
	struct ftrace_ops *ops;
	ftrace_func_t func;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	ops = &function_ops_of(tr)->ops;
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(ops, one, strlen(one), 1), 0);
	KUNIT_EXPECT_EQ(test, tracing_set_tracer(tr, "function"), 0);
	KUNIT_EXPECT_EQ(test, trace_set_options(tr, option), 0);
	func = ops->func;
	KUNIT_EXPECT_NOT_NULL(test, ops->private);

	WRITE_ONCE(ftrace_text_stuck, true);
	KUNIT_EXPECT_EQ(test, tracing_set_tracer(tr, "nop"), 0);
	WRITE_ONCE(ftrace_text_stuck, false);
	KUNIT_EXPECT_NULL(test, ops->private);
	KUNIT_EXPECT_PTR_NE(test, (void *)ops->func, (void *)func);
	/* Nothing calls it, in truth: the instance frees what begins with it. */
	ftrace_ops_drop_trampoline(ops);
	test_instance_end(test, tr);
}

/*
 * A function is enough. With all of them a stack for each makes a kernel with lockdep crawl under
 * emulation.
 */
static int late_call_init(struct kunit *test)
{
	char one[] = "vfs_read";

	if (!IS_ENABLED(CONFIG_SCHED_TRACER))
		kunit_skip(test, "there is no tracer wakeup");
	return ftrace_set_filter(&function_ops_of(&global_trace)->ops, one, strlen(one), 1);
}

static void late_call_exit(struct kunit *test)
{
	char off[][24] = { "nofunc-args", "nofunc-no-repeats", "nofunc_stack_trace" };

	if (!tracing_set_tracer(&global_trace, "function"))
		for (int i = 0; i < ARRAY_SIZE(off); i++)
			trace_set_options(&global_trace, off[i]);
	KUNIT_EXPECT_EQ(test, tracing_set_tracer(&global_trace, "nop"), 0);
#ifdef CONFIG_TRACER_MAX_TRACE
	trace_worst_clear(&global_trace);
#endif
	ftrace_set_filter(&function_ops_of(&global_trace)->ops, NULL, 0, 1);
}

static struct kunit_case late_call_cases[] = {
	KUNIT_CASE(test_function),
	KUNIT_CASE(test_stuck),
	KUNIT_CASE(test_latency),
	KUNIT_CASE(test_exports),
#ifdef CONFIG_IRQSOFF_TRACER
	KUNIT_CASE(test_latency_exports),
#endif
#ifdef CONFIG_STACKTRACE
	KUNIT_CASE(test_pids_come),
	KUNIT_CASE(test_pids_flip),
#endif
	{}
};

TRACE_KUNIT_SUITE("trace_late_call", late_call_cases, .init = late_call_init,
		  .exit = late_call_exit);
