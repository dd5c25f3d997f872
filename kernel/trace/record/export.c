// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports: a copy of what is recorded goes to somebody else as well, for
 * instance to a hardware trace unit (drivers/hwtracing/stm/ftrace.c).
 *
 * While nobody asked for a kind of record, its writers see one nop.
 */
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/trace.h>

#include "record.h"

DEFINE_STATIC_KEY_FALSE(trace_event_copied);
DEFINE_STATIC_KEY_FALSE(trace_event_exports_enabled);
DEFINE_STATIC_KEY_FALSE(trace_marker_exports_enabled);
DEFINE_STATIC_KEY_FALSE(trace_function_exports_enabled);

static const struct {
	int			flag;
	struct static_key_false	*key;
} export_kinds[] = {
	{ TRACE_EXPORT_FUNCTION, &trace_function_exports_enabled },
	{ TRACE_EXPORT_EVENT,	 &trace_event_exports_enabled },
	{ TRACE_EXPORT_MARKER,	 &trace_marker_exports_enabled },
};

static struct trace_export __rcu *export_list;
static DEFINE_MUTEX(export_lock);

/**
 * ftrace_exports - hand a record to those who asked for its kind
 * @event: record, reserved and filled
 * @flag:  TRACE_EXPORT_* bit
 *
 * Context: any, NMI included; callers test the kind's static key first.
 */
void ftrace_exports(struct ring_buffer_event *event, int flag)
{
	struct trace_export *export;

	/* synchronize_rcu() in unregister waits for regions without preemption too. */
	preempt_disable_notrace();
	for (export = rcu_dereference_raw_check(export_list); export;
	     export = rcu_dereference_raw_check(export->next)) {
		if (export->flags & flag)
			export->write(export, ring_buffer_event_data(event),
				      ring_buffer_event_length(event));
	}
	preempt_enable_notrace();
}

static void count_kinds(int flags, bool add)
{
	if (flags & TRACE_EXPORT_EVENT) {
		if (add)
			static_branch_inc(&trace_event_copied);
		else
			static_branch_dec(&trace_event_copied);
	}
	for (int i = 0; i < ARRAY_SIZE(export_kinds); i++) {
		if (!(flags & export_kinds[i].flag))
			continue;
		if (add)
			static_branch_inc(export_kinds[i].key);
		else
			static_branch_dec(export_kinds[i].key);
	}
}

/**
 * register_ftrace_export - ask for copies of what is recorded
 * @export: whose write() is called for each record of the kinds in @export->flags, in
 *	    the context of the recorder, NMI included
 *
 * Context: task, may sleep.
 * Return: 0, or -1 when @export has no write().
 */
int register_ftrace_export(struct trace_export *export)
{
	struct trace_export *first;

	if (WARN_ON_ONCE(!export->write))
		return -1;

	mutex_lock(&export_lock);
	first = rcu_dereference_protected(export_list, lockdep_is_held(&export_lock));
	RCU_INIT_POINTER(export->next, first);
	/* A walker that sees @export sees its next, too. */
	rcu_assign_pointer(export_list, export);
	count_kinds(export->flags, true);
	mutex_unlock(&export_lock);

	return 0;
}
EXPORT_SYMBOL_GPL(register_ftrace_export);

/**
 * unregister_ftrace_export - undo register_ftrace_export()
 * @export: the same
 *
 * When it returns @export->write() is not running and will not be called again.
 *
 * Context: task, sleeps.
 * Return: 0, or -1 when @export is not registered.
 */
int unregister_ftrace_export(struct trace_export *export)
{
	struct trace_export __rcu **link = &export_list;
	struct trace_export *at, *next;
	int ret = -1;

	mutex_lock(&export_lock);
	while ((at = rcu_dereference_protected(*link, lockdep_is_held(&export_lock)))) {
		if (at == export) {
			next = rcu_dereference_protected(at->next,
							 lockdep_is_held(&export_lock));
			rcu_assign_pointer(*link, next);
			count_kinds(export->flags, false);
			ret = 0;
			break;
		}
		link = &at->next;
	}
	mutex_unlock(&export_lock);
	if (!ret)
		synchronize_rcu();

	return ret;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_export);
