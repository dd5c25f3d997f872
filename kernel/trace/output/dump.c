// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumping buffers to the console: sysrq-z, ftrace_dump() in kernel code, and
 * oopses and panics when ftrace_dump_on_oops asks for it.
 *
 * This runs when the machine may be dying, so nothing is allocated and no lock
 * is waited for: one iterator is made at boot, and whoever comes while it is
 * in use goes away again. Recording stops for good in what is dumped; somebody
 * who looks at it wants to see what led there, not the dump itself.
 */
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kdebug.h>
#include <linux/nmi.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "reader.h"

/* All levels of the console show it. */
#define KERN_DUMP	KERN_EMERG
/* A longer line is cut: the console's buffer is small and slow. */
#define LINE_MAX	1000

static const char dump_rule[] = KERN_DUMP "---------------------------------\n";

/*
 * What to dump on an oops: "0" nothing, else a list of "1" (the top instance),
 * "2" or "orig_cpu" (the CPU that died only), NAME or NAME=orig_cpu
 * (an instance). A sysctl and a boot parameter of the same name set it.
 */
char ftrace_dump_on_oops[MAX_TRACER_SIZE] = "0";

static struct trace_iterator *dump_iter;
static atomic_t dump_running;

static int __init ftrace_dump_on_oops_setup(char *str)
{
	if (!*str)
		strscpy(ftrace_dump_on_oops, "1");
	else if (*str == ',')
		snprintf(ftrace_dump_on_oops, sizeof(ftrace_dump_on_oops), "1%s", str);
	else if (*str == '=')
		strscpy(ftrace_dump_on_oops, str + 1);
	else
		return 0;
	return 1;
}
__setup("ftrace_dump_on_oops", ftrace_dump_on_oops_setup);

/**
 * ftrace_dump_on_oops_enabled - will an oops dump anything?
 *
 * Context: any. Return: not 0 if so.
 */
int ftrace_dump_on_oops_enabled(void)
{
	return strcmp(ftrace_dump_on_oops, "0") != 0;
}

static void print_line(struct trace_seq *s)
{
	unsigned int len = min_t(unsigned int, trace_seq_used(s), LINE_MAX);

	s->buffer[len] = '\0';
	printk(KERN_DUMP "%s", s->buffer);
	trace_seq_init(s);
}

static void dump_entries(struct trace_iterator *iter)
{
	bool any = false;

	while (!trace_empty(iter) && trace_find_next_entry_inc(iter)) {
		if (!any)
			printk(dump_rule);
		any = true;

		trace_seq_init(&iter->seq);
		if (print_trace_line(iter) != TRACE_TYPE_NO_CONSUME)
			trace_iter_consume(iter);
		touch_nmi_watchdog();
		print_line(&iter->seq);
	}

	if (any)
		printk(dump_rule);
	else
		printk(KERN_DUMP "   (ftrace buffer empty)\n");
}

/* One instance. @dump_iter is ours. */
static void dump_instance(struct trace_array *tr, bool this_cpu)
{
	struct trace_iterator *iter = dump_iter;
	unsigned long flags, userobj;

	tracer_tracing_off(tr);
	local_irq_save(flags);

	iter->tr = tr;
	iter->trace = tr->current_trace;
	iter->array_buffer = &tr->array_buffer;
	iter->cpu_file = this_cpu ? raw_smp_processor_id() : RING_BUFFER_ALL_CPUS;
	iter->iter_flags = TRACE_FILE_ATOMIC;
	if (trace_clock_in_ns(tr))
		iter->iter_flags |= TRACE_FILE_TIME_IN_NS;
	trace_iter_rewind(iter);

	/* Looking user space objects up takes the mmap lock. */
	userobj = tr->trace_flags & TRACE_ITER_SYM_USEROBJ;
	tr->trace_flags &= ~TRACE_ITER_SYM_USEROBJ;

	if (trace_array_is_top(tr))
		printk(KERN_DUMP "Dumping ftrace buffer:\n");
	else
		printk(KERN_DUMP "Dumping ftrace instance %s buffer:\n", tr->name);
	dump_entries(iter);

	tr->trace_flags |= userobj;
	local_irq_restore(flags);
}

/* A copy, since strsep() writes; only the one dumper uses it. */
static char dump_list[MAX_TRACER_SIZE];

static bool names_this_cpu(const char *word)
{
	return !strcmp(word, "2") || !strcmp(word, "orig_cpu");
}

static void dump_listed(void)
{
	char *rest = dump_list, *name;

	strscpy(dump_list, ftrace_dump_on_oops);
	while ((name = strsep(&rest, ","))) {
		struct trace_array *tr, *found = NULL;
		char *cpu = name;

		if (!*name || !strcmp(name, "0"))
			continue;
		if (!strcmp(name, "1") || names_this_cpu(name)) {
			dump_instance(&global_trace, names_this_cpu(name));
			continue;
		}
		name = strsep(&cpu, "=");
		/* Without the lock: nobody else makes progress any more, or we had better. */
		for_each_trace_array(tr) {
			if (tr->name && !strcmp(tr->name, name))
				found = tr;
		}
		if (found)
			dump_instance(found, cpu && names_this_cpu(cpu));
		else
			printk(KERN_DUMP "ftrace instance %s does not exist, not dumped\n", name);
	}
}

/**
 * ftrace_dump - print what is recorded to the console
 * @oops_dump_mode: DUMP_ALL the top instance, DUMP_ORIG this CPU of it,
 *		    DUMP_PARAM what ftrace_dump_on_oops lists
 *
 * Recording is switched off in what is dumped, and what is printed is taken
 * out of the buffer. Does nothing while another dump runs.
 *
 * Context: any, NMI included.
 */
void ftrace_dump(enum ftrace_dump_mode oops_dump_mode)
{
	if (!dump_iter || atomic_cmpxchg(&dump_running, 0, 1))
		return;

	switch (oops_dump_mode) {
	case DUMP_ALL:
	case DUMP_ORIG:
		dump_instance(&global_trace, oops_dump_mode == DUMP_ORIG);
		break;
	case DUMP_PARAM:
		dump_listed();
		break;
	case DUMP_NONE:
		break;
	default:
		printk(KERN_DUMP "Bad dumping mode, switching to all CPUs dump\n");
		dump_instance(&global_trace, false);
	}

	atomic_set_release(&dump_running, 0);
}
EXPORT_SYMBOL_GPL(ftrace_dump);

static int trace_die_handler(struct notifier_block *self, unsigned long event, void *unused)
{
	if (event == DIE_OOPS && ftrace_dump_on_oops_enabled())
		ftrace_dump(DUMP_PARAM);
	return NOTIFY_DONE;
}

static int trace_panic_handler(struct notifier_block *self, unsigned long event, void *unused)
{
	if (ftrace_dump_on_oops_enabled())
		ftrace_dump(DUMP_PARAM);
	return NOTIFY_DONE;
}

/* Before the notifiers that reboot or stop the machine. */
static struct notifier_block trace_die_notifier = {
	.notifier_call	= trace_die_handler,
	.priority	= INT_MAX - 1,
};

static struct notifier_block trace_panic_notifier = {
	.notifier_call	= trace_panic_handler,
	.priority	= INT_MAX - 1,
};

/* Early: from the first trace_printk() on there is something to dump. */
int __init trace_dump_init(void)
{
	dump_iter = trace_iter_alloc(NULL, RING_BUFFER_ALL_CPUS);
	if (!dump_iter)
		return -ENOMEM;

	register_die_notifier(&trace_die_notifier);
	atomic_notifier_chain_register(&panic_notifier_list, &trace_panic_notifier);
	return 0;
}
