// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names in arguments of probes, if the kernel has its types with it (BTF):
 *
 *	NAME			a parameter of the function
 *	NAME->MEMBER.MEMBER	what it points to, and so on
 *	$retval->MEMBER		of what the function returns
 *	(STRUCT)VALUE->MEMBER	of a structure that any value points to
 *
 * What is found has a type, which is the argument's unless another one is written. All of it
 * becomes addresses that are followed, as +OFFSET(...) does; nothing of BTF is there when a probe
 * is hit.
 */
#include <linux/btf.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "probe_btf.h"

/* Which function it is, and what it takes. 0, or -ENOENT. */
static int find_function(struct probe_parse *ctx)
{
	const struct btf_type *func, *proto;
	struct btf *btf;
	s32 id;

	if (ctx->proto)
		return 0;
	if (!ctx->function || !(ctx->at & (PROBE_ENTRY | PROBE_RETURN | PROBE_TRACEPOINT)))
		return -ENOENT;
	id = bpf_find_btf_id(ctx->function, BTF_KIND_FUNC, &btf);
	if (id < 0)
		return -ENOENT;
	func = btf_type_by_id(btf, id);
	proto = func ? btf_type_by_id(btf, func->type) : NULL;
	if (!proto || !btf_type_is_func_proto(proto)) {
		btf_put(btf);
		return -ENOENT;
	}
	ctx->btf = btf;
	ctx->proto = proto;
	return 0;
}

/* The first parameter of a tracepoint's stub is not one of the tracepoint. */
static unsigned int first_param(const struct probe_parse *ctx)
{
	return ctx->at & PROBE_TRACEPOINT ? 1 : 0;
}

static const struct btf_param *param(const struct probe_parse *ctx, unsigned int n)
{
	return (const struct btf_param *)(ctx->proto + 1) + n;
}

static const char *param_name(const struct probe_parse *ctx, unsigned int n)
{
	return btf_name_by_offset(ctx->btf, param(ctx, n)->name_off) ?: "";
}

/* What parameter @n is, is the type. */
static int take_param(struct probe_expr *x, unsigned int n)
{
	x->btf = x->ctx->btf;
	x->btf_type = btf_type_skip_modifiers(x->btf, param(x->ctx, n)->type, NULL);
	if (!x->btf_type)
		return probe_expr_error(x, x->pos, PROBE_ERR_BAD_BTF_TID, -EINVAL);
	return 0;
}

static int take_retval(struct probe_expr *x)
{
	const struct btf_type *type;

	/* without its types a function may return anything */
	if (find_function(x->ctx))
		return 0;
	type = btf_type_skip_modifiers(x->ctx->btf, x->ctx->proto->type, NULL);
	if (!type || btf_type_is_void(type))
		return probe_expr_error(x, x->pos, PROBE_ERR_NO_RETVAL, -ENOENT);
	x->btf = x->ctx->btf;
	x->btf_type = type;
	return 0;
}

/**
 * probe_btf_number - $argN: is there such a parameter, and what is it?
 * @x: the argument
 * @n: N - 1
 *
 * Context: task.
 * Return: 0, also if nobody knows; or an error that error_log tells of.
 */
int probe_btf_number(struct probe_expr *x, unsigned long n)
{
	if (find_function(x->ctx))
		return 0;
	n += first_param(x->ctx);
	if (n >= btf_type_vlen(x->ctx->proto))
		return probe_expr_error(x, x->pos, PROBE_ERR_NO_BTFARG, -ENOENT);
	return take_param(x, n);
}

/* --- members */

/*
 * Cuts the first name off @text. What is behind it goes to *@next, NULL for nothing.
 * 1 if that is a member of what it points to, 0 if it is one of itself, or an error.
 */
static int cut_name(struct probe_expr *x, char *text, char **next)
{
	char *end = strpbrk(text, ".-");

	*next = NULL;
	if (!end)
		return 0;
	if (*end == '.') {
		*end = '\0';
		*next = end + 1;
		return 0;
	}
	if (end[1] != '>')
		return probe_expr_error(x, x->pos + (end - text), PROBE_ERR_BAD_HYPHEN, -EINVAL);
	*end = '\0';
	*next = end + 2;
	return 1;
}

/*
 * One that has no name has its members where it stands. At most as deep as C nests them. *@in is
 * where the search begins, and then the structure that has the member.
 */
static const struct btf_member *find_member(struct btf *btf, const struct btf_type **in,
					    const char *name, unsigned int *bits, int depth)
{
	const struct btf_member *member, *found;
	const struct btf_type *type = *in;
	int i;

	for_each_member(i, type, member) {
		const char *its = btf_name_by_offset(btf, member->name_off);
		unsigned int at = __btf_member_bit_offset(type, member);
		const struct btf_type *inner;

		if (its && *its) {
			if (strcmp(its, name))
				continue;
			*bits += at;
			return member;
		}
		inner = btf_type_skip_modifiers(btf, member->type, NULL);
		if (!inner || !btf_type_is_struct(inner) || depth > 16)
			continue;
		found = find_member(btf, &inner, name, bits, depth + 1);
		if (found) {
			*in = inner;
			*bits += at;
			return found;
		}
	}
	return NULL;
}

/* The member's own structure says how many bits it has. */
static unsigned int bit_size(const struct btf_type *type, const struct btf_member *member)
{
	return btf_type_kflag(type) ? BTF_MEMBER_BITFIELD_SIZE(member->offset) : 0;
}

/* Names with dots between them, in what x->btf_type is. @text ends as NULL or behind an arrow. */
static int add_members(struct probe_expr *x, char **text, unsigned int *bits)
{
	struct btf *btf = x->btf;
	int arrow;

	do {
		const struct btf_type *type = x->btf_type;
		const struct btf_member *member;
		char *name = *text;

		arrow = cut_name(x, name, text);
		if (arrow < 0)
			return arrow;
		if (!btf_type_is_struct(type))
			return probe_expr_error(x, x->pos, PROBE_ERR_NO_PTR_STRCT, -EINVAL);
		member = find_member(btf, &type, name, bits, 0);
		if (!member)
			return probe_expr_error(x, x->pos, PROBE_ERR_NO_BTF_FIELD, -ENOENT);
		x->btf_bits = bit_size(type, member);
		x->btf_type = btf_type_skip_modifiers(btf, member->type, NULL);
		if (!x->btf_type)
			return probe_expr_error(x, x->pos, PROBE_ERR_BAD_BTF_TID, -EINVAL);
		if (*text)
			x->pos += *text - name;
	} while (!arrow && *text);
	return 0;
}

/* The same, in memory that the value so far is the address of. */
static int follow_members(struct probe_expr *x, char **text)
{
	unsigned int bits = 0;
	int ret = add_members(x, text, &bits) ?: probe_expr_follow(x, bits / 8, false);

	if (!ret)
		x->btf_shift = bits % 8;
	return ret;
}

static int parse_members(struct probe_expr *x, char *text)
{
	int ret;

	while (text) {
		if (!x->btf_type || !btf_type_is_ptr(x->btf_type))
			return probe_expr_error(x, x->pos, PROBE_ERR_NO_PTR_STRCT, -EINVAL);
		x->btf_type = btf_type_skip_modifiers(x->btf, x->btf_type->type, NULL);
		if (!x->btf_type)
			return probe_expr_error(x, x->pos, PROBE_ERR_BAD_BTF_TID, -EINVAL);
		ret = follow_members(x, &text);
		if (ret)
			return ret;
	}
	return 0;
}

static int find_param(struct probe_expr *x, const char *name)
{
	struct probe_parse *ctx = x->ctx;

	if (find_function(ctx))
		return probe_expr_error(x, x->pos, PROBE_ERR_NO_BTF_ENTRY, -ENOENT);
	for (unsigned int n = first_param(ctx); n < btf_type_vlen(ctx->proto); n++)
		if (!strcmp(param_name(ctx, n), name))
			return take_param(x, n) ?: probe_expr_arg(x, n);
	return probe_expr_error(x, x->pos, PROBE_ERR_NO_BTFARG, -ENOENT);
}

/**
 * probe_btf_variable - a parameter by its name, or $retval, with members
 * @x: the argument
 * @text: the names; cut up
 *
 * Context: task.
 * Return: 0, or an error that error_log tells of.
 */
int probe_btf_variable(struct probe_expr *x, char *text)
{
	char *members;
	int arrow, ret;

	if (!(x->ctx->at & (PROBE_ENTRY | PROBE_RETURN | PROBE_TRACEPOINT)) ||
	    (x->ctx->at & PROBE_USER))
		return probe_expr_error(x, x->pos, PROBE_ERR_NOSUP_BTFARG, -EOPNOTSUPP);
	arrow = cut_name(x, text, &members);
	if (arrow < 0)
		return arrow;
	if (members && !arrow)
		return probe_expr_error(x, x->pos, PROBE_ERR_NOSUP_DAT_ARG, -EOPNOTSUPP);

	if (!strcmp(text, "$retval"))
		ret = take_retval(x) ?: probe_expr_retval(x);
	else
		ret = find_param(x, text);
	if (ret || !members)
		return ret;
	x->pos += members - text;
	return parse_members(x, members);
}

/* --- casts */

void probe_btf_expr_free(struct probe_expr *x)
{
	if (x->cast_btf)
		btf_put(x->cast_btf);
	x->cast_btf = NULL;
}

/* The structure of that name, and x->btf where it is. */
static int find_struct(struct probe_expr *x, const char *name)
{
	static const u32 kinds[] = { BTF_KIND_STRUCT, BTF_KIND_UNION, BTF_KIND_TYPEDEF };

	for (int i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct btf *btf;
		s32 id = bpf_find_btf_id(name, kinds[i], &btf);

		if (id < 0)
			continue;
		x->btf_type = btf_type_skip_modifiers(btf, id, NULL);
		if (x->btf_type && btf_type_is_struct(x->btf_type)) {
			probe_btf_expr_free(x);		/* of a cast in this one */
			x->cast_btf = btf;
			x->btf = btf;
			return 0;
		}
		btf_put(btf);
	}
	x->btf_type = NULL;
	return probe_expr_error(x, x->pos, PROBE_ERR_NO_PTR_STRCT, -ENOENT);
}

/* The first arrow behind a value that may have arrows, and braces, in its own braces. */
static char *find_arrow(char *text)
{
	int depth = 0;

	for (; *text; text++) {
		depth += (*text == '(') - (*text == ')');
		if (!depth && str_has_prefix(text, "->"))
			return text;
	}
	return NULL;
}

/**
 * probe_btf_cast - members of what a value points to, whatever type that has
 * @x: the argument
 * @text: it, without the opening brace; cut up
 *
 * Context: task.
 * Return: 0, or an error that error_log tells of.
 */
int probe_btf_cast(struct probe_expr *x, char *text)
{
	char *close = strchr(text, ')'), *arrow;
	int pos = x->pos, ret;

	arrow = close ? find_arrow(close + 1) : NULL;
	if (!arrow || arrow == close + 1 || close[1] == '(')
		return probe_expr_error(x, pos, PROBE_ERR_BAD_FETCH_ARG, -EINVAL);
	if (x->ctx->at & PROBE_USER)
		return probe_expr_error(x, pos, PROBE_ERR_NOSUP_BTFARG, -EINVAL);
	*close = '\0';
	*arrow = '\0';

	x->pos = pos + (close + 2 - text);
	ret = probe_expr_parse(x, close + 1);
	if (ret)
		return ret;
	x->pos = pos + (close + 2 - text);
	if (!x->nr_derefs && (x->first.op == PROBE_COMM || x->first.op == PROBE_TEXT))
		return probe_expr_error(x, x->pos, PROBE_ERR_COMM_CANT_DEREF, -EINVAL);

	x->pos = pos + 1;
	ret = find_struct(x, text);
	if (ret)
		return ret;
	x->pos = pos + (arrow + 3 - text);
	text = arrow + 2;
	ret = follow_members(x, &text);
	return ret ?: parse_members(x, text);
}

/* --- types */

/* What an argument is that no type was written for; NULL: nobody knows. */
const struct probe_arg_type *probe_btf_type(const struct probe_expr *x)
{
	static const char * const names[][4] = {
		{ "u8", "u16", "u32", "u64" },
		{ "s8", "s16", "s32", "s64" },
	};
	const struct btf_type *type = x->btf_type;

	if (!type)
		return NULL;
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
		return probe_type_find("x64");
	case BTF_KIND_ENUM:
		/* a packed one is as small as its values */
		if (type->size < sizeof(u32))
			return probe_type_find(type->size == 1 ? "u8" : "u16");
		return probe_type_find("u32");
	case BTF_KIND_ENUM64:
		return probe_type_find("u64");
	case BTF_KIND_INT:
		if (type->size > 8 || !is_power_of_2(type->size))
			return NULL;
		return probe_type_find(names[btf_type_is_signed_int(type)][ilog2(type->size)]);
	}
	return NULL;
}

/* Is it a bit field, and which bits? */
bool probe_btf_bits(const struct probe_expr *x, const struct probe_arg_type *type,
		    struct probe_bits *bits)
{
	unsigned int room = type->size * 8;

	if (!x->btf_bits || x->btf_bits + x->btf_shift > room)
		return false;
	bits->left = room - (x->btf_bits + x->btf_shift);
	bits->right = room - x->btf_bits;
	return true;
}

static bool is_char(const struct btf_type *type)
{
	return type && btf_type_is_int(type) && type->size == 1;
}

/*
 * A string is written for it: a pointer to characters is followed, and an array of them is one.
 * Of anything else the caret is at the name, not at the type: as ever.
 */
int probe_btf_string(struct probe_expr *x)
{
	const struct btf_type *type = x->btf_type;
	struct btf *btf = x->btf;

	if (!type)
		return 0;
	if (btf_type_is_ptr(type) && is_char(btf_type_skip_modifiers(btf, type->type, NULL)))
		return probe_expr_follow(x, 0, false);
	if (btf_type_is_array(type) && x->nr_derefs &&
	    is_char(btf_type_skip_modifiers(btf, btf_array(type)->type, NULL)))
		return 0;
	return probe_expr_error(x, x->pos, PROBE_ERR_BAD_TYPE4STR, -EINVAL);
}

/* --- $arg* */

/**
 * probe_btf_arg_names - the parameters of the function
 * @ctx: where the probe is
 * @word: for error_log
 * @names: where an array of their names goes, to be freed
 *
 * Context: task.
 * Return: how many, or an error that error_log tells of.
 */
int probe_btf_arg_names(struct probe_parse *ctx, const char *word, char ***names)
{
	unsigned int nr, first = first_param(ctx);

	if (!(ctx->at & (PROBE_ENTRY | PROBE_RETURN | PROBE_TRACEPOINT)))
		return dyn_command_error(ctx->cmd, word, PROBE_ERR_NOFENTRY_ARGS, -EINVAL);
	if (find_function(ctx))
		return dyn_command_error(ctx->cmd, word, PROBE_ERR_NO_BTF_ENTRY, -ENOENT);
	nr = btf_type_vlen(ctx->proto) - first;
	/* the last one of a function with variable arguments has no name */
	if (nr && !*param_name(ctx, first + nr - 1))
		nr--;
	*names = kcalloc(max(nr, 1U), sizeof(**names), GFP_KERNEL);
	if (!*names)
		return -ENOMEM;
	for (unsigned int i = 0; i < nr; i++)
		(*names)[i] = (char *)param_name(ctx, first + i);
	return nr;
}

/**
 * probe_btf_arg_name - what $argN is called
 * @ctx: where the probe is
 * @n: N, counted from 1
 *
 * Context: task.
 * Return: the name, valid until probe_btf_end(); NULL if nobody knows.
 */
const char *probe_btf_arg_name(struct probe_parse *ctx, unsigned long n)
{
	const char *name;

	if (find_function(ctx))
		return NULL;
	if (!n || n > btf_type_vlen(ctx->proto) - first_param(ctx))
		return NULL;
	name = param_name(ctx, first_param(ctx) + n - 1);
	return *name ? name : NULL;
}

void probe_btf_end(struct probe_parse *ctx)
{
	if (ctx->btf)
		btf_put(ctx->btf);
	ctx->btf = NULL;
	ctx->proto = NULL;
}
