// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load on tracing: load [-a SECONDS] [-w SLOW] [-s SEED] COMMAND [SECONDS]
 *
 *	rows	each disturber against all readers at once
 *	pairs	each disturber against each reader
 *	all	all at once, in an instance and in the top one
 *	one, READER and DISTURBER	only these two
 *	fuzz	words and bytes into every file
 *	aged	clocks that began long ago, and that jump
 *	probes	ten thousand tasks in a probed function; probes that come and go, each call is seen
 *	failnth	each allocation of each operation fails (CONFIG_FAULT_INJECTION); where there are
 *		many, all for the SECONDS of -a, then some
 *	failhist the same of histograms and synthetic events
 *	failprobes the same of probes
 *
 * Prints a line that begins with "@@ ok" or "@@ FAIL" for each result, and ends with status 0
 * if none failed.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "load.h"

struct shared *shared;
int cpus, slow = 1;
double in_turn;
const char *only;
uint64_t seed = 1;

static int count(const struct kind *k)
{
	int n = 0;

	while (k[n].name)
		n++;
	return n;
}

const struct kind *kind_of(const struct kind *list, const char *name)
{
	for (; list->name; list++) {
		if (!strcmp(list->name, name))
			return list;
	}
	return NULL;
}

static void start_writers(const char *dir)
{
	int cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		start(&writer, dir, cpu);
}

/* First who disturbs, then who writes, then who reads: the readers see the last record. */
static void stop_in_order(void)
{
	stop_all(churners, churners + count(churners));
	stop_all(&writer, &writer + 1);
	stop_all(readers, readers + count(readers));
	/* Sub-buffers keep their size while a reader is at them. */
	apart("undo", churn_undo, ".");
}

/* Against one disturber all readers live, so that what they got can be compared. */
static bool wanted(const struct kind *k, const struct kind *reader, bool both)
{
	return reader ? k == reader : both || !(k->flags & (KILLS | ALONE));
}

static bool is_churner(const struct kind *k)
{
	return k >= churners && k < churners + count(churners);
}

/* What the disturbers that run have done to the kernel. */
static unsigned long disturbances(void)
{
	unsigned long n = 0;
	int i;

	for (i = 0; i < shared->workers; i++) {
		if (is_churner(shared->worker[i].kind))
			n += shared->worker[i].done;
	}
	return n;
}

/* Of each kind of reader in all slices: one of them may be too short for one kind. */
static unsigned long reads[MAX_WORKERS];

static void count_reads(void)
{
	const struct kind *k;
	int i;

	for (i = 0; i < shared->workers; i++) {
		k = shared->worker[i].kind;
		if (k >= readers && k < readers + count(readers))
			reads[k - readers] += shared->worker[i].reads;
	}
}

/*
 * One slice; 0 readers or disturbers are all of them. One kind of reader alone may wait for more
 * than is written in it, all of them may not.
 *
 * Return: the markers that were read
 */
static unsigned long slice(double seconds, const struct kind *reader, const struct kind *churner,
			   bool quiet)
{
	char what[64];
	unsigned long taken, got = 0, churned;
	int before = shared->failures, i;
	const struct kind *k;
	bool both = !churner;
	double t0 = now();

	snprintf(what, sizeof(what), "%s against %s", churner ? churner->name : "all",
		 reader ? reader->name : "readers");
	forget();
	/* What it will do to the figures is known before the first of them looks. */
	for (k = churners; k->name; k++) {
		if (!churner || k == churner)
			shared->flags |= k->flags;
	}
	for (k = readers; k->name; k++) {
		if (wanted(k, reader, both))
			shared->flags |= k->flags;
	}
	apart(what, law_begin, INSTANCE);
	apart(what, law_begin, ".");
	for (k = readers; k->name; k++) {
		if (!wanted(k, reader, both))
			continue;
		start(k, INSTANCE, -1);
		if (both)
			start(k, ".", -1);
	}
	start_writers(INSTANCE);
	if (both)
		start_writers(".");
	for (k = churners; k->name; k++) {
		if (churner ? k != churner : !there(k))
			continue;
		start(k, INSTANCE, -1);
		/* What stops all writers of a buffer is done to two of them. */
		if (both || k->flags & RESETS)
			start(k, ".", -1);
	}
	watch(seconds);
	/* What it did may all have been refused so far. */
	for (i = 0; !disturbances() && i < 100 * slow; i++)
		watch(0.1);
	stop_in_order();
	taken = apart(what, law_check, INSTANCE);
	if (both)
		apart(what, law_check, ".");
	apart(what, nothing_left, ".");
	for (i = 0; i < shared->workers; i++)
		got += shared->worker[i].got;
	churned = disturbances();
	count_reads();
	if (!taken)
		complain("%s: no marker was written", what);
	if (!churned)
		complain("%s: nothing was disturbed", what);
	if (!reader && !got)
		complain("%s: nothing was read", what);
	if (!quiet && shared->failures == before)
		good("%s: %lu markers, %lu read, %lu times disturbed (%.1f s)", what, taken, got,
		     churned, now() - t0);
	return got;
}

static int verdict(const char *what)
{
	printf("seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	return shared->failures ? 1 : 0;
}

/* Without a disturber the law is exact, and everything that was written is found. */
void undisturbed(const char *what)
{
	int before = shared->failures;
	unsigned long taken;

	forget();
	apart(what, law_begin, INSTANCE);
	start_writers(INSTANCE);
	watch(0.3);
	stop_in_order();
	taken = apart(what, law_check, INSTANCE);
	if (!taken)
		complain("%s: no marker was written", what);
	else if (shared->failures == before)
		good("%s, at rest: %lu markers", what, taken);
}

/*
 * A reader of the file of @cpu (see struct worker) with nothing beside it but writers of the kind
 * @who, until it has read something and was woken @times, or for ten seconds.
 */
static struct worker alone(const struct kind *reader, int cpu, const struct kind *who,
			   unsigned long times)
{
	struct worker *w = &shared->worker[0], was;
	int i;

	forget();
	apart(reader->name, law_begin, INSTANCE);
	start(reader, INSTANCE, cpu);
	/* It may wait for any CPU, if not for all of them. */
	for (i = cpu < 0 ? 0 : cpus - 1; i < cpus; i++)
		start(who, INSTANCE, i);
	for (i = 0; (!w->reads || w->woken < times) && i < 200 * slow; i++)
		watch(0.05);
	was = *w;
	stop_all(who, who + 1);
	stop_in_order();
	apart(reader->name, law_check, INSTANCE);
	return was;
}

/* Who was too late for everything under load, as others were faster, reads alone. */
static void all_have_read(const char *what)
{
	const struct kind *k;

	for (k = readers; k->name; k++) {
		if (!(k->flags & TAKES) || reads[k - readers])
			continue;
		if (!alone(k, -1, &writer, 0).reads)
			complain("%s: %s has read nothing in all of it", what, k->name);
	}
}

/*
 * Who waits for the file of all CPUs sleeps there, and is woken by what is written. Alone: the
 * load hardly lets anybody sleep, and that file has one reader.
 */
static void all_are_woken(void)
{
	int before = shared->failures;
	unsigned long n = 0, woken;
	const struct kind *k;

	for (k = readers; k->name; k++) {
		if (!(k->flags & WAITS))
			continue;
		woken = alone(k, cpus, &dripper, 3).woken;
		n += woken;
		if (woken < 3)
			complain("%s was woken %lu times when it waited for all CPUs", k->name,
				 woken);
	}
	if (shared->failures == before)
		good("each who waits for all CPUs is woken: %lu times", n);
}

/* Seconds for each disturber that can do anything here. */
static double share(double seconds)
{
	const struct kind *k;
	int n = 0;

	for (k = churners; k->name; k++)
		n += there(k);
	return seconds / n;
}

static bool is_there(const struct kind *k)
{
	if (there(k))
		return true;
	not_there("%s against readers", k->name);
	return false;
}

int load_rows(double seconds)
{
	const struct kind *k;

	seconds = share(seconds);
	for (k = churners; k->name; k++) {
		if (is_there(k))
			slice(seconds, NULL, k, false);
	}
	all_have_read("rows");
	all_are_woken();
	undisturbed("after the rows");
	return verdict("rows");
}

int load_pairs(double seconds)
{
	const struct kind *k, *r;

	seconds = share(seconds) / count(readers);
	for (k = churners; k->name; k++) {
		int before = shared->failures;
		unsigned long got = 0;

		if (!is_there(k))
			continue;
		for (r = readers; r->name; r++)
			got += slice(seconds, r, k, true);
		if (!got)
			complain("%s against each reader: nothing was read", k->name);
		if (shared->failures == before)
			good("%s against each reader: %lu read", k->name, got);
	}
	all_have_read("pairs");
	all_are_woken();
	undisturbed("after the pairs");
	return verdict("pairs");
}

int load_everything(double seconds)
{
	const struct kind *k;

	for (k = churners; k->name; k++)
		is_there(k);
	slice(seconds, NULL, NULL, false);
	all_have_read("all");
	all_are_woken();
	undisturbed("after all at once");
	return verdict("all");
}

int load_one(double seconds, const char *reader, const char *churner)
{
	const struct kind *r = kind_of(readers, reader), *k = kind_of(churners, churner);

	if (!r || !k) {
		fprintf(stderr, "load: no reader %s or no disturber %s\n", reader, churner);
		return 2;
	}
	if (is_there(k))
		slice(seconds, r, k, false);
	return verdict("one");
}

static const char usage[] =
	"load rows|pairs|all|one|fuzz|aged|probes|failnth|failhist|failprobes [SECONDS]\n"
	"     -s seed  -w waits as long as that  -a seconds each allocation is failed in turn\n"
	"     -o WORD  of failnth only the operations that have it in their names\n";

int main(int argc, char **argv)
{
	int c, rc;
	double seconds;
	char buf[256];

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "a:o:w:s:")) > 0) {
		if (c == 'a')
			in_turn = atof(optarg);
		else if (c == 'o')
			only = optarg;
		else if (c == 'w')
			slow = atoi(optarg);
		else if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	argc -= optind;
	argv += optind;
	if (argc < 1) {
		fputs(usage, stderr);
		return 2;
	}
	seconds = argc > 1 ? atof(argv[argc - 1]) : 10;
	cpus = sysconf(_SC_NPROCESSORS_CONF);
	if (cpus > MAX_CPUS)
		cpus = MAX_CPUS;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	signal(SIGPIPE, SIG_IGN);
	/* A file that is truncated under a splice, and the like, must not end us silently. */
	if (shared == MAP_FAILED || chdir("/sys/kernel/tracing")) {
		perror("load");
		return 2;
	}
	mkdir(INSTANCE, 0700);
	if (slurp("buffer_subbuf_size_kb", buf, sizeof(buf)) > 0)
		shared->subbuf = atoi(buf) * 1024;
	else
		shared->subbuf = 4096;
	apart("undo", churn_undo, ".");
	apart("at first", nothing_left, ".");
	if (!strcmp(argv[0], "rows"))
		rc = load_rows(seconds);
	else if (!strcmp(argv[0], "pairs"))
		rc = load_pairs(seconds);
	else if (!strcmp(argv[0], "all"))
		rc = load_everything(seconds);
	else if (!strcmp(argv[0], "one") && argc > 2)
		rc = load_one(argc > 3 ? seconds : 10, argv[1], argv[2]);
	else if (!strcmp(argv[0], "fuzz"))
		rc = load_fuzz(seconds);
	else if (!strcmp(argv[0], "aged"))
		rc = load_aged();
	else if (!strcmp(argv[0], "probes"))
		rc = load_probes(seconds);
	else if (!strcmp(argv[0], "failnth"))
		rc = load_failnth(seconds);
	else if (!strcmp(argv[0], "failhist"))
		rc = load_failhist(seconds);
	else if (!strcmp(argv[0], "failprobes"))
		rc = load_failprobes(seconds);
	else
		rc = 2;
	if (rmdir(INSTANCE))
		complain("the instance cannot be removed");
	return rc ? rc : !!shared->failures;
}
