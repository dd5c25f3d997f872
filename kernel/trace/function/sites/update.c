// SPDX-License-Identifier: GPL-2.0-only
/*
 * From records to text. What a site is to call follows from its set; what it
 * calls now is in the record. The architecture writes; here is decided what, and what
 * happens when the text is not what it should be.
 */
#include <linux/cpu.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/stop_machine.h>
#include <linux/trace.h>

#include "sites.h"

enum ftrace_bug_type ftrace_bug_type;
const void *ftrace_expected;

/* How many sites were found broken; ftrace_lock. */
unsigned int ftrace_broken_sites;

/* Where the site of @rec is to go. ftrace_lock, it has a set. */
unsigned long ftrace_get_addr_new(struct dyn_ftrace *rec)
{
	const struct ftrace_op_set *set = rec->set;

	/* With call-ops there is one way in; its literal tells the rest. */
	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) || !set)
		return FTRACE_ADDR;
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	if ((rec->flags & FTRACE_FL_DIRECT) && set->nr == 1)
		return set->ops[0]->direct_call;
#endif
	if (rec->flags & FTRACE_FL_TRAMP)
		return ftrace_set_trampoline(set);
	return rec->flags & FTRACE_FL_REGS ? FTRACE_REGS_ADDR : FTRACE_ADDR;
}

/* Where it goes now; 0 for nowhere. */
unsigned long ftrace_get_addr_curr(struct dyn_ftrace *rec)
{
	return rec->target;
}

/**
 * ftrace_test_record - what does a site need?
 * @rec:    record
 * @enable: false to make nops of all sites
 *
 * Context: ftrace_lock held; the architecture may call it under stop_machine().
 * Return: FTRACE_UPDATE_*, with ftrace_bug_type set for a report.
 */
int ftrace_test_record(struct dyn_ftrace *rec, bool enable)
{
	unsigned long want = 0;

	if (!ftrace_rec_usable(rec))
		return FTRACE_UPDATE_IGNORE;
	if (enable && rec->set)
		want = ftrace_get_addr_new(rec);

	if (!want) {
		if (!rec->target)
			return FTRACE_UPDATE_IGNORE;
		ftrace_bug_type = FTRACE_BUG_NOP;
		return FTRACE_UPDATE_MAKE_NOP;
	}
	if (!rec->target) {
		ftrace_bug_type = FTRACE_BUG_CALL;
		return FTRACE_UPDATE_MAKE_CALL;
	}
	if (want == rec->target) {
		/* the same way in, but with call-ops another literal */
		if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) ||
		    !(rec->flags & FTRACE_REC_STALE))
			return FTRACE_UPDATE_IGNORE;
	}
	ftrace_bug_type = FTRACE_BUG_UPDATE;
	return FTRACE_UPDATE_MODIFY_CALL;
}

/**
 * ftrace_update_record - the text of a site was changed
 * @rec:    record
 * @enable: as for ftrace_test_record()
 *
 * Context: as ftrace_test_record().
 * Return: what ftrace_test_record() said before.
 */
int ftrace_update_record(struct dyn_ftrace *rec, bool enable)
{
	const unsigned long state = FTRACE_FL_ENABLED | FTRACE_FL_REGS_EN | FTRACE_FL_TRAMP_EN |
				    FTRACE_FL_DIRECT_EN | FTRACE_FL_CALL_OPS_EN |
				    FTRACE_REC_STALE;
	int what = ftrace_test_record(rec, enable);
	unsigned long flags = rec->flags & ~state;

	if (what == FTRACE_UPDATE_IGNORE) {
		if (ftrace_rec_usable(rec))
			rec->flags &= ~FTRACE_REC_STALE;
		return what;
	}
	if (what == FTRACE_UPDATE_MAKE_NOP) {
		rec->flags = flags;
		rec->target = 0;
		return what;
	}

	flags |= FTRACE_FL_ENABLED | FTRACE_FL_TOUCHED;
	if (flags & FTRACE_FL_REGS)
		flags |= FTRACE_FL_REGS_EN;
	if (flags & FTRACE_FL_TRAMP)
		flags |= FTRACE_FL_TRAMP_EN;
	if (flags & FTRACE_FL_CALL_OPS)
		flags |= FTRACE_FL_CALL_OPS_EN;
	if ((flags & FTRACE_FL_DIRECT) && rec->set->nr == 1)
		flags |= FTRACE_FL_DIRECT_EN;
	if (flags & (FTRACE_FL_DIRECT | FTRACE_FL_IPMODIFY))
		flags |= FTRACE_FL_MODIFIED;
	rec->target = ftrace_get_addr_new(rec);
	rec->flags = flags;
	return what;
}

static int patch_one(struct dyn_ftrace *rec, bool enable)
{
	int ret = 0;

	switch (ftrace_test_record(rec, enable)) {
	case FTRACE_UPDATE_MAKE_CALL:
		ret = ftrace_make_call(rec, ftrace_get_addr_new(rec));
		break;
	case FTRACE_UPDATE_MODIFY_CALL:
		ret = ftrace_modify_call(rec, rec->target, ftrace_get_addr_new(rec));
		break;
	case FTRACE_UPDATE_MAKE_NOP:
		ret = ftrace_make_nop(NULL, rec, rec->target);
		break;
	}
	if (ret)
		ftrace_bug(ret, rec);
	else
		ftrace_update_record(rec, enable);
	return ret;
}

/* One record, between ftrace_text_begin() and ftrace_text_end(). ftrace_lock */
int ftrace_update_one(struct dyn_ftrace *rec)
{
	return patch_one(rec, true);
}

void __weak ftrace_replace_code(int enable)
{
	struct ftrace_rec_iter *iter;

	for_ftrace_rec_iter(iter) {
		if (patch_one(ftrace_rec_iter_record(iter), enable))
			return;
	}
}

void ftrace_modify_all_code(int command)
{
	if (command & FTRACE_UPDATE_CALLS)
		ftrace_replace_code(true);
	else if (command & FTRACE_DISABLE_CALLS)
		ftrace_replace_code(false);
}

static int stopped_update(void *data)
{
	ftrace_modify_all_code(*(int *)data);
	return 0;
}

/* For architectures that cannot change text that other CPUs may run. */
void ftrace_run_stop_machine(int command)
{
	stop_machine(stopped_update, &command, NULL);
}

void __weak arch_ftrace_update_code(int command)
{
	ftrace_modify_all_code(command);
}

void __weak ftrace_arch_code_modify_prepare(void) { }
void __weak ftrace_arch_code_modify_post_process(void) { }
void __weak arch_ftrace_update_trampoline(struct ftrace_ops *ops) { }
void __weak arch_ftrace_trampoline_free(struct ftrace_ops *ops) { }

void * __weak arch_ftrace_trampoline_func(struct ftrace_ops *ops, struct dyn_ftrace *rec)
{
	return NULL;
}

/*
 * Text is changed between these two. ftrace_lock; sleeps.
 *
 * On x86 a breakpoint stands there meanwhile, and all CPUs are waited for before it goes. A CPU
 * that comes up is not online yet, so nobody waits for it: it may run into the breakpoint, find it
 * gone in the handler, and take it for one that nobody knows, of which the kernel dies before it
 * can say so. So none comes up. Where one store does it there is no state that a CPU could be
 * caught in, and stop_machine() keeps them out itself.
 */
void ftrace_text_begin(void)
{
	ftrace_no_cpu_comes();
	ftrace_arch_code_modify_prepare();
}

void ftrace_text_end(void)
{
	ftrace_arch_code_modify_post_process();
	ftrace_cpus_may_come();
}

void ftrace_no_cpu_comes(void)
{
	if (IS_ENABLED(CONFIG_X86))
		cpus_read_lock();
}

void ftrace_cpus_may_come(void)
{
	if (IS_ENABLED(CONFIG_X86))
		cpus_read_unlock();
}

/* Bring the text up to date with the records. ftrace_lock; sleeps. */
void ftrace_run_update(int command)
{
	ftrace_text_begin();
	arch_ftrace_update_code(command);
	ftrace_text_end();
}

/* The walk over all records; one at a time, under ftrace_lock. */
struct ftrace_rec_iter {
	struct ftrace_table	*table;
	unsigned int		index;
};

static struct ftrace_rec_iter rec_iter;

static struct ftrace_rec_iter *iter_settle(struct ftrace_rec_iter *iter)
{
	while (iter->index >= iter->table->nr) {
		if (list_is_last(&iter->table->list, &ftrace_tables))
			return NULL;
		iter->table = list_next_entry(iter->table, list);
		iter->index = 0;
	}
	return iter;
}

struct ftrace_rec_iter *ftrace_rec_iter_start(void)
{
	if (list_empty(&ftrace_tables))
		return NULL;
	rec_iter.table = list_first_entry(&ftrace_tables, struct ftrace_table, list);
	rec_iter.index = 0;
	return iter_settle(&rec_iter);
}

struct ftrace_rec_iter *ftrace_rec_iter_next(struct ftrace_rec_iter *iter)
{
	iter->index++;
	return iter_settle(iter);
}

struct dyn_ftrace *ftrace_rec_iter_record(struct ftrace_rec_iter *iter)
{
	return &iter->table->recs[iter->index];
}

static void print_code(const char *what, const void *code)
{
	u8 bytes[MCOUNT_INSN_SIZE];

	if (code && !copy_from_kernel_nofault(bytes, code, sizeof(bytes)))
		pr_info("%s%*ph\n", what, MCOUNT_INSN_SIZE, bytes);
}

/* The site is not ours any more: nobody looks at it again. What it was to call is not called. */
static void give_up_site(struct dyn_ftrace *rec)
{
	ftrace_set_put(rec->set, 1);
	WRITE_ONCE(rec->set, NULL);
	rec->flags &= ~FTRACE_REF_MAX;
	rec->flags |= FTRACE_FL_DISABLED;
}

/**
 * ftrace_bug - report a call site that cannot be patched
 * @err: -EFAULT, -EINVAL or -EPERM, see ftrace_make_nop()
 * @rec: the site, or NULL
 *
 * No site is switched on any more after this, and recording stops, so that what led here can be
 * read; the machine goes on. What is in force can still be taken away: whoever patches calls
 * ftrace_sites_reduce(), which goes over the other sites.
 *
 * Context: as ftrace_test_record().
 */
void ftrace_bug(int err, struct dyn_ftrace *rec)
{
	static const char * const tried[] = {
		[FTRACE_BUG_INIT]	= "initializing a call site",
		[FTRACE_BUG_NOP]	= "turning a call into a nop",
		[FTRACE_BUG_CALL]	= "turning a nop into a call",
		[FTRACE_BUG_UPDATE]	= "changing the target of a call",
	};
	unsigned long ip = rec ? rec->ip : 0;
	bool first = !ftrace_disabled;

	ftrace_kill();
	ftrace_broken_sites++;
	if (first) {
		tracing_off();
		WARN(1, "ftrace: %s failed",
		     ftrace_bug_type == FTRACE_BUG_UNKNOWN ? "patching" : tried[ftrace_bug_type]);
	}
	switch (err) {
	case -EFAULT:
		pr_info("ftrace faulted on reading [<%016lx>] %pS\n", ip, (void *)ip);
		break;
	case -EPERM:
		pr_info("ftrace faulted on writing [<%016lx>] %pS\n", ip, (void *)ip);
		/* Its text is known, and calls what it did. */
		ftrace_text_stuck = true;
		break;
	case -EINVAL:
		pr_info("ftrace failed to modify [<%016lx>] %pS\n", ip, (void *)ip);
		print_code(" actual:   ", (void *)ip);
		print_code(" expected: ", ftrace_expected);
		break;
	default:
		pr_info("ftrace failed with %d on [<%016lx>] %pS\n", err, ip, (void *)ip);
	}
	if (rec) {
		pr_info("ftrace record flags: %lx, %lu ops\n", rec->flags, ftrace_rec_count(rec));
		pr_info(" calls %pS, is to call %pS\n", (void *)rec->target,
			rec->set ? (void *)ftrace_get_addr_new(rec) : NULL);
		give_up_site(rec);
	}
}
