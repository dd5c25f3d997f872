/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules, also in a kernel that has none: there find_module() and struct module are not known. */
#ifndef _KERNEL_TRACE_MODULES_H
#define _KERNEL_TRACE_MODULES_H

#include <linux/cleanup.h>
#include <linux/module.h>
#include <linux/preempt.h>

/* Is there one of that name? It may come or go at any moment. Any context. */
static inline bool trace_module_is_here(const char *name)
{
#ifdef CONFIG_MODULES
	guard(preempt)();
	return find_module(name);
#else
	return false;
#endif
}

#endif /* _KERNEL_TRACE_MODULES_H */
