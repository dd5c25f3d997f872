/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LOAD_FILES_H
#define LOAD_FILES_H

#include <stdbool.h>

#define MAX_FILES 512

/**
 * struct file - a file of tracefs
 * @path: below tracefs
 * @name: its last part
 * @reads: somebody may read it
 * @writes: somebody may write it
 */
struct file {
	char path[160];
	const char *name;
	bool reads, writes;
};

extern struct file files[MAX_FILES];
extern int nr_files;

void find_files(const char *dir);
void files_back(void);

#endif
