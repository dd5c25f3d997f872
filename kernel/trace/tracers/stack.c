// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stack tracer: how deep the kernel's stacks get, and what takes them. See
 * Documentation/trace/stack-tracer.rst.
 *
 * Each traced call compares its stack pointer with the deepest that was seen. It is the registers'
 * of the call, so nothing of tracing itself counts. Only a new record does more: under a lock, with
 * interrupts off, who is on that stack is written down.
 */
#include <linux/bug.h>
#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysctl.h>

#include "../function/filters/filters.h"
#include "../instance/instance.h"
#include "../instance/text.h"
#include "../instance/words.h"
#include "../lock_once.h"
#include "../record/write.h"
#include "stack.h"
#include "stack_frames.h"

#define STACK_FRAMES	500

/**
 * struct stack_record - the deepest stack that was seen
 * @top:	where that stack begins
 * @nr:		of @frames
 * @frames:	the innermost first
 */
struct stack_record {
	unsigned long		top;
	unsigned int		nr;
	struct stack_frame_at	frames[STACK_FRAMES];
};

/* Bytes; what each call looks at, without a lock. Written under deepest_lock. */
static unsigned long deepest_size __read_mostly;
static struct stack_record deepest;
/* Interrupts off, and on this CPU nothing is measured: a traced call would wait for itself. */
static arch_spinlock_t deepest_lock = __ARCH_SPIN_LOCK_UNLOCKED;

DEFINE_PER_CPU(int, disable_stack_tracer);

int stack_tracer_enabled;		/* the sysctl; switch_mutex */
static bool tracing;			/* the ops is registered; switch_mutex */
static DEFINE_MUTEX(switch_mutex);

static unsigned long deepest_enter(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	stack_tracer_disable();
	arch_spin_lock(&deepest_lock);
	return flags;
}

static void deepest_leave(unsigned long flags)
{
	arch_spin_unlock(&deepest_lock);
	stack_tracer_enable();
	raw_local_irq_restore(flags);
}

/*
 * Maybe deeper than all before, or not on the stack of the task. Most often it is a call in an
 * interrupt, which is no reason to take the lock: there are many, on all CPUs. Who is on the stack
 * of an interrupt stays on the CPU that it is of.
 */
static noinline void stack_look(unsigned long ip, unsigned long parent_ip,
				const struct ftrace_regs *fregs, unsigned long sp)
{
	unsigned long flags, top;

	/* Who has the lock may be what an NMI interrupted, or stand on another CPU. */
	if (trace_cannot_wait() || this_cpu_read(disable_stack_tracer))
		return;
	top = stack_top_of(sp);
	if (!top || top - sp <= READ_ONCE(deepest_size))
		return;

	flags = deepest_enter();
	/* Somebody may have been faster; unwinders need RCU. */
	if (top - sp <= deepest_size || !rcu_is_watching() || !trace_may_walk())
		goto out;
	WRITE_ONCE(deepest_size, top - sp);
	deepest.top = top;
	deepest.nr = stack_frames(deepest.frames, ARRAY_SIZE(deepest.frames), ip, parent_ip,
				  fregs, top);
out:
	deepest_leave(flags);
	/* What lies behind the task's stack may have been written over as well. */
	BUG_ON(task_stack_end_corrupted(current));
}

static void notrace stack_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			       struct ftrace_regs *fregs)
{
	unsigned long sp = ftrace_regs_get_stack_pointer(fregs);

	/* On another stack it is far away, which is more than any record. */
	if (unlikely((unsigned long)task_stack_page(current) + THREAD_SIZE - sp >
		     READ_ONCE(deepest_size)))
		stack_look(ip, parent_ip, fregs, sp);
}

/* Without FTRACE_OPS_FL_RECURSION: what stack_look() calls comes no further than its beginning. */
static struct ftrace_chosen chosen = {
	.ops.func	= stack_call,
	.name		= "stack_trace_filter",
	.loc		= "ftrace: stack_trace_filter",
};

/* switch_mutex */
static int stack_tracer_switch(bool on)
{
	int ret;

	if (on == tracing)
		return 0;
	ret = on ? register_ftrace_function(&chosen.ops) : unregister_ftrace_function(&chosen.ops);
	if (!ret)
		tracing = on;
	return ret;
}

/**
 * stack_trace_sysctl - kernel.stack_tracer_enabled
 * @table: its line in kernel/sysctl.c
 * @write: it is written to
 * @buffer: the text
 * @lenp: bytes of it
 * @ppos: place in the file
 *
 * Context: task, sleeps.
 * Return: 0, what proc_dointvec() says, or why functions can not be traced: then it stays off.
 */
int stack_trace_sysctl(const struct ctl_table *table, int write, void *buffer,
		       size_t *lenp, loff_t *ppos)
{
	int before, ret;

	guard(mutex)(&switch_mutex);
	before = stack_tracer_enabled;
	ret = proc_dointvec(table, write, buffer, lenp, ppos);
	if (ret || !write)
		return ret;
	ret = stack_tracer_switch(stack_tracer_enabled);
	if (ret)
		stack_tracer_enabled = before;
	return ret;
}

static ssize_t max_size_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return tracing_read_printf(ubuf, cnt, ppos, "%lu\n", READ_ONCE(deepest_size));
}

/* What is shown goes on being the last record: the number alone says what is to be beaten. */
static int max_size_set(struct file *filp, unsigned long bytes)
{
	unsigned long flags = deepest_enter();

	WRITE_ONCE(deepest_size, bytes);
	deepest_leave(flags);
	return 0;
}

TRACE_NUMBER_FOPS_TR(max_size);

static void show_disabled(struct ftrace_text *text)
{
	ftrace_text_printf(text,
			   "#\n"
			   "#  Stack tracer disabled\n"
			   "#\n"
			   "# To enable the stack tracer, either add 'stacktrace' to the\n"
			   "# kernel command line\n"
			   "# or 'echo 1 > /proc/sys/kernel/stack_tracer_enabled'\n"
			   "#\n");
}

static void show_record(struct ftrace_text *text, void *data)
{
	struct stack_record *record = kvmalloc(sizeof(*record), GFP_KERNEL);
	unsigned long flags;
	unsigned int i;

	if (!record) {
		text->error = -ENOMEM;
		return;
	}
	flags = deepest_enter();
	*record = deepest;
	deepest_leave(flags);

	ftrace_text_printf(text,
			   "        Depth    Size   Location    (%d entries)\n"
			   "        -----    ----   --------\n", record->nr);
	if (!READ_ONCE(stack_tracer_enabled) && !READ_ONCE(deepest_size))
		show_disabled(text);
	for (i = 0; i < record->nr; i++) {
		const struct stack_frame_at *frame = &record->frames[i];
		unsigned long until = i + 1 < record->nr ? frame[1].at : record->top;

		ftrace_text_printf(text, "%3u) %8lu   %5lu   %pS\n", i, record->top - frame->at,
				   until - frame->at, (void *)frame->ip);
	}
	kvfree(record);
}

static int stack_trace_open(struct inode *inode, struct file *file)
{
	return tracing_check_open_get_tr(NULL) ?: ftrace_text_open(file, show_record, NULL);
}

static const struct file_operations stack_trace_fops = {
	TRACE_READ_OPS(stack_trace_open, ftrace_text_read, ftrace_text_release),
};

static void stack_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("stack_max_size", TRACE_MODE_WRITE, dir, tr, &max_size_fops);
	trace_create_file("stack_trace", TRACE_MODE_READ, dir, tr, &stack_trace_fops);
	ftrace_chosen_file(&chosen, dir);
}

const struct instance_feature stack_tracer_feature = {
	.name		= "stack tracer",
	.top_files	= stack_files,
};

/* Before "stacktrace", which is the beginning of its name. */
TRACE_BOOT_WORDS(boot_filter, "stacktrace_filter");

static bool boot_enable __initdata;

static int __init boot_enable_setup(char *str)
{
	if (*str && *str != '=')
		return 0;
	/* "stacktrace" alone means yes; "=0" and "=off" take it back */
	boot_enable = strcmp(str, "=0") && strcmp(str, "=off");
	return 1;
}
__setup("stacktrace", boot_enable_setup);

static int __init stack_tracer_init(void)
{
	/* who names functions wants them looked at */
	bool enable = boot_enable || *boot_filter;
	char *list = boot_filter, *word;

	ftrace_chosen_init(&chosen);
	while ((word = trace_list_cut(&list, ","))) {
		if (ftrace_set_filter(&chosen.ops, word, strlen(word), 0))
			pr_warn("tracing: no function for stacktrace_filter=%s\n", word);
	}
	if (!enable)
		return 0;
	guard(mutex)(&switch_mutex);
	stack_tracer_enabled = !stack_tracer_switch(true);
	return 0;
}
core_initcall(stack_tracer_init);
