/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events on places of code: what kprobe, uprobe, event, function and tracepoint probe
 * events share. The arguments of a probe are parsed into one flat fetch program, which
 * fills the record in when the probe is hit; see event-probes.rst.
 *
 * A struct probe is one line of dynamic_events, a place. Probes of the same name, group and
 * arguments are places of one event, struct probe_event.
 */
#ifndef _KERNEL_TRACE_DYNEVENT_PROBE_H
#define _KERNEL_TRACE_DYNEVENT_PROBE_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/trace_events.h>
#include <linux/types.h>

#include "dynevent.h"
#include "probe_errors.h"

struct dyn_command;
struct ftrace_regs;
struct btf;
struct btf_type;
struct module;
struct probe;
struct probe_builder;
struct probe_event;
struct probe_prog;
struct probe_arg_type;
struct pt_regs;
struct seq_file;

#define PROBE_MAX_ARGS		128
#define PROBE_MAX_NAME		64	/* names of events and groups, with the final NUL */

/**
 * enum probe_at - what kind of place a probe is at, and what its arguments may name
 * @PROBE_KERNEL:	code of the kernel
 * @PROBE_USER:		code of a user's program
 * @PROBE_ENTRY:	the first instruction of a function; with @PROBE_RETURN its return
 * @PROBE_RETURN:	where a function returns to
 * @PROBE_FREGS:	what is known are ftrace_regs: arguments, return value, stack pointer
 * @PROBE_ATTACHED:	an event; fields of its record
 * @PROBE_TRACEPOINT:	a tracepoint's stub: the function's arguments are those of the tracepoint
 */
enum probe_at {
	PROBE_KERNEL		= BIT(0),
	PROBE_USER		= BIT(1),
	PROBE_ENTRY		= BIT(2),
	PROBE_RETURN		= BIT(3),
	PROBE_FREGS		= BIT(4),
	PROBE_ATTACHED		= BIT(5),
	PROBE_TRACEPOINT	= BIT(6),
};

/**
 * struct probe_source - where the program of a probe that is hit fetches from
 * @regs:	without PROBE_FREGS
 * @fregs:	with PROBE_FREGS
 * @record:	with PROBE_ATTACHED, the record of the event
 * @entry:	with PROBE_RETURN, what probe_fetch_entry() kept, or NULL
 * @user_base:	with PROBE_USER, where offset 0 of the file is in memory
 */
struct probe_source {
	struct pt_regs		*regs;
	struct ftrace_regs	*fregs;
	const void		*record;
	const unsigned long	*entry;
	unsigned long		user_base;
};

/**
 * struct probe_kind - a kind of probe
 * @dyn:	for the registry; probe_kind_register() fills in what all kinds of probe share
 * @letters:	its lines begin with one of these
 * @loc:	what error_log says of them
 * @create:	make a probe of a line. Task, no lock
 * @show_type:	print what stands in front of the colon. event_mutex
 * @show_place:	print where it is. event_mutex
 * @group:	of the events that are given none: "kprobes"
 * @call_flag:	TRACE_EVENT_FL_KPROBE, ...
 * @headless:	nothing stands in front of the arguments in a record; else a word is there, the
 *		place, or at return two: the function, and where it returns to
 * @print_head:	prints "(place)" into iter->seq; @head as in the record
 * @is_at:	is the probe at the place that a word of a command names? event_mutex
 * @same_place:	are two probes at the same place? NULL: an event has one. event_mutex
 * @install:	the probe is about to be listed: let it be somewhere, off. May be NULL; 0 or an
 *		error, of which it tells error_log. event_mutex
 * @uninstall:	take that back. event_mutex
 * @arm:	the event's first user has come: let the probe be hit. May be NULL, with @disarm;
 *		0 or an error. event_mutex
 * @disarm:	its last one has gone. Does not fail, and does not wait, but where perf leaves an
 *		event probe. A hit that is under way may go on; it finds no user. event_mutex
 * @settle:	some were uninstalled: wait once for who is in a hit of one of them. May be NULL,
 *		if they are freed later. event_mutex
 * @module_comes: a module is about to run; kprobes, jump labels and tracepoints know it. Again
 *		when it is live. May be NULL. event_mutex
 * @module_goes: its functions have been left, and its tracepoints do not fire any more: its text is
 *		freed next. May be NULL. event_mutex
 * @users_changed: somebody has come, or a kind of user has gone, while there is another; the kinds
 *		were @before, and are the same if it was one more instance. May be NULL; 0 or an
 *		error for who has come
 * @file_arm:	an instance begins to record the event, @file: of events that happen for each
 *		instance apart. May be NULL; 0 or an error. event_mutex
 * @file_disarm: it ends. Nobody records there any more afterwards. event_mutex
 * @event_free:	frees probe_event.private. May be NULL
 * @perf:	TRACE_REG_PERF_OPEN, _CLOSE, _ADD and _DEL go there. May be NULL. event_mutex
 *		for the first two, but for what a child inherits
 */
struct probe_kind {
	struct dyn_event_kind	dyn;
	const char		*letters;
	const char		*loc;
	int	(*create)(struct dyn_command *cmd);
	void	(*show_type)(struct seq_file *m, const struct probe *p);
	void	(*show_place)(struct seq_file *m, const struct probe *p);
	const char		*group;
	int			call_flag;
	bool			headless;
	void	(*print_head)(struct trace_iterator *iter, int flags, const struct probe_event *e,
			      const unsigned long *head);
	bool	(*is_at)(const struct probe *p, const char *word);
	bool	(*same_place)(const struct probe *a, const struct probe *b);
	int	(*install)(struct probe *p, const struct dyn_command *cmd);
	void	(*uninstall)(struct probe *p);
	int	(*arm)(struct probe *p);
	void	(*disarm)(struct probe *p);
	void	(*settle)(void);
	void	(*module_comes)(struct module *mod);
	void	(*module_goes)(struct module *mod);
	int	(*users_changed)(struct probe_event *e, unsigned int before);
	int	(*file_arm)(struct probe_event *e, struct trace_event_file *file);
	void	(*file_disarm)(struct probe_event *e, struct trace_event_file *file);
	void	(*event_free)(struct probe_event *e);
	int	(*perf)(struct trace_event_call *call, enum trace_reg type, void *data);
};

/* What a kind's KIND_command.c has for it. */
#define PROBE_LINE_FUNCS(kind)						\
int kind##_create(struct dyn_command *cmd);				\
void kind##_show_type(struct seq_file *m, const struct probe *p);	\
void kind##_show_place(struct seq_file *m, const struct probe *p);	\
bool kind##_is_at(const struct probe *p, const char *word);		\
void kind##_free(struct dyn_event *ev);					\
int kind##_show_profile(struct seq_file *m, struct dyn_event *ev)

/* The same, as members of its struct probe_kind; hits are counted in the file KIND_profile. */
#define PROBE_LINE_MEMBERS(kind)					\
	.dyn.free		= kind##_free,				\
	.dyn.profile_file	= #kind "_profile",			\
	.dyn.show_profile	= kind##_show_profile,			\
	.create			= kind##_create,			\
	.show_type		= kind##_show_type,			\
	.show_place		= kind##_show_place,			\
	.is_at			= kind##_is_at

/* An instance that records a probe event. */
struct probe_file {
	struct list_head	list;		/* probe_event.files, RCU */
	struct trace_event_file	*file;
	struct rcu_head		rcu;
};

#define PROBE_FOR_TRACE		BIT(0)
#define PROBE_FOR_PERF		BIT(1)

/**
 * struct probe_text - what a user called a place
 * @next:	in probe_event.texts
 * @text:	a kprobe's function, a uprobe's file
 *
 * perf hands it to others, who look at it with no lock but while a perf_event is open.
 */
struct probe_text {
	struct probe_text	*next;
	char			text[];
};

/**
 * struct probe_event - an event with its probes
 * @call:	the event; call.class is @class
 * @class:	a class for it alone
 * @kind:	of all its probes
 * @at:		enum probe_at of all its probes (PROBE_ENTRY may differ)
 * @users:	PROBE_FOR_*; written under event_mutex, read when a probe is hit
 * @files:	struct probe_file; RCU, event_mutex
 * @only:	the one of @files if there is one, and no other user; else NULL. Written under
 *		event_mutex, read when a probe is hit
 * @probes:	struct probe; event_mutex, and probe_places_mutex where the event is known to others
 * @places:	how many probes look at it: those, and those that are stopped and not freed yet;
 *		event_mutex
 * @args:	by which records are printed: those of its first probe, and the event's own
 * @nr_args:	of @args
 * @texts:	of probes that have gone while perf had the event open; event_mutex
 * @samples_regs: how many of perf's events sample registers; event_mutex
 * @private:	of the kind
 */
struct probe_event {
	struct trace_event_call		call;
	struct trace_event_class	class;
	const struct probe_kind		*kind;
	unsigned int			at;
	unsigned int			users;
	struct list_head		files;
	struct trace_event_file		*only;
	struct list_head		probes;
	unsigned int			places;
	struct probe_arg		*args;
	unsigned int			nr_args;
	struct probe_text		*texts;
	unsigned int			samples_regs;
	void				*private;
};

/**
 * struct probe_arg - an argument of a probe
 * @name:	of the field
 * @text:	what was written for it, behind the =
 * @field:	type of an array's field, or NULL: @type says it
 * @type:	of the value, or of an array's element
 * @offset:	in the record, bytes
 * @count:	elements of an array, 0 if it is none
 */
struct probe_arg {
	char			*name;
	char			*text;
	char			*field;
	const struct probe_arg_type *type;
	unsigned int		offset;
	unsigned int		count;
};

/**
 * struct probe - a place that an event is at; embed it
 * @dyn:	its line in dynamic_events
 * @event:	what it belongs to; its own until it was appended to another
 * @link:	in probe_event.probes
 * @at:		enum probe_at
 * @nr_args:	arguments
 * @args:	the arguments
 * @prog:	fetches them, for a record of @event
 * @entry_args:	of a return probe: which arguments of the function are kept from its entry
 * @nr_entry_args: so many words, for probe_fetch_entry()
 * @missed:	counts hits that found no room for a record, or NULL: the kind's, which may count
 *		more there
 * @hits:	where the kind has counted such a hit before on this CPU, or NULL: it is taken away
 *		here when @missed counts it
 */
struct probe {
	struct dyn_event	dyn;
	struct probe_event	*event;
	struct list_head	link;
	unsigned int		at;
	unsigned int		nr_args;
	struct probe_arg	*args;
	struct probe_prog	*prog;
	u8			*entry_args;
	unsigned int		nr_entry_args;
	unsigned long		*missed;
	unsigned long __percpu	*hits;
};

/* Of those that are listed, the next one of a kind; NULL: the first one, or there is none. */
static inline struct probe *probe_next(const struct probe_kind *kind, struct probe *p)
{
	struct dyn_event *ev = p ? &p->dyn : list_entry(&dyn_events, struct dyn_event, list);

	list_for_each_entry_continue(ev, &dyn_events, list)
		if (ev->kind == &kind->dyn)
			return container_of(ev, struct probe, dyn);
	return NULL;
}

/* event_mutex; @p stays listed */
#define for_each_probe(p, kind)	\
	for (p = probe_next(kind, NULL); p; p = probe_next(kind, p))

static inline struct probe *probe_of(struct dyn_event *ev)
{
	return container_of(ev, struct probe, dyn);
}

static inline struct probe_event *probe_event_of(struct trace_event_call *call)
{
	return container_of(call, struct probe_event, call);
}

static inline bool probe_returns(const struct probe *p)
{
	return p->at & PROBE_RETURN;
}

static inline const char *probe_name(const struct probe *p)
{
	return p->event->call.name;
}

static inline const char *probe_group(const struct probe *p)
{
	return p->event->class.system;
}

/* Words in front of the arguments in a record of @e. */
static inline unsigned int probe_event_heads(const struct probe_event *e)
{
	if (e->kind->headless)
		return 0;
	return e->at & PROBE_RETURN ? 2 : 1;
}

static inline size_t probe_head_size(const struct probe *p)
{
	return probe_event_heads(p->event) * sizeof(long);
}

extern struct mutex probe_places_mutex;	/* probe_event.c */

/* event_mutex or probe_places_mutex, as long as it is used: it may go before the event does. */
static inline struct probe *probe_event_first(const struct probe_event *e)
{
	return list_first_entry(&e->probes, struct probe, link);
}

/* ---- making one: task context, no lock unless noted ---- */

/**
 * struct probe_parse - the arguments of a probe, while they are read
 * @cmd:	the command
 * @at:		enum probe_at
 * @function:	whose entry or return the probe is at, for BTF; of a tracepoint its stub,
 *		"__probestub_NAME"; or NULL
 * @attached:	with PROBE_ATTACHED
 * @builder:	the parser's own: the program so far
 * @btf:	the parser's own: where @function is described
 * @proto:	the parser's own: what @function takes and returns
 */
struct probe_parse {
	const struct dyn_command	*cmd;
	unsigned int			at;
	const char			*function;
	struct trace_event_call		*attached;
	struct probe_builder		*builder;
	struct btf			*btf;
	const struct btf_type		*proto;
};

int probe_parse_name(const struct dyn_command *cmd, char *at, char **group, char **event);
int probe_parse_maxactive(const struct dyn_command *cmd, char *at, const char *colon,
			  int *maxactive);
int probe_parse_return(const struct dyn_command *cmd, char *at, bool *returns);
__printf(1, 2) char *probe_auto_name(const char *fmt, ...);

int probe_init(struct probe *p, const struct probe_kind *kind, unsigned int at,
	       const char *group, const char *event);
int probe_init_named(struct probe *p, const struct probe_kind *kind, unsigned int at,
		     const char *group, const char *event, char *made);
void probe_destroy(struct probe *p);
int probe_parse_args(struct probe *p, struct probe_parse *ctx, int word);
int probe_complete(struct probe *p);
int probe_add(struct probe *p, const struct dyn_command *cmd, int word);
void probe_kind_register(struct probe_kind *kind);	/* boot */

/* Registers @kind, a variable, at boot. */
#define PROBE_KIND_INITCALL(kind)		\
static int __init kind##_init(void)		\
{						\
	probe_kind_register(&(kind));		\
	return 0;				\
}						\
core_initcall(kind##_init)

const struct probe_kind *probe_kind_of(const struct dyn_event_kind *dyn);
void probe_free(struct probe *p);		/* from dyn_event_kind.free; event_mutex */

void probe_print_kernel_head(struct trace_iterator *iter, int flags, const struct probe_event *e,
			     const unsigned long *head);

/* for dyn_event_kind.show_profile */
unsigned long probe_hits(const unsigned long __percpu *hits);

int probe_update_symbols(struct probe *p);
bool probe_module_is_there(const struct module *mod);

char *probe_text_dup(const char *text);		/* NULL without memory */
void probe_text_free(char *text);		/* may be NULL */
/* of a probe that was stopped, and is not freed yet; event_mutex */
void probe_text_put(struct probe *p, char *text);

/* ---- when one is hit: any context but where noted, preemption off ---- */

/* Bytes that the entry of a function keeps for its return. */
static inline size_t probe_entry_size(const struct probe *p)
{
	return p->nr_entry_args * sizeof(unsigned long);
}

void probe_fetch_entry(const struct probe *p, const struct probe_source *src,
		       unsigned long *entry);

/*
 * Records the hit wherever it is wanted in trace buffers. @head: the words in front of the
 * arguments, see struct probe_kind. @regs is for stack traces and may be NULL.
 */
bool probe_record(const struct probe *p, const struct probe_source *src,
		  const unsigned long *head, struct pt_regs *regs);
/* The same for one instance. */
void probe_record_file(const struct probe *p, const struct probe_source *src,
		       const unsigned long *head, struct pt_regs *regs,
		       struct trace_event_file *file);
/* For who has run the program already: the record, of which the header is not filled in. */
void probe_record_copy(struct trace_event_file *file, const void *record, unsigned int size);

#ifdef CONFIG_PERF_EVENTS
/* The hit for perf. @regs is what perf takes its sample from. */
void probe_record_perf(const struct probe *p, const struct probe_source *src,
		       const unsigned long *head, struct pt_regs *regs);
void probe_record_perf_copy(const struct probe *p, const void *record, unsigned int size,
			    struct pt_regs *regs);
#endif

/* per-CPU room for records with strings; task. 0 or -ENOMEM */
int probe_scratch_alloc(void);

#endif /* _KERNEL_TRACE_DYNEVENT_PROBE_H */
