// SPDX-License-Identifier: GPL-2.0-only
/*
 * RING_BUFFER_STARTUP_TEST: for ten seconds of the boot a thread on each CPU writes records of all
 * sizes, interrupts that another CPU sends write in between, and then what is in the buffer is
 * compared with what was written. KUnit tests more, and sooner; this one needs no KUnit.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/ring_buffer.h>
#include <linux/slab.h>
#include <linux/smp.h>

#define TEST_SECONDS	10
#define TEST_MAX	96	/* bytes of a record at the most */

enum test_level {
	TEST_THREAD,
	TEST_IRQ,
	TEST_LEVELS,
};

/* A record: whose, the how manieth, and as many bytes of that as there is room for. */
struct test_record {
	u32	seq;
	u16	len;
	u8	level;
	u8	fill[];
};

/**
 * struct test_cpu - what happened on a CPU
 * @thread: that writes there
 * @tried:	records by level, each with the next number
 * @written:	those that found room
 * @read:	those that were read afterwards
 */
struct test_cpu {
	struct task_struct	*thread;
	u32			tried[TEST_LEVELS];
	unsigned long		written[TEST_LEVELS];
	unsigned long		read[TEST_LEVELS];
};

static struct trace_buffer *test_buffer __initdata;
static struct test_cpu *test_cpus __initdata;

static u8 __init test_byte(u32 seq, unsigned int level)
{
	return seq * 5 + level;
}

static void __init test_write(enum test_level level)
{
	struct test_cpu *t = &test_cpus[raw_smp_processor_id()];
	u32 seq = t->tried[level]++;
	unsigned int fill = seq * 7 % (TEST_MAX - sizeof(struct test_record));
	struct ring_buffer_event *event;
	struct test_record *rec;

	event = ring_buffer_lock_reserve(test_buffer, sizeof(*rec) + fill);
	if (!event)
		return;
	rec = ring_buffer_event_data(event);
	rec->seq = seq;
	rec->len = fill;
	rec->level = level;
	memset(rec->fill, test_byte(seq, level), fill);
	ring_buffer_unlock_commit(test_buffer);
	t->written[level]++;
}

static void __init test_irq(void *unused)
{
	test_write(TEST_IRQ);
}

static int __init test_thread(void *unused)
{
	while (!kthread_should_stop()) {
		for (int i = 0; i < 100; i++) {
			/* the counts are this CPU's */
			preempt_disable();
			test_write(TEST_THREAD);
			preempt_enable();
		}
		usleep_range(50, 100);
	}
	return 0;
}

/* Return: what is wrong with the record, or NULL. */
static const char *__init test_check(struct test_cpu *t, struct ring_buffer_event *event,
				     s64 *last)
{
	const struct test_record *rec = ring_buffer_event_data(event);

	if (rec->level >= TEST_LEVELS)
		return "a record of nobody";
	if (ring_buffer_event_length(event) < sizeof(*rec) + rec->len)
		return "a record that is too short";
	if ((s64)rec->seq <= last[rec->level] || rec->seq >= t->tried[rec->level])
		return "a record out of its order";
	for (int i = 0; i < rec->len; i++) {
		if (rec->fill[i] != test_byte(rec->seq, rec->level))
			return "a record with other bytes";
	}
	last[rec->level] = rec->seq;
	t->read[rec->level]++;
	return NULL;
}

static const char *__init test_read(int cpu)
{
	struct test_cpu *t = &test_cpus[cpu];
	s64 last[TEST_LEVELS] = { -1, -1 };
	struct ring_buffer_event *event;
	unsigned long sum, over = ring_buffer_overrun_cpu(test_buffer, cpu);
	u64 ts, before = 0;

	while ((event = ring_buffer_consume(test_buffer, cpu, &ts, NULL))) {
		const char *bad = test_check(t, event, last);

		if (bad)
			return bad;
		if (ts < before)
			return "a time that goes back";
		before = ts;
	}
	sum = t->read[TEST_THREAD] + t->read[TEST_IRQ];
	pr_info("  CPU %d: %lu and %lu in interrupts written, %lu read, %lu overwritten\n", cpu,
		t->written[TEST_THREAD], t->written[TEST_IRQ], sum, over);
	if (sum + over != t->written[TEST_THREAD] + t->written[TEST_IRQ])
		return "records that are lost";
	if (!t->written[TEST_THREAD] || !t->written[TEST_IRQ])
		return "nothing was written";
	return NULL;
}

static void __init test_run(void)
{
	unsigned long end = jiffies + TEST_SECONDS * HZ;
	int cpu;

	for_each_online_cpu(cpu) {
		struct task_struct *task = kthread_create_on_cpu(test_thread, NULL, cpu,
								 "rbtest/%u");

		if (IS_ERR(task))
			continue;
		test_cpus[cpu].thread = task;
		wake_up_process(task);
	}
	while (time_before(jiffies, end)) {
		on_each_cpu(test_irq, NULL, 1);
		usleep_range(100, 200);
	}
	for_each_online_cpu(cpu) {
		if (test_cpus[cpu].thread)
			kthread_stop(test_cpus[cpu].thread);
	}
}

static int __init ring_buffer_startup_test(void)
{
	const char *bad = NULL;
	int cpu;

	test_buffer = ring_buffer_alloc(256 * 1024, RB_FL_OVERWRITE);
	test_cpus = kcalloc(nr_cpu_ids, sizeof(*test_cpus), GFP_KERNEL);
	if (!test_buffer || !test_cpus) {
		pr_warn("Testing ring buffer: no memory\n");
		goto out;
	}
	pr_info("Testing ring buffer for %d seconds:\n", TEST_SECONDS);
	cpus_read_lock();
	test_run();
	for_each_online_cpu(cpu)
		bad = bad ?: test_read(cpu);
	cpus_read_unlock();
	if (bad)
		WARN(1, "Testing ring buffer: FAILED: %s\n", bad);
	else
		pr_info("Testing ring buffer: PASSED\n");
out:
	kfree(test_cpus);
	if (test_buffer)
		ring_buffer_free(test_buffer);
	return 0;
}
late_initcall(ring_buffer_startup_test);
