// SPDX-License-Identifier: GPL-2.0-only
/*
 * The top instance comes up, and what the command line asks of instances:
 *
 *	trace_clock=NAME	clock of the top instance
 *	trace_options=A,noB	its options
 *	ftrace=NAME		its tracer, as soon as that is registered
 *	trace_instance=...	further instances
 *
 * Sizes are in buffer_size.c, traceoff_on_warning in record/. Parameters are parsed
 * long before anything can be allocated, so they are only kept here.
 */
#include <linux/cleanup.h>
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/rculist.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "internal.h"
#include "instance.h"
#include "tracer.h"
#include "words.h"

const struct instance_feature *const *instance_features;

bool boot_clock_given;

static char boot_clock[32] __initdata;

/* What separates one trace_instance= from the next; no name has it. */
#define INSTANCE_SEP	"\t"

TRACE_BOOT_LIST(boot_options, "trace_options", ",");
TRACE_BOOT_LIST(boot_instances, "trace_instance", INSTANCE_SEP);

/* Read when a tracer registers; modules can not, but the callers are not __init. */
static char boot_tracer[100];

/* Words that no tracer nor room knew are tried again with the tracer of ftrace=. */
static void __init apply_options(struct trace_array *tr)
{
	char *copy = kstrdup(boot_options, GFP_KERNEL), *rest = copy, *word;

	while ((word = trace_list_cut(&rest, ",")))
		trace_set_one_option(tr, word);
	kfree(copy);
}

/**
 * instance_early_init - bring up the top instance
 * @features: what the rooms add to every instance, in this order; ends with NULL
 *
 * Called once, when the slab, per CPU and page allocators work, with one CPU.
 *
 * Return: 0, or -ENOMEM and tracing is off for good.
 */
int __init instance_early_init(const struct instance_feature *const *features)
{
	int err, locked;

	instance_features = features;
	/* Then there are no files, by which it could be looked at or ended. */
	locked = security_locked_down(LOCKDOWN_TRACEFS);
	if (locked)
		pr_warn("Tracing disabled due to lockdown\n");

	/* CPUs that come up later get a buffer of their own before they run. */
	err = cpuhp_setup_state_multi(CPUHP_TRACE_RB_PREPARE, "trace/RB:prepare",
				      trace_rb_cpu_prepare, NULL);
	if (err < 0)
		return err;

	if (*boot_clock) {
		int id = trace_clock_find(boot_clock);

		if (id < 0)
			pr_warn("tracing: trace_clock=%s: no such clock\n", boot_clock);
		else
			global_trace.clock_id = id;
		boot_clock_given = id >= 0;
	}

	scoped_guard(mutex, &event_mutex) {
		guard(mutex)(&trace_types_lock);
		err = instance_features_init(&global_trace);
		if (err)
			return err;
		list_add_rcu(&global_trace.list, &ftrace_trace_arrays);
		tracing_disabled = locked;
		apply_options(&global_trace);
	}

	return register_tracer(&nop_trace);
}

/*
 * Only built-in code registers tracers, most of it from initcalls; the option
 * words are gone when the init sections are.
 */
void __ref boot_tracer_registered(struct tracer *tracer)
{
	int err;

	if (!*boot_tracer || strcmp(boot_tracer, tracer->name))
		return;

	*boot_tracer = '\0';
	pr_info("tracing: starting tracer '%s'\n", tracer->name);

	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	err = __tracing_set_tracer(&global_trace, tracer->name);
	if (err)
		pr_warn("tracing: tracer '%s' did not start: %d\n", tracer->name, err);
	else
		apply_options(&global_trace);
}

static int __init boot_tracer_missing(void)
{
	if (*boot_tracer)
		pr_warn("tracing: ftrace=%s: no such tracer\n", boot_tracer);
	*boot_tracer = '\0';
	return 0;
}
late_initcall_sync(boot_tracer_missing);

/* What follows a '^' behind the instance's name. */
static void __init apply_instance_flag(struct trace_array *tr, const char *flag)
{
	if (!strcmp(flag, "traceoff")) {
		tracer_tracing_off(tr);
	} else if (!strcmp(flag, "traceprintk") || !strcmp(flag, "trace_printk") ||
		   !strcmp(flag, "printk")) {
		guard(mutex)(&event_mutex);
		guard(mutex)(&trace_types_lock);
		set_tracer_flag(tr, TRACE_ITER_TRACE_PRINTK, true);
	} else {
		pr_warn("tracing: trace_instance=%s: no flag '%s'\n", tr->name, flag);
	}
}

/* A word that some room knows what to do with, most likely an event. */
static void __init apply_instance_word(struct trace_array *tr, char *word)
{
	const struct instance_feature *const *feature;

	for (feature = instance_features; *feature; feature++) {
		if ((*feature)->boot_word && !(*feature)->boot_word(tr, word))
			return;
	}
	pr_warn("tracing: trace_instance=%s: could not enable '%s'\n", tr->name, word);
}

/* NAME[^FLAG]...[@MEMORY][,EVENT]... */
static void __init boot_instance(char *text)
{
	struct trace_array *tr;
	char *first, *name, *word, *memory;

	first = strsep(&text, ",");
	memory = strchr(first, '@');
	if (memory) {
		pr_warn("tracing: trace_instance=%s: no buffers in reserved memory, it has an ordinary one\n",
			first);
		/* flags may also stand behind it */
		word = strchrnul(memory, '^');
		memmove(memory, word, strlen(word) + 1);
	}

	name = strsep(&first, "^");
	tr = trace_array_get_by_name(name, NULL);
	if (!tr) {
		pr_warn("tracing: trace_instance=%s: could not be made\n", name);
		return;
	}

	while ((word = strsep(&first, "^")))
		apply_instance_flag(tr, word);
	while ((word = trace_list_cut(&text, ",")))
		apply_instance_word(tr, word);
	/* It is not the kernel's: user space may remove it. */
	trace_array_put(tr);
}

/**
 * instance_boot_instances - make the instances of trace_instance=
 *
 * Called once, when events exist.
 */
void __init instance_boot_instances(void)
{
	char *rest = boot_instances, *text;

	if (tracing_disabled)
		return;
	while ((text = trace_list_cut(&rest, INSTANCE_SEP)))
		boot_instance(text);
}

static int __init trace_clock_setup(char *str)
{
	return strscpy(boot_clock, str, sizeof(boot_clock)) > 0;
}
__setup("trace_clock=", trace_clock_setup);

static int __init ftrace_setup(char *str)
{
	strscpy(boot_tracer, str, sizeof(boot_tracer));
	trace_set_ring_buffer_expanded(NULL);
	return 1;
}
__setup("ftrace=", ftrace_setup);
