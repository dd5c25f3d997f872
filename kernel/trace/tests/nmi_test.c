// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: trace_printk() in all its forms from NMIs that come while the same CPU
 * records, so that they hit every part of a write now and then.
 *
 * A thread on one CPU records all the time. The test, on another, sends NMIs
 * there and reads the buffer. In the end each record that a caller was told of
 * was read or is counted as overwritten, and their times never went back. Then the
 * same with snapshots, taken by the task and by the NMIs, in each other's midst.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/nmi.h>
#include <linux/ring_buffer.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "../instance/instance.h"
#include "../instance/flags.h"
#include "../record/entries.h"
#include "../snapshot/snapshot.h"
#include "nmi.h"
#include "suite.h"

#define NMI_INSTANCE	"kunit-nmi"
#define NMI_SECONDS	2

static struct nmi_load {
	struct trace_array	*tr;
	int			cpu;
	bool			stop;
	bool			snapshots;	/* NMIs and the task take them */
	struct completion	done;
	/* written by the CPU only, task and NMI apart */
	unsigned long		told[2];	/* how many the callers were told of */
	unsigned long		tried[2];
	/* of the reader */
	atomic_t		pending;
	unsigned long		read;
	u64			ts;
	unsigned long		backwards, garbled;
} nmi_load;

/* One record, of a form that @n chooses. */
static void nmi_record(struct nmi_load *load, bool nmi, unsigned long n)
{
	static const char words[] = "a text that is not long\n";
	int ret;

	switch (n % 4) {
	case 0:
		ret = __trace_bprintk(_THIS_IP_, "%lu %d %s\n", n, nmi, "words");
		break;
	case 1:
		ret = __trace_bputs(_THIS_IP_, words);
		break;
	case 2:
		ret = __trace_puts(_THIS_IP_, words, sizeof(words) - 1);
		break;
	default:
		ret = trace_array_printk(load->tr, _THIS_IP_, "%s %lu\n", words, n);
		break;
	}
	load->tried[nmi]++;
	load->told[nmi] += ret > 0;
#ifdef CONFIG_TRACER_SNAPSHOT
	/* so that an NMI comes into a snapshot, too */
	if (load->snapshots && (nmi || n % 16 == 0))
		snapshot_take(load->tr);
#endif
}

static int nmi_handle(unsigned int type, struct pt_regs *regs)
{
	struct nmi_load *load = &nmi_load;

	if (raw_smp_processor_id() != load->cpu || !test_nmi_came(&load->pending))
		return NMI_DONE;
	nmi_record(load, true, load->tried[true]);
	return NMI_HANDLED;
}

static int nmi_writer(void *arg)
{
	struct nmi_load *load = arg;

	while (!READ_ONCE(load->stop)) {
		nmi_record(load, false, load->tried[false]);
		cond_resched();
	}
	complete(&load->done);
	return 0;
}

static void nmi_read_buffer(struct nmi_load *load, struct trace_buffer *buffer)
{
	struct ring_buffer_event *event;
	struct trace_entry *entry;
	unsigned long lost;
	u64 ts;
	int i;

	for (i = 0; i < 1000; i++) {
		event = ring_buffer_consume(buffer, load->cpu, &ts, &lost);
		if (!event)
			return;
		load->read++;
		/* snapshots exchange which buffer has the older ones */
		load->backwards += ts < load->ts && !load->snapshots;
		load->ts = ts;
		entry = ring_buffer_event_data(event);
		load->garbled += entry->type != TRACE_BPRINT && entry->type != TRACE_BPUTS &&
				 entry->type != TRACE_PRINT;
	}
}

static void nmi_read(struct nmi_load *load)
{
	struct array_buffer *spare = trace_spare_get(load->tr);

	nmi_read_buffer(load, load->tr->array_buffer.buffer);
	if (spare)
		nmi_read_buffer(load, spare->buffer);
	trace_spare_put(spare);
}

/* Overwritten in any of the buffers. */
static unsigned long nmi_overwritten(struct nmi_load *load)
{
	struct array_buffer *spare = trace_spare_get(load->tr);
	unsigned long nr = ring_buffer_overrun_cpu(load->tr->array_buffer.buffer, load->cpu);

	if (spare)
		nr += ring_buffer_overrun_cpu(spare->buffer, load->cpu);
	trace_spare_put(spare);
	return nr;
}

static void nmi_load_run(struct kunit *test, struct nmi_load *load)
{
	unsigned long end = jiffies + NMI_SECONDS * HZ;
	struct task_struct *task;

	task = kthread_create(nmi_writer, load, "kunit-nmi");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	kthread_bind(task, load->cpu);
	wake_up_process(task);

	while (time_before(jiffies, end)) {
		test_nmi_send(&load->pending, load->cpu);
		nmi_read(load);
		usleep_range(20, 40);
	}
	WRITE_ONCE(load->stop, true);
	wait_for_completion(&load->done);
	/* the last NMI is on its way at most */
	msleep(20);
}

static void nmi_test(struct kunit *test, bool snapshots)
{
	struct nmi_load *load = &nmi_load;
	char here[] = "trace_printk_dest", back[] = "trace_printk_dest";
	unsigned long read;

	memset(load, 0, sizeof(*load));
	init_completion(&load->done);
	load->cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (load->cpu >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current,
						      cpumask_of(raw_smp_processor_id())));

	load->tr = trace_array_get_by_name(NMI_INSTANCE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, load->tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_init_printk(load->tr));
	KUNIT_EXPECT_EQ(test, 0, trace_set_options(load->tr, here));
#ifdef CONFIG_TRACER_SNAPSHOT
	load->snapshots = snapshots;
	if (snapshots)
		KUNIT_ASSERT_EQ(test, 0, snapshot_get(load->tr));
#endif
	KUNIT_ASSERT_EQ(test, 0, register_nmi_handler(NMI_LOCAL, nmi_handle, 0, "kunit-nmi"));

	nmi_load_run(test, load);

	unregister_nmi_handler(NMI_LOCAL, "kunit-nmi");
	KUNIT_EXPECT_EQ(test, 0, trace_set_options(&global_trace, back));
	/* a snapshot that is late may still come, and does no harm */
	do {
		read = load->read;
		nmi_read(load);
		nmi_read(load);
	} while (load->read != read);

	kunit_info(test, "%lu from the task, %lu from NMIs, %lu read", load->told[false],
		   load->told[true], load->read);
	KUNIT_EXPECT_GT(test, load->told[false], 1000);
	KUNIT_EXPECT_GT(test, load->told[true], 100);
	KUNIT_EXPECT_EQ(test, load->tried[false], load->told[false]);
	KUNIT_EXPECT_EQ(test, load->tried[true], load->told[true]);
	KUNIT_EXPECT_EQ(test, load->told[false] + load->told[true], load->read +
			nmi_overwritten(load));
	KUNIT_EXPECT_EQ(test, 0, load->backwards);
	KUNIT_EXPECT_EQ(test, 0, load->garbled);
#ifdef CONFIG_TRACER_SNAPSHOT
	KUNIT_EXPECT_TRUE(test, tracer_tracing_is_on(load->tr));
	if (snapshots)
		snapshot_put(load->tr);
#endif

	trace_array_put(load->tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(load->tr));
}

static void test_printk_from_nmi(struct kunit *test)
{
	nmi_test(test, false);
}

#ifdef CONFIG_TRACER_SNAPSHOT
static void test_snapshot_from_nmi(struct kunit *test)
{
	nmi_test(test, true);
}
#endif

static struct kunit_case nmi_cases[] = {
	KUNIT_CASE_SLOW(test_printk_from_nmi),
#ifdef CONFIG_TRACER_SNAPSHOT
	KUNIT_CASE_SLOW(test_snapshot_from_nmi),
#endif
	{}
};

TRACE_KUNIT_SUITE("trace_nmi", nmi_cases);
