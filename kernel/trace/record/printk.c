// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_printk() and its kin: messages of developers into the trace.
 *
 * A constant format is not printed but recorded, with its arguments in binary; a
 * constant string is recorded as its address. Only what is not constant is
 * formatted when it happens. Both kinds need to know how long the record will
 * be before it is reserved, so they go through a scratch buffer of the CPU: one
 * for each of the four contexts that can interrupt each other. Where the
 * formats themselves are kept is in printk_formats.c.
 */
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../grace.h"
#include "../graph_quiet.h"
#include "../preempt.h"
#include "../ring_buffer/fast.h"
#include "../tasks/switch.h"
#include "../tasks/tasks.h"
#include "entries.h"
#include "internal.h"
#include "write.h"

#define SCRATCH_SIZE	1024
#define SCRATCH_LEVELS	4	/* task, soft irq, irq, NMI */
#define PRINTK_TEXTS	11	/* see trace_printk_stacks_init() */

struct printk_scratch {
	unsigned int	level;
	char		text[SCRATCH_LEVELS][SCRATCH_SIZE];
};

/* NULL until somebody has a format; never freed then */
static struct printk_scratch __percpu *scratch;

static DEFINE_MUTEX(comm_mutex);
static struct trace_array *comm_tr;	/* names of tasks are recorded for this one; comm_mutex */

/*
 * Where trace_printk() goes: the instance that has the option trace_printk_dest. Changed with
 * trace_types_lock and comm_mutex held; whoever writes has preemption off, see printk_exit().
 */
struct trace_array *printk_trace __read_mostly = &global_trace;

/* The next free scratch buffer of this CPU. Preemption off until scratch_put(). */
static char *scratch_get(void)
{
	struct printk_scratch *s;

	if (unlikely(!READ_ONCE(scratch)))
		return NULL;
	s = this_cpu_ptr(scratch);
	if (unlikely(s->level >= SCRATCH_LEVELS))
		return NULL;
	/* who interrupts between these gets the next one, and is gone before we go on */
	s->level++;
	barrier();
	return s->text[s->level - 1];
}

static void scratch_put(void)
{
	barrier();
	__this_cpu_dec(scratch->level);
}

static int scratch_alloc(void)
{
	struct printk_scratch __percpu *new;

	if (scratch)
		return 0;
	new = alloc_percpu(struct printk_scratch);
	if (!new)
		return -ENOMEM;
	/* a second caller at the same time gives its own back */
	if (cmpxchg(&scratch, NULL, new))
		free_percpu(new);
	return 0;
}

/**
 * trace_printk_init_buffers - get ready for trace_printk()
 *
 * Called at boot and for each module that comes, when there is a format in it.
 *
 * Context: task, may sleep.
 */
void trace_printk_init_buffers(void)
{
	static const char *const notice[] = {
		"   NOTICE NOTICE NOTICE NOTICE NOTICE NOTICE NOTICE   ",
		"",
		" trace_printk() being used. Allocating extra memory.  ",
		"",
		" This means that this is a DEBUG kernel and it is     ",
		" unsafe for production use.                           ",
		"",
		" If you see this message and you are not debugging    ",
		" the kernel, report this immediately to your vendor!  ",
		"",
		"   NOTICE NOTICE NOTICE NOTICE NOTICE NOTICE NOTICE   ",
	};
	static bool told;

	if (scratch_alloc()) {
		pr_warn("tracing: no memory for trace_printk()\n");
		return;
	}
	if (xchg(&told, true))
		return;
	pr_warn("\n");
	pr_warn("**********************************************************\n");
	for (int i = 0; i < ARRAY_SIZE(notice); i++)
		pr_warn("**%-54s**\n", notice[i]);
	pr_warn("**********************************************************\n");
	trace_printk_start_comm();
}
EXPORT_SYMBOL_GPL(trace_printk_init_buffers);

/* Names of tasks are recorded for @tr from now on, NULL for nobody. comm_mutex */
static void comm_record(struct trace_array *tr)
{
	struct trace_array *was = comm_tr;

	lockdep_assert_held(&comm_mutex);
	if (tr == was)
		return;
	if (tr)
		tracing_start_cmdline_record(tr);
	comm_tr = tr;
	if (was)
		tracing_stop_cmdline_record(was);
}

/* Names of tasks go with the messages, if there are any and @enabled. comm_mutex */
static void comm_follow(bool enabled)
{
	/* at boot the scheduler's tracepoints come later, see trace_printk_start_comm() */
	if (READ_ONCE(scratch) && system_state >= SYSTEM_SCHEDULING)
		comm_record(enabled ? printk_trace : NULL);
}

/* Record names of tasks for the messages. */
void trace_printk_start_comm(void)
{
	guard(mutex)(&comm_mutex);
	comm_follow(printk_trace->trace_flags & TRACE_ITER_PRINTK);
}

/*
 * Reserve an entry of @size bytes with its head filled in. The caller has
 * switched preemption off, which the head does not show, and commits with
 * printk_commit().
 */
static void *printk_reserve(struct trace_array *tr, int type, size_t size,
			    struct ring_buffer_slot *slot)
{
	return trace_slot_reserve(tr->array_buffer.buffer, type, size, tracing_gen_ctx_dec(), slot);
}

static struct trace_text printk_texts[PRINTK_TEXTS] __ro_after_init;
static const struct trace_stack_top printk_top = {
	.texts	= printk_texts,
	.nr	= PRINTK_TEXTS,
};

static __always_inline void printk_commit(struct trace_array *tr,
					  const struct ring_buffer_slot *slot)
{
	ring_buffer_slot_commit(slot);
	if (trace_wants_stacks(tr)) {
		/* what is called to walk it is no part of what the task does */
		graph_quiet_begin();
		trace_record_stacks(tr, tr->array_buffer.buffer, tracing_gen_ctx_dec(),
				    &printk_top, NULL);
		graph_quiet_end();
	}
}

/* May messages be recorded to @tr? */
static __always_inline bool printk_on(const struct trace_array *tr)
{
	return likely(tr->trace_flags & TRACE_ITER_PRINTK) && likely(!tracing_disabled);
}

static __always_inline void fill_bputs(struct bputs_entry *ent, unsigned long ip, const char *str,
				       unsigned int trace_ctx, struct task_struct *self)
{
	__tracing_entry_update(&ent->ent, TRACE_BPUTS, trace_ctx, self);
	ent->ip = ip;
	ent->str = str;
}

/* The rest of __trace_bputs(), as rb_write_rest() is of ring_buffer_write(). */
static noinline int bputs_rest(unsigned long ip, const char *str, struct trace_array *tr,
			       struct rb_ring *ring, struct rb_sub *sub, u64 tail)
{
	struct ring_buffer_slot slot = { .ring = ring };
	int ret = 1;

	if (sub && !ring) {
		trace_preempt_schedule();
		return 1;
	}
	if (sub) {
		ring_buffer_slot_finish(ring, sub, tail);
	} else if ((ring || printk_on(tr)) &&
		   ring_buffer_slot_rest(ring_buffer_cpus(tr->array_buffer.buffer),
					 sizeof(struct bputs_entry), &slot)) {
		fill_bputs(slot.data, ip, str, tracing_gen_ctx_dec(), current);
		printk_commit(tr, &slot);
	} else {
		ret = 0;
	}
	preempt_enable_notrace();
	return ret;
}

/**
 * __trace_bputs - record the address of a constant string
 * @ip:		caller
 * @str:	string that stays
 *
 * Context: any. Return: 1, or 0 when it was not recorded.
 */
int __trace_bputs(unsigned long ip, const char *str)
{
	struct ring_buffer_slot slot __uninitialized;
	struct task_struct *self = current;
	unsigned long preempt, irqflags;
	struct trace_array *tr;
	int ret;

	preempt = __tracing_preempt();
	trace_preempt_disable(self, preempt);
	preempt += IS_ENABLED(CONFIG_PREEMPT_COUNT);
	tr = READ_ONCE(printk_trace);
	slot.ring = NULL;
	slot.sub = NULL;
	slot.tail = 0;
	if (unlikely(!printk_on(tr) || trace_wants_stacks(tr)))
		goto rest;
	if (unlikely(!ring_buffer_slot_try(ring_buffer_cpus(tr->array_buffer.buffer),
					   sizeof(struct bputs_entry),
					   ring_buffer_context(preempt), NULL, &slot)))
		goto rest;
	local_save_flags(irqflags);
	fill_bputs(slot.data, ip, str,
		   __tracing_ctx_of(self, preempt - IS_ENABLED(CONFIG_PREEMPTION),
				    __tracing_irq_flag(irqflags)), self);
	if (unlikely(!ring_buffer_slot_commit_short(&slot)))
		goto rest;
	if (trace_preempt_enable(self)) {
		slot.ring = NULL;
		goto rest;
	}
	return 1;

	/* One call, in one place: so there is no stack frame before it. */
rest:
	ret = bputs_rest(ip, str, tr, slot.ring, slot.sub, slot.tail);
	trace_call_is_rare();
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_bputs);

/* Record @size bytes of text; a newline is put behind it if @newline and it has none. */
static __always_inline int record_text(struct trace_array *tr, unsigned long ip, const char *text,
				       int size, bool newline)
{
	struct ring_buffer_slot slot __uninitialized;
	struct print_entry *ent;

	newline = newline && (!size || text[size - 1] != '\n');
	ent = printk_reserve(tr, TRACE_PRINT, sizeof(*ent) + size + newline + 1, &slot);
	if (!ent)
		return 0;
	ent->ip = ip;
	memcpy(ent->buf, text, size);
	if (newline)
		ent->buf[size] = '\n';
	ent->buf[size + newline] = 0;
	printk_commit(tr, &slot);
	return size;
}

/* Record a string to @tr, NULL for wherever trace_printk() goes. */
static __always_inline int array_puts(struct trace_array *tr, unsigned long ip, const char *str,
				      int size)
{
	int ret = 0;

	preempt_disable_notrace();
	tr = tr ?: READ_ONCE(printk_trace);
	if (printk_on(tr))
		ret = record_text(tr, ip, str, size, true);
	preempt_enable_notrace();
	return ret;
}

/**
 * __trace_array_puts - record a string to an instance
 * @tr:		instance
 * @ip:		caller
 * @str:	string
 * @size:	its length
 *
 * Context: any. Return: @size, or 0 when it was not recorded.
 */
int __trace_array_puts(struct trace_array *tr, unsigned long ip, const char *str, int size)
{
	return array_puts(tr, ip, str, size);
}
EXPORT_SYMBOL_GPL(__trace_array_puts);

/**
 * __trace_puts - record a string
 * @ip:		caller
 * @str:	string
 * @size:	its length
 *
 * Context: any. Return: @size, or 0 when it was not recorded.
 */
int __trace_puts(unsigned long ip, const char *str, int size)
{
	return array_puts(NULL, ip, str, size);
}
EXPORT_SYMBOL_GPL(__trace_puts);

/* Record a message with a constant format. */
static __always_inline int record_binary(unsigned long ip, const char *fmt, va_list args)
{
	struct ring_buffer_slot slot __uninitialized;
	struct bprint_entry *ent;
	struct trace_array *tr;
	int words = 0;
	char *text;

	preempt_disable_notrace();
	tr = READ_ONCE(printk_trace);
	text = printk_on(tr) ? scratch_get() : NULL;
	if (!text)
		goto out;
	words = trace_printk_args((u32 *)text, SCRATCH_SIZE / sizeof(u32), fmt, args);
	if (words < 0 || words > SCRATCH_SIZE / sizeof(u32)) {
		words = 0;
		goto put;
	}
	ent = printk_reserve(tr, TRACE_BPRINT, sizeof(*ent) + words * sizeof(u32), &slot);
	if (!ent) {
		words = 0;
		goto put;
	}
	ent->ip = ip;
	ent->fmt = fmt;
	memcpy(ent->buf, text, words * sizeof(u32));
	printk_commit(tr, &slot);
put:
	scratch_put();
out:
	preempt_enable_notrace();
	return words;
}

/**
 * trace_vbprintk - record a message with a constant format
 * @ip:		caller
 * @fmt:	format that stays
 * @args:	arguments
 *
 * Context: any. Return: 32-bit words the arguments took, or 0 when it was not recorded.
 */
int trace_vbprintk(unsigned long ip, const char *fmt, va_list args)
{
	return record_binary(ip, fmt, args);
}
EXPORT_SYMBOL_GPL(trace_vbprintk);

/* Format a message and record it to @tr, NULL for wherever trace_printk() goes. */
static __always_inline int array_vprintk(struct trace_array *tr, unsigned long ip, const char *fmt,
					 va_list args)
{
	int len = 0;
	char *text;

	preempt_disable_notrace();
	tr = tr ?: READ_ONCE(printk_trace);
	text = printk_on(tr) ? scratch_get() : NULL;
	if (text) {
		/* %pS and its like call what the graph would show */
		graph_quiet_begin();
		len = vscnprintf(text, SCRATCH_SIZE, fmt, args);
		graph_quiet_end();
		len = record_text(tr, ip, text, len, false);
		scratch_put();
	}
	preempt_enable_notrace();
	return len;
}

/**
 * trace_vprintk - record a message
 * @ip:		caller
 * @fmt:	format
 * @args:	arguments
 *
 * Context: any. Return: length of the message, or 0 when it was not recorded.
 */
int trace_vprintk(unsigned long ip, const char *fmt, va_list args)
{
	return array_vprintk(NULL, ip, fmt, args);
}
EXPORT_SYMBOL_GPL(trace_vprintk);

/**
 * __trace_bprintk - trace_printk() with a constant format
 * @ip:		caller
 * @fmt:	format, NULL when memory was too short to keep a module's
 *
 * Context: any. Return: as trace_vbprintk().
 */
int __trace_bprintk(unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int ret;

	if (unlikely(!fmt))
		return 0;
	va_start(args, fmt);
	ret = record_binary(ip, fmt, args);
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_bprintk);

/**
 * __ftrace_vbprintk - ftrace_vprintk() with a constant format
 * @ip:		caller
 * @fmt:	format, may be NULL as in __trace_bprintk()
 * @ap:		arguments
 *
 * Context: any. Return: as trace_vbprintk().
 */
int __ftrace_vbprintk(unsigned long ip, const char *fmt, va_list ap)
{
	return likely(fmt) ? record_binary(ip, fmt, ap) : 0;
}
EXPORT_SYMBOL_GPL(__ftrace_vbprintk);

/**
 * __trace_printk - trace_printk() with any format
 * @ip:		caller
 * @fmt:	format
 *
 * Context: any. Return: as trace_vprintk().
 */
int __trace_printk(unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = array_vprintk(NULL, ip, fmt, args);
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__trace_printk);

/**
 * __ftrace_vprintk - ftrace_vprintk() with any format
 * @ip:		caller
 * @fmt:	format
 * @ap:		arguments
 *
 * Context: any. Return: as trace_vprintk().
 */
int __ftrace_vprintk(unsigned long ip, const char *fmt, va_list ap)
{
	return array_vprintk(NULL, ip, fmt, ap);
}
EXPORT_SYMBOL_GPL(__ftrace_vprintk);

/**
 * trace_array_printk - record a message to an instance
 * @tr:		instance that the caller made, not the top one
 * @ip:		caller
 * @fmt:	format
 *
 * Code that stays in the kernel may use this, since it does not clutter what
 * others trace; trace_array_init_printk() comes first.
 *
 * Context: any.
 * Return: length of the message, 0 when it was not recorded, -ENOENT without an instance.
 */
int trace_array_printk(struct trace_array *tr, unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int ret;

	if (!tr)
		return -ENOENT;
	if (trace_array_is_top(tr))
		return 0;
	va_start(args, fmt);
	ret = array_vprintk(tr, ip, fmt, args);
	va_end(args);
	/* as for a marker: no event of the instance may be on */
	tracing_record_taskinfo(current, trace_switch_recorded());
	return ret;
}
EXPORT_SYMBOL_GPL(trace_array_printk);

/* A stack begins with who called the first of these. */
void __init trace_printk_stacks_init(void)
{
	void *const functions[PRINTK_TEXTS] = {
		bputs_rest, __trace_bputs, __trace_array_puts, __trace_puts,
		trace_vbprintk, __trace_bprintk, __ftrace_vbprintk,
		trace_vprintk, __trace_printk, __ftrace_vprintk, trace_array_printk,
	};

	for (int i = 0; i < PRINTK_TEXTS; i++)
		trace_text_of(&printk_texts[i], (unsigned long)functions[i]);
}

/**
 * trace_array_init_printk - get ready for trace_array_printk()
 * @tr:		instance, not the top one
 *
 * Context: task, may sleep. Return: 0, -ENOENT, -EINVAL for the top instance, -ENOMEM.
 */
int trace_array_init_printk(struct trace_array *tr)
{
	if (!tr)
		return -ENOENT;
	if (trace_array_is_top(tr))
		return -EINVAL;
	return scratch_alloc();
}
EXPORT_SYMBOL_GPL(trace_array_init_printk);

/* trace_types_lock held */
static void printk_trace_to(struct trace_array *tr)
{
	printk_trace->trace_flags &= ~TRACE_ITER_TRACE_PRINTK;
	tr->trace_flags |= TRACE_ITER_TRACE_PRINTK;
	/* under the mutex: a module with formats may come at this moment */
	guard(mutex)(&comm_mutex);
	WRITE_ONCE(printk_trace, tr);
	comm_follow(tr->trace_flags & TRACE_ITER_PRINTK);
}

static int printk_flag_changed(struct trace_array *tr, unsigned long mask, bool enable)
{
	if (mask == TRACE_ITER_PRINTK) {
		guard(mutex)(&comm_mutex);
		/* of another instance it says nothing about where messages go */
		if (tr == printk_trace)
			comm_follow(enable);
	} else if (mask == TRACE_ITER_TRACE_PRINTK) {
		/* messages go somewhere: the top instance only loses them to another one */
		if (!enable && trace_array_is_top(tr))
			return -EINVAL;
		if (enable && __trace_array_use(tr))
			return -ENOMEM;
		if (enable)
			printk_trace_to(tr);
		else if (printk_trace == tr)
			printk_trace_to(&global_trace);
	}
	return 0;
}

static void printk_exit(struct trace_array *tr)
{
	if (printk_trace != tr)
		return;
	printk_trace_to(&global_trace);
	/* whoever is just writing to it */
	trace_synchronize_rcu();
}

static void printk_top_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("printk_formats", TRACE_MODE_READ, dir, NULL,
			  &trace_printk_formats_fops);
}

const struct instance_feature trace_printk_feature = {
	.name		= "trace_printk",
	.exit		= printk_exit,
	.top_files	= printk_top_files,
	.flag_changed	= printk_flag_changed,
};
