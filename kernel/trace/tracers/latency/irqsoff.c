// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqsoff, preemptoff and preemptirqsoff: the longest time that a CPU has interrupts off, or
 * preemption, or the one or the other.
 *
 * preemptirq.c says when they change. A section begins with the first of those that a tracer is
 * about, and ends with the last: so preemptirqsoff sees one section where a lock is released with
 * interrupts off, and these go on later. Idle sleeps with interrupts off, which makes nobody wait:
 * stop_critical_timings().
 *
 * What a hook does may change both as well, and may be interrupted where only preemption is off.
 * One mark for each CPU keeps that out: whoever finds it set leaves all as it is, and has put
 * interrupts and preemption back when it returns. NMIs are measured like others, by the same mark
 * unless they came into a hook; what they cannot take at once they do not keep.
 */
#include <linux/cleanup.h>
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/trace_clock.h>

#include "../../local_clock.h"
#include "../../record/write.h"
#include "internal.h"
#include "latency.h"

#define SECTION_IRQS	BIT(0)
#define SECTION_PREEMPT	BIT(1)

DEFINE_STATIC_KEY_FALSE(latency_irqs_key);
DEFINE_STATIC_KEY_FALSE(latency_preempt_key);

/* trace_types_lock; walked with preemption off */
static LIST_HEAD(measuring);

DEFINE_PER_CPU(bool, latency_in_hook);

/*
 * Preemption went off here, as far as we were told. preempt_count() says more than that: code that
 * is not to be traced adds to it, and so do NMIs, and when preemption goes on the hook comes before
 * the count is zero. An interrupt would come to an end there with something off that nobody says is
 * on again, and what began with it would last until somebody turned something off and on.
 */
static DEFINE_PER_CPU(bool, preempt_told_off);

static bool *preempt_told(void)
{
	return trace_cpu_ptr(&preempt_told_off);
}

/* Stacks begin with who called one of these. */
static struct trace_text hooks[6] __ro_after_init;
static unsigned int nr_hooks __ro_after_init;

/* Is anything that @lt measures still off? */
static bool still_off(const struct latency_trace *lt, bool irqs, bool preempt)
{
	return (lt->what & SECTION_IRQS && irqs) || (lt->what & SECTION_PREEMPT && preempt);
}

static void section_begin(struct latency_trace *lt, unsigned long ip, unsigned long parent_ip)
{
	struct latency_cpu *lc = this_cpu_ptr(lt->cpu);

	if (lc->on)
		return;
	lc->start = trace_local_clock();
	if (!latency_record_call(lt, ip, parent_ip, tracing_gen_ctx(), &lc->since))
		return;
	lc->from = parent_ip ?: ip;
	WRITE_ONCE(lc->on, true);
}

/* @hook is where preemptirq.c, or idle, has come to. */
static void section_worse(struct latency_trace *lt, const struct latency_cpu *lc, u64 ns,
			  unsigned long hook, unsigned long ip, unsigned long parent_ip)
{
	unsigned int trace_ctx = tracing_gen_ctx();
	struct trace_worst worst = {
		.latency	= ns,
		.from		= lc->from,
		.to		= parent_ip ?: ip,
	};
	unsigned long flags;
	int cpu = smp_processor_id();

	/*
	 * Of those that are above a threshold the one that is kept is as good as ours. Who waited
	 * for him, with interrupts off, would be late for the next one: CPUs that all are longer in
	 * interrupts than the threshold did nothing else any more than wait for each other.
	 */
	if (!latency_may_keep(lt) || !latency_lock(lt, &flags, !READ_ONCE(tracing_thresh)))
		return;
	/* it may have been somebody else's meanwhile */
	if (latency_is_worse(lt->tr, ns) && latency_may_keep(lt)) {
		latency_record_call(lt, hook, worst.to, trace_ctx, NULL);
		trace_stack_below(lt->tr, trace_ctx, hooks, nr_hooks);
		latency_keep(lt, current, cpu, cpu, lc->since, &worst);
	}
	latency_unlock(lt, flags);
}

static void section_end(struct latency_trace *lt, unsigned long hook, unsigned long ip,
			unsigned long parent_ip)
{
	struct latency_cpu *lc = this_cpu_ptr(lt->cpu);
	u64 ns;

	if (!lc->on)
		return;
	WRITE_ONCE(lc->on, false);
	ns = trace_local_clock() - lc->start;
	latency_record_call(lt, ip, parent_ip, tracing_gen_ctx(), NULL);
	if (unlikely(latency_is_worse(lt->tr, ns)))
		section_worse(lt, lc, ns, hook, ip, parent_ip);
}

/* In a hook. @what went off: a section begins for every tracer that measures any of it. */
static void all_begin(unsigned int what, unsigned long ip, unsigned long parent_ip)
{
	struct latency_trace *lt;

	list_for_each_entry_rcu(lt, &measuring, list, true)
		if (lt->what & what)
			section_begin(lt, ip, parent_ip);
}

/* In a hook. @irqs, @preempt: what stays off */
static void all_end(bool irqs, bool preempt, unsigned long hook, unsigned long ip,
		    unsigned long parent_ip)
{
	struct latency_trace *lt;

	list_for_each_entry_rcu(lt, &measuring, list, true)
		if (!still_off(lt, irqs, preempt))
			section_end(lt, hook, ip, parent_ip);
}

#ifdef CONFIG_IRQSOFF_TRACER
/* A softirq at the end of an interrupt is a part of it, with interrupts on. */
static bool preempt_stays_off(void)
{
	return READ_ONCE(*preempt_told()) || preempt_count() & SOFTIRQ_OFFSET;
}

void tracer_hardirqs_on(unsigned long ip, unsigned long parent_ip)
{
	all_end(false, preempt_stays_off(), (unsigned long)tracer_hardirqs_on, ip, parent_ip);
}

NOKPROBE_SYMBOL(tracer_hardirqs_on);

void tracer_hardirqs_off(unsigned long ip, unsigned long parent_ip)
{
	all_begin(SECTION_IRQS, ip, parent_ip);
}

NOKPROBE_SYMBOL(tracer_hardirqs_off);
#endif

#ifdef CONFIG_PREEMPT_TRACER
void tracer_preempt_on(unsigned long ip, unsigned long parent_ip)
{
	WRITE_ONCE(*preempt_told(), false);
	all_end(raw_irqs_disabled(), false, (unsigned long)tracer_preempt_on, ip, parent_ip);
}

NOKPROBE_SYMBOL(tracer_preempt_on);

void tracer_preempt_off(unsigned long ip, unsigned long parent_ip)
{
	WRITE_ONCE(*preempt_told(), true);
	all_begin(SECTION_PREEMPT, ip, parent_ip);
}

NOKPROBE_SYMBOL(tracer_preempt_off);
#endif

/* The others that stop and start this are in whatever they were called in, as printk() is. */
static bool in_idle_itself(void)
{
	return is_idle_task(current) && !irq_count();
}

static bool any_measures(void)
{
	return latency_irqs_wanted() || latency_preempt_wanted();
}

/**
 * stop_critical_timings - what is off from here on makes nobody wait
 *
 * For who sleeps with interrupts off, and other good reasons. Undone by start_critical_timings().
 *
 * Context: any where RCU watches.
 */
void stop_critical_timings(void)
{
	if (!any_measures() || !(raw_irqs_disabled() || preempt_count()) || !latency_hook_enter())
		return;
	/* what interrupts idle, of whose end we are told, leaves nothing off */
	if (in_idle_itself())
		WRITE_ONCE(*preempt_told(), false);
	all_end(false, false, (unsigned long)stop_critical_timings, CALLER_ADDR0, CALLER_ADDR1);
	latency_hook_leave();
}
EXPORT_SYMBOL_GPL(stop_critical_timings);
NOKPROBE_SYMBOL(stop_critical_timings);

/**
 * start_critical_timings - what is off still, or again, counts from now on
 *
 * Context: as stop_critical_timings().
 */
void start_critical_timings(void)
{
	unsigned int what;
	bool idle;

	if (!any_measures())
		return;
	what = raw_irqs_disabled() ? SECTION_IRQS : 0;
	idle = in_idle_itself();
	/* off, and somebody will say that it goes on */
	if (idle || READ_ONCE(*preempt_told()))
		what |= SECTION_PREEMPT;
	if (!what || !latency_hook_enter())
		return;
	if (idle)
		WRITE_ONCE(*preempt_told(), true);
	all_begin(what, CALLER_ADDR0, CALLER_ADDR1);
	latency_hook_leave();
}
EXPORT_SYMBOL_GPL(start_critical_timings);
NOKPROBE_SYMBOL(start_critical_timings);

/* A CPU comes up: what began when it went down, and did not end, makes nobody wait. */
static int section_cpu_prepare(unsigned int cpu)
{
	struct latency_trace *lt;

	guard(preempt)();
	list_for_each_entry_rcu(lt, &measuring, list, true)
		WRITE_ONCE(per_cpu_ptr(lt->cpu, cpu)->on, false);
	return 0;
}

static int section_init(struct trace_array *tr, unsigned int what)
{
	struct latency_trace *lt = latency_create(tr, what, TRACE_TRACER_FLAGS);
	bool stale = !static_key_count(&latency_preempt_key.key);
	int cpu;

	if (IS_ERR(lt))
		return PTR_ERR(lt);
	if (what & SECTION_IRQS)
		static_branch_inc(&latency_irqs_key);
	if (what & SECTION_PREEMPT)
		static_branch_inc(&latency_preempt_key);
	/*
	 * Places are patched one by one: a beginning may be told of before an end can be. That
	 * preemption is off is forgotten, which at worst ends a section early.
	 */
	if (stale)
		for_each_possible_cpu(cpu)
			WRITE_ONCE(per_cpu(preempt_told_off, cpu), false);
	list_add_tail_rcu(&lt->list, &measuring);
	return 0;
}

static void section_reset(struct trace_array *tr)
{
	struct latency_trace *lt = latency_of(tr);

	/* first: now an end may go untold while a beginning is told of */
	list_del_rcu(&lt->list);
	if (lt->what & SECTION_IRQS)
		static_branch_dec(&latency_irqs_key);
	if (lt->what & SECTION_PREEMPT)
		static_branch_dec(&latency_preempt_key);
	latency_destroy(tr);
}

#ifdef CONFIG_IRQSOFF_TRACER
static int irqsoff_init(struct trace_array *tr)
{
	return section_init(tr, SECTION_IRQS);
}

static struct tracer irqsoff_tracer =
	LATENCY_TRACER("irqsoff", irqsoff_init, section_reset, section);
#endif

#ifdef CONFIG_PREEMPT_TRACER
static int preemptoff_init(struct trace_array *tr)
{
	return section_init(tr, SECTION_PREEMPT);
}

static struct tracer preemptoff_tracer =
	LATENCY_TRACER("preemptoff", preemptoff_init, section_reset, section);
#endif

#if defined(CONFIG_IRQSOFF_TRACER) && defined(CONFIG_PREEMPT_TRACER)
static int preemptirqsoff_init(struct trace_array *tr)
{
	return section_init(tr, SECTION_IRQS | SECTION_PREEMPT);
}

static struct tracer preemptirqsoff_tracer =
	LATENCY_TRACER("preemptirqsoff", preemptirqsoff_init, section_reset, section);
#endif

static void __init add_hook(void *function)
{
	trace_text_of(&hooks[nr_hooks++], (unsigned long)function);
}

static int __init section_tracers_register(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "trace/latency:prepare",
					section_cpu_prepare, NULL);
	if (ret < 0)
		return ret;
	ret = 0;
	add_hook(stop_critical_timings);
#ifdef CONFIG_IRQSOFF_TRACER
	add_hook(trace_hardirqs_on);
	add_hook(trace_hardirqs_on_prepare);
	add_hook(tracer_hardirqs_on);
	ret = register_tracer(&irqsoff_tracer);
#endif
#ifdef CONFIG_PREEMPT_TRACER
	add_hook(trace_preempt_on);
	add_hook(tracer_preempt_on);
	ret = ret ?: register_tracer(&preemptoff_tracer);
#endif
#if defined(CONFIG_IRQSOFF_TRACER) && defined(CONFIG_PREEMPT_TRACER)
	ret = ret ?: register_tracer(&preemptirqsoff_tracer);
#endif
	return ret;
}
core_initcall(section_tracers_register);
