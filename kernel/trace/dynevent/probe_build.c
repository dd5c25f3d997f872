// SPDX-License-Identifier: GPL-2.0-only
/*
 * From what the arguments of a probe mean to its program.
 *
 * What reads memory that is not there goes on with the next argument, or the next string of an
 * array; how far that is, is only known when it is there. So everything is unrolled, and nothing
 * in a program goes back.
 */
#include <linux/array_size.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "probe_parse.h"

#define CHUNK	128U	/* bytes of an array that are copied in one go: a multiple of all sizes */

static struct probe_insn *emit(struct probe_builder *b, enum probe_op op)
{
	struct probe_insn *insn;

	if (b->nr == b->room) {
		unsigned int room = b->room ? 2 * b->room : 16;

		insn = krealloc_array(b->insns, room, sizeof(*insn), GFP_KERNEL);
		if (!insn)
			return NULL;
		b->insns = insn;
		b->room = room;
	}
	insn = &b->insns[b->nr++];
	memset(insn, 0, sizeof(*insn));
	insn->op = op;
	return insn;
}

static int emit_deref(struct probe_builder *b, const struct probe_deref *deref, s64 more)
{
	struct probe_insn *insn = emit(b, deref->percpu ? PROBE_PERCPU : PROBE_DEREF);

	if (!insn)
		return -ENOMEM;
	if (deref->percpu)
		return 0;
	insn->imm = deref->offset + more;
	insn->mem = deref->mem;
	b->may_fault = true;
	return 0;
}

/* What fails between @from and here goes on here. */
static void land(struct probe_builder *b, unsigned int from)
{
	for (unsigned int i = from; i < b->nr; i++)
		if (!b->insns[i].skip)
			b->insns[i].skip = b->nr - i - 1;
}

static int emit_value(struct probe_builder *b, struct probe_expr *x, unsigned int nr_derefs)
{
	struct probe_insn *insn;

	if (x->symbol) {
		struct probe_symbol *symbols;

		symbols = krealloc_array(b->symbols, b->nr_symbols + 1, sizeof(*symbols),
					 GFP_KERNEL);
		if (!symbols)
			return -ENOMEM;
		b->symbols = symbols;
		symbols += b->nr_symbols++;
		symbols->insn = b->nr;
		symbols->name = x->symbol;
		x->symbol = NULL;
	}
	insn = emit(b, x->first.op);
	if (!insn)
		return -ENOMEM;
	*insn = x->first;

	for (unsigned int i = 0; i < nr_derefs; i++)
		if (emit_deref(b, &x->derefs[i], 0))
			return -ENOMEM;
	return 0;
}

static int emit_into(struct probe_builder *b, enum probe_op op, unsigned int dst,
		     unsigned int size, const struct probe_deref *from, s64 more)
{
	struct probe_insn *insn = emit(b, op);

	if (!insn)
		return -ENOMEM;
	insn->dst = dst;
	insn->size = size;
	if (from) {
		insn->imm = from->offset + more;
		insn->mem = from->mem;
		b->may_fault = true;
	}
	return 0;
}

static int build_number(struct probe_builder *b, struct probe_expr *x, struct probe_arg *arg,
			const struct probe_bits *bits)
{
	unsigned int size = arg->type->size, total = size * (arg->count ?: 1);
	const struct probe_deref *last = NULL;
	struct probe_insn *insn;
	int ret;

	if (x->nr_derefs && !x->derefs[x->nr_derefs - 1].percpu)
		last = &x->derefs[x->nr_derefs - 1];
	ret = emit_value(b, x, x->nr_derefs - !!last);
	if (!ret && !last)
		ret = emit_into(b, PROBE_PUT, arg->offset, size, NULL, 0);
	for (unsigned int at = 0; !ret && last && at < total; at += CHUNK) {
		ret = emit_into(b, PROBE_COPY, arg->offset + at, min(CHUNK, total - at), last, at);
		if (!ret)
			b->insns[b->nr - 1].sign = !!arg->count;
	}

	for (unsigned int at = 0; !ret && bits && at < total; at += size) {
		insn = emit(b, PROBE_BITS);
		if (!insn)
			return -ENOMEM;
		insn->dst = arg->offset + at;
		insn->size = size;
		insn->imm = bits->left | bits->right << 8;
	}
	return ret;
}

static int build_text(struct probe_builder *b, struct probe_expr *x, unsigned int dst)
{
	struct probe_insn *insn = emit(b, PROBE_TEXT);

	if (!insn)
		return -ENOMEM;
	insn->dst = dst;
	insn->text = x->first.text;
	x->first.op = PROBE_END;	/* the text is the program's now */
	return 0;
}

static enum probe_mem string_mem(const struct probe_expr *x, const struct probe_arg *arg)
{
	if (x->ctx->at & PROBE_USER)
		return x->first.op == PROBE_COMM && !x->nr_derefs ?
		       PROBE_MEM_KERNEL : PROBE_MEM_USER_SLEEP;
	return arg->type->string == PROBE_USTRING ? PROBE_MEM_USER : PROBE_MEM_KERNEL;
}

static int build_string(struct probe_builder *b, struct probe_expr *x, struct probe_arg *arg)
{
	struct probe_deref end = { .mem = string_mem(x, arg) };
	unsigned int nr = x->nr_derefs;
	int ret;

	ret = emit_into(b, PROBE_EMPTY, arg->offset, 0, NULL, 0);
	if (ret)
		return ret;
	if (x->first.op == PROBE_TEXT)
		return build_text(b, x, arg->offset);

	if (arg->type->string == PROBE_SYMSTR)
		return emit_value(b, x, nr) ?:
		       emit_into(b, PROBE_SYMBOL, arg->offset, 0, NULL, 0);

	if (nr && !x->derefs[nr - 1].percpu) {
		end.offset = x->derefs[--nr].offset;
		if (x->derefs[nr].mem != PROBE_MEM_KERNEL)
			end.mem = x->derefs[nr].mem;
	}
	return emit_value(b, x, nr) ?: emit_into(b, PROBE_STR, arg->offset, 0, &end, 0);
}

/* An array of pointers to strings */
static int build_strings(struct probe_builder *b, struct probe_expr *x, struct probe_arg *arg)
{
	struct probe_deref end = { .mem = string_mem(x, arg) };
	const struct probe_deref *last = &x->derefs[x->nr_derefs - 1];
	unsigned int i, from;
	int ret = 0;

	if (last->mem != PROBE_MEM_KERNEL)
		end.mem = last->mem;
	for (i = 0; !ret && i < arg->count; i++)
		ret = emit_into(b, PROBE_EMPTY, arg->offset + i * arg->type->size, 0, NULL, 0);
	ret = ret ?: emit_value(b, x, x->nr_derefs - 1);
	if (!ret && !emit(b, PROBE_KEEP))
		ret = -ENOMEM;
	for (i = 0; !ret && i < arg->count; i++) {
		from = b->nr;
		if (!emit(b, PROBE_AGAIN))
			return -ENOMEM;
		ret = emit_deref(b, last, i * sizeof(char *)) ?:
		      emit_into(b, PROBE_STR, arg->offset + i * arg->type->size, 0, &end, 0);
		if (!ret)
			land(b, from);
	}
	return ret;
}

/**
 * probe_build_arg - add an argument to a program
 * @b: the program
 * @x: where the value comes from; what it owns may be taken over
 * @arg: its type and count; gets its place in the record
 * @bits: which bits of it are wanted, NULL: all
 *
 * Context: task.
 * Return: 0 or -ENOMEM.
 */
int probe_build_arg(struct probe_builder *b, struct probe_expr *x, struct probe_arg *arg,
		    const struct probe_bits *bits)
{
	unsigned int from = b->nr;
	int ret;

	arg->offset = b->size;
	b->size += arg->type->size * (arg->count ?: 1);
	if (!arg->type->string) {
		ret = build_number(b, x, arg, bits);
	} else {
		b->strings = true;
		ret = arg->count ? build_strings(b, x, arg) : build_string(b, x, arg);
	}
	if (!ret)
		land(b, from);
	return ret;
}

/*
 * Where argument @n of a function is in its registers, if that is one place for all that are there:
 * then a hit need not look it up. -1: it is looked up, or in no register.
 */
static int arg_register(unsigned int n)
{
#ifdef CONFIG_X86_64
	static const u8 offsets[] = {
		offsetof(struct pt_regs, di), offsetof(struct pt_regs, si),
		offsetof(struct pt_regs, dx), offsetof(struct pt_regs, cx),
		offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
	};

	if (n < ARRAY_SIZE(offsets))
		return offsets[n];
#endif
	return -1;
}

/* What the pair of an instruction that fetches and a PUT is; false: something else. */
static bool is_move(const struct probe_insn *fetch, struct probe_move *move)
{
	const struct probe_insn *put = fetch + 1;
	int at;

	*move = (struct probe_move) {
		.op	= fetch->op,
		.size	= put->size,
		.from	= fetch->size,
		.sign	= fetch->sign,
		.dst	= put->dst,
		.imm	= fetch->imm,
	};
	switch (fetch->op) {
	case PROBE_FREGS_ARG:
	case PROBE_ARG:
		at = arg_register(fetch->imm);
		move->op = at < 0 ? PROBE_ARG : PROBE_REG;
		if (at >= 0)
			move->imm = at;
		break;
	case PROBE_FREGS_RETVAL:
		move->op = PROBE_RETVAL;
		break;
	case PROBE_IMM:
	case PROBE_RETVAL:
	case PROBE_KEPT:
	case PROBE_NUMBER:
		break;
	default:
		return false;
	}
	return put->op == PROBE_PUT;
}

/*
 * Who runs moves begins the record with trace_event_buffer_begin(), which has no place for longer
 * ones. false: no memory
 */
static bool find_moves(struct probe_prog *prog)
{
	unsigned int nr = prog->nr / 2;	/* the PROBE_END is left over */
	struct probe_move *moves;

	prog->moves = NULL;
	prog->moves_end = NULL;
	if (prog->nr % 2 == 0 || prog->size > TRACE_EVENT_SCRATCH)
		return true;
	moves = kcalloc(max(nr, 1), sizeof(*moves), GFP_KERNEL);
	if (!moves)
		return false;
	for (unsigned int i = 0; i < nr; i++) {
		if (!is_move(&prog->insns[2 * i], &moves[i])) {
			kfree(moves);
			return true;
		}
	}
	prog->moves = moves;
	prog->moves_end = moves + nr;
	return true;
}

/**
 * probe_build_end - the program is complete
 * @b: what it is made of, and which is empty afterwards
 *
 * Context: task.
 * Return: the program or NULL.
 */
struct probe_prog *probe_build_end(struct probe_builder *b)
{
	struct probe_prog *prog;

	if (!emit(b, PROBE_END))
		return NULL;
	prog = kmalloc(struct_size(prog, insns, b->nr), GFP_KERNEL);
	if (!prog)
		return NULL;
	prog->size = b->size;
	prog->base = b->base;
	prog->strings = b->strings;
	prog->may_fault = b->may_fault;
	prog->nr = b->nr;
	prog->nr_symbols = b->nr_symbols;
	prog->symbols = b->symbols;
	memcpy(prog->insns, b->insns, b->nr * sizeof(*b->insns));
	if (!find_moves(prog)) {
		kfree(prog);
		return NULL;
	}
	kfree(b->insns);
	memset(b, 0, sizeof(*b));
	return prog;
}

static void free_parts(struct probe_insn *insns, unsigned int nr, struct probe_symbol *symbols,
		       unsigned int nr_symbols)
{
	for (unsigned int i = 0; i < nr; i++)
		if (insns[i].op == PROBE_TEXT)
			kfree(insns[i].text);
	for (unsigned int i = 0; i < nr_symbols; i++)
		kfree(symbols[i].name);
	kfree(symbols);
}

void probe_builder_free(struct probe_builder *b)
{
	free_parts(b->insns, b->nr, b->symbols, b->nr_symbols);
	kfree(b->insns);
}

void probe_prog_free(struct probe_prog *prog)
{
	if (!prog)
		return;
	free_parts(prog->insns, prog->nr, prog->symbols, prog->nr_symbols);
	kfree(prog->moves);
	kfree(prog);
}
