/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A map from keys to entries that count, see map.c for how it works and why it may be used
 * anywhere.
 *
 * A key is a sequence of 64-bit words. Each entry has sums, which every CPU adds to in memory of
 * its own, and bytes of the user's behind the key.
 */
#ifndef _KERNEL_TRACE_HIST_MAP_H
#define _KERNEL_TRACE_HIST_MAP_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/refcount.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <asm/local64.h>

#include "../irq_work.h"

#define HIST_MAP_LEVELS		4
#define HIST_CHUNK_BITS		8
#define HIST_CHUNK_ENTRIES	BIT(HIST_CHUNK_BITS)
#define HIST_MAP_BITS_MAX	20
#define HIST_MAP_BITS_MIN	7

/**
 * struct hist_entry - what is kept for one key
 * @index:	of the entry in the map
 * @words:	length of the key
 * @live:	it is found by its key
 * @key:	the key; behind hist_map.key_words of it the user's bytes, zero at first
 */
struct hist_entry {
	u32	index;
	u16	words;
	u16	live;
	u64	key[];
};

/**
 * struct hist_chunk - HIST_CHUNK_ENTRIES entries
 * @entries:	hist_map.stride bytes each
 * @sums:	hist_map.nr_sums for each entry: what CPUs added that had no @cpu sums yet
 * @cpu:	the same for each CPU, NULL until a CPU has asked for it
 */
struct hist_chunk {
	void		*entries;
	atomic64_t	*sums;
	local64_t	*cpu[];
};

/**
 * struct hist_level - a table of slots
 * @mask:	number of slots - 1
 * @last:	has room for all entries that there may be: a probe goes on until it finds
 * @slot:	0, or upper half of the hash << 32 | index of the entry + 1; never changes again
 */
struct hist_level {
	u32		mask;
	bool		last;
	atomic64_t	slot[];
};

/**
 * struct hist_map - the map
 * @slots:	of @level[0], which is there from the beginning
 * @factor:	HIST_HASH_FACTOR: a load from a line that is looked at anyway instead of the four
 *		instructions that such a number takes on arm64
 * @chunks:	@chunk
 * @slots_mask:	of @level[0]
 * @stride:	bytes from an entry to the next
 * @sums_stride: bytes from the sums of an entry to those of the next
 * @full:	all entries have been handed out, none came back, and @level[0] is the last: a key
 *		that is not there will not be
 * @bits:	1 << bits keys at most
 * @nr_sums:	of an entry
 * @key_words:	of the longest key
 * @data:	offset of the user's bytes in an entry
 * @keeps_comm:	the user's bytes begin with the name of the task that made the entry
 * @level:	tables of slots, each larger than the one before; they come in the background
 * @crowded:	a key found no slot in any of them, though there may be more
 * @nr_chunks:	of @chunk that are there, without a gap
 * @next:	entries that were handed out
 * @has_spare:	there may be some in @spare
 * @nr_spare:	size of @spare
 * @spare:	entries that were handed out and not used, index + 1; 0: none
 * @dropped:	hits that found no entry, of each CPU
 * @want:	of each CPU: the chunk + 1 in which it wants sums of its own
 * @grow:	asked for by a hit ...
 * @grow_work:	... does it
 * @growing:	it is asked for
 * @failed:	when memory was not to be had, jiffies
 * @lock:	growing, emptying
 * @ref:	hists that share the map
 * @chunk:	room for all; they come in the background
 */
struct hist_map {
	/* what every hit looks at */
	atomic64_t		*slots;
	u64			factor;
	struct hist_chunk	**chunks;
	u32			slots_mask;
	u32			stride;
	u32			sums_stride;
	u32			full;

	unsigned int		bits;
	unsigned int		nr_sums;
	unsigned int		key_words;
	unsigned int		data;
	bool			keeps_comm;
	struct hist_level	*level[HIST_MAP_LEVELS];
	unsigned int		nr_chunks;
	atomic_t		next;
	bool			crowded;
	bool			has_spare;
	unsigned int		nr_spare;
	atomic_t		*spare;
	local64_t __percpu	*dropped;
	u32 __percpu		*want;
	struct trace_irq_work	grow;
	struct work_struct	grow_work;
	atomic_t		growing;
	unsigned long		failed;
	struct mutex		lock;	/* growing, emptying */
	refcount_t		ref;
	struct hist_chunk	*chunk[];
};

#define HIST_HASH_FACTOR	0x9e3779b97f4a7c15ULL

static __always_inline u64 hist_hash_with(u64 hash, u64 word, u64 factor)
{
	hash = (hash ^ word) * factor;
	return hash ^ (hash >> 32);
}

static __always_inline u64 hist_hash_word(u64 hash, u64 word)
{
	return hist_hash_with(hash, word, HIST_HASH_FACTOR);
}

/* task; NULL: no memory */
struct hist_map *hist_map_create(unsigned int bits, unsigned int key_words, unsigned int nr_sums,
				 unsigned int data_bytes, bool keeps_comm);
void hist_map_get(struct hist_map *map);
void hist_map_put(struct hist_map *map);
void hist_map_clear(struct hist_map *map, void (*wait)(void));

/* any context, preemption off */
struct hist_entry *hist_map_insert(struct hist_map *map, const u64 *key, unsigned int words);
struct hist_entry *hist_map_find(struct hist_map *map, const u64 *key, unsigned int words);
void hist_map_add_shared(struct hist_map *map, const struct hist_entry *entry, unsigned int sum,
			 u64 value);
void hist_map_drop(struct hist_map *map);

/* task: what is there now */
unsigned int hist_map_used(struct hist_map *map);
struct hist_entry *hist_map_entry(struct hist_map *map, unsigned int index);
u64 hist_map_sum(struct hist_map *map, const struct hist_entry *entry, unsigned int sum);
u64 hist_map_dropped(struct hist_map *map);
size_t hist_map_memory(struct hist_map *map);

static inline void *hist_entry_data(const struct hist_map *map, const struct hist_entry *entry)
{
	return (void *)entry + map->data;
}

static __always_inline struct hist_entry *hist_map_at(struct hist_map *map, u32 index)
{
	struct hist_chunk *chunk = READ_ONCE(map->chunk[index >> HIST_CHUNK_BITS]);

	return chunk->entries + (index & (HIST_CHUNK_ENTRIES - 1)) * map->stride;
}

/*
 * A hit of a map whose keys are one word: mostly the key is there, where it is looked for first,
 * and this CPU has sums. These are @found and @sums then; false: hist_map_insert(), and so on.
 * @first is set to the slot that was looked at.
 */
static __always_inline bool hist_map_hit_word(struct hist_map *map, u64 key,
					      struct hist_entry **found, local64_t **sums,
					      u64 *first)
{
	u64 hash = hist_hash_with(0, key, map->factor);
	u64 slot = *first = atomic64_read(&map->slots[(u32)hash & map->slots_mask]);
	u32 index = (u32)slot - 1;
	u64 at = index & (HIST_CHUNK_ENTRIES - 1);
	struct hist_chunk *chunk;
	struct hist_entry *entry;
	void *own;

	if (unlikely((slot ^ hash) >> 32))
		return false;
	/* a jump of its own: else both are worked out, and then one number of them */
	barrier();
	if (unlikely(!(u32)slot))
		return false;
	chunk = READ_ONCE(map->chunks[index >> HIST_CHUNK_BITS]);
	entry = chunk->entries + at * map->stride;
	if (unlikely(entry->key[0] != key))
		return false;
	own = READ_ONCE(chunk->cpu[raw_smp_processor_id()]);
	if (unlikely(!own))
		return false;
	*found = entry;
	*sums = own + at * map->sums_stride;
	return true;
}

/*
 * Behind hist_map_hit_word(): where no key finds room any more, most hits that get here are of keys
 * that are not there, and nothing is looked at but the slots from @slot, the first one, up to an
 * empty one. True: dropped.
 */
static __always_inline bool hist_map_drop_word(struct hist_map *map, u64 key, u64 slot)
{
	u64 hash = hist_hash_with(0, key, map->factor);
	u32 at = hash;

	if (likely(!READ_ONCE(map->full)))
		return false;
	/* asked before the other question, as for @slot the caller knows the answer */
	while ((slot ^ hash) >> 32) {
		if (!slot) {
			local64_inc(this_cpu_ptr(map->dropped));
			return true;
		}
		slot = atomic64_read(&map->slots[++at & map->slots_mask]);
	}
	return false;	/* it may be there */
}

/* This CPU's sums of an entry, or NULL: hist_map_add_shared(). */
static __always_inline local64_t *hist_map_sums(struct hist_map *map,
						const struct hist_entry *entry)
{
	struct hist_chunk *chunk = READ_ONCE(map->chunk[entry->index >> HIST_CHUNK_BITS]);
	local64_t *sums = READ_ONCE(chunk->cpu[raw_smp_processor_id()]);

	return likely(sums) ?
	       sums + (entry->index & (HIST_CHUNK_ENTRIES - 1)) * map->nr_sums : NULL;
}

static __always_inline void hist_map_add(struct hist_map *map, const struct hist_entry *entry,
					 local64_t *sums, unsigned int sum, u64 value)
{
	if (likely(sums))
		local64_add(value, sums + sum);
	else
		hist_map_add_shared(map, entry, sum, value);
}

#endif /* _KERNEL_TRACE_HIST_MAP_H */
