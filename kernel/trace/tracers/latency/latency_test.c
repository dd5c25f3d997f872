// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: what counts as a section in which interrupts or preemption are off; one that cannot be
 * kept; clocks that differ.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "../../local_clock.h"
#include "../../tests/instance.h"
#include "../../tests/suite.h"
#include "../../tests/writer.h"
#include "internal.h"

#define NAME	"kunit-latency"

static bool is_built(const char *tracer)
{
	if (strstarts(tracer, "wakeup"))
		return IS_ENABLED(CONFIG_SCHED_TRACER);
	return IS_ENABLED(CONFIG_IRQSOFF_TRACER) &&
	       (!strcmp(tracer, "irqsoff") || IS_ENABLED(CONFIG_PREEMPT_TRACER));
}

/*
 * An instance that runs @tracer. The configuration says whether the case is skipped for want of it:
 * one that is built and is not there is a failure.
 */
static struct trace_array *measuring(struct kunit *test, const char *tracer)
{
	struct trace_array *tr;

	if (!is_built(tracer))
		kunit_skip(test, "there is no tracer %s", tracer);
	tr = trace_array_get_by_name(NAME, NULL);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	test->priv = tr;
	KUNIT_ASSERT_EQ(test, tracing_set_tracer(tr, tracer), 0);
	return tr;
}

static void latency_exit(struct kunit *test)
{
	struct trace_array *tr = test->priv;

	if (!tr)
		return;
	KUNIT_EXPECT_EQ(test, tracing_set_tracer(tr, "nop"), 0);
	test_instance_end(test, tr);
}

struct seen {
	bool	before;
	bool	during;
	bool	after;
};

static bool section_is_on(const struct trace_array *tr)
{
	return raw_cpu_read(latency_of(tr)->cpu->on);
}

/*
 * What entry code does around an NMI, or on arm64 a breakpoint: without lockdep it does not tell of
 * the end. @count: what it adds to preempt_count()
 */
static void interrupt(const struct trace_array *tr, unsigned int count, struct seen *seen)
{
	bool told = lockdep_hardirqs_enabled();
	unsigned long flags;

	raw_local_irq_save(flags);
	seen->before = section_is_on(tr);
	__preempt_count_add(count);
	ct_nmi_enter();
	trace_hardirqs_off_finish();
	seen->during = section_is_on(tr);
	if (told)
		trace_hardirqs_on_prepare();
	ct_nmi_exit();
	__preempt_count_sub(count);
	seen->after = section_is_on(tr);
	raw_local_irq_restore(flags);
}

/*
 * An NMI, or a trap that is told of as one, is left with the flag put back first, and then
 * preempt_count(), of which nobody is told. It is no section if nobody tells of its end.
 */
static void expect_no_section_left(struct kunit *test, unsigned int count)
{
	static const char *const tracers[] = { "irqsoff", "preemptirqsoff" };
	struct seen seen;

	for (int i = 0; i < ARRAY_SIZE(tracers); i++) {
		struct trace_array *tr = measuring(test, tracers[i]);

		interrupt(tr, count, &seen);
		KUNIT_EXPECT_FALSE_MSG(test, seen.before, "%s", tracers[i]);
		KUNIT_EXPECT_EQ_MSG(test, seen.during, IS_ENABLED(CONFIG_PROVE_LOCKING), "%s",
				    tracers[i]);
		KUNIT_EXPECT_FALSE_MSG(test, seen.after, "%s", tracers[i]);
		latency_exit(test);
		test->priv = NULL;
	}
}

static void test_nmi_ends(struct kunit *test)
{
	expect_no_section_left(test, NMI_OFFSET + HARDIRQ_OFFSET);
}

static void test_breakpoint_ends(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_CONTEXT_TRACKING_IDLE))
		kunit_skip(test, "RCU does not count such traps");
	expect_no_section_left(test, 0);
}

/* Where preemption was off before it goes on being so. */
static void test_nmi_in_section(struct kunit *test)
{
	struct trace_array *tr = measuring(test, "preemptirqsoff");
	struct seen seen;

	preempt_disable();
	interrupt(tr, NMI_OFFSET + HARDIRQ_OFFSET, &seen);
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, seen.before);
	KUNIT_EXPECT_TRUE(test, seen.after);
}

/*
 * The same for an interrupt that comes where preemption is off and no hook says that it goes on: in
 * code that is not to be traced, and behind the hook of preempt_enable().
 */
static void test_irq_in_untraced(struct kunit *test)
{
	struct trace_array *tr = measuring(test, "preemptirqsoff");
	bool during, after;

	preempt_disable_notrace();
	local_irq_disable();
	during = section_is_on(tr);
	local_irq_enable();
	after = section_is_on(tr);
	preempt_enable_notrace();
	KUNIT_EXPECT_TRUE(test, during);
	KUNIT_EXPECT_FALSE(test, after);
}

/* Has sections on a CPU, one after the other, and looks whether they have come to their end. */
struct looker {
	struct test_writer	w;
	struct trace_array	*tr;
	bool			looking;
	unsigned long		looks;
	unsigned long		endless;
};

static void look(struct test_writer *w)
{
	struct looker *l = container_of(w, struct looker, w);
	struct latency_trace *lt;

	if (!READ_ONCE(l->looking)) {
		/* who takes hooks away waits for every task to sleep */
		fsleep(100);
		return;
	}
	guard(preempt)();
	lt = READ_ONCE(l->tr->room[ROOM_LATENCY]);
	local_irq_disable();
	local_irq_enable();
	if (!lt || !READ_ONCE(l->looking))
		return;
	l->looks++;
	l->endless += READ_ONCE(raw_cpu_ptr(lt->cpu)->on);
}

/* Hooks are patched in one by one. No section begins before its end can be told of. */
static void test_begin_whole(struct kunit *test)
{
	struct looker l = { .w.task = look };
	char no_calls[] = "nofunction-trace";
	struct task_struct *task;

	if (!is_built("irqsoff"))
		kunit_skip(test, "there is no tracer irqsoff");
	if (num_online_cpus() < 2)
		kunit_skip(test, "it needs a second CPU");
	l.tr = trace_array_get_by_name(NAME, NULL);
	KUNIT_ASSERT_NOT_NULL(test, l.tr);
	test->priv = l.tr;
	/*
	 * It is about the hooks. With all functions as well ten rounds take minutes where lockdep
	 * is emulated, and whoever started KUnit is told of as hung.
	 */
	KUNIT_ASSERT_EQ(test, trace_set_options(l.tr, no_calls), 0);
	init_completion(&l.w.done);
	task = kthread_run_on_cpu(test_writer_thread, &l.w, cpumask_last(cpu_online_mask),
				  "kunit-latency/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	for (int i = 0; i < 10; i++) {
		WRITE_ONCE(l.looking, true);
		KUNIT_EXPECT_EQ(test, tracing_set_tracer(l.tr, "irqsoff"), 0);
		fsleep(1000);
		WRITE_ONCE(l.looking, false);
		/* who has what is freed has preemption off */
		synchronize_rcu();
		KUNIT_EXPECT_EQ(test, tracing_set_tracer(l.tr, "nop"), 0);
	}
	WRITE_ONCE(l.w.stop, true);
	wait_for_completion(&l.w.done);
	KUNIT_EXPECT_GT(test, l.looks, 0UL);
	KUNIT_EXPECT_EQ(test, l.endless, 0UL);
}

/*
 * What idle does around its sleep, and then local_irq_enable(): there the section ends that began
 * when it woke up, and not in whatever has interrupts off next.
 */
static void test_idle_ends(struct kunit *test)
{
	struct trace_array *tr = measuring(test, "irqsoff");
	bool asleep, awake, after;

	local_irq_disable();
	stop_critical_timings();
	trace_hardirqs_on_prepare();
	asleep = section_is_on(tr);
	start_critical_timings();
	awake = section_is_on(tr);
	trace_hardirqs_on_prepare();
	after = section_is_on(tr);
	local_irq_enable();
	KUNIT_EXPECT_FALSE(test, asleep);
	KUNIT_EXPECT_TRUE(test, awake);
	KUNIT_EXPECT_FALSE(test, after);
}

/*
 * An interrupt where preemption is off and nobody was told, with a softirq, and in that somebody
 * for whom time does not count, as who prints: comes to its end, and not before.
 */
static void test_softirq_in_untraced(struct kunit *test)
{
	struct trace_array *tr = measuring(test, "preemptirqsoff");
	bool during, after;

	preempt_disable_notrace();
	raw_local_irq_disable();
	__preempt_count_add(HARDIRQ_OFFSET);
	trace_hardirqs_off_finish();
	stop_critical_timings();
	start_critical_timings();
	__preempt_count_sub(HARDIRQ_OFFSET);
	__preempt_count_add(SOFTIRQ_OFFSET);
	trace_hardirqs_on_prepare();
	during = section_is_on(tr);
	trace_hardirqs_off_finish();
	__preempt_count_sub(SOFTIRQ_OFFSET);
	trace_hardirqs_on_prepare();
	after = section_is_on(tr);
	raw_local_irq_enable();
	preempt_enable_notrace();
	KUNIT_EXPECT_TRUE(test, during);
	KUNIT_EXPECT_FALSE(test, after);
}

/* Idle that polls has interrupts on. What interrupts it comes to an end. */
static void test_idle_polls(struct kunit *test)
{
	struct trace_array *tr = measuring(test, "preemptirqsoff");
	bool during, after;

	preempt_disable();
	local_irq_disable();
	current->flags |= PF_IDLE;
	stop_critical_timings();
	trace_hardirqs_on_prepare();
	/* an interrupt */
	trace_hardirqs_off_finish();
	during = section_is_on(tr);
	trace_hardirqs_on_prepare();
	after = section_is_on(tr);
	start_critical_timings();
	current->flags &= ~PF_IDLE;
	local_irq_enable();
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, during);
	KUNIT_EXPECT_FALSE(test, after);
}

/* The same for who asks about preemption alone: nobody would tell of an end. */
static void test_print_in_untraced(struct kunit *test)
{
	struct trace_array *tr = measuring(test, "preemptoff");
	bool told, after;

	preempt_disable_notrace();
	stop_critical_timings();
	start_critical_timings();
	after = section_is_on(tr);
	preempt_enable_notrace();
	preempt_disable();
	stop_critical_timings();
	start_critical_timings();
	told = section_is_on(tr);
	preempt_enable();
	KUNIT_EXPECT_FALSE(test, after);
	KUNIT_EXPECT_TRUE(test, told);
}

static unsigned long recorded(const struct trace_array *tr, int cpu)
{
	return ring_buffer_entries_cpu(tr->array_buffer.buffer, cpu) +
	       ring_buffer_overrun_cpu(tr->array_buffer.buffer, cpu);
}

/* What is recorded where a section ends, which is worse than one of @max ns, or is not. */
static unsigned long records_of_end(struct trace_array *tr, unsigned long max)
{
	unsigned long before, after;
	int cpu;

	WRITE_ONCE(tr->max_latency, max);
	local_irq_disable();
	cpu = smp_processor_id();
	udelay(2);
	before = recorded(tr, cpu);
	trace_hardirqs_on_prepare();
	after = recorded(tr, cpu);
	local_irq_enable();
	return after - before;
}

/* While a worst case cannot be kept nothing is done for it: no stack, no lock that others want. */
static void test_not_now(struct kunit *test)
{
	unsigned long usual, worse;
	struct trace_array *tr;

	if (IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "the clock stands while interrupts are off");
	tr = measuring(test, "irqsoff");
	KUNIT_EXPECT_NOT_NULL(test, trace_buffers_lock(tr));
	usual = records_of_end(tr, LONG_MAX);
	worse = records_of_end(tr, 0);
	trace_buffers_unlock(tr);
	KUNIT_EXPECT_GT(test, usual, 0UL);
	KUNIT_EXPECT_EQ(test, worse, usual);
}

static int run_once(void *unused)
{
	return 0;
}

/* As if @task was woken up where the clock is @ahead ns ahead, and nobody mattered more. */
static bool woken_elsewhere(struct latency_trace *lt, struct task_struct *task, u64 ahead)
{
	unsigned long flags;
	int cpu;

	if (!latency_lock(lt, &flags, true))
		return false;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(lt->cpu, cpu)->start = trace_local_clock() + ahead;
	lt->task_cpu = task_cpu(task);
	lt->pid = task->pid;
	lt->deadline = true;
	WRITE_ONCE(lt->prio, -1);
	WRITE_ONCE(lt->task, task);
	latency_unlock(lt, flags);
	return true;
}

/* Who runs before it was woken up, as clocks go, did not wait for hundreds of years. */
static void test_clock_ahead(struct kunit *test)
{
	struct trace_array *tr = measuring(test, "wakeup_rt");
	struct latency_trace *lt = latency_of(tr);
	struct task_struct *task;

	task = kthread_create(run_once, NULL, "kunit-latency");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	/* it sleeps behind this, and so has to be switched to */
	kthread_bind(task, cpumask_first(cpu_online_mask));
	KUNIT_EXPECT_TRUE(test, woken_elsewhere(lt, task, 3600 * (u64)NSEC_PER_SEC));
	wake_up_process(task);
	kthread_stop_put(task);
	KUNIT_EXPECT_PTR_NE(test, READ_ONCE(lt->task), task);
	KUNIT_EXPECT_LT(test, READ_ONCE(tr->max_latency), 3600 * NSEC_PER_SEC);
}

/*
 * Somebody keeps a worst case until @ms after another has come who found one, or until that one has
 * passed by. Delays are counted, for a clock that is not stable stands where no tick comes.
 */
struct keeper {
	struct latency_trace	*lt;
	int			ms;
	bool			keeps;
	bool			comes;
	bool			passed;
	bool			first;
	struct completion	done;
};

static int keep_long(void *data)
{
	struct keeper *k = data;
	unsigned long flags;
	int us;

	/* nobody is told: it is no section */
	raw_local_irq_save(flags);
	arch_spin_lock(&k->lt->lock);
	WRITE_ONCE(k->keeps, true);
	for (us = 0; !READ_ONCE(k->comes) && us < 10 * USEC_PER_SEC; us += 5)
		udelay(5);
	for (us = 0; !READ_ONCE(k->passed) && us < k->ms * USEC_PER_MSEC; us += 5)
		udelay(5);
	k->first = !READ_ONCE(k->passed);
	arch_spin_unlock(&k->lt->lock);
	raw_local_irq_restore(flags);
	complete(&k->done);
	return 0;
}

/*
 * A section of @us by udelay(), and of @took ns at least by the tracer's clock, which is calibrated
 * in another way, ends here while another CPU keeps one for @ms. Return: that one was kept first.
 */
static bool section_meets_keeper(struct kunit *test, struct trace_array *tr, int ms, int us,
				 u64 *took)
{
	struct keeper k = { .lt = latency_of(tr), .ms = ms };
	struct task_struct *task;
	u64 start;

	init_completion(&k.done);
	/* no interrupt here waits for the keeper, who waits for us */
	WRITE_ONCE(tr->max_latency, ULONG_MAX);
	migrate_disable();
	task = kthread_run_on_cpu(keep_long, &k,
				  cpumask_any_but(cpu_online_mask, smp_processor_id()),
				  "kunit-latency/%u");
	if (!IS_ERR(task)) {
		while (!READ_ONCE(k.keeps))
			cpu_relax();
		local_irq_disable();
		start = trace_local_clock();
		udelay(us);
		*took = trace_local_clock() - start;
		WRITE_ONCE(tr->max_latency, 0);
		WRITE_ONCE(k.comes, true);
		local_irq_enable();
		WRITE_ONCE(k.passed, true);
		wait_for_completion(&k.done);
	}
	migrate_enable();
	KUNIT_EXPECT_FALSE(test, IS_ERR(task));
	return k.first;
}

/*
 * With a threshold the next one will do as well: CPUs that wait for each other, with interrupts
 * off, make the next section as long. Without, the longest must not be lost.
 */
static void test_waits_for_worst_only(struct kunit *test)
{
	struct trace_array *tr = measuring(test, "irqsoff");
	unsigned long thresh = tracing_thresh;
	u64 took = U64_MAX;
	bool waited;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	WRITE_ONCE(tracing_thresh, NSEC_PER_USEC);
	waited = section_meets_keeper(test, tr, 2000, 100, &took);
	WRITE_ONCE(tracing_thresh, 0);
	KUNIT_EXPECT_FALSE(test, waited);

	/* emulated CPUs take turns, of a tenth of a second */
	waited = section_meets_keeper(test, tr, 500, 5000, &took);
	WRITE_ONCE(tracing_thresh, thresh);
	KUNIT_EXPECT_TRUE(test, waited);
	KUNIT_EXPECT_GE(test, READ_ONCE(tr->max_latency), took);
}

static struct kunit_case latency_cases[] = {
	KUNIT_CASE(test_nmi_ends),
	KUNIT_CASE(test_breakpoint_ends),
	KUNIT_CASE(test_nmi_in_section),
	KUNIT_CASE(test_irq_in_untraced),
	KUNIT_CASE(test_begin_whole),
	KUNIT_CASE(test_idle_ends),
	KUNIT_CASE(test_idle_polls),
	KUNIT_CASE(test_softirq_in_untraced),
	KUNIT_CASE(test_print_in_untraced),
	KUNIT_CASE(test_not_now),
	KUNIT_CASE(test_clock_ahead),
	KUNIT_CASE(test_waits_for_worst_only),
	{}
};

TRACE_KUNIT_SUITE("trace_latency", latency_cases, .exit = latency_exit);
