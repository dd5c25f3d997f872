/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Function tracing.
 *
 * For users of it: fill in a struct ftrace_ops (or a struct fgraph_ops, to see
 * returns as well), choose functions with ftrace_set_filter*(), register it. For
 * architectures: the calls that a call site is patched with. How a call reaches its ops is told
 * in Documentation/trace/function-tracing.rst, the calls themselves in
 * Documentation/trace/ftrace-uses.rst.
 */
#ifndef _LINUX_FTRACE_H
#define _LINUX_FTRACE_H

#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/ktime.h>
#include <linux/linkage.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/trace_clock.h>
#include <linux/trace_recursion.h>
#include <linux/tracepoint-defs.h>
#include <linux/types.h>

#include <asm/ftrace.h>

/* 1: the third argument of a callback is the ops of the site. Said by asm/ftrace.h. */
#ifndef ARCH_SUPPORTS_FTRACE_OPS
#define ARCH_SUPPORTS_FTRACE_OPS	0
#endif

struct dyn_ftrace;
struct fgraph_ops;
struct ftrace_hash;
struct ftrace_op_set;
struct ftrace_ops;
struct ftrace_regs;
struct module;
struct seq_file;
struct trace_array;

/* boot and dumps: belongs to the instances, declared here for init/main.c and friends */
#ifdef CONFIG_TRACING
enum ftrace_dump_mode;

#define MAX_TRACER_SIZE		100

extern char ftrace_dump_on_oops[];
extern int tracepoint_printk;
extern int __disable_trace_on_warning;

void early_trace_init(void);
void trace_init(void);
int ftrace_dump_on_oops_enabled(void);
void disable_trace_on_warning(void);
int tracepoint_printk_sysctl(const struct ctl_table *table, int write,
			     void *buffer, size_t *lenp, loff_t *ppos);
#else
static inline void early_trace_init(void) { }
static inline void trace_init(void) { }
static inline void disable_trace_on_warning(void) { }
#endif

#ifdef CONFIG_TRACER_SNAPSHOT
void ftrace_boot_snapshot(void);
#else
static inline void ftrace_boot_snapshot(void) { }
#endif

#ifdef CONFIG_FTRACE_SYSCALLS
unsigned long arch_syscall_addr(int nr);
#endif

/*
 * Struct of a hash of functions as clients knew it: direct calls of architectures
 * keep no other tables than ours, so nobody walks it any more.
 */
struct ftrace_func_entry {
	struct hlist_node	hlist;
	unsigned long		ip;
	unsigned long		direct;
};

#ifdef CONFIG_FUNCTION_TRACER

#include <linux/ftrace_regs.h>

#define ftrace_regs_size()	sizeof(struct __arch_ftrace_regs)

/**
 * struct ftrace_regs - registers at the entry of a traced function, or at its return
 *
 * Opaque: use ftrace_regs_get_*() and ftrace_regs_set_*(). At the entry it holds the
 * arguments, stack and frame pointer, the function's address and where it
 * returns to; at the return the return value and the frame pointer. ftrace_get_regs() gives
 * a full pt_regs where there is one.
 */
struct ftrace_regs {
};

typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs);

#ifdef CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS

#ifndef arch_ftrace_fill_perf_regs
#define arch_ftrace_fill_perf_regs(fregs, _regs)	do { } while (0)
#endif

/* What perf_arch_fetch_caller_regs() would have filled in, taken from @fregs. */
static __always_inline struct pt_regs *
ftrace_fill_perf_regs(struct ftrace_regs *fregs, struct pt_regs *regs)
{
	arch_ftrace_fill_perf_regs(fregs, regs);
	return regs;
}

#else /* every architecture without WITH_ARGS has a pt_regs in its ftrace_regs */

#define ftrace_regs_set_instruction_pointer(fregs, ip)	do { } while (0)

static inline struct pt_regs *arch_ftrace_get_regs(struct ftrace_regs *fregs)
{
	return &arch_ftrace_regs(fregs)->regs;
}

static __always_inline struct pt_regs *
ftrace_fill_perf_regs(struct ftrace_regs *fregs, struct pt_regs *regs)
{
	return arch_ftrace_get_regs(fregs);
}

#endif /* CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS */

/* A full pt_regs or NULL. */
static __always_inline struct pt_regs *ftrace_get_regs(struct ftrace_regs *fregs)
{
	return fregs ? arch_ftrace_get_regs(fregs) : NULL;
}

/* May the accessors be used on @fregs? */
static __always_inline bool ftrace_regs_has_args(struct ftrace_regs *fregs)
{
	return IS_ENABLED(CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS) || ftrace_get_regs(fregs);
}

/*
 * ftrace_ops.flags. First those that a user may set, before it registers the ops.
 */
enum {
	/* a full pt_regs, or registering fails where there is none */
	FTRACE_OPS_FL_SAVE_REGS			= BIT(2),
	/* a full pt_regs where there is one */
	FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED	= BIT(3),
	/* the core is to guard func against recursion */
	FTRACE_OPS_FL_RECURSION			= BIT(4),
	/* sites are patched but func is not called */
	FTRACE_OPS_FL_STUB			= BIT(5),
	/* func redirects the call: one such ops a function, needs a filter */
	FTRACE_OPS_FL_IPMODIFY			= BIT(12),
	/* func is called only where RCU is watching */
	FTRACE_OPS_FL_RCU			= BIT(14),
	/* the ftrace_enabled sysctl may not switch it off */
	FTRACE_OPS_FL_PERMANENT			= BIT(16),

	/* the rest belongs to the core */
	FTRACE_OPS_FL_ENABLED			= BIT(0),  /* registered */
	FTRACE_OPS_FL_DYNAMIC			= BIT(1),  /* in memory that may be freed */
	FTRACE_OPS_FL_INITIALIZED		= BIT(6),  /* hashes set up */
	FTRACE_OPS_FL_DELETED			= BIT(7),  /* may not be registered any more */
	FTRACE_OPS_FL_ALLOC_TRAMP		= BIT(11), /* by the arch: its own */
	FTRACE_OPS_FL_PID			= BIT(13), /* obeys set_ftrace_pid */
	FTRACE_OPS_FL_DIRECT			= BIT(17), /* of register_ftrace_direct() */
	FTRACE_OPS_FL_GRAPH			= BIT(19), /* inside a struct fgraph_ops */
	FTRACE_OPS_FL_SET			= BIT(20), /* stands for several ops of a site */
};

/* Arguments without asking: only where WITH_ARGS is missing they cost a pt_regs. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define FTRACE_OPS_FL_SAVE_ARGS		0
#else
#define FTRACE_OPS_FL_SAVE_ARGS		FTRACE_OPS_FL_SAVE_REGS
#endif

/*
 * A direct call and an IPMODIFY ops (a live patch) may share a function only if the
 * owner of the direct call agrees; it is asked with these. 0 is yes.
 */
enum ftrace_ops_cmd {
	FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF,	/* the direct call comes second */
	FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER,	/* the other comes second */
	FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER,	/* the other has gone */
};

typedef int (*ftrace_ops_func_t)(struct ftrace_ops *op, enum ftrace_ops_cmd cmd);

/* Which functions; set with ftrace_set_filter*() and ftrace_set_notrace(). */
struct ftrace_ops_hash {
	struct ftrace_hash __rcu	*notrace_hash;
	struct ftrace_hash __rcu	*filter_hash;
	struct mutex			regex_lock;	/* who builds a new one */
};

/**
 * struct ftrace_ops - a callback at function entries
 * @func:	called at the entry of each function that the filters choose
 * @direct_call: where a direct call goes; entry code loads it together with @func
 * @private:	the user's
 * @flags:	FTRACE_OPS_FL_*
 * @func_hash:	the filters in force: @local_hash or those of another ops
 * @ops_func:	see enum ftrace_ops_cmd
 * @trampoline: code that calls @func for this ops only, where the arch makes it
 * @trampoline_size: bytes
 * @local_hash: this ops' own filters
 * @next:	in ftrace_ops_list
 *
 * Zero it, set @func, @flags and @private. It must stay until
 * unregister_ftrace_function() has returned; then nobody uses it any more. Memory that is not
 * static makes unregistering wait for a grace period of RCU tasks.
 *
 * What a call needs comes first, in one cache line.
 */
struct ftrace_ops {
	ftrace_func_t			func;
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	unsigned long			direct_call;
#endif
	void				*private;
	unsigned long			flags;
#ifdef CONFIG_DYNAMIC_FTRACE
	struct ftrace_ops_hash		*func_hash;
	ftrace_ops_func_t		ops_func;
	unsigned long			trampoline;
	unsigned long			trampoline_size;
	struct ftrace_ops_hash		local_hash;
#endif
	struct ftrace_ops __rcu		*next;
};

extern int ftrace_enabled;			/* the sysctl */
extern struct ftrace_ops __rcu *ftrace_ops_list;	/* registered; ends with &ftrace_list_end */
extern struct ftrace_ops ftrace_list_end;
extern const struct ftrace_ops ftrace_nop_ops;	/* in a call-ops literal: nobody traces */
extern const struct ftrace_ops ftrace_list_ops;	/* looks the site up */
extern ftrace_func_t ftrace_trace_function;
extern struct ftrace_ops *function_trace_op;	/* read by entry code that has no better */

/* For each registered ops: do_for_each_ftrace_op(op, ftrace_ops_list) { } while_for_each_... */
#define do_for_each_ftrace_op(op, list)			\
	op = rcu_dereference_raw_check(list);		\
	do

#define while_for_each_ftrace_op(op)			\
	while ((op = rcu_dereference_raw_check((op)->next)) && (op) != &ftrace_list_end)

int register_ftrace_function(struct ftrace_ops *ops);
int unregister_ftrace_function(struct ftrace_ops *ops);
int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt, unsigned long *addrs);
void ftrace_kill(void);

/* entry code */
#if ARCH_SUPPORTS_FTRACE_OPS
void arch_ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs);
#else
void arch_ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip);
#endif
void ftrace_stub(unsigned long a0, unsigned long a1,
		 struct ftrace_ops *op, struct ftrace_regs *fregs);
ftrace_func_t ftrace_ops_get_func(struct ftrace_ops *ops);
struct ftrace_ops *ftrace_find_unique_ops(struct dyn_ftrace *rec);

static inline void tracer_disable(void)
{
	ftrace_enabled = 0;
}

/* For kexec, which must not be traced on its last metres; nobody else writes the sysctl then. */
static inline int __ftrace_enabled_save(void)
{
	int saved = ftrace_enabled;

	tracer_disable();
	return saved;
}

static inline void __ftrace_enabled_restore(int enabled)
{
	ftrace_enabled = enabled;
}

#else /* !CONFIG_FUNCTION_TRACER */

/* macros: the ops need not exist */
#define register_ftrace_function(ops)		({ 0; })
#define unregister_ftrace_function(ops)		({ 0; })

static inline int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt, unsigned long *addrs)
{
	return -EOPNOTSUPP;
}

static inline void ftrace_kill(void) { }
static inline void tracer_disable(void) { }
static inline int __ftrace_enabled_save(void) { return 0; }
static inline void __ftrace_enabled_restore(int enabled) { }

#endif /* CONFIG_FUNCTION_TRACER */

/* symbols of text that is gone, for kernel/kallsyms.c */
#if defined(CONFIG_DYNAMIC_FTRACE) && defined(CONFIG_MODULES)
int ftrace_mod_address_lookup(unsigned long addr, unsigned long *size, unsigned long *off,
			      char **modname, const unsigned char **modbuildid, char *sym);
#else
static inline int
ftrace_mod_address_lookup(unsigned long addr, unsigned long *size, unsigned long *off,
			  char **modname, const unsigned char **modbuildid, char *sym)
{
	return 0;
}
#endif

#ifdef CONFIG_DYNAMIC_FTRACE
int ftrace_mod_get_kallsym(unsigned int symnum, unsigned long *value, char *type, char *name,
			   char *module_name, int *exported);
#else
static inline int ftrace_mod_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
					 char *name, char *module_name, int *exported)
{
	return -1;
}
#endif

/* direct calls: a site calls straight into code of the user's, BPF trampolines for one */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr);
int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr, bool free_filters);
int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr);
int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr);
unsigned long ftrace_find_rec_direct(unsigned long ip);
void ftrace_stub_direct_tramp(void);
#else
static inline int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	return -ENODEV;
}

static inline int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr,
					   bool free_filters)
{
	return -ENODEV;
}

static inline int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	return -ENODEV;
}

static inline int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr)
{
	return -ENODEV;
}

static inline unsigned long ftrace_find_rec_direct(unsigned long ip)
{
	return 0;
}

#ifdef CONFIG_FUNCTION_TRACER
#ifndef arch_ftrace_set_direct_caller
static inline void arch_ftrace_set_direct_caller(struct ftrace_regs *fregs, unsigned long addr) { }
#endif
#endif
#endif /* CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS */

#ifdef CONFIG_STACK_TRACER
extern int stack_tracer_enabled;
DECLARE_PER_CPU(int, disable_stack_tracer);	/* through the two functions below only */

int stack_trace_sysctl(const struct ctl_table *table, int write, void *buffer,
		       size_t *lenp, loff_t *ppos);

/* Between these two the stack tracer keeps still. Preemption or interrupts are off. */
static inline void stack_tracer_disable(void)
{
	WARN_ON_ONCE(IS_ENABLED(CONFIG_DEBUG_PREEMPT) && preemptible());
	this_cpu_inc(disable_stack_tracer);
}

static inline void stack_tracer_enable(void)
{
	WARN_ON_ONCE(IS_ENABLED(CONFIG_DEBUG_PREEMPT) && preemptible());
	this_cpu_dec(disable_stack_tracer);
}
#else
static inline void stack_tracer_disable(void) { }
static inline void stack_tracer_enable(void) { }
#endif

#ifdef CONFIG_DYNAMIC_FTRACE

/*
 * dyn_ftrace.flags: how many ops the site has, and what they need. The
 * flags that end in EN say what the text does now, their partners what it should.
 */
enum {
	FTRACE_FL_ENABLED	= BIT(31),	/* the site calls something */
	FTRACE_FL_REGS		= BIT(30),	/* full registers */
	FTRACE_FL_REGS_EN	= BIT(29),
	FTRACE_FL_TRAMP		= BIT(28),	/* entry code of the one ops, or of the set */
	FTRACE_FL_TRAMP_EN	= BIT(27),
	FTRACE_FL_IPMODIFY	= BIT(26),	/* an ops redirects */
	FTRACE_FL_DISABLED	= BIT(25),	/* not ready: leave the text alone */
	FTRACE_FL_DIRECT	= BIT(24),	/* an ops is a direct call */
	FTRACE_FL_DIRECT_EN	= BIT(23),
	FTRACE_FL_CALL_OPS	= BIT(22),	/* reached through the site's literal */
	FTRACE_FL_CALL_OPS_EN	= BIT(21),
	FTRACE_FL_TOUCHED	= BIT(20),	/* was traced since boot */
	FTRACE_FL_MODIFIED	= BIT(19),	/* had IPMODIFY or DIRECT since boot */
};

#define FTRACE_REF_MAX_SHIFT	19
#define FTRACE_REF_MAX		((1UL << FTRACE_REF_MAX_SHIFT) - 1)
#define ftrace_rec_count(rec)	((rec)->flags & FTRACE_REF_MAX)

/**
 * struct dyn_ftrace - a call site
 * @ip:		address of the instruction that is patched
 * @flags:	FTRACE_FL_* and the number of ops
 * @set:	the ops that the site should call, NULL for none
 * @target:	address that the text calls now, 0 for a nop
 * @arch:	the architecture's
 */
struct dyn_ftrace {
	unsigned long		ip;
	unsigned long		flags;
	struct ftrace_op_set	*set;
	unsigned long		target;
	struct dyn_arch_ftrace	arch;
};

/* choosing functions */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset);
int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int cnt,
			  int remove, int reset);
int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len, int reset);
int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *buf, int len, int reset);
void ftrace_set_global_filter(unsigned char *buf, int len, int reset);
void ftrace_set_global_notrace(unsigned char *buf, int len, int reset);
void ftrace_free_filter(struct ftrace_ops *ops);
void ftrace_ops_set_global_filter(struct ftrace_ops *ops);

/* call sites by address; any context */
unsigned long ftrace_location(unsigned long ip);
unsigned long ftrace_location_range(unsigned long start, unsigned long end);
int ftrace_text_reserved(const void *start, const void *end);
bool is_ftrace_trampoline(unsigned long addr);
struct ftrace_ops *ftrace_ops_trampoline(unsigned long addr);

/* modules and memory of init functions */
void ftrace_module_init(struct module *mod);
void ftrace_module_enable(struct module *mod);
void ftrace_release_mod(struct module *mod);
void ftrace_free_init_mem(void);
void ftrace_free_mem(struct module *mod, void *start, void *end);

/*
 * Patching. The core holds its lock, decides for each record what the site is to
 * call and runs the architecture: ftrace_arch_code_modify_prepare(),
 * arch_ftrace_update_code(), ftrace_arch_code_modify_post_process(). All three
 * and ftrace_replace_code() have a plain version that an architecture may replace.
 */
enum {
	FTRACE_UPDATE_CALLS		= BIT(0),	/* bring all sites up to date */
	FTRACE_DISABLE_CALLS		= BIT(1),	/* all sites become nops */
	FTRACE_UPDATE_TRACE_FUNC	= BIT(2),
	FTRACE_START_FUNC_RET		= BIT(3),
	FTRACE_STOP_FUNC_RET		= BIT(4),
	FTRACE_MAY_SLEEP		= BIT(5),
};

/* what a site needs */
enum {
	FTRACE_UPDATE_IGNORE,
	FTRACE_UPDATE_MAKE_CALL,
	FTRACE_UPDATE_MODIFY_CALL,
	FTRACE_UPDATE_MAKE_NOP,
};

enum ftrace_bug_type {
	FTRACE_BUG_UNKNOWN,
	FTRACE_BUG_INIT,
	FTRACE_BUG_NOP,
	FTRACE_BUG_CALL,
	FTRACE_BUG_UPDATE,
};

extern enum ftrace_bug_type ftrace_bug_type;	/* what was tried */
extern const void *ftrace_expected;		/* the bytes it should have found, or NULL */

void ftrace_bug(int err, struct dyn_ftrace *rec);

int ftrace_dyn_arch_init(void);
void ftrace_arch_code_modify_prepare(void);
void ftrace_arch_code_modify_post_process(void);
void arch_ftrace_update_code(int command);
void arch_ftrace_update_trampoline(struct ftrace_ops *ops);
void *arch_ftrace_trampoline_func(struct ftrace_ops *ops, struct dyn_ftrace *rec);
void arch_ftrace_trampoline_free(struct ftrace_ops *ops);
char *arch_ftrace_match_adjust(char *str, const char *search);
void ftrace_replace_code(int enable);
int ftrace_update_ftrace_func(ftrace_func_t func);
void ftrace_modify_all_code(int command);
void ftrace_run_stop_machine(int command);

/* For each record of the kernel and of modules, the core's lock held. */
struct ftrace_rec_iter;
struct ftrace_rec_iter *ftrace_rec_iter_start(void);
struct ftrace_rec_iter *ftrace_rec_iter_next(struct ftrace_rec_iter *iter);
struct dyn_ftrace *ftrace_rec_iter_record(struct ftrace_rec_iter *iter);

#define for_ftrace_rec_iter(iter)		\
	for (iter = ftrace_rec_iter_start(); iter; iter = ftrace_rec_iter_next(iter))

int ftrace_test_record(struct dyn_ftrace *rec, bool enable);
int ftrace_update_record(struct dyn_ftrace *rec, bool enable);
unsigned long ftrace_get_addr_new(struct dyn_ftrace *rec);
unsigned long ftrace_get_addr_curr(struct dyn_ftrace *rec);

/* entry code, asm */
void ftrace_caller(void);
void ftrace_regs_caller(void);
void ftrace_call(void);
void ftrace_regs_call(void);
void mcount_call(void);

#ifndef FTRACE_ADDR
#define FTRACE_ADDR		((unsigned long)ftrace_caller)
#endif
#ifndef FTRACE_GRAPH_ADDR
#define FTRACE_GRAPH_ADDR	((unsigned long)ftrace_graph_caller)
#endif
#ifndef FTRACE_GRAPH_TRAMP_ADDR
#define FTRACE_GRAPH_TRAMP_ADDR	0UL
#endif
#ifndef FTRACE_REGS_ADDR
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
#define FTRACE_REGS_ADDR	((unsigned long)ftrace_regs_caller)
#else
#define FTRACE_REGS_ADDR	FTRACE_ADDR
#endif
#endif

/*
 * One site. Each looks at the text first and returns -EFAULT if it cannot be read,
 * -EINVAL if it is not what it should be (then ftrace_expected is set) and -EPERM if it
 * cannot be written; the text is then as it was.
 *
 * ftrace_init_nop: from what the compiler left to a nop, before the text runs.
 * ftrace_make_nop: from a call of @addr to a nop. @mod is set while a module loads.
 * ftrace_make_call: from a nop to a call of @addr.
 * ftrace_modify_call: from @old_addr to @addr; with call-ops also when only the ops changed.
 */
int ftrace_make_nop(struct module *mod, struct dyn_ftrace *rec, unsigned long addr);
int ftrace_make_call(struct dyn_ftrace *rec, unsigned long addr);
int ftrace_modify_call(struct dyn_ftrace *rec, unsigned long old_addr, unsigned long addr);

#ifndef ftrace_init_nop
static inline int ftrace_init_nop(struct module *mod, struct dyn_ftrace *rec)
{
	return ftrace_make_nop(mod, rec, MCOUNT_ADDR);
}
#endif

/* True if the compiler left nops that need no work. */
#ifndef ftrace_need_init_nop
#define ftrace_need_init_nop()	(!__is_defined(CC_USING_NOP_MCOUNT))
#endif

#else /* !CONFIG_DYNAMIC_FTRACE */

static inline void ftrace_module_init(struct module *mod) { }
static inline void ftrace_module_enable(struct module *mod) { }
static inline void ftrace_release_mod(struct module *mod) { }
static inline void ftrace_free_mem(struct module *mod, void *start, void *end) { }
static inline void ftrace_free_init_mem(void)
{
	ftrace_boot_snapshot();
}

static inline unsigned long ftrace_location(unsigned long ip)
{
	return 0;
}

static inline int ftrace_text_reserved(const void *start, const void *end)
{
	return 0;
}

static inline bool is_ftrace_trampoline(unsigned long addr)
{
	return false;
}

/* macros: the ops need not exist */
#define ftrace_set_filter_ip(ops, ip, remove, reset)		({ -ENODEV; })
#define ftrace_set_filter_ips(ops, ips, cnt, remove, reset)	({ -ENODEV; })
#define ftrace_set_filter(ops, buf, len, reset)			({ -ENODEV; })
#define ftrace_set_notrace(ops, buf, len, reset)		({ -ENODEV; })
#define ftrace_free_filter(ops)					do { } while (0)
#define ftrace_ops_set_global_filter(ops)			do { } while (0)

#endif /* CONFIG_DYNAMIC_FTRACE */

#ifdef CONFIG_FTRACE_MCOUNT_RECORD
void ftrace_init(void);
#ifdef CC_USING_PATCHABLE_FUNCTION_ENTRY
#define FTRACE_CALLSITE_SECTION	"__patchable_function_entries"
#else
#define FTRACE_CALLSITE_SECTION	"__mcount_loc"
#endif
#else
static inline void ftrace_init(void) { }
#endif

/* Who called the caller. */
#ifndef ftrace_return_address0
#define ftrace_return_address0		__builtin_return_address(0)
#endif
#ifndef ftrace_return_address
#ifdef CONFIG_FRAME_POINTER
#define ftrace_return_address(n)	__builtin_return_address(n)
#else
#define ftrace_return_address(n)	0UL
#endif
#endif

#define CALLER_ADDR0	((unsigned long)ftrace_return_address0)
#define CALLER_ADDR1	((unsigned long)ftrace_return_address(1))
#define CALLER_ADDR2	((unsigned long)ftrace_return_address(2))
#define CALLER_ADDR3	((unsigned long)ftrace_return_address(3))
#define CALLER_ADDR4	((unsigned long)ftrace_return_address(4))
#define CALLER_ADDR5	((unsigned long)ftrace_return_address(5))
#define CALLER_ADDR6	((unsigned long)ftrace_return_address(6))

#ifdef CONFIG_TRACE_PREEMPT_TOGGLE
DECLARE_TRACEPOINT(preempt_disable);
DECLARE_TRACEPOINT(preempt_enable);

#ifdef CONFIG_PREEMPT_TRACER
DECLARE_STATIC_KEY_FALSE(latency_preempt_key);
#define __preempt_is_measured()	static_branch_unlikely(&latency_preempt_key)
#else
#define __preempt_is_measured()	false
#endif

/* Does anybody want to know where preemption goes off and on? */
static __always_inline bool trace_preempt_is_wanted(void)
{
	return tracepoint_enabled(preempt_disable) || tracepoint_enabled(preempt_enable) ||
	       __preempt_is_measured();
}
#else
static __always_inline bool trace_preempt_is_wanted(void)
{
	return false;
}
#endif

/*
 * The nearest caller that is not one of the lock functions. Some architectures walk the stack for
 * it, and each lock that is taken asks: nobody does so who is not told, see trace_preempt_off().
 */
static __always_inline unsigned long get_lock_parent_ip(void)
{
	if (!IS_ENABLED(CONFIG_DEBUG_PREEMPT) && !trace_preempt_is_wanted())
		return CALLER_ADDR0;
	if (!in_lock_functions(CALLER_ADDR0))
		return CALLER_ADDR0;
	if (!in_lock_functions(CALLER_ADDR1))
		return CALLER_ADDR1;
	return CALLER_ADDR2;
}

/* macros when off: the return addresses must not even be computed */
#ifdef CONFIG_TRACE_PREEMPT_TOGGLE
/* Who asks for their caller has one: within another function they would name that one's. */
noinline void preempt_count_add(int val);
noinline void preempt_count_sub(int val);

void trace_preempt_on(unsigned long a0, unsigned long a1);
void trace_preempt_off(unsigned long a0, unsigned long a1);
#else
#define trace_preempt_on(a0, a1)	do { } while (0)
#define trace_preempt_off(a0, a1)	do { } while (0)
#endif

/*
 * The graph: entries and returns. The two records are what the ring buffer holds, so
 * their layout is fixed.
 */
struct ftrace_graph_ret {
	unsigned long		func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	unsigned long		retval;
#endif
	int			depth;
	unsigned int		overrun;	/* calls of the task that found no room */
	u64			calltime, rettime;	/* ns, trace_clock_local() */
} __packed;

struct ftrace_graph_ent {
	unsigned long		func;
	int			depth;
} __packed;

typedef void (*trace_func_graph_ret_t)(struct ftrace_graph_ret *trace, struct fgraph_ops *gops);
typedef int (*trace_func_graph_ent_t)(struct ftrace_graph_ent *trace, struct fgraph_ops *gops);

#ifdef CONFIG_HAVE_FUNCTION_GRAPH_FREGS
unsigned long ftrace_return_to_handler(struct ftrace_regs *fregs);
#else
unsigned long ftrace_return_to_handler(unsigned long frame_pointer);
#endif

int ftrace_graph_entry_stub(struct ftrace_graph_ent *trace, struct fgraph_ops *gops);

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

#define __notrace_funcgraph	notrace

#define FTRACE_RETFUNC_DEPTH	50	/* levels that max_graph_depth and printers reckon with */

/**
 * struct fgraph_ops - callbacks at entry and return
 * @entryfunc:	at the entry; 0 to be spared the return. Recursion is guarded and
 *		preemption off, any context
 * @retfunc:	at the return, likewise; may be NULL
 * @ops:	choose functions with ftrace_set_filter*(&gops->ops, ...)
 * @private:	the user's
 * @idx:	number of this user among those registered
 * @unseen:	at a return where @retfunc may not run, in the middle of callbacks: the user's word
 *		of the task and its data are as for @retfunc. Not guarded, so it calls nobody.
 *		May be NULL
 */
struct fgraph_ops {
	trace_func_graph_ent_t	entryfunc;
	trace_func_graph_ret_t	retfunc;
	struct ftrace_ops	ops;
	void			*private;
	int			idx;
	void			(*unseen)(struct fgraph_ops *gops);
};

/* A call that will be seen to return, as stack unwinders find it. */
struct ftrace_ret_stack {
	unsigned long		ret;		/* where it really returns to */
	unsigned long		func;
	unsigned long long	calltime;
	unsigned long		*retp;		/* where the arch found the return address */
	unsigned short		users;		/* bit of each fgraph_ops.idx to be told */
	unsigned short		data;		/* words of their data */
};

int register_ftrace_graph(struct fgraph_ops *gops);
void unregister_ftrace_graph(struct fgraph_ops *gops);

/* from inside the callbacks: room that travels from entryfunc to retfunc; a word per task */
void *fgraph_reserve_data(int idx, int size_bytes);
void *fgraph_retrieve_data(int idx, int *size_bytes);
unsigned long *fgraph_get_task_var(struct fgraph_ops *gops);

/* from entry code */
void return_to_handler(void);
int function_graph_enter(unsigned long ret, unsigned long func,
			 unsigned long frame_pointer, unsigned long *retp);
void ftrace_graph_caller(void);
int ftrace_enable_ftrace_graph_caller(void);
int ftrace_disable_ftrace_graph_caller(void);

/* for unwinders */
struct ftrace_ret_stack *ftrace_graph_get_ret_stack(struct task_struct *task, int skip);
unsigned long ftrace_graph_ret_addr(struct task_struct *task, int *idx, unsigned long ret,
				    unsigned long *retp);

/* tasks */
void ftrace_graph_init_task(struct task_struct *t);
void ftrace_graph_exit_task(struct task_struct *t);
void ftrace_graph_init_idle_task(struct task_struct *t, int cpu);

/* Something is badly wrong: hook no return any more. */
DECLARE_STATIC_KEY_FALSE(kill_ftrace_graph);
void ftrace_graph_stop(void);

static inline bool ftrace_graph_is_dead(void)
{
	return static_branch_unlikely(&kill_ftrace_graph);
}

static inline void pause_graph_tracing(void)
{
	atomic_inc(&current->tracing_graph_pause);
}

static inline void unpause_graph_tracing(void)
{
	atomic_dec(&current->tracing_graph_pause);
}

#else /* !CONFIG_FUNCTION_GRAPH_TRACER */

#define __notrace_funcgraph

#define register_ftrace_graph(ops)	({ -1; })
#define unregister_ftrace_graph(ops)	do { } while (0)

static inline void ftrace_graph_init_task(struct task_struct *t) { }
static inline void ftrace_graph_exit_task(struct task_struct *t) { }
static inline void ftrace_graph_init_idle_task(struct task_struct *t, int cpu) { }
static inline void pause_graph_tracing(void) { }
static inline void unpause_graph_tracing(void) { }

static inline unsigned long
ftrace_graph_ret_addr(struct task_struct *task, int *idx, unsigned long ret, unsigned long *retp)
{
	return ret;
}

#endif /* CONFIG_FUNCTION_GRAPH_TRACER */

#endif /* _LINUX_FTRACE_H */
