// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of functions that are gone, for as long as a trace may hold their addresses: init
 * functions of modules, until the module goes. kallsyms asks here last.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "sites.h"

struct gone_symbol {
	struct list_head	list;
	struct rcu_head		rcu;
	struct module		*owner;
	unsigned long		start;
	unsigned long		size;
	char			name[];
};

static LIST_HEAD(gone_symbols);		/* added to under ftrace_lock, read under RCU */

/* The text of @rec is about to be freed; without memory its name is lost. ftrace_lock */
void ftrace_symbols_keep(const struct dyn_ftrace *rec, struct module *owner)
{
	unsigned long size, offset;
	struct gone_symbol *gone;
	char *modname, *name;

	name = kmalloc(KSYM_NAME_LEN, GFP_KERNEL);
	if (!name)
		return;
	if (kallsyms_lookup(rec->ip, &size, &offset, &modname, name)) {
		size_t len = strlen(name) + 1;

		gone = kzalloc(struct_size(gone, name, len), GFP_KERNEL);
		if (gone) {
			gone->owner = owner;
			gone->start = rec->ip - offset;
			gone->size = size;
			memcpy(gone->name, name, len);
			/* at an address that another module had before this one is meant */
			list_add_rcu(&gone->list, &gone_symbols);
		}
	}
	kfree(name);
}

void ftrace_symbols_drop(struct module *owner)
{
	struct gone_symbol *gone, *next;

	list_for_each_entry_safe(gone, next, &gone_symbols, list) {
		if (gone->owner != owner)
			continue;
		list_del_rcu(&gone->list);
		kfree_rcu(gone, rcu);
	}
}

#ifdef CONFIG_MODULES
/**
 * ftrace_mod_address_lookup - kallsyms: the name of freed text
 * @addr:       address
 * @size:       set to the size of the function
 * @off:        set to the offset into it
 * @modname:    set to the module's name
 * @modbuildid: set to the module's, if there is room for it
 * @sym:        KSYM_NAME_LEN bytes for the name
 *
 * Context: any.
 * Return: length of the name, 0 if it is not known.
 */
int ftrace_mod_address_lookup(unsigned long addr, unsigned long *size, unsigned long *off,
			      char **modname, const unsigned char **modbuildid, char *sym)
{
	struct gone_symbol *gone;
	int ret = 0;

	preempt_disable();
	list_for_each_entry_rcu(gone, &gone_symbols, list, true) {
		if (addr - gone->start >= gone->size)
			continue;
		*size = gone->size;
		*off = addr - gone->start;
		if (modname)
			*modname = gone->owner->name;
		if (modbuildid)
			*modbuildid = module_buildid(gone->owner);
		ret = strscpy(sym, gone->name, KSYM_NAME_LEN);
		break;
	}
	preempt_enable();
	return ret;
}
#endif

/* The @symnum'th of them, and after those the trampolines: for /proc/kallsyms. */
int ftrace_mod_get_kallsym(unsigned int symnum, unsigned long *value, char *type, char *name,
			   char *module_name, int *exported)
{
	struct gone_symbol *gone;
	int ret = -ERANGE;

	preempt_disable();
	list_for_each_entry_rcu(gone, &gone_symbols, list, true) {
		if (symnum-- > 0)
			continue;
		*value = gone->start;
		strscpy(name, gone->name, KSYM_NAME_LEN);
		strscpy(module_name, module_name(gone->owner), MODULE_NAME_LEN);
		goto found;
	}
	*value = ftrace_nth_trampoline(symnum);
	if (!*value)
		goto out;
	strscpy(name, FTRACE_TRAMPOLINE_SYM, KSYM_NAME_LEN);
	strscpy(module_name, "__builtin__ftrace", MODULE_NAME_LEN);
found:
	*type = 't';
	*exported = 0;
	ret = 0;
out:
	preempt_enable();
	return ret;
}
