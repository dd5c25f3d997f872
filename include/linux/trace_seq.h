/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A buffer that one line of a trace is printed into.
 *
 * Every function either appends all it was asked to or nothing at all; after
 * the first one that did not fit the sequence is full and stays so until
 * trace_seq_init(). Callers therefore print without looking at results and ask
 * trace_seq_has_overflowed() once, at the end. Any context; a sequence belongs
 * to one caller at a time.
 */
#ifndef _LINUX_TRACE_SEQ_H
#define _LINUX_TRACE_SEQ_H

#include <linux/seq_buf.h>

#include <asm/page.h>

/* what the whole structure takes, and what is left of that for text */
#define TRACE_SEQ_SIZE		8192
#define TRACE_SEQ_BUFFER_SIZE	\
	(TRACE_SEQ_SIZE - (sizeof(struct seq_buf) + sizeof(size_t) + sizeof(int)))

/**
 * struct trace_seq - the text so far
 * @buffer:	the bytes
 * @seq:	how far @buffer is filled
 * @readpos:	how much of it trace_seq_to_user() has handed out
 * @full:	something did not fit
 */
struct trace_seq {
	char			buffer[TRACE_SEQ_BUFFER_SIZE];
	struct seq_buf		seq;
	size_t			readpos;
	int			full;
};

/* Make @s empty; a new sequence must see this before anything else. */
static inline void trace_seq_init(struct trace_seq *s)
{
	s->readpos = 0;
	s->full = 0;
	seq_buf_init(&s->seq, s->buffer, TRACE_SEQ_BUFFER_SIZE);
}

/* Bytes of text in @s. */
static inline int trace_seq_used(struct trace_seq *s)
{
	return seq_buf_used(&s->seq);
}

/*
 * Where the next byte goes. Print helpers remember it, print, and return it
 * as the string that they made.
 */
static inline char *trace_seq_buffer_ptr(struct trace_seq *s)
{
	return &s->buffer[trace_seq_used(s)];
}

/* Did something not fit since trace_seq_init()? */
static inline bool trace_seq_has_overflowed(struct trace_seq *s)
{
	return seq_buf_has_overflowed(&s->seq) || s->full;
}

#ifdef CONFIG_TRACING

__printf(2, 3) void trace_seq_printf(struct trace_seq *s, const char *fmt, ...);
__printf(2, 0) void trace_seq_vprintf(struct trace_seq *s, const char *fmt, va_list args);
__printf(2, 0) void trace_seq_bprintf(struct trace_seq *s, const char *fmt, const u32 *binary);
void trace_seq_puts(struct trace_seq *s, const char *str);
void trace_seq_putc(struct trace_seq *s, unsigned char c);
void trace_seq_putmem(struct trace_seq *s, const void *mem, unsigned int len);
void trace_seq_putmem_hex(struct trace_seq *s, const void *mem, unsigned int len);
void trace_seq_bitmask(struct trace_seq *s, const unsigned long *maskp, int nmaskbits);
int trace_seq_path(struct trace_seq *s, const struct path *path);
int trace_seq_hex_dump(struct trace_seq *s, const char *prefix_str, int prefix_type, int rowsize,
		       int groupsize, const void *buf, size_t len, bool ascii);
char *trace_seq_acquire(struct trace_seq *s, unsigned int len);

int trace_print_seq(struct seq_file *m, struct trace_seq *s);
int trace_seq_to_user(struct trace_seq *s, char __user *ubuf, int cnt);

#else /* !CONFIG_TRACING: callers compile, nothing is printed */

static inline __printf(2, 3) void trace_seq_printf(struct trace_seq *s, const char *fmt, ...) { }
static inline __printf(2, 0) void trace_seq_bprintf(struct trace_seq *s, const char *fmt,
						    const u32 *binary) { }
static inline void trace_seq_puts(struct trace_seq *s, const char *str) { }
static inline void trace_seq_putc(struct trace_seq *s, unsigned char c) { }
static inline void trace_seq_putmem(struct trace_seq *s, const void *mem, unsigned int len) { }
static inline void trace_seq_putmem_hex(struct trace_seq *s, const void *mem,
					unsigned int len) { }
static inline void trace_seq_bitmask(struct trace_seq *s, const unsigned long *maskp,
				     int nmaskbits) { }

static inline int trace_seq_path(struct trace_seq *s, const struct path *path)
{
	return 0;
}

static inline char *trace_seq_acquire(struct trace_seq *s, unsigned int len)
{
	return NULL;
}

static inline int trace_print_seq(struct seq_file *m, struct trace_seq *s)
{
	return 0;
}

static inline int trace_seq_to_user(struct trace_seq *s, char __user *ubuf, int cnt)
{
	return 0;
}

#endif /* CONFIG_TRACING */

#endif /* _LINUX_TRACE_SEQ_H */
