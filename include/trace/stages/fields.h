/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The forms that a field may take in TP_STRUCT__entry(), brought down to four.
 * They are set here once; each pass says what these four mean to it:
 *
 * __TE_FIELD(type, item, typename, name, signed, filter)	of the type's own size
 * __TE_ARRAY(type, item, len, typename, name)			of a fixed size
 * __TE_DYNAMIC(loc, type, item, len, typename, name, signed)	@len times @type, known
 *								when the event happens
 * __TE_STRING(loc, item, src, len, typename, name)		text of @len bytes and a
 *								NUL, where @len may use
 *								__te_src, which is @src
 *
 * @loc is data or rel, as in __data_loc_item and __rel_loc_item: a word in the record with
 * the length of what it stands for in the upper half and the offset in the lower one, from the
 * start of the record or from behind that word.
 *
 * The names are made strings here, where the arguments are as they were written: the formats
 * show them.
 */
#ifndef _TRACE_STAGES_FIELDS_H
#define _TRACE_STAGES_FIELDS_H

#include "strlen.h"

#define TP_STRUCT__entry(args...)	args

#define __field_ext(_type, _item, _filter)				\
	__TE_FIELD(_type, _item, #_type, #_item, is_signed_type(_type), _filter)
#define __field_struct_ext(_type, _item, _filter)			\
	__TE_FIELD(_type, _item, #_type, #_item, 0, _filter)
#define __field(type, item)		__field_ext(type, item, FILTER_OTHER)
#define __field_struct(type, item)	__field_struct_ext(type, item, FILTER_OTHER)

#define __array(_type, _item, _len)					\
	__TE_ARRAY(_type, _item, _len, #_type "[" __stringify(_len) "]", #_item)

#define __dynamic_array(_type, _item, _len)				\
	__TE_DYNAMIC(data, _type, _item, _len, "__data_loc " #_type "[]", #_item, \
		     is_signed_type(_type))
#define __rel_dynamic_array(_type, _item, _len)				\
	__TE_DYNAMIC(rel, _type, _item, _len, "__rel_loc " #_type "[]", #_item, \
		     is_signed_type(_type))

#define __string(item, src)						\
	__TE_STRING(data, item, __string_src(src), __te_strlen(__te_src),	\
		    "__data_loc char[]", #item)
#define __rel_string(item, src)						\
	__TE_STRING(rel, item, __string_src(src), __te_strlen(__te_src),	\
		    "__rel_loc char[]", #item)
#define __string_len(item, src, len)					\
	__TE_STRING(data, item, src, len, "__data_loc char[]", #item)
#define __rel_string_len(item, src, len)				\
	__TE_STRING(rel, item, src, len, "__rel_loc char[]", #item)

#define __vstring(item, fmt, ap)	\
	__dynamic_array(char, item, __trace_event_vstr_len(fmt, ap))

#define __bitmask(item, nr_bits)	\
	__dynamic_array(unsigned long, item, BITS_TO_LONGS(nr_bits))
#define __rel_bitmask(item, nr_bits)	\
	__rel_dynamic_array(unsigned long, item, BITS_TO_LONGS(nr_bits))

#define __cpumask(item)							\
	__TE_DYNAMIC(data, unsigned long, item, BITS_TO_LONGS(nr_cpumask_bits), \
		     "__data_loc cpumask_t", #item, 0)
#define __rel_cpumask(item)						\
	__TE_DYNAMIC(rel, unsigned long, item, BITS_TO_LONGS(nr_cpumask_bits), \
		     "__rel_loc cpumask_t", #item, 0)

#define __sockaddr(item, len)		__dynamic_array(u8, item, len)
#define __rel_sockaddr(item, len)	__rel_dynamic_array(u8, item, len)

/* For the type check. */
static __always_inline const char *__string_src(const char *str)
{
	return str;
}

/* Bytes of a bitmask in a record: whole longs. */
#define __bitmask_size_in_bytes(nr_bits)	(BITS_TO_LONGS(nr_bits) * sizeof(long))

#endif /* _TRACE_STAGES_FIELDS_H */
