/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clocks that may stamp trace events. Every one of them may be called from
 * any context, NMI included, and takes no lock.
 */
#ifndef _LINUX_TRACE_CLOCK_H
#define _LINUX_TRACE_CLOCK_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <asm/trace_clock.h>

u64 notrace trace_clock_local(void);
u64 notrace trace_clock(void);
u64 notrace trace_clock_jiffies(void);
u64 notrace trace_clock_global(void);
u64 notrace trace_clock_counter(void);

#endif /* _LINUX_TRACE_CLOCK_H */
