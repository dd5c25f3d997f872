/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that parse the arguments of a probe and make its program. */
#ifndef _KERNEL_TRACE_DYNEVENT_PROBE_PARSE_H
#define _KERNEL_TRACE_DYNEVENT_PROBE_PARSE_H

#include "command.h"
#include "probe.h"
#include "probe_prog.h"
#include "probe_type.h"

#define PROBE_MAX_EXPR		63	/* bytes of an argument, without its name */
#define PROBE_MAX_ARG_NAME	32
#define PROBE_MAX_ARRAY		64
/*
 * What the nesting of an argument is limited to: the places of a value that it comes from, with
 * what is fetched in between. The limit is that of the base.
 */
#define PROBE_MAX_STEPS		15

/*
 * An address that is followed; @users: it was written with u. Or, @percpu, one of a per-CPU
 * variable that becomes its address on this CPU.
 */
struct probe_deref {
	s64		offset;
	enum probe_mem	mem;
	bool		users;
	bool		percpu;
};

/**
 * struct probe_expr - what an argument's text means
 * @cmd:	for error_log
 * @ctx:	where the probe is
 * @probe:	whose argument it is
 * @word:	the argument, in the command
 * @pos:	in @word, where an error is that is found now
 * @fixed:	errors are at @word: the text is not the user's
 * @steps:	used of PROBE_MAX_STEPS
 * @first:	the value that all begins with
 * @symbol:	with PROBE_SYM its name, [+-offset] included
 * @nr_derefs:	of @derefs
 * @derefs:	innermost first
 * @btf:	where @btf_type is
 * @cast_btf:	the same, a reference, if it was written as a cast
 * @btf_type:	what BTF says that it is, NULL: nothing
 * @btf_bits:	bits of it if it is a bit field, 0 if not
 * @btf_shift:	of these, the first bit in its byte
 */
struct probe_expr {
	const struct dyn_command	*cmd;
	struct probe_parse		*ctx;
	struct probe			*probe;
	const char			*word;
	int				pos;
	bool				fixed;
	unsigned int			steps;
	struct probe_insn		first;
	char				*symbol;
	unsigned int			nr_derefs;
	struct probe_deref		derefs[PROBE_MAX_STEPS];
	struct btf			*btf;
	struct btf			*cast_btf;
	const struct btf_type		*btf_type;
	unsigned int			btf_bits;
	unsigned int			btf_shift;
};

static inline int probe_expr_error(const struct probe_expr *x, int pos, enum probe_error error,
				   int ret)
{
	return dyn_command_error(x->cmd, x->word + (x->fixed ? 0 : pos), error, ret);
}

int probe_expr_parse(struct probe_expr *x, char *text);
int probe_expr_follow(struct probe_expr *x, s64 offset, bool users);
int probe_expr_arg(struct probe_expr *x, unsigned int n);
int probe_expr_retval(struct probe_expr *x);
void probe_expr_free(struct probe_expr *x);

/**
 * struct probe_builder - a program that is being made
 * @nr:		instructions in @insns
 * @room:	for so many
 * @base:	where in the record the arguments begin
 * @size:	bytes of the record so far
 * @strings:	one of them is a string
 * @may_fault:	one of them reads memory
 * @nr_symbols:	of @symbols
 * @symbols:	as those of struct probe_prog
 * @insns:	the program
 */
struct probe_builder {
	struct probe_insn	*insns;
	unsigned int		nr;
	unsigned int		room;
	unsigned int		base;
	unsigned int		size;
	bool			strings;
	bool			may_fault;
	unsigned int		nr_symbols;
	struct probe_symbol	*symbols;
};

struct probe_bits {
	u8	left;
	u8	right;
};

int probe_build_arg(struct probe_builder *b, struct probe_expr *x, struct probe_arg *arg,
		    const struct probe_bits *bits);
struct probe_prog *probe_build_end(struct probe_builder *b);
void probe_builder_free(struct probe_builder *b);

#endif /* _KERNEL_TRACE_DYNEVENT_PROBE_PARSE_H */
