/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program of a probe: all that it has to do to fill a record in, in one straight line. It has
 * one value that it works on, and another one that is kept for the elements of an array.
 */
#ifndef _KERNEL_TRACE_DYNEVENT_PROBE_PROG_H
#define _KERNEL_TRACE_DYNEVENT_PROBE_PROG_H

#include <linux/types.h>

struct probe_source;

enum probe_op {
	/* value = */
	PROBE_IMM,		/* .imm */
	PROBE_SYM,		/* .imm; where a symbol is, see probe_update_symbols() */
	PROBE_COMM,		/* address of the current task's name */
	PROBE_REG,		/* pt_regs at .imm */
	PROBE_SP,		/* stack pointer, of pt_regs */
	PROBE_STACK,		/* the kernel's stack, word .imm */
	PROBE_USTACK,		/* the user's */
	PROBE_RETVAL,		/* what the function returns, of pt_regs */
	PROBE_ARG,		/* argument .imm of the function, of pt_regs */
	PROBE_FREGS_SP,		/* the same of ftrace_regs */
	PROBE_FREGS_STACK,
	PROBE_FREGS_RETVAL,
	PROBE_FREGS_ARG,
	PROBE_KEPT,		/* word .imm of what the entry kept */
	PROBE_FILE,		/* where offset .imm of the file is in memory */
	PROBE_NUMBER,		/* of the attached record at .imm, .size bytes; .sign */
	PROBE_INSIDE,		/* address of what is at .imm of the attached record */
	PROBE_DYNAMIC,		/* address of what a __data_loc at .imm names; .sign: __rel_loc */

	/* value = the word at value + .imm; goes on .skip further if that is not there */
	PROBE_DEREF,
	PROBE_KEEP,		/* keep the value for the next PROBE_AGAIN */
	PROBE_AGAIN,		/* value = what was kept */
	PROBE_PERCPU,		/* value is that of a per-CPU variable: its address on this CPU */

	/* into the record at .dst */
	PROBE_PUT,		/* the value, .size bytes */
	PROBE_COPY,		/* .size bytes of memory at value + .imm; all or none, or with */
				/* .sign, of an array, what is there */
	PROBE_BITS,		/* keep bits of the .size bytes there: .imm = left | right << 8 */
	PROBE_EMPTY,		/* a __data_loc of nothing */
	PROBE_STR,		/* the string at value + .imm */
	PROBE_SYMBOL,		/* the symbol of the value */
	PROBE_TEXT,		/* .text */
	PROBE_END,
};

/* Which memory, for what reads it. */
enum probe_mem {
	PROBE_MEM_KERNEL,	/* any context; below the user's limit it is the user's */
	PROBE_MEM_USER,		/* any context: what is paged out is not there */
	PROBE_MEM_USER_SLEEP,	/* task context, pages come */
};

struct probe_insn {
	u8	op;
	u8	size;
	u16	skip;
	u32	dst : 27;
	u32	mem : 4;
	u32	sign : 1;
	union {
		s64		imm;
		const char	*text;		/* owned by the program */
	};
};

/* A symbol that PROBE_SYM has the address of; @name: SYMBOL[+-OFFSET] */
struct probe_symbol {
	unsigned int	insn;
	char		*name;
};

/**
 * struct probe_move - a value that goes into the record as it is
 * @op:		what fetches it, of whatever registers: PROBE_IMM, _ARG, _REG, _RETVAL, _KEPT or
 *		_NUMBER
 * @size:	in the record
 * @from:	with PROBE_NUMBER, bytes in the attached record
 * @sign:	with PROBE_NUMBER
 * @dst:	in the record
 * @imm:	as in struct probe_insn
 */
struct probe_move {
	u8	op;
	u8	size;
	u8	from;
	bool	sign;
	u32	dst;
	s64	imm;
};

/**
 * struct probe_prog - a program
 * @size:	bytes of the record, without strings
 * @base:	of these, where the arguments begin
 * @strings:	has some: the record gets longer
 * @may_fault:	reads memory: numbers that are not there are 0
 * @nr:		of @insns, with the PROBE_END
 * @nr_symbols:	of @symbols
 * @symbols:	looked up when the probe is registered and when a module has come
 * @moves:	the whole program, if nothing else is in it and the record is not longer than
 *		TRACE_EVENT_SCRATCH; else NULL. See probe_hit.h
 * @moves_end:	behind the last of them; side by side, one load takes both
 * @insns:	the program
 */
struct probe_prog {
	unsigned int		size;
	unsigned int		base;
	bool			strings;
	bool			may_fault;
	unsigned int		nr;
	unsigned int		nr_symbols;
	struct probe_symbol	*symbols;
	struct probe_move	*moves;
	struct probe_move	*moves_end;
	struct probe_insn	insns[] __counted_by(nr);
};

#define PROBE_MAX_SIZE		3072	/* bytes of all arguments, without strings */
#define PROBE_STRING_MAX	4096	/* bytes of one, with the NUL */

/* probe_fetch.c; context: as of the memory that it reads; preemption off unless it may sleep */
unsigned int probe_run(const struct probe_prog *prog, const struct probe_source *src,
		       void *record, unsigned int room);

void probe_prog_free(struct probe_prog *prog);

#endif /* _KERNEL_TRACE_DYNEVENT_PROBE_PROG_H */
