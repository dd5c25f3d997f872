// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of snapshots: who keeps the spare buffer, what is late, conditions; and the
 * law of conservation over both buffers, with the instance under all the load there is.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/nmi.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "../record/entries.h"
#include "../ring_buffer/internal.h"
#include "../tests/instance.h"
#ifdef CONFIG_TRACE_NMI_KUNIT_TEST
#include "../tests/nmi.h"
#endif
#include "../tests/suite.h"
#include "../tests/writer.h"
#include "internal.h"

#define NAME	"kunit-snapshot"
#define TEXT	"a record\n"

static struct trace_array *make(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	return tr;
}

static bool has_spare(struct trace_array *tr)
{
	return rcu_access_pointer(tr->spare);
}

static unsigned long in_main(struct trace_array *tr)
{
	return ring_buffer_entries(tr->array_buffer.buffer);
}

static unsigned long in_spare(struct trace_array *tr)
{
	struct array_buffer *spare = trace_spare_get(tr);
	unsigned long nr = spare ? ring_buffer_entries(spare->buffer) : 0;

	trace_spare_put(spare);
	return nr;
}

static void record(struct trace_array *tr, int nr)
{
	while (nr--)
		__trace_array_puts(tr, _THIS_IP_, TEXT, sizeof(TEXT) - 1);
}

static int want(struct trace_array *tr)
{
	guard(mutex)(&tr->spare_lock);
	return snapshot_want(tr);
}

static void unwant(struct trace_array *tr)
{
	guard(mutex)(&tr->spare_lock);
	snapshot_unwant(tr);
}

static int keep(struct trace_array *tr, u64 since)
{
	guard(preempt_notrace)();
	return snapshot_keep(tr, RING_BUFFER_ALL_CPUS, since, 0);
}

static bool never(struct trace_array *tr, void *cond_data)
{
	return false;
}

/* A tracer has the spare for itself, whatever users had in it or want of it. */
static void test_claim(struct kunit *test)
{
	struct trace_array *tr = make(test);
	u64 since;

	KUNIT_ASSERT_EQ(test, 0, want(tr));
	record(tr, 2);
	snapshot_take(tr);
	KUNIT_ASSERT_EQ(test, 0, snapshot_claim(tr));
	KUNIT_EXPECT_EQ(test, 0, in_spare(tr));
	KUNIT_EXPECT_EQ(test, -EBUSY, snapshot_claim(tr));
	KUNIT_EXPECT_EQ(test, -EBUSY, tracing_snapshot_cond_enable(tr, NULL, never));

	/* Others get two lines that say so, and recording goes on. */
	record(tr, 3);
	snapshot_take(tr);
	KUNIT_EXPECT_EQ(test, 5, in_main(tr));
	KUNIT_EXPECT_EQ(test, 0, in_spare(tr));
	KUNIT_EXPECT_TRUE(test, tracer_tracing_is_on(tr));

	/* What is kept takes the place of what was there. */
	since = ring_buffer_time_stamp(tr->array_buffer.buffer);
	KUNIT_EXPECT_EQ(test, 0, keep(tr, since));
	KUNIT_EXPECT_EQ(test, 5, in_spare(tr));
	KUNIT_EXPECT_EQ(test, 0, in_main(tr));
	scoped_guard(mutex, &tr->spare_lock)
		KUNIT_EXPECT_EQ(test, since, trace_spare_locked(tr)->time_start);
	record(tr, 1);
	KUNIT_EXPECT_EQ(test, 0, keep(tr, since));
	KUNIT_EXPECT_EQ(test, 1, in_spare(tr));

	/* Not while sizes change. */
	trace_buffers_lock(tr);
	KUNIT_EXPECT_EQ(test, -EBUSY, keep(tr, since));
	trace_buffers_unlock(tr);
	KUNIT_EXPECT_EQ(test, 1, in_spare(tr));

	/* The user's comes back, with nothing in it, and shows all that is put there. */
	snapshot_unclaim(tr);
	KUNIT_EXPECT_TRUE(test, has_spare(tr));
	KUNIT_EXPECT_EQ(test, 0, in_spare(tr));
	scoped_guard(mutex, &tr->spare_lock)
		KUNIT_EXPECT_EQ(test, 0, trace_spare_locked(tr)->time_start);
	unwant(tr);
	KUNIT_EXPECT_FALSE(test, has_spare(tr));

	/* And goes with the tracer if nobody else wants it; but not if there is a condition. */
	KUNIT_ASSERT_EQ(test, 0, snapshot_claim(tr));
	snapshot_unclaim(tr);
	KUNIT_EXPECT_FALSE(test, has_spare(tr));
	KUNIT_ASSERT_EQ(test, 0, tracing_snapshot_cond_enable(tr, NULL, never));
	KUNIT_EXPECT_EQ(test, -EBUSY, snapshot_claim(tr));
	KUNIT_EXPECT_EQ(test, 0, tracing_snapshot_cond_disable(tr));
	test_instance_end(test, tr);
}

static void test_holders(struct kunit *test)
{
	struct trace_array *tr = make(test);

	KUNIT_EXPECT_FALSE(test, has_spare(tr));
	KUNIT_ASSERT_EQ(test, 0, snapshot_get(tr));
	KUNIT_ASSERT_EQ(test, 0, snapshot_get(tr));
	KUNIT_EXPECT_TRUE(test, has_spare(tr));
	snapshot_put(tr);
	KUNIT_EXPECT_TRUE(test, has_spare(tr));
	snapshot_put(tr);
	KUNIT_EXPECT_FALSE(test, has_spare(tr));

	/* What was taken stays until a user is done with it. */
	record(tr, 3);
	KUNIT_ASSERT_EQ(test, 0, snapshot_get(tr));
	snapshot_take(tr);
	KUNIT_EXPECT_EQ(test, 3, in_spare(tr));
	KUNIT_EXPECT_EQ(test, 0, in_main(tr));
	snapshot_put(tr);
	KUNIT_EXPECT_EQ(test, 3, in_spare(tr));
	unwant(tr);
	KUNIT_EXPECT_FALSE(test, has_spare(tr));

	/* A user's goes when he says so, unless somebody holds it: then what is in it goes. */
	KUNIT_ASSERT_EQ(test, 0, want(tr));
	KUNIT_EXPECT_TRUE(test, has_spare(tr));
	KUNIT_ASSERT_EQ(test, 0, snapshot_get(tr));
	record(tr, 2);
	snapshot_take(tr);
	unwant(tr);
	KUNIT_EXPECT_TRUE(test, has_spare(tr));
	KUNIT_EXPECT_EQ(test, 0, in_spare(tr));
	snapshot_put(tr);
	KUNIT_EXPECT_FALSE(test, has_spare(tr));

	/* With none recording stops and says why. */
	KUNIT_EXPECT_TRUE(test, tracer_tracing_is_on(tr));
	KUNIT_EXPECT_EQ(test, 0, in_main(tr));
	snapshot_take(tr);
	KUNIT_EXPECT_FALSE(test, tracer_tracing_is_on(tr));
	KUNIT_EXPECT_EQ(test, 2, in_main(tr));
	test_instance_end(test, tr);
}

static int take_now(struct trace_array *tr)
{
	guard(mutex)(&tr->spare_lock);
	return snapshot_take_now(tr, RING_BUFFER_ALL_CPUS);
}

/* What somebody has mapped is not swapped away; and who has to be able to swap it keeps him out. */
static void test_mapped(struct kunit *test)
{
	struct trace_array *tr = make(test);
	struct trace_snapshot *s = snapshot_of(tr);

	KUNIT_ASSERT_EQ(test, 0, snapshot_get(tr));
	KUNIT_EXPECT_EQ(test, -EBUSY, trace_array_map(tr));
	snapshot_put(tr);
	KUNIT_ASSERT_EQ(test, 0, trace_array_map(tr));
	KUNIT_EXPECT_EQ(test, 0, trace_array_map(tr));
	trace_array_unmap(tr);
	KUNIT_EXPECT_EQ(test, -EBUSY, snapshot_get(tr));
	KUNIT_EXPECT_EQ(test, -EBUSY, snapshot_claim(tr));
	KUNIT_EXPECT_FALSE(test, has_spare(tr));

	/* There may be a spare. Who wants a snapshot gets two lines, and recording goes on. */
	KUNIT_ASSERT_EQ(test, 0, want(tr));
	record(tr, 3);
	snapshot_take(tr);
	KUNIT_EXPECT_EQ(test, 5, in_main(tr));
	KUNIT_EXPECT_EQ(test, 0, in_spare(tr));
	KUNIT_EXPECT_TRUE(test, tracer_tracing_is_on(tr));
	/* As does one who was late, of whom nobody knows any more when it was. */
	WRITE_ONCE(s->late, true);
	schedule_work(&s->work);
	flush_work(&s->work);
	KUNIT_EXPECT_EQ(test, 7, in_main(tr));
	KUNIT_EXPECT_FALSE(test, s->late);

	trace_array_unmap(tr);
	KUNIT_EXPECT_EQ(test, 0, take_now(tr));
	KUNIT_EXPECT_EQ(test, 0, in_main(tr));
	KUNIT_EXPECT_EQ(test, 7, in_spare(tr));
	unwant(tr);
	KUNIT_EXPECT_FALSE(test, has_spare(tr));
	test_instance_end(test, tr);
}

/* Both buffers are in other hands: it is taken when they are back. */
static void test_late(struct kunit *test)
{
	struct trace_array *tr = make(test);
	unsigned long flags;
	int i;

	KUNIT_ASSERT_EQ(test, 0, snapshot_get(tr));
	record(tr, 5);
	KUNIT_EXPECT_NOT_NULL(test, trace_buffers_lock(tr));
	snapshot_take(tr);
	snapshot_take(tr);
	record(tr, 1);
	KUNIT_EXPECT_EQ(test, 6, in_main(tr));
	KUNIT_EXPECT_EQ(test, 0, in_spare(tr));
	trace_buffers_unlock(tr);
	for (i = 0; i < 500 && in_main(tr); i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, 0, in_main(tr));
	KUNIT_EXPECT_EQ(test, 6, in_spare(tr));

	/* So is one in the middle of the lock, for a trigger on what that tells. */
	snapshot_lock(snapshot_of(tr), &flags);
	snapshot_take(tr);
	snapshot_unlock(snapshot_of(tr), &flags);
	for (i = 0; i < 500 && !in_main(tr); i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, 6, in_main(tr));
	snapshot_take(tr);
	KUNIT_EXPECT_EQ(test, 0, in_main(tr));
	KUNIT_EXPECT_EQ(test, 6, in_spare(tr));

	/* The sizes differ, as when memory failed: it is seen to. */
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(tr->array_buffer.buffer, 5000000,
						    RING_BUFFER_ALL_CPUS));
	record(tr, 2);
	snapshot_take(tr);
	for (i = 0; i < 500 && in_main(tr) != 6; i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, 6, in_main(tr));
	KUNIT_EXPECT_EQ(test, 2, in_spare(tr));
	KUNIT_EXPECT_TRUE(test, tracer_tracing_is_on(tr));
	unwant(tr);
	snapshot_put(tr);
	test_instance_end(test, tr);
}

/* Who asked goes before the work runs: what is late is still taken, unless a user wants nothing. */
static void test_late_and_let_go(struct kunit *test)
{
	struct trace_array *tr = make(test);
	struct trace_snapshot *s = snapshot_of(tr);

	for (int dropped = 0; dropped < 2; dropped++) {
		KUNIT_ASSERT_EQ(test, 0, snapshot_get(tr));
		record(tr, 5);
		WRITE_ONCE(s->late, true);
		if (dropped)
			unwant(tr);
		snapshot_put(tr);
		KUNIT_EXPECT_EQ(test, !dropped, has_spare(tr));
		schedule_work(&s->work);
		flush_work(&s->work);
		KUNIT_EXPECT_TRUE(test, tracer_tracing_is_on(tr));
		KUNIT_EXPECT_EQ(test, dropped ? 5 : 0, in_main(tr));
		KUNIT_EXPECT_EQ(test, dropped ? 0 : 5, in_spare(tr));
		unwant(tr);
		KUNIT_EXPECT_FALSE(test, has_spare(tr));
	}

	/* a tracer that decides what is in the spare was not asked */
	KUNIT_ASSERT_EQ(test, 0, snapshot_get(tr));
	WRITE_ONCE(s->late, true);
	KUNIT_ASSERT_EQ(test, 0, snapshot_claim(tr));
	snapshot_unclaim(tr);
	snapshot_put(tr);
	KUNIT_EXPECT_FALSE(test, has_spare(tr));
	test_instance_end(test, tr);
}

/* What the kernel at large calls, for the top instance, which is left with what it had. */
static void test_top_instance(struct kunit *test)
{
	struct trace_array *tr = &global_trace;
	unsigned long nr;

	/* nobody uses it yet */
	KUNIT_ASSERT_FALSE(test, has_spare(tr));
	KUNIT_ASSERT_TRUE(test, tracer_tracing_is_on(tr));

	/* without a spare recording stops, and says why */
	nr = in_main(tr) + ring_buffer_overruns(tr->array_buffer.buffer);
	record(tr, 1);
	tracing_snapshot();
	KUNIT_EXPECT_FALSE(test, tracer_tracing_is_on(tr));
	KUNIT_EXPECT_FALSE(test, has_spare(tr));
	KUNIT_EXPECT_GE(test, in_main(tr) + ring_buffer_overruns(tr->array_buffer.buffer), nr + 3);
	tracer_tracing_on(tr);

	/* the spare stays until a user writes 0, however often it was asked for */
	KUNIT_ASSERT_EQ(test, 0, tracing_alloc_snapshot());
	KUNIT_EXPECT_EQ(test, 0, tracing_alloc_snapshot());
	KUNIT_EXPECT_EQ(test, 0, in_spare(tr));
	KUNIT_ASSERT_EQ(test, 0, snapshot_get(tr));
	snapshot_put(tr);
	KUNIT_EXPECT_TRUE(test, has_spare(tr));
	record(tr, 1);
	nr = in_main(tr);
	tracing_snapshot();
	KUNIT_EXPECT_GE(test, in_spare(tr), nr);
	KUNIT_EXPECT_LT(test, in_main(tr), nr);
	KUNIT_EXPECT_TRUE(test, tracer_tracing_is_on(tr));
	/* back to where it was */
	tracing_snapshot();
	KUNIT_EXPECT_GE(test, in_main(tr), nr);
	KUNIT_EXPECT_LT(test, in_spare(tr), nr);
	unwant(tr);
	KUNIT_EXPECT_FALSE(test, has_spare(tr));

	/* both in one */
	record(tr, 1);
	nr = in_main(tr);
	tracing_snapshot_alloc();
	KUNIT_EXPECT_TRUE(test, has_spare(tr));
	KUNIT_EXPECT_GE(test, in_spare(tr), nr);
	KUNIT_EXPECT_LT(test, in_main(tr), nr);
	KUNIT_EXPECT_TRUE(test, tracer_tracing_is_on(tr));
	tracing_snapshot();
	KUNIT_EXPECT_GE(test, in_main(tr), nr);
	unwant(tr);
	KUNIT_EXPECT_FALSE(test, has_spare(tr));
}

static int asked, asked_null;

static bool if_even(struct trace_array *tr, void *cond_data)
{
	asked++;
	asked_null += !cond_data;
	return cond_data && !(*(int *)cond_data & 1);
}

static void test_conditions(struct kunit *test)
{
	struct trace_array *tr = make(test);
	int i;

	KUNIT_EXPECT_EQ(test, -EINVAL, tracing_snapshot_cond_disable(tr));
	KUNIT_EXPECT_NULL(test, tracing_cond_snapshot_data(tr));
	KUNIT_ASSERT_EQ(test, 0, tracing_snapshot_cond_enable(tr, &asked, if_even));
	KUNIT_EXPECT_EQ(test, -EBUSY, tracing_snapshot_cond_enable(tr, NULL, if_even));
	KUNIT_EXPECT_PTR_EQ(test, tracing_cond_snapshot_data(tr), &asked);
	KUNIT_EXPECT_TRUE(test, has_spare(tr));

	asked = 0;
	asked_null = 0;
	for (i = 0; i < 4; i++) {
		record(tr, 1);
		tracing_snapshot_cond(tr, &i);
		/* 0: one here, 1: two more, 2: here they are and what was there is back */
		KUNIT_EXPECT_EQ(test, i < 2 ? 1 : 2, in_spare(tr));
	}
	KUNIT_EXPECT_EQ(test, 4, asked);
	/* Another kind of snapshot is a question without data. */
	snapshot_take(tr);
	KUNIT_EXPECT_EQ(test, 5, asked);
	KUNIT_EXPECT_EQ(test, 1, asked_null);
	KUNIT_EXPECT_EQ(test, 2, in_spare(tr));

	/* Who is told yes while the buffers are changed gets it later. */
	record(tr, 1);
	KUNIT_EXPECT_NOT_NULL(test, trace_buffers_lock(tr));
	i = 6;
	tracing_snapshot_cond(tr, &i);
	i = 7;
	tracing_snapshot_cond(tr, &i);
	trace_buffers_unlock(tr);
	for (i = 0; i < 500 && in_main(tr) != 2; i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, 2, in_main(tr));
	KUNIT_EXPECT_EQ(test, 3, in_spare(tr));
	KUNIT_EXPECT_EQ(test, 7, asked);

	KUNIT_EXPECT_EQ(test, 0, tracing_snapshot_cond_disable(tr));
	KUNIT_EXPECT_EQ(test, -EINVAL, tracing_snapshot_cond_disable(tr));
	unwant(tr);
	KUNIT_EXPECT_FALSE(test, has_spare(tr));
	test_instance_end(test, tr);
}

/*
 * Conservation. Writers in tasks, interrupts and, where they can be sent, NMIs on each CPU take
 * numbers; nothing is overwritten, and what does not fit they know of. All of it is read once,
 * from either buffer.
 */
enum writer_context { IN_TASK, IN_IRQ, IN_NMI, WRITER_CONTEXTS };

struct writer {
	struct trace_array	*tr;
	struct test_writer	writes;
	atomic_t		nmi;		/* one is on its way */
	u64			written[WRITER_CONTEXTS], sum[WRITER_CONTEXTS];
};

struct number {
	struct trace_entry	ent;
	u64			nr;
};

static atomic64_t numbers;

static void write_one(struct writer *w, enum writer_context context)
{
	struct trace_buffer *buffer = w->tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct number *entry;

	event = ring_buffer_lock_reserve(buffer, sizeof(*entry));
	if (!event)
		return;
	entry = ring_buffer_event_data(event);
	entry->ent.type = TRACE_PRINT;
	entry->nr = atomic64_inc_return(&numbers);
	w->written[context]++;
	w->sum[context] += entry->nr;
	ring_buffer_unlock_commit(buffer);
}

static u64 write_in_irq(struct test_writer *writes)
{
	struct writer *w = container_of(writes, struct writer, writes);

	write_one(w, IN_IRQ);
	/* snapshots come from interrupts, too */
	if (w->written[IN_IRQ] % 8 == 0)
		snapshot_take(w->tr);
	return 200000;
}

static void write_in_task(struct test_writer *writes)
{
	for (int i = 0; i < 20; i++)
		write_one(container_of(writes, struct writer, writes), IN_TASK);
}

#ifdef CONFIG_TRACE_NMI_KUNIT_TEST
static struct writer *nmi_writers;

static int write_in_nmi(unsigned int type, struct pt_regs *regs)
{
	struct writer *w = &nmi_writers[raw_smp_processor_id()];

	if (!test_nmi_came(&w->nmi))
		return NMI_DONE;
	write_one(w, IN_NMI);
	/* and from NMIs */
	if (w->written[IN_NMI] % 8 == 0)
		snapshot_take(w->tr);
	return NMI_HANDLED;
}

static void nmis_begin(struct kunit *test, struct writer *writers)
{
	nmi_writers = writers;
	KUNIT_ASSERT_EQ(test, 0, register_nmi_handler(NMI_LOCAL, write_in_nmi, 0,
						      "kunit-snapshot"));
}

/* Each that comes has a number to write. */
static void nmi_send(struct writer *w, int cpu)
{
	guard(preempt)();
	if (cpu != smp_processor_id())
		test_nmi_send(&w->nmi, cpu);
}

/* One that was on its way to a CPU that is not there any more does not come. */
static void nmis_end(struct writer *writers)
{
	for (int cpu = 0; cpu < nr_cpu_ids; cpu++) {
		for (int i = 0; i < 500 && atomic_read(&writers[cpu].nmi); i++)
			msleep(20);
	}
	/* waits for who is in it */
	unregister_nmi_handler(NMI_LOCAL, "kunit-snapshot");
}
#else
static void nmis_begin(struct kunit *test, struct writer *writers)
{
}

static void nmi_send(struct writer *w, int cpu)
{
}

static void nmis_end(struct writer *writers)
{
}
#endif

struct reader {
	struct trace_array	*tr;
	struct completion	done;
	bool			stop;
	u64			read, sum;
};

static void read_buffer(struct reader *r, struct trace_buffer *buffer, int nr)
{
	u64 copy[16];
	struct ring_buffer_event *event = (void *)copy;
	struct number *entry;
	int cpu, i;
	u64 ts;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < nr; i++) {
			if (ring_buffer_consume_copy(buffer, cpu, event, sizeof(copy), &ts,
						     NULL) <= 0)
				break;
			entry = ring_buffer_event_data(event);
			r->read++;
			r->sum += entry->nr;
		}
	}
}

static int read_thread(void *data)
{
	struct reader *r = data;
	struct array_buffer *spare;

	while (!READ_ONCE(r->stop)) {
		read_buffer(r, r->tr->array_buffer.buffer, 2000);
		spare = trace_spare_get(r->tr);
		read_buffer(r, spare->buffer, 2000);
		trace_spare_put(spare);
		cond_resched();
	}
	complete(&r->done);
	return 0;
}

/* So many, or as many as there is time for, but no fewer than that a CPU has gone and come. */
#define SWAPS		10000
#define SWAPS_LEAST	1600
#define SWAPS_SECONDS	40

/* The online CPUs in turn. */
static int cpu_by_turn(int turn)
{
	return cpumask_nth(turn % num_online_cpus(), cpu_online_mask);
}

static void test_conservation(struct kunit *test)
{
	bool nmis = IS_ENABLED(CONFIG_TRACE_NMI_KUNIT_TEST) && num_online_cpus() > 1;
	struct trace_array *tr = make(test);
	u64 written[WRITER_CONTEXTS] = { }, all, sum = 0;
	int cpu, i, ret, context, tries, swaps = 0;
	struct array_buffer *spare;
	struct task_struct *task;
	struct writer *writers;
	struct reader r = { .tr = tr };
	char words[] = "nooverwrite";
	unsigned long end;

	KUNIT_ASSERT_EQ(test, 0, trace_set_options(tr, words));
	KUNIT_ASSERT_EQ(test, 0, want(tr));
	writers = kunit_kcalloc(test, nr_cpu_ids, sizeof(*writers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, writers);
	nmis_begin(test, writers);
	for_each_online_cpu(cpu) {
		writers[cpu].tr = tr;
		writers[cpu].writes.task = write_in_task;
		writers[cpu].writes.irq = write_in_irq;
		init_completion(&writers[cpu].writes.done);
		task = kthread_create(test_writer_thread, &writers[cpu].writes, "snap_writer/%d",
				      cpu);
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		set_cpus_allowed_ptr(task, cpumask_of(cpu));
		wake_up_process(task);
	}
	init_completion(&r.done);
	task = kthread_run(read_thread, &r, "snap_reader");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));

	cpu = cpumask_last(cpu_online_mask);
	end = jiffies + SWAPS_SECONDS * HZ;
	for (i = 0; i < SWAPS && (i < SWAPS_LEAST || time_before(jiffies, end)); i++) {
		/* this one is not late, nor is it one with another */
		scoped_guard(mutex, &tr->spare_lock)
			swaps += !snapshot_take_now(tr, i % 2 ? RING_BUFFER_ALL_CPUS :
						    cpu_by_turn(i / 2));
		if (i % 2)
			snapshot_take(tr);
		nmi_send(&writers[cpu_by_turn(i)], cpu_by_turn(i));
		/* larger and larger: what has no room would be given up */
		if (i % 500 == 0) {
			spare = trace_buffers_lock(tr);
			KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(spare->buffer,
								    1500000 + i * 50, -1));
			KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(tr->array_buffer.buffer,
								    1500000 + i * 50, -1));
			trace_buffers_unlock(tr);
		}
		if (IS_ENABLED(CONFIG_HOTPLUG_CPU) && cpu && i % 1000 == 500) {
			ret = cpu_online(cpu) ? remove_cpu(cpu) : add_cpu(cpu);
			KUNIT_EXPECT_EQ_MSG(test, 0, ret, "CPU %d", cpu);
			if (!cpu_online(cpu))
				atomic_set(&writers[cpu].nmi, 0);
		}
		cond_resched();
	}
	tries = i;
	if (!cpu_online(cpu))
		add_cpu(cpu);

	for (i = 0; i < nr_cpu_ids; i++)
		WRITE_ONCE(writers[i].writes.stop, true);
	for (i = 0; i < nr_cpu_ids; i++) {
		if (writers[i].tr)
			wait_for_completion(&writers[i].writes.done);
	}
	nmis_end(writers);
	WRITE_ONCE(r.stop, true);
	wait_for_completion(&r.done);
	/* none that is late may come in between */
	flush_work(&snapshot_of(tr)->work);
	read_buffer(&r, tr->array_buffer.buffer, INT_MAX);
	spare = trace_spare_get(tr);
	read_buffer(&r, spare->buffer, INT_MAX);
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_overruns(spare->buffer));
	KUNIT_EXPECT_EQ(test, 0, ring_buffer_overruns(tr->array_buffer.buffer));
	trace_spare_put(spare);

	for (i = 0; i < nr_cpu_ids; i++) {
		for (context = 0; context < WRITER_CONTEXTS; context++) {
			written[context] += writers[i].written[context];
			sum += writers[i].sum[context];
		}
	}
	all = written[IN_TASK] + written[IN_IRQ] + written[IN_NMI];
	KUNIT_EXPECT_GT(test, all, tries);
	KUNIT_EXPECT_GT(test, written[IN_IRQ], 0);
	if (nmis)
		KUNIT_EXPECT_GT(test, written[IN_NMI], 0);
	KUNIT_EXPECT_EQ(test, all, r.read);
	KUNIT_EXPECT_EQ(test, sum, r.sum);
	KUNIT_EXPECT_EQ(test, tries, swaps);
	KUNIT_EXPECT_TRUE(test, tracer_tracing_is_on(tr));
	kunit_info(test, "%d swaps, %llu written, %llu of them in interrupts, %llu in NMIs, all read",
		   swaps, all, written[IN_IRQ], written[IN_NMI]);
	unwant(tr);
	test_instance_end(test, tr);
}

static struct rb_page *no_page(int cpu, unsigned int order, gfp_t flags)
{
	return NULL;
}

/* A number that somebody else writes. */
struct other_write {
	struct file		*file;
	unsigned long		value;
	int			ret;
	struct completion	done;
};

static int write_number(void *data)
{
	struct other_write *w = data;

	w->ret = snapshot_file_set(w->file, w->value);
	complete(&w->done);
	return 0;
}

/* A condition comes while somebody waits to write to the file: he is refused as if it had been. */
static void test_condition_comes(struct kunit *test)
{
	struct trace_array *tr = make(test);
	struct other_write w = { .file = test_file_of(test, tr) };

	KUNIT_ASSERT_EQ(test, 0, tracing_update_buffers(tr));
	scoped_guard(mutex, &tr->spare_lock)
		KUNIT_ASSERT_EQ(test, 0, snapshot_want(tr));
	for (w.value = 0; w.value < 3; w.value++) {
		struct task_struct *task;

		init_completion(&w.done);
		mutex_lock(&tr->spare_lock);
		task = kthread_run(write_number, &w, "kunit-snapshot");
		if (!IS_ERR(task))
			msleep(50);
		WRITE_ONCE(snapshot_of(tr)->update, never);
		mutex_unlock(&tr->spare_lock);
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		wait_for_completion(&w.done);
		WRITE_ONCE(snapshot_of(tr)->update, NULL);
		KUNIT_EXPECT_EQ_MSG(test, w.ret, -EBUSY, "%lu", w.value);
		KUNIT_EXPECT_TRUE(test, has_spare(tr));
	}
	unwant(tr);
	test_instance_end(test, tr);
}

/* A snapshot is given back though there is no memory for the buffer to get its full size. */
static void test_free_without_memory(struct kunit *test)
{
	struct trace_array *tr = make(test);
	struct file *file = test_file_of(test, tr);

	/* as an instance that was made at boot, with alloc_snapshot=, and not used */
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_resize(tr->array_buffer.buffer, 1,
						    RING_BUFFER_ALL_CPUS));
	WRITE_ONCE(tr->ring_buffer_expanded, false);
	scoped_guard(mutex, &tr->spare_lock)
		KUNIT_ASSERT_EQ(test, 0, snapshot_want(tr));

	kunit_activate_static_stub(test, rb_page_alloc, no_page);
	KUNIT_EXPECT_EQ(test, -ENOMEM, snapshot_file_set(file, 1));
	KUNIT_EXPECT_EQ(test, 0, snapshot_file_set(file, 2));
	KUNIT_EXPECT_TRUE(test, has_spare(tr));
	KUNIT_EXPECT_EQ(test, 0, snapshot_file_set(file, 0));
	KUNIT_EXPECT_FALSE(test, has_spare(tr));
	kunit_deactivate_static_stub(test, rb_page_alloc);
	test_instance_end(test, tr);
}

static struct kunit_case snapshot_cases[] = {
	KUNIT_CASE(test_holders),
	KUNIT_CASE(test_claim),
	KUNIT_CASE(test_mapped),
	KUNIT_CASE(test_late),
	KUNIT_CASE(test_late_and_let_go),
	KUNIT_CASE(test_top_instance),
	KUNIT_CASE(test_conditions),
	KUNIT_CASE(test_condition_comes),
	KUNIT_CASE(test_free_without_memory),
	KUNIT_CASE_SLOW(test_conservation),
	{}
};

TRACE_KUNIT_SUITE("trace_snapshot", snapshot_cases);
