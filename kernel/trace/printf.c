// SPDX-License-Identifier: GPL-2.0-only
/*
 * vsnprintf() for the formats of events: the conversions that they are nearly all made of are done
 * here, and whatever else there is has the library do all of it. Any context.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>

#include "printf.h"

#define PAIRS(ten)	#ten "0" #ten "1" #ten "2" #ten "3" #ten "4"	\
			#ten "5" #ten "6" #ten "7" #ten "8" #ten "9"

const char trace_digit_pairs[200] __nonstring =
	PAIRS(0) PAIRS(1) PAIRS(2) PAIRS(3) PAIRS(4) PAIRS(5) PAIRS(6) PAIRS(7) PAIRS(8) PAIRS(9);

/* More than that is not looked at here. */
#define WIDTH_MAX	64

/**
 * struct conversion - what stands between % and the letter
 * @left:	- pad on the right
 * @zeros:	0 pad with zeros
 * @alt:	# put 0x in front
 * @width:	pad up to so many
 * @bytes:	size of the number
 */
struct conversion {
	bool		left;
	bool		zeros;
	bool		alt;
	unsigned int	width;
	unsigned int	bytes;
};

static const char *parse_conversion(const char *fmt, struct conversion *c)
{
	*c = (struct conversion) { .bytes = sizeof(int) };
	/* flags and digits come before the letters */
	if (likely(*fmt > '9'))
		goto size;
	for (;; fmt++) {
		if (*fmt == '-')
			c->left = true;
		else if (*fmt == '0')
			c->zeros = true;
		else if (*fmt == '#')
			c->alt = true;
		else
			break;
	}
	for (; *fmt >= '0' && *fmt <= '9' && c->width <= WIDTH_MAX; fmt++)
		c->width = 10 * c->width + *fmt - '0';
size:
	if (*fmt == 'l') {
		fmt += 1 + (fmt[1] == 'l');
		c->bytes = sizeof(long);
	} else if (*fmt == 'z') {
		fmt++;
		c->bytes = sizeof(size_t);
	} else if (*fmt == 'h') {
		fmt++;
		c->bytes = sizeof(short);
		if (*fmt == 'h') {
			fmt++;
			c->bytes = sizeof(char);
		}
	}
	return fmt;
}

/* @len bytes of @text, padded; NULL: no room */
static __always_inline char *put_padded(char *p, char *end, const struct conversion *c,
					const char *text, unsigned int len)
{
	unsigned int pad = c->width > len ? c->width - len : 0;

	if (unlikely(len + pad >= end - p))
		return NULL;
	if (!c->left) {
		for (; pad; pad--)
			*p++ = ' ';
	}
	memcpy(p, text, len);
	p += len;
	for (; pad; pad--)
		*p++ = ' ';
	return p;
}

static char *hex_before(char *end, u64 val, bool upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";

	do {
		*--end = digits[val & 15];
		val >>= 4;
	} while (val);
	return end;
}

/* The number @val, which is negative if @minus, in base 10, or in base 16 if @letter is x or X. */
static char *put_value(char *p, char *end, const struct conversion *c, u64 val, bool minus,
		       char letter)
{
	/* clearing it took as long as all the rest */
	char text[WIDTH_MAX + 2 * TRACE_DIGITS_MAX + 4] __uninitialized;
	char *stop = text + sizeof(text) - TRACE_DIGITS_MAX, *from;
	unsigned int len, head;

	if (letter == 'x' || letter == 'X')
		from = hex_before(stop, val, letter == 'X');
	else
		from = trace_digits_before(stop, val);
	if (likely(!c->width && !c->alt && end - p > TRACE_DIGITS_MAX + 1)) {
		if (minus)
			*p++ = '-';
		return trace_put_digits(p, from, stop);
	}
	head = minus ? 1 : c->alt ? 2 : 0;
	if (c->zeros && !c->left) {
		for (len = stop - from; len + head < c->width; len++)
			*--from = '0';
	}
	if (minus) {
		*--from = '-';
	} else if (head) {
		*--from = letter;
		*--from = '0';
	}
	return put_padded(p, end, c, from, stop - from);
}

static u64 cut(u64 val, unsigned int bytes, bool is_signed)
{
	int shift = 64 - 8 * bytes;

	return is_signed ? (u64)((s64)(val << shift) >> shift) : val << shift >> shift;
}

/* What is quickly said; -1 if @fmt has something else, or there is too little room. */
static int print_quickly(char *buf, size_t size, const char *fmt, va_list args)
{
	char *p = buf, *end = buf + size, *last = end - 1;
	struct conversion c;
	const char *str;
	bool is_signed;
	u64 val;

	for (;; fmt++) {
		for (; *fmt != '%'; fmt++) {
			if (!*fmt)
				goto done;
			if (unlikely(p >= last))
				return -1;
			*p++ = *fmt;
		}
		if (unlikely(fmt[1] == '%')) {
			if (unlikely(p >= last))
				return -1;
			*p++ = *fmt++;
			continue;
		}
		fmt = parse_conversion(fmt + 1, &c);
		if (unlikely(c.width > WIDTH_MAX))
			return -1;
		switch (*fmt) {
		case 'd':
		case 'i':
		case 'u':
			if (c.alt)
				return -1;
			fallthrough;
		case 'x':
		case 'X':
			is_signed = *fmt == 'd' || *fmt == 'i';
			if (c.bytes == sizeof(long))
				val = va_arg(args, unsigned long);
			else
				val = cut(va_arg(args, unsigned int), c.bytes, is_signed);
			if (is_signed && (s64)val < 0)
				p = put_value(p, end, &c, -val, true, *fmt);
			else
				p = put_value(p, end, &c, val, false, *fmt);
			break;
		case 's':
			/* (null) and (efault) are the library's, and so are %ls and others */
			str = va_arg(args, const char *);
			if (c.zeros || c.alt || c.bytes != sizeof(int) ||
			    (unsigned long)str < PAGE_SIZE || IS_ERR(str))
				return -1;
			p = put_padded(p, end, &c, str, strlen(str));
			break;
		case 'c':
			if (c.width || c.zeros || c.alt || c.bytes != sizeof(int) || end - p < 2)
				return -1;
			*p++ = va_arg(args, int);
			break;
		default:
			return -1;
		}
		if (unlikely(!p))
			return -1;
	}
done:
	*p = '\0';
	return p - buf;
}

/**
 * trace_vsnprintf - vsnprintf()
 * @buf:	room for the text
 * @size:	of @buf, not 0
 * @fmt:	format
 * @args:	its arguments
 *
 * Context: any. Return: as vsnprintf() does.
 */
int trace_vsnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	va_list copy;
	int len;

	va_copy(copy, args);
	len = print_quickly(buf, size, fmt, copy);
	va_end(copy);
	return len >= 0 ? len : vsnprintf(buf, size, fmt, args);
}

/**
 * trace_us_text - a duration as graphs and profiles have it: "0.123 us    "
 * @text:	set to microseconds with as many decimals as seven digits leave room for, three at
 *		most, and blanks behind them up to a width of twelve
 * @ns:		the duration
 *
 * Context: any.
 */
void trace_us_text(char text[TRACE_US_TEXT], u64 ns)
{
	int len, decimals, blanks;
	u32 rest;
	u64 us = div_u64_rem(ns, 1000, &rest);

	len = scnprintf(text, TRACE_US_TEXT, "%llu", us);
	decimals = clamp(7 - len, 0, 3);
	if (decimals)
		len += scnprintf(text + len, decimals + 2, ".%03u", rest);
	blanks = max(8 - len, 0);
	memcpy(text + len, " us ", 4);
	memset(text + len + 4, ' ', blanks);
	text[len + 4 + blanks] = '\0';
}
