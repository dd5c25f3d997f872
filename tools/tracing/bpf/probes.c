// SPDX-License-Identifier: GPL-2.0-only
/*
 * BPF programs on everything of tracing that takes them, without a library: each kind is
 * attached, made happen, and has to have seen that and nothing after it was taken away. Those that
 * are attached by a type need the kernel's BTF.
 *
 * Prints "@@ ok NAME" or "@@ FAIL NAME: why"; "@@ skip NAME" for what the kernel has not. Exit
 * status 1 if something failed. To be run as root with tracefs at its place.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "program.h"

#define TRACEFS "/sys/kernel/tracing/"

/* What the headers of the build machine may not have. */
#define ATTACH_KPROBE_MULTI	42
#define ATTACH_KPROBE_SESSION	56
#define KPROBE_MULTI_RETURN	1

/* Of the architecture, in a pt_regs: bytes. */
#if defined(__aarch64__)
#define REG_ARG(n)	((n) * 8)
#define REG_RET		0
#elif defined(__x86_64__)
static const int arg_regs[] = { 112, 104, 96, 88 };	/* di si dx cx */
#define REG_ARG(n)	arg_regs[n]
#define REG_RET		80
#elif defined(__riscv)
#define REG_ARG(n)	(80 + (n) * 8)
#define REG_RET		80
#endif

static const struct want nothing[3] = { { -1 }, { -1 }, { -1 } };

/* --- perf's events */

static int read_number(const char *path, bool has_name, uint64_t *number)
{
	char text[64];
	int fd = open(path, O_RDONLY), n;

	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = 0;
	*number = strtoull(text, NULL, 0);
	return 0;
}

static int write_text(const char *path, const char *text, int flags)
{
	int fd = open(path, O_WRONLY | flags), n;

	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	close(fd);
	return n < 0 ? -1 : 0;
}

/* Opened for this task, or, with @cpu, for one, with @prog; -1 after fail(). */
static int open_event_on(struct perf_event_attr *attr, int prog, int cpu)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	attr->wakeup_events = 1;
	fd = syscall(SYS_perf_event_open, attr, cpu < 0 ? 0 : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		fail("perf_event_open");
		return -1;
	}
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		fail("the program is not attached");
		close(fd);
		return -1;
	}
	return fd;
}

static int open_event(struct perf_event_attr *attr, int prog)
{
	return open_event_on(attr, prog, -1);
}

static int open_trace_event(const char *event, int prog)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	char path[128];
	uint64_t id;

	snprintf(path, sizeof(path), TRACEFS "events/%s/id", event);
	if (read_number(path, false, &id)) {
		fail("there is no %s", event);
		return -1;
	}
	attr.config = id;
	return open_event(&attr, prog);
}

/* --- what is probed */

static int file;

/* vfs_fallocate(file, mode, offset, len), with a mode that is refused or one that is not */
static void target(bool refused)
{
	/* by this system call alone */
	syscall(SYS_fallocate, file, refused ? 0x4000 : 0, 8192UL, 4096UL);
}

static const struct want target_args[3] = { { REG_ARG(2) }, { REG_ARG(3) }, { -1 } };
static const struct want target_ret[3] = { { REG_RET }, { -1 }, { -1 } };
static const struct want target_ret_ip[3] = { { REG_RET }, { -1, FN_FUNC_IP }, { -1 } };

static int __attribute__((noinline)) user_target(int a)
{
	__asm__ volatile("" : "+r"(a));
	return a + 1;
}

/* How many have a probe with it, in the file as well as in memory. */
static unsigned short counter __attribute__((section(".data.counter")));

static unsigned int counter_now(void)
{
	__asm__ volatile("" : "+m"(counter));
	return counter;
}

/* Where in its file something of this program is. */
static unsigned long long file_offset(const void *at)
{
	unsigned long long start = 0, offset = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps) {
		unsigned long long end;
		char prot[5], line[512];

		if (!fgets(line, sizeof(line), maps))
			break;
		if (sscanf(line, "%llx-%llx %4s %llx", &start, &end, prot, &offset) == 4 &&
		    start <= (uintptr_t)at && (uintptr_t)at < end)
			break;
	}
	if (maps)
		fclose(maps);
	return (uintptr_t)at - start + offset;
}

static bool fork_once(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

static uint64_t symbol(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long long addr, found = 0;
	char type, sym[512];

	while (f && fscanf(f, "%llx %c %511s%*[^\n]", &addr, &type, sym) == 3)
		if (!strcmp(sym, name) && !found)
			found = addr;
	if (f)
		fclose(f);
	return found;
}

static bool hits_are(uint64_t n)
{
	struct seen seen = look();

	if (seen.hits == n)
		return true;
	errno = 0;
	return fail("%llu hits, not %llu", (unsigned long long)seen.hits, (unsigned long long)n);
}

static bool value_is(int i, uint64_t value)
{
	struct seen seen = look();

	if (seen.value[i] == value)
		return true;
	errno = 0;
	return fail("value %d is %llx, not %llx", i, (unsigned long long)seen.value[i],
		    (unsigned long long)value);
}

/* An int is half of a register. */
static bool returned_error(void)
{
	if ((int)look().value[0] == -EOPNOTSUPP)
		return true;
	errno = 0;
	return fail("it returned %d", (int)look().value[0]);
}

/* @fd is what is attached, and goes with this: then nothing is seen any more. */
static bool is_over(int fd, int prog)
{
	uint64_t hits = look().hits;

	close(fd);
	target(false);
	user_target(0);
	fork_once();
	close(prog);
	return hits_are(hits) && passed();
}

/* What the kernel says of an event that has a program: its kind, and where it is. */
static bool query_is(int fd, uint32_t type, const char *name, uint64_t offset, uint64_t addr)
{
	union bpf_attr attr = { };
	char text[128] = "";

	attr.task_fd_query.pid = getpid();
	attr.task_fd_query.fd = fd;
	attr.task_fd_query.buf = (uintptr_t)text;
	attr.task_fd_query.buf_len = sizeof(text);
	if (sys_bpf(BPF_TASK_FD_QUERY, &attr))
		return fail("nobody says what it is");
	errno = 0;
	if (attr.task_fd_query.fd_type != type || strcmp(text, name) ||
	    attr.task_fd_query.buf_len != strlen(name) ||
	    attr.task_fd_query.probe_offset != offset || attr.task_fd_query.probe_addr != addr)
		return fail("it is said to be %u at '%s', %llx, %llx, not %u at '%s', %llx, %llx",
			    attr.task_fd_query.fd_type, text,
			    (unsigned long long)attr.task_fd_query.probe_offset,
			    (unsigned long long)attr.task_fd_query.probe_addr, type, name,
			    (unsigned long long)offset, (unsigned long long)addr);
	return true;
}

/* --- the kinds */

static bool tracepoint(void)
{
	int prog = load(BPF_PROG_TYPE_TRACEPOINT, 0, nothing, 0), fd;

	fd = prog < 0 ? -1 : open_trace_event("sched/sched_process_fork", prog);
	if (fd < 0)
		return false;
	fork_once();
	fork_once();
	return hits_are(2) && query_is(fd, BPF_FD_TYPE_TRACEPOINT, "sched_process_fork", 0, 0) &&
	       is_over(fd, prog);
}

static bool syscall_tracepoint(void)
{
	/* nr at 8, args at 16 */
	static const struct want args[3] = { { 16 }, { 24 }, { 32 } };
	int prog = load(BPF_PROG_TYPE_TRACEPOINT, 0, args, 0), fd;

	fd = prog < 0 ? -1 : open_trace_event("syscalls/sys_enter_fallocate", prog);
	if (fd < 0)
		return false;
	target(false);
	return hits_are(1) && value_is(0, file) && value_is(2, 8192) && is_over(fd, prog);
}

static bool raw_tracepoint(void)
{
	int prog = load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, nothing, 0), fd;
	union bpf_attr attr = { };

	if (prog < 0)
		return false;
	attr.raw_tracepoint.name = (uintptr_t)"sched_process_fork";
	attr.raw_tracepoint.prog_fd = prog;
	fd = sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	if (fd < 0)
		return fail("not attached");
	fork_once();
	return look().hits >= 1 && is_over(fd, prog);
}

/* A program has the event: it cannot be removed, alone or with all, and goes on as before. */
static bool event_stays(const char *path)
{
	if (!write_text(path, "-:bpft/probe", O_APPEND) || errno != EBUSY)
		return fail("it is removed though a program has it");
	if (!write_text(path, "\n", O_TRUNC) || errno != EBUSY)
		return fail("all are removed though a program has one");
	target(true);
	user_target(4712);
	return hits_are(2);
}

static bool kprobe_event(bool returns)
{
	int prog = load(BPF_PROG_TYPE_KPROBE, 0, returns ? target_ret_ip : target_args, 0), fd;
	bool good;

	if (prog < 0)
		return false;
	if (write_text(TRACEFS "kprobe_events", returns ? "r:bpft/probe vfs_fallocate" :
		       "p:bpft/probe vfs_fallocate", O_APPEND))
		return fail("no kprobe event");
	fd = open_trace_event("bpft/probe", prog);
	if (fd < 0)
		return false;
	target(returns);
	good = hits_are(1);
	if (returns)
		good = good && returned_error() && value_is(1, symbol("vfs_fallocate"));
	else
		good = good && value_is(0, 8192) && value_is(1, 4096);
	good = good && query_is(fd, returns ? BPF_FD_TYPE_KRETPROBE : BPF_FD_TYPE_KPROBE,
				"vfs_fallocate", 0, symbol("vfs_fallocate"));
	if (!good || !event_stays(TRACEFS "kprobe_events") || !is_over(fd, prog))
		return false;
	return !write_text(TRACEFS "kprobe_events", "-:bpft/probe", O_APPEND) || fail("it stays");
}

static bool kprobe_event_entry(void)
{
	return kprobe_event(false);
}

static bool kprobe_event_return(void)
{
	return kprobe_event(true);
}

/* False: perf has no kprobes. */
static bool kprobe_pmu(struct perf_event_attr *attr)
{
	uint64_t type;

	if (read_number("/sys/bus/event_source/devices/kprobe/type", false, &type))
		return false;
	attr->type = type;
	return true;
}

/* At @name, a function, or at @addr; @prog: where the program goes that leaves @want. Or -1. */
static int open_kprobe(struct perf_event_attr *attr, const char *name, uint64_t addr,
		       const struct want *want, int *prog)
{
	attr->kprobe_func = (uintptr_t)name;
	if (!name)
		attr->kprobe_addr = addr;
	*prog = load(BPF_PROG_TYPE_KPROBE, 0, want, 0);
	return *prog < 0 ? -1 : open_event(attr, *prog);
}

/* @name: the function's; NULL: only its address is told */
static bool pmu(bool returns, const char *name)
{
	struct perf_event_attr attr = { .config = returns };
	int prog, fd;

	if (!kprobe_pmu(&attr))
		return skipped();
	fd = open_kprobe(&attr, name, symbol("vfs_fallocate"),
			 returns ? target_ret_ip : target_args, &prog);
	if (fd < 0)
		return false;
	target(returns);
	return hits_are(1) && (returns ? returned_error() : value_is(0, 8192)) &&
	       (!returns || value_is(1, symbol("vfs_fallocate"))) &&
	       query_is(fd, returns ? BPF_FD_TYPE_KRETPROBE : BPF_FD_TYPE_KPROBE, name ?: "", 0,
			symbol("vfs_fallocate")) &&
	       is_over(fd, prog);
}

static bool pmu_kprobe(void)
{
	return pmu(false, "vfs_fallocate");
}

static bool pmu_kretprobe(void)
{
	return pmu(true, "vfs_fallocate");
}

static bool pmu_kprobe_addr(void)
{
	return pmu(false, NULL);
}

/*
 * A program that has a system call fail, on one CPU. Before that a CPU goes and comes, and an
 * event is switched, so that lockdep knows in which order their locks are taken.
 */
static bool overriding(bool returns)
{
	const struct bpf_insn code[] = {
		MOV_IMM(2, -EXDEV),
		CALL(FN_OVERRIDE),
		MOV_IMM(0, 0),
		EXIT(),
	};
	static const char *const names[] = { "__arm64_sys_getpgid", "__x64_sys_getpgid",
					     "__riscv_sys_getpgid" };
	union bpf_attr load = { .prog_type = BPF_PROG_TYPE_KPROBE };
	struct perf_event_attr attr = { .config = returns };
	int prog, fd, i, rc;
	cpu_set_t all, one;

	for (i = 0; i < 3 && !symbol(names[i]); i++)
		;
	if (i == 3 || !symbol("bpf_override_return") || !kprobe_pmu(&attr))
		return skipped();
	if (!write_text("/sys/devices/system/cpu/cpu1/online", "0", 0))
		write_text("/sys/devices/system/cpu/cpu1/online", "1", 0);
	if (write_text(TRACEFS "events/sched/sched_switch/enable", "1", 0) ||
	    write_text(TRACEFS "events/sched/sched_switch/enable", "0", 0))
		return fail("an event cannot be switched");

	attr.kprobe_func = (uintptr_t)names[i];
	prog = load_code(&load, code, sizeof(code) / sizeof(*code));
	fd = prog < 0 ? -1 : open_event_on(&attr, prog, 0);
	if (fd < 0)
		return false;
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	rc = syscall(SYS_getpgid, 0);
	if (rc != -1 || errno != EXDEV)
		return fail("getpgid() is %d", rc);
	close(fd);
	close(prog);
	rc = syscall(SYS_getpgid, 0);
	sched_setaffinity(0, sizeof(all), &all);
	return rc < 0 ? fail("getpgid() goes on being refused") : passed();
}

static bool overriding_call(void)
{
	return overriding(false);
}

static bool overriding_return(void)
{
	return overriding(true);
}

#define OPEN_CALLS	200

static int waited_for;

static void *open_call(void *arg)
{
	uint64_t n;

	read(waited_for, &n, sizeof(n));
	return NULL;
}

/* How many threads of this program sleep. */
static int sleepers(void)
{
	char path[64], text[256], *at;
	int n = 0;

	for (pid_t tid = getpid() + 1; tid <= getpid() + 4 * OPEN_CALLS; tid++) {
		int fd, got;

		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		got = read(fd, text, sizeof(text) - 1);
		close(fd);
		text[got < 0 ? 0 : got] = 0;
		at = strrchr(text, ')');
		n += at && at[1] && at[2] == 'S';
	}
	return n;
}

/* Two hundred calls that are open at a time, which is more than a kretprobe has room for. */
static bool pmu_kretprobe_open_calls(void)
{
	struct perf_event_attr attr = { .config = 1 };
	static pthread_t threads[OPEN_CALLS];
	int prog, fd, n, tries = 0;
	pthread_attr_t small;
	uint64_t go = OPEN_CALLS;

	if (!symbol("eventfd_read") || !kprobe_pmu(&attr))
		return skipped();
	waited_for = eventfd(0, EFD_SEMAPHORE);
	fd = open_kprobe(&attr, "eventfd_read", 0, nothing, &prog);
	if (fd < 0)
		return false;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (n = 0; n < OPEN_CALLS; n++)
		if (pthread_create(&threads[n], &small, open_call, NULL))
			break;
	while (sleepers() < n && ++tries < 300)
		usleep(100000);
	write(waited_for, &go, sizeof(go));
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	close(waited_for);
	if (n < OPEN_CALLS || tries == 300)
		return fail("of %d threads %d sleep", n, sleepers());
	return hits_are(OPEN_CALLS) && is_over(fd, prog);
}

/* What kprobes/list says of the kprobe at a function. False: there is none, or no list. */
static bool kprobe_listed(const char *func, const char *word, bool *says)
{
	FILE *list = fopen("/sys/kernel/debug/kprobes/list", "r");
	char line[256], want[64];
	bool found = false;

	snprintf(want, sizeof(want), " %s+0x0 ", func);
	while (list && fgets(line, sizeof(line), list)) {
		if (!strstr(line, want))
			continue;
		found = true;
		*says = strstr(line, word);
	}
	if (list)
		fclose(list);
	return found;
}

static bool kprobe_enabled(const char *func, bool *enabled)
{
	bool disabled, found = kprobe_listed(func, "[DISABLED]", &disabled);

	*enabled = found && !disabled;
	return found;
}

/* A sample with registers has all of them: so it is a kretprobe as long as there is one. */
static bool pmu_kretprobe_regs(void)
{
	struct perf_event_attr attr = { }, regs;
	int prog, fd, with_regs;
	bool before, during, after, good;
	uint64_t type;

	if (access(TRACEFS "kprobe_events", F_OK))
		return skipped();
	write_text(TRACEFS "kprobe_events", "r:bpft/regs vfs_fallocate", O_APPEND);
	if (read_number(TRACEFS "events/bpft/regs/id", false, &type))
		return fail("no kretprobe event");
	attr.config = type;
	attr.type = PERF_TYPE_TRACEPOINT;
	regs = attr;
	regs.size = sizeof(regs);
	regs.sample_period = 1;
	regs.sample_type = PERF_SAMPLE_REGS_INTR;
	regs.sample_regs_intr = 1;
	prog = load(BPF_PROG_TYPE_KPROBE, 0, target_ret, 0);
	fd = prog < 0 ? -1 : open_event(&attr, prog);
	if (fd < 0)
		return false;
	if (!kprobe_enabled("vfs_fallocate", &before)) {
		close(fd);
		write_text(TRACEFS "kprobe_events", "-:bpft/regs", O_APPEND);
		return skipped();
	}
	target(true);
	with_regs = syscall(SYS_perf_event_open, &regs, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (with_regs < 0)
		return fail("no event with registers");
	kprobe_enabled("vfs_fallocate", &during);
	target(true);
	close(with_regs);
	kprobe_enabled("vfs_fallocate", &after);
	target(true);
	errno = 0;
	good = !before && during && !after && hits_are(3) && returned_error() && is_over(fd, prog);
	if (!good) {
		fail("is it a kretprobe? %d, with registers %d, after that %d", before, during,
		     after);
		close(fd);
	}
	if (write_text(TRACEFS "kprobe_events", "-:bpft/regs", O_APPEND))
		return fail("it stays");
	return good;
}

/*
 * It is on the function's call site, which the sysctl is about, and it is not. Where a kprobe at
 * the function's first instruction is ftrace's too, it is off meanwhile.
 */
static bool pmu_kretprobe_sysctl(void)
{
	static const char enabled[] = "/proc/sys/kernel/ftrace_enabled";
	struct perf_event_attr attr = { .config = 1 };
	bool good, by_ftrace = false;
	int prog, fd;

	if (access(enabled, F_OK) || !kprobe_pmu(&attr))
		return skipped();
	fd = open_kprobe(&attr, "vfs_fallocate", 0, target_ret, &prog);
	if (fd < 0)
		return false;
	target(true);
	good = !write_text(enabled, "0", 0) || fail("ftrace_enabled does not become 0");
	kprobe_listed("vfs_fallocate", "[FTRACE]", &by_ftrace);
	target(true);
	good &= !write_text(enabled, "1", 0) || fail("ftrace_enabled does not become 1");
	target(true);
	good = good && hits_are(by_ftrace ? 2 : 3) && returned_error() && is_over(fd, prog);
	if (!good)
		close(fd);
	return good;
}

#define SAMPLE_MODULE	"/kernel/samples/trace_events/trace-events-sample.ko"
#define SAMPLE_EVENT	TRACEFS "events/sample-trace/foo_bar_with_fn/enable"

/* The module of samples, which calls foo_bar_reg() when its event is switched on. */
static bool sample_module(bool there)
{
	struct utsname name;
	char path[256];
	int fd, ret;

	if (!there)
		return !syscall(SYS_delete_module, "trace_events_sample", O_NONBLOCK);
	uname(&name);
	snprintf(path, sizeof(path), "/lib/modules/%s" SAMPLE_MODULE, name.release);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -1 : syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	return !ret;
}

static bool sample_call(void)
{
	return !write_text(SAMPLE_EVENT, "1", 0) && !write_text(SAMPLE_EVENT, "0", 0);
}

/* The probed function's module goes: what comes to its addresses is not probed. */
static bool pmu_kretprobe_module(void)
{
	struct perf_event_attr attr = { .config = 1 };
	int prog, fd;

	if (!kprobe_pmu(&attr) || !sample_module(true))
		return skipped();
	fd = open_kprobe(&attr, "foo_bar_reg", 0, nothing, &prog);
	if (fd < 0)
		return false;
	if (!sample_call() || !hits_are(1))
		return fail("nothing is seen in the module");
	if (!sample_module(false) || !sample_module(true))
		return fail("the module does not go, or not come again");
	if (!sample_call() || !hits_are(1))
		return fail("it is seen when the module has gone");
	return is_over(fd, prog) && (sample_module(false) || fail("the module does not go"));
}

static const struct want user_args[3] = { { REG_ARG(0) }, { -1 }, { -1 } };

static bool uprobe_event(void)
{
	int prog, fd;
	char line[128];

	if (access(TRACEFS "uprobe_events", F_OK))
		return skipped();
	prog = load(BPF_PROG_TYPE_KPROBE, 0, user_args, 0);
	snprintf(line, sizeof(line), "p:bpft/probe /proc/self/exe:0x%llx",
		 file_offset(user_target));
	if (prog < 0)
		return false;
	if (write_text(TRACEFS "uprobe_events", line, O_APPEND))
		return fail("no uprobe event");
	fd = open_trace_event("bpft/probe", prog);
	if (fd < 0)
		return false;
	user_target(4711);
	if (!hits_are(1) || !value_is(0, 4711) ||
	    !query_is(fd, BPF_FD_TYPE_UPROBE, "/proc/self/exe", file_offset(user_target), 0) ||
	    !event_stays(TRACEFS "uprobe_events") || !is_over(fd, prog))
		return false;
	return !write_text(TRACEFS "uprobe_events", "-:bpft/probe", O_APPEND) || fail("it stays");
}

/* @counts: it has a counter of the program, which is above 0 as long as it is there */
static bool pmu_user(bool returns, bool counts)
{
	struct perf_event_attr attr = { .config = returns };
	int prog, fd;
	uint64_t type;

	if (read_number("/sys/bus/event_source/devices/uprobe/type", false, &type))
		return skipped();
	prog = load(BPF_PROG_TYPE_KPROBE, 0, returns ? target_ret : user_args, 0);
	attr.type = type;
	attr.uprobe_path = (uintptr_t)"/proc/self/exe";
	attr.probe_offset = file_offset(user_target);
	if (counts)
		attr.config |= file_offset(&counter) << 32;
	fd = prog < 0 ? -1 : open_event(&attr, prog);
	if (fd < 0)
		return false;
	if (counter_now() != counts)
		return fail("the counter is %u while it is there", counter_now());
	user_target(4711);
	if (!hits_are(1) || !value_is(0, returns ? 4712 : 4711) ||
	    !query_is(fd, returns ? BPF_FD_TYPE_URETPROBE : BPF_FD_TYPE_UPROBE, "/proc/self/exe",
		      file_offset(user_target), 0) ||
	    !is_over(fd, prog))
		return false;
	return !counter_now() || fail("the counter is %u when it has gone", counter_now());
}

static bool pmu_uprobe(void)
{
	return pmu_user(false, false);
}

static bool pmu_uretprobe(void)
{
	return pmu_user(true, false);
}

static bool pmu_uprobe_counted(void)
{
	return pmu_user(false, true);
}

/* There is a line in uprobe_events, which is off, that says of a counter there. */
static bool pmu_uprobe_at_line(void)
{
	char line[128];
	bool good;

	if (access(TRACEFS "uprobe_events", F_OK))
		return skipped();
	snprintf(line, sizeof(line), "p:bpft/counted /proc/self/exe:0x%llx(0x40)",
		 file_offset(user_target));
	if (write_text(TRACEFS "uprobe_events", line, O_APPEND))
		return fail("no uprobe event");
	good = pmu_uprobe();
	return (!write_text(TRACEFS "uprobe_events", "-:bpft/counted", O_APPEND) ||
		fail("it stays")) && good;
}

/* The members of union bpf_attr that are used, as later headers have them. */
struct multi_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint32_t multi_flags, cnt;
	uint64_t syms, addrs, cookies;
};

static int link_multi(int prog, int attach, int flags, const uint64_t *cookies)
{
	static const char * const syms[] = { "vfs_truncate", "vfs_fallocate" };
	struct multi_attr attr = { .prog_fd = prog, .attach_type = attach, .multi_flags = flags,
				   .cnt = 2 };

	attr.syms = (uintptr_t)syms;
	attr.cookies = (uintptr_t)cookies;
	return syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
}

static bool kprobe_multi(void)
{
	static const struct want want[3] = {
		{ REG_ARG(2) }, { -1, FN_FUNC_IP }, { -1, FN_COOKIE }
	};
	static const uint64_t cookies[] = { 0x1111, 0x2222 };
	int prog = load(BPF_PROG_TYPE_KPROBE, ATTACH_KPROBE_MULTI, want, 0), fd;

	fd = prog < 0 ? -1 : link_multi(prog, ATTACH_KPROBE_MULTI, 0, cookies);
	if (fd < 0)
		return fail("not attached");
	target(false);
	return hits_are(1) && value_is(0, 8192) && value_is(1, symbol("vfs_fallocate")) &&
	       value_is(2, 0x2222) && is_over(fd, prog);
}

static bool kretprobe_multi(void)
{
	static const struct want want[3] = {
		{ REG_RET }, { -1, FN_FUNC_IP }, { -1, FN_COOKIE }
	};
	static const uint64_t cookies[] = { 0x1111, 0x2222 };
	int prog = load(BPF_PROG_TYPE_KPROBE, ATTACH_KPROBE_MULTI, want, 0), fd;

	fd = prog < 0 ? -1 : link_multi(prog, ATTACH_KPROBE_MULTI, KPROBE_MULTI_RETURN, cookies);
	if (fd < 0)
		return fail("not attached");
	target(true);
	return hits_are(1) && returned_error() &&
	       value_is(1, symbol("vfs_fallocate")) && value_is(2, 0x2222) && is_over(fd, prog);
}

/* Entry and return, or the entry alone if it says so. */
static bool kprobe_session(void)
{
	for (int ret = 0; ret < 2; ret++) {
		int prog = load(BPF_PROG_TYPE_KPROBE, ATTACH_KPROBE_SESSION, nothing, ret), fd;

		fd = prog < 0 ? -1 : link_multi(prog, ATTACH_KPROBE_SESSION, 0, NULL);
		if (fd < 0)
			return fail("not attached");
		clear();
		target(false);
		target(true);
		if (!hits_are(ret ? 2 : 4))
			return false;
		close(fd);
		close(prog);
	}
	return passed();
}

/* A program of BPF_PROG_TYPE_TRACING, and where it is attached; @name and @kind are of its type. */
struct traced {
	int prog, fd;
};

/* False: there is no BTF, or it failed. */
static bool trace_type(struct traced *t, const char *name, uint32_t kind, int attach,
		       const struct want *want, int ret)
{
	union bpf_attr attr = { };

	attach_btf_id = btf_id(name, kind);
	if (!attach_btf_id) {
		if (access("/sys/kernel/btf/vmlinux", F_OK))
			skipped();
		else
			fail("BTF does not know %s", name);
		return false;
	}
	t->prog = load(BPF_PROG_TYPE_TRACING, attach, want, ret);
	attach_btf_id = 0;
	if (t->prog < 0)
		return false;
	attr.raw_tracepoint.prog_fd = t->prog;
	t->fd = sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	return t->fd >= 0 || fail("not attached");
}

static bool fentry(void)
{
	static const struct want args[3] = { { 16 }, { 24 }, { -1 } };
	struct traced t;

	if (!trace_type(&t, "vfs_fallocate", BTF_KIND_FUNC, BPF_TRACE_FENTRY, args, 0))
		return false;
	target(false);
	target(true);
	return hits_are(2) && value_is(0, 8192) && value_is(1, 4096) && is_over(t.fd, t.prog);
}

static bool fexit(void)
{
	/* behind four arguments */
	static const struct want ret[3] = { { 32 }, { 16 }, { -1 } };
	struct traced t;

	if (!trace_type(&t, "vfs_fallocate", BTF_KIND_FUNC, BPF_TRACE_FEXIT, ret, 0))
		return false;
	target(true);
	return hits_are(1) && returned_error() && value_is(1, 8192) && is_over(t.fd, t.prog);
}

/* Both, and a kprobe event and kprobe.multi at the same function: everybody is told. */
static bool together(void)
{
	static const uint64_t cookies[2];
	struct traced in, out;
	int prog, fd;

	if (!trace_type(&in, "vfs_fallocate", BTF_KIND_FUNC, BPF_TRACE_FENTRY, nothing, 0) ||
	    !trace_type(&out, "vfs_fallocate", BTF_KIND_FUNC, BPF_TRACE_FEXIT, nothing, 0))
		return false;
	prog = load(BPF_PROG_TYPE_KPROBE, ATTACH_KPROBE_MULTI, nothing, 0);
	fd = prog < 0 ? -1 : link_multi(prog, ATTACH_KPROBE_MULTI, KPROBE_MULTI_RETURN, cookies);
	if (fd < 0)
		return fail("kprobe.multi is not attached");
	target(false);
	if (!hits_are(3))
		return false;
	close(in.fd);
	target(false);
	if (!hits_are(5))
		return false;
	close(out.fd);
	target(false);
	close(in.prog);
	close(out.prog);
	return hits_are(6) && is_over(fd, prog);
}

/* What is called instead of the function says what it returns. */
static bool fmod_ret(void)
{
	struct traced t;
	long ret;

	if (!trace_type(&t, "security_task_getpgid", BTF_KIND_FUNC, BPF_MODIFY_RETURN, nothing,
			-EXDEV))
		return false;
	ret = syscall(SYS_getpgid, getpid());
	if (ret != -1 || errno != EXDEV)
		return fail("getpgid() is %ld", ret);
	if (!hits_are(1))
		return false;
	close(t.fd);
	if (syscall(SYS_getpgid, getpid()) < 0)
		return fail("getpgid() goes on being refused");
	close(t.prog);
	return hits_are(1) && passed();
}

static bool btf_tracepoint(void)
{
	struct traced t;

	if (!trace_type(&t, "btf_trace_sched_process_fork", BTF_KIND_TYPEDEF, BPF_TRACE_RAW_TP,
			nothing, 0))
		return false;
	fork_once();
	return look().hits >= 1 && is_over(t.fd, t.prog);
}

static bool perf_event(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .freq = 0 };
	int prog = load(BPF_PROG_TYPE_PERF_EVENT, 0, nothing, 1), fd;

	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	fd = prog < 0 ? -1 : open_event(&attr, prog);
	if (fd < 0)
		return false;
	for (int i = 0; i < 4; i++) {
		char *pages = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (pages == MAP_FAILED)
			return fail("no memory");
		getrandom(pages, 1 << 16, 0);
		munmap(pages, 1 << 16);
	}
	if (!look().hits) {
		errno = 0;
		return fail("no hits");
	}
	close(fd);
	close(prog);
	return passed();
}

/* Is what bpf_trace_printk() prints recorded? A work item of the base sees to it. */
static bool printk_is_on(void)
{
	int fd = open(TRACEFS "events/bpf_trace/bpf_trace_printk/enable", O_RDONLY);
	char on = '0';

	if (fd < 0)
		return false;
	if (read(fd, &on, 1) != 1)
		on = '0';
	close(fd);
	return on == '1';
}

/* bpf_trace_printk() is an event, which is on soon after a program that has the call is there. */
static bool printed(void)
{
	static const char fmt[8] = "bpf %d\n";
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_TRACEPOINT };
	uint64_t word;
	struct bpf_insn code[16];
	static char text[1 << 20];
	int n = 0, prog, fd, in, got = 0, more, tries;

	memcpy(&word, fmt, 8);
	code[n++] = INSN(BPF_LD | BPF_DW | BPF_IMM, 1, 0, 0, (int32_t)word);
	code[n++] = INSN(0, 0, 0, 0, (int32_t)(word >> 32));
	code[n++] = STORE(10, -8, 1);
	code[n++] = MOV_REG(1, 10);
	code[n++] = ADD_IMM(1, -8);
	code[n++] = MOV_IMM(2, 8);
	code[n++] = MOV_IMM(3, 4711);
	code[n++] = CALL(FN_PRINTK);
	code[n++] = MOV_IMM(0, 0);
	code[n++] = EXIT();
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = n;
	attr.license = (uintptr_t)"GPL";
	prog = sys_bpf(BPF_PROG_LOAD, &attr);
	if (prog < 0)
		return fail("not loaded");
	for (tries = 0; !printk_is_on(); tries++) {
		if (tries == 500)
			return fail("its event stays off");
		usleep(10000);
	}
	fd = open_trace_event("sched/sched_process_fork", prog);
	if (fd < 0)
		return false;
	fork_once();
	close(fd);
	close(prog);
	in = open(TRACEFS "trace", O_RDONLY);
	while (in >= 0 && (more = read(in, text + got, sizeof(text) - 1 - got)) > 0)
		got += more;
	close(in);
	errno = 0;
	return strstr(text, "bpf_trace_printk: bpf 4711") ? passed() : fail("not in the trace");
}

static const struct {
	const char *name;
	bool (*test)(void);
} tests[] = {
	{ "tracepoint", tracepoint },
	{ "tracepoint of a system call", syscall_tracepoint },
	{ "raw tracepoint", raw_tracepoint },
	{ "kprobe event", kprobe_event_entry },
	{ "kretprobe event", kprobe_event_return },
	{ "perf's kprobe", pmu_kprobe },
	{ "perf's kretprobe", pmu_kretprobe },
	{ "perf's kprobe at an address", pmu_kprobe_addr },
	{ "perf's kprobe that has the function return", overriding_call },
	{ "perf's kretprobe that has the function return something else", overriding_return },
	{ "perf's kretprobe with 200 calls open", pmu_kretprobe_open_calls },
	{ "perf's kretprobe of samples with registers", pmu_kretprobe_regs },
	{ "perf's kretprobe while ftrace_enabled is 0", pmu_kretprobe_sysctl },
	{ "perf's kretprobe in a module that goes", pmu_kretprobe_module },
	{ "uprobe event", uprobe_event },
	{ "perf's uprobe", pmu_uprobe },
	{ "perf's uretprobe", pmu_uretprobe },
	{ "perf's uprobe with a counter", pmu_uprobe_counted },
	{ "perf's uprobe beside a line with a counter", pmu_uprobe_at_line },
	{ "kprobe.multi", kprobe_multi },
	{ "kretprobe.multi", kretprobe_multi },
	{ "kprobe.session", kprobe_session },
	{ "fentry", fentry },
	{ "fexit", fexit },
	{ "fentry, fexit and kprobe.multi", together },
	{ "fmod_ret", fmod_ret },
	{ "tp_btf", btf_tracepoint },
	{ "perf_event", perf_event },
	{ "bpf_trace_printk()", printed },
};

int main(int argc, char **argv)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4,
				.value_size = sizeof(struct seen), .max_entries = 1 };

	setvbuf(stdout, NULL, _IOLBF, 0);
	map = sys_bpf(BPF_MAP_CREATE, &attr);
	file = open("/tmp/bpf_probes", O_RDWR | O_CREAT, 0600);
	if (map < 0 || file < 0) {
		perror("bpf_probes");
		return 2;
	}
	for (unsigned int i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		if (argc > 1 && !strstr(tests[i].name, argv[1]))
			continue;
		testing = tests[i].name;
		clear();
		errno = 0;
		said = false;
		tests[i].test();
		/* one that gave up without a word saw nothing */
		if (!said)
			fail("it gave up, with %llu hits", (unsigned long long)look().hits);
	}
	return failed;
}
