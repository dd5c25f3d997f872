/* SPDX-License-Identifier: GPL-2.0-only */
/* A CPU's writers, for KUnit tests under load: a task, and an interrupt that comes between. */
#ifndef _KERNEL_TRACE_TESTS_WRITER_H
#define _KERNEL_TRACE_TESTS_WRITER_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>

/**
 * struct test_writer - the writers
 * @task:	write some. Task
 * @irq:	write some, and say after how many ns again. Interrupt; NULL: none comes
 * @stop:	set to end it
 * @done:	when they have
 * @timer:	makes the interrupt
 */
struct test_writer {
	void			(*task)(struct test_writer *w);
	u64			(*irq)(struct test_writer *w);
	bool			stop;
	struct completion	done;
	struct hrtimer		timer;
};

static enum hrtimer_restart test_writer_irq(struct hrtimer *timer)
{
	struct test_writer *w = container_of(timer, struct test_writer, timer);
	u64 again = w->irq(w);

	if (READ_ONCE(w->stop))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(again));
	return HRTIMER_RESTART;
}

/* The body of the thread, which is bound to its CPU. */
static int test_writer_thread(void *data)
{
	struct test_writer *w = data;

	hrtimer_init(&w->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	w->timer.function = test_writer_irq;
	if (w->irq)
		hrtimer_start(&w->timer, ns_to_ktime(50000), HRTIMER_MODE_REL_PINNED_HARD);
	while (!READ_ONCE(w->stop)) {
		w->task(w);
		cond_resched();
	}
	hrtimer_cancel(&w->timer);
	complete(&w->done);
	return 0;
}

#endif /* _KERNEL_TRACE_TESTS_WRITER_H */
