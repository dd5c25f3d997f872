// SPDX-License-Identifier: GPL-2.0-only
/*
 * What users of the graph keep with a call, from its entry to its return, and with a task.
 *
 * The data of calls grow down from the end of the shadow stack, each with a word in front that
 * tells whose it is; the frame knows how many words there are of it.
 */
#include "graph.h"
#include "internal.h"

#define DATA_MAX_WORDS		64

/**
 * fgraph_reserve_data - room for data that the return will see
 * @idx:	fgraph_ops.idx
 * @size_bytes: how much
 *
 * Context: from entryfunc of the user with @idx.
 * Return: the room, aligned to words, or NULL.
 */
void *fgraph_reserve_data(int idx, int size_bytes)
{
	unsigned int words = DIV_ROUND_UP(size_bytes, sizeof(unsigned long));
	struct graph_stack *stack = task_stack(current);
	struct ftrace_ret_stack *frame = &stack->frames[current->curr_ret_stack - 1];

	if (size_bytes <= 0 || words > DATA_MAX_WORDS ||
	    !frame_fits(frame, stack->data - words - 1, 0))
		return NULL;
	frame->data += words + 1;
	stack->data -= words + 1;
	barrier();	/* claimed before it is written */
	*stack->data = DATA_TAG(idx, words);
	return stack->data + 1;
}

/**
 * fgraph_retrieve_data - what fgraph_reserve_data() gave
 * @idx:	fgraph_ops.idx
 * @size_bytes: set to the size, in whole words
 *
 * Context: from retfunc of the user with @idx.
 * Return: the data of this call, NULL if there is none.
 */
void *fgraph_retrieve_data(int idx, int *size_bytes)
{
	struct graph_stack *stack = task_stack(current);
	unsigned int left = stack->frames[current->curr_ret_stack - 1].data;
	unsigned long *tag = stack->data;

	while (left) {
		unsigned int words = DATA_WORDS(*tag);

		if (DATA_IDX(*tag) == idx) {
			if (size_bytes)
				*size_bytes = words * sizeof(unsigned long);
			return tag + 1;
		}
		tag += words + 1;
		left -= words + 1;
	}
	return NULL;
}

/* A word of the current task for @gops; from its callbacks. It begins as 0. */
unsigned long *fgraph_get_task_var(struct fgraph_ops *gops)
{
	return &task_stack(current)->var[gops->idx];
}
