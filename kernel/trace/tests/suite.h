/* SPDX-License-Identifier: GPL-2.0-only */
/* What ends a file of KUnit tests: the suite NAME of CASES, with .init and .exit if it has them. */
#ifndef _KERNEL_TRACE_TESTS_SUITE_H
#define _KERNEL_TRACE_TESTS_SUITE_H

#include <kunit/test.h>

#define TRACE_KUNIT_SUITE(suite_name, cases, ...)	\
static struct kunit_suite test_suite = {		\
	.name		= suite_name,			\
	.test_cases	= cases,			\
	__VA_ARGS__					\
};							\
							\
kunit_test_suite(test_suite)

#endif /* _KERNEL_TRACE_TESTS_SUITE_H */
