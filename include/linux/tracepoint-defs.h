/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types of tracepoints, and what a header needs that only asks whether a
 * tracepoint is on. Everybody else includes <linux/tracepoint.h>.
 */
#ifndef TRACEPOINT_DEFS_H
#define TRACEPOINT_DEFS_H 1

#include <linux/atomic.h>
#include <linux/static_key.h>
#include <linux/types.h>

struct static_call_key;

/* One row of a table of __print_flags() or __print_symbolic(). */
struct trace_print_flags {
	unsigned long		mask;
	const char		*name;
};

struct trace_print_flags_u64 {
	unsigned long long	mask;
	const char		*name;
};

/* A probe. A tracepoint has an array of them in order of @prio, ended by one without @func. */
struct tracepoint_func {
	void	*func;
	void	*data;
	int	prio;
};

/**
 * struct tracepoint - a place in the kernel that probes may hook on
 * @funcs:		the probes, without static calls @iterator before several of them; readers
 *			hold off preemption, and are in tracepoint_srcu as well when RCU does not
 *			watch. First, as each place that fires loads it: some architectures need an
 *			instruction less
 * @name:		as in trace_NAME()
 * @key:		on while there is a probe
 * @static_call_key:	of the call at the place, where there are static calls: the only probe, or
 *			@iterator
 * @static_call_tramp:	its trampoline, where the architecture has one
 * @iterator:		__traceiter_NAME(), runs every probe of @funcs
 * @probestub:		__probestub_NAME(), a probe that does nothing
 * @regfunc:		called before the first probe comes; may refuse
 * @unregfunc:		called after the last probe went
 */
struct tracepoint {
	struct tracepoint_func __rcu	*funcs;
	const char			*name;
	struct static_key		key;
#ifdef CONFIG_HAVE_STATIC_CALL
	struct static_call_key		*static_call_key;
	void				*static_call_tramp;
#endif
	void				*iterator;
	void				*probestub;
	int				(*regfunc)(void);
	void				(*unregfunc)(void);
};

/*
 * What @funcs is while there are no probes: one that does nothing, whatever its arguments. So a
 * place need not look whether there are any. But not where the type of what is called is
 * checked; nor with static calls, where data that was loaded may go to a probe that has come since.
 */
#if defined(CONFIG_CFI_CLANG) || defined(CONFIG_HAVE_STATIC_CALL)
#define TRACEPOINT_NOBODY	NULL
#else
#define TRACEPOINT_HAS_NOBODY
extern struct tracepoint_func tracepoint_nobody[];
#define TRACEPOINT_NOBODY	tracepoint_nobody
#endif

/* An element of section __tracepoints_ptrs, see tracepoint_ptr_deref(). */
#ifdef CONFIG_HAVE_ARCH_PREL32_RELOCATIONS
typedef const int tracepoint_ptr_t;
#else
typedef struct tracepoint * const tracepoint_ptr_t;
#endif

/* An element of section __bpf_raw_tp_map. The linker's array wants the fixed size. */
struct bpf_raw_event_map {
	struct tracepoint	*tp;
	void			*bpf_func;
	u32			num_args;
	u32			writable_size;	/* bytes of the first argument */
} __aligned(32);

/*
 * A tracepoint within an inline function of a header would pull the headers of its
 * arguments in, and its code into every caller. Test it there, and fire it from a function
 * in a .c file:
 *
 *	DECLARE_TRACEPOINT(gate_open);
 *	void do_trace_gate_open(struct gate *gate);	// calls trace_gate_open(gate)
 *
 *	static inline void gate_open(struct gate *gate)
 *	{
 *		if (tracepoint_enabled(gate_open))
 *			do_trace_gate_open(gate);
 *	}
 */
#define DECLARE_TRACEPOINT(tp)	extern struct tracepoint __tracepoint_##tp

#ifdef CONFIG_TRACEPOINTS
#define tracepoint_enabled(tp)	static_key_false(&__tracepoint_##tp.key)
#else
#define tracepoint_enabled(tp)	false
#endif

#endif /* TRACEPOINT_DEFS_H */
