// SPDX-License-Identifier: GPL-2.0-only
/* ftdump, a command of the kernel's debugger: the top instance's buffer. */
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/kdb.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include "internal.h"

/* How many entries there are, of all CPUs or one. */
static unsigned long ftdump_entries(struct trace_array *tr, int cpu)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;

	return cpu == RING_BUFFER_ALL_CPUS ? ring_buffer_entries(buffer) :
					     ring_buffer_entries_cpu(buffer, cpu);
}

/*
 * kdb_printf() cuts off what is longer than its buffer of 256 bytes, as a long line or an entry of
 * many lines is, and its "| grep" looks at a line at a time.
 */
static void ftdump_print(struct trace_seq *s)
{
	unsigned int used = trace_seq_used(s), len;
	const char *text, *end;

	for (text = s->buffer; used && !KDB_FLAG(CMD_INTERRUPT); text += len, used -= len) {
		len = min(used, 200U);
		end = memchr(text, '\n', len);
		if (end)
			len = end + 1 - text;
		kdb_printf("%.*s", (int)len, text);
	}
	trace_seq_init(s);
}

static void ftdump(struct trace_array *tr, long skip, int cpu)
{
	bool on = tracer_tracing_is_on(tr);
	struct trace_iterator *iter = trace_dump_begin(tr, cpu);
	unsigned long shown = 0, left;

	if (!iter) {
		kdb_printf("Somebody dumps already, or there is no memory\n");
		if (on)
			tracer_tracing_on(tr);
		return;
	}
	/* the last so many: all but them are left out */
	if (skip < 0)
		skip = max(0L, (long)ftdump_entries(tr, cpu) + skip);
	kdb_printf("Dumping ftrace buffer");
	if (skip)
		kdb_printf(" (skipping %ld entries)", skip);
	kdb_printf(":\n");
	for (left = skip; trace_find_next_entry_inc(iter);) {
		if (left) {
			left--;
			continue;
		}
		if (!shown++)
			kdb_printf("---------------------------------\n");
		print_trace_line(iter);
		ftdump_print(&iter->seq);
		if (KDB_FLAG(CMD_INTERRUPT))
			break;
	}
	kdb_printf(shown ? "---------------------------------\n" : "   (ftrace buffer empty)\n");
	trace_dump_end(iter);
	/* the kernel goes on, unlike after a dump that it makes when it dies */
	if (on)
		tracer_tracing_on(tr);
}

/* All other CPUs stand, and whatever lock they hold is held. */
static int kdb_ftdump(int argc, const char **argv)
{
	int cpu = RING_BUFFER_ALL_CPUS;
	long skip = 0;

	if (argc > 2)
		return KDB_ARGCOUNT;
	if (argc > 0 && kstrtol(argv[1], 0, &skip))
		return KDB_BADINT;
	if (argc > 1 && (kstrtoint(argv[2], 0, &cpu) || cpu < 0 || cpu >= nr_cpu_ids ||
			 !cpu_possible(cpu)))
		return KDB_BADINT;
	ftdump(&global_trace, skip, cpu);
	return 0;
}

static kdbtab_t ftdump_cmd = {
	.name	= "ftdump",
	.func	= kdb_ftdump,
	.usage	= "[skip_#entries] [cpu]",
	.help	= "Dump ftrace log; -skip dumps last #entries",
	.flags	= KDB_ENABLE_ALWAYS_SAFE,
};

static int __init ftdump_register(void)
{
	kdb_register(&ftdump_cmd);
	return 0;
}
late_initcall(ftdump_register);
