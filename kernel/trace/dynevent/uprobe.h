/* SPDX-License-Identifier: GPL-2.0-only */
/* Uprobe events, between the files that make, hit and list them. */
#ifndef _KERNEL_TRACE_DYNEVENT_UPROBE_H
#define _KERNEL_TRACE_DYNEVENT_UPROBE_H

#include <linux/path.h>
#include <linux/uprobes.h>

#include "probe.h"

/**
 * struct uprobe_place - a probe in a file, at an instruction or a function's return
 * @probe:	its line
 * @consumer:	of uprobes
 * @uprobe:	while it is armed
 * @path:	the file
 * @filename:	as it was written, probe_text_dup()
 * @offset:	in the file
 * @ref_ctr:	where in the file a counter is that is not 0 while somebody probes; or 0
 * @hits:	how often it was hit, on each CPU
 */
struct uprobe_place {
	struct probe		probe;
	struct uprobe_consumer	consumer;
	struct uprobe		*uprobe;
	struct path		path;
	char			*filename;
	unsigned long		offset;
	unsigned long		ref_ctr;
	unsigned long __percpu	*hits;
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

#ifdef CONFIG_PERF_EVENTS
/* uprobe_perf.c: whom perf's events want to be hit */
struct uprobe_targets;

struct uprobe_targets *uprobe_targets_alloc(void);
bool uprobe_targets_want(struct uprobe_targets *targets, struct mm_struct *mm);
int uprobe_perf_reg(struct trace_event_call *call, enum trace_reg type, void *data);
void uprobe_perf_hit(struct uprobe_place *up, const void *record, unsigned int size,
		     struct pt_regs *regs);
#endif

/* uprobe_command.c, for uprobe_kind */
int uprobe_create(struct dyn_command *cmd);
void uprobe_show_type(struct seq_file *m, const struct probe *p);
void uprobe_show_place(struct seq_file *m, const struct probe *p);
bool uprobe_is_at(const struct probe *p, const char *word);
void uprobe_free(struct dyn_event *ev);
int uprobe_show_profile(struct seq_file *m, struct dyn_event *ev);

#endif /* _KERNEL_TRACE_DYNEVENT_UPROBE_H */
