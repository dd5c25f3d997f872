/* SPDX-License-Identifier: GPL-2.0-only */
/* What functions were called with, as the function tracers print it. */
#ifndef _KERNEL_TRACE_TRACERS_ARGUMENTS_H
#define _KERNEL_TRACE_TRACERS_ARGUMENTS_H

#include <linux/trace_events.h>

#include "../record/function_entries.h"

/* The arguments at @offset of the current entry, NULL if it was recorded without. */
static inline const unsigned long *recorded_args(const struct trace_iterator *iter,
						 unsigned int offset)
{
	if (iter->ent_size < offset + FTRACE_ARGS_SIZE)
		return NULL;
	return (const unsigned long *)((const char *)iter->ent + offset);
}

void print_function_args(struct trace_seq *s, const unsigned long *args, unsigned long func);

#endif /* _KERNEL_TRACE_TRACERS_ARGUMENTS_H */
