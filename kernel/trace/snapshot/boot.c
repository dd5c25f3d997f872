// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots on the command line:
 *
 *	alloc_snapshot[=INSTANCE]	have the spare buffer from the start
 *	ftrace_boot_snapshot[=INSTANCE]	and take a snapshot when the kernel is up
 */
#include <linux/array_size.h>
#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/string.h>

#include "internal.h"

static bool alloc_top __initdata;
static bool take_snapshots __initdata;

/* Of instances, where they stand on the command line, which stays. */
static char *names[32] __initdata;
static int nr_names __initdata;

/* Instances of the command line are made before any other, and before init memory goes. */
bool __ref snapshot_at_boot(struct trace_array *tr)
{
	if (system_state >= SYSTEM_FREEING_INITMEM)
		return false;
	if (trace_array_is_top(tr))
		return alloc_top;
	for (int i = 0; i < nr_names; i++)
		if (!strcmp(names[i], tr->name))
			return true;
	return false;
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
	if (*str != '=') {
		alloc_top = true;
		trace_set_ring_buffer_expanded(NULL);
	} else if (nr_names < ARRAY_SIZE(names)) {
		names[nr_names++] = str + 1;
	} else {
		pr_warn("tracing: no snapshot from the start in %s: there are too many\n", str + 1);
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
