/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls as events. SYSCALL_DEFINEx() makes a struct syscall_metadata
 * for each, in section __syscalls_metadata.
 */
#ifndef _TRACE_SYSCALL_H
#define _TRACE_SYSCALL_H

#include <linux/sched.h>
#include <linux/thread_info.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/unistd.h>

#include <asm/ptrace.h>

/**
 * struct syscall_metadata - a system call
 * @name:	with the architecture's prefix, such as "sys_read"
 * @syscall_nr:	its number; -1 as long as nobody found it in the system call table
 * @nb_args:	how many arguments it takes
 * @types:	their types as text
 * @args:	their names; as many as @types
 * @enter_fields: the fields of @enter_event; those of exits are common to all
 * @enter_event: sys_enter_NAME
 * @exit_event:	sys_exit_NAME
 */
struct syscall_metadata {
	const char		*name;
	int			syscall_nr;
	int			nb_args;
	const char		**types;
	const char		**args;
	struct list_head	enter_fields;
	struct trace_event_call	*enter_event;
	struct trace_event_call	*exit_event;
};

/* A new task inherits from the current one whether its system calls are traced. fork() calls it. */
static inline void syscall_tracepoint_update(struct task_struct *p)
{
#if defined(CONFIG_TRACEPOINTS) && defined(CONFIG_HAVE_SYSCALL_TRACEPOINTS)
	if (!test_syscall_work(SYSCALL_TRACEPOINT))
		clear_task_syscall_work(p, SYSCALL_TRACEPOINT);
	else
		set_task_syscall_work(p, SYSCALL_TRACEPOINT);
#endif
}

#endif /* _TRACE_SYSCALL_H */
