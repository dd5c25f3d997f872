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
#include "../function/graph/frames.h"
#include "../function/sites/guard.h"
#include "../function/sites/sites.h"
#include "../function/filters/function_ops.h"
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
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
	{ TRACER_OPT(funcgraph-args, GRAPH_OPT_ARGS) },
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

/* Running in an instance: trace_array.room[ROOM_TRACERS]. */
struct graph_user {
	struct fgraph_ops	gops;
	struct function_ops	*fn;
};

/* Static, for the top instance: stopping it needs no grace period. */
static struct graph_user top_user;

static __always_inline struct function_ops *function_of(struct fgraph_ops *gops)
{
	return container_of(gops, struct graph_user, gops)->fn;
}

/*
 * The word of a task, from the lowest bit:
 *
 *	depth		of the calls that are open
 *	inside		depth + 1 of the call of set_graph_function that we are in
 *	outside		depth + 1 of the call of set_graph_notrace that we are in
 *	irq		depth + 1 of a call of set_graph_function that was made in an interrupt,
 *			while interrupts are not recorded otherwise
 *	slow		how many open calls are recorded at their return, if they were slow
 *
 * The middle three are 0 for none. There are fewer than 2^12 frames on a shadow stack.
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

/* __tracing_preempt() of the traced function, where preemption was disabled once since */
static __always_inline unsigned long function_preempt(void)
{
	return __tracing_preempt() - IS_ENABLED(CONFIG_PREEMPT_COUNT);
}

static __always_inline void fill_head(struct trace_entry *entry, unsigned int type,
				      unsigned long preempt, struct task_struct *self)
{
	unsigned long irqflags;

	local_save_flags(irqflags);
	__tracing_entry_update(entry, type,
			       __tracing_ctx_of(self, preempt, __tracing_irq_flag(irqflags)), self);
}

static __always_inline void fill_entry(struct ftrace_graph_ent_entry *entry, unsigned long func,
				       int depth, unsigned long preempt,
				       struct task_struct *self)
{
	fill_head(&entry->ent, TRACE_GRAPH_ENT, preempt, self);
	entry->graph_ent.func = func;
	entry->graph_ent.depth = depth;
}

static noinline notrace bool record_entry_slow(struct trace_array *tr, unsigned long func,
					       int depth, unsigned long preempt,
					       struct rb_ring *ring)
{
	struct ring_buffer_slot slot = { .ring = ring };

	if (!ring_buffer_slot_rest(ring_buffer_cpus(tr->array_buffer.buffer),
				   sizeof(struct ftrace_graph_ent_entry), &slot))
		return false;
	fill_entry(slot.data, func, depth, preempt, current);
	ring_buffer_slot_commit(&slot);
	return true;
}

/*
 * With the return address, arguments, or the threshold. @args is what was kept of the call, or
 * NULL: then it is just entered, with @fregs.
 */
static noinline notrace bool record_entry_limited(struct trace_array *tr, unsigned long func,
						  int depth, unsigned long preempt,
						  struct ftrace_regs *fregs,
						  const unsigned long *args)
{
	u32 val = READ_ONCE(graph_tracer_flags.val);
	struct ring_buffer_slot slot __uninitialized;
	struct ftrace_graph_retaddr_entry *retaddr;
	struct ftrace_graph_args_entry *plain;
	bool has_args = args || (fregs && val & GRAPH_OPT_ARGS);
	unsigned long *to;
	unsigned int size;

	if (!(val & GRAPH_OPT_RETADDR) && !has_args)
		return record_entry_slow(tr, func, depth, preempt, NULL);
	size = val & GRAPH_OPT_RETADDR ? sizeof(*retaddr) : offsetof(typeof(*plain), args);
	if (!ring_buffer_slot_reserve(tr->array_buffer.buffer,
				      size + (has_args ? FTRACE_ARGS_SIZE : 0), &slot))
		return false;
	fill_entry(slot.data, func, depth, preempt, current);
	if (val & GRAPH_OPT_RETADDR) {
		retaddr = slot.data;
		retaddr->entry.ent.type = TRACE_GRAPH_RETADDR_ENT;
		retaddr->retaddr = graph_return_address();
		to = retaddr->args;
	} else {
		plain = slot.data;
		to = plain->args;
	}
	if (args)
		memcpy(to, args, FTRACE_ARGS_SIZE);
	else if (has_args)
		ftrace_regs_copy_args(to, fregs);
	ring_buffer_slot_commit(&slot);
	return true;
}

/* @ring: where the short way has got to, or NULL */
static noinline notrace void record_return(struct trace_array *tr,
					   const struct ftrace_graph_ret *ret, int depth,
					   struct rb_ring *ring)
{
	struct ring_buffer_slot slot = { .ring = ring };
	struct ftrace_graph_ret_entry *entry;

	if (!ring_buffer_slot_rest(ring_buffer_cpus(tr->array_buffer.buffer), sizeof(*entry),
				   &slot))
		return;
	entry = slot.data;
	fill_head(&entry->ent, TRACE_GRAPH_RET, function_preempt(), current);
	entry->ret = *ret;
	entry->ret.depth = depth;
	ring_buffer_slot_commit(&slot);
}

/* The same, the short way if that does. The time is that of @ret. */
static __always_inline void record_return_at(struct function_ops *fn,
					     const struct ftrace_graph_ret *ret, int depth)
{
	unsigned long preempt = __tracing_preempt();
	struct ring_buffer_slot slot __uninitialized;
	struct ftrace_graph_ret_entry *entry;
	u64 time = ret->rettime;

	if (unlikely(!ring_buffer_slot_try(fn->cpus, sizeof(*entry), ring_buffer_context(preempt),
					   &time, &slot))) {
		record_return(fn->tr, ret, depth, slot.ring);
		return;
	}
	entry = slot.data;
	fill_head(&entry->ent, TRACE_GRAPH_RET, preempt - IS_ENABLED(CONFIG_PREEMPT_COUNT),
		  current);
	entry->ret = *ret;
	entry->ret.depth = depth;
	if (unlikely(!ring_buffer_slot_commit_short(&slot)))
		ring_buffer_slot_finish(slot.ring, slot.sub, slot.tail);
}

/*
 * With a threshold, the arguments of so many calls of a stack are kept: they would take the room
 * that there is for twice as many calls.
 */
#define SLOW_ARGS_DEPTH	16

/* What is to become of a call. */
enum call_fate {
	CALL_IGNORE,
	CALL_RECORD,
	CALL_FOLLOW,	/* only to know where it ends, or how long it takes */
};

/*
 * With a threshold: what it was goes with the call to its return, so it does not matter when it
 * is changed meanwhile. Behind it the arguments, which are not to be had any more at the return.
 */
static enum call_fate follow_slow(struct fgraph_ops *gops, unsigned long thresh,
				  struct ftrace_regs *fregs, unsigned long *state)
{
	bool args = fregs && READ_ONCE(graph_tracer_flags.val) & GRAPH_OPT_ARGS &&
		    STATE_DEPTH(*state) < SLOW_ARGS_DEPTH;
	unsigned long *data;

	data = fgraph_reserve_data(gops->idx, sizeof(*data) + (args ? FTRACE_ARGS_SIZE : 0));
	if (!data)
		return CALL_IGNORE;
	*data = thresh;
	if (args)
		ftrace_regs_copy_args(data + 1, fregs);
	*state += 1UL << STATE_SLOW_SHIFT;
	return CALL_FOLLOW;
}

/* What do limits want that are in force? @state is changed as they do. */
static noinline notrace enum call_fate limited_call(unsigned long func, struct fgraph_ops *gops,
						    struct ftrace_regs *fregs,
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
	return thresh ? follow_slow(gops, thresh, fregs, state) : CALL_RECORD;
}

/* Preemption is off. What is plain goes by graph_call_recorded(), where there is that. */
static int notrace graph_entry(struct ftrace_graph_ent *ent, struct fgraph_ops *gops)
{
	struct function_ops *fn = function_of(gops);
	unsigned long preempt = graph_call_of(ent)->preempt;
	unsigned long *var = graph_task_var(gops);
	struct ring_buffer_slot slot __uninitialized;
	u64 time = graph_call_of(ent)->time;
	unsigned long state = *var;
	enum call_fate fate;

	if (!function_pid_ok(fn))
		return 0;
	if (READ_ONCE(fn->limits.bits) | state >> STATE_INSIDE_SHIFT) {
		fate = limited_call(ent->func, gops, graph_call_of(ent)->fregs, &state);
		/* Without room for the entry the return is not wanted either. */
		if (fate == CALL_IGNORE ||
		    (fate == CALL_RECORD &&
		     !record_entry_limited(fn->tr, ent->func, STATE_DEPTH(state), preempt,
					   graph_call_of(ent)->fregs, NULL)))
			return 0;
		*var = state + 1;
		return 1;
	}
	/* The time of the call is the local clock of a moment ago. */
	if (likely(ring_buffer_slot_try(fn->cpus, sizeof(struct ftrace_graph_ent_entry),
					preempt + 1, &time, &slot))) {
		fill_entry(slot.data, ent->func, STATE_DEPTH(state), preempt, current);
		if (unlikely(!ring_buffer_slot_commit_short(&slot)))
			ring_buffer_slot_finish(slot.ring, slot.sub, slot.tail);
	} else if (!record_entry_slow(fn->tr, ent->func, STATE_DEPTH(state), preempt, slot.ring)) {
		return 0;
	}
	*var = state + 1;
	return 1;
}

#ifdef ARCH_FTRACE_GRAPH_REGS
/* How far graph_call_recorded() has got when it leaves the rest to the other function. */
enum call_stage {
	CALL_BEGINS,		/* nothing is done */
	CALL_ENTERED,		/* guarded, and nothing else */
	CALL_FRAMED,		/* a frame and no record, but maybe a ring that we are in */
	CALL_COMMITTED,		/* ring_buffer_slot_finish() */
	CALL_LEFT,		/* somebody wants the CPU */
};

static noinline notrace void
graph_call_rest(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		struct ftrace_regs *fregs, enum call_stage stage, struct rb_ring *ring,
		struct rb_sub *sub, u64 tail)
{
	struct graph_user *user = container_of(op, struct graph_user, gops.ops);
	unsigned long *var;
	int n;

	switch (stage) {
	case CALL_BEGINS:
		graph_call(ip, parent_ip, op, fregs);
		return;
	case CALL_ENTERED:
		break;
	case CALL_FRAMED:
		n = current->curr_ret_stack - 1;
		var = graph_task_var(&user->gops);
		if (record_entry_slow(user->fn->tr, ip, STATE_DEPTH(*var), function_preempt(),
				      ring)) {
			*var += 1;
			*arch_ftrace_return_slot(fregs) = (unsigned long)return_to_handler;
		} else {
			frame_pop(current, task_stack(current),
				  &task_stack(current)->frames[n], n);
		}
		break;
	case CALL_COMMITTED:
		ring_buffer_slot_finish(ring, sub, tail);
		break;
	case CALL_LEFT:
		trace_guard_yield_plain();
		return;
	}
	trace_guard_end_plain();
	if (stage == CALL_ENTERED)
		graph_call(ip, parent_ip, op, fregs);
}

/* graph_call() and graph_entry() in one, for a call that nothing is special about. */
static void notrace graph_call_recorded(unsigned long ip, unsigned long parent_ip,
					struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct graph_user *user = container_of(op, struct graph_user, gops.ops);
	struct ring_buffer_slot slot __uninitialized;
	unsigned long preempt = __tracing_preempt();
	enum call_stage stage = CALL_BEGINS;
	struct function_ops *fn = user->fn;
	struct task_struct *self = current;
	unsigned long word = READ_ONCE(self->trace_recursion);
	struct graph_stack *stack = task_stack(self);
	struct ftrace_ret_stack *frame;
	unsigned int context;
	unsigned long state;
	int n, idx;
	u64 now;

	slot.ring = NULL;
	slot.sub = NULL;
	slot.tail = 0;
	if (unlikely(graph_is_off_for(self) || trace_rcu_is_off(ip) || !stack || fn->has_pids ||
		     trace_guard_is_special(preempt, word)))
		goto rest;
	n = self->curr_ret_stack;
	frame = frame_of(stack, n);
	idx = user->gops.idx;
	state = stack->var[idx];
	if (unlikely(!frame_has_room(frame, stack) ||
		     READ_ONCE(fn->limits.bits) | state >> STATE_INSIDE_SHIFT))
		goto rest;
	context = ring_buffer_context(trace_guard_enter_plain(self, word, preempt));
	stage = CALL_ENTERED;
	if (unlikely(!trace_local_clock_short(&now)))
		goto rest;
	frame_take(self, frame, n, *arch_ftrace_return_slot(fregs), ip,
		   arch_ftrace_unwind_key(fregs), BIT(idx));
	frame->calltime = now;
	stage = CALL_FRAMED;
	if (unlikely(!ring_buffer_slot_try(fn->cpus, sizeof(struct ftrace_graph_ent_entry),
					   context, &now, &slot)))
		goto rest;
	fill_entry(slot.data, ip, STATE_DEPTH(state), preempt, self);
	stack->var[idx] = state + 1;
	*arch_ftrace_return_slot(fregs) = (unsigned long)return_to_handler;
	stage = CALL_COMMITTED;
	if (unlikely(!ring_buffer_slot_commit_short(&slot)))
		goto rest;
	stage = CALL_LEFT;
	if (trace_guard_leave_plain(self, word))
		goto rest;
	return;

	/* One call, in one place: so there is no stack frame before it. */
rest:
	graph_call_rest(ip, parent_ip, op, fregs, stage, slot.ring, slot.sub, slot.tail);
}
#endif

/*
 * The call at the depth of @var is over: forget the limits that it was the first to be within.
 * Return: was it within a call of set_graph_notrace?
 */
static __always_inline bool limits_leave(unsigned long *var)
{
	unsigned int depth = STATE_DEPTH(*var);
	bool outside = STATE_OUTSIDE(*var);

	if (STATE_OUTSIDE(*var) == depth + 1)
		*var &= ~(STATE_MASK << STATE_OUTSIDE_SHIFT);
	if (STATE_INSIDE(*var) == depth + 1)
		*var &= ~(STATE_MASK << STATE_INSIDE_SHIFT);
	if (STATE_IRQ(*var) == depth + 1)
		*var &= ~(STATE_MASK << STATE_IRQ_SHIFT);
	return outside;
}

/* A return out of what limits made of its entry; false if there is nothing to record. */
static noinline notrace bool limited_return(struct fgraph_ops *gops,
					    const struct ftrace_graph_ret *ret,
					    unsigned long *var)
{
	unsigned int depth = STATE_DEPTH(*var);
	unsigned long *thresh = NULL;
	int size;

	if (limits_leave(var))
		return false;
	if (STATE_SLOW(*var))
		thresh = fgraph_retrieve_data(gops->idx, &size);
	if (!thresh)
		return true;	/* its entry was recorded */
	*var -= 1UL << STATE_SLOW_SHIFT;
	return ret->rettime - ret->calltime >= *thresh &&
	       record_entry_limited(function_of(gops)->tr, ret->func, depth,
				    function_preempt(), NULL,
				    size > sizeof(*thresh) ? thresh + 1 : NULL);
}

/* A call returned that cannot be recorded: what is known of the task goes on being right. */
static void notrace graph_unseen(struct fgraph_ops *gops)
{
	unsigned long *var = graph_task_var(gops);
	bool outside;

	if (!STATE_DEPTH(*var))
		return;
	*var -= 1;
	outside = limits_leave(var);
	if (!outside && STATE_SLOW(*var) && fgraph_retrieve_data(gops->idx, NULL))
		*var -= 1UL << STATE_SLOW_SHIFT;
}

/* Preemption is off. What is plain goes by graph_leave(). */
static void notrace graph_return(struct ftrace_graph_ret *ret, struct fgraph_ops *gops)
{
	unsigned long *var = graph_task_var(gops);
	unsigned long state = *var;

	if (unlikely(!STATE_DEPTH(state)))
		return;		/* entered for somebody who is gone */
	*var = --state;
	if (state >> STATE_INSIDE_SHIFT && !limited_return(gops, ret, var))
		return;
	record_return_at(function_of(gops), ret, STATE_DEPTH(state));
}

/* How far graph_leave() has got when it leaves the rest to the other function. */
enum leave_stage {
	LEAVE_BEGINS,		/* nothing is done */
	LEAVE_COUNTED,		/* there is no record, but maybe a ring that we are in */
	LEAVE_COMMITTED,	/* ring_buffer_slot_finish() */
	LEAVE_LEFT,		/* somebody wants the CPU */
};

static noinline notrace unsigned long
graph_leave_rest(struct ftrace_regs *fregs, struct ftrace_ret_stack *frame,
		 struct fgraph_ops *gops, enum leave_stage stage, struct rb_ring *ring,
		 struct rb_sub *sub, u64 tail)
{
	struct task_struct *self = current;
	struct ftrace_graph_ret ret = {
		.func		= frame->func,
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
		.retval		= ftrace_regs_get_return_value(fregs),
#endif
		.overrun	= atomic_read(&self->trace_overrun),
		.calltime	= frame->calltime,
	};

	switch (stage) {
	case LEAVE_BEGINS:
		ret.rettime = trace_local_clock();
		graph_return(&ret, gops);
		break;
	case LEAVE_COUNTED:
		ret.rettime = trace_local_clock();
		record_return(function_of(gops)->tr, &ret, STATE_DEPTH(*graph_task_var(gops)),
			      ring);
		break;
	case LEAVE_COMMITTED:
		ring_buffer_slot_finish(ring, sub, tail);
		break;
	case LEAVE_LEFT:
		trace_guard_yield_plain();
		return frame_return(self, task_stack(self), frame);
	}
	trace_guard_end_plain();
	return frame_return(self, task_stack(self), frame);
}

/* The return of a call that nothing is special about, see struct graph_recorder. */
static unsigned long notrace graph_leave(struct ftrace_regs *fregs, struct ftrace_ret_stack *frame,
					 struct fgraph_ops *gops, unsigned long preempt,
					 struct graph_stack *stack)
{
	struct task_struct *self = current;
	unsigned long *var = &stack->var[gops->idx];
	struct ring_buffer_slot slot __uninitialized;
	enum leave_stage stage = LEAVE_BEGINS;
	struct ftrace_graph_ret_entry *entry;
	unsigned long state = *var - 1;
	u64 now;

	slot.ring = NULL;
	slot.sub = NULL;
	slot.tail = 0;
	/* also if the depth was 0 */
	if (unlikely(state >> STATE_INSIDE_SHIFT || !trace_local_clock_short(&now)))
		goto rest;
	*var = state;
	stage = LEAVE_COUNTED;
	if (unlikely(!ring_buffer_slot_try(function_of(gops)->cpus, sizeof(*entry), preempt + 1,
					   &now, &slot)))
		goto rest;
	entry = slot.data;
	fill_head(&entry->ent, TRACE_GRAPH_RET, preempt, self);
	entry->ret.func = frame->func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	entry->ret.retval = ftrace_regs_get_return_value(fregs);
#endif
	entry->ret.depth = state;
	entry->ret.overrun = atomic_read(&self->trace_overrun);
	entry->ret.calltime = frame->calltime;
	entry->ret.rettime = now;
	stage = LEAVE_COMMITTED;
	if (unlikely(!ring_buffer_slot_commit_short(&slot)))
		goto rest;
	stage = LEAVE_LEFT;
	if (trace_preempt_enable(self))
		goto rest;
	trace_guard_clear_plain();
	return frame_return(self, stack, frame);

	/* One call, in one place: so there is no stack frame before it. */
rest:
	return graph_leave_rest(fregs, frame, gops, stage, slot.ring, slot.sub, slot.tail);
}

static const struct graph_recorder graph_recorder = {
	.entryfunc	= graph_entry,
	.retfunc	= graph_return,
#ifdef ARCH_FTRACE_GRAPH_REGS
	.call		= graph_call_recorded,
#endif
	.leave		= graph_leave,
};

static void user_free(struct graph_user *user)
{
	if (user != &top_user && !ftrace_ops_keep(&user->gops.ops))
		kfree(user);
}

static int graph_init(struct trace_array *tr)
{
	struct function_ops *fn = function_ops_of(tr);
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
	user->gops.unseen = graph_unseen;
	/* set_ftrace_filter is for this tracer too */
	user->gops.ops.func_hash = &fn->ops.local_hash;
	ret = graph_set_sleep_time(graph_tracer_flags.val & GRAPH_OPT_SLEEP_TIME);
	if (ret)
		goto out;
	graph_limit_set(&fn->limits, FGRAPH_LIMIT_IRQS, !(graph_tracer_flags.val & GRAPH_OPT_IRQS));
	graph_limit_set(&fn->limits, FGRAPH_LIMIT_MORE, graph_tracer_flags.val & GRAPH_OPT_MORE);
	graph_limit_set(&fn->limits, FGRAPH_LIMIT_THRESH, tracing_thresh);
	tracing_start_cmdline_record(tr);
	ret = register_ftrace_graph(&user->gops);
	if (ret) {
		tracing_stop_cmdline_record(tr);
		goto out;
	}
	tr->room[ROOM_TRACERS] = user;
	return 0;
out:
	user_free(user);
	return ret;
}

static void graph_reset(struct trace_array *tr)
{
	struct graph_user *user = tr->room[ROOM_TRACERS];

	if (!user)
		return;
	unregister_ftrace_graph(&user->gops);
	tracing_stop_cmdline_record(tr);
	tr->room[ROOM_TRACERS] = NULL;
	user_free(user);
}

static int graph_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, int set)
{
	if (bit == GRAPH_OPT_IRQS)
		graph_limit_set_all(FGRAPH_LIMIT_IRQS, !set);
	else if (bit & GRAPH_OPT_MORE)
		graph_limit_set_all(FGRAPH_LIMIT_MORE,
				    set || old_flags & GRAPH_OPT_MORE & ~bit);
	else if (bit == GRAPH_OPT_SLEEP_TIME)
		return graph_set_sleep_time(set);
	else if (bit == GRAPH_OPT_GRAPH_TIME)
		fgraph_graph_time = set;
	return 0;
}

static int graph_update_thresh(struct trace_array *tr)
{
	/* asked of each instance that runs the tracer */
	graph_limit_set(&function_ops_of(tr)->limits, FGRAPH_LIMIT_THRESH, tracing_thresh);
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
	.rewind		 = graph_print_rewind,
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

static struct trace_event_functions graph_printer = { .trace = graph_event_print };

static struct trace_event printers[] = {
	{ .type = TRACE_GRAPH_ENT,	.funcs = &graph_printer },
	{ .type = TRACE_GRAPH_RETADDR_ENT, .funcs = &graph_printer },
	{ .type = TRACE_GRAPH_RET,	.funcs = &graph_printer },
};

static int __init graph_trace_register(void)
{
	if (register_trace_events(printers, ARRAY_SIZE(printers)))
		pr_warn("function_graph tracer: records cannot be printed\n");
	graph_set_recorder(&graph_recorder);
	return register_tracer(&graph_trace);
}
core_initcall(graph_trace_register);
