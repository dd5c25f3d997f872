/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rooms above instance/ that keep something of each instance, one pointer each:
 * trace_array.room[]. Only the room's folder names its place: it sets the pointer, and says by
 * functions who else may look behind it, see tracing-rooms.rst.
 */
#ifndef _KERNEL_TRACE_ROOMS_H
#define _KERNEL_TRACE_ROOMS_H

enum trace_room {
	ROOM_RECORD,
	ROOM_OUTPUT,
	ROOM_SNAPSHOT,
	ROOM_EVENTS,
	ROOM_FUNCTION,
	ROOM_HIST,
	ROOM_TRACERS,
	ROOM_LATENCY,
#ifdef CONFIG_TRACE_INSTANCE_KUNIT_TEST
	ROOM_EXAMPLE,
#endif
	NR_TRACE_ROOMS,
};

#endif /* _KERNEL_TRACE_ROOMS_H */
