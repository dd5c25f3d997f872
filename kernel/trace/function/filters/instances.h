/* SPDX-License-Identifier: GPL-2.0-only */
/* What function tracing adds to every instance, for init.c. */
#ifndef _KERNEL_TRACE_FUNCTION_INSTANCES_H
#define _KERNEL_TRACE_FUNCTION_INSTANCES_H

#include "../../instance/instance.h"

#ifdef CONFIG_FUNCTION_TRACER
extern const struct instance_feature function_feature;	/* filters, lists, commands */
extern const struct instance_feature function_pid_feature;

void function_early_init(void);
#else
static inline void function_early_init(void) { }
#endif

#endif /* _KERNEL_TRACE_FUNCTION_INSTANCES_H */
