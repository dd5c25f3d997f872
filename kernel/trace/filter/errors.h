/* SPDX-License-Identifier: GPL-2.0-only */
/* Why a filter is refused, as error_log and the file `filter` say it. Users read these: ABI. */
#ifndef _KERNEL_TRACE_FILTER_ERRORS_H
#define _KERNEL_TRACE_FILTER_ERRORS_H

#define FILTER_ERRORS(C)								\
	C(NONE,			"No error")						\
	C(INVALID_OP,		"Invalid operator")					\
	C(TOO_MANY_OPEN,	"Too many '('")						\
	C(TOO_FEW_OPEN,		"Too few '('")						\
	C(MISSING_QUOTE,	"Missing matching quote")				\
	C(MISSING_BRACE_OPEN,	"Missing '{'")						\
	C(MISSING_BRACE_CLOSE,	"Missing '}'")						\
	C(OPERAND_TOO_LONG,	"Operand too long")					\
	C(EXPECT_STRING,	"Expecting string field")				\
	C(EXPECT_DIGIT,		"Expecting numeric field")				\
	C(ILLEGAL_FIELD_OP,	"Illegal operation for field type")			\
	C(FIELD_NOT_FOUND,	"Field not found")					\
	C(ILLEGAL_INTVAL,	"Illegal integer value")				\
	C(BAD_SUBSYS_FILTER,	"Couldn't find or set field in one of a subsystem's events") \
	C(TOO_MANY_PREDS,	"Too many terms in predicate expression")		\
	C(INVALID_FILTER,	"Meaningless filter expression")			\
	C(INVALID_CPULIST,	"Invalid cpulist")					\
	C(INVALID_VALUE,	"Invalid value (did you forget quotes)?")		\
	C(NO_FUNCTION,		"Function not found")					\
	C(NO_FILTER,		"No filter found")					\
	C(EXPECT_FIELD,		"Expecting a field")					\
	C(BAD_INDEX,		"Invalid index of an array")				\
	C(BAD_SET,		"Invalid set of values")				\
	C(NO_CGROUP,		"Cgroup not found")					\
	C(TOO_LONG,		"Filter is too long")					\
	C(GONE,			"Event has gone meanwhile")

#define __FILTER_ERROR(name, text)	FILTER_ERR_##name,
enum filter_error { FILTER_ERRORS(__FILTER_ERROR) };
#undef __FILTER_ERROR

#endif /* _KERNEL_TRACE_FILTER_ERRORS_H */
