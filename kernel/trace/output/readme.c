// SPDX-License-Identifier: GPL-2.0-only
/*
 * README: the mini-HOWTO. It names what this kernel has and nothing else, one
 * paragraph a file; scripts look for words in it to find out what is there.
 */
#include <linux/fs.h>
#include <linux/string.h>

#include "output.h"

static const char readme_text[] =
	"tracing mini-HOWTO:\n\n"
	"By default, tracefs removes all OTH file permissions.\n"
	"Mount it with  mode=, uid= and gid= (\"[gid=<gid>]\") to change that:\n"
	"  mount -t tracefs -o gid=100 nodev /sys/kernel/tracing\n\n"
	"  # echo 1 > events/sched/enable         switch some events on\n"
	"  # cat trace                            look at what was recorded\n"
	"  # cat trace_pipe                       the same, taken out as it comes\n"
	"  # echo 0 > tracing_on                  stop for a moment\n"
	"  # echo > trace                         forget it all\n\n"
	"Reading\n"
	"  trace\t\t\tthe buffer as text; writing empties it\n"
	"  trace_pipe\t\tthe same, but each entry is read once; waits for more\n"
	"  per_cpu/cpuN/\t\ttrace, trace_pipe, stats and size of one CPU\n"
	"  per_cpu/cpuN/trace_pipe_raw\tsub-buffers in binary, for tools\n"
	"  error_log\t\twhy the last commands were refused; writing clears it\n"
	"  saved_cmdlines\tcommand names by pid\n"
	"  saved_cmdlines_size\thow many of them are kept\n"
	"  saved_tgids\t\tthread groups by pid, see options/record-tgid\n"
	"  printk_formats\tformats of trace_printk(), for tools\n\n"
	"Recording\n"
	"  tracing_on\t\t0 stops writing to the buffer, 1 goes on\n"
	"  trace_marker\t\twhat is written here goes to the buffer as text\n"
	"  trace_marker_raw\tthe same in binary: an int as id, then data\n"
	"  buffer_size_kb\tsize of each CPU's buffer\n"
	"  buffer_total_size_kb\tand of all of them\n"
	"  buffer_subbuf_size_kb\tsize of a sub-buffer, the most a record can take\n"
	"  buffer_percent\thow full it has to be before raw readers are woken\n"
	"  free_buffer\t\tclosing it shrinks the buffer to nothing\n"
	"  tracing_cpumask\tCPUs that record\n"
	"  current_tracer\tthe tracer that runs, one of available_tracers\n"
	"  tracing_thresh\tmicroseconds a call must take to be recorded, for tracers\n"
	"\t\t\tthat measure\n"
	"  trace_options\t\thow to record and print; one file each in options/\n"
	"  trace_clock\t\twhere times come from:\n"
	"\t\tlocal\tfast, but CPUs may disagree\n"
	"\t\tglobal\tCPUs agree, slower\n"
	"\t\tcounter\tno time, but a number that grows\n"
	"\t\tuptime\tjiffies since boot\n"
	"\t\tperf\tas perf uses\n"
	"\t\tmono\tCLOCK_MONOTONIC\n"
	"\t\tmono_raw\tCLOCK_MONOTONIC_RAW\n"
	"\t\tboot\tCLOCK_BOOTTIME\n"
	"\t\ttai\tCLOCK_TAI\n"
#ifdef CONFIG_X86_64
	"\t\tx86-tsc\tcycles of the CPU\n"
#endif
	"  timestamp_mode\tdelta or absolute times in the buffer\n\n"
#ifdef CONFIG_TRACER_SNAPSHOT
	"Snapshots\n"
	"  snapshot\t\t1 keeps what was recorded up to now, and recording goes on; reading\n"
	"\t\t\tshows it, or what else can be written\n"
	"  per_cpu/cpuN/snapshot\tthe same of one CPU\n"
	"  per_cpu/cpuN/snapshot_raw\tits sub-buffers in binary, for tools\n\n"
#endif
	"Events\n"
	"  available_events\tall, as SYSTEM:EVENT\n"
	"  set_event\t\tthose that are on; write SYSTEM:EVENT, SYSTEM:*, *:EVENT,\n"
	"\t\t\tor any of these behind a ! to switch it off, and with\n"
	"\t\t\t:mod:MODULE behind it those of a module, now or when it comes\n"
	"  set_event_pid\t\tonly of these tasks; options/event-fork adds children\n"
	"  set_event_notrace_pid\tnot of these tasks\n"
	"  events/enable, events/SYSTEM/enable, events/SYSTEM/EVENT/enable\n"
	"\t\t\t0 or 1; X when some are on\n"
	"  events/SYSTEM/EVENT/format\tits fields\n"
	"  events/SYSTEM/EVENT/id\tits number, for perf\n"
	"  events/SYSTEM/EVENT/trigger\tdo something when it is hit:\n"
	"\t\t\tCOMMAND[:COUNT] [if FILTER], with traceon, traceoff,\n"
#ifdef CONFIG_TRACER_SNAPSHOT
	"\t\t\tsnapshot,\n"
#endif
	"\t\t\tstacktrace, enable_event:SYSTEM:EVENT or\n"
	"\t\t\tdisable_event:SYSTEM:EVENT; ! takes it away\n"
	"  show_event_triggers, show_event_filters\tall that are set\n\n"
#ifdef CONFIG_FUNCTION_TRACER
	"Functions\n"
	"  available_filter_functions\tthose that can be traced\n"
	"  available_filter_functions_addrs\tthe same with addresses\n"
	"  set_ftrace_filter\ttrace only these: names, globs, FUNCTION:mod:MODULE; or\n"
	"\t\t\tdo something there, FUNCTION:COMMAND[:COUNT], with traceon,\n"
	"\t\t\ttraceoff, stacktrace, dump, cpudump, or the commands of\n"
	"\t\t\tevents' triggers; ! takes it away\n"
	"  set_ftrace_notrace\tdo not trace these\n"
	"  set_ftrace_pid\tonly of these tasks; options/function-fork adds children\n"
	"  set_ftrace_notrace_pid\tnot of these tasks\n"
	"  enabled_functions\tthose that somebody traces, and who\n"
	"  touched_functions\tthose that ever were\n"
	"  dyn_ftrace_total_info\tnumbers of call sites and what they take\n"
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	"  set_graph_function\tgraphs of these and of what they call\n"
	"  set_graph_notrace\tno graphs of these, nor of what they call\n"
	"  max_graph_depth\thow deep calls are followed; 0 is without limit\n"
#endif
#ifdef CONFIG_FUNCTION_PROFILER
	"  function_profile_enabled\t1 counts calls and times, 0 stops\n"
	"  trace_stat/functionN\twhat was counted on CPU N\n"
#endif
#ifdef CONFIG_FTRACE_RECORD_RECURSION
	"  recursed_functions\tthose in which a tracer came back to itself\n"
#endif
	"\n"
#endif
	"Instances\n"
	"  mkdir instances/NAME\tanother buffer with files, options and events of\n"
	"\t\t\tits own; rmdir takes it away\n";

static ssize_t readme_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return simple_read_from_buffer(ubuf, cnt, ppos, readme_text, strlen(readme_text));
}

static const struct file_operations readme_fops = {
	.open	= tracing_open_generic,
	.read	= readme_read,
	.llseek	= generic_file_llseek,
};

static void readme_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("README", TRACE_MODE_READ, dir, NULL, &readme_fops);
}

const struct instance_feature trace_readme_feature = {
	.name		= "README",
	.top_files	= readme_files,
};
