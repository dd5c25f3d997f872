// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handlers and actions of hists:
 *
 *	onmatch(SYS.EVENT).ACTION	each hit, when all variables that are read have values
 *	onmax($x).ACTION		x is larger than it ever was with this key
 *	onchange($x).ACTION		x is not what it was with this key
 *
 * and ACTION is one of trace(SYNTH,args), SYNTH(args), save(fields), snapshot(). What onmax() and
 * onchange() compare with is a variable of the entry that users do not see.
 */
#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "actions.h"

static const struct {
	const char *begin;
	const char *hidden;	/* variable that it keeps */
	const char *shown;	/* in front of that in `hist` */
} handlers[] = {
	[HIST_ON_MATCH]		= { "onmatch(" },
	[HIST_ON_MAX]		= { "onmax(", "__max", "max" },
	[HIST_ON_CHANGE]	= { "onchange(", "__change", "changed" },
};

/* --- the text */

/**
 * hist_is_action - is a word of a command an action?
 * @word: the word
 *
 * Context: any.
 * Return: true if it begins with a handler.
 */
bool hist_is_action(const char *word)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(handlers); i++)
		if (str_has_prefix(word, handlers[i].begin))
			return true;
	return false;
}

static int parse_match(struct hist_parse *p, struct hist_action *a, char *inside)
{
	a->system = strsep(&inside, ".");
	a->event = inside;
	if (!inside)
		return hist_refuse(p, HIST_ERR_SUBSYS_NOT_FOUND, a->system);
	if (!p->compares && !hist_event_file(p->tr, a->system, a->event))
		return hist_refuse(p, HIST_ERR_INVALID_SUBSYS_EVENT, a->event);
	return 0;
}

static int parse_params(struct hist_parse *p, struct hist_action *a, char *text)
{
	bool name_first = a->kind == &hist_action_trace && !strcmp(a->name, "trace");
	char *param;

	if (a->kind == &hist_action_trace && !name_first)
		a->synth_name = a->name;
	while (text) {
		param = strim(strsep(&text, ","));
		/* one character has never been enough, but for a field */
		if (!*param || (!param[1] &&
				!trace_find_event_field(p->file->event_call, param)))
			return hist_refuse(p, HIST_ERR_INVALID_PARAM, param);
		if (name_first && !a->synth_name) {
			a->synth_name = param;
			continue;
		}
		if (a->nr_params == HIST_PARAMS_MAX)
			return hist_refuse(p, HIST_ERR_TOO_MANY_PARAMS, hist_at_begin(p));
		a->params[a->nr_params++] = param;
	}
	return 0;
}

static int action_parse(struct hist_parse *p, struct hist_action *a)
{
	char *at = a->copy, *inside, *params;
	int ret = 0;

	while (!str_has_prefix(at, handlers[a->handler].begin)) {
		if (++a->handler == ARRAY_SIZE(handlers))
			return hist_refuse(p, HIST_ERR_ACTION_NOT_FOUND, at);
	}
	at += strlen(handlers[a->handler].begin);
	inside = strsep(&at, ")");
	if (!at)
		return hist_refuse(p, HIST_ERR_NO_CLOSING_PAREN, inside);
	if (a->handler == HIST_ON_MATCH)
		ret = parse_match(p, a, inside);
	else
		a->tracked_name = inside;
	if (ret)
		return ret;

	if (*at++ != '.')
		return hist_refuse(p, HIST_ERR_ACTION_NOT_FOUND, hist_at_begin(p));
	a->name = strsep(&at, "(");
	if (!at)
		return hist_refuse(p, HIST_ERR_ACTION_NOT_FOUND, hist_at_begin(p));
	/* others have always been taken without the last one */
	params = strsep(&at, ")");
	if (!at && !strcmp(a->name, "snapshot"))
		return hist_refuse(p, HIST_ERR_NO_CLOSING_PAREN, params);

	a->kind = &hist_action_trace;
	if (!strcmp(a->name, "save"))
		a->kind = &hist_action_save;
	else if (!strcmp(a->name, "snapshot"))
		a->kind = &hist_action_snapshot;
	if (a->handler == HIST_ON_MATCH && a->kind != &hist_action_trace)
		return hist_refuse(p, HIST_ERR_ACTION_MISMATCH, a->name);
	if (a->kind == &hist_action_snapshot)
		return 0;
	return parse_params(p, a, params);
}

/* --- what is matched */

/**
 * hist_actions_var - find a variable of an event that a hist is matched with
 * @p: the command, with the words of its actions
 * @name: of the variable
 * @var: gets its definition
 *
 * Context: task, event_mutex.
 * Return: the hist, NULL, or ERR_PTR(-EEXIST) when these events have different variables of the
 * name.
 */
struct hist *hist_actions_var(struct hist_parse *p, const char *name, struct hist_field **var)
{
	struct hist *hist, *found = NULL;
	struct trace_event_file *file;
	struct hist_field *here;
	struct hist_action *a;

	list_for_each_entry(a, &p->hist->actions, list) {
		if (a->handler != HIST_ON_MATCH)
			continue;
		file = hist_event_file(p->tr, a->system, a->event);
		hist = file ? hist_var_on(file, name, &here) : NULL;
		if (!hist || (found && hist->map == found->map))
			continue;
		if (found)
			return ERR_PTR(-EEXIST);
		found = hist;
		*var = here;
	}
	return found;
}

/* --- what is tracked */

static int action_track(struct hist_parse *p, struct hist_action *a)
{
	const char *hidden = handlers[a->handler].hidden;
	struct hist_field *var;
	char *text;
	int ret;

	if (*a->tracked_name != '$')
		return hist_refuse(p, HIST_ERR_ONX_NOT_VAR, a->tracked_name);
	var = hist_var_in(p->hist, a->tracked_name + 1);
	if (!var || var->kind != HIST_NUMBER)
		return hist_refuse(p, HIST_ERR_ONX_VAR_NOT_FOUND, a->tracked_name + 1);
	text = kstrdup(a->tracked_name, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	a->tracked = hist_field_parse(p, text, HIST_AS_ARG, NULL);
	kfree(text);
	if (IS_ERR(a->tracked)) {
		ret = PTR_ERR(a->tracked);
		a->tracked = NULL;
		return ret;
	}
	/* a variable may be called a+b, which with a $ in front is something else */
	if (a->tracked->ref < 0)
		return hist_refuse(p, HIST_ERR_ONX_VAR_NOT_FOUND, a->tracked_name + 1);

	var = hist_field_alloc(0);
	if (!var)
		return -ENOMEM;
	var->flags = HIST_FL_VAR | HIST_FL_HIDDEN;
	var->kind = HIST_NUMBER;
	var->size = sizeof(u64);
	ret = hist_field_set_names(var, hidden, "u64", hidden) ?: hist_var_add(p, var);
	if (ret) {
		hist_field_free(var);
		return ret;
	}
	a->slot = var->slot;
	return 0;
}

static void action_destroy(struct hist_action *a)
{
	if (a->kind && a->kind->destroy)
		a->kind->destroy(a);
	if (a->tracked)
		hist_field_free(a->tracked);
	kfree(a->copy);
	kfree(a);
}

static int action_add(struct hist_parse *p, const char *text)
{
	struct hist_action *a = kzalloc(sizeof(*a), GFP_KERNEL);

	if (!a)
		return -ENOMEM;
	a->hist = p->hist;
	a->copy = kstrdup(text, GFP_KERNEL);
	if (!a->copy) {
		kfree(a);
		return -ENOMEM;
	}
	list_add_tail(&a->list, &p->hist->actions);
	p->hist->nr_actions++;
	return action_parse(p, a);
}

static int action_create(struct hist_parse *p, struct hist_action *a)
{
	int ret = a->handler != HIST_ON_MATCH ? action_track(p, a) : 0;

	/* one that is only compared with another has its variables, and makes no other hists */
	if (!ret && a->kind->create && !(p->compares && a->kind == &hist_action_trace))
		ret = a->kind->create(p, a);
	return ret;
}

/**
 * hist_actions_parse - look at the words of a hist's actions
 * @p: the command, of which nothing else was looked at
 *
 * Context: task, event_mutex.
 * Return: 0; -EINVAL with a line in error_log, -ENOMEM: hist_actions_destroy() frees what was made.
 */
int hist_actions_parse(struct hist_parse *p)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < p->params.nr_actions; i++)
		ret = action_add(p, p->params.actions[i]);
	return ret;
}

/**
 * hist_actions_create - make the actions of a hist
 * @p: the command, of which all else is there
 *
 * Context: task, event_mutex.
 * Return: 0; -EINVAL with a line in error_log, -ENOMEM: hist_actions_destroy() frees what was made.
 */
int hist_actions_create(struct hist_parse *p)
{
	struct hist_action *a;
	int ret = 0;

	list_for_each_entry(a, &p->hist->actions, list) {
		ret = action_create(p, a);
		if (ret)
			break;
	}
	return ret;
}

/**
 * hist_actions_start - get what the actions need to run
 * @hist: with its map, not yet on its event
 *
 * Context: task, event_mutex.
 * Return: 0, or an error and nothing has changed: -EBUSY, -ENOMEM.
 */
int hist_actions_start(struct hist *hist)
{
	struct hist_action *a;
	int ret;

	list_for_each_entry(a, &hist->actions, list) {
		ret = a->kind->start ? a->kind->start(a) : 0;
		if (ret) {
			hist_actions_stop(hist);
			return ret;
		}
		a->started = true;
	}
	return 0;
}

/**
 * hist_actions_stop - the actions do not run any more
 * @hist: nobody hits it
 *
 * Context: task, event_mutex.
 */
void hist_actions_stop(struct hist *hist)
{
	struct hist_action *a;

	list_for_each_entry(a, &hist->actions, list) {
		if (a->started && a->kind->stop)
			a->kind->stop(a);
		a->started = false;
	}
}

/**
 * hist_actions_clear - the entries of the hist are emptied
 * @hist: nobody hits it
 *
 * Context: task, event_mutex.
 */
void hist_actions_clear(struct hist *hist)
{
	struct hist_action *a;

	list_for_each_entry(a, &hist->actions, list)
		if (a->kind->clear)
			a->kind->clear(a);
}

/**
 * hist_actions_destroy - free the actions
 * @hist: whose they are; they do not run
 *
 * Context: task, event_mutex. Hists that were made for an action go as well.
 */
void hist_actions_destroy(struct hist *hist)
{
	struct hist_action *a, *next;

	/* what it read may be of hists that go now */
	hist_refs_release(hist);
	list_for_each_entry_safe(a, next, &hist->actions, list) {
		list_del(&a->list);
		action_destroy(a);
	}
	hist->nr_actions = 0;
}

/* --- a hit */

/* The value of the entry is another one from now on: true, if this hit makes it so. */
static bool action_take(const struct hist_action *a, struct hist_hit *hit, u64 value)
{
	u64 *kept = &hist_vars(hit->hist, hit->entry)[a->slot];
	u64 old = READ_ONCE(*kept);

	do {
		if (!hist_action_wants(a, old, value))
			return false;
	} while (!try_cmpxchg(kept, &old, value));
	return true;
}

/**
 * hist_actions_run - a hist was hit
 * @hist: it has actions
 * @hit: with its entry, which is updated, and all references
 *
 * Of two CPUs that find a new maximum at the same time each runs the action.
 *
 * Context: any, preemption off.
 */
void hist_actions_run(struct hist *hist, struct hist_hit *hit)
{
	struct hist_action *a;
	u64 value = 0;

	list_for_each_entry(a, &hist->actions, list) {
		if (a->handler != HIST_ON_MATCH) {
			value = hit->refs[a->tracked->ref];
			if (!action_take(a, hit, value))
				continue;
		}
		a->kind->run(a, hit, value);
	}
}

/* --- as text */

static bool action_same(const struct hist_action *a, const struct hist_action *b)
{
	if (a->handler != b->handler || a->kind != b->kind || a->nr_params != b->nr_params ||
	    !hist_same_text(a->system, b->system) || !hist_same_text(a->event, b->event) ||
	    !hist_same_text(a->tracked_name, b->tracked_name) ||
	    !hist_same_text(a->name, b->name) || !hist_same_text(a->synth_name, b->synth_name))
		return false;
	for (unsigned int i = 0; i < a->nr_params; i++)
		if (strcmp(a->params[i], b->params[i]))
			return false;
	return true;
}

/**
 * hist_actions_same - do two hists have the same actions?
 * @hist: one
 * @other: the other
 *
 * Context: task, event_mutex.
 * Return: true if so.
 */
bool hist_actions_same(const struct hist *hist, const struct hist *other)
{
	const struct hist_action *a, *b;

	if (hist->nr_actions != other->nr_actions)
		return false;
	b = list_first_entry(&other->actions, struct hist_action, list);
	list_for_each_entry(a, &hist->actions, list) {
		if (!action_same(a, b))
			return false;
		b = list_next_entry(b, list);
	}
	return true;
}

static void action_show(struct seq_file *m, const struct hist_action *a)
{
	bool name_first = a->synth_name && a->synth_name != a->name;

	seq_printf(m, ":%s", handlers[a->handler].begin);
	if (a->handler == HIST_ON_MATCH)
		seq_printf(m, "%s.%s", a->system, a->event);
	else
		seq_puts(m, a->tracked_name);
	seq_printf(m, ").%s(", a->name);
	if (name_first)
		seq_puts(m, a->synth_name);
	for (unsigned int i = 0; i < a->nr_params; i++)
		seq_printf(m, "%s%s", i || name_first ? "," : "", a->params[i]);
	seq_putc(m, ')');
}

/**
 * hist_actions_show - the actions in the text of a hist trigger
 * @m: where to
 * @hist: the hist
 *
 * Context: task, event_mutex.
 */
void hist_actions_show(struct seq_file *m, const struct hist *hist)
{
	const struct hist_action *a;

	list_for_each_entry(a, &hist->actions, list)
		action_show(m, a);
}

/**
 * hist_actions_print - what the actions have kept in an entry
 * @m: where to
 * @hist: the hist
 * @entry: the entry
 *
 * Context: task, event_mutex.
 */
void hist_actions_print(struct seq_file *m, const struct hist *hist,
			const struct hist_entry *entry)
{
	const struct hist_action *a;
	const u64 *kept;

	list_for_each_entry(a, &hist->actions, list) {
		if (a->handler == HIST_ON_MATCH || a->kind == &hist_action_snapshot)
			continue;
		kept = &hist_vars(hist, entry)[a->slot];
		seq_printf(m, "\n\t%s: %10llu", handlers[a->handler].shown, READ_ONCE(*kept));
		if (a->kind->print)
			a->kind->print(m, a, entry);
	}
}

/**
 * hist_actions_print_end - what the actions have to say of all entries
 * @m: where to
 * @hist: the hist
 *
 * Context: task, event_mutex.
 */
void hist_actions_print_end(struct seq_file *m, const struct hist *hist)
{
	const struct hist_action *a;

	list_for_each_entry(a, &hist->actions, list)
		if (a->kind->print_end)
			a->kind->print_end(m, a);
}

static void debug_tracked(struct seq_file *m, const struct hist_action *a, unsigned int nr)
{
	const struct hist_field *kept = a->hist->vars[a->slot];
	char name[48];

	snprintf(name, sizeof(name), "hist_data->actions[%u].track_data.var_ref", nr);
	hist_debug_ref(m, name, &a->hist->refs[a->tracked->ref], a->tracked->ref);
	seq_printf(m, "\n    hist_data->actions[%u].track_data.track_var:\n", nr);
	seq_puts(m, "      flags:\n        HIST_FIELD_FL_VAR\n");
	seq_printf(m, "      var.name: %s\n", kept->var);
	seq_printf(m, "      var.idx (into tracing_map_elt.vars[]): %u\n", kept->slot);
	hist_debug_type(m, kept->type, kept->size, kept->is_signed);
}

/**
 * hist_actions_debug - the actions in hist_debug
 * @m: where to
 * @hist: the hist
 *
 * Context: task, event_mutex.
 */
void hist_actions_debug(struct seq_file *m, const struct hist *hist)
{
	const struct hist_action *a;
	unsigned int i = 0;

	if (hist->nr_actions)
		seq_puts(m, "\n  action tracking variables (for onmax()/onchange()/onmatch()):\n");
	list_for_each_entry(a, &hist->actions, list) {
		if (a->handler == HIST_ON_MATCH)
			seq_printf(m, "\n    hist_data->actions[%u].match_data.event_system: %s\n"
				   "    hist_data->actions[%u].match_data.event: %s\n",
				   i, a->system, i, a->event);
		else
			debug_tracked(m, a, i);
		i++;
	}
	list_for_each_entry(a, &hist->actions, list)
		if (a->kind->debug)
			a->kind->debug(m, a);
}
