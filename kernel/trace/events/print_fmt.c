// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks for conversions in an event's print format that would follow a pointer
 * when the trace is read, long after what it pointed at has gone.
 *
 * The format is C as the preprocessor left it: string literals, a comma, the
 * arguments. What is safe to read later lies in the record itself: an array
 * field, its address, or what a __get_*() helper finds there. A "%s" of a plain
 * pointer field may still be right when all users pass constants; such
 * a field is marked, and the printer looks where it points before it follows.
 */
#include <linux/ctype.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "internal.h"

#define RECORD	"REC->"

/* %p extensions that read memory behind the pointer; the others print its value or a symbol */
#define PTR_DEREFERENCES	"CDEIMNORUVabdfghimrt"

struct text {
	const char *at;
	const char *end;
};

static bool in_ident(char c)
{
	return isalnum(c) || c == '_';
}

/* @at is on a quote; the result is behind its partner. */
static const char *skip_literal(const char *at)
{
	char quote = *at++;

	for (; *at && *at != quote; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : at;
}

/* The first of @stops that is in no parentheses and no literal, or the end. */
static const char *find_top_level(const char *at, const char *end, const char *stops)
{
	int depth = 0;

	while (at < end && *at) {
		if (*at == '"' || *at == '\'') {
			at = skip_literal(at);
			continue;
		}
		if (!depth && strchr(stops, *at))
			return at;
		if (strchr("([{", *at))
			depth++;
		else if (strchr(")]}", *at))
			depth--;
		at++;
	}
	return min(at, end);
}

static void trim(struct text *t)
{
	while (t->at < t->end && isspace(*t->at))
		t->at++;
	while (t->end > t->at && isspace(t->end[-1]))
		t->end--;
}

/* Casts, and parentheses around the whole. */
static void strip_wrapping(struct text *t)
{
	for (;;) {
		const char *close;

		trim(t);
		if (t->at == t->end || *t->at != '(')
			return;

		close = find_top_level(t->at + 1, t->end, ")");
		if (close >= t->end)
			return;
		if (close == t->end - 1) {
			t->at++;
			t->end--;
		} else {
			t->at = close + 1;
		}
	}
}

static bool starts_with(const struct text *t, const char *prefix)
{
	size_t len = strlen(prefix);

	return t->end - t->at >= len && !strncmp(t->at, prefix, len);
}

static struct trace_event_fields *declared_field(struct trace_event_call *call,
						 const char *name, size_t len)
{
	struct trace_event_fields *f = call->class->fields_array;

	for (; f && f->type; f++) {
		if (f->type == TRACE_FUNCTION_TYPE)
			break;
		if (!strncmp(f->name, name, len) && !f->name[len])
			return f;
	}
	return NULL;
}

static bool operand_is_safe(struct trace_event_call *call, struct text t, bool string)
{
	struct trace_event_fields *field;
	const char *name;

	strip_wrapping(&t);
	if (t.at == t.end || *t.at == '&' || *t.at == '"')
		return true;

	if (starts_with(&t, "__get_") || starts_with(&t, "__print_"))
		return true;

	if (!starts_with(&t, RECORD)) {
		const char *p = t.at;

		while (p < t.end && in_ident(*p))
			p++;
		/* A function makes its own string; a pointer that it returns is anybody's guess. */
		if (p < t.end && *p == '(')
			return string;
		return !strnstr(t.at, RECORD, t.end - t.at);
	}

	name = t.at + strlen(RECORD);
	t.at = name;
	while (t.at < t.end && in_ident(*t.at))
		t.at++;

	field = declared_field(call, name, t.at - name);
	if (t.end - t.at >= 2 && t.at[0] == '-' && t.at[1] == '>')
		return false;
	if (!field)
		return true;
	/* member of a struct in the record, or element of an array */
	if (strchr(field->type, '[') || (t.at < t.end && *t.at == '.'))
		return true;
	if (!string)
		return false;

	field->needs_test = 1;
	call->flags |= TRACE_EVENT_FL_TEST_STR;
	return true;
}

/* What the variable @name is set to where a block declares it, in the statement @t. */
static bool initialiser_of(struct text t, const struct text *name, struct text *value)
{
	size_t len = name->end - name->at;
	const char *mark;

	mark = find_top_level(t.at, t.end, "=");
	if (mark == t.end)
		return false;
	value->at = mark + 1;
	value->end = t.end;
	t.end = mark;
	trim(&t);
	return t.end - t.at > len && !in_ident(t.end[-len - 1]) &&
	       !strncmp(t.end - len, name->at, len);
}

/*
 * The value of a block in braces is that of its last statement; when that is a variable of
 * the block's own, then what this was declared with.
 */
static struct text block_value(struct text block)
{
	struct text rest = { block.at + 1, block.end - 1 };
	struct text last = { rest.end, rest.end }, t, value;

	for (t.at = rest.at; t.at < rest.end; t.at = t.end + 1) {
		t.end = find_top_level(t.at, rest.end, ";");
		value = t;
		trim(&value);
		if (value.at < value.end)
			last = value;
	}
	for (t.at = rest.at; t.at < last.at; t.at = t.end + 1) {
		t.end = find_top_level(t.at, last.at, ";");
		if (initialiser_of(t, &last, &value))
			return value;
	}
	return last;
}

/* Each value that an argument may have: both sides of a conditional. */
static bool argument_is_safe(struct trace_event_call *call, struct text t, bool string)
{
	const char *mark;
	struct text side;

	strip_wrapping(&t);
	if (t.at < t.end && *t.at == '{') {
		t = block_value(t);
		strip_wrapping(&t);
	}
	mark = find_top_level(t.at, t.end, "?");
	if (mark == t.end)
		return operand_is_safe(call, t, string);

	side.at = mark + 1;
	side.end = find_top_level(side.at, t.end, ":");
	if (!argument_is_safe(call, side, string))
		return false;
	if (side.end == t.end)
		return true;
	side.at = side.end + 1;
	side.end = t.end;
	return argument_is_safe(call, side, string);
}

static bool next_argument(struct text *args, struct text *arg)
{
	if (args->at >= args->end)
		return false;
	arg->at = args->at;
	arg->end = find_top_level(args->at, args->end, ",");
	args->at = arg->end < args->end ? arg->end + 1 : args->end;
	return true;
}

/**
 * event_print_fmt_unsafe - look for what a print format would follow out of the record
 * @call: the event; fields whose strings must be tested when they are printed are marked in its
 *	  class
 * @text: set to the argument, in the format
 * @len: set to its length in bytes
 *
 * Context: task.
 * Return: the number of the first such argument, 0 when there is none.
 */
int event_print_fmt_unsafe(struct trace_event_call *call, const char **text, int *len)
{
	struct text fmt, args, arg;
	int nr = 0;

	if (!call->print_fmt || *call->print_fmt != '"')
		return 0;

	args.end = call->print_fmt + strlen(call->print_fmt);
	fmt.at = call->print_fmt;
	fmt.end = find_top_level(fmt.at, args.end, ",");
	args.at = fmt.end < args.end ? fmt.end + 1 : args.end;

	while (fmt.at < fmt.end) {
		bool string;

		if (*fmt.at++ != '%')
			continue;
		if (*fmt.at == '%') {
			fmt.at++;
			continue;
		}
		for (; fmt.at < fmt.end && strchr("-+ #0123456789.*hlLzjt", *fmt.at); fmt.at++) {
			if (*fmt.at != '*')
				continue;
			nr++;
			if (!next_argument(&args, &arg))
				return 0;
		}

		nr++;
		if (!next_argument(&args, &arg))
			return 0;

		string = *fmt.at == 's';
		if (!string && (*fmt.at != 'p' || !strchr(PTR_DEREFERENCES, fmt.at[1])))
			continue;

		if (!argument_is_safe(call, arg, string)) {
			*text = arg.at;
			*len = arg.end - arg.at;
			return nr;
		}
	}
	return 0;
}

/**
 * event_print_fmt_check - warn of a print format that can not be safe
 * @call: the event, as event_print_fmt_unsafe() takes it
 *
 * Context: task.
 */
void event_print_fmt_check(struct trace_event_call *call)
{
	const char *text;
	int nr, len;

	nr = event_print_fmt_unsafe(call, &text, &len);
	WARN_ONCE(nr, "event %s: argument %d points out of the record: %.*s\n",
		  trace_event_name(call), nr, len, text);
}
