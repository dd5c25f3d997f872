/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracers that ask what a thread loses that wants a CPU for itself: hwlat (what the kernel does
 * not see), osnoise (all of it, and whose it was), timerlat (how late a timer and the
 * thread that it wakes up come).
 */
#ifndef _KERNEL_TRACE_NOISE_H
#define _KERNEL_TRACE_NOISE_H

#include "../../instance/instance.h"

extern const struct instance_feature hwlat_feature;	/* hwlat_detector/ */
extern const struct instance_feature osnoise_feature;	/* osnoise/ */

#endif /* _KERNEL_TRACE_NOISE_H */
