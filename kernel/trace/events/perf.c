// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf's use of trace events: PERF_TYPE_TRACEPOINT.
 *
 * An event that perf has open runs a second probe, which builds the record in
 * a buffer of this file and hands it to every perf_event that hangs on
 * this CPU's list of the event. There is one buffer for each level that may
 * interrupt another.
 */
#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <linux/security.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "internal.h"
#include "perf.h"

/* records are copied as words */
struct perf_record_buf {
	unsigned long words[PERF_MAX_TRACE_SIZE / sizeof(unsigned long)];
};

static struct perf_record_buf __percpu *record_bufs[PERF_NR_CONTEXTS];
static int record_users;	/* events that perf has registered; event_mutex */

static void free_record_bufs(void)
{
	for (int i = 0; i < PERF_NR_CONTEXTS; i++) {
		free_percpu(record_bufs[i]);
		record_bufs[i] = NULL;
	}
}

static int get_record_bufs(void)
{
	if (record_users++)
		return 0;

	for (int i = 0; i < PERF_NR_CONTEXTS; i++) {
		record_bufs[i] = alloc_percpu(struct perf_record_buf);
		if (!record_bufs[i]) {
			free_record_bufs();
			record_users--;
			return -ENOMEM;
		}
	}
	return 0;
}

static void put_record_bufs(void)
{
	if (!--record_users)
		free_record_bufs();
}

/* May this task open the event, and see its records? */
static int may_open(struct trace_event_call *call, struct perf_event *p_event)
{
	if (call->perf_perm) {
		int ret = call->perf_perm(call, p_event);

		if (ret)
			return ret;
	}

	/* Children inherit what the parent was allowed; counting shows no data. */
	if (p_event->parent || !(p_event->attr.sample_type & PERF_SAMPLE_RAW))
		return 0;

	/* an event that everybody may see of their own tasks */
	if ((call->flags & TRACE_EVENT_FL_CAP_ANY) && p_event->attach_state == PERF_ATTACH_TASK)
		return 0;

	return perf_allow_tracepoint();
}

static int perf_register(struct trace_event_call *call)
{
	struct hlist_head __percpu *lists;
	int ret, cpu;

	if (call->perf_refcount++)
		return 0;

	ret = get_record_bufs();
	if (ret)
		goto no_bufs;

	ret = -ENOMEM;
	lists = alloc_percpu(struct hlist_head);
	if (!lists)
		goto no_lists;
	for_each_possible_cpu(cpu)
		INIT_HLIST_HEAD(per_cpu_ptr(lists, cpu));
	/* It may be hit already, for others. See perf_trace_list(). */
	smp_store_release(&call->perf_events, lists);

	ret = call->class->reg(call, TRACE_REG_PERF_REGISTER, NULL);
	if (!ret)
		return 0;

	/* of several probes the first may have been hit until the next one failed to come */
	tracepoint_synchronize_unregister();
	call->perf_events = NULL;
	free_percpu(lists);
no_lists:
	put_record_bufs();
no_bufs:
	call->perf_refcount--;
	return ret;
}

static void perf_unregister(struct trace_event_call *call)
{
	if (--call->perf_refcount)
		return;

	call->class->reg(call, TRACE_REG_PERF_UNREGISTER, NULL);

	/* probes that still look at the lists and fill the buffers */
	tracepoint_synchronize_unregister();
	free_percpu(call->perf_events);
	call->perf_events = NULL;
	put_record_bufs();
}

/**
 * perf_trace_open_call - open an event that the caller keeps
 * @call: the event, of the registry or not
 * @p_event: perf's event
 *
 * Context: task, event_mutex.
 * Return: 0, -EACCES or -EPERM, -ENOMEM, what the event's class says.
 */
int perf_trace_open_call(struct trace_event_call *call, struct perf_event *p_event)
{
	int ret;

	ret = may_open(call, p_event);
	if (ret)
		return ret;
	ret = perf_register(call);
	if (ret)
		return ret;

	p_event->tp_event = call;
	ret = call->class->reg(call, TRACE_REG_PERF_OPEN, p_event);
	if (ret)
		perf_unregister(call);
	return ret;
}

/**
 * perf_trace_open_inherited - open an event that perf makes when a task forks
 * @event: a child's
 *
 * The parent's stays open until the child's is closed, and what it refers to with it, so no lock is
 * taken: it may be kthreadd that forks, for who has event_mutex or has CPUs stay as they are. But
 * ftrace:function registers an ops for each child, and takes ftrace_lock.
 *
 * Context: task.
 * Return: 0, or what the event says to a child.
 */
int perf_trace_open_inherited(struct perf_event *event)
{
	struct trace_event_call *call = event->parent->tp_event;
	int ret = may_open(call, event);

	if (ret)
		return ret;
	event->tp_event = call;
	return call->class->reg(call, TRACE_REG_PERF_OPEN, event);
}

/**
 * perf_trace_init - open a trace event for perf
 * @event: attr.config is the number of the trace event
 *
 * Context: task, takes event_mutex but for what a child inherits.
 * Return: 0, -EINVAL no such event, -EACCES or -EPERM, -ENOMEM, what the event's class says.
 */
int perf_trace_init(struct perf_event *event)
{
	struct trace_event_call *call;

	if (event->parent)
		return perf_trace_open_inherited(event);

	guard(mutex)(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list) {
		int ret;

		if (call->event.type != event->attr.config || !call->class->reg)
			continue;
		if (!event_try_get(call))
			return -EINVAL;
		ret = perf_trace_open_call(call, event);
		if (ret)
			trace_event_put_ref(call);
		return ret;
	}
	return -EINVAL;
}

/**
 * perf_trace_close_call - close what perf_trace_open_call() opened
 * @event: perf's event
 *
 * Nobody records for it any more afterwards.
 *
 * Context: task, event_mutex; may wait for RCU.
 */
void perf_trace_close_call(struct perf_event *event)
{
	struct trace_event_call *call = event->tp_event;

	call->class->reg(call, TRACE_REG_PERF_CLOSE, event);
	perf_unregister(call);
}

/**
 * perf_trace_close_inherited - close what perf_trace_open_inherited() opened
 * @event: a child's
 *
 * Context: task.
 */
void perf_trace_close_inherited(struct perf_event *event)
{
	struct trace_event_call *call = event->tp_event;

	call->class->reg(call, TRACE_REG_PERF_CLOSE, event);
}

/**
 * perf_trace_destroy - close what perf_trace_init() opened
 * @event: perf's event
 *
 * Context: task, takes event_mutex but for what a child inherited, may wait for RCU.
 */
void perf_trace_destroy(struct perf_event *event)
{
	struct trace_event_call *call = event->tp_event;

	if (event->parent) {
		perf_trace_close_inherited(event);
		return;
	}

	guard(mutex)(&event_mutex);
	perf_trace_close_call(event);
	trace_event_put_ref(call);
}

/**
 * perf_trace_add - perf's event begins to count on this CPU
 * @event: perf's event
 * @flags: PERF_EF_START: at once
 *
 * Context: the perf core's, interrupts off.
 * Return: 0, -EINVAL for an event that was never registered.
 */
int perf_trace_add(struct perf_event *event, int flags)
{
	struct trace_event_call *call = event->tp_event;

	if (!(flags & PERF_EF_START))
		event->hw.state = PERF_HES_STOPPED;

	/* an event may have a way of its own */
	if (call->class->reg(call, TRACE_REG_PERF_ADD, event))
		return 0;
	if (WARN_ON_ONCE(!call->perf_events))
		return -EINVAL;

	hlist_add_head_rcu(&event->hlist_entry, this_cpu_ptr(call->perf_events));
	return 0;
}

/**
 * perf_trace_del - perf's event no longer counts on this CPU
 * @event: perf's event
 * @flags: not used
 *
 * Context: the perf core's, interrupts off.
 */
void perf_trace_del(struct perf_event *event, int flags)
{
	struct trace_event_call *call = event->tp_event;

	if (!call->class->reg(call, TRACE_REG_PERF_DEL, event))
		hlist_del_rcu(&event->hlist_entry);
}

static __always_inline int take_level(int size)
{
	if (WARN_ONCE(size > PERF_MAX_TRACE_SIZE, "perf: record of %d bytes, room for %d\n", size,
		      PERF_MAX_TRACE_SIZE))
		return -1;
	return perf_swevent_get_recursion_context();
}

static __always_inline struct pt_regs *regs_of_level(int rctx)
{
	return this_cpu_ptr(&__perf_regs[rctx]);
}

/* User space sees the bytes that pad the record, up to seven of them. */
static __always_inline void *buffer_of_level(int rctx, int size)
{
	void *record = this_cpu_ptr(record_bufs[rctx])->words;

	memset(record + size - sizeof(u64), 0, sizeof(u64));
	return record;
}

/**
 * perf_trace_buf_alloc - take this level's record buffer
 * @size: bytes of the record with its header, so that the length in front of it makes the
 *	  sample a multiple of 8
 * @regs: where a place for registers goes, or NULL
 * @rctxp: where the level goes, for perf_trace_buf_submit()
 *
 * Context: any, preemption off.
 * Return: the buffer, NULL when perf is active on this level or the record is too large.
 */
void *perf_trace_buf_alloc(int size, struct pt_regs **regs, int *rctxp)
{
	int rctx = take_level(size);

	*rctxp = rctx;
	if (rctx < 0)
		return NULL;
	if (regs)
		*regs = regs_of_level(rctx);
	return buffer_of_level(rctx, size);
}
EXPORT_SYMBOL_GPL(perf_trace_buf_alloc);

NOKPROBE_SYMBOL(perf_trace_buf_alloc);

/**
 * perf_trace_buffer_begin - take this level's record buffer for an event
 * @pbuffer: what perf_trace_run_bpf_submit() wants to know, and where the registers go
 * @call: the event
 * @size: bytes of the record with its header
 *
 * Context: any, preemption off.
 * Return: as perf_trace_buf_alloc().
 */
void *perf_trace_buffer_begin(struct perf_trace_buffer *pbuffer, struct trace_event_call *call,
			      unsigned int size)
{
	int rctx;

	size = PERF_RECORD_SIZE(size);
	rctx = take_level(size);
	if (rctx < 0)
		return NULL;
	pbuffer->event = call;
	pbuffer->head = this_cpu_ptr(call->perf_events);
	pbuffer->regs = regs_of_level(rctx);
	pbuffer->size = size;
	pbuffer->rctx = rctx;
	return buffer_of_level(rctx, size);
}
EXPORT_SYMBOL_GPL(perf_trace_buffer_begin);

NOKPROBE_SYMBOL(perf_trace_buffer_begin);

/**
 * perf_trace_buf_update - fill in a record's header
 * @record: from perf_trace_buf_alloc()
 * @type: number of the event
 *
 * Context: any, preemption off.
 */
void perf_trace_buf_update(void *record, u16 type)
{
	tracing_generic_entry_update(record, type, tracing_gen_ctx());
}

NOKPROBE_SYMBOL(perf_trace_buf_update);
