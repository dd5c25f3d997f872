// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tree becomes a program.
 *
 * Side by side, the cheap tests come first; none of them has an effect that another one could
 * see. The tests are laid down from the last to the first: where one goes on is known by
 * then, as that is always further down.
 */
#include <linux/bitops.h>
#include <linux/list_sort.h>
#include <linux/slab.h>

#include "internal.h"

static int compare_cost(void *priv, const struct list_head *a, const struct list_head *b)
{
	const struct filter_node *node_a = list_entry(a, struct filter_node, link);
	const struct filter_node *node_b = list_entry(b, struct filter_node, link);

	return node_a->cost > node_b->cost;	/* equal ones stay in the user's order */
}

static void set_targets(struct filter_node *node, int yes, int no)
{
	node->yes = node->not ? no : yes;
	node->no = node->not ? yes : no;
}

/* To the last test below @node. */
static struct filter_node *descend(struct filter_node *node)
{
	while (!list_empty(&node->children)) {
		struct filter_node *last;

		list_sort(NULL, &node->children, compare_cost);
		last = list_last_entry(&node->children, struct filter_node, link);
		last->parent = node;
		set_targets(last, node->yes, node->no);
		node = last;
	}
	return node;
}

/* To the test in front of @node, which is the program's test number @at. */
static struct filter_node *test_before(struct filter_node *node, unsigned int at)
{
	struct filter_node *parent, *before;

	while ((parent = node->parent)) {
		if (!list_is_first(&node->link, &parent->children)) {
			before = list_prev_entry(node, link);
			before->parent = parent;
			if (parent->is_or)
				set_targets(before, parent->yes, at);
			else
				set_targets(before, at, parent->no);
			return descend(before);
		}
		node = parent;
	}
	return NULL;
}

/* Those of words do not, see set_word(). */
static bool reads_header(const struct filter_test *test)
{
	const struct filter_general *general = test->general;

	if (!test->is_general)
		return false;
	return (general->source == FILTER_FROM_NUMBER && filter_in_header(&general->number)) ||
	       (general->check == FILTER_VS_FIELD && filter_in_header(&general->other));
}

/* How to go from test number @from to @to, if that is a number. */
static s32 way(int from, int to)
{
	return to <= 0 ? to : (to - from) * (int)sizeof(struct filter_test);
}

/* @no of @test says what it is, see set_word() */
static void set_ways(struct filter_test *test, int at, const struct filter_node *node)
{
	s32 no = way(at, node->no);

	test->yes = way(at, node->yes);
	if (test->no == FILTER_BITS || test->no == FILTER_GENERAL)
		test->none = no;
	else
		test->no = test->no == FILTER_ACCEPT ? test->yes : no;
}

/**
 * filter_program - make a filter of a tree
 * @tree: loses its tests to the filter
 *
 * Context: task. May sleep.
 * Return: the filter, without its text, or NULL.
 */
struct event_filter *filter_program(struct filter_tree *tree)
{
	unsigned int at = tree->nr_tests;
	struct event_filter *filter = filter_alloc(at);
	struct filter_node *node;

	if (!filter)
		return NULL;

	set_targets(tree->root, FILTER_ACCEPT, FILTER_REJECT);
	for (node = descend(tree->root); node; node = test_before(node, at)) {
		struct filter_test *test = &filter->tests[--at];

		*test = node->test;
		set_ways(test, at, node);
		node->test.is_general = false;
		filter->reads_header |= reads_header(test);
	}
	WARN_ON_ONCE(at);
	return filter;
}
