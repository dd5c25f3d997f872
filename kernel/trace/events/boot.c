// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's own events at boot, and those that trace_event= switches on.
 */
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/trace_events.h>

#include <asm/setup.h>

#include "../instance/words.h"
#include "../output/output.h"
#include "internal.h"

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
	return event_call_enroll(call, NULL);
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
			event_call_enroll(*iter, NULL);
		event_maps_apply(__start_ftrace_eval_maps,
				 __stop_ftrace_eval_maps - __start_ftrace_eval_maps);
		event_maps_keep(NULL, __start_ftrace_eval_maps,
				__stop_ftrace_eval_maps - __start_ftrace_eval_maps);
	}
	event_modules_init();

	if (*boot_events)
		boot_events_enable();
	return 0;
}
