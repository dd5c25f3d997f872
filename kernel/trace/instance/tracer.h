/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracers: what current_tracer chooses between. */
#ifndef _KERNEL_TRACE_TRACER_H
#define _KERNEL_TRACE_TRACER_H

#include <linux/types.h>

struct seq_file;
struct trace_array;
struct trace_iterator;
enum print_line_t;

/* A tracer's own option: a file below options/ and a word in trace_options. */
struct tracer_opt {
	u32		bit;
	const char	*name;
};

/* The options of a tracer, shared by all instances that run it. */
struct tracer_flags {
	u32			val;
	struct tracer_opt	*opts;		/* ends with a NULL name */
};

#define TRACER_OPT(s, b)	.name = #s, .bit = b

/**
 * struct tracer - one tracer
 * @name:	what is written to current_tracer
 * @next:	in the list of tracers
 * @flags:	the tracer's options, may be NULL
 * @allow_instances: may run in other instances than the top one
 * @noboot:	can not be started by ftrace= on the command line
 * @print_max:	keeps the worst case in the spare buffer, and that is what `trace` shows; nobody
 *		else takes snapshots meanwhile
 * @may_start:	an error refuses it before anything is done; trace_types_lock held
 * @init:	start on @tr; an error leaves nop running. trace_types_lock held
 * @start:	tracing_on went to 1
 * @stop:	tracing_on went to 0
 * @reset:	stop on @tr, trace_types_lock held
 * @set_flag:	an option of the tracer is about to change; an error refuses it
 * @flag_changed: an option of the instance is about to change; an error refuses it
 * @update_thresh: tracing_thresh was written; an error refuses it. Going back to the value
 *	before, because another instance's tracer refused, does not fail
 * @open:	somebody opens `trace`
 * @close:	`trace` is closed
 * @print_header: the head of `trace` in this tracer's layout
 * @print_line: print an entry; TRACE_TYPE_UNHANDLED leaves it to the entry's
 *	own printer
 * @pipe_open:	somebody opens `trace_pipe`
 * @pipe_close: `trace_pipe` is closed
 * @rewind: `trace` is read from its beginning, perhaps not for the first time
 * @pipe_head:	what a reader of `trace_pipe` gets before the first entry: put the next line into
 *	iter->seq, or return false. Task, the mutex of the open file is held
 */
struct tracer {
	const char		*name;
	struct tracer		*next;
	struct tracer_flags	*flags;

	/* what it can do and needs */
	bool			allow_instances;
	bool			noboot;
	bool			print_max;

	/* running */
	int			(*may_start)(struct trace_array *tr);
	int			(*init)(struct trace_array *tr);
	void			(*start)(struct trace_array *tr);
	void			(*stop)(struct trace_array *tr);
	void			(*reset)(struct trace_array *tr);

	/* settings */
	int			(*set_flag)(struct trace_array *tr, u32 old_flags, u32 bit,
					    int set);
	int			(*flag_changed)(struct trace_array *tr, u32 mask, int set);
	int			(*update_thresh)(struct trace_array *tr);

	/* reading */
	void			(*open)(struct trace_iterator *iter);
	void			(*close)(struct trace_iterator *iter);
	void			(*print_header)(struct seq_file *m);
	enum print_line_t	(*print_line)(struct trace_iterator *iter);

	void			(*pipe_open)(struct trace_iterator *iter);
	void			(*pipe_close)(struct trace_iterator *iter);
	void			(*rewind)(struct trace_iterator *iter);
	bool			(*pipe_head)(struct trace_iterator *iter);
};

/* tracing_thresh.c; trace_types_lock is held by who sets it */
extern unsigned long tracing_thresh;	/* ns */
int tracing_set_thresh(unsigned long ns);

extern struct tracer nop_trace;		/* nop.c */

int register_tracer(struct tracer *trace);
int tracing_set_tracer(struct trace_array *tr, const char *name);

#endif /* _KERNEL_TRACE_TRACER_H */
