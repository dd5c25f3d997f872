// SPDX-License-Identifier: GPL-2.0-only
/*
 * The description of the format that events/header_event and
 * events/header_page show, for programs that read the binary data.
 */
#include <linux/trace_seq.h>

#include "internal.h"

/**
 * ring_buffer_print_entry_header - describe the head of a record
 * @s: where to print to
 *
 * Context: as @s demands.
 * Return: true if it fit into @s.
 */
int ring_buffer_print_entry_header(struct trace_seq *s)
{
	static const struct {
		const char	*name;
		unsigned int	bits;
	} parts[] = {
		{ "type_len    ", 5 },
		{ "time_delta  ", RB_DELTA_BITS },
		{ "array       ", 32 },
	};
	int i;

	trace_seq_puts(s, "# compressed entry header\n");
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		trace_seq_printf(s, "\t%s:   %2u bits\n", parts[i].name, parts[i].bits);
	trace_seq_printf(s, "\n\tpadding     : type == %d\n", RINGBUF_TYPE_PADDING);
	trace_seq_printf(s, "\ttime_extend : type == %d\n", RINGBUF_TYPE_TIME_EXTEND);
	trace_seq_printf(s, "\ttime_stamp : type == %d\n", RINGBUF_TYPE_TIME_STAMP);
	trace_seq_printf(s, "\tdata max type_len  == %d\n",
			 RINGBUF_TYPE_DATA_TYPE_LEN_MAX);

	return !trace_seq_has_overflowed(s);
}

static void rb_print_field(struct trace_seq *s, const char *decl, size_t offset,
			   size_t size, bool is_signed)
{
	trace_seq_printf(s, "\tfield: %s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n",
			 decl, offset, size, is_signed);
}

/**
 * ring_buffer_print_page_header - describe a sub-buffer
 * @buffer: the buffer
 * @s: where to print to
 *
 * The names and types are what programs expect; "overwrite" is the byte of the
 * commit word in which lost records are flagged.
 *
 * Context: as @s demands.
 * Return: true if it fit into @s.
 */
int ring_buffer_print_page_header(struct trace_buffer *buffer, struct trace_seq *s)
{
	size_t commit = offsetof(struct rb_page, commit);

	rb_print_field(s, "u64 timestamp", offsetof(struct rb_page, time_stamp),
		       sizeof_field(struct rb_page, time_stamp), is_signed_type(u64));
	rb_print_field(s, "local_t commit", commit,
		       sizeof_field(struct rb_page, commit), is_signed_type(long));
	rb_print_field(s, "int overwrite", commit, 1, is_signed_type(long));
	rb_print_field(s, "char data", RB_PAGE_HEADER,
		       ring_buffer_subbuf_size_get(buffer) - RB_PAGE_HEADER,
		       is_signed_type(char));

	return !trace_seq_has_overflowed(s);
}
