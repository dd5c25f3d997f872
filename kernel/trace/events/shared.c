// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probe of an event on its tracepoint: one, in however many instances the event is on.
 *
 * Its data is the event's file in the instance, or where there are several a struct event_files,
 * which the write path tells by its flag. So an event that is on in two instances is measured,
 * timed and built once, and then goes to each of the files as that one wants it, see
 * trace_event_buffer_commit(). What the data is, trace_event_call.data says: event_mutex.
 *
 * A list is not changed while a probe may be at it. When there is no memory for another one, a file
 * that is removed is replaced in place by event_file_gone, and a file that is added gets a probe of
 * its own.
 *
 * The probe of what hangs on sched_switch is called by tasks/switch.c, which asks lists of pids
 * first. There each file is a target of its own, and where no instance has a list, all of
 * them are called at once, with the list of files, see trace_switch_join().
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "../tasks/switch.h"
#include "internal.h"

/* In place of a file that was taken out: it wants nothing. */
struct trace_event_file event_file_gone = {
	.flags		= EVENT_FILE_FL_SOFT_DISABLED,
	.triggers	= LIST_HEAD_INIT(event_file_gone.triggers),
};

VISIBLE_IF_KUNIT struct event_files *event_files_alloc(unsigned int nr)
{
	struct event_files *files;

	KUNIT_STATIC_STUB_REDIRECT(event_files_alloc, nr);

	/* with the NULL at its end */
	files = kzalloc(struct_size(files, file, nr + 1), GFP_KERNEL);
	if (files) {
		files->flags = EVENT_FILE_FL_SHARED;
		files->nr = nr;
	}
	return files;
}

static void free_files_now(struct rcu_head *head)
{
	kfree(container_of(head, struct event_files, rcu));
}

static void free_files_after_rcu(struct rcu_head *head)
{
	call_srcu(&tracepoint_srcu, head, free_files_now);
}

/* What tracepoint_synchronize_unregister() waits for, one after the other. */
static void free_files(struct event_files *files)
{
	if (files)
		call_rcu(&files->rcu, free_files_after_rcu);
}

/* The list that the probe of @call has, or NULL if it has a file or is not there. */
static struct event_files *files_of(const struct trace_event_call *call)
{
	struct event_files *files = call->data;

	return files && files->flags & EVENT_FILE_FL_SHARED ? files : NULL;
}

/* The files of @from, without those that are gone and @but, to the end of @to. */
static void copy_files(struct event_files *to, const struct event_files *from,
		       const struct trace_event_file *but)
{
	struct trace_event_file *const *at, **end = to->file;

	while (*end)
		end++;
	for (at = from->file; *at; at++)
		if (*at != &event_file_gone && *at != but)
			*end++ = *at;
	to->type = from->type;
}

/* @data is a file, or a list of @nr of them. */
static int set_data(struct trace_event_call *call, void *data, unsigned int nr)
{
	struct event_files *old = files_of(call);
	int ret;

	if (event_is_of_switch(call)) {
		trace_switch_join(call->class->probe, data, nr);
	} else {
		ret = tracepoint_probe_set_data(call->tp, call->class->probe, call->data, data);
		if (WARN_ON_ONCE(ret))
			return ret;
	}
	call->data = data;
	free_files(old);
	return 0;
}

/**
 * event_probe_add - have an event's probe record to one more file
 * @file: the event in an instance
 *
 * Context: task, event_mutex.
 * Return: 0, -ENOMEM, or what the tracepoint says.
 */
int event_probe_add(struct trace_event_file *file)
{
	struct trace_event_call *call = file->event_call;
	struct event_files *old = files_of(call);
	unsigned int nr = old ? old->nr + 1 : 2;
	bool of_switch = event_is_of_switch(call);
	struct event_files *new = NULL;
	int ret;

	lockdep_assert_held(&event_mutex);
	if (call->data) {
		new = event_files_alloc(nr);
		if (!new && of_switch)
			return -ENOMEM;
	}
	if (of_switch)
		ret = trace_switch_add(file->tr, call->class->probe, file);
	else if (!new)
		ret = tracepoint_probe_register(call->tp, call->class->probe, file);
	else
		ret = 0;
	if (!new) {
		if (!ret && !call->data)
			call->data = file;
		return ret;
	}
	new->file[0] = file;
	if (old)
		copy_files(new, old, NULL);
	else
		new->file[1] = call->data;
	new->type = file->type;
	ret = ret ?: set_data(call, new, nr);
	if (ret)
		kfree(new);
	return ret;
}

/* Take @file out of the list at @old. */
static void leave_files(struct trace_event_call *call, struct event_files *old,
			struct trace_event_file **place)
{
	struct trace_event_file *file = *place, **at;
	unsigned int left = old->nr - 1;
	struct event_files *new;

	if (left > 1) {
		new = event_files_alloc(left);
		if (new) {
			copy_files(new, old, file);
			if (set_data(call, new, left))
				kfree(new);
			return;
		}
		/* taking away does not fail: who is at it wants no more of @file */
		WRITE_ONCE(*place, &event_file_gone);
		old->nr = left;
		return;
	}
	for (at = old->file; *at == &event_file_gone || *at == file; at++)
		;
	set_data(call, *at, 0);
}

/**
 * event_probe_remove - have an event's probe not record to a file any more
 * @file: the event in an instance, which was added
 *
 * The probe may still be at it, see tracepoint_probe_unregister().
 *
 * Context: task, event_mutex.
 */
void event_probe_remove(struct trace_event_file *file)
{
	struct trace_event_call *call = file->event_call;
	struct event_files *files = files_of(call);
	bool of_switch = event_is_of_switch(call);
	struct trace_event_file **at;

	lockdep_assert_held(&event_mutex);
	for (at = files ? files->file : NULL; at && *at; at++) {
		if (*at == file) {
			leave_files(call, files, at);
			if (of_switch)
				break;
			return;
		}
	}
	if (call->data == file)
		call->data = NULL;
	if (of_switch)
		trace_switch_remove(file->tr, call->class->probe, file);
	else
		tracepoint_probe_unregister(call->tp, call->class->probe, file);
}
