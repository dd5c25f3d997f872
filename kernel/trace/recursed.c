// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who recursed in tracing: a callback that was entered again by what it calls itself, a writer
 * that the ring buffer has refused. The file recursed_functions lists them.
 *
 * A function is there once, with the first caller that was seen. Writers may be in any
 * context, NMI included. One claims a free place with its function's address, so
 * that two that see the same function at the same time agree on who writes it; the
 * caller's address follows, and a reader who comes in between does not know it.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/trace_recursion.h>

#include "recursed.h"

static struct recursed recursed[CONFIG_FTRACE_RECORD_RECURSION_SIZE];

/**
 * ftrace_record_recursion - remember that @ip, called by @parent_ip, recursed
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

/**
 * recursed_get - the how manieth of those that are remembered
 * @i:		from 0 on
 * @entry:	filled in
 *
 * Return: true, or false behind the last one.
 */
bool recursed_get(unsigned int i, struct recursed *entry)
{
	if (i >= ARRAY_SIZE(recursed))
		return false;
	entry->ip = READ_ONCE(recursed[i].ip);
	entry->parent_ip = READ_ONCE(recursed[i].parent_ip);
	return entry->ip;
}

/**
 * recursed_clear - forget all of them
 *
 * From the end: readers stop at the first free place, and should find none in front of others.
 */
void recursed_clear(void)
{
	unsigned int i;

	for (i = ARRAY_SIZE(recursed); i--; ) {
		WRITE_ONCE(recursed[i].parent_ip, 0);
		WRITE_ONCE(recursed[i].ip, 0);
	}
}
