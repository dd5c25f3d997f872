// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the records of calls, TRACE_FN and TRACE_FUNC_REPEATS, are printed, whichever tracer wrote
 * them.
 */
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>

#include "../output/output.h"
#include "../printf.h"
#include "../record/entries.h"
#include "../record/function_entries.h"
#include "arguments.h"
#include "function.h"

/* @args: NULL if they were not recorded */
static void print_call(struct trace_iterator *iter, unsigned long ip, unsigned long parent_ip,
		       const unsigned long *args)
{
	struct trace_seq *s = &iter->seq;
	unsigned long flags = iter->tr->trace_flags & TRACE_ITER_SYM_MASK;

	seq_print_ip_sym(s, ip, flags);
	if (args)
		print_function_args(s, args, ip);
	if ((flags & TRACE_ITER_PRINT_PARENT) && parent_ip) {
		trace_seq_puts(s, " <-");
		seq_print_ip_sym(s, parent_ip, flags);
	}
}

static enum print_line_t fn_print(struct trace_iterator *iter, int flags, struct trace_event *event)
{
	struct ftrace_entry *entry = (struct ftrace_entry *)iter->ent;

	print_call(iter, entry->ip, entry->parent_ip,
		   recorded_args(iter, offsetof(struct ftrace_entry, args)));
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static enum print_line_t fn_raw(struct trace_iterator *iter, int flags, struct trace_event *event)
{
	struct ftrace_entry *entry = (struct ftrace_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%lx %lx\n", entry->ip, entry->parent_ip);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t fn_hex(struct trace_iterator *iter, int flags, struct trace_event *event)
{
	struct ftrace_entry *entry = (struct ftrace_entry *)iter->ent;

	SEQ_PUT_HEX_FIELD(&iter->seq, entry->ip);
	SEQ_PUT_HEX_FIELD(&iter->seq, entry->parent_ip);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t fn_bin(struct trace_iterator *iter, int flags, struct trace_event *event)
{
	struct ftrace_entry *entry = (struct ftrace_entry *)iter->ent;

	SEQ_PUT_FIELD(&iter->seq, entry->ip);
	SEQ_PUT_FIELD(&iter->seq, entry->parent_ip);
	return trace_handle_return(&iter->seq);
}

static u64 repeats_delta(const struct func_repeats_entry *entry)
{
	return (u64)entry->top_delta_ts << 32 | entry->bottom_delta_ts;
}

static enum print_line_t repeats_print(struct trace_iterator *iter, int flags,
				       struct trace_event *event)
{
	struct func_repeats_entry *entry = (struct func_repeats_entry *)iter->ent;
	u64 us = trace_ns_to_us(iter->ts - repeats_delta(entry));
	unsigned long secs = us / USEC_PER_SEC;

	print_call(iter, entry->ip, entry->parent_ip, NULL);
	trace_seq_printf(&iter->seq, " (repeats: %u, last_ts:", entry->count);
	if (trace_clock_in_ns(iter->tr))
		trace_seq_printf(&iter->seq, " %5lu.%06lu", secs,
				 (unsigned long)(us % USEC_PER_SEC));
	else
		trace_seq_printf(&iter->seq, " %12llu", iter->ts - repeats_delta(entry));
	trace_seq_puts(&iter->seq, ")\n");
	return trace_handle_return(&iter->seq);
}

static enum print_line_t repeats_raw(struct trace_iterator *iter, int flags,
				     struct trace_event *event)
{
	struct func_repeats_entry *entry = (struct func_repeats_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%lu %lu %u %llu\n", entry->ip, entry->parent_ip,
			 entry->count, repeats_delta(entry));
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions fn_printers = {
	.trace	= fn_print,
	.raw	= fn_raw,
	.hex	= fn_hex,
	.binary	= fn_bin,
};

static struct trace_event_functions repeats_printers = {
	.trace	= repeats_print,
	.raw	= repeats_raw,
};

static struct trace_event printers[] = {
	{ .type = TRACE_FN,		.funcs = &fn_printers },
	{ .type = TRACE_FUNC_REPEATS,	.funcs = &repeats_printers },
};

/**
 * function_printers_init - register the printers of calls
 *
 * Context: boot, RCU works.
 */
void __init function_printers_init(void)
{
	if (register_trace_events(printers, ARRAY_SIZE(printers)))
		pr_warn("function tracer: records cannot be printed\n");
}
