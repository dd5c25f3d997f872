/* SPDX-License-Identifier: GPL-2.0-only */
/* The printers' interface under the name that blktrace.c includes. */
#ifndef __TRACE_EVENTS_H
#define __TRACE_EVENTS_H

#include <linux/trace_seq.h>
#include "trace.h"

#endif
