// SPDX-License-Identifier: GPL-2.0-only
/* The part of function tracing that every instance has. */
#include <linux/module.h>
#include <linux/slab.h>

#include "../../events/perf.h"
#include "../../ring_buffer/fast.h"
#include "../sites/sites.h"
#include "filters.h"
#include "function_profile.h"
#include "instances.h"
#include "internal.h"

/* Static, so that starting the tracer in the top instance needs no grace period to stop again. */
struct trace_function ftrace_global = {
	.wait_filter	= LIST_HEAD_INIT(ftrace_global.wait_filter),
	.wait_notrace	= LIST_HEAD_INIT(ftrace_global.wait_notrace),
	.probes		= LIST_HEAD_INIT(ftrace_global.probes),
};

LIST_HEAD(ftrace_instances);
static LIST_HEAD(ftrace_chosen_ops);	/* ftrace_lock */

/* @mod is there: functions that filters wait for go into them. ftrace_lock */
static void filter_module(struct list_head *waiting, struct ftrace_hash __rcu **slot,
			  struct module *mod)
{
	struct ftrace_hash *hash = rcu_dereference_protected(*slot, true);

	if (list_empty(waiting))
		return;
	if (!hash || hash == &ftrace_hash_none) {
		hash = ftrace_hash_alloc(0);
		if (!hash)
			return;
		if (!ftrace_mods_apply(waiting, mod, hash)) {
			ftrace_hash_free(hash);
			return;
		}
		rcu_assign_pointer(*slot, hash);
		return;
	}
	ftrace_mods_apply(waiting, mod, hash);
}

static void filters_module(struct module *mod)
{
	struct ftrace_chosen *chosen;
	struct trace_function *fn;

	list_for_each_entry(fn, &ftrace_instances, list) {
		filter_module(&fn->wait_filter, &fn->shared.ops.local_hash.filter_hash, mod);
		filter_module(&fn->wait_notrace, &fn->shared.ops.local_hash.notrace_hash, mod);
	}
	list_for_each_entry(chosen, &ftrace_chosen_ops, list)
		filter_module(&chosen->wait, &chosen->ops.local_hash.filter_hash, mod);
	ftrace_filter_files_module(mod);
}

static void ops_forget(struct ftrace_ops *ops, unsigned long start, unsigned long end)
{
	struct ftrace_hash *hash = ftrace_ops_filter(ops);

	if (hash)
		ftrace_hash_del_range(hash, start, end);
	hash = ftrace_ops_notrace(ops);
	if (hash)
		ftrace_hash_del_range(hash, start, end);
}

static void filters_forget(unsigned long start, unsigned long end)
{
	struct ftrace_chosen *chosen;
	struct trace_function *fn;

	list_for_each_entry(chosen, &ftrace_chosen_ops, list)
		ops_forget(&chosen->ops, start, end);
	list_for_each_entry(fn, &ftrace_instances, list) {
		ops_forget(&fn->shared.ops, start, end);
		ftrace_commands_forget(fn, start, end);
		graph_filters_forget(fn, start, end);
	}
	ftrace_filter_files_forget(start, end);
	graph_filter_files_forget(start, end);
}

static const struct ftrace_sites_user filters_user = {
	.module	= filters_module,
	.forget	= filters_forget,
};

static int function_init(struct trace_array *tr)
{
	struct trace_function *fn = &ftrace_global;
	int cpu;

	if (!trace_array_is_top(tr)) {
		fn = kzalloc(sizeof(*fn), GFP_KERNEL);
		if (!fn)
			return -ENOMEM;
		INIT_LIST_HEAD(&fn->wait_filter);
		INIT_LIST_HEAD(&fn->wait_notrace);
		INIT_LIST_HEAD(&fn->probes);
	}
	fn->shared.traced_pid = alloc_percpu(int);
	if (!fn->shared.traced_pid) {
		if (fn != &ftrace_global)
			kfree(fn);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu)
		per_cpu(*fn->shared.traced_pid, cpu) = FUNCTION_PID_NONE;
	fn->shared.tr = tr;
	fn->shared.cpus = ring_buffer_cpus(tr->array_buffer.buffer);
	tr->room[ROOM_FUNCTION] = &fn->shared;
	mutex_lock(&ftrace_lock);
	ftrace_ops_init(&fn->shared.ops);
	list_add_tail(&fn->list, &ftrace_instances);
	mutex_unlock(&ftrace_lock);
	return 0;
}

static void function_exit(struct trace_array *tr)
{
	struct trace_function *fn = trace_function_of(tr);
	bool keep = ftrace_ops_keep(&fn->shared.ops);

	function_profile_free(fn);
	mutex_lock(&ftrace_lock);
	ftrace_commands_free(fn);
	graph_filters_free(fn);
	list_del(&fn->list);
	ftrace_hashes_install(&fn->shared.ops, NULL, NULL);
	ftrace_mods_free(&fn->wait_filter);
	ftrace_mods_free(&fn->wait_notrace);
	mutex_unlock(&ftrace_lock);
	ftrace_commands_stop();
	free_percpu(fn->shared.traced_pid);
	tr->room[ROOM_FUNCTION] = NULL;
	if (fn != &ftrace_global && !keep)
		kfree(fn);
}

static void function_files(struct trace_array *tr, struct dentry *dir)
{
	function_filter_files(tr, dir);
	graph_filter_files(tr, dir);
	function_profile_files(tr, dir);
}

const struct instance_feature function_feature = {
	.name		= "function tracing",
	.init		= function_init,
	.exit		= function_exit,
	.files		= function_files,
	.top_files	= function_list_files,
};

#ifdef CONFIG_PERF_EVENTS
static const struct event_function_class perf_class = {
	.reg		= perf_function_reg,
	.may_open	= perf_function_may_open,
	.set_filter	= perf_function_set_filter,
};
#endif

/**
 * ftrace_chosen_init - functions can be chosen for an ops
 * @chosen: not registered yet
 *
 * Context: task, boot.
 */
void __init ftrace_chosen_init(struct ftrace_chosen *chosen)
{
	INIT_LIST_HEAD(&chosen->wait);
	mutex_lock(&ftrace_lock);
	ftrace_ops_init(&chosen->ops);
	list_add_tail(&chosen->list, &ftrace_chosen_ops);
	mutex_unlock(&ftrace_lock);
}

/**
 * function_early_init - what those below are told of this room, and the filters of the command line
 *
 * Context: boot; the top instance is there, events are not. Nothing is traced yet.
 */
void __init function_early_init(void)
{
	mutex_lock(&ftrace_lock);
	ftrace_sites_user_register(&filters_user);
	mutex_unlock(&ftrace_lock);
#ifdef CONFIG_PERF_EVENTS
	event_function_class_register(&perf_class);
#endif
	ftrace_boot_filters();
}
