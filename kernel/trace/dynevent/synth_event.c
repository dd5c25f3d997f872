// SPDX-License-Identifier: GPL-2.0-only
/*
 * Synthetic events: what they are to the registry of events, and the lines that make and remove
 * them, in synthetic_events and dynamic_events.
 *
 * An event of TRACE_EVENT() hangs on a tracepoint. A synthetic one has a list of the instances in
 * which it is on, which whoever lets it happen goes through, and one bit for perf.
 */
#include <linux/init.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "synth_internal.h"

#define DYN_PREFIX	"s:"

static int target_add(struct synth_event *event, struct trace_event_file *file)
{
	struct synth_target *target = kmalloc(sizeof(*target), GFP_KERNEL);

	if (!target)
		return -ENOMEM;
	target->file = file;
	list_add_tail_rcu(&target->list, &event->targets);
	return 0;
}

static void target_remove(struct synth_event *event, struct trace_event_file *file)
{
	struct synth_target *target;

	list_for_each_entry(target, &event->targets, list) {
		if (target->file == file) {
			list_del_rcu(&target->list);
			kfree_rcu(target, rcu);
			return;
		}
	}
}

static int synth_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct synth_event *event = container_of(call, struct synth_event, call);

	/* event_mutex is held, but for perf's ADD and DEL, and OPEN and CLOSE of a child's */
	switch (type) {
	case TRACE_REG_REGISTER:
		return target_add(event, data);
	case TRACE_REG_UNREGISTER:
		target_remove(event, data);
		return 0;
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		/* with the length in front and up to a multiple of 8 */
		if (event->max_bytes + sizeof(u64) > PERF_MAX_TRACE_SIZE)
			return -E2BIG;
		WRITE_ONCE(event->perf, true);
		return 0;
	case TRACE_REG_PERF_UNREGISTER:
		WRITE_ONCE(event->perf, false);
		return 0;
#endif
	default:
		return 0;
	}
}

static int define_fields(struct trace_event_call *call)
{
	struct synth_event *event = container_of(call, struct synth_event, call);
	int ret = 0;

	for (unsigned int i = 0; !ret && i < event->n_fields; i++) {
		const struct synth_field *field = &event->fields[i];

		ret = trace_define_field(call, field->type, field->name, field->offset, field->size,
					 field->is_signed,
					 field->store == SYNTH_STACK ? FILTER_STACKTRACE :
								       FILTER_OTHER);
	}
	return ret;
}

static struct trace_event_fields synth_fields[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = define_fields },
	{}
};

/**
 * synth_event_of - the synthetic event of an event
 * @call: any event
 *
 * Context: any.
 * Return: NULL when @call is no synthetic event.
 */
struct synth_event *synth_event_of(struct trace_event_call *call)
{
	return call->class->reg == synth_reg ? container_of(call, struct synth_event, call) : NULL;
}

/**
 * synth_event_find - find a synthetic event
 * @name: its name
 *
 * Context: task, event_mutex.
 * Return: the event or NULL.
 */
struct synth_event *synth_event_find(const char *name)
{
	struct trace_event_call *call = trace_event_find_call(SYNTH_SYSTEM, name);

	return call ? synth_event_of(call) : NULL;
}

/* --- the kind */

static void show_fields(struct seq_file *m, const struct synth_event *event)
{
	for (unsigned int i = 0; i < event->n_fields; i++) {
		const struct synth_field *field = &event->fields[i];
		size_t skip = str_has_prefix(field->type, "__data_loc ");

		seq_printf(m, "%s%s %s", i ? "; " : "", field->type + skip, field->name);
	}
	seq_putc(m, '\n');
}

static struct synth_event *of_dyn(const struct dyn_event *ev)
{
	return container_of(ev, struct synth_event, dyn);
}

static int synth_show(struct seq_file *m, struct dyn_event *ev)
{
	seq_printf(m, DYN_PREFIX SYNTH_SYSTEM "/%s\t", of_dyn(ev)->name);
	show_fields(m, of_dyn(ev));
	return 0;
}

static int synth_show_own(struct seq_file *m, struct dyn_event *ev)
{
	seq_printf(m, "%s\t", of_dyn(ev)->name);
	show_fields(m, of_dyn(ev));
	return 0;
}

static bool synth_match(const struct dyn_event *ev, const char *system, const char *event,
			int argc, const char **argv)
{
	return (!system || !strcmp(system, SYNTH_SYSTEM)) &&
	       (!event || !strcmp(event, of_dyn(ev)->name));
}

static void synth_free(struct dyn_event *ev)
{
	synth_event_free(of_dyn(ev));
}

static int synth_create(const struct dyn_event_kind *kind, const char *text);
static int synth_own_line(const char *text);

static struct dyn_event_kind synth_kind = {
	.file		= "synthetic_events",
	.command	= synth_own_line,
	.create		= synth_create,
	.show		= synth_show,
	.show_own	= synth_show_own,
	.match		= synth_match,
	.free		= synth_free,
};

/* --- making and removing */

static int make(const struct synth_text *text)
{
	struct synth_event *event = synth_parse(text);
	int ret;

	if (IS_ERR(event))
		return PTR_ERR(event);
	event->class.system = SYNTH_SYSTEM;
	event->class.reg = synth_reg;
	event->class.fields_array = synth_fields;
	INIT_LIST_HEAD(&event->class.fields);
	INIT_LIST_HEAD(&event->targets);
	event->call.class = &event->class;
	event->call.name = event->name;
	event->call.event.funcs = &synth_event_funcs;

	scoped_guard(mutex, &event_mutex)
		ret = dyn_event_add(&event->dyn, &synth_kind, &event->call);
	if (ret)
		synth_event_free(event);
	if (ret == -EEXIST)
		synth_refuse(text->whole, text->name, SYNTH_ERR_EVENT_EXISTS, ret);
	return ret;
}

/* NAME FIELD[;FIELD]..., at @name in @whole */
static int make_at(const char *whole, const char *name)
{
	struct synth_text text = {
		.whole		= whole,
		.name		= name,
		.name_len	= strcspn(name, " \t"),
	};

	return make(&text);
}

/**
 * synth_event_command - make a synthetic event
 * @text: NAME FIELD[;FIELD]...
 *
 * Context: task, takes event_mutex.
 * Return: 0, -EINVAL, -EEXIST, -ENOMEM.
 */
int synth_event_command(const char *text)
{
	return make_at(text, text);
}

/* s:[synthetic/]NAME FIELD[;FIELD]... */
static int synth_create(const struct dyn_event_kind *kind, const char *text)
{
	const char *name;

	if (!str_has_prefix(text, DYN_PREFIX))
		return -ECANCELED;
	name = text + strlen(DYN_PREFIX);
	if (memchr(name, '/', strcspn(name, " \t;"))) {
		if (!str_has_prefix(name, SYNTH_SYSTEM "/"))
			return synth_refuse(text, text, SYNTH_ERR_INVALID_DYN_CMD, -EINVAL);
		name += strlen(SYNTH_SYSTEM "/");
	}
	return make_at(text, name);
}

static int remove_named(const char *name)
{
	struct synth_event *event;

	guard(mutex)(&event_mutex);
	event = synth_event_find(name);
	return event ? dyn_event_remove(&event->dyn) : -ENOENT;
}

/* A line of synthetic_events: what makes an event, or !NAME, with or without its fields. */
static int synth_own_line(const char *text)
{
	char *name;
	int ret;

	if (*text != '!')
		return synth_event_command(text);
	name = kmemdup_nul(text + 1, strcspn(text + 1, " \t"), GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	ret = remove_named(name);
	kfree(name);
	if (ret)
		synth_refuse(text, text + 1, ret == -EBUSY ? SYNTH_ERR_BUSY : SYNTH_ERR_NO_EVENT,
			     ret);
	return ret;
}

/**
 * synth_event_delete - remove a synthetic event
 * @name: its name
 *
 * Buffers with records of it are emptied.
 *
 * Context: task, takes event_mutex and trace_types_lock.
 * Return: 0; -ENOENT; -EBUSY while it is on somewhere, or somebody holds it.
 */
int synth_event_delete(const char *name)
{
	return remove_named(name);
}
EXPORT_SYMBOL_GPL(synth_event_delete);

static int __init synth_init(void)
{
	dyn_event_kind_register(&synth_kind);
	return 0;
}
core_initcall(synth_init);
