// SPDX-License-Identifier: GPL-2.0-only
/* The files in hwlat_detector/ and osnoise/ that have a number. */
#include <linux/cleanup.h>
#include <linux/compiler.h>
#include <linux/mutex.h>

#include "../../instance/instance.h"
#include "numbers.h"

/* So that two numbers that bound each other do not change at once. */
static DEFINE_MUTEX(numbers_mutex);

static ssize_t number_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	const struct noise_number *number = filp->private_data;

	return tracing_read_printf(ubuf, cnt, ppos, "%llu\n", READ_ONCE(*number->value));
}

static int number_set(struct file *filp, unsigned long value)
{
	const struct noise_number *number = filp->private_data;

	guard(mutex)(&numbers_mutex);
	if (number->min && value < *number->min)
		return -EINVAL;
	if (number->max && value > *number->max)
		return -EINVAL;
	WRITE_ONCE(*number->value, value);
	return 0;
}

TRACE_NUMBER_FOPS(number, tracing_open_generic, NULL, NULL);

void noise_number_file(const char *name, struct dentry *dir, const struct noise_number *number)
{
	trace_create_file(name, TRACE_MODE_WRITE, dir, (void *)number, &number_fops);
}
