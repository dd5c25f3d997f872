// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which frame takes what of a stack.
 *
 * Unwinders of the kernel tell who called whom, and not where the frames are. Frame pointers do,
 * where the kernel has them; on x86_64 the unwinder can be asked. Looking through the words of
 * the stack for something like a return address would find what earlier calls have left there.
 */
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/sched/task_stack.h>

#ifdef CONFIG_X86
#include <asm/unwind.h>
#else
#include <asm/stacktrace.h>
#endif
#ifdef CONFIG_RISCV
#include <asm/irq_stack.h>
#endif

#include "stack_frames.h"

/* The one of the CPU's interrupts, if @sp is on it. */
static unsigned long irq_stack_top(unsigned long sp)
{
#if defined(CONFIG_X86)
	struct stack_info info;

	if (!get_stack_info_noinstr((unsigned long *)sp, current, &info))
		return 0;
	return (unsigned long)info.end;
#elif defined(CONFIG_ARM64) || (defined(CONFIG_RISCV) && defined(CONFIG_IRQ_STACKS))
	unsigned long low = (unsigned long)raw_cpu_read(irq_stack_ptr);

	return low && sp - low < IRQ_STACK_SIZE ? low + IRQ_STACK_SIZE : 0;
#else
	return 0;
#endif
}

unsigned long stack_top_of(unsigned long sp)
{
	unsigned long low = (unsigned long)task_stack_page(current);

	if (sp - low < THREAD_SIZE)
		return low + THREAD_SIZE;
	return irq_stack_top(sp);
}

#ifdef CONFIG_X86

/* The stack pointer of the function that @state is at, when it called or was interrupted. */
static unsigned long unwound_at(struct unwind_state *state)
{
#if defined(CONFIG_UNWINDER_ORC)
	return state->sp;
#elif defined(CONFIG_UNWINDER_FRAME_POINTER)
	if (state->regs)
		return state->regs->sp;
	return (unsigned long)(unwind_get_return_address_ptr(state) + 1);
#else
	/* all that it knows is a word that looks like a return address */
	return (unsigned long)(state->sp + 1);
#endif
}

/* Where the call returns to is on the stack. Of a tail call, the graph may have replaced it. */
static struct stack_frame_at caller(unsigned long parent_ip, unsigned long sp)
{
	struct unwind_state state = { .task = current };

	return (struct stack_frame_at) {
		.ip = unwind_recover_ret_addr(&state, parent_ip, (unsigned long *)sp),
		.at = sp + sizeof(long),
	};
}

/* Of the caller. */
static unsigned int callers(struct stack_frame_at *frames, unsigned int max,
			    const struct ftrace_regs *fregs, unsigned long sp, unsigned long top)
{
	struct unwind_state state;
	unsigned long ip, at;
	unsigned int n = 0;

	/*
	 * It begins with this function. Below @sp is what tracing runs, with frame pointers also a
	 * frame that ftrace_caller makes for the caller.
	 */
	for (unwind_start(&state, current, NULL, (unsigned long *)sp);
	     !unwind_done(&state) && n < max; unwind_next_frame(&state)) {
		ip = unwind_get_return_address(&state);
		at = unwound_at(&state);
		if (!ip)
			break;
		if (at <= sp + sizeof(long))
			continue;
		if (at >= top)
			break;
		frames[n++] = (struct stack_frame_at) { .ip = ip, .at = at };
	}
	return n;
}

#else /* frame pointers */

/* Where a function has its caller's frame pointer and where it returns to. */
struct frame_record {
	unsigned long	fp;
	unsigned long	ret;
};

#ifdef CONFIG_ARM64
#define record_of(fp)	((const struct frame_record *)(fp))

static unsigned long plain_address(unsigned long ret)
{
	return ptrauth_strip_kernel_insn_pac(ret);
}

/*
 * GCC has the record below the function's variables: there the frame of the caller begins with
 * the caller's record. With clang it is above them, and the caller's frame is next to it.
 */
static unsigned long caller_at(unsigned long fp, unsigned long caller_fp)
{
	if (IS_ENABLED(CONFIG_CC_IS_CLANG))
		return fp + sizeof(struct frame_record);
	return caller_fp;
}
#else /* CONFIG_RISCV */
/* The frame pointer is where the caller's frame begins. */
#define record_of(fp)	((const struct frame_record *)(fp) - 1)

static unsigned long plain_address(unsigned long ret)
{
	return ret;
}

static unsigned long caller_at(unsigned long fp, unsigned long caller_fp)
{
	return fp;
}

#define UNWIND_KEY(record)	((unsigned long *)&(record)->ret)
#endif

/*
 * Where does it return to, if it were not for those who want to know of returns? Both know a
 * call by its caller's frame pointer, but the graph on riscv, which takes the place of the address.
 */
static unsigned long true_return(unsigned long ret, const struct frame_record *record,
				 unsigned long next, int *graph, struct llist_node **rethook)
{
	unsigned long *key = IS_ENABLED(CONFIG_RISCV) ? (unsigned long *)&record->ret :
							(unsigned long *)next;

	ret = ftrace_graph_ret_addr(current, graph, ret, key);
	if (!is_kretprobe_trampoline(ret))
		return ret;
	return kretprobe_find_ret_addr(current, (void *)next, rethook) ?: ret;
}

#ifdef CONFIG_RISCV
/* Its frame is the registers of what was interrupted. */
static bool is_exception(unsigned long ip)
{
	return ip >= (unsigned long)handle_exception &&
	       ip < (unsigned long)&ret_from_exception_end;
}
#endif

static struct stack_frame_at caller(unsigned long parent_ip, unsigned long sp)
{
	return (struct stack_frame_at) { .ip = parent_ip, .at = sp };
}

static unsigned int callers(struct stack_frame_at *frames, unsigned int max,
			    const struct ftrace_regs *fregs, unsigned long sp, unsigned long top)
{
	unsigned long fp = ftrace_regs_get_frame_pointer(fregs), next, ip, at, low = sp;
	struct llist_node *rethook = NULL;
	unsigned int n = 0;
	int graph = 0;

	while (n < max) {
		const struct frame_record *record = record_of(fp);

		/* a frame pointer of 0 is the end, and its record's is beyond the last address */
		if ((unsigned long)record < low ||
		    (unsigned long)record > top - sizeof(*record) || fp & (sizeof(long) - 1))
			break;
		low = (unsigned long)(record + 1);
		next = READ_ONCE_NOCHECK(record->fp);
		ip = plain_address(READ_ONCE_NOCHECK(record->ret));
		ip = true_return(ip, record, next, &graph, &rethook);
		/* At the end, and where the stack was changed, there is no caller on this one. */
		at = caller_at(fp, next);
		if (!ip || at < (unsigned long)record || at >= top)
			break;
		frames[n++] = (struct stack_frame_at) { .ip = ip, .at = at };
#ifdef CONFIG_RISCV
		if (is_exception(ip)) {
			const struct pt_regs *regs = (const struct pt_regs *)fp;

			/* what user space was in, and its frame pointer, is on no stack of ours */
			if ((unsigned long)(regs + 1) > top || n == max || user_mode(regs))
				break;
			low = (unsigned long)(regs + 1);
			next = READ_ONCE_NOCHECK(regs->s0);
			frames[n++] = (struct stack_frame_at) {
				.ip = READ_ONCE_NOCHECK(regs->epc),
				.at = low,
			};
		}
#endif
		fp = next;
	}
	return n;
}

#endif /* CONFIG_X86 */

unsigned int stack_frames(struct stack_frame_at *frames, unsigned int max, unsigned long ip,
			  unsigned long parent_ip, const struct ftrace_regs *fregs,
			  unsigned long top)
{
	unsigned long sp = ftrace_regs_get_stack_pointer(fregs);
	unsigned int n = 0;

	if (max < 2)
		return 0;
	frames[n++] = (struct stack_frame_at) { .ip = ip, .at = sp };
	frames[n++] = caller(parent_ip, sp);
	return n + callers(frames + n, max - n, fregs, sp, top);
}
