// SPDX-License-Identifier: GPL-2.0-only
/* osnoise/: what osnoise and timerlat can be told. */
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include "../../instance/instance.h"
#include "internal.h"
#include "noise.h"
#include "numbers.h"

#define OPTIONS_AT_BOOT	BIT(NOISE_OPT_WORKLOAD)

#ifdef CONFIG_TIMERLAT_TRACER
static const u64 least_period = 100, most_period = USEC_PER_SEC;	/* us */
#endif

struct noise_settings noise_settings = {
	.period		 = USEC_PER_SEC,
	.runtime	 = USEC_PER_SEC,
	.timerlat_period = USEC_PER_MSEC,
	.options	 = OPTIONS_AT_BOOT,
};

struct cpumask noise_cpus = CPU_MASK_ALL;

/* --- cpus */

static int cpus_show(struct seq_file *m, void *v)
{
	guard(mutex)(&trace_types_lock);
	seq_printf(m, "%*pbl\n", cpumask_pr_args(&noise_cpus));
	return 0;
}

static int cpus_set(struct trace_array *unused, const struct cpumask *cpus)
{
	int err;

	guard(mutex)(&trace_types_lock);
	err = noise_workload_move(cpus);
	if (err)
		return err;
	cpumask_copy(&noise_cpus, cpus);
	timerlat_users_keep();
	return 0;
}

static ssize_t cpus_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return tracing_write_cpus(filp, file_inode(filp)->i_private, ubuf, cnt, ppos,
				  cpumask_parselist_user, cpus_set);
}

TRACE_SHOW_FOPS(cpus, cpus_write);

/* --- options */

static const char *const option_names[NOISE_OPTIONS] = {
	[NOISE_OPT_DEFAULTS]	= "DEFAULTS",
	[NOISE_OPT_WORKLOAD]	= "OSNOISE_WORKLOAD",
	[NOISE_OPT_PANIC]	= "PANIC_ON_STOP",
	[NOISE_OPT_PREEMPT_OFF]	= "OSNOISE_PREEMPT_DISABLE",
	[NOISE_OPT_IRQS_OFF]	= "OSNOISE_IRQ_DISABLE",
	[NOISE_OPT_ALIGN]	= "TIMERLAT_ALIGN",
};

static int options_show(struct seq_file *m, void *v)
{
	unsigned long options = READ_ONCE(noise_settings.options);

	if (options == OPTIONS_AT_BOOT)
		options |= BIT(NOISE_OPT_DEFAULTS);
	for (int i = 0; i < NOISE_OPTIONS; i++)
		seq_printf(m, "%s%s ", options & BIT(i) ? "" : "NO_", option_names[i]);
	seq_putc(m, '\n');
	return 0;
}

/* What the options are after @name; -EINVAL if it is none. */
static long options_after(unsigned long options, const char *name)
{
	bool on = !str_has_prefix(name, "NO_");
	int option = match_string(option_names, NOISE_OPTIONS, on ? name : name + 3);

	/* that they are to be other ones than at boot says nothing */
	if (option < 0 || (option == NOISE_OPT_DEFAULTS && !on))
		return -EINVAL;
	if (option == NOISE_OPT_DEFAULTS)
		return OPTIONS_AT_BOOT;
	return on ? options | BIT(option) : options & ~BIT(option);
}

static int options_set(struct trace_array *unused, char *name)
{
	unsigned long old;
	long new;
	int err = 0;

	guard(mutex)(&trace_types_lock);
	old = noise_settings.options;
	new = options_after(old, name);
	if (new < 0)
		return new;
	WRITE_ONCE(noise_settings.options, new);
	/* The other options are looked at in each run. */
	if ((old ^ new) & BIT(NOISE_OPT_ALIGN))
		timerlat_realign();
	if ((old ^ new) & BIT(NOISE_OPT_WORKLOAD))
		err = noise_workload_restart();
	if (!err)
		return 0;
	/* No memory for threads, or who writes is killed. Without threads neither matters. */
	WRITE_ONCE(noise_settings.options, old);
	noise_workload_restart();
	return err;
}

static ssize_t options_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return tracing_write_name(filp, file_inode(filp)->i_private, ubuf, cnt, ppos, options_set);
}

TRACE_SHOW_FOPS(options, options_write);

/* --- numbers */

static const struct {
	const char		*name;
	struct noise_number	number;
} numbers[] = {
	{ "period_us", { &noise_settings.period, .min = &noise_settings.runtime } },
	{ "runtime_us", { &noise_settings.runtime, .max = &noise_settings.period } },
	{ "stop_tracing_us", { &noise_settings.stop } },
	{ "stop_tracing_total_us", { &noise_settings.stop_total } },
#ifdef CONFIG_TIMERLAT_TRACER
	{ "timerlat_period_us", { &noise_settings.timerlat_period, &least_period, &most_period } },
	{ "timerlat_align_us", { &noise_settings.timerlat_align, .max = &most_period } },
	{ "print_stack", { &noise_settings.print_stack } },
#endif
};

#ifdef CONFIG_TIMERLAT_TRACER
static void timerlat_files(struct dentry *dir)
{
	struct dentry *per_cpu = tracefs_create_dir("per_cpu", dir), *cpu_dir;
	char name[16];
	int cpu;

	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		cpu_dir = per_cpu ? tracefs_create_dir(name, per_cpu) : NULL;
		if (cpu_dir)
			timerlat_fd_file(cpu, cpu_dir);
		else
			pr_warn("tracing: could not create the directory osnoise/per_cpu/%s\n",
				name);
	}
}
#else
static void timerlat_files(struct dentry *dir)
{
}
#endif

static void osnoise_files(struct trace_array *tr, struct dentry *dir)
{
	dir = tracefs_create_dir("osnoise", dir);
	if (!dir) {
		pr_warn("tracing: could not create the directory osnoise\n");
		return;
	}
	for (int i = 0; i < ARRAY_SIZE(numbers); i++)
		noise_number_file(numbers[i].name, dir, &numbers[i].number);
	trace_create_file("cpus", TRACE_MODE_WRITE, dir, tr, &cpus_fops);
	trace_create_file("options", TRACE_MODE_WRITE, dir, tr, &options_fops);
	timerlat_files(dir);
}

const struct instance_feature osnoise_feature = {
	.name		= "osnoise",
	.top_files	= osnoise_files,
};
