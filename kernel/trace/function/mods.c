// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filter words for modules that are not there yet: FUNC:mod:MODULE waits until the
 * module comes, then its functions go into the filter and the word is gone.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "function.h"
#include "text.h"

struct waiting {
	struct list_head	list;
	char			*func;
	char			module[];
};

static void waiting_free(struct waiting *w)
{
	list_del(&w->list);
	kfree(w->func);
	kfree(w);
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
	if (!w->func) {
		kfree(w);
		return -ENOMEM;
	}
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
	waiting_free(w);
	return 0;
}

void ftrace_mods_free(struct list_head *mods)
{
	struct waiting *w, *next;

	list_for_each_entry_safe(w, next, mods, list)
		waiting_free(w);
}

/* @mod is here: move what waits for it to @hash. How many functions that were. ftrace_lock */
int ftrace_mods_apply(struct list_head *mods, struct module *mod, struct ftrace_hash *hash)
{
	struct waiting *w, *next;
	int n = 0;

	list_for_each_entry_safe(w, next, mods, list) {
		struct ftrace_pattern pattern;
		int found;

		ftrace_pattern_parse(w->func, &pattern);
		found = ftrace_match_module(&pattern, w->module, mod, ftrace_match_add, hash);
		if (found > 0) {
			n += found;
			waiting_free(w);
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
