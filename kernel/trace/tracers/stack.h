/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_STACK_H
#define _KERNEL_TRACE_STACK_H

struct instance_feature;

extern const struct instance_feature stack_tracer_feature;	/* files of the top level */

#endif /* _KERNEL_TRACE_STACK_H */
