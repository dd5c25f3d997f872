/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_STACK_TEST_H
#define _KERNEL_TRACE_STACK_TEST_H

#define STACK_TEST_ROOM	1024

/* outer() has so many bytes on the stack, and calls inner(), which has none when it is traced */
int stack_test_outer(int x);
int stack_test_inner(int x);
/* the sum of @nr numbers, and of that what inner() makes */
int stack_test_any(int nr, ...);

#endif /* _KERNEL_TRACE_STACK_TEST_H */
