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

#include "../record/function_entries.h"
#include "../function/graph/graph.h"
#include "../function/filters/instances.h"
#include "../record/write.h"
#include "../output/output.h"
#include "../tasks/tasks.h"
#include "../ring_buffer/fast.h"
#include "function_graph.h"

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
	{ TRACER_OPT(funcgraph-retaddr, GRAPH_OPT_RETADDR) },
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

static __always_inline struct trace_function *function_of(struct fgraph_ops *gops)
{
	return container_of(gops, struct graph_user, gops)->fn;
}

/*
 * The word of a task. Its depth; one more than the depth at which a function that was
 * asked for was entered, one that is not wanted, and one that was asked for in an interrupt,
 * while they are not recorded otherwise, 0 for none; and how many calls are open that are recorded
 * at their return if they were slow. There are fewer than 2^12 frames on a shadow stack.
 */
#define STATE_DEPTH(s)		((u16)(s))
#define STATE_INSIDE_SHIFT	16
#define STATE_OUTSIDE_SHIFT	28
#define STATE_IRQ_SHIFT		40
#define STATE_SLOW_SHIFT	52
#define STATE_MASK		0xfffUL
#define STATE_INSIDE(s)		((s) >> STATE_INSIDE_SHIFT & STATE_MASK)
#define STATE_OUTSIDE(s)	((s) >> STATE_OUTSIDE_SHIFT & STATE_MASK)
#define STATE_IRQ(s)		((s) >> STATE_IRQ_SHIFT & STATE_MASK)
#define STATE_SLOW(s)		((s) >> STATE_SLOW_SHIFT & STATE_MASK)

static __always_inline unsigned int record_ctx(unsigned int pc)
{
	unsigned long irqflags;

	local_save_flags(irqflags);
	return __tracing_ctx(pc, __tracing_irq_flag(irqflags));
}

static __always_inline void fill_entry(struct ftrace_graph_ent_entry *entry, unsigned long func,
				       int depth, unsigned int pc)
{
	tracing_generic_entry_update(&entry->ent, TRACE_GRAPH_ENT, record_ctx(pc));
	entry->graph_ent.func = func;
	entry->graph_ent.depth = depth;
}

static noinline notrace bool record_entry_slow(struct trace_array *tr, unsigned long func,
					       int depth, unsigned int pc,
					       struct rb_ring *ring)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;

	event = ring_buffer_reserve_rest(buffer, sizeof(struct ftrace_graph_ent_entry), &ring);
	if (!event)
		return false;
	fill_entry(ring_buffer_reserved_data(event), func, depth, pc);
	ring_buffer_commit_here(ring);
	return true;
}

/* With the return address, or the threshold: no need to be quick. */
static noinline notrace bool record_entry_limited(struct trace_array *tr, unsigned long func,
						  int depth, unsigned int pc)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ftrace_graph_retaddr_entry *entry;
	struct ring_buffer_event *event;
	struct rb_ring *ring = NULL;

	if (!(graph_tracer_flags.val & GRAPH_OPT_RETADDR))
		return record_entry_slow(tr, func, depth, pc, NULL);
	event = ring_buffer_reserve_rest(buffer, sizeof(*entry), &ring);
	if (!event)
		return false;
	entry = ring_buffer_reserved_data(event);
	fill_entry(&entry->entry, func, depth, pc);
	entry->retaddr = graph_return_address();
	ring_buffer_commit_here(ring);
	return true;
}

/*
 * Preemption is off in the next two, and @pc is what preempt_count() was before that.
 * @time is the local clock of a moment ago: see ring_buffer_try_reserve().
 */
static __always_inline bool record_entry(struct trace_array *tr, unsigned long func, int depth,
					 unsigned int pc, u64 time)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct rb_ring *ring;
	void *data;

	event = ring_buffer_try_reserve(buffer, sizeof(struct ftrace_graph_ent_entry), pc,
					&time, &ring, &data);
	if (unlikely(!event))
		return record_entry_slow(tr, func, depth, pc, ring);
	fill_entry(data, func, depth, pc);
	ring_buffer_commit_short(ring);
	return true;
}

static __always_inline void fill_return(struct ftrace_graph_ret_entry *entry,
					const struct ftrace_graph_ret *ret, int depth,
					unsigned int pc)
{
	tracing_generic_entry_update(&entry->ent, TRACE_GRAPH_RET, record_ctx(pc));
	entry->ret = *ret;
	entry->ret.depth = depth;
}

static noinline notrace void record_return_slow(struct trace_array *tr,
						const struct ftrace_graph_ret *ret, int depth,
						unsigned int pc, struct rb_ring *ring)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;

	event = ring_buffer_reserve_rest(buffer, sizeof(struct ftrace_graph_ret_entry), &ring);
	if (!event)
		return;
	fill_return(ring_buffer_reserved_data(event), ret, depth, pc);
	ring_buffer_commit_here(ring);
}

static __always_inline void record_return(struct trace_array *tr,
					  const struct ftrace_graph_ret *ret, int depth)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	unsigned int pc = preempt_count() - IS_ENABLED(CONFIG_PREEMPTION);
	struct ring_buffer_event *event;
	u64 time = ret->rettime;
	struct rb_ring *ring;
	void *data;

	event = ring_buffer_try_reserve(buffer, sizeof(struct ftrace_graph_ret_entry), pc,
					&time, &ring, &data);
	if (unlikely(!event)) {
		record_return_slow(tr, ret, depth, pc, ring);
		return;
	}
	fill_return(data, ret, depth, pc);
	ring_buffer_commit_short(ring);
}

/* What is to become of a call. */
enum call_fate {
	CALL_IGNORE,
	CALL_RECORD,
	CALL_FOLLOW,	/* only to know where it ends, or how long it takes */
};

/*
 * With a threshold: what it was goes with the call to its return, so it does not matter when it
 * is changed meanwhile.
 */
static enum call_fate follow_slow(struct fgraph_ops *gops, unsigned long thresh,
				  unsigned long *state)
{
	unsigned long *data = fgraph_reserve_data(gops->idx, sizeof(*data));

	if (!data)
		return CALL_IGNORE;
	*data = thresh;
	*state += 1UL << STATE_SLOW_SHIFT;
	return CALL_FOLLOW;
}

/* What do limits want that are in force? @state is changed as they do. */
static noinline notrace enum call_fate limited_call(unsigned long func, struct fgraph_ops *gops,
						    unsigned long *state)
{
	const struct graph_limits *limits = &function_of(gops)->limits;
	unsigned int max = READ_ONCE(limits->max_depth);
	unsigned int depth = STATE_DEPTH(*state);
	unsigned long thresh;

	if (STATE_OUTSIDE(*state))
		return CALL_IGNORE;
	if (max && depth >= max)
		return CALL_IGNORE;
	/* A function that is asked for is recorded also where an interrupt calls it. */
	if (test_bit(FGRAPH_LIMIT_IRQS, &limits->bits) && in_hardirq() && !STATE_IRQ(*state)) {
		if (!graph_limit_has(limits, false, func))
			return CALL_IGNORE;
		*state |= (unsigned long)(depth + 1) << STATE_IRQ_SHIFT;
	}
	if (test_bit(FGRAPH_LIMIT_FUNCTION, &limits->bits) && !STATE_INSIDE(*state)) {
		if (!graph_limit_has(limits, false, func))
			return CALL_IGNORE;
		*state |= (unsigned long)(depth + 1) << STATE_INSIDE_SHIFT;
	}
	if (graph_limit_has(limits, true, func)) {
		*state |= (unsigned long)(depth + 1) << STATE_OUTSIDE_SHIFT;
		return CALL_FOLLOW;
	}
	thresh = READ_ONCE(tracing_thresh);
	return thresh ? follow_slow(gops, thresh, state) : CALL_RECORD;
}

static int notrace graph_entry(struct ftrace_graph_ent *ent, struct fgraph_ops *gops)
{
	struct trace_function *fn = function_of(gops);
	struct graph_call *call = graph_call_of(ent);
	unsigned long *var = graph_task_var(gops);
	unsigned long state = *var, changed;
	enum call_fate fate;

	if (unlikely(!function_pid_ok(fn)))
		return 0;
	if (unlikely(READ_ONCE(fn->limits.bits) | state >> STATE_INSIDE_SHIFT)) {
		changed = state;
		fate = limited_call(ent->func, gops, &changed);
		/* Without room for the entry the return is not wanted either. */
		if (fate == CALL_IGNORE ||
		    (fate == CALL_RECORD &&
		     !record_entry_limited(fn->tr, ent->func, STATE_DEPTH(changed), call->pc)))
			return 0;
		*var = changed + 1;
		return 1;
	}
	if (unlikely(!record_entry(fn->tr, ent->func, STATE_DEPTH(state), call->pc, call->time)))
		return 0;
	*var = state + 1;
	return 1;
}

/* A return out of what limits made of its entry; false if there is nothing to record. */
static noinline notrace bool limited_return(struct fgraph_ops *gops,
					    const struct ftrace_graph_ret *ret,
					    unsigned long *var)
{
	unsigned int depth = STATE_DEPTH(*var);
	bool outside = STATE_OUTSIDE(*var);
	unsigned long *thresh = NULL;

	if (STATE_OUTSIDE(*var) == depth + 1)
		*var &= ~(STATE_MASK << STATE_OUTSIDE_SHIFT);
	if (STATE_INSIDE(*var) == depth + 1)
		*var &= ~(STATE_MASK << STATE_INSIDE_SHIFT);
	if (STATE_IRQ(*var) == depth + 1)
		*var &= ~(STATE_MASK << STATE_IRQ_SHIFT);
	if (outside)
		return false;
	if (STATE_SLOW(*var))
		thresh = fgraph_retrieve_data(gops->idx, NULL);
	if (!thresh)
		return true;	/* its entry was recorded */
	*var -= 1UL << STATE_SLOW_SHIFT;
	return ret->rettime - ret->calltime >= *thresh &&
	       record_entry_limited(function_of(gops)->tr, ret->func, depth,
				    preempt_count() - IS_ENABLED(CONFIG_PREEMPTION));
}

static void notrace graph_return(struct ftrace_graph_ret *ret, struct fgraph_ops *gops)
{
	struct trace_array *tr = function_of(gops)->tr;
	unsigned long *var = graph_task_var(gops);
	unsigned long state = *var;

	if (unlikely(!STATE_DEPTH(state)))
		return;		/* entered for somebody who is gone */
	*var = --state;
	if (unlikely(state >> STATE_INSIDE_SHIFT) && !limited_return(gops, ret, var))
		return;
	record_return(tr, ret, STATE_DEPTH(state));
}

static int graph_init(struct trace_array *tr)
{
	struct trace_function *fn = trace_function_of(tr);
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
	/* set_ftrace_filter is for this tracer too */
	user->gops.ops.func_hash = &fn->ops.local_hash;
	ret = graph_set_sleep_time(graph_tracer_flags.val & GRAPH_OPT_SLEEP_TIME);
	if (ret)
		goto out;
	graph_limit_set(&fn->limits, FGRAPH_LIMIT_IRQS, !(graph_tracer_flags.val & GRAPH_OPT_IRQS));
	graph_limit_set(&fn->limits, FGRAPH_LIMIT_RETADDR,
			graph_tracer_flags.val & GRAPH_OPT_RETADDR);
	graph_limit_set(&fn->limits, FGRAPH_LIMIT_THRESH, tracing_thresh);
	tracing_start_cmdline_record(tr);
	ret = register_ftrace_graph(&user->gops);
	if (ret) {
		tracing_stop_cmdline_record(tr);
		goto out;
	}
	fn->graph = user;
	return 0;
out:
	if (user != &top_user)
		kfree(user);
	return ret;
}

static void graph_reset(struct trace_array *tr)
{
	struct graph_user *user = trace_function_of(tr)->graph;

	if (!user)
		return;
	unregister_ftrace_graph(&user->gops);
	tracing_stop_cmdline_record(tr);
	trace_function_of(tr)->graph = NULL;
	if (user != &top_user)
		kfree(user);
}

static int graph_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, int set)
{
	if (bit == GRAPH_OPT_IRQS)
		graph_limit_set_all(FGRAPH_LIMIT_IRQS, !set);
	else if (bit == GRAPH_OPT_RETADDR)
		graph_limit_set_all(FGRAPH_LIMIT_RETADDR, set);
	else if (bit == GRAPH_OPT_SLEEP_TIME)
		return graph_set_sleep_time(set);
	else if (bit == GRAPH_OPT_GRAPH_TIME)
		fgraph_graph_time = set;
	return 0;
}

static int graph_update_thresh(struct trace_array *tr)
{
	/* asked of each instance that runs the tracer */
	graph_limit_set(&trace_function_of(tr)->limits, FGRAPH_LIMIT_THRESH, tracing_thresh);
	return 0;
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
