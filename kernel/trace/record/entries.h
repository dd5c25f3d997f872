/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixed entries: records that are not TRACE_EVENTs.
 *
 * Their layout is ABI (events/ftrace/NAME/format), their numbers are what libtraceevent and
 * perf see as IDs below the first event's. Types that belong to tracers which
 * are not built keep their number and their format file.
 */
#ifndef _KERNEL_TRACE_ENTRIES_H
#define _KERNEL_TRACE_ENTRIES_H

#include <linux/trace_events.h>

enum trace_type {
	__TRACE_FIRST_TYPE = 0,

	TRACE_FN, TRACE_CTX, TRACE_WAKE, TRACE_STACK,
	TRACE_PRINT, TRACE_BPRINT, TRACE_MMIO_RW, TRACE_MMIO_MAP,
	TRACE_BRANCH, TRACE_GRAPH_RET, TRACE_GRAPH_ENT, TRACE_USER_STACK,
	TRACE_BLK, TRACE_BPUTS, TRACE_HWLAT, TRACE_OSNOISE,
	TRACE_TIMERLAT, TRACE_RAW_DATA, TRACE_FUNC_REPEATS,

	/* of later kernels: behind those of this one, which keep their numbers */
	TRACE_GRAPH_RETADDR_ENT,

	__TRACE_LAST_TYPE,
};

#define FTRACE_STACK_ENTRIES	8

/* trace_marker and trace_printk() with a variable format */
struct print_entry {
	struct trace_entry	ent;
	unsigned long		ip;
	char			buf[];
};

/* trace_printk() with a constant format: arguments in binary, see bstr_printf() */
struct bprint_entry {
	struct trace_entry	ent;
	unsigned long		ip;
	const char		*fmt;
	u32			buf[];
};

/* trace_puts() of a constant string */
struct bputs_entry {
	struct trace_entry	ent;
	unsigned long		ip;
	const char		*str;
};

/* trace_marker_raw */
struct raw_data_entry {
	struct trace_entry	ent;
	unsigned int		id;
	char			buf[];
};

struct stack_entry {
	struct trace_entry	ent;
	int			size;
	unsigned long		caller[];
};

struct userstack_entry {
	struct trace_entry	ent;
	unsigned int		tgid;
	unsigned long		caller[FTRACE_STACK_ENTRIES];
};

#endif /* _KERNEL_TRACE_ENTRIES_H */
