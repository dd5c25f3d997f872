/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pass 4: measure an event. What lies in front of the first field of no fixed
 * size is a constant to the compiler.
 */

/* __field(int, a[4]) would give a wrong format: what is no plain name fails to compile here. */
#undef __TE_FIELD
#define __TE_FIELD(type, item, typename, name, sign, filter)		\
	(void)sizeof(struct __te_use___array_for_##item *);
#undef __TE_ARRAY
#define __TE_ARRAY(type, item, len, typename, name)

/* from where offsets count */
#undef __te_base_data
#define __te_base_data(item)	0
#undef __te_base_rel
#define __te_base_rel(item)	offsetofend(typeof(*entry), __rel_loc_##item)

#undef __te_place
#define __te_place(loc, item, bytes)					\
do {									\
	u32 __te_bytes = (bytes);					\
									\
	__data_offsets->item = __te_bytes << 16 |			\
		(__te_size + offsetof(typeof(*entry), __data) -	\
		 __te_base_##loc(item));				\
	__te_size += __te_bytes;					\
} while (0)

#undef __TE_DYNAMIC
#define __TE_DYNAMIC(loc, type, item, len, typename, name, sign)	\
	__te_place(loc, item, (len) * sizeof(type));

/* a string that is not there gets no more bytes than what stands for it has */
#undef __TE_STRING
#define __TE_STRING(loc, item, src, len, typename, name)		\
{									\
	const void *__te_src = src;					\
	u32 __te_len = len;						\
									\
	if (unlikely(!__te_src)) {					\
		__te_src = EVENT_NULL_STR;				\
		__te_len = min_t(u32, __te_len, strlen(EVENT_NULL_STR)); \
	}								\
	__data_offsets->item##_ptr_ = __te_src;				\
	__te_place(loc, item, __te_len + 1);				\
}

#undef __TE_GET_OFFSETS
#define __TE_GET_OFFSETS(c, call, proto, tstruct)			\
static __always_inline notrace unsigned int trace_##c##event_get_offsets_##call(	\
	struct trace_##c##event_data_offsets_##call *__data_offsets, proto) \
{									\
	struct trace_##c##event_raw_##call *entry __maybe_unused;	\
	unsigned int __te_size = 0;						\
									\
	tstruct								\
	return __te_size;						\
}
