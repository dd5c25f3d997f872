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
#include "filter.h"

/* --- errors: a text, and the place where it is wrong */

#define FILTER_ERRORS(C)								\
	C(NONE,			"No error")						\
	C(INVALID_OP,		"Invalid operator")					\
	C(TOO_MANY_OPEN,	"Too many '('")						\
	C(TOO_FEW_OPEN,		"Too few '('")						\
	C(MISSING_QUOTE,	"Missing matching quote")				\
	C(MISSING_BRACE_OPEN,	"Missing '{'")						\
	C(MISSING_BRACE_CLOSE,	"Missing '}'")						\
	C(OPERAND_TOO_LONG,	"Operand too long")					\
	C(EXPECT_STRING,	"Expecting string field")				\
	C(EXPECT_DIGIT,		"Expecting numeric field")				\
	C(ILLEGAL_FIELD_OP,	"Illegal operation for field type")			\
	C(FIELD_NOT_FOUND,	"Field not found")					\
	C(ILLEGAL_INTVAL,	"Illegal integer value")				\
	C(BAD_SUBSYS_FILTER,	"Couldn't find or set field in one of a subsystem's events") \
	C(TOO_MANY_PREDS,	"Too many terms in predicate expression")		\
	C(INVALID_FILTER,	"Meaningless filter expression")			\
	C(INVALID_CPULIST,	"Invalid cpulist")					\
	C(INVALID_VALUE,	"Invalid value (did you forget quotes)?")		\
	C(NO_FUNCTION,		"Function not found")					\
	C(NO_FILTER,		"No filter found")					\
	C(EXPECT_FIELD,		"Expecting a field")					\
	C(BAD_INDEX,		"Invalid index of an array")				\
	C(BAD_SET,		"Invalid set of values")				\
	C(NO_CGROUP,		"Cgroup not found")					\
	C(TOO_LONG,		"Filter is too long")

#define __FILTER_ERROR(_name, _text)	FILTER_ERR_##_name,
enum filter_error { FILTER_ERRORS(__FILTER_ERROR) };
#undef __FILTER_ERROR

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

/* value.c: one test, from the field's name to the end of the value; @odd of it is owned */
int filter_test_parse(struct filter_parse *p, struct filter_test *test, unsigned int *cost);

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
void filter_tree_free(struct filter_tree *tree);	/* with the odd tests that are still in it */

/* program.c: takes the tests out of @tree; NULL: no memory */
struct event_filter *filter_program(struct filter_tree *tree);

/* filter.c. Where a filter is in force, what it was before is not to be freed at once. */
struct event_filter *filter_alloc(unsigned int nr);
int filter_compile(struct filter_parse *p, struct event_filter **filter);
char *filter_refused_text(const char *text, enum filter_error error, size_t pos);

#endif /* _KERNEL_TRACE_FILTER_INTERNAL_H */
