// SPDX-License-Identifier: GPL-2.0-only
/* save(fields): what the event said when the handler found something, kept in the entry. */
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "actions.h"

/* What is saved are variables of the hist that its users do not see: hist.vars[]. */
struct saved {
	unsigned int		nr;
	struct hist_field	*fields[] __counted_by(nr);
};

static int add(struct hist_parse *p, struct hist_action *a, unsigned int i)
{
	struct saved *saved = a->data;
	struct hist_field *field;
	char *text = kstrdup(a->params[i], GFP_KERNEL);
	int ret;

	if (!text)
		return -ENOMEM;
	field = hist_field_parse(p, text, HIST_AS_ARG, a->params[i]);
	kfree(text);
	if (IS_ERR(field)) {
		/* error_log has what is wrong, and what it was wanted for */
		if (PTR_ERR(field) != -ENOMEM) {
			hist_refuse(p, HIST_ERR_FIELD_VAR_PARSE_FAIL, a->params[i]);
			hist_refuse(p, HIST_ERR_FIELD_VAR_CREATE_FAIL, a->params[i]);
		}
		return PTR_ERR(field);
	}
	field->flags |= HIST_FL_HIDDEN;
	ret = hist_var_add(p, field);
	if (ret) {
		hist_field_free(field);
		return ret;
	}
	saved->fields[i] = field;
	return 0;
}

static int save_create(struct hist_parse *p, struct hist_action *a)
{
	struct hist_action *other;
	struct saved *saved;
	int ret = 0;

	list_for_each_entry(other, &p->hist->actions, list)
		if (other != a && other->kind == a->kind)
			return hist_refuse(p, HIST_ERR_TOO_MANY_SAVE_ACTIONS, hist_at_begin(p));
	saved = kzalloc(struct_size(saved, fields, a->nr_params), GFP_KERNEL);
	if (!saved)
		return -ENOMEM;
	saved->nr = a->nr_params;
	a->data = saved;
	for (unsigned int i = 0; !ret && i < a->nr_params; i++)
		ret = add(p, a, i);
	return ret;
}

static void save_destroy(struct hist_action *a)
{
	kfree(a->data);
}

static void save_run(struct hist_action *a, struct hist_hit *hit, u64 value)
{
	const struct saved *saved = a->data;

	for (unsigned int i = 0; i < saved->nr; i++)
		hist_var_update(a->hist, hit->entry, saved->fields[i]->slot, saved->fields[i], hit);
}

static void print_stack(struct seq_file *m, const struct hist_field *field, const u64 *frames)
{
	seq_printf(m, "  %s:\n", field->var);
	hist_print_stack(m, frames, HIST_STACK_DEPTH);
}

static void save_print(struct seq_file *m, const struct hist_action *a,
		       const struct hist_entry *entry)
{
	const struct saved *saved = a->data;

	for (unsigned int i = 0; i < saved->nr; i++) {
		const struct hist_field *field = saved->fields[i];
		u64 value = hist_var_get(a->hist, entry, field->slot);

		/* while it is copied from elsewhere a long one is for a moment without its end */
		if (field->kind == HIST_STRING)
			seq_printf(m, "  %s: %-32.*s", field->var, HIST_STRING_MAX - 1,
				   (char *)(uintptr_t)value);
		else if (field->kind == HIST_NUMBER)
			seq_printf(m, "  %s: %10llu", field->var, value);
		else
			print_stack(m, field, (u64 *)(uintptr_t)value);
	}
}

static void save_debug(struct seq_file *m, const struct hist_action *a)
{
	const struct saved *saved = a->data;

	seq_puts(m, "\n  save action variables (save() params):\n");
	for (unsigned int i = 0; i < saved->nr; i++) {
		const struct hist_field *field = saved->fields[i];

		seq_printf(m, "\n    hist_data->save_vars[%u]:\n", i);
		seq_printf(m, "\n      save_vars[%u].var:\n", i);
		seq_puts(m, "      flags:\n        HIST_FIELD_FL_VAR\n");
		seq_printf(m, "      var.name: %s\n", field->var);
		seq_printf(m, "      var.idx (into tracing_map_elt.vars[]): %u\n", field->slot);
		seq_printf(m, "\n      save_vars[%u].val:\n", i);
		if (field->field)
			seq_printf(m, "      ftrace_event_field name: %s\n", field->field->name);
		hist_debug_type(m, field->type, field->size, field->is_signed);
	}
}

const struct hist_action_kind hist_action_save = {
	.create		= save_create,
	.destroy	= save_destroy,
	.run		= save_run,
	.print		= save_print,
	.debug		= save_debug,
};
