/* SPDX-License-Identifier: GPL-2.0-only */
/* An event for KUnit tests that is in no registry: its class counts who wants it to happen. */
#ifndef _KERNEL_TRACE_EVENTS_TEST_H
#define _KERNEL_TRACE_EVENTS_TEST_H

#include <linux/limits.h>
#include <linux/trace_events.h>

#include "../instance/instance.h"

static int registered, reg_error;
static int reg_left = INT_MAX;	/* how often there is memory */

static int counting_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	if (type == TRACE_REG_REGISTER) {
		if (reg_error)
			return reg_error;
		if (reg_left-- <= 0)
			return -ENOMEM;
		registered++;
	} else if (type == TRACE_REG_UNREGISTER) {
		registered--;
	}
	return 0;
}

static struct trace_event_class class = { .system = "kunit", .reg = counting_reg };
static struct trace_event_call call = { .class = &class, .name = "kunit" };
static struct trace_event_file file;

static void counted_event_init(void)
{
	registered = 0;
	reg_error = 0;
	reg_left = INT_MAX;
	memset(&file, 0, sizeof(file));
	file.event_call = &call;
	file.tr = &global_trace;
	refcount_set(&file.ref, 1);
	INIT_LIST_HEAD(&file.triggers);
}

#endif /* _KERNEL_TRACE_EVENTS_TEST_H */
