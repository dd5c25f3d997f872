// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts workers, looks that each of them goes on, and stops them. One that has done no step
 * in twenty seconds hangs: all stacks are printed and the run ends there and then, as what it
 * waits for may be what any further call would wait for.
 *
 * Seconds are counted in naps that this process came back from, so those in which the host
 * did not run the guest do not count, and a worker that the scheduler moved meanwhile (its
 * context switches or its CPU time grow) has three times as long.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "load.h"

#define TICK	50	/* ms */
#define PATIENCE (20 * 1000 / TICK)

/* Prints what else there is to know. */
void (*on_hang)(void);

static unsigned long moved[MAX_WORKERS + 1];

static const struct kind apart_kind = { "load" };

static void wake(int sig)
{
}

static void work(struct worker *w)
{
	char name[16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(name, sizeof(name), "%s", w->kind->name);
	prctl(PR_SET_NAME, name);
	self = w;
	while (!w->stop) {
		w->kind->run(w);
		step(w);
	}
	_exit(0);
}

/* Can it do anything in this kernel? */
bool there(const struct kind *kind)
{
	glob_t g;

	if (!kind->needs)
		return true;
	if (glob(kind->needs, 0, NULL, &g))
		return false;
	globfree(&g);
	return true;
}

void start(const struct kind *kind, const char *dir, int cpu)
{
	struct sigaction sa = { .sa_handler = wake };	/* without SA_RESTART */
	struct worker *w = &shared->worker[shared->workers];
	pid_t pid;

	/* It may be stopped before it comes to anything. */
	sigaction(SIGUSR1, &sa, NULL);
	if (shared->workers == MAX_WORKERS) {
		complain("too many workers");
		return;
	}
	memset(w, 0, sizeof(*w));
	w->kind = kind;
	w->dir = dir;
	w->cpu = cpu;
	w->random = seed * 0x9e3779b97f4a7c15ull + shared->workers * 0xbf58476d1ce4e5b9ull + 1;
	shared->flags |= kind->flags;
	shared->workers++;
	pid = fork();
	if (!pid)
		work(w);
	if (pid > 0)
		w->pid = pid;
	else
		complain("no process for %s: %s", kind->name, strerror(errno));
}

/* Context switches and CPU time of a task: a number that stays while it only waits. */
static unsigned long moves(pid_t pid)
{
	char path[64], buf[4096];
	unsigned long n, sum = 0;
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	slurp(path, buf, sizeof(buf));
	for (at = buf; (at = strstr(at, "ctxt_switches:")); ) {
		at += strlen("ctxt_switches:");
		if (sscanf(at, "%lu", &n) == 1)
			sum += n;
	}
	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	if (slurp(path, buf, sizeof(buf)) > 0 && sscanf(buf, "%lu", &n) == 1)
		sum += n / 1000000;
	return sum;
}

/* Who is in tracing, or waits for it. */
static bool about(const char *stack)
{
	return strstr(stack, "trac") || strstr(stack, "ring_buffer") || strstr(stack, "mutex") ||
	       strstr(stack, "rwsem") || strstr(stack, "rcu");
}

/* Who may be what others wait for, or waits for a lock, and does not just sleep. */
static bool busy(const char *pid, const char *stack)
{
	char path[300], status[4096];
	const char *state;

	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	if (slurp(path, status, sizeof(status)) <= 0)
		return false;
	state = strstr(status, "State:\t");
	return (state && strchr("DR", state[strlen("State:\t")])) ||
	       strstr(stack, "mutex") || strstr(stack, "rwsem");
}

static void print_stacks_of(bool the_busy)
{
	struct dirent *e;
	DIR *d = opendir("/proc");

	while (d && (e = readdir(d))) {
		char path[300], comm[64], stack[4096];

		if (!isdigit(e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stack", e->d_name);
		if (slurp(path, stack, sizeof(stack)) <= 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		slurp(path, comm, sizeof(comm));
		if (about(stack) && busy(e->d_name, stack) == the_busy)
			printf("-- %s %s%s", e->d_name, comm, stack);
	}
	if (d)
		closedir(d);
}

/* Of what is printed the first lines are seen at once, and the rest is in a log. */
static void print_stacks(void)
{
	print_stacks_of(true);
	print_stacks_of(false);
	fflush(stdout);
	put("/proc/sys/kernel/sysrq", "1");
	put("/proc/sysrq-trigger", "w");
	put("/proc/sysrq-trigger", "d");
	put("/proc/sysrq-trigger", "l");
}

static void hangs(struct worker *w)
{
	complain("%s (%s, %s) has done nothing for %d s after %lu steps", w->kind->name, w->dir,
		 w->doing, w->idle * TICK / 1000, (unsigned long)w->steps);
	printf("seed %llu\n", (unsigned long long)seed);
	if (on_hang)
		on_hang();
	print_stacks();
	/* Who cannot be killed is left behind. */
	_exit(2);
}

static void look(struct worker *w)
{
	unsigned long steps = w->steps;
	unsigned long *was = &moved[w - shared->worker];
	int limit = PATIENCE * slow;

	if (steps != w->seen) {
		w->seen = steps;
		w->idle = 0;
		return;
	}
	if (!w->idle++ || w->idle % limit == 1)
		*was = moves(w->pid);
	if (w->idle == limit || w->idle == 2 * limit) {
		if (moves(w->pid) <= *was + 1)
			hangs(w);
	} else if (w->idle == 3 * limit) {
		hangs(w);
	}
}

/* For so many seconds; false when something was complained about meanwhile. */
bool watch(double seconds)
{
	int i, before = shared->failures;
	double end = now() + seconds;

	while (now() < end) {
		nap(TICK);
		for (i = 0; i < shared->workers; i++) {
			if (shared->worker[i].pid)
				look(&shared->worker[i]);
		}
	}
	return shared->failures == before;
}

static bool is_one(struct worker *w, const struct kind *from, const struct kind *to)
{
	return w->pid && w->kind >= from && w->kind < to;
}

/* All workers whose kind is in [from, to). */
bool stop_all(const struct kind *from, const struct kind *to)
{
	int i, left, status, rounds = 0, before = shared->failures;

	for (i = 0; i < shared->workers; i++) {
		if (is_one(&shared->worker[i], from, to))
			shared->worker[i].stop = 1;
	}
	do {
		left = 0;
		for (i = 0; i < shared->workers; i++) {
			struct worker *w = &shared->worker[i];

			if (!is_one(w, from, to))
				continue;
			/* Again and again: the first may come just before it goes to sleep. */
			kill(w->pid, SIGUSR1);
			if (waitpid(w->pid, &status, WNOHANG) == w->pid) {
				if (!WIFEXITED(status) || WEXITSTATUS(status))
					complain("%s ended with status %x (%s)", w->kind->name,
						 status, w->doing);
				w->pid = 0;
			} else {
				left++;
				if (!(rounds % 10))
					look(w);
			}
		}
		rounds++;
		if (left)
			nap(TICK / 10);
	} while (left);
	return shared->failures == before;
}

/*
 * Who watches touches nothing of tracing himself, or there would be nobody to tell what hangs:
 * this does it in a process of its own, and waits. Each put() is a step.
 */
unsigned long apart(const char *what, unsigned long (*fn)(const char *dir, const char *what),
		    const char *dir)
{
	struct worker *w = &shared->worker[MAX_WORKERS];
	int status, rounds = 0;
	pid_t pid;

	memset(w, 0, sizeof(*w));
	w->kind = &apart_kind;
	w->dir = dir;
	w->random = seed * 0x9e3779b97f4a7c15ull + 1;
	snprintf(w->doing, sizeof(w->doing), "%.90s", what);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "load-other");
		self = w;
		w->got = fn(dir, what);
		_exit(0);
	}
	if (pid < 0) {
		complain("no process for %s: %s", what, strerror(errno));
		return 0;
	}
	w->pid = pid;
	while (waitpid(pid, &status, WNOHANG) != pid) {
		nap(TICK / 10);
		if (!(rounds++ % 10))
			look(w);
	}
	if (status)
		complain("%s: ended with status %x (%s)", what, status, w->doing);
	return w->got;
}

/* For a new slice. */
void forget(void)
{
	shared->workers = 0;
	shared->flags = 0;
}
