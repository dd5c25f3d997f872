/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events: what TRACE_EVENT() expands to, what the tracing core gives to
 * the expansions, and the types that a reader of the buffer works with.
 *
 * Perf's side, BPF's side and the calls that make events at run time are in
 * headers of their own, which this one includes at its end.
 *
 * 64-bit kernels only: an unsigned long holds any flags or symbol value.
 */
#ifndef _LINUX_TRACE_EVENT_H
#define _LINUX_TRACE_EVENT_H

#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/trace_seq.h>
#include <linux/tracepoint.h>

struct array_buffer;
struct bpf_prog;
struct dentry;
struct event_files;
struct event_filter;
struct eventfs_inode;
struct trace_array;
struct trace_event;
struct trace_event_call;
struct trace_event_file;
struct trace_iterator;
struct trace_subsystem_dir;
struct tracer;
union bpf_attr;

/* What a string field holds when its source was NULL. */
#define EVENT_NULL_STR		"(null)"

/* Most bytes, the final NUL included, that a __vstring() takes of a record. */
#define TRACE_EVENT_STR_MAX	512

/* Longest string that a filter compares with, enough for KSYM_SYMBOL_LEN. */
#define MAX_FILTER_STR_VAL	256U

/* ---- records ---- */

/*
 * The head of every record. @preempt_count and @flags are the two halves of a
 * trace_ctx, see tracing_gen_ctx(). User space reads this: ABI.
 */
struct trace_entry {
	unsigned short		type;
	unsigned char		flags;
	unsigned char		preempt_count;
	int			pid;
};

#define TRACE_EVENT_TYPE_MAX	\
	((1 << (BITS_PER_BYTE * sizeof_field(struct trace_entry, type))) - 1)

/*
 * The word that stands for a __data_loc or __rel_loc field: the length in bytes is the
 * upper half of it in either byte order, the offset the lower one.
 */
struct trace_dynamic_info {
#ifdef CONFIG_CPU_BIG_ENDIAN
	u16	len, offset;
#else
	u16	offset, len;
#endif
} __packed;

/* The bits of trace_entry.flags. ABI. */
enum trace_flag_type {
	TRACE_FLAG_IRQS_OFF		= BIT(0),
	TRACE_FLAG_IRQS_NOSUPPORT	= BIT(1),
	TRACE_FLAG_NEED_RESCHED		= BIT(2),
	TRACE_FLAG_HARDIRQ		= BIT(3),
	TRACE_FLAG_SOFTIRQ		= BIT(4),
	TRACE_FLAG_PREEMPT_RESCHED	= BIT(5),
	TRACE_FLAG_NMI			= BIT(6),
	TRACE_FLAG_BH_OFF		= BIT(7),
};

/*
 * A trace_ctx is the first word of a trace_entry as it lies in memory, with the bits of
 * the type clear. So the header takes one OR and two stores.
 */
#ifdef CONFIG_CPU_BIG_ENDIAN
#define TRACE_CTX_TYPE_SHIFT	16
#define TRACE_CTX_FLAGS_SHIFT	8
#define TRACE_CTX_DEPTH_SHIFT	0
#else
#define TRACE_CTX_TYPE_SHIFT	0
#define TRACE_CTX_FLAGS_SHIFT	16
#define TRACE_CTX_DEPTH_SHIFT	24
#endif

/*
 * Of the counts @pc, which flags they mean. Out of line code of an interrupt is the rare
 * case, so one test skips all of it.
 */
static __always_inline unsigned int __tracing_ctx_nesting(unsigned int pc)
{
	unsigned int softirq = pc, flags = 0;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		softirq = softirq_count();	/* counted by task there */

	if (likely(!((pc | softirq) & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_MASK))))
		return 0;

	if (pc & NMI_MASK)
		flags |= TRACE_FLAG_NMI;
	if (pc & HARDIRQ_MASK)
		flags |= TRACE_FLAG_HARDIRQ;
	if (softirq & SOFTIRQ_OFFSET)
		flags |= TRACE_FLAG_SOFTIRQ;
	if (softirq & SOFTIRQ_MASK & ~SOFTIRQ_OFFSET)
		flags |= TRACE_FLAG_BH_OFF;
	return flags;
}

/*
 * preempt_count(), and above all of its bits, something if the CPU is to be given up: the two are
 * in one word where the architecture has them so.
 */
#if defined(CONFIG_ARM64)
#define __TRACING_RESCHED	PREEMPT_NEED_RESCHED
static __always_inline unsigned long __tracing_preempt(void)
{
	return READ_ONCE(current_thread_info()->preempt_count) ^ PREEMPT_NEED_RESCHED;
}
#elif defined(CONFIG_X86)
#define __TRACING_RESCHED	PREEMPT_NEED_RESCHED
static __always_inline unsigned long __tracing_preempt(void)
{
	return (u32)raw_cpu_read_4(pcpu_hot.preempt_count) ^ PREEMPT_NEED_RESCHED;
}
#else
#define __TRACING_RESCHED	BIT(BITS_PER_LONG / 2)
static __always_inline unsigned long __tracing_preempt(void)
{
	return preempt_count() | test_preempt_need_resched() * __TRACING_RESCHED;
}
#endif

/*
 * trace_ctx of the running context of @self, with @preempt for __tracing_preempt() and @flags
 * already known. What makes a context unusual costs a test.
 */
static __always_inline unsigned int __tracing_ctx_of(struct task_struct *self,
						     unsigned long preempt, unsigned int flags)
{
	unsigned int pc = preempt, depth = pc;

	if (IS_ENABLED(CONFIG_PREEMPT_RT) || unlikely(preempt > 0xf)) {
		depth = min(pc & PREEMPT_MASK, 0xfU);
		flags |= __tracing_ctx_nesting(pc);
		if (preempt & __TRACING_RESCHED)
			flags |= TRACE_FLAG_PREEMPT_RESCHED;
	}
	if (unlikely(test_tsk_thread_flag(self, TIF_NEED_RESCHED))) {
		barrier();	/* else compilers prefer to work it out each time */
		flags |= TRACE_FLAG_NEED_RESCHED;
	}
#ifdef CONFIG_SMP
	if (unlikely(self->migration_disabled))
		depth |= min_t(unsigned int, self->migration_disabled, 0xf) << 4;
#endif
	return flags << TRACE_CTX_FLAGS_SHIFT | depth << TRACE_CTX_DEPTH_SHIFT;
}

/* The same with @pc for preempt_count() or what it was. */
static __always_inline unsigned int __tracing_ctx(unsigned int pc, unsigned int flags)
{
	return __tracing_ctx_of(current, pc | (__tracing_preempt() & __TRACING_RESCHED), flags);
}

static __always_inline unsigned int __tracing_irq_flag(unsigned long irqflags)
{
	if (!IS_ENABLED(CONFIG_TRACE_IRQFLAGS_SUPPORT))
		return TRACE_FLAG_IRQS_NOSUPPORT;
	return irqs_disabled_flags(irqflags) ? TRACE_FLAG_IRQS_OFF : 0;
}

/**
 * tracing_gen_ctx_flags - the running context, as records keep it
 * @irqflags:	what local_save_flags() gave
 *
 * Context: any.
 * Return: at TRACE_CTX_DEPTH_SHIFT four bits for the depth of preempt_disable() and four
 *	   for that of migrate_disable(), each 15 at most; at TRACE_CTX_FLAGS_SHIFT
 *	   eight bits of enum trace_flag_type.
 */
static __always_inline unsigned int tracing_gen_ctx_flags(unsigned long irqflags)
{
	return __tracing_ctx_of(current, __tracing_preempt(), __tracing_irq_flag(irqflags));
}

/* tracing_gen_ctx_flags() for the interrupt state of right now. */
static __always_inline unsigned int tracing_gen_ctx(void)
{
	unsigned long irqflags;

	local_save_flags(irqflags);
	return tracing_gen_ctx_flags(irqflags);
}

/*
 * tracing_gen_ctx() for a probe that a tracepoint called: the depth without the one
 * preempt_disable() that is the tracepoint's own.
 */
static __always_inline unsigned int tracing_gen_ctx_dec(void)
{
	unsigned long irqflags;

	local_save_flags(irqflags);
	return __tracing_ctx_of(current, __tracing_preempt() - IS_ENABLED(CONFIG_PREEMPTION),
				__tracing_irq_flag(irqflags));
}

/* For those who know the bits of the interrupt state already: TRACE_FLAG_IRQS_*. */
unsigned int tracing_gen_ctx_irq_test(unsigned int irqs_status);

/* The header of an entry of @self. */
static __always_inline void __tracing_entry_update(struct trace_entry *entry, unsigned int type,
						   unsigned int trace_ctx,
						   struct task_struct *self)
{
	int pid = self->pid;

	/* type, flags and preempt_count */
	*(u32 *)entry = trace_ctx | type << TRACE_CTX_TYPE_SHIFT;
	entry->pid = pid;
}

static __always_inline void tracing_generic_entry_update(struct trace_entry *entry,
							 unsigned short type,
							 unsigned int trace_ctx)
{
	__tracing_entry_update(entry, type, trace_ctx, current);
}

/* ---- reading: the iterator and the printers ---- */

/*
 * struct trace_iterator - a reader of an instance
 *
 * Everything up to @snapshot lives as long as the open file. The rest is about the record
 * at hand and may be cleared from @seq on, between two reads.
 */
struct trace_iterator {
	struct trace_array	*tr;
	struct tracer		*trace;
	struct array_buffer	*array_buffer;
	struct ring_buffer_iter	**buffer_iter;	/* by CPU, NULL when consuming */
	void			*private;	/* of the tracer */
	struct mutex		mutex;
	int			cpu_file;	/* or RING_BUFFER_ALL_CPUS */
	unsigned int		temp_size;
	unsigned int		fmt_size;
	atomic_t		wait_index;
	unsigned long		iter_flags;	/* enum trace_iter_flags */
	void			*temp;		/* copy of a record that a writer may overtake */
	char			*fmt;		/* format with hashed pointers replaced */
	struct trace_seq	tmp_seq;	/* texts of print helpers */
	cpumask_var_t		started;	/* CPUs whose first record was shown */
	bool			closed;		/* nobody may start to wait any more */
	bool			snapshot;

	struct trace_seq	seq;
	struct trace_entry	*ent;
	u64			ts;		/* of @ent, in units of the instance's clock */
	unsigned long		lost_events;	/* before @ent on its CPU */
	int			leftover;
	int			ent_size;
	int			cpu;
	loff_t			pos;
	long			idx;
};

enum trace_iter_flags {
	TRACE_FILE_LAT_FMT	= BIT(0),
	TRACE_FILE_ANNOTATE	= BIT(1),
	TRACE_FILE_TIME_IN_NS	= BIT(2),
};

/* What a printer says of the line that it was asked for. */
enum print_line_t {
	TRACE_TYPE_PARTIAL_LINE,	/* did not fit: again with an empty seq */
	TRACE_TYPE_HANDLED,
	TRACE_TYPE_UNHANDLED,		/* somebody else may print it */
	TRACE_TYPE_NO_CONSUME,		/* as HANDLED: a record is out when it is printed */
};

typedef enum print_line_t (*trace_print_func)(struct trace_iterator *iter, int flags,
					      struct trace_event *event);

/* One for each format that trace_options selects; NULL: the default of that format. */
struct trace_event_functions {
	trace_print_func	trace, raw, hex, binary;
};

/* A type of record and its printers. */
struct trace_event {
	struct hlist_node		node;	/* by type */
	int				type;
	struct trace_event_functions	*funcs;
};

int register_trace_event(struct trace_event *event);
int unregister_trace_event(struct trace_event *event);

/* Used by the printers that TRACE_EVENT() makes. */
int trace_raw_output_prep(struct trace_iterator *iter, struct trace_event *event);
__printf(2, 3)
enum print_line_t trace_event_printf(struct trace_iterator *iter, const char *fmt, ...);
__printf(3, 4) int trace_output_call(struct trace_iterator *iter, char *name, char *fmt, ...);
enum print_line_t trace_handle_return(struct trace_seq *s);

/*
 * Behind __print_flags() and its kin. Each appends to @p, which is the iterator's tmp_seq, and
 * returns where its text starts there.
 */
const char *trace_print_flags_seq(struct trace_seq *p, const char *delim, unsigned long flags,
				  const struct trace_print_flags *flag_array);
const char *trace_print_symbols_seq(struct trace_seq *p, unsigned long val,
				    const struct trace_print_flags *symbol_array);
const char *trace_print_bitmask_seq(struct trace_seq *p, void *bitmask_ptr,
				    unsigned int bitmask_size);
const char *trace_print_hex_seq(struct trace_seq *p, const unsigned char *buf, int len,
				bool concatenate);
const char *trace_print_array_seq(struct trace_seq *p, const void *buf, int count,
				  size_t el_size);
const char *trace_print_hex_dump_seq(struct trace_seq *p, const char *prefix_str,
				     int prefix_type, int rowsize, int groupsize,
				     const void *buf, size_t len, bool ascii);

/* ---- events ---- */

/* Requests to trace_event_class.reg. */
enum trace_reg {
	TRACE_REG_REGISTER,
	TRACE_REG_UNREGISTER,
#ifdef CONFIG_PERF_EVENTS
	TRACE_REG_PERF_REGISTER,
	TRACE_REG_PERF_UNREGISTER,
	TRACE_REG_PERF_OPEN,
	TRACE_REG_PERF_CLOSE,
	/* these two return 1 when the class did all, 0 for the usual handling */
	TRACE_REG_PERF_ADD,
	TRACE_REG_PERF_DEL,
#endif
};

/* What kind of value a filter finds in a field. */
enum {
	FILTER_OTHER,
	FILTER_STATIC_STRING,
	FILTER_DYN_STRING,
	FILTER_RDYN_STRING,
	FILTER_PTR_STRING,
	FILTER_TRACE_FN,
	FILTER_CPUMASK,
	FILTER_COMM,
	FILTER_CPU,
	FILTER_STACKTRACE,
};

/* type of an entry of trace_event_class.fields_array that is a call of define_fields() */
#define TRACE_FUNCTION_TYPE	((const char *)~0UL)

/*
 * A field as TP_STRUCT__entry() declares it; @size and @align in bytes, @len in elements. There are
 * thousands of them, and a record is smaller than a page: the compiler warns of what does not fit.
 */
struct trace_event_fields {
	const char	*type;
	union {
		int	(*define_fields)(struct trace_event_call *call);
		struct {
			const char	*name;
			const u16	size;
			const u16	len;
			const u8	align;
			const u8	filter_type;
			const u8	is_signed:1;
			u8		needs_test:1;
		};
	};
};

/* What the events of one DECLARE_EVENT_CLASS() share. */
struct trace_event_class {
	const char			*system;
	void				*probe;
#ifdef CONFIG_PERF_EVENTS
	void				*perf_probe;
#endif
	int	(*reg)(struct trace_event_call *event, enum trace_reg type, void *data);
	int	(*raw_init)(struct trace_event_call *call);
	struct list_head *(*get_fields)(struct trace_event_call *call);
	struct trace_event_fields	*fields_array;
	struct list_head		fields;
};

/*
 * CAP_ANY	 perf lets any user open it
 * NO_SET_FILTER takes no filter
 * IGNORE_ENABLE the kernel's own: no enable file, not part of "all events"
 * TRACEPOINT	 .tp is valid, otherwise .name is
 * DYNAMIC	 made at run time, .refcnt counts its users
 * KPROBE, UPROBE, EPROBE, FPROBE  what kind of dynamic event
 * CUSTOM	 a TRACE_CUSTOM_EVENT() that has not found its tracepoint yet
 * TEST_STR	 has a %s whose string may lie outside the record
 */
#define TRACE_EVENT_FL_NAMES(C)						\
	C(CAP_ANY) C(NO_SET_FILTER) C(IGNORE_ENABLE) C(TRACEPOINT)	\
	C(DYNAMIC) C(KPROBE) C(UPROBE) C(EPROBE) C(FPROBE) C(CUSTOM)	\
	C(TEST_STR)

/*
 * ENABLED	 records are wanted
 * RECORDED_CMD, RECORDED_TGID  holds a count of the comm, tgid recording
 * STACKS	 the instance wants a stack with each record
 * FILTERED	 has a filter
 * TRIGGER_COND	 has a trigger that needs the record
 * SHARED	 no file: those of several instances, struct event_files
 * PID_FILTER	 the instance has a list of pids: a record is wanted where @ignored says false
 * SOFT_DISABLED the probe is registered, yet no records are wanted
 * TRIGGER_MODE	 has triggers
 * NO_SET_FILTER takes no filter
 * SOFT_MODE	 the probe stays registered, SOFT_DISABLED switches
 * WAS_ENABLED	 was on since its module came
 * FREED	 is gone; only open files still hold it
 *
 * What probes test is in an order in which the masks below are bits in a row: on arm64 that is no
 * instruction to make them.
 */
#define EVENT_FILE_FL_NAMES(C)						\
	C(ENABLED) C(RECORDED_CMD) C(RECORDED_TGID)			\
	C(STACKS) C(FILTERED) C(TRIGGER_COND) C(SHARED)			\
	C(PID_FILTER) C(SOFT_DISABLED) C(TRIGGER_MODE)			\
	C(NO_SET_FILTER) C(SOFT_MODE) C(WAS_ENABLED) C(FREED)

#define __TRACE_EVENT_FL_BIT(name)	TRACE_EVENT_FL_##name##_BIT,
#define __TRACE_EVENT_FL_MASK(name)	TRACE_EVENT_FL_##name = 1 << TRACE_EVENT_FL_##name##_BIT,
#define __EVENT_FILE_FL_BIT(name)	EVENT_FILE_FL_##name##_BIT,
#define __EVENT_FILE_FL_MASK(name)	EVENT_FILE_FL_##name = 1 << EVENT_FILE_FL_##name##_BIT,

enum { TRACE_EVENT_FL_NAMES(__TRACE_EVENT_FL_BIT) };
enum { TRACE_EVENT_FL_NAMES(__TRACE_EVENT_FL_MASK) };
enum { EVENT_FILE_FL_NAMES(__EVENT_FILE_FL_BIT) };
enum { EVENT_FILE_FL_NAMES(__EVENT_FILE_FL_MASK) };

#undef __TRACE_EVENT_FL_BIT
#undef __TRACE_EVENT_FL_MASK
#undef __EVENT_FILE_FL_BIT
#undef __EVENT_FILE_FL_MASK

#define TRACE_EVENT_FL_UKPROBE	(TRACE_EVENT_FL_KPROBE | TRACE_EVENT_FL_UPROBE)

/* An event. What an instance adds to it is a struct trace_event_file. */
struct trace_event_call {
	struct list_head		list;	/* registry */
	struct trace_event_class	*class;
	union {
		const char		*name;
		struct tracepoint	*tp;	/* with TRACE_EVENT_FL_TRACEPOINT */
	};
	struct trace_event		event;
	char				*print_fmt;
	union {
		void			*module;
		atomic_t		refcnt;	/* with TRACE_EVENT_FL_DYNAMIC */
	};
	void				*data;	/* of the class; trace_event_reg(): of the probe */
	int				flags;	/* TRACE_EVENT_FL_* */
#ifdef CONFIG_PERF_EVENTS
	int				perf_refcount;
	struct hlist_head __percpu	*perf_events;
	struct bpf_prog_array __rcu	*prog_array;
	int	(*perf_perm)(struct trace_event_call *call, struct perf_event *event);
#endif
};

/*
 * An event in an instance. @flags comes first because the probe of the event tests it
 * before all else; it is changed with atomic bit operations under event_mutex and read without
 * a lock, so that a change reaches other CPUs a moment later. All that a record needs to know is
 * in the first line; @cpus and @type are what the instance's buffer and the call say.
 */
struct trace_event_file {
	unsigned long			flags;	/* EVENT_FILE_FL_* */
	struct rb_cpu __percpu		*cpus;
	unsigned int			type;
	bool __percpu			*ignored; /* with EVENT_FILE_FL_PID_FILTER */
	struct event_filter __rcu	*filter;
	struct trace_event_call		*event_call;
	struct trace_array		*tr;
	struct list_head		triggers;
	struct list_head		list;	/* trace_array.events */
	struct trace_subsystem_dir	*system;
	struct eventfs_inode		*ei;
	refcount_t			ref;	/* registry and open files */
	atomic_t			sm_ref;	/* users of soft mode */
	atomic_t			tm_ref;	/* users of trigger mode */
};

static inline const char *trace_event_name(struct trace_event_call *call)
{
	int kind = call->flags & (TRACE_EVENT_FL_CUSTOM | TRACE_EVENT_FL_TRACEPOINT);

	/* a custom event carries its name until it has its tracepoint */
	if (kind != TRACE_EVENT_FL_TRACEPOINT)
		return call->name;
	return call->tp ? call->tp->name : NULL;
}

static inline struct list_head *trace_get_fields(struct trace_event_call *event_call)
{
	struct trace_event_class *class = event_call->class;

	return class->get_fields ? class->get_fields(event_call) : &class->fields;
}

int trace_event_reg(struct trace_event_call *event, enum trace_reg type, void *data);
int trace_event_raw_init(struct trace_event_call *call);
int trace_define_field(struct trace_event_call *call, const char *type, const char *name,
		       int offset, int size, int is_signed, int filter_type);
int trace_add_event_call(struct trace_event_call *call);
int trace_remove_event_call(struct trace_event_call *call);
int trace_event_get_offsets(struct trace_event_call *call);

/* find and hold an event; ERR_PTR(-ENOENT, -EINVAL, -EBUSY, -ENOMEM, -EINTR). Task context. */
struct trace_event_file *trace_get_event_file(const char *instance, const char *system,
					      const char *event);
void trace_put_event_file(struct trace_event_file *file);

int ftrace_set_clr_event(struct trace_array *tr, char *buf, int set);
int trace_set_clr_event(const char *system, const char *event, int set);
int trace_array_set_clr_event(struct trace_array *tr, const char *system, const char *event,
			      bool enable);

/* ---- the write path ---- */

/* How much of a record that may not be wanted is kept on the stack. */
#define TRACE_EVENT_SCRATCH	96

/*
 * Between reserve and commit, on the stack of the probe, which touches none of it but @regs, for
 * kprobes. A record that is plainly wanted is in the ring buffer, and needs nothing but @slot.
 * Otherwise @slot.ring is NULL; what else there is, is said in kernel/trace/events/slot.h.
 */
struct trace_event_buffer {
	struct event_filter		*filter;
	struct ring_buffer_slot		slot;
	struct trace_event_file		*trace_file;
	unsigned long			len;
	struct event_files		*shared;
	void				*entry;
	struct rb_ring			*ring;
	struct pt_regs			*regs;
	unsigned int			trace_ctx;
	u64				scratch[TRACE_EVENT_SCRATCH / sizeof(u64)];
};

/*
 * Take @len bytes for a record of @trace_file's event and fill its struct trace_entry. NULL:
 * not recorded (buffer off or full); then there is nothing to commit.
 * Otherwise the caller fills the record in and calls trace_event_buffer_commit(), without
 * sleeping or leaving the CPU in between. Any context; preemption is off.
 */
void *trace_event_buffer_reserve(struct trace_event_buffer *fbuffer,
				 struct trace_event_file *trace_file, unsigned long len);
/* trace_trigger_soft_disabled(), which returns NULL, and trace_event_buffer_reserve() in one. */
void *trace_event_buffer_begin(struct trace_event_file *trace_file,
			       struct trace_event_buffer *fbuffer, unsigned long len);
void trace_event_buffer_commit(struct trace_event_buffer *fbuffer);

struct ring_buffer_event *
trace_event_buffer_lock_reserve(struct trace_buffer **current_buffer,
				struct trace_event_file *trace_file, int type,
				unsigned long len, unsigned int trace_ctx);

/* The flags that take a probe off the straight path before it has a record. */
#define EVENT_FILE_FL_DETOUR	\
	(EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_TRIGGER_MODE | EVENT_FILE_FL_PID_FILTER | \
	 EVENT_FILE_FL_SHARED)

/*
 * The detour: run the triggers that need no record, say whether the record is not wanted. With
 * EVENT_FILE_FL_TRIGGER_COND the record is needed in any case and all is left to
 * trace_event_buffer_commit(): false. So it is with EVENT_FILE_FL_SHARED if any file may want it.
 */
bool __trace_trigger_soft_disabled(struct trace_event_file *file);
bool trace_event_ignore_this_pid(struct trace_event_file *trace_file);

/**
 * trace_trigger_soft_disabled - first thing a probe asks
 * @file:	event and instance that the probe records for
 *
 * Context: any, preemption off.
 * Return: true when the probe has nothing to record.
 */
static __always_inline bool trace_trigger_soft_disabled(struct trace_event_file *file)
{
	unsigned long detour = READ_ONCE(file->flags) & EVENT_FILE_FL_DETOUR;

	if (likely(!detour))
		return false;
	if (detour == EVENT_FILE_FL_PID_FILTER)
		return raw_cpu_read(*file->ignored);
	return __trace_trigger_soft_disabled(file);
}

/* What triggers that saw a record still want to do once it is committed. */
enum event_trigger_type {
	ETT_NONE,
	ETT_TRACE_ONOFF		= BIT(0),
	ETT_SNAPSHOT		= BIT(1),
	ETT_STACKTRACE		= BIT(2),
	ETT_EVENT_ENABLE	= BIT(3),
	ETT_EVENT_HIST		= BIT(4),
	ETT_HIST_ENABLE		= BIT(5),
	ETT_EVENT_EPROBE	= BIT(6),
};

enum event_trigger_type
event_triggers_call(struct trace_event_file *file, struct trace_buffer *buffer, void *rec,
		    struct ring_buffer_event *event);
void event_triggers_post_call(struct trace_event_file *file, enum event_trigger_type tt);
int filter_match_preds(struct event_filter *filter, void *rec);

/* Which pid had which comm and tgid. */
#define TRACE_RECORD_CMDLINE	BIT(0)
#define TRACE_RECORD_TGID	BIT(1)

void tracing_record_taskinfo(struct task_struct *task, int flags);
void tracing_record_cmdline(struct task_struct *task);
void tracing_record_tgid(struct task_struct *task);

/* ---- helpers of the macros ---- */

/* Bytes of a __vstring(). GCC inlines no function that has a va_list of its own. */
int __trace_event_vstr_len(const char *fmt, va_list *va);

#define __TRACE_EVENT_FLAGS(name, value)				\
static int __init trace_init_flags_##name(void)				\
{									\
	event_##name.flags |= (value);					\
	return 0;							\
}									\
early_initcall(trace_init_flags_##name);

#define __TRACE_EVENT_PERF_PERM(name, expr...)				\
static int perf_perm_##name(struct trace_event_call *tp_event,		\
			    struct perf_event *p_event)			\
{									\
	return ({ expr; });						\
}									\
static int __init trace_init_perf_perm_##name(void)			\
{									\
	event_##name.perf_perm = perf_perm_##name;			\
	return 0;							\
}									\
early_initcall(trace_init_perf_perm_##name);

/*
 * trace_printk() with the address @ip. A constant format goes into the section that printk_formats
 * shows and its address into the record. The condition is repeated within the
 * initializer since GCC insists on a constant there even in the branch that is not taken.
 */
#define event_trace_printk(ip, fmt, args...)				\
do {									\
	__trace_printk_check_format(fmt, ##args);			\
	tracing_record_cmdline(current);				\
	if (!__builtin_constant_p(fmt)) {				\
		__trace_printk(ip, fmt, ##args);			\
	} else {							\
		static const char *trace_printk_fmt			\
			__section("__trace_printk_fmt") =		\
			__builtin_constant_p(fmt) ? (fmt) : NULL;	\
									\
		__trace_bprintk(ip, trace_printk_fmt, ##args);		\
	}								\
} while (0)

#ifdef CONFIG_HIST_TRIGGERS
extern wait_queue_head_t hist_poll_wq;
extern struct irq_work hist_poll_work;

#define hist_poll_wait(file, wait)	poll_wait(file, &hist_poll_wq, wait)
#endif

static inline void hist_poll_wakeup(void)
{
#ifdef CONFIG_HIST_TRIGGERS
	if (wq_has_sleeper(&hist_poll_wq))
		irq_work_queue(&hist_poll_work);
#endif
}

#include <linux/trace_events_dynevent.h>
#include <linux/trace_events_bpf.h>
#include <linux/trace_events_perf.h>

#endif /* _LINUX_TRACE_EVENT_H */

/*
 * Outside of the guard, because <trace/define_custom_trace.h> takes the definitions away at
 * its end, and a file may include the headers of several sets of custom events.
 */
#ifndef TRACE_CUSTOM_EVENT
#define TRACE_CUSTOM_EVENT(name, proto, args, tstruct, assign, print)
#define DECLARE_CUSTOM_EVENT_CLASS(name, proto, args, tstruct, assign, print)
#define DEFINE_CUSTOM_EVENT(template, name, proto, args)
#endif
