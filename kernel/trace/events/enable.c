// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switching an event on and off in an instance.
 *
 * Two kinds of users want an event's probe to run: whoever writes 1 to `enable` and its like
 * (one bit, last writer wins), and soft users, who are counted (sm_ref): a
 * trigger elsewhere that is to switch the event on quickly needs the probe in
 * place while nothing is recorded yet. What the flags say follows from the two:
 *
 *	recorded	ENABLED and not SOFT_DISABLED
 *	probe runs	ENABLED
 *	soft users	SOFT_MODE
 */
#include <linux/bitmap.h>
#include <linux/export.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "../tasks/tasks.h"
#include "internal.h"

static void flag_assign(struct trace_event_file *file, int bit, bool value)
{
	/* A probe on another CPU reads the word, and triggers may set bits in it. */
	if (value)
		set_bit(bit, &file->flags);
	else
		clear_bit(bit, &file->flags);
}

static bool file_recorded(const struct trace_event_file *file)
{
	return (file->flags & (EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_SOFT_DISABLED)) ==
	       EVENT_FILE_FL_ENABLED;
}

/* Names are recorded, with @start, while the event is on that has the bit. */
static void record_names(struct trace_event_file *file, unsigned int bit, bool on,
			 void (*start)(struct trace_array *tr),
			 void (*stop)(struct trace_array *tr))
{
	if (on == !!(file->flags & BIT(bit)))
		return;
	(on ? start : stop)(file->tr);
	flag_assign(file, bit, on);
}

static void record_cmd(struct trace_event_file *file, bool on)
{
	record_names(file, EVENT_FILE_FL_RECORDED_CMD_BIT, on, tracing_start_cmdline_record,
		     tracing_stop_cmdline_record);
}

static void record_tgid(struct trace_event_file *file, bool on)
{
	record_names(file, EVENT_FILE_FL_RECORDED_TGID_BIT, on, tracing_start_tgid_record,
		     tracing_stop_tgid_record);
}

static int probe_start(struct trace_event_file *file)
{
	struct trace_event_call *call = file->event_call;
	int ret;

	/* who comes by a file has seen to it: event_make_room() */
	ret = trace_array_use(file->tr);
	if (ret)
		return ret;

	record_cmd(file, file->tr->trace_flags & TRACE_ITER_RECORD_CMD);
	record_tgid(file, file->tr->trace_flags & TRACE_ITER_RECORD_TGID);

	ret = event_pids_start(file);
	if (!ret) {
		ret = call->class->reg(call, TRACE_REG_REGISTER, file);
		if (ret)
			event_pids_stop(file);
	}
	if (ret) {
		record_cmd(file, false);
		record_tgid(file, false);
		pr_info("event trace: Could not enable event %s\n", trace_event_name(call));
		return ret;
	}

	flag_assign(file, EVENT_FILE_FL_ENABLED_BIT, true);
	/* what was recorded can not be printed once the event's module has gone */
	flag_assign(file, EVENT_FILE_FL_WAS_ENABLED_BIT, true);
	return 0;
}

static void probe_stop(struct trace_event_file *file)
{
	struct trace_event_call *call = file->event_call;

	flag_assign(file, EVENT_FILE_FL_ENABLED_BIT, false);
	call->class->reg(call, TRACE_REG_UNREGISTER, file);
	event_pids_stop(file);
	/* last, so that who has recorded is known by name */
	record_cmd(file, false);
	record_tgid(file, false);
}

/* Bring @file to the state that @record and the count of soft users ask for. */
static int file_update(struct trace_event_file *file, bool record)
{
	bool soft = atomic_read(&file->sm_ref) > 0;
	bool running = file->flags & EVENT_FILE_FL_ENABLED;
	int ret;

	if (soft)
		flag_assign(file, EVENT_FILE_FL_SOFT_MODE_BIT, true);

	/* The probe may run at once; it has to know whether it may record. */
	if (record || soft) {
		flag_assign(file, EVENT_FILE_FL_SOFT_DISABLED_BIT, !record);
		if (!running) {
			ret = probe_start(file);
			if (ret) {
				flag_assign(file, EVENT_FILE_FL_SOFT_DISABLED_BIT, false);
				return ret;
			}
		}
	} else {
		if (running)
			probe_stop(file);
		/* A probe that is under way asks for the last time whether it may record. */
		if (file->flags & EVENT_FILE_FL_SOFT_DISABLED)
			tracepoint_synchronize_unregister();
		flag_assign(file, EVENT_FILE_FL_SOFT_DISABLED_BIT, false);
	}

	if (!soft)
		flag_assign(file, EVENT_FILE_FL_SOFT_MODE_BIT, false);
	return 0;
}

/**
 * trace_event_enable_disable - switch an event on or off, for one user
 * @file: the event in an instance
 * @enable: on or off
 * @soft_disable: the user is a counted one and wants the probe to run; whether the
 *		  event is recorded stays as it is
 *
 * Context: task, event_mutex.
 * Return: 0, or why the probe could not be registered; nothing has changed then.
 */
int trace_event_enable_disable(struct trace_event_file *file, int enable, int soft_disable)
{
	int ret;

	lockdep_assert_held(&event_mutex);

	if (!soft_disable)
		return file_update(file, enable);

	/*
	 * Only the first and the last one change anything. In between, triggers may switch the
	 * event at any time, and what they do is not to be undone by what was read before.
	 */
	if (!enable) {
		ret = atomic_dec_return(&file->sm_ref);
		if (ret > 0)
			return 0;
		if (WARN_ON_ONCE(ret < 0))
			atomic_set(&file->sm_ref, 0);
		return file_update(file, file_recorded(file));
	}

	if (atomic_inc_return(&file->sm_ref) > 1)
		return 0;
	ret = file_update(file, file_recorded(file));
	if (ret) {
		if (atomic_dec_and_test(&file->sm_ref))
			flag_assign(file, EVENT_FILE_FL_SOFT_MODE_BIT, false);
	}
	return ret;
}

/**
 * ftrace_event_enable_disable - switch an event's recording on or off
 * @file: the event in an instance
 * @enable: on or off
 *
 * Context and return value as for trace_event_enable_disable().
 */
int ftrace_event_enable_disable(struct trace_event_file *file, int enable)
{
	return trace_event_enable_disable(file, enable, 0);
}

/**
 * trace_event_reg - register an event's probe on its tracepoint
 * @call: the event
 * @type: what to do
 * @data: the event file for TRACE_REG_(UN)REGISTER
 *
 * The reg function of all events that TRACE_EVENT() makes.
 *
 * Context: task, event_mutex.
 * Return: 0, -ENODEV for an event without a tracepoint, or what the tracepoint says.
 */
int trace_event_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	/* a custom event that has not found its tracepoint yet */
	if (!(call->flags & TRACE_EVENT_FL_TRACEPOINT))
		return -ENODEV;

	switch (type) {
	case TRACE_REG_REGISTER:
		return event_probe_add(data);
	case TRACE_REG_UNREGISTER:
		event_probe_remove(data);
		return 0;
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		/* a custom event is not perf's */
		return call->class->perf_probe ?
		       tracepoint_probe_register(call->tp, call->class->perf_probe, call) : -ENODEV;
	case TRACE_REG_PERF_UNREGISTER:
		return tracepoint_probe_unregister(call->tp, call->class->perf_probe, call);
#endif
	default:
		/* perf's open, close, add and del ask for nothing more */
		return 0;
	}
}
EXPORT_SYMBOL_GPL(trace_event_reg);

static void update_running(struct trace_array *tr,
			   void (*fn)(struct trace_event_file *file, bool on), bool on)
{
	struct trace_event_file *file;

	lockdep_assert_held(&event_mutex);
	for_each_event_file(file, tr)
		if (file->flags & EVENT_FILE_FL_ENABLED)
			fn(file, on);
}

/* The option is the top instance's, for all. That of another one can be named, and is its own. */
static void update_cmd(struct trace_array *tr, bool on)
{
	struct trace_array *at;

	for_each_trace_array(at)
		if (at == tr || trace_array_is_top(tr))
			update_running(at, record_cmd, on);
}

/* @flags: the options as they are about to be */
static void want_stacks(struct trace_array *tr, unsigned long flags)
{
	struct trace_event_file *file;

	for_each_event_file(file, tr)
		assign_bit(EVENT_FILE_FL_STACKS_BIT, &file->flags,
			   flags & (TRACE_ITER_STACKTRACE | TRACE_ITER_USERSTACKTRACE));
}

/**
 * event_flag_changed - record-cmd, record-tgid, stacks: also for events that are on already
 * @tr: instance
 * @mask: the option
 * @enable: its new value
 *
 * Context: task, event_mutex.
 * Return: 0, or -ENOMEM for processes.
 */
int event_flag_changed(struct trace_array *tr, unsigned long mask, bool enable)
{
	int ret;

	if (mask & (TRACE_ITER_STACKTRACE | TRACE_ITER_USERSTACKTRACE))
		want_stacks(tr, enable ? tr->trace_flags | mask : tr->trace_flags & ~mask);
	if (mask == TRACE_ITER_RECORD_CMD)
		update_cmd(tr, enable);
	if (mask == TRACE_ITER_RECORD_TGID) {
		ret = enable ? trace_alloc_tgid_map() : 0;
		if (ret)
			return ret;
		update_running(tr, record_tgid, enable);
	}
	return 0;
}

/**
 * event_boot_word - a word of trace_instance= behind the name of the instance
 * @tr: instance
 * @word: as those of set_event, but for a '!'
 *
 * Context: boot. Return: 0 when the events are on, or wait for their module, or an error.
 */
int event_boot_word(struct trace_array *tr, char *word)
{
	char *copy __free(kfree) = kstrdup(word, GFP_KERNEL);	/* it is taken apart */

	return copy ? ftrace_set_clr_event(tr, copy, 1) : -ENOMEM;
}

/* Switch all events of @tr off, whoever wanted them on. */
void event_disable_all(struct trace_array *tr)
{
	struct trace_event_file *file;

	for_each_event_file(file, tr)
		ftrace_event_enable_disable(file, 0);
}

/**
 * event_make_room - events are about to be switched
 * @tr: the instance
 * @on: some of them on
 *
 * The buffer gets its full size, if it is small still. Who only switches off does not care if
 * that fails.
 *
 * Context: task, takes trace_types_lock.
 * Return: 0, or -ENOMEM when @on.
 */
int event_make_room(struct trace_array *tr, bool on)
{
	int ret;

	if (!on && !trace_array_is_top(tr))
		return 0;
	ret = tracing_update_buffers(tr);
	return on ? ret : 0;
}

static noinline bool names_event(const struct event_query *query, struct trace_event_call *call)
{
	return event_can_be_enabled(call) && event_module_matches(query, call) &&
	       event_query_matches(query, call->class->system, trace_event_name(call));
}

/* Nearly all are of another directory: that is seen without a call. */
static __always_inline bool query_takes(const struct event_query *query,
					const struct trace_event_file *file)
{
	return (!query->dir || query->dir == file->system) && names_event(query, file->event_call);
}

/* Is there an event of @tr that can be switched, and is meant by @query? */
bool event_query_takes_any(struct trace_array *tr, const struct event_query *query)
{
	struct trace_event_file *file;

	for_each_event_file(file, tr)
		if (query_takes(query, file))
			return true;
	return false;
}

/* What the commands say of an event: the last one that names it does. NULL: none. */
static const struct event_query *last_word(const struct event_query *queries, unsigned int nr,
					   const struct trace_event_file *file)
{
	while (nr--)
		if (query_takes(&queries[nr], file))
			return &queries[nr];
	return NULL;
}

/*
 * One of many. All of them can take minutes where text is changed in several rounds for each, and
 * who waits for all tasks to have slept, as for a trampoline to go, does not wait for that.
 */
static int switch_one(struct trace_event_file *file, int on)
{
	int ret = ftrace_event_enable_disable(file, on);

	cond_resched_tasks_rcu_qs();
	return ret;
}

/* Memory ran out: those go off that were not on before, of the first @n. That needs none. */
static void event_queries_undo(struct trace_array *tr, const struct event_query *queries,
			       unsigned int nr, const unsigned long *was, unsigned int n)
{
	const struct event_query *query;
	struct trace_event_file *file;
	unsigned int i = 0;

	for_each_event_file(file, tr) {
		if (i == n)
			return;
		query = last_word(queries, nr, file);
		if (query && query->on && !test_bit(i, was))
			switch_one(file, 0);
		i++;
	}
}

/*
 * Those that are to be on go first: when memory runs out none has been switched off yet. @first
 * gets what an event says that refuses for other reasons. 0, or -ENOMEM and all are as they were.
 */
static int event_queries_on(struct trace_array *tr, const struct event_query *queries,
			    unsigned int nr, int *first, const struct event_query **bad)
{
	unsigned long *was __free(bitmap) = NULL;
	const struct event_query *query;
	struct trace_event_file *file;
	unsigned int n = 0;
	int ret;

	for_each_event_file(file, tr)
		n++;
	was = bitmap_zalloc(n, GFP_KERNEL);
	if (!was) {
		*bad = queries;
		return -ENOMEM;
	}
	n = 0;
	for_each_event_file(file, tr) {
		if (file_recorded(file))
			__set_bit(n, was);
		n++;
		query = last_word(queries, nr, file);
		if (!query || !query->on)
			continue;
		ret = switch_one(file, 1);
		if (ret == -ENOMEM) {
			event_queries_undo(tr, queries, nr, was, n);
			*bad = query;
			return ret;
		}
		if (ret && !*first) {
			*first = ret;
			*bad = query;
		}
	}
	return 0;
}

/* Does the word name any event? One for a module that is not there is remembered, or forgotten. */
static int event_query_finds(struct trace_array *tr, const struct event_query *query)
{
	if (!event_query_takes_any(tr, query))
		return query->module ? event_query_wait(tr, query) : -EINVAL;
	if (query->module && !query->on)
		event_waiting_del(tr, query);
	return 0;
}

/**
 * event_queries_apply - switch the events on or off that commands name
 * @tr: the instance
 * @queries: the parts of the commands, of which a later one may take back what one before it says
 * @nr: how many
 * @bad: which of them the error is about; may be NULL
 *
 * An event that refuses does not keep the others from being switched, as it always was; but
 * when memory runs out none is, of no command.
 *
 * A word for a module that is not there is remembered, or when it is switched off, forgotten.
 *
 * Context: task, event_mutex.
 * Return: 0 when all that matched were switched, the first error when some refused; -ENOMEM, and
 * -EINVAL when one of the commands matches no event: then nothing has changed.
 */
int event_queries_apply(struct trace_array *tr, const struct event_query *queries,
			unsigned int nr, const struct event_query **bad)
{
	const struct event_query *query, *end = queries + nr, *ignored;
	struct trace_event_file *file;
	bool on = false, waits = false;
	int ret, first = 0;

	lockdep_assert_held(&event_mutex);
	if (!bad)
		bad = &ignored;
	for (query = queries; query < end; query++) {
		on |= query->on;
		waits |= !!query->module;
	}
	*bad = queries;
	ret = event_files_get_ready(tr);
	if (ret)	/* then none is on, nor waits */
		return on ? ret : 0;
	for (query = queries; query < end && !ret; query++) {
		*bad = query;
		ret = event_query_finds(tr, query);
	}
	if (!ret && on)
		ret = event_queries_on(tr, queries, nr, &first, bad);
	if (waits)
		event_waiting_settle(tr, !ret);
	if (ret)
		return ret;
	for_each_event_file(file, tr) {
		query = last_word(queries, nr, file);
		if (!query || query->on)
			continue;
		ret = switch_one(file, 0);
		if (ret && !first) {
			first = ret;
			*bad = query;
		}
	}
	return first;
}

/**
 * event_query_apply - switch the events on or off that a command names
 * @tr: the instance
 * @query: the command's parts
 * @on: switch on or off
 *
 * Context: task, event_mutex.
 * Return: as event_queries_apply().
 */
int event_query_apply(struct trace_array *tr, const struct event_query *query, bool on)
{
	struct event_query one = *query;

	one.on = on;
	return event_queries_apply(tr, &one, 1, NULL);
}

/**
 * ftrace_set_clr_event - do what a word of set_event says
 * @tr: the instance
 * @buf: "system:event", "system:*", "*:event", "name", any of them with ":mod:module" behind it;
 *	 changed while it is taken apart
 * @set: switch on or off
 *
 * Context: task, takes event_mutex.
 * Return: as event_query_apply().
 */
int ftrace_set_clr_event(struct trace_array *tr, char *buf, int set)
{
	struct event_query query;

	if (!tr)
		return -ENOENT;

	event_query_parse(buf, &query);
	/* @set says which; on the command line nothing is on that could go off */
	if (!query.on)
		return -EINVAL;
	guard(mutex)(&event_mutex);
	return event_query_apply(tr, &query, set);
}

/**
 * trace_array_set_clr_event - switch events of an instance on or off
 * @tr: the instance, which the caller holds a reference on
 * @system: name of a system, NULL: any
 * @event: name of an event, NULL: all of the system
 * @enable: on or off
 *
 * Context: task, takes event_mutex.
 * Return: 0, -ENOENT without an instance, -EINVAL when nothing matches, or why an event could not
 * be switched.
 */
int trace_array_set_clr_event(struct trace_array *tr, const char *system, const char *event,
			      bool enable)
{
	struct event_query query = { .on = enable, .system = system, .event = event };

	if (!tr)
		return -ENOENT;

	guard(mutex)(&event_mutex);
	return event_query_apply(tr, &query, enable);
}
EXPORT_SYMBOL_GPL(trace_array_set_clr_event);

/**
 * trace_set_clr_event - switch events of the top instance on or off
 * @system: name of a system, NULL: any
 * @event: name of an event, NULL: all of the system
 * @set: on or off
 *
 * Context: task, takes event_mutex.
 * Return: as trace_array_set_clr_event().
 */
int trace_set_clr_event(const char *system, const char *event, int set)
{
	return trace_array_set_clr_event(&global_trace, system, event, set);
}
EXPORT_SYMBOL_GPL(trace_set_clr_event);
