// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events on the entries and returns of functions, and on tracepoints: when their probes are on,
 * and what happens when one is hit.
 *
 * A probe is on while its event has users and its function is there. An entry is an ops on
 * the function's call site, a return a hook. A tracepoint has a function that does nothing, its
 * stub; that is made a probe of the tracepoint, and its entry is an event.
 *
 * Nobody waits when a probe is switched off, as it does not go with that. One that goes
 * is freed later, with all that go meanwhile, after one wait for all of them.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "../function/graph/graph.h"
#include "../function/sites/guard.h"
#include "../function/sites/sites.h"
#include "../missed.h"
#include "command.h"
#include "fprobe.h"
#include "probe_hit.h"

/* --- hits; any context, preemption is off, no recursion */

/* Several instances, strings, memory, perf. */
static noinline notrace void fprobe_event_hit_rest(const struct fprobe_place *f,
						   const unsigned long *head, unsigned int nr_heads,
						   struct ftrace_regs *fregs,
						   const unsigned long *entry)
{
	struct probe_source src = { .fregs = fregs, .entry = entry };
	unsigned int users = READ_ONCE(f->probe.event->users);
	struct pt_regs space __uninitialized, *regs;

	if (probe_moves(&f->probe) && users == PROBE_FOR_TRACE) {
		probe_record_moves_all(&f->probe, head, nr_heads, fregs, entry);
		return;
	}
	memset(&space, 0, sizeof(space));
	regs = probe_regs(&space, head, nr_heads, fregs);
	if (users & PROBE_FOR_TRACE && !probe_record(&f->probe, &src, head, regs))
		return;
#ifdef CONFIG_PERF_EVENTS
	if (users & PROBE_FOR_PERF)
		probe_record_perf(&f->probe, &src, head, regs);
#endif
}

static __always_inline void fprobe_event_hit(const struct fprobe_place *f,
					     const unsigned long *head, unsigned int nr_heads,
					     struct ftrace_regs *fregs, const unsigned long *entry)
{
	struct trace_event_file *only = READ_ONCE(f->probe.event->only);

	if (likely(only && probe_moves(&f->probe)))
		probe_record_moves(&f->probe, only, head, nr_heads, fregs, entry, NULL);
	else
		fprobe_event_hit_rest(f, head, nr_heads, fregs, entry);
}

/* An interrupt's, or one from within a callback. */
static noinline notrace void fprobe_event_entry_special(struct fprobe_place *f, unsigned long ip,
							unsigned long parent_ip,
							struct ftrace_regs *fregs)
{
	struct trace_guard guard;

	if (!trace_guard_enter(&guard, ip, parent_ip)) {
		trace_count_missed(&f->missed);
		return;
	}
	fprobe_event_hit_rest(f, &ip, 1, fregs, NULL);
	trace_guard_leave(&guard);
}

/* ops::func of an entry */
static void notrace fprobe_event_entry_hit(unsigned long ip, unsigned long parent_ip,
					   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct fprobe_place *f = container_of(op, struct fprobe_place, hook.gops.ops);
	unsigned long preempt = __tracing_preempt();
	struct task_struct *self = current;
	unsigned long word = READ_ONCE(self->trace_recursion);

	if (unlikely(trace_rcu_is_off(ip) || trace_guard_is_special(preempt, word))) {
		fprobe_event_entry_special(f, ip, parent_ip, fregs);
		return;
	}
	trace_guard_enter_plain(self, word, preempt);
	fprobe_event_hit(f, &ip, 1, fregs, NULL);
	if (trace_guard_leave_plain(self, word))
		trace_guard_yield_plain();
}

/* What the arguments were, for the return. */
static bool notrace fprobe_event_return_enter(struct graph_hook *hook, unsigned long ip,
					      unsigned long ret_ip, struct ftrace_regs *fregs,
					      void *data)
{
	struct fprobe_place *f = container_of(hook, struct fprobe_place, hook);
	struct probe_source src = { .fregs = fregs };

	probe_fetch_entry(&f->probe, &src, data);
	return true;
}

static void notrace fprobe_event_return_hit(struct graph_hook *hook, unsigned long ip,
					    unsigned long ret_ip, struct ftrace_regs *fregs,
					    void *data)
{
	struct fprobe_place *f = container_of(hook, struct fprobe_place, hook);
	unsigned long head[2] = { ip, ret_ip };

	fprobe_event_hit(f, head, 2, fregs, data);
}

/* --- on and off; event_mutex */

static unsigned long place_addr(struct fprobe_place *f)
{
	return f->tp ? (unsigned long)f->tp->probestub : kallsyms_lookup_name(f->symbol);
}

/* What @addr is in, NULL for the kernel. False: no probe may be placed in it now. */
#ifdef CONFIG_MODULES
static bool find_module_of(unsigned long addr, struct module **mod)
{
	guard(preempt)();
	*mod = __module_address(addr);
	return !*mod || probe_module_is_there(*mod);
}
#else
static bool find_module_of(unsigned long addr, struct module **mod)
{
	*mod = NULL;
	return true;
}
#endif

static int place_start(struct fprobe_place *f)
{
	struct ftrace_ops *ops = &f->hook.gops.ops;

	if (!probe_returns(&f->probe)) {
		ops->func = fprobe_event_entry_hit;
		return register_ftrace_function(ops);
	}
	f->hook.missed = &f->missed;
	f->hook.ret = fprobe_event_return_hit;
	f->hook.data_size = probe_entry_size(&f->probe);
	f->hook.entry = f->hook.data_size ? fprobe_event_return_enter : NULL;
	return graph_hook_register(&f->hook);
}

/* 0, also if the function is not there. */
static int place_on(struct fprobe_place *f)
{
	unsigned long addr;
	int ret;

	if (f->on)
		return 0;
	f->tp = fprobe_place_traces(f) ? tprobe_find(f->symbol) : NULL;
	if (fprobe_place_traces(f) && !f->tp)
		return 0;
	addr = place_addr(f);
	if (!addr || !find_module_of(addr, &f->mod))
		return 0;

	/* First what can be taken back without waiting: who fails to come may be freed at once. */
	ret = f->tp ? tprobe_stub_get(f->tp) : 0;
	if (ret)
		return ret;
	ret = probe_update_symbols(&f->probe) ?:
	      ftrace_set_filter_ip(&f->hook.gops.ops, addr, 0, 1) ?:
	      place_start(f);
	f->on = !ret;
	if (ret && f->tp)
		tprobe_stub_put(f->tp);
	return ret;
}

static void place_off(struct fprobe_place *f)
{
	if (!f->on)
		return;
	f->on = false;
	if (f->tp)
		tprobe_stub_put(f->tp);
	if (probe_returns(&f->probe))
		graph_hook_take_off(&f->hook);
	else
		ftrace_take_off(&f->hook.gops.ops);
}

/* --- coming and going */

/**
 * fprobe_place_keep - may text call a probe for ever whose event did not come to be?
 * @f:	the probe
 *
 * Context: task.
 * Return: true if it may not be freed.
 */
bool fprobe_place_keep(struct fprobe_place *f)
{
	struct ftrace_ops *ops = &f->hook.gops.ops;

	return ops->flags & FTRACE_OPS_FL_INITIALIZED && ftrace_ops_keep(ops);
}

/**
 * fprobe_place_free - nobody comes to a probe, or never has
 * @f:	the probe, of which struct probe was freed already
 *
 * Context: task.
 */
void fprobe_place_free(struct fprobe_place *f)
{
	if (probe_returns(&f->probe))
		graph_hook_release(&f->hook);
	else
		ftrace_ops_drop_trampoline(&f->hook.gops.ops);
	ftrace_free_filter(&f->hook.gops.ops);
	kfree(f->symbol);
	kfree(f);
}

static void place_reaped(struct probe_reap *reap)
{
	struct fprobe_place *f = container_of(reap, struct fprobe_place, reap);

	probe_free(&f->probe);
	fprobe_place_free(f);
}

/**
 * fprobe_place_free_later - a probe was stopped
 * @f:	the probe; freed when nobody is in a hit of it any more
 *
 * Context: task, event_mutex.
 */
void fprobe_place_free_later(struct fprobe_place *f)
{
	probe_reap(&f->reap, place_reaped);
}

static int fprobe_event_install(struct probe *p, const struct dyn_command *cmd)
{
	struct fprobe_place *f = fprobe_place_of(p);
	unsigned long addr;
	int ret;

	ret = security_locked_down(LOCKDOWN_KPROBES);
	if (ret)
		return dyn_command_error(cmd, cmd->argv[1], PROBE_ERR_FAIL_REG_PROBE, ret);
	if (fprobe_place_traces(f)) {
		/* what the arguments name may come with the tracepoint's module */
		if (!tprobe_find(f->symbol))
			return 0;
	} else {
		addr = kallsyms_lookup_name(f->symbol);
		if (!addr)
			return dyn_command_error(cmd, cmd->argv[1], PROBE_ERR_BAD_PROBE_ADDR,
						 -ENOENT);
		if (!ftrace_location(addr))
			return dyn_command_error(cmd, cmd->argv[1], PROBE_ERR_FAIL_REG_PROBE,
						 -EINVAL);
	}
	ret = probe_update_symbols(p);
	if (!ret || ret == -ENOMEM)
		return ret;
	/* as kprobes: which symbol it is, nobody says */
	return dyn_command_error(cmd, cmd->argv[1], ret == -ENOENT ? PROBE_ERR_BAD_PROBE_ADDR :
				 PROBE_ERR_FAIL_REG_PROBE, ret);
}

static void fprobe_event_uninstall(struct probe *p)
{
	place_off(fprobe_place_of(p));
}

static int fprobe_event_arm(struct probe *p)
{
	struct fprobe_place *f = fprobe_place_of(p);
	int ret = place_on(f);

	f->wanted = !ret;
	return ret;
}

static void fprobe_event_disarm(struct probe *p)
{
	struct fprobe_place *f = fprobe_place_of(p);

	f->wanted = false;
	place_off(f);
}

static bool fprobe_event_same_place(const struct probe *a, const struct probe *b)
{
	return !strcmp(fprobe_place_of(a)->symbol, fprobe_place_of(b)->symbol);
}

/* --- modules */

static void fprobe_event_module_comes(struct module *mod)
{
	struct probe *p;
	int ret;

	for_each_probe(p, &fprobe_kind) {
		struct fprobe_place *f = fprobe_place_of(p);

		if (!f->wanted || f->on)
			continue;
		ret = place_on(f);
		if (ret)
			pr_warn("Failed to register probe %s on %s: %d\n", probe_name(p),
				module_name(mod), ret);
	}
}

static void fprobe_event_module_goes(struct module *mod)
{
	struct probe *p;

	for_each_probe(p, &fprobe_kind) {
		struct fprobe_place *f = fprobe_place_of(p);

		if (f->on && f->mod == mod)
			place_off(f);
	}
}

struct probe_kind fprobe_kind = {
	PROBE_LINE_MEMBERS(fprobe),
	.letters	= "ft",
	.loc		= "trace_fprobe",
	.group		= "fprobes",
	.print_head	= probe_print_kernel_head,
	.same_place	= fprobe_event_same_place,
	.install	= fprobe_event_install,
	.uninstall	= fprobe_event_uninstall,
	.arm		= fprobe_event_arm,
	.disarm		= fprobe_event_disarm,
	.module_comes	= fprobe_event_module_comes,
	.module_goes	= fprobe_event_module_goes,
	.call_flag	= TRACE_EVENT_FL_FPROBE,
};

PROBE_KIND_INITCALL(fprobe_kind);
