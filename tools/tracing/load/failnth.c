// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each operation is done over and over, and each time another one of its allocations fails
 * (/proc/thread-self/fail-nth). Then it has either failed with ENOMEM and changed nothing,
 * or it has done what it does with all the memory it wants. What takes away by a number or a
 * name has to be done in any case.
 *
 * Then it is done with less memory than it wants, and without any from there on: where one that
 * fails is had in another way, and where what was begun is to be undone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "files.h"
#include "load.h"

/*
 * The first of an operation's allocations are visited one by one, with -a as many as there is time
 * for: all of events/enable would take hours. Of those that follow, which are the same for each
 * event or page, some, in steps that are a fiftieth part of what went before on average; with
 * another seed others.
 */
#define FIRST	150
#define MOST	20000

#define SAMPLE "/lib/modules/*/kernel/samples/trace_events/trace-events-sample.ko"

#define FAULTS	"/sys/kernel/debug"

static int nth_fd, fail_fd;
static char before[512 * 1024], after[512 * 1024], done[512 * 1024], scratch[64 * 1024];
static ssize_t done_size;	/* of what @done reads; -1: that differs from time to time */

/* Without faults an operation is taken, or else somebody is told. */
enum refusal {
	TAKEN,
	MAYBE,		/* not everywhere */
	REFUSED,	/* never: it is for what is done before that is known */
};

/**
 * struct op - something that can be done
 * @what: for messages
 * @path: file that must read as before when it failed; NULL for none
 * @state: another such, where @path does not tell all; NULL for none
 * @text: what is written
 * @undo: what is written to have it as it was
 * @run: does it: 0 or more, or the errno, negative
 * @back: and back, without faults
 * @refusal: what becomes of it without faults
 */
struct op {
	const char *what, *path, *text, *undo;
	int (*run)(const struct op *op);
	void (*back)(const struct op *op);
	enum refusal refusal;
	const char *state;
};

static double end;
static int total_ops, total_all, total_failed, total_fine, total_refused, total_dry;

/* A number to @file of /proc/thread-self, which is open. */
static void set_of_ours(int fd, const char *file, int value)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", value);

	if (pwrite(fd, text, n, 0) != n) {
		complain("%s cannot be set: %s", file, strerror(errno));
		exit(1);
	}
}

static void arm(int nth)
{
	set_of_ours(nth_fd, "fail-nth", nth);
}

/* What is left of the count: 0 if the allocation was met. */
static int disarm(void)
{
	char text[16] = "";
	int left;

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		complain("fail-nth cannot be read");
	left = atoi(text);
	arm(0);
	return left;
}

static int next_nth(int nth, double began)
{
	if (nth < FIRST || now() - began < in_turn)
		return nth + 1;
	return nth + 1 + dice(self, nth / 25);
}

/* So often it may fail. */
#define PLENTY	1000000000

static void set_fault(const char *file, int value)
{
	if (put_in(FAULTS, file, "%d", value))
		complain("%s cannot be set", file);
}

/* PLENTY less what failed since that was written. */
static int failed_of(const char *file)
{
	char path[64], text[16];

	snprintf(path, sizeof(path), FAULTS "/%s", file);
	if (slurp(path, text, sizeof(text)) <= 0)
		complain("%s cannot be read", path);
	return PLENTY - atoi(text);
}

static void only_we_fail(bool on)
{
	set_of_ours(fail_fd, "make-it-fail", on);
}

/* When about @bytes of slab are had, or @pages, there is no more of it. */
static void dry_after(int bytes, int pages)
{
	set_fault("failslab/space", bytes);
	set_fault("failslab/times", PLENTY);
	set_fault("fail_page_alloc/space", pages);
	set_fault("fail_page_alloc/times", PLENTY);
	only_we_fail(true);
}

/* There is memory again. How often was there none? */
static int rain(void)
{
	only_we_fail(false);
	return failed_of("failslab/times") + failed_of("fail_page_alloc/times");
}

static int write_it(const struct op *op)
{
	return put(op->path, op->text);
}

static void write_back(const struct op *op)
{
	int err = put(op->path, op->undo);

	if (err)
		complain("%s: '%s' is refused afterwards: %s", op->what, op->undo,
			 strerror(-err));
}

static int read_it(const struct op *op)
{
	int fd = open(op->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), err = 0, i;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	for (i = 0; i < 2 && (n = read(fd, scratch, sizeof(scratch))) > 0; i++)
		;
	if (n < 0 && errno != EAGAIN)
		err = -errno;
	close(fd);
	return err;
}

static int wait_it(const struct op *op)
{
	struct pollfd p = { .events = POLLIN };

	p.fd = open(op->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (p.fd < 0)
		return -errno;
	poll(&p, 1, 0);
	close(p.fd);
	return 0;
}

static int splice_it(const struct op *op)
{
	int fd = open(op->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), ends[2], err = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	if (pipe(ends)) {
		/* what it says where there is no memory for its inode */
		err = errno == ENFILE ? -ENOMEM : -errno;
		close(fd);
		return err;
	}
	n = splice(fd, NULL, ends[1], NULL, 65536, SPLICE_F_NONBLOCK);
	if (n < 0 && errno != EAGAIN)
		err = -errno;
	close(fd);
	close(ends[0]);
	close(ends[1]);
	return err;
}

static int map_it(const struct op *op)
{
	int fd = open(op->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), err = 0;
	void *mem;

	if (fd < 0)
		return -errno;
	mem = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED)
		err = -errno;
	else
		munmap(mem, getpagesize());
	close(fd);
	return err;
}

static int mkdir_it(const struct op *op)
{
	int err = mkdir(op->text, 0700) ? -errno : 0;

	/* mkdir_back() would take it away, and nobody would know. */
	if (err && err != -EEXIST && !access(op->text, F_OK))
		complain("%s: it fails with %s, and is there", op->what, strerror(-err));
	return err;
}

/* The spare of one CPU goes with that of all of them. */
static void snapshot_back(const struct op *op)
{
	char dir[128];

	snprintf(dir, sizeof(dir), "./%.120s", op->path);
	*strstr(dir, "/per_cpu") = 0;
	put_in(dir, "snapshot", "0");
}

static void mkdir_back(const struct op *op)
{
	if (!access(op->text, F_OK) && rmdir(op->text))
		complain("%s: it cannot be removed: %s", op->what, strerror(errno));
}

static int rmdir_it(const struct op *op)
{
	return rmdir(op->text) ? -errno : 0;
}

/* With all that has to be undone when it goes. */
static void rmdir_back(const struct op *op)
{
	if (mkdir(op->text, 0700) && errno != EEXIST)
		complain("%s: it cannot be made: %s", op->what, strerror(errno));
	put_in(op->text, "events/sched/sched_switch/trigger", "stacktrace:3");
	put_in(op->text, "events/sched/enable", "1");
	put_in(op->text, "options/event-fork", "1");
	put_in(op->text, "set_event_pid", "1");
	put_in(op->text, "set_ftrace_filter", "vfs_*");
	put_in(op->text, "current_tracer", "function");
}

static int insert_it(const struct op *op)
{
	int fd, err = 0;

	fd = open(op->text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* -1 is what the sample says when it gets no thread */
	if (syscall(SYS_finit_module, fd, "", 0))
		err = errno == EPERM ? -ENOMEM : -errno;
	close(fd);
	return err;
}

static void insert_back(const struct op *op)
{
	syscall(SYS_delete_module, op->undo, 0);
}

static int remove_it(const struct op *op)
{
	return syscall(SYS_delete_module, op->undo, 0) ? -errno : 0;
}

static void remove_back(const struct op *op)
{
	insert_it(op);
	put("events/sample-trace/enable", "1");
}

/* So many of an operation's allocations have failed once, and there are so many. */
static const char *visited(int seen, int of)
{
	static char text[48];

	total_ops++;
	total_all += seen >= of;
	snprintf(text, sizeof(text), seen >= of ? "all %d" : "%d of %d", seen, of);
	return text;
}

/* What must read as before. */
static ssize_t slurp_state(const struct op *op, char *buf, size_t size)
{
	ssize_t n = slurp(op->path, buf, size), m = 0;

	if (n >= 0 && op->state)
		m = slurp(op->state, buf + n, size - n);
	return m < 0 ? m : n + m;
}

/* What is left of a count is not what was written. */
static bool same_but_counts(const char *a, const char *b)
{
	static const char count[] = "count=", digits[] = "0123456789";

	while (*a && *a == *b) {
		if (!strncmp(a, count, strlen(count)) && !strncmp(b, count, strlen(count))) {
			a += strlen(count);
			b += strlen(count);
			a += strspn(a, digits);
			b += strspn(b, digits);
		} else {
			a++;
			b++;
		}
	}
	return *a == *b;
}

/* What it does with all the memory it wants. What is in a snapshot is whatever was recorded. */
static void remember_done(const struct op *op)
{
	done_size = -1;
	if (op->back && op->path && !strstr(op->path, "snapshot"))
		done_size = slurp_state(op, done, sizeof(done));
}

/*
 * After it was done without memory somewhere, which @what says, and answered @err; before that it
 * read as @before, of @n bytes. Then it is taken back.
 */
static void judge(const struct op *op, const char *what, int err, int refused, ssize_t n)
{
	ssize_t m;

	if (err && err != -ENOMEM && err != refused)
		complain("%s: %s, and it fails with %s", op->what, what, strerror(-err));
	if (op->back && op->path && err) {
		m = slurp_state(op, after, sizeof(after));
		if (n != m || (n > 0 && memcmp(before, after, n)))
			complain("%s: %s, then '%.60s', before '%.60s'", op->what, what, after,
				 before);
	}
	if (!err && done_size >= 0) {
		m = slurp_state(op, after, sizeof(after));
		if (m < 0 || !same_but_counts(done, after))
			complain("%s: %s, it says no error, and is '%.60s', not '%.60s'", op->what,
				 what, after, done);
	}
	/* Also after a failure that left something, or the next would be blamed for it. */
	if (op->back && (!err || !op->path || strcmp(before, after)))
		op->back(op);
}

/* Once with so much memory. Return: how often there was no more */
static int dry_round(const struct op *op, int refused, int bytes, int pages)
{
	int err, failed;
	char what[48];
	ssize_t n = 0;

	step(self);
	if (op->back && op->path)
		n = slurp_state(op, before, sizeof(before));
	dry_after(bytes, pages);
	err = op->run(op);
	failed = rain();
	snprintf(what, sizeof(what), "no more than %d bytes, %d pages", bytes, pages);
	judge(op, what, err, refused, n);
	total_dry += !!failed;
	return failed;
}

#define DRY_ROUNDS	12

/* First until it has what it wants; then with less, for an eighth of the @seconds of its walk. */
static void walk_dry(const struct op *op, int refused, double seconds)
{
	double began = now();
	int want, bytes, i;

	for (want = 8192; want < PLENTY / 2; want *= 2) {
		if (!dry_round(op, refused, want, want / 256))
			break;
	}
	for (i = 0; i < DRY_ROUNDS || now() - began < seconds / 8; i++) {
		if (shared->failures > 15 || now() >= end)
			return;
		bytes = dice(self, (want >> dice(self, 3)) + 1);
		dry_round(op, refused, bytes, dice(self, bytes / 256 + 1));
	}
}

/* An operation, or a file, that was not asked for. */
static bool left_out(const char *name)
{
	return only && !strstr(name, only);
}

/* Walks through one operation. */
static void walk(const struct op *op)
{
	int nth, err, left, refused, failed = 0, fine = 0, of = 0;
	bool taken = op->refusal != REFUSED;
	double began = now();
	ssize_t n = 0;
	char what[48];

	if (left_out(op->what))
		return;
	/* Once without: what is made at the first time is there then. */
	refused = op->run(op);
	done_size = -1;
	if (!refused)
		remember_done(op);
	if (op->back)
		op->back(op);
	if (refused && op->refusal == MAYBE) {
		printf("   %s: refused, %s\n", op->what, strerror(-refused));
		total_refused++;
		return;
	}
	if (!refused != taken) {
		complain("%s: without faults it is %s", op->what,
			 refused ? strerror(-refused) : "not refused");
		return;
	}
	snprintf(self->doing, sizeof(self->doing), "%.90s", op->what);
	for (nth = 1; nth <= MOST; nth = next_nth(nth, began)) {
		step(self);
		if (op->back && op->path)
			n = slurp_state(op, before, sizeof(before));
		arm(nth);
		err = op->run(op);
		left = disarm();
		of = nth - left + !left;
		if (left) {
			if (op->back && !err)
				op->back(op);
			break;
		}
		if (err)
			failed++;
		else
			fine++;
		snprintf(what, sizeof(what), "allocation %d fails", nth);
		judge(op, what, err, refused, n);
		if (shared->failures > 15)
			return;
	}
	total_failed += failed;
	total_fine += fine;
	printf("   %s: %s allocations failed, %d of them without an error\n", op->what,
	       visited(failed + fine, of), fine);
	walk_dry(op, refused, now() - began);
}

/*
 * One write to a file that was open before, whose allocation number @nth fails, or, if that is 0,
 * all of them. @left: what is left of the count of allocations.
 */
static int write_armed(const char *path, const char *text, int nth, int *left)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (nth)
		arm(nth);
	else
		dry_after(0, 0);
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	if (nth)
		*left = disarm();
	else
		rain();
	close(fd);
	return err;
}

/* @off was written to @path while @what: it has to read as @before, of @n bytes. Return: it does */
static bool is_away(const char *path, const char *off, const char *what, int err, ssize_t n)
{
	ssize_t m = slurp(path, after, sizeof(after));

	if (!err && n == m && (n <= 0 || !memcmp(before, after, n)))
		return true;
	complain("'%s' to %s: %s: %s, and '%.60s' is there, not '%.60s'", off, path, what,
		 err ? strerror(-err) : "taken", after, before);
	put(path, off);
	return false;
}

/* Takes @on away by @off, which is done whichever allocation fails, and if all do. */
static void walk_sure(const char *path, const char *on, const char *off)
{
	int nth, err, left = 0, seen = 0, of = 0;
	double began = now();
	bool sure = true;
	char what[32];
	ssize_t n;

	if (left_out(path))
		return;
	snprintf(self->doing, sizeof(self->doing), "take away %.80s", path);
	/* who refuses that has been told of before */
	if (put(path, on) || put(path, off))
		return;
	n = slurp(path, before, sizeof(before));
	for (nth = 1; nth <= MOST && !left && sure; nth = next_nth(nth, began)) {
		step(self);
		put(path, on);
		err = write_armed(path, off, nth, &left);
		seen += !left;
		of = nth - left + !left;
		snprintf(what, sizeof(what), "allocation %d fails", nth);
		sure = is_away(path, off, what, err, n);
	}
	if (sure) {
		put(path, on);
		is_away(path, off, "no memory", write_armed(path, off, 0, NULL), n);
	}
	total_fine += seen;
	printf("   '%s' to %s: sure, %s allocations failed\n", off, path, visited(seen, of));
}

/* How many allocations an operation on a name that nobody has makes to look it up. */
static int lookups(const struct op *op)
{
	int nth, err, last = 0;

	for (nth = 1; nth <= FIRST; nth++) {
		arm(nth);
		err = op->run(op);
		if (disarm())
			break;
		if (err == -ENOMEM)
			last = nth;
	}
	return last;
}

/*
 * Takes away what is at op->path by its name, which is done whichever allocation fails, but for
 * those that look the name up, as they do @nobody's.
 */
static void walk_gone(const struct op *op, const struct op *nobody)
{
	int nth, err, left = 0, tries, lookup = lookups(nobody), failed = 0, seen = 0, of = 0;
	double began = now();

	if (left_out(op->what))
		return;
	snprintf(self->doing, sizeof(self->doing), "%.90s", op->what);
	for (nth = 1; nth <= MOST && !left; nth = next_nth(nth, began)) {
		step(self);
		op->back(op);
		/* A name may be in want of a page more than the last one was: not each time. */
		for (tries = 0; tries < 3; tries++) {
			arm(nth);
			err = op->run(op);
			left = disarm();
			if (!err || left || nth <= lookup)
				break;
		}
		seen += !left;
		of = nth - left + !left;
		if (!err != !!access(op->path, F_OK))
			complain("%s: allocation %d fails: %s, but %s is %s", op->what, nth,
				 err ? strerror(-err) : "taken", op->path, err ? "gone" : "there");
		if (!err)
			continue;
		failed++;
		if (err == -ENOMEM && !left && nth <= lookup)
			continue;
		complain("%s: allocation %d fails, with %s; %d are for the name", op->what, nth,
			 strerror(-err), lookup);
		break;
	}
	total_failed += failed;
	total_fine += seen - failed;
	printf("   %s: sure, %s allocations failed, %d of them in want of the name\n", op->what,
	       visited(seen, of), failed);
}

#define ALL_CPUS "all CPUs"	/* stands for their list */

/* Which of the two takes away, and cannot fail. */
enum sure {
	NONE,
	UNDO,
	TEXT,
};

/* What is written to a file and what makes it as it was; from the top or an instance. */
static const struct {
	const char *name, *text, *undo;
	enum sure sure;
	enum refusal refusal;
} writes[] = {
	{ "current_tracer", "function", "nop", UNDO },
	{ "current_tracer", "function_graph", "nop", UNDO },
	{ "current_tracer", "irqsoff", "nop", UNDO },
	{ "current_tracer", "preemptoff", "nop", UNDO },
	{ "current_tracer", "preemptirqsoff", "nop", UNDO },
	{ "current_tracer", "wakeup", "nop", UNDO },
	{ "current_tracer", "wakeup_rt", "nop", UNDO },
	{ "current_tracer", "wakeup_dl", "nop", UNDO },
	{ "current_tracer", "blk", "nop", UNDO },
	{ "current_tracer", "branch", "nop", UNDO },
	{ "current_tracer", "hwlat", "nop", UNDO },
	{ "current_tracer", "osnoise", "nop", UNDO },
	{ "current_tracer", "timerlat", "nop", UNDO },
	{ "trace_clock", "mono", "local" },
	{ "buffer_size_kb", "512", "128", UNDO },
	{ "buffer_size_kb", "64", "128", TEXT },
	{ "per_cpu/cpu0/buffer_size_kb", "256", "128", UNDO },
	{ "buffer_subbuf_size_kb", "8", "4" },
	{ "buffer_percent", "10", "0" },
	{ "tracing_cpumask", "1", "3" },
	{ "per_cpu/cpu0/snapshot", "1", "0" },
	{ "snapshot", "1", "0" },
	{ "snapshot", "2", "0" },
	{ "tracing_on", "0", "1", TEXT },
	{ "trace", "\n", "\n" },
	{ "per_cpu/cpu0/trace", "\n", "\n" },
	{ "trace_options", "verbose", "noverbose" },
	{ "options/stacktrace", "1", "0", UNDO },
	{ "options/record-tgid", "1", "0", UNDO },
	{ "options/event-fork", "1", "0", UNDO },
	{ "options/function-fork", "1", "0", UNDO },
	{ "options/func_stack_trace", "1", "0", UNDO },
	{ "set_event", "sched:sched_switch", "" },
	{ "set_event", "sched:*", "" },
	{ "set_event", "!sched:*", "" },
	{ "set_event", "no_such_event", "", NONE, REFUSED },
	{ "set_event", "sched:*:mod:no_such_module", "" },
	{ "events/enable", "1", "0", UNDO },
	{ "events/sched/enable", "1", "0", UNDO },
	{ "events/sched/sched_switch/enable", "1", "0", UNDO },
	{ "events/sched/sched_switch/filter", "prev_pid == 1", "0", UNDO },
	{ "events/sched/sched_switch/filter",
	  "prev_comm ~ \"a*b?\" && next_comm in {\"x\", \"y\"} || !(prev_pid in {1, 5-9})",
	  "0", UNDO },
	{ "events/sched/sched_switch/filter",
	  "CPU & CPUS{0-1} && prev_prio < next_prio && cgroup == \"/\"", "0", UNDO },
	{ "events/timer/timer_start/filter", "function.function == schedule", "0", UNDO },
	{ "events/raw_syscalls/sys_enter/filter", "args[1] == 3 || tgid == 4", "0", UNDO },
	{ "events/sched/filter", "common_pid == 1 && pid > 3", "0", UNDO },
	{ "events/sched/sched_switch/trigger", "traceon", "!traceon" },
	{ "events/sched/sched_switch/trigger", "stacktrace:3 if prev_pid == 1", "!stacktrace" },
	{ "events/sched/sched_switch/trigger", "snapshot:1 if prev_comm == \"x\"", "!snapshot" },
	{ "events/sched/sched_switch/trigger", "enable_event:irq:softirq_entry:2 if CPU == 1",
	  "!enable_event:irq:softirq_entry" },
	{ "events/sched/sched_switch/trigger", "disable_event:sched:sched_switch",
	  "!disable_event:sched:sched_switch" },
	{ "events/ftrace/print/trigger", "traceoff if buf ~ \"x*\"", "!traceoff" },
	{ "set_event_pid", "1 2 3", " " },
	{ "set_event_notrace_pid", "1 2 3", " " },
	{ "set_ftrace_pid", "1 2 3", " " },
	{ "set_ftrace_notrace_pid", "1 2 3", " " },
	{ "set_ftrace_filter", "vfs_*", "" },
	{ "set_ftrace_filter", "schedule:traceon:3", "!schedule:traceon:0" },
	{ "set_ftrace_filter", "schedule:snapshot:3", "!schedule:snapshot:0" },
	{ "set_ftrace_filter", "schedule:enable_event:irq:softirq_entry:3",
	  "!schedule:enable_event:irq:softirq_entry:0" },
	{ "set_ftrace_filter", "schedule:disable_event:irq:softirq_entry",
	  "!schedule:disable_event:irq:softirq_entry" },
	{ "set_ftrace_filter", ":mod:no_such_module", "" },
	{ "set_ftrace_notrace", "vfs_*", "" },
	{ "set_graph_function", "schedule", "" },
	{ "set_graph_notrace", "schedule", "" },
	{ "max_graph_depth", "3", "0" },
	{ "stack_trace_filter", "vfs_*", "" },
	{ "stack_max_size", "100", "0" },
	{ "tracing_thresh", "100", "0" },
	{ "tracing_max_latency", "100", "0" },
	{ "function_profile_enabled", "1", "0" },
	{ "saved_cmdlines_size", "1000", "128" },
	{ "error_log", "\n", "\n" },
	{ "recursed_functions", "\n", "\n" },
	{ "trace_marker", "hello", "hello" },
	{ "trace_marker_raw", "hello", "hello" },
	{ "osnoise/cpus", "0", ALL_CPUS },
	{ "osnoise/options", "NO_OSNOISE_WORKLOAD", "DEFAULTS" },
	{ "osnoise/period_us", "2000000", "1000000" },
	{ "osnoise/runtime_us", "500000", "1000000" },
	{ "osnoise/stop_tracing_us", "1", "0" },
	{ "osnoise/stop_tracing_total_us", "1", "0" },
	{ "osnoise/timerlat_period_us", "2000", "1000" },
	{ "osnoise/timerlat_align_us", "10", "0" },
	{ "osnoise/print_stack", "10", "0" },
	{ "hwlat_detector/width", "100000", "500000" },
	{ "hwlat_detector/window", "2000000", "1000000" },
	{ "hwlat_detector/mode", "none", "round-robin" },
};

/*
 * Files without a row, and those of which only some have one. Of tracers mmiotrace has none: it
 * takes CPUs away, and where memory fails they may not come back, which is no matter of tracing.
 */
static const struct {
	const char *pattern, *why;
} no_rows[] = {
	{ "options/*", "all are the same file; those whose options take memory have rows" },
	{ "*_events", "definitions are those of failhist and failprobes" },
	{ "trace_stat/*", "they cannot be written to, but for a mode that says so" },
	{ "free_buffer", "it is the close that does something, and it has no answer" },
	{ "rv/*", "they are the base's" },
};

/* Whoever adds a file that can be written to adds what is to be written. */
static void rows_are_there(const char *dir)
{
	size_t n = strlen(dir);
	const char *name;
	int i, k;

	for (i = 0; i < nr_files; i++) {
		name = files[i].path;
		/* those of the top have no folder in front of them, the others have @dir */
		if (n ? strncmp(name, dir, n) : !strncmp(name, "instances/", 10))
			continue;
		name += n ? n + 1 : 0;
		for (k = 0; k < COUNT(writes) && strcmp(writes[k].name, name); k++)
			;
		if (!files[i].writes || k < COUNT(writes))
			continue;
		for (k = 0; k < COUNT(no_rows) && fnmatch(no_rows[k].pattern, name, 0); k++)
			;
		if (k == COUNT(no_rows))
			complain("nobody writes to %s while memory fails", files[i].path);
	}
}

/* Those of this kernel, and of an instance those that can run there. */
static bool tracer_is_there(const char *dir, const char *name)
{
	char path[128], *rest = scratch, *word;

	snprintf(path, sizeof(path), "%s/available_tracers", *dir ? dir : ".");
	if (slurp(path, scratch, sizeof(scratch)) <= 0)
		complain("%s cannot be read", path);
	while ((word = strsep(&rest, "\n "))) {
		if (!strcmp(word, name))
			return true;
	}
	return false;
}

static void all_writes(const char *dir)
{
	char what[256], path[128], state[128], mask[16], list[16];
	int i;

	rows_are_there(dir);
	snprintf(mask, sizeof(mask), "%x", (1 << cpus) - 1);
	snprintf(list, sizeof(list), "0-%d", cpus - 1);
	for (i = 0; i < COUNT(writes) && now() < end; i++) {
		struct op op = { what, path, writes[i].text, writes[i].undo, write_it, write_back,
				 writes[i].refusal };

		snprintf(path, sizeof(path), "%s%s%s", dir, *dir ? "/" : "", writes[i].name);
		if (access(path, W_OK) || (!strcmp(writes[i].name, "current_tracer") &&
					   !tracer_is_there(dir, writes[i].text))) {
			printf("   '%s' to %s: not there\n", writes[i].text, path);
			continue;
		}
		snprintf(what, sizeof(what), "'%s' to %s", op.text, path);
		if (!strcmp(writes[i].name, "events/sched/filter")) {
			/* Not some of its events either. */
			snprintf(state, sizeof(state), "%s%sshow_event_filters", dir,
				 *dir ? "/" : "");
			op.state = state;
		}
		if (!strcmp(writes[i].name, "tracing_cpumask"))
			op.undo = mask;
		if (!strcmp(op.undo, ALL_CPUS))
			op.undo = list;
		if (!strcmp(writes[i].name, "per_cpu/cpu0/snapshot"))
			op.back = snapshot_back;
		/* Cannot be told from its content whether a write was taken. */
		if (!strncmp(op.text, "\n", 1) || !strncmp(writes[i].name, "trace_marker", 12))
			op.back = NULL;
		/* All functions are not what is tested. */
		if (strstr(path, "current_tracer"))
			put_in(*dir ? dir : ".", "set_ftrace_filter", "vfs_*");
		walk(&op);
		if (writes[i].sure == UNDO)
			walk_sure(path, op.text, op.undo);
		if (writes[i].sure == TEXT) {
			walk_sure(path, op.undo, op.text);
			put(path, op.undo);
		}
		if (strstr(path, "current_tracer"))
			put_in(*dir ? dir : ".", "set_ftrace_filter", "%s", "");
	}
}

static void all_reads(void)
{
	int i;

	for (i = 0; i < nr_files && now() < end; i++) {
		struct op op = { .path = files[i].path, .run = read_it, .refusal = MAYBE };
		char what[200];

		if (!files[i].reads)
			continue;
		snprintf(what, sizeof(what), "read %.190s", files[i].path);
		op.what = what;
		walk(&op);
	}
}

/* The file of the module that is loaded here; empty if there is none. */
static const char *sample(void)
{
	static char path[256];
	glob_t g;

	if (!*path && !glob(SAMPLE, 0, NULL, &g)) {
		snprintf(path, sizeof(path), "%s", g.gl_pathv[0]);
		globfree(&g);
	}
	return path;
}

static void other(void)
{
	const char *module = sample();
	const struct op ops[] = {
		{ "mkdir", NULL, "instances/failnth", NULL, mkdir_it, mkdir_back },
		{ "poll", "trace_pipe", NULL, NULL, wait_it },
		{ "poll of raw pages", "per_cpu/cpu0/trace_pipe_raw", NULL, NULL, wait_it },
		{ "splice", "per_cpu/cpu0/trace_pipe_raw", NULL, NULL, splice_it },
		{ "mmap", "per_cpu/cpu0/trace_pipe_raw", NULL, NULL, map_it },
		{ "load of a module", NULL, module, "trace_events_sample",
		  insert_it, insert_back },
	};
	const struct op away[][2] = {
		{ { "rmdir", "instances/failnth", "instances/failnth", NULL, rmdir_it, rmdir_back },
		  { "rmdir of nothing", NULL, "instances/nobody", NULL, rmdir_it } },
		{ { "unload of a module", "events/sample-trace", module, "trace_events_sample",
		    remove_it, remove_back },
		  { "unload of nothing", NULL, NULL, "nobody", remove_it } },
	};
	int i;

	for (i = 0; i < COUNT(ops) && now() < end; i++) {
		if (ops[i].text == module && !*module)
			continue;
		put("trace_marker", "hello");
		walk(&ops[i]);
	}
	for (i = 0; i < COUNT(away) && now() < end; i++) {
		if (away[i][0].text != module || *module)
			walk_gone(&away[i][0], &away[i][1]);
	}
	rmdir("instances/failnth");
	syscall(SYS_delete_module, "trace_events_sample", 0);
}

/* --- histograms and synthetic events: all that hangs on events has to be as it was */

#define WAKING	"events/sched/sched_waking/trigger "
#define SWITCH	"events/sched/sched_switch/trigger "
#define FORK	"events/sched/sched_process_fork/trigger "
#define MADE	"events/synthetic/failnth/trigger "
#define ON_WAKING ":onmatch(sched.sched_waking)."

/* "FILE TEXT", appended to the file */
static int append(const char *line)
{
	const char *text = strchr(line, ' ') + 1;
	char path[128];

	snprintf(path, sizeof(path), "%.*s", (int)(text - line - 1), line);
	return put_bytes(path, text, strlen(text), O_APPEND);
}

static int append_it(const struct op *op)
{
	return append(op->text);
}

static void append_back(const struct op *op)
{
	int err = append(op->undo);

	if (err)
		complain("%s: '%s' is refused afterwards: %s", op->what, op->undo,
			 strerror(-err));
}

/* Each of them is set, and undone, while the ones before are there. */
static const char * const hists[][2] = {
	{ "synthetic_events other u64 a; char[] b; unsigned long[] c", "synthetic_events !other" },
	{ "dynamic_events s:synthetic/other u64 a; bool b; gfp_t c", "dynamic_events -:other" },
	{ "synthetic_events failnth u64 us; pid_t pid; char comm[16]", NULL },
	{ "synthetic_events stacks unsigned long[] st; char[] c", NULL },
	{ SWITCH "hist:keys=next_pid", SWITCH "!hist:keys=next_pid" },
	{ SWITCH "hist:keys=next_pid,prev_comm,common_stacktrace:vals=prev_prio.quantiles,"
	  "prev_pid.hex:sort=prev_prio.p99.descending,next_pid:size=256 if next_pid != 0",
	  SWITCH "!hist:keys=next_pid,prev_comm,common_stacktrace:vals=prev_prio.quantiles,"
	  "prev_pid.hex:sort=prev_prio.p99.descending,next_pid:size=256 if next_pid != 0" },
	{ SWITCH "hist:name=failnth:keys=common_pid.execname", NULL },
	{ WAKING "hist:name=failnth:keys=common_pid.execname",
	  WAKING "!hist:name=failnth:keys=common_pid.execname" },
	{ WAKING "hist:keys=pid:ts0=common_timestamp.usecs,w=comm,s=common_stacktrace", NULL },
	{ SWITCH "hist:keys=next_pid:lat=common_timestamp.usecs-$ts0,st=$s,n=next_prio,"
	  "same=$n,m=(next_prio+2)*3",
	  SWITCH "!hist:keys=next_pid:lat=common_timestamp.usecs-$ts0,st=$s,n=next_prio,"
	  "same=$n,m=(next_prio+2)*3" },
	{ SWITCH "hist:keys=next_pid:lat=common_timestamp.usecs-$ts0" ON_WAKING
	  "failnth($lat,next_pid,next_comm)" ON_WAKING "trace(stacks,$s,next_comm)", NULL },
	/* a field of the other event: another hist is made on that, and goes */
	{ SWITCH "hist:keys=next_pid:l=common_timestamp.usecs-$ts0" ON_WAKING
	  "failnth($l,sched.sched_waking.pid,sched.sched_waking.comm)",
	  SWITCH "!hist:keys=next_pid:l=common_timestamp.usecs-$ts0" ON_WAKING
	  "failnth($l,sched.sched_waking.pid,sched.sched_waking.comm)" },
	{ SWITCH "hist:keys=prev_pid:p=prev_prio:onmax($p).save(prev_comm,next_pid)",
	  SWITCH "!hist:keys=prev_pid:p=prev_prio:onmax($p).save(prev_comm,next_pid)" },
	{ SWITCH "hist:keys=prev_pid:q=prev_prio:onchange($q).snapshot()",
	  SWITCH "!hist:keys=prev_pid:q=prev_prio:onchange($q).snapshot()" },
	{ MADE "hist:keys=comm:vals=us.quantiles:sort=us.max",
	  MADE "!hist:keys=comm:vals=us.quantiles:sort=us.max" },
	{ FORK "enable_hist:sched:sched_switch:3 if parent_pid == 1",
	  FORK "!enable_hist:sched:sched_switch" },
	{ SWITCH "hist:keys=common_pid.execname:name=failnth:pause",
	  SWITCH "hist:keys=common_pid.execname:name=failnth:cont" },
	{ SWITCH "hist:keys=common_pid:t=common_timestamp:clock=mono",
	  SWITCH "!hist:keys=common_pid:t=common_timestamp:clock=mono" },
	/* taking away: done or not */
	{ SWITCH "!hist:name=failnth:keys=common_pid.execname",
	  SWITCH "hist:name=failnth:keys=common_pid.execname" },
	{ SWITCH "!hist:keys=next_pid:lat=common_timestamp.usecs-$ts0" ON_WAKING
	  "failnth($lat,next_pid,next_comm)" ON_WAKING "trace(stacks,$s,next_comm)",
	  SWITCH "hist:keys=next_pid:lat=common_timestamp.usecs-$ts0" ON_WAKING
	  "failnth($lat,next_pid,next_comm)" ON_WAKING "trace(stacks,$s,next_comm)" },
};

/* What is refused and quoted in error_log is no change. */
static void all_hists(void)
{
	char what[200];
	int i;

	for (i = 0; i < COUNT(hists) && now() < end; i++) {
		struct op op = { what, "show_event_triggers", hists[i][0], hists[i][1], append_it,
				 append_back };
		int err;

		snprintf(what, sizeof(what), "'%.180s'", hists[i][0]);
		if (!strncmp(hists[i][0], "synth", 5) || !strncmp(hists[i][0], "dyn", 3))
			op.path = "dynamic_events";
		err = append(hists[i][0]);
		if (err) {
			complain("%s is refused: %s", what, strerror(-err));
			continue;
		}
		if (!op.undo)
			continue;
		append_back(&op);
		walk(&op);
	}
	if (now() < end) {
		const struct op reads[] = {
			{ "read of a histogram", "events/sched/sched_switch/hist", NULL, NULL,
			  read_it },
			{ "read of hist_debug", "events/sched/sched_switch/hist_debug", NULL, NULL,
			  read_it, NULL, MAYBE },
			{ "read of triggers", "events/sched/sched_switch/trigger", NULL, NULL,
			  read_it },
			{ "poll of a histogram", "events/sched/sched_switch/hist", NULL, NULL,
			  wait_it },
			{ "read of synthetic events", "synthetic_events", NULL, NULL, read_it },
		};

		for (i = 0; i < COUNT(reads); i++)
			walk(&reads[i]);
	}
	for (i = 0; i < 3; i++) {
		put("events/synthetic/failnth/trigger", "\n");
		put("events/sched/sched_switch/trigger", "\n");
		put("events/sched/sched_waking/trigger", "\n");
		put("events/sched/sched_process_fork/trigger", "\n");
	}
	put("synthetic_events", "\n");
	if (slurp("dynamic_events", after, sizeof(after)) > 0)
		complain("what is left: %.200s", after);
}

/* --- probes */

/*
 * Lines with %s for a place, and two places, of which @second is as dynamic_events shows it.
 * @btf: the kernel has to know its types.
 */
static const struct {
	const char *line, *first, *second;
	bool btf;
} probes[] = {
	{ "p:fn/e %s a=$arg1 b=+0($stack):u8[4] c=\\\"text\" d=@jiffies e=$comm "
	  "f=+8(+0($arg1)):string[2]", "vfs_read", "vfs_write" },
	{ "p:fn/e %s a=$stack0", "vfs_read", "vfs_write" },
	{ "p:fn/e %s a=\\1:u8 b=$stack", "no_such_module:vfs_read", "no_such_module:vfs_write" },
	{ "r:fn/e %s r=$retval a=$arg1 s=+0($arg1):string", "vfs_read", "vfs_write" },
	{ "r9:fn/e %s r=$retval:b4@2/32", "vfs_read", "vfs_write" },
	{ "f:fn/e %s a=$arg1 s=+0($arg1):string", "vfs_read", "vfs_write" },
	{ "f:fn/e %s r=$retval a=$arg1", "vfs_read%return", "vfs_write%return" },
	{ "t:fn/e %s a=$arg1", "sched_waking", "sched_wakeup" },
	{ "e:fn/e sched.%s a=$prio s=$comm:string if pid > 1 && comm ~ \"a*\"", "sched_wakeup" },
	{ "p:fn/e %s a=$stack0 s=+0($stack):string", "/init:64", "/init:0x0000000000000080" },
	{ "r:fn/e %s a=$retval", "/init:64", "/init:0x0000000000000080" },
	{ "p:fn/e %s a=$stack0", "/init:64(256)", "/init:0x0000000000000080(0x100)" },
	{ "p:fn/e %s a=this_cpu_read(process_counts):u64 b=+8(this_cpu_ptr(process_counts)) "
	  "c=this_cpu_read($arg1)", "vfs_read", "vfs_write" },
	{ "p:fn/e %s a=$arg1:%%pd b=$arg1:%%pD", "vfs_read", "vfs_write" },
	{ "f:fn/e %s a=this_cpu_ptr(process_counts) b=$arg1:%%pD", "vfs_read", "vfs_write" },
	{ "p:fn/e %s $arg* n=file->f_path.dentry->d_name.name:string", "vfs_read", "vfs_write",
	  true },
	{ "r:fn/e %s c=count r=$retval", "vfs_read", "vfs_write", true },
	{ "f:fn/e %s n=(file)$arg1->f_path.dentry->d_name.name:string m=file->f_mode", "vfs_read",
	  "vfs_write", true },
	{ "f:fn/e %s $arg* r=$retval", "vfs_read%return", "vfs_write%return", true },
	{ "t:fn/e %s $arg* c=p->comm m=p->mm->mm_users.counter", "sched_waking", "sched_wakeup",
	  true },
};

/* What perf makes a probe of by itself, not by a line. */
static const struct {
	const char *pmu, *place;
	unsigned long long offset, config;
} pmus[] = {
	{ "kprobe", "vfs_read" },
	{ "kprobe", "vfs_read", 0, 1 },
	{ "uprobe", "/init", 64 },
	{ "uprobe", "/init", 64, 1 },
	{ "uprobe", "/init", 64, 256ULL << 32 },	/* a reference counter */
};

static int add_it(const struct op *op)
{
	return put_bytes("dynamic_events", op->text, strlen(op->text), O_APPEND);
}

static void add_back(const struct op *op)
{
	int err = put_bytes("dynamic_events", op->undo, strlen(op->undo), O_APPEND);

	if (err)
		complain("%s: '%s' is refused afterwards: %s", op->what, op->undo,
			 strerror(-err));
}

static struct perf_event_attr perf_attr;

static int perf_it(const struct op *op)
{
	int fd = syscall(SYS_perf_event_open, &perf_attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void walk_perf(const char *what)
{
	struct op op = { what, NULL, NULL, NULL, perf_it };
	char buf[32];

	if (slurp("events/fn/e/id", buf, sizeof(buf)) <= 0) {
		complain("%s: no id", what);
		return;
	}
	memset(&perf_attr, 0, sizeof(perf_attr));
	perf_attr.type = PERF_TYPE_TRACEPOINT;
	perf_attr.size = sizeof(perf_attr);
	perf_attr.sample_period = 1;
	perf_attr.config = strtoull(buf, NULL, 10);
	walk(&op);
}

/* Written, opened by perf, switched on, one place more while it is on, removed. */
static void one_probe(int i)
{
	char line[160], more[160], what[256], gone[64];
	const struct op add = { what, "dynamic_events", line, "-:fn/", add_it, add_back,
				*probes[i].line == 'f' && !probes[i].btf ? MAYBE : TAKEN };
	const struct op join = { what, "dynamic_events", more, gone, add_it, add_back };
	const struct op on = { what, "events/fn/enable", "1", "0", write_it, write_back };
	const struct op off = { what, "events/fn/enable", "0", "1", write_it, write_back };
	const struct op away = { what, "dynamic_events", "-:fn/", line, add_it, add_back };

	snprintf(line, sizeof(line), probes[i].line, probes[i].first);
	snprintf(what, sizeof(what), "'%s'", line);
	walk(&add);
	/* that has been told of */
	if (add_it(&add))
		return;
	snprintf(what, sizeof(what), "'%s', perf", line);
	walk_perf(what);
	snprintf(what, sizeof(what), "'%s' on", line);
	walk(&on);
	put(on.path, "1");
	snprintf(what, sizeof(what), "'%s' off", line);
	walk(&off);
	if (probes[i].second) {
		snprintf(more, sizeof(more), probes[i].line, probes[i].second);
		snprintf(gone, sizeof(gone), "-:fn/e %s", probes[i].second);
		snprintf(what, sizeof(what), "'%s' beside another that is on", more);
		walk(&join);
	}
	put(on.path, "0");
	snprintf(what, sizeof(what), "'%s' removed", line);
	walk(&away);
	add_back(&add);
}

static void one_pmu(int i)
{
	char what[64], path[80], type[16];
	const struct op op = { what, NULL, NULL, NULL, perf_it };

	snprintf(what, sizeof(what), "perf's %s %s, %llx", pmus[i].pmu, pmus[i].place,
		 pmus[i].config);
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmus[i].pmu);
	if (slurp(path, type, sizeof(type)) <= 0) {
		printf("   %s: not there\n", what);
		return;
	}
	memset(&perf_attr, 0, sizeof(perf_attr));
	perf_attr.type = strtoul(type, NULL, 10);
	perf_attr.size = sizeof(perf_attr);
	perf_attr.config = pmus[i].config;
	perf_attr.config1 = (unsigned long)pmus[i].place;
	perf_attr.config2 = pmus[i].offset;
	walk(&op);
}

/* Within some seconds something is recorded of this event. */
static bool is_recorded(const char *event)
{
	int tries;

	for (tries = 0; tries < 50 * slow; tries++) {
		step(self);
		if (slurp("trace", scratch, sizeof(scratch)) > 0 && strstr(scratch, event))
			return true;
		nap(200);
	}
	return false;
}

/* A module comes while probes wait for it. At last, with all the memory, they have to be on. */
static void awaited(void)
{
	static const char * const lines[] = {
		"p:fn/kp trace_events_sample:simple_thread a=$stack0",
		"r:fn/kr trace_events_sample:simple_thread r=$retval",
		"t:fn/tp foo_bar a=$arg1",
	};
	const struct op op = { "load of a module that is waited for", "dynamic_events", sample(),
			       "trace_events_sample", insert_it, insert_back };
	int i;

	if (!*op.text || access(op.path, W_OK))
		return;
	for (i = 0; i < COUNT(lines); i++)
		if (put_bytes(op.path, lines[i], strlen(lines[i]), O_APPEND))
			complain("'%s' is refused", lines[i]);
	if (put("events/fn/enable", "1"))
		complain("what waits for a module cannot be switched on");
	walk(&op);
	put("trace", "\n");
	/* a thread of the module begins, has an event each second, and ends */
	if (insert_it(&op) || !is_recorded(" kp: ") || !is_recorded(" tp: "))
		complain("nothing is recorded of a module that probes waited for");
	insert_back(&op);
	if (!is_recorded(" kr: "))
		complain("no return is recorded of a module that probes waited for");
	put("events/fn/enable", "0");
	put(op.path, "\n");
}

static void all_probes(void)
{
	int i;

	if (access("dynamic_events", W_OK))
		return;
	put("dynamic_events", "");
	for (i = 0; i < COUNT(probes) && now() < end; i++)
		if (!probes[i].btf || has_btf())
			one_probe(i);
	for (i = 0; i < COUNT(pmus) && now() < end; i++)
		one_pmu(i);
}

static void all_else(void)
{
	find_files("");
	find_files(INSTANCE);
	all_writes("");
	all_writes(INSTANCE);
	other();
	if (now() < end)
		awaited();
	all_reads();
}

static unsigned long walk_all(const char *what, void (*all)(void))
{
	/* those that do not count what fails are about who is told to: us, in walk_dry() */
	static const struct { const char *file; int value; } set[] = {
		{ "failslab/ignore-gfp-wait", 0 }, { "failslab/verbose", 0 },
		{ "fail_page_alloc/ignore-gfp-wait", 0 }, { "fail_page_alloc/verbose", 0 },
		{ "fail_page_alloc/ignore-gfp-highmem", 0 }, { "fail_page_alloc/min-order", 0 },
		{ "failslab/task-filter", 1 }, { "failslab/probability", 100 },
		{ "fail_page_alloc/task-filter", 1 }, { "fail_page_alloc/probability", 100 },
	};
	double t0 = now();
	int i;

	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	fail_fd = open("/proc/thread-self/make-it-fail", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0 || fail_fd < 0) {
		complain("this kernel has no fault injection");
		return 0;
	}
	for (i = 0; i < COUNT(set); i++)
		set_fault(set[i].file, set[i].value);
	/* No page of ours may be missing when a fault waits for the kernel's. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	all();
	if (now() >= end)
		complain("%s: not done in time", what);
	if (!total_ops || !total_failed)
		complain("%s: nothing failed", what);
	if (total_refused)
		printf("   %d are refused here\n", total_refused);
	if (!shared->failures)
		good("%s: %d operations, each allocation of %d, %d failed, %d without an error; "
		     "%d times there was no more (%.0f s)", what, total_ops, total_all,
		     total_failed + total_fine, total_fine, total_dry, now() - t0);
	return 0;
}

static unsigned long walk_else(const char *dir, const char *what)
{
	return walk_all(what, all_else);
}

static unsigned long walk_hists(const char *dir, const char *what)
{
	return walk_all(what, all_hists);
}

static unsigned long walk_probes(const char *dir, const char *what)
{
	return walk_all(what, all_probes);
}

static int walked(double seconds, unsigned long (*walk)(const char *dir, const char *what))
{
	end = now() + seconds;
	apart("memory that fails", walk, ".");
	apart("undo", churn_undo, ".");
	apart("memory that fails", nothing_left, ".");
	undisturbed("after the faults");
	return !!shared->failures;
}

int load_failnth(double seconds)
{
	return walked(seconds, walk_else);
}

int load_failhist(double seconds)
{
	return walked(seconds, walk_hists);
}

int load_failprobes(double seconds)
{
	return walked(seconds, walk_probes);
}
