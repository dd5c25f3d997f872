/* SPDX-License-Identifier: GPL-2.0-only */
/* Function tracing on arm64: what a call site looks like is told in kernel/ftrace.c. */
#ifndef __ASM_FTRACE_H
#define __ASM_FTRACE_H

#include <asm/insn.h>

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define ARCH_SUPPORTS_FTRACE_OPS	1
#endif

/* A record's address is that of the branch. */
#define MCOUNT_INSN_SIZE		AARCH64_INSN_SIZE

/* What a module needs to reach ftrace_caller() from afar: module-plts.c makes room. */
#define FTRACE_PLT_IDX			0
#define NR_FTRACE_PLTS			1

/* The compiler saves the return address above a function's variables, see the stack tracer. */
#define ARCH_FTRACE_SHIFT_STACK_TRACER	1

#ifndef __ASSEMBLY__

#include <linux/compat.h>

struct dyn_ftrace;
struct ftrace_ops;
struct ftrace_regs;
struct module;

struct dyn_arch_ftrace {
};

void *return_address(unsigned int level);
#define ftrace_return_address(n)	return_address(n)

void return_to_handler(void);
void ftrace_stub(unsigned long a0, unsigned long a1,
		 struct ftrace_ops *op, struct ftrace_regs *fregs);
unsigned long ftrace_call_adjust(unsigned long addr);

int ftrace_init_nop(struct module *mod, struct dyn_ftrace *rec);
#define ftrace_init_nop			ftrace_init_nop

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define HAVE_ARCH_FTRACE_REGS

/*
 * What ftrace_caller() and return_to_handler() save; a multiple of 16 bytes, since it lies on
 * the stack. asm-offsets.c and the entry code know the order.
 */
struct __arch_ftrace_regs {
	unsigned long	regs[9];		/* x0 to x8 */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	unsigned long	direct_tramp;		/* go there instead of to pc */
#else
	unsigned long	__unused;
#endif
	unsigned long	fp;
	unsigned long	lr;			/* of the traced function */
	unsigned long	sp;
	unsigned long	pc;			/* where to go on */
};

#define arch_ftrace_regs(fregs)		((struct __arch_ftrace_regs *)(fregs))

/* A pt_regs also holds the state of the CPU, which is not that of the call. */
#define arch_ftrace_get_regs(fregs)	NULL

#define __FREGS_GET(name, member)						\
static __always_inline unsigned long						\
ftrace_regs_get_##name(const struct ftrace_regs *fregs)				\
{										\
	return arch_ftrace_regs(fregs)->member;					\
}

__FREGS_GET(instruction_pointer, pc)
__FREGS_GET(stack_pointer, sp)
__FREGS_GET(frame_pointer, fp)
__FREGS_GET(return_value, regs[0])
#undef __FREGS_GET

static __always_inline unsigned long
ftrace_regs_get_argument(struct ftrace_regs *fregs, unsigned int n)
{
	return n < 8 ? arch_ftrace_regs(fregs)->regs[n] : 0;
}

static __always_inline void
ftrace_regs_set_instruction_pointer(struct ftrace_regs *fregs, unsigned long pc)
{
	arch_ftrace_regs(fregs)->pc = pc;
}

static __always_inline void
ftrace_regs_set_return_value(struct ftrace_regs *fregs, unsigned long value)
{
	arch_ftrace_regs(fregs)->regs[0] = value;
}

/*
 * As from a function that does nothing else: its return goes by way of who wants to know of it,
 * and perhaps says so later.
 */
static __always_inline void ftrace_override_function_with_return(struct ftrace_regs *fregs)
{
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)ftrace_stub);
}

static __always_inline struct pt_regs *
ftrace_partial_regs(const struct ftrace_regs *fregs, struct pt_regs *regs)
{
	const struct __arch_ftrace_regs *from = arch_ftrace_regs(fregs);

	memcpy(regs->regs, from->regs, sizeof(from->regs));
	regs->regs[29] = from->fp;
	regs->regs[30] = from->lr;
	regs->sp = from->sp;
	regs->pc = from->pc;
	regs->pstate = PSR_MODE_EL1h;
	return regs;
}

/* At a return, where there is less: x0 to x7 may be what the function returns. @regs is cleared. */
static __always_inline struct pt_regs *
ftrace_return_regs(const struct ftrace_regs *fregs, struct pt_regs *regs)
{
	const struct __arch_ftrace_regs *from = arch_ftrace_regs(fregs);

	memcpy(regs->regs, from->regs, 8 * sizeof(from->regs[0]));
	regs->regs[29] = from->fp;
	regs->sp = from->sp;
	regs->pc = from->pc;
	regs->pstate = PSR_MODE_EL1h;
	return regs;
}

/* From a call site to the address of its function, which may begin with a landing pad. */
static inline unsigned long arch_ftrace_site_to_func(unsigned long ip)
{
	unsigned long func = ip - AARCH64_INSN_SIZE;

	if (IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) &&
	    aarch64_insn_is_bti(le32_to_cpup((__le32 *)(func - AARCH64_INSN_SIZE))))
		func -= AARCH64_INSN_SIZE;
	return func;
}

#define arch_ftrace_site_to_func	arch_ftrace_site_to_func

#define arch_ftrace_fill_perf_regs(fregs, _regs)				\
do {										\
	const struct __arch_ftrace_regs *__from = arch_ftrace_regs(fregs);	\
										\
	(_regs)->regs[29] = __from->fp;						\
	(_regs)->sp = __from->sp;						\
	(_regs)->pc = __from->pc;						\
	(_regs)->pstate = PSR_MODE_EL1h;					\
} while (0)

int ftrace_regs_query_register_offset(const char *name);

/* For the graph: where the function returns to, and by what unwinders will ask for that. */
#define ARCH_FTRACE_GRAPH_REGS		1
#define arch_ftrace_return_slot(fregs)	(&arch_ftrace_regs(fregs)->lr)
/* they know a frame by its caller's frame pointer */
#define arch_ftrace_unwind_key(fregs)	((unsigned long *)arch_ftrace_regs(fregs)->fp)

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
static inline void arch_ftrace_set_direct_caller(struct ftrace_regs *fregs, unsigned long addr)
{
	arch_ftrace_regs(fregs)->direct_tramp = addr;
}
#endif

#endif /* CONFIG_DYNAMIC_FTRACE_WITH_ARGS */

/* A compat task's system calls have numbers of their own, which their events do not know. */
#define ARCH_TRACE_IGNORE_COMPAT_SYSCALLS
static inline bool arch_trace_is_compat_syscall(struct pt_regs *regs)
{
	return is_compat_task();
}

/* System calls are named __arm64_sys_NAME. */
#define ARCH_HAS_SYSCALL_MATCH_SYM_NAME
static inline bool arch_syscall_match_sym_name(const char *sym, const char *name)
{
	return !strcmp(sym + strlen("__arm64_"), name);
}

#endif /* !__ASSEMBLY__ */

#endif /* __ASM_FTRACE_H */
