/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of snapshot/ share among themselves and with nobody else. */
#ifndef _KERNEL_TRACE_SNAPSHOT_INTERNAL_H
#define _KERNEL_TRACE_SNAPSHOT_INTERNAL_H

#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../irq_work.h"
#include "snapshot.h"

/**
 * struct trace_snapshot - what an instance has of snapshots: trace_array.room[ROOM_SNAPSHOT]
 * @tr:		the instance
 * @holders:	who has to be able to take one; tr->spare_lock
 * @wanted:	a user asked for the spare; tr->spare_lock
 * @taken:	a snapshot lies in the spare; set by whoever takes one, cleared under tr->spare_lock
 * @claimed:	the spare is a tracer's, snapshot_claim(); tr->spare_lock, read anywhere
 * @mapped:	mappings of the buffer, which cannot be swapped then; tr->spare_lock, read anywhere
 * @late:	one was asked for that could not be taken at once; any context
 * @irq_work:	starts @work, from any context
 * @work:	takes the one that is late
 * @lock:	of the exchange, and of @update and @cond_data; see snapshot_lock()
 * @update:	decides whether a snapshot is taken; NULL: there are no conditions. Set with
 *		tr->spare_lock held as well
 * @cond_data:	of who set @update
 */
struct trace_snapshot {
	struct trace_array	*tr;
	unsigned int		holders;
	bool			wanted;
	bool			taken;
	bool			claimed;
	unsigned int		mapped;
	bool			late;
	struct trace_irq_work	irq_work;
	struct work_struct	work;
	raw_spinlock_t		lock;	/* see above */
	bool			(*update)(struct trace_array *tr, void *cond_data);
	void			*cond_data;
};

static inline struct trace_snapshot *snapshot_of(const struct trace_array *tr)
{
	return tr->room[ROOM_SNAPSHOT];
}

/* snapshot.c; tr->spare_lock held */
int snapshot_hold_alone(struct trace_array *tr);
int snapshot_want(struct trace_array *tr);
void snapshot_unwant(struct trace_array *tr);
int snapshot_take_now(struct trace_array *tr, int cpu);

/* snapshot.c: any context but NMI, and not in a snapshot of the same CPU */
void snapshot_lock(struct trace_snapshot *s, unsigned long *flags);
void snapshot_unlock(struct trace_snapshot *s, unsigned long *flags);

/* snapshot.c: any context */
void tracing_snapshot_instance_cond(struct trace_array *tr, void *cond_data);

/* snapshot_file.c */
void snapshot_files(struct trace_array *tr, struct dentry *dir);
int snapshot_file_set(struct file *file, unsigned long value);
void snapshot_cpu_files(struct trace_array *tr, struct dentry *dir, int cpu);

/* boot.c: the command line asks for a spare in @tr. event_mutex and trace_types_lock held */
bool snapshot_at_boot(struct trace_array *tr);

#endif /* _KERNEL_TRACE_SNAPSHOT_INTERNAL_H */
