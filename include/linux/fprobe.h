/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fprobes: callbacks at the entry and at the return of functions, see
 * Documentation/trace/fprobe.rst.
 */
#ifndef _LINUX_FPROBE_H
#define _LINUX_FPROBE_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/types.h>

struct fprobe;
struct fprobe_state;
struct pt_regs;

/*
 * @entry_ip is the function's call site, see ftrace_location(), @ret_ip where it returns to.
 * @regs hold at the entry at least the arguments, stack and frame pointer; at the return what the
 * function returns, stack and frame pointer, and @ret_ip as the instruction pointer. What is not
 * known is 0. @entry_data is NULL without entry_data_size and an exit handler.
 *
 * Any context; preemption is off, and the handlers are guarded against recursion. Not 0 from the
 * entry handler: the exit handler is not called for this call.
 */
typedef int (*fprobe_entry_cb)(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct pt_regs *regs, void *entry_data);
typedef void (*fprobe_exit_cb)(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct pt_regs *regs, void *entry_data);

/**
 * struct fprobe - callbacks at the entry and at the return of functions
 * @nmissed:	calls of which no handler was told, or the exit handler was not: they came from
 *		within a handler, the task's shadow stack was full, or @nr_maxactive were open
 * @flags:	FPROBE_FL_*
 * @entry_data_size: bytes that the entry handler leaves to the exit handler, at most 1,024
 * @nr_maxactive: how many calls are followed to their return at a time; 0 for all, which
 *		costs no memory
 * @entry_handler: at the entry, or NULL
 * @exit_handler: at the return, or NULL
 * @state:	while it is registered, of kernel/trace/function/fprobe/
 *
 * Zero it, set what is wanted, and register it.
 */
struct fprobe {
	unsigned long		nmissed;
	unsigned int		flags;
	size_t			entry_data_size;
	int			nr_maxactive;
	fprobe_entry_cb		entry_handler;
	fprobe_exit_cb		exit_handler;
	struct fprobe_state	*state;
};

/* The handlers are not called; enable_fprobe() and disable_fprobe(). */
#define FPROBE_FL_DISABLED	1
/* The handlers are kprobes' too, and rely on not being called while one of those runs. */
#define FPROBE_FL_KPROBE_SHARED	2

static inline bool fprobe_disabled(struct fprobe *fp)
{
	return fp && (READ_ONCE(fp->flags) & FPROBE_FL_DISABLED);
}

static inline bool fprobe_shared_with_kprobes(struct fprobe *fp)
{
	return fp && (READ_ONCE(fp->flags) & FPROBE_FL_KPROBE_SHARED);
}

#ifdef CONFIG_FPROBE
int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter);
int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int num);
int register_fprobe_syms(struct fprobe *fp, const char **syms, int num);
int unregister_fprobe(struct fprobe *fp);
bool fprobe_is_registered(struct fprobe *fp);
#else
static inline int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter)
{
	return -EOPNOTSUPP;
}

static inline int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int num)
{
	return -EOPNOTSUPP;
}

static inline int register_fprobe_syms(struct fprobe *fp, const char **syms, int num)
{
	return -EOPNOTSUPP;
}

static inline int unregister_fprobe(struct fprobe *fp)
{
	return -EOPNOTSUPP;
}

static inline bool fprobe_is_registered(struct fprobe *fp)
{
	return false;
}
#endif

/* The call sites stay as they are. A call that is open returns without the exit handler. */
static inline void disable_fprobe(struct fprobe *fp)
{
	if (fp)
		WRITE_ONCE(fp->flags, fp->flags | FPROBE_FL_DISABLED);
}

static inline void enable_fprobe(struct fprobe *fp)
{
	if (fp)
		WRITE_ONCE(fp->flags, fp->flags & ~FPROBE_FL_DISABLED);
}

#endif /* _LINUX_FPROBE_H */
