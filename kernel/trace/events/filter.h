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
#include <linux/log2.h>
#include <linux/trace_events.h>
#include <linux/unaligned.h>

#include "../glob.h"
#include "../operands.h"

/* where a test goes on: how many bytes further down, hence never 0, or one of these */
#define FILTER_REJECT		0
#define FILTER_ACCEPT		(-1)
#define FILTER_BITS		(-2)	/* in filter_test::no alone: it is of bits */
#define FILTER_GENERAL		(-3)	/* in filter_test::no alone: a general test */
#define FILTER_MAX_TESTS	0x7fffU

/* Of those below 0: not FILTER_BITS. A constant to compare with would be loaded for each record. */
#define FILTER_NOT_BITS		1
static_assert(FILTER_ACCEPT & FILTER_GENERAL & ~FILTER_BITS & FILTER_NOT_BITS);

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
	FILTER_VS_SOURCE,	/* number compared with one from @other_source */
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

struct filter_pattern {
	struct trace_glob	glob;
	bool			not;	/* matches what the rest does not */
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
struct filter_general {
	enum filter_source	source;
	enum filter_check	check;
	bool			not;	/* holds when the check does not, if there is a value */
	enum filter_op		op;	/* FILTER_VS_FIELD, _SOURCE */
	struct filter_number	number;
	union {
		struct {
			u64			mask;
			struct filter_range	range;	/* FILTER_IN_RANGE */
		};
		struct {
			struct filter_number	other;
			enum filter_source	other_source;
		};
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
 * eight are taken that end with the number, so that it stands at the upper end of the word; what
 * else is in there is below it, and whatever it is, it does not lead out of the range or into it.
 * Elsewhere the number is loaded as what it is and shifted up. Signs need no care: a range may go
 * past zero, as the number itself does.
 *
 * A test of bits is a range that takes nothing, and whose ->no tells what it is. So it costs a
 * little more than a range, and that nothing. So it is with a general test, which needs more than a
 * word: who comes to one and has only words to ask leaves the program to filter_match_preds().
 */
#if defined(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) && !defined(CONFIG_CPU_BIG_ENDIAN)
#define FILTER_LOADS_WORDS	1
#else
#define FILTER_LOADS_WORDS	0
#endif

/* In filter_test::offset, so that a struct trace_event_buffer with the record does. */
#define FILTER_BIAS		offsetof(struct trace_event_buffer, scratch)

/*
 * filter_test::width of a number of @size bytes: 0 for 4, which most have, -1 for 8, 1 for 2 and 2
 * for 1. So its sign and a bit tell them apart, and nobody has to load a constant to compare with.
 */
#define filter_width(size)	(2 - ilog2(size))

/**
 * struct filter_test - a test of a program
 * @offset:	of what is loaded, in the record, and FILTER_BIAS
 * @no:		where it goes on when it does not hold, or FILTER_BITS, FILTER_GENERAL
 * @low:	of a range: word - low < count, all of it shifted up; or the bits, any of them
 * @general:	what is neither: a general test
 * @count:	of the numbers that it takes; 0 for bits, of a general test, and if it takes none
 * @yes:	where it goes on when it holds
 * @none:	instead of @no, if that is FILTER_BITS or FILTER_GENERAL
 * @width:	of the number, filter_width(); it is aligned to that unless FILTER_LOADS_WORDS
 * @is_general:	see @general
 */
struct filter_test {
	u32	offset;
	s32	no;
	union {
		u64			low;
		const struct filter_general	*general;
	};
	u64	count;
	s32	yes;
	s32	none;
	s8	width;
	bool	is_general;
};

/**
 * struct event_filter - a filter in force, or what is left of one that was refused
 * @reads_header: asks for common fields, which have to be filled in first
 * @text:	as the user wrote it; with no tests it is "none"
 * @refused:	what the file shows instead since a filter was refused, or NULL; event_mutex
 * @gone:	in its place: the next of those that were taken away with it
 * @nr:		tests; 0: everything passes
 * @tests:	the program; one of FILTER_GENERAL if there is none, for filter_run_words()
 */
struct event_filter {
	bool			reads_header;
	unsigned int		nr;
	char			*text;
	union {
		char			*refused;
		struct event_filter	*gone;
	};
	struct filter_test	tests[] __counted_by(nr);
};

/* Where there is no test, and what a general test is made from: it has no word to ask. */
#define FILTER_NO_TEST	\
	{ .offset = FILTER_BIAS, .no = FILTER_GENERAL, .width = filter_width(sizeof(u64)) }

/* Of an event that has no filter: a probe that has seen the flag of one finds something. */
extern struct event_filter event_filter_none;

/* filter.c */
void filter_general_free(const struct filter_general *general);
/* for strings elsewhere in memory; task, event_mutex; NULL: no memory */
struct string_buffers __percpu *filter_buffers(void);
void event_filter_free(struct event_filter *filter);

/* @at: where the word is */
static __always_inline u64 filter_word(const struct filter_test *test, const void *at)
{
	if (FILTER_LOADS_WORDS)
		return get_unaligned((u64 *)at);
	if (!test->width)
		return (u64)*(u32 *)at << 32;
	if (test->width < 0)
		return *(u64 *)at;
	if (test->width & 1)
		return (u64)*(u16 *)at << 48;
	return (u64)*(u8 *)at << 56;
}

static __always_inline bool filter_word_holds(const struct filter_test *test, const void *rec)
{
	u64 word = filter_word(test, rec + test->offset - FILTER_BIAS);

	return test->no == FILTER_BITS ? word & test->low : word - test->low < test->count;
}

static __always_inline s32 filter_goes_on(const struct filter_test *test, bool holds)
{
	if (holds)
		return test->yes;
	return test->no < FILTER_ACCEPT ? test->none : test->no;
}

/*
 * filter_match_preds() for a record in @fbuffer->scratch, whose header need not be there, as far as
 * that goes with tests of words: FILTER_ACCEPT, FILTER_REJECT, or FILTER_GENERAL for all the rest.
 */
static __always_inline s32 filter_run_words(const struct event_filter *filter,
					    const struct trace_event_buffer *fbuffer)
{
	for (;;) {
		u64 word = filter_word(&filter->tests[0],
				       (const void *)fbuffer + filter->tests[0].offset);
		s32 next;

		/* apart, so that what is rejected at once jumps only once */
		if (word - filter->tests[0].low < filter->tests[0].count) {
			next = filter->tests[0].yes;
			if (next < 0)
				return FILTER_ACCEPT;
			if (next == FILTER_REJECT)
				return FILTER_REJECT;
		} else {
			if (TRACE_FEW_REGISTERS) {
				/* with operands in memory, and nothing kept for what is rare */
				if (!trace_is_set(filter->tests[0].no))
					return FILTER_REJECT;
				next = READ_ONCE(filter->tests[0].no);
			} else {
				next = filter->tests[0].no;
				if (next == FILTER_REJECT)
					return FILTER_REJECT;
				OPTIMIZER_HIDE_VAR(next);	/* one test at a time */
			}
			if (unlikely(next < 0)) {
				if (next & FILTER_NOT_BITS)
					return next == FILTER_ACCEPT ? FILTER_ACCEPT :
								       FILTER_GENERAL;
				if (TRACE_FEW_REGISTERS) {
					barrier();
					word = filter_word(&filter->tests[0],
							   (const void *)fbuffer +
							   filter->tests[0].offset);
				}
				next = word & filter->tests[0].low ? filter->tests[0].yes :
								     filter->tests[0].none;
				if (next <= 0)
					return next ? FILTER_ACCEPT : FILTER_REJECT;
			}
		}
		/* where the filter would begin if it began with that test */
		filter = (const void *)filter + next;
	}
}

#endif /* _KERNEL_TRACE_EVENTS_FILTER_H */
