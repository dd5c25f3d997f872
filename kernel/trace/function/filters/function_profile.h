/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_TRACE_FUNCTION_PROFILE_H
#define _KERNEL_TRACE_FUNCTION_PROFILE_H

struct dentry;
struct trace_array;
struct trace_function;

#ifdef CONFIG_FUNCTION_PROFILER
void function_profile_files(struct trace_array *tr, struct dentry *dir);
void function_profile_free(struct trace_function *fn);
int function_profile_set(struct trace_function *fn, bool on);
#else
static inline void function_profile_files(struct trace_array *tr, struct dentry *dir) { }
static inline void function_profile_free(struct trace_function *fn) { }
#endif

#endif /* _KERNEL_TRACE_FUNCTION_PROFILE_H */
