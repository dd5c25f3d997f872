// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registry: which events there are, and what each instance has of them.
 *
 * Events come from the section _ftrace_events of the kernel and of modules,
 * and one by one through trace_add_event_call(). Every instance has a file
 * (struct trace_event_file) of each, or of those of the systems that it was
 * made for; and none of any before somebody first asks for one, by its name or
 * by going into events/. All lists are guarded by event_mutex; the list of events also by
 * trace_event_sem, so that printing finds an event without event_mutex.
 */
#include <linux/export.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include <asm/setup.h>

#include "../instance/words.h"
#include "../output/output.h"
#include "../ring_buffer/fast.h"
#include "filter.h"
#include "internal.h"

LIST_HEAD(ftrace_events);

/* Entries of the system "ftrace" are only there to show their format. */
bool event_can_be_enabled(const struct trace_event_call *call)
{
	return call->class->reg && !(call->flags & TRACE_EVENT_FL_IGNORE_ENABLE);
}

/* --- event files */

/*
 * Who records looks at the beginning of a file, on all CPUs. What is written while events come and
 * go is not in that line.
 */
static_assert(offsetofend(struct trace_event_file, ignored) <= 32);
static_assert(!IS_ENABLED(CONFIG_64BIT) || offsetof(struct trace_event_file, ref) >= 64);
static_assert(offsetof(struct trace_event_file, sm_ref) > offsetof(struct trace_event_file, ref));
static_assert(offsetof(struct trace_event_file, tm_ref) > offsetof(struct trace_event_file, ref));

/**
 * event_file_get - take a reference on an event file
 * @file: the file, which the caller knows to be there
 *
 * Context: any.
 */
void event_file_get(struct trace_event_file *file)
{
	refcount_inc(&file->ref);
}

/**
 * event_file_put - give a reference back
 * @file: the file; freed with the last one
 *
 * Context: any; that of event_filter_free() where it may be the last one. No probe runs with @file
 * any more when the registry gives up its own reference: calls_remove() and instance_exit() have
 * waited for that.
 */
void event_file_put(struct trace_event_file *file)
{
	if (!refcount_dec_and_test(&file->ref))
		return;
	event_filter_free(rcu_access_pointer(file->filter));
	kfree(file);
}

static bool instance_has_system(const struct trace_array *tr, const char *system)
{
	const char *at = tr->system_names;
	size_t len = strlen(system);

	if (!at)
		return true;

	for (; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, system, len) && (!at[len] || at[len] == ','))
			return true;
	}
	return false;
}

/* 0 as well when the instance does not want the event. */
static int event_file_add(struct trace_array *tr, struct trace_event_call *call)
{
	struct trace_event_file *file;

	if (!instance_has_system(tr, call->class->system))
		return 0;

	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file)
		return -ENOMEM;

	file->event_call = call;
	file->type = call->event.type;
	file->tr = tr;
	file->cpus = ring_buffer_cpus(tr->array_buffer.buffer);
	RCU_INIT_POINTER(file->filter, &event_filter_none);
	if (tr->trace_flags & (TRACE_ITER_STACKTRACE | TRACE_ITER_USERSTACKTRACE))
		file->flags |= EVENT_FILE_FL_STACKS;
	refcount_set(&file->ref, 1);
	INIT_LIST_HEAD(&file->triggers);
	list_add_tail(&file->list, &events_of(tr)->files);
	event_dir_create(file);
	return 0;
}

static LIST_HEAD(event_file_users);	/* complete before there is a user */

/**
 * event_file_user_register - a room above has something on event files
 * @user: what it has; stays for ever
 *
 * Context: boot.
 */
void __init event_file_user_register(struct event_file_user *user)
{
	list_add_tail(&user->list, &event_file_users);
}

/* @file leaves its instance: what rooms above have on it goes. */
static void users_leave(struct trace_event_file *file)
{
	struct event_file_user *user;

	lockdep_assert_held(&event_mutex);
	list_for_each_entry(user, &event_file_users, list)
		user->leave(file);
}

static void event_file_leave(struct trace_event_file *file)
{
	list_del(&file->list);
	event_dir_remove(file);
	file->flags |= EVENT_FILE_FL_FREED;
	event_file_put(file);
}

static void event_files_leave(struct trace_array *tr)
{
	struct trace_event_file *file, *next;

	list_for_each_entry_safe(file, next, &events_of(tr)->files, list)
		event_file_leave(file);
	events_of(tr)->complete = false;
}

/**
 * event_files_get_ready - somebody is about to look for an event in an instance
 * @tr: the instance, which gets its event files if it has none
 *
 * They take more memory than all else that an instance has before it is used. The
 * other functions here find no event in an instance that was not got ready, and need not:
 * none is on there.
 *
 * Context: task, event_mutex.
 * Return: 0, or -ENOMEM and there are none.
 */
int event_files_get_ready(struct trace_array *tr)
{
	struct trace_event_call *call;
	int ret;

	lockdep_assert_held(&event_mutex);
	if (events_of(tr)->complete)
		return 0;

	events_of(tr)->complete = true;
	list_for_each_entry(call, &ftrace_events, list) {
		ret = event_file_add(tr, call);
		if (ret) {
			event_files_leave(tr);
			return ret;
		}
	}
	return 0;
}

/* --- events */

static int call_register(struct trace_event_call *call, struct module *mod)
{
	const char *name = trace_event_name(call);
	int ret = 0;

	lockdep_assert_held(&event_mutex);
	if (WARN_ON(!name))
		return -EINVAL;

	if (call->class->raw_init)
		ret = call->class->raw_init(call);
	if (ret < 0) {
		/* a system call that the architecture does not have */
		if (ret != -ENOENT)
			pr_warn("Could not initialize trace events/%s\n", name);
		return ret;
	}

	down_write(&trace_event_sem);
	ret = event_fields_define(call);
	if (ret) {
		if (call->event.funcs)
			__unregister_trace_event(&call->event);
	} else {
		list_add_tail(&call->list, &ftrace_events);
	}
	up_write(&trace_event_sem);
	if (ret) {
		pr_warn("Could not create the fields of trace event %s\n", name);
		return ret;
	}

	if (call->flags & TRACE_EVENT_FL_DYNAMIC)
		atomic_set(&call->refcnt, 0);
	else
		call->module = mod;
	return 0;
}

static int call_add(struct trace_event_call *call, struct module *mod)
{
	struct trace_array *tr;
	int ret;

	ret = call_register(call, mod);
	if (ret)
		return ret;

	for_each_trace_array(tr)
		if (events_of(tr)->complete && event_file_add(tr, call))
			pr_warn("No memory for trace event %s in an instance\n",
				trace_event_name(call));
	return 0;
}

#define CALL_GOES	BIT(30)	/* in trace_event_call.flags; event_mutex */

/* What calls_remove() takes: one event, those with CALL_GOES, or all events of a module. */
struct call_choice {
	const struct trace_event_call	*call;
	const struct module		*mod;
	bool				goes;
	unsigned int			nr;	/* how many these are; calls_remove() */
};

static bool chosen(const struct call_choice *choice, const struct trace_event_call *call)
{
	if (choice->goes)
		return call->flags & CALL_GOES;
	if (choice->call)
		return call == choice->call;
	return !(call->flags & TRACE_EVENT_FL_DYNAMIC) && call->module == choice->mod;
}

/*
 * Do @fn with the files of @tr whose events go. These are mostly the youngest of more than a
 * thousand: so they are looked for from the end, and only till all are found. True if @fn says it
 * of one.
 */
static bool chosen_files(struct trace_array *tr, const struct call_choice *choice,
			 bool (*fn)(struct trace_event_file *file))
{
	struct trace_event_file *file, *next;
	unsigned int left = choice->nr;
	bool any = false;

	list_for_each_entry_safe_reverse(file, next, &events_of(tr)->files, list) {
		if (!left)
			break;
		if (!chosen(choice, file->event_call))
			continue;
		left--;
		any |= fn(file);
	}
	return any;
}

static bool file_loses_users(struct trace_event_file *file)
{
	users_leave(file);
	return false;
}

/* May there be records of it, which nothing can print once the event has gone? */
static bool file_was_recorded(struct trace_event_file *file)
{
	return file->flags & EVENT_FILE_FL_WAS_ENABLED;
}

/* Return: file_was_recorded(). */
static bool file_disable(struct trace_event_file *file)
{
	bool recorded = file_was_recorded(file);

	ftrace_event_enable_disable(file, 0);
	return recorded;
}

static bool file_leaves(struct trace_event_file *file)
{
	event_file_leave(file);
	return false;
}

/* @choice: without nr */
static void calls_remove(struct call_choice *choice)
{
	struct trace_event_call *call, *next;
	struct trace_array *tr;
	bool probed = false;
	unsigned int left;

	lockdep_assert_held(&event_mutex);
	lockdep_assert_held(&trace_types_lock);

	list_for_each_entry(call, &ftrace_events, list)
		choice->nr += chosen(choice, call);
	for_each_trace_array(tr) {
		chosen_files(tr, choice, file_loses_users);
		probed |= chosen_files(tr, choice, file_disable);
	}

	/* no probe holds one of the files after this */
	if (probed)
		tracepoint_synchronize_unregister();

	for_each_trace_array(tr) {
		if (chosen_files(tr, choice, file_was_recorded))
			tracing_reset_both(tr);
		chosen_files(tr, choice, file_leaves);
	}

	down_write(&trace_event_sem);
	left = choice->nr;
	list_for_each_entry_reverse(call, &ftrace_events, list) {
		if (!left)
			break;
		if (!chosen(choice, call))
			continue;
		left--;
		if (call->event.funcs)
			__unregister_trace_event(&call->event);
	}
	up_write(&trace_event_sem);

	/* nobody prints one of them after this */
	trace_event_wait_readers();

	down_write(&trace_event_sem);
	left = choice->nr;
	list_for_each_entry_safe_reverse(call, next, &ftrace_events, list) {
		if (!left)
			break;
		if (!chosen(choice, call))
			continue;
		left--;
		list_del(&call->list);
		event_fields_destroy(call);
		if (choice->goes) {
			call->flags &= ~CALL_GOES;
			call->event.type = 0;	/* when it comes again it gets a new one */
		}
	}
	up_write(&trace_event_sem);
}

static bool call_held(const struct trace_event_call *call)
{
#ifdef CONFIG_PERF_EVENTS
	if (call->perf_refcount)
		return true;
#endif
	return (call->flags & TRACE_EVENT_FL_DYNAMIC) && atomic_read(&call->refcnt);
}

static bool calls_busy(const struct call_choice *choice)
{
	const struct trace_event_call *call;
	struct trace_event_file *file;
	struct trace_array *tr;

	list_for_each_entry(call, &ftrace_events, list)
		if (chosen(choice, call) && call_held(call))
			return true;
	for_each_trace_array(tr)
		for_each_event_file(file, tr)
			if ((file->flags & EVENT_FILE_FL_ENABLED) &&
			    chosen(choice, file->event_call))
				return true;
	return false;
}

/**
 * trace_add_event_call - add an event at run time
 * @call: the event, with its class
 *
 * Context: task; takes event_mutex and trace_types_lock.
 * Return: 0 or why it was refused.
 */
int trace_add_event_call(struct trace_event_call *call)
{
	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	return call_add(call, NULL);
}
EXPORT_SYMBOL_GPL(trace_add_event_call);

/**
 * trace_remove_event_call - remove an event that trace_add_event_call() added
 * @call: the event
 *
 * Buffers that hold records of it are emptied.
 *
 * Context: task; takes event_mutex and trace_types_lock, waits for RCU.
 * Return: 0, -EBUSY while somebody has it on.
 */
int trace_remove_event_call(struct trace_event_call *call)
{
	struct call_choice choice = { .call = call };

	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	if (calls_busy(&choice))
		return -EBUSY;
	calls_remove(&choice);
	return 0;
}
EXPORT_SYMBOL_GPL(trace_remove_event_call);

static int take_number(struct trace_event_call *call)
{
	return register_trace_event(&call->event) ? 0 : -ENODEV;
}

/*
 * A module can be kept once its init has succeeded. Before that it goes when init fails, whoever
 * has a reference on it.
 */
static bool may_be_kept(const struct trace_event_call *call)
{
#ifdef CONFIG_MODULES
	const struct module *mod = call->flags & TRACE_EVENT_FL_DYNAMIC ? NULL : call->module;

	return !mod || READ_ONCE(mod->state) == MODULE_STATE_LIVE;
#else
	return true;
#endif
}

/**
 * event_try_get - keep an event from going, and its module
 * @call: the event, found under event_mutex
 *
 * Context: task, event_mutex.
 * Return: true, and trace_event_put_ref() has to follow; false for an event whose module is just
 * coming or going.
 */
bool event_try_get(struct trace_event_call *call)
{
	lockdep_assert_held(&event_mutex);
	return may_be_kept(call) && trace_event_try_get_ref(call);
}

/**
 * event_call_add - an event comes at run time
 * @call: the event, with a class of its own and a name that nobody has to keep; without raw_init
 *	  it just gets a number
 *
 * It is in every instance that has event files, or in none.
 *
 * Context: task, event_mutex; takes trace_types_lock.
 * Return: 0; -EEXIST: there is an event of this name; -ENOMEM; -ENODEV: no number is left; or what
 * its class says. Nothing has changed then.
 */
int event_call_add(struct trace_event_call *call)
{
	struct call_choice choice = { .call = call };
	struct trace_array *tr;
	int ret;

	lockdep_assert_held(&event_mutex);
	guard(mutex)(&trace_types_lock);
	if (trace_event_find_call(call->class->system, trace_event_name(call)))
		return -EEXIST;
	if (!call->class->raw_init)
		call->class->raw_init = take_number;
	ret = call_register(call, NULL);
	if (ret)
		return ret;
	for_each_trace_array(tr) {
		if (!events_of(tr)->complete)
			continue;
		ret = event_file_add(tr, call);
		if (ret) {
			calls_remove(&choice);
			return ret;
		}
	}
	return 0;
}

/**
 * event_call_goes - an event is to go that event_call_add() added
 * @call: the event; if event_calls_busy() says that none is, event_calls_remove() follows
 *
 * Context: task, event_mutex.
 */
void event_call_goes(struct trace_event_call *call)
{
	lockdep_assert_held(&event_mutex);
	call->flags |= CALL_GOES;
}

/**
 * event_call_stays - an event is not to go, whatever event_call_goes() was told
 * @call: the event
 *
 * Context: task, event_mutex.
 */
void event_call_stays(struct trace_event_call *call)
{
	lockdep_assert_held(&event_mutex);
	call->flags &= ~CALL_GOES;
}

/**
 * event_calls_busy - is one of those that are to go on anywhere, or held?
 *
 * Triggers and perf have it on as well. Held is what somebody took a reference on with
 * event_try_get(). The events of all instances are gone through once, however many are
 * to go.
 *
 * Context: task, event_mutex; takes trace_types_lock.
 * Return: true if one is.
 */
bool event_calls_busy(void)
{
	struct call_choice choice = { .goes = true };

	lockdep_assert_held(&event_mutex);
	guard(mutex)(&trace_types_lock);
	return calls_busy(&choice);
}

/**
 * event_calls_remove - those go that event_call_goes() was told of, after one wait for all of them
 *
 * Nobody looks at one of them, or at its class, on return. Buffers that hold records of them are
 * emptied.
 *
 * Context: task, event_mutex; takes trace_types_lock, waits for readers and RCU.
 */
void event_calls_remove(void)
{
	struct call_choice choice = { .goes = true };

	lockdep_assert_held(&event_mutex);
	guard(mutex)(&trace_types_lock);
	calls_remove(&choice);
}

/* --- lookup */

/* Most differ in the first letter, and there are more than a thousand: no call for each. */
static __always_inline bool same_name(const char *a, const char *b)
{
	for (; *a == *b; a++, b++)
		if (!*a)
			return true;
	return false;
}

/**
 * trace_event_find_call - find an event
 * @system: its system
 * @name: its name
 *
 * Context: task, event_mutex.
 * Return: the event or NULL.
 */
struct trace_event_call *trace_event_find_call(const char *system, const char *name)
{
	struct trace_event_call *call;

	list_for_each_entry(call, &ftrace_events, list)
		if (same_name(trace_event_name(call), name) &&
		    same_name(call->class->system, system))
			return call;
	return NULL;
}

/**
 * find_event_file - find an event in an instance
 * @tr: the instance
 * @system: the event's system
 * @event: the event's name; only one that can be switched on is found
 *
 * Context: task, event_mutex.
 * Return: the event file or NULL.
 */
struct trace_event_file *find_event_file(struct trace_array *tr, const char *system,
					 const char *event)
{
	struct trace_event_file *file;

	for_each_event_file(file, tr) {
		if (event_can_be_enabled(file->event_call) &&
		    event_is_named(file->event_call, system, event))
			return file;
	}
	return NULL;
}

/**
 * event_file_next - go through the events of an instance
 * @tr: the instance
 * @file: one of its event files, NULL for the first
 *
 * Context: task, event_mutex.
 * Return: the next event file or NULL.
 */
struct trace_event_file *event_file_next(struct trace_array *tr, struct trace_event_file *file)
{
	struct list_head *files = &events_of(tr)->files;
	struct list_head *next = file ? file->list.next : files->next;

	return next == files ? NULL : list_entry(next, struct trace_event_file, list);
}

/**
 * trace_get_event_file - find an event file and keep it
 * @instance: name of the instance, NULL: the top one
 * @system: the event's system
 * @event: the event's name
 *
 * Neither the instance nor the event's module can go before trace_put_event_file().
 *
 * Context: task; takes event_mutex and trace_types_lock.
 * Return: the file or an ERR_PTR(): -ENOENT no such instance, -EINVAL no such event, -EBUSY
 * when the event is coming or going, -ENOMEM, -EINTR when the caller was killed.
 */
struct trace_event_file *trace_get_event_file(const char *instance, const char *system,
					      const char *event)
{
	struct trace_array *tr = &global_trace;
	struct trace_event_file *file;
	int ret;

	if (instance)
		tr = trace_array_find_get(instance);
	else if (trace_array_get(tr))
		tr = NULL;
	if (!tr)
		return ERR_PTR(-ENOENT);

	scoped_guard(mutex, &event_mutex) {
		ret = event_files_get_ready(tr) ?: trace_array_use(tr);
		file = ret ? ERR_PTR(ret) : find_event_file(tr, system, event);
		if (!file)
			file = ERR_PTR(-EINVAL);
		else if (IS_ERR(file))
			break;
		else if (!event_try_get(file->event_call))
			file = ERR_PTR(-EBUSY);
	}
	if (IS_ERR(file))
		trace_array_put(tr);
	return file;
}
EXPORT_SYMBOL_GPL(trace_get_event_file);

/**
 * trace_put_event_file - give back what trace_get_event_file() found
 * @file: the event file
 *
 * Context: task; takes event_mutex and trace_types_lock.
 */
void trace_put_event_file(struct trace_event_file *file)
{
	struct trace_array *tr = file->tr;

	scoped_guard(mutex, &event_mutex)
		trace_event_put_ref(file->event_call);
	trace_array_put(tr);
}
EXPORT_SYMBOL_GPL(trace_put_event_file);

/* --- modules */

#ifdef CONFIG_MODULES
static void waiting_apply(struct module *mod)
{
	struct trace_array *tr;

	if (!mod->num_trace_events)
		return;
	for_each_trace_array(tr)
		event_waiting_apply(tr, mod);
}

static void module_coming(struct module *mod)
{
	if (!mod->num_trace_events && !mod->num_trace_evals)
		return;

	if (trace_module_has_bad_taint(mod)) {
		pr_err("%s: module has bad taint, not creating trace events\n", mod->name);
		return;
	}

	for (unsigned int i = 0; i < mod->num_trace_events; i++)
		call_add(mod->trace_events[i], mod);
	event_maps_apply(mod->trace_evals, mod->num_trace_evals);
	event_maps_keep(mod, mod->trace_evals, mod->num_trace_evals);
	waiting_apply(mod);
}

static void module_going(struct module *mod)
{
	struct call_choice choice = { .mod = mod };

	event_maps_forget(mod);
	if (mod->num_trace_events)
		calls_remove(&choice);
}

static int module_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	if (state == MODULE_STATE_COMING)
		module_coming(data);
	else if (state == MODULE_STATE_LIVE)
		waiting_apply(data);
	else if (state == MODULE_STATE_GOING)
		module_going(data);
	return NOTIFY_OK;
}

/*
 * After the jump labels', which has 1: an event may be switched on before its module runs, and that
 * does nothing to a branch that nobody knows of yet. Before the tracepoints', which is younger, and
 * wants no probe left on a module's tracepoints.
 */
static struct notifier_block module_nb = {
	.notifier_call	= module_notify,
	.priority	= 0,
};
#endif

/* --- instances */

static void instance_free(struct trace_array *tr)
{
	kfree(events_of(tr));
	tr->room[ROOM_EVENTS] = NULL;
}

static int instance_init(struct trace_array *tr)
{
	struct event_instance *ei = kzalloc(sizeof(*ei), GFP_KERNEL);
	int ret;

	if (!ei)
		return -ENOMEM;
	INIT_LIST_HEAD(&ei->systems);
	INIT_LIST_HEAD(&ei->files);
	INIT_LIST_HEAD(&ei->waiting);
	tr->room[ROOM_EVENTS] = ei;
	/* The top one is what everybody looks into; and there is none yet, this is early boot. */
	ret = trace_array_is_top(tr) ? event_files_get_ready(tr) : 0;
	if (ret)
		instance_free(tr);
	return ret;
}

static void instance_exit(struct trace_array *tr)
{
	struct trace_event_file *file;
	bool probed = false;

	for_each_event_file(file, tr)
		users_leave(file);
	for_each_event_file(file, tr)
		probed |= file_was_recorded(file);
	if (probed) {
		event_disable_all(tr);
		/* no probe holds one of the files after this */
		tracepoint_synchronize_unregister();
	}
	event_waiting_free(tr);
	event_files_leave(tr);
	event_files_remove(tr);
	instance_free(tr);
}

static void instance_top_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("available_events", TRACE_MODE_READ, dir, tr, &available_events_fops);
	event_maps_file(tr, dir);
}

const struct instance_feature events_feature = {
	.name		= "events",
	.init		= instance_init,
	.exit		= instance_exit,
	.files		= event_files_create,
	.top_files	= instance_top_files,
	.flag_changed	= event_flag_changed,
	.boot_word	= event_boot_word,
};

/* --- boot */

/* The buffer: it is too early to grow it when the events are switched on. */
TRACE_BOOT_PARAM(boot_events, "trace_event", {
	trace_set_ring_buffer_expanded(NULL);
	trace_boot_append(boot_events, ",", str);
});

static void __init boot_events_enable(void)
{
	char *list = tracing_disabled ? NULL : kstrdup(boot_events, GFP_KERNEL);
	char *at = list;
	char *word;

	while ((word = trace_list_cut(&at, ","))) {
		const char *name = boot_events + (word - list);
		int len = strlen(word);

		if (ftrace_set_clr_event(&global_trace, word, 1))
			pr_warn("Failed to enable trace event: %.*s\n", len, name);
	}
	kfree(list);
}

static int __init fixed_entry_add(struct trace_event_call *call)
{
	return call_add(call, NULL);
}

/**
 * trace_events_init - make the registry and switch on what trace_event= asks for
 *
 * Context: boot, when RCU works.
 * Return: 0 or an error after which no event can be recorded.
 */
int __init trace_events_init(void)
{
	struct trace_event_call **iter;
	int ret;

	event_stacks_init();
	ret = event_common_fields_init();
	if (ret)
		return ret;
	ret = event_dirs_init();
	if (ret)
		return ret;
	event_syscalls_init();
	trace_set_fields_printer(print_event_fields);

	scoped_guard(mutex, &event_mutex) {
		guard(mutex)(&trace_types_lock);
		ret = event_fixed_entries_init(fixed_entry_add);
		if (ret)
			return ret;
		for (iter = __start_ftrace_events; iter < __stop_ftrace_events; iter++)
			call_add(*iter, NULL);
		event_maps_apply(__start_ftrace_eval_maps,
				 __stop_ftrace_eval_maps - __start_ftrace_eval_maps);
		event_maps_keep(NULL, __start_ftrace_eval_maps,
				__stop_ftrace_eval_maps - __start_ftrace_eval_maps);
	}
#ifdef CONFIG_MODULES
	ret = register_module_notifier(&module_nb);
	if (ret)
		pr_warn("Failed to register trace events module notifier\n");
#endif

	if (*boot_events)
		boot_events_enable();
	return 0;
}
