/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events as perf counters and samples. Included through
 * <linux/trace_events.h>.
 */
#ifndef _LINUX_TRACE_EVENTS_PERF_H
#define _LINUX_TRACE_EVENTS_PERF_H

/* Most bytes of a record that goes to perf. */
#define PERF_MAX_TRACE_SIZE	8192

#ifdef CONFIG_PERF_EVENTS

#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <asm/ptrace.h>

DECLARE_PER_CPU(struct pt_regs, perf_trace_regs);

/* Called by the perf core, in this order; _add and _del with interrupts off on the event's CPU. */
int perf_trace_init(struct perf_event *event);
int perf_trace_add(struct perf_event *event, int flags);
void perf_trace_del(struct perf_event *event, int flags);
void perf_trace_destroy(struct perf_event *event);

int ftrace_profile_set_filter(struct perf_event *event, int event_id, char *filter_str);
void ftrace_profile_free_filter(struct perf_event *event);

/*
 * For the probes: a buffer of @size bytes for one record on this CPU and context, with the
 * place for the caller's registers in @regs and what perf_trace_buf_submit() wants in @rctxp.
 * NULL: too big, or this context is in a probe already. Any context, preemption off.
 */
void *perf_trace_buf_alloc(int size, struct pt_regs **regs, int *rctxp);
void perf_trace_buf_update(void *record, u16 type);
void perf_trace_run_bpf_submit(void *raw_data, int size, int rctx,
			       struct trace_event_call *call, u64 count,
			       struct pt_regs *regs, struct hlist_head *head,
			       struct task_struct *task);

/* A record of TRACE_EVENT() on its way, on the stack of the probe that perf registers. */
struct perf_trace_buffer {
	struct trace_event_call		*event;
	struct hlist_head		*head;
	struct pt_regs			*regs;
	int				size;
	int				rctx;
};

/* perf_trace_buf_alloc() for a record of @size bytes, and all else that is to be submitted. */
void *perf_trace_buffer_begin(struct perf_trace_buffer *pbuffer, struct trace_event_call *call,
			      unsigned int size);

static inline void perf_trace_buf_submit(void *raw_data, int size, int rctx, u16 type, u64 count,
					 struct pt_regs *regs, void *head,
					 struct task_struct *task)
{
	perf_tp_event(type, count, raw_data, size, regs, head, rctx, task);
}

#ifdef CONFIG_KPROBE_EVENTS
int perf_kprobe_init(struct perf_event *event, bool is_retprobe);
void perf_kprobe_destroy(struct perf_event *event);
int bpf_get_kprobe_info(const struct perf_event *event, u32 *fd_type, const char **symbol,
			u64 *probe_offset, u64 *probe_addr, unsigned long *missed,
			bool perf_type_tracepoint);
#endif

#ifdef CONFIG_UPROBE_EVENTS
int perf_uprobe_init(struct perf_event *event, unsigned long ref_ctr_offset, bool is_retprobe);
void perf_uprobe_destroy(struct perf_event *event);
int bpf_get_uprobe_info(const struct perf_event *event, u32 *fd_type, const char **filename,
			u64 *probe_offset, u64 *probe_addr, bool perf_type_tracepoint);
#endif

#endif /* CONFIG_PERF_EVENTS */

#endif /* _LINUX_TRACE_EVENTS_PERF_H */
