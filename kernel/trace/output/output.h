/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading an instance: the iterator that merges its CPUs by time, and the
 * printers that turn an entry into text. Task context with trace_types_lock or the
 * iterator's mutex, unless a function says otherwise (dump runs anywhere).
 */
#ifndef _KERNEL_TRACE_OUTPUT_H
#define _KERNEL_TRACE_OUTPUT_H

#include <linux/trace_events.h>
#include <linux/trace_seq.h>

#include "../instance/instance.h"
#include "../instance/tracer.h"
#include "../record/entries.h"

struct seq_file;

/* what a room adds to an instance, listed in kernel/trace/init.c */
extern const struct instance_feature trace_file_feature;	/* trace */
/* trace_pipe, trace_pipe_raw, per_cpu/cpuN/stats */
extern const struct instance_feature trace_pipe_feature;
extern const struct instance_feature trace_readme_feature;
extern const struct instance_feature tp_printk_feature;

/* boot */
/* registers the printers of the fixed entries */
int trace_output_early_init(void);

/* iterator.c */
void *trace_find_next_entry_inc(struct trace_iterator *iter);
struct trace_entry *trace_find_next_on_cpu(struct trace_iterator *iter, u64 *ent_ts);
bool trace_find_next_time(struct trace_iterator *iter, u64 *ent_ts);
int trace_empty(struct trace_iterator *iter);
/* task; with buffers of its own */
struct trace_iterator *trace_iter_alloc_raw(struct trace_array *tr, int cpu);
struct trace_iterator *trace_iter_alloc(struct trace_array *tr, int cpu);
void trace_iter_free(struct trace_iterator *iter);

/*
 * The printers below an event: by type, any context. Valid until the section that
 * trace_event_read_lock() begins has ended; who prints never waits for who registers.
 */
struct trace_event *ftrace_find_event(int type);
int trace_event_read_lock(void);
void trace_event_read_unlock(int section);
int register_trace_events(struct trace_event *events, unsigned int nr);
int __unregister_trace_event(struct trace_event *event);	/* trace_event_sem held */
void trace_event_wait_readers(void);
extern struct rw_semaphore trace_event_sem;

/* line.c: an entry as one line in the layout that the options ask for */
enum print_line_t print_trace_line(struct trace_iterator *iter);
int trace_print_context(struct trace_iterator *iter);
int trace_print_lat_fmt(struct trace_seq *s, struct trace_entry *entry);
int seq_print_ip_sym(struct trace_seq *s, unsigned long ip, unsigned long sym_flags);
/* option `fields`: how an event is printed then */
void trace_set_fields_printer(enum print_line_t (*print)(struct trace_iterator *iter,
							 struct trace_event *event));
enum print_line_t trace_nop_print(struct trace_iterator *iter, int flags,
				  struct trace_event *event);

/* trace_handle_return(), inline */
static inline enum print_line_t trace_seq_result(struct trace_seq *s)
{
	return trace_seq_has_overflowed(s) ? TRACE_TYPE_PARTIAL_LINE : TRACE_TYPE_HANDLED;
}

/* head.c: what stands above the lines of `trace` */
void trace_default_header(struct seq_file *m);
void print_trace_header(struct seq_file *m, struct trace_iterator *iter);
void trace_functions_died(void);	/* any context */

/* trace_file.c: for a file that shows the spare buffer */
int trace_file_open_spare(struct inode *inode, struct file *file,
			  void (*print_empty)(struct seq_file *m, struct trace_iterator *iter));
int trace_file_release(struct inode *inode, struct file *file);

/* What it has in its struct file_operations, as `trace` has. */
#define TRACE_FILE_OPS(open_file, write_file)	\
	.open		= open_file,		\
	.read		= seq_read,		\
	.read_iter	= seq_read_iter,	\
	.splice_read	= copy_splice_read,	\
	.write		= write_file,		\
	.llseek		= tracing_lseek,	\
	.release	= trace_file_release

/* trace_pipe_raw.c: for a file that gives out the sub-buffers of the spare buffer of a CPU */
extern const struct file_operations trace_spare_raw_fops;

/* print_entries.c: the text of a trace_printk() alone */
enum print_line_t print_msg_only(struct trace_iterator *iter);

/* iter_flags beyond those of enum trace_iter_flags: no sleeping, no allocating */
#define TRACE_FILE_ATOMIC	0x100

#define SEQ_PUT_FIELD(s, x)	trace_seq_putmem(s, &(x), sizeof(x))
#define SEQ_PUT_HEX_FIELD(s, x)	trace_seq_putmem_hex(s, &(x), sizeof(x))

/*
 * tp_printk: an event goes to the console as well; called by events/commit.c
 * after the key was tested.
 */
struct trace_event_buffer;
DECLARE_STATIC_KEY_FALSE(tracepoint_printk_key);
void output_printk(struct trace_event_buffer *fbuffer);

#endif /* _KERNEL_TRACE_OUTPUT_H */
