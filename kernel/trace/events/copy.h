/* SPDX-License-Identifier: GPL-2.0-only */
/* From where a record was built to its slot: short, and of whole words but for its end. */
#ifndef _KERNEL_TRACE_EVENTS_COPY_H
#define _KERNEL_TRACE_EVENTS_COPY_H

#include <linux/math.h>
#include <linux/trace_events.h>
#include <linux/unaligned.h>

#include "../operands.h"
#include "by_words.h"

/* For copy_fields(): as a whole in registers before it is stored. */
struct copy_pair {
	u64	low;
	u64	high;
} __packed;

static __always_inline void copy_pair(void *to, const void *from)
{
	*(struct copy_pair *)to = *(const struct copy_pair *)from;
}

static __always_inline void copy_word(void *to, const void *from)
{
	put_unaligned(get_unaligned((const u64 *)from), (u64 *)to);
}

/*
 * All behind the header, which is not filled in yet and may be overwritten in @to. Both begin at a
 * multiple of 4, of 8 where that is needed, and have room up to one.
 */
static __always_inline void copy_fields(void *to, const void *from, unsigned long len)
{
	unsigned long at = sizeof(struct trace_entry), last = len - sizeof(struct copy_pair);

	if (IS_ENABLED(CONFIG_HAVE_64BIT_ALIGNED_ACCESS)) {
		const u64 *word;

		len += sizeof(u32) - 1;	/* if less than half a word is missing, it is whole */
		to += at;
		word = copy_words(&to, from + at, from + round_down(len, sizeof(u64)));
		if (len & sizeof(u32))
			*(u32 *)to = *(const u32 *)word;
		return;
	}
	if (unlikely(len < sizeof(struct copy_pair))) {
		last = len - sizeof(u64);
		put_unaligned(get_unaligned((const u64 *)(from + last)), (u64 *)(to + last));
		return;
	}
	/* The last pair may overlap the one before, or the header. */
	for (; at < last; at += sizeof(struct copy_pair))
		copy_pair(to + at, from + at);
	copy_pair(to + last, from + last);
}

/* Where records are of whole words, for copy_record_words(): what is behind it in the last one. */
static __always_inline void copy_record_begin(void *from, unsigned long len)
{
	if (IS_ENABLED(CONFIG_HAVE_64BIT_ALIGNED_ACCESS) && !((len - 1) & sizeof(u32)))
		*(u32 *)(from + round_up(len, sizeof(u64)) - sizeof(u32)) = 0;
}

/* All of a record, up to @end of the room for it. */
static __always_inline void copy_record_words(void *to, const void *from, const void *end)
{
	*(u64 *)to = *(const u64 *)from;
	to += sizeof(u64);
	from += sizeof(u64);
	/* not copy_words(): where @from ends would be one register more, and make a stack frame */
	for (; to < end; from += sizeof(u64), to += sizeof(u64)) {
		OPTIMIZER_HIDE_VAR(from);	/* as there */
		*(u64 *)to = *(const u64 *)from;
	}
}

/* All of a record; as copy_fields(), but with the header, and most are not longer than a pair. */
static __always_inline void copy_record(void *to, const void *from, unsigned long len)
{
	unsigned long at = sizeof(struct trace_entry), last = len - sizeof(struct copy_pair);
	const void *end = from + last;

	put_unaligned(*(const u64 *)from, (u64 *)to);
	if (TRACE_FEW_REGISTERS) {
		long at = len - sizeof(u64) - 1;

		/*
		 * From its end, so that nothing but its length says where; the last may overlap.
		 * One less than where the word is has the sign that says that it is the last.
		 */
		do {
			copy_word(to + at + 1, from + at + 1);
			at -= sizeof(u64);
		} while (at >= 0);
		return;
	}
	/* Something is between header and last pair, or the record is too short for a pair. */
	if (unlikely(last > at)) {
		if (len < sizeof(struct copy_pair)) {
			at = len - sizeof(u64);
			put_unaligned(get_unaligned((const u64 *)(from + at)), (u64 *)(to + at));
			return;
		}
		/* up to the last one, which is known: with @last GCC works out another end */
		for (; from + at < end; at += sizeof(struct copy_pair))
			copy_pair(to + at, from + at);
	}
	copy_pair(to + last, end);
}

#endif /* _KERNEL_TRACE_EVENTS_COPY_H */
