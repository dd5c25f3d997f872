// SPDX-License-Identifier: GPL-2.0-only
/*
 * Freeing probes that were on call sites. A task may still be on its way to one of them, and
 * waiting for that takes long: so they are freed together, later.
 */
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "../events/events.h"
#include "../function/sites/sites.h"
#include "probe_reap.h"

static LIST_HEAD(reap_list);	/* event_mutex */

static void reap_work_fn(struct work_struct *work)
{
	struct probe_reap *reap, *next;
	LIST_HEAD(list);

	scoped_guard(mutex, &event_mutex)
		list_splice_init(&reap_list, &list);
	if (list_empty(&list))
		return;
	ftrace_ops_sync();
	if (ftrace_text_stuck)
		return;		/* they may be called for ever */
	guard(mutex)(&event_mutex);
	list_for_each_entry_safe(reap, next, &list, list)
		reap->free(reap);
}

static DECLARE_WORK(reap_work, reap_work_fn);

/**
 * probe_reap - have something freed when nobody is in it any more
 * @reap: of what is on no call site any more; those that come first are freed first
 * @free: frees it
 *
 * Context: task, event_mutex.
 */
void probe_reap(struct probe_reap *reap, void (*free)(struct probe_reap *reap))
{
	lockdep_assert_held(&event_mutex);
	reap->free = free;
	list_add_tail(&reap->list, &reap_list);
	schedule_work(&reap_work);
}
