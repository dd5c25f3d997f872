// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf and uprobe events: only address spaces get breakpoints that a perf_event is about. And
 * uprobes that perf opens without a line in uprobe_events, its PMU `uprobe`.
 */
#include <linux/bpf.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/filter.h>
#include <linux/namei.h>
#include <linux/perf_event.h>
#include <linux/rcupdate_trace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

#include "../events/events.h"
#include "../events/perf.h"
#include "probe_bpf.h"
#include "uprobe.h"

/**
 * struct uprobe_targets - whom the perf_events of an event are about
 * @lock:	the rest, in any context that a filter of uprobes is called in
 * @everybody:	perf_events that are about all tasks
 * @events:	those that are about one; perf_event.hw.tp_list
 */
struct uprobe_targets {
	rwlock_t		lock;
	unsigned int		everybody;
	struct list_head	events;
};

struct uprobe_targets *uprobe_targets_alloc(void)
{
	struct uprobe_targets *targets = kzalloc(sizeof(*targets), GFP_KERNEL);

	if (targets) {
		rwlock_init(&targets->lock);
		INIT_LIST_HEAD(&targets->events);
	}
	return targets;
}

/*
 * A child has its event before it has an address space. While that is copied, and until it is the
 * child's, nobody can tell whose it is, but others may come and take their uprobe away. The
 * child's mm is NULL then; else it is so only of who ends, or never had one. @or_forking: any may
 * be that of such a child.
 */
static bool wants(const struct uprobe_targets *targets, const struct mm_struct *mm,
		  bool or_forking)
{
	const struct perf_event *event;

	if (targets->everybody)
		return true;
	list_for_each_entry(event, &targets->events, hw.tp_list) {
		const struct task_struct *task = event->hw.target;
		const struct mm_struct *its = READ_ONCE(task->mm);

		if (its ? its == mm : or_forking && !(task->flags & (PF_EXITING | PF_KTHREAD)))
			return true;
	}
	return false;
}

/*
 * Does somebody want hits in @mm? Any context. Whether breakpoints are to stay is asked with
 * @or_forking: where they have stayed and nobody wants them, the next hit asks again. What fork()
 * copies is in the file's list of mappings, by which such a caller came to it, so the child's mm is
 * NULL already.
 */
bool uprobe_targets_want(struct uprobe_targets *targets, const struct mm_struct *mm,
			 bool or_forking)
{
	bool ret;

	read_lock(&targets->lock);
	ret = wants(targets, mm, or_forking);
	read_unlock(&targets->lock);
	return ret;
}

/* True if the breakpoints are where they have to be already. */
static bool targets_add(struct uprobe_targets *targets, struct perf_event *event)
{
	bool there;

	write_lock(&targets->lock);
	there = targets->everybody;
	if (!event->hw.target) {
		targets->everybody++;
	} else {
		/*
		 * A child's address space is the copy of one that has them; after an exec they
		 * come with the new mappings.
		 */
		there = there || event->parent || event->attr.enable_on_exec ||
			wants(targets, event->hw.target->mm, false);
		list_add(&event->hw.tp_list, &targets->events);
	}
	write_unlock(&targets->lock);
	return there;
}

/*
 * When a task and its clone follow each other on a CPU, perf lets them exchange their contexts with
 * all events, and not what these say of whose they are. So who leaves may leave with the event of
 * another one, which goes on with that of who leaves. That is a child's event, of which perf says
 * that it exits: one that is closed with its file, for who leaves had opened it, is none.
 * targets->lock held
 */
static void targets_settle(struct uprobe_targets *targets, struct perf_event *leaving)
{
	struct perf_event *event;

	if (leaving->hw.target == current ||
	    !(current->flags & PF_EXITING || current->in_execve) ||
	    !leaving->parent || leaving->state != PERF_EVENT_STATE_EXIT)
		return;
	list_for_each_entry(event, &targets->events, hw.tp_list) {
		if (event->hw.target == current) {
			swap(event->hw.target, leaving->hw.target);
			return;
		}
	}
}

/* True if no breakpoint has to go. */
static bool targets_del(struct uprobe_targets *targets, struct perf_event *event)
{
	bool stay;

	write_lock(&targets->lock);
	if (!event->hw.target) {
		stay = --targets->everybody;
	} else {
		targets_settle(targets, event);
		list_del(&event->hw.tp_list);
		/* who exits takes them with him */
		stay = event->hw.target->flags & PF_EXITING ||
		       wants(targets, event->hw.target->mm, false);
	}
	write_unlock(&targets->lock);
	return stay;
}

/* event_mutex */
static int apply(struct probe_event *e, bool add)
{
	struct probe *p;
	int ret = 0;

	/* all have them for the sake of a trace buffer */
	if (e->users & PROBE_FOR_TRACE)
		return 0;
	list_for_each_entry(p, &e->probes, link) {
		ret = uprobe_place_apply(uprobe_place_of(p), add) ?: ret;
		if (ret && add)
			break;
	}
	return ret;
}

static int perf_close(struct probe_event *e, struct perf_event *event)
{
	if (targets_del(e->private, event))
		return 0;
	/* no child that exits: who closes its parent's, or a fork that fails */
	if (event->parent)
		mutex_lock(&event_mutex);
	apply(e, false);
	if (event->parent)
		mutex_unlock(&event_mutex);
	return 0;
}

/* event_mutex, but for a child's, which finds the breakpoints there */
static int perf_open(struct probe_event *e, struct perf_event *event)
{
	int ret = 0;

	if (!targets_add(e->private, event))
		ret = apply(e, true);
	if (ret)
		perf_close(e, event);
	return ret;
}

/* For struct probe_kind. */
int uprobe_perf_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct probe_event *e = probe_event_of(call);

	if (type == TRACE_REG_PERF_OPEN)
		return perf_open(e, data);
	return type == TRACE_REG_PERF_CLOSE ? perf_close(e, data) : 0;
}

/* A program of BPF may not want it, which may ask for @addr with bpf_get_func_ip(). */
#ifdef CONFIG_BPF_EVENTS
static bool bpf_wants(struct trace_event_call *call, struct pt_regs *regs, unsigned long addr)
{
	struct uprobe_dispatch_data data = { .bp_addr = addr };
	const struct bpf_prog_array *programs;
	bool wants;

	if (!bpf_prog_array_valid(call))
		return true;
	current->utask->vaddr = (unsigned long)&data;
	rcu_read_lock_trace();
	programs = rcu_dereference_check(call->prog_array, rcu_read_lock_trace_held());
	wants = bpf_prog_run_array_uprobe(programs, regs, bpf_prog_run);
	rcu_read_unlock_trace();
	return wants;
}
#else
static bool bpf_wants(struct trace_event_call *call, struct pt_regs *regs, unsigned long addr)
{
	return true;
}
#endif

/* Task context, may sleep. */
void uprobe_perf_hit(struct uprobe_place *up, const void *record, unsigned int size,
		     struct pt_regs *regs)
{
	struct probe_event *e = up->probe.event;
	/* in front of the arguments is where it was hit, or the function that returns */
	const unsigned long *head = record + sizeof(struct trace_entry);

	if (!uprobe_targets_want(e->private, current->mm, false) ||
	    !bpf_wants(&e->call, regs, head[0]))
		return;
	/* who takes perf's lists away has waited for those that still found it a user */
	guard(preempt)();
	if (READ_ONCE(e->users) & PROBE_FOR_PERF)
		probe_record_perf_copy(&up->probe, record, size, regs);
}

/* --- perf's own */

static struct uprobe_place *local_alloc(const char *filename, unsigned long offset,
					unsigned long ref_ctr, bool returns)
{
	struct probe_parse ctx = { .at = PROBE_USER | (returns ? PROBE_RETURN : 0) };
	struct uprobe_place *up;
	struct path path;
	int ret;

	ret = kern_path(filename, LOOKUP_FOLLOW, &path);
	if (ret)
		return ERR_PTR(ret);
	up = d_is_reg(path.dentry) ? uprobe_place_alloc(filename, &path, offset, ref_ctr) : NULL;
	if (!up) {
		ret = d_is_reg(path.dentry) ? -ENOMEM : -EINVAL;
		path_put(&path);
		return ERR_PTR(ret);
	}
	ret = probe_init(&up->probe, &uprobe_kind, ctx.at, NULL, "DUMMY_EVENT") ?:
	      probe_parse_args(&up->probe, &ctx, 0) ?:
	      probe_complete(&up->probe);
	if (!ret)
		return up;
	probe_destroy(&up->probe);
	uprobe_place_free(up);
	return ERR_PTR(ret);
}

/**
 * perf_uprobe_init - open a uprobe for perf
 * @event: perf's event; its attr says where
 * @ref_ctr_offset: of a counter in the file, 0 for none
 * @is_retprobe: at the function's return
 *
 * A child's event is at its parent's place.
 *
 * Context: task, takes event_mutex but for a child's.
 * Return: 0; -E2BIG: the path is too long; -ENOENT, -EINVAL, -EACCES, -EPERM, -ENOMEM.
 */
int perf_uprobe_init(struct perf_event *event, unsigned long ref_ctr_offset, bool is_retprobe)
{
	struct uprobe_place *up;
	char *filename;
	int ret;

	if (event->parent)
		return perf_trace_open_inherited(event);
	if (!event->attr.uprobe_path)
		return -EINVAL;
	filename = strndup_user(u64_to_user_ptr(event->attr.uprobe_path), PATH_MAX);
	if (IS_ERR(filename))
		return PTR_ERR(filename) == -EINVAL ? -E2BIG : PTR_ERR(filename);
	up = *filename ? local_alloc(filename, event->attr.probe_offset, ref_ctr_offset,
				     is_retprobe) : ERR_PTR(-EINVAL);
	kfree(filename);
	if (IS_ERR(up))
		return PTR_ERR(up);

	/* a perf_event's targets and the uprobe are changed together */
	guard(mutex)(&event_mutex);
	ret = uprobe_kind.install(&up->probe, NULL) ?:
	      perf_trace_open_call(&up->probe.event->call, event);
	if (ret)
		uprobe_place_free_later(up);
	return ret;
}

/**
 * perf_uprobe_destroy - close what perf_uprobe_init() opened
 * @event: perf's event
 *
 * Context: task, takes event_mutex, may wait for RCU; for a child's it does so only where
 * breakpoints have to go.
 */
void perf_uprobe_destroy(struct perf_event *event)
{
	struct probe *p;

	if (event->parent) {
		perf_trace_close_inherited(event);
		return;
	}
	guard(mutex)(&event_mutex);
	p = probe_event_first(probe_event_of(event->tp_event));
	perf_trace_close_call(event);
	uprobe_place_free_later(uprobe_place_of(p));
}

/**
 * bpf_get_uprobe_info - what a uprobe event is at
 * @event: perf's event
 * @fd_type: where BPF_FD_TYPE_* goes
 * @filename: where the file's name goes; it stays until @event is closed
 * @probe_offset: where the offset in it goes
 * @probe_addr: where 0 goes
 * @perf_type_tracepoint: the event is one of uprobe_events
 *
 * Of an event with several places it is the first that is still there.
 *
 * Context: task, takes event_mutex; the event is open.
 * Return: 0, -EINVAL.
 */
int bpf_get_uprobe_info(const struct perf_event *event, u32 *fd_type, const char **filename,
			u64 *probe_offset, u64 *probe_addr, bool perf_type_tracepoint)
{
	struct uprobe_place *up;

	if (!event->tp_event || !(event->tp_event->flags & TRACE_EVENT_FL_UPROBE))
		return -EINVAL;
	/* any of its places may go, but for the last */
	guard(mutex)(&event_mutex);
	up = uprobe_place_of(probe_event_first(probe_event_of(event->tp_event)));
	*fd_type = probe_returns(&up->probe) ? BPF_FD_TYPE_URETPROBE : BPF_FD_TYPE_UPROBE;
	*filename = up->filename;
	*probe_offset = up->offset;
	*probe_addr = 0;
	return 0;
}
