/* SPDX-License-Identifier: GPL-2.0-only */
/* For suites that make an instance. */
#ifndef _KERNEL_TRACE_TESTS_INSTANCE_H
#define _KERNEL_TRACE_TESTS_INSTANCE_H

#include <kunit/test.h>
#include <linux/trace.h>

/* @tr is the caller's from trace_array_get_by_name(). Nobody else has it any more, so it can go. */
static inline void test_instance_end(struct kunit *test, struct trace_array *tr)
{
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

#endif /* _KERNEL_TRACE_TESTS_INSTANCE_H */
