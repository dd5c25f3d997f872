// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints: the lists of probes that hook on them, and the modules that have some.
 *
 * A tracepoint has an array of probes; which they are never changes in place. Whoever
 * adds or removes one publishes another array and leaves the old one to those
 * who run it at that time: they hold off preemption, or are in tracepoint_srcu
 * where RCU does not watch, so an array is freed after a grace period of both. Only
 * the data of a probe may be exchanged: it is one word.
 *
 * Without static calls an array of several probes begins with the iterator, as if that
 * were one, with the rest of the array as its data: so a place calls what comes first and
 * need not look how many there are. If there are none, it is tracepoint_nobody; with CFI, NULL.
 *
 * With static calls the array is the probes alone, and there is a second thing to keep in
 * step. The place calls
 *
 *	static_call(tp_func_NAME)(funcs[0].data, ...)
 *
 * where the call goes to the only probe or to the iterator, which finds the array by
 * itself. Data and call are read one after the other, so the rules are
 *
 *  - the call goes to the iterator before a second probe can be seen;
 *  - the call goes to a probe only when nobody can hold the data of another one
 *    any more. Whenever the first entry's data leaves, @stale notes the grace
 *    period that ends its use, and a direct call waits for that one.
 */
#include <linux/cache.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/static_call.h>
#include <linux/static_key.h>
#include <linux/tracepoint.h>
#include <kunit/static_stub.h>
#include <kunit/visibility.h>

#include "tracepoint.h"

DEFINE_SRCU(tracepoint_srcu);
EXPORT_SYMBOL_GPL(tracepoint_srcu);

/* Serialises all changes: arrays, keys, calls, regfunc and unregfunc. */
static DEFINE_MUTEX(tracepoints_mutex);

/*
 * The priority of a probe that was removed while there was no memory for an array without it. Its
 * function is the stub then. The data stays, as somebody may be between the two.
 */
#define PRIO_REMOVED	INT_MIN

struct probe_array {
	struct rcu_head		rcu;
	struct tracepoint_func	probes[];
};

/* ---- arrays ---- */

/**
 * tracepoint_alloc_probes - make an array of probes
 * @nr: how many, without the one that ends the array
 *
 * Tests put a stub in its place to see memory run out.
 *
 * Return: the array, zeroed, or NULL.
 */
VISIBLE_IF_KUNIT struct tracepoint_func *tracepoint_alloc_probes(unsigned int nr)
{
	struct probe_array *array;

	KUNIT_STATIC_STUB_REDIRECT(tracepoint_alloc_probes, nr);

	array = kzalloc(struct_size(array, probes, nr + 1), GFP_KERNEL);
	return array ? array->probes : NULL;
}

static void free_probes_now(struct rcu_head *head)
{
	kfree(container_of(head, struct probe_array, rcu));
}

static void free_probes_after_rcu(struct rcu_head *head)
{
	call_srcu(&tracepoint_srcu, head, free_probes_now);
}

static void free_probes(struct tracepoint_func *probes)
{
	if (probes)
		call_rcu(&container_of(probes, struct probe_array, probes[0])->rcu,
			 free_probes_after_rcu);
}

#ifdef TRACEPOINT_HAS_NOBODY
static void no_probe(void)
{
}

struct tracepoint_func tracepoint_nobody[] __ro_after_init = {
	{ .func = no_probe },
	{ },
};
EXPORT_SYMBOL(tracepoint_nobody);
#endif

/* NULL if there are none. */
static struct tracepoint_func *current_probes(struct tracepoint *tp)
{
	struct tracepoint_func *probes =
		rcu_dereference_protected(tp->funcs, lockdep_is_held(&tracepoints_mutex));

	return probes == TRACEPOINT_NOBODY ? NULL : probes;
}

static bool probe_is_live(const struct tracepoint *tp, const struct tracepoint_func *probe)
{
	return probe->func != tp->iterator &&
	       (probe->prio != PRIO_REMOVED || probe->func != tp->probestub);
}

static bool same_probe(const struct tracepoint_func *a, const struct tracepoint_func *b)
{
	return a->func == b->func && a->data == b->data;
}

/* The live probe in @probes that equals @key; in @others, how many live ones do not. */
static struct tracepoint_func *find_probe(const struct tracepoint *tp,
					  struct tracepoint_func *probes,
					  const struct tracepoint_func *key,
					  unsigned int *others)
{
	struct tracepoint_func *p, *found = NULL;

	*others = 0;
	for (p = probes; p && p->func; p++) {
		if (!probe_is_live(tp, p))
			continue;
		if (same_probe(p, key))
			found = p;
		else
			++*others;
	}
	return found;
}

/* ---- what a place sees ---- */

/* Grace periods that end the use of data that was a first entry's, tracepoints_mutex. */
static struct {
	bool		pending;
	unsigned long	rcu;
	unsigned long	srcu;
} stale;

static void note_stale_data(void)
{
	if (!IS_ENABLED(CONFIG_HAVE_STATIC_CALL))
		return;		/* data and function come out of one array */

	stale.rcu = get_state_synchronize_rcu();
	stale.srcu = start_poll_synchronize_srcu(&tracepoint_srcu);
	stale.pending = true;
}

static void wait_for_stale_data(void)
{
	if (!stale.pending)
		return;

	cond_synchronize_rcu(stale.rcu);
	if (!poll_state_synchronize_srcu(&tracepoint_srcu, stale.srcu))
		synchronize_srcu(&tracepoint_srcu);
	stale.pending = false;
}

static void set_call(struct tracepoint *tp, void *func)
{
#ifdef CONFIG_HAVE_STATIC_CALL
	__static_call_update(tp->static_call_key, tp->static_call_tramp, func);
#endif
}

/* Give the place @new instead of @old, either of which may be NULL for no probes; drop @old. */
static void publish_probes(struct tracepoint *tp, struct tracepoint_func *old,
			   struct tracepoint_func *new)
{
	bool direct = new && !new[1].func;

	if (!new)
		static_key_disable(&tp->key);

	if (!direct) {
		set_call(tp, tp->iterator);
	} else if (!old) {
		wait_for_stale_data();
		set_call(tp, new->func);
	}

	rcu_assign_pointer(tp->funcs, new ?: TRACEPOINT_NOBODY);

	if (old && (!new || old->data != new->data))
		note_stale_data();

	if (direct && old) {
		/* the iterator does as long as somebody may hold other data */
		wait_for_stale_data();
		set_call(tp, new->func);
	}

	if (new && !old)
		static_key_enable(&tp->key);

	free_probes(old);
}

/* An array for @nr probes; @to: where they begin. */
static struct tracepoint_func *probes_new(struct tracepoint *tp, unsigned int nr,
					  struct tracepoint_func **to)
{
	bool iterated = !IS_ENABLED(CONFIG_HAVE_STATIC_CALL) && nr > 1;
	struct tracepoint_func *new = tracepoint_alloc_probes(nr + iterated);

	if (!new)
		return NULL;
	*to = new + iterated;
	if (iterated)
		*new = (struct tracepoint_func){ .func = tp->iterator, .data = *to };
	return new;
}

static int add_probe(struct tracepoint *tp, const struct tracepoint_func *probe, bool may_exist)
{
	struct tracepoint_func *old = current_probes(tp), *new, *to, *from;
	unsigned int nr;
	int ret;

	if (WARN_ON_ONCE(!probe->func))
		return -EINVAL;
	if (find_probe(tp, old, probe, &nr)) {
		WARN_ON_ONCE(!may_exist);
		return -EEXIST;
	}

	new = probes_new(tp, nr + 1, &to);
	if (!new)
		return -ENOMEM;

	/* behind all that run as early or earlier */
	for (from = old; from && from->func; from++)
		if (from->prio >= probe->prio && probe_is_live(tp, from))
			*to++ = *from;
	*to++ = *probe;
	for (from = old; from && from->func; from++)
		if (from->prio < probe->prio && probe_is_live(tp, from))
			*to++ = *from;

	if (!old && tp->regfunc) {
		ret = tp->regfunc();
		if (ret < 0) {
			/* nobody has seen it */
			kfree(container_of(new, struct probe_array, probes[0]));
			return ret;
		}
	}

	publish_probes(tp, old, new);
	return 0;
}

static int remove_probe(struct tracepoint *tp, const struct tracepoint_func *probe)
{
	struct tracepoint_func *old = current_probes(tp), *new = NULL, *to, *from, *found;
	unsigned int nr;

	found = find_probe(tp, old, probe, &nr);
	if (!found)
		return -ENOENT;

	if (nr) {
		new = probes_new(tp, nr, &to);
		if (!new) {
			/* Removing must not fail: leave the entry, without effect. */
			found->prio = PRIO_REMOVED;
			WRITE_ONCE(found->func, tp->probestub);
			return 0;
		}
		for (from = old; from->func; from++)
			if (from != found && probe_is_live(tp, from))
				*to++ = *from;
	}

	publish_probes(tp, old, new);
	if (!new && tp->unregfunc)
		tp->unregfunc();
	return 0;
}

/* ---- interface ---- */

static int probe_register(struct tracepoint *tp, void *probe, void *data, int prio, bool may_exist)
{
	struct tracepoint_func func = { .func = probe, .data = data, .prio = prio };

	guard(mutex)(&tracepoints_mutex);
	return add_probe(tp, &func, may_exist);
}

/**
 * tracepoint_probe_register_prio_may_exist - hook a probe on, if it is not there yet
 * @tp:	   the tracepoint
 * @probe: the function; its first argument is @data, the others are the tracepoint's
 * @data:  anything
 * @prio:  higher ones run earlier
 *
 * @probe runs with preemption off, in any context that the place is in, and as soon as this runs.
 *
 * Context: task, may sleep. Takes tracepoints_mutex and the locks of static keys and calls.
 * Return: 0; -EEXIST when @probe is there with @data; -ENOMEM; -EINVAL without a probe; what
 *	   regfunc of @tp said when it refused. On an error nothing has changed.
 */
int tracepoint_probe_register_prio_may_exist(struct tracepoint *tp, void *probe, void *data,
					     int prio)
{
	return probe_register(tp, probe, data, prio, true);
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register_prio_may_exist);

/**
 * tracepoint_probe_register_prio - hook a probe on that is not there
 * @tp:	   the tracepoint
 * @probe: the function
 * @data:  its first argument
 * @prio:  higher ones run earlier
 *
 * Context, Return: as tracepoint_probe_register_prio_may_exist(). -EEXIST is the
 * caller's mistake and warned of.
 */
int tracepoint_probe_register_prio(struct tracepoint *tp, void *probe, void *data, int prio)
{
	return probe_register(tp, probe, data, prio, false);
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register_prio);

/**
 * tracepoint_probe_register - hook a probe on at the usual priority
 * @tp:	   the tracepoint
 * @probe: the function
 * @data:  its first argument
 *
 * Context, Return: as tracepoint_probe_register_prio().
 */
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
	return probe_register(tp, probe, data, TRACEPOINT_DEFAULT_PRIO, false);
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register);

/**
 * tracepoint_probe_unregister - take a probe off
 * @tp:	   the tracepoint
 * @probe: the function
 * @data:  what it was registered with
 *
 * The probe may still be running on another CPU when this returns: before code or data of it go,
 * call tracepoint_synchronize_unregister().
 *
 * Context: task, may sleep; same locks as registering.
 * Return: 0, or -ENOENT when there is no such pair. Lack of memory is no error.
 */
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
	struct tracepoint_func func = { .func = probe, .data = data };

	guard(mutex)(&tracepoints_mutex);
	return remove_probe(tp, &func);
}
EXPORT_SYMBOL_GPL(tracepoint_probe_unregister);

/**
 * tracepoint_probe_set_data - give a probe that is there other data
 * @tp:	      the tracepoint
 * @probe:    the function
 * @data:     what it was registered with, or given last
 * @new_data: what it is to have
 *
 * Whenever the place fires the probe is run once, with the one or the other. What @new_data points
 * to is complete for whoever gets it. Before @data goes, call tracepoint_synchronize_unregister().
 *
 * Context: task, may sleep. Takes tracepoints_mutex. Needs no memory.
 * Return: 0, or -ENOENT when there is no such pair of @probe and @data.
 */
int tracepoint_probe_set_data(struct tracepoint *tp, void *probe, void *data, void *new_data)
{
	struct tracepoint_func func = { .func = probe, .data = data }, *found;
	unsigned int others;

	guard(mutex)(&tracepoints_mutex);
	found = find_probe(tp, current_probes(tp), &func, &others);
	if (!found)
		return -ENOENT;
	/* orders what the data points to; who runs the probe has an address dependency */
	smp_store_release(&found->data, new_data);
	if (found == current_probes(tp))
		note_stale_data();
	return 0;
}

/**
 * for_each_kernel_tracepoint - visit the tracepoints that are not in modules
 * @fct:  called for each
 * @priv: its second argument
 *
 * Context: any that @fct is for; no locks.
 */
void for_each_kernel_tracepoint(void (*fct)(struct tracepoint *tp, void *priv), void *priv)
{
	tracepoint_ptr_t *p;

	for (p = __start___tracepoints_ptrs; p < __stop___tracepoints_ptrs; p++)
		fct(tracepoint_ptr_deref(p), priv);
}
EXPORT_SYMBOL_GPL(for_each_kernel_tracepoint);

/* ---- CPUs that come and go ---- */

#ifdef CONFIG_SMP

/*
 * How many CPUs are between being off and being online; until it is kept, one more.
 *
 * A CPU that comes is counted before it is started. It is counted out by itself, when it is
 * online. One that goes counts itself before it ceases to be online, and is counted out when it is
 * dead. All that is ordered by how CPUs are started and waited for, and done under the lock of
 * hotplug. So a CPU that is not online and executes anything sees that the count is not 0.
 */
unsigned int tracepoint_cpus_moving __read_mostly = 1;
EXPORT_SYMBOL(tracepoint_cpus_moving);

/**
 * tracepoint_cpu_online - is this CPU online?
 *
 * For places that fire, by tracepoint_cpu_watched(). Context: any.
 */
notrace bool tracepoint_cpu_online(void)
{
	return cpu_online(raw_smp_processor_id());
}
EXPORT_SYMBOL(tracepoint_cpu_online);

static int cpu_moves(unsigned int cpu)
{
	WRITE_ONCE(tracepoint_cpus_moving, tracepoint_cpus_moving + 1);
	return 0;
}

static int cpu_has_moved(unsigned int cpu)
{
	WRITE_ONCE(tracepoint_cpus_moving, tracepoint_cpus_moving - 1);
	return 0;
}

/* Before other CPUs are started. If there is no place for it, everybody goes on asking. */
static int __init tracepoint_cpus_init(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "tracepoint:prepare", cpu_moves,
					cpu_has_moved);
	if (ret < 0)
		return ret;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "tracepoint:online", cpu_has_moved,
					cpu_moves);
	return ret < 0 ? ret : cpu_has_moved(0);
}
early_initcall(tracepoint_cpus_init);

#endif /* CONFIG_SMP */

/* ---- modules ---- */

#ifdef CONFIG_MODULES

/* The modules that have tracepoints; outside of tracepoints_mutex, as callbacks add probes. */
static DEFINE_MUTEX(tracepoint_module_mutex);
static LIST_HEAD(tracepoint_modules);
static BLOCKING_NOTIFIER_HEAD(tracepoint_module_chain);

/**
 * trace_module_has_bad_taint - may tracepoints and events of a module be used?
 * @mod: the module
 *
 * One that was forced in may have been built for other structs than this kernel has.
 */
bool trace_module_has_bad_taint(struct module *mod)
{
	const unsigned long harmless = BIT(TAINT_OOT_MODULE) | BIT(TAINT_CRAP) |
				       BIT(TAINT_UNSIGNED_MODULE) | BIT(TAINT_TEST) |
				       BIT(TAINT_LIVEPATCH);

	return mod->taints & ~harmless;
}

static void visit_module(struct module *mod,
			 void (*fct)(struct tracepoint *tp, struct module *mod, void *priv),
			 void *priv)
{
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++)
		fct(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), mod, priv);
}

/**
 * for_each_tracepoint_in_module - visit the tracepoints of one module
 * @mod:  the module
 * @fct:  called for each
 * @priv: its third argument
 *
 * Context: who is told of @mod by register_tracepoint_module_notifier(), which has the list of
 * modules locked.
 */
void for_each_tracepoint_in_module(struct module *mod,
				   void (*fct)(struct tracepoint *tp, struct module *mod,
					       void *priv),
				   void *priv)
{
	lockdep_assert_held(&tracepoint_module_mutex);
	visit_module(mod, fct, priv);
}

/**
 * for_each_module_tracepoint - visit the tracepoints of all modules
 * @fct:  called for each
 * @priv: its third argument
 *
 * Context: task, may sleep; @fct runs with the list of modules locked.
 */
void for_each_module_tracepoint(void (*fct)(struct tracepoint *tp, struct module *mod, void *priv),
				void *priv)
{
	struct tp_module *entry;

	guard(mutex)(&tracepoint_module_mutex);
	list_for_each_entry(entry, &tracepoint_modules, list)
		visit_module(entry->mod, fct, priv);
}

static void tell_about_modules(struct notifier_block *nb, unsigned long state)
{
	struct tp_module *entry;

	list_for_each_entry(entry, &tracepoint_modules, list)
		nb->notifier_call(nb, state, entry);
}

/**
 * register_tracepoint_module_notifier - hear of modules that have tracepoints
 * @nb: called with MODULE_STATE_COMING or _GOING and a struct tp_module, also for
 *	those that are loaded now
 *
 * Context: task, may sleep. @nb must not come back here; it may look at the tracepoints with
 * for_each_tracepoint_in_module().
 * Return: 0 or -EEXIST.
 */
int register_tracepoint_module_notifier(struct notifier_block *nb)
{
	int ret;

	guard(mutex)(&tracepoint_module_mutex);
	ret = blocking_notifier_chain_register(&tracepoint_module_chain, nb);
	if (!ret)
		tell_about_modules(nb, MODULE_STATE_COMING);
	return ret;
}
EXPORT_SYMBOL_GPL(register_tracepoint_module_notifier);

/**
 * unregister_tracepoint_module_notifier - hear no more of modules
 * @nb: what was registered; it is told that each loaded module goes
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOENT.
 */
int unregister_tracepoint_module_notifier(struct notifier_block *nb)
{
	int ret;

	guard(mutex)(&tracepoint_module_mutex);
	ret = blocking_notifier_chain_unregister(&tracepoint_module_chain, nb);
	if (!ret)
		tell_about_modules(nb, MODULE_STATE_GOING);
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_tracepoint_module_notifier);

static int module_with_tracepoints_coming(struct module *mod)
{
	struct tp_module *entry;

	if (trace_module_has_bad_taint(mod))
		return 0;

	entry = kmalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	entry->mod = mod;

	guard(mutex)(&tracepoint_module_mutex);
	list_add_tail(&entry->list, &tracepoint_modules);
	blocking_notifier_call_chain(&tracepoint_module_chain, MODULE_STATE_COMING, entry);
	return 0;
}

/* A probe left on a tracepoint whose module goes would be called through freed memory. */
static void check_is_quiet(struct tracepoint *tp, struct module *mod, void *priv)
{
	WARN_ONCE(rcu_access_pointer(tp->funcs) != TRACEPOINT_NOBODY,
		  "%s goes with a probe on its tracepoint %s\n", mod->name, tp->name);
}

static void module_with_tracepoints_going(struct module *mod)
{
	struct tp_module *entry;

	guard(mutex)(&tracepoint_module_mutex);
	list_for_each_entry(entry, &tracepoint_modules, list) {
		if (entry->mod != mod)
			continue;
		blocking_notifier_call_chain(&tracepoint_module_chain, MODULE_STATE_GOING, entry);
		list_del(&entry->list);
		kfree(entry);
		visit_module(mod, check_is_quiet, NULL);
		return;
	}
}

static int tracepoint_module_notify(struct notifier_block *self, unsigned long state, void *data)
{
	struct module *mod = data;
	int ret = 0;

	if (!mod->num_tracepoints)
		return NOTIFY_DONE;
	if (state == MODULE_STATE_COMING)
		ret = module_with_tracepoints_coming(mod);
	else if (state == MODULE_STATE_GOING)
		module_with_tracepoints_going(mod);
	return notifier_from_errno(ret);
}

static struct notifier_block tracepoint_module_nb = {
	.notifier_call = tracepoint_module_notify,
};

static __init int tracepoint_modules_init(void)
{
	return register_module_notifier(&tracepoint_module_nb);
}
postcore_initcall(tracepoint_modules_init);

#endif /* CONFIG_MODULES */

/* ---- system calls ---- */

#ifdef CONFIG_HAVE_SYSCALL_TRACEPOINTS

/* How many of sys_enter and sys_exit are on; tracepoints_mutex, which callers of regfunc hold. */
static int syscall_tracepoints_on;

static void set_syscall_work_of_all(bool on)
{
	struct task_struct *p, *t;

	/* fork copies the flag under the write side, see syscall_tracepoint_update() */
	read_lock(&tasklist_lock);
	for_each_process_thread(p, t) {
		if (on)
			set_task_syscall_work(t, SYSCALL_TRACEPOINT);
		else
			clear_task_syscall_work(t, SYSCALL_TRACEPOINT);
	}
	read_unlock(&tasklist_lock);
}

int syscall_regfunc(void)
{
	if (!syscall_tracepoints_on++)
		set_syscall_work_of_all(true);
	return 0;
}

void syscall_unregfunc(void)
{
	if (!--syscall_tracepoints_on)
		set_syscall_work_of_all(false);
}

/*
 * The command line switches on when there is no task to be marked: the first one is the boot CPU's
 * idle task, which is none of all processes, and what it forks inherits nothing. By now init and
 * kthreadd are there, and all others will have it from these.
 */
static int __init syscall_tracepoints_again(void)
{
	guard(mutex)(&tracepoints_mutex);
	if (syscall_tracepoints_on)
		set_syscall_work_of_all(true);
	return 0;
}
early_initcall(syscall_tracepoints_again);

#endif /* CONFIG_HAVE_SYSCALL_TRACEPOINTS */
