/* SPDX-License-Identifier: GPL-2.0-only */
/* Uprobe events, between the files that make, hit and list them. */
#ifndef _KERNEL_TRACE_DYNEVENT_UPROBE_H
#define _KERNEL_TRACE_DYNEVENT_UPROBE_H

#include <linux/path.h>
#include <linux/rcupdate.h>
#include <linux/uprobes.h>
#include <linux/workqueue.h>

#include "probe.h"

/**
 * struct uprobe_armed - from when a place is armed until nobody is in a hit of that any more
 * @consumer:	of uprobes: it may not be registered again while somebody is in a hit
 * @up:		the place
 * @uprobe:	what uprobe_register() gave
 * @rcu:	for freeing it
 */
struct uprobe_armed {
	struct uprobe_consumer	consumer;
	struct uprobe_place	*up;
	struct uprobe		*uprobe;
	struct rcu_head		rcu;
};

/**
 * struct uprobe_place - a probe in a file, at an instruction or a function's return
 * @probe:	its line
 * @armed:	while it is armed, else NULL; event_mutex
 * @path:	the file
 * @filename:	as it was written, probe_text_dup()
 * @offset:	in the file
 * @ref_ctr:	where in the file a counter is that is not 0 while somebody probes; or 0
 * @hits:	how often it was hit, on each CPU
 * @rcu:	for freeing it
 * @reap:	likewise
 */
struct uprobe_place {
	struct probe		probe;
	struct uprobe_armed	*armed;
	struct path		path;
	char			*filename;
	unsigned long		offset;
	unsigned long		ref_ctr;
	unsigned long __percpu	*hits;
	struct rcu_head		rcu;
	struct work_struct	reap;
};

extern struct probe_kind uprobe_kind;

static inline struct uprobe_place *uprobe_place_of(const struct probe *p)
{
	return container_of(p, struct uprobe_place, probe);
}

/* uprobe.c; task. With @path, which it takes over if all goes well. */
struct uprobe_place *uprobe_place_alloc(const char *filename, const struct path *path,
					unsigned long offset, unsigned long ref_ctr);
void uprobe_place_free(struct uprobe_place *up);	/* its probe is freed already */
void uprobe_place_free_later(struct uprobe_place *up);	/* with its probe; event_mutex */

int uprobe_place_apply(struct uprobe_place *up, bool add);	/* event_mutex */

/* uprobe_perf.c: whom perf's events want to be hit */
struct uprobe_targets;

struct uprobe_targets *uprobe_targets_alloc(void);
bool uprobe_targets_want(struct uprobe_targets *targets, const struct mm_struct *mm,
			 bool or_forking);
int uprobe_perf_reg(struct trace_event_call *call, enum trace_reg type, void *data);
void uprobe_perf_hit(struct uprobe_place *up, const void *record, unsigned int size,
		     struct pt_regs *regs);

/* uprobe_command.c */
PROBE_LINE_FUNCS(uprobe);

#endif /* _KERNEL_TRACE_DYNEVENT_UPROBE_H */
