/* SPDX-License-Identifier: GPL-2.0-only */
/* What probe_event.c gives to each event that it makes, which is in files of its own. */
#ifndef _KERNEL_TRACE_DYNEVENT_PROBE_EVENT_H
#define _KERNEL_TRACE_DYNEVENT_PROBE_EVENT_H

#include <linux/trace_events.h>

struct probe_event;

/* probe_format.c */
extern struct trace_event_fields probe_event_fields[];
extern struct trace_event_functions probe_event_funcs;
char *probe_print_fmt(const struct probe_event *e);

/* probe_switch.c */
int probe_event_reg(struct trace_event_call *call, enum trace_reg type, void *data);

#endif /* _KERNEL_TRACE_DYNEVENT_PROBE_EVENT_H */
