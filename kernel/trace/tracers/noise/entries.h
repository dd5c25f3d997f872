/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What hwlat, osnoise and timerlat record, as events/ftrace/NAME/format says. Times are in us,
 * but where it says so.
 */
#ifndef _KERNEL_TRACE_NOISE_ENTRIES_H
#define _KERNEL_TRACE_NOISE_ENTRIES_H

#include <linux/string.h>
#include <linux/time64.h>

#include "../../record/entries.h"

/**
 * struct hwlat_entry - a window of hwlat in which something took longer than tracing_thresh
 * @ent: head
 * @duration: most between the two readings of the clock in a round
 * @outer_duration: most between the last reading of a round and the first of the next
 * @nmi_total_ts: spent in NMIs, ns
 * @timestamp: when the last of them was seen, time of day
 * @nmi_count: how many NMIs came
 * @seqnum: of the record, since the tracer was chosen
 * @count: how often in the window it was longer
 */
struct hwlat_entry {
	struct trace_entry	ent;
	u64			duration;
	u64			outer_duration;
	u64			nmi_total_ts;
	struct timespec64	timestamp;
	unsigned int		nmi_count;
	unsigned int		seqnum;
	unsigned int		count;
};

/**
 * struct osnoise_entry - a run of osnoise's thread on a CPU
 * @ent: head
 * @noise: lost in all
 * @runtime: how long the run was
 * @max_sample: lost at one time
 * @hw_count: how often time was lost that nobody in the kernel took
 * @nmi_count: how many NMIs came
 * @irq_count: interrupts
 * @softirq_count: softirqs
 * @thread_count: how often another thread was switched to
 */
struct osnoise_entry {
	struct trace_entry	ent;
	u64			noise;
	u64			runtime;
	u64			max_sample;
	unsigned int		hw_count;
	unsigned int		nmi_count;
	unsigned int		irq_count;
	unsigned int		softirq_count;
	unsigned int		thread_count;
};

enum timerlat_context {
	TIMERLAT_IRQ,		/* the timer's handler runs */
	TIMERLAT_THREAD,	/* the thread that it wakes up does */
	TIMERLAT_USER_RET,	/* the program is back in the kernel */
	TIMERLAT_CONTEXTS
};

/**
 * struct timerlat_entry - how late something is after a timer was to expire
 * @ent: head
 * @seqnum: which time it is that the CPU's timer expires
 * @context: enum timerlat_context
 * @timer_latency: ns
 */
struct timerlat_entry {
	struct trace_entry	ent;
	unsigned int		seqnum;
	int			context;
	u64			timer_latency;
};

/* All but the head of @entry is what stands in @from, an entry of the same type and @size. */
static inline void noise_entry_fill(void *entry, const void *from, size_t size)
{
	const size_t head = sizeof(struct trace_entry);

	memcpy(entry + head, from + head, size - head);
}

static_assert(offsetof(struct hwlat_entry, timestamp) == 32);
static_assert(offsetof(struct hwlat_entry, nmi_count) == 48);
static_assert(offsetof(struct osnoise_entry, hw_count) == 32);
static_assert(offsetof(struct timerlat_entry, timer_latency) == 16);

#endif /* _KERNEL_TRACE_NOISE_ENTRIES_H */
