// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running the program of a filter.
 *
 * Any context, NMI included: no locks, nothing sleeps, memory that may fault is copied
 * first.
 */
#include <linux/bsearch.h>
#include <linux/cgroup.h>
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>

#include "../instance/instance.h"
#include "filter.h"
#include "internal.h"

/* --- numbers */

static u64 load_number(const void *at, unsigned int size, bool is_signed)
{
	int shift = 64 - 8 * size;
	u64 value;

	if (size == 1)
		value = *(u8 *)at;
	else if (size == 2)
		value = get_unaligned((u16 *)at);
	else if (size == 4)
		value = get_unaligned((u32 *)at);
	else
		value = get_unaligned((u64 *)at);
	return is_signed ? (u64)((s64)(value << shift) >> shift) : value;
}

/* What a __data_loc or __rel_loc at @offset says: where it begins; @len: bytes. */
static const void *dynamic_data(const void *rec, u16 offset, bool relative, unsigned int *len)
{
	u32 loc = get_unaligned((u32 *)(rec + offset));

	*len = loc >> 16;
	return rec + (loc & 0xffff) + (relative ? offset + sizeof(loc) : 0);
}

/* In line, as is compare_fields(): vs_source() is rare and must not cost number_holds() a call. */
static __always_inline bool load(enum filter_source source, const struct filter_number *n,
				 const void *rec, u64 *value)
{
	const void *data;
	unsigned int len;

	switch (source) {
	case FILTER_FROM_NUMBER:
		*value = load_number(rec + n->offset, n->size, n->is_signed);
		return true;
	case FILTER_FROM_CPU:
		*value = raw_smp_processor_id();
		return true;
	case FILTER_FROM_TGID:
		*value = current->tgid;
		return true;
	case FILTER_FROM_CGROUP:
#ifdef CONFIG_CGROUPS
		rcu_read_lock();
		*value = cgroup_id(task_dfl_cgroup(current));
		rcu_read_unlock();
		return true;
#else
		return false;
#endif
	case FILTER_FROM_ELEMENT:
		data = dynamic_data(rec, n->offset, n->relative, &len);
		if (n->index >= len / n->size)
			return false;
		*value = load_number(data + n->index * n->size, n->size, n->is_signed);
		return true;
	default:
		return false;
	}
}

static int compare_range(const void *key, const void *elem)
{
	const struct filter_range *range = elem;
	u64 value = *(const u64 *)key;

	if (value < range->low)
		return -1;
	return value > range->high;
}

/* The ranges of a signed field are sorted, and looked up, with the sign turned round. */
static bool in_set(const struct filter_general *general, u64 value)
{
	if (general->number.is_signed)
		value ^= BIT_ULL(63);
	return bsearch(&value, general->ranges, general->nr, sizeof(*general->ranges),
		       compare_range);
}

static __always_inline bool compare_fields(const struct filter_general *general, u64 a, u64 b)
{
	bool a_negative = general->number.is_signed && (s64)a < 0;
	bool b_negative = general->other.is_signed && (s64)b < 0;
	/* as numbers, whatever their types are */
	bool equal = a == b && a_negative == b_negative;
	bool less = a_negative == b_negative ? a < b : a_negative;

	switch (general->op) {
	case FILTER_EQ:
		return equal;
	case FILTER_NE:
		return !equal;
	case FILTER_LT:
		return less;
	case FILTER_LE:
		return less || equal;
	case FILTER_GT:
		return !less && !equal;
	case FILTER_GE:
		return !less;
	case FILTER_BAND:
	default:	/* the parser makes no other, see field_test() */
		return a & b;
	}
}

/* Apart, so that the others keep their registers. What is not there makes it not hold. */
static noinline bool vs_source(const struct filter_general *general, const void *rec, u64 value)
{
	u64 other;

	if (!load(general->other_source, &general->other, rec, &other))
		return false;
	return compare_fields(general, value, other);
}

static bool number_holds(const struct filter_general *general, const void *rec)
{
	const struct filter_number *other = &general->other;
	u64 value;

	if (!load(general->source, &general->number, rec, &value))
		return false;

	switch (general->check) {
	case FILTER_IN_RANGE:
		return general->not != ((value & general->mask) - general->range.low <=
				    general->range.high - general->range.low);
	case FILTER_IN_SET:
		return general->not != in_set(general, value);
	case FILTER_CPU_IN:
		return value < nr_cpu_ids && general->not != cpumask_test_cpu(value, general->cpus);
	case FILTER_CPU_IS:
		return value < nr_cpu_ids &&
		       general->not != cpumask_equal(general->cpus, cpumask_of(value));
	case FILTER_VS_FIELD:
		return compare_fields(general, value,
				      load_number(rec + other->offset, other->size,
						  other->is_signed));
	default:	/* FILTER_VS_SOURCE: none else is left for numbers */
		return vs_source(general, rec, value);
	}
}

/* --- masks of CPUs, which are as long in the record as the kernel's were */

static bool mask_holds(const struct filter_general *general, const void *rec)
{
	const unsigned long *want = cpumask_bits(general->cpus);
	bool common = false, equal = true;
	unsigned int len, words;
	const void *bits;

	bits = dynamic_data(rec, general->number.offset, general->number.relative, &len);
	words = len / sizeof(long);
	for (unsigned int i = 0; i < words; i++) {
		unsigned long word = get_unaligned((unsigned long *)bits + i);
		unsigned long wanted = i < BITS_TO_LONGS(nr_cpu_ids) ? want[i] : 0;

		common |= word & wanted;
		equal &= word == wanted;
	}
	for (unsigned int i = words; i < BITS_TO_LONGS(nr_cpu_ids); i++)
		equal &= !want[i];
	return general->not != (general->check == FILTER_CPU_IN ? common : equal);
}

/* --- strings. None is taken to have an end: the length is as far as it may go. */

static bool patterns_hold(const struct filter_general *general, const char *str, size_t max)
{
	size_t len = strnlen(str, max);

	for (unsigned int i = 0; i < general->nr; i++)
		if (trace_glob_match(&general->patterns[i].glob, str, len) !=
		    general->patterns[i].not)
			return !general->not;
	return general->not;
}

/*
 * Where a string goes that is elsewhere in memory. Made with the first filter that needs
 * them and kept. What interrupts a filter takes the next one, see "Nested per-CPU memory" in
 * percpu.h.
 */
#define STRING_MAX	1024
#define STRING_LEVELS	4

struct string_buffers {
	unsigned int	used;
	char		text[STRING_LEVELS][STRING_MAX];
};

struct string_buffers __percpu *filter_buffers(void)
{
	static struct string_buffers __percpu *buffers;

	lockdep_assert_held(&event_mutex);
	if (!buffers)
		buffers = alloc_percpu(struct string_buffers);
	return buffers;
}

/* A pointer that leads nowhere is like no string: it is neither equal nor different. */
static bool pointer_holds(const struct filter_general *general, const void *rec)
{
	unsigned long at = get_unaligned((unsigned long *)(rec + general->number.offset));
	struct string_buffers *buffers = this_cpu_ptr(general->buffers);
	unsigned int level = buffers->used;
	bool holds = false;
	char *text;
	long len;

	if (level >= STRING_LEVELS)
		return false;
	WRITE_ONCE(buffers->used, level + 1);
	barrier();	/* what interrupts sees this one taken */
	text = buffers->text[level];
	if (general->source == FILTER_FROM_USER)
		len = strncpy_from_user_nofault(text, (void __user *)at, STRING_MAX);
	else
		len = strncpy_from_kernel_nofault(text, (void *)at, STRING_MAX);
	if (len > 0)
		holds = patterns_hold(general, text, STRING_MAX);
	barrier();
	WRITE_ONCE(buffers->used, level);
	return holds;
}

static bool string_holds(const struct filter_general *general, const void *rec)
{
	const void *data = rec + general->number.offset;
	unsigned int len = general->number.size;

	switch (general->source) {
	case FILTER_FROM_ARRAY:
		if (!len)	/* char buf[], of a marker: it ends with a NUL */
			len = strlen(data) + 1;
		break;
	case FILTER_FROM_DYNAMIC:
	case FILTER_FROM_RELATIVE:
		data = dynamic_data(rec, general->number.offset,
				    general->source == FILTER_FROM_RELATIVE, &len);
		break;
	case FILTER_FROM_COMM:
		data = current->comm;
		len = TASK_COMM_LEN;
		break;
	default:
		return pointer_holds(general, rec);
	}
	return patterns_hold(general, data, len);
}

/* Does a test hold that is more than a range of a number? */
static bool general_holds(const struct filter_general *general, const void *rec)
{
	if (filter_source_is_string(general->source))
		return string_holds(general, rec);
	if (general->source == FILTER_FROM_MASK)
		return mask_holds(general, rec);
	return number_holds(general, rec);
}

/**
 * filter_match_preds - does a record pass a filter?
 * @filter: the filter, NULL: everything passes
 * @rec: the record
 *
 * Context: any, preemption off, or the filter held in another way.
 * Return: 1 or 0.
 */
int filter_match_preds(struct event_filter *filter, void *rec)
{
	const struct filter_test *test;

	if (!filter || !filter->nr)
		return 1;

	test = filter->tests;
	for (;;) {
		bool holds = test->is_general ? general_holds(test->general, rec) :
						filter_word_holds(test, rec);
		s32 next = filter_goes_on(test, holds);

		if (next <= 0)
			return next == FILTER_ACCEPT;
		test = (const void *)test + next;
	}
}
EXPORT_SYMBOL_GPL(filter_match_preds);

/**
 * filter_general_free - free what hangs on a test
 * @general: may be half made; nobody runs it any more
 *
 * Context: softirq or task.
 */
void filter_general_free(const struct filter_general *general)
{
	switch (general->check) {
	case FILTER_CPU_IN:
	case FILTER_CPU_IS:
		kfree(general->cpus);
		break;
	case FILTER_IN_SET:
		kfree(general->ranges);
		break;
	case FILTER_STRING:
		for (unsigned int i = 0; general->patterns && i < general->nr; i++)
			kfree(general->patterns[i].glob.text);
		kfree(general->patterns);
		break;
	default:
		break;
	}
	kfree(general);
}

struct event_filter event_filter_none = {
	.tests = { FILTER_NO_TEST },
};

/**
 * event_filter_free - free a filter
 * @filter: the filter, may be NULL or event_filter_none; nobody runs it any more, the caller waited
 *
 * Context: softirq (perf's) or task.
 */
void event_filter_free(struct event_filter *filter)
{
	if (!filter || filter == &event_filter_none)
		return;
	for (unsigned int i = 0; i < filter->nr; i++)
		if (filter->tests[i].is_general)
			filter_general_free(filter->tests[i].general);
	kfree(filter->refused);
	kfree(filter->text);
	kvfree(filter);
}
