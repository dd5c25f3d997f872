// SPDX-License-Identifier: GPL-2.0-only
/* Small things that all parts need: output, time, random numbers, files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "load.h"

struct worker *self;

/* One write a line: lines of several processes do not mix. */
static void say(const char *head, const char *fmt, va_list args)
{
	char line[1024];
	int n = snprintf(line, sizeof(line), "%s", head);

	n += vsnprintf(line + n, sizeof(line) - n - 1, fmt, args);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	if (write(STDOUT_FILENO, line, n) != n)
		_exit(3);
}

void good(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("@@ ok ", fmt, args);
	va_end(args);
}

/* Something is wrong. After twenty of them it is known. */
void complain(const char *fmt, ...)
{
	va_list args;

	if (atomic_fetch_add(&shared->failures, 1) >= 20)
		return;
	va_start(args, fmt);
	say("@@ FAIL ", fmt, args);
	va_end(args);
}

/* The kernel has nothing of it. */
void not_there(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("@@ skip ", fmt, args);
	va_end(args);
}

unsigned int dice(struct worker *w, unsigned int sides)
{
	/* xorshift64*, never 0 */
	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return (w->random * 0x2545f4914f6cdd1dull >> 32) % sides;
}

void nap(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

void step(struct worker *w)
{
	atomic_fetch_add(&w->steps, 1);
}

/* One open, one write, one close: 0 or the first errno, negative. */
int put_bytes(const char *path, const void *bytes, size_t n, int flags)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, bytes, n) < 0)
		err = -errno;
	/* what takes effect at the end says only then that it cannot */
	if (close(fd) && !err)
		err = -errno;
	if (self) {
		self->done += !err;
		step(self);
	}
	return err;
}

int put(const char *path, const char *text)
{
	/* As a shell does it. */
	return put_bytes(path, text, strlen(text), O_TRUNC);
}

int put_in(const char *dir, const char *file, const char *fmt, ...)
{
	char path[256], text[256];
	va_list args;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (self)
		snprintf(self->doing, sizeof(self->doing), "write %.60s", path);
	return put(path, text);
}

int open_in(const char *dir, const char *file, int flags)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return open(path, flags | O_CLOEXEC);
}

/* A file's text, with a 0 at its end; the errno, negative, if it cannot be read. */
ssize_t slurp(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n, all = 0;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, buf + all, size - 1 - all)) > 0) {
		all += n;
		if (self)
			step(self);
	}
	if (n < 0 && errno != EAGAIN)
		all = -errno;
	close(fd);
	buf[all > 0 ? all : 0] = 0;
	return all;
}

/* To a CPU, or to any with -1; a CPU that is away leaves it where it is. */
void pin(int cpu)
{
	cpu_set_t set;
	int i;

	CPU_ZERO(&set);
	for (i = 0; i < cpus; i++) {
		if (cpu < 0 || i == cpu)
			CPU_SET(i, &set);
	}
	sched_setaffinity(0, sizeof(set), &set);
}

/* Whether the kernel has its types, so that probes may name parameters and members. */
bool has_btf(void)
{
	return !access("/sys/kernel/btf/vmlinux", F_OK);
}
