/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * preempt_disable_notrace() and preempt_enable_notrace() for functions that must not have a call
 * where they are not at their end, and that know already what those two would ask for.
 */
#ifndef _KERNEL_TRACE_PREEMPT_H
#define _KERNEL_TRACE_PREEMPT_H

#include <linux/preempt.h>
#include <linux/sched.h>

/*
 * @self is current. @count is preempt_count() of a moment ago: who interrupts us, or takes the CPU
 * away, leaves it as it was. arm64 does here what is in its <asm/preempt.h>, and asks but once, see
 * __trace_preempt_enable() in <linux/tracepoint.h>.
 */
#if defined(CONFIG_ARM64) && defined(CONFIG_PREEMPTION)
static __always_inline unsigned int trace_preempt_disable(struct task_struct *self,
							  unsigned int count)
{
	WRITE_ONCE(task_thread_info(self)->preempt.count, ++count);
	barrier();
	return count;
}

static __always_inline bool __trace_preempt_dec_and_test(struct task_struct *self)
{
	struct thread_info *ti = task_thread_info(self);

	WRITE_ONCE(ti->preempt.count, READ_ONCE(ti->preempt.count) - 1);
	/* read behind it: what has come in between is in there, too */
	return !READ_ONCE(ti->preempt_count);
}
#else
static __always_inline unsigned int trace_preempt_disable(struct task_struct *self,
							  unsigned int count)
{
	preempt_disable_notrace();
#ifdef CONFIG_X86
	return raw_cpu_read_4(pcpu_hot.preempt_count);
#else
	return count + IS_ENABLED(CONFIG_PREEMPT_COUNT);
#endif
}

#ifdef CONFIG_PREEMPTION
static __always_inline bool __trace_preempt_dec_and_test(struct task_struct *self)
{
	return __preempt_count_dec_and_test();
}
#endif
#endif

/* True: trace_preempt_schedule() has to follow, nothing is lost if that takes its time. */
static __always_inline bool trace_preempt_enable(struct task_struct *self)
{
#ifdef CONFIG_PREEMPTION
	barrier();
	return unlikely(__trace_preempt_dec_and_test(self));
#else
	preempt_enable_notrace();
	return false;
#endif
}

static __always_inline void trace_preempt_schedule(void)
{
#ifdef CONFIG_PREEMPTION
	__preempt_schedule_notrace();
#endif
}

#endif /* _KERNEL_TRACE_PREEMPT_H */
