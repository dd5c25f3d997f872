// SPDX-License-Identifier: GPL-2.0-only
/* ftrace_filter= and ftrace_notrace= on the command line: commas between the words. */
#include <linux/init.h>
#include <linux/string.h>

#include "../sites/sites.h"
#include "filters.h"
#include "set_graph_function.h"

#include <asm/setup.h>

static char boot_filter[COMMAND_LINE_SIZE] __initdata;
static char boot_notrace[COMMAND_LINE_SIZE] __initdata;

static int __init set_boot_filter(char *str)
{
	strscpy(boot_filter, str, sizeof(boot_filter));
	return 1;
}
__setup("ftrace_filter=", set_boot_filter);

static int __init set_boot_notrace(char *str)
{
	strscpy(boot_notrace, str, sizeof(boot_notrace));
	return 1;
}
__setup("ftrace_notrace=", set_boot_notrace);

/* The records are there; before anything is traced. */
void __init ftrace_boot_filters(void)
{
	char *list, *word;

	for (list = boot_filter; (word = strsep(&list, ","));) {
		if (*word)
			ftrace_set_global_filter(word, strlen(word), 0);
	}
	for (list = boot_notrace; (word = strsep(&list, ","));) {
		if (*word)
			ftrace_set_global_notrace(word, strlen(word), 0);
	}
	ftrace_boot_graph_filters();
}
