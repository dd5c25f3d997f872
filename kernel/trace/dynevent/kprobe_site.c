// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kprobe events that need no trap. Where a function begins there is a call site already, which
 * costs a third of a breakpoint or less; and its return has the shadow stacks, without a limit of
 * calls that are open. So a probe at the entry or the return of a function that fetches nothing but
 * arguments, the return value, the stack and memory is on the site, while only trace buffers want
 * its hits. Its kprobe stays registered and disabled.
 *
 * perf and BPF may look at any register of an entry: with them its kprobe is enabled. At a return
 * they get what a return has, as with kprobe.multi: the value, where it goes on, stack and frame
 * pointer; so a call is not missed for the number of those that are open. Only a sample that is to
 * have all registers needs the kprobe.
 */
#include <linux/ftrace.h>
#include <linux/rculist.h>

#include "../events/events.h"
#include "../function/graph/graph.h"
#include "../function/sites/guard.h"
#include "../function/sites/sites.h"
#include "../missed.h"
#include "kprobe.h"
#include "probe_hit.h"
#include "probe_prog.h"

static bool sites_are_off;	/* by ftrace_enabled; event_mutex */

/* The function that begins there has a site, which is not that of dead text behind it. */
static bool has_site(unsigned long addr)
{
	unsigned long site = ftrace_location(addr);
	const struct dyn_ftrace *rec;

	if (!site)
		return false;
	guard(preempt_notrace)();
	rec = ftrace_lookup_rec(site, site);
	return rec && ftrace_rec_is_of(rec, addr);
}

/* Is the place where a function begins, and does the program do without other registers? */
static bool fits(const struct kprobe_place *kp)
{
	kprobe_opcode_t *addr = kp->rp.kp.addr;
	const struct probe_prog *prog = kp->probe.prog;

	if (sites_are_off || !addr || !prog)
		return false;
	for (unsigned int i = 0; i < prog->nr; i++) {
		if (prog->insns[i].op == PROBE_REG)
			return false;
	}
	return !kprobe_on_func_entry(addr, NULL, 0) && has_site((unsigned long)addr);
}

static bool users_fit(const struct kprobe_place *kp)
{
	const struct probe_event *e = kp->probe.event;

	return probe_returns(&kp->probe) ? e->users && !e->samples_regs :
					   e->users == PROBE_FOR_TRACE;
}

/* --- hits; any context, preemption is off, no recursion. What is not saved is not fetched. */

static noinline notrace void kprobe_site_entry_rest(const struct kprobe_place *kp,
						    const unsigned long *head,
						    struct ftrace_regs *fregs)
{
	struct pt_regs regs __uninitialized;
	struct probe_source src = { .regs = &regs };

	probe_record(&kp->probe, &src, head, probe_regs(&regs, head, 1, fregs));
}

static void notrace kprobe_site_entry_hit(unsigned long ip, unsigned long parent_ip,
					  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct kprobe_place *kp = container_of(op, struct kprobe_place, hook.gops.ops);
	struct trace_guard guard;
	unsigned long head;

	if (unlikely(!trace_guard_enter(&guard, ip, parent_ip))) {
		trace_count_missed(&kp->missed);
		return;
	}
	head = kp->head;
	kprobe_place_count(kp);
	if (likely(probe_moves(&kp->probe)))
		probe_record_moves_all(&kp->probe, &head, 1, fregs, NULL);
	else
		kprobe_site_entry_rest(kp, &head, fregs);
	trace_guard_leave(&guard);
}

static bool notrace kprobe_site_return_enter(struct graph_hook *hook, unsigned long ip,
					     unsigned long ret_ip, struct ftrace_regs *fregs,
					     void *data)
{
	struct kprobe_place *kp = container_of(hook, struct kprobe_place, hook);
	struct pt_regs regs __uninitialized;
	struct probe_source src = { .regs = &regs };

	ftrace_partial_regs(fregs, &regs);
	probe_fetch_entry(&kp->probe, &src, data);
	return true;
}

/* What BPF asks at a return is whose it is, and a kprobe within would be one too many. */
static __always_inline struct kprobe *running_set(struct kprobe *k)
{
	struct kprobe *outer = kprobe_running();

	__this_cpu_write(current_kprobe, k);
	return outer;
}

static notrace void kprobe_site_return_perf(const struct kprobe_place *kp,
					    const unsigned long *head, struct ftrace_regs *fregs,
					    const struct probe_source *src, bool record)
{
	struct kprobe *outer = running_set((struct kprobe *)&kp->rp.kp);
	unsigned long status = get_kprobe_ctlblk()->kprobe_status;

	get_kprobe_ctlblk()->kprobe_status = KPROBE_HIT_ACTIVE;
	/* The return is on its way already, but what is returned may be changed. */
	if (kprobe_hit_perf(kp, src, head, record))
		ftrace_regs_set_return_value(fregs, regs_return_value(src->regs));
	get_kprobe_ctlblk()->kprobe_status = status;
	running_set(outer);
}

static noinline notrace void kprobe_site_return_rest(const struct kprobe_place *kp,
						     const unsigned long *head,
						     struct ftrace_regs *fregs,
						     const unsigned long *entry,
						     unsigned int users)
{
	struct pt_regs regs __uninitialized;
	struct probe_source src = { .regs = &regs, .entry = entry };
	bool room = true;

	/* others than a program of ours see all of it */
	if (users & PROBE_FOR_PERF)
		memset(&regs, 0, sizeof(regs));
	probe_regs(&regs, head, 2, fregs);
	if (users & PROBE_FOR_TRACE)
		room = probe_record(&kp->probe, &src, head, &regs);
	if (users & PROBE_FOR_PERF)
		kprobe_site_return_perf(kp, head, fregs, &src, room);
}

static void notrace kprobe_site_return_hit(struct graph_hook *hook, unsigned long ip,
					   unsigned long ret_ip, struct ftrace_regs *fregs,
					   void *data)
{
	struct kprobe_place *kp = container_of(hook, struct kprobe_place, hook);
	unsigned int users = READ_ONCE(kp->probe.event->users);
	unsigned long head[2] = { kp->head, ret_ip };

	kprobe_place_count(kp);
	if (likely(probe_moves(&kp->probe) && !(users & PROBE_FOR_PERF)))
		probe_record_moves_all(&kp->probe, head, 2, fregs, data);
	else
		kprobe_site_return_rest(kp, head, fregs, data, users);
}

/* --- on and off; event_mutex */

/**
 * kprobe_site_on - put a probe on its function's call site
 * @kp: the probe, whose kprobe is registered and disabled
 *
 * Context: task, event_mutex.
 * Return: false if it has to be a kprobe.
 */
bool kprobe_site_on(struct kprobe_place *kp)
{
	struct ftrace_ops *ops = &kp->hook.gops.ops;

	if (!users_fit(kp))
		return false;
	if (kp->on_site)
		return true;
	if (!fits(kp) || ftrace_set_filter_ip(ops, (unsigned long)kp->rp.kp.addr, 0, 1))
		return false;
	kp->head = (unsigned long)kp->rp.kp.addr;
	/* The sysctl ftrace_enabled is not about kprobes, see sites_switch(). */
	ops->flags |= FTRACE_OPS_FL_PERMANENT;
	/* if it cannot be switched on it may have been there for a moment, or for ever */
	kp->was_on_site = true;
	if (probe_returns(&kp->probe)) {
		kp->hook.missed = &kp->missed;
		kp->hook.ret = kprobe_site_return_hit;
		kp->hook.data_size = probe_entry_size(&kp->probe);
		kp->hook.entry = kp->hook.data_size ? kprobe_site_return_enter : NULL;
		kp->on_site = !graph_hook_register(&kp->hook);
	} else {
		ops->func = kprobe_site_entry_hit;
		kp->on_site = !register_ftrace_function(ops);
	}
	return kp->on_site;
}

/*
 * The opposite. Hits may still be on their way until kprobe_site_free(), and calls that are open
 * are told of until kprobe_site_end(): as of a kretprobe it is not asked at a return whether the
 * event was off meanwhile, or perf had it open.
 */
void kprobe_site_off(struct kprobe_place *kp)
{
	if (!kp->on_site)
		return;
	kp->on_site = false;
	if (probe_returns(&kp->probe))
		graph_hook_leave(&kp->hook);
	else
		ftrace_take_off(&kp->hook.gops.ops);
}

/* It goes, or what it is on: nor is it told of calls that are open. */
void kprobe_site_end(struct kprobe_place *kp)
{
	kprobe_site_off(kp);
	if (kp->was_on_site && probe_returns(&kp->probe))
		graph_hook_take_off(&kp->hook);
}

/* The event of @kp did not come to be. Return: may text call @kp for ever? */
bool kprobe_site_keep(struct kprobe_place *kp)
{
	return kp->was_on_site && ftrace_ops_keep(&kp->hook.gops.ops);
}

/* After ftrace_ops_sync() if it was on its site, before @kp is freed. */
void kprobe_site_free(struct kprobe_place *kp)
{
	/* nobody has even tried to put it there */
	if (!(kp->hook.gops.ops.flags & FTRACE_OPS_FL_INITIALIZED))
		return;
	if (probe_returns(&kp->probe))
		graph_hook_release(&kp->hook);
	else
		ftrace_ops_drop_trampoline(&kp->hook.gops.ops);
	ftrace_free_filter(&kp->hook.gops.ops);
}

/* The sysctl ftrace_enabled: it does not become 0 while a PERMANENT ops is registered. */
static void sites_switch(bool on)
{
	struct kprobe_place *kp;

	guard(mutex)(&event_mutex);
	sites_are_off = !on;
	list_for_each_entry(kp, &kprobe_places, installed) {
		/* what is gone, init text, has nothing to be switched to */
		if (!on && !kprobe_can_switch(kp))
			kprobe_site_end(kp);
		else if (!on && kp->on_site && !kprobe_trap_on(kp))
			kprobe_site_off(kp);
		else if (on && kp->probe.event->users && kprobe_can_switch(kp) &&
			 kprobe_site_on(kp))
			kprobe_trap_off(kp);
	}
}

void __init kprobe_sites_init(void)
{
	ftrace_sites_switch_register(sites_switch);
}
