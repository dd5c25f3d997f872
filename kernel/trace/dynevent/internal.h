/* SPDX-License-Identifier: GPL-2.0-only */
/* Between dynevent.c, release.c and dynamic_events.c: the registry. event_mutex is held. */
#ifndef _KERNEL_TRACE_DYNEVENT_INTERNAL_H
#define _KERNEL_TRACE_DYNEVENT_INTERNAL_H

#include "dynevent.h"

extern struct list_head dyn_event_kinds;

void dyn_events_take_away(struct list_head *gone);

#endif /* _KERNEL_TRACE_DYNEVENT_INTERNAL_H */
