// SPDX-License-Identifier: GPL-2.0-only
/* The file recursed_functions: what is traced, or records, inside of itself. See recursed.c. */
#include <linux/fs.h>
#include <linux/kallsyms.h>

#include "sites.h"
#include "../../instance/instance.h"
#include "../../instance/text.h"
#include "../../recursed.h"

static void recursed_fill(struct ftrace_text *text, void *data)
{
	struct recursed entry;

	for (unsigned int i = 0; recursed_get(i, &entry); i++)
		ftrace_text_printf(text, "%pS:\t%pS\n", (void *)entry.parent_ip, (void *)entry.ip);
}

static int recursed_open(struct inode *inode, struct file *file)
{
	int ret = tracing_check_open_get_tr(NULL);

	if (ret)
		return ret;
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC))
		recursed_clear();
	return file->f_mode & FMODE_READ ? ftrace_text_open(file, recursed_fill, NULL) : 0;
}

static const struct file_operations recursed_fops = {
	TRACE_READ_OPS(recursed_open, ftrace_text_read, ftrace_text_release),
	.write		= tracing_write_opened,
};

void function_recursion_file(struct dentry *dir)
{
	trace_create_file("recursed_functions", TRACE_MODE_WRITE, dir, NULL, &recursed_fops);
}
