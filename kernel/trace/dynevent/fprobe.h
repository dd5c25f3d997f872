/* SPDX-License-Identifier: GPL-2.0-only */
/* Events on functions and on tracepoints, between the files that make, hit and list them. */
#ifndef _KERNEL_TRACE_DYNEVENT_FPROBE_H
#define _KERNEL_TRACE_DYNEVENT_FPROBE_H

#include "../function/graph/hooks.h"
#include "probe.h"
#include "probe_reap.h"

struct module;
struct tracepoint;

/**
 * struct fprobe_place - a probe at the entry or the return of a function, or at a tracepoint
 * @probe:	its line
 * @hook:	at a return; at an entry, and at a tracepoint's stub, only its gops.ops
 * @symbol:	[MODULE:]FUNCTION, or the tracepoint, as it was written
 * @maxactive:	as it was written; nothing depends on it
 * @missed:	hits that were not recorded, as they came from within a callback or found no room
 *		for a record, and calls that found the shadow stack full
 * @wanted:	its event has users; event_mutex
 * @on:		the function calls it; event_mutex
 * @mod:	while @on: what it is in, NULL for the kernel
 * @tp:		while @on: the tracepoint
 * @reap:	about to be freed
 */
struct fprobe_place {
	struct probe		probe;
	struct graph_hook	hook;
	char			*symbol;
	int			maxactive;
	unsigned long		missed;
	bool			wanted;
	bool			on;
	struct module		*mod;
	struct tracepoint	*tp;
	struct probe_reap	reap;
};

extern struct probe_kind fprobe_kind;

static inline struct fprobe_place *fprobe_place_of(const struct probe *p)
{
	return container_of(p, struct fprobe_place, probe);
}

static inline bool fprobe_place_traces(const struct fprobe_place *f)
{
	return f->probe.at & PROBE_TRACEPOINT;
}

/* fprobe.c: it was not listed; it was stopped; it was not listed, and its probe is freed already */
bool fprobe_place_keep(struct fprobe_place *f);
void fprobe_place_free_later(struct fprobe_place *f);
void fprobe_place_free(struct fprobe_place *f);

/* tprobe.c; event_mutex */
struct tracepoint *tprobe_find(const char *name);
int tprobe_stub_get(struct tracepoint *tp);
void tprobe_stub_put(struct tracepoint *tp);

/* fprobe_command.c */
PROBE_LINE_FUNCS(fprobe);

#endif /* _KERNEL_TRACE_DYNEVENT_FPROBE_H */
