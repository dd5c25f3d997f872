/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of this room: those that have actions; boot. */
#ifndef _KERNEL_TRACE_TRIGGER_ACTIONS_H
#define _KERNEL_TRACE_TRIGGER_ACTIONS_H

#include "action.h"

void instance_actions_register(void);
void event_actions_register(void);

#endif
