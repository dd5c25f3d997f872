/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Length and copy of a string, a word at a time, where words can only be read and written at a
 * multiple of their size. Little endian, 64 bits.
 *
 * A word at such an address lies in one page: what there is of it beside the string may be
 * anything's, but it can be read.
 */
#ifndef _KERNEL_TRACE_EVENTS_BY_WORDS_H
#define _KERNEL_TRACE_EVENTS_BY_WORDS_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/math.h>
#include <linux/types.h>
#include <linux/wordpart.h>

static __always_inline size_t strlen_by_words(const char *s)
{
	unsigned long ones = REPEAT_BYTE(0x01), tops;
	unsigned int before = (unsigned long)s % sizeof(long);
	const unsigned long *at = (const void *)(s - before);
	/* what lies before the string in its first word ends nothing */
	unsigned long word = *at | ((1UL << before * BITS_PER_BYTE) - 1), zeros;

	/* a constant is two loads, and its negative another one */
	OPTIMIZER_HIDE_VAR(ones);
	tops = ones << (BITS_PER_BYTE - 1);
	while (!(zeros = (word - ones) & ~word & tops))
		word = *++at;
	/*
	 * What is set now is the top bit of each zero byte, as in asm-generic/word-at-a-time.h, and
	 * perhaps of bytes above the lowest one, which do not matter. Make that a bit for each byte
	 * below the lowest, and add them up in the top byte of a product: not all have a ctz.
	 */
	zeros = (((zeros - 1) & ~zeros) >> 7) & ones;
	return (const char *)at - s + (zeros * ones >> (BITS_PER_LONG - BITS_PER_BYTE));
}

/* All words from @word up to @end. Return: @end; @to is behind them, too. */
static __always_inline const u64 *copy_words(void **to, const u64 *word, const u64 *end)
{
	while (word < end) {
		*(u64 *)*to = *word++;
		*to += sizeof(u64);
		OPTIMIZER_HIDE_VAR(word);	/* where it ends is not worked out */
		OPTIMIZER_HIDE_VAR(*to);
	}
	return word;
}

/* The first bytes of @word, as many as @len is above a multiple of 8. */
static __always_inline void copy_end(void *to, u64 word, size_t len)
{
	if (len & sizeof(u32)) {
		*(u32 *)to = word;
		to += sizeof(u32);
		word >>= 32;
	}
	if (len & sizeof(u16)) {
		*(u16 *)to = word;
		to += sizeof(u16);
		word >>= 16;
	}
	if (len & sizeof(u8))
		*(u8 *)to = word;
}

static __always_inline void copy_by_words(void *to, const void *from, size_t len)
{
	unsigned long both = (unsigned long)to | (unsigned long)from;
	size_t at = 0;

	if (likely(!(both % sizeof(u64)))) {
		const u64 *word = copy_words(&to, from, from + round_down(len, sizeof(u64)));

		if (len % sizeof(u64))
			copy_end(to, *word, len);
		return;
	}
	if (!(both % sizeof(u32)))
		for (; at + sizeof(u32) <= len; at += sizeof(u32))
			*(u32 *)(to + at) = *(const u32 *)(from + at);
	for (; at < len; at++)
		((u8 *)to)[at] = ((const u8 *)from)[at];
}

#endif /* _KERNEL_TRACE_EVENTS_BY_WORDS_H */
