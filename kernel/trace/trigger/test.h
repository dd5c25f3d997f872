/* SPDX-License-Identifier: GPL-2.0-only */
/* For KUnit tests that set triggers. */
#ifndef _KERNEL_TRACE_TRIGGER_TEST_H
#define _KERNEL_TRACE_TRIGGER_TEST_H

#include "trigger.h"

/* What the event's file `trigger` does with @text. event_mutex held. */
static inline int set_trigger(struct trace_event_file *file, const char *text)
{
	struct trace_words words = event_trigger_words(file->tr);
	int ret = trace_words_copy(&words, text);

	if (ret)
		return ret;
	ret = event_trigger_command(file, &words);
	trace_words_free(&words);
	return ret;
}

#endif /* _KERNEL_TRACE_TRIGGER_TEST_H */
