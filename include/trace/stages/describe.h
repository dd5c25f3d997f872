/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pass 2: what goes into a format file, and the structs that the core finds
 * an event by.
 */
#undef __te_align
#define __te_align(type)	((int)__alignof__(struct { type b; }))

#undef __TE_FIELD
#define __TE_FIELD(_type, _item, typename, _name, sign, filter) {	\
	.type = typename, .name = _name,				\
	.size = sizeof(_type), .align = __te_align(_type),		\
	.is_signed = sign, .filter_type = filter },
#undef __TE_ARRAY
#define __TE_ARRAY(_type, _item, _len, typename, _name) {		\
	.type = typename, .name = _name,				\
	.size = sizeof(_type[_len]), .align = __te_align(_type),	\
	.is_signed = is_signed_type(_type), .filter_type = FILTER_OTHER, \
	.len = _len },
#undef __TE_DYNAMIC
#define __TE_DYNAMIC(loc, _type, _item, _len, typename, _name, sign) {	\
	.type = typename, .name = _name,				\
	.size = sizeof(u32), .align = __alignof__(u32),			\
	.is_signed = sign, .filter_type = FILTER_OTHER },
#undef __TE_STRING
#define __TE_STRING(loc, item, src, len, typename, name)		\
	__TE_DYNAMIC(loc, char, item, 0, typename, name, is_signed_type(char))

#undef __TE_CLASS
#define __TE_CLASS(c, call, proto, tstruct, print, more)		\
static notrace void							\
trace_##c##event_raw_event_##call(void *__data, proto);		\
static struct trace_event_fields trace_##c##event_fields_##call[] = {	\
	tstruct								\
	{}								\
};									\
static char c##print_fmt_##call[] = print;				\
static struct trace_event_class c##event_class_##call __used __refdata = { \
	.system		= TRACE_SYSTEM_STRING,				\
	.reg		= trace_event_reg,				\
	.raw_init	= trace_event_raw_init,				\
	.probe		= trace_##c##event_raw_event_##call,		\
	more								\
	.fields_array	= trace_##c##event_fields_##call,		\
	.fields		= LIST_HEAD_INIT(c##event_class_##call.fields),	\
};

/* A pointer for each event makes the section an array, however large the structs are padded. */
#undef __TE_CALL
#define __TE_CALL(c, template, call, funcs_of, fmt_of, ident, fl)	\
static struct trace_event_call c##event_##call __used = {		\
	.class		= &c##event_class_##template,			\
	{ ident },							\
	.event.funcs	= &trace_##c##event_type_funcs_##funcs_of,	\
	.print_fmt	= c##print_fmt_##fmt_of,			\
	.flags		= fl,						\
};									\
static struct trace_event_call *__##c##event_##call			\
	__used __section("_ftrace_events") = &c##event_##call

/*
 * User space gets the text of the arguments, with __entry as REC, macros expanded, and the
 * helpers by their names: it has its own of them.
 */
#undef __entry
#define __entry	REC

#undef TP_printk
#define TP_printk(fmt, args...) "\"" fmt "\", "  __stringify(args)

#undef __get_dynamic_array
#undef __get_dynamic_array_len
#undef __get_rel_dynamic_array
#undef __get_rel_dynamic_array_len
#undef __get_str
#undef __get_rel_str
#undef __get_sockaddr
#undef __get_rel_sockaddr
#undef __get_bitmask
#undef __get_rel_bitmask
#undef __get_cpumask
#undef __get_rel_cpumask
#undef __get_buf
#undef __print_flags
#undef __print_symbolic
#undef __print_hex
#undef __print_hex_str
#undef __print_hex_dump
#undef __print_array
#undef __print_dynamic_array

/* but for these two, which it does not know */
#undef __print_ns_to_secs
#define __print_ns_to_secs(val) (val) / 1000000000UL
#undef __print_ns_without_secs
#define __print_ns_without_secs(val) (val) % 1000000000UL
