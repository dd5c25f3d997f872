// SPDX-License-Identifier: GPL-2.0-only
/*
 * What `hist_debug` shows, in the words of Documentation/trace/histogram-design.rst, which are the
 * base's: fields[] are values, variables and keys, in this order.
 */
#include <linux/seq_file.h>

#include "../events/events.h"
#include "actions.h"

/**
 * hist_debug_type - type, size and sign of something
 * @m: where to
 * @type: its C type
 * @size: in bytes
 * @is_signed: as it says
 *
 * Context: task, event_mutex.
 */
void hist_debug_type(struct seq_file *m, const char *type, unsigned int size, bool is_signed)
{
	seq_printf(m, "      type: %s\n", type);
	seq_printf(m, "      size: %u\n", size);
	seq_printf(m, "      is_signed: %u\n", is_signed);
}

static void debug_flags(struct seq_file *m, const struct hist_field *field)
{
	seq_puts(m, "      flags:\n");
	if (field->flags & HIST_FL_KEY)
		seq_puts(m, "        HIST_FIELD_FL_KEY\n");
	else if (field->flags & HIST_FL_HITCOUNT)
		seq_puts(m, "        VAL: HIST_FIELD_FL_HITCOUNT\n");
	else if (field->flags & HIST_FL_VAR)
		seq_puts(m, "        HIST_FIELD_FL_VAR\n");
	else
		seq_puts(m, "        VAL: normal u64 value\n");
	if (field->flags & HIST_FL_ALIAS)
		seq_puts(m, "        HIST_FIELD_FL_ALIAS\n");
	else if (field->flags & HIST_FL_CONST)
		seq_puts(m, "        HIST_FIELD_FL_CONST\n");
}

static void debug_field(struct seq_file *m, const struct hist_field *field, unsigned int nr)
{
	unsigned int size = field->size;

	seq_printf(m, "\n    hist_data->fields[%u]:\n", nr);
	debug_flags(m, field);
	if (field->field)
		seq_printf(m, "      ftrace_event_field name: %s\n", field->field->name);
	if (field->flags & HIST_FL_VAR) {
		seq_printf(m, "      var.name: %s\n", field->var);
		seq_printf(m, "      var.idx (into tracing_map_elt.vars[]): %u\n", field->slot);
	}
	if (field->flags & HIST_FL_CONST)
		seq_printf(m, "      constant: %llu\n", field->constant);
	if (field->flags & HIST_FL_ALIAS)
		seq_printf(m, "      var_ref_idx (into hist_data->var_refs[]): %d\n", field->ref);
	if (field->flags & HIST_FL_KEY)
		size = ALIGN(size, sizeof(u64));
	hist_debug_type(m, field->type, size, field->is_signed);
}

/**
 * hist_debug_ref - a reference on a variable
 * @m: where to
 * @what: what it is called
 * @ref: the reference
 * @nr: its index
 *
 * Context: task, event_mutex.
 */
void hist_debug_ref(struct seq_file *m, const char *what, const struct hist_ref *ref,
		    unsigned int nr)
{
	seq_printf(m, "\n    %s:\n", what);
	seq_puts(m, "      flags:\n        HIST_FIELD_FL_VAR_REF\n");
	seq_printf(m, "      name: %s\n", ref->name);
	seq_printf(m, "      var.idx (into tracing_map_elt.vars[]): %u\n", ref->slot);
	seq_printf(m, "      var.hist_data: %p\n", ref->hist);
	seq_printf(m, "      var_ref_idx (into hist_data->var_refs[]): %u\n", nr);
	if (ref->system)
		seq_printf(m, "      system: %s\n      event_name: %s\n", ref->system, ref->event);
	hist_debug_type(m, ref->type, ref->size, ref->is_signed);
}

static unsigned int user_vars(const struct hist *hist)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < hist->nr_vars; i++)
		nr += !(hist->vars[i]->flags & HIST_FL_HIDDEN);
	return nr;
}

/**
 * hist_debug - what a hist is made of
 * @m: where to
 * @hist: the hist
 *
 * Context: task, event_mutex.
 */
void hist_debug(struct seq_file *m, struct hist *hist)
{
	unsigned int nr_vals = hist->nr_values + user_vars(hist), nr = 0;

	seq_puts(m, "# event histogram\n#\n# trigger info: ");
	hist_show_line(m, hist);
	seq_puts(m, "#\n\n");
	seq_printf(m, "hist_data: %p\n\n", hist);
	seq_printf(m, "  n_vals: %u\n", nr_vals);
	seq_printf(m, "  n_keys: %u\n", hist->nr_keys);
	seq_printf(m, "  n_fields: %u\n", nr_vals + hist->nr_keys);

	seq_puts(m, "\n  val fields:\n");
	for (unsigned int i = 0; i < hist->nr_values; i++)
		debug_field(m, hist->values[i], nr++);
	for (unsigned int i = 0; i < hist->nr_vars; i++) {
		if (!(hist->vars[i]->flags & HIST_FL_HIDDEN))
			debug_field(m, hist->vars[i], nr++);
	}
	seq_puts(m, "\n  key fields:\n");
	for (unsigned int i = 0; i < hist->nr_keys; i++)
		debug_field(m, hist->keys[i], nr++);
	if (hist->nr_refs)
		seq_puts(m, "\n  variable reference fields:\n");
	for (unsigned int i = 0; i < hist->nr_refs; i++) {
		char name[32];

		snprintf(name, sizeof(name), "hist_data->var_refs[%u]", i);
		hist_debug_ref(m, name, &hist->refs[i], i);
	}
	hist_actions_debug(m, hist);
}
