// SPDX-License-Identifier: GPL-2.0-only
/* A filter as a whole: made of a text, freed, and what is said of a text that is refused. */
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../instance/error_log.h"
#include "../instance/instance.h"
#include "internal.h"

static const char *error_texts[] = { FILTER_ERRORS(ERROR_TEXT) };

const char *filter_error_text(enum filter_error error)
{
	return error_texts[error];
}

/* Makes the error_log line of a text that is refused, without white space at its end. */
void filter_log_error(struct trace_array *tr, const char *text, enum filter_error error,
		      size_t pos)
{
	tracing_log_err(tr, "event filter parse error", text, error_texts, error,
			min_t(size_t, pos, U16_MAX));
}

/**
 * filter_refused_text - what a filter file shows of a text that was refused
 * @text: the text
 * @error: what is wrong with it
 * @pos: column of the place
 *
 * Context: task. May sleep.
 * Return: text, caret and message; NULL without memory.
 */
char *filter_refused_text(const char *text, enum filter_error error, size_t pos)
{
	int column = min(pos, strlen(text));

	return kasprintf(GFP_KERNEL, "%s\n%*s^\nparse_error: %s\n", text, column, "",
			 error_texts[error]);
}

struct event_filter *filter_alloc(unsigned int nr)
{
	struct event_filter *filter;

	filter = kvzalloc(struct_size(filter, tests, max(nr, 1U)), GFP_KERNEL);
	if (!filter)
		return NULL;
	filter->nr = nr;
	if (!nr)
		*filter->tests = (struct filter_test)FILTER_NO_TEST;
	return filter;
}

/**
 * filter_compile - make a filter of a text
 * @p: with the event and the text, at whose end is no white space
 * @filter: where it goes
 *
 * Context: task, event_mutex. May sleep.
 * Return: 0, -EINVAL with an error in @p, -ENOMEM.
 */
int filter_compile(struct filter_parse *p, struct event_filter **filter)
{
	struct event_filter *made = NULL;
	struct filter_tree tree;
	int ret;

	lockdep_assert_held(&event_mutex);
	p->at = p->text;
	ret = filter_tree_parse(p, &tree);
	if (!ret) {
		made = filter_program(&tree);
		ret = made ? 0 : -ENOMEM;
	}
	filter_tree_free(&tree);
	if (ret)
		return ret;

	made->text = kstrdup(p->text, GFP_KERNEL);
	if (!made->text) {
		event_filter_free(made);
		return -ENOMEM;
	}
	*filter = made;
	return 0;
}

int event_filter_create(struct trace_array *tr, struct trace_event_call *call,
			const char *text, struct event_filter **filter)
{
	struct filter_parse p = { .call = call };
	char *copy = kstrdup(text, GFP_KERNEL);
	int ret;

	if (!copy)
		return -ENOMEM;
	strim(copy);
	p.text = copy;
	ret = filter_compile(&p, filter);
	if (ret == -EINVAL && tr)
		filter_log_error(tr, p.text, p.error, p.error_pos);
	kfree(copy);
	return ret;
}

const char *event_filter_text(const struct event_filter *filter)
{
	return filter && filter->nr ? filter->text : "none";
}
