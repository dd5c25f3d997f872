// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an argument of an action means.
 *
 *	$x		a variable of this hist, of a hist of the event that is matched, of another
 *	SYS.EVENT.$x	a variable of a hist of that event
 *	F		a field of the event; if it has none of that name, of the event matched
 *	SYS.EVENT.F	a field of that event
 *
 * A field of the event itself is read from the record when the action runs. The other event's
 * record is not there then: a second hist is made on it, with the keys and the filter of one that
 * it has and with the variable synthetic_F, and that is read. It goes with the last action that
 * reads it.
 */
#include <linux/ctype.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "actions.h"

#define HELPER_PREFIX	"synthetic_"

/* A hist that was made for an action: that of @file with the variable @var. */
struct hist_helper {
	struct list_head	list;
	struct trace_event_file	*file;
	char			*var;
};

/**
 * hist_event_file - find an event in an instance
 * @tr: the instance
 * @system: its system
 * @event: its name
 *
 * Markers can have hists, though find_event_file() does not find what cannot be switched.
 *
 * Context: task, event_mutex.
 * Return: the event file or NULL.
 */
struct trace_event_file *hist_event_file(struct trace_array *tr, const char *system,
					 const char *event)
{
	struct trace_event_file *file = NULL;

	while ((file = event_file_next(tr, file)))
		if (event_is_named(file->event_call, system, event))
			return file;
	return NULL;
}

/* --- hists for fields of other events */

/* Would a key of one find an entry of the other? */
static bool keys_fit(const struct hist *a, const struct hist *b)
{
	if (a->nr_keys != b->nr_keys)
		return false;
	for (unsigned int i = 0; i < a->nr_keys; i++) {
		const struct hist_field *x = a->keys[i], *y = b->keys[i];

		if (x->kind != y->kind)
			return false;
		if (x->kind == HIST_NUMBER && (x->size != y->size || x->is_signed != y->is_signed))
			return false;
	}
	return true;
}

/* One with the keys of the hist that is made; its keys and filter are taken. */
static struct hist *model_on(struct hist_parse *p, struct trace_event_file *file)
{
	struct hist *hist;

	list_for_each_entry(hist, &hists_of(p->tr)->hists, list)
		if (hist->file == file && hist->trigger && keys_fit(hist, p->hist))
			return hist;
	return NULL;
}

static bool same_condition(const struct hist *a, const struct hist *b)
{
	return !strcmp(a->trigger->condition, b->trigger->condition);
}

static struct hist *helper_of(struct hist_parse *p, const struct hist *model, const char *name,
			      struct hist_field **var)
{
	struct hist *hist;

	list_for_each_entry(hist, &hists_of(p->tr)->hists, list) {
		if (hist->file != model->file || !hist->trigger ||
		    !keys_fit(hist, p->hist) || !same_condition(hist, model))
			continue;
		*var = hist_var_in(hist, name);
		if (*var)
			return hist;
	}
	return NULL;
}

/* keys=...:synthetic_F=F[:clock=C] [if FILTER] */
static char *helper_command(const struct hist *model, const char *var, const char *field,
			    const char *clock)
{
	size_t size = PAGE_SIZE + strlen(model->trigger->condition);
	struct seq_file m = { .size = size };

	m.buf = kzalloc(size, GFP_KERNEL);
	if (!m.buf)
		return NULL;
	seq_puts(&m, "keys=");
	hist_show_keys(&m, model);
	seq_printf(&m, ":%s=%s", var, field);
	if (clock)
		seq_printf(&m, ":clock=%s", clock);
	if (*model->trigger->condition)
		seq_printf(&m, " if %s", model->trigger->condition);
	if (seq_has_overflowed(&m)) {
		kfree(m.buf);
		return NULL;
	}
	m.buf[m.count] = '\0';
	return m.buf;
}

/* With the clock that @p asks for, if it does, as its own times are compared with these. */
static int helper_make(const struct hist_parse *p, const struct hist_helper *helper,
		       const struct hist *model, const char *field)
{
	char *command = helper_command(model, helper->var, field, p->params.clock);
	int ret = command ? hist_helper_command(helper->file, command) : -ENOMEM;

	kfree(command);
	return ret;
}

static void helper_free(struct hist_helper *helper)
{
	event_file_put(helper->file);
	kfree(helper->var);
	kfree(helper);
}

/*
 * NULL when somebody reads it still, when it is not there any more, and when a user has set one
 * with such a variable himself.
 */
static struct hist *helper_idle(const struct hist_helper *helper)
{
	struct hist *hist;

	if (helper->file->flags & EVENT_FILE_FL_FREED)
		return NULL;
	list_for_each_entry(hist, &hists_of(helper->file->tr)->hists, list)
		if (hist->file == helper->file && hist->trigger && hist_var_in(hist, helper->var))
			return hist->is_helper && !hist->nr_users ? hist : NULL;
	return NULL;
}

/**
 * hist_helpers_remove - the hists that were made for an action go
 * @helpers: of the action, which reads them no more; other actions may
 *
 * Context: task, event_mutex. Waits for RCU, needs no memory.
 */
void hist_helpers_remove(struct list_head *helpers)
{
	struct hist_helper *helper, *next;
	struct hist *hist;

	list_for_each_entry_safe(helper, next, helpers, list) {
		list_del(&helper->list);
		hist = helper_idle(helper);
		if (hist)
			event_trigger_remove(hist->trigger);
		helper_free(helper);
	}
}

static struct hist_helper *helper_alloc(struct trace_event_file *file, const char *field)
{
	struct hist_helper *helper = kzalloc(sizeof(*helper), GFP_KERNEL);

	if (!helper)
		return NULL;
	event_file_get(file);
	helper->file = file;
	helper->var = kasprintf(GFP_KERNEL, HELPER_PREFIX "%s", field);
	if (!helper->var) {
		helper_free(helper);
		return NULL;
	}
	return helper;
}

/* A reference on synthetic_F of a hist of the other event. */
static struct hist_field *other_field(struct hist_parse *p, const char *system, const char *event,
				      const char *field, struct list_head *helpers)
{
	struct trace_event_file *file = hist_event_file(p->tr, system, event);
	struct hist_helper *helper;
	struct hist_field *var = NULL;
	struct hist *model, *hist;
	int ref;

	if (!file)
		return ERR_PTR(hist_refuse(p, HIST_ERR_EVENT_FILE_NOT_FOUND, field));
	model = model_on(p, file);
	if (!model)
		return ERR_PTR(hist_refuse(p, HIST_ERR_HIST_NOT_FOUND, field));
	helper = helper_alloc(file, field);
	if (!helper)
		return ERR_PTR(-ENOMEM);
	hist = helper_of(p, model, helper->var, &var);
	if (!hist) {
		int ret = helper_make(p, helper, model, field);

		hist = ret ? NULL : helper_of(p, model, helper->var, &var);
		if (!hist) {
			hist_refuse(p, ret ? HIST_ERR_HIST_CREATE_FAIL :
					     HIST_ERR_SYNTH_VAR_NOT_FOUND, field);
			helper_free(helper);
			return ERR_PTR(ret == -ENOMEM ? ret : -EINVAL);
		}
		p->helper_times |= hist->nr_times;
	}
	list_add_tail(&helper->list, helpers);
	ref = hist_ref_add(p, hist, var, NULL, NULL, false);
	return ref < 0 ? ERR_PTR(ref) : hist_ref_field(p, ref, NULL);
}

/* --- arguments */

/* A name that the event of the hist has, or one that needs no event; else it is another's. */
static bool names_own_field(struct hist_parse *p, const char *text)
{
	struct ftrace_event_field *field;
	size_t len = strcspn(text, ".");
	char name[64];

	if (!isalpha(*text) && *text != '_')
		return true;
	if (str_has_prefix(text, "common_") || strpbrk(text, "+-*/()$") || len >= sizeof(name))
		return true;
	memcpy(name, text, len);
	name[len] = '\0';
	field = trace_find_event_field(p->file->event_call, name);
	/* comm is in no record, and no field of a histogram */
	return field && (field->size || field->filter_type == FILTER_CPU ||
			 field->filter_type == FILTER_STACKTRACE);
}

static struct hist_field *own_field(struct hist_parse *p, char *text)
{
	return hist_field_parse(p, text, HIST_AS_ARG, NULL);
}

static struct hist_field *variable(struct hist_parse *p, struct hist_action *a, const char *system,
				   const char *event, const char *name)
{
	struct hist_field *var;
	struct hist *hist;
	int ref;

	if (!system && !hist_var_in(p->hist, name + 1) && a->handler == HIST_ON_MATCH) {
		system = a->system;
		event = a->event;
	}
	if (system) {
		struct trace_event_file *file = hist_event_file(p->tr, system, event);

		if (file == p->file && hist_var_in(p->hist, name + 1))
			return hist_ref_parse(p, NULL, NULL, name, NULL, false);
		hist = file ? hist_var_on(file, name + 1, &var) : NULL;
		if (!hist)
			return ERR_PTR(hist_refuse(p, HIST_ERR_PARAM_NOT_FOUND, name + 1));
		ref = hist_ref_add(p, hist, var, system, event, false);
		return ref < 0 ? ERR_PTR(ref) : hist_ref_field(p, ref, NULL);
	}
	return hist_ref_parse(p, NULL, NULL, name, NULL, false);
}

/**
 * hist_arg_parse - what an argument of an action means
 * @p: the command
 * @a: the action
 * @text: the argument; it is cut up
 * @helpers: gets the hists that had to be made
 *
 * Context: task, event_mutex.
 * Return: a field; -EINVAL with a line in error_log; -ENOMEM.
 */
struct hist_field *hist_arg_parse(struct hist_parse *p, struct hist_action *a, char *text,
				  struct list_head *helpers)
{
	char *system = NULL, *event = NULL, *name = text;

	/* two dots; with one what is behind it is a modifier */
	if (strchr(text, '.') && strchr(strchr(text, '.') + 1, '.') && !strpbrk(text, "+-*/()")) {
		system = strsep(&name, ".");
		event = strsep(&name, ".");
	}
	if (*name == '$' && !strpbrk(name, "+-*/()"))
		return variable(p, a, system, event, name);
	if (system)
		return event_is_named(p->file->event_call, system, event) ? own_field(p, name) :
			other_field(p, system, event, name, helpers);
	if (a->handler == HIST_ON_MATCH && !names_own_field(p, name))
		return other_field(p, a->system, a->event, name, helpers);
	return own_field(p, name);
}
