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

/* The one whose probes are just placed as it is coming. event_mutex */
static const struct module *coming;

/**
 * probe_module_is_there - may a probe be placed in a module?
 * @mod: the module
 *
 * One that comes may have been told to go already and still say that it comes, when its load fails.
 * So where it does not say that it is there, only probe_kind::module_comes may do that.
 *
 * Context: task, event_mutex. Return: true if so; then it is there as long as that is held.
 */
bool probe_module_is_there(const struct module *mod)
{
	return READ_ONCE(mod->state) == MODULE_STATE_LIVE || mod == coming;
}

static int module_notify(struct notifier_block *nb, unsigned long state, void *mod)
{
	bool comes = nb == &coming_nb;
	struct dyn_event_kind *dyn;

	/* When it is there it is asked again, for what was switched on meanwhile. */
	if (comes ? state != MODULE_STATE_COMING && state != MODULE_STATE_LIVE :
		    state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	guard(mutex)(&event_mutex);
	coming = comes ? mod : NULL;
	list_for_each_entry(dyn, &dyn_event_kinds, list) {
		const struct probe_kind *kind = probe_kind_of(dyn);
		void (*tell)(struct module *mod) = NULL;

		if (kind)
			tell = comes ? kind->module_comes : kind->module_goes;
		if (tell)
			tell(mod);
	}
	coming = NULL;
	return NOTIFY_DONE;
}

static int __init probe_modules_init(void)
{
	int ret = register_module_notifier(&going_nb);

	return ret ?: register_module_notifier(&coming_nb);
}
core_initcall(probe_modules_init);
