// SPDX-License-Identifier: GPL-2.0-only
/*
 * wakeup, wakeup_rt and wakeup_dl: the longest time from the moment that a task is woken until it
 * runs. Of all tasks, of those of the real-time classes and with a deadline, or of those alone.
 *
 * Only a task is waited for that has to run at once: it has a higher priority than the one that
 * runs where it is woken up from. Of two that wait, the one of the higher priority counts; who is
 * woken later takes the place of the former, whose time says nothing any more. A task with a
 * deadline keeps its place until it runs. So for each instance there is one that is waited for.
 *
 * No reference to it is held: until it has run it does not exit. Its address is only compared, with
 * its pid, so that another task at that place is not taken for it.
 *
 * The calls that are recorded are those on the CPU where it waits.
 */
#include <linux/init.h>
#include <linux/minmax.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/sched/deadline.h>
#include <linux/sched/rt.h>
#include <linux/trace_clock.h>

#include <trace/events/sched.h>

#include "../../local_clock.h"
#include "../../record/entries.h"
#include "../../record/switch_entries.h"
#include "../../record/write.h"
#include "internal.h"

/* latency_trace.what */
enum {
	WAKE_ANY,
	WAKE_RT,
	WAKE_DEADLINE,
};

/* Stacks begin with who called one of these. */
static struct trace_text probes[2] __ro_after_init;

/* Between a tracepoint and its probes, if there are several. */
static struct trace_text iterators[3] __ro_after_init;

static bool in_iterator(unsigned long ip)
{
	for (int i = 0; i < ARRAY_SIZE(iterators); i++)
		if (ip - iterators[i].start < iterators[i].size)
			return true;
	return false;
}

/* Who woke or switched, for a probe: in line, as these are the probe's own callers. */
static __always_inline void find_callers(unsigned long *ip, unsigned long *parent_ip)
{
	*ip = CALLER_ADDR0;
	*parent_ip = CALLER_ADDR1;
	if (in_iterator(*ip)) {
		*ip = *parent_ip;
		*parent_ip = CALLER_ADDR2;
	}
}

/* Has @p more of a hurry than all others that we know of? */
static bool is_urgent(const struct latency_trace *lt, struct task_struct *p)
{
	if (READ_ONCE(lt->task) && READ_ONCE(lt->deadline))
		return false;
	if (dl_task(p))
		return true;
	if (lt->what == WAKE_DEADLINE || (lt->what == WAKE_RT && !rt_or_dl_task(p)))
		return false;
	return p->prio < READ_ONCE(lt->prio) && p->prio < current->prio;
}

static void record_switch(struct latency_trace *lt, int type, struct task_struct *prev,
			  struct task_struct *next, unsigned int trace_ctx)
{
	struct ring_buffer_slot slot __uninitialized;
	struct ctx_switch_entry *entry;

	entry = trace_slot_reserve(lt->tr->array_buffer.buffer, type, sizeof(*entry), trace_ctx,
				   &slot);
	if (!entry)
		return;
	entry->prev_pid = prev->pid;
	entry->prev_prio = prev->prio;
	entry->prev_state = task_state_index(prev);
	entry->next_pid = next->pid;
	entry->next_prio = next->prio;
	entry->next_state = task_state_index(next);
	entry->next_cpu = task_cpu(next);
	ring_buffer_slot_commit(&slot);
}

/* Where tracing_cpumask has no bit nothing is recorded, so nothing is measured. */
static bool may_record(const struct latency_trace *lt)
{
	return cpumask_test_cpu(raw_smp_processor_id(), lt->tr->tracing_cpumask);
}

/* Nobody is waited for. lt->lock held */
static void forget(struct latency_trace *lt)
{
	if (!lt->task)
		return;
	WRITE_ONCE(per_cpu_ptr(lt->cpu, lt->task_cpu)->on, false);
	WRITE_ONCE(lt->task, NULL);
	WRITE_ONCE(lt->prio, MAX_PRIO);
}

/* lt->lock held. @ip and @parent_ip: who woke it */
static void wait_for(struct latency_trace *lt, struct task_struct *p, unsigned long ip,
		     unsigned long parent_ip)
{
	unsigned int trace_ctx = tracing_gen_ctx();
	struct latency_cpu *lc;
	int cpu = task_cpu(p);

	forget(lt);
	if (!ring_buffer_record_is_on(lt->tr->array_buffer.buffer))
		return;
	lc = per_cpu_ptr(lt->cpu, cpu);
	lc->start = trace_local_clock();
	lc->since = ring_buffer_time_stamp(lt->tr->array_buffer.buffer);
	record_switch(lt, TRACE_WAKE, current, p, trace_ctx);
	trace_stack_below(lt->tr, trace_ctx, probes, ARRAY_SIZE(probes));
	latency_record_call(lt, ip, parent_ip, trace_ctx, NULL);

	lt->task_cpu = cpu;
	lt->pid = p->pid;
	lt->deadline = dl_task(p);
	WRITE_ONCE(lt->prio, p->prio);
	WRITE_ONCE(lc->on, true);
	WRITE_ONCE(lt->task, p);
}

/* Who runs already waits for nobody. */
static bool runs_now(const struct task_struct *p)
{
#ifdef CONFIG_SMP
	return p == current || READ_ONCE(p->on_cpu);
#else
	return p == current;
#endif
}

/* The tracepoints of the scheduler: preemption is off, and interrupts mostly. */
static void probe_wakeup(void *data, struct task_struct *p)
{
	unsigned long flags, ip, parent_ip;
	struct latency_trace *lt = data;

	if (likely(!is_urgent(lt, p)) || runs_now(p) || !may_record(lt))
		return;
	find_callers(&ip, &parent_ip);
	if (!latency_lock(lt, &flags, true))
		return;
	if (is_urgent(lt, p))
		wait_for(lt, p, ip, parent_ip);
	latency_unlock(lt, flags);
}

static void probe_migrate(void *data, struct task_struct *p, int cpu)
{
	struct latency_trace *lt = data;
	struct latency_cpu *from, *to;
	unsigned long flags;

	if (likely(READ_ONCE(lt->task) != p) || !latency_lock(lt, &flags, true))
		return;
	if (lt->task == p && lt->task_cpu != cpu) {
		from = per_cpu_ptr(lt->cpu, lt->task_cpu);
		to = per_cpu_ptr(lt->cpu, cpu);
		to->start = from->start;
		to->since = from->since;
		WRITE_ONCE(from->on, false);
		WRITE_ONCE(to->on, true);
		lt->task_cpu = cpu;
	}
	latency_unlock(lt, flags);
}

/* lt->lock held: the task that was waited for is about to run */
static void runs(struct latency_trace *lt, struct task_struct *prev, struct task_struct *next,
		 unsigned long ip, unsigned long parent_ip)
{
	struct latency_cpu *lc = per_cpu_ptr(lt->cpu, lt->task_cpu);
	u64 now = trace_local_clock();
	/* The clock of who woke it may be ahead of ours. */
	u64 ns = now - min(now, lc->start);
	unsigned int trace_ctx = tracing_gen_ctx();
	struct trace_worst worst = { .latency = ns };

	/* what unwinders call is none of the calls that were waited for */
	WRITE_ONCE(lc->on, false);
	if (may_record(lt) && latency_is_worse(lt->tr, ns)) {
		latency_record_call(lt, ip, parent_ip, trace_ctx, NULL);
		record_switch(lt, TRACE_CTX, prev, next, trace_ctx);
		trace_stack_below(lt->tr, trace_ctx, probes, ARRAY_SIZE(probes));
		latency_keep(lt, next, RING_BUFFER_ALL_CPUS, lt->task_cpu, lc->since, &worst);
	}
	forget(lt);
}

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	unsigned long flags, ip, parent_ip;
	struct latency_trace *lt = data;

	if (likely(READ_ONCE(lt->task) != next))
		return;
	find_callers(&ip, &parent_ip);
	if (!latency_lock(lt, &flags, true))
		return;
	if (lt->task == next && lt->pid == next->pid)
		runs(lt, prev, next, ip, parent_ip);
	else if (lt->task == next)
		forget(lt);
	latency_unlock(lt, flags);
}

static void probes_off(struct latency_trace *lt)
{
	unregister_trace_sched_wakeup(probe_wakeup, lt);
	unregister_trace_sched_wakeup_new(probe_wakeup, lt);
	unregister_trace_sched_migrate_task(probe_migrate, lt);
	unregister_trace_sched_switch(probe_switch, lt);
}

static int probes_on(struct latency_trace *lt)
{
	int ret = register_trace_sched_switch(probe_switch, lt);

	ret = ret ?: register_trace_sched_migrate_task(probe_migrate, lt);
	ret = ret ?: register_trace_sched_wakeup_new(probe_wakeup, lt);
	ret = ret ?: register_trace_sched_wakeup(probe_wakeup, lt);
	if (ret)
		probes_off(lt);		/* those that are not there are not found */
	return ret;
}

static void wakeup_reset(struct trace_array *tr)
{
	probes_off(latency_of(tr));
	tracepoint_synchronize_unregister();
	latency_destroy(tr);
}

static int wakeup_start(struct trace_array *tr, unsigned int what)
{
	/* who reads the trace may be woken himself meanwhile: that goes on */
	unsigned long options = TRACE_TRACER_FLAGS & ~TRACE_ITER_PAUSE_ON_TRACE;
	struct latency_trace *lt = latency_create(tr, what, options);
	int ret;

	if (IS_ERR(lt))
		return PTR_ERR(lt);
	lt->prio = MAX_PRIO;
	ret = probes_on(lt);
	if (ret) {
		tracepoint_synchronize_unregister();
		latency_destroy(tr);
	}
	return ret;
}

static int wakeup_init(struct trace_array *tr)
{
	return wakeup_start(tr, WAKE_ANY);
}

static int wakeup_rt_init(struct trace_array *tr)
{
	return wakeup_start(tr, WAKE_RT);
}

static int wakeup_dl_init(struct trace_array *tr)
{
	return wakeup_start(tr, WAKE_DEADLINE);
}

static struct tracer wakeup_tracers[] = {
	LATENCY_TRACER("wakeup", wakeup_init, wakeup_reset, wakeup),
	LATENCY_TRACER("wakeup_rt", wakeup_rt_init, wakeup_reset, wakeup),
	LATENCY_TRACER("wakeup_dl", wakeup_dl_init, wakeup_reset, wakeup),
};

static int __init wakeup_tracers_register(void)
{
	int ret = 0;

	trace_text_of(&probes[0], (unsigned long)probe_wakeup);
	trace_text_of(&probes[1], (unsigned long)probe_switch);
	trace_text_of(&iterators[0], (unsigned long)__traceiter_sched_wakeup);
	trace_text_of(&iterators[1], (unsigned long)__traceiter_sched_wakeup_new);
	trace_text_of(&iterators[2], (unsigned long)__traceiter_sched_switch);
	for (int i = 0; i < ARRAY_SIZE(wakeup_tracers) && !ret; i++)
		ret = register_tracer(&wakeup_tracers[i]);
	return ret;
}
core_initcall(wakeup_tracers_register);
