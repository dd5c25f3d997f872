/* SPDX-License-Identifier: GPL-2.0-only */
/* Records and numbers of system calls, for the files of their events only. */
#ifndef _KERNEL_TRACE_EVENTS_SYSCALLS_H
#define _KERNEL_TRACE_EVENTS_SYSCALLS_H

#include <linux/ftrace.h>
#include <linux/sched.h>
#include <linux/trace_events.h>

#include <asm/syscall.h>
#include <asm/unistd.h>
#include <trace/syscall.h>

/* The records. @pad is cleared for perf, whose records unprivileged users may read. */
struct enter_record {
	struct trace_entry	ent;
	int			nr;
	int			pad[BITS_PER_LONG / 32 - 1];
	unsigned long		args[];
};

struct exit_record {
	struct trace_entry	ent;
	int			nr;
	int			pad[BITS_PER_LONG / 32 - 1];
	long			ret;
};

enum direction { ENTER, EXIT, DIRECTIONS };

/* syscalls.c: what is described, by number; made at boot */
extern struct syscall_metadata *syscall_by_nr[NR_syscalls];

static inline struct syscall_metadata *meta_of(int nr)
{
	return nr >= 0 && nr < NR_syscalls ? syscall_by_nr[nr] : NULL;
}

static inline struct syscall_metadata *meta_of_call(const struct trace_event_call *call)
{
	return call->data;
}

/* The number of the call that enters or returns; -1: one without events. */
static __always_inline int current_syscall(struct pt_regs *regs)
{
	int nr;

#ifdef ARCH_TRACE_IGNORE_COMPAT_SYSCALLS
	/* numbers of another table */
	if (unlikely(arch_trace_is_compat_syscall(regs)))
		return -1;
#endif
	nr = syscall_get_nr(current, regs);
	return nr >= 0 && nr < NR_syscalls ? nr : -1;
}

/* syscalls_format.c */
extern struct trace_event_fields syscall_enter_fields[];
extern struct trace_event_fields syscall_exit_fields[];
int syscall_print_fmt_make(struct trace_event_call *call);

/* syscalls_record.c: @file, of the call @nr, is switched on, or off; 0 or why not */
int syscall_record_start(enum direction dir, struct trace_event_file *file, int nr);
void syscall_record_stop(enum direction dir, struct trace_event_file *file, int nr);

/* syscalls_perf.c: perf has the call @nr open, or not any more; 0 or why not */
int syscall_perf_start(enum direction dir, int nr);
void syscall_perf_stop(enum direction dir, int nr);

#endif /* _KERNEL_TRACE_EVENTS_SYSCALLS_H */
