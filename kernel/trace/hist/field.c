// SPDX-License-Identifier: GPL-2.0-only
/*
 * One field of an event, with its modifier, as a key, a value, a variable or an argument: looked
 * up, checked, and compiled into the steps that a hit takes.
 */
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "../events/filter.h"
#include "internal.h"

#define AS(_as)		BIT(HIST_AS_##_as)
#define AS_ANY		(AS(KEY) | AS(VALUE) | AS(VAR) | AS(ARG))
#define AS_SHOWN	(AS(KEY) | AS(VAR) | AS(ARG))

/*
 * What may stand behind the dot. @roles: the roles that it may be used in. In another role it is
 * refused: with @early at once, with the caret at the modifier; without, when all of the text has
 * been parsed, with the caret at its beginning. So a field that does not exist is reported first,
 * and an operand of an expression counts as a number, however it would be shown.
 */
static const struct modifier {
	const char	*name;
	u32		flag;
	unsigned int	roles;
	bool		early;
	bool		at_begin;	/* the base's caret is at the beginning then */
} modifiers[] = {
	{ "hex",	HIST_FL_HEX,		AS_ANY },
	{ "sym",	HIST_FL_SYM,		AS_SHOWN },
	{ "sym-offset",	HIST_FL_SYM_OFFSET,	AS_SHOWN, false, true },
	{ "execname",	HIST_FL_EXECNAME,	AS_ANY },
	{ "syscall",	HIST_FL_SYSCALL,	AS_SHOWN },
	{ "stacktrace",	HIST_FL_STACKTRACE,	AS_SHOWN },
	{ "log2",	HIST_FL_LOG2,		AS(KEY) | AS(ARG) },
	{ "buckets",	HIST_FL_BUCKETS,	AS(KEY) | AS(ARG) },
	{ "bucket",	HIST_FL_BUCKETS,	AS(KEY) | AS(ARG) },
	{ "usecs",	HIST_FL_USECS,		AS_ANY },
	{ "percent",	HIST_FL_PERCENT,	AS(VALUE), true },
	{ "quantiles",	HIST_FL_QUANTILES,	AS(VALUE), true },
	{ "graph",	HIST_FL_GRAPH,		AS(VALUE), true },
};

/**
 * hist_field_alloc - a field without anything
 * @nr_steps: how many steps it has room for
 *
 * Context: task.
 * Return: the field, NULL: no memory.
 */
struct hist_field *hist_field_alloc(unsigned int nr_steps)
{
	struct hist_field *field = kzalloc(struct_size(field, steps, nr_steps), GFP_KERNEL);

	if (field)
		field->ref = -1;
	return field;
}

/**
 * hist_field_free - free a field
 * @field: the field, or NULL
 *
 * Context: task.
 */
void hist_field_free(struct hist_field *field)
{
	if (IS_ERR_OR_NULL(field))
		return;
	kfree(field->var);
	kfree(field->name);
	kfree(field->type);
	kfree(field);
}

static int copy_text(char **to, const char *from)
{
	char *copy = NULL;

	if (from) {
		copy = kstrdup(from, GFP_KERNEL);
		if (!copy)
			return -ENOMEM;
	}
	kfree(*to);
	*to = copy;
	return 0;
}

/**
 * hist_field_set_names - name a field
 * @field: the field
 * @name: as it is printed
 * @type: C type
 * @var: name of the variable that it defines, or NULL
 *
 * Context: task.
 * Return: 0 or -ENOMEM.
 */
int hist_field_set_names(struct hist_field *field, const char *name, const char *type,
			 const char *var)
{
	if (copy_text(&field->name, name) || copy_text(&field->type, type) ||
	    copy_text(&field->var, var))
		return -ENOMEM;
	return 0;
}

/* "bucket=4", "buckets=0x10": the number. NULL, or where it is wrong */
static const char *parse_buckets(const char *modifier, u64 *buckets)
{
	const char *at = modifier + strlen("bucket");

	at += *at == 's';
	if (*at != '=')
		return at;
	at++;
	return kstrtou64(at, 0, buckets) || !*buckets ? at : NULL;
}

static int parse_modifier(struct hist_parse *p, struct hist_field *field, const char *name,
			  const char *modifier, enum hist_role role)
{
	bool buckets = str_has_prefix(modifier, "bucket");
	const char *wrong = buckets ? parse_buckets(modifier, &field->buckets) : NULL;

	if (wrong)
		return hist_refuse(p, HIST_ERR_BAD_FIELD_MODIFIER, wrong);
	for (unsigned int i = 0; i < ARRAY_SIZE(modifiers); i++) {
		const struct modifier *m = &modifiers[i];

		if (!(buckets && m->flag == HIST_FL_BUCKETS) && strcmp(modifier, m->name))
			continue;
		if (m->flag == HIST_FL_EXECNAME && strcmp(name, "common_pid"))
			break;
		if (m->early && !(m->roles & BIT(role)))
			return hist_refuse(p, HIST_ERR_BAD_FIELD_MODIFIER, modifier);
		field->flags |= m->flag;
		return 0;
	}
	return hist_refuse(p, HIST_ERR_BAD_FIELD_MODIFIER, modifier);
}

/**
 * hist_modifier_check - may a field have its modifier?
 * @p: the command
 * @field: the field as a whole
 * @role: what it is to be
 * @whole: as it is written
 *
 * Context: task, event_mutex.
 * Return: 0 or -EINVAL with a line in error_log.
 */
int hist_modifier_check(struct hist_parse *p, const struct hist_field *field, enum hist_role role,
			const char *whole)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(modifiers); i++) {
		const struct modifier *m = &modifiers[i];

		if ((field->flags & m->flag) && !(m->roles & BIT(role)))
			return hist_refuse(p, HIST_ERR_BAD_FIELD_MODIFIER,
					   m->at_begin ? NULL : whole);
	}
	return 0;
}

/* --- steps */

static void step_add(struct hist_field *field, enum hist_op op, u64 arg)
{
	field->steps[field->nr_steps++] = (struct hist_step){ .op = op, .arg = arg };
}

static void step_number(struct hist_field *to, const struct ftrace_event_field *field)
{
	struct hist_step *step = &to->steps[to->nr_steps++];
	unsigned int end = field->offset + field->size;

	*step = (struct hist_step){
		.op = HIST_OP_LOAD, .offset = field->offset, .size = field->size,
		.is_signed = field->is_signed,
	};
	/* see load_word() */
	if (FILTER_LOADS_WORDS ? end >= sizeof(u64) : field->offset % field->size == 0) {
		step->op = HIST_OP_WORD;
		if (FILTER_LOADS_WORDS)
			step->offset = end - sizeof(u64);
		step->shift = 8 * (sizeof(u64) - field->size);
		step->arg = field->is_signed ? ~0ULL : ~0ULL >> step->shift;
	}
}

static void step_modifiers(struct hist_field *field)
{
	if (field->flags & HIST_FL_LOG2)
		step_add(field, HIST_OP_LOG2, 0);
	if (field->flags & HIST_FL_BUCKETS)
		step_add(field, HIST_OP_BUCKETS, field->buckets);
}

/* --- what stands for no field of the event */

static int set_timestamp(struct hist_parse *p, struct hist_field *field, const char *var)
{
	field->flags |= HIST_FL_TIMESTAMP;
	field->size = sizeof(u64);
	p->hist->nr_times++;
	step_add(field, HIST_OP_TIME, !!(field->flags & HIST_FL_USECS));
	step_modifiers(field);
	return hist_field_set_names(field, "common_timestamp", "u64", var);
}

/* Frames are shown in one way: no other modifier is kept that would only say how. */
static void flag_stack(struct hist_field *field)
{
	field->flags = (field->flags & (HIST_FL_LOG2 | HIST_FL_BUCKETS)) | HIST_FL_STACKTRACE;
}

static int set_stacktrace(struct hist_field *field, const char *var)
{
	flag_stack(field);
	field->kind = HIST_STACK;
	field->source = HIST_FROM_HERE;
	field->size = HIST_STACK_DEPTH * sizeof(u64);
	return hist_field_set_names(field, "common_stacktrace", "unsigned long[]", var);
}

static int set_cpu(struct hist_field *field, const char *name, const char *var)
{
	field->flags |= HIST_FL_CPU;
	field->size = sizeof(int);
	step_add(field, HIST_OP_CPU, 0);
	step_modifiers(field);
	return hist_field_set_names(field, name, "unsigned int", var);
}

static int set_hitcount(struct hist_field *field, const char *var)
{
	field->flags |= HIST_FL_HITCOUNT;
	field->size = sizeof(u64);
	step_add(field, HIST_OP_CONST, 1);
	return hist_field_set_names(field, "hitcount", "u64", var);
}

/* --- a field of the event */

static int set_string(struct hist_field *to, const struct ftrace_event_field *field)
{
	to->size = HIST_STRING_MAX;
	switch (field->filter_type) {
	case FILTER_STATIC_STRING:
		to->source = HIST_FROM_ARRAY;
		to->length = field->size;
		to->size = field->size;
		break;
	case FILTER_DYN_STRING:
		to->source = HIST_FROM_DYNAMIC;
		break;
	case FILTER_RDYN_STRING:
		to->source = HIST_FROM_RELATIVE;
		break;
	case FILTER_PTR_STRING:
		to->source = HIST_FROM_POINTER;
		break;
	default:
		return -EINVAL;
	}
	to->flags |= HIST_FL_STRING;
	to->kind = HIST_STRING;
	to->offset = field->offset;
	return 0;
}

/* An array of addresses: fixed ones have no end of their own, so dynamic. */
static int set_stack_of(struct hist_field *to, const struct ftrace_event_field *field)
{
	bool relative = str_has_prefix(field->type, "__rel_loc ");

	if (!relative && !str_has_prefix(field->type, "__data_loc "))
		return -EINVAL;
	if (!strstr(field->type, "long"))
		return -EINVAL;
	to->kind = HIST_STACK;
	to->source = field->filter_type == FILTER_STACKTRACE ? HIST_FROM_COUNTED :
		     relative ? HIST_FROM_RELATIVE : HIST_FROM_DYNAMIC;
	to->size = HIST_STACK_DEPTH * sizeof(u64);
	to->offset = field->offset;
	return 0;
}

/* Arguments of system calls point to where the user's strings are; they count as the addresses. */
static bool is_user_pointer(const struct hist_parse *p, const struct ftrace_event_field *field)
{
	return field->filter_type == FILTER_PTR_STRING &&
	       !strcmp(p->file->event_call->class->system, "syscalls");
}

static bool is_number(const struct ftrace_event_field *field)
{
	return field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;
}

static void set_number(struct hist_parse *p, struct hist_field *to,
		       const struct ftrace_event_field *field)
{
	to->size = field->size;
	to->is_signed = field->is_signed;
	if (!strcmp(field->name, "common_pid"))
		step_add(to, HIST_OP_PID, 0);
	else if (!strcmp(field->name, "common_type"))
		step_add(to, HIST_OP_CONST, p->file->event_call->event.type);
	else
		step_number(to, field);
	/* the two above are known without the record */
	if (to->steps[0].op <= HIST_OP_LOAD && field->offset < sizeof(struct trace_entry))
		p->hist->needs_header = true;
	step_modifiers(to);
}

/* The names of a field; its type as `format` has it, where an enum may say how long an array is. */
static int set_names(struct hist_field *to, const char *name,
		     const struct ftrace_event_field *field, const char *var)
{
	const char *dim = field->len ? strchr(field->type, '[') : NULL;
	char *type;
	int ret;

	if (to->flags & HIST_FL_STACKTRACE)
		return hist_field_set_names(to, name, "unsigned long[]", var);
	if (!dim)
		return hist_field_set_names(to, name, field->type, var);
	type = kasprintf(GFP_KERNEL, "%.*s[%d]", (int)(dim - field->type), field->type,
			 field->len);
	ret = type ? hist_field_set_names(to, name, type, var) : -ENOMEM;
	kfree(type);
	return ret;
}

static int set_field(struct hist_parse *p, struct hist_field *to, char *name, const char *whole,
		     const char *var)
{
	struct ftrace_event_field *field = trace_find_event_field(p->file->event_call, name);
	const u32 no_string = HIST_FL_LOG2 | HIST_FL_BUCKETS;
	int ret;

	if (!field || !field->size) {
		/* names that were there before those with common_ */
		if (field && field->filter_type == FILTER_CPU)
			return set_cpu(to, name, var);
		if (field && field->filter_type == FILTER_STACKTRACE)
			return set_stacktrace(to, var);
		return hist_refuse(p, HIST_ERR_FIELD_NOT_FOUND, name);
	}
	to->field = field;
	/* the stack of a synthetic event is nothing else */
	if (field->filter_type == FILTER_STACKTRACE)
		flag_stack(to);
	ret = set_names(to, name, field, var);
	if (ret)
		return ret;
	if (to->flags & HIST_FL_STACKTRACE)
		ret = to->flags & no_string ? -EINVAL : set_stack_of(to, field);
	else if (!is_user_pointer(p, field) && !set_string(to, field))
		ret = to->flags & no_string ? -EINVAL : 0;
	else if (is_number(field))
		set_number(p, to, field);
	else
		ret = -EINVAL;
	return ret ? hist_refuse(p, to->flags & (HIST_FL_STACKTRACE | no_string) ?
				 HIST_ERR_BAD_FIELD_MODIFIER : HIST_ERR_BAD_VALUE, whole) : 0;
}

static int fill(struct hist_parse *p, struct hist_field *field, char *text, enum hist_role role,
		const char *var)
{
	char *whole = kstrdup(text, GFP_KERNEL), *modifier = text, *name;
	int ret;

	if (!whole)
		return -ENOMEM;
	name = strsep(&modifier, ".");
	if (modifier) {
		ret = parse_modifier(p, field, name, modifier, role);
		if (ret)
			goto out;
	}
	if (!strcmp(name, "common_timestamp"))
		ret = set_timestamp(p, field, var);
	else if (!strcmp(name, "common_stacktrace"))
		ret = set_stacktrace(field, var);
	else if (!strcmp(name, "common_cpu"))
		ret = set_cpu(field, name, var);
	else if (!strcmp(name, "hitcount"))
		ret = set_hitcount(field, var);
	else
		ret = set_field(p, field, name, whole, var);
out:
	kfree(whole);
	return ret;
}

/**
 * hist_atom_parse - compile a field with its modifier
 * @p: the command
 * @text: the field; it is cut up
 * @role: what it is to be
 * @var: name of the variable that it defines, or NULL
 *
 * Context: task, event_mutex.
 * Return: the field, -EINVAL with a line in error_log, -ENOMEM.
 */
struct hist_field *hist_atom_parse(struct hist_parse *p, char *text, enum hist_role role,
				   const char *var)
{
	struct hist_field *field = hist_field_alloc(2);
	int ret;

	if (!field)
		return ERR_PTR(-ENOMEM);
	ret = fill(p, field, text, role, var);
	if (ret) {
		hist_field_free(field);
		return ERR_PTR(ret);
	}
	if (role == HIST_AS_KEY)
		field->flags |= HIST_FL_KEY;
	if (var)
		field->flags |= HIST_FL_VAR;
	field->is_word = field->nr_steps == 1 && field->steps[0].op == HIST_OP_WORD;
	return field;
}
