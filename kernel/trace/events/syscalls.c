// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events of single system calls: syscalls:sys_enter_NAME, sys_exit_NAME.
 *
 * There is no tracepoint for each: all hang on raw_syscalls:sys_enter and
 * sys_exit, see syscalls_record.c and syscalls_perf.c. SYSCALL_DEFINEx() leaves
 * the names and types of the arguments in __syscalls_metadata; the numbers come
 * from the system call table at boot.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/trace_events.h>

#include <asm/syscall.h>
#include <trace/syscall.h>

#include "internal.h"
#include "syscalls.h"

struct syscall_metadata *syscall_by_nr[NR_syscalls] __ro_after_init;

#ifndef ARCH_HAS_SYSCALL_MATCH_SYM_NAME
static inline bool arch_syscall_match_sym_name(const char *sym, const char *name)
{
	/* "sys_" or a prefix of the same length before the name */
	return !strcmp(sym + 3, name + 3);
}
#endif

const char *event_syscall_name(unsigned long nr)
{
	struct syscall_metadata *meta = nr < NR_syscalls ? meta_of(nr) : NULL;

	return meta ? meta->name : NULL;
}

static int syscall_raw_init(struct trace_event_call *call)
{
	struct syscall_metadata *meta = meta_of_call(call);
	int ret;

	/* defined, but not in this architecture's table */
	if (!meta_of(meta->syscall_nr))
		return -ENOENT;

	ret = syscall_print_fmt_make(call);
	if (ret)
		return ret;
	ret = trace_event_raw_init(call);
	if (ret && call == meta->enter_event)
		kfree(call->print_fmt);
	return ret;
}

/* --- the two classes */

static struct list_head *enter_fields(struct trace_event_call *call)
{
	return &meta_of_call(call)->enter_fields;
}

static int syscall_reg(enum direction dir, struct trace_event_call *call, enum trace_reg type,
		       void *data)
{
	int nr = meta_of_call(call)->syscall_nr;

	if (WARN_ON_ONCE(!meta_of(nr)))
		return -ENOENT;

	switch (type) {
	case TRACE_REG_REGISTER:
		return syscall_record_start(dir, data, nr);
	case TRACE_REG_UNREGISTER:
		syscall_record_stop(dir, data, nr);
		return 0;
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return syscall_perf_start(dir, nr);
	case TRACE_REG_PERF_UNREGISTER:
		syscall_perf_stop(dir, nr);
		return 0;
#endif
	default:
		return 0;
	}
}

static int enter_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	return syscall_reg(ENTER, call, type, data);
}

static int exit_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	return syscall_reg(EXIT, call, type, data);
}

struct trace_event_class __refdata event_class_syscall_enter = {
	.system		= "syscalls",
	.reg		= enter_reg,
	.fields_array	= syscall_enter_fields,
	.get_fields	= enter_fields,
	.raw_init	= syscall_raw_init,
};

struct trace_event_class __refdata event_class_syscall_exit = {
	.system		= "syscalls",
	.reg		= exit_reg,
	.fields_array	= syscall_exit_fields,
	.fields		= LIST_HEAD_INIT(event_class_syscall_exit.fields),
	.raw_init	= syscall_raw_init,
};

/* --- boot */

/* An architecture whose table holds something else than addresses has its own. */
unsigned long __init __weak arch_syscall_addr(int nr)
{
	return (unsigned long)sys_call_table[nr];
}

static struct syscall_metadata *__init meta_at(unsigned long addr)
{
	struct syscall_metadata **iter;
	char symbol[KSYM_SYMBOL_LEN];

	kallsyms_lookup(addr, NULL, NULL, NULL, symbol);
	if (arch_syscall_match_sym_name(symbol, "sys_ni_syscall"))
		return NULL;

	for (iter = __start_syscalls_metadata; iter < __stop_syscalls_metadata; iter++)
		if (*iter && arch_syscall_match_sym_name(symbol, (*iter)->name))
			return *iter;
	return NULL;
}

/**
 * event_syscalls_init - give the described system calls their numbers
 *
 * Context: boot, before the events of system calls are registered.
 */
void __init event_syscalls_init(void)
{
	for (int nr = 0; nr < NR_syscalls; nr++) {
		struct syscall_metadata *meta = meta_at(arch_syscall_addr(nr));

		if (!meta)
			continue;
		meta->syscall_nr = nr;
		syscall_by_nr[nr] = meta;
	}
}
