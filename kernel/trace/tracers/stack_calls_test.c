// SPDX-License-Identifier: GPL-2.0-only
/* Calls with frames of a known size, for stack_test.c: these functions can be traced. */
#include <linux/compiler.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#include "stack_test.h"

noinline int stack_test_inner(int x)
{
	barrier();	/* an effect: the call stays */
	return x;
}

noinline int stack_test_outer(int x)
{
	char room[STACK_TEST_ROOM];

	memset(room, x, sizeof(room));
	OPTIMIZER_HIDE_VAR(x);
	x += stack_test_inner(x);
	barrier_data(room);
	return x + room[x & 1];
}

noinline int stack_test_any(int nr, ...)
{
	va_list args;
	int x = 0;

	va_start(args, nr);
	while (nr--)
		x += va_arg(args, int);
	va_end(args);
	x += stack_test_inner(x);
	barrier();
	return x;
}
