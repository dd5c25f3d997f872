/* SPDX-License-Identifier: GPL-2.0-only */
/* What a file that can be mapped needs beyond <linux/ring_buffer.h>. */
#ifndef _TRACE_RING_BUFFER_MAP_H
#define _TRACE_RING_BUFFER_MAP_H

#include <linux/mm_types.h>

vm_fault_t ring_buffer_map_fault(struct vm_fault *vmf);

#endif /* _TRACE_RING_BUFFER_MAP_H */
