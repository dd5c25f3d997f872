/* SPDX-License-Identifier: GPL-2.0-only */
/* What BPF asks about kprobe and uprobe events. */
#ifndef _KERNEL_TRACE_DYNEVENT_PROBE_BPF_H
#define _KERNEL_TRACE_DYNEVENT_PROBE_BPF_H

#include <linux/types.h>

struct trace_event_call;

/**
 * struct uprobe_dispatch_data - current->utask->vaddr points to it while a uprobe event is hit
 * @bp_addr:	where it was hit, for bpf_get_func_ip()
 */
struct uprobe_dispatch_data {
	unsigned long	bp_addr;
};

#ifdef CONFIG_KPROBE_EVENTS
bool trace_kprobe_on_func_entry(struct trace_event_call *call);
bool trace_kprobe_error_injectable(struct trace_event_call *call);
#else
static inline bool trace_kprobe_on_func_entry(struct trace_event_call *call)
{
	return false;
}

static inline bool trace_kprobe_error_injectable(struct trace_event_call *call)
{
	return false;
}
#endif

#endif /* _KERNEL_TRACE_DYNEVENT_PROBE_BPF_H */
