/* SPDX-License-Identifier: GPL-2.0-only */
/* recursed.c, CONFIG_FTRACE_RECORD_RECURSION: what ftrace_record_recursion() was told. */
#ifndef _KERNEL_TRACE_RECURSED_H
#define _KERNEL_TRACE_RECURSED_H

#include <linux/types.h>

struct recursed {
	unsigned long	ip;		/* 0: free, and so are all behind it */
	unsigned long	parent_ip;
};

bool recursed_get(unsigned int i, struct recursed *entry);
void recursed_clear(void);

#endif /* _KERNEL_TRACE_RECURSED_H */
