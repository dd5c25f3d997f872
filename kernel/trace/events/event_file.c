// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event files: what an instance has of an event.
 *
 * Every instance has one of each, or of those of the systems that it was made for; and none of any
 * before somebody first asks for one, by its name or by going into events/.
 */
#include <linux/init.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "../ring_buffer/fast.h"
#include "filter.h"
#include "internal.h"

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

int event_file_add(struct trace_array *tr, struct trace_event_call *call)
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

void event_file_users_leave(struct trace_event_file *file)
{
	struct event_file_user *user;

	lockdep_assert_held(&event_mutex);
	list_for_each_entry(user, &event_file_users, list)
		user->leave(file);
}

void event_file_leave(struct trace_event_file *file)
{
	list_del(&file->list);
	event_dir_remove(file);
	file->flags |= EVENT_FILE_FL_FREED;
	event_file_put(file);
}

void event_files_leave(struct trace_array *tr)
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
 * They take more memory than all else that an instance has before it is used. What is in
 * find.c finds no event in an instance that was not got ready, and need not: none is on there.
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
