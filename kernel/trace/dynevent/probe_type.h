/* SPDX-License-Identifier: GPL-2.0-only */
/* The types that arguments of probes can have. */
#ifndef _KERNEL_TRACE_DYNEVENT_PROBE_TYPE_H
#define _KERNEL_TRACE_DYNEVENT_PROBE_TYPE_H

#include <linux/trace_seq.h>
#include <linux/types.h>

/* How a string gets into the record. */
enum probe_string {
	PROBE_NO_STRING,
	PROBE_STRING,		/* characters in memory, the kernel's but for a user's probe */
	PROBE_USTRING,		/* characters in memory of the current task */
	PROBE_SYMSTR,		/* an address as a symbol */
};

/**
 * struct probe_arg_type - a type
 * @name:	what users write
 * @field:	the type of the field that format shows, an element's of an array
 * @fmt:	how print_fmt prints it
 * @size:	bytes in the record; a string's are its __data_loc
 * @is_signed:	of a number
 * @string:	what kind of string
 * @print:	print the value at @data; @record is where the record begins
 */
struct probe_arg_type {
	const char		*name;
	const char		*field;
	const char		*fmt;
	unsigned int		size;
	bool			is_signed;
	enum probe_string	string;
	void			(*print)(struct trace_seq *s, const void *data,
					 const void *record);
};

const struct probe_arg_type *probe_type_find(const char *name);	/* NULL: what has no type */

#endif /* _KERNEL_TRACE_DYNEVENT_PROBE_TYPE_H */
