// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arguments of a probe: NAME=VALUE:TYPE, where the value is for probe_expr.c. When all have
 * been read, their program is complete, and nothing of it can fail later.
 */
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../instance/error_log.h"
#include "probe_btf.h"
#include "probe_parse.h"

#define MAXACTIVE_MAX	4096

const char *probe_error_texts[] = { PROBE_ERRORS(ERROR_TEXT) };

/* A name as in C, with what @more has. */
static bool good_name(const char *name, const char *more)
{
	if (!isalpha(*name) && *name != '_')
		return false;
	while (*++name)
		if (!isalpha(*name) && !isdigit(*name) && *name != '_' && !strchr(more, *name))
			return false;
	return true;
}

/* --- the name of the event */

/**
 * probe_parse_name - [GROUP/][EVENT]
 * @cmd: the command
 * @at: in a word of it, what is behind the colon; it is cut up
 * @group: where the group goes, untouched if there is none
 * @event: where the event's name goes, untouched if there is none
 *
 * Context: task.
 * Return: 0, or -EINVAL and error_log tells why.
 */
int probe_parse_name(const struct dyn_command *cmd, char *at, char **group, char **event)
{
	char *slash = strpbrk(at, "/.");

	if (slash && *slash == '.') {
		/* the other spelling of /, unless there is one of those */
		char *real = strchr(at, '/');

		slash = real ?: slash;
	}
	if (slash) {
		if (slash == at)
			return dyn_command_error(cmd, at, PROBE_ERR_NO_GROUP_NAME, -EINVAL);
		if (slash - at >= PROBE_MAX_NAME)
			return dyn_command_error(cmd, at, PROBE_ERR_GROUP_TOO_LONG, -EINVAL);
		*slash = '\0';
		if (!good_name(at, "-"))
			return dyn_command_error(cmd, at, PROBE_ERR_BAD_GROUP_NAME, -EINVAL);
		*group = at;
		at = slash + 1;
		if (!*at)
			return 0;	/* the name is made up */
	}

	if (!*at)
		return dyn_command_error(cmd, at, PROBE_ERR_NO_EVENT_NAME, -EINVAL);
	if (strlen(at) >= PROBE_MAX_NAME)
		return dyn_command_error(cmd, at, PROBE_ERR_EVENT_TOO_LONG, -EINVAL);
	if (!good_name(at, ""))
		return dyn_command_error(cmd, at, PROBE_ERR_BAD_EVENT_NAME, -EINVAL);
	*event = at;
	return 0;
}

/**
 * probe_parse_maxactive - [MAXACTIVE], between what a line begins with and the colon
 * @cmd: the command
 * @at: where it would be, in a word of it
 * @colon: the colon in that word, or NULL
 * @maxactive: the number, 0 for the default; untouched if there is none
 *
 * Context: task.
 * Return: 0, or -EINVAL and error_log tells why.
 */
int probe_parse_maxactive(const struct dyn_command *cmd, char *at, const char *colon,
			  int *maxactive)
{
	char digits[PROBE_MAX_NAME];
	size_t len = colon ? colon - at : strlen(at);
	unsigned int number;

	if (!isdigit(*at))
		return 0;
	if (len >= sizeof(digits))
		return dyn_command_error(cmd, at, PROBE_ERR_BAD_MAXACT, -EINVAL);
	memcpy(digits, at, len);
	digits[len] = '\0';
	if (kstrtouint(digits, 0, &number))
		return dyn_command_error(cmd, at, PROBE_ERR_BAD_MAXACT, -EINVAL);
	if (number > MAXACTIVE_MAX)
		return dyn_command_error(cmd, at, PROBE_ERR_MAXACT_TOO_BIG, -EINVAL);
	*maxactive = number;
	return 0;
}

/**
 * probe_parse_return - cut %return off a place
 * @cmd: the command
 * @at: the place, in a word of it
 * @returns: set if it is there, or else untouched
 *
 * Context: task.
 * Return: 0; of something else behind a % -EINVAL, and error_log tells of it.
 */
int probe_parse_return(const struct dyn_command *cmd, char *at, bool *returns)
{
	char *suffix = strchr(at, '%');

	if (!suffix)
		return 0;
	if (strcmp(suffix, "%return"))
		return dyn_command_error(cmd, suffix, PROBE_ERR_BAD_ADDR_SUFFIX, -EINVAL);
	*suffix = '\0';
	*returns = true;
	return 0;
}

/**
 * probe_auto_name - a name for an event that was given none
 * @fmt: its format; characters that a name cannot have become _
 *
 * Context: task.
 * Return: the name, to be freed, at most PROBE_MAX_NAME - 1 characters of it; or NULL.
 */
char *probe_auto_name(const char *fmt, ...)
{
	va_list args;
	char *name;

	va_start(args, fmt);
	name = kvasprintf(GFP_KERNEL, fmt, args);
	va_end(args);
	if (!name)
		return NULL;

	if (strlen(name) >= PROBE_MAX_NAME)
		name[PROBE_MAX_NAME - 1] = '\0';
	for (char *p = name; *p; p++)
		if (!isalnum(*p))
			*p = '_';
	return name;
}

/* --- one argument */

static bool name_is_taken(const struct probe *p, unsigned int nr, const char *name)
{
	static const char * const reserved[] = {
		"common_type", "common_flags", "common_preempt_count", "common_pid",
		"common_tgid", "__probe_ip", "__probe_ret_ip", "__probe_func", "__probe_type",
	};

	if (match_string(reserved, ARRAY_SIZE(reserved), name) >= 0)
		return true;
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(p->args[i].name, name))
			return true;
	return false;
}

/* [COUNT], behind @type, which gets cut there; *count is 0 for no array */
static int parse_array(struct probe_expr *x, const char *body, char *type, unsigned int *count)
{
	char *open = strchr(type, '['), *close;
	int pos = x->pos;

	if (!open)
		return 0;
	*open++ = '\0';
	close = strchr(open, ']');
	if (!close)
		return probe_expr_error(x, pos + (open - body) + strlen(open),
					PROBE_ERR_ARRAY_NO_CLOSE, -EINVAL);
	if (close[1])
		return probe_expr_error(x, pos + (close + 1 - body), PROBE_ERR_BAD_ARRAY_SUFFIX,
					-EINVAL);
	*close = '\0';
	if (kstrtouint(open, 0, count) || !*count)
		return probe_expr_error(x, pos + (open - body), PROBE_ERR_BAD_ARRAY_NUM, -EINVAL);
	if (*count > PROBE_MAX_ARRAY)
		return probe_expr_error(x, pos + (open - body), PROBE_ERR_ARRAY_TOO_BIG, -EINVAL);
	return 0;
}

/* b<width>@<offset>/<bits>, whose type is @type already */
static int parse_bits(const char *text, const struct probe_arg_type *type, struct probe_bits *bits)
{
	unsigned long width, offset, room = type->size * 8;
	char *end;

	width = simple_strtoul(text + 1, &end, 0);
	if (!width || *end != '@')
		return -EINVAL;
	text = end + 1;
	offset = simple_strtoul(text, &end, 0);
	if (end == text || *end != '/' || width > room || offset > room || width + offset > room)
		return -EINVAL;
	bits->left = room - (width + offset);
	bits->right = room - width;
	return 0;
}

/* Does what was found go with the type? */
static int check_type(const struct probe_expr *x, const struct probe_arg *arg, int type_pos)
{
	enum probe_string string = arg->type->string;
	const struct probe_deref *last = NULL;
	unsigned int op = x->first.op;

	if (x->nr_derefs && !x->derefs[x->nr_derefs - 1].percpu)
		last = &x->derefs[x->nr_derefs - 1];
	if (string == PROBE_SYMSTR) {
		if (last ? last->mem != PROBE_MEM_KERNEL : op == PROBE_IMM || op == PROBE_COMM)
			return probe_expr_error(x, type_pos, PROBE_ERR_BAD_SYMSTRING, -EINVAL);
	} else if (string && !last) {
		switch (op) {
		case PROBE_IMM:
		case PROBE_COMM:
		case PROBE_TEXT:
		case PROBE_NUMBER:
		case PROBE_INSIDE:
		case PROBE_DYNAMIC:
			break;
		default:
			return probe_expr_error(x, type_pos, PROBE_ERR_BAD_STRING, -EINVAL);
		}
	}
	/* an array is in memory; why one of numbers may not be the user's, nobody knows */
	if (arg->count && (!last || string == PROBE_SYMSTR ||
			   (!string && last->users)))
		return probe_expr_error(x, type_pos, PROBE_ERR_BAD_STRING, -EINVAL);
	return 0;
}

static bool is_text(const struct probe_expr *x, const char *body)
{
	if (!strncmp(body, "\\\"", 2))
		return true;
	return !(x->ctx->at & PROBE_ATTACHED) &&
	       (!strcmp(body, "$comm") || !strcmp(body, "$COMM"));
}

/* Symbols are the kernel's. */
static bool names_kernel(const struct probe_arg_type *type)
{
	return type->string == PROBE_SYMSTR || !strcmp(type->name, "symbol");
}

/* VALUE[:TYPE[[COUNT]]] */
static int parse_body(struct probe_expr *x, char *body, struct probe_arg *arg)
{
	struct probe_bits bits, *wanted = NULL;
	int begin = x->pos, type_pos, ret;
	size_t len = strlen(body);
	char *type;

	if (len > PROBE_MAX_EXPR)
		return probe_expr_error(x, begin, PROBE_ERR_ARG_TOO_LONG, -ENOSPC);
	if (!len)
		return probe_expr_error(x, begin, PROBE_ERR_NO_ARG_BODY, -EINVAL);
	arg->text = kstrdup(body, GFP_KERNEL);
	if (!arg->text)
		return -ENOMEM;

	type = strchr(body, ':');
	if (type) {
		*type++ = '\0';
		ret = parse_array(x, body, type, &arg->count);
		if (ret)
			return ret;
	}
	type_pos = begin + (type ? type - body : 0);

	if (is_text(x, body)) {
		if (arg->count || (type && strcmp(type, "string")))
			return probe_expr_error(x, type_pos, PROBE_ERR_NEED_STRING_TYPE, -EINVAL);
		arg->type = probe_type_find("string");
	} else {
		arg->type = probe_type_find(type);
	}
	if (!arg->type || (names_kernel(arg->type) && (x->ctx->at & PROBE_USER)))
		return probe_expr_error(x, type_pos, PROBE_ERR_BAD_TYPE, -EINVAL);

	ret = probe_expr_parse(x, body);
	if (ret)
		return ret;
	if (!type)
		arg->type = probe_btf_type(x) ?: arg->type;
	else if (arg->type->string && arg->type->string != PROBE_SYMSTR)
		ret = probe_btf_string(x);

	/* what is wrong with the type is said where the last address was followed: as ever */
	type_pos = x->pos + (type ? type - body : 0);
	ret = ret ?: check_type(x, arg, type_pos);
	if (ret)
		return ret;
	if (!arg->type->string && probe_btf_bits(x, arg->type, &bits))
		wanted = &bits;
	if (type && *type == 'b') {
		if (parse_bits(type, arg->type, &bits))
			return probe_expr_error(x, type_pos, PROBE_ERR_BAD_BITFIELD, -EINVAL);
		wanted = &bits;
	}
	return probe_build_arg(x->ctx->builder, x, arg, wanted);
}

/* Of NAME->MEMBER:TYPE it is MEMBER. */
static char *name_of_variable(const char *text)
{
	size_t end = strcspn(text, ":"), at = end;

	while (at && (isalnum(text[at - 1]) || text[at - 1] == '_'))
		at--;
	return kmemdup_nul(text + at, end - at, GFP_KERNEL);
}

static char *arg_name(char *text, unsigned int i, char **body)
{
	char *eq = strchr(text, '=');

	*body = eq ? eq + 1 : text;
	if (eq)
		return kmemdup_nul(text, eq - text, GFP_KERNEL);
	if (IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) &&
	    (*text == '(' || ((isalpha(*text) || *text == '_') && !strchr(text, '('))))
		return name_of_variable(text);
	return kasprintf(GFP_KERNEL, "arg%u", i + 1);
}

static int parse_named(struct probe_expr *x, char *text, unsigned int i)
{
	struct probe_arg *arg = &x->probe->args[i];
	const char *eq = strchr(text, '=');
	char *body;

	if (eq && eq - text > PROBE_MAX_ARG_NAME)
		return probe_expr_error(x, 0, PROBE_ERR_ARG_NAME_TOO_LONG, -EINVAL);
	if (eq == text)
		return probe_expr_error(x, 0, PROBE_ERR_NO_ARG_NAME, -EINVAL);

	arg->name = arg_name(text, i, &body);
	if (!arg->name)
		return -ENOMEM;
	if (!good_name(arg->name, ""))
		return probe_expr_error(x, 0, PROBE_ERR_BAD_ARG_NAME, -EINVAL);
	if (name_is_taken(x->probe, i, arg->name))
		return probe_expr_error(x, 0, PROBE_ERR_USED_ARG_NAME, -EINVAL);
	x->pos = body - text;
	return parse_body(x, body, arg);
}

/*
 * A dentry, or a file, whose name is meant: VALUE:%pd and VALUE:%pD. NULL: no memory, else
 * what stands for it.
 */
static char *expand_dentry(const char *text)
{
	const char *eq = strchr(text, '='), *body = eq ? eq + 1 : text;
	int name = body - text, len = strlen(body) - strlen(":%pd");

	if (len > 0 && !strcmp(body + len, ":%pd"))
		return kasprintf(GFP_KERNEL, "%.*s+0x0(+0x%zx(%.*s)):string", name, text,
				 offsetof(struct dentry, d_name.name), len, body);
	if (len > 0 && !strcmp(body + len, ":%pD"))
		return kasprintf(GFP_KERNEL, "%.*s+0x0(+0x%zx(+0x%zx(%.*s))):string", name, text,
				 offsetof(struct dentry, d_name.name),
				 offsetof(struct file, f_path.dentry), len, body);
	return kstrdup(text, GFP_KERNEL);
}

/* @from: the text, which stands at @word in the command or for what stands there */
static int parse_arg(struct probe *p, struct probe_parse *ctx, const char *from, const char *word,
		     unsigned int i)
{
	struct probe_expr x = { .cmd = ctx->cmd, .ctx = ctx, .probe = p, .word = word };
	char *text = ctx->at & PROBE_KERNEL ? expand_dentry(from) : kstrdup(from, GFP_KERNEL);
	int ret = -ENOMEM;

	x.fixed = from != word;
	if (text)
		ret = parse_named(&x, text, i);
	probe_expr_free(&x);
	kfree(text);
	return ret;
}

/*
 * The words of the arguments, "$arg*" replaced by the parameters of the function, and one of them
 * that is given by its number and without a name by its name.
 */
struct probe_words {
	const char	**text;
	const char	**word;		/* where they are in the command */
	const char	**made;		/* to be freed, or NULL */
	unsigned int	nr;
};

static int words_add(struct probe_words *w, const char *text, const char *word)
{
	if (w->nr == PROBE_MAX_ARGS)
		return -E2BIG;
	w->text[w->nr] = text;
	w->word[w->nr++] = word;
	return 0;
}

static int words_add_all_args(struct probe_words *w, struct probe_parse *ctx, const char *word)
{
	char **names;
	int nr, ret = 0;

	nr = probe_btf_arg_names(ctx, word, &names);
	if (nr < 0)
		return nr;
	for (int i = 0; !ret && i < nr; i++)
		ret = words_add(w, names[i], word);
	kfree(names);
	return ret ? dyn_command_error(ctx->cmd, word, PROBE_ERR_ARGS_2LONG, ret) : 0;
}

/* $argN[:TYPE] may have a name; true if this is one: then it is added, or *@ret is why not. */
static bool words_add_numbered(struct probe_words *w, struct probe_parse *ctx, const char *word,
			       int *ret)
{
	int len = str_has_prefix(word, "$arg");
	const char *name;
	char *type, *text;
	unsigned long n;

	if (!IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) || !len || !isdigit(word[len]))
		return false;
	n = simple_strtoul(word + len, &type, 10);
	if (*type && *type != ':')
		return false;
	name = probe_btf_arg_name(ctx, n);
	if (!name)
		return false;
	text = kasprintf(GFP_KERNEL, "%s%s", name, type);
	*ret = text ? words_add(w, text, word) : -ENOMEM;
	if (*ret)
		kfree(text);
	else
		w->made[w->nr - 1] = text;
	return true;
}

static int words_read(struct probe_words *w, struct probe_parse *ctx, int from)
{
	const struct dyn_command *cmd = ctx->cmd;
	bool function = (ctx->at & PROBE_KERNEL) && !(ctx->at & PROBE_ATTACHED);
	bool all = false;
	int ret = 0;

	for (int i = from; !ret && i < cmd->argc; i++) {
		const char *word = cmd->argv[i], *meta = strstr(word, "$arg*");

		if (!meta || !function ||
		    (!IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) && meta != word)) {
			if (!function || !words_add_numbered(w, ctx, word, &ret))
				ret = words_add(w, word, word);
			if (ret == -E2BIG)
				dyn_command_error(cmd, word, PROBE_ERR_TOO_MANY_ARGS, ret);
			continue;
		}
		if (IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) && strcmp(word, "$arg*"))
			return dyn_command_error(cmd, meta, PROBE_ERR_BAD_VAR_ARGS, -EINVAL);
		if (all)
			return dyn_command_error(cmd, word, PROBE_ERR_DOUBLE_ARGS, -EINVAL);
		all = true;
		ret = words_add_all_args(w, ctx, word);
	}
	return ret;
}

static int parse_words(struct probe *p, struct probe_parse *ctx, const struct probe_words *w)
{
	struct probe_builder b = { };
	int ret = 0;

	p->args = kcalloc(max(w->nr, 1U), sizeof(*p->args), GFP_KERNEL);
	if (!p->args)
		return -ENOMEM;
	b.base = sizeof(struct trace_entry) + probe_head_size(p);
	b.size = b.base;
	ctx->builder = &b;
	for (unsigned int i = 0; !ret && i < w->nr; i++) {
		p->nr_args = i + 1;	/* what probe_destroy() frees */
		ret = parse_arg(p, ctx, w->text[i], w->word[i], i);
		if (!ret && b.size - b.base > PROBE_MAX_SIZE)
			ret = dyn_command_error(ctx->cmd, w->word[i], PROBE_ERR_EVENT_TOO_BIG,
						-E2BIG);
	}
	if (!ret) {
		p->prog = probe_build_end(&b);
		ret = p->prog ? 0 : -ENOMEM;
	}
	if (ret)
		probe_builder_free(&b);
	ctx->builder = NULL;
	return ret;
}

/**
 * probe_parse_args - read the arguments of a probe, and make its program
 * @p: the probe, after probe_init()
 * @ctx: where it is; @at is set, what goes with that, and @cmd, NULL for no arguments
 * @word: in @ctx->cmd, the first argument; the last one is the last
 *
 * Context: task; with PROBE_ATTACHED the caller has a reference on the event.
 * Return: 0, or an error of which error_log tells unless it is -ENOMEM; then probe_destroy().
 */
int probe_parse_args(struct probe *p, struct probe_parse *ctx, int word)
{
	const struct dyn_command *cmd = ctx->cmd;
	struct probe_words w = { };
	int ret = 0;

	if (cmd && cmd->argc - word > PROBE_MAX_ARGS)
		return dyn_command_error(cmd, cmd->argv[word], PROBE_ERR_TOO_MANY_ARGS, -E2BIG);
	w.text = kcalloc(3 * PROBE_MAX_ARGS, sizeof(*w.text), GFP_KERNEL);
	if (!w.text)
		return -ENOMEM;
	w.word = w.text + PROBE_MAX_ARGS;
	w.made = w.word + PROBE_MAX_ARGS;
	if (cmd)
		ret = words_read(&w, ctx, word);
	ret = ret ?: parse_words(p, ctx, &w);
	for (unsigned int i = 0; i < w.nr; i++)
		kfree(w.made[i]);
	kfree(w.text);
	probe_btf_end(ctx);
	return ret;
}

/* --- symbols */

static int symbol_find(const char *text, unsigned long *addr)
{
	char *name = kstrdup(text, GFP_KERNEL), *sign;
	long offset = 0;
	int ret = 0;

	if (!name)
		return -ENOMEM;
	sign = strpbrk(name, "+-");
	if (sign) {
		ret = kstrtol(sign + (*sign == '+'), 0, &offset);
		*sign = '\0';
	}
	if (!ret) {
		*addr = kallsyms_lookup_name(name);
		ret = *addr ? 0 : -ENOENT;
		*addr += offset;
	}
	kfree(name);
	return ret;
}

/**
 * probe_update_symbols - look the symbols of a probe's arguments up
 * @p: the probe, which may be hit meanwhile
 *
 * Context: task.
 * Return: 0; -ENOENT, -EINVAL: one is not there, and what is fetched from it stays as it was;
 * -ENOMEM.
 */
int probe_update_symbols(struct probe *p)
{
	struct probe_prog *prog = p->prog;
	unsigned long addr;
	int ret = 0, err;

	for (unsigned int i = 0; i < prog->nr_symbols; i++) {
		err = symbol_find(prog->symbols[i].name, &addr);
		if (err)
			ret = err;
		else
			WRITE_ONCE(prog->insns[prog->symbols[i].insn].imm, addr);
	}
	return ret;
}
