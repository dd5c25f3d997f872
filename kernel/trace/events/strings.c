// SPDX-License-Identifier: GPL-2.0-only
/*
 * What probes do with strings in place of strlen() and memcpy(), where those go byte by byte:
 * riscv64, as long as it is not known that all its CPUs read words anywhere; memcpy() on x86_64.
 */
#include <linux/export.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/unaligned.h>
#include <trace/stages/strlen.h>

#include "by_words.h"

#ifdef TRACE_EVENT_STRINGS_BY_WORDS

/* From here on memcpy() is the better one. */
#define LONG_STRING	128

/**
 * __trace_event_strlen - strlen() for the strings of events
 * @s: string
 *
 * Context: any.
 * Return: its length.
 */
size_t __trace_event_strlen(const char *s)
{
	return strlen_by_words(s);
}
EXPORT_SYMBOL_GPL(__trace_event_strlen);

/**
 * __trace_event_copy - memcpy() for the strings of events
 * @to: in a record
 * @from: string
 * @len: bytes
 *
 * Context: any.
 */
void __trace_event_copy(void *to, const void *from, size_t len)
{
	if (unlikely(len >= LONG_STRING))
		memcpy(to, from, len);
	else
		copy_by_words(to, from, len);
}
EXPORT_SYMBOL_GPL(__trace_event_copy);

#endif /* TRACE_EVENT_STRINGS_BY_WORDS */

#ifdef TRACE_EVENT_COPIES_FROM_ENDS
static __always_inline void copy_word(void *to, const void *from, size_t at)
{
	put_unaligned(get_unaligned((const u64 *)(from + at)), (u64 *)(to + at));
}

/**
 * __trace_event_copy - memcpy() for the strings of events
 * @to: in a record
 * @from: string
 * @len: bytes
 *
 * Words from both ends, which may overlap in the middle.
 *
 * Context: any.
 */
void __trace_event_copy(void *to, const void *from, size_t len)
{
	if (len - 2 * sizeof(u64) <= 2 * sizeof(u64)) {
		copy_word(to, from, 0);
		copy_word(to, from, sizeof(u64));
		copy_word(to, from, len - 2 * sizeof(u64));
		copy_word(to, from, len - sizeof(u64));
	} else if (len - sizeof(u64) < sizeof(u64)) {
		copy_word(to, from, 0);
		copy_word(to, from, len - sizeof(u64));
	} else {
		memcpy(to, from, len);
	}
}
EXPORT_SYMBOL_GPL(__trace_event_copy);

#endif /* TRACE_EVENT_COPIES_FROM_ENDS */
