/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call sites: what is known of them, and what they call.
 *
 * From the bottom up: records.c keeps a record for each call site; hash.c sets of addresses;
 * trampolines.c entry code of ops and sets; sets.c the sets of ops that sites call; pass.c decides
 * which site calls which set; update.c has the text patched; ops.c registers ops, and enabled.c has
 * the switch for all of them. Above this room are the graph core and, above that, filters by name.
 *
 * Locks, outer first: direct_mutex, trace_types_lock, ftrace_lock. ftrace_lock guards records,
 * hashes, ops and the text of call sites. Nothing at run time takes it: a call
 * finds its ops in memory that is freed after RCU tasks grace periods.
 */
#ifndef _KERNEL_TRACE_FUNCTION_SITES_H
#define _KERNEL_TRACE_FUNCTION_SITES_H

#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/mutex.h>

struct dentry;
struct trace_array;

/* ---- for all rooms: records, hashes, sets, ops that are put on sites, changed, or kept ---- */

extern struct mutex ftrace_lock;

/* Set when patching went wrong: no site is switched on any more, for ever. */
extern bool ftrace_disabled;

/* ftrace_lock: text that cannot be written. What it calls can never be freed. */
extern bool ftrace_text_stuck;

/**
 * struct ftrace_table - the call sites of the kernel or of a module
 * @list:	in ftrace_tables; the kernel's is first
 * @mod:	NULL for the kernel
 * @nr:		records
 * @recs:	sorted by address; memory of its own
 * @rcu:	lookups run under RCU or with preemption off
 */
struct ftrace_table {
	struct list_head	list;
	struct module		*mod;
	unsigned int		nr;
	struct dyn_ftrace	*recs;
	struct rcu_head		rcu;
};

/* records.c */
extern struct list_head ftrace_tables;

#define for_each_ftrace_table(table)	\
	list_for_each_entry(table, &ftrace_tables, list)

#define for_each_table_rec(rec, table)	\
	for (rec = (table)->recs; rec < (table)->recs + (table)->nr; rec++)

/* A site that may be patched: not in a module that is still loading, not found broken. */
static inline bool ftrace_rec_usable(const struct dyn_ftrace *rec)
{
	return !(rec->flags & FTRACE_FL_DISABLED);
}

/*
 * Is it the site of the function that begins at @start? It is not, where a weak function that was
 * overridden lies behind: the text is there, and has no symbol of its own.
 */
static inline bool ftrace_rec_is_of(const struct dyn_ftrace *rec, unsigned long start)
{
#ifdef FTRACE_MCOUNT_MAX_OFFSET
	return rec->ip - start <= FTRACE_MCOUNT_MAX_OFFSET;
#else
	return true;
#endif
}

/* Any context. The record stays while preemption is off or ftrace_lock held. */
struct dyn_ftrace *ftrace_lookup_rec(unsigned long start, unsigned long end);

/**
 * struct ftrace_hash - a set of addresses
 * @bits:	log2 of the number of slots
 * @count:	how many addresses
 * @used:	slots that are not free: those of addresses and of deleted ones
 * @slots:	an address, FTRACE_SLOT_FREE or FTRACE_SLOT_DELETED each
 *
 * Open addressing, a power of two, at most half full. As a filter: NULL chooses
 * every function, an empty one none. As a notrace list both choose none. Guarded by ftrace_lock
 * unless it is not yet or no longer visible.
 */
struct ftrace_hash {
	unsigned int	bits;
	unsigned int	count;
	unsigned int	used;
	unsigned long	*slots;
};

extern struct ftrace_hash ftrace_hash_none;

struct ftrace_hash *ftrace_hash_alloc(unsigned int expected);
struct ftrace_hash *ftrace_hash_dup(const struct ftrace_hash *hash);
void ftrace_hash_free(struct ftrace_hash *hash);
int ftrace_hash_add(struct ftrace_hash *hash, unsigned long ip);
int ftrace_hash_reserve(struct ftrace_hash *hash, unsigned int n);
bool ftrace_hash_del(struct ftrace_hash *hash, unsigned long ip);
bool ftrace_hash_has(const struct ftrace_hash *hash, unsigned long ip);
unsigned int ftrace_hash_del_range(struct ftrace_hash *hash, unsigned long start,
				   unsigned long end);

#define FTRACE_SLOT_FREE	0UL
#define FTRACE_SLOT_DELETED	1UL

#define for_each_ftrace_hash_ip(ip, hash, i)				\
	for (i = 0; i < (1U << (hash)->bits); i++)			\
		if (((ip) = (hash)->slots[i]) > FTRACE_SLOT_DELETED)

static inline bool ftrace_hash_empty(const struct ftrace_hash *hash)
{
	return !hash || !hash->count;
}

/**
 * struct ftrace_op_set - what a call site calls
 * @caller:	what the literal of a site holds when one ops is not enough; first
 * @node:	in the table of all sets
 * @reap:	to be freed
 * @trampolines: if @caller has one, among all that have
 * @key:	hash of @ops
 * @users:	records; ftrace_lock
 * @rec_flags:	FTRACE_FL_* that its records get
 * @target:	ops to put into the literal: the only one, or @caller
 * @nr:		ops
 * @nr_gone:	of them: unregistered without memory for another set, ftrace_gone_ops now
 * @nr_call:	entries of @call
 * @nr_graph:	entries of @graph
 * @ops:	in the order of ftrace_ops_list: who came last is the first
 * @call:	what runs at the entry, in order; the last one is of the graph if no other is
 * @graph:	the fgraph_ops among @ops if they are several; they run at once, behind @call
 *
 * Sites with the same ops share a set, so there are few. It never changes but for @users,
 * @trampolines, and what ftrace_set_retire() and ftrace_set_grown() do. An ops in a set of a live
 * site is registered.
 */
struct ftrace_op_set {
	struct ftrace_ops	caller;
	struct hlist_node	node;
	struct list_head	reap;
	struct list_head	trampolines;
	u32			key;
	unsigned int		users;
	unsigned long		rec_flags;
	struct ftrace_ops	*target;
	unsigned int		nr;
	unsigned int		nr_gone;
	unsigned int		nr_call;
	unsigned int		nr_graph;
	struct ftrace_ops	**ops;
	struct ftrace_ops	**call;
	struct fgraph_ops	**graph;
};

extern struct ftrace_ops ftrace_gone_ops;
/* the same among users of the graph; set by who knows what the graph is, before there is one */
extern struct fgraph_ops *ftrace_graph_nobody;

/**
 * struct ftrace_joint - ops that can be called all at once
 * @owns: is it one of them? ftrace_lock
 * @func: called once for a set that has several of them and no others, with its ->caller
 *
 * @func runs those in ->call. It looks at the func of each: that may have changed since, and what
 * stands in for an ops that was retired is called as any other.
 */
struct ftrace_joint {
	bool		(*owns)(const struct ftrace_ops *ops);
	ftrace_func_t	func;
};

void ftrace_joint_register(const struct ftrace_joint *joint);	/* sets.c; boot, once */

static inline struct ftrace_op_set *ftrace_op_to_set(struct ftrace_ops *op)
{
	return container_of(op, struct ftrace_op_set, caller);
}

/* sets.c, trampolines.c; ftrace_lock */
void ftrace_set_retire(struct ftrace_op_set *set, struct ftrace_ops *op);
void ftrace_ops_drop_trampoline(struct ftrace_ops *ops);

/* pass.c; ftrace_lock: would @ops, if it runs, see @ip? */
bool ftrace_ops_match(const struct ftrace_ops *ops, unsigned long ip);

/* ops.c; ftrace_lock */
void ftrace_ops_init(struct ftrace_ops *ops);
int ftrace_startup(struct ftrace_ops *ops);
int ftrace_shutdown_nosync(struct ftrace_ops *ops);
void ftrace_ops_sync(void);

/* ops.c; takes ftrace_lock */
int ftrace_take_off(struct ftrace_ops *ops);
void ftrace_ops_change(struct ftrace_ops *ops, ftrace_func_t func);
bool ftrace_ops_keep(struct ftrace_ops *ops);

/**
 * struct ftrace_sites_user - who has functions in mind that no registered ops has chosen
 * @module: the functions of a module are there
 * @forget: text between two addresses goes away
 *
 * Both with ftrace_lock held.
 */
struct ftrace_sites_user {
	void	(*module)(struct module *mod);
	void	(*forget)(unsigned long start, unsigned long end);
};

void ftrace_sites_user_register(const struct ftrace_sites_user *user);	/* records.c; boot, once */

/*
 * enabled.c; boot, once. @fn is told before ftrace_enabled becomes 0, and when it is 1. It is for
 * who has PERMANENT ops and can do without them. Task, no lock.
 */
void ftrace_sites_switch_register(void (*fn)(bool on));

/* the hashes in force; ftrace_lock, or the ops is not registered */
static inline struct ftrace_hash *ftrace_ops_filter(const struct ftrace_ops *ops)
{
	return ops->func_hash ?
		rcu_dereference_protected(ops->func_hash->filter_hash, true) : NULL;
}

static inline struct ftrace_hash *ftrace_ops_notrace(const struct ftrace_ops *ops)
{
	return ops->func_hash ?
		rcu_dereference_protected(ops->func_hash->notrace_hash, true) : NULL;
}

/* filter.c */
int ftrace_hash_install(struct ftrace_ops *ops, struct ftrace_hash *hash, bool exclude);
int ftrace_hashes_install(struct ftrace_ops *ops, struct ftrace_hash *filter,
			  struct ftrace_hash *exclude);
void ftrace_filter_reduced(struct ftrace_ops *ops);
struct ftrace_hash *ftrace_hash_to_change(struct ftrace_ops *ops, bool exclude, bool reset);

/* record_names.c */
typedef bool (*ftrace_want_fn)(const struct dyn_ftrace *rec, void *data);
typedef int (*ftrace_name_fn)(struct dyn_ftrace *rec, const char *name, unsigned int len,
			      struct module *mod, void *data);
int ftrace_for_each_name(ftrace_want_fn want, ftrace_name_fn fn, void *data);
int ftrace_for_each_name_of(struct ftrace_table *table, ftrace_want_fn want, ftrace_name_fn fn,
			    void *data);

/* lists.c, recursed_functions.c: files of the top level */
void function_list_files(struct trace_array *tr, struct dentry *dir);
#ifdef CONFIG_FTRACE_RECORD_RECURSION
void function_recursion_file(struct dentry *dir);
#else
static inline void function_recursion_file(struct dentry *dir) { }
#endif

/* ---- from here on between the files of function/sites/, and for their tests ---- */

/* In dyn_ftrace.flags, beside FTRACE_FL_*: the set is not the one that the text was made for. */
#define FTRACE_REC_STALE	BIT(32)

/* Its text has gone, and there was no memory to take it out: nothing is found there. */
#define FTRACE_REC_DEAD		BIT(33)

/* What kallsyms and perf call entry code that belongs to an ops. */
#define FTRACE_TRAMPOLINE_SYM	"ftrace_trampoline"

struct ftrace_totals {
	unsigned long	sites;
	unsigned long	bytes;
	unsigned int	tables;
};

void ftrace_count_tables(struct ftrace_totals *totals);

/* hash.c */
unsigned long *ftrace_hash_slots(unsigned int bits);

/* trampolines.c; ftrace_lock */
void ftrace_ops_update_trampoline(struct ftrace_ops *ops);
bool ftrace_set_trampolines_full(void);
void ftrace_set_make_trampoline(struct ftrace_op_set *set);
void ftrace_set_hide_trampoline(struct ftrace_op_set *set);
unsigned long ftrace_nth_trampoline(unsigned int n);	/* preemption off, no lock */

/* sets.c; ftrace_lock */
struct ftrace_op_set *ftrace_set_alloc(unsigned int nr);
bool ftrace_set_is(const struct ftrace_op_set *set, struct ftrace_ops **ops, unsigned int nr);
struct ftrace_op_set *ftrace_set_of(struct ftrace_ops **ops, unsigned int nr, bool must);
bool ftrace_set_grown(struct ftrace_op_set *set);
void ftrace_set_get(struct ftrace_op_set *set, unsigned int n);
void ftrace_set_put(struct ftrace_op_set *set, unsigned int n);
void ftrace_sets_reap(void);
void notrace ftrace_set_call(struct ftrace_op_set *set, unsigned long ip, unsigned long parent_ip,
			     struct ftrace_regs *fregs);

/* Entry code for the sites of @set: that of its only ops, or that made for all of them; or 0. */
static inline unsigned long ftrace_set_trampoline(const struct ftrace_op_set *set)
{
	return set->nr == 1 ? set->ops[0]->trampoline : set->caller.trampoline;
}

/* enabled.c; ftrace_lock: what the sites obey */
extern int ftrace_enabled_now;
int ftrace_enabled_set(int value);

/* pass.c; ftrace_lock */
int ftrace_pass_make_room(unsigned int nr);
int ftrace_sites_ops_comes(const struct ftrace_ops *ops);
void ftrace_sites_ops_goes(const struct ftrace_ops *ops);
bool ftrace_sites_patch(void);
int ftrace_sites_update(void);
int ftrace_sites_filter_changed(const struct ftrace_ops *ops, const struct ftrace_hash *filter,
				const struct ftrace_hash *exclude);
void ftrace_sites_settle(int ret);
void ftrace_sites_reduce(void);
void ftrace_sites_filter_reduced(const struct ftrace_ops *ops);
void ftrace_sites_repatch(void);
int ftrace_table_attach(struct ftrace_table *table);
void ftrace_table_detach(struct ftrace_table *table);

/* ops.c; ftrace_lock */
int ftrace_shutdown(struct ftrace_ops *ops);
void ftrace_forget_range(unsigned long start, unsigned long end);

/* update.c; ftrace_lock */
extern unsigned int ftrace_broken_sites;
void ftrace_text_begin(void);
void ftrace_text_end(void);
void ftrace_no_cpu_comes(void);
void ftrace_cpus_may_come(void);
void ftrace_run_update(int command);
int ftrace_update_one(struct dyn_ftrace *rec);

/* by the linker script another name of arch_ftrace_ops_list_func() */
void ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *op, struct ftrace_regs *fregs);

/* records.c; NULL for nobody */
extern const struct ftrace_sites_user *ftrace_sites_user;

/* direct.c: IPMODIFY and direct calls */
int ftrace_check_exclusive(struct ftrace_ops *ops, struct ftrace_hash *filter);
int ftrace_share_prepare(struct ftrace_ops *ops);
void ftrace_share_done(struct ftrace_ops *ops);
void ftrace_share_end(struct ftrace_ops *ops);
void ftrace_share_gone(struct ftrace_ops *ops);

/* freed_symbols.c: names of text that was freed */
void ftrace_symbols_keep(const struct dyn_ftrace *rec, struct module *owner);
void ftrace_symbols_drop(struct module *owner);

#endif /* _KERNEL_TRACE_FUNCTION_SITES_H */
