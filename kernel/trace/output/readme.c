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
#ifdef CONFIG_X86
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
	"\t\t\tor any of these behind a ! to switch it off\n"
	"\t\t\tCan enable module events via: :mod:<module>\n"
	"  set_event_pid\t\tonly of these tasks; options/event-fork adds children\n"
	"  set_event_notrace_pid\tnot of these tasks\n"
	"  events/enable, events/SYSTEM/enable, events/SYSTEM/EVENT/enable\n"
	"\t\t\t0 or 1; X when some are on\n"
	"  events/SYSTEM/filter, events/SYSTEM/EVENT/filter\n"
	"\t\t\tkeep only records for which it is true; 0 takes it away\n"
	"  events/SYSTEM/EVENT/format\tits fields\n"
	"  events/SYSTEM/EVENT/id\tits number, for perf\n"
#ifdef CONFIG_TRACE_EVAL_MAP_FILE
	"  eval_map\t\tnumbers behind the names in print formats\n"
#endif
	"  events/SYSTEM/EVENT/trigger\tdo something when it is hit:\n"
	"\t\t\tCOMMAND[:COUNT] [if FILTER], with traceon, traceoff,\n"
#ifdef CONFIG_TRACER_SNAPSHOT
	"\t\t\tsnapshot,\n"
#endif
	"\t\t\tstacktrace, enable_event:SYSTEM:EVENT or\n"
	"\t\t\tdisable_event:SYSTEM:EVENT; ! takes it away\n"
	"  show_event_triggers, show_event_filters\tall that are set\n"
#ifdef CONFIG_HIST_TRIGGERS
	"\n"
	"Histograms\n"
	"  events/SYSTEM/EVENT/trigger\tcounts and sums up what the event says, by keys:\n"
	"\t\t\thist:keys=<field1[,field2,...]>\n"
	"\t\t\t[:<var1>=<field|var_ref|numeric_literal>[,<var2>=...]]\n"
	"\t\t\t[:values=<field1[,field2,...]>]\n"
	"\t\t\t[:sort=<field1[,field2,...]>]\n"
	"\t\t\t[:size=#entries]\n"
	"\t\t\t[:pause][:continue][:clear]\n"
	"\t\t\t[:name=histname1]\n"
	"\t\t\t[:nohitcount]\n"
	"\t\t\t[:<handler>.<action>]\n"
	"\t\t\t[if <filter>]\n"
	"\t\tA key can be any field, or the special string 'common_stacktrace',\n"
	"\t\tcommon_timestamp or common_cpu. A dot and one of these behind it says\n"
	"\t\thow it is shown, or what falls together:\n"
	"\t\t\t.hex\t\tas hex\n"
	"\t\t\t.sym\t\tan address as a symbol\n"
	"\t\t\t.sym-offset\tand the offset in it\n"
	"\t\t\t.execname\tcommon_pid as the name of the program\n"
	"\t\t\t.syscall\tthe number of a system call as its name\n"
	"\t\t\t.stacktrace\tan array of addresses as a stack\n"
	"\t\t\t.log2\t\tpowers of two\n"
	"\t\t\t.buckets=size\tmultiples of a size\n"
	"\t\t\t.usecs\t\tcommon_timestamp in microseconds\n"
	"\t\tA value can be any number, .hex, .percent or .graph of all entries, or\n"
	"\t\t.quantiles, how it is distributed: n, p50, p90, p99, p99.9 and max.\n"
	"\t\tA sort key is a key, a value or a quantile of it, as in val.p99, with\n"
	"\t\t.descending behind it, or .ascending, as it is without.\n"
	"\t\tA variable is remembered for the key, and is read as $var1 or as\n"
	"\t\tSYSTEM.EVENT.$var1; + - * / make expressions of fields, variables and\n"
	"\t\tnumbers. Handlers say when an action is done:\n"
	"\t\t\tonmatch(matching.event)\tthat event had the same key\n"
	"\t\t\tonmax(var)\t\tthe variable is larger than before\n"
	"\t\t\tonchange(var)\t\tit is another one\n"
	"\t\tand actions what:\n"
	"\t\t\ttrace(<synthetic_event>,param list)\trecord an event\n"
	"\t\t\tsave(field,...)\t\t\tkeep these\n"
	"\t\t\tsnapshot()\t\t\ttake a snapshot\n"
	"  events/SYSTEM/EVENT/hist\twhat was counted\n"
#ifdef CONFIG_HIST_TRIGGERS_DEBUG
	"  events/SYSTEM/EVENT/hist_debug\tand what the trigger is made of\n"
#endif
	"  enable_hist:SYSTEM:EVENT[:COUNT], disable_hist:SYSTEM:EVENT[:COUNT]\n"
	"\t\t\ttriggers of another event that switch counting\n"
#endif
	"\n"
#ifdef CONFIG_DYNAMIC_EVENTS
	"Events that are made at run time\n"
	"  dynamic_events\tall of them, one definition a line; >> adds, > takes all away\n"
	"\t\t\tfirst, -:[GROUP/]EVENT takes one away, -:GROUP/ a group\n"
#ifdef CONFIG_SYNTH_EVENTS
	"\t\t\ts:[synthetic/]EVENT FIELD[; FIELD]...\n"
	"  synthetic_events\tevents with fields of your own, which histograms let happen:\n"
	"\t\t\techo 'myevent u64 lat; char name[]; long[] stack' >> synthetic_events\n"
	"\t\t\tA field is a type and a name; types: u8, u16, u32, u64, s8, s16,\n"
	"\t\t\ts32, s64, [unsigned] char, int, long, bool, pid_t, gfp_t,\n"
	"\t\t\tchar NAME[N], char NAME[], [unsigned] long[]\n"
#endif
#ifdef CONFIG_PROBE_EVENTS
#ifdef CONFIG_KPROBE_EVENTS
	"  kprobe_events\t\tevents on code of the kernel; kprobe_profile counts hits and misses\n"
#endif
#ifdef CONFIG_UPROBE_EVENTS
	"  uprobe_events\t\tevents on code of programs; uprobe_profile counts hits\n"
#endif
#ifdef CONFIG_FPROBE_EVENTS
	"  fprobe_profile\tcounts what events on functions and tracepoints missed\n"
#endif
	"\t\t\tCreate/append/remove them with lines like these:\n"
#if defined(CONFIG_KPROBE_EVENTS) || defined(CONFIG_UPROBE_EVENTS)
	"\t\tp[:[<group>/][<event>]] <place> [<args>]\n"
	"\t\tr[maxactive][:[<group>/][<event>]] <place> [<args>]\n"
#endif
#ifdef CONFIG_FPROBE_EVENTS
	"\t\tf[:[<group>/][<event>]] <func-name>[%return] [<args>]\n"
	"\t\tt[:[<group>/][<event>]] <tracepoint> [<args>]\n"
#endif
	"\t\te[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>] [if <filter>]\n"
	"\t\t-:[<group>/][<event>]\n"
#ifdef CONFIG_KPROBE_EVENTS
	"\t    place: [<module>:]<symbol>[+<offset>]|<memaddr>\n"
	"\t    place (kretprobe): [<module>:]<symbol>[+<offset>]%return|<memaddr>\n"
#endif
#ifdef CONFIG_UPROBE_EVENTS
	"\t    place (uprobe): <path>:<offset>[%return][(ref_ctr_offset)]\n"
#endif
	"\t     args: <name>=fetcharg[:type]\n"
	"\t fetcharg: (%<register>|$<efield>), @<address>, @<symbol>[+|-<offset>],\n"
	"\t           $stack<index>, $stack, $retval, $comm,"
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
	" $arg<N>,"
#endif
	"\n"
#ifdef CONFIG_PROBE_EVENTS_BTF_ARGS
	"\t           <argname>[->field[->field|.field...]],\n"
	"\t           (<struct>)<fetcharg>->field[->field|.field...],\n"
#endif
	"\t           +|-[u]<offset>(<fetcharg>), \\imm-value, \\\"imm-string\"\n"
	"\t           this_cpu_read(<symbol>|<fetcharg>), this_cpu_ptr(<symbol>|<fetcharg>)\n"
	"\t     kernel return probes support: $retval, $arg<N>, $comm\n"
	"\t     type: s8/16/32/64, u8/16/32/64, x8/16/32/64, char, string, symbol,\n"
	"\t           b<bit-width>@<bit-offset>/<container-size>, ustring,\n"
	"\t           symstr, %pd/%pD, <type>\\[<array-size>\\]\n"
	"\t   efield: a field of the event that an event probe (e) is attached to\n"
#endif
	"\n"
#endif
	;

/* A text of its own: a string may not be as long as both. */
static const char readme_tracers[] =
#ifdef CONFIG_FUNCTION_TRACER
	"Functions\n"
	"  available_filter_functions\tthose that can be traced\n"
	"  available_filter_functions_addrs\tthe same with addresses\n"
	"  set_ftrace_filter\ttrace only these; accepts: func_full_name or glob-matching-pattern,\n"
	"\t\t\twith :mod:MODULE behind it or alone; or\n"
	"\t\t\tdo something there, FUNCTION:COMMAND[:COUNT], with traceon,\n"
	"\t\t\ttraceoff, stacktrace, dump, cpudump, or the commands of\n"
	"\t\t\tevents' triggers; ! takes it away: !FUNCTION:COMMAND, or\n"
	"\t\t\t!FUNCTION:COMMAND:0 if it has a count\n"
	"  set_ftrace_notrace\tdo not trace these\n"
	"  set_ftrace_pid\tonly of these tasks; options/function-fork adds children\n"
	"  set_ftrace_notrace_pid\tnot of these tasks\n"
	"  enabled_functions\tthose that somebody traces, and who\n"
	"  touched_functions\tthose that ever were\n"
	"  dyn_ftrace_total_info\tnumbers of call sites and what they take\n"
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
	"  options/func-args\tfunction, function_graph: what functions are called with;\n"
	"  options/funcgraph-args\tby names and types, if the kernel has BTF\n"
#endif
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	"  set_graph_function\tgraphs of these and of what they call\n"
	"  set_graph_notrace\tno graphs of these, nor of what they call\n"
	"  max_graph_depth\thow deep calls are followed; 0 is without limit\n"
	"  options/funcgraph-retaddr\twhere each call returns to\n"
#endif
#ifdef CONFIG_FUNCTION_PROFILER
	"  function_profile_enabled\t1 counts calls and times, 0 stops\n"
	"  trace_stat/functionN\twhat was counted on CPU N\n"
#endif
#ifdef CONFIG_STACK_TRACER
	"  stack_trace\t\tthe deepest stack that was seen, and what takes it; on by\n"
	"\t\t\techo 1 > /proc/sys/kernel/stack_tracer_enabled\n"
	"  stack_max_size\thow deep it is; write 0 to begin again\n"
	"  stack_trace_filter\tthe functions at whose calls it is looked\n"
#endif
#ifdef CONFIG_FTRACE_RECORD_RECURSION
	"  recursed_functions\tthose in which a tracer came back to itself\n"
#endif
	"\n"
#endif
#ifdef CONFIG_TRACE_BRANCH_PROFILING
	"Branches\n"
	"  trace_stat/branch_annotated\tlikely() and unlikely(), the worst first\n"
#ifdef CONFIG_PROFILE_ALL_BRANCHES
	"  trace_stat/branch_all\tevery if\n"
#endif
	"\n"
#endif
#ifdef CONFIG_TRACER_MAX_TRACE
	"Latencies and noise\n"
	"  tracing_max_latency\tmicroseconds of the worst case; write 0 to begin again\n"
#ifdef CONFIG_HWLAT_TRACER
	"  hwlat_detector/\twhen and how long the tracer hwlat looks\n"
#endif
#ifdef CONFIG_OSNOISE_TRACER
	"  osnoise/\t\tsettings of the tracers osnoise and timerlat\n"
#ifdef CONFIG_TIMERLAT_TRACER
	"  osnoise/per_cpu/cpuN/timerlat_fd\tfor a thread of user space that timerlat\n"
	"\t\t\tis to measure on the CPU\n"
#endif
#endif
#ifdef CONFIG_TIMERLAT_TRACER
	"  osnoise/timerlat_align_us\thow far apart the timers of two CPUs are, with the option\n"
	"\t\t\tTIMERLAT_ALIGN\n"
#endif
	"\n"
#endif
	"Instances\n"
	"  mkdir instances/NAME\tanother buffer with files, options and events of\n"
	"\t\t\tits own; rmdir takes it away\n";

static ssize_t readme_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	loff_t behind = *ppos - strlen(readme_text);
	ssize_t ret;

	if (behind < 0)
		return simple_read_from_buffer(ubuf, cnt, ppos, readme_text, strlen(readme_text));
	ret = simple_read_from_buffer(ubuf, cnt, &behind, readme_tracers, strlen(readme_tracers));
	*ppos = behind + strlen(readme_text);
	return ret;
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
