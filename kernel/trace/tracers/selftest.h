/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_TRACERS_SELFTEST_H
#define _KERNEL_TRACE_TRACERS_SELFTEST_H

/* selftest_function.c: a function that can be traced, which those of this directory cannot */
int trace_selftest_function(int x);

#endif /* _KERNEL_TRACE_TRACERS_SELFTEST_H */
