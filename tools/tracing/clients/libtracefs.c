// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters, triggers, snapshots, histograms and synthetic events as a program has them that uses
 * libtracefs: what it sets up has to be in the records that the library hands out, and in what
 * the files say. Says what was not, and ends with how many checks there were.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <tracefs.h>

#define SYSTEM	"syscalls"
#define EVENT	"sys_enter_umask"
#define MASKS	8	/* that records are told apart by: 0 to 7 */

static struct tracefs_instance *instance;
static struct tep_handle *tep;
static struct tep_event *event;
static int checks, failed;

/* @text tells more, NULL: nothing. */
static void told(int ok, int line, const char *what, const char *text)
{
	checks++;
	if (ok)
		return;
	failed++;
	printf("line %d: %s: %s\n", line, what, text ?: "");
}

#define check(ok)		told(!!(ok), __LINE__, #ok, NULL)
#define check_text(ok, text)	told(!!(ok), __LINE__, #ok, text)

static int seen[MASKS], others, stacks;

static int count(struct tep_event *e, struct tep_record *record, int cpu, void *unused)
{
	unsigned long long mask;

	if (!strcmp(e->name, "kernel_stack"))
		stacks++;
	else if (e->id == event->id && !tep_get_field_val(NULL, e, "mask", record, &mask, 0) &&
		 mask < MASKS)
		seen[mask]++;
	else
		others++;
	return 0;
}

typedef int (*reader_t)(struct tep_handle *tep, struct tracefs_instance *instance,
			cpu_set_t *cpus, int cpu_size,
			int (*callback)(struct tep_event *e, struct tep_record *record, int cpu,
					void *data),
			void *data);

/* What is in the buffer, or in the snapshot: as many of each mask, in a string. */
static const char *counted(reader_t reader)
{
	static char text[MASKS * 4];
	int i, len = 0;

	memset(seen, 0, sizeof(seen));
	others = 0;
	stacks = 0;
	check(reader(tep, instance, NULL, 0, count, NULL) == 0);
	for (i = 0; i < MASKS; i++)
		len += sprintf(text + len, "%d", seen[i]);
	return text;
}

static int same(const char *got, const char *want)
{
	if (!strcmp(got, want))
		return 1;
	printf("it is '%s', not '%s'\n", got, want);
	return 0;
}

static void all_masks(void)
{
	int i;

	for (i = 0; i < MASKS; i++)
		umask(i);
}

static int file_is(const char *file, const char *want)
{
	char *text = tracefs_event_file_read(instance, SYSTEM, EVENT, file, NULL);
	int ok = text && same(text, want);

	free(text);
	return ok;
}

static void filters(void)
{
	char *filter = NULL, *err = NULL;

	check(!tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_COMPARE, "mask",
					    TRACEFS_COMPARE_GE, "3"));
	check(!tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_AND, NULL, 0, NULL));
	check(!tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_NOT, NULL, 0, NULL));
	check(!tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_COMPARE, "mask",
					    TRACEFS_COMPARE_AND, "4"));
	check_text(!tracefs_filter_string_verify(event, filter, &err), err);
	/* which say how much they wrote */
	check(tracefs_event_filter_apply(instance, event, filter) >= 0);
	all_masks();
	check_text(same(counted(tracefs_iterate_raw_events), "00010000"), filter);
	check(!others);

	/* what is refused changes nothing, and says why */
	check(tracefs_event_file_write(instance, SYSTEM, EVENT, "filter", "nosuch == 1") < 0);
	err = tracefs_error_last(instance);
	check_text(err && strstr(err, "Field not found"), err);
	free(err);
	check(!tracefs_error_clear(instance));
	err = tracefs_error_all(instance);
	check_text(!err || !*err, err);
	free(err);

	check(tracefs_event_filter_clear(instance, event) >= 0);
	all_masks();
	check(same(counted(tracefs_iterate_raw_events), "11111111"));
	free(filter);
}

static void triggers(void)
{
	check(tracefs_event_file_append(instance, SYSTEM, EVENT, "trigger",
					"traceoff:1 if mask == 5") > 0);
	check(file_is("trigger", "traceoff:count=1 if mask == 5\n"));
	all_masks();
	check(tracefs_trace_is_on(instance) == 0);
	/* what it is switched off because of is still there */
	check(same(counted(tracefs_iterate_raw_events), "11111100"));
	check(file_is("trigger", "traceoff:count=0 if mask == 5\n"));
	tracefs_trace_on(instance);
	all_masks();
	check(tracefs_trace_is_on(instance) == 1);
	check(same(counted(tracefs_iterate_raw_events), "11111111"));
	check(tracefs_event_file_append(instance, SYSTEM, EVENT, "trigger", "!traceoff") > 0);

	check(tracefs_event_file_append(instance, SYSTEM, EVENT, "trigger",
					"stacktrace:3 if mask > 1") > 0);
	all_masks();
	check(same(counted(tracefs_iterate_raw_events), "11111111"));
	check(stacks == 3);
	check(tracefs_event_file_append(instance, SYSTEM, EVENT, "trigger", "!stacktrace") > 0);

	check(tracefs_event_file_append(instance, SYSTEM, EVENT, "trigger",
					"enable_event:sched:sched_switch if mask == 7") > 0);
	check(tracefs_event_is_enabled(instance, "sched", "sched_switch") == TRACEFS_ALL_DISABLED);
	all_masks();
	usleep(20000);
	check(tracefs_event_is_enabled(instance, "sched", "sched_switch") == TRACEFS_ALL_ENABLED);
	tracefs_event_file_append(instance, SYSTEM, EVENT, "trigger",
				  "!enable_event:sched:sched_switch");
	tracefs_event_disable(instance, "sched", "sched_switch");
	counted(tracefs_iterate_raw_events);
	check_text(others > 0, "no switch was recorded");
	check(tracefs_event_file_append(instance, SYSTEM, EVENT, "trigger", "nosuch") < 0);
}

static void wake_up(int sig)
{
}

/* splice() comes back with what is in CPU 0's snapshot, if only with nothing: no more will come. */
static int snapshot_splices(void)
{
	struct sigaction act = { .sa_handler = wake_up };
	int fd = tracefs_instance_file_open(instance, "per_cpu/cpu0/snapshot_raw", O_RDONLY);
	int fds[2], n;

	if (fd < 0 || pipe(fds))
		return 0;
	sigaction(SIGALRM, &act, NULL);
	alarm(20);
	n = splice(fd, NULL, fds[1], NULL, 65536, 0);
	alarm(0);
	close(fds[0]);
	close(fds[1]);
	close(fd);
	return n >= 0;
}

static void snapshot_of_one_cpu(void)
{
	cpu_set_t all, first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	check(!sched_getaffinity(0, sizeof(all), &all));
	check(!sched_setaffinity(0, sizeof(first), &first));
	umask(5);
	check(!tracefs_snapshot_snap(instance));
	check(snapshot_splices());
	check(!sched_setaffinity(0, sizeof(all), &all));
	check(!tracefs_snapshot_clear(instance));
}

static void snapshots(void)
{
	umask(1);
	umask(2);
	check(!tracefs_snapshot_snap(instance));
	umask(3);
	check(same(counted(tracefs_iterate_snapshot_events), "01100000"));
	check(same(counted(tracefs_iterate_raw_events), "00010000"));

	/* one that a record asks for has that in it */
	check(!tracefs_snapshot_clear(instance));
	check(tracefs_event_file_append(instance, SYSTEM, EVENT, "trigger",
					"snapshot:1 if mask == 6") > 0);
	all_masks();
	check(same(counted(tracefs_iterate_snapshot_events), "11111110"));
	check(same(counted(tracefs_iterate_raw_events), "00000001"));
	check(tracefs_event_file_append(instance, SYSTEM, EVENT, "trigger", "!snapshot") > 0);
	check(!tracefs_snapshot_clear(instance));
	check(same(counted(tracefs_iterate_snapshot_events), "00000000"));
	snapshot_of_one_cpu();
	check(!tracefs_snapshot_free(instance));
}

/* --- histograms */

/* What stands behind @word in the line of an entry, -1: there is no such line. */
static long in_entry(const char *key, const char *word)
{
	char *text = tracefs_event_file_read(instance, SYSTEM, EVENT, "hist", NULL);
	char *line = text ? strstr(text, key) : NULL, *at = NULL;
	long value = -1;

	if (line) {
		line[strcspn(line, "\n")] = 0;
		at = strstr(line + strlen(key), word);
	}
	if (at)
		value = strtol(at + strlen(word), NULL, 10);
	free(text);
	return value;
}

static int trigger_has(const char *system, const char *name, const char *text)
{
	char *triggers = tracefs_event_file_read(instance, system, name, "trigger", NULL);
	int has = triggers && strstr(triggers, text);

	if (!has)
		printf("triggers of %s: %s\n", name, triggers ?: "none");
	free(triggers);
	return has;
}

static int no_hist(const char *system, const char *name)
{
	char *triggers = tracefs_event_file_read(instance, system, name, "trigger", NULL);
	int none = triggers && !strstr(triggers, "hist:");

	if (!none)
		printf("triggers of %s: %s\n", name, triggers ?: "unknown");
	free(triggers);
	return none;
}

static void hists(void)
{
	struct tracefs_hist *hist = tracefs_hist_alloc(tep, SYSTEM, EVENT, "mask",
						       TRACEFS_HIST_KEY_NORMAL);

	check(hist);
	check(!tracefs_hist_add_value(hist, "mask"));
	check(!tracefs_hist_add_sort_key(hist, "mask"));
	check(!tracefs_hist_sort_key_direction(hist, "mask", TRACEFS_HIST_SORT_DESCENDING));
	check(!tracefs_hist_append_filter(hist, TRACEFS_FILTER_COMPARE, "mask",
					  TRACEFS_COMPARE_GE, "2"));
	check(!tracefs_hist_start(instance, hist));
	check(trigger_has(SYSTEM, EVENT, "hist:keys=mask:vals=hitcount,mask:sort=mask.descending"));
	check(trigger_has(SYSTEM, EVENT, "if mask >= 2 [active]"));
	all_masks();
	all_masks();
	check(in_entry("{ mask:          7 }", "hitcount:") == 2);
	check(in_entry("{ mask:          7 }", " mask:") == 14);
	check(in_entry("{ mask:          2 }", "hitcount:") == 2);
	check(in_entry("{ mask:          1 }", "hitcount:") == -1);
	check(!tracefs_hist_pause(instance, hist));
	check(trigger_has(SYSTEM, EVENT, "[paused]"));
	all_masks();
	check(in_entry("{ mask:          7 }", "hitcount:") == 2);
	check(!tracefs_hist_continue(instance, hist));
	all_masks();
	check(in_entry("{ mask:          7 }", "hitcount:") == 3);
	check(!tracefs_hist_reset(instance, hist));
	check(in_entry("{ mask:          7 }", "hitcount:") == -1);
	all_masks();
	check(in_entry("{ mask:          3 }", "hitcount:") == 1);
	check(!tracefs_hist_destroy(instance, hist));
	check(no_hist(SYSTEM, EVENT));
	tracefs_hist_free(hist);

	hist = tracefs_hist_alloc_2d(tep, SYSTEM, EVENT, "common_pid", TRACEFS_HIST_KEY_EXECNAME,
				     "mask", TRACEFS_HIST_KEY_LOG);
	check(hist);
	check(!tracefs_hist_add_name(hist, "masks"));
	check(!tracefs_hist_start(instance, hist));
	check(trigger_has(SYSTEM, EVENT, "hist:name=masks:keys=common_pid.execname,mask.log2:"));
	all_masks();
	/* 5, 6, 7 */
	check(in_entry("mask: ~ 2^3  }", "hitcount:") == 3);
	check(!tracefs_hist_destroy(instance, hist));
	check(no_hist(SYSTEM, EVENT));
	tracefs_hist_free(hist);
}

/* --- synthetic events */

static int joined[MASKS], wrong;
static const char *joined_name;

static int count_joined(struct tep_event *e, struct tep_record *record, int cpu, void *unused)
{
	unsigned long long mask, was, us;

	if (strcmp(e->name, joined_name))
		return 0;
	if (tep_get_field_val(NULL, e, "mask", record, &mask, 1) || mask >= MASKS ||
	    tep_get_field_val(NULL, e, "was", record, &was, 1) ||
	    tep_get_field_val(NULL, e, "us", record, &us, 1)) {
		wrong++;
		return 0;
	}
	joined[mask]++;
	/* what umask() gives back is what was set before; and it does not take long */
	wrong += mask && was != mask - 1;
	wrong += us > 10000000;
	return 0;
}

/* Records of @synth for all masks: as many of each, in a string. */
static const char *counted_joined(struct tracefs_synth *synth)
{
	static char text[MASKS * 4];
	int i, len = 0;

	joined_name = tracefs_synth_get_name(synth);
	memset(joined, 0, sizeof(joined));
	wrong = 0;
	check(tracefs_synth_get_event(tep, synth));
	check(!tracefs_event_enable(instance, "synthetic", joined_name));
	all_masks();
	check(!tracefs_event_disable(instance, "synthetic", joined_name));
	check(!tracefs_iterate_raw_events(tep, instance, NULL, 0, count_joined, NULL));
	check(!wrong);
	for (i = 0; i < MASKS; i++)
		len += sprintf(text + len, "%d", joined[i]);
	return text;
}

static void synths(void)
{
	struct tracefs_synth *synth;

	synth = tracefs_synth_alloc(tep, "umask_took", SYSTEM, EVENT, SYSTEM, "sys_exit_umask",
				    "common_pid", "common_pid", NULL);
	check(synth);
	check(!tracefs_synth_add_compare_field(synth, TRACEFS_TIMESTAMP_USECS,
					       TRACEFS_TIMESTAMP_USECS, TRACEFS_SYNTH_DELTA_END,
					       "us"));
	check(!tracefs_synth_add_start_field(synth, "mask", "mask"));
	check(!tracefs_synth_add_end_field(synth, "ret", "was"));
	check(!tracefs_synth_set_instance(synth, instance));
	check(tracefs_synth_complete(synth));
	check(!tracefs_synth_create(synth));
	check(trigger_has(SYSTEM, "sys_exit_umask", "onmatch(syscalls.sys_enter_umask)"));
	check(same(counted_joined(synth), "11111111"));
	check(!tracefs_synth_destroy(synth));
	tracefs_synth_free(synth);
	check(no_hist(SYSTEM, EVENT));
	check(no_hist(SYSTEM, "sys_exit_umask"));
	check(!tracefs_event_file_exists(NULL, "synthetic", "umask_took", "id"));
}

static void sql(void)
{
	static const char took[] = "(end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS us";
	static const char from[] = "sys_enter_umask AS start JOIN sys_exit_umask AS end";
	static const char where[] = "start.common_pid = end.common_pid WHERE start.mask > 3";
	char joins[256];
	struct tracefs_synth *synth;
	char *err = NULL;

	snprintf(joins, sizeof(joins),
		 "SELECT start.mask AS mask, end.ret AS was, %s FROM %s ON %s", took, from, where);
	synth = tracefs_sql(tep, "umask_sql", joins, &err);
	check_text(synth, err);
	if (!synth)
		return;
	check(!tracefs_synth_set_instance(synth, instance));
	check(!tracefs_synth_create(synth));
	check(same(counted_joined(synth), "00001111"));
	check(!tracefs_synth_destroy(synth));
	tracefs_synth_free(synth);
	check(no_hist(SYSTEM, "sys_exit_umask"));
}

/* --- poll() on hist, which the base has not */

static int poll_hist(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLPRI };

	return poll(&p, 1, ms) > 0 ? p.revents : 0;
}

/* A process that does something in a while. */
static pid_t later(void (*what)(void))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	usleep(200000);
	what();
	_exit(0);
}

static int ended_well(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && !status;
}

static void hit_once(void)
{
	umask(1);
}

static void remove_hist(void)
{
	tracefs_event_file_append(instance, SYSTEM, EVENT, "trigger", "!hist:keys=mask");
}

static void remove_event(void)
{
	tracefs_instance_file_append(NULL, "synthetic_events", "!poll_event\n");
}

static void read_all(int fd)
{
	char buf[4096];

	lseek(fd, 0, SEEK_SET);
	while (read(fd, buf, sizeof(buf)) > 0)
		;
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void polls(void)
{
	double began;
	pid_t pid;
	int fd, i;

	check(tracefs_event_file_append(instance, SYSTEM, EVENT, "trigger", "hist:keys=mask") > 0);
	fd = tracefs_instance_file_open(instance, "events/" SYSTEM "/" EVENT "/hist", O_RDONLY);
	check(fd >= 0);
	check(poll_hist(fd, 0) == 0);
	umask(1);
	check(poll_hist(fd, 0) == (POLLIN | POLLPRI));
	check(poll_hist(fd, 0) == POLLIN);	/* nothing since the last poll, but not read */
	read_all(fd);
	check(poll_hist(fd, 0) == 0);
	/* a hit wakes who waits */
	pid = later(hit_once);
	began = seconds();
	check(poll_hist(fd, 20000) == (POLLIN | POLLPRI));
	check(seconds() - began > .1 && seconds() - began < 10);
	check(ended_well(pid));
	read_all(fd);
	/* and so does that it goes */
	pid = later(remove_hist);
	began = seconds();
	check(poll_hist(fd, 20000) & POLLIN);
	check(seconds() - began < 10);
	check(ended_well(pid));
	close(fd);

	/* what came before it was opened, or was read, is nothing new */
	check(tracefs_event_file_append(instance, SYSTEM, EVENT, "trigger", "hist:keys=mask") > 0);
	umask(1);
	fd = tracefs_instance_file_open(instance, "events/" SYSTEM "/" EVENT "/hist", O_RDONLY);
	check(fd >= 0);
	check(poll_hist(fd, 0) == POLLIN);
	umask(1);
	read_all(fd);
	check(poll_hist(fd, 0) == 0);
	close(fd);
	remove_hist();

	/* an event that goes while its hist is waited for */
	check(tracefs_instance_file_append(NULL, "synthetic_events", "poll_event u64 x\n") > 0);
	fd = tracefs_instance_file_open(instance, "events/synthetic/poll_event/hist", O_RDONLY);
	check(fd >= 0);
	check(poll_hist(fd, 0) == 0);
	pid = later(remove_event);
	began = seconds();
	check(poll_hist(fd, 20000) & POLLERR);
	check(seconds() - began < 10);
	check(ended_well(pid));
	close(fd);

	/* what waking leads to is counted by what is waited for */
	if (!tracefs_event_file_exists(instance, "ipi", "ipi_entry", "hist"))
		return;
	check(tracefs_event_file_append(instance, "ipi", "ipi_entry", "trigger",
					"hist:keys=common_cpu") > 0);
	fd = tracefs_instance_file_open(instance, "events/ipi/ipi_entry/hist", O_RDONLY);
	check(fd >= 0);
	began = seconds();
	for (i = 0; i < 100; i++) {
		poll_hist(fd, 10);
		read_all(fd);
	}
	check(seconds() - began < 20);
	close(fd);
	check(tracefs_event_file_append(instance, "ipi", "ipi_entry", "trigger",
					"!hist:keys=common_cpu") > 0);
}

/* Names of what is to be done; all of it without one. The base has no poll() on hist. */
static int asked_for(int argc, char **argv, const char *name)
{
	int i, asked = argc == 1;

	for (i = 1; i < argc; i++)
		asked |= !strcmp(argv[i], name);
	/* if it hangs it is known where */
	if (asked)
		printf("-- %s\n", name);
	alarm(60);
	return asked;
}

int main(int argc, char **argv)
{
	setlinebuf(stdout);
	instance = tracefs_instance_create("libtracefs");
	tep = tracefs_local_events(NULL);
	event = tep ? tep_find_event_by_name(tep, SYSTEM, EVENT) : NULL;
	if (!instance || !event) {
		printf("no instance, or no event\n");
		return 1;
	}
	check(!tracefs_event_enable(instance, SYSTEM, EVENT));
	check(tracefs_event_is_enabled(instance, SYSTEM, EVENT) == TRACEFS_ALL_ENABLED);
	if (asked_for(argc, argv, "filters"))
		filters();
	if (asked_for(argc, argv, "triggers"))
		triggers();
	if (asked_for(argc, argv, "snapshots"))
		snapshots();
	if (asked_for(argc, argv, "hists"))
		hists();
	if (asked_for(argc, argv, "synths"))
		synths();
	if (asked_for(argc, argv, "sql"))
		sql();
	if (asked_for(argc, argv, "polls"))
		polls();
	check(!tracefs_event_disable(instance, SYSTEM, EVENT));
	check(!tracefs_instance_destroy(instance));
	tracefs_instance_free(instance);
	tep_free(tep);
	printf("%d checks, %d failed\n", checks, failed);
	return !!failed;
}
