// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call sites: a record for each function that can be traced.
 *
 * The compiler lists the sites in a section of the kernel and of every module. From each list
 * comes a table: an array of records sorted by address, searched by halves, and
 * replaced as a whole when text goes away (init functions). Lookups need no
 * lock, the tables are freed after a grace period.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>

#include <asm/sections.h>

#include "sites.h"

/* from the linker */
extern unsigned long __start_mcount_loc[], __stop_mcount_loc[];

LIST_HEAD(ftrace_tables);

const struct ftrace_sites_user *ftrace_sites_user;

void __init ftrace_sites_user_register(const struct ftrace_sites_user *user)
{
	ftrace_sites_user = user;
}

/* Between initcalls and the end of the boot there is one more: init text. */
static struct ftrace_table kernel_table;

static int rec_cmp(const void *a, const void *b)
{
	const struct dyn_ftrace *x = a, *y = b;

	return x->ip < y->ip ? -1 : x->ip > y->ip;
}

static struct dyn_ftrace *table_search(const struct ftrace_table *table, unsigned long start,
				       unsigned long end)
{
	struct dyn_ftrace *recs = READ_ONCE(table->recs);
	unsigned int low = 0, high = READ_ONCE(table->nr);

	/* the first record that is not below @start */
	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (recs[mid].ip < start)
			low = mid + 1;
		else
			high = mid;
	}
	/* Somebody else's text may be where that of dead ones was. */
	while (low < table->nr && recs[low].flags & FTRACE_REC_DEAD)
		low++;
	if (low < table->nr && recs[low].ip <= end)
		return &recs[low];
	return NULL;
}

/**
 * ftrace_lookup_rec - the first call site in a range of addresses
 * @start: first address
 * @end:   last address
 *
 * Context: any. The caller holds ftrace_lock or keeps preemption off while it uses the record.
 * Return: the record or NULL.
 */
struct dyn_ftrace *ftrace_lookup_rec(unsigned long start, unsigned long end)
{
	struct ftrace_table *table;
	struct dyn_ftrace *rec;

	/* Tables are freed after a grace period of RCU: it has to watch who looks. */
	for (table = list_entry_lockless(ftrace_tables.next, struct ftrace_table, list);
	     &table->list != &ftrace_tables;
	     table = list_entry_lockless(table->list.next, struct ftrace_table, list)) {
		rec = table_search(table, start, end);
		if (rec)
			return rec;
	}
	return NULL;
}

/**
 * ftrace_location_range - is there a call site in a range?
 * @start: first address
 * @end:   last address
 *
 * Context: any.
 * Return: its address or 0.
 */
unsigned long ftrace_location_range(unsigned long start, unsigned long end)
{
	struct dyn_ftrace *rec;
	unsigned long ip;

	preempt_disable_notrace();
	rec = ftrace_lookup_rec(start, end);
	ip = rec ? rec->ip : 0;
	preempt_enable_notrace();
	return ip;
}

/**
 * ftrace_location - the call site of a function
 * @ip: the site itself, or the address of a function
 *
 * A function's first instructions come before its site, so its address is taken for the site's.
 *
 * Context: any in which kallsyms_lookup_size_offset() may be called.
 * Return: address of the site, 0 if @ip is neither.
 */
unsigned long ftrace_location(unsigned long ip)
{
	unsigned long loc = ftrace_location_range(ip, ip);
	unsigned long offset, size;

	if (loc || !kallsyms_lookup_size_offset(ip, &size, &offset))
		return loc;
	if (offset)
		return 0;
	return ftrace_location_range(ip, ip + size - 1);
}

/**
 * ftrace_text_reserved - does a range touch a call site?
 * @start: first byte
 * @end:   last byte
 *
 * Context: any.
 * Return: 1 if it does, else 0.
 */
int ftrace_text_reserved(const void *start, const void *end)
{
	unsigned long from = (unsigned long)start;

	return ftrace_location_range(from - MCOUNT_INSN_SIZE + 1, (unsigned long)end) != 0;
}

void ftrace_count_tables(struct ftrace_totals *totals)
{
	struct ftrace_table *table;

	*totals = (struct ftrace_totals) {};
	for_each_ftrace_table(table) {
		totals->tables++;
		totals->sites += table->nr;
		totals->bytes += table->nr * sizeof(struct dyn_ftrace);
	}
}

static void table_free(struct rcu_head *rcu)
{
	struct ftrace_table *table = container_of(rcu, struct ftrace_table, rcu);

	kvfree(table->recs);
	if (table != &kernel_table)
		kfree(table);
}

/*
 * Fill @table from the addresses of a section. The text of a module is not
 * executable yet and that of the kernel runs on one CPU: ftrace_init_nop() may
 * write it as it likes.
 */
static int table_fill(struct ftrace_table *table, struct module *mod,
		      const unsigned long *sites, unsigned int count)
{
	struct dyn_ftrace *rec;
	unsigned int i, n = 0;
	bool sorted = true;
	int ret;

	table->mod = mod;
	table->recs = kvcalloc(count, sizeof(*table->recs), GFP_KERNEL);
	if (!table->recs)
		return -ENOMEM;

	for (i = 0; i < count; i++) {
		unsigned long ip = 0;

		/*
		 * A linker that drops a function may leave its entry behind: as 0, which the
		 * kernel's relocation then moves to where no text is.
		 */
		if (mod ? sites[i] != 0 : core_kernel_text(sites[i]))
			ip = ftrace_call_adjust(sites[i]);
		if (!ip)
			continue;
		rec = &table->recs[n++];
		rec->ip = ip;
		if (mod)
			rec->flags = FTRACE_FL_DISABLED;
		if (n > 1 && rec[-1].ip > ip)
			sorted = false;
	}
	/* Those of a module are as its linker has left them. */
	if (IS_ENABLED(CONFIG_FTRACE_SORT_STARTUP_TEST) && !mod) {
		WARN(!sorted, "Testing ftrace call sites: FAILED: they are not in order\n");
		if (sorted)
			pr_info("Testing ftrace call sites: PASSED (%u)\n", n);
	}
	if (!sorted)
		sort(table->recs, n, sizeof(*table->recs), rec_cmp, NULL);
	table->nr = n;

	if (ftrace_need_init_nop()) {
		for_each_table_rec(rec, table) {
			ret = ftrace_init_nop(mod, rec);
			if (ret) {
				ftrace_bug_type = FTRACE_BUG_INIT;
				ftrace_bug(ret, rec);
				return ret;
			}
		}
	}
	return 0;
}

/*
 * The text of @rec is freed: keep its name for traces that hold its address, as that of a call or
 * of who made one, and let go of its ops. The kernel's own are known to kallsyms for good.
 */
static void forget_text(struct module *mod, struct dyn_ftrace *rec)
{
	if (mod && (rec->flags & FTRACE_FL_TOUCHED ||
		    rcu_access_pointer(ftrace_ops_list) != &ftrace_list_end))
		ftrace_symbols_keep(rec, mod);
	ftrace_set_put(rec->set, 1);
	rec->set = NULL;
}

/* Take the records of [@start, @end) out of @table. ftrace_lock */
static void table_cut(struct ftrace_table *table, unsigned long start, unsigned long end)
{
	struct ftrace_table *rest;
	unsigned int n = 0, gone = 0;
	struct dyn_ftrace *rec;

	for_each_table_rec(rec, table)
		gone += rec->ip >= start && rec->ip < end;
	if (!gone)
		return;

	rest = kzalloc(sizeof(*rest), GFP_KERNEL);
	if (rest)
		rest->recs = kvcalloc(max(table->nr - gone, 1U), sizeof(*rec), GFP_KERNEL);
	for_each_table_rec(rec, table) {
		if (rec->ip >= start && rec->ip < end) {
			forget_text(table->mod, rec);
			/* Should there be no memory for the rest, they stay, as dead ones. */
			rec->flags = FTRACE_FL_DISABLED | FTRACE_REC_DEAD;
			rec->target = 0;
		} else if (rest && rest->recs) {
			rest->recs[n++] = *rec;
		}
	}
	ftrace_forget_range(start, end);
	if (!rest || !rest->recs) {
		kfree(rest);
		return;
	}
	rest->nr = n;
	rest->mod = table->mod;
	list_replace_rcu(&table->list, &rest->list);
	call_rcu(&table->rcu, table_free);
}

static struct ftrace_table *table_of(struct module *mod)
{
	struct ftrace_table *table;

	for_each_ftrace_table(table) {
		if (table->mod == mod)
			return table;
	}
	return NULL;
}

/*
 * A function that was freed may be in a trampoline on its way to a callback, but nobody
 * traces it from here on: its text is gone already.
 */
void ftrace_free_mem(struct module *mod, void *start_ptr, void *end_ptr)
{
	struct ftrace_table *table;

	mutex_lock(&ftrace_lock);
	table = table_of(mod);
	if (table)
		table_cut(table, (unsigned long)start_ptr, (unsigned long)end_ptr);
	ftrace_sets_reap();
	mutex_unlock(&ftrace_lock);
}

void __init ftrace_free_init_mem(void)
{
	ftrace_boot_snapshot();
	ftrace_free_mem(NULL, &__init_begin, &__init_end);
}

#ifdef CONFIG_MODULES

/* The module's text is writable and nobody runs it. Without a table its functions go untraced. */
void ftrace_module_init(struct module *mod)
{
	struct ftrace_table *table;
	int ret;

	if (ftrace_disabled || !mod->num_ftrace_callsites)
		return;
	table = kzalloc(sizeof(*table), GFP_KERNEL);
	mutex_lock(&ftrace_lock);
	ret = table ? table_fill(table, mod, mod->ftrace_callsites, mod->num_ftrace_callsites) :
		      -ENOMEM;
	if (ret) {
		pr_warn("ftrace: functions of module %s cannot be traced (%d)\n", mod->name, ret);
		if (table)
			kvfree(table->recs);
		kfree(table);
	} else {
		list_add_tail_rcu(&table->list, &ftrace_tables);
	}
	mutex_unlock(&ftrace_lock);
}

/* The text is final and about to run: give each site what the registered ops want. */
void ftrace_module_enable(struct module *mod)
{
	struct ftrace_table *table;
	struct dyn_ftrace *rec;
	bool any = false;
	int broken = 0;

	mutex_lock(&ftrace_lock);
	table = ftrace_disabled ? NULL : table_of(mod);
	if (table) {
		for_each_table_rec(rec, table)
			rec->flags &= ~FTRACE_FL_DISABLED;
		if (ftrace_sites_user)
			ftrace_sites_user->module(mod);
		if (ftrace_table_attach(table))
			pr_warn_once("ftrace: out of memory: module %s is not traced as asked\n",
				     mod->name);
		ftrace_text_begin();
		for_each_table_rec(rec, table) {
			if (!rec->set)
				continue;
			any = true;
			broken = ftrace_update_one(rec);
			if (broken)
				break;
		}
		ftrace_text_end();
		/* The sites behind a broken one were not switched on: they lose their ops. */
		if (broken)
			ftrace_sites_reduce();
		else if (any)
			ftrace_sets_reap();
	}
	mutex_unlock(&ftrace_lock);
}

/*
 * Loading failed or the module goes. Its text may still be run: delete_module() waits for its
 * asynchronous functions after this, and files of its parameters are there until later.
 */
void ftrace_release_mod(struct module *mod)
{
	struct ftrace_table *table;

	mutex_lock(&ftrace_lock);
	ftrace_symbols_drop(mod);
	table = table_of(mod);
	if (table) {
		ftrace_table_detach(table);
		list_del_rcu(&table->list);
		for_each_mod_mem_type(type) {
			unsigned long base = (unsigned long)mod->mem[type].base;

			if (mod_mem_type_is_text(type))
				ftrace_forget_range(base, base + mod->mem[type].size);
		}
		call_rcu(&table->rcu, table_free);
		ftrace_sets_reap();
	}
	mutex_unlock(&ftrace_lock);
}

#endif /* CONFIG_MODULES */

/* Architectures that have something to prepare before the first site is touched say so. */
int __init __weak ftrace_dyn_arch_init(void)
{
	return 0;
}

/*
 * The kernel's own sites. Early in the boot, one CPU, interrupts on; the text is still
 * writable or the architecture knows how to write it.
 */
void __init ftrace_init(void)
{
	unsigned int count = __stop_mcount_loc - __start_mcount_loc;
	unsigned long flags;
	int ret;

	local_irq_save(flags);
	ret = ftrace_dyn_arch_init();
	local_irq_restore(flags);
	if (!ret && !count)
		ret = -ENOENT;

	mutex_lock(&ftrace_lock);
	if (!ret)
		ret = table_fill(&kernel_table, NULL, __start_mcount_loc, count);
	if (ret)
		ftrace_kill();
	else
		list_add_rcu(&kernel_table.list, &ftrace_tables);
	mutex_unlock(&ftrace_lock);

	if (ret) {
		pr_warn("ftrace: function tracing is off (%d)\n", ret);
		return;
	}
	pr_info("ftrace: %u functions, %zu kB of records\n", kernel_table.nr,
		kernel_table.nr * sizeof(struct dyn_ftrace) / 1024);
}
