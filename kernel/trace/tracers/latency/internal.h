/* SPDX-License-Identifier: GPL-2.0-only */
/* What the latency tracers share. */
#ifndef _KERNEL_TRACE_TRACERS_LATENCY_INTERNAL_H
#define _KERNEL_TRACE_TRACERS_LATENCY_INTERNAL_H

#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/trace_events.h>

#include "../../function/filters/function_ops.h"
#include "../../instance/instance.h"
#include "../../instance/tracer.h"
#include "../../lock_once.h"
#include "../../snapshot/snapshot.h"

/**
 * struct latency_cpu - what is being measured on a CPU
 * @on:		something is: calls are recorded here
 * @since:	when it began, by the clock of the buffer
 * @start:	the same by the local clock, which counts time whatever the buffer's does
 * @from:	where it began
 */
struct latency_cpu {
	bool		on;
	u64		since;
	u64		start;
	unsigned long	from;
};

/**
 * struct latency_trace - a latency tracer that runs in an instance: trace_array.room[ROOM_LATENCY]
 * @ops:	the hook of calls alone; first, as it is all that a call comes with. Of the top
 *		instance somebody may be in it for a moment longer than it is registered
 * @fn:		whose functions, pids and limits calls obey
 * @tr:		the instance
 * @list:	of those that measure sections, irqsoff.c; trace_types_lock, RCU
 * @what:	SECTION_IRQS, SECTION_PREEMPT, or one of wakeup.c's
 * @taken:	of TRACE_TRACER_FLAGS, those that are on while it runs
 * @options:	as they were before
 * @leaving:	the tracer stops and gives @options back
 * @graph:	the calls are recorded for display-graph
 * @calls_on:	calls are recorded; trace_types_lock
 * @lock:	whoever has found something worse; interrupts off
 * @cpu:	what is measured there
 * @task:	wakeup.c: whom we wait for to run, only to be compared; @lock
 * @pid:	of @task
 * @prio:	of @task, or more than there are
 * @deadline:	@task has a deadline: nobody has more of a hurry
 * @task_cpu:	where @task waits
 * @gops:	the hooks of the graph
 */
struct latency_trace {
#ifdef CONFIG_FUNCTION_TRACER
	struct ftrace_ops		ops;
	struct function_ops		*fn;
#endif
	struct trace_array		*tr;
	struct list_head		list;
	unsigned int			what;
	unsigned long			taken;
	unsigned long			options;
	bool				leaving;
	bool				graph;
	bool				calls_on;
	arch_spinlock_t			lock;	/* see above */
	struct latency_cpu __percpu	*cpu;
	struct task_struct		*task;
	pid_t				pid;
	int				prio;
	bool				deadline;
	int				task_cpu;
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	struct fgraph_ops		gops;
#endif
};

static inline struct latency_trace *latency_of(const struct trace_array *tr)
{
	return tr->room[ROOM_LATENCY];
}

/* Is that worth being kept? Any context. */
static inline bool latency_is_worse(const struct trace_array *tr, u64 ns)
{
	unsigned long thresh = READ_ONCE(tracing_thresh);

	return thresh ? ns >= thresh : ns > READ_ONCE(tr->max_latency);
}

/*
 * Can a worst case be kept now? Not if recording has stopped since it began, if somebody reads the
 * one that there is, or while the buffers change. Looked at before anything is done for one: who
 * changes them waits for all CPUs, which must not wait for each other all the time, with interrupts
 * off, only to be refused. Any context.
 */
static inline bool latency_may_keep(const struct latency_trace *lt)
{
	const struct trace_array *tr = lt->tr;

	return ring_buffer_record_is_on(tr->array_buffer.buffer) && !READ_ONCE(tr->stop_count) &&
	       !READ_ONCE(tr->spare_changing);
}

/* latency.c */
struct latency_trace *latency_create(struct trace_array *tr, unsigned int what,
				     unsigned long options);
void latency_destroy(struct trace_array *tr);
int latency_flag_changed(struct trace_array *tr, u32 mask, int set);
bool latency_record_call(struct latency_trace *lt, unsigned long ip, unsigned long parent_ip,
			 unsigned int trace_ctx, u64 *time);
bool latency_keep(struct latency_trace *lt, struct task_struct *task, int cpu, int at, u64 since,
		  struct trace_worst *worst);
void latency_open_section(struct trace_iterator *iter);
void latency_open_wakeup(struct trace_iterator *iter);
void latency_close(struct trace_iterator *iter);
void latency_rewind(struct trace_iterator *iter);
void latency_print_header(struct seq_file *m);
enum print_line_t latency_print_line(struct trace_iterator *iter);

/*
 * Something worse was found: who has this alone looks once more. False if somebody has it, and we
 * cannot wait for him, or need not (@wait). No function is called for it, that would be recorded as
 * one of those that are measured.
 */
static __always_inline bool latency_lock(struct latency_trace *lt, unsigned long *flags, bool wait)
{
	local_irq_save(*flags);
	if (wait && !trace_cannot_wait()) {
		arch_spin_lock(&lt->lock);
		return true;
	}
	if (arch_spin_trylock(&lt->lock))
		return true;
	local_irq_restore(*flags);
	return false;
}

static __always_inline void latency_unlock(struct latency_trace *lt, unsigned long flags)
{
	arch_spin_unlock(&lt->lock);
	local_irq_restore(flags);
}

/* What all of them have in their struct tracer. */
#define LATENCY_TRACER(tracer_name, tracer_init, tracer_reset, kind)	\
{								\
	.name		 = tracer_name,				\
	.may_start	 = snapshot_may_claim,			\
	.init		 = tracer_init,				\
	.reset		 = tracer_reset,			\
	.open		 = latency_open_##kind,			\
	.close		 = latency_close,			\
	.pipe_open	 = latency_open_##kind,			\
	.pipe_close	 = latency_close,			\
	.rewind		 = latency_rewind,			\
	.print_header	 = latency_print_header,		\
	.print_line	 = latency_print_line,			\
	.flag_changed	 = latency_flag_changed,		\
	.allow_instances = true,				\
	.print_max	 = true,				\
}

/* calls.c; trace_types_lock */
#ifdef CONFIG_FUNCTION_TRACER
int latency_calls_start(struct latency_trace *lt);
void latency_calls_stop(struct latency_trace *lt);
bool latency_calls_keep(struct latency_trace *lt);
#else
static inline int latency_calls_start(struct latency_trace *lt)
{
	return 0;
}

static inline void latency_calls_stop(struct latency_trace *lt)
{
}

static inline bool latency_calls_keep(struct latency_trace *lt)
{
	return false;
}
#endif

#endif /* _KERNEL_TRACE_TRACERS_LATENCY_INTERNAL_H */
