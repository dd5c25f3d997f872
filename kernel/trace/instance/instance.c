// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of instances: making, finding, referencing and destroying them.
 *
 * A reference keeps an instance from being destroyed, nothing else. The list
 * itself holds the first one, so an instance is idle when its count is 1.
 * Whoever has only a pointer that may be stale (inode->i_private of a file
 * whose directory is just going away) asks trace_array_get(), which compares
 * the pointer with those in the list and does not follow it.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include "../grace.h"
#include "internal.h"
#include "instance.h"
#include "tracer.h"

/* events of all instances, see instance.h */
DEFINE_MUTEX(event_mutex);
/* instances and tracers, see instance.h */
DEFINE_MUTEX(trace_types_lock);

LIST_HEAD(ftrace_trace_arrays);

bool tracing_disabled __read_mostly = true;

struct trace_array global_trace = {
	.flags		= TRACE_ARRAY_FL_GLOBAL,
	.trace_flags	= TRACE_DEFAULT_FLAGS,
	.current_trace	= &nop_trace,
	.ref		= 1,
};

/* Records wake a sleeping reader when half of a CPU's buffer is full. */
#define DEFAULT_BUFFER_PERCENT	50

static int setup_init(struct trace_array *tr)
{
	unsigned int flags = tr->trace_flags & TRACE_ITER_OVERWRITE ? RB_FL_OVERWRITE : 0;
	struct array_buffer *buf = &tr->array_buffer;

	if (!zalloc_cpumask_var(&tr->tracing_cpumask, GFP_KERNEL))
		return -ENOMEM;
	cpumask_copy(tr->tracing_cpumask, cpu_possible_mask);
	mutex_init(&tr->spare_lock);

	buf->tr = tr;
	buf->data = alloc_percpu(struct trace_array_cpu);
	if (!buf->data)
		goto free_mask;

	/* The ring buffer rounds a single byte up to the least that it can work with. */
	buf->buffer = ring_buffer_alloc(tr->ring_buffer_expanded ? trace_buf_size : 1, flags);
	if (!buf->buffer)
		goto free_data;

	tr->buffer_percent = DEFAULT_BUFFER_PERCENT;
	if (tr->clock_id)
		ring_buffer_set_clock(buf->buffer, trace_clocks[tr->clock_id].func);
	if (tr->buffer_disabled)
		ring_buffer_record_off(buf->buffer);
	return 0;

free_data:
	free_percpu(buf->data);
	buf->data = NULL;
free_mask:
	free_cpumask_var(tr->tracing_cpumask);
	return -ENOMEM;
}

static void setup_exit(struct trace_array *tr)
{
	ring_buffer_free(tr->array_buffer.buffer);
	tr->array_buffer.buffer = NULL;
	free_percpu(tr->array_buffer.data);
	tr->array_buffer.data = NULL;
	free_cpumask_var(tr->tracing_cpumask);
}

static void setup_files(struct trace_array *tr, struct dentry *dir)
{
	tracing_on_file(tr, dir);
	tracing_cpumask_file(tr, dir);
	free_buffer_file(tr, dir);
	size_files(tr, dir);
	clock_files(tr, dir);
}

const struct instance_feature instance_setup_feature = {
	.name		= "setup",
	.init		= setup_init,
	.exit		= setup_exit,
	.files		= setup_files,
	.cpu_files	= size_cpu_files,
	.top_files	= thresh_file,
};

/* Take down the first @nr features, last one first. */
static void features_exit(struct trace_array *tr, int nr)
{
	while (nr--) {
		if (instance_features[nr]->exit)
			instance_features[nr]->exit(tr);
	}
}

static int nr_features(void)
{
	int nr = 0;

	while (instance_features[nr])
		nr++;
	return nr;
}

/**
 * instance_features_init - set up what all rooms have in an instance
 * @tr: instance, not yet in the list
 *
 * Task context, event_mutex and trace_types_lock held.
 *
 * Return: 0, or the error of the first feature that failed, with those before
 * it taken down again.
 */
int instance_features_init(struct trace_array *tr)
{
	int i, err;

	/* This room's lists are empty from the start, whoever looks first. */
	INIT_LIST_HEAD(&tr->tracer_options);
	INIT_LIST_HEAD(&tr->err_log);

	for (i = 0; instance_features[i]; i++) {
		if (!instance_features[i]->init)
			continue;
		err = instance_features[i]->init(tr);
		if (err) {
			features_exit(tr, i);
			return err;
		}
	}
	return 0;
}

/* A name becomes a directory; one that can not be entered would be no use. */
static bool instance_name_ok(const char *name)
{
	size_t len = name ? strnlen(name, NAME_MAX + 1) : 0;

	return len && len <= NAME_MAX && !strchr(name, '/') &&
	       strcmp(name, ".") && strcmp(name, "..");
}

static void instance_free(struct trace_array *tr)
{
	kfree_const(tr->system_names);
	kfree(tr->name);
	kfree(tr);
}

/**
 * trace_array_create - make an instance
 * @name: of its directory below instances/
 * @systems: comma-separated event systems that it is to have, NULL for all
 *
 * It starts with the options of the top instance as they are now, less those
 * that only one can have. Its buffer has its full size when it is first used, see
 * trace_array_use(). Task context, event_mutex and trace_types_lock held.
 *
 * Return: the instance, with the list's reference only, or an ERR_PTR().
 */
static struct trace_array *trace_array_create(const char *name, const char *systems)
{
	struct trace_array *tr;
	int err;

	lockdep_assert_held(&event_mutex);
	lockdep_assert_held(&trace_types_lock);

	if (!instance_name_ok(name))
		return ERR_PTR(-EINVAL);

	tr = kzalloc(sizeof(*tr), GFP_KERNEL);
	if (!tr)
		return ERR_PTR(-ENOMEM);

	err = -ENOMEM;
	tr->name = kstrdup(name, GFP_KERNEL);
	if (!tr->name)
		goto free;
	if (systems) {
		tr->system_names = kstrdup_const(systems, GFP_KERNEL);
		if (!tr->system_names)
			goto free;
	}

	tr->ref = 1;
	tr->trace_flags = global_trace.trace_flags & ~TRACE_NEW_INSTANCE_CLEARED;
	tr->current_trace = &nop_trace;

	err = instance_features_init(tr);
	if (err)
		goto free;
	err = instance_create_dir(tr);
	if (err)
		goto exit;

	list_add_rcu(&tr->list, &ftrace_trace_arrays);
	return tr;

exit:
	features_exit(tr, nr_features());
free:
	instance_free(tr);
	return ERR_PTR(err);
}

/* Open readers, or what a room has of it elsewhere? trace_types_lock held. */
static bool instance_busy(struct trace_array *tr)
{
	int i;

	if (tr->ref > 1 || tr->trace_ref)
		return true;
	/* No open file, so there will be no more of what rooms count. */
	for (i = 0; instance_features[i]; i++) {
		if (instance_features[i]->busy && instance_features[i]->busy(tr))
			return true;
	}
	return false;
}

/* event_mutex and trace_types_lock held. */
static int instance_remove(struct trace_array *tr)
{
	unsigned long shared = TRACE_NEW_INSTANCE_CLEARED;
	unsigned int bit;

	if (trace_array_is_top(tr))
		return -EINVAL;
	if (instance_busy(tr))
		return -EBUSY;

	/* Options that reach beyond the instance let go of it here. */
	for_each_set_bit(bit, &shared, TRACE_ITER_LAST_BIT)
		set_tracer_flag(tr, BIT(bit), false);

	/*
	 * From here on no open of a file of @tr succeeds, and nobody else finds it. Who found it
	 * without a reference, as the target of trace_printk() or to dump it, has preemption
	 * off for as long as he uses it: wait for those. Expedited, as whoever removes an
	 * instance waits for it, with everything in tracing locked.
	 */
	list_del_rcu(&tr->list);
	trace_synchronize_rcu();
	tracing_set_nop(tr);
	features_exit(tr, nr_features());
	tracefs_remove(tr->dir);
	instance_free(tr);
	return 0;
}

/**
 * trace_array_find - look for an instance by name
 * @name: its name
 *
 * Task context, trace_types_lock held.
 *
 * Return: the instance, without a reference, or NULL. The top instance has no name.
 */
static struct trace_array *trace_array_find(const char *name)
{
	struct trace_array *tr;

	lockdep_assert_held(&trace_types_lock);

	for_each_trace_array(tr) {
		if (tr->name && !strcmp(tr->name, name))
			return tr;
	}
	return NULL;
}

/**
 * trace_array_find_get - look for an instance by name and reference it
 * @instance: its name
 *
 * Task context, may sleep, takes trace_types_lock.
 *
 * Return: the instance or NULL.
 */
struct trace_array *trace_array_find_get(const char *instance)
{
	struct trace_array *tr;

	guard(mutex)(&trace_types_lock);
	tr = trace_array_find(instance);
	if (tr)
		tr->ref++;
	return tr;
}

/* Is @this_tr, which is only compared, in the list? */
static bool instance_exists(const struct trace_array *this_tr)
{
	struct trace_array *tr;

	for_each_trace_array(tr) {
		if (tr == this_tr)
			return true;
	}
	return false;
}

/**
 * trace_array_get - reference an instance that may be gone
 * @this_tr: what may be an instance; only compared
 *
 * Task context, may sleep, takes trace_types_lock.
 *
 * Return: 0, or -ENODEV when there is no such instance (any more).
 */
int trace_array_get(struct trace_array *this_tr)
{
	guard(mutex)(&trace_types_lock);
	if (!instance_exists(this_tr))
		return -ENODEV;
	this_tr->ref++;
	return 0;
}

static void __trace_array_put(struct trace_array *tr)
{
	lockdep_assert_held(&trace_types_lock);

	/* the list's own reference is not ours to drop */
	if (!WARN_ON_ONCE(tr->ref <= 1))
		tr->ref--;
}

/**
 * trace_array_put - give back a reference
 * @tr: instance that trace_array_get_by_name() returned, or NULL
 *
 * The instance stays until somebody destroys it. Task context, may sleep,
 * takes trace_types_lock.
 */
void trace_array_put(struct trace_array *tr)
{
	if (!tr)
		return;
	guard(mutex)(&trace_types_lock);
	__trace_array_put(tr);
}
EXPORT_SYMBOL_GPL(trace_array_put);

/**
 * trace_array_get_by_name - find or make an instance
 * @name: its name, as the directory below instances/ has it
 * @systems: when it has to be made: comma-separated list of the event systems
 *	     that it is to have, NULL for all. Not looked at if it exists
 *
 * Task context, may sleep, takes event_mutex and trace_types_lock. Works in
 * early boot once early_trace_init() has run.
 *
 * Return: the instance, with its full buffer and a reference for the caller, or NULL when
 * it can not be made: a name that is no file name, no memory.
 */
struct trace_array *trace_array_get_by_name(const char *name, const char *systems)
{
	struct trace_array *tr;
	bool fresh = false;

	if (!instance_name_ok(name) || tracing_disabled)
		return NULL;

	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	tr = trace_array_find(name);
	if (!tr) {
		tr = trace_array_create(name, systems);
		if (IS_ERR(tr))
			return NULL;
		fresh = true;
	}
	/* Who asks may record from any context, by functions that can not allocate. */
	if (__trace_array_use(tr)) {
		if (fresh)
			instance_remove(tr);
		return NULL;
	}
	tr->ref++;
	return tr;
}
EXPORT_SYMBOL_GPL(trace_array_get_by_name);

/**
 * trace_array_destroy - destroy an instance with all that it recorded
 * @this_tr: instance, whose references were all given back
 *
 * Task context, may sleep, takes event_mutex and trace_types_lock.
 *
 * Return: 0; -EINVAL for NULL and for the top instance; -ENODEV when it does not
 * exist; -EBUSY while it is in use.
 */
int trace_array_destroy(struct trace_array *this_tr)
{
	if (!this_tr)
		return -EINVAL;

	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	return instance_exists(this_tr) ? instance_remove(this_tr) : -ENODEV;
}
EXPORT_SYMBOL_GPL(trace_array_destroy);

/* mkdir instances/@name */
int instance_mkdir(const char *name)
{
	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	if (trace_array_find(name))
		return -EEXIST;
	return PTR_ERR_OR_ZERO(trace_array_create(name, NULL));
}

/* rmdir instances/@name */
int instance_rmdir(const char *name)
{
	struct trace_array *tr;

	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	tr = trace_array_find(name);
	return tr ? instance_remove(tr) : -ENODEV;
}

/**
 * tracing_check_open_get_tr - may a file be opened? if so, reference its instance
 * @tr: instance, NULL for a file that belongs to none
 *
 * Task context, may sleep, takes trace_types_lock.
 *
 * Return: 0; -EPERM when the kernel is locked down; -ENODEV when tracing is
 * off for good or the instance is gone.
 */
int tracing_check_open_get_tr(struct trace_array *tr)
{
	int err = security_locked_down(LOCKDOWN_TRACEFS);

	if (err)
		return err;
	if (tracing_disabled)
		return -ENODEV;
	return tr ? trace_array_get(tr) : 0;
}
