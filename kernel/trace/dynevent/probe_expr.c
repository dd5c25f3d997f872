// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the value of an argument comes from:
 *
 *	%REG $stack $stackN $retval $argN $comm	what there is where the probe is
 *	$FIELD					of an event that is attached to
 *	@ADDR @SYMBOL[+-OFFSET] @+OFFSET	memory
 *	\NUMBER \"TEXT"				itself
 *	+OFFSET(VALUE) -OFFSET(VALUE) +uOFFSET(VALUE)	what it points to
 *	this_cpu_ptr(SYMBOL) this_cpu_ptr(VALUE)	a per-CPU variable's address on this CPU
 *	this_cpu_read(SYMBOL) this_cpu_read(VALUE)	what there is
 *	NAME NAME->MEMBER.MEMBER (STRUCT)VALUE->MEMBER	with BTF, see probe_btf.c
 *
 * Who reads a message in error_log sees the caret where it has always been, which for +u is one
 * character further to the left than it should be.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "probe_btf.h"
#include "probe_parse.h"

#define MAX_STACK	(THREAD_SIZE / sizeof(unsigned long))

static int step(struct probe_expr *x)
{
	if (++x->steps < PROBE_MAX_STEPS)
		return 0;
	return probe_expr_error(x, x->pos, PROBE_ERR_TOO_MANY_OPS, -EINVAL);
}

/* One address more is followed, and @users says that it is one of the current task's memory. */
int probe_expr_follow(struct probe_expr *x, s64 offset, bool users)
{
	struct probe_deref *deref;
	int ret = step(x);

	if (ret)
		return ret;
	deref = &x->derefs[x->nr_derefs++];
	deref->offset = offset;
	deref->mem = PROBE_MEM_KERNEL;
	deref->users = users;
	deref->percpu = false;
	if (x->ctx->at & PROBE_USER)
		deref->mem = PROBE_MEM_USER_SLEEP;
	else if (users)
		deref->mem = PROBE_MEM_USER;
	return 0;
}

/* What is behind an address has no type that BTF knows. */
static void forget_type(struct probe_expr *x)
{
	x->btf_type = NULL;
	x->btf_bits = 0;
}

static int begin(struct probe_expr *x, enum probe_op op, s64 imm)
{
	x->first.op = op;
	x->first.imm = imm;
	return 0;
}

/* An argument of the function at its return: its entry keeps it. */
static int keep_arg(struct probe_expr *x, unsigned int n)
{
	struct probe *p = x->probe;
	unsigned int i;
	u8 *args;

	for (i = 0; i < p->nr_entry_args; i++)
		if (p->entry_args[i] == n)
			return begin(x, PROBE_KEPT, i);

	if (n > U8_MAX || i == U8_MAX)
		return probe_expr_error(x, x->pos, PROBE_ERR_TOO_MANY_EARGS, -EINVAL);
	args = krealloc(p->entry_args, i + 1, GFP_KERNEL);
	if (!args)
		return -ENOMEM;
	args[i] = n;
	p->entry_args = args;
	p->nr_entry_args++;
	return begin(x, PROBE_KEPT, i);
}

/* The value is argument @n of the function, counted from 0. */
int probe_expr_arg(struct probe_expr *x, unsigned int n)
{
	if (x->ctx->at & PROBE_RETURN)
		return keep_arg(x, n);
	return begin(x, x->ctx->at & PROBE_FREGS ? PROBE_FREGS_ARG : PROBE_ARG, n);
}

/* The value is what the function returns. */
int probe_expr_retval(struct probe_expr *x)
{
	if (!(x->ctx->at & PROBE_RETURN))
		return probe_expr_error(x, x->pos, PROBE_ERR_RETVAL_ON_PROBE, -EINVAL);
	return begin(x, x->ctx->at & PROBE_FREGS ? PROBE_FREGS_RETVAL : PROBE_RETVAL, 0);
}

static int parse_arg_n(struct probe_expr *x, const char *digits)
{
	unsigned int at = x->ctx->at;
	unsigned long n;

	if (!IS_ENABLED(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API) || kstrtoul(digits, 10, &n))
		return probe_expr_error(x, x->pos, PROBE_ERR_BAD_VAR, -EINVAL);
	if (!n || n > MAX_STACK)
		return probe_expr_error(x, x->pos, PROBE_ERR_BAD_ARG_NUM, -EINVAL);
	if (!(at & (PROBE_ENTRY | PROBE_RETURN | PROBE_TRACEPOINT)) || (at & PROBE_USER))
		return probe_expr_error(x, x->pos, PROBE_ERR_NOFENTRY_ARGS, -EINVAL);

	/* The first argument of a tracepoint's stub is not one of the tracepoint. */
	return probe_btf_number(x, n - 1) ?: probe_expr_arg(x, at & PROBE_TRACEPOINT ? n : n - 1);
}

static int parse_stack(struct probe_expr *x, const char *digits)
{
	unsigned int at = x->ctx->at;
	unsigned long n;

	if (!*digits)
		return begin(x, at & PROBE_FREGS ? PROBE_FREGS_SP : PROBE_SP, 0);
	if (!isdigit(*digits) || kstrtoul(digits, 10, &n))
		return probe_expr_error(x, x->pos, PROBE_ERR_BAD_VAR, -EINVAL);
	if (!(at & PROBE_USER) && n > MAX_STACK)
		return probe_expr_error(x, x->pos, PROBE_ERR_BAD_STACK_NUM, -EINVAL);
	if (at & PROBE_USER)
		return begin(x, PROBE_USTACK, n);
	return begin(x, at & PROBE_FREGS ? PROBE_FREGS_STACK : PROBE_STACK, n);
}

static bool is_comm(const char *name)
{
	return !strcmp(name, "comm") || !strcmp(name, "COMM");
}

/* A field of the event that the probe is attached to */
static int parse_field(struct probe_expr *x, const char *name)
{
	struct list_head *fields = trace_get_fields(x->ctx->attached);
	struct ftrace_event_field *field;

	list_for_each_entry(field, fields, link) {
		if (strcmp(field->name, name))
			continue;
		x->first.size = field->size;
		x->first.sign = 0;
		switch (field->filter_type) {
		case FILTER_STATIC_STRING:
			return begin(x, PROBE_INSIDE, field->offset);
		case FILTER_RDYN_STRING:
			x->first.sign = 1;
			fallthrough;
		case FILTER_DYN_STRING:
			return begin(x, PROBE_DYNAMIC, field->offset);
		}
		if (field->size > sizeof(long) || !is_power_of_2(field->size))
			return begin(x, PROBE_INSIDE, field->offset);
		x->first.sign = field->is_signed;
		return begin(x, PROBE_NUMBER, field->offset);
	}
	if (is_comm(name))
		return begin(x, PROBE_COMM, 0);
	return probe_expr_error(x, x->pos, PROBE_ERR_BAD_VAR, -EINVAL);
}

static bool has_types(const struct probe_expr *x)
{
	return IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) && !(x->ctx->at & PROBE_USER);
}

/* @text begins with the $. */
static int parse_variable(struct probe_expr *x, char *text)
{
	const char *name = text + 1;
	int len;

	if (x->ctx->at & PROBE_ATTACHED)
		return parse_field(x, name);

	if (str_has_prefix(name, "retval")) {
		if (!has_types(x) || !(x->ctx->at & PROBE_RETURN))
			return probe_expr_retval(x);
		return probe_btf_variable(x, text);
	}
	len = str_has_prefix(name, "stack");
	if (len)
		return parse_stack(x, name + len);
	if (is_comm(name))
		return begin(x, PROBE_COMM, 0);
	len = str_has_prefix(name, "arg");
	if (len)
		return parse_arg_n(x, name + len);
	return probe_expr_error(x, x->pos, PROBE_ERR_BAD_VAR, -EINVAL);
}

static int parse_register(struct probe_expr *x, const char *name)
{
	int offset;

	/* two lines in error_log, as ever */
	if (x->ctx->at & (PROBE_FREGS | PROBE_ATTACHED)) {
		probe_expr_error(x, x->pos, PROBE_ERR_BAD_VAR, -EINVAL);
		return probe_expr_error(x, x->pos, PROBE_ERR_BAD_FETCH_ARG, -EINVAL);
	}
	offset = regs_query_register_offset(name);
	if (offset < 0)
		return probe_expr_error(x, x->pos, PROBE_ERR_BAD_REG_NAME, -EINVAL);
	return begin(x, PROBE_REG, offset);
}

static int parse_memory(struct probe_expr *x, const char *text)
{
	bool user = x->ctx->at & PROBE_USER;
	unsigned long addr;
	long offset;
	int ret;

	if (isdigit(*text)) {
		if (kstrtoul(text, 0, &addr))
			return probe_expr_error(x, x->pos, PROBE_ERR_BAD_MEM_ADDR, -EINVAL);
		begin(x, PROBE_IMM, addr);
	} else if (*text == '+') {
		if (!user)
			return probe_expr_error(x, x->pos, PROBE_ERR_FILE_ON_KPROBE, -EINVAL);
		if (kstrtol(text + 1, 0, &offset))
			return probe_expr_error(x, x->pos, PROBE_ERR_BAD_FILE_OFFS, -EINVAL);
		begin(x, PROBE_FILE, offset);
	} else {
		if (user)
			return probe_expr_error(x, x->pos, PROBE_ERR_SYM_ON_UPROBE, -EINVAL);
		x->symbol = kstrdup(text, GFP_KERNEL);
		if (!x->symbol)
			return -ENOMEM;
		ret = step(x);
		if (ret)
			return ret;
		begin(x, PROBE_SYM, 0);
	}
	return probe_expr_follow(x, 0, false);
}

static int parse_number(const char *text, s64 *value)
{
	unsigned long number;
	long negative;
	int ret = -EINVAL;

	if (isdigit(*text)) {
		ret = kstrtoul(text, 0, &number);
		*value = number;
	} else if (*text == '-' || *text == '+') {
		ret = kstrtol(text + (*text == '+'), 0, &negative);
		*value = negative;
	}
	return ret;
}

static int parse_immediate(struct probe_expr *x, char *text)
{
	size_t len;
	s64 value;

	if (*text != '"') {
		if (parse_number(text, &value))
			return probe_expr_error(x, x->pos + 1, PROBE_ERR_BAD_IMM, -EINVAL);
		return begin(x, PROBE_IMM, value);
	}

	text++;
	len = strlen(text);
	if (!len || text[len - 1] != '"')
		return probe_expr_error(x, x->pos + 2 + len, PROBE_ERR_IMMSTR_NO_CLOSE, -EINVAL);
	x->first.text = kmemdup_nul(text, len - 1, GFP_KERNEL);
	if (!x->first.text)
		return -ENOMEM;
	x->first.op = PROBE_TEXT;
	return 0;
}

/* What stands in braces, from @pos on, has an address to go on from. */
static int parse_inside(struct probe_expr *x, char *text, int pos,
			int (*parse)(struct probe_expr *x, char *text))
{
	int ret;

	x->pos = pos;
	ret = parse(x, text);
	if (ret)
		return ret;
	x->pos = pos;
	if (!x->nr_derefs && (x->first.op == PROBE_COMM || x->first.op == PROBE_TEXT))
		return probe_expr_error(x, pos, PROBE_ERR_COMM_CANT_DEREF, -EINVAL);
	return 0;
}

static int parse_deref(struct probe_expr *x, char *text)
{
	bool users = text[1] == 'u';
	char *brace, *close;
	long offset;
	int pos, ret;

	if (users) {
		text[1] = text[0];
		text++;
	}
	/* kstrtol() takes a + as well: of two in a row none is refused, as ever */
	text += *text == '+';
	brace = strchr(text, '(');
	if (!brace)
		return probe_expr_error(x, x->pos, PROBE_ERR_DEREF_NEED_BRACE, -EINVAL);
	*brace = '\0';
	if (kstrtol(text, 0, &offset))
		return probe_expr_error(x, x->pos, PROBE_ERR_BAD_DEREF_OFFS, -EINVAL);

	pos = x->pos + (brace + 1 - text) + (*text != '-');
	text = brace + 1;
	close = strrchr(text, ')');
	if (!close)
		return probe_expr_error(x, pos + strlen(text), PROBE_ERR_DEREF_OPEN_BRACE, -EINVAL);
	*close = '\0';

	ret = parse_inside(x, text, pos, probe_expr_parse);
	if (ret)
		return ret;
	forget_type(x);
	return probe_expr_follow(x, offset, users);
}

/* Of what is a per-CPU variable: its name, or anything that has its address. */
static int parse_percpu_inside(struct probe_expr *x, char *text)
{
	int ret;

	if (x->ctx->at & PROBE_USER)
		return probe_expr_error(x, x->pos, PROBE_ERR_SYM_ON_UPROBE, -EINVAL);
	if (!isalpha(*text) && *text != '_')
		return probe_expr_parse(x, text);
	x->symbol = kstrdup(text, GFP_KERNEL);
	if (!x->symbol)
		return -ENOMEM;
	ret = step(x);
	return ret ?: begin(x, PROBE_SYM, 0);
}

/* @text is behind the opening brace. */
static int parse_percpu(struct probe_expr *x, char *text, int len, bool read)
{
	char *close = strrchr(text, ')');
	int ret, pos = x->pos + len;

	if (!close || close[1])
		return probe_expr_error(x, pos + strlen(text), PROBE_ERR_DEREF_OPEN_BRACE, -EINVAL);
	*close = '\0';
	ret = parse_inside(x, text, pos, parse_percpu_inside);
	if (ret)
		return ret;
	ret = probe_expr_follow(x, 0, false);
	if (ret)
		return ret;
	x->derefs[x->nr_derefs - 1].percpu = true;
	forget_type(x);
	return read ? probe_expr_follow(x, 0, false) : 0;
}

/**
 * probe_expr_parse - where does the value of an argument come from?
 * @x: where the probe is; zeroed from @steps on
 * @text: the argument without name and type; it is cut up
 *
 * Context: task, as probe_parse_args().
 * Return: 0, or an error that error_log tells of. Either way probe_expr_free() is to be called.
 */
int probe_expr_parse(struct probe_expr *x, char *text)
{
	int len;

	switch (*text) {
	case '$':
		return parse_variable(x, text);
	case '%':
		return parse_register(x, text + 1);
	case '@':
		return parse_memory(x, text + 1);
	case '+':
	case '-':
		return parse_deref(x, text);
	case '\\':
		return parse_immediate(x, text + 1);
	case '(':
		return probe_btf_cast(x, text + 1);
	default:
		len = str_has_prefix(text, "this_cpu_ptr(");
		if (len)
			return parse_percpu(x, text + len, len, false);
		len = str_has_prefix(text, "this_cpu_read(");
		if (len)
			return parse_percpu(x, text + len, len, true);
		if (isalpha(*text) || *text == '_')
			return probe_btf_variable(x, text);
		return probe_expr_error(x, x->pos, PROBE_ERR_BAD_FETCH_ARG, -EINVAL);
	}
}

/* Forget what was not taken over by a program. */
void probe_expr_free(struct probe_expr *x)
{
	if (x->first.op == PROBE_TEXT)
		kfree(x->first.text);
	kfree(x->symbol);
	probe_btf_expr_free(x);
}
