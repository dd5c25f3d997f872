/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of this room. */
#ifndef _KERNEL_TRACE_RECORD_INTERNAL_H
#define _KERNEL_TRACE_RECORD_INTERNAL_H

#include "record.h"

extern const struct file_operations trace_printk_formats_fops;	/* printk_formats.c */

/* Boot: where stacks begin */
void trace_printk_stacks_init(void);	/* printk.c */
void trace_write_init(void);		/* write.c */
void trace_dump_stack_init(void);	/* stack.c */

void trace_printk_start_comm(void);	/* printk.c */
int trace_printk_args(u32 *to, int nr, const char *fmt, va_list args);	/* printk_args.c */

/* vmlinux.lds: pointers to the formats of trace_printk(), and to TRACEPOINT_STRING()s */
extern const char *__start___trace_bprintk_fmt[];
extern const char *__stop___trace_bprintk_fmt[];
extern const char *__start___tracepoint_str[];
extern const char *__stop___tracepoint_str[];

#endif /* _KERNEL_TRACE_RECORD_INTERNAL_H */
