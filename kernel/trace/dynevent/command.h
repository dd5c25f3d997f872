/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of a line that defines an event, and carets below them in error_log. */
#ifndef _KERNEL_TRACE_DYNEVENT_COMMAND_H
#define _KERNEL_TRACE_DYNEVENT_COMMAND_H

/**
 * struct dyn_command - a line, taken apart
 * @loc:	what error_log says of where
 * @errs:	texts for error_log
 * @text:	the line as it was written
 * @copy:	the same, cut into words
 * @argc:	how many words
 * @argv:	where they begin in @copy; NULL behind the last one
 *
 * A word may be cut up further in place: each of its bytes stays at its offset.
 */
struct dyn_command {
	const char	*loc;
	const char	**errs;
	char		*text;
	char		*copy;
	int		argc;
	const char	**argv;
};

int dyn_command_split(struct dyn_command *cmd, const char *text);
int dyn_command_run(const char *text, const char *letters, const char *loc, const char **errs,
		    int (*run)(struct dyn_command *cmd));
void dyn_command_free(struct dyn_command *cmd);
int dyn_command_error(const struct dyn_command *cmd, const char *at, int error, int ret);

#endif /* _KERNEL_TRACE_DYNEVENT_COMMAND_H */
