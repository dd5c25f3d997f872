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

/*
 * The first of @stops that is in no parentheses and no literal, or where the parentheses close
 * that all of it is in, or the end.
 */
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
		else if (strchr(")]}", *at) && !depth--)
			return at;
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
		/* The kernel's own table; all that is of the record is the number. */
		if (p < t.end && *p == '[') {
			p = find_top_level(p + 1, t.end, "]");
			return string && !strnstr(p, "->", t.end - p);
		}
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

static bool argument_is_safe(struct trace_event_call *call, struct text t, bool string);

/* What follows the last statement that ends in a semicolon or a brace, unless that is nothing. */
static struct text last_statement(struct text block)
{
	struct text last = { block.end, block.end }, t;

	for (t.at = block.at; t.at < block.end; t.at = t.end + 1) {
		struct text body;

		t.end = find_top_level(t.at, block.end, ";{");
		body = t;
		if (t.end < block.end && *t.end == '{') {
			/* of a switch, say; an initialiser's is taken for one and does no harm */
			t.end = find_top_level(t.end + 1, block.end, "}");
			continue;
		}
		trim(&body);
		if (body.at < body.end)
			last = body;
	}
	return last;
}

/* The next value that the variable @name gets in @rest, at any depth. */
static bool next_value(struct text *rest, const struct text *name, struct text *value)
{
	size_t len = name->end - name->at;

	while (rest->at < rest->end) {
		const char *word = rest->at;

		if (*word == '"' || *word == '\'') {
			rest->at = skip_literal(word);
			continue;
		}
		while (rest->at < rest->end && in_ident(*rest->at))
			rest->at++;
		if (rest->at == word) {
			rest->at++;
			continue;
		}
		/* not a member of something that is called the same */
		if (rest->at - word != len || strncmp(word, name->at, len) ||
		    word[-1] == '.' || word[-1] == '>')
			continue;
		value->at = rest->at;
		value->end = rest->end;
		trim(value);
		if (value->at == value->end || *value->at != '=' || value->at[1] == '=')
			continue;
		value->at++;
		value->end = find_top_level(value->at, rest->end, ",;");
		rest->at = value->end;
		return true;
	}
	return false;
}

/*
 * The value of a block in braces is that of its last statement; when that is a variable of
 * the block's own, then each that it was given.
 */
static bool block_is_safe(struct trace_event_call *call, struct text block, bool string)
{
	struct text rest = { block.at + 1, block.end - 1 }, value;
	struct text last = last_statement(rest);
	const char *p = last.at;

	while (p < last.end && in_ident(*p))
		p++;
	if (p < last.end || last.at == last.end)
		return argument_is_safe(call, last, string);
	while (next_value(&rest, &last, &value))
		if (!argument_is_safe(call, value, string))
			return false;
	return true;
}

/* Each value that an argument may have: both sides of a conditional. */
static bool argument_is_safe(struct trace_event_call *call, struct text t, bool string)
{
	const char *mark;
	struct text side;

	strip_wrapping(&t);
	if (t.at < t.end && *t.at == '{')
		return block_is_safe(call, t, string);
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
 * @call: the event, as event_print_fmt_unsafe() takes it; about to be registered
 *
 * Context: task, event_mutex.
 */
void event_print_fmt_check(struct trace_event_call *call)
{
	const char *text;
	int nr, len;

	nr = event_print_fmt_unsafe(call, &text, &len);
	WARN_ONCE(nr, "event %s: argument %d points out of the record: %.*s\n",
		  trace_event_name(call), nr, len, text);
}
