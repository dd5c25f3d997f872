// SPDX-License-Identifier: GPL-2.0-only
/* Files that take commands, one a line. */
#include <linux/cleanup.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "instance.h"

/* longest line, with its newline */
#define MAX_COMMAND	4096

/* Length of the first whole line of @text; at the end of the input a line needs no newline. */
static size_t line_length(const char *text, size_t len, bool last)
{
	const char *end = memchr(text, '\n', len);

	if (end)
		return end - text + 1;
	return last ? len : 0;
}

/**
 * trace_parse_run_command - run the lines that were written to a file
 * @file: not looked at
 * @buffer: what was written
 * @count: bytes of it
 * @ppos: not changed
 * @createfn: runs one line, which is without its newline and without what a
 *	      '#' made a comment, and never empty
 *
 * Task context, may sleep.
 *
 * Lines before one that fails have been run. Return: @count, or the error of the line
 * that failed; -EINVAL for one of more than 4095 characters; -EFAULT; -ENOMEM.
 */
ssize_t trace_parse_run_command(struct file *file, const char __user *buffer,
				size_t count, loff_t *ppos, int (*createfn)(const char *))
{
	char *text __free(kfree) = kmalloc(MAX_COMMAND, GFP_KERNEL);
	size_t done = 0, len, used;
	char *line;
	int err;

	if (!text)
		return -ENOMEM;

	while (done < count) {
		len = min_t(size_t, count - done, MAX_COMMAND - 1);
		if (copy_from_user(text, buffer + done, len))
			return -EFAULT;

		used = line_length(text, len, done + len == count);
		if (!used) {
			pr_warn("tracing: a line is longer than %d characters\n", MAX_COMMAND - 1);
			return -EINVAL;
		}

		text[used - (text[used - 1] == '\n')] = '\0';
		line = text;
		line = strim(strsep(&line, "#"));
		if (*line) {
			err = createfn(line);
			if (err)
				return err;
		}
		done += used;
	}
	return done;
}
