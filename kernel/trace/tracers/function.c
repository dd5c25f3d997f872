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

#include "../record/function_entries.h"
#include "../function/sites/guard.h"
#include "../function/sites/sites.h"
#include "../function/filters/instances.h"
#include "../instance/tracer.h"
#include "../record/write.h"
#include "../output/output.h"
#include "../record/record.h"
#include "../tasks/tasks.h"
#include "../ring_buffer/fast.h"

enum {
	FUNC_OPT_STACK		= BIT(0),
	FUNC_OPT_NO_REPEATS	= BIT(1),
};

static struct tracer_opt function_opts[] = {
#ifdef CONFIG_STACKTRACE
	{ TRACER_OPT(func_stack_trace, FUNC_OPT_STACK) },
#endif
	{ TRACER_OPT(func-no-repeats, FUNC_OPT_NO_REPEATS) },
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
};

static __always_inline void fill_call(struct ftrace_entry *entry, unsigned long ip,
				      unsigned long parent_ip, unsigned int pc,
				      unsigned long irqflags)
{
	tracing_generic_entry_update(&entry->ent, TRACE_FN,
				     __tracing_ctx(pc, __tracing_irq_flag(irqflags)));
	entry->ip = ip;
	entry->parent_ip = parent_ip;
}

static noinline notrace void record_call_slow(struct trace_array *tr, unsigned long ip,
					      unsigned long parent_ip, unsigned int pc,
					      unsigned long irqflags, struct rb_ring *ring)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;

	event = ring_buffer_reserve_rest(buffer, sizeof(struct ftrace_entry), &ring);
	if (!event)
		return;
	fill_call(ring_buffer_reserved_data(event), ip, parent_ip, pc, irqflags);
	if (static_branch_unlikely(&trace_function_exports_enabled))
		ftrace_exports(event, TRACE_EXPORT_FUNCTION);
	ring_buffer_commit_here(ring);
}

/* @pc and @irqflags are the traced function's; by now preemption or interrupts are off. */
static __always_inline void record_call(struct trace_array *tr, unsigned long ip,
					unsigned long parent_ip, unsigned int pc,
					unsigned long irqflags)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct rb_ring *ring;
	void *data;

	event = ring_buffer_try_reserve(buffer, sizeof(struct ftrace_entry), pc, NULL, &ring,
					&data);
	if (unlikely(!event)) {
		record_call_slow(tr, ip, parent_ip, pc, irqflags, ring);
		return;
	}
	fill_call(data, ip, parent_ip, pc, irqflags);
	if (static_branch_unlikely(&trace_function_exports_enabled))
		ftrace_exports(event, TRACE_EXPORT_FUNCTION);
	ring_buffer_commit_short(ring);
}

/* In interrupts, in another callback, for some tasks only. */
static noinline notrace void function_call_special(unsigned long ip, unsigned long parent_ip,
						   struct trace_function *fn)
{
	struct trace_guard guard;
	unsigned long irqflags;

	if (!trace_guard_enter(&guard, ip, parent_ip))
		return;
	local_save_flags(irqflags);
	if (function_pid_ok(fn))
		record_call(fn->tr, ip, parent_ip, guard.pc, irqflags);
	trace_guard_leave(&guard);
}

static void notrace function_call(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_function *fn = op->private;
	unsigned int pc = preempt_count();
	unsigned long irqflags;

	if (unlikely(trace_rcu_is_off(ip) || fn->has_pids ||
		     trace_guard_is_special(pc, READ_ONCE(current->trace_recursion)))) {
		function_call_special(ip, parent_ip, fn);
		return;
	}
	trace_guard_enter_plain();
	local_save_flags(irqflags);
	record_call(fn->tr, ip, parent_ip, pc, irqflags);
	trace_guard_leave_plain();
}

#ifdef CONFIG_STACKTRACE
static void notrace function_stack_call(unsigned long ip, unsigned long parent_ip,
					struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_function *fn = op->private;
	unsigned long flags;
	atomic_t *disabled;

	if (!fn->tr->current_trace)
		return;
	/* Taking a stack calls traced functions, also in interrupts: keep them all out. */
	local_irq_save(flags);
	if (function_pid_ok(fn)) {	/* once: another CPU may be setting pids */
		disabled = this_cpu_ptr(&fn->tr->array_buffer.data->disabled);
		if (atomic_inc_return(disabled) == 1) {
			record_call(fn->tr, ip, parent_ip, preempt_count(), flags);
			trace_function_stack(fn->tr, tracing_gen_ctx_flags(flags), ip);
		}
		atomic_dec(disabled);
	}
	local_irq_restore(flags);
}
#endif

static void record_repeats(struct trace_array *tr, struct last_call *last, unsigned int trace_ctx)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct func_repeats_entry *entry;
	struct ring_buffer_event *event;
	u64 delta;

	event = trace_buffer_lock_reserve(buffer, TRACE_FUNC_REPEATS, sizeof(*entry), trace_ctx);
	if (!event)
		return;
	delta = ring_buffer_event_time_stamp(buffer, event) - last->last;
	entry = ring_buffer_reserved_data(event);
	entry->ip = last->ip;
	entry->parent_ip = last->parent_ip;
	entry->count = last->count;
	entry->bottom_delta_ts = lower_32_bits(delta);
	entry->top_delta_ts = upper_32_bits(delta);
	trace_buffer_unlock_commit_nostack(buffer, event);
}

/* True if the call is the same as the last and was only counted. */
static bool is_repeat(struct trace_function *fn, unsigned long ip, unsigned long parent_ip,
		      unsigned int trace_ctx)
{
	struct last_call *last = this_cpu_ptr(fn->tracer_data);

	if (last->ip == ip && last->parent_ip == parent_ip && last->count < U16_MAX) {
		last->last = ring_buffer_time_stamp(fn->tr->array_buffer.buffer);
		last->count++;
		return true;
	}
	if (last->count)
		record_repeats(fn->tr, last, trace_ctx);
	last->ip = ip;
	last->parent_ip = parent_ip;
	last->count = 0;
	return false;
}

static void notrace function_no_repeats_call(unsigned long ip, unsigned long parent_ip,
					     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_function *fn = op->private;
	struct trace_guard guard;
	unsigned long irqflags;

	if (!trace_guard_enter(&guard, ip, parent_ip))
		return;
	local_save_flags(irqflags);
	if (function_pid_ok(fn) && !is_repeat(fn, ip, parent_ip, trace_guard_ctx(&guard)))
		record_call(fn->tr, ip, parent_ip, guard.pc, irqflags);
	trace_guard_leave(&guard);
}

static void notrace function_stack_no_repeats_call(unsigned long ip, unsigned long parent_ip,
						   struct ftrace_ops *op,
						   struct ftrace_regs *fregs)
{
	struct trace_function *fn = op->private;
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
	    !is_repeat(fn, ip, parent_ip, trace_ctx)) {
		/* Taking a stack calls traced functions, also in interrupts. */
		atomic_inc(disabled);
		record_call(fn->tr, ip, parent_ip, guard.pc, irqflags);
		trace_function_stack(fn->tr, trace_ctx, ip);
		atomic_dec(disabled);
	}
	trace_guard_leave(&guard);
}

static ftrace_func_t choose_func(u32 val)
{
	switch (val & (FUNC_OPT_STACK | FUNC_OPT_NO_REPEATS)) {
#ifdef CONFIG_STACKTRACE
	case FUNC_OPT_STACK:
		return function_stack_call;
#endif
	case FUNC_OPT_NO_REPEATS:
		return function_no_repeats_call;
	case FUNC_OPT_STACK | FUNC_OPT_NO_REPEATS:
		return function_stack_no_repeats_call;
	}
	return function_call;
}

/* What the callback for @val needs is there, and every CPU sees it, before one can run it. */
static int prepare_ops(struct trace_array *tr, u32 val)
{
	struct trace_function *fn = trace_function_of(tr);

	if (!(val & FUNC_OPT_NO_REPEATS) || fn->tracer_data)
		return 0;
	fn->tracer_data = alloc_percpu(struct last_call);
	if (!fn->tracer_data)
		return -ENOMEM;
	synchronize_rcu();
	return 0;
}

static int start_ops(struct trace_array *tr, u32 val)
{
	struct trace_function *fn = trace_function_of(tr);
	int ret = prepare_ops(tr, val);

	if (ret)
		return ret;
	fn->ops.func = choose_func(val);
	fn->ops.private = fn;
	fn->ops.flags |= FTRACE_OPS_FL_PID;
	if (!(tr->trace_flags & TRACE_ITER_FUNCTION))
		return 0;	/* later, see function_flag_changed() */
	return register_ftrace_function(&fn->ops);
}

static void stop_ops(struct trace_array *tr)
{
	if (trace_function_of(tr)->ops.flags & FTRACE_OPS_FL_ENABLED)
		unregister_ftrace_function(&trace_function_of(tr)->ops);
}

static int function_trace_init(struct trace_array *tr)
{
	int ret;

	tr->array_buffer.cpu = raw_smp_processor_id();
	tracing_start_cmdline_record(tr);
	ret = start_ops(tr, function_flags.val);
	if (ret)
		tracing_stop_cmdline_record(tr);
	return ret;
}

static void function_trace_reset(struct trace_array *tr)
{
	stop_ops(tr);
	tracing_stop_cmdline_record(tr);
}

static void function_trace_start(struct trace_array *tr)
{
	tracing_reset_online_cpus(&tr->array_buffer);
}

static struct tracer function_trace __read_mostly;

/* trace_types_lock is held: nobody switches tracers meanwhile. */
static int function_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, int set)
{
	u32 val = set ? old_flags | bit : old_flags & ~bit;
	int ret;

	if (!(bit & (FUNC_OPT_STACK | FUNC_OPT_NO_REPEATS)))
		return -EINVAL;
	/* The option is kept for when the instance runs the tracer. */
	if (tr->current_trace != &function_trace)
		return 0;
	ret = prepare_ops(tr, val);
	/* To unregister and register again would lose calls, and might want memory half-way. */
	if (!ret)
		ftrace_ops_change(&trace_function_of(tr)->ops, choose_func(val));
	return ret;
}

/* The option function-trace stops and starts the callback while the tracer stays. */
static int function_flag_changed(struct trace_array *tr, u32 mask, int set)
{
	if (mask != TRACE_ITER_FUNCTION)
		return 0;
	if (set)
		return register_ftrace_function(&trace_function_of(tr)->ops);
	stop_ops(tr);
	return 0;
}

static struct tracer function_trace __read_mostly = {
	.name		 = "function",
	.init		 = function_trace_init,
	.reset		 = function_trace_reset,
	.start		 = function_trace_start,
	.flags		 = &function_flags,
	.set_flag	 = function_set_flag,
	.flag_changed	 = function_flag_changed,
	.allow_instances = true,
};

/* --- printers of TRACE_FN and TRACE_FUNC_REPEATS, whoever wrote them */

static void print_call(struct trace_iterator *iter, unsigned long ip, unsigned long parent_ip)
{
	struct trace_seq *s = &iter->seq;
	unsigned long flags = iter->tr->trace_flags & TRACE_ITER_SYM_MASK;

	seq_print_ip_sym(s, ip, flags);
	if ((flags & TRACE_ITER_PRINT_PARENT) && parent_ip) {
		trace_seq_puts(s, " <-");
		seq_print_ip_sym(s, parent_ip, flags);
	}
}

static enum print_line_t fn_print(struct trace_iterator *iter, int flags, struct trace_event *event)
{
	struct ftrace_entry *entry = (struct ftrace_entry *)iter->ent;

	print_call(iter, entry->ip, entry->parent_ip);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static enum print_line_t fn_raw(struct trace_iterator *iter, int flags, struct trace_event *event)
{
	struct ftrace_entry *entry = (struct ftrace_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%lx %lx\n", entry->ip, entry->parent_ip);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t fn_hex(struct trace_iterator *iter, int flags, struct trace_event *event)
{
	struct ftrace_entry *entry = (struct ftrace_entry *)iter->ent;

	SEQ_PUT_HEX_FIELD(&iter->seq, entry->ip);
	SEQ_PUT_HEX_FIELD(&iter->seq, entry->parent_ip);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t fn_bin(struct trace_iterator *iter, int flags, struct trace_event *event)
{
	struct ftrace_entry *entry = (struct ftrace_entry *)iter->ent;

	SEQ_PUT_FIELD(&iter->seq, entry->ip);
	SEQ_PUT_FIELD(&iter->seq, entry->parent_ip);
	return trace_handle_return(&iter->seq);
}

static u64 repeats_delta(const struct func_repeats_entry *entry)
{
	return (u64)entry->top_delta_ts << 32 | entry->bottom_delta_ts;
}

static enum print_line_t repeats_print(struct trace_iterator *iter, int flags,
				       struct trace_event *event)
{
	struct func_repeats_entry *entry = (struct func_repeats_entry *)iter->ent;
	u64 us = (iter->ts - repeats_delta(entry)) / NSEC_PER_USEC;
	unsigned long secs = us / USEC_PER_SEC;

	print_call(iter, entry->ip, entry->parent_ip);
	trace_seq_printf(&iter->seq, " (repeats: %u, last_ts:", entry->count);
	if (trace_clock_in_ns(iter->tr))
		trace_seq_printf(&iter->seq, " %5lu.%06lu", secs,
				 (unsigned long)(us % USEC_PER_SEC));
	else
		trace_seq_printf(&iter->seq, " %12llu", iter->ts - repeats_delta(entry));
	trace_seq_puts(&iter->seq, ")\n");
	return trace_handle_return(&iter->seq);
}

static enum print_line_t repeats_raw(struct trace_iterator *iter, int flags,
				     struct trace_event *event)
{
	struct func_repeats_entry *entry = (struct func_repeats_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%lu %lu %u %llu\n", entry->ip, entry->parent_ip,
			 entry->count, repeats_delta(entry));
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions fn_printers = {
	.trace	= fn_print,
	.raw	= fn_raw,
	.hex	= fn_hex,
	.binary	= fn_bin,
};

static struct trace_event_functions repeats_printers = {
	.trace	= repeats_print,
	.raw	= repeats_raw,
};

static struct trace_event fn_event = {
	.type	= TRACE_FN,
	.funcs	= &fn_printers,
};

static struct trace_event repeats_event = {
	.type	= TRACE_FUNC_REPEATS,
	.funcs	= &repeats_printers,
};

static int __init function_trace_register(void)
{
	if (!register_trace_event(&fn_event) || !register_trace_event(&repeats_event))
		pr_warn("function tracer: records cannot be printed\n");
	return register_tracer(&function_trace);
}
core_initcall(function_trace_register);
