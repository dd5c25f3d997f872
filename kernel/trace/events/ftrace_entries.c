// SPDX-License-Identifier: GPL-2.0-only
/*
 * events/ftrace/: the formats of the fixed entries, for those who read the
 * binary buffers. The entries themselves are written by the tracers and by
 * trace_printk(); they can be looked at here, not switched. perf can open the function entry.
 *
 * All formats are there in every configuration: a tool that knows them need
 * not ask what was built.
 */
#include <linux/init.h>
#include <linux/trace_events.h>

#include "../record/entries.h"
#include "../record/function_entries.h"
#include "internal.h"
#include "perf.h"

/* A number; its place follows from its size, as in a C structure. */
#define NUM(_type, _name)							\
	{ .type = #_type, .name = #_name, .size = sizeof(_type),		\
	  .align = __alignof__(_type), .is_signed = is_signed_type(_type),	\
	  .filter_type = FILTER_OTHER }
/* The address of a function */
#define FUNC(_name)								\
	{ .type = "unsigned long", .name = #_name, .size = sizeof(long),	\
	  .align = __alignof__(long), .filter_type = FILTER_TRACE_FN }
#define PTR(_type, _name)							\
	{ .type = #_type, .name = #_name, .size = sizeof(void *),		\
	  .align = __alignof__(void *), .filter_type = FILTER_OTHER }
/* An array of fixed length, which users have always seen as _text between the brackets */
#define ARRAY(_type, _name, _text, _len)					\
	{ .type = #_type "[" _text "]", .name = #_name,				\
	  .size = sizeof(_type[_len]), .align = __alignof__(_type),		\
	  .filter_type = FILTER_OTHER, .len = _len }
/* What is left of the record */
#define REST(_type, _name)							\
	{ .type = #_type "[]", .name = #_name, .align = __alignof__(_type),	\
	  .filter_type = FILTER_OTHER }

/* of context_switch and wakeup */
#define SWITCH_FIELDS								\
	{ NUM(unsigned int, prev_pid), NUM(unsigned int, next_pid),		\
	  NUM(unsigned int, next_cpu), NUM(unsigned char, prev_prio),		\
	  NUM(unsigned char, prev_state), NUM(unsigned char, next_prio),	\
	  NUM(unsigned char, next_state) }

struct fixed_entry {
	const char			*name;
	enum trace_type			type;
	const char			*print_fmt;
	struct trace_event_fields	fields[9];	/* the last one is empty */
};

static struct fixed_entry fixed_entries[] = {
	{
		"function", TRACE_FN,
		"\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip",
		{ FUNC(ip), FUNC(parent_ip), REST(unsigned long, args) },
	}, {
		"funcgraph_entry", TRACE_GRAPH_ENT,
		"\"--> %ps (%d)\", (void *)REC->func, REC->depth",
		{ NUM(unsigned long, func), NUM(int, depth), REST(unsigned long, args) },
	}, {
		"fgraph_retaddr_entry", TRACE_GRAPH_RETADDR_ENT,
		"\"--> %ps (%d) <- %ps\", (void *)REC->func, REC->depth, (void *)REC->retaddr",
		{ NUM(unsigned long, func), NUM(int, depth), NUM(unsigned long, retaddr),
		  REST(unsigned long, args) },
	}, {
		"funcgraph_exit", TRACE_GRAPH_RET,
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
		"\"<-- %ps (%d) (start: %llx  end: %llx) over: %d retval: %lx\", (void *)REC->func, REC->depth, REC->calltime, REC->rettime, REC->depth, REC->retval",
		{ NUM(unsigned long, func), NUM(unsigned long, retval), NUM(int, depth),
#else
		"\"<-- %ps (%d) (start: %llx  end: %llx) over: %d\", (void *)REC->func, REC->depth, REC->calltime, REC->rettime, REC->depth",
		{ NUM(unsigned long, func), NUM(int, depth),
#endif
		  NUM(unsigned int, overrun), NUM(unsigned long long, calltime),
		  NUM(unsigned long long, rettime) },
	}, {
		"context_switch", TRACE_CTX,
		"\"%u:%u:%u  ==> %u:%u:%u [%03u]\", REC->prev_pid, REC->prev_prio, REC->prev_state, REC->next_pid, REC->next_prio, REC->next_state, REC->next_cpu",
		SWITCH_FIELDS,
	}, {
		"wakeup", TRACE_WAKE,
		"\"%u:%u:%u  ==+ %u:%u:%u [%03u]\", REC->prev_pid, REC->prev_prio, REC->prev_state, REC->next_pid, REC->next_prio, REC->next_state, REC->next_cpu",
		SWITCH_FIELDS,
	}, {
		"kernel_stack", TRACE_STACK,
		"\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], (void *)REC->caller[1], (void *)REC->caller[2], (void *)REC->caller[3], (void *)REC->caller[4], (void *)REC->caller[5], (void *)REC->caller[6], (void *)REC->caller[7]",
		{ NUM(int, size), ARRAY(unsigned long, caller, "8", 8) },
	}, {
		"user_stack", TRACE_USER_STACK,
		"\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], (void *)REC->caller[1], (void *)REC->caller[2], (void *)REC->caller[3], (void *)REC->caller[4], (void *)REC->caller[5], (void *)REC->caller[6], (void *)REC->caller[7]",
		{ NUM(unsigned int, tgid), ARRAY(unsigned long, caller, "8", 8) },
	}, {
		"bprint", TRACE_BPRINT,
		"\"%ps: %s\", (void *)REC->ip, REC->fmt",
		{ NUM(unsigned long, ip), PTR(const char *, fmt), REST(u32, buf) },
	}, {
		"print", TRACE_PRINT,
		"\"%ps: %s\", (void *)REC->ip, REC->buf",
		{ NUM(unsigned long, ip), REST(char, buf) },
	}, {
		"raw_data", TRACE_RAW_DATA,
		"\"id:%04x %08x\", REC->id, (int)REC->buf[0]",
		{ NUM(unsigned int, id), REST(char, buf) },
	}, {
		"bputs", TRACE_BPUTS,
		"\"%ps: %s\", (void *)REC->ip, REC->str",
		{ NUM(unsigned long, ip), PTR(const char *, str) },
	}, {
		"mmiotrace_rw", TRACE_MMIO_RW,
		"\"%lx %lx %lx %d %x %x\", (unsigned long)REC->phys, REC->value, REC->pc, REC->map_id, REC->opcode, REC->width",
		{ NUM(resource_size_t, phys), NUM(unsigned long, value), NUM(unsigned long, pc),
		  NUM(int, map_id), NUM(unsigned char, opcode), NUM(unsigned char, width) },
	}, {
		"mmiotrace_map", TRACE_MMIO_MAP,
		"\"%lx %lx %lx %d %x\", (unsigned long)REC->phys, REC->virt, REC->len, REC->map_id, REC->opcode",
		{ NUM(resource_size_t, phys), NUM(unsigned long, virt), NUM(unsigned long, len),
		  NUM(int, map_id), NUM(unsigned char, opcode) },
	}, {
		"branch", TRACE_BRANCH,
		"\"%u:%s:%s (%u)%s\", REC->line, REC->func, REC->file, REC->correct, REC->constant ? \" CONSTANT\" : \"\"",
		{ NUM(unsigned int, line), ARRAY(char, func, "30+1", 31),
		  ARRAY(char, file, "20+1", 21),
		  NUM(char, correct), NUM(char, constant) },
	}, {
		"hwlat", TRACE_HWLAT,
		"\"cnt:%u\\tts:%010llu.%010lu\\tinner:%llu\\touter:%llu\\tcount:%d\\tnmi-ts:%llu\\tnmi-count:%u\\n\", REC->seqnum, REC->tv_sec, REC->tv_nsec, REC->duration, REC->outer_duration, REC->count, REC->nmi_total_ts, REC->nmi_count",
		{ NUM(u64, duration), NUM(u64, outer_duration), NUM(u64, nmi_total_ts),
		  NUM(s64, tv_sec), NUM(long, tv_nsec), NUM(unsigned int, nmi_count),
		  NUM(unsigned int, seqnum), NUM(unsigned int, count) },
	}, {
		"func_repeats", TRACE_FUNC_REPEATS,
		"\" %ps <-%ps\\t(repeats:%u  delta: -%llu)\", (void *)REC->ip, (void *)REC->parent_ip, REC->count, (((u64)(REC)->top_delta_ts << 32) | (REC)->bottom_delta_ts)",
		{ NUM(unsigned long, ip), NUM(unsigned long, parent_ip), NUM(u16, count),
		  NUM(u16, top_delta_ts), NUM(u32, bottom_delta_ts) },
	}, {
		"osnoise", TRACE_OSNOISE,
		"\"noise:%llu\\tmax_sample:%llu\\thw:%u\\tnmi:%u\\tirq:%u\\tsoftirq:%u\\tthread:%u\\n\", REC->noise, REC->max_sample, REC->hw_count, REC->nmi_count, REC->irq_count, REC->softirq_count, REC->thread_count",
		{ NUM(u64, noise), NUM(u64, runtime), NUM(u64, max_sample),
		  NUM(unsigned int, hw_count), NUM(unsigned int, nmi_count),
		  NUM(unsigned int, irq_count), NUM(unsigned int, softirq_count),
		  NUM(unsigned int, thread_count) },
	}, {
		"timerlat", TRACE_TIMERLAT,
		"\"seq:%u\\tcontext:%d\\ttimer_latency:%llu\\n\", REC->seqnum, REC->context, REC->timer_latency",
		{ NUM(unsigned int, seqnum), NUM(int, context), NUM(u64, timer_latency) },
	},
};

static struct trace_event_class fixed_classes[ARRAY_SIZE(fixed_entries)];
static struct trace_event_call fixed_calls[ARRAY_SIZE(fixed_entries)];

/* What is written must be what the formats say. */
static_assert(offsetof(struct ftrace_entry, args) == 24);
static_assert(offsetof(struct ftrace_graph_args_entry, args) == 24);
static_assert(offsetof(struct ftrace_graph_retaddr_entry, retaddr) == 24);
static_assert(offsetof(struct ftrace_graph_retaddr_entry, args) == 32);
static_assert(offsetof(struct print_entry, buf) == 16);
static_assert(offsetof(struct bprint_entry, fmt) == 16);
static_assert(offsetof(struct bprint_entry, buf) == 24);
static_assert(offsetof(struct bputs_entry, str) == 16);
static_assert(offsetof(struct raw_data_entry, buf) == 12);
static_assert(offsetof(struct stack_entry, size) == 8);
static_assert(offsetof(struct stack_entry, caller) == 16);
static_assert(offsetof(struct userstack_entry, caller) == 16);

static const struct event_function_class *function_class __ro_after_init;

/**
 * event_function_class_register - make the function event one that perf can open
 * @class: what makes it
 *
 * Context: boot, before trace_events_init().
 */
void __init event_function_class_register(const struct event_function_class *class)
{
	function_class = class;
}

/**
 * event_function_class - who makes an event, if it is the function event
 * @call: an event
 *
 * Context: any. Return: the class or NULL.
 */
const struct event_function_class *event_function_class(const struct trace_event_call *call)
{
	return function_class && call->class->reg == function_class->reg ? function_class : NULL;
}

/* Boot: it is the one that perf can open. */
static void __init function_event_init(struct trace_event_call *call)
{
#ifdef CONFIG_PERF_EVENTS
	if (!function_class)
		return;
	call->class->reg = function_class->reg;
	call->perf_perm = function_class->may_open;
#endif
}

/**
 * event_fixed_entries_init - register the fixed entries
 * @add: how
 *
 * Context: boot, event_mutex.
 * Return: 0 or the first error of @add.
 */
int __init event_fixed_entries_init(int (*add)(struct trace_event_call *call))
{
	for (int i = 0; i < ARRAY_SIZE(fixed_entries); i++) {
		struct trace_event_class *class = &fixed_classes[i];
		struct trace_event_call *call = &fixed_calls[i];
		int ret;

		class->system = "ftrace";
		class->fields_array = fixed_entries[i].fields;
		INIT_LIST_HEAD(&class->fields);

		call->class = class;
		call->name = fixed_entries[i].name;
		call->event.type = fixed_entries[i].type;
		call->print_fmt = (char *)fixed_entries[i].print_fmt;
		call->flags = TRACE_EVENT_FL_IGNORE_ENABLE;
		if (call->event.type == TRACE_FN)
			function_event_init(call);
		ret = add(call);
		if (ret)
			return ret;
	}
	return 0;
}
