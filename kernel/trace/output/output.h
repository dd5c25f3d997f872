/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading an instance: the iterator that merges its CPUs by time, and the
 * printers that turn an entry into text. Writing texts into it: markers,
 * trace_printk(). Task context with trace_types_lock or the iterator's mutex,
 * unless a function says otherwise (dump and trace_printk run anywhere).
 */
#ifndef _KERNEL_TRACE_OUTPUT_H
#define _KERNEL_TRACE_OUTPUT_H

#include <linux/trace_events.h>
#include <linux/trace_seq.h>

#include "../record/entries.h"
#include "../instance/instance.h"
#include "../instance/tracer.h"

struct seq_file;

/* what a room adds to an instance, listed in kernel/trace/init.c */
extern const struct instance_feature trace_file_feature;	/* trace */
/* trace_pipe, trace_pipe_raw, per_cpu/cpuN/stats */
extern const struct instance_feature trace_pipe_feature;
extern const struct instance_feature trace_marker_feature;
/* printk_formats, option trace_printk_dest */
extern const struct instance_feature trace_printk_feature;
/* saved_*, options record-* */
extern const struct instance_feature trace_cmdline_feature;
extern const struct instance_feature error_log_feature;
extern const struct instance_feature trace_readme_feature;

/* boot */
/* registers the printers of the fixed entries, cmdline table */
int trace_output_early_init(void);

/* iterator.c */
void *trace_find_next_entry_inc(struct trace_iterator *iter);
struct trace_entry *trace_find_next_on_cpu(struct trace_iterator *iter, u64 *ent_ts);
bool trace_find_next_time(struct trace_iterator *iter, u64 *ent_ts);
void tracing_iter_reset(struct trace_iterator *iter, int cpu);
int trace_empty(struct trace_iterator *iter);
/* task; with buffers of its own */
struct trace_iterator *trace_iter_alloc(struct trace_array *tr, int cpu);
void trace_iter_free(struct trace_iterator *iter);

/*
 * The printers below an event: by type, any context. Valid until the section that
 * trace_event_read_lock() begins has ended; who prints never waits for who registers.
 */
struct trace_event *ftrace_find_event(int type);
int trace_event_read_lock(void);
void trace_event_read_unlock(int section);
int __unregister_trace_event(struct trace_event *event);	/* trace_event_sem held */
void trace_event_wait_readers(void);
extern struct rw_semaphore trace_event_sem;

/* line.c: an entry as one line in the layout that the options ask for */
enum print_line_t print_trace_line(struct trace_iterator *iter);
void trace_default_header(struct seq_file *m);
void trace_latency_header(struct seq_file *m);
void print_trace_header(struct seq_file *m, struct trace_iterator *iter);
int trace_print_context(struct trace_iterator *iter);
int trace_print_lat_context(struct trace_iterator *iter);
int trace_print_lat_fmt(struct trace_seq *s, struct trace_entry *entry);
int seq_print_ip_sym(struct trace_seq *s, unsigned long ip, unsigned long sym_flags);
/* %p -> %px without hash-ptr */
const char *trace_event_format(struct trace_iterator *iter, const char *fmt);
enum print_line_t print_event_fields(struct trace_iterator *iter, struct trace_event *event);
enum print_line_t trace_nop_print(struct trace_iterator *iter, int flags,
				  struct trace_event *event);
bool trace_is_tracepoint_string(const char *str);

#define SEQ_PUT_FIELD(s, x)	trace_seq_putmem(s, &(x), sizeof(x))
#define SEQ_PUT_HEX_FIELD(s, x)	trace_seq_putmem_hex(s, &(x), sizeof(x))

/* cmdline.c: pid -> comm and pid -> tgid, as seen when the event was recorded */
void trace_find_cmdline(int pid, char comm[TASK_COMM_LEN]);
int trace_find_tgid(int pid);
void tracing_start_cmdline_record(void);
void tracing_stop_cmdline_record(void);
void tracing_start_tgid_record(void);
void tracing_stop_tgid_record(void);
int trace_alloc_tgid_map(void);

/*
 * tracing_log_err() keeps the last ones for the file error_log: @loc names the command ("event
 * set_event"), @cmd is what was written, @errs[@type] the text, @pos the offset in @cmd
 * that the caret points at. Task context.
 */
void tracing_log_err(struct trace_array *tr, const char *loc, const char *cmd,
		     const char **errs, u8 type, u16 pos);

/* printk.c */
void trace_printk_start_comm(void);
void trace_printk_control(bool enabled);
int trace_vbprintk(unsigned long ip, const char *fmt, va_list args);
int trace_vprintk(unsigned long ip, const char *fmt, va_list args);
int trace_array_vprintk(struct trace_array *tr, unsigned long ip, const char *fmt, va_list args);
const char *trace_printk_format(unsigned long fmt);	/* text of a format address or NULL */
extern struct trace_array *printk_trace;		/* instance that trace_printk() writes to */

/*
 * tp_printk: an event goes to the console as well; called by events/write.c
 * after the key was tested.
 */
struct trace_event_buffer;
DECLARE_STATIC_KEY_FALSE(tracepoint_printk_key);
void output_printk(struct trace_event_buffer *fbuffer);

/* export.c: register_ftrace_export() */
DECLARE_STATIC_KEY_FALSE(trace_event_exports_enabled);
DECLARE_STATIC_KEY_FALSE(trace_marker_exports_enabled);
DECLARE_STATIC_KEY_FALSE(trace_function_exports_enabled);
void ftrace_exports(struct ring_buffer_event *event, int flag);

#endif /* _KERNEL_TRACE_OUTPUT_H */
