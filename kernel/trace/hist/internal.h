/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the files of this room:
 *
 *	text -> parse.c (parameters) -> make.c (a hist) -> command.c (a trigger)
 *	make.c -> expr.c, field.c, variable.c (one key, value, variable: struct hist_field, with its
 *	steps), actions.c
 *	a hit -> hit.c -> map.c, actions
 *	a read -> print.c, show.c, debug.c
 *
 * event_mutex is held by all that parses, sets, removes and shows. A hit takes no lock; what it
 * looks at is complete before the trigger is on its event, and is freed when no probe runs any
 * more.
 */
#ifndef _KERNEL_TRACE_HIST_INTERNAL_H
#define _KERNEL_TRACE_HIST_INTERNAL_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "../trigger/trigger.h"
#include "errors.h"
#include "hist.h"
#include "map.h"

struct seq_file;

#define HIST_KEYS_MAX		8
#define HIST_VALUES_MAX		8	/* with the hit count */
/* that a user may define; a bit is left in a word of as many */
#define HIST_VARS_MAX		(BITS_PER_LONG > 32 ? 32 : BITS_PER_LONG - 1)
#define HIST_VARS_TAKEN		BIT(BITS_PER_LONG - 1)
#define HIST_SLOTS_MAX		64	/* with those that actions keep: a bit each in a word */
#define HIST_REFS_MAX		48
#define HIST_SORT_MAX		2
#define HIST_ACTIONS_MAX	8
#define HIST_STACK_DEPTH	16	/* frames of a key or a variable */
#define HIST_STRING_MAX		256	/* bytes of a string, with the end, in keys and variables */
#define HIST_OPERATORS_MAX	3	/* in an expression */
#define HIST_DEFAULT_BITS	11

/* --- a value, compiled: a few steps on a small stack of numbers */

enum hist_op {
	HIST_OP_WORD,		/* number of 1, 2, 4, 8 bytes in the record, see hit.c */
	HIST_OP_LOAD,		/* the same where words may not be loaded from anywhere */
	HIST_OP_CONST,		/* @arg */
	HIST_OP_TIME,		/* of the instance's clock; @arg: 1 for us */
	HIST_OP_CPU,
	HIST_OP_PID,		/* of the current task: no header is needed for it */
	HIST_OP_REF,		/* hit->refs[@index] */
	HIST_OP_ADD,		/* the two on top; what follows replaces them */
	HIST_OP_SUB,
	HIST_OP_MUL,
	HIST_OP_DIV,		/* by zero: -1 */
	HIST_OP_NEG,
	HIST_OP_LOG2,
	HIST_OP_BUCKETS,	/* rounded down to a multiple of @arg */
};

#define HIST_STEPS_MAX	16	/* more than HIST_OPERATORS_MAX can ask for */

struct hist_step {
	u8	op;		/* enum hist_op */
	u8	shift;
	bool	is_signed;
	u8	size;
	u16	offset;
	u16	index;
	u64	arg;
};

/* Of texts that may be NULL. */
static inline bool hist_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* what a key, a variable or an argument is */
enum hist_kind {
	HIST_NUMBER,
	HIST_STRING,
	HIST_STACK,
};

/* where a string or a stack comes from */
enum hist_source {
	HIST_FROM_ARRAY,	/* fixed, in the record at @offset, @length bytes */
	HIST_FROM_DYNAMIC,	/* __data_loc at @offset */
	HIST_FROM_COUNTED,	/* the same, a stack that begins with its length */
	HIST_FROM_RELATIVE,	/* __rel_loc at @offset */
	HIST_FROM_POINTER,	/* a pointer at @offset */
	HIST_FROM_REF,		/* another hist's variable */
	HIST_FROM_HERE,		/* the stack of the event */
};

/* struct hist_field.flags; names as hist_debug prints them */
#define HIST_FL_HITCOUNT	BIT(0)
#define HIST_FL_KEY		BIT(1)
#define HIST_FL_VAR		BIT(2)	/* defines a variable */
#define HIST_FL_REF		BIT(3)	/* $x, by itself */
#define HIST_FL_ALIAS		BIT(4)	/* y=$x */
#define HIST_FL_EXPR		BIT(5)
#define HIST_FL_CONST		BIT(6)
#define HIST_FL_TIMESTAMP	BIT(7)	/* is one, or has one in it */
#define HIST_FL_USECS		BIT(8)
#define HIST_FL_CPU		BIT(9)
#define HIST_FL_HEX		BIT(10)
#define HIST_FL_SYM		BIT(11)
#define HIST_FL_SYM_OFFSET	BIT(12)
#define HIST_FL_EXECNAME	BIT(13)
#define HIST_FL_SYSCALL		BIT(14)
#define HIST_FL_STACKTRACE	BIT(15)
#define HIST_FL_LOG2		BIT(16)
#define HIST_FL_BUCKETS		BIT(17)
#define HIST_FL_PERCENT		BIT(18)
#define HIST_FL_GRAPH		BIT(19)
#define HIST_FL_STRING		BIT(20)
#define HIST_FL_QUANTILES	BIT(21)
#define HIST_FL_HIDDEN		BIT(22)	/* a variable that an action keeps */

/**
 * struct hist_field - a key, a value, a variable, a reference or an argument of an action
 * @flags:	HIST_FL_*
 * @kind:	number, string, stack
 * @var:	name of the variable, or NULL
 * @name:	as it is printed, without modifiers: name of a field, text of an expression
 * @type:	its C type
 * @field:	the event's field, or NULL
 * @size:	bytes, as the base counts them (hist_debug); 256 for a string that is no array
 * @is_signed:	of a number
 * @is_word:	its one step is HIST_OP_WORD
 * @slot:	number of the sum (a value) or of the variable in the entry (HIST_FL_VAR)
 * @ref:	HIST_FL_REF, _ALIAS: index in hist.refs
 * @constant:	HIST_FL_CONST
 * @buckets:	HIST_FL_BUCKETS
 * @source:	a string or a stack
 * @offset:	of it in the record
 * @length:	HIST_FROM_ARRAY: bytes
 * @nr_steps:	number of @steps; a number only
 * @steps:	what a hit does
 */
struct hist_field {
	u32			flags;
	enum hist_kind		kind;
	char			*var;
	char			*name;
	char			*type;
	struct ftrace_event_field *field;
	unsigned int		size;
	bool			is_signed;
	bool			is_word;
	u16			slot;
	s16			ref;
	u64			constant;
	u64			buckets;
	enum hist_source	source;
	u16			offset;
	u16			length;
	u16			nr_steps;
	struct hist_step	steps[];
};

/**
 * struct hist_ref - a variable that a hist reads
 * @hist:	whose it is, maybe the reader itself; NULL when that has gone
 * @flags:	of its definition: HIST_FL_TIMESTAMP, HIST_FL_USECS
 * @slot:	number of the variable
 * @once:	reading it takes it: who comes next finds it unset
 * @own:	@hist is the reader: read behind the update of the entry
 * @kind:	of the value; for a string it is a pointer to its text, for a stack to its frames
 * @system:	as it was written, or NULL
 * @event:	as it was written, or NULL
 * @name:	as it was written, without the $
 * @type:	of the variable
 * @size:	of the variable
 * @is_signed:	of the variable
 */
struct hist_ref {
	struct hist		*hist;
	u32			flags;
	u16			slot;
	bool			once;
	bool			own;
	enum hist_kind		kind;
	char			*system;
	char			*event;
	char			*name;
	char			*type;
	unsigned int		size;
	bool			is_signed;
};

/* what .quantiles tells of a value */
enum hist_quantile {
	HIST_QUANTILE_N,	/* how many there were */
	HIST_QUANTILE_P50,
	HIST_QUANTILE_P90,
	HIST_QUANTILE_P99,
	HIST_QUANTILE_P999,
	HIST_QUANTILE_MAX,
};

/**
 * struct hist_sort - in which order entries are printed
 * @index:	of a value, or nr_values + that of a key
 * @quantile:	of a value with HIST_FL_QUANTILES
 * @descending:	the largest first
 */
struct hist_sort {
	u8			index;
	enum hist_quantile	quantile;
	bool			descending;
};

/*
 * How a hit goes on, and what may be in its way: hist.state, which is 0 for the shortest way. The
 * bits are set and cleared on their own, by hits (enable_hist) and under event_mutex.
 */
#define HIST_PAUSED_BIT		0	/* by a user, or a hit of another event */
#define HIST_EMPTIED_BIT	1	/* its map is just being emptied, or it is being set */
#define HIST_STOPPED		(BIT(HIST_PAUSED_BIT) | BIT(HIST_EMPTIED_BIT))
#define HIST_COUNTS		0	/* a number of the record is the key; hits are counted */
#define HIST_ADDS		BIT(2)	/* any number is the key; sums and variables, all numbers */
#define HIST_WHOLE		BIT(3)	/* all else */

/**
 * struct hist - one hist trigger
 * @state:	HIST_PAUSED_BIT and so on, read by each hit
 * @map:	entries; shared by those of the same @name
 * @key:	the key of a hist that @state says HIST_COUNTS of
 * @vars_from:	offset of the variables in an entry, u64 each, and behind them a bit for each that
 *		is set, in one u64; there since there is a @map
 * @vars_all:	these bits; HIST_VARS_TAKEN beside them: somebody takes values when he reads them,
 *		so who sets one sets its bit, whether it is set or not
 * @list:	in hist_instance.hists, in the order they were set; event_mutex
 * @before:	where it was in there while it is in hist_instance.leaving
 * @trigger:	what hangs on the event; NULL while it is made
 * @tr:		the instance
 * @file:	the event in it
 * @name:	or NULL
 * @clock:	that is asked for, "global" if none is
 * @is_helper:	no user has set it, but an action that reads it; it goes with the last of these
 * @no_hitcount: do not print it
 * @needs_header: reads the record's header, beside the pid
 * @nr_values:	of @values; the first is the hit count
 * @nr_keys:	of @keys
 * @nr_vars:	of @vars, which is also the number of variables in an entry
 * @nr_refs:	of @refs
 * @nr_sort:	of @sort
 * @values:	what is summed up
 * @keys:	what an entry is found by
 * @vars:	variables, in the order of their definition; behind them those of actions
 *		(HIST_FL_HIDDEN). hist_field.slot is the index
 * @refs:	variables that are read
 * @sort:	in which order entries are printed
 * @nr_users:	references of other hists on variables of this one
 * @keeps_comm:	an entry's data begin with the name of a task, for .execname
 * @key_words:	of the longest key
 * @vars_at:	offset of the variables in an entry's data
 * @texts_at:	for each slot the offset of its string or stack in an entry's data, 0: a number
 * @sketch_at:	for each value with HIST_FL_QUANTILES the offset of its sketch in an entry's data
 * @nr_sketches: how many of these there are
 * @data_bytes:	of an entry
 * @actions:	struct hist_action, in the order of the command
 * @nr_actions:	of them
 * @nr_times:	how often a hit asks for the time; more than once: it is the same, hist_hit.time
 * @size_bits:	of the map
 */
struct hist {
	unsigned long		state;
	struct hist_map		*map;
	struct hist_step	key;
	u32			vars_from;
	unsigned long		vars_all;
	struct list_head	list;
	struct list_head	*before;
	struct event_trigger	*trigger;
	struct trace_array	*tr;
	struct trace_event_file	*file;
	char			*name;
	char			*clock;
	bool			is_helper;
	bool			no_hitcount;
	bool			needs_header;
	bool			keeps_comm;
	u8			nr_values;
	u8			nr_keys;
	u8			nr_vars;
	u8			nr_refs;
	u8			nr_sort;
	u8			size_bits;
	struct hist_field	*values[HIST_VALUES_MAX];
	struct hist_field	*keys[HIST_KEYS_MAX];
	struct hist_field	*vars[HIST_SLOTS_MAX];
	struct hist_ref		refs[HIST_REFS_MAX];
	struct hist_sort	sort[HIST_SORT_MAX];
	unsigned int		nr_users;
	u16			vars_at;
	u16			texts_at[HIST_SLOTS_MAX];
	u16			sketch_at[HIST_VALUES_MAX];
	u8			nr_sketches;
	u16			data_bytes;
	u16			key_words;
	struct list_head	actions;
	unsigned int		nr_actions;
	unsigned int		nr_times;
};

/* What this room has of an instance: trace_array.room[ROOM_HIST]; event_mutex. */
struct hist_instance {
	struct list_head	hists;
	struct list_head	leaving;	/* while a command replaces them */
	struct hist_action	*snapshot;	/* whose conditions snapshots are */
};

static inline struct hist_instance *hists_of(const struct trace_array *tr)
{
	return tr->room[ROOM_HIST];
}

/* --- a hit */

/**
 * struct hist_hit - what there is to know while a hist is hit; on the stack, preemption off
 * @hist:	the hist
 * @rec:	the event's record; its header is filled in only for a hist that @needs_header
 * @time:	of the record in the instance's buffer, for a hist that asks for it; 0: it is not
 *		there, ask the clock
 * @entry:	of the key
 * @refs:	values of hist->refs[]; a string's or stack's is a pointer into its entry
 * @key:	the words of the key
 * @words:	length of @key
 * @prefix:	words of the first n + 1 keys
 */
struct hist_hit {
	struct hist		*hist;
	void			*rec;
	u64			time;
	struct hist_entry	*entry;
	u64			*refs;
	u64			*key;
	unsigned int		words;
	u16			prefix[HIST_KEYS_MAX];
};

/* hit.c; any context, preemption off */
void hist_hit(struct event_trigger_hook *hook, void *rec, u64 time);
void hist_hit_more(struct event_trigger_hook *hook, void *rec, u64 time);

static inline bool hist_is_hook(const struct event_trigger_hook *hook)
{
	return hook->run == hist_hit || hook->run == hist_hit_more;
}

/* The value of a number that hist_field_parse() made; a reference: hit->refs[]. */
u64 hist_value(const struct hist_field *field, const struct hist_hit *hit);
/* A string, with its end, into @to of HIST_STRING_MAX bytes; the length with the end. */
unsigned int hist_string(const struct hist_field *field, const struct hist_hit *hit, char *to);
/*
 * A stack, ended by 0 unless it is full, into @to of HIST_STACK_DEPTH words; the number of frames.
 */
unsigned int hist_stack(const struct hist_field *field, const struct hist_hit *hit, u64 *to);

int hist_hit_init(void);	/* task; memory that hits need, once */

/* hist_file.c: somebody polls */
DECLARE_STATIC_KEY_FALSE(hist_polled);
void hist_poll_wake(void);

static __always_inline void hist_poll_hit(void)
{
	if (static_branch_unlikely(&hist_polled))
		hist_poll_wake();
}

/* Variables of an entry. A string's or a stack's value is a pointer to what the entry keeps. */
u64 hist_var_get(const struct hist *hist, const struct hist_entry *entry, unsigned int slot);
/* number, string or stack: from what @field says to the variable */
void hist_var_update(const struct hist *hist, struct hist_entry *entry, unsigned int slot,
		     const struct hist_field *field, const struct hist_hit *hit);

/* --- quantiles.c */

#define HIST_BUCKETS	976

struct hist_sketch;
unsigned int hist_sketch_bytes(void);
unsigned int hist_bucket_of(u64 value);
u64 hist_bucket_value(unsigned int bucket);
void hist_sketch_add(struct hist_sketch *sketch, u64 value);
u64 hist_sketch_quantile(const struct hist_sketch *sketch, enum hist_quantile which);
int hist_quantile_named(const char *name);
const char *hist_quantile_name(enum hist_quantile which);
void hist_sketch_print(struct seq_file *m, const char *name, const struct hist_sketch *sketch);

/* The variables of @entry, by their slots; there is a map. */
static inline u64 *hist_vars(const struct hist *hist, const struct hist_entry *entry)
{
	return (void *)entry + hist->vars_from;
}

static inline struct hist_sketch *hist_sketch_of(const struct hist *hist,
						 const struct hist_entry *entry,
						 unsigned int value)
{
	return hist_entry_data(hist->map, entry) + hist->sketch_at[value];
}

/* --- making a hist; task, event_mutex */

/**
 * struct hist_params - the parameters of a command, pointing into its copy
 * @keys:	behind "keys=", NULL if it was not given; so are all texts
 * @values:	behind "values="
 * @sort:	behind "sort="
 * @name:	behind "name="
 * @clock:	behind "clock="
 * @vars:	"x=...,y=..."
 * @nr_vars:	of @vars
 * @actions:	"onmax($x).save(a,b)"
 * @nr_actions:	of @actions
 * @bits:	the size is 1 << bits
 * @pause:	"pause"
 * @cont:	"continue"
 * @clear:	"clear"
 * @no_hitcount: "nohitcount"
 * @condition:	behind "if"
 */
struct hist_params {
	char		*keys;
	char		*values;
	char		*sort;
	char		*name;
	char		*clock;
	char		*vars[HIST_VARS_MAX];
	unsigned int	nr_vars;
	char		*actions[HIST_ACTIONS_MAX];
	unsigned int	nr_actions;
	unsigned int	bits;
	bool		pause;
	bool		cont;
	bool		clear;
	bool		no_hitcount;
	char		*condition;
};

/**
 * struct hist_parse - a command while it is parsed
 * @file:	event in an instance
 * @tr:		its instance
 * @hist:	what is made
 * @command:	the whole command, "hist:...", for error_log
 * @params:	its parameters
 * @compares:	the hist is only made to be compared with those that are there
 * @like:	with this one: what it reads is what references mean; error_log is told nothing
 * @in_actions:	the hist has its variables, and may read them
 * @is_helper:	the hist is made for an argument of another one, which sets the clock
 * @helper_times: such a hist was made for this one, and asks for the time
 */
struct hist_parse {
	struct trace_event_file	*file;
	struct trace_array	*tr;
	struct hist		*hist;
	char			*command;
	struct hist_params	params;
	bool			compares;
	const struct hist	*like;
	bool			in_actions;
	bool			is_helper;
	bool			helper_times;
};

/*
 * Note the error in error_log, with the caret at the first place where the text @at stands in the
 * command (as the base does), or at the end. -EINVAL.
 */
int hist_refuse(struct hist_parse *p, enum hist_error error, const char *at);

/* parse.c */
int hist_params_parse(struct hist_parse *p, char *text);
char *hist_split_condition(char *text);

/* what a field may be */
enum hist_role {
	HIST_AS_KEY = 1,
	HIST_AS_VALUE,
	HIST_AS_VAR,
	HIST_AS_ARG,	/* of an action */
};

/*
 * expr.c: an expression, constant, field or reference. @text is cut up. @var is the name of the
 * variable that is defined, copied, or NULL. References are added to p->hist->refs.
 */
struct hist_field *hist_field_parse(struct hist_parse *p, char *text, enum hist_role role,
				    const char *var);
void hist_field_free(struct hist_field *field);

/* field.c: one field with its modifier, of the event of @file */
struct hist_field *hist_atom_parse(struct hist_parse *p, char *text, enum hist_role role,
				   const char *var);
int hist_modifier_check(struct hist_parse *p, const struct hist_field *field, enum hist_role role,
			const char *whole);
/* a field without anything; NULL: no memory */
struct hist_field *hist_field_alloc(unsigned int nr_steps);
int hist_field_set_names(struct hist_field *field, const char *name, const char *type,
			 const char *var);

/* variable.c */
struct hist_field *hist_var_in(const struct hist *hist, const char *name);
struct hist *hist_var_on(struct trace_event_file *file, const char *name,
			 struct hist_field **var);
char *hist_var_definition(const struct hist_parse *p, const char *name);
/* the index of the reference in p->hist->refs[], or an error */
int hist_ref_add(struct hist_parse *p, struct hist *target, struct hist_field *var,
		 const char *system, const char *event, bool once);
/* such a reference as a field with HIST_FL_REF */
struct hist_field *hist_ref_field(struct hist_parse *p, int ref, const char *var);
/* $x, sys.ev.$x: @name with its $. @once: it is read in an expression */
struct hist_field *hist_ref_parse(struct hist_parse *p, const char *system, const char *event,
				  const char *name, const char *var, bool once);
/*
 * The variable @field, which has a name, becomes one of p->hist; the field is the hist's from then
 * on.
 */
int hist_var_add(struct hist_parse *p, struct hist_field *field);
bool hist_field_has_refs(const struct hist_field *field);
void hist_refs_release(struct hist *hist);
void hist_refs_cut(struct hist *hist);

/* command.c: what a user writes to a trigger file behind "hist:"; @text is cut up */
int hist_command(struct trace_event_file *file, char *text, bool remove);
/* the same of a hist that an action needs: hist.is_helper */
int hist_helper_command(struct trace_event_file *file, char *text);

/* make.c */
struct hist *hist_make(struct hist_parse *p);
void hist_free(struct hist *hist);
bool hist_same_fields(const struct hist *hist, const struct hist *other);

/* boot */
void hist_triggers_register(void);
void hist_switches_register(void);

/* show.c, print.c, debug.c */
u64 hist_hits(struct hist *hist);
size_t hist_print_size(struct hist *hist);
void hist_show_line(struct seq_file *m, const struct hist *hist);
void hist_show_keys(struct seq_file *m, const struct hist *hist);
const char *hist_column_name(const struct hist_field *field);
const char *hist_modifier_of(const struct hist_field *field);
int hist_print(struct seq_file *m, struct hist *hist);
void hist_print_key(struct seq_file *m, const struct hist *hist, const struct hist_entry *entry);
void hist_print_stack(struct seq_file *m, const u64 *frames, unsigned int nr);
void hist_debug(struct seq_file *m, struct hist *hist);

/* --- actions: handler and what it does, onmax($x).save(a,b); actions.c, action_*.c */

struct hist_action;

bool hist_is_action(const char *word);	/* does it begin with a handler? */

/*
 * Make the actions of p->params.actions[], when keys, values, variables and references are there
 * and the map is not. They may add variables (hist_var_add() of a field with HIST_FL_HIDDEN),
 * references (hist_ref_add()), and other hists (hist_helper_command()). On an error what was made
 * is left in p->hist->actions for hist_actions_destroy().
 */
int hist_actions_parse(struct hist_parse *p);	/* before all else: their words */
int hist_actions_create(struct hist_parse *p);
/* a variable of an event in onmatch(); NULL, or ERR_PTR(-EEXIST): several have one */
struct hist *hist_actions_var(struct hist_parse *p, const char *name, struct hist_field **var);
/* Get what is needed for running; may fail, then nothing has changed. Behind this nothing fails. */
int hist_actions_start(struct hist *hist);
void hist_actions_stop(struct hist *hist);	/* nobody runs them any more; cannot fail */
void hist_actions_clear(struct hist *hist);	/* what they keep beside the entries */
void hist_actions_destroy(struct hist *hist);
/* The key has its entry, which is updated, and hit->refs are all there. Any context. */
void hist_actions_run(struct hist *hist, struct hist_hit *hit);
bool hist_actions_same(const struct hist *hist, const struct hist *other);
void hist_actions_show(struct seq_file *m, const struct hist *hist);	/* ":onmax($x).save(a)" */
/* behind the values of an entry: max, and what was saved */
void hist_actions_print(struct seq_file *m, const struct hist *hist,
			const struct hist_entry *entry);
void hist_actions_print_end(struct seq_file *m, const struct hist *hist);	/* before Totals */
void hist_actions_debug(struct seq_file *m, const struct hist *hist);

#endif /* _KERNEL_TRACE_HIST_INTERNAL_H */
