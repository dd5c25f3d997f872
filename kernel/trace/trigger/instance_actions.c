// SPDX-License-Identifier: GPL-2.0-only
/* The actions that need only the instance: traceon, traceoff, snapshot, stacktrace. */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "../events/events.h"
#include "../record/write.h"
#include "../snapshot/snapshot.h"
#include "actions.h"

/* From here on down a stack is tracing's own: it begins with the probe, or who wrote a marker. */
static struct trace_text event_texts[EVENT_COMMIT_TEXTS + 1] __ro_after_init;

static bool is_on(const struct trace_action_use *use)
{
	return tracer_tracing_is_on(use->tr);
}

static bool is_off(const struct trace_action_use *use)
{
	return !tracer_tracing_is_on(use->tr);
}

static void do_traceon(struct trace_action_use *use, const struct trace_action_call *call)
{
	tracer_tracing_on(use->tr);
}

static void do_traceoff(struct trace_action_use *use, const struct trace_action_call *call)
{
	tracer_tracing_off(use->tr);
}

static void do_stacktrace(struct trace_action_use *use, const struct trace_action_call *call)
{
	if (call->ip)
		trace_function_stack(use->tr, tracing_gen_ctx(), call->ip);
	else
		trace_stack_below(use->tr, tracing_gen_ctx_dec(), event_texts,
				  ARRAY_SIZE(event_texts));
}

#ifdef CONFIG_TRACER_SNAPSHOT
static int start_snapshot(struct trace_action_use *use)
{
	return snapshot_get(use->tr);
}

static void stop_snapshot(struct trace_action_use *use)
{
	snapshot_put(use->tr);
}

static void do_snapshot(struct trace_action_use *use, const struct trace_action_call *call)
{
	snapshot_take(use->tr);
}
#endif

static struct trace_action actions[] = {
	{
		.name	= "traceon",
		.flags	= TRACE_ACTION_EVENT | TRACE_ACTION_FUNCTION | TRACE_ACTION_LATCHES,
		.type	= ETT_TRACE_ONOFF,
		.idle	= is_on,
		.run	= do_traceon,
	}, {
		/* what it is switched off because of has its place by then */
		.name	= "traceoff",
		.flags	= TRACE_ACTION_EVENT | TRACE_ACTION_FUNCTION | TRACE_ACTION_LATCHES |
			  TRACE_ACTION_RECORD,
		.type	= ETT_TRACE_ONOFF,
		.idle	= is_off,
		.run	= do_traceoff,
	},
#ifdef CONFIG_TRACER_SNAPSHOT
	{
		/* what it is taken because of is in it */
		.name	= "snapshot",
		.flags	= TRACE_ACTION_EVENT | TRACE_ACTION_FUNCTION | TRACE_ACTION_AFTER,
		.type	= ETT_SNAPSHOT,
		.run	= do_snapshot,
		.start	= start_snapshot,
		.stop	= stop_snapshot,
	},
#endif
	{
		.name	= "stacktrace",
		.flags	= TRACE_ACTION_EVENT | TRACE_ACTION_FUNCTION | TRACE_ACTION_AFTER,
		.type	= ETT_STACKTRACE,
		.idle	= is_off,
		.run	= do_stacktrace,
	},
};

void __init instance_actions_register(void)
{
	memcpy(event_texts, event_stack_top.texts, EVENT_COMMIT_TEXTS * sizeof(*event_texts));
	trace_marker_text(&event_texts[EVENT_COMMIT_TEXTS]);
	trace_actions_register(actions, ARRAY_SIZE(actions));
}
