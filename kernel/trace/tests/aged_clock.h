/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TRACE_TESTS_AGED_CLOCK_H
#define _TRACE_TESTS_AGED_CLOCK_H

#include <linux/types.h>

#ifdef CONFIG_FUNCTION_TRACING_FAULT_TEST
u64 aged_clock_ns(void);
#else
static inline u64 aged_clock_ns(void)
{
	return 0;
}
#endif

#endif /* _TRACE_TESTS_AGED_CLOCK_H */
