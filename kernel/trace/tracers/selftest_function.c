// SPDX-License-Identifier: GPL-2.0-only
#include <linux/compiler.h>

#include "selftest.h"

noinline int trace_selftest_function(int x)
{
	barrier();	/* an effect: the calls stay as many as they are in the source */
	return x;
}
