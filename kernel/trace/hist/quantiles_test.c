// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: what .quantiles tells of a million values of five shapes, beside what they are. */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "../tests/suite.h"
#include "internal.h"

#define VALUES	1000000

static u64 state;

static u64 random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static u64 all_bits(void)
{
	return random();
}

static u64 small(void)
{
	return random() % 40;
}

static u64 even(void)
{
	return 1000000 + random() % 1000000;
}

/* as latencies are: most are short, and some very long */
static u64 long_tail(void)
{
	return (random() % 1000 + 500) << (__builtin_ctzll(random() | BIT_ULL(20)) * 2);
}

static u64 two_hills(void)
{
	return random() % 3 ? 200 + random() % 20 : 90000 + random() % 5000;
}

static int compare(const void *a, const void *b)
{
	u64 one = *(const u64 *)a, two = *(const u64 *)b;

	return one < two ? -1 : one > two;
}

static void buckets(struct kunit *test)
{
	unsigned int last = 0;

	for (unsigned int i = 0; i < HIST_BUCKETS; i++)
		KUNIT_EXPECT_EQ(test, hist_bucket_of(hist_bucket_value(i)), i);
	for (u64 value = 0; value < 100000; value++) {
		unsigned int bucket = hist_bucket_of(value);

		KUNIT_EXPECT_GE(test, bucket, last);
		KUNIT_EXPECT_LE(test, bucket, last + 1);
		last = bucket;
	}
	KUNIT_EXPECT_EQ(test, hist_bucket_of(~0ULL), HIST_BUCKETS - 1);
}

static void expect_near(struct kunit *test, const u64 *values, struct hist_sketch *sketch,
			enum hist_quantile which, unsigned int part)
{
	u64 exact = values[DIV_ROUND_UP((u64)VALUES * part, 1000) - 1];
	u64 told = hist_sketch_quantile(sketch, which);
	u64 off = told > exact ? told - exact : exact - told;

	KUNIT_EXPECT_LE_MSG(test, off, exact / 32, "p%u/10: %llu, is %llu", part, told, exact);
}

static void shapes(struct kunit *test)
{
	u64 (*const shape[])(void) = { all_bits, small, even, long_tail, two_hills };
	struct hist_sketch *sketch = kunit_kzalloc(test, hist_sketch_bytes(), GFP_KERNEL);
	u64 *values = kvmalloc_array(VALUES, sizeof(*values), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sketch);
	KUNIT_ASSERT_NOT_NULL(test, values);
	for (unsigned int s = 0; s < ARRAY_SIZE(shape); s++) {
		state = 0x9e3779b97f4a7c15ULL;
		memset(sketch, 0, hist_sketch_bytes());
		for (unsigned int i = 0; i < VALUES; i++) {
			values[i] = shape[s]();
			hist_sketch_add(sketch, values[i]);
		}
		cond_resched();
		sort(values, VALUES, sizeof(*values), compare, NULL);
		KUNIT_EXPECT_EQ(test, hist_sketch_quantile(sketch, HIST_QUANTILE_N), VALUES);
		KUNIT_EXPECT_EQ(test, hist_sketch_quantile(sketch, HIST_QUANTILE_MAX),
				values[VALUES - 1]);
		expect_near(test, values, sketch, HIST_QUANTILE_P50, 500);
		expect_near(test, values, sketch, HIST_QUANTILE_P90, 900);
		expect_near(test, values, sketch, HIST_QUANTILE_P99, 990);
		expect_near(test, values, sketch, HIST_QUANTILE_P999, 999);
		cond_resched();
	}
	kvfree(values);
}

/* A bucket that can count no further keeps what it has. */
static void full(struct kunit *test)
{
	struct hist_sketch *sketch = kunit_kzalloc(test, hist_sketch_bytes(), GFP_KERNEL);
	/* behind the maximum */
	atomic_t *count = (atomic_t *)((atomic64_t *)sketch + 1);

	KUNIT_ASSERT_NOT_NULL(test, sketch);
	hist_sketch_add(sketch, 5);
	hist_sketch_add(sketch, 1000);
	KUNIT_ASSERT_EQ(test, atomic_read(&count[hist_bucket_of(5)]), 1);
	atomic_set(&count[hist_bucket_of(5)], (int)(U32_MAX - 1));
	for (int i = 0; i < 3; i++)
		hist_sketch_add(sketch, 5);
	KUNIT_EXPECT_EQ(test, hist_sketch_quantile(sketch, HIST_QUANTILE_N), U32_MAX + 1ULL);
	KUNIT_EXPECT_EQ(test, hist_sketch_quantile(sketch, HIST_QUANTILE_P50), 5);
	KUNIT_EXPECT_EQ(test, hist_sketch_quantile(sketch, HIST_QUANTILE_MAX), 1000);
}

static void names(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, hist_quantile_named("p99.9"), HIST_QUANTILE_P999);
	KUNIT_EXPECT_EQ(test, hist_quantile_named("p98"), -EINVAL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(buckets),
	KUNIT_CASE_SLOW(shapes),
	KUNIT_CASE(full),
	KUNIT_CASE(names),
	{}
};

TRACE_KUNIT_SUITE("hist_quantiles", cases);
