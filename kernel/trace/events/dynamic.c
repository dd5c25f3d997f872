// SPDX-License-Identifier: GPL-2.0-only
/* References on events that come and go at run time: <linux/trace_events_dynevent.h>. */
#include <linux/trace_events.h>

#include "internal.h"

/**
 * trace_event_dyn_try_get_ref - keep an event from being removed
 * @call: the event, which has TRACE_EVENT_FL_DYNAMIC and was found under event_mutex
 *
 * Context: task, event_mutex.
 * Return: true.
 */
bool trace_event_dyn_try_get_ref(struct trace_event_call *call)
{
	lockdep_assert_held(&event_mutex);
	atomic_inc(&call->refcnt);
	return true;
}

/**
 * trace_event_dyn_put_ref - give a reference back
 * @call: the event
 *
 * Context: any.
 */
void trace_event_dyn_put_ref(struct trace_event_call *call)
{
	if (WARN_ON_ONCE(atomic_dec_return(&call->refcnt) < 0))
		atomic_set(&call->refcnt, 0);
}
