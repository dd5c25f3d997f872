// SPDX-License-Identifier: GPL-2.0-only
/*
 * enable_hist and disable_hist: the hists of another event go on or pause when this one is hit.
 * Each hit counts, whether it changes something or not.
 */
#include <linux/init.h>
#include <linux/rculist.h>

#include "internal.h"

static void set_all(struct trace_action_use *use, bool paused)
{
	struct trace_event_file *file = use->data;
	struct event_trigger_hook *hook;

	list_for_each_entry_rcu(hook, &file->triggers, list) {
		struct hist *hist;

		/* an event probe's, which hangs there as well, is no trigger */
		if (!hist_is_hook(hook))
			continue;
		hist = event_trigger_of(hook)->use.data;
		/* mostly it is what it is to be: no write to what all its hits read */
		if (test_bit(HIST_PAUSED_BIT, &hist->state) != paused)
			assign_bit(HIST_PAUSED_BIT, &hist->state, paused);
	}
}

static void do_enable(struct trace_action_use *use, const struct trace_action_call *call)
{
	set_all(use, false);
}

static void do_disable(struct trace_action_use *use, const struct trace_action_call *call)
{
	set_all(use, true);
}

#define HIST_SWITCH(_name, _run) {					\
	.name	= _name,						\
	.flags	= TRACE_ACTION_EVENT | TRACE_ACTION_REPLACED,		\
	.type	= ETT_HIST_ENABLE,					\
	.run	= _run,							\
	TRACE_ACTION_ON_EVENT,						\
}

static struct trace_action switches[] = {
	HIST_SWITCH("enable_hist", do_enable),
	HIST_SWITCH("disable_hist", do_disable),
};

void __init hist_switches_register(void)
{
	trace_actions_register(switches, ARRAY_SIZE(switches));
}
