// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_trigger=EVENT.TRIGGER[,EVENT.TRIGGER...]: triggers of the top instance from the first event
 * on. A TRIGGER is what the file takes; it has no comma in it.
 */
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "../events/events.h"
#include "actions.h"
#include "trigger.h"

static char boot_triggers[COMMAND_LINE_SIZE] __initdata;

static int __init boot_triggers_setup(char *str)
{
	/* Too early to grow it when the triggers are set. */
	trace_set_ring_buffer_expanded(NULL);
	/* The option may be given more than once. */
	if (*boot_triggers)
		strlcat(boot_triggers, ",", sizeof(boot_triggers));
	strlcat(boot_triggers, str, sizeof(boot_triggers));
	return 1;
}
__setup("trace_trigger=", boot_triggers_setup);

/* An event of that name, whatever its system. */
static int __init boot_trigger_set(char *event, char *trigger)
{
	struct trace_array *tr = &global_trace;
	struct trace_event_file *file;
	int ret = -ENOENT;

	guard(mutex)(&event_mutex);
	for (file = event_file_next(tr, NULL); file; file = event_file_next(tr, file)) {
		char *copy;

		if (!event_can_be_enabled(file->event_call) ||
		    strcmp(trace_event_name(file->event_call), event))
			continue;
		copy = kstrdup(trigger, GFP_KERNEL);
		if (!copy)
			return -ENOMEM;
		ret = event_trigger_command(file, strim(copy));
		kfree(copy);
		if (ret)
			break;
	}
	return ret;
}

void __init event_triggers_boot(void)
{
	char *at = boot_triggers, *word;

	while ((word = strsep(&at, ","))) {
		char *event = strsep(&word, ".");
		int ret;

		if (!*event && !word)
			continue;
		ret = word ? boot_trigger_set(event, word) : -EINVAL;
		if (ret)
			pr_warn("Failed to set the trigger '%s' on event '%s': %d\n",
				word ?: "", event, ret);
	}
}
