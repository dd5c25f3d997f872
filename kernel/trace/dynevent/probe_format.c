// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a probe's event looks like: its fields, its print fmt, and a record as a line.
 */
#include <linux/kernel.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../output/output.h"
#include "probe.h"
#include "probe_event.h"
#include "probe_type.h"

/* --- fields and format */

/* What stands in front of the arguments: [0] at entry, [1] and [2] at return. */
static const char *const head_names[] = { "__probe_ip", "__probe_func", "__probe_ret_ip" };
static const char *const head_fmt[] = { "(%lx)", "(%lx <- %lx)" };

static int define_head(struct probe_event *e)
{
	unsigned int offset = sizeof(struct trace_entry);
	unsigned int nr = probe_event_heads(e), at = nr == 2;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < nr; i++, offset += sizeof(long))
		ret = trace_define_field(&e->call, "unsigned long", head_names[at + i], offset,
					 sizeof(long), false, FILTER_OTHER);
	return ret;
}

static int define_fields(struct trace_event_call *call)
{
	struct probe_event *e = probe_event_of(call);
	int ret = define_head(e);

	for (unsigned int i = 0; !ret && i < e->nr_args; i++) {
		const struct probe_arg *arg = &e->args[i];

		ret = trace_define_field(call, arg->field ?: arg->type->field, arg->name,
					 arg->offset, arg->type->size * (arg->count ?: 1),
					 arg->type->is_signed, FILTER_OTHER);
	}
	return ret;
}

struct trace_event_fields probe_event_fields[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = define_fields },
	{ }
};

static void put_values(struct seq_buf *s, const struct probe_event *e)
{
	for (unsigned int i = 0; i < e->nr_args; i++) {
		const struct probe_arg *arg = &e->args[i];

		seq_buf_printf(s, " %s=", arg->name);
		if (!arg->count) {
			seq_buf_puts(s, arg->type->fmt);
			continue;
		}
		for (unsigned int j = 0; j < arg->count; j++)
			seq_buf_printf(s, "%c%s", j ? ',' : '{', arg->type->fmt);
		seq_buf_putc(s, '}');
	}
}

static void put_sources(struct seq_buf *s, const struct probe_event *e)
{
	for (unsigned int i = 0; i < e->nr_args; i++) {
		const struct probe_arg *arg = &e->args[i];

		for (unsigned int j = 0; j < (arg->count ?: 1); j++) {
			seq_buf_puts(s, arg->type->string ? ", __get_str(" : ", REC->");
			seq_buf_puts(s, arg->name);
			if (arg->count)
				seq_buf_printf(s, "[%u]", j);
			if (arg->type->string)
				seq_buf_putc(s, ')');
		}
	}
}

static void put_format(struct seq_buf *s, const struct probe_event *e)
{
	unsigned int nr = probe_event_heads(e), at = nr == 2;

	seq_buf_printf(s, "\"%s", nr ? head_fmt[at] : "");
	put_values(s, e);
	seq_buf_putc(s, '"');
	for (unsigned int i = 0; i < nr; i++)
		seq_buf_printf(s, ", REC->%s", head_names[at + i]);
	put_sources(s, e);
}

/* Allocated; NULL without memory. */
char *probe_print_fmt(const struct probe_event *e)
{
	unsigned int size = 512;

	for (;; size *= 2) {
		struct seq_buf s;
		char *buf = kvmalloc(size, GFP_KERNEL), *fmt;

		if (!buf)
			return NULL;
		seq_buf_init(&s, buf, size);
		put_format(&s, e);
		if (seq_buf_has_overflowed(&s)) {
			kvfree(buf);
			continue;
		}
		fmt = kmemdup_nul(buf, seq_buf_used(&s), GFP_KERNEL);
		kvfree(buf);
		return fmt;
	}
}

/* --- printing */

static void print_args(struct trace_seq *s, const struct probe_event *e, const void *record)
{
	for (unsigned int i = 0; i < e->nr_args; i++) {
		const struct probe_arg *arg = &e->args[i];
		const void *data = record + arg->offset;

		trace_seq_printf(s, " %s=", arg->name);
		if (!arg->count) {
			arg->type->print(s, data, record);
			continue;
		}
		for (unsigned int j = 0; j < arg->count; j++, data += arg->type->size) {
			trace_seq_putc(s, j ? ',' : '{');
			arg->type->print(s, data, record);
		}
		trace_seq_putc(s, '}');
	}
}

static enum print_line_t print_event(struct trace_iterator *iter, int flags,
				     struct trace_event *event)
{
	struct probe_event *e = container_of(event, struct probe_event, call.event);
	const void *record = iter->ent;

	trace_seq_printf(&iter->seq, "%s: ", e->call.name);
	e->kind->print_head(iter, flags, e, record + sizeof(struct trace_entry));
	print_args(&iter->seq, e, record);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

struct trace_event_functions probe_event_funcs = { .trace = print_event };

/**
 * probe_print_kernel_head - where in the kernel a probe was hit, in parentheses
 * @iter: iterator, whose seq it goes to
 * @flags: how symbols are printed
 * @e: the event
 * @head: place; or function, and where it returns to
 *
 * Context: as print_trace_line().
 */
void probe_print_kernel_head(struct trace_iterator *iter, int flags, const struct probe_event *e,
			     const unsigned long *head)
{
	struct trace_seq *s = &iter->seq;

	trace_seq_putc(s, '(');
	if (!(e->at & PROBE_RETURN)) {
		seq_print_ip_sym(s, head[0], flags | TRACE_ITER_SYM_OFFSET);
	} else {
		seq_print_ip_sym(s, head[1], flags | TRACE_ITER_SYM_OFFSET);
		trace_seq_puts(s, " <- ");
		seq_print_ip_sym(s, head[0], flags & ~TRACE_ITER_SYM_OFFSET);
	}
	trace_seq_putc(s, ')');
}
