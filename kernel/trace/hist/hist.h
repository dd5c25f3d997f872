/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Histograms: triggers that count, sum up and remember what events say, by keys.
 * Documentation/trace/hist-triggers.rst has the path of a hit.
 */
#ifndef _KERNEL_TRACE_HIST_H
#define _KERNEL_TRACE_HIST_H

#include "../instance/instance.h"

extern const struct instance_feature hist_feature;

#ifdef CONFIG_HIST_TRIGGERS
void hist_init(void);	/* boot, between event_triggers_init() and event_triggers_boot() */
#else
static inline void hist_init(void) { }
#endif

#endif /* _KERNEL_TRACE_HIST_H */
