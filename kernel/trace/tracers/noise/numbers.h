/* SPDX-License-Identifier: GPL-2.0-only */
/* Files with a number that has bounds, some of them other such numbers. */
#ifndef _KERNEL_TRACE_NOISE_NUMBERS_H
#define _KERNEL_TRACE_NOISE_NUMBERS_H

#include <linux/types.h>

struct dentry;

/**
 * struct noise_number - a number that is a file
 * @value: read by who measures, without a lock
 * @min: the least that it may be, may be NULL
 * @max: the most, may be NULL
 */
struct noise_number {
	u64		*value;
	const u64	*min;
	const u64	*max;
};

/* Task. Makes the file; what it refuses is told in the top instance's error_log. */
void noise_number_file(const char *name, struct dentry *dir, const struct noise_number *number);

#endif /* _KERNEL_TRACE_NOISE_NUMBERS_H */
