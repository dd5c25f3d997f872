/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The oldest of several: a heap with one time for each CPU that has an entry
 * to show. A reader that takes an entry replaces that CPU's time by the one of
 * its next entry, so a line costs one sift over log2(CPUs) levels and looks at
 * no buffer but the one it came from. Equal times go by CPU number.
 *
 * Nothing here locks; a heap belongs to one reader.
 */
#ifndef _KERNEL_TRACE_OUTPUT_MERGE_H
#define _KERNEL_TRACE_OUTPUT_MERGE_H

#include <linux/minmax.h>
#include <linux/types.h>

struct trace_merge_head {
	u64	ts;
	int	cpu;
};

struct trace_merge {
	unsigned int		nr;
	struct trace_merge_head	*head;	/* room for every possible CPU */
};

static inline bool trace_merge_before(const struct trace_merge_head *a,
				      const struct trace_merge_head *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->cpu < b->cpu);
}

static inline void trace_merge_sink(struct trace_merge *m, unsigned int at)
{
	unsigned int child;

	while ((child = 2 * at + 1) < m->nr) {
		if (child + 1 < m->nr &&
		    trace_merge_before(&m->head[child + 1], &m->head[child]))
			child++;
		if (!trace_merge_before(&m->head[child], &m->head[at]))
			return;
		swap(m->head[at], m->head[child]);
		at = child;
	}
}

static inline void trace_merge_clear(struct trace_merge *m)
{
	m->nr = 0;
}

/* @cpu has an entry of time @ts; it must not be in the heap yet. */
static inline void trace_merge_add(struct trace_merge *m, u64 ts, int cpu)
{
	unsigned int at = m->nr++;

	m->head[at].ts = ts;
	m->head[at].cpu = cpu;
	while (at && trace_merge_before(&m->head[at], &m->head[(at - 1) / 2])) {
		swap(m->head[at], m->head[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

/* The oldest, or NULL. */
static inline const struct trace_merge_head *trace_merge_first(const struct trace_merge *m)
{
	return m->nr ? &m->head[0] : NULL;
}

/* The CPU of the oldest entry goes on with one of time @ts. */
static inline void trace_merge_replace_first(struct trace_merge *m, u64 ts)
{
	m->head[0].ts = ts;
	trace_merge_sink(m, 0);
}

/* The CPU of the oldest entry has no more. */
static inline void trace_merge_drop_first(struct trace_merge *m)
{
	m->head[0] = m->head[--m->nr];
	trace_merge_sink(m, 0);
}

#endif /* _KERNEL_TRACE_OUTPUT_MERGE_H */
