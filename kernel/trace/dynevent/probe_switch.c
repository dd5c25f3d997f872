// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probe events are switched on, for instances and for perf: the first user arms the probes of an
 * event, the last one disarms them.
 */
#include <linux/kernel.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "probe.h"
#include "probe_event.h"

static void disarm_until(struct probe_event *e, struct probe *end)
{
	struct probe *p;

	if (!e->kind->disarm)
		return;
	list_for_each_entry(p, &e->probes, link) {
		if (p == end)
			break;
		e->kind->disarm(p);
	}
}

static int event_arm(struct probe_event *e)
{
	struct probe *p;
	int ret;

	if (!e->kind->arm)
		return 0;
	list_for_each_entry(p, &e->probes, link) {
		ret = e->kind->arm(p);
		if (ret) {
			disarm_until(e, p);
			return ret;
		}
	}
	return 0;
}

/* Whoever is in a hit may still look at what was the only file: as with the list, that waits. */
static void users_set(struct probe_event *e, unsigned int users)
{
	struct probe_file *pf = list_first_entry_or_null(&e->files, struct probe_file, list);
	bool only = users == PROBE_FOR_TRACE && list_is_singular(&e->files);

	/* as in the list: a hit that finds it, by its address, finds what it was made with */
	smp_store_release(&e->only, only ? pf->file : NULL);
	WRITE_ONCE(e->users, users);
}

static int users_add(struct probe_event *e, unsigned int user)
{
	unsigned int before = e->users;
	int ret = 0;

	lockdep_assert_held(&event_mutex);
	users_set(e, before | user);
	if (!before)
		ret = event_arm(e);
	else if (e->kind->users_changed)
		ret = e->kind->users_changed(e, before);
	if (ret)
		users_set(e, before);
	return ret;
}

static struct probe_text *text_of(char *text)
{
	return container_of(text, struct probe_text, text[0]);
}

char *probe_text_dup(const char *text)
{
	size_t size = strlen(text) + 1;
	struct probe_text *t = kmalloc(struct_size(t, text, size), GFP_KERNEL);

	return t ? memcpy(t->text, text, size) : NULL;
}

void probe_text_free(char *text)
{
	if (text)
		kfree(text_of(text));
}

/* Who asks perf for the place of an event goes on with the text when this one has gone. */
void probe_text_put(struct probe *p, char *text)
{
	struct probe_event *e = p->event;

	lockdep_assert_held(&event_mutex);
	if (!text || !(e->users & PROBE_FOR_PERF)) {
		probe_text_free(text);
		return;
	}
	text_of(text)->next = e->texts;
	e->texts = text_of(text);
}

static void texts_free(struct probe_event *e)
{
	struct probe_text *t;

	while ((t = e->texts)) {
		e->texts = t->next;
		kfree(t);
	}
}

static void users_del(struct probe_event *e, unsigned int user)
{
	lockdep_assert_held(&event_mutex);
	if (!(e->users & user))
		return;
	users_set(e, e->users & ~user);
	if (user == PROBE_FOR_PERF)
		texts_free(e);
	if (!e->users)
		disarm_until(e, NULL);
	else if (e->kind->users_changed)
		e->kind->users_changed(e, e->users | user);
}

static void file_del(struct probe_event *e, struct probe_file *pf)
{
	list_del_rcu(&pf->list);
	kfree_rcu(pf, rcu);
	users_set(e, e->users);
	if (list_empty(&e->files))
		users_del(e, PROBE_FOR_TRACE);
}

static int file_add(struct probe_event *e, struct trace_event_file *file)
{
	struct probe_file *pf = kmalloc(sizeof(*pf), GFP_KERNEL);
	int ret;

	if (!pf)
		return -ENOMEM;
	pf->file = file;
	list_add_tail_rcu(&pf->list, &e->files);
	ret = users_add(e, PROBE_FOR_TRACE);
	if (!ret && e->kind->file_arm)
		ret = e->kind->file_arm(e, file);
	if (ret)
		file_del(e, pf);
	return ret;
}

static void file_leave(struct probe_event *e, struct trace_event_file *file)
{
	struct probe_file *pf;

	list_for_each_entry(pf, &e->files, list) {
		if (pf->file != file)
			continue;
		if (e->kind->file_disarm)
			e->kind->file_disarm(e, file);
		file_del(e, pf);
		return;
	}
}

/* For struct trace_event_class. */
int probe_event_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct probe_event *e = probe_event_of(call);

	switch (type) {
	case TRACE_REG_REGISTER:
		return file_add(e, data);
	case TRACE_REG_UNREGISTER:
		file_leave(e, data);
		return 0;
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return users_add(e, PROBE_FOR_PERF);
	case TRACE_REG_PERF_UNREGISTER:
		users_del(e, PROBE_FOR_PERF);
		return 0;
	default:
		return e->kind->perf ? e->kind->perf(call, type, data) : 0;
#endif
	}
	return 0;
}
