// SPDX-License-Identifier: GPL-2.0-only
/* Probes of modules that come and go: each kind is told of it. */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/notifier.h>

#include "../events/events.h"
#include "internal.h"
#include "probe.h"

static int module_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	struct dyn_event_kind *dyn;

	if (state != MODULE_STATE_COMING && state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	guard(mutex)(&event_mutex);
	list_for_each_entry(dyn, &dyn_event_kinds, list) {
		const struct probe_kind *kind = probe_kind_of(dyn);

		if (!kind)
			continue;
		if (state == MODULE_STATE_COMING && kind->module_comes)
			kind->module_comes(data);
		if (state == MODULE_STATE_GOING && kind->module_goes)
			kind->module_goes(data);
	}
	return NOTIFY_DONE;
}

/*
 * After the jump labels', which has 1, so that a tracepoint can be switched on, and kprobes', which
 * is older and tells what is not to be probed; before the tracepoints', which is younger and wants
 * no probe left on those of a module that goes.
 */
static struct notifier_block module_nb = {
	.notifier_call	= module_notify,
	.priority	= 0,
};

static int __init probe_modules_init(void)
{
	return register_module_notifier(&module_nb);
}
core_initcall(probe_modules_init);
