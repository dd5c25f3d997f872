/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of tracepoints see of kernel/tracepoint.c.
 */
#ifndef _KERNEL_TRACEPOINT_H
#define _KERNEL_TRACEPOINT_H

#include <kunit/visibility.h>

struct tracepoint_func;

#if IS_ENABLED(CONFIG_KUNIT)
struct tracepoint_func *tracepoint_alloc_probes(unsigned int nr);
#endif

#endif /* _KERNEL_TRACEPOINT_H */
