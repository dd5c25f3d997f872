// SPDX-License-Identifier: GPL-2.0-only
/*
 * The writers, and what must hold at rest for what they wrote: of each CPU,
 *
 *	taken = read + still there + overwritten,  refused >= dropped,
 *
 * what is still there can be read to the last record, and what readers got is what the
 * buffer says was read. A disturbance that empties the buffer leaves the last two.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "load.h"

struct stats {
	unsigned long entries, overrun, commit_overrun, dropped, read;
};

/*
 * @markers with numbers from one CPU, and a nap of @ms behind each @of them; a number is used
 * again when it was refused.
 */
static void write_some(struct worker *w, int markers, int of, int ms)
{
	char text[64];
	int fd = open_in(w->dir, "trace_marker", O_WRONLY), i, n;

	pin(w->cpu);
	snprintf(w->doing, sizeof(w->doing), "write %s/trace_marker", w->dir);
	for (i = 0; fd >= 0 && i < markers && !w->stop; i++) {
		n = snprintf(text, sizeof(text), MARK "\n", w->cpu, w->taken + 1);
		w->tried++;
		if (write(fd, text, n) == n)
			w->taken++;
		step(w);
		if (i % of == of - 1)
			nap(ms);
	}
	if (fd >= 0)
		close(fd);
}

static void write_markers(struct worker *w)
{
	/* Now and then more than readers can take, so that some are overwritten. */
	if (!dice(w, 4))
		write_some(w, 2000, 2001, 0);
	else
		write_some(w, 200, 10, 1);
}

/* Readers are through with each before the next one comes, and sleep for more than a nap. */
static void write_drops(struct worker *w)
{
	write_some(w, 10, 1, 100);
}

const struct kind writer = { "writer", write_markers }, dripper = { "dripper", write_drops };

static bool is_writer(const struct worker *w)
{
	return w->kind == &writer || w->kind == &dripper;
}

static struct stats stats_of(const char *dir, int cpu)
{
	char path[128], buf[1024];
	struct stats s = { 0 };
	const char *at;
	static const char * const key[] = { "\nentries:", "\noverrun:", "\ncommit overrun:",
		"\ndropped events:", "\nread events:" };
	unsigned long *to[] = { &s.entries, &s.overrun, &s.commit_overrun, &s.dropped, &s.read };
	int i;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/stats", dir, cpu);
	buf[0] = '\n';
	if (slurp(path, buf + 1, sizeof(buf) - 1) <= 0)
		complain("%s cannot be read", path);
	for (i = 0; i < 5; i++) {
		at = strstr(buf, key[i]);
		if (!at || sscanf(strchr(at, ':') + 1, "%lu", to[i]) != 1)
			complain("%s: no %s", path, key[i] + 1);
	}
	return s;
}

/* Reads what is there as text; the number of records. */
static struct text drain(const char *dir, int cpu)
{
	static char buf[256 * 1024];
	char path[64];
	struct text t = { .len = 0 };
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "per_cpu/cpu%d/trace_pipe", cpu);
	fd = open_in(dir, path, O_RDONLY | O_NONBLOCK);
	if (fd < 0) {
		complain("%s/%s cannot be opened: %s", dir, path, strerror(errno));
		return t;
	}
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		text_feed(&t, buf, n, "law");
		step(self);
	}
	if (n < 0 && errno != EAGAIN)
		complain("%s/%s: %s", dir, path, strerror(errno));
	close(fd);
	return t;
}

/* Nobody writes or reads: empties the buffer and the figures of who will. */
unsigned long law_begin(const char *dir, const char *what)
{
	int i;

	put_in(dir, "trace", "\n");
	for (i = 0; i < shared->workers; i++) {
		struct worker *w = &shared->worker[i];

		w->tried = 0;
		w->taken = 0;
		w->got = 0;
	}
	return 0;
}

/* Nobody writes or reads any more. Returns the number of markers that were taken. */
unsigned long law_check(const char *dir, const char *what)
{
	unsigned int flags = shared->flags;
	unsigned long taken[MAX_CPUS] = { 0 }, tried[MAX_CPUS] = { 0 };
	unsigned long got = 0, all_taken = 0, all_tried = 0, all_kept = 0, all_lost = 0;
	unsigned long all_read = 0, all_over = 0;
	int i;

	for (i = 0; i < shared->workers; i++) {
		struct worker *w = &shared->worker[i];

		if (strcmp(w->dir, dir))
			continue;
		if (is_writer(w)) {
			taken[w->cpu] += w->taken;
			tried[w->cpu] += w->tried;
		}
		got += w->got;
	}
	for (i = 0; i < cpus; i++) {
		struct stats a = stats_of(dir, i), b;
		struct text t = drain(dir, i);
		unsigned long kept = a.entries + a.overrun + a.read;
		unsigned long lost = a.commit_overrun + a.dropped;

		all_taken += taken[i];
		all_tried += tried[i];
		all_kept += kept;
		all_lost += lost;
		all_read += a.read;
		all_over += a.overrun;
		b = stats_of(dir, i);
		if (b.entries)
			complain("%s: CPU %d: %lu entries after all were read", what, i, b.entries);
		if (b.read != a.read + a.entries)
			complain("%s: CPU %d: %lu read and %lu entries, then %lu read",
				 what, i, a.read, a.entries, b.read);
		if (!(flags & EXTRA) && t.lines != a.entries)
			complain("%s: CPU %d: %lu lines came of %lu entries", what, i, t.lines,
				 a.entries);
		if (flags & (RESETS | MOVES))
			continue;
		if (flags & EXTRA ? kept < taken[i] : kept != taken[i])
			complain("%s: CPU %d: %lu taken, but %lu read, %lu there, %lu overwritten",
				 what, i, taken[i], a.read, a.entries, a.overrun);
		if (!(flags & EXTRA) && lost > tried[i] - taken[i])
			complain("%s: CPU %d: %lu dropped, but %lu refused", what, i, lost,
				 tried[i] - taken[i]);
	}
	if (!(flags & (RESETS | EXTRA))) {
		if (all_kept != all_taken)
			complain("%s: %lu taken, but %lu accounted for", what, all_taken,
				 all_kept);
		if (all_lost > all_tried - all_taken)
			complain("%s: %lu dropped, but %lu refused", what, all_lost,
				 all_tried - all_taken);
		if (!(flags & KILLS) && got != all_read)
			complain("%s: readers got %lu, the buffer says %lu, %lu overwritten", what,
				 got, all_read, all_over);
	}
	return all_taken;
}

/* Options as they were when this was first asked. */
static void same_options(const char *dir, char *was, size_t size, const char *what)
{
	char path[64], buf[4096], *rest = buf, *word;

	snprintf(path, sizeof(path), "%s/trace_options", dir);
	if (slurp(path, buf, sizeof(buf)) <= 0)
		return;
	if (!*was)
		snprintf(was, size, "\n%s", buf);
	while ((word = strsep(&rest, "\n"))) {
		char line[64];

		snprintf(line, sizeof(line), "\n%.60s\n", word);
		if (*word && !strstr(was, line))
			complain("%s: %s is left at %s", what, path, word);
	}
}

/* The memory for snapshots is there only while somebody needs it. */
static void no_spare(const char *dir, const char *what)
{
	char path[64], buf[4096];

	snprintf(path, sizeof(path), "%s/snapshot", dir);
	if (slurp(path, buf, sizeof(buf)) > 0 && !strstr(buf, "* Snapshot is freed *"))
		complain("%s: the spare of %s is still there: %.200s", what, dir, buf);
}

/* Nothing of what the load did is still there; set_event has events in soft mode as well. */
unsigned long nothing_left(const char *dir, const char *what)
{
	static const char * const empty[] = { "enabled_functions", "set_event",
		INSTANCE "/set_event", "dynamic_events", "show_event_filters",
		INSTANCE "/show_event_filters", "show_event_triggers",
		INSTANCE "/show_event_triggers" };
	char buf[65536];
	size_t i;

	for (i = 0; i < sizeof(empty) / sizeof(*empty); i++) {
		if (slurp(empty[i], buf, sizeof(buf)) > 0)
			complain("%s: left in %s: %.200s", what, empty[i], buf);
	}
	no_spare(".", what);
	no_spare(INSTANCE, what);
	same_options(".", shared->options[0], sizeof(shared->options[0]), what);
	same_options(INSTANCE, shared->options[1], sizeof(shared->options[1]), what);
	if (!access("instances/load-0", F_OK) || !access("instances/load-1", F_OK) ||
	    !access("instances/load-2", F_OK))
		complain("%s: an instance is left", what);
	if (!access("/sys/module/trace_events_sample", F_OK) ||
	    !access("/sys/module/ftrace_direct", F_OK))
		complain("%s: a module is left", what);
	if (slurp("/sys/devices/system/cpu/offline", buf, sizeof(buf)) > 0 && buf[0] != '\n')
		complain("%s: CPUs are away: %s", what, buf);
	return 0;
}
