// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which functions does a word of a filter mean?
 *
 * A name, a name with a * in front, behind or at both ends, a glob, or a number:
 * the line of available_filter_functions. A leading ! takes away what matches.
 */
#include <linux/ctype.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/string.h>

#include "../sites/sites.h"
#include "filters.h"

/* Sorts out @text, which is changed and must stay as long as @pattern. */
void ftrace_pattern_parse(char *text, struct ftrace_pattern *pattern)
{
	size_t len, stars;
	bool front, back;

	*pattern = (struct ftrace_pattern) { .type = FTRACE_MATCH_FULL };
	if (*text == '!') {
		pattern->not = true;
		text++;
	}
	len = strlen(text);
	pattern->text = text;
	pattern->len = len;

	if (isdigit(*text) && !kstrtoul(text, 0, &pattern->index)) {
		pattern->type = FTRACE_MATCH_INDEX;
		return;
	}
	for (stars = 0; *text; text++)
		stars += *text == '*';
	text = (char *)pattern->text;
	if (strpbrk(text, "?[\\")) {
		pattern->type = FTRACE_MATCH_GLOB;
		return;
	}
	if (!stars)
		return;

	front = text[0] == '*';
	back = len > 1 && text[len - 1] == '*';
	if (stars != front + back) {
		pattern->type = FTRACE_MATCH_GLOB;
		return;
	}
	if (back)
		text[--len] = '\0';
	pattern->text = text + front;
	pattern->len = len - front;
	if (front && back)
		pattern->type = FTRACE_MATCH_MIDDLE;
	else if (front)
		pattern->type = FTRACE_MATCH_END;
	else
		pattern->type = FTRACE_MATCH_FRONT;
}

bool ftrace_pattern_match(const struct ftrace_pattern *pattern, const char *name, unsigned int len)
{
	unsigned int n = pattern->len;

	switch (pattern->type) {
	case FTRACE_MATCH_FULL:
		return len == n && !memcmp(name, pattern->text, n);
	case FTRACE_MATCH_FRONT:
		return len >= n && !memcmp(name, pattern->text, n);
	case FTRACE_MATCH_END:
		return len >= n && !memcmp(name + len - n, pattern->text, n);
	case FTRACE_MATCH_MIDDLE:
		return strstr(name, pattern->text);
	case FTRACE_MATCH_GLOB:
		return glob_match(pattern->text, name);
	case FTRACE_MATCH_INDEX:
		break;
	}
	return false;
}

struct match {
	const struct ftrace_pattern	*func;
	int				(*fn)(unsigned long ip, void *data);
	void				*data;
	unsigned long			line;
	int				found;
};

static int match_hit(struct match *match, unsigned long ip)
{
	int ret = match->fn(ip, match->data);

	if (!ret)
		match->found++;
	return ret;
}

static int match_rec(struct dyn_ftrace *rec, const char *name, unsigned int len,
		     struct module *mod, void *data)
{
	struct match *match = data;
	int ret;

	if (match->func->type == FTRACE_MATCH_INDEX) {
		if (++match->line != match->func->index)
			return 0;
		ret = match_hit(match, rec->ip);
		return ret ?: 1;
	}
	if (!ftrace_pattern_match(match->func, name, len))
		return 0;
	return match_hit(match, rec->ip);
}

static int match_symbol(void *data, unsigned long addr)
{
	struct match *match = data;
	unsigned long offset, size;
	struct dyn_ftrace *rec;

	if (!kallsyms_lookup_size_offset(addr, &size, &offset) || offset)
		return 0;
	rec = ftrace_lookup_rec(addr, addr + size - 1);
	if (!rec || !ftrace_rec_usable(rec))
		return 0;
	return match_hit(match, rec->ip);
}

/* Does the filter's module part mean @mod? NULL: it has none, and means the kernel as well. */
static bool module_matches(const char *module, const struct module *mod)
{
	bool not = false;

	if (!module)
		return true;
	if (!mod)
		return false;
	if (*module == '!') {
		not = true;
		module++;
	}
	if (!*module || !strcmp(module, "*"))
		return true;
	return glob_match(module, mod->name) != not;
}

/*
 * Call @fn for each function that @func and @module (NULL: anywhere) mean, until
 * it fails. ftrace_lock.
 *
 * Return: how many there were, or the error of @fn.
 */
int ftrace_match_records(const struct ftrace_pattern *func, const char *module,
			 int (*fn)(unsigned long ip, void *data), void *data)
{
	struct match match = { .func = func, .fn = fn, .data = data };
	struct ftrace_table *table;
	int ret = 0;

	if (module && !strpbrk(module, "*?[!") && *module) {
		struct module *mod;

		rcu_read_lock_sched();
		mod = find_module(module);
		rcu_read_unlock_sched();
		if (!mod)
			return 0;
	}
	for_each_ftrace_table(table) {
		if (!module_matches(module, table->mod))
			continue;
		/* A whole name is in an index of kallsyms: long lists of names come cheap. */
		if (!table->mod && func->type == FTRACE_MATCH_FULL)
			ret = kallsyms_on_each_match_symbol(match_symbol, func->text, &match);
		else
			ret = ftrace_for_each_name_of(table, match_rec, &match);
		if (ret == 1)	/* the line was found */
			break;
		if (ret < 0 && ret != -ESRCH)
			return ret;
	}
	return match.found;
}

/* For a match: into the struct ftrace_hash that @hash is. */
int ftrace_match_add(unsigned long ip, void *hash)
{
	return ftrace_hash_add(hash, ip);
}

static int match_del(unsigned long ip, void *hash)
{
	ftrace_hash_del(hash, ip);
	return 0;
}

/*
 * Put the functions that @func means into @hash, or take them out if it begins with "!".
 * ftrace_lock. Return: as ftrace_match_records().
 */
int ftrace_match_hash(const struct ftrace_pattern *func, struct ftrace_hash *hash)
{
	return ftrace_match_records(func, NULL, func->not ? match_del : ftrace_match_add, hash);
}

/* ftrace_match_records() in one module that has just come. */
int ftrace_match_module(const struct ftrace_pattern *func, const char *module,
			struct module *mod, int (*fn)(unsigned long ip, void *data), void *data)
{
	struct match match = { .func = func, .fn = fn, .data = data };
	struct ftrace_table *table;

	if (!module_matches(module, mod))
		return 0;
	for_each_ftrace_table(table) {
		if (table->mod == mod)
			ftrace_for_each_name_of(table, match_rec, &match);
	}
	return match.found;
}
