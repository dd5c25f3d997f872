// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words and bytes at random into every file of tracefs, from two processes. What each wrote
 * last is printed when the kernel complains or somebody hangs. Beside them markers are written to
 * an instance whose files they do not touch, and read: of these none is lost.
 *
 * Left out is what cannot end soon: stacks of all functions, dumps to the console.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files.h"
#include "load.h"

#define LAST	16	/* writes that are remembered */
#define FUZZERS	2
#define KEPT	"instances/kept"
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
		"schedule:nothing", "schedule:traceon:-1", "!schedule:traceoff:0",
		"99999999999999999999",
		"vfs_read:stacktrace:3", "!vfs_read:stacktrace:0",
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

/* An argument of a probe, right or nearly. */
static size_t probe_arg(struct worker *w, char *text, size_t room)
{
	static const char * const names[] = { "", "", "", "a=", "b=", "ret=", "1x=", "=", "a-b=",
		"common_pid=", "__probe_ip=" };
	static const char * const values[] = { "$arg1", "$arg2", "$arg3", "$arg99", "$arg0",
		"$arg*", "$stack", "$stack0", "$stack4", "$stack999999", "$retval", "$comm",
		"$COMM", "$foo", "$", "%x0", "%sp", "%ax", "%a0", "%nope", "@jiffies", "@jiffies+4",
		"@0", "@0xffff800080000000", "@+16", "@nosuch", "\\5", "\\-1", "\\\"abc\"", "\\\"",
		"\\x", "$prev_comm", "$next_pid", "$prev_pid", "prev", "filp->f_inode", "5",
		"this_cpu_read(runqueues)", "this_cpu_ptr($arg1)", "(file)$arg1->f_flags",
		"(file)$arg1->f_path.dentry->d_name.name", "(file)$arg1", "(struct file *)$arg1",
		"file->f_path.dentry", "file->f_path.", "$retval->f_flags" };
	static const char * const types[] = { "", "", "", ":u8", ":s16", ":x32", ":u64", ":char",
		":string", ":ustring", ":symbol", ":symstr", ":b4@4/32", ":b0@0/8", ":b65@0/64",
		":u8[4]", ":u8[0]", ":u8[65]", ":string[3]", ":x64[64]", ":u8[", ":nope", ":" };
	const char *end = "";
	size_t n;

	n = snprintf(text, room, "%s", names[dice(w, COUNT(names))]);
	switch (dice(w, 4)) {
	case 0:
		n += snprintf(text + n, room - n, "%c%s%d(", dice(w, 2) ? '+' : '-',
			      dice(w, 4) ? "" : "u", dice(w, 64));
		end = dice(w, 8) ? ")" : "";
		break;
	case 1:
		n += snprintf(text + n, room - n, "+0(+u8(-16(");
		end = ")))";
		break;
	}
	return n + snprintf(text + n, room - n, "%s%s%s", values[dice(w, COUNT(values))], end,
			    types[dice(w, COUNT(types))]);
}

/* Functions that a breakpoint may be in. */
static size_t probe_place(struct worker *w, char kind, char *text, size_t room)
{
	static const char * const functions[] = { "vfs_read", "vfs_write", "vfs_open", "ksys_read",
		"do_sys_openat2", "vfs_statx", "kernel_clone", "nosuchfunction", "",
		"nomod:nofunc", "trace_events_sample:simple_thread", "12345", "vfs_read%",
		"trace_graph_return", "_printk" };
	static const char * const behind[] = { "", "", "", "", "+0", "+4", "+8", "+16", "+1",
		"+99999999", "-4", "%return", "%return", "%nope", "+4%return" };
	static const char * const files[] = { "/bin/sh:0x1000", "/bin/sh:4096(0x20)", "/bin/sh:",
		"/bin/sh:0x10(", "/nosuch:0x10", "/dev/null:0", "/bin/sh:0x1000%return",
		"/bin:0x10", "/bin/sh:99999999" };
	static const char * const points[] = { "sched_switch", "sched_wakeup", "sys_enter",
		"foo_bar", "nosuch", "sched-switch", "sys_exit", "" };
	static const char * const events[] = { "sched.sched_switch", "sched/sched_wakeup", "sched",
		"nosuch.event", "syscalls.sys_enter_read", "ftrace.print", "sample-trace.foo_bar" };

	switch (kind) {
	case 't':
		return snprintf(text, room, "%s", points[dice(w, COUNT(points))]);
	case 'e':
		return snprintf(text, room, "%s", events[dice(w, COUNT(events))]);
	case 'p':
	case 'r':
		if (!dice(w, 3))
			return snprintf(text, room, "%s", files[dice(w, COUNT(files))]);
	}
	if (kind == 'f' && dice(w, 2))
		return snprintf(text, room, "%s%s", words[dice(w, nr_functions)],
				dice(w, 2) ? "" : "%return");
	return snprintf(text, room, "%s%s", functions[dice(w, COUNT(functions))],
			behind[dice(w, COUNT(behind))]);
}

/* Lines that define probes and take them away. Those that are taken are undone soon. */
static size_t probe_lines(struct worker *w, char *text)
{
	static const char * const names[] = { "", "", ":", ":fuzz/a", ":fuzz/b", ":fuzz/c", ":d",
		":fuzz/", ":fuzz.e", ":1/2", ":sched/sched_switch", ":a/b/c", ":x-y", "5:fuzz/f",
		"4097:g", "99999999999:h" };
	static const char * const ends[] = { "-:fuzz/a", "-:fuzz/", "-:", "-", "!p:fuzz/b",
		"-:d vfs_read", "-:nosuch", "!", "-:fuzz/c vfs_read a=$arg1", "# all" };
	size_t n = 0, args;
	char kind;

	do {
		if (n)
			text[n++] = '\n';
		if (!dice(w, 5)) {
			n += snprintf(text + n, LONGEST - n, "%s", ends[dice(w, COUNT(ends))]);
			continue;
		}
		kind = "prftepppff"[dice(w, 10)];
		n += snprintf(text + n, LONGEST - n, "%c%s ", kind, names[dice(w, COUNT(names))]);
		n += probe_place(w, kind, text + n, LONGEST - n);
		for (args = dice(w, 40) ? dice(w, 5) : 140; args && n < LONGEST - 300; args--) {
			text[n++] = ' ';
			n += probe_arg(w, text + n, LONGEST - n);
		}
		if (kind == 'e' && dice(w, 2))
			n += snprintf(text + n, LONGEST - n, " if %s",
				      dice(w, 2) ? "prev_pid > 0" : "nosuch ==");
	} while (n < LONGEST - 1000 && dice(w, 3));
	return n;
}

/* --- what the files take that have a language: histograms, synthetic events */

#define EVENTS_MADE	4	/* fuzz_0 to fuzz_3 */

static const char *field_of(struct worker *w)
{
	static const char * const fields[] = {
		"common_pid", "common_pid.execname", "common_cpu", "common_timestamp",
		"common_timestamp.usecs", "common_stacktrace", "hitcount", "prev_pid", "next_pid",
		"prev_comm", "next_comm", "prev_prio.hex", "next_prio.log2", "prev_state.buckets=4",
		"next_pid.quantiles", "prev_pid.percent", "next_pid.graph", "ip.sym", "buf", "x",
		"y", "s", "t.stacktrace", "$a", "$b", "$c", "nosuch", "1", "0",
		"0x7fffffffffffffff", "-(3)",
	};

	return fields[dice(w, COUNT(fields))];
}

#define MORE(...)	(n += snprintf(text + n, LONGEST - n, __VA_ARGS__))

static size_t fields_text(struct worker *w, char *text, size_t n, const char *between)
{
	do
		MORE("%s", field_of(w));
	while (!dice(w, 3) && MORE("%c", between[dice(w, strlen(between))]));
	return n;
}

static size_t action_text(struct worker *w, char *text, size_t n)
{
	static const char * const matched[] = { "sched.sched_switch", "ftrace.print",
		"synthetic.fuzz_0", "synthetic.fuzz_1", "sched.sched_waking", "nosuch" };

	switch (dice(w, 4)) {
	case 0:
		MORE("onmatch(%s)", matched[dice(w, COUNT(matched))]);
		break;
	case 1:
		MORE("onmax($%c)", 'a' + dice(w, 3));
		break;
	default:
		MORE("onchange($%c)", 'a' + dice(w, 3));
	}
	switch (dice(w, 4)) {
	case 0:
		MORE(".save(");
		n = fields_text(w, text, n, ",");
		break;
	case 1:
		MORE(".snapshot(");
		break;
	case 2:
		MORE(".trace(fuzz_%u,", dice(w, EVENTS_MADE));
		n = fields_text(w, text, n, ",");
		break;
	default:
		MORE(".fuzz_%u(", dice(w, EVENTS_MADE));
		n = fields_text(w, text, n, ",");
	}
	MORE(")");
	return n;
}

/* A condition that is valid more often than not, with @depth levels of parentheses at most. */
static size_t filter_text(struct worker *w, char *text, size_t n, int depth)
{
	static const char * const fields[] = { "common_pid", "common_pid", "common_flags", "CPU",
		"COMM", "comm", "prev_pid", "next_pid", "prev_comm", "next_comm", "prev_prio",
		"prev_state", "pid", "prio", "tgid", "cgroup", "x", "y", "s", "args[0]",
		"args[5]", "args[6]", "args[-1]", "id", "prev_comm.ustring", "common_pid.function",
		"ip.function", "STACKTRACE", "nosuch", "" };
	static const char * const ops[] = { "==", "==", "!=", "<", "<=", ">", ">=", "&", "~", "in",
		"=", "!", "===", "" };
	static const char * const values[] = { "0", "1", "-1", "07", "0x10", "0-",
		"99999999999999999999",
		"-9223372036854775808", "18446744073709551615", "\"sh\"", "'load'", "\"l*d\"",
		"\"[a-\"", "\"*a*b*\"", "\"!*\"", "\"", "\"/\"", "\"/nosuch\"", "prev_pid",
		"next_pid", "prev_comm", "common_pid", "CPUS{0}", "CPUS{0-1,3}", "CPUS{}",
		"CPUS{x}",
		"CPUS{9999}", "CPUS{0", "schedule", "{1, 5-9}", "{9-5}", "{}", "{-5--1}", "{1,}",
		"{\"sh\", \"load\"}", "{1, \"sh\"}", "{0", "nosuch", "" };
	static const char * const joins[] = { "&&", "&&", "||", " || ", " && ", " ", "&", "|",
		"!" };

	do {
		if (!dice(w, 6))
			MORE("!");
		if (depth && !dice(w, 3)) {
			MORE("(");
			n = filter_text(w, text, n, depth - 1);
			MORE("%s", dice(w, 20) ? ")" : "");
		} else {
			MORE("%s%s%s%s%s", fields[dice(w, COUNT(fields))], dice(w, 3) ? " " : "",
			     ops[dice(w, COUNT(ops))], dice(w, 3) ? " " : "",
			     values[dice(w, COUNT(values))]);
		}
	} while (n < LONGEST - 400 && dice(w, 2) &&
		 MORE("%s", joins[dice(w, dice(w, 6) ? 5 : COUNT(joins))]));
	return n;
}

/* A trigger that is valid more often than not, or the end of one. */
static size_t hist_text(struct worker *w, char *text)
{
	static const char * const odd[] = { "pause", "cont", "clear", "nohitcount", "clock=mono",
		"size=128", "size=0", "size=9223372036854775808", "name=fuzz", "onmax", "=", "" };
	size_t n = 0;
	int i;

	MORE("%shist:keys=", dice(w, 4) ? "" : "!");
	n = fields_text(w, text, n, ",");
	for (i = dice(w, 5); i > 0; i--) {
		MORE(":");
		switch (dice(w, 6)) {
		case 0:
			MORE("vals=");
			n = fields_text(w, text, n, ",");
			break;
		case 1:
		case 2:
			MORE("%c=", 'a' + dice(w, 3));
			n = fields_text(w, text, n, "+-*/,");
			break;
		case 3:
			MORE("sort=%s%s", field_of(w), dice(w, 2) ? ".descending" : "");
			break;
		case 4:
			n = action_text(w, text, n);
			break;
		default:
			MORE("%s", odd[dice(w, COUNT(odd))]);
		}
	}
	if (!dice(w, 4)) {
		MORE(" if ");
		n = filter_text(w, text, n, 2);
	}
	return n;
}

static size_t synth_text(struct worker *w, const char *name, char *text)
{
	static const char * const fields[] = { "u64 x", "int y", "char s[16]", "char[] s",
		"unsigned long[] t", "pid_t x", "s8 y", "gfp_t x", "float y", "u64", "char s[0]",
		"" };
	static const char * const gone[] = { "!fuzz_%u", "!fuzz_%u u64 x", "-:fuzz_%u",
		"-:synthetic/fuzz_%u" };
	unsigned int nr = dice(w, EVENTS_MADE);
	size_t n = 0;
	int i;

	if (!dice(w, 3)) {
		MORE(gone[dice(w, COUNT(gone))], nr);
		return n;
	}
	MORE("%sfuzz_%u", *name == 'd' ? dice(w, 2) ? "s:" : "s:synthetic/" : "", nr);
	for (i = dice(w, 4); i >= 0; i--)
		MORE(" %s;", fields[dice(w, COUNT(fields))]);
	return n;
}

static size_t make_text(struct worker *w, const char *name, char *text)
{
	unsigned int kind = dice(w, 20);
	size_t n = 0, i;

	if (kind > 5 && (!strcmp(name, "kprobe_events") || !strcmp(name, "uprobe_events") ||
			 (!strcmp(name, "dynamic_events") && dice(w, 2))))
		return probe_lines(w, text);
	if (kind >= 6 && !strcmp(name, "trigger") && dice(w, 3))
		return hist_text(w, text);
	if (kind >= 6 && dice(w, 4) &&
	    (!strcmp(name, "synthetic_events") || !strcmp(name, "dynamic_events")))
		return synth_text(w, name, text);
	if (kind >= 6 && !strcmp(name, "filter"))
		return dice(w, 8) ? filter_text(w, text, 0, dice(w, 12)) : sprintf(text, "0");
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
	/* What is refused does not matter, if only something is taken. */
	if (write(fd, text, first) == (ssize_t)first) {
		w->done += !!first;
		if (first < n && write(fd, text + first, n - first) < 0)
			step(w);
	}
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

/* Histograms that read each other go from the last reader on, and then what they let happen. */
static void undo_hists(const char *dir)
{
	static const char * const fuzzed[] = { "sched/sched_switch", "ftrace/print" };
	char path[160], event[64];
	int i, round;

	for (round = 0; round < 4; round++) {
		for (i = 0; i < COUNT(fuzzed) + EVENTS_MADE; i++) {
			int fd;

			snprintf(event, sizeof(event), "synthetic/fuzz_%d", i - COUNT(fuzzed));
			snprintf(path, sizeof(path), "%s/events/%s/trigger", dir,
				 i < COUNT(fuzzed) ? fuzzed[i] : event);
			/* opening it so takes all away that is not read */
			fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
			if (fd >= 0)
				close(fd);
		}
	}
}

static unsigned long undo(const char *dir, const char *what)
{
	int i;

	undo_hists(".");
	undo_hists(INSTANCE);
	churn_undo(dir, what);
	put("dynamic_events", "");
	i = open("dynamic_events", O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (i >= 0)
		close(i);
	for (i = 0; i < options; i++)
		put(option[i], option_was[i]);
	return 0;
}

int load_fuzz(double seconds)
{
	double end = now() + seconds, undone = now();
	int kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC), i, n = 0;
	const struct kind *reader = kind_of(readers, "raw-nowait");
	unsigned long writes = 0, taken = 0, kept;

	history = mmap(NULL, FUZZERS * sizeof(*history), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	lseek(kmsg, 0, SEEK_END);
	/* An oops shall not end the machine before it was told what led to it. */
	put("/proc/sys/kernel/panic_on_oops", "0");
	/* so that their files are there to be found */
	put_bytes("synthetic_events", "fuzz_0 u64 x; int y\n", 20, O_WRONLY | O_APPEND);
	put_bytes("synthetic_events", "fuzz_1 u64 x; char[] s\n", 23, O_WRONLY | O_APPEND);
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
	mkdir(KEPT, 0700);
	apart("beside words and bytes", law_begin, KEPT);
	start(reader, KEPT, -1);
	start(&writer, KEPT, 0);
	if (cpus > 1)
		start(&writer, KEPT, cpus - 1);
	/* A tenth of a CPU beside one of the others: words and bytes are to be many. */
	for (i = 0; i < shared->workers; i++)
		setpriority(PRIO_PROCESS, shared->worker[i].pid, 10);
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
	for (i = 0; i < shared->workers; i++) {
		if (shared->worker[i].kind == &fuzzer) {
			writes += shared->worker[i].steps;
			taken += shared->worker[i].done;
		}
	}
	on_hang = NULL;
	apart("undo", undo, ".");
	stop_all(&writer, &writer + 1);
	stop_all(reader, reader + 1);
	kept = apart("beside words and bytes", law_check, KEPT);
	if (!kept)
		complain("beside words and bytes: no marker was written");
	if (!taken)
		complain("words and bytes: none was taken of %lu", writes);
	if (rmdir(KEPT))
		complain("%s cannot be removed", KEPT);
	forget();
	apart("words and bytes", nothing_left, ".");
	if (!shared->failures)
		good("words and bytes: %lu writes, %lu taken, %d files, %lu markers, seed %llu",
		     writes, taken, nr_files, kept, (unsigned long long)seed);
	undisturbed("after the words and bytes");
	return !!shared->failures;
}
