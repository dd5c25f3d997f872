/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_GRACE_H
#define _KERNEL_TRACE_GRACE_H

void trace_synchronize_rcu(void);

#endif /* _KERNEL_TRACE_GRACE_H */
