// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel/trace/events/print_fmt.c, as it is, on the host: is given events, as formats.py found
 * them in objects, and says what the kernel will say of them when they are registered.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_FUNCTION_TYPE	((const char *)~0UL)
#define TRACE_EVENT_FL_TEST_STR	1
#define WARN_ONCE(cond, ...)	do { if (cond) printf(__VA_ARGS__); } while (0)
#define min(a, b)		((a) < (b) ? (a) : (b))

struct trace_event_fields {
	const char	*type;
	const char	*name;
	unsigned int	needs_test;
};

struct trace_event_class {
	struct trace_event_fields *fields_array;
};

struct trace_event_call {
	struct trace_event_class *class;
	const char	*name;
	char		*print_fmt;
	int		flags;
};

static const char *trace_event_name(struct trace_event_call *call)
{
	return call->name;
}

static char *strnstr(const char *text, const char *word, size_t len)
{
	return memmem(text, len, word, strlen(word));
}

int event_print_fmt_unsafe(struct trace_event_call *call, const char **text, int *len);
void event_print_fmt_check(struct trace_event_call *call);

/* A copy, so that what it includes is not the kernel's. */
#include "print_fmt.c"

/* Words on stdin end in a NUL. */
static char *word(void)
{
	char *text = NULL;
	size_t size = 0;

	if (getdelim(&text, &size, '\0', stdin) < 0)
		return NULL;
	return text;
}

/*
 * Reads name, format, number of fields, type and name of each; writes the warning, if there is
 * one, and the name with what will be done when it is printed.
 */
int main(void)
{
	struct trace_event_call call;
	struct trace_event_class class;
	int n;

	while ((call.name = word())) {
		call.print_fmt = word();
		n = atoi(word());
		class.fields_array = calloc(n + 1, sizeof(*class.fields_array));
		for (int i = 0; i < n; i++) {
			class.fields_array[i].type = word();
			class.fields_array[i].name = word();
		}
		call.class = &class;
		call.flags = 0;
		event_print_fmt_check(&call);
		printf("%s %s\n", call.name, call.flags ? "tested" : "safe");
	}
	return 0;
}
