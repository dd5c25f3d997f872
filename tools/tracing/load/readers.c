// SPDX-License-Identifier: GPL-2.0-only
/* Every way to read what is recorded; each opens its file anew every few dozen reads. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/trace_mmap.h>
#include "load.h"

#define READS	40	/* until it is opened again */
/* At least what a read of trace_pipe can give, so that none is left in the file at its close. */
#define ROOM	(256 * 1024)

static char room[ROOM];

/*
 * The file of a CPU, or of all: if @w was not told which, that is thrown (trace_pipe takes one
 * reader at a time).
 */
static int open_some(struct worker *w, const char *file, int flags, bool all)
{
	char path[64];
	int cpu = w->cpu < 0 ? (int)dice(w, cpus + all) : w->cpu, fd;

	if (cpu == cpus)
		snprintf(path, sizeof(path), "%s", file);
	else
		snprintf(path, sizeof(path), "per_cpu/cpu%d/%s", cpu, file);
	snprintf(w->doing, sizeof(w->doing), "open %s", path);
	fd = open_in(w->dir, path, O_RDONLY | flags);
	if (fd < 0)
		nap(2);
	else
		snprintf(w->doing, sizeof(w->doing), "read %s", path);
	return fd;
}

/* Times this process went to sleep by itself. */
static long sleeps(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_nvcsw;
}

/* It had slept so often before a call that had something. */
static void woken(struct worker *w, long slept)
{
	/* Who is told to stop wakes by that. */
	if (sleeps() > slept && !w->stop)
		w->woken++;
}

static bool take_text(struct worker *w, struct text *t, int fd)
{
	ssize_t n = read(fd, room, ROOM);

	if (n > 0) {
		unsigned long before = t->marks;

		w->reads++;
		text_feed(t, room, n, w->kind->name);
		w->got += t->marks - before;
	}
	step(w);
	return n > 0;
}

static void read_text(struct worker *w, int flags)
{
	struct text t = { .len = 0 };
	int fd = open_some(w, "trace_pipe", flags, true), i;

	for (i = 0; fd >= 0 && i < READS && !w->stop; i++) {
		long slept = sleeps();

		if (!take_text(w, &t, fd))
			nap(1);
		else
			woken(w, slept);
	}
	if (fd >= 0)
		close(fd);
}

static void read_wait(struct worker *w)
{
	read_text(w, 0);
}

static void read_nowait(struct worker *w)
{
	read_text(w, O_NONBLOCK);
}

/* Until nothing more is there, as who is woken by an edge has to. */
static void take_all(struct worker *w, struct text *t, int fd)
{
	int i;

	for (i = 0; i < READS && take_text(w, t, fd); i++)
		;
}

static void read_poll(struct worker *w)
{
	struct text t = { .len = 0 };
	struct pollfd p = { .events = POLLIN };
	int i;

	p.fd = open_some(w, "trace_pipe", O_NONBLOCK, true);
	for (i = 0; p.fd >= 0 && i < READS && !w->stop; i++) {
		long slept = sleeps();

		if (poll(&p, 1, -1) == 1) {
			woken(w, slept);
			take_all(w, &t, p.fd);
		}
		step(w);
	}
	if (p.fd >= 0)
		close(p.fd);
}

static void read_select(struct worker *w)
{
	struct text t = { .len = 0 };
	int fd = open_some(w, "trace_pipe", O_NONBLOCK, true), i;

	for (i = 0; fd >= 0 && i < READS && !w->stop; i++) {
		long slept = sleeps();
		fd_set set;

		FD_ZERO(&set);
		FD_SET(fd, &set);
		if (select(fd + 1, &set, NULL, NULL, NULL) == 1) {
			woken(w, slept);
			take_all(w, &t, fd);
		}
		step(w);
	}
	if (fd >= 0)
		close(fd);
}

static void read_epoll(struct worker *w)
{
	struct text t = { .len = 0 };
	struct epoll_event e = { .events = EPOLLIN };
	int fd = open_some(w, "trace_pipe", O_NONBLOCK, true), ep, i;

	if (fd < 0)
		return;
	ep = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
	for (i = 0; i < READS && !w->stop; i++) {
		long slept = sleeps();

		if (epoll_wait(ep, &e, 1, -1) == 1) {
			woken(w, slept);
			take_all(w, &t, fd);
		}
		step(w);
	}
	close(ep);
	close(fd);
}

/* What does not consume: trace of all and of one CPU, read in pieces of any size. */
static void read_iterator(struct worker *w)
{
	struct text t = { .len = 0 };
	int fd = open_some(w, "trace", 0, true), i;
	size_t piece = dice(w, 2) ? ROOM : 1 + dice(w, 8192);
	ssize_t n;

	for (i = 0; fd >= 0 && i < 4 * READS && !w->stop; i++) {
		n = read(fd, room, piece);
		if (n <= 0)
			break;
		text_feed(&t, room, n, w->kind->name);
		step(w);
	}
	if (fd >= 0)
		close(fd);
}

static void take_pages(struct worker *w, struct pages *p, const char *buf, size_t n)
{
	size_t size = shared->subbuf, at;
	unsigned long before = p->marks;

	w->reads++;
	/* Where they end is known only while their size does not change. */
	if (shared->flags & ORDERS)
		return;
	if (n % size) {
		complain("%s: %zu bytes, no multiple of %zu", w->kind->name, n, size);
		return;
	}
	for (at = 0; at < n; at += size)
		page_feed(p, (const unsigned char *)buf + at, size, w->kind->name);
	w->got += p->marks - before;
}

static void read_raw(struct worker *w, int flags)
{
	struct pages p = { .time = 0 };
	int fd = open_some(w, "trace_pipe_raw", flags, false), i;
	ssize_t n;

	for (i = 0; fd >= 0 && i < READS && !w->stop; i++) {
		n = read(fd, room, ROOM);
		if (n > 0)
			take_pages(w, &p, room, n);
		else
			nap(1);
		step(w);
	}
	if (fd >= 0)
		close(fd);
}

static void raw_wait(struct worker *w)
{
	read_raw(w, 0);
}

static void raw_nowait(struct worker *w)
{
	read_raw(w, O_NONBLOCK);
}

/* A file as open_some() opens it, and a pipe with room for what comes. Return: as that */
static int open_piped(struct worker *w, const char *file, int flags, bool all, int end[2])
{
	int fd = open_some(w, file, flags, all);

	if (fd >= 0 && pipe(end)) {
		close(fd);
		return -1;
	}
	if (fd >= 0)
		fcntl(end[1], F_SETPIPE_SZ, ROOM);
	return fd;
}

static void close_piped(int fd, const int end[2])
{
	close(fd);
	close(end[0]);
	close(end[1]);
}

/* What a file has, into the pipe. Return: bytes, or <= 0 after a nap */
static ssize_t fill_pipe(struct worker *w, int fd, int end, unsigned int flags)
{
	ssize_t n = splice(fd, NULL, end, NULL, ROOM, flags);

	step(w);
	if (n <= 0)
		nap(1);
	return n;
}

/* The @n bytes in a pipe, into the room or to a file. Return: how many came */
static ssize_t empty_pipe(struct worker *w, int end, ssize_t n, int file)
{
	ssize_t all, m;

	for (all = 0; all < n; all += m) {
		m = file < 0 ? read(end, room + all, n - all) :
			splice(end, NULL, file, NULL, n - all, 0);
		if (m <= 0) {
			if (m < 0 && errno == EINTR) {
				m = 0;
				continue;
			}
			complain("%s: %zd of %zd bytes came: %s", w->kind->name, all, n,
				 m ? strerror(errno) : "end");
			break;
		}
	}
	return all;
}

/* Pages by splice into a pipe, and from there to memory or to a file. */
static void spliced(struct worker *w, unsigned int flags, int file)
{
	struct pages p = { .time = 0 };
	int end[2], fd = open_piped(w, "trace_pipe_raw", flags ? O_NONBLOCK : 0, false, end), i;
	ssize_t n, all;

	if (fd < 0)
		return;
	for (i = 0; i < READS && !w->stop; i++) {
		n = fill_pipe(w, fd, end[1], flags);
		if (n <= 0)
			continue;
		all = empty_pipe(w, end[0], n, file);
		if (file >= 0) {
			if (pread(file, room, all, 0) != all)
				complain("%s: the file is shorter", w->kind->name);
			lseek(file, 0, SEEK_SET);
		}
		take_pages(w, &p, room, all);
	}
	close_piped(fd, end);
}

static void splice_wait(struct worker *w)
{
	spliced(w, 0, -1);
}

static void splice_nowait(struct worker *w)
{
	spliced(w, SPLICE_F_NONBLOCK, -1);
}

static void splice_file(struct worker *w)
{
	char path[] = "/tmp/load.XXXXXX";
	int file = mkstemp(path);

	unlink(path);
	spliced(w, 0, file);
	close(file);
}

/* Text by splice, which waits with the pipe locked. */
static void splice_text(struct worker *w)
{
	struct text t = { .len = 0 };
	int end[2], fd = open_piped(w, "trace_pipe", 0, true, end), i;
	unsigned long before;
	ssize_t n;
	long slept;

	if (fd < 0)
		return;
	for (i = 0; i < READS && !w->stop; i++) {
		slept = sleeps();
		n = fill_pipe(w, fd, end[1], 0);
		if (n <= 0)
			continue;
		woken(w, slept);
		before = t.marks;
		w->reads++;
		text_feed(&t, room, empty_pipe(w, end[0], n, -1), w->kind->name);
		w->got += t.marks - before;
	}
	close_piped(fd, end);
}

/* What a mapped sub-buffer has from @at to @end, as a sub-buffer of its own. */
static void feed_mapped(struct worker *w, struct pages *p, const char *sub, size_t at, size_t end)
{
	uint64_t head[2];

	if (at == end)
		return;
	memcpy(head, sub, sizeof(head));
	if (at)
		head[0] = p->time;
	head[1] = end - at;
	memcpy(room, head, sizeof(head));
	memcpy(room + sizeof(head), sub + sizeof(head) + at, end - at);
	page_feed(p, (const unsigned char *)room, sizeof(head) + end - at, w->kind->name);
}

/*
 * Who reads beside us, or empties the buffer, has a sub-buffer written over while we look, and
 * that cannot be told. All kinds are there together only with those who empty it.
 */
static bool may_look(void)
{
	return !(shared->flags & (RESETS | ORDERS | KILLS));
}

/* What is new in there, as far as it counts as read. */
static void take_mapped(struct worker *w, struct pages *p, const char *sub, size_t at, size_t end)
{
	unsigned long before = p->marks;

	if (!may_look())
		return;
	feed_mapped(w, p, sub, at, end);
	w->got += p->marks - before;
}

static void *map(int fd, size_t size, off_t at)
{
	void *mem = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, at);

	return mem == MAP_FAILED ? NULL : mem;
}

/*
 * In memory. Not for long: the buffer does not change its size meanwhile, nor is there a snapshot
 * of it; and it may be refused for such a reason.
 */
static void read_mapped(struct worker *w)
{
	int fd = open_some(w, "trace_pipe_raw", O_NONBLOCK, false), i;
	struct trace_buffer_meta *meta;
	struct pages p = { .time = 0 };
	size_t all = 0, at = 0;
	unsigned long marks;
	uint32_t id = 0;
	uint64_t read;
	char *subs;

	if (fd < 0)
		return;
	meta = map(fd, getpagesize(), 0);
	if (meta)
		all = (size_t)meta->nr_subbufs * meta->subbuf_size;
	subs = meta ? map(fd, all, meta->meta_page_size) : NULL;
	/* one that is mapped can be mapped again */
	if (meta && !subs)
		complain("%s: %zu bytes: %s", w->kind->name, all, strerror(errno));
	if (subs) {
		id = meta->reader.id;
		at = meta->reader.read;
		/* others have had this, and know what time it is behind it */
		if (may_look())
			feed_mapped(w, &p, subs + (size_t)id * meta->subbuf_size, 0, at);
	}
	marks = p.marks;
	for (i = 0; subs && i < READS / 4 && !w->stop; i++) {
		read = meta->read;
		if (ioctl(fd, TRACE_MMAP_IOCTL_GET_READER))
			complain("%s: %s", w->kind->name, strerror(errno));
		if (meta->reader.id >= meta->nr_subbufs) {
			complain("%s: sub-buffer %u", w->kind->name, meta->reader.id);
			break;
		}
		w->reads += meta->read != read;
		/* who does nothing but ask would keep a CPU for himself */
		if (meta->read == read || !may_look())
			nap(1);
		if (meta->reader.id != id)
			at = 0;
		id = meta->reader.id;
		take_mapped(w, &p, subs + (size_t)id * meta->subbuf_size, at, meta->reader.read);
		if (may_look() && !(shared->flags & EXTRA) && p.marks - marks != meta->read - read)
			complain("%s: %lu markers from %zu to %u, it says %llu", w->kind->name,
				 p.marks - marks, at, meta->reader.read,
				 (unsigned long long)(meta->read - read));
		marks = p.marks;
		at = meta->reader.read;
		step(w);
	}
	if (subs)
		munmap(subs, all);
	if (meta)
		munmap(meta, getpagesize());
	close(fd);
	nap(5);
}

/* Any of the above, killed at any time. */
static void read_killed(struct worker *w)
{
	const struct kind *k;
	int kind = dice(w, 13), ms = 1 + dice(w, 30);
	pid_t pid = fork();

	if (!pid) {
		static struct worker own;

		/* Its steps and what it got do not count. */
		own = *w;
		for (k = readers; kind--; k++)
			;
		own.kind = k;
		for (;;)
			k->run(&own);
	}
	if (pid < 0)
		return;
	snprintf(w->doing, sizeof(w->doing), "%s killed", readers[kind].name);
	nap(ms);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Files that show state, all of them. */
static void read_state(struct worker *w)
{
	static const char * const skip[] = { "trace_pipe", "trace_pipe_raw", "free_buffer" };
	struct dirent *e;
	char path[64];
	DIR *d;
	size_t i;
	int fd;

	snprintf(path, sizeof(path), "per_cpu/cpu%d", (int)dice(w, cpus));
	fd = open_in(w->dir, dice(w, 3) ? "." : dice(w, 2) ? path : "options",
		     O_RDONLY | O_DIRECTORY);
	d = fd < 0 ? NULL : fdopendir(fd);
	while (d && (e = readdir(d)) && !w->stop) {
		int f;

		for (i = 0; i < sizeof(skip) / sizeof(*skip) && strcmp(e->d_name, skip[i]); i++)
			;
		if (e->d_type == DT_DIR || i < sizeof(skip) / sizeof(*skip))
			continue;
		snprintf(w->doing, sizeof(w->doing), "read %.60s", e->d_name);
		f = openat(fd, e->d_name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		for (i = 0; f >= 0 && i < 8 && read(f, room, 16384) > 0; i++)
			;
		if (f >= 0)
			close(f);
		step(w);
	}
	if (d)
		closedir(d);
}

const struct kind readers[] = {
	{ "read", read_wait, TAKES | WAITS },
	{ "read-nowait", read_nowait, TAKES },
	{ "poll", read_poll, TAKES | WAITS },
	{ "select", read_select, TAKES | WAITS },
	{ "epoll", read_epoll, TAKES | WAITS },
	{ "iterator", read_iterator },
	{ "raw", raw_wait, TAKES },
	{ "raw-nowait", raw_nowait, TAKES },
	{ "splice", splice_wait, TAKES },
	{ "splice-nowait", splice_nowait, TAKES },
	{ "splice-file", splice_file, TAKES },
	{ "splice-text", splice_text, TAKES | WAITS },
	{ "mapped", read_mapped, TAKES | ALONE },
	{ "killed", read_killed, KILLS },
	{ "state", read_state },
	{ NULL }
};
