// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call sites on riscv.
 *
 * The compiler leaves no-ops around the entry of a function that is aligned to 8 bytes:
 *
 *		.quad	nops		literal: address of the ops
 *	func:	auipc	t0, ...		from the boot on: the upper part of ftrace_caller
 *		nop			or jalr t0, ...(t0): a record's address
 *
 * Two things change later, the literal and the second instruction, each with
 * one aligned store of its size, whether the no-ops were compressed or not. A hart that executes
 * the site sees the no-op or the jump, and t0, which nobody uses across a call,
 * is right for both. So it does not matter where a hart or a preempted task stands; none is
 * stopped. The literal always points at ops that can be called, ftrace_nop_ops when nobody
 * traces; what it pointed at is freed when no task can be between reading it and the call.
 *
 * Harts are made to fetch anew (fence.i, by IPI) once, when a pass over all sites is done.
 * Until then some go on with what they had, which is the state before.
 */
#include <linux/ftrace.h>
#include <linux/memory.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>

#include <asm/cacheflush.h>
#include <asm/patch.h>

#define INSN_NOP		0x00000013U
#define INSN_AUIPC_T0(hi)	((u32)(hi) << 12 | 0x297U)
#define INSN_JALR_T0(lo)	((u32)(lo) << 20 | 0x282e7U)

/* The auipc is in front of the jump, the literal in front of that. */
#define SITE_AUIPC(rec)		((rec)->ip - 4)
#define SITE_LITERAL(rec)	((rec)->ip - 12)

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/* Where fetchargs by name find a register; -EINVAL for one that is not saved. */
int ftrace_regs_query_register_offset(const char *name)
{
	static const struct {
		const char	*name;
		unsigned int	offset;
	} regs[] = {
		{ "epc",	offsetof(struct __arch_ftrace_regs, epc) },
		{ "ra",		offsetof(struct __arch_ftrace_regs, ra) },
		{ "sp",		offsetof(struct __arch_ftrace_regs, sp) },
		{ "s0",		offsetof(struct __arch_ftrace_regs, s0) },
	};
	unsigned int i;

	if (name[0] == 'a' && name[1] >= '0' && name[1] <= '7' && !name[2])
		return offsetof(struct __arch_ftrace_regs, args[name[1] - '0']);
	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		if (!strcmp(name, regs[i].name))
			return regs[i].offset;
	}
	return -EINVAL;
}
#endif

/*
 * From the address that the compiler recorded, that of the literal, to that of the jump.
 * 0 leaves out a function that is not aligned.
 */
unsigned long ftrace_call_adjust(unsigned long addr)
{
	return IS_ALIGNED(addr, sizeof(unsigned long)) ? addr + 12 : 0;
}

/* The offset of ftrace_caller() from the auipc, in its two parts. */
static int site_insns(const struct dyn_ftrace *rec, u32 *auipc, u32 *jalr)
{
	long offset = (long)FTRACE_ADDR - (long)SITE_AUIPC(rec);
	long hi = (offset + 0x800) >> 12;

	/* auipc adds 20 bits of pages, signed */
	if (hi < -(1L << 19) || hi >= (1L << 19))
		return -EINVAL;
	*auipc = INSN_AUIPC_T0(hi & 0xfffff);
	*jalr = INSN_JALR_T0(offset & 0xfff);
	return 0;
}

/* One store of @size bytes; this hart fetches anew, others when the pass is done. */
static int text_store(unsigned long addr, const void *value, size_t size)
{
	return patch_insn_write((void *)addr, value, size) ? -EPERM : 0;
}

/* Is @old at the jump? */
static int site_check(const struct dyn_ftrace *rec, u32 old)
{
	static u32 expected;
	u32 found;

	if (copy_from_kernel_nofault(&found, (void *)rec->ip, sizeof(found)))
		return -EFAULT;
	if (found != old) {
		expected = old;
		ftrace_expected = &expected;
		return -EINVAL;
	}
	ftrace_expected = NULL;
	return 0;
}

/* Replace @old at the jump by @new. */
static int site_write(const struct dyn_ftrace *rec, u32 old, u32 new)
{
	int ret = site_check(rec, old);

	return ret ?: text_store(rec->ip, &new, sizeof(new));
}

static int literal_write(const struct dyn_ftrace *rec, const struct ftrace_ops *ops)
{
	return text_store(SITE_LITERAL(rec), &ops, sizeof(ops));
}

int ftrace_make_call(struct dyn_ftrace *rec, unsigned long addr)
{
	u32 auipc, jalr;
	int ret;

	ret = site_insns(rec, &auipc, &jalr);
	if (ret)
		return ret;
	/* A site that is not a no-op may get to the literal already: leave it then. */
	ret = site_check(rec, INSN_NOP);
	if (ret)
		return ret;
	ret = literal_write(rec, ftrace_find_unique_ops(rec));
	if (ret)
		return ret;
	smp_wmb();	/* the first call finds its ops */
	return site_write(rec, INSN_NOP, jalr);
}

int ftrace_make_nop(struct module *mod, struct dyn_ftrace *rec, unsigned long addr)
{
	u32 auipc, jalr;
	int ret;

	ret = site_insns(rec, &auipc, &jalr);
	if (ret)
		return ret;
	ret = site_write(rec, jalr, INSN_NOP);
	/* Whatever was found there: should it get here once more, it finds nobody. */
	return literal_write(rec, &ftrace_nop_ops) ?: ret;
}

/* There is one way in: only the ops differ. */
int ftrace_modify_call(struct dyn_ftrace *rec, unsigned long old_addr, unsigned long addr)
{
	return literal_write(rec, ftrace_find_unique_ops(rec));
}

/* What the compiler left becomes a site that is off. Nobody runs the function yet. */
int ftrace_init_nop(struct module *mod, struct dyn_ftrace *rec)
{
	u32 site[2];
	int ret;

	ret = site_insns(rec, &site[0], &site[1]);
	if (ret)
		return ret;
	site[1] = INSN_NOP;

	mutex_lock(&text_mutex);
	ret = literal_write(rec, &ftrace_nop_ops);
	if (!ret)
		ret = text_store(SITE_AUIPC(rec), site, sizeof(site));
	mutex_unlock(&text_mutex);
	return ret;
}

void ftrace_arch_code_modify_prepare(void)
{
	mutex_lock(&text_mutex);
}

/* Behind this no hart jumps that should not, and every one does that should. */
void ftrace_arch_code_modify_post_process(void)
{
	flush_icache_all();
	mutex_unlock(&text_mutex);
}

/* ftrace_caller() finds the ops itself. */
int ftrace_update_ftrace_func(ftrace_func_t func)
{
	return 0;
}

int __init ftrace_dyn_arch_init(void)
{
	/* ftrace_caller() calls it by this offset. */
	BUILD_BUG_ON(offsetof(struct ftrace_ops, func));
	return 0;
}
