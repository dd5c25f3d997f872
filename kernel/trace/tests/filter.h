/* SPDX-License-Identifier: GPL-2.0-only */
/* Filters for KUnit tests of whole events. */
#ifndef _KERNEL_TRACE_TESTS_FILTER_H
#define _KERNEL_TRACE_TESTS_FILTER_H

#include <kunit/test.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "../events/filter.h"
#include "../filter/filter.h"

/* @text NULL: none. event_mutex held */
static inline void test_filter_set(struct kunit *test, struct trace_event_file *file,
				   const char *text)
{
	struct event_filter *filter = NULL, *old = rcu_dereference_protected(file->filter, true);
	int ret = 0;

	if (text)
		ret = event_filter_create(NULL, file->event_call, text, &filter);
	/* No assertion: the test would end with the mutex. */
	KUNIT_EXPECT_EQ(test, ret, 0);
	if (ret)
		return;
	rcu_assign_pointer(file->filter, filter ?: &event_filter_none);
	assign_bit(EVENT_FILE_FL_FILTERED_BIT, &file->flags, filter);
	tracepoint_synchronize_unregister();
	event_filter_free(old);
}

#endif /* _KERNEL_TRACE_TESTS_FILTER_H */
