/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the files of this room. Everything here is called with event_mutex
 * held in task context, unless it says otherwise.
 */
#ifndef _KERNEL_TRACE_EVENTS_INTERNAL_H
#define _KERNEL_TRACE_EVENTS_INTERNAL_H

#include "../tasks/pid_filter.h"
#include "events.h"

struct module;
struct seq_file;
struct trace_eval_map;
struct trace_pid_list;

/* gathered by the linker */
extern struct trace_event_call *__start_ftrace_events[];
extern struct trace_event_call *__stop_ftrace_events[];
extern struct trace_eval_map *__start_ftrace_eval_maps[];
extern struct trace_eval_map *__stop_ftrace_eval_maps[];

#ifdef CONFIG_FTRACE_SYSCALLS
struct syscall_metadata;
extern struct syscall_metadata *__start_syscalls_metadata[];
extern struct syscall_metadata *__stop_syscalls_metadata[];
#endif

/**
 * struct event_instance - what this room has of an instance; event_mutex
 * @dir:	events/, NULL before tracefs is up
 * @systems:	struct trace_subsystem_dir
 * @files:	struct trace_event_file
 * @complete:	@files are, see event_files_get_ready(); else there is none
 * @waiting:	words of set_event for modules to come, struct event_waiting
 * @pids:	set_event_pid and set_event_notrace_pid
 */
struct event_instance {
	struct eventfs_inode		*dir;
	struct list_head		systems;
	struct list_head		files;
	bool				complete;
	struct list_head		waiting;
	struct trace_pid_filter		pids;
};

static inline struct event_instance *events_of(const struct trace_array *tr)
{
	return tr->room[ROOM_EVENTS];
}

#define for_each_event_file(file, tr)	list_for_each_entry(file, &events_of(tr)->files, list)

/* registry.c; trace_types_lock as well */

/* @call comes, of the kernel or of @mod, and to whatever instance has files; 0 or why not. */
int event_call_enroll(struct trace_event_call *call, struct module *mod);
/* All events of @mod go; waits for readers and RCU. */
void event_calls_remove_of(const struct module *mod);

/* event_file.c */

/* 0 as well when the instance does not want the event; -ENOMEM */
int event_file_add(struct trace_array *tr, struct trace_event_call *call);
/* @file leaves its instance. First what rooms above have on it goes, then, when no probe has it: */
void event_file_users_leave(struct trace_event_file *file);
void event_file_leave(struct trace_event_file *file);
void event_files_leave(struct trace_array *tr);	/* all of them */

/* May there be records of it, which nothing can print once the event has gone? */
static inline bool event_file_was_recorded(const struct trace_event_file *file)
{
	return file->flags & EVENT_FILE_FL_WAS_ENABLED;
}

/* modules.c; boot */
#ifdef CONFIG_MODULES
void __init event_modules_init(void);
#else
static inline void event_modules_init(void) { }
#endif

/* commit.c */
void event_stacks_init(void);	/* boot */

/* fields.c */
extern struct list_head event_common_fields;	/* first in every record; as at boot */
int __init event_common_fields_init(void);
int event_fields_define(struct trace_event_call *call);
void event_fields_destroy(struct trace_event_call *call);

/* print_fmt.c: warns of conversions that would follow a pointer when the trace is read */
int event_print_fmt_unsafe(struct trace_event_call *call, const char **text, int *len);
void event_print_fmt_check(struct trace_event_call *call);

/* print_helpers.c: %p -> %px without hash-ptr */
const char *trace_event_format(struct trace_iterator *iter, const char *fmt);

/* print_fields.c */
enum print_line_t print_event_fields(struct trace_iterator *iter, struct trace_event *event);

/* maps.c */
void event_maps_apply(struct trace_eval_map **maps, unsigned int nr);
int eval_map_replace(char *fmt, struct trace_eval_map *const *maps, unsigned int nr);

/* eval_map.c */
#ifdef CONFIG_TRACE_EVAL_MAP_FILE
void event_maps_keep(const struct module *mod, struct trace_eval_map **maps, unsigned int nr);
void event_maps_forget(const struct module *mod);
void event_maps_file(struct trace_array *tr, struct dentry *dir);
#else
static inline void event_maps_keep(const struct module *mod, struct trace_eval_map **maps,
				   unsigned int nr) { }
static inline void event_maps_forget(const struct module *mod) { }
static inline void event_maps_file(struct trace_array *tr, struct dentry *dir) { }
#endif

/* directories.c: directories below events/; nothing happens before tracefs is up */
int event_dir_create(struct trace_event_file *file);
void event_dir_remove(struct trace_event_file *file);
void event_files_create(struct trace_array *tr, struct dentry *dir);
void event_files_remove(struct trace_array *tr);

int event_dirs_init(void);		/* boot; the files in them */

/* format.c: format, header_page, header_event */
int event_format_init(void);

/* set_event.c */
extern const struct file_operations set_event_fops;
extern const struct file_operations available_events_fops;

struct event_query {
	bool		on;		/* no '!' in front */
	const char	*either;	/* a system or an event; the other two are NULL */
	const char	*system;	/* NULL: any */
	const char	*event;		/* NULL: any */
	const struct trace_subsystem_dir *dir;	/* only events below it; NULL: any */
	const char	*module;	/* whose they are, NULL: whoever's */
};

void event_query_parse(char *token, struct event_query *query);
bool event_query_matches(const struct event_query *query, const char *system, const char *name);
bool event_query_takes_any(struct trace_array *tr, const struct event_query *query);

/* waiting.c: words for modules that are not there */
struct event_waiting;

bool event_module_matches(const struct event_query *query, const struct trace_event_call *call);
bool event_query_may_wait(const struct event_query *query);
bool event_query_is_for(const struct event_query *query, const struct event_query *waits);
struct event_waiting *event_waiting_find(struct trace_array *tr, const struct event_query *query);
struct event_waiting *event_waiting_next(struct trace_array *tr, struct event_waiting *w);
int event_query_wait(struct trace_array *tr, const struct event_query *query);
void event_waiting_del(struct trace_array *tr, const struct event_query *query);
void event_waiting_settle(struct trace_array *tr, bool done);
void event_waiting_apply(struct trace_array *tr, struct module *mod);
void event_waiting_free(struct trace_array *tr);
void event_waiting_show(struct seq_file *m, const struct event_waiting *w);

/* enable.c: 0, or the first error. -EINVAL when nothing matches */
int event_query_apply(struct trace_array *tr, const struct event_query *query, bool on);
int event_queries_apply(struct trace_array *tr, const struct event_query *queries,
			unsigned int nr, const struct event_query **bad);
void event_disable_all(struct trace_array *tr);
int event_flag_changed(struct trace_array *tr, unsigned long mask, bool enable);
int event_boot_word(struct trace_array *tr, char *word);

/**
 * struct event_files - an event's files in the instances that it is on in, where there are several
 * @flags:	EVENT_FILE_FL_SHARED and nothing else, in the place of those of a file
 * @type:	number of the event
 * @nr:		how many files, without those that are gone
 * @rcu:	to free it
 * @file:	the files, ended by NULL
 *
 * What the event's probe has instead of a file.
 */
struct event_files {
	unsigned long		flags;
	unsigned int		type;
	unsigned int		nr;
	struct rcu_head		rcu;
	struct trace_event_file	*file[];
};

static_assert(!offsetof(struct event_files, flags) && !offsetof(struct trace_event_file, flags));
/* What an event that is recorded reads of its file: one line, kmalloc() aligns a file to that. */
static_assert(offsetofend(struct trace_event_file, filter) <= 64 &&
	      sizeof(struct trace_event_file) > 64);

/* shared.c */
extern struct trace_event_file event_file_gone;	/* stands in a list for one that was taken out */
int event_probe_add(struct trace_event_file *file);
void event_probe_remove(struct trace_event_file *file);
#if IS_ENABLED(CONFIG_KUNIT)
struct event_files *event_files_alloc(unsigned int nr);
/* commit.c */
struct rb_ring;
struct rb_sub;
void event_commit_shared_rest(struct trace_event_buffer *fbuffer, struct rb_ring *ring,
			      struct rb_sub *sub, u64 tail, struct trace_event_file *const *at);
#endif

/* set_event_pid.c */
#if IS_ENABLED(CONFIG_KUNIT)
int event_pids_replace(struct trace_array *tr, enum pid_list_kind kind,
		       struct trace_pid_list *list);
#endif

/*
 * set_event_pid.c: lists of pids and the probe of an event. event_pids_start() comes before
 * the probe is registered, 0 or -ENOMEM; event_pids_stop() after it went, with
 * EVENT_FILE_FL_ENABLED off.
 */
int event_pids_start(struct trace_event_file *file);
void event_pids_stop(struct trace_event_file *file);
bool event_is_of_switch(const struct trace_event_call *call);

/* ftrace_entries.c: struct trace_event_call of the fixed entries */
int __init event_fixed_entries_init(int (*add)(struct trace_event_call *call));

/* syscalls.c: numbers of the system calls; before their events are registered */
#ifdef CONFIG_FTRACE_SYSCALLS
void __init event_syscalls_init(void);
#else
static inline void event_syscalls_init(void) { }
#endif

#endif /* _KERNEL_TRACE_EVENTS_INTERNAL_H */
