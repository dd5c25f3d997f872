// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events of single system calls: syscalls:sys_enter_NAME, sys_exit_NAME.
 *
 * There is no tracepoint for each: all hang on raw_syscalls:sys_enter and
 * sys_exit. An instance that has one of them on keeps a table from number to event
 * file and one probe for each direction, which looks the running call up.
 * SYSCALL_DEFINEx() leaves the names and types of the arguments in
 * __syscalls_metadata; the numbers come from the system call table at boot.
 */
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/trace_events.h>

#include <asm/syscall.h>
#include <trace/events/syscalls.h>
#include <trace/syscall.h>

#include "../output/output.h"
#include "internal.h"
#include "perf.h"

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

static struct syscall_metadata *syscall_by_nr[NR_syscalls] __ro_after_init;

#ifndef ARCH_HAS_SYSCALL_MATCH_SYM_NAME
static inline bool arch_syscall_match_sym_name(const char *sym, const char *name)
{
	/* "sys_" or a prefix of the same length before the name */
	return !strcmp(sym + 3, name + 3);
}
#endif

static int current_syscall(struct pt_regs *regs)
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

static struct syscall_metadata *meta_of(int nr)
{
	return nr >= 0 && nr < NR_syscalls ? syscall_by_nr[nr] : NULL;
}

const char *event_syscall_name(unsigned long nr)
{
	struct syscall_metadata *meta = nr < NR_syscalls ? meta_of(nr) : NULL;

	return meta ? meta->name : NULL;
}

static struct syscall_metadata *meta_of_call(const struct trace_event_call *call)
{
	return call->data;
}

/* --- printing */

static enum print_line_t print_enter(struct trace_iterator *iter, int flags,
				     struct trace_event *event)
{
	struct enter_record *rec = (void *)iter->ent;
	struct syscall_metadata *meta = meta_of(rec->nr);
	struct trace_seq *s = &iter->seq;

	if (!meta || WARN_ON_ONCE(meta->enter_event->event.type != rec->ent.type))
		goto out;

	trace_seq_printf(s, "%s(", meta->name);
	for (int i = 0; i < meta->nb_args; i++) {
		if (trace_seq_has_overflowed(s))
			break;
		if (i)
			trace_seq_puts(s, ", ");
		if (iter->tr->trace_flags & TRACE_ITER_VERBOSE)
			trace_seq_printf(s, "%s ", meta->types[i]);
		trace_seq_printf(s, "%s: %lx", meta->args[i], rec->args[i]);
	}
	trace_seq_putc(s, ')');
out:
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

static enum print_line_t print_exit(struct trace_iterator *iter, int flags,
				    struct trace_event *event)
{
	struct exit_record *rec = (void *)iter->ent;
	struct syscall_metadata *meta = meta_of(rec->nr);
	struct trace_seq *s = &iter->seq;

	if (!meta || WARN_ON_ONCE(meta->exit_event->event.type != rec->ent.type))
		trace_seq_putc(s, '\n');
	else
		trace_seq_printf(s, "%s -> 0x%lx\n", meta->name, rec->ret);
	return trace_handle_return(s);
}

struct trace_event_functions enter_syscall_print_funcs = {
	.trace	= print_enter,
};

struct trace_event_functions exit_syscall_print_funcs = {
	.trace	= print_exit,
};

/* --- fields and format */

static struct list_head *enter_fields(struct trace_event_call *call)
{
	return &meta_of_call(call)->enter_fields;
}

static int define_args(struct trace_event_call *call)
{
	struct syscall_metadata *meta = meta_of_call(call);
	int offset = offsetof(struct enter_record, args);
	int ret = 0;

	for (int i = 0; i < meta->nb_args && !ret; i++) {
		ret = trace_define_field(call, meta->types[i], meta->args[i], offset,
					 sizeof(unsigned long), 0, FILTER_OTHER);
		offset += sizeof(unsigned long);
	}
	return ret;
}

#define FIELD(_type, _name) {							\
	.type = #_type, .name = #_name, .size = sizeof(_type),			\
	.align = __alignof__(_type), .is_signed = 1, .filter_type = FILTER_OTHER }

static struct trace_event_fields enter_fields_array[] = {
	FIELD(int, __syscall_nr),
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = define_args },
	{}
};

static struct trace_event_fields exit_fields_array[] = {
	FIELD(int, __syscall_nr),
	FIELD(long, ret),
	{}
};

static size_t put_enter_fmt(char *buf, size_t size, const struct syscall_metadata *meta)
{
	size_t pos = snprintf(buf, size, "\"");

#define PUT(fmt, ...)	(pos += snprintf(size > pos ? buf + pos : NULL, \
					 size > pos ? size - pos : 0, fmt, __VA_ARGS__))
	for (int i = 0; i < meta->nb_args; i++)
		PUT("%s%s: 0x%%0%zulx", i ? ", " : "", meta->args[i], sizeof(unsigned long));
	PUT("%s", "\"");
	for (int i = 0; i < meta->nb_args; i++)
		PUT(", ((unsigned long)(REC->%s))", meta->args[i]);
#undef PUT
	return pos;
}

static int make_print_fmt(struct trace_event_call *call)
{
	struct syscall_metadata *meta = meta_of_call(call);
	size_t size;
	char *fmt;

	if (call == meta->exit_event) {
		call->print_fmt = "\"0x%lx\", REC->ret";
		return 0;
	}

	size = put_enter_fmt(NULL, 0, meta) + 1;
	fmt = kmalloc(size, GFP_KERNEL);
	if (!fmt)
		return -ENOMEM;
	put_enter_fmt(fmt, size, meta);
	call->print_fmt = fmt;
	return 0;
}

static int syscall_raw_init(struct trace_event_call *call)
{
	struct syscall_metadata *meta = meta_of_call(call);
	int ret;

	/* defined, but not in this architecture's table */
	if (!meta_of(meta->syscall_nr))
		return -ENOENT;

	ret = make_print_fmt(call);
	if (ret)
		return ret;
	ret = trace_event_raw_init(call);
	if (ret && call == meta->enter_event)
		kfree(call->print_fmt);
	return ret;
}

/* --- recording */

static struct trace_event_file *file_to_record(struct syscall_files *table, int nr)
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

static int record_start(enum direction dir, struct trace_event_file *file, int nr)
{
	struct syscall_files *table = table_find(dir, file->tr) ?: table_create(dir, file->tr);

	if (IS_ERR(table))
		return PTR_ERR(table);
	rcu_assign_pointer(table->file[nr], file);
	table->users++;
	return 0;
}

static void record_stop(enum direction dir, struct trace_event_file *file, int nr)
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

/* --- perf */

#ifdef CONFIG_PERF_EVENTS

static DECLARE_BITMAP(perf_calls[DIRECTIONS], NR_syscalls);
static unsigned int perf_users[DIRECTIONS];	/* event_mutex */

/* What a BPF program sees; a pointer to the registers takes the place of the header. */
struct bpf_syscall_args {
	struct trace_entry	ent;
	int			nr;
	unsigned long		args[6];
} __aligned(8);

static bool bpf_wants_it(struct trace_event_call *call, struct pt_regs *scratch, int nr,
			 const unsigned long *args, int nr_args)
{
	struct bpf_syscall_args ctx;

	BUILD_BUG_ON(sizeof(ctx.ent) < sizeof(scratch));

	/* bpf_get_stackid() and its like take the registers from there */
	perf_fetch_caller_regs(scratch);
	*(struct pt_regs **)&ctx = scratch;
	ctx.nr = nr;
	memcpy(ctx.args, args, nr_args * sizeof(*args));
	return trace_call_bpf(call, &ctx);
}

/* A record under way to perf. */
struct perf_record {
	struct trace_event_call	*call;
	struct hlist_head	*head;
	struct pt_regs		*scratch;
	void			*data;
	int			size;
	int			rctx;
};

static void *perf_begin(struct perf_record *rec, struct trace_event_call *call, size_t size)
{
	rec->call = call;
	rec->head = this_cpu_ptr(call->perf_events);
	if (!bpf_prog_array_valid(call) && hlist_empty(rec->head))
		return NULL;

	rec->size = PERF_RECORD_SIZE(size);
	rec->data = perf_trace_buf_alloc(rec->size, &rec->scratch, &rec->rctx);
	return rec->data;
}

static void perf_finish(struct perf_record *rec, struct pt_regs *regs, int nr,
			const unsigned long *args, int nr_args)
{
	struct trace_event_call *call = rec->call;
	bool wanted = !bpf_prog_array_valid(call) ||
		      bpf_wants_it(call, rec->scratch, nr, args, nr_args);

	if (wanted && !hlist_empty(rec->head))
		perf_trace_buf_submit(rec->data, rec->size, rec->rctx, call->event.type, 1, regs,
				      rec->head, NULL);
	else
		perf_swevent_put_recursion_context(rec->rctx);
}

static void perf_probe_enter(void *unused, struct pt_regs *regs, long id)
{
	int nr = current_syscall(regs);
	struct syscall_metadata *meta;
	struct enter_record *entry;
	struct perf_record rec;
	unsigned long args[6];

	/* pairs with perf_start() */
	if (nr < 0 || !test_bit_acquire(nr, perf_calls[ENTER]))
		return;

	meta = syscall_by_nr[nr];
	entry = perf_begin(&rec, meta->enter_event, struct_size(entry, args, meta->nb_args));
	if (!entry)
		return;

	entry->nr = nr;
	memset(entry->pad, 0, sizeof(entry->pad));
	syscall_get_arguments(current, regs, args);
	memcpy(entry->args, args, meta->nb_args * sizeof(args[0]));
	perf_finish(&rec, regs, nr, args, meta->nb_args);
}

static void perf_probe_exit(void *unused, struct pt_regs *regs, long ret)
{
	int nr = current_syscall(regs);
	struct exit_record *entry;
	struct perf_record rec;
	unsigned long value;

	/* pairs with perf_start() */
	if (nr < 0 || !test_bit_acquire(nr, perf_calls[EXIT]))
		return;

	entry = perf_begin(&rec, syscall_by_nr[nr]->exit_event, sizeof(*entry));
	if (!entry)
		return;

	entry->nr = nr;
	memset(entry->pad, 0, sizeof(entry->pad));
	entry->ret = syscall_get_return_value(current, regs);
	value = entry->ret;
	perf_finish(&rec, regs, nr, &value, 1);
}

static int perf_start(enum direction dir, int nr)
{
	int ret = 0;

	if (!perf_users[dir])
		ret = dir == ENTER ? register_trace_sys_enter(perf_probe_enter, NULL) :
				     register_trace_sys_exit(perf_probe_exit, NULL);
	if (ret) {
		pr_info("event trace: Could not activate syscall %s trace point\n",
			dir == ENTER ? "entry" : "exit");
		return ret;
	}
	perf_users[dir]++;
	/*
	 * With another call open the probe runs already. Who sees the bit sees the lists
	 * in perf_events that perf_register() set up, empty; pairs with test_bit_acquire().
	 */
	smp_mb__before_atomic();
	set_bit(nr, perf_calls[dir]);
	return 0;
}

static void perf_stop(enum direction dir, int nr)
{
	clear_bit(nr, perf_calls[dir]);
	if (--perf_users[dir])
		return;
	if (dir == ENTER)
		unregister_trace_sys_enter(perf_probe_enter, NULL);
	else
		unregister_trace_sys_exit(perf_probe_exit, NULL);
}
#endif /* CONFIG_PERF_EVENTS */

/* --- the two classes */

static int syscall_reg(enum direction dir, struct trace_event_call *call, enum trace_reg type,
		       void *data)
{
	int nr = meta_of_call(call)->syscall_nr;

	if (WARN_ON_ONCE(!meta_of(nr)))
		return -ENOENT;

	switch (type) {
	case TRACE_REG_REGISTER:
		return record_start(dir, data, nr);
	case TRACE_REG_UNREGISTER:
		record_stop(dir, data, nr);
		return 0;
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return perf_start(dir, nr);
	case TRACE_REG_PERF_UNREGISTER:
		perf_stop(dir, nr);
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
	.fields_array	= enter_fields_array,
	.get_fields	= enter_fields,
	.raw_init	= syscall_raw_init,
};

struct trace_event_class __refdata event_class_syscall_exit = {
	.system		= "syscalls",
	.reg		= exit_reg,
	.fields_array	= exit_fields_array,
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
