/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers at a traced call or return, for architectures whose ftrace_regs are
 * a pt_regs. Others define HAVE_ARCH_FTRACE_REGS and every accessor themselves.
 */
#ifndef _LINUX_FTRACE_REGS_H
#define _LINUX_FTRACE_REGS_H

struct ftrace_regs;

#ifndef HAVE_ARCH_FTRACE_REGS

struct __arch_ftrace_regs {
	struct pt_regs		regs;
};

#define arch_ftrace_regs(fregs)		((struct __arch_ftrace_regs *)(fregs))
#define __ftrace_pt_regs(fregs)		(&arch_ftrace_regs(fregs)->regs)

#define ftrace_regs_get_instruction_pointer(fregs)	\
	instruction_pointer(__ftrace_pt_regs(fregs))
#define ftrace_regs_get_stack_pointer(fregs)		\
	kernel_stack_pointer(__ftrace_pt_regs(fregs))
#define ftrace_regs_get_frame_pointer(fregs)		\
	frame_pointer(__ftrace_pt_regs(fregs))
#define ftrace_regs_get_argument(fregs, n)		\
	regs_get_kernel_argument(__ftrace_pt_regs(fregs), n)
#define ftrace_regs_get_return_value(fregs)		\
	regs_return_value(__ftrace_pt_regs(fregs))
#define ftrace_regs_set_return_value(fregs, value)	\
	regs_set_return_value(__ftrace_pt_regs(fregs), value)
#define ftrace_override_function_with_return(fregs)	\
	override_function_with_return(__ftrace_pt_regs(fregs))
#define ftrace_regs_query_register_offset(name)		\
	regs_query_register_offset(name)

#ifdef CONFIG_X86_64
/* At an entry without a full pt_regs: what ftrace_caller() saves. @regs is cleared. */
static __always_inline struct pt_regs *
ftrace_partial_regs(const struct ftrace_regs *fregs, struct pt_regs *regs)
{
	const struct pt_regs *from = __ftrace_pt_regs(fregs);

	regs->di = from->di;
	regs->si = from->si;
	regs->dx = from->dx;
	regs->cx = from->cx;
	regs->r8 = from->r8;
	regs->r9 = from->r9;
	regs->ax = from->ax;
	regs->bp = from->bp;
	regs->sp = from->sp;
	regs->ip = from->ip;
	regs->cs = __KERNEL_CS;
	regs->flags = X86_EFLAGS_FIXED;
	return regs;
}

/* At a return: of the pt_regs there is only what return_to_handler() saves. @regs is cleared. */
static __always_inline struct pt_regs *
ftrace_return_regs(const struct ftrace_regs *fregs, struct pt_regs *regs)
{
	const struct pt_regs *from = __ftrace_pt_regs(fregs);

	regs->ax = from->ax;
	regs->dx = from->dx;
	regs->bp = from->bp;
	regs->sp = from->sp;
	regs->ip = from->ip;
	regs->cs = __KERNEL_CS;
	regs->flags = X86_EFLAGS_FIXED;
	return regs;
}
#endif

#endif /* HAVE_ARCH_FTRACE_REGS */

#endif /* _LINUX_FTRACE_REGS_H */
