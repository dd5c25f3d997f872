// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots on the command line:
 *
 *	alloc_snapshot[=INSTANCE]	have the spare buffer from the start
 *	ftrace_boot_snapshot[=INSTANCE]	and take a snapshot when the kernel is up
 */
#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/string.h>
#include <asm/setup.h>

#include "internal.h"

static bool alloc_top __initdata;
static bool take_snapshots __initdata;
static char names[COMMAND_LINE_SIZE] __initdata;	/* each with a tab on both sides */

/* Instances of the command line are made before any other, and before init memory goes. */
bool __ref snapshot_at_boot(struct trace_array *tr)
{
	char word[NAME_MAX + 3];

	if (system_state >= SYSTEM_FREEING_INITMEM)
		return false;
	if (trace_array_is_top(tr))
		return alloc_top;
	snprintf(word, sizeof(word), "\t%s\t", tr->name);
	return strstr(names, word);
}

/* The kernel is up, its init memory is about to go. */
void __init ftrace_boot_snapshot(void)
{
	static const char text[] = "** Boot snapshot taken **\n";
	struct trace_array *tr;

	if (!take_snapshots)
		return;
	guard(mutex)(&trace_types_lock);
	for_each_trace_array(tr) {
		if (!snapshot_of(tr) || !rcu_access_pointer(tr->spare))
			continue;
		snapshot_take(tr);
		__trace_array_puts(tr, _THIS_IP_, text, sizeof(text) - 1);
	}
}

static int __init alloc_snapshot_setup(char *str)
{
	if (*str == '=') {
		strlcat(names, *names ? "" : "\t", sizeof(names));
		strlcat(names, str + 1, sizeof(names));
		strlcat(names, "\t", sizeof(names));
	} else {
		alloc_top = true;
		trace_set_ring_buffer_expanded(NULL);
	}
	return 1;
}
__setup("alloc_snapshot", alloc_snapshot_setup);

static int __init boot_snapshot_setup(char *str)
{
	take_snapshots = true;
	return alloc_snapshot_setup(str);
}
__setup("ftrace_boot_snapshot", boot_snapshot_setup);
