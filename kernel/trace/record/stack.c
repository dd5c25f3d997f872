// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks as entries of their own, behind the entry that they belong to.
 *
 * Only a walk tells how deep a stack is, and the size of a record must be
 * known before it is reserved: the walk goes into scratch memory of the CPU
 * first. A walk can be interrupted by one that records as well, so
 * there is one piece of scratch for each level that contexts nest (task,
 * softirq, irq, NMI). Should walking itself hit an event, that takes a level
 * too, and the recursion ends where they are used up.
 */
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "../instance/instance.h"
#include "entries.h"
#include "internal.h"
#include "write.h"

#ifdef CONFIG_STACKTRACE

#define STACK_LEVELS	4
#define STACK_DEPTH	256	/* frames; more than THREAD_SIZE ever held */

struct stack_scratch {
	unsigned int	level;
	unsigned long	frames[STACK_LEVELS][STACK_DEPTH];
};

/*
 * Preemption is off while a level is held, and what interrupts its holder gives
 * its own back before it returns: a plain increment will do.
 */
static DEFINE_PER_CPU(struct stack_scratch, stack_scratch);

/* Preemption is off. */
static void write_stack(struct trace_buffer *buffer, unsigned int trace_ctx,
			const unsigned long *frames, unsigned int nr)
{
	struct ring_buffer_slot slot __uninitialized;
	struct stack_entry *entry;

	entry = trace_slot_reserve(buffer, TRACE_STACK, struct_size(entry, caller, nr),
				   trace_ctx, &slot);
	if (!entry)
		return;
	entry->size = nr;
	memcpy(entry->caller, frames, flex_array_size(entry, caller, nr));
	ring_buffer_slot_commit(&slot);
}

static bool is_call_site(unsigned long frame, unsigned long ip)
{
#ifdef CONFIG_FUNCTION_TRACER
	return ip && frame - ip <= MCOUNT_INSN_SIZE;
#else
	return false;
#endif
}

/* How many frames lie above that; none when there is no such frame. */
static unsigned int frames_above_site(const unsigned long *frames, unsigned int nr,
				      unsigned long ip)
{
	for (unsigned int i = 0; i < nr; i++)
		if (is_call_site(frames[i], ip))
			return i;
	return 0;
}

unsigned int trace_walk_extra __ro_after_init;

/* The architecture's walk is asked, not known: a number of frames is right for one of them only. */
static noinline int __init walk_measure(void)
{
	unsigned long frames[4];
	struct trace_text self;
	unsigned int i, nr;

	nr = stack_trace_save(frames, ARRAY_SIZE(frames), 0);
	trace_text_of(&self, (unsigned long)walk_measure);
	for (i = 0; i < nr; i++) {
		if (frames[i] - self.start >= self.size)
			continue;
		trace_walk_extra = i;
		break;
	}
	return 0;
}
early_initcall(walk_measure);

/* It begins with @regs, or as @top says, or in the function with the call site @ip. */
static noinline void record_kernel_stack(struct trace_buffer *buffer, unsigned int trace_ctx,
					 struct pt_regs *regs, unsigned long ip,
					 const struct trace_stack_top *top)
{
	struct stack_scratch *scratch;
	unsigned int level, nr, first = 0;

	guard(preempt_notrace)();
	if (unlikely(!trace_may_walk()))
		return;
	scratch = this_cpu_ptr(&stack_scratch);
	level = READ_ONCE(scratch->level);
	if (level >= STACK_LEVELS)
		return;

	/* An interrupt from here on gets another level ... */
	WRITE_ONCE(scratch->level, level + 1);
	barrier();

	if (regs) {
		nr = stack_trace_save_regs(regs, scratch->frames[level], STACK_DEPTH, 0);
	} else {
		nr = stack_trace_save(scratch->frames[level], STACK_DEPTH, 1 + trace_walk_extra);
		first = top ? trace_frames_above(scratch->frames[level], nr, top) :
			      frames_above_site(scratch->frames[level], nr, ip);
	}
	write_stack(buffer, trace_ctx, scratch->frames[level] + first, nr - first);

	/* ... until the frames are in the buffer. */
	barrier();
	WRITE_ONCE(scratch->level, level);
}

#else /* !CONFIG_STACKTRACE */

static void record_kernel_stack(struct trace_buffer *buffer, unsigned int trace_ctx,
				struct pt_regs *regs, unsigned long ip,
				const struct trace_stack_top *top)
{
}

#endif /* CONFIG_STACKTRACE */

#if defined(CONFIG_STACKTRACE) && defined(CONFIG_USER_STACKTRACE_SUPPORT)

/* The user's stack is one a CPU: reading it can fault, and a fault can be an event. */
static DEFINE_PER_CPU(bool, user_stack_busy);

static void record_user_stack(struct trace_buffer *buffer, unsigned int trace_ctx)
{
	unsigned long frames[FTRACE_STACK_ENTRIES] = { };
	struct userstack_entry *entry;
	struct ring_buffer_slot slot __uninitialized;

	/* User memory can not be read from NMI, and kernel threads have none. */
	if (in_nmi() || (current->flags & PF_KTHREAD) || !current->mm)
		return;

	guard(preempt_notrace)();
	if (__this_cpu_read(user_stack_busy))
		return;
	__this_cpu_write(user_stack_busy, true);
	barrier();
	stack_trace_save_user(frames, ARRAY_SIZE(frames));
	barrier();
	__this_cpu_write(user_stack_busy, false);

	entry = trace_slot_reserve(buffer, TRACE_USER_STACK, sizeof(*entry), trace_ctx, &slot);
	if (!entry)
		return;
	entry->tgid = current->tgid;
	memcpy(entry->caller, frames, sizeof(frames));
	ring_buffer_slot_commit(&slot);
}

#else

static void record_user_stack(struct trace_buffer *buffer, unsigned int trace_ctx)
{
}

#endif

/**
 * trace_record_stacks - record the stacks that an instance's options ask for
 * @tr: instance
 * @buffer: its ring buffer
 * @trace_ctx: of the entry that they go with
 * @top: where the kernel's stack begins
 * @regs: where it does instead, or NULL
 *
 * Any context; the user's stack is left out in NMI.
 */
noinline void trace_record_stacks(struct trace_array *tr, struct trace_buffer *buffer,
				  unsigned int trace_ctx, const struct trace_stack_top *top,
				  struct pt_regs *regs)
{
	unsigned long flags = READ_ONCE(tr->trace_flags);

	if (flags & TRACE_ITER_STACKTRACE)
		record_kernel_stack(buffer, trace_ctx, regs, 0, top);
	if (flags & TRACE_ITER_USERSTACKTRACE)
		record_user_stack(buffer, trace_ctx);
}

/**
 * trace_function_stack - record the stack of a function that is traced
 * @tr: instance
 * @trace_ctx: tracing_gen_ctx() of who records
 * @ip: the function's call site
 *
 * For callbacks of function tracing: what lies between them and the function, which
 * depends on who else traces it, is left out. Any context.
 */
noinline void trace_function_stack(struct trace_array *tr, unsigned int trace_ctx,
				   unsigned long ip)
{
	record_kernel_stack(tr->array_buffer.buffer, trace_ctx, NULL, ip, NULL);
}

/**
 * trace_text_of - find out where a function ends
 * @text: is filled in
 * @function: its address
 *
 * Context: any. Without kallsyms the size is 0.
 */
void trace_text_of(struct trace_text *text, unsigned long function)
{
	unsigned long size, offset;

	text->start = function;
	text->size = kallsyms_lookup_size_offset(function, &size, &offset) ? size - offset : 0;
}

static bool is_in_texts(unsigned long frame, const struct trace_text *texts, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		/* a return address may be one byte behind its function's end */
		if (frame - 1 - texts[i].start < texts[i].size)
			return true;
	return false;
}

/**
 * trace_frames_above - find out where a stack is to begin
 * @frames: of the stack
 * @nr: how many
 * @top: what lies above that
 *
 * Context: any. Return: how many frames are to be left out; none when none of @top's texts is
 * in the stack.
 */
unsigned int trace_frames_above(const unsigned long *frames, unsigned int nr,
				const struct trace_stack_top *top)
{
	unsigned int i = 0;

	while (i < nr && !is_in_texts(frames[i], top->texts, top->nr))
		i++;
	if (i == nr)
		return 0;
	/* there are more of them where one has called the other, rather than jumped to it */
	while (i < nr && is_in_texts(frames[i], top->texts, top->nr))
		i++;
	i += top->skip;
	while (i < nr && is_in_texts(frames[i], top->between, top->nr_between))
		i++;
	return min(i, nr);
}

/**
 * trace_stack_below - record the stack that led to something of tracing's own
 * @tr: instance
 * @trace_ctx: tracing_gen_ctx() of who records
 * @texts: functions; the stack begins with who called the first of them that are in it
 * @nr: how many
 *
 * It is all of the stack when none of them is. Any context.
 */
noinline void trace_stack_below(struct trace_array *tr, unsigned int trace_ctx,
				const struct trace_text *texts, unsigned int nr)
{
	const struct trace_stack_top top = { .texts = texts, .nr = nr };

	record_kernel_stack(tr->array_buffer.buffer, trace_ctx, NULL, 0, &top);
}

static struct trace_text dump_text __ro_after_init;

/**
 * trace_dump_stack - record the stack of the caller
 * @skip: callers to leave out
 *
 * It goes where trace_printk() goes. Any context.
 */
noinline void trace_dump_stack(int skip)
{
	const struct trace_stack_top top = { .texts = &dump_text, .nr = 1, .skip = skip };
	unsigned int trace_ctx;

	if (tracing_disabled)
		return;

	/* Of the caller; the instance stays for as long as preemption is off, see printk_exit(). */
	trace_ctx = tracing_gen_ctx();
	guard(preempt_notrace)();
	record_kernel_stack(READ_ONCE(printk_trace)->array_buffer.buffer, trace_ctx, NULL, 0, &top);
}
EXPORT_SYMBOL_GPL(trace_dump_stack);

void __init trace_dump_stack_init(void)
{
	trace_text_of(&dump_text, (unsigned long)trace_dump_stack);
}
