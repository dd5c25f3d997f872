// SPDX-License-Identifier: GPL-2.0-only
/* A hist out of the parameters of its command, up to the map; and its end. */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

/* Keys or values: what they are parsed as, what is wrong with one, and how many there may be. */
struct shown_kind {
	enum hist_role	role;
	enum hist_error	(*wrong)(const struct hist_field *field);
	unsigned int	most;
	enum hist_error	full;
};

/*
 * Each part of a list in the command. The list itself stays as it is: who names a variable looks
 * for its definition there, and more than one hist may have to be made of it. @list may be NULL.
 */
static int make_parts(struct hist_parse *p, const char *list,
		      int (*make)(struct hist_parse *p, char *text))
{
	char *copy = kstrdup(list, GFP_KERNEL), *at = copy, *text;
	int ret = list && !copy ? -ENOMEM : 0;

	while (!ret && (text = strsep(&at, ",")))
		ret = make(p, text);
	kfree(copy);
	return ret;
}

/* One more, behind the @nr that @fields has so far. */
static int add_shown(struct hist_parse *p, char *text, const struct shown_kind *kind,
		     struct hist_field **fields, u8 *nr)
{
	struct hist_field *field;
	enum hist_error error;
	char *whole;

	if (*nr == kind->most)
		return hist_refuse(p, kind->full, text);
	whole = kstrdup(text, GFP_KERNEL);
	if (!whole)
		return -ENOMEM;
	field = hist_field_parse(p, text, kind->role, NULL);
	error = IS_ERR(field) ? HIST_ERR_NONE : kind->wrong(field);
	if (error) {
		hist_refuse(p, error, whole);
		hist_field_free(field);
		field = ERR_PTR(-EINVAL);
	}
	kfree(whole);
	if (IS_ERR(field))
		return PTR_ERR(field);
	fields[(*nr)++] = field;
	return 0;
}

/* --- values */

static int make_hitcount(struct hist_parse *p)
{
	char text[] = "hitcount";
	struct hist_field *field = hist_field_parse(p, text, HIST_AS_VALUE, NULL);

	if (IS_ERR(field))
		return PTR_ERR(field);
	p->hist->values[p->hist->nr_values++] = field;
	return 0;
}

static enum hist_error value_wrong(const struct hist_field *field)
{
	if (field->kind == HIST_STACK)
		return HIST_ERR_BAD_FIELD_MODIFIER;
	return field->kind == HIST_NUMBER ? HIST_ERR_NONE : HIST_ERR_BAD_VALUE;
}

static const struct shown_kind values = {
	HIST_AS_VALUE, value_wrong, HIST_VALUES_MAX, HIST_ERR_TOO_MANY_VALUES,
};

static int make_value(struct hist_parse *p, char *text)
{
	struct hist *hist = p->hist;
	unsigned int slot = hist->nr_values;
	int ret;

	text = strim(text);
	/* it is there anyway */
	if (!strcmp(text, "hitcount"))
		return 0;
	ret = add_shown(p, text, &values, hist->values, &hist->nr_values);
	if (!ret)
		hist->values[slot]->slot = hist->values[slot]->flags & HIST_FL_HITCOUNT ? 0 : slot;
	return ret;
}

static int make_values(struct hist_parse *p)
{
	int ret = make_hitcount(p) ?: make_parts(p, p->params.values, make_value);

	if (ret)
		return ret;
	p->hist->no_hitcount = p->params.no_hitcount;
	if (p->hist->nr_values == 1 && p->params.no_hitcount) {
		hist_refuse(p, HIST_ERR_NEED_NOHC_VAL, NULL);
		return -ENOENT;
	}
	return 0;
}

/* --- variables */

static int make_var(struct hist_parse *p, char *name, char *text)
{
	struct hist_field *field, *other;
	int ret;

	if (!p->compares && (hist_var_in(p->hist, name) || hist_var_on(p->file, name, &other)))
		return hist_refuse(p, HIST_ERR_DUPLICATE_VAR, name);
	if (p->hist->nr_vars == HIST_VARS_MAX)
		return hist_refuse(p, HIST_ERR_TOO_MANY_VARS, name);
	field = hist_field_parse(p, text, HIST_AS_VAR, name);
	if (IS_ERR(field))
		return PTR_ERR(field);
	ret = hist_var_add(p, field);
	if (ret)
		hist_field_free(field);
	return ret;
}

/* "x=..." */
static int check_assignment(struct hist_parse *p, char *text)
{
	return strchr(text, '=') ? 0 : hist_refuse(p, HIST_ERR_MALFORMED_ASSIGNMENT, text);
}

static int make_assignment(struct hist_parse *p, char *text)
{
	char *value = text, *name = strim(strsep(&value, "="));

	if (!*name || !*value)
		return hist_refuse(p, HIST_ERR_MALFORMED_ASSIGNMENT, text);
	return make_var(p, name, value);
}

static int for_assignments(struct hist_parse *p,
			   int (*make)(struct hist_parse *p, char *text))
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < p->params.nr_vars; i++)
		ret = make_parts(p, p->params.vars[i], make);
	return ret;
}

/* --- keys */

static enum hist_error key_wrong(const struct hist_field *field)
{
	return hist_field_has_refs(field) ? HIST_ERR_INVALID_REF_KEY : HIST_ERR_NONE;
}

static const struct shown_kind keys = {
	HIST_AS_KEY, key_wrong, HIST_KEYS_MAX, HIST_ERR_TOO_MANY_KEYS,
};

static int make_key(struct hist_parse *p, char *text)
{
	return add_shown(p, strim(text), &keys, p->hist->keys, &p->hist->nr_keys);
}

/* --- sort keys */

static int find_sort(struct hist *hist, const char *name)
{
	for (unsigned int i = 0; i < hist->nr_values; i++) {
		/* as it is shown in the command, or above its column */
		if (!strcmp(hist->values[i]->name, name) ||
		    !strcmp(hist_column_name(hist->values[i]), name))
			return i;
	}
	for (unsigned int i = 0; i < hist->nr_keys; i++) {
		if (hist->keys[i]->name && !strcmp(hist->keys[i]->name, name))
			return hist->nr_values + i;
	}
	return -1;
}

/* "p99" in "sort=lat.p99.descending"; @text is what stands behind it, or NULL */
static char *take_quantile(struct hist_sort *sort, char *text)
{
	char *rest = text ? strstr(text, "scending") : NULL;
	int which;

	if (rest) {
		while (rest > text && *rest != '.')
			rest--;
		if (rest == text)
			return text;
		*rest++ = 0;
	}
	which = text ? hist_quantile_named(text) : -EINVAL;
	if (which < 0)
		return text;
	sort->quantile = which;
	return rest;
}

/*
 * "hex" in "sort=pid.hex.descending": that is how a sort key is shown whose field has a modifier,
 * so it may be written. @text is what stands behind the name, or NULL.
 */
static char *skip_modifier(const struct hist_field *field, char *text)
{
	const char *modifier = hist_modifier_of(field);
	size_t len = modifier ? strlen(modifier) : 0;
	char buckets[24];

	if (!text || !modifier || strncmp(text, modifier, len))
		return text;
	if (field->flags & HIST_FL_BUCKETS) {
		snprintf(buckets, sizeof(buckets), "=%llu", field->buckets);
		if (!str_has_prefix(text + len, buckets))
			return text;
		len += strlen(buckets);
	}
	if (text[len] == '.')
		return text + len + 1;
	return text[len] ? text : NULL;
}

static int make_sort_key(struct hist_parse *p, char *text)
{
	struct hist *hist = p->hist;
	struct hist_sort *sort = &hist->sort[hist->nr_sort];
	char *name = strsep(&text, ".");
	int index = find_sort(hist, name);

	if (!*name)
		return hist_refuse(p, HIST_ERR_EMPTY_SORT_FIELD, "sort=");
	if (index < 0)
		return hist_refuse(p, HIST_ERR_INVALID_SORT_FIELD, name);
	if (index < hist->nr_values && (hist->values[index]->flags & HIST_FL_QUANTILES))
		text = take_quantile(sort, text);
	else
		text = skip_modifier(index < hist->nr_values ? hist->values[index] :
				     hist->keys[index - hist->nr_values], text);
	if (text && strcmp(text, "descending") && strcmp(text, "ascending"))
		return hist_refuse(p, HIST_ERR_INVALID_SORT_MODIFIER, text);
	sort->index = index;
	sort->descending = text && *text == 'd';
	hist->nr_sort++;
	return 0;
}

static int make_sort_keys(struct hist_parse *p, char *at)
{
	char *text;

	while ((text = strsep(&at, ","))) {
		int ret;

		if (!*text)
			return hist_refuse(p, HIST_ERR_EMPTY_SORT_FIELD, "sort=");
		if (p->hist->nr_sort + (at ? 1 : 0) == HIST_SORT_MAX)
			return hist_refuse(p, HIST_ERR_TOO_MANY_SORT_FIELDS, "sort=");
		ret = make_sort_key(p, text);
		if (ret)
			return ret;
	}
	return 0;
}

static int make_sort(struct hist_parse *p)
{
	char *copy;
	int ret;

	if (!p->params.sort) {
		p->hist->nr_sort = 1;	/* the hit count */
		return 0;
	}
	copy = kstrdup(p->params.sort, GFP_KERNEL);
	ret = copy ? make_sort_keys(p, copy) : -ENOMEM;
	kfree(copy);
	return ret;
}

/* --- what an entry looks like */

static bool wants_comm(const struct hist *hist)
{
	for (unsigned int i = 0; i < hist->nr_keys; i++) {
		if (hist->keys[i]->flags & HIST_FL_EXECNAME)
			return true;
	}
	return false;
}

static unsigned int text_bytes(const struct hist_field *field)
{
	return field->kind == HIST_STRING ? HIST_STRING_MAX :
	       field->kind == HIST_STACK ? HIST_STACK_DEPTH * sizeof(u64) : 0;
}

/* Which way hits go. */
static void make_state(struct hist *hist)
{
	const struct hist_field *key = hist->keys[0];

	hist->state = HIST_WHOLE;
	if (hist->nr_keys > 1 || key->kind != HIST_NUMBER || hist->nr_refs || hist->nr_actions ||
	    hist->nr_sketches || hist->nr_times > 1)
		return;
	for (unsigned int i = 0; i < hist->nr_vars; i++) {
		if (hist->vars[i]->kind != HIST_NUMBER)
			return;
	}
	hist->state = HIST_ADDS;
	if (hist->nr_values > 1 || hist->nr_vars || !key->is_word)
		return;
	hist->state = HIST_COUNTS;
	hist->key = key->steps[0];
}

static void make_layout(struct hist *hist)
{
	unsigned int at = 0;

	hist->keeps_comm = wants_comm(hist);
	if (hist->keeps_comm)
		at += TASK_COMM_LEN;
	if (hist->nr_vars) {
		hist->vars_at = at;
		hist->vars_all = GENMASK(hist->nr_vars - 1, 0);
		at += (hist->nr_vars + 1) * sizeof(u64);
	}
	for (unsigned int i = 0; i < hist->nr_vars; i++) {
		unsigned int bytes = text_bytes(hist->vars[i]);

		hist->texts_at[i] = bytes ? at : 0;
		at += bytes;
	}
	for (unsigned int i = 0; i < hist->nr_values; i++) {
		if (!(hist->values[i]->flags & HIST_FL_QUANTILES))
			continue;
		hist->sketch_at[i] = at;
		hist->nr_sketches++;
		at += hist_sketch_bytes();
	}
	hist->data_bytes = at;

	for (unsigned int i = 0; i < hist->nr_keys; i++) {
		unsigned int bytes = text_bytes(hist->keys[i]);

		/* a string of any length, its end, and what is added up to a word */
		hist->key_words += bytes ? bytes / sizeof(u64) + 1 : 1;
	}
	make_state(hist);
}

static int make(struct hist_parse *p)
{
	int ret;

	/* what is no assignment is said before all else: it may begin with a misspelt word */
	ret = for_assignments(p, check_assignment) ?: hist_actions_parse(p) ?: make_values(p) ?:
	      for_assignments(p, make_assignment) ?:
	      make_parts(p, p->params.keys, make_key) ?: make_sort(p);
	if (ret)
		return ret;
	p->in_actions = true;
	ret = hist_actions_create(p);
	if (ret)
		return ret;
	make_layout(p->hist);
	return 0;
}

/**
 * hist_make - make the hist that a command describes
 * @p: with its parameters
 *
 * It has no map yet, and nobody knows of it. The parameters stay, for the next one to be made.
 *
 * Context: task, event_mutex.
 * Return: the hist, -EINVAL or -EDOM with a line in error_log, -ENOENT, -ENOMEM.
 */
struct hist *hist_make(struct hist_parse *p)
{
	struct hist *hist = kzalloc(sizeof(*hist), GFP_KERNEL);
	int ret;

	if (!hist)
		return ERR_PTR(-ENOMEM);
	p->hist = hist;
	p->in_actions = false;
	INIT_LIST_HEAD(&hist->list);
	INIT_LIST_HEAD(&hist->actions);
	hist->file = p->file;
	hist->tr = p->tr;
	hist->size_bits = p->params.bits;
	hist->clock = kstrdup(p->params.clock ?: "global", GFP_KERNEL);
	if (p->params.name)
		hist->name = kstrdup(p->params.name, GFP_KERNEL);
	ret = hist->clock && (hist->name || !p->params.name) ? make(p) : -ENOMEM;
	if (!ret)
		return hist;
	hist_free(hist);
	return ERR_PTR(ret);
}

static void fields_free(struct hist_field **fields, unsigned int nr)
{
	while (nr)
		hist_field_free(fields[--nr]);
}

/**
 * hist_free - free a hist
 * @hist: nobody hits it, nor reads its variables; or NULL
 *
 * Context: task, event_mutex.
 */
void hist_free(struct hist *hist)
{
	if (!hist)
		return;
	hist_actions_destroy(hist);
	hist_refs_release(hist);
	hist_map_put(hist->map);
	fields_free(hist->values, hist->nr_values);
	fields_free(hist->keys, hist->nr_keys);
	fields_free(hist->vars, hist->nr_vars);
	kfree(hist->name);
	kfree(hist->clock);
	kfree(hist);
}

/* --- comparing */

/* The CPU has two names, and is shown by one of them, whichever was written. */
static bool same_name(const struct hist_field *a, const struct hist_field *b)
{
	return (a->flags & b->flags & HIST_FL_CPU) || hist_same_text(a->name, b->name);
}

static bool same_field(const struct hist_field *a, const struct hist_field *b)
{
	return a->flags == b->flags && a->kind == b->kind && a->constant == b->constant &&
	       a->buckets == b->buckets && a->size == b->size && a->is_signed == b->is_signed &&
	       same_name(a, b) && hist_same_text(a->type, b->type) &&
	       hist_same_text(a->var, b->var);
}

static bool same_fields(struct hist_field *const *a, struct hist_field *const *b, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (!same_field(a[i], b[i]))
			return false;
	}
	return true;
}

static bool same_keys(const struct hist *hist, const struct hist *other)
{
	return hist->nr_keys == other->nr_keys &&
	       same_fields(hist->keys, other->keys, hist->nr_keys);
}

/**
 * hist_same_fields - do two hists keep the same, and show it in the same order?
 * @hist: a hist
 * @other: another one
 *
 * Context: task, event_mutex.
 * Return: true if so.
 */
bool hist_same_fields(const struct hist *hist, const struct hist *other)
{
	if (hist->nr_values != other->nr_values || hist->nr_vars != other->nr_vars ||
	    hist->nr_sort != other->nr_sort || !same_keys(hist, other) ||
	    !same_fields(hist->values, other->values, hist->nr_values) ||
	    !same_fields(hist->vars, other->vars, hist->nr_vars))
		return false;
	for (unsigned int i = 0; i < hist->nr_sort; i++) {
		if (hist->sort[i].index != other->sort[i].index ||
		    hist->sort[i].quantile != other->sort[i].quantile ||
		    hist->sort[i].descending != other->sort[i].descending)
			return false;
	}
	return hist_actions_same(hist, other);
}
