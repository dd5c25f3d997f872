// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filter words for modules that are not there yet: FUNC:mod:MODULE waits until the
 * module comes, then its functions go into the filter and the word is gone.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "../sites/sites.h"
#include "filters.h"
#include "../../instance/text.h"

/* A word as it was written; parsing cuts stars off, so there is a copy for that. */
struct waiting {
	struct list_head	list;
	char			*func;
	char			*parsed;	/* text of @pattern */
	struct ftrace_pattern	pattern;
	char			module[];
};

static void waiting_free(struct waiting *w)
{
	kfree(w->func);
	kfree(w->parsed);
	kfree(w);
}

static void waiting_drop(struct waiting *w)
{
	list_del(&w->list);
	waiting_free(w);
}

static struct waiting *waiting_find(struct list_head *mods, const char *func, const char *module)
{
	struct waiting *w;

	list_for_each_entry(w, mods, list) {
		if (!strcmp(w->func, func) && !strcmp(w->module, module))
			return w;
	}
	return NULL;
}

int ftrace_mods_add(struct list_head *mods, const char *func, const char *module)
{
	size_t len = strlen(module) + 1;
	struct waiting *w;

	if (waiting_find(mods, func, module))
		return 0;
	w = kzalloc(struct_size(w, module, len), GFP_KERNEL);
	if (!w)
		return -ENOMEM;
	w->func = kstrdup(func, GFP_KERNEL);
	w->parsed = kstrdup(func, GFP_KERNEL);
	if (!w->func || !w->parsed) {
		waiting_free(w);
		return -ENOMEM;
	}
	ftrace_pattern_parse(w->parsed, &w->pattern);
	memcpy(w->module, module, len);
	list_add_tail(&w->list, mods);
	return 0;
}

/* -ENOENT if nobody waits for it. */
int ftrace_mods_del(struct list_head *mods, const char *func, const char *module)
{
	struct waiting *w = waiting_find(mods, func, module);

	if (!w)
		return -ENOENT;
	waiting_drop(w);
	return 0;
}

bool ftrace_mods_has(struct list_head *mods, const char *func, const char *module)
{
	return waiting_find(mods, func, module);
}

/* Is each word of @mods one of @others, too? */
bool ftrace_mods_within(struct list_head *mods, struct list_head *others)
{
	struct waiting *w;

	list_for_each_entry(w, mods, list) {
		if (!waiting_find(others, w->func, w->module))
			return false;
	}
	return true;
}

/* Drop the words of @gone from @mods. */
void ftrace_mods_subtract(struct list_head *mods, struct list_head *gone)
{
	struct waiting *w;

	list_for_each_entry(w, gone, list)
		ftrace_mods_del(mods, w->func, w->module);
}

/* Move the words of @more to @mods, none of them twice. */
void ftrace_mods_merge(struct list_head *mods, struct list_head *more)
{
	struct waiting *w, *next;

	list_for_each_entry_safe(w, next, more, list) {
		if (waiting_find(mods, w->func, w->module))
			waiting_drop(w);
		else
			list_move_tail(&w->list, mods);
	}
}

void ftrace_mods_free(struct list_head *mods)
{
	struct waiting *w, *next;

	list_for_each_entry_safe(w, next, mods, list)
		waiting_drop(w);
}

/* @mod is here: move what waits for it to @hash. How many functions that were. ftrace_lock */
int ftrace_mods_apply(struct list_head *mods, struct module *mod, struct ftrace_hash *hash)
{
	struct waiting *w, *next;
	int n = 0;

	list_for_each_entry_safe(w, next, mods, list) {
		int found = ftrace_match_module(&w->pattern, w->module, mod, ftrace_match_add,
						hash);

		/* What it did not find memory for it goes on to wait for. */
		if (found > 0) {
			n += found;
			waiting_drop(w);
		}
	}
	return n;
}

void ftrace_mods_show(struct list_head *mods, struct ftrace_text *text)
{
	struct waiting *w;

	list_for_each_entry(w, mods, list)
		ftrace_text_printf(text, "%s:mod:%s\n", w->func, w->module);
}
