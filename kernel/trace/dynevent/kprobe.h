/* SPDX-License-Identifier: GPL-2.0-only */
/* Kprobe events, between the files that make, hit and list them. */
#ifndef _KERNEL_TRACE_DYNEVENT_KPROBE_H
#define _KERNEL_TRACE_DYNEVENT_KPROBE_H

#include <linux/kprobes.h>

#include <asm/local.h>

#ifdef CONFIG_FPROBE_EVENTS
#include "../function/graph/hooks.h"
#endif
#include "../percpu.h"
#include "probe.h"
#include "probe_reap.h"

/**
 * struct kprobe_place - a probe at a place of the kernel, or at a function's return
 * @probe:	its line
 * @rp:		the kprobe of either kind; only @rp.kp with no return
 * @installed:	in the list of all that are, with those that perf opened; event_mutex
 * @symbol:	[MODULE:]FUNCTION as it was written, probe_text_dup(); NULL: only the address is
 *		known
 * @maxactive:	as it was written
 * @hook:	on the function's call site instead of @rp, see kprobe_site.c; of an entry only its
 *		gops.ops
 * @head:	where the function begins on whose site it is; unlike @rp.kp.addr it stays for hits
 *		that are still under way when the probe has gone
 * @missed:	hits that came from within a callback there, or found no room for a record
 * @on_site:	it is there; event_mutex
 * @was_on_site: it was, or should have been; event_mutex
 * @reap:	about to be freed
 */
struct kprobe_place {
	struct probe		probe;
	struct kretprobe	rp;
	struct list_head	installed;
	char			*symbol;
	int			maxactive;
#ifdef CONFIG_FPROBE_EVENTS
	struct graph_hook	hook;
	unsigned long		head;
#endif
	unsigned long		missed;
	bool			on_site;
	bool			was_on_site;
	struct probe_reap	reap;
};

extern struct probe_kind kprobe_kind;

static inline struct kprobe_place *kprobe_place_of(const struct probe *p)
{
	return container_of(p, struct kprobe_place, probe);
}

/*
 * One more hit; if there is no room for its record it is a miss instead, see probe.hits. Preemption
 * is off, but on a call site, and at a return, interrupts may be on: one that hits the same probe
 * while this counts is not lost.
 */
static __always_inline void kprobe_place_count(const struct kprobe_place *kp)
{
	local_inc((local_t *)trace_cpu_ptr(kp->probe.hits));
}

/* is it with the kprobes of the kernel? event_mutex */
static inline bool kprobe_place_registered(const struct kprobe_place *kp)
{
	return !(list_empty(&kp->rp.kp.list) && hlist_unhashed(&kp->rp.kp.hlist));
}

/* kprobe.c; task */
struct kprobe_place *kprobe_place_alloc(void);
void kprobe_place_free(struct kprobe_place *kp);	/* not installed */
int kprobe_symbol_check(const char *symbol, unsigned long *addr);
unsigned long kprobe_place_missed(const struct kprobe_place *kp);

/* @free frees it, when nobody is on his way to it any more; event_mutex */
static inline void kprobe_place_reap(struct kprobe_place *kp, void (*free)(struct probe_reap *reap))
{
	if (kp->was_on_site)
		probe_reap(&kp->reap, free);
	else
		free(&kp->reap);
}

/* kprobe.c; any context, preemption off. True: a program has changed where the kernel goes on. */
#ifdef CONFIG_PERF_EVENTS
bool kprobe_hit_perf(const struct kprobe_place *kp, const struct probe_source *src,
		     const unsigned long *head, bool record);
#else
static __always_inline bool kprobe_hit_perf(const struct kprobe_place *kp,
					    const struct probe_source *src,
					    const unsigned long *head, bool record)
{
	return false;
}
#endif

/* kprobe.c; event_mutex */
extern struct list_head kprobe_places;	/* kprobe_place.installed */
bool kprobe_can_switch(const struct kprobe_place *kp);
int kprobe_trap_on(struct kprobe_place *kp);
void kprobe_trap_off(struct kprobe_place *kp);

/* kprobe_site.c; event_mutex, but for the last two */
#ifdef CONFIG_FPROBE_EVENTS
bool kprobe_site_on(struct kprobe_place *kp);
void kprobe_site_off(struct kprobe_place *kp);
void kprobe_site_end(struct kprobe_place *kp);
bool kprobe_site_keep(struct kprobe_place *kp);
void kprobe_site_free(struct kprobe_place *kp);
void kprobe_sites_init(void);	/* boot */
#else
static inline bool kprobe_site_on(struct kprobe_place *kp) { return false; }
static inline void kprobe_site_off(struct kprobe_place *kp) { }
static inline void kprobe_site_end(struct kprobe_place *kp) { }
static inline bool kprobe_site_keep(struct kprobe_place *kp) { return false; }
static inline void kprobe_site_free(struct kprobe_place *kp) { }
static inline void kprobe_sites_init(void) { }
#endif

/* kprobe_command.c */
PROBE_LINE_FUNCS(kprobe);
int kprobe_event_command(const char *text);

#endif /* _KERNEL_TRACE_DYNEVENT_KPROBE_H */
