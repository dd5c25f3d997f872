/* SPDX-License-Identifier: GPL-2.0-only */
/* The stack that a traced call is on, and whose frames are on it. */
#ifndef _KERNEL_TRACE_STACK_FRAMES_H
#define _KERNEL_TRACE_STACK_FRAMES_H

#include <linux/linkage.h>
#include <linux/types.h>

struct ftrace_regs;

/**
 * struct stack_frame_at - a function that has not returned
 * @ip: in it
 * @at: the stack pointer when it called the next one; its own frame begins here
 */
struct stack_frame_at {
	unsigned long	ip;
	unsigned long	at;
};

/*
 * Where the stack that @sp is on begins, its highest address; 0 if it is none of the task's and
 * of this CPU's interrupts. Any context: who is not on the task's stack stays on the CPU.
 */
unsigned long stack_top_of(unsigned long sp);

/*
 * The functions whose frames are on the stack that ends at @top, the innermost first: who is
 * called is frames[0], with nothing on the stack yet but perhaps where it returns to.
 * Interrupts off, any context. Return: how many, @max at the most.
 */
unsigned int stack_frames(struct stack_frame_at *frames, unsigned int max, unsigned long ip,
			  unsigned long parent_ip, const struct ftrace_regs *fregs,
			  unsigned long top);

#ifdef CONFIG_RISCV
/* of its entry.S */
asmlinkage void handle_exception(void);
extern unsigned long ret_from_exception_end;
#endif

#endif /* _KERNEL_TRACE_STACK_FRAMES_H */
