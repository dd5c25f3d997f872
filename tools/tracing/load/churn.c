// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything that can be changed while others write and read. What an answer is does not
 * matter here (many are refused because another one is at it), only that one comes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "files.h"
#include "load.h"

#define ONE_OF(w, list) one_of(w, list, COUNT(list))

static const char *one_of(struct worker *w, const char * const *list, int n)
{
	return list[dice(w, n)];
}

/* A system call beside those of put(); errno is as it left it. */
static long did(struct worker *w, long ret)
{
	w->done += ret >= 0;
	return ret;
}

struct per_cpu_path {
	char	text[64];
};

/* The file of any CPU. */
static struct per_cpu_path any_cpu(struct worker *w, const char *file)
{
	struct per_cpu_path path;

	snprintf(path.text, sizeof(path.text), "per_cpu/cpu%d/%s", dice(w, cpus), file);
	return path;
}

static void churn_size(struct worker *w)
{
	if (dice(w, 3))
		in_dir(w, "buffer_size_kb", "%d", 8 << dice(w, 6));
	else
		in_dir(w, any_cpu(w, "buffer_size_kb").text, "%d", 8 << dice(w, 6));
}

static void churn_order(struct worker *w)
{
	in_dir(w, "buffer_subbuf_size_kb", "%d", 4 << dice(w, 5));
	nap(dice(w, 10));
}

static void churn_clock(struct worker *w)
{
	/* the last is that of x86 */
	static const char * const clocks[] = { "local", "global", "counter", "uptime", "perf",
		"mono", "mono_raw", "boot", "tai", "x86-tsc" };

	in_dir(w, "trace_clock", "%s", ONE_OF(w, clocks));
	nap(dice(w, 5));
}

static void churn_tracer(struct worker *w)
{
	static const char * const tracers[] = { "nop", "function", "function_graph", "nop",
		"osnoise", "timerlat", "hwlat" };
	const char *name = ONE_OF(w, tracers);

	/* With interrupts off for as long as that others come to something. */
	put_in(".", "hwlat_detector/width", "2000");

	/* All functions now and then: everything else takes long with them. */
	in_dir(w, "set_ftrace_filter", "%s", dice(w, 8) ? "vfs_* ksys_*" : "");
	snprintf(w->doing, sizeof(w->doing), "tracer %s", name);
	in_dir(w, "current_tracer", "%s", name);
	nap(5 + dice(w, 20));
	in_dir(w, "current_tracer", "nop");
}

/* They show a spare buffer that is exchanged whenever it took longer than ever. */
static void churn_latency(struct worker *w)
{
	static const char * const tracers[] = { "irqsoff", "wakeup_rt" };
	const char *name = ONE_OF(w, tracers);

	in_dir(w, "set_ftrace_filter", "%s", "vfs_* ksys_*");
	snprintf(w->doing, sizeof(w->doing), "tracer %s", name);
	in_dir(w, "current_tracer", "%s", name);
	nap(5 + dice(w, 20));
	in_dir(w, "tracing_max_latency", "%d", dice(w, 100));
	nap(5 + dice(w, 20));
	in_dir(w, "current_tracer", "nop");
}

static void churn_cpumask(struct worker *w)
{
	in_dir(w, "tracing_cpumask", "%x", 1 + dice(w, (1 << cpus) - 1));
	nap(dice(w, 5));
	in_dir(w, "tracing_cpumask", "%x", (1 << cpus) - 1);
	nap(dice(w, 5));
}

static void churn_tracing_on(struct worker *w)
{
	in_dir(w, "tracing_on", "0");
	nap(dice(w, 3));
	in_dir(w, "tracing_on", "1");
	nap(dice(w, 5));
}

static void churn_truncated(struct worker *w)
{
	if (dice(w, 2))
		in_dir(w, "trace", "\n");
	else
		in_dir(w, any_cpu(w, "trace").text, "\n");
	nap(dice(w, 3));
}

static void churn_options(struct worker *w)
{
	static const char * const words[] = { "print-parent", "sym-offset", "sym-addr", "verbose",
		"raw", "hex", "bin", "block", "annotate", "context-info", "latency-format",
		"irq-info", "record-cmd", "record-tgid", "event-fork", "markers", "trace_printk",
		"pause-on-trace", "hash-ptr", "function-fork", "function-trace", "fields",
		"printk-msg-only", "disable_on_free", "test_nop_accept", "test_nop_refuse" };
	const char *word = ONE_OF(w, words);
	char path[64];

	snprintf(path, sizeof(path), "options/%s", word);
	if (dice(w, 2))
		in_dir(w, "trace_options", "%s%s", dice(w, 2) ? "no" : "", word);
	else
		put_in(w->dir, path, "%d", dice(w, 2));
}

/* Alone it leaves every record where it is: what is not overwritten is dropped. */
static void churn_overwrite(struct worker *w)
{
	in_dir(w, "options/overwrite", "%d", dice(w, 2));
	nap(dice(w, 20));
	in_dir(w, "options/overwrite", "1");
}

static void churn_instances(struct worker *w)
{
	char dir[64];
	int fd;

	snprintf(dir, sizeof(dir), "instances/load-%d", dice(w, 3));
	snprintf(w->doing, sizeof(w->doing), "instance %s", dir);
	if (!dice(w, 4)) {
		did(w, rmdir(dir));
		return;
	}
	did(w, mkdir(dir, 0700));
	put_in(dir, "buffer_size_kb", "64");
	put_in(dir, "events/sched/enable", "1");
	if (!dice(w, 3))
		put_in(dir, "current_tracer", "function");
	put_in(dir, "trace_marker", "load");
	fd = open_in(dir, "trace_pipe", O_RDONLY | O_NONBLOCK);
	if (fd >= 0) {
		char buf[4096];

		if (read(fd, buf, sizeof(buf)) < 0)
			nap(1);
		if (!dice(w, 4))
			did(w, rmdir(dir));	/* busy */
		close(fd);
	}
	put_in(dir, "current_tracer", "nop");
	if (dice(w, 2))
		put_in(dir, "events/enable", "0");
	did(w, rmdir(dir));
}

static void churn_pids(struct worker *w)
{
	static const char * const files[] = { "set_event_pid", "set_event_notrace_pid",
		"set_ftrace_pid", "set_ftrace_notrace_pid" };
	const char *file = ONE_OF(w, files);

	switch (dice(w, 3)) {
	case 0:
		in_dir(w, file, " ");
		break;
	case 1:
		in_dir(w, file, "%d", (int)getpid());
		break;
	default:
		in_dir(w, file, "1 %d %d 99999", 2 + dice(w, 300), 2 + dice(w, 300));
	}
	in_dir(w, "options/event-fork", "%d", dice(w, 2));
}

/*
 * For each of them text is changed in ten rounds that wait for all CPUs. Where these take turns all
 * events are minutes in which nobody else gets anywhere: one system shows it, and is enough then.
 */
static void all_events_on(struct worker *w)
{
	double began = now();

	in_dir(w, "events/sched/enable", "1");
	if (now() - began < .2)
		in_dir(w, "events/enable", "1");
}

static void churn_events(struct worker *w)
{
	static const char * const words[] = { "sched:*", "irq:*", "timer", "sched:sched_switch",
		"!sched:*", "*:*switch*", "raw_syscalls", "!raw_syscalls", "syscalls",
		"!syscalls", "ftrace:print", "!*:*" };

	if (dice(w, 8))
		put_in(w->dir, "set_event", "%s", ONE_OF(w, words));
	else if (dice(w, 2))
		all_events_on(w);
	else
		in_dir(w, "events/enable", "0");
	/* Short: printing stacks takes long. */
	if (!dice(w, 8))
		in_dir(w, "options/stacktrace", "1");
	nap(dice(w, 10));
	in_dir(w, "events/enable", "0");
	in_dir(w, "options/stacktrace", "0");
}

static void module(struct worker *w, const char *pattern, const char *name)
{
	glob_t g;
	int fd;

	if (glob(pattern, 0, NULL, &g))
		return;
	fd = open(g.gl_pathv[0], O_RDONLY | O_CLOEXEC);
	snprintf(w->doing, sizeof(w->doing), "load %s", name);
	if (fd >= 0 && did(w, syscall(SYS_finit_module, fd, "", 0)) && errno == EEXIST)
		did(w, syscall(SYS_delete_module, name, O_NONBLOCK));
	if (fd >= 0)
		close(fd);
	globfree(&g);
}

/* One that has events and functions of its own. */
void module_switch(struct worker *w, bool on)
{
	if (on) {
		module(w, EVENTS_MODULE, "trace_events_sample");
		return;
	}
	snprintf(w->doing, sizeof(w->doing), "unload trace_events_sample");
	did(w, syscall(SYS_delete_module, "trace_events_sample", O_NONBLOCK));
}

static void churn_modules(struct worker *w)
{
	module_switch(w, true);
	in_dir(w, "events/sample-trace/enable", "1");
	nap(dice(w, 20));
	if (dice(w, 2))
		in_dir(w, "events/sample-trace/enable", "0");
	module_switch(w, false);
}

#define DIRECT_MODULE SAMPLES "ftrace/ftrace-direct.ko"

/* Tracing of its own by a module: direct calls, and an ops. */
static void churn_direct(struct worker *w)
{
	module(w, DIRECT_MODULE, "ftrace_direct");
	nap(dice(w, 10));
	snprintf(w->doing, sizeof(w->doing), "unload ftrace_direct");
	did(w, syscall(SYS_delete_module, "ftrace_direct", O_NONBLOCK));
}

static void churn_hotplug(struct worker *w)
{
	int cpu = 1 + dice(w, cpus - 1), on;
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	for (on = 0; on <= 1; on++) {
		snprintf(w->doing, sizeof(w->doing), "CPU %d %s", cpu, on ? "on" : "off");
		put(path, on ? "1" : "0");
		nap(20 + dice(w, 50));
	}
}

static void churn_filters(struct worker *w)
{
	static const char * const files[] = { "set_ftrace_filter", "set_ftrace_notrace",
		"set_graph_function", "set_graph_notrace" };
	static const char * const words[] = { "vfs_*", "", "schedule", "*sched*", "!schedule",
		"!vfs_*", "*lock", "ksys_*", "schedule:traceon:3", "!schedule:traceon:0",
		":mod:trace_events_sample" };

	in_dir(w, ONE_OF(w, files), "%s", ONE_OF(w, words));
	in_dir(w, "max_graph_depth", "%d", dice(w, 4));
	in_dir(w, "tracing_thresh", "%d", dice(w, 2) * 100);
}

static void churn_profile(struct worker *w)
{
	char path[64], buf[4096];
	int fd;

	in_dir(w, "set_ftrace_filter", "%s", "vfs_* *sched*");
	in_dir(w, "function_profile_enabled", "1");
	nap(dice(w, 20));
	snprintf(path, sizeof(path), "trace_stat/function%d", dice(w, cpus));
	fd = open_in(w->dir, path, O_RDONLY);
	while (fd >= 0 && read(fd, buf, sizeof(buf)) > 0)
		;
	if (fd >= 0)
		close(fd);
	in_dir(w, "function_profile_enabled", "0");
}

static void churn_free_buffer(struct worker *w)
{
	int fd = open_in(w->dir, "free_buffer", O_WRONLY);

	if (fd >= 0)
		did(w, close(fd));
	nap(1);
	in_dir(w, "buffer_size_kb", "64");
}

static const char * const triggered[] = { "sched/sched_switch", "sched/sched_wakeup",
	"sched/sched_process_fork", "irq/softirq_raise", "syscalls/sys_enter_read",
	"sample-trace/foo_bar", "ftrace/print" };

/* What is left on any event can be found again: the kernel lists it. */
static bool lists_events(void)
{
	return !access("show_event_triggers", F_OK) && !access("show_event_filters", F_OK);
}

/* One of @fixed, which happen; one time in three any that there is, SYSTEM/EVENT. */
static const char *any_event(struct worker *w, const char * const *fixed, int n)
{
	static char list[256 * 1024], name[128];
	const char *at, *end;
	char *colon;

	if (dice(w, 3) || !lists_events())
		return one_of(w, fixed, n);
	/* modules come and go */
	if (!*list || !dice(w, 50))
		slurp("available_events", list, sizeof(list));
	at = list + dice(w, strlen(list) + 1);
	while (at > list && at[-1] != '\n')
		at--;
	end = strchrnul(at, '\n');
	snprintf(name, sizeof(name), "%.*s", (int)(end - at), at);
	colon = strchr(name, ':');
	if (!colon)
		return one_of(w, fixed, n);
	*colon = '/';
	return name;
}

struct trigger_path {
	char	text[160];
};

static struct trigger_path trigger_path(const char *event)
{
	struct trigger_path path;

	snprintf(path.text, sizeof(path.text), "events/%s/trigger", event);
	return path;
}

/* Triggers that come, fire, are read and go, of events that switch each other. */
static void churn_triggers(struct worker *w)
{
	static const char * const words[] = { "traceon", "traceon:3", "stacktrace:5",
		"stacktrace:9 if common_pid > 7", "snapshot:2", "snapshot if common_pid == 1",
		"enable_event:sched:sched_switch", "disable_event:sched:sched_switch",
		"enable_event:sched:sched_wakeup:7 if common_pid > 1",
		"disable_event:sched:sched_wakeup", "disable_event:irq:softirq_raise:2",
		"enable_event:sample-trace:foo_bar", "enable_event:syscalls:sys_enter_read:3" };
	/* Few functions: each has to be taken back alone, which waits for readers each time. */
	static const char * const commands[] = { "vfs_read", "!vfs_read",
		/* of a module that comes and goes, see below */
		"do_simple_thread*", "!do_simple_thread*" };
	struct trigger_path of = trigger_path(any_event(w, triggered, COUNT(triggered)));
	const char *path = of.text;
	char full[256], buf[1024];

	switch (dice(w, 8)) {
	case 0:
		put_in(w->dir, path, "\n");	/* all go */
		break;
	case 1:
		put_in(w->dir, path, "!%s", ONE_OF(w, words));
		break;
	case 2:
		snprintf(full, sizeof(full), "%s/%s", w->dir,
			 dice(w, 2) ? path : "show_event_triggers");
		slurp(full, buf, sizeof(buf));
		break;
	case 3:
		put_in(w->dir, "set_ftrace_filter", "%s:%s", ONE_OF(w, commands),
		       ONE_OF(w, words));
		/* With the commands of its functions, but not with those that switch its event. */
		if (!dice(w, 3))
			module_switch(w, dice(w, 2));
		break;
	default:
		put_in(w->dir, path, "%s", ONE_OF(w, words));
	}
	nap(dice(w, 3));
}

/* --- filters of events */

static const char * const filtered[] = { "sched/sched_switch", "sched/sched_wakeup",
	"sched/sched_waking", "sched/sched_process_fork", "sched/sched_process_exec",
	"sched/sched_process_exit", "sched/sched_stat_runtime", "irq/softirq_raise",
	"irq/softirq_entry", "irq/irq_handler_entry", "timer/timer_start", "timer/hrtimer_start",
	"signal/signal_generate", "raw_syscalls/sys_enter", "raw_syscalls/sys_exit",
	"syscalls/sys_enter_read", "syscalls/sys_enter_openat", "kmem/kmalloc",
	"workqueue/workqueue_queue_work", "task/task_rename", "sample-trace/foo_bar" };

static const char * const filtered_systems[] = { "sched", "irq", "timer", "signal",
	"raw_syscalls", "kmem", "workqueue", "task", "sample-trace" };

/* What each event takes, some may take, and none. */
static const char * const filters_all[] = { "common_pid > 0", "COMM ~ \"*o*\"",
	"!(common_pid == 0) && CPU >= 0", "CPU & CPUS{0} || CPU == CPUS{1}",
	"common_flags != 77 && (common_pid < 100 || common_pid >= 100)", "COMM != \"load\"",
	"((((common_pid & 1))))" };
static const char * const filters_some[] = { "prev_pid > next_pid", "prev_comm ~ \"l*d\"",
	"next_prio < prev_prio && prev_state", "pid == old_pid", "pid > 100 && prio < 120",
	"filename ~ \"*true\"", "vec in {1, 3-5}", "common_pid in {0-10, 77}",
	"COMM in {\"sh\", \"load\"}", "args[0] == 3", "args[7] == 0", "args[1] in {0-100}",
	"id < args[0]", "tgid > 1", "cgroup == 1", "cgroup == \"/\"", "cgroup == \"/nosuch\"",
	"CPU in {0-3}", "fd == 3 && count > 100", "filename.ustring ~ \"/proc*\"",
	"function.function == schedule", "call_site.function == vfs_read", "name ~ \"*t*\"",
	"target_cpu & CPUS{0}", "ret < 0", "bar > 3", "foo ~ \"h*\"", "sig == 9", "STACKTRACE" };
static const char * const filters_none[] = { "((((", "common_pid ==", "common_pid", "nosuch == 1",
	"common_pid == 1 &&", "common_pid == 1)", "COMM ~ \"x", "CPU & CPUS{0", "CPU & CPUS{x}",
	"common_pid == 1 common_pid == 2", "&& common_pid == 1", "common_pid ~ \"1\"",
	"common_pid in {", "args[ == 1", "prev_pid < nosuch", "\"", "}" };

/* One writes to the filters of @dir, so what was taken is what is read. */
static void churn_event_filters(struct worker *w)
{
	const char *event = any_event(w, filtered, COUNT(filtered)), *text;
	char path[160], full[256], buf[1024];
	unsigned int kind = dice(w, 8);
	int ret;

	if (!dice(w, 6)) {
		snprintf(path, sizeof(path), "events/%s/filter", ONE_OF(w, filtered_systems));
		text = kind < 2 ? "0" : kind < 4 ? ONE_OF(w, filters_all) :
		       kind < 7 ? ONE_OF(w, filters_some) : ONE_OF(w, filters_none);
		put_in(w->dir, path, "%s", text);
		snprintf(full, sizeof(full), "%s/%s", w->dir, path);
		slurp(full, buf, sizeof(buf));
		return;
	}
	snprintf(path, sizeof(path), "events/%s/filter", event);
	snprintf(full, sizeof(full), "%s/%s", w->dir, path);
	if (kind < 2) {
		if (!put_in(w->dir, path, "0"))
			text = "none";
		else
			return;
	} else {
		text = kind < 4 ? ONE_OF(w, filters_all) :
		       kind < 7 ? ONE_OF(w, filters_some) : ONE_OF(w, filters_none);
		ret = put_in(w->dir, path, "%s", text);
		if (kind == 7 && !ret)
			complain("%s takes %s", full, text);
		if (kind < 4 && ret == -EINVAL)
			complain("%s refuses %s", full, text);
		if (ret)
			text = NULL;
	}
	if (!dice(w, 3)) {
		snprintf(path, sizeof(path), "events/%s/enable", event);
		in_dir(w, path, "1");
		nap(dice(w, 4));
		in_dir(w, path, "0");
	}
	/* One of a module, or of a user, may have gone meanwhile, and have come again without. */
	if (slurp(full, buf, sizeof(buf)) > 0 && text && strncmp(event, "sample", 6) &&
	    strncmp(event, "synthetic/", 10)) {
		buf[strcspn(buf, "\n")] = 0;
		if (strcmp(buf, text))
			complain("%s is '%s', not '%s'", full, buf, text);
	}
}

/* --- histograms */

/* Each may be refused: what it shares or reads need not be there just then. */
static const struct { const char *event, *text; } hists[] = {
	{ "sched/sched_switch", "hist:keys=next_pid:size=256" },
	{ "sched/sched_switch", "hist:keys=common_stacktrace:size=128" },
	{ "sched/sched_switch", "hist:keys=prev_comm:vals=prev_prio.quantiles:size=128" },
	{ "sched/sched_switch", "hist:name=churn:keys=common_pid" },
	{ "sched/sched_switch",
	  "hist:keys=next_pid:a=common_timestamp-$b:onmatch(sched.sched_wakeup).up($a,next_pid)" },
	{ "sched/sched_switch", "hist:keys=next_pid:p=next_prio:onchange($p).save(prev_comm)" },
	{ "sched/sched_wakeup", "hist:keys=pid:b=common_timestamp" },
	{ "sched/sched_wakeup", "hist:keys=pid:b=common_timestamp if pid > 1" },
	{ "sched/sched_wakeup", "hist:name=churn:keys=common_pid" },
	{ "sched/sched_process_fork", "hist:keys=child_pid:sort=hitcount.descending" },
	{ "irq/softirq_raise", "hist:keys=vec:sort=vec" },
	{ "irq/softirq_raise", "hist:keys=common_stacktrace,vec:size=128" },
	{ "syscalls/sys_enter_read", "hist:keys=fd.hex:vals=count.quantiles,count:size=128" },
	{ "syscalls/sys_enter_read", "hist:name=churn:keys=common_pid" },
	{ "sample-trace/foo_bar", "hist:keys=bar:vals=bar.quantiles" },
	{ "sample-trace/foo_bar", "hist:keys=common_stacktrace:size=128" },
	{ "sample-trace/foo_bar", "hist:name=churn:keys=common_pid" },
	{ "sample-trace/foo_bar", "hist:keys=foo:n=bar:onmax($n).save(bar)" },
	{ "ftrace/print", "hist:keys=common_pid:size=128" },
	{ "synthetic/up", "hist:keys=pid:vals=lat.quantiles" },
};

#define MADE "synthetic/up"

static void churn_hists(struct worker *w)
{
	static const char * const behind[] = { ":pause", ":cont", ":clear" };
	static const char * const files[] = { "hist", "hist_debug", "trigger" };
	int i = dice(w, COUNT(hists));
	char path[128], text[256];
	static char buf[32768];

	/* Not with put(), at which all go that are there. */
	snprintf(path, sizeof(path), "%s/events/%s/trigger", w->dir, hists[i].event);
	snprintf(w->doing, sizeof(w->doing), "%.50s <- %.40s", path, hists[i].text);
	switch (dice(w, 14)) {
	case 0:
		if (put_bytes("synthetic_events", "up u64 lat; pid_t pid", 21, O_APPEND))
			put_in(w->dir, "events/" MADE "/enable", "%d", dice(w, 2));
		break;
	case 1:
		put_in(w->dir, "events/" MADE "/enable", "0");
		put_bytes("synthetic_events", "!up", 3, O_APPEND);
		break;
	case 2:
		if (!strstr(hists[i].text, " if ")) {
			snprintf(text, sizeof(text), "%s%s", hists[i].text, ONE_OF(w, behind));
			put_bytes(path, text, strlen(text), O_APPEND);
		}
		break;
	case 3:
	case 4:
	case 5:
		snprintf(text, sizeof(text), "!%s", hists[i].text);
		put_bytes(path, text, strlen(text), O_APPEND);
		break;
	case 6:
	case 7:
		snprintf(path, sizeof(path), "%s/events/%s/%s", w->dir, hists[i].event,
			 ONE_OF(w, files));
		slurp(path, buf, sizeof(buf));
		break;
	case 8:
		module_switch(w, dice(w, 2));
		break;
	default:
		put_bytes(path, hists[i].text, strlen(hists[i].text), O_APPEND);
	}
	nap(dice(w, 3));
}

/* Somebody who has @fd as well wakes whoever waits there, and closes a copy, until he is killed. */
static pid_t wake_all_the_time(int fd)
{
	pid_t pid = fork();

	while (!pid) {
		ioctl(fd, 0);
		close(dup(fd));
	}
	return pid;
}

/*
 * What is swapped away is read by nobody who counts, and comes back with the next one: so the
 * figures are those of a buffer that is reset.
 */
static void churn_snapshot(struct worker *w)
{
	struct per_cpu_path one = any_cpu(w, "snapshot"), raw = any_cpu(w, "snapshot_raw");
	const char *file = dice(w, 9) < 7 ? "snapshot" : one.text;
	char buf[4096];
	pid_t waker;
	int i, fd;

	for (i = dice(w, 50); i >= 0; i--)
		in_dir(w, file, "1");
	if (!dice(w, 4)) {
		fd = open_in(w->dir, dice(w, 2) ? file : raw.text,
			     O_RDONLY | O_NONBLOCK);
		waker = fd >= 0 ? wake_all_the_time(fd) : -1;
		/* There is another one to be read after it was freed and made. */
		for (i = 0; fd >= 0 && i < 8; i++) {
			if (read(fd, buf, sizeof(buf)) < 0 && errno != EAGAIN)
				break;
			in_dir(w, dice(w, 2) ? "snapshot" : file, "%d", dice(w, 3));
		}
		if (waker > 0) {
			kill(waker, SIGKILL);
			waitpid(waker, NULL, 0);
		}
		if (fd >= 0)
			close(fd);
	}
	switch (dice(w, 8)) {
	case 0:
		in_dir(w, "snapshot", "0");
		break;
	case 1:
		in_dir(w, file, "2");
		break;
	case 2:
		in_dir(w, "set_ftrace_filter", "%s", "vfs_read:snapshot:3");
		nap(dice(w, 3));
		in_dir(w, "set_ftrace_filter", "%s", "!vfs_read:snapshot:0");
		break;
	}
	in_dir(w, "buffer_size_kb", "%d", 8 << dice(w, 6));
}

/* What else can be set and belongs to no record. */
static void churn_tasks(struct worker *w)
{
	put_in(".", "saved_cmdlines_size", "%d", 1 << dice(w, 12));
	in_dir(w, "buffer_percent", "0");
	put_in(".", "error_log", "\n");
	put_in(".", "set_event", "no:such_event");
}

const struct kind churners[] = {
	{ "size", churn_size },
	{ "order", churn_order, RESETS | ORDERS },
	{ "clock", churn_clock, RESETS },
	{ "tracer", churn_tracer, RESETS | EXTRA },
	{ "latency", churn_latency, RESETS | RETEXTS | EXTRA | SWAPS, "tracing_max_latency" },
	{ "cpumask", churn_cpumask },
	{ "tracing_on", churn_tracing_on },
	{ "truncate", churn_truncated, RESETS },
	{ "options", churn_options, RETEXTS | RESETS },
	{ "overwrite", churn_overwrite },
	{ "instances", churn_instances },
	{ "pids", churn_pids },
	{ "events", churn_events, EXTRA },
	{ "modules", churn_modules, EXTRA | RESETS, EVENTS_MODULE },
	{ "direct", churn_direct, 0, DIRECT_MODULE },
	{ "hotplug", churn_hotplug, MOVES, "/sys/devices/system/cpu/cpu1/online" },
	{ "filters", churn_filters, 0, "set_ftrace_filter" },
	{ "profile", churn_profile, 0, "function_profile_enabled" },
	{ "free_buffer", churn_free_buffer, RESETS },
	{ "triggers", churn_triggers, EXTRA | RESETS | SWAPS },
	{ "event_filters", churn_event_filters, EXTRA },
	{ "hists", churn_hists, EXTRA | RESETS, "events/sched/sched_switch/hist" },
	{ "snapshot", churn_snapshot, RESETS | SWAPS, "snapshot" },
	{ "tasks", churn_tasks },
	{ NULL }
};

/* What a command of a filter was set for is told by the file itself. */
static void drop_commands(const char *dir)
{
	char path[128], buf[8192], word[256], *line, *rest = buf, *colon;

	snprintf(path, sizeof(path), "%s/set_ftrace_filter", dir);
	if (slurp(path, buf, sizeof(buf)) <= 0)
		return;
	while ((line = strsep(&rest, "\n"))) {
		colon = line[0] == '#' ? NULL : strchr(line, ':');
		if (!colon)
			continue;
		/* function [module]:command[:more], with a count that does not matter */
		snprintf(word, sizeof(word), "!%.*s%.100s", (int)strcspn(line, " :"), line, colon);
		put_bytes(path, word, strlen(word), 0);
	}
}

/* Not if it is so already: some empty the buffer whatever is written to them. */
static void back_to(const char *dir, const char *file, const char *text)
{
	char path[128], is[512], want[64];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	if (slurp(path, is, sizeof(is)) >= 0) {
		is[strcspn(is, "\n")] = 0;
		snprintf(want, sizeof(want), "[%s]", text);
		if (!strcmp(is, text) || strstr(is, want))
			return;
		/* The list that is empty, but for its comment. */
		if (!*text && is[0] == '#')
			return;
	}
	put_in(dir, file, "%s", text);
}

/* "none" is how it shows that it has none; that of a system has a text of its own. */
static void no_filter(const char *dir, const char *event)
{
	char file[160], path[256], is[64];

	snprintf(file, sizeof(file), "events/%s/filter", event);
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	if (slurp(path, is, sizeof(is)) > 0 && strcmp(is, "none\n") && strncmp(is, "### ", 4))
		put_in(dir, file, "0");
}

/*
 * @text into the @file of each event that @list names, SYSTEM:EVENT and what it has. Several times,
 * as one that is needed by another goes after that.
 */
static void undo_listed(const char *dir, const char *list, const char *file, const char *text)
{
	static char buf[256 * 1024];
	char path[256], event[160], *line, *rest, *colon;
	int i;

	snprintf(path, sizeof(path), "%s/%s", dir, list);
	for (i = 0; i < 4 && slurp(path, buf, sizeof(buf)) > 0; i++) {
		for (rest = buf; (line = strsep(&rest, "\n"));) {
			line[strcspn(line, " ")] = 0;
			colon = strchr(line, ':');
			if (!colon)
				continue;
			*colon = '/';
			snprintf(event, sizeof(event), "events/%.100s/%s", line, file);
			put_in(dir, event, "%s", text);
		}
	}
}

static void no_filters(const char *dir)
{
	char path[160];
	int i;

	if (lists_events()) {
		undo_listed(dir, "show_event_filters", "filter", "0");
		return;
	}
	for (i = 0; i < COUNT(filtered); i++)
		no_filter(dir, filtered[i]);
	for (i = 0; i < COUNT(filtered_systems); i++) {
		/* what this file shows may be older than what its events have */
		snprintf(path, sizeof(path), "events/%s/filter", filtered_systems[i]);
		put_in(dir, path, "0");
	}
}

static void undo_in(const char *dir)
{
	static const struct { const char *file, *text; } was[] = {
		{ "current_tracer", "nop" }, { "events/enable", "0" }, { "set_event", "" },
		{ "set_event_pid", "" },
		{ "set_event_notrace_pid", "" }, { "set_ftrace_pid", "" },
		{ "set_ftrace_notrace_pid", "" }, { "set_ftrace_notrace", "" },
		{ "set_graph_function", "" }, { "set_graph_notrace", "" },
		{ "max_graph_depth", "0" },
		{ "function_profile_enabled", "0" }, { "trace_clock", "local" },
		{ "buffer_subbuf_size_kb", "4" }, { "buffer_size_kb", "128" },
		{ "buffer_percent", "0" }, { "tracing_on", "1" }, { "tracing_thresh", "0" },
		{ "snapshot", "0" },
	};
	static const char * const on[] = { "print-parent", "context-info", "irq-info",
		"record-cmd", "markers", "trace_printk", "overwrite", "annotate", "hash-ptr",
		"test_nop_accept", "function-trace" };
	static const char * const off[] = { "sym-offset", "sym-addr", "verbose", "raw", "hex",
		"bin", "block", "latency-format", "record-tgid", "event-fork", "pause-on-trace",
		"function-fork", "fields", "printk-msg-only", "disable_on_free", "stacktrace",
		"test_nop_refuse", "userstacktrace", "sym-userobj" };
	char path[64];
	int i;

	/* Before the events that they switch, or let happen; an empty file shows a comment. */
	back_to(dir, "events/" MADE "/trigger", "");
	for (i = 0; i < COUNT(triggered); i++)
		back_to(dir, trigger_path(triggered[i]).text, "");
	undo_listed(dir, "show_event_triggers", "trigger", "\n");
	/* The functions first: their list may be a long one. */
	back_to(dir, "set_ftrace_filter", "");
	drop_commands(dir);
	for (i = 0; i < COUNT(was); i++)
		back_to(dir, was[i].file, was[i].text);
	no_filters(dir);
	snprintf(path, sizeof(path), "%x", (1 << cpus) - 1);
	back_to(dir, "tracing_cpumask", path);
	/* Some have no file in an instance, but are taken there. */
	for (i = 0; i < COUNT(on) + COUNT(off); i++)
		put_in(dir, "trace_options", "%s%s", i < COUNT(on) ? "" : "no",
		       i < COUNT(on) ? on[i] : off[i - COUNT(on)]);
}

/* Everything as it was at first. */
unsigned long churn_undo(const char *dir, const char *what)
{
	char path[64];
	int i;

	for (i = 1; i < cpus; i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", i);
		put(path, "1");
	}
	undo_in(".");
	undo_in(INSTANCE);
	/* All are off now; what is still in use stays, and is complained about later. */
	put_in(".", "dynamic_events", " ");
	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "instances/load-%d", i);
		if (access(path, F_OK))
			continue;
		undo_in(path);
		rmdir(path);
	}
	syscall(SYS_delete_module, "trace_events_sample", O_NONBLOCK);
	syscall(SYS_delete_module, "ftrace_direct", O_NONBLOCK);
	files_back();
	put_in(".", "saved_cmdlines_size", "128");
	put_in(".", "error_log", "\n");
	return 0;
}
