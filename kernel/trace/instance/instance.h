/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instances: a buffer with its own size, clock, options, events and files.
 *
 * The top instance is tracefs itself; every directory below instances/ is
 * another one. This room creates, finds, references and destroys them and
 * owns the files that set an instance up. What the rooms above (output,
 * events, tracers) add to an instance they declare in a struct
 * instance_feature; this room never includes a header of theirs.
 *
 * Locks, outer first:
 *   event_mutex        the registry of events and every instance's event files
 *   trace_types_lock   the lists of instances and tracers, reference counts,
 *                      options, buffer sizes, current tracer
 *
 * Who reads what was recorded takes neither, see output/iterator.c.
 */
#ifndef _KERNEL_TRACE_INSTANCE_H
#define _KERNEL_TRACE_INSTANCE_H

#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/ring_buffer.h>
#include <linux/trace.h>

#include "../rooms.h"
#include "flags.h"

struct dentry;
struct poll_table_struct;
struct trace_array;
struct tracer;

/**
 * struct trace_array_cpu - what an instance keeps for each CPU
 * @disabled:	   tracers' own recursion and stop count; writers of events
 *		   do not look at it
 * @ignore_pid:    the task running here is filtered out by set_event_pid or
 *		   set_event_notrace_pid; written at a context switch (tasks/switch.c), around a
 *		   wakeup and when lists change (events/set_event_pid.c), read on this CPU
 * @wakes_followed: but it wakes somebody who is not, and @ignore_pid is off for that
 */
struct trace_array_cpu {
	atomic_t		disabled;
	bool			ignore_pid;
	bool			wakes_followed;
};

/**
 * struct array_buffer - an instance's ring buffer and what goes with it
 * @buffer:	the ring buffer
 * @data:	per CPU part, see struct trace_array_cpu
 * @tr:		owner
 * @time_start:	older entries are not shown by the latency tracers; ns of the
 *		instance's clock
 * @cpu:	CPU that a latency tracer recorded its maximum on
 */
struct array_buffer {
	struct trace_buffer		*buffer;
	struct trace_array_cpu __percpu	*data;
	struct trace_array		*tr;
	u64				time_start;
	int				cpu;
};

/**
 * struct trace_worst - what a latency tracer knows of the case that the spare has
 * @latency:	ns
 * @from:	where it began, or 0
 * @to:		where it ended
 * @pid:	of the task that it is about, as what follows
 * @comm:	its name
 * @uid:	its user
 * @nice:	its priorities
 * @policy:	its class
 * @rt_prio:	its priority as a real-time task
 */
struct trace_worst {
	u64		latency;
	unsigned long	from;
	unsigned long	to;
	pid_t		pid;
	char		comm[TASK_COMM_LEN];
	kuid_t		uid;
	int		nice;
	unsigned int	policy;
	unsigned int	rt_prio;
};

struct trace_max_latency;

#define TRACE_ARRAY_FL_GLOBAL	BIT(0)

/*
 * An instance. What rooms above keep of it is behind a pointer of theirs.
 */
struct trace_array {
	/* read by every write to the buffer, kept together */
	struct array_buffer	array_buffer;
	unsigned long		trace_flags;	/* TRACE_ITER_*, options.c */
	unsigned int		flags;		/* TRACE_ARRAY_FL_* */
	bool			buffer_disabled; /* tracing_on reads 0 */

	/* instance/ */
	struct list_head	list;		/* in ftrace_trace_arrays */
	char			*name;		/* NULL for the top instance */
	const char		*system_names;	/* event systems, NULL: all */
	int			ref;		/* trace_types_lock: open files, users */
	int			trace_ref;	/* open readers of trace_pipe and the raw files */
	int			clock_id;	/* index of trace_clocks[] */
	int			buffer_percent;	/* watermark that wakes readers */
	int			stop_count;	/* tracing_stop_tr() nests; pause-on-trace */
	cpumask_var_t		tracing_cpumask;
	struct tracer		*current_trace;
	bool			ring_buffer_expanded;	/* left the small size that it began with */
	struct list_head	tracer_options;	/* struct option_set, options.c */
	struct dentry		*dir;
	struct dentry		*options;
	struct dentry		*stat_dir;	/* trace_stat/, trace_stat_dir() */
	bool			has_files;	/* tracefs shows it */
	struct mutex		spare_lock;	/* the spare, and that both buffers are alike */
	struct array_buffer __rcu *spare;	/* a second buffer, spare_buffer.c; mostly NULL */
	bool			spare_changing;	/* they are not to be swapped now */

	unsigned long		max_latency;	/* ns, tracing_max_latency; any context */
	struct trace_max_latency *max_case;	/* max_latency.c */

	struct list_head	err_log;	/* error_log.c */
	unsigned int		n_err_log_entries;

	/* of rooms above, rooms.h */
	void			*room[NR_TRACE_ROOMS];
};

/**
 * struct instance_feature - what a room adds to every instance
 * @name:	for messages
 * @init:	allocate the room's part of @tr, whose buffer is there. Called with event_mutex and
 *		trace_types_lock held, before the instance is in the list and
 *		before its files are made; for the top instance in early boot, when the slab
 *		and per CPU allocators work but tracefs does not exist. An
 *		error undoes the features before it.
 * @exit:	undo @init and stop all that the room has running on @tr; called
 *		when no file of @tr is open any more, same locks.
 * @files:	make the room's files in @dir, which is tr->dir; it is NULL for the top
 *		instance, and tracefs takes that for its root
 * @cpu_files:	make the room's files in @dir, per_cpu/cpu@cpu
 * @top_files:	make the files that only the top instance has
 * @flag_changed: a TRACE_ITER_* bit of @tr is about to change; an error refuses it.
 *		event_mutex and trace_types_lock held; of TRACE_TRACER_FLAGS maybe only the
 *		latter
 * @boot_word:	of trace_instance=, behind the name; 0 if it was the room's and it did as told.
 *		Boot, no lock held
 * @busy:	does the room still need @tr, which is to be removed? No file is open.
 *		trace_types_lock held
 * @buffer_resize: the buffer of @tr is about to have @bytes on @cpu, which may be
 *		RING_BUFFER_ALL_CPUS; an error refuses it. When it is refused, by a room after
 *		this one or for lack of memory, nothing has changed, and @buffer_resized tells
 *		so. trace_types_lock held
 * @buffer_resized: what @buffer_resize announced was done, or was not: @err. Same lock
 * @buffer_map: a ring of @tr is about to be mapped, once more; an error refuses it, and
 *		none does while it is mapped. mmap_lock held
 * @buffer_unmap: undo one @buffer_map; mmap_lock may be held
 * @clock_changed: the times of @tr are of another clock, and its buffer is empty; same lock
 * @cpumask_changed: tr->tracing_cpumask is another one; same lock
 * @reset:	the buffer of @tr is about to be emptied as a whole (another clock, a tracer that
 *		has an init, `echo > trace`, an event that was recorded goes, and others),
 *		trace_types_lock held. Not for `echo > per_cpu/cpuN/trace`
 *
 * Each callback may be NULL. The features are listed in kernel/trace/init.c,
 * in the order they are set up; they are taken down in reverse.
 */
struct instance_feature {
	const char	*name;
	int		(*init)(struct trace_array *tr);
	void		(*exit)(struct trace_array *tr);
	void		(*files)(struct trace_array *tr, struct dentry *dir);
	void		(*cpu_files)(struct trace_array *tr, struct dentry *dir, int cpu);
	void		(*top_files)(struct trace_array *tr, struct dentry *dir);
	int		(*flag_changed)(struct trace_array *tr, unsigned long mask, bool enable);
	int		(*boot_word)(struct trace_array *tr, char *word);
	bool		(*busy)(struct trace_array *tr);
	int		(*buffer_resize)(struct trace_array *tr, unsigned long bytes, int cpu);
	void		(*buffer_resized)(struct trace_array *tr, int cpu, int err);
	int		(*buffer_map)(struct trace_array *tr);
	void		(*buffer_unmap)(struct trace_array *tr);
	void		(*clock_changed)(struct trace_array *tr);
	void		(*cpumask_changed)(struct trace_array *tr);
	void		(*reset)(struct trace_array *tr);
};

/* This room's own file set, listed in init.c like the others. */
extern const struct instance_feature instance_setup_feature;	/* sizes, clock, control */
extern const struct instance_feature instance_options_feature;
extern const struct instance_feature instance_tracer_feature;
extern const struct instance_feature error_log_feature;
#ifdef CONFIG_TRACER_MAX_TRACE
extern const struct instance_feature instance_max_latency_feature;
#endif

extern struct mutex trace_types_lock;
extern struct mutex event_mutex;
extern struct list_head ftrace_trace_arrays;
extern struct trace_array global_trace;

/* Set by something that makes tracing unusable for good: bad section, out of memory at boot. */
extern bool tracing_disabled;

#define for_each_trace_array(tr)	\
	list_for_each_entry(tr, &ftrace_trace_arrays, list)

/* Without trace_types_lock: an instance stays while preemption is off, see instance_remove(). */
#define for_each_trace_array_rcu(tr)	\
	list_for_each_entry_rcu(tr, &ftrace_trace_arrays, list)

static inline bool trace_array_is_top(const struct trace_array *tr)
{
	return tr->flags & TRACE_ARRAY_FL_GLOBAL;
}

/* boot, called from kernel/trace/init.c */
int instance_early_init(const struct instance_feature *const *features);
void instance_boot_instances(void);	/* trace_instance= on the command line */

/*
 * For boot parameters: record before anybody opened a file, so give @tr, or the top
 * instance for NULL, its full size from the start.
 */
void trace_set_ring_buffer_expanded(struct trace_array *tr);

/* references; see instance.c */
int trace_array_get(struct trace_array *tr);
struct trace_array *trace_array_find_get(const char *instance);
int tracing_check_open_get_tr(struct trace_array *tr);

/*
 * tracefs helpers. trace_create_file() warns when tracefs says no, so that
 * callers need not. The data of a file is its instance (inode->i_private);
 * files below per_cpu/cpuN/ carry N as well.
 */
struct dentry *trace_create_file(const char *name, umode_t mode, struct dentry *parent,
				 void *data, const struct file_operations *fops);
struct dentry *trace_stat_dir(struct trace_array *tr, struct dentry *dir);
struct dentry *trace_create_cpu_file(const char *name, umode_t mode, struct dentry *parent,
				     void *data, int cpu, const struct file_operations *fops);
int tracing_get_cpu(struct inode *inode);	/* or RING_BUFFER_ALL_CPUS */

/* file_operations.open/release for plain files: with a reference on the instance or without one */
int tracing_open_generic(struct inode *inode, struct file *filp);
int tracing_open_generic_tr(struct inode *inode, struct file *filp);
int tracing_release_generic_tr(struct inode *inode, struct file *filp);
int tracing_single_open(struct file *file, int (*show)(struct seq_file *m, void *v), void *data);
int tracing_single_open_tr(struct inode *inode, struct file *file,
			   int (*show)(struct seq_file *m, void *v), void *data);
int tracing_single_release_tr(struct inode *inode, struct file *file);
int tracing_seq_open(struct file *file, const struct seq_operations *ops, void *data);
int tracing_seq_open_tr(struct inode *inode, struct file *file, const struct seq_operations *ops);
int tracing_seq_release_tr(struct inode *inode, struct file *file);

/* Of an open file that is a seq_file, what it is about. */
static inline void *tracing_seq_private(const struct file *file)
{
	return ((struct seq_file *)file->private_data)->private;
}

loff_t tracing_lseek(struct file *file, loff_t offset, int whence);
ssize_t tracing_write_opened(struct file *file, const char __user *ubuf, size_t count,
			     loff_t *ppos);

/* What the files of a kind have in their struct file_operations, beside their write(). */
#define TRACE_SEQ_OPS(open_file, release_file)		\
	.open		= open_file,			\
	.read		= seq_read,			\
	.llseek		= tracing_lseek,		\
	.release	= release_file

#define TRACE_READ_OPS(open_file, read_file, release_file)	\
	.open		= open_file,				\
	.read		= read_file,				\
	.llseek		= default_llseek,			\
	.release	= release_file

#define TRACE_READ_OPS_TR(read_file)	\
	TRACE_READ_OPS(tracing_open_generic_tr, read_file, tracing_release_generic_tr)

/* The list of a seq_file: NAME_start() and its like. Makes NAME_seq_ops. */
#define TRACE_SEQ_LIST(name)	TRACE_SEQ_LIST_OF(name, name)

/* One that is another list's, LIST_start() and its like, but is shown by NAME_show(). */
#define TRACE_SEQ_LIST_OF(name, list)			\
static const struct seq_operations name##_seq_ops = {	\
	.start	= list##_start,				\
	.next	= list##_next,				\
	.stop	= list##_stop,				\
	.show	= name##_show,				\
}

/* A file that is shown at once, by NAME_show(); @write_file may be NULL. Makes NAME_fops. */
#define TRACE_SHOW_FOPS(name, write_file)							\
static int name##_open(struct inode *inode, struct file *filp)					\
{												\
	return tracing_single_open_tr(inode, filp, name##_show, inode->i_private);		\
}												\
												\
static const struct file_operations name##_fops = {						\
	TRACE_SEQ_OPS(name##_open, tracing_single_release_tr),					\
	.write		= write_file,								\
}

/* values.c: file_operations.read and .write of files that have a number, or a name */
enum trace_value_error {
	VALUE_ERR_NO_NUMBER,
	VALUE_ERR_RANGE,
	VALUE_ERR_NO_NAME,
	VALUE_ERR_NO_CPUS,
	VALUE_ERR_BUSY,
	VALUE_ERR_GONE,
	VALUE_ERR_MEMORY,
	VALUE_ERR_NOT_HERE,
	VALUE_ERRS
};

ssize_t tracing_read_printf(char __user *ubuf, size_t cnt, loff_t *ppos, const char *fmt, ...)
	__printf(4, 5);
ssize_t tracing_write_number(struct file *filp, struct trace_array *tr, const char __user *ubuf,
			     size_t cnt, loff_t *ppos,
			     int (*set)(struct file *filp, unsigned long value));
ssize_t tracing_write_name(struct file *filp, struct trace_array *tr, const char __user *ubuf,
			   size_t cnt, loff_t *ppos,
			   int (*set)(struct trace_array *tr, char *name));
ssize_t tracing_write_cpus(struct file *filp, struct trace_array *tr, const char __user *ubuf,
			   size_t cnt, loff_t *ppos,
			   int (*parse)(const char __user *text, int len, struct cpumask *cpus),
			   int (*set)(struct trace_array *tr, const struct cpumask *cpus));

/*
 * The file of a number: NAME_read() prints it, NAME_set() does what a number says that was written.
 * @instance is that of the file @filp. Makes NAME_fops.
 */
#define TRACE_NUMBER_FOPS(name, open_file, release_file, instance)				\
static ssize_t name##_write(struct file *filp, const char __user *ubuf, size_t cnt,		\
			    loff_t *ppos)							\
{												\
	return tracing_write_number(filp, instance, ubuf, cnt, ppos, name##_set);		\
}												\
												\
static const struct file_operations name##_fops = {						\
	TRACE_READ_OPS(open_file, name##_read, release_file),					\
	.write		= name##_write,								\
}

/* The same, where the file is an instance's and has that for its data. */
#define TRACE_NUMBER_FOPS_TR(name)							\
	TRACE_NUMBER_FOPS(name, tracing_open_generic_tr, tracing_release_generic_tr,	\
			  filp->private_data)

#define TRACE_MODE_WRITE	0640
#define TRACE_MODE_READ		0440

/* state, tracing_on.c */
void tracer_tracing_on(struct trace_array *tr);
void tracer_tracing_off(struct trace_array *tr);
bool tracer_tracing_is_on(struct trace_array *tr);
void tracing_stop_tr(struct trace_array *tr);
void tracing_start_tr(struct trace_array *tr);
void tracing_reset_cpu(struct array_buffer *buf, int cpu);
void tracing_reset_online_cpus(struct array_buffer *buf);
void tracing_reset_both(struct trace_array *tr);	/* and the spare; trace_types_lock held */

/*
 * A second buffer, spare_buffer.c; it is there when the room snapshot/ wants it. spare_lock
 * is inside of event_mutex and trace_types_lock, and outside of CPU hotplug's.
 */
struct array_buffer *trace_spare_get(struct trace_array *tr);
void trace_spare_put(struct array_buffer *buf);
int trace_spare_wait(struct trace_array *tr, const bool *closed);
void trace_spare_wake(void);
void trace_spare_swapped(void);	/* any context */
void trace_spare_poll(struct file *filp, struct poll_table_struct *wait);
struct array_buffer *trace_spare_locked(struct trace_array *tr);
int trace_spare_make(struct trace_array *tr);
struct array_buffer *trace_spare_hide(struct trace_array *tr);
void trace_spare_show(struct trace_array *tr, struct array_buffer *buf);
void trace_spare_drop(struct array_buffer *buf);
void trace_spare_empty(struct trace_array *tr, int cpu);
void trace_spare_reset(struct array_buffer *spare, int cpu);
struct array_buffer *trace_buffers_lock(struct trace_array *tr);
void trace_buffers_unlock(struct trace_array *tr);

/*
 * buffer sizes, buffer_size.c. The full size is only allocated when the instance is first used.
 * Who is about to record to any instance but the top one calls trace_array_use(), where it
 * can sleep, or __trace_array_use() with trace_types_lock held. tracing_update_buffers() is
 * for the files that have the top instance grow as well.
 */
int tracing_update_buffers(struct trace_array *tr);
int trace_array_use(struct trace_array *tr);
int __trace_array_use(struct trace_array *tr);
int trace_array_map(struct trace_array *tr);
void trace_array_unmap(struct trace_array *tr);

/* clock.c */
struct trace_clock_desc {
	u64		(*func)(void);
	const char	*name;
	bool		in_ns;
};

extern const struct trace_clock_desc trace_clocks[];
int tracing_set_clock(struct trace_array *tr, const char *name);

static inline bool trace_clock_in_ns(struct trace_array *tr)
{
	return trace_clocks[tr->clock_id].in_ns;
}

/*
 * max_latency.c: the longest time that a tracer of @tr has seen, and what is known of the case.
 * Any context; who sets it sees to it that nobody else does.
 */
#ifdef CONFIG_TRACER_MAX_TRACE
void trace_worst_set(struct trace_array *tr, const struct trace_worst *worst);
void trace_worst_get(struct trace_array *tr, struct trace_worst *worst);
void trace_worst_clear(struct trace_array *tr);
void latency_fsnotify(struct trace_array *tr);
#else
static inline void trace_worst_get(struct trace_array *tr, struct trace_worst *worst)
{
	*worst = (struct trace_worst) { };
}
#endif

/* options.c */
int set_tracer_flag(struct trace_array *tr, unsigned long mask, bool enable);
int trace_set_options(struct trace_array *tr, char *option);
extern const char *const trace_options[];	/* name of bit N; NULL-terminated */

#endif /* _KERNEL_TRACE_INSTANCE_H */
