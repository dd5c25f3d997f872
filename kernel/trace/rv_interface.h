/* SPDX-License-Identifier: GPL-2.0-only */
/* Runtime verification, rv/: a client from the base that has files at the top level. */
#ifndef _KERNEL_TRACE_RV_INTERFACE_H
#define _KERNEL_TRACE_RV_INTERFACE_H

int rv_init_interface(void);	/* rv/rv.c; boot, tracefs is up; not 0 after a message */

#endif /* _KERNEL_TRACE_RV_INTERFACE_H */
