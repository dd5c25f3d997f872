/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_ERROR_LOG_H
#define _KERNEL_TRACE_ERROR_LOG_H

#include <linux/types.h>

struct trace_array;

/* So many characters of a command are quoted, and the rest is cut off. */
#define ERROR_COMMAND_MAX	4095

/*
 * tracing_log_err() keeps the last ones for the file error_log: @loc names the command ("event
 * set_event"), @cmd is what was written, @errs[@type] the text, @pos the offset in @cmd
 * that the caret points at. Task context.
 */
void tracing_log_err(struct trace_array *tr, const char *loc, const char *cmd,
		     const char **errs, u8 type, u16 pos);

/*
 * Who has many errors lists them once, as C(NAME, "text"): the enum is made of the names, and the
 * table of the texts, by this.
 */
#define ERROR_TEXT(name, text)	text,

#endif /* _KERNEL_TRACE_ERROR_LOG_H */
