/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pass 3: for each field of no fixed size the word that the record will hold,
 * and where its text is taken from. Lives in registers of the probe.
 */
#undef __TE_FIELD
#define __TE_FIELD(type, item, typename, name, sign, filter)
#undef __TE_ARRAY
#define __TE_ARRAY(type, item, len, typename, name)
#undef __TE_DYNAMIC
#define __TE_DYNAMIC(loc, type, item, len, typename, name, sign) u32 item;
#undef __TE_STRING
#define __TE_STRING(loc, item, src, len, typename, name)	\
	u32 item; const void *item##_ptr_;

#undef __TE_OFFSETS
#define __TE_OFFSETS(c, call, tstruct)			\
struct trace_##c##event_data_offsets_##call {		\
	tstruct						\
};
