// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words of set_event for modules that are not there: [EVENTS]:mod:MODULE. When the module comes
 * its events that are meant go on, and the word is forgotten.
 */
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

/*
 * A query whose names are kept behind it. While words are done, of which a later one may fail, some
 * are new, and some are to go: until event_waiting_settle().
 */
struct event_waiting {
	struct list_head	list;		/* event_instance.waiting; event_mutex */
	struct event_query	query;
	bool			is_new;
	bool			goes;
	char			names[];
};

/**
 * event_module_matches - does an event come from the module that a word names?
 * @query: the word's parts
 * @call: the event
 *
 * Context: task, event_mutex.
 * Return: true if it does.
 */
bool event_module_matches(const struct event_query *query, const struct trace_event_call *call)
{
	struct module *mod = call->flags & TRACE_EVENT_FL_DYNAMIC ? NULL : call->module;

	return !query->module || (mod && !strcmp(module_name(mod), query->module));
}

#ifdef CONFIG_MODULES
/* It can be found, and its events are about to come: who brings them waits for event_mutex. */
static bool events_will_come(const struct module *mod)
{
	const struct trace_event_call *call;

	if (mod->state != MODULE_STATE_COMING || !mod->num_trace_events)
		return false;
	list_for_each_entry(call, &ftrace_events, list)
		if (!(call->flags & TRACE_EVENT_FL_DYNAMIC) && call->module == mod)
			return false;
	return true;
}

/* It is not here, or not yet with all that it has. */
static bool module_will_come(const char *name)
{
	const struct module *mod;

	guard(preempt)();
	mod = find_module(name);
	return !mod || events_will_come(mod);
}
#else
static bool module_will_come(const char *name)
{
	return false;
}
#endif

/*
 * May a word wait for its module? Not when that is there and has no such event. Task,
 * event_mutex.
 */
bool event_query_may_wait(const struct event_query *query)
{
	if (!query->module || !*query->module || strlen(query->module) >= MODULE_NAME_LEN)
		return false;
	return module_will_come(query->module);
}

static bool same_name(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_words(const struct event_query *a, const struct event_query *b)
{
	return same_name(a->module, b->module) && same_name(a->either, b->either) &&
	       same_name(a->system, b->system) && same_name(a->event, b->event);
}

/**
 * event_query_is_for - does a word mean another one, which waits?
 * @query: the word's parts
 * @waits: those of the other
 *
 * It does when they are the same. One that switches off and names no event means all of its module.
 *
 * Context: any.
 * Return: true if it does.
 */
bool event_query_is_for(const struct event_query *query, const struct event_query *waits)
{
	if (!query->on && !query->either && !query->system && !query->event)
		return same_name(waits->module, query->module);
	return same_words(waits, query);
}

/**
 * event_waiting_find - the word that waits and is the same as another
 * @tr: the instance
 * @query: the other's parts; without names of events it stands for all of the module
 *
 * Context: task, event_mutex.
 * Return: the word or NULL.
 */
struct event_waiting *event_waiting_find(struct trace_array *tr, const struct event_query *query)
{
	struct event_waiting *w;

	lockdep_assert_held(&event_mutex);
	list_for_each_entry(w, &events_of(tr)->waiting, list)
		if (event_query_is_for(query, &w->query))
			return w;
	return NULL;
}

static const char *keep_name(char **to, const char *name)
{
	char *copy = *to;

	if (!name)
		return NULL;
	*to += strlen(name) + 1;
	return memcpy(copy, name, *to - copy);
}

static size_t name_size(const char *name)
{
	return name ? strlen(name) + 1 : 0;
}

static int waiting_add(struct trace_array *tr, const struct event_query *query)
{
	size_t size = name_size(query->either) + name_size(query->system) +
		      name_size(query->event) + name_size(query->module);
	struct event_waiting *w;
	char *to;
	int ret;

	/* When the module comes trace_types_lock is held: the buffer cannot grow then. */
	ret = trace_array_use(tr);
	if (ret)
		return ret;
	w = event_waiting_find(tr, query);
	if (w) {
		w->goes = false;
		return 0;
	}
	w = kzalloc(struct_size(w, names, size), GFP_KERNEL);
	if (!w)
		return -ENOMEM;
	to = w->names;
	w->is_new = true;
	w->query.on = true;
	w->query.either = keep_name(&to, query->either);
	w->query.system = keep_name(&to, query->system);
	w->query.event = keep_name(&to, query->event);
	w->query.module = keep_name(&to, query->module);
	list_add_tail(&w->list, &events_of(tr)->waiting);
	return 0;
}

static void waiting_drop(struct event_waiting *w)
{
	list_del(&w->list);
	kfree(w);
}

/* Forget the words that are the same, with event_waiting_settle(). event_mutex */
void event_waiting_del(struct trace_array *tr, const struct event_query *query)
{
	struct event_waiting *w;

	list_for_each_entry(w, &events_of(tr)->waiting, list)
		w->goes |= event_query_is_for(query, &w->query);
}

/**
 * event_waiting_settle - words were done that may have been remembered, or forgotten
 * @tr: the instance
 * @done: or one of them failed, and all is as it was before
 *
 * Context: task, event_mutex.
 */
void event_waiting_settle(struct trace_array *tr, bool done)
{
	struct event_waiting *w, *next;

	list_for_each_entry_safe(w, next, &events_of(tr)->waiting, list) {
		if (done ? w->goes : w->is_new) {
			waiting_drop(w);
			continue;
		}
		w->is_new = false;
		w->goes = false;
	}
}

/**
 * event_query_wait - a word names a module, and no event of it
 * @tr: the instance
 * @query: the word's parts: remember it until the module comes, or forget it
 *
 * Context: task, event_mutex; event_waiting_settle() has to follow.
 * Return: 0; -EINVAL when the module is there, or the word was not remembered; -ENOMEM.
 */
int event_query_wait(struct trace_array *tr, const struct event_query *query)
{
	if (query->on)
		return event_query_may_wait(query) ? waiting_add(tr, query) : -EINVAL;
	if (!event_waiting_find(tr, query))
		return -EINVAL;
	event_waiting_del(tr, query);
	return 0;
}

/* Forget all words. event_mutex */
void event_waiting_free(struct trace_array *tr)
{
	struct event_waiting *w, *next;

	list_for_each_entry_safe(w, next, &events_of(tr)->waiting, list)
		waiting_drop(w);
}

/**
 * event_waiting_apply - a module's events are there: switch on what waits for them
 * @tr: the instance
 * @mod: the module
 *
 * A custom event finds its tracepoint when its module runs: its word waits for that. So does one
 * for which there was no memory; if there is none then, until the module comes again.
 *
 * Context: task, event_mutex.
 */
void event_waiting_apply(struct trace_array *tr, struct module *mod)
{
	struct event_waiting *w, *next;
	int ret;

	list_for_each_entry_safe(w, next, &events_of(tr)->waiting, list) {
		if (strcmp(w->query.module, module_name(mod)))
			continue;
		ret = event_query_apply(tr, &w->query, true);
		if (ret == -ENODEV && module_is_coming(mod))
			continue;
		if (ret == -ENOMEM) {
			pr_warn("No memory to enable events of module %s\n",
				module_name(mod));
			continue;
		}
		waiting_drop(w);
	}
}

void event_waiting_show(struct seq_file *m, const struct event_waiting *w)
{
	const struct event_query *query = &w->query;

	if (query->either)
		seq_puts(m, query->either);
	else
		seq_printf(m, "%s:%s", query->system ?: "*", query->event ?: "*");
	seq_printf(m, ":mod:%s\n", query->module);
}

/* seq_file's walk over the list; NULL at its end */
struct event_waiting *event_waiting_next(struct trace_array *tr, struct event_waiting *w)
{
	struct list_head *at = w ? w->list.next : events_of(tr)->waiting.next;

	return at == &events_of(tr)->waiting ? NULL : list_entry(at, struct event_waiting, list);
}
