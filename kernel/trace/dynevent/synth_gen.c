// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic events that the kernel itself makes, at once or field by field. */
#include <linux/export.h>
#include <linux/slab.h>

#include "synth_internal.h"

static int run(struct dynevent_cmd *cmd)
{
	return synth_event_command(cmd->seq.buffer);
}

/**
 * synth_event_cmd_init - begin a line that defines a synthetic event
 * @cmd: the line
 * @buf: room for its text
 * @maxlen: bytes of @buf; MAX_DYNEVENT_CMD_LEN are enough for most
 *
 * Context: any.
 */
void synth_event_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen)
{
	dynevent_cmd_init(cmd, buf, maxlen, DYNEVENT_TYPE_SYNTH, run);
}
EXPORT_SYMBOL_GPL(synth_event_cmd_init);

static int begin(struct dynevent_cmd *cmd, const char *name)
{
	if (cmd->type != DYNEVENT_TYPE_SYNTH)
		return -EINVAL;
	cmd->event_name = name;
	return dynevent_cmd_add(cmd, "%s ", name);
}

/**
 * synth_event_add_field_str - add a field to a line
 * @cmd: the line, begun
 * @type_name: type and name of the field
 *
 * Context: any.
 * Return: 0, -EINVAL for too many fields, -E2BIG.
 */
int synth_event_add_field_str(struct dynevent_cmd *cmd, const char *type_name)
{
	if (cmd->type != DYNEVENT_TYPE_SYNTH || cmd->n_fields == SYNTH_FIELDS_MAX)
		return -EINVAL;
	cmd->n_fields++;
	return dynevent_cmd_add(cmd, "%s; ", type_name);
}
EXPORT_SYMBOL_GPL(synth_event_add_field_str);

/**
 * synth_event_add_field - add a field to a line
 * @cmd: the line, begun
 * @type: its type
 * @name: its name
 *
 * Context: any.
 * Return: 0, -EINVAL without a type or a name or for too many fields, -E2BIG.
 */
int synth_event_add_field(struct dynevent_cmd *cmd, const char *type, const char *name)
{
	if (cmd->type != DYNEVENT_TYPE_SYNTH || cmd->n_fields == SYNTH_FIELDS_MAX ||
	    !type || !name)
		return -EINVAL;
	cmd->n_fields++;
	return dynevent_cmd_add(cmd, "%s %s; ", type, name);
}
EXPORT_SYMBOL_GPL(synth_event_add_field);

/**
 * synth_event_add_fields - add fields to a line
 * @cmd: the line, begun
 * @fields: types and names
 * @n_fields: how many
 *
 * Context: any.
 * Return: as synth_event_add_field().
 */
int synth_event_add_fields(struct dynevent_cmd *cmd, struct synth_field_desc *fields,
			   unsigned int n_fields)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < n_fields; i++)
		ret = synth_event_add_field(cmd, fields[i].type, fields[i].name);
	return ret;
}
EXPORT_SYMBOL_GPL(synth_event_add_fields);

/**
 * __synth_event_gen_cmd_start - the name of an event, and maybe some of its fields
 * @cmd: from synth_event_cmd_init()
 * @name: of the event
 * @mod: who makes it; buffers with its records are emptied when it goes, whosever it is
 *
 * Pairs of type and name follow, and NULL: synth_event_gen_cmd_start().
 *
 * Context: any.
 * Return: as synth_event_add_field().
 */
int __synth_event_gen_cmd_start(struct dynevent_cmd *cmd, const char *name,
				struct module *mod, ...)
{
	const char *type;
	va_list args;
	int ret = begin(cmd, name);

	va_start(args, mod);
	while (!ret && (type = va_arg(args, const char *)))
		ret = synth_event_add_field(cmd, type, va_arg(args, const char *));
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__synth_event_gen_cmd_start);

/**
 * synth_event_gen_cmd_array_start - the name of an event, and some of its fields
 * @cmd: from synth_event_cmd_init()
 * @name: of the event
 * @mod: who makes it
 * @fields: types and names
 * @n_fields: how many
 *
 * Context: any.
 * Return: as synth_event_add_field().
 */
int synth_event_gen_cmd_array_start(struct dynevent_cmd *cmd, const char *name,
				    struct module *mod, struct synth_field_desc *fields,
				    unsigned int n_fields)
{
	return begin(cmd, name) ?: synth_event_add_fields(cmd, fields, n_fields);
}
EXPORT_SYMBOL_GPL(synth_event_gen_cmd_array_start);

/**
 * synth_event_create - make a synthetic event
 * @name: of the event
 * @fields: types and names of its fields
 * @n_fields: how many, 64 at most
 * @mod: who makes it
 *
 * Context: task, takes event_mutex.
 * Return: 0, -EINVAL, -EEXIST, -E2BIG, -ENOMEM.
 */
int synth_event_create(const char *name, struct synth_field_desc *fields,
		       unsigned int n_fields, struct module *mod)
{
	struct dynevent_cmd cmd;
	char *buf;
	int ret;

	if (n_fields > SYNTH_FIELDS_MAX)
		return -EINVAL;
	buf = kzalloc(MAX_DYNEVENT_CMD_LEN, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	synth_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);
	ret = synth_event_gen_cmd_array_start(&cmd, name, mod, fields, n_fields) ?:
	      synth_event_gen_cmd_end(&cmd);
	kfree(buf);
	return ret;
}
EXPORT_SYMBOL_GPL(synth_event_create);
