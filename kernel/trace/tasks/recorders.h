/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between recorders.c, which knows for whom names of tasks are recorded, and switch.c, whose probe
 * records them.
 */
#ifndef _KERNEL_TRACE_TASKS_RECORDERS_H
#define _KERNEL_TRACE_TASKS_RECORDERS_H

#include <linux/compiler.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct rb_cpu;
struct trace_array;

/* switch.c: guards what is below */
extern struct mutex trace_switch_mutex;

/* Instances whose buffers are looked at; when there are more, every task's name is wanted. */
#define RECORDERS	8

struct recorder {
	struct trace_array	*tr;
	struct rb_cpu __percpu	*cpus;	/* NULL: free */
	int			users;
};

/**
 * struct recorders - the buffers in which there may be records of tasks whose names are wanted
 * @at:		instances
 * @others:	users of those that have no place there
 */
struct recorders {
	struct recorder	at[RECORDERS];
	int		others;
};

/* recorders.c; all this is read in the probe as well */
extern struct recorders switch_recorders;
extern int trace_cmdline_users, trace_tgid_users;
struct rb_cpu __percpu *switch_only_recorder(void);

/* switch.c: let the probe run; 0 or why not. Its plan is made anew. */
int switch_probe_on(void);
void switch_plan_update(void);

/* In the probe, or on that CPU with interrupts off. */
bool switch_recorded_here(void);

#endif /* _KERNEL_TRACE_TASKS_RECORDERS_H */
