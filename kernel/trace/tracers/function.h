/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_TRACERS_FUNCTION_H
#define _KERNEL_TRACE_TRACERS_FUNCTION_H

/* init.c: ftrace=function on the command line begins here */
#ifdef CONFIG_FUNCTION_TRACER
void function_tracer_init(void);

/* function_print.c */
void function_printers_init(void);
#else
static inline void function_tracer_init(void)
{
}
#endif

#endif /* _KERNEL_TRACE_TRACERS_FUNCTION_H */
