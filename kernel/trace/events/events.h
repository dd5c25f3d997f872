/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events: the registry, their fields and format files, switching them
 * on for an instance, pid lists. What an instance knows of an event is its
 * event file, struct trace_event_file. event_mutex guards all of it.
 */
#ifndef _KERNEL_TRACE_EVENTS_H
#define _KERNEL_TRACE_EVENTS_H

#include <linux/trace_events.h>

#include "../instance/instance.h"

extern const struct instance_feature events_feature;	/* events/, set_event, available_events */
extern const struct instance_feature event_pid_feature;	/* set_event_*pid, event-fork */

/* boot.c: registry from _ftrace_events, trace_event= on the command line */
int trace_events_init(void);

/* Is the record in its slot, wanted as it is? Else there is more to be done, see slot.h. */
static __always_inline bool trace_event_buffer_is_plain(const struct trace_event_buffer *fbuffer)
{
	return fbuffer->slot.ring;
}

extern struct list_head ftrace_events;	/* trace_event_call.list; event_mutex or trace_event_sem */

/**
 * struct ftrace_event_field - a field of an event, as TP_STRUCT__entry declares it
 * @link:	in trace_get_fields(), in the order of declaration
 * @type:	its C type; arrays as "char[16]"
 * @name:	as it is in the C structure
 * @offset:	in the record, bytes
 * @size:	bytes
 * @len:	elements of a fixed array, 0 for everything else
 * @filter_type: FILTER_*, how a filter compares it
 * @type_owned:	@type was allocated for this field alone
 * @needs_test:	a pointer to a string outside the record, to be checked before it is printed
 * @is_signed:	of the number, or of an array's element
 */
struct ftrace_event_field {
	struct list_head	link;
	const char		*type;
	const char		*name;
	int			offset;
	int			size;
	int			len;
	int			filter_type;
	unsigned int		type_owned:1;
	unsigned int		needs_test:1;
	unsigned int		is_signed:1;
};

/**
 * struct trace_subsystem_dir - a directory of events/: a system that has events in the instance
 * @list:	in event_instance.systems; event_mutex
 * @name:	of the directory
 * @tr:		instance, valid while @nr_events is not 0
 * @ei:		the directory in tracefs, NULL before tracefs is up
 * @nr_events:	event files that point here; 0: the directory is gone
 * @filter_refused: what `filter` shows since no event could take what was written, or NULL
 * @ref:	@nr_events != 0, the directory's inode, open files
 */
struct trace_subsystem_dir {
	struct list_head	list;
	const char		*name;
	struct trace_array	*tr;
	struct eventfs_inode	*ei;
	int			nr_events;
	char			*filter_refused;
	refcount_t		ref;
};

/* directories.c: files in all directories of events */
enum event_dir {
	EVENT_DIR_TOP,		/* events/ */
	EVENT_DIR_SYSTEM,	/* events/SYSTEM/, but for that of the fixed entries */
	EVENT_DIR_EVENT,	/* events/SYSTEM/EVENT/ */
	NR_EVENT_DIRS
};

/**
 * struct event_dir_file - a file in such directories
 * @name:	of the file
 * @mode:	and its permissions
 * @fops:	what it does
 * @wanted:	does the event have it? NULL: all have
 */
struct event_dir_file {
	const char			*name;
	umode_t				mode;
	const struct file_operations	*fops;
	bool				(*wanted)(const struct trace_event_call *call);
};

int event_dir_add_files(enum event_dir where, const struct event_dir_file *files, int nr);

/* Is @call the event @name of @system? Any context, while @call stays. */
static inline bool event_is_named(struct trace_event_call *call, const char *system,
				  const char *name)
{
	return !strcmp(call->class->system, system) && !strcmp(trace_event_name(call), name);
}

/* event_file.c: before anything looks for one of @tr; event_mutex held */
int event_files_get_ready(struct trace_array *tr);

/* find.c, fields.c: lookup; event_mutex held */
struct trace_event_call *trace_event_find_call(const char *system, const char *name);
struct trace_event_file *find_event_file(struct trace_array *tr, const char *system,
					 const char *event);
struct ftrace_event_field *trace_find_event_field(struct trace_event_call *call, char *name);
struct trace_event_file *event_file_next(struct trace_array *tr, struct trace_event_file *file);

/*
 * event_file.c: references on an event file; any context, but the last one is given back where
 * event_filter_free() may be called. A file that is FREED has left its instance.
 */
void event_file_get(struct trace_event_file *file);
void event_file_put(struct trace_event_file *file);

/**
 * struct event_file_user - a room above has something on event files
 * @list:	of all of them
 * @leave:	the event file leaves its instance: give up what there is on it. Cannot fail.
 *		event_mutex and trace_types_lock
 */
struct event_file_user {
	struct list_head	list;
	void			(*leave)(struct trace_event_file *file);
};

void event_file_user_register(struct event_file_user *user);	/* boot */

/* find.c: keep an event, and its module, from going until trace_event_put_ref(); event_mutex */
bool event_try_get(struct trace_event_call *call);

/* find.c: entries of the system "ftrace" have a format, and nothing to switch */
bool event_can_be_enabled(const struct trace_event_call *call);

/*
 * registry.c: an event that comes and goes at run time, in every instance; event_mutex held, takes
 * trace_types_lock
 */
int event_call_add(struct trace_event_call *call);
void event_call_goes(struct trace_event_call *call);
void event_call_stays(struct trace_event_call *call);	/* after all */
bool event_calls_busy(void);				/* one of those that are to go? */
void event_calls_remove(void);

/* the buffer gets its full size before something is recorded; takes trace_types_lock */
int event_make_room(struct trace_array *tr, bool on);

/* reserve.c: before the first trigger that wants the record; event_mutex held */
int event_long_scratch_init(void);

/* commit.c: below the functions that a trigger may be called from; for who takes a stack there */
#define EVENT_COMMIT_TEXTS	10
struct trace_stack_top;
extern const struct trace_stack_top event_stack_top;

/*
 * enable.c; event_mutex held. @soft_disable counts a user that needs the
 * event's probe to run (SOFT_MODE), whether the event is recorded or not.
 */
int trace_event_enable_disable(struct trace_event_file *file, int enable, int soft_disable);
int ftrace_event_enable_disable(struct trace_event_file *file, int enable);

/*
 * syscalls.c: as it is in the table of system calls, "sys_read"; NULL: none that has events.
 * Any context.
 */
#ifdef CONFIG_FTRACE_SYSCALLS
const char *event_syscall_name(unsigned long nr);
#else
static inline const char *event_syscall_name(unsigned long nr) { return NULL; }
#endif

#endif /* _KERNEL_TRACE_EVENTS_H */
