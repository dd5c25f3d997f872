/* SPDX-License-Identifier: GPL-2.0-only */
/* Why a synthetic event is refused, as error_log says it. Users read these: ABI. */
#ifndef _KERNEL_TRACE_DYNEVENT_SYNTH_ERRORS_H
#define _KERNEL_TRACE_DYNEVENT_SYNTH_ERRORS_H

#define SYNTH_ERRORS(C)									\
	C(BAD_NAME,		"Illegal name")						\
	C(INVALID_CMD,		"Command must be of the form: <name> field[;field] ...") \
	C(INVALID_DYN_CMD,								\
	  "Command must be of the form: s or -:[synthetic/]<name> field[;field] ...")	\
	C(EVENT_EXISTS,		"Event already exists")					\
	C(TOO_MANY_FIELDS,	"Too many fields")					\
	C(INCOMPLETE_TYPE,	"Incomplete type")					\
	C(INVALID_TYPE,		"Invalid type")						\
	C(INVALID_FIELD,	"Invalid field")					\
	C(INVALID_ARRAY_SPEC,	"Invalid array specification")				\
	C(NO_EVENT,		"There is no such synthetic event")			\
	C(BUSY,			"The synthetic event is in use")

#define __SYNTH_ERROR(name, text)	SYNTH_ERR_##name,
enum synth_error { SYNTH_ERRORS(__SYNTH_ERROR) };
#undef __SYNTH_ERROR

#endif /* _KERNEL_TRACE_DYNEVENT_SYNTH_ERRORS_H */
