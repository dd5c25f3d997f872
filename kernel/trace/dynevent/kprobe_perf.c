// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kprobes that perf opens without a line in kprobe_events, its PMU `kprobe`: an event that is in no
 * registry and belongs to one perf_event. And what BPF asks about such events and about those of
 * kprobe_events.
 */
#include <linux/bpf.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/error-injection.h>
#include <linux/kallsyms.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

#include "../events/events.h"
#include "../events/perf.h"
#include "kprobe.h"
#include "probe_bpf.h"

static const char *local_name(const char *func)
{
	return func ?: "DUMMY_EVENT";
}

static struct kprobe_place *local_alloc(const char *func, unsigned long addr,
					unsigned long offset, bool returns)
{
	struct kprobe_place *kp = kprobe_place_alloc();
	struct probe_parse ctx = { };
	int ret = -ENOMEM;

	if (!kp)
		return ERR_PTR(-ENOMEM);
	if (func) {
		kp->symbol = probe_text_dup(func);
		if (!kp->symbol)
			goto err;
		kp->rp.kp.symbol_name = kp->symbol;
		kp->rp.kp.offset = offset;
	} else {
		kp->rp.kp.addr = (kprobe_opcode_t *)addr;
	}
	ctx.at = PROBE_KERNEL | (returns ? PROBE_RETURN : 0);
	ret = probe_init(&kp->probe, &kprobe_kind, ctx.at, NULL, local_name(func)) ?:
	      probe_parse_args(&kp->probe, &ctx, 0) ?:
	      probe_complete(&kp->probe);
	if (!ret)
		return kp;
	probe_destroy(&kp->probe);
err:
	kprobe_place_free(kp);
	return ERR_PTR(ret);
}

static void local_free(struct probe_reap *reap)
{
	struct kprobe_place *kp = container_of(reap, struct kprobe_place, reap);

	probe_destroy(&kp->probe);
	kprobe_place_free(kp);
}

static void local_close(struct probe *p)
{
	kprobe_kind.uninstall(p);
	kprobe_kind.settle();
}

/* event_mutex */
static int local_open(struct kprobe_place *kp, struct perf_event *event)
{
	int ret = kprobe_kind.install(&kp->probe, NULL);

	if (ret)
		return ret;
	ret = perf_trace_open_call(&kp->probe.event->call, event);
	if (ret)
		local_close(&kp->probe);
	return ret;
}

/* What the user named; NULL: nothing, so it is an address. */
static char *name_from_user(u64 from)
{
	char *name;
	long len;

	if (!from)
		return NULL;
	name = kzalloc(KSYM_NAME_LEN, GFP_KERNEL);
	if (!name)
		return ERR_PTR(-ENOMEM);
	len = strncpy_from_user(name, u64_to_user_ptr(from), KSYM_NAME_LEN);
	if (len > 0 && len < KSYM_NAME_LEN)
		return name;
	kfree(name);
	if (len == KSYM_NAME_LEN)
		return ERR_PTR(-EINVAL);
	return len ? ERR_PTR(len) : NULL;
}

/**
 * perf_kprobe_init - open a kprobe for perf
 * @event: perf's event; its attr says where
 * @is_retprobe: at the function's return
 *
 * A child's event is at its parent's place.
 *
 * Context: task, takes event_mutex but for a child's.
 * Return: 0; -ENOENT, -EADDRNOTAVAIL: none or several such functions; -EINVAL, -EACCES, -EPERM,
 * -ENOMEM.
 */
int perf_kprobe_init(struct perf_event *event, bool is_retprobe)
{
	struct kprobe_place *kp;
	char *func;
	int ret = 0;

	if (event->parent)
		return perf_trace_open_inherited(event);
	func = name_from_user(event->attr.kprobe_func);
	if (IS_ERR(func))
		return PTR_ERR(func);
	if (func)
		ret = kprobe_symbol_check(func, NULL);
	if (ret) {
		kfree(func);
		return ret;
	}
	kp = local_alloc(func, event->attr.kprobe_addr, event->attr.probe_offset, is_retprobe);
	kfree(func);
	if (IS_ERR(kp))
		return PTR_ERR(kp);

	guard(mutex)(&event_mutex);
	ret = local_open(kp, event);
	if (ret)
		kprobe_place_reap(kp, local_free);
	return ret;
}

/**
 * perf_kprobe_destroy - close what perf_kprobe_init() opened
 * @event: perf's event
 *
 * Context: task, takes event_mutex but for a child's, waits for RCU.
 */
void perf_kprobe_destroy(struct perf_event *event)
{
	struct probe *p;

	if (event->parent) {
		perf_trace_close_inherited(event);
		return;
	}
	p = probe_event_first(probe_event_of(event->tp_event));
	guard(mutex)(&event_mutex);
	perf_trace_close_call(event);
	local_close(p);
	kprobe_place_reap(kprobe_place_of(p), local_free);
}

/* --- BPF */

/*
 * The first of the places there are now, as long as the caller's lock is held: any of them may go.
 * perf asks the first two with an event's context locked, which CPU hotplug waits for, and that
 * is what who has event_mutex may wait for.
 */
static struct kprobe_place *place_of_call(struct trace_event_call *call)
{
	return kprobe_place_of(probe_event_first(probe_event_of(call)));
}

/**
 * trace_kprobe_on_func_entry - is a kprobe event at the first instruction of a function?
 * @call: the event
 *
 * Context: task, sleeps; the event is open.
 * Return: true if so.
 */
bool trace_kprobe_on_func_entry(struct trace_event_call *call)
{
	const struct kprobe *k;

	guard(mutex)(&probe_places_mutex);
	k = &place_of_call(call)->rp.kp;
	return !kprobe_on_func_entry(k->symbol_name ? NULL : k->addr, k->symbol_name,
				     k->symbol_name ? k->offset : 0);
}

/**
 * trace_kprobe_error_injectable - may a program change what the probed function returns?
 * @call: the event
 *
 * Context: task, sleeps; the event is open.
 * Return: true if so.
 */
bool trace_kprobe_error_injectable(struct trace_event_call *call)
{
	guard(mutex)(&probe_places_mutex);
	return within_error_injection_list((unsigned long)place_of_call(call)->rp.kp.addr);
}

/**
 * bpf_get_kprobe_info - what a kprobe event is at
 * @event: perf's event
 * @fd_type: where BPF_FD_TYPE_* goes
 * @symbol: where the function's name goes, NULL when only the address is known; it stays until
 *	@event is closed
 * @probe_offset: where the offset in it goes
 * @probe_addr: where the address goes, 0 for who may not know it
 * @missed: where the number of missed hits goes, may be NULL
 * @perf_type_tracepoint: the event is one of kprobe_events
 *
 * Of an event with several places it is the first that is still there.
 *
 * Context: task, takes event_mutex; the event is open.
 * Return: 0, -EINVAL.
 */
int bpf_get_kprobe_info(const struct perf_event *event, u32 *fd_type, const char **symbol,
			u64 *probe_offset, u64 *probe_addr, unsigned long *missed,
			bool perf_type_tracepoint)
{
	struct kprobe_place *kp;

	if (!event->tp_event || !(event->tp_event->flags & TRACE_EVENT_FL_KPROBE))
		return -EINVAL;
	guard(mutex)(&event_mutex);
	kp = place_of_call(event->tp_event);
	*fd_type = probe_returns(&kp->probe) ? BPF_FD_TYPE_KRETPROBE : BPF_FD_TYPE_KPROBE;
	*probe_offset = kp->rp.kp.offset;
	*probe_addr = kallsyms_show_value(current_cred()) ? (unsigned long)kp->rp.kp.addr : 0;
	*symbol = kp->symbol;
	if (missed)
		*missed = kprobe_place_missed(kp);
	return 0;
}
