// SPDX-License-Identifier: GPL-2.0-only
/* A module with fifty events, to be loaded and unloaded; rare.sh takes the time. */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "many_events.h"

static int __init many_init(void)
{
	return 0;
}

static void __exit many_exit(void)
{
}

module_init(many_init);
module_exit(many_exit);
MODULE_DESCRIPTION("Fifty trace events");
MODULE_LICENSE("GPL");
