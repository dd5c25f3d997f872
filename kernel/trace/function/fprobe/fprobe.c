// SPDX-License-Identifier: GPL-2.0-only
/*
 * fprobes, for the rest of the kernel: see include/linux/fprobe.h.
 *
 * One with an exit handler is a return hook, one without an ops; both are in struct fprobe_state,
 * which comes with the registration. What they add to these is the handlers' view: a
 * pt_regs, the flags, and a limit of open calls for who asks for one.
 *
 * This is a room of its own, above filters/, since functions are chosen by name, and below
 * dynevent/. Events on functions do without it: they use hooks and ops themselves.
 */
#include <linux/fprobe.h>
#include <linux/kmemleak.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../sites/guard.h"
#include "../sites/sites.h"
#include "../graph/graph.h"
#include "../graph/hooks.h"
#include "../../missed.h"

/**
 * struct fprobe_state - a registered fprobe
 * @hook:	with an exit handler; without one only its gops.ops is used
 * @fp:		whose
 * @open:	calls that are followed, if there is a limit
 * @by_func:	entry_ip is the function, not the site
 */
struct fprobe_state {
	struct graph_hook	hook;
	struct fprobe		*fp;
	atomic_t		open;
	bool			by_func;
};

static DEFINE_MUTEX(fprobe_mutex);	/* fprobe.state */

static struct ftrace_ops *ops_of(struct fprobe_state *state)
{
	return &state->hook.gops.ops;
}

static __always_inline unsigned long entry_ip_of(const struct fprobe_state *state,
						 unsigned long ip)
{
#ifdef arch_ftrace_site_to_func
	if (state->by_func)
		return arch_ftrace_site_to_func(ip);
#endif
	return ip;
}

/* Handlers that are kprobes' too run only where no kprobe does, and are one for those. */
static __always_inline bool handler_begin(struct fprobe *fp)
{
	if (likely(!fprobe_shared_with_kprobes(fp)))
		return true;
	if (kprobe_running()) {
		trace_count_missed(&fp->nmissed);
		return false;
	}
	kprobe_busy_begin();
	return true;
}

static __always_inline void handler_end(struct fprobe *fp)
{
	if (unlikely(fprobe_shared_with_kprobes(fp)))
		kprobe_busy_end();
}

/* What the handler made of the registers: it may have the function return at once. */
static void notrace entry_redirected(struct ftrace_regs *fregs, struct pt_regs *regs,
				     unsigned long ret_ip)
{
	unsigned long ip = instruction_pointer(regs);

	/*
	 * Straight to the caller: as from a function that does nothing else, by way of who wants to
	 * know of its return, and perhaps says so after us; and of a direct call.
	 */
	if (ip == ret_ip || ip == *arch_ftrace_return_slot(fregs))
		ip = (unsigned long)ftrace_stub;
	ftrace_regs_set_instruction_pointer(fregs, ip);
	ftrace_regs_set_return_value(fregs, regs_return_value(regs));
}

/*
 * On x86 there is a pt_regs at the entry; elsewhere the handler gets one that is filled in as far
 * as possible. True if the exit handler is wanted.
 */
static __always_inline bool call_entry_handler(struct fprobe_state *state, unsigned long ip,
					       unsigned long ret_ip, struct ftrace_regs *fregs,
					       void *data)
{
	struct pt_regs *regs = ftrace_get_regs(fregs), partial;
	struct fprobe *fp = state->fp;
	unsigned long go_on = 0;
	bool follow;

	if (!handler_begin(fp))
		return false;
	if (!regs) {
		memset(&partial, 0, sizeof(partial));
		regs = ftrace_partial_regs(fregs, &partial);
		go_on = instruction_pointer(regs);
	}
	follow = !fp->entry_handler(fp, entry_ip_of(state, ip), ret_ip, regs, data);
	if (regs == &partial && unlikely(instruction_pointer(regs) != go_on))
		entry_redirected(fregs, regs, ret_ip);
	handler_end(fp);
	return follow;
}

static bool notrace fprobe_entry(struct graph_hook *hook, unsigned long ip, unsigned long ret_ip,
				 struct ftrace_regs *fregs, void *data)
{
	struct fprobe_state *state = container_of(hook, struct fprobe_state, hook);
	struct fprobe *fp = state->fp;

	if (fprobe_disabled(fp))
		return false;
	if (fp->nr_maxactive && atomic_inc_return(&state->open) > fp->nr_maxactive) {
		trace_count_missed(&fp->nmissed);
		goto not_followed;
	}
	if (!fp->entry_handler || call_entry_handler(state, ip, ret_ip, fregs, data))
		return true;
not_followed:
	if (fp->nr_maxactive)
		atomic_dec(&state->open);
	return false;
}

static void notrace fprobe_exit(struct graph_hook *hook, unsigned long ip, unsigned long ret_ip,
				struct ftrace_regs *fregs, void *data)
{
	struct fprobe_state *state = container_of(hook, struct fprobe_state, hook);
	struct fprobe *fp = state->fp;
	struct pt_regs regs;

	if (!fprobe_disabled(fp) && handler_begin(fp)) {
		memset(&regs, 0, sizeof(regs));
		fp->exit_handler(fp, entry_ip_of(state, ip), ret_ip,
				 ftrace_return_regs(fregs, &regs), data);
		handler_end(fp);
	}
	if (fp->nr_maxactive)
		atomic_dec(&state->open);
}

static void fprobe_dropped(struct graph_hook *hook)
{
	struct fprobe_state *state = container_of(hook, struct fprobe_state, hook);

	if (state->fp->nr_maxactive)
		atomic_dec(&state->open);
}

/* ops::func of one without an exit handler */
static void notrace fprobe_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
				struct ftrace_regs *fregs)
{
	struct fprobe_state *state = op->private;
	struct trace_guard guard;

	if (fprobe_disabled(state->fp))
		return;
	if (unlikely(!trace_guard_enter(&guard, ip, parent_ip))) {
		trace_count_missed(&state->fp->nmissed);
		return;
	}
	if (graph_is_handler(parent_ip))
		parent_ip = graph_return_address();
	call_entry_handler(state, ip, parent_ip, fregs, NULL);
	trace_guard_leave(&guard);
}

static int state_check(const struct fprobe *fp)
{
	if (!fp || (!fp->entry_handler && !fp->exit_handler) || fp->nr_maxactive < 0 ||
	    fp->entry_data_size > GRAPH_HOOK_DATA_MAX)
		return -EINVAL;
	return 0;
}

/* fprobe_mutex. The caller chooses functions, and then has it started. */
static struct fprobe_state *state_make(struct fprobe *fp)
{
	struct fprobe_state *state;
	int ret = state_check(fp);

	if (ret)
		return ERR_PTR(ret);
	if (fp->state)
		return ERR_PTR(-EBUSY);
	state = kzalloc(sizeof(*state), GFP_KERNEL);
	if (!state)
		return ERR_PTR(-ENOMEM);
	state->fp = fp;
	ops_of(state)->flags = FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED;
	if (!fp->exit_handler) {
		ops_of(state)->func = fprobe_call;
		ops_of(state)->private = state;
		return state;
	}
	/* Without an entry handler there is nothing to do at the entry, unless it is counted. */
	if (fp->entry_handler || fp->nr_maxactive)
		state->hook.entry = fprobe_entry;
	state->hook.ret = fprobe_exit;
	state->hook.dropped = fprobe_dropped;
	state->hook.missed = &fp->nmissed;
	state->hook.data_size = fp->entry_data_size;
	return state;
}

/* It is off, or could not be registered. */
static void state_free(struct fprobe_state *state)
{
	bool keep = ftrace_ops_keep(ops_of(state));

	ftrace_free_filter(ops_of(state));
	if (keep)
		kmemleak_not_leak(state);	/* text names it, where kmemleak does not look */
	else
		kfree(state);
}

/* fprobe_mutex. @ret: of what was done with @state before. */
static int state_start(struct fprobe *fp, struct fprobe_state *state, int ret)
{
	if (!ret) {
		/* Handlers may run from here on. */
		fp->nmissed = 0;
		if (fp->exit_handler)
			ret = graph_hook_register(&state->hook);
		else
			ret = register_ftrace_function(ops_of(state));
	}
	if (ret)
		state_free(state);
	else
		fp->state = state;
	return ret;
}

/**
 * register_fprobe - probe functions by name
 * @fp:		see struct fprobe
 * @filter:	a name or a glob
 * @notfilter:	which of those not, or NULL
 *
 * Context: task, sleeps.
 * Return: 0; -EINVAL if nothing matches, without handlers, or for values out of range; -EBUSY if
 * @fp is registered; else as register_ftrace_function().
 */
int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter)
{
	struct fprobe_state *state;
	int ret;

	if (!filter)
		return -EINVAL;
	guard(mutex)(&fprobe_mutex);
	state = state_make(fp);
	if (IS_ERR(state))
		return PTR_ERR(state);
	ret = ftrace_set_filter(ops_of(state), (unsigned char *)filter, strlen(filter), 0);
	if (!ret && notfilter)
		ret = ftrace_set_notrace(ops_of(state), (unsigned char *)notfilter,
					 strlen(notfilter), 0);
	return state_start(fp, state, ret);
}
EXPORT_SYMBOL_GPL(register_fprobe);

/*
 * Who names functions by their addresses, as BPF does, wants to find these addresses again in its
 * handlers, and the base's bpf_trace.c only knows x86, where site and function are the same.
 */
static bool are_functions(const unsigned long *addrs, int num)
{
#ifdef arch_ftrace_site_to_func
	for (int i = 0; i < num; i++) {
		unsigned long site = ftrace_location(addrs[i]);

		if (!site || arch_ftrace_site_to_func(site) != addrs[i])
			return false;
	}
	return true;
#else
	return false;
#endif
}

static int register_at(struct fprobe *fp, unsigned long *addrs, int num, bool by_func)
{
	struct fprobe_state *state;
	int ret;

	guard(mutex)(&fprobe_mutex);
	state = state_make(fp);
	if (IS_ERR(state))
		return PTR_ERR(state);
	state->by_func = by_func;
	ret = ftrace_set_filter_ips(ops_of(state), addrs, num, 0, 0);
	return state_start(fp, state, ret);
}

/**
 * register_fprobe_ips - probe functions by address
 * @fp:		see struct fprobe
 * @addrs:	of functions or of their call sites; if all are functions, handlers get these
 *		addresses as entry_ip
 * @num:	how many
 *
 * Context: task, sleeps.
 * Return: as register_fprobe(); -EINVAL if one of them cannot be traced.
 */
int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int num)
{
	if (!addrs || num <= 0)
		return -EINVAL;
	return register_at(fp, addrs, num, are_functions(addrs, num));
}
EXPORT_SYMBOL_GPL(register_fprobe_ips);

static int name_cmp(const void *a, const void *b)
{
	return strcmp(*(const char * const *)a, *(const char * const *)b);
}

/* The functions that @syms name, each once: how many, or an error. */
static int find_functions(const char **syms, int num, unsigned long *addrs)
{
	const char **names;
	int i, n = 0, ret;

	names = kvmalloc_array(num, sizeof(*names), GFP_KERNEL);
	if (!names)
		return -ENOMEM;
	memcpy(names, syms, num * sizeof(*names));
	sort(names, num, sizeof(*names), name_cmp, NULL);
	for (i = 0; i < num; i++) {
		if (!n || strcmp(names[n - 1], names[i]))
			names[n++] = names[i];
	}
	ret = ftrace_lookup_symbols(names, n, addrs);
	kvfree(names);
	return ret ?: n;
}

/**
 * register_fprobe_syms - probe functions by their names
 * @fp:		see struct fprobe
 * @syms:	names
 * @num:	how many
 *
 * Context: task, sleeps.
 * Return: as register_fprobe(); -ESRCH if one of them is not there or cannot be traced.
 */
int register_fprobe_syms(struct fprobe *fp, const char **syms, int num)
{
	unsigned long *addrs;
	int ret;

	if (!syms || num <= 0)
		return -EINVAL;
	addrs = kvmalloc_array(num, sizeof(*addrs), GFP_KERNEL);
	if (!addrs)
		return -ENOMEM;
	ret = find_functions(syms, num, addrs);
	if (ret > 0)
		ret = register_at(fp, addrs, ret, false);
	kvfree(addrs);
	return ret;
}
EXPORT_SYMBOL_GPL(register_fprobe_syms);

bool fprobe_is_registered(struct fprobe *fp)
{
	return fp && READ_ONCE(fp->state);
}

/**
 * unregister_fprobe - the opposite
 * @fp: registered fprobe
 *
 * Calls that are open return without the exit handler. No handler runs any more afterwards.
 *
 * Context: task, sleeps.
 * Return: 0, -EINVAL if it is not registered; -ENODEV if text cannot be written any more, which may
 * go on calling into memory that is kept for it, but no handler.
 */
int unregister_fprobe(struct fprobe *fp)
{
	struct fprobe_state *state;
	int ret;

	guard(mutex)(&fprobe_mutex);
	if (!fprobe_is_registered(fp))
		return -EINVAL;
	state = fp->state;
	fp->state = NULL;
	if (fp->exit_handler)
		ret = graph_hook_unregister(&state->hook);
	else
		ret = unregister_ftrace_function(ops_of(state));
	state_free(state);
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_fprobe);
