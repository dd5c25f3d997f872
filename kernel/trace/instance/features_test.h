/* SPDX-License-Identifier: GPL-2.0-only */
/* Features that only a KUnit test has, beside those of the kernel. */
#ifndef _KERNEL_TRACE_INSTANCE_FEATURES_TEST_H
#define _KERNEL_TRACE_INSTANCE_FEATURES_TEST_H

#include <kunit/test.h>
#include <linux/cleanup.h>
#include <linux/string.h>

#include "internal.h"

/* New instances have @features; those that are there had better not be looked at meanwhile. */
static void use_features(const struct instance_feature *const *features)
{
	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	instance_features = features;
}

/* What instance_features is, and behind that @one, and @two if it is not NULL. */
static const struct instance_feature *const *
features_and(struct kunit *test, const struct instance_feature *one,
	     const struct instance_feature *two)
{
	const struct instance_feature **all;
	int nr = 0;

	while (instance_features[nr])
		nr++;
	all = kunit_kcalloc(test, nr + 3, sizeof(*all), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, all);
	memcpy(all, instance_features, nr * sizeof(*all));
	all[nr] = one;
	all[nr + 1] = two;
	return all;
}

#endif /* _KERNEL_TRACE_INSTANCE_FEATURES_TEST_H */
