/* SPDX-License-Identifier: GPL-2.0-only */
/* Function tracing on riscv: what a call site looks like is told in kernel/ftrace.c. */
#ifndef _ASM_RISCV_FTRACE_H
#define _ASM_RISCV_FTRACE_H

#define ARCH_SUPPORTS_FTRACE_OPS	1

/* A record's address is that of the jump. */
#define MCOUNT_INSN_SIZE		4

#ifndef __ASSEMBLY__

struct dyn_ftrace;
struct ftrace_ops;
struct ftrace_regs;
struct module;

struct dyn_arch_ftrace {
};

void *return_address(unsigned int level);
#define ftrace_return_address(n)	return_address(n)

void ftrace_stub(unsigned long a0, unsigned long a1,
		 struct ftrace_ops *op, struct ftrace_regs *fregs);
unsigned long ftrace_call_adjust(unsigned long addr);

int ftrace_init_nop(struct module *mod, struct dyn_ftrace *rec);
#define ftrace_init_nop			ftrace_init_nop

/* A compat task's system calls have numbers of their own, which their events do not know. */
#define ARCH_TRACE_IGNORE_COMPAT_SYSCALLS
static inline bool arch_trace_is_compat_syscall(struct pt_regs *regs)
{
	return is_compat_task();
}

/* System calls are named __riscv_sys_NAME. */
#define ARCH_HAS_SYSCALL_MATCH_SYM_NAME
static inline bool arch_syscall_match_sym_name(const char *sym, const char *name)
{
	return !strcmp(sym + strlen("__riscv_"), name);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define HAVE_ARCH_FTRACE_REGS

/* What ftrace_caller() and return_to_handler() save; asm-offsets.c knows the members. */
struct __arch_ftrace_regs {
	unsigned long	epc;			/* where to go on */
	unsigned long	ra;			/* of the traced function */
	unsigned long	sp;
	unsigned long	s0;
	unsigned long	t1;			/* a direct call: go there instead of to epc */
	union {
		unsigned long	args[8];
		struct {
			unsigned long	a0, a1, a2, a3, a4, a5, a6, a7;
		};
	};
};

#define arch_ftrace_regs(fregs)		((struct __arch_ftrace_regs *)(fregs))

/* A pt_regs also holds the state of the hart, which is not that of the call. */
#define arch_ftrace_get_regs(fregs)	NULL

#define __FREGS_GET(name, member)						\
static __always_inline unsigned long						\
ftrace_regs_get_##name(const struct ftrace_regs *fregs)				\
{										\
	return arch_ftrace_regs(fregs)->member;					\
}

__FREGS_GET(instruction_pointer, epc)
__FREGS_GET(stack_pointer, sp)
__FREGS_GET(frame_pointer, s0)
__FREGS_GET(return_value, a0)
#undef __FREGS_GET

static __always_inline unsigned long
ftrace_regs_get_argument(struct ftrace_regs *fregs, unsigned int n)
{
	return n < 8 ? arch_ftrace_regs(fregs)->args[n] : 0;
}

static __always_inline void
ftrace_regs_set_instruction_pointer(struct ftrace_regs *fregs, unsigned long pc)
{
	arch_ftrace_regs(fregs)->epc = pc;
}

static __always_inline void
ftrace_regs_set_return_value(struct ftrace_regs *fregs, unsigned long value)
{
	arch_ftrace_regs(fregs)->a0 = value;
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

	memcpy(&regs->a0, from->args, sizeof(from->args));
	regs->epc = from->epc;
	regs->ra = from->ra;
	regs->sp = from->sp;
	regs->s0 = from->s0;
	regs->t1 = from->t1;
	regs->status = SR_PP;	/* of the kernel */
	return regs;
}

/* At a return, where there is less: a0, a1 may be what the function returns. @regs is cleared. */
static __always_inline struct pt_regs *
ftrace_return_regs(const struct ftrace_regs *fregs, struct pt_regs *regs)
{
	const struct __arch_ftrace_regs *from = arch_ftrace_regs(fregs);

	regs->a0 = from->a0;
	regs->a1 = from->a1;
	regs->epc = from->epc;
	regs->sp = from->sp;
	regs->s0 = from->s0;
	regs->status = SR_PP;
	return regs;
}

/* From a call site to the address of its function. */
#define arch_ftrace_site_to_func(ip)	((ip) - 4)

int ftrace_regs_query_register_offset(const char *name);

/* For the graph: where the function returns to, and by what unwinders will ask for that. */
#define ARCH_FTRACE_GRAPH_REGS		1
#define arch_ftrace_return_slot(fregs)	(&arch_ftrace_regs(fregs)->ra)
/* where the function is going to save its return address, and unwinders find it */
#define arch_ftrace_unwind_key(fregs)	((unsigned long *)arch_ftrace_regs(fregs)->sp - 1)

static inline void arch_ftrace_set_direct_caller(struct ftrace_regs *fregs, unsigned long addr)
{
	arch_ftrace_regs(fregs)->t1 = addr;
}

#define arch_ftrace_set_direct_caller	arch_ftrace_set_direct_caller

#endif /* CONFIG_DYNAMIC_FTRACE_WITH_ARGS */

#endif /* !__ASSEMBLY__ */

#endif /* _ASM_RISCV_FTRACE_H */
