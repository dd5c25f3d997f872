// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of a filter becomes a tree: && binds closer than ||, ! only takes the test or the
 * parenthesis right behind it.
 *
 * A parenthesis is an entry of an array that has room for the deepest one, and no function calls
 * itself: what the user writes cannot use up the stack. A tree has no node that does not
 * decide anything: a parenthesis around one thing is that thing, and what is
 * joined by the same operator stands side by side, so that program.c can order it.
 */
#include <linux/ctype.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

/**
 * struct level - an open parenthesis, or the whole text
 * @term: operands of && so far
 * @alternatives: terms before, between which there is ||
 * @not: there was an odd number of ! in front of what comes next
 */
struct level {
	struct list_head	term;
	struct list_head	alternatives;
	bool			not;
};

int filter_refuse(struct filter_parse *p, enum filter_error error, const char *where)
{
	p->error = error;
	p->error_pos = where - p->text;
	return -EINVAL;
}

static struct filter_node *node_new(struct filter_tree *tree)
{
	struct filter_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return NULL;
	INIT_LIST_HEAD(&node->children);
	list_add(&node->all, &tree->all);
	return node;
}

/* The things of @list as one. They are more than none. */
static struct filter_node *join(struct filter_tree *tree, struct list_head *list, bool is_or)
{
	struct filter_node *node, *child;

	if (list_is_singular(list)) {
		node = list_first_entry(list, struct filter_node, link);
		list_del_init(&node->link);
		return node;
	}

	node = node_new(tree);
	if (!node)
		return NULL;
	node->is_or = is_or;
	list_for_each_entry(child, list, link)
		node->cost += child->cost;
	list_splice_init(list, &node->children);
	return node;
}

/* Puts @node behind the others in @list, or its children, if it does the same as the list. */
static void add(struct list_head *list, struct filter_node *node, bool is_or)
{
	if (!node->not && node->is_or == is_or && !list_empty(&node->children))
		list_splice_tail_init(&node->children, list);
	else
		list_add_tail(&node->link, list);
}

static int end_term(struct filter_tree *tree, struct level *level)
{
	struct filter_node *term = join(tree, &level->term, false);

	if (!term)
		return -ENOMEM;
	add(&level->alternatives, term, true);
	return 0;
}

static void open_level(struct level *level)
{
	INIT_LIST_HEAD(&level->term);
	INIT_LIST_HEAD(&level->alternatives);
	level->not = false;
}

static void add_operand(struct level *level, struct filter_node *node)
{
	node->not ^= level->not;
	level->not = false;
	add(&level->term, node, false);
}

static struct filter_node *close_level(struct filter_tree *tree, struct level *level)
{
	if (end_term(tree, level))
		return NULL;
	return join(tree, &level->alternatives, true);
}

/* Parentheses and quotes have to match; returns how deep they go. */
static int depth_of(struct filter_parse *p)
{
	const char *quote = NULL, *open = NULL;
	int depth = 0, max = 0;

	for (const char *at = p->text; *at; at++) {
		if (quote) {
			if (*at == *quote)
				quote = NULL;
			continue;
		}
		switch (*at) {
		case '"':
		case '\'':
			quote = at;
			break;
		case '(':
			if (!depth++)
				open = at;
			max = max(max, depth);
			break;
		case ')':
			if (!depth--)
				return filter_refuse(p, FILTER_ERR_TOO_FEW_OPEN, at);
			break;
		}
	}
	if (quote)
		return filter_refuse(p, FILTER_ERR_MISSING_QUOTE, quote);
	if (depth)
		return filter_refuse(p, FILTER_ERR_TOO_MANY_OPEN, open);
	return max;
}

static int parse_test(struct filter_parse *p, struct filter_tree *tree, struct level *level)
{
	struct filter_node *node;
	int ret;

	if (tree->nr_tests == FILTER_MAX_TESTS)
		return filter_refuse(p, FILTER_ERR_TOO_MANY_PREDS, p->at);
	node = node_new(tree);
	if (!node)
		return -ENOMEM;
	ret = filter_test_parse(p, &node->test, &node->cost);
	if (ret)
		return ret;
	tree->nr_tests++;
	add_operand(level, node);
	return 0;
}

/* In front of a test. */
static int parse_operand(struct filter_parse *p, struct filter_tree *tree, struct level **level,
			 bool *operand_follows)
{
	switch (*p->at) {
	case '!':
		(*level)->not ^= true;
		p->at++;
		return 0;
	case '(':
		open_level(++*level);
		p->at++;
		return 0;
	case '\0':
		return filter_refuse(p, tree->nr_tests ? FILTER_ERR_INVALID_FILTER :
				     FILTER_ERR_NO_FILTER, p->at);
	}
	*operand_follows = false;
	return parse_test(p, tree, *level);
}

/* Behind a test. */
static int parse_operator(struct filter_parse *p, struct filter_tree *tree, struct level **level,
			  bool *operand_follows)
{
	struct filter_node *node;
	const char *at = p->at;

	if (*at == ')') {
		node = close_level(tree, *level);
		if (!node)
			return -ENOMEM;
		add_operand(--*level, node);
		p->at++;
		return 0;
	}
	if ((*at != '&' && *at != '|') || at[0] != at[1])
		return filter_refuse(p, FILTER_ERR_TOO_MANY_PREDS, at);
	*operand_follows = true;
	p->at += 2;
	return *at == '|' ? end_term(tree, *level) : 0;
}

/**
 * filter_tree_parse - make a tree of a text
 * @p: with the text and the event
 * @tree: the tree, to be freed with filter_tree_free() in any case
 *
 * Context: task, event_mutex. May sleep.
 * Return: 0, -EINVAL with an error in @p, -ENOMEM.
 */
int filter_tree_parse(struct filter_parse *p, struct filter_tree *tree)
{
	bool operand_follows = true;
	struct level *levels, *level;
	int ret;

	*tree = (struct filter_tree) { .all = LIST_HEAD_INIT(tree->all) };
	ret = depth_of(p);
	if (ret < 0)
		return ret;
	levels = kvmalloc_array(ret + 1, sizeof(*levels), GFP_KERNEL);
	if (!levels)
		return -ENOMEM;

	level = levels;
	open_level(level);
	for (;;) {
		p->at = skip_spaces(p->at);
		if (operand_follows) {
			ret = parse_operand(p, tree, &level, &operand_follows);
		} else if (*p->at) {
			ret = parse_operator(p, tree, &level, &operand_follows);
		} else {
			tree->root = close_level(tree, level);
			ret = tree->root ? 0 : -ENOMEM;
			break;
		}
		if (ret)
			break;
	}
	kvfree(levels);
	return ret;
}

/**
 * filter_tree_free - free what is left of a tree
 * @tree: from filter_tree_parse(), whatever that said
 *
 * Context: task.
 */
void filter_tree_free(struct filter_tree *tree)
{
	struct filter_node *node, *next;

	list_for_each_entry_safe(node, next, &tree->all, all) {
		if (node->test.is_general)
			filter_general_free(node->test.general);
		kfree(node);
	}
}
