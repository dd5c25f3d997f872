// SPDX-License-Identifier: GPL-2.0-only
/*
 * Variables and those who read them.
 *
 * A variable belongs to a hist; it has a value in each entry. Who reads one has a reference: while
 * there is one from another event, the hist of the variable cannot be removed by a user. It can go
 * with its event (a module, an instance); then references lead nowhere, and hits of their hists are
 * not counted any more.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "../events/events.h"
#include "internal.h"

/**
 * hist_var_in - a variable of a hist
 * @hist: the hist
 * @name: its name
 *
 * Context: task, event_mutex.
 * Return: its definition or NULL.
 */
struct hist_field *hist_var_in(const struct hist *hist, const char *name)
{
	for (unsigned int i = 0; i < hist->nr_vars; i++) {
		struct hist_field *var = hist->vars[i];

		if (!(var->flags & HIST_FL_HIDDEN) && !strcmp(var->var, name))
			return var;
	}
	return NULL;
}

/**
 * hist_var_on - a variable of one of the hists of an event
 * @file: the event in an instance
 * @name: the variable's name
 * @var: gets its definition
 *
 * Context: task, event_mutex.
 * Return: the hist or NULL.
 */
struct hist *hist_var_on(struct trace_event_file *file, const char *name, struct hist_field **var)
{
	struct hist *hist;

	list_for_each_entry(hist, &hists_of(file->tr)->hists, list) {
		if (hist->file != file)
			continue;
		*var = hist_var_in(hist, name);
		if (*var)
			return hist;
	}
	return NULL;
}

/**
 * hist_var_find - find a variable in an instance
 * @p: the command
 * @system: of the event, or NULL
 * @event: the event, or NULL: any
 * @name: of the variable
 * @var: gets its definition
 *
 * Context: task, event_mutex.
 * Return: the hist, NULL, or ERR_PTR(-EEXIST) when events have different variables of the name.
 */
static struct hist *hist_var_find(struct hist_parse *p, const char *system, const char *event,
				  const char *name, struct hist_field **var)
{
	struct hist *hist, *found = NULL;
	struct hist_field *here;

	if (system) {
		struct trace_event_file *file = find_event_file(p->tr, system, event);

		return file ? hist_var_on(file, name, var) : NULL;
	}
	list_for_each_entry(hist, &hists_of(p->tr)->hists, list) {
		here = hist_var_in(hist, name);
		if (!here)
			continue;
		/* those of one name= have it together */
		if (found && found->file != hist->file && found->map != hist->map)
			return ERR_PTR(-EEXIST);
		if (!found) {
			found = hist;
			*var = here;
		}
	}
	return found;
}

/**
 * hist_var_definition - what a variable of the command itself is defined as, if that is a field
 * @p: the command
 * @name: of the variable
 *
 * A key or a value may name such a variable: it is the field then.
 *
 * Context: task.
 * Return: the field's text with its modifier, to be freed; NULL: it is none; ERR_PTR(-ENOMEM).
 */
char *hist_var_definition(const struct hist_parse *p, const char *name)
{
	size_t len = strlen(name);
	char *copy;

	for (unsigned int i = 0; i < p->params.nr_vars; i++) {
		const char *at = p->params.vars[i], *end;

		for (; *at; at = *end ? end + 1 : end) {
			const char *text = skip_spaces(at);

			end = strchrnul(at, ',');
			if (strncmp(text, name, len))
				continue;
			text = skip_spaces(text + len);
			if (*text++ != '=' || text >= end)
				continue;
			if (strcspn(text, "+-*/()$") < end - text)
				return NULL;
			copy = kstrndup(text, end - text, GFP_KERNEL);
			return copy ?: ERR_PTR(-ENOMEM);
		}
	}
	return NULL;
}

static void ref_clear(struct hist_ref *ref)
{
	kfree(ref->system);
	kfree(ref->event);
	kfree(ref->name);
	kfree(ref->type);
	memset(ref, 0, sizeof(*ref));
}

/* Of a hist that has gone only the words are left. */
static bool same_ref(const struct hist_ref *a, const struct hist_ref *b)
{
	return a->hist == b->hist && a->slot == b->slot &&
	       (a->hist || (!strcmp(a->name, b->name) &&
			    hist_same_text(a->system, b->system) &&
			    hist_same_text(a->event, b->event)));
}

/* Values of @hist are taken from now on: hits that did not know are over when this returns. */
static void vars_taken(struct hist *hist)
{
	if (hist->vars_all & HIST_VARS_TAKEN)
		return;
	WRITE_ONCE(hist->vars_all, hist->vars_all | HIST_VARS_TAKEN);
	tracepoint_synchronize_unregister();
}

/* A reference like @as, whose texts are copied: index, -EINVAL for too many, -ENOMEM. */
static int ref_add(struct hist_parse *p, const struct hist_ref *as)
{
	struct hist *hist = p->hist;
	struct hist_ref *ref;
	int i;

	if (as->once && as->hist && !as->own)
		vars_taken(as->hist);
	for (i = 0; i < hist->nr_refs; i++) {
		ref = &hist->refs[i];
		if (same_ref(ref, as)) {
			ref->once |= as->once;
			return i;
		}
	}
	if (i == HIST_REFS_MAX)
		return hist_refuse(p, HIST_ERR_TOO_MANY_REFS, as->name);
	ref = &hist->refs[i];
	*ref = *as;
	ref->name = kstrdup(as->name, GFP_KERNEL);
	ref->type = kstrdup(as->type, GFP_KERNEL);
	ref->system = kstrdup(as->system, GFP_KERNEL);
	ref->event = kstrdup(as->event, GFP_KERNEL);
	if (!ref->name || !ref->type || !ref->system != !as->system ||
	    !ref->event != !as->event) {
		ref_clear(ref);
		return -ENOMEM;
	}
	if (ref->hist && !ref->own)
		ref->hist->nr_users++;
	hist->nr_refs++;
	return i;
}

/**
 * hist_ref_add - a hist reads a variable
 * @p: the command that makes the hist
 * @target: whose variable it is
 * @var: the variable
 * @system: as the user wrote it, or NULL
 * @event: as the user wrote it, or NULL
 * @once: the value is taken when it is read
 *
 * Context: task, event_mutex.
 * Return: index of the reference, -EINVAL for too many, -ENOMEM.
 */
int hist_ref_add(struct hist_parse *p, struct hist *target, struct hist_field *var,
		 const char *system, const char *event, bool once)
{
	const struct hist_ref as = {
		.hist = target, .slot = var->slot, .once = once, .own = target == p->hist,
		/* of a time the unit, also for who reads what this becomes a part of */
		.flags = var->flags & (HIST_FL_TIMESTAMP | HIST_FL_USECS),
		.kind = var->kind, .type = var->type, .size = var->size,
		.is_signed = var->is_signed, .name = var->var,
		.system = (char *)system, .event = (char *)event,
	};

	return ref_add(p, &as);
}

/*
 * The reference that p->like has by these words, whatever a variable of this name is by now: it may
 * have gone, or be one of several. Index, -ENOENT, or an error.
 */
static int ref_like(struct hist_parse *p, const char *system, const char *event, const char *name)
{
	const struct hist_ref *as = NULL;

	for (unsigned int i = 0; i < p->like->nr_refs; i++) {
		const struct hist_ref *ref = &p->like->refs[i];

		if (ref->own || strcmp(ref->name, name))
			continue;
		if (hist_same_text(ref->system, system) && hist_same_text(ref->event, event))
			return ref_add(p, ref);
		/* of one that is written with its event and without there is what came first */
		if (!ref->system || !system)
			as = ref;
	}
	return as ? ref_add(p, as) : -ENOENT;
}

/**
 * hist_ref_field - a reference as a field
 * @p: the command that makes the hist
 * @ref: index of the reference
 * @var: name of the variable that it defines, an alias, or NULL
 *
 * Context: task, event_mutex.
 * Return: the field or -ENOMEM.
 */
struct hist_field *hist_ref_field(struct hist_parse *p, int ref, const char *var)
{
	const struct hist_ref *r = &p->hist->refs[ref];
	struct hist_field *field = hist_field_alloc(1);
	char *name;
	int ret;

	if (!field)
		return ERR_PTR(-ENOMEM);
	field->flags = var ? HIST_FL_VAR | HIST_FL_ALIAS : HIST_FL_REF;
	field->flags |= r->flags;
	field->kind = r->kind;
	field->source = HIST_FROM_REF;
	field->size = r->size;
	field->is_signed = r->is_signed;
	field->ref = ref;
	field->steps[0] = (struct hist_step){ .op = HIST_OP_REF, .index = ref };
	field->nr_steps = 1;
	if (r->system)
		name = kasprintf(GFP_KERNEL, "%s.%s.$%s", r->system, r->event, r->name);
	else
		name = kasprintf(GFP_KERNEL, "$%s", r->name);
	ret = name ? hist_field_set_names(field, name, r->type, var) : -ENOMEM;
	kfree(name);
	if (ret) {
		hist_field_free(field);
		return ERR_PTR(ret);
	}
	return field;
}

/**
 * hist_ref_parse - a reference as it is written
 * @p: the command
 * @system: what stands in front of it, or NULL
 * @event: the same
 * @name: the variable, with its $
 * @var: name of the variable that it defines, or NULL
 * @once: it stands in an expression
 *
 * Context: task, event_mutex.
 * Return: the field; -EINVAL with a line in error_log; -ENOENT: what the hist is compared with does
 * not read it; -ENOMEM.
 */
struct hist_field *hist_ref_parse(struct hist_parse *p, const char *system, const char *event,
				  const char *name, const char *var, bool once)
{
	struct hist_field *found = NULL;
	struct hist *target = NULL;
	int ref;

	name++;
	if (p->in_actions && !system) {
		found = hist_var_in(p->hist, name);
		if (found)
			target = p->hist;
	}
	if (!target && p->like) {
		ref = ref_like(p, system, event, name);
		return ref < 0 ? ERR_PTR(ref) : hist_ref_field(p, ref, var);
	}
	/* who matches an event means its variable, whoever else has one of the name */
	if (!target && !system)
		target = hist_actions_var(p, name, &found);
	if (!target)
		target = hist_var_find(p, system, event, name, &found);
	if (IS_ERR_OR_NULL(target)) {
		if (target)
			hist_refuse(p, HIST_ERR_VAR_NOT_UNIQUE, name);
		hist_refuse(p, HIST_ERR_VAR_NOT_FOUND, name);
		/* it might have been a field */
		hist_refuse(p, HIST_ERR_FIELD_NOT_FOUND, name - 1);
		return ERR_PTR(-EINVAL);
	}
	ref = hist_ref_add(p, target, found, system, event, once);
	return ref < 0 ? ERR_PTR(ref) : hist_ref_field(p, ref, var);
}

/**
 * hist_var_add - make a field a variable of the hist
 * @p: the command
 * @field: has a name for it; it is the hist's if this returns 0
 *
 * Context: task, event_mutex.
 * Return: 0 or -EINVAL with a line in error_log.
 */
int hist_var_add(struct hist_parse *p, struct hist_field *field)
{
	struct hist *hist = p->hist;

	if (hist->nr_vars == HIST_SLOTS_MAX)
		return hist_refuse(p, HIST_ERR_TOO_MANY_VARS, field->var);
	field->slot = hist->nr_vars;
	hist->vars[hist->nr_vars++] = field;
	return 0;
}

/**
 * hist_field_has_refs - does a field read variables?
 * @field: the field
 *
 * Context: task.
 * Return: true if so.
 */
bool hist_field_has_refs(const struct hist_field *field)
{
	if (field->ref >= 0)
		return true;
	for (unsigned int i = 0; i < field->nr_steps; i++) {
		if (field->steps[i].op == HIST_OP_REF)
			return true;
	}
	return false;
}

/**
 * hist_refs_release - a hist does not read any more
 * @hist: nobody hits it
 *
 * Context: task, event_mutex.
 */
void hist_refs_release(struct hist *hist)
{
	while (hist->nr_refs) {
		struct hist_ref *ref = &hist->refs[--hist->nr_refs];

		if (ref->hist && !ref->own)
			ref->hist->nr_users--;
		ref_clear(ref);
	}
}

/**
 * hist_refs_cut - a hist goes though others read its variables
 * @hist: the hist
 *
 * Context: task, event_mutex. Waits until nobody does.
 */
void hist_refs_cut(struct hist *hist)
{
	struct hist *reader;

	if (!hist->nr_users)
		return;
	list_for_each_entry(reader, &hists_of(hist->tr)->hists, list) {
		for (unsigned int i = 0; i < reader->nr_refs; i++) {
			struct hist_ref *ref = &reader->refs[i];

			if (ref->hist != hist || ref->own)
				continue;
			WRITE_ONCE(ref->hist, NULL);
			hist->nr_users--;
		}
	}
	tracepoint_synchronize_unregister();
}
