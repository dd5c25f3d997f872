/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Before the first pass: the name of the system, once for all its events, and
 * the values of enums and sizes that print formats refer to by name.
 */
#define __te_system_string(var)		__te_system_string_(var)
#define __te_system_string_(var)	str__##var##__trace_system_name
#define TRACE_SYSTEM_STRING		__te_system_string(TRACE_SYSTEM_VAR)

static const char TRACE_SYSTEM_STRING[] = __stringify(TRACE_SYSTEM);

/* Maps are copied out of init memory; pointers to them make the array. */
#define __TE_EVAL_MAP(id, text, value)					\
	static struct trace_eval_map __trace_eval_##id __used __initdata = { \
		.system		= TRACE_SYSTEM_STRING,			\
		.eval_string	= text,					\
		.eval_value	= value,				\
	};								\
	static struct trace_eval_map *__trace_eval_ptr_##id		\
	__used __section("_ftrace_eval_map") = &__trace_eval_##id

#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(x)	__TE_EVAL_MAP(enum_##x, #x, x)

#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(x)	__TE_EVAL_MAP(sizeof_##x, "sizeof(" #x ")", sizeof(x))
