/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_FPROBE_TEST_H
#define _KERNEL_TRACE_FPROBE_TEST_H

/* @nr calls of it, the first of which is the last to return. Return: @nr */
unsigned long fprobe_test_nested(unsigned long nr);

#endif /* _KERNEL_TRACE_FPROBE_TEST_H */
