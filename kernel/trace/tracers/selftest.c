// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start-up tests of the tracers, CONFIG_FTRACE_STARTUP_TEST: each records what is known, and all
 * functions for a moment, on the machine as it is and before anybody relies on it.
 *
 * They run late in the boot in an instance of their own, one after the other, but not
 * when the command line has a tracer running, which would see little else.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <uapi/linux/sched/types.h>

#include "../record/function_entries.h"
#include "../function/filters/function_ops.h"
#include "../instance/instance.h"
#include "../instance/tracer.h"
#include "../record/entries.h"
#include "selftest.h"

#define CALLS		5

static const char *test_nop(struct trace_array *tr)
{
	if (tracing_set_tracer(tr, "nop"))
		return "it does not start";
	return ring_buffer_entries(tr->array_buffer.buffer) ? "it records something" : NULL;
}

#ifdef CONFIG_FUNCTION_TRACER
#define ALL_FUNCTIONS_MS	20

struct found {
	unsigned int	entries;	/* of TRACE_FN and TRACE_GRAPH_ENT */
	unsigned int	returns;	/* of TRACE_GRAPH_RET */
	unsigned int	ours;		/* of the entries, at the test function */
};

static unsigned long test_site(void)
{
	return ftrace_location((unsigned long)trace_selftest_function);
}

static void call_test_function(void)
{
	for (int i = 0; i < CALLS; i++)
		trace_selftest_function(i);
}

/* Empties the instance's buffer. */
static struct found take_entries(struct trace_array *tr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct found found = { };
	int cpu;

	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(buffer, cpu, NULL, NULL))) {
			struct trace_entry *ent = ring_buffer_event_data(event);
			unsigned long ip = 0;

			if (ent->type == TRACE_FN)
				ip = ((struct ftrace_entry *)ent)->ip;
			else if (ent->type == TRACE_GRAPH_ENT)
				ip = ((struct ftrace_graph_ent_entry *)ent)->graph_ent.func;
			found.entries += ip != 0;
			found.ours += ip == test_site();
			found.returns += ent->type == TRACE_GRAPH_RET;
		}
	}
	return found;
}

/* The tracer on the test function alone, and on all functions. */
static const char *test_tracer(struct trace_array *tr, const char *name, bool returns)
{
	struct found found;

	if (ftrace_set_filter_ip(&function_ops_of(tr)->ops, test_site(), 0, 1))
		return "the function cannot be chosen";
	if (tracing_set_tracer(tr, name))
		return "it does not start";
	call_test_function();
	/* another tracer begins with an empty buffer */
	found = take_entries(tr);
	tracing_set_tracer(tr, "nop");
	call_test_function();
	if (found.ours != CALLS || found.entries != CALLS)
		return "not the calls of one function";
	if (returns && found.returns != CALLS)
		return "not the returns of one function";
	if (take_entries(tr).entries)
		return "calls are recorded when it is off";

	ftrace_set_filter(&function_ops_of(tr)->ops, NULL, 0, 1);
	if (tracing_set_tracer(tr, name))
		return "it does not start on all functions";
	msleep(ALL_FUNCTIONS_MS);
	/* Nobody else is to push out what this CPU recorded. */
	local_irq_disable();
	call_test_function();
	tracer_tracing_off(tr);
	local_irq_enable();
	found = take_entries(tr);
	tracing_set_tracer(tr, "nop");
	tracer_tracing_on(tr);
	if (found.entries <= CALLS || found.ours != CALLS)
		return "not the calls of all functions";
	if (returns && !found.returns)
		return "no returns of all functions";
	return NULL;
}

static const char *test_function(struct trace_array *tr)
{
	return test_tracer(tr, "function", false);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
static const char *test_graph(struct trace_array *tr)
{
	return test_tracer(tr, "function_graph", true);
}
#endif

/* Several ops, one of them in memory that is freed. */
struct counting_ops {
	struct ftrace_ops	ops;
	int			calls;
	bool			regs;
};

static void notrace count_call(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct counting_ops *c = container_of(op, struct counting_ops, ops);

	c->calls++;
	c->regs = ftrace_get_regs(fregs);
}

/*
 * Once more than a function is called may be let through: it could be an interrupt that has
 * not yet told preempt_count().
 */
static bool recursion_stopped(const struct counting_ops *c)
{
	return c->calls >= CALLS && c->calls <= 2 * CALLS;
}

/* Traces itself by what it calls. */
static void notrace recurse_call(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct counting_ops *c = container_of(op, struct counting_ops, ops);

	if (c->calls++ < 10 * CALLS)
		trace_selftest_function(0);
}

static void notrace recurse_guarded_call(unsigned long ip, unsigned long parent_ip,
					 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct counting_ops *c = container_of(op, struct counting_ops, ops);
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (bit < 0)
		return;
	if (c->calls++ < 10 * CALLS)
		trace_selftest_function(0);
	ftrace_test_recursion_unlock(bit);
}

/* Registers, calls the test function, unregisters. */
static int run_ops(struct counting_ops *c, ftrace_func_t func, unsigned long flags)
{
	int ret;

	*c = (struct counting_ops) { .ops = { .func = func, .flags = flags } };
	ret = ftrace_set_filter_ip(&c->ops, test_site(), 0, 1);
	if (ret)
		return ret;
	ret = register_ftrace_function(&c->ops);
	if (!ret) {
		call_test_function();
		unregister_ftrace_function(&c->ops);
	}
	ftrace_free_filter(&c->ops);
	return ret;
}

static const char *test_ops(struct trace_array *tr)
{
	struct counting_ops *c = kcalloc(2, sizeof(*c), GFP_KERNEL);
	const char *bad = NULL;

	if (!c)
		return "no memory";
	for (int i = 0; i < 2; i++) {
		c[i].ops.func = count_call;
		if (ftrace_set_filter_ip(&c[i].ops, test_site(), 0, 1) ||
		    register_ftrace_function(&c[i].ops))
			bad = "an ops is refused";
		call_test_function();
	}
	for (int i = 0; i < 2; i++) {
		unregister_ftrace_function(&c[i].ops);
		ftrace_free_filter(&c[i].ops);
		call_test_function();
	}
	/* The first saw two rounds and went, the second saw its own and the one after that. */
	if (!bad && (c[0].calls != 2 * CALLS || c[1].calls != 2 * CALLS))
		bad = "not as many calls as there were";
	kfree(c);
	return bad;
}

static const char *test_recursion(struct trace_array *tr)
{
	struct counting_ops *c = kzalloc(sizeof(*c), GFP_KERNEL);
	const char *bad = NULL;

	if (!c)
		return "no memory";
	if (run_ops(c, recurse_call, FTRACE_OPS_FL_RECURSION) || !recursion_stopped(c))
		bad = "the core does not stop it";
	else if (run_ops(c, recurse_guarded_call, 0) || !recursion_stopped(c))
		bad = "ftrace_test_recursion_trylock() does not stop it";
	kfree(c);
	return bad;
}

static const char *test_regs(struct trace_array *tr)
{
	const bool supported = IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS);
	struct counting_ops *c = kzalloc(sizeof(*c), GFP_KERNEL);
	const char *bad = NULL;
	int ret;

	if (!c)
		return "no memory";
	ret = run_ops(c, count_call, FTRACE_OPS_FL_SAVE_REGS);
	if (supported ? ret || c->calls != CALLS || !c->regs : ret != -EINVAL)
		bad = "SAVE_REGS is not what the architecture has";
	else if (run_ops(c, count_call, FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED) ||
		 c->calls != CALLS || c->regs != supported)
		bad = "SAVE_REGS_IF_SUPPORTED is not what the architecture has";
	kfree(c);
	return bad;
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
#define NR_STORING	3

struct storing_gops {
	struct fgraph_ops	gops;
	int			words;
	int			good, bad;
};

static int notrace store_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	struct storing_gops *s = container_of(gops, struct storing_gops, gops);
	unsigned long *data = fgraph_reserve_data(gops->idx, s->words * sizeof(long));

	if (!data)
		return 0;
	for (int i = 0; i < s->words; i++)
		data[i] = (unsigned long)gops + i;
	return 1;
}

static void notrace store_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	struct storing_gops *s = container_of(gops, struct storing_gops, gops);
	int size = 0, right = 0;
	unsigned long *data = fgraph_retrieve_data(gops->idx, &size);

	for (int i = 0; data && i < s->words; i++)
		right += data[i] == (unsigned long)gops + i;
	if (right == s->words && size == s->words * sizeof(long))
		s->good++;
	else
		s->bad++;
}

/* Data of several users of a call reaches the return of each. */
static const char *test_storage(struct trace_array *tr)
{
	struct storing_gops *s = kcalloc(NR_STORING, sizeof(*s), GFP_KERNEL);
	const char *bad = NULL;

	if (!s)
		return "no memory";
	for (int i = 0; i < NR_STORING; i++) {
		s[i].words = 1 << i;
		s[i].gops.entryfunc = store_entry;
		s[i].gops.retfunc = store_return;
		if (ftrace_set_filter_ip(&s[i].gops.ops, test_site(), 0, 1) ||
		    register_ftrace_graph(&s[i].gops))
			bad = "a user is refused";
	}
	call_test_function();
	for (int i = 0; i < NR_STORING && !bad; i++) {
		if (s[i].good != CALLS || s[i].bad)
			bad = "data of an entry is not there at its return";
	}
	for (int i = 0; i < NR_STORING; i++) {
		if (s[i].gops.ops.flags & FTRACE_OPS_FL_ENABLED)
			unregister_ftrace_graph(&s[i].gops);
		ftrace_free_filter(&s[i].gops.ops);
	}
	kfree(s);
	return bad;
}
#endif
#endif /* CONFIG_FUNCTION_TRACER */

#if defined(CONFIG_IRQSOFF_TRACER) || defined(CONFIG_PREEMPT_TRACER) || \
	defined(CONFIG_SCHED_TRACER)
/* Is the longest time so far that of @p? */
static bool found_task(struct trace_array *tr, const struct task_struct *p)
{
	struct trace_worst worst;

	trace_worst_get(tr, &worst);
	return READ_ONCE(tr->max_latency) && worst.pid == p->pid;
}

/*
 * @own: it was found to be of whom it should; somebody else may have had a longer one since.
 * At least as long as it was: a guest may wait for its host as well.
 */
static const char *found_latency(struct trace_array *tr, bool own, u64 least_ns)
{
	unsigned long entries = 0, max;

	/* From then on nothing is kept. */
	tracer_tracing_off(tr);
	synchronize_rcu();
	max = tr->max_latency;
	scoped_guard(mutex, &tr->spare_lock) {
		if (trace_spare_locked(tr))
			entries = ring_buffer_entries(trace_spare_locked(tr)->buffer);
	}
	tracing_set_tracer(tr, "nop");
	tracer_tracing_on(tr);
	if (!own || max < least_ns)
		return "the longest time is not found";
	return entries ? NULL : "what led to the longest time is not kept";
}
#endif

#if defined(CONFIG_IRQSOFF_TRACER) || defined(CONFIG_PREEMPT_TRACER)
#define OFF_US		300
#define SECTION_TRIES	100

/* Return: how long it took, by the clock that the tracers have. */
static u64 run_section(bool irqs, bool preempt)
{
	u64 begin, length;

	if (preempt)
		preempt_disable();
	if (irqs)
		local_irq_disable();
	begin = trace_clock_local();
	udelay(OFF_US);
	length = trace_clock_local() - begin;
	/* the one alone does not end it */
	if (preempt) {
		preempt_enable();
		if (irqs) {
			udelay(OFF_US);
			length = trace_clock_local() - begin;
		}
	}
	if (irqs)
		local_irq_enable();
	return length;
}

/*
 * This task has interrupts or preemption off beside that section as well, and an interrupt in it
 * that prints on the console cuts it, stop_critical_timings(): all of it is what is looked for.
 */
static const char *test_section(struct trace_array *tr, const char *name, bool irqs, bool preempt)
{
	bool own = false;
	u64 length = 0;

	if (tracing_set_tracer(tr, name))
		return "it does not start";
	for (int i = 0; i < SECTION_TRIES && !own; i++) {
		/* A longer time of somebody else would hide this one. */
		trace_worst_clear(tr);
		length = run_section(irqs, preempt);
		own = found_task(tr, current) && READ_ONCE(tr->max_latency) >= length;
	}
	if (length < OFF_US * NSEC_PER_USEC / 2)
		return "the clock stands still";
	return found_latency(tr, own, length);
}
#endif

#ifdef CONFIG_IRQSOFF_TRACER
static const char *test_irqsoff(struct trace_array *tr)
{
	return test_section(tr, "irqsoff", true, false);
}
#endif

#ifdef CONFIG_PREEMPT_TRACER
static const char *test_preemptoff(struct trace_array *tr)
{
	return test_section(tr, "preemptoff", false, true);
}
#endif

#if defined(CONFIG_IRQSOFF_TRACER) && defined(CONFIG_PREEMPT_TRACER)
static const char *test_preemptirqsoff(struct trace_array *tr)
{
	return test_section(tr, "preemptirqsoff", true, true);
}
#endif

#ifdef CONFIG_SCHED_TRACER
static int sleeper(void *data)
{
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

#define WOKEN_MS	10
#define WOKEN_TRIES	1000

/*
 * @deadline: of that class, else of the real-time one. A guest's CPU may be taken away by its host
 * while the thread runs: with a runtime that is a small part of the period it would have to wait
 * that many times as long for its next turn.
 */
static const char *test_wakeup_of(struct trace_array *tr, const char *name, bool deadline)
{
	const struct sched_attr attr = {
		.size		= sizeof(attr),
		.sched_policy	= SCHED_DEADLINE,
		.sched_runtime	= 5 * NSEC_PER_MSEC,
		.sched_deadline	= 10 * NSEC_PER_MSEC,
		.sched_period	= 10 * NSEC_PER_MSEC,
	};
	struct task_struct *p = kthread_create(sleeper, NULL, "wakeup-test");
	const char *bad = NULL;
	bool own = false;

	if (IS_ERR(p))
		return "no thread";
	/* Those of nohz_full= are not all that a root domain has. */
	set_cpus_allowed_ptr(p, cpu_possible_mask);
	if (!deadline)
		sched_set_fifo(p);
	else if (sched_setattr_nocheck(p, &attr))
		bad = "no task with a deadline";
	wake_up_process(p);
	msleep(20);
	if (!bad && tracing_set_tracer(tr, name))
		bad = "it does not start";
	for (int i = 0; i < WOKEN_TRIES && !bad && !own; i++) {
		/* A longer time of somebody else would hide this one's. */
		trace_worst_clear(tr);
		wake_up_process(p);
		msleep(WOKEN_MS);
		own = found_task(tr, p);
	}
	if (!bad)
		bad = found_latency(tr, own, 1);
	/* or one that has had its share keeps us waiting */
	sched_set_normal(p, 0);
	kthread_stop(p);
	return bad;
}

static const char *test_wakeup(struct trace_array *tr)
{
	return test_wakeup_of(tr, "wakeup", false);
}

static const char *test_wakeup_rt(struct trace_array *tr)
{
	return test_wakeup_of(tr, "wakeup_rt", false);
}

static const char *test_wakeup_dl(struct trace_array *tr)
{
	return test_wakeup_of(tr, "wakeup_dl", true);
}
#endif

#define STARTED_MS	20
#define STARTED_TRIES	100

/* It runs for a moment, and then no more. @records: until it has recorded something. */
static const char *test_started(struct trace_array *tr, const char *name, bool records)
{
	unsigned long at_rest;
	bool recorded = false;

	if (tracing_set_tracer(tr, name))
		return "it does not start";
	/* Its threads may have to wait for a CPU. */
	for (int i = 0; i < (records ? STARTED_TRIES : 1) && !recorded; i++) {
		msleep(STARTED_MS);
		recorded = ring_buffer_entries(tr->array_buffer.buffer);
	}
	/* Another tracer begins with an empty buffer: what there is then came since. */
	tracing_set_tracer(tr, "nop");
	at_rest = ring_buffer_entries(tr->array_buffer.buffer);
	if (records && !recorded)
		return "it records nothing";
	msleep(STARTED_MS);
	if (ring_buffer_entries(tr->array_buffer.buffer) != at_rest)
		return "it records when it is off";
	return NULL;
}

/* @test says what is wrong, or NULL. Without one, @tracer is only started. */
static struct {
	const char	*what;
	const char	*(*test)(struct trace_array *tr);
	const char	*tracer;
	bool		records;
} selftests[] __initdata = {
	{ "tracer nop",			test_nop },
#ifdef CONFIG_FUNCTION_TRACER
	{ "dynamic ftrace ops",		test_ops },
	{ "ftrace recursion",		test_recursion },
	{ "ftrace regs",		test_regs },
	{ "tracer function",		test_function },
#endif
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	{ "fgraph storage",		test_storage },
	{ "tracer function_graph",	test_graph },
#endif
#ifdef CONFIG_IRQSOFF_TRACER
	{ "tracer irqsoff",		test_irqsoff },
#endif
#ifdef CONFIG_PREEMPT_TRACER
	{ "tracer preemptoff",		test_preemptoff },
#endif
#if defined(CONFIG_IRQSOFF_TRACER) && defined(CONFIG_PREEMPT_TRACER)
	{ "tracer preemptirqsoff",	test_preemptirqsoff },
#endif
#ifdef CONFIG_SCHED_TRACER
	{ "tracer wakeup",		test_wakeup },
	{ "tracer wakeup_rt",		test_wakeup_rt },
	{ "tracer wakeup_dl",		test_wakeup_dl },
#endif
#ifdef CONFIG_HWLAT_TRACER
	{ "tracer hwlat",		.tracer = "hwlat" },
#endif
#ifdef CONFIG_OSNOISE_TRACER
	{ "tracer osnoise",		.tracer = "osnoise" },
#endif
#ifdef CONFIG_TIMERLAT_TRACER
	{ "tracer timerlat",		.tracer = "timerlat", .records = true },
#endif
#ifdef CONFIG_BRANCH_TRACER
	{ "tracer branch",		.tracer = "branch", .records = true },
#endif
};

static int __init tracer_selftests(void)
{
	unsigned long thresh = tracing_thresh;
	struct trace_array *tr;

	if (global_trace.current_trace != &nop_trace) {
		pr_info("Tracers are not tested, one is running\n");
		return 0;
	}
	tr = trace_array_get_by_name("selftest", NULL);
	if (!tr)
		return -ENOMEM;
	/* What the command line asks for would hide what is looked for; no tracer is there yet. */
	WRITE_ONCE(tracing_thresh, 0);
	scoped_guard(mutex, &event_mutex) {
		guard(mutex)(&trace_types_lock);
		set_tracer_flag(tr, TRACE_ITER_OVERWRITE, true);
#ifdef CONFIG_FUNCTION_TRACER
		set_tracer_flag(tr, TRACE_ITER_FUNCTION, true);
#endif
	}
	for (int i = 0; i < ARRAY_SIZE(selftests); i++) {
		const char *bad = selftests[i].test ? selftests[i].test(tr) :
				  test_started(tr, selftests[i].tracer, selftests[i].records);

		if (bad)
			WARN(1, "Testing %s: FAILED: %s\n", selftests[i].what, bad);
		else
			pr_info("Testing %s: PASSED\n", selftests[i].what);
	}
	WRITE_ONCE(tracing_thresh, thresh);
	trace_array_put(tr);
	return trace_array_destroy(tr);
}
late_initcall(tracer_selftests);
