// SPDX-License-Identifier: GPL-2.0-only
/*
 * The language of hist triggers:
 *
 *	PARAMETER[:PARAMETER...] [if FILTER]
 *
 * A parameter is a word (`pause`), an assignment (`keys=pid`), an action (`onmax($x).save(a)`), and
 * all other assignments are variables. Their table is here; what is behind `=` is taken apart by
 * make.c, expr.c, field.c and the actions.
 */
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../instance/error_log.h"
#include "../instance/words.h"
#include "internal.h"

static const char *errors[] = { HIST_ERRORS(ERROR_TEXT) };

/**
 * hist_refuse - say in error_log what is wrong
 * @p: the command
 * @error: what it is
 * @at: the text that is meant; NULL: the command
 *
 * The caret is below the first place where @at stands in the command. As on the base, who asked
 * for what was refused may add a line of his own. When a hist is compared with one that is there it
 * may be that another one is meant: then it is only refused.
 *
 * Context: task, event_mutex.
 * Return: -EINVAL.
 */
int hist_refuse(struct hist_parse *p, enum hist_error error, const char *at)
{
	const char *found = at && *at ? strstr(p->command, at) : NULL;
	char loc[128];

	if (!p->command || p->like)
		return -EINVAL;
	snprintf(loc, sizeof(loc), "hist:%s:%s", p->file->event_call->class->system,
		 trace_event_name(p->file->event_call));
	trace_text_error(p->tr, loc, p->command, errors, error, found ? found - p->command : 0);
	return -EINVAL;
}

/* --- parameters */

static int set_size(struct hist_parse *p, char *value)
{
	unsigned long size;

	if (kstrtoul(value, 0, &size) || size > BIT(HIST_MAP_BITS_MAX) ||
	    size <= BIT(HIST_MAP_BITS_MIN - 1))
		return hist_refuse(p, HIST_ERR_BAD_SIZE, value);
	p->params.bits = ilog2(roundup_pow_of_two(size));
	return 0;
}

static int set_name(struct hist_parse *p, char *value)
{
	if (strpbrk(value, " \t:,"))
		return hist_refuse(p, HIST_ERR_BAD_NAME, value);
	p->params.name = value;
	return 0;
}

#define TEXT(_name, _member)	{ _name "=", offsetof(struct hist_params, _member), true }
#define FLAG(_name, _member)	{ _name, offsetof(struct hist_params, _member), false }

static const struct {
	const char	*word;
	size_t		offset;
	bool		is_text;
	int		(*set)(struct hist_parse *p, char *value);
} parameters[] = {
	TEXT("keys",		keys),
	TEXT("key",		keys),
	TEXT("values",		values),
	TEXT("vals",		values),
	TEXT("val",		values),
	TEXT("sort",		sort),
	TEXT("clock",		clock),
	{ "size=", 0, true,	set_size },
	{ "name=", 0, true,	set_name },
	FLAG("pause",		pause),
	FLAG("continue",	cont),
	FLAG("cont",		cont),
	FLAG("clear",		clear),
	FLAG("nohitcount",	no_hitcount),
	FLAG("NOHC",		no_hitcount),
};

static int add_action(struct hist_parse *p, char *word)
{
	if (!hist_is_action(word))
		return hist_refuse(p, HIST_ERR_UNKNOWN_PARAM, word);
	if (p->params.nr_actions == HIST_ACTIONS_MAX)
		return hist_refuse(p, HIST_ERR_TOO_MANY_ACTIONS, word);
	p->params.actions[p->params.nr_actions++] = word;
	return 0;
}

static int parse_param(struct hist_parse *p, char *word)
{
	char *value = strchr(word, '=');

	/* onmatch(...), with an = in it or without, is no assignment */
	if (value && str_has_prefix(word, "on") && strchr(word, '(') &&
	    strchr(word, '(') < value)
		value = NULL;
	if (value && !value[1])
		return hist_refuse(p, HIST_ERR_EMPTY_ASSIGNMENT, word);

	for (unsigned int i = 0; i < ARRAY_SIZE(parameters); i++) {
		void *to = (void *)&p->params + parameters[i].offset;
		char *text;

		if (parameters[i].is_text != !!value ||
		    !(value ? str_has_prefix(word, parameters[i].word) :
			      !strcmp(word, parameters[i].word)))
			continue;
		/* the word is this one: what is behind it is in the text */
		text = strim(word + strlen(parameters[i].word));
		if (parameters[i].set)
			return parameters[i].set(p, text);
		if (value)
			*(char **)to = text;
		else
			*(bool *)to = true;
		return 0;
	}
	if (!value)
		return add_action(p, word);
	if (p->params.nr_vars == HIST_VARS_MAX)
		return hist_refuse(p, HIST_ERR_TOO_MANY_VARS, word);
	p->params.vars[p->params.nr_vars++] = word;
	return 0;
}

/**
 * hist_split_condition - take the filter off a command
 * @text: the command; it is cut in front of "if"
 *
 * Context: task.
 * Return: what stands behind "if", which may be nothing; NULL: there is no "if".
 */
char *hist_split_condition(char *text)
{
	for (char *at = text; (at = strstr(at, "if")); at++) {
		if (at == text || !strchr(" \t", at[-1]) || !strchr(" \t", at[2]))
			continue;
		at[-1] = 0;
		/* blanks in front are the user's */
		strim(at + 2);
		return *skip_spaces(at + 2) ? at + 3 : at + 2;
	}
	return NULL;
}

/**
 * hist_params_parse - take a command apart
 * @p: gets the parameters
 * @text: the command without "hist:"; it is cut up, and what @p has points into it
 *
 * Context: task, event_mutex.
 * Return: 0 or -EINVAL.
 */
int hist_params_parse(struct hist_parse *p, char *text)
{
	char *word;
	int ret;

	p->params.bits = HIST_DEFAULT_BITS;
	p->params.condition = hist_split_condition(text);
	if (p->params.condition && !*skip_spaces(p->params.condition))
		return hist_refuse(p, HIST_ERR_NO_FILTER, "if");
	text = strim(text);
	while ((word = strsep(&text, ":"))) {
		ret = parse_param(p, strim(word));
		if (ret)
			return ret;
	}
	if (!p->params.keys)
		return hist_refuse(p, HIST_ERR_NO_KEYS, NULL);
	return 0;
}
