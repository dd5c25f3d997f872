// SPDX-License-Identifier: GPL-2.0-only
/* Kprobe events that the kernel itself makes: <linux/trace_events_dynevent.h>. */
#include <linux/export.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "kprobe.h"

static int run_command(struct dynevent_cmd *cmd)
{
	return kprobe_event_command(cmd->seq.buffer);
}

/**
 * kprobe_event_cmd_init - begin a line that defines a kprobe event
 * @cmd: the line
 * @buf: room for its text, which the caller frees after it was run
 * @maxlen: bytes of @buf, MAX_DYNEVENT_CMD_LEN is enough
 *
 * Context: any.
 */
void kprobe_event_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen)
{
	dynevent_cmd_init(cmd, buf, maxlen, DYNEVENT_TYPE_KPROBE, run_command);
}
EXPORT_SYMBOL_GPL(kprobe_event_cmd_init);

static int add_fields(struct dynevent_cmd *cmd, va_list *args)
{
	const char *field;
	int ret = 0;

	while (!ret && (field = va_arg(*args, const char *))) {
		if (++cmd->n_fields > PROBE_MAX_ARGS)
			return -EINVAL;
		ret = dynevent_cmd_add(cmd, " %s", field);
	}
	return ret;
}

/**
 * __kprobe_event_gen_cmd_start - the beginning of the line
 * @cmd: from kprobe_event_cmd_init()
 * @kretprobe: the probe is at the function's return
 * @name: of the event; [GROUP/]EVENT
 * @loc: the place, as in kprobe_events
 *
 * Arguments follow, as in kprobe_events, and a NULL.
 *
 * Context: any.
 * Return: 0; -EINVAL: not such a line, or too many arguments; -E2BIG: it does not fit.
 */
int __kprobe_event_gen_cmd_start(struct dynevent_cmd *cmd, bool kretprobe, const char *name,
				 const char *loc, ...)
{
	va_list args;
	int ret;

	if (cmd->type != DYNEVENT_TYPE_KPROBE || !name || !loc)
		return -EINVAL;
	cmd->event_name = name;
	ret = dynevent_cmd_add(cmd, "%c:%s %s", kretprobe ? 'r' : 'p', name, loc);
	if (ret)
		return ret;
	va_start(args, loc);
	ret = add_fields(cmd, &args);
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__kprobe_event_gen_cmd_start);

/**
 * __kprobe_event_add_fields - arguments
 * @cmd: the line, after __kprobe_event_gen_cmd_start()
 *
 * Arguments follow, as in kprobe_events, and a NULL.
 *
 * Context: any.
 * Return: as __kprobe_event_gen_cmd_start().
 */
int __kprobe_event_add_fields(struct dynevent_cmd *cmd, ...)
{
	va_list args;
	int ret;

	if (cmd->type != DYNEVENT_TYPE_KPROBE)
		return -EINVAL;
	va_start(args, cmd);
	ret = add_fields(cmd, &args);
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__kprobe_event_add_fields);

/**
 * kprobe_event_delete - take a kprobe event away
 * @name: [GROUP/]EVENT
 *
 * Context: task; takes event_mutex, may wait for RCU.
 * Return: 0, -EINVAL, -ENOENT, -EBUSY.
 */
int kprobe_event_delete(const char *name)
{
	char copy[2 * PROBE_MAX_NAME];

	/* what does not fit is nobody's name */
	if (strscpy(copy, name, sizeof(copy)) < 0)
		return -ENOENT;
	return dyn_event_delete(copy, &kprobe_kind.dyn);
}
EXPORT_SYMBOL_GPL(kprobe_event_delete);
