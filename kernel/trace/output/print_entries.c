// SPDX-License-Identifier: GPL-2.0-only
/*
 * Printers of the fixed entries that record/ makes: messages, markers and stacks; and of those of
 * wake-ups and switches.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "../record/function_entries.h"
#include "../record/switch_entries.h"
#include "../tasks/tasks.h"
#include "internal.h"

/*
 * Entries come from memory that other CPUs wrote and user space may have
 * filled: a text ends where the entry does, whatever is in it.
 */
static void put_bounded(struct trace_iterator *iter, const char *text)
{
	const char *end = (char *)iter->ent + iter->ent_size;

	if (text < end)
		trace_seq_putmem(&iter->seq, text, strnlen(text, end - text));
}

static void put_ip(struct trace_iterator *iter, unsigned long ip, int flags)
{
	seq_print_ip_sym(&iter->seq, ip, flags);
	trace_seq_puts(&iter->seq, ": ");
}

static enum print_line_t print_print_msg_only(struct trace_iterator *iter)
{
	put_bounded(iter, ((struct print_entry *)iter->ent)->buf);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t print_bputs_msg_only(struct trace_iterator *iter)
{
	const char *str = ((struct bputs_entry *)iter->ent)->str;

	/* NULL: there was no memory to keep a module's, see printk_formats.c */
	trace_seq_puts(&iter->seq, str ?: "\n");
	return trace_handle_return(&iter->seq);
}

static enum print_line_t print_bprint_msg_only(struct trace_iterator *iter)
{
	struct bprint_entry *ent = (struct bprint_entry *)iter->ent;

	trace_seq_bprintf(&iter->seq, ent->fmt, ent->buf);
	return trace_handle_return(&iter->seq);
}

/* The text of a message without where it comes from; UNHANDLED for other entries. */
enum print_line_t print_msg_only(struct trace_iterator *iter)
{
	switch (iter->ent->type) {
	case TRACE_BPUTS:
		return print_bputs_msg_only(iter);
	case TRACE_BPRINT:
		return print_bprint_msg_only(iter);
	case TRACE_PRINT:
		return print_print_msg_only(iter);
	default:
		return TRACE_TYPE_UNHANDLED;
	}
}

/* All messages begin with where they come from. */
static_assert(offsetof(struct print_entry, ip) == offsetof(struct bputs_entry, ip));
static_assert(offsetof(struct print_entry, ip) == offsetof(struct bprint_entry, ip));

static enum print_line_t print_msg(struct trace_iterator *iter, int flags,
				   struct trace_event *event)
{
	put_ip(iter, ((struct print_entry *)iter->ent)->ip, flags);
	return print_msg_only(iter);
}

static enum print_line_t print_msg_raw(struct trace_iterator *iter, int flags,
				       struct trace_event *event)
{
	trace_seq_printf(&iter->seq, iter->ent->type == TRACE_PRINT ? "# %lx " : ": %lx : ",
			 ((struct print_entry *)iter->ent)->ip);
	return print_msg_only(iter);
}

static enum print_line_t print_raw_data(struct trace_iterator *iter, int flags,
					struct trace_event *event)
{
	struct raw_data_entry *ent = (struct raw_data_entry *)iter->ent;
	int len = iter->ent_size - offsetof(struct raw_data_entry, buf);

	trace_seq_printf(&iter->seq, "# %x buf:", ent->id);
	for (int i = 0; i < len; i++)
		trace_seq_printf(&iter->seq, " %02x", (unsigned char)ent->buf[i]);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static enum print_line_t print_stack(struct trace_iterator *iter, int flags,
				     struct trace_event *event)
{
	struct stack_entry *ent = (struct stack_entry *)iter->ent;
	struct trace_seq *s = &iter->seq;
	int room = (iter->ent_size - (int)offsetof(struct stack_entry, caller)) /
		   (int)sizeof(ent->caller[0]);

	trace_seq_puts(s, "<stack trace>\n");
	for (int i = 0; i < min(ent->size, room) && ent->caller[i] != ULONG_MAX; i++) {
		if (trace_seq_has_overflowed(s))
			break;
		trace_seq_puts(s, " => ");
		seq_print_ip_sym(s, ent->caller[i], flags);
		trace_seq_putc(s, '\n');
	}
	return trace_handle_return(s);
}

/*
 * A process may have its own lock for as long as a server of files takes to answer it. Who prints
 * is waited for, with locks that all of tracefs needs (printer_registry.c), so he does not wait for
 * that: some ticks, in which all get it that are not stuck.
 */
static bool lock_process(struct mm_struct *mm)
{
	for (int tries = 0; !mmap_read_trylock(mm); tries++) {
		if (tries == 5)
			return false;
		schedule_timeout_uninterruptible(1);
	}
	return true;
}

/* The file that @ip is mapped from and the offset in it; mm's lock. Return: was there one? */
static bool put_user_file(struct trace_seq *s, struct mm_struct *mm, unsigned long ip)
{
	struct vm_area_struct *vma = vma_lookup(mm, ip);

	if (!vma || !vma->vm_file)
		return false;
	trace_seq_path(s, file_user_path(vma->vm_file));
	trace_seq_printf(s, "[+0x%lx]", ip - vma->vm_start);
	return true;
}

/* The memory of a process that may be gone by now. Tests put a stub in its place. */
VISIBLE_IF_KUNIT struct mm_struct *trace_process_mm(pid_t tgid)
{
	struct task_struct *task;
	struct mm_struct *mm = NULL;

	KUNIT_STATIC_STUB_REDIRECT(trace_process_mm, tgid);

	rcu_read_lock();
	task = find_task_by_vpid(tgid);
	if (task)
		mm = get_task_mm(task);
	rcu_read_unlock();
	return mm;
}

/* Should it be the last reference, then who prints does not take the memory down, either. */
static void put_process_mm(struct mm_struct *mm)
{
#ifdef CONFIG_MMU
	mmput_async(mm);
#else
	mmput(mm);
#endif
}

static enum print_line_t print_user_stack(struct trace_iterator *iter, int flags,
					  struct trace_event *event)
{
	struct userstack_entry *ent = (struct userstack_entry *)iter->ent;
	bool by_file = iter->tr->trace_flags & TRACE_ITER_SYM_USEROBJ;
	struct trace_seq *s = &iter->seq;
	struct mm_struct *mm = NULL;
	bool locked;

	/* ftrace_dump() can not wait for a lock */
	if (by_file && !(iter->iter_flags & TRACE_FILE_ATOMIC))
		mm = trace_process_mm(ent->tgid);
	locked = mm && lock_process(mm);
	trace_seq_puts(s, "<user stack trace>\n");
	for (int i = 0; i < FTRACE_STACK_ENTRIES; i++) {
		unsigned long ip = ent->caller[i];
		bool named;

		if (!ip || ip == ULONG_MAX || trace_seq_has_overflowed(s))
			break;
		trace_seq_puts(s, " => ");
		named = locked && put_user_file(s, mm, ip);
		if (!named || (flags & TRACE_ITER_SYM_ADDR))
			trace_seq_printf(s, " <%016lx>", ip);
		trace_seq_putc(s, '\n');
	}
	if (locked)
		mmap_read_unlock(mm);
	if (mm)
		put_process_mm(mm);
	return trace_handle_return(s);
}

static enum print_line_t print_switch(struct trace_iterator *iter, int flags,
				      struct trace_event *event)
{
	struct ctx_switch_entry *ent = (struct ctx_switch_entry *)iter->ent;
	char comm[TASK_COMM_LEN];

	trace_find_cmdline(ent->next_pid, comm);
	trace_seq_printf(&iter->seq, " %7d:%3d:%c %s [%03d] %7d:%3d:%c %s\n",
			 ent->prev_pid, ent->prev_prio, task_index_to_char(ent->prev_state),
			 ent->ent.type == TRACE_CTX ? "==>" : "  +", ent->next_cpu,
			 ent->next_pid, ent->next_prio, task_index_to_char(ent->next_state), comm);
	return trace_handle_return(&iter->seq);
}

/* A wake-up has always had a sign where the state of the task that wakes would be. */
static char first_state(const struct ctx_switch_entry *ent)
{
	return ent->ent.type == TRACE_WAKE ? '+' : task_index_to_char(ent->prev_state);
}

static enum print_line_t print_switch_raw(struct trace_iterator *iter, int flags,
					  struct trace_event *event)
{
	struct ctx_switch_entry *ent = (struct ctx_switch_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%d %d %c %d %d %d %c\n", ent->prev_pid, ent->prev_prio,
			 first_state(ent), ent->next_cpu, ent->next_pid, ent->next_prio,
			 task_index_to_char(ent->next_state));
	return trace_handle_return(&iter->seq);
}

/* The two states have never been of one size. */
static enum print_line_t print_switch_hex(struct trace_iterator *iter, int flags,
					  struct trace_event *event)
{
	struct ctx_switch_entry *ent = (struct ctx_switch_entry *)iter->ent;
	int state = task_index_to_char(ent->next_state);
	struct trace_seq *s = &iter->seq;
	char first = first_state(ent);

	SEQ_PUT_HEX_FIELD(s, ent->prev_pid);
	SEQ_PUT_HEX_FIELD(s, ent->prev_prio);
	SEQ_PUT_HEX_FIELD(s, first);
	SEQ_PUT_HEX_FIELD(s, ent->next_cpu);
	SEQ_PUT_HEX_FIELD(s, ent->next_pid);
	SEQ_PUT_HEX_FIELD(s, ent->next_prio);
	SEQ_PUT_HEX_FIELD(s, state);
	return trace_handle_return(s);
}

static enum print_line_t print_switch_bin(struct trace_iterator *iter, int flags,
					  struct trace_event *event)
{
	struct ctx_switch_entry *ent = (struct ctx_switch_entry *)iter->ent;
	struct trace_seq *s = &iter->seq;

	SEQ_PUT_FIELD(s, ent->prev_pid);
	SEQ_PUT_FIELD(s, ent->prev_prio);
	SEQ_PUT_FIELD(s, ent->prev_state);
	SEQ_PUT_FIELD(s, ent->next_cpu);
	SEQ_PUT_FIELD(s, ent->next_pid);
	SEQ_PUT_FIELD(s, ent->next_prio);
	SEQ_PUT_FIELD(s, ent->next_state);
	return trace_handle_return(s);
}

#ifndef CONFIG_FUNCTION_TRACER
/* Where sections begin and end; otherwise the function tracer prints it. */
static enum print_line_t print_fn(struct trace_iterator *iter, int flags,
				  struct trace_event *event)
{
	struct ftrace_entry *ent = (struct ftrace_entry *)iter->ent;

	seq_print_ip_sym(&iter->seq, ent->ip, flags);
	if ((flags & TRACE_ITER_PRINT_PARENT) && ent->parent_ip) {
		trace_seq_puts(&iter->seq, " <-");
		seq_print_ip_sym(&iter->seq, ent->parent_ip, flags);
	}
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions fn_funcs = { .trace = print_fn };
#endif

static struct trace_event_functions switch_funcs = {
	.trace	= print_switch,
	.raw	= print_switch_raw,
	.hex	= print_switch_hex,
	.binary	= print_switch_bin,
};

static struct trace_event_functions msg_funcs = { .trace = print_msg, .raw = print_msg_raw };
static struct trace_event_functions raw_data_funcs = {
	.trace	= print_raw_data,
	.raw	= print_raw_data,
};

static struct trace_event_functions stack_funcs = { .trace = print_stack };
static struct trace_event_functions user_stack_funcs = { .trace = print_user_stack };

static struct trace_event fixed_events[] __ro_after_init = {
#ifndef CONFIG_FUNCTION_TRACER
	{ .type = TRACE_FN,		.funcs = &fn_funcs },
#endif
	{ .type = TRACE_CTX,		.funcs = &switch_funcs },
	{ .type = TRACE_WAKE,		.funcs = &switch_funcs },
	{ .type = TRACE_PRINT,		.funcs = &msg_funcs },
	{ .type = TRACE_BPRINT,		.funcs = &msg_funcs },
	{ .type = TRACE_BPUTS,		.funcs = &msg_funcs },
	{ .type = TRACE_RAW_DATA,	.funcs = &raw_data_funcs },
	{ .type = TRACE_STACK,		.funcs = &stack_funcs },
	{ .type = TRACE_USER_STACK,	.funcs = &user_stack_funcs },
};

int __init trace_entries_init(void)
{
	return register_trace_events(fixed_events, ARRAY_SIZE(fixed_events));
}
