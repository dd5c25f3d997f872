// SPDX-License-Identifier: GPL-2.0-only
/*
 * The function tracer: a record for each call, of who called whom.
 *
 * One callback for each combination of its options, chosen when an option changes and
 * not asked for at each call. An instance has its own ops and filters; the options are
 * shared by all instances that run the tracer.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/slab.h>

#include "../grace.h"
#include "../record/entries.h"
#include "../record/function_entries.h"
#include "../function/sites/guard.h"
#include "../function/sites/sites.h"
#include "../function/filters/function_ops.h"
#include "../instance/tracer.h"
#include "../record/write.h"
#include "../record/record.h"
#include "../tasks/tasks.h"
#include "../ring_buffer/fast.h"
#include "function.h"

enum {
	FUNC_OPT_STACK		= BIT(0),
	FUNC_OPT_NO_REPEATS	= BIT(1),
	FUNC_OPT_ARGS		= BIT(2),
	FUNC_OPT_ALL		= FUNC_OPT_STACK | FUNC_OPT_NO_REPEATS | FUNC_OPT_ARGS,
};

static struct tracer_opt function_opts[] = {
#ifdef CONFIG_STACKTRACE
	{ TRACER_OPT(func_stack_trace, FUNC_OPT_STACK) },
#endif
	{ TRACER_OPT(func-no-repeats, FUNC_OPT_NO_REPEATS) },
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
	{ TRACER_OPT(func-args, FUNC_OPT_ARGS) },
#endif
	{ }
};

static struct tracer_flags function_flags = {
	.opts = function_opts,
};

/* The last call on a CPU, and how often it came again. */
struct last_call {
	unsigned long	ip;
	unsigned long	parent_ip;
	u64		last;		/* ns, when it last came */
	u16		count;
	unsigned long	args[FTRACE_REGS_MAX_ARGS];	/* with func-args */
};

static __always_inline struct function_ops *function_of(struct ftrace_ops *op)
{
	return container_of(op, struct function_ops, ops);
}

/*
 * Of an instance, since func-no-repeats is on there. In the top instance they stay: nobody waits
 * there for who comes late, when the tracer has stopped.
 */
static __always_inline struct last_call __percpu *last_calls(const struct function_ops *fn)
{
	return (struct last_call __percpu __force *)fn->ops.private;
}

static __always_inline void fill_call(struct ftrace_entry *entry, unsigned long ip,
				      unsigned long parent_ip, struct task_struct *self,
				      unsigned int trace_ctx)
{
	__tracing_entry_update(&entry->ent, TRACE_FN, trace_ctx, self);
	entry->ip = ip;
	entry->parent_ip = parent_ip;
}

/* Fills the record in and commits it. */
static __always_inline void finish_call(const struct ring_buffer_slot *slot, unsigned long ip,
					unsigned long parent_ip, unsigned int pc,
					unsigned long irqflags)
{
	fill_call(slot->data, ip, parent_ip, current,
		  __tracing_ctx(pc, __tracing_irq_flag(irqflags)));
	trace_export_call(slot->event);
	ring_buffer_slot_commit(slot);
}

/* @pc and @irqflags are the traced function's; by now preemption or interrupts are off. */
static void notrace record_call(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
				unsigned int pc, unsigned long irqflags)
{
	struct ring_buffer_slot slot __uninitialized;

	if (ring_buffer_slot_reserve(tr->array_buffer.buffer, sizeof(struct ftrace_entry), &slot))
		finish_call(&slot, ip, parent_ip, pc, irqflags);
}

/* The same, with the arguments in @fregs. */
static void notrace record_call_args(struct trace_array *tr, unsigned long ip,
				     unsigned long parent_ip, struct ftrace_regs *fregs,
				     unsigned int pc, unsigned long irqflags)
{
	struct ring_buffer_slot slot __uninitialized;
	struct ftrace_entry *entry;

	if (!ring_buffer_slot_reserve(tr->array_buffer.buffer, sizeof(*entry) + FTRACE_ARGS_SIZE,
				      &slot))
		return;
	entry = slot.data;
	ftrace_regs_copy_args(entry->args, fregs);
	finish_call(&slot, ip, parent_ip, pc, irqflags);
}

/* @fregs: NULL if no arguments are wanted, which the callback knows that this is inlined in */
static __always_inline void record_call_as(struct trace_array *tr, unsigned long ip,
					   unsigned long parent_ip, struct ftrace_regs *fregs,
					   unsigned int pc, unsigned long irqflags)
{
	if (fregs)
		record_call_args(tr, ip, parent_ip, fregs, pc, irqflags);
	else
		record_call(tr, ip, parent_ip, pc, irqflags);
}

/* In whatever context, for whichever tasks, with arguments or without. */
static __always_inline void guarded_call(unsigned long ip, unsigned long parent_ip,
					 struct function_ops *fn, struct ftrace_regs *fregs,
					 bool args)
{
	struct trace_guard guard;
	unsigned long irqflags;

	if (!trace_guard_enter(&guard, ip, parent_ip))
		return;
	local_save_flags(irqflags);
	if (!function_pid_ok(fn))
		goto leave;
	if (args)
		record_call_args(fn->tr, ip, parent_ip, fregs, guard.pc, irqflags);
	else
		record_call(fn->tr, ip, parent_ip, guard.pc, irqflags);
leave:
	trace_guard_leave(&guard);
}

/* In interrupts, in another callback, for some tasks only. */
static notrace void function_call_special(unsigned long ip, unsigned long parent_ip,
					  struct function_ops *fn)
{
	guarded_call(ip, parent_ip, fn, NULL, false);
}

/* How far function_call() has got when it leaves the rest to the other function. */
enum call_stage {
	CALL_BEGINS,		/* nothing is done */
	CALL_ENTERED,		/* there is no record, but maybe a ring that we are in */
	CALL_COMMITTED,		/* ring_buffer_slot_finish() */
	CALL_LEFT,		/* somebody wants the CPU */
};

static noinline notrace void
function_call_rest(unsigned long ip, unsigned long parent_ip, struct function_ops *fn,
		   enum call_stage stage, struct rb_ring *ring, struct rb_sub *sub, u64 tail)
{
	struct ring_buffer_slot slot = { .ring = ring };
	unsigned long irqflags;

	switch (stage) {
	case CALL_BEGINS:
		function_call_special(ip, parent_ip, fn);
		return;
	case CALL_ENTERED:
		local_save_flags(irqflags);
		if (ring_buffer_slot_rest(fn->cpus,
					  sizeof(struct ftrace_entry), &slot))
			finish_call(&slot, ip, parent_ip,
				    preempt_count() - IS_ENABLED(CONFIG_PREEMPT_COUNT), irqflags);
		break;
	case CALL_COMMITTED:
		ring_buffer_slot_finish(ring, sub, tail);
		break;
	case CALL_LEFT:
		trace_guard_yield_plain();
		return;
	}
	trace_guard_end_plain();
}

static void notrace function_call(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct ring_buffer_slot slot __uninitialized;
	struct function_ops *fn = function_of(op);
	unsigned long preempt = __tracing_preempt();
	enum call_stage stage = CALL_BEGINS;
	struct task_struct *self = current;
	unsigned long word = READ_ONCE(self->trace_recursion);
	unsigned long irqflags;
	unsigned int context;

	slot.ring = NULL;
	slot.sub = NULL;
	slot.tail = 0;
	if (unlikely(trace_rcu_is_off(ip) || fn->has_pids ||
		     trace_guard_is_special(preempt, word)))
		goto rest;
	context = ring_buffer_context(trace_guard_enter_plain(self, word, preempt));
	stage = CALL_ENTERED;
	if (static_branch_unlikely(&trace_function_exports_enabled))
		goto rest;
	if (unlikely(!ring_buffer_slot_try(fn->cpus,
					   sizeof(struct ftrace_entry), context, NULL, &slot)))
		goto rest;
	local_save_flags(irqflags);
	fill_call(slot.data, ip, parent_ip, self,
		  __tracing_ctx_of(self, preempt, __tracing_irq_flag(irqflags)));
	stage = CALL_COMMITTED;
	if (unlikely(!ring_buffer_slot_commit_short(&slot)))
		goto rest;
	stage = CALL_LEFT;
	if (trace_guard_leave_plain(self, word))
		goto rest;
	return;

	/* One call, in one place: so there is no stack frame before it. */
rest:
	function_call_rest(ip, parent_ip, fn, stage, slot.ring, slot.sub, slot.tail);
}

/*
 * What is rare in function_calls(). @at is NULL if nothing is done yet, or the end of the set's ops
 * if all is done, but somebody wants the CPU. Else it is where it has come to: @sub is set if there
 * is a record and it is committed, @ring is where the short way has got to, or NULL.
 */
static noinline notrace void
function_calls_rest(unsigned long ip, unsigned long parent_ip, struct ftrace_op_set *set,
		    struct ftrace_regs *fregs, struct ftrace_ops **at, struct rb_ring *ring,
		    struct rb_sub *sub, u64 tail)
{
	struct ring_buffer_slot slot = { .ring = ring };
	struct ftrace_ops **end, *op;
	struct function_ops *fn;
	unsigned long irqflags;

	OPTIMIZER_HIDE_VAR(set);	/* what is in it is not for the caller to load */
	end = set->call + set->nr_call;
	if (at == end) {
		trace_guard_yield_plain();
		return;
	}
	if (!at) {
		at = set->call;
	} else {
		if (sub) {
			ring_buffer_slot_finish(ring, sub, tail);
			at++;
		} else if (ring) {
			op = READ_ONCE(*at++);
			fn = function_of(op);
			local_save_flags(irqflags);
			/* It was retired since it was asked for a slot: ftrace_set_retire(). */
			if (op == &ftrace_gone_ops)
				ring_buffer_slot_leave(ring);
			else if (ring_buffer_slot_rest(fn->cpus, sizeof(struct ftrace_entry),
						       &slot))
				finish_call(&slot, ip, parent_ip,
					    preempt_count() - IS_ENABLED(CONFIG_PREEMPT_COUNT),
					    irqflags);
		}
		trace_guard_end_plain();
	}
	/* each by itself */
	for (; at < end; at++) {
		op = READ_ONCE(*at);
		op->func(ip, parent_ip, op, fregs);
	}
}

/*
 * function_call() for a set whose ops all run it, in one instance each: clock, context and what
 * guards against recursion are had once. So the records agree in all but their place.
 */
static void notrace function_calls(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct ftrace_op_set *set = ftrace_op_to_set(op);
	struct ftrace_ops **at = NULL, **end = set->call + set->nr_call;
	struct ring_buffer_slot slot __uninitialized;
	unsigned long preempt = __tracing_preempt();
	struct task_struct *self = current;
	unsigned long word = READ_ONCE(self->trace_recursion);
	struct function_ops *fn;
	unsigned int ctx, context;
	unsigned long irqflags;
	u64 now;

	slot.ring = NULL;
	slot.sub = NULL;
	slot.tail = 0;
	if (unlikely(trace_rcu_is_off(ip) ||
		     trace_guard_is_special(preempt, word)))
		goto rest;
	if (static_branch_unlikely(&trace_function_exports_enabled))
		goto rest;
	context = ring_buffer_context(trace_guard_enter_plain(self, word, preempt));
	at = set->call;
	local_save_flags(irqflags);
	ctx = __tracing_ctx_of(self, preempt, __tracing_irq_flag(irqflags));
	if (unlikely(!trace_local_clock_short(&now)))
		goto rest;
	do {
		op = READ_ONCE(*at);
		/* or others, or the stand-in */
		if (unlikely(READ_ONCE(op->func) != function_call)) {
			slot.ring = NULL;
			slot.sub = NULL;
			goto rest;
		}
		fn = function_of(op);
		if (unlikely(fn->has_pids) && *trace_cpu_ptr(fn->traced_pid) != self->pid)
			continue;
		if (unlikely(!ring_buffer_slot_try(fn->cpus, sizeof(struct ftrace_entry),
						   context, &now, &slot))) {
			slot.sub = NULL;
			slot.tail = 0;
			goto rest;
		}
		fill_call(slot.data, ip, parent_ip, self, ctx);
		if (unlikely(!ring_buffer_slot_commit_short(&slot)))
			goto rest;
	} while (++at < end);
	if (trace_guard_leave_plain(self, word))
		goto rest;
	return;

	/* One call, in one place: so there is no stack frame before it. */
rest:
	function_calls_rest(ip, parent_ip, set, fregs, at, slot.ring, slot.sub, slot.tail);
}

static void notrace function_args_call(unsigned long ip, unsigned long parent_ip,
				       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	guarded_call(ip, parent_ip, function_of(op), fregs, true);
}

#ifdef CONFIG_STACKTRACE
static __always_inline void stack_call(unsigned long ip, unsigned long parent_ip,
				       struct function_ops *fn, struct ftrace_regs *fregs)
{
	unsigned long flags;
	atomic_t *disabled;

	if (trace_rcu_is_off(ip))
		return;
	/* Taking a stack calls traced functions, also in interrupts: keep them all out. */
	local_irq_save(flags);
	if (function_pid_ok(fn)) {	/* once: another CPU may be setting pids */
		disabled = this_cpu_ptr(&fn->tr->array_buffer.data->disabled);
		if (atomic_inc_return(disabled) == 1) {
			record_call_as(fn->tr, ip, parent_ip, fregs, preempt_count(), flags);
			trace_function_stack(fn->tr, tracing_gen_ctx_flags(flags), ip);
		}
		atomic_dec(disabled);
	}
	local_irq_restore(flags);
}

static void notrace function_stack_call(unsigned long ip, unsigned long parent_ip,
					struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	stack_call(ip, parent_ip, function_of(op), NULL);
}

static void notrace function_stack_args_call(unsigned long ip, unsigned long parent_ip,
					     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	stack_call(ip, parent_ip, function_of(op), fregs);
}
#endif

static void record_repeats(struct trace_array *tr, struct last_call *last, unsigned int trace_ctx)
{
	struct func_repeats_entry *entry;
	struct ring_buffer_slot slot __uninitialized;
	u64 delta;

	entry = trace_slot_reserve(tr->array_buffer.buffer, TRACE_FUNC_REPEATS, sizeof(*entry),
				   trace_ctx, &slot);
	if (!entry)
		return;
	delta = ring_buffer_slot_time(&slot) - last->last;
	entry->ip = last->ip;
	entry->parent_ip = last->parent_ip;
	entry->count = last->count;
	entry->bottom_delta_ts = lower_32_bits(delta);
	entry->top_delta_ts = upper_32_bits(delta);
	ring_buffer_slot_commit(&slot);
}

/* All registers, whatever is in those that are no arguments: BTF is not asked for each call. */
static __always_inline bool same_args(const struct last_call *last, struct ftrace_regs *fregs)
{
	for (int i = 0; i < FTRACE_REGS_MAX_ARGS; i++)
		if (last->args[i] != ftrace_regs_get_argument(fregs, i))
			return false;
	return true;
}

/*
 * True if the call is the same as the last and was only counted. @fregs is NULL if it does not
 * matter what it is called with.
 */
static __always_inline bool is_repeat(struct function_ops *fn, unsigned long ip,
				      unsigned long parent_ip, struct ftrace_regs *fregs,
				      unsigned int trace_ctx)
{
	struct last_call *last = this_cpu_ptr(last_calls(fn));

	if (last->ip == ip && last->parent_ip == parent_ip && last->count < U16_MAX &&
	    (!fregs || same_args(last, fregs))) {
		last->last = ring_buffer_time_stamp(fn->tr->array_buffer.buffer);
		last->count++;
		return true;
	}
	if (last->count)
		record_repeats(fn->tr, last, trace_ctx);
	last->ip = ip;
	last->parent_ip = parent_ip;
	last->count = 0;
	if (fregs)
		ftrace_regs_copy_args(last->args, fregs);
	return false;
}

static __always_inline void no_repeats_call(unsigned long ip, unsigned long parent_ip,
					    struct function_ops *fn, struct ftrace_regs *fregs)
{
	struct trace_guard guard;
	unsigned long irqflags;

	if (!trace_guard_enter(&guard, ip, parent_ip))
		return;
	local_save_flags(irqflags);
	if (function_pid_ok(fn) && !is_repeat(fn, ip, parent_ip, fregs, trace_guard_ctx(&guard)))
		record_call_as(fn->tr, ip, parent_ip, fregs, guard.pc, irqflags);
	trace_guard_leave(&guard);
}

static void notrace function_no_repeats_call(unsigned long ip, unsigned long parent_ip,
					     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	no_repeats_call(ip, parent_ip, function_of(op), NULL);
}

static void notrace function_no_repeats_args_call(unsigned long ip, unsigned long parent_ip,
						  struct ftrace_ops *op,
						  struct ftrace_regs *fregs)
{
	no_repeats_call(ip, parent_ip, function_of(op), fregs);
}

static __always_inline void stack_no_repeats_call(unsigned long ip, unsigned long parent_ip,
						  struct function_ops *fn,
						  struct ftrace_regs *fregs)
{
	struct trace_guard guard;
	unsigned long irqflags;
	unsigned int trace_ctx;
	atomic_t *disabled;

	if (!trace_guard_enter(&guard, ip, parent_ip))
		return;
	local_save_flags(irqflags);
	trace_ctx = trace_guard_ctx(&guard);
	disabled = this_cpu_ptr(&fn->tr->array_buffer.data->disabled);
	if (function_pid_ok(fn) && !atomic_read(disabled) &&
	    !is_repeat(fn, ip, parent_ip, fregs, trace_ctx)) {
		/* Taking a stack calls traced functions, also in interrupts. */
		atomic_inc(disabled);
		record_call_as(fn->tr, ip, parent_ip, fregs, guard.pc, irqflags);
		trace_function_stack(fn->tr, trace_ctx, ip);
		atomic_dec(disabled);
	}
	trace_guard_leave(&guard);
}

static void notrace function_stack_no_repeats_call(unsigned long ip, unsigned long parent_ip,
						   struct ftrace_ops *op,
						   struct ftrace_regs *fregs)
{
	stack_no_repeats_call(ip, parent_ip, function_of(op), NULL);
}

static void notrace function_all_call(unsigned long ip, unsigned long parent_ip,
				      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	stack_no_repeats_call(ip, parent_ip, function_of(op), fregs);
}

/*
 * While sites are patched because the tracer is put on or taken off. Patching them is thousands of
 * calls of functions that are traced by then, or still: they would cost more than the patching, and
 * push out what is wanted.
 */
static void notrace function_patching_call(unsigned long ip, unsigned long parent_ip,
					   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
}

static ftrace_func_t choose_func(u32 val)
{
	switch (val & FUNC_OPT_ALL) {
	case FUNC_OPT_ARGS:
		return function_args_call;
#ifdef CONFIG_STACKTRACE
	case FUNC_OPT_STACK:
		return function_stack_call;
	case FUNC_OPT_STACK | FUNC_OPT_ARGS:
		return function_stack_args_call;
#endif
	case FUNC_OPT_NO_REPEATS:
		return function_no_repeats_call;
	case FUNC_OPT_NO_REPEATS | FUNC_OPT_ARGS:
		return function_no_repeats_args_call;
	case FUNC_OPT_STACK | FUNC_OPT_NO_REPEATS:
		return function_stack_no_repeats_call;
	case FUNC_OPT_ALL:
		return function_all_call;
	}
	return function_call;
}

/* The ops of an instance, whatever its options are now: function_calls() looks. */
static bool is_function_ops(const struct ftrace_ops *ops)
{
	for (u32 val = 0; val <= FUNC_OPT_ALL; val++)
		if (ops->func == choose_func(val))
			return true;
	return ops->func == function_patching_call;
}

static const struct ftrace_joint function_joint = {
	.owns	= is_function_ops,
	.func	= function_calls,
};

/*
 * What the callback for @val needs is there, and every CPU sees it, before one can run it. It knows
 * nothing of calls that came when the tracer, or the option, was on before: @before is what was.
 */
static int prepare_ops(struct trace_array *tr, u32 val, u32 before)
{
	struct function_ops *fn = function_ops_of(tr);
	struct last_call __percpu *last = last_calls(fn);
	int cpu;

	if (!(val & FUNC_OPT_NO_REPEATS) || before & FUNC_OPT_NO_REPEATS)
		return 0;
	if (last) {
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(last, cpu), 0, sizeof(*last));
		return 0;
	}
	last = alloc_percpu(struct last_call);
	if (!last)
		return -ENOMEM;
	fn->ops.private = (void __force *)last;
	trace_synchronize_rcu();
	return 0;
}

/*
 * What prepare_ops() made; the ops runs no more, and text that is stuck calls what looks at
 * nothing: stop_ops() saw to that, and unregistering waits for who came before, stuck or not.
 */
static void forget_calls(struct trace_array *tr)
{
	struct function_ops *fn = function_ops_of(tr);

	if (trace_array_is_top(tr))
		return;
	free_percpu(last_calls(fn));
	fn->ops.private = NULL;
}

static int start_ops(struct trace_array *tr, u32 val)
{
	struct function_ops *fn = function_ops_of(tr);
	int ret = prepare_ops(tr, val, 0);

	if (ret)
		return ret;
	fn->ops.flags |= FTRACE_OPS_FL_PID;
	fn->ops.func = function_patching_call;
	ret = register_ftrace_function(&fn->ops);
	if (!ret)
		ftrace_ops_change(&fn->ops, choose_func(val));
	return ret;
}

static void stop_ops(struct trace_array *tr)
{
	struct ftrace_ops *ops = &function_ops_of(tr)->ops;

	if (!(ops->flags & FTRACE_OPS_FL_ENABLED))
		return;
	ftrace_ops_change(ops, function_patching_call);
	unregister_ftrace_function(ops);
}

static int function_trace_init(struct trace_array *tr)
{
	int ret;

	tr->array_buffer.cpu = raw_smp_processor_id();
	tracing_start_cmdline_record(tr);
	ret = start_ops(tr, function_flags.val);
	if (ret) {
		forget_calls(tr);
		tracing_stop_cmdline_record(tr);
	}
	return ret;
}

static void function_trace_reset(struct trace_array *tr)
{
	stop_ops(tr);
	forget_calls(tr);
	tracing_stop_cmdline_record(tr);
}

static void function_trace_start(struct trace_array *tr)
{
	tracing_reset_online_cpus(&tr->array_buffer);
}

static struct tracer function_trace __read_mostly;

/*
 * One for all instances, so it is in force in each that runs the tracer, or in none.
 * trace_types_lock is held: nobody switches tracers meanwhile.
 */
static int function_set_flag(struct trace_array *unused, u32 old_flags, u32 bit, int set)
{
	u32 val = set ? old_flags | bit : old_flags & ~bit;
	struct trace_array *tr;
	int ret;

	if (!(bit & FUNC_OPT_ALL))
		return -EINVAL;
	for_each_trace_array(tr) {
		ret = tr->current_trace == &function_trace ?
		      prepare_ops(tr, val, old_flags) : 0;
		if (ret)
			return ret;
	}
	/* To unregister and register again would lose calls, and might want memory half-way. */
	for_each_trace_array(tr) {
		struct ftrace_ops *ops = &function_ops_of(tr)->ops;

		if (tr->current_trace == &function_trace && ops->flags & FTRACE_OPS_FL_ENABLED)
			ftrace_ops_change(ops, choose_func(val));
	}
	return 0;
}

static struct tracer function_trace __read_mostly = {
	.name		 = "function",
	.init		 = function_trace_init,
	.reset		 = function_trace_reset,
	.start		 = function_trace_start,
	.flags		 = &function_flags,
	.set_flag	 = function_set_flag,
	.allow_instances = true,
};

/**
 * function_tracer_init - there is a function tracer
 *
 * The command line may have it run from here on: the only tracer that needs no initcall for that.
 *
 * Context: boot, RCU works.
 */
void __init function_tracer_init(void)
{
	function_printers_init();
	ftrace_joint_register(&function_joint);
	register_tracer(&function_trace);
}
