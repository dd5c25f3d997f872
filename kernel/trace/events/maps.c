// SPDX-License-Identifier: GPL-2.0-only
/*
 * TRACE_DEFINE_ENUM() and TRACE_DEFINE_SIZEOF(): names in an event's texts
 * that only the compiler knew, replaced by their values.
 *
 * A reader of `format` has no header files; "REC->state == BLK_DONE" or
 * "char name[NAME_LEN]" tell it nothing. Every event of the map's system is gone
 * through once, when the map comes: at boot, or with its module.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "../output/output.h"
#include "internal.h"

/* A word of a print format: what could be the name of a map. */
struct word {
	char	*at;
	size_t	len;
};

static bool in_word(char c)
{
	return isalnum(c) || c == '_';
}

static char *skip_quoted(char *p)
{
	for (p++; *p && *p != '"'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : p;
}

/*
 * The next word from @p on that stands for a value: no literal, no number and
 * no member of something. "sizeof(x)" is one word.
 */
static bool next_word(char *p, struct word *w)
{
	bool member = false;

	while (*p) {
		char *start = p;

		if (*p == '"') {
			p = skip_quoted(p);
			member = false;
			continue;
		}
		if (!in_word(*p)) {
			member = *p == '.' || (p[0] == '-' && p[1] == '>');
			p += p[0] == '-' && p[1] == '>' ? 2 : 1;
			continue;
		}

		while (in_word(*p))
			p++;
		if (member || isdigit(*start)) {
			member = false;
			continue;
		}

		w->at = start;
		w->len = p - start;
		if (*p == '(' && w->len == strlen("sizeof") && !strncmp(start, "sizeof", w->len)) {
			char *close = strchr(p, ')');

			if (close)
				w->len = close + 1 - start;
		}
		return true;
	}
	return false;
}

static const struct trace_eval_map *map_of(const char *name, size_t len,
					   struct trace_eval_map *const *maps, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!strncmp(maps[i]->eval_string, name, len) && !maps[i]->eval_string[len])
			return maps[i];
	return NULL;
}

/**
 * eval_map_replace - put values in the place of names
 * @fmt: print format, changed in place; it only gets shorter
 * @maps: names and values
 * @nr: how many
 *
 * A value that has more digits than its name has letters stays a name, since
 * the text has no room for it.
 *
 * Context: task.
 * Return: how many names were replaced.
 */
int eval_map_replace(char *fmt, struct trace_eval_map *const *maps, unsigned int nr)
{
	const struct trace_eval_map *map;
	struct word w;
	int done = 0;
	char value[24];
	size_t len;

	while (next_word(fmt, &w)) {
		fmt = w.at + w.len;
		map = map_of(w.at, w.len, maps, nr);
		if (!map)
			continue;

		len = snprintf(value, sizeof(value), "%ld", map->eval_value);
		if (WARN_ONCE(len > w.len, "no room for the value of %s\n", map->eval_string))
			continue;

		memcpy(w.at, value, len);
		memmove(w.at + len, fmt, strlen(fmt) + 1);
		fmt = w.at + len;
		done++;
	}
	return done;
}

/* "char[NAME_LEN]" with the value of NAME_LEN; a new text, for this field alone */
static void field_type_replace(struct ftrace_event_field *field,
			       struct trace_eval_map *const *maps, unsigned int nr)
{
	const char *open = strchr(field->type, '[');
	const struct trace_eval_map *map;
	const char *close;
	char *type;

	if (!open)
		return;
	close = strrchr(open, ']');
	if (!close)
		return;
	map = map_of(open + 1, close - open - 1, maps, nr);
	if (!map)
		return;

	type = kasprintf(GFP_KERNEL, "%.*s%ld%s", (int)(open + 1 - field->type), field->type,
			 map->eval_value, close);
	if (!type)
		return;
	if (field->type_owned)
		kfree(field->type);
	field->type = type;
	field->type_owned = 1;
}

static void apply_to_system(const char *system, struct trace_eval_map **maps, unsigned int nr)
{
	struct trace_event_call *call;
	struct ftrace_event_field *field;

	list_for_each_entry(call, &ftrace_events, list) {
		if (strcmp(call->class->system, system))
			continue;
		if (call->print_fmt)
			eval_map_replace(call->print_fmt, maps, nr);
		list_for_each_entry(field, trace_get_fields(call), link)
			field_type_replace(field, maps, nr);
	}
}

/**
 * event_maps_apply - use the maps of the kernel or of a module
 * @maps: pointers as the linker gathered them: what one file defines for a system stands together
 * @nr: how many
 *
 * Context: task, event_mutex. Nothing keeps @maps, they may be init data.
 */
void event_maps_apply(struct trace_eval_map **maps, unsigned int nr)
{
	unsigned int first = 0;

	/* a reader of `format` holds this lock */
	down_write(&trace_event_sem);
	while (first < nr) {
		const char *system = maps[first]->system;
		unsigned int end = first + 1;

		while (end < nr && !strcmp(maps[end]->system, system))
			end++;
		apply_to_system(system, maps + first, end - first);
		first = end;
	}
	up_write(&trace_event_sem);
}
