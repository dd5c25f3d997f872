// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arguments of a message with a constant format, in binary.
 *
 * vbin_printf() does it for every format; finding out what a conversion means is most of what
 * it costs. Most messages have numbers only, and of those nothing matters but how long
 * they are. What is written is the same, word for word: bstr_printf() reads it.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "../graph_quiet.h"
#include "internal.h"

/* Flags, width and precision: they matter to who prints. */
static bool is_decoration(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == ' ' || c == '#' || c == '.';
}

/*
 * The arguments of @fmt into at most @nr words, if they are all numbers of 4 or 8 bytes.
 * Return: how many words, -1 if there is anything else, or too much.
 */
static int only_numbers(u32 *to, int nr, const char *fmt, va_list args)
{
	int at = 0;
	bool wide;
	char c;

	while ((c = *fmt++)) {
		if (likely(c != '%'))
			continue;
		c = *fmt++;
		if (c == '%')
			continue;
		while (is_decoration(c))
			c = *fmt++;
		wide = c == 'l' || c == 'z';
		if (wide) {
			c = *fmt++;
			if (c == 'l' && fmt[-2] == 'l')
				c = *fmt++;
		}
		if (c != 'd' && c != 'u' && c != 'x' && c != 'i' && c != 'X' && c != 'o')
			return -1;
		if (at + 1 + wide > nr)
			return -1;
		if (wide) {
			u64 value = va_arg(args, unsigned long);

			memcpy(&to[at], &value, sizeof(value));
			at += 2;
		} else {
			to[at++] = va_arg(args, unsigned int);
		}
	}
	return at;
}

/**
 * trace_printk_args - vbin_printf() for what is mostly printed
 * @to: where the arguments go
 * @nr: words that there is room for
 * @fmt: format
 * @args: arguments
 *
 * Context: any.
 * Return: how many words the arguments take; if they are more than @nr, they are not all there.
 */
int trace_printk_args(u32 *to, int nr, const char *fmt, va_list args)
{
	va_list again;
	int words;

	va_copy(again, args);
	words = only_numbers(to, nr, fmt, again);
	va_end(again);
	if (likely(words >= 0))
		return words;
	/* %pd and its like call what the graph would show */
	graph_quiet_begin();
	words = vbin_printf(to, nr, fmt, args);
	graph_quiet_end();
	return words;
}
