// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: trace_printk() in all its forms, and trace events, from NMIs that come while the same
 * CPU records, so that they hit every part of a write now and then.
 *
 * A thread on one CPU records all the time. The test, on another, sends NMIs
 * there and reads the buffer. In the end each record that a caller was told of
 * was read or is counted as overwritten, and their times never went back. Then the
 * same with snapshots, taken by the task and by the NMIs, in each other's midst; and with an event
 * that is written into its slot, one that a filter sees on the stack or in a scratch of the CPU
 * before, and one that two instances have.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/nmi.h>
#include <linux/ring_buffer.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/trace.h>

#include <trace/events/printk.h>
#include <trace/events/sched.h>

#include "../events/events.h"
#include "../instance/instance.h"
#include "../instance/flags.h"
#include "../record/entries.h"
#include "../snapshot/snapshot.h"
#include "filter.h"
#include "instance.h"
#include "nmi.h"
#include "suite.h"

#define NMI_INSTANCE	"kunit-nmi"
#define NMI_SECONDS	2
#define NMI_MORE_SECONDS	30	/* for a slow kernel to have as many records as these */
#define NMI_TASK_ENOUGH	1000UL
#define NMI_ENOUGH	100UL
#define NMI_TASK	"kunit-nmi"

/* Longer than what is built on the stack. */
#define NMI_TEXT	NMI_TASK " writes a text that is so long that a record with it has no " \
			"room on the stack, where shorter ones are until their filter is asked"

enum nmi_kind {
	NMI_PRINTK,
	NMI_SNAPSHOT,		/* the same, and NMIs and the task take them */
	NMI_EVENT,
	NMI_EVENT_FILTER,	/* every other one is rejected */
	NMI_EVENT_LONG,		/* the same, and the record is long */
	NMI_EVENT_SHARED,	/* on in two instances */
};

static struct nmi_load {
	enum nmi_kind		kind;
	struct trace_array	*tr, *second;
	struct task_struct	*task;
	int			type;		/* of the event */
	int			cpu;
	bool			stop;
	struct completion	done;
	/* written by the CPU only, task and NMI apart */
	unsigned long		told[2];	/* how many the callers were told of */
	unsigned long		tried[2];
	/* of the reader */
	atomic_t		pending;
	struct nmi_read {
		unsigned long	records, foreign;
		u64		ts;
	} read, read_second;
	unsigned long		backwards, garbled;
} nmi_load;

/* What the events have in their records, behind the entry. */
struct nmi_stop {
	char	comm[TASK_COMM_LEN];
	pid_t	pid;
};

struct nmi_console {
	u32	loc;
	char	text[];
};

/* One event, and with a filter one more that it rejects. Others stop other threads, if at all. */
static void nmi_event(struct nmi_load *load, bool nmi)
{
	switch (load->kind) {
	case NMI_EVENT_LONG:
		trace_console(NMI_TEXT, sizeof(NMI_TEXT) - 1);
		trace_console(NMI_TEXT + 1, sizeof(NMI_TEXT) - 2);
		break;
	case NMI_EVENT_FILTER:
		trace_sched_kthread_stop(load->task);
		trace_sched_kthread_stop(&init_task);
		break;
	default:
		trace_sched_kthread_stop(load->task);
		break;
	}
	load->tried[nmi]++;
	load->told[nmi]++;	/* nobody says so, hence it has to be recorded */
}

/* One record, of a form that @n chooses. */
static void nmi_record(struct nmi_load *load, bool nmi, unsigned long n)
{
	static const char words[] = "a text that is not long\n";
	int ret;

	if (load->kind >= NMI_EVENT)
		return nmi_event(load, nmi);
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
	if (load->kind == NMI_SNAPSHOT && (nmi || n % 16 == 0))
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

/* Is it whole? */
static bool nmi_is_ours(struct nmi_load *load, const struct trace_entry *entry)
{
	const void *fields = entry + 1;
	const struct nmi_stop *stop = fields;
	const struct nmi_console *console = fields;

	if (load->kind < NMI_EVENT)
		return entry->type == TRACE_BPRINT || entry->type == TRACE_BPUTS ||
		       entry->type == TRACE_PRINT;
	if (entry->type != load->type)
		return false;
	if (load->kind == NMI_EVENT_LONG)
		return console->loc == (sizeof(NMI_TEXT) << 16 |
					(sizeof(*entry) + sizeof(*console))) &&
		       !memcmp(console->text, NMI_TEXT, sizeof(NMI_TEXT));
	return stop->pid == load->task->pid && !strcmp(stop->comm, NMI_TASK);
}

/* Somebody else's, whom no filter keeps away: a thread was stopped. */
static bool nmi_is_foreign(struct nmi_load *load, const struct trace_entry *entry)
{
	const struct nmi_stop *stop = (const void *)(entry + 1);

	return (load->kind == NMI_EVENT || load->kind == NMI_EVENT_SHARED) &&
	       entry->type == load->type && stop->pid != load->task->pid;
}

static void nmi_read_buffer(struct nmi_load *load, struct trace_buffer *buffer,
			    struct nmi_read *read)
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
		read->records++;
		/* snapshots exchange which buffer has the older ones */
		load->backwards += ts < read->ts && load->kind != NMI_SNAPSHOT;
		read->ts = ts;
		entry = ring_buffer_event_data(event);
		if (nmi_is_foreign(load, entry))
			read->foreign++;
		else
			load->garbled += !nmi_is_ours(load, entry);
	}
}

static void nmi_read(struct nmi_load *load)
{
	struct array_buffer *spare = trace_spare_get(load->tr);

	nmi_read_buffer(load, load->tr->array_buffer.buffer, &load->read);
	if (spare)
		nmi_read_buffer(load, spare->buffer, &load->read);
	trace_spare_put(spare);
	if (load->second)
		nmi_read_buffer(load, load->second->array_buffer.buffer, &load->read_second);
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

static bool nmi_has_enough(const struct nmi_load *load)
{
	return READ_ONCE(load->told[false]) > NMI_TASK_ENOUGH &&
	       READ_ONCE(load->told[true]) > NMI_ENOUGH;
}

static void nmi_load_run(struct kunit *test, struct nmi_load *load)
{
	unsigned long end = jiffies + NMI_SECONDS * HZ, latest = end + NMI_MORE_SECONDS * HZ;

	wake_up_process(load->task);
	while (time_before(jiffies, end) ||
	       (!nmi_has_enough(load) && time_before(jiffies, latest))) {
		test_nmi_send(&load->pending, load->cpu);
		nmi_read(load);
		usleep_range(20, 40);
	}
	WRITE_ONCE(load->stop, true);
	wait_for_completion(&load->done);
	/* the last NMI is on its way at most */
	msleep(20);
}

/* The event of load->kind in @tr, with its filter, on or off. */
static void nmi_set_event(struct kunit *test, struct nmi_load *load, struct trace_array *tr,
			  bool on)
{
	bool is_long = load->kind == NMI_EVENT_LONG;
	const char *system = is_long ? "printk" : "sched";
	const char *event = is_long ? "console" : "sched_kthread_stop";
	struct trace_event_file *file;
	char text[40];
	int ret;

	if (!on)
		KUNIT_EXPECT_EQ(test, 0, trace_array_set_clr_event(tr, system, event, false));
	snprintf(text, sizeof(text), is_long ? "msg ~ \"" NMI_TASK "*\"" : "pid == %d",
		 load->task->pid);
	/* A test that gives up with the lock held would stop all the others. */
	mutex_lock(&event_mutex);
	ret = event_files_get_ready(tr);
	file = ret ? NULL : find_event_file(tr, system, event);
	if (file) {
		load->type = file->event_call->event.type;
		if (is_long || load->kind == NMI_EVENT_FILTER)
			test_filter_set(test, file, on ? text : NULL);
	}
	mutex_unlock(&event_mutex);
	KUNIT_ASSERT_EQ(test, ret, 0);
	KUNIT_ASSERT_NOT_NULL(test, file);
	if (on)
		KUNIT_EXPECT_EQ(test, 0, trace_array_set_clr_event(tr, system, event, true));
}

static void nmi_begin(struct kunit *test, struct nmi_load *load)
{
	char here[] = "trace_printk_dest";

	load->task = kthread_create(nmi_writer, load, NMI_TASK);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, load->task);
	get_task_struct(load->task);	/* the last NMI may come when it has ended */
	kthread_bind(load->task, load->cpu);
	if (load->kind < NMI_EVENT) {
		KUNIT_EXPECT_EQ(test, 0, trace_array_init_printk(load->tr));
		KUNIT_EXPECT_EQ(test, 0, trace_set_options(load->tr, here));
	} else {
		nmi_set_event(test, load, load->tr, true);
	}
	if (load->kind == NMI_EVENT_SHARED) {
		load->second = trace_array_get_by_name(NMI_INSTANCE "-second", "sched");
		KUNIT_ASSERT_NOT_NULL(test, load->second);
		nmi_set_event(test, load, load->second, true);
	}
#ifdef CONFIG_TRACER_SNAPSHOT
	if (load->kind == NMI_SNAPSHOT)
		KUNIT_ASSERT_EQ(test, 0, snapshot_get(load->tr));
#endif
}

/* Nothing is recorded from here on. */
static void nmi_end(struct kunit *test, struct nmi_load *load)
{
	char back[] = "trace_printk_dest";

	if (load->kind < NMI_EVENT)
		KUNIT_EXPECT_EQ(test, 0, trace_set_options(&global_trace, back));
	else
		nmi_set_event(test, load, load->tr, false);
	if (load->second)
		nmi_set_event(test, load, load->second, false);
}

static void nmi_test(struct kunit *test, enum nmi_kind kind)
{
	struct nmi_load *load = &nmi_load;
	unsigned long read, told;

	memset(load, 0, sizeof(*load));
	load->kind = kind;
	init_completion(&load->done);
	load->cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (load->cpu >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current,
						      cpumask_of(raw_smp_processor_id())));

	load->tr = trace_array_get_by_name(NMI_INSTANCE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, load->tr);
	nmi_begin(test, load);
	KUNIT_ASSERT_EQ(test, 0, register_nmi_handler(NMI_LOCAL, nmi_handle, 0, "kunit-nmi"));

	nmi_load_run(test, load);

	unregister_nmi_handler(NMI_LOCAL, "kunit-nmi");
	nmi_end(test, load);
	/* a snapshot that is late may still come, and does no harm */
	do {
		read = load->read.records + load->read_second.records;
		nmi_read(load);
		nmi_read(load);
	} while (load->read.records + load->read_second.records != read);

	kunit_info(test, "%lu from the task, %lu from NMIs, %lu read", load->told[false],
		   load->told[true], load->read.records + load->read_second.records);
	KUNIT_EXPECT_GT(test, load->told[false], NMI_TASK_ENOUGH);
	KUNIT_EXPECT_GT(test, load->told[true], NMI_ENOUGH);
	KUNIT_EXPECT_EQ(test, load->tried[false], load->told[false]);
	KUNIT_EXPECT_EQ(test, load->tried[true], load->told[true]);
	told = load->told[false] + load->told[true];
	KUNIT_EXPECT_EQ(test, told + load->read.foreign, load->read.records +
			nmi_overwritten(load));
	if (load->second)
		KUNIT_EXPECT_EQ(test, told + load->read_second.foreign, load->read_second.records +
				ring_buffer_overrun_cpu(load->second->array_buffer.buffer,
							load->cpu));
	KUNIT_EXPECT_EQ(test, 0, load->backwards);
	KUNIT_EXPECT_EQ(test, 0, load->garbled);
#ifdef CONFIG_TRACER_SNAPSHOT
	KUNIT_EXPECT_TRUE(test, tracer_tracing_is_on(load->tr));
	if (kind == NMI_SNAPSHOT)
		snapshot_put(load->tr);
#endif

	put_task_struct(load->task);
	if (load->second)
		test_instance_end(test, load->second);
	test_instance_end(test, load->tr);
}

static const struct nmi_param {
	enum nmi_kind	kind;
	const char	*name;
} nmi_params[] = {
	{ NMI_PRINTK,		"printk" },
#ifdef CONFIG_TRACER_SNAPSHOT
	{ NMI_SNAPSHOT,		"snapshots" },
#endif
	{ NMI_EVENT,		"an event" },
	{ NMI_EVENT_FILTER,	"with a filter" },
	{ NMI_EVENT_LONG,	"long, with a filter" },
	{ NMI_EVENT_SHARED,	"in two instances" },
};

KUNIT_ARRAY_PARAM_DESC(nmi, nmi_params, name);

static void test_from_nmi(struct kunit *test)
{
	nmi_test(test, ((const struct nmi_param *)test->param_value)->kind);
}

static struct kunit_case nmi_cases[] = {
	KUNIT_CASE_PARAM_ATTR(test_from_nmi, nmi_gen_params, { .speed = KUNIT_SPEED_SLOW }),
	{}
};

TRACE_KUNIT_SUITE("trace_nmi", nmi_cases);
