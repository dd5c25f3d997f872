/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing instances for the rest of the kernel: get one by name, write text
 * into it, give it back; and exports, which see a copy of what is recorded.
 */
#ifndef _LINUX_TRACE_H
#define _LINUX_TRACE_H

#include <linux/bits.h>
#include <linux/compiler_attributes.h>
#include <linux/errno.h>
#include <linux/types.h>

#define TRACE_EXPORT_FUNCTION	BIT(0)	/* calls, of function and latency tracers */
#define TRACE_EXPORT_EVENT	BIT(1)	/* trace events */
#define TRACE_EXPORT_MARKER	BIT(2)	/* trace_marker, which is user space's */

/**
 * struct trace_export - a second destination for what is recorded, in any instance
 * @next:  list of exports, private
 * @write: gets each entry, with its header, before it is committed. Any
 *	   context, with preemption off; it must not sleep and what it calls must not trace
 * @flags: which entries, TRACE_EXPORT_*
 */
struct trace_export {
	struct trace_export __rcu	*next;
	void (*write)(struct trace_export *export, const void *entry, unsigned int size);
	int flags;
};

struct trace_array;

#ifdef CONFIG_TRACING

/* task context */
int register_ftrace_export(struct trace_export *export);
int unregister_ftrace_export(struct trace_export *export);

/*
 * Instances. trace_array_get_by_name() returns the instance, made if there is
 * none, with a reference that trace_array_put() gives back;
 * trace_array_destroy() wants to be the last user. May sleep.
 */
struct trace_array *trace_array_get_by_name(const char *name, const char *systems);
void trace_array_put(struct trace_array *tr);
int trace_array_destroy(struct trace_array *tr);

/*
 * Text into an instance, from any context. trace_array_printk() needs
 * buffers, which trace_array_init_printk() allocates (task context, may
 * sleep); it leaves the top instance to trace_printk().
 */
void trace_printk_init_buffers(void);
int trace_array_init_printk(struct trace_array *tr);
__printf(3, 4)
int trace_array_printk(struct trace_array *tr, unsigned long ip, const char *fmt, ...);
int __trace_array_puts(struct trace_array *tr, unsigned long ip, const char *str, int size);

/* -1 for no string at all, else what was written of it */
#define trace_array_puts(tr, str)						\
({										\
	const char *__tap_str = (str);						\
										\
	__tap_str ? __trace_array_puts((tr), _THIS_IP_, __tap_str,		\
				       strlen(__tap_str)) : -1;			\
})

/* how an architecture tells the osnoise tracer of its interrupts */
int osnoise_arch_register(void);
void osnoise_arch_unregister(void);
void osnoise_trace_irq_entry(int id);
void osnoise_trace_irq_exit(int id, const char *desc);

#else /* !CONFIG_TRACING: nothing can be registered, and nothing is lost by that */

static inline int register_ftrace_export(struct trace_export *export) { return -EINVAL; }
static inline int unregister_ftrace_export(struct trace_export *export) { return 0; }

static inline struct trace_array *trace_array_get_by_name(const char *name, const char *systems)
{
	return NULL;
}

static inline void trace_array_put(struct trace_array *tr) { }
static inline int trace_array_destroy(struct trace_array *tr) { return 0; }
static inline void trace_printk_init_buffers(void) { }
static inline int trace_array_init_printk(struct trace_array *tr) { return -EINVAL; }

static inline __printf(3, 4)
int trace_array_printk(struct trace_array *tr, unsigned long ip, const char *fmt, ...)
{
	return 0;
}

#endif /* CONFIG_TRACING */

#endif /* _LINUX_TRACE_H */
