/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints: places in the kernel that probes hook on at run time. A place costs a
 * no-op while it has none. See Documentation/trace/tracepoints.rst, and
 * <trace/define_trace.h> for how TRACE_EVENT() adds a record to one.
 */
#ifndef _LINUX_TRACEPOINT_H
#define _LINUX_TRACEPOINT_H

#include <linux/build_bug.h>
#include <linux/context_tracking_irq.h>
#include <linux/errno.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/srcu.h>
#include <linux/static_call.h>
#include <linux/tracepoint-defs.h>
#include <linux/types.h>

struct module;
struct notifier_block;

/* An enum or a sizeof() in a print format, whose value user space cannot know. */
struct trace_eval_map {
	const char	*system;
	const char	*eval_string;
	unsigned long	eval_value;
};

#define TRACEPOINT_DEFAULT_PRIO	10

/*
 * Probes come and go in task context, may sleep, not from within a regfunc. Higher @prio runs
 * earlier; equal ones run in the order they came.
 *
 * Return: 0; -EEXIST for a pair of @probe and @data that is there already, with a warning
 * unless the name says may_exist; -ENOENT for one that is not; -EINVAL, -ENOMEM; what regfunc said.
 */
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data);
int tracepoint_probe_register_prio(struct tracepoint *tp, void *probe, void *data, int prio);
int tracepoint_probe_register_prio_may_exist(struct tracepoint *tp, void *probe, void *data,
					     int prio);
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data);
/* Exchanges the data of a probe that is there: it runs with the one or the other, and once. */
int tracepoint_probe_set_data(struct tracepoint *tp, void *probe, void *data, void *new_data);

static inline int tracepoint_probe_register_may_exist(struct tracepoint *tp, void *probe,
						      void *data)
{
	return tracepoint_probe_register_prio_may_exist(tp, probe, data, TRACEPOINT_DEFAULT_PRIO);
}

void for_each_kernel_tracepoint(void (*fct)(struct tracepoint *tp, void *priv), void *priv);

#ifdef CONFIG_MODULES

/* What a notifier gets with MODULE_STATE_COMING and _GOING. */
struct tp_module {
	struct list_head	list;
	struct module		*mod;
};

bool trace_module_has_bad_taint(struct module *mod);
int register_tracepoint_module_notifier(struct notifier_block *nb);
int unregister_tracepoint_module_notifier(struct notifier_block *nb);
void for_each_module_tracepoint(void (*fct)(struct tracepoint *tp, struct module *mod, void *priv),
				void *priv);
void for_each_tracepoint_in_module(struct module *mod,
				   void (*fct)(struct tracepoint *tp, struct module *mod,
					       void *priv),
				   void *priv);

#else /* !CONFIG_MODULES: none comes, none has a tracepoint */

static inline bool trace_module_has_bad_taint(struct module *mod) { return false; }
static inline int register_tracepoint_module_notifier(struct notifier_block *nb) { return 0; }
static inline int unregister_tracepoint_module_notifier(struct notifier_block *nb) { return 0; }
static inline void for_each_module_tracepoint(void (*fct)(struct tracepoint *tp,
							  struct module *mod, void *priv),
					      void *priv) { }
static inline void for_each_tracepoint_in_module(struct module *mod,
						 void (*fct)(struct tracepoint *tp,
							     struct module *mod, void *priv),
						 void *priv) { }

#endif /* CONFIG_MODULES */

extern struct srcu_struct tracepoint_srcu;

/* Wait until no CPU runs a probe that was unregistered before. Modules call it before they go. */
static inline void tracepoint_synchronize_unregister(void)
{
#ifdef CONFIG_TRACEPOINTS
	synchronize_rcu();
	synchronize_srcu(&tracepoint_srcu);
#endif
}

/*
 * Nothing is traced on a CPU that is not online: RCU does not watch there, however early or late
 * it is. Such a CPU runs only while one comes or goes, so only then it is worth asking.
 */
#ifdef CONFIG_SMP
extern unsigned int tracepoint_cpus_moving;
bool tracepoint_cpu_online(void);

static __always_inline bool tracepoint_cpu_watched(void)
{
	return likely(!READ_ONCE(tracepoint_cpus_moving)) || tracepoint_cpu_online();
}
#else
static __always_inline bool tracepoint_cpu_watched(void) { return true; }
#endif

#ifdef CONFIG_HAVE_SYSCALL_TRACEPOINTS
/* regfunc and unregfunc of sys_enter and sys_exit: every task takes the slow path of a syscall */
int syscall_regfunc(void);
void syscall_unregfunc(void);
#endif

#ifndef PARAMS
#define PARAMS(args...)	args
#endif

/* Real ones in the stages of <trace/trace_events.h>. */
#define TRACE_DEFINE_ENUM(x)
#define TRACE_DEFINE_SIZEOF(x)

/* Section __tracepoints_ptrs: all tracepoints, however the linker pads the structs. */
#ifdef CONFIG_HAVE_ARCH_PREL32_RELOCATIONS
#define __TRACEPOINT_ENTRY(name)				\
	asm(".pushsection \"__tracepoints_ptrs\", \"a\"\n"	\
	    ".balign 4\n"					\
	    ".long __tracepoint_" #name " - .\n"		\
	    ".popsection\n")
#else
#define __TRACEPOINT_ENTRY(name)				\
	static tracepoint_ptr_t __tracepoint_ptr_##name		\
	__used __section("__tracepoints_ptrs") = &__tracepoint_##name
#endif

static inline struct tracepoint *tracepoint_ptr_deref(tracepoint_ptr_t *p)
{
#ifdef CONFIG_HAVE_ARCH_PREL32_RELOCATIONS
	return offset_to_ptr(p);
#else
	return *p;
#endif
}

/*
 * Around the probes of trace_NAME_rcuidle(), for places where RCU may not watch: srcu
 * keeps the array of probes, and RCU is made to watch for what the probes do. Where entry
 * and idle code is free of instrumentation no such place is left, elsewhere srcu is not
 * for NMIs.
 */
static __always_inline bool tracepoint_rcuidle_refused(void)
{
	return WARN_ONCE(IS_ENABLED(CONFIG_ARCH_WANTS_NO_INSTR) || in_nmi(),
			 "Bad RCU usage for tracepoint");
}

static __always_inline int tracepoint_rcuidle_enter(void)
{
	int idx = srcu_read_lock_notrace(&tracepoint_srcu);

	ct_irq_enter_irqson();
	return idx;
}

static __always_inline void tracepoint_rcuidle_exit(int idx)
{
	ct_irq_exit_irqson();
	srcu_read_unlock_notrace(&tracepoint_srcu, idx);
}

#ifdef CONFIG_TRACING
#define __tracepoint_string	__used __section("__tracepoint_str")
#define __tracepoint_string_of(str)					\
({									\
	static const char *__tp_string __tracepoint_string = str;	\
									\
	__tp_string;							\
})
#else
#define __tracepoint_string
#define __tracepoint_string_of(str)	str
#endif

/**
 * tracepoint_string - a constant string that records hold the address of
 * @str: the string; it must stay as long as the module that it is in
 *
 * Cheaper than a copy in every record. The file printk_formats tells user space what lies at the
 * address. A string that exists already is marked by __tracepoint_string instead:
 *
 *	static const char *name __tracepoint_string = "...";
 */
#define tracepoint_string(str)	__tracepoint_string_of(str)

#endif /* _LINUX_TRACEPOINT_H */

/*
 * From here on outside of the guard: <trace/define_trace.h> redefines these and takes them
 * away at its end. A file that includes another trace header after it gets them back here.
 */
#ifndef DECLARE_TRACE

#define TP_PROTO(args...)	args
#define TP_ARGS(args...)	args
#define TP_CONDITION(args...)	args

/* A subsystem that can be built without its tracepoints defines NOTRACE for that. */
#if defined(CONFIG_TRACEPOINTS) && !defined(NOTRACE)
#define TRACEPOINTS_ENABLED
#endif

/* What callers and modules may use of a tracepoint. */
#ifdef TRACEPOINTS_ENABLED

/*
 * Run the probes; preemption is off. With static calls the one probe is called directly, or the
 * iterator, and kernel/tracepoint.c sees to it that data and function fit each other. Without
 * them both come out of the same array, where several probes have the iterator in front of them,
 * which gets the others as its data.
 */
#ifdef TRACEPOINT_HAS_NOBODY
#define __TRACE_SOMEBODY(probes)	((void)(probes), true)
#else
#define __TRACE_SOMEBODY(probes)	likely(probes)
#endif

#ifdef CONFIG_HAVE_STATIC_CALL
#define __DECLARE_TRACE_CALL(name)					\
DECLARE_STATIC_CALL(tp_func_##name, __traceiter_##name);
#define __DEFINE_TRACE_CALL(name)					\
DEFINE_STATIC_CALL(tp_func_##name, __traceiter_##name);
#define __TRACE_CALL_KEY(name)						\
	.static_call_key	= &STATIC_CALL_KEY(tp_func_##name),	\
	.static_call_tramp	= STATIC_CALL_TRAMP_ADDR(tp_func_##name),
#define __EXPORT_TRACE_CALL	EXPORT_STATIC_CALL
#define __EXPORT_TRACE_CALL_GPL	EXPORT_STATIC_CALL_GPL

/* What the caller saw may have had one probe only, or go. */
#define __TRACE_ALL_PROBES(name, data)	rcu_dereference_raw(__tracepoint_##name.funcs)

#define __TRACE_RUN_PROBES(name, args)					\
do {									\
	struct tracepoint_func *__probes =				\
		rcu_dereference_raw(__tracepoint_##name.funcs);		\
									\
	if (__probes)							\
		static_call(tp_func_##name)(READ_ONCE(__probes->data), args); \
} while (0)
#else
#define __DECLARE_TRACE_CALL(name)
#define __DEFINE_TRACE_CALL(name)
#define __TRACE_CALL_KEY(name)
#define __EXPORT_TRACE_CALL(call)
#define __EXPORT_TRACE_CALL_GPL(call)

#define __TRACE_ALL_PROBES(name, data)	(data)

#define __TRACE_RUN_PROBES(name, args)					\
do {									\
	struct tracepoint_func *__probes =				\
		rcu_dereference_raw(__tracepoint_##name.funcs);		\
	typeof(&__probestub_##name) __probe;				\
									\
	if (!__TRACE_SOMEBODY(__probes))				\
		break;							\
	__probe = READ_ONCE(__probes->func);				\
	__probe(READ_ONCE(__probes->data), args);			\
} while (0)
#endif

#define __TRACE_PROBES(name, args)					\
do {									\
	preempt_disable_notrace();					\
	__TRACE_RUN_PROBES(name, PARAMS(args));				\
	__trace_preempt_enable();					\
} while (0)

/*
 * arm64 asks before it writes the count back whether that was the last, and then once more for
 * what came in between. There are thousands of places, and the second question includes the first.
 */
#if defined(CONFIG_ARM64) && defined(CONFIG_PREEMPTION)
#define __trace_preempt_enable()					\
do {									\
	barrier();							\
	__preempt_count_sub(1);						\
	if (unlikely(should_resched(0)))				\
		__preempt_schedule_notrace();				\
} while (0)
#else
#define __trace_preempt_enable()	preempt_enable_notrace()
#endif

#ifdef MODULE
#define __DECLARE_TRACE_RCUIDLE(name, proto, args, cond)
#else
#define __DECLARE_TRACE_RCUIDLE(name, proto, args, cond)		\
static inline void trace_##name##_rcuidle(proto)			\
{									\
	int __idx;							\
									\
	if (!static_key_false(&__tracepoint_##name.key) || !(cond) ||	\
	    tracepoint_rcuidle_refused())				\
		return;							\
	preempt_disable_notrace();					\
	__idx = tracepoint_rcuidle_enter();				\
	__TRACE_RUN_PROBES(name, PARAMS(args));				\
	tracepoint_rcuidle_exit(__idx);					\
	preempt_enable_notrace();					\
}
#endif

/*
 * lockdep kernels look at RCU even while the tracepoint is off, so that a place where RCU does
 * not watch is found without switching everything on.
 */
#define __DECLARE_TRACE(name, proto, args, cond, data_proto)		\
extern struct tracepoint __tracepoint_##name;				\
void __traceiter_##name(data_proto);					\
void __probestub_##name(data_proto);					\
__DECLARE_TRACE_CALL(name)						\
static inline bool trace_##name##_enabled(void)				\
{									\
	return static_key_false(&__tracepoint_##name.key);		\
}									\
static inline void trace_##name(proto)					\
{									\
	if (static_key_false(&__tracepoint_##name.key)) {		\
		if (!(cond))						\
			return;						\
		__TRACE_PROBES(name, PARAMS(args));			\
	}								\
	if (IS_ENABLED(CONFIG_LOCKDEP) && (cond))			\
		WARN_ONCE(!rcu_is_watching(),				\
			  "RCU not watching for tracepoint");		\
}									\
__DECLARE_TRACE_RCUIDLE(name, PARAMS(proto), PARAMS(args), PARAMS(cond)) \
static inline int register_trace_prio_##name(void (*probe)(data_proto),	\
					     void *data, int prio)	\
{									\
	return tracepoint_probe_register_prio(&__tracepoint_##name,	\
					      (void *)probe, data, prio); \
}									\
static inline int register_trace_##name(void (*probe)(data_proto), void *data) \
{									\
	return tracepoint_probe_register(&__tracepoint_##name,		\
					 (void *)probe, data);		\
}									\
static inline int unregister_trace_##name(void (*probe)(data_proto), void *data) \
{									\
	return tracepoint_probe_unregister(&__tracepoint_##name,	\
					   (void *)probe, data);	\
}									\
static inline void check_trace_callback_type_##name(void (*cb)(data_proto)) { }

/* The tracepoint itself, in one .c file. */
#define DEFINE_TRACE_FN(_name, _reg, _unreg, proto, args)		\
static const char __tpstrtab_##_name[]					\
	__section("__tracepoints_strings") = #_name;			\
__DECLARE_TRACE_CALL(_name)						\
void __traceiter_##_name(void *__data, proto);				\
void __probestub_##_name(void *__data, proto);				\
struct tracepoint __tracepoint_##_name					\
	__used __section("__tracepoints") = {				\
	.funcs			= RCU_INITIALIZER(TRACEPOINT_NOBODY),	\
	.name			= __tpstrtab_##_name,			\
	.key			= STATIC_KEY_INIT_FALSE,		\
	__TRACE_CALL_KEY(_name)						\
	.iterator		= __traceiter_##_name,			\
	.probestub		= __probestub_##_name,			\
	.regfunc		= _reg,					\
	.unregfunc		= _unreg,				\
};									\
__TRACEPOINT_ENTRY(_name);						\
void __probestub_##_name(void *__data, proto) { }			\
/* the one is called in place of the other, where CFI looks at its type */	\
static_assert(__same_type(__traceiter_##_name, __probestub_##_name));	\
void __traceiter_##_name(void *__data, proto)				\
{									\
	struct tracepoint_func *__p = __TRACE_ALL_PROBES(_name, __data);	\
	typeof(&__probestub_##_name) __probe;				\
									\
	if (!__TRACE_SOMEBODY(__p))					\
		return;							\
	__probe = READ_ONCE(__p->func);					\
	do {								\
		__probe(READ_ONCE(__p->data), args);			\
		__probe = READ_ONCE((++__p)->func);			\
	} while (__probe);						\
}									\
__DEFINE_TRACE_CALL(_name)

#define DEFINE_TRACE(name, proto, args)					\
	DEFINE_TRACE_FN(name, NULL, NULL, PARAMS(proto), PARAMS(args));

#define EXPORT_TRACEPOINT_SYMBOL(name)					\
	__EXPORT_TRACE_CALL(tp_func_##name);				\
	EXPORT_SYMBOL(__tracepoint_##name);				\
	EXPORT_SYMBOL(__traceiter_##name)
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)				\
	__EXPORT_TRACE_CALL_GPL(tp_func_##name);			\
	EXPORT_SYMBOL_GPL(__tracepoint_##name);				\
	EXPORT_SYMBOL_GPL(__traceiter_##name)

#else /* !TRACEPOINTS_ENABLED */

#define __DECLARE_TRACE(name, proto, args, cond, data_proto)		\
static inline bool trace_##name##_enabled(void) { return false; }	\
static inline void trace_##name(proto) { }				\
static inline void trace_##name##_rcuidle(proto) { }			\
static inline int register_trace_##name(void (*probe)(data_proto), void *data) \
{ return -ENOSYS; }							\
static inline int unregister_trace_##name(void (*probe)(data_proto), void *data) \
{ return -ENOSYS; }							\
static inline void check_trace_callback_type_##name(void (*cb)(data_proto)) { }

#define DEFINE_TRACE(name, proto, args)
#define DEFINE_TRACE_FN(name, reg, unreg, proto, args)
#define EXPORT_TRACEPOINT_SYMBOL(name)
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)

#endif /* TRACEPOINTS_ENABLED */

#define DECLARE_TRACE_CONDITION(name, proto, args, cond)		\
	__DECLARE_TRACE(name, PARAMS(proto), PARAMS(args),		\
			tracepoint_cpu_watched() && (PARAMS(cond)),	\
			PARAMS(void *__data, proto))

#define DECLARE_TRACE(name, proto, args)				\
	__DECLARE_TRACE(name, PARAMS(proto), PARAMS(args),		\
			tracepoint_cpu_watched(),			\
			PARAMS(void *__data, proto))

#endif /* DECLARE_TRACE */

/*
 * TRACE_EVENT() is a tracepoint and a record. Anywhere but in the one file that defines
 * CREATE_TRACE_POINTS only the tracepoint is declared:
 *
 *	TRACE_EVENT(gate_open,			// trace_gate_open(), events/<system>/gate_open
 *		TP_PROTO(struct gate *gate, int key),	// of trace_gate_open()
 *		TP_ARGS(gate, key),		// the names in it
 *		TP_STRUCT__entry(		// the record, no separators between the fields
 *			__field(int, key)
 *			__string(name, gate->name)
 *		),
 *		TP_fast_assign(			// code that fills __entry; runs for each event
 *			__entry->key = key;
 *			__assign_str(name);
 *		),
 *		TP_printk("%s key=%d", __get_str(name), __entry->key)	// runs when it is read
 *	);
 *
 * DECLARE_EVENT_CLASS() is the record alone, and each DEFINE_EVENT() a tracepoint that uses
 * it, which saves the code of all but one. _FN adds functions that are called before the first
 * probe comes and after the last one went, _CONDITION a condition on the arguments, _PRINT
 * another text.
 */
#ifndef TRACE_EVENT

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)

#define DEFINE_EVENT(template, name, proto, args)			\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)		\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)	\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)	\
	DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))

#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg) \
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print) \
	DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, \
			    reg, unreg)					\
	DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))

#define TRACE_EVENT_FLAGS(event, flag)
#define TRACE_EVENT_PERF_PERM(event, expr...)

/* A configuration that has the calls of an event, but not the event. */
#define DECLARE_EVENT_NOP(name, proto, args)				\
static inline void trace_##name(proto) { }				\
static inline bool trace_##name##_enabled(void) { return false; }

#define DECLARE_EVENT_CLASS_NOP(name, proto, args, tstruct, assign, print)
#define DEFINE_EVENT_NOP(template, name, proto, args)			\
	DECLARE_EVENT_NOP(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print)	\
	DECLARE_EVENT_NOP(name, PARAMS(proto), PARAMS(args))

#endif /* TRACE_EVENT */
