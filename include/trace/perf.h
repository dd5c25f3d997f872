/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Part of pass 5 of <trace/trace_events.h>: the probe that perf registers. It
 * is made of the same parts as the one in stages/probe.h; its @__data is the
 * event itself.
 */
#undef __TE_PERF_PROBE

#ifdef CONFIG_PERF_EVENTS

/*
 * Nobody listens on this CPU: no counter, no BPF program, and no task but the
 * current one that the event could be about.
 */
#define __te_perf_unwanted(call, head)					\
	(hlist_empty(head) && !bpf_prog_array_valid(call) &&		\
	 __builtin_constant_p(!__task) && !__task)

/* The record and the u32 in front of it, that says its size, are a whole number of u64. */
#define __TE_PERF_PROBE(call, proto, args, tstruct, assign)		\
static notrace void							\
perf_trace_##call(void *__data, proto)					\
{									\
	struct trace_event_data_offsets_##call __data_offsets __maybe_unused; \
	struct trace_event_call *__event = __data;			\
	struct trace_event_raw_##call *entry;				\
	struct task_struct *__task = NULL;				\
	struct hlist_head *__head;					\
	struct pt_regs *__regs;						\
	u64 __count = 1;						\
	int __size, __rctx;						\
									\
	__size = trace_event_get_offsets_##call(&__data_offsets, args);	\
	__head = this_cpu_ptr(__event->perf_events);			\
	if (__te_perf_unwanted(__event, __head))			\
		return;							\
	__size = round_up(sizeof(*entry) + __size + sizeof(u32),	\
			  sizeof(u64)) - sizeof(u32);			\
	entry = perf_trace_buf_alloc(__size, &__regs, &__rctx);		\
	if (!entry)							\
		return;							\
	perf_fetch_caller_regs(__regs);					\
	tstruct								\
	{ assign; }							\
	perf_trace_run_bpf_submit(entry, __size, __rctx, __event, __count, \
				  __regs, __head, __task);		\
}

#else /* !CONFIG_PERF_EVENTS */

#define __TE_PERF_PROBE(call, proto, args, tstruct, assign)

#endif /* CONFIG_PERF_EVENTS */
