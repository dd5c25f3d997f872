/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the load share: workers and their figures, files of tracefs,
 * markers with numbers.
 *
 * A worker is a process that does one kind of thing until it is told to stop and counts its
 * steps where the watchdog (watch.c) sees them. Paths are relative to tracefs, the current
 * directory of all of them.
 */
#ifndef LOAD_H
#define LOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_CPUS	8
#define MAX_WORKERS	96
#define INSTANCE	"instances/load"

/* What a kind of disturbance does to the figures that law.c checks afterwards. */
#define RESETS		0x01	/* records and counters go: only what is still there is checked */
#define RETEXTS		0x02	/* lines of trace and trace_pipe look otherwise */
#define EXTRA		0x04	/* records that are no markers come into the buffer */
#define MOVES		0x08	/* a writer is not always on its CPU */
#define KILLS		0x10	/* readers die with what they have read */
#define ORDERS		0x20	/* sub-buffers change their size */
#define SWAPS		0x40	/* what was recorded earlier comes back */
#define PUTS_BACK	0x80	/* a clock is put back by a second or more, and goes on */
/* Of a reader, and nothing that law.c asks for. */
#define TAKES		0x100	/* it takes what it reads out of the buffer */
#define WAITS		0x200	/* it waits for all CPUs together as well */
#define ALONE		0x400	/* what it gets it can only tell where nobody else reads */

struct worker;

/**
 * struct kind - one kind of worker
 * @name: what it is called on the command line and in /proc/PID/comm
 * @run: does one round, or several and calls step() after each
 * @flags: RESETS and so on
 * @needs: a pattern of files without which it can do nothing, or NULL
 */
struct kind {
	const char *name;
	void (*run)(struct worker *w);
	unsigned int flags;
	const char *needs;
};

/**
 * struct worker - a process of a kind, shared with the one that watches
 * @kind: what it does
 * @dir: the instance that it does it to, "." for the top one
 * @cpu: where it is pinned, -1 for anywhere; of readers the CPU whose file they read, -1 for any,
 *	the number of CPUs for that of all
 * @pid: 0 when there is none
 * @stop: it shall come to an end
 * @steps: rounds done
 * @done: what it did to the kernel that was not refused
 * @tried: writers: writes
 * @taken: writers: writes that succeeded
 * @got: readers: markers that came out of a file that consumes
 * @reads: readers: reads of such a file that gave something, whatever it was
 * @woken: readers: times they slept until there was something
 * @random: state of its random numbers
 * @doing: what it is at, for the report of a hang
 * @seen: @steps when the watchdog looked last
 * @idle: ticks of the watchdog since @steps changed
 */
struct worker {
	const struct kind *kind;
	const char *dir;
	int cpu;
	pid_t pid;
	atomic_int stop;
	atomic_ulong steps;
	unsigned long done, tried, taken, got, reads, woken;
	uint64_t random;
	char doing[96];
	unsigned long seen;
	int idle;
};

/**
 * struct shared - what all processes see
 * @failures: number of complaints so far
 * @worker: all there are, and one for apart()
 * @workers: how many run
 * @failures: what went wrong so far
 * @flags: of all that runs in the present slice
 * @subbuf: bytes of a sub-buffer while no ORDERS runs
 * @options: trace_options of the top instance and of ours before the first slice
 */
struct shared {
	struct worker worker[MAX_WORKERS + 1];	/* the last: see apart() */
	int workers;
	atomic_int failures;
	unsigned int flags;
	int subbuf;
	char options[2][5000];
};

extern struct shared *shared;
extern struct worker *self;	/* what this process is, if it is one */
extern int cpus;		/* of the machine, at most MAX_CPUS */
extern int slow;		/* how many times slower than expected it may be */
extern double in_turn;		/* seconds of an operation in which no allocation is left out */
extern const char *only;	/* operations of failnth; NULL: all */
extern uint64_t seed;

/* core.c */
void good(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void not_there(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
unsigned int dice(struct worker *w, unsigned int sides);
void nap(int ms);
double now(void);
void step(struct worker *w);
int put(const char *path, const char *text);
int put_bytes(const char *path, const void *bytes, size_t n, int flags);
int put_in(const char *dir, const char *file, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
ssize_t slurp(const char *path, char *buf, size_t size);
int open_in(const char *dir, const char *file, int flags);
void pin(int cpu);
bool has_btf(void);

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

#define in_dir(w, file, ...) put_in((w)->dir, file, __VA_ARGS__)

/* records.c */
#define MARK "load: %d %lu ."

struct text {
	char line[512];
	int len;
	unsigned long last[MAX_CPUS];
	unsigned long lines, marks;
};

struct pages {
	uint64_t time;
	unsigned long last[MAX_CPUS];
	unsigned long marks;
};

void text_feed(struct text *t, const char *buf, size_t n, const char *who);
void page_feed(struct pages *p, const unsigned char *page, size_t n, const char *who);

/* the kinds, each list ending with a name of NULL */
extern const struct kind readers[], churners[];
extern const struct kind writer, dripper, fuzzer;
const struct kind *kind_of(const struct kind *list, const char *name);
unsigned long churn_undo(const char *dir, const char *what);
void module_switch(struct worker *w, bool on);

#define SAMPLES		"/lib/modules/*/kernel/samples/"
#define EVENTS_MODULE	SAMPLES "trace_events/trace-events-sample.ko"

/* law.c */
unsigned long law_begin(const char *dir, const char *what);
unsigned long law_check(const char *dir, const char *what);
unsigned long nothing_left(const char *dir, const char *what);

/* watch.c */
void start(const struct kind *kind, const char *dir, int cpu);
bool watch(double seconds);
bool stop_all(const struct kind *from, const struct kind *to);
bool there(const struct kind *kind);
void forget(void);
unsigned long apart(const char *what, unsigned long (*fn)(const char *dir, const char *what),
		    const char *dir);
extern void (*on_hang)(void);

/* the commands */
void undisturbed(const char *what);
int load_rows(double seconds);
int load_pairs(double seconds);
int load_everything(double seconds);
int load_one(double seconds, const char *reader, const char *churner);
int load_fuzz(double seconds);
int load_aged(void);
int load_failnth(double seconds);
int load_failhist(double seconds);
int load_failprobes(double seconds);
int load_probes(double seconds);

#endif
