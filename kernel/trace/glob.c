// SPDX-License-Identifier: GPL-2.0-only
/* Matching names with patterns; see glob.h. */
#include "glob.h"

/**
 * trace_glob_parse - what kind of pattern is it?
 * @glob: gets the answer, and points into @text
 * @text: the pattern
 * @len: bytes of it
 *
 * Context: any.
 */
void trace_glob_parse(struct trace_glob *glob, const char *text, size_t len)
{
	bool front = len && text[0] == '*';
	bool back = len > 1 && text[len - 1] == '*';
	size_t stars = 0;

	for (size_t i = 0; i < len; i++)
		stars += text[i] == '*';
	if (memchr(text, '?', len) || memchr(text, '[', len) || memchr(text, '\\', len) ||
	    stars != front + back)
		glob->type = TRACE_GLOB_ANY;
	else if (front)
		glob->type = back ? TRACE_GLOB_MIDDLE : TRACE_GLOB_END;
	else
		glob->type = back ? TRACE_GLOB_FRONT : TRACE_GLOB_FULL;
	glob->text = text;
	glob->len = len;
	if (glob->type != TRACE_GLOB_ANY) {
		glob->text += front;
		glob->len -= stars;
	}
}

/* The character @c in the set that begins at @at, behind its [; NULL: it has no end. */
static const char *in_brackets(const char *at, char c, bool *found)
{
	bool not = *at == '!';

	at += not;
	*found = false;
	do {
		unsigned char first = *at++, last = first;

		if (!first)
			return NULL;
		if (at[0] == '-' && at[1] != ']') {
			last = at[1];
			if (!last)
				return NULL;
			at += 2;
		}
		if ((unsigned char)c >= first && (unsigned char)c <= last)
			*found = true;
	} while (*at != ']');
	*found ^= not;
	return at + 1;
}

/* Does the part of a pattern at @at take the character @c? Where the next one begins, or NULL. */
static const char *glob_one(const char *at, char c)
{
	const char *end;
	bool found;

	switch (*at) {
	case '?':
		return at + 1;
	case '[':
		end = in_brackets(at + 1, c, &found);
		if (end)
			return found ? end : NULL;
		break;	/* just a [ */
	case '\\':
		at += !!at[1];
		break;
	}
	return *at == c ? at + 1 : NULL;
}

/**
 * trace_glob - does a string match a pattern?
 * @pattern: the pattern, as it was written
 * @str: the string, which need not have an end
 * @len: bytes of it
 *
 * Context: any.
 */
bool trace_glob(const char *pattern, const char *str, size_t len)
{
	const char *end = str + len;
	const char *star = NULL, *star_str = NULL;

	for (;;) {
		const char *next;

		if (*pattern == '*') {
			star = ++pattern;
			star_str = str;
			continue;
		}
		if (str == end) {
			/* what follows has to match nothing */
			return !*pattern;
		}
		next = *pattern ? glob_one(pattern, *str) : NULL;
		if (next) {
			pattern = next;
			str++;
			continue;
		}
		/* The last * takes one more; those before it need not change. */
		if (!star)
			return false;
		pattern = star;
		str = ++star_str;
	}
}
