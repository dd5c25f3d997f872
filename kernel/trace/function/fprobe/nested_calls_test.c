// SPDX-License-Identifier: GPL-2.0-only
/* Calls that are open at a time, for fprobe_test.c: this function can be traced. */
#include <linux/compiler.h>

#include "fprobe_test.h"

noinline unsigned long fprobe_test_nested(unsigned long nr)
{
	unsigned long more = nr > 1 ? fprobe_test_nested(nr - 1) : 0;

	barrier();	/* the call is not the last act, so it is one and not a loop */
	return more + 1;
}
