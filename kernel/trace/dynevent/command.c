// SPDX-License-Identifier: GPL-2.0-only
/* The words of a line that defines an event; see command.h. */
#include <linux/ctype.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../instance/words.h"
#include "command.h"

static int count_words(const char *at)
{
	int n = 0;

	for (; *at; at++)
		n += !isspace(*at) && (!at[1] || isspace(at[1]));
	return n;
}

/**
 * dyn_command_split - cut a line into words
 * @cmd: its loc and errs are set
 * @text: the line
 *
 * Context: task.
 * Return: 0, and dyn_command_free() is to be called; -ENOMEM.
 */
int dyn_command_split(struct dyn_command *cmd, const char *text)
{
	char *at, *word;

	cmd->argc = 0;
	cmd->text = kstrdup(text, GFP_KERNEL);
	cmd->copy = kstrdup(text, GFP_KERNEL);
	cmd->argv = kcalloc(count_words(text) + 1, sizeof(*cmd->argv), GFP_KERNEL);
	if (!cmd->text || !cmd->copy || !cmd->argv) {
		dyn_command_free(cmd);
		return -ENOMEM;
	}
	at = cmd->copy;
	while ((word = trace_word_cut(&at)))
		cmd->argv[cmd->argc++] = word;
	return 0;
}

/**
 * dyn_command_split_joined - cut a line into words, and have error_log show them one blank apart
 * @cmd: its loc and errs are set
 * @text: the line
 *
 * Context: task.
 * Return: 0, and dyn_command_free() is to be called; -ENOMEM.
 */
static int dyn_command_split_joined(struct dyn_command *cmd, const char *text)
{
	char *joined = kmalloc(strlen(text) + 1, GFP_KERNEL), *to = joined;
	int ret;

	if (!joined)
		return -ENOMEM;
	for (text = skip_spaces(text); *text; text++)
		if (!isspace(*text) || (text[1] && !isspace(text[1])))
			*to++ = isspace(*text) ? ' ' : *text;
	*to = '\0';
	ret = dyn_command_split(cmd, joined);
	kfree(joined);
	return ret;
}

/**
 * dyn_command_run - take a line apart and do what it says
 * @text: the line
 * @letters: it begins with one of these, and has two words or more, or is another kind's
 * @loc: for error_log
 * @errs: likewise
 * @run: does it, with the line as dyn_command_split_joined() cuts it
 *
 * Context: task.
 * Return: what @run returns; -ECANCELED: it is another kind's; -ENOMEM.
 */
int dyn_command_run(const char *text, const char *letters, const char *loc, const char **errs,
		    int (*run)(struct dyn_command *cmd))
{
	struct dyn_command cmd = { .loc = loc, .errs = errs };
	int ret;

	if (!*text || !strchr(letters, *text))
		return -ECANCELED;
	ret = dyn_command_split_joined(&cmd, text);
	if (ret)
		return ret;
	ret = cmd.argc < 2 ? -ECANCELED : run(&cmd);
	dyn_command_free(&cmd);
	return ret;
}

/**
 * dyn_command_free - forget a line
 * @cmd: from dyn_command_split()
 *
 * Context: task.
 */
void dyn_command_free(struct dyn_command *cmd)
{
	kfree(cmd->argv);
	kfree(cmd->copy);
	kfree(cmd->text);
}

/**
 * dyn_command_error - tell error_log of the top instance about a place in a line
 * @cmd: the line, whose text is not as it was any more
 * @at: within one of its words
 * @error: index in @cmd->errs
 * @ret: the error
 *
 * Context: task.
 * Return: @ret.
 */
int dyn_command_error(const struct dyn_command *cmd, const char *at, int error, int ret)
{
	trace_text_error(NULL, cmd->loc, cmd->text, cmd->errs, error, at - cmd->copy);
	return ret;
}
