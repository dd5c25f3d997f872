// SPDX-License-Identifier: GPL-2.0-only
/* A warning of the kernel switches the top instance off, so that what led to it stays. */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/instruction_pointer.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "../instance/instance.h"

/* kernel.traceoff_on_warning, and the boot parameter of that name */
int __disable_trace_on_warning;

/* WARN() came along. Any context. */
void disable_trace_on_warning(void)
{
	static const char text[] = "Disabling tracing due to warning\n";

	if (!__disable_trace_on_warning)
		return;
	/*
	 * Not trace_puts(), whose mere use makes a kernel one that is being debugged, and which
	 * writes to an instance of the user's choice.
	 */
	__trace_array_puts(&global_trace, _THIS_IP_, text, sizeof(text) - 1);
	tracing_off();
}

static int __init traceoff_on_warning_setup(char *str)
{
	/* "traceoff_on_warning" alone means yes; "=0" and "=off" take it back */
	__disable_trace_on_warning = strcmp(str, "=0") && strcmp(str, "=off");
	return 1;
}
__setup("traceoff_on_warning", traceoff_on_warning_setup);
