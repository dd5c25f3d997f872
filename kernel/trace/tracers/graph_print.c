// SPDX-License-Identifier: GPL-2.0-only
/*
 * The function graph tracer's picture: who calls whom, one line a call or return, a
 * call that calls nobody on one line.
 *
 * A call and its return are two records. Whether they make one line is seen by
 * a look at the record that follows on the CPU; when its turn comes it is known by its time and
 * prints nothing.
 *
 * What was seen of a CPU decides what its next record looks like. So each record has to
 * be printed once and no more: readers give an empty sequence and keep the text.
 */
#include <linux/ftrace.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <asm/sections.h>

#include "../record/function_entries.h"
#include "../output/output.h"
#include "../printf.h"
#include "../tasks/tasks.h"
#include "arguments.h"
#include "function_graph.h"

#define INDENT		2
#define PROC_WIDTH	14
#define DURATION_BLANK	"              |  "

/* What was seen on a CPU so far. */
struct graph_cpu {
	pid_t		last_pid;
	int		depth;			/* of whom other events are in; -1: of nobody */
	int		irq_depth;		/* of the interrupt that is not shown; -1: none */
	u64		shown_ts;		/* return that is on its call's line */
	int		shown_depth;
	unsigned long	func[FTRACE_RETFUNC_DEPTH];	/* entered, by depth */
};

/* What a reader has: what was seen of the CPUs, and GRAPH_OPT_* of the tracer that it reads. */
struct graph_view {
	struct graph_cpu __percpu	*cpu;
	const u32			*columns;
};

/* It is read from its beginning: nothing was printed. */
void graph_print_rewind(struct trace_iterator *iter)
{
	struct graph_view *view = iter->private;
	int cpu;

	if (!view)
		return;
	for_each_possible_cpu(cpu) {
		struct graph_cpu *gc = per_cpu_ptr(view->cpu, cpu);

		memset(gc, 0, sizeof(*gc));
		gc->last_pid = -1;
		gc->depth = -1;
		gc->irq_depth = -1;
	}
}

static struct graph_view *view_alloc(void)
{
	struct graph_view *view = kzalloc(sizeof(*view), GFP_KERNEL);

	if (!view)
		return NULL;
	view->cpu = alloc_percpu(struct graph_cpu);
	if (view->cpu)
		return view;
	kfree(view);
	return NULL;
}

/* A dump may not allocate, and there is one at a time. */
static DEFINE_PER_CPU(struct graph_cpu, dump_cpu);
static struct graph_view dump_view = { .cpu = &dump_cpu };

void graph_print_open_columns(struct trace_iterator *iter, const u32 *columns)
{
	struct graph_view *view = iter->iter_flags & TRACE_FILE_ATOMIC ? &dump_view : view_alloc();

	iter->private = view;
	if (!view) {
		pr_warn("function graph tracer: not enough memory\n");
		return;
	}
	view->columns = columns;
	graph_print_rewind(iter);
}

void graph_print_open(struct trace_iterator *iter)
{
	graph_print_open_columns(iter, &graph_tracer_flags.val);
}

void graph_print_close(struct trace_iterator *iter)
{
	struct graph_view *view = iter->private;

	if (view) {
		free_percpu(view->cpu);
		kfree(view);
		iter->private = NULL;
	}
}

static struct graph_cpu *view_cpu(struct trace_iterator *iter)
{
	struct graph_view *view = iter->private;

	return view ? per_cpu_ptr(view->cpu, iter->cpu) : NULL;
}

static bool opt(const struct trace_iterator *iter, u32 bit)
{
	const struct graph_view *view = iter->private;

	return (view ? *view->columns : graph_tracer_flags.val) & bit;
}

/* The same for all lines, whatever CPUs go or come meanwhile. */
static int cpu_width(void)
{
	return snprintf(NULL, 0, "%u", nr_cpu_ids - 1);
}

static void put_abstime(struct trace_seq *s, u64 ts)
{
	u64 us = ts / NSEC_PER_USEC;

	trace_seq_printf(s, "%5lu.%06lu |  ", (unsigned long)(us / USEC_PER_SEC),
			 (unsigned long)(us % USEC_PER_SEC));
}

/* Since what is shown begins. */
static void put_reltime(struct trace_iterator *iter)
{
	u64 ns = iter->ts - iter->array_buffer->time_start;

	trace_seq_printf(&iter->seq, "%9llu us |  ", ns / NSEC_PER_USEC);
}

static void put_cpu_col(struct trace_seq *s, int cpu)
{
	trace_seq_printf(s, " %*d) ", cpu_width(), cpu);
}

static void put_proc(struct trace_seq *s, pid_t pid)
{
	char comm[TASK_COMM_LEN], text[TASK_COMM_LEN + 12];
	int len, blanks;

	trace_find_cmdline(pid, comm);
	comm[7] = '\0';
	len = scnprintf(text, sizeof(text), "%s-%d", comm, pid);
	blanks = max(PROC_WIDTH - len, 0);
	trace_seq_printf(s, "%*s%s%*s", blanks / 2, "", text, blanks - blanks / 2, "");
}

/* Without the option context-info there is nothing but calls. */
static bool wants_columns(const struct trace_iterator *iter)
{
	return iter->tr->trace_flags & TRACE_ITER_CONTEXT_INFO;
}

static bool wants_duration(const struct trace_iterator *iter)
{
	return opt(iter, GRAPH_OPT_DURATION) && wants_columns(iter);
}

/* What a line begins with, whatever it shows. */
static void put_prologue(struct trace_iterator *iter)
{
	struct trace_seq *s = &iter->seq;

	if (!wants_columns(iter))
		return;
	if (opt(iter, GRAPH_OPT_ABS_TIME))
		put_abstime(s, iter->ts);
	if (opt(iter, GRAPH_OPT_REL_TIME))
		put_reltime(iter);
	if (opt(iter, GRAPH_OPT_CPU))
		put_cpu_col(s, iter->cpu);
	if (opt(iter, GRAPH_OPT_PROC)) {
		put_proc(s, iter->ent->pid);
		trace_seq_puts(s, " | ");
	}
	if (iter->tr->trace_flags & TRACE_ITER_LATENCY_FMT) {
		trace_seq_putc(s, ' ');
		trace_print_lat_fmt(s, iter->ent);
		trace_seq_puts(s, " | ");
	}
}

/* Another task runs on the CPU. */
static void put_switch(struct trace_iterator *iter, struct graph_cpu *gc)
{
	static const char rule[] = " ------------------------------------------\n";
	struct trace_seq *s = &iter->seq;

	trace_seq_puts(s, rule);
	put_cpu_col(s, iter->cpu);
	put_proc(s, gc->last_pid);
	trace_seq_puts(s, " => ");
	put_proc(s, iter->ent->pid);
	trace_seq_printf(s, "\n%s\n", rule);
}

static char overhead_mark(u64 ns)
{
	static const struct {
		u64	ns;
		char	mark;
	} marks[] = {
		{ NSEC_PER_SEC,		'$' },
		{ 100 * NSEC_PER_MSEC,	'@' },
		{ 10 * NSEC_PER_MSEC,	'*' },
		{ NSEC_PER_MSEC,	'#' },
		{ 100 * NSEC_PER_USEC,	'!' },
		{ 10 * NSEC_PER_USEC,	'+' },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		if (ns > marks[i].ns)
			return marks[i].mark;
	}
	return ' ';
}

static void put_duration(struct trace_iterator *iter, u64 ns)
{
	char text[TRACE_US_TEXT];

	if (!wants_duration(iter))
		return;
	trace_us_text(text, ns);
	trace_seq_printf(&iter->seq, "%c %s|  ",
			 opt(iter, GRAPH_OPT_OVERHEAD) ? overhead_mark(ns) : ' ', text);
}

static void put_no_duration(struct trace_iterator *iter)
{
	if (wants_duration(iter))
		trace_seq_puts(&iter->seq, DURATION_BLANK);
}

static void put_indent(struct trace_seq *s, int depth)
{
	trace_seq_printf(s, "%*s", clamp(depth, 0, FTRACE_RETFUNC_DEPTH) * INDENT, "");
}

/* " = value" as the options want it. */
static void put_retval(struct trace_iterator *iter, const struct ftrace_graph_ret *ret)
{
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	struct trace_seq *s = &iter->seq;
	unsigned long value = ret->retval;

	/* An error code may have been an int: its upper half then is not a sign. */
	if (opt(iter, GRAPH_OPT_RETVAL_HEX))
		trace_seq_printf(s, " = 0x%lx", value);
	else if (IS_ERR_VALUE(value))
		trace_seq_printf(s, " = %ld", (long)value);
	else if (value >> 32 == 0 && IS_ERR_VALUE((unsigned long)(long)(int)value))
		trace_seq_printf(s, " = %d", (int)value);
	else
		trace_seq_printf(s, " = 0x%lx", value);
#endif
}

static bool wants_retval(const struct trace_iterator *iter)
{
	return IS_ENABLED(CONFIG_FUNCTION_GRAPH_RETVAL) && opt(iter, GRAPH_OPT_RETVAL);
}

/* Where the call returns to, as "<-symbol"; 0 if the record does not tell, or nobody asks. */
static unsigned long entry_retaddr(const struct trace_iterator *iter)
{
	if (iter->ent->type != TRACE_GRAPH_RETADDR_ENT || !opt(iter, GRAPH_OPT_RETADDR))
		return 0;
	return ((struct ftrace_graph_retaddr_entry *)iter->ent)->retaddr;
}

/* The function and what it was called with: "()" if the record does not tell. */
static void put_call(struct trace_iterator *iter, unsigned long func)
{
	const unsigned long *args;

	args = recorded_args(iter, iter->ent->type == TRACE_GRAPH_RETADDR_ENT ?
			     offsetof(struct ftrace_graph_retaddr_entry, args) :
			     offsetof(struct ftrace_graph_args_entry, args));
	trace_seq_printf(&iter->seq, "%ps", (void *)func);
	if (args)
		print_function_args(&iter->seq, args, func);
	else
		trace_seq_puts(&iter->seq, "()");
}

static void put_retaddr(struct trace_iterator *iter, unsigned long retaddr)
{
	unsigned long flags = iter->tr->trace_flags & TRACE_ITER_SYM_MASK;

	trace_seq_puts(&iter->seq, " <-");
	seq_print_ip_sym(&iter->seq, retaddr, flags | TRACE_ITER_SYM_OFFSET);
}

/* Behind the line of a return; a call without others in it has none. */
static void put_overrun(struct trace_iterator *iter, const struct ftrace_graph_ret *ret)
{
	if (opt(iter, GRAPH_OPT_OVERRUN))
		trace_seq_printf(&iter->seq, " (Overruns: %u)\n", ret->overrun);
}

static bool in_irq_text(unsigned long func)
{
	return func >= (unsigned long)__irqentry_text_start &&
	       func < (unsigned long)__irqentry_text_end;
}

/*
 * Without funcgraph-irqs nothing is shown from an interrupt's function on up to its return, or that
 * of one further out: its own may have been lost.
 */
static bool in_hidden_irq(struct trace_iterator *iter, struct graph_cpu *gc)
{
	const struct ftrace_graph_ent_entry *entry;
	const struct ftrace_graph_ret_entry *ret;
	bool hidden;

	if (!gc)
		return false;
	if (opt(iter, GRAPH_OPT_IRQS)) {
		gc->irq_depth = -1;
		return false;
	}
	hidden = gc->irq_depth >= 0;
	switch (iter->ent->type) {
	case TRACE_GRAPH_ENT:
	case TRACE_GRAPH_RETADDR_ENT:
		entry = (const struct ftrace_graph_ent_entry *)iter->ent;
		if (!hidden && in_irq_text(entry->graph_ent.func)) {
			gc->irq_depth = entry->graph_ent.depth;
			hidden = true;
		}
		return hidden;
	case TRACE_GRAPH_RET:
		ret = (const struct ftrace_graph_ret_entry *)iter->ent;
		if (ret->ret.depth <= gc->irq_depth)
			gc->irq_depth = -1;
		return hidden;
	}
	/* other events are */
	return false;
}

/* A line that says that an interrupt begins or ends. */
static void put_irq_mark(struct trace_iterator *iter, bool enter)
{
	struct trace_seq *s = &iter->seq;

	put_prologue(iter);
	if (wants_duration(iter))
		trace_seq_printf(s, "  %s |\n", enter ? "==========>" : "<==========");
	else
		trace_seq_printf(s, "%s\n", enter ? "==========>" : "<==========");
}

static void put_leaf(struct trace_iterator *iter, unsigned long func, int depth,
		     unsigned long retaddr, const struct ftrace_graph_ret *ret)
{
	struct trace_seq *s = &iter->seq;

	put_duration(iter, ret->rettime - ret->calltime);
	put_indent(s, depth);
	put_call(iter, func);
	trace_seq_putc(s, ';');
	if (retaddr || wants_retval(iter)) {
		trace_seq_puts(s, " /*");
		if (retaddr)
			put_retaddr(iter, retaddr);
		if (wants_retval(iter))
			put_retval(iter, ret);
		trace_seq_puts(s, " */");
	}
	trace_seq_putc(s, '\n');
}

static enum print_line_t print_entry(struct trace_iterator *iter, struct graph_cpu *gc)
{
	struct ftrace_graph_ent_entry *entry = (struct ftrace_graph_ent_entry *)iter->ent;
	unsigned long func = entry->graph_ent.func, retaddr = entry_retaddr(iter);
	struct ftrace_graph_ret_entry *ret = NULL;
	int depth = entry->graph_ent.depth;
	pid_t pid = iter->ent->pid;
	struct trace_seq *s = &iter->seq;
	struct trace_entry *next;
	bool leaf = false;
	u64 next_ts;

	if (in_irq_text(func))
		put_irq_mark(iter, true);
	put_prologue(iter);

	if (gc) {
		next = trace_find_next_on_cpu(iter, &next_ts);
		ret = (struct ftrace_graph_ret_entry *)next;
		leaf = next && next->type == TRACE_GRAPH_RET && next->pid == pid &&
		       ret->ret.func == func && ret->ret.depth == depth;
		gc->depth = depth;
		if (depth >= 0 && depth < FTRACE_RETFUNC_DEPTH)
			gc->func[depth] = leaf ? 0 : func;
	}
	if (leaf) {
		gc->depth = depth - 1;
		gc->shown_ts = next_ts;
		gc->shown_depth = depth;
		put_leaf(iter, func, depth, retaddr, &ret->ret);
		if (in_irq_text(func))
			put_irq_mark(iter, false);
	} else {
		put_no_duration(iter);
		put_indent(s, depth);
		put_call(iter, func);
		trace_seq_puts(s, " {");
		if (retaddr) {
			trace_seq_puts(s, " /*");
			put_retaddr(iter, retaddr);
			trace_seq_puts(s, " */");
		}
		trace_seq_putc(s, '\n');
	}
	return trace_handle_return(s);
}

static enum print_line_t print_return(struct trace_iterator *iter, struct graph_cpu *gc)
{
	struct ftrace_graph_ret_entry *entry = (struct ftrace_graph_ret_entry *)iter->ent;
	const struct ftrace_graph_ret *ret = &entry->ret;
	struct trace_seq *s = &iter->seq;
	bool named = true;

	if (gc) {
		/* Its caller may return at the same time, as clocks go. */
		if (gc->shown_ts && gc->shown_ts == iter->ts && gc->shown_depth == ret->depth) {
			gc->shown_ts = 0;
			return TRACE_TYPE_HANDLED;
		}
		gc->depth = ret->depth - 1;
		if (ret->depth >= 0 && ret->depth < FTRACE_RETFUNC_DEPTH) {
			named = gc->func[ret->depth] != ret->func;
			gc->func[ret->depth] = 0;
		}
	}
	put_prologue(iter);
	put_duration(iter, ret->rettime - ret->calltime);
	put_indent(s, ret->depth);
	/* Always with its name if the call was not seen. */
	if (wants_retval(iter)) {
		trace_seq_printf(s, "} /* %ps", (void *)ret->func);
		put_retval(iter, ret);
		trace_seq_puts(s, " */\n");
	} else if (named || opt(iter, GRAPH_OPT_TAIL)) {
		trace_seq_printf(s, "} /* %ps */\n", (void *)ret->func);
	} else {
		trace_seq_puts(s, "}\n");
	}
	put_overrun(iter, ret);
	if (in_irq_text(ret->func))
		put_irq_mark(iter, false);
	return trace_handle_return(s);
}

/* Any other event, as a comment in the function that it happened in. */
static enum print_line_t print_comment(struct trace_iterator *iter, struct graph_cpu *gc)
{
	unsigned long flags = iter->tr->trace_flags & TRACE_ITER_SYM_MASK;
	struct trace_seq *s = &iter->seq;
	struct trace_event *event;
	enum print_line_t ret;

	event = ftrace_find_event(iter->ent->type);
	if (!event || !event->funcs || !event->funcs->trace)
		return TRACE_TYPE_UNHANDLED;

	put_prologue(iter);
	put_no_duration(iter);
	/* one in a function that nothing called stands at the margin, as it ever has */
	put_indent(s, gc && gc->depth > 0 ? gc->depth + 1 : 0);
	trace_seq_puts(s, "/* ");
	/* Text that somebody wrote stands for itself, without the function that wrote it. */
	ret = print_msg_only(iter);
	if (ret == TRACE_TYPE_UNHANDLED)
		ret = event->funcs->trace(iter, flags, event);
	if (ret != TRACE_TYPE_HANDLED)
		return ret;
	/* it ends with a line feed */
	if (s->seq.len && s->buffer[s->seq.len - 1] == '\n') {
		s->buffer[s->seq.len - 1] = '\0';
		s->seq.len--;
	}
	trace_seq_puts(s, " */\n");
	return trace_handle_return(s);
}

enum print_line_t graph_print_line(struct trace_iterator *iter)
{
	struct graph_cpu *gc = view_cpu(iter);
	int type = iter->ent->type;

	/* They print themselves, over several lines or in their own columns. */
	if (type == TRACE_FN || type == TRACE_STACK || type == TRACE_USER_STACK)
		return TRACE_TYPE_UNHANDLED;
	if (in_hidden_irq(iter, gc))
		return TRACE_TYPE_HANDLED;

	if (gc && gc->last_pid != iter->ent->pid) {
		if (gc->last_pid != -1)
			put_switch(iter, gc);
		gc->last_pid = iter->ent->pid;
	}
	switch (type) {
	case TRACE_GRAPH_ENT:
	case TRACE_GRAPH_RETADDR_ENT:
		return print_entry(iter, gc);
	case TRACE_GRAPH_RET:
		return print_return(iter, gc);
	}
	return print_comment(iter, gc);
}

#define ABSTIME_HEAD	16
#define RELTIME_HEAD	16
#define CPU_HEAD	4
#define PROC_HEAD	17

/* What the columns of latency-format mean, above where they begin. */
static void header_flags(struct seq_file *m, const struct trace_iterator *iter)
{
	static const char * const lines[] = {
		"  _-----=> irqs-off        ",
		" / _----=> need-resched    ",
		"| / _---=> hardirq/softirq ",
		"|| / _--=> preempt-depth   ",
		"||| /                      ",
	};
	int i, indent = 0;

	if (opt(iter, GRAPH_OPT_ABS_TIME))
		indent += ABSTIME_HEAD;
	if (opt(iter, GRAPH_OPT_REL_TIME))
		indent += RELTIME_HEAD;
	if (opt(iter, GRAPH_OPT_CPU))
		indent += CPU_HEAD;
	if (opt(iter, GRAPH_OPT_PROC))
		indent += PROC_HEAD;
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		seq_printf(m, "#%*s%s\n", indent, "", lines[i]);
}

/* One of the two lines of column heads. */
static void header_line(struct seq_file *m, const struct trace_iterator *iter, bool names)
{
	bool latency = iter->tr->trace_flags & TRACE_ITER_LATENCY_FMT;

	seq_putc(m, '#');
	if (opt(iter, GRAPH_OPT_ABS_TIME))
		seq_printf(m, "%-*s", ABSTIME_HEAD, names ? "     TIME" : "      |");
	if (opt(iter, GRAPH_OPT_REL_TIME))
		seq_printf(m, "%-*s", RELTIME_HEAD, names ? "   REL TIME" : "      |");
	if (opt(iter, GRAPH_OPT_CPU))
		seq_puts(m, names ? " CPU" : " |  ");
	if (opt(iter, GRAPH_OPT_PROC))
		seq_printf(m, "%-*s", PROC_HEAD, names ? "  TASK/PID" : "   |    |");
	if (latency)
		seq_puts(m, "||||   ");
	if (opt(iter, GRAPH_OPT_DURATION))
		seq_puts(m, names ? "  DURATION   " : "   |   |      ");
	seq_puts(m, names ? "               FUNCTION CALLS\n" : "               |   |   |   |\n");
}

void graph_print_header(struct seq_file *m)
{
	struct trace_iterator *iter = m->private;
	bool latency = iter->tr->trace_flags & TRACE_ITER_LATENCY_FMT;

	if (!wants_columns(iter))
		return;
	if (latency) {
		if (trace_empty(iter))
			return;
		print_trace_header(m, iter);
		header_flags(m, iter);
	}
	header_line(m, iter, true);
	header_line(m, iter, false);
}
