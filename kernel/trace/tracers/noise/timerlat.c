// SPDX-License-Identifier: GPL-2.0-only
/*
 * timerlat: how late do a timer and the thread that it wakes up come?
 *
 * On each CPU a thread sets a timer and waits. The handler records by how much it missed the
 * time that was set, and wakes the thread up, which records the same for itself. Between the
 * two account.c tells who else had the CPU.
 */
#include <linux/atomic.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <uapi/linux/sched/types.h>

#include "../../instance/tracer.h"
#include "../../output/output.h"
#include "../../record/write.h"
#include "account.h"
#include "crew.h"
#include "entries.h"
#include "internal.h"
#include "timerlat.h"

#define TIMERLAT_PRIO	95

static DEFINE_PER_CPU(struct timerlat_cpu, timerlat_cpu);

/*
 * With NOISE_OPT_ALIGN: when the last timer expires that was aligned, 0: none was; and what changes
 * when they are to be aligned anew.
 */
static atomic64_t aligned;
static unsigned int alignment;

/* --- the handler */

static void record_stack(const struct timerlat_cpu *t)
{
	if (t->nr_frames)
		noise_record_stack(t->frames, t->nr_frames);
}

/* The name is seen in the trace, as the first of a stack. */
static enum hrtimer_restart timerlat_irq(struct hrtimer *timer)
{
	struct timerlat_cpu *t = container_of(timer, struct timerlat_cpu, timer);
	u64 late = ktime_get_ns() - t->next, stop, print_stack;

	noise_thread_from_here(t->noise);
	t->seqnum++;
	noise_record_latency(t->seqnum, TIMERLAT_IRQ, late);

	print_stack = READ_ONCE(noise_settings.print_stack);
	t->nr_frames = 0;
	if (print_stack)
		t->nr_frames = stack_trace_save(t->frames, TIMERLAT_FRAMES, trace_walk_extra);

	stop = READ_ONCE(noise_settings.stop);
	if (noise_reaches(late, stop)) {
		/* the thread would come too late to record it */
		if (stop <= print_stack)
			record_stack(t);
		osnoise_stop_tracing();
	}
	WRITE_ONCE(t->fired, true);
	wake_up_process(t->thread);
	return HRTIMER_NORESTART;
}

/* --- the thread */

/**
 * timerlat_begin - from now on the thread wants to be woken up
 * @t: of its CPU; t->thread is set
 * @c: of the same
 *
 * Context: the thread, on the CPU, where it stays.
 */
void timerlat_begin(struct timerlat_cpu *t, struct noise_cpu *c)
{
	hrtimer_init(&t->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	t->timer.function = timerlat_irq;
	t->noise = c;
	t->seqnum = 0;
	t->alignment = READ_ONCE(alignment) - 1;
	t->next = ktime_get_ns();
	t->waited = false;
	noise_sampling_start(c, current->pid, false);
}

/* When the timer of a CPU that is aligned expires, if it is @next by itself. */
static u64 align(u64 next)
{
	u64 offset = READ_ONCE(noise_settings.timerlat_align) * NSEC_PER_USEC;

	if (!atomic64_cmpxchg(&aligned, 0, next))
		return next;
	return atomic64_add_return(offset, &aligned);
}

static u64 timer_period(void)
{
	return READ_ONCE(noise_settings.timerlat_period) * NSEC_PER_USEC;
}

/*
 * When the timer expires next, in whole periods from the last time, which may be long ago. Who
 * waits again waits for the same, whatever has become of the period meanwhile.
 */
static u64 next_expiry(struct timerlat_cpu *t)
{
	u64 period = timer_period();
	u64 next = t->waited ? t->next : t->next + period, now = ktime_get_ns();
	unsigned int latest = smp_load_acquire(&alignment); /* of timerlat_realign() */

	if (t->alignment != latest && noise_option(NOISE_OPT_ALIGN))
		next = align(next);
	t->alignment = latest;
	if (next <= now)
		next += (div64_u64(now - next, period) + 1) * period;
	return next;
}

/**
 * timerlat_wait - set the timer and wait for it
 * @t: of this CPU
 * @unwanted: is the thread to do something else?
 *
 * Context: the thread. Return: false if it is.
 */
bool timerlat_wait(struct timerlat_cpu *t, bool (*unwanted)(void))
{
	/* nobody waits for a thread that has had its turn */
	WRITE_ONCE(t->noise->threads, false);
	t->next = next_expiry(t);
	t->waited = false;
	WRITE_ONCE(t->fired, false);
	hrtimer_start(&t->timer, ns_to_ktime(t->next), HRTIMER_MODE_ABS_PINNED_HARD);
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (READ_ONCE(t->fired) || unwanted())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	if (READ_ONCE(t->fired))
		return true;
	hrtimer_cancel(&t->timer);
	t->waited = !READ_ONCE(t->fired);	/* the next time for the same */
	return !t->waited;
}

/**
 * timerlat_late - record how late the thread is, and do what is to be done then
 * @t: of this CPU
 * @context: where it has come to, enum timerlat_context
 *
 * Context: the thread.
 */
void timerlat_late(struct timerlat_cpu *t, int context)
{
	u64 late = ktime_get_ns() - t->next;
	u64 print_stack = READ_ONCE(noise_settings.print_stack);

	noise_record_latency(t->seqnum, context, late);
	if (context == TIMERLAT_THREAD && noise_reaches(late, print_stack))
		record_stack(t);
	if (noise_reaches(late, READ_ONCE(noise_settings.stop_total)))
		osnoise_stop_tracing();
}

static int timerlat_main(void *cpu)
{
	struct timerlat_cpu *t = per_cpu_ptr(&timerlat_cpu, (long)cpu);

	noise_crew_settle();
	t->thread = current;
	timerlat_begin(t, per_cpu_ptr(&noise_cpu, (long)cpu));
	while (!noise_crew_unwanted()) {
		if (timerlat_wait(t, noise_crew_unwanted))
			timerlat_late(t, TIMERLAT_THREAD);
	}
	hrtimer_cancel(&t->timer);
	noise_sampling_stop(t->noise);
	if (!kthread_should_stop())
		noise_taint("a timerlat thread was moved to another CPU\n");
	noise_crew_rest();
	return 0;
}

/*
 * Before the thread runs, which it may not do for long where others have the CPU; and who sets
 * another priority, as rtla does, comes after that.
 */
static void timerlat_join(int cpu, struct task_struct *thread)
{
	static const struct sched_param param = { .sched_priority = TIMERLAT_PRIO };

	sched_setscheduler_nocheck(thread, SCHED_FIFO, &param);
}

static DEFINE_PER_CPU(struct task_struct *, timerlat_thread);

static struct noise_crew timerlat_crew = {
	.name	= "timerlat/%u",
	.work	= timerlat_main,
	.join	= timerlat_join,
	.thread	= &timerlat_thread,
};

/* --- the tracer; trace_types_lock held */

/**
 * timerlat_realign - NOISE_OPT_ALIGN has changed
 *
 * Each thread does as it says when it sets its timer next. Context: task, trace_types_lock held.
 */
void timerlat_realign(void)
{
	atomic64_set(&aligned, 0);
	/* who sees that it is another one sees the 0 */
	smp_store_release(&alignment, alignment + 1);
}

const struct noise_kind timerlat_kind = {
	.crew		= &timerlat_crew,
	.watchers	= &timerlat_user_crew,
	.begins		= timerlat_realign,
	.ended		= timerlat_users_end,
};

static int timerlat_init(struct trace_array *tr)
{
	return noise_tracer_init(tr, &timerlat_kind);
}

static void timerlat_header(struct seq_file *m)
{
	seq_puts(m,
		 "#                                _-----=> irqs-off\n"
		 "#                               / _----=> need-resched\n"
		 "#                              | / _---=> hardirq/softirq\n"
		 "#                              || / _--=> preempt-depth\n"
		 "#                              ||| / _-=> migrate-disable\n"
		 "#                              |||| /     delay\n"
		 "#                              |||||            ACTIVATION\n"
		 "#           TASK-PID      CPU# |||||   TIMESTAMP   ID            CONTEXT                 LATENCY\n"
		 "#              | |         |   |||||      |         |                  |                       |\n");
}

NOISE_TRACER(timerlat);
