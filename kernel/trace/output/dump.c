// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace_dump(): the buffers to the console, when the kernel is about to go
 * down or somebody presses sysrq-z.
 *
 * Everything may be broken by then: nothing is allocated or waited for, and
 * recording is switched off for good, since the dump would only record itself.
 * One dump at a time; a second one on another CPU goes away.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kdebug.h>
#include <linux/nmi.h>
#include <linux/panic_notifier.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "../instance/words.h"
#include "internal.h"

#define DUMP_SPEC_SIZE	100

/* Larger records count as lost in a dump; a line of them would not fit a sequence anyway. */
#define DUMP_RECORD_SIZE	TRACE_SEQ_BUFFER_SIZE

/*
 * Whose buffers to dump when the kernel dies: "0", or modes and instances with commas
 * between. /proc/sys/kernel/ftrace_dump_on_oops writes it.
 */
char ftrace_dump_on_oops[DUMP_SPEC_SIZE] = "0";

static struct trace_iterator *dump_iter;
static atomic_t dump_running;

static const char dump_rule[] = "---------------------------------\n";

/* Print the text so far, and make room for more. */
static void dump_seq(struct trace_seq *s)
{
	/* a console takes about so much at once */
	unsigned int len = min_t(unsigned int, trace_seq_used(s), 1000);

	/* A return that stands on its call's line has none of its own. */
	if (!len)
		return;
	s->buffer[len] = 0;
	pr_emerg("%s", s->buffer);
	trace_seq_init(s);
}

/* Let @iter read @tr from its oldest entry on. */
static void dump_iter_set(struct trace_iterator *iter, struct trace_array *tr, int cpu)
{
	iter->tr = tr;
	iter->trace = tr->current_trace;
	iter->array_buffer = &tr->array_buffer;
	iter->cpu_file = cpu;
	iter->ent = NULL;
	iter->idx = -1;
	iter->iter_flags = TRACE_FILE_ATOMIC | TRACE_FILE_LAT_FMT;
	if (trace_clock_in_ns(tr))
		iter->iter_flags |= TRACE_FILE_TIME_IN_NS;
	cpumask_setall(iter->started);
	trace_seq_init(&iter->seq);
	trace_iter_forget(iter);
	/* What it keeps from line to line; it sees that it may not allocate. */
	iter->private = NULL;
	if (iter->trace->open)
		iter->trace->open(iter);
}

#if IS_ENABLED(CONFIG_KGDB_KDB) || IS_ENABLED(CONFIG_TRACE_OUTPUT_KUNIT_TEST)
/**
 * trace_dump_begin - look at an instance from a kernel that stands still
 * @tr: the instance; it does not record any more
 * @cpu: whose entries, or RING_BUFFER_ALL_CPUS
 *
 * Unlike a dump when the kernel dies it consumes nothing: the kernel goes on, and who reads its
 * trace then finds all of it.
 *
 * Context: the debugger's, all other CPUs stand; trace_dump_end() has to follow.
 * Return: an iterator; NULL while somebody else dumps, or without memory.
 */
struct trace_iterator *trace_dump_begin(struct trace_array *tr, int cpu)
{
	if (!dump_iter || tracing_disabled || atomic_cmpxchg(&dump_running, 0, 1))
		return NULL;
	tracer_tracing_off(tr);
	dump_iter_set(dump_iter, tr, cpu);
	if (!trace_iter_read_start(dump_iter))
		return dump_iter;
	atomic_set(&dump_running, 0);
	return NULL;
}

/**
 * trace_dump_end - somebody else may dump
 * @iter: from trace_dump_begin()
 */
void trace_dump_end(struct trace_iterator *iter)
{
	trace_iter_read_end(iter);
	atomic_set(&dump_running, 0);
}
#endif

static void dump_instance(struct trace_array *tr, enum ftrace_dump_mode mode)
{
	struct trace_iterator *iter = dump_iter;
	bool any = false;

	/* so early that there is nothing yet? */
	if (mode == DUMP_NONE || !tr->array_buffer.buffer)
		return;
	tracer_tracing_off(tr);
	dump_iter_set(iter, tr, mode == DUMP_ORIG ? raw_smp_processor_id() :
						    RING_BUFFER_ALL_CPUS);
	if (tr->name)
		pr_emerg("Dumping ftrace instance %s buffer:\n", tr->name);
	else
		pr_emerg("Dumping ftrace buffer:\n");
	if (*trace_functions_warning())
		pr_emerg("%s", trace_functions_warning());

	while (trace_find_next_entry_inc(iter)) {
		if (!any)
			pr_emerg("%s", dump_rule);
		any = true;
		print_trace_line(iter);
		touch_nmi_watchdog();
		dump_seq(&iter->seq);
	}
	if (any)
		pr_emerg("%s", dump_rule);
	else
		pr_emerg("   (ftrace buffer empty)\n");
}

/* What an instance is asked for: "2" and "orig_cpu" mean the CPU that died. */
static enum ftrace_dump_mode dump_mode_of(const char *text)
{
	if (!strcmp(text, "0"))
		return DUMP_NONE;
	if (!strcmp(text, "1"))
		return DUMP_ALL;
	if (!strcmp(text, "2") || !strcmp(text, "orig_cpu"))
		return DUMP_ORIG;
	return DUMP_PARAM;
}

/*
 * No lock could be taken, and after an oops the kernel may go on: rmdir waits for who has
 * interrupts off, as a dump has from here to its end.
 */
static struct trace_array *dump_find(const char *name)
{
	struct trace_array *tr;

	for_each_trace_array_rcu(tr) {
		if (tr->name && !strcmp(tr->name, name))
			return tr;
	}
	return NULL;
}

/* One word of ftrace_dump_on_oops. */
static void dump_word(char *word)
{
	enum ftrace_dump_mode mode = dump_mode_of(word);
	struct trace_array *tr;
	char *name;

	if (mode != DUMP_PARAM) {
		dump_instance(&global_trace, mode);
		return;
	}
	name = strsep(&word, "=");
	if (!*name)
		return;
	tr = dump_find(name);
	if (!tr) {
		pr_warn("tracing: no instance %s to dump\n", name);
		return;
	}
	mode = word ? dump_mode_of(word) : DUMP_ALL;
	if (mode == DUMP_PARAM) {
		/* now is no time to refuse */
		pr_warn("tracing: instance %s: what part is %s?\n", name, word);
		mode = DUMP_ALL;
	}
	dump_instance(tr, mode);
}

static void dump_spec(void)
{
	static char spec[DUMP_SPEC_SIZE];	/* of the one who dumps */
	char *rest = spec, *word;

	strscpy(spec, ftrace_dump_on_oops, sizeof(spec));
	while ((word = trace_list_cut(&rest, ",")))
		dump_word(strim(word));
}

/**
 * ftrace_dump - print what was recorded to the console
 * @oops_dump_mode: DUMP_ALL, DUMP_ORIG for this CPU only, or DUMP_PARAM for
 *		what ftrace_dump_on_oops says; the first two mean the top instance
 *
 * Entries are consumed. Recording stays off.
 *
 * Context: any.
 */
void ftrace_dump(enum ftrace_dump_mode oops_dump_mode)
{
	unsigned long flags;

	if (!dump_iter || tracing_disabled)
		return;
	if (atomic_cmpxchg(&dump_running, 0, 1))
		return;
	local_irq_save(flags);
	if (oops_dump_mode == DUMP_PARAM)
		dump_spec();
	else
		dump_instance(&global_trace, oops_dump_mode);
	local_irq_restore(flags);
	atomic_set(&dump_running, 0);
}
EXPORT_SYMBOL_GPL(ftrace_dump);

/**
 * ftrace_dump_on_oops_enabled - is there something to dump when the kernel dies?
 *
 * Context: any. Return: not 0 if so.
 */
int ftrace_dump_on_oops_enabled(void)
{
	return strcmp(ftrace_dump_on_oops, "0") != 0;
}

static int dump_at_end(struct notifier_block *nb, unsigned long event, void *unused)
{
	/* the list of those who want to know of exceptions hears of harmless ones too */
	bool dies = nb->priority == INT_MAX || event == DIE_OOPS;

	if (dies && ftrace_dump_on_oops_enabled())
		ftrace_dump(DUMP_PARAM);
	return NOTIFY_DONE;
}

/* Before whoever sends the kernel's messages away. */
static struct notifier_block dump_panic_nb = {
	.notifier_call	= dump_at_end,
	.priority	= INT_MAX,
};

static struct notifier_block dump_die_nb = {
	.notifier_call	= dump_at_end,
	.priority	= INT_MAX - 1,
};

int __init trace_dump_init(void)
{
	dump_iter = trace_iter_alloc(NULL, RING_BUFFER_ALL_CPUS);
	if (!dump_iter)
		return -ENOMEM;
	dump_iter->iter_flags |= TRACE_FILE_ATOMIC;
	/* for trace_event_format() and trace_find_next_entry_inc(), which may not allocate */
	dump_iter->fmt = kmalloc(256, GFP_KERNEL);
	dump_iter->fmt_size = dump_iter->fmt ? 256 : 0;
	dump_iter->temp = kvmalloc(DUMP_RECORD_SIZE, GFP_KERNEL);
	dump_iter->temp_size = dump_iter->temp ? DUMP_RECORD_SIZE : 0;
	atomic_notifier_chain_register(&panic_notifier_list, &dump_panic_nb);
	return register_die_notifier(&dump_die_nb);
}

static int __init set_dump_on_oops(char *str)
{
	/* "ftrace_dump_on_oops" alone means all, ",x" means all and x, "=x" means x */
	if (!*str)
		strscpy(ftrace_dump_on_oops, "1", DUMP_SPEC_SIZE);
	else if (*str == ',')
		snprintf(ftrace_dump_on_oops, DUMP_SPEC_SIZE, "1%s", str);
	else if (*str == '=' && str[1])
		strscpy(ftrace_dump_on_oops, str + 1, DUMP_SPEC_SIZE);
	else
		return 0;
	return 1;
}
__setup("ftrace_dump_on_oops", set_dump_on_oops);
