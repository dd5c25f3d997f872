// SPDX-License-Identifier: GPL-2.0-only
/*
 * The calls that are made while a latency tracer measures something on a CPU: option
 * function-trace, and with display-graph their returns as well.
 */
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
#include "../../function/graph/graph.h"
#endif
#include "../../function/sites/guard.h"
#include "../../function/sites/sites.h"
#include "../../record/entries.h"
#include "../../record/function_entries.h"
#include "../../record/record.h"
#include "../../record/write.h"
#include "internal.h"

static void notrace latency_call(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct latency_trace *lt = container_of(op, struct latency_trace, ops);
	struct trace_guard guard;

	/* What is on stays so here until it is over; if we lose the CPU it is not on. */
	if (!raw_cpu_read(lt->cpu->on) || !trace_guard_enter(&guard, ip, parent_ip))
		return;
	if (raw_cpu_read(lt->cpu->on) && function_pid_ok(lt->fn)) {
		struct ring_buffer_slot slot __uninitialized;
		struct ftrace_entry *entry;

		entry = trace_slot_reserve(lt->tr->array_buffer.buffer, TRACE_FN, sizeof(*entry),
					   trace_guard_ctx(&guard), &slot);
		if (entry) {
			entry->ip = ip;
			entry->parent_ip = parent_ip;
			trace_export_call(slot.event);
			ring_buffer_slot_commit(&slot);
		}
	}
	trace_guard_leave(&guard);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/* @preempt: __tracing_preempt() of the function */
static unsigned int call_ctx(unsigned long preempt)
{
	unsigned long irqflags;

	local_save_flags(irqflags);
	return __tracing_ctx_of(current, preempt, __tracing_irq_flag(irqflags));
}

/*
 * How deep a task is in calls that we are to be told the return of; others of the graph, and hooks,
 * have frames of their own. And where it has gone into a function that set_graph_function, or
 * set_graph_notrace, names: its depth + 1, 0 if it has not.
 */
struct graph_within {
	u16	depth;
	u16	wanted;
	u16	unwanted;
};

static struct graph_within *graph_within(struct fgraph_ops *gops)
{
	static_assert(sizeof(struct graph_within) <= sizeof(unsigned long));

	return (struct graph_within *)graph_task_var(gops);
}

/* Preemption is off, guarded against recursion. */
static int notrace latency_graph_entry(struct ftrace_graph_ent *ent, struct fgraph_ops *gops)
{
	struct latency_trace *lt = container_of(gops, struct latency_trace, gops);
	struct graph_within *within = graph_within(gops);
	const struct graph_limits *limits = &lt->fn->limits;
	struct ring_buffer_slot slot __uninitialized;
	struct ftrace_graph_ent_entry *entry;
	unsigned int max = READ_ONCE(limits->max_depth);
	bool named;

	if (!raw_cpu_read(lt->cpu->on) || !function_pid_ok(lt->fn))
		return 0;
	if (within->unwanted || (max && within->depth >= max))
		return 0;
	if (graph_limit_has(limits, true, ent->func)) {
		/* only to know where it ends */
		within->unwanted = ++within->depth;
		return 1;
	}
	named = !within->wanted && test_bit(FGRAPH_LIMIT_FUNCTION, &limits->bits);
	if (named && !graph_limit_has(limits, false, ent->func))
		return 0;
	entry = trace_slot_reserve(lt->tr->array_buffer.buffer, TRACE_GRAPH_ENT, sizeof(*entry),
				   call_ctx(graph_call_of(ent)->preempt), &slot);
	if (!entry)
		return 0;
	entry->graph_ent = *ent;
	entry->graph_ent.depth = within->depth++;
	ring_buffer_slot_commit(&slot);
	if (named)
		within->wanted = within->depth;
	return 1;
}

/* One call less. Return: is it to be recorded? */
static __always_inline bool graph_step_out(struct graph_within *within)
{
	unsigned int depth = within->depth;

	if (!depth)
		return false;		/* entered for somebody who is gone */
	within->depth = depth - 1;
	if (within->wanted == depth)
		within->wanted = 0;
	if (!within->unwanted)
		return true;
	if (within->unwanted == depth)
		within->unwanted = 0;
	return false;
}

static void notrace latency_graph_unseen(struct fgraph_ops *gops)
{
	graph_step_out(graph_within(gops));
}

static void notrace latency_graph_return(struct ftrace_graph_ret *ret, struct fgraph_ops *gops)
{
	struct latency_trace *lt = container_of(gops, struct latency_trace, gops);
	struct graph_within *within = graph_within(gops);
	struct ring_buffer_slot slot __uninitialized;
	struct ftrace_graph_ret_entry *entry;

	if (!graph_step_out(within) || !raw_cpu_read(lt->cpu->on))
		return;
	entry = trace_slot_reserve(lt->tr->array_buffer.buffer, TRACE_GRAPH_RET, sizeof(*entry),
				   call_ctx(__tracing_preempt() - IS_ENABLED(CONFIG_PREEMPT_COUNT)),
				   &slot);
	if (!entry)
		return;
	entry->ret = *ret;
	entry->ret.depth = within->depth;
	ring_buffer_slot_commit(&slot);
}

static int graph_start(struct latency_trace *lt)
{
	lt->gops.entryfunc = latency_graph_entry;
	lt->gops.retfunc = latency_graph_return;
	lt->gops.unseen = latency_graph_unseen;
	/* set_ftrace_filter is for these calls too */
	lt->gops.ops.func_hash = &lt->fn->ops.local_hash;
	return register_ftrace_graph(&lt->gops);
}

static void graph_stop(struct latency_trace *lt)
{
	unregister_ftrace_graph(&lt->gops);
}

static bool graph_keep(struct latency_trace *lt)
{
	return ftrace_ops_keep(&lt->gops.ops);
}
#else
static int graph_start(struct latency_trace *lt)
{
	return -EINVAL;
}

static void graph_stop(struct latency_trace *lt)
{
}

static bool graph_keep(struct latency_trace *lt)
{
	return false;
}
#endif

/**
 * latency_calls_start - record calls, in the layout that lt->graph says
 * @lt: the tracer
 *
 * Context: task, trace_types_lock held.
 * Return: 0, or as register_ftrace_graph() or register_ftrace_function().
 */
int latency_calls_start(struct latency_trace *lt)
{
	int ret;

	if (lt->calls_on)
		return 0;
	lt->fn = function_ops_of(lt->tr);
	if (lt->graph) {
		ret = graph_start(lt);
	} else {
		lt->ops.func = latency_call;
		lt->ops.flags |= FTRACE_OPS_FL_PID;
		lt->ops.func_hash = &lt->fn->ops.local_hash;
		ret = register_ftrace_function(&lt->ops);
	}
	lt->calls_on = !ret;
	return ret;
}

/**
 * latency_calls_stop - undo latency_calls_start()
 * @lt: the tracer
 *
 * Context: task, trace_types_lock held. Cannot fail.
 */
void latency_calls_stop(struct latency_trace *lt)
{
	if (!lt->calls_on)
		return;
	if (lt->graph)
		graph_stop(lt);
	else
		unregister_ftrace_function(&lt->ops);
	lt->calls_on = false;
}

/**
 * latency_calls_keep - must the memory of a tracer stay that has stopped?
 * @lt: the tracer
 *
 * Its calls are recorded no more in any case.
 *
 * Context: task, sleeps. Return: as ftrace_ops_keep().
 */
bool latency_calls_keep(struct latency_trace *lt)
{
	bool keep = ftrace_ops_keep(&lt->ops);

	return graph_keep(lt) || keep;
}
