// SPDX-License-Identifier: GPL-2.0-only
/*
 * The function profiler: function_profile_enabled, trace_stat/functionN.
 *
 * Each CPU has a table of the functions that ran on it: how often, and with the
 * graph how long. A table is only written on its own CPU, by claiming a
 * slot for an address that is not there yet; what does not find room is not counted.
 * Interrupts write to the same table: counters are per CPU atomics of one
 * instruction, or a plain addition that loses a count once in a blue moon.
 */
#include <linux/cpu.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "function.h"
#include "graph.h"
#include "instances.h"
#include "profile.h"
#include "text.h"

#define PROFILE_BITS	15		/* slots of a CPU: more than there are functions */
#define PROFILE_PROBES	64

struct profile_slot {
	unsigned long	ip;
	unsigned long	hits;
	u64		time;		/* ns */
	u64		time_squared;	/* us^2 */
};

static DEFINE_PER_CPU(struct profile_slot *, profile);
static DEFINE_MUTEX(profile_mutex);
static bool profiling;

/* Preemption is off. */
static struct profile_slot *slot_for(unsigned long ip)
{
	struct profile_slot *slots = this_cpu_read(profile);
	unsigned int i = hash_long(ip, PROFILE_BITS), n;

	for (n = 0; slots && n < PROFILE_PROBES; n++) {
		struct profile_slot *slot = &slots[(i + n) & ((1 << PROFILE_BITS) - 1)];
		unsigned long was = READ_ONCE(slot->ip);

		if (was == ip)
			return slot;
		/* an interrupt may claim it first, for itself or for the same function */
		if (!was) {
			was = cmpxchg_local(&slot->ip, 0UL, ip);
			if (!was || was == ip)
				return slot;
		}
	}
	return NULL;
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

static int notrace profile_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	struct profile_slot *slot = slot_for(trace->func);
	u64 *inner;

	if (!slot)
		return 0;
	slot->hits++;
	inner = fgraph_reserve_data(gops->idx, sizeof(*inner));
	if (!inner)
		return 0;
	*inner = *fgraph_get_task_var(gops);
	/* what the functions below take is gathered in the task's word */
	*fgraph_get_task_var(gops) = 0;
	return 1;
}

static void notrace profile_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	unsigned long *below = fgraph_get_task_var(gops);
	u64 time = trace->rettime - trace->calltime, own = time, us;
	struct profile_slot *slot;
	u64 *inner;

	inner = fgraph_retrieve_data(gops->idx, NULL);
	if (!inner)
		return;
	if (!fgraph_graph_time)
		own = time > *below ? time - *below : 0;
	*below = *inner + time;

	slot = slot_for(trace->func);
	if (!slot)
		return;
	us = div_u64(own, NSEC_PER_USEC);
	slot->time += own;
	slot->time_squared += us * us;
}

static struct fgraph_ops profile_ops = {
	.entryfunc	= profile_entry,
	.retfunc	= profile_return,
};

static int profile_start(void)
{
	return register_ftrace_graph(&profile_ops);
}

static void profile_stop(void)
{
	unregister_ftrace_graph(&profile_ops);
}

#else

static void notrace profile_call(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct profile_slot *slot = slot_for(ip);

	if (slot)
		slot->hits++;
}

static struct ftrace_ops profile_ops = {
	.func	= profile_call,
	.flags	= FTRACE_OPS_FL_RECURSION,
};

static int profile_start(void)
{
	return register_ftrace_function(&profile_ops);
}

static void profile_stop(void)
{
	unregister_ftrace_function(&profile_ops);
}

#endif

/* Tables for all CPUs, empty; profile_mutex, not profiling. */
static int profile_clear(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct profile_slot *slots = per_cpu(profile, cpu);

		if (slots) {
			memset(slots, 0, sizeof(*slots) << PROFILE_BITS);
			continue;
		}
		slots = kvcalloc(1 << PROFILE_BITS, sizeof(*slots), GFP_KERNEL);
		if (!slots)
			return -ENOMEM;
		per_cpu(profile, cpu) = slots;
	}
	return 0;
}

static ssize_t enabled_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	char text[4];
	int len = scnprintf(text, sizeof(text), "%d\n", profiling);

	return simple_read_from_buffer(ubuf, count, ppos, text, len);
}

static ssize_t enabled_write(struct file *file, const char __user *ubuf, size_t count,
			     loff_t *ppos)
{
	bool on;
	int ret = kstrtobool_from_user(ubuf, count, &on);

	if (ret)
		return ret;
	mutex_lock(&profile_mutex);
	if (on && !profiling) {
		ret = profile_clear();
		if (!ret)
			ret = profile_start();
		profiling = !ret;
	} else if (!on && profiling) {
		profile_stop();
		profiling = false;
	}
	mutex_unlock(&profile_mutex);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static const struct file_operations enabled_fops = {
	.open	= tracing_open_generic,
	.read	= enabled_read,
	.write	= enabled_write,
	.llseek	= default_llseek,
};

/* The longest first, or with counts alone the most often called. */
static int slot_cmp(const void *a, const void *b)
{
	const struct profile_slot *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	if (x->hits != y->hits)
		return x->hits < y->hits ? 1 : -1;
	return 0;
}

static void put_us(struct ftrace_text *text, u64 ns)
{
	u32 rest;
	u64 us = div_u64_rem(ns, NSEC_PER_USEC, &rest);
	char number[32];

	scnprintf(number, sizeof(number), "%llu.%03u us", us, rest);
	ftrace_text_printf(text, "%-16s", number);
}

static void put_slot(struct ftrace_text *text, const struct profile_slot *slot)
{
	char name[KSYM_SYMBOL_LEN];
	u64 us, variance = 0;

	scnprintf(name, sizeof(name), "%ps", (void *)slot->ip);
	ftrace_text_printf(text, "  %-30.30s  %10lu", name, slot->hits);
	if (IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER)) {
		ftrace_text_printf(text, "    ");
		put_us(text, slot->time);
		put_us(text, div64_u64(slot->time, slot->hits));
		/* s^2 = (n * sum of squares - square of sum) / (n * (n - 1)) */
		us = div_u64(slot->time, NSEC_PER_USEC);
		if (slot->hits > 1 && slot->hits * slot->time_squared > us * us)
			variance = div64_u64(slot->hits * slot->time_squared - us * us,
					     (u64)slot->hits * (slot->hits - 1));
		put_us(text, variance * NSEC_PER_USEC);
	}
	ftrace_text_printf(text, "\n");
}

static void stat_fill(struct ftrace_text *text, void *data)
{
	const struct profile_slot *slots = per_cpu(profile, (unsigned long)data);
	struct profile_slot *copy;
	unsigned int i, n = 0;

	if (IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER))
		ftrace_text_printf(text,
				   "  %-38s Hit    Time            Avg             s^2\n"
				   "  %-38s ---    ----            ---             ---\n",
				   "Function", "--------");
	else
		ftrace_text_printf(text, "  %-38s Hit\n  %-38s ---\n", "Function", "--------");
	if (!slots)
		return;
	copy = kvmalloc_array(1 << PROFILE_BITS, sizeof(*copy), GFP_KERNEL);
	if (!copy) {
		text->error = -ENOMEM;
		return;
	}
	for (i = 0; i < 1 << PROFILE_BITS; i++) {
		copy[n] = slots[i];
		n += copy[n].ip && copy[n].hits;
	}
	sort(copy, n, sizeof(*copy), slot_cmp, NULL);
	for (i = 0; i < n; i++)
		put_slot(text, &copy[i]);
	kvfree(copy);
}

static int stat_open(struct inode *inode, struct file *file)
{
	int ret = tracing_check_open_get_tr(NULL);

	return ret ?: ftrace_text_open(file, stat_fill, inode->i_private);
}

static const struct file_operations stat_fops = {
	.open		= stat_open,
	.read		= ftrace_text_read,
	.llseek		= default_llseek,
	.release	= ftrace_text_release,
};

void function_profile_files(struct trace_array *tr, struct dentry *dir)
{
	struct dentry *stat;
	char name[24];
	long cpu;

	trace_create_file("function_profile_enabled", TRACE_MODE_WRITE, dir, NULL, &enabled_fops);
	stat = tracefs_create_dir("trace_stat", dir);
	if (!stat)
		return;
	for_each_possible_cpu(cpu) {
		scnprintf(name, sizeof(name), "function%ld", cpu);
		trace_create_file(name, TRACE_MODE_WRITE, stat, (void *)cpu, &stat_fops);
	}
}
