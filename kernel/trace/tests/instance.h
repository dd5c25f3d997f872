/* SPDX-License-Identifier: GPL-2.0-only */
/* For suites that make an instance. */
#ifndef _KERNEL_TRACE_TESTS_INSTANCE_H
#define _KERNEL_TRACE_TESTS_INSTANCE_H

#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/trace.h>

/* @tr is the caller's from trace_array_get_by_name(). Nobody else has it any more, so it can go. */
static inline void test_instance_end(struct kunit *test, struct trace_array *tr)
{
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

/* A file of @tr's, for a file's operations. Nobody has opened it yet. */
static inline struct file *test_file_of(struct kunit *test, struct trace_array *tr)
{
	struct inode *inode = kunit_kzalloc(test, sizeof(*inode), GFP_KERNEL);
	struct file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, inode);
	KUNIT_ASSERT_NOT_NULL(test, file);
	inode->i_private = tr;
	file->f_inode = inode;
	return file;
}

#endif /* _KERNEL_TRACE_TESTS_INSTANCE_H */
