// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recording a hit of a probe. How long a record with strings becomes is not known before they are
 * read; so such a record is made in a scratch buffer of this CPU first, in one pass, and copied for
 * each who wants it. All others are made where they will stay.
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include <asm/local.h>

#include "../events/events.h"
#include "../events/perf.h"
#include "../missed.h"
#include "probe.h"
#include "probe_hit.h"
#include "probe_prog.h"

/*
 * Two for each level that may interrupt another, as writers of the ring buffer have: a
 * trigger of the event whose record is in the one makes another event happen. @taken while somebody
 * is in. What nests has gone when the interrupted one goes on, so nothing has to be atomic. Larger
 * records than this have no place in a sub-buffer of the usual size.
 */
#define SCRATCH_LEVELS	8
#define SCRATCH_SIZE	4000

struct scratch {
	bool	taken;
	u64	data[SCRATCH_SIZE / sizeof(u64)];
};

static struct scratch __percpu *probe_scratches;

static_assert(SCRATCH_LEVELS * sizeof(struct scratch) <= PCPU_MIN_UNIT_SIZE);
/* whatever is in front of the arguments: the header, and up to two words */
static_assert(sizeof(struct trace_entry) + 2 * sizeof(long) + PROBE_MAX_SIZE <= SCRATCH_SIZE);

/**
 * probe_scratch_alloc - there will be a record with strings
 *
 * The scratch buffers stay for ever.
 *
 * Context: task.
 * Return: 0 or -ENOMEM.
 */
int probe_scratch_alloc(void)
{
	struct scratch __percpu *scratches, *old = NULL;

	if (READ_ONCE(probe_scratches))
		return 0;
	scratches = __alloc_percpu(SCRATCH_LEVELS * sizeof(*scratches), __alignof__(*scratches));
	if (!scratches)
		return -ENOMEM;
	if (!try_cmpxchg(&probe_scratches, &old, scratches))
		free_percpu(scratches);
	return 0;
}

static nokprobe_inline struct scratch *scratch_get(void)
{
	struct scratch *scratch = this_cpu_ptr(probe_scratches);

	for (int i = 0; i < SCRATCH_LEVELS; i++, scratch++) {
		if (scratch->taken)
			continue;
		WRITE_ONCE(scratch->taken, true);
		barrier();	/* what interrupts us sees it taken */
		return scratch;
	}
	return NULL;
}

static nokprobe_inline void scratch_put(struct scratch *scratch)
{
	barrier();
	WRITE_ONCE(scratch->taken, false);
}

static nokprobe_inline void put_head(const struct probe *p, void *record,
				     const unsigned long *head)
{
	unsigned long *to = record + sizeof(struct trace_entry);
	unsigned int size = p->prog->base;

	/* none, one or two */
	if (size > sizeof(struct trace_entry))
		to[0] = head[0];
	if (size > sizeof(struct trace_entry) + sizeof(long))
		to[1] = head[1];
}

static nokprobe_inline void copy_body(void *to, const void *from, unsigned int size)
{
	memcpy(to + sizeof(struct trace_entry), from + sizeof(struct trace_entry),
	       size - sizeof(struct trace_entry));
}

/* A call is either a hit or a miss. */
static noinline void count_missed(const struct probe *p)
{
	if (p->missed)
		trace_count_missed(p->missed);
	if (p->hits)
		local_dec((local_t *)this_cpu_ptr(p->hits));
}

NOKPROBE_SYMBOL(count_missed);

/* A program with strings: makes the record in a scratch buffer. NULL: none is left; counted. */
static nokprobe_inline struct scratch *make(const struct probe *p, const struct probe_source *src,
					    const unsigned long *head, unsigned int *size)
{
	struct scratch *scratch = scratch_get();

	if (unlikely(!scratch)) {
		count_missed(p);
		return NULL;
	}
	put_head(p, scratch->data, head);
	*size = probe_run(p->prog, src, scratch->data, SCRATCH_SIZE);
	return scratch;
}

/* --- trace buffers */

static nokprobe_inline void record_copy(struct trace_event_file *file, const void *record,
					unsigned int size, struct pt_regs *regs)
{
	struct trace_event_buffer fbuffer __uninitialized;
	void *entry;

	if (trace_trigger_soft_disabled(file))
		return;
	entry = trace_event_buffer_reserve(&fbuffer, file, size);
	if (!entry)
		return;
	fbuffer.regs = regs;
	copy_body(entry, record, size);
	trace_event_buffer_commit(&fbuffer);
}

/**
 * probe_record_copy - record what a program has made already
 * @file: the event in an instance
 * @record: the record; its header is not looked at
 * @size: bytes of it
 *
 * Context: any, preemption off.
 */
void probe_record_copy(struct trace_event_file *file, const void *record, unsigned int size)
{
	record_copy(file, record, size, NULL);
}

static nokprobe_inline void record_in_place(const struct probe *p, const struct probe_source *src,
					    const unsigned long *head, struct pt_regs *regs,
					    struct trace_event_file *file)
{
	struct trace_event_buffer fbuffer __uninitialized;
	void *entry;

	if (trace_trigger_soft_disabled(file))
		return;
	entry = trace_event_buffer_reserve(&fbuffer, file, p->prog->size);
	if (!entry)
		return;
	fbuffer.regs = regs;
	put_head(p, entry, head);
	probe_run(p->prog, src, entry, p->prog->size);
	trace_event_buffer_commit(&fbuffer);
}

/**
 * probe_record_file - record a hit in one instance
 * @p: the probe
 * @src: what its program may fetch from
 * @head: the words in front of the arguments
 * @regs: for a stack trace, or NULL
 * @file: the event in the instance
 *
 * Context: any, preemption off.
 */
void probe_record_file(const struct probe *p, const struct probe_source *src,
		       const unsigned long *head, struct pt_regs *regs,
		       struct trace_event_file *file)
{
	struct scratch *scratch;
	unsigned int size;

	if (!p->prog->strings) {
		record_in_place(p, src, head, regs, file);
		return;
	}
	scratch = make(p, src, head, &size);
	if (!scratch)
		return;
	record_copy(file, scratch->data, size, regs);
	scratch_put(scratch);
}

NOKPROBE_SYMBOL(probe_record_file);

/**
 * probe_record - record a hit in all instances that want it
 * @p: the probe
 * @src: what its program may fetch from
 * @head: the words in front of the arguments
 * @regs: for stack traces, or NULL
 *
 * Context: any, preemption off.
 * Return: false if there is no room to make it, which is counted: for others there is none, either.
 */
bool probe_record(const struct probe *p, const struct probe_source *src,
		  const unsigned long *head, struct pt_regs *regs)
{
	const struct probe_file *pf;
	struct scratch *scratch;
	unsigned int size;

	if (!p->prog->strings) {
		list_for_each_entry_rcu(pf, &p->event->files, list, true)
			record_in_place(p, src, head, regs, pf->file);
		return true;
	}
	scratch = make(p, src, head, &size);
	if (!scratch)
		return false;
	list_for_each_entry_rcu(pf, &p->event->files, list, true)
		record_copy(pf->file, scratch->data, size, regs);
	scratch_put(scratch);
	return true;
}

NOKPROBE_SYMBOL(probe_record);

/**
 * probe_record_moves_rest - what is rare in probe_record_moves()
 * @p: the probe
 * @fbuffer: with a record that has begun
 * @to: the record
 * @head: the words in front of the arguments
 * @fregs: the function's registers, or NULL
 * @entry: what was kept of its entry, or NULL
 * @record: that of the event that it is attached to, or NULL
 *
 * Context: any, preemption off.
 */
void probe_record_moves_rest(const struct probe *p, struct trace_event_buffer *fbuffer, void *to,
			     const unsigned long *head, struct ftrace_regs *fregs,
			     const unsigned long *entry, const void *record)
{
	unsigned int nr_heads = probe_event_heads(p->event);
	unsigned int size = p->prog->size;
	struct pt_regs regs __uninitialized;

	/* A record on the stack may be copied up to the end of its last half word. */
	if (!IS_ALIGNED(size, sizeof(u32)))
		*(u32 *)(to + round_down(size, sizeof(u32))) = 0;
	probe_fill_moves(to, p->prog, head, nr_heads, fregs, entry, record);
	/* a stack begins in the function, or where it returns to */
	fbuffer->regs = fregs ? probe_regs(&regs, head, nr_heads, fregs) : NULL;
	trace_event_buffer_commit(fbuffer);
}

NOKPROBE_SYMBOL(probe_record_moves_rest);

/* --- perf */

#ifdef CONFIG_PERF_EVENTS
/**
 * probe_record_perf_copy - give perf what a program has made already
 * @p: the probe
 * @record: the record; its header is not looked at
 * @size: bytes of it
 * @regs: where it was
 *
 * Context: any, preemption off.
 */
void probe_record_perf_copy(const struct probe *p, const void *record, unsigned int size,
			    struct pt_regs *regs)
{
	struct trace_event_call *call = &p->event->call;
	struct hlist_head *users = perf_trace_list(call);
	unsigned int total = PERF_RECORD_SIZE(size);
	void *entry;
	int rctx;

	if (!users || hlist_empty(users))
		return;
	entry = perf_trace_buf_alloc(total, NULL, &rctx);
	if (!entry)
		return;
	copy_body(entry, record, size);
	memset(entry + size, 0, total - size);
	perf_trace_buf_submit(entry, total, rctx, call->event.type, 1, regs, users, NULL);
}

NOKPROBE_SYMBOL(probe_record_perf_copy);

/**
 * probe_record_perf - give perf a hit
 * @p: the probe
 * @src: what its program may fetch from
 * @head: the words in front of the arguments
 * @regs: where it was
 *
 * Context: any, preemption off.
 */
void probe_record_perf(const struct probe *p, const struct probe_source *src,
		       const unsigned long *head, struct pt_regs *regs)
{
	struct trace_event_call *call = &p->event->call;
	struct hlist_head *users = perf_trace_list(call);
	unsigned int size = p->prog->size, total = PERF_RECORD_SIZE(size);
	struct scratch *scratch;
	void *entry;
	int rctx;

	if (!users || hlist_empty(users))
		return;
	if (p->prog->strings) {
		scratch = make(p, src, head, &size);
		if (!scratch)
			return;
		probe_record_perf_copy(p, scratch->data, size, regs);
		scratch_put(scratch);
		return;
	}
	entry = perf_trace_buf_alloc(total, NULL, &rctx);
	if (!entry)
		return;
	put_head(p, entry, head);
	probe_run(p->prog, src, entry, size);
	memset(entry + size, 0, total - size);
	perf_trace_buf_submit(entry, total, rctx, call->event.type, 1, regs, users, NULL);
}

NOKPROBE_SYMBOL(probe_record_perf);
#endif
