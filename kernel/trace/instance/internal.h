/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of instance/ share among themselves and with nobody else. */
#ifndef _KERNEL_TRACE_INSTANCE_INTERNAL_H
#define _KERNEL_TRACE_INSTANCE_INTERNAL_H

#include <linux/types.h>

#include "instance.h"

/* The parts of instance_setup_feature: each makes its files, see struct instance_feature. */
void tracing_on_file(struct trace_array *tr, struct dentry *dir);
void tracing_cpumask_file(struct trace_array *tr, struct dentry *dir);
void free_buffer_file(struct trace_array *tr, struct dentry *dir);
void size_files(struct trace_array *tr, struct dentry *dir);
void size_cpu_files(struct trace_array *tr, struct dentry *dir, int cpu);
void clock_files(struct trace_array *tr, struct dentry *dir);
void thresh_file(struct trace_array *tr, struct dentry *dir);	/* top instance only */

/* what instance_early_init() was given; ends with NULL */
extern const struct instance_feature *const *instance_features;

/* instance.c; event_mutex and trace_types_lock held */
int instance_features_init(struct trace_array *tr);

/* tracefs.c; same locks. An error leaves no file behind. */
int instance_create_dir(struct trace_array *tr);
int instance_mkdir(const char *name);
int instance_rmdir(const char *name);

/* tracing_cpumask.c; trace_types_lock held */
void tracing_set_cpumask(struct trace_array *tr, const struct cpumask *new);

/* buffer_size.c: bytes a CPU that an instance gets when it is first used */
extern unsigned long trace_buf_size;
void tracing_free_buffer(struct trace_array *tr);	/* least size; takes trace_types_lock */
int tracing_resize(struct trace_array *tr, unsigned long bytes, int cpu); /* the same held */
int trace_parse_size_kb(unsigned long kb, unsigned long *bytes);
int trace_subbuf_kb_to_order(unsigned long kb);
int __tracing_update_buffers(struct trace_array *tr);	/* trace_types_lock held */

/* tracing_on.c; trace_types_lock and the buffers' lock held */
void tracing_reset_both_locked(struct trace_array *tr);

/* clock.c */
int trace_clock_find(const char *name);
extern bool boot_clock_given;	/* boot.c: trace_clock= chose */

/* options.c */
int trace_parse_option(const char *name, bool *enable);	/* bit or -EINVAL */
int trace_set_one_option(struct trace_array *tr, char *option); /* both locks held */
void trace_options_add_tracer(struct trace_array *tr, struct tracer *tracer);

/* current_tracer.c; event_mutex and trace_types_lock held */
void tracers_for_each_allowed(struct trace_array *tr,
			      void (*fn)(struct trace_array *tr, struct tracer *tracer));
void tracing_set_nop(struct trace_array *tr);
int __tracing_set_tracer(struct trace_array *tr, const char *name);

/* boot.c: a tracer was registered, is it the one that ftrace= names? */
void boot_tracer_registered(struct tracer *tracer);

#endif /* _KERNEL_TRACE_INSTANCE_INTERNAL_H */
