// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts and preemption go off and on: the events preemptirq:*, the latency tracers, and
 * lockdep, which wants to know of interrupts as well.
 *
 * The functions are called for every change of the flag, also for those that
 * change nothing; an event is for the outermost only. They run anywhere: at the
 * border of interrupt entry, in NMI, with lockdep in its own code.
 */
#include <linux/context_tracking_state.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#ifdef CONFIG_PREEMPTIRQ_TRACEPOINTS
#include "percpu.h"
#include "tracers/latency/latency.h"

#define CREATE_TRACE_POINTS
#include <trace/events/preemptirq.h>
#endif

/*
 * RCU may be idle here. Where the architecture keeps instrumentation out of
 * such code that does not happen; elsewhere the event wakes RCU up, which NMI
 * can not.
 */
#ifdef CONFIG_ARCH_WANTS_NO_INSTR
#define __emit(event, ip, parent)	trace_##event(ip, parent)
#else
#define __emit(event, ip, parent)			\
do {							\
	if (!in_nmi())					\
		trace_##event##_rcuidle(ip, parent);	\
} while (0)
#endif

/*
 * Who the callers are is asked for only if the event is on: some architectures
 * walk the stack for it, which takes long and cannot be done early in boot.
 */
#define emit(event, ip, parent)				\
do {							\
	if (trace_##event##_enabled())			\
		__emit(event, ip, parent);		\
} while (0)

/* The latency tracers, which must not see what is done to find the callers. */
#define measure(wanted, hook, ip, parent)		\
do {							\
	if ((wanted) && latency_hook_enter()) {		\
		hook(ip, parent);			\
		latency_hook_leave();			\
	}						\
} while (0)

#ifdef CONFIG_TRACE_IRQFLAGS

#ifdef CONFIG_PREEMPTIRQ_TRACEPOINTS
/*
 * What the last event on this CPU said. The callers are those of the function this is in.
 *
 * Interrupts are off here, so this CPU stays this CPU without preemption being disabled for each
 * look, which was most of what these functions did. Only who enables interrupts that are on may
 * have been taken to another CPU in between, and have seen that one's word: nothing changes then.
 */
static DEFINE_PER_CPU(bool, irqs_seen_off);

static __always_inline void irqs_go_on(void)
{
	bool *seen_off = trace_cpu_ptr(&irqs_seen_off);
	bool seen = READ_ONCE(*seen_off);

	/*
	 * Idle says that they go on when it falls asleep, and wakes up with them off: of that the
	 * latency tracers alone hear, by start_critical_timings().
	 */
	if ((!seen && !latency_irqs_wanted()) || !raw_irqs_disabled())
		return;
	if (seen)
		emit(irq_enable, CALLER_ADDR0, CALLER_ADDR1);
	measure(latency_irqs_wanted(), tracer_hardirqs_on, CALLER_ADDR0, CALLER_ADDR1);
	WRITE_ONCE(*seen_off, false);
}

static __always_inline void irqs_go_off(void)
{
	bool *seen_off = trace_cpu_ptr(&irqs_seen_off);

	if (!READ_ONCE(*seen_off)) {
		WRITE_ONCE(*seen_off, true);
		measure(latency_irqs_wanted(), tracer_hardirqs_off, CALLER_ADDR0, CALLER_ADDR1);
		emit(irq_disable, CALLER_ADDR0, CALLER_ADDR1);
	}
}
#else
/* Lockdep alone wants to know: on machines of 32 bits, for which there is no tracing. */
static inline void irqs_go_on(void)
{
}

static inline void irqs_go_off(void)
{
}
#endif

/*
 * At the end of an NMI, and of a trap that is entered like one, entry code asks lockdep whether
 * interrupts were on. Without it nobody would hear that they are on again. A breakpoint on arm64
 * is like one to RCU only; and so is what interrupts idle, of which the end is told.
 */
static __always_inline bool end_is_untold(void)
{
	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		return false;
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	if (ct_nmi_nesting() > CT_NESTING_IRQ_NONIDLE && !is_idle_task(current))
		return true;
#endif
	return in_nmi();
}

/* For entry code, which tells lockdep itself, at a time of its own choice. */
void trace_hardirqs_on_prepare(void)
{
	irqs_go_on();
}
EXPORT_SYMBOL(trace_hardirqs_on_prepare);
NOKPROBE_SYMBOL(trace_hardirqs_on_prepare);

void trace_hardirqs_off_finish(void)
{
	if (!end_is_untold())
		irqs_go_off();
}
EXPORT_SYMBOL(trace_hardirqs_off_finish);
NOKPROBE_SYMBOL(trace_hardirqs_off_finish);

/* For everybody else. The event comes while lockdep still, or already, knows them off. */
void trace_hardirqs_on(void)
{
	irqs_go_on();
	lockdep_hardirqs_on_prepare();
	lockdep_hardirqs_on(CALLER_ADDR0);
}
EXPORT_SYMBOL(trace_hardirqs_on);
NOKPROBE_SYMBOL(trace_hardirqs_on);

void trace_hardirqs_off(void)
{
	lockdep_hardirqs_off(CALLER_ADDR0);
	irqs_go_off();
}
EXPORT_SYMBOL(trace_hardirqs_off);
NOKPROBE_SYMBOL(trace_hardirqs_off);

#endif /* CONFIG_TRACE_IRQFLAGS */

#ifdef CONFIG_TRACE_PREEMPT_TOGGLE

/* The scheduler calls these for the outermost change only. */
void trace_preempt_on(unsigned long a0, unsigned long a1)
{
	emit(preempt_enable, a0, a1);
	measure(latency_preempt_wanted(), tracer_preempt_on, a0, a1);
}

void trace_preempt_off(unsigned long a0, unsigned long a1)
{
	measure(latency_preempt_wanted(), tracer_preempt_off, a0, a1);
	emit(preempt_disable, a0, a1);
}

#endif /* CONFIG_TRACE_PREEMPT_TOGGLE */
