// SPDX-License-Identifier: GPL-2.0-only
/*
 * The language of hist triggers:
 *
 *	PARAMETER[:PARAMETER...] [if FILTER]
 *
 * A parameter is a word (`pause`), an assignment (`keys=pid`), an action (`onmax($x).save(a)`), and
 * all other assignments are variables. Their table is here, and the texts of all that may be wrong
 * with a command; what is behind `=` is taken apart by make.c, expr.c, field.c and the actions.
 */
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../instance/words.h"
#include "internal.h"

static const char *errors[HIST_ERRS] = {
	[HIST_ERR_NONE]			= "No error",
	[HIST_ERR_DUPLICATE_VAR]	= "Variable already defined",
	[HIST_ERR_VAR_NOT_UNIQUE]	=
		"Variable name not unique, need to use fully qualified name (subsys.event.var) for variable",
	[HIST_ERR_TOO_MANY_VARS]	= "Too many variables defined",
	[HIST_ERR_MALFORMED_ASSIGNMENT]	= "Malformed assignment",
	[HIST_ERR_NAMED_MISMATCH]	=
		"Named hist trigger doesn't match existing named trigger (includes variables)",
	[HIST_ERR_TRIGGER_EEXIST]	= "Hist trigger already exists",
	[HIST_ERR_TRIGGER_ENOENT_CLEAR]	= "Can't clear or continue a nonexistent hist trigger",
	[HIST_ERR_SET_CLOCK_FAIL]	= "Couldn't set trace_clock",
	[HIST_ERR_BAD_FIELD_MODIFIER]	= "Invalid field modifier",
	[HIST_ERR_TOO_MANY_SUBEXPR]	= "Too many subexpressions (3 max)",
	[HIST_ERR_TIMESTAMP_MISMATCH]	= "Timestamp units in expression don't match",
	[HIST_ERR_EVENT_FILE_NOT_FOUND]	= "Event file not found",
	[HIST_ERR_HIST_NOT_FOUND]	= "Matching event histogram not found",
	[HIST_ERR_HIST_CREATE_FAIL]	= "Couldn't create histogram for field",
	[HIST_ERR_SYNTH_VAR_NOT_FOUND]	= "Couldn't find synthetic variable",
	[HIST_ERR_SYNTH_EVENT_NOT_FOUND] = "Couldn't find synthetic event",
	[HIST_ERR_SYNTH_TYPE_MISMATCH]	= "Param type doesn't match synthetic event field type",
	[HIST_ERR_SYNTH_COUNT_MISMATCH]	= "Param count doesn't match synthetic event field count",
	[HIST_ERR_FIELD_VAR_PARSE_FAIL]	= "Couldn't parse field variable",
	[HIST_ERR_ONX_NOT_VAR]		= "For onmax(x) or onchange(x), x must be a variable",
	[HIST_ERR_ONX_VAR_NOT_FOUND]	= "Couldn't find onmax or onchange variable",
	[HIST_ERR_FIELD_VAR_CREATE_FAIL] = "Couldn't create field variable",
	[HIST_ERR_TOO_MANY_PARAMS]	= "Too many action params",
	[HIST_ERR_PARAM_NOT_FOUND]	= "Couldn't find param",
	[HIST_ERR_INVALID_PARAM]	= "Invalid action param",
	[HIST_ERR_ACTION_NOT_FOUND]	= "No action found",
	[HIST_ERR_TOO_MANY_SAVE_ACTIONS] = "Can't have more than one save() action per hist",
	[HIST_ERR_ACTION_MISMATCH]	= "Handler doesn't support action",
	[HIST_ERR_NO_CLOSING_PAREN]	= "No closing paren found",
	[HIST_ERR_SUBSYS_NOT_FOUND]	= "Missing subsystem",
	[HIST_ERR_INVALID_SUBSYS_EVENT]	= "Invalid subsystem or event name",
	[HIST_ERR_INVALID_REF_KEY]	= "Using variable references in keys not supported",
	[HIST_ERR_VAR_NOT_FOUND]	= "Couldn't find variable",
	[HIST_ERR_FIELD_NOT_FOUND]	= "Couldn't find field",
	[HIST_ERR_EMPTY_ASSIGNMENT]	= "Empty assignment",
	[HIST_ERR_INVALID_SORT_MODIFIER] = "Invalid sort modifier",
	[HIST_ERR_EMPTY_SORT_FIELD]	= "Empty sort field",
	[HIST_ERR_TOO_MANY_SORT_FIELDS]	= "Too many sort fields (Max = 2)",
	[HIST_ERR_INVALID_SORT_FIELD]	= "Sort field must be a key or a val",
	[HIST_ERR_INVALID_STR_OPERAND]	= "String type can not be an operand in expression",
	[HIST_ERR_EXPECT_NUMBER]	= "Expecting numeric literal",
	[HIST_ERR_UNARY_MINUS_SUBEXPR]	= "Unary minus not supported in sub-expressions",
	[HIST_ERR_DIVIDE_BY_ZERO]	= "Division by zero",
	[HIST_ERR_NEED_NOHC_VAL]	= "Non-hitcount value is required for 'nohitcount'",
	[HIST_ERR_NO_KEYS]		= "No keys",
	[HIST_ERR_TOO_MANY_KEYS]	= "Too many keys (Max = 8)",
	[HIST_ERR_TOO_MANY_VALUES]	= "Too many values (Max = 7)",
	[HIST_ERR_TOO_MANY_REFS]	= "Too many references to variables",
	[HIST_ERR_TOO_MANY_ACTIONS]	= "Too many actions (Max = 8)",
	[HIST_ERR_UNKNOWN_PARAM]	= "Neither a parameter, nor an assignment, nor an action",
	[HIST_ERR_BAD_SIZE]		= "Size must be a number from 65 to 1048576",
	[HIST_ERR_BAD_NAME]		= "Not a name",
	[HIST_ERR_BAD_EXPRESSION]	= "Malformed expression",
	[HIST_ERR_BAD_VALUE]		= "Values must be numbers",
	[HIST_ERR_IN_USE]		= "Variables of the histogram are in use",
	[HIST_ERR_NO_FILTER]		= "No filter behind 'if'",
	[HIST_ERR_REFUSED]		= "Trigger could not be set",
};

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
