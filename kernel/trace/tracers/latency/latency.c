// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the latency tracers have in common: options while they run, the worst case and what is
 * shown of it.
 *
 * All of them record to the buffer of their instance from where something begins. When it was over
 * soon enough the records are of no use; they are overwritten some time, and nobody is shown them.
 * When it took longer than ever, the rings are exchanged with those of the spare buffer, which is
 * what `trace` shows: it has what was recorded since that began (array_buffer.time_start).
 *
 * Each instance has a longest time of its own.
 */
#include <linux/cred.h>
#include <linux/rcupdate.h>
#include <linux/sched/prio.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/trace_clock.h>

#include "../../grace.h"
#include "../../output/output.h"
#include "../../record/function_entries.h"
#include "../../record/record.h"
#include "../../record/write.h"
#include "../../snapshot/snapshot.h"
#include "../../tasks/tasks.h"
#include "../function_graph.h"
#include "internal.h"

/* Of the top instance: its hooks of functions are static, and so they can run on for a moment. */
static struct latency_trace top;

static bool wants_graph(const struct trace_array *tr)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	return tr->trace_flags & TRACE_ITER_DISPLAY_GRAPH;
#else
	return false;
#endif
}

/* Nothing is left out, nothing changes under who reads, in the layout that shows latencies. */
static int options_take(struct latency_trace *lt)
{
	int bit, ret = 0;

	lt->options = lt->tr->trace_flags;
	for_each_set_bit(bit, &lt->taken, TRACE_ITER_LAST_BIT)
		ret = ret ?: set_tracer_flag(lt->tr, BIT(bit), true);
	return ret;
}

static void options_give_back(struct latency_trace *lt)
{
	int bit;

	lt->leaving = true;
	for_each_set_bit(bit, &lt->taken, TRACE_ITER_LAST_BIT)
		set_tracer_flag(lt->tr, BIT(bit), lt->options & BIT(bit));
}

static struct latency_trace *trace_alloc(struct trace_array *tr)
{
	struct latency_trace *lt = &top;

	if (!trace_array_is_top(tr)) {
		lt = kzalloc(sizeof(*lt), GFP_KERNEL);
		if (!lt)
			return NULL;
	}
	if (!lt->cpu)
		lt->cpu = alloc_percpu(struct latency_cpu);
	if (!lt->cpu) {
		if (lt != &top)
			kfree(lt);
		return NULL;
	}
	lt->tr = tr;
	lt->leaving = false;
	lt->calls_on = false;
	return lt;
}

static void trace_free(struct latency_trace *lt)
{
	bool keep;

	lt->tr->room[ROOM_LATENCY] = NULL;
	if (lt == &top)
		return;
	keep = latency_calls_keep(lt);
	free_percpu(lt->cpu);
	if (!keep)
		kfree(lt);
}

/**
 * latency_create - a tracer starts
 * @tr: instance
 * @what: for latency_trace.what
 * @options: that are on while it runs, of TRACE_TRACER_FLAGS
 *
 * All is ready, but nothing is measured yet.
 *
 * Context: task, trace_types_lock held.
 * Return: what there is of it, also latency_of(@tr) from now on; or an ERR_PTR().
 */
struct latency_trace *latency_create(struct trace_array *tr, unsigned int what,
				     unsigned long options)
{
	struct latency_trace *lt = trace_alloc(tr);
	int ret, cpu;

	if (!lt)
		return ERR_PTR(-ENOMEM);
	lt->what = what;
	lt->taken = options;
	lt->graph = wants_graph(tr);
	lt->task = NULL;
	lt->lock = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(lt->cpu, cpu), 0, sizeof(struct latency_cpu));
	tr->room[ROOM_LATENCY] = lt;

	ret = snapshot_claim(tr);
	if (ret)
		goto free;
	trace_worst_clear(tr);
	ret = options_take(lt);
	if (ret)
		goto unclaim;
	tracing_start_cmdline_record(tr);
	if (tr->trace_flags & TRACE_ITER_FUNCTION)
		ret = latency_calls_start(lt);
	if (!ret)
		return lt;
	tracing_stop_cmdline_record(tr);
unclaim:
	options_give_back(lt);
	snapshot_unclaim(tr);
free:
	trace_free(lt);
	return ERR_PTR(ret);
}

/**
 * latency_destroy - undo latency_create()
 * @tr: instance, on which nothing starts being measured any more
 *
 * Context: task, trace_types_lock held. Cannot fail.
 */
void latency_destroy(struct trace_array *tr)
{
	struct latency_trace *lt = latency_of(tr);

	latency_calls_stop(lt);
	/* who measures has preemption or interrupts off */
	trace_synchronize_rcu();
	tracing_stop_cmdline_record(tr);
	options_give_back(lt);
	snapshot_unclaim(tr);
	trace_free(lt);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/* The calls are to be recorded in the other layout, and what was is of no use. */
static int change_layout(struct latency_trace *lt, bool graph)
{
	struct trace_array *tr = lt->tr;
	bool calls = lt->calls_on;
	int ret = 0;

	latency_calls_stop(lt);
	lt->graph = graph;
	if (calls)
		ret = latency_calls_start(lt);
	if (ret) {
		lt->graph = !graph;
		if (latency_calls_start(lt))
			pr_warn("tracing: calls are not recorded any more\n");
		return ret;
	}
	trace_worst_clear(tr);
	tracing_reset_online_cpus(&tr->array_buffer);
	trace_spare_empty(tr, RING_BUFFER_ALL_CPUS);
	return 0;
}
#endif

/**
 * latency_flag_changed - tracer.flag_changed
 * @tr: instance
 * @mask: the option
 * @set: its new value
 *
 * Context: task, trace_types_lock held. Return: 0; or an error, which refuses it: -EINVAL for
 * @mask itself, or why calls cannot be recorded.
 */
int latency_flag_changed(struct trace_array *tr, u32 mask, int set)
{
	struct latency_trace *lt = latency_of(tr);

	if (!lt || lt->leaving)
		return 0;
	/* what led to the worst case was recorded last */
	if (mask == TRACE_ITER_OVERWRITE && !set)
		return -EINVAL;
	if (mask == TRACE_ITER_FUNCTION && set)
		return latency_calls_start(lt);
	if (mask == TRACE_ITER_FUNCTION)
		latency_calls_stop(lt);
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (mask == TRACE_ITER_DISPLAY_GRAPH)
		return change_layout(lt, set);
#endif
	return 0;
}

/* A call that is over when it begins. */
static bool record_graph_call(struct latency_trace *lt, unsigned long func, unsigned int trace_ctx,
			      u64 *time)
{
	struct trace_buffer *buffer = lt->tr->array_buffer.buffer;
	struct ring_buffer_slot slot __uninitialized;
	struct ftrace_graph_ent_entry *entry;
	struct ftrace_graph_ret_entry *ret;

	entry = trace_slot_reserve(buffer, TRACE_GRAPH_ENT, sizeof(*entry), trace_ctx, &slot);
	if (!entry)
		return false;
	entry->graph_ent = (struct ftrace_graph_ent) { .func = func };
	if (time)
		*time = ring_buffer_slot_time(&slot);
	ring_buffer_slot_commit(&slot);

	ret = trace_slot_reserve(buffer, TRACE_GRAPH_RET, sizeof(*ret), trace_ctx, &slot);
	if (!ret)
		return false;
	ret->ret = (struct ftrace_graph_ret) { .func = func };
	ret->ret.calltime = trace_clock_local();
	ret->ret.rettime = ret->ret.calltime;
	ring_buffer_slot_commit(&slot);
	return true;
}

/**
 * latency_record_call - record where something begins or ends, as a call
 * @lt: the tracer
 * @ip: who
 * @parent_ip: who calls that
 * @trace_ctx: tracing_gen_ctx()
 * @time: set to the time of the record, by the clock of the buffer; may be NULL
 *
 * Context: any, preemption or interrupts off. Return: false if nothing can be recorded now.
 */
bool latency_record_call(struct latency_trace *lt, unsigned long ip, unsigned long parent_ip,
			 unsigned int trace_ctx, u64 *time)
{
	struct ring_buffer_slot slot __uninitialized;
	struct ftrace_entry *entry;

	if (lt->graph)
		return record_graph_call(lt, ip, trace_ctx, time);
	entry = trace_slot_reserve(lt->tr->array_buffer.buffer, TRACE_FN, sizeof(*entry),
				   trace_ctx, &slot);
	if (!entry)
		return false;
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	if (time)
		*time = ring_buffer_slot_time(&slot);
	trace_export_call(slot.event);
	ring_buffer_slot_commit(&slot);
	return true;
}

/**
 * latency_keep - what was recorded is the worst case
 * @lt: the tracer; who has lt->lock
 * @task: whom it was about
 * @cpu: the records are on this CPU, or on RING_BUFFER_ALL_CPUS
 * @at: the CPU that it was about
 * @since: when it began, by the clock of the buffer
 * @worst: how long it took, and where; the rest is filled in
 *
 * Context: any, preemption or interrupts off.
 * Return: false if it cannot be kept now; then the former one is still the worst.
 */
bool latency_keep(struct latency_trace *lt, struct task_struct *task, int cpu, int at, u64 since,
		  struct trace_worst *worst)
{
	struct trace_array *tr = lt->tr;

	if (!latency_may_keep(lt) || snapshot_keep(tr, cpu, since, at))
		return false;
	worst->pid = task->pid;
	/* no need for its lock: the name is whole or cut short */
	strscpy(worst->comm, task->comm, sizeof(worst->comm));
	worst->uid = task == current ? current_uid() : task_uid(task);
	worst->nice = PRIO_TO_NICE(task->static_prio);
	worst->policy = task->policy;
	worst->rt_prio = task->rt_priority;
	trace_worst_set(tr, worst);
	latency_fsnotify(tr);
	return true;
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/* Whatever the options of function_graph say. Only wake-ups have marks at what took long. */
#define GRAPH_COLUMNS	(GRAPH_OPT_CPU | GRAPH_OPT_PROC | GRAPH_OPT_REL_TIME | \
			 GRAPH_OPT_DURATION | GRAPH_OPT_IRQS)

static const u32 section_columns = GRAPH_COLUMNS;
static const u32 wakeup_columns = GRAPH_COLUMNS | GRAPH_OPT_OVERHEAD;

void latency_open_section(struct trace_iterator *iter)
{
	graph_print_open_columns(iter, &section_columns);
}

void latency_open_wakeup(struct trace_iterator *iter)
{
	graph_print_open_columns(iter, &wakeup_columns);
}

void latency_close(struct trace_iterator *iter)
{
	graph_print_close(iter);
}

void latency_rewind(struct trace_iterator *iter)
{
	graph_print_rewind(iter);
}

void latency_print_header(struct seq_file *m)
{
	struct trace_iterator *iter = m->private;

	if (wants_graph(iter->tr))
		graph_print_header(m);
	else
		trace_default_header(m);
}

enum print_line_t latency_print_line(struct trace_iterator *iter)
{
	return wants_graph(iter->tr) ? graph_print_line(iter) : TRACE_TYPE_UNHANDLED;
}
#else
void latency_open_section(struct trace_iterator *iter)
{
}

void latency_open_wakeup(struct trace_iterator *iter)
{
}

void latency_close(struct trace_iterator *iter)
{
}

void latency_rewind(struct trace_iterator *iter)
{
}

void latency_print_header(struct seq_file *m)
{
	trace_default_header(m);
}

enum print_line_t latency_print_line(struct trace_iterator *iter)
{
	return TRACE_TYPE_UNHANDLED;
}
#endif
