/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is recorded beside events: markers, trace_printk(); and exports, copies of what is recorded.
 * Any context, unless a function says otherwise.
 */
#ifndef _KERNEL_TRACE_RECORD_H
#define _KERNEL_TRACE_RECORD_H

#include <linux/fs.h>
#include <linux/jump_label.h>
#include <linux/stdarg.h>
#include <linux/trace.h>

#include "../instance/instance.h"

struct ring_buffer_event;

/* what the room adds to an instance, listed in kernel/trace/init.c */
extern const struct instance_feature trace_marker_feature;
/* printk_formats, option trace_printk_dest */
extern const struct instance_feature trace_printk_feature;

void trace_record_early_init(void);	/* boot */

/* printk.c */
int trace_vbprintk(unsigned long ip, const char *fmt, va_list args);
int trace_vprintk(unsigned long ip, const char *fmt, va_list args);
/* Where trace_printk() and trace_dump_stack() go; option trace_printk_dest */
extern struct trace_array *printk_trace;

/* printk_formats.c */
bool trace_is_tracepoint_string(const char *str);

/* export.c: somebody wants a copy of each event's record: tp_printk, or an export */
DECLARE_STATIC_KEY_FALSE(trace_event_copied);
/* register_ftrace_export() */
DECLARE_STATIC_KEY_FALSE(trace_event_exports_enabled);
DECLARE_STATIC_KEY_FALSE(trace_marker_exports_enabled);
DECLARE_STATIC_KEY_FALSE(trace_function_exports_enabled);
void ftrace_exports(struct ring_buffer_event *event, int flag);

/* A call is about to be committed. */
static __always_inline void trace_export_call(struct ring_buffer_event *event)
{
	if (static_branch_unlikely(&trace_function_exports_enabled))
		ftrace_exports(event, TRACE_EXPORT_FUNCTION);
}

#if IS_ENABLED(CONFIG_KUNIT)
extern const struct file_operations trace_marker_fops;
#endif

#endif /* _KERNEL_TRACE_RECORD_H */
