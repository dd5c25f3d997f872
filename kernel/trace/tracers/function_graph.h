/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the two halves of the function_graph tracer: recording and printing. */
#ifndef _KERNEL_TRACE_TRACERS_FUNCTION_GRAPH_H
#define _KERNEL_TRACE_TRACERS_FUNCTION_GRAPH_H

#include "../instance/tracer.h"

struct seq_file;
struct trace_iterator;

enum {
	GRAPH_OPT_OVERRUN	= BIT(0),
	GRAPH_OPT_CPU		= BIT(1),
	GRAPH_OPT_OVERHEAD	= BIT(2),
	GRAPH_OPT_PROC		= BIT(3),
	GRAPH_OPT_DURATION	= BIT(4),
	GRAPH_OPT_ABS_TIME	= BIT(5),
	GRAPH_OPT_IRQS		= BIT(6),
	GRAPH_OPT_TAIL		= BIT(7),
	GRAPH_OPT_RETVAL	= BIT(8),
	GRAPH_OPT_RETVAL_HEX	= BIT(9),
	GRAPH_OPT_SLEEP_TIME	= BIT(10),
	GRAPH_OPT_GRAPH_TIME	= BIT(11),
	GRAPH_OPT_RETADDR	= BIT(12),
	GRAPH_OPT_ARGS		= BIT(13),
	GRAPH_OPT_MORE		= GRAPH_OPT_RETADDR | GRAPH_OPT_ARGS,
	GRAPH_OPT_REL_TIME	= BIT(14),	/* no option: of latency tracers */
};

extern struct tracer_flags graph_tracer_flags;

/* graph_print.c */
void graph_print_header(struct seq_file *m);
enum print_line_t graph_print_line(struct trace_iterator *iter);
void graph_print_open(struct trace_iterator *iter);
/* With columns of its own instead of those that the options say; valid until the close. */
void graph_print_open_columns(struct trace_iterator *iter, const u32 *columns);
void graph_print_close(struct trace_iterator *iter);
void graph_print_rewind(struct trace_iterator *iter);

#endif /* _KERNEL_TRACE_TRACERS_FUNCTION_GRAPH_H */
