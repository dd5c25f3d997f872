/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * strlen() for the strings of events, which are short: eight bytes at a time
 * from the first one on, without a call and without caring for alignment. Used
 * where such loads are cheap; what they touch behind the end, up to seven
 * bytes, is read as zero if it is not mapped.
 *
 * Where they are not, strlen() and memcpy() may go byte by byte: then both have a function of
 * ours in their place that goes by words (kernel/trace/events/strings.c), but where the
 * bytes beside a string are watched. memcpy() has one on x86_64, too.
 */
#ifndef _TRACE_STAGES_STRLEN_H
#define _TRACE_STAGES_STRLEN_H

#include <linux/bitops.h>
#include <linux/string.h>

#if defined(CONFIG_DCACHE_WORD_ACCESS) && defined(CONFIG_64BIT) &&	\
	defined(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) && !defined(CONFIG_CPU_BIG_ENDIAN)
#include <asm/word-at-a-time.h>

static __always_inline size_t __te_strlen_present(const char *s)
{
	unsigned long ones = REPEAT_BYTE(0x01);
	unsigned long word, zeros;
	const char *p = s - sizeof(word);

	/* or its negative is added, which takes longer to load */
	OPTIMIZER_HIDE_VAR(ones);
	do {
		p += sizeof(word);
		word = load_unaligned_zeropad(p);
		zeros = (word - ones) & ~word & REPEAT_BYTE(0x80);
	} while (!zeros);

	/* little endian: the lowest bit is that of the first zero */
	return p - s + __ffs(zeros) / BITS_PER_BYTE;
}

#ifdef CONFIG_X86_64
/* memcpy() is rep movsb there, which takes long to begin. */
#define TRACE_EVENT_COPIES_FROM_ENDS

void __trace_event_copy(void *to, const void *from, size_t len);

#define __te_copy(to, from, len)	__trace_event_copy(to, from, len)
#endif
#elif defined(CONFIG_64BIT) && !defined(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) &&	\
	!defined(CONFIG_CPU_BIG_ENDIAN) && !defined(CONFIG_KASAN) && !defined(CONFIG_KMSAN) && \
	!defined(CONFIG_KCSAN)
#define TRACE_EVENT_STRINGS_BY_WORDS

size_t __trace_event_strlen(const char *s);
void __trace_event_copy(void *to, const void *from, size_t len);

#define __te_strlen_present(s)		__trace_event_strlen(s)
#define __te_copy(to, from, len)	__trace_event_copy(to, from, len)
#else
#define __te_strlen_present(s)	strlen(s)
#endif

#ifndef __te_copy
#define __te_copy(to, from, len)	memcpy(to, from, len)
#endif

/* Length of a string, or of what stands for one that is not there. */
static __always_inline size_t __te_strlen(const char *s)
{
	return likely(s) ? __te_strlen_present(s) : strlen(EVENT_NULL_STR);
}

#endif /* _TRACE_STAGES_STRLEN_H */
