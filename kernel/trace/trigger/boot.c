// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_trigger=EVENT.TRIGGER[,EVENT.TRIGGER...]: triggers of the top instance from the first event
 * on. A TRIGGER is what the file takes; it has no comma in it.
 */
#include <linux/init.h>
#include <linux/string.h>

#include "../events/events.h"
#include "actions.h"
#include "trigger.h"

/* The buffer: it is too early to grow it when the triggers are set. */
TRACE_BOOT_PARAM(boot_triggers, "trace_trigger", {
	trace_set_ring_buffer_expanded(NULL);
	trace_boot_append(boot_triggers, ",", str);
});

/* An event of that name, whatever its system. */
static int __init boot_trigger_set(char *event, char *trigger)
{
	struct trace_array *tr = &global_trace;
	struct trace_event_file *file;
	int ret = -ENOENT;

	guard(mutex)(&event_mutex);
	for (file = event_file_next(tr, NULL); file; file = event_file_next(tr, file)) {
		struct trace_words words = event_trigger_words(tr);

		if (!event_can_be_enabled(file->event_call) ||
		    strcmp(trace_event_name(file->event_call), event))
			continue;
		ret = trace_words_copy(&words, trigger);
		if (ret)
			break;
		ret = event_trigger_command(file, &words);
		trace_words_free(&words);
		if (ret)
			break;
	}
	return ret;
}

void __init event_triggers_boot(void)
{
	char *at = tracing_disabled ? NULL : boot_triggers, *word;

	while ((word = trace_list_cut(&at, ","))) {
		char *event = strsep(&word, ".");
		int ret;

		ret = word ? boot_trigger_set(event, strim(word)) : -EINVAL;
		if (ret)
			pr_warn("Failed to set the trigger '%s' on event '%s': %d\n",
				word ?: "", event, ret);
	}
}
