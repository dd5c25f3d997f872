// SPDX-License-Identifier: GPL-2.0-only
/*
 * What `hist` shows: the trigger, its entries in the order of their sort keys, totals.
 *
 * Hits go on meanwhile. The entries that were there in the beginning are shown, each once. Their
 * sums are read once: what they are sorted by, what makes up the totals and what is shown is the
 * same. Only .quantiles are of the moment at which they are printed.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../events/events.h"
#include "internal.h"

/* --- reading the entries */

/*
 * An entry; what it is sorted by: numbers, so that they compare without a sign, or a string; and
 * its sums.
 */
struct row {
	struct hist_entry	*entry;
	union {
		u64		number;
		const char	*text;
	} by[HIST_SORT_MAX];
	u64			sums[];
};

/* A row for each entry, @size bytes each. */
struct rows {
	void			*first;
	size_t			size;
	unsigned int		nr;
};

static struct row *row_at(const struct rows *rows, unsigned int nr)
{
	return rows->first + nr * rows->size;
}

/* of all entries, for .percent and .graph */
struct total {
	u64	sum;
	u64	max;
};

/* Where a key begins in an entry. */
static const u64 *key_at(const struct hist *hist, const struct hist_entry *entry,
			 unsigned int index)
{
	const u64 *at = entry->key;

	for (unsigned int i = 0; i < index; i++) {
		unsigned int nr = 0;

		switch (hist->keys[i]->kind) {
		case HIST_NUMBER:
			at++;
			break;
		case HIST_STRING:
			at += strlen((const char *)at) / sizeof(u64) + 1;
			break;
		case HIST_STACK:
			while (nr < HIST_STACK_DEPTH && at[nr])
				nr++;
			at += nr < HIST_STACK_DEPTH ? nr + 1 : nr;
			break;
		}
	}
	return at;
}

static const struct hist_field *sort_field(const struct hist *hist, unsigned int nr)
{
	unsigned int index = hist->sort[nr].index;

	return index < hist->nr_values ? hist->values[index] :
	       hist->keys[index - hist->nr_values];
}

static void set_sort(struct hist *hist, struct row *row, unsigned int nr)
{
	const struct hist_field *field = sort_field(hist, nr);
	const u64 *key;

	if (field->flags & HIST_FL_QUANTILES) {
		row->by[nr].number =
			hist_sketch_quantile(hist_sketch_of(hist, row->entry, hist->sort[nr].index),
					     hist->sort[nr].quantile);
		return;
	}
	if (!(field->flags & HIST_FL_KEY)) {
		row->by[nr].number = row->sums[field->slot];
		return;
	}
	key = key_at(hist, row->entry, hist->sort[nr].index - hist->nr_values);
	if (field->kind == HIST_STRING)
		row->by[nr].text = (const char *)key;
	else if (field->kind == HIST_NUMBER)
		row->by[nr].number = field->is_signed ? *key ^ BIT_ULL(63) : *key;
	else
		row->by[nr].number = 0;	/* stacks have no order */
}

static int order_of(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *a, const void *b, const void *data)
{
	const struct row *one = a, *two = b;
	const struct hist *hist = data;

	/* sort_r() goes on for seconds when there are a million of them */
	cond_resched();
	for (unsigned int i = 0; i < hist->nr_sort; i++) {
		int order;

		if (sort_field(hist, i)->kind == HIST_STRING)
			order = strcmp(one->by[i].text, two->by[i].text);
		else
			order = order_of(one->by[i].number, two->by[i].number);
		if (order)
			return hist->sort[i].descending ? -order : order;
	}
	/* as they came */
	return order_of(one->entry->index, two->entry->index);
}

/* The entries, sorted; first NULL: no memory. */
static struct rows read_rows(struct hist *hist)
{
	unsigned int used = hist_map_used(hist->map), nr_sums = hist->map->nr_sums;
	struct rows rows = { .size = struct_size_t(struct row, sums, nr_sums) };

	rows.first = kvmalloc_array(used + 1, rows.size, GFP_KERNEL);
	if (!rows.first)
		return rows;
	for (unsigned int i = 0; i < used; i++) {
		struct row *row = row_at(&rows, rows.nr);

		cond_resched();
		row->entry = hist_map_entry(hist->map, i);
		if (!row->entry)
			continue;
		for (unsigned int sum = 0; sum < nr_sums; sum++)
			row->sums[sum] = hist_map_sum(hist->map, row->entry, sum);
		for (unsigned int s = 0; s < hist->nr_sort; s++)
			set_sort(hist, row, s);
		rows.nr++;
	}
	sort_r(rows.first, rows.nr, rows.size, compare, NULL, hist);
	return rows;
}

static void read_totals(const struct hist *hist, const struct rows *rows, struct total *totals)
{
	memset(totals, 0, HIST_VALUES_MAX * sizeof(*totals));
	for (unsigned int i = 0; i < rows->nr; i++) {
		const struct row *row = row_at(rows, i);

		cond_resched();
		for (unsigned int v = 0; v < hist->nr_values; v++) {
			u64 sum = row->sums[hist->values[v]->slot];

			totals[v].sum += sum;
			totals[v].max = max(totals[v].max, sum);
		}
	}
}

/* --- keys */

/**
 * hist_print_stack - the frames of a stack, a line each
 * @m: where to
 * @frames: the frames
 * @nr: how many there may be; 0 ends them
 *
 * Context: task.
 */
void hist_print_stack(struct seq_file *m, const u64 *frames, unsigned int nr)
{
	for (unsigned int i = 0; i < nr && frames[i]; i++)
		seq_printf(m, "%9s%pS\n", "", (void *)frames[i]);
}

static void print_syscall(struct seq_file *m, const char *name, u64 value)
{
	const char *syscall = event_syscall_name(value);

	seq_printf(m, "%s: %-30s[%3llu]", name, syscall ?: "unknown_syscall", value);
}

static void print_number_key(struct seq_file *m, const struct hist *hist,
			     const struct hist_entry *entry, const struct hist_field *key,
			     u64 value)
{
	const char *name = key->name;

	if (key->flags & HIST_FL_HEX)
		seq_printf(m, "%s: %llx", name, value);
	else if (key->flags & HIST_FL_SYM)
		seq_printf(m, "%s: [%llx] %-45ps", name, value, (void *)value);
	else if (key->flags & HIST_FL_SYM_OFFSET)
		seq_printf(m, "%s: [%llx] %-55pS", name, value, (void *)value);
	else if (key->flags & HIST_FL_EXECNAME)
		seq_printf(m, "%s: %-16.16s[%10llu]", name,
			   (const char *)hist_entry_data(hist->map, entry), value);
	else if (key->flags & HIST_FL_SYSCALL)
		print_syscall(m, name, value);
	else if (key->flags & HIST_FL_LOG2)
		seq_printf(m, "%s: ~ 2^%-2llu", name, value);
	else if (key->flags & HIST_FL_BUCKETS)
		seq_printf(m, "%s: ~ %llu-%llu", name, value, value + key->buckets - 1);
	else
		seq_printf(m, "%s: %10llu", name, value);
}

/**
 * hist_print_key - the keys of an entry, in braces
 * @m: where to
 * @hist: the hist
 * @entry: the entry, or a copy of it up to the variables
 *
 * Context: task, event_mutex.
 */
void hist_print_key(struct seq_file *m, const struct hist *hist, const struct hist_entry *entry)
{
	bool stack = false;

	seq_puts(m, "{ ");
	for (unsigned int i = 0; i < hist->nr_keys; i++) {
		const struct hist_field *key = hist->keys[i];
		const u64 *at = key_at(hist, entry, i);

		if (i)
			seq_puts(m, ", ");
		switch (key->kind) {
		case HIST_NUMBER:
			print_number_key(m, hist, entry, key, *at);
			break;
		case HIST_STRING:
			seq_printf(m, "%s: %-50s", key->name, (const char *)at);
			break;
		case HIST_STACK:
			seq_printf(m, key->field ? "%s.stacktrace" : "%s:\n", key->name);
			hist_print_stack(m, at, HIST_STACK_DEPTH);
			stack = true;
			break;
		}
	}
	seq_puts(m, stack ? "}" : " }");
}

/* --- values */

/*
 * In hundredths of a percent; -1: of nothing. Where the product is too large, the divisor is made
 * less.
 */
static u64 share_of(u64 value, u64 total)
{
	u64 product;

	if (!check_mul_overflow(value, 10000ULL, &product))
		return total ? product / total : value ? -1ULL : 0;
	return total / 10000 ? value / (total / 10000) : -1ULL;
}

static void print_bar(struct seq_file *m, const char *name, u64 value, u64 max)
{
	static const char bar[] = "####################";
	u64 part = share_of(value, max);

	if (part == -1ULL)
		seq_printf(m, " %s: %20s", name, "[ERROR]");
	else
		seq_printf(m, " %s: %-20.*s", name, (int)(part * strlen(bar) / 10000), bar);
}

static void print_value(struct seq_file *m, const struct hist_field *field, u64 value,
			const struct total *total)
{
	const char *name = hist_column_name(field);
	u64 part;

	if (field->flags & HIST_FL_PERCENT) {
		part = share_of(value, total->sum);
		if (part == -1ULL)
			seq_printf(m, " %s (%%):[ERROR]", name);
		else
			seq_printf(m, " %s (%%): %3llu.%02llu", name, part / 100,
				   part % 100);
	} else if (field->flags & HIST_FL_GRAPH) {
		print_bar(m, name, value, total->max);
	} else if (field->flags & HIST_FL_HEX) {
		seq_printf(m, " %s: %10llx", name, value);
	} else {
		seq_printf(m, " %s: %10llu", name, value);
	}
}

static void print_entry(struct seq_file *m, struct hist *hist, const struct row *row,
			const struct total *totals)
{
	const struct hist_entry *entry = row->entry;

	hist_print_key(m, hist, entry);
	for (unsigned int i = hist->no_hitcount; i < hist->nr_values; i++) {
		const struct hist_field *field = hist->values[i];

		if (i)
			seq_putc(m, ' ');
		if (field->flags & HIST_FL_QUANTILES) {
			hist_sketch_print(m, hist_column_name(field),
					  hist_sketch_of(hist, entry, i));
			continue;
		}
		print_value(m, field, row->sums[field->slot], &totals[i]);
	}
	hist_actions_print(m, hist, entry);
	seq_putc(m, '\n');
}

/**
 * hist_print - a hist as its file shows it
 * @m: where to
 * @hist: the hist
 *
 * Context: task, event_mutex.
 * Return: 0 or -ENOMEM.
 */
int hist_print(struct seq_file *m, struct hist *hist)
{
	struct total totals[HIST_VALUES_MAX];
	u64 dropped = hist_map_dropped(hist->map);
	struct rows rows = read_rows(hist);

	if (!rows.first)
		return -ENOMEM;
	seq_puts(m, "# event histogram\n#\n# trigger info: ");
	hist_show_line(m, hist);
	seq_puts(m, "#\n\n");
	read_totals(hist, &rows, totals);
	for (unsigned int i = 0; i < rows.nr && !seq_has_overflowed(m); i++) {
		print_entry(m, hist, row_at(&rows, i), totals);
		cond_resched();
	}
	hist_actions_print_end(m, hist);
	seq_printf(m, "\nTotals:\n    Hits: %llu\n    Entries: %u\n    Dropped: %llu\n",
		   totals[0].sum, rows.nr, dropped);
	kvfree(rows.first);
	return 0;
}

/**
 * hist_hits - how often a hist was hit
 * @hist: the hist
 *
 * Context: task, event_mutex.
 * Return: hits, with those that were dropped.
 */
u64 hist_hits(struct hist *hist)
{
	unsigned int used = hist_map_used(hist->map);
	u64 hits = hist_map_dropped(hist->map);

	for (unsigned int i = 0; i < used; i++) {
		struct hist_entry *entry = hist_map_entry(hist->map, i);

		cond_resched();
		if (entry)
			hits += hist_map_sum(hist->map, entry, 0);
	}
	return hits;
}

/**
 * hist_print_size - about how long hist_print() is
 * @hist: the hist
 *
 * Context: task, event_mutex.
 * Return: bytes, an estimate.
 */
size_t hist_print_size(struct hist *hist)
{
	size_t line = 32 * hist->nr_values + 64 * hist->nr_actions;

	for (unsigned int i = 0; i < hist->nr_keys; i++) {
		const struct hist_field *key = hist->keys[i];

		line += key->kind == HIST_STACK ? 48 * HIST_STACK_DEPTH :
			key->kind == HIST_STRING ? 80 :
			key->flags & (HIST_FL_SYM | HIST_FL_SYM_OFFSET) ? 100 : 40;
	}
	return 1024 + (size_t)hist_map_used(hist->map) * line;
}
