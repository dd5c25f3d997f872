/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the files of this room:
 *
 *	text -> parse.c (tokens, tree) -> value.c (one test, typed) -> program.c (flat)
 */
#ifndef _KERNEL_TRACE_FILTER_INTERNAL_H
#define _KERNEL_TRACE_FILTER_INTERNAL_H

#include <linux/list.h>

#include "../events/filter.h"
#include "errors.h"
#include "filter.h"

/**
 * struct filter_parse - the text and how far it was read
 * @call:	event whose fields are meant
 * @text:	the text
 * @at:		what comes next in it
 * @error:	why it was refused
 * @error_pos:	column of the caret
 */
struct filter_parse {
	struct trace_event_call	*call;
	const char		*text;
	const char		*at;
	enum filter_error	error;
	size_t			error_pos;
};

/* Notes the error; returns -EINVAL. */
int filter_refuse(struct filter_parse *p, enum filter_error error, const char *where);

void filter_log_error(struct trace_array *tr, const char *text, enum filter_error error,
		      size_t pos);
const char *filter_error_text(enum filter_error error);

/* value.c: one test, from the field's name to the end of the value; @general of it is owned */
int filter_test_parse(struct filter_parse *p, struct filter_test *test, unsigned int *cost);

/* Is it one of the fields that all records begin with? */
static inline bool filter_in_header(const struct filter_number *number)
{
	return number->offset < sizeof(struct trace_entry);
}

/* parse.c */
struct filter_node {
	struct list_head	link;		/* in the parent's children */
	struct list_head	children;	/* two or more, or none for a test */
	struct list_head	all;		/* in the tree, to free it */
	struct filter_node	*parent;
	bool			is_or;
	bool			not;
	s16			yes, no;	/* program.c */
	unsigned int		cost;
	struct filter_test	test;
};

struct filter_tree {
	struct list_head	all;
	struct filter_node	*root;
	unsigned int		nr_tests;
};

int filter_tree_parse(struct filter_parse *p, struct filter_tree *tree);
void filter_tree_free(struct filter_tree *tree);	/* with the tests still in it */

/* program.c: takes the tests out of @tree; NULL: no memory */
struct event_filter *filter_program(struct filter_tree *tree);

/* filter.c. A filter that was in force is freed after tracepoint_synchronize_unregister(). */
struct event_filter *filter_alloc(unsigned int nr);
int filter_compile(struct filter_parse *p, struct event_filter **filter);
char *filter_refused_text(const char *text, enum filter_error error, size_t pos);

/* filter_file.c: what the files do with a text; event_mutex held */
int event_filter_set(struct trace_event_file *file, const char *text);
int system_filter_set(struct trace_subsystem_dir *dir, const char *text);

#if IS_ENABLED(CONFIG_KUNIT)
struct change;
struct change *changes_alloc(unsigned int nr);
#endif

#endif /* _KERNEL_TRACE_FILTER_INTERNAL_H */
