// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_seq: all or nothing into a buffer of fixed size.
 *
 * A line that is printed half is worse than one that is not printed, so each
 * function here takes back what it wrote when the end does not fit and marks
 * the sequence full. trace_seq.h says how callers live with that.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/trace_seq.h>

#include "printf.h"

/*
 * Room for @len bytes and, like seq_buf, one more for a terminator that is
 * not counted. NULL when there is none; the sequence is full from then on.
 */
static char *seq_room(struct trace_seq *s, size_t len)
{
	if (unlikely(s->full))
		return NULL;
	if (unlikely(s->seq.len + len >= s->seq.size)) {
		s->full = 1;
		return NULL;
	}
	return s->seq.buffer + s->seq.len;
}

/* The library printed from @mark on: keep it when it was all, else take it back. */
static bool seq_settle(struct trace_seq *s, size_t mark)
{
	if (likely(!seq_buf_has_overflowed(&s->seq)))
		return true;
	s->seq.len = mark;
	s->full = 1;
	return false;
}

/* Text of @len bytes was put where there were @left. */
static void took(struct trace_seq *s, int len, size_t left)
{
	if (likely(len < left))
		s->seq.len += len;
	else
		s->full = 1;
}

/**
 * trace_seq_vprintf - append formatted text
 * @s:		sequence
 * @fmt:	printf format
 * @args:	its arguments
 *
 * Context: any.
 */
void trace_seq_vprintf(struct trace_seq *s, const char *fmt, va_list args)
{
	size_t left = s->seq.size - s->seq.len;

	if (!s->full)
		took(s, trace_vsnprintf(s->seq.buffer + s->seq.len, left, fmt, args), left);
}
EXPORT_SYMBOL_GPL(trace_seq_vprintf);

/**
 * trace_seq_printf - append formatted text
 * @s:		sequence
 * @fmt:	printf format
 *
 * Context: any.
 */
void trace_seq_printf(struct trace_seq *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	trace_seq_vprintf(s, fmt, args);
	va_end(args);
}
EXPORT_SYMBOL_GPL(trace_seq_printf);

/**
 * trace_seq_bprintf - append text whose arguments were kept in binary
 * @s:		sequence
 * @fmt:	printf format
 * @binary:	arguments as vbin_printf() laid them out
 *
 * Context: any.
 */
void trace_seq_bprintf(struct trace_seq *s, const char *fmt, const u32 *binary)
{
	size_t left = s->seq.size - s->seq.len;

	if (!s->full)
		took(s, bstr_printf(s->seq.buffer + s->seq.len, left, fmt, binary), left);
}
EXPORT_SYMBOL_GPL(trace_seq_bprintf);

/**
 * trace_seq_putmem - append bytes as they are
 * @s:		sequence
 * @mem:	bytes
 * @len:	how many
 *
 * Context: any.
 */
void trace_seq_putmem(struct trace_seq *s, const void *mem, unsigned int len)
{
	char *to = seq_room(s, len);

	if (!to)
		return;
	memcpy(to, mem, len);
	s->seq.len += len;
}
EXPORT_SYMBOL_GPL(trace_seq_putmem);

/**
 * trace_seq_puts - append a string
 * @s:		sequence
 * @str:	terminated string
 *
 * Context: any.
 */
void trace_seq_puts(struct trace_seq *s, const char *str)
{
	size_t left = s->seq.size - s->seq.len;

	/* in one pass, its length is not known yet */
	if (!s->full)
		took(s, strscpy(s->seq.buffer + s->seq.len, str, left), left);
}
EXPORT_SYMBOL_GPL(trace_seq_puts);

/**
 * trace_seq_putc - append one character
 * @s:		sequence
 * @c:		character, zero included: print helpers end their strings with it
 *
 * Context: any.
 */
void trace_seq_putc(struct trace_seq *s, unsigned char c)
{
	char *to = seq_room(s, 1);

	if (!to)
		return;
	*to = c;
	s->seq.len++;
}
EXPORT_SYMBOL_GPL(trace_seq_putc);

/**
 * trace_seq_putmem_hex - append bytes in hexadecimal
 * @s:		sequence
 * @mem:	a number, or several of eight bytes
 * @len:	bytes
 *
 * Most significant digit first, a blank after every eight bytes.
 *
 * Context: any.
 */
void trace_seq_putmem_hex(struct trace_seq *s, const void *mem, unsigned int len)
{
	size_t mark = s->seq.len;

	if (s->full)
		return;
	seq_buf_putmem_hex(&s->seq, mem, len);
	seq_settle(s, mark);
}
EXPORT_SYMBOL_GPL(trace_seq_putmem_hex);

/**
 * trace_seq_bitmask - append a bit mask in hexadecimal
 * @s:		sequence
 * @maskp:	words of the mask
 * @nmaskbits:	how many of its bits count
 *
 * Context: any.
 */
void trace_seq_bitmask(struct trace_seq *s, const unsigned long *maskp, int nmaskbits)
{
	trace_seq_printf(s, "%*pb", nmaskbits, maskp);
}
EXPORT_SYMBOL_GPL(trace_seq_bitmask);

/**
 * trace_seq_path - append the name of a file
 * @s:		sequence
 * @path:	the file
 *
 * Context: as d_path(). Return: 1, or 0 when the name did not fit.
 */
int trace_seq_path(struct trace_seq *s, const struct path *path)
{
	size_t mark = s->seq.len;

	/* d_path() needs a byte more than the name; too little room is the same as none */
	if (!seq_room(s, 0))
		return 0;
	seq_buf_path(&s->seq, path, "\n");
	return seq_settle(s, mark);
}
EXPORT_SYMBOL_GPL(trace_seq_path);

/**
 * trace_seq_hex_dump - append lines of a hex dump
 * @s:		sequence
 * @prefix_str:	put before every line
 * @prefix_type: DUMP_PREFIX_*: address, offset or neither after that
 * @rowsize:	bytes in a line, 16 or 32
 * @groupsize:	bytes printed without a blank between them, 1, 2, 4 or 8
 * @buf:	bytes to dump
 * @len:	how many
 * @ascii:	with their characters at the end of the line
 *
 * Context: any. Return: 1, or 0 when the dump did not fit.
 */
int trace_seq_hex_dump(struct trace_seq *s, const char *prefix_str, int prefix_type, int rowsize,
		       int groupsize, const void *buf, size_t len, bool ascii)
{
	size_t mark = s->seq.len;

	if (!seq_room(s, 0))
		return 0;
	if (seq_buf_hex_dump(&s->seq, prefix_str, prefix_type, rowsize, groupsize, buf, len, ascii))
		seq_buf_set_overflow(&s->seq);
	return seq_settle(s, mark);
}
EXPORT_SYMBOL(trace_seq_hex_dump);

/**
 * trace_seq_acquire - let the caller fill in bytes of its own
 * @s:		sequence
 * @len:	bytes, all of which count as printed
 *
 * Context: any. Return: where they go, or NULL when @s is full.
 */
char *trace_seq_acquire(struct trace_seq *s, unsigned int len)
{
	char *to = seq_room(s, len);

	if (to)
		s->seq.len += len;
	return to;
}
EXPORT_SYMBOL(trace_seq_acquire);

/**
 * trace_print_seq - move the text into a file that is being read
 * @m:		the file
 * @s:		sequence, empty afterwards
 *
 * Context: task. Return: 0, or not 0 when @m has no room; @s keeps its text then.
 */
int trace_print_seq(struct seq_file *m, struct trace_seq *s)
{
	size_t len = trace_seq_used(s);
	char *to;

	if (len >= seq_get_buf(m, &to)) {
		seq_commit(m, -1);
		return -1;
	}
	trace_copy_line(to, s->seq.buffer, len);
	seq_commit(m, len);
	trace_seq_init(s);
	return 0;
}

/**
 * trace_seq_to_user - copy the next part of the text to user space
 * @s:		sequence
 * @ubuf:	to
 * @cnt:	at most so many bytes
 *
 * Context: task, may fault. Return: bytes copied, -EBUSY when all was copied
 * before, -EFAULT.
 */
int trace_seq_to_user(struct trace_seq *s, char __user *ubuf, int cnt)
{
	int copied = seq_buf_to_user(&s->seq, ubuf, s->readpos, cnt);

	if (copied > 0)
		s->readpos += copied;
	return copied;
}
EXPORT_SYMBOL_GPL(trace_seq_to_user);
