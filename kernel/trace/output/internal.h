/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of this room share and no other room needs: a trace_iterator
 * with the state of the merge around it.
 */
#ifndef _KERNEL_TRACE_OUTPUT_INTERNAL_H
#define _KERNEL_TRACE_OUTPUT_INTERNAL_H

#include <linux/container_of.h>

#include "merge.h"
#include "output.h"

/*
 * The next entry of one CPU; of one that consumes only whether there was @any at the last look.
 * @skipped: entries older than array_buffer.time_start, counted when reading starts.
 */
struct trace_reader_cpu {
	bool			any;
	struct trace_entry	*ent;
	unsigned long		lost;
	int			size;
	unsigned long		skipped;
};

/**
 * struct output_instance - what this room has of an instance
 * @pipe_cpumask: CPUs that have a trace_pipe open; trace_types_lock
 * @raw_pages:	pages in pipes, see trace_pipe_raw.c
 */
struct output_instance {
	cpumask_var_t	pipe_cpumask;
	atomic_t	raw_pages;
};

static inline struct output_instance *output_of(const struct trace_array *tr)
{
	return tr->room[ROOM_OUTPUT];
}

/* Room for a record of one function's call or return, its head included. */
#define TRACE_NEXT_SIZE	128

/**
 * struct trace_reader - an iterator and where it stands
 * @iter:	what printers and tracers see
 * @spare:	what a reader of the snapshot reads, and has a reference of; NULL: nothing
 * @print_empty: the head of a snapshot in which there is nothing
 * @merge:	the CPUs that have an entry, by its time
 * @cpu:	those entries
 * @filled:	@merge and @cpu are valid
 * @looked:	when CPUs without an entry were last asked; whatever they have
 *		got since is not older. 0 if nobody knows
 * @limit:	entries to show while recording is on: as many as there were when
 *		reading began, so that who reads more slowly than others write
 *		comes to an end
 * @taken:	CPU whose entry is in @iter.ent and has to be stepped over before
 *		the next one is looked for, or -1
 * @at_end:	the reader of the file was told that there is no more
 * @paused:	the open of the file stopped recording (pause-on-trace)
 * @section:	of trace_event_read_lock(), while `trace` is read
 * @next:	copy of a record, see trace_find_next_on_cpu()
 */
struct trace_reader {
	struct trace_iterator	iter;
	struct array_buffer	*spare;
	void			(*print_empty)(struct seq_file *m, struct trace_iterator *iter);
	struct trace_merge	merge;
	struct trace_reader_cpu	*cpu;
	bool			filled;
	u64			looked;
	long			limit;
	int			taken;
	bool			at_end;
	bool			paused;
	int			section;
	u64			next[TRACE_NEXT_SIZE / sizeof(u64)];
};

static inline struct trace_reader *to_reader(struct trace_iterator *iter)
{
	return container_of(iter, struct trace_reader, iter);
}

/* What is read of was the spare, and is not any more. */
static inline bool trace_spare_gone(struct trace_iterator *iter)
{
	return iter->snapshot && to_reader(iter)->spare != rcu_access_pointer(iter->tr->spare);
}

/* iterator.c */
int trace_iter_read_start(struct trace_iterator *iter);	/* begin to read without consuming */
void trace_iter_read_end(struct trace_iterator *iter);
void trace_iter_bind_spare(struct trace_iterator *iter);	/* read the spare that there is */
void trace_iter_rewind(struct trace_iterator *iter);
void trace_iter_extend(struct trace_iterator *iter);	/* at the end: on with what came since */
void trace_iter_forget(struct trace_iterator *iter);	/* others may have consumed entries */

/* line.c */
void trace_print_whole_line(struct trace_iterator *iter);

/* head.c */
const char *trace_functions_warning(void);

/* print_entries.c */
int trace_entries_init(void);

/* trace_pipe.c */
/* So full is what who waits for sub-buffers is woken for. Nobody writes to the spare. */
static inline int trace_pipe_percent(const struct trace_iterator *iter)
{
	return iter->snapshot ? 0 : READ_ONCE(iter->tr->buffer_percent);
}

int trace_pipe_wait(struct trace_iterator *iter, struct file *filp, int full);
bool trace_pipe_ended(struct trace_iterator *iter);
__poll_t trace_pipe_poll(struct trace_iterator *iter, struct file *filp, poll_table *wait);
void trace_pipe_wake(struct trace_iterator *iter);

extern const struct file_operations trace_pipe_fops;
extern const struct file_operations trace_pipe_raw_fops;	/* trace_pipe_raw.c */
extern const struct file_operations trace_stats_fops;		/* stats.c */

/* print_entries.c, for its test */
#if IS_ENABLED(CONFIG_KUNIT)
struct mm_struct *trace_process_mm(pid_t tgid);
#endif

/* tp_printk.c, for its test */
extern raw_spinlock_t trace_console_lock;
bool trace_console_take(unsigned long *flags);
void trace_console_give(unsigned long flags);

/* dump.c */
int trace_dump_init(void);

/* dump.c, for kdb.c */
struct trace_iterator *trace_dump_begin(struct trace_array *tr, int cpu);
void trace_dump_end(struct trace_iterator *iter);

#endif /* _KERNEL_TRACE_OUTPUT_INTERNAL_H */
