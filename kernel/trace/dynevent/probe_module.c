// SPDX-License-Identifier: GPL-2.0-only
/* Probes of modules that come and go: each kind is told of it. */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/notifier.h>

#include "../events/events.h"
#include "internal.h"
#include "probe.h"

static int module_notify(struct notifier_block *nb, unsigned long state, void *mod);

/*
 * After all who have to know the module for a probe to be there: jump labels, kprobes, which tell
 * what is not to be probed, and tracepoints. Whoever switches an event on before that, and does not
 * find its tracepoint yet, leaves it to this.
 */
static struct notifier_block coming_nb = {
	.notifier_call	= module_notify,
	.priority	= -1,
};

/*
 * After kprobes', which is older, and before the tracepoints', which is younger and wants no probe
 * left on those of a module that goes.
 */
static struct notifier_block going_nb = {
	.notifier_call	= module_notify,
	.priority	= 0,
};

static int module_notify(struct notifier_block *nb, unsigned long state, void *mod)
{
	bool comes = nb == &coming_nb;
	struct dyn_event_kind *dyn;

	if (state != (comes ? MODULE_STATE_COMING : MODULE_STATE_GOING))
		return NOTIFY_DONE;
	guard(mutex)(&event_mutex);
	list_for_each_entry(dyn, &dyn_event_kinds, list) {
		const struct probe_kind *kind = probe_kind_of(dyn);
		void (*tell)(struct module *mod) = NULL;

		if (kind)
			tell = comes ? kind->module_comes : kind->module_goes;
		if (tell)
			tell(mod);
	}
	return NOTIFY_DONE;
}

static int __init probe_modules_init(void)
{
	int ret = register_module_notifier(&going_nb);

	return ret ?: register_module_notifier(&coming_nb);
}
core_initcall(probe_modules_init);
