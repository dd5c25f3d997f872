// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entry code of its own for an ops, or for a set of several: without call-ops a site cannot tell
 * the common entry code whom it calls, and looking its record up costs more than the rest of
 * the call. The architecture makes it (x86), or does not.
 *
 * It goes after ftrace_ops_sync(), as what it calls does.
 */
#include <kunit/static_stub.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rculist.h>

#include "sites.h"

/*
 * A page of text each. There are as many sets as filters overlap in different ways: with a thousand
 * probes and a function tracer, thousands. The first ones get it, and those of many sites; sites of
 * the others look them up.
 */
#define SET_TRAMPOLINES_MAX	128

static LIST_HEAD(set_trampolines);	/* changed under ftrace_lock, read under RCU */
static unsigned int nr_set_trampolines;	/* ftrace_lock */

/**
 * ftrace_ops_update_trampoline - an ops gets entry code, or what it has calls its func
 * @ops: not one of a direct call
 *
 * Context: task, ftrace_lock; sleeps. Without memory @ops has none.
 */
void ftrace_ops_update_trampoline(struct ftrace_ops *ops)
{
	unsigned long before = ops->trampoline;

	ftrace_no_cpu_comes();
	arch_ftrace_update_trampoline(ops);
	ftrace_cpus_may_come();
	if (ops->trampoline == before || !(ops->flags & FTRACE_OPS_FL_ALLOC_TRAMP))
		return;
	/* perf has names for samples in it, and decodes branches into it. */
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, ops->trampoline, ops->trampoline_size,
			   false, FTRACE_TRAMPOLINE_SYM);
	perf_event_text_poke((void *)ops->trampoline, NULL, 0, (void *)ops->trampoline,
			     ops->trampoline_size);
}

/* After ftrace_ops_sync(). */
void ftrace_ops_drop_trampoline(struct ftrace_ops *ops)
{
	if (ftrace_text_stuck)
		return;
	if (ops->trampoline && (ops->flags & FTRACE_OPS_FL_ALLOC_TRAMP)) {
		perf_event_text_poke((void *)ops->trampoline, (void *)ops->trampoline,
				     ops->trampoline_size, NULL, 0);
		perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, ops->trampoline,
				   ops->trampoline_size, true, FTRACE_TRAMPOLINE_SYM);
	}
	arch_ftrace_trampoline_free(ops);
}

/* Is there no room for a set of few sites? ftrace_lock. KUnit says so at once. */
bool ftrace_set_trampolines_full(void)
{
	KUNIT_STATIC_STUB_REDIRECT(ftrace_set_trampolines_full);

	return nr_set_trampolines >= SET_TRAMPOLINES_MAX;
}

/**
 * ftrace_set_make_trampoline - entry code for a set
 * @set: of several ops, with its @caller, and without entry code
 *
 * Context: task, ftrace_lock; sleeps. Without memory @set has none.
 */
void ftrace_set_make_trampoline(struct ftrace_op_set *set)
{
	/* Made by the architecture it cannot go on to a direct call. */
	if (set->rec_flags & FTRACE_FL_DIRECT)
		return;
	if (set->rec_flags & FTRACE_FL_REGS)
		set->caller.flags |= FTRACE_OPS_FL_SAVE_REGS;
	ftrace_ops_update_trampoline(&set->caller);
	if (!set->caller.trampoline)
		return;
	nr_set_trampolines++;
	list_add_rcu(&set->trampolines, &set_trampolines);
}

/*
 * Unwinders do not find it any more after a grace period of the rude kind: they may be where RCU
 * does not watch. ftrace_lock
 */
void ftrace_set_hide_trampoline(struct ftrace_op_set *set)
{
	if (!set->caller.trampoline)
		return;
	nr_set_trampolines--;
	list_del_rcu(&set->trampolines);
}

/**
 * ftrace_ops_trampoline - which ops does a trampoline belong to?
 * @addr: an address
 *
 * Context: any, preemption off as long as the answer is used.
 * Return: the ops or NULL.
 */
struct ftrace_ops *ftrace_ops_trampoline(unsigned long addr)
{
	struct ftrace_op_set *set;
	struct ftrace_ops *op;

	do_for_each_ftrace_op(op, ftrace_ops_list) {
		if (op->trampoline && addr - op->trampoline < op->trampoline_size)
			return op;
	} while_for_each_ftrace_op(op);
	list_for_each_entry_rcu(set, &set_trampolines, trampolines, true) {
		if (addr - set->caller.trampoline < set->caller.trampoline_size)
			return &set->caller;
	}
	return NULL;
}

/*
 * kernel_text_address() calls this with preemption on. The rude grace period, after which a set is
 * freed, does not wait for a task that is preempted in the list, so preemption is off here.
 */
bool is_ftrace_trampoline(unsigned long addr)
{
	guard(preempt_notrace)();
	return ftrace_ops_trampoline(addr);
}

/*
 * Where the @n'th of an ops begins, counted from 0; 0 if there are not as many. Preemption off.
 * Those of sets come and go whenever a worker gets to it: trace-cmd gives up when kallsyms
 * becomes longer or shorter while it reads that. perf was told of them by name.
 */
unsigned long ftrace_nth_trampoline(unsigned int n)
{
	struct ftrace_ops *op;

	do_for_each_ftrace_op(op, ftrace_ops_list) {
		if ((op->flags & FTRACE_OPS_FL_ALLOC_TRAMP) && op->trampoline && !n--)
			return op->trampoline;
	} while_for_each_ftrace_op(op);
	return 0;
}
