// SPDX-License-Identifier: GPL-2.0-only
/* The files of tracefs that fuzz and failnth go over: of many alike (events, CPUs) one each. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files.h"
#include "load.h"

struct file files[MAX_FILES];
int nr_files;

/*
 * Folders to go into: all the files of each, no folder below. osnoise/per_cpu/cpu0 is left out:
 * it has timerlat_fd only, whose open is for who is bound to the CPU, and whose read waits.
 */
static const char * const folders[] = {
	"", "options", "per_cpu/cpu0", "events", "events/sched", "events/sched/sched_switch",
	"events/ftrace/print", "events/synthetic/fuzz_0", "events/synthetic/fuzz_1", "trace_stat",
	"osnoise", "hwlat_detector", "rv",
};

static void add(const char *dir, const char *folder, const char *name)
{
	struct file *f = &files[nr_files];
	struct stat st;

	if (nr_files == MAX_FILES)
		return;
	snprintf(f->path, sizeof(f->path), "%s%s%s%s%.64s", dir, *dir ? "/" : "", folder,
		 *folder ? "/" : "", name);
	if (stat(f->path, &st) || !S_ISREG(st.st_mode))
		return;
	f->name = strrchr(f->path, '/');
	f->name = f->name ? f->name + 1 : f->path;
	f->reads = st.st_mode & 0444;
	f->writes = st.st_mode & 0222;
	nr_files++;
}

void find_files(const char *dir)
{
	struct dirent *e;
	char path[128];
	size_t i;
	DIR *d;

	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "./%s/%s", dir, folders[i]);
		d = opendir(path);
		while (d && (e = readdir(d))) {
			if (e->d_name[0] != '.')
				add(dir, folders[i], e->d_name);
		}
		if (d)
			closedir(d);
	}
}

/* What can be told to the noise tracers and to rv, as it was at boot. */
void files_back(void)
{
	static const struct { const char *file, *text; } was[] = {
		/* of two that bound each other first the one that may always be small */
		{ "osnoise/runtime_us", "1" }, { "osnoise/period_us", "1000000" },
		{ "osnoise/runtime_us", "1000000" }, { "osnoise/stop_tracing_us", "0" },
		{ "osnoise/stop_tracing_total_us", "0" }, { "osnoise/timerlat_period_us", "1000" },
		{ "osnoise/timerlat_align_us", "0" }, { "osnoise/print_stack", "0" },
		{ "osnoise/options", "DEFAULTS" }, { "hwlat_detector/width", "1" },
		{ "hwlat_detector/window", "1000000" }, { "hwlat_detector/width", "500000" },
		{ "hwlat_detector/mode", "round-robin" }, { "rv/enabled_monitors", "" },
		{ "rv/monitoring_on", "1" }, { "rv/reacting_on", "1" },
	};
	int i;

	for (i = 0; i < COUNT(was); i++)
		put(was[i].file, was[i].text);
	put_in(".", "osnoise/cpus", "0-%d", cpus - 1);
}
