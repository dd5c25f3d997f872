// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that have one value, a number, a name or a set of CPUs: reading, writing, and error_log's
 * line for what is refused.
 */
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "error_log.h"
#include "instance.h"

/* With the NUL. No name is that long, so what does not fit is none, however it begins. */
#define WORD_MAX	128

/* More than a list of every other CPU takes, of the most that there can be. */
#define CPUS_MAX	SZ_64K

static const char *value_errors[VALUE_ERRS] = {
	[VALUE_ERR_NO_NUMBER]	= "Not a number",
	[VALUE_ERR_RANGE]	= "Number is out of range",
	[VALUE_ERR_NO_NAME]	= "No such name here",
	[VALUE_ERR_NO_CPUS]	= "Not a mask of CPUs",
	[VALUE_ERR_BUSY]	= "Not while it is in use",
	[VALUE_ERR_GONE]	= "It has gone meanwhile",
	[VALUE_ERR_MEMORY]	= "Not enough memory",
	[VALUE_ERR_NOT_HERE]	= "Not possible here",
};

/* A user's text as a string in @word, WORD_MAX bytes; as much of it as there is room for. */
static int copy_word(char *word, const char __user *ubuf, size_t cnt)
{
	size_t len = min_t(size_t, cnt, WORD_MAX - 1);

	if (copy_from_user(word, ubuf, len))
		return -EFAULT;
	word[len] = '\0';
	return 0;
}

/**
 * tracing_value_refused - tell error_log about a value that is not taken
 * @filp: the file
 * @tr: the instance, NULL for the top one
 * @ubuf: what was written
 * @cnt: its bytes
 * @error: why
 *
 * Context: task.
 */
static void tracing_value_refused(struct file *filp, struct trace_array *tr,
				  const char __user *ubuf, size_t cnt,
				  enum trace_value_error error)
{
	char word[WORD_MAX], loc[48];

	if (copy_word(word, ubuf, cnt))
		return;
	snprintf(loc, sizeof(loc), "ftrace: %pd", filp->f_path.dentry);
	for (char *p = word; *p; p++)
		if (isspace(*p))
			*p = ' ';
	tracing_log_err(tr, loc, strim(word), value_errors, error, 0);
}

/*
 * What a file answers to what was written. Of an errno of who was to take the value error_log is
 * told what that says of it; @invalid: what the value is with -EINVAL. -ENOTSUPP is -EINVAL for the
 * user, but nothing is wrong with the value: who it is for refuses it.
 */
static ssize_t answer(struct file *filp, struct trace_array *tr, const char __user *ubuf,
		      size_t cnt, loff_t *ppos, int err, enum trace_value_error invalid)
{
	enum trace_value_error error = VALUE_ERR_NOT_HERE;

	switch (err) {
	case 0:
		*ppos += cnt;
		return cnt;
	case -EFAULT:
	case -EINTR:
		/* nothing that another value would change */
		return err;
	case -EINVAL:
		error = invalid;
		break;
	case -ENOTSUPP:
		/* which user space does not know */
		err = -EINVAL;
		break;
	case -ERANGE:
	case -EOVERFLOW:
		error = VALUE_ERR_RANGE;
		break;
	case -EBUSY:
		error = VALUE_ERR_BUSY;
		break;
	case -ENODEV:
		error = VALUE_ERR_GONE;
		break;
	case -ENOMEM:
		error = VALUE_ERR_MEMORY;
		break;
	}
	tracing_value_refused(filp, tr, ubuf, cnt, error);
	return err;
}

/**
 * tracing_read_printf - file_operations.read of a file with one short line
 * @ubuf: where to
 * @cnt: how much at the most
 * @ppos: where in the line; from its end on nothing is read
 * @fmt: of the line, up to WORD_MAX bytes
 *
 * Context: task. Return: how much was read, or -EFAULT.
 */
ssize_t tracing_read_printf(char __user *ubuf, size_t cnt, loff_t *ppos, const char *fmt, ...)
{
	char text[WORD_MAX];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vscnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return simple_read_from_buffer(ubuf, cnt, ppos, text, len);
}

/**
 * tracing_write_number - file_operations.write of a file that takes a decimal number
 * @filp: the file
 * @tr: the instance whose error_log is told what is refused, NULL for the top one
 * @ubuf: what was written
 * @cnt: its bytes
 * @ppos: goes on by that
 * @set: do what the number says; 0, or an error and all is as it was: -EINVAL for a number that is
 *	out of range, -ENOTSUPP for one that is refused though it is not
 *
 * Context: task. Return: @cnt; -EINVAL, -ERANGE, -EFAULT; or what @set says, -ENOTSUPP as -EINVAL.
 */
ssize_t tracing_write_number(struct file *filp, struct trace_array *tr, const char __user *ubuf,
			     size_t cnt, loff_t *ppos,
			     int (*set)(struct file *filp, unsigned long value))
{
	enum trace_value_error invalid = VALUE_ERR_NO_NUMBER;
	unsigned long value;
	int err = kstrtoul_from_user(ubuf, cnt, 10, &value);

	if (!err) {
		invalid = VALUE_ERR_RANGE;
		err = set(filp, value);
	}
	return answer(filp, tr, ubuf, cnt, ppos, err, invalid);
}

/**
 * tracing_write_name - file_operations.write of a file that takes a name
 * @filp: the file
 * @tr: the instance
 * @ubuf: what was written
 * @cnt: its bytes
 * @ppos: goes on by that
 * @set: do what the name says, which has no blanks around it; 0, or an error: -EINVAL for a name
 *	that there is not, -ENOTSUPP for one that is refused though it is there
 *
 * Context: task. Return: @cnt, -EFAULT, -EINVAL, or what @set says, -ENOTSUPP as -EINVAL.
 */
ssize_t tracing_write_name(struct file *filp, struct trace_array *tr, const char __user *ubuf,
			   size_t cnt, loff_t *ppos, int (*set)(struct trace_array *tr, char *name))
{
	char word[WORD_MAX];
	int err = copy_word(word, ubuf, cnt);

	/* The rest may belong to it, or be more than a name. Behind a NUL nobody looks. */
	if (!err && cnt >= WORD_MAX && strlen(word) == WORD_MAX - 1)
		err = -EINVAL;
	err = err ?: set(tr, strim(word));
	return answer(filp, tr, ubuf, cnt, ppos, err, VALUE_ERR_NO_NAME);
}

/**
 * tracing_write_cpus - file_operations.write of a file that takes CPUs
 * @filp: the file
 * @tr: the instance
 * @ubuf: what was written
 * @cnt: its bytes
 * @ppos: goes on by that
 * @parse: what the text says; cpumask_parse_user(), cpumask_parselist_user()
 * @set: do that; 0, or an error and all is as it was
 *
 * Context: task. Return: @cnt; -EINVAL, -ERANGE, -EOVERFLOW, -EFAULT, -ENOMEM; or what @set says.
 */
ssize_t tracing_write_cpus(struct file *filp, struct trace_array *tr, const char __user *ubuf,
			   size_t cnt, loff_t *ppos,
			   int (*parse)(const char __user *text, int len, struct cpumask *cpus),
			   int (*set)(struct trace_array *tr, const struct cpumask *cpus))
{
	cpumask_var_t cpus;
	int err = -EINVAL;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return answer(filp, tr, ubuf, cnt, ppos, -ENOMEM, VALUE_ERR_NO_CPUS);
	/* who parses makes a copy of all of it */
	if (cnt && cnt <= CPUS_MAX)
		err = parse(ubuf, cnt, cpus);
	err = err ?: set(tr, cpus);
	free_cpumask_var(cpus);
	return answer(filp, tr, ubuf, cnt, ppos, err, VALUE_ERR_NO_CPUS);
}
