// SPDX-License-Identifier: GPL-2.0-only
/*
 * recursed_functions: where a callback was entered again by what it calls itself.
 *
 * A function is listed once, with the first caller that was seen. Writers may be in any
 * context, NMI included. One claims a free place with its function's address, so
 * that two that see the same function at the same time agree on who writes it; the
 * caller's address follows, and a reader who comes in between does not know it.
 */
#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/trace_recursion.h>

#include "sites.h"
#include "../../instance/instance.h"
#include "../../instance/text.h"

static struct recursed {
	unsigned long	ip;		/* 0: free, and so are all behind it */
	unsigned long	parent_ip;
} recursed[CONFIG_FTRACE_RECORD_RECURSION_SIZE];

/**
 * ftrace_record_recursion() - remember that @ip, called by @parent_ip, recursed
 * @ip:		traced function
 * @parent_ip:	its caller
 *
 * Any context. When the table is full others are not remembered.
 */
void ftrace_record_recursion(unsigned long ip, unsigned long parent_ip)
{
	unsigned long seen;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(recursed); i++) {
		seen = READ_ONCE(recursed[i].ip);
		if (!seen)
			seen = cmpxchg(&recursed[i].ip, 0, ip);
		if (!seen) {
			WRITE_ONCE(recursed[i].parent_ip, parent_ip);
			return;
		}
		if (seen == ip)
			return;
	}
}
EXPORT_SYMBOL_GPL(ftrace_record_recursion);

static void recursed_fill(struct ftrace_text *text, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(recursed) && READ_ONCE(recursed[i].ip); i++)
		ftrace_text_printf(text, "%pS:\t%pS\n", (void *)READ_ONCE(recursed[i].parent_ip),
				   (void *)READ_ONCE(recursed[i].ip));
}

/* From the end: readers stop at the first free place, and should find none in front of others. */
static void recursed_clear(void)
{
	unsigned int i;

	for (i = ARRAY_SIZE(recursed); i--; ) {
		WRITE_ONCE(recursed[i].parent_ip, 0);
		WRITE_ONCE(recursed[i].ip, 0);
	}
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

/* Opening the file to overwrite it has cleared the list; what is written means nothing. */
static ssize_t recursed_write(struct file *file, const char __user *ubuf, size_t count,
			      loff_t *ppos)
{
	return count;
}

static const struct file_operations recursed_fops = {
	.open		= recursed_open,
	.read		= ftrace_text_read,
	.write		= recursed_write,
	.llseek		= default_llseek,
	.release	= ftrace_text_release,
};

void function_recursion_file(struct dentry *dir)
{
	trace_create_file("recursed_functions", TRACE_MODE_WRITE, dir, tr, &recursed_fops);
}
