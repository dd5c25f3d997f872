/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Patterns of names: functions, events, modules, the strings of filters. In a pattern * stands
 * for anything, ? for one character, [a-z] for one of these, [!a-z] for one that is none of
 * them, and \ takes what follows as it is.
 */
#ifndef _KERNEL_TRACE_GLOB_H
#define _KERNEL_TRACE_GLOB_H

#include <linux/string.h>
#include <linux/types.h>

/* what most patterns are needs no search for the places of the stars */
enum trace_glob_type {
	TRACE_GLOB_FULL,
	TRACE_GLOB_FRONT,	/* text* */
	TRACE_GLOB_END,		/* *text */
	TRACE_GLOB_MIDDLE,	/* *text* */
	TRACE_GLOB_ANY,
};

/**
 * struct trace_glob - a pattern that has been looked at
 * @type:	what it is
 * @len:	of @text
 * @text:	without the stars that @type stands for; a string where it is matched
 */
struct trace_glob {
	enum trace_glob_type	type;
	unsigned int		len;
	const char		*text;
};

void trace_glob_parse(struct trace_glob *glob, const char *text, size_t len);
bool trace_glob(const char *pattern, const char *str, size_t len);

/**
 * trace_glob_match - does a string match a pattern?
 * @glob: the pattern
 * @str: the string, which need not have an end
 * @len: bytes of it
 *
 * Context: any.
 */
static inline bool trace_glob_match(const struct trace_glob *glob, const char *str, size_t len)
{
	size_t n = glob->len;

	switch (glob->type) {
	case TRACE_GLOB_FULL:
		return len == n && !memcmp(str, glob->text, n);
	case TRACE_GLOB_FRONT:
		return len >= n && !memcmp(str, glob->text, n);
	case TRACE_GLOB_END:
		return len >= n && !memcmp(str + len - n, glob->text, n);
	case TRACE_GLOB_MIDDLE:
		return strnstr(str, glob->text, len);
	case TRACE_GLOB_ANY:
		return trace_glob(glob->text, str, len);
	}
	return false;
}

#endif /* _KERNEL_TRACE_GLOB_H */
