// SPDX-License-Identifier: GPL-2.0-only
/*
 * The function graph tracer: a record for each call and one for its return.
 *
 * With tracing_thresh set a call is recorded only when it turns out to have been slow: then both
 * records are made at its return, so that none stands alone.
 *
 * What a task is in the middle of is in its word of the graph core, for each
 * instance apart: how deep it is, and where a function of set_graph_function
 * or set_graph_notrace was entered.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/slab.h>

#include "../function/entries.h"
#include "../function/graph.h"
#include "../function/instances.h"
#include "../instance/write.h"
#include "../output/output.h"
#include "../ring_buffer/fast.h"
#include "function_graph.h"

extern unsigned long tracing_thresh;

static struct tracer_opt graph_opts[] = {
	{ TRACER_OPT(funcgraph-overrun, GRAPH_OPT_OVERRUN) },
	{ TRACER_OPT(funcgraph-cpu, GRAPH_OPT_CPU) },
	{ TRACER_OPT(funcgraph-overhead, GRAPH_OPT_OVERHEAD) },
	{ TRACER_OPT(funcgraph-proc, GRAPH_OPT_PROC) },
	{ TRACER_OPT(funcgraph-duration, GRAPH_OPT_DURATION) },
	{ TRACER_OPT(funcgraph-abstime, GRAPH_OPT_ABS_TIME) },
	{ TRACER_OPT(funcgraph-irqs, GRAPH_OPT_IRQS) },
	{ TRACER_OPT(funcgraph-tail, GRAPH_OPT_TAIL) },
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	{ TRACER_OPT(funcgraph-retval, GRAPH_OPT_RETVAL) },
	{ TRACER_OPT(funcgraph-retval-hex, GRAPH_OPT_RETVAL_HEX) },
#endif
	{ TRACER_OPT(sleep-time, GRAPH_OPT_SLEEP_TIME) },
#ifdef CONFIG_FUNCTION_PROFILER
	{ TRACER_OPT(graph-time, GRAPH_OPT_GRAPH_TIME) },
#endif
	{ }
};

struct tracer_flags graph_tracer_flags = {
	.val	= GRAPH_OPT_CPU | GRAPH_OPT_OVERHEAD | GRAPH_OPT_DURATION | GRAPH_OPT_IRQS |
		  GRAPH_OPT_SLEEP_TIME | GRAPH_OPT_GRAPH_TIME,
	.opts	= graph_opts,
};

/* Running in an instance. */
struct graph_user {
	struct fgraph_ops	gops;
	struct trace_function	*fn;
};

/* Static, for the top instance: stopping it needs no grace period. */
static struct graph_user top_user;

/*
 * The word of a task: its depth, and one more than the depth at which a function that was
 * asked for, or one that is not wanted, was entered; 0 for none.
 */
#define STATE_DEPTH(s)		((u16)(s))
#define STATE_INSIDE(s)		((u16)((s) >> 16))
#define STATE_OUTSIDE(s)	((u16)((s) >> 32))
#define STATE_INSIDE_SHIFT	16
#define STATE_OUTSIDE_SHIFT	32

/* Preemption is off in both of these. */
static __always_inline void record_entry(struct trace_array *tr, unsigned long func, int depth,
					 unsigned int trace_ctx)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ftrace_graph_ent_entry *entry;
	void *data;

	if (unlikely(!ring_buffer_reserve_here(buffer, sizeof(*entry), &data)))
		return;
	entry = data;
	tracing_generic_entry_update(&entry->ent, TRACE_GRAPH_ENT, trace_ctx);
	entry->graph_ent.func = func;
	entry->graph_ent.depth = depth;
	ring_buffer_commit_here(buffer);
}

static __always_inline void record_return(struct trace_array *tr,
					  const struct ftrace_graph_ret *ret, int depth,
					  unsigned int trace_ctx)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ftrace_graph_ret_entry *entry;
	void *data;

	if (unlikely(!ring_buffer_reserve_here(buffer, sizeof(*entry), &data)))
		return;
	entry = data;
	tracing_generic_entry_update(&entry->ent, TRACE_GRAPH_RET, trace_ctx);
	entry->ret = *ret;
	entry->ret.depth = depth;
	ring_buffer_commit_here(buffer);
}

static __always_inline bool may_record(const struct trace_function *fn)
{
	return function_pid_ok(fn) &&
	       !atomic_read(this_cpu_ptr(&fn->tr->array_buffer.data->disabled));
}

/* Does set_graph_function or set_graph_notrace have a say? @state is changed as they want. */
static bool filters_pass(unsigned long func, unsigned long *state)
{
	unsigned int depth = STATE_DEPTH(*state);

	if (STATE_OUTSIDE(*state))
		return false;
	if (fgraph_has_filter() && !STATE_INSIDE(*state)) {
		if (!fgraph_filter_match(func))
			return false;
		*state |= (unsigned long)(depth + 1) << STATE_INSIDE_SHIFT;
	}
	if (fgraph_notrace_match(func))
		*state |= (unsigned long)(depth + 1) << STATE_OUTSIDE_SHIFT;
	return true;
}

static int notrace graph_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	struct graph_user *user = gops->private;
	unsigned int max = READ_ONCE(fgraph_max_depth);
	unsigned long *var, state;
	unsigned int depth;

	if (unlikely(!may_record(user->fn)))
		return 0;
	if (unlikely(!(graph_tracer_flags.val & GRAPH_OPT_IRQS)) && in_hardirq())
		return 0;
	var = fgraph_get_task_var(gops);
	state = *var;
	depth = STATE_DEPTH(state);
	if (max && depth >= max)
		return 0;
	if (!filters_pass(trace->func, &state))
		return 0;
	*var = state + 1;
	/* A function that is not wanted is followed, to know where it ends, but not recorded. */
	if (STATE_OUTSIDE(state) || READ_ONCE(tracing_thresh))
		return 1;
	record_entry(user->fn->tr, trace->func, depth, tracing_gen_ctx_dec());
	return 1;
}

static void notrace graph_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	struct graph_user *user = gops->private;
	unsigned long thresh = READ_ONCE(tracing_thresh);
	unsigned long *var = fgraph_get_task_var(gops);
	unsigned long state = *var;
	unsigned int depth, trace_ctx;
	bool outside;

	if (!STATE_DEPTH(state))
		return;		/* entered for somebody who is gone */
	state--;
	depth = STATE_DEPTH(state);
	outside = STATE_OUTSIDE(state);
	if (STATE_OUTSIDE(state) == depth + 1)
		state &= ~(0xffffUL << STATE_OUTSIDE_SHIFT);
	if (STATE_INSIDE(state) == depth + 1)
		state &= ~(0xffffUL << STATE_INSIDE_SHIFT);
	*var = state;

	if (outside || atomic_read(this_cpu_ptr(&user->fn->tr->array_buffer.data->disabled)))
		return;
	trace_ctx = tracing_gen_ctx_dec();
	if (thresh) {
		if (trace->rettime - trace->calltime < thresh)
			return;
		record_entry(user->fn->tr, trace->func, depth, trace_ctx);
	}
	record_return(user->fn->tr, trace, depth, trace_ctx);
}

static int graph_init(struct trace_array *tr)
{
	struct trace_function *fn = tr->function;
	struct graph_user *user = &top_user;
	int ret;

	if (!trace_array_is_top(tr)) {
		user = kzalloc(sizeof(*user), GFP_KERNEL);
		if (!user)
			return -ENOMEM;
	}
	user->fn = fn;
	user->gops.entryfunc = graph_entry;
	user->gops.retfunc = graph_return;
	user->gops.private = user;
	/* set_ftrace_filter is for this tracer too */
	user->gops.ops.func_hash = &fn->ops.local_hash;
	fgraph_sleep_time = graph_tracer_flags.val & GRAPH_OPT_SLEEP_TIME;
	ret = register_ftrace_graph(&user->gops);
	if (ret) {
		if (user != &top_user)
			kfree(user);
		return ret;
	}
	fn->graph = user;
	tracing_start_cmdline_record();
	return 0;
}

static void graph_reset(struct trace_array *tr)
{
	struct graph_user *user = tr->function->graph;

	if (!user)
		return;
	tracing_stop_cmdline_record();
	unregister_ftrace_graph(&user->gops);
	tr->function->graph = NULL;
	if (user != &top_user)
		kfree(user);
}

static int graph_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, int set)
{
	if (bit == GRAPH_OPT_SLEEP_TIME)
		fgraph_sleep_time = set;
	else if (bit == GRAPH_OPT_GRAPH_TIME)
		fgraph_graph_time = set;
	return 0;
}

static int graph_update_thresh(struct trace_array *tr)
{
	return 0;	/* looked at by every call */
}

static struct tracer graph_trace __read_mostly = {
	.name		 = "function_graph",
	.init		 = graph_init,
	.reset		 = graph_reset,
	.update_thresh	 = graph_update_thresh,
	.open		 = graph_print_open,
	.pipe_open	 = graph_print_open,
	.close		 = graph_print_close,
	.pipe_close	 = graph_print_close,
	.print_header	 = graph_print_header,
	.print_line	 = graph_print_line,
	.flags		 = &graph_tracer_flags,
	.set_flag	 = graph_set_flag,
	.allow_instances = true,
};

/* The records when another tracer is chosen meanwhile. */
static enum print_line_t graph_event_print(struct trace_iterator *iter, int flags,
					   struct trace_event *event)
{
	return graph_print_line(iter);
}

static struct trace_event_functions graph_printers = {
	.trace = graph_event_print,
};

static struct trace_event entry_event = {
	.type	= TRACE_GRAPH_ENT,
	.funcs	= &graph_printers,
};

static struct trace_event return_event = {
	.type	= TRACE_GRAPH_RET,
	.funcs	= &graph_printers,
};

static int __init graph_trace_register(void)
{
	if (!register_trace_event(&entry_event) || !register_trace_event(&return_event))
		pr_warn("function_graph tracer: records cannot be printed\n");
	return register_tracer(&graph_trace);
}
core_initcall(graph_trace_register);
