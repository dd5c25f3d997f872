/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of tasks beside what they record: names and processes behind pids, and lists
 * of pids.
 */
#ifndef _KERNEL_TRACE_TASKS_H
#define _KERNEL_TRACE_TASKS_H

#include <linux/sched.h>

#include "../instance/instance.h"

struct trace_pid_list;

extern const struct instance_feature trace_cmdline_feature;	/* saved_* */
int trace_cmdline_init(void);	/* boot, when memory can be had */

/*
 * saved_cmdlines.c: pid -> comm and pid -> tgid, as seen when the event was recorded. While
 * somebody records with them, switch.c sees to it that they are kept.
 */
void trace_find_cmdline(int pid, char comm[TASK_COMM_LEN]);
int trace_find_tgid(int pid);
int trace_alloc_tgid_map(void);

/* recorders.c: who that is */
void tracing_start_cmdline_record(struct trace_array *tr);
void tracing_stop_cmdline_record(struct trace_array *tr);
void tracing_start_tgid_record(struct trace_array *tr);
void tracing_stop_tgid_record(struct trace_array *tr);

/* pid_list.c: which pids a list holds. Lookup in any context under RCU. */
bool trace_pid_list_is_set(struct trace_pid_list *pid_list, unsigned int pid);
int trace_pid_list_next(struct trace_pid_list *pid_list, unsigned int pid, unsigned int *next);
int trace_pid_list_clear(struct trace_pid_list *pid_list, unsigned int pid);
int trace_pid_list_set(struct trace_pid_list *pid_list, unsigned int pid);
int trace_pid_list_set_atomic(struct trace_pid_list *pid_list, unsigned int pid);
void trace_pid_list_free(struct trace_pid_list *pid_list);
struct trace_pid_list *trace_pid_list_alloc(void);

#endif /* _KERNEL_TRACE_TASKS_H */
