// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints of events on tracepoints. All events on one share its stub, which is a probe of
 * it as long as one of them is on.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "../events/events.h"
#include "fprobe.h"

/* A stub that is called; event_mutex */
struct stub {
	struct list_head	list;
	struct tracepoint	*tp;
	unsigned int		users;
};

static LIST_HEAD(stubs);

static struct stub *stub_of(const struct tracepoint *tp)
{
	struct stub *stub;

	list_for_each_entry(stub, &stubs, list)
		if (stub->tp == tp)
			return stub;
	return NULL;
}

/**
 * tprobe_stub_get - have the stub of a tracepoint called
 * @tp: the tracepoint
 *
 * Context: task, event_mutex.
 * Return: 0, -ENOMEM, or as tracepoint_probe_register().
 */
int tprobe_stub_get(struct tracepoint *tp)
{
	struct stub *stub = stub_of(tp);
	int ret;

	lockdep_assert_held(&event_mutex);
	if (stub) {
		stub->users++;
		return 0;
	}
	stub = kzalloc(sizeof(*stub), GFP_KERNEL);
	if (!stub)
		return -ENOMEM;
	stub->tp = tp;
	stub->users = 1;
	ret = tracepoint_probe_register(tp, tp->probestub, NULL);
	if (ret)
		kfree(stub);
	else
		list_add(&stub->list, &stubs);
	return ret;
}

/* The opposite. The stub may still be called for a moment, which does nothing. */
void tprobe_stub_put(struct tracepoint *tp)
{
	struct stub *stub = stub_of(tp);

	lockdep_assert_held(&event_mutex);
	if (WARN_ON_ONCE(!stub) || --stub->users)
		return;
	tracepoint_probe_unregister(tp, tp->probestub, NULL);
	list_del(&stub->list);
	kfree(stub);
}

struct search {
	const char		*name;
	struct tracepoint	*found;
};

static void compare(struct tracepoint *tp, void *data)
{
	struct search *search = data;

	if (!search->found && tp->probestub && !strcmp(tp->name, search->name))
		search->found = tp;
}

#ifdef CONFIG_MODULES
static void compare_in_module(struct tracepoint *tp, struct module *mod, void *data)
{
	if (probe_module_is_there(mod))
		compare(tp, data);
}
#endif

/**
 * tprobe_find - a tracepoint by its name
 * @name: its name
 *
 * Context: task, event_mutex: a module that begins to go waits for it, so the tracepoint stays
 * while it is held.
 * Return: the tracepoint or NULL, also for one of a module that is not there yet or goes already.
 */
struct tracepoint *tprobe_find(const char *name)
{
	struct search search = { .name = name };

	lockdep_assert_held(&event_mutex);
	for_each_kernel_tracepoint(compare, &search);
#ifdef CONFIG_MODULES
	if (!search.found)
		for_each_module_tracepoint(compare_in_module, &search);
#endif
	return search.found;
}
