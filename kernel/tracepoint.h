/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of tracepoints: the linker's array of them, and what the tests see of
 * kernel/tracepoint.c.
 */
#ifndef _KERNEL_TRACEPOINT_H
#define _KERNEL_TRACEPOINT_H

#include <kunit/visibility.h>
#include <linux/tracepoint-defs.h>

extern tracepoint_ptr_t __start___tracepoints_ptrs[];
extern tracepoint_ptr_t __stop___tracepoints_ptrs[];

#if IS_ENABLED(CONFIG_KUNIT)
struct tracepoint_func *tracepoint_alloc_probes(unsigned int nr);
#endif

#endif /* _KERNEL_TRACEPOINT_H */
