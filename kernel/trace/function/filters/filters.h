/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which functions, by name: patterns, words for modules that are not there, and what perf's
 * function event asks for.
 */
#ifndef _KERNEL_TRACE_FUNCTION_FILTERS_H
#define _KERNEL_TRACE_FUNCTION_FILTERS_H

#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/trace_events.h>

#include "../../glob.h"

struct dentry;
struct ftrace_hash;
struct ftrace_lines;
struct ftrace_text;

void ftrace_boot_filters(void);		/* boot.c */

/* match.c: functions by name */
struct ftrace_pattern {
	struct trace_glob	glob;
	bool			by_index;
	unsigned long		index;	/* the line of available_filter_functions, from 1 */
	bool			not;
};

static inline bool ftrace_pattern_is_name(const struct ftrace_pattern *pattern)
{
	return !pattern->by_index && pattern->glob.type == TRACE_GLOB_FULL;
}

void ftrace_pattern_parse(char *text, struct ftrace_pattern *pattern);
bool ftrace_pattern_match(const struct ftrace_pattern *pattern, const char *name, size_t len);
int ftrace_match_records(const struct ftrace_pattern *func, const char *module,
			 int (*fn)(unsigned long ip, void *data), void *data);
int ftrace_match_hash(const struct ftrace_pattern *func, struct ftrace_hash *hash);
struct ftrace_hash *ftrace_match_all(const struct ftrace_pattern *func, const char *module);
int ftrace_match_add(unsigned long ip, void *hash);
int ftrace_match_module(const struct ftrace_pattern *func, const char *module,
			struct module *mod, int (*fn)(unsigned long ip, void *data), void *data);
struct ftrace_lines *ftrace_lines_read(void);
unsigned long ftrace_line(const struct ftrace_lines *lines, unsigned long n);

/* absent_modules.c: patterns for modules that are not there yet */
int ftrace_mods_add(struct list_head *mods, const char *func, const char *module);
int ftrace_mods_del(struct list_head *mods, const char *func, const char *module);
bool ftrace_mods_has(struct list_head *mods, const char *func, const char *module);
bool ftrace_mods_within(struct list_head *mods, struct list_head *others);
void ftrace_mods_subtract(struct list_head *mods, struct list_head *gone);
void ftrace_mods_merge(struct list_head *mods, struct list_head *more);
void ftrace_mods_free(struct list_head *mods);
int ftrace_mods_apply(struct list_head *mods, struct module *mod, struct ftrace_hash *hash);
void ftrace_mods_show(struct list_head *mods, struct ftrace_text *text);

/**
 * struct ftrace_chosen - an ops of nobody's instance, with a file that chooses its functions
 * @ops:  the ops; registered or not
 * @name: of the file, at the top level
 * @loc:  what error_log says of where
 * @wait: words for modules that are not there; ftrace_lock
 * @list: of all of them; ftrace_lock
 *
 * Static. The file is as set_ftrace_filter, without its commands.
 */
struct ftrace_chosen {
	struct ftrace_ops	ops;
	const char		*name;
	const char		*loc;
	struct list_head	wait;
	struct list_head	list;
};

void ftrace_chosen_init(struct ftrace_chosen *chosen);
void ftrace_chosen_file(struct ftrace_chosen *chosen, struct dentry *dir);

/* perf.c: see struct event_function_class */
int perf_function_reg(struct trace_event_call *call, enum trace_reg type, void *data);
int perf_function_may_open(struct trace_event_call *call, struct perf_event *event);
int perf_function_set_filter(struct perf_event *event, const char *filter);

#endif /* _KERNEL_TRACE_FUNCTION_FILTERS_H */
