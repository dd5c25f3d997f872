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
 * current one that the event could be about. Here and not behind a call: who counts for
 * one task alone lets all others come this far.
 */
#define __te_perf_unwanted(call)					\
	(hlist_empty(this_cpu_ptr((call)->perf_events)) &&		\
	 !bpf_prog_array_valid(call) && __builtin_constant_p(!__task) && !__task)

#define __TE_PERF_PROBE(call, proto, args, tstruct, assign)		\
static notrace void							\
perf_trace_##call(void *__data, proto)					\
{									\
	struct trace_event_data_offsets_##call __data_offsets __maybe_unused; \
	struct trace_event_call *__event = __data;			\
	struct trace_event_raw_##call *entry;				\
	struct task_struct *__task = NULL;				\
	struct perf_trace_buffer __pbuffer __uninitialized;		\
	u64 __count = 1;						\
	unsigned int __size;						\
									\
	__size = trace_event_get_offsets_##call(&__data_offsets, args);	\
	if (__te_perf_unwanted(__event))				\
		return;							\
	entry = perf_trace_buffer_begin(&__pbuffer, __event, sizeof(*entry) + __size); \
	if (!entry)							\
		return;							\
	perf_fetch_caller_regs(__pbuffer.regs);				\
	tstruct								\
	{ assign; }							\
	perf_trace_run_bpf_submit(entry, __pbuffer.size, __pbuffer.rctx, __pbuffer.event, \
				  __count, __pbuffer.regs, __pbuffer.head, __task); \
}

#else /* !CONFIG_PERF_EVENTS */

#define __TE_PERF_PROBE(call, proto, args, tstruct, assign)

#endif /* CONFIG_PERF_EVENTS */
