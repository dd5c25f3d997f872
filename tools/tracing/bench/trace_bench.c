// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures what one tracing operation costs.
 *
 * "echo OP [COUNT] > /proc/trace_bench" runs an operation COUNT times with
 * interrupts off (but for those that switch them, switches and wakeups); reading the file then
 * gives
 * "OP COUNT NANOSECONDS".  What is switched on meanwhile is up to whoever
 * writes: the module knows operations, guest.sh knows situations.  Reading after "clock"
 * gives the time of the write.
 *
 * Under "qemu -icount shift=0" the guest's time advances by one nanosecond an
 * instruction, so the figure divided by COUNT is instructions for each turn of
 * the loop, the loop itself included; "empty" tells what that takes.
 *
 * The clock is the raw counter, scaled without rounding: a clocksource may
 * carry an error of calibration that shows in the second decimal.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>
#include <linux/trace_clock.h>
#include <linux/uaccess.h>
#ifdef CONFIG_ARM64
#include <asm/sysreg.h>
#endif
#ifdef CONFIG_X86
#include <asm/msr.h>
#endif

#define CREATE_TRACE_POINTS
#include "bench_events.h"

#define BENCH_MAX_COUNT		1000000
#define BENCH_BUFFER_BYTES	(1408UL << 10)

static struct trace_buffer *bench_buffer;
static u64 bench_sink;

static __always_inline u64 bench_clock(void)
{
#if defined(CONFIG_ARM64)
	isb();
	return mul_u64_u64_div_u64(read_sysreg(cntvct_el0), NSEC_PER_SEC,
				   read_sysreg(cntfrq_el0));
#elif defined(CONFIG_X86)
	/* QEMU's counter runs at one tick a virtual nanosecond. */
	return rdtsc_ordered();
#else
	return ktime_get_raw_ns();
#endif
}

/* What the function tracer's rows call; never inlined, always traceable. */
static noinline void bench_target(void)
{
	barrier();
}

/* One measuring function each, so that the loop around every op is the same. */
#define BENCH_OP(_name, _statement)					\
static noinline notrace u64 bench_##_name(unsigned int count)		\
{									\
	u64 start = bench_clock();					\
	unsigned int i;							\
									\
	for (i = 0; i < count; i++) {					\
		_statement;						\
		barrier();						\
	}								\
	return bench_clock() - start;					\
}

static u64 bench_record[2];

BENCH_OP(empty, barrier())
BENCH_OP(pair, trace_bench_pair(i, 5))
BENCH_OP(name, trace_bench_name(i, "nineteen characters"))
BENCH_OP(function, bench_target())
BENCH_OP(trace_clock, bench_sink += trace_clock_local())
BENCH_OP(write, ring_buffer_write(bench_buffer, sizeof(bench_record), bench_record))
BENCH_OP(printk, trace_printk("x %d %lu\n", i, 5UL))
BENCH_OP(puts, trace_puts("hello\n"))

static __always_inline void bench_irqs_off_on(void)
{
	local_irq_disable();
	barrier();
	local_irq_enable();
}

static __always_inline void bench_preempt_off_on(void)
{
	preempt_disable();
	barrier();
	preempt_enable();
}

/* with interrupts on, so that each turn is a section of its own */
BENCH_OP(irqs, bench_irqs_off_on())
BENCH_OP(preempt, bench_preempt_off_on())

static u64 bench_now(unsigned int count)
{
	return bench_clock();
}

/*
 * Context switches and wakeups: two threads on the one CPU, of the same real-time priority, so
 * that who yields runs again when the other one has yielded or gone to sleep. Interrupts are on
 * here. The quickest of many rounds is one without any, which makes the figure repeat.
 */
#define BENCH_ROUND	50U

struct bench_two_run {
	unsigned int		count;
	struct task_struct	*other;
	u64			ns;	/* for @count, reckoned from the quickest round */
	struct completion	done;
};

static int bench_yields(void *unused)
{
	while (!kthread_should_stop())
		yield();
	return 0;
}

static int bench_sleeps(void *unused)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* A round is BENCH_ROUND times there and back. */
static int bench_switches(void *data)
{
	struct bench_two_run *run = data;
	u64 start, took, least = U64_MAX;
	unsigned int done, i;

	yield();
	for (done = 0; done < run->count; done += 2 * BENCH_ROUND) {
		start = bench_clock();
		for (i = 0; i < BENCH_ROUND; i++)
			yield();
		took = bench_clock() - start;
		least = min(least, took);
	}
	run->ns = mul_u64_u64_div_u64(least, run->count, 2 * BENCH_ROUND);
	complete(&run->done);
	return 0;
}

/* A round is one wakeup, with the two readings of the clock. */
static int bench_wakeups(void *data)
{
	struct bench_two_run *run = data;
	u64 start, took, least = U64_MAX;
	unsigned int done;

	yield();
	for (done = 0; done < run->count; done++) {
		start = bench_clock();
		wake_up_process(run->other);
		took = bench_clock() - start;
		least = min(least, took);
		yield();
	}
	run->ns = least * run->count;
	complete(&run->done);
	return 0;
}

/* The same of somebody with a higher priority, who runs at once: a round lasts until he sleeps. */
static int bench_urgent_wakeups(void *data)
{
	struct bench_two_run *run = data;
	u64 start, took, least = U64_MAX;
	unsigned int done;

	sched_set_fifo_low(current);
	for (done = 0; done < run->count; done++) {
		start = bench_clock();
		wake_up_process(run->other);
		yield();	/* without PREEMPT he runs here */
		took = bench_clock() - start;
		least = min(least, took);
	}
	run->ns = least * run->count;
	complete(&run->done);
	return 0;
}

static u64 bench_two(int (*measures)(void *), int (*other)(void *), unsigned int count)
{
	struct bench_two_run run = { .count = count };
	struct task_struct *one;

	init_completion(&run.done);
	run.other = kthread_create(other, NULL, "bench_other");
	if (IS_ERR(run.other))
		return 0;
	one = kthread_create(measures, &run, "bench_one");
	if (IS_ERR(one)) {
		kthread_stop(run.other);
		return 0;
	}
	sched_set_fifo(run.other);
	sched_set_fifo(one);
	get_task_struct(one);
	wake_up_process(run.other);
	wake_up_process(one);
	wait_for_completion(&run.done);
	kthread_stop(one);	/* it has gone, or is on its way, and its code is the module's */
	put_task_struct(one);
	kthread_stop(run.other);
	return run.ns;
}

static u64 bench_switch(unsigned int count)
{
	return bench_two(bench_switches, bench_yields, count);
}

static u64 bench_wakeup(unsigned int count)
{
	return bench_two(bench_wakeups, bench_sleeps, count);
}

static u64 bench_urgent(unsigned int count)
{
	return bench_two(bench_urgent_wakeups, bench_sleeps, count);
}

static const struct bench_op {
	const char *name;
	u64 (*run)(unsigned int count);
	bool irqs_on;
} bench_ops[] = {
	{ "clock",	 bench_now },
	{ "empty",	 bench_empty },
	{ "pair",	 bench_pair },
	{ "name",	 bench_name },
	{ "function",	 bench_function },
	{ "trace_clock", bench_trace_clock },
	{ "write",	 bench_write },
	{ "printk",	 bench_printk },
	{ "puts",	 bench_puts },
	{ "irqs",	 bench_irqs, .irqs_on = true },
	{ "preempt",	 bench_preempt, .irqs_on = true },
	{ "switch",	 bench_switch, .irqs_on = true },
	{ "wakeup",	 bench_wakeup, .irqs_on = true },
	{ "urgent",	 bench_urgent, .irqs_on = true },
};

static DEFINE_MUTEX(bench_lock);
static const struct bench_op *bench_last;
static unsigned int bench_count;
static u64 bench_ns;

static ssize_t bench_proc_write(struct file *file, const char __user *ubuf,
				size_t len, loff_t *pos)
{
	unsigned int count = 1, i;
	unsigned long flags;
	char line[64], name[32];

	if (len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, ubuf, len))
		return -EFAULT;
	line[len] = '\0';

	if (sscanf(line, "%31s %u", name, &count) < 1 || !count || count > BENCH_MAX_COUNT)
		return -EINVAL;

	for (i = 0; i < ARRAY_SIZE(bench_ops); i++) {
		if (strcmp(bench_ops[i].name, name))
			continue;

		guard(mutex)(&bench_lock);
		bench_last = &bench_ops[i];
		bench_count = count;
		if (bench_last->irqs_on) {
			bench_ns = bench_last->run(count);
			return bench_ns ? len : -ENOMEM;
		}
		local_irq_save(flags);
		bench_ns = bench_last->run(count);
		local_irq_restore(flags);
		return len;
	}
	return -EINVAL;
}

static int bench_proc_show(struct seq_file *m, void *unused)
{
	guard(mutex)(&bench_lock);
	if (bench_last)
		seq_printf(m, "%s %u %llu\n", bench_last->name, bench_count, bench_ns);
	return 0;
}

static int bench_proc_open(struct inode *inode, struct file *file)
{
	return single_open(file, bench_proc_show, NULL);
}

static const struct proc_ops bench_proc_ops = {
	.proc_open	= bench_proc_open,
	.proc_read	= seq_read,
	.proc_write	= bench_proc_write,
	.proc_lseek	= seq_lseek,
	.proc_release	= single_release,
};

static int __init bench_init(void)
{
	bench_buffer = ring_buffer_alloc(BENCH_BUFFER_BYTES, RB_FL_OVERWRITE);
	if (!bench_buffer)
		return -ENOMEM;

	if (!proc_create("trace_bench", 0600, NULL, &bench_proc_ops)) {
		ring_buffer_free(bench_buffer);
		return -ENOMEM;
	}
	return 0;
}

static void __exit bench_exit(void)
{
	remove_proc_entry("trace_bench", NULL);
	ring_buffer_free(bench_buffer);
}

module_init(bench_init);
module_exit(bench_exit);
MODULE_DESCRIPTION("Counts what tracing operations cost");
MODULE_LICENSE("GPL");
