// SPDX-License-Identifier: GPL-2.0-only
/*
 * Expressions: + - * / on numbers, with the usual precedence, from left to right; parentheses; a
 * minus in front of parentheses. An operand is a constant, a field or a variable. A tree of fields
 * comes out of the text, and its steps, in the order of a stack machine, are put into one field.
 *
 * Constants are worked out when the command is written.
 */
#include <linux/ctype.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "internal.h"

struct expr {
	struct hist_parse	*p;
	enum hist_role		role;
	unsigned int		operators;	/* so far, from left to right */
};

static struct hist_field *parse_expr(struct expr *e, char *text, const char *var);

/* A minus may be part of a modifier's name. */
static bool is_minus(const char *text, const char *at)
{
	return !(at - text >= 4 && !strncmp(at - 4, ".sym", 4) &&
		 str_has_prefix(at, "-offset"));
}

/*
 * The operator that is worked out last: the last one of the lowest precedence outside parentheses.
 */
static char *find_operator(char *text)
{
	char *add = NULL, *mul = NULL;
	bool operand = true;	/* comes next: a minus belongs to it */
	int depth = 0;

	for (char *at = text; *at; at++) {
		if (*at == '(')
			depth++;
		else if (*at == ')')
			depth--;
		else if (isspace(*at))
			continue;
		else if (!depth && (*at == '+' || (*at == '-' && !operand && is_minus(text, at))))
			add = at;
		else if (!depth && (*at == '*' || *at == '/'))
			mul = at;
		operand = at == add || at == mul;
	}
	return add ?: mul;
}

/* --- two fields become one */

static bool text_add(char **text, const char *more)
{
	char *longer = kasprintf(GFP_KERNEL, "%s%s", *text ?: "", more);

	kfree(*text);
	*text = longer;
	return longer;
}

static bool text_of(char **text, const struct hist_field *field)
{
	const char *modifier = hist_modifier_of(field);
	char number[24];

	if (field->flags & HIST_FL_CONST) {
		snprintf(number, sizeof(number), "%llu", field->constant);
		return text_add(text, number);
	}
	if (!text_add(text, field->name))
		return false;
	if (!modifier || (field->flags & (HIST_FL_EXPR | HIST_FL_REF)))
		return true;
	if (!text_add(text, ".") || !text_add(text, modifier))
		return false;
	if (!(field->flags & HIST_FL_BUCKETS))
		return true;
	snprintf(number, sizeof(number), "=%llu", field->buckets);
	return text_add(text, number);
}

static bool is_sum(enum hist_op op)
{
	return op == HIST_OP_ADD || op == HIST_OP_SUB;
}

/* The text has to mean the same when it is written again: an operand of @op may need braces. */
static bool operand_text(char **text, const struct hist_field *field, enum hist_op op, bool right)
{
	enum hist_op own;

	if (!(field->flags & HIST_FL_EXPR))
		return text_of(text, field);
	own = field->steps[field->nr_steps - 1].op;
	/* a minus in front has its own */
	if (own == HIST_OP_NEG || (is_sum(own) == is_sum(op) ? !right : is_sum(op)))
		return text_of(text, field);
	return text_add(text, "(") && text_of(text, field) && text_add(text, ")");
}

static struct hist_field *constant(u64 value, const char *var)
{
	struct hist_field *field = hist_field_alloc(1);

	if (!field)
		return ERR_PTR(-ENOMEM);
	field->flags = HIST_FL_CONST | (var ? HIST_FL_VAR : 0);
	field->constant = value;
	field->size = sizeof(u64);
	field->steps[0] = (struct hist_step){ .op = HIST_OP_CONST, .arg = value };
	field->nr_steps = 1;
	if (hist_field_set_names(field, "", "u64", var)) {
		hist_field_free(field);
		return ERR_PTR(-ENOMEM);
	}
	return field;
}

static u64 fold(enum hist_op op, u64 a, u64 b)
{
	switch (op) {
	case HIST_OP_ADD:
		return a + b;
	case HIST_OP_SUB:
		return a - b;
	case HIST_OP_MUL:
		return a * b;
	default:
		return a / b;
	}
}

/* @b is NULL for a minus in front. */
static struct hist_field *combine(const struct hist_field *a, const struct hist_field *b,
				  enum hist_op op, char sign, const char *var)
{
	unsigned int nr = a->nr_steps + (b ? b->nr_steps : 0) + 1;
	struct hist_field *field;
	char *text = NULL;
	bool done;

	if ((a->flags & HIST_FL_CONST) && (!b || (b->flags & HIST_FL_CONST)))
		return constant(b ? fold(op, a->constant, b->constant) : -a->constant, var);

	field = hist_field_alloc(nr);
	if (!field)
		return ERR_PTR(-ENOMEM);
	memcpy(field->steps, a->steps, a->nr_steps * sizeof(*a->steps));
	if (b)
		memcpy(field->steps + a->nr_steps, b->steps, b->nr_steps * sizeof(*b->steps));
	field->steps[nr - 1].op = op;
	field->nr_steps = nr;
	field->flags = HIST_FL_EXPR | (var ? HIST_FL_VAR : 0) |
		       (a->flags & (HIST_FL_TIMESTAMP | HIST_FL_USECS));
	field->is_signed = a->is_signed;
	/* the base's size of what has none of its own; synthetic events compare types first */
	field->size = a->size;

	if (b) {
		const char middle[2] = { sign };

		done = operand_text(&text, a, op, false) && text_add(&text, middle) &&
		       operand_text(&text, b, op, true);
	} else {
		done = text_add(&text, "-(") && text_of(&text, a) && text_add(&text, ")");
	}
	if (!done || hist_field_set_names(field, text, a->type, var)) {
		hist_field_free(field);
		field = ERR_PTR(-ENOMEM);
	}
	kfree(text);
	return field;
}

/* --- parts of the text */

/* "SYSTEM.EVENT.rest": cut off system and event, if there are such */
static char *split_qualified(char *text, char **system, char **event)
{
	char *first = strchr(text, '.'), *second = first ? strchr(first + 1, '.') : NULL;

	if (!second)
		return text;
	*first = 0;
	*second = 0;
	*system = text;
	*event = first + 1;
	return second + 1;
}

/* A field of the event itself may be written with its names. */
static bool is_own(const struct hist_parse *p, const char *system, const char *event)
{
	return event_is_named(p->file->event_call, system, event);
}

static struct hist_field *parse_atom(struct expr *e, char *text, const char *var);

/* A variable of the same command, or of another hist. */
static struct hist_field *parse_ref(struct expr *e, const char *system, const char *event,
				    const char *text, const char *var)
{
	struct hist_parse *p = e->p;
	struct hist_field *field;
	char *own = NULL;

	if (!p->in_actions && (!system || is_own(p, system, event)))
		own = hist_var_definition(p, text + 1);
	if (IS_ERR(own))
		return ERR_CAST(own);
	if (own) {
		field = parse_atom(e, strim(own), var);
		kfree(own);
		return field;
	}
	field = hist_ref_parse(p, system, event, text, var, e->operators > 0);
	if (!IS_ERR(field) && e->role == HIST_AS_KEY)
		field->flags |= HIST_FL_KEY;
	return field;
}

static struct hist_field *parse_atom(struct expr *e, char *text, const char *var)
{
	struct hist_parse *p = e->p;
	char *system = NULL, *event = NULL;
	u64 value;

	if (isdigit(*text)) {
		if (kstrtou64(text, 0, &value)) {
			hist_refuse(p, HIST_ERR_EXPECT_NUMBER, text);
			return ERR_PTR(-EINVAL);
		}
		return constant(value, var);
	}
	text = split_qualified(text, &system, &event);
	if (*text == '$')
		return parse_ref(e, system, event, text, var);
	if (system && !is_own(p, system, event)) {
		hist_refuse(p, HIST_ERR_FIELD_NOT_FOUND, text);
		return ERR_PTR(-EINVAL);
	}
	return hist_atom_parse(p, text, e->role, var);
}

/* "-(...)" */
static struct hist_field *parse_minus(struct expr *e, char *text, const char *var)
{
	struct hist_field *inner, *field;
	char *end;

	e->operators++;
	text++;
	end = strrchr(text, ')');
	if (*text != '(' || !end) {
		hist_refuse(e->p, HIST_ERR_BAD_EXPRESSION, text);
		return ERR_PTR(-EINVAL);
	}
	text++;
	if (end[1]) {
		hist_refuse(e->p, HIST_ERR_UNARY_MINUS_SUBEXPR, text);
		return ERR_PTR(-EINVAL);
	}
	*end = 0;
	inner = parse_expr(e, text, NULL);
	if (IS_ERR(inner))
		return inner;
	if (inner->kind != HIST_NUMBER) {
		hist_refuse(e->p, HIST_ERR_INVALID_STR_OPERAND, text);
		field = ERR_PTR(-EINVAL);
	} else {
		field = combine(inner, NULL, HIST_OP_NEG, 0, var);
	}
	hist_field_free(inner);
	return field;
}

static struct hist_field *parse_binary(struct expr *e, char *text, char *at, const char *var)
{
	struct hist_field *a, *b = NULL, *field = ERR_PTR(-EINVAL);
	char sign = *at, *right = at + 1;
	enum hist_op op = sign == '+' ? HIST_OP_ADD : sign == '-' ? HIST_OP_SUB :
			  sign == '*' ? HIST_OP_MUL : HIST_OP_DIV;

	*at = 0;
	text = strim(text);
	right = strim(right);
	if (!*text || !*right) {
		hist_refuse(e->p, HIST_ERR_BAD_EXPRESSION, *text ? text : right);
		return field;
	}
	e->operators++;
	a = parse_expr(e, text, NULL);
	if (IS_ERR(a))
		return a;
	if (a->kind != HIST_NUMBER) {
		hist_refuse(e->p, HIST_ERR_INVALID_STR_OPERAND, text);
		goto out;
	}
	b = parse_expr(e, right, NULL);
	if (IS_ERR(b)) {
		field = b;
		b = NULL;
		goto out;
	}
	if (b->kind != HIST_NUMBER) {
		hist_refuse(e->p, HIST_ERR_INVALID_STR_OPERAND, right);
		goto out;
	}
	/* times count as what they are, also behind variables */
	if ((a->flags ^ b->flags) & HIST_FL_USECS) {
		hist_refuse(e->p, HIST_ERR_TIMESTAMP_MISMATCH, NULL);
		goto out;
	}
	if (op == HIST_OP_DIV && (b->flags & HIST_FL_CONST) && !b->constant) {
		hist_refuse(e->p, HIST_ERR_DIVIDE_BY_ZERO, right);
		field = ERR_PTR(-EDOM);
		goto out;
	}
	field = combine(a, b, op, sign, var);
out:
	hist_field_free(a);
	hist_field_free(b);
	return field;
}

static struct hist_field *parse_expr(struct expr *e, char *text, const char *var)
{
	size_t len;
	char *at;

again:
	text = strim(text);
	if (e->operators > HIST_OPERATORS_MAX) {
		hist_refuse(e->p, HIST_ERR_TOO_MANY_SUBEXPR, text);
		return ERR_PTR(-EINVAL);
	}
	if (*text == '-')
		return parse_minus(e, text, var);
	at = find_operator(text);
	if (at)
		return parse_binary(e, text, at, var);
	len = strlen(text);
	if (*text == '(' && text[len - 1] == ')') {
		text[len - 1] = 0;
		text++;
		goto again;
	}
	return parse_atom(e, text, var);
}

/**
 * hist_field_parse - compile a key, a value, a variable or an argument
 * @p: the command; references are added to its hist
 * @text: the text; it is cut up
 * @role: what the field is to be
 * @var: name of the variable that is defined, or NULL
 *
 * Context: task, event_mutex.
 * Return: the field; -EINVAL, or -EDOM for a division by zero, with a line in error_log; -ENOMEM.
 */
struct hist_field *hist_field_parse(struct hist_parse *p, char *text, enum hist_role role,
				    const char *var)
{
	struct expr e = { .p = p, .role = role };
	char *whole = kstrdup(text, GFP_KERNEL);
	struct hist_field *field;

	if (!whole)
		return ERR_PTR(-ENOMEM);
	field = parse_expr(&e, text, var);
	if (!IS_ERR(field) && hist_modifier_check(p, field, role, strim(whole))) {
		hist_field_free(field);
		field = ERR_PTR(-EINVAL);
	}
	kfree(whole);
	if (!IS_ERR(field) && role == HIST_AS_KEY)
		field->flags |= HIST_FL_KEY;
	return field;
}
