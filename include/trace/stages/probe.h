/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pass 5: the functions that tracepoints call, and what TP_fast_assign() may
 * use in them.
 */
#undef __TE_FIELD
#define __TE_FIELD(type, item, typename, name, sign, filter)
#undef __TE_ARRAY
#define __TE_ARRAY(type, item, len, typename, name)
#undef __TE_DYNAMIC
#define __TE_DYNAMIC(loc, type, item, len, typename, name, sign)	\
	entry->__##loc##_loc_##item = __data_offsets.item;
#undef __TE_STRING
#define __TE_STRING(loc, item, src, len, typename, name)		\
	entry->__##loc##_loc_##item = __data_offsets.item;

#undef __entry
#define __entry	entry

#undef TP_fast_assign
#define TP_fast_assign(args...)	args

/*
 * A write to the record may not alias what was measured, so offsets and lengths come from
 * there and not out of the record.
 */
#undef __get_dynamic_array
#define __get_dynamic_array(field)	((void *)__entry + (u16)__data_offsets.field)
#undef __get_dynamic_array_len
#define __get_dynamic_array_len(field)	(__data_offsets.field >> 16)
#undef __get_rel_dynamic_array
#define __get_rel_dynamic_array(field)		\
	((void *)(&__entry->__rel_loc_##field + 1) + (u16)__data_offsets.field)
#undef __get_rel_dynamic_array_len
#define __get_rel_dynamic_array_len(field)	(__data_offsets.field >> 16)

#undef __get_str
#define __get_str(field)		((char *)__get_dynamic_array(field))
#undef __get_rel_str
#define __get_rel_str(field)		((char *)__get_rel_dynamic_array(field))
#undef __get_sockaddr
#define __get_sockaddr(field)		((struct sockaddr *)__get_dynamic_array(field))
#undef __get_rel_sockaddr
#define __get_rel_sockaddr(field)	((struct sockaddr *)__get_rel_dynamic_array(field))
#undef __get_bitmask
#define __get_bitmask(field)		((char *)__get_dynamic_array(field))
#undef __get_rel_bitmask
#define __get_rel_bitmask(field)	((char *)__get_rel_dynamic_array(field))
#undef __get_cpumask
#define __get_cpumask(field)		__get_bitmask(field)
#undef __get_rel_cpumask
#define __get_rel_cpumask(field)	__get_rel_bitmask(field)

/* the source may have become longer since, so the end is written and not copied */
#undef __te_assign_str
#define __te_assign_str(to, item)					\
do {									\
	char *__te_to = (to);						\
	u32 __te_len = (__data_offsets.item >> 16) - 1;			\
									\
	__te_copy(__te_to, __data_offsets.item##_ptr_, __te_len);	\
	__te_to[__te_len] = '\0';					\
} while (0)

#undef __assign_str
#define __assign_str(dst)		__te_assign_str(__get_str(dst), dst)
#undef __assign_rel_str
#define __assign_rel_str(dst)		__te_assign_str(__get_rel_str(dst), dst)

#undef __assign_vstr
#define __assign_vstr(dst, fmt, va)					\
do {									\
	va_list __te_va;						\
									\
	va_copy(__te_va, *(va));					\
	vsnprintf(__get_str(dst), __get_dynamic_array_len(dst), fmt, __te_va); \
	va_end(__te_va);						\
} while (0)

#undef __assign_bitmask
#define __assign_bitmask(dst, src, nr_bits)	\
	memcpy(__get_bitmask(dst), (src), __bitmask_size_in_bytes(nr_bits))
#undef __assign_rel_bitmask
#define __assign_rel_bitmask(dst, src, nr_bits)	\
	memcpy(__get_rel_bitmask(dst), (src), __bitmask_size_in_bytes(nr_bits))
#undef __assign_cpumask
#define __assign_cpumask(dst, src)		__assign_bitmask(dst, src, nr_cpumask_bits)
#undef __assign_rel_cpumask
#define __assign_rel_cpumask(dst, src)		__assign_rel_bitmask(dst, src, nr_cpumask_bits)

#undef __assign_sockaddr
#define __assign_sockaddr(dest, src, len)	memcpy(__get_dynamic_array(dest), src, len)
#undef __assign_rel_sockaddr
#define __assign_rel_sockaddr(dest, src, len)	memcpy(__get_rel_dynamic_array(dest), src, len)

/* Marks in TP_ARGS() of a class: for perf, how much the event counts and whom it is about. */
#undef __perf_count
#define __perf_count(c)	(__count = (c))
#undef __perf_task
#define __perf_task(t)	(__task = (t))

/*
 * What the event does not fill in, holes and the rest of a name, shows nothing of what was there
 * before: the record may be on the stack, to be copied as a whole. The compiler drops what is
 * written over. In pieces, and with what is known of its address, for it makes a call of larger
 * ones and of odd ones. A record that is reserved, not begun, was cleared if it is on the stack.
 */
#undef __te_aligned
#ifdef __CHECKER__	/* sparse does not know it */
#define __te_aligned(entry)	((void *)(entry))
#else
#define __te_aligned(entry)						\
	__builtin_assume_aligned(entry, IS_ENABLED(CONFIG_HAVE_64BIT_ALIGNED_ACCESS) ? 8 : 4)
#endif

#undef __TE_CLEAR
#define __TE_CLEAR(from, to)						\
	do {								\
		if (__begins && sizeof(*entry) > (from))		\
			memset(__te_aligned(entry) + (from), 0,		\
			       (sizeof(*entry) < (to) ? sizeof(*entry) : (to)) - (from)); \
	} while (0)

#undef __TE_PROBE
#define __TE_PROBE(c, call, proto, args, tstruct, assign)		\
static notrace void							\
trace_##c##event_raw_event_##call(void *__data, proto)			\
{									\
	struct trace_##c##event_data_offsets_##call __data_offsets __maybe_unused; \
	struct trace_##c##event_raw_##call *entry;			\
	struct task_struct *__task __maybe_unused;			\
	struct trace_event_buffer __fbuffer __uninitialized;		\
	u64 __count __maybe_unused;					\
	const bool __begins = !sizeof(__data_offsets) &&		\
			      sizeof(*entry) <= TRACE_EVENT_SCRATCH;	\
	unsigned int __size;						\
									\
	/* Before it is measured; where that is known and not much, in one call. */ \
	if (!__begins && trace_trigger_soft_disabled(__data))		\
		return;							\
	__size = trace_##c##event_get_offsets_##call(&__data_offsets, args); \
	if (!__begins)							\
		entry = trace_event_buffer_reserve(&__fbuffer, __data,	\
						   sizeof(*entry) + __size); \
	else								\
		entry = trace_event_buffer_begin(__data, &__fbuffer,	\
						 sizeof(*entry) + __size); \
	if (unlikely(!entry))						\
		return;							\
	__TE_CLEAR(sizeof(entry->ent), 32);				\
	__TE_CLEAR(32, 64);						\
	__TE_CLEAR(64, TRACE_EVENT_SCRATCH);				\
	tstruct								\
	{ assign; }							\
	barrier();	/* else @entry would make room for the argument */ \
	trace_event_buffer_commit(&__fbuffer);				\
}
