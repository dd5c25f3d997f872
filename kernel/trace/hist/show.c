// SPDX-License-Identifier: GPL-2.0-only
/* A hist trigger as `trigger` shows it, and `hist` in its head: what can be written again. */
#include <linux/seq_file.h>

#include "internal.h"

/**
 * hist_column_name - what stands above a field's column, and sort= calls it
 * @field: the field
 *
 * Context: any.
 * Return: its name; of a reference "$NAME" it is the variable's.
 */
const char *hist_column_name(const struct hist_field *field)
{
	return field->flags & HIST_FL_REF && *field->name == '$' ? field->name + 1 : field->name;
}

/**
 * hist_modifier_of - the modifier of a field as it is written
 * @field: the field
 *
 * Context: any.
 * Return: its name, without "=N"; NULL: none.
 */
const char *hist_modifier_of(const struct hist_field *field)
{
	static const struct {
		u32		flag;
		const char	*name;
	} names[] = {
		{ HIST_FL_HEX,		"hex" },
		{ HIST_FL_SYM,		"sym" },
		{ HIST_FL_SYM_OFFSET,	"sym-offset" },
		{ HIST_FL_EXECNAME,	"execname" },
		{ HIST_FL_SYSCALL,	"syscall" },
		{ HIST_FL_LOG2,		"log2" },
		{ HIST_FL_BUCKETS,	"buckets" },
		{ HIST_FL_USECS,	"usecs" },
		{ HIST_FL_PERCENT,	"percent" },
		{ HIST_FL_GRAPH,	"graph" },
		{ HIST_FL_QUANTILES,	"quantiles" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		if (field->flags & names[i].flag)
			return names[i].name;
	}
	return NULL;
}

/**
 * hist_show_field - a key, value or variable with its modifier
 * @m: where to
 * @field: the field
 *
 * Context: task, event_mutex.
 */
static void hist_show_field(struct seq_file *m, const struct hist_field *field)
{
	const char *modifier = hist_modifier_of(field);

	if (field->var)
		seq_printf(m, "%s=", field->var);
	if (field->kind == HIST_STACK && field->source != HIST_FROM_REF) {
		seq_printf(m, field->field ? "%s.stacktrace" : "%s", field->name);
		return;
	}
	if (field->flags & HIST_FL_CONST) {
		seq_printf(m, "%llu", field->constant);
		return;
	}
	seq_puts(m, field->flags & HIST_FL_CPU ? "common_cpu" : field->name);
	if (field->flags & (HIST_FL_EXPR | HIST_FL_REF | HIST_FL_ALIAS) || !modifier)
		return;
	seq_printf(m, ".%s", modifier);
	if (field->flags & HIST_FL_BUCKETS)
		seq_printf(m, "=%llu", field->buckets);
}

/**
 * hist_show_keys - the keys of a hist, with commas
 * @m: where to
 * @hist: the hist
 *
 * Context: task, event_mutex.
 */
void hist_show_keys(struct seq_file *m, const struct hist *hist)
{
	for (unsigned int i = 0; i < hist->nr_keys; i++) {
		if (i)
			seq_putc(m, ',');
		hist_show_field(m, hist->keys[i]);
	}
}

static void show_values(struct seq_file *m, const struct hist *hist)
{
	bool first = true;

	for (unsigned int i = hist->no_hitcount; i < hist->nr_values; i++) {
		if (!first)
			seq_putc(m, ',');
		first = false;
		hist_show_field(m, hist->values[i]);
	}
}

static void show_vars(struct seq_file *m, const struct hist *hist)
{
	bool first = true;

	for (unsigned int i = 0; i < hist->nr_vars; i++) {
		if (hist->vars[i]->flags & HIST_FL_HIDDEN)
			continue;
		seq_putc(m, first ? ':' : ',');
		first = false;
		hist_show_field(m, hist->vars[i]);
	}
}

static void show_sort(struct seq_file *m, const struct hist *hist)
{
	for (unsigned int i = 0; i < hist->nr_sort; i++) {
		unsigned int index = hist->sort[i].index;
		const struct hist_field *field;

		if (i)
			seq_putc(m, ',');
		field = index < hist->nr_values ? hist->values[index] :
			hist->keys[index - hist->nr_values];
		if (field->flags & HIST_FL_QUANTILES)
			seq_printf(m, "%s.%s", field->name,
				   hist_quantile_name(hist->sort[i].quantile));
		else if (field->kind == HIST_STACK)
			seq_puts(m, field->name);
		else
			hist_show_field(m, field);
		if (hist->sort[i].descending)
			seq_puts(m, ".descending");
	}
}

/**
 * hist_show_line - a hist trigger, with the end of line
 * @m: where to
 * @hist: the hist
 *
 * Context: task, event_mutex.
 */
void hist_show_line(struct seq_file *m, const struct hist *hist)
{
	seq_puts(m, "hist:");
	if (hist->name)
		seq_printf(m, "name=%s:", hist->name);
	seq_puts(m, "keys=");
	hist_show_keys(m, hist);
	seq_puts(m, ":vals=");
	show_values(m, hist);
	show_vars(m, hist);
	seq_puts(m, ":sort=");
	show_sort(m, hist);
	seq_printf(m, ":size=%u", 1U << hist->map->bits);
	if (hist->nr_times)
		seq_printf(m, ":clock=%s", hist->clock);
	if (hist->no_hitcount)
		seq_puts(m, ":nohitcount");
	hist_actions_show(m, hist);
	if (*hist->trigger->condition)
		seq_printf(m, " if %s", hist->trigger->condition);
	seq_puts(m, test_bit(HIST_PAUSED_BIT, &hist->state) ? " [paused]\n" : " [active]\n");
}
