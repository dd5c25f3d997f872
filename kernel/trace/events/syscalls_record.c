// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls, recorded to instances.
 *
 * An instance that has the event of one on keeps a table from number to event file and one probe
 * for each direction, which looks the running call up.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include <trace/events/syscalls.h>

#include "internal.h"
#include "syscalls.h"

/**
 * struct syscall_files - the system calls that an instance records, one direction
 * @rcu:	frees it
 * @list:	in syscall_tables; event_mutex
 * @tr:		the instance
 * @users:	entries of @file that are set; event_mutex
 * @file:	by number; written under event_mutex, read by the probe
 */
struct syscall_files {
	struct rcu_head			rcu;
	struct list_head		list;
	struct trace_array		*tr;
	unsigned int			users;
	struct trace_event_file __rcu	*file[NR_syscalls];
};

static struct list_head syscall_tables[DIRECTIONS] = {
	LIST_HEAD_INIT(syscall_tables[ENTER]),
	LIST_HEAD_INIT(syscall_tables[EXIT]),
};

static __always_inline struct trace_event_file *file_to_record(struct syscall_files *table, int nr)
{
	struct trace_event_file *file;

	if (nr < 0)
		return NULL;
	file = rcu_dereference_sched(table->file[nr]);
	return file && !trace_trigger_soft_disabled(file) ? file : NULL;
}

/* Named as they are since the names stand in stacks that triggers record. */
static void ftrace_syscall_enter(void *data, struct pt_regs *regs, long id)
{
	int nr = current_syscall(regs);
	struct trace_event_file *file = file_to_record(data, nr);
	struct trace_event_buffer fbuffer __uninitialized;
	struct syscall_metadata *meta;
	struct enter_record *rec;
	unsigned long args[6];

	if (!file)
		return;

	meta = syscall_by_nr[nr];
	rec = trace_event_buffer_reserve(&fbuffer, file,
					 struct_size(rec, args, meta->nb_args));
	if (!rec)
		return;

	rec->nr = nr;
	syscall_get_arguments(current, regs, args);
	memcpy(rec->args, args, meta->nb_args * sizeof(args[0]));
	trace_event_buffer_commit(&fbuffer);
}

static void ftrace_syscall_exit(void *data, struct pt_regs *regs, long ret)
{
	int nr = current_syscall(regs);
	struct trace_event_file *file = file_to_record(data, nr);
	struct trace_event_buffer fbuffer __uninitialized;
	struct exit_record *rec;

	if (!file)
		return;

	rec = trace_event_buffer_reserve(&fbuffer, file, sizeof(*rec));
	if (!rec)
		return;

	rec->nr = nr;
	rec->ret = syscall_get_return_value(current, regs);
	trace_event_buffer_commit(&fbuffer);
}

static int probe_attach(enum direction dir, struct syscall_files *table)
{
	return dir == ENTER ? register_trace_sys_enter(ftrace_syscall_enter, table) :
			      register_trace_sys_exit(ftrace_syscall_exit, table);
}

static void probe_detach(enum direction dir, struct syscall_files *table)
{
	if (dir == ENTER)
		unregister_trace_sys_enter(ftrace_syscall_enter, table);
	else
		unregister_trace_sys_exit(ftrace_syscall_exit, table);
}

static struct syscall_files *table_find(enum direction dir, struct trace_array *tr)
{
	struct syscall_files *table;

	list_for_each_entry(table, &syscall_tables[dir], list)
		if (table->tr == tr)
			return table;
	return NULL;
}

static struct syscall_files *table_create(enum direction dir, struct trace_array *tr)
{
	struct syscall_files *table = kvzalloc(sizeof(*table), GFP_KERNEL);
	int ret;

	if (!table)
		return ERR_PTR(-ENOMEM);
	table->tr = tr;
	ret = probe_attach(dir, table);
	if (ret) {
		kvfree(table);
		return ERR_PTR(ret);
	}
	list_add(&table->list, &syscall_tables[dir]);
	return table;
}

static void table_free_now(struct rcu_head *head)
{
	kvfree(container_of(head, struct syscall_files, rcu));
}

/* What tracepoint_synchronize_unregister() waits for, one after the other. */
static void table_free_after_rcu(struct rcu_head *head)
{
	call_srcu(&tracepoint_srcu, head, table_free_now);
}

int syscall_record_start(enum direction dir, struct trace_event_file *file, int nr)
{
	struct syscall_files *table = table_find(dir, file->tr) ?: table_create(dir, file->tr);

	if (IS_ERR(table))
		return PTR_ERR(table);
	rcu_assign_pointer(table->file[nr], file);
	table->users++;
	return 0;
}

void syscall_record_stop(enum direction dir, struct trace_event_file *file, int nr)
{
	struct syscall_files *table = table_find(dir, file->tr);

	if (WARN_ON_ONCE(!table))
		return;
	RCU_INIT_POINTER(table->file[nr], NULL);
	if (--table->users)
		return;

	probe_detach(dir, table);
	list_del(&table->list);
	/* Whoever switches off does not wait for probes that run; nor do they need @file then. */
	call_rcu(&table->rcu, table_free_after_rcu);
}
