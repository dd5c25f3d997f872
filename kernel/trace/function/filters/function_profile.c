// SPDX-License-Identifier: GPL-2.0-only
/*
 * The function profiler: function_profile_enabled, trace_stat/functionN.
 *
 * Each instance has one. Each CPU has a table of the functions that ran on it: how
 * often, and with the graph how long. A table is only written on its own CPU, by claiming a
 * slot for an address that is not there yet; what does not find room is not counted.
 * Interrupts write to the same table: counters are per CPU atomics of one
 * instruction, or a plain addition that loses a count once in a blue moon.
 */
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "../sites/sites.h"
#include "../graph/graph.h"
#include "internal.h"
#include "function_profile.h"
#include "../../instance/text.h"
#include "../../instance/tracer.h"
#include "../../printf.h"

/*
 * The slots of a CPU. A kernel with many modules has more functions than that; those that run on
 * one CPU are fewer. One that finds no slot within so many probes is missing, and nothing says so.
 */
#define PROFILE_BITS	15
#define PROFILE_PROBES	64

struct profile_slot {
	unsigned long		ip;
	unsigned long		hits;
	struct profile_times	times;
};

/**
 * struct function_profile - the profiler of an instance
 * @gops:	its user of the graph
 * @ops:	where there is no graph
 * @slots:	table of each CPU, NULL before the first time
 * @on:		function_profile_enabled
 * @round:	which time it is that it is on, of all profilers
 */
struct function_profile {
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	struct fgraph_ops	gops;
#else
	struct ftrace_ops	ops;
#endif
	struct profile_slot	*__percpu *slots;
	bool			on;
	u64			round;
};

static DEFINE_MUTEX(profile_mutex);

/* Preemption is off. */
static struct profile_slot *slot_for(struct function_profile *profile, unsigned long ip)
{
	struct profile_slot *slots = *this_cpu_ptr(profile->slots);
	unsigned int i = hash_long(ip, PROFILE_BITS), n;

	for (n = 0; n < PROFILE_PROBES; n++) {
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

static struct function_profile *profile_of(struct fgraph_ops *gops)
{
	return container_of(gops, struct function_profile, gops);
}

/**
 * struct profile_call - a call that is open
 * @round:	of the profiler that has seen it begin. It may be gone, and our number was its own.
 * @inner:	what the functions below its caller had taken by then
 */
struct profile_call {
	u64	round;
	u64	inner;
};

/* The call that returns; NULL if we have not seen it begin. */
static struct profile_call *profile_call_of(struct fgraph_ops *gops)
{
	struct profile_call *call;
	int size;

	call = fgraph_retrieve_data(gops->idx, &size);
	if (!call || size != sizeof(*call) || call->round != profile_of(gops)->round)
		return NULL;
	return call;
}

static int notrace profile_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	struct profile_slot *slot = slot_for(profile_of(gops), trace->func);
	struct profile_call *call;

	if (!slot)
		return 0;
	slot->hits++;
	call = fgraph_reserve_data(gops->idx, sizeof(*call));
	if (!call)
		return 0;
	call->round = profile_of(gops)->round;
	call->inner = *fgraph_get_task_var(gops);
	/* what the functions below take is gathered in the task's word */
	*fgraph_get_task_var(gops) = 0;
	return 1;
}

static void notrace profile_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	unsigned long *below = fgraph_get_task_var(gops);
	u64 time = trace->rettime - trace->calltime, own = time;
	struct profile_call *call = profile_call_of(gops);
	struct profile_slot *slot;

	if (!call)
		return;
	if (!fgraph_graph_time)
		own = time > *below ? time - *below : 0;
	*below = call->inner + time;

	slot = slot_for(profile_of(gops), trace->func);
	if (slot)
		profile_times_add(&slot->times, own);
}

/* How long it took is not known: the time of its caller has it. */
static void notrace profile_unseen(struct fgraph_ops *gops)
{
	struct profile_call *call = profile_call_of(gops);

	if (call)
		*fgraph_get_task_var(gops) += call->inner;
}

/* set_ftrace_filter is for the profiler too */
static int profile_start(struct trace_function *fn, struct function_profile *profile)
{
	profile->gops.entryfunc = profile_entry;
	profile->gops.retfunc = profile_return;
	profile->gops.unseen = profile_unseen;
	profile->gops.ops.func_hash = &fn->shared.ops.local_hash;
	return register_ftrace_graph(&profile->gops);
}

static void profile_stop(struct function_profile *profile)
{
	unregister_ftrace_graph(&profile->gops);
}

static bool profile_keep(struct function_profile *profile)
{
	return ftrace_ops_keep(&profile->gops.ops);
}

#else

static void notrace profile_call(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct function_profile *profile = container_of(op, struct function_profile, ops);
	struct profile_slot *slot = slot_for(profile, ip);

	if (slot)
		slot->hits++;
}

static int profile_start(struct trace_function *fn, struct function_profile *profile)
{
	profile->ops.func = profile_call;
	profile->ops.flags |= FTRACE_OPS_FL_RECURSION;
	profile->ops.func_hash = &fn->shared.ops.local_hash;
	return register_ftrace_function(&profile->ops);
}

static void profile_stop(struct function_profile *profile)
{
	unregister_ftrace_function(&profile->ops);
}

static bool profile_keep(struct function_profile *profile)
{
	return ftrace_ops_keep(&profile->ops);
}

#endif

static void profile_free(struct function_profile *profile)
{
	bool keep = profile_keep(profile);
	int cpu;

	if (profile->slots) {
		for_each_possible_cpu(cpu)
			kvfree(*per_cpu_ptr(profile->slots, cpu));
	}
	free_percpu(profile->slots);
	if (!keep)
		kfree(profile);
}

static struct function_profile *profile_alloc(void)
{
	struct function_profile *profile = kzalloc(sizeof(*profile), GFP_KERNEL);
	int cpu;

	if (!profile)
		return NULL;
	profile->slots = alloc_percpu(struct profile_slot *);
	if (!profile->slots)
		goto no_memory;
	for_each_possible_cpu(cpu) {
		struct profile_slot *slots;

		slots = kvcalloc(1 << PROFILE_BITS, sizeof(*slots), GFP_KERNEL);
		if (!slots)
			goto no_memory;
		*per_cpu_ptr(profile->slots, cpu) = slots;
	}
	return profile;

no_memory:
	profile_free(profile);
	return NULL;
}

/* Start with empty tables. profile_mutex */
static int profile_on(struct trace_function *fn)
{
	static u64 rounds;
	int cpu, ret;

	if (!fn->profile) {
		fn->profile = profile_alloc();
		if (!fn->profile)
			return -ENOMEM;
	} else {
		for_each_possible_cpu(cpu)
			memset(*per_cpu_ptr(fn->profile->slots, cpu), 0,
			       sizeof(struct profile_slot) << PROFILE_BITS);
	}
	fn->profile->round = ++rounds;
	ret = profile_start(fn, fn->profile);
	fn->profile->on = !ret;
	return ret;
}

static void profile_off(struct trace_function *fn)
{
	profile_stop(fn->profile);
	fn->profile->on = false;
}

static bool profile_is_on(const struct trace_function *fn)
{
	return fn->profile && fn->profile->on;
}

/* The instance goes. */
void function_profile_free(struct trace_function *fn)
{
	mutex_lock(&profile_mutex);
	if (profile_is_on(fn))
		profile_off(fn);
	if (fn->profile)
		profile_free(fn->profile);
	fn->profile = NULL;
	mutex_unlock(&profile_mutex);
}

/**
 * function_profile_set - switch the profiler of an instance
 * @fn: instance's
 * @on: what it is to be; when it comes on its tables are empty
 *
 * Context: task, sleeps.
 * Return: 0; switching on: -ENOMEM and errors of register_ftrace_graph().
 */
int function_profile_set(struct trace_function *fn, bool on)
{
	guard(mutex)(&profile_mutex);
	if (on && !profile_is_on(fn))
		return profile_on(fn);
	if (!on && profile_is_on(fn))
		profile_off(fn);
	return 0;
}

static ssize_t enabled_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;
	bool on;

	scoped_guard(mutex, &profile_mutex)
		on = profile_is_on(trace_function_of(tr));
	return tracing_read_printf(ubuf, count, ppos, "%d\n", on);
}

static int enabled_set(struct file *file, unsigned long on)
{
	return function_profile_set(trace_function_of(file->private_data), on);
}

TRACE_NUMBER_FOPS_TR(enabled);

/* The longest first, or with counts alone the most often called. */
static int slot_cmp(const void *a, const void *b)
{
	const struct profile_slot *x = a, *y = b;

	if (x->times.sum != y->times.sum)
		return x->times.sum < y->times.sum ? 1 : -1;
	if (x->hits != y->hits)
		return x->hits < y->hits ? 1 : -1;
	return 0;
}

static void put_us(struct ftrace_text *text, u64 ns)
{
	char us[TRACE_US_TEXT];

	trace_us_text(us, ns);
	ftrace_text_printf(text, "    %s", us);
}

/**
 * profile_times_variance - how far the times of single calls are from the mean
 * @times: of the calls
 * @n: how many
 *
 * Both words may belong to different moments, if the function is called meanwhile: nothing in here
 * traps then.
 *
 * Context: any.
 * Return: s^2, in thousandths of us^2; beyond two minutes for s it has too many digits.
 */
u64 profile_times_variance(const struct profile_times *times, unsigned long n)
{
	u64 sum = times->sum, squares = times->squares, high = times->squares_high, rest, mean;
	unsigned int bits = high ? 64 + fls64(high) : fls64(squares), shift = 0;

	if (n < 2)
		return 0;
	/* What does not fit is reckoned in coarser units, with some room for what is lost. */
	if (bits > 60) {
		shift = min(DIV_ROUND_UP(bits - 60, 2), 31U);
		squares = high << (64 - 2 * shift) | squares >> 2 * shift;
		sum >>= shift;
	}
	/* (sum of squares - sum^2 / n) / (n - 1) */
	mean = div64_u64_rem(sum, n, &rest);
	sum = mean * (sum + rest) + div64_u64(rest * rest, n);
	if (squares <= sum)
		return 0;
	squares = div64_u64(squares - sum, n - 1);
	if (shift && squares >> (64 - 2 * shift))
		return div_u64(squares, NSEC_PER_USEC) << 2 * shift;
	return div_u64(squares << 2 * shift, NSEC_PER_USEC);
}

static void put_slot(struct ftrace_text *text, const struct profile_slot *slot)
{
	char name[KSYM_SYMBOL_LEN];

	scnprintf(name, sizeof(name), "%ps", (void *)slot->ip);
	ftrace_text_printf(text, "  %-30.30s  %10lu", name, slot->hits);
	if (IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER)) {
		put_us(text, slot->times.sum);
		put_us(text, div64_u64(slot->times.sum, slot->hits));
		put_us(text, profile_times_variance(&slot->times, slot->hits));
	}
	ftrace_text_printf(text, "\n");
}

/* With tracing_thresh, a function that is faster than that on average is not shown. */
static bool slot_is_shown(const struct profile_slot *slot)
{
	unsigned long thresh = READ_ONCE(tracing_thresh);

	if (!slot->ip || !slot->hits)
		return false;
	return !IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER) || !thresh ||
	       div64_u64(slot->times.sum, slot->hits) >= thresh;
}

static void stat_fill(struct ftrace_text *text, void *data)
{
	struct inode *inode = data;
	const struct trace_function *fn = trace_function_of(inode->i_private);
	const struct profile_slot *slots;
	struct profile_slot *copy;
	unsigned int i, n = 0;

	if (IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER))
		ftrace_text_printf(text,
				   "  %-38s Hit    Time            Avg             s^2\n"
				   "  %-38s ---    ----            ---             ---\n",
				   "Function", "--------");
	else
		ftrace_text_printf(text, "  %-38s Hit\n  %-38s ---\n", "Function", "--------");

	guard(mutex)(&profile_mutex);
	if (!fn->profile)
		return;
	slots = *per_cpu_ptr(fn->profile->slots, tracing_get_cpu(inode));
	copy = kvmalloc_array(1 << PROFILE_BITS, sizeof(*copy), GFP_KERNEL);
	if (!copy) {
		text->error = -ENOMEM;
		return;
	}
	for (i = 0; i < 1 << PROFILE_BITS; i++) {
		copy[n] = slots[i];
		n += slot_is_shown(&copy[n]);
	}
	sort(copy, n, sizeof(*copy), slot_cmp, NULL);
	for (i = 0; i < n; i++)
		put_slot(text, &copy[i]);
	kvfree(copy);
}

static int stat_open(struct inode *inode, struct file *file)
{
	/* Which CPU it is can be asked when there is a reference to the instance. */
	return ftrace_text_open_tr(inode->i_private, file, stat_fill, inode);
}

static const struct file_operations stat_fops = {
	TRACE_READ_OPS(stat_open, ftrace_text_read, ftrace_text_release),
};

void function_profile_files(struct trace_array *tr, struct dentry *dir)
{
	struct dentry *stat;
	char name[24];
	int cpu;

	trace_create_file("function_profile_enabled", TRACE_MODE_WRITE, dir, tr, &enabled_fops);
	stat = trace_stat_dir(tr, dir);
	if (!stat)
		return;
	for_each_possible_cpu(cpu) {
		scnprintf(name, sizeof(name), "function%d", cpu);
		trace_create_cpu_file(name, TRACE_MODE_WRITE, stat, tr, cpu, &stat_fops);
	}
}
