// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which functions does a word of a filter mean?
 *
 * A name, a name with a * in front, behind or at both ends, a glob, or a number:
 * the line of available_filter_functions. A leading ! takes away what matches.
 */
#include <linux/ctype.h>
#include <linux/kallsyms.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../modules.h"
#include "../sites/sites.h"
#include "filters.h"

/* Sorts out @text, which is changed and must stay as long as @pattern. */
void ftrace_pattern_parse(char *text, struct ftrace_pattern *pattern)
{
	*pattern = (struct ftrace_pattern) { .not = *text == '!' };
	text += pattern->not;
	pattern->by_index = isdigit(*text) && !kstrtoul(text, 0, &pattern->index);
	trace_glob_parse(&pattern->glob, text, strlen(text));
	/* the star behind it */
	text[pattern->glob.text - text + pattern->glob.len] = '\0';
}

/* Does it mean a function of the name @name, @len bytes? */
bool ftrace_pattern_match(const struct ftrace_pattern *pattern, const char *name, size_t len)
{
	return !pattern->by_index && trace_glob_match(&pattern->glob, name, len);
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

	if (match->func->by_index) {
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
	if (!rec || !ftrace_rec_usable(rec) || !ftrace_rec_is_of(rec, addr))
		return 0;
	return match_hit(match, rec->ip);
}

/*
 * Does the filter's module part mean @mod, NULL for the kernel? All there is if the filter has
 * none, and with a ! in front all but these modules: so the kernel for "!*".
 */
static bool module_matches(const char *module, struct module *mod)
{
	const char *name = module_name(mod);
	bool not;

	if (!module)
		return true;
	not = *module == '!';
	module += not;
	/* none is any */
	return (mod && (!*module || trace_glob(module, name, strlen(name)))) != not;
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

	if (module && !strpbrk(module, "*?[!") && *module && !trace_module_is_here(module))
		return 0;
	for_each_ftrace_table(table) {
		if (!module_matches(module, table->mod))
			continue;
		/* A whole name is in an index of kallsyms: long lists of names come cheap. */
		if (!table->mod && ftrace_pattern_is_name(func))
			ret = kallsyms_on_each_match_symbol(match_symbol, func->glob.text, &match);
		else
			ret = ftrace_for_each_name_of(table, NULL, match_rec, &match);
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

/*
 * The functions that @func and @module mean, in a hash of their own, which the caller frees; it is
 * empty if there are none. ftrace_lock.
 *
 * Return: the hash, or ERR_PTR() of what ftrace_match_records() says.
 */
struct ftrace_hash *ftrace_match_all(const struct ftrace_pattern *func, const char *module)
{
	struct ftrace_hash *hash = ftrace_hash_alloc(0);
	int ret;

	if (!hash)
		return ERR_PTR(-ENOMEM);
	ret = ftrace_match_records(func, module, ftrace_match_add, hash);
	if (ret >= 0)
		return hash;
	ftrace_hash_free(hash);
	return ERR_PTR(ret);
}

/*
 * What the lines of available_filter_functions mean, for who asks for thousands of them: libtracefs
 * looks for its functions in that file, and writes one number after the other.
 */
struct ftrace_lines {
	unsigned int	nr;
	unsigned long	ips[];
};

static int line_add(struct dyn_ftrace *rec, const char *name, unsigned int len,
		    struct module *mod, void *data)
{
	struct ftrace_lines *lines = data;

	lines->ips[lines->nr++] = rec->ip;
	return 0;
}

/*
 * The lines as they are now; kvfree() them when text comes or goes. ftrace_lock. Return: NULL
 * without memory.
 */
struct ftrace_lines *ftrace_lines_read(void)
{
	struct ftrace_lines *lines;
	struct ftrace_table *table;
	size_t max = 0;

	for_each_ftrace_table(table)
		max += table->nr;
	lines = kvmalloc(struct_size(lines, ips, max), GFP_KERNEL);
	if (!lines)
		return NULL;
	lines->nr = 0;
	ftrace_for_each_name(NULL, line_add, lines);
	return lines;
}

/* The function of line @n, from 1; 0: there is none. */
unsigned long ftrace_line(const struct ftrace_lines *lines, unsigned long n)
{
	return n && n <= lines->nr ? lines->ips[n - 1] : 0;
}

/* ftrace_match_records() in one module that has just come; an error comes with some of it done. */
int ftrace_match_module(const struct ftrace_pattern *func, const char *module,
			struct module *mod, int (*fn)(unsigned long ip, void *data), void *data)
{
	struct match match = { .func = func, .fn = fn, .data = data };
	struct ftrace_table *table;
	int ret = 0;

	if (!module_matches(module, mod))
		return 0;
	for_each_ftrace_table(table) {
		if (table->mod == mod)
			ret = ftrace_for_each_name_of(table, NULL, match_rec, &match);
	}
	return ret < 0 && ret != -ESRCH ? ret : match.found;
}
