// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an instance has of this room, from the time that it comes until it goes.
 */
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "internal.h"

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
		event_file_users_leave(file);
	for_each_event_file(file, tr)
		probed |= event_file_was_recorded(file);
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
