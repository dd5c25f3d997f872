// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets of addresses: which functions a filter names.
 *
 * Addresses of call sites are never 0 or 1, so these two mark free and deleted
 * slots and a set is one array of words. Not read while calls are traced: a site
 * knows its ops (sets.c).
 */
#include <kunit/static_stub.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "sites.h"

#define HASH_MIN_BITS	3
#define HASH_MAX_BITS	24

static unsigned long none_slots[2];

/* An empty one that is never freed and never added to. */
struct ftrace_hash ftrace_hash_none = { .bits = 1, .slots = none_slots };

static unsigned long *hash_find(const struct ftrace_hash *hash, unsigned long ip)
{
	unsigned int mask = (1U << hash->bits) - 1;
	unsigned int i = hash_long(ip, hash->bits);

	while (hash->slots[i] != FTRACE_SLOT_FREE) {
		if (hash->slots[i] == ip)
			return &hash->slots[i];
		i = (i + 1) & mask;
	}
	return NULL;
}

/* There is a free slot, and @ip is not in. */
static void hash_put(struct ftrace_hash *hash, unsigned long ip)
{
	unsigned int mask = (1U << hash->bits) - 1;
	unsigned int i = hash_long(ip, hash->bits);

	while (hash->slots[i] > FTRACE_SLOT_DELETED)
		i = (i + 1) & mask;
	if (hash->slots[i] == FTRACE_SLOT_FREE)
		hash->used++;
	hash->slots[i] = ip;
	hash->count++;
}

/* All of them free; or NULL. KUnit has it fail. */
unsigned long *ftrace_hash_slots(unsigned int bits)
{
	KUNIT_STATIC_STUB_REDIRECT(ftrace_hash_slots, bits);

	return kvcalloc(1U << bits, sizeof(unsigned long), GFP_KERNEL);
}

static int hash_resize(struct ftrace_hash *hash, unsigned int bits)
{
	struct ftrace_hash bigger = { .bits = bits };
	unsigned long ip;
	unsigned int i;

	if (bits > HASH_MAX_BITS)
		return -E2BIG;
	bigger.slots = ftrace_hash_slots(bits);
	if (!bigger.slots)
		return -ENOMEM;
	if (hash->slots) {
		for_each_ftrace_hash_ip(ip, hash, i)
			hash_put(&bigger, ip);
		kvfree(hash->slots);
	}
	hash->slots = bigger.slots;
	hash->bits = bits;
	hash->count = bigger.count;
	hash->used = bigger.used;
	return 0;
}

/* An empty set with room for @expected addresses, or NULL. Task context. KUnit has it fail. */
struct ftrace_hash *ftrace_hash_alloc(unsigned int expected)
{
	unsigned int bits = HASH_MIN_BITS;
	struct ftrace_hash *hash;

	KUNIT_STATIC_STUB_REDIRECT(ftrace_hash_alloc, expected);

	hash = kzalloc(sizeof(*hash), GFP_KERNEL);
	while (bits < HASH_MAX_BITS && (1U << bits) < expected * 2)
		bits++;
	if (hash && hash_resize(hash, bits)) {
		kfree(hash);
		hash = NULL;
	}
	return hash;
}

/* A copy; of NULL an empty set. NULL when there is no memory. */
struct ftrace_hash *ftrace_hash_dup(const struct ftrace_hash *hash)
{
	struct ftrace_hash *copy = ftrace_hash_alloc(hash ? hash->count : 0);
	unsigned long ip;
	unsigned int i;

	if (copy && hash) {
		for_each_ftrace_hash_ip(ip, hash, i)
			hash_put(copy, ip);
	}
	return copy;
}

void ftrace_hash_free(struct ftrace_hash *hash)
{
	if (hash && hash != &ftrace_hash_none) {
		kvfree(hash->slots);
		kfree(hash);
	}
}

/* 0 also if it is in already; -ENOMEM or -E2BIG leave the set as it was. */
int ftrace_hash_add(struct ftrace_hash *hash, unsigned long ip)
{
	int ret;

	if (WARN_ON_ONCE(hash == &ftrace_hash_none))
		return -EINVAL;
	if (hash_find(hash, ip))
		return 0;
	if ((hash->used + 1) * 2 > (1U << hash->bits)) {
		/* Mostly deleted slots: the same size does. */
		bool full = (hash->count + 1) * 4 > (1U << hash->bits);

		ret = hash_resize(hash, hash->bits + (full ? 1 : 0));
		if (ret)
			return ret;
	}
	hash_put(hash, ip);
	return 0;
}

/**
 * ftrace_hash_reserve - have room for addresses that are to come
 * @hash: not ftrace_hash_none
 * @n:    how many: as many ftrace_hash_add() cannot fail
 *
 * Context: task; as the set is guarded.
 * Return: 0; -ENOMEM or -E2BIG leave the set as it was.
 */
int ftrace_hash_reserve(struct ftrace_hash *hash, unsigned int n)
{
	unsigned int bits = hash->bits;

	if ((hash->used + n) * 2 <= 1U << bits)
		return 0;
	while (bits <= HASH_MAX_BITS && (hash->count + n) * 2 > 1U << bits)
		bits++;
	return hash_resize(hash, bits);
}

bool ftrace_hash_del(struct ftrace_hash *hash, unsigned long ip)
{
	unsigned long *slot = hash_find(hash, ip);

	if (!slot)
		return false;
	*slot = FTRACE_SLOT_DELETED;
	hash->count--;
	return true;
}

bool ftrace_hash_has(const struct ftrace_hash *hash, unsigned long ip)
{
	return hash_find(hash, ip);
}

/* Drop what lies in [@start, @end); how many there were. */
unsigned int ftrace_hash_del_range(struct ftrace_hash *hash, unsigned long start,
				   unsigned long end)
{
	unsigned int i, before = hash->count;
	unsigned long ip;

	for_each_ftrace_hash_ip(ip, hash, i) {
		if (ip >= start && ip < end) {
			hash->slots[i] = FTRACE_SLOT_DELETED;
			hash->count--;
		}
	}
	return before - hash->count;
}
