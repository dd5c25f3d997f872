/* SPDX-License-Identifier: GPL-2.0-only */
/* Why a hist trigger is refused, as error_log says it. Users read these: ABI. */
#ifndef _KERNEL_TRACE_HIST_ERRORS_H
#define _KERNEL_TRACE_HIST_ERRORS_H

#define HIST_ERRORS(C)									\
	C(NONE,			"No error")						\
	C(DUPLICATE_VAR,	"Variable already defined")				\
	C(VAR_NOT_UNIQUE,								\
	  "Variable name not unique, need to use fully qualified name (subsys.event.var) for variable") \
	C(TOO_MANY_VARS,	"Too many variables defined")				\
	C(MALFORMED_ASSIGNMENT,	"Malformed assignment")					\
	C(NAMED_MISMATCH,								\
	  "Named hist trigger doesn't match existing named trigger (includes variables)") \
	C(TRIGGER_EEXIST,	"Hist trigger already exists")				\
	C(TRIGGER_ENOENT_CLEAR,	"Can't clear or continue a nonexistent hist trigger")	\
	C(SET_CLOCK_FAIL,	"Couldn't set trace_clock")				\
	C(BAD_FIELD_MODIFIER,	"Invalid field modifier")				\
	C(TOO_MANY_SUBEXPR,	"Too many subexpressions (3 max)")			\
	C(TIMESTAMP_MISMATCH,	"Timestamp units in expression don't match")		\
	C(EVENT_FILE_NOT_FOUND,	"Event file not found")					\
	C(HIST_NOT_FOUND,	"Matching event histogram not found")			\
	C(HIST_CREATE_FAIL,	"Couldn't create histogram for field")			\
	C(SYNTH_VAR_NOT_FOUND,	"Couldn't find synthetic variable")			\
	C(SYNTH_EVENT_NOT_FOUND, "Couldn't find synthetic event")			\
	C(SYNTH_TYPE_MISMATCH,	"Param type doesn't match synthetic event field type")	\
	C(SYNTH_COUNT_MISMATCH,	"Param count doesn't match synthetic event field count") \
	C(FIELD_VAR_PARSE_FAIL,	"Couldn't parse field variable")			\
	C(ONX_NOT_VAR,		"For onmax(x) or onchange(x), x must be a variable")	\
	C(ONX_VAR_NOT_FOUND,	"Couldn't find onmax or onchange variable")		\
	C(FIELD_VAR_CREATE_FAIL, "Couldn't create field variable")			\
	C(TOO_MANY_PARAMS,	"Too many action params")				\
	C(PARAM_NOT_FOUND,	"Couldn't find param")					\
	C(INVALID_PARAM,	"Invalid action param")					\
	C(ACTION_NOT_FOUND,	"No action found")					\
	C(TOO_MANY_SAVE_ACTIONS, "Can't have more than one save() action per hist")	\
	C(ACTION_MISMATCH,	"Handler doesn't support action")			\
	C(NO_CLOSING_PAREN,	"No closing paren found")				\
	C(SUBSYS_NOT_FOUND,	"Missing subsystem")					\
	C(INVALID_SUBSYS_EVENT,	"Invalid subsystem or event name")			\
	C(INVALID_REF_KEY,	"Using variable references in keys not supported")	\
	C(VAR_NOT_FOUND,	"Couldn't find variable")				\
	C(FIELD_NOT_FOUND,	"Couldn't find field")					\
	C(EMPTY_ASSIGNMENT,	"Empty assignment")					\
	C(INVALID_SORT_MODIFIER, "Invalid sort modifier")				\
	C(EMPTY_SORT_FIELD,	"Empty sort field")					\
	C(TOO_MANY_SORT_FIELDS,	"Too many sort fields (Max = 2)")			\
	C(INVALID_SORT_FIELD,	"Sort field must be a key or a val")			\
	C(INVALID_STR_OPERAND,	"String type can not be an operand in expression")	\
	C(EXPECT_NUMBER,	"Expecting numeric literal")				\
	C(UNARY_MINUS_SUBEXPR,	"Unary minus not supported in sub-expressions")		\
	C(DIVIDE_BY_ZERO,	"Division by zero")					\
	C(NEED_NOHC_VAL,	"Non-hitcount value is required for 'nohitcount'")	\
	/* where the base says nothing in error_log */					\
	C(NO_KEYS,		"No keys")						\
	C(TOO_MANY_KEYS,	"Too many keys (Max = 8)")				\
	C(TOO_MANY_VALUES,	"Too many values (Max = 7)")				\
	C(TOO_MANY_REFS,	"Too many references to variables")			\
	C(TOO_MANY_ACTIONS,	"Too many actions (Max = 8)")				\
	C(UNKNOWN_PARAM,	"Neither a parameter, nor an assignment, nor an action") \
	C(BAD_SIZE,		"Size must be a number from 65 to 1048576")		\
	C(BAD_NAME,		"Not a name")						\
	C(BAD_EXPRESSION,	"Malformed expression")					\
	C(BAD_VALUE,		"Values must be numbers")				\
	C(IN_USE,		"Variables of the histogram are in use")		\
	C(NO_FILTER,		"No filter behind 'if'")				\
	C(REFUSED,		"Trigger could not be set")

#define __HIST_ERROR(name, text)	HIST_ERR_##name,
enum hist_error { HIST_ERRORS(__HIST_ERROR) };
#undef __HIST_ERROR

#endif /* _KERNEL_TRACE_HIST_ERRORS_H */
