// SPDX-License-Identifier: GPL-2.0-only
/* Probes of modules that come and go: each kind is told of it. */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/notifier.h>

#include "../events/events.h"
#include "internal.h"
#include "probe.h"

static int module_comes(struct notifier_block *nb, unsigned long state, void *data)
{
	struct dyn_event_kind *dyn;

	if (state != MODULE_STATE_COMING)
		return NOTIFY_DONE;
	guard(mutex)(&event_mutex);
	list_for_each_entry(dyn, &dyn_event_kinds, list) {
		const struct probe_kind *kind = probe_kind_of(dyn);

		if (kind && kind->module_comes)
			kind->module_comes(data);
	}
	return NOTIFY_DONE;
}

static int module_goes(struct notifier_block *nb, unsigned long state, void *data)
{
	struct dyn_event_kind *dyn;

	if (state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	guard(mutex)(&event_mutex);
	list_for_each_entry(dyn, &dyn_event_kinds, list) {
		const struct probe_kind *kind = probe_kind_of(dyn);

		if (kind && kind->module_goes)
			kind->module_goes(data);
	}
	return NOTIFY_DONE;
}

/*
 * After all who have to know the module for a probe to be there: jump labels, kprobes, which tell
 * what is not to be probed, and tracepoints. Whoever switches an event on before that, and does not
 * find its tracepoint yet, leaves it to this.
 */
static struct notifier_block coming_nb = {
	.notifier_call	= module_comes,
	.priority	= -1,
};

/*
 * After kprobes', which is older, and before the tracepoints', which is younger and wants no probe
 * left on those of a module that goes.
 */
static struct notifier_block going_nb = {
	.notifier_call	= module_goes,
	.priority	= 0,
};

static int __init probe_modules_init(void)
{
	int ret = register_module_notifier(&going_nb);

	return ret ?: register_module_notifier(&coming_nb);
}
core_initcall(probe_modules_init);
