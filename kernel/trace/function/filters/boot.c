// SPDX-License-Identifier: GPL-2.0-only
/* ftrace_filter= and ftrace_notrace= on the command line: commas between the words. */
#include <linux/init.h>
#include <linux/string.h>

#include "../../instance/words.h"
#include "../sites/sites.h"
#include "filters.h"
#include "internal.h"

TRACE_BOOT_WORDS(boot_filter, "ftrace_filter");
TRACE_BOOT_WORDS(boot_notrace, "ftrace_notrace");

/* The records are there; before anything is traced. */
void __init ftrace_boot_filters(void)
{
	char *list, *word;

	for (list = boot_filter; (word = trace_list_cut(&list, ","));)
		ftrace_set_global_filter(word, strlen(word), 0);
	for (list = boot_notrace; (word = trace_list_cut(&list, ","));)
		ftrace_set_global_notrace(word, strlen(word), 0);
	ftrace_boot_graph_filters();
}
