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

struct ftrace_hash;
struct ftrace_text;

void ftrace_boot_filters(void);		/* boot.c */

/* match.c: functions by name */
enum ftrace_pattern_type {
	FTRACE_MATCH_FULL,
	FTRACE_MATCH_FRONT,
	FTRACE_MATCH_MIDDLE,
	FTRACE_MATCH_END,
	FTRACE_MATCH_GLOB,
	FTRACE_MATCH_INDEX,
};

struct ftrace_pattern {
	enum ftrace_pattern_type type;
	const char		*text;
	unsigned int		len;
	unsigned long		index;
	bool			not;
};

void ftrace_pattern_parse(char *text, struct ftrace_pattern *pattern);
bool ftrace_pattern_match(const struct ftrace_pattern *pattern, const char *name,
			  unsigned int len);
int ftrace_match_records(const struct ftrace_pattern *func, const char *module,
			 int (*fn)(unsigned long ip, void *data), void *data);
int ftrace_match_hash(const struct ftrace_pattern *func, struct ftrace_hash *hash);
int ftrace_match_add(unsigned long ip, void *hash);
int ftrace_match_module(const struct ftrace_pattern *func, const char *module,
			struct module *mod, int (*fn)(unsigned long ip, void *data), void *data);

/* absent_modules.c: patterns for modules that are not there yet */
struct ftrace_mod_list {
	struct list_head	list;
};

int ftrace_mods_add(struct list_head *mods, const char *func, const char *module);
int ftrace_mods_del(struct list_head *mods, const char *func, const char *module);
bool ftrace_mods_has(struct list_head *mods, const char *func, const char *module);
bool ftrace_mods_within(struct list_head *mods, struct list_head *others);
void ftrace_mods_subtract(struct list_head *mods, struct list_head *gone);
void ftrace_mods_merge(struct list_head *mods, struct list_head *more);
void ftrace_mods_free(struct list_head *mods);
int ftrace_mods_apply(struct list_head *mods, struct module *mod, struct ftrace_hash *hash);
void ftrace_mods_show(struct list_head *mods, struct ftrace_text *text);

/* perf.c: see struct event_function_class */
int perf_function_reg(struct trace_event_call *call, enum trace_reg type, void *data);
int perf_function_may_open(struct trace_event_call *call, struct perf_event *event);
int perf_function_set_filter(struct perf_event *event, const char *filter);

#endif /* _KERNEL_TRACE_FUNCTION_FILTERS_H */
