/* SPDX-License-Identifier: GPL-2.0-only */
/* Freeing probes that were on call sites of functions: one wait for all that go meanwhile. */
#ifndef _KERNEL_TRACE_DYNEVENT_PROBE_REAP_H
#define _KERNEL_TRACE_DYNEVENT_PROBE_REAP_H

#include <linux/list.h>

/**
 * struct probe_reap - something that is off its call sites and goes; embed it
 * @list:	of all that go
 * @free:	frees it. Task, event_mutex
 */
struct probe_reap {
	struct list_head	list;
	void			(*free)(struct probe_reap *reap);
};

#ifdef CONFIG_FUNCTION_TRACER
void probe_reap(struct probe_reap *reap, void (*free)(struct probe_reap *reap));
#else
/* Without call sites there is nobody who comes here. */
static inline void probe_reap(struct probe_reap *reap, void (*free)(struct probe_reap *reap)) { }
#endif

#endif /* _KERNEL_TRACE_DYNEVENT_PROBE_REAP_H */
