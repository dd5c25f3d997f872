// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a record of a system call looks like: its fields, its format, and as a line of text.
 */
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>

#include "../output/output.h"
#include "internal.h"
#include "syscalls.h"

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

struct trace_event_fields syscall_enter_fields[] = {
	FIELD(int, __syscall_nr),
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = define_args },
	{}
};

struct trace_event_fields syscall_exit_fields[] = {
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

int syscall_print_fmt_make(struct trace_event_call *call)
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
