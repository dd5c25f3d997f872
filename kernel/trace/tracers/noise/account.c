// SPDX-License-Identifier: GPL-2.0-only
/*
 * What interrupts a thread, and what interrupts that.
 *
 * A source writes its own account only, and reads those of the inner ones, which interrupt it and
 * have ended when it goes on: so there are no atomics, and a look at several accounts and the
 * clock is complete if none of the counts changed meanwhile. Its own time is what passed less what
 * the inner ones took in between; what it took is in nobody's time but its own.
 *
 * The events osnoise:*_noise tell of each.
 */
#include <linux/hardirq.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <linux/trace.h>
#include <linux/trace_clock.h>

#include <trace/events/irq.h>
#include <trace/events/sched.h>

#define CREATE_TRACE_POINTS
#include <trace/events/osnoise.h>

#include "account.h"

DEFINE_PER_CPU(struct noise_cpu, noise_cpu);

bool trace_osnoise_callback_enabled __read_mostly;

/* How often something came, from @source inwards. */
static __always_inline unsigned long hits_from(const struct noise_cpu *c, int source)
{
	unsigned long hits = 0;

	for (; source < NOISE_SOURCES; source++)
		hits += READ_ONCE(c->source[source].count);
	return hits;
}

/* The time, and how much those from @source inwards have taken by then. */
static __always_inline u64 clock_and_taken(const struct noise_cpu *c, int source, u64 *taken)
{
	unsigned long hits;
	u64 now;

	do {
		hits = hits_from(c, source);
		barrier();
		*taken = 0;
		for (int i = source; i < NOISE_SOURCES; i++)
			*taken += READ_ONCE(c->source[i].taken);
		now = trace_clock_local();
		barrier();
	} while (unlikely(hits != hits_from(c, source)));
	return now;
}

/**
 * noise_clock - the time, for who measures on a CPU
 * @c: of this CPU
 * @hits: how often the thread was interrupted up to that moment
 *
 * Context: the thread that measures, which stays on the CPU. Return: trace_clock_local().
 */
u64 noise_clock(const struct noise_cpu *c, unsigned long *hits)
{
	u64 now;

	do {
		*hits = hits_from(c, 0);
		barrier();
		now = trace_clock_local();
		barrier();
	} while (unlikely(*hits != hits_from(c, 0)));
	return now;
}

static __always_inline void source_begins(struct noise_cpu *c, int source)
{
	struct noise_account *a = &c->source[source];

	WRITE_ONCE(a->count, a->count + 1);
	a->began = clock_and_taken(c, source + 1, &a->inner);
}

/* What of the time until @now is a source's own, if inner ones have taken @inner by then. */
static u64 own_time(const struct noise_account *a, u64 now, u64 inner)
{
	u64 passed = now - a->began;

	/* The clock may be coarse. */
	return passed - min(passed, inner - a->inner);
}

/* Return: ns that it took, 0 if it began before anybody looked. */
static __always_inline u64 source_ends(struct noise_cpu *c, int source, u64 *began)
{
	struct noise_account *a = &c->source[source];
	u64 inner, now, took;

	*began = a->began;
	if (!a->began)
		return 0;
	now = clock_and_taken(c, source + 1, &inner);
	took = own_time(a, now, inner);
	a->began = 0;
	WRITE_ONCE(a->taken, a->taken + took);
	return took;
}

/* --- probes; each on the CPU that it is about, preemption off */

static __always_inline void source_entered(int source)
{
	struct noise_cpu *c = this_cpu_ptr(&noise_cpu);

	if (READ_ONCE(c->sampling))
		source_begins(c, source);
}

/* False if nobody looks, or if it began before anybody did. */
static __always_inline bool source_left(int source, u64 *began, u64 *took)
{
	struct noise_cpu *c = this_cpu_ptr(&noise_cpu);

	if (!READ_ONCE(c->sampling))
		return false;
	*took = source_ends(c, source, began);
	return *began;
}

/* An NMI begins or ends. What comes into one, as breakpoints do, is a part of it. */
void trace_osnoise_callback(bool enter)
{
	struct noise_cpu *c = this_cpu_ptr(&noise_cpu);
	u64 began, took;

	if (enter) {
		if (!c->nmis++)
			source_entered(NOISE_NMI);
	} else if (c->nmis && !--c->nmis && source_left(NOISE_NMI, &began, &took)) {
		trace_nmi_noise(began, took);
	}
}

/**
 * osnoise_trace_irq_entry - an interrupt begins
 * @id: its number
 *
 * Also for interrupts that only their architecture knows of, see osnoise_arch_register().
 * Context: the interrupt; also a handler in an NMI, which is left out.
 */
void osnoise_trace_irq_entry(int id)
{
	/* an NMI may have a handler as interrupts have, and its own account */
	if (!in_nmi())
		source_entered(NOISE_IRQ);
}

/**
 * osnoise_trace_irq_exit - it ends
 * @id: its number
 * @desc: its name
 *
 * Context: the interrupt.
 */
void osnoise_trace_irq_exit(int id, const char *desc)
{
	u64 began, took;

	if (!in_nmi() && source_left(NOISE_IRQ, &began, &took))
		trace_irq_noise(id, desc, began, took);
}

static void probe_irq_entry(void *data, int irq, struct irqaction *action)
{
	osnoise_trace_irq_entry(irq);
}

static void probe_irq_exit(void *data, int irq, struct irqaction *action, int ret)
{
	osnoise_trace_irq_exit(irq, action->name);
}

static void probe_softirq_entry(void *data, unsigned int vector)
{
	source_entered(NOISE_SOFTIRQ);
}

static void probe_softirq_exit(void *data, unsigned int vector)
{
	u64 began, took;

	if (source_left(NOISE_SOFTIRQ, &began, &took))
		trace_softirq_noise(vector, began, took);
}

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct noise_cpu *c = this_cpu_ptr(&noise_cpu);
	u64 began, took;

	if (!READ_ONCE(c->sampling))
		return;
	if (prev->pid != c->pid) {
		took = source_ends(c, NOISE_THREAD, &began);
		if (began && READ_ONCE(c->threads))
			trace_thread_noise(prev, began, took);
	}
	if (next->pid != c->pid)
		source_begins(c, NOISE_THREAD);
}

/**
 * noise_thread_from_here - from now on it matters that another thread has the CPU
 * @c: of this CPU
 *
 * Threads are reported from now on; of the one that runs, only what it takes from now on counts:
 * what of this interrupt is over is as if an earlier one had taken it.
 *
 * Context: a handler of an interrupt.
 */
void noise_thread_from_here(struct noise_cpu *c)
{
	struct noise_account *thread = &c->source[NOISE_THREAD];

	if (current->pid != c->pid) {
		u64 now, irq = 0, softirq = 0, taken;

		/* what the sources that run have taken, and have not added to their accounts yet */
		now = clock_and_taken(c, NOISE_NMI, &taken);
		if (c->source[NOISE_IRQ].began)
			irq = own_time(&c->source[NOISE_IRQ], now, taken);
		clock_and_taken(c, NOISE_IRQ, &taken);
		if (c->source[NOISE_SOFTIRQ].began)
			softirq = own_time(&c->source[NOISE_SOFTIRQ], now, taken + irq);
		thread->began = clock_and_taken(c, NOISE_SOFTIRQ, &thread->inner);
		thread->inner += irq + softirq;
	}
	WRITE_ONCE(c->threads, true);
}

/**
 * noise_sampling_start - look at what happens on a CPU
 * @c: the CPU's
 * @pid: of the thread that is no noise
 * @threads: report other threads from the start on
 *
 * Context: that thread, or any task for a CPU where nothing is sampled.
 */
void noise_sampling_start(struct noise_cpu *c, pid_t pid, bool threads)
{
	for (int i = 0; i < NOISE_SOURCES; i++)
		c->source[i].began = 0;
	c->nmis = 0;
	c->pid = pid;
	c->threads = threads;
	/* Who sees it set also sees the rest; most often on this very CPU. */
	smp_store_release(&c->sampling, true);
}

/**
 * noise_sampling_stop - do not look any more
 * @c: the CPU's
 *
 * Context: as noise_sampling_start().
 */
void noise_sampling_stop(struct noise_cpu *c)
{
	WRITE_ONCE(c->sampling, false);
	barrier();
}

/* --- on and off */

/* An architecture with interrupts that have no irq_handler_entry replaces these. */
int __weak osnoise_arch_register(void)
{
	return 0;
}

void __weak osnoise_arch_unregister(void)
{
}

/* With PREEMPT_RT they run in threads, which are preempted like others: no level of their own. */
static int softirq_probes_add(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return 0;
	return register_trace_softirq_entry(probe_softirq_entry, NULL) ?:
	       register_trace_softirq_exit(probe_softirq_exit, NULL);
}

static int probes_add(void)
{
	return register_trace_irq_handler_entry(probe_irq_entry, NULL) ?:
	       register_trace_irq_handler_exit(probe_irq_exit, NULL) ?:
	       softirq_probes_add() ?:
	       register_trace_sched_switch(probe_switch, NULL);
}

/* Taking away one that is not there does nothing. */
static void probes_remove(void)
{
	unregister_trace_sched_switch(probe_switch, NULL);
	unregister_trace_softirq_exit(probe_softirq_exit, NULL);
	unregister_trace_softirq_entry(probe_softirq_entry, NULL);
	unregister_trace_irq_handler_exit(probe_irq_exit, NULL);
	unregister_trace_irq_handler_entry(probe_irq_entry, NULL);
	tracepoint_synchronize_unregister();
}

/* An architecture's interrupts. It says -EINVAL whatever the reason, and there is but one. */
static int arch_probes_add(void)
{
	return osnoise_arch_register() ? -ENOMEM : 0;
}

/**
 * noise_account_start - be told of all that interrupts
 *
 * Context: task. Return: 0 or -ENOMEM.
 */
int noise_account_start(void)
{
	int ret = probes_add() ?: arch_probes_add();

	if (ret)
		probes_remove();
	else
		trace_osnoise_callback_enabled = true;
	return ret;
}

/**
 * noise_account_stop - no more
 *
 * Context: task.
 */
void noise_account_stop(void)
{
	trace_osnoise_callback_enabled = false;
	osnoise_arch_unregister();
	probes_remove();
}
