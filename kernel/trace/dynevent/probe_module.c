// SPDX-License-Identifier: GPL-2.0-only
/* Probes of modules that come and go: each kind is told of it. */
#include <linux/init.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>

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

/*
 * A module that has come and is not live yet, nor told to be going: its init may run for long, and
 * fail. event_mutex
 */
struct module_coming {
	struct list_head	list;
	const struct module	*mod;
};

static LIST_HEAD(coming);

static struct module_coming *find_coming(const struct module *mod)
{
	struct module_coming *c;

	list_for_each_entry(c, &coming, list) {
		if (c->mod == mod)
			return c;
	}
	return NULL;
}

/* Without memory what is switched on meanwhile waits until it is live. */
static void set_coming(const struct module *mod, bool comes)
{
	struct module_coming *c = find_coming(mod);

	if (comes && !c) {
		c = kmalloc(sizeof(*c), GFP_KERNEL);
		if (!c)
			return;
		c->mod = mod;
		list_add(&c->list, &coming);
	} else if (!comes && c) {
		list_del(&c->list);
		kfree(c);
	}
}

/**
 * probe_module_is_there - may a probe be placed in a module?
 * @mod: the module
 *
 * One that comes may have been told to go already and still say that it comes, when its load fails.
 * So what it says itself is not enough.
 *
 * Context: task, event_mutex. Return: true if so; then it is there as long as that is held.
 */
bool probe_module_is_there(const struct module *mod)
{
	switch (READ_ONCE(mod->state)) {
	case MODULE_STATE_LIVE:
		return true;
	case MODULE_STATE_COMING:
		return find_coming(mod);
	default:
		return false;
	}
}

static int module_notify(struct notifier_block *nb, unsigned long state, void *mod)
{
	bool comes = nb == &coming_nb;
	struct dyn_event_kind *dyn;

	/* When it is live it is asked again, for what was switched on before it was known here. */
	if (comes ? state != MODULE_STATE_COMING && state != MODULE_STATE_LIVE :
		    state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	guard(mutex)(&event_mutex);
	set_coming(mod, comes && state == MODULE_STATE_COMING);
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
