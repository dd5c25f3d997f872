// SPDX-License-Identifier: GPL-2.0-only
/*
 * The examples of Documentation/trace/tracing-conventions.rst: a room that counts how often the
 * buffer of an instance was emptied, with a file, an option that it may refuse, and a
 * tracer. What the page shows of them is what stands here; `make test TESTS=rooms` compares.
 */
#include <kunit/test.h>
#include <linux/dcache.h>
#include <linux/slab.h>

#include "../instance/features_test.h"
#include "../instance/instance.h"
#include "../instance/internal.h"
#include "../instance/tracer.h"
#include "instance.h"
#include "suite.h"

/* --- a room: what it has of an instance, and when that comes and goes */

struct example_instance {
	unsigned long	emptied;
	bool		traced;
	bool		loud;
};

static struct example_instance *example_of(const struct trace_array *tr)
{
	return tr->room[ROOM_EXAMPLE];
}

static int example_init(struct trace_array *tr)
{
	struct example_instance *example = kzalloc(sizeof(*example), GFP_KERNEL);

	if (!example)
		return -ENOMEM;
	tr->room[ROOM_EXAMPLE] = example;
	return 0;
}

static void example_exit(struct trace_array *tr)
{
	kfree(example_of(tr));
	tr->room[ROOM_EXAMPLE] = NULL;
}

static void example_reset(struct trace_array *tr)
{
	example_of(tr)->emptied++;
}

/* --- a file: it shows the number, and takes one up to a million */

static ssize_t example_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = filp->private_data;

	return tracing_read_printf(ubuf, cnt, ppos, "%lu\n", example_of(tr)->emptied);
}

static int example_set(struct file *filp, unsigned long value)
{
	struct trace_array *tr = filp->private_data;

	if (value > 1000000)
		return -EINVAL;
	guard(mutex)(&trace_types_lock);
	example_of(tr)->emptied = value;
	return 0;
}

TRACE_NUMBER_FOPS_TR(example);

static void example_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("example", TRACE_MODE_WRITE, dir, tr, &example_fops);
}

/* --- an option: that of somebody else, while the tracer runs */

static int example_flag_changed(struct trace_array *tr, unsigned long mask, bool enable)
{
	if (mask != TRACE_ITER_OVERWRITE)
		return 0;
	return example_of(tr)->traced ? -EBUSY : 0;
}

static const struct instance_feature example_feature = {
	.name		= "example",
	.init		= example_init,
	.exit		= example_exit,
	.files		= example_files,
	.flag_changed	= example_flag_changed,
	.reset		= example_reset,
};

/* --- a tracer, with an option of its own */

static int example_tracer_init(struct trace_array *tr)
{
	example_of(tr)->traced = true;
	return 0;
}

static void example_tracer_reset(struct trace_array *tr)
{
	example_of(tr)->traced = false;
}

#define EXAMPLE_OPT_LOUD	BIT(0)

static int example_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, int set)
{
	example_of(tr)->loud = set;
	return 0;
}

static struct tracer_flags example_flags = {
	.opts = (struct tracer_opt []) {
		{ TRACER_OPT(kunit_loud, EXAMPLE_OPT_LOUD) },
		{ }
	},
};

static struct tracer example_tracer = {
	.name		 = "kunit-example",
	.init		 = example_tracer_init,
	.reset		 = example_tracer_reset,
	.set_flag	 = example_set_flag,
	.flags		 = &example_flags,
	.allow_instances = true,
};

/* --- and that they do what the page says */

static int set_option(struct trace_array *tr, const char *name)
{
	char word[32];

	strscpy(word, name, sizeof(word));
	return trace_set_options(tr, word);
}

static bool has_file(struct dentry *dir, const char *name)
{
	struct qstr file = QSTR_INIT(name, strlen(name));
	struct dentry *found = dir ? d_hash_and_lookup(dir, &file) : NULL;

	if (IS_ERR_OR_NULL(found))
		return false;
	dput(found);
	return true;
}

static void use_example(struct kunit *test, struct trace_array *tr)
{
	struct file file = { .private_data = tr };

	KUNIT_ASSERT_NOT_NULL(test, example_of(tr));
	KUNIT_EXPECT_TRUE(test, has_file(tr->dir, "example"));
	KUNIT_EXPECT_TRUE(test, has_file(tr->options, "kunit_loud"));

	KUNIT_EXPECT_EQ(test, example_set(&file, 1000001), -EINVAL);
	KUNIT_EXPECT_EQ(test, example_set(&file, 7), 0);
	KUNIT_EXPECT_EQ(test, tracing_set_clock(tr, "counter"), 0);
	KUNIT_EXPECT_EQ(test, example_of(tr)->emptied, 8);

	KUNIT_EXPECT_EQ(test, set_option(tr, "nooverwrite"), 0);
	KUNIT_EXPECT_EQ(test, set_option(tr, "overwrite"), 0);
	KUNIT_EXPECT_EQ(test, tracing_set_tracer(tr, "kunit-example"), 0);
	KUNIT_EXPECT_EQ(test, set_option(tr, "nooverwrite"), -EBUSY);
	KUNIT_EXPECT_TRUE(test, tr->trace_flags & TRACE_ITER_OVERWRITE);
	KUNIT_EXPECT_EQ(test, set_option(tr, "kunit_loud"), 0);
	KUNIT_EXPECT_TRUE(test, example_of(tr)->loud);
	KUNIT_EXPECT_EQ(test, tracing_set_tracer(tr, "nop"), 0);
	KUNIT_EXPECT_FALSE(test, example_of(tr)->traced);
}

static void test_example(struct kunit *test)
{
	const struct instance_feature *const *old = instance_features;
	struct trace_array *tr;

	KUNIT_ASSERT_EQ(test, register_tracer(&example_tracer), 0);
	use_features(features_and(test, &example_feature, NULL));
	tr = trace_array_get_by_name("kunit-example", NULL);
	if (tr) {
		use_example(test, tr);
		test_instance_end(test, tr);
	}
	use_features(old);
	KUNIT_EXPECT_NOT_NULL(test, tr);
}

static struct kunit_case example_cases[] = {
	KUNIT_CASE(test_example),
	{ }
};

TRACE_KUNIT_SUITE("trace_example", example_cases);
