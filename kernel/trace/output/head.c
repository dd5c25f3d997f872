// SPDX-License-Identifier: GPL-2.0-only
/*
 * The heads of the tables in which the lines of `trace` stand, and what it says if calls may be
 * missing.
 */
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>
#include <linux/utsname.h>

#include "internal.h"

static void print_lines(struct seq_file *m, const char *indent, const char *const lines[], int nr)
{
	for (int i = 0; i < nr; i++)
		seq_printf(m, "#%s%s\n", indent, lines[i]);
}

/* Entries that are in the buffer, and that were ever written but those a reader consumed. */
static void count_entries(struct trace_iterator *iter, unsigned long *there,
			  unsigned long *written)
{
	struct array_buffer *buf = iter->array_buffer;
	int cpu;

	*there = 0;
	*written = 0;
	for_each_possible_cpu(cpu) {
		unsigned long nr = ring_buffer_entries_cpu(buf->buffer, cpu);
		unsigned long skipped = to_reader(iter)->cpu[cpu].skipped;

		if (skipped) {
			/* whoever sees only a part of the buffer is not told of what came before */
			nr -= min(nr, skipped);
			*written += nr;
		} else {
			*written += nr + ring_buffer_overrun_cpu(buf->buffer, cpu);
		}
		*there += nr;
	}
}

static void print_table_head(struct seq_file *m, struct trace_iterator *iter)
{
	static const char *const flags[] = {
		"                     _-----=> irqs-off/BH-disabled",
		"                    / _----=> need-resched",
		"                   | / _---=> hardirq/softirq",
		"                   || / _--=> preempt-depth",
		"                   ||| / _-=> migrate-disable",
		"                   |||| /     delay",
	};
	bool tgid = iter->tr->trace_flags & TRACE_ITER_RECORD_TGID;
	bool irqs = iter->tr->trace_flags & TRACE_ITER_IRQ_INFO;
	unsigned long there, written;

	count_entries(iter, &there, &written);
	seq_printf(m, "# entries-in-buffer/entries-written: %lu/%lu   #P:%d\n#\n",
		   there, written, num_online_cpus());
	if (irqs)
		print_lines(m, tgid ? "                     " : "           ", flags,
			    ARRAY_SIZE(flags));
	seq_printf(m, "#           TASK-PID  %s   CPU#  %s  TIMESTAMP  FUNCTION\n",
		   tgid ? "     TGID " : "", irqs ? "|||||" : " ");
	seq_printf(m, "#              | |    %s     |   %s     |         |\n",
		   tgid ? "       |  " : "", irqs ? "|||||" : " ");
}

/**
 * print_trace_header - print what a latency trace begins with
 * @m:		file
 * @iter:	iterator
 *
 * Context: task.
 */
void print_trace_header(struct seq_file *m, struct trace_iterator *iter)
{
	static const char rule[] = "#    -----------------\n";
	unsigned long flags = iter->tr->trace_flags & TRACE_ITER_SYM_MASK;
	unsigned long there, written;
	const char *model = "unknown";
	struct trace_worst worst = { .uid = GLOBAL_ROOT_UID };

	/* of a buffer that no tracer chose there is nothing to tell */
	if (iter->snapshot && iter->trace->print_max)
		trace_worst_get(iter->tr, &worst);

	if (preempt_model_none())
		model = "server";
	else if (preempt_model_voluntary())
		model = "desktop";
	else if (preempt_model_full())
		model = "preempt";
	else if (preempt_model_rt())
		model = "preempt_rt";
	count_entries(iter, &there, &written);

	seq_printf(m, "# %s latency trace v1.1.5 on %s\n", iter->trace->name, utsname()->release);
	seq_puts(m, "# -----------------------------------");
	seq_puts(m, "---------------------------------\n");
	seq_printf(m, "# latency: %llu us, #%lu/%lu, CPU#%d | (M:%s VP:0, KP:0, SP:0 HP:0 #P:%d)\n",
		   worst.latency / NSEC_PER_USEC, there, written, iter->array_buffer->cpu, model,
		   num_online_cpus());
	seq_puts(m, rule);
	seq_printf(m, "#    | task: %.16s-%d (uid:%d nice:%d policy:%u rt_prio:%u)\n",
		   worst.comm, worst.pid, from_kuid_munged(seq_user_ns(m), worst.uid), worst.nice,
		   worst.policy, worst.rt_prio);
	seq_puts(m, rule);
	if (worst.from) {
		seq_puts(m, "#  => started at: ");
		seq_print_ip_sym(&iter->seq, worst.from, flags);
		trace_print_seq(m, &iter->seq);
		seq_puts(m, "\n#  => ended at:   ");
		seq_print_ip_sym(&iter->seq, worst.to, flags);
		trace_print_seq(m, &iter->seq);
		seq_puts(m, "\n#\n");
	}
	seq_puts(m, "#\n");
}

static void print_latency_table_head(struct seq_file *m)
{
	/* some of the lines end in blanks; tools have seen them so for ever */
	static const char *const lines[] = {
		"                  _------=> CPU#            ",
		"                 / _-----=> irqs-off/BH-disabled",
		"                | / _----=> need-resched    ",
		"                || / _---=> hardirq/softirq ",
		"                ||| / _--=> preempt-depth   ",
		"                |||| / _-=> migrate-disable ",
		"                ||||| /     delay           ",
		"cmd     pid     |||||| time  |   caller     ",
		"   \\   /        ||||||  \\    |    /       ",
	};

	print_lines(m, "  ", lines, ARRAY_SIZE(lines));
}

/**
 * trace_latency_header - head of `trace` for latency tracers
 * @m:	file, its private data is the iterator
 *
 * Context: task.
 */
static void trace_latency_header(struct seq_file *m)
{
	struct trace_iterator *iter = m->private;

	if (trace_empty(iter))
		return;
	if (iter->iter_flags & TRACE_FILE_LAT_FMT)
		print_trace_header(m, iter);
	if (!(iter->tr->trace_flags & TRACE_ITER_VERBOSE))
		print_latency_table_head(m);
}

static bool functions_dead;

/**
 * trace_functions_died - from now on calls may be missing in a trace
 *
 * Whoever reads one is told.
 *
 * Context: any.
 */
void trace_functions_died(void)
{
	WRITE_ONCE(functions_dead, true);
}

/* What every trace says that is read after that, or nothing. */
const char *trace_functions_warning(void)
{
	return READ_ONCE(functions_dead) ? "# WARNING: FUNCTION TRACING IS CORRUPTED\n"
					   "#          MAY BE MISSING FUNCTION EVENTS\n" : "";
}

/**
 * trace_default_header - head of `trace` in the layout that the options ask for
 * @m:	file, its private data is the iterator
 *
 * Context: task.
 */
void trace_default_header(struct seq_file *m)
{
	struct trace_iterator *iter = m->private;
	unsigned long flags = iter->tr->trace_flags;

	if (!(flags & TRACE_ITER_CONTEXT_INFO))
		return;
	if (iter->iter_flags & TRACE_FILE_LAT_FMT)
		trace_latency_header(m);
	else if (!(flags & TRACE_ITER_VERBOSE))
		print_table_head(m, iter);
}
