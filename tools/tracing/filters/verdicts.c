// SPDX-License-Identifier: GPL-2.0-only
/*
 * What filters let through: verdicts FOLDER INSTANCES
 *
 * The events that FOLDER/events names are recorded by an instance without filters, and at the
 * same time by others, each of which has a filter for each event. So a record of the first is
 * in another one if its filter there says so; who judges that is on the host. A round is: set
 * the filters, do something, hand out the raw pages of all. The first round is without filters;
 * it shows the host what there is to be filtered. Its filters come as FOLDER/filters, with lines
 *
 *	ROUND INSTANCE SYSTEM/EVENT FILTER
 *
 * and FOLDER/round.N goes back: struct piece and its bytes, again and again. What is printed
 * tells of the progress.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACING		"/sys/kernel/tracing"
#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
#define EVENTS		256
#define TIMES		0xffffffff	/* struct piece: the time of the round on a CPU */

/**
 * struct piece - what comes next in a round's file
 * @instance: 0: the one without filters; TIMES
 * @cpu: of the page
 * @len: bytes that follow
 */
struct piece {
	uint32_t instance, cpu, len;
};

static const char *folder;
static char *events[EVENTS];
static int nr_events, instances;

static void die(const char *format, ...)
{
	va_list args;

	printf("@@ dies: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(": %s\n", strerror(errno));
	exit(1);
}

/* 0 or the error. */
static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

static void put_all(const char *file, const char *text)
{
	char path[256];
	int i;

	for (i = 0; i <= instances; i++) {
		snprintf(path, sizeof(path), TRACING "/instances/v%d/%s", i, file);
		errno = put(path, text);
		if (errno)
			die("'%s' to %s", text, path);
	}
}

static void make_instances(void)
{
	char path[128];
	int i;

	for (i = 0; i <= instances; i++) {
		snprintf(path, sizeof(path), TRACING "/instances/v%d", i);
		if (mkdir(path, 0700) && errno != EEXIST)
			die("%s", path);
	}
	put_all("tracing_on", "0");
	put_all("trace_clock", "mono");
	put_all("buffer_size_kb", "1400");
}

static void remove_instances(void)
{
	char path[128];
	int i;

	put_all("events/enable", "0");
	for (i = 0; i <= instances; i++) {
		snprintf(path, sizeof(path), TRACING "/instances/v%d", i);
		rmdir(path);
	}
}

/* Those that this kernel has, with their formats. */
static void find_events(void)
{
	char path[512], line[256], text[8192];
	FILE *list, *formats;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/events", folder);
	list = fopen(path, "r");
	snprintf(path, sizeof(path), "%s/formats", folder);
	formats = fopen(path, "w");
	if (!list || !formats)
		die("%s", folder);
	while (nr_events < EVENTS && fgets(line, sizeof(line), list)) {
		line[strcspn(line, "\n")] = '\0';
		snprintf(path, sizeof(path), TRACING "/events/%s/filter", line);
		if (access(path, W_OK))
			continue;
		snprintf(path, sizeof(path), TRACING "/events/%s/format", line);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		fprintf(formats, "== %s\n", line);
		while ((n = read(fd, text, sizeof(text))) > 0)
			fwrite(text, 1, n, formats);
		close(fd);
		events[nr_events++] = strdup(line);
	}
	fclose(list);
	fclose(formats);
}

static void copy(const char *from, const char *name)
{
	char path[256], text[65536];
	FILE *out;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	fd = open(from, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || !out)
		die("%s to %s", from, path);
	while ((n = read(fd, text, sizeof(text))) > 0)
		fwrite(text, 1, n, out);
	close(fd);
	fclose(out);
}

static int cpus(void)
{
	return sysconf(_SC_NPROCESSORS_CONF);
}

static void go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("CPU %d", cpu);
}

/* On each CPU: what it does is either before or after, as it is here that it is now. */
static void look_at_clocks(uint64_t *at)
{
	struct timespec t;
	int i;

	for (i = 0; i < cpus(); i++) {
		go_to(i);
		clock_gettime(CLOCK_MONOTONIC, &t);
		at[i] = t.tv_sec * 1000000000ull + t.tv_nsec;
	}
}

static void child(int round, int *ends)
{
	static const char *const names[] = { "a", "fifteen-letters", "with-a.dot", "kworker/x" };
	struct timespec t = { .tv_nsec = 200000 };
	static char *const argv[] = { "true", NULL };

	prctl(PR_SET_NAME, names[round % COUNT(names)]);
	setpriority(PRIO_PROCESS, 0, round % 19);
	nanosleep(&t, NULL);
	if (write(ends[1], names, 1 + round % 8) < 0)
		_exit(9);
	if (round & 1)
		execv("/bin/true", argv);
	_exit(round % 5);
}

/* A bit of everything that the events are about. */
static void work(int round)
{
	struct timespec t = { .tv_nsec = 100000 };
	char text[512];
	int ends[2], fd;
	pid_t pid;
	void *p;

	go_to(round % cpus());
	fd = open("/etc/hosts", O_RDONLY);
	if (read(fd, text, 1 << (round % 9)) < 0 || lseek(fd, -1, SEEK_SET) >= 0)
		die("/etc/hosts");
	close(fd);
	fd = open("/no/such/file", O_RDWR | O_CREAT, 0600);
	umask(077);
	umask(022);
	p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(p, round, 65536);
	munmap(p, 65536);
	nanosleep(&t, NULL);
	kill(getpid(), SIGCONT);
	raise(SIGURG);
	if (pipe2(ends, O_CLOEXEC))
		die("pipe");
	pid = fork();
	if (!pid)
		child(round, ends);
	if (read(ends[0], text, sizeof(text)) < 0)
		die("read");
	waitpid(pid, NULL, 0);
	close(ends[0]);
	close(ends[1]);
}

static void hand_out_page(FILE *out, int instance, int cpu, const void *bytes, uint32_t len)
{
	struct piece piece = { instance, cpu, len };

	fwrite(&piece, sizeof(piece), 1, out);
	fwrite(bytes, 1, len, out);
}

static void hand_out(FILE *out, int instance)
{
	char path[256], page[65536];
	int cpu, fd;
	ssize_t n;

	for (cpu = 0; cpu < cpus(); cpu++) {
		snprintf(path, sizeof(path), TRACING "/instances/v%d/per_cpu/cpu%d/trace_pipe_raw",
			 instance, cpu);
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			die("%s", path);
		while ((n = read(fd, page, getpagesize())) > 0)
			hand_out_page(out, instance, cpu, page, n);
		close(fd);
	}
}

static void one_round(int round)
{
	char path[256], done[256];
	uint64_t since[cpus()], until[cpus()], times[2];
	FILE *out;
	int i;

	put_all("trace", "\n");
	put_all("tracing_on", "1");
	look_at_clocks(since);
	for (i = 0; i < 4; i++)
		work(round * 4 + i);
	/* its threads do something once a second */
	if (!access(TRACING "/events/sample-trace", F_OK))
		usleep(1200000);
	look_at_clocks(until);
	put_all("tracing_on", "0");

	snprintf(path, sizeof(path), "%s/round.new", folder);
	out = fopen(path, "w");
	if (!out)
		die("%s", path);
	for (i = 0; i < cpus(); i++) {
		times[0] = since[i];
		times[1] = until[i];
		hand_out_page(out, TIMES, i, times, sizeof(times));
	}
	for (i = 0; i <= (round ? instances : 0); i++)
		hand_out(out, i);
	if (fclose(out))
		die("%s", path);
	snprintf(done, sizeof(done), "%s/round.%d", folder, round);
	rename(path, done);
	printf("@@ round %d\n", round);
	fflush(stdout);
}

static void enable_events(int instance)
{
	char path[256];
	int i;

	for (i = 0; i < nr_events; i++) {
		snprintf(path, sizeof(path), TRACING "/instances/v%d/events/%s/enable", instance,
			 events[i]);
		errno = put(path, "1");
		if (errno)
			die("%s", path);
	}
}

/* Two minutes: the host has many filters to think of. */
static FILE *open_filters(void)
{
	char path[256];
	FILE *f;
	int i;

	snprintf(path, sizeof(path), "%s/filters", folder);
	for (i = 0; i < 1200; i++) {
		f = fopen(path, "r");
		if (f)
			return f;
		usleep(100000);
	}
	die("%s", path);
	return NULL;
}

static void all_rounds(void)
{
	char line[8192], path[512], event[128];
	int round, last = 0, instance, at;
	FILE *f = open_filters();

	for (round = 1; round <= instances; round++)
		enable_events(round);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%d %d %127s %n", &round, &instance, event, &at) < 3)
			die("filter '%s'", line);
		if (last && round != last)
			one_round(last);
		last = round;
		snprintf(path, sizeof(path), TRACING "/instances/v%d/events/%s/filter", instance,
			 event);
		errno = put(path, line + at);
		if (errno)
			printf("@@ refused %s: %s\n", line, strerror(errno));
	}
	if (last)
		one_round(last);
	fclose(f);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	folder = argv[1];
	instances = atoi(argv[2]);
	prctl(PR_SET_NAME, "verdicts");
	signal(SIGURG, SIG_IGN);
	printf("@@ pid %d\n", getpid());
	find_events();
	copy("/proc/kallsyms", "kallsyms");
	make_instances();
	enable_events(0);
	one_round(0);
	all_rounds();
	remove_instances();
	printf("@@ done\n");
	return 0;
}
