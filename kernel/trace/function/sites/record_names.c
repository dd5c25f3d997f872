// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions by name, all of them in one go.
 *
 * A symbol is looked up by walking over compressed names, so asking for 22,000
 * names one by one costs more than reading all symbols once, in the order of
 * their addresses, beside the records, which are sorted too. Who wants few of them asks for those.
 */
#include <linux/bsearch.h>
#include <linux/kallsyms.h>
#include <linux/lockdep.h>
#include <linux/module.h>

#include "sites.h"

/*
 * A lookup takes what the walk takes for 6 symbols, and a few times that if nothing is in the
 * caches. Even a small kernel has tens of thousands: looking up so many is never dearer.
 */
#define FEW_NAMES	1000

/* The name of one function, at least KSYM_NAME_LEN bytes; false if its text has none. */
static bool ftrace_rec_name(const struct dyn_ftrace *rec, char *name)
{
	unsigned long size, offset;
	char *modname;

	return kallsyms_lookup(rec->ip, &size, &offset, &modname, name) &&
	       ftrace_rec_is_of(rec, rec->ip - offset);
}

struct walk {
	struct ftrace_table	*table;
	unsigned int		index;
	unsigned long		start;		/* address of @name */
	unsigned int		len;
	ftrace_want_fn		want;
	ftrace_name_fn		fn;
	void			*data;
	char			name[KSYM_NAME_LEN];
};

static bool walk_wants(const struct walk *walk, const struct dyn_ftrace *rec)
{
	return ftrace_rec_usable(rec) && (!walk->want || walk->want(rec, walk->data));
}

static bool walk_wants_many(const struct walk *walk)
{
	const struct dyn_ftrace *rec;
	unsigned int n = 0;

	for_each_table_rec(rec, walk->table) {
		if (walk_wants(walk, rec) && ++n > FEW_NAMES)
			return true;
	}
	return false;
}

static int walk_call(struct walk *walk, struct dyn_ftrace *rec)
{
	if (!walk_wants(walk, rec) || !ftrace_rec_is_of(rec, walk->start))
		return 0;
	return walk->fn(rec, walk->name, walk->len, walk->table->mod, walk->data);
}

/* The records below @end are those of the symbol before. */
static int walk_until(struct walk *walk, unsigned long end)
{
	while (walk->index < walk->table->nr) {
		struct dyn_ftrace *rec = &walk->table->recs[walk->index];
		int ret;

		if (rec->ip >= end)
			break;
		walk->index++;
		if (!walk->len || rec->ip < walk->start)
			continue;
		ret = walk_call(walk, rec);
		if (ret)
			return ret;
	}
	return 0;
}

static int walk_symbol(void *data, const char *name, unsigned long addr)
{
	struct walk *walk = data;
	int ret;

	/* Of several names of an address the first counts, as in kallsyms_lookup(). */
	if (addr <= walk->start)
		return 0;
	ret = walk_until(walk, addr);
	if (ret)
		return ret;
	if (walk->index == walk->table->nr)
		return 1;
	walk->start = addr;
	walk->len = strscpy(walk->name, name, sizeof(walk->name));
	return 0;
}

/*
 * Call @fn for the functions of @table that @want chooses (NULL: all) in the order of their
 * addresses until it returns not 0. @want is asked before any name is looked for, more than once.
 * ftrace_lock; task context.
 */
int ftrace_for_each_name_of(struct ftrace_table *table, ftrace_want_fn want, ftrace_name_fn fn,
			    void *data)
{
	/* Large for a stack; and a list that has no memory for it would look as if it ended. */
	static struct walk the_walk;
	struct walk *walk = &the_walk;
	struct dyn_ftrace *rec;
	int ret = 0;

	lockdep_assert_held(&ftrace_lock);
	memset(walk, 0, offsetof(struct walk, name));
	walk->table = table;
	walk->want = want;
	walk->fn = fn;
	walk->data = data;

	if (!table->mod && walk_wants_many(walk)) {
		ret = kallsyms_on_each_symbol(walk_symbol, walk);
		if (!ret)
			ret = walk_until(walk, ULONG_MAX);
		else if (walk->index == table->nr && ret == 1)
			ret = 0;
		return ret;
	}
	for_each_table_rec(rec, table) {
		if (!walk_wants(walk, rec))
			continue;
		/* for each name all symbols of a module are looked at */
		cond_resched();
		if (!ftrace_rec_name(rec, walk->name))
			continue;
		ret = fn(rec, walk->name, strlen(walk->name), table->mod, data);
		if (ret)
			return ret;
	}
	return 0;
}

/* The same for the kernel and then each module. */
int ftrace_for_each_name(ftrace_want_fn want, ftrace_name_fn fn, void *data)
{
	struct ftrace_table *table;
	int ret;

	for_each_ftrace_table(table) {
		ret = ftrace_for_each_name_of(table, want, fn, data);
		if (ret)
			return ret;
	}
	return 0;
}

struct by_name {
	const char	**names;
	unsigned long	*addrs;
	size_t		count;
	size_t		found;
};

static int name_cmp(const void *key, const void *elem)
{
	return strcmp(*(const char **)key, *(const char **)elem);
}

static int lookup_one(void *data, const char *name, unsigned long addr)
{
	struct by_name *want = data;
	const char **hit;

	hit = bsearch(&name, want->names, want->count, sizeof(*want->names), name_cmp);
	if (!hit || want->addrs[hit - want->names] || !ftrace_location(addr))
		return 0;
	want->addrs[hit - want->names] = addr;
	return ++want->found == want->count;
}

static int lookup_module_one(void *data, const char *name, unsigned long addr)
{
	return lookup_one(data, name, addr);
}

/**
 * ftrace_lookup_symbols - the addresses of many functions
 * @sorted_syms: names, sorted, none twice
 * @cnt:	 how many
 * @addrs:	 where their addresses go, zeroed by this function
 *
 * Context: task, sleeps.
 * Return: 0 if all are found and can be traced, -ESRCH otherwise.
 */
int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt, unsigned long *addrs)
{
	struct by_name want = { .names = sorted_syms, .addrs = addrs, .count = cnt };

	memset(addrs, 0, cnt * sizeof(*addrs));
	if (kallsyms_on_each_symbol(lookup_one, &want) < 0)
		return -ESRCH;
	if (want.found < cnt)
		module_kallsyms_on_each_symbol(NULL, lookup_module_one, &want);
	return want.found == cnt ? 0 : -ESRCH;
}
