/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the write path knows of filters: programs, and how they are run. filter/ makes them of
 * texts.
 *
 * A program is an array of tests. Each says which test comes next when it holds and when it does
 * not, always one further down, or that the record is accepted or rejected. So it ends
 * after at most as many steps as it has tests, and nothing in it is recursive.
 */
#ifndef _KERNEL_TRACE_EVENTS_FILTER_H
#define _KERNEL_TRACE_EVENTS_FILTER_H

#include <linux/cpumask.h>
#include <linux/trace_events.h>
#include <linux/unaligned.h>

/* where a test goes on; what is not negative is the index of a test */
#define FILTER_REJECT		(-2)
#define FILTER_ACCEPT		(-1)
#define FILTER_MAX_TESTS	0x7fffU

/* where a value is */
enum filter_source {
	FILTER_FROM_NUMBER,	/* a number in the record */
	FILTER_FROM_CPU,	/* that the event is on */
	FILTER_FROM_TGID,	/* of the current task */
	FILTER_FROM_CGROUP,	/* its number, of the current task's in the default hierarchy */
	FILTER_FROM_NOWHERE,	/* there is no such value: never holds */
	FILTER_FROM_MASK,	/* __data_loc or __rel_loc, of words of bits */
	FILTER_FROM_ELEMENT,	/* of a dynamic array of numbers */
	FILTER_FROM_ARRAY,	/* characters in the record, as many as @size */
	FILTER_FROM_DYNAMIC,	/* __data_loc */
	FILTER_FROM_RELATIVE,	/* __rel_loc */
	FILTER_FROM_COMM,	/* of the current task */
	FILTER_FROM_KERNEL,	/* what a pointer in the record points to */
	FILTER_FROM_USER,
};

static inline bool filter_source_is_string(enum filter_source source)
{
	return source >= FILTER_FROM_ARRAY;
}

/* what is asked of it */
enum filter_check {
	FILTER_IN_RANGE,	/* number & mask within [low, low + span], modulo 2^64 */
	FILTER_IN_SET,		/* number in one of @ranges */
	FILTER_CPU_IN,		/* number of a CPU is in @cpus, or a mask has one in common */
	FILTER_CPU_IS,		/* the CPU, or the mask, is just @cpus */
	FILTER_VS_FIELD,	/* number compared with another one of the record */
	FILTER_STRING,		/* string matches one of @patterns */
};

enum filter_op {
	FILTER_EQ,
	FILTER_NE,
	FILTER_LE,
	FILTER_LT,
	FILTER_GE,
	FILTER_GT,
	FILTER_BAND,
	FILTER_GLOB,
	FILTER_IN,
};

enum filter_pattern_type {
	FILTER_MATCH_FULL,
	FILTER_MATCH_FRONT,
	FILTER_MATCH_MIDDLE,
	FILTER_MATCH_END,
	FILTER_MATCH_GLOB,
};

struct filter_pattern {
	enum filter_pattern_type	type;
	unsigned int			len;
	bool				not;	/* matches what the rest does not */
	char				*text;	/* without the * that @type stands for */
};

/* Both ends included; as the number, extended to 64 bits by its sign. In a set: ascending. */
struct filter_range {
	u64	low;
	u64	high;
};

/* The place of a number in a record */
struct filter_number {
	u16	offset;
	u16	size;		/* 1, 2, 4, 8; of an array of characters any */
	bool	is_signed;
	u32	index;		/* FILTER_FROM_ELEMENT: which */
	bool	relative;	/* FILTER_FROM_ELEMENT, _MASK: __rel_loc */
};

struct string_buffers;

/* A test that is more than a range of a number in the record */
struct filter_odd {
	enum filter_source	source;
	enum filter_check	check;
	bool			not;	/* holds when the check does not, if there is a value */
	enum filter_op		op;	/* FILTER_VS_FIELD */
	struct filter_number	number;
	union {
		struct {
			u64			mask;
			struct filter_range	range;	/* FILTER_IN_RANGE */
		};
		struct filter_number	other;
		struct {
			unsigned int		nr;
			struct filter_range	*ranges;
			struct filter_pattern	*patterns;
			/* of a string elsewhere; here, so that who sees the test sees them */
			struct string_buffers __percpu *buffers;
		};
		struct cpumask		*cpus;
	};
};

/*
 * Nearly all tests are for a range of a number. Where eight bytes may be loaded from anywhere, the
 * eight are taken that end with the number, and it stands at the upper end of the word; what else
 * is in there is masked off. Elsewhere it is loaded as what it is and shifted up. Signs need no
 * care: a range may go past zero, as the number itself does.
 */
#if defined(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) && !defined(CONFIG_CPU_BIG_ENDIAN)
#define FILTER_LOADS_WORDS	1
#else
#define FILTER_LOADS_WORDS	0
#endif

struct filter_test {
	u16	offset;		/* of what is loaded, in the record */
	s16	yes;		/* next test, FILTER_ACCEPT or FILTER_REJECT */
	s16	no;
	u8	size;		/* of the number; it is aligned to that unless FILTER_LOADS_WORDS */
	bool	is_odd;		/* see @odd */
	union {
		struct {
			u64	mask;
			u64	low;	/* word & mask - low <= span, all of it shifted up */
			u64	span;
		};
		const struct filter_odd	*odd;
	};
};

/**
 * struct event_filter - a filter in force, or what is left of one that was refused
 * @words: all tests are of words behind the header: filter_run_words() does
 * @reads_header: asks for common fields, which have to be filled in first
 * @text:	as the user wrote it; with no tests it is "none"
 * @refused:	what the file shows instead since a filter was refused, or NULL; event_mutex
 * @nr:		tests; 0: everything passes
 * @tests:	the program
 */
struct event_filter {
	bool			words;
	bool			reads_header;
	unsigned int		nr;
	char			*text;
	char			*refused;
	struct filter_test	tests[] __counted_by(nr);
};

/* filter.c */
void filter_odd_free(const struct filter_odd *odd);
bool filter_glob(const char *pattern, const char *str, size_t len);
/* for strings elsewhere in memory; task, event_mutex; NULL: no memory */
struct string_buffers __percpu *filter_buffers(void);
void event_filter_free(struct event_filter *filter);

static __always_inline bool filter_word_holds(const struct filter_test *test, const void *rec)
{
	const void *at = rec + test->offset;
	u64 word;

	if (FILTER_LOADS_WORDS)
		word = get_unaligned((u64 *)at);
	else if (test->size == 4)
		word = (u64)*(u32 *)at << 32;
	else if (test->size == 8)
		word = *(u64 *)at;
	else if (test->size == 2)
		word = (u64)*(u16 *)at << 48;
	else
		word = (u64)*(u8 *)at << 56;
	return (word & test->mask) - test->low <= test->span;
}

/* filter_match_preds() for a filter with @words */
static __always_inline bool filter_run_words(const struct event_filter *filter, const void *rec)
{
	const struct filter_test *test = filter->tests;

	for (;;) {
		int next = filter_word_holds(test, rec) ? test->yes : test->no;

		if (next < 0)
			return next == FILTER_ACCEPT;
		test = filter->tests + next;
	}
}

#endif /* _KERNEL_TRACE_EVENTS_FILTER_H */
