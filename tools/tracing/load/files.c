// SPDX-License-Identifier: GPL-2.0-only
/* The files of tracefs that fuzz and failnth go over: of many alike (events, CPUs) one each. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files.h"

struct file files[MAX_FILES];
int nr_files;

/* Folders to go into: all the files of each, no folder below. */
static const char * const folders[] = {
	"", "options", "per_cpu/cpu0", "events", "events/sched", "events/sched/sched_switch",
	"events/ftrace/print", "events/synthetic/fuzz_0", "events/synthetic/fuzz_1", "trace_stat",
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
