// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a record of a synthetic event looks like in `trace`, and its print format, by which tools
 * print it.
 */
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>
#include <linux/unaligned.h>
#include <trace/events/mmflags.h>

#include "synth_internal.h"

static const struct trace_print_flags gfp_flags[] = { __def_gfpflag_names, { 0, NULL } };

/* As wide as its type is. */
static void print_number(struct trace_seq *s, const struct synth_field *field, const void *at)
{
	switch (field->size) {
	case 1:
		trace_seq_printf(s, field->fmt, field->is_signed ? *(s8 *)at : *(u8 *)at);
		break;
	case 2:
		trace_seq_printf(s, field->fmt, field->is_signed ? *(s16 *)at : *(u16 *)at);
		break;
	case 4:
		trace_seq_printf(s, field->fmt, *(u32 *)at);
		break;
	default:
		trace_seq_printf(s, field->fmt, *(u64 *)at);
		break;
	}
}

/* What lies behind the fields, if the record has it. */
static const void *place_of(const struct trace_iterator *iter, const struct synth_field *field,
			    unsigned int *len)
{
	struct trace_dynamic_info place;

	memcpy(&place, (void *)iter->ent + field->offset, sizeof(place));
	*len = place.len;
	if (place.offset + place.len > iter->ent_size)
		*len = 0;
	return (void *)iter->ent + place.offset;
}

/* The count that it begins with is not shown. */
static void print_stack(struct trace_seq *s, const unsigned long *stack, unsigned int len)
{
	trace_seq_puts(s, "STACK:\n");
	for (unsigned int i = 1; i < len / sizeof(*stack); i++)
		trace_seq_printf(s, "=> %pS\n", (void *)get_unaligned(&stack[i]));
}

static void print_field(struct trace_iterator *iter, const struct synth_field *field,
			const char *between)
{
	struct trace_seq *s = &iter->seq;
	const void *at = (void *)iter->ent + field->offset;
	unsigned int len = SYNTH_STRING_MAX;

	trace_seq_printf(s, "%s=", field->name);
	switch (field->store) {
	case SYNTH_NUMBER:
		print_number(s, field, at);
		trace_seq_puts(s, between);
		if (!strcmp(field->type, "gfp_t")) {
			trace_seq_init(&iter->tmp_seq);
			trace_seq_printf(s, " (%s)",
					 trace_print_flags_seq(&iter->tmp_seq, "|", *(u32 *)at,
							       gfp_flags));
		}
		break;
	case SYNTH_DYN_STRING:
		at = place_of(iter, field, &len);
		fallthrough;
	case SYNTH_STRING:
		trace_seq_printf(s, "%.*s%s", (int)len, (const char *)at, between);
		break;
	case SYNTH_STACK:
		at = place_of(iter, field, &len);
		print_stack(s, at, len);
		break;
	}
}

static enum print_line_t print_synth(struct trace_iterator *iter, int flags,
				     struct trace_event *type)
{
	struct synth_event *event = container_of(type, struct synth_event, call.event);
	bool verbose = iter->tr && (iter->tr->trace_flags & TRACE_ITER_VERBOSE);

	if (iter->ent_size < event->bytes)
		return TRACE_TYPE_UNHANDLED;
	trace_seq_printf(&iter->seq, "%s: ", event->name);
	for (unsigned int i = 0; i < event->n_fields; i++) {
		if (verbose)
			trace_seq_printf(&iter->seq, "%s ", event->fields[i].fmt);
		print_field(iter, &event->fields[i], i + 1 < event->n_fields ? " " : "");
	}
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

struct trace_event_functions synth_event_funcs = {
	.trace	= print_synth,
};

static void write_print_fmt(const struct synth_event *event, struct seq_buf *s)
{
	seq_buf_putc(s, '"');
	for (unsigned int i = 0; i < event->n_fields; i++)
		seq_buf_printf(s, "%s%s=%s", i ? ", " : "", event->fields[i].name,
			       event->fields[i].fmt);
	seq_buf_putc(s, '"');
	for (unsigned int i = 0; i < event->n_fields; i++) {
		const struct synth_field *field = &event->fields[i];

		seq_buf_printf(s, field->store == SYNTH_DYN_STRING ? ", __get_str(%s)" :
				  field->store == SYNTH_STACK ? ", __get_stacktrace(%s)" :
				  ", REC->%s", field->name);
	}
}

/**
 * synth_print_fmt - make the print format of a synthetic event
 * @event: with its fields
 *
 * Context: task.
 * Return: to be freed with kfree(), NULL without memory.
 */
char *synth_print_fmt(const struct synth_event *event)
{
	size_t size = 64;
	struct seq_buf s;
	char *text;

	for (unsigned int i = 0; i < event->n_fields; i++)
		size += 2 * strlen(event->fields[i].name) + 32;
	text = kzalloc(size, GFP_KERNEL);
	if (!text)
		return NULL;
	seq_buf_init(&s, text, size);
	write_print_fmt(event, &s);
	return text;
}
