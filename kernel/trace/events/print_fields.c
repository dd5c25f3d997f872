// SPDX-License-Identifier: GPL-2.0-only
/*
 * Option `fields`: an event as the names and values of its fields, whatever
 * its own format says.
 */
#include <linux/trace_events.h>
#include <linux/uaccess.h>

#include "../output/output.h"
#include "internal.h"

/* Longest string that is shown of one that an entry points to. */
#define POINTED_MAX	128

static void put_string(struct trace_seq *s, const char *str, int max)
{
	trace_seq_putmem(s, str, strnlen(str, max));
}

/* Bytes as two digits each, with commas between. */
static void put_bytes(struct trace_seq *s, const u8 *bytes, int len)
{
	for (int i = 0; i < len; i++)
		trace_seq_printf(s, "%s%02x", i ? "," : "", bytes[i]);
}

/* A field that only points to a string: the address, and the string if it can be read. */
static void put_pointed(struct trace_seq *s, const char *str)
{
	char text[POINTED_MAX];
	long len = strncpy_from_kernel_nofault(text, str, sizeof(text));

	if (len < 0) {
		trace_seq_printf(s, "(0x%px)", str);
		return;
	}
	trace_seq_printf(s, "(0x%px:%.*s)", str, (int)sizeof(text), text);
}

/* A field whose place in the entry is itself in the entry. */
static void put_dynamic(struct trace_iterator *iter, struct ftrace_event_field *field,
			const u8 *at, bool relative)
{
	u32 loc = *(const u32 *)at;
	unsigned int offset = loc & 0xffff, len = loc >> 16;
	struct trace_seq *s = &iter->seq;
	const u8 *data;

	if (relative)
		offset += field->offset + sizeof(loc);
	if (offset + len > iter->ent_size) {
		trace_seq_puts(s, "<OVERFLOW>");
		return;
	}
	data = (u8 *)iter->ent + offset;
	if (strstr(field->type, "char"))
		put_string(s, data, len);
	else
		put_bytes(s, data, len);
}

static void put_number(struct trace_seq *s, struct ftrace_event_field *field, const u8 *at)
{
	switch (field->size) {
	case 1:
		if (isprint(*at))
			trace_seq_printf(s, "'%c'", *at);
		trace_seq_printf(s, "(%d)", *at);
		break;
	case 2:
		trace_seq_printf(s, "0x%x (%d)", *(u16 *)at, *(u16 *)at);
		break;
	case 4:
		trace_seq_printf(s, "0x%x (%d)", *(u32 *)at, *(u32 *)at);
		break;
	case 8:
		trace_seq_printf(s, "0x%llx (%lld)", *(u64 *)at, *(u64 *)at);
		break;
	default:
		trace_seq_puts(s, "<INVALID-SIZE>");
	}
}

static void put_field(struct trace_iterator *iter, struct ftrace_event_field *field)
{
	const u8 *at = (u8 *)iter->ent + field->offset;
	struct trace_seq *s = &iter->seq;
	bool rel = str_has_prefix(field->type, "__rel_loc");

	trace_seq_printf(s, " %s=", field->name);
	if (field->offset + field->size > iter->ent_size) {
		trace_seq_puts(s, "<OVERFLOW>");
		return;
	}
	switch (field->filter_type) {
	case FILTER_STATIC_STRING:
		put_string(s, at, field->size);
		break;
	case FILTER_CPUMASK:
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
		put_dynamic(iter, field, at, rel);
		break;
	case FILTER_PTR_STRING:
		put_pointed(s, *(const char **)at);
		break;
	case FILTER_TRACE_FN:
		trace_seq_printf(s, "%pS", *(void **)at);
		break;
	case FILTER_OTHER:
		if (rel || str_has_prefix(field->type, "__data_loc"))
			put_dynamic(iter, field, at, rel);
		else
			put_number(s, field, at);
		break;
	default:
		trace_seq_puts(s, "<INVALID-TYPE>");
	}
}

/**
 * print_event_fields - print an event's name and fields
 * @iter:	iterator, on the entry
 * @event:	its printers
 *
 * Context: as print_trace_line(). Return: as a printer.
 */
enum print_line_t print_event_fields(struct trace_iterator *iter, struct trace_event *event)
{
	struct trace_seq *s = &iter->seq;
	struct trace_event_call *call;
	struct ftrace_event_field *field;

	/* printers of fixed types do not stand in an event */
	if (event->type <= __TRACE_LAST_TYPE) {
		trace_seq_printf(s, "UNKNOWN TYPE %d\n", event->type);
		return trace_handle_return(s);
	}
	call = container_of(event, struct trace_event_call, event);
	trace_seq_printf(s, "%s:", trace_event_name(call));
	list_for_each_entry(field, trace_get_fields(call), link)
		put_field(iter, field);
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}
