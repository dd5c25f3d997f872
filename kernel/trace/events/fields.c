// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fields of events: what `format` shows and filters compare.
 *
 * The events of a class share one list of fields; the class declares them as
 * an array (TP_STRUCT__entry) or brings a function that defines them. Three
 * lists make up what a name may mean: the event's own fields, the generic ones that
 * are in no record (CPU, COMM, STACKTRACE), and the common ones of every header.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "internal.h"

LIST_HEAD(event_common_fields);
/* known to filters, not in the record */
static LIST_HEAD(event_generic_fields);

/* How a filter compares a field whose declaration does not say it. */
static int filter_type_of(const char *type)
{
	bool rel = str_has_prefix(type, "__rel_loc ");

	if (rel || str_has_prefix(type, "__data_loc ")) {
		if (strstr(type, "cpumask_t"))
			return FILTER_CPUMASK;
		/* of unsigned char, too */
		if (strstr(type, "char"))
			return rel ? FILTER_RDYN_STRING : FILTER_DYN_STRING;
		return FILTER_OTHER;
	}
	if (strchr(type, '[') && strstr(type, "char"))
		return FILTER_STATIC_STRING;
	if (!strcmp(type, "char *") || !strcmp(type, "const char *"))
		return FILTER_PTR_STRING;
	return FILTER_OTHER;
}

static struct ftrace_event_field *field_add(struct list_head *to, const char *type,
					    const char *name, int filter_type)
{
	struct ftrace_event_field *field = kzalloc(sizeof(*field), GFP_KERNEL);

	if (!field)
		return NULL;
	field->type = type;
	field->name = name;
	field->filter_type = filter_type == FILTER_OTHER ? filter_type_of(type) : filter_type;
	list_add_tail(&field->link, to);
	return field;
}

/**
 * trace_define_field - add a field to an event, or to all events of its class
 * @call: the event
 * @type: C type, arrays as "char[16]"; has to outlive the event
 * @name: of the member; has to outlive the event
 * @offset: in the record, bytes
 * @size: bytes
 * @is_signed: of a number
 * @filter_type: FILTER_*; FILTER_OTHER: to be taken from @type
 *
 * Context: task, while the event is being registered.
 * Return: 0, -ENOMEM, -EINVAL for an event without a class.
 */
int trace_define_field(struct trace_event_call *call, const char *type, const char *name,
		       int offset, int size, int is_signed, int filter_type)
{
	struct ftrace_event_field *field;

	if (WARN_ON(!call->class))
		return -EINVAL;

	field = field_add(trace_get_fields(call), type, name, filter_type);
	if (!field)
		return -ENOMEM;
	field->offset = offset;
	field->size = size;
	field->is_signed = is_signed;
	return 0;
}
EXPORT_SYMBOL_GPL(trace_define_field);

/* The class has its fields; this event's format prints one of them as no other before it. */
static void mark_strings(struct trace_event_fields *decl, struct list_head *head)
{
	struct ftrace_event_field *field;

	list_for_each_entry(field, head, link) {
		if (!decl->type || decl->type == TRACE_FUNCTION_TYPE)
			return;
		field->needs_test |= decl++->needs_test;
	}
}

/**
 * event_fields_define - make the list of fields that an event's class declares
 * @call: the event; nothing is done when an event of its class was here before
 *
 * Context: task, event_mutex.
 * Return: 0 or -ENOMEM or what the class's function says; no field is left then.
 */
int event_fields_define(struct trace_event_call *call)
{
	struct trace_event_fields *decl = call->class->fields_array;
	struct list_head *head = trace_get_fields(call);
	unsigned int offset = sizeof(struct trace_entry);
	struct ftrace_event_field *field;
	int ret = 0;

	if (decl && !list_empty(head) && (call->flags & TRACE_EVENT_FL_TEST_STR))
		mark_strings(decl, head);
	if (!decl || !list_empty(head))
		return 0;

	for (; decl->type; decl++) {
		if (decl->type == TRACE_FUNCTION_TYPE) {
			ret = decl->define_fields(call);
			break;
		}

		field = field_add(head, decl->type, decl->name, decl->filter_type);
		if (!field) {
			ret = -ENOMEM;
			break;
		}
		field->offset = ALIGN(offset, decl->align);
		field->size = decl->size;
		field->is_signed = decl->is_signed;
		field->needs_test = decl->needs_test;
		field->len = decl->len;
		offset = field->offset + decl->size;
	}

	if (ret)
		event_fields_destroy(call);
	return ret;
}

/**
 * event_fields_destroy - free an event's fields
 * @call: the event, the last of its class
 *
 * Context: task, event_mutex.
 */
void event_fields_destroy(struct trace_event_call *call)
{
	struct list_head *head = trace_get_fields(call);
	struct ftrace_event_field *field, *next;

	list_for_each_entry_safe(field, next, head, link) {
		list_del(&field->link);
		if (field->type_owned)
			kfree(field->type);
		kfree(field);
	}
}

/**
 * trace_event_get_offsets - bytes of an event's record without its dynamic part
 * @call: the event
 *
 * Context: any, while the event is registered.
 * Return: bytes, header included.
 */
int trace_event_get_offsets(struct trace_event_call *call)
{
	struct list_head *head = trace_get_fields(call);
	struct ftrace_event_field *last;

	if (list_empty(head))
		return sizeof(struct trace_entry);
	last = list_last_entry(head, struct ftrace_event_field, link);
	return last->offset + last->size;
}

static struct ftrace_event_field *field_named(struct list_head *head, const char *name)
{
	struct ftrace_event_field *field;

	list_for_each_entry(field, head, link)
		if (!strcmp(field->name, name))
			return field;
	return NULL;
}

/**
 * trace_find_event_field - find a field by name
 * @call: the event
 * @name: of a field of its own, a generic or a common one, in this order
 *
 * Context: task, event_mutex.
 * Return: the field or NULL.
 */
struct ftrace_event_field *trace_find_event_field(struct trace_event_call *call, char *name)
{
	return field_named(trace_get_fields(call), name) ?:
	       field_named(&event_generic_fields, name) ?:
	       field_named(&event_common_fields, name);
}

/* The event before this one, if it was of the same class, with the same format. Most are. */
static const struct trace_event_call *checked_before(const struct trace_event_call *call)
{
	const struct trace_event_call *last;

	if (list_empty(&ftrace_events))
		return NULL;
	last = list_last_entry(&ftrace_events, struct trace_event_call, list);
	return last->class == call->class && last->print_fmt == call->print_fmt ? last : NULL;
}

/**
 * trace_event_raw_init - give an event its number
 * @call: the event; its class's raw_init
 *
 * Context: task.
 * Return: 0, -ENODEV when there is no number left.
 */
int trace_event_raw_init(struct trace_event_call *call)
{
	const struct trace_event_call *last;

	if (!register_trace_event(&call->event))
		return -ENODEV;
	last = checked_before(call);
	if (last)
		call->flags |= last->flags & TRACE_EVENT_FL_TEST_STR;
	else
		event_print_fmt_check(call);
	return 0;
}
EXPORT_SYMBOL_GPL(trace_event_raw_init);

/* boot: the fields that are the same for all events */
int __init event_common_fields_init(void)
{
	static const struct {
		const char	*name;
		const char	*type;
		int		filter_type;
	} generic[] = {
		{ "CPU",	"int",		FILTER_CPU },
		{ "cpu",	"int",		FILTER_CPU },
		{ "common_cpu",	"int",		FILTER_CPU },
		{ "COMM",	"char *",	FILTER_COMM },
		{ "comm",	"char *",	FILTER_COMM },
		{ "STACKTRACE",	"char *",	FILTER_STACKTRACE },
		{ "stacktrace",	"char *",	FILTER_STACKTRACE },
	};
#define COMMON(_type, _member) {						\
	.type = #_type, .name = "common_" #_member,				\
	.offset = offsetof(struct trace_entry, _member),			\
	.size = sizeof(_type), .is_signed = is_signed_type(_type) }
	static const struct ftrace_event_field common[] = {
		COMMON(unsigned short, type),
		COMMON(unsigned char, flags),
		COMMON(unsigned char, preempt_count),
		COMMON(int, pid),
	};
#undef COMMON
	struct ftrace_event_field *field;

	for (int i = 0; i < ARRAY_SIZE(generic); i++)
		if (!field_add(&event_generic_fields, generic[i].type, generic[i].name,
			       generic[i].filter_type))
			return -ENOMEM;

	for (int i = 0; i < ARRAY_SIZE(common); i++) {
		field = field_add(&event_common_fields, common[i].type, common[i].name,
				  FILTER_OTHER);
		if (!field)
			return -ENOMEM;
		field->offset = common[i].offset;
		field->size = common[i].size;
		field->is_signed = common[i].is_signed;
	}
	return 0;
}
