// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwlat: what takes time that the kernel knows nothing of?
 *
 * A thread reads the clock in a loop, for `width` of each `window`, with interrupts off. Only
 * firmware, a hypervisor, or an NMI can have the CPU then; NMIs are counted. The clock is
 * read twice in a round, and a gap is in the round (inner) or between two (outer). A window
 * with a gap longer than tracing_thresh is a record.
 *
 * Files: hwlat_detector/{width,window,mode}. One instance at a time.
 */
#include <linux/cleanup.h>
#include <linux/hardirq.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/trace_clock.h>
#include <linux/tracefs.h>

#include "../../instance/tracer.h"
#include "../../record/write.h"
#include "../../tasks/tasks.h"
#include "crew.h"
#include "entries.h"
#include "longest.h"
#include "noise.h"
#include "numbers.h"

#define HWLAT_THRESH	(10 * NSEC_PER_USEC)	/* if tracing_thresh is 0 */

/* How long a loop with interrupts off goes on when it is to end. */
#define HWLAT_STOP	NSEC_PER_MSEC

enum hwlat_mode {
	HWLAT_NONE,		/* one thread, which stays where the scheduler has it */
	HWLAT_ROUND_ROBIN,	/* one thread, on the next CPU in each window */
	HWLAT_PER_CPU,		/* a thread for each CPU */
	HWLAT_MODES
};

static const char *const mode_names[HWLAT_MODES] = {
	[HWLAT_NONE]		= "none",
	[HWLAT_ROUND_ROBIN]	= "round-robin",
	[HWLAT_PER_CPU]		= "per-cpu",
};

static u64 width = 500 * USEC_PER_MSEC;		/* us */
static u64 window = 1000 * USEC_PER_MSEC;	/* us */

/* The lock of all that follows is trace_types_lock. */
static struct trace_array *hwlat_tr;		/* who runs the tracer */
static enum hwlat_mode mode = HWLAT_ROUND_ROBIN; /* also written by who is moved by a user */
static unsigned long thresh_before;		/* of tracing_thresh, while the tracer is on */
static unsigned long thresh_last = HWLAT_THRESH; /* when it was on last */
static struct task_struct *wanderer;		/* the one thread, NULL: it does not run */
static atomic_t records;			/* since the tracer was chosen */

/* What the wanderer reads, who may not wait for trace_types_lock. */
static DEFINE_SPINLOCK(cpus_lock);
static struct cpumask hwlat_cpus;

/* What a CPU measures. Written by its thread and by NMIs. */
struct hwlat_cpu {
	bool		on;
	unsigned int	nmis;
	unsigned int	nmi_depth;	/* that have begun and not ended */
	u64		nmi_began;
	u64		nmi_total;
};

static DEFINE_PER_CPU(struct hwlat_cpu, hwlat_cpu);

bool trace_hwlat_callback_enabled __read_mostly;

/* An NMI begins or ends; interrupts are off. */
void trace_hwlat_callback(bool enter)
{
	struct hwlat_cpu *c = this_cpu_ptr(&hwlat_cpu);

	if (!c->on)
		return;
	/* what comes into one, as breakpoints do, is a part of it */
	if (enter) {
		if (c->nmi_depth++)
			return;
		c->nmis++;
		c->nmi_began = trace_clock_local();
	} else if (c->nmi_depth && !--c->nmi_depth) {
		c->nmi_total += trace_clock_local() - c->nmi_began;
	}
}

/* --- the window */

static void record_window(struct trace_array *tr, const struct hwlat_entry *sample)
{
	struct ring_buffer_slot slot __uninitialized;
	unsigned int trace_ctx = tracing_gen_ctx();
	struct hwlat_entry *entry;

	guard(preempt_notrace)();
	entry = trace_slot_reserve(tr->array_buffer.buffer, TRACE_HWLAT, sizeof(*entry), trace_ctx,
				   &slot);
	if (!entry)
		return;
	noise_entry_fill(entry, sample, sizeof(*entry));
	ring_buffer_slot_commit(&slot);
}

/* Reads the clock for `width`. Return: was there a gap that counts? */
static bool watch_clock(struct hwlat_entry *sample)
{
	/* from the next whole us on */
	u64 gap = READ_ONCE(tracing_thresh) / NSEC_PER_USEC * NSEC_PER_USEC + NSEC_PER_USEC;
	u64 length = min_t(u64, READ_ONCE(width), U64_MAX / NSEC_PER_USEC) * NSEC_PER_USEC;
	u64 begin, t1, t2, inner, outer, checked, longest_inner = 0, longest_outer = 0;
	struct hwlat_cpu *c;

	memset(sample, 0, sizeof(*sample));
	local_irq_disable();
	c = this_cpu_ptr(&hwlat_cpu);
	c->nmis = 0;
	c->nmi_depth = 0;
	c->nmi_total = 0;
	barrier();	/* an NMI sees them or does nothing */
	WRITE_ONCE(c->on, true);

	begin = trace_clock_local();
	t2 = begin;
	checked = begin;
	do {
		t1 = trace_clock_local();
		outer = noise_passed(t2, t1);
		t2 = trace_clock_local();
		inner = noise_passed(t1, t2);
		if (unlikely(inner >= gap || outer >= gap)) {
			sample->count++;
			ktime_get_real_ts64(&sample->timestamp);
		}
		longest_inner = max(longest_inner, inner);
		longest_outer = max(longest_outer, outer);
		if (t2 - checked > HWLAT_STOP) {
			if (noise_crew_unwanted())
				break;
			checked = t2;
		}
	} while (t2 - begin < length);

	WRITE_ONCE(c->on, false);
	barrier();
	sample->nmi_count = c->nmis;
	sample->nmi_total_ts = c->nmi_total;
	local_irq_enable();

	sample->duration = longest_inner / NSEC_PER_USEC;
	sample->outer_duration = longest_outer / NSEC_PER_USEC;
	return sample->count;
}

static void one_window(void)
{
	/* it stays as long as its thread does */
	struct trace_array *tr = READ_ONCE(hwlat_tr);
	struct hwlat_entry sample;
	u64 us = READ_ONCE(window) - min(READ_ONCE(width), READ_ONCE(window));

	if (watch_clock(&sample)) {
		sample.seqnum = atomic_inc_return(&records);
		record_window(tr, &sample);
		noise_longest(tr, max(sample.duration, sample.outer_duration) * NSEC_PER_USEC);
	}
	/* others have the CPU for a moment in any case */
	noise_crew_sleep(max(us, USEC_PER_MSEC), NULL);
}

/* --- one thread on one CPU after the other */

/*
 * To the next of the CPUs. @cpu is where it was sent last, or -1: if it may run elsewhere by now,
 * and the CPU has not gone, a user has moved it, and it is to be left alone.
 */
static int wander(int cpu)
{
	if (cpu >= 0 && cpu_online(cpu) && !cpumask_equal(current->cpus_ptr, cpumask_of(cpu))) {
		pr_info("tracing: hwlatd was moved by a user, hwlat_detector/mode is none now\n");
		WRITE_ONCE(mode, HWLAT_NONE);
		return -1;
	}
	scoped_guard(spinlock, &cpus_lock) {
		cpu = cpumask_next_and(cpu, &hwlat_cpus, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first_and(&hwlat_cpus, cpu_online_mask);
	}
	/* it may be gone by now, or there is none: on with the next window, wherever it is */
	if (cpu >= nr_cpu_ids || set_cpus_allowed_ptr(current, cpumask_of(cpu)))
		return -1;
	return cpu;
}

/* On any of the CPUs, as the scheduler wants; if none of them is there it stays where it is. */
static void allow_all_cpus(struct task_struct *thread)
{
	cpumask_var_t cpus;

	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return;
	scoped_guard(spinlock, &cpus_lock)
		cpumask_copy(cpus, &hwlat_cpus);
	set_cpus_allowed_ptr(thread, cpus);
	free_cpumask_var(cpus);
}

static int wanderer_main(void *unused)
{
	int cpu = -1;

	while (!kthread_should_stop()) {
		if (READ_ONCE(mode) == HWLAT_ROUND_ROBIN) {
			cpu = wander(cpu);
		} else if (cpu >= 0) {
			allow_all_cpus(current);
			cpu = -1;
		}
		one_window();
	}
	return 0;
}

/* --- a thread on each CPU */

static int hwlat_cpu_main(void *cpu)
{
	noise_crew_settle();
	while (!noise_crew_unwanted())
		one_window();
	if (!kthread_should_stop())
		trace_array_puts(READ_ONCE(hwlat_tr), "a hwlat thread was moved to another CPU\n");
	noise_crew_rest();
	return 0;
}

static DEFINE_PER_CPU(struct task_struct *, hwlat_thread);

static struct noise_crew hwlat_crew = {
	.name	= "hwlatd/%u",
	.work	= hwlat_cpu_main,
	.thread	= &hwlat_thread,
};

/* --- the tracer; trace_types_lock held */

static void wanderer_stop(void)
{
	if (wanderer)
		kthread_stop_put(wanderer);
	wanderer = NULL;
}

/* Starts the thread, or those, that @m wants. */
static int hwlat_begin(enum hwlat_mode m)
{
	struct task_struct *thread;

	if (m == HWLAT_PER_CPU)
		return hwlat_crew.on ? 0 : noise_crew_start(&hwlat_crew, &hwlat_cpus);
	if (wanderer)
		return 0;
	thread = kthread_create(wanderer_main, NULL, "hwlatd");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	allow_all_cpus(thread);
	wanderer = get_task_struct(thread);
	wake_up_process(thread);
	return 0;
}

static void hwlat_halt(void)
{
	noise_crew_stop(&hwlat_crew);
	wanderer_stop();
	/* only now: the last windows of the threads count NMIs as well */
	trace_hwlat_callback_enabled = false;
}

static int hwlat_run(void)
{
	int ret;

	scoped_guard(spinlock, &cpus_lock)
		cpumask_copy(&hwlat_cpus, hwlat_tr->tracing_cpumask);
	/* where NMIs are looked at before there is anybody to look for them does not matter */
	trace_hwlat_callback_enabled = true;
	ret = hwlat_begin(mode);
	if (ret)
		hwlat_halt();
	return ret;
}

static void hwlat_start(struct trace_array *tr)
{
	if (hwlat_run())
		pr_warn("tracing: hwlat has no threads\n");
}

static void hwlat_stop(struct trace_array *tr)
{
	hwlat_halt();
}

static int hwlat_init(struct trace_array *tr)
{
	int ret = 0;

	if (hwlat_tr)
		return -EBUSY;
	thresh_before = tracing_thresh;
	if (!tracing_thresh)
		ret = tracing_set_thresh(thresh_last);
	if (ret)
		return ret;
	WRITE_ONCE(hwlat_tr, tr);
	WRITE_ONCE(tr->max_latency, 0);
	atomic_set(&records, 0);
	tracing_start_cmdline_record(tr);
	if (tracer_tracing_is_on(tr))
		ret = hwlat_run();
	if (!ret)
		return 0;
	tracing_stop_cmdline_record(tr);
	WRITE_ONCE(hwlat_tr, NULL);
	tracing_set_thresh(thresh_before);
	return ret;
}

static void hwlat_reset(struct trace_array *tr)
{
	hwlat_halt();
	tracing_stop_cmdline_record(tr);
	WRITE_ONCE(hwlat_tr, NULL);
	/* what it was in the end is for the next time, and others have theirs again */
	thresh_last = tracing_thresh;
	tracing_set_thresh(thresh_before);
}

static struct tracer hwlat_tracer __read_mostly = {
	.name		 = "hwlat",
	.init		 = hwlat_init,
	.reset		 = hwlat_reset,
	.start		 = hwlat_start,
	.stop		 = hwlat_stop,
	.allow_instances = true,
};

/* --- hwlat_detector/ */

static ssize_t mode_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	enum hwlat_mode now = READ_ONCE(mode);
	char text[64];
	int len = 0;

	for (int i = 0; i < HWLAT_MODES; i++)
		len += scnprintf(text + len, sizeof(text) - len, i == now ? "%s[%s]" : "%s%s",
				 i ? " " : "", mode_names[i]);
	return tracing_read_printf(ubuf, cnt, ppos, "%s\n", text);
}

/* One that cannot be started leaves the old one running. */
static int mode_set(struct trace_array *unused, char *name)
{
	int new = match_string(mode_names, HWLAT_MODES, name), ret;

	if (new < 0)
		return -EINVAL;
	guard(mutex)(&trace_types_lock);
	if (wanderer || hwlat_crew.on) {
		ret = hwlat_begin(new);
		if (ret)
			return ret;
		if (new == HWLAT_PER_CPU)
			wanderer_stop();
		else
			noise_crew_stop(&hwlat_crew);
	}
	WRITE_ONCE(mode, new);
	return 0;
}

static ssize_t mode_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return tracing_write_name(filp, NULL, ubuf, cnt, ppos, mode_set);
}

static const struct file_operations mode_fops = {
	TRACE_READ_OPS(tracing_open_generic, mode_read, NULL),
	.write		= mode_write,
};

static const struct noise_number width_number = { .value = &width, .max = &window };
static const struct noise_number window_number = { .value = &window, .min = &width };

static void hwlat_files(struct trace_array *tr, struct dentry *dir)
{
	dir = tracefs_create_dir("hwlat_detector", dir);
	if (!dir) {
		pr_warn("tracing: could not create the directory hwlat_detector\n");
		return;
	}
	noise_number_file("window", dir, &window_number);
	noise_number_file("width", dir, &width_number);
	trace_create_file("mode", TRACE_MODE_WRITE, dir, NULL, &mode_fops);
}

static void hwlat_cpumask_changed(struct trace_array *tr)
{
	if (tr != hwlat_tr)
		return;
	scoped_guard(spinlock, &cpus_lock)
		cpumask_copy(&hwlat_cpus, tr->tracing_cpumask);
	if (wanderer && READ_ONCE(mode) == HWLAT_NONE)
		allow_all_cpus(wanderer);
	if (noise_crew_move(&hwlat_crew, &hwlat_cpus))
		pr_warn("tracing: hwlat has no threads on some CPUs\n");
}

const struct instance_feature hwlat_feature = {
	.name		 = "hwlat",
	.top_files	 = hwlat_files,
	.cpumask_changed = hwlat_cpumask_changed,
};

static int __init hwlat_register(void)
{
	return register_tracer(&hwlat_tracer);
}
late_initcall(hwlat_register);
