// SPDX-License-Identifier: GPL-2.0-only
/*
 * A clock that began long ago. The clock of the scheduler begins with the boot wherever the
 * machine's counter stands, so it is `tai` that is aged: the date is set. Recorded are hours,
 * months, the end of the 59 bits that a time stamp has (18 years) and now, and a date that
 * jumps both ways between two records. The local clock has a test of its own, aged-local-clock.tc.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "load.h"

/* 2^59 ns, in s */
#define STAMP_END 576460752

static int set_date(time_t s)
{
	struct timespec t = { s, 0 };

	return clock_settime(CLOCK_REALTIME, &t);
}

static double tai(void)
{
	struct timespec t;

	clock_gettime(CLOCK_TAI, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Every line's time is in [from, to], in order for each CPU; returns their number. */
static int times(const char *what, double from, double to)
{
	static char buf[512 * 1024];
	double last[MAX_CPUS] = { 0 }, t;
	char *rest = buf, *line, *at;
	int n = 0, cpu;

	slurp(INSTANCE "/trace", buf, sizeof(buf));
	while ((line = strsep(&rest, "\n"))) {
		at = strstr(line, "tracing_mark_write: load: ");
		if (!at)
			continue;
		*at = 0;
		at = strchr(line, '[');
		if (!at || sscanf(at, "[%d] %*s %lf:", &cpu, &t) != 2 || cpu >= cpus) {
			complain("%s: no time in '%s'", what, line);
			break;
		}
		if (t < from - 0.00001 || t > to + 0.00001 || t < last[cpu])
			complain("%s: time %.6f on CPU %d after %.6f, not in %.6f to %.6f", what, t,
				 cpu, last[cpu], from, to);
		last[cpu] = t;
		n++;
	}
	return n;
}

static void record(double seconds)
{
	int cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		start(&writer, INSTANCE, cpu);
	watch(seconds);
	stop_all(&writer, &writer + 1);
}

static void at_date(const char *what, time_t date, double seconds)
{
	int before = shared->failures, n;
	double from;
	unsigned long taken;

	if (set_date(date)) {
		complain("%s: the date cannot be set", what);
		return;
	}
	/* now: "trace" shows nothing from before it was emptied, and today may be later */
	forget();
	apart(what, law_begin, INSTANCE);
	from = tai();
	record(seconds);
	n = times(what, from, tai());
	if (!n)
		complain("%s: no line", what);
	/* Of raw pages as well: their times must fit together. */
	taken = apart(what, law_check, INSTANCE);
	if (shared->failures == before)
		good("clock %s: %lu markers, %d of them shown", what, taken, n);
}

/* What is written in a moment that is as long as it has to be. */
static unsigned long written_in(double seconds)
{
	unsigned long n, was = 0;
	int i, round;

	for (i = 0; i < shared->workers; i++)
		was += shared->worker[i].taken;
	for (round = 0, n = was; n == was && round < 30 * slow; round++) {
		watch(seconds);
		for (i = 0, n = 0; i < shared->workers; i++)
			n += shared->worker[i].taken;
	}
	return n - was;
}

static void jump(const char *what, time_t from, time_t to)
{
	int before = shared->failures;
	unsigned long taken;

	if (set_date(from)) {
		complain("%s: the date cannot be set", what);
		return;
	}
	forget();
	if (to < from)
		shared->flags |= PUTS_BACK;
	apart(what, law_begin, INSTANCE);
	start(kind_of(readers, "raw-nowait"), INSTANCE, -1);
	start(kind_of(readers, "iterator"), INSTANCE, -1);
	start(&writer, INSTANCE, 0);
	start(&writer, INSTANCE, cpus - 1);
	if (!written_in(0.3))
		complain("%s: no marker was written before", what);
	if (set_date(to))
		complain("%s: the date cannot be set again", what);
	if (!written_in(0.3))
		complain("%s: no marker was written behind it", what);
	stop_all(&writer, &writer + 1);
	stop_all(readers, readers + 32);
	taken = apart(what, law_check, INSTANCE);
	if (shared->failures == before)
		good("clock that jumps %s: %lu markers", what, taken);
}

int load_aged(void)
{
	time_t today = time(NULL);

	put_in(INSTANCE, "trace_clock", "tai");
	put_in(INSTANCE, "buffer_size_kb", "256");
	at_date("of 10 hours", 36000, 0.3);
	at_date("of 7 months", 7 * 30 * 86400, 0.3);
	at_date("at the end of 59 bits", STAMP_END - 1, 2);
	at_date("of 19 years", 19LL * 365 * 86400, 0.3);
	at_date("at twice 59 bits", 2LL * STAMP_END - 1, 2);
	at_date("of today", 1800000000, 0.3);
	jump("an hour on", 1800000000, 1800003600);
	jump("an hour back", 1800003600, 1800000000);
	jump("18 years on", 40000, STAMP_END + 1);
	jump("18 years back", STAMP_END + 1, 40000);
	set_date(today);
	apart("undo", churn_undo, ".");
	apart("aged", nothing_left, ".");
	return !!shared->failures;
}
