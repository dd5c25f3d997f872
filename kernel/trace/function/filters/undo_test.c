// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: taking away cannot fail. Each test has something traced by two, lets memory run out,
 * has one of them go in the way its users do, poisons what they would free and calls the function.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/mman.h>
#include <linux/slab.h>
#include <linux/trace.h>

#include "../../events/perf.h"
#include "../../instance/instance.h"
#include "../../instance/tracer.h"
#include "../../record/entries.h"
#include "../../record/function_entries.h"
#include "../../tests/counter.h"
#include "../../tests/instance.h"
#include "../../tests/suite.h"
#include "../sites/sites.h"
#include "filters.h"
#include "internal.h"
#include "function_profile.h"
#include "../sites/test_target.h"
#include "../../instance/text.h"

#define NAME		"kunit-undo"
#define OTHER		((unsigned long)kstrdup)	/* a second function, called by many */
#define POISON		0x6b

struct counter {
	struct ftrace_ops	ops;
	struct task_struct	*task;
	int			calls;
};

static void notrace count(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			  struct ftrace_regs *fregs)
{
	struct counter *counter = container_of(op, struct counter, ops);

	if (current == counter->task)
		counter->calls++;
}

/* From the allocator, not the test's: it goes before the test ends. */
static struct counter *counter_on(struct kunit *test, unsigned long func)
{
	struct counter *c = kzalloc(sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->ops.func = count;
	c->task = current;
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&c->ops, func, 0, 1), 0);
	return c;
}

static struct counter *registered_on(struct kunit *test, unsigned long func)
{
	struct counter *c = counter_on(test, func);

	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	return c;
}

static void poison_and_free(void *memory, size_t size)
{
	memset(memory, POISON, size);
	kfree(memory);
}

static void unregister(struct kunit *test, struct counter *c)
{
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c->ops), 0);
	ftrace_free_filter(&c->ops);
	poison_and_free(c, sizeof(*c));
}

static struct dyn_ftrace *rec_of(unsigned long func)
{
	unsigned long ip = ftrace_location(func);

	return ftrace_lookup_rec(ip, ip);
}

/* How many sets there is still memory for. Stubs are the test's own: others get their memory. */
static int sets_left;

static struct ftrace_op_set *few_sets(unsigned int nr)
{
	struct kunit *test = kunit_get_current_test();
	struct ftrace_op_set *set;

	if (sets_left <= 0)
		return NULL;
	sets_left--;
	kunit_deactivate_static_stub(test, ftrace_set_alloc);
	set = ftrace_set_alloc(nr);
	kunit_activate_static_stub(test, ftrace_set_alloc, few_sets);
	return set;
}

static struct ftrace_hash *no_hash(unsigned int expected)
{
	return NULL;
}

static void memory_runs_out(struct kunit *test, int sets)
{
	sets_left = sets;
	kunit_activate_static_stub(test, ftrace_set_alloc, few_sets);
	kunit_activate_static_stub(test, ftrace_hash_alloc, no_hash);
}

static void memory_is_back(struct kunit *test)
{
	kunit_deactivate_static_stub(test, ftrace_set_alloc);
	kunit_deactivate_static_stub(test, ftrace_hash_alloc);
}

/* Each of @c, but for those that have gone, sees a call, and no one else is there. */
static void expect_calls(struct kunit *test, struct counter **c, int n)
{
	unsigned int there = 0;
	int i;

	for (i = 0; i < n; i++) {
		if (c[i])
			c[i]->calls = 0;
	}
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	for (i = 0; i < n; i++) {
		there += !!c[i];
		if (c[i])
			KUNIT_EXPECT_EQ(test, c[i]->calls, 1);
	}
	KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec_of(TARGET)), there);
}

#define OPS	4

static void ops_go(struct kunit *test)
{
	static const int order[OPS] = { 1, 3, 0, 2 };
	struct counter *c[OPS], *healer;
	int i, sets;

	for (sets = 0; sets < OPS; sets++) {
		for (i = 0; i < OPS; i++)
			c[i] = registered_on(test, TARGET);
		memory_runs_out(test, sets);
		for (i = 0; i < OPS; i++) {
			unregister(test, c[order[i]]);
			c[order[i]] = NULL;
			expect_calls(test, c, OPS);
			if (i != 1)
				continue;
			/* Who comes when there is memory again has the stand-ins replaced. */
			memory_is_back(test);
			healer = registered_on(test, OTHER);
			KUNIT_EXPECT_EQ(test, rec_of(TARGET)->set->nr_gone, 0);
			expect_calls(test, c, OPS);
			unregister(test, healer);
			memory_runs_out(test, sets);
		}
		KUNIT_EXPECT_NULL(test, rec_of(TARGET)->set);
		memory_is_back(test);
	}
}

/* One that does not come leaves no trace, however far it got. */
static void ops_do_not_come(struct kunit *test)
{
	struct counter *a = registered_on(test, TARGET), *b = registered_on(test, OTHER);
	struct counter *away = registered_on(test, TARGET), *c;
	struct ftrace_op_set *before;
	int sets, ret;

	/* begin with a set that has a stand-in */
	memory_runs_out(test, 0);
	unregister(test, away);
	memory_is_back(test);
	KUNIT_EXPECT_EQ(test, rec_of(TARGET)->set->nr_gone, 1);
	before = rec_of(TARGET)->set;

	for (sets = 0; sets < 2; sets++) {
		c = counter_on(test, TARGET);
		KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&c->ops, OTHER, 0, 0), 0);
		memory_runs_out(test, sets);
		ret = register_ftrace_function(&c->ops);
		KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
		KUNIT_EXPECT_PTR_EQ(test, rec_of(TARGET)->set, before);
		/* what was made of text for it is not left to nobody */
		KUNIT_EXPECT_EQ(test, c->ops.trampoline, 0UL);
		ftrace_free_filter(&c->ops);
		poison_and_free(c, sizeof(*c));
		expect_calls(test, &a, 1);
		memory_is_back(test);
	}

	/* the same with a filter */
	c = registered_on(test, OTHER);
	for (sets = 0; sets < 2; sets++) {
		kunit_activate_static_stub(test, ftrace_set_alloc, few_sets);
		sets_left = sets;
		KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&c->ops, TARGET, 0, 1), -ENOMEM);
		kunit_deactivate_static_stub(test, ftrace_set_alloc);
		KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec_of(OTHER)), 2);
		expect_calls(test, &a, 1);
	}
	unregister(test, c);
	unregister(test, a);
	unregister(test, b);
}

static void functions_leave_a_filter(struct kunit *test)
{
	struct counter *a = registered_on(test, TARGET), *b = counter_on(test, TARGET);

	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&a->ops, OTHER, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&b->ops, OTHER, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&b->ops), 0);
	KUNIT_EXPECT_PTR_EQ(test, rec_of(TARGET)->set, rec_of(OTHER)->set);

	/* Both sites have the same set, and one of them keeps it. */
	memory_runs_out(test, 0);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&b->ops, TARGET, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&b->ops, TARGET, 1, 0), -ENOENT);
	expect_calls(test, &a, 1);
	KUNIT_EXPECT_EQ(test, b->calls, 0);
	kfree(kstrdup("x", GFP_KERNEL));
	KUNIT_EXPECT_GT(test, b->calls, 0);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(&b->ops, "!kstrdup", 8, 0), 0);
	b->calls = 0;
	kfree(kstrdup("x", GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, b->calls, 0);

	/* Live patches do not free the filter that they have emptied: it is nobody's memory. */
	KUNIT_EXPECT_PTR_EQ(test, ftrace_ops_filter(&b->ops), &ftrace_hash_none);
	memory_is_back(test);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&b->ops, TARGET, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, ftrace_hash_none.count, 0);
	b->calls = 0;
	KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
	KUNIT_EXPECT_EQ(test, b->calls, 1);
	unregister(test, b);
	unregister(test, a);
}

/* Who was there before is called as before, and there is memory again. */
static void ends_well(struct kunit *test, struct counter *c)
{
	expect_calls(test, &c, 1);
	memory_is_back(test);
	unregister(test, c);
}

/* FUNC:traceoff, or without it where @func begins with a ! */
static int traceoff_at(struct trace_function *fn, const char *func)
{
	char name[8], command[] = "traceoff";
	const char *wrong = NULL;

	strscpy(name, func);
	return ftrace_command_run(fn, name, command, NULL, &wrong);
}

static void a_command_goes(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);
	struct counter *c = registered_on(test, TARGET);
	struct trace_function *fn;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	fn = trace_function_of(tr);
	KUNIT_EXPECT_EQ(test, traceoff_at(fn, "lcm"), 0);
	KUNIT_EXPECT_EQ(test, traceoff_at(fn, "gcd"), 0);
	KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec_of(TARGET)), 2);

	/* from one of its functions, and with the instance from the other */
	memory_runs_out(test, 0);
	KUNIT_EXPECT_EQ(test, traceoff_at(fn, "!lcm"), 0);
	expect_calls(test, &c, 1);
	test_instance_end(test, tr);
	ends_well(test, c);
}

/* Destroyed with a command and a tracer on the same function, and others beside them. */
static void an_instance_goes(struct kunit *test)
{
	static const char * const tracers[] = {
		"function",
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
		"function_graph",
#endif
	};
	struct counter *c = registered_on(test, TARGET);
	struct trace_function *fn;
	struct trace_array *tr;
	int i;

	for (i = 0; i < ARRAY_SIZE(tracers); i++) {
		tr = trace_array_get_by_name(NAME, NULL);
		KUNIT_ASSERT_NOT_NULL(test, tr);
		fn = trace_function_of(tr);
		KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&fn->shared.ops, TARGET, 0, 1), 0);
		KUNIT_EXPECT_EQ(test, tracing_set_tracer(tr, tracers[i]), 0);
		KUNIT_EXPECT_EQ(test, traceoff_at(fn, "lcm"), 0);
		KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec_of(TARGET)), 3);

		memory_runs_out(test, 0);
		test_instance_end(test, tr);
		expect_calls(test, &c, 1);
		memory_is_back(test);
	}
	unregister(test, c);
}

#ifdef CONFIG_FUNCTION_PROFILER
static void the_profiler_goes(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);
	struct counter *c = registered_on(test, TARGET);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, function_profile_set(trace_function_of(tr), true), 0);
	KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec_of(TARGET)), 2);
	memory_runs_out(test, 0);
	KUNIT_EXPECT_EQ(test, function_profile_set(trace_function_of(tr), false), 0);
	expect_calls(test, &c, 1);
	test_instance_end(test, tr);
	ends_well(test, c);
}
#endif

#ifdef CONFIG_PERF_EVENTS
/* The function event, of this task; it is not on. */
static struct perf_event *function_event(struct kunit *test)
{
	struct perf_event_attr attr = { .config = TRACE_FN, .disabled = 1 };
	struct perf_event *event = test_counter(&attr, NULL, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event;
}

static void an_event_of_perf_goes(struct kunit *test)
{
	struct counter *c = registered_on(test, TARGET);
	struct perf_event *event = function_event(test);

	KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec_of(TARGET)), 2);
	memory_runs_out(test, 0);
	perf_event_release_kernel(event);
	ends_well(test, c);
}

/* As when text cannot be written any more: what may be called stays when perf frees its event. */
static void a_stuck_event_of_perf_goes(struct kunit *test)
{
	struct perf_event *event = function_event(test);
	struct ftrace_ops *ops;
	ftrace_func_t func;

	mutex_lock(&ftrace_lock);
	ops = rcu_dereference_protected(ftrace_ops_list, true);
	mutex_unlock(&ftrace_lock);
	func = ops->func;
	KUNIT_EXPECT_TRUE(test, ops->flags & FTRACE_OPS_FL_ENABLED);
	if ((void *)ops >= (void *)event && (void *)ops < (void *)(event + 1)) {
		KUNIT_FAIL(test, "perf frees the ops with its event");
		perf_event_release_kernel(event);
		return;
	}

	WRITE_ONCE(ftrace_text_stuck, true);
	perf_event_release_kernel(event);
	WRITE_ONCE(ftrace_text_stuck, false);
	KUNIT_EXPECT_FALSE(test, ops->flags & FTRACE_OPS_FL_ENABLED);
	KUNIT_EXPECT_PTR_NE(test, (void *)ops->func, (void *)func);
	KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec_of(TARGET)), 0);
	/* Nothing calls it, in truth: the test frees what begins with it. */
	ftrace_ops_drop_trampoline(ops);
	kfree(ops);
}
#endif

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
static void a_direct_call_goes(struct kunit *test)
{
	const unsigned long addr = (unsigned long)direct_test_tramp;
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);
	struct counter *c = registered_on(test, TARGET);

	KUNIT_ASSERT_NOT_NULL(test, ops);
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(ops, TARGET, 0, 1), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_direct(ops, addr), 0);
	expect_direct(test, true);
	memory_runs_out(test, 0);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(ops, addr, true), 0);
	KUNIT_EXPECT_NULL(test, ops->func);
	poison_and_free(ops, sizeof(*ops));
	KUNIT_EXPECT_EQ(test, ftrace_find_rec_direct(ftrace_location(TARGET)), 0);
	expect_direct(test, false);
	ends_well(test, c);
}
#endif

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
struct graph_counter {
	struct fgraph_ops	gops;
	struct task_struct	*task;
	int			entries, returns;
};

static int notrace graph_in(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	struct graph_counter *counter = container_of(gops, struct graph_counter, gops);

	if (current != counter->task)
		return 0;
	counter->entries++;
	return 1;
}

static void notrace graph_out(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	container_of(gops, struct graph_counter, gops)->returns++;
}

static void graph_users_go(struct kunit *test)
{
	struct counter *c = registered_on(test, TARGET);
	struct graph_counter *g[3];
	int i, k, round;

	/* beside ops of another kind, and alone among themselves */
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 3; i++) {
			g[i] = kzalloc(sizeof(*g[i]), GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, g[i]);
			g[i]->gops.entryfunc = graph_in;
			g[i]->gops.retfunc = graph_out;
			g[i]->task = current;
			KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&g[i]->gops.ops, TARGET, 0, 1),
					0);
			KUNIT_ASSERT_EQ(test, register_ftrace_graph(&g[i]->gops), 0);
		}
		memory_runs_out(test, 0);
		for (i = 0; i < 3; i++) {
			unregister_ftrace_graph(&g[i]->gops);
			ftrace_free_filter(&g[i]->gops.ops);
			poison_and_free(g[i], sizeof(*g[i]));
			for (k = i + 1; k < 3; k++) {
				g[k]->entries = 0;
				g[k]->returns = 0;
			}
			KUNIT_EXPECT_EQ(test, call_target(), LCM_4_6);
			for (k = i + 1; k < 3; k++) {
				KUNIT_EXPECT_EQ(test, g[k]->entries, 1);
				KUNIT_EXPECT_EQ(test, g[k]->returns, 1);
			}
		}
		memory_is_back(test);
		if (!round) {
			expect_calls(test, &c, 1);
			unregister(test, c);
		}
	}
	KUNIT_EXPECT_NULL(test, rec_of(TARGET)->set);
}

/* A task that paused the graph before it had a shadow stack, as CPUs do on their way to sleep. */
struct pauser {
	struct completion	paused, go_on, done;
	int			count;
};

static int pause_and_go_on(void *data)
{
	struct pauser *p = data;

	/* It may have one from its birth: it begins as a task did that came before the graph. */
	kfree(current->ret_stack);
	current->ret_stack = NULL;
	pause_graph_tracing();
	complete(&p->paused);
	wait_for_completion(&p->go_on);
	unpause_graph_tracing();
	p->count = atomic_read(&current->tracing_graph_pause);
	complete(&p->done);
	return 0;
}

static void a_pause_outlives_the_first_user(struct kunit *test)
{
	struct graph_counter *g = kunit_kzalloc(test, sizeof(*g), GFP_KERNEL);
	struct pauser *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	struct task_struct *t;

	KUNIT_ASSERT_NOT_NULL(test, g);
	KUNIT_ASSERT_NOT_NULL(test, p);
	init_completion(&p->paused);
	init_completion(&p->go_on);
	init_completion(&p->done);
	p->count = INT_MIN;
	t = kthread_run(pause_and_go_on, p, "kunit-pause");
	KUNIT_ASSERT_FALSE(test, IS_ERR(t));
	wait_for_completion(&p->paused);
	g->gops.entryfunc = graph_in;
	g->task = current;
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&g->gops.ops, TARGET, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_graph(&g->gops), 0);
	KUNIT_EXPECT_NOT_NULL(test, t->ret_stack);
	complete(&p->go_on);
	wait_for_completion(&p->done);
	KUNIT_EXPECT_EQ(test, p->count, 0);
	unregister_ftrace_graph(&g->gops);
	ftrace_free_filter(&g->gops.ops);
}
#endif

/* Words that wait for a module are read again when others come. */
static void words_keep_their_stars(struct kunit *test)
{
	struct module *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	struct ftrace_hash *hash = ftrace_hash_alloc(0);
	struct ftrace_text text = {};
	LIST_HEAD(words);

	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_ASSERT_NOT_NULL(test, hash);
	strscpy(other->name, "other", sizeof(other->name));
	KUNIT_EXPECT_EQ(test, ftrace_mods_add(&words, "foo*", "bar"), 0);
	KUNIT_EXPECT_EQ(test, ftrace_mods_add(&words, "*foo*", "bar"), 0);
	KUNIT_EXPECT_EQ(test, ftrace_mods_add(&words, "*", "ot?er"), 0);
	mutex_lock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, ftrace_mods_apply(&words, other, hash), 0);
	mutex_unlock(&ftrace_lock);
	ftrace_mods_show(&words, &text);
	ftrace_text_put(&text, "", 1);
	KUNIT_EXPECT_STREQ(test, text.buf, "foo*:mod:bar\n*foo*:mod:bar\n*:mod:ot?er\n");
	KUNIT_EXPECT_EQ(test, ftrace_mods_del(&words, "foo*", "bar"), 0);
	kvfree(text.buf);
	ftrace_mods_free(&words);
	ftrace_hash_free(hash);
}

/* set_ftrace_filter of @tr, opened to be written to. */
static struct file *open_filter(struct kunit *test, struct trace_array *tr, unsigned int flags)
{
	struct file *file = test_file_of(test, tr);

	file->f_mode = FMODE_WRITE;
	file->f_flags = O_WRONLY | flags;
	atomic_long_set(&file->f_count, 1);
	KUNIT_ASSERT_EQ(test, ftrace_filter_fops.open(file->f_inode, file), 0);
	return file;
}

static ssize_t write_words(struct kunit *test, struct file *file, const char *words)
{
	size_t len = strlen(words);
	char __user *user;
	loff_t pos = 0;

	user = (char __user *)kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
					    MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, (unsigned long)user, 0);
	KUNIT_ASSERT_EQ(test, copy_to_user(user, words, len), 0);
	return ftrace_filter_fops.write(file, user, len, &pos);
}

static int close_filter(struct file *file)
{
	int ret = ftrace_filter_fops.flush(file, NULL);

	ftrace_filter_fops.release(file->f_inode, file);
	return ret;
}

/* All of that. Return: what the last close says. */
static int write_filter(struct kunit *test, struct trace_array *tr, unsigned int flags,
			const char *words)
{
	struct file *file = open_filter(test, tr, flags);
	int ret;

	KUNIT_EXPECT_EQ(test, write_words(test, file, words), strlen(words));
	/* there is memory for all but the sets that the new filter needs */
	kunit_activate_static_stub(test, ftrace_set_alloc, few_sets);
	sets_left = 0;
	/* a shell has the file twice, and goes on writing when it has closed one of the two */
	atomic_long_set(&file->f_count, 2);
	KUNIT_EXPECT_EQ(test, ftrace_filter_fops.flush(file, NULL), 0);
	atomic_long_set(&file->f_count, 1);
	ret = close_filter(file);
	kunit_deactivate_static_stub(test, ftrace_set_alloc);
	return ret;
}

/* How often there is still memory for addresses. */
static int slots_left;

static unsigned long *few_slots(unsigned int bits)
{
	struct kunit *test = kunit_get_current_test();
	unsigned long *slots;

	if (slots_left <= 0)
		return NULL;
	slots_left--;
	kunit_deactivate_static_stub(test, ftrace_hash_slots);
	slots = ftrace_hash_slots(bits);
	kunit_activate_static_stub(test, ftrace_hash_slots, few_slots);
	return slots;
}

#define MANY	"vfs_*"		/* more functions than the smallest hash has room for */

/*
 * A word of many functions, with or without !, behind one that is taken and with memory for so many
 * hashes: is it taken, too? If it is not, the file does what the first one says.
 */
static bool word_is_taken(struct kunit *test, struct trace_array *tr, int slots,
			  const char *first, const char *word)
{
	struct ftrace_ops *ops = &function_ops_of(tr)->ops;
	struct file *file = open_filter(test, tr, O_TRUNC);
	unsigned int before;
	ssize_t ret;

	KUNIT_EXPECT_EQ(test, write_filter(test, tr, O_TRUNC, first), 0);
	before = ftrace_ops_filter(ops)->count;
	KUNIT_EXPECT_EQ(test, write_words(test, file, first), strlen(first));
	slots_left = slots;
	kunit_activate_static_stub(test, ftrace_hash_slots, few_slots);
	ret = write_words(test, file, word);
	kunit_deactivate_static_stub(test, ftrace_hash_slots);
	KUNIT_EXPECT_EQ(test, close_filter(file), 0);
	if (ret > 0) {
		KUNIT_EXPECT_NE(test, ftrace_ops_filter(ops)->count, before);
		return true;
	}
	KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
	KUNIT_EXPECT_EQ(test, ftrace_ops_filter(ops)->count, before);
	return false;
}

static void a_word_is_refused_as_a_whole(struct kunit *test)
{
	static const struct {
		const char	*first, *word;
	} t[] = {
		{ "lcm ", MANY " " },
		{ MANY " lcm ", "!" MANY " " },
	};
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	for (int i = 0; i < ARRAY_SIZE(t); i++) {
		int slots = 0;

		while (slots < 30 && !word_is_taken(test, tr, slots, t[i].first, t[i].word))
			slots++;
		/* it needed more than the one that every word begins with */
		KUNIT_EXPECT_GT(test, slots, 1);
		KUNIT_EXPECT_LT(test, slots, 30);
	}
	test_instance_end(test, tr);
}

/* Nothing stands behind the last word: whoever closes hears what is wrong with it. */
static void close_says_of_the_last_word(struct kunit *test)
{
	static const struct {
		const char	*words;
		int		says;
	} t[] = {
		{ "lcm", 0 },
		{ "lcm no_such_function", -EINVAL },
		{ "lcm no_such_function ", 0 },
	};
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	for (int i = 0; i < ARRAY_SIZE(t); i++) {
		struct file *file = open_filter(test, tr, O_TRUNC);

		write_words(test, file, t[i].words);
		KUNIT_EXPECT_EQ(test, close_filter(file), t[i].says);
		KUNIT_EXPECT_EQ(test, ftrace_ops_filter(&function_ops_of(tr)->ops)->count, 1);
	}
	test_instance_end(test, tr);
}

#ifdef CONFIG_MODULES
static bool it_is_here(const char *module)
{
	return true;
}

/* A module that can be found, and its functions are about to come: words wait for them. */
static void words_for_a_module_that_comes(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);
	struct dyn_ftrace *rec = kunit_kzalloc(test, sizeof(*rec), GFP_KERNEL);
	struct ftrace_table table = { .mod = mod, .nr = 1, .recs = rec };
	struct trace_function *fn;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_NOT_NULL(test, mod);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	fn = trace_function_of(tr);
	strscpy(mod->name, "kunit_coming");
	mod->state = MODULE_STATE_COMING;
	rec->ip = (unsigned long)rec;	/* no code is there */
	rec->flags = FTRACE_FL_DISABLED;
	mutex_lock(&ftrace_lock);
	list_add_tail_rcu(&table.list, &ftrace_tables);
	mutex_unlock(&ftrace_lock);

	kunit_activate_static_stub(test, ftrace_module_is_here, it_is_here);
	KUNIT_EXPECT_EQ(test, write_filter(test, tr, O_TRUNC, "f*:mod:kunit_coming\n"), 0);
	kunit_deactivate_static_stub(test, ftrace_module_is_here);
	KUNIT_EXPECT_TRUE(test, ftrace_mods_has(&fn->wait_filter, "f*", "kunit_coming"));

	mutex_lock(&ftrace_lock);
	list_del_rcu(&table.list);
	mutex_unlock(&ftrace_lock);
	synchronize_rcu();
	test_instance_end(test, tr);
}
#endif

static void a_filter_is_refused_as_a_whole(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);
	struct counter *other = registered_on(test, TARGET), *c;
	struct trace_function *fn;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	fn = trace_function_of(tr);
	/* an ops that obeys the filter of the instance */
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c);
	c->ops.func = count;
	c->task = current;
	c->ops.func_hash = &fn->shared.ops.local_hash;

	/* Nothing runs: what waits needs no set. */
	KUNIT_EXPECT_EQ(test, write_filter(test, tr, O_TRUNC, "f*:mod:absent\n"), 0);
	KUNIT_EXPECT_TRUE(test, ftrace_mods_has(&fn->wait_filter, "f*", "absent"));
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);

	/* A filter that overwrites it, and one that takes it away and adds another. */
	KUNIT_EXPECT_EQ(test, tr->n_err_log_entries, 0);
	KUNIT_EXPECT_EQ(test, write_filter(test, tr, O_TRUNC, "lcm g:mod:absent\n"), -ENOMEM);
	KUNIT_EXPECT_EQ(test, tr->n_err_log_entries, 1);
	KUNIT_EXPECT_TRUE(test, ftrace_mods_has(&fn->wait_filter, "f*", "absent"));
	KUNIT_EXPECT_FALSE(test, ftrace_mods_has(&fn->wait_filter, "g", "absent"));
	KUNIT_EXPECT_EQ(test, write_filter(test, tr, O_APPEND, "!f*:mod:absent lcm\n"), -ENOMEM);
	KUNIT_EXPECT_EQ(test, tr->n_err_log_entries, 2);
	KUNIT_EXPECT_TRUE(test, ftrace_mods_has(&fn->wait_filter, "f*", "absent"));
	KUNIT_EXPECT_FALSE(test, ftrace_hash_has(ftrace_ops_filter(&fn->shared.ops),
						 rec_of(TARGET)->ip));
	KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec_of(TARGET)), 1);

	/* What needs no memory is done. */
	KUNIT_EXPECT_EQ(test, write_filter(test, tr, O_APPEND,
					   "!f*:mod:absent g:mod:absent g:mod:absent\n"), 0);
	KUNIT_EXPECT_EQ(test, tr->n_err_log_entries, 2);
	KUNIT_EXPECT_FALSE(test, ftrace_mods_has(&fn->wait_filter, "f*", "absent"));
	KUNIT_EXPECT_TRUE(test, ftrace_mods_has(&fn->wait_filter, "g", "absent"));
	KUNIT_EXPECT_TRUE(test, list_is_singular(&fn->wait_filter));

	unregister(test, other);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c->ops), 0);
	poison_and_free(c, sizeof(*c));
	test_instance_end(test, tr);
}

static struct kunit_case undo_cases[] = {
	KUNIT_CASE(ops_go),
	KUNIT_CASE(ops_do_not_come),
	KUNIT_CASE(functions_leave_a_filter),
	KUNIT_CASE(a_command_goes),
	KUNIT_CASE(an_instance_goes),
#ifdef CONFIG_FUNCTION_PROFILER
	KUNIT_CASE(the_profiler_goes),
#endif
#ifdef CONFIG_PERF_EVENTS
	KUNIT_CASE(an_event_of_perf_goes),
	KUNIT_CASE(a_stuck_event_of_perf_goes),
#endif
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	KUNIT_CASE(a_direct_call_goes),
#endif
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	KUNIT_CASE(graph_users_go),
	KUNIT_CASE(a_pause_outlives_the_first_user),
#endif
	KUNIT_CASE(words_keep_their_stars),
#ifdef CONFIG_MODULES
	KUNIT_CASE(words_for_a_module_that_comes),
#endif
	KUNIT_CASE(a_filter_is_refused_as_a_whole),
	KUNIT_CASE(a_word_is_refused_as_a_whole),
	KUNIT_CASE(close_says_of_the_last_word),
	{ }
};

TRACE_KUNIT_SUITE("function_undo", undo_cases);
