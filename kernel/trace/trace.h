/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the clients that this directory keeps from the base (blktrace, bpf_trace,
 * power-traces, ...): the rooms' headers under the name that they include.
 * Our own code includes what it needs from the rooms.
 */
#ifndef _LINUX_KERNEL_TRACE_H
#define _LINUX_KERNEL_TRACE_H

#include <linux/ftrace.h>
#include <linux/trace.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>

#include "instance/instance.h"
#include "instance/tracer.h"
#include "tasks/tasks.h"
#include "record/entries.h"
#include "record/record.h"
#include "record/write.h"
#include "output/output.h"
#include "snapshot/snapshot.h"
#include "events/events.h"
#include "rv_interface.h"

#endif /* _LINUX_KERNEL_TRACE_H */
