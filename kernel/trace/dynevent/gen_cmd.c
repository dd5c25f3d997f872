// SPDX-License-Identifier: GPL-2.0-only
/* Lines that define an event, made up step by step by a user in the kernel: struct dynevent_cmd. */
#include <linux/export.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "dynevent.h"

/**
 * dynevent_cmd_init - begin a line
 * @cmd: the line
 * @buf: room for its text, of the caller
 * @maxlen: bytes of @buf
 * @type: what it defines
 * @run: what makes the event of the text
 *
 * Context: any.
 */
void dynevent_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen, enum dynevent_type type,
		       dynevent_create_fn_t run)
{
	memset(cmd, 0, sizeof(*cmd));
	seq_buf_init(&cmd->seq, buf, maxlen);
	cmd->type = type;
	cmd->run_command = run;
}

/**
 * dynevent_cmd_add - add to a line
 * @cmd: the line
 * @fmt: format of the text
 *
 * Context: any.
 * Return: 0, -E2BIG when it does not fit: the line is of no use then.
 */
int dynevent_cmd_add(struct dynevent_cmd *cmd, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	seq_buf_vprintf(&cmd->seq, fmt, args);
	va_end(args);
	return seq_buf_has_overflowed(&cmd->seq) ? -E2BIG : 0;
}

/**
 * dynevent_create - make the event that a line defines
 * @cmd: the complete line
 *
 * Context: task, takes event_mutex.
 * Return: 0; -E2BIG: it did not fit; or why it was refused.
 */
int dynevent_create(struct dynevent_cmd *cmd)
{
	if (seq_buf_has_overflowed(&cmd->seq))
		return -E2BIG;
	seq_buf_str(&cmd->seq);		/* ends it */
	return cmd->run_command(cmd);
}
EXPORT_SYMBOL_GPL(dynevent_create);
