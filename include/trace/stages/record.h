/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pass 1: the record as a struct, and the function that prints it.
 */
#undef __TE_FIELD
#define __TE_FIELD(type, item, typename, name, sign, filter)	type item;
#undef __TE_ARRAY
#define __TE_ARRAY(type, item, len, typename, name)		type item[len];
#undef __TE_DYNAMIC
#define __TE_DYNAMIC(loc, type, item, len, typename, name, sign) u32 __##loc##_loc_##item;
#undef __TE_STRING
#define __TE_STRING(loc, item, src, len, typename, name)	u32 __##loc##_loc_##item;

#undef __TE_RECORD
#define __TE_RECORD(c, call, tstruct)					\
struct trace_##c##event_raw_##call {					\
	struct trace_entry	ent;					\
	tstruct								\
	char			__data[];				\
};

#undef __TE_PRINTER
#define __TE_PRINTER(c, template, call, print)				\
static notrace enum print_line_t					\
trace_##c##raw_output_##call(struct trace_iterator *iter, int flags,	\
			     struct trace_event *trace_event)		\
{									\
	struct trace_##c##event_raw_##template *field __maybe_unused =	\
		(void *)iter->ent;					\
	struct trace_seq *p __maybe_unused = &iter->tmp_seq;		\
	/* the formats of spmi_cmd and others print a variable of this name */ \
	int ret = trace_raw_output_prep(iter, trace_event);		\
									\
	if (unlikely(ret != TRACE_TYPE_HANDLED))			\
		return ret;						\
	return trace_event_printf(iter, print);				\
}									\
static struct trace_event_functions trace_##c##event_type_funcs_##call = { \
	.trace = trace_##c##raw_output_##call,				\
};

#undef __entry
#define __entry	field

#undef TP_printk
#define TP_printk(fmt, args...)	fmt "\n", args

/* ---- reading fields: also part of pass 5, but for those of masks ---- */

#undef __get_dynamic_array
#define __get_dynamic_array(field)		\
	((void *)__entry + (u16)__entry->__data_loc_##field)
#undef __get_dynamic_array_len
#define __get_dynamic_array_len(field)		\
	(__entry->__data_loc_##field >> 16)

#undef __get_rel_dynamic_array
#define __get_rel_dynamic_array(field)		\
	((void *)(&__entry->__rel_loc_##field + 1) + (u16)__entry->__rel_loc_##field)
#undef __get_rel_dynamic_array_len
#define __get_rel_dynamic_array_len(field)	\
	(__entry->__rel_loc_##field >> 16)

#undef __get_str
#define __get_str(field)		((char *)__get_dynamic_array(field))
#undef __get_rel_str
#define __get_rel_str(field)		((char *)__get_rel_dynamic_array(field))

#undef __get_sockaddr
#define __get_sockaddr(field)		((struct sockaddr *)__get_dynamic_array(field))
#undef __get_rel_sockaddr
#define __get_rel_sockaddr(field)	((struct sockaddr *)__get_rel_dynamic_array(field))

/* as text, within the iterator's tmp_seq */
#undef __get_bitmask
#define __get_bitmask(field)						\
	trace_print_bitmask_seq(p, __get_dynamic_array(field),		\
				__get_dynamic_array_len(field))
#undef __get_rel_bitmask
#define __get_rel_bitmask(field)					\
	trace_print_bitmask_seq(p, __get_rel_dynamic_array(field),	\
				__get_rel_dynamic_array_len(field))
#undef __get_cpumask
#define __get_cpumask(field)		__get_bitmask(field)
#undef __get_rel_cpumask
#define __get_rel_cpumask(field)	__get_rel_bitmask(field)

#undef __get_buf
#define __get_buf(len)			trace_seq_acquire(p, (len))

/* ---- print helpers ---- */

#undef __print_flags
#define __print_flags(flag, delim, flag_array...)			\
({									\
	static const struct trace_print_flags __te_flags[] = {		\
		flag_array, { -1, NULL }				\
	};								\
	trace_print_flags_seq(p, delim, flag, __te_flags);		\
})

#undef __print_symbolic
#define __print_symbolic(value, symbol_array...)			\
({									\
	static const struct trace_print_flags __te_symbols[] = {	\
		symbol_array, { -1, NULL }				\
	};								\
	trace_print_symbols_seq(p, value, __te_symbols);		\
})

/* longs have 64 bits; formats show what these expand to */
#undef __print_flags_u64
#define __print_flags_u64(flag, delim, flag_array...)			\
			__print_flags(flag, delim, flag_array)
#undef __print_symbolic_u64
#define __print_symbolic_u64(value, symbol_array...)			\
			__print_symbolic(value, symbol_array)

#undef __print_hex
#define __print_hex(buf, buf_len)	trace_print_hex_seq(p, buf, buf_len, false)
#undef __print_hex_str
#define __print_hex_str(buf, buf_len)	trace_print_hex_seq(p, buf, buf_len, true)

#undef __print_array
#define __print_array(array, count, el_size)				\
({									\
	BUILD_BUG_ON(!is_power_of_2(el_size) || (el_size) > 8);		\
	trace_print_array_seq(p, array, count, el_size);		\
})
#undef __print_dynamic_array
#define __print_dynamic_array(array, el_size)				\
	__print_array(__get_dynamic_array(array),			\
		      __get_dynamic_array_len(array) / (el_size), (el_size))

#undef __print_hex_dump
#define __print_hex_dump(prefix_str, prefix_type, rowsize, groupsize, buf, len, ascii) \
	trace_print_hex_dump_seq(p, prefix_str, prefix_type, rowsize, groupsize, \
				 buf, len, ascii)

/* nanoseconds as seconds and what is left of one */
#undef __print_ns_to_secs
#define __print_ns_to_secs(value)	((u64)(value) / NSEC_PER_SEC)
#undef __print_ns_without_secs
#define __print_ns_without_secs(value)	((u32)((u64)(value) % NSEC_PER_SEC))
