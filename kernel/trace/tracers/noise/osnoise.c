// SPDX-License-Identifier: GPL-2.0-only
/*
 * osnoise: what does a thread lose that wants a CPU for itself?
 *
 * A thread on each CPU reads the clock in a loop, for runtime_us of each period_us. Two readings
 * that are further apart than tracing_thresh are noise. If something was counted meanwhile
 * (account.c), it was that; if not, it was the hardware. A run is a record.
 *
 * Without OSNOISE_WORKLOAD there are no threads, only the events of account.c.
 */
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <trace/events/osnoise.h>

#include "../../instance/tracer.h"
#include "../../output/output.h"
#include "account.h"
#include "crew.h"
#include "entries.h"
#include "internal.h"
#include "longest.h"

/* How often a run looks whether it is to end, and RCU is told that it holds nothing. */
#define OSNOISE_LOOK	NSEC_PER_MSEC

/* What a run is told when it begins, in ns but for @stop, @stop_total. */
struct run_plan {
	u64	runtime;
	u64	threshold;
	u64	stop;
	u64	stop_total;
	bool	irqs_off;
	bool	preempt_off;
};

static struct run_plan make_plan(void)
{
	struct run_plan plan = {
		.runtime	= READ_ONCE(noise_settings.runtime),
		.threshold	= READ_ONCE(tracing_thresh) ?: NSEC_PER_USEC,
		.stop		= READ_ONCE(noise_settings.stop),
		.stop_total	= READ_ONCE(noise_settings.stop_total),
		.irqs_off	= noise_option(NOISE_OPT_IRQS_OFF),
	};

	plan.runtime = min(plan.runtime, NOISE_MOST_US) * NSEC_PER_USEC;
	plan.preempt_off = !plan.irqs_off && noise_option(NOISE_OPT_PREEMPT_OFF);
	return plan;
}

/* A CPU without ticks (nohz_full) tells RCU nothing, which would send an interrupt to ask. */
static void tell_rcu(const struct run_plan *plan)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RCU))
		return;
	if (!plan->irqs_off)
		local_irq_disable();
	rcu_momentary_eqs();
	if (!plan->irqs_off)
		local_irq_enable();
}

/* One run, up to its end or to noise that is to stop recording. Return: was there any? */
static bool run_loop(struct noise_cpu *c, const struct run_plan *plan, struct osnoise_entry *run)
{
	u64 begin, last, now, looked, sample, noise = 0, longest = 0;
	unsigned long seen, hits;
	bool stop = false;

	begin = noise_clock(c, &seen);
	last = begin;
	looked = begin;
	do {
		now = noise_clock(c, &hits);
		sample = noise_passed(last, now);
		if (unlikely(sample >= plan->threshold)) {
			if (hits == seen)
				run->hw_count++;
			noise += sample;
			longest = max(longest, sample);
			trace_sample_threshold(last, sample, hits - seen);
			stop = noise_reaches(sample, plan->stop);
			/* what it takes to record that is no noise */
			now = noise_clock(c, &hits);
		}
		last = now;
		seen = hits;
		if (now - looked > OSNOISE_LOOK) {
			looked = now;
			tell_rcu(plan);
			if (noise_crew_unwanted())
				break;
		}
		/* who is not preempted gives the CPU up by himself */
		if (!plan->irqs_off && !plan->preempt_off)
			cond_resched();
	} while (!stop && now - begin < plan->runtime);

	run->noise = noise / NSEC_PER_USEC;
	run->runtime = noise_passed(begin, last) / NSEC_PER_USEC;
	run->max_sample = longest / NSEC_PER_USEC;
	return stop;
}

static void one_run(struct noise_cpu *c)
{
	struct run_plan plan = make_plan();
	unsigned long before[NOISE_SOURCES];
	struct osnoise_entry run = { };
	bool stop;

	if (plan.irqs_off)
		local_irq_disable();
	else if (plan.preempt_off)
		preempt_disable();
	noise_sampling_start(c, current->pid, true);
	for (int i = 0; i < NOISE_SOURCES; i++)
		before[i] = READ_ONCE(c->source[i].count);

	stop = run_loop(c, &plan, &run);

	noise_sampling_stop(c);
	run.thread_count = c->source[NOISE_THREAD].count - before[NOISE_THREAD];
	run.softirq_count = c->source[NOISE_SOFTIRQ].count - before[NOISE_SOFTIRQ];
	run.irq_count = c->source[NOISE_IRQ].count - before[NOISE_IRQ];
	run.nmi_count = c->source[NOISE_NMI].count - before[NOISE_NMI];
	if (plan.irqs_off)
		local_irq_enable();
	else if (plan.preempt_off)
		preempt_enable();

	noise_record_run(&run);
	if (stop || (plan.stop_total && run.noise >= plan.stop_total))
		osnoise_stop_tracing();
}

static int osnoise_main(void *cpu)
{
	struct noise_cpu *c = per_cpu_ptr(&noise_cpu, (long)cpu);
	u64 period, runtime;

	noise_crew_settle();
	while (!noise_crew_unwanted()) {
		period = READ_ONCE(noise_settings.period);
		runtime = READ_ONCE(noise_settings.runtime);
		/* Recording may have been stopped: no need to keep others from the CPU. */
		if (!noise_recording()) {
			noise_crew_sleep(max(period, USEC_PER_MSEC), noise_recording);
			continue;
		}
		one_run(c);
		if (period > runtime)
			noise_crew_sleep(period - runtime, NULL);
		else	/* who waits until all tasks have slept waits for this one too */
			cond_resched_tasks_rcu_qs();
	}
	if (!kthread_should_stop())
		noise_taint("an osnoise thread was moved to another CPU\n");
	noise_crew_rest();
	return 0;
}

static DEFINE_PER_CPU(struct task_struct *, osnoise_thread);

static struct noise_crew osnoise_crew = {
	.name	= "osnoise/%u",
	.work	= osnoise_main,
	.thread	= &osnoise_thread,
};

/* --- without threads: who is measured is whoever runs */

static void watch_join(int cpu, struct task_struct *unused)
{
	noise_sampling_start(per_cpu_ptr(&noise_cpu, cpu), 0, true);
}

static void watch_leave(int cpu)
{
	noise_sampling_stop(per_cpu_ptr(&noise_cpu, cpu));
}

static struct noise_crew watch_crew = {
	.join	= watch_join,
	.leave	= watch_leave,
};

/* --- the tracer; trace_types_lock held */

static const struct noise_kind osnoise_kind = {
	.crew		= &osnoise_crew,
	.watchers	= &watch_crew,
};

static int osnoise_init(struct trace_array *tr)
{
	return noise_tracer_init(tr, &osnoise_kind);
}

static void osnoise_header(struct seq_file *m)
{
	if (noise_is_tainted())
		seq_puts(m, "# osnoise is tainted!\n");
	/* with two percent signs, which tools have always seen */
	seq_puts(m,
		 "#                                _-----=> irqs-off\n"
		 "#                               / _----=> need-resched\n"
		 "#                              | / _---=> hardirq/softirq\n"
		 "#                              || / _--=> preempt-depth\n"
		 "#                              ||| / _-=> migrate-disable                         MAX\n"
		 "#                              |||| /     delay                                   SINGLE      Interference counters:\n"
		 "#                              |||||               RUNTIME      NOISE  %% OF CPU  NOISE    +-----------------------------+\n"
		 "#           TASK-PID      CPU# |||||   TIMESTAMP    IN US       IN US  AVAILABLE  IN US     HW    NMI    IRQ   SIRQ THREAD\n"
		 "#              | |         |   |||||      |           |             |    |            |      |      |      |      |      |\n");
}

NOISE_TRACER(osnoise);
