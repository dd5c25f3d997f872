// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return hooks: see hooks.h.
 *
 * The word of a hook on a shadow stack, its tag, lies there as long as the call is open, which
 * may be longer than there is the hook. So it is no pointer but a number of a table and a
 * generation: when a hook goes its place in the table is cleared and the generation counted up, and
 * calls that return later find nobody. Tables are never freed.
 */
#include <linux/export.h>
#include <linux/idr.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../sites/sites.h"
#include "../sites/guard.h"
#include "../../missed.h"
#include "hooks.h"
#include "internal.h"

/*
 * A tag, from the lowest bit: DATA_OF_HOOK; how many words follow; the hook's number; the
 * generation of that number.
 */
#define TAG_NUMBER_SHIFT	16
#define TAG_GEN_SHIFT		32
#define PAGE_SLOTS		256
#define MAX_HOOKS		65536

static_assert(DATA_OF_HOOK == 0xff);	/* see hooks_return() */

struct hook_slot {
	struct graph_hook	*hook;	/* NULL: nobody, or nobody any more */
	u32			gen;
};

/* hook_mutex; a page stays where it is. Read with preemption off, see graph_hook_take_off(). */
static struct hook_slot *slot_pages[MAX_HOOKS / PAGE_SLOTS];
static DEFINE_MUTEX(hook_mutex);
static DEFINE_IDA(hook_numbers);

static __always_inline unsigned int number_of(unsigned long tag)
{
	return (u16)(tag >> TAG_NUMBER_SHIFT);
}

static __always_inline struct hook_slot *slot_at(unsigned int number)
{
	return &slot_pages[number / PAGE_SLOTS][number % PAGE_SLOTS];
}

static __always_inline struct hook_slot *slot_of(unsigned long tag)
{
	return slot_at(number_of(tag));
}

static __always_inline struct graph_hook *hook_of(unsigned long tag)
{
	struct hook_slot *slot = slot_of(tag);

	/* A number is only given away again after all who may look at it now are through. */
	if (unlikely(READ_ONCE(slot->gen) != tag >> TAG_GEN_SHIFT))
		return NULL;
	return READ_ONCE(slot->hook);
}

static __always_inline void *data_of(unsigned long *tag)
{
	return DATA_WORDS(*tag) ? tag + 1 : NULL;
}

/* Out of line: it is rare, and who calls it last needs no stack frame for it. */
static noinline notrace void hook_missed(struct graph_hook *hook)
{
	unsigned long *missed = READ_ONCE(hook->missed);

	if (missed)
		trace_count_missed(missed);
	if (unlikely(!task_stack(current)))
		graph_stack_missed();
}

/* In the youngest frame: false if there is no room. */
static __always_inline bool tag_push(struct graph_stack *stack, struct ftrace_ret_stack *frame,
				     const struct graph_hook *hook)
{
	unsigned long *data = stack->data - hook->words;

	if (unlikely(!frame_fits(frame, data, 0)))
		return false;
	frame->data += hook->words;
	stack->data = data;
	barrier();	/* claimed before it is written */
	*data = hook->tag;
	return true;
}

static __always_inline void tag_pop(struct graph_stack *stack, struct ftrace_ret_stack *frame,
				    const struct graph_hook *hook)
{
	barrier();
	stack->data += hook->words;
	frame->data -= hook->words;
}

/* Any user of the graph may share the frame: fgraph_ops::entryfunc of every hook. */
static int notrace hook_entryfunc(struct ftrace_graph_ent *ent, struct fgraph_ops *gops)
{
	struct graph_hook *hook = container_of(gops, struct graph_hook, gops);
	struct graph_stack *stack = task_stack(current);
	struct graph_call *call = graph_call_of(ent);
	struct ftrace_ret_stack *frame = &stack->frames[call->ent.depth];
	unsigned long ret;

	if (unlikely(!tag_push(stack, frame, hook))) {
		hook_missed(hook);
		return 0;
	}
	if (!hook->entry)
		return 1;
	ret = graph_true_return(stack, frame->ret);
	if (hook->entry(hook, frame->func, ret, call->fregs, data_of(stack->data)))
		return 1;
	tag_pop(stack, frame, hook);
	return 0;
}

#ifdef ARCH_FTRACE_GRAPH_REGS
/* @spare: bytes that are to be left, see frame_fits() */
static __always_inline bool frame_push(const struct graph_hook *hook, unsigned long ip,
				       struct ftrace_regs *fregs, size_t spare)
{
	struct task_struct *self = current;
	struct graph_stack *stack = task_stack(self);
	struct ftrace_ret_stack *frame;
	unsigned long *data;

	if (unlikely(!stack))
		return false;
	frame = &stack->frames[self->curr_ret_stack];
	data = stack->data - hook->words;
	OPTIMIZER_HIDE_VAR(frame);
	if (unlikely(!frame_fits(frame, data, spare)))
		return false;
	barrier();	/* what is read again is not kept: for that there are not the registers */
	self->curr_ret_stack++;
	stack->data = data;
	barrier();	/* interrupts stay above the frame, and below its data, from here on */
	frame->retp = arch_ftrace_unwind_key(fregs);
	frame->ret = *arch_ftrace_return_slot(fregs);
	frame->func = ip;
	frame->users = BIT(FGRAPH_HOOKS);
	frame->data = hook->words;
	*data = hook->tag;
	return true;
}

/* The same where there may be no room: then there is to be more. @guarded: graph_stack_grow() */
static noinline notrace bool frame_push_last(const struct graph_hook *hook, unsigned long ip,
					     struct ftrace_regs *fregs, bool guarded)
{
	struct graph_stack *stack = task_stack(current);

	if (!stack)
		return false;
	graph_stack_grow(stack, guarded);
	if (frame_push(hook, ip, fregs, 0))
		return true;
	atomic_inc(&current->trace_overrun);
	return false;
}

static noinline notrace void hook_call_entry(struct graph_hook *hook, unsigned long ip,
					     unsigned long parent_ip, struct ftrace_regs *fregs)
{
	struct task_struct *self = current;
	struct ftrace_ret_stack *frame;
	struct graph_stack *stack;
	unsigned long ret, handler;
	struct trace_guard guard;

	if (unlikely(!trace_guard_enter(&guard, ip, parent_ip))) {
		hook_missed(hook);
		return;
	}
	if (likely(frame_push(hook, ip, fregs, GRAPH_SPARE)) ||
	    frame_push_last(hook, ip, fregs, true)) {
		stack = task_stack(self);
		frame = &stack->frames[self->curr_ret_stack - 1];
		handler = stack->handler;	/* it is at hand */
		ret = graph_true_return(stack, frame->ret);
		if (hook->entry(hook, ip, ret, fregs, data_of(stack->data)))
			*arch_ftrace_return_slot(fregs) = handler;
		else
			frame_pop(self, stack, frame, self->curr_ret_stack - 1);
	} else {
		hook_missed(hook);
	}
	trace_guard_leave(&guard);
}

/* What is rare in hook_call(), which has found little room if it is neither of the first two. */
static noinline notrace void hook_call_rest(struct graph_hook *hook, unsigned long ip,
					    unsigned long parent_ip, struct ftrace_regs *fregs)
{
	if (graph_is_off())
		hook_missed(hook);
	else if (hook->entry)
		hook_call_entry(hook, ip, parent_ip, fregs);
	else if (frame_push_last(hook, ip, fregs, false))
		*arch_ftrace_return_slot(fregs) = (unsigned long)return_to_handler;
	else
		hook_missed(hook);
}

/* ops::func of a hook: nobody else of the graph is at the site, so this does instead of it. */
static void notrace hook_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			      struct ftrace_regs *fregs)
{
	struct graph_hook *hook = container_of(op, struct graph_hook, gops.ops);

	if (unlikely(graph_is_off()) || hook->entry)
		goto rest;
	if (unlikely(!frame_push(hook, ip, fregs, GRAPH_SPARE)))
		goto rest;
	/* Nothing was called, so nothing is to be guarded. */
	*arch_ftrace_return_slot(fregs) = (unsigned long)return_to_handler;
	return;

	/* One call, in one place: so there is no stack frame before it. */
rest:
	hook_call_rest(hook, ip, parent_ip, fregs);
}
#else
#define hook_call	graph_call
#endif

static noinline notrace void return_many(struct graph_stack *stack,
					 const struct ftrace_ret_stack *frame,
					 struct ftrace_regs *fregs)
{
	unsigned long ret = graph_true_return(stack, frame->ret);
	unsigned long *tag = stack->data;
	unsigned int left = frame->data;
	struct graph_hook *hook;

	ftrace_regs_set_instruction_pointer(fregs, ret);
	while (left) {
		unsigned int words = DATA_WORDS(*tag) + 1;

		if (likely(DATA_IDX(*tag) == DATA_OF_HOOK)) {
			hook = hook_of(*tag);
			if (likely(hook))
				hook->ret(hook, frame->func, ret, fregs, data_of(tag));
		}
		tag += words;
		left -= words;
	}
}

static __always_inline void hooks_return(struct graph_stack *stack,
					 const struct ftrace_ret_stack *frame,
					 struct ftrace_regs *fregs)
{
	unsigned long *at = stack->data, tag = *at, ret = frame->ret;
	struct graph_hook *hook;

	/* The frame has one tag, which is a hook's, and nothing else: words - 1 << 8 | 0xff. */
	if (unlikely(graph_is_replaced(stack, ret) ||
		     (u16)tag + 1U != (u32)frame->data << 8)) {
		return_many(stack, frame, fregs);
		return;
	}
	ftrace_regs_set_instruction_pointer(fregs, ret);
	hook = hook_of(tag);
	if (likely(hook))
		hook->ret(hook, frame->func, ret, fregs, DATA_WORDS(tag) ? at + 1 : NULL);
}

/* The call of @frame returns: tell its hooks, the last to be entered first. */
void notrace graph_hooks_return(struct graph_stack *stack, const struct ftrace_ret_stack *frame,
				struct ftrace_regs *fregs)
{
	hooks_return(stack, frame, fregs);
}

/*
 * The call of @frame, which only has hooks, returns: all that is left to do since
 * trace_guard_enter_plain() with @word. Return: where to go on.
 */
unsigned long notrace graph_hooks_finish(struct ftrace_regs *fregs, struct ftrace_ret_stack *frame,
					 unsigned long word)
{
	struct task_struct *self = current;
	struct graph_stack *stack;
	unsigned long ret;

	hooks_return(task_stack(self), frame, fregs);
	if (trace_guard_leave_plain(self, word))
		trace_guard_yield_plain();
	ret = frame->ret;
	stack = task_stack(self);
	stack->data += frame->data;
	barrier();	/* as in frame_pop() */
	self->curr_ret_stack--;
	return ret;
}

/* The call of @frame returns where no callback may run. */
void notrace graph_hooks_unseen(struct graph_stack *stack, const struct ftrace_ret_stack *frame)
{
	unsigned long *tag, *end = stack->data + frame->data;
	struct graph_hook *hook;

	preempt_disable_notrace();
	for (tag = stack->data; tag < end; tag = data_next(tag)) {
		hook = DATA_IDX(*tag) == DATA_OF_HOOK ? hook_of(*tag) : NULL;
		if (hook) {
			hook_missed(hook);
			if (hook->dropped)
				hook->dropped(hook);
		}
	}
	preempt_enable_notrace();
}

/* The hooks of a site whose ops is @op are not told of a call. */
void notrace graph_hooks_missed(struct ftrace_ops *op)
{
	struct fgraph_ops **gops, *one;
	int n = 1;

	if (op->flags & FTRACE_OPS_FL_SET) {
		gops = ftrace_op_to_set(op)->graph;
		n = ftrace_op_to_set(op)->nr_graph;
	} else {
		one = container_of(op, struct fgraph_ops, ops);
		gops = &one;
	}
	for (; n; n--, gops++) {
		one = READ_ONCE(*gops);
		if (one->idx == FGRAPH_HOOKS)
			hook_missed(container_of(one, struct graph_hook, gops));
	}
}

void graph_hooks_dropped(struct graph_stack *stack)
{
	struct graph_hook *hook;
	unsigned long *tag;

	guard(preempt)();
	for (tag = stack->data; tag < stack->end; tag = data_next(tag)) {
		hook = DATA_IDX(*tag) == DATA_OF_HOOK ? hook_of(*tag) : NULL;
		if (hook && hook->dropped)
			hook->dropped(hook);
	}
}

/* hook_mutex. A number whose place in the table is there. */
static int number_alloc(void)
{
	int number = ida_alloc_max(&hook_numbers, MAX_HOOKS - 1, GFP_KERNEL);
	struct hook_slot **page;

	if (number < 0)
		return number;
	page = &slot_pages[number / PAGE_SLOTS];
	if (!*page)
		*page = kcalloc(PAGE_SLOTS, sizeof(**page), GFP_KERNEL);
	if (*page)
		return number;
	ida_free(&hook_numbers, number);
	return -ENOMEM;
}

/* Is @hook still told of the return of calls that were entered before? hook_mutex */
static bool number_is_known(const struct graph_hook *hook)
{
	return hook->tag && slot_of(hook->tag)->hook == hook;
}

/*
 * Gives @hook a number and its tag, before the first call can be entered for it. A hook that was
 * taken off, but not released, still has its number; one that has only left its sites keeps its
 * tag, too. hook_mutex
 */
static int number_take(struct graph_hook *hook)
{
	int number = hook->tag ? number_of(hook->tag) : number_alloc();
	struct hook_slot *slot;

	if (number < 0)
		return number;
	slot = slot_at(number);
	hook->tag = (unsigned long)slot->gen << TAG_GEN_SHIFT |
		    (unsigned long)number << TAG_NUMBER_SHIFT |
		    DATA_TAG(DATA_OF_HOOK, hook->words - 1);
	WRITE_ONCE(slot->hook, hook);
	return 0;
}

/*
 * From now on calls that return do not find @hook; who has found it before may still call it. The
 * number stays taken. hook_mutex
 */
static void number_forget(struct graph_hook *hook)
{
	struct hook_slot *slot;

	if (!hook->tag)
		return;
	slot = slot_of(hook->tag);
	WRITE_ONCE(slot->hook, NULL);
	WRITE_ONCE(slot->gen, slot->gen + 1);
}

static void number_give_back(struct graph_hook *hook)
{
	if (!hook->tag)
		return;
	ida_free(&hook_numbers, number_of(hook->tag));
	hook->tag = 0;
}

static bool notrace follow_nothing(struct graph_hook *hook, unsigned long ip, unsigned long ret_ip,
				   struct ftrace_regs *fregs, void *data)
{
	return false;
}

/*
 * Text that cannot be written may go on calling it: it tells nobody. Of the return nobody knows.
 * Who calls it may have seen that there is an entry, and loads it again: so there is one still.
 */
static void hook_mute(struct graph_hook *hook)
{
	WRITE_ONCE(hook->entry, follow_nothing);
	WRITE_ONCE(hook->missed, NULL);
}

/*
 * @hook could not be registered, though it may have been on some of its sites for a moment. @known:
 * it was known before that, and goes on being told of the return of calls that were entered then.
 */
static void hook_undo(struct graph_hook *hook, bool known)
{
	bool stuck = READ_ONCE(ftrace_text_stuck);

	if (known && !stuck)
		return;
	scoped_guard(mutex, &hook_mutex)
		number_forget(hook);
	if (stuck)
		hook_mute(hook);
	synchronize_rcu_tasks_rude();
	number_give_back(hook);
}

/**
 * graph_hook_register - see functions return
 * @hook: see struct graph_hook
 *
 * One that has left its sites is as it was before that if this fails.
 *
 * Context: task, sleeps.
 * Return: 0; -ENOSPC for too many hooks, -EINVAL without @ret or for too much data, -EBUSY if it is
 * registered, -ENOMEM, else as register_ftrace_function().
 */
int graph_hook_register(struct graph_hook *hook)
{
	bool known;
	int ret;

	if (!hook->ret || hook->data_size > GRAPH_HOOK_DATA_MAX)
		return -EINVAL;
	if (graph_hook_is_registered(hook))
		return -EBUSY;
	ret = graph_prepare();
	if (ret)
		return ret;

	hook->words = 1 + DIV_ROUND_UP(hook->data_size, sizeof(unsigned long));
	hook->gops.entryfunc = hook_entryfunc;
	hook->gops.idx = FGRAPH_HOOKS;
	hook->gops.ops.func = hook_call;
	hook->gops.ops.private = &hook->gops;
	hook->gops.ops.flags |= FTRACE_OPS_FL_GRAPH;

	scoped_guard(mutex, &hook_mutex) {
		known = number_is_known(hook);
		ret = number_take(hook);
	}
	if (ret)
		return ret;
	ret = register_ftrace_function(&hook->gops.ops);
	if (ret)
		hook_undo(hook, known);
	return ret;
}

/**
 * graph_hook_leave - no call is entered for a hook any more
 * @hook: registered hook
 *
 * Calls that are open still tell it of their return. It may be registered again, with the same
 * callbacks and @data_size; in the end graph_hook_take_off() has to follow.
 *
 * Context: task, sleeps.
 * Return: 0; -ENODEV as graph_hook_take_off(), and then nobody is told.
 */
int graph_hook_leave(struct graph_hook *hook)
{
	int ret = ftrace_take_off(&hook->gops.ops);

	if (ret) {
		scoped_guard(mutex, &hook_mutex)
			number_forget(hook);
		hook_mute(hook);
	}
	return ret;
}

/**
 * graph_hook_take_off - the first half of graph_hook_unregister()
 * @hook: registered hook, or one that has left its sites
 *
 * Several hooks may be taken off and wait once, with ftrace_ops_sync(), for the callbacks that
 * still run; then each is released. Until that it may be registered again.
 *
 * Context: task, sleeps.
 * Return: 0; -ENODEV if text cannot be written any more, which may go on calling @hook: its
 * callbacks are not called, but it may not be freed.
 */
int graph_hook_take_off(struct graph_hook *hook)
{
	int ret = graph_hook_is_registered(hook) ? graph_hook_leave(hook) : 0;

	scoped_guard(mutex, &hook_mutex)
		number_forget(hook);
	return ret;
}

/**
 * graph_hook_release - the other half, after ftrace_ops_sync()
 * @hook: was taken off, or never registered; it may be freed
 *
 * Context: task, sleeps.
 */
void graph_hook_release(struct graph_hook *hook)
{
	ftrace_ops_drop_trampoline(&hook->gops.ops);
	number_give_back(hook);
}

/**
 * graph_hook_unregister - the opposite of graph_hook_register()
 * @hook: registered hook
 *
 * Calls that are open return without it. Nobody is in its callbacks any more afterwards.
 *
 * Context: task, sleeps.
 * Return: as graph_hook_take_off().
 */
int graph_hook_unregister(struct graph_hook *hook)
{
	int ret = graph_hook_take_off(hook);

	ftrace_ops_sync();
	graph_hook_release(hook);
	return ret;
}
