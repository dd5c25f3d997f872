/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_BRANCH_H
#define _KERNEL_TRACE_BRANCH_H

#include <linux/compiler.h>

struct instance_feature;

/* gathered by the linker */
extern struct ftrace_likely_data __start_annotated_branch_profile[];
extern struct ftrace_likely_data __stop_annotated_branch_profile[];
extern struct ftrace_branch_data __start_branch_profile[];
extern struct ftrace_branch_data __stop_branch_profile[];

extern const struct instance_feature branch_feature;	/* trace_stat/branch_*, option branch */

#endif /* _KERNEL_TRACE_BRANCH_H */
