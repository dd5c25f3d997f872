/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of wake-ups and context switches, beside the events; their layout is ABI. */
#ifndef _KERNEL_TRACE_SWITCH_ENTRIES_H
#define _KERNEL_TRACE_SWITCH_ENTRIES_H

#include <linux/trace_events.h>

/* TRACE_CTX, and TRACE_WAKE, where @prev_* is who wakes and @next_* who is woken */
struct ctx_switch_entry {
	struct trace_entry	ent;
	unsigned int		prev_pid;
	unsigned int		next_pid;
	unsigned int		next_cpu;
	unsigned char		prev_prio;
	unsigned char		prev_state;
	unsigned char		next_prio;
	unsigned char		next_state;
};

#endif /* _KERNEL_TRACE_SWITCH_ENTRIES_H */
