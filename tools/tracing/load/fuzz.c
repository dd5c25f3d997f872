// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words and bytes at random into every file of tracefs, from two processes. What each wrote
 * last is printed when the kernel complains or somebody hangs.
 *
 * Left out is what cannot end soon: stacks of all functions, dumps to the console.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "files.h"
#include "load.h"

#define LAST	16	/* writes that are remembered */
#define FUZZERS	2
#define LONGEST	6000	/* bytes of a write: more than a page, more than any limit on words */
#define WORDS	4096

static struct history {
	char line[LAST][160];
	unsigned int at;
} *history;

static char option[128][64], option_was[128][8];
static int options;
static char *words[WORDS];
static int nr_words, nr_functions;

static void load_words(const char *path, int limit, bool cut)
{
	static char buf[400 * 1024];
	char *rest = buf, *line;

	if (slurp(path, buf, sizeof(buf)) <= 0)
		return;
	while ((line = strsep(&rest, "\n")) && limit && nr_words < WORDS) {
		if (cut)
			line[strcspn(line, " \t")] = 0;
		if (*line && *line != '#' && !strstr(line, "func_stack_trace")) {
			words[nr_words++] = strdup(line);
			limit--;
		}
	}
}

static const char *word_of(struct worker *w, const char *name)
{
	static const char * const odd[] = {
		"0", "1", "-1", "2", "3", "4", "8", "63", "64", "4096", "100000", "2147483648",
		"4294967296", "9223372036854775807", "18446744073709551615",
		"0x10", "1e3", "1 ", " 1", "1 2 3", "1,2", "", " ", "\n", "\t\n", "*", "!", "!*",
		"?", "[", "]", "[a-", "\\", ":", "::", ":mod:", ":mod:x:", ":mod:!", "*:*", "!*:*",
		"a:b:c:d:e", "%s%n%p", "../..", "\"", "'", "no", "nono", "noraw", "nop", "sched:",
		":sched_switch", "sched:*:x", "*e*", "*lock", "vfs_*", "ksys_*", "schedule",
		"schedule:traceon", "schedule:traceoff:2", "!schedule:traceon",
		"schedule:nothing", "schedule:traceon:-1", "!schedule:traceoff",
		"99999999999999999999",
		"vfs_read:stacktrace:3", "!vfs_read:stacktrace",
		"global", "mono", "[local]", "function", "function_graph", "ff", "ffffffff,fffffff",
		"3", "7fffffff", "0-1", "prev_pid == 1", "prev_pid ==", "(((", "a && b || c",
		"stacktrace:3", "!stacktrace", "traceoff:1 if prev_pid == 0", "hist:keys=pid",
	};
	static const char * const sizes[] = { "4", "8", "64", "100", "1000", "4000" };

	if (!strcmp(name, "buffer_size_kb") || !strcmp(name, "buffer_subbuf_size_kb")) {
		if (dice(w, 4))
			return sizes[dice(w, COUNT(sizes))];
	} else if (strstr(name, "ftrace") || strstr(name, "graph")) {
		if (dice(w, 2))
			return words[dice(w, nr_functions)];
	} else if (dice(w, 4) && nr_words > nr_functions) {
		return words[nr_functions + dice(w, nr_words - nr_functions)];
	}
	return odd[dice(w, COUNT(odd))];
}

static size_t make_text(struct worker *w, const char *name, char *text)
{
	unsigned int kind = dice(w, 20);
	size_t n = 0, i;

	if (kind < 3) {
		/* any bytes */
		n = dice(w, dice(w, 4) ? 40 : LONGEST);
		for (i = 0; i < n; i++)
			text[i] = dice(w, 3) ? 32 + dice(w, 95) : dice(w, 256);
		return n;
	}
	do {
		n += snprintf(text + n, LONGEST - n, "%s%s", n ? dice(w, 3) ? " " : "," : "",
			      word_of(w, name));
	} while (n < LONGEST - 300 && (kind == 3 ? true : !dice(w, 5)));
	if (n && kind == 4)
		text[dice(w, n)] = dice(w, 256);
	if (n && kind == 5)
		n = dice(w, n);
	if (dice(w, 2))
		text[n++] = '\n';
	return n;
}

static void remember(struct worker *w, const char *path, const char *text, size_t n)
{
	struct history *h = &history[w->cpu];
	char *line = h->line[h->at % LAST];
	size_t i, at;

	at = snprintf(line, 160, "%.60s <- %zu: ", path, n);
	for (i = 0; i < n && at < 150; i++)
		at += snprintf(line + at, 160 - at,
			       text[i] >= 32 && text[i] < 127 ? "%c" : "\\%02x",
			       (unsigned char)text[i]);
	h->at++;
}

static void print_history(void)
{
	unsigned int i, k;

	for (k = 0; k < FUZZERS; k++) {
		printf("-- process %u wrote last:\n", k);
		for (i = 0; i < LAST; i++)
			printf("   %s\n", history[k].line[(history[k].at + i) % LAST]);
	}
	fflush(stdout);
}

static void write_any(struct worker *w)
{
	static char text[LONGEST + 2], buf[16384];
	struct file *f = &files[dice(w, nr_files)];
	static const int modes[] = { O_WRONLY, O_WRONLY | O_TRUNC, O_RDWR, O_WRONLY | O_APPEND };
	size_t n, first;
	int fd;

	if (!f->writes)
		return;
	n = make_text(w, f->name, text);
	/* The file that everybody may flood. */
	if (!strncmp(f->name, "trace_marker", 12) && n > 100)
		n = 100;
	snprintf(w->doing, sizeof(w->doing), "%.90s", f->path);
	remember(w, f->path, text, n);
	fd = open(f->path, modes[dice(w, COUNT(modes))] | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	first = n && !dice(w, 4) ? dice(w, n) : n;
	/* What is refused does not matter. */
	if (write(fd, text, first) == (ssize_t)first && first < n &&
	    write(fd, text + first, n - first) < 0)
		step(w);
	if (!dice(w, 8))
		lseek(fd, dice(w, 5000), SEEK_SET);
	close(fd);
	if (f->reads && !dice(w, 4)) {
		int i;

		fd = open(f->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		for (i = 0; fd >= 0 && i < 4 && read(fd, buf, 1 + dice(w, sizeof(buf))) > 0; i++)
			;
		if (fd >= 0)
			close(fd);
	}
}

const struct kind fuzzer = { "random", write_any };

/* What the kernel said since the last look; true if it is a complaint. */
static bool complained(int kmsg)
{
	static const char * const bad[] = { "WARNING:", "BUG:", "Oops", "KASAN", "UBSAN",
		"possible circular", "possible recursive", "suspicious RCU", "INFO: task",
		"INFO: rcu", "Unable to handle", "Call trace:", "Call Trace:" };
	char buf[8192];
	ssize_t n;
	int i;

	while ((n = read(kmsg, buf, sizeof(buf) - 1)) > 0) {
		buf[n] = 0;
		for (i = 0; i < COUNT(bad); i++) {
			if (strstr(buf, bad[i])) {
				complain("the kernel says: %.200s", strchr(buf, ';') ?: buf);
				return true;
			}
		}
	}
	return false;
}

static void remember_options(const char *dir)
{
	struct file *f;
	size_t n = strlen(dir);

	for (f = files; f < files + nr_files; f++) {
		if (strncmp(f->path, dir, n) || !strstr(f->path, "options/") ||
		    options == COUNT(option))
			continue;
		snprintf(option[options], sizeof(option[0]), "%.63s", f->path);
		slurp(f->path, option_was[options], sizeof(option_was[0]));
		options++;
	}
}

static unsigned long undo(const char *dir, const char *what)
{
	int i;

	churn_undo(dir, what);
	for (i = 0; i < options; i++)
		put(option[i], option_was[i]);
	return 0;
}

int load_fuzz(double seconds)
{
	double end = now() + seconds, undone = now();
	int kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC), i, n = 0;
	unsigned long writes = 0;

	history = mmap(NULL, FUZZERS * sizeof(*history), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	lseek(kmsg, 0, SEEK_END);
	/* An oops shall not end the machine before it was told what led to it. */
	put("/proc/sys/kernel/panic_on_oops", "0");
	find_files("");
	find_files(INSTANCE);
	remember_options("options");
	remember_options(INSTANCE "/options");
	/* No file of those that would show or wait for ever. */
	for (i = 0; i < nr_files; i++) {
		if (strcmp(files[i].name, "func_stack_trace"))
			files[n++] = files[i];
		/* The name points into the path. */
		files[n - 1].name = strrchr(files[n - 1].path, '/');
		files[n - 1].name = files[n - 1].name ? files[n - 1].name + 1 : files[n - 1].path;
	}
	nr_files = n;
	load_words("available_filter_functions", 2000, true);
	nr_functions = nr_words;
	load_words("available_events", 500, false);
	load_words("trace_options", 100, true);
	printf("%d files, %d words, seed %llu\n", nr_files, nr_words,
	       (unsigned long long)seed);
	if (nr_files < 50 || nr_words < 100) {
		complain("files or words are missing");
		return 1;
	}
	forget();
	on_hang = print_history;
	for (i = 0; i < FUZZERS; i++)
		start(&fuzzer, ".", i);
	while (now() < end) {
		watch(0.25);
		if (complained(kmsg)) {
			print_history();
			break;
		}
		/* Or it would get slower and slower with all that is on. */
		if (now() - undone > 2) {
			apart("undo", undo, ".");
			undone = now();
		}
	}
	stop_all(&fuzzer, &fuzzer + 1);
	for (i = 0; i < shared->workers; i++)
		writes += shared->worker[i].steps;
	on_hang = NULL;
	apart("undo", undo, ".");
	forget();
	apart("words and bytes", nothing_left, ".");
	if (!shared->failures)
		good("words and bytes: %lu writes, %d files, seed %llu", writes, nr_files,
		     (unsigned long long)seed);
	undisturbed("after the words and bytes");
	return !!shared->failures;
}
