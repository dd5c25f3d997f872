// SPDX-License-Identifier: GPL-2.0-only
/*
 * The words of a trigger:
 *
 *	COMMAND[:PARAM...][:COUNT] [if FILTER]		sets it
 *	!COMMAND[:PARAM...]				removes it; nothing else is looked at
 *
 * Blanks may stand for the first colon. A count, where the command takes no parameter, begins with
 * a digit.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "../events/events.h"
#include "trigger.h"

#define BLANKS	" \t"

/* A command while it is parsed. */
struct trigger_text {
	struct trace_event_file	*file;
	struct trace_words	*words;		/* one command */
	bool			remove;
	char			*condition;	/* NULL: none */
	struct trace_action_text param;
	struct trace_action_use	use;
};

static int refuse(struct trigger_text *t, const char *at, int error, int ret)
{
	return trace_words_error(t->words, at ?: t->words->copy, error, ret);
}

/* Where an error is said by who parses the parameters. */
static int refuse_param(struct trigger_text *t, int ret)
{
	if (ret == -ENOMEM)
		return ret;
	return refuse(t, t->param.bad, t->param.error ?: ACTION_ERR_PARAM, ret);
}

/* "if FILTER" */
static int split_condition(struct trigger_text *t, char *rest)
{
	char *word = strsep(&rest, BLANKS);

	if (strcmp(word, "if"))
		return refuse(t, word, ACTION_ERR_TRAILING, -EINVAL);
	if (!rest || !*skip_spaces(rest))
		return refuse(t, word, ACTION_ERR_NO_FILTER, -EINVAL);
	t->condition = rest;
	return 0;
}

static int split(struct trigger_text *t)
{
	char *at = t->words->copy, *name, *rest;
	int ret;

	t->remove = *at == '!';
	at += t->remove;
	rest = at;
	name = strsep(&rest, BLANKS ":");
	if (!*name && !rest)
		return refuse(t, name, ACTION_ERR_EMPTY, -EINVAL);
	t->use.action = trace_action_find(name, TRACE_ACTION_EVENT);
	if (!t->use.action)
		return refuse(t, name, ACTION_ERR_UNKNOWN, -EINVAL);

	if (t->use.action->command)
		return t->use.action->command(t->file, rest ?: name + strlen(name), t->remove);
	if (rest)
		rest = skip_spaces(rest);
	if (rest && *rest && (t->use.action->parse || isdigit(*rest)))
		t->param.at = strsep(&rest, BLANKS);
	if (rest)
		rest = skip_spaces(rest);
	if (rest && *rest && !t->remove) {
		ret = split_condition(t, rest);
		if (ret)
			return ret;
	}

	if (t->remove)
		ret = trace_action_parse_own(&t->use, t->file, &t->param);
	else
		ret = trace_action_parse(&t->use, t->file, &t->param);
	return ret ? refuse_param(t, ret) : 0;
}

static int trigger_set(struct trigger_text *t)
{
	struct event_trigger *trigger;
	int ret;

	if (event_trigger_find(t->file, &t->use))
		return refuse(t, NULL, ACTION_ERR_EXISTS, -EEXIST);

	trigger = event_trigger_alloc(t->file, t->condition);
	if (IS_ERR(trigger))
		return PTR_ERR(trigger);
	trigger->use = t->use;
	ret = event_trigger_add(trigger);
	if (!ret)
		return 0;
	if (ret != -ENOMEM)
		refuse(t, NULL, ret == -EBUSY ? ACTION_ERR_BUSY : ACTION_ERR_REFUSED, ret);
	event_trigger_free(trigger);
	return ret;
}

/**
 * event_trigger_command - do what was written to a trigger file
 * @file: the event in an instance
 * @words: one command, without blanks around it; it is cut up
 *
 * What is refused is told to error_log, and changes nothing. To remove what is not there is
 * no error.
 *
 * Context: task, event_mutex.
 * Return: 0; -EINVAL, -ERANGE; -EEXIST: there is such a trigger already; -EBUSY: the event
 * that it names is going; -ENOMEM; or what the filter says.
 */
int event_trigger_command(struct trace_event_file *file, struct trace_words *words)
{
	struct trigger_text t = { .file = file, .words = words, .use = { .tr = file->tr } };
	struct event_trigger *trigger;
	int ret;

	lockdep_assert_held(&event_mutex);
	ret = split(&t);
	if (ret || t.use.action->command)
		return ret;	/* it is done */
	if (!t.remove)
		return trigger_set(&t);
	trigger = event_trigger_find(file, &t.use);
	if (trigger)
		event_trigger_remove(trigger);
	return 0;
}

/**
 * event_trigger_show - print a trigger as its file shows it
 * @m: where to
 * @trigger: the trigger
 *
 * Context: task, event_mutex.
 */
void event_trigger_show(struct seq_file *m, const struct event_trigger *trigger)
{
	struct seq_buf s;
	char *buf;
	size_t size;

	if (trigger->use.action->print) {
		trigger->use.action->print(m, &trigger->use);
		return;
	}
	size = seq_get_buf(m, &buf);
	if (!size)	/* one before it did not fit: all are shown again, with more room */
		return;
	seq_buf_init(&s, buf, size);
	trace_action_show(&trigger->use, &s);
	if (*trigger->condition)
		seq_buf_printf(&s, " if %s", trigger->condition);
	seq_buf_putc(&s, '\n');
	seq_commit(m, seq_buf_has_overflowed(&s) ? -1 : (int)seq_buf_used(&s));
}
