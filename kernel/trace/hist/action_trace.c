// SPDX-License-Identifier: GPL-2.0-only
/* trace(SYNTH,args), SYNTH(args): a synthetic event happens, with these values. */
#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../dynevent/synth.h"
#include "../events/events.h"
#include "actions.h"

/*
 * Values and texts of events that are under way on a CPU. What nests takes behind, and gives
 * back before the one that it interrupted goes on.
 */
#define VALUES_WORDS	1530
#define STRING_WORDS	(HIST_STRING_MAX / sizeof(u64))
#define STACK_WORDS	(HIST_STACK_DEPTH + 2)	/* the count, and a 0 behind */

struct synth_values {
	u32	used;
	u64	words[VALUES_WORDS];
};

static struct synth_values __percpu *synth_values;

/**
 * struct trace_action_data - what fires a synthetic event
 * @event:	the event
 * @helpers:	hists that were made for arguments, struct hist_helper
 * @words:	of struct synth_values: values, and texts that do not lie in an entry
 * @nr_args:	as many as the event has fields
 * @args:	of the event's fields, in order
 * @lost:	how often there was no room for one more, within those under way
 */
struct trace_action_data {
	struct synth_event	*event;
	struct list_head	helpers;
	unsigned int		words;
	unsigned int		nr_args;
	struct hist_field	*args[HIST_PARAMS_MAX];
	atomic_long_t		lost;
};

/* Room that an argument takes, beside its value. */
static unsigned int words_of(const struct hist_field *arg)
{
	if (arg->kind == HIST_STACK)
		return STACK_WORDS;
	if (arg->kind == HIST_STRING && arg->source != HIST_FROM_REF)
		return STRING_WORDS;
	return 0;
}

/* May the argument be the value of the field? Strings and stacks know it by the names of types. */
static bool fits(const struct synth_field *field, const struct hist_field *arg)
{
	switch (field->store) {
	case SYNTH_STACK:
		return arg->kind == HIST_STACK;
	case SYNTH_DYN_STRING:
		return arg->kind == HIST_STRING;
	case SYNTH_STRING:
		return arg->kind == HIST_STRING &&
		       (!strcmp(field->type, arg->type) || field->size == arg->size);
	default:
		if (arg->kind != HIST_NUMBER)
			return false;
		return !strcmp(field->type, arg->type) ||
		       (field->size == arg->size && field->is_signed == arg->is_signed);
	}
}

static int add_arg(struct hist_parse *p, struct hist_action *a, unsigned int i)
{
	struct trace_action_data *data = a->data;
	const struct synth_event *event = data->event;
	struct hist_field *arg;
	char *text = kstrdup(a->params[i], GFP_KERNEL);

	if (!text)
		return -ENOMEM;
	arg = hist_arg_parse(p, a, text, &data->helpers);
	kfree(text);
	if (IS_ERR(arg))
		return PTR_ERR(arg);
	data->args[data->nr_args++] = arg;
	data->words += words_of(arg);
	if (i >= event->n_fields || !fits(&event->fields[i], arg)) {
		const char *name = strrchr(a->params[i], '.');

		return hist_refuse(p, HIST_ERR_SYNTH_TYPE_MISMATCH,
				   name && !strpbrk(a->params[i], "+-*/()") ? name + 1 :
				   a->params[i]);
	}
	return 0;
}

static int trace_create(struct hist_parse *p, struct hist_action *a)
{
	struct trace_action_data *data;
	int ret = 0;

	if (!synth_values)
		synth_values = alloc_percpu(struct synth_values);
	data = synth_values ? kzalloc(sizeof(*data), GFP_KERNEL) : NULL;
	if (!data)
		return -ENOMEM;
	INIT_LIST_HEAD(&data->helpers);
	a->data = data;
	data->event = synth_event_find(a->synth_name);
	if (!data->event)
		return hist_refuse(p, HIST_ERR_SYNTH_EVENT_NOT_FOUND, a->synth_name);
	for (unsigned int i = 0; !ret && i < a->nr_params; i++)
		ret = add_arg(p, a, i);
	if (!ret && data->nr_args != data->event->n_fields)
		ret = hist_refuse(p, HIST_ERR_SYNTH_COUNT_MISMATCH, a->synth_name);
	data->words += data->nr_args;
	if (!ret && data->words > VALUES_WORDS)
		ret = hist_refuse(p, HIST_ERR_TOO_MANY_PARAMS, hist_at_begin(p));
	return ret;
}

static void trace_destroy(struct hist_action *a)
{
	struct trace_action_data *data = a->data;

	if (!data)
		return;
	for (unsigned int i = 0; i < data->nr_args; i++)
		hist_field_free(data->args[i]);
	hist_helpers_remove(&data->helpers);
	kfree(data);
}

static int trace_start(struct hist_action *a)
{
	struct trace_action_data *data = a->data;

	return trace_event_try_get_ref(&data->event->call) ? 0 : -EBUSY;
}

static void trace_stop(struct hist_action *a)
{
	struct trace_action_data *data = a->data;

	trace_event_put_ref(&data->event->call);
}

static void trace_clear(struct hist_action *a)
{
	struct trace_action_data *data = a->data;

	atomic_long_set(&data->lost, 0);
}

/* Most arguments are variables, or fields that hist_value() has in a few steps. */
static __always_inline u64 number_for(const struct hist_field *arg, const struct hist_hit *hit)
{
	const struct hist_step *step = &arg->steps[0];

	if (arg->nr_steps == 1 && step->op == HIST_OP_REF)
		return hit->refs[step->index];
	if (arg->nr_steps == 1 && step->op == HIST_OP_PID)
		return current->pid;
	return hist_value(arg, hit);
}

/* The value for a field; what is no number is put to @text, which is moved on. */
static __always_inline u64 value_for(const struct hist_field *arg, const struct hist_hit *hit,
				     u64 **text)
{
	u64 *here = *text;

	if (likely(arg->kind == HIST_NUMBER))
		return number_for(arg, hit);
	if (arg->kind == HIST_STRING) {
		if (arg->source == HIST_FROM_REF)
			return hit->refs[arg->ref];
		hist_string(arg, hit, (char *)here);
		*text += STRING_WORDS;
	} else {
		/* there is always a 0: who copies it goes on until then */
		here[0] = hist_stack(arg, hit, here + 1);
		here[1 + here[0]] = 0;
		*text += STACK_WORDS;
	}
	return (u64)here;
}

static void trace_run(struct hist_action *a, struct hist_hit *hit, u64 value)
{
	struct trace_action_data *data = a->data;
	struct synth_values *values;
	u64 *vals, *text;
	u32 used;

	if (!synth_event_is_on(data->event))
		return;
	values = this_cpu_ptr(synth_values);
	used = values->used;
	if (unlikely(used + data->words > VALUES_WORDS)) {
		atomic_long_inc(&data->lost);
		return;
	}
	WRITE_ONCE(values->used, used + data->words);
	barrier();	/* what interrupts us takes what is behind */
	vals = values->words + used;
	text = vals + data->nr_args;
	for (unsigned int i = 0; i < data->nr_args; i++)
		vals[i] = value_for(data->args[i], hit, &text);
	if (unlikely(!synth_event_fire(data->event, vals)))
		atomic_long_inc(&data->lost);
	barrier();
	WRITE_ONCE(values->used, used);
}

/* Only where there is something to say: the base has no such line. */
static void trace_print_end(struct seq_file *m, const struct hist_action *a)
{
	const struct trace_action_data *data = a->data;
	long lost = atomic_long_read(&data->lost);

	if (lost)
		seq_printf(m, "\nActions without room: %s: %ld\n", a->synth_name, lost);
}

const struct hist_action_kind hist_action_trace = {
	.create		= trace_create,
	.start		= trace_start,
	.stop		= trace_stop,
	.clear		= trace_clear,
	.destroy	= trace_destroy,
	.run		= trace_run,
	.print_end	= trace_print_end,
};
