// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes and their events: an event is made with its first probe, gets more of the same
 * arguments, and goes with the last one.
 */
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "command.h"
#include "probe.h"
#include "probe_event.h"
#include "probe_prog.h"
#include "probe_type.h"

/* --- coming and going */

static void args_free(struct probe_arg *args, unsigned int nr)
{
	for (unsigned int i = 0; args && i < nr; i++) {
		kfree(args[i].name);
		kfree(args[i].text);
		kfree(args[i].field);
	}
	kfree(args);
}

static void event_free(struct probe_event *e)
{
	if (!e)
		return;
	if (e->kind->event_free)
		e->kind->event_free(e);
	args_free(e->args, e->nr_args);
	kfree(e->call.print_fmt);
	kfree(e->call.name);
	kfree(e->class.system);
	kfree(e);
}

/* Held for a change of the list alone, and by who may not wait for event_mutex. */
DEFINE_MUTEX(probe_places_mutex);

/**
 * probe_init - begin a probe, with an event of its own
 * @p: the probe, zeroed
 * @kind: its kind
 * @at: enum probe_at
 * @group: of the event, NULL: the kind's
 * @event: name of the event
 *
 * Context: task.
 * Return: 0, and probe_destroy() undoes it until probe_add(); or -ENOMEM.
 */
int probe_init(struct probe *p, const struct probe_kind *kind, unsigned int at,
	       const char *group, const char *event)
{
	struct probe_event *e = kzalloc(sizeof(*e), GFP_KERNEL);

	p->at = at;
	p->event = e;
	if (!e)
		return -ENOMEM;
	e->kind = kind;
	e->at = at;
	INIT_LIST_HEAD(&e->files);
	INIT_LIST_HEAD(&e->probes);
	list_add_tail(&p->link, &e->probes);
	e->places = 1;

	e->class.system = kstrdup(group ?: kind->group, GFP_KERNEL);
	e->class.reg = probe_event_reg;
	e->class.fields_array = probe_event_fields;
	INIT_LIST_HEAD(&e->class.fields);
	e->call.class = &e->class;
	e->call.name = kstrdup(event, GFP_KERNEL);
	e->call.event.funcs = &probe_event_funcs;
	e->call.flags = kind->call_flag;
	if (e->class.system && e->call.name)
		return 0;
	probe_destroy(p);
	return -ENOMEM;
}

/**
 * probe_init_named - probe_init(), with a name that was made if none was given
 * @p: as there
 * @kind: as there
 * @at: as there
 * @group: as there
 * @event: name of the event, or NULL
 * @made: allocated, for no @event, and freed; NULL: there was no memory
 *
 * Context: task. Return: as probe_init().
 */
int probe_init_named(struct probe *p, const struct probe_kind *kind, unsigned int at,
		     const char *group, const char *event, char *made)
{
	int ret = -ENOMEM;

	if (event || made)
		ret = probe_init(p, kind, at, group, event ?: made);
	kfree(made);
	return ret;
}

static void parts_free(struct probe *p)
{
	probe_prog_free(p->prog);
	if (!p->event || p->event->args != p->args)
		args_free(p->args, p->nr_args);
	kfree(p->entry_args);
}

/**
 * probe_destroy - free what a probe has that was not added
 * @p: the probe, after probe_init() or zeroed
 *
 * Context: task.
 */
void probe_destroy(struct probe *p)
{
	parts_free(p);
	event_free(p->event);
	p->event = NULL;
}

/**
 * probe_complete - the event of a probe gets what its arguments decide
 * @p: the first probe of its event, with arguments
 *
 * probe_add() does it; it is for events that are in no registry.
 *
 * Context: task.
 * Return: 0 or -ENOMEM.
 */
int probe_complete(struct probe *p)
{
	struct probe_event *e = p->event;

	if (p->prog->strings && !(p->at & PROBE_USER) && probe_scratch_alloc())
		return -ENOMEM;
	for (unsigned int i = 0; i < p->nr_args; i++) {
		struct probe_arg *arg = &p->args[i];

		if (!arg->count || arg->field)
			continue;
		arg->field = kasprintf(GFP_KERNEL, "%s[%u]", arg->type->field, arg->count);
		if (!arg->field)
			return -ENOMEM;
	}
	e->args = p->args;
	e->nr_args = p->nr_args;
	if (!e->call.print_fmt)
		e->call.print_fmt = probe_print_fmt(e);
	return e->call.print_fmt ? 0 : -ENOMEM;
}

static int error_at_start(const struct dyn_command *cmd, enum probe_error error, int ret)
{
	return dyn_command_error(cmd, cmd->argv[0], error, ret);
}

static bool same_texts(const struct probe *a, const struct probe *b)
{
	for (unsigned int i = 0; i < a->nr_args; i++)
		if (strcmp(a->args[i].text, b->args[i].text))
			return false;
	return true;
}

/* Which argument is the first that is not alike? The number of them if there is none. */
static unsigned int first_other(const struct probe *a, const struct probe *b)
{
	unsigned int i;

	if (a->nr_args != b->nr_args)
		return min(a->nr_args, b->nr_args);
	for (i = 0; i < a->nr_args; i++) {
		const struct probe_arg *x = &a->args[i], *y = &b->args[i];

		if (x->type != y->type || x->count != y->count || strcmp(x->name, y->name))
			break;
	}
	return i;
}

/* May @p join @e, which has its name? */
static int check_join(const struct probe *p, struct probe_event *e, const struct dyn_command *cmd,
		      int word)
{
	const struct probe *other = probe_event_first(e);
	unsigned int i;

	if ((p->at ^ e->at) & (PROBE_RETURN | PROBE_TRACEPOINT))
		return error_at_start(cmd, PROBE_ERR_DIFF_PROBE_TYPE, -EEXIST);

	i = first_other(p, other);
	if (i < max(p->nr_args, other->nr_args)) {
		const char *at = cmd->text;

		/* behind the last one, where one is missing */
		if (word + i < cmd->argc)
			at = cmd->argv[word + i];
		else
			at = cmd->copy + strlen(cmd->text) + 1;
		return dyn_command_error(cmd, at, PROBE_ERR_DIFF_ARG_TYPE, -EEXIST);
	}

	list_for_each_entry(other, &e->probes, link)
		if (p->event->kind->same_place(p, other) && same_texts(p, other))
			return error_at_start(cmd, PROBE_ERR_SAME_PROBE, -EEXIST);
	return 0;
}

static void take_back(struct probe *p)
{
	const struct probe_kind *kind = p->event->kind;

	if (kind->uninstall)
		kind->uninstall(p);
	if (kind->settle)
		kind->settle();
}

static int join(struct probe *p, struct probe_event *e, const struct dyn_command *cmd, int word)
{
	struct probe_event *own = p->event;
	int ret = check_join(p, e, cmd, word);

	if (ret)
		return ret;

	list_del(&p->link);
	p->event = e;
	ret = e->kind->install ? e->kind->install(p, cmd) : 0;
	if (!ret && e->users) {
		ret = e->kind->arm(p);
		if (ret) {
			take_back(p);
			dyn_command_error(cmd, cmd->argv[1], PROBE_ERR_FAIL_REG_PROBE, ret);
		}
	}
	if (ret) {
		p->event = own;
		list_add_tail(&p->link, &own->probes);
		return ret;
	}
	scoped_guard(mutex, &probe_places_mutex)
		list_add_tail(&p->link, &e->probes);
	e->places++;
	own->args = NULL;
	event_free(own);
	return dyn_event_add(&p->dyn, &e->kind->dyn, &e->call);
}

static struct probe_event *event_of_kind(const struct trace_event_call *call,
					 const struct probe_kind *kind)
{
	struct dyn_event *ev;

	for_each_dyn_event(ev)
		if (ev->call == call)
			return ev->kind == &kind->dyn ? probe_of(ev)->event : NULL;
	return NULL;
}

/**
 * probe_add - a probe is complete: make its event, or let it be one more place of an event
 * @p: the probe, with its arguments
 * @cmd: the command, for error_log
 * @word: in @cmd, the first argument
 *
 * Context: task; takes event_mutex and what the kind's install() takes.
 * Return: 0; -EEXIST: the name is another event's, or the arguments are not like those of the
 * event; what install() says; -ENOMEM. After an error probe_destroy() is to be called.
 */
int probe_add(struct probe *p, const struct dyn_command *cmd, int word)
{
	const struct probe_kind *kind = p->event->kind;
	struct trace_event_call *call;
	struct probe_event *e;
	int ret;

	ret = probe_complete(p);
	if (ret)
		return ret;

	guard(mutex)(&event_mutex);
	call = trace_event_find_call(p->event->class.system, p->event->call.name);
	if (call) {
		e = kind->same_place ? event_of_kind(call, kind) : NULL;
		if (!e)
			return error_at_start(cmd, PROBE_ERR_EVENT_EXIST, -EEXIST);
		return join(p, e, cmd, word);
	}

	ret = kind->install ? kind->install(p, cmd) : 0;
	if (ret)
		return ret;
	ret = dyn_event_add(&p->dyn, &kind->dyn, &p->event->call);
	if (ret)
		take_back(p);
	return ret;
}

/* For struct dyn_event_kind. Nobody switches it with its event any more. */
static void probe_stop(struct dyn_event *ev)
{
	struct probe *p = probe_of(ev);
	struct probe_event *e = p->event;

	scoped_guard(mutex, &probe_places_mutex)
		list_del(&p->link);
	if (e->users && e->kind->disarm)
		e->kind->disarm(p);
	if (e->kind->uninstall)
		e->kind->uninstall(p);
}

/**
 * probe_free - nobody is in a hit of a probe any more: free what it has
 * @p: the probe, which was stopped; its own memory is the kind's
 *
 * The event is freed with the last of its probes, as a hit looks at it.
 *
 * Context: task, event_mutex.
 */
void probe_free(struct probe *p)
{
	struct probe_event *e = p->event;

	lockdep_assert_held(&event_mutex);
	parts_free(p);
	if (!--e->places)
		event_free(e);
}

/* NULL: of events that are no probes. */
const struct probe_kind *probe_kind_of(const struct dyn_event_kind *dyn)
{
	return dyn->stop == probe_stop ? container_of(dyn, struct probe_kind, dyn) : NULL;
}

/* --- for struct dyn_event_kind */

static bool matches_name(const struct probe *p, const char *group, const char *event)
{
	return (!group || !strcmp(group, probe_group(p))) &&
	       (!event || !strcmp(event, probe_name(p)));
}

/* Are the first arguments of @p what @argv has? */
static bool matches_args(const struct probe *p, int argc, const char **argv)
{
	if (argc > p->nr_args)
		return false;
	for (int i = 0; i < argc; i++) {
		size_t len = strlen(p->args[i].name);

		if (strncmp(argv[i], p->args[i].name, len) || argv[i][len] != '=' ||
		    strcmp(argv[i] + len + 1, p->args[i].text))
			return false;
	}
	return true;
}

static bool probe_match(const struct dyn_event *ev, const char *group, const char *event,
			int argc, const char **argv)
{
	const struct probe *p = probe_of((struct dyn_event *)ev);

	if (!matches_name(p, group, event))
		return false;
	return !argc || (p->event->kind->is_at(p, argv[0]) &&
			 matches_args(p, argc - 1, argv + 1));
}

static int probe_create(const struct dyn_event_kind *dyn, const char *text)
{
	const struct probe_kind *kind = container_of(dyn, struct probe_kind, dyn);

	return dyn_command_run(text, kind->letters, kind->loc, probe_error_texts, kind->create);
}

static int probe_show(struct seq_file *m, struct dyn_event *ev)
{
	const struct probe *p = probe_of(ev);

	p->event->kind->show_type(m, p);
	seq_printf(m, ":%s/%s ", probe_group(p), probe_name(p));
	p->event->kind->show_place(m, p);
	for (unsigned int i = 0; i < p->nr_args; i++)
		seq_printf(m, " %s=%s", p->args[i].name, p->args[i].text);
	seq_putc(m, '\n');
	return 0;
}

/**
 * probe_kind_register - add a kind of probe
 * @kind: stays for ever; in @kind->dyn is what other kinds have otherwise
 *
 * Context: boot, before fs_initcall makes the files.
 */
void __init probe_kind_register(struct probe_kind *kind)
{
	kind->dyn.create = probe_create;
	kind->dyn.show = probe_show;
	kind->dyn.stop = probe_stop;
	kind->dyn.match = probe_match;
	kind->dyn.settle = kind->settle;
	dyn_event_kind_register(&kind->dyn);
}

/* The sum of a counter of all CPUs. */
unsigned long probe_hits(const unsigned long __percpu *hits)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(hits, cpu);
	return sum;
}
