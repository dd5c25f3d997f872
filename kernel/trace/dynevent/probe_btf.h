/* SPDX-License-Identifier: GPL-2.0-only */
/* What BTF tells the language of arguments: parameters by name, members, types. */
#ifndef _KERNEL_TRACE_DYNEVENT_PROBE_BTF_H
#define _KERNEL_TRACE_DYNEVENT_PROBE_BTF_H

#include "probe_parse.h"

#ifdef CONFIG_PROBE_EVENTS_BTF_ARGS

int probe_btf_variable(struct probe_expr *x, char *text);
int probe_btf_number(struct probe_expr *x, unsigned long n);
int probe_btf_cast(struct probe_expr *x, char *text);
void probe_btf_expr_free(struct probe_expr *x);
const struct probe_arg_type *probe_btf_type(const struct probe_expr *x);
bool probe_btf_bits(const struct probe_expr *x, const struct probe_arg_type *type,
		    struct probe_bits *bits);
int probe_btf_string(struct probe_expr *x);
int probe_btf_arg_names(struct probe_parse *ctx, const char *word, char ***names);
const char *probe_btf_arg_name(struct probe_parse *ctx, unsigned long n);
void probe_btf_end(struct probe_parse *ctx);

#else

static inline int probe_btf_variable(struct probe_expr *x, char *text)
{
	unsigned int at = x->ctx->at;
	bool function = at & (PROBE_ENTRY | PROBE_RETURN | PROBE_TRACEPOINT) && !(at & PROBE_USER);

	return probe_expr_error(x, x->pos, PROBE_ERR_NOSUP_BTFARG,
				function ? -EOPNOTSUPP : -EINVAL);
}

static inline int probe_btf_number(struct probe_expr *x, unsigned long n) { return 0; }

static inline int probe_btf_cast(struct probe_expr *x, char *text)
{
	return probe_expr_error(x, x->pos, PROBE_ERR_BAD_FETCH_ARG, -EINVAL);
}

static inline void probe_btf_expr_free(struct probe_expr *x) { }

static inline const struct probe_arg_type *probe_btf_type(const struct probe_expr *x)
{
	return NULL;
}

static inline bool probe_btf_bits(const struct probe_expr *x, const struct probe_arg_type *type,
				  struct probe_bits *bits)
{
	return false;
}

static inline int probe_btf_string(struct probe_expr *x) { return 0; }

static inline int probe_btf_arg_names(struct probe_parse *ctx, const char *word, char ***names)
{
	return dyn_command_error(ctx->cmd, word, PROBE_ERR_NOSUP_BTFARG, -EOPNOTSUPP);
}

static inline const char *probe_btf_arg_name(struct probe_parse *ctx, unsigned long n)
{
	return NULL;
}

static inline void probe_btf_end(struct probe_parse *ctx) { }

#endif

#endif /* _KERNEL_TRACE_DYNEVENT_PROBE_BTF_H */
