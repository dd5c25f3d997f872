// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints: order and errors of probes, failures on the way, and probes that change
 * while the tracepoint fires on several CPUs.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include <trace/events/cpuhp.h>

#include "../../tracepoint.h"
#include "suite.h"

#define NR_PROBES	4

/* What one firing did; lives on the stack of whoever fires. */
struct firing {
	unsigned int	calls[NR_PROBES];
	char		order[NR_PROBES + 1];
	unsigned int	nr;
	unsigned int	wrong;
};

/* The data of a probe. */
struct owner {
	unsigned int	id;
	bool		gone;	/* freed, if this were not a test */
};

static int reg_result, nr_reg, nr_unreg;

static int test_reg(void)
{
	nr_reg++;
	return reg_result;
}

static void test_unreg(void)
{
	nr_unreg++;
}

DECLARE_TRACE(kunit_plain, TP_PROTO(struct firing *f), TP_ARGS(f));
DECLARE_TRACE(kunit_fn, TP_PROTO(struct firing *f), TP_ARGS(f));
DECLARE_TRACE_CONDITION(kunit_cond, TP_PROTO(struct firing *f, int a), TP_ARGS(f, a),
			TP_CONDITION(a > 0));
DEFINE_TRACE(kunit_plain, TP_PROTO(struct firing *f), TP_ARGS(f));
DEFINE_TRACE_FN(kunit_fn, test_reg, test_unreg, TP_PROTO(struct firing *f), TP_ARGS(f));
DEFINE_TRACE(kunit_cond, TP_PROTO(struct firing *f, int a), TP_ARGS(f, a));

static __always_inline void note(struct owner *o, struct firing *f, unsigned int id)
{
	if (!o || o->id != id || READ_ONCE(o->gone)) {
		f->wrong++;
		return;
	}
	f->calls[id]++;
	if (f->nr < NR_PROBES)
		f->order[f->nr++] = 'a' + id;
}

/* A function for each: the load test tells a function with another one's data by this. */
static void probe_a(void *data, struct firing *f) { note(data, f, 0); }
static void probe_b(void *data, struct firing *f) { note(data, f, 1); }
static void probe_c(void *data, struct firing *f) { note(data, f, 2); }
static void probe_d(void *data, struct firing *f) { note(data, f, 3); }
static void probe_cond(void *data, struct firing *f, int a) { note(data, f, 0); }

static void (*const probes[NR_PROBES])(void *data, struct firing *f) = {
	probe_a, probe_b, probe_c, probe_d
};

static struct owner owners[NR_PROBES];

static int plain_add(unsigned int id, int prio)
{
	return tracepoint_probe_register_prio_may_exist(&__tracepoint_kunit_plain, probes[id],
							&owners[id], prio);
}

static int plain_remove(unsigned int id)
{
	return unregister_trace_kunit_plain(probes[id], &owners[id]);
}

#define expect_order(test, text)				\
do {								\
	struct firing __f = {};					\
								\
	trace_kunit_plain(&__f);				\
	KUNIT_EXPECT_STREQ(test, __f.order, text);		\
	KUNIT_EXPECT_EQ(test, __f.wrong, 0);			\
} while (0)

/* A place that looked at the key when there still was a probe. */
static void fire_late(struct kunit *test)
{
	struct firing f = {};

	__TRACE_PROBES(kunit_plain, &f);
	KUNIT_EXPECT_STREQ(test, f.order, "");
	KUNIT_EXPECT_EQ(test, f.wrong, 0);
}

static int tracepoint_test_init(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < NR_PROBES; i++)
		owners[i] = (struct owner){ .id = i };
	reg_result = 0;
	nr_reg = 0;
	nr_unreg = 0;
	return 0;
}

/* A test that failed half-way leaves nothing behind. */
static void tracepoint_test_exit(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < NR_PROBES; i++) {
		plain_remove(i);
		unregister_trace_kunit_fn(probes[i], &owners[i]);
	}
	unregister_trace_kunit_cond(probe_cond, &owners[0]);
	tracepoint_synchronize_unregister();
}

static void test_on_off(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, trace_kunit_plain_enabled());
	expect_order(test, "");
	fire_late(test);
	KUNIT_EXPECT_EQ(test, register_trace_kunit_plain(probe_a, &owners[0]), 0);
	KUNIT_EXPECT_TRUE(test, trace_kunit_plain_enabled());
	KUNIT_EXPECT_TRUE(test, tracepoint_enabled(kunit_plain));
	expect_order(test, "a");
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_plain(probe_a, &owners[0]), 0);
	KUNIT_EXPECT_FALSE(test, trace_kunit_plain_enabled());
	KUNIT_EXPECT_TRUE(test, rcu_access_pointer(__tracepoint_kunit_plain.funcs) ==
				TRACEPOINT_NOBODY);
	expect_order(test, "");
	fire_late(test);
}

static void test_priority(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, plain_add(0, 10), 0);
	KUNIT_EXPECT_EQ(test, plain_add(1, 20), 0);
	expect_order(test, "ba");
	KUNIT_EXPECT_EQ(test, plain_add(2, 10), 0);	/* same: behind */
	expect_order(test, "bac");
	KUNIT_EXPECT_EQ(test, plain_add(3, -5), 0);
	expect_order(test, "bacd");
	KUNIT_EXPECT_EQ(test, plain_remove(1), 0);
	expect_order(test, "acd");
	KUNIT_EXPECT_EQ(test, plain_remove(0), 0);
	KUNIT_EXPECT_EQ(test, plain_remove(2), 0);
	expect_order(test, "d");			/* another first entry, now alone */
	KUNIT_EXPECT_EQ(test, plain_add(1, 10), 0);
	expect_order(test, "bd");
	KUNIT_EXPECT_EQ(test, plain_remove(3), 0);
	expect_order(test, "b");
	KUNIT_EXPECT_EQ(test, plain_remove(1), 0);
	KUNIT_EXPECT_EQ(test, plain_add(2, 10), 0);	/* 0 to 1 with other data */
	expect_order(test, "c");
}

static void test_duplicate_and_missing(struct kunit *test)
{
	static struct owner twin = { .id = 0 };

	KUNIT_EXPECT_EQ(test, plain_remove(0), -ENOENT);
	KUNIT_EXPECT_EQ(test, plain_add(0, 10), 0);
	KUNIT_EXPECT_EQ(test, plain_add(0, 10), -EEXIST);
	KUNIT_EXPECT_EQ(test, plain_add(0, 11), -EEXIST);	/* priority is no part of it */
	expect_order(test, "a");
	KUNIT_EXPECT_EQ(test, register_trace_kunit_plain(probe_a, &twin), 0);	/* data is */
	expect_order(test, "aa");
	KUNIT_EXPECT_EQ(test, plain_remove(1), -ENOENT);
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_plain(probe_b, &twin), -ENOENT);
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_plain(probe_a, &twin), 0);
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_plain(probe_a, &twin), -ENOENT);
	expect_order(test, "a");
}

static struct tracepoint_func *no_memory(unsigned int nr)
{
	return NULL;
}

/* Other data in the same place, with and without others, and without memory. */
static void test_set_data(struct kunit *test)
{
	static struct owner other = { .id = 0 }, third = { .id = 1 };
	struct tracepoint *tp = &__tracepoint_kunit_plain;

	KUNIT_EXPECT_EQ(test, tracepoint_probe_set_data(tp, probe_a, &owners[0], &other), -ENOENT);
	KUNIT_EXPECT_EQ(test, plain_add(0, 10), 0);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_set_data(tp, probe_a, &other, &owners[0]), -ENOENT);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_set_data(tp, probe_a, &owners[0], &other), 0);
	owners[0].gone = true;
	expect_order(test, "a");
	KUNIT_EXPECT_EQ(test, plain_add(1, 20), 0);
	KUNIT_EXPECT_EQ(test, plain_add(2, 10), 0);
	kunit_activate_static_stub(test, tracepoint_alloc_probes, no_memory);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_set_data(tp, probe_b, &owners[1], &third), 0);
	kunit_deactivate_static_stub(test, tracepoint_alloc_probes);
	owners[1].gone = true;
	expect_order(test, "bac");
	KUNIT_EXPECT_EQ(test, plain_remove(0), -ENOENT);	/* it is not with that data */
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_plain(probe_a, &other), 0);
	expect_order(test, "bc");
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_plain(probe_b, &third), 0);
	expect_order(test, "c");
}

#if defined(CONFIG_HOTPLUG_CPU) && defined(CONFIG_SMP)
static unsigned int nr_moving, nr_offline;

/* Of the steps of a CPU on its way those that it takes while it is not online are not seen. */
static void see_move(void *data, unsigned int cpu, int state, int idx, int ret)
{
	if (!cpu_online(raw_smp_processor_id()))
		nr_offline++;
	if (!cpu_online(cpu) && READ_ONCE(tracepoint_cpus_moving))
		nr_moving++;
}

static void test_cpus_move(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	int ret;

	if (!cpu || !get_cpu_device(cpu) || !get_cpu_device(cpu)->bus)
		kunit_skip(test, "no CPU that can go");
	KUNIT_EXPECT_EQ(test, READ_ONCE(tracepoint_cpus_moving), 0);
	nr_moving = 0;
	nr_offline = 0;
	KUNIT_ASSERT_EQ(test, register_trace_cpuhp_exit(see_move, NULL), 0);
	ret = remove_cpu(cpu);
	KUNIT_EXPECT_EQ(test, ret, 0);
	if (!ret) {
		KUNIT_EXPECT_EQ(test, READ_ONCE(tracepoint_cpus_moving), 0);
		KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
		KUNIT_EXPECT_GT(test, nr_moving, 0);
		KUNIT_EXPECT_EQ(test, nr_offline, 0);
	}
	unregister_trace_cpuhp_exit(see_move, NULL);
	tracepoint_synchronize_unregister();
	KUNIT_EXPECT_EQ(test, READ_ONCE(tracepoint_cpus_moving), 0);
}
#endif

static void test_condition(struct kunit *test)
{
	struct firing f = {};

	KUNIT_ASSERT_EQ(test, register_trace_kunit_cond(probe_cond, &owners[0]), 0);
	trace_kunit_cond(&f, 0);
	trace_kunit_cond(&f, -1);
	KUNIT_EXPECT_EQ(test, f.calls[0], 0);
	trace_kunit_cond(&f, 1);
	KUNIT_EXPECT_EQ(test, f.calls[0], 1);
}

/* For places where RCU does not watch. An architecture that has none of them warns of a call. */
static void test_rcuidle(struct kunit *test)
{
	struct firing f = {};

	trace_kunit_cond_rcuidle(&f, 1);
	KUNIT_ASSERT_EQ(test, register_trace_kunit_cond(probe_cond, &owners[0]), 0);
	trace_kunit_cond_rcuidle(&f, 0);
	KUNIT_EXPECT_EQ(test, f.calls[0], 0);
	if (IS_ENABLED(CONFIG_ARCH_WANTS_NO_INSTR))
		return;
	trace_kunit_cond_rcuidle(&f, 1);
	KUNIT_EXPECT_EQ(test, f.calls[0], 1);
	KUNIT_EXPECT_EQ(test, f.wrong, 0);
}

/* regfunc runs for the first probe only, and refuses it */
static void test_regfunc(struct kunit *test)
{
	struct firing f = {};

	reg_result = -EBUSY;
	KUNIT_EXPECT_EQ(test, register_trace_kunit_fn(probe_a, &owners[0]), -EBUSY);
	KUNIT_EXPECT_FALSE(test, trace_kunit_fn_enabled());
	KUNIT_EXPECT_TRUE(test, rcu_access_pointer(__tracepoint_kunit_fn.funcs) ==
				TRACEPOINT_NOBODY);
	KUNIT_EXPECT_EQ(test, nr_reg, 1);
	KUNIT_EXPECT_EQ(test, nr_unreg, 0);

	reg_result = 0;
	KUNIT_EXPECT_EQ(test, register_trace_kunit_fn(probe_a, &owners[0]), 0);
	reg_result = -EBUSY;
	KUNIT_EXPECT_EQ(test, register_trace_kunit_fn(probe_b, &owners[1]), 0);
	KUNIT_EXPECT_EQ(test, nr_reg, 2);
	trace_kunit_fn(&f);
	KUNIT_EXPECT_STREQ(test, f.order, "ab");
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_fn(probe_a, &owners[0]), 0);
	KUNIT_EXPECT_EQ(test, nr_unreg, 0);
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_fn(probe_b, &owners[1]), 0);
	KUNIT_EXPECT_EQ(test, nr_unreg, 1);
}

/* Adding says so and changes nothing; removing works all the same. */
static void test_no_memory(struct kunit *test)
{
	kunit_activate_static_stub(test, tracepoint_alloc_probes, no_memory);
	KUNIT_EXPECT_EQ(test, plain_add(0, 10), -ENOMEM);
	KUNIT_EXPECT_FALSE(test, trace_kunit_plain_enabled());
	KUNIT_EXPECT_EQ(test, register_trace_kunit_fn(probe_a, &owners[0]), -ENOMEM);
	KUNIT_EXPECT_EQ(test, nr_reg, nr_unreg);
	kunit_deactivate_static_stub(test, tracepoint_alloc_probes);

	KUNIT_EXPECT_EQ(test, plain_add(0, 30), 0);
	KUNIT_EXPECT_EQ(test, plain_add(1, 20), 0);
	KUNIT_EXPECT_EQ(test, plain_add(2, 10), 0);

	kunit_activate_static_stub(test, tracepoint_alloc_probes, no_memory);
	KUNIT_EXPECT_EQ(test, plain_remove(0), 0);
	expect_order(test, "bc");
	KUNIT_EXPECT_EQ(test, plain_remove(0), -ENOENT);
	KUNIT_EXPECT_EQ(test, plain_add(3, 10), -ENOMEM);
	KUNIT_EXPECT_EQ(test, plain_remove(1), 0);
	expect_order(test, "c");
	KUNIT_EXPECT_EQ(test, plain_remove(2), 0);	/* the last one needs no memory */
	KUNIT_EXPECT_FALSE(test, trace_kunit_plain_enabled());
	KUNIT_EXPECT_TRUE(test, rcu_access_pointer(__tracepoint_kunit_plain.funcs) ==
				TRACEPOINT_NOBODY);
	kunit_deactivate_static_stub(test, tracepoint_alloc_probes);

	/* entries without effect are dropped when the array is made anew */
	KUNIT_EXPECT_EQ(test, plain_add(0, 10), 0);
	KUNIT_EXPECT_EQ(test, plain_add(1, 10), 0);
	kunit_activate_static_stub(test, tracepoint_alloc_probes, no_memory);
	KUNIT_EXPECT_EQ(test, plain_remove(0), 0);
	kunit_deactivate_static_stub(test, tracepoint_alloc_probes);
	KUNIT_EXPECT_EQ(test, plain_add(2, 10), 0);
	expect_order(test, "bc");
	KUNIT_EXPECT_EQ(test, plain_add(0, 10), 0);
	expect_order(test, "bca");
}

struct seen {
	bool		plain;
	unsigned int	nr;
	unsigned int	nameless;
};

static void see(struct tracepoint *tp, void *priv)
{
	struct seen *seen = priv;

	seen->nr++;
	seen->plain |= tp == &__tracepoint_kunit_plain;
	seen->nameless += !tp->name || !*tp->name;
}

static void test_for_each(struct kunit *test)
{
	struct seen seen = {};

	for_each_kernel_tracepoint(see, &seen);
	KUNIT_EXPECT_TRUE(test, seen.plain);
	KUNIT_EXPECT_GT(test, seen.nr, 3);
	KUNIT_EXPECT_EQ(test, seen.nameless, 0);
}

/* At boot there is no module yet. */
static int see_module(struct notifier_block *nb, unsigned long state, void *data)
{
	return NOTIFY_OK;
}

static void test_module_notifier(struct kunit *test)
{
	static struct notifier_block nb = { .notifier_call = see_module };

	KUNIT_ASSERT_EQ(test, register_tracepoint_module_notifier(&nb), 0);
	KUNIT_EXPECT_EQ(test, unregister_tracepoint_module_notifier(&nb), 0);
	KUNIT_EXPECT_EQ(test, unregister_tracepoint_module_notifier(&nb), -ENOENT);
}

/* ---- under load ---- */

#define NR_FIRERS	2
#define LOAD_MS		1500
#define MIN_CHANGES	16

struct firer {
	struct task_struct	*task;
	unsigned long		fired;
	unsigned long		lost;	/* a did not run */
	unsigned long		twice;	/* somebody ran more than once */
	unsigned long		wrong;	/* data of another probe, or gone */
	bool			a_stays;
};

static int fire(void *data)
{
	struct firer *me = data;

	while (!kthread_should_stop()) {
		struct firing f = {};
		unsigned int i;

		trace_kunit_plain(&f);
		me->fired++;
		me->lost += me->a_stays && !f.calls[0];
		me->wrong += f.wrong;
		for (i = 0; i < NR_PROBES; i++)
			me->twice += f.calls[i] > 1;
		if (!(me->fired % 256))
			cond_resched();
	}
	return 0;
}

/*
 * Probes come and go at any priority. From time to time the data of those that are off is said to
 * be gone, as a module's would be: nobody may come with it after the synchronisation.
 */
static unsigned long change_probes(struct kunit *test, unsigned int first)
{
	unsigned long start = jiffies, changes = 0;
	bool on[NR_PROBES] = {};
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 42);
	/* on a machine that is busy otherwise longer, until there was something to see */
	while (time_before(jiffies, start + msecs_to_jiffies(LOAD_MS)) ||
	       (changes <= MIN_CHANGES &&
		time_before(jiffies, start + msecs_to_jiffies(20 * LOAD_MS)))) {
		u32 r = prandom_u32_state(&rnd);

		i = first + r % (NR_PROBES - first);
		if (on[i])
			KUNIT_ASSERT_EQ(test, plain_remove(i), 0);
		else
			KUNIT_ASSERT_EQ(test, plain_add(i, (r >> 8) % 3), 0);
		on[i] = !on[i];

		if (!(++changes % 16)) {
			tracepoint_synchronize_unregister();
			for (i = first; i < NR_PROBES; i++)
				WRITE_ONCE(owners[i].gone, !on[i]);
			if ((r >> 16) % 2)
				usleep_range(50, 100);
			/* of those that are off nobody reads it, and they may come back */
			for (i = first; i < NR_PROBES; i++)
				WRITE_ONCE(owners[i].gone, false);
		}
	}
	for (i = first; i < NR_PROBES; i++)
		if (on[i])
			KUNIT_EXPECT_EQ(test, plain_remove(i), 0);
	return changes;
}

static void run_load(struct kunit *test, bool a_stays)
{
	struct firer firers[NR_FIRERS] = {};
	unsigned long changes;
	unsigned int i;

	if (a_stays)
		KUNIT_ASSERT_EQ(test, plain_add(0, 1), 0);

	for (i = 0; i < NR_FIRERS; i++) {
		struct task_struct *task;

		firers[i].a_stays = a_stays;
		task = kthread_create(fire, &firers[i], "tp_kunit/%u", i);
		if (IS_ERR(task)) {
			KUNIT_FAIL(test, "no thread: %ld", PTR_ERR(task));
			continue;
		}
		kthread_bind(task, cpumask_nth(i % num_online_cpus(), cpu_online_mask));
		firers[i].task = get_task_struct(task);
		wake_up_process(task);
	}

	changes = change_probes(test, a_stays);

	for (i = 0; i < NR_FIRERS; i++) {
		if (!firers[i].task)
			continue;
		kthread_stop(firers[i].task);
		put_task_struct(firers[i].task);
		KUNIT_EXPECT_GT(test, firers[i].fired, 0);
		KUNIT_EXPECT_EQ(test, firers[i].lost, 0);
		KUNIT_EXPECT_EQ(test, firers[i].twice, 0);
		KUNIT_EXPECT_EQ(test, firers[i].wrong, 0);
		kunit_info(test, "fired %lu times on CPU %u", firers[i].fired, i);
	}
	KUNIT_EXPECT_GT(test, changes, MIN_CHANGES);
	kunit_info(test, "%lu changes", changes);
}

/* one probe stays, the others change around it: it sees every firing once */
static void test_load_one_stays(struct kunit *test)
{
	run_load(test, true);
}

/* from none to several and back: no probe runs with another one's data */
static void test_load_all_change(struct kunit *test)
{
	run_load(test, false);
}

static struct kunit_case tracepoint_cases[] = {
	KUNIT_CASE(test_on_off),
	KUNIT_CASE(test_priority),
	KUNIT_CASE(test_duplicate_and_missing),
	KUNIT_CASE(test_set_data),
#if defined(CONFIG_HOTPLUG_CPU) && defined(CONFIG_SMP)
	KUNIT_CASE(test_cpus_move),
#endif
	KUNIT_CASE(test_condition),
	KUNIT_CASE(test_rcuidle),
	KUNIT_CASE(test_regfunc),
	KUNIT_CASE(test_no_memory),
	KUNIT_CASE(test_for_each),
	KUNIT_CASE(test_module_notifier),
	KUNIT_CASE_SLOW(test_load_one_stays),
	KUNIT_CASE_SLOW(test_load_all_change),
	{}
};

TRACE_KUNIT_SUITE("tracepoint", tracepoint_cases, .init = tracepoint_test_init,
		  .exit = tracepoint_test_exit);

MODULE_DESCRIPTION("KUnit tests of tracepoints");
MODULE_LICENSE("GPL");
