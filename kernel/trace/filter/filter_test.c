// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: what filters say of a record of the test's own, and what is no filter. */
#include <kunit/test.h>
#include <linux/cgroup.h>
#include <linux/kallsyms.h>
#include <linux/limits.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../events/internal.h"
#include "../tests/suite.h"
#include "internal.h"

struct record {
	struct trace_entry	ent;
	s8			s8_;
	u8			u8_;
	s16			s16_;
	u16			u16_;
	s32			s32_;
	u32			u32_;
	s64			s64_;
	u64			u64_;
	unsigned long		addr;
	u32			array[3];
	s16			shorts[2];
	char			name[8];
	u32			dyn;		/* char[] */
	u32			rel;		/* char[] */
	u32			mask;		/* cpumask */
	u32			numbers;	/* s32[] */
	const char		*ptr;
	char			longer[300];
	char			tail[64];
};

#define NUMBER(_type, _name)							\
	{ .type = #_type, .name = #_name, .size = sizeof(_type),		\
	  .align = __alignof__(_type), .is_signed = is_signed_type(_type) }
#define ARRAY(_type, _name, _len)						\
	{ .type = #_type "[" #_len "]", .name = #_name, .size = sizeof(_type[_len]), \
	  .align = __alignof__(_type), .is_signed = is_signed_type(_type), .len = _len }
#define LOC(_type, _name)							\
	{ .type = _type, .name = #_name, .size = 4, .align = 4, .is_signed = 1 }

static struct trace_event_fields declared[] = {
	NUMBER(s8, s8_), NUMBER(u8, u8_), NUMBER(s16, s16_), NUMBER(u16, u16_),
	NUMBER(s32, s32_), NUMBER(u32, u32_), NUMBER(s64, s64_), NUMBER(u64, u64_),
	NUMBER(unsigned long, addr),
	ARRAY(u32, array, 3), ARRAY(s16, shorts, 2), ARRAY(char, name, 8),
	LOC("__data_loc char[]", dyn), LOC("__rel_loc char[]", rel),
	LOC("__data_loc cpumask_t", mask), LOC("__data_loc s32[]", numbers),
	NUMBER(const char *, ptr), ARRAY(char, longer, 300),
	{}
};

static struct trace_event_class class;
static struct trace_event_call call = { .class = &class, .name = "kunit" };
static struct record rec;

#define TAIL(_at)	(offsetof(struct record, tail) + (_at))

static void set_loc(u32 *loc, unsigned int at, unsigned int len, unsigned int from)
{
	*loc = len << 16 | (TAIL(at) - from);
}

static int filter_init(struct kunit *test)
{
	static const s32 numbers[] = { 7, -8 };

	class = (struct trace_event_class){
		.system = "kunit",
		.fields_array = declared,
		.fields = LIST_HEAD_INIT(class.fields),
	};
	scoped_guard(mutex, &event_mutex)
		KUNIT_ASSERT_EQ(test, event_fields_define(&call), 0);

	memset(&rec, 0, sizeof(rec));
	rec.ent = (struct trace_entry){ .type = 0x1234, .flags = 0x81, .preempt_count = 3,
					.pid = -5 };
	memset(rec.name, 'x', sizeof(rec.name));	/* without an end */
	memset(rec.longer, 'l', sizeof(rec.longer) - 1);
	memcpy(rec.tail, "dynamic", 8);
	set_loc(&rec.dyn, 0, 8, 0);
	memcpy(rec.tail + 8, "relative", 8);		/* without an end */
	set_loc(&rec.rel, 8, 8, offsetof(struct record, rel) + 4);
	memcpy(rec.tail + 16, numbers, sizeof(numbers));
	set_loc(&rec.numbers, 16, sizeof(numbers), 0);
	*(unsigned long *)(rec.tail + 24) = 1;		/* CPU 0 */
	set_loc(&rec.mask, 24, sizeof(long), 0);
	rec.array[1] = 3;
	rec.shorts[1] = -2;
	rec.ptr = "pointed to";
	rec.addr = (unsigned long)schedule + 4;
	return 0;
}

static void filter_exit(struct kunit *test)
{
	guard(mutex)(&event_mutex);
	event_fields_destroy(&call);
}

static struct event_filter *make(struct kunit *test, const char *text)
{
	struct event_filter *filter = NULL;
	int ret;

	scoped_guard(mutex, &event_mutex)
		ret = event_filter_create(NULL, &call, text, &filter);
	KUNIT_EXPECT_EQ_MSG(test, ret, 0, "%.200s", text);
	return filter;
}

/* What the write path says of a record that it has on its stack: FILTER_GENERAL if it cannot */
static s32 quick_verdict(const struct event_filter *filter)
{
	static struct trace_event_buffer fbuffer;

	memcpy(fbuffer.scratch, &rec, min(sizeof(rec), sizeof(fbuffer.scratch)));
	return filter_run_words(filter, &fbuffer);
}

/* All tests are of what is in the first bytes of the record. */
static bool is_quick(const struct event_filter *filter)
{
	for (unsigned int i = 0; i < filter->nr; i++)
		if (filter->tests[i].offset - FILTER_BIAS + sizeof(u64) > TRACE_EVENT_SCRATCH)
			return false;
	return true;
}

static unsigned int nr_quick;	/* verdicts of both */

static bool verdict(struct event_filter *filter)
{
	bool passes;

	guard(preempt)();
	passes = filter_match_preds(filter, &rec);
	if (filter && is_quick(filter)) {
		s32 quick = quick_verdict(filter);

		nr_quick += quick != FILTER_GENERAL;
		/* which the caller does not expect */
		if (quick != FILTER_GENERAL && quick != (passes ? FILTER_ACCEPT : FILTER_REJECT))
			return !passes;
	}
	return passes;
}

/* The record passes, or not. */
static void says(struct kunit *test, bool passes, const char *text)
{
	struct event_filter *filter = make(test, text);

	if (!filter)
		return;
	KUNIT_EXPECT_EQ_MSG(test, verdict(filter), passes, "%s", text);
	KUNIT_EXPECT_STREQ(test, event_filter_text(filter), text);
	event_filter_free(filter);
}

#define PASSES(_text)	says(test, true, _text)
#define REJECTS(_text)	says(test, false, _text)

/* The text is refused, with the caret at @pos. */
static void refused(struct kunit *test, const char *text, enum filter_error error, size_t pos)
{
	struct event_filter *filter = NULL;
	struct filter_parse p = { .call = &call, .text = text };

	guard(mutex)(&event_mutex);
	KUNIT_EXPECT_EQ_MSG(test, filter_compile(&p, &filter), -EINVAL, "%.200s", text);
	KUNIT_EXPECT_NULL(test, filter);
	KUNIT_EXPECT_STREQ_MSG(test, filter_error_text(p.error), filter_error_text(error), "%.200s",
			       text);
	KUNIT_EXPECT_EQ_MSG(test, p.error_pos, pos, "%.200s", text);
	event_filter_free(filter);
}

#define REFUSED(_text, _error, _pos)	refused(test, _text, FILTER_ERR_##_error, _pos)

/* --- the language */

/* All tests of four that hold or not, with two operators, !, and parentheses in two places */
static void precedence(struct kunit *test)
{
	static const char * const ops[] = { "&&", "||" };
	char text[128];

	for (int bits = 0; bits < 16; bits++) {
		bool v[4];
		char t[4][16];

		for (int i = 0; i < 4; i++) {
			v[i] = bits >> i & 1;
			snprintf(t[i], sizeof(t[i]), "u32_ %s %d", i & 1 ? ">=" : "==", i + 1);
			/* u32_ is 0: neither holds */
			if (v[i])
				snprintf(t[i], sizeof(t[i]), i & 1 ? "u8_ == 0" : "!u32_ > %d", i);
		}
		for (int op = 0; op < 8; op++) {
			bool ab = op & 1, bc = op & 2, cd = op & 4;	/* or */
			bool left = false, term = v[0];

			/* && first */
			for (int i = 1; i < 4; i++) {
				bool or = i == 1 ? ab : i == 2 ? bc : cd;

				left |= or && term;
				term = or ? v[i] : term && v[i];
			}
			snprintf(text, sizeof(text), "%s %s %s%s%s %s%s", t[0], ops[ab], t[1],
				 ops[bc], t[2], ops[cd], t[3]);
			says(test, left || term, text);

			left = ab ? v[0] || v[1] : v[0] && v[1];
			term = cd ? v[2] || v[3] : v[2] && v[3];
			snprintf(text, sizeof(text), "(%s %s %s) %s (%s %s %s)", t[0], ops[ab],
				 t[1], ops[bc], t[2], ops[cd], t[3]);
			says(test, bc ? left || term : left && term, text);

			snprintf(text, sizeof(text), "!(%s %s %s) %s !!!(%s %s %s)", t[0], ops[ab],
				 t[1], ops[bc], t[2], ops[cd], t[3]);
			says(test, bc ? !left || !term : !left && !term, text);
		}
	}
}

static void spaces(struct kunit *test)
{
	PASSES("  u8_==0");
	PASSES("u8_ \t==\n 0&&u16_==0||u8_==1");
	PASSES("((u8_==0))");
	PASSES("! u8_ == 1");
	PASSES("!! (u8_ == 0)");
}

static void errors(struct kunit *test)
{
	REFUSED("", NO_FILTER, 0);
	REFUSED("!", NO_FILTER, 1);
	REFUSED("u8_", INVALID_OP, 4);
	REFUSED("u8_ ==", INVALID_VALUE, 7);
	REFUSED("u8_ = 3", INVALID_OP, 5);
	REFUSED("u8_ === 3", INVALID_VALUE, 7);
	REFUSED("none == 3", FIELD_NOT_FOUND, 5);
	REFUSED("u8_ == 0 || none", FIELD_NOT_FOUND, 17);
	REFUSED("u8-8 == 1", FIELD_NOT_FOUND, 3);
	REFUSED("(u8_ == 3", TOO_MANY_OPEN, 0);
	REFUSED("u8_ == 3 && ((u8_ == 4)", TOO_MANY_OPEN, 12);
	REFUSED("u8_ == 3)", TOO_FEW_OPEN, 8);
	REFUSED("(\"u8_ == 3", MISSING_QUOTE, 1);
	REFUSED("name == 'a", MISSING_QUOTE, 8);
	REFUSED("u8_ == 3 &&", INVALID_FILTER, 11);
	REFUSED("u8_ == 3 && !", INVALID_FILTER, 13);
	REFUSED("u8_ == 3 & u8_ == 4", TOO_MANY_PREDS, 9);
	REFUSED("u8_ == 3 u8_ == 4", TOO_MANY_PREDS, 9);
	REFUSED("u8_ == 3;", TOO_MANY_PREDS, 8);
	REFUSED("()", EXPECT_FIELD, 1);
	REFUSED("&& u8_ == 3", EXPECT_FIELD, 0);
	REFUSED("u8_ == 1 && && u8_ == 1", EXPECT_FIELD, 12);
	REFUSED("u8_ == 1 && (u8_ == 1 ||)", EXPECT_FIELD, 24);
	REFUSED("u8_ ~ 3", ILLEGAL_FIELD_OP, 7);
	REFUSED("u8_ == \"3\"", EXPECT_DIGIT, 8);
	REFUSED("name == 3", EXPECT_STRING, 9);
	REFUSED("name < \"x\"", ILLEGAL_FIELD_OP, 8);
	REFUSED("u8_ == 08", ILLEGAL_INTVAL, 8);
	REFUSED("u8_ == -1", ILLEGAL_INTVAL, 8);
	REFUSED("s64_ == 9223372036854775808", ILLEGAL_INTVAL, 9);
	REFUSED("u64_ == 18446744073709551616", ILLEGAL_INTVAL, 9);
	REFUSED("u64_ == 000000000000000000000000", OPERAND_TOO_LONG, 33);
	REFUSED("name == foo", INVALID_VALUE, 9);
	REFUSED("u8_.function == schedule", ILLEGAL_FIELD_OP, 17);
	REFUSED("addr.function < schedule", INVALID_OP, 17);
	REFUSED("addr.function == no_such_function", NO_FUNCTION, 34);
	REFUSED("addr.function == 0x1000", NO_FUNCTION, 24);
	REFUSED("ptr.ustringx == \"x\"", INVALID_OP, 12);
	REFUSED("CPU & CPUS", MISSING_BRACE_OPEN, 12);
	REFUSED("CPU & CPUS{0", MISSING_BRACE_CLOSE, 13);
	REFUSED("CPU & CPUS{}", INVALID_CPULIST, 12);
	REFUSED("CPU & CPUS{a}", INVALID_CPULIST, 13);
	REFUSED("CPU < CPUS{0}", ILLEGAL_FIELD_OP, 7);
	REFUSED("name == CPUS{0}", ILLEGAL_FIELD_OP, 9);
}

/* type_min() casts what does not fit into small unsigned types, which sparse minds. */
#define LEAST(_type)	(is_signed_type(_type) ? -type_max(_type) - 1 : 0)

/* Each type's ends and their neighbours with each operator, against C's own comparison */
#define NUMBERS(_field, _type, _fmt)						\
do {										\
	static const _type values[] = {						\
		LEAST(_type), LEAST(_type) + 1, -1, 0, 1, 2, 127, -128,	\
		type_max(_type) / 2, type_max(_type) - 1, type_max(_type) };	\
										\
	for (int i = 0; i < ARRAY_SIZE(values); i++) {				\
		for (int j = 0; j < ARRAY_SIZE(values); j++) {			\
			_type a = values[i], b = values[j];			\
			bool holds[] = { a == b, a != b, a < b, a <= b, a > b, a >= b, a & b }; \
										\
			rec._field = a;						\
			for (int op = 0; op < ARRAY_SIZE(ops); op++) {		\
				snprintf(text, sizeof(text), #_field " %s " _fmt, ops[op], b); \
				says(test, holds[op], text);			\
			}							\
		}								\
	}									\
	rec._field = 0;								\
} while (0)

static void numbers(struct kunit *test)
{
	static const char * const ops[] = { "==", "!=", "<", "<=", ">", ">=", "&" };
	char text[64];

	/* the neighbours must not matter */
	memset(&rec.s8_, 0xa5, offsetof(struct record, addr) - offsetof(struct record, s8_));
	NUMBERS(s8_, s8, "%d");
	NUMBERS(u8_, u8, "%u");
	NUMBERS(s16_, s16, "%d");
	NUMBERS(u16_, u16, "%u");
	NUMBERS(s32_, s32, "%d");
	NUMBERS(u32_, u32, "%u");
	NUMBERS(s64_, s64, "%lld");
	NUMBERS(u64_, u64, "%llu");
}

static void constants(struct kunit *test)
{
	rec.u32_ = 0x1f;
	PASSES("u32_ == 0x1f && u32_ == 037 && u32_ == 0X1F && u32_ == 31");
	rec.s32_ = -16;
	PASSES("s32_ == -0x10");
	/* in the type of the field, as the base takes them */
	PASSES("s32_ == 4294967280");
	PASSES("u8_ == 256");
	REJECTS("u16_ < 65536");
	REJECTS("u32_ & 0x100000000");
}

static void common_fields(struct kunit *test)
{
	PASSES("common_type == 0x1234");
	REJECTS("common_type != 0x1234");
	PASSES("common_type != 0x1235 && common_type < 0x1235 && common_type > 0x1233");
	PASSES("common_flags == 0x81 && common_flags & 0x80 && !common_flags & 0x40");
	PASSES("common_preempt_count == 3 && common_preempt_count != 2");
	REJECTS("common_preempt_count != 3 || common_preempt_count >= 4");
	PASSES("common_pid == -5 && common_pid < 0 && common_pid > -6");

	for (int i = 0; i < 2; i++) {
		struct event_filter *filter = make(test, i ? "u8_ == 1 || common_pid == 1" :
							     "u8_ == 1 && s8_ > 3");

		KUNIT_ASSERT_NOT_NULL(test, filter);
		KUNIT_EXPECT_EQ(test, filter->reads_header, i);
		event_filter_free(filter);
	}
}

static void strings(struct kunit *test)
{
	PASSES("name == \"xxxxxxxx\"");		/* no NUL */
	REJECTS("name == \"xxxxxxx\"");
	REJECTS("name == \"xxxxxxxxx\"");
	REJECTS("name == \"xxxxxxxxdynamic\"");
	PASSES("name ~ \"x*\" && name ~ \"*x\" && name ~ \"*xx*\"");
	REJECTS("name ~ \"*y*\"");
	PASSES("rel == \"relative\" && rel ~ \"*tive\" && rel ~ \"?elat?ve\"");
	REJECTS("rel ~ \"relative?\" || rel ~ \"relative?*\"");
	PASSES("dyn == 'dynamic' && dyn != \"dynami\" && dyn != \"dynamics\"");
	PASSES("dyn ~ \"d*c\" && dyn ~ \"*nam*\" && dyn ~ \"dyn*\" && dyn ~ \"*mic\"");
	REJECTS("dyn ~ \"dyn\"");
	PASSES("dyn ~ \"!dyn\"");
	REJECTS("dyn ~ \"!dyn*\"");
	PASSES("dyn ~ \"*\" && dyn ~ \"**\" && dyn ~ \"*d*\" && dyn ~ \"[a-d]yn[!b-z]mic\"");
	REJECTS("dyn ~ \"\" || dyn == \"\"");
	PASSES("ptr == \"pointed to\" && ptr ~ \"*ed t*\"");
	rec.name[0] = '\0';
	PASSES("name == \"\" && name ~ \"*\"");
	REJECTS("name ~ \"?*\"");
	/* bytes that are no letters */
	rec.name[0] = '\xff';
	rec.name[1] = '\x01';
	PASSES("name ~ \"\xff\x01*\" && name ~ \"[\xf0-\xff]?x*\"");

	/* an empty field */
	rec.dyn = TAIL(0);
	PASSES("dyn == \"\" && dyn != \"d\"");
	REJECTS("dyn ~ \"d*\"");
}

static void pointers(struct kunit *test)
{
	char *text;

	if (IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "user mode Linux dies where memory is not there");
	text = vmalloc(PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, text);
	/* what is not there is neither equal nor different */
	for (int i = 0; i < 2; i++) {
		rec.ptr = i ? (char *)16 : NULL;
		REJECTS("ptr == \"x\"");
		REJECTS("ptr != \"x\"");
		REJECTS("ptr ~ \"*\"");
		REJECTS("ptr.ustring == \"x\"");
		PASSES("!ptr == \"x\"");
	}
	/* up to the end of memory, and more than is copied */
	memset(text, 'a', PAGE_SIZE);
	rec.ptr = text;
	PASSES("ptr ~ \"aaa*\"");
	rec.ptr = text + PAGE_SIZE - 4;
	text[PAGE_SIZE - 1] = '\0';
	PASSES("ptr == \"aaa\"");
	vfree(text);
}

static void string_lengths(struct kunit *test)
{
	char text[400] = "longer == \"";
	size_t start = strlen(text);

	memset(text + start, 'l', 255);
	text[start + 255] = '"';
	REJECTS(text);
	rec.longer[255] = '\0';
	PASSES(text);

	memset(text + start, 'l', 256);
	text[start + 256] = '"';
	REFUSED(text, OPERAND_TOO_LONG, start + 257);
}

static void globs(struct kunit *test)
{
	static const struct {
		const char	*pattern;
		const char	*str;
		bool		matches;
	} cases[] = {
		{ "a*b*c", "abc", true }, { "a*b*c", "aXbbXc", true }, { "a*b*c", "acb", false },
		{ "*ab", "aab", true }, { "*ab*ab", "abab", true }, { "*ab*ab", "aba", false },
		{ "?", "", false }, { "?", "a", true }, { "?", "ab", false },
		{ "[a-c]", "b", true }, { "[!a-c]", "b", false }, { "[!a-c]", "d", true },
		{ "[]]", "]", true }, { "[!]a]", "]", false }, { "[a-]", "-", true },
		{ "[", "[", true }, { "[ab", "[ab", true }, { "x[", "x[", true },
		{ "\\*", "*", true }, { "\\*", "a", false }, { "a\\", "a\\", true },
		{ "*?*", "", false }, { "*?*", "a", true }, { "", "", true }, { "", "a", false },
	};

	for (int i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, trace_glob(cases[i].pattern, cases[i].str,
						     strlen(cases[i].str)), cases[i].matches,
				    "%s ~ %s", cases[i].str, cases[i].pattern);
}

static void functions(struct kunit *test)
{
	char text[128];

	PASSES("addr.function == schedule");
	REJECTS("addr.function != schedule");
	REJECTS("addr.function == kfree");
	PASSES("(addr.function == schedule)&&addr.function != kfree");
	snprintf(text, sizeof(text), "addr.function == 0x%lx", rec.addr + 4);
	PASSES(text);
	rec.addr = (unsigned long)schedule - 1;
	REJECTS("addr.function == schedule");
}

static void cpus(struct kunit *test)
{
	char text[64];

	PASSES("CPU >= 0 && cpu < 4096");
	snprintf(text, sizeof(text), "CPU & CPUS{0-%u}", nr_cpu_ids - 1);
	PASSES(text);
	REJECTS("CPU == -1");
	PASSES("u32_ & CPUS{0} && u32_ == CPUS{ 0 }");
	REJECTS("u32_ != CPUS{0}");
	PASSES("mask & CPUS{0} && mask == CPUS{0} && !mask != CPUS{0}");
	rec.u32_ = nr_cpu_ids;
	PASSES("u32_ != CPUS{0}");
	if (nr_cpu_ids > 1) {
		/* there is no such CPU */
		REJECTS("u32_ & CPUS{0-1} || u32_ != CPUS{0-1}");
		REJECTS("mask & CPUS{1} || mask == CPUS{1} || mask == CPUS{0-1}");
		PASSES("mask & CPUS{0-1} && mask != CPUS{0-1}");
		rec.u32_ = 1;
		PASSES("u32_ & CPUS{0-1} && u32_ != CPUS{0-1}");
	}
	/* a mask of no words has no CPU */
	rec.mask = TAIL(24);
	REJECTS("mask & CPUS{0} || mask == CPUS{0}");
}

static void task_fields(struct kunit *test)
{
	char text[64];

	snprintf(text, sizeof(text), "COMM == \"%s\" && comm ~ \"*%s\"", current->comm,
		 current->comm + 1);
	PASSES(text);
	snprintf(text, sizeof(text), "tgid == %d", current->tgid);
	PASSES(text);
	REJECTS("tgid == -1 || tgid < 0");
	REJECTS("STACKTRACE == 0 || stacktrace != 0 || array == 0 || array != 0");
}

/* --- beyond the base */

static void elements(struct kunit *test)
{
	PASSES("array[1] == 3 && array[0] == 0 && array[ 0x2 ] < 1");
	PASSES("shorts[1] == -2 && shorts[1] < shorts[0] && name[7] == 120");
	PASSES("numbers[0] == 7 && numbers[1] == -8 && numbers[1] < 0");
	REJECTS("numbers[2] == 0 || numbers[2] != 0");
	PASSES("!numbers[2] == 0");
	PASSES("array[1] > array[0] && shorts[1] < array[0] && array[0] == shorts[0]");
	REFUSED("array[3] == 1", BAD_INDEX, 7);
	REFUSED("array[-1] == 1", BAD_INDEX, 7);
	REFUSED("array[] == 1", BAD_INDEX, 7);
	REFUSED("array[1 == 1", BAD_INDEX, 7);
	REFUSED("array[4294967296] == 1", BAD_INDEX, 7);
	REFUSED("u8_[0] == 1", ILLEGAL_FIELD_OP, 4);
	REFUSED("mask[0] == 1", ILLEGAL_FIELD_OP, 5);
}

static void sets(struct kunit *test)
{
	rec.s32_ = -3;
	PASSES("s32_ in {-3}");
	PASSES("s32_ in { 1, -5--2 , 9 }");
	REJECTS("s32_ in {1, 5-9, 40}");
	PASSES("!s32_ in {1, 5-9, 40}");
	rec.u8_ = 200;
	PASSES("u8_ in {0xc8}&&u8_ in {1-10,190-200,195-250,5}");
	REJECTS("u8_ in {0-199,201-255}");
	rec.u64_ = U64_MAX;
	PASSES("u64_ in {1, 18446744073709551615}");
	rec.s64_ = S64_MIN;
	PASSES("s64_ in {-9223372036854775808-0}");
	PASSES("dyn in {\"x\", \"dynamic\"} && !dyn in {\"dyn\", 'namic'}");
	PASSES("ptr in {\"pointed to\"} && array[1] in {3-3}");

	REFUSED("u8_ in {", INVALID_VALUE, 9);
	REFUSED("u8_ in {}", INVALID_VALUE, 9);
	REFUSED("u8_ in {1", MISSING_BRACE_CLOSE, 10);
	REFUSED("u8_ in {1 2}", BAD_SET, 11);
	REFUSED("u8_ in {9-5}", BAD_SET, 9);
	REFUSED("u8_ in {256}", ILLEGAL_INTVAL, 9);
	REFUSED("u8_ in {-1}", ILLEGAL_INTVAL, 9);
	REFUSED("u8_ in {\"1\"}", EXPECT_DIGIT, 9);
	REFUSED("dyn in {1}", EXPECT_STRING, 9);
	REFUSED("mask in {1}", ILLEGAL_FIELD_OP, 9);
	REFUSED("u8_ in 1", INVALID_OP, 5);
}

/* Threads of the kernel are in the root. */
static void cgroups(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_CGROUPS))
		kunit_skip(test, "CONFIG_CGROUPS is off");
	PASSES("cgroup == \"/\" && cgroup in {\"/\"} && cgroup in {4294967295, '/'}");
	REJECTS("cgroup != '/' || !cgroup in {'/'} || cgroup in {4294967295}");
	REFUSED("cgroup in {\"/nosuch\"}", NO_CGROUP, 12);
	REFUSED("cgroup in {1, \"/nosuch\"}", NO_CGROUP, 15);
	REFUSED("cgroup in {/}", INVALID_VALUE, 12);
	REFUSED("cgroup ~ \"/\"", ILLEGAL_FIELD_OP, 10);
	rec.s8_ = -1;
	PASSES("cgroup == cgroup && cgroup > u8_ && u8_ < cgroup && cgroup > s8_ && s8_ <= cgroup");
	REJECTS("cgroup != cgroup || cgroup <= s8_ || s8_ >= cgroup || u8_ == cgroup");
}

/* A set takes what its members do, however many there are in the rest of the filter. */
static void set_memory(struct kunit *test)
{
	static const char *const texts[] = { "u8_ in {1,2}", "dyn in {\"a,,,}\",'b}\"'}" };
	const size_t two = kmalloc_size_roundup(2 * max(sizeof(struct filter_range),
							sizeof(struct filter_pattern)));

	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		char text[512];
		struct event_filter *filter;
		size_t len = 0;

		for (unsigned int n = 0; n < 20; n++)
			len += scnprintf(text + len, sizeof(text) - len, "%s%s", n ? "||" : "",
					 texts[i]);
		filter = make(test, text);
		if (!filter)
			continue;
		KUNIT_EXPECT_EQ(test, filter->nr, 20);
		for (unsigned int n = 0; n < filter->nr; n++) {
			const struct filter_general *general = filter->tests[n].general;

			KUNIT_EXPECT_EQ(test, general->nr, 2);
			KUNIT_EXPECT_LE(test, ksize(i ? (void *)general->patterns :
						general->ranges), two);
		}
		event_filter_free(filter);
	}
}

static void fields(struct kunit *test)
{
	rec.s8_ = -1;
	rec.u8_ = 255;
	rec.u64_ = U64_MAX;
	rec.s64_ = -1;
	REJECTS("s8_ == u8_ || s64_ == u64_");
	/* The base refuses it, and its tests want it so. */
	REFUSED("common_pid == s32_", INVALID_VALUE, 15);
	PASSES("s8_ != u8_ && s8_ < u8_ && u8_ > s8_ && s64_ < u64_ && s64_ <= u64_");
	PASSES("s8_ == s64_ && s8_ >= s64_ && s8_ & u8_");
	REJECTS("u64_ < s64_ || u64_ <= s64_ || s8_ > u8_");
	PASSES("s32_ == u32_ && s8_ > common_pid");
	REFUSED("s8_ ~ u8_", ILLEGAL_FIELD_OP, 7);
	REFUSED("s8_ == name", INVALID_VALUE, 8);
	REFUSED("name == dyn", INVALID_VALUE, 9);
	REFUSED("s8_ == array", INVALID_VALUE, 8);
}

/* What is at no fixed place of the record, on either side */
static void elsewhere(struct kunit *test)
{
	struct event_filter *filter;

	rec.s8_ = -8;
	rec.u64_ = -8;
	PASSES("numbers[0] > numbers[1] && numbers[0] != numbers[1] && numbers[1] == numbers[1]");
	PASSES("numbers[1] < numbers[0] && shorts[1] > numbers[1] && array[1] & numbers[0]");
	PASSES("numbers[1] == s8_ && s8_ == numbers[1] && s8_ < numbers[0] && numbers[0] >= s8_");
	PASSES("numbers[1] != u64_ && numbers[1] < u64_ && u64_ > numbers[1] && u64_ & numbers[1]");
	REJECTS("numbers[1] == u64_ || u64_ == numbers[1] || u64_ <= numbers[1]");
	REJECTS("u8_ & numbers[1] || numbers[1] & u8_");
	/* what is not there is neither equal nor different */
	REJECTS("numbers[2] == u8_ || numbers[2] != u8_ || u8_ == numbers[2] || u8_ != numbers[2]");
	REJECTS("numbers[2] == numbers[2] || numbers[0] != numbers[2] || CPU >= numbers[2]");
	PASSES("!u8_ == numbers[2]");

	migrate_disable();
	rec.u16_ = raw_smp_processor_id();
	PASSES("CPU == u16_ && u16_ == cpu && common_cpu >= u16_ && u16_ <= CPU && CPU == cpu");
	REJECTS("u16_ != CPU || CPU != u16_ || u16_ < CPU || CPU > u16_ || CPU != common_cpu");
	migrate_enable();
	PASSES("CPU > s8_ && s8_ < CPU && CPU != s8_ && CPU < u64_ && u64_ >= CPU");
	REJECTS("s8_ >= CPU || CPU <= s8_ || u64_ == CPU || CPU <= numbers[1]");

	rec.s32_ = current->tgid;
	rec.s64_ = current->tgid + 1LL;
	rec.ent.pid = current->tgid;
	PASSES("tgid == s32_ && s32_ == tgid && tgid < s64_ && s64_ > tgid && tgid & s32_");
	REJECTS("tgid != s32_ || s32_ != tgid || tgid >= s64_ || s64_ <= tgid || tgid <= s8_");
	PASSES("tgid == tgid && tgid > numbers[1]");
	filter = make(test, "tgid == common_pid");
	KUNIT_ASSERT_NOT_NULL(test, filter);
	KUNIT_EXPECT_TRUE(test, filter->reads_header);
	KUNIT_EXPECT_TRUE(test, verdict(filter));
	event_filter_free(filter);

	REFUSED("common_pid == tgid", INVALID_VALUE, 15);
	REFUSED("name == CPU", INVALID_VALUE, 9);
	REFUSED("CPU == name", INVALID_VALUE, 8);
	REFUSED("tgid == COMM", INVALID_VALUE, 9);
	REFUSED("COMM == tgid", INVALID_VALUE, 9);
	REFUSED("mask == CPU", INVALID_VALUE, 9);
	REFUSED("CPU == mask", INVALID_VALUE, 8);
	REFUSED("CPU == array", INVALID_VALUE, 8);
	REFUSED("STACKTRACE == CPU", INVALID_VALUE, 15);
	REFUSED("CPU == STACKTRACE", INVALID_VALUE, 8);
	REFUSED("CPU == tgids", INVALID_VALUE, 8);
	REFUSED("tgid ~ CPU", ILLEGAL_FIELD_OP, 8);
	REFUSED("u8_ == CPU[0]", ILLEGAL_FIELD_OP, 11);
	REFUSED("u8_ == tgid[0]", TOO_MANY_PREDS, 11);
	REFUSED("numbers[0] == array[3]", BAD_INDEX, 21);
}

/* --- by difference: random filters of random records, and what C says of them */

/* Each is some hundred allocations, and with KASAN and kmemleak these take ten times as long. */
#define RANDOM_FILTERS	(IS_ENABLED(CONFIG_KASAN) ? 500 : 3000)
#define RANDOM_ROOM	8192

struct random {
	struct rnd_state	rnd;
	char			*text;
	size_t			len;
};

static u32 any(struct random *r, u32 n)
{
	return prandom_u32_state(&r->rnd) % n;
}

static __printf(2, 3) void put(struct random *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	r->len += vscnprintf(r->text + r->len, RANDOM_ROOM - r->len, fmt, ap);
	va_end(ap);
}

/* Often one of the ends, or near to another number */
static u64 any_number(struct random *r, u64 near)
{
	static const u64 numbers[] = {
		0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
		U32_MAX, S64_MAX, BIT_ULL(63), U64_MAX,
	};

	switch (any(r, 4)) {
	case 0:
		return near + any(r, 3) - 1;
	case 1:
		return (u64)any(r, U32_MAX) << 32 | any(r, U32_MAX);
	default:
		return numbers[any(r, ARRAY_SIZE(numbers))] + any(r, 3) - 1;
	}
}

static bool compare(int op, bool is_signed, u64 a, u64 b)
{
	bool less = is_signed ? (s64)a < (s64)b : a < b;

	switch (op) {
	case 0:
		return a == b;
	case 1:
		return a != b;
	case 2:
		return less;
	case 3:
		return less || a == b;
	case 4:
		return !less && a != b;
	case 5:
		return !less;
	default:
		return a & b;
	}
}

static bool any_number_test(struct random *r)
{
	static const char * const ops[] = { "==", "!=", "<", "<=", ">", ">=", "&" };
	const struct trace_event_fields *field = &declared[any(r, 8)];
	const void *at = (void *)&rec + trace_find_event_field(&call, (char *)field->name)->offset;
	int shift = 64 - 8 * field->size;
	int op = any(r, ARRAY_SIZE(ops));
	u64 value = 0, constant;

	memcpy(&value, at, field->size);	/* little-endian, as all that is tested */
	constant = any_number(r, value) << shift;
	value <<= shift;
	if (field->is_signed) {
		value = (s64)value >> shift;
		constant = (s64)constant >> shift;
		put(r, "%s%s%s", field->name, any(r, 2) ? " " : "", ops[op]);
		put(r, any(r, 2) ? " %lld" : "%lld", constant);
	} else {
		value >>= shift;
		constant >>= shift;
		put(r, "%s %s ", field->name, ops[op]);
		put(r, any(r, 2) ? "%llu" : "0x%llx", constant);
	}
	return compare(op, field->is_signed, value, constant);
}

static bool any_string_test(struct random *r)
{
	static const struct {
		const char	*text;
		bool		holds;
	} tests[] = {
		{ "dyn == \"dynamic\"", true }, { "dyn ~ \"*mic\"", true },
		{ "dyn != 'dynamic'", false }, { "rel ~ \"rel*e\"", true },
		{ "rel == \"relativ\"", false }, { "name ~ \"*x\"", true },
		{ "ptr == \"pointed to\"", true }, { "ptr ~ \"*nothing*\"", false },
		{ "CPU >= 0", true }, { "mask & CPUS{0}", true }, { "numbers[1] == -8", true },
		{ "numbers[1] < CPU", true }, { "numbers[2] != tgid", false },
	};
	int i = any(r, ARRAY_SIZE(tests));

	put(r, "%s", tests[i].text);
	return tests[i].holds;
}

static bool any_filter(struct random *r, int depth);

static bool any_operand(struct random *r, int depth)
{
	bool not = !any(r, 4), holds;

	if (not)
		put(r, any(r, 2) ? "!" : "! !!");
	if (depth && r->len < RANDOM_ROOM / 2 && any(r, 2)) {
		put(r, "( ");
		holds = any_filter(r, depth - 1);
		put(r, ")");
	} else {
		holds = any(r, 4) ? any_number_test(r) : any_string_test(r);
	}
	return holds != not;
}

static bool any_filter(struct random *r, int depth)
{
	bool holds = false;

	for (int terms = 1 + any(r, 3); terms; terms--) {
		bool all = true;

		for (int tests = 1 + any(r, 3); tests; tests--) {
			all &= any_operand(r, depth);
			put(r, tests > 1 ? " && " : " ");
		}
		holds |= all;
		if (terms > 1)
			put(r, "|| ");
	}
	return holds;
}

static void random_filters(struct kunit *test)
{
	struct random r = { .text = kunit_kzalloc(test, RANDOM_ROOM, GFP_KERNEL) };
	int passed = 0;

	nr_quick = 0;
	KUNIT_ASSERT_NOT_NULL(test, r.text);
	prandom_seed_state(&r.rnd, 6146);
	for (int i = 0; i < RANDOM_FILTERS; i++) {
		struct event_filter *filter;
		bool holds;

		rec.u64_ = any_number(&r, 0);
		rec.s64_ = any_number(&r, rec.u64_);
		rec.u32_ = any_number(&r, rec.s64_);
		rec.s32_ = any_number(&r, rec.u32_);
		rec.u16_ = any_number(&r, rec.s32_);
		rec.s16_ = any_number(&r, rec.u16_);
		rec.u8_ = any_number(&r, rec.s16_);
		rec.s8_ = any_number(&r, rec.u8_);
		r.len = 0;
		holds = any_filter(&r, i % 5);
		KUNIT_ASSERT_LT(test, r.len, RANDOM_ROOM - 1);
		filter = make(test, r.text);
		KUNIT_ASSERT_NOT_NULL(test, filter);
		KUNIT_EXPECT_EQ_MSG(test, verdict(filter), holds, "%s", r.text);
		event_filter_free(filter);
		passed += holds;
	}
	/* both happen */
	KUNIT_EXPECT_GT(test, passed, RANDOM_FILTERS / 10);
	KUNIT_EXPECT_LT(test, passed, RANDOM_FILTERS * 9 / 10);
	KUNIT_EXPECT_GT(test, nr_quick, RANDOM_FILTERS / 25);
}

/* --- size */

static char *big_text(struct kunit *test, size_t size)
{
	char *text = vmalloc(size);

	KUNIT_ASSERT_NOT_NULL(test, text);
	return text;
}

static void many_parentheses(struct kunit *test)
{
	const size_t n = 100000;
	char *text = big_text(test, 2 * n + 32);

	memset(text, '(', n);
	memcpy(text + n, "u8_ == 0", 9);
	memset(text + n + 8, ')', n);
	text[2 * n + 8] = '\0';
	PASSES(text);

	text[2 * n + 7] = '\0';
	REFUSED(text, TOO_MANY_OPEN, 0);

	memset(text, '!', n);
	memcpy(text + n, "u8_ == 0", 9);
	PASSES(text);
	vfree(text);
}

/* (...((u8_==0)||u8_==1)&&u8_==0)... nested as deep as it is long */
static void deep_tree(struct kunit *test)
{
	const int n = 20000;
	char *text = big_text(test, n * 12 + 32);
	struct event_filter *filter;
	char *at;

	memset(text, '(', n);
	at = text + n + sprintf(text + n, "u8_==0");
	for (int i = 0; i < n; i++)
		at += sprintf(at, i & 1 ? "&&s8_==0)" : "||s8_==1)");
	filter = make(test, text);
	KUNIT_ASSERT_NOT_NULL(test, filter);
	KUNIT_EXPECT_EQ(test, filter->nr, n + 1);
	KUNIT_EXPECT_TRUE(test, verdict(filter));
	rec.s8_ = 2;
	KUNIT_EXPECT_FALSE(test, verdict(filter));
	event_filter_free(filter);
	vfree(text);
}

static void many_tests(struct kunit *test)
{
	const unsigned int n = FILTER_MAX_TESTS;
	char *text = big_text(test, (n + 1) * 8 + 8);
	struct event_filter *filter;
	char *at = text;

	for (unsigned int i = 0; i < n; i++)
		at += sprintf(at, "%su8_==1", i ? "||" : "");
	filter = make(test, text);
	KUNIT_ASSERT_NOT_NULL(test, filter);
	KUNIT_EXPECT_FALSE(test, verdict(filter));
	rec.u8_ = 1;
	KUNIT_EXPECT_TRUE(test, verdict(filter));
	event_filter_free(filter);
	memcpy(at, "||u8_==1", 9);
	REFUSED(text, TOO_MANY_PREDS, at + 2 - text);
	vfree(text);
}

/* Each test goes on further down, so a program ends; what costs little is asked first. */
static void order(struct kunit *test)
{
	struct event_filter *filter;

	filter = make(test,
		      "(ptr == \"x\" || dyn ~ \"*x*\" || u8_ == 1) && name == 'x' && s8_ == 0");
	KUNIT_ASSERT_NOT_NULL(test, filter);
	KUNIT_ASSERT_EQ(test, filter->nr, 5);
	for (unsigned int i = 0; i < filter->nr; i++) {
		const struct filter_test *t = &filter->tests[i];
		const struct filter_test *yes = (void *)t + t->yes, *no = (void *)t + t->no;

		KUNIT_EXPECT_TRUE(test, t->yes <= 0 || (yes > t && yes < filter->tests + 5));
		KUNIT_EXPECT_TRUE(test, t->no <= 0 || (no > t && no < filter->tests + 5));
		KUNIT_EXPECT_EQ(test, t->no == FILTER_GENERAL, t->is_general);
		KUNIT_EXPECT_TRUE(test, !t->is_general || t->none <= 0 ||
				  (void *)t + t->none < (void *)(filter->tests + 5));
	}
	KUNIT_EXPECT_FALSE(test, filter->tests[0].is_general);	/* s8_ */
	KUNIT_EXPECT_EQ(test, (int)filter->tests[0].no, FILTER_REJECT);
	KUNIT_EXPECT_EQ(test, (int)filter->tests[1].general->source, FILTER_FROM_ARRAY);
	KUNIT_EXPECT_FALSE(test, filter->tests[2].is_general);	/* u8_ */
	KUNIT_EXPECT_EQ(test, (int)filter->tests[2].yes, FILTER_ACCEPT);
	KUNIT_EXPECT_EQ(test, (int)filter->tests[3].general->source, FILTER_FROM_DYNAMIC);
	KUNIT_EXPECT_EQ(test, (int)filter->tests[4].general->source, FILTER_FROM_KERNEL);
	event_filter_free(filter);
}

static void nothing_passes_all(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, verdict(NULL));
	KUNIT_EXPECT_STREQ(test, event_filter_text(NULL), "none");
	event_filter_free(NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(precedence),
	KUNIT_CASE(spaces),
	KUNIT_CASE(errors),
	KUNIT_CASE(numbers),
	KUNIT_CASE(constants),
	KUNIT_CASE(common_fields),
	KUNIT_CASE(strings),
	KUNIT_CASE(pointers),
	KUNIT_CASE(string_lengths),
	KUNIT_CASE(globs),
	KUNIT_CASE(functions),
	KUNIT_CASE(cpus),
	KUNIT_CASE(task_fields),
	KUNIT_CASE(elements),
	KUNIT_CASE(sets),
	KUNIT_CASE(cgroups),
	KUNIT_CASE(set_memory),
	KUNIT_CASE(fields),
	KUNIT_CASE(elsewhere),
	KUNIT_CASE_SLOW(random_filters),
	KUNIT_CASE(many_parentheses),
	KUNIT_CASE(deep_tree),
	KUNIT_CASE(many_tests),
	KUNIT_CASE(order),
	KUNIT_CASE(nothing_passes_all),
	{}
};

TRACE_KUNIT_SUITE("trace_event_filter", cases, .init = filter_init, .exit = filter_exit);
