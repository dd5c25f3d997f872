/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_IRQ_WORK_H
#define _KERNEL_TRACE_IRQ_WORK_H

#include <linux/irq_work.h>
#include <linux/llist.h>

/**
 * struct trace_irq_work - an irq_work that may be asked for by a CPU that is not online
 * @work: the work; its function finds what it is in by container_of(work, struct ..., NAME.work)
 * @left: in the list of those that such CPUs have left
 * @is_left: it is in that list
 */
struct trace_irq_work {
	struct irq_work		work;
	struct llist_node	left;
	unsigned int		is_left;
};

#define TRACE_IRQ_WORK_INIT(func)	{ .work = IRQ_WORK_INIT(func) }

static inline void trace_irq_work_init(struct trace_irq_work *w, void (*func)(struct irq_work *))
{
	*w = (struct trace_irq_work)TRACE_IRQ_WORK_INIT(func);
}

void trace_irq_work_queue(struct trace_irq_work *w);
void trace_irq_work_sync(struct trace_irq_work *w);

#endif /* _KERNEL_TRACE_IRQ_WORK_H */
