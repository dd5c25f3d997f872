// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call sites on arm64.
 *
 * The compiler leaves no-ops around the entry of a function that is aligned to 8 bytes:
 *
 *		.quad	nops		literal: address of the ops (call-ops only)
 *	func:	bti	c		only if the function needs one
 *		nop			mov x9, x30, from the boot on
 *		nop			the branch: a record's address
 *
 * Of these two things change later, the literal and the branch, each with one
 * aligned store. The architecture lets CPUs execute a branch or a nop that is being changed into
 * the other: each sees the old one or the new one. The literal is data. In between any mixture
 * works, since the literal always points at ops that can be called: ftrace_nop_ops when
 * nobody traces. What it pointed at is freed when no task can be between reading it
 * and the call any more, see sets.c. So no CPU is stopped.
 *
 * To switch on, the literal is written first, so that the first call reaches its
 * ops; to switch off, the branch goes first.
 */
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/vmalloc.h>

#include <asm/cacheflush.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/patching.h>

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/* Where fetchargs by name find a register; -EINVAL for one that is not saved. */
int ftrace_regs_query_register_offset(const char *name)
{
	static const char * const others[] = { "fp", "lr", "sp", "pc" };
	static const unsigned short offsets[] = {
		offsetof(struct __arch_ftrace_regs, fp),
		offsetof(struct __arch_ftrace_regs, lr),
		offsetof(struct __arch_ftrace_regs, sp),
		offsetof(struct __arch_ftrace_regs, pc),
	};
	unsigned int n;
	int i;

	if (name[0] == 'x' && name[1] && !kstrtouint(name + 1, 10, &n)) {
		if (n < 9)
			return n * sizeof(unsigned long);
		if (n == 29 || n == 30)
			return offsets[n - 29];
		return -EINVAL;
	}
	i = match_string(others, ARRAY_SIZE(others), name);
	return i < 0 ? -EINVAL : offsets[i];
}
#endif

/*
 * From the address that the compiler recorded, that of the first no-op, to that of the
 * branch. 0 leaves the function out.
 */
unsigned long ftrace_call_adjust(unsigned long addr)
{
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_ARGS))
		return addr;

	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS)) {
		/* The literal. Some compilers do not align functions that are rarely called. */
		if (!IS_ALIGNED(addr, sizeof(unsigned long))) {
			WARN_RATELIMIT(1, "ftrace: function at %pS is not aligned\n",
				       (void *)(addr + 8));
			return 0;
		}
		addr += sizeof(unsigned long);
	}

	/* The recorded address may be in front of a BTI or behind it. */
	if (IS_ENABLED(CONFIG_ARM64_BTI_KERNEL)) {
		u32 insn = le32_to_cpu(*(__le32 *)addr);

		if (aarch64_insn_is_bti(insn))
			addr += AARCH64_INSN_SIZE;
	}
	return addr + AARCH64_INSN_SIZE;
}

/* Is @old, which may be 0 for anything, at @pc? */
static int site_check(unsigned long pc, u32 old)
{
	static u32 expected;
	u32 found;

	if (aarch64_insn_read((void *)pc, &found))
		return -EFAULT;
	if (old && found != old) {
		expected = old;
		ftrace_expected = &expected;
		return -EINVAL;
	}
	ftrace_expected = NULL;
	return 0;
}

/* Replace @old at @pc by @new. */
static int site_write(unsigned long pc, u32 old, u32 new)
{
	int ret = site_check(pc, old);

	if (ret)
		return ret;
	return aarch64_insn_patch_text_nosync((void *)pc, new) ? -EPERM : 0;
}

static bool in_reach(unsigned long pc, unsigned long addr)
{
	long offset = (long)addr - (long)pc;

	return offset >= -SZ_128M && offset < SZ_128M;
}

/*
 * Where the branch at @pc has to go to get to ftrace_caller(): a module may be so far
 * off that it takes the way through the veneer that module.c made for it. 0 if there is none.
 */
static unsigned long site_target(unsigned long pc, struct module *mod)
{
	struct plt_entry *plt = NULL;

	if (in_reach(pc, FTRACE_ADDR))
		return FTRACE_ADDR;

#ifdef CONFIG_MODULES
	scoped_guard(preempt) {
		/* While a module loads it cannot be found by address yet. */
		if (!mod)
			mod = __module_text_address(pc);
		if (mod && within_module_init(pc, mod))
			plt = mod->arch.init_ftrace_trampolines;
		else if (mod)
			plt = mod->arch.ftrace_trampolines;
	}
#endif
	if (WARN_ON(!plt))
		return 0;
	return (unsigned long)&plt[FTRACE_PLT_IDX];
}

static int site_branch(struct module *mod, unsigned long pc, u32 *insn)
{
	unsigned long target = site_target(pc, mod);

	if (!target)
		return -EINVAL;
	*insn = aarch64_insn_gen_branch_imm(pc, target, AARCH64_INSN_BRANCH_LINK);
	return 0;
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
static unsigned long site_literal(const struct dyn_ftrace *rec)
{
	/* as ftrace_caller() computes it from the return address */
	return ALIGN_DOWN(rec->ip + AARCH64_INSN_SIZE, 8) - 2 * sizeof(u64);
}

static int literal_write(const struct dyn_ftrace *rec, const struct ftrace_ops *ops)
{
	/* data for the CPU that loads it: no instruction cache knows it */
	return aarch64_insn_write_literal_u64((void *)site_literal(rec), (u64)ops) ? -EPERM : 0;
}

static int literal_point_at_ops(struct dyn_ftrace *rec)
{
	return literal_write(rec, ftrace_find_unique_ops(rec));
}

static int literal_point_at_nothing(struct dyn_ftrace *rec)
{
	return literal_write(rec, &ftrace_nop_ops);
}
#else
static int literal_point_at_ops(struct dyn_ftrace *rec)
{
	return 0;
}

static int literal_point_at_nothing(struct dyn_ftrace *rec)
{
	return 0;
}
#endif

int ftrace_make_call(struct dyn_ftrace *rec, unsigned long addr)
{
	u32 nop = aarch64_insn_gen_nop(), branch;
	int ret;

	ret = site_branch(NULL, rec->ip, &branch);
	if (ret)
		return ret;
	/* A site that is not a no-op may get to the literal already: leave it then. */
	ret = site_check(rec->ip, nop);
	if (ret)
		return ret;
	ret = literal_point_at_ops(rec);
	if (ret)
		return ret;
	return site_write(rec->ip, nop, branch);
}

int ftrace_make_nop(struct module *mod, struct dyn_ftrace *rec, unsigned long addr)
{
	u32 branch;
	int ret;

	ret = site_branch(mod, rec->ip, &branch);
	if (ret)
		return ret;
	ret = site_write(rec->ip, branch, aarch64_insn_gen_nop());
	/* Whatever was found there: should it get here once more, it finds nobody. */
	return literal_point_at_nothing(rec) ?: ret;
}

/* There is one way in: only the ops differ. */
int ftrace_modify_call(struct dyn_ftrace *rec, unsigned long old_addr, unsigned long addr)
{
	return literal_point_at_ops(rec);
}

/*
 * The text of a module that is being loaded can still be written to where it lies, as its
 * relocations were: no page has to be mapped for that, twice a site.
 */
static int init_in_place(struct dyn_ftrace *rec, u32 save_lr)
{
	__le32 *insn = (__le32 *)(rec->ip - AARCH64_INSN_SIZE);
	int ret = site_check((unsigned long)insn, aarch64_insn_gen_nop());

	if (ret)
		return ret;
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
	*(u64 *)site_literal(rec) = (u64)&ftrace_nop_ops;
#endif
	*insn = cpu_to_le32(save_lr);
	caches_clean_inval_pou((unsigned long)insn, rec->ip);
	return 0;
}

/* Is its text still to be made read-only? */
static bool is_unformed(const struct module *mod)
{
#ifdef CONFIG_MODULES
	return mod && mod->state == MODULE_STATE_UNFORMED;
#else
	return false;
#endif
}

/* What the compiler left becomes a site that is off. Nobody runs the function yet. */
int ftrace_init_nop(struct module *mod, struct dyn_ftrace *rec)
{
	u32 save_lr = aarch64_insn_gen_move_reg(AARCH64_INSN_REG_9, AARCH64_INSN_REG_LR,
						AARCH64_INSN_VARIANT_64BIT);
	int ret;

	if (is_unformed(mod))
		return init_in_place(rec, save_lr);
	ret = literal_point_at_nothing(rec);
	if (ret)
		return ret;
	return site_write(rec->ip - AARCH64_INSN_SIZE, aarch64_insn_gen_nop(), save_lr);
}

/*
 * Many sites at once. Mapping a page to write to it costs more than the
 * write, so a piece of text is mapped as a whole, all its sites are
 * changed, and then the instruction caches hear of it, once. A CPU that
 * has not heard yet runs the old text, which it may.
 */
#define WINDOW_PAGES	32
#define FEW_SITES	8	/* are changed one by one */

struct text_window {
	unsigned long	start;
	unsigned long	end;
	unsigned long	low;		/* changed instructions */
	unsigned long	high;
	void		*map;
};

static struct page *text_page(unsigned long addr)
{
	if (is_vmalloc_or_module_addr((void *)addr) && !core_kernel_text(addr))
		return vmalloc_to_page((void *)addr);
	return phys_to_page(__pa_symbol(addr));
}

static void window_close(struct text_window *win)
{
	if (!win->map)
		return;
	if (win->high)
		caches_clean_inval_pou(win->low, win->high);
	vunmap(win->map);
	win->map = NULL;
	win->high = 0;
}

/* Text from @addr on, as far as it is there and belongs together. */
static bool window_open(struct text_window *win, unsigned long addr)
{
	bool image = core_kernel_text(addr);
	struct page *pages[WINDOW_PAGES];
	unsigned int n;

	win->start = addr & PAGE_MASK;
	for (n = 0; n < WINDOW_PAGES; n++) {
		unsigned long at = win->start + n * PAGE_SIZE;

		if (n && core_kernel_text(at) != image)
			break;
		pages[n] = text_page(at);
		if (!pages[n])
			break;
	}
	win->end = win->start + n * PAGE_SIZE;
	win->low = ULONG_MAX;
	win->high = 0;
	win->map = n ? vmap(pages, n, VM_MAP, PAGE_KERNEL) : NULL;
	return win->map;
}

static int window_check(struct text_window *win, struct dyn_ftrace *rec, u32 old)
{
	static u32 expected;
	u32 *insn = win->map + (rec->ip - win->start);

	if (READ_ONCE(*insn) == old)
		return 0;
	expected = old;
	ftrace_expected = &expected;
	return -EINVAL;
}

static int window_write(struct text_window *win, struct dyn_ftrace *rec, u32 old, u32 new)
{
	u32 *insn = win->map + (rec->ip - win->start);
	int ret = window_check(win, rec, old);

	if (ret)
		return ret;
	WRITE_ONCE(*insn, new);
	win->low = min(win->low, rec->ip);
	win->high = max(win->high, rec->ip + AARCH64_INSN_SIZE);
	return 0;
}

static int window_patch(struct text_window *win, struct dyn_ftrace *rec, int what)
{
	u32 nop = aarch64_insn_gen_nop(), branch;
	u64 *literal = NULL;
	int ret;

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
	literal = win->map + (site_literal(rec) - win->start);
#endif
	ret = site_branch(NULL, rec->ip, &branch);
	if (ret)
		return ret;
	switch (what) {
	case FTRACE_UPDATE_MAKE_CALL:
		/* as in ftrace_make_call() */
		ret = window_check(win, rec, nop);
		if (ret)
			return ret;
		if (literal)
			WRITE_ONCE(*literal, (u64)ftrace_find_unique_ops(rec));
		smp_wmb();	/* the first call finds its ops */
		return window_write(win, rec, nop, branch);
	case FTRACE_UPDATE_MODIFY_CALL:
		if (literal)
			WRITE_ONCE(*literal, (u64)ftrace_find_unique_ops(rec));
		return 0;
	case FTRACE_UPDATE_MAKE_NOP:
		ret = window_write(win, rec, branch, nop);
		if (literal)	/* whatever was found, as in ftrace_make_nop() */
			WRITE_ONCE(*literal, (u64)&ftrace_nop_ops);
		return ret;
	}
	return 0;
}

static int patch_alone(struct dyn_ftrace *rec, int what)
{
	switch (what) {
	case FTRACE_UPDATE_MAKE_CALL:
		return ftrace_make_call(rec, FTRACE_ADDR);
	case FTRACE_UPDATE_MODIFY_CALL:
		return ftrace_modify_call(rec, FTRACE_ADDR, FTRACE_ADDR);
	case FTRACE_UPDATE_MAKE_NOP:
		return ftrace_make_nop(NULL, rec, FTRACE_ADDR);
	}
	return 0;
}

void ftrace_replace_code(int enable)
{
	struct text_window win = {};
	struct ftrace_rec_iter *iter;
	unsigned int done = 0;

	for_ftrace_rec_iter(iter) {
		struct dyn_ftrace *rec = ftrace_rec_iter_record(iter);
		int what = ftrace_test_record(rec, enable);
		unsigned long first = rec->ip & ~7UL;
		bool mapped;
		int ret;

		if (what == FTRACE_UPDATE_IGNORE) {
			ftrace_update_record(rec, enable);
			continue;
		}
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
		first = site_literal(rec);
#endif
		mapped = win.map && first >= win.start && rec->ip < win.end;
		if (!mapped && ++done > FEW_SITES) {
			window_close(&win);
			mapped = window_open(&win, first) && rec->ip < win.end;
		}
		ret = mapped ? window_patch(&win, rec, what) : patch_alone(rec, what);
		if (ret) {
			ftrace_bug(ret, rec);
			break;
		}
		ftrace_update_record(rec, enable);
	}
	window_close(&win);
}

/* ftrace_caller() finds the ops itself. */
int ftrace_update_ftrace_func(ftrace_func_t func)
{
	return 0;
}
