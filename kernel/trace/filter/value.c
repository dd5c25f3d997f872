// SPDX-License-Identifier: GPL-2.0-only
/*
 * One test of a filter: a field, an operator, a value.
 *
 * What can be known here is not asked again when an event fires: types, signs, addresses of
 * functions, masks, patterns. A constant is taken in the type of its field, as C does when one is
 * assigned to it.
 */
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../events/events.h"
#include "internal.h"

/* Longest number that is looked at, the longest string is MAX_FILTER_STR_VAL - 1 */
#define NUMBER_MAX	23

#define SIGN_BIT	BIT_ULL(63)

/* what a test costs, for the order of tests */
enum cost {
	COST_WORD	= 1,
	COST_GENERAL	= 4,
	COST_STRING	= 20,
	COST_GLOB	= 60,
	COST_POINTER	= 200,
};

/**
 * struct subject - what a test is about
 * @source:	where the value is
 * @number:	of a number, or where a string's field begins and how long that is
 * @as_function: its value is the address of code
 * @is_address:	@number is as large as an address
 */
struct subject {
	enum filter_source	source;
	struct filter_number	number;
	bool			as_function;
	bool			is_address;
};

/* Refuses a test, with the caret one column right of @where, as it is in the base. */
static int refuse(struct filter_parse *p, enum filter_error error, const char *where)
{
	return filter_refuse(p, error, where + 1);
}

static bool is_word(char c)
{
	return isalnum(c) || c == '_';
}

static const char *word_end(const char *at)
{
	while (is_word(*at))
		at++;
	return at;
}

static void next_token(struct filter_parse *p)
{
	p->at = skip_spaces(p->at);
}

/* --- the field */

/* Size of an array's element, by its name in a field's type: "__data_loc u32[]", "u8[6]" */
static int element_size(const char *type)
{
	static const struct {
		const char	*name;
		u8		size;
	} types[] = {
		{ "char", 1 }, { "signed char", 1 }, { "unsigned char", 1 }, { "bool", 1 },
		{ "u8", 1 }, { "s8", 1 }, { "__u8", 1 }, { "__s8", 1 }, { "uint8_t", 1 },
		{ "short", 2 }, { "unsigned short", 2 }, { "u16", 2 }, { "s16", 2 },
		{ "__u16", 2 }, { "__s16", 2 }, { "__le16", 2 }, { "__be16", 2 },
		{ "uint16_t", 2 }, { "int", 4 }, { "unsigned int", 4 }, { "unsigned", 4 },
		{ "u32", 4 }, { "s32", 4 }, { "__u32", 4 }, { "__s32", 4 }, { "__le32", 4 },
		{ "__be32", 4 }, { "uint32_t", 4 }, { "long", 8 }, { "unsigned long", 8 },
		{ "long long", 8 }, { "unsigned long long", 8 }, { "u64", 8 }, { "s64", 8 },
		{ "__u64", 8 }, { "__s64", 8 }, { "__le64", 8 }, { "__be64", 8 },
		{ "uint64_t", 8 },
	};
	const char *end;
	size_t len;

	if (str_has_prefix(type, "__data_loc "))
		type += strlen("__data_loc ");
	else if (str_has_prefix(type, "__rel_loc "))
		type += strlen("__rel_loc ");
	end = strchrnul(type, '[');
	for (len = end - type; len && isspace(type[len - 1]); )
		len--;
	for (int i = 0; i < ARRAY_SIZE(types); i++)
		if (strlen(types[i].name) == len && !strncmp(types[i].name, type, len))
			return types[i].size;
	return 0;
}

static bool is_number_size(int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Of a fixed array; 0 for what is none. */
static int array_elements(const struct ftrace_event_field *field)
{
	const char *bracket;
	int size;

	if (field->len)
		return field->len;
	if (str_has_prefix(field->type, "__data_loc") || str_has_prefix(field->type, "__rel_loc"))
		return 0;
	bracket = strchr(field->type, '[');
	size = bracket ? element_size(field->type) : 0;
	return size ? field->size / size : 0;
}

static bool is_dynamic(const struct ftrace_event_field *field, bool *relative)
{
	*relative = str_has_prefix(field->type, "__rel_loc ");
	return *relative || str_has_prefix(field->type, "__data_loc ");
}

/* "[INDEX]" behind the name of an array */
static int parse_index(struct filter_parse *p, const struct ftrace_event_field *field,
		       struct subject *subject)
{
	const char *at = skip_spaces(p->at + 1);
	const char *end = word_end(at);
	char digits[NUMBER_MAX + 1] = {};
	int nr = array_elements(field);
	bool relative = false;
	int size;
	u32 index;

	if (end - at > NUMBER_MAX)
		return refuse(p, FILTER_ERR_OPERAND_TOO_LONG, end);
	memcpy(digits, at, end - at);
	if (*skip_spaces(end) != ']' || kstrtou32(digits, 0, &index))
		return refuse(p, FILTER_ERR_BAD_INDEX, at);

	if (is_dynamic(field, &relative)) {
		size = element_size(field->type);
		if (!is_number_size(size) || field->filter_type == FILTER_CPUMASK)
			return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, p->at);
		subject->source = FILTER_FROM_ELEMENT;
		subject->number.index = index;
		subject->number.relative = relative;
	} else {
		size = nr ? field->size / nr : 0;
		if (!is_number_size(size))
			return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, p->at);
		if (index >= nr)
			return refuse(p, FILTER_ERR_BAD_INDEX, at);
		subject->source = FILTER_FROM_NUMBER;
		subject->number.offset += index * size;
	}
	subject->number.size = size;
	p->at = skip_spaces(end) + 1;
	return 0;
}

static enum filter_source source_of(const struct ftrace_event_field *field)
{
	switch (field->filter_type) {
	case FILTER_STATIC_STRING:
		return FILTER_FROM_ARRAY;
	case FILTER_DYN_STRING:
		return FILTER_FROM_DYNAMIC;
	case FILTER_RDYN_STRING:
		return FILTER_FROM_RELATIVE;
	case FILTER_PTR_STRING:
		return FILTER_FROM_KERNEL;
	case FILTER_COMM:
		return FILTER_FROM_COMM;
	case FILTER_CPU:
		return FILTER_FROM_CPU;
	case FILTER_CPUMASK:
		return FILTER_FROM_MASK;
	case FILTER_STACKTRACE:
		return FILTER_FROM_NOWHERE;
	default:
		return is_number_size(field->size) ? FILTER_FROM_NUMBER : FILTER_FROM_NOWHERE;
	}
}

static struct ftrace_event_field *find_field(struct filter_parse *p, const char *name, size_t len)
{
	char *copy = kstrndup(name, len, GFP_KERNEL);
	struct ftrace_event_field *field;

	if (!copy)
		return ERR_PTR(-ENOMEM);
	field = trace_find_event_field(p->call, copy);
	kfree(copy);
	return field;
}

/* What every task has, unless the event has a field of this name. */
static bool find_own(const char *name, size_t len, struct subject *subject)
{
	if (len == 4 && !memcmp(name, "tgid", len)) {
		*subject = (struct subject) { FILTER_FROM_TGID, { .size = 4, .is_signed = true } };
		return true;
	}
	if (IS_ENABLED(CONFIG_CGROUPS) && len == 6 && !memcmp(name, "cgroup", len)) {
		*subject = (struct subject) { FILTER_FROM_CGROUP, { .size = 8 } };
		return true;
	}
	return false;
}

/* Where @field is, or the element of it that is named behind it */
static int parse_place(struct filter_parse *p, const struct ftrace_event_field *field,
		       struct subject *subject)
{
	*subject = (struct subject) {
		.source		= source_of(field),
		.number		= {
			.offset		= field->offset,
			.size		= field->size,
			.is_signed	= field->is_signed,
			.relative	= str_has_prefix(field->type, "__rel_loc"),
		},
		.is_address	= field->filter_type == FILTER_OTHER ||
				  field->filter_type == FILTER_TRACE_FN,
	};
	if (subject->source == FILTER_FROM_CPU) {
		subject->number.size = sizeof(int);
		subject->number.is_signed = true;
	}
	return *p->at == '[' ? parse_index(p, field, subject) : 0;
}

static int parse_subject(struct filter_parse *p, struct subject *subject)
{
	const char *name = p->at, *end = word_end(name);
	const struct ftrace_event_field *field;
	int ret;

	if (end == name)
		return filter_refuse(p, FILTER_ERR_EXPECT_FIELD, name);
	p->at = end;
	field = find_field(p, name, end - name);
	if (IS_ERR(field))
		return PTR_ERR(field);
	if (!field) {
		if (find_own(name, end - name, subject))
			return 0;
		return refuse(p, FILTER_ERR_FIELD_NOT_FOUND, end);
	}
	ret = parse_place(p, field, subject);
	if (ret)
		return ret;

	if (str_has_prefix(p->at, ".ustring")) {
		if (subject->source == FILTER_FROM_KERNEL)
			subject->source = FILTER_FROM_USER;
		p->at += strlen(".ustring");
	} else if (str_has_prefix(p->at, ".function")) {
		subject->as_function = true;
		p->at += strlen(".function");
	}
	return 0;
}

/* --- the operator */

static int parse_op(struct filter_parse *p, enum filter_op *op)
{
	static const struct {
		const char	*text;
		enum filter_op	op;
	} ops[] = {
		{ "==", FILTER_EQ }, { "!=", FILTER_NE }, { "<=", FILTER_LE }, { "<", FILTER_LT },
		{ ">=", FILTER_GE }, { ">", FILTER_GT }, { "&", FILTER_BAND }, { "~", FILTER_GLOB },
	};

	next_token(p);
	for (int i = 0; i < ARRAY_SIZE(ops); i++) {
		if (str_has_prefix(p->at, ops[i].text)) {
			*op = ops[i].op;
			p->at += strlen(ops[i].text);
			return 0;
		}
	}
	if (str_has_prefix(p->at, "in") && *skip_spaces(p->at + 2) == '{') {
		*op = FILTER_IN;
		p->at += 2;
		return 0;
	}
	return refuse(p, FILTER_ERR_INVALID_OP, p->at);
}

/* --- numbers */

static u64 extend(const struct filter_number *n, u64 value)
{
	int shift = 64 - 8 * n->size;

	return n->is_signed ? (u64)((s64)(value << shift) >> shift) : value << shift >> shift;
}

static struct filter_range whole_range(const struct filter_number *n)
{
	u64 ones = ~0ULL >> (64 - 8 * n->size);

	if (!n->is_signed)
		return (struct filter_range) { 0, ones };
	return (struct filter_range) { extend(n, ones ^ ones >> 1), ones >> 1 };
}

/**
 * struct span - what numbers a test takes
 * @mask: bits of the number that are looked at
 * @range: from low to high, past zero if need be
 * @none: takes none
 */
struct span {
	u64			mask;
	struct filter_range	range;
	bool			none;
};

static struct span span_of(const struct filter_number *n, enum filter_op op, u64 value)
{
	struct span span = { .mask = ~0ULL, .range = whole_range(n) };

	switch (op) {
	case FILTER_EQ:
		span.range = (struct filter_range) { value, value };
		break;
	case FILTER_NE:
		span.range = (struct filter_range) { value + 1, value - 1 };
		break;
	case FILTER_LE:
		span.range.high = value;
		break;
	case FILTER_LT:
		span.none = value == span.range.low;
		span.range.high = value - 1;
		break;
	case FILTER_GE:
		span.range.low = value;
		break;
	case FILTER_GT:
		span.none = value == span.range.high;
		span.range.low = value + 1;
		break;
	default:
		span.none = !value;
		span.mask = value;
		span.range = (struct filter_range) { 1, ~0ULL };
		break;
	}
	return span;
}

/*
 * Makes a one-word test of @span. False if the number cannot be loaded as a word, see struct
 * filter_test, or is a common field, which may not be filled in yet when words are tested. ->no is
 * free until filter_program() sets it: here it is FILTER_BITS for a test of bits, and FILTER_ACCEPT
 * for a test that always holds.
 */
static bool set_word(struct filter_test *test, const struct filter_number *n,
		     const struct span *span)
{
	int shift = 64 - 8 * n->size;
	int offset = n->offset;

	if (FILTER_LOADS_WORDS)
		offset += n->size - 8;
	else if (n->offset % n->size)
		return false;
	if (n->offset < sizeof(struct trace_entry))
		return false;

	*test = (struct filter_test) {
		.offset = offset + FILTER_BIAS, .width = filter_width(n->size),
	};
	if (span->none)
		return true;
	if (span->mask != ~0ULL) {
		test->low = span->mask << shift;
		test->no = FILTER_BITS;
		return true;
	}
	test->low = span->range.low << shift;
	test->count = (span->range.high - span->range.low + 1) << shift;
	if (!test->count)
		test->no = FILTER_ACCEPT;
	return true;
}

static struct filter_general *new_general(struct filter_test *test, const struct subject *subject,
					  enum filter_check check)
{
	struct filter_general *general = kzalloc(sizeof(*general), GFP_KERNEL);

	if (!general)
		return NULL;
	general->source = subject->source;
	general->number = subject->number;
	general->check = check;
	*test = (struct filter_test)FILTER_NO_TEST;
	test->is_general = true;
	test->general = general;
	return general;
}

static int set_span(struct filter_test *test, const struct subject *subject,
		    const struct span *span)
{
	struct filter_general *general;

	if (subject->source == FILTER_FROM_NUMBER && set_word(test, &subject->number, span))
		return 0;
	general = new_general(test, subject, FILTER_IN_RANGE);
	if (!general)
		return -ENOMEM;
	general->mask = span->mask;
	general->range = span->range;
	if (span->none)
		general->source = FILTER_FROM_NOWHERE;
	return 0;
}

/* A number with the letters and digits that hang on it, and a sign in front. */
static int parse_number(struct filter_parse *p, bool is_signed, u64 *value)
{
	const char *start = p->at, *end;
	char digits[NUMBER_MAX + 1] = {};
	int ret;

	end = start + (*start == '-');
	while (isalnum(*end))
		end++;
	if (end - start > NUMBER_MAX)
		return refuse(p, FILTER_ERR_OPERAND_TOO_LONG, end);
	memcpy(digits, start, end - start);
	ret = is_signed ? kstrtoll(digits, 0, (s64 *)value) : kstrtoull(digits, 0, value);
	if (ret)
		return refuse(p, FILTER_ERR_ILLEGAL_INTVAL, start);
	p->at = end;
	return 0;
}

static int number_test(struct filter_parse *p, const struct subject *subject, enum filter_op op,
		       struct filter_test *test)
{
	const struct filter_number *n = &subject->number;
	const char *start = p->at;
	struct span span;
	u64 value;
	int ret;

	if (filter_source_is_string(subject->source))
		return refuse(p, FILTER_ERR_EXPECT_STRING, start);
	if (op == FILTER_GLOB)
		return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, start);
	ret = parse_number(p, n->is_signed, &value);
	if (ret)
		return ret;
	if (subject->source == FILTER_FROM_NOWHERE)
		return new_general(test, subject, FILTER_IN_RANGE) ? 0 : -ENOMEM;
	span = span_of(n, op, extend(n, value));
	if (subject->source == FILTER_FROM_MASK) {
		/* what the base compares: the word that says where the mask is */
		struct subject word = *subject;

		word.source = FILTER_FROM_NUMBER;
		return set_span(test, &word, &span);
	}
	return set_span(test, subject, &span);
}

/* --- functions */

static int function_test(struct filter_parse *p, const struct subject *subject, enum filter_op op,
			 struct filter_test *test)
{
	const char *start = p->at, *end = start;
	unsigned long addr = 0, size, offset;
	char name[KSYM_NAME_LEN] = {};
	struct span span;

	if (op != FILTER_EQ && op != FILTER_NE)
		return refuse(p, FILTER_ERR_INVALID_OP, start);
	if (!subject->is_address || subject->source != FILTER_FROM_NUMBER ||
	    subject->number.size != sizeof(long))
		return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, start);

	while (*end && !isspace(*end) && !strchr("()&|!", *end))
		end++;
	if (end - start < sizeof(name)) {
		memcpy(name, start, end - start);
		if (name[0] != '0' || tolower(name[1]) != 'x')
			addr = kallsyms_lookup_name(name);
		else if (kstrtoul(name, 16, &addr))
			return refuse(p, FILTER_ERR_INVALID_VALUE, end);
	}
	if (!addr || !kallsyms_lookup_size_offset(addr, &size, &offset) || !size)
		return refuse(p, FILTER_ERR_NO_FUNCTION, end);

	p->at = end;
	span.mask = ~0ULL;
	span.none = false;
	span.range.low = addr - offset;
	span.range.high = span.range.low + size - 1;
	if (op == FILTER_NE) {
		span.range.low += size;
		span.range.high -= size;
	}
	return set_span(test, subject, &span);
}

/* --- CPUS{list} */

static int cpus_test(struct filter_parse *p, const struct subject *subject, enum filter_op op,
		     struct filter_test *test)
{
	const char *start = p->at, *at = start + strlen("CPUS");
	struct filter_general *general;
	const char *end;
	char *list;
	int ret;

	if (*at++ != '{')
		return refuse(p, FILTER_ERR_MISSING_BRACE_OPEN, at);
	end = strchr(at, '}');
	if (!end)
		return refuse(p, FILTER_ERR_MISSING_BRACE_CLOSE, at + strlen(at));
	if (filter_source_is_string(subject->source) || subject->source == FILTER_FROM_NOWHERE ||
	    (op != FILTER_EQ && op != FILTER_NE && op != FILTER_BAND))
		return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, start);

	list = kmemdup_nul(at, end - at, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	general = new_general(test, subject, op == FILTER_BAND ? FILTER_CPU_IN : FILTER_CPU_IS);
	if (!general)
		goto no_memory;
	general->not = op == FILTER_NE;
	general->cpus = kzalloc(cpumask_size(), GFP_KERNEL);
	if (!general->cpus)
		goto no_memory;
	ret = cpulist_parse(strim(list), general->cpus);
	kfree(list);
	if (ret || cpumask_empty(general->cpus))
		return refuse(p, FILTER_ERR_INVALID_CPULIST, end);
	p->at = end + 1;

	/* just one: a number is that or not, whatever else it may be */
	if (cpumask_weight(general->cpus) == 1 && subject->source != FILTER_FROM_MASK) {
		struct span span = span_of(&subject->number,
					   op == FILTER_NE ? FILTER_NE : FILTER_EQ,
					   cpumask_first(general->cpus));

		filter_general_free(general);
		test->is_general = false;
		return set_span(test, subject, &span);
	}
	return 0;

no_memory:
	kfree(list);
	return -ENOMEM;
}

/* --- strings */

static int set_pattern(struct filter_pattern *pattern, const char *text, size_t len, bool glob)
{
	*pattern = (struct filter_pattern) { .not = glob && len && *text == '!' };
	text += pattern->not;
	len -= pattern->not;
	if (glob)
		trace_glob_parse(&pattern->glob, text, len);
	else
		pattern->glob = (struct trace_glob) { .text = text, .len = len };
	pattern->glob.text = kmemdup_nul(pattern->glob.text, pattern->glob.len, GFP_KERNEL);
	return pattern->glob.text ? 0 : -ENOMEM;
}

/* Between quotes, which are passed over */
static int parse_quoted(struct filter_parse *p, const char **text, size_t *len)
{
	const char *start = p->at, *end = strchr(start + 1, *start);

	if (!end)
		return refuse(p, FILTER_ERR_MISSING_QUOTE, start);
	*text = start + 1;
	*len = end - *text;
	if (*len >= MAX_FILTER_STR_VAL)
		return refuse(p, FILTER_ERR_OPERAND_TOO_LONG, end);
	p->at = end + 1;
	return 0;
}

static struct filter_general *new_strings(struct filter_test *test, const struct subject *subject,
					  unsigned int room)
{
	struct filter_general *general = new_general(test, subject, FILTER_STRING);

	if (!general)
		return NULL;
	if (subject->source == FILTER_FROM_KERNEL || subject->source == FILTER_FROM_USER) {
		general->buffers = filter_buffers();
		if (!general->buffers)
			return NULL;
	}
	general->patterns = kcalloc(room, sizeof(*general->patterns), GFP_KERNEL);
	return general->patterns ? general : NULL;
}

#ifdef CONFIG_CGROUPS
/* The number of a cgroup by its path, which is written at @start: as long as it is there */
static int cgroup_number(struct filter_parse *p, const char *start, const char *text, size_t len,
			 u64 *number)
{
	char *path = kmemdup_nul(text, len, GFP_KERNEL);
	struct cgroup *cgrp;

	if (!path)
		return -ENOMEM;
	cgrp = cgroup_get_from_path(path);
	kfree(path);
	if (IS_ERR(cgrp))
		return refuse(p, FILTER_ERR_NO_CGROUP, start);
	*number = cgroup_id(cgrp);
	cgroup_put(cgrp);
	return 0;
}
#else
static int cgroup_number(struct filter_parse *p, const char *start, const char *text, size_t len,
			 u64 *number)
{
	return refuse(p, FILTER_ERR_NO_CGROUP, start);
}
#endif

static int quoted_test(struct filter_parse *p, const struct subject *subject, enum filter_op op,
		       struct filter_test *test)
{
	const char *start = p->at, *text;
	struct filter_general *general;
	struct span span;
	size_t len;
	u64 number;
	int ret;

	if (op != FILTER_EQ && op != FILTER_NE && op != FILTER_GLOB)
		return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, start);
	ret = parse_quoted(p, &text, &len);
	if (ret)
		return ret;

	if (subject->source == FILTER_FROM_CGROUP) {
		if (op == FILTER_GLOB)
			return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, start);
		ret = cgroup_number(p, start, text, len, &number);
		if (ret)
			return ret;
		span = span_of(&subject->number, op, number);
		return set_span(test, subject, &span);
	}
	if (!filter_source_is_string(subject->source))
		return refuse(p, FILTER_ERR_EXPECT_DIGIT, start);

	general = new_strings(test, subject, 1);
	if (!general)
		return -ENOMEM;
	general->not = op == FILTER_NE;
	general->nr = 1;
	return set_pattern(general->patterns, text, len, op == FILTER_GLOB);
}

/* --- in { values } */

static int compare_low(const void *a, const void *b)
{
	const struct filter_range *range_a = a, *range_b = b;

	if (range_a->low != range_b->low)
		return range_a->low < range_b->low ? -1 : 1;
	return 0;
}

/* Sorted, none touching another, so that a search finds the only one there can be. */
static void tidy_ranges(struct filter_general *general)
{
	unsigned int last = 0;

	sort(general->ranges, general->nr, sizeof(*general->ranges), compare_low, NULL);
	for (unsigned int i = 1; i < general->nr; i++) {
		if (general->ranges[i].low <= general->ranges[last].high)
			general->ranges[last].high = max(general->ranges[last].high,
							 general->ranges[i].high);
		else
			general->ranges[++last] = general->ranges[i];
	}
	general->nr = last + 1;
}

static int parse_end(struct filter_parse *p, const struct filter_number *n, u64 *value)
{
	const char *start = p->at;
	int ret = parse_number(p, n->is_signed, value);

	if (ret)
		return ret;
	if (extend(n, *value) != *value)
		return refuse(p, FILTER_ERR_ILLEGAL_INTVAL, start);
	if (n->is_signed)
		*value ^= SIGN_BIT;
	return 0;
}

static int parse_range(struct filter_parse *p, const struct filter_number *n,
		       struct filter_range *range)
{
	const char *start = p->at;
	int ret = parse_end(p, n, &range->low);

	if (ret)
		return ret;
	range->high = range->low;
	next_token(p);
	if (*p->at != '-')
		return 0;
	p->at++;
	next_token(p);
	ret = parse_end(p, n, &range->high);
	if (ret)
		return ret;
	return range->low <= range->high ? 0 : refuse(p, FILTER_ERR_BAD_SET, start);
}

static int parse_member(struct filter_parse *p, struct filter_general *general)
{
	const char *start = p->at, *text;
	bool quoted = *start == '"' || *start == '\'';
	struct filter_range *range;
	size_t len;
	int ret;

	if (general->check == FILTER_IN_SET) {
		range = &general->ranges[general->nr];
		if (quoted && general->source == FILTER_FROM_CGROUP) {
			ret = parse_quoted(p, &text, &len);
			if (!ret)
				ret = cgroup_number(p, start, text, len, &range->low);
			range->high = range->low;
		} else if (*start == '-' || isdigit(*start)) {
			ret = parse_range(p, &general->number, range);
		} else {
			return refuse(p, quoted ? FILTER_ERR_EXPECT_DIGIT :
				      FILTER_ERR_INVALID_VALUE, start);
		}
	} else {
		if (!quoted)
			return refuse(p, FILTER_ERR_EXPECT_STRING, start);
		ret = parse_quoted(p, &text, &len);
		if (!ret)
			ret = set_pattern(&general->patterns[general->nr], text, len, false);
	}
	if (!ret)
		general->nr++;
	return ret;
}

/* No less than there are in the set, and no more when it is a right one: its commas, and one. */
static unsigned int count_members(const char *at)
{
	unsigned int nr = 1;
	char quote = 0;

	for (; *at && (quote || *at != '}'); at++) {
		if (quote)
			quote = *at == quote ? 0 : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else
			nr += *at == ',';
	}
	return nr;
}

static int set_test(struct filter_parse *p, const struct subject *subject,
		    struct filter_test *test)
{
	bool strings = filter_source_is_string(subject->source);
	struct filter_general *general;
	unsigned int room;
	int ret;

	if (subject->source == FILTER_FROM_NOWHERE || subject->source == FILTER_FROM_MASK)
		return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, p->at);
	room = count_members(p->at);
	if (strings) {
		general = new_strings(test, subject, room);
		if (!general)
			return -ENOMEM;
	} else {
		general = new_general(test, subject, FILTER_IN_SET);
		if (!general)
			return -ENOMEM;
		general->ranges = kcalloc(room, sizeof(*general->ranges), GFP_KERNEL);
		if (!general->ranges)
			return -ENOMEM;
	}

	do {
		p->at++;	/* the { or a comma */
		next_token(p);
		ret = parse_member(p, general);
		if (ret)
			return ret;
		next_token(p);
	} while (*p->at == ',');
	if (!*p->at)
		return refuse(p, FILTER_ERR_MISSING_BRACE_CLOSE, p->at);
	if (*p->at != '}')
		return refuse(p, FILTER_ERR_BAD_SET, p->at);
	p->at++;
	if (!strings)
		tidy_ranges(general);
	return 0;
}

/* --- another field */

static bool is_number(enum filter_source source)
{
	return !filter_source_is_string(source) && source != FILTER_FROM_NOWHERE &&
	       source != FILTER_FROM_MASK;
}

/* A field, or what every task has, in the place of a value */
static int parse_other(struct filter_parse *p, struct subject *other)
{
	const char *start = p->at, *end = word_end(start);
	const struct ftrace_event_field *field;

	field = end > start ? find_field(p, start, end - start) : NULL;
	if (IS_ERR(field))
		return PTR_ERR(field);
	if (!field && !find_own(start, end - start, other))
		return refuse(p, FILTER_ERR_INVALID_VALUE, start);
	p->at = end;
	return field ? parse_place(p, field, other) : 0;
}

static int field_test(struct filter_parse *p, const struct subject *subject, enum filter_op op,
		      struct filter_test *test)
{
	const char *start = p->at;
	struct filter_general *general;
	struct subject other;
	int ret;

	ret = parse_other(p, &other);
	if (ret)
		return ret;
	/* What all records have is compared with values only: the base's tests want it refused. */
	if (!is_number(subject->source) || !is_number(other.source) ||
	    (subject->source == FILTER_FROM_NUMBER && filter_in_header(&subject->number)))
		return refuse(p, FILTER_ERR_INVALID_VALUE, start);
	if (op == FILTER_GLOB)
		return refuse(p, FILTER_ERR_ILLEGAL_FIELD_OP, start);

	general = new_general(test, subject, other.source == FILTER_FROM_NUMBER ?
					     FILTER_VS_FIELD : FILTER_VS_SOURCE);
	if (!general)
		return -ENOMEM;
	general->op = op;
	general->other = other.number;
	general->other_source = other.source;
	return 0;
}

/* --- all of it */

static unsigned int cost_of(const struct filter_test *test)
{
	const struct filter_general *general = test->general;

	if (!test->is_general)
		return COST_WORD;
	if (general->check != FILTER_STRING)
		return COST_GENERAL;
	if (general->source == FILTER_FROM_KERNEL || general->source == FILTER_FROM_USER)
		return COST_POINTER;
	if (general->patterns->glob.type >= TRACE_GLOB_MIDDLE)
		return COST_GLOB;
	return COST_STRING * general->nr;
}

static int parse_value(struct filter_parse *p, const struct subject *subject, enum filter_op op,
		       struct filter_test *test)
{
	next_token(p);
	if (subject->as_function)
		return function_test(p, subject, op, test);
	if (op == FILTER_IN)
		return set_test(p, subject, test);
	if (str_has_prefix(p->at, "CPUS"))
		return cpus_test(p, subject, op, test);
	if (*p->at == '-' || isdigit(*p->at))
		return number_test(p, subject, op, test);
	if (*p->at == '"' || *p->at == '\'')
		return quoted_test(p, subject, op, test);
	return field_test(p, subject, op, test);
}

/**
 * filter_test_parse - make a test of the text that comes next
 * @p: the text; afterwards behind the test
 * @test: the test; what hangs on it is to be freed when there was an error as well
 * @cost: about what it costs to run
 *
 * Context: task, event_mutex. May sleep.
 * Return: 0, -EINVAL with an error in @p, -ENOMEM.
 */
int filter_test_parse(struct filter_parse *p, struct filter_test *test, unsigned int *cost)
{
	struct subject subject;
	enum filter_op op;
	int ret;

	ret = parse_subject(p, &subject);
	if (ret)
		return ret;
	ret = parse_op(p, &op);
	if (ret)
		return ret;
	ret = parse_value(p, &subject, op, test);
	if (ret)
		return ret;
	*cost = cost_of(test);
	return 0;
}
