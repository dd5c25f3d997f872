// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the print formats of events call: flags and numbers as words, arrays
 * and masks as text, and the check that a string which an entry only points to
 * is one that can not have gone away.
 *
 * The helpers print into the iterator's second sequence and return where the
 * text begins there, so that it can be an argument of the event's own format.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include <asm/sections.h>

#include "../output/output.h"
#include "../record/record.h"
#include "internal.h"

/**
 * trace_print_flags_seq - name the bits that are set
 * @p:		sequence for the text
 * @delim:	between two names, may be NULL
 * @flags:	bits
 * @flag_array:	masks and names, ends with a NULL name
 *
 * A name is printed when all bits of its mask are set and not named yet; what is left prints
 * as a number.
 *
 * Context: any. Return: the text.
 */
const char *trace_print_flags_seq(struct trace_seq *p, const char *delim, unsigned long flags,
				  const struct trace_print_flags *flag_array)
{
	const char *text = trace_seq_buffer_ptr(p);
	const char *between = NULL;

	for (; flags && flag_array->name; flag_array++) {
		if ((flags & flag_array->mask) != flag_array->mask)
			continue;
		flags &= ~flag_array->mask;
		if (between)
			trace_seq_puts(p, between);
		trace_seq_puts(p, flag_array->name);
		between = delim;
	}
	if (flags) {
		if (between)
			trace_seq_puts(p, between);
		trace_seq_printf(p, "0x%lx", flags);
	}
	trace_seq_putc(p, 0);
	return text;
}
EXPORT_SYMBOL(trace_print_flags_seq);

/**
 * trace_print_symbols_seq - name a number
 * @p:		sequence for the text
 * @val:	number
 * @symbol_array: numbers and names, ends with a NULL name
 *
 * Context: any. Return: the name, or the number in hexadecimal.
 */
const char *trace_print_symbols_seq(struct trace_seq *p, unsigned long val,
				    const struct trace_print_flags *symbol_array)
{
	const char *text = trace_seq_buffer_ptr(p);

	while (symbol_array->name && symbol_array->mask != val)
		symbol_array++;
	if (symbol_array->name)
		trace_seq_puts(p, symbol_array->name);
	else
		trace_seq_printf(p, "0x%lx", val);
	trace_seq_putc(p, 0);
	return text;
}
EXPORT_SYMBOL(trace_print_symbols_seq);

/**
 * trace_print_bitmask_seq - print a bit mask in hexadecimal
 * @p:		sequence for the text
 * @bitmask_ptr: mask
 * @bitmask_size: bytes
 *
 * Context: any. Return: the text.
 */
const char *trace_print_bitmask_seq(struct trace_seq *p, void *bitmask_ptr,
				    unsigned int bitmask_size)
{
	const char *text = trace_seq_buffer_ptr(p);

	trace_seq_bitmask(p, bitmask_ptr, bitmask_size * BITS_PER_BYTE);
	trace_seq_putc(p, 0);
	return text;
}
EXPORT_SYMBOL_GPL(trace_print_bitmask_seq);

/**
 * trace_print_hex_seq - print bytes in hexadecimal
 * @p:		sequence for the text
 * @buf:	bytes
 * @buf_len:	how many
 * @concatenate: no blanks between them
 *
 * Context: any. Return: the text.
 */
const char *trace_print_hex_seq(struct trace_seq *p, const unsigned char *buf, int buf_len,
				bool concatenate)
{
	const char *text = trace_seq_buffer_ptr(p);

	for (int i = 0; i < buf_len && !trace_seq_has_overflowed(p); i++) {
		char *to = trace_seq_acquire(p, i && !concatenate ? 3 : 2);

		if (!to)
			break;
		if (i && !concatenate)
			*to++ = ' ';
		hex_byte_pack(to, buf[i]);
	}
	trace_seq_putc(p, 0);
	return text;
}
EXPORT_SYMBOL(trace_print_hex_seq);

/* The element at @at, @size bytes wide. */
static u64 array_element(const void *at, size_t size)
{
	switch (size) {
	case 1:
		return *(const u8 *)at;
	case 2:
		return *(const u16 *)at;
	case 4:
		return *(const u32 *)at;
	default:
		return *(const u64 *)at;
	}
}

/**
 * trace_print_array_seq - print numbers in braces
 * @p:		sequence for the text
 * @buf:	array
 * @count:	elements
 * @el_size:	bytes in each: 1, 2, 4 or 8
 *
 * Context: any. Return: the text.
 */
const char *trace_print_array_seq(struct trace_seq *p, const void *buf, int count, size_t el_size)
{
	const char *text = trace_seq_buffer_ptr(p);

	trace_seq_putc(p, '{');
	for (int i = 0; i < count && !trace_seq_has_overflowed(p); i++) {
		const char *sep = i ? "," : "";

		if (is_power_of_2(el_size) && el_size <= 8)
			trace_seq_printf(p, "%s0x%llx", sep,
					 array_element(buf + i * el_size, el_size));
		else
			trace_seq_printf(p, "%sBAD SIZE:%zu 0x%x", sep, el_size,
					 *(const u8 *)(buf + i * el_size));
	}
	trace_seq_putc(p, '}');
	trace_seq_putc(p, 0);
	return text;
}
EXPORT_SYMBOL(trace_print_array_seq);

/**
 * trace_print_hex_dump_seq - print a hex dump, beginning on a line of its own
 * @p:		sequence for the text
 * @prefix_str:	in front of every line
 * @prefix_type: DUMP_PREFIX_*
 * @rowsize:	bytes in a line, 16 or 32
 * @groupsize:	bytes without a blank between them
 * @buf:	bytes to dump
 * @len:	how many
 * @ascii:	with their characters
 *
 * Context: any. Return: the text.
 */
const char *trace_print_hex_dump_seq(struct trace_seq *p, const char *prefix_str, int prefix_type,
				     int rowsize, int groupsize, const void *buf, size_t len,
				     bool ascii)
{
	const char *text = trace_seq_buffer_ptr(p);

	trace_seq_putc(p, '\n');
	trace_seq_hex_dump(p, prefix_str, prefix_type, rowsize, groupsize, buf, len, ascii);
	trace_seq_putc(p, 0);
	return text;
}
EXPORT_SYMBOL(trace_print_hex_dump_seq);

/* May the text at @str be read, now and whenever the entry is? */
static bool string_stays(struct trace_iterator *iter, struct trace_event_call *call,
			 const char *str)
{
	const void *ent = iter->ent;

	if (!str)
		return true;	/* printf says (null) */
	if ((void *)str >= ent && (void *)str < ent + iter->ent_size)
		return true;
	if (is_kernel_rodata((unsigned long)str) || trace_is_tracepoint_string(str))
		return true;
	/* an event of a module is gone before the module's strings are */
	return !(call->flags & TRACE_EVENT_FL_DYNAMIC) && call->module &&
	       within_module_core((unsigned long)str, call->module);
}

/*
 * The first field of the entry that points to a string which may be gone, or
 * NULL. Events without such fields do not have the flag, so this is off the
 * common path.
 */
static const char *unsafe_string_field(struct trace_iterator *iter, struct trace_event_call *call)
{
	struct ftrace_event_field *field;

	list_for_each_entry(field, trace_get_fields(call), link) {
		const char *str;

		if (!field->needs_test || field->offset + sizeof(str) > iter->ent_size)
			continue;
		memcpy(&str, (void *)iter->ent + field->offset, sizeof(str));
		if (!string_stays(iter, call, str))
			return field->name;
	}
	return NULL;
}

/* Is a string of @iter's entry perhaps gone? Then this is said in the place of the event's text. */
static noinline bool print_unsafe(struct trace_iterator *iter, struct trace_event_call *call)
{
	const char *bad = unsafe_string_field(iter, call);

	if (!bad)
		return false;
	WARN_ONCE(1, "event %s: field %s points to a string that may be gone\n",
		  trace_event_name(call), bad);
	trace_seq_printf(&iter->seq, "EVENT %s: HAS UNSAFE POINTER FIELD '%s'\n",
			 trace_event_name(call), bad);
	return true;
}

/*
 * The length of @name, copied to @p, or less than zero if it does not fit @room. Where words may be
 * anywhere strscpy() goes by words; where not it would go by bytes, and be a call.
 */
static ssize_t copy_name(char *p, const char *name, size_t room)
{
	if (IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS))
		return strscpy(p, name, room);
	for (size_t n = 0; likely(n < room); n++) {
		p[n] = name[n];
		if (!name[n])
			return n;
	}
	return -E2BIG;
}

/* @name and ": ", as every event's line begins. */
static void put_name(struct trace_seq *s, const char *name)
{
	char *p = s->seq.buffer + s->seq.len;
	size_t room = s->seq.size - s->seq.len;
	ssize_t n;

	if (s->full)
		return;
	n = copy_name(p, name, room);
	if (unlikely(n < 0 || n + 2 >= room)) {
		s->full = 1;
		return;
	}
	p[n] = ':';
	p[n + 1] = ' ';
	s->seq.len += n + 2;
}

/**
 * trace_raw_output_prep - begin to print an event
 * @iter:	iterator, on its entry
 * @trace_event: the event's printers
 *
 * Prints the name, and clears the sequence that helpers print into.
 *
 * Context: task or ftrace_dump().
 * Return: TRACE_TYPE_HANDLED to go on, else what the printer is to return.
 */
int trace_raw_output_prep(struct trace_iterator *iter, struct trace_event *trace_event)
{
	struct trace_event_call *call = container_of(trace_event, struct trace_event_call, event);
	struct trace_seq *s = &iter->seq;

	if (WARN_ON_ONCE(iter->ent->type != trace_event->type))
		return TRACE_TYPE_UNHANDLED;
	trace_seq_init(&iter->tmp_seq);
	if (unlikely(call->flags & TRACE_EVENT_FL_TEST_STR) && print_unsafe(iter, call))
		return trace_seq_has_overflowed(s) ? TRACE_TYPE_PARTIAL_LINE : TRACE_TYPE_UNHANDLED;
	put_name(s, trace_event_name(call));
	return trace_seq_result(s);
}
EXPORT_SYMBOL(trace_raw_output_prep);

/* Room for a rewritten format of @size bytes, or NULL. */
static char *format_room(struct trace_iterator *iter, size_t size)
{
	char *fmt;

	if (iter->fmt_size >= size)
		return iter->fmt;
	if (iter->iter_flags & TRACE_FILE_ATOMIC)
		return NULL;
	size = round_up(size, 128);
	fmt = krealloc(iter->fmt, size, GFP_KERNEL);
	if (!fmt)
		return NULL;
	iter->fmt = fmt;
	iter->fmt_size = size;
	return fmt;
}

/* @fmt with %px for each plain %p: see below. */
static noinline const char *format_addresses(struct trace_iterator *iter, const char *fmt)
{
	unsigned int plain = 0;
	const char *p;
	char *copy, *to;

	for (p = fmt; (p = strstr(p, "%p")); p += 2)
		plain++;
	if (!plain)
		return fmt;
	copy = format_room(iter, strlen(fmt) + plain + 1);
	if (!copy)
		return fmt;
	for (p = fmt, to = copy; *p; ) {
		if (p[0] != '%') {
			*to++ = *p++;
			continue;
		}
		*to++ = *p++;
		if (!*p)
			break;
		/* the other sort of %p, and %%, keep what they have */
		if (p[0] == 'p' && !isalnum(p[1])) {
			*to++ = 'p';
			*to++ = 'x';
			p++;
		} else {
			*to++ = *p++;
		}
	}
	*to = 0;
	return copy;
}

/**
 * trace_event_format - the format to print with
 * @iter:	iterator
 * @fmt:	format of an event
 *
 * Without the option hash-ptr a plain %p shows the address: it becomes %px.
 *
 * Context: task, or any with a fixed buffer in @iter.
 * Return: @fmt, or its copy in @iter, valid until the next call.
 */
const char *trace_event_format(struct trace_iterator *iter, const char *fmt)
{
	if (!iter->tr || (iter->tr->trace_flags & TRACE_ITER_HASH_PTR))
		return fmt;
	return format_addresses(iter, fmt);
}

/**
 * trace_event_printf - print an event's own text
 * @iter:	iterator, on its entry
 * @fmt:	the event's format
 *
 * Context: task or ftrace_dump().
 * Return: what the printer is to return.
 */
enum print_line_t trace_event_printf(struct trace_iterator *iter, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	trace_seq_vprintf(&iter->seq, trace_event_format(iter, fmt), args);
	va_end(args);
	return trace_seq_result(&iter->seq);
}
EXPORT_SYMBOL(trace_event_printf);

/**
 * trace_output_call - print a name and an event's own text
 * @iter:	iterator, on its entry
 * @name:	name
 * @fmt:	format
 *
 * Context: task or ftrace_dump(). Return: an enum print_line_t.
 */
int trace_output_call(struct trace_iterator *iter, char *name, char *fmt, ...)
{
	struct trace_seq *s = &iter->seq;
	va_list args;

	trace_seq_puts(s, name);
	trace_seq_putmem(s, ": ", 2);
	va_start(args, fmt);
	trace_seq_vprintf(s, trace_event_format(iter, fmt), args);
	va_end(args);
	return trace_seq_result(s);
}
EXPORT_SYMBOL_GPL(trace_output_call);
