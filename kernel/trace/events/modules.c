// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modules come with their events, and go with them.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/trace_events.h>

#include "internal.h"

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
		event_call_enroll(mod->trace_events[i], mod);
	event_maps_apply(mod->trace_evals, mod->num_trace_evals);
	event_maps_keep(mod, mod->trace_evals, mod->num_trace_evals);
	waiting_apply(mod);
}

static void module_going(struct module *mod)
{
	event_maps_forget(mod);
	if (mod->num_trace_events)
		event_calls_remove_of(mod);
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

void __init event_modules_init(void)
{
	if (register_module_notifier(&module_nb))
		pr_warn("Failed to register trace events module notifier\n");
}
