// SPDX-License-Identifier: GPL-2.0-only
/*
 * The one place that knows every room: which features an instance has, and in
 * what order they come up when the kernel boots.
 *
 * early_trace_init() runs as soon as the allocators do: from then on trace_printk() records.
 * trace_init() runs when the scheduler and RCU are set up: from then on events do, and functions.
 * Other tracers, and tracefs (instance/tracefs.c), come with the initcalls.
 */
#include <linux/ftrace.h>
#include <linux/init.h>

#include "dynevent/dynevent.h"
#include "dynevent/probe.h"
#include "events/events.h"
#include "filter/filter.h"
#include "function/filters/instances.h"
#include "hist/hist.h"
#include "instance/instance.h"
#include "output/output.h"
#include "record/record.h"
#include "rv_interface.h"
#include "snapshot/snapshot.h"
#include "tasks/tasks.h"
#include "tracers/branch.h"
#include "tracers/function.h"
#include "tracers/noise/noise.h"
#include "tracers/stack.h"
#include "trigger/trigger.h"

#ifdef CONFIG_RV
/* Files of the top level are made once, in the boot. */
static void __ref rv_files(struct trace_array *tr, struct dentry *dir)
{
	rv_init_interface();
}

static const struct instance_feature rv_feature = {
	.name		= "runtime verification",
	.top_files	= rv_files,
};
#endif

/* Set up in this order, taken down in reverse. */
static const struct instance_feature *const instance_features[] = {
	&instance_setup_feature,
	&instance_options_feature,
	&instance_tracer_feature,
	&trace_file_feature,
	&trace_pipe_feature,
	&trace_marker_feature,
	&trace_printk_feature,
	&tp_printk_feature,
	&trace_cmdline_feature,
	&error_log_feature,
#ifdef CONFIG_TRACER_MAX_TRACE
	&instance_max_latency_feature,
#endif
	&trace_readme_feature,
#ifdef CONFIG_TRACER_SNAPSHOT
	&snapshot_feature,
#endif
#ifdef CONFIG_HIST_TRIGGERS
	&hist_feature,		/* hists go with their events */
#endif
	&events_feature,
	&event_pid_feature,
	&event_trigger_feature,
#ifdef CONFIG_FUNCTION_TRACER
	&function_feature,
	&function_pid_feature,
#endif
#ifdef CONFIG_STACK_TRACER
	&stack_tracer_feature,
#endif
#ifdef CONFIG_TRACE_BRANCH_PROFILING
	&branch_feature,
#endif
#ifdef CONFIG_RV
	&rv_feature,
#endif
#ifdef CONFIG_DYNAMIC_EVENTS
	&dynevent_feature,
#endif
#ifdef CONFIG_HWLAT_TRACER
	&hwlat_feature,
#endif
#ifdef CONFIG_OSNOISE_TRACER
	&osnoise_feature,
#endif
	NULL
};

void __init early_trace_init(void)
{
	if (trace_output_early_init() || trace_cmdline_init()) {
		pr_err("tracing: not enough memory to start; tracing is off\n");
		return;
	}
	trace_record_early_init();
	if (instance_early_init(instance_features))
		pr_err("tracing: not enough memory to start; tracing is off\n");
	function_early_init();
}

void __init trace_init(void)
{
	if (trace_events_init())
		pr_err("tracing: not enough memory for trace events\n");
	event_filters_init();
	event_triggers_init();
	hist_init();
	event_triggers_boot();
	instance_boot_instances();
	function_tracer_init();
}
