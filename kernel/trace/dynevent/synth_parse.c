// SPDX-License-Identifier: GPL-2.0-only
/*
 * The language of synthetic events:
 *
 *	NAME FIELD[;FIELD]...		FIELD: TYPE NAME, or TYPE NAME[N]
 *
 * In the beginning there were no semicolons between the fields, and they can still be left out. A
 * type is one of a table, char[N] or char[], or [unsigned] long[] for a stack.
 */
#include <linux/ctype.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../instance/error_log.h"
#include "../instance/words.h"
#include "synth_internal.h"

static const char *synth_errors[] = { SYNTH_ERRORS(ERROR_TEXT) };

#define NUMBER(_type, _fmt)						\
	{ #_type, _fmt, sizeof(_type), is_signed_type(_type) }

static const struct number_type {
	const char	*name;
	const char	*fmt;
	unsigned int	size;
	bool		is_signed;
} number_types[] = {
	NUMBER(s64, "%lld"),
	NUMBER(u64, "%llu"),
	NUMBER(s32, "%d"),
	NUMBER(u32, "%u"),
	NUMBER(s16, "%d"),
	NUMBER(u16, "%u"),
	NUMBER(s8, "%d"),
	NUMBER(u8, "%u"),
	/* as `format` has always called it, whatever the architecture's is */
	{ "char", "%d", sizeof(char), true },
	NUMBER(unsigned char, "%u"),
	NUMBER(int, "%d"),
	NUMBER(unsigned int, "%u"),
	NUMBER(long, "%ld"),
	NUMBER(unsigned long, "%lu"),
	{ "bool", "%d", sizeof(bool), true },
	NUMBER(pid_t, "%d"),
	{ "gfp_t", "%x", sizeof(gfp_t), false },
};

/* A piece of the line. */
struct slice {
	const char	*at;
	size_t		len;
};

/**
 * synth_refuse - tell error_log about a place in a line
 * @whole: the line
 * @at: in @whole, what is wrong
 * @error: what it is
 * @ret: the error
 *
 * Context: task.
 * Return: @ret.
 */
int synth_refuse(const char *whole, const char *at, enum synth_error error, int ret)
{
	char *copy = kstrdup(whole, GFP_KERNEL);

	if (copy)
		trace_text_error(NULL, "synthetic_events", copy, synth_errors, error, at - whole);
	kfree(copy);
	return ret;
}

static bool next_word(const char **at, const char *end, struct slice *word)
{
	while (*at < end && isspace(**at))
		++*at;
	word->at = *at;
	while (*at < end && !isspace(**at))
		++*at;
	word->len = *at - word->at;
	return word->len;
}

static bool is_word(const struct slice *word, const char *text)
{
	return word->len == strlen(text) && !memcmp(word->at, text, word->len);
}

static bool is_name(const char *at, size_t len)
{
	if (!len || !(isalpha(*at) || *at == '_'))
		return false;
	while (len--) {
		if (!isalnum(at[len]) && at[len] != '_')
			return false;
	}
	return true;
}

/* char[N]: N, which may be left out; -EINVAL */
static int string_size(const char *type)
{
	const char *dim = strchr(type, '[') + 1;
	const char *end = strchr(type, ']');
	char digits[4] = "";
	unsigned int size;

	if (!end || end < dim || end[1] || end - dim >= sizeof(digits))
		return -EINVAL;
	if (end == dim)
		return 0;
	memcpy(digits, dim, end - dim);
	if (kstrtouint(digits, 0, &size) || size > SYNTH_STRING_MAX)
		return -EINVAL;
	return size;
}

/* 0, -EINVAL, or -ENOENT when there is no such type */
static int describe(struct synth_field *field, const char *type)
{
	int size;

	for (int i = 0; i < ARRAY_SIZE(number_types); i++) {
		if (strcmp(number_types[i].name, type))
			continue;
		field->store = SYNTH_NUMBER;
		field->fmt = number_types[i].fmt;
		field->size = number_types[i].size;
		field->is_signed = number_types[i].is_signed;
		field->mask = GENMASK_ULL(field->size * BITS_PER_BYTE - 1, 0);
		return 0;
	}
	/* what is behind the fields has always been, whatever its elements are */
	field->is_signed = true;
	if (strstr(type, "char[")) {
		size = string_size(type);
		if (size < 0)
			return size;
		field->fmt = "%s";
		field->store = size ? SYNTH_STRING : SYNTH_DYN_STRING;
		field->is_signed = !size || type[0] != 'u';
		field->size = size ?: sizeof(u64);
		return 0;
	}
	if (strstr(type, "long[")) {
		field->fmt = "%s";
		field->store = SYNTH_STACK;
		field->size = sizeof(u64);
		return 0;
	}
	return -ENOENT;
}

/* A type and a name, of the words in front of @end. */
static int parse_field(const char *whole, const char **at, const char *end,
		       struct synth_field *field)
{
	struct slice first, type, name;
	size_t name_len;
	char *text;
	int ret;

	next_word(at, end, &first);
	type = first;
	if (is_word(&first, "unsigned")) {
		next_word(at, end, &type);
		if (!next_word(at, end, &name))
			return synth_refuse(whole, first.at, SYNTH_ERR_INCOMPLETE_TYPE, -EINVAL);
	} else if (!next_word(at, end, &name)) {
		return synth_refuse(whole, first.at, SYNTH_ERR_INVALID_FIELD, -EINVAL);
	}

	for (name_len = 0; name_len < name.len && name.at[name_len] != '['; name_len++)
		;
	if (!is_name(name.at, name_len))
		return synth_refuse(whole, name.at, SYNTH_ERR_BAD_NAME, -EINVAL);
	field->name = kmemdup_nul(name.at, name_len, GFP_KERNEL);
	if (!field->name)
		return -ENOMEM;

	text = kasprintf(GFP_KERNEL, "%s%.*s%.*s", first.at == type.at ? "" : "unsigned ",
			 (int)type.len, type.at, (int)(name.len - name_len), name.at + name_len);
	if (!text)
		return -ENOMEM;
	ret = describe(field, text);
	if (!ret && (field->store == SYNTH_DYN_STRING || field->store == SYNTH_STACK)) {
		field->type = kasprintf(GFP_KERNEL, "__data_loc %s", text);
		kfree(text);
		return field->type ? 0 : -ENOMEM;
	}
	field->type = text;
	if (ret == -ENOENT)
		return synth_refuse(whole, type.at, SYNTH_ERR_INVALID_TYPE, -EINVAL);
	if (ret)
		return synth_refuse(whole, name_len < name.len ? name.at : type.at,
				    name_len < name.len ? SYNTH_ERR_INVALID_ARRAY_SPEC :
							  SYNTH_ERR_INVALID_TYPE, ret);
	return 0;
}

/* Where each field is in the record. */
static void lay_out(struct synth_event *event)
{
	unsigned int at = sizeof(struct trace_entry), more = 0;

	event->plain = true;
	for (unsigned int i = 0; i < event->n_fields; i++) {
		struct synth_field *field = &event->fields[i];

		field->offset = at;
		at += field->store == SYNTH_STRING ? SYNTH_STRING_MAX : sizeof(u64);
		if (field->store == SYNTH_DYN_STRING)
			more += SYNTH_STRING_MAX;
		else if (field->store == SYNTH_STACK)
			more += SYNTH_STACK_MAX * sizeof(long) + sizeof(long) - 1;
		event->plain &= field->store == SYNTH_NUMBER;
	}
	event->bytes = at;
	event->max_bytes = at + more;
}

static int parse_fields(const struct synth_text *text, struct synth_event *event)
{
	const char *at = text->name + text->name_len, *end, *word;
	int ret;

	for (; *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, ';');
		for (;;) {
			word = at;
			while (word < end && isspace(*word))
				word++;
			if (word == end)
				break;
			if (event->n_fields == SYNTH_FIELDS_MAX)
				return synth_refuse(text->whole, text->whole,
						    SYNTH_ERR_TOO_MANY_FIELDS, -EINVAL);
			event->n_fields++;
			at = word;
			ret = parse_field(text->whole, &at, end,
					  &event->fields[event->n_fields - 1]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* What is in front of the first semicolon has to be a name and a field at least. */
static bool has_field(const struct synth_text *text)
{
	const char *end = strchrnul(text->name, ';'), *at = text->name;
	struct slice word;

	return next_word(&at, end, &word) && next_word(&at, end, &word) &&
	       next_word(&at, end, &word);
}

/* That there is one already is told before its fields are looked at; it may come only later. */
static int check_new(const struct synth_text *text, const struct synth_event *event)
{
	guard(mutex)(&event_mutex);
	return synth_event_find(event->name) ?
	       synth_refuse(text->whole, text->name, SYNTH_ERR_EVENT_EXISTS, -EEXIST) : 0;
}

/**
 * synth_parse - make a synthetic event of a line
 * @text: the line
 *
 * What is wrong with it is told to error_log.
 *
 * Context: task, takes event_mutex.
 * Return: the event, which is not registered; -EINVAL, -EEXIST, -ENOMEM.
 */
struct synth_event *synth_parse(const struct synth_text *text)
{
	struct synth_event *event;
	int ret;

	if (!has_field(text))
		return ERR_PTR(synth_refuse(text->whole, text->whole, SYNTH_ERR_INVALID_CMD,
					    -EINVAL));
	if (!is_name(text->name, text->name_len))
		return ERR_PTR(synth_refuse(text->whole, text->name, SYNTH_ERR_BAD_NAME, -EINVAL));

	event = kzalloc(struct_size(event, fields, SYNTH_FIELDS_MAX), GFP_KERNEL);
	if (!event)
		return ERR_PTR(-ENOMEM);
	event->name = kmemdup_nul(text->name, text->name_len, GFP_KERNEL);
	ret = event->name ? check_new(text, event) ?: parse_fields(text, event) : -ENOMEM;
	if (ret) {
		synth_event_free(event);
		return ERR_PTR(ret);
	}
	lay_out(event);
	event->call.print_fmt = synth_print_fmt(event);
	if (!event->call.print_fmt) {
		synth_event_free(event);
		return ERR_PTR(-ENOMEM);
	}
	return event;
}

/**
 * synth_event_free - free a synthetic event
 * @event: not registered, or not any more
 *
 * Context: task.
 */
void synth_event_free(struct synth_event *event)
{
	for (unsigned int i = 0; i < event->n_fields; i++) {
		kfree(event->fields[i].type);
		kfree(event->fields[i].name);
	}
	kfree(event->call.print_fmt);
	kfree(event->name);
	kfree(event);
}
