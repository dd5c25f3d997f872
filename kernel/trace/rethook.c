// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return hooks: a function returns into a trampoline, which calls the hooks
 * that were set when it was entered and goes on to where it belonged.
 *
 * The return addresses that were replaced stand in task_struct.rethooks, newest
 * first, one node for each hook. Several hooks on one call are neighbours with one
 * frame: the first of them in the list found the trampoline in place of the return address, and
 * so on, up to the last, which has the real one. What follows is another call.
 *
 * Nodes come from a pool that its rethook owns and that the last node to come
 * home frees, once rethook_free() gave up on it. It comes where a function returns, with
 * interrupts off, locks held or in an NMI, so an irq_work brings it.
 */
#include <linux/bug.h>
#include <linux/cleanup.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/objpool.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/slab.h>

static rethook_handler_t handler_of(struct rethook *rh)
{
	return (rethook_handler_t)rcu_dereference_check(rh->handler, rcu_read_lock_any_held());
}

NOKPROBE_SYMBOL(handler_of);

static struct rethook_node *to_node(struct llist_node *link)
{
	return container_of(link, struct rethook_node, llist);
}

NOKPROBE_SYMBOL(to_node);

/* The first node at or behind @link that has a real return address, or NULL. */
static struct llist_node *next_real(struct llist_node *link)
{
	while (link && is_rethook_trampoline(to_node(link)->ret_addr))
		link = link->next;
	return link;
}

NOKPROBE_SYMBOL(next_real);

/**
 * rethook_flush_task - a task is gone: its nodes are free
 * @tk: task that runs no more
 */
void rethook_flush_task(struct task_struct *tk)
{
	struct llist_node *link, *next;

	guard(preempt_notrace)();
	llist_for_each_safe(link, next, __llist_del_all(&tk->rethooks))
		rethook_recycle(to_node(link));
}

static int own_node(void *node, void *rh)
{
	((struct rethook_node *)node)->rethook = rh;
	return 0;
}

static int free_rethook(struct objpool_head *pool, void *rh)
{
	kfree(rh);
	return 0;
}

/**
 * rethook_alloc - make a rethook
 * @data: for @handler
 * @handler: called when a hooked function returns, with preemption off
 * @size: of a node with what the caller keeps in it; it begins with a struct rethook_node
 * @num: of nodes, which is how many hooked calls there can be at a time
 *
 * Task context, may sleep. Return: the rethook, or ERR_PTR(): -EINVAL, -ENOMEM.
 */
struct rethook *rethook_alloc(void *data, rethook_handler_t handler, int size, int num)
{
	struct rethook *rh;
	int err;

	if (!handler || num < 1 || size < (int)sizeof(struct rethook_node))
		return ERR_PTR(-EINVAL);
	rh = kzalloc(sizeof(*rh), GFP_KERNEL);
	if (!rh)
		return ERR_PTR(-ENOMEM);

	rh->data = data;
	RCU_INIT_POINTER(rh->handler, handler);
	err = objpool_init(&rh->pool, num, size, GFP_KERNEL, rh, own_node, free_rethook);
	if (err) {
		kfree(rh);
		rh = ERR_PTR(err);
	}
	return rh;
}

/**
 * rethook_stop - hook no more calls; those that are hooked return unseen
 * @rh: rethook
 */
void rethook_stop(struct rethook *rh)
{
	rcu_assign_pointer(rh->handler, NULL);
}

static void drop_pool(struct rcu_head *head)
{
	struct rethook *rh = container_of(head, struct rethook, rcu);

	objpool_fini(&rh->pool);
}

/**
 * rethook_free - stop, and free it when the last hooked call has returned
 * @rh: rethook that the caller does not touch again
 */
void rethook_free(struct rethook *rh)
{
	rethook_stop(rh);
	/* whoever saw the handler still may push its node to the pool */
	call_rcu(&rh->rcu, drop_pool);
}

/* Nodes that came home on a CPU when their rethook had been given up. */
struct gone_nodes {
	struct llist_head	nodes;
	struct irq_work		work;
};

/* Each has a reference to its pool, so the next one's is there. */
static void drop_nodes(struct irq_work *work)
{
	struct gone_nodes *gone = container_of(work, struct gone_nodes, work);
	struct llist_node *link, *next;

	llist_for_each_safe(link, next, llist_del_all(&gone->nodes)) {
		struct rethook_node *node = to_node(link);

		objpool_drop(node, &node->rethook->pool);
	}
}

static DEFINE_PER_CPU(struct gone_nodes, gone_nodes) = {
	.work = IRQ_WORK_INIT(drop_nodes),
};

/**
 * rethook_recycle - give a node back
 * @node: from rethook_try_get(), in no list
 *
 * Any context, preemption off.
 */
void rethook_recycle(struct rethook_node *node)
{
	struct rethook *rh = node->rethook;
	struct gone_nodes *gone;

	lockdep_assert_preemption_disabled();
	if (likely(handler_of(rh))) {
		objpool_push(node, &rh->pool);
	} else {
		gone = this_cpu_ptr(&gone_nodes);
		if (llist_add(&node->llist, &gone->nodes))
			irq_work_queue(&gone->work);
	}
}

NOKPROBE_SYMBOL(rethook_recycle);

/**
 * rethook_try_get - get a node for a call that is to be hooked
 * @rh: rethook
 *
 * Any context, preemption off. Return: a node, or NULL: all are in use, @rh was
 * stopped, or the return would come where RCU does not look.
 */
struct rethook_node *rethook_try_get(struct rethook *rh)
{
	lockdep_assert_preemption_disabled();
	if (unlikely(!rcu_is_watching()) || !handler_of(rh))
		return NULL;
	return objpool_pop(&rh->pool);
}

NOKPROBE_SYMBOL(rethook_try_get);

/**
 * rethook_hook - hook the return of the function that was just entered
 * @node: from rethook_try_get(); it comes back by itself
 * @regs: registers at the entry
 * @mcount: entered through ftrace rather than through a breakpoint
 */
void rethook_hook(struct rethook_node *node, struct pt_regs *regs, bool mcount)
{
	arch_rethook_prepare(node, regs, mcount);
	__llist_add(&node->llist, &current->rethooks);
}

NOKPROBE_SYMBOL(rethook_hook);

/**
 * rethook_find_ret_addr - where would a frame have returned to?
 * @tsk: current, or a task that does not run
 * @frame: frame whose return address is the trampoline
 * @cur: place in the list, NULL to begin with; an unwinder keeps it from frame to frame
 *
 * Return: the address or 0.
 */
unsigned long rethook_find_ret_addr(struct task_struct *tsk, unsigned long frame,
				    struct llist_node **cur)
{
	struct llist_node *link;

	if (WARN_ON_ONCE(!cur) || (tsk != current && task_is_running(tsk)))
		return 0;

	link = next_real(*cur ? (*cur)->next : tsk->rethooks.first);
	for (; link; link = next_real(link->next)) {
		*cur = link;
		if (to_node(link)->frame == frame)
			return to_node(link)->ret_addr;
	}
	return 0;
}

NOKPROBE_SYMBOL(rethook_find_ret_addr);

/* For architectures whose trampoline returns by other means than regs' instruction pointer. */
void __weak arch_rethook_fixup_return(struct pt_regs *regs, unsigned long correct_ret_addr)
{
}

/**
 * rethook_trampoline_handler - a hooked function has returned
 * @regs: its registers; the instruction pointer is set to where it goes on
 * @frame: its frame, as arch_rethook_prepare() noted it
 *
 * Return: where it goes on.
 */
unsigned long rethook_trampoline_handler(struct pt_regs *regs, unsigned long frame)
{
	struct llist_node *link, *next, *last;
	rethook_handler_t handler;
	struct rethook_node *node;
	unsigned long ret_addr;

	last = next_real(current->rethooks.first);
	/* nobody knows where this goes on */
	BUG_ON(!last);
	ret_addr = to_node(last)->ret_addr;
	instruction_pointer_set(regs, ret_addr);

	/* The hooks see the registers of the return, and may look at the stack above it. */
	guard(preempt_notrace)();
	for (link = current->rethooks.first; ; link = link->next) {
		node = to_node(link);
		if (WARN_ON_ONCE(node->frame != frame))
			break;
		handler = handler_of(node->rethook);
		if (handler)
			handler(node, node->rethook->data, ret_addr, regs);
		if (link == last)
			break;
	}
	arch_rethook_fixup_return(regs, ret_addr);

	/* Until here a stack walk from a handler found them in the list. */
	link = current->rethooks.first;
	current->rethooks.first = last->next;
	last->next = NULL;
	llist_for_each_safe(link, next, link)
		rethook_recycle(to_node(link));
	return ret_addr;
}

NOKPROBE_SYMBOL(rethook_trampoline_handler);
