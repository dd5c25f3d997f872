/* SPDX-License-Identifier: GPL-2.0-only */
/* Probe events under the name that bpf_trace.c includes. */
#ifndef _LINUX_KERNEL_TRACE_PROBE_H
#define _LINUX_KERNEL_TRACE_PROBE_H

#include "trace.h"
#include "dynevent/probe_bpf.h"

#endif /* _LINUX_KERNEL_TRACE_PROBE_H */
