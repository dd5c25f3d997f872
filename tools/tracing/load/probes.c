// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes under load.
 *
 * Ten thousand tasks sleep in a function whose return is probed: all of them are seen to return.
 *
 * One task waits for a page that a uprobe wants to read (userfaultfd), on and on: others that
 * are hit on the same CPU do not wait for it, nor does who takes the probe away.
 *
 * A uprobe makes a counter of the program 1 while it is on; processes map the probed code, call it
 * and unmap it; a file need not be executable. One that perf has of a task and its children is
 * closed while a child lives.
 *
 * Then, on all CPUs, tasks call one function whose calls they count. Probes of every kind are on
 * it, each recorded in an instance of its own, and at the end each has as many records as there
 * were calls, but for those that it tells it missed. Meanwhile others place probes on hot
 * functions, on that one as well, switch them on for instances and for perf and take them away, and
 * a module comes and goes whose functions and tracepoints are probed.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "load.h"

#define SLEEPERS	10000

/* --- events that are counted */

struct counted {
	const char *line;	/* %s: the function, or the program with its offset */
	const char *filter;	/* NULL: none */
	bool user;		/* a probe in this program */
};

static char function[64];	/* the system call getppid() in the kernel */

__attribute__((format(printf, 1, 2)))
static int add_line(const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (self)
		snprintf(self->doing, sizeof(self->doing), "%.90s", text);
	return put_bytes("dynamic_events", text, strlen(text), O_APPEND);
}

/* Of all CPUs, whatever became of them. */
static unsigned long records_of(const char *dir)
{
	static const char * const key[] = { "\nentries:", "\noverrun:", "\ncommit overrun:",
		"\ndropped events:", "\nread events:" };
	unsigned long sum = 0, n;
	char path[128], buf[1024];
	int cpu, i;

	for (cpu = 0; cpu < cpus; cpu++) {
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/stats", dir, cpu);
		buf[0] = '\n';
		if (slurp(path, buf + 1, sizeof(buf) - 1) <= 0)
			complain("%s cannot be read", path);
		for (i = 0; i < COUNT(key); i++) {
			const char *at = strstr(buf, key[i]);

			if (at && sscanf(strchr(at, ':') + 1, "%lu", &n) == 1)
				sum += n;
		}
	}
	return sum;
}

/*
 * What the profiles say of an event: missed calls, 0 if it is in none of them. @hits: how many were
 * not, which only that of kprobes says.
 */
static unsigned long profile_of(const char *event, unsigned long *hits)
{
	static const char * const profiles[] = { "kprobe_profile", "fprobe_profile" };
	static char buf[64 * 1024];
	unsigned long first, second;
	char name[64];
	int i;

	for (i = 0; i < COUNT(profiles); i++) {
		char *rest = buf, *line;

		if (slurp(profiles[i], buf, sizeof(buf)) <= 0)
			continue;
		while ((line = strsep(&rest, "\n"))) {
			int n = sscanf(line, "%63s %lu %lu", name, &first, &second);

			if (n < 2 || strcmp(name, event))
				continue;
			if (n == 2)
				return first;
			if (hits)
				*hits = first;
			return second;
		}
	}
	return 0;
}

static unsigned long missed_of(const char *event)
{
	return profile_of(event, NULL);
}

/* The instance in which the event is recorded, and nothing else. */
static void record_in(const char *event, const char *filter, bool on)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "instances/lp-%s", event);
	if (on) {
		mkdir(dir, 0700);
		put_in(dir, "buffer_size_kb", "16");
		if (filter) {
			char file[64];

			snprintf(file, sizeof(file), "events/lp/%s/filter", event);
			if (put_in(dir, file, "%s", filter))
				complain("no filter '%s' for %s", filter, event);
		}
	}
	if (put_in(dir, "events/lp/enable", "0"))
		complain("events of lp cannot be switched off in %s", dir);
	if (on) {
		char file[64];

		snprintf(file, sizeof(file), "events/lp/%s/enable", event);
		if (put_in(dir, file, "1"))
			complain("%s cannot be switched on", event);
	}
}

static void remove_lines(const char *group)
{
	char path[64];
	int i, err = 0;

	snprintf(path, sizeof(path), "events/%s/enable", group);
	if (access(path, F_OK))
		return;
	put(path, "0");
	/* who places probes may have left some on there */
	put_in(INSTANCE, path, "0");
	for (i = 0; i < 20; i++) {
		err = add_line("-:%s/", group);
		if (err != -EBUSY)
			break;
		nap(50);
	}
	if (err)
		complain("the probes of %s cannot be removed: %s", group, strerror(-err));
}

/* --- ten thousand sleepers */

static int bell[2];

static void *sleeper(void *unused)
{
	char c;

	if (read(bell[0], &c, 1) != 1)
		return "";
	return NULL;
}

static const struct { const char *event, *line; } returns[] = {
	{ "fret", "f:lp/fret vfs_read%return r=$retval" },
	{ "kret", "r:lp/kret vfs_read r=$retval" },
	{ "kept", "r:lp/kept vfs_read n=$arg3 r=$retval" },
};

static unsigned long sleepers(const char *dir, const char *what)
{
	pthread_t *thread = calloc(SLEEPERS, sizeof(*thread));
	static char bytes[4096];
	unsigned long n, seen;
	int started = 0, left, i;
	pthread_attr_t attr;

	put("/proc/sys/kernel/pid_max", "65536");
	put("/proc/sys/kernel/threads-max", "40000");
	for (i = 0; i < COUNT(returns); i++) {
		if (add_line("%s", returns[i].line))
			complain("%s is refused", returns[i].line);
		record_in(returns[i].event, "comm == \"lp-sleeper\"", true);
	}
	if (pipe(bell))
		complain("no pipe");
	prctl(PR_SET_NAME, "lp-sleeper");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	for (; thread && started < SLEEPERS; started++) {
		if (pthread_create(&thread[started], &attr, sleeper, NULL))
			break;
		step(self);
	}
	prctl(PR_SET_NAME, "lp-main");
	if (started < SLEEPERS)
		complain("%d of %d tasks", started, SLEEPERS);
	nap(1000);
	for (left = started; left > 0; left -= n) {
		ssize_t ret = write(bell[1], bytes, left < 4096 ? left : 4096);

		n = ret > 0 ? ret : left;
		step(self);
	}
	for (i = 0; i < started; i++) {
		pthread_join(thread[i], NULL);
		step(self);
	}
	for (i = 0; i < COUNT(returns); i++) {
		char in[64];

		snprintf(in, sizeof(in), "instances/lp-%s", returns[i].event);
		seen = records_of(in);
		if (seen != (unsigned long)started || missed_of(returns[i].event))
			complain("%s: %lu of %d returns, %lu are told as missed", returns[i].event,
				 seen, started, missed_of(returns[i].event));
		record_in(returns[i].event, NULL, false);
		rmdir(in);
	}
	remove_lines("lp");
	return started;
}

/* --- callers */

/* One call of it is one getppid(). */
static __attribute__((noinline)) long probed(long n)
{
	asm volatile("" : "+r" (n));
	return syscall(SYS_getppid) + n;
}

static void call(struct worker *w)
{
	int i;

	if (!w->steps && w->cpu >= 0)
		pin(w->cpu);
	for (i = 0; i < 100; i++) {
		probed(i);
		w->tried++;
	}
}

static const struct kind caller = { "lp-caller", call };

/* Where in its file a function of this program is. */
static unsigned long file_offset(const void *at)
{
	const Elf64_Phdr *ph = (void *)getauxval(AT_PHDR);
	unsigned long addr = (unsigned long)at, n = getauxval(AT_PHNUM);

	for (; n; n--, ph++)
		if (ph->p_type == PT_LOAD && addr >= ph->p_vaddr &&
		    addr < ph->p_vaddr + ph->p_filesz)
			return addr - ph->p_vaddr + ph->p_offset;
	return 0;
}

/* --- a page that does not come */

#if defined(__aarch64__)
#define FIRST_ARG	"%%x0"
#elif defined(__x86_64__)
#define FIRST_ARG	"%%di"
#else
#define FIRST_ARG	"%%a0"
#endif

static __attribute__((noinline)) long reads(const long *at)
{
	asm volatile("" : "+r" (at));
	return !at;
}

static void *reads_once(void *page)
{
	pin(0);
	reads(page);
	return NULL;
}

static atomic_int others;

static void *reads_often(void *unused)
{
	long value = 0;

	pin(0);
	while (atomic_load(&others) < 100) {
		reads(&value);
		atomic_fetch_add(&others, 1);
	}
	return NULL;
}

static atomic_int switched;

static void *takes_away(void *unused)
{
	if (put("events/lp/page/enable", "0") || put("events/lp/page/enable", "1") ||
	    put("events/lp/page/enable", "0") || add_line("-:lp/page"))
		complain("the uprobe cannot be taken away");
	atomic_store(&switched, 1);
	return NULL;
}

/* A page that somebody waits for until it is given to him; the file of userfaultfd, or -1. */
static int page_apart(long **page)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	*page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (unsigned long)*page;
	reg.range.len = 4096;
	if (fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &reg))
		return fd;
	complain("no userfaultfd: %s", strerror(errno));
	return -1;
}

static unsigned long page_does_not_come(const char *dir, const char *what)
{
	struct uffdio_zeropage zero = { .range.len = 4096 };
	struct pollfd p = { .events = POLLIN };
	pthread_t waits, other, switcher;
	long *page;
	int i;

	p.fd = page_apart(&page);
	if (p.fd < 0)
		return 0;
	if (add_line("p:lp/page /proc/self/exe:0x%lx v=+0(" FIRST_ARG "):s64",
		     file_offset(reads)) ||
	    put("events/lp/page/enable", "1"))
		complain("no uprobe that reads a page");
	pthread_create(&waits, NULL, reads_once, page);
	if (poll(&p, 1, 10000 * slow) != 1)
		complain("nobody waits for the page");
	pthread_create(&other, NULL, reads_often, NULL);
	for (i = 0; i < 200 * slow && atomic_load(&others) < 100; i++) {
		step(self);
		nap(50);
	}
	if (atomic_load(&others) < 100)
		complain("while a task waits for a page, others come through a uprobe %d times",
			 atomic_load(&others));
	pthread_create(&switcher, NULL, takes_away, NULL);
	for (i = 0; i < 200 * slow && !atomic_load(&switched); i++) {
		step(self);
		nap(50);
	}
	if (!atomic_load(&switched))
		complain("while a task waits for a page its uprobe cannot be taken away");
	zero.range.start = (unsigned long)page;
	if (ioctl(p.fd, UFFDIO_ZEROPAGE, &zero))
		complain("the page cannot be given: %s", strerror(errno));
	pthread_join(waits, NULL);
	pthread_join(other, NULL);
	pthread_join(switcher, NULL);
	close(p.fd);
	munmap(page, 4096);
	remove_lines("lp");
	return 1;
}

/* --- a counter of the program, mappings that come and go, a file that is not executable */

#define MAPPINGS	50
#define MAPPERS		4

/* in the file, not only in memory */
static unsigned short counter __attribute__((section(".data.counter")));

static unsigned int counter_now(void)
{
	asm volatile("" : "+m" (counter));
	return counter;
}

static __attribute__((noinline)) long counted_here(long n)
{
	asm volatile("" : "+r" (n));
	return n + 1;
}

/* Maps the file and calls what is there; false if it does not come back as it should. */
static bool call_mapped(const char *path, int times)
{
	long page = sysconf(_SC_PAGESIZE);
	unsigned long at = file_offset(counted_here), in_page = at % page;
	int fd = open(path, O_RDONLY | O_CLOEXEC), i;
	bool good = fd >= 0;

	for (i = 0; good && i < times; i++) {
		char *text = mmap(NULL, 2 * page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
				  at - in_page);

		good = text != MAP_FAILED && ((long (*)(long))(text + in_page))(i) == i + 1;
		if (text != MAP_FAILED)
			munmap(text, 2 * page);
		step(self);
	}
	close(fd);
	return good;
}

static void map_in_children(void)
{
	int i, status;

	for (i = 0; i < MAPPERS; i++)
		if (!fork())
			_exit(!call_mapped("/proc/self/exe", MAPPINGS) || counted_here(i) != i + 1);
	for (i = 0; i < MAPPERS; i++)
		if (wait(&status) < 0 || status)
			complain("a process with the probed code mapped ended with status %x",
				 status);
}

static unsigned long counter_is_kept(const char *dir, const char *what)
{
	static char buf[256 * 1024];
	const char *in = "instances/lp-counter", *at;
	unsigned long got = 0, seen, calls = 0;
	unsigned int word;
	char value[32];
	int round;

	/* some bytes of the code that no breakpoint is in */
	memcpy(&word, (const char *)counted_here + 16, sizeof(word));
	snprintf(value, sizeof(value), " v=0x%x\n", word);
	if (add_line("p:lp/counter /proc/self/exe:0x%lx(0x%lx) v=@+0x%lx:x32",
		     file_offset(counted_here), file_offset((const void *)&counter),
		     file_offset(counted_here) + 16)) {
		complain("no uprobe with a counter");
		return 0;
	}
	for (round = 0; round < 2; round++) {
		if (counter_now())
			complain("the counter is %u before its probe is on", counter);
		if (!round) {
			record_in("counter", NULL, true);
			put_in(in, "buffer_size_kb", "64");
		} else {
			put_in(in, "events/lp/counter/enable", "1");
		}
		if (counter_now() != 1)
			complain("the counter is %u while its probe is on", counter);
		map_in_children();
		counted_here(1);
		calls += MAPPERS * (MAPPINGS + 1) + 1;
		put_in(in, "events/lp/counter/enable", "0");
		if (counter_now())
			complain("the counter is %u when its probe is off", counter);
		counted_here(1);
	}
	seen = records_of(in);
	if (seen != calls)
		complain("%lu records of %lu calls of code in mappings that go", seen, calls);
	snprintf(buf, 64, "%s/trace", in);
	if (slurp(buf, buf, sizeof(buf)) <= 0)
		complain("no trace of it");
	for (at = buf; (at = strstr(at, value)); at++)
		got++;
	if (got != seen)
		complain("%lu of %lu records have%.30s", got, seen, value);
	if (rmdir(in))
		complain("%s cannot be removed", in);
	remove_lines("lp");
	return calls;
}

/* A copy of this program that may be read only. */
static bool copy_self(const char *to)
{
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0444);
	static char buf[65536];
	ssize_t n = -1;

	while (out >= 0 && (n = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, n) != n)
			break;
	close(in);
	close(out);
	return !n;
}

static unsigned long not_executable(const char *dir, const char *what)
{
	const char *copy = "/tmp/lp-readonly", *in = "instances/lp-readonly";
	unsigned long seen;

	if (!copy_self(copy) ||
	    add_line("p:lp/readonly %s:0x%lx", copy, file_offset(counted_here))) {
		complain("no uprobe in a file that is not executable");
		return 0;
	}
	record_in("readonly", NULL, true);
	if (!call_mapped(copy, MAPPINGS))
		complain("what is mapped of %s does not run", copy);
	record_in("readonly", NULL, false);
	seen = records_of(in);
	if (seen != MAPPINGS)
		complain("%lu records of %d calls of code in %s", seen, MAPPINGS, copy);
	if (rmdir(in))
		complain("%s cannot be removed", in);
	remove_lines("lp");
	unlink(copy);
	return 1;
}

static bool find_function(void)
{
	static char buf[4 << 20];
	char *rest = buf, *line, *at;

	if (slurp("available_filter_functions", buf, sizeof(buf)) <= 0)
		return false;
	while ((line = strsep(&rest, "\n"))) {
		at = strstr(line, "_sys_getppid");
		if (at && !at[strlen("_sys_getppid")] && strncmp(line, "__ia32", 6)) {
			snprintf(function, sizeof(function), "%.60s", line);
			return true;
		}
	}
	return false;
}

/* --- a uprobe of perf's own, of a task and its children */

#define CHILDS_CALLS	100

/* Where @path says, for this task and those to come. Return: the descriptor; < 0 and errno */
static int open_uprobe(const char *path)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .inherit = 1 };
	char type[32];

	if (slurp("/sys/bus/event_source/devices/uprobe/type", type, sizeof(type)) <= 0)
		return -1;
	attr.type = strtoul(type, NULL, 10);
	attr.uprobe_path = (unsigned long)path;
	attr.probe_offset = file_offset(counted_here);
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* What is there where the probe may be, as the processor has it. */
static unsigned int first_word(void)
{
	const unsigned int *at = (void *)counted_here;

	__asm__ volatile("" : "+r"(at) : : "memory");
	return *at;
}

static unsigned long inherited(const char *dir, const char *what)
{
	char buf[1], *path = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int *words = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned long long count = 0;
	int ready[2], status = 0, fd, i;
	pid_t pid;

	if (path == MAP_FAILED || words == MAP_FAILED || pipe(ready)) {
		complain("no room for a path, or no pipe");
		return 0;
	}
	snprintf(path, 4096, "/proc/self/exe");
	words[0] = first_word();
	fd = open_uprobe(path);
	words[1] = first_word();
	if (fd < 0) {
		complain("no uprobe of perf: %s", strerror(errno));
		return 0;
	}
	/* of the path nothing is left when there is a child */
	munmap(path, 4096);
	pid = fork();
	if (!pid) {
		close(fd);
		words[2] = first_word();
		for (i = 0; i < CHILDS_CALLS; i++)
			counted_here(i);
		words[3] = first_word();
		close(ready[1]);
		pause();
	}
	close(ready[1]);
	if (pid < 0 || read(ready[0], buf, 1) || read(fd, &count, sizeof(count)) < 0)
		complain("no child of who has a uprobe: %s", strerror(errno));
	snprintf(self->doing, sizeof(self->doing), "close it, the child lives");
	close(fd);
	close(ready[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	if (count != CHILDS_CALLS)
		complain("a child's %d calls are counted as %llu (%x, probed %x, there %x, %x; %x)",
			 CHILDS_CALLS, count, words[0], words[1], words[2], words[3], status);
	/* and all that needs what it was closed under */
	if (put("set_event", "sched:sched_switch") || put("set_event", ""))
		complain("events cannot be set afterwards");
	return count;
}

/* Opens the uprobe for itself and closes it, until it is killed. */
static pid_t start_opener(void)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	for (;;) {
		fd = open_uprobe("/proc/self/exe");
		if (fd < 0)
			_exit(2);
		close(fd);
	}
}

#define FORKS	150

static double forks_end;	/* or when there is no more time; now() */

/*
 * While a child's address space is copied somebody else's uprobe at the same place goes: it takes
 * none of the child's breakpoints with it.
 */
static unsigned long forked_beside(const char *dir, const char *what)
{
	pid_t openers[3], pid;
	unsigned long rounds, wrong = 0;
	unsigned long long count;
	int fd, i, status;

	for (i = 0; i < COUNT(openers); i++)
		openers[i] = start_opener();
	for (rounds = 0; rounds < FORKS && now() < forks_end; rounds++) {
		step(self);
		fd = open_uprobe("/proc/self/exe");
		pid = fd < 0 ? -1 : fork();
		if (!pid) {
			for (i = 0; i < CHILDS_CALLS; i++)
				counted_here(i);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status ||
		    read(fd, &count, sizeof(count)) != sizeof(count)) {
			complain("no uprobe of perf, or no child: %s", strerror(errno));
			break;
		}
		wrong += count != CHILDS_CALLS;
		close(fd);
	}
	for (i = 0; i < COUNT(openers); i++) {
		kill(openers[i], SIGKILL);
		if (openers[i] < 0 || waitpid(openers[i], &status, 0) < 0 || WIFEXITED(status))
			complain("who opens the uprobe beside them has ended");
	}
	if (wrong)
		complain("%lu of %lu children were not counted while others closed the uprobe",
			 wrong, rounds);
	return rounds;
}

/*
 * A and its child B follow each other on a CPU, where perf exchanges what it has of them. Then A
 * ends, on another one; B goes on.
 */
static void exchanged(int up, int down)
{
	unsigned long long count = 0;
	pid_t first = getpid();
	cpu_set_t other;
	char buf[1];
	int fd, i;

	pin(0);
	fd = open_uprobe("/proc/self/exe");
	if (fd < 0)
		_exit(2);
	switch (fork()) {
	case -1:
		_exit(2);
	default:
		if (read(up, buf, 1) != 1)
			_exit(2);
		_exit(0);
	case 0:
		break;
	}
	CPU_ZERO(&other);
	CPU_SET(1, &other);
	sched_setaffinity(first, sizeof(other), &other);
	if (write(down, "", 1) != 1)
		_exit(2);
	while (getppid() == first)
		;
	for (i = 0; i < CHILDS_CALLS; i++)
		counted_here(i);
	_exit(read(fd, &count, sizeof(count)) != sizeof(count) || count != CHILDS_CALLS);
}

static unsigned long first_ends(const char *dir, const char *what)
{
	unsigned long rounds, wrong = 0;
	int pipes[2], status, last = 0;
	pid_t pid;

	if (cpus < 2)
		return 0;
	/* of whom the first one leaves behind */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (rounds = 0; rounds < 20; rounds++) {
		step(self);
		if (pipe(pipes))
			break;
		pid = fork();
		if (!pid)
			exchanged(pipes[0], pipes[1]);
		close(pipes[0]);
		close(pipes[1]);
		if (pid < 0)
			break;
		while (waitpid(-1, &status, 0) > 0) {
			wrong += !!status;
			last = status ?: last;
		}
	}
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	if (wrong)
		complain("%lu of %lu times a task was not counted when the first had ended (%x)",
			 wrong, rounds, last);
	return rounds;
}

/* The event, of task @pid or on @cpu, from now on. */
static int open_perf(const char *group, const char *event, pid_t pid, int cpu)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.sample_period = 1, .disabled = 0 };
	char path[96], buf[32];

	snprintf(path, sizeof(path), "events/%s/%s/id", group, event);
	if (slurp(path, buf, sizeof(buf)) <= 0)
		return -1;
	attr.config = strtoull(buf, NULL, 10);
	return syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* What uprobe_profile says of @name. */
static unsigned long hits_of(const char *name)
{
	char text[8192], want[64];
	const char *at;

	if (slurp("uprobe_profile", text, sizeof(text)) <= 0)
		return 0;
	snprintf(want, sizeof(want), " %s ", name);
	at = strstr(text, want);
	return at ? strtoul(at + strlen(want), NULL, 10) : 0;
}

/* A task that makes its calls when it is told to. */
static pid_t start_monitored(int go)
{
	pid_t pid = fork();
	char buf[1];

	if (pid)
		return pid;
	if (read(go, buf, 1) != 1)
		_exit(2);
	for (int i = 0; i < CHILDS_CALLS; i++)
		counted_here(i);
	_exit(0);
}

/* One that has an event of task @of, tells that to go on, and ends with the event open. */
static pid_t start_monitor(pid_t of, int go, int end)
{
	pid_t pid = fork();
	char buf[1];

	if (pid)
		return pid;
	_exit(open_perf("lp", "monitored", of, -1) < 0 || (go >= 0 && write(go, "", 1) != 1) ||
	      read(end, buf, 1) != 1);
}

/* A task of whom somebody has an event has one of another task, and ends: nobody is about that. */
static unsigned long monitor_ends(const char *dir, const char *what)
{
	unsigned long before, after;
	int go[2], end[2], fd, status;
	pid_t other, monitor;

	if (add_line("p:lp/monitored /proc/self/exe:0x%lx", file_offset(counted_here)) ||
	    pipe(go) || pipe(end)) {
		complain("no uprobe event, or no pipe");
		return 0;
	}
	/* while it is there they are seen */
	other = start_monitored(go[0]);
	monitor = start_monitor(other, go[1], end[0]);
	waitpid(other, NULL, 0);
	before = hits_of("monitored");
	if (before != CHILDS_CALLS)
		complain("%lu of a task's %d calls were seen while it was monitored", before,
			 CHILDS_CALLS);
	kill(monitor, SIGKILL);
	waitpid(monitor, NULL, 0);

	other = start_monitored(go[0]);
	monitor = start_monitor(other, -1, end[0]);
	fd = open_perf("lp", "monitored", monitor, -1);
	if (fd < 0 || write(end[1], "", 1) != 1)
		complain("a monitor is not monitored, or does not hear that it is to end");
	if (waitpid(monitor, &status, 0) != monitor || status)
		complain("a monitor has no event of another task");
	before = hits_of("monitored");
	if (write(go[1], "", 1) != 1)
		complain("a task does not hear that it is to go on");
	waitpid(other, NULL, 0);
	after = hits_of("monitored");
	if (after != before)
		complain("%lu times a task came through a uprobe that nobody has for it",
			 after - before);
	close(fd);
	for (int i = 0; i < 2; i++) {
		close(go[i]);
		close(end[i]);
	}
	remove_lines("lp");
	return before;
}

/* --- who places probes */

static const char * const hot[] = { "vfs_read", "vfs_write", "ksys_read", "do_sys_openat2",
	"try_to_wake_up", "schedule", "do_nanosleep", "__fput", "dput", "kfree",
	"security_file_open", "hrtimer_start_range_ns", NULL /* the one that is called */ };

static int place_one(struct worker *w, const char *event)
{
	const char *f = hot[dice(w, COUNT(hot))] ?: function;

	switch (dice(w, has_btf() ? 16 : 12)) {
	case 0:
		return add_line("p:lpx/%s %s a=$stack0", event, f);
	case 1:
		return add_line("p:lpx/%s %s+%u", event, f, 4 * (2 + dice(w, 6)));
	case 2:
		return add_line("r:lpx/%s %s r=$retval", event, f);
	case 3:
		return add_line("r7:lpx/%s %s a=$arg1 c=$comm r=$retval", event, f);
	case 4:
		return add_line("f:lpx/%s %s a=$arg1 s=+0($arg1):string", event, f);
	case 5:
		return add_line("f:lpx/%s %s%%return a=$arg2 r=$retval", event, f);
	case 6:
		return add_line("t:lpx/%s %s a=$arg1", event,
				dice(w, 2) ? "sched_switch" : "sys_exit");
	case 7:
		return add_line("e:lpx/%s sched.sched_switch p=$next_pid if prev_pid > 0", event);
	case 8:
		return add_line("p:lpx/%s /proc/self/exe:0x%lx c=$comm", event,
				file_offset(probed));
	case 9:
		return add_line("p:lpx/%s /proc/self/exe:0x%lx a=$stack0", event,
				file_offset(counted_here));
	case 10:
		return add_line("r:lpx/%s /proc/self/exe:0x%lx r=$retval", event,
				file_offset(counted_here));
	case 11:
		return add_line("r:lpx/%s /proc/self/exe:0x%lx r=$retval", event,
				file_offset(probed));
	/* with the kernel's types; what is no task has memory there or has not */
	case 12:
		return add_line("p:lpx/%s %s $arg*", event, f);
	case 13:
		return add_line("f:lpx/%s %s n=(file)$arg1->f_path.dentry->d_name.name:string",
				event, f);
	case 14:
		return add_line("f:lpx/%s %s%%return $arg* r=$retval", event, f);
	default:
		/* kernel threads have no mm */
		return add_line("t:lpx/%s sched_switch $arg* u=next->mm->mm_users.counter", event);
	}
}

static void place(struct worker *w)
{
	char event[16], file[64], buf[4096];
	int perf = -1, err;

	snprintf(event, sizeof(event), "e%d", dice(w, 8));
	/* a line more of an event that is there is refused, or one place more */
	if (place_one(w, event) && dice(w, 4))
		return;
	snprintf(file, sizeof(file), "events/lpx/%s/enable", event);
	put_in(w->dir, file, "1");
	if (!dice(w, 3))
		perf = open_perf("lpx", event, -1, 0);
	nap(dice(w, 6));
	if (!dice(w, 8))
		slurp("dynamic_events", buf, sizeof(buf));
	if (!dice(w, 4))
		add_line("-:lpx/%s", event);	/* in use */
	if (dice(w, 3))
		put_in(w->dir, file, "0");
	/* Taken away by somebody else it may have become another event of this name. */
	err = dice(w, 2) ? add_line("-:lpx/%s", event) : 0;
	if (err && err != -EBUSY && err != -ENOENT)
		complain("removal of %s: %s", event, strerror(-err));
	if (perf >= 0)
		close(perf);
	if (!dice(w, 6)) {
		put_in(w->dir, "events/lpx/enable", "0");
		add_line("-:lpx/");
	}
}

static const struct kind placer = { "lp-placer", place };

/* On what is known while the module is there only. */
static const char * const loaded[] = { "f:lpm/fp simple_thread a=$arg1",
	"f:lpm/fr simple_thread%return r=$retval", "e:lpm/ep sample-trace.foo_bar" };

/* @w->taken: a bit for each of the lines that was taken */
static void module_load(struct worker *w)
{
	int i;

	module_switch(w, true);
	for (i = 0; i < COUNT(loaded); i++)
		if (!add_line("%s", loaded[i]))
			w->taken |= 1UL << i;
	if (dice(w, 2))
		put_in(w->dir, "events/lpm/enable", "1");
	nap(dice(w, 30));
	/* an event probe keeps the module there; those on functions wait for the next one */
	put_in(w->dir, "events/lpm/ep/enable", "0");
	add_line("-:lpm/ep");
	module_switch(w, false);
}

/* A module comes and goes; its probes are written, switched and removed whenever. */
static void with_module(struct worker *w)
{
	static const char * const lines[] = { "t:lpm/tp foo_bar a=$arg1", "t:lpm/tp2 foo_bar",
		"p:lpm/kp trace_events_sample:simple_thread",
		"r:lpm/kr trace_events_sample:simple_thread" };
	int i;

	for (i = 0; i < COUNT(lines); i++)
		if (dice(w, 2))
			add_line("%s", lines[i]);
	if (dice(w, 2))
		put_in(w->dir, "events/lpm/enable", "1");
	module_load(w);
	if (dice(w, 2)) {
		for (i = 0; i < COUNT(lines); i++)
			if (dice(w, 2))
				add_line("%s", lines[i]);
		put_in(w->dir, "events/lpm/enable", "1");
		module_load(w);
	}
	put_in(w->dir, "events/lpm/enable", dice(w, 2) ? "0" : "1");
	if (dice(w, 2))
		put_in(w->dir, "events/lpm/enable", "0");
	add_line("-:lpm/");
}

static const struct kind module = { "lp-module", with_module, 0, EVENTS_MODULE };

/* Uprobed processes that come, run, map the probed code, unmap it and go. */
static void forks(struct worker *w)
{
	pid_t pid = fork();
	int i, status = 0;

	if (!pid) {
		for (i = 0; i < 20; i++)
			probed(i);
		if (!call_mapped("/proc/self/exe", 5))
			_exit(1);
		if (dice(w, 2))
			execl("/bin/true", "true", NULL);
		_exit(0);
	}
	if (pid < 0)
		return;
	w->tried += 20;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		complain("a process that maps probed code ended with status %x", status);
}

static const struct kind forker = { "lp-forker", forks };

/* --- all of it */

static struct counted counted[] = {
	{ "p:lp/in %s" },
	{ "p:lp/stack %s a=$stack0 c=$comm" },
	{ "p:lp/inside %s+%d" },
	{ "r:lp/kret %s r=$retval" },
	{ "f:lp/fin %s" },
	{ "f:lp/fret %s%%return r=$retval" },
	{ "e:lp/ev syscalls.sys_enter_getppid" },
	{ "t:lp/tp sys_enter id=$arg2", "id == " },
	{ "p:lp/up /proc/self/exe:0x%lx", NULL, true },
	{ "r:lp/ur /proc/self/exe:0x%lx r=$retval", NULL, true },
};

static const char *event_of(const struct counted *c)
{
	static char name[32];

	return sscanf(c->line, "%*[a-z]:lp/%31s", name) == 1 ? name : "";
}

static void counted_on(struct counted *c)
{
	char filter[64];
	int err, at;

	if (c->user) {
		err = add_line(c->line, file_offset(probed));
	} else if (strstr(c->line, "+%d")) {
		/* not where a call site is, nor what cannot be probed */
		for (at = 12, err = -1; err && at < 32; at += 2)
			err = add_line(c->line, function, at);
	} else {
		err = add_line(c->line, function);
	}
	if (err) {
		complain("%s is refused: %s", c->line, strerror(-err));
		return;
	}
	snprintf(filter, sizeof(filter), "%s%d", c->filter ?: "", (int)SYS_getppid);
	record_in(event_of(c), c->filter ? filter : NULL, true);
}

static unsigned long all_on(const char *dir, const char *what)
{
	int i;

	for (i = 0; i < COUNT(counted); i++)
		counted_on(&counted[i]);
	return 0;
}

static unsigned long calls;

static unsigned long all_off(const char *dir, const char *what)
{
	unsigned long got, missed, hits;
	char in[64];
	int i;

	remove_lines("lpx");
	remove_lines("lpm");
	for (i = 0; i < COUNT(counted); i++) {
		const char *event = event_of(&counted[i]);

		snprintf(in, sizeof(in), "instances/lp-%s", event);
		if (access(in, F_OK))
			continue;
		record_in(event, NULL, false);
		got = records_of(in);
		hits = got;
		missed = profile_of(event, &hits);
		if (got + missed != calls || hits != got)
			complain("%s: %lu records, %lu hits and %lu missed of %lu calls", event,
				 got, hits, missed, calls);
		if (rmdir(in))
			complain("%s cannot be removed", in);
	}
	remove_lines("lp");
	return 0;
}

int load_probes(double seconds)
{
	const char *what = "probes under load";
	unsigned long placed = 0, on_loaded = 0, n;
	int before = shared->failures, i;

	if (access("dynamic_events", F_OK) || !find_function()) {
		complain("no dynamic_events, or no getppid()");
		return 1;
	}
	n = apart("sleepers", sleepers, ".");
	if (shared->failures == before)
		good("%lu tasks slept in a probed function, and all are seen to return", n);

	before = shared->failures;
	n = apart("a page that does not come", page_does_not_come, ".");
	if (shared->failures == before && n)
		good("others come through a uprobe while a task waits for a page");

	before = shared->failures;
	n = apart("a counter of the program", counter_is_kept, ".");
	apart("a file that is not executable", not_executable, ".");
	if (shared->failures == before)
		good("a uprobe keeps its counter, and sees %lu calls in mappings that go", n);

	before = shared->failures;
	n = apart("a uprobe that children inherit", inherited, ".");
	forks_end = now() + seconds;
	apart("children beside others' uprobes", forked_beside, ".");
	apart("a uprobe whose first task ends", first_ends, ".");
	apart("a uprobe whose monitor ends", monitor_ends, ".");
	if (shared->failures == before)
		good("a uprobe of perf counts %lu calls of a child, and is closed before it", n);

	before = shared->failures;
	forget();
	apart(what, all_on, ".");
	for (i = 0; i < cpus; i++) {
		start(&caller, ".", i);
		start(&caller, ".", -1);
	}
	start(&forker, ".", -1);
	for (i = 0; i < 3; i++)
		start(&placer, i ? INSTANCE : ".", -1);
	if (there(&module))
		start(&module, INSTANCE, -1);
	else
		not_there("%s of a module that comes and goes", what);
	watch(seconds);
	stop_all(&placer, &placer + 1);
	stop_all(&module, &module + 1);
	stop_all(&forker, &forker + 1);
	stop_all(&caller, &caller + 1);
	for (i = 0; i < shared->workers; i++) {
		calls += shared->worker[i].tried;
		if (shared->worker[i].kind == &placer)
			placed += shared->worker[i].done;
		if (shared->worker[i].kind == &module)
			on_loaded |= shared->worker[i].taken;
	}
	for (i = 0; there(&module) && i < COUNT(loaded); i++)
		if (!(on_loaded & 1UL << i))
			complain("%s was never taken while the module was there", loaded[i]);
	apart(what, all_off, ".");
	apart("undo", churn_undo, ".");
	apart(what, nothing_left, ".");
	if (!calls || !placed)
		complain("%s: %lu calls, %lu times others came or went", what, calls, placed);
	if (shared->failures == before)
		good("%s: %lu calls, each with a record of all; %lu times others came or went",
		     what, calls, placed);
	return !!shared->failures;
}
