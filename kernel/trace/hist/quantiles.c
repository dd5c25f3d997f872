// SPDX-License-Identifier: GPL-2.0-only
/*
 * .quantiles of a value: how its values are distributed, in each entry.
 *
 * The sketch is log-linear: values below 16 have a bucket each, and of each power of two above each
 * sixteenth has one. A value is told as the middle of its bucket: it is off by at most 1/32 of
 * itself, 3.2 %. There are 976 buckets for all 64 bits, of 32 bits each: 3,912 bytes in an entry,
 * with the largest value, which is exact. A bucket counts up to 4,294,967,295.
 */
#include <linux/bitops.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "internal.h"

#define SUB_BITS	4
#define SUB		BIT(SUB_BITS)

struct hist_sketch {
	atomic64_t	max;
	atomic_t	count[HIST_BUCKETS];
};

/* what is told; in units of 1/1000 */
static const struct {
	const char	*name;
	unsigned int	part;
} quantiles[] = {
	[HIST_QUANTILE_N]	= { "n" },
	[HIST_QUANTILE_P50]	= { "p50", 500 },
	[HIST_QUANTILE_P90]	= { "p90", 900 },
	[HIST_QUANTILE_P99]	= { "p99", 990 },
	[HIST_QUANTILE_P999]	= { "p99.9", 999 },
	[HIST_QUANTILE_MAX]	= { "max" },
};

unsigned int hist_sketch_bytes(void)
{
	return ALIGN(sizeof(struct hist_sketch), sizeof(u64));
}

/* The bucket of a value. */
unsigned int hist_bucket_of(u64 value)
{
	unsigned int top;

	if (value < SUB)
		return value;
	top = fls64(value) - 1;
	return (top - SUB_BITS + 1) * SUB + ((value >> (top - SUB_BITS)) & (SUB - 1));
}

/* The middle of a bucket. */
u64 hist_bucket_value(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < 2 * SUB)
		return bucket;
	shift = bucket / SUB - 1;
	return ((u64)(SUB + bucket % SUB) << shift) + (1ULL << (shift - 1));
}

/**
 * hist_sketch_add - one more value
 * @sketch: of the entry
 * @value: the value
 *
 * Context: any.
 */
void hist_sketch_add(struct hist_sketch *sketch, u64 value)
{
	atomic_t *count = &sketch->count[hist_bucket_of(value)];
	s64 max = atomic64_read(&sketch->max);

	while (value > (u64)max && !atomic64_try_cmpxchg_relaxed(&sketch->max, &max, value))
		;
	/*
	 * Who sees it counted sees the maximum: pairs with sketch_max(). A count that is full stays
	 * so: else what is most of all would be nothing.
	 */
	if (unlikely(!atomic_inc_return_release(count)))
		atomic_set(count, (int)U32_MAX);
}

/* Behind a look at the counts. */
static u64 sketch_max(const struct hist_sketch *sketch)
{
	smp_rmb();	/* pairs with hist_sketch_add() */
	return atomic64_read(&sketch->max);
}

static u64 sketch_n(const struct hist_sketch *sketch)
{
	u64 n = 0;

	for (unsigned int i = 0; i < HIST_BUCKETS; i++)
		n += (u32)atomic_read(&sketch->count[i]);
	return n;
}

/**
 * hist_sketch_quantile - what a part of the values does not exceed
 * @sketch: of the entry
 * @which: the quantile, or the number of values, or the largest
 *
 * Context: task.
 * Return: the value, or the number of values for HIST_QUANTILE_N.
 */
u64 hist_sketch_quantile(const struct hist_sketch *sketch, enum hist_quantile which)
{
	u64 n = sketch_n(sketch), below = 0, rank;

	if (which == HIST_QUANTILE_N || !n)
		return n;
	if (which == HIST_QUANTILE_MAX)
		return sketch_max(sketch);
	/* the rank-th of the values in their order, from 1 */
	rank = max(DIV_ROUND_UP(n * quantiles[which].part, 1000), 1ULL);
	for (unsigned int i = 0; i < HIST_BUCKETS; i++) {
		below += (u32)atomic_read(&sketch->count[i]);
		if (below >= rank)
			return min(hist_bucket_value(i), sketch_max(sketch));
	}
	return sketch_max(sketch);
}

/**
 * hist_quantile_named - a quantile by its name
 * @name: the name, "p99"
 *
 * Context: any.
 * Return: enum hist_quantile or -EINVAL.
 */
int hist_quantile_named(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(quantiles); i++) {
		if (!strcmp(quantiles[i].name, name))
			return i;
	}
	return -EINVAL;
}

const char *hist_quantile_name(enum hist_quantile which)
{
	return quantiles[which].name;
}

/**
 * hist_sketch_print - the quantiles of a value
 * @m: where to
 * @name: of the value
 * @sketch: of the entry
 *
 * Context: task.
 */
void hist_sketch_print(struct seq_file *m, const char *name, const struct hist_sketch *sketch)
{
	seq_printf(m, " %s:", name);
	for (unsigned int i = 0; i < ARRAY_SIZE(quantiles); i++)
		seq_printf(m, " %s: %10llu", quantiles[i].name,
			   hist_sketch_quantile(sketch, i));
}
