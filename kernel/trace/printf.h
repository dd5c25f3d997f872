/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers and text for lines of which there are many: what printf does with each character of its
 * format would be most of what a line costs.
 */
#ifndef _KERNEL_TRACE_PRINTF_H
#define _KERNEL_TRACE_PRINTF_H

#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/types.h>

/* As many digits as a u64 may have. */
#define TRACE_DIGITS_MAX	20

extern const char trace_digit_pairs[200];	/* 00 to 99 */

/* The two digits of @val, less than 100. */
static __always_inline void trace_put_pair(char *p, unsigned int val)
{
	memcpy(p, &trace_digit_pairs[2 * val], 2);
}

/* The digits of @val end in front of @end. Return: where they begin. */
static __always_inline char *trace_digits_before(char *end, u64 val)
{
	while (val >= 100) {
		u64 rest = val / 100;

		end -= 2;
		trace_put_pair(end, val - rest * 100);
		val = rest;
	}
	if (val >= 10) {
		end -= 2;
		trace_put_pair(end, val);
	} else {
		*--end = '0' + val;
	}
	return end;
}

/*
 * The digits from @from to @stop to @p. What is behind them, up to TRACE_DIGITS_MAX bytes, may be
 * copied as well, and be overwritten at @p, as a copy of a known size is no call.
 * Return: behind the digits.
 */
static __always_inline char *trace_put_digits(char *p, const char *from, const char *stop)
{
	if (IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS)) {
		memcpy(p, from, TRACE_DIGITS_MAX);
		return p + (stop - from);
	}
	/* Here it would be one, and one that goes byte by byte. They are few. */
	while (from < stop) {
		*p++ = *from++;
		OPTIMIZER_HIDE_VAR(p);	/* not a memcpy() after all */
	}
	return p;
}

/* What is copied at a time: a copy of a known size is no call. */
#define TRACE_COPY	16

/*
 * A line, some sixty bytes, to where it begins at any address. Where words may be anywhere they are
 * moved here, the last over what the one before has moved; a call takes longer. Where not, riscv's
 * memcpy() goes byte by byte if the two differ in alignment, its memmove() does not.
 */
static __always_inline void trace_copy_line(char *to, const char *text, size_t len)
{
	if (!IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) || len < TRACE_COPY) {
		memmove(to, text, len);
		return;
	}
	for (size_t at = 0; at + TRACE_COPY <= len; at += TRACE_COPY)
		memcpy(to + at, text + at, TRACE_COPY);
	memcpy(to + len - TRACE_COPY, text + len - TRACE_COPY, TRACE_COPY);
}

/* In microseconds, rounded: a record's time is the same wherever it is shown. */
static inline u64 trace_ns_to_us(u64 ns)
{
	return div_u64(ns + NSEC_PER_USEC / 2, NSEC_PER_USEC);
}

#define TRACE_US_TEXT		32

void trace_us_text(char text[TRACE_US_TEXT], u64 ns);
int trace_vsnprintf(char *buf, size_t size, const char *fmt, va_list args);

#endif /* _KERNEL_TRACE_PRINTF_H */
