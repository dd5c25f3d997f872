// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running the program of a probe that is hit: it fills in the arguments of a record, in one
 * pass. What it reads may not be there, and nobody is told: what a number is of is 0 then, as is
 * the rest of an array, and a string is empty, which is printed as "(fault)".
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>

#include "probe.h"
#include "probe_hit.h"
#include "probe_prog.h"

/* Does the address alone tell that it is the user's? */
static nokprobe_inline bool is_users(unsigned long addr)
{
	return IS_ENABLED(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE) && addr < TASK_SIZE;
}

static nokprobe_inline long read_mem(enum probe_mem mem, void *to, unsigned long from, size_t size)
{
	if (mem == PROBE_MEM_KERNEL && !is_users(from))
		return copy_from_kernel_nofault(to, (void *)from, size);
	if (mem == PROBE_MEM_USER_SLEEP)
		return copy_from_user(to, (const void __user *)from, size);
	return copy_from_user_nofault(to, (const void __user *)from, size);
}

/* bytes with the NUL, or an error */
static nokprobe_inline long read_string(enum probe_mem mem, char *to, unsigned long from, long room)
{
	long len;

	if (mem == PROBE_MEM_KERNEL && !is_users(from))
		return strncpy_from_kernel_nofault(to, (void *)from, room);
	if (mem == PROBE_MEM_USER)
		return strncpy_from_user_nofault(to, (const void __user *)from, room);
	if (mem == PROBE_MEM_KERNEL)
		return strncpy_from_user_nofault(to, (const void __user *)from, room);
	len = strncpy_from_user(to, (const void __user *)from, room);
	if (len < 0)
		return len;
	if (len == room)
		to[--len] = '\0';
	return len + 1;
}

static nokprobe_inline unsigned long user_stack(struct pt_regs *regs, long n)
{
	unsigned long value;

	/* only of uprobes: a task, which may sleep */
	if (copy_from_user(&value, (const void __user *)user_stack_pointer(regs) +
			   n * sizeof(long), sizeof(value)))
		return 0;
	return value;
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
static nokprobe_inline unsigned long fregs_stack(struct ftrace_regs *fregs, long n)
{
	unsigned long sp = ftrace_regs_get_stack_pointer(fregs);
	unsigned long at = sp + n * sizeof(long), value;

	if ((at ^ sp) & ~(THREAD_SIZE - 1))
		return 0;
	return copy_from_kernel_nofault(&value, (void *)at, sizeof(value)) ? 0 : value;
}
#endif

/* Shifted within a container of @size bytes, as unsigned. */
static nokprobe_inline void keep_bits(void *at, unsigned int size, unsigned int left,
				      unsigned int right)
{
	unsigned int pad = 64 - size * 8;
	u64 value = (u64)probe_number(at, size, false) << (left + pad);

	probe_put(at, value >> (right + pad), size);
}

/**
 * probe_run - fill the arguments of a record in
 * @prog: the program
 * @src: what it may fetch from
 * @record: where the record begins; its fixed part has room
 * @room: bytes from there; strings that do not fit are cut
 *
 * Context: any with preemption off, or a task if the program is of a user's probe.
 * Return: bytes of the record.
 */
unsigned int probe_run(const struct probe_prog *prog, const struct probe_source *src,
		       void *record, unsigned int room)
{
	const struct probe_insn *insn = prog->insns;
	unsigned int end = prog->size;
	unsigned long value = 0, kept = 0;
	long len;

	if (prog->may_fault)
		memset(record + prog->base, 0, prog->size - prog->base);

	for (;; insn++) {
		void *to = record + insn->dst;

		switch (insn->op) {
		case PROBE_IMM:
		case PROBE_SYM:
			value = READ_ONCE(insn->imm);
			break;
		case PROBE_COMM:
			value = (unsigned long)current->comm;
			break;
		case PROBE_REG:
			value = regs_get_register(src->regs, insn->imm);
			break;
		case PROBE_SP:
			value = kernel_stack_pointer(src->regs);
			break;
		case PROBE_STACK:
			value = regs_get_kernel_stack_nth(src->regs, insn->imm);
			break;
		case PROBE_USTACK:
			value = user_stack(src->regs, insn->imm);
			break;
		case PROBE_RETVAL:
			value = regs_return_value(src->regs);
			break;
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
		case PROBE_ARG:
			value = regs_get_kernel_argument(src->regs, insn->imm);
			break;
#endif
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
		case PROBE_FREGS_SP:
			value = ftrace_regs_get_stack_pointer(src->fregs);
			break;
		case PROBE_FREGS_STACK:
			value = fregs_stack(src->fregs, insn->imm);
			break;
		case PROBE_FREGS_RETVAL:
			value = ftrace_regs_get_return_value(src->fregs);
			break;
		case PROBE_FREGS_ARG:
			value = ftrace_regs_get_argument(src->fregs, insn->imm);
			break;
#endif
		case PROBE_KEPT:
			value = src->entry ? src->entry[insn->imm] : 0;
			break;
		case PROBE_FILE:
			value = src->user_base + insn->imm;
			break;
		case PROBE_NUMBER:
			value = probe_number(src->record + insn->imm, insn->size, insn->sign);
			break;
		case PROBE_INSIDE:
			value = (unsigned long)src->record + insn->imm;
			break;
		case PROBE_DYNAMIC:
			value = (unsigned long)src->record +
				(get_unaligned((u32 *)(src->record + insn->imm)) & 0xffff);
			if (insn->sign)
				value += insn->imm + sizeof(u32);
			break;
		case PROBE_DEREF:
			if (read_mem(insn->mem, &value, value + insn->imm, sizeof(value)))
				insn += insn->skip;
			break;
		case PROBE_KEEP:
			kept = value;
			break;
		case PROBE_AGAIN:
			value = kept;
			break;
		case PROBE_PERCPU:
			value = (unsigned long)this_cpu_ptr((void __percpu *)value);
			break;
		case PROBE_PUT:
			probe_put(to, value, insn->size);
			break;
		case PROBE_COPY:
			if (read_mem(insn->mem, to, value + insn->imm, insn->size) && !insn->sign) {
				memset(to, 0, insn->size);
				insn += insn->skip;
			}
			break;
		case PROBE_BITS:
			keep_bits(to, insn->size, insn->imm & 0xff, insn->imm >> 8);
			break;
		case PROBE_EMPTY:
			put_unaligned(end, (u32 *)to);
			break;
		case PROBE_STR:
			len = min(room - end, PROBE_STRING_MAX);
			if (!len)
				break;
			len = read_string(insn->mem, record + end, value + insn->imm, len);
			if (len <= 0)
				break;
			put_unaligned((u32)len << 16 | end, (u32 *)to);
			end += len;
			break;
		case PROBE_SYMBOL:
			if (room - end < KSYM_SYMBOL_LEN)
				break;
			len = sprint_symbol(record + end, value) + 1;
			put_unaligned((u32)len << 16 | end, (u32 *)to);
			end += len;
			break;
		case PROBE_TEXT:
			if (room == end)
				break;
			len = strscpy(record + end, insn->text, room - end);
			len = len < 0 ? room - end : len + 1;
			put_unaligned((u32)len << 16 | end, (u32 *)to);
			end += len;
			break;
		default:
			return end;
		}
	}
}

NOKPROBE_SYMBOL(probe_run);

/**
 * probe_fetch_entry - keep what a return probe wants of the function's entry
 * @p: a return probe
 * @src: registers at the entry
 * @entry: probe_entry_size() bytes
 *
 * Context: any, preemption off.
 */
void probe_fetch_entry(const struct probe *p, const struct probe_source *src,
		       unsigned long *entry)
{
	for (unsigned int i = 0; i < p->nr_entry_args; i++) {
		unsigned int n = p->entry_args[i];

		entry[i] = 0;
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
		if (p->at & PROBE_FREGS) {
			entry[i] = ftrace_regs_get_argument(src->fregs, n);
			continue;
		}
#endif
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
		entry[i] = regs_get_kernel_argument(src->regs, n);
#endif
	}
}

NOKPROBE_SYMBOL(probe_fetch_entry);
