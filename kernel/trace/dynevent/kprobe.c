// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kprobe events: where they are in the kernel, and what happens when one is hit.
 *
 * A probe is with the kernel's kprobes from when it is written, disabled; its event's first user
 * enables it. That of a module that is not there waits for it.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "../function/graph/graph.h"
#include "../modules.h"
#include "command.h"
#include "kprobe.h"

/* --- hits; preemption is off, and kprobes do not nest */

#ifdef CONFIG_PERF_EVENTS
/* @record: there is room for one. */
bool kprobe_hit_perf(const struct kprobe_place *kp, const struct probe_source *src,
		     const unsigned long *head, bool record)
{
	struct trace_event_call *call = &kp->probe.event->call;

	if (bpf_prog_array_valid(call)) {
		unsigned long ip = instruction_pointer(src->regs);
		int wanted = trace_call_bpf(call, src->regs);

		if (ip != instruction_pointer(src->regs))
			return true;
		if (!wanted)
			return false;
	}
	if (record)
		probe_record_perf(&kp->probe, src, head, src->regs);
	return false;
}

NOKPROBE_SYMBOL(kprobe_hit_perf);
#endif

static nokprobe_inline int record_hit(const struct kprobe_place *kp, struct pt_regs *regs,
				      unsigned long head)
{
	struct probe_source src = { .regs = regs };
	unsigned int users = READ_ONCE(kp->probe.event->users);
	bool room = true;

	kprobe_place_count(kp);
	if (users & PROBE_FOR_TRACE)
		room = probe_record(&kp->probe, &src, &head, regs);
	return users & PROBE_FOR_PERF && kprobe_hit_perf(kp, &src, &head, room);
}

/*
 * A record's depth of preemption is without the one level that who leads here has taken: ftrace,
 * an optimized probe's jump, arm64's breakpoint. Those of x86 and riscv are NMIs and take none.
 */
static nokprobe_inline bool takes_no_preemption(struct kprobe *k)
{
	return IS_ENABLED(CONFIG_PREEMPTION) && !IS_ENABLED(CONFIG_ARM64) && in_nmi() &&
	       !kprobe_ftrace(k);
}

static int kprobe_hit(struct kprobe *k, struct pt_regs *regs)
{
	struct kprobe_place *kp = container_of(k, struct kprobe_place, rp.kp);
	bool takes = takes_no_preemption(k);
	int ret;

	if (takes)
		preempt_disable_notrace();
	ret = record_hit(kp, regs, (unsigned long)k->addr);
	if (takes)
		preempt_enable_no_resched_notrace();
	return ret;
}

NOKPROBE_SYMBOL(kprobe_hit);

static int kretprobe_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct probe_source src = { .regs = regs };

	if (rp)
		probe_fetch_entry(&container_of(rp, struct kprobe_place, rp)->probe, &src,
				  (unsigned long *)ri->data);
	return 0;
}

NOKPROBE_SYMBOL(kretprobe_enter);

/*
 * Where the function goes on. What the kretprobe found in place of that may be its own kind's
 * trampoline or a hook's, of the same call or of one whose last act this is.
 */
static nokprobe_inline unsigned long true_return(const struct kretprobe_instance *ri)
{
	unsigned long ret = get_kretprobe_retaddr((struct kretprobe_instance *)ri);

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (unlikely(graph_is_handler(ret) || is_kretprobe_trampoline(ret)))
		return graph_kretprobe_return(ri);
#endif
	return ret;
}

static int kretprobe_hit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct kprobe_place *kp = container_of(rp, struct kprobe_place, rp);
	struct probe_source src = { .regs = regs, .entry = (unsigned long *)ri->data };
	unsigned long head[2];
	unsigned int users;
	bool room = true;

	/* it went while the function ran */
	if (unlikely(!rp))
		return 0;

	head[0] = (unsigned long)rp->kp.addr;
	head[1] = true_return(ri);
	users = READ_ONCE(kp->probe.event->users);
	kprobe_place_count(kp);
	if (users & PROBE_FOR_TRACE)
		room = probe_record(&kp->probe, &src, head, regs);
	if (users & PROBE_FOR_PERF)
		kprobe_hit_perf(kp, &src, head, room);
	return 0;
}

NOKPROBE_SYMBOL(kretprobe_hit);

/* --- where it is */

/* How many symbols have the name; @addr: that of the kernel's own */
struct symbol_count {
	const char	*name;
	unsigned int	nr;
	unsigned long	addr;
};

static int count_match(void *data, unsigned long addr)
{
	struct symbol_count *count = data;

	count->nr++;
	count->addr = addr;
	return 0;
}

static int count_module_symbol(void *data, const char *name, unsigned long addr)
{
	struct symbol_count *count = data;

	count->nr += !strcmp(name, count->name);
	return 0;
}

/*
 * @mod: only symbols of that module; NULL: the kernel's and all modules'. @addr: set to that of the
 * kernel's own, 0 if there is none.
 */
static unsigned int symbols_named(const char *mod, const char *name, unsigned long *addr)
{
	struct symbol_count count = { .name = name };

	if (!mod)
		kallsyms_on_each_match_symbol(count_match, name, &count);
	module_kallsyms_on_each_symbol(mod, count_module_symbol, &count);
	*addr = count.addr;
	return count.nr;
}

/* The module of @symbol, which ends at @colon, gets into @mod; is it not there? Needs no memory. */
static bool module_is_absent(const char *symbol, const char *colon, char mod[MODULE_NAME_LEN])
{
	size_t len = colon - symbol;

	/* nobody's name */
	if (len >= MODULE_NAME_LEN)
		return true;
	memcpy(mod, symbol, len);
	mod[len] = '\0';
	return !trace_module_is_here(mod);
}

/**
 * kprobe_symbol_check - is there one such symbol?
 * @symbol: [MODULE:]NAME
 * @known: set to where it is if that cannot change: in the kernel's own text; else to 0. Or NULL.
 *	Looking a name up is what writing a probe costs most.
 *
 * Context: task.
 * Return: 0, also if the module is not there; -ENOENT, also if no module can have it;
 * -EADDRNOTAVAIL: there are several.
 */
int kprobe_symbol_check(const char *symbol, unsigned long *known)
{
	const char *colon = strchr(symbol, ':');
	char mod[MODULE_NAME_LEN];
	unsigned long addr;
	unsigned int nr;

	if (known)
		*known = 0;
	/* Whatever module comes, neither it nor a symbol of it has such a name. */
	if (colon && (colon - symbol >= MODULE_NAME_LEN || strlen(colon + 1) >= KSYM_NAME_LEN))
		return -ENOENT;
	if (colon && module_is_absent(symbol, colon, mod))
		return 0;
	nr = symbols_named(colon ? mod : NULL, colon ? colon + 1 : symbol, &addr);
	if (nr > 1)
		return -EADDRNOTAVAIL;
	if (known && nr && addr && core_kernel_text(addr))
		*known = addr;
	return nr ? 0 : -ENOENT;
}

static bool place_waits_for_module(const struct kprobe_place *kp)
{
	char mod[MODULE_NAME_LEN];
	const char *colon;

	/* an address may get code as well */
	if (!kp->symbol)
		return true;
	colon = strchr(kp->symbol, ':');
	return colon && module_is_absent(kp->symbol, colon, mod);
}

#if defined(CONFIG_DYNAMIC_FTRACE) && !defined(CONFIG_KPROBE_EVENTS_ON_NOTRACE)
static bool addr_is_notrace(unsigned long addr)
{
	unsigned long offset, size;

	if (!addr || !kallsyms_lookup_size_offset(addr, &size, &offset))
		return false;
	addr -= offset;
	/* the end of the range belongs to it */
	return !ftrace_location_range(addr, addr + size - 1);
}

static unsigned long place_addr(const struct kprobe_place *kp)
{
	unsigned long addr = (unsigned long)kp->rp.kp.addr;

	/* an address, or a symbol's that is known */
	if (!kp->symbol || addr)
		return addr + kp->rp.kp.offset;
	addr = kallsyms_lookup_name(kp->symbol);
	return addr ? addr + kp->rp.kp.offset : 0;
}

/* Tracing might run through such a function, and a probe in it would come back to tracing. */
static bool place_is_notrace(const struct kprobe_place *kp)
{
	unsigned long addr = place_addr(kp);
	char name[KSYM_NAME_LEN], *dot;

	if (!addr_is_notrace(addr))
		return false;
	/* a piece that the compiler split off is as its function is */
	if (lookup_symbol_name(addr, name))
		return true;
	dot = strchr(name, '.');
	if (!dot)
		return true;
	*dot = '\0';
	addr = kallsyms_lookup_name(name);
	return !addr || addr_is_notrace(addr);
}
#else
static bool place_is_notrace(const struct kprobe_place *kp)
{
	return false;
}
#endif

/* As if it had never been registered. */
static void place_forget(struct kprobe_place *kp)
{
	INIT_HLIST_NODE(&kp->rp.kp.hlist);
	INIT_LIST_HEAD(&kp->rp.kp.list);
	/* register_kprobe() takes a name or an address */
	if (kp->symbol) {
		kp->rp.kp.addr = NULL;
		kp->rp.kp.symbol_name = kp->symbol;
	}
}

static int place_register(struct kprobe_place *kp)
{
	struct kretprobe *rp = &kp->rp;
	int ret;

	if (WARN_ON_ONCE(kprobe_place_registered(kp)))
		return -EINVAL;
	ret = security_locked_down(LOCKDOWN_KPROBES);
	if (ret)
		return ret;
	if (place_is_notrace(kp)) {
		pr_warn("Could not probe notrace function %ps\n",
			(void *)kallsyms_lookup_name(kp->symbol ?: ""));
		return -EINVAL;
	}
	ret = probe_update_symbols(&kp->probe);
	if (ret)
		return ret;

	rp->kp.flags = KPROBE_FLAG_DISABLED;
	if (probe_returns(&kp->probe)) {
		rp->maxactive = kp->maxactive;
		ret = register_kretprobe(rp);
	} else {
		ret = register_kprobe(&rp->kp);
	}
	if (ret)
		place_forget(kp);
	return ret;
}

LIST_HEAD(kprobe_places);

/*
 * Kprobes that go, from the front, and kretprobes, from the back: nobody has to wait for each. Room
 * for a probe is made when it is installed, so that taking away needs no memory. event_mutex
 */
static struct {
	void		**place;
	unsigned int	room;
	unsigned int	installed;
	unsigned int	kprobes;
	unsigned int	kretprobes;
} going;

static int going_make_room(void)
{
	unsigned int room = max(going.room, 16);
	void **place;

	lockdep_assert_held(&event_mutex);
	if (going.installed < going.room)
		return 0;
	if (WARN_ON_ONCE(going.kprobes || going.kretprobes))
		return -EBUSY;
	room *= 2;
	place = kvmalloc_array(room, sizeof(*place), GFP_KERNEL);
	if (!place)
		return -ENOMEM;
	kvfree(going.place);
	going.place = place;
	going.room = room;
	return 0;
}

/* Off its site, and its kprobe is unregistered with the next kprobe_event_settle(). */
static void place_leave(struct kprobe_place *kp)
{
	lockdep_assert_held(&event_mutex);
	kprobe_site_end(kp);
	if (!kprobe_place_registered(kp))
		return;
	if (probe_returns(&kp->probe))
		going.place[going.room - ++going.kretprobes] = &kp->rp;
	else
		going.place[going.kprobes++] = &kp->rp.kp;
}

/* Nobody is in a hit of what has left afterwards. Waits for RCU, once for each of the two sorts. */
static void kprobe_event_settle(void)
{
	void **rps = going.place + going.room - going.kretprobes;
	unsigned int i;

	lockdep_assert_held(&event_mutex);
	unregister_kprobes((struct kprobe **)going.place, going.kprobes);
	for (i = 0; i < going.kprobes; i++)
		place_forget(container_of(going.place[i], struct kprobe_place, rp.kp));
	unregister_kretprobes((struct kretprobe **)rps, going.kretprobes);
	for (i = 0; i < going.kretprobes; i++)
		place_forget(container_of(rps[i], struct kprobe_place, rp));
	going.kprobes = 0;
	going.kretprobes = 0;
}

unsigned long kprobe_place_missed(const struct kprobe_place *kp)
{
	return kp->missed + kp->rp.kp.nmissed + (probe_returns(&kp->probe) ? kp->rp.nmissed : 0);
}

struct kprobe_place *kprobe_place_alloc(void)
{
	struct kprobe_place *kp = kzalloc(sizeof(*kp), GFP_KERNEL);

	if (!kp)
		return NULL;
	kp->probe.hits = alloc_percpu(unsigned long);
	if (!kp->probe.hits) {
		kfree(kp);
		return NULL;
	}
	kp->probe.missed = &kp->missed;
	place_forget(kp);
	return kp;
}

/* Its probe is freed already. */
void kprobe_place_free(struct kprobe_place *kp)
{
	kprobe_site_free(kp);
	free_percpu(kp->probe.hits);
	probe_text_free(kp->symbol);
	kfree(kp);
}

/* --- what struct probe_kind wants */

static int kprobe_event_install(struct probe *p, const struct dyn_command *cmd)
{
	struct kprobe_place *kp = kprobe_place_of(p);
	enum probe_error error = PROBE_ERR_FAIL_REG_PROBE;
	int ret;

	if (probe_returns(&kp->probe)) {
		kp->rp.handler = kretprobe_hit;
		if (p->nr_entry_args) {
			kp->rp.entry_handler = kretprobe_enter;
			kp->rp.data_size = probe_entry_size(p);
		}
	} else {
		kp->rp.kp.pre_handler = kprobe_hit;
	}

	ret = going_make_room();
	if (ret)
		return ret;
	ret = place_register(kp);
	/* perf's own are in no list in which a module's would be found when it comes */
	if (ret == -ENOENT && cmd && place_waits_for_module(kp)) {
		pr_warn("This probe might be able to register after target module is loaded. Continue.\n");
		ret = 0;
	}
	if (!ret) {
		list_add_tail(&kp->installed, &kprobe_places);
		going.installed++;
	}
	if (!ret || !cmd || ret == -ENOMEM || ret == -EEXIST)
		return ret;
	if (ret == -EILSEQ)
		error = PROBE_ERR_BAD_INSN_BNDRY;
	else if (ret == -ENOENT)
		error = PROBE_ERR_BAD_PROBE_ADDR;
	return dyn_command_error(cmd, cmd->argv[1], error, ret);
}

static void kprobe_event_uninstall(struct probe *p)
{
	struct kprobe_place *kp = kprobe_place_of(p);

	place_leave(kp);
	list_del(&kp->installed);
	going.installed--;
}

bool kprobe_can_switch(const struct kprobe_place *kp)
{
	return kprobe_place_registered(kp) && !(kp->rp.kp.flags & KPROBE_FLAG_GONE);
}

/* By a breakpoint, or what the architecture has for kprobes: it sees all registers. */
int kprobe_trap_on(struct kprobe_place *kp)
{
	if (!kprobe_disabled(&kp->rp.kp))
		return 0;
	return probe_returns(&kp->probe) ? enable_kretprobe(&kp->rp) : enable_kprobe(&kp->rp.kp);
}

void kprobe_trap_off(struct kprobe_place *kp)
{
	if (kprobe_disabled(&kp->rp.kp))
		return;
	if (probe_returns(&kp->probe))
		disable_kretprobe(&kp->rp);
	else
		disable_kprobe(&kp->rp.kp);
}

static int kprobe_event_arm(struct probe *p)
{
	struct kprobe_place *kp = kprobe_place_of(p);

	if (!kprobe_can_switch(kp))
		return 0;
	return kprobe_site_on(kp) ? 0 : kprobe_trap_on(kp);
}

static void kprobe_event_disarm(struct probe *p)
{
	struct kprobe_place *kp = kprobe_place_of(p);

	kprobe_site_off(kp);
	if (kprobe_can_switch(kp))
		kprobe_trap_off(kp);
}

/*
 * Has perf come, or has it gone? First what the probe goes to is switched on, then the other off:
 * who comes to it between the two is recorded twice, but nobody is lost. Calls that are open return
 * to whom they were entered for.
 */
static int kprobe_event_users_changed(struct probe_event *e, unsigned int before)
{
	struct probe *p;
	int ret;

	list_for_each_entry(p, &e->probes, link) {
		struct kprobe_place *kp = kprobe_place_of(p);

		if (!kprobe_can_switch(kp))
			continue;
		if (kprobe_site_on(kp)) {
			kprobe_trap_off(kp);
			continue;
		}
		/* What was switched already stays: it serves all users. */
		ret = kprobe_trap_on(kp);
		if (ret)
			return ret;
		kprobe_site_off(kp);
	}
	return 0;
}

#ifdef CONFIG_PERF_EVENTS
/* Samples with registers need a kprobe, see kprobe_site.c. */
static int kprobe_event_perf(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct probe_event *e = probe_event_of(call);
	struct perf_event *event = data;
	int ret;

	if (type != TRACE_REG_PERF_OPEN && type != TRACE_REG_PERF_CLOSE)
		return 0;
	/* that of a child goes before its parent's */
	if (event->parent || !(event->attr.sample_type & PERF_SAMPLE_REGS_INTR))
		return 0;
	e->samples_regs += type == TRACE_REG_PERF_OPEN ? 1 : -1;
	ret = kprobe_event_users_changed(e, e->users);
	if (type == TRACE_REG_PERF_CLOSE)
		return 0;
	if (ret)
		e->samples_regs--;
	return ret;
}
#endif

static bool kprobe_event_same_place(const struct probe *a, const struct probe *b)
{
	const struct kprobe_place *x = kprobe_place_of(a), *y = kprobe_place_of(b);

	if (!x->symbol || !y->symbol)
		return !x->symbol && !y->symbol && x->rp.kp.addr == y->rp.kp.addr;
	return !strcmp(x->symbol, y->symbol) && x->rp.kp.offset == y->rp.kp.offset;
}

/* --- modules */

#ifdef CONFIG_MODULES
static bool is_in_module(const struct kprobe_place *kp, const char *mod)
{
	size_t len = strlen(mod);

	return kp->symbol && !strncmp(kp->symbol, mod, len) && kp->symbol[len] == ':';
}

/* Its probes get where they are meant to be. */
static void kprobe_event_module_comes(struct module *mod)
{
	struct probe *p;
	int ret;

	/* Nothing was left to be done: a kprobe that has gone says so itself. */
	if (READ_ONCE(mod->state) == MODULE_STATE_LIVE)
		return;

	/* they may still be those of when the module was here before */
	for_each_probe(p, &kprobe_kind)
		if (is_in_module(kprobe_place_of(p), module_name(mod)))
			place_leave(kprobe_place_of(p));
	kprobe_event_settle();

	for_each_probe(p, &kprobe_kind) {
		if (!is_in_module(kprobe_place_of(p), module_name(mod)))
			continue;
		ret = place_register(kprobe_place_of(p));
		if (!ret && p->event->users)
			ret = kprobe_event_arm(p);
		if (ret)
			pr_warn("Failed to re-register probe %s on %s: %d\n", probe_name(p),
				module_name(mod), ret);
	}
}

/* What is on a site there is not on another function that gets the same address. */
static void kprobe_event_module_goes(struct module *mod)
{
	struct kprobe_place *kp;

	list_for_each_entry(kp, &kprobe_places, installed) {
		if (within_module((unsigned long)kp->rp.kp.addr, mod))
			kprobe_site_end(kp);
	}
}
#endif

struct probe_kind kprobe_kind = {
	PROBE_LINE_MEMBERS(kprobe),
	.letters	= "pr",
	.loc		= "trace_kprobe",
	.group		= "kprobes",
	.dyn.file	= "kprobe_events",
	.print_head	= probe_print_kernel_head,
	.same_place	= kprobe_event_same_place,
	.install	= kprobe_event_install,
	.uninstall	= kprobe_event_uninstall,
	.arm		= kprobe_event_arm,
	.disarm		= kprobe_event_disarm,
	.settle		= kprobe_event_settle,
	.users_changed	= kprobe_event_users_changed,
#ifdef CONFIG_PERF_EVENTS
	.perf		= kprobe_event_perf,
#endif
#ifdef CONFIG_MODULES
	.module_comes	= kprobe_event_module_comes,
	.module_goes	= kprobe_event_module_goes,
#endif
	.call_flag	= TRACE_EVENT_FL_KPROBE,
};

static int __init kprobe_events_init(void)
{
	probe_kind_register(&kprobe_kind);
	kprobe_sites_init();
	return 0;
}
core_initcall(kprobe_events_init);
