/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_FUNCTION_PROFILE_H
#define _KERNEL_TRACE_FUNCTION_PROFILE_H

#include <linux/math64.h>
#include <linux/types.h>

struct dentry;
struct trace_array;
struct trace_function;

/**
 * struct profile_times - how long a function's calls took
 * @sum:	ns
 * @squares:	ns^2, the lower word of their sum: one call of four seconds nearly fills it
 * @squares_high: the upper word
 */
struct profile_times {
	u64	sum;
	u64	squares;
	u64	squares_high;
};

static __always_inline void profile_times_add(struct profile_times *times, u64 ns)
{
	u64 low = ns * ns, squares = times->squares + low;

	times->sum += ns;
	times->squares = squares;
	times->squares_high += mul_u64_u64_shr(ns, ns, 64) + (squares < low);
}

#ifdef CONFIG_FUNCTION_PROFILER
u64 profile_times_variance(const struct profile_times *times, unsigned long n);
void function_profile_files(struct trace_array *tr, struct dentry *dir);
void function_profile_free(struct trace_function *fn);
int function_profile_set(struct trace_function *fn, bool on);
#else
static inline void function_profile_files(struct trace_array *tr, struct dentry *dir) { }
static inline void function_profile_free(struct trace_function *fn) { }
#endif

#endif /* _KERNEL_TRACE_FUNCTION_PROFILE_H */
